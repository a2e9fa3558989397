"""spanagree's own exchange format: one document per line, with its text or tokens and annotations.

::

    {"spanagree": 1, "id": "7", "offsets": "characters", "text": "Jo is in Rome",
     "annotators": {"ann": [{"start": 0, "end": 2, "label": "PER"}], "bob": [], "cy": null}}

``bob`` saw the document and marked nothing; ``cy``, like an annotator who is missing, never saw it.
A segment may have ``pieces``, [[0, 2], [6, 8]], and ``attributes``, {"negated": "true"};
``relations`` of a document are lists by annotator of {"first": 0, "second": 1, "label": "in"}, with
the indices of two segments in the annotator's list, and ``"directed": false`` if they have no
direction. Offsets are half-open and count tokens or code points, depending on ``offsets``. With
tokens there is a list ``tokens``, and ``token_starts`` next to ``text`` if their offsets in the
text are known; without text and tokens, ``length``. ``unplaced`` of a document lists by annotator
the quotes that are not in its text, [{"quote": "Al", "label": "PER", "size": 2}], with their
lengths in the same units. In the first line, ``provenance`` records earlier changes and omissions.
Other keys are ignored. The number is the version of the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from spanagree.choices import Repair
from spanagree.corpus.corpus import Corpus, check_corpus
from spanagree.corpus.details import SCORE
from spanagree.corpus.documents import Document
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.corpus.segments import LONGEST, OFFSETS, is_time
from spanagree.errors import (
    InputError,
    SettingError,
    escape_path,
    invalid_value,
    is_integer,
    quote_value,
)
from spanagree.files import (
    PathName,
    advise_on_encoding,
    format_json,
    parse_json,
    read_text,
    write_text,
)
from spanagree.formats.records import (
    RawAnnotation,
    RawRelation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.settings import PROVENANCE, select_provenance

VERSION = 1


def read_jsonl(path: PathName, *, repair: Repair | Sequence[Repair] = ()) -> Corpus:
    """Read the corpus in a file in spanagree's format.

    Args:
        path: path of the file.
        repair: repair steps, from join-pieces, drop-repeats, latest, relocate-by-text,
            drop-misplaced, clip-beyond-text, drop-beyond-text, strip-space, widen-points,
            drop-empty, drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.

    Raises:
        InputError: if a file cannot be read, a line is no such object, or annotations have flaws
            that no requested step repairs; the message names file and line.
        SettingError: if a repair is unknown.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> line = (
    ...     '{"spanagree": 1, "id": "7", "offsets": "characters", "text": "Jo", "annotators":'
    ...     ' {"ann": [{"start": 0, "end": 2, "label": "PER"}], "bob": null}}'
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "one.jsonl").write_text(line)
    ...     read_jsonl(Path(folder, "one.jsonl"))[0].segments
    {'ann': (Segment(start=0, end=2, label='PER'),), 'bob': None}
    """
    return build_valid_corpus(read_raw_jsonl(path), repair)


@advise_on_encoding(())
def read_raw_jsonl(path: PathName, *, strings: bool = False) -> RawCorpus:
    """Read the rows of a file in spanagree's format, unchecked.

    Args:
        path: path of the file.
        strings: True if the file has to contain strings without a text, as recorded in it.

    Raises:
        InputError: see :func:`read_jsonl`.
        SettingError: if ``strings`` is True, but segments have offsets in a text.
    """
    name = escape_path(path)
    lines = enumerate(read_text(path).split("\n"), 1)
    entries = (
        (f"{name}:{line_number}", _parse_entry(line, f"{name}:{line_number}"))
        for line_number, line in lines
        if line.strip()
    )
    first_entry = next(entries, None)
    if first_entry is None:
        raise InputError(
            f"{name}: no documents; a line for each is needed; spanagree convert writes such files"
        )
    offsets = _parse_offset_unit(first_entry[1], first_entry[0])
    reading = {"format": "jsonl", **_parse_provenance(first_entry[1], first_entry[0])}
    if strings and not reading.get("strings"):
        raise SettingError(f"{name}: its segments have places in a text: leave strings out")
    records = _yield_records(chain([first_entry], entries), offsets, reading)
    return build_raw_from_records(
        records, ReadLog(""), reading, offsets=offsets, again=False, unnamed=False
    )


def _parse_offset_unit(entry: Mapping[str, Any], location: str) -> str:
    """Parse the unit of a document's offsets; the default is tokens if it has tokens."""
    offsets = entry.get("offsets", "tokens" if "tokens" in entry else "characters")
    if isinstance(offsets, str) and (offsets in OFFSETS or is_time(offsets)):
        return offsets
    raise InputError(
        f"{location}: offsets {quote_value(offsets)}; allowed: {', '.join(OFFSETS)}, or a unit of"
        " time such as 10ms"
    )


def _parse_provenance(entry: dict[str, Any], location: str) -> dict[str, Any]:
    """Parse the earlier changes recorded in a first line, as settings of reading."""
    provenance = entry.get("provenance", {})
    is_dict = isinstance(provenance, dict)
    settings = (
        {name: provenance[name] for name in PROVENANCE if name in provenance} if is_dict else {}
    )
    if not is_dict or not all(_is_setting(name, value) for name, value in settings.items()):
        raise InputError(
            f"{location}: provenance {quote_value(provenance)}; settings as the writer gives them"
            " are needed: delete it, or write the file anew"
        )
    return settings


def _is_setting(name: str, value: Any) -> bool:
    """Check whether a setting has the type that the writer uses."""
    entries: Any = value if isinstance(value, (dict, list)) else ()
    if isinstance(entries, dict):
        entries = entries.values()
    is_valid = _is_count if name == "quotes" else _is_text
    return type(value) is PROVENANCE[name] and all(map(is_valid, entries))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    """Check whether a value is an annotator's count of quotes, in the layout that is written."""
    return (
        isinstance(value, dict)
        and sorted(value) in (["read", "unaligned"], ["changed", "copies", "read", "unaligned"])
        and all(map(is_integer, value.values()))
        and 0 <= value["unaligned"] <= value["read"] <= LONGEST
        and 0 <= value.get("changed", 0) <= value.get("copies", 0) <= LONGEST
    )


def _parse_entry(line: str, location: str) -> dict[str, Any]:
    """Parse the object in a line."""

    def check_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Build an object from its pairs; raise if a key is repeated."""
        entry = dict(pairs)
        if len(entry) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated = next(key for i, key in enumerate(keys) if key in keys[:i])
            raise InputError(
                f"{location}: the key {quote_value(repeated)} comes twice; each is used once"
            )
        return entry

    entry = parse_json(line, location, "a line is one object", check_unique_keys)
    if not isinstance(entry, dict):
        raise invalid_value(f"{location}:", entry, "a line is one object")
    if entry.get("spanagree") != VERSION:
        raise invalid_value(
            f"{location}: version",
            entry.get("spanagree"),
            f'"spanagree": {VERSION} is needed; rows of other tools are read with --from dataset'
            " and the names of their columns",
        )
    return entry


def _yield_records(
    entries: Iterable[tuple[str, dict[str, Any]]],
    offsets: str,
    reading: Mapping[str, Any],
) -> Iterator[Record]:
    """Yield the documents with their annotations.

    ``offsets`` and ``reading`` are the unit and the settings in the first line, with which other
    lines have to agree.
    """
    for location, entry in entries:
        if "provenance" in entry and _parse_provenance(entry, location) != select_provenance(
            reading
        ):
            raise InputError(
                f"{location}: a provenance that is not the first line's; files joined in one need"
                " the same: pass them one by one"
            )
        if (unit := _parse_offset_unit(entry, location)) != offsets:
            raise InputError(
                f"{location}: offsets in {unit}, those before are in {offsets}; a corpus has one"
                " unit"
            )
        if offsets == "characters" and entry.get("tokens") is not None:
            raise InputError(
                f"{location}: tokens, but offsets in characters; offsets tokens are needed"
            )
        content = {key: entry.get(key) for key in ("text", "tokens", "token_starts", "length")}
        yield Record(location, entry.get("id"), content, _yield_annotations(entry, location))


def _yield_annotations(entry: dict[str, Any], location: str) -> Iterator[RawAnnotation]:
    """Yield the annotations of a document, one for each annotator."""
    annotators = entry.get("annotators")
    if not isinstance(annotators, dict):
        raise invalid_value(f"{location}: annotators", annotators, "an object is needed")
    relations = entry.get("relations") or {}
    if not isinstance(relations, dict) or relations.keys() - annotators.keys():
        allowed = "an object is needed, of annotators of the document"
        raise invalid_value(f"{location}: relations", relations, allowed)
    unplaced = entry.get("unplaced") or {}
    if not isinstance(unplaced, dict) or unplaced.keys() - annotators.keys():
        allowed = "an object is needed, of annotators of the document"
        raise invalid_value(f"{location}: unplaced", unplaced, allowed)
    for annotator, segments in annotators.items():
        annotator_location = f"{location}: annotator {quote_value(annotator)}"
        raw_relations = _parse_relations(relations.get(annotator), segments, annotator_location)
        spans = None if segments is None else _parse_spans(segments, f"{annotator_location}:")
        if annotator in unplaced:
            spans = [
                *(spans or ()),
                *_parse_unplaced(unplaced[annotator], segments, annotator_location),
            ]
        yield RawAnnotation(annotator, spans, relations=raw_relations, location=annotator_location)


def _parse_spans(segments: Any, location: str) -> list[RawSpan]:
    """Parse the segments of an annotator."""
    if isinstance(segments, list) and all(
        isinstance(span, dict) and "start" in span and "end" in span for span in segments
    ):
        return [
            RawSpan(
                span["start"],
                span["end"],
                span.get("label"),
                None,
                span["attributes"] if isinstance(span.get("attributes"), dict) else None,
                span.get("pieces") or None,
            )
            for span in segments
        ]
    raise invalid_value(location, segments, "a list of {start, end, label} is needed, or null")


def _parse_unplaced(quotes: Any, segments: Any, location: str) -> list[RawSpan]:
    """Parse the quotes of an annotator that are not in the text."""
    if segments is None:
        raise invalid_value(f"{location}: unplaced", quotes, "its document was never seen")
    if isinstance(quotes, list) and all(
        isinstance(quote, dict)
        and isinstance(quote.get("quote"), str)
        and is_integer(quote.get("size"))
        and 0 <= quote["size"] <= LONGEST
        for quote in quotes
    ):
        return [
            RawSpan(
                None,
                quote["size"],
                quote.get("label"),
                quote["quote"],
                {SCORE: quote["score"]} if "score" in quote else None,
                is_placed=False,
            )
            for quote in quotes
        ]
    raise invalid_value(f"{location}: unplaced", quotes, "a list of {quote, label, size} is needed")


def _parse_relations(entries: Any, segments: Any, location: str) -> list[RawRelation]:
    """Parse the relations of one annotator in one document.

    Args:
        entries: relations as they are written in the file.
        segments: segments of the annotator, or ``None`` if the annotator did not see the document.
        location: beginning of error messages.
    """
    if entries is None:
        return []
    keys = ("first", "second", "label")
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and all(key in entry for key in keys) for entry in entries
    ):
        requirement = "a list of {first, second, label} is needed"
        raise invalid_value(f"{location}: relations", entries, requirement)
    raw_relations = []
    for entry in entries:
        if segments is None:
            raise invalid_value(f"{location}: relation", entry, "its document was never seen")
        for segment_index in (entry["first"], entry["second"]):
            if not is_integer(segment_index):
                raise invalid_value(
                    f"{location}: relation to", segment_index, "the place of a segment, from 0"
                )
        directed = entry.get("directed", True)
        raw_relations.append(
            RawRelation(entry["first"], entry["second"], entry["label"], location, directed)
        )
    return raw_relations


def write_jsonl(
    corpus: Corpus, path: PathName, *, fields: Mapping[str, Sequence[Any]] | None = None
) -> None:
    """Write a corpus in spanagree's format; equal corpora give equal bytes.

    Args:
        corpus: corpus to write.
        path: path of the file.
        fields: further fields with a value for each document, which readers ignore.

    Raises:
        InputError: if the path cannot be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> corpus = Corpus.from_segments([5], {"ann": [[(0, 2, "PER")]]})
    >>> with TemporaryDirectory() as folder:
    ...     write_jsonl(corpus, Path(folder) / "one.jsonl")
    ...     read_jsonl(Path(folder) / "one.jsonl") == corpus
    True
    """
    check_corpus(corpus)
    write_text(path, "".join(f"{line}\n" for line in _yield_lines(corpus, fields or {})))


def _collect_relations_by_annotator(document: Document) -> dict[str, list[dict[str, Any]]]:
    """Convert the relations of a document to entries by annotator."""
    index_by_segment = {
        name: {segment: index for index, segment in enumerate(segments)}
        for name, segments in document.seen.items()
    }
    entries_by_annotator: dict[str, list[dict[str, Any]]] = {}
    for relation in document.relations:
        segment_indices = index_by_segment[relation.annotator]
        entry = {
            "first": segment_indices[relation.first],
            "second": segment_indices[relation.second],
            "label": relation.label,
            **({} if relation.directed else {"directed": False}),
        }
        entries_by_annotator.setdefault(relation.annotator, []).append(entry)
    return entries_by_annotator


def _yield_lines(corpus: Corpus, fields: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Yield a line for each document; ``fields`` are further values of documents, by key."""
    unplaced: list[dict[str, list[dict[str, Any]]]] = [{} for _ in range(len(corpus))]
    for name, quotes in corpus.unplaced.items():
        columns = quotes.at.tolist(), quotes.quote, quotes.label, quotes.size.tolist()
        scores = quotes.scores.tolist()
        for document_index, quote, label, size, score in zip(*columns, scores, strict=True):
            quote_entry = {"quote": quote, "label": label, "size": size}
            quote_entry |= {} if score != score else {"score": score}  # NaN if unscored
            unplaced[document_index].setdefault(name, []).append(quote_entry)
    for document_index, document in enumerate(corpus):
        entry: dict[str, Any] = {"spanagree": VERSION, "id": document.id, "offsets": corpus.offsets}
        if document.text is not None:
            entry["text"] = document.text
        if document.tokens is not None:
            entry["tokens"] = list(document.tokens)
            if corpus.token_starts is not None:
                first_token = corpus.starts[document_index]
                entry["token_starts"] = corpus.token_starts[first_token:][
                    : document.length
                ].tolist()
        if "tokens" not in entry and (corpus.offsets == "tokens" or "text" not in entry):
            entry["length"] = document.length
        # the first line names all annotators, in order, even if they did not see the document
        entry["annotators"] = {
            name: None if segments is None else [segment._asdict() for segment in segments]
            for name, segments in (document.seen if document_index else document.segments).items()
        }
        if document.relations:
            entry["relations"] = _collect_relations_by_annotator(document)
        if unplaced[document_index]:
            entry["unplaced"] = unplaced[document_index]
        if document_index == 0 and (provenance := select_provenance(corpus.reading)):
            entry["provenance"] = provenance
        entry |= {name: values[document_index] for name, values in fields.items()}
        yield format_json(entry)
