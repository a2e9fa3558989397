"""CoNLL-like files: a token a line, its tags in columns, a blank line between sentences."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any, TypeAlias, overload

from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.segments import codes
from spanagree.corpus.tag_columns import TagColumn, read_columns
from spanagree.corpus.tags import SCHEMES
from spanagree.errors import (
    InputError,
    SettingError,
    check_whole,
    is_whole,
    listed,
    printable,
    show,
)
from spanagree.files import PathName, Source, named_files, read_text
from spanagree.formats.conll.align import align
from spanagree.formats.conll.lines import FilePart, TextPart, parts_of
from spanagree.formats.conll.page import ConllOptions, Page, read_page
from spanagree.formats.conll.write import DOCSTART

_Parts: TypeAlias = Mapping[PathName, FilePart | TextPart]  # of each file what is read now


@overload
def read_conll(source: Source, *, block: None = None, **options: Any) -> Corpus: ...


@overload
def read_conll(source: Source, *, block: int, **options: Any) -> Iterator[Corpus]: ...


def read_conll(  # type: ignore[misc]  # the options that overloads leave open are these
    source: Source,
    *,
    block: int | None = None,
    columns: Mapping[str, int] | None = None,
    unit: str = "sentence",
    scheme: str = "auto",
    strict: bool = False,
    encoding: str = "utf-8",
    ignore_tokens: bool = False,
    missing: str | None = None,
    partial: str = "error",
    repair: str | Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Corpus | Iterator[Corpus]:
    """Return the corpus in CoNLL-like files, or with ``block`` corpora one after the other.

    A line has a token and its tags, separated by tabs or, where it has no tab, by spaces. Blank
    lines end sentences, ``-DOCSTART-`` lines begin documents. A line that begins with ``#`` is
    a token where it can be one (as many columns as the file, and tags in the tag columns), and
    metadata, which is passed over, where it cannot. Only ``# sent_id = …`` is taken from it: where
    each sentence has one, these are the ids of the documents, and files that hold different
    sentences are matched by them.

    Args:
        source: one file with a column for each layer, or several files of the same text with a
            layer each; a mapping names the layers, else they are called as their files.
        block: for files too large for memory: a corpus for each so many sentences (documents, with
            that unit), numbered on where they have no ids. The scheme has to be named, as it
            cannot be recognised from a part; the files have to hold the same sentences in the same
            order.
        columns: for one file, layer name to tag column; for several, the tag column of those that
            are named. Column 0 is the token; default is the last column.
        unit: what a document of the corpus is, one of :data:`spanagree.formats.conll.page.UNITS`.
        scheme: the tag scheme, one of :data:`spanagree.corpus.tags.SCHEMES`, or ``auto``: each
            layer's own.
        strict: take only segments that are well-formed in the scheme.
        encoding: of the files.
        ignore_tokens: align files by position, though their tokens differ; how many do is noted.
        missing: what stands in place of a tag where the annotator never saw the text, such as
            ``?``.
        partial: what becomes of documents that a layer covers in part, one of
            :data:`spanagree.corpus.tag_columns.PARTIAL`.
        repair: names of :data:`spanagree.corpus.repairs.REPAIRS`.
        progress: called with the number of layers read and of all.

    Raises:
        InputError: for files that cannot be read, rows that do not fit the others, unknown tags,
            texts that differ; the message names file and line.
        SettingError: for an unknown unit, scheme, encoding or column.
    """
    options = ConllOptions(
        scheme, strict, partial, unit, columns or {}, encoding, ignore_tokens, missing, repair
    )
    files = named_files(source)
    if block is not None:
        return (part() for part in _parts(files, options, block))
    return valid_corpus(_read(files, options, progress), repair)


def raw_conll(
    files: Mapping[str, PathName],
    *,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> RawCorpus:
    """Return the rows of CoNLL files, unchecked; as :func:`read_conll`."""
    return _read(dict(files), ConllOptions(**options), progress)


def conll_blocks(
    files: Mapping[str, PathName], block: int, **options: Any
) -> Iterator[Callable[[], Corpus]]:
    """Return functions that read the blocks of :func:`read_conll`, for workers.

    They open the files themselves. Only the text of what can be read once, such as standard input,
    or not from the middle, such as UTF-16, travels with them.

    Raises:
        SettingError, InputError: as for :func:`read_conll`.
    """
    return _parts(dict(files), ConllOptions(**options), block)


def _parts(
    files: dict[str, PathName], options: ConllOptions, block: int
) -> Iterator[Callable[[], Corpus]]:
    """Return a function for each block; what can be refused at once is."""
    check_whole(block, 1, "block")
    if options.scheme == "auto":
        raise SettingError(
            "scheme auto: a scheme is recognised from a whole file, not from blocks; name one of"
            f" {', '.join(SCHEMES)}"
        )
    paths = list(dict.fromkeys(files.values()))
    parts = [parts_of(path, options.encoding, block, options.unit) for path in paths]
    firsts = [next(part) for part in parts]
    texts = {path: _text(part, len(files)) for path, (part, _) in zip(paths, firsts, strict=True)}
    options = options.declared(files, texts)
    parts = [chain([first], rest) for first, rest in zip(firsts, parts, strict=True)]

    def numbered() -> Iterator[Callable[[], Corpus]]:
        before = 0
        for some in zip_longest(*parts):
            if None in some:
                raise InputError(
                    f"{printable(os.fspath(paths[some.index(None)]))}: ends after {before}"
                    f" {options.unit}s, the others do not; all files hold the same text"
                )
            of_files = {path: part for path, (part, _) in zip(paths, some, strict=True)}
            yield functools.partial(_block, files, of_files, options, before)
            before += some[0][1]

    return numbered()


def _text(part: FilePart | TextPart, of_files: int) -> str:
    """Return the text of the first part of a file; of several, what is wrong with it can wait."""
    try:
        return part.text
    except InputError:
        if of_files == 1:
            raise
        return ""


def _block(files: dict[str, PathName], parts: _Parts, options: ConllOptions, before: int) -> Corpus:
    raw = _raw(files, parts, options, in_blocks=True)
    return valid_corpus(raw, options.repair).with_ids(before=before)


def _read(
    files: dict[str, PathName],
    options: ConllOptions,
    progress: Callable[[int, int], None] | None = None,
) -> RawCorpus:
    paths = dict.fromkeys(files.values())
    parts = {path: TextPart(read_text(path, options.encoding), 0) for path in paths}
    options = options.declared(files, {path: part.text for path, part in parts.items()})
    return _raw(files, parts, options, progress)


def _raw(
    files: dict[str, PathName],
    parts: _Parts,
    options: ConllOptions,
    progress: Callable[[int, int], None] | None = None,
    in_blocks: bool = False,
) -> RawCorpus:
    """Return the rows of some files, or of parts of them."""
    wanted = _columns(files, options.columns)
    pages = _pages(wanted, parts, options, progress)
    text, notes = align(list(pages.values()), options.unit, options.ignore_tokens, in_blocks)
    ignored = {"ignore_tokens": True} if notes else {}  # each says that tokens differ
    notes += [
        f"{page.name}:{page.odd_comments[0]}: begins with # and has a tab, but neither the columns"
        f" nor the tags of a token: passed over ({len(page.odd_comments)} such lines)"
        for page in pages.values()
        if page.odd_comments
    ]
    sentences = options.unit == "sentence"
    page_of = {name: pages[path] for name, path, _ in wanted}
    if not sentences and not any(page.has_docstart for page in pages.values()):
        notes.append(f"no {DOCSTART} line: all sentences are one document")
    tags = {name: _tags(page_of[name], c, text, options.missing) for name, _, c in wanted}
    chosen = dict(options.chosen or {})
    if not any(options.missing in column.names for column in tags.values()):
        chosen.pop("missing", None)  # it had no effect
    raw = read_columns(
        tags,
        text.sentences if sentences else text.documents,
        options,
        {"format": "conll", "unit": options.unit, **chosen},
        sentences=text.sentences,
        where=lambda name, token: page_of[name].line_of(token, text),
        tokens=text.columns[0],
        ids=text.ids if sentences else None,
        notes=notes,
    )
    # of sentences that another file added by id the document is not known
    alike = (p for p in pages.values() if p.has_docstart and len(p.lines) == len(text.lines))
    marked = next(alike, None) if sentences and not in_blocks else None
    wholes = None if marked is None else marked.wholes
    return replace(raw, reading={**raw.reading, **ignored}, wholes=wholes)


def _pages(
    wanted: Sequence[tuple[str, PathName, int | None]],
    parts: _Parts,
    options: ConllOptions,
    progress: Callable[[int, int], None] | None,
) -> dict[PathName, Page]:
    """Return each file's page, read once with all the columns that are wanted of it."""
    progress = progress or (lambda done, count: None)
    pages: dict[PathName, Page] = {}
    for done, (_, path, _) in enumerate(wanted):
        progress(done, len(wanted))
        if path not in pages:
            columns = [column for _, other, column in wanted if other == path]
            pages[path] = read_page(path, parts[path], columns, options)
    progress(len(wanted), len(wanted))
    return pages


def _tags(page: Page, column: int | None, text: Page, missing: str | None) -> TagColumn:
    """Return a page's column of tags, at the places of the whole text."""
    numbers, tags = codes(page.columns[-1 if column is None else column])
    if missing in tags:
        numbers[numbers == tags.index(missing)] = -1
    return TagColumn(tags, *page.placed(numbers, text))


def _columns(
    files: dict[str, PathName], columns: Mapping[str, int]
) -> list[tuple[str, PathName, int | None]]:
    """Return which layer is in which file and column."""
    for name, column in columns.items():
        if not is_whole(column) or column < 1:
            raise SettingError(
                f"column {show(column)} of {show(name)}; columns are whole numbers from 1,"
                " 0 is the token"
            )
    if len(files) == 1 and columns and not columns.keys() <= files.keys():
        (path,) = files.values()
        return [(name, path, column) for name, column in columns.items()]
    for name in (name for name in columns if name not in files):
        raise SettingError(
            f"columns name {show(name)}, which is not a layer; with several files the layers are"
            f" {listed(files)}"
        )
    return [(name, path, columns.get(name)) for name, path in files.items()]
