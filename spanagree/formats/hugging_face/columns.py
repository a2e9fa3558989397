"""Rows of mappings, whatever holds them, and what is in their columns."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, groupby
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.segments import Vocabulary
from spanagree.corpus.tags import IGNORED, is_ignored
from spanagree.errors import (
    InputError,
    SettingError,
    invalid_value,
    is_iterable,
    join_names,
    length_of,
    one_of,
    pluralize,
    quote_value,
    reason,
)
from spanagree.extras import import_optional
from spanagree.formats.hugging_face.spans import parsed
from spanagree.formats.paths import is_several, records_at, values_at
from spanagree.formats.usual_names import COLUMNS, plain

_NUMBER = re.compile(r"\s*-?[0-9]{1,15}(\.0+)?\s*", re.ASCII)


class MappingRows:
    """Rows that are mappings, as they come.

    Attributes:
        features: what a dataset knows of its columns.
        gaps: whether a row may lack columns, whose entries then are null.
        flat: whether all entries are text, as in CSV, in which lists are written.
    """

    features: Any = None
    gaps = False
    flat = False

    def __init__(self, rows: Iterable[Any] = (), features: Any = None) -> None:
        self.rows: Iterable[Any] = rows
        self.features = features

    def placed(self) -> Iterator[tuple[str, Any]]:
        """Yield the rows, each with its place for errors."""
        for number, row in enumerate(self.rows, 1):
            yield f"row {number}", row

    def __iter__(self) -> Iterator[Any]:
        return (row for _, row in self.placed())


def choose_split(data: Any, split: str | None) -> Any:
    """Return the part of a DatasetDict that is asked for; other data as they are.

    Frames of pandas and Polars, Arrow tables and what turns into one become lists of rows.
    """
    if isinstance(data, Mapping):
        if split is None:
            raise SettingError(
                f"a mapping of {join_names(map(str, data))}; split= names which of them to read;"
                " of several annotators, each needs a path, or a list of tag lists or of Docs"
            )
        if split not in data:
            raise one_of(split, data, "split")
        data = data[split]
    elif split is not None:
        raise SettingError(f"split {quote_value(split)}, but the data has no splits; leave it out")
    data = _frame_rows(data)
    if isinstance(data, (str, bytes)) or not is_iterable(data):
        raise invalid_value("data", data, "a Dataset, or rows that are mappings, is needed")
    return data


def _frame_rows(data: Any) -> Any:
    """Return the rows of a table in memory, by the method that its kind has; other data stay."""
    if hasattr(data, "features"):  # a dataset, of which only the columns asked for are taken
        return data
    if hasattr(data, "to_dicts"):  # Polars
        return data.to_dicts()
    if hasattr(data, "to_pylist"):  # Arrow
        return data.to_pylist()
    if hasattr(data, "to_dict") and hasattr(data, "columns"):  # pandas, where null is NaN
        return [
            {name: None if _is_null(value) else value for name, value in row.items()}
            for row in data.to_dict("records")
        ]
    if hasattr(data, "__arrow_c_stream__"):
        return import_optional("pyarrow", "arrow", "reading Arrow data").table(data).to_pylist()
    return data


def _is_null(value: Any) -> bool:
    return type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, float) and value != value
    )


class _NestedRows(MappingRows):
    """The records that rows hold, each a row, in which columns are paths to what is theirs."""

    def __init__(self, data: Any, columns: Mapping[str, Any]) -> None:
        super().__init__(data, getattr(data, "features", None))
        self.gaps, self.flat = getattr(data, "gaps", False), getattr(data, "flat", False)
        self.columns = columns

    def placed(self) -> Iterator[tuple[str, Any]]:
        """Yield the records, each with its place."""
        rows = self.rows if isinstance(self.rows, MappingRows) else MappingRows(self.rows)
        for location, row in rows.placed():
            yield from _records_of(row, self.columns, location)


def each_record(data: Any, columns: Mapping[str, Any]) -> Any:
    """Return data with a row for each record, where columns are paths to several in a row."""
    if not any(map(_leads_to_several, _paths_in(columns))):
        return data
    rows = _NestedRows(data, columns)
    return iter(rows) if isinstance(data, Iterator) else rows


def _paths_in(columns: Mapping[str, Any]) -> list[str]:
    """Return the paths that options name, of which one may name several."""
    values = [x for v in columns.values() for x in (v.values() if isinstance(v, Mapping) else [v])]
    return [part.strip() for value in values if isinstance(value, str) for part in value.split(",")]


def _leads_to_several(path: str) -> bool:
    try:
        return is_several(path)
    except SettingError:  # a name that is no path
        return False


def _records_of(
    row: Any, columns: Mapping[str, Any], location: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the records in a row: of each text or list of tokens, and of each annotator in these.

    Raises:
        InputError: for paths that lead to what stands under different records.
    """
    if not isinstance(row, Mapping):
        yield location, row
        return
    paths = {name: _paths_in({name: columns.get(name)}) for name in columns}
    paths = {name: list(filter(_leads_to_several, some)) for name, some in paths.items()}
    marked = [*_paths_in({"": columns.get("spans")}), *_paths_in({"": columns.get("tags")})]
    is_table = isinstance(columns.get("spans"), str) and len(marked) > 1
    content = next((columns[name] for name in ("tokens", "text") if columns.get(name)), "")
    parts: list[tuple[str, Any]] = [("", dict(row))]
    anchors = [content, *paths.get("annotator", ()), *(marked[:1] if is_table else ())]
    for number, anchor in enumerate(filter(_leads_to_several, anchors)):
        others = [x for name in paths for x in paths[name] if x not in (anchor, *marked)]
        of_each = [
            path for path in marked if path != anchor and (number == 0 or _leads_to_several(path))
        ]
        if anchor == content and _paths_in({"": columns.get("document")}):
            ids = _paths_in({"": columns.get("document")})
            of_each.append(next(filter(_leads_to_several, ids), ids[0]))
        parts = [
            part
            for _, record in parts
            for part in records_at(
                record, anchor, of_each, others, location, in_lists=anchor == columns.get("tokens")
            )
        ]
    lists = {*paths.get("tokens", ()), *paths.get("tags", ()), *paths.get("spans", ())}
    for number, (_, part) in enumerate(parts, 1):
        cells = {path: _list_at(part, path) for path in lists if not is_table and path not in part}
        place = location if len(parts) == 1 else f"{location}, {number}"
        yield place, {**part, **{path: cell for path, cell in cells.items() if cell is not _NONE}}


_NONE = object()


def _list_at(row: Mapping[str, Any], path: str) -> Any:
    """Return the list of tokens, tags or spans to which a path leads, or its elements."""
    values = values_at(row, path)
    if not values:
        return _NONE
    is_one = len(values) == 1 and not path.endswith("]")
    inner = values[0] if len(values) == 1 and isinstance(values[0], list) else None
    is_list = inner is not None and (not inner or not isinstance(inner[0], int))
    return values[0] if is_one or is_list or values == [None] else values


def grouped_tokens(data: Any, document: str) -> Any:
    """Return a row for each run of rows of one document, with lists of tokens and tags.

    Data whose rows are not a token each, by the name of a column, are returned as they are, and so
    is what can be gone through only once.

    Raises:
        InputError: for a document whose rows do not follow each other.
    """
    first = None if isinstance(data, Iterator) else next(iter(data), None)
    if not isinstance(first, Mapping):
        return data
    names = [str(name) for name in first]
    token = _token_column(names, first)
    if token is None or document not in first:
        return data
    in_lists = [token, *(name for name in names if name not in (token, document))]
    rows, seen = [], set()
    for id_, document_index in groupby(data, key=lambda row: row.get(document)):
        if id_ in seen:
            raise InputError(
                f"document {quote_value(id_)}: its rows do not follow each other; sort them by"
                " document"
            )
        seen.add(id_)
        tokens = list(document_index)
        lists = {name: [row.get(name) for row in tokens] for name in in_lists}
        rows.append({document: id_, **lists})
    return MappingRows(rows, getattr(data, "features", None))


def _token_column(names: list[str], row: Mapping[str, Any]) -> str | None:
    """Return the column of tokens of a row that is a token; ``None`` if it is not one."""
    for usual in COLUMNS["tokens"]:
        for name in names:
            if plain(name) == usual and isinstance(row[name], str):
                return name
    return None


def cell_of(row: Mapping[str, Any], column: str) -> Any:
    """Return the entry of a column, which may be a path; ``a,b`` are two that make one.

    Raises:
        KeyError: if the row has no such column.

    >>> cell_of({"meta": {"who": "ann"}, "split": "test", "nr": 7}, "split,nr")
    'test/7'
    """
    if column in row:
        return row[column]
    if "," in column:
        return "/".join(str(cell_of(row, part.strip())) for part in column.split(","))
    with suppress(SettingError):  # a name that is no path
        values = values_at(row, column)
        if len(values) > 1:
            raise InputError(
                f"column {quote_value(column)} leads to {pluralize(len(values), 'value')} in a"
                " row; one is needed"
            )
        for value in values:
            return value
    raise KeyError(column)


def words_in(cell: Any) -> Any:
    """Return the list that a cell of a table holds: JSON or Python's, or words with spaces between.

    >>> words_in("Jo is"), words_in('["Jo", "is"]')
    (['Jo', 'is'], ['Jo', 'is'])
    """
    cell = parsed(cell)
    return cell.split() if isinstance(cell, str) else cell


def number_in(cell: Any) -> Any:
    """Return the whole number in a cell of a table, where there is one; else the cell.

    >>> number_in("7"), number_in(7.0), number_in("x")
    (7, 7, 'x')
    """
    if isinstance(cell, str) and _NUMBER.fullmatch(cell):
        return int(float(cell))
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


class DatasetColumns:
    """The columns that are asked for: of an Arrow table as Arrow, else as lists."""

    def __init__(self, data: Any, lists: Sequence[str], others: Sequence[str] = ()) -> None:
        wanted = [*lists, *others]
        self.features: Mapping[str, Any] = getattr(data, "features", None) or {}
        self.table: Any = arrow_table(data, wanted)
        self.lists: dict[str, list[Any]] = {column: [] for column in wanted}
        if self.table is None:
            flat = getattr(data, "flat", False)
            for _, row in rows_of(data, wanted):
                for column, values in self.lists.items():
                    cell = cell_of(row, column)
                    values.append(_light(words_in(cell) if flat and column in lists else cell))

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
                    location = f"column {quote_value(column)}, row {i + 1}:"
                    raise invalid_value(location, row, "a list of tags is needed")
            sizes = [-1 if row is None else len(row) for row in values]
            flat = list(chain.from_iterable(row for row in values if row is not None))
            return flat, np.array(sizes, np.int64)
        array = self.table.column(column).combine_chunks()
        if hasattr(array, "chunks"):  # older releases keep a chunked array
            array = array.chunk(0) if array.num_chunks else array
        if not hasattr(array, "value_lengths"):
            raise InputError(
                f"column {quote_value(column)} has no lists; a list of tags a row is needed"
            )
        lengths = array.value_lengths()
        return array.flatten(), np.array(lengths.fill_null(-1).to_numpy(zero_copy_only=False))


def arrow_table(data: Any, wanted: Sequence[str], maybe: Sequence[str] = ()) -> Any:
    """Return the columns of a Dataset as an Arrow table; of other data, or an odd column, none.

    Raises:
        SettingError: for a column that is not there.
        InputError: for data that are damaged.
    """
    form = getattr(data, "format", None)
    transformed = isinstance(form, Mapping) and form.get("type") == "custom"
    if not (hasattr(data, "with_format") and hasattr(data, "data")) or transformed:
        return None
    names = list(data.column_names)
    if any(column not in names and re.search("[.,]", column) for column in wanted):
        return None
    _check(wanted, names)
    chosen = dict.fromkeys([*wanted, *(column for column in maybe if column in names)])
    table = data.select_columns(list(chosen)).with_format("arrow")[:]
    try:
        table.validate(full=True)
    except Exception as error:  # Arrow's own, whose library need not be there
        raise InputError(f"the data are damaged: {reason(error)}; write them anew") from None
    return table


def rows_of(
    data: Any, wanted: Sequence[str], maybe: Sequence[str] = ()
) -> Iterator[tuple[str, Any]]:
    """Yield rows, each with its place; they have the columns wanted, and may have some more.

    Raises:
        SettingError: for a column that a row has not, or of data with gaps no row.
        InputError: for rows that are not mappings.
    """
    if (table := arrow_table(data, wanted, maybe)) is not None:
        batches = (batch.to_pylist() for batch in table.to_batches(max_chunksize=1000))
        data = chain.from_iterable(batches)
    rows = data if isinstance(data, MappingRows) else MappingRows(data)
    lacking = dict.fromkeys(wanted)
    known: dict[str, None] = {}
    for location, row in rows.placed():
        if not isinstance(row, Mapping):
            raise invalid_value(f"{location}:", row, "rows are mappings")
        missing = [name for name in wanted if name not in row and not has(row, name)]
        if missing and not rows.gaps:
            _check(missing, list(row), f"{location}: ")
        if rows.gaps:
            if not row.keys() <= known.keys():
                known |= dict.fromkeys(row)
            if lacking:
                lacking = {column: None for column in lacking if column in missing}
            if missing:
                row = {**row, **dict.fromkeys(missing)}
        yield location, row
    if rows.gaps:
        _check(lacking, list(known))


def each_row(data: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a data frame, an Arrow table, a Dataset, or others, each with its place.

    Raises:
        InputError: for rows that are not mappings.
    """
    data = _frame_rows(data)
    if isinstance(data, (str, bytes, Mapping)) or not is_iterable(data):
        raise invalid_value(
            "rows", data, "a data frame, a Dataset, or rows that are mappings, is needed"
        )
    for location, row in (data if isinstance(data, MappingRows) else MappingRows(data)).placed():
        if not isinstance(row, Mapping):
            raise invalid_value(f"{location}:", row, "rows are mappings")
        yield location, row


def has(row: Mapping[str, Any], column: str) -> bool:
    """Return whether a row has a column."""
    try:
        cell_of(row, column)
    except KeyError:
        return False
    return True


def _check(wanted: Iterable[str], existing: Sequence[str], location: str = "") -> None:
    for column in wanted:
        if column not in existing:
            there = join_names(existing) or "none"
            raise SettingError(f"{location}no column {quote_value(column)}; there are {there}")


def _light(cell: Any) -> Any:
    """Return a list of texts with each of these kept once, whatever their number; others as is."""
    if isinstance(cell, list):
        with suppress(TypeError):
            return list(map(sys.intern, cell))
    return cell


def layer_names(
    features: Any, column: str, given: Sequence[str] | Mapping[str, Sequence[str]] | None
) -> list[str] | None:
    """Return the names of a column's label ids, from the caller or from the features."""
    if isinstance(given, Mapping):
        given = given.get(column)
    if given is not None:
        return list(given)
    feature = (features or {}).get(column)
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
    odd = f"column {quote_value(column)}: tags are strings or whole numbers; there are others"
    if hasattr(flat, "dictionary_encode") and str(flat.type) in ("string", "large_string"):
        coded = flat.dictionary_encode()
        indices = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        known = coded.dictionary.to_pylist()
        ignored = [i for i, tag in enumerate(known) if is_ignored(tag)]
        indices = indices.astype(np.int64)
        return known, np.where(np.isin(indices, ignored), -1, indices) if ignored else indices
    if isinstance(flat, list) and any(isinstance(tag, str) for tag in flat):
        if not all(isinstance(tag, (str, int, type(None))) for tag in flat):
            raise InputError(odd)
        number = Vocabulary()
        left_out = (None, IGNORED, str(IGNORED))
        numbers = [-1 if tag in left_out else number[tag] for tag in flat]
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
            f"column {quote_value(column)} has label ids, but their names are not known;"
            " label_names= of"
            " spanagree.formats.from_dataset names them, or the features of a Dataset that is saved"
        )
    outside = (codes >= len(names)) | ((codes < 0) & (codes != IGNORED))
    if outside.any():
        raise InputError(
            f"column {quote_value(column)}: label id {codes[outside.argmax()]}; with"
            f" {pluralize(len(names), 'name')}, 0 to {len(names) - 1} and {IGNORED} are allowed"
        )
    return names, np.where(codes == IGNORED, -1, codes)
