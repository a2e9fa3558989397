"""Tools and pipelines that write records of JSON: one table, an entry for each.

An entry says by what a file is known, and by paths (:mod:`spanagree.formats.paths`) where in a
record everything is. The same paths are options, so whoever meets another tool needs no code; one
engine (:mod:`spanagree.formats.tool_records`) reads all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from spanagree.files import PathName
from spanagree.formats.paths import values_at
from spanagree.formats.peek import Peek, Shape

if TYPE_CHECKING:
    from spanagree.formats.records import Record

KEY = "@key"
"""In place of a path to an id, a name or a label: the key that the last ``*`` stands for."""

Rows = Callable[[PathName, str], Iterator[tuple[str, Any]]]
"""From a file and its encoding to records, each with its place for errors."""

PATHS = ("document", "text", "tokens", "annotator", "spans", "start", "end", "label", "quote")
"""What a path leads to; each is an option too."""

OF_PATHS = (*PATHS, "ends", "encoding", "absent", "align", "texts")
"""The options of what is read by paths."""


def late(module: str, name: str) -> Callable[..., Any]:
    """Return a function that is imported when it is called: no command needs all readers."""

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **named)

    return call


@dataclass(frozen=True)
class Tool:
    """How records are known, and the paths to what is in them.

    Attributes:
        name: as ``--from`` has it.
        means: what it is.
        knows: paths that all have to lead somewhere in a record of a file; or what says so of the
            beginning of one.
        begins: of a text that is not JSON, an expression that its first lines fit.
        members: of a folder, how names of files in it end.
        zips: whether a zip may be of it.
        rows: how records are made of a file that does not hold them in JSON.
        records: from what a file holds to the records, where they lie deeper.
        document: to the id, or with commas between to its parts; a record without one is known by
            its number.
        text, tokens: to what offsets count. A text that is not there is that of another file of
            the same command, by id.
        marked: to each annotator's part of a record; the record itself unless given.
        annotator: from there to the name; else the file is the annotator.
        spans: from there to the spans; null is nobody's answer, an empty list one without spans.
        start, end, label, quote: from a span; several ends of one span are several segments, or
            the pieces of one. Spans without a path to start or quote are taken as language models
            give them: objects, quotes, quotes by label, or a copy of the text with tags in it.
        in_pieces: whether several ends of one span are its pieces.
        leaves: a path from a span, the values of it that leave the span out, and what it is then.
        unseen: by path from an annotator's part, the values that say that she saw nothing.
        ends: what the end of a span names.
        utf16: a path from a record, and the value that says that offsets count UTF-16 units.
        passed: what to count as passed over, by path from a record.
        read: what yields the records of a file, told its path, a log and the options that the tool
            ``takes``, where paths alone do not say how.
        takes: its options.
        write: writes a corpus as the tool reads it.
    """

    name: str
    means: str
    knows: tuple[str, ...] | Callable[[Peek], bool] = ()
    begins: str = ""
    members: str = ""
    zips: bool = False
    rows: Rows | None = None
    records: str = ""
    document: str = ""
    text: str = ""
    tokens: str = ""
    marked: str = ""
    annotator: str = ""
    spans: str = ""
    start: str = ""
    end: str = ""
    label: str = ""
    quote: str = ""
    in_pieces: bool = False
    leaves: tuple[str, frozenset[Any], str] = ("", frozenset(), "")
    unseen: Mapping[str, frozenset[Any]] = field(default_factory=dict)
    ends: str | None = None
    utf16: tuple[str, Any] = ("", None)
    passed: Mapping[str, str] = field(default_factory=dict)
    read: Callable[..., Iterator[Record]] | None = None
    takes: tuple[str, ...] = OF_PATHS
    write: Callable[..., None] | None = None

    def is_of(self, start: Peek) -> bool:
        """Return whether a file is of the tool, by its beginning."""
        if callable(self.knows):
            return self.knows(start)
        if start.shape not in self.shapes:
            return False
        if start.shape == "folder":
            return any(name.endswith(self.members) for name in start.members)
        if start.shape not in ("json", "jsonl"):
            return bool(re.search(self.begins, "\n".join(start.lines)))
        return any(all(values_at(each, path) for path in self.knows) for each in start.records)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """What a file of the tool may be by its bytes."""
        shapes: tuple[Shape, ...] = ("json", "jsonl") if self.knows else ()
        shapes += ("csv", "tsv", "text") if self.begins else ()
        shapes += ("zip",) if self.zips else ()
        return (*shapes, "folder") if self.members else shapes

    @property
    def is_deep(self) -> bool:
        """Return whether options do not read the same."""
        return bool(self.records or self.marked or self.rows or self.unseen or self.leaves[0])

    @property
    def line(self) -> str:
        """The options that read the same, as they are written."""
        given = {name: getattr(self, name) for name in (*PATHS, "ends")}
        return " ".join(f"--{name} '{value}'" for name, value in given.items() if value)


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "label-studio",
            "Label Studio's JSON and JSON-MIN",
            knows=late("spanagree.formats.label_studio.tasks", "knows_label_studio"),
            read=late("spanagree.formats.label_studio.read", "records"),
            takes=("text", "annotator_from", "predictions", "ground_truth"),
            write=late("spanagree.formats.label_studio.write", "write_label_studio"),
        ),
        Tool(
            "prodigy",
            "Prodigy's db-out",
            knows=("_input_hash", "_task_hash|_view_id|answer"),
            read=late("spanagree.formats.prodigy", "records"),
            takes=("annotator_from",),
            write=late("spanagree.formats.prodigy", "write_prodigy"),
        ),
        Tool(
            "doccano",
            "doccano's JSON lines, one annotator a file or several, and its zip",
            knows=late("spanagree.formats.doccano", "knows_doccano"),
            read=late("spanagree.formats.doccano", "records"),
            takes=("annotator_from", "absent"),
            write=late("spanagree.formats.doccano", "write_doccano"),
            zips=True,
        ),
        Tool(
            "dataturks",
            "Dataturks' JSON lines",
            knows=("content", "annotation"),
            text="content",
            spans="annotation[*]",
            start="points[*].start",
            end="points[*].end",
            label="label",
            quote="points[*].text",
            ends="inclusive",
        ),
        Tool(
            "gliner",
            "GLiNER's training data",
            knows=("tokenized_text", "ner"),
            tokens="tokenized_text[*]",
            spans="ner[*]",
            start="[0]",
            end="[1]",
            label="[2]",
            ends="inclusive",
        ),
        Tool(
            "dygie",
            "SciERC and DyGIE: sentences, and ner by token over the document",
            knows=("doc_key", "sentences", "ner"),
            document="doc_key",
            tokens="sentences[*][*]",
            spans="ner[*][*]",
            start="[0]",
            end="[1]",
            label="[2]",
            ends="inclusive",
            passed={"relations[*][*]": "relation"},
        ),
        Tool(
            "langextract",
            "LangExtract's annotated documents",
            knows=("extractions", "text"),
            document="document_id",
            text="text",
            spans="extractions[*]",
            start="char_interval.start_pos",
            end="char_interval.end_pos",
            label="extraction_class",
            quote="extraction_text",
            ends="exclusive",
        ),
        Tool(
            "pubannotation",
            "PubAnnotation's JSON",
            knows=("text", "denotations"),
            text="text",
            spans="denotations[*]",
            start="span.begin",
            end="span.end",
            label="obj",
            ends="exclusive",
            passed={"relations[*]": "relation"},
        ),
        Tool(
            "tecoholic",
            "tecoholic's NER annotator: spaCy's pairs, with classes beside them",
            knows=("classes", "annotations[0][1].entities"),
            records="annotations[*]",
            text="[0]",
            spans="[1].entities[*]",
            start="[0]",
            end="[1]",
            label="[2]",
            ends="exclusive",
        ),
        Tool(
            "gate",
            "GATE's bdoc JSON, a set for each annotator",
            knows=("text", "annotation_sets"),
            document="name",
            text="text",
            marked="annotation_sets.*",
            annotator=KEY,
            spans="annotations[*]",
            start="start",
            end="end",
            label="type",
            ends="exclusive",
            utf16=("offset_type", "j"),
        ),
        Tool(
            "lighttag",
            "LightTag's JSON",
            knows=("examples[0].content", "examples[0].annotations"),
            records="examples[*]",
            document="example_id",
            text="content",
            spans="annotations[*]",
            start="start",
            end="end",
            label="tag",
            quote="value",
            ends="exclusive",
        ),
        Tool(
            "ubiai",
            "UBIAI's JSON",
            knows=("document", "annotation[0].start", "annotation[0].end"),
            document="documentName",
            text="document",
            spans="annotation[*]",
            start="start",
            end="end",
            label="label",
            quote="text",
        ),
        Tool(
            "ground-truth",
            "SageMaker Ground Truth's output manifest",
            knows=("source", "*.annotations.entities"),
            text="source",
            spans="*.annotations.entities[*]",
            start="startOffset",
            end="endOffset",
            label="label",
            ends="exclusive",
        ),
    )
}
"""The tools by name. A file that two know is of the first."""
