"""CoNLL-like files: a token a line, its tags in columns, a blank line between sentences."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.corpus import Corpus, RawLayer
from spanagree.errors import InputError, SettingError, one_of, printable, show
from spanagree.readers.files import PathName, named_files, read_text
from spanagree.readers.tag_lists import Vocabulary, notes_on, reading_settings
from spanagree.tags import SCHEMES, prefixed, read_tags

UNITS = {
    "sentence": "each sentence is a document",
    "document": "the sentences between -DOCSTART- lines are one document",
}
"""The text that one random annotation fills."""

_DOCSTART = "-DOCSTART-"
_BLANK = " \t\r"


def read_conll(
    source: PathName | Sequence[PathName] | Mapping[str, PathName],
    *,
    columns: Mapping[str, int] | None = None,
    unit: str = "sentence",
    scheme: str = "auto",
    strict: bool = False,
    encoding: str = "utf-8",
    ignore_tokens: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Corpus:
    """A corpus from CoNLL-like files.

    A line has a token and its tags, separated by tabs or, where it has no tab, by spaces. Blank
    lines end sentences, ``-DOCSTART-`` lines begin documents. A line that begins with ``#`` is
    a token where it can be one (as many columns as the file, and tags in the tag columns), and
    metadata, which is passed over, where it cannot.

    Args:
        source: one file with a column for each layer, or several files of the same text with a
            layer each; a mapping names the layers, else they are called as their files.
        columns: for one file, layer name to tag column; for several, the tag column of those that
            are named. Column 0 is the token; default is the last column.
        unit: what a document of the corpus is, one of :data:`UNITS`.
        scheme: the tag scheme (:data:`spanagree.tags.SCHEMES`), or ``auto``: each layer's own.
        strict: take only segments that are well-formed in the scheme.
        encoding: of the files.
        ignore_tokens: align files by position, though their tokens differ; how many do is noted.
        progress: called with the number of layers read and of all.

    Raises:
        InputError: for files that cannot be read, rows that do not fit the others, unknown tags,
            texts that differ; the message names file and line.
        SettingError: for an unknown unit, scheme, encoding or column.
    """
    if unit not in UNITS:
        raise one_of(unit, UNITS, "unit")
    if scheme != "auto" and scheme not in SCHEMES:
        raise one_of(scheme, ["auto", *SCHEMES], "scheme")
    files = named_files(source)
    wanted = _columns(files, dict(columns or {}))
    pages: dict[PathName, _Page] = {}
    raw, notes, schemes = {}, [], {}
    for done, (name, path, column) in enumerate(wanted):
        if progress:
            progress(done, len(wanted))
        if path not in pages:
            of_file = [c for _, p, c in wanted if p == path]
            pages[path] = _read_page(path, encoding, of_file, scheme)
        page, first = pages[path], next(iter(pages.values()))
        differ = _compare(page, first, unit, ignore_tokens)
        if differ:
            notes.append(
                f"{printable(name)}: {differ} tokens differ from those of {first.name},"
                " aligned by position"
            )
        number = Vocabulary()
        tags = page.columns[-1 if column is None else column]
        codes = np.fromiter(map(number.__getitem__, tags), np.int64, len(tags))
        reading = read_tags(
            list(number), codes, page.sentences, scheme=scheme, strict=strict, where=page.where
        )
        notes += notes_on(name, reading)
        schemes[name] = reading.scheme
        lengths = page.documents if unit == "document" else page.sentences
        document, shift = page.unit(reading.sentence, lengths)
        raw[name] = RawLayer(
            document,
            reading.start + shift,
            reading.end + shift,
            reading.label,
            reading.names,
            np.ones(len(lengths), np.bool_),
        )
    if progress:
        progress(len(wanted), len(wanted))
    settings: dict[str, Any] = {"unit": unit, **reading_settings("conll", scheme, strict, schemes)}
    if ignore_tokens:
        settings["ignore_tokens"] = True
    return Corpus.from_raw(
        lengths, raw, tokens=first.columns[0], reading=settings, notes=tuple(notes)
    )


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


@dataclass(frozen=True)
class _Page:
    """What is in one file: its columns, and where sentences and documents end."""

    name: str
    columns: list[tuple[str, ...]]
    lines: Ints  # the line number of each token
    sentences: Ints  # the number of tokens of each sentence
    documents: Ints

    def where(self, token: int) -> str:
        return f"{self.name}:{self.lines[token]}"

    def unit(self, sentence: Ints, lengths: Ints) -> tuple[Ints, Ints]:
        """For segments of some sentences: the document each is in, and its offset there."""
        first = (np.cumsum(self.sentences) - self.sentences)[sentence]
        document = np.searchsorted(np.cumsum(lengths), first, side="right")
        return document, first - (np.cumsum(lengths) - lengths)[document]


def _read_page(path: PathName, encoding: str, columns: Sequence[int | None], scheme: str) -> _Page:
    name = printable(os.fspath(path))
    rows: list[list[str]] = []
    lines: list[int] = []
    sentences: list[int] = []  # after how many rows a sentence ends
    documents: list[int] = []
    doubtful: list[int] = []  # rows that begin with #
    for number, line in enumerate(read_text(path, encoding).split("\n"), 1):
        row = line.rstrip(_BLANK)
        if not row:
            sentences.append(len(rows))
        elif row.startswith(_DOCSTART):
            documents.append(len(rows))
        else:
            if row[0] == "#":
                doubtful.append(len(rows))
            rows.append(_fields(row))
            lines.append(number)
    if doubtful:
        tokens = _is_token(rows, doubtful, columns, scheme)
        keep = np.ones(len(rows) + 1, np.int64)
        keep[[i for i, token in zip(doubtful, tokens, strict=True) if not token]] = 0
        moved = np.cumsum(keep) - keep
        sentences, documents = moved[sentences].tolist(), moved[documents].tolist()
        rows = [row for row, k in zip(rows, keep.tolist(), strict=False) if k]
        lines = [line for line, k in zip(lines, keep.tolist(), strict=False) if k]
    if not rows:
        raise InputError(f"{name}: no token rows; a file has lines of a token and its tags")
    _check_width(name, rows, lines, columns)
    ends = {0, len(rows)}
    of_documents = np.diff(sorted(ends.union(documents)))
    of_sentences = np.diff(sorted(ends.union(documents, sentences)))
    return _Page(name, list(zip(*rows, strict=True)), np.array(lines), of_sentences, of_documents)


def _fields(row: str) -> list[str]:
    if "\t" in row:
        fields = row.split("\t")
        return [field.strip(" ") for field in fields] if " " in row else fields
    fields = row.split(" ")
    return [field for field in fields if field] if "" in fields else fields


def _is_token(
    rows: list[list[str]], doubtful: list[int], columns: Sequence[int | None], scheme: str
) -> list[bool]:
    """Which of the rows that begin with # have the columns and the tags of a token row."""
    apart = set(doubtful)
    sure = [row for i, row in enumerate(rows) if i not in apart]
    width = len(sure[0]) if sure else 0
    where = [-1 if c is None else c for c in columns]
    seen = {row[c] for row in sure for c in where if c < len(row)}

    def token(row: list[str]) -> bool:
        return 1 < len(row) > max(where) and all(
            row[c] in seen or prefixed(row[c], scheme) for c in where
        )

    if not sure:  # the first row that can be a token decides
        width = next((len(row) for row in rows if token(row)), 0)
    return [len(rows[i]) == width and token(rows[i]) for i in doubtful]


def _check_width(
    name: str, rows: list[list[str]], lines: list[int], columns: Sequence[int | None]
) -> None:
    width = len(rows[0])
    if width < 2:
        raise InputError(
            f"{name}:{lines[0]}: one column ({show(rows[0][0])}); a token and at least one tag are"
            " needed"
        )
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise InputError(
                f"{name}:{line}: {len(row)} column{'s' * (len(row) != 1)} ({show(' '.join(row))});"
                f" the rows before it have {width}, and all need the same"
            )
    for column in columns:
        if column is not None and column >= width:
            raise InputError(
                f"{name}:{lines[0]}: no column {column}; there are columns 0 (the token) to"
                f" {width - 1}"
            )


def _compare(page: _Page, first: _Page, unit: str, ignore_tokens: bool) -> int:
    """How many tokens differ; an error where they must not, or where sentences end differently."""
    tokens, others = page.columns[0], first.columns[0]
    if page is first or (
        tokens == others
        and np.array_equal(page.sentences, first.sentences)
        and (unit == "sentence" or np.array_equal(page.documents, first.documents))
    ):
        return 0
    n = min(len(tokens), len(others))
    different = np.array([a != b for a, b in zip(tokens, others, strict=False)], np.bool_)
    breaks = {"sentence": _breaks(page.sentences, n) != _breaks(first.sentences, n)}
    if unit == "document":
        breaks["document"] = _breaks(page.documents, n) != _breaks(first.documents, n)
    wrong = np.logical_or.reduce([*breaks.values(), different & (not ignore_tokens)])
    counts = f"{len(page.sentences)} and {len(first.sentences)} sentences"
    if wrong.any():
        i = int(wrong.argmax())
        there = f"{first.name}:{first.lines[i]}"
        if different[i] and not ignore_tokens:
            raise InputError(
                f"{page.where(i)}: token {show(tokens[i])}; {there} has {show(others[i])}, and all"
                " layers need the same text; --ignore-tokens (ignore_tokens=True) aligns by"
                " position"
            )
        what = next(what for what, differ in breaks.items() if differ[i])
        raise InputError(
            f"{page.where(i)}: a {what} begins at {show(tokens[i])} in only one of this file and"
            f" {there} ({counts}); all layers need the same {what}s"
        )
    if len(tokens) != len(others):
        more, less = (page, first) if len(tokens) > n else (first, page)
        raise InputError(
            f"{more.where(n)}: token {show(more.columns[0][n])} is missing in {less.name}, which"
            f" ends before it; all layers need the same text ({counts})"
        )
    return int(different.sum())


def _breaks(lengths: Ints, n: int) -> Bools:
    """Of the first n tokens, which begin a unit."""
    begins = np.zeros(n, np.bool_)
    first = np.cumsum(lengths) - lengths
    begins[first[first < n]] = True
    return begins
