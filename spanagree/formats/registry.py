"""The table of formats: which file is read and written how. Commands go through it."""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import islice, starmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spanagree.choices import Scheme, names_of
from spanagree.corpus.corpus import LABELS, Corpus, with_labels
from spanagree.corpus.discontinuous import check_in_one_piece, with_discontinuous
from spanagree.corpus.offsets import Place
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.roles import with_absent
from spanagree.corpus.times import of_one_length, with_resolution, within_parts
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    check_choice,
    counted,
    listed,
    printable,
    reason,
    show,
)
from spanagree.extras import optional
from spanagree.files import PathName, naming_files, open_zip, write_bytes
from spanagree.formats.combine import renamed, unite
from spanagree.formats.conll.columns import split_columns
from spanagree.formats.file_head import FileHead, Shape, head_of_text, read_head
from spanagree.formats.patterns import has_pattern
from spanagree.formats.tools import OF_PATHS, PATHS, TOOLS, Tool, lazy
from spanagree.formats.usual_names import COLUMNS, keys_of, may_have_spans, plain
from spanagree.settings import as_read


class Format(NamedTuple):
    """A format: how files of it are known, read and written.

    ``knows`` says whether a file is of the format, by its beginning; without it, the extension
    does. It is asked of files of these ``shapes`` (all unless given), and of texts that ``begin``
    so, as asking loads the reader. ``read`` takes a file, or all files of the format by
    layer name where each is a layer, and those of the options that it ``takes``; what they say is
    not checked. ``changes`` says what of a corpus is written otherwise than it is.
    """

    means: str
    extensions: tuple[str, ...]
    read: Callable[..., RawCorpus]
    takes: tuple[str, ...] = ()
    write: Callable[..., None] | None = None
    is_layer: bool = False
    knows: Callable[[FileHead], bool] | None = None
    shapes: tuple[Shape, ...] = ()
    begin: str = ""
    changes: Callable[[Corpus], list[str]] | None = None

    def is_of(self, start: FileHead) -> bool:
        """Return whether a file is of the format, by its beginning."""
        if self.knows is None or (self.shapes and start.shape not in self.shapes):
            return False
        first = next((line for line in start.lines if line.strip()), "")
        is_text = start.shape in ("text", "csv", "tsv")
        return not (is_text and not re.match(self.begin, first)) and self.knows(start)


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
_LABELS = ("label", "answer", "rating", "category", "class", "code", "judgment", "judgement")


# --- files that nothing knows ---------------------------------------------------------------------


def header_of(start: FileHead) -> list[str]:
    """Return the names of the columns of a table in text."""
    first = start.lines[0] if start.shape in ("csv", "tsv") and start.lines else ""
    sign = "\t" if "\t" in first else "," if "," in first else ";"
    return [name.strip().strip('"') for name in first.split(sign)]


def is_of_labels(names: Iterable[str]) -> bool:
    """Return whether columns are those of a table with a label of an item in each row."""
    known = {plain(name) for name in names}
    return not known.isdisjoint(COLUMNS["annotator"]) and not known.isdisjoint(_LABELS)


def looks_like(start: FileHead) -> tuple[str, str] | None:
    """Return what a file seems to be that no format is, and what to do with it."""
    text = "\n".join(start.lines)
    seen = ((what, advice) for pattern, what, advice in _LOOKS if re.search(pattern, text))
    return next(seen, None)


def unrecognised(start: FileHead, formats: Iterable[str]) -> InputError:
    """Return the error for a file whose beginning no format knows."""
    name = printable(start.path)
    if looks := looks_like(start):
        return InputError(f"{name}: this looks like {looks[0]}, which is not read; {looks[1]}")
    if start.shape in ("csv", "tsv"):
        names = header_of(start)
        if is_of_labels(names):
            return InputError(
                f"{name}: a table of labels (columns {listed(names)}), and spans are needed here;"
                " spanagree coefficients and sa.read_labels read it"
            )
        what = f"a table of the columns {listed(names)}, in which no spans or tags were found"
        also = "; a table of labels is read by spanagree coefficients and sa.read_labels"
        return InputError(f"{name}: {what}; name its columns: {_NAMED}{also}")
    if start.shape in ("json", "jsonl"):
        keys = dict.fromkeys(key for record in start.objects for key in record)
        what = f"JSON with the keys {listed(keys)}" if keys else "JSON without keys"
        lists = [key for key in keys if len(start.objects) == 1 and _has_objects(start, key)]
        if lists:
            more = f"if each object under {lists[0]} is a document, save that list as a file"
        else:
            more = f"name its columns: {_NAMED} ({listed(formats)})"
        return InputError(f"{name}: {what}, in which no spans or tags were found; {more}")
    if start.shape == "zip":
        what = f"a zip of {listed(start.members) or 'nothing'}, of which no tool's export is known"
        return InputError(
            f"{name}: {what}; unpack it and name its files (of inception and doccano, --from reads"
            " zips)"
        )
    if start.shape == "folder":
        return InputError(
            f"{name}: a folder of {listed(start.members)}, and neither brat's nor a project of"
            " INCEpTION; name its files, or a pattern in quotes such as 'FOLDER/*.xmi'"
        )
    first = next((line for line in start.lines if line.strip()), "")
    return InputError(
        f"{name}: {start.shape} that no reader knows, beginning with {show(first)}; name its"
        f" format with --from ({listed(formats)})"
    )


def _has_objects(start: FileHead, key: str) -> bool:
    """Return whether the one object of a file has a list of objects under a key."""
    value = start.objects[0][key]
    return isinstance(value, list) and bool(value) and all(isinstance(x, dict) for x in value)


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
            f" ({listed(FROM_STDIN[1:])}), or name a file"
        )


Options = Mapping[str, Any]


_texts_by_id = lazy("spanagree.formats.joined_texts", "Texts")
_has_texts = lazy("spanagree.formats.joined_texts", "has_texts")
_texts_in = lazy("spanagree.formats.joined_texts", "texts_in")
_guess_of = lazy("spanagree.formats.hugging_face.load", "guess_of")
_columns_read = lazy("spanagree.formats.conll.read", "columns_read")
_knows_labels = lazy("spanagree.formats.conll.choose", "knows_labels")
read_uem: Callable[..., Any] = lazy("spanagree.formats.timelines", "read_uem")


def _write_docbin(corpus: Corpus, path: PathName, spans: str | None = None) -> None:
    if len(corpus.layers) != 1:
        raise SettingError(
            f"a .spacy file holds one annotator; there are {len(corpus.layers)}"
            f" ({listed(corpus.annotators)}): choose one with --annotators"
        )
    from spanagree.formats.spacy import write_docbin

    write_docbin(corpus, corpus.annotators[0], path, spans=spans)


def _write_parquet(corpus: Corpus, path: PathName) -> None:
    suffix = Path(path).suffix.lower()
    if suffix in (".json", ".csv"):
        raise SettingError(
            f"{suffix} files are not written; .parquet and .jsonl files are, and those of the tool"
            " that --to names"
        )
    from spanagree.formats.hugging_face.load import quieten
    from spanagree.formats.hugging_face.write import to_dataset

    datasets = optional("datasets", "datasets", "writing Parquet")
    quieten(datasets)
    out = io.BytesIO()
    to_dataset(corpus).to_parquet(out)
    write_bytes(path, out.getvalue())


_COLUMNS = ("tokens", "text", "tags", "spans", "annotator", "document")
_OF_ROWS = (
    *(*_COLUMNS, "quote", "ends", "split", "scheme", "strict", "encoding", "absent", "align"),
    "texts",
)

_TIERS = ("tier", "label_from", "annotator_from")
_TIMES = ("encoding", "resolution", "duration", "uem")

_GROUP = ".".join(("spanagree", "readers"))  # of entry points
_JSON: tuple[Shape, ...] = ("json", "jsonl")
_TABLES: tuple[Shape, ...] = ("csv", "tsv")


def _of_tool(tool: Tool) -> Format:
    """Return the format of an entry of the table of tools."""
    read = partial(lazy("spanagree.formats.tool_records", "raw_records"), tool)
    return Format(
        tool.means,
        (),
        read,
        tool.takes,
        tool.write,
        knows=tool.is_of,
        shapes=tool.shapes,
    )


FORMATS: Mapping[str, Format] = {
    "conll": Format(
        "a token a line, tags in columns",
        (
            *(".conll", ".conllu", ".conllup", ".bio", ".iob", ".iob2", ".bioes", ".bilou", ".io"),
            *(".txt", ".tsv"),
        ),
        lazy("spanagree.formats.conll.read", "raw_conll"),
        (
            *("columns", "unit", "sentences_from", "scheme", "strict", "encoding", "ignore_tokens"),
            *("missing", "partial", "attributes"),
        ),
        lazy("spanagree.formats.conll.write", "write_conll"),
        is_layer=True,
        knows=lazy("spanagree.formats.conll.choose", "knows_rows"),
        shapes=(*_TABLES, "text", "xml"),
    ),
    "jsonl": Format(
        "our own: a document a line",
        (".jsonl",),
        lazy("spanagree.formats.jsonl", "raw_jsonl"),
        write=lazy("spanagree.formats.jsonl", "write_jsonl"),
        knows=lambda start: any("spanagree" in row for row in start.objects),
        shapes=_JSON,
    ),
    "spacy": Format(
        "spaCy's DocBin, one annotator a file",
        (".spacy",),
        lazy("spanagree.formats.spacy", "raw_docbin"),
        ("spans", "partial"),
        _write_docbin,
        is_layer=True,
    ),
    "brat": Format(
        "standoff: a folder, a folder for each annotator, or one file",
        ("/", ".ann"),
        lazy("spanagree.formats.brat", "raw_brat"),
        ("absent", "ends"),
        lazy("spanagree.formats.brat", "write_brat"),
        knows=lazy("spanagree.formats.brat", "knows_brat"),
        shapes=(*_TABLES, "text"),
        begin=r"T[^\t]*\t\S+ \d",
        changes=lazy("spanagree.formats.brat", "changed_in_brat"),
    ),
    "inception": Format(
        "INCEpTION's projects (zip or folder), WebAnno TSV 3, UIMA CAS as XMI or JSON",
        (".xmi",),
        lazy("spanagree.formats.inception.read", "raw_inception"),
        ("layer", "feature", "in_progress", "ground_truth"),
        lazy("spanagree.formats.inception.write", "write_webanno_tsv"),
        is_layer=True,
        knows=lazy("spanagree.formats.inception.read", "knows_inception"),
        begin=r"#FORMAT=|#id=|\s*#[^|]*\|",
        changes=lazy("spanagree.formats.inception.write", "changed_in_webanno"),
    ),
    "bioc": Format(
        "BioC as XML or JSON, one annotator a file",
        (),
        lazy("spanagree.formats.bioc", "raw_bioc"),
        ("feature", "ends"),
        knows=lazy("spanagree.formats.bioc", "knows_bioc"),
        shapes=(*_JSON, "xml"),
    ),
    "xml": Format(
        "XML of GATE, Knowtator, eHOST, i2b2, ACE, REFI-QDA; names in TEI, ENAMEX",
        (".qdpx", ".qde"),
        lazy("spanagree.formats.xml_tools", "raw_xml_tools"),
        knows=lazy("spanagree.formats.xml_tools", "knows_xml_tools"),
        shapes=("xml", "text", "zip", "folder"),
        begin=r".*<(ENAMEX|NUMEX|TIMEX\d?)\b",
    ),
    "pubtator": Format(
        "PubTator's lines, one annotator a file",
        (),
        lazy("spanagree.formats.pubtator", "raw_pubtator"),
        ("ends",),
        knows=lazy("spanagree.formats.pubtator", "knows_pubtator"),
        shapes=(*_TABLES, "text"),
        begin=r"[^|]+\|t\|",
    ),
    "mqm": Format(
        "MQM's table of errors in translations",
        (),
        lazy("spanagree.formats.mqm", "raw_mqm"),
        ("text", "feature", "align", "encoding"),
        knows=lazy("spanagree.formats.mqm", "knows_mqm"),
        shapes=(*_TABLES, "text"),
        begin=r".*\brater\b",
    ),
    **{name: _of_tool(tool) for name, tool in TOOLS.items()},
    "paths": Format(
        "any records in JSON, by the paths to what is in them",
        (),
        lazy("spanagree.formats.tool_records", "raw_by_paths"),
        OF_PATHS,
    ),
    "textgrid": Format(
        "Praat's TextGrid, one annotator a file",
        (".textgrid",),
        lazy("spanagree.formats.textgrid", "raw_textgrid"),
        (*_TIERS, *_TIMES),
        lazy("spanagree.formats.write_times", "write_textgrid"),
        knows=lazy("spanagree.formats.textgrid", "knows_textgrid"),
        shapes=("text", "binary", *_TABLES),
        begin=r".*ooTextFile",
    ),
    "elan": Format(
        "ELAN's .eaf, one annotator a file",
        (".eaf",),
        lazy("spanagree.formats.elan", "raw_elan"),
        (*_TIERS, *_TIMES[1:]),
        knows=lazy("spanagree.formats.elan", "knows_elan"),
        shapes=("xml",),
    ),
    "rttm": Format(
        "RTTM, turns of speakers",
        (".rttm",),
        lazy("spanagree.formats.timelines", "raw_rttm"),
        _TIMES,
        lazy("spanagree.formats.write_times", "write_rttm"),
        knows=lazy("spanagree.formats.timelines", "knows_rttm"),
        shapes=("text", *_TABLES),
        begin=r";|[A-Z]+(-[A-Z]+)? +\S+ +\S+ +[\d<]",
    ),
    "labels": Format(
        "Audacity's labels and DCASE's events: start, end and label in a line",
        (),
        lazy("spanagree.formats.timelines", "raw_labels"),
        (*_TIMES, "time_unit"),
        knows=lazy("spanagree.formats.timelines", "knows_labels"),
        shapes=("text", *_TABLES),
        begin=r"([^\t, ]+[\t, ]+){0,2}[-+]?\d[\d.e+-]*[\t, ]+[-+]?\d|\S+\.wav",
    ),
    "sections": Format(
        "sections that last until the next, as in SALAMI",
        (),
        lazy("spanagree.formats.timelines", "raw_sections"),
        _TIMES,
        knows=lazy("spanagree.formats.timelines", "knows_sections"),
        shapes=("text", *_TABLES),
        begin=r"\d",
    ),
    "subtitles": Format(
        "WebVTT and SRT, a cue a segment",
        (".vtt", ".srt"),
        lazy("spanagree.formats.timelines", "raw_subtitles"),
        (*_TIERS, *_TIMES),
        knows=lazy("spanagree.formats.timelines", "knows_subtitles"),
        shapes=("text", *_TABLES),
        begin=r"WEBVTT|\d+\s*$",
    ),
    "times": Format(
        "tables with times, as of BORIS, Datavyu, Raven and ChildProject",
        (".boris",),
        lazy("spanagree.formats.time_tables", "raw_times"),
        (
            *(*_TIERS, *_TIMES, "time_unit"),
            *("start", "end", "label", "document", "annotator"),
        ),
        lazy("spanagree.formats.write_times", "write_times"),
        knows=lazy("spanagree.formats.time_tables", "knows_times"),
        shapes=("text", *_TABLES),
        begin=r"(?!-DOCSTART)(?=.*[,;\t]).*"
        r"(?i:onset|start|begin|tmin|observation id|recording_filename|state|point)",
    ),
    "dataset": Format(
        "what datasets loads: JSON, CSV, Parquet, a saved Dataset",
        (".json", ".csv", ".parquet"),
        lazy("spanagree.formats.hugging_face.load", "read_dataset"),
        _OF_ROWS,
        _write_parquet,
        knows=lambda start: may_have_spans(start) and bool(_guess_of(start)),
        shapes=(*_JSON, *_TABLES),
    ),
    "hub": Format(
        "a dataset on the Hugging Face hub, by its name",
        (),
        lazy("spanagree.formats.hugging_face.load", "read_hub"),
        _OF_ROWS,
    ),
}
"""The formats by name, with the extensions by which files are known; else a file is CoNLL."""


_HOLD_PIECES = ("jsonl", "brat")
_OF_CHARACTERS = ("brat", "inception", "label-studio", "prodigy", "doccano")


@cache
def registered() -> Mapping[str, Format]:
    """Return the formats that other packages register as entry points of readers.

    Each is an entry as those of :data:`spanagree.formats.tools.TOOLS`.

    Raises:
        InputError: for one that cannot be loaded, is no entry, or has a built-in's name.
    """
    from importlib.metadata import entry_points

    readers: dict[str, Format] = {}
    for point in entry_points(group=_GROUP):
        where = f"the reader {show(point.name)} that {point.value} registers"
        try:
            tool = point.load()
        except Exception as error:  # whatever another package raises
            raise InputError(
                f"{where} cannot be loaded ({reason(error)}); mend or uninstall its package"
            ) from None
        if not isinstance(tool, Tool):
            raise InputError(f"{where} is {show(tool)}; a spanagree.formats.tools.Tool is needed")
        if point.name in FORMATS:
            raise InputError(f"{where} has the name of a built-in format; it needs another")
        readers[point.name] = _of_tool(tool)
    return readers


def _form(name: str) -> Format:
    """Return a format by its name, which is known."""
    return FORMATS[name] if name in FORMATS else registered()[name]


WRITABLE = tuple(name for name, form in FORMATS.items() if form.write)


def tokenizer_named(name: str) -> Callable[[str], Any]:
    """Return a tokenizer: ``space``, or spaCy's for a language such as ``en``.

    Raises:
        SettingError: if spaCy is not installed, or does not know the language.
    """
    if name == "space":
        return str.split
    spacy = optional("spacy", "spacy", f"the tokenizer {name!r}")
    try:
        nlp = spacy.blank(name)
    except Exception:  # spaCy raises an ImportError of its own
        raise SettingError(
            f"tokenizer {printable(name)}: spaCy has none of that name; space, or a language such"
            " as en, is allowed"
        ) from None

    def tokenize(text: str) -> list[Any]:
        return [token for token in nlp.make_doc(text) if not token.is_space]

    tokenize.__name__ = name  # for the signature
    return tokenize


class Recognised(NamedTuple):
    """A file or folder that was looked at once, for all that is asked of its beginning.

    Attributes:
        path: of it.
        start: its beginning; none of what is not there, as a pattern.
        formats: those that know it by that: of records the first, of texts several decide.
    """

    path: PathName
    start: FileHead | None
    formats: tuple[str, ...]

    @classmethod
    def of(cls, path: PathName) -> Recognised:
        """Look at a file or folder.

        Raises:
            InputError: for one that cannot be read.
        """
        if not (os.path.isfile(path) or os.path.isdir(path)):
            return cls(path, None, ())
        start = read_head(path)
        knowing = (name for name, form in FORMATS.items() if form.is_of(start))
        return cls(path, start, tuple(islice(knowing, 1 if start.records else None)))

    def format_by(self, options: Options) -> str:
        """Return the format: that which knows what is in the file, or by its name.

        Rows that no tool wrote are a dataset if the options name their columns.

        Raises:
            InputError: for a file that no format knows, showing what was found in it.
        """
        path, start, names = self.path, self.start, [*self.formats]
        if start is None:
            are_pages = lazy("spanagree.formats.inception.files", "are_pages")
            return "inception" if has_pattern(path) and are_pages(path) else format_named(path)
        timed = (n for n in (format_named(path), *names) if "resolution" in FORMATS[n].takes)
        if (name := next(timed, None)) is not None:
            return name
        if {"conll", "dataset"} <= {*names} and "tags" in _guess_of(start):
            names.remove("conll")  # cells of several words are documents, not tokens
        is_table = start.shape in ("csv", "tsv") and "conll" not in names
        in_paths = any(options.get(name) is not None for name in ("start", "end", "label"))
        in_paths |= isinstance(options.get("spans"), str) and bool({*"[*"} & {*options["spans"]})
        if in_paths and start.records and (not names or names[0] == "dataset"):
            return "paths"
        if names:
            return names[0]
        more = registered() if start.records else {}
        if (name := next((n for n, tool in more.items() if tool.is_of(start)), None)) is not None:
            return name
        named = any(options.get(column) is not None for column in _COLUMNS)
        if named and (start.objects or (is_table and format_named(path) == "dataset")):
            return "dataset"
        if is_table and _knows_labels(start):
            return "conll"
        if start.shape == "zip":
            with open_zip(path):  # says what is wrong with it
                raise unrecognised(start, FORMATS)
        form = format_named(path)
        if form == "brat" and start.members and not _is_brat(start.members):
            raise unrecognised(start, FORMATS)
        some = (
            sum(bool(line.strip()) for line in start.lines) > 1
        )  # else reading says there are none
        is_blank = start.shape == "text" and not any(line.strip() for line in start.lines)
        if is_blank and Path(path).suffix.lower() not in {*FORMATS[form].extensions, ""}:
            raise InputError(
                f"{printable(os.fspath(path))}: nothing is in it; export it again, or leave it out"
            )
        odd = is_table and some and (form == "dataset" or is_of_labels(header_of(start)))
        foreign = (form == "conll" and start.shape == "xml") or (
            form in ("conll", "dataset") and looks_like(start)
        )
        if start.objects or odd or foreign:
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
        if any(options.get("spans") in row for row in self.start.objects):
            return False
        try:
            self.format_by({})
        except InputError:
            return bool(_has_texts(self.path))
        return False

    @property
    def marked_column(self) -> str | None:
        """The column whose texts have marks in them, as GPT-NER's or tags."""
        marks = TOOLS["tagged-lines"].begins
        for row in self.start.objects if self.start else ():
            for key, cell in row.items():
                if isinstance(cell, str) and re.search(marks, cell):
                    return str(key)
        return None


Look = Callable[[Any], Recognised]
"""From a path to what is there, which is looked at once."""


def format_of(path: PathName, options: Options | None = None) -> str:
    """Return the format of a file or folder; as :meth:`Recognised.format_by`."""
    return Recognised.of(path).format_by(options or {})


def says_how(path: PathName, options: Options, form: str | None = None) -> str:
    """Return a line of the command line that reads a file as it is read, with what was guessed.

    Raises:
        InputError, SettingError: as :func:`raw_files`.
    """
    given = {name: value for name, value in options.items() if value not in (None, False)}
    form = form or format_of(path, given)
    line = f"spanagree check {shlex.quote(os.fspath(path))}"
    known: dict[str, Any] = dict(given)
    if form in TOOLS and not (TOOLS[form].read or TOOLS[form].is_deep):
        tool = replace(TOOLS[form], **_taken(given, (*PATHS, "ends")))
        others = {name: value for name, value in given.items() if name not in (*PATHS, "ends")}
        if _leads_everywhere(tool, path, others):
            line += f" --from paths {tool.line}"
            return " ".join([line, *starmap(_written, others.items())])
    if form == "dataset":
        known |= raw_files({"": path}, options, form).reading.get("read", {})
        known.pop("length", None)  # which has no option, and is guessed once more
    elif form == "conll":
        takes = _taken(given, FORMATS[form].takes)
        schemes = {*raw_files({"": path}, options, form).reading["schemes"].values()}
        columns = _columns_read(path, **takes)
        known |= {"columns": columns} if columns else {}
        is_one = len(schemes) == 1 and schemes <= {*names_of(Scheme)}  # brackets have no name
        known |= {"scheme": next(iter(schemes))} if is_one else {}
    known.pop("from", None)
    return " ".join([line, f"--from {form}", *starmap(_written, known.items())])


def _leads_everywhere(tool: Tool, path: PathName, options: Options) -> bool:
    """Return whether each path of a tool leads somewhere in a file, as named ones must."""
    named = {name: getattr(tool, name) for name in (*PATHS, "ends") if getattr(tool, name)}
    try:
        raw_files({"": path}, {**options, **named}, "paths")
    except SettingError:
        return False
    except InputError:  # such as for a text, which may be in another file
        pass
    return True


def _taken(options: Options, names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in names}


def _written(name: str, value: Any) -> str:
    """Return an option as it stands on the command line.

    >>> _written("label_from", "tier"), _written("strict", True)
    ('--label-from tier', '--strict')
    """
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return option
    parts = value if isinstance(value, (list, tuple)) else None
    if isinstance(value, Mapping):
        parts = [f"{key}={item}" for key, item in value.items()]
    if parts is not None:
        value = ",".join(f'"{part}"' if "," in part else part for part in map(str, parts))
    return f"{option} {shlex.quote(str(value))}"


def _is_brat(names: Iterable[str]) -> bool:
    """Return whether a folder has annotations of brat, or nothing but texts that lack them."""
    return any(n.endswith(".ann") for n in names) or all(n.endswith(".txt") for n in names)


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


@naming_files()
def raw_files(
    files: Mapping[str, PathName],
    options: Options,
    form: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    in_units: bool = True,
) -> RawCorpus:
    """Return what some files say, each in its format, their documents matched.

    Args:
        files: by layer name.
        options: of the readers, and :data:`spanagree.corpus.corpus.LABELS`; those that are
            ``None`` count as not given.
        form: the format of all files, where their extensions do not tell.
        progress: called with the number of layers of CoNLL files read and of all.
        in_units: of recordings, whether times are put in units of a resolution; else they are
            exact, for files that are parts of one corpus.

    Raises:
        SettingError: for an unknown format, or options that no format here takes.
        InputError: for files that cannot be read or do not fit each other.
    """
    if form is not None and form not in FORMATS:
        check_choice(form, {**FORMATS, **registered()}, "format")
    files, columns = split_columns(files, options.get("columns"))
    options = {**options, "columns": columns}
    chosen = {name: options.pop(name, None) for name in LABELS}
    times = {name: options.get(name) for name in ("resolution", "duration", "uem")}
    pieces = options.pop("discontinuous", None)
    given = {key: value for key, value in options.items() if value is not None}
    for key in given.keys() - {key for reader in FORMATS.values() for key in reader.takes}:
        raise SettingError(f"{key.replace('_', '-')} is not an option of reading; leave it out")
    look: Look = cache(Recognised.of)
    by_format: dict[str, dict[str, PathName]] = {}
    options_of = {layer: own_columns(given, layer, files) for layer in files}
    sources = dict(files)
    for layer, path in sources.items():
        if path == "-":
            check_stdin(form)
        if len(sources) > 1 and look(path).has_texts_only(options_of[layer]):
            files.pop(layer)
            continue
        by_format.setdefault(form or look(path).format_by(options_of[layer]), {})[layer] = path
    _check_options(given, by_format)
    parts: dict[str, RawCorpus] = {}
    joined: list[Any] = []

    def read_one(name: str, layer: str, path: PathName) -> RawCorpus:
        takes = {*_form(name).takes} - {*times}
        known = {key: value for key, value in options_of[layer].items() if key in takes}
        if "texts" in _form(name).takes and len(sources) > 1:
            texts = _texts_by_id(partial(_texts_beside, layer, sources, options_of, form, look))
            joined.append(texts)
            known["texts"] = texts
        return _form(name).read(path, **known)

    for name, paths in by_format.items():
        read = _form(name).read
        known = {key: value for key, value in given.items() if key in _form(name).takes}
        if name == "conll":
            known["progress"] = progress
        if _form(name).is_layer:
            part = read(paths, **known)
            notes = _notes_of_tables(paths) if name == "conll" and form is None else ()
            parts[f"{name} files"] = part.but(notes=(*notes, *part.notes))
        else:
            parts |= {
                layer: _from_file(read_one(name, layer, path), layer, path, name)
                for layer, path in paths.items()
            }
    if not any(texts.joined for texts in joined):
        for path in (sources[layer] for layer in sources if layer not in files):
            if column := look(path).marked_column:
                name = os.path.basename(os.fspath(path))
                raise InputError(
                    f"{printable(os.fspath(path))}: texts with marks in them; --spans"
                    f" {shlex.quote(f'{name}:{column}')} reads them beside a file with the texts"
                )
            raise InputError(
                f"{printable(os.fspath(path))}: texts with nothing marked in them, which no other"
                " file needs; leave it out, or name the file with the annotations"
            )
    parts = dict(of_one_length(parts))
    _refuse_apart(parts, by_format)
    apart = [layer for layer, path in files.items() if not os.fspath(path).endswith(layer)]
    united = unite(parts, apart) if len(parts) > 1 else next(iter(parts.values()))
    if times["uem"] is not None:
        united = within_parts(united, read_uem(times["uem"]), Path(times["uem"]).name)
    if in_units:
        united = with_resolution(united, times["resolution"], times["duration"])
    united = with_discontinuous(with_labels(united, **chosen), pieces)
    united = with_absent(united, given.get("absent"))
    if form is None or all(_is_known_as(form, look, path) for path in files.values()):
        return united
    named = as_read(**{**united.reading.get("read", {}), "from": form})
    return united.but(reading={**united.reading, **named})


def own_columns(given: Options, layer: str, files: Mapping[str, PathName]) -> dict[str, Any]:
    """Return the options of one of several files, of which some name columns of it alone.

    >>> own_columns({"document": "id,llm:custom_id"}, "llm", {"gold": "g.jsonl", "llm": "x.jsonl"})
    {'document': 'custom_id'}
    """
    names = {
        name: key
        for key, path in files.items()
        for name in (key, os.path.basename(os.fspath(path)), Path(path).stem)
    }
    options = dict(given)
    for option in (*PATHS, "tags"):
        value = given.get(option)
        parts = [part.partition(":") for part in value.split(",")] if isinstance(value, str) else []
        if any(sign and name in names for name, sign, _ in parts):
            mine = [rest for name, _, rest in parts if names.get(name) == layer]
            all_ = ["".join(part) for part in parts if part[0] not in names]
            options[option] = ",".join(mine or all_) or None
    return {name: value for name, value in options.items() if value is not None}


def takes_any(key: str, files: Mapping[str, PathName], form: str | None, options: Options) -> bool:
    """Return whether the reader of any of some files takes an option; texts by id have none."""
    if form is not None:
        return key in _form(form).takes
    forms: set[str] = set()
    for layer, path in files.items():
        asked, seen = own_columns(options, layer, files), Recognised.of(path)
        if len(files) == 1 or not seen.has_texts_only(asked):
            forms.add(seen.format_by(asked))
    return any(key in _form(name).takes for name in forms)


def _texts_beside(
    layer: str,
    files: Mapping[str, PathName],
    options_of: Mapping[str, Options],
    form: str | None,
    look: Look,
) -> dict[str, Place]:
    """Return the texts by id that the files of other layers have, or their tokens."""
    texts: dict[str, Place] = {}
    for other, path in files.items():
        if other != layer:
            with suppress(SpanAgreeError):  # one without texts, or what is said when it is read
                texts |= _texts_of(other, look(path), options_of[other], form)
    return texts


def _texts_of(
    layer: str, seen: Recognised, options: Options, form: str | None
) -> Mapping[str, Place]:
    path = seen.path
    if seen.has_texts_only({}):
        texts: Mapping[str, Place] = _texts_in(path, options.get("document"), options.get("text"))
        return texts
    name = form or seen.format_by(options)
    known = {key: value for key, value in options.items() if key in _form(name).takes}
    raw = _form(name).read({layer: path} if _form(name).is_layer else path, **known)
    if raw.texts is None and raw.tokens is not None:
        tokens = iter(raw.tokens)
        words = (tuple(islice(tokens, n)) for n in raw.lengths.tolist())
        return dict(zip(raw.ids or (), words, strict=False))
    return dict(zip(raw.ids or (), raw.texts or (), strict=False))


def _is_known_as(form: str, look: Look, path: PathName) -> bool:
    with suppress(SpanAgreeError):
        return look(path).format_by({}) == form
    return False


def _refuse_apart(
    parts: Mapping[str, RawCorpus], by_format: Mapping[str, Mapping[str, PathName]]
) -> None:
    """Refuse files of several formats if those of one have no document that the others have."""
    ids = {name: part.ids for name, part in parts.items()}
    if len(by_format) < 2 or None in ids.values():
        return
    for form, paths in by_format.items():
        names = [f"{form} files"] if _form(form).is_layer else list(paths)
        mine = [id_ for name in names for id_ in ids[name] or ()]
        others = [id_ for name, known in ids.items() if name not in names for id_ in known or ()]
        if {*mine}.isdisjoint(others):
            path = printable(os.fspath(next(iter(paths.values()))))
            raise InputError(
                f"{path}: read as {form}, it shares no document with the files of other formats:"
                f" its ids are {listed(mine[:3])}, …, theirs {listed(others[:3])}, …; give the"
                " same documents the same ids, or compare each format's files by themselves"
            )


def _notes_of_tables(files: Mapping[str, PathName]) -> tuple[str, ...]:
    """Return notes of the tables that are read as CoNLL, as what is in them says."""
    names = (printable(os.fspath(path)) for path in files.values())
    return tuple(
        f"{name}: read as conll" for name in names if name.lower().endswith((".csv", ".tsv"))
    )


def _from_file(raw: RawCorpus, layer: str, path: PathName, form: str) -> RawCorpus:
    """Return rows with the layer's name for an annotator without one, and a note of the format.

    A layer that is named by a pattern is several files, each of which has its own name.
    """
    name = printable(os.fspath(path))
    annotator = os.path.basename(name) if set(layer) & set("*?[") else layer
    notes = raw.notes
    guessed = any("columns guessed" in note for note in notes)
    if form != format_named(path) or guessed:
        mine = [note for note in notes if note.startswith(f"{name}: ")]
        more = [note.removeprefix(f"{name}: ") for note in mine]
        others = [note for note in notes if note not in mine]
        notes = ("; ".join([f"{name}: read as {form}", *more]), *others)
    return renamed(raw, {given: given or annotator for given in raw.annotators}).but(notes=notes)


def _check_options(given: Options, formats: Iterable[str]) -> None:
    """Refuse options that none of the formats takes."""
    taken = {key for name in formats for key in _form(name).takes}
    taken.add("attributes")  # of other formats, segments have all that they say
    for key in (key for key in given if key not in taken):
        takers = [name for name, form in FORMATS.items() if key in form.takes]
        others = ", ".join(name for name in takers if name not in TOOLS)
        others += ", records of tools" if any(name in TOOLS for name in takers) else ""
        others += ", or goes with group-by" if key == "unit" else ""
        rows = any({*_form(name).shapes} & {*_JSON} for name in formats)
        more = "; --from dataset reads them as rows" if key in _COLUMNS and rows else ""
        if key == "encoding":
            more = ", which are read as UTF-8: save them so"
        raise SettingError(
            f"{key.replace('_', '-')} is for {others}; the files here are"
            f" {', '.join(formats)}{more}"
        )


def form_to_write(path: PathName, form: str | None) -> str:
    """Return the format that a file is written in: the one that is named, or by its extension.

    Raises:
        SettingError: for a format that is not written, or an extension that none has.
    """
    suffix = Path(path).suffix.lower()
    known = {end: name for name in WRITABLE for end in FORMATS[name].extensions}
    if form is None and suffix not in known:
        written = ", ".join(name for name in WRITABLE)
        raise SettingError(
            f"{printable(os.fspath(path))}: no format is written to files ending in"
            f" {show(suffix)}; name one with --to ({written}), or a file such as .jsonl or .conll"
        )
    form = form or known[suffix]
    check_choice(form, WRITABLE, "format to write")
    return form


def left_behind(corpus: Corpus, form: str) -> list[str]:
    """Return what of a corpus a format does not hold, a sentence each."""
    seen = np.array([layer.annotated for layer in corpus.layers.values()])
    holds_seen = ("prodigy", "doccano", *(("brat",) if len(seen) == 1 else ()))
    unseen = int((~seen.any(axis=0)).sum()) if form in holds_seen else 0
    idle = [name for name, saw in zip(corpus.annotators, seen, strict=True) if not saw.any()]
    gone = [f"{counted(unseen, 'document')} that nobody saw"] if unseen else []
    if idle and form in ("prodigy", "label-studio", "brat"):
        gone.append(f"annotators who saw none: {listed(idle)}")
    notes = _details_left(corpus, form)
    if gone:
        notes.insert(0, f"left out, as {form} files hold annotations alone: {'; '.join(gone)}")
    if corpus.offsets == "tokens" and form in _OF_CHARACTERS:
        notes.append(
            f"segments of tokens are written in characters, as {form} counts; read again, they"
            " are in tokens with convert --tokenizer"
        )
    if corpus.offsets == "characters" and form == "spacy":
        notes.append(
            "segments of characters are written in spaCy's tokens; read again, they are in tokens"
        )
    elif form == "spacy" and corpus.texts is None:
        notes.append(
            "no texts are known: Docs are written with a space between tokens; read again, they"
            " have that text"
        )
    changes = FORMATS[form].changes
    return [*notes, *(changes(corpus) if changes else ())]


def named_anew(corpus: Corpus, form: str, path: PathName) -> list[str]:
    """Return a note on the name of the only annotator, if a file of the format has none."""
    is_page = form == "inception" and Path(path).suffix.lower() != ".zip"
    nameless = form in ("doccano", "spacy", "brat") or is_page
    is_named = Path(corpus.annotators[0]).stem == Path(path).stem
    if len(corpus.layers) > 1 or not nameless or is_named:
        return []
    name = printable(corpus.annotators[0])
    return [
        f"a file of {form} does not name its annotator{' or document' if is_page else ''}: read"
        f" again, {name} is called as the file, unless it is named, as in"
        f" {shlex.quote(f'{name}={os.fspath(path)}')}"
    ]


def _details_left(corpus: Corpus, form: str) -> list[str]:
    if form in _HOLD_PIECES:
        return []
    details = [layer.details for layer in corpus.layers.values() if layer.details is not None]
    relations = sum(len(detail.links) for detail in details)
    attributes = sorted({name for detail in details for name in detail.attributes})
    lost = ["texts beside the tokens"] if form == "conll" and corpus.texts is not None else []
    lost += [counted(relations, "relation")] if relations else []
    lost += [f"attributes {listed(attributes)}"] if attributes else []
    return [f"left out, as {form} files do not hold them: {', '.join(lost)}"] if lost else []


def write_file(
    corpus: Corpus, path: PathName, form: str | None = None, options: Options | None = None
) -> None:
    """Write a corpus in a format, by default that of the file's extension.

    Raises:
        SettingError: for a format that is not written, or cannot hold the corpus.
        InputError: for a path that cannot be written.
    """
    form = form_to_write(path, form)
    if form not in _HOLD_PIECES:
        check_in_one_piece(corpus, f"format {form}")
    write = FORMATS[form].write
    assert write is not None  # just checked
    write(corpus, path, **{k: v for k, v in (options or {}).items() if v is not None})
