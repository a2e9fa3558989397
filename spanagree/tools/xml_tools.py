"""XML of annotation tools and corpora: one reader, and an entry for each in a table.

An entry says how a file is known, and yields the records that it holds. Offsets count characters of
the document's text.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from spanagree.corpus.offsets import with_short_ends
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    invalid_value,
    join_names,
    printable_path,
    quote_value,
    whole_number,
)
from spanagree.files import PathName, Zip, decoded, naming_files, open_zip, read_bytes, read_text
from spanagree.formats.file_head import FileHead, read_head
from spanagree.formats.records import RawAnnotation, RawSpan, ReadLog, Record, gather
from spanagree.formats.xml_elements import declared_encoding, name_of, tree
from spanagree.tools.beside_texts import beside


class Source(NamedTuple):
    """A file that is read: its root, where its texts stand, and what is passed over in it."""

    path: Path
    location: str
    root: Element
    text_of: Callable[[str], str]
    passed: Counter[str]

    def record(self, document: str, text: str, annotations: Iterable[RawAnnotation]) -> Record:
        """Return a document of the file."""
        place = f"{self.location}: document {quote_value(document)}"
        return Record(place, document, {"text": text}, annotations)


class XmlTool(NamedTuple):
    """An entry: what a file begins with, what the tool is, and how a file of it is read."""

    begins: str
    means: str
    read: Callable[[Source], Iterator[Record]]


_NO_PEOPLE = ("Extensible_Human_Oracle_Suite_of_Tools", "ADJUDICATION")  # as eHOST calls itself
_INLINE = ("ENAMEX", "NUMEX", "TIMEX", "TIMEX2", "TIMEX3")
_TEI = ("rs", "persName", "placeName", "orgName", "geogName", "name")
_WORDS = ("w", "pc")
_BLOCKS = ("p", "head", "l", "ab", "div", "lg", "s", "TEXT", "DOC", "doc", "HL", "P")


def knows_xml_tools(start: FileHead) -> bool:
    """Return whether a file, a folder or a zip is of one of the tools."""
    if start.shape == "zip":
        return any(name.endswith(".qde") for name in start.members)
    if start.shape == "folder":
        return any(name.endswith(".knowtator.xml") for name in start.members)
    return start.shape in ("xml", "text") and _tool_of("\n".join(start.lines)) is not None


@naming_files()
def raw_xml_tools(path: PathName) -> RawCorpus:
    """Return the rows of a file of one of :data:`TOOLS`, or of a folder of them, unchecked.

    Raises:
        InputError: for what is not XML, or not as the tool writes it; for a text that is not there.
    """
    log = ReadLog(printable_path(path))
    means: set[str] = set()
    raw = gather(_records(Path(path), log, means), log, {"format": "xml"}, one_each=True)
    return raw.replace(notes=(f"{log.name}: {' and '.join(sorted(means))}", *raw.notes))


def _records(path: Path, log: ReadLog, means: set[str]) -> Iterator[Record]:
    for source, tool in _sources(path, log.passed):
        means.add(tool.means)
        for record in tool.read(source):
            kept = []
            for annotation in record.annotations:
                if annotation.annotator in _NO_PEOPLE:
                    log.passed["span of the tool itself"] += len(list(annotation.spans or ()))
                else:
                    kept.append(annotation)
            yield record._replace(annotations=kept)
    if not means:
        raise InputError(f"{log.name}: no file of {join_names(tool.means for tool in TOOLS)}")


def _sources(path: Path, passed: Counter[str]) -> Iterator[tuple[Source, XmlTool]]:
    """Yield each file that is read, and its tool."""
    start = read_head(path)
    if start.shape == "zip":
        yield from _in_zip(path, passed)
        return
    files, known = [path], dict[Path, list[Path]]()
    if start.shape == "folder":
        files = [path / name for name in sorted(start.members) if name.endswith(".knowtator.xml")]
    for file in files:
        location = printable_path(file)
        raw = read_bytes(location, str(file))
        root, tool = _parsed(location, raw)
        text = cache(partial(_text_beside, file, known, location))  # several may name one file
        yield Source(file, location, root, text, passed), tool


def _text_beside(file: Path, known: dict[Path, list[Path]], location: str, wanted: str) -> str:
    return read_text(beside(file, wanted, location, known))


def _in_zip(path: Path, passed: Counter[str]) -> Iterator[tuple[Source, XmlTool]]:
    name = printable_path(path)
    with open_zip(path) as archive:
        by_base = {  # of equal names the first
            member.rpartition("/")[2].casefold(): member for member in reversed(archive.names)
        }
        for member in (member for member in archive.names if member.endswith(".qde")):
            location = f"{name}, {quote_value(member)}"
            root, tool = _parsed(location, archive.read(member))
            text = cache(partial(_text_in_zip, archive, by_base, location))
            yield Source(path, location, root, text, passed), tool


def _text_in_zip(archive: Zip, by_base: Mapping[str, str], location: str, wanted: str) -> str:
    base = wanted.rpartition("/")[2]
    if (name := by_base.get(base.casefold())) is None:
        raise InputError(
            f"{location}: no file {quote_value(base)} in the archive; pack it once more"
        )
    return archive.read(name).decode("utf-8-sig", "replace")


def _parsed(location: str, raw: bytes) -> tuple[Element, XmlTool]:
    """Return the root of some XML, and the tool that wrote it; tags in a text have no root."""
    text = raw[: 1 << 16].decode("utf-8", "replace")
    tool = _tool_of(text)
    if tool is None:
        raise InputError(f"{location}: none of {join_names(tool.means for tool in TOOLS)}")
    if tool.read is _inline:
        body = raw.removeprefix(b"\xef\xbb\xbf")
        if (encoding := declared_encoding(body).lower()) != "utf-8":
            body = decoded(location, body, encoding).encode()
        body = re.sub(rb"^\s*<\?xml.*?\?>", b"", body)
        body = re.sub(rb"&(?!(?:amp|lt|gt|quot|apos|#\d+);)", b"&amp;", body)
        raw = b"<doc>" + re.sub(rb"<!DOCTYPE[^<>\[]*>", b"", body) + b"</doc>"
    return tree(io.BytesIO(raw), location), tool


def _tool_of(text: str) -> XmlTool | None:
    return next((tool for tool in TOOLS if re.search(tool.begins, text)), None)


# --- standoff -------------------------------------------------------------------------------------


def _whole(digits: str, location: str) -> int:
    """Return the whole number that digits write, of which the sign is taken too."""
    if not re.fullmatch(r"\s*-?[0-9]+\s*", digits):
        raise invalid_value(location, digits, "a whole number is needed")
    return whole_number(digits.strip(), location)


def _number(element: Element, name: str, location: str) -> int:
    """Return a whole number that an element has as an attribute."""
    value = element.get(name)
    if value is None:
        raise invalid_value(f"{location}: {name_of(element)}", element.attrib, f"{name} is needed")
    return _whole(value, f"{location}: {name}")


def _pieces(spans: Iterable[Element], location: str) -> list[tuple[int, int]]:
    """Return start and end of each element of a span."""
    return [(_number(span, "start", location), _number(span, "end", location)) for span in spans]


def _of_people(spans: Iterable[tuple[str, RawSpan]]) -> list[RawAnnotation]:
    """Return what each annotator marked."""
    by: dict[str, list[RawSpan]] = {}
    for name, span in spans:
        by.setdefault(name, []).append(span)
    return [RawAnnotation(name, some) for name, some in by.items()]


def _gate(source: Source) -> Iterator[Record]:
    """Read GATE's document: nodes in its text, and sets of annotations between them."""
    with_nodes = source.root.find("TextWithNodes")
    if with_nodes is None:
        raise InputError(f"{source.location}: no TextWithNodes, in which GATE has its text")
    between, place, size = [with_nodes.text or ""], {}, len(with_nodes.text or "")
    for node in with_nodes:
        place[node.get("id")] = size
        between.append(node.tail or "")
        size += len(between[-1])
    annotations = []
    for group in source.root.iter("AnnotationSet"):
        spans = []
        for annotation in group.findall("Annotation"):
            ends = annotation.get("StartNode"), annotation.get("EndNode")
            if not {*ends} <= place.keys():
                raise invalid_value(
                    f"{source.location}: annotation", annotation.attrib, "of nodes in the text"
                )
            features = {
                f.findtext("Name", ""): f.findtext("Value", "") for f in annotation.iter("Feature")
            }
            kept = {key: value for key, value in features.items() if key.strip() and value.strip()}
            spans.append(
                RawSpan(place[ends[0]], place[ends[1]], annotation.get("Type"), None, kept)
            )
        annotations.append(RawAnnotation(group.get("Name") or "", spans))
    yield source.record(_stem(source.path), "".join(between), annotations)


def _knowtator(source: Source) -> Iterator[Record]:
    """Read Knowtator 1, or eHOST: spans with mentions, and apart from these their classes."""
    named = source.root.get("textSource") or source.path.name.removesuffix(".knowtator.xml")
    text = source.text_of(named)
    classes = {
        element.get("id"): child.get("id")
        for element in source.root.iter("classMention")
        if (child := element.find("mentionClass")) is not None
    }
    values = {
        element.get("id"): (child.get("id"), element.find("stringSlotMentionValue"))
        for element in source.root.iter("stringSlotMention")
        if (child := element.find("mentionSlot")) is not None
    }
    slots: dict[str | None, dict[str, str]] = {}
    for one_class in source.root.iter("classMention"):
        for slot in one_class.findall("hasSlotMention"):
            name, value = values.get(slot.get("id"), (None, None))
            given = "" if value is None else value.get("value", "")
            if name and given.strip():
                slots.setdefault(one_class.get("id"), {})[name] = given
    spans = []
    for annotation in source.root.iter("annotation"):
        mention, annotator = annotation.find("mention"), annotation.findtext("annotator") or ""
        id_ = None if mention is None else mention.get("id")
        place = f"{source.location}: mention {quote_value(id_)}"
        pieces = _pieces(annotation.findall("span"), place)
        if not pieces or mention is None:
            source.passed["annotation without a span"] += 1
            continue
        id_ = mention.get("id")
        quote = annotation.findtext("spannedText") or None
        spans.append(
            (
                annotator.strip(),
                RawSpan(None, None, classes.get(id_), quote, slots.get(id_), pieces),
            )
        )
    yield source.record(named.removesuffix(".txt"), text, _of_people(spans))


def _knowtator_2(source: Source) -> Iterator[Record]:
    """Read Knowtator 2: documents with the annotations of all."""
    source.passed["relation"] += sum(1 for _ in source.root.iter("triple"))
    for document in source.root.iter("document"):
        id_ = document.get("id") or _stem(source.path)
        text = source.text_of(document.get("text-file") or f"{id_}.txt")
        spans = []
        for annotation in document.findall("annotation"):
            place = f"{source.location}: annotation {quote_value(annotation.get('id'))}"
            kind, bounds = annotation.find("class"), annotation.findall("span")
            pieces = _pieces(bounds, place)
            if not pieces:
                source.passed["annotation without a span"] += 1
                continue
            quote = " ".join(s.text or "" for s in bounds).strip() or None
            label = None if kind is None else kind.get("id") or kind.get("label")
            span = RawSpan(label=label, quote=quote, pieces=pieces)
            spans.append((annotation.get("annotator") or "", span))
        yield source.record(id_.removesuffix(".txt"), text, _of_people(spans))


def _i2b2(source: Source) -> Iterator[Record]:
    """Read i2b2's and MAE's files: TEXT, and TAGS whose elements are called as their label."""
    text, tags = source.root.findtext("TEXT"), source.root.find("TAGS")
    if text is None or tags is None:
        raise InputError(f"{source.location}: TEXT and TAGS are needed")
    spans = []
    for tag in tags:
        place = f"{source.location}: {name_of(tag)} {quote_value(tag.get('id'))}"
        several = tag.get("spans")
        if several is not None:
            bounds = [piece.split("~") for piece in several.split(",")]
            if any(len(bound) != 2 for bound in bounds):
                raise invalid_value(f"{place}: spans", several, "start~end, with commas between")
            pieces = [tuple(_whole(x, place) for x in bound) for bound in bounds]
        elif tag.get("start") is None:
            source.passed["relation"] += 1
            continue
        else:
            pieces = [(_number(tag, "start", place), _number(tag, "end", place))]
        if any(start < 0 for start, _ in pieces):
            source.passed["annotation without a span"] += 1
            continue
        label = tag.get("TYPE") or tag.get("type") or name_of(tag)
        spans.append(RawSpan(label=label, quote=tag.get("text") or None, pieces=pieces))
    yield source.record(_stem(source.path), text, [RawAnnotation("", spans)])


def _ace(source: Source) -> Iterator[Record]:
    """Read ACE's apf: mentions of entities, whose end is that of the last character.

    The text is that of the .sgm file beside it without its tags, which do not count.
    """
    named = source.root.get("URI") or f"{source.path.name.removesuffix('.apf.xml')}.sgm"
    text = re.sub(r"<[^>]*>", "", with_short_ends(source.text_of(named)))
    for kind in ("relation", "event"):
        source.passed[kind] += sum(1 for _ in source.root.iter(f"{kind}_mention"))
    for document in source.root.iter("document"):
        id_ = document.get("DOCID") or _stem(source.path)
        spans = []
        for entity in (e for kind in ("entity", "value", "timex2") for e in document.findall(kind)):
            label = entity.get("TYPE") or name_of(entity)
            for mention in (e for e in entity if name_of(e).endswith("_mention")):
                piece = mention.find("extent/charseq")
                if piece is None:
                    source.passed["annotation without a span"] += 1
                    continue
                place = f"{source.location}: {quote_value(mention.get('ID'))}"
                bounds = _number(piece, "START", place), _number(piece, "END", place) + 1
                spans.append(RawSpan(*bounds, label, piece.text))
        yield source.record(id_, text, [RawAnnotation("", spans)])


def _refi(source: Source) -> Iterator[Record]:
    """Read REFI-QDA: selections in plain texts, and who gave them which code."""
    guids = [e for e in source.root.iter() if e.get("guid")]
    codes = {e.get("guid"): e.get("name") for e in guids if name_of(e) == "Code"}
    users = {e.get("guid"): e.get("name") or e.get("id") for e in guids if name_of(e) == "User"}
    others = [e for e in source.root.iter() if name_of(e).endswith("Selection")]
    source.passed["selection in no text"] += sum(name_of(e) != "PlainTextSelection" for e in others)
    for document in (e for e in source.root.iter() if name_of(e) == "TextSource"):
        held = [e.text or "" for e in document if name_of(e) == "PlainTextContent"]
        named = document.get("plainTextPath") or ""
        text = held[0] if held else source.text_of(named)
        spans = []
        for selection in (e for e in document if name_of(e) == "PlainTextSelection"):
            place = f"{source.location}: selection {quote_value(selection.get('guid'))}"
            bounds = (
                _number(selection, "startPosition", place),
                _number(selection, "endPosition", place),
            )
            codings = [e for e in selection if name_of(e) == "Coding"]
            source.passed["selection without a code"] += not codings
            for coding in codings:
                user = coding.get("creatingUser") or selection.get("creatingUser")
                targets = [e.get("targetGUID") for e in coding if name_of(e) == "CodeRef"]
                spans += [
                    (users.get(user) or "", RawSpan(*bounds, codes.get(code))) for code in targets
                ]
        name = document.get("name") or named or document.get("guid") or ""
        yield source.record(name, text, _of_people(spans))


# --- inline ---------------------------------------------------------------------------------------


def _inline(source: Source) -> Iterator[Record]:
    """Read tags in a text, such as MUC's ``<ENAMEX TYPE="PERSON">``."""
    text, spans = _marked(source.root, lambda e: name_of(e) in _INLINE)
    yield source.record(_stem(source.path), text, [RawAnnotation("", spans)])


def _tei(source: Source) -> Iterator[Record]:
    """Read names in the texts of TEI; where words are elements, a blank stands between them."""
    stem = _stem(source.path)
    bodies = _bodies_of_tei(source.root) or [(source.root, source.root)]
    for number, (document, body) in enumerate(bodies, 1):
        text, spans = _marked(body, lambda e: name_of(e) in _TEI)
        id_ = document.get("{http://www.w3.org/XML/1998/namespace}id") or f"{stem}:{number}"
        name = stem if len(bodies) == 1 else id_
        yield source.record(name, text, [RawAnnotation("", spans)])


def _bodies_of_tei(root: Element) -> list[tuple[Element, Element]]:
    """Return each TEI with its own text, which is in no TEI inside it; itself if it has none.

    One that has no text, and others inside it, is a corpus of these.
    """
    bodies: dict[Element, Element | None] = {}
    corpora: set[Element] = set()
    open_elements: list[tuple[Element, Element | None]] = [(root, None)]
    while open_elements:
        element, document = open_elements.pop()
        if name_of(element) == "TEI":
            if document is not None:
                corpora.add(document)
            document = element
            bodies[document] = None
        elif name_of(element) == "text" and document is not None and bodies[document] is None:
            bodies[document] = element
        open_elements += ((child, document) for child in reversed(element))
    return [
        (document, document if body is None else body)
        for document, body in bodies.items()
        if body is not None or document not in corpora
    ]


def _marked(root: Element, is_mark: Callable[[Element], bool]) -> tuple[str, list[RawSpan]]:
    """Return the text in an element, and the spans of those inside that are marks."""
    by_words = any(name_of(e) in _WORDS for e in root.iter())
    inline = _Inline(is_mark, by_words=by_words)
    inline.walk(root)
    return "".join(inline.text), inline.spans


class _Inline:
    """Gathers the text of elements, and the spans of those that are marks.

    Words (``w``, ``pc``) have a blank between them, unless the first is joined to the next.
    """

    def __init__(self, is_mark: Callable[[Element], bool], *, by_words: bool) -> None:
        self.is_mark = is_mark
        self.by_words = by_words
        self.text: list[str] = []
        self.size = 0
        self.joined = True  # to what comes next
        self.begun: dict[int, int] = {}  # where spans begin of which some text came already
        self.waiting: list[int] = []  # spans of which none came
        self.spans: list[RawSpan] = []

    def walk(self, element: Element) -> None:
        """Add what is in an element."""
        name, number = name_of(element), len(self.spans)
        if self.by_words and name in _WORDS:
            self._add_word(element)
            return
        is_mark = bool(name) and self.is_mark(element)
        if is_mark:
            label = element.get("type") or element.get("TYPE") or name
            self.spans.append(RawSpan(self.size, self.size, label))
            self.waiting.append(number)
        if name and not self.by_words:  # a comment has no name
            self._begin()
            self._add(element.text or "")
        for child in element:
            if name_of(child) != "TEI":  # a document of its own
                self.walk(child)
            if not self.by_words:
                self._add(child.tail or "")
        if is_mark:
            start = self.begun.get(number, self.size)
            self.spans[number] = RawSpan(start, self.size, self.spans[number].label)
            if number in self.waiting:
                self.waiting.remove(number)
        if self.by_words and name in _BLOCKS and self.size and self.text[-1] != "\n":
            self._add("\n")
            self.joined = True

    def _add_word(self, element: Element) -> None:
        if not self.joined and element.get("join") not in ("left", "both"):
            self._add(" ")
        self._begin()
        self._add("".join(element.itertext()).strip())
        self.joined = element.get("join") in ("right", "both")

    def _begin(self) -> None:
        """Let the spans begin here that wait for a text."""
        self.begun.update(dict.fromkeys(self.waiting, self.size))
        self.waiting.clear()

    def _add(self, piece: str) -> None:
        self.text.append(piece)
        self.size += len(piece)


def _stem(path: Path) -> str:
    """Return the name of a file without its extensions of XML."""
    return re.sub(r"(\.gate)?\.(xml|sgml?|txt|tei)$", "", path.name, flags=re.IGNORECASE)


TOOLS = (
    XmlTool(r"<GateDocument\b", "GATE's document", _gate),
    XmlTool(r"<annotations\b[^>]*\btextSource=", "Knowtator 1 or eHOST", _knowtator),
    XmlTool(r"<knowtator-project\b", "Knowtator 2", _knowtator_2),
    XmlTool(r"<source_file\b[^>]*>\s*<document\b[^>]*\bDOCID=", "ACE's apf", _ace),
    XmlTool(r"<(?:\w+:)?Project\b[^>]*urn:QDA-XML", "REFI-QDA", _refi),
    XmlTool(
        r"<TEXT>\s*<!\[CDATA\[|<(deIdi2b2|ClinicalNarrativeTemporalAnnotation)\b",
        "i2b2 or MAE",
        _i2b2,
    ),
    XmlTool(r"<(\w+:)?(TEI|teiCorpus)\b", "TEI", _tei),
    XmlTool(rf"<({'|'.join(_INLINE)})\b", "tags in the text, as MUC's", _inline),
)
"""The tools, in the order in which a file is asked for them."""
