"""Read files of any formats as one corpus: each in its format, their documents matched."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanagree.corpus.absent import apply_absent
from spanagree.corpus.discontinuous import apply_discontinuous
from spanagree.corpus.other_labels import LABELS, rename_and_select_labels
from spanagree.corpus.quoted_texts import Place
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.resolution import apply_resolution, cut_into_parts, equalize_lengths
from spanagree.corpus.times import TICKS
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    check_choice,
    escape_path,
    join_names,
    quote_value,
)
from spanagree.files import PathName, advise_on_encoding, name_files_in_errors
from spanagree.formats.combine import (
    JOIN,
    join_documents_by_text,
    join_project_files,
    merge_sources,
    rename_annotators,
)
from spanagree.formats.conll.columns import split_columns
from spanagree.formats.format import Format
from spanagree.formats.recognise import SniffedFile, check_stdin, find_format_by_name
from spanagree.formats.registry import (
    COLUMNS_OF_ROWS,
    FORMATS,
    TOOLS,
    Options,
    get_format,
    load_registered_formats,
    read_uem,
)
from spanagree.formats.tools import PATHS, import_on_call
from spanagree.settings import build_reading_settings

if TYPE_CHECKING:
    from spanagree.formats.joined_texts import TextLookup  # for few files

_FEW = 3  # number of tools that a message names one by one

_count_unread_marks = import_on_call("spanagree.formats.unread", "count_unread_marks_in_file")

_SELECTING_OPTIONS = frozenset(
    ("spans", "tags", "start", "quote", "layer", "feature", "tier", "predictions")
)
"""Options that select a part of the annotations, which may be empty."""

_TIME_OPTIONS = ("resolution", "duration", "uem")  # applied after reading


@dataclass(frozen=True, eq=False)
class LayerFile:
    """File with its layer, its own options, and the format if one is named.

    Attributes:
        layer: name of the layer.
        path: path of the file.
        options: options for this file.
        format_name: name of the format, or ``None``.
        sniff_path: cached function that reads the beginning of a file, once per path.
        is_only_file: True if there are no other files.
        is_named: True if a user named the annotator.
    """

    layer: str
    path: PathName
    options: Options
    format_name: str | None
    sniff_path: Callable[[Any], SniffedFile]
    is_only_file: bool
    is_named: bool

    @property
    def sniffed_file(self) -> SniffedFile:
        """Beginning of the file."""
        return self.sniff_path(self.path)

    @cached_property
    def resolved_format(self) -> str:
        """Name of the format: the one that a user named, or else the recognised one."""
        return self.format_name or self.sniffed_file.find_format(self.options)

    @property
    def is_read_for_texts(self) -> bool:
        """True if the file has texts by id for the other files, but no annotations."""
        return not self.is_only_file and self.sniffed_file.has_texts_only(self.options)

    @property
    def has_recognised_format(self) -> bool:
        """True if the named format is also the recognised one."""
        with suppress(SpanAgreeError):
            return self.sniffed_file.find_format({}) == self.format_name
        return False

    def read_rows(self, texts: TextLookup | None, *, thorough: bool = False) -> RawCorpus:
        """Read the rows of a file that names its annotators; otherwise the layer is the annotator.

        The name that a user gives replaces that of a single annotator; several annotators keep
        their names, with a note. Another note is added if the extension does not fit the format.
        Files of a single pattern keep their own names; each of several patterns is an annotator.
        """
        takes = {*get_format(self.resolved_format).takes} - {*_TIME_OPTIONS}
        reader_options = {key: value for key, value in self.options.items() if key in takes}
        if texts is not None:
            reader_options["texts"] = texts
        with advise_on_encoding(takes):
            raw = get_format(self.resolved_format).read(self.path, **reader_options)
        if _SELECTING_OPTIONS.isdisjoint(reader_options):
            raw = _count_unread_marks(self.path, raw, self.resolved_format, thorough=thorough)
        name = escape_path(self.path)
        is_one_of_many = self.is_only_file and set(self.layer) & set("*?[")
        annotator = os.path.basename(name) if is_one_of_many else self.layer
        notes = raw.notes
        is_guessed = any("columns guessed" in note for note in notes)
        if self.resolved_format != find_format_by_name(self.path) or is_guessed:
            own_notes = [note for note in notes if note.startswith(f"{name}: ")]
            details = [note.removeprefix(f"{name}: ") for note in own_notes]
            other_notes = [note for note in notes if note not in own_notes]
            notes = ("; ".join([f"{name}: read as {self.resolved_format}", *details]), *other_notes)
        names = {source_name: source_name or annotator for source_name in raw.annotators}
        if self.is_named and not self._names_columns:
            if len(names) == 1:
                names = dict.fromkeys(names, self.layer)
            elif self.layer not in names and any(names):
                joined_names = join_names(sorted(names.values()))
                kept_note = (
                    f"{name}: its annotators, {joined_names}, keep the names that they have there"
                )
                notes = (*notes, kept_note)
        return rename_annotators(raw, names).replace(notes=notes)

    def has_annotator_names(self, raw: RawCorpus) -> bool:
        """Check whether annotators have names in the file, and the user gave no other name."""
        return not self.has_user_given_name and not self._is_called_as_column(raw)

    @property
    def _names_columns(self) -> bool:
        """True if the options name an annotator for each column."""
        return any(isinstance(self.options.get(key), Mapping) for key in ("spans", "tags"))

    def _is_called_as_column(self, raw: RawCorpus) -> bool:
        """Check whether the only annotator is named after a column that the user did not choose."""
        columns, names = raw.reading.get("read", {}), [*raw.annotators]
        return len(names) == 1 and any(
            not isinstance(self.options.get(option), Mapping)
            and columns.get(option) in (names[0], {names[0]: names[0]})
            for option in ("spans", "tags")
        )

    def read_texts(self) -> Mapping[str, Place]:
        """Read the texts of the file, or its tokens, by id."""
        if self.sniffed_file.has_texts_only({}):
            from spanagree.formats.joined_texts import read_texts

            return read_texts(self.path, self.options.get("document"), self.options.get("text"))
        form = get_format(self.resolved_format)
        reader_options = {key: value for key, value in self.options.items() if key in form.takes}
        raw = form.read({self.layer: self.path} if form.is_layer else self.path, **reader_options)
        if raw.texts is None and raw.tokens is not None:
            tokens = iter(raw.tokens)
            words = (tuple(islice(tokens, length)) for length in raw.lengths.tolist())
            return dict(zip(raw.ids or (), words, strict=False))
        return dict(zip(raw.ids or (), raw.texts or (), strict=False))

    @property
    def has_user_given_name(self) -> bool:
        """True if a user named the annotator differently from the file."""
        return self.layer in find_user_named_layers({self.layer: self.path})

    @property
    def _recognition_problem(self) -> str:
        """Problem of a file without recognised spans or tags."""
        columns = self.sniffed_file.possible_annotation_columns
        description = f"its columns {join_names(columns)}" if columns else "it"
        return f"no spans or tags are recognised in {description}"

    def compose_texts_note(self) -> str:
        """Compose the note on a file that is read only for its texts.

        Raises:
            InputError: if a user named it as an annotator, and it may have spans.
        """
        name, problem = escape_path(self.path), self._recognition_problem
        if self.sniffed_file.possible_annotation_columns and self.has_user_given_name:
            quoted = shlex.quote(f"{self.layer}:{self.sniffed_file.possible_annotation_columns[0]}")
            raise InputError(
                f"{name}: named as annotator {quote_value(self.layer)}, and {problem}; --spans"
                f" {quoted} (spans={quoted}) names the column, or leave the name out"
            )
        return f"{name}: read for its texts alone; {problem}"

    def raise_unneeded_texts(self) -> None:
        """Raise the error for a file of texts that no other file needs."""
        name = escape_path(self.path)
        if column := self.sniffed_file.answer_column:
            quoted = shlex.quote(f"{os.path.basename(os.fspath(self.path))}:{column}")
            raise InputError(
                f"{name}: texts with marks or JSON in them; --spans {quoted} reads them beside a"
                " file with the texts"
            )
        if columns := self.sniffed_file.possible_annotation_columns:
            quoted = shlex.quote(f"{os.path.basename(os.fspath(self.path))}:{columns[0]}")
            raise InputError(
                f"{name}: {self._recognition_problem}, and no other file needs its texts; --spans"
                f" {quoted} (spans={quoted}) names a column, or leave the file out"
            )
        advice = ""
        if os.path.isdir(self.path):
            pattern = shlex.quote(os.path.join(os.fspath(self.path), "*.txt"))
            advice = (
                "; if its files are annotations, as in CoNLL or of recordings, name them by a"
                f" pattern for each annotator, such as NAME={pattern}"
            )
        raise InputError(
            f"{name}: texts with nothing marked in them, which no other file needs; leave it out,"
            f" or name the file with the annotations{advice}"
        )


def find_user_named_layers(files: Mapping[str, PathName]) -> set[str]:
    """Find the layers, of files or patterns, with a name that differs from the file name.

    >>> find_user_named_layers({"gold.jsonl": "data/gold.jsonl", "mine": "data/x.jsonl"})
    {'mine'}
    """
    paths = {layer: os.path.normpath(path) for layer, path in files.items()}
    paths = {layer: "stdin" if path == "-" else path for layer, path in paths.items()}
    return {layer for layer, path in paths.items() if not path.endswith(layer)}


@name_files_in_errors()
def read_raw_files(
    files: Mapping[str, PathName],
    options: Options,
    form: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    in_units: bool = True,
    repeats: bool = False,
    thorough: bool = False,
    named_layers: Collection[str] | None = None,
) -> RawCorpus:
    """Read files, each in its format, and merge them by document.

    Args:
        files: paths by layer name.
        options: options of the readers, and :data:`spanagree.corpus.other_labels.LABELS`; ``None``
            counts as missing.
        form: format of all files. Default: recognised.
        progress: callback that receives the number of CoNLL layers that are read and of all.
        in_units: True to convert times of recordings to units of a resolution; otherwise they are
            exact, for files that are parts of one corpus.
        repeats: True to allow an annotator to mark a document differently in several files, which
            is a flaw.
        thorough: True to search large files for marks that were not read, too.
        named_layers: layers with an annotator named by a user. Default: layers whose name differs
            from the file name.

    Raises:
        SettingError: if a format is unknown, or no format of the files takes an option.
        InputError: if files cannot be read or do not fit each other.
    """
    if form is not None and form not in FORMATS:
        check_choice(form, {**FORMATS, **load_registered_formats()}, "format")
    files, columns = split_columns(files, options.get("columns"))
    set_options = {
        option: value
        for option, value in {**options, "columns": columns}.items()
        if value is not None
    }
    labels = {name: set_options.pop(name, None) for name in LABELS}
    discontinuous, join = set_options.pop("discontinuous", None), set_options.pop("join", None)
    if join is not None:
        check_choice(join, JOIN, "join")
    for key in set_options.keys() - {key for reader in FORMATS.values() for key in reader.takes}:
        raise SettingError(f"{key.replace('_', '-')} is not an option of reading; leave it out")
    sources = build_layer_files(files, set_options, form, named_layers)
    text_sources: list[LayerFile] = []
    by_format: dict[str, list[LayerFile]] = {}
    for source in sources:
        if source.path == "-":
            check_stdin(form)
        if source.is_read_for_texts:
            text_sources.append(source)
        else:
            by_format.setdefault(source.resolved_format, []).append(source)
    _check_options(set_options, by_format)
    raw_by_layer: dict[str, RawCorpus] = {}
    lookups: list[TextLookup] = []
    for name, format_sources in by_format.items():
        reader = get_format(name)
        if reader.is_layer:
            # documents that are matched by text may be others in each file
            groups = {f"{name} files": format_sources}
            if join is not None and len(format_sources) > 1:
                groups = {source.layer: [source] for source in format_sources}
            for group_name, group in groups.items():
                raw_by_layer[group_name] = _read_layers(
                    reader, name, group, set_options, form, progress, thorough=thorough
                )
            continue
        raw_by_source: dict[str, RawCorpus] = {}
        for source in format_sources:
            texts = _build_text_lookup(source, sources)
            lookups += [] if texts is None else [texts]
            raw_by_source[source.layer] = source.read_rows(texts, thorough=thorough)
        if join is not None and len(files) > 1:
            raw_by_source = join_documents_by_text(raw_by_source)
        shard_layers = [
            source.layer
            for source in format_sources
            if source.has_annotator_names(raw_by_source[source.layer])
        ]
        projects = join_project_files(
            {layer: raw_by_source.pop(layer) for layer in shard_layers}, repeats=repeats
        )
        raw_by_source |= projects
        raw_by_layer |= {
            source.layer: raw_by_source[source.layer]
            for source in format_sources
            if source.layer in raw_by_source
        }
    if not any(texts.joined for texts in lookups):
        for source in text_sources:
            source.raise_unneeded_texts()
    notes = [source.compose_texts_note() for source in text_sources]
    if join is not None and len(raw_by_layer) > 1:
        raw_by_layer = join_documents_by_text(raw_by_layer)
    if in_units:  # otherwise a pattern defines the parts
        notes += _compose_recordings_note(raw_by_layer, sources)
    raw_by_layer = dict(equalize_lengths(raw_by_layer))
    _check_shared_documents(raw_by_layer, by_format)
    annotated_sources = [
        source for format_sources in by_format.values() for source in format_sources
    ]
    separate_layers = [source.layer for source in annotated_sources if source.has_user_given_name]
    merged = (
        merge_sources(raw_by_layer, separate_layers)
        if len(raw_by_layer) > 1
        else next(iter(raw_by_layer.values()))
    )
    merged = merged.replace(notes=(*notes, *merged.notes)) if notes else merged
    if (uem := set_options.get("uem")) is not None:
        merged = cut_into_parts(merged, read_uem(uem), Path(uem).name)
    if in_units:
        merged = apply_resolution(
            merged, set_options.get("resolution"), set_options.get("duration")
        )
    merged = apply_discontinuous(rename_and_select_labels(merged, **labels), discontinuous)
    merged = apply_absent(merged, set_options.get("absent"))
    if form is None or all(source.has_recognised_format for source in annotated_sources):
        return merged
    settings = build_reading_settings(**{**merged.reading.get("read", {}), "from": form})
    return merged.replace(reading={**merged.reading, **settings})


def build_layer_files(
    files: Mapping[str, PathName],
    set_options: Options,
    form: str | None,
    named_layers: Collection[str] | None = None,
) -> list[LayerFile]:
    """Build the file of each layer; see :func:`read_raw_files` for the arguments."""
    sniff_path = cache(SniffedFile.from_path)
    if named_layers is None:
        named_layers = find_user_named_layers(files)
    return [
        LayerFile(
            layer,
            path,
            select_options_of_file(set_options, layer, files),
            form,
            sniff_path,
            len(files) == 1,
            layer in named_layers,
        )
        for layer, path in files.items()
    ]


def _build_text_lookup(source: LayerFile, sources: Sequence[LayerFile]) -> TextLookup | None:
    """Build the look-up of texts in the other files, if the reader of a file takes them."""
    if len(sources) < 2 or "texts" not in get_format(source.resolved_format).takes:
        return None
    from spanagree.formats.joined_texts import TextLookup

    return TextLookup(partial(_collect_texts_of_other_layers, source, sources))


def read_columns(source: LayerFile, sources: Sequence[LayerFile]) -> dict[str, Any]:
    """Read one of several files for the columns that its reader finds.

    A text of another file is in no column that an option could name.

    Args:
        source: file to read.
        sources: all files that are read with it, which may have its texts.
    """
    texts = _build_text_lookup(source, sources)
    columns = source.read_rows(texts).reading.get("read", {})
    is_joined = texts is not None and texts.joined
    return {
        name: value
        for name, value in columns.items()
        if not (is_joined and name in ("text", "tokens"))
    }


def _read_layers(
    reader: Format,
    name: str,
    sources: Sequence[LayerFile],
    set_options: Options,
    form: str | None,
    progress: Callable[[int, int], None] | None,
    *,
    thorough: bool,
) -> RawCorpus:
    """Read the rows of files of a format with one layer per file.

    ``name`` is the format, ``form`` the format that the user named. A note is added for tables that
    are read as CoNLL because of their content.
    """
    reader_options = {key: value for key, value in set_options.items() if key in reader.takes}
    if name != "conll":
        with advise_on_encoding(reader.takes):
            return reader.read({source.layer: source.path for source in sources}, **reader_options)
    raw = reader.read(
        {source.layer: source.path for source in sources},
        **reader_options,
        progress=progress,
        thorough=thorough,
    )
    if form is not None:
        return raw
    names = (escape_path(source.path) for source in sources)
    tables = [path for path in names if path.lower().endswith((".csv", ".tsv"))]
    return raw.replace(notes=(*(f"{path}: read as conll" for path in tables), *raw.notes))


def _compose_recordings_note(
    raw_by_layer: Mapping[str, RawCorpus], sources: Sequence[LayerFile]
) -> list[str]:
    """Compose the note on recordings without names, which may be different recordings."""
    names = [source.layer for source in sources if source.layer in raw_by_layer]
    is_unnamed = [
        raw_by_layer[name].offsets == TICKS
        and raw_by_layer[name].ids is None
        and len(raw_by_layer[name].lengths) == 1
        for name in names
    ]
    if (
        len(names) < 2
        or not all(is_unnamed)
        or all(source.has_user_given_name for source in sources)
    ):
        return []
    return [
        f"{join_names(names)}: taken as annotators of one recording; if they are of several, name a"
        " pattern for each annotator, such as ann='song?/a.txt' bob='song?/b.txt'"
    ]


def select_options_of_file(
    set_options: Options, layer: str, files: Mapping[str, PathName]
) -> dict[str, Any]:
    """Select the options of one of several files.

    An option may name a column of this file only, as ``FILE:COLUMN``.

    >>> files = {"gold": "g.jsonl", "llm": "x.jsonl"}
    >>> select_options_of_file({"document": "id,llm:custom_id"}, "llm", files)
    {'document': 'custom_id'}
    """
    options = {name: value for name, value in set_options.items() if value is not None}
    with_files = [
        option
        for option in (*PATHS, "tags")
        if isinstance(value := options.get(option), str) and ":" in value
    ]
    if not with_files:  # as usually, also of thousands of files
        return options
    names = {
        name: key
        for key, path in files.items()
        for name in (key, os.path.basename(os.fspath(path)), Path(path).stem)
    }
    for option in with_files:
        named_parts = [named_part.partition(":") for named_part in options[option].split(",")]
        if any(colon and name in names for name, colon, _ in named_parts):
            own_values = [column for name, _, column in named_parts if names.get(name) == layer]
            shared_values = [
                "".join(named_part) for named_part in named_parts if named_part[0] not in names
            ]
            options[option] = ",".join(own_values or shared_values) or None
    return {name: value for name, value in options.items() if value is not None}


def is_option_taken(
    key: str, files: Mapping[str, PathName], form: str | None, options: Options
) -> bool:
    """Check whether the reader of any file takes the option ``key``.

    Files of texts by id have no reader.
    """
    if form is not None:
        return key in get_format(form).takes
    forms: set[str] = set()
    for layer, path in files.items():
        file_options, sniffed = (
            select_options_of_file(options, layer, files),
            SniffedFile.from_path(path),
        )
        if len(files) == 1 or not sniffed.has_texts_only(file_options):
            forms.add(sniffed.find_format(file_options))
    return any(key in get_format(name).takes for name in forms)


def _collect_texts_of_other_layers(
    source: LayerFile, sources: Sequence[LayerFile]
) -> dict[str, Place]:
    """Collect the texts, or tokens, by id in the files of other layers."""
    texts: dict[str, Place] = {}
    for other_source in sources:
        if other_source is not source:
            with suppress(SpanAgreeError):  # no texts, or an error that reading reports
                texts |= other_source.read_texts()
    return texts


def _check_shared_documents(
    raw_by_layer: Mapping[str, RawCorpus], by_format: Mapping[str, Sequence[LayerFile]]
) -> None:
    """Check that files of each format share a document with files of other formats."""
    ids = {name: raw.ids for name, raw in raw_by_layer.items()}
    if len(by_format) < 2 or None in ids.values():
        return
    for form, sources in by_format.items():
        is_layer = get_format(form).is_layer
        names = [f"{form} files"] if is_layer else [source.layer for source in sources]
        # one name represents all files of a project
        names = [name for name in names if name in raw_by_layer]
        own_ids = [id_ for name in names for id_ in ids[name] or ()]
        other_ids = [
            id_ for name, layer_ids in ids.items() if name not in names for id_ in layer_ids or ()
        ]
        if {*own_ids}.isdisjoint(other_ids):
            raise InputError(
                f"{escape_path(sources[0].path)}: read as {form}, it shares no document with the"
                f" files of other formats: its ids are {join_names(own_ids[:3])}, …, theirs"
                f" {join_names(other_ids[:3])}, …; give the same documents the same ids, or compare"
                " each format's files by themselves"
            )


def _check_options(set_options: Options, formats: Iterable[str]) -> None:
    """Check that one of the formats takes each option."""
    allowed = {key for name in formats for key in get_format(name).takes}
    allowed |= {"attributes", "scores"}  # readers of other formats always keep these
    for key in (key for key in set_options if key not in allowed):
        takers = [name for name, form in FORMATS.items() if key in form.takes]
        tools = [name for name in takers if name in TOOLS]
        others = [name for name in takers if name not in TOOLS]
        formats_text = ", ".join(
            [*others, *(tools if len(tools) <= _FEW else ["records of tools"])]
        )
        formats_text += ", or goes with group-by" if key == "unit" else ""
        are_records = any({*get_format(name).shapes} & {"json", "jsonl"} for name in formats)
        advice = (
            "; --from dataset reads them as rows" if key in COLUMNS_OF_ROWS and are_records else ""
        )
        if key == "columns":
            advice = "; a column of spans is named with --spans FILE:COLUMN (spans=)"
        if key == "encoding":
            advice = "; save the files as UTF-8"
        raise SettingError(
            f"{key.replace('_', '-')} doesn't apply to {', '.join(formats)} files; it is for"
            f" {formats_text}{advice}"
        )
