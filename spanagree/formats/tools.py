"""Tools and pipelines that write JSON records: one table, with an entry for each.

An entry describes how a file is recognised, and by paths (:mod:`spanagree.formats.paths`) the parts
of a record. The same paths are options, so other tools need no code; a single reader
(:mod:`spanagree.formats.tool_records`) reads all of them.
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
from spanagree.formats.paths import find_first_value, find_values, parse_steps
from spanagree.formats.spans_beside import Tree, build_tree, yield_unread_span_keys
from spanagree.formats.usual_names import (
    COLUMNS,
    MARKED,
    USUAL,
    find_span_keys,
    simplify_name,
    split_certain_header,
)

if TYPE_CHECKING:
    from spanagree.formats.records import Record

KEY = "@key"
"""In place of a path to an id, a name or a label: the key that the last ``*`` matches."""

FILE = "@file"
"""In place of a path to a name: the file is one annotator, named after it."""

Rows = Callable[..., Iterator[tuple[str, Any]]]
"""From a file and its encoding to records, each with its place for errors.

That of a tool that ``reads`` JSON is given a log too, and has it look beside each record there.
"""

PATHS = ("document", "text", "tokens", "annotator", "spans", "start", "end", "label", "quote")
"""Parts of a record that have a path; each is an option too."""

OF_PATHS = (*PATHS, "ends", "encoding", "absent", "align", "texts")
"""Options of tools that are read by paths."""


class SpanPaths(TypedDict):
    """Paths from a span to its fields."""

    start: str
    end: str
    label: str


OBJECT: SpanPaths = {"start": "start", "end": "end", "label": "label"}
"""Paths of a span that is an object."""

TRIPLE: SpanPaths = {"start": "[0]", "end": "[1]", "label": "[2]"}
"""Paths of a span that is a list."""


def import_on_call(module: str, name: str) -> Callable[..., Any]:
    """Return a function that is imported when it is called, as no command needs all readers."""

    def import_and_call(*arguments: Any, **keywords: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **keywords)

    return import_and_call


_RECORD_COLUMNS = {*COLUMNS["spans"], *COLUMNS["tokens"], *COLUMNS["tags"]}


def is_object_by_id(start: FileHead) -> bool:
    """Check whether a file is one object that contains records, or lists of spans, by id."""
    (record,) = start.records if len(start.records) == 1 else ({},)
    values = list(record.values()) if isinstance(record, dict) else []
    usual_names = {name for names in (*COLUMNS.values(), *USUAL.values()) for name in names}
    names = (key for key in record if not any(map(str.isdigit, key)))  # doc1 is an id
    if not values or any(simplify_name(name) in usual_names for name in names):
        return False
    spans_by_document = [
        find_first_value(value, "spans|entities|annotations|@") for value in values
    ]
    spans = [
        span
        for spans_of_document in spans_by_document
        if isinstance(spans_of_document, list)
        for span in spans_of_document
    ]
    are_lists = all(
        spans_of_document is None or isinstance(spans_of_document, list)
        for spans_of_document in spans_by_document
    )
    return are_lists and any(map(_is_span, spans))


def _is_span(span: Any) -> bool:
    """Check whether a value is a span in a form that tools use, and not a record with spans."""
    if isinstance(span, dict):
        is_record = any(
            isinstance(span[key], list) for key in span if simplify_name(key) in _RECORD_COLUMNS
        )
        is_record |= any(yield_unread_span_keys(span, frozenset()))
        return not is_record and bool(find_span_keys(tuple(span)).keys() & {"start", "text"})
    is_list = isinstance(span, list) and len(span) in (2, 3) and isinstance(span[-1], str)
    return is_list or isinstance(span, str)


_N_SAMPLE_FILES = 5  # number of files of a folder to read

NUMBER = "@number"
"""In place of a path to a span's name: its index in the record, from 0."""


class RelationPaths(NamedTuple):
    """Paths to relations, and to the names of the segments that they link.

    Attributes:
        relations: path from an annotator's part to its relations.
        first, second, label: paths from a relation; several paths of one name are separated by
            commas.
        span: path from a span to its name.
    """

    relations: str
    first: str
    second: str
    label: str
    span: str


@dataclass(frozen=True, eq=False)
class Tool:
    """Tool that writes records, and the paths to the fields of a record.

    Attributes:
        name: name of the tool for ``--from``.
        means: description of its files.
        knows: paths that all lead to a value in a record of a file; or function that recognises the
            beginning of a file.
        begins: pattern of the first lines of a text that is not JSON.
        members: ending of the names of files in a folder.
        zips: True if a zip may contain the tool's files.
        rows: function that builds records from a file, if they are not in JSON.
        records: path to the records, if they are below the top level.
        document: path to the id, or paths to its parts separated by commas; a record without an id
            gets its number.
        text, tokens: paths to the text or tokens that offsets count. A missing text is read from
            another file of the same command, by id.
        marked: path to each annotator's part of a record. Default: the record itself.
        annotator: path from an annotator's part to the name. Default: the file is the annotator.
        spans: path from an annotator's part to the spans; null is no answer, and an empty list an
            answer without spans.
        start, end, label, quote: paths from a span; several ends of one span are several segments,
            or fragments of one segment. Spans without a path to start or quote have a layout of
            language models: objects, quotes, quotes by label, or a copy of the text with tags.
        in_pieces: True if several ends of one span are the ends of its fragments.
        links: paths to relations, if there are any.
        leaves: path from a span, values of it that exclude the span, and the noun for such spans.
        unseen: values that mean that the annotator saw nothing, by path from an annotator's part.
        seen_unknown: True if the file leaves out annotators without spans in a document, as tables
            do.
        ends: convention for the end of a span, if the reader sets it or the tool has an unusual
            one. Default: inferred from quotes.
        utf16: path from a record, and the value that means that offsets count UTF-16 units.
        passed: nouns of ignored values that are counted, by path from a record.
        read: function that yields the records of a file, from its path, a log and the options in
            ``takes``, if paths alone are not sufficient.
        reads: paths from a JSON record to all lists that the functions ``rows`` or ``read`` read or
            count; other lists of spans in a record are not explained.
        takes: names of the tool's options.
        write: function that writes a corpus in the layout of the tool.
        task_ending: ending of files with tasks that the tool imports.
        write_tasks: function that writes documents as tasks, each with its annotator.
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

    def recognises(self, start: FileHead) -> bool:
        """Check whether a file begins like the tool's, without unexplained annotations."""
        return self.matches_beginning(start) and not any(map(self.find_unread_key, start.records))

    def matches_beginning(self, start: FileHead) -> bool:
        """Check whether a file begins like the tool's files, whatever else it contains."""
        if callable(self.knows):
            return self.knows(start)
        if start.shape not in self.shapes:
            return False
        if start.shape == "folder":
            files = [name for name in start.members if name.endswith(self.members)]
            if not self.begins:
                return bool(files)
            heads = (read_head(os.path.join(start.path, name)) for name in files[:_N_SAMPLE_FILES])
            return any(re.search(self.begins, "\n".join(file.lines)) for file in heads)
        if start.shape not in ("json", "jsonl"):
            is_of_lines = not self.begins.startswith(r"\A")
            if is_of_lines and len(split_certain_header(start)) > 1:  # cells are no lines
                return False
            return bool(re.search(self.begins, "\n".join(start.lines)))
        return any(
            all(find_values(record, path) for path in self.knows) for record in start.records
        )

    def find_unread_key(self, record: Any) -> str | None:
        """Find the key of annotations in a record to which no path of the tool leads.

        >>> tool = Tool("tool", "a tool's JSON", spans="entities[*]")
        >>> tool.find_unread_key({"text": "Jo", "spans": [{"start": 0, "end": 2, "label": 1}]})
        'spans'
        """
        if self.rows or self.read:
            read_values = {id(value) for path in self.reads for value in find_values(record, path)}
            return next(yield_unread_span_keys(record, read_values), None)
        records = find_values(record, self.records) if self.records else [record]
        paths = [self.spans, *self.passed, *([self.links.relations] if self.links else [])]
        reached_values = [
            value
            for inner_record in records
            for container in [
                inner_record,
                *(find_values(inner_record, self.marked) if self.marked else ()),
            ]
            for path in filter(None, paths)
            for value in find_values(container, path)
        ]
        return next(
            yield_unread_span_keys(record, {id(reached_value) for reached_value in reached_values}),
            None,
        )

    @cached_property
    def tree(self) -> Tree:
        """Paths in a record that are read or counted."""
        if self.rows or self.read:
            return build_tree(parse_steps(path)[0] for path in self.reads)
        outer = [self.text, self.tokens, *self.document.split(","), *self.passed]
        inner = [self.annotator, self.spans, *self.unseen]
        inner += [self.links.relations] if self.links else []
        paths = [steps for path in outer if path not in ("", KEY) for steps in parse_steps(path)]
        part_paths = parse_steps(self.marked) if self.marked else ((),)
        paths += [
            (*part_steps, *steps)
            for path in inner
            if path not in ("", KEY, FILE)
            for steps in parse_steps(path)
            for part_steps in part_paths
        ]
        return build_tree(paths)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Possible shapes of a file of the tool."""
        shapes: tuple[Shape, ...] = ("json", "jsonl") if self.knows else ()
        shapes += ("csv", "tsv", "text") if self.begins else ()
        shapes += ("zip",) if self.zips else ()
        return (*shapes, "folder") if self.members else shapes

    @property
    def is_deep(self) -> bool:
        """True if options cannot replace the entry."""
        unavailable = (self.records, self.marked, self.rows, self.read, self.unseen, self.links)
        return any(unavailable) or bool(self.leaves[0])


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "label-studio",
            "Label Studio's JSON and JSON-MIN",
            knows=import_on_call("spanagree.formats.label_studio.tasks", "looks_like_label_studio"),
            read=import_on_call("spanagree.formats.label_studio.read", "yield_records"),
            # all of JSON-MIN, which has no data object
            reads=("data.*|*", "annotations", "completions", "predictions", "drafts"),
            takes=(
                *("text", "document", "annotator_from", "predictions", "ground_truth", "ends"),
                "scores",
            ),
            write=import_on_call("spanagree.formats.label_studio.write", "write_label_studio"),
            task_ending=".json",
            write_tasks=import_on_call("spanagree.formats.label_studio.write", "write_tasks"),
        ),
        Tool(
            "prodigy",
            "Prodigy's db-out",
            knows=("_input_hash", "_task_hash|_view_id|answer"),
            read=import_on_call("spanagree.formats.prodigy", "yield_records"),
            reads=(
                *("spans", "relations", "tokens", "accept"),
                *("versions[*].spans", "versions[*].relations"),
            ),
            takes=("annotator_from", "ends"),
            write=import_on_call("spanagree.formats.prodigy", "write_prodigy"),
            task_ending=".jsonl",
            write_tasks=import_on_call("spanagree.formats.prodigy", "write_tasks"),
        ),
        Tool(
            "doccano",
            "doccano's JSON lines, one annotator a file or several, and its zip",
            knows=import_on_call("spanagree.formats.doccano", "looks_like_doccano"),
            read=import_on_call("spanagree.formats.doccano", "yield_records"),
            reads=("entities", "annotations", "labels", "label", "relations", "cats", "Comments"),
            takes=("annotator_from", "absent", "ends"),
            write=import_on_call("spanagree.formats.doccano", "write_doccano"),
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
            rows=import_on_call("spanagree.formats.tagged_copies", "yield_tagged_rows"),
            text="text",
            spans="marked",
        ),
    )
}
"""Tools in this package, by name."""

OF_ANY: Mapping[str, Tool] = {
    "by-id": Tool(
        "by-id",
        "an object with the spans of each document under its id",
        knows=is_object_by_id,
        records="*",
        document=KEY,
        text="text",
        spans="spans|entities|annotations|@",
    )
}
"""Layout that any tool may write, which is tried last."""
