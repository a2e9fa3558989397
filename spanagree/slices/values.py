"""The slice of each document: by a column, a table, a pattern in its id, or a list of slices.

Documents can also be items of a table of labels. The title of slices is the property that they are
values of; the record is the source of the values, for signatures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from spanagree.choices import SLICES
from spanagree.corpus.grouped import find_pattern_spans
from spanagree.errors import SettingError, escape_name, join_names, pluralize, quote_value
from spanagree.formats.document_tables import describe_table, parse_table_name, read_document_names
from spanagree.slices.metadata import Source, read_column_values

SliceBy: TypeAlias = "str | Sequence[str | None] | Mapping[str, str]"
"""Source of the slice of each document; see :func:`spanagree.slices.score_slices`."""

ORDERED = frozenset((
    "batch", "batches", "round", "rounds", "week", "day", "date", "month", "quarter", "year",
    "time", "period", "phase", "stage", "iteration", "version",
))  # fmt: skip
"""Words in the name of a column whose values have an order."""

_DEFAULT_COLUMN = "batch"  # column of a table, if none is named
_TABLE = re.compile(r"\.(csv|tsv|jsonl?|parquet)$", re.IGNORECASE)  # as a table's file is called
_GROUP = re.compile(r"(?<!\\)\((?!\?)|\(\?P<")


class UnknownSlicesError(SettingError):
    """The error for a name that is neither a column nor a table nor a pattern.

    Attributes:
        by: name that was given.
        columns: names of the available columns.
        noun: word for a document.
    """

    def __init__(self, by: str, columns: Sequence[str], noun: str = "document") -> None:
        self.by, self.columns, self.noun = by, columns, noun
        super().__init__(self.compose_message(SLICES))

    def compose_message(self, views: Sequence[str]) -> str:
        """Compose the message, if these views are allowed too."""
        available = f"there are {join_names(self.columns)}" if self.columns else "there is none"
        path = self.by if _TABLE.search(self.by) else self.by.rpartition(":")[0]
        reason = f"no such file {quote_value(path)}" if _TABLE.search(path) else "unknown"
        return (
            f"group_by {quote_value(self.by)}: {reason}; allowed: {', '.join(views)}; a column"
            f" ({available});"
            f" FILE:COLUMN, a table with the {self.noun}s' ids; a pattern with a group, such as"
            " '(.*)-', for ids"
        )


class SlicedDocuments(NamedTuple):
    """The slice of each document.

    Attributes:
        names: value of each document; ``None`` for a document in no slice.
        keys: id of each document without the slice in it, which identifies it in all slices.
        title: name of the property that the slices are values of.
        record: origin of the names of slices, for the signature.
        noun: word for a document.
    """

    names: Sequence[str | None]
    keys: Sequence[str]
    title: str
    record: str
    noun: str = "document"

    @property
    def order(self) -> list[str]:
        """Names of the slices, with numbers in them sorted by size."""
        return sorted({name for name in self.names if name is not None}, key=build_natural_key)

    @property
    def is_ordered(self) -> bool:
        """Whether slices have an order, so that there may be a trend."""
        return has_order(self.title, self.order)

    @property
    def notes(self) -> list[str]:
        """Note on documents in no slice."""
        n_left_out = sum(name is None for name in self.names)
        if not n_left_out:
            return []
        verb = "has" if n_left_out == 1 else "have"
        return [f"{pluralize(n_left_out, self.noun)} {verb} no {escape_name(self.title)}, left out"]

    def collect_documents(self) -> dict[str, list[int]]:
        """Collect the indices of the documents of each slice, in order."""
        documents: dict[str, list[int]] = {name: [] for name in self.order}
        for index, name in enumerate(self.names):
            if name is not None:
                documents[name].append(index)
        return documents


def has_order(title: str, names: Sequence[str]) -> bool:
    """Check whether slices have an order: names differ only in numbers, or the title is of time.

    >>> has_order("annotation batch", ["pilot", "main"]), has_order("genre", ["news", "blog"])
    (True, False)
    >>> has_order("source", ["week 9", "week 10"]), has_order("model", ["Llama-3", "Qwen-2"])
    (True, False)
    """
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", title).lower())
    without_numbers = {re.sub("[0-9]+", "0", name) for name in names}
    are_numbered = len(without_numbers) == 1 and "0" in without_numbers.pop()
    return bool(ORDERED.intersection(words)) or are_numbered


def build_natural_key(name: str) -> list[tuple[int, int, str]]:
    """Build the sort key that puts "week 9" before "week 10".

    >>> sorted(["week 10", "week 9", "week"], key=build_natural_key)
    ['week', 'week 9', 'week 10']
    """
    tokens = re.split(r"([0-9]+)", name)
    is_number = [token.isascii() and token.isdigit() for token in tokens]
    return [
        (0, int(token[:99]), "") if is_digits else (1, 0, token)
        for token, is_digits in zip(tokens, is_number, strict=True)
    ]


def find_sliced_documents(
    by: SliceBy,
    ids: Sequence[str],
    source: Source = None,
    *,
    noun: str = "document",
    document: str | None = None,
    encoding: str = "utf-8",
) -> SlicedDocuments:
    """Find the slice of each document.

    Args:
        by: column of the source; FILE or FILE:COLUMN, a table with ids; a pattern with a group that
            is searched in ids; or the slice of each document, in order or by id.
        ids: ids of the documents.
        source: data with the column.
        noun: word for a document.
        document: column of the source with the ids.
        encoding: text encoding of the source, if it is a table in text.

    Raises:
        SettingError: if the name is unknown, or no document is in a slice.
        InputError: if the table cannot be read, or does not state the document of each row.

    >>> find_sliced_documents("(.*)-", ["nw-1", "nw-2", "bl-1"]).collect_documents()
    {'bl': [2], 'nw': [0, 1]}
    """
    sliced = _find_slices(by, ids, source, noun, document, encoding)
    if all(name is None for name in sliced.names):
        raise SettingError(f"group_by {quote_value(sliced.record)}: no {noun} has a value")
    return sliced


def _find_slices(
    by: SliceBy,
    ids: Sequence[str],
    source: Source,
    noun: str,
    document: str | None,
    encoding: str,
) -> SlicedDocuments:
    """Find the slice of each document; the slices of all documents may be ``None``.

    The arguments are those of :func:`find_sliced_documents`.
    """
    if isinstance(by, Mapping):
        return SlicedDocuments(
            [_name_slice(by.get(id_)) for id_ in ids], ids, "slice", "names", noun
        )
    if not isinstance(by, str):
        if not isinstance(by, Sequence) or len(by) != len(ids):
            raise SettingError(
                f"group_by {quote_value(by)}; a column, a table, a pattern, or the slice of each of"
                f" {pluralize(len(ids), noun)} is needed"
            )
        return SlicedDocuments([_name_slice(name) for name in by], ids, "slice", "names", noun)
    if (table := parse_table_name(by)) is not None:
        path, column = table
        title = column or _DEFAULT_COLUMN
        names = read_document_names(ids, path, column, _DEFAULT_COLUMN, document)
        return SlicedDocuments(names, ids, title, describe_table(path, column), noun)
    values, columns = read_column_values(
        source, by, ids, document=document, encoding=encoding, noun=noun
    )
    if values is not None:
        return SlicedDocuments(values, ids, by, by, noun)
    if _GROUP.search(by):
        return _find_slices_by_pattern(ids, by, noun)
    raise UnknownSlicesError(by, columns, noun)


def _name_slice(value: object) -> str | None:
    """Convert a value to the name of a slice; ``None`` if it is missing."""
    # NaN differs from itself
    return None if value is None or value != value or value == "" else str(value)


def _find_slices_by_pattern(ids: Sequence[str], pattern: str, noun: str) -> SlicedDocuments:
    """Find the slices of documents by a pattern in their ids.

    The group of the pattern is the slice, and the id without it is the key of the document.
    """
    ids_and_spans = list(zip(ids, find_pattern_spans(ids, pattern, "group_by"), strict=True))
    names = [None if span is None else name[span[0] : span[1]] for name, span in ids_and_spans]
    keys = [
        name if span is None else f"{name[: span[0]]}\0{name[span[1] :]}"
        for name, span in ids_and_spans
    ]
    return SlicedDocuments(names, keys, "slice", f"pattern {pattern}", noun)
