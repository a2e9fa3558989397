"""What is marked in a file and was not read, by a walk that knows no format.

A reader may have looked under one key, and the spans, or more of them, be under another.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from spanagree.corpus.balance import READ, add_balances
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    is_whole,
    join_names,
    pluralize,
    printable_path,
    quote_value,
)
from spanagree.files import PathName
from spanagree.formats.csv_rows import csv_records
from spanagree.formats.file_head import read_head
from spanagree.formats.json_records import json_records
from spanagree.formats.usual_names import COLUMNS, USUAL, keys_of, plain

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # takes a while to load

_MARKS = frozenset((*COLUMNS["spans"], *USUAL["spans"], "mentions", "ner", "denotations"))
_UNITS = frozenset((
    *COLUMNS["tokens"], "sents", "sentence", "sentences", "nounchunks", "chunks", "passages",
))  # fmt: skip
"""Names of parts of a text, which have places and are no marks."""
_PAIRS = frozenset(("pos", "span", "position", "offset", "offsets", "range", "interval"))
"""Names of lists that are a start and an end."""
_LINKS = frozenset(("relations", "events", "coref", "clusters"))
"""Names of what links marks, with their places once more."""
_STARTS, _ENDS = ("start", "begin", "offset"), ("end", "stop", "length")
_SMALL = 1 << 18  # bytes, which take no time
_TAG = re.compile(r"[BIESLUM]-\S")

NOT_READ = "not read"
"""The reason of marks under keys that a reader does not know."""

Found = tuple[str, int, Any]
"""The path to what is marked, the number of marks there, and the first of them."""


def with_unread(path: PathName, raw: RawCorpus, form: str, *, thorough: bool = False) -> RawCorpus:
    """Count what is marked in a file and was neither read nor passed over.

    Args:
        path: the file.
        raw: its rows.
        form: the format in which it was read.
        thorough: if True, files of any size are gone through once more; else small ones, and
            those of which nothing was read.

    Returns:
        The rows, with what was not read in their balance and in a note.

    Raises:
        InputError: if something is marked and nothing was read, naming the key that was not read,
            and how it is named.
    """
    is_read = len(raw.start) > 0
    if not os.path.isfile(path) or (is_read and not thorough and os.path.getsize(path) > _SMALL):
        return raw
    n_accounted = sum(
        number
        for unit in ("segment", "tag")
        for reason, number in raw.balance.get(unit, {}).items()
        if is_read or reason not in (READ, NOT_READ)
    )
    counts: Counter[str] = Counter()
    examples: dict[str, Any] = {}
    texts: Counter[str] = Counter()
    with suppress(InputError):  # it was read before
        for at, number, example in _marks_in(path, texts):
            counts[at] += number
            examples.setdefault(at, example)
    n_unread = counts.total() - n_accounted
    if n_unread <= 0:
        return raw
    name = printable_path(path)
    if not is_read:
        at, number = counts.most_common(1)[0]
        marks = f"{pluralize(number, 'mark')} {'is' if number == 1 else 'are'}"
        raise InputError(
            f"{name}: read as {form}, nothing is marked in it, but {marks} under"
            f" {quote_value(at)}, which {form} does not read; {_advice(at, examples[at], texts)}"
        )
    return counting_unread(raw, counts, n_unread, f"{name}: ")


def counting_unread(
    raw: RawCorpus, counts: Mapping[str, int], n_unread: int, before: str
) -> RawCorpus:
    """Return rows with marks that were not read in their balance and in a note.

    Args:
        raw: the rows.
        counts: number of marks under each path, some of which may have been read.
        n_unread: number of those that were not.
        before: what stands before the note.
    """
    places = [at for at, number in counts.items() if number == n_unread][:1] or [*counts]
    under = join_names(f"{quote_value(at)} ({counts[at]})" for at in places)
    note = f"{before}{pluralize(n_unread, 'mark')} not read, of those under {under}"
    unread = {"segment": {NOT_READ: n_unread}}
    return raw.replace(balance=add_balances([raw.balance, unread]), notes=(*raw.notes, note))


def _advice(at: str, example: Any, texts: Counter[str]) -> str:
    """Compose the options that read what is marked."""
    options = ["--from paths", "--spans", shlex.quote(at)]
    if not at or not isinstance(example, (dict, list)):
        return "name another format with --from"
    if texts:
        options += ["--text", shlex.quote(texts.most_common(1)[0][0])]
    if isinstance(example, dict):
        names = keys_of(tuple(example))
        for what in ("start", "end", "label"):
            options += [f"--{what}", shlex.quote(str(names[what]))] if what in names else []
    else:
        options += ["--start [0] --end [1]", *(["--label [2]"] if len(example) > 2 else [])]
    return f"{' '.join(options)} reads them, or name another format with --from"


def _marks_in(path: PathName, texts: Counter[str]) -> Iterator[Found]:
    """Yield what is marked in a file; the keys of its texts are counted."""
    shape = read_head(path).shape
    if shape in ("json", "jsonl"):
        for _, record in json_records(path):
            if isinstance(record, dict):
                keys = (key for key, part in record.items() if isinstance(part, str))
                texts.update(key for key in keys if _name(key).is_of_text)
            yield from marks_at(record)
    elif shape in ("csv", "tsv"):
        _, rows = csv_records(path)
        for _, row in rows:
            for name, value in held_in_cells(row.items()).items():
                yield from ((name, number, "") for _, number, _ in marks_at({name: value}))
    elif shape == "xml":
        from spanagree.formats.xml_elements import tree  # for few files

        with open(path, "rb") as file:
            yield from _elements_at(tree(file, os.fspath(path)))


def held_in_cells(cells: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return what cells of a table hold in JSON, by the name of the column if it is one of marks.

    >>> held_in_cells([("spans", '[{"start": 0}]'), ("text", "[1]"), ("labels", None)])
    {'spans': [{'start': 0}]}
    """
    held = {}
    for name, cell in cells:
        if plain(name) in _MARKS and isinstance(cell, str) and cell.lstrip()[:1] in ("[", "{"):
            with suppress(ValueError, RecursionError):
                held[name] = json.loads(cell)
    return held


class _Name(NamedTuple):
    """What the name of a key in JSON says of the value there."""

    is_start: bool
    is_end: bool
    is_marks: bool
    is_units: bool
    is_link: bool
    is_pair: bool
    is_text: bool
    is_of_text: bool


@lru_cache(maxsize=4096)
def _name(key: str) -> _Name:
    """Return what a key says; a file has few keys, and each very often."""
    name = plain(key)
    return _Name(
        name.startswith(_STARTS),
        name.startswith(_ENDS),
        name in _MARKS,
        name in _UNITS,
        name in _LINKS,
        name in _PAIRS,
        name == "text",
        name in COLUMNS["text"],
    )


def marks_at(record: Any) -> Iterator[Found]:
    """Yield spans, and tags, that a record in JSON has at any depth.

    A span is an object with a start, an end and a text such as a label; or with an object, or a
    list of them, that has these ends alone; or a list of two numbers and a label. Under a usual
    name of spans, it needs no label. Tokens and sentences are none.

    >>> list(marks_at({"doc": {"ents": [{"start": 0, "end": 2}], "tokens": [{"start": 0}]}}))
    [('doc.ents[*]', 1, {'start': 0, 'end': 2})]
    """
    # value, its path, whether a usual name of spans is on it, and whether it is of tokens
    left: list[tuple[Any, str, bool, bool]] = [(record, "", False, False)]
    while left:
        value, at, inside, of_units = left.pop()
        if isinstance(value, dict):
            inner = [(key, part) for key, part in value.items() if isinstance(part, (dict, list))]
            if of_units and not inner:  # as of very many tokens
                continue
            if not inner and (n_tags := _number_of_tags([*value.values()])):
                yield at, n_tags, value
                continue
            is_mark = _is_mark(value, inside, of_units)
            if is_mark:
                yield at, 1, value
            for key, part in reversed(inner):
                name = _name(key)
                is_place = is_mark and (_is_place(part) or (name.is_pair and _are_pairs(part)))
                if not (name.is_link or is_place):
                    path = f"{at}.{key}" if at else key
                    further = name.is_marks or (inside and not is_mark)
                    left.append((part, path, further, name.is_units))
        elif isinstance(value, list) and value:
            if n_tags := _number_of_tags(value):
                yield at, n_tags, next(x for x in value if x != "O")
                continue
            if _is_span(value, inside) and not of_units:
                yield at, 1, value
            else:
                path = f"{at}[*]"
                left += [
                    (item, path, inside, of_units)
                    for item in reversed(value)
                    if isinstance(item, (dict, list))
                ]


def _number_of_tags(values: list[Any]) -> int:
    """Return the number of tags that are not ``O``, of several values all of which are tags."""
    if not values or not (isinstance(values[0], str) or isinstance(values[-1], str)):
        return 0
    strings = [item for item in values if isinstance(item, str)]
    if len(strings) < 2 or not all(map(_is_of_tags, strings)):
        return 0
    return len(values) - strings.count("O")


def _is_of_tags(item: str) -> bool:
    return item == "O" or bool(_TAG.match(item))


def _is_mark(value: dict[Any, Any], inside: bool, of_units: bool) -> bool:
    """Return whether an object is a span, by its own ends or by those of a place in it."""
    has_label = "labels" in value or any(isinstance(part, str) for part in value.values())
    return not of_units and (
        ((inside or has_label) and _has_ends(value)) or (has_label and _has_places(value))
    )


def _has_places(value: dict[Any, Any]) -> bool:
    """Return whether an object has places in a text under a name that is not one of spans."""
    for key, part in value.items():
        if isinstance(part, (dict, list)):
            name = _name(key)
            if name.is_pair and _are_pairs(part):
                return True
            if not (name.is_marks or name.is_units or name.is_link) and _is_place(part):
                return True
    return False


def _has_ends(value: dict[Any, Any]) -> bool:
    """Return whether an object has whole numbers where it starts and ends."""
    names = [_name(key) for key, part in value.items() if is_whole(part)]
    return any(name.is_start for name in names) and any(name.is_end for name in names)


def _is_place(part: Any) -> bool:
    """Return whether a value is a place in a text, or a list of such, and nothing else.

    Where it ends may be said by what is there.
    """
    places = part if isinstance(part, list) else [part]
    return bool(places) and all(
        isinstance(place, dict)
        and all(is_whole(x) or _name(key).is_text for key, x in place.items())
        and (_has_ends(place) or any(isinstance(x, str) for x in place.values()))
        and any(_name(key).is_start for key in place)
        for place in places
    )


def _is_span(items: Any, inside: bool) -> bool:
    """Return whether a value is a list of a start, an end and perhaps a label."""
    if not isinstance(items, list) or len(items) not in (2, 3):
        return False
    are_ends = is_whole(items[0]) and is_whole(items[1]) and items[0] <= items[1]
    return are_ends and (isinstance(items[-1], str) or (inside and len(items) == 2))


def _are_pairs(part: Any) -> bool:
    """Return whether a value is a start and an end, or a list of such."""
    pairs = part if isinstance(part, list) and part and isinstance(part[0], list) else [part]
    return all(_is_span(pair, inside=True) for pair in pairs)


def _elements_at(element: Element, at: str = "") -> Iterator[Found]:
    """Yield the elements with a start and an end, but tokens and sentences."""
    name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    path = f"{at}/{name}"
    numbers = {key: int(x) for key, x in element.attrib.items() if x.isdecimal() and len(x) < 20}
    if _has_ends(numbers) and {plain(name), f"{plain(name)}s"}.isdisjoint(_UNITS | _LINKS):
        yield path, 1, element
    for part in element:
        yield from _elements_at(part, path)
