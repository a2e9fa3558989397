"""doccano's exports: JSON lines of one annotator or of all, and zips with a file for each."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from zipfile import is_zipfile

from spanagree.corpus.collector import Collector, text_of_whole
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus, check_absent
from spanagree.errors import (
    InputError,
    SettingError,
    counted,
    is_whole,
    listed,
    printable,
    unfit,
)
from spanagree.files import BOM, PathName, decoded, json_text, open_zip, write_text
from spanagree.formats.exports import OUR_ID, check_named
from spanagree.formats.json_records import json_records, records_in
from spanagree.formats.peek import Peek, passed_over, peek_inside
from spanagree.settings import as_read

_LISTS = ("entities", "annotations", "labels", "label")
_OTHERS = {"relations": "relation", "cats": "category", "Comments": "comment"}
_OURS = {"Comments", "annotation_approver", OUR_ID}
_RECORDS = re.compile(r"^(?!.*exportedproject).*\.jsonl?$")
_NEEDED = "doccano writes an object a line"
_ALL = "all"
"""The file of a collaborative project, in which the annotators are not told apart."""


def knows_doccano(start: Peek) -> bool:
    """Return whether a file begins as an export does; a zip is known by what is in it."""
    if start.shape == "zip":  # under another name it may be anybody's, packed by mistake
        named = start.path.lower().endswith(".zip") and bool(start.members)
        if not named or not all(map(_RECORDS.search, start.members)):
            return False
        inside = [peek_inside(start, name) for name in start.members]
        return all(_key(row) and _text(row) is not None for each in inside for row in each.objects)
    return any(map(_is_ours, start.objects))


def _is_ours(row: Mapping[str, Any]) -> bool:
    """Return whether a row is as only doccano writes it."""
    key = _key(row)
    if key is None or "id" not in row or "annotator" in row:
        return False
    items = row[key] if isinstance(row[key], list) else []
    marked = [
        isinstance(item, dict) and "start_offset" in item
        if key in ("entities", "annotations")
        else isinstance(item, list) and len(item) == 3 and isinstance(item[2], str)
        for item in items
    ]
    return all(marked) and (bool(marked) or not _OURS.isdisjoint(row))


def raw_doccano(
    path: PathName, *, annotator_from: str | None = None, absent: str | None = None
) -> RawCorpus:
    """Return the rows of an export of doccano, unchecked.

    Spans are in ``label`` or ``labels``, as lists; in ``entities``; or, up to version 1.0, in
    ``annotations``, which say whose they are. Else the annotator is the file: in a zip, each of
    the files in it. Labels that are numbers stay so, as their names are not in the export.

    Args:
        path: the file.
        annotator_from: what names an annotator, ``file`` or, unless given, ``id``.
        absent: whether who marked nothing in a document never saw it (``unseen``) or saw it and
            marked nothing (``unmarked``). Unless
            given, a document without a span is seen by the one whose file it is in, and never
            seen by a user who has spans elsewhere in a file of several.

    Raises:
        InputError: for a file that cannot be read or is not of doccano.
        SettingError: for an unknown choice.
    """
    check_named(annotator_from, "id", "file")
    check_absent(absent)
    name = printable(os.fspath(path))
    rows = _Rows(name, annotator_from, absent)
    if is_zipfile(path):
        for member, records in _members(path, name):
            rows.add_all(records, member)
    else:
        rows.add_all(json_records(path, _NEEDED), PurePosixPath(name).stem, unnamed=True)
    return rows.raw()


def _members(path: PathName, name: str) -> Iterator[tuple[str, Iterator[tuple[str, Any]]]]:
    """Yield the rows of each file in a zip, with its name without folder and extension."""
    with open_zip(path) as archive:
        members = [member for member in archive.names if _RECORDS.search(member)]
        if not members:
            raise InputError(
                f"{name}: no .jsonl or .json in it, but {listed(archive.names)}; doccano's zip has"
                " one for each annotator"
            )
        for member in members:
            where = f"{name}, {printable(member)}"
            text = decoded(where, archive.read(member), "utf-8").removeprefix(BOM)
            yield PurePosixPath(member).stem, records_in(where, [text], _NEEDED)


class _Rows:
    """Gathers rows, and counts what is passed over or not clear."""

    def __init__(self, name: str, annotator_from: str | None, absent: str | None) -> None:
        self.name = name
        self.annotator_from = annotator_from
        self.absent = absent
        self.collector = Collector("characters", unnamed=True)
        self.passed: Counter[str] = Counter()
        self.silent = 0
        self.users: dict[str, set[int]] = {}  # the documents in which they marked something
        self.notes: list[str] = []

    def add_all(
        self, records: Iterable[tuple[str, Any]], stem: str, *, unnamed: bool = False
    ) -> None:
        """Add the rows of a file; ``unnamed``: its annotator is named by whoever reads it."""
        whose = False
        for where, row in records:
            if not isinstance(row, dict):
                raise unfit(f"{where}:", row, _NEEDED)
            whose |= self._add(row, "" if unnamed else stem, where)
        if whose and stem == _ALL:
            self.notes.append(
                f"{self.name}: all.jsonl, as of a collaborative project, does not say who marked"
                " what; it is one layer"
            )

    def _add(self, row: Mapping[str, Any], annotator: str, where: str) -> bool:
        """Add a row; return whether its spans are those of the file's annotator."""
        key, text = _key(row), _text(row)
        if key is None or text is None:
            raise InputError(
                f"{where}: a row of doccano has text, and spans in one of {', '.join(_LISTS)};"
                f" the keys are {listed(row)}"
            )
        id_ = row.get(OUR_ID, row.get("id"))
        document = self.collector.document(id_, where, text=text, again=True)
        for other, noun in _OTHERS.items():
            self.passed[noun] += len(row[other]) if isinstance(row.get(other), list) else 0
        by_user = key == "annotations" and self.annotator_from != "file"
        layers: dict[str, list[Any]] = {} if by_user else {annotator: []}
        for item in row[key] if isinstance(row[key], list) else [row[key]]:
            user = item.get("user") if by_user and isinstance(item, dict) else None
            who: Any = annotator if user is None else text_of_whole(user)
            self.collector.annotator(who, where)
            span = _span(item, where)
            layers.setdefault(who, []).extend([] if span is None else [span])
            self.passed["document label"] += span is None
        for who, spans in layers.items():
            if by_user:
                self.users.setdefault(who, set()).add(document)
            elif not spans:
                self.silent += 1
                if self.absent == "unseen":
                    self.collector.annotator(who, where)
                    continue
            self.collector.annotate(document, who, spans, where)
        return not by_user

    def raw(self) -> RawCorpus:
        """Return all rows, with notes of what was passed over and what was not clear."""
        if not self.collector.ids:
            raise InputError(f"{self.name}: no rows; {_NEEDED}")
        pairs = [
            (document, user)
            for user, documents in self.users.items()
            for document in range(len(self.collector.ids))
            if document not in documents
        ]
        if self.absent == "unmarked":
            for document, user in pairs:
                self.collector.annotation(document, user, self.name)
        elif self.absent is None:
            self.notes += self._unclear(len(pairs))
        notes = [*passed_over(self.name, self.passed), *self.notes]
        options = as_read(annotator_from=self.annotator_from, absent=self.absent)
        return self.collector.raw({"format": "doccano", **options}, notes)

    def _unclear(self, pairs: int) -> Iterator[str]:
        """Yield what was assumed of those who marked nothing, as nobody said."""
        if self.silent:
            yield (
                f"{self.name}: {counted(self.silent, 'document')} without a span taken as seen,"
                " which is so if only what was confirmed was exported; --absent unseen takes them"
                " as never seen"
            )
        if pairs:
            yield (
                f"{self.name}: users without a span in a document taken as never having seen it"
                f" ({counted(pairs, 'case')}), as the export does not say; --absent unmarked takes"
                " them as having marked nothing"
            )


def _key(row: Mapping[str, Any]) -> str | None:
    """Return the key under which a row has its spans."""
    return next((key for key in _LISTS if key in row), None)


def _text(row: Mapping[str, Any]) -> str | None:
    text = row.get("text", row.get("data"))
    return text if isinstance(text, str) else None


def _span(item: object, where: str) -> tuple[Any, Any, Any] | None:
    """Return start, end and label of a span; ``None`` for the label of a whole text."""
    if isinstance(item, dict) and "start_offset" in item:
        return item["start_offset"], item.get("end_offset"), text_of_whole(item.get("label"))
    if isinstance(item, list) and len(item) == 3:
        return item[0], item[1], text_of_whole(item[2])
    if is_whole(item) or isinstance(item, str) or (isinstance(item, dict) and "label" in item):
        return None
    needed = "[start, end, label], or start_offset, end_offset and label, is needed"
    raise unfit(f"{where}: span", item, needed)


def write_doccano(corpus: Corpus, path: PathName) -> None:
    """Write the documents that the only annotator saw, a line each.

    Whoever imports the file gets each document with its id, under a key of our own, as doccano
    numbers documents anew.

    Args:
        corpus: the documents, whose texts or tokens are known.
        path: the file.

    Raises:
        InputError: for a path that cannot be written.
        SettingError: for a corpus without texts and tokens, or of several annotators.
    """
    if len(corpus.layers) != 1:
        raise SettingError(
            f"a file of doccano holds one annotator; there are {len(corpus.layers)}"
            f" ({listed(corpus.annotators)}): choose one with --annotators"
        )
    rows = []
    in_characters = corpus.to_characters()
    for d, text in enumerate(in_characters.known("texts", "doccano")):
        segments = in_characters[d].segments[corpus.annotators[0]]
        if segments is not None:
            id_ = corpus.id_of(d)
            rows.append({"id": id_, "text": text, "label": segments, OUR_ID: id_})
    write_text(path, "".join(f"{json_text(row)}\n" for row in rows))
