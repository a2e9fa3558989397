"""Corpora in many files: found by patterns, and read as one corpus or part by part."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanagree.choices import FormatName, Repair
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.flaws import check_flaws
from spanagree.corpus.grouped import group_documents
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import allows_repeats, apply_repairs, build_valid_corpus
from spanagree.corpus.resolution import apply_resolution
from spanagree.errors import (
    InputError,
    check_choice,
    escape_name,
    escape_path,
    is_iterable,
    quote_value,
)
from spanagree.files import PathName, Source, choose_file_names, yield_pairs_of_same_file
from spanagree.formats.combine import concatenate_parts, join_documents_by_text, rename_annotators
from spanagree.formats.conll.page import UNITS
from spanagree.formats.patterns import find_matches, has_pattern, match_stars
from spanagree.formats.read_files import find_user_named_layers, read_raw_files
from spanagree.formats.recognise import convert_to_pattern


def read_parts(
    source: Source,
    *,
    form: FormatName | None = None,
    repair: Repair | Sequence[Repair] = (),
    **options: Any,
) -> FileParts:
    """Find the files of a corpus; each file is a part, read when it is compared.

    Args:
        source: pattern such as ``part-*.jsonl``, of files that contain all layers; several patterns
            or plain paths; or mapping of layer to pattern, such as ``{"gold": "gold-*.conll",
            "mine": "mine-*.conll"}``, with files matched by the text in place of the stars.
        form: format of the files. Default: recognised; see :func:`spanagree.read`.
        repair: steps that repair the annotations; see :func:`spanagree.read`.
        options: options of the readers, such as ``scheme`` of CoNLL or ``tokens`` and ``tags`` of
            Parquet.

    Returns:
        A list of functions, in the order of the files' names. An id is built from the file's name
        and a number if a document has none. If files share documents with the same id, these are
        merged, and all files are read as one corpus.

    Raises:
        InputError: if a pattern matches no file, or layers do not have the same files.

    >>> read_parts("nowhere-*.jsonl")
    Traceback (most recent call last):
    spanagree.errors.InputError: nowhere-*.jsonl: no file fits this pattern
    """
    to_pattern = convert_to_pattern if form in (None, "conll") else lambda path: path
    if isinstance(source, Mapping):
        patterns = {name: to_pattern(path) for name, path in source.items()}
        parts, named_layers = (
            _build_parts_by_layer(patterns, form),
            _find_annotator_patterns(patterns),
        )
    else:
        paths = [source] if isinstance(source, (str, os.PathLike)) else source
        parts = _build_parts_by_file(
            [*map(to_pattern, paths)] if is_iterable(paths) else paths, form
        )
        named_layers = set()
    return FileParts(
        FilePart(name, files, options, form, repair, named_layers) for name, files in parts
    )


class FileParts(list["FilePart"]):
    """Files of a corpus, which can be read as one corpus if they share documents."""

    def read_as_one_corpus(self) -> Corpus:
        """Read the corpus in all files, and merge documents of the same id."""
        repair, options = self[0].repair, self[0].options
        parts = {part.name: part.read_in_ticks() for part in self}
        if options.get("join") is not None:
            parts = join_documents_by_text(parts)
        raw = concatenate_parts(parts, repeats=allows_repeats(repair))
        raw = apply_resolution(raw, options.get("resolution"), options.get("duration"))
        return build_valid_corpus(raw, repair)


@dataclass(frozen=True, eq=False)
class FilePart:
    """File of a corpus, or one file per layer; a call reads it.

    Attributes:
        name: name of the part, used in the ids of documents that have none.
        files: file of each layer.
        options: options of the readers.
        form: name of the format, or ``None``.
        repair: steps that repair the annotations.
        named_layers: layers with an annotator named by a user.
    """

    name: str
    files: Mapping[str, PathName]
    options: Mapping[str, Any]
    form: str | None
    repair: str | Sequence[str]
    named_layers: Collection[str]

    def __call__(self) -> Corpus:
        """Read the part."""
        return build_valid_corpus(self.read_rows(), self.repair).with_ids(f"{self.name}:")

    def read_rows(self) -> RawCorpus:
        """Read the rows of the part, unchecked."""
        raw = self.read_in_ticks()
        return apply_resolution(raw, self.options.get("resolution"), self.options.get("duration"))

    def read_in_ticks(self) -> RawCorpus:
        """Read the rows of the part, with the exact times of recordings."""
        return read_raw_files(
            self.files, self.options, self.form, in_units=False, named_layers=self.named_layers
        )


def read_patterns(
    files: Mapping[str, PathName],
    options: Mapping[str, Any],
    form: str | None = None,
    repair: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Corpus:
    """Read the corpus in files, or in all files that patterns match, and repair it.

    The option ``group_by`` then puts documents in groups; if ``unit`` is document, it joins the
    documents of a group.

    Raises:
        SettingError, InputError: see :func:`spanagree.formats.read_files.read_raw_files` and
            :func:`spanagree.corpus.grouped.group_documents`; also if annotations have flaws that no
            requested step repairs.
    """
    settings = dict(options)
    grouping = settings.pop("group_by", None)
    unit = "sentence" if grouping is None else settings.pop("unit", None) or "sentence"
    check_choice(unit, UNITS, "unit")
    raw = read_raw_patterns(files, settings, form, progress, repeats=allows_repeats(repair))
    if grouping is None:
        return build_valid_corpus(raw, repair)
    raw = apply_repairs(raw, repair)
    from spanagree.formats.document_tables import (
        describe_table,
        parse_table_name,
        read_document_names,
    )

    # before joining, as a segment beyond its text would be in the next one
    check_flaws(raw, repairable=True)
    names, description = grouping, "names"
    if isinstance(grouping, str) and (table := parse_table_name(grouping)) is not None:
        ids = [raw.id_of(document_index) for document_index in range(len(raw.lengths))]
        names = read_document_names(ids, *table, "group", settings.get("document"))
        description = describe_table(*table)
    return Corpus.from_raw(group_documents(raw, names, unit == "document", description))


def read_raw_patterns(
    files: Mapping[str, PathName],
    options: Mapping[str, Any],
    form: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    repeats: bool = False,
    thorough: bool = False,
) -> RawCorpus:
    """Read the rows in files, or in all files that patterns match, without checks.

    ``repeats`` is documented in :func:`concatenate_parts`. If ``thorough`` is True, marks that are
    not read are counted.
    """
    if not any(map(has_pattern, files.values())):
        return read_raw_files(files, options, form, progress, repeats=repeats, thorough=thorough)
    named_layers = _find_annotator_patterns(files)
    parts = {
        name: read_raw_files(
            paths, options, form, in_units=False, thorough=thorough, named_layers=named_layers
        )
        for name, paths in _build_parts_by_layer(files, form)
    }
    if options.get("join") is not None:
        parts = join_documents_by_text(parts)
    raw = concatenate_parts(parts, repeats=repeats)
    if len(raw.annotators) == 1 and (names := find_user_named_layers(files)) and len(files) == 1:
        raw = rename_annotators(raw, dict.fromkeys(raw.annotators, names.pop()))
    return apply_resolution(raw, options.get("resolution"), options.get("duration"))


def list_parts(
    patterns: Mapping[str, PathName], form: str | None = None
) -> list[Mapping[str, PathName]]:
    """List the parts of a corpus, each with the paths that are read together, by layer name.

    Args:
        patterns: paths, or patterns, by layer name.
        form: format of all files, or ``None``.
    """
    if not any(map(has_pattern, patterns.values())):
        return [patterns]
    return [files for _, files in _build_parts_by_layer(patterns, form)]


def _find_annotator_patterns(patterns: Mapping[str, PathName]) -> set[str]:
    """Find the names of the patterns if each is an annotator; a single one may be a project."""
    return find_user_named_layers(patterns) if len(patterns) > 1 else set()


_NamedFiles = list[tuple[str, dict[str, PathName]]]  # name of each part, and its files by layer


def _build_parts_by_file(patterns: Sequence[PathName], form: str | None) -> _NamedFiles:
    """Build a part for each file, named after the file with as many folders as needed.

    A part is its name and its files by layer.
    """
    if not isinstance(patterns, Iterable):
        raise InputError(
            f"{quote_value(patterns)}; a pattern, or files one after the other, are needed"
        )
    if project := _build_inception_part({f"{pattern}": pattern for pattern in patterns}, form):
        return project
    pattern_by_path = {path: pattern for pattern in patterns for path in find_matches(pattern)}
    if not pattern_by_path:
        raise InputError(
            "no file; a pattern, such as 'part-*.jsonl', or files one after the other, are needed"
        )
    _check_distinct(list(pattern_by_path))
    names = choose_file_names(list(pattern_by_path))
    return [
        (name, {os.path.basename(os.fspath(pattern)): path})
        for name, (path, pattern) in zip(names, pattern_by_path.items(), strict=True)
    ]


def _build_inception_part(source: Mapping[str, PathName], form: str | None) -> _NamedFiles:
    """Build a part with all files of an INCEpTION project.

    Args:
        source: path pattern of each annotator.
        form: name of the format, or ``None`` to detect it.

    Returns:
        One part; none if a path is not a pattern, or its files are not from INCEpTION.
    """
    paths = list(source.values())
    if form not in (None, "inception") or not paths:
        return []
    if not all(isinstance(path, (str, os.PathLike)) and has_pattern(path) for path in paths):
        return []
    from spanagree.formats.inception.files import are_annotation_files

    return [(", ".join(source), dict(source))] if all(map(are_annotation_files, paths)) else []


def _build_parts_by_layer(source: Mapping[str, PathName], form: str | None) -> _NamedFiles:
    """Build the parts of layers: files are matched by the text in place of the stars.

    Every layer has every part. Parts of one layer are named after their files, other parts after
    the text in place of the stars.
    """
    if project := _build_inception_part(source, form):
        return project
    parts: dict[tuple[str, ...], dict[str, PathName]] = {}
    for layer, pattern in source.items():
        for stars, path in _find_files_by_stars(pattern).items():
            parts.setdefault(stars, {})[layer] = path
    if not parts:
        raise InputError("no file; a pattern for each annotator is needed, such as 'gold-*.conll'")
    for stars, files in parts.items():
        for layer in (layer for layer in source if layer not in files):
            present_layer, path = next(iter(files.items()))
            if has_pattern(source[layer]) != has_pattern(source[present_layer]):
                single, pattern = sorted((source[layer], source[present_layer]), key=has_pattern)
                raise InputError(
                    f"{escape_path(pattern)}: a pattern in quotes, for the parts of one annotator's"
                    f" work, beside {escape_path(single)}, which is one file; name a pattern for"
                    " each annotator, or without quotes each file as an annotator"
                )
            raise InputError(
                f"{escape_path(source[layer])}: no file of part {quote_value(','.join(stars))},"
                f" of which {escape_name(present_layer)} has {escape_path(path)}; each annotator"
                " needs every part"
            )
    sorted_parts = [parts[stars] for stars in sorted(parts)]
    _check_distinct(list(dict.fromkeys(path for files in sorted_parts for path in files.values())))
    if len(source) > 1:
        names = [",".join(stars) for stars in sorted(parts)]
        if len({*names}) < len(names):  # names have to be unique, as they are part of ids
            names = [",".join(map(repr, stars)) for stars in sorted(parts)]
        return list(zip(names, sorted_parts, strict=True))
    return list(
        zip(
            choose_file_names([next(iter(layer_files.values())) for layer_files in sorted_parts]),
            sorted_parts,
            strict=True,
        )
    )


def _check_distinct(paths: Sequence[PathName]) -> None:
    """Check that no file occurs twice, for example by a link."""
    for first_index, second_index in yield_pairs_of_same_file(paths):
        name, first_name = (escape_path(paths[i]) for i in (second_index, first_index))
        raise InputError(
            f"{name}: the same file as {first_name}; the files of a corpus in parts are different"
            " ones: leave one of them out"
        )


def _find_files_by_stars(pattern: PathName) -> dict[tuple[str, ...], PathName]:
    """Find the files of a pattern by the text in place of its stars; a plain path by its name."""
    paths = find_matches(pattern)
    return {match_stars(pattern, path) or (os.path.basename(path),): path for path in paths}
