"""Which columns of CoNLL files are layers: those that were named, or what their tags show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, permutations
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.brackets import are_brackets
from spanagree.corpus.tag_columns import TagColumn
from spanagree.corpus.tags import is_tag, parse_tag, read_tags
from spanagree.errors import (
    InputError,
    SettingError,
    join_names,
    pluralize,
    quote_value,
    whole_number,
)
from spanagree.files import PathName
from spanagree.formats.conll.columns import (
    Column,
    Layout,
    fields_of,
    is_column,
    layout_of,
    number_of,
)
from spanagree.formats.conll.fields import numbered
from spanagree.formats.conll.head import LINES, ConllHeader
from spanagree.formats.conll.page import ConllFile, ConllOptions, read_page
from spanagree.formats.file_head import FileHead


class LayerRequest(NamedTuple):
    """A layer, the file that it is in, and its column, as far as that is known."""

    layer: str
    path: PathName
    column: Column | None = None


_INSIDE = ", all inside those of "
_LABELS = 4  # of a column that an error shows
_COLUMNS = 8  # whose looks an error shows
_CHUNKS = frozenset((
    "NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP",
))  # fmt: skip
_OTHER = re.compile(r"(^|[^a-z])(u?pos|xpos|chunks?|nested|fine)($|[^a-z])")


class _SpanColumns(NamedTuple):
    """The segments of a column: where each begins and ends among all tokens, and the labels."""

    start: Ints
    end: Ints
    labels: Sequence[str]

    def lies_in(self, other: _SpanColumns) -> bool:
        """Return whether each lies inside one of another column, and few are the same."""
        if not len(self.start) or not len(other.start):
            return False
        at = np.searchsorted(other.start, self.start, side="right") - 1
        inside = (at >= 0) & (other.end[at] >= self.end)
        same = (other.start[at] == self.start) & (other.end[at] == self.end)
        return bool(inside.all() and 2 * same.sum() < len(same))


def wanted_layers(files: Mapping[str, PathName], columns: Any) -> list[LayerRequest]:
    """Return which layer is in which file and column, as far as that is named.

    Raises:
        SettingError: for what cannot be a column, or columns of a layer that is not there.
    """
    if not isinstance(columns, Mapping):
        if len(files) == 1:
            return [LayerRequest(name, path) for name, path in files.items()]
        given = columns if isinstance(columns, (list, tuple)) else [columns]
        if len(given) != 1 or not is_column(given[0]) or given[0] == "all" or "," in str(given[0]):
            raise SettingError(
                f"columns {quote_value(columns)}: of several files one column each is read; name a"
                " column for all of them, or the annotators as NAME=FILE:COLUMN"
            )
        return [LayerRequest(name, path, given[0]) for name, path in files.items()]
    for name, column in columns.items():
        if not is_column(column):
            raise SettingError(
                f"column {quote_value(column)} of {quote_value(name)}; columns are names, or whole"
                " numbers from 1, as 0 is the token"
            )
    if len(files) == 1 and columns and not columns.keys() <= files.keys():
        (path,) = files.values()
        return [LayerRequest(name, path, column) for name, column in columns.items()]
    for name in (name for name in columns if name not in files):
        raise SettingError(
            f"columns name {quote_value(name)}, which is no annotator; with several files the"
            f" annotators are {join_names(files)}"
        )
    return [LayerRequest(name, path, columns.get(name)) for name, path in files.items()]


def decided_layers(
    files: Mapping[str, PathName],
    first: Mapping[PathName, str],
    heads: Mapping[PathName, ConllHeader],
    options: ConllOptions,
) -> tuple[list[LayerRequest], list[str]]:
    """Return the layers with their columns, and notes on those that were not named.

    What is not named is decided by the ``first`` lines of each file, which settle its head.

    Raises:
        InputError: where it is not clear which columns are meant, or which of them is gold.
    """
    wanted = wanted_layers(files, options.columns)
    to_find = [layer for layer in wanted if layer.column is None]
    of_files = [heads[layer.path] for layer in to_find]
    are_two = all(head.width == 2 and not head.layout.names for head in of_files)
    if isinstance(options.columns, Mapping) and are_two:  # there is nothing to choose
        return [layer._replace(column=layer.column or 1) for layer in wanted], []
    by_path = {
        path: _TagColumns(
            read_page(path, first[path], heads[path], [], options),
            options,
        )
        for path in dict.fromkeys(layer.path for layer in to_find)
    }
    if len(wanted) == 1 and to_find:
        return _of_one_file(wanted[0], by_path[wanted[0].path])
    chosen: list[LayerRequest] = []
    notes: list[str] = []
    for layer in wanted:
        if layer.column is None:
            columns = by_path[layer.path]
            if len(columns.alike) > 1 and not chosen:
                raise columns.gold_unknown(list(by_path.values()))
            layer = layer._replace(column=columns.alike[-1])
            notes += columns.note()
        chosen.append(layer)
    return chosen, notes


def _of_one_file(layer: LayerRequest, columns: _TagColumns) -> tuple[list[LayerRequest], list[str]]:
    """Return the layers in the one file that there is, of which no column is named with a layer."""
    page, options, called = columns.page, columns.options, columns.page.layout.called
    if not isinstance(options.columns, Mapping):
        selected = _columns_in(options.columns, len(page.columns), page.layout)
        if selected is not None:
            return [LayerRequest(called(c), layer.path, c) for c in selected], []
        selected = columns.tags or columns.alike
        others = [c for c in range(1, len(page.columns)) if c not in selected]
        left = [called(c) for c in others if c != page.layout.token]
        notes = (
            [f"{page.name}: columns without tags passed over: {join_names(left)}"] if left else []
        )
        return [LayerRequest(called(c), layer.path, c) for c in selected], notes
    alike = columns.alike
    if len(alike) < 2:
        return [layer._replace(column=alike[0])], columns.note()
    names = ["gold", "predicted" if layer.layer == "gold" else layer.layer]
    if page.layout.names:
        names = [called(column) for column in alike]
    if len(set(names)) < len(alike):
        raise columns.unclear(alike)
    layers = [LayerRequest(n, layer.path, c) for n, c in zip(names, alike, strict=True)]
    layers.sort(key=lambda layer: "gold" not in layer.layer.casefold())
    which = ", ".join(f"{wanted.layer} ({wanted.column})" for wanted in layers)
    note = (
        f"{page.name}: columns of tags of one kind are the annotators {which}; --columns (columns=)"
        " names others"
    )
    return layers, [note]


def tags_beside(
    page: ConllFile, columns: Iterable[Column | None], options: ConllOptions
) -> Iterator[TagColumn]:
    """Yield the columns of tags of a page that are not read."""
    read = {number_of(column, page.layout) for column in columns if column is not None}
    for column in () if page.layout.ragged else _TagColumns(page, options).tags:
        at = number_of(column, page.layout)
        if isinstance(column, int) and at is not None and at not in read:
            codes, names = numbered(page.columns[at])
            yield TagColumn(["O" if name == options.missing else name for name in names], codes)


class _TagColumns:
    """The columns of a page that have tags, and which of them are annotators."""

    def __init__(self, page: ConllFile, options: ConllOptions) -> None:
        self.page = page
        self.options = options
        self._spans: dict[Column, _SpanColumns] = {}

    @cached_property
    def values(self) -> dict[Column, set[str]]:
        """What stands in each column but the tokens, and under each key of CoNLL-U's last."""
        page = self.page
        token, misc = page.layout.token, page.layout.misc
        values: dict[Column, set[str]] = {}
        if misc is not None:
            values.update(_keys_of(numbered(page.columns[misc])[1]))
        for column in range(1, len(page.columns)):
            if column not in (token, misc):
                missing = self.options.missing or ""
                tags = set(numbered(page.columns[column])[1]) - {missing}
                values[column] = set(self.options.as_tags(tags))
        return values

    @cached_property
    def tags(self) -> list[Column]:
        """The columns that have tags."""
        if len(self.page.columns) == 2 and not self.page.layout.names:
            return [1]
        if self.page.layout.ragged:
            return [1, 2]
        return [
            column
            for column, values in self.values.items()
            if _are_tags(values, self.options.scheme)
            or (isinstance(column, str) and are_brackets(values))
        ]

    @cached_property
    def alike(self) -> list[Column]:
        """The last columns of tags, which have labels in common.

        No annotator is guessed of columns that are called ``other``: their tags are of another
        kind.

        Raises:
            InputError: where it is not clear which of them is meant.
        """
        page, tags = self.page, self.tags
        width = len(page.columns)
        if width == 2 and not page.layout.names:
            return [1]
        if page.layout.ragged:  # names, or where nobody looked for any, mentions
            return [1] if {*page.columns[1]} != {"_"} else [2]
        if not tags and page.layout.names:
            bare = any("O" in values for values in self.values.values())
            more = "; --scheme IO (scheme=) reads labels without a prefix such as B-"
            raise InputError(
                f"{page.name}: no column has tags; its columns are"
                f" {join_names(page.layout.names)}{more if bare else ''}"
            )
        likely = [c for c in tags if not _OTHER.search(page.layout.called(c).casefold())] or tags
        last = likely[-1] if likely else width - 1
        if len(likely) > 1 and last != max(c for c in (*tags, width - 1) if isinstance(c, int)):
            raise self.unclear(likely)
        alike = [last]
        labels = _labels_in(self.values.get(last, set()), self.options.scheme)
        for column in reversed(likely[:-1]):
            others = _labels_in(self.values[column], self.options.scheme)
            is_pair = width == 3 and not (labels and others)  # gold and a prediction of nothing
            if not labels & others and not is_pair:
                break
            alike.insert(0, column)
        are_two = width == 3 and len(likely) == 2
        if are_two and len(alike) == 1:  # gold and prediction, or chunks and names?
            raise self.unclear(likely)
        if self._have_labels_of_their_own(likely):  # as those of a column for each label
            raise self.unclear(likely)
        if alike == [last] and not labels and not self._is_part and self._marks_beside(likely):
            raise self.unclear(likely)
        numbers = [column for column in alike if isinstance(column, int)]
        spans = [self.spans(column) for column in numbers] if len(alike) > 1 else []
        if any(first.lies_in(second) for first, second in permutations(spans, 2)):
            raise self.unclear(alike)
        return alike

    def _have_labels_of_their_own(self, columns: Sequence[Column]) -> bool:
        """Return whether three or more columns have labels, and no two of them have one in common.

        Chunks do not count.
        """
        of_columns = [
            _labels_in(self.values[column], self.options.scheme)
            for column in columns
            if isinstance(column, int)
        ]
        kept = [labels for labels in of_columns if labels and not labels <= _CHUNKS]
        return len(kept) > 2 and sum(map(len, kept)) == len(set().union(*kept))

    def _marks_beside(self, columns: Sequence[Column]) -> bool:
        """Return whether several columns are beside the last, and one has labels, not of chunks."""
        of_columns = (_labels_in(self.values[c], self.options.scheme) for c in columns[:-1])
        return len(columns) > 2 and any(labels - _CHUNKS for labels in of_columns)

    @property
    def _is_part(self) -> bool:
        """Whether there may be more in the file than the first lines."""
        return int(self.page.lines[-1]) + 1 >= LINES

    def note(self) -> list[str]:
        """Return what to say of the column that was taken without being named."""
        page, column = self.page, self.alike[-1]
        tags = self.tags or [column]
        called = page.layout.called(column)
        if len(tags) > 1 and column == tags[-1]:
            what = f"columns {self.named(tags)} have tags, and the last, {called}, is read"
        elif len(tags) > 1:
            others = self.named([other for other in tags if other != column])
            what = f"tags are read from {called}, not from {others}"
        elif tags[0] == len(page.columns) - 1:
            return []
        else:
            what = f"tags are read from {called}, as no other column has any"
        return [f"{page.name}: {what}; --columns (columns=) or FILE:COLUMN names others"]

    def named(self, columns: Sequence[Column]) -> str:
        """Return columns in words, with their names where these are known."""
        names = [(str(column), self.page.layout.called(column)) for column in columns]
        return join_names(
            number if isinstance(column, str) or name == number else f"{number} ({name})"
            for column, (number, name) in zip(columns, names, strict=True)
        )

    def spans(self, column: Column) -> _SpanColumns:
        """Return the segments in a column of tags; a tag that is none counts as ``O``."""
        if column in self._spans:
            return self._spans[column]
        page, scheme = self.page, self.options.scheme
        codes, names = numbered(page.columns[number_of(column, page.layout) or 0])
        is_tag = np.array([parse_tag(name, scheme) is not None for name in names], np.bool_)
        used = np.where(is_tag[codes], codes, -1)
        reading = read_tags(names, used, page.sentences, scheme=scheme)
        base = page.begins("sentence")[reading.sentence]
        spans = _SpanColumns(reading.start + base, reading.end + base, reading.names)
        self._spans[column] = spans
        return spans

    def unclear(self, columns: Sequence[Column]) -> InputError:
        """Return the error for columns of tags of which it is not known what they are."""
        first, *_, last = (self.page.layout.called(c) for c in columns)
        shown = columns[:_COLUMNS]
        looks = [self._looks(shown, column) for column in shown]
        ways = f"--columns {first} or --columns {last}"
        if not any(_INSIDE in look for look in looks):
            ways += f", several as in --columns gold={first},mine={last}, or --columns all"
        more = f"; … ({len(columns) - len(shown)} more)" if len(columns) > len(shown) else ""
        return InputError(
            f"{self.page.name}: which columns are annotators is not clear: {'; '.join(looks)}"
            f"{more}{self._so_far}. Name one, as in {ways} (columns=)"
        )

    @property
    def _so_far(self) -> str:
        """What to say of figures of the first lines, if there may be more."""
        return f" (in the first {LINES} lines)" if self._is_part else ""

    def _looks(self, columns: Sequence[Column], column: Column) -> str:
        """Return what a column looks like: its labels, how many segments it has, and where."""
        if isinstance(column, str):
            return f"{column} has tags"
        spans = self.spans(column)
        labels = f" of {join_names(sorted(spans.labels)[:_LABELS])}" if spans.labels else ""
        more = ", …" if len(spans.labels) > _LABELS else ""
        says = f"{self.named([column])} has {pluralize(len(spans.start), 'segment')}{labels}{more}"
        for other in columns:
            if other != column and isinstance(other, int) and spans.lies_in(self.spans(other)):
                return f"{says}{_INSIDE}{self.named([other])}"
        return says

    def gold_unknown(self, of_files: Sequence[_TagColumns]) -> InputError:
        """Return the error where predictions may stand beside gold.

        Gold that all files share is offered.
        """
        page = self.page
        gold, last = self.alike[-2:]
        gold_name, last_name = page.layout.called(gold), page.layout.called(last)
        if len(of_files) > 1 and all(other.has_gold(tags_of(page, gold)) for other in of_files):
            return InputError(
                f"{page.name}: column {gold_name}, before the last, is the same in all files, so it"
                f" seems to be gold, and the last, {last_name}, a prediction; pass"
                f" gold={page.name}:{gold_name} as the first file, or --columns {last_name}"
                " (columns=) to read the last columns alone"
            )
        looks = "; ".join(self._looks(self.alike, column) for column in self.alike)
        return InputError(
            f"{page.name}: columns {self.named(self.alike)} have tags of one kind, and one may be"
            f" gold for the other: {looks}{self._so_far}. Name the one that is meant:"
            f" {page.name}:{gold_name} or {page.name}:{last_name} (FILE:COLUMN), or one for all"
            f" files: --columns {gold_name} or --columns {last_name} (columns=)"
        )

    def has_gold(self, gold: Sequence[str]) -> bool:
        """Return whether the column before the last has these tags."""
        with suppress(InputError):  # what it has is as unclear
            return len(self.alike) > 1 and tags_of(self.page, self.alike[-2]) == gold
        return False


def knows_rows(start: FileHead) -> bool:
    """Return whether rows of a token each, with tags, stand below the names of the columns."""
    return any(_are_tags(values, "auto") for values in _values_below(start))


def knows_labels(start: FileHead) -> bool:
    """Return whether such rows have labels without a prefix, and ``O``, in place of tags."""
    return any("O" in values for values in _values_below(start))


def are_all_tagged(start: FileHead) -> bool:
    """Return whether the last field of each row of the first lines is a tag, with tokens before."""
    layout = layout_of("\n".join(start.lines))
    lines = [line for line in start.lines[:-1] or start.lines if line.strip()]
    rows = [fields_of(line, layout.sign) for line in lines if not line.startswith("#")]
    rows = rows[layout.header :]
    return bool(rows) and all(len(row) > 1 and is_tag(row[-1]) for row in rows)


def _values_below(start: FileHead) -> list[set[str]]:
    """Return what is in each column but the tokens, below a header or between commas."""
    if start.records:
        return []
    layout = layout_of("\n".join(start.lines))
    if not layout.header and layout.sign == "\t":
        return []
    fields = [fields_of(line, layout.sign) for line in start.lines if line.strip()]
    width = len(layout.names or fields[0])
    rows = [row for row in fields if len(row) == width][layout.header :]
    return [set(column) for i, column in enumerate(zip(*rows, strict=True)) if i != layout.token]


def _are_tags(values: set[str], scheme: str) -> bool:
    """Return whether these are the tags of a layer: all of them, or half and ``O`` among them."""
    good = sum(parse_tag(value, scheme) is not None for value in values)
    return good == len(values) or ("O" in values and 2 * good >= len(values))


def _labels_in(values: set[str], scheme: str) -> set[str]:
    """Return the labels of some tags."""
    parsed = (parse_tag(value, scheme) for value in values - {"O"})
    return {meaning[1] for meaning in parsed if meaning is not None}


def _columns_in(selector: Any, width: int, layout: Layout) -> list[Column] | None:
    """Return the columns that ``1-47``, a name or a list of them selects; none for ``all``.

    Raises:
        SettingError: for what is not a column.
    """
    given = selector if isinstance(selector, (list, tuple)) else [selector]
    parts = chain.from_iterable(p.split(",") if isinstance(p, str) else [p] for p in given)
    chosen: list[Column] = []
    for part in (p.strip() if isinstance(p, str) else p for p in parts):
        ends = re.fullmatch(r"([0-9]+)-([0-9]+)", part) if isinstance(part, str) else None
        if part == "all":
            return None
        if not is_column(part) or part in chosen:
            raise SettingError(
                f"columns {quote_value(selector)}; the columns of tags are names, or whole numbers"
                " from 1, and each is named once"
            )
        if ends is None or number_of(part, layout) is not None:
            chosen.append(part)
            continue
        low, high = (whole_number(end, "column") for end in ends.groups())
        if not 0 < low <= high < width:
            raise SettingError(
                f"columns {part}: the file has columns 1 to {width - 1}"
                f"{f' ({join_names(layout.names)})' if layout.names else ''}; name some of them"
            )
        chosen += range(low, high + 1)
    return chosen


def tags_of(page: ConllFile, column: Column) -> Sequence[str]:
    """Return the tags in a column, or those of a key in the last column of CoNLL-U.


    Raises:
        SettingError: for a name that is not there.
    """
    number = number_of(column, page.layout)
    if number is not None and number < len(page.columns):
        return page.columns[number]
    misc = page.layout.misc
    keys = {} if misc is None else _keys_of(numbered(page.columns[misc])[1])
    if misc is None or column not in keys:
        raise SettingError(
            f"{page.name}: no column {quote_value(column)}; there are columns 0 (the token) to"
            f" {len(page.columns) - 1}"
            f"{f', called {join_names(page.layout.names)}' if page.layout.names else ''}"
            f"{f', and in {page.layout.names[misc]} {join_names(keys)}' if keys and misc else ''}"
        )
    return _values_of(page.columns[misc], str(column))


def _keys_of(values: Iterable[str]) -> dict[str, set[str]]:
    """Return the values of each key in a column of KEY=VALUE|KEY=VALUE."""
    known: dict[str, set[str]] = {}
    for field in set(values):
        for part in field.split("|"):
            key, equals, value = part.partition("=")
            if equals:
                known.setdefault(key, set()).add(value)
    return known


def _values_of(column: Iterable[str], key: str) -> tuple[str, ...]:
    """Return the values of a key, ``O`` where it is not given."""
    column = tuple(column)
    value = {}
    for field in set(column):
        pairs = (part.partition("=") for part in field.split("|"))
        value[field] = next((text for name, _, text in pairs if name == key), "O")
    return tuple(map(value.__getitem__, column))


def brackets_of(page: ConllFile, column: Column, values: Iterable[str]) -> Sequence[str] | None:
    """Return what the parts behind a bracket are called, if these are in a key of CoNLL-U's."""
    number = number_of(column, page.layout)
    is_column = number is not None and number < len(page.columns)
    if page.layout.ragged and is_column:
        return ()
    if is_column or not are_brackets({*values}):
        return None
    return dict(page.layout.brackets).get(str(column), "").split("-")
