"""Table of formats: functions that recognise, read and write files."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError, SettingError, find_reason, join_names, quote_value
from spanagree.extras import import_optional
from spanagree.files import PathName, write_bytes
from spanagree.formats.format import JSON, TABLES, Format
from spanagree.formats.tools import OF_ANY as _GENERIC_TOOLS
from spanagree.formats.tools import OF_PATHS, Tool, import_on_call
from spanagree.formats.tools import TOOLS as _OWN_TOOLS
from spanagree.formats.usual_names import may_have_spans

_guess_from_head = import_on_call("spanagree.formats.hugging_face.load", "guess_from_head")


def _write_docbin(corpus: Corpus, path: PathName, spans: str | None = None) -> None:
    """Write the layer of a corpus with a single annotator as spaCy's DocBin."""
    if len(corpus.layers) != 1:
        raise SettingError(
            f"a .spacy file holds one annotator; there are {len(corpus.layers)}"
            f" ({join_names(corpus.annotators)}): choose one with --annotators"
        )
    from spanagree.formats.spacy import write_docbin

    write_docbin(corpus, corpus.annotators[0], path, spans=spans)


def _write_parquet(corpus: Corpus, path: PathName) -> None:
    """Write a corpus as the Parquet file of a dataset."""
    suffix = Path(path).suffix.lower()
    if suffix in (".json", ".csv"):
        raise SettingError(
            f"{suffix} files are not written; .parquet and .jsonl files are, and those of the tool"
            " that --to names"
        )
    from spanagree.formats.hugging_face.load import mute_datasets
    from spanagree.formats.hugging_face.write import to_dataset

    datasets = import_optional("datasets", "datasets", "writing Parquet")
    mute_datasets(datasets)
    buffer = io.BytesIO()
    to_dataset(corpus).to_parquet(buffer)
    write_bytes(path, buffer.getvalue())


Options = Mapping[str, Any]
"""Options of reading or writing, by name."""

COLUMNS_OF_ROWS = ("tokens", "text", "tags", "spans", "annotator", "document")
"""Options that name columns of rows."""

_ROW_OPTIONS = (
    *(*COLUMNS_OF_ROWS, "quote", "ends", "split", "scheme", "strict", "encoding", "absent"),
    *("align", "texts", "outside", "scores", "strings", "label_names"),
)

_ENTRY_POINT_GROUP = ".".join(("spanagree", "readers"))


def _build_format(tool: Tool) -> Format:
    """Build the format of a tool."""
    read = partial(import_on_call("spanagree.formats.tool_records", "read_raw_records"), tool)
    return Format(
        tool.means,
        (),
        read,
        tool.takes,
        tool.write,
        knows=tool.recognises,
        shapes=tool.shapes,
        task_ending=tool.task_ending,
        write_tasks=tool.write_tasks,
    )


_FORMATS: Mapping[str, Format] = {
    "conll": Format(
        "a token a line, tags in columns",
        (
            *(".conll", ".conllu", ".conllup", ".bio", ".iob", ".iob2", ".bioes", ".bilou", ".io"),
            *(".txt", ".tsv"),
        ),
        import_on_call("spanagree.formats.conll.read", "read_raw_conll"),
        (
            *("columns", "unit", "sentences_from", "scheme", "strict", "encoding", "ignore_tokens"),
            *("missing", "partial", "attributes", "outside"),
        ),
        import_on_call("spanagree.formats.conll.write", "write_conll"),
        is_layer=True,
        knows=import_on_call("spanagree.formats.conll.choose", "looks_like_tagged_rows"),
        shapes=(*TABLES, "text", "xml"),
    ),
    "jsonl": Format(
        "our own: a document a line",
        (".jsonl",),
        import_on_call("spanagree.formats.jsonl", "read_raw_jsonl"),
        ("strings",),
        write=import_on_call("spanagree.formats.jsonl", "write_jsonl"),
        knows=lambda start: any("spanagree" in row for row in start.objects),
        shapes=JSON,
    ),
    "spacy": Format(
        "spaCy's DocBin, one annotator a file",
        (".spacy",),
        import_on_call("spanagree.formats.spacy", "read_raw_docbin"),
        ("spans", "partial", "scores"),
        _write_docbin,
        is_layer=True,
    ),
    "brat": Format(
        "standoff: a folder, a folder for each annotator, or one file",
        ("/", ".ann"),
        import_on_call("spanagree.formats.brat", "read_raw_brat"),
        ("absent", "ends"),
        import_on_call("spanagree.formats.brat", "write_brat"),
        knows=import_on_call("spanagree.formats.brat", "looks_like_brat"),
        shapes=(*TABLES, "text"),
        begin=r"T[^\t]*\t\S+ \d",
        changes=import_on_call("spanagree.formats.brat", "describe_brat_changes"),
    ),
    "inception": Format(
        "INCEpTION's projects (zip or folder), WebAnno TSV 3, UIMA CAS as XMI or JSON",
        (".xmi",),
        import_on_call("spanagree.formats.inception.read", "read_raw_inception"),
        ("layer", "feature", "in_progress", "ground_truth"),
        import_on_call("spanagree.formats.inception.write", "write_webanno_tsv"),
        is_layer=True,
        knows=import_on_call("spanagree.formats.inception.read", "looks_like_inception"),
        begin=r"#FORMAT=|#id=|\s*#[^|]*\|",
        changes=import_on_call("spanagree.formats.inception.write", "describe_webanno_changes"),
    ),
    "bioc": Format(
        "BioC as XML or JSON, one annotator a file",
        (),
        import_on_call("spanagree.formats.bioc", "read_raw_bioc"),
        ("feature", "ends"),
        knows=import_on_call("spanagree.formats.bioc", "looks_like_bioc"),
        shapes=(*JSON, "xml"),
    ),
    "pubtator": Format(
        "PubTator's lines, one annotator a file",
        (),
        import_on_call("spanagree.formats.pubtator", "read_raw_pubtator"),
        ("ends",),
        knows=import_on_call("spanagree.formats.pubtator", "looks_like_pubtator"),
        shapes=(*TABLES, "text"),
        begin=r"[^|]+\|t\|",
    ),
}
_GENERIC_FORMATS: Mapping[str, Format] = {
    "paths": Format(
        "any records in JSON, by the paths to what is in them",
        (),
        import_on_call("spanagree.formats.tool_records", "read_raw_by_paths"),
        OF_PATHS,
    ),
    "dataset": Format(
        "what datasets loads: JSON, CSV, Parquet, a saved Dataset",
        (".json", ".csv", ".parquet"),
        import_on_call("spanagree.formats.hugging_face.load", "read_dataset"),
        _ROW_OPTIONS,
        _write_parquet,
        knows=lambda start: may_have_spans(start) and bool(_guess_from_head(start)),
        shapes=(*JSON, *TABLES),
    ),
    "hub": Format(
        "a dataset on the Hugging Face hub, by its name",
        (),
        import_on_call("spanagree.formats.hugging_face.load", "read_hub"),
        _ROW_OPTIONS,
    ),
}
"""Formats of files without a tool, which are tried last."""

_OTHER_TABLES = [
    import_module(name) for name in ("spanagree.tools.table", "spanagree.recordings.table")
]
"""Tables of other packages; their readers are imported when a file may have the format."""


TOOLS: Mapping[str, Tool] = {**_OWN_TOOLS, **_OTHER_TABLES[0].TOOLS, **_GENERIC_TOOLS}
"""Tools by name, the strictest first. If two tools recognise a file and read the same in it, the
first tool is used."""

FORMATS: Mapping[str, Format] = {
    **_FORMATS,
    **_OTHER_TABLES[0].FORMATS,
    **{name: _build_format(tool) for name, tool in TOOLS.items()},
    **_OTHER_TABLES[1].FORMATS,
    **_GENERIC_FORMATS,
}
"""Formats by name, in the order in which they are tried, with their extensions; other files are
CoNLL. ``scripts/name_formats.py`` writes the names for editors and help."""

WRITABLE = tuple(name for name, form in FORMATS.items() if form.write)

TASK_FORMATS = {form.task_ending: name for name, form in FORMATS.items() if form.write_tasks}
"""Formats of tasks for annotators, by the ending of the file."""

read_uem = import_on_call("spanagree.recordings.timelines", "read_uem")


@cache
def load_registered_formats() -> Mapping[str, Format]:
    """Load the formats that other packages register as entry points of readers.

    Each entry point loads a :class:`spanagree.formats.tools.Tool`.

    Raises:
        InputError: if an entry point cannot be loaded, is no tool, or has the name of a built-in
            format.
    """
    from importlib.metadata import entry_points

    readers: dict[str, Format] = {}
    for point in entry_points(group=_ENTRY_POINT_GROUP):
        location = f"the reader {quote_value(point.name)} that {point.value} registers"
        try:
            tool = point.load()
        except Exception as error:  # other packages may raise any error
            raise InputError(
                f"{location} cannot be loaded ({find_reason(error)}); mend or uninstall its package"
            ) from None
        if not isinstance(tool, Tool):
            raise InputError(
                f"{location} is {quote_value(tool)}; a spanagree.formats.tools.Tool is needed"
            )
        if point.name in FORMATS:
            raise InputError(f"{location} has the name of a built-in format; it needs another")
        readers[point.name] = _build_format(tool)
    return readers


def get_format(name: str) -> Format:
    """Return a format, built in or registered, by its existing name."""
    return FORMATS[name] if name in FORMATS else load_registered_formats()[name]
