"""Our own exchange format: a document a line, its text or tokens, and what each annotator marked.

::

    {"spanagree": 1, "id": "7", "offsets": "characters", "text": "Jo is in Rome",
     "annotators": {"ann": [{"start": 0, "end": 2, "label": "PER"}], "bob": [], "cy": null}}

``bob`` saw the document and marked nothing, ``cy`` never saw it (an annotator left out did not
either). A segment may have ``pieces``, [[0, 2], [6, 8]], and ``attributes``, {"negated": "true"};
``relations`` of a document are by annotator lists of {"first": 0, "second": 1, "label": "in"}, the
places of two segments in the list, with ``"directed": false`` if they have no direction. Offsets
are half-open and count tokens or code points, as ``offsets`` says. With tokens
there is a list ``tokens``, with ``token_starts`` beside ``text`` where their places in it are
known; where neither text nor tokens are known, ``length``. ``unplaced`` of a document has by
annotator the quotes that are not in its text, [{"quote": "Al", "label": "PER", "size": 2}], with
their lengths in the same units. In the first line, ``provenance`` says what was changed or left out
before. Other keys are passed over. The number is the version of the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from spanagree.choices import Repair
from spanagree.corpus.corpus import Corpus, check_corpus
from spanagree.corpus.details import SCORE
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.segments import LONGEST, OFFSETS, Document, is_time
from spanagree.errors import (
    InputError,
    SettingError,
    invalid_value,
    is_whole,
    printable_path,
    quote_value,
)
from spanagree.files import PathName, from_json, json_text, read_text, write_text
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record, gather
from spanagree.settings import PROVENANCE, provenance_of

VERSION = 1


def read_jsonl(path: PathName, *, repair: Repair | Sequence[Repair] = ()) -> Corpus:
    """Return the corpus in a file in our own format.

    Args:
        path: the file.
        repair: steps, of join-pieces, drop-repeats, latest, relocate-by-text, drop-misplaced,
            clip-beyond-text, drop-beyond-text, strip-space, widen-points, drop-empty,
            drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.

    Raises:
        InputError: for a file that cannot be read, a line that is not such an object, and flaws
            that no repair was asked for; the message names file and line.
        SettingError: for an unknown repair.

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
    return valid_corpus(raw_jsonl(path), repair)


def raw_jsonl(path: PathName, *, strings: bool = False) -> RawCorpus:
    """Return the rows of a file in our own format, unchecked.

    Args:
        path: the file.
        strings: if True, the file has to hold strings without a text; it says so itself.

    Raises:
        InputError: as for :func:`read_jsonl`.
        SettingError: for ``strings`` of a file whose segments have places.
    """
    name = printable_path(path)
    lines = enumerate(read_text(path).split("\n"), 1)
    entries = ((f"{name}:{n}", _entry(line, f"{name}:{n}")) for n, line in lines if line.strip())
    first = next(entries, None)
    if first is None:
        raise InputError(
            f"{name}: no documents; a line for each is needed; spanagree convert writes such files"
        )
    offsets = _offsets(first[1], first[0])
    reading = {"format": "jsonl", **_provenance(first[1], first[0])}
    if strings and not reading.get("strings"):
        raise SettingError(f"{name}: its segments have places in a text: leave strings out")
    records = _records(chain([first], entries), offsets, reading)
    return gather(records, ReadLog(""), reading, offsets=offsets, again=False, unnamed=False)


def _offsets(entry: Mapping[str, Any], location: str) -> str:
    offsets = entry.get("offsets", "tokens" if "tokens" in entry else "characters")
    if isinstance(offsets, str) and (offsets in OFFSETS or is_time(offsets)):
        return offsets
    raise InputError(
        f"{location}: offsets {quote_value(offsets)}; allowed: {', '.join(OFFSETS)}, or a unit of"
        " time such as 10ms"
    )


def _provenance(entry: dict[str, Any], location: str) -> dict[str, Any]:
    """Return what a first line says of changes that were made before, as settings of reading."""
    given = entry.get("provenance", {})
    is_dict = isinstance(given, dict)
    settings = {name: given[name] for name in PROVENANCE if name in given} if is_dict else {}
    if not is_dict or not all(_is_setting(name, value) for name, value in settings.items()):
        raise InputError(
            f"{location}: provenance {quote_value(given)}; settings as the writer gives them are"
            " needed: delete it, or write the file anew"
        )
    return settings


def _is_setting(name: str, value: Any) -> bool:
    """Return whether a setting is as the writer gives it."""
    entries: Any = value if isinstance(value, (dict, list)) else ()
    if isinstance(entries, dict):
        entries = entries.values()
    fits = _is_count if name == "quotes" else _is_text
    return type(value) is PROVENANCE[name] and all(map(fits, entries))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    """Return whether something is the number of an annotator's quotes, as it is written."""
    return (
        isinstance(value, dict)
        and sorted(value) in (["read", "unaligned"], ["changed", "copies", "read", "unaligned"])
        and all(map(is_whole, value.values()))
        and 0 <= value["unaligned"] <= value["read"] <= LONGEST
        and 0 <= value.get("changed", 0) <= value.get("copies", 0) <= LONGEST
    )


def _entry(line: str, location: str) -> dict[str, Any]:
    """Return the object in a line."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entry = dict(pairs)
        if len(entry) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for i, key in enumerate(keys) if key in keys[:i])
            raise InputError(
                f"{location}: the key {quote_value(twice)} comes twice; each is used once"
            )
        return entry

    entry = from_json(line, location, "a line is one object", once)
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


def _records(
    entries: Iterable[tuple[str, dict[str, Any]]],
    offsets: str,
    reading: Mapping[str, Any],
) -> Iterator[Record]:
    """Yield documents, with what each annotator marked in them."""
    for location, entry in entries:
        if "provenance" in entry and _provenance(entry, location) != provenance_of(reading):
            raise InputError(
                f"{location}: a provenance that is not the first line's; files joined in one need"
                " the same: pass them one by one"
            )
        if (unit := _offsets(entry, location)) != offsets:
            raise InputError(
                f"{location}: offsets in {unit}, those before are in {offsets}; a corpus has one"
                " unit"
            )
        if offsets == "characters" and entry.get("tokens") is not None:
            raise InputError(
                f"{location}: tokens, but offsets in characters; offsets tokens are needed"
            )
        content = {key: entry.get(key) for key in ("text", "tokens", "token_starts", "length")}
        yield Record(location, entry.get("id"), content, _annotations(entry, location))


def _annotations(entry: dict[str, Any], location: str) -> Iterator[RawAnnotation]:
    """Yield what each annotator marked in a document."""
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
        place = f"{location}: annotator {quote_value(annotator)}"
        links = _links(relations.get(annotator), segments, place)
        spans = None if segments is None else _spans(segments, f"{place}:")
        if annotator in unplaced:
            spans = [*(spans or ()), *_unplaced(unplaced[annotator], segments, place)]
        yield RawAnnotation(annotator, spans, relations=links, location=place)


def _spans(segments: Any, location: str) -> list[RawSpan]:
    """Return the segments of an annotator."""
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


def _unplaced(quotes: Any, segments: Any, location: str) -> list[RawSpan]:
    """Return the quotes of an annotator that are not in the text."""
    if segments is None:
        raise invalid_value(f"{location}: unplaced", quotes, "its document was never seen")
    if isinstance(quotes, list) and all(
        isinstance(quote, dict)
        and isinstance(quote.get("quote"), str)
        and is_whole(quote.get("size"))
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


def _links(given: Any, segments: Any, location: str) -> list[RawRelation]:
    """Return the relations of an annotator."""
    if given is None:
        return []
    keys = ("first", "second", "label")
    if not isinstance(given, list) or not all(
        isinstance(link, dict) and all(key in link for key in keys) for link in given
    ):
        needed = "a list of {first, second, label} is needed"
        raise invalid_value(f"{location}: relations", given, needed)
    links = []
    for link in given:
        if segments is None:
            raise invalid_value(f"{location}: relation", link, "its document was never seen")
        for place in (link["first"], link["second"]):
            if not is_whole(place):
                raise invalid_value(
                    f"{location}: relation to", place, "the place of a segment, from 0"
                )
        directed = link.get("directed", True)
        links.append(RawRelation(link["first"], link["second"], link["label"], location, directed))
    return links


def write_jsonl(
    corpus: Corpus, path: PathName, *, fields: Mapping[str, Sequence[Any]] | None = None
) -> None:
    """Write a corpus in our own format; the same corpus gives the same bytes.

    Args:
        corpus: the documents.
        path: the file.
        fields: further fields, a value for each document; readers pass over them.

    Raises:
        InputError: for a path that cannot be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> corpus = Corpus.from_segments([5], {"ann": [[(0, 2, "PER")]]})
    >>> with TemporaryDirectory() as folder:
    ...     write_jsonl(corpus, Path(folder) / "one.jsonl")
    ...     read_jsonl(Path(folder) / "one.jsonl") == corpus
    True
    """
    check_corpus(corpus)
    write_text(path, "".join(f"{line}\n" for line in _lines(corpus, fields or {})))


def _relations(document: Document) -> dict[str, list[dict[str, Any]]]:
    """Return the relations of a document by annotator, as they are written."""
    places = {
        name: {segment: i for i, segment in enumerate(segments)}
        for name, segments in document.seen.items()
    }
    written: dict[str, list[dict[str, Any]]] = {}
    for relation in document.relations:
        place = places[relation.annotator]
        link = {
            "first": place[relation.first],
            "second": place[relation.second],
            "label": relation.label,
            **({} if relation.directed else {"directed": False}),
        }
        written.setdefault(relation.annotator, []).append(link)
    return written


def _lines(corpus: Corpus, fields: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Yield a line for each document, with its further fields."""
    unplaced: list[dict[str, list[dict[str, Any]]]] = [{} for _ in range(len(corpus))]
    for name, quotes in corpus.unplaced.items():
        columns = quotes.at.tolist(), quotes.quote, quotes.label, quotes.size.tolist()
        scores = quotes.scores.tolist()
        for d, quote, label, size, score in zip(*columns, scores, strict=True):
            entry_of_quote = {"quote": quote, "label": label, "size": size}
            entry_of_quote |= {} if score != score else {"score": score}  # nan is none
            unplaced[d].setdefault(name, []).append(entry_of_quote)
    for d, document in enumerate(corpus):
        entry: dict[str, Any] = {"spanagree": VERSION, "id": document.id, "offsets": corpus.offsets}
        if document.text is not None:
            entry["text"] = document.text
        if document.tokens is not None:
            entry["tokens"] = list(document.tokens)
            if corpus.token_starts is not None:
                first = corpus.starts[d]
                entry["token_starts"] = corpus.token_starts[first:][: document.length].tolist()
        if "tokens" not in entry and (corpus.offsets == "tokens" or "text" not in entry):
            entry["length"] = document.length
        # the first line names every annotator, in order, and so those who saw nothing
        entry["annotators"] = {
            name: None if segments is None else [segment._asdict() for segment in segments]
            for name, segments in (document.seen if d else document.segments).items()
        }
        if document.relations:
            entry["relations"] = _relations(document)
        if unplaced[d]:
            entry["unplaced"] = unplaced[d]
        if d == 0 and (provenance := provenance_of(corpus.reading)):
            entry["provenance"] = provenance
        entry |= {name: values[d] for name, values in fields.items()}
        yield json_text(entry)
