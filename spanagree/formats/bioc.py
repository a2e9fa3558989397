"""BioC, as XML and JSON: documents of passages, with what one annotator marked in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any
from xml.etree.ElementTree import Element

from spanagree.choices import Ends
from spanagree.corpus.details import Pieces
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    invalid_value,
    is_whole,
    join_names,
    pluralize,
    printable_path,
    quote_value,
    whole_number,
)
from spanagree.files import PathName, naming_files
from spanagree.formats.exports import objects_in
from spanagree.formats.file_head import FileHead, read_head
from spanagree.formats.json_records import json_records
from spanagree.formats.paths import first_at
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record, gather
from spanagree.formats.xml_elements import elements
from spanagree.limits import check_expansion
from spanagree.settings import reading_settings

_OF_COLLECTION = ("source", "date", "key", "infon")
_PLAIN = ("id", "offset", "text")
_PARTS = ("passage", "sentence", "annotation", "relation", "location")
_UNKNOWN = "element that BioC does not have"
_ALLOWED = "BioC has passages with offset and text, and annotations with locations"


def knows_bioc(start: FileHead) -> bool:
    """Return whether a file begins as BioC does, in XML or JSON."""
    if start.shape == "xml":
        text = "\n".join(start.lines)
        return bool(re.search(r"<collection[\s>]", text)) and "<passage>" in text
    inside = [next(_in(record), None) for record in start.objects]
    texts = (first_at(document, "passages[0].text") for document in inside)  # BigBIO's are lists
    return bool(inside) and None not in inside and not any(isinstance(x, list) for x in texts)


def _in(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a record, or the objects in the lists of one that holds others."""
    if "passages" in record:
        yield record
    else:
        lists = (value for value in record.values() if isinstance(value, list))
        for item in chain.from_iterable(lists):
            if isinstance(item, dict) and "passages" in item:
                yield item


@naming_files()
def raw_bioc(path: PathName, *, feature: str | None = None, ends: Ends | None = None) -> RawCorpus:
    """Return the rows of a BioC file, in XML or JSON, unchecked: one annotator, without a name.

    The text of a document is that of its passages, each at its offset in characters, with blanks
    between them where they do not touch.

    Args:
        path: the file.
        feature: the infon that holds the labels, ``type`` unless named.
        ends: what offset and length lead to; unless given, what the texts of mentions show.

    Raises:
        InputError: for what is not BioC; passages that overlap.
        SettingError: for an unknown choice.
    """
    log = ReadLog(printable_path(path))
    records = _records(_documents(path, log), log, feature or "type")
    reading = reading_settings(feature=feature, ends=ends)
    return gather(records, log, reading, annotators=[""], ends=ends, again=False)


def _documents(path: PathName, log: ReadLog) -> Iterator[Mapping[str, Any]]:
    """Yield the documents of a file; each is forgotten before the next is read."""
    if read_head(path).shape == "xml":
        with open(path, "rb") as file:
            for element in elements(file, log.name):
                if element.tag == "document":
                    yield _from_xml(element, log)
                elif element.tag not in _OF_COLLECTION:
                    log.passed[_UNKNOWN] += 1
        return
    for place, record in json_records(path, _ALLOWED, inside=("documents", "PubTator3")):
        if not isinstance(record, dict):
            raise invalid_value(f"{place}:", record, _ALLOWED)
        yield from _in(record)


def _records(documents: Iterable[Mapping[str, Any]], log: ReadLog, label: str) -> Iterator[Record]:
    """Yield documents, each with its text and what is marked in it."""
    infons: Counter[str] = Counter()
    for document in documents:
        if document.get("id") is None:
            raise invalid_value(f"{log.name}: document", document, f"an id is needed: {_ALLOWED}")
        location = f"{log.name}: document {quote_value(document['id'])}"
        passages = objects_in(document["passages"], "passages", location)
        inner = [
            objects_in(passage.get("sentences"), "sentences", location) for passage in passages
        ]
        parts = [*passages, *chain.from_iterable(inner)]
        text = _text(parts, location)
        spans: list[RawSpan] = []
        known: dict[str, int] = {}
        here: dict[tuple[Pieces, str | None, str], int] = {}
        for part in (*parts, document):
            for marked in objects_in(part.get("annotations"), "annotations", location):
                place = f"{location}, annotation {quote_value(marked.get('id'))}"
                row = _row(marked, label, place, log, infons)
                if row is None:
                    continue
                if part is document and row in here:
                    log.passed["repeated annotation"] += 1
                else:
                    pieces, name, quote = row
                    attributes = _attributes(marked, label)
                    here[row] = len(spans)
                    spans.append(
                        RawSpan(None, None, name, quote or None, attributes, pieces, place)
                    )
                if marked.get("id") is not None:
                    known[str(marked["id"])] = here[row]
        if spans and not text:
            raise InputError(
                f"{location}: {pluralize(len(spans), 'annotation')} and no text in its passages, in"
                " which they would stand; export the texts too"
            )
        links = [
            link
            for part in (*parts, document)
            for relation in objects_in(part.get("relations"), "relations", location)
            for link in _links(relation, known, location, log)
        ]
        annotation = RawAnnotation("", spans, relations=links)
        yield Record(location, document["id"], {"text": text}, [annotation])
    if infons and label not in infons:
        there = join_names(f"{name} ({number})" for name, number in infons.items())
        advice = "--feature chooses the infon that holds the labels"
        log.notes.append(f"{log.name}: no infon {label}; there are {there}; {advice}")


def _links(
    relation: Mapping[str, Any], known: Mapping[str, int], location: str, log: ReadLog
) -> Iterator[RawRelation]:
    """Yield a relation of two annotations; count others."""
    place = f"{location}, relation {quote_value(relation.get('id'))}"
    nodes = objects_in(relation.get("nodes"), "nodes", place)
    infons = relation.get("infons") or {}
    label = infons.get("type") if isinstance(infons, dict) else None
    if len(nodes) != 2 or label is None:
        log.passed["other relation"] += 1
        return
    first, second = (known.get(str(node.get("refid"))) for node in nodes)
    yield RawRelation(first, second, str(label), place)


def _text(parts: list[dict[str, Any]], location: str) -> str:
    """Return the text of passages and sentences, each at its place, with blanks between."""
    pieces = [
        (_whole(part.get("offset"), location), part["text"]) for part in parts if part.get("text")
    ]
    text, size, known = [""], 0, 0
    for offset, piece in sorted(pieces, key=lambda pair: pair[0]):
        if not isinstance(piece, str) or offset < size:
            raise invalid_value(
                f"{location}: the passage at {offset}",
                piece,
                f"it begins before {size}, where the one before it ends; offsets count"
                " characters, and passages do not overlap",
            )
        known += len(piece)
        check_expansion(location, known, offset)
        text += [" " * (offset - size), piece]
        size = offset + len(piece)
    return "".join(text)


def _row(
    marked: Mapping[str, Any], name: str, location: str, log: ReadLog, kinds: Counter[str]
) -> tuple[Pieces, str | None, str] | None:
    """Return pieces, label and text of an annotation; count those without a location."""
    infons, covered = marked.get("infons") or {}, marked.get("text") or ""
    if not isinstance(infons, dict) or not isinstance(covered, str):
        odd = infons if isinstance(covered, str) else covered
        raise invalid_value(
            f"{location}: text or infons", odd, f"a string and a mapping: {_ALLOWED}"
        )
    label = infons.get(name)
    if not isinstance(label, (str, int, float, type(None))):
        raise invalid_value(f"{location}: {name}", label, "a string is needed")
    kinds.update(infons.keys())
    locations = objects_in(marked.get("locations"), "locations", location)
    if not locations:
        log.passed["unlocated annotation"] += 1
        return None
    pieces = []
    for bounds in locations:
        start = _whole(bounds.get("offset"), location)
        pieces.append((start, start + _whole(bounds.get("length"), location)))
    return tuple(pieces), None if label is None else str(label), covered


def _attributes(marked: Mapping[str, Any], label: str) -> dict[str, str]:
    """Return the infons of an annotation but its label, those that are text."""
    infons = marked.get("infons") or {}
    return {
        str(name): str(value)
        for name, value in infons.items()
        if name != label and isinstance(value, (str, int, float)) and str(value).strip()
    }


def _whole(value: object, location: str) -> int:
    """Return an offset or a length, which XML writes as text."""
    if isinstance(value, str) and value.strip().isdecimal():
        return whole_number(value.strip(), f"{location}: offset")
    if is_whole(value):
        return value
    raise invalid_value(
        f"{location}: offset or length", value, f"a whole number is needed: {_ALLOWED}"
    )


def _from_xml(element: Element, log: ReadLog) -> dict[str, Any]:
    """Return a document, or a part of one, as JSON has it."""
    known = (*_PLAIN, *_PARTS, "infon", "node")
    log.passed[_UNKNOWN] += sum(part.tag not in known for part in element)
    parts = {
        f"{kind}s": [_from_xml(part, log) for part in element.findall(kind)] for kind in _PARTS
    }
    plain = {name: element.findtext(name) for name in _PLAIN}
    infons = {infon.get("key", ""): infon.text for infon in element.findall("infon")}
    return {**plain, **element.attrib, **parts, "infons": infons}
