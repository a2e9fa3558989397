"""Marks in texts that stand beside them as files: tagtog, Potato, propaganda, i2b2's concepts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from pathlib import Path
from typing import Any

from spanagree.corpus.offsets import with_short_ends
from spanagree.errors import (
    InputError,
    invalid_value,
    is_whole,
    pluralize,
    printable_path,
    quote_value,
    whole_number,
)
from spanagree.files import PathName, base_name, named_file, naming_files, numbered_lines, read_text
from spanagree.formats.json_records import json_records
from spanagree.formats.paths import found_at
from spanagree.formats.records import ReadLog

_CONCEPT = re.compile(r'c="(.*)" (\d+):(\d+) (\d+):(\d+)\|\|t="([^"]*)"(\|\|.*)?')
_PART = re.compile(r'\bid="(s\d\w*)"')


def beside(file: Path, wanted: str, location: str, known: dict[Path, list[Path]]) -> Path:
    """Return the file of a text, which stands beside what is said of it, or in a folder near it.

    Args:
        file: the file that is read.
        wanted: the name of the text's file, of which the base name counts.
        location: place for errors.
        known: folders near each folder of files so far, which are looked for once.

    Raises:
        InputError: if it is in none of them.
    """
    parent = file.resolve().parent
    if parent not in known:
        near = [parent, parent.parent]
        near += [entry for folder in near for entry in sorted(folder.iterdir()) if entry.is_dir()]
        known[parent] = near
    for folder in known[parent]:
        if text := named_file(folder, wanted):
            return text
    raise InputError(
        f"{location}: its text, {quote_value(base_name(wanted))}, is neither beside it nor in a"
        " folder near it; put it there"
    )


@naming_files()
def files_ending(path: PathName, ends: str) -> list[tuple[Path, str]]:
    """Return a file, or those in a folder whose names end so, each with its name for errors."""
    folder = Path(path)
    files = sorted(folder.rglob(f"*{ends}")) if folder.is_dir() else [folder]
    return [(file, printable_path(file)) for file in files]


def article_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield articles with the lines of id, label, start and end that a file has of them.

    The text is ``article<id>.txt`` beside it.

    Raises:
        InputError: for another line; for a text that is not there.
    """
    name = printable_path(path)
    spans: dict[str, list[Any]] = {}
    for location, line in numbered_lines(path, encoding):
        cells = line.split()
        if len(cells) not in (3, 4) or not all(cell.isdecimal() for cell in cells[-2:]):
            raise InputError(
                f"{location}: {quote_value(line)}; id, label, start and end are needed"
            )
        label = cells[1] if len(cells) == 4 else None
        id_ = cells[0].removeprefix("article")
        ends = (whole_number(cell, f"{location}: offset") for cell in cells[-2:])
        spans.setdefault(id_, []).append([*ends, label])
    known: dict[Path, list[Path]] = {}
    for id_, marked in spans.items():
        text = read_text(beside(Path(path), f"article{id_}.txt", name, known))
        yield name, {"id": id_, "text": text, "spans": marked}


def concept_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield texts with i2b2's concepts: ``c="chest pain" 12:3 12:4||t="problem"``.

    Lines are counted from 1 and words, between blanks, from 0; both ends are words of the concept.

    Raises:
        InputError: for another line, or a word that is not there.
    """
    known: dict[Path, list[Path]] = {}
    for file, name in files_ending(path, ".con"):
        text = read_text(beside(file, f"{file.stem}.txt", name, known), encoding)
        text = with_short_ends(text)
        words: list[list[tuple[int, int]]] = []
        at = 0
        for line in text.split("\n"):
            words.append([(at + w.start(), at + w.end()) for w in re.finditer(r"\S+", line)])
            at += len(line) + 1
        spans = []
        for location, line in numbered_lines(file, encoding):
            concept = _CONCEPT.fullmatch(line.strip())
            if concept is None:
                raise InputError(f'{location}: {quote_value(line)}; c="…" 1:0 1:0||t="…"')
            quote, *places, label, _ = concept.groups()
            first, begin, last, end = (whole_number(x, f"{location}: place") for x in places)
            if not (0 < first <= last <= len(words)) or not (
                begin < len(words[first - 1]) and end < len(words[last - 1])
            ):
                raise InputError(f"{location}: {quote_value(line)} is beyond its text")
            start, stop = words[first - 1][begin][0], words[last - 1][end][1]
            covered = text[start:stop]
            same = covered.lower().split() == quote.lower().split()  # concepts are in lower case
            span = {"start": start, "end": stop, "label": label}
            spans.append({**span, "quote": covered if same else quote})
        yield name, {"id": file.stem, "text": text, "spans": spans}


def tagtog_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield texts with tagtog's entities, whose starts count in a part of the text.

    The text stands beside the file, as ``.plain.html``, ``.html`` or ``.txt``, in which parts are
    between blank lines. Who marked an entity is in its ``confidence``; else it is the file.

    Raises:
        InputError: for a text that is not there, or has not the parts of the entities.
    """
    known: dict[Path, list[Path]] = {}
    for file, name in files_ending(path, ".ann.json"):
        stem = file.name.removesuffix(".ann.json")
        parts: dict[str, int] = {}
        records = list(json_records(file, encoding=encoding))
        if not records:
            raise InputError(f"{name}: nothing is in it; export it once more, or delete it")
        for _, record in records:
            log.count_unread_marks(record)
            names = found_at(record, "annotatable.parts[*]", name)
            text, parts = _with_parts(file, stem, names, name, known)
            by: dict[str, list[Any]] = {}
            unlocated = []
            for entity in found_at(record, "entities[*]", name):
                part = entity.get("part")
                if part not in parts:
                    raise InputError(
                        f"{name}: part {quote_value(part)}, which the text does not have"
                    )
                users = found_at(entity, "confidence.who[*]", name)
                people = [str(user) for user in users] or [""]
                pieces = found_at(entity, "offsets[*]", name)
                unlocated += [entity] if not pieces else []
                for piece in pieces:
                    if not is_whole(piece.get("start")):
                        location = f"{name}: start in {part}"
                        raise invalid_value(
                            location, piece.get("start"), "a whole number is needed"
                        )
                    start, quote = parts[part] + piece["start"], piece.get("text")
                    label = entity.get("classId")
                    span = {"start": start, "end": start + len(quote or ""), "label": label}
                    for user in people:
                        by.setdefault(user.removeprefix("user:"), []).append(
                            {**span, "quote": quote}
                        )
            yield name, {"id": stem, "text": text, "by": by or {"": []}, "unlocated": unlocated}


def _with_parts(
    file: Path, stem: str, names: list[str], location: str, known: dict[Path, list[Path]]
) -> tuple[str, dict[str, int]]:
    """Return a text, and where each of its parts begins."""
    for end in (".plain.html", ".html"):
        page = None
        with suppress(InputError):  # there is none
            page = beside(file, stem + end, location, known)
        if page is not None:
            return _parts_of_page(page)
    text = read_text(beside(file, f"{stem}.txt", location, known))
    starts = [0, *(gap.end() for gap in re.finditer(r"\n(?:[ \t]*\n)+", text))]
    starts = [start for start in starts if text[start:].strip()]
    if len(names) == 1:
        return text, {names[0]: 0}
    if len(starts) != len(names):
        raise InputError(
            f"{location}: {pluralize(len(names), 'part')}, and {len(starts)} in the text between"
            " blank lines; put tagtog's .plain.html beside it"
        )
    return text, dict(zip(names, starts, strict=True))


def _parts_of_page(page: Path) -> tuple[str, dict[str, int]]:
    """Return the text of a page, and where each of its parts begins."""
    text, parts = "", {}
    _, *pieces = _PART.split(read_text(page))
    for id_, piece in zip(pieces[::2], pieces[1::2], strict=True):
        parts[id_] = len(text)
        inner = piece.partition(">")[2].rpartition("<")[0]  # up to the next element
        text += unescape(re.sub(r"<[^<>]*>", "", inner)).rstrip() + "\n"
    return text, parts


def potato_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield what each user of Potato marked: items that were answered were seen.

    Raises:
        InputError: if there are answers, and none of them marks a span.
    """
    rows, marked = [], 0
    for file, name in files_ending(path, "user_state.json"):
        state = json.loads(read_text(file, encoding))
        log.count_unread_marks(state)
        spans, labels = (
            state.get(f"instance_id_to_{what}_to_value") or {} for what in ("span", "label")
        )
        for id_ in dict.fromkeys((*(state.get("instance_id_ordering") or ()), *spans, *labels)):
            answered = id_ in spans or id_ in labels
            item_spans = list(_potato_spans(spans.get(id_), name)) if answered else None
            marked += len(item_spans or ())
            user = state.get("user_id") or file.parent.name
            rows.append(
                (name, {"id": id_, "user": user, "seen": answered, "spans": item_spans or []})
            )
    if not marked:
        raise InputError(
            f"{printable_path(path)}: {pluralize(len(rows), 'item')} of Potato with labels of"
            " whole texts, and no spans; spanagree coefficients reads a table of labels"
        )
    yield from rows


def _potato_spans(given: Any, location: str) -> Iterator[dict[str, Any]]:
    """Yield spans, which are lists by scheme, or pairs of a span and its value.

    Raises:
        InputError: for anything else.
    """
    if not isinstance(given, (dict, list, type(None))):
        raise invalid_value(f"{location}: spans", given, "lists by scheme, or pairs, are needed")
    if isinstance(given, dict):
        for spans in given.values():
            yield from spans
    for span, value in given if isinstance(given, list) else ():
        if value not in (False, "false", None):
            yield {**span, "label": span.get("name") or span.get("label"), "text": span.get("text")}
