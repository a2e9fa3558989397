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

from spanagree.corpus.discontinuous import with_discontinuous
from spanagree.corpus.offsets import Place
from spanagree.corpus.other_labels import LABELS, with_labels
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.roles import apply_absent
from spanagree.corpus.times import TICKS, of_one_length, with_resolution, within_parts
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    check_choice,
    join_names,
    printable_path,
    quote_value,
)
from spanagree.files import PathName, naming_files
from spanagree.formats.combine import JOIN, joined_by_text, merge_sources, one_project, renamed
from spanagree.formats.conll.columns import split_columns
from spanagree.formats.format import Format
from spanagree.formats.recognise import SniffedFile, check_stdin, format_named
from spanagree.formats.registry import (
    COLUMNS_OF_ROWS,
    FORMATS,
    TOOLS,
    Options,
    format_called,
    read_uem,
    registered,
)
from spanagree.formats.tools import PATHS, lazy
from spanagree.settings import reading_settings

if TYPE_CHECKING:
    from spanagree.formats.joined_texts import TextLookup  # for few files

_with_unread = lazy("spanagree.formats.unread", "with_unread")

_CHOOSE = frozenset(("spans", "tags", "start", "quote", "layer", "feature", "tier", "predictions"))
"""Options that choose a part of what is marked, in which there may be nothing."""

_TIMES = ("resolution", "duration", "uem")  # which are dealt with when all is read


@dataclass(frozen=True, eq=False)
class _Source:
    """One of the files: whose it is, the options that are its own, and the format if one is named.

    ``alone``: whether there is no other beside it. ``is_named``: whether a user named its
    annotator. Its beginning is looked at when that is asked for, once for all that have the
    ``path``.
    """

    layer: str
    path: PathName
    options: Options
    named: str | None
    look: Callable[[Any], SniffedFile]
    alone: bool
    is_named: bool

    @property
    def seen(self) -> SniffedFile:
        """What the file's beginning shows."""
        return self.look(self.path)

    @cached_property
    def form(self) -> str:
        """The name of the format."""
        return self.named or self.seen.format_by(self.options)

    @property
    def is_as_named(self) -> bool:
        """Whether the file would have been read in the format if nobody had named it."""
        with suppress(SpanAgreeError):
            return self.seen.format_by({}) == self.named
        return False

    def read(self, texts: TextLookup | None, *, thorough: bool = False) -> RawCorpus:
        """Return the rows of a format whose files name their annotators, who else is the layer.

        The name that a user gives wins over that of a single annotator; several keep theirs, as a
        note says. Another note says that it is read so, if its extension does not. Of one pattern
        each file has its own name; of several, each pattern is somebody.
        """
        takes = {*format_called(self.form).takes} - {*_TIMES}
        known = {key: value for key, value in self.options.items() if key in takes}
        if texts is not None:
            known["texts"] = texts
        raw = format_called(self.form).read(self.path, **known)
        if _CHOOSE.isdisjoint(known):
            raw = _with_unread(self.path, raw, self.form, thorough=thorough)
        name = printable_path(self.path)
        is_one_of_many = self.alone and set(self.layer) & set("*?[")
        annotator = os.path.basename(name) if is_one_of_many else self.layer
        notes = raw.notes
        guessed = any("columns guessed" in note for note in notes)
        if self.form != format_named(self.path) or guessed:
            mine = [note for note in notes if note.startswith(f"{name}: ")]
            more = [note.removeprefix(f"{name}: ") for note in mine]
            others = [note for note in notes if note not in mine]
            notes = ("; ".join([f"{name}: read as {self.form}", *more]), *others)
        names = {given: given or annotator for given in raw.annotators}
        if self.is_named and not self._names_columns:
            if len(names) == 1:
                names = dict.fromkeys(names, self.layer)
            elif self.layer not in names and any(names):
                people = join_names(sorted(names.values()))
                kept = f"{name}: its annotators, {people}, keep the names that they have there"
                notes = (*notes, kept)
        return renamed(raw, names).replace(notes=notes)

    def names_people(self, raw: RawCorpus) -> bool:
        """Return whether annotators have names in the file, and it has no other name."""
        return not self.has_own_name and not self._is_called_as_column(raw)

    @property
    def _names_columns(self) -> bool:
        """Whether the options name an annotator for each column."""
        return any(isinstance(self.options.get(key), Mapping) for key in ("spans", "tags"))

    def _is_called_as_column(self, raw: RawCorpus) -> bool:
        """Return whether the one annotator has the name of a column, which nobody named so."""
        columns, names = raw.reading.get("read", {}), [*raw.annotators]
        return len(names) == 1 and any(
            not isinstance(self.options.get(option), Mapping)
            and columns.get(option) in (names[0], {names[0]: names[0]})
            for option in ("spans", "tags")
        )

    def texts(self) -> Mapping[str, Place]:
        """Return the texts by id that the file has, or the tokens."""
        if self.seen.has_texts_only({}):
            from spanagree.formats.joined_texts import texts_in

            return texts_in(self.path, self.options.get("document"), self.options.get("text"))
        form = format_called(self.form)
        known = {key: value for key, value in self.options.items() if key in form.takes}
        raw = form.read({self.layer: self.path} if form.is_layer else self.path, **known)
        if raw.texts is None and raw.tokens is not None:
            tokens = iter(raw.tokens)
            words = (tuple(islice(tokens, n)) for n in raw.lengths.tolist())
            return dict(zip(raw.ids or (), words, strict=False))
        return dict(zip(raw.ids or (), raw.texts or (), strict=False))

    @property
    def has_own_name(self) -> bool:
        """Whether the annotator was named, and not by the file."""
        return self.layer in user_named({self.layer: self.path})

    @property
    def _nothing_recognised(self) -> str:
        """What is said of a file without spans or tags."""
        columns = self.seen.other_columns
        place = f"its columns {join_names(columns)}" if columns else "it"
        return f"no spans or tags are recognised in {place}"

    def note_on_texts(self) -> str:
        """Return what to say of a file that is read for its texts alone.

        Raises:
            InputError: if it was named as an annotator, and may have spans.
        """
        name, nothing = printable_path(self.path), self._nothing_recognised
        if self.seen.other_columns and self.has_own_name:
            quoted = shlex.quote(f"{self.layer}:{self.seen.other_columns[0]}")
            raise InputError(
                f"{name}: named as annotator {quote_value(self.layer)}, and {nothing}; --spans"
                f" {quoted} (spans={quoted}) names the column, or leave the name out"
            )
        return f"{name}: read for its texts alone; {nothing}"

    def refuse_texts(self) -> None:
        """Refuse a file of texts that no other file needs."""
        name = printable_path(self.path)
        if column := self.seen.marked_column:
            quoted = shlex.quote(f"{os.path.basename(os.fspath(self.path))}:{column}")
            raise InputError(
                f"{name}: texts with marks in them; --spans {quoted} reads them beside a file with"
                " the texts"
            )
        if columns := self.seen.other_columns:
            quoted = shlex.quote(f"{os.path.basename(os.fspath(self.path))}:{columns[0]}")
            raise InputError(
                f"{name}: {self._nothing_recognised}, and no other file needs its texts; --spans"
                f" {quoted} (spans={quoted}) names a column, or leave the file out"
            )
        more = ""
        if os.path.isdir(self.path):
            pattern = shlex.quote(os.path.join(os.fspath(self.path), "*.txt"))
            more = (
                "; if its files are annotations, as in CoNLL or of recordings, name them by a"
                f" pattern for each annotator, such as NAME={pattern}"
            )
        raise InputError(
            f"{name}: texts with nothing marked in them, which no other file needs; leave it out,"
            f" or name the file with the annotations{more}"
        )


def user_named(files: Mapping[str, PathName]) -> set[str]:
    """Return the layers, of files or patterns, that are not called as their file.

    >>> user_named({"gold.jsonl": "data/gold.jsonl", "mine": "data/x.jsonl"})
    {'mine'}
    """
    paths = {layer: os.path.normpath(path) for layer, path in files.items()}
    paths = {layer: "stdin" if path == "-" else path for layer, path in paths.items()}
    return {layer for layer, path in paths.items() if not path.endswith(layer)}


@naming_files()
def raw_files(
    files: Mapping[str, PathName],
    options: Options,
    form: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    in_units: bool = True,
    repeats: bool = False,
    thorough: bool = False,
    named: Collection[str] | None = None,
) -> RawCorpus:
    """Return what some files say, each in its format, their documents matched.

    Args:
        files: by layer name.
        options: of the readers, and :data:`spanagree.corpus.other_labels.LABELS`; those that are
            ``None`` count as not given.
        form: the format of all files, where their extensions do not tell.
        progress: called with the number of layers of CoNLL files read and of all.
        in_units: of recordings, whether times are put in units of a resolution; else they are
            exact, for files that are parts of one corpus.
        repeats: let an annotator mark a document differently in several files, which is a flaw.
        thorough: if True, large files too are gone through once more for marks that were not read.
        named: the layers whose annotator a user named. Default: those whose file has another name.

    Raises:
        SettingError: for an unknown format, or options that no format here takes.
        InputError: for files that cannot be read or do not fit each other.
    """
    if form is not None and form not in FORMATS:
        check_choice(form, {**FORMATS, **registered()}, "format")
    files, columns = split_columns(files, options.get("columns"))
    given = {k: v for k, v in {**options, "columns": columns}.items() if v is not None}
    labels = {name: given.pop(name, None) for name in LABELS}
    pieces, join = given.pop("discontinuous", None), given.pop("join", None)
    if join is not None:
        check_choice(join, JOIN, "join")
    for key in given.keys() - {key for reader in FORMATS.values() for key in reader.takes}:
        raise SettingError(f"{key.replace('_', '-')} is not an option of reading; leave it out")
    look = cache(SniffedFile.of)
    sources = [
        _Source(
            layer,
            path,
            own_columns(given, layer, files),
            form,
            look,
            len(files) == 1,
            layer in (user_named(files) if named is None else named),
        )
        for layer, path in files.items()
    ]
    of_texts: list[_Source] = []
    by_format: dict[str, list[_Source]] = {}
    for source in sources:
        if source.path == "-":
            check_stdin(form)
        if len(sources) > 1 and source.seen.has_texts_only(source.options):
            of_texts.append(source)
        else:
            by_format.setdefault(source.form, []).append(source)
    _check_options(given, by_format)
    parts: dict[str, RawCorpus] = {}
    joined: list[TextLookup] = []
    for name, of_format in by_format.items():
        reader = format_called(name)
        if reader.is_layer:
            parts[f"{name} files"] = _read_layers(
                reader, name, of_format, given, form, progress, thorough=thorough
            )
            continue
        read: dict[str, RawCorpus] = {}
        for source in of_format:
            texts = None
            if "texts" in reader.takes and len(sources) > 1:
                from spanagree.formats.joined_texts import TextLookup

                texts = TextLookup(partial(_texts_beside, source, sources))
                joined.append(texts)
            read[source.layer] = source.read(texts, thorough=thorough)
        if join is not None and len(files) > 1:
            read = joined_by_text(read)
        unnamed = [source.layer for source in of_format if source.names_people(read[source.layer])]
        projects = one_project({layer: read.pop(layer) for layer in unnamed}, repeats=repeats)
        read |= projects
        parts |= {source.layer: read[source.layer] for source in of_format if source.layer in read}
    if not any(texts.joined for texts in joined):
        for source in of_texts:
            source.refuse_texts()
    notes = [source.note_on_texts() for source in of_texts]
    if join is not None and len(parts) > 1:
        parts = joined_by_text(parts)
    if in_units:  # else a pattern says which files belong together
        notes += _note_of_one_recording(parts, sources)
    parts = dict(of_one_length(parts))
    _refuse_apart(parts, by_format)
    marked = [source for of_format in by_format.values() for source in of_format]
    apart = [source.layer for source in marked if source.has_own_name]
    united = merge_sources(parts, apart) if len(parts) > 1 else next(iter(parts.values()))
    united = united.replace(notes=(*notes, *united.notes)) if notes else united
    if (uem := given.get("uem")) is not None:
        united = within_parts(united, read_uem(uem), Path(uem).name)
    if in_units:
        united = with_resolution(united, given.get("resolution"), given.get("duration"))
    united = with_discontinuous(with_labels(united, **labels), pieces)
    united = apply_absent(united, given.get("absent"))
    if form is None or all(source.is_as_named for source in marked):
        return united
    named = reading_settings(**{**united.reading.get("read", {}), "from": form})
    return united.replace(reading={**united.reading, **named})


def _read_layers(
    reader: Format,
    name: str,
    sources: Sequence[_Source],
    given: Options,
    form: str | None,
    progress: Callable[[int, int], None] | None,
    *,
    thorough: bool,
) -> RawCorpus:
    """Return the rows of files of a format of which each is a layer.

    A note says of tables that they are read as CoNLL, as what is in them says.
    """
    known = {key: value for key, value in given.items() if key in reader.takes}
    if name != "conll":
        return reader.read({source.layer: source.path for source in sources}, **known)
    part = reader.read(
        {source.layer: source.path for source in sources},
        **known,
        progress=progress,
        thorough=thorough,
    )
    if form is not None:
        return part
    names = (printable_path(source.path) for source in sources)
    tables = [path for path in names if path.lower().endswith((".csv", ".tsv"))]
    return part.replace(notes=(*(f"{path}: read as conll" for path in tables), *part.notes))


def _note_of_one_recording(parts: Mapping[str, RawCorpus], sources: Sequence[_Source]) -> list[str]:
    """Return a note on recordings without names, which no text shows to be different ones."""
    names = [source.layer for source in sources if source.layer in parts]
    is_unnamed = [
        parts[name].offsets == TICKS and parts[name].ids is None and len(parts[name].lengths) == 1
        for name in names
    ]
    if len(names) < 2 or not all(is_unnamed) or all(source.has_own_name for source in sources):
        return []
    return [
        f"{join_names(names)}: taken as annotators of one recording; if they are of several, name a"
        " pattern for each annotator, such as ann='song?/a.txt' bob='song?/b.txt'"
    ]


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
            of_all = ["".join(part) for part in parts if part[0] not in names]
            options[option] = ",".join(mine or of_all) or None
    return {name: value for name, value in options.items() if value is not None}


def takes_any(key: str, files: Mapping[str, PathName], form: str | None, options: Options) -> bool:
    """Return whether the reader of any of some files takes an option; texts by id have none."""
    if form is not None:
        return key in format_called(form).takes
    forms: set[str] = set()
    for layer, path in files.items():
        asked, seen = own_columns(options, layer, files), SniffedFile.of(path)
        if len(files) == 1 or not seen.has_texts_only(asked):
            forms.add(seen.format_by(asked))
    return any(key in format_called(name).takes for name in forms)


def _texts_beside(source: _Source, sources: Sequence[_Source]) -> dict[str, Place]:
    """Return the texts by id that the files of other layers have, or their tokens."""
    texts: dict[str, Place] = {}
    for other in sources:
        if other is not source:
            with suppress(SpanAgreeError):  # one without texts, or what is said when it is read
                texts |= other.texts()
    return texts


def _refuse_apart(
    parts: Mapping[str, RawCorpus], by_format: Mapping[str, Sequence[_Source]]
) -> None:
    """Refuse files of several formats if those of one have no document that the others have."""
    ids = {name: part.ids for name, part in parts.items()}
    if len(by_format) < 2 or None in ids.values():
        return
    for form, sources in by_format.items():
        is_layer = format_called(form).is_layer
        names = [f"{form} files"] if is_layer else [source.layer for source in sources]
        names = [name for name in names if name in parts]  # one stands for all of a project
        mine = [id_ for name in names for id_ in ids[name] or ()]
        others = [id_ for name, known in ids.items() if name not in names for id_ in known or ()]
        if {*mine}.isdisjoint(others):
            raise InputError(
                f"{printable_path(sources[0].path)}: read as {form}, it shares no document"
                f" with the files of other formats: its ids are {join_names(mine[:3])}, …, theirs"
                f" {join_names(others[:3])}, …; give the same documents the same ids, or compare"
                " each format's files by themselves"
            )


def _check_options(given: Options, formats: Iterable[str]) -> None:
    """Refuse options that none of the formats takes."""
    taken = {key for name in formats for key in format_called(name).takes}
    taken |= {"attributes", "scores"}  # of other formats, segments have all that they say
    for key in (key for key in given if key not in taken):
        takers = [name for name, form in FORMATS.items() if key in form.takes]
        others = ", ".join(name for name in takers if name not in TOOLS)
        others += ", records of tools" if any(name in TOOLS for name in takers) else ""
        others += ", or goes with group-by" if key == "unit" else ""
        rows = any({*format_called(name).shapes} & {"json", "jsonl"} for name in formats)
        more = "; --from dataset reads them as rows" if key in COLUMNS_OF_ROWS and rows else ""
        if key == "encoding":
            more = ", which are read as UTF-8: save them so"
        raise SettingError(
            f"{key.replace('_', '-')} is for {others}; the files here are"
            f" {', '.join(formats)}{more}"
        )
