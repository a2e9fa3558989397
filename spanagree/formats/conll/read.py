"""CoNLL-like files: a token a line, its tags in columns, a blank line between sentences."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, compress, zip_longest
from typing import Any, NamedTuple, overload

import numpy as np

from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.tag_columns import PARTIAL, TagColumn, Vocabulary, read_columns
from spanagree.corpus.tags import SCHEMES
from spanagree.errors import InputError, SettingError, check_choice, check_whole, printable, show
from spanagree.files import PathName, named_files, read_text
from spanagree.formats.conll.align import align
from spanagree.formats.conll.lines import FilePart, TextPart, parts_of
from spanagree.formats.conll.page import Page, read_page
from spanagree.formats.conll.write import DOCSTART

UNITS = {
    "sentence": "each sentence is a document",
    "document": "the sentences between -DOCSTART- lines are one document",
}
"""The text that one random annotation fills."""


_OWN = re.compile(r"# spanagree = (\{.*\})")


@overload
def read_conll(
    source: PathName | Sequence[PathName] | Mapping[str, PathName],
    *,
    block: None = None,
    **options: Any,
) -> Corpus: ...


@overload
def read_conll(
    source: PathName | Sequence[PathName] | Mapping[str, PathName], *, block: int, **options: Any
) -> Iterator[Corpus]: ...


def read_conll(  # type: ignore[misc]  # the options that overloads leave open are these
    source: PathName | Sequence[PathName] | Mapping[str, PathName],
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
    """A corpus from CoNLL-like files, or with ``block`` corpora one after the other.

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
            cannot be recognised from a part; files of different sentences cannot be matched.
        columns: for one file, layer name to tag column; for several, the tag column of those that
            are named. Column 0 is the token; default is the last column.
        unit: what a document of the corpus is, one of :data:`UNITS`.
        scheme: the tag scheme (:data:`spanagree.tags.SCHEMES`), or ``auto``: each layer's own.
        strict: take only segments that are well-formed in the scheme.
        encoding: of the files.
        ignore_tokens: align files by position, though their tokens differ; how many do is noted.
        missing: what stands in place of a tag where the annotator never saw the text, such as
            ``?``.
        partial: what becomes of documents that a layer covers in part, one of
            :data:`spanagree.formats.tag_columns.PARTIAL`.
        repair: names of :data:`spanagree.draft.REPAIRS`.
        progress: called with the number of layers read and of all.

    Raises:
        InputError: for files that cannot be read, rows that do not fit the others, unknown tags,
            texts that differ; the message names file and line.
        SettingError: for an unknown unit, scheme, encoding or column.
    """
    check_choice(unit, UNITS, "unit")
    check_choice(scheme, ["auto", *SCHEMES], "scheme")
    check_choice(partial, PARTIAL, "partial")
    asked = _Asked(unit, scheme, strict, ignore_tokens, missing, partial, repair)
    files = named_files(source)
    if block is not None:
        parts = _parts(files, columns, asked, encoding, block)
        return (part() for part in parts)
    texts = {path: (read_text(path, encoding), 0) for path in dict.fromkeys(files.values())}
    return _corpus(files, texts, columns, asked, progress)


class _Asked(NamedTuple):
    """How files are read."""

    unit: str
    scheme: str
    strict: bool
    ignore_tokens: bool
    missing: str | None
    partial: str
    repair: str | Sequence[str]


def conll_blocks(
    files: Mapping[str, PathName], block: int, **options: Any
) -> Iterator[Callable[[], Corpus]]:
    """For workers: functions that read and parse the blocks of :func:`read_conll`.

    They open the files themselves. Only the text of what can be read once, such as standard input,
    or not from the middle, such as UTF-16, travels with them.

    Raises:
        SettingError, InputError: as for :func:`read_conll`.
    """
    known = {"unit": "sentence", "scheme": "auto", "strict": False, "ignore_tokens": False}
    known |= {"missing": None, "partial": "error", "repair": ()}
    asked = _Asked(**{key: options.get(key, value) for key, value in known.items()})
    encoding = options.get("encoding", "utf-8")
    return _parts(dict(files), options.get("columns"), asked, encoding, block)


def _parts(
    files: dict[str, PathName],
    columns: Mapping[str, int] | None,
    asked: _Asked,
    encoding: str,
    block: int,
) -> Iterator[Callable[[], Corpus]]:
    """A function for each block; what can be refused at once is."""
    check_whole(block, 1, "block")
    if asked.scheme == "auto":
        raise SettingError(
            "scheme auto: a scheme is recognised from a whole file, not from blocks; name one of"
            f" {', '.join(SCHEMES)}"
        )
    paths = list(dict.fromkeys(files.values()))
    parts = [parts_of(path, encoding, block, asked.unit) for path in paths]
    if len(files) == 1 and not columns:
        first = next(parts[0])
        columns, own = _declared(first[0].text())
        asked = asked._replace(missing=own if asked.missing is None else asked.missing)
        parts[0] = chain([first], parts[0])
    return _numbered_parts(files, paths, parts, columns, asked)


def _numbered_parts(
    files: dict[str, PathName],
    paths: list[PathName],
    parts: Sequence[Iterator[tuple[FilePart | TextPart, int]]],
    columns: Mapping[str, int] | None,
    asked: _Asked,
) -> Iterator[Callable[[], Corpus]]:
    before = 0
    for block in zip_longest(*parts):
        of_files = {}
        for path, part in zip(paths, block, strict=True):
            if part is None:
                raise InputError(
                    f"{printable(os.fspath(path))}: ends after {before} {asked.unit}s, the others"
                    " do not; all files hold the same text"
                )
            of_files[path] = part[0]
        yield functools.partial(_block, files, of_files, columns, asked, before)
        before += block[0][1]


def _block(
    files: dict[str, PathName],
    parts: Mapping[PathName, FilePart | TextPart],
    columns: Mapping[str, int] | None,
    asked: _Asked,
    before: int,
) -> Corpus:
    texts = {path: (part.text(), part.before) for path, part in parts.items()}
    return _corpus(files, texts, columns, asked).with_ids(before=before)


def _corpus(
    files: dict[str, PathName],
    texts: Mapping[PathName, tuple[str, int]],
    columns: Mapping[str, int] | None,
    asked: _Asked,
    progress: Callable[[int, int], None] | None = None,
) -> Corpus:
    """The corpus in some texts; with each the number of lines before it."""
    unit, scheme, strict, ignore_tokens, missing, partial, repair = asked
    if len(files) == 1 and not columns:  # a file of our own says which columns it has
        columns, own_missing = _declared(next(iter(texts.values()))[0])
        missing = own_missing if missing is None else missing
    wanted = _columns(files, dict(columns or {}))
    pages: dict[PathName, Page] = {}
    for done, (_, path, _) in enumerate(wanted):
        if progress:
            progress(done, len(wanted))
        if path not in pages:
            of_file = [c for _, p, c in wanted if p == path]
            pages[path] = read_page(path, *texts[path], of_file, scheme, missing, unit)
    if progress:
        progress(len(wanted), len(wanted))
    text, notes = align(list(pages.values()), unit, ignore_tokens)
    notes += [
        f"{page.name}:{page.odd_comments[0]}: begins with # and has a tab, but neither the columns"
        f" nor the tags of a token: passed over ({len(page.odd_comments)} such lines)"
        for page in pages.values()
        if page.odd_comments
    ]
    tag_columns = {}
    for name, path, column in wanted:
        page = pages[path]
        number = Vocabulary()
        tags = page.columns[-1 if column is None else column]
        codes = np.fromiter(map(number.__getitem__, tags), np.int64, len(tags))
        if missing is not None:
            codes[codes == number.get(missing, -1)] = -1
        codes, never = page.placed(codes, text)
        tag_columns[name] = TagColumn(list(number), codes, never)
    where = {name: pages[path].line_of(text) for name, path, _ in wanted}
    read = read_columns(
        tag_columns,
        text.documents if unit == "document" else text.sentences,
        lambda name, token: where[name](token),
        sentences=text.sentences,
        scheme=scheme,
        strict=strict,
        partial=partial,
    )
    if unit == "document" and not any(page.has_docstart for page in pages.values()):
        notes.append(f"no {DOCSTART} line: all sentences are one document")
    reading: dict[str, Any] = {"format": "conll", "unit": unit, **read.settings}
    if ignore_tokens:
        reading["ignore_tokens"] = True
    tokens = text.columns[0]
    corpus = Corpus.from_raw(
        read.lengths,
        read.layers,
        ids=text.ids if unit == "sentence" else None,
        tokens=tokens if read.kept.all() else tuple(compress(tokens, read.kept.tolist())),
        reading=reading,
        notes=(*notes, *read.notes),
    )
    return valid_corpus(RawCorpus.of(corpus), repair) if repair else corpus


def _declared(text: str) -> tuple[dict[str, int], str | None]:
    """What the first line of a file that we wrote says of its columns."""
    own = _OWN.match(text)
    try:
        said = json.loads(own[1]) if own else {}
    except ValueError:
        said = {}
    names, missing = said.get("columns", ()), said.get("missing")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return {}, None
    columns = {name: i for i, name in enumerate(names, 1)}
    return columns, missing if isinstance(missing, str) else None


def _columns(
    files: dict[str, PathName], columns: dict[str, int]
) -> list[tuple[str, PathName, int | None]]:
    """Which layer is in which file and column."""
    for name, column in columns.items():
        if isinstance(column, bool) or not isinstance(column, (int, np.integer)) or column < 1:
            raise SettingError(
                f"column {show(column)} of {show(name)}; columns are whole numbers from 1,"
                " 0 is the token"
            )
    if len(files) == 1 and columns and not columns.keys() <= files.keys():
        (path,) = files.values()
        return [(name, path, column) for name, column in columns.items()]
    for name in columns.keys() - files.keys():
        raise SettingError(
            f"columns name {show(name)}, which is no layer; with several files the layers are"
            f" {', '.join(map(printable, files))}"
        )
    return [(name, path, columns.get(name)) for name, path in files.items()]
