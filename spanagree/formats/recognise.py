"""Which format a file has, by what it begins with, and what one seems to be that none knows."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    SpanAgreeError,
    escape_name,
    join_names,
    printable_path,
    quote_value,
)
from spanagree.files import PathName, open_zip
from spanagree.formats.file_head import FileHead, head_of_text, read_head
from spanagree.formats.patterns import has_pattern
from spanagree.formats.registry import COLUMNS_OF_ROWS, FORMATS, TOOLS, Options, registered
from spanagree.formats.tools import lazy
from spanagree.formats.usual_names import (
    ANSWERS,
    COLUMNS,
    TOKEN_NAMES,
    head_of_table,
    keys_of,
    plain,
)
from spanagree.tables import cells_of, separator_of

_guess_of = lazy("spanagree.formats.hugging_face.load", "guess_of")
_has_texts = lazy("spanagree.formats.joined_texts", "has_texts")
_are_all_tagged = lazy("spanagree.formats.conll.choose", "are_all_tagged")
_knows_labels = lazy("spanagree.formats.conll.choose", "knows_labels")
_are_pages = lazy("spanagree.formats.inception.files", "are_pages")

_LOOKS: tuple[tuple[str, str, str], ...] = (  # how a file begins, what it is then, what to do
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
_NAMED = "--text C --spans C, --tokens C --tags gold=C,mine=C, or --from FORMAT"
_BOUND = re.compile("^(start|begin|off|end|stop|from|to$)|(start|end|offset|begin)$")
_LOOKED_AT = 5  # files of a folder
_OF_CONLL_ALONE = {*FORMATS["conll"].extensions} - {".txt", ".tsv"}


class SniffedFile(NamedTuple):
    """A file or folder that was looked at once, for all that is asked of its beginning.

    Attributes:
        path: of it.
        start: its beginning; none of what is not there, as a pattern.
        formats: those that know it by that: of records the strictest, which is the first that
            explains what looks like annotations in them, of texts several decide.
    """

    path: PathName
    start: FileHead | None
    formats: tuple[str, ...]

    @classmethod
    def of(cls, path: PathName) -> SniffedFile:
        """Look at a file or folder.

        Raises:
            InputError: for one that cannot be read.
        """
        if not (os.path.isfile(path) or os.path.isdir(path)):
            return cls(path, None, ())
        start = read_head(path)
        knowing = (name for name, form in FORMATS.items() if form.is_of(start))
        if not start.records:
            return cls(path, start, tuple(knowing))
        first = next(knowing, None)
        others = TOOLS if first in TOOLS else ()
        rivals = (name for name in others if name != first and FORMATS[name].is_of(start))
        return cls(path, start, tuple(_chosen(path, [first, *rivals])) if first else ())

    def format_by(self, options: Options) -> str:
        """Return the format: that which knows what is in the file, or by its name.

        Rows that no tool wrote are a dataset if the options name their columns.

        Raises:
            InputError: for a file that no format knows, showing what was found in it.
        """
        path, start, names = self.path, self.start, [*self.formats]
        if start is None:
            is_project = has_pattern(path) and _are_pages(path)
            return "inception" if is_project else format_named(path)
        is_named = any(options.get(name) is not None for name in COLUMNS_OF_ROWS)
        if self.half_known and not is_named:
            name, key = self.half_known
            raise InputError(
                f"{printable_path(path)}: as {name} writes it, but for spans under"
                f" {quote_value(key)}, which {name} does not read; take them out, or read the rest"
                f" with --from {name}"
            )
        for name in (format_named(path), *names):
            if "resolution" in FORMATS[name].takes:  # a recording
                return name
        quotes = _have_tokens_of_quotes(start)
        if {"conll", "dataset"} <= {*names} and not quotes:
            guess = _guess_of(start)
            has_bounds = "," in (guess.get("spans") or "")
            if "tags" in guess or has_bounds:
                names.remove("conll")  # cells of several words, or a row for each span: no tokens
        if names in ([], ["dataset"]) and start.records and _names_paths(options):
            return "paths"
        if names:
            return names[0]
        is_conll_by_name = Path(path).suffix.lower() in _OF_CONLL_ALONE
        is_known = is_conll_by_name or any(name.endswith(".ann") for name in start.members)
        for name, form in registered().items() if not is_known else ():  # asking takes memory
            if form.is_of(start):
                return name
        is_table = start.shape in ("csv", "tsv")
        is_of_rows = any(options.get(column) is not None for column in COLUMNS_OF_ROWS)
        if (is_of_rows or options.get("strings")) and (
            start.objects or (is_table and format_named(path) == "dataset")
        ):
            return "dataset"
        if is_table and _knows_labels(start):
            return "conll"
        return self._format_by_name(start)

    def _format_by_name(self, start: FileHead) -> str:
        """Return the format by the file's name, unless what it begins with cannot be of that."""
        if start.shape == "zip":
            with open_zip(self.path):  # says what is wrong with it
                raise unrecognised(start, FORMATS)
        form = format_named(self.path)
        rows = sum(bool(line.strip()) for line in start.lines)
        known_by_name = Path(self.path).suffix.lower() in {*FORMATS[form].extensions, ""}
        if start.shape == "text" and not rows and not known_by_name:
            raise InputError(
                f"{escape_name(start.path)}: nothing is in it; export it again, or leave it out"
            )
        is_table = start.shape in ("csv", "tsv") and rows > 1  # else reading says there are none
        if (
            start.objects
            or (form == "brat" and start.members and not _is_brat(start.members))
            or (is_table and (form == "dataset" or is_of_labels(header_of(start))))
            or (form == "conll" and (start.shape == "xml" or _is_no_conll(start)))
            or (form in ("conll", "dataset") and looks_like(start))
        ):
            raise unrecognised(start, FORMATS)
        return form

    def has_texts_only(self, options: Options) -> bool:
        """Return whether it has texts by id for other files, and nothing that is marked."""
        if self.start is None:
            return False
        if self.start.shape == "folder":
            are_texts = any(name.endswith(".txt") for name in self.start.members)
            are_marked = any(name.endswith(".ann") for name in self.start.members)
            return are_texts and not are_marked and not self.formats
        spans = options.get("spans")
        named = spans.values() if isinstance(spans, Mapping) else [spans]
        keys = {key for key in named if isinstance(key, str)}
        if self.half_known or any(not keys.isdisjoint(row) for row in self.start.objects):
            return False
        try:
            self.format_by({})
        except InputError:
            return bool(_has_texts(self.path))
        return False

    @property
    def half_known(self) -> tuple[str, str] | None:
        """The tool as whose a file begins, and the key of spans in it that the tool does not read.

        ``None`` where another format explains all of it. A dataset explains no more than what is
        read by paths, as it leaves out all that says whose the spans are, and who saw what.
        """
        if self.start is None or not {*self.formats} <= {"dataset"}:
            return None
        for name, tool in TOOLS.items() if self.start.records else ():
            if self.formats and not (tool.rows or tool.read):
                continue
            if self.start.shape in tool.shapes and tool.begins_so(self.start):
                return name, next(filter(None, map(tool.unread, self.start.records)), "")
        return None

    @property
    def other_columns(self) -> list[str]:
        """The names of columns, or keys of records, that are neither ids nor texts."""
        if self.start is None:
            return []
        names = dict.fromkeys(str(key) for row in self.start.objects for key in row)
        known = {*COLUMNS["text"], *COLUMNS["tokens"], *COLUMNS["document"], "id", "uid"}
        return [
            name for name in names or header_of(self.start) if name and plain(name) not in known
        ]

    @property
    def marked_column(self) -> str | None:
        """The column whose texts have marks in them, as GPT-NER's or tags."""
        marks = TOOLS["tagged-lines"].begins
        for row in self.start.objects if self.start else ():
            for key, cell in row.items():
                if isinstance(cell, str) and re.search(marks, cell):
                    return str(key)
        return None


def _chosen(path: PathName, names: Sequence[str]) -> list[str]:
    """Return the first of some tools that know a file, if all that can read it give the same.

    Raises:
        InputError: naming two that give different corpora.
    """
    if len(names) < 2:
        return [*names]
    read: dict[str, RawCorpus] = {}
    for name in names:
        with suppress(SpanAgreeError):  # another may read it; if none does, reading says why
            read[name] = FORMATS[name].read(path)
    first, *others = read or names
    for other in others if read else ():
        if not _are_same(read[first], read[other]):
            raise InputError(
                f"{printable_path(path)}: {first} and {other} both know it, and read it"
                f" otherwise; name one with --from {first} or --from {other}"
            )
    return [first]


def _are_same(first: RawCorpus, second: RawCorpus) -> bool:
    """Return whether two readings have the same documents, annotators and segments."""
    return all(a == b for a, b in zip_longest(_rows_of(first), _rows_of(second)))


def _rows_of(raw: RawCorpus) -> Iterator[object]:
    """Yield what a reading has, in whatever order it met annotators and labels."""
    yield from (raw.offsets, raw.ids, raw.texts, raw.tokens, raw.lengths.tolist())
    names = [raw.annotators[number] for number in raw.annotator_index.tolist()]
    yield sorted(zip(raw.document_index.tolist(), names, strict=True))
    labels = [*raw.labels, ""]
    columns = (raw.annotation.tolist(), raw.start.tolist(), raw.end.tolist(), raw.label.tolist())
    yield sorted(
        (int(raw.document_index[a]), names[a], start, end, labels[label])
        for a, start, end, label in zip(*columns, strict=True)
    )


def _is_no_conll(start: FileHead) -> bool:
    """Return whether a table has a head, and no column in it is one of tokens."""
    names = [*map(plain, head_of_table(start))]
    return len(names) > 1 and not {*names} & {*TOKEN_NAMES}


def _have_tokens_of_quotes(start: FileHead) -> bool:
    """Return whether a quote is open at the end of a line, and each line is a row all the same.

    As a table, what stands up to the next quote would be one cell.
    """
    lines = [line for line in start.lines if line.strip()]
    are_rows = start.shape == "tsv" and len({line.count("\t") for line in lines}) == 1
    return are_rows and any(line.count('"') % 2 for line in lines)


def _names_paths(options: Options) -> bool:
    """Return whether options name paths in records, which are not columns."""
    spans = options.get("spans")
    is_path = isinstance(spans, str) and bool({*"[*"} & {*spans})
    return is_path or any(options.get(name) is not None for name in ("start", "end", "label"))


def format_of(path: PathName, options: Options | None = None) -> str:
    """Return the format of a file or folder; as :meth:`SniffedFile.format_by`."""
    return SniffedFile.of(path).format_by(options or {})


def format_named(path: PathName) -> str:
    """Return the format of a file by its extension; of a folder, by the names in it.

    >>> format_named("corpus.jsonl"), format_named("gold.annotated")
    ('jsonl', 'conll')
    """
    if os.path.isdir(path):
        saved = (os.path.join(path, name) for name in ("state.json", "dataset_dict.json"))
        return "dataset" if any(map(os.path.exists, saved)) else "brat"
    suffix = Path(path).suffix.lower()
    return next((name for name, form in FORMATS.items() if suffix in form.extensions), "conll")


def as_pattern(path: PathName) -> PathName:
    """Return the pattern of the files in a folder that are CoNLL; any other path as it is.

    They have one extension, and nothing else is in the folder but pages such as README.

    Raises:
        InputError: for a folder that cannot be read.
    """
    if not isinstance(path, (str, os.PathLike)) or not os.path.isdir(path):
        return path
    start = read_head(path)
    names = [name for name in start.members if not re.match(r"\.|README|LICENSE", name)]
    suffixes = {os.path.splitext(name)[1].lower() for name in names}
    is_flat = not any("/" in name for name in names)
    if len(suffixes) != 1 or not is_flat or not suffixes <= {*FORMATS["conll"].extensions}:
        return path
    if any(form.is_of(start) for form in FORMATS.values()):
        return path
    heads = (read_head(os.path.join(path, name)) for name in names[:_LOOKED_AT])
    if not all(_are_all_tagged(head) for head in heads):
        return path
    return os.path.join(glob.escape(os.fspath(path)), f"*{Path(names[0]).suffix}")


def _is_brat(names: Iterable[str]) -> bool:
    """Return whether a folder has annotations of brat, or nothing but texts that lack them."""
    return any(n.endswith(".ann") for n in names) or all(n.endswith(".txt") for n in names)


# --- files that nothing knows ---------------------------------------------------------------------


def header_of(start: FileHead) -> list[str]:
    """Return the names of the columns of a table in text."""
    first = start.lines[0] if start.shape in ("csv", "tsv") and start.lines else ""
    return [name.strip().strip('"') for name in cells_of(first, separator_of(start.lines))]


def is_of_labels(names: Iterable[str]) -> bool:
    """Return whether columns are those of a table with a label of an item in each row."""
    known = {plain(name) for name in names}
    return not known.isdisjoint(COLUMNS["annotator"]) and not known.isdisjoint(ANSWERS)


def looks_like(start: FileHead) -> tuple[str, str] | None:
    """Return what a file seems to be that no format is, and what to do with it."""
    text = "\n".join(start.lines)
    seen = ((what, advice) for pattern, what, advice in _LOOKS if re.search(pattern, text))
    return next(seen, None)


def unrecognised(start: FileHead, formats: Iterable[str]) -> InputError:
    """Return the error for a file whose beginning no format knows."""
    name = escape_name(start.path)
    if looks := looks_like(start):
        return InputError(f"{name}: this looks like {looks[0]}, which is not read; {looks[1]}")
    if start.shape in ("csv", "tsv"):
        names = header_of(start)
        if is_of_labels(names):
            return InputError(
                f"{name}: a table of labels (columns {join_names(names)}), and spans are needed"
                " here; spanagree coefficients and sa.read_labels read it"
            )
        what = f"a table of the columns {join_names(names)}, in which no spans or tags were found"
        what += _lacking(start, names)
        also = "; a table of labels is read by spanagree coefficients and sa.read_labels"
        return InputError(f"{name}: {what}; name its columns: {_NAMED}{also}")
    if start.shape in ("json", "jsonl"):
        keys = dict.fromkeys(key for record in start.objects for key in record)
        what = f"JSON with the keys {join_names(keys)}" if keys else "JSON without keys"
        lists = [key for key in keys if len(start.objects) == 1 and _has_objects(start, key)]
        if lists:
            more = f"if each object under {lists[0]} is a document, save that list as a file"
        else:
            more = f"name its columns: {_NAMED} ({join_names(formats)})"
        return InputError(f"{name}: {what}, in which no spans or tags were found; {more}")
    if start.shape == "zip":
        what = (
            f"a zip of {join_names(start.members) or 'nothing'}, of which no tool's export is known"
        )
        return InputError(
            f"{name}: {what}; unpack it and name its files (of inception and doccano, --from reads"
            " zips)"
        )
    if start.shape == "folder":
        return InputError(
            f"{name}: a folder of {join_names(start.members)}, and neither brat's nor a project of"
            " INCEpTION; name its files, or a pattern in quotes such as 'FOLDER/*.xmi', for each"
            " annotator (NAME='FOLDER/*.xmi')"
        )
    first = next((line for line in start.lines if line.strip()), "")
    return InputError(
        f"{name}: {start.shape} that no reader knows, beginning with {quote_value(first)}; name its"
        f" format with --from ({join_names(formats)})"
    )


def _lacking(start: FileHead, names: Sequence[str]) -> str:
    """Return what a table lacks: texts to numbers that may be offsets, or a column of tags."""
    sign = separator_of(start.lines)
    rows = [cells_of(line, sign) for line in start.lines[1:] if line.strip()]
    columns = [*zip(*rows, strict=False)]
    are_numbers = [all(cell.strip().isdecimal() for cell in column) for column in columns]
    known = {*COLUMNS["text"], *TOKEN_NAMES}
    if not known.isdisjoint(map(plain, names)) or not head_of_table(start):
        return ""
    numbers = [
        name
        for name, is_number in zip(names, are_numbers, strict=False)
        if is_number and _BOUND.search(plain(name))
    ]
    if len(numbers) > 1:
        return (
            f", and no texts; if {join_names(numbers)} are offsets, name a file that has the texts"
            " by id beside it, and the columns with --spans START,END,LABEL --document C"
        )
    return ", and no column of texts or tokens"


def _has_objects(start: FileHead, key: str) -> bool:
    """Return whether the one object of a file has a list of objects under a key."""
    value = start.objects[0][key]
    return isinstance(value, list) and bool(value) and all(isinstance(x, dict) for x in value)


# --- standard input -------------------------------------------------------------------------------


FROM_STDIN = ("conll", "jsonl", "label-studio", "prodigy", "doccano", "mqm", "pubtator")
"""The formats whose readers take a text as it comes."""


def check_stdin(form: str | None) -> None:
    """Refuse standard input in a format that needs a file, or that is not CoNLL and not named.

    Raises:
        InputError: for these, with the formats that can be named.
    """
    if form is not None and form not in (*FROM_STDIN, "hub"):  # whose own error names are better
        raise InputError(
            f"-: {form} is not read from standard input ({', '.join(FROM_STDIN)} are); name a file"
        )
    buffer: Any = getattr(sys.stdin, "buffer", None)
    if form is not None or not hasattr(buffer, "peek"):
        return
    start = head_of_text("-", buffer.peek(1))
    kind = {"json": "JSON", "jsonl": "JSON", "xml": "XML"}.get(start.shape, "")
    if {"start", "end"} <= keys_of(tuple(header_of(start))).keys():
        kind = "a table of spans"
    if kind:
        raise InputError(
            f"-: {kind} on standard input, which is read as CoNLL; name its format with --from"
            f" ({join_names(FROM_STDIN[1:])}), or name a file"
        )
