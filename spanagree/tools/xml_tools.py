"""Reader of XML of annotation tools and corpora, with a table of the tools.

An entry of the table recognizes files of a tool, and yields their records. Offsets count characters
of the document's text.
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

from spanagree.corpus.offset_units import shorten_line_ends
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    escape_path,
    invalid_value,
    join_names,
    parse_whole_number,
    quote_value,
)
from spanagree.files import (
    PathName,
    Zip,
    decode_bytes,
    name_files_in_errors,
    open_zip,
    read_bytes,
    read_text,
)
from spanagree.formats.file_head import FileHead, read_head
from spanagree.formats.records import (
    RawAnnotation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.formats.xml_elements import find_declared_encoding, parse_tree, strip_namespace
from spanagree.tools.beside_texts import find_text_file


class Source(NamedTuple):
    """A file.

    Attributes:
        path: path of the file.
        location: printable path.
        root: root element.
        text_of: function that reads the text in a file by its name.
        n_skipped: number of skipped elements, by kind.
    """

    path: Path
    location: str
    root: Element
    text_of: Callable[[str], str]
    n_skipped: Counter[str]

    def build_record(
        self, document: str, text: str, annotations: Iterable[RawAnnotation]
    ) -> Record:
        """Build a document of the file."""
        document_location = f"{self.location}: document {quote_value(document)}"
        return Record(document_location, document, {"text": text}, annotations)


class XmlTool(NamedTuple):
    """An entry of the table.

    Attributes:
        pattern: pattern at the beginning of a file.
        name: name of the tool.
        read_records: function that yields the records of a file.
    """

    pattern: str
    name: str
    read_records: Callable[[Source], Iterator[Record]]


_NO_PEOPLE = ("Extensible_Human_Oracle_Suite_of_Tools", "ADJUDICATION")  # names of eHOST itself
_INLINE = ("ENAMEX", "NUMEX", "TIMEX", "TIMEX2", "TIMEX3")
_TEI = ("rs", "persName", "placeName", "orgName", "geogName", "name")
_WORDS = ("w", "pc")
_BLOCKS = ("p", "head", "l", "ab", "div", "lg", "s", "TEXT", "DOC", "doc", "HL", "P")


def looks_like_xml_tools(start: FileHead) -> bool:
    """Check whether a file, a folder or a zip is of one of the tools."""
    if start.shape == "zip":
        return any(name.endswith(".qde") for name in start.members)
    if start.shape == "folder":
        return any(name.endswith(".knowtator.xml") for name in start.members)
    return start.shape in ("xml", "text") and _find_tool("\n".join(start.lines)) is not None


@name_files_in_errors()
def read_raw_xml_tools(path: PathName) -> RawCorpus:
    """Read the rows of a file of one of :data:`TOOLS`, or of a folder of them, without checks.

    Raises:
        InputError: if a file is not XML of a tool, or a text is missing.
    """
    log = ReadLog(escape_path(path))
    tool_names: set[str] = set()
    raw = build_raw_from_records(
        _yield_records(Path(path), log, tool_names), log, {"format": "xml"}, one_each=True
    )
    return raw.replace(notes=(f"{log.name}: {' and '.join(sorted(tool_names))}", *raw.notes))


def _yield_records(path: Path, log: ReadLog, tool_names: set[str]) -> Iterator[Record]:
    """Yield the records in a file, folder or archive, without the tools' own predictions.

    The names of the tools are added to ``tool_names``.
    """
    for source, tool in _yield_sources(path, log.passed):
        tool_names.add(tool.name)
        for record in tool.read_records(source):
            annotations = []
            for annotation in record.annotations:
                if annotation.annotator in _NO_PEOPLE:
                    log.passed["span of the tool itself"] += len(list(annotation.spans or ()))
                else:
                    annotations.append(annotation)
            yield record._replace(annotations=annotations)
    if not tool_names:
        raise InputError(f"{log.name}: no file of {join_names(tool.name for tool in TOOLS)}")


def _yield_sources(path: Path, n_skipped: Counter[str]) -> Iterator[tuple[Source, XmlTool]]:
    """Yield each file that is read, and the tool that wrote it."""
    head = read_head(path)
    if head.shape == "zip":
        yield from _yield_sources_in_zip(path, n_skipped)
        return
    files, folders_by_parent = [path], dict[Path, list[Path]]()
    if head.shape == "folder":
        files = [path / name for name in sorted(head.members) if name.endswith(".knowtator.xml")]
    for file in files:
        location = escape_path(file)
        raw = read_bytes(location, str(file))
        root, tool = _parse_xml(location, raw)
        text = cache(
            partial(_read_neighbouring_text, file, folders_by_parent, location)
        )  # several documents may share a file
        yield Source(file, location, root, text, n_skipped), tool


def _read_neighbouring_text(
    file: Path, folders_by_parent: dict[Path, list[Path]], location: str, text_name: str
) -> str:
    """Read a text from a file in the folders around an annotation file."""
    return read_text(find_text_file(file, text_name, location, folders_by_parent))


def _yield_sources_in_zip(path: Path, n_skipped: Counter[str]) -> Iterator[tuple[Source, XmlTool]]:
    """Yield the projects in an archive, each with the tool that wrote it."""
    name = escape_path(path)
    with open_zip(path) as archive:
        member_by_base = {  # the first of equal names
            member.rpartition("/")[2].casefold(): member for member in reversed(archive.names)
        }
        for member in (member for member in archive.names if member.endswith(".qde")):
            location = f"{name}, {quote_value(member)}"
            root, tool = _parse_xml(location, archive.read(member))
            text = cache(partial(_read_text_in_zip, archive, member_by_base, location))
            yield Source(path, location, root, text, n_skipped), tool


def _read_text_in_zip(
    archive: Zip, member_by_base: Mapping[str, str], location: str, text_name: str
) -> str:
    """Read a text from an archive, by the base name of its file."""
    base_name = text_name.rpartition("/")[2]
    if (name := member_by_base.get(base_name.casefold())) is None:
        raise InputError(
            f"{location}: no file {quote_value(base_name)} in the archive; pack it once more"
        )
    return archive.read(name).decode("utf-8-sig", "replace")


def _parse_xml(location: str, raw: bytes) -> tuple[Element, XmlTool]:
    """Parse XML, and find the tool that wrote it; texts with tags get a root element."""
    text = raw[: 1 << 16].decode("utf-8", "replace")
    tool = _find_tool(text)
    if tool is None:
        raise InputError(f"{location}: none of {join_names(tool.name for tool in TOOLS)}")
    if tool.read_records is _read_inline_tags:
        body = raw.removeprefix(b"\xef\xbb\xbf")
        if (encoding := find_declared_encoding(body).lower()) != "utf-8":
            body = decode_bytes(location, body, encoding).encode()
        body = re.sub(rb"^\s*<\?xml.*?\?>", b"", body)
        body = re.sub(rb"&(?!(?:amp|lt|gt|quot|apos|#\d+);)", b"&amp;", body)
        raw = b"<doc>" + re.sub(rb"<!DOCTYPE[^<>\[]*>", b"", body) + b"</doc>"
    return parse_tree(io.BytesIO(raw), location), tool


def _find_tool(text: str) -> XmlTool | None:
    """Find the tool with a pattern that occurs in a text; `None` if there is none."""
    return next((tool for tool in TOOLS if re.search(tool.pattern, text)), None)


# --- standoff -------------------------------------------------------------------------------------


def _parse_integer(digits: str, location: str) -> int:
    """Parse an integer, possibly with a sign."""
    if not re.fullmatch(r"\s*-?[0-9]+\s*", digits):
        raise invalid_value(location, digits, "a whole number is needed")
    return parse_whole_number(digits.strip(), location)


def _parse_integer_attribute(element: Element, name: str, location: str) -> int:
    """Parse an attribute that is an integer."""
    value = element.get(name)
    if value is None:
        raise invalid_value(
            f"{location}: {strip_namespace(element)}", element.attrib, f"{name} is needed"
        )
    return _parse_integer(value, f"{location}: {name}")


def _list_fragments(spans: Iterable[Element], location: str) -> list[tuple[int, int]]:
    """List start and end of each element of a span."""
    return [
        (
            _parse_integer_attribute(span, "start", location),
            _parse_integer_attribute(span, "end", location),
        )
        for span in spans
    ]


def _group_by_annotator(spans: Iterable[tuple[str, RawSpan]]) -> list[RawAnnotation]:
    """Group spans by annotator."""
    spans_by_annotator: dict[str, list[RawSpan]] = {}
    for name, span in spans:
        spans_by_annotator.setdefault(name, []).append(span)
    return [
        RawAnnotation(name, annotator_spans) for name, annotator_spans in spans_by_annotator.items()
    ]


def _read_gate(source: Source) -> Iterator[Record]:
    """Read GATE's document: nodes in its text, and sets of annotations between them."""
    with_nodes = source.root.find("TextWithNodes")
    if with_nodes is None:
        raise InputError(f"{source.location}: no TextWithNodes, in which GATE has its text")
    text_parts, offset_by_node, size = [with_nodes.text or ""], {}, len(with_nodes.text or "")
    for node in with_nodes:
        offset_by_node[node.get("id")] = size
        text_parts.append(node.tail or "")
        size += len(text_parts[-1])
    annotations = []
    for group in source.root.iter("AnnotationSet"):
        spans = []
        for annotation in group.findall("Annotation"):
            ends = annotation.get("StartNode"), annotation.get("EndNode")
            if not {*ends} <= offset_by_node.keys():
                raise invalid_value(
                    f"{source.location}: annotation", annotation.attrib, "of nodes in the text"
                )
            features = {
                feature.findtext("Name", ""): feature.findtext("Value", "")
                for feature in annotation.iter("Feature")
            }
            filled_features = {
                key: value for key, value in features.items() if key.strip() and value.strip()
            }
            spans.append(
                RawSpan(
                    offset_by_node[ends[0]],
                    offset_by_node[ends[1]],
                    annotation.get("Type"),
                    None,
                    filled_features,
                )
            )
        annotations.append(RawAnnotation(group.get("Name") or "", spans))
    yield source.build_record(_strip_xml_extensions(source.path), "".join(text_parts), annotations)


def _read_knowtator(source: Source) -> Iterator[Record]:
    """Read Knowtator 1, or eHOST: spans with mentions, and their classes in other elements."""
    text_name = source.root.get("textSource") or source.path.name.removesuffix(".knowtator.xml")
    text = source.text_of(text_name)
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
            text_value = "" if value is None else value.get("value", "")
            if name and text_value.strip():
                slots.setdefault(one_class.get("id"), {})[name] = text_value
    spans = []
    for annotation in source.root.iter("annotation"):
        mention, annotator = annotation.find("mention"), annotation.findtext("annotator") or ""
        id_ = None if mention is None else mention.get("id")
        mention_location = f"{source.location}: mention {quote_value(id_)}"
        pieces = _list_fragments(annotation.findall("span"), mention_location)
        if not pieces or mention is None:
            source.n_skipped["annotation without a span"] += 1
            continue
        id_ = mention.get("id")
        quote = annotation.findtext("spannedText") or None
        spans.append(
            (
                annotator.strip(),
                RawSpan(None, None, classes.get(id_), quote, slots.get(id_), pieces),
            )
        )
    yield source.build_record(text_name.removesuffix(".txt"), text, _group_by_annotator(spans))


def _read_knowtator_2(source: Source) -> Iterator[Record]:
    """Read Knowtator 2: documents with the annotations of all annotators."""
    source.n_skipped["relation"] += sum(1 for _ in source.root.iter("triple"))
    for document in source.root.iter("document"):
        id_ = document.get("id") or _strip_xml_extensions(source.path)
        text = source.text_of(document.get("text-file") or f"{id_}.txt")
        spans = []
        for annotation in document.findall("annotation"):
            annotation_location = (
                f"{source.location}: annotation {quote_value(annotation.get('id'))}"
            )
            class_element, bounds = annotation.find("class"), annotation.findall("span")
            pieces = _list_fragments(bounds, annotation_location)
            if not pieces:
                source.n_skipped["annotation without a span"] += 1
                continue
            quote = " ".join(span_element.text or "" for span_element in bounds).strip() or None
            label = (
                None
                if class_element is None
                else class_element.get("id") or class_element.get("label")
            )
            span = RawSpan(label=label, quote=quote, pieces=pieces)
            spans.append((annotation.get("annotator") or "", span))
        yield source.build_record(id_.removesuffix(".txt"), text, _group_by_annotator(spans))


def _read_i2b2(source: Source) -> Iterator[Record]:
    """Read files of i2b2 and MAE: TEXT, and TAGS with elements named by their label."""
    text, tags = source.root.findtext("TEXT"), source.root.find("TAGS")
    if text is None or tags is None:
        raise InputError(f"{source.location}: TEXT and TAGS are needed")
    spans = []
    for tag in tags:
        tag_location = f"{source.location}: {strip_namespace(tag)} {quote_value(tag.get('id'))}"
        bounds_text = tag.get("spans")
        if bounds_text is not None:
            bounds = [piece.split("~") for piece in bounds_text.split(",")]
            if any(len(bound) != 2 for bound in bounds):
                raise invalid_value(
                    f"{tag_location}: spans", bounds_text, "start~end, with commas between"
                )
            pieces = [
                tuple(_parse_integer(digits, tag_location) for digits in bound) for bound in bounds
            ]
        elif tag.get("start") is None:
            source.n_skipped["relation"] += 1
            continue
        else:
            pieces = [
                (
                    _parse_integer_attribute(tag, "start", tag_location),
                    _parse_integer_attribute(tag, "end", tag_location),
                )
            ]
        if any(start < 0 for start, _ in pieces):
            source.n_skipped["annotation without a span"] += 1
            continue
        label = tag.get("TYPE") or tag.get("type") or strip_namespace(tag)
        spans.append(RawSpan(label=label, quote=tag.get("text") or None, pieces=pieces))
    yield source.build_record(_strip_xml_extensions(source.path), text, [RawAnnotation("", spans)])


def _read_ace(source: Source) -> Iterator[Record]:
    """Read ACE's apf: mentions of entities, with inclusive ends.

    The text is in the .sgm file in the same folder; its tags do not count.
    """
    text_name = source.root.get("URI") or f"{source.path.name.removesuffix('.apf.xml')}.sgm"
    text = re.sub(r"<[^>]*>", "", shorten_line_ends(source.text_of(text_name)))
    for tag_name in ("relation", "event"):
        source.n_skipped[tag_name] += sum(1 for _ in source.root.iter(f"{tag_name}_mention"))
    for document in source.root.iter("document"):
        id_ = document.get("DOCID") or _strip_xml_extensions(source.path)
        spans = []
        for entity in (
            element
            for tag_name in ("entity", "value", "timex2")
            for element in document.findall(tag_name)
        ):
            label = entity.get("TYPE") or strip_namespace(entity)
            for mention in (
                element for element in entity if strip_namespace(element).endswith("_mention")
            ):
                piece = mention.find("extent/charseq")
                if piece is None:
                    source.n_skipped["annotation without a span"] += 1
                    continue
                mention_location = f"{source.location}: {quote_value(mention.get('ID'))}"
                bounds = (
                    _parse_integer_attribute(piece, "START", mention_location),
                    _parse_integer_attribute(piece, "END", mention_location) + 1,
                )
                spans.append(RawSpan(*bounds, label, piece.text))
        yield source.build_record(id_, text, [RawAnnotation("", spans)])


def _read_refi(source: Source) -> Iterator[Record]:
    """Read REFI-QDA: selections in plain texts, and the users who coded them."""
    guids = [element for element in source.root.iter() if element.get("guid")]
    codes = {
        element.get("guid"): element.get("name")
        for element in guids
        if strip_namespace(element) == "Code"
    }
    users = {
        element.get("guid"): element.get("name") or element.get("id")
        for element in guids
        if strip_namespace(element) == "User"
    }
    selections = [
        element for element in source.root.iter() if strip_namespace(element).endswith("Selection")
    ]
    source.n_skipped["selection in no text"] += sum(
        strip_namespace(element) != "PlainTextSelection" for element in selections
    )
    for document in (
        element for element in source.root.iter() if strip_namespace(element) == "TextSource"
    ):
        contents = [
            element.text or ""
            for element in document
            if strip_namespace(element) == "PlainTextContent"
        ]
        text_path = document.get("plainTextPath") or ""
        text = contents[0] if contents else source.text_of(text_path)
        spans = []
        for selection in (
            element for element in document if strip_namespace(element) == "PlainTextSelection"
        ):
            selection_location = (
                f"{source.location}: selection {quote_value(selection.get('guid'))}"
            )
            bounds = (
                _parse_integer_attribute(selection, "startPosition", selection_location),
                _parse_integer_attribute(selection, "endPosition", selection_location),
            )
            codings = [element for element in selection if strip_namespace(element) == "Coding"]
            source.n_skipped["selection without a code"] += not codings
            for coding in codings:
                user = coding.get("creatingUser") or selection.get("creatingUser")
                targets = [
                    element.get("targetGUID")
                    for element in coding
                    if strip_namespace(element) == "CodeRef"
                ]
                spans += [
                    (users.get(user) or "", RawSpan(*bounds, codes.get(code))) for code in targets
                ]
        name = document.get("name") or text_path or document.get("guid") or ""
        yield source.build_record(name, text, _group_by_annotator(spans))


# --- inline ---------------------------------------------------------------------------------------


def _read_inline_tags(source: Source) -> Iterator[Record]:
    """Read tags in a text, such as MUC's ``<ENAMEX TYPE="PERSON">``."""
    text, spans = _split_text_and_marks(
        source.root, lambda element: strip_namespace(element) in _INLINE
    )
    yield source.build_record(_strip_xml_extensions(source.path), text, [RawAnnotation("", spans)])


def _read_tei(source: Source) -> Iterator[Record]:
    """Read names in the texts of TEI; words that are elements are separated by blanks."""
    stem = _strip_xml_extensions(source.path)
    bodies = _find_tei_bodies(source.root) or [(source.root, source.root)]
    for document_number, (document, body) in enumerate(bodies, 1):
        text, spans = _split_text_and_marks(body, lambda element: strip_namespace(element) in _TEI)
        id_ = (
            document.get("{http://www.w3.org/XML/1998/namespace}id") or f"{stem}:{document_number}"
        )
        name = stem if len(bodies) == 1 else id_
        yield source.build_record(name, text, [RawAnnotation("", spans)])


def _find_tei_bodies(root: Element) -> list[tuple[Element, Element]]:
    """Find the TEI elements that are documents, each with its text element.

    A text in a nested TEI belongs to the nested TEI. A TEI without a text is paired with itself;
    with others nested in it, it is a corpus of these.
    """
    bodies: dict[Element, Element | None] = {}
    corpora: set[Element] = set()
    open_elements: list[tuple[Element, Element | None]] = [(root, None)]
    while open_elements:
        element, document = open_elements.pop()
        if strip_namespace(element) == "TEI":
            if document is not None:
                corpora.add(document)
            document = element
            bodies[document] = None
        elif (
            strip_namespace(element) == "text" and document is not None and bodies[document] is None
        ):
            bodies[document] = element
        open_elements += ((child, document) for child in reversed(element))
    return [
        (document, document if body is None else body)
        for document, body in bodies.items()
        if body is not None or document not in corpora
    ]


def _split_text_and_marks(
    root: Element, is_mark: Callable[[Element], bool]
) -> tuple[str, list[RawSpan]]:
    """Split an element into its text, and the spans of nested elements that are marks."""
    by_words = any(strip_namespace(element) in _WORDS for element in root.iter())
    inline = _InlineText(is_mark, by_words=by_words)
    inline.add_contents(root)
    return "".join(inline.text), inline.spans


class _InlineText:
    """Collector of the text of elements, and of the spans of marks.

    Words (``w``, ``pc``) are separated by blanks, unless an attribute joins them.
    """

    def __init__(self, is_mark: Callable[[Element], bool], *, by_words: bool) -> None:
        self.is_mark = is_mark
        self.by_words = by_words
        self.text: list[str] = []
        self.size = 0
        self.joined = True  # True if no blank precedes the next word
        self.begun: dict[int, int] = {}  # starts of spans with some text
        self.waiting: list[int] = []  # indices of spans without text so far
        self.spans: list[RawSpan] = []

    def add_contents(self, element: Element) -> None:
        """Add the text and the marks in an element, without nested documents."""
        name, span_index = strip_namespace(element), len(self.spans)
        if self.by_words and name in _WORDS:
            self._add_word(element)
            return
        is_mark = bool(name) and self.is_mark(element)
        if is_mark:
            label = element.get("type") or element.get("TYPE") or name
            self.spans.append(RawSpan(self.size, self.size, label))
            self.waiting.append(span_index)
        if name and not self.by_words:  # a comment has no name
            self._begin_spans()
            self._add_text(element.text or "")
        for child in element:
            if strip_namespace(child) != "TEI":  # a separate document
                self.add_contents(child)
            if not self.by_words:
                self._add_text(child.tail or "")
        if is_mark:
            start = self.begun.get(span_index, self.size)
            self.spans[span_index] = RawSpan(start, self.size, self.spans[span_index].label)
            if span_index in self.waiting:
                self.waiting.remove(span_index)
        if self.by_words and name in _BLOCKS and self.size and self.text[-1] != "\n":
            self._add_text("\n")
            self.joined = True

    def _add_word(self, element: Element) -> None:
        """Add a word, after a space unless it is joined to the word before it."""
        if not self.joined and element.get("join") not in ("left", "both"):
            self._add_text(" ")
        self._begin_spans()
        self._add_text("".join(element.itertext()).strip())
        self.joined = element.get("join") in ("right", "both")

    def _begin_spans(self) -> None:
        """Set the start of the spans that have no text so far."""
        self.begun.update(dict.fromkeys(self.waiting, self.size))
        self.waiting.clear()

    def _add_text(self, piece: str) -> None:
        """Add a piece of text, and its length."""
        self.text.append(piece)
        self.size += len(piece)


def _strip_xml_extensions(path: Path) -> str:
    """Strip the extensions of XML from the name of a file."""
    return re.sub(r"(\.gate)?\.(xml|sgml?|txt|tei)$", "", path.name, flags=re.IGNORECASE)


TOOLS = (
    XmlTool(r"<GateDocument\b", "GATE's document", _read_gate),
    XmlTool(r"<annotations\b[^>]*\btextSource=", "Knowtator 1 or eHOST", _read_knowtator),
    XmlTool(r"<knowtator-project\b", "Knowtator 2", _read_knowtator_2),
    XmlTool(r"<source_file\b[^>]*>\s*<document\b[^>]*\bDOCID=", "ACE's apf", _read_ace),
    XmlTool(r"<(?:\w+:)?Project\b[^>]*urn:QDA-XML", "REFI-QDA", _read_refi),
    XmlTool(
        r"<TEXT>\s*<!\[CDATA\[|<(deIdi2b2|ClinicalNarrativeTemporalAnnotation)\b",
        "i2b2 or MAE",
        _read_i2b2,
    ),
    XmlTool(r"<(\w+:)?(TEI|teiCorpus)\b", "TEI", _read_tei),
    XmlTool(rf"<({'|'.join(_INLINE)})\b", "tags in the text, as MUC's", _read_inline_tags),
)
"""Tools, in the order in which a file is tested for them."""
