"""CoNLL-like files: a token a line, its tags in columns, a blank line between sentences."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, zip_longest
from typing import Any, NamedTuple, overload

import numpy as np

from spanagree.arrays import Bools, Ints, ranges
from spanagree.corpus import Corpus
from spanagree.draft import Draft
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    check_whole,
    counted,
    printable,
    show,
)
from spanagree.formats.conll_lines import (
    BLANK,
    COMMENT,
    DOCSTART,
    ROW,
    FilePart,
    TextPart,
    kinds_of_lines,
    parts_of,
)
from spanagree.formats.files import PathName, named_files, read_text, write_text
from spanagree.formats.tag_columns import PARTIAL, TagColumn, Vocabulary, read_columns
from spanagree.tags import SCHEMES, prefixed, write_tags

UNITS = {
    "sentence": "each sentence is a document",
    "document": "the sentences between -DOCSTART- lines are one document",
}
"""The text that one random annotation fills."""

_DOCSTART = "-DOCSTART-"
_IS_DOCSTART = re.compile(rf"[ \t]*{_DOCSTART}(?=[ \t]|$)")
_OWN = re.compile(r"# spanagree = (\{.*\})")
_SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S.*?)\s*")
_UNWRITABLE = re.compile("[\\t\\n\\r\\0\\ud800-\\udfff]|^ | $")


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
    pages: dict[PathName, _Page] = {}
    for done, (_, path, _) in enumerate(wanted):
        if progress:
            progress(done, len(wanted))
        if path not in pages:
            of_file = [c for _, p, c in wanted if p == path]
            pages[path] = _read_page(path, *texts[path], of_file, scheme, missing, unit)
    if progress:
        progress(len(wanted), len(wanted))
    text, notes = _unite(list(pages.values()), unit, ignore_tokens)
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
        notes.append(f"no {_DOCSTART} line: all sentences are one document")
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
    return Draft.of(corpus).corpus(repair) if repair else corpus


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


def write_conll(
    corpus: Corpus, path: PathName, *, scheme: str = "IOB2", missing: str = "?"
) -> None:
    """Writes one file: the token, then a tag column for each annotator, tab-separated.

    A line above each sentence has its id; the first line has the names of the columns and what
    stands for missing, so :func:`read_conll` needs to be told neither. Documents that an annotator
    never saw have ``missing`` for tags.

    Raises:
        SettingError: for segments that tags cannot hold (overlapping ones, offsets in characters),
            naming the first; for tokens that are not known; for an unknown scheme.
        InputError: for documents or tokens that the format cannot hold; for a path that cannot be
            written.
    """
    if corpus.offsets != "tokens" or corpus.tokens is None:
        raise SettingError(
            "CoNLL files hold tokens, which this corpus does not have; --tokenizer (to_tokens())"
            " makes them"
        )
    documents = np.repeat(np.arange(len(corpus)), corpus.lengths)
    for d in np.flatnonzero(corpus.lengths == 0)[:1].tolist():
        raise InputError(
            f"document {show(corpus.id_of(d))} has no tokens; a sentence in a CoNLL file has one"
            " at least"
        )
    if not len(corpus) or not corpus.layers:
        raise InputError("no documents or no annotators; a CoNLL file has one of each at least")
    if prefixed(missing, scheme) or _UNWRITABLE.search(missing) or not missing:
        raise SettingError(
            f"missing {show(missing)}: could be read as a tag, or cannot stand in a CoNLL file"
        )
    for what, word in (
        *(("label", name) for name in corpus.labels),
        *(("token", token) for token in corpus.tokens),
    ):
        if _UNWRITABLE.search(word) or (what == "token" and _IS_DOCSTART.match(word)):
            where = ""
            if what == "token":
                d = int(documents[corpus.tokens.index(word)])
                where = f"document {show(corpus.id_of(d))}: "
            raise InputError(
                f"{where}{what} {show(word)} cannot stand in a CoNLL file: it has a tab, a line"
                f" break, a NUL, half a surrogate pair or a space at its edge, or is {_DOCSTART}"
            )
    columns = []
    for layer in corpus.layers.values():
        tags = write_tags(layer, corpus.labels, corpus.lengths, scheme)
        seen = layer.annotated[documents].tolist()
        columns.append([t if s else missing for t, s in zip(tags, seen, strict=True)])
    rows = ["\t".join(row) for row in zip(corpus.tokens, *columns, strict=True)]
    bounds = np.cumsum(corpus.lengths).tolist()
    own = {"columns": list(corpus.annotators), "missing": missing}
    lines = [f"# spanagree = {json.dumps(own)}"]
    for d, (a, b) in enumerate(zip([0, *bounds], bounds, strict=False)):
        if corpus.ids is not None:
            id_ = corpus.ids[d]
            if not id_.isprintable() or id_ != id_.strip():
                raise InputError(f"document id {show(id_)} cannot stand in a line of a CoNLL file")
            lines.append(f"# sent_id = {id_}")
        lines += [*rows[a:b], ""]
    write_text(path, "\n".join(lines) + "\n")


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
    ids: tuple[str, ...] | None  # of the sentences
    has_docstart: bool = False
    odd_comments: tuple[int, ...] = ()  # lines that begin with #, have a tab, and are no rows

    def where(self, token: int) -> str:
        return f"{self.name}:{self.lines[token]}"

    def part(self, sentences: list[int]) -> _Page:
        """Some sentences of the page."""
        tokens = self.take(sentences)
        return _Page(
            self.name,
            [tuple(self.columns[0][i] for i in tokens.tolist())],
            self.lines[tokens],
            self.sentences[sentences],
            self.sentences[sentences],
            tuple(self.ids[i] for i in sentences) if self.ids else None,
        )

    def take(self, sentences: list[int]) -> Ints:
        """The tokens of some sentences, in a row."""
        chosen = np.array(sentences, np.int64)
        first = (np.cumsum(self.sentences) - self.sentences)[chosen]
        return ranges(first, first + self.sentences[chosen])[0]

    def placed(self, codes: Ints, text: _Page) -> tuple[Ints, Bools | None]:
        """Codes of this page at their places in the whole text, and which sentences it lacks."""
        if self.ids == text.ids or self.ids is None or text.ids is None:
            return codes, None
        mine = {id_: i for i, id_ in enumerate(self.ids)}
        there = [i for i, id_ in enumerate(text.ids) if id_ in mine]
        everywhere = np.full(len(text.lines), -1)
        everywhere[text.take(there)] = codes[self.take([mine[text.ids[i]] for i in there])]
        never = np.ones(len(text.ids), np.bool_)
        never[there] = False
        return everywhere, never

    def line_of(self, text: _Page) -> Callable[[int], str]:
        """Where a token of the whole text stands in this file."""
        places, _ = self.placed(np.arange(len(self.lines)), text)
        return lambda token: self.where(int(places[token]))


def _unite(pages: list[_Page], unit: str, ignore_tokens: bool) -> tuple[_Page, list[str]]:
    """The text that all pages are of; sentences are matched by their ids where these differ."""
    first, *others = pages
    notes: list[str] = []
    known = {page.ids for page in pages if page.ids is not None}
    if len(known) > 1 and unit == "sentence":
        for page in pages:
            if page.ids is None:
                raise InputError(
                    f"{page.name}: no sent_id above its sentences; the others have them, and not"
                    " the same, so sentences can be matched by id only"
                )
    for page in others:
        by_id = page.ids is not None and first.ids is not None and page.ids != first.ids
        if by_id and unit == "sentence":
            first = _add_sentences(first, page, ignore_tokens, notes)
            continue
        differ = _compare(page, first, unit, ignore_tokens)
        if differ:
            notes.append(
                f"{page.name}: {differ} tokens differ from those of {first.name}, aligned by"
                " position"
            )
    return first, notes


def _add_sentences(text: _Page, page: _Page, ignore_tokens: bool, notes: list[str]) -> _Page:
    """The text with the sentences of a page that it does not have yet."""
    known = {id_: i for i, id_ in enumerate(text.ids or ())}
    shared = [(i, known[id_]) for i, id_ in enumerate(page.ids or ()) if id_ in known]
    if shared:
        one, other = page.part([i for i, _ in shared]), text.part([j for _, j in shared])
        differ = _compare(one, other, "sentence", ignore_tokens)
        if differ:
            notes.append(
                f"{page.name}: {differ} tokens differ from those of {text.name}, aligned by"
                " position"
            )
    new = page.part([i for i, id_ in enumerate(page.ids or ()) if id_ not in known])
    return _Page(
        text.name,
        [(*text.columns[0], *new.columns[0])],
        np.concatenate((text.lines, new.lines)),
        np.concatenate((text.sentences, new.sentences)),
        text.documents,
        (*(text.ids or ()), *(new.ids or ())),
    )


def _read_page(
    path: PathName,
    text: str,
    before: int,
    columns: Sequence[int | None],
    scheme: str,
    missing: str | None,
    unit: str,
) -> _Page:
    name = printable(os.fspath(path))
    all_lines = text.split("\n")
    if "\r" in text:
        all_lines = [line.rstrip(" \r") for line in all_lines]
        text = "\n".join(all_lines)
        if "\r" in text:
            number = before + text.count("\n", 0, text.index("\r")) + 1
            raise InputError(
                f"{name}:{number}: a carriage return inside the line; lines end in LF or CRLF"
            )
    _, kinds = kinds_of_lines(text.encode(errors="surrogatepass"))
    is_row = (kinds == ROW) | (kinds == COMMENT)
    rows = list(compress(all_lines, is_row.tolist()))
    above = np.cumsum(is_row)  # how many rows there are down to a line
    sentences, documents = above[kinds == BLANK], above[kinds == DOCSTART]  # where they end
    lines = np.flatnonzero(is_row) + before + 1
    ids: dict[int, tuple[str, int]] = {}  # by the number of rows above: the id, its line
    odd: list[int] = []
    # a # behind blanks is a token, as blanks separate
    doubtful = [i for i in (above[kinds == COMMENT] - 1).tolist() if rows[i][0] == "#"]
    if doubtful:
        tokens = _is_token(rows, doubtful, columns, scheme, missing)
        keep = np.ones(len(rows) + 1, np.bool_)
        keep[[i for i, token in zip(doubtful, tokens, strict=True) if not token]] = False
        moved: Ints = np.cumsum(keep) - keep
        for i in np.flatnonzero(~keep).tolist():
            comment = rows[i].rstrip(" ")
            if "\t" in comment:
                odd.append(int(lines[i]))
            if match := _SENT_ID.fullmatch(comment):
                ids[int(moved[i])] = match[1], int(lines[i])
        sentences, documents = moved[sentences], moved[documents]
        rows = list(compress(rows, keep.tolist()))
        lines = lines[keep[:-1]]
    if not rows:
        raise InputError(f"{name}: no token rows; a file has lines of a token and its tags")
    table = _table(rows) or _odd_table(name, rows, lines)
    for column in columns:
        if column is not None and column >= len(table):
            raise InputError(
                f"{name}:{lines[0]}: no column {column}; there are columns 0 (the token) to"
                f" {len(table) - 1}"
            )
    ends = {0, len(rows)}
    of_documents = np.diff(sorted(ends.union(documents.tolist())))
    begins = sorted(ends.union(documents.tolist(), sentences.tolist()))
    return _Page(
        name,
        table,
        lines,
        np.diff(begins),
        of_documents,
        _sentence_ids(name, ids, begins[:-1]) if unit == "sentence" else None,
        bool(documents.size),
        tuple(odd),
    )


def _sentence_ids(
    name: str, ids: dict[int, tuple[str, int]], begins: list[int]
) -> tuple[str, ...] | None:
    """The ids of the sentences, where each has one."""
    if not ids.keys() >= set(begins):
        return None
    seen: dict[str, int] = {}
    for begin in begins:
        id_, line = ids[begin]
        if id_ in seen:
            raise InputError(
                f"{name}:{line}: sent_id {show(id_)} again, it is that of line {seen[id_]} too;"
                " ids are used once"
            )
        seen[id_] = line
    return tuple(seen)


def _table(rows: list[str]) -> list[tuple[str, ...]] | None:
    """The columns, if all rows have the same and a split at a single character gives them."""
    text = "\n".join(rows)
    separator = "\t" if "\t" in text else " "
    if separator == "\t" and " " in text:
        return None
    if separator == " " and "  " in f" {text} ".replace("\n", " "):
        return None
    characters = np.frombuffer(text.encode(errors="surrogatepass") + b"\n", np.uint8)
    ends = characters[(characters == ord(separator)) | (characters == ord("\n"))]  # of fields
    width, rest = divmod(len(ends), len(rows))
    if width < 2 or rest or (ends.reshape(-1, width)[:, -1] != ord("\n")).any():
        return None
    fields = text.replace("\n", separator).split(separator)
    return [tuple(fields[column::width]) for column in range(width)]


def _odd_table(name: str, rows: list[str], lines: Ints) -> list[tuple[str, ...]]:
    """The columns of any rows; an error where a row has more or fewer than the first."""
    fields = [_fields(row) for row in rows]
    width = len(fields[0])
    if width < 2:
        raise InputError(
            f"{name}:{lines[0]}: one column ({show(fields[0][0])}); a token and at least one tag"
            " are needed"
        )
    for row, line in zip(fields, lines.tolist(), strict=True):
        if len(row) != width:
            raise InputError(
                f"{name}:{line}: {counted(len(row), 'column')} ({show(' '.join(row))});"
                f" the rows before it have {width}, and all need the same"
            )
    return list(zip(*fields, strict=True))


def _fields(row: str) -> list[str]:
    row = row.rstrip(" ")  # a tab at the end says that the last column is empty
    if "\t" in row:
        return [field.strip(" ") for field in row.split("\t")]
    return [field for field in row.split(" ") if field]


def _is_token(
    rows: list[str],
    doubtful: list[int],
    columns: Sequence[int | None],
    scheme: str,
    missing: str | None,
) -> list[bool]:
    """Which of the rows that begin with # have the columns and the tags of a token row."""
    where = [-1 if c is None else c for c in columns]
    is_sure = np.ones(len(rows), np.bool_)
    is_sure[doubtful] = False
    sure = list(compress(rows, is_sure.tolist()))
    asked = [_fields(rows[i]) for i in doubtful]
    seen: set[str] = set()

    def token(row: list[str]) -> bool:
        return 1 < len(row) > max(where) and all(
            row[c] in seen
            or row[c] == missing
            or row[c] == "O"
            or (len(row[c]) > 1 and prefixed(row[c], scheme))  # a word such as I is no tag yet
            for c in where
        )

    if not sure:  # the first row that can be a token decides
        width = next((len(row) for row in asked if token(row)), 0)
        return [len(row) == width and token(row) for row in asked]
    width = len(_fields(sure[0]))
    fitting = [len(row) == width for row in asked]
    if all("\t" in row for row in sure):
        fitting = [f and "\t" in rows[i] for f, i in zip(fitting, doubtful, strict=True)]
    if any(fitting):
        seen = {row[c] for row in map(_fields, sure) for c in where if c < len(row)}
    return [f and token(row) for f, row in zip(fitting, asked, strict=True)]


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
    if unit == "document":
        counts += f", {len(page.documents)} and {len(first.documents)} documents"
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
