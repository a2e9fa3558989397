"""A CoNLL file: rows of fields, columns of tags, sentences and documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints, find_entries
from spanagree.corpus.tag_columns import TagOptions, check_outside_tags
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    escape_path,
    is_iterable,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import BOM, PathName, build_mark_error
from spanagree.formats.conll.columns import (
    NO_NAMES,
    OWN,
    Column,
    Layout,
    find_column_number,
    find_spanagree_line,
    is_column,
    parse_spanagree_line,
    split_fields,
)
from spanagree.formats.conll.fields import Fields, Lines
from spanagree.formats.conll.head import (
    MARK,
    SENT_ID,
    ConllHeader,
    count_rows_above,
    infer_header,
    parse_id,
)
from spanagree.formats.conll.lines import LineKind, encode_lines
from spanagree.settings import build_reading_settings
from spanagree.tables import yield_rows

UNITS = {
    "sentence": "each sentence is a document",
    "document": "the sentences between -DOCSTART- or newdoc lines are one document",
}
"""The text that one random annotation fills."""


_WORD, _NAME = 3, 10  # columns of CoNLL-2012
_WIDEST = 10_000  # columns; each takes time and memory


@dataclass(frozen=True)
class ConllOptions(TagOptions):
    """Options of :func:`read_conll`.

    Attributes:
        are_declared: True if the columns are named in a first line that this package wrote.
        chosen: settings for the signature.
    """

    unit: str = "sentence"
    columns: Mapping[str, Column] | Column | Sequence[Column] = field(default_factory=dict)
    encoding: str = "utf-8"
    ignore_tokens: bool = False
    missing: str | None = None
    repair: str | Sequence[str] = ()
    sentences_from: str | None = None
    attributes: Sequence[Column] = ()
    are_declared: bool = False
    chosen: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        check_choice(self.unit, UNITS, "unit")
        if not isinstance(self.columns, (Mapping, str, int, list, tuple)):
            raise SettingError(
                f"columns {quote_value(self.columns)}; the number or name of a column by the name"
                " of its"
                ' annotator, such as {"gold": 1}, or columns such as "1-3" or "all" are needed'
            )
        if self.sentences_from is not None and self.unit != "document":
            raise SettingError(
                "sentences_from is for --unit document (unit='document'); sentences that are"
                " documents have to be the same in all files"
            )
        if isinstance(self.attributes, str) or not is_iterable(self.attributes):
            raise SettingError(
                f"attributes {quote_value(self.attributes)}; a list of columns is needed, such as"
                " ['NEL-LIT']"
            )
        if not isinstance(self.missing, (str, type(None))):
            raise SettingError(f"missing {quote_value(self.missing)}; a tag is needed, such as '?'")
        if self.chosen is None:  # before the columns of a first line are added
            settings = {} if self.missing is None else {"missing": self.missing}
            settings |= build_reading_settings(
                self.encoding,
                columns=self.columns or None,
                sentences_from=self.sentences_from,
                outside=check_outside_tags(self.outside) or None,
            )
            object.__setattr__(self, "chosen", settings)
        super().__post_init__()

    def add_declared_columns(
        self, files: Mapping[str, PathName], first: Mapping[PathName, str]
    ) -> ConllOptions:
        """Add the columns that the first line of a single file names, if this package wrote it.

        Raises:
            InputError: if that line is damaged.
        """
        if len(files) > 1 or self.columns:
            return self
        ((path, text),) = first.items()
        line = find_spanagree_line(text)
        if not line:
            return self
        declared = parse_spanagree_line(line)
        problem = "is damaged" if declared is None else ""
        names, missing = declared or ((), None)
        if len(set(names)) < len(names):
            problem = f"has the name {quote_value(max(names, key=names.count))} twice"
        if problem:
            raise InputError(
                f"{escape_path(path)}:1: the line of the columns' names {problem}"
                f" ({quote_value(line)}); mend it, or name the columns with --columns (columns=)"
            )
        return replace(
            self,
            columns={name: i for i, name in enumerate(names, 1)},
            missing=missing if self.missing is None else self.missing,
            are_declared=True,
        )

    def infer_headers(
        self, files: Mapping[str, PathName], first: Mapping[PathName, str]
    ) -> dict[PathName, ConllHeader]:
        """Infer the header of each file."""
        return {
            path: infer_header(
                text,
                columns=self._find_named_columns(path, files),
                scheme=self.scheme,
                missing=self.missing,
                outside=self.outside,
            )
            for path, text in first.items()
        }

    def _find_named_columns(self, path: PathName, files: Mapping[str, PathName]) -> list[Column]:
        """Find the columns of tags that the user names for a file."""
        selections: Iterable[Any] = [self.columns]
        if isinstance(self.columns, Mapping) and len(files) == 1:
            selections = self.columns.values()
        elif isinstance(self.columns, Mapping):
            selections = [self.columns.get(layer) for layer in files if files[layer] == path]
        return [column for column in selections if is_column(column)]


@dataclass(frozen=True, eq=False)
class ConllFile:
    """Contents of one file: its columns, sentences and documents.

    Attributes:
        name: printable path.
        columns: tokens, then columns of tags.
        lines: line number of each token.
        sentences: number of tokens of each sentence.
        documents: number of tokens of each document.
        ids: ids of the sentences, or `None`.
        has_docstart: True if lines separate documents.
        odd_comments: lines that begin with # and have a tab, and are not rows.
        document_ids: ids of the documents, or `None`.
        layout: layout of the columns.
        n_skipped: number of rows that are not tokens, by reason.
    """

    name: str
    columns: list[Sequence[str]]
    lines: Ints
    sentences: Ints
    documents: Ints
    ids: tuple[str, ...] | None
    has_docstart: bool = False
    odd_comments: tuple[int, ...] = ()
    document_ids: tuple[str, ...] | None = None
    layout: Layout = NO_NAMES
    n_skipped: Mapping[str, int] = field(default_factory=dict)

    def format_location(self, token: int) -> str:
        """Format the file and line of a token."""
        return f"{self.name}:{self.lines[token]}"

    def find_starts(self, unit: str) -> Ints:
        """Find the first token of each sentence, or document."""
        sizes = self.sentences if unit == "sentence" else self.documents
        return np.cumsum(sizes) - sizes

    @property
    def parent_ids(self) -> Ints:
        """Index of the document of each sentence."""
        ends = np.cumsum(self.documents)
        return np.searchsorted(ends, self.find_starts("sentence"), side="right")

    def select_sentences(self, sentences: list[int]) -> ConllFile:
        """Select sentences by index, with their tokens but without tags."""
        token_index = self.find_token_indices(sentences)
        sizes = self.sentences[sentences]
        tokens_of_part = tuple(self.columns[0][i] for i in token_index.tolist())
        ids = tuple(self.ids[i] for i in sentences) if self.ids else None
        return ConllFile(self.name, [tokens_of_part], self.lines[token_index], sizes, sizes, ids)

    def find_token_indices(self, sentences: list[int]) -> Ints:
        """Find the indices of the tokens of some sentences."""
        return find_entries(self.sentences, np.array(sentences, np.int64))

    def align_codes(self, codes: Ints, text: ConllFile) -> tuple[Ints, Bools | None]:
        """Move codes to the positions of their sentences in the shared text.

        Args:
            codes: code of each token of this file.
            text: shared text.

        Returns:
            A code for each token of the text, −1 for none; and a mask of the sentences that this
            file lacks, or `None` if it has all.
        """
        if self.ids == text.ids or self.ids is None or text.ids is None:
            return codes, None
        index_by_id = {id_: i for i, id_ in enumerate(self.ids)}
        shared_indices = [i for i, id_ in enumerate(text.ids) if id_ in index_by_id]
        codes_of_text = np.full(len(text.lines), -1)
        codes_of_text[text.find_token_indices(shared_indices)] = codes[
            self.find_token_indices([index_by_id[text.ids[i]] for i in shared_indices])
        ]
        is_missing = np.ones(len(text.ids), np.bool_)
        is_missing[shared_indices] = False
        return codes_of_text, is_missing

    def locate_token(self, token: int, text: ConllFile) -> str:
        """Format the location in this file of a token of the shared text."""
        return self.format_location(
            int(self.align_codes(np.arange(len(self.lines)), text)[0][token])
        )


def _split_lines(name: str, text: str, header: ConllHeader) -> tuple[Lines, Ints, dict[str, int]]:
    """Split a text into lines, with tabs as the separators of rows.

    Returns:
        The lines, the kind of each, and the number of rows that are not tokens, by reason.

    Raises:
        InputError: if a byte order mark or a carriage return is inside, or a row is not valid CSV.
    """
    if BOM in text:
        for line_number, line in enumerate(text.split("\n"), 1):
            if line.startswith(BOM):
                raise build_mark_error(f"{name}:{line_number}")
    data = encode_lines(text)
    if b"\r" in data:
        line_number = 1 + data.count(b"\n", 0, data.index(b"\r"))
        raise InputError(
            f"{name}:{line_number}: a carriage return inside the line; lines end in LF or CRLF"
        )
    starts, line_kinds, n_skipped = header.classify_lines(data, header=header.layout.header)
    lines = Lines(data, starts)
    if header.layout.sign != "\t":
        rows = np.flatnonzero((line_kinds == LineKind.ROW) | (line_kinds == LineKind.OTHER))
        lines = _replace_separators(name, lines, rows, header.layout.sign)
    return lines, line_kinds, n_skipped


def _replace_separators(name: str, lines: Lines, rows: Ints, sign: str) -> Lines:
    """Replace the commas or semicolons between the fields of some lines by tabs.

    ``rows`` are the indices of these lines, ``sign`` is their separator.
    """
    texts = [""] * (
        len(lines.starts) - 1
    )  # texts of all lines, so that errors have the right line number
    for i, text in zip(rows.tolist(), lines.decode_lines(rows), strict=True):
        texts[i] = text
    tabbed_rows = ["\t".join(row) for _, row in yield_rows(name, texts, sign)]
    if len(tabbed_rows) != len(rows):
        raise InputError(
            f"{name}: {pluralize(len(rows), 'line')} have {pluralize(len(tabbed_rows), 'row')}, as"
            " a"
            " quoted field goes over several; each token has a line of its own"
        )
    texts = lines.decode_lines(np.arange(len(lines.starts) - 1))
    for i, row in zip(rows.tolist(), tabbed_rows, strict=True):
        texts[i] = row
    return Lines.from_rows(texts)


def read_conll_file(
    path: PathName,
    text: str,
    head: ConllHeader,
    columns: Sequence[Column | None],
    options: ConllOptions,
) -> ConllFile:
    """Read the columns, sentences and documents of a file.

    Args:
        path: path of the file.
        text: the whole text, or its first lines.
        head: header of the file.
        columns: columns that are needed; `None` is the last column.
        options: options of reading.

    Raises:
        InputError: if rows have different widths, a column is missing, or an id is repeated.
    """
    name = escape_path(path)
    lines, line_kinds, n_skipped = _split_lines(name, text, head)
    del text  # frees memory
    layout = head.layout
    are_rows = line_kinds == LineKind.ROW
    if not are_rows.any():
        raise InputError(f"{name}: no token rows; a file has lines of a token and its tags")
    line_numbers = _list_line_numbers(are_rows)
    if layout.ragged:
        table, n_cut = _split_ragged_rows(lines, are_rows), 0
    else:
        table, n_cut = _split_into_columns(name, lines, are_rows, line_numbers, head.width)
    non_rows = np.flatnonzero(~are_rows)
    comments = _locate_among_rows(lines, np.flatnonzero(line_kinds == LineKind.COMMENT), non_rows)
    marks = _locate_among_rows(lines, np.flatnonzero(line_kinds == LineKind.DOCSTART), non_rows)
    column_indices = [
        find_column_number(column, layout) for column in columns if column is not None
    ]
    _check_columns(
        name,
        len(table),
        [column for column in column_indices if column is not None],
        int(line_numbers[0]),
        layout,
    )
    if options.are_declared and len(table) - 1 > len(columns):
        raise InputError(
            f"{name}: {pluralize(len(table) - 1, 'column')} of tags, but the first line names"
            f" {len(columns)}; mend it, or name the columns with --columns (columns=)"
        )
    for _, comment, line_number in comments:
        if comment.startswith(OWN) and comment != head.line_of_ours:
            raise InputError(
                f"{name}:{line_number}: a line of columns' names ({quote_value(comment)}), and not"
                " the"
                " first"
                " line's; files joined in one need the same columns: name them by one pattern in"
                " quotes instead"
            )
    annotator = layout.annotator_column
    if annotator is not None and len(people := table[annotator].codes_and_words[1]) > 1:
        raise InputError(
            f"{name}: the column {layout.get_column_name(annotator)} names {join_names(people)},"
            " and a token has one row here; give each annotator a column of tags, or a file"
        )
    breaks = {
        unit: _find_changed_rows(table, column) for unit, column in layout.break_columns.items()
    }
    if len(table) == 2 and not layout.token:  # later steps need the tags only, not the bytes
        _ = table[1].codes_and_words
    ends_document = np.zeros(len(line_numbers) + 1, np.bool_)
    ends_document[[0, -1, *(row for row, _, _ in marks), *breaks["document"]]] = True
    ends_sentence = ends_document.copy()
    ends_sentence[count_rows_above(np.flatnonzero(line_kinds == LineKind.BLANK), non_rows)] = True
    ends_sentence[breaks["sentence"]] = True
    documents, sentences = np.flatnonzero(ends_document), np.flatnonzero(ends_sentence)
    by_sentence = options.unit == "sentence"
    ids = _find_ids(
        name,
        comments if by_sentence else marks,
        (sentences if by_sentence else documents)[:-1],
        options.unit,
    )
    return ConllFile(
        name,
        [
            table[layout.token].copy_fields(),
            *(_convert_to_brackets(column) if layout.ragged else column for column in table[1:]),
        ],
        line_numbers,
        sentences=np.diff(sentences),
        documents=np.diff(documents),
        ids=ids if by_sentence else None,
        has_docstart=len(documents) > 2 or bool(marks),
        odd_comments=tuple(line_number for _, comment, line_number in comments if "\t" in comment),
        document_ids=None if by_sentence else ids,
        layout=layout,
        n_skipped=n_skipped | ({"empty last cell": n_cut} if n_cut else {}),
    )


def _list_line_numbers(is_kept: Bools) -> Ints:
    """List the numbers (from 1) of the lines in a mask, as small integers."""
    end = 1 + len(is_kept)
    return np.arange(1, end, dtype=np.min_scalar_type(-end - 1))[is_kept]


def _locate_among_rows(
    lines: Lines, line_index: Ints, non_rows: Ints
) -> list[tuple[int, str, int]]:
    """Locate lines among rows.

    Args:
        lines: lines of the file.
        line_index: indices of the lines to locate.
        non_rows: indices of the lines that are not rows.

    Returns:
        The number of rows above each line, its text, and its line number.
    """
    n_above = count_rows_above(line_index, non_rows).tolist()
    texts = [text.rstrip(" ") for text in lines.decode_lines(line_index)]
    numbers = (line_index + 1).tolist()
    return list(zip(n_above, texts, numbers, strict=True))


def _find_changed_rows(table: Sequence[Sequence[str]], column: int | None) -> list[int]:
    """Find the rows with a value in a column that differs from the row above and is not empty."""
    values = () if column is None else table[column]
    pairs = pairwise(values)
    return [
        i for i, (value, next_value) in enumerate(pairs, 1) if next_value and next_value != value
    ]


def _check_columns(
    name: str, width: int, column_indices: Sequence[int], line_number: int, layout: Layout
) -> None:
    """Check that each column has a name, if any has, and that all needed columns exist.

    Args:
        name: printable path.
        width: number of columns.
        column_indices: columns that are needed.
        line_number: line number of the first row.
        layout: layout of the file.
    """
    names = layout.names
    if len(names) not in (0, width) and names[0]:  # the token has no name in files of this package
        raise InputError(
            f"{name}:{line_number}: {pluralize(width, 'column')}, but"
            f" {pluralize(len(names), 'name')} of"
            f" columns ({join_names(names)}); each column needs one"
        )
    for column in column_indices:
        if column >= width:
            raise InputError(
                f"{name}:{line_number}: no column {quote_value(column)}; there are columns 0 (the"
                f" token) to {width - 1}"
            )


def _find_ids(
    name: str,
    lines: list[tuple[int, str, int]],
    first_rows: Ints,
    unit: str,
) -> tuple[str, ...] | None:
    """Find the ids of sentences or documents; `None` unless each has an id.

    Args:
        name: printable path.
        lines: lines with possible ids: number of rows above each, its text and line number.
        first_rows: first row of each sentence or document.
        unit: sentence or document.
    """
    pattern, noun = {"sentence": (SENT_ID, "sent_id"), "document": (MARK, "document id")}[unit]
    ids = {row: (text, line_number) for row, text, line_number in lines if pattern.match(text)}
    row_list = first_rows.tolist()
    if not ids or any(row not in ids for row in row_list):
        return None
    line_by_id: dict[str, int] = {}
    for row in row_list:
        text, line_number = ids[row]
        id_ = parse_id(text)
        if id_ in line_by_id:
            raise InputError(
                f"{name}:{line_number}: {noun} {quote_value(id_)} again, it is that of line"
                f" {line_by_id[id_]} too; ids are used once"
            )
        line_by_id[id_] = line_number
    return tuple(line_by_id)


def _split_ragged_rows(lines: Lines, is_kept: Bools) -> list[Fields]:
    """Return word, name and mention of CoNLL-2012's rows; mentions are in the last field."""
    rows = lines.split_into_fields(is_kept)
    return [
        rows.select_ragged_column(_WORD),
        rows.select_ragged_column(_NAME),
        rows.select_ragged_column(-1),
    ]


def _convert_to_brackets(column: Fields) -> Sequence[str]:
    """Convert a column of CoNLL-2012 to brackets with labels."""
    numbers, names = column.codes_and_words
    return tuple(map([*map(_add_bracket_labels, names)].__getitem__, numbers.tolist()))


def _add_bracket_labels(value: str) -> str:
    """Convert a value of CoNLL-2012 to brackets, with the label of each that opens or closes.

    >>> [_add_bracket_labels(value) for value in ("(GPE*", "*)", "(GPE)", "*", "-", "(1|(23)")]
    ['(GPE', '*)', '(GPE)', 'O', '_', '(1-mention(23-mention)']
    """
    if value in ("*", "-", "_", ""):
        return "O" if value == "*" else "_"
    opened = re.sub(r"\((\d+)", r"(\1-mention", value.replace("|", ""))
    return opened.replace("*", "") if opened.startswith("(") else opened


def _split_into_columns(
    name: str, lines: Lines, is_kept: Bools, line_numbers: Ints, width: int
) -> tuple[list[Fields], int]:
    """Split rows of equal width into columns.

    Args:
        name: printable path.
        lines: lines of the file.
        is_kept: mask of the rows.
        line_numbers: line number of each row.
        width: number of columns.

    Returns:
        The columns, and the number of rows that end in one more field, which is empty.

    Raises:
        InputError: if a row has another number of columns.
    """
    if width > _WIDEST:
        raise InputError(
            f"{name}:{line_numbers[0]}: {pluralize(width, 'column')}; a line has a token and its"
            " tags, at"
            f" most {_WIDEST} columns: is this a text in one line?"
        )
    rows, n_cut = lines.split_into_fields(is_kept).drop_empty_last(width)
    if width < 2:
        raise InputError(
            f"{name}:{line_numbers[0]}: one column ({quote_value(rows.select_column(0)[0])}); a"
            " token and at least"
            " one tag are needed"
        )
    for i in np.flatnonzero(rows.widths != width)[:1].tolist():
        row = " ".join(split_fields(lines[np.flatnonzero(is_kept)[i]]))
        raise InputError(
            f"{name}:{line_numbers[i]}: {pluralize(int(rows.widths[i]), 'column')}"
            f" ({quote_value(row)});"
            f" the rows before it have {width}, and all need the same"
        )
    return [rows.select_column(column) for column in range(width)], n_cut
