"""Find the columns of a dataset that hold tokens, tags and spans."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.collector import records
from spanagree.corpus.segments import Vocabulary
from spanagree.errors import (
    InputError,
    SettingError,
    counted,
    is_iterable,
    is_whole,
    length_of,
    listed,
    one_of,
    reason,
    show,
    unfit,
)

_LEFT_OUT = -100  # the label id of tokens that Trainer leaves out


def choose_split(data: Any, split: str | None) -> Any:
    """Return the part of a DatasetDict that is asked for; other data as they are."""
    if isinstance(data, Mapping):
        if split not in data:
            raise one_of(split, data, "split")
        data = data[split]
    elif split is not None:
        raise SettingError(f"split {show(split)}, but the data has no splits; leave it out")
    if isinstance(data, (str, bytes)) or not is_iterable(data):
        raise unfit("data", data, "a Dataset, or rows that are mappings, is needed")
    return data


class Columns:
    """The columns that are asked for: of an Arrow table as Arrow, else as lists."""

    def __init__(self, data: Any, wanted: Sequence[str]) -> None:
        self.features: Mapping[str, Any] = getattr(data, "features", None) or {}
        self.table: Any = None
        self.lists: dict[str, list[Any]] = {column: [] for column in wanted}
        form = getattr(data, "format", None)
        transformed = isinstance(form, Mapping) and form.get("type") == "custom"
        if hasattr(data, "with_format") and hasattr(data, "data") and not transformed:
            self._check(data.column_names)
            self.table = data.select_columns(list(self.lists)).with_format("arrow")[:]
            try:
                self.table.validate(full=True)
            except Exception as error:  # Arrow's own, whose library need not be there
                raise InputError(
                    f"the data are damaged: {reason(error)}; write them anew"
                ) from None
            return
        for number, row in enumerate(data, 1):
            if not isinstance(row, Mapping):
                raise unfit(f"row {number}:", row, "rows are mappings")
            self._check(row, f"row {number}: ")
            for column, values in self.lists.items():
                values.append(row[column])

    def _check(self, existing: Iterable[str], where: str = "") -> None:
        known = list(existing)
        for column in self.lists:
            if column not in known:
                there = listed(known) or "none"
                raise SettingError(f"{where}no column {show(column)}; there are {there}")

    def values(self, column: str) -> list[Any]:
        """Return the entries of a column."""
        if self.table is not None:
            return list(self.table.column(column).to_pylist())
        return self.lists[column]

    def flat(self, column: str) -> tuple[Any, Ints]:
        """Return all rows' entries, concatenated, and how many each row has; −1 for null."""
        if self.table is None:
            values = self.lists[column]
            for i, row in enumerate(values):
                if isinstance(row, (str, bytes)) or not (row is None or length_of(row) is not None):
                    where = f"column {show(column)}, row {i + 1}:"
                    raise unfit(where, row, "a list of tags is needed")
            sizes = [-1 if row is None else len(row) for row in values]
            flat = list(chain.from_iterable(row for row in values if row is not None))
            return flat, np.array(sizes, np.int64)
        array = self.table.column(column).combine_chunks()
        if hasattr(array, "chunks"):  # older releases keep a chunked array
            array = array.chunk(0) if array.num_chunks else array
        if not hasattr(array, "value_lengths"):
            raise InputError(f"column {show(column)} has no lists; a list of tags a row is needed")
        lengths = array.value_lengths()
        return array.flatten(), np.array(lengths.fill_null(-1).to_numpy(zero_copy_only=False))


def layer_names(
    columns: Columns, column: str, given: Sequence[str] | Mapping[str, Sequence[str]] | None
) -> list[str] | None:
    """Return the names of a column's label ids, from the caller or from the features."""
    if isinstance(given, Mapping):
        given = given.get(column)
    if given is not None:
        return list(given)
    feature = columns.features.get(column)
    while feature is not None and not hasattr(feature, "names"):
        if isinstance(feature, (list, tuple)) and feature:
            feature = feature[0]
        elif isinstance(feature, Mapping):
            feature = feature.get("label")
        else:
            feature = getattr(feature, "feature", None)
    return None if feature is None else list(feature.names)


def label_codes(flat: Any, names: list[str] | None, column: str) -> tuple[list[str], Ints]:
    """Return tags or label ids as numbers into the tags' names, −1 for those to leave out."""
    odd = f"column {show(column)}: tags are strings or whole numbers; there are others"
    if hasattr(flat, "dictionary_encode") and str(flat.type) in ("string", "large_string"):
        coded = flat.dictionary_encode()
        indices = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return coded.dictionary.to_pylist(), indices.astype(np.int64)
    if isinstance(flat, list) and any(isinstance(tag, str) for tag in flat):
        if not all(isinstance(tag, (str, int, type(None))) for tag in flat):
            raise InputError(odd)
        number = Vocabulary()
        numbers = [-1 if tag in (None, _LEFT_OUT) else number[tag] for tag in flat]
        return list(number), np.array(numbers, np.int64)
    try:
        values = flat if isinstance(flat, list) else flat.to_numpy(zero_copy_only=False)
        casting: Any = "same_kind" if len(flat) else "unsafe"
        codes = np.asarray(values).astype(np.int64, casting=casting, copy=False)
    except (TypeError, ValueError):
        raise InputError(odd) from None
    if codes.ndim != 1:  # lists within lists
        raise InputError(odd)
    if not len(codes):
        return names or [], codes
    if names is None:
        raise SettingError(
            f"column {show(column)} has label ids, but their names are not known; pass label_names"
        )
    outside = (codes >= len(names)) | ((codes < 0) & (codes != _LEFT_OUT))
    if outside.any():
        raise InputError(
            f"column {show(column)}: label id {codes[outside.argmax()]}; with"
            f" {counted(len(names), 'name')}, 0 to {len(names) - 1} and {_LEFT_OUT} are allowed"
        )
    return names, np.where(codes == _LEFT_OUT, -1, codes)


def span_records(
    spans: Any, names: list[str] | None, where: str
) -> list[tuple[Any, Any, Any]] | None:
    """Return (start, end, label) of spans: structs, a struct of lists, or JSON of these.

    Labels that are label ids go by their names.
    """
    place, where = where, f"{where}: spans"
    if isinstance(spans, str):  # as CSV files have to hold them
        try:
            spans = json.loads(spans)
        except (ValueError, RecursionError):
            raise unfit(where, spans, "not valid JSON, a list of spans is needed") from None
    if isinstance(spans, Mapping):
        keys = ("start", "end", "label")
        columns: list[Any] = [spans.get(key) for key in keys]
        lists = (list, tuple, np.ndarray)
        are_lists = all(isinstance(c, lists) and is_iterable(c) for c in columns)
        if not are_lists or len(set(map(len, columns))) > 1:
            needed = "lists of equal length under start, end and label are needed"
            raise unfit(where, spans, needed)
        spans = [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]
    rows = records(spans, where)
    return rows and [(start, end, _text(label, names, place)) for start, end, label in rows]


def _text(label: Any, names: list[str] | None, where: str) -> Any:
    """Return a label by its name, where it is a label id."""
    if names is None or not is_whole(label):
        return label
    if 0 <= label < len(names):
        return names[label]
    raise InputError(f"{where}: label id {label}; 0 to {len(names) - 1} are allowed")
