"""BioC files in XML and JSON: documents of passages, annotated by one annotator.

An *infon* is a key with a value, of a passage, annotation or relation; one holds the label.
"""

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
    escape_path,
    invalid_value,
    is_integer,
    join_names,
    parse_whole_number,
    pluralize,
    quote_value,
)
from spanagree.files import PathName, name_files_in_errors
from spanagree.formats.exports import check_objects
from spanagree.formats.file_head import FileHead, read_head
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.paths import find_first_value
from spanagree.formats.records import (
    RawAnnotation,
    RawRelation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.formats.xml_elements import yield_elements
from spanagree.limits import check_expansion
from spanagree.settings import build_reading_settings

_COLLECTION_TAGS = ("source", "date", "key", "infon")
_TEXT_TAGS = ("id", "offset", "text")
_LIST_TAGS = ("passage", "sentence", "annotation", "relation", "location", "node")
_UNKNOWN = "element that BioC does not have"
_ALLOWED = "BioC has passages with offset and text, and annotations with locations"


def looks_like_bioc(start: FileHead) -> bool:
    """Check whether a file begins like BioC, in XML or JSON."""
    if start.shape == "xml":
        text = "\n".join(start.lines)
        return bool(re.search(r"<collection[\s>]", text)) and "<passage>" in text
    documents = [next(_yield_inner_documents(record), None) for record in start.objects]
    texts = (
        find_first_value(document, "passages[0].text") for document in documents
    )  # BigBIO's are lists
    return (
        bool(documents)
        and None not in documents
        and not any(isinstance(text, list) for text in texts)
    )


def _yield_inner_documents(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a record with passages, or all such objects in the lists of a record."""
    if "passages" in record:
        yield record
    else:
        lists = (value for value in record.values() if isinstance(value, list))
        for item in chain.from_iterable(lists):
            if isinstance(item, dict) and "passages" in item:
                yield item


@name_files_in_errors()
def read_raw_bioc(
    path: PathName, *, feature: str | None = None, ends: Ends | None = None
) -> RawCorpus:
    """Read a BioC file, in XML or JSON, unchecked: one annotator, without a name.

    The text of a document consists of its passages, each at its offset in characters, with blanks
    between passages that do not touch.

    Args:
        path: path of the file.
        feature: infon that contains the labels. Default: ``type``.
        ends: convention for ends, inclusive or exclusive. Default: inferred from the texts of
            mentions.

    Raises:
        InputError: if the file is not BioC, or passages overlap.
        SettingError: if a choice is unknown.
    """
    log = ReadLog(escape_path(path))
    records = _parse_documents(_yield_documents(path, log), log, feature or "type")
    reading = build_reading_settings(feature=feature, ends=ends)
    return build_raw_from_records(records, log, reading, annotators=[""], ends=ends, again=False)


def _yield_documents(path: PathName, log: ReadLog) -> Iterator[Mapping[str, Any]]:
    """Yield the documents of a file, one in memory at a time."""
    if read_head(path).shape == "xml":
        with open(path, "rb") as file:
            for element in yield_elements(file, log.name):
                if element.tag == "document":
                    yield _convert_xml_document(element, log)
                elif element.tag not in _COLLECTION_TAGS:
                    log.passed[_UNKNOWN] += 1
        return
    for location, record in yield_json_records(path, _ALLOWED, inside=("documents", "PubTator3")):
        if not isinstance(record, dict):
            raise invalid_value(f"{location}:", record, _ALLOWED)
        yield from _yield_inner_documents(record)


def _parse_documents(
    documents: Iterable[Mapping[str, Any]], log: ReadLog, label_infon: str
) -> Iterator[Record]:
    """Yield a record for each document, with its text, annotations and relations.

    ``label_infon`` is the key of the infon with the label.
    """
    infon_counts: Counter[str] = Counter()
    for document in documents:
        if document.get("id") is None:
            raise invalid_value(f"{log.name}: document", document, f"an id is needed: {_ALLOWED}")
        location = f"{log.name}: document {quote_value(document['id'])}"
        passages = check_objects(document["passages"], "passages", location)
        sentence_lists = [
            check_objects(passage.get("sentences"), "sentences", location) for passage in passages
        ]
        passages_and_sentences = [*passages, *chain.from_iterable(sentence_lists)]
        text = _join_passages(passages_and_sentences, location)
        spans: list[RawSpan] = []
        span_by_id: dict[str, int] = {}
        span_by_content: dict[tuple[Pieces, str | None, str], int] = {}
        for element in (*passages_and_sentences, document):
            for item in check_objects(element.get("annotations"), "annotations", location):
                item_location = f"{location}, annotation {quote_value(item.get('id'))}"
                content = _parse_annotation(item, label_infon, item_location, log, infon_counts)
                if content is None:
                    continue
                if element is document and content in span_by_content:
                    log.passed["repeated annotation"] += 1
                else:
                    fragments, label, quote = content
                    attributes = _select_attributes(item, label_infon)
                    span_by_content[content] = len(spans)
                    spans.append(
                        RawSpan(
                            None, None, label, quote or None, attributes, fragments, item_location
                        )
                    )
                if item.get("id") is not None:
                    span_by_id[str(item["id"])] = span_by_content[content]
        if spans and not text:
            raise InputError(
                f"{location}: {pluralize(len(spans), 'annotation')} and no text in its passages, in"
                " which they would stand; export the texts too"
            )
        relations = [
            raw_relation
            for element in (*passages_and_sentences, document)
            for relation in check_objects(element.get("relations"), "relations", location)
            for raw_relation in _yield_relations(relation, span_by_id, location, log)
        ]
        annotation = RawAnnotation("", spans, relations=relations)
        yield Record(location, document["id"], {"text": text}, [annotation])
    if infon_counts and label_infon not in infon_counts:
        available = join_names(f"{label} ({count})" for label, count in infon_counts.items())
        advice = "--feature chooses the infon that holds the labels"
        log.notes.append(f"{log.name}: no infon {label_infon}; there are {available}; {advice}")


def _yield_relations(
    relation: Mapping[str, Any], span_by_id: Mapping[str, int], location: str, log: ReadLog
) -> Iterator[RawRelation]:
    """Yield a relation of two annotations; count other relations."""
    relation_location = f"{location}, relation {quote_value(relation.get('id'))}"
    nodes = check_objects(relation.get("nodes"), "nodes", relation_location)
    infons = relation.get("infons") or {}
    label = infons.get("type") if isinstance(infons, dict) else None
    if len(nodes) != 2 or label is None:
        log.passed["other relation"] += 1
        return
    first, second = (span_by_id.get(str(node.get("refid"))) for node in nodes)
    yield RawRelation(first, second, str(label), relation_location)


def _join_passages(passages: list[dict[str, Any]], location: str) -> str:
    """Join the texts of passages and sentences, each at its offset, with blanks between."""
    texts_by_offset = [
        (_parse_offset(passage.get("offset"), location), passage["text"])
        for passage in passages
        if passage.get("text")
    ]
    fragments, end, n_characters = [""], 0, 0
    for offset, passage_text in sorted(texts_by_offset, key=lambda pair: pair[0]):
        if not isinstance(passage_text, str) or offset < end:
            raise invalid_value(
                f"{location}: the passage at {offset}",
                passage_text,
                f"it begins before {end}, where the one before it ends; offsets count"
                " characters, and passages do not overlap",
            )
        n_characters += len(passage_text)
        check_expansion(location, n_characters, offset)
        fragments += [" " * (offset - end), passage_text]
        end = offset + len(passage_text)
    return "".join(fragments)


def _parse_annotation(
    item: Mapping[str, Any],
    label_infon: str,
    location: str,
    log: ReadLog,
    infon_counts: Counter[str],
) -> tuple[Pieces, str | None, str] | None:
    """Parse the fragments, label and text of an annotation; ``None`` if it has no location.

    ``label_infon`` is the key of the infon with the label. Annotations without a location are
    counted in the log, and infons by key in ``infon_counts``.
    """
    infons, quote = item.get("infons") or {}, item.get("text") or ""
    if not isinstance(infons, dict) or not isinstance(quote, str):
        invalid = infons if isinstance(quote, str) else quote
        raise invalid_value(
            f"{location}: text or infons", invalid, f"a string and a mapping: {_ALLOWED}"
        )
    label = infons.get(label_infon)
    if not isinstance(label, (str, int, float, type(None))):
        raise invalid_value(f"{location}: {label_infon}", label, "a string is needed")
    infon_counts.update(infons.keys())
    locations = check_objects(item.get("locations"), "locations", location)
    if not locations:
        log.passed["unlocated annotation"] += 1
        return None
    fragments = []
    for bounds in locations:
        start = _parse_offset(bounds.get("offset"), location)
        fragments.append((start, start + _parse_offset(bounds.get("length"), location)))
    return tuple(fragments), None if label is None else str(label), quote


def _select_attributes(item: Mapping[str, Any], label: str) -> dict[str, str]:
    """Select the infons of an annotation that are text, except its label."""
    infons = item.get("infons") or {}
    return {
        str(name): str(value)
        for name, value in infons.items()
        if name != label and isinstance(value, (str, int, float)) and str(value).strip()
    }


def _parse_offset(value: object, location: str) -> int:
    """Parse an offset or length, which is text in XML."""
    if isinstance(value, str) and value.strip().isdecimal():
        return parse_whole_number(value.strip(), f"{location}: offset")
    if is_integer(value):
        return value
    raise invalid_value(
        f"{location}: offset or length", value, f"a whole number is needed: {_ALLOWED}"
    )


def _convert_xml_document(element: Element, log: ReadLog) -> dict[str, Any]:
    """Convert an XML element of a document to the structure of BioC JSON."""
    known_tags = (*_TEXT_TAGS, *_LIST_TAGS, "infon")
    log.passed[_UNKNOWN] += sum(child.tag not in known_tags for child in element)
    children = {
        f"{tag}s": [_convert_xml_document(child, log) for child in element.findall(tag)]
        for tag in _LIST_TAGS
    }
    texts = {name: element.findtext(name) for name in _TEXT_TAGS}
    infons = {infon.get("key", ""): infon.text for infon in element.findall("infon")}
    return {**texts, **element.attrib, **children, "infons": infons}
