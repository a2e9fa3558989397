"""BioC, as XML and JSON: documents of passages, with what one annotator marked in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any
from xml.etree.ElementTree import Element

from spanagree.corpus.collector import Collector
from spanagree.corpus.details import Pieces
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    is_whole,
    listed,
    printable,
    show,
    unfit,
    whole_number,
)
from spanagree.files import PathName, from_json, lines_of, naming_files, read_text
from spanagree.formats.exports import objects_in
from spanagree.formats.paths import first_at
from spanagree.formats.peek import Peek, passed_over, peek
from spanagree.formats.xml_elements import elements
from spanagree.limits import check_expansion
from spanagree.settings import as_read

_ALLOWED = "BioC has passages with offset and text, and annotations with locations"


def knows_bioc(start: Peek) -> bool:
    """Return whether a file begins as BioC does, in XML or JSON."""
    if start.shape == "xml":
        text = "\n".join(start.lines)
        return bool(re.search(r"<collection[\s>]", text)) and "<passage>" in text
    inside = [each for record in start.objects for each in _first(record)]
    texts = [first_at(each, "passages[0].text") for each in inside]  # BigBIO's are lists
    return bool(inside) and all(
        "passages" in each and not isinstance(text, list)
        for each, text in zip(inside, texts, strict=True)
    )


def _first(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a record, or the first in the lists of one that holds others."""
    if "passages" in record:
        yield record
    else:
        lists = (value for value in record.values() if isinstance(value, list) and value)
        yield from (value[0] for value in lists if isinstance(value[0], dict))


@naming_files()
def raw_bioc(
    path: PathName,
    *,
    feature: str | None = None,
) -> RawCorpus:
    """Return the rows of a BioC file, in XML or JSON, unchecked: one annotator, without a name.

    The text of a document is that of its passages, each at its offset in characters, with blanks
    between them where they do not touch.

    Args:
        path: the file.
        feature: the infon that holds the labels, ``type`` unless named.

    Raises:
        InputError: for what is not BioC; passages that overlap.
        SettingError: for an unknown choice.
    """
    where = printable(str(path))
    reader = _Reader(where, feature or "type")
    shape = peek(path).shape
    if shape == "xml":
        with open(path, "rb") as file:
            for element in elements(file, where):
                if element.tag == "document":
                    reader.take(_from_xml(element))
    elif shape == "jsonl":
        for number, line in enumerate(lines_of(path), 1):
            if line.strip():
                from_json(line, f"{where}:{number}", _ALLOWED, reader.taken)
    else:
        from_json(read_text(path), where, _ALLOWED, reader.taken)
    return reader.raw(as_read(feature=feature))


class _Reader:
    """The documents so far; each is taken when it is complete, and forgotten."""

    def __init__(self, where: str, label: str) -> None:
        self.where = where
        self.label = label
        self.collector = Collector("characters", [""], unnamed=True, name=where)
        self.passed: Counter[str] = Counter()
        self.infons: Counter[str] = Counter()

    def taken(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
        """Take an object of JSON if it is a document; return any other."""
        given = dict(pairs)
        if "passages" not in given:
            return given
        self.take(given)
        return None

    def take(self, document: Mapping[str, Any]) -> None:
        """Take a document: its text, and what is marked in it."""
        if document.get("id") is None:
            raise unfit(f"{self.where}: document", document, f"an id is needed: {_ALLOWED}")
        where = f"{self.where}: document {show(document['id'])}"
        passages = objects_in(document["passages"], "passages", where)
        inner = [objects_in(passage.get("sentences"), "sentences", where) for passage in passages]
        parts = [*passages, *chain.from_iterable(inner)]
        text = self._text(parts, where)
        number = self.collector.document(document["id"], where, text=text)
        annotation = self.collector.annotation(number, "", where)
        here: dict[tuple[Pieces, str | None, str], int] = {}
        known: dict[str, int] = {}
        for part in (*parts, document):
            for marked in objects_in(part.get("annotations"), "annotations", where):
                place = f"{where}, annotation {show(marked.get('id'))}"
                row = self._row(marked, place)
                if row is None:
                    continue
                if part is document and row in here:
                    self.passed["repeated annotation"] += 1
                else:
                    pieces, label, quote = row
                    others = _attributes(marked, self.label), quote or None
                    made = self.collector.in_pieces(annotation, pieces, label, place, *others)
                    here[row] = made
                if marked.get("id") is not None:
                    known[str(marked["id"])] = here[row]
        for part in (*parts, document):
            for relation in objects_in(part.get("relations"), "relations", where):
                self._link(relation, known, where)

    def _link(self, relation: Mapping[str, Any], known: Mapping[str, int], where: str) -> None:
        """Add a relation of two annotations; count others."""
        place = f"{where}, relation {show(relation.get('id'))}"
        nodes = objects_in(relation.get("nodes"), "nodes", place)
        infons = relation.get("infons") or {}
        label = infons.get("type") if isinstance(infons, dict) else None
        if len(nodes) != 2 or label is None:
            self.passed["other relation"] += 1
            return
        first, second = (known.get(str(node.get("refid"))) for node in nodes)
        self.collector.relation(first, second, str(label), place, True)

    def _text(self, parts: list[dict[str, Any]], where: str) -> str:
        """Return the text of passages and sentences, each at its place, with blanks between."""
        pieces = [
            (_whole(part.get("offset"), where), part["text"]) for part in parts if part.get("text")
        ]
        text, size, known = [""], 0, 0
        for offset, piece in sorted(pieces, key=lambda each: each[0]):
            if not isinstance(piece, str) or offset < size:
                raise unfit(
                    f"{where}: the passage at {offset}",
                    piece,
                    f"it begins before {size}, where the one before it ends; offsets count"
                    " characters, and passages do not overlap",
                )
            known += len(piece)
            check_expansion(where, known, offset)
            text += [" " * (offset - size), piece]
            size = offset + len(piece)
        return "".join(text)

    def _row(self, marked: Mapping[str, Any], where: str) -> tuple[Pieces, str | None, str] | None:
        """Return pieces, label and text of an annotation; count those without a location."""
        infons, covered = marked.get("infons") or {}, marked.get("text") or ""
        if not isinstance(infons, dict) or not isinstance(covered, str):
            odd = infons if isinstance(covered, str) else covered
            raise unfit(f"{where}: text or infons", odd, f"a string and a mapping: {_ALLOWED}")
        label = infons.get(self.label)
        if not isinstance(label, (str, int, float, type(None))):
            raise unfit(f"{where}: {self.label}", label, "a string is needed")
        self.infons.update(infons.keys())
        locations = objects_in(marked.get("locations"), "locations", where)
        if not locations:
            self.passed["unlocated annotation"] += 1
            return None
        pieces = []
        for location in locations:
            start = _whole(location.get("offset"), where)
            pieces.append((start, start + _whole(location.get("length"), where)))
        return tuple(pieces), None if label is None else str(label), covered

    def raw(self, reading: Mapping[str, Any], **more: str) -> RawCorpus:
        """Return the rows of all documents, with a note of what was passed over."""
        notes = passed_over(self.where, self.passed)
        if self.infons and self.label not in self.infons:
            there = listed(f"{name} ({number})" for name, number in self.infons.items())
            advice = "--feature chooses the infon that holds the labels"
            notes += (f"{self.where}: no infon {self.label}; there are {there}; {advice}",)
        return self.collector.raw({**more, **reading}, notes)


def _attributes(marked: Mapping[str, Any], label: str) -> dict[str, str]:
    """Return the infons of an annotation but its label, those that are text."""
    infons = marked.get("infons") or {}
    return {
        str(name): str(value)
        for name, value in infons.items()
        if name != label and isinstance(value, (str, int, float)) and str(value).strip()
    }


def _whole(value: object, where: str) -> int:
    """Return an offset or a length, which XML writes as text."""
    if isinstance(value, str) and value.strip().isdecimal():
        return whole_number(value.strip(), f"{where}: offset")
    if is_whole(value):
        return value
    raise unfit(f"{where}: offset or length", value, f"a whole number is needed: {_ALLOWED}")


def _from_xml(element: Element) -> dict[str, Any]:
    """Return a document, or a part of one, as JSON has it."""
    kinds = ("passage", "sentence", "annotation", "relation", "location")
    parts = {f"{kind}s": [_from_xml(each) for each in element.findall(kind)] for kind in kinds}
    plain = {name: element.findtext(name) for name in ("id", "offset", "text")}
    infons = {each.get("key", ""): each.text for each in element.findall("infon")}
    return {**plain, **element.attrib, **parts, "infons": infons}
