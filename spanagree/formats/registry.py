"""The table of formats: which files are known, read and written how."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, SettingError, listed, reason, show
from spanagree.extras import optional
from spanagree.files import PathName, write_bytes
from spanagree.formats.file_head import FileHead, Shape
from spanagree.formats.tools import OF_PATHS, TOOLS, Tool, lazy
from spanagree.formats.usual_names import may_have_spans


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


_guess_of = lazy("spanagree.formats.hugging_face.load", "guess_of")


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


Options = Mapping[str, Any]
"""Options of reading or writing, by name."""

COLUMNS_OF_ROWS = ("tokens", "text", "tags", "spans", "annotator", "document")
"""The options that name columns of rows."""

_OF_ROWS = (
    *(*COLUMNS_OF_ROWS, "quote", "ends", "split", "scheme", "strict", "encoding", "absent"),
    *("align", "texts", "outside"),
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
            *("missing", "partial", "attributes", "outside"),
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
    "qe-tags": Format(
        "words of translations tagged OK or BAD, a segment a line",
        (),
        lazy("spanagree.formats.quality_tags", "raw_quality_tags"),
        ("encoding",),
        knows=lazy("spanagree.formats.quality_tags", "knows_quality_tags"),
        shapes=("text", *_TABLES),
        begin=r"\s*(OK|BAD)\b",
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

WRITABLE = tuple(name for name, form in FORMATS.items() if form.write)


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


def format_called(name: str) -> Format:
    """Return a format, built in or registered, by its name, which is known."""
    return FORMATS[name] if name in FORMATS else registered()[name]
