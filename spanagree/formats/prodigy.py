"""Prodigy's rows: the output of `prodigy db-out`, one answer per line, and files to import."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import convert_integer_to_text
from spanagree.corpus.tokens import count_characters, join_words
from spanagree.errors import InputError, invalid_value, is_integer, join_names, pluralize
from spanagree.files import PathName, format_json, write_text
from spanagree.formats.exports import (
    ANSWER,
    OUR_ID,
    check_name_source,
    check_objects,
    compose_nameless_note,
    convert_to_seconds,
    find_ignored_noun,
    parse_number_in_name,
)
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record
from spanagree.formats.tasks import yield_tasks

REVIEW = "review"
"""Layer of answers in a review of other answers."""

_KEYS = {"id": ("_annotator_id", "_session_id"), "session": ("_session_id",), "file": ()}
_SESSION_START = re.compile(r"(^|-)\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$")
_IGNORED_NOUNS = {"accept": "choice"}


def yield_records(
    path: PathName, log: ReadLog, *, annotator_from: str | None = None
) -> Iterator[Record]:
    """Yield the rows that `prodigy db-out` wrote.

    A text, identified by its ``_input_hash``, is a document. An annotator who accepted a row saw it
    and marked its spans, or nothing; rejected and ignored rows count as never seen. In the output
    of a review, the rows are the layer ``review``, and each of their versions is one annotation per
    session. Rows with a question about one span, as ``ner.teach`` asks them, are one annotation of
    all spans that the annotator accepted in the text.

    Args:
        path: path of the file.
        log: log of ignored content.
        annotator_from: source of the annotators' names, ``session``, ``file`` or ``id``. Default:
            ``id``.

    Raises:
        InputError: if a file cannot be read or was not written by Prodigy.
        SettingError: if a choice is unknown.
    """
    check_name_source(annotator_from, "id", "session", "file")
    rows = _RowReader(log, annotator_from)
    row = None
    for location, row in yield_json_records(path, "Prodigy writes an object a line"):
        if not isinstance(row, dict):
            raise invalid_value(f"{location}:", row, "an object is needed")
        log.count_unread_marks(row)
        yield from rows.yield_rows(row, location)
    if row is None:
        raise InputError(f"{log.name}: no rows; Prodigy writes an object a line")
    if rows.n_options and not rows.has_spans:
        raise InputError(
            f"{log.name}: answers about whole texts (no row has spans, {rows.n_options} have"
            " options or a label); spans are needed, and spanagree coefficients takes a table of"
            " labels"
        )
    log.notes += rows.yield_notes()


class _RowReader:
    """Reader of rows, which counts unclear ones."""

    def __init__(self, log: ReadLog, annotator_from: str | None) -> None:
        self.log = log
        self.annotator_from = annotator_from
        self.has_spans, self.n_options = False, 0
        self.n_binary = self.n_reviews = self.n_nameless = 0
        self.annotators: set[str] = set()
        self.session_starts: dict[str, None] = {}

    def yield_rows(self, row: Mapping[str, Any], location: str) -> Iterator[Record]:
        """Yield a row, and its versions in the output of a review."""
        id_, text = row.get(OUR_ID, row.get("_input_hash")), row.get("text")
        if id_ is None or not isinstance(text, str):
            raise InputError(
                f"{location}: a row of Prodigy has text and _input_hash; the keys are"
                f" {join_names(row)}"
            )
        self.has_spans |= "spans" in row or bool(row.get("versions"))
        self.n_options += "options" in row or isinstance(row.get("label"), str)
        for key, noun in _IGNORED_NOUNS.items():
            if isinstance(row.get(key), list):
                self.log.passed[noun] += len(row[key])
        is_review = row.get("versions") is not None or row.get("_view_id") == REVIEW
        annotator = REVIEW if is_review else self._get_annotator_name(self._find_id(row))
        yield Record(
            location, id_, {"text": text}, [self._build_annotation(row, annotator, location)]
        )
        self.n_reviews += is_review
        for version in check_objects(row.get("versions"), "versions", location):
            version_row = {"text": text, "tokens": row.get("tokens"), **version}
            sessions = version.get("sessions")
            if not isinstance(sessions, list) or not sessions:
                sessions = [self._find_id(version)]
            answers = (
                self._build_annotation(version_row, self._get_annotator_name(session), location)
                for session in sessions
            )
            yield Record(location, id_, {"text": version_row["text"]}, answers)

    def _find_id(self, row: Mapping[str, Any]) -> object:
        """Find the id of the annotator in a row; `None` if it has none."""
        ids = (row.get(key) for key in _KEYS[self.annotator_from or "id"])
        return next((id_ for id_ in ids if id_), None)

    def _get_annotator_name(self, id_: object) -> Any:
        """Return the name of an id, unchecked; an empty name if the file is the annotator."""
        if id_ is None or self.annotator_from == "file":
            self.n_nameless += id_ is None
            return ""
        if isinstance(id_, str) and _SESSION_START.search(id_):
            self.session_starts[id_] = None
        name = convert_integer_to_text(id_)
        if isinstance(name, str):
            self.annotators.add(name)
        return name

    def _build_annotation(
        self, row: Mapping[str, Any], annotator: Any, location: str
    ) -> RawAnnotation:
        """Build the annotation of an annotator, with spans if they accepted the row."""
        if noun := find_ignored_noun(row.get(ANSWER, "accept"), location):
            n_spans = len(row["spans"]) if isinstance(row.get("spans"), list) else 0
            self.log.count_ignored_answer(noun, n_spans)
            return RawAnnotation(annotator, None)
        is_binary = bool(row.get("_is_binary"))
        self.n_binary += is_binary
        time, relations = (
            convert_to_seconds(row.get("_timestamp")),
            _parse_relations(row, location, self.log),
        )
        spans = _parse_spans(row, location)
        return RawAnnotation(annotator, spans, time, relations, joins=is_binary)

    def yield_notes(self) -> Iterator[str]:
        """Yield notes on answers whose annotator or meaning is not certain."""
        name = self.log.name
        if self.n_nameless:
            counted = pluralize(self.n_nameless, "answer")
            yield from compose_nameless_note(
                name, counted, "_annotator_id or _session_id", self.annotators
            )
        if self.n_reviews and self.annotators:
            yield (
                f"{name}: {pluralize(self.n_reviews, 'answer')} of a reviewer, who saw the"
                f" others', are the annotator {REVIEW}; --gold {REVIEW} takes them as gold, and"
                " --annotators leaves them out of agreement"
            )
        if self.n_binary:
            yield (
                f"{name}: {pluralize(self.n_binary, 'accepted row')} with an answer to a question"
                " about one span (_is_binary), which does not say that there are no others; those"
                " of one text and annotator are one annotation"
            )
        if self.session_starts:
            yield (
                f"{name}: annotators named by the time of a start are sittings, not people"
                f" ({join_names(self.session_starts)}); --annotator-from file takes the file as the"
                " annotator"
            )


def _parse_spans(row: Mapping[str, Any], location: str) -> Iterator[RawSpan]:
    """Parse the spans of a row."""
    for span in check_objects(row.get("spans"), "spans", location):
        start, end = _find_span_bounds(span, row.get("tokens"), location)
        quote = span.get("text")
        yield RawSpan(start, end, span.get("label"), quote if isinstance(quote, str) else None)


def _parse_relations(row: Mapping[str, Any], location: str, log: ReadLog) -> Iterator[RawRelation]:
    """Yield the relations between spans of a row; count relations of tokens that are no span."""
    if not (relations := check_objects(row.get("relations"), "relations", location)):
        return
    index_by_bounds: dict[tuple[int, int], int] = {}
    for index, span in enumerate(check_objects(row.get("spans"), "spans", location)):
        index_by_bounds.setdefault(_find_span_bounds(span, row.get("tokens"), location), index)
    for index, relation in enumerate(relations, 1):
        relation_location = f"{location}, relation {index}"
        head_index, child_index = (
            index_by_bounds.get(_find_span_bounds(end, row.get("tokens"), relation_location))
            if isinstance(end, dict)
            else None
            for end in (relation.get("head_span"), relation.get("child_span"))
        )
        if head_index is None or child_index is None:
            log.passed["token relation"] += 1
        else:
            yield RawRelation(
                head_index, child_index, str(relation.get("label")), relation_location
            )


def _find_span_bounds(span: Mapping[str, Any], tokens: object, location: str) -> tuple[int, int]:
    """Find start and end of a span; a span by tokens includes the token at ``token_end``."""
    start, end = span.get("start"), span.get("end")
    if start is None and end is None and isinstance(tokens, list):
        first_token, last_token = span.get("token_start"), span.get("token_end")
        if not (
            is_integer(first_token)
            and is_integer(last_token)
            and 0 <= first_token <= last_token < len(tokens)
        ):
            requirement = f"two of the tokens from 0 to {len(tokens) - 1} are needed"
            raise invalid_value(
                f"{location}: token_start and token_end", (first_token, last_token), requirement
            )
        words = check_objects(tokens, "tokens", location)
        start, end = words[first_token].get("start"), words[last_token].get("end")
    if is_integer(start) and is_integer(end):
        return start, end
    raise invalid_value(
        f"{location}: start and end of a span", (start, end), "whole numbers are needed"
    )


def write_prodigy(corpus: Corpus, path: PathName) -> None:
    """Write a row for each document and annotator who saw it, for `prodigy db-in`.

    Tokens are written too if the segments count them, as Prodigy's `ner_manual` and `review` need
    them. A document is identified by ``_input_hash``, and by a key of spanagree if its id is no
    such number.

    Args:
        corpus: corpus with texts or tokens.
        path: path of the file.

    Raises:
        InputError: if the path cannot be written.
        SettingError: if the corpus has neither texts nor tokens.
    """
    write_text(path, "".join(f"{format_json(row)}\n" for row in _yield_rows(corpus)))


def _yield_rows(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Yield a row for each document and annotator, as Prodigy's database has them."""
    in_characters = corpus.to_characters()
    for document_index, text in enumerate(in_characters.known("texts", "Prodigy")):
        document = in_characters[document_index]
        input_hash, task_hash = _compute_hashes(document.id, text)
        id_entry = {} if str(input_hash) == document.id else {OUR_ID: document.id}
        hashes = {
            "_input_hash": input_hash,
            "_task_hash": task_hash,
            "_view_id": "spans_manual",
        }
        in_tokens = corpus[document_index].segments if corpus.offsets == "tokens" else {}
        tokens = {"tokens": _list_tokens(corpus, document_index, text)} if in_tokens else {}
        for name, segments in document.seen.items():
            spans: list[dict[str, Any]] = [
                {"start": start, "end": end, "label": label} for start, end, label in segments
            ]
            for span, (start, end, _) in zip(spans, in_tokens.get(name) or (), strict=False):
                span |= {"token_start": start, "token_end": end - 1}
            session = {"_session_id": name, "_annotator_id": name, "answer": "accept"}
            yield {"text": text, **id_entry, **hashes, **tokens, "spans": spans, **session}


def write_tasks(corpus: Corpus, document: Ints, assignees: Sequence[str], path: PathName) -> None:
    """Write rows without spans, each for one annotator, who is named in ``meta.assignee``.

    The document's id has a key of spanagree, as a recipe may recompute ``_input_hash``. Two rows of
    one document differ in ``_task_hash``, by which Prodigy removes duplicates.

    For arguments and errors see :func:`spanagree.formats.write.write_tasks`.
    """
    in_tokens, rows = corpus.offsets == "tokens", []
    for document_index, id_, text, name in yield_tasks(corpus, document, assignees, "Prodigy"):
        input_hash, task_hash = _compute_hashes(id_, text, name)
        tokens = {"tokens": _list_tokens(corpus, document_index, text)} if in_tokens else {}
        meta = {"document": id_, "assignee": name}
        hashes = {OUR_ID: id_, "_input_hash": input_hash, "_task_hash": task_hash}
        rows.append({"text": text, **hashes, **tokens, "meta": meta})
    write_text(path, "".join(f"{format_json(row)}\n" for row in rows))


def _list_tokens(corpus: Corpus, document_index: int, text: str) -> list[dict[str, Any]]:
    """List the tokens of a document, with their offsets in the text that is written."""
    words, first_token = corpus.tokens_of(document_index), int(corpus.starts[document_index])
    if corpus.texts is None or corpus.token_starts is None:
        starts = join_words(words, np.array([len(words)]))[1]
    else:
        starts = corpus.token_starts[first_token : first_token + len(words)]
    ends = starts + count_characters(words)
    rows = zip(words, starts.tolist(), ends.tolist(), strict=True)
    return [
        {"text": word, "start": start, "end": end, "id": index, "ws": text[end : end + 1].isspace()}
        for index, (word, start, end) in enumerate(rows)
    ]


def _compute_hashes(id_: str, text: str, assignee: str = "") -> tuple[int, int]:
    """Compute the hash of a document, its id if it is a number, and the hash of a task on it."""
    numeric_id = parse_number_in_name(id_, 1 << 31)
    task_text = f"{id_}\n{text}\n{assignee}" if assignee else f"{id_}\n{text}"
    return _compute_signed_hash(id_) if numeric_id is None else numeric_id, _compute_signed_hash(
        task_text
    )


def _compute_signed_hash(text: str) -> int:
    """Compute a signed 32-bit hash, equal on all systems."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) - (1 << 31)
