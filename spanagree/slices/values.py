"""The slice that each document is in: by a column, a table, a pattern in its id, or as given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from spanagree.choices import SLICES
from spanagree.corpus.grouped import places_found
from spanagree.errors import SettingError, escape_name, join_names, pluralize, quote_value
from spanagree.formats.document_tables import names_in_table, says_table, table_named
from spanagree.slices.metadata import Source, column_values

SliceBy: TypeAlias = "str | Sequence[str | None] | Mapping[str, str]"
"""What names the slice of each document; see :func:`spanagree.slices.score_slices`."""

ORDERED = frozenset((
    "batch", "batches", "round", "rounds", "week", "day", "date", "month", "quarter", "year",
    "time", "period", "phase", "stage", "iteration", "version",
))  # fmt: skip
"""Words in the name of a column whose values have an order."""

_OF_TABLE = "batch"  # the column of a table that names none
_GROUP = re.compile(r"(?<!\\)\((?!\?)|\(\?P<")


class UnknownSlicesError(SettingError):
    """The error for a name that is neither a column nor a table nor a pattern.

    Attributes:
        by: the name.
        columns: names of the columns that there are.
        noun: word for a document.
    """

    def __init__(self, by: str, columns: Sequence[str], noun: str = "document") -> None:
        self.by, self.columns, self.noun = by, columns, noun
        super().__init__(self.message(SLICES))

    def message(self, views: Sequence[str]) -> str:
        """Return the message where some views are allowed too."""
        there = f"there are {join_names(self.columns)}" if self.columns else "there is none"
        return (
            f"group_by {quote_value(self.by)}: unknown; allowed: {', '.join(views)}; a column"
            f" ({there});"
            f" FILE:COLUMN, a table with the {self.noun}s' ids; a pattern with a group, such as"
            " '(.*)-', for ids"
        )


class SlicedDocuments(NamedTuple):
    """The slice of each document.

    Attributes:
        names: value of each document; ``None`` for a document in no slice.
        keys: what tells a document from others, in all slices: its id without the slice in it.
        title: what values are called.
        says: how slices were named, for the signature.
        noun: word for a document.
    """

    names: Sequence[str | None]
    keys: Sequence[str]
    title: str
    says: str
    noun: str = "document"

    @property
    def order(self) -> list[str]:
        """The names of the slices, numbers in them by size."""
        return sorted({name for name in self.names if name is not None}, key=natural)

    @property
    def is_ordered(self) -> bool:
        """Whether slices follow each other, so that there may be a trend."""
        return has_order(self.title, self.order)

    @property
    def notes(self) -> list[str]:
        """A note on documents in no slice."""
        left = sum(name is None for name in self.names)
        if not left:
            return []
        verb = "has" if left == 1 else "have"
        return [f"{pluralize(left, self.noun)} {verb} no {escape_name(self.title)}, left out"]

    def documents(self) -> dict[str, list[int]]:
        """Return the numbers of the documents of each slice, in order."""
        documents: dict[str, list[int]] = {name: [] for name in self.order}
        for number, name in enumerate(self.names):
            if name is not None:
                documents[name].append(number)
        return documents


def has_order(title: str, names: Sequence[str]) -> bool:
    """Return whether values follow each other: they differ in numbers alone, or are of time.

    >>> has_order("annotation batch", ["pilot", "main"]), has_order("genre", ["news", "blog"])
    (True, False)
    >>> has_order("source", ["week 9", "week 10"]), has_order("model", ["Llama-3", "Qwen-2"])
    (True, False)
    """
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", title).lower())
    without_numbers = {re.sub("[0-9]+", "0", name) for name in names}
    are_numbered = len(without_numbers) == 1 and "0" in without_numbers.pop()
    return bool(ORDERED.intersection(words)) or are_numbered


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return what sorts "week 9" before "week 10".

    >>> sorted(["week 10", "week 9", "week"], key=natural)
    ['week', 'week 9', 'week 10']
    """
    parts = re.split(r"([0-9]+)", name)
    is_number = [part.isascii() and part.isdigit() for part in parts]
    return [
        (0, int(part[:99]), "") if number else (1, 0, part)
        for part, number in zip(parts, is_number, strict=True)
    ]


def sliced_documents(
    by: SliceBy,
    ids: Sequence[str],
    source: Source = None,
    *,
    noun: str = "document",
    document: str | None = None,
    encoding: str = "utf-8",
) -> SlicedDocuments:
    """Find the slice that each document is in.

    Args:
        by: a column of the source; FILE or FILE:COLUMN, a table with ids; a pattern with a group,
            which is looked for in ids; or the slice of each document, in order or by id.
        ids: names of the documents.
        source: rows that have the column, or what has rows.
        noun: word for a document.
        document: column of the source that holds the ids.
        encoding: encoding of the source, if it is a table in text.

    Raises:
        SettingError: for an unknown name; if no document is in a slice.
        InputError: for a table that cannot be read, or does not tell of which document a row is.

    >>> sliced_documents("(.*)-", ["nw-1", "nw-2", "bl-1"]).documents()
    {'bl': [2], 'nw': [0, 1]}
    """
    sliced = _found(by, ids, source, noun, document, encoding)
    if all(name is None for name in sliced.names):
        raise SettingError(f"group_by {quote_value(sliced.says)}: no {noun} has a value")
    return sliced


def _found(
    by: SliceBy,
    ids: Sequence[str],
    source: Source,
    noun: str,
    document: str | None,
    encoding: str,
) -> SlicedDocuments:
    if isinstance(by, Mapping):
        return SlicedDocuments([_name(by.get(id_)) for id_ in ids], ids, "slice", "names", noun)
    if not isinstance(by, str):
        if not isinstance(by, Sequence) or len(by) != len(ids):
            raise SettingError(
                f"group_by {quote_value(by)}; a column, a table, a pattern, or the slice of each of"
                f" {pluralize(len(ids), noun)} is needed"
            )
        return SlicedDocuments([_name(name) for name in by], ids, "slice", "names", noun)
    if (table := table_named(by)) is not None:
        path, column = table
        title = column or _OF_TABLE
        names = names_in_table(ids, path, column, _OF_TABLE, document)
        return SlicedDocuments(names, ids, title, says_table(path, column), noun)
    values, columns = column_values(
        source, by, ids, document=document, encoding=encoding, noun=noun
    )
    if values is not None:
        return SlicedDocuments(values, ids, by, by, noun)
    if _GROUP.search(by):
        return _by_pattern(ids, by, noun)
    raise UnknownSlicesError(by, columns, noun)


def _name(value: object) -> str | None:
    return None if value is None or value != value or value == "" else str(value)  # nor NaN


def _by_pattern(ids: Sequence[str], pattern: str, noun: str) -> SlicedDocuments:
    """Find what a pattern finds in each id, and the ids without that."""
    places = list(zip(ids, places_found(ids, pattern, "group_by"), strict=True))
    names = [None if at is None else name[at[0] : at[1]] for name, at in places]
    keys = [name if at is None else f"{name[: at[0]]}\0{name[at[1] :]}" for name, at in places]
    return SlicedDocuments(names, keys, "slice", f"pattern {pattern}", noun)
