"""Search for marks in a file that were not read, independent of its format.

A *mark* is a span or a tag other than ``O``; its *place* is an object with start and end. A reader
may read spans under one key, although spans, or more of them, are under another key.
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
from spanagree.errors import InputError, escape_path, is_integer, join_names, pluralize, quote_value
from spanagree.files import PathName
from spanagree.formats.csv_rows import read_csv_records
from spanagree.formats.file_head import read_head
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.usual_names import COLUMNS, USUAL, find_span_keys, simplify_name

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # takes a while to load

_MARKS = frozenset((*COLUMNS["spans"], *USUAL["spans"], "mentions", "ner", "denotations"))
_UNITS = frozenset((
    *COLUMNS["tokens"], "sents", "sentence", "sentences", "nounchunks", "chunks", "passages",
))  # fmt: skip
"""Names of parts of a text, which have offsets but are no marks."""
_PAIRS = frozenset(("pos", "span", "position", "offset", "offsets", "range", "interval"))
"""Names of lists of a start and an end."""
_LINKS = frozenset(("relations", "events", "coref", "clusters", "support"))
"""Names of links between marks, and of who supports them, which repeat their offsets."""
_STARTS, _ENDS = ("start", "begin", "offset"), ("end", "stop", "length")
_MAX_SIZE = 1 << 18  # number of bytes that are searched quickly
_TAG = re.compile(r"[BIESLUM]-\S")

NOT_READ = "not read"
"""Reason for marks under keys that a reader does not read."""

Found = tuple[str, int, Any]
"""Path to marks, their number, and the first mark."""


def count_unread_marks_in_file(
    path: PathName, raw: RawCorpus, form: str, *, thorough: bool = False
) -> RawCorpus:
    """Count the marks in a file that were neither read nor ignored with a count.

    Args:
        path: path of the file.
        raw: rows of the file.
        form: format in which the file was read.
        thorough: True to search files of any size; otherwise only small files, and files without
            any annotation.

    Returns:
        Rows with the unread marks in their balance and in a note.

    Raises:
        InputError: if nothing was read although the file has marks; the message names their key,
            and the options that read them.
    """
    is_read = len(raw.start) > 0
    if not os.path.isfile(path) or (is_read and not thorough and os.path.getsize(path) > _MAX_SIZE):
        return raw
    n_accounted = sum(
        count
        for unit in ("segment", "tag")
        for reason, count in raw.balance.get(unit, {}).items()
        if is_read or reason not in (READ, NOT_READ)
    )
    counts: Counter[str] = Counter()
    examples: dict[str, Any] = {}
    texts: Counter[str] = Counter()
    with suppress(InputError):  # the reader has reported errors
        for mark_path, count, example in _yield_file_marks(path, texts):
            counts[mark_path] += count
            examples.setdefault(mark_path, example)
    n_unread = counts.total() - n_accounted
    if n_unread <= 0:
        return raw
    name = escape_path(path)
    if not is_read:
        mark_path, count = counts.most_common(1)[0]
        marks = f"{pluralize(count, 'mark')} {'is' if count == 1 else 'are'}"
        raise InputError(
            f"{name}: read as {form}, nothing is marked in it, but {marks} under"
            f" {quote_value(mark_path)}, which {form} does not read;"
            f" {_compose_advice(mark_path, examples[mark_path], texts)}"
        )
    return add_unread_marks(raw, counts, n_unread, f"{name}: ")


def add_unread_marks(
    raw: RawCorpus, counts: Mapping[str, int], n_unread: int, prefix: str
) -> RawCorpus:
    """Add unread marks to the balance of rows, and a note.

    Args:
        raw: rows of the file.
        counts: number of marks under each path, which may include marks that were read.
        n_unread: number of unread marks.
        prefix: prefix of the note.
    """
    mark_paths = [mark_path for mark_path, count in counts.items() if count == n_unread][:1] or [
        *counts
    ]
    paths_text = join_names(
        f"{quote_value(mark_path)} ({counts[mark_path]})" for mark_path in mark_paths
    )
    note = f"{prefix}{pluralize(n_unread, 'mark')} not read, of those under {paths_text}"
    unread = {"segment": {NOT_READ: n_unread}}
    return raw.replace(balance=add_balances([raw.balance, unread]), notes=(*raw.notes, note))


def _compose_advice(mark_path: str, example: Any, texts: Counter[str]) -> str:
    """Compose the options that read the marks at a path, with a mark as an example."""
    options = ["--from paths", "--spans", shlex.quote(mark_path)]
    if not mark_path or not isinstance(example, (dict, list)):
        return "name another format with --from"
    if texts:
        options += ["--text", shlex.quote(texts.most_common(1)[0][0])]
    if isinstance(example, dict):
        names = find_span_keys(tuple(example))
        for option in ("start", "end", "label"):
            options += [f"--{option}", shlex.quote(str(names[option]))] if option in names else []
    else:
        options += ["--start [0] --end [1]", *(["--label [2]"] if len(example) > 2 else [])]
    return f"{' '.join(options)} reads them, or name another format with --from"


def _yield_file_marks(path: PathName, texts: Counter[str]) -> Iterator[Found]:
    """Yield the marks in a file; count the keys of its texts."""
    shape = read_head(path).shape
    if shape in ("json", "jsonl"):
        for _, record in yield_json_records(path):
            if isinstance(record, dict):
                keys = (key for key, item in record.items() if isinstance(item, str))
                texts.update(key for key in keys if _classify_key(key).is_of_text)
            yield from yield_marks(record)
    elif shape in ("csv", "tsv"):
        _, rows = read_csv_records(path)
        for _, row in rows:
            for name, value in parse_cells(row.items()).items():
                yield from ((name, count, "") for _, count, _ in yield_marks({name: value}))
    elif shape == "xml":
        from spanagree.formats.xml_elements import parse_tree  # for few files

        with open(path, "rb") as file:
            yield from _yield_elements(parse_tree(file, os.fspath(path)))


def parse_cells(cells: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Parse JSON in the cells of a table, for columns with a usual name of marks.

    >>> parse_cells([("spans", '[{"start": 0}]'), ("text", "[1]"), ("labels", None)])
    {'spans': [{'start': 0}]}
    """
    values = {}
    for name, cell in cells:
        if (
            simplify_name(name) in _MARKS
            and isinstance(cell, str)
            and cell.lstrip()[:1] in ("[", "{")
        ):
            with suppress(ValueError, RecursionError):
                values[name] = json.loads(cell)
    return values


class _KeyClass(NamedTuple):
    """Meaning of a key in JSON."""

    is_start: bool
    is_end: bool
    is_marks: bool
    is_units: bool
    is_link: bool
    is_pair: bool
    is_text: bool
    is_of_text: bool


@lru_cache(maxsize=4096)
def _classify_key(key: str) -> _KeyClass:
    """Classify a key; cached, as a file has few keys."""
    name = simplify_name(key)
    return _KeyClass(
        name.startswith(_STARTS),
        name.startswith(_ENDS),
        name in _MARKS,
        name in _UNITS,
        name in _LINKS,
        name in _PAIRS,
        name == "text",
        name in COLUMNS["text"],
    )


def yield_marks(record: Any) -> Iterator[Found]:
    """Yield spans and tags at any depth of a JSON record.

    A span is an object with a start, an end and a text such as a label; or with an object, or a
    list of objects, that contains only start and end; or a list of two numbers and a label. Under a
    usual name of spans, the label may be missing. Tokens and sentences are no spans.

    >>> list(yield_marks({"doc": {"ents": [{"start": 0, "end": 2}], "tokens": [{"start": 0}]}}))
    [('doc.ents[*]', 1, {'start': 0, 'end': 2})]
    """
    # value, its path, a flag for values below a usual name of spans, a flag for tokens
    stack: list[tuple[Any, str, bool, bool]] = [(record, "", False, False)]
    while stack:
        value, path, is_inside_marks, is_unit = stack.pop()
        if isinstance(value, dict):
            items = [
                (key, inner_value)
                for key, inner_value in value.items()
                if isinstance(inner_value, (dict, list))
            ]
            if is_unit and not items:  # a quick exit, as there may be many tokens
                continue
            if not items and (n_tags := _count_tags([*value.values()])):
                yield path, n_tags, value
                continue
            is_mark = _is_mark(value, is_inside_marks, is_unit)
            if is_mark:
                yield path, 1, value
            for key, inner_value in reversed(items):
                key_class = _classify_key(key)
                is_place = is_mark and (
                    _is_place(inner_value) or (key_class.is_pair and _are_pairs(inner_value))
                )
                if not (key_class.is_link or is_place):
                    inner_path = f"{path}.{key}" if path else key
                    is_inside = key_class.is_marks or (is_inside_marks and not is_mark)
                    stack.append((inner_value, inner_path, is_inside, key_class.is_units))
        elif isinstance(value, list) and value:
            if n_tags := _count_tags(value):
                yield path, n_tags, next(tag for tag in value if tag != "O")
                continue
            if _is_span(value, is_inside_marks) and not is_unit:
                yield path, 1, value
            else:
                inner_path = f"{path}[*]"
                stack += [
                    (item, inner_path, is_inside_marks, is_unit)
                    for item in reversed(value)
                    if isinstance(item, (dict, list))
                ]


def _count_tags(values: list[Any]) -> int:
    """Count the tags other than ``O`` in a list, if all its values are tags."""
    if not values or not (isinstance(values[0], str) or isinstance(values[-1], str)):
        return 0
    strings = [item for item in values if isinstance(item, str)]
    if len(strings) < 2 or not all(map(_is_tag_like, strings)):
        return 0
    return len(values) - strings.count("O")


def _is_tag_like(item: str) -> bool:
    """Check whether an item is ``O`` or has the prefix of a tag."""
    return item == "O" or bool(_TAG.match(item))


def _is_mark(value: dict[Any, Any], is_inside_marks: bool, is_unit: bool) -> bool:
    """Check whether an object is a span, by its own bounds or those of an object in it."""
    has_label = "labels" in value or any(
        isinstance(inner_value, str) for inner_value in value.values()
    )
    return not is_unit and (
        ((is_inside_marks or has_label) and _has_ends(value)) or (has_label and _has_places(value))
    )


def _has_places(value: dict[Any, Any]) -> bool:
    """Check whether an object has offsets under a name that is no usual name of spans."""
    for key, inner_value in value.items():
        if isinstance(inner_value, (dict, list)):
            key_class = _classify_key(key)
            if key_class.is_pair and _are_pairs(inner_value):
                return True
            if not (key_class.is_marks or key_class.is_units or key_class.is_link) and _is_place(
                inner_value
            ):
                return True
    return False


def _has_ends(value: dict[Any, Any]) -> bool:
    """Check whether an object has integers for its start and end."""
    names = [_classify_key(key) for key, inner_value in value.items() if is_integer(inner_value)]
    return any(key_class.is_start for key_class in names) and any(
        key_class.is_end for key_class in names
    )


def _is_place(value: Any) -> bool:
    """Check whether a value contains only offsets in a text, or is a list of such objects.

    The text of the span may replace its end.
    """
    objects = value if isinstance(value, list) else [value]
    return bool(objects) and all(
        isinstance(candidate, dict)
        and all(is_integer(item) or _classify_key(key).is_text for key, item in candidate.items())
        and (_has_ends(candidate) or any(isinstance(item, str) for item in candidate.values()))
        and any(_classify_key(key).is_start for key in candidate)
        for candidate in objects
    )


def _is_span(items: Any, is_inside_marks: bool) -> bool:
    """Check whether a value is a list of a start, an end and optionally a label."""
    if not isinstance(items, list) or len(items) not in (2, 3):
        return False
    are_ends = is_integer(items[0]) and is_integer(items[1]) and items[0] <= items[1]
    return are_ends and (isinstance(items[-1], str) or (is_inside_marks and len(items) == 2))


def _are_pairs(value: Any) -> bool:
    """Check whether a value is a list of a start and an end, or a list of such lists."""
    pairs = value if isinstance(value, list) and value and isinstance(value[0], list) else [value]
    return all(_is_span(pair, is_inside_marks=True) for pair in pairs)


def _yield_elements(element: Element, parent_path: str = "") -> Iterator[Found]:
    """Yield the elements with a start and an end, except tokens and sentences.

    Several pieces in an element with a singular name of marks, such as ``<location>`` in
    ``<annotation>``, are one mark.
    """
    name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    path = f"{parent_path}/{name}"
    integers = {
        key: int(value)
        for key, value in element.attrib.items()
        if value.isdecimal() and len(value) < 20
    }
    plural = f"{simplify_name(name)}s"
    if _has_ends(integers) and {simplify_name(name), plural}.isdisjoint(_UNITS | _LINKS):
        yield path, 1, element
    for child in _yield_first_pieces(element) if plural in _MARKS else element:
        yield from _yield_elements(child, path)


def _yield_first_pieces(mark: Element) -> Iterator[Element]:
    """Yield the elements in a mark; of equal ones without content of their own, only the first."""
    tags: set[str] = set()
    for child in mark:
        if len(child) or child.tag not in tags:
            yield child
        tags.add(child.tag)
