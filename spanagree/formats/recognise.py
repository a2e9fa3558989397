"""Recognition of the format of a file by its beginning, and errors for unknown files."""

from __future__ import annotations

import glob
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.tags import is_tag
from spanagree.errors import (
    InputError,
    SpanAgreeError,
    escape_name,
    escape_path,
    invalid_value,
    join_names,
    quote_value,
)
from spanagree.files import PathName, open_zip
from spanagree.formats.file_head import FileHead, read_head, recognise_text
from spanagree.formats.patterns import has_pattern
from spanagree.formats.registry import (
    COLUMNS_OF_ROWS,
    FORMATS,
    TOOLS,
    Options,
    load_registered_formats,
)
from spanagree.formats.tools import import_on_call
from spanagree.formats.usual_names import (
    ANSWERS,
    COLUMNS,
    TOKEN_NAMES,
    find_span_keys,
    simplify_name,
    split_certain_header,
)
from spanagree.tables import find_separator, split_cells

_guess_from_head = import_on_call("spanagree.formats.hugging_face.load", "guess_from_head")
_read_csv_records = import_on_call("spanagree.formats.csv_rows", "read_csv_records")
_extract_json = import_on_call("spanagree.formats.literals", "extract_json")
_has_texts = import_on_call("spanagree.formats.joined_texts", "has_texts")
_are_all_tagged = import_on_call("spanagree.formats.conll.choose", "are_all_tagged")
_looks_like_labelled_rows = import_on_call(
    "spanagree.formats.conll.choose", "looks_like_labelled_rows"
)
_are_annotation_files = import_on_call("spanagree.formats.inception.files", "are_annotation_files")

_NUMBER = re.compile(r"-?[0-9]+(\.0*)?")

_UNSUPPORTED: tuple[tuple[str, str, str], ...] = (  # pattern of the beginning, name, advice
    (r"<(\w+:)?FoLiA\b", "FoLiA", "convert it to CoNLL or TEI with FoLiA's tools"),
    (r"<(\w+:)?paula\b", "PAULA", "convert it to CoNLL or WebAnno TSV"),
    (
        r"<corpus\b[^<>]*>(?:(?!<corpus\b)[\s\S])*<(s|body|head)\b",
        "TIGER-XML",
        "convert it to CoNLL",
    ),
    (
        r"<basic-transcription\b",
        "EXMARaLDA's transcription",
        "export its tiers as a table of spans",
    ),
    (
        r"<article\b(?:(?!<article\b)[\s\S])*<(front|body)\b",
        "an article in JATS",
        "it has text, and no annotations",
    ),
    (
        r"(?i)\A\s*(<!doctype html|<html\b)",
        "a web page",
        "export the annotations from the tool that shows it",
    ),
    (
        r'(?s)"images".*"annotations".*"bbox"|"bbox".*"category_id"',
        "COCO, boxes in images",
        "only text is read",
    ),
    (
        r"(?m)^@prefix \S*: <|^<https?:[^>]+> <https?:",
        "RDF, as NIF has it",
        "convert it to CoNLL or JSON",
    ),
    (r"(?m)^annotation_sets:", "GATE's bdoc in YAML", "save it as bdocjs, which is read"),
    (
        r'"paragraphs":\s*\[\s*\{\s*("raw":[^\n]*,\s*)?"sentences"',
        "training data of spaCy 2",
        "convert it with spacy convert, and read the .spacy file",
    ),
    (
        r"\A\S+\|\S+(\|\S+)? \S+\|",
        "tags behind words, a sentence a line",
        "convert it with spacy convert, and read the .spacy file",
    ),
    (r"\A\{\\rtf", "rich text", "save it as plain text"),
    (r"\{\s*'entities'\s*:", "spaCy's pairs as Python writes them", "save them with json.dump"),
)
_COLUMN_ADVICE = "--text C --spans C, --tokens C --tags gold=C,mine=C, or --from FORMAT"
_OFFSET_NAME = re.compile("^(start|begin|off|end|stop|from|to$)|(start|end|offset|begin)$")
_N_SAMPLE_FILES = 5  # number of files of a folder to read
_N_SAMPLE_ROWS = 50  # number of rows of a table to read
_CONLL_EXTENSIONS = {*FORMATS["conll"].extensions} - {".txt", ".tsv"}


class SniffedFile(NamedTuple):
    """File or folder with its beginning, read once for all checks.

    Attributes:
        path: path of the file or folder.
        start: beginning of the file; ``None`` if it does not exist, for example for a pattern.
        formats: formats that recognise the beginning: for records the strictest, which is the first
            that explains all apparent annotations; for texts several.
    """

    path: PathName
    start: FileHead | None
    formats: tuple[str, ...]

    @classmethod
    def from_path(cls, path: PathName) -> SniffedFile:
        """Read the beginning of a file or folder.

        Raises:
            InputError: if it cannot be read.
        """
        if not (os.path.isfile(path) or os.path.isdir(path)):
            return cls(path, None, ())
        start = read_head(path)
        candidates = (name for name, form in FORMATS.items() if form.recognises(start))
        if not start.records:
            return cls(path, start, tuple(candidates))
        first = next(candidates, None)
        tools = TOOLS if first in TOOLS else ()
        rivals = (name for name in tools if name != first and FORMATS[name].recognises(start))
        return cls(path, start, tuple(_check_rivals(path, [first, *rivals])) if first else ())

    def find_format(self, options: Options) -> str:
        """Find the format that recognises the content of the file, or else the format of its name.

        Rows without a tool are a dataset if the options name their columns.

        Raises:
            InputError: if no format recognises the file, with its content.
        """
        path, start, names = self.path, self.start, [*self.formats]
        if start is None:
            is_project = has_pattern(path) and _are_annotation_files(path)
            return "inception" if is_project else find_format_by_name(path)
        is_named = any(options.get(name) is not None for name in COLUMNS_OF_ROWS)
        if self.tool_with_unread_spans and not is_named:
            name, key = self.tool_with_unread_spans
            raise InputError(
                f"{escape_path(path)}: as {name} writes it, but for spans under"
                f" {quote_value(key)}, which {name} does not read; take them out, or read the rest"
                f" with --from {name}"
            )
        for name in (find_format_by_name(path), *names):
            if "resolution" in FORMATS[name].takes:  # a recording
                return name
        has_open_quotes = _have_tokens_of_quotes(start)
        if {"conll", "dataset"} <= {*names} and not has_open_quotes:
            guess = _guess_from_head(start)
            has_bounds = "," in (guess.get("spans") or "")
            if "tags" in guess or has_bounds:
                names.remove("conll")  # cells of several words, or one row per span, are no tokens
        if names in ([], ["dataset"]) and start.records and _have_record_paths(options):
            return "paths"
        if names:
            return names[0]
        is_conll_by_name = Path(path).suffix.lower() in _CONLL_EXTENSIONS
        is_certain = (
            is_conll_by_name
            or any(name.endswith(".ann") for name in start.members)
            or _have_tags(start.lines[:-1])
        )
        for name, registered_format in (
            load_registered_formats().items() if not is_certain else ()
        ):  # their check takes memory
            if registered_format.recognises(start):
                return name
        is_table = start.shape in ("csv", "tsv")
        is_of_rows = any(options.get(column) is not None for column in COLUMNS_OF_ROWS)
        if (is_of_rows or options.get("strings")) and (
            start.objects or (is_table and find_format_by_name(path) == "dataset")
        ):
            return "dataset"
        if is_table and _looks_like_labelled_rows(start):
            return "conll"
        return self._find_format_by_name(start)

    def _find_format_by_name(self, start: FileHead) -> str:
        """Find the format by the name of the file, unless its beginning does not fit."""
        if start.shape == "zip":
            with open_zip(self.path):  # raises if it is invalid
                raise build_unrecognised_error(start, FORMATS)
        form = find_format_by_name(self.path)
        n_rows = sum(bool(line.strip()) for line in start.lines)
        has_extension = Path(self.path).suffix.lower() in {*FORMATS[form].extensions, ""}
        if start.shape == "text" and not n_rows and not has_extension:
            raise InputError(
                f"{escape_name(start.path)}: nothing is in it; export it again, or leave it out"
            )
        is_table = (
            start.shape in ("csv", "tsv") and n_rows > 1
        )  # otherwise reading reports missing rows
        if (
            start.objects
            or (form == "brat" and start.members and not _is_brat(start.members))
            or (is_table and (form == "dataset" or are_label_columns(read_table_header(start))))
            or (form == "conll" and (start.shape == "xml" or _has_no_token_column(start)))
            or (form in ("conll", "dataset") and describe_unsupported_format(start))
        ):
            raise self._build_answers_error() or build_unrecognised_error(start, FORMATS)
        return form

    def has_texts_only(self, options: Options) -> bool:
        """Check whether the file has texts by id for other files, but no annotations."""
        if self.start is None:
            return False
        if self.start.shape == "folder":
            are_texts = any(name.endswith(".txt") for name in self.start.members)
            are_marked = any(name.endswith(".ann") for name in self.start.members)
            return are_texts and not are_marked and not self.formats
        spans = options.get("spans")
        values = spans.values() if isinstance(spans, Mapping) else [spans]
        keys = {key for key in values if isinstance(key, str)}
        if self.tool_with_unread_spans or any(
            not keys.isdisjoint(row) for row in self.start.objects
        ):
            return False
        try:
            self.find_format({})
        except InputError:
            return bool(_has_texts(self.path))
        return False

    @property
    def tool_with_unread_spans(self) -> tuple[str, str] | None:
        """Tool with a matching beginning, and the key of spans in the file that it does not read.

        ``None`` if another format explains the whole file. A dataset explains no more than paths
        do, as it ignores annotators and documents without spans.
        """
        if self.start is None or not {*self.formats} <= {"dataset"}:
            return None
        for name, tool in TOOLS.items() if self.start.records else ():
            if self.formats and not (tool.rows or tool.read):
                continue
            if self.start.shape in tool.shapes and tool.matches_beginning(self.start):
                return name, next(filter(None, map(tool.find_unread_key, self.start.records)), "")
        return None

    @property
    def possible_annotation_columns(self) -> list[str]:
        """Names of columns, or keys of records, that are neither ids nor texts."""
        if self.start is None:
            return []
        names = dict.fromkeys(str(key) for row in self.start.objects for key in row)
        text_names = {*COLUMNS["text"], *COLUMNS["tokens"], *COLUMNS["document"], "id", "uid"}
        return [
            name
            for name in names or read_table_header(self.start)
            if name and simplify_name(name) not in text_names
        ]

    @property
    def answer_column(self) -> str | None:
        """Name of the column of a model's answers: texts with tags, or JSON among other words."""
        for row in self._list_first_rows():
            for key, cell in row.items():
                if isinstance(cell, str) and _is_answer(cell):
                    return str(key)
        return None

    def _list_first_rows(self) -> Sequence[Mapping[str, Any]]:
        """List the objects at the beginning of the file, or the first rows of a table."""
        if self.start is None or self.start.shape not in ("csv", "tsv"):
            return self.start.objects if self.start else ()
        rows: list[Mapping[str, Any]] = []
        with suppress(InputError):  # reading reports an odd row
            rows += (row for _, row in islice(_read_csv_records(self.path)[1], _N_SAMPLE_ROWS))
        return rows

    def _build_answers_error(self) -> InputError | None:
        """Build the error for a model's answers that are not recognised; `None` without any.

        Only a text shows where their spans are.
        """
        column = self.answer_column
        if column is None:
            return None
        names = (str(name) for row in self._list_first_rows() for name in row)
        text = next(
            (name for name in names if simplify_name(name) in COLUMNS["text"] and name != column),
            None,
        )
        spans = column if text else f"{os.path.basename(os.fspath(self.path))}:{column}"
        advice = f"--spans {shlex.quote(spans)} (spans={spans!r})"
        advice = (
            f"--text {shlex.quote(text)} (text={text!r}) and {advice} read them"
            if text
            else f"name a file that has the texts by id beside it, and {advice}"
        )
        return InputError(
            f"{escape_path(self.path)}: answers with tags, or with JSON among words, under"
            f" {quote_value(column)}{'' if text else ', and no texts'}; {advice}"
        )


def _check_rivals(path: PathName, names: Sequence[str]) -> list[str]:
    """Check that all tools that recognise a file read it as the same corpus; return the first.

    Raises:
        InputError: if two tools give different corpora; it names both.
    """
    if len(names) < 2:
        return [*names]
    raw_by_tool: dict[str, RawCorpus] = {}
    for name in names:
        with suppress(SpanAgreeError):  # if no tool can read it, reading reports why
            raw_by_tool[name] = FORMATS[name].read(path)
    first, *later_tools = raw_by_tool or names
    for tool in later_tools if raw_by_tool else ():
        if not _have_same_content(raw_by_tool[first], raw_by_tool[tool]):
            raise InputError(
                f"{escape_path(path)}: {first} and {tool} both know it, and read it"
                f" otherwise; name one with --from {first} or --from {tool}"
            )
    return [first]


def _have_same_content(first: RawCorpus, second: RawCorpus) -> bool:
    """Check whether two readings have the same documents, annotators and segments."""
    return all(
        a == b
        for a, b in zip_longest(_yield_comparable_rows(first), _yield_comparable_rows(second))
    )


def _yield_comparable_rows(raw: RawCorpus) -> Iterator[object]:
    """Yield the content of a reading, independent of the order of annotators and labels."""
    yield from (raw.offsets, raw.ids, raw.texts, raw.tokens, raw.lengths.tolist())
    names = [raw.annotators[annotator] for annotator in raw.annotator_index.tolist()]
    yield sorted(zip(raw.document_index.tolist(), names, strict=True))
    labels = [*raw.labels, ""]
    columns = (raw.annotation.tolist(), raw.start.tolist(), raw.end.tolist(), raw.label.tolist())
    yield sorted(
        (int(raw.document_index[annotation]), names[annotation], start, end, labels[label])
        for annotation, start, end, label in zip(*columns, strict=True)
    )


def _is_answer(cell: str) -> bool:
    """Check whether a text has tags or GPT-NER's marks, or JSON among other words.

    >>> [_is_answer(cell) for cell in ("<PER>Jo</PER> is", 'Sure: ["Jo"]', "see [1]", '["Jo"]')]
    [True, True, False, False]
    """
    is_json_alone = cell.lstrip()[:1] in ("[", "{")
    has_json = not is_json_alone and not isinstance(_extract_json(cell)[0], str)
    return has_json or re.search(TOOLS["tagged-lines"].begins, cell) is not None


def _have_tags(lines: Sequence[str]) -> bool:
    """Check if each line that is not blank is a token with its tag.

    >>> _have_tags(["Jo B-PER", "", "sings O"]), _have_tags(["Jo PER"]), _have_tags([""])
    (True, False, False)
    """
    rows = [cells for line in lines if (cells := line.split())]
    return bool(rows) and all(len(cells) == 2 and is_tag(cells[1]) for cells in rows)


def _has_no_token_column(start: FileHead) -> bool:
    """Check whether a table has a header without a column of tokens."""
    names = [*map(simplify_name, split_certain_header(start))]
    return len(names) > 1 and not {*names} & {*TOKEN_NAMES}


def _have_tokens_of_quotes(start: FileHead) -> bool:
    """Check whether a quote is open at the end of a line, although each line is a row.

    In a table, the text up to the next quote would be one cell.
    """
    lines = [line for line in start.lines if line.strip()]
    are_rows = start.shape == "tsv" and len({line.count("\t") for line in lines}) == 1
    return are_rows and any(line.count('"') % 2 for line in lines)


def _have_record_paths(options: Options) -> bool:
    """Check whether options name paths in records, which are no columns."""
    spans = options.get("spans")
    is_path = isinstance(spans, str) and bool({*"[*"} & {*spans})
    return is_path or any(options.get(name) is not None for name in ("start", "end", "label"))


def find_format(path: PathName, options: Options | None = None) -> str:
    """Find the format of a file or folder; see :meth:`SniffedFile.find_format`."""
    return SniffedFile.from_path(path).find_format(options or {})


def find_format_by_name(path: PathName) -> str:
    """Find the format of a file by its extension, or of a folder by the names in it.

    >>> find_format_by_name("corpus.jsonl"), find_format_by_name("gold.annotated")
    ('jsonl', 'conll')
    """
    if os.path.isdir(path):
        dataset_files = (os.path.join(path, name) for name in ("state.json", "dataset_dict.json"))
        return "dataset" if any(map(os.path.exists, dataset_files)) else "brat"
    suffix = Path(path).suffix.lower()
    return next((name for name, form in FORMATS.items() if suffix in form.extensions), "conll")


def convert_to_pattern(path: PathName) -> PathName:
    """Convert a folder of CoNLL files to the pattern of its files; other paths are unchanged.

    The files have the same extension; the folder contains no other files except README and LICENSE.

    Raises:
        InputError: if the folder cannot be read.
    """
    if not isinstance(path, (str, os.PathLike)) or not os.path.isdir(path):
        return path
    start = read_head(path)
    names = [name for name in start.members if not re.match(r"\.|README|LICENSE", name)]
    suffixes = {os.path.splitext(name)[1].lower() for name in names}
    is_flat = not any("/" in name for name in names)
    if len(suffixes) != 1 or not is_flat or not suffixes <= {*FORMATS["conll"].extensions}:
        return path
    if any(form.recognises(start) for form in FORMATS.values()):
        return path
    heads = (read_head(os.path.join(path, name)) for name in names[:_N_SAMPLE_FILES])
    if not all(_are_all_tagged(head) for head in heads):
        return path
    return os.path.join(glob.escape(os.fspath(path)), f"*{Path(names[0]).suffix}")


def _is_brat(names: Iterable[str]) -> bool:
    """Check whether a folder contains brat's annotations, or only texts without them."""
    return any(name.endswith(".ann") for name in names) or all(
        name.endswith(".txt") for name in names
    )


# --- files of unknown formats ---------------------------------------------------------------------


def read_table_header(start: FileHead) -> list[str]:
    """Read the names of the columns of a table in text."""
    first_line = start.lines[0] if start.shape in ("csv", "tsv") and start.lines else ""
    return [
        name.strip().strip('"') for name in split_cells(first_line, find_separator(start.lines))
    ]


def are_label_columns(names: Iterable[str]) -> bool:
    """Check whether the columns are those of a table with one label of an item per row."""
    plain_names = {simplify_name(name) for name in names}
    return not plain_names.isdisjoint(COLUMNS["annotator"]) and not plain_names.isdisjoint(ANSWERS)


def _find_invalid_bound(path: str) -> tuple[str, str, str] | None:
    """Find the first start or end that is no number in a table with a span in each row.

    Returns:
        Location, column and cell; ``None`` if there is none, or no such column has any number.
    """
    first_invalid, has_number = None, False
    with suppress(InputError):  # a table with odd rows, which the other message describes
        header, rows = _read_csv_records(path)
        keys = find_span_keys(tuple(header))
        columns = [keys[name] for name in ("start", "end") if name in keys]
        for location, row in rows if len(columns) > 1 else ():
            for column in columns:
                cell = row[column].strip()
                is_number = bool(_NUMBER.fullmatch(cell))
                has_number |= is_number
                if cell and not is_number and first_invalid is None:
                    first_invalid = location, column, cell
            if first_invalid is not None and has_number:
                return first_invalid
    return None


def describe_unsupported_format(start: FileHead) -> tuple[str, str] | None:
    """Recognise a file of an unsupported format; return its name and advice."""
    text = "\n".join(start.lines)
    matches = ((noun, advice) for pattern, noun, advice in _UNSUPPORTED if re.search(pattern, text))
    return next(matches, None)


def build_unrecognised_error(start: FileHead, formats: Iterable[str]) -> InputError:
    """Build the error for a file that no format recognises."""
    name = escape_name(start.path)
    if unsupported := describe_unsupported_format(start):
        return InputError(
            f"{name}: this looks like {unsupported[0]}, which is not read; {unsupported[1]}"
        )
    if start.shape in ("csv", "tsv"):
        names = read_table_header(start)
        if invalid_bound := _find_invalid_bound(start.path):
            location, column, cell = invalid_bound
            return invalid_value(
                f"{location}: column {quote_value(column)}", cell, "a whole number is needed"
            )
        if are_label_columns(names):
            return InputError(
                f"{name}: a table of labels (columns {join_names(names)}), and spans are needed"
                " here; spanagree coefficients and sa.read_labels read it"
            )
        description = (
            f"a table of the columns {join_names(names)}, in which no spans or tags were found"
        )
        description += _describe_missing_part(start, names)
        label_advice = "; a table of labels is read by spanagree coefficients and sa.read_labels"
        return InputError(
            f"{name}: {description}; name its columns: {_COLUMN_ADVICE}{label_advice}"
        )
    if start.shape in ("json", "jsonl"):
        keys = dict.fromkeys(key for record in start.objects for key in record)
        description = f"JSON with the keys {join_names(keys)}" if keys else "JSON without keys"
        lists = [key for key in keys if len(start.objects) == 1 and _has_objects(start, key)]
        if lists:
            advice = f"if each object under {lists[0]} is a document, save that list as a file"
        else:
            advice = f"name its columns: {_COLUMN_ADVICE} ({join_names(formats)})"
        return InputError(f"{name}: {description}, in which no spans or tags were found; {advice}")
    if start.shape == "zip":
        description = (
            f"a zip of {join_names(start.members) or 'nothing'}, of which no tool's export is known"
        )
        return InputError(
            f"{name}: {description}; unpack it and name its files (of inception and doccano, --from"
            " reads zips)"
        )
    if start.shape == "folder":
        return InputError(
            f"{name}: a folder of {join_names(start.members)}, and neither brat's nor a project of"
            " INCEpTION; name its files, or a pattern in quotes such as 'FOLDER/*.xmi', for each"
            " annotator (NAME='FOLDER/*.xmi')"
        )
    first_line = next((line for line in start.lines if line.strip()), "")
    return InputError(
        f"{name}: {start.shape} that no reader knows, beginning with {quote_value(first_line)};"
        f" name its format with --from ({join_names(formats)})"
    )


def _describe_missing_part(start: FileHead, names: Sequence[str]) -> str:
    """Describe the missing part of a table: texts for apparent offsets, or a column of tags."""
    separator = find_separator(start.lines)
    rows = [split_cells(line, separator) for line in start.lines[1:] if line.strip()]
    columns = [*zip(*rows, strict=False)]
    are_numbers = [all(cell.strip().isdecimal() for cell in column) for column in columns]
    text_names = {*COLUMNS["text"], *TOKEN_NAMES}
    if not text_names.isdisjoint(map(simplify_name, names)) or not split_certain_header(start):
        return ""
    offset_names = [
        name
        for name, is_number in zip(names, are_numbers, strict=False)
        if is_number and _OFFSET_NAME.search(simplify_name(name))
    ]
    if len(offset_names) > 1:
        return (
            f", and no texts; if {join_names(offset_names)} are offsets, name a file that has the"
            " texts by id beside it, and the columns with --spans START,END,LABEL --document C"
        )
    return ", and no column of texts or tokens"


def _has_objects(start: FileHead, key: str) -> bool:
    """Check whether the only object of a file has a list of objects under a key."""
    value = start.objects[0][key]
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(element, dict) for element in value)
    )


# --- standard input -------------------------------------------------------------------------------


FROM_STDIN = ("conll", "jsonl", "label-studio", "prodigy", "doccano", "mqm", "pubtator")
"""Formats that can be read from a stream."""


def check_stdin(form: str | None) -> None:
    """Check that standard input has a named format that can be read from it, or is CoNLL.

    Raises:
        InputError: otherwise, with the formats that can be named.
    """
    if form is not None and form not in (*FROM_STDIN, "hub"):  # its own error names more
        raise InputError(
            f"-: {form} is not read from standard input ({', '.join(FROM_STDIN)} are); name a file"
        )
    buffer: Any = getattr(sys.stdin, "buffer", None)
    if form is not None or not hasattr(buffer, "peek"):
        return
    start = recognise_text("-", buffer.peek(1))
    description = {"json": "JSON", "jsonl": "JSON", "xml": "XML"}.get(start.shape, "")
    if {"start", "end"} <= find_span_keys(tuple(read_table_header(start))).keys():
        description = "a table of spans"
    if description:
        raise InputError(
            f"-: {description} on standard input, which is read as CoNLL; name its format with"
            f" --from ({join_names(FROM_STDIN[1:])}), or name a file"
        )
