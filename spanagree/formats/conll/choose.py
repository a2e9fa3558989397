"""Which columns of CoNLL files are layers: those that were named, or what their tags show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from spanagree.corpus.brackets import are_brackets
from spanagree.errors import InputError, SettingError, listed, show
from spanagree.files import PathName
from spanagree.formats.conll.columns import (
    Column,
    are_tags,
    columns_in,
    fields_of,
    is_column,
    keys_of,
    labels_in,
    layout_of,
    number_of,
    values_of,
)
from spanagree.formats.conll.fields import numbered
from spanagree.formats.conll.page import ConllOptions, Page, read_page
from spanagree.formats.conll.parts import TextPart
from spanagree.formats.peek import Peek


class Wanted(NamedTuple):
    """A layer, the file that it is in, and its column, as far as that is known."""

    layer: str
    path: PathName
    column: Column | None = None


class _Seen(NamedTuple):
    """The columns of a page that have tags, and the last of these, which have labels in common."""

    tags: list[Column]
    alike: list[Column]


def wanted_layers(files: Mapping[str, PathName], columns: Any) -> list[Wanted]:
    """Return which layer is in which file and column, as far as that is named.

    Raises:
        SettingError: for what cannot be a column, or columns of a layer that is not there.
    """
    if not isinstance(columns, Mapping):
        if len(files) == 1:
            return [Wanted(name, path) for name, path in files.items()]
        one = columns if isinstance(columns, (list, tuple)) else [columns]
        if len(one) != 1 or not is_column(one[0]) or one[0] == "all" or "," in str(one[0]):
            raise SettingError(
                f"columns {show(columns)}: of several files one column each is read; name a column"
                " for all of them, or the layers as NAME=FILE:COLUMN"
            )
        return [Wanted(name, path, one[0]) for name, path in files.items()]
    for name, column in columns.items():
        if not is_column(column):
            raise SettingError(
                f"column {show(column)} of {show(name)}; columns are names, or whole numbers from"
                " 1, as 0 is the token"
            )
    if len(files) == 1 and columns and not columns.keys() <= files.keys():
        (path,) = files.values()
        return [Wanted(name, path, column) for name, column in columns.items()]
    for name in (name for name in columns if name not in files):
        raise SettingError(
            f"columns name {show(name)}, which is not a layer; with several files the layers are"
            f" {listed(files)}"
        )
    return [Wanted(name, path, columns.get(name)) for name, path in files.items()]


def decided_layers(
    files: Mapping[str, PathName], first: Mapping[PathName, str], options: ConllOptions
) -> tuple[list[Wanted], list[str]]:
    """Return the layers with their columns, and notes on those that were not named.

    What is not named is decided by the ``first`` lines of each file.

    Raises:
        InputError: where it is not clear which columns are meant, or which of them is gold.
    """
    wanted = wanted_layers(files, options.columns)
    open_ = [layer for layer in wanted if layer.column is None]
    are_two = all(
        (head := options.heads[layer.path]).width == 2 and not head.layout.names for layer in open_
    )
    if isinstance(options.columns, Mapping) and are_two:  # there is nothing to choose
        return [layer._replace(column=layer.column or 1) for layer in wanted], []
    pages = {
        path: read_page(path, TextPart(first[path], 0, is_whole=True), [], options)
        for path in dict.fromkeys(layer.path for layer in open_)
    }
    if len(wanted) == 1 and open_:
        return _of_one_file(wanted[0], pages[wanted[0].path], options)
    chosen: list[Wanted] = []
    notes: list[str] = []
    for layer in wanted:
        if layer.column is None:
            page = pages[layer.path]
            seen = _seen(page, options)
            if len(seen.alike) > 1 and not chosen:
                raise _gold_unknown(seen, page, list(pages.values()), options)
            layer = layer._replace(column=seen.alike[-1])
            notes += _note(seen, page)
        chosen.append(layer)
    return chosen, notes


def knows_rows(start: Peek) -> bool:
    """Return whether rows of a token each, with tags, stand below the names of the columns."""
    layout = layout_of("\n".join(start.lines))
    if start.records or not layout.header:
        return False
    fields = (fields_of(line, layout.sign) for line in start.lines if line.strip())
    rows = [row for row in fields if len(row) == len(layout.names)][1:]
    columns = [set(column) for i, column in enumerate(zip(*rows, strict=True)) if i != layout.token]
    return any(are_tags(values, "auto") for values in columns)


def _of_one_file(
    layer: Wanted, page: Page, options: ConllOptions
) -> tuple[list[Wanted], list[str]]:
    """Return the layers in the one file that there is, of which no column is named with a layer."""
    named = page.layout.called
    if not isinstance(options.columns, Mapping):
        columns = columns_in(options.columns, len(page.columns), page.layout)
        if columns is None:
            columns = _seen(page, options, every=True).tags
            rest = [c for c in range(1, len(page.columns)) if c not in columns]
            left = [named(c) for c in rest if c != page.layout.token]
            note = f"{page.name}: columns without tags passed over: {listed(left)}"
            return [Wanted(named(c), layer.path, c) for c in columns], [note] if left else []
        return [Wanted(named(c), layer.path, c) for c in columns], []
    seen = _seen(page, options)
    if len(seen.alike) < 2:
        layer = layer._replace(column=seen.alike[0])
        return [layer], _note(seen, page)
    names = ["gold", "predicted" if layer.layer == "gold" else layer.layer]
    if page.layout.names:
        names = [named(column) for column in seen.alike]
    if len(set(names)) < len(seen.alike):
        raise _unclear(page, seen.alike)
    layers = [Wanted(n, layer.path, c) for n, c in zip(names, seen.alike, strict=True)]
    layers.sort(key=lambda layer: "gold" not in layer.layer.casefold())
    which = ", ".join(f"{each.layer} ({each.column})" for each in layers)
    note = (
        f"{page.name}: columns of tags of one kind are the layers {which}; --columns (columns=)"
        " names others"
    )
    return layers, [note]


def _note(seen: _Seen, page: Page) -> list[str]:
    """Return what to say of a column that was taken without being named."""
    named = page.layout.called(seen.alike[-1])
    if len(seen.tags) > 1:
        what = f"columns {_columns(page, seen.tags)} have tags, and the last, {named}, is read"
    elif seen.tags[0] == len(page.columns) - 1:
        return []
    else:
        what = f"tags are read from {named}, as no other column has any"
    return [f"{page.name}: {what}; --columns (columns=) or FILE:COLUMN names others"]


def _columns(page: Page, columns: Sequence[Column]) -> str:
    """Return columns in words, with their names where these are known."""
    return listed(
        c
        if isinstance(c, str)
        else f"{c} ({name})"
        if (name := page.layout.called(c)) != str(c)
        else str(c)
        for c in columns
    )


def _seen(page: Page, options: ConllOptions, *, every: bool = False) -> _Seen:
    """Return which columns of a page have tags; with ``every`` there may be several kinds.

    Raises:
        InputError: where it is not clear which of them is meant.
    """
    width = len(page.columns)
    if width == 2 and not page.layout.names:
        return _Seen([1], [1])
    sets: dict[Column, set[str]] = {}
    misc = page.layout.misc
    if misc is not None:
        sets.update(keys_of(numbered(page.columns[misc])[1]).items())
    columns = [c for c in range(1, width) if c not in (page.layout.token, misc)]
    sets |= {c: set(numbered(page.columns[c])[1]) - {options.missing or ""} for c in columns}
    keys = {c for c in sets if isinstance(c, str)}
    tags = [
        c
        for c, values in sets.items()
        if are_tags(values, options.scheme) or (c in keys and are_brackets(values))
    ]
    if every and tags:
        return _Seen(tags, tags)
    last = tags[-1] if tags else width - 1
    if not tags and page.layout.names:
        raise InputError(
            f"{page.name}: no column has tags; its columns are {listed(page.layout.names)}"
        )
    if len(tags) > 1 and last != width - 1:
        raise _unclear(page, tags)
    alike = [last]
    labels = labels_in(sets.get(last, set()), options.scheme)
    for c in reversed(tags[:-1]):
        others = labels_in(sets[c], options.scheme)
        if not labels & others and width > 3:  # of three columns two are gold and prediction
            break
        alike.insert(0, c)
    return _Seen(tags or [last], alike)


def _unclear(page: Page, columns: Sequence[Column]) -> InputError:
    one, *_, two = (page.layout.called(c) for c in columns)
    return InputError(
        f"{page.name}: columns {_columns(page, columns)} have tags; say which are layers:"
        f" --columns gold={one},mine={two}, --columns {two} or --columns all (columns=)"
    )


def _gold_unknown(
    seen: _Seen, page: Page, pages: Sequence[Page], options: ConllOptions
) -> InputError:
    """Return the error where predictions may stand beside gold; gold that all share is offered."""
    gold, last = seen.alike[-2:]
    one, two = page.layout.called(gold), page.layout.called(last)
    different = list({id(each): each for each in pages}.values())
    same = len(different) > 1 and all(
        len(_seen(each, options).alike) > 1
        and tags_of(each, _seen(each, options).alike[-2]) == tags_of(page, gold)
        for each in different
    )
    if same:
        return InputError(
            f"{page.name}: column {one}, before the last, is the same in all files, so it seems to"
            f" be gold, and the last, {two}, a prediction; pass gold={page.name}:{one} as the first"
            f" file, or --columns {two} (columns=) to read the last columns alone"
        )
    return InputError(
        f"{page.name}: columns {_columns(page, seen.alike)} have tags of one kind, and"
        f" one may be gold for the other; name the one that is meant: {page.name}:{one} or"
        f" {page.name}:{two} (FILE:COLUMN), or --columns {two} for all files (columns=)"
    )


def tags_of(page: Page, column: Column, *, sparse: bool = False) -> Sequence[str]:
    """Return the tags in a column, or those of a key in the last column of CoNLL-U.

    A key that is ``sparse`` need not be there, as in a part of a file.

    Raises:
        SettingError: for a name that is not there.
    """
    number = number_of(column, page.layout)
    if number is not None and number < len(page.columns):
        return page.columns[number]
    misc = page.layout.misc
    keys = {} if misc is None else keys_of(numbered(page.columns[misc])[1])
    if misc is None or (column not in keys and not (sparse and number is None)):
        raise SettingError(
            f"{page.name}: no column {show(column)}; there are columns 0 (the token) to"
            f" {len(page.columns) - 1}"
            f"{f', called {listed(page.layout.names)}' if page.layout.names else ''}"
            f"{f', and in {page.layout.names[misc]} {listed(keys)}' if keys and misc else ''}"
        )
    return values_of(page.columns[misc], str(column))


def brackets_of(page: Page, column: Column, values: Iterable[str]) -> Sequence[str] | None:
    """Return what the parts behind a bracket are called, if these are in a key of CoNLL-U's."""
    number = number_of(column, page.layout)
    if (number is not None and number < len(page.columns)) or not are_brackets({*values}):
        return None
    return dict(page.layout.brackets).get(str(column), "").split("-")
