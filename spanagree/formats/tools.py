"""Tools and pipelines that write records of JSON: one table, an entry for each.

An entry says by what a file is known, and by paths (:mod:`spanagree.formats.paths`) where in a
record everything is. The same paths are options, so whoever meets another tool needs no code; one
engine (:mod:`spanagree.formats.tool_records`) reads all of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from spanagree.formats.file_head import FileHead, Shape, read_head
from spanagree.formats.paths import first_at, steps_of, values_at
from spanagree.formats.spans_beside import Tree, annotations_beside, tree_of
from spanagree.formats.usual_names import (
    COLUMNS,
    MARKED,
    USUAL,
    head_of_table,
    keys_of,
    plain,
)

if TYPE_CHECKING:
    from spanagree.formats.records import Record

KEY = "@key"
"""In place of a path to an id, a name or a label: the key that the last ``*`` stands for."""

FILE = "@file"
"""In place of a path to a name: all is of one annotator, who is called as the file."""

Rows = Callable[..., Iterator[tuple[str, Any]]]
"""From a file and its encoding to records, each with its place for errors.

That of a tool that ``reads`` JSON is given a log too, and has it look beside each record there.
"""

PATHS = ("document", "text", "tokens", "annotator", "spans", "start", "end", "label", "quote")
"""What a path leads to; each is an option too."""

OF_PATHS = (*PATHS, "ends", "encoding", "absent", "align", "texts")
"""The options of what is read by paths."""


class SpanPaths(TypedDict):
    """The paths from a span to what is in it."""

    start: str
    end: str
    label: str


OBJECT: SpanPaths = {"start": "start", "end": "end", "label": "label"}
"""The paths of a span that is an object."""

TRIPLE: SpanPaths = {"start": "[0]", "end": "[1]", "label": "[2]"}
"""The paths of a span that is a list."""


def lazy(module: str, name: str) -> Callable[..., Any]:
    """Return a function that is imported when it is called: no command needs all readers."""

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **named)

    return call


_OF_RECORDS = {*COLUMNS["spans"], *COLUMNS["tokens"], *COLUMNS["tags"]}


def is_by_id(start: FileHead) -> bool:
    """Return whether a file is one object that has records, or lists of spans, under ids."""
    (record,) = start.records if len(start.records) == 1 else ({},)
    values = list(record.values()) if isinstance(record, dict) else []
    known = {name for names in (*COLUMNS.values(), *USUAL.values()) for name in names}
    if not values or any(plain(key) in known for key in record):
        return False
    inner = [first_at(value, "spans|entities|annotations|@") for value in values]
    spans = [span for some in inner if isinstance(some, list) for span in some]
    are_lists = all(some is None or isinstance(some, list) for some in inner)
    return are_lists and any(map(_is_span, spans))


def _is_span(span: Any) -> bool:
    if isinstance(span, dict):
        is_record = any(isinstance(span[key], list) for key in span if plain(key) in _OF_RECORDS)
        is_record |= any(annotations_beside(span, frozenset()))
        return not is_record and bool(keys_of(tuple(span)).keys() & {"start", "text"})
    is_list = isinstance(span, list) and len(span) in (2, 3) and isinstance(span[-1], str)
    return is_list or isinstance(span, str)


_LOOKED_AT = 5  # files of a folder

NUMBER = "@number"
"""In place of a path to a span's name: its number in the record, from 0."""


class RelationPaths(NamedTuple):
    """The paths to relations, and to what names the segments that they link.

    Attributes:
        relations: from an annotator's part to its relations.
        first, second, label: from a relation; of a name of several parts with commas between.
        span: from a span to its name.
    """

    relations: str
    first: str
    second: str
    label: str
    span: str


@dataclass(frozen=True, eq=False)
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
        rows: how records are made of a file that does not hold them so in JSON.
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
        links: where relations are, if there are any.
        leaves: a path from a span, the values of it that leave the span out, and what it is then.
        unseen: by path from an annotator's part, the values that say that she saw nothing.
        seen_unknown: whether who marked nothing in a document is not in the file, as in a table.
        ends: what the end of a span names, where it is the reader that says it, or the tool counts
            as few do; else the quotes show it.
        utf16: a path from a record, and the value that says that offsets count UTF-16 units.
        passed: what to count as passed over, by path from a record.
        read: what yields the records of a file, told its path, a log and the options that the tool
            ``takes``, where paths alone do not say how.
        reads: of a tool with ``rows`` or ``read``, the paths from a record in JSON to all lists
            that its reader reads or counts; other lists of spans in a record are not explained.
        takes: its options.
        write: writes a corpus as the tool reads it.
        task_ending: the end of the names of files with tasks that the tool imports.
        write_tasks: writes documents as such tasks, each with the annotator who is to do it.
    """

    name: str
    means: str
    knows: tuple[str, ...] | Callable[[FileHead], bool] = ()
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
    links: RelationPaths | None = None
    leaves: tuple[str, frozenset[Any], str] = ("", frozenset(), "")
    unseen: Mapping[str, frozenset[Any]] = field(default_factory=dict)
    seen_unknown: bool = False
    ends: str | None = None
    utf16: tuple[str, Any] = ("", None)
    passed: Mapping[str, str] = field(default_factory=dict)
    read: Callable[..., Iterator[Record]] | None = None
    reads: tuple[str, ...] = ()
    takes: tuple[str, ...] = OF_PATHS
    write: Callable[..., None] | None = None
    task_ending: str = ""
    write_tasks: Callable[..., None] | None = None

    def is_of(self, start: FileHead) -> bool:
        """Return whether a file is of the tool, by its beginning, all of which it explains."""
        return self.begins_so(start) and not any(map(self.unread, start.records))

    def begins_so(self, start: FileHead) -> bool:
        """Return whether a file begins as those of the tool, whatever else is in it."""
        if callable(self.knows):
            return self.knows(start)
        if start.shape not in self.shapes:
            return False
        if start.shape == "folder":
            files = [name for name in start.members if name.endswith(self.members)]
            if not self.begins:
                return bool(files)
            begun = (read_head(os.path.join(start.path, name)) for name in files[:_LOOKED_AT])
            return any(re.search(self.begins, "\n".join(file.lines)) for file in begun)
        if start.shape not in ("json", "jsonl"):
            is_of_lines = not self.begins.startswith(r"\A")
            if is_of_lines and len(head_of_table(start)) > 1:  # what is in cells is no line
                return False
            return bool(re.search(self.begins, "\n".join(start.lines)))
        return any(all(values_at(r, path) for path in self.knows) for r in start.records)

    def unread(self, record: Any) -> str | None:
        """Return the key of annotations in a record to which no path of the tool leads.

        >>> tool = Tool("tool", "a tool's JSON", spans="entities[*]")
        >>> tool.unread({"text": "Jo", "spans": [{"start": 0, "end": 2, "label": 1}]})
        'spans'
        """
        if self.rows or self.read:
            known = {id(value) for path in self.reads for value in values_at(record, path)}
            return next(annotations_beside(record, known), None)
        parts = values_at(record, self.records) if self.records else [record]
        paths = [self.spans, *self.passed, *([self.links.relations] if self.links else [])]
        reached = [
            value
            for part in parts
            for place in [part, *(values_at(part, self.marked) if self.marked else ())]
            for path in filter(None, paths)
            for value in values_at(place, path)
        ]
        return next(annotations_beside(record, {id(x) for x in reached}), None)

    @cached_property
    def tree(self) -> Tree:
        """The paths in a record that are read or counted."""
        if self.rows or self.read:
            return tree_of(steps_of(path)[0] for path in self.reads)
        outer = [self.text, self.tokens, *self.document.split(","), *self.passed]
        inner = [self.annotator, self.spans, *self.unseen]
        inner += [self.links.relations] if self.links else []
        paths = [steps for path in outer if path not in ("", KEY) for steps in steps_of(path)]
        parts = steps_of(self.marked) if self.marked else ((),)
        paths += [
            (*part, *steps)
            for path in inner
            if path not in ("", KEY, FILE)
            for steps in steps_of(path)
            for part in parts
        ]
        return tree_of(paths)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """What a file of the tool may be by its bytes."""
        shapes: tuple[Shape, ...] = ("json", "jsonl") if self.knows else ()
        shapes += ("csv", "tsv", "text") if self.begins else ()
        shapes += ("zip",) if self.zips else ()
        return (*shapes, "folder") if self.members else shapes

    @property
    def is_deep(self) -> bool:
        """Whether no options read the same."""
        more = (self.records, self.marked, self.rows, self.read, self.unseen, self.links)
        return any(more) or bool(self.leaves[0])


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "label-studio",
            "Label Studio's JSON and JSON-MIN",
            knows=lazy("spanagree.formats.label_studio.tasks", "knows_label_studio"),
            read=lazy("spanagree.formats.label_studio.read", "records"),
            # of JSON-MIN, which has no object of data, all
            reads=("data.*|*", "annotations", "completions", "predictions", "drafts"),
            takes=(
                *("text", "document", "annotator_from", "predictions", "ground_truth", "ends"),
                "scores",
            ),
            write=lazy("spanagree.formats.label_studio.write", "write_label_studio"),
            task_ending=".json",
            write_tasks=lazy("spanagree.formats.label_studio.write", "write_tasks"),
        ),
        Tool(
            "prodigy",
            "Prodigy's db-out",
            knows=("_input_hash", "_task_hash|_view_id|answer"),
            read=lazy("spanagree.formats.prodigy", "records"),
            reads=(
                *("spans", "relations", "tokens", "accept"),
                *("versions[*].spans", "versions[*].relations"),
            ),
            takes=("annotator_from", "ends"),
            write=lazy("spanagree.formats.prodigy", "write_prodigy"),
            task_ending=".jsonl",
            write_tasks=lazy("spanagree.formats.prodigy", "write_tasks"),
        ),
        Tool(
            "doccano",
            "doccano's JSON lines, one annotator a file or several, and its zip",
            knows=lazy("spanagree.formats.doccano", "knows_doccano"),
            read=lazy("spanagree.formats.doccano", "records"),
            reads=("entities", "annotations", "labels", "label", "relations", "cats", "Comments"),
            takes=("annotator_from", "absent", "ends"),
            write=lazy("spanagree.formats.doccano", "write_doccano"),
            zips=True,
        ),
        Tool(
            "langextract",
            "LangExtract's annotated documents",
            knows=("extractions", "text|document_id"),
            document="document_id",
            text="text",
            spans="extractions[*]",
            start="char_interval.start_pos",
            end="char_interval.end_pos",
            label="extraction_class",
            quote="extraction_text",
        ),
        Tool(
            "batch-output",
            "answers of batches, as OpenAI and others give them",
            knows=("custom_id|response.candidates", "response|result"),
            document="custom_id|key",
            spans="response.body.choices[0].message.tool_calls[*].function.arguments"
            "|response.body.choices[0].message.content|response.body.output[*].arguments"
            "|response.body.output[*].content[*].text|result.message.content[*].input"
            "|result.message.content[*].text|response.candidates[0].content.parts[*].text",
            passed={
                "error|response.body.error|result.error": "failed request",
                "response.body.choices[1:]|response.candidates[1:]": "further answer",
            },
        ),
        Tool(
            "spacy-pairs",
            "spaCy's pairs of a text and its entities",
            knows=("[1].entities",),
            text="[0]",
            spans="[1].entities[*]",
            **TRIPLE,
        ),
        Tool(
            "spacy-json",
            "what spaCy's to_json gives of a Doc",
            knows=("text", "tokens[0].start", "ents|sents|spans.*"),
            text="text",
            spans="ents[*]",
            **OBJECT,
            passed={"spans.*[*]": "grouped span"},
        ),
        Tool(
            "tagged-lines",
            "a text a line with tags or GPT-NER's marks in it",
            begins=MARKED.pattern,
            rows=lazy("spanagree.formats.tagged_copies", "tagged_rows"),
            text="text",
            spans="marked",
        ),
    )
}
"""The tools of this room, by name."""

OF_ANY: Mapping[str, Tool] = {
    "by-id": Tool(
        "by-id",
        "an object with the spans of each document under its id",
        knows=is_by_id,
        records="*",
        document=KEY,
        text="text",
        spans="spans|entities|annotations|@",
    )
}
"""What any tool may write; others are asked first."""
