"""Prodigy's rows: what `prodigy db-out` writes, a person's answer a line, and what it imports."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.collector import text_of_whole
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.tokens import sizes_of, spaced
from spanagree.errors import (
    InputError,
    invalid_value,
    is_whole,
    join_names,
    pluralize,
)
from spanagree.files import PathName, json_text, write_text
from spanagree.formats.exports import (
    OUR_ID,
    check_named,
    nameless,
    number_in,
    objects_in,
    seconds,
)
from spanagree.formats.json_records import json_records
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record
from spanagree.formats.tasks import tasks_of

REVIEW = "review"
"""The layer of the answers given in a review of others."""

_KEYS = {"id": ("_annotator_id", "_session_id"), "session": ("_session_id",), "file": ()}
_SITTING = re.compile(r"(^|-)\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$")
_PASSED = {"reject": "rejected row", "ignore": "ignored row"}
_OTHERS = {"accept": "choice"}


def records(path: PathName, log: ReadLog, *, annotator_from: str | None = None) -> Iterator[Record]:
    """Yield the rows that `prodigy db-out` wrote.

    A text, known by its ``_input_hash``, is a document. Who accepted a row saw it and marked its
    spans, or nothing; rejected and ignored rows count as never seen. In the output of a review,
    the rows are the layer ``review``, and each of their versions is one for each of its sessions.

    Args:
        path: the file.
        log: is told what is passed over.
        annotator_from: what names an annotator, ``session``, ``file`` or, unless given, ``id``.

    Raises:
        InputError: for a file that cannot be read or is not of Prodigy.
        SettingError: for an unknown choice.
    """
    check_named(annotator_from, "id", "session", "file")
    rows = _Tasks(log, annotator_from)
    row = None
    for location, row in json_records(path, "Prodigy writes an object a line"):
        if not isinstance(row, dict):
            raise invalid_value(f"{location}:", row, "an object is needed")
        log.look_beside(row)
        yield from rows.read(row, location)
    if row is None:
        raise InputError(f"{log.name}: no rows; Prodigy writes an object a line")
    if rows.answers and not rows.spanned:
        raise InputError(
            f"{log.name}: answers about whole texts (no row has spans, {rows.answers} have options"
            " or a label); spans are needed, and spanagree coefficients takes a table of labels"
        )
    log.notes += rows.notes()


class _Tasks:
    """Reads rows, and counts what is odd about them."""

    def __init__(self, log: ReadLog, annotator_from: str | None) -> None:
        self.log = log
        self.annotator_from = annotator_from
        self.spanned, self.answers = False, 0
        self.binary = self.reviews = self.nameless = 0
        self.people: set[str] = set()
        self.sittings: dict[str, None] = {}

    def read(self, row: Mapping[str, Any], location: str) -> Iterator[Record]:
        """Yield a row, and in the output of a review its versions."""
        id_, text = row.get(OUR_ID, row.get("_input_hash")), row.get("text")
        if id_ is None or not isinstance(text, str):
            raise InputError(
                f"{location}: a row of Prodigy has text and _input_hash; the keys are"
                f" {join_names(row)}"
            )
        self.spanned |= "spans" in row or bool(row.get("versions"))
        self.answers += "options" in row or isinstance(row.get("label"), str)
        for key, noun in _OTHERS.items():
            if isinstance(row.get(key), list):
                self.log.passed[noun] += len(row[key])
        is_review = row.get("versions") is not None or row.get("_view_id") == REVIEW
        annotator = REVIEW if is_review else self._name(self._id(row))
        yield Record(location, id_, {"text": text}, [self._answer(row, annotator, location)])
        self.reviews += is_review
        for version in objects_in(row.get("versions"), "versions", location):
            filled = {"text": text, "tokens": row.get("tokens"), **version}
            sessions = version.get("sessions")
            if not isinstance(sessions, list) or not sessions:
                sessions = [self._id(version)]
            answers = (self._answer(filled, self._name(session), location) for session in sessions)
            yield Record(location, id_, {"text": filled["text"]}, answers)

    def _id(self, row: Mapping[str, Any]) -> object:
        ids = (row.get(key) for key in _KEYS[self.annotator_from or "id"])
        return next((id_ for id_ in ids if id_), None)

    def _name(self, id_: object) -> Any:
        """Return the name of an id, which is a check's business; an empty one is the file's."""
        if id_ is None or self.annotator_from == "file":
            self.nameless += id_ is None
            return ""
        if isinstance(id_, str) and _SITTING.search(id_):
            self.sittings[id_] = None
        name = text_of_whole(id_)
        if isinstance(name, str):
            self.people.add(name)
        return name

    def _answer(self, row: Mapping[str, Any], annotator: Any, location: str) -> RawAnnotation:
        """Return what an annotator marked, if she accepted the row."""
        answer = row.get("answer", "accept")
        if answer != "accept":
            if not isinstance(answer, str) or answer not in _PASSED:
                raise invalid_value(
                    f"{location}: answer", answer, "accept, reject or ignore is needed"
                )
            self.log.passed[_PASSED[answer]] += 1
            n_spans = len(row["spans"]) if isinstance(row.get("spans"), list) else 0
            self.log.within[f"in {_PASSED[answer]}s"] += n_spans
            return RawAnnotation(annotator, None)
        self.binary += bool(row.get("_is_binary"))
        when, relations = seconds(row.get("_timestamp")), _relations(row, location, self.log)
        return RawAnnotation(annotator, _spans(row, location), when, relations)

    def notes(self) -> Iterator[str]:
        """Yield notes of what is odd."""
        name = self.log.name
        if self.nameless:
            what = pluralize(self.nameless, "answer")
            yield from nameless(name, what, "_annotator_id or _session_id", self.people)
        if self.reviews and self.people:
            yield (
                f"{name}: {pluralize(self.reviews, 'answer')} of a reviewer, who saw the"
                f" others', are the annotator {REVIEW}; --gold {REVIEW} takes them as gold, and"
                " --annotators leaves them out of agreement"
            )
        if self.binary:
            yield (
                f"{name}: {pluralize(self.binary, 'accepted row')} with an answer to a question"
                " about one span (_is_binary), which does not say that there are no others"
            )
        if self.sittings:
            yield (
                f"{name}: annotators named by the time of a start are sittings, not people"
                f" ({join_names(self.sittings)}); --annotator-from file takes the file as the"
                " annotator"
            )


def _spans(row: Mapping[str, Any], location: str) -> Iterator[RawSpan]:
    for span in objects_in(row.get("spans"), "spans", location):
        start, end = _ends(span, row.get("tokens"), location)
        quote = span.get("text")
        yield RawSpan(start, end, span.get("label"), quote if isinstance(quote, str) else None)


def _relations(row: Mapping[str, Any], location: str, log: ReadLog) -> Iterator[RawRelation]:
    """Yield the relations between spans of a row; count those of tokens that are no span."""
    if not (relations := objects_in(row.get("relations"), "relations", location)):
        return
    known: dict[tuple[int, int], int] = {}
    for number, span in enumerate(objects_in(row.get("spans"), "spans", location)):
        known.setdefault(_ends(span, row.get("tokens"), location), number)
    for number, relation in enumerate(relations, 1):
        place = f"{location}, relation {number}"
        first, second = (
            known.get(_ends(end, row.get("tokens"), place)) if isinstance(end, dict) else None
            for end in (relation.get("head_span"), relation.get("child_span"))
        )
        if first is None or second is None:
            log.passed["token relation"] += 1
        else:
            yield RawRelation(first, second, str(relation.get("label")), place)


def _ends(span: Mapping[str, Any], tokens: object, location: str) -> tuple[int, int]:
    """Return start and end of a span; one by tokens holds the token at ``token_end``, too."""
    start, end = span.get("start"), span.get("end")
    if start is None and end is None and isinstance(tokens, list):
        first, last = span.get("token_start"), span.get("token_end")
        if not (is_whole(first) and is_whole(last) and 0 <= first <= last < len(tokens)):
            needed = f"two of the tokens from 0 to {len(tokens) - 1} are needed"
            raise invalid_value(f"{location}: token_start and token_end", (first, last), needed)
        words = objects_in(tokens, "tokens", location)
        start, end = words[first].get("start"), words[last].get("end")
    if is_whole(start) and is_whole(end):
        return start, end
    raise invalid_value(
        f"{location}: start and end of a span", (start, end), "whole numbers are needed"
    )


def write_prodigy(corpus: Corpus, path: PathName) -> None:
    """Write a row for each document and annotator who saw it, as `prodigy db-in` takes them.

    Tokens are written too if the segments count them, as
    Prodigy's `ner_manual` and `review` need them. A document is known by ``_input_hash``, and by
    a key of our own where its id is not such a number.

    Args:
        corpus: the documents, whose texts or tokens are known.
        path: the file.

    Raises:
        InputError: for a path that cannot be written.
        SettingError: for a corpus without texts and tokens.
    """
    write_text(path, "".join(f"{json_text(row)}\n" for row in _rows_of(corpus)))


def _rows_of(corpus: Corpus) -> Iterator[dict[str, Any]]:
    in_characters = corpus.to_characters()
    for d, text in enumerate(in_characters.known("texts", "Prodigy")):
        document = in_characters[d]
        input_hash, task_hash = _hashes(document.id, text)
        our_id = {} if str(input_hash) == document.id else {OUR_ID: document.id}
        about = {
            "_input_hash": input_hash,
            "_task_hash": task_hash,
            "_view_id": "spans_manual",
        }
        in_tokens = corpus[d].segments if corpus.offsets == "tokens" else {}
        tokens = {"tokens": _tokens(corpus, d, text)} if in_tokens else {}
        for name, segments in document.seen.items():
            spans: list[dict[str, Any]] = [
                {"start": start, "end": end, "label": label} for start, end, label in segments
            ]
            for span, (start, end, _) in zip(spans, in_tokens.get(name) or (), strict=False):
                span |= {"token_start": start, "token_end": end - 1}
            session = {"_session_id": name, "_annotator_id": name, "answer": "accept"}
            yield {"text": text, **our_id, **about, **tokens, "spans": spans, **session}


def write_tasks(corpus: Corpus, document: Ints, assignees: Sequence[str], path: PathName) -> None:
    """Write rows without spans, each for an annotator, whom ``meta.assignee`` names.

    The document's id has a key of our own, as a recipe may compute ``_input_hash`` anew. Two rows
    of one document differ in ``_task_hash``, by which Prodigy leaves out what is repeated.

    Args, errors: as of :func:`spanagree.formats.write.write_tasks`.
    """
    in_tokens, rows = corpus.offsets == "tokens", []
    for d, id_, text, name in tasks_of(corpus, document, assignees, "Prodigy"):
        input_hash, task_hash = _hashes(id_, text, name)
        tokens = {"tokens": _tokens(corpus, d, text)} if in_tokens else {}
        meta = {"document": id_, "assignee": name}
        about = {OUR_ID: id_, "_input_hash": input_hash, "_task_hash": task_hash}
        rows.append({"text": text, **about, **tokens, "meta": meta})
    write_text(path, "".join(f"{json_text(row)}\n" for row in rows))


def _tokens(corpus: Corpus, d: int, text: str) -> list[dict[str, Any]]:
    """Return the tokens of a document, with their places in the text that is written."""
    words, first = corpus.tokens_of(d), int(corpus.starts[d])
    if corpus.texts is None or corpus.token_starts is None:
        starts = spaced(words, np.array([len(words)]))[1]
    else:
        starts = corpus.token_starts[first : first + len(words)]
    ends = starts + sizes_of(words)
    rows = zip(words, starts.tolist(), ends.tolist(), strict=True)
    return [
        {"text": word, "start": start, "end": end, "id": i, "ws": text[end : end + 1].isspace()}
        for i, (word, start, end) in enumerate(rows)
    ]


def _hashes(id_: str, text: str, assignee: str = "") -> tuple[int, int]:
    """Return the numbers of a document, its id if that is one, and of a task on it."""
    number = number_in(id_, 1 << 31)
    of_task = f"{id_}\n{text}\n{assignee}" if assignee else f"{id_}\n{text}"
    return _hash(id_) if number is None else number, _hash(of_task)


def _hash(text: str) -> int:
    """Return a number of 32 bits with a sign, the same everywhere."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) - (1 << 31)
