"""Corpora in many files: found by patterns, read as one, or each as a part where it is compared."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanagree.choices import FormatName, Repair
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.flaws import refuse_flaws
from spanagree.corpus.grouped import grouped
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import allows_repeats, repaired, valid_corpus
from spanagree.corpus.times import with_resolution
from spanagree.errors import (
    InputError,
    check_choice,
    escape_name,
    is_iterable,
    printable_path,
    quote_value,
)
from spanagree.files import PathName, Source, file_names, same_files
from spanagree.formats.combine import concatenate, joined_by_text, renamed
from spanagree.formats.conll.page import UNITS
from spanagree.formats.patterns import has_pattern, matches, stars_of
from spanagree.formats.read_files import raw_files, user_named
from spanagree.formats.recognise import as_pattern


def read_parts(
    source: Source,
    *,
    form: FormatName | None = None,
    repair: Repair | Sequence[Repair] = (),
    **options: Any,
) -> FileParts:
    """Find the files of a corpus; each is a part, read where it is compared.

    Args:
        source: a pattern such as ``part-*.jsonl``, of files that hold all layers; several, or
            plain paths; or layer to pattern, such as ``{"gold": "gold-*.conll", "mine":
            "mine-*.conll"}``: files belong together in which the stars stand for the same.
        form: format of the files. Default: it is recognised; see :func:`spanagree.read`.
        repair: steps that repair what was read; see :func:`spanagree.read`.
        options: options of the readers, such as ``scheme`` of CoNLL or ``tokens`` and ``tags`` of
            Parquet.

    Returns:
        A list of functions, in the order of the files' names. Documents without ids get the file's
        name and their number in it. If files share documents (of the same id), these are united,
        and all files are read as one corpus.

    Raises:
        InputError: for a pattern that no file fits, or layers that do not have the same files.

    >>> read_parts("nowhere-*.jsonl")
    Traceback (most recent call last):
    spanagree.errors.InputError: nowhere-*.jsonl: no file fits this pattern
    """
    unfolded = as_pattern if form in (None, "conll") else lambda path: path
    if isinstance(source, Mapping):
        patterns = {name: unfolded(path) for name, path in source.items()}
        parts, named = _by_layer(patterns, form), _people(patterns)
    else:
        paths = [source] if isinstance(source, (str, os.PathLike)) else source
        parts = _by_file([*map(unfolded, paths)] if is_iterable(paths) else paths, form)
        named = set()
    return FileParts(FilePart(name, files, options, form, repair, named) for name, files in parts)


class FileParts(list["FilePart"]):
    """The files of a corpus, which can be read as one if documents are in several."""

    def united(self) -> Corpus:
        """Read the corpus in all files, with documents of the same id united."""
        repair, options = self[0].repair, self[0].options
        parts = {part.name: part.in_ticks() for part in self}
        if options.get("join") is not None:
            parts = joined_by_text(parts)
        raw = concatenate(parts, repeats=allows_repeats(repair))
        raw = with_resolution(raw, options.get("resolution"), options.get("duration"))
        return valid_corpus(raw, repair)


@dataclass(frozen=True, eq=False)
class FilePart:
    """One of the files of a corpus, or those that belong together; called, it is read.

    Attributes:
        name: name of the part, which is in the ids of documents that have none.
        files: file of each layer.
        options: options of the readers.
        form: format, if it is named.
        repair: steps that repair what is read.
        named: layers whose annotator a user named.
    """

    name: str
    files: Mapping[str, PathName]
    options: Mapping[str, Any]
    form: str | None
    repair: str | Sequence[str]
    named: Collection[str]

    def __call__(self) -> Corpus:
        """Read the part."""
        return valid_corpus(self.raw(), self.repair).with_ids(f"{self.name}:")

    def raw(self) -> RawCorpus:
        """Read the rows in it, unchecked."""
        raw = self.in_ticks()
        return with_resolution(raw, self.options.get("resolution"), self.options.get("duration"))

    def in_ticks(self) -> RawCorpus:
        """Read the rows in it, the times of recordings as exact as they are."""
        return raw_files(self.files, self.options, self.form, in_units=False, named=self.named)


def read_found(
    files: Mapping[str, PathName],
    options: Mapping[str, Any],
    form: str | None = None,
    repair: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Corpus:
    """Return the corpus in files, or in all that patterns find, after the repairs asked for.

    With the option ``group_by``, documents are put in groups after that, or joined if ``unit`` is
    document.

    Raises:
        SettingError, InputError: as for :func:`spanagree.formats.read_files.raw_files`; for flaws
            that no repair was asked for; as for :func:`spanagree.corpus.grouped.grouped`.
    """
    settings = dict(options)
    by = settings.pop("group_by", None)
    unit = "sentence" if by is None else settings.pop("unit", None) or "sentence"
    check_choice(unit, UNITS, "unit")
    raw = raw_found(files, settings, form, progress, repeats=allows_repeats(repair))
    if by is None:
        return valid_corpus(raw, repair)
    raw = repaired(raw, repair)
    from spanagree.formats.document_tables import names_in_table, says_table, table_named

    refuse_flaws(raw, repairable=True)  # first, as a segment beyond its text would be in the next
    names, says = by, "names"
    if isinstance(by, str) and (table := table_named(by)) is not None:
        ids = [raw.id_of(d) for d in range(len(raw.lengths))]
        names = names_in_table(ids, *table, "group", settings.get("document"))
        says = says_table(*table)
    return Corpus.from_raw(grouped(raw, names, unit == "document", says))


def raw_found(
    files: Mapping[str, PathName],
    options: Mapping[str, Any],
    form: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    repeats: bool = False,
    thorough: bool = False,
) -> RawCorpus:
    """Return the rows of the same, unchecked; as :func:`raw_files` and :func:`concatenate`."""
    if not any(map(has_pattern, files.values())):
        return raw_files(files, options, form, progress, repeats=repeats, thorough=thorough)
    named = _people(files)
    parts = {
        name: raw_files(paths, options, form, in_units=False, thorough=thorough, named=named)
        for name, paths in _by_layer(files, form)
    }
    if options.get("join") is not None:
        parts = joined_by_text(parts)
    raw = concatenate(parts, repeats=repeats)
    if len(raw.annotators) == 1 and (names := user_named(files)) and len(files) == 1:
        raw = renamed(raw, dict.fromkeys(raw.annotators, names.pop()))
    return with_resolution(raw, options.get("resolution"), options.get("duration"))


def _people(patterns: Mapping[str, PathName]) -> set[str]:
    """Return the names of the patterns of which each is somebody; one alone may be a project."""
    return user_named(patterns) if len(patterns) > 1 else set()


_Files = list[tuple[str, dict[str, PathName]]]  # the name of each, and its files by layer


def _by_file(patterns: Sequence[PathName], form: str | None) -> _Files:
    """Return each file as a part, called by its name with as many folders as it needs."""
    if not isinstance(patterns, Iterable):
        raise InputError(
            f"{quote_value(patterns)}; a pattern, or files one after the other, are needed"
        )
    if project := _as_project({f"{pattern}": pattern for pattern in patterns}, form):
        return project
    patterns_of = {path: pattern for pattern in patterns for path in matches(pattern)}
    if not patterns_of:
        raise InputError(
            "no file; a pattern, such as 'part-*.jsonl', or files one after the other, are needed"
        )
    _refuse_same(list(patterns_of))
    names = file_names(list(patterns_of))
    return [
        (name, {os.path.basename(os.fspath(pattern)): path})
        for name, (path, pattern) in zip(names, patterns_of.items(), strict=True)
    ]


def _as_project(source: Mapping[str, PathName], form: str | None) -> _Files:
    """Return patterns as one part if the files of each make up a project, else no part."""
    paths = list(source.values())
    if form not in (None, "inception") or not paths:
        return []
    if not all(isinstance(path, (str, os.PathLike)) and has_pattern(path) for path in paths):
        return []
    from spanagree.formats.inception.files import are_pages

    return [(", ".join(source), dict(source))] if all(map(are_pages, paths)) else []


def _by_layer(source: Mapping[str, PathName], form: str | None) -> _Files:
    """Return the parts of layers: files belong together in which the stars stand for the same.

    Every layer has every part. Parts of one layer are called as their files, others by what the
    stars stand for.
    """
    if project := _as_project(source, form):
        return project
    parts: dict[tuple[str, ...], dict[str, PathName]] = {}
    for layer, pattern in source.items():
        for stars, path in _by_stars(pattern).items():
            parts.setdefault(stars, {})[layer] = path
    if not parts:
        raise InputError("no file; a pattern for each annotator is needed, such as 'gold-*.conll'")
    for stars, files in parts.items():
        for layer in (layer for layer in source if layer not in files):
            other, path = next(iter(files.items()))
            raise InputError(
                f"{printable_path(source[layer])}: no file of part {quote_value(','.join(stars))},"
                f" of which {escape_name(other)} has {printable_path(path)}; each annotator"
                " needs every part"
            )
    ordered = [parts[stars] for stars in sorted(parts)]
    _refuse_same(list(dict.fromkeys(path for files in ordered for path in files.values())))
    if len(source) > 1:
        names = [",".join(stars) for stars in sorted(parts)]
        if len({*names}) < len(names):  # they name documents, so each is another
            names = [",".join(map(repr, stars)) for stars in sorted(parts)]
        return list(zip(names, ordered, strict=True))
    return list(zip(file_names([next(iter(f.values())) for f in ordered]), ordered, strict=True))


def _refuse_same(paths: Sequence[PathName]) -> None:
    """Refuse a file that is there twice, as through a link."""
    for first, again in same_files(paths):
        name, other = (printable_path(paths[i]) for i in (again, first))
        raise InputError(
            f"{name}: the same file as {other}; the files of a corpus in parts are different ones:"
            " leave one of them out"
        )


def _by_stars(pattern: PathName) -> dict[tuple[str, ...], PathName]:
    """Return the files of a pattern by what its stars stand for; a plain path by its name."""
    paths = matches(pattern)
    return {stars_of(pattern, path) or (os.path.basename(path),): path for path in paths}
