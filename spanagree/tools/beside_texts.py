"""Readers of annotations with texts in other files: tagtog, Potato, propaganda, i2b2's concepts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from pathlib import Path
from typing import Any

from spanagree.corpus.offset_units import shorten_line_ends
from spanagree.errors import (
    InputError,
    escape_path,
    invalid_value,
    is_integer,
    parse_whole_number,
    pluralize,
    quote_value,
)
from spanagree.files import (
    PathName,
    extract_base_name,
    find_file,
    name_files_in_errors,
    read_text,
    yield_numbered_lines,
)
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.paths import find_checked_values
from spanagree.formats.records import ReadLog

_CONCEPT = re.compile(r'c="(.*)" (\d+):(\d+) (\d+):(\d+)\|\|t="([^"]*)"(\|\|.*)?')
_PART = re.compile(r'\bid="(s\d\w*)"')


def find_text_file(
    file: Path, text_name: str, location: str, folders_by_parent: dict[Path, list[Path]]
) -> Path:
    """Find the file of a text: next to the annotations, or in a nearby folder.

    Args:
        file: file of annotations.
        text_name: name of the text's file; its base name counts.
        location: location for errors.
        folders_by_parent: nearby folders of each folder of files so far, as a cache.

    Raises:
        InputError: if the file is in none of them.
    """
    parent = file.resolve().parent
    if parent not in folders_by_parent:
        folders = [parent, parent.parent]
        folders += [
            entry for folder in folders for entry in sorted(folder.iterdir()) if entry.is_dir()
        ]
        folders_by_parent[parent] = folders
    for folder in folders_by_parent[parent]:
        if text := find_file(folder, text_name):
            return text
    raise InputError(
        f"{location}: its text, {quote_value(extract_base_name(text_name))}, is neither beside it"
        " nor in a folder near it; put it there"
    )


@name_files_in_errors()
def list_files_by_ending(path: PathName, ends: str) -> list[tuple[Path, str]]:
    """List a file, or the files of a folder with some ending, each with its printable path."""
    folder = Path(path)
    files = sorted(folder.rglob(f"*{ends}")) if folder.is_dir() else [folder]
    return [(file, escape_path(file)) for file in files]


def yield_article_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield articles with the spans in a file: lines of id, label, start and end.

    The text is ``article<id>.txt`` in the same folder.

    Raises:
        InputError: if a line has another form, or a text is missing.
    """
    name = escape_path(path)
    spans: dict[str, list[Any]] = {}
    for location, line in yield_numbered_lines(path, encoding):
        cells = line.split()
        if len(cells) not in (3, 4) or not all(cell.isdecimal() for cell in cells[-2:]):
            raise InputError(
                f"{location}: {quote_value(line)}; id, label, start and end are needed"
            )
        label = cells[1] if len(cells) == 4 else None
        id_ = cells[0].removeprefix("article")
        ends = (parse_whole_number(cell, f"{location}: offset") for cell in cells[-2:])
        spans.setdefault(id_, []).append([*ends, label])
    folders_by_parent: dict[Path, list[Path]] = {}
    for id_, article_spans in spans.items():
        text = read_text(find_text_file(Path(path), f"article{id_}.txt", name, folders_by_parent))
        yield name, {"id": id_, "text": text, "spans": article_spans}


def yield_concept_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield texts with i2b2's concepts: ``c="chest pain" 12:3 12:4||t="problem"``.

    Lines are counted from 1 and words, between blanks, from 0; both ends are words of the concept.

    Raises:
        InputError: if a line has another form, or a word does not exist.
    """
    folders_by_parent: dict[Path, list[Path]] = {}
    for file, name in list_files_by_ending(path, ".con"):
        text = read_text(
            find_text_file(file, f"{file.stem}.txt", name, folders_by_parent), encoding
        )
        text = shorten_line_ends(text)
        words: list[list[tuple[int, int]]] = []
        line_start = 0
        for line in text.split("\n"):
            words.append(
                [
                    (line_start + word.start(), line_start + word.end())
                    for word in re.finditer(r"\S+", line)
                ]
            )
            line_start += len(line) + 1
        spans = []
        for location, line in yield_numbered_lines(file, encoding):
            concept = _CONCEPT.fullmatch(line.strip())
            if concept is None:
                raise InputError(f'{location}: {quote_value(line)}; c="…" 1:0 1:0||t="…"')
            quote, *positions, label, _ = concept.groups()
            first_line, first_word, last_line, last_word = (
                parse_whole_number(position, f"{location}: place") for position in positions
            )
            if not (0 < first_line <= last_line <= len(words)) or not (
                first_word < len(words[first_line - 1]) and last_word < len(words[last_line - 1])
            ):
                raise InputError(f"{location}: {quote_value(line)} is beyond its text")
            start, stop = words[first_line - 1][first_word][0], words[last_line - 1][last_word][1]
            covered = text[start:stop]
            is_equal = (
                covered.lower().split() == quote.lower().split()
            )  # quotes of concepts are in lower case
            span = {"start": start, "end": stop, "label": label}
            spans.append({**span, "quote": covered if is_equal else quote})
        yield name, {"id": file.stem, "text": text, "spans": spans}


def yield_tagtog_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield texts with tagtog's entities, with starts relative to a part of the text.

    The text is in the same folder, as ``.plain.html``, ``.html`` or ``.txt``, in which parts are
    separated by blank lines. The annotators of an entity are in its ``confidence``; without it, the
    file is the annotator.

    Raises:
        InputError: if a text is missing, or lacks the parts of the entities.
    """
    folders_by_parent: dict[Path, list[Path]] = {}
    for file, name in list_files_by_ending(path, ".ann.json"):
        stem = file.name.removesuffix(".ann.json")
        part_starts: dict[str, int] = {}
        records = list(yield_json_records(file, encoding=encoding))
        if not records:
            raise InputError(f"{name}: nothing is in it; export it once more, or delete it")
        for _, record in records:
            log.count_unread_marks(record)
            names = find_checked_values(record, "annotatable.parts[*]", name)
            text, part_starts = _read_text_with_parts(file, stem, names, name, folders_by_parent)
            spans_by_annotator: dict[str, list[Any]] = {}
            unlocated = []
            for entity in find_checked_values(record, "entities[*]", name):
                part_id = entity.get("part")
                if part_id not in part_starts:
                    raise InputError(
                        f"{name}: part {quote_value(part_id)}, which the text does not have"
                    )
                users = find_checked_values(entity, "confidence.who[*]", name)
                annotators = [str(user) for user in users] or [""]
                pieces = find_checked_values(entity, "offsets[*]", name)
                unlocated += [entity] if not pieces else []
                for piece in pieces:
                    if not is_integer(piece.get("start")):
                        location = f"{name}: start in {part_id}"
                        raise invalid_value(
                            location, piece.get("start"), "a whole number is needed"
                        )
                    start, quote = part_starts[part_id] + piece["start"], piece.get("text")
                    label = entity.get("classId")
                    span = {"start": start, "end": start + len(quote or ""), "label": label}
                    for user in annotators:
                        spans_by_annotator.setdefault(user.removeprefix("user:"), []).append(
                            {**span, "quote": quote}
                        )
            yield (
                name,
                {
                    "id": stem,
                    "text": text,
                    "by": spans_by_annotator or {"": []},
                    "unlocated": unlocated,
                },
            )


def _read_text_with_parts(
    file: Path,
    stem: str,
    names: list[str],
    location: str,
    folders_by_parent: dict[Path, list[Path]],
) -> tuple[str, dict[str, int]]:
    """Read a text, and find the start of each of its parts by name.

    ``names`` are the parts that the annotations name.
    """
    for end in (".plain.html", ".html"):
        page = None
        with suppress(InputError):  # no such file
            page = find_text_file(file, stem + end, location, folders_by_parent)
        if page is not None:
            return _split_page(page)
    text = read_text(find_text_file(file, f"{stem}.txt", location, folders_by_parent))
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


def _split_page(page: Path) -> tuple[str, dict[str, int]]:
    """Read the text of a page of HTML, and the start of each of its parts by id."""
    text, part_starts = "", {}
    _, *pieces = _PART.split(read_text(page))
    for id_, piece in zip(pieces[::2], pieces[1::2], strict=True):
        part_starts[id_] = len(text)
        inner = piece.partition(">")[2].rpartition("<")[0]  # up to the next element
        text += unescape(re.sub(r"<[^<>]*>", "", inner)).rstrip() + "\n"
    return text, part_starts


def yield_potato_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield the spans of each user of Potato; users saw the items that they answered.

    Raises:
        InputError: if there are answers, and none has a span.
    """
    rows, n_spans = [], 0
    for file, name in list_files_by_ending(path, "user_state.json"):
        state = json.loads(read_text(file, encoding))
        log.count_unread_marks(state)
        spans, labels = (
            state.get(f"instance_id_to_{kind_of_mark}_to_value") or {}
            for kind_of_mark in ("span", "label")
        )
        for id_ in dict.fromkeys((*(state.get("instance_id_ordering") or ()), *spans, *labels)):
            is_answered = id_ in spans or id_ in labels
            item_spans = list(_yield_potato_spans(spans.get(id_), name)) if is_answered else None
            n_spans += len(item_spans or ())
            user = state.get("user_id") or file.parent.name
            rows.append(
                (name, {"id": id_, "user": user, "seen": is_answered, "spans": item_spans or []})
            )
    if not n_spans:
        raise InputError(
            f"{escape_path(path)}: {pluralize(len(rows), 'item')} of Potato with labels of"
            " whole texts, and no spans; spanagree coefficients reads a table of labels"
        )
    yield from rows


def _yield_potato_spans(value: Any, location: str) -> Iterator[dict[str, Any]]:
    """Yield spans from lists by scheme, or from pairs of a span and its value.

    Raises:
        InputError: if the value has another form.
    """
    if not isinstance(value, (dict, list, type(None))):
        raise invalid_value(f"{location}: spans", value, "lists by scheme, or pairs, are needed")
    if isinstance(value, dict):
        for spans in value.values():
            yield from spans
    for span, checked in value if isinstance(value, list) else ():
        if checked not in (False, "false", None):
            yield {**span, "label": span.get("name") or span.get("label"), "text": span.get("text")}
