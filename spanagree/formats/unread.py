"""What is marked in a file of which nothing was read, by a walk that knows no format.

A reader that reads no segment of a file may have looked under another key.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from xml.etree.ElementTree import Element

from spanagree.corpus.balance import READ
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, counted, is_whole, printable, show
from spanagree.files import PathName
from spanagree.formats.csv_rows import csv_records
from spanagree.formats.file_head import read_head
from spanagree.formats.json_records import json_records
from spanagree.formats.usual_names import COLUMNS, USUAL, keys_of, plain
from spanagree.formats.xml_elements import name_of, tree

_MARKS = frozenset((*COLUMNS["spans"], *USUAL["spans"], "mentions", "ner", "denotations"))
_NO_MARKS = frozenset((
    *(*COLUMNS["tokens"], "sents", "sentence", "sentences", "passages", "paragraphs", "sections"),
    *("chunks", "pages", "relations", "events", "nounchunks", "coref", "clusters"),
))  # fmt: skip
_TAG = re.compile(r"[BIESLUM]-\S")

Found = tuple[str, int, Any]
"""The path to what is marked, the number of marks there, and the first of them."""


def refuse_unread(path: PathName, raw: RawCorpus, form: str) -> None:
    """Raise an error if nothing was read of a file in which something is marked.

    Args:
        path: the file.
        raw: its rows.
        form: the format in which it was read.

    Raises:
        InputError: naming the key that was not read, and how it is named.
    """
    if len(raw.start) or not os.path.isfile(path):
        return
    segments = raw.balance.get("segment", {})
    n_left = sum(number for reason, number in segments.items() if reason != READ)
    counts: Counter[str] = Counter()
    examples: dict[str, Any] = {}
    texts: Counter[str] = Counter()
    with suppress(InputError):  # it was read before
        for at, number, example in _marks_in(path, texts):
            counts[at] += number
            examples.setdefault(at, example)
    if counts.total() <= n_left:
        return
    at, number = counts.most_common(1)[0]
    raise InputError(
        f"{printable(os.fspath(path))}: read as {form}, nothing is marked in it, but"
        f" {counted(number, 'mark')} {'is' if number == 1 else 'are'} under {show(at)}, which {form}"
        f" does not read; {_advice(at, examples[at], texts)}"
    )


def _advice(at: str, example: Any, texts: Counter[str]) -> str:
    """Compose the options that read what is marked."""
    options = ["--from paths", "--spans", shlex.quote(at)]
    if not at or isinstance(example, (str, Element)):
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
                found = (k for k, v in record.items() if isinstance(v, str))
                texts.update(key for key in found if plain(key) in COLUMNS["text"])
            yield from marks_at(record)
    elif shape in ("csv", "tsv"):
        _, rows = csv_records(path)
        for _, row in rows:
            for name, cell in row.items():
                if plain(name) in _MARKS and cell.lstrip()[:1] in ("[", "{"):
                    with suppress(ValueError, RecursionError):
                        yield from ((name, n, "") for _, n, _ in marks_at({name: json.loads(cell)}))
    elif shape == "xml":
        with open(path, "rb") as file:
            yield from _elements_at(tree(file, os.fspath(path)))


def marks_at(value: Any, at: str = "", inside: bool = False) -> Iterator[Found]:
    """Yield spans, and tags, that a value in JSON has at any depth.

    A span is an object with a usual name of a start and one of a label, or a list of two numbers
    and a label; under a usual name of spans, without a label too. Tokens and sentences are none.

    Args:
        value: a record, or a part of one.
        at: the path that leads to it.
        inside: if True, a usual name of spans is on the path.

    >>> list(marks_at({"doc": {"ents": [{"start": 0, "end": 2}], "tokens": [{"start": 0}]}}))
    [('doc.ents[*]', 1, {'start': 0, 'end': 2})]
    """
    if isinstance(value, dict):
        names = keys_of(tuple(value))
        is_span = is_whole(value.get(names.get("start"))) and (inside or "label" in names)
        if is_span and not isinstance(value.get(names.get("label")), (dict, list)):
            yield at, 1, value
            return
        for key, part in value.items():
            if plain(key) not in _NO_MARKS:
                further = inside or plain(key) in _MARKS
                yield from marks_at(part, f"{at}.{key}" if at else str(key), further)
    elif isinstance(value, list) and value:
        if all(isinstance(item, str) for item in value):
            tags = [item for item in value if _TAG.match(item)]
            if tags:
                yield at, len(tags), tags[0]
        elif _is_span(value, inside):
            yield at, 1, value
        else:
            for item in value:
                yield from marks_at(item, f"{at}[*]", inside)


def _is_span(items: list[Any], inside: bool) -> bool:
    """Return whether a list is a start, an end and perhaps a label."""
    are_ends = len(items) in (2, 3) and all(map(is_whole, items[:2])) and items[0] <= items[1]
    return are_ends and (isinstance(items[-1], str) or (inside and len(items) == 2))


def _elements_at(element: Element, at: str = "") -> Iterator[Found]:
    """Yield the elements with a start and an end, but tokens and sentences."""
    name = name_of(element)
    path = f"{at}/{name}"
    bounds = keys_of(tuple(element.attrib))
    ends = [element.attrib.get(bounds.get(what, ""), "") for what in ("start", "end")]
    if all(map(str.isdecimal, ends)) and not {plain(name), f"{plain(name)}s"} & _NO_MARKS:
        yield path, 1, element
    for part in element:
        yield from _elements_at(part, path)
