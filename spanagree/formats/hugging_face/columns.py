"""Rows of mappings from any container, and the entries of their columns."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, groupby
from typing import Any

import numpy as np

from spanagree.arrays import Ints, Vocabulary
from spanagree.corpus.tags import IGNORED, is_ignored
from spanagree.errors import (
    InputError,
    MissingColumnError,
    SettingError,
    count_entries,
    find_reason,
    invalid_choice,
    invalid_value,
    is_iterable,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.extras import import_optional
from spanagree.formats.hugging_face.spans import parse_cell
from spanagree.formats.paths import find_values, leads_to_several, yield_inner_records
from spanagree.formats.usual_names import COLUMNS, simplify_name

_NUMBER = re.compile(r"\s*-?[0-9]{1,15}(\.0+)?\s*", re.ASCII)


class MappingRows:
    """Rows that are mappings.

    Attributes:
        features: a dataset's description of its columns.
        gaps: True if a row may lack columns; their entries are null.
        flat: True if all entries are text, as in CSV, so that lists are written as text.
    """

    features: Any = None
    gaps = False
    flat = False

    def __init__(self, rows: Iterable[Any] = (), features: Any = None) -> None:
        self.rows: Iterable[Any] = rows
        self.features = features

    def yield_located_rows(self) -> Iterator[tuple[str, Any]]:
        """Yield the rows, each with its location for errors."""
        for row_number, row in enumerate(self.rows, 1):
            yield f"row {row_number}", row

    def __iter__(self) -> Iterator[Any]:
        return (row for _, row in self.yield_located_rows())


def choose_split(data: Any, split: str | None) -> Any:
    """Select a split of a DatasetDict, and convert tables in memory to lists of rows.

    Other data are returned unchanged.

    Args:
        data: rows of any kind.
        split: name of the split, or `None` for data without splits.

    Raises:
        SettingError: if a split is missing, unknown, or there are none.
        InputError: if the data are not rows.
    """
    if isinstance(data, Mapping):
        if split is None:
            raise SettingError(
                f"a mapping of {join_names(map(str, data))}; split= names which of them to read;"
                " of several annotators, each needs a path, or a list of tag lists or of Docs"
            )
        if split not in data:
            raise invalid_choice(split, data, "split")
        data = data[split]
    elif split is not None:
        raise SettingError(f"split {quote_value(split)}, but the data has no splits; leave it out")
    data = _convert_table_to_rows(data)
    if isinstance(data, (str, bytes)) or not is_iterable(data):
        raise invalid_value("data", data, "a Dataset, or rows that are mappings, is needed")
    return data


def _convert_table_to_rows(data: Any) -> Any:
    """Convert a table of Polars, Arrow or pandas to a list of rows; return other data unchanged."""
    if hasattr(data, "features"):  # a dataset, of which only some columns are converted
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
    """Check whether a cell is empty: ``nan``, or a missing value of pandas."""
    return type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, float) and value != value
    )


class _NestedRows(MappingRows):
    """Records nested in rows. Each record becomes a row; columns are paths to its entries."""

    def __init__(self, data: Any, columns: Mapping[str, Any]) -> None:
        super().__init__(data, getattr(data, "features", None))
        self.gaps, self.flat = getattr(data, "gaps", False), getattr(data, "flat", False)
        self.columns = columns

    def yield_located_rows(self) -> Iterator[tuple[str, Any]]:
        """Yield the records, each with its location."""
        rows = self.rows if isinstance(self.rows, MappingRows) else MappingRows(self.rows)
        for location, row in rows.yield_located_rows():
            yield from _yield_records(row, self.columns, location)


def split_records(data: Any, columns: Mapping[str, Any]) -> Any:
    """Split rows into their records, if a column is a path to several values in a row."""
    if not any(map(_is_path_to_several, _split_paths(columns))):
        return data
    rows = _NestedRows(data, columns)
    return iter(rows) if isinstance(data, Iterator) else rows


def _split_paths(columns: Mapping[str, Any]) -> list[str]:
    """Split the values of options into paths; an option may name several."""
    values = [
        option
        for value in columns.values()
        for option in (value.values() if isinstance(value, Mapping) else [value])
    ]
    return [path.strip() for value in values if isinstance(value, str) for path in value.split(",")]


def _is_path_to_several(path: str) -> bool:
    """Check whether a name is a path that may lead to several values."""
    try:
        return leads_to_several(path)
    except SettingError:  # a name that is not a path
        return False


def _yield_records(
    row: Any, columns: Mapping[str, Any], location: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the records in a row: one for each text or list of tokens, and each annotator in it.

    ``columns`` are the paths that are read, by use.

    Raises:
        InputError: if paths lead to values in different records.
    """
    if not isinstance(row, Mapping):
        yield location, row
        return
    paths = {name: _split_paths({name: columns.get(name)}) for name in columns}
    paths = {
        name: list(filter(_is_path_to_several, candidates)) for name, candidates in paths.items()
    }
    marked_paths = [
        *_split_paths({"": columns.get("spans")}),
        *_split_paths({"": columns.get("tags")}),
    ]
    is_table = isinstance(columns.get("spans"), str) and len(marked_paths) > 1
    content = next((columns[name] for name in ("tokens", "text") if columns.get(name)), "")
    records: list[tuple[str, Any]] = [("", dict(row))]
    anchors = [content, *paths.get("annotator", ()), *(marked_paths[:1] if is_table else ())]
    for index, anchor in enumerate(filter(_is_path_to_several, anchors)):
        other_paths = [
            path for name in paths for path in paths[name] if path not in (anchor, *marked_paths)
        ]
        element_paths = [
            path
            for path in marked_paths
            if path != anchor and (index == 0 or _is_path_to_several(path))
        ]
        if anchor == content and _split_paths({"": columns.get("document")}):
            ids = _split_paths({"": columns.get("document")})
            element_paths.append(next(filter(_is_path_to_several, ids), ids[0]))
        records = [
            inner_record
            for _, record in records
            for inner_record in yield_inner_records(
                record,
                anchor,
                element_paths,
                other_paths,
                location,
                in_lists=anchor == columns.get("tokens"),
            )
        ]
    list_paths = {*paths.get("tokens", ()), *paths.get("tags", ()), *paths.get("spans", ())}
    for index, (_, record) in enumerate(records, 1):
        cells = {
            path: _find_list(record, path)
            for path in list_paths
            if not is_table and path not in record
        }
        record_location = location if len(records) == 1 else f"{location}, {index}"
        yield (
            record_location,
            {**record, **{path: cell for path, cell in cells.items() if cell is not _NONE}},
        )


_NONE = object()


def _find_list(row: Mapping[str, Any], path: str) -> Any:
    """Find the list of tokens, tags or spans at a path, or the values that the path leads to."""
    values = find_values(row, path)
    if not values:
        return _NONE
    is_one = len(values) == 1 and not path.endswith("]")
    first_list = values[0] if len(values) == 1 and isinstance(values[0], list) else None
    is_list = first_list is not None and (not first_list or not isinstance(first_list[0], int))
    return values[0] if is_one or is_list or values == [None] else values


def join_token_rows(data: Any, document: str) -> Any:
    """Build a row with lists of tokens and tags for each run of rows of the same document.

    Data are returned unchanged if their rows are not tokens, by the names of columns, or if they
    can be iterated only once.

    Raises:
        InputError: if the rows of a document are not consecutive.
    """
    first = None if isinstance(data, Iterator) else next(iter(data), None)
    if not isinstance(first, Mapping):
        return data
    names = [str(name) for name in first]
    token = _find_token_column(names, first)
    if token is None or document not in first:
        return data
    in_lists = [token, *(name for name in names if name not in (token, document))]
    rows, known_ids = [], set()
    for id_, document_rows in groupby(data, key=lambda row: row.get(document)):
        if id_ in known_ids:
            raise InputError(
                f"document {quote_value(id_)}: its rows do not follow each other; sort them by"
                " document"
            )
        known_ids.add(id_)
        tokens = list(document_rows)
        lists = {name: [row.get(name) for row in tokens] for name in in_lists}
        rows.append({document: id_, **lists})
    return MappingRows(rows, getattr(data, "features", None))


def _find_token_column(names: list[str], row: Mapping[str, Any]) -> str | None:
    """Find the column of tokens if each row is a token; `None` if there is no such column."""
    for usual in COLUMNS["tokens"]:
        for name in names:
            if simplify_name(name) == usual and isinstance(row[name], str):
                return name
    return None


def get_cell(row: Mapping[str, Any], column: str) -> Any:
    """Return the entry of a column, which may be a path; ``a,b`` joins two columns.

    Raises:
        KeyError: if the row has no such column.

    >>> get_cell({"meta": {"who": "ann"}, "split": "test", "nr": 7}, "split,nr")
    'test/7'
    """
    if column in row:
        return row[column]
    if "," in column:
        return "/".join(str(get_cell(row, name.strip())) for name in column.split(","))
    with suppress(SettingError):  # a name that is not a path
        values = find_values(row, column)
        if len(values) > 1:
            raise InputError(
                f"column {quote_value(column)} leads to {pluralize(len(values), 'value')} in a"
                " row; one is needed"
            )
        for value in values:
            return value
    raise KeyError(column)


def parse_words(cell: Any) -> Any:
    """Parse the list in a cell of a table: JSON, a Python literal, or words between spaces.

    >>> parse_words("Jo is"), parse_words('["Jo", "is"]')
    (['Jo', 'is'], ['Jo', 'is'])
    """
    cell = parse_cell(cell)
    return cell.split() if isinstance(cell, str) else cell


def parse_integer(cell: Any) -> Any:
    """Parse the integer in a cell of a table; other cells are returned unchanged.

    >>> parse_integer("7"), parse_integer(7.0), parse_integer("x")
    (7, 7, 'x')
    """
    if isinstance(cell, str) and _NUMBER.fullmatch(cell):
        return int(float(cell))
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


class DatasetColumns:
    """Some columns of a dataset: Arrow arrays of an Arrow table, else lists."""

    def __init__(self, data: Any, lists: Sequence[str], scalars: Sequence[str] = ()) -> None:
        columns = [*lists, *scalars]
        self.features: Mapping[str, Any] = getattr(data, "features", None) or {}
        self.table: Any = build_arrow_table(data, columns)
        self.lists: dict[str, list[Any]] = {column: [] for column in columns}
        if self.table is None:
            is_text = getattr(data, "flat", False)
            for _, row in yield_required_rows(data, columns):
                for column, values in self.lists.items():
                    cell = get_cell(row, column)
                    values.append(
                        _intern_texts(parse_words(cell) if is_text and column in lists else cell)
                    )

    def list_entries(self, column: str) -> list[Any]:
        """List the entries of a column."""
        if self.table is not None:
            return list(self.table.column(column).to_pylist())
        return self.lists[column]

    def concatenate_entries(self, column: str) -> tuple[Any, Ints]:
        """Concatenate the entries of a column of lists.

        Returns:
            Entries of all rows, and number of entries of each row, −1 for null.
        """
        if self.table is None:
            values = self.lists[column]
            for i, row in enumerate(values):
                if isinstance(row, (str, bytes)) or not (
                    row is None or count_entries(row) is not None
                ):
                    location = f"column {quote_value(column)}, row {i + 1}:"
                    raise invalid_value(location, row, "a list of tags is needed")
            sizes = [-1 if row is None else len(row) for row in values]
            entries = list(chain.from_iterable(row for row in values if row is not None))
            return entries, np.array(sizes, np.int64)
        array = self.table.column(column).combine_chunks()
        if hasattr(array, "chunks"):  # older releases keep a chunked array
            array = array.chunk(0) if array.num_chunks else array
        if not hasattr(array, "value_lengths"):
            raise InputError(
                f"column {quote_value(column)} has no lists; a list of tags a row is needed"
            )
        lengths = array.value_lengths()
        return array.flatten(), np.array(lengths.fill_null(-1).to_numpy(zero_copy_only=False))


def build_arrow_table(data: Any, required: Sequence[str], optional: Sequence[str] = ()) -> Any:
    """Convert some columns of a Dataset to an Arrow table.

    The result is `None` for data of another type, and for columns that are paths in nested data.

    Args:
        data: dataset.
        required: columns that the table needs.
        optional: columns that the table has if the data have them.

    Raises:
        SettingError: if a column is missing.
        InputError: if the data are damaged.
    """
    data_format = getattr(data, "format", None)
    is_transformed = isinstance(data_format, Mapping) and data_format.get("type") == "custom"
    if not (hasattr(data, "with_format") and hasattr(data, "data")) or is_transformed:
        return None
    existing = list(data.column_names)
    if any(column not in existing and re.search("[.,]", column) for column in required):
        return None
    _check_columns(required, existing)
    columns = dict.fromkeys([*required, *(column for column in optional if column in existing)])
    table = data.select_columns(list(columns)).with_format("arrow")[:]
    try:
        table.validate(full=True)
    except Exception as error:  # an error of Arrow, which may not be installed
        raise InputError(f"the data are damaged: {find_reason(error)}; write them anew") from None
    return table


def yield_required_rows(
    data: Any, required: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[str, Any]]:
    """Yield rows, each with its location.

    Args:
        data: rows of any kind.
        required: columns that each row has.
        optional: columns that rows have if the data have them.

    Raises:
        SettingError: if a row lacks a column, or all rows lack it in data with gaps.
        InputError: if rows are not mappings.
    """
    if (table := build_arrow_table(data, required, optional)) is not None:
        batches = (batch.to_pylist() for batch in table.to_batches(max_chunksize=1000))
        data = chain.from_iterable(batches)
    rows = data if isinstance(data, MappingRows) else MappingRows(data)
    lacking_columns = dict.fromkeys(required)
    known_columns: dict[str, None] = {}
    for location, row in rows.yield_located_rows():
        if not isinstance(row, Mapping):
            raise invalid_value(f"{location}:", row, "rows are mappings")
        missing_columns = [
            name for name in required if name not in row and not has_column(row, name)
        ]
        if missing_columns and not rows.gaps:
            _check_columns(missing_columns, list(row), f"{location}: ")
        if rows.gaps:
            if not row.keys() <= known_columns.keys():
                known_columns |= dict.fromkeys(row)
            if lacking_columns:
                lacking_columns = {
                    column: None for column in lacking_columns if column in missing_columns
                }
            if missing_columns:
                row = {**row, **dict.fromkeys(missing_columns)}
        yield location, row
    if rows.gaps:
        _check_columns(lacking_columns, list(known_columns))


def yield_each_row(data: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a data frame, an Arrow table, a Dataset or an iterable, with locations.

    Raises:
        InputError: if rows are not mappings.
    """
    data = _convert_table_to_rows(data)
    if isinstance(data, (str, bytes, Mapping)) or not is_iterable(data):
        raise invalid_value(
            "rows", data, "a data frame, a Dataset, or rows that are mappings, is needed"
        )
    for location, row in (
        data if isinstance(data, MappingRows) else MappingRows(data)
    ).yield_located_rows():
        if not isinstance(row, Mapping):
            raise invalid_value(f"{location}:", row, "rows are mappings")
        yield location, row


def has_column(row: Mapping[str, Any], column: str) -> bool:
    """Check whether a row has a column."""
    try:
        get_cell(row, column)
    except KeyError:
        return False
    return True


def check_named_columns(rows: Iterable[Any], columns: Iterable[str]) -> None:
    """Check that each column is in one of the rows; the error names the first that is in none.

    Raises:
        MissingColumnError: if a column is in no row.
    """
    missing, existing = dict.fromkeys(columns), dict[str, None]()
    for row in rows:
        if not missing:
            return
        if isinstance(row, Mapping):
            existing |= dict.fromkeys(str(name) for name in row)
            missing = {name: None for name in missing if not has_column(row, name)}
    _check_columns(missing, list(existing))


def _check_columns(columns: Iterable[str], existing: Sequence[str], location: str = "") -> None:
    """Check that columns exist; the error names the first that does not."""
    for column in columns:
        if column not in existing:
            available = join_names(existing) or "none"
            raise MissingColumnError.from_column(
                f"{location}no column {quote_value(column)}; there are {available}", column
            )


def _intern_texts(cell: Any) -> Any:
    """Intern the texts in a list, so that equal texts share memory; other cells are unchanged."""
    if isinstance(cell, list):
        with suppress(TypeError):
            return list(map(sys.intern, cell))
    return cell


def find_label_names(
    features: Any, column: str, label_names: Sequence[str] | Mapping[str, Sequence[str]] | None
) -> list[str] | None:
    """Find the names of a column's label ids, from the caller or from the features.

    Args:
        features: features of a dataset, or `None`.
        column: the column.
        label_names: names for all columns, or by column, from the caller.

    Returns:
        The names, or `None` if they are unknown.
    """
    if isinstance(label_names, Mapping):
        label_names = label_names.get(column)
    if label_names is not None:
        return list(label_names)
    feature = (features or {}).get(column)
    while feature is not None and not hasattr(feature, "names"):
        if isinstance(feature, (list, tuple)) and feature:
            feature = feature[0]
        elif isinstance(feature, Mapping):
            feature = feature.get("label")
        else:
            feature = getattr(feature, "feature", None)
    return None if feature is None else list(feature.names)


def encode_tags(tags: Any, names: list[str] | None, column: str) -> tuple[list[str], Ints]:
    """Encode tags or label ids as integers, −1 for tags to leave out.

    Args:
        tags: tags or label ids of all rows.
        names: names of label ids, or `None`.
        column: the column, for messages.

    Returns:
        The distinct tags, and the index of the tag of each token.

    Raises:
        InputError: if a tag is neither a string nor an integer, or an id has no name.
        SettingError: if the names of ids are unknown.
    """
    message = f"column {quote_value(column)}: tags are strings or whole numbers; there are others"
    if hasattr(tags, "dictionary_encode") and str(tags.type) in ("string", "large_string"):
        coded = tags.dictionary_encode()
        indices = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        distinct_tags = coded.dictionary.to_pylist()
        ignored = [i for i, tag in enumerate(distinct_tags) if is_ignored(tag)]
        indices = indices.astype(np.int64)
        return distinct_tags, np.where(
            np.isin(indices, ignored), -1, indices
        ) if ignored else indices
    if isinstance(tags, list) and any(isinstance(tag, str) for tag in tags):
        if not all(isinstance(tag, (str, int, type(None))) for tag in tags):
            raise InputError(message)
        code_by_tag = Vocabulary()
        missing_tags = (None, IGNORED, str(IGNORED))
        tag_codes = [-1 if tag in missing_tags else code_by_tag[tag] for tag in tags]
        return list(code_by_tag), np.array(tag_codes, np.int64)
    try:
        values = tags if isinstance(tags, list) else tags.to_numpy(zero_copy_only=False)
        casting: Any = "same_kind" if len(tags) else "unsafe"
        codes = np.asarray(values).astype(np.int64, casting=casting, copy=False)
    except (TypeError, ValueError):
        raise InputError(message) from None
    if codes.ndim != 1:  # lists within lists
        raise InputError(message)
    if not len(codes):
        return names or [], codes
    if names is None:
        raise SettingError(
            f"column {quote_value(column)} has label ids, but their names are not known;"
            " --label-names NAME,... (label_names=) names them, or the features of a Dataset that"
            " is saved"
        )
    outside = (codes >= len(names)) | ((codes < 0) & (codes != IGNORED))
    if outside.any():
        raise InputError(
            f"column {quote_value(column)}: label id {codes[outside.argmax()]}; with"
            f" {pluralize(len(names), 'name')}, 0 to {len(names) - 1} and {IGNORED} are allowed"
        )
    return names, np.where(codes == IGNORED, -1, codes)
