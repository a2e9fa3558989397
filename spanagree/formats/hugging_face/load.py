"""Loading of datasets from a folder, a file or a hub."""

from __future__ import annotations

import os
import re
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    MissingColumnError,
    SettingError,
    SpanAgreeError,
    escape_name,
    escape_path,
    find_reason,
    invalid_value,
    quote_value,
)
from spanagree.extras import import_optional, read_parquet
from spanagree.files import PathName, check_encoding, extract_base_name, parse_json, read_text
from spanagree.formats.csv_rows import read_csv_rows
from spanagree.formats.file_head import FileHead, read_head
from spanagree.formats.hugging_face.columns import MappingRows
from spanagree.formats.hugging_face.guess import LOOKED_AT, guess_columns
from spanagree.formats.hugging_face.read import read_raw_dataset
from spanagree.formats.joined_texts import TextLookup, find_first_column
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.usual_names import ID_NAMES
from spanagree.settings import build_reading_settings

_OLDEST = 4  # first major release of datasets that runs no scripts
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9_][\w.-]*)?")


def read_dataset(path: PathName, **options: Any) -> RawCorpus:
    """Read the rows of a file, or of a folder saved by datasets, without checks.

    Raises:
        SettingError: if datasets is not installed; it is not needed for JSON.
        InputError: if the file is missing or cannot be read.
    """
    name = escape_path(path)
    if not Path(path).exists():
        raise InputError(f"{name}: no such file")
    encoding = options.pop("encoding", "utf-8")
    texts: TextLookup | None = options.pop("texts", None)
    check_encoding(encoding)
    try:
        data = _read_contents(name, os.fsdecode(path), encoding)
        is_own_split = isinstance(data, Mapping) and _is_own_split(data)
        if is_own_split and not options.keys() & {"tags", "spans", "split"}:
            data = _import_datasets(name).concatenate_datasets([*data.values()])
        has_texts = texts is not None and not options.get("strings")
        if has_texts and texts is not None and isinstance(data, (_Records, _TextTable)):
            guessed, _ = guess_columns(data, options, f"{name}: ")
            if not {**options, **guessed}.keys() & {"text", "tokens", "length", "tags"}:
                if options.get("spans") is not None and guessed.get("document") is None:
                    options.setdefault("document", _find_id_column(data))
                data = _JoinedRows(data, texts, options.get("document"))
        raw = read_raw_dataset(data, file=name, **options)
    except MissingColumnError as error:
        raise _build_column_error(error, name, options, has_others=texts is not None) from None
    except SpanAgreeError:
        raise
    except Exception as error:  # any error of the decoders
        raise InputError(f"{name}: cannot be read as a dataset: {find_reason(error)}") from None
    notes = (*raw.notes, *(texts.yield_notes(f"{name}: ") if texts is not None else ()))
    reading = build_reading_settings(encoding, **raw.reading.get("read", {}))
    return raw.replace(reading={**raw.reading, **reading}, notes=notes)


def _find_id_column(data: MappingRows) -> str | None:
    """Find the column of the ids by which rows take their texts, as they are documents by them."""
    first_row: Any = next(iter(data), None)
    return find_first_column(first_row, ID_NAMES) if isinstance(first_row, Mapping) else None


def _build_column_error(
    error: MissingColumnError, name: str, options: Mapping[str, Any], *, has_others: bool
) -> SettingError:
    """Build the error for a column that a file lacks.

    Args:
        error: error of the rows.
        name: printable name of the file.
        options: options of reading.
        has_others: True if there are other files, which may have the column.
    """
    message = str(error) if str(error).startswith(name) else f"{name}: {error}"
    option = next((key for key, value in options.items() if value == error.column), None)
    if has_others and option is not None:
        message += f"; --{option} FILE:{error.column} names it in one of several files"
    return SettingError(message)


def guess_from_head(head: FileHead) -> dict[str, Any]:
    """Guess the columns with spans or tags from the beginning of a file.

    Returned are settings of the reader. They are empty if the file has no such columns, or if there
    are several candidates, for which the reader raises an error later.
    """
    try:
        return _guess_from_head(head)
    except InputError:
        return {"tags": None, "spans": None}


def _guess_from_head(head: FileHead) -> dict[str, Any]:
    """Guess the columns of a dataset from the beginning of its file; empty for other formats."""
    if head.shape in ("json", "jsonl"):
        return guess_columns(head.objects, {})[0] if head.objects else {}
    if head.shape not in ("csv", "tsv"):
        return {}
    rows: list[Any] = []
    # latin-1 decodes any bytes but zeros; reading raises if it is not the encoding of the file
    for encoding in ("utf-8", "latin-1", "utf-16-le", "utf-16-be"):
        if not rows:
            with suppress(InputError):  # reading raises the error of a row
                rows.extend(islice(_TextTable(head.path, encoding), LOOKED_AT))
    first_rows = MappingRows(rows)
    first_rows.flat = True
    return guess_columns(first_rows, {})[0]


def open_rows(path: PathName, encoding: str = "utf-8") -> Any:
    """Open a file, or a folder saved by datasets, as rows or as a dataset of the library.

    Raises:
        SettingError: if datasets is needed and not installed.
        InputError: if the file cannot be read; a file that is no table raises it when rows are
            read.
    """
    return _read_contents(escape_path(path), os.fsdecode(path), encoding)


def _read_contents(name: str, path: str, encoding: str) -> Any:
    """Read the contents of a file or folder, as rows or as a dataset of the library."""
    if Path(path).is_dir():
        return _load_saved(name, path)
    with open(path, "rb") as file:
        start = file.read(4)
    if start == b"PAR1" or Path(path).suffix.lower() == ".parquet":
        return _read_parquet(name, path)
    shape = read_head(path).shape
    is_table = (
        shape == "text" and Path(path).suffix.lower() == ".csv"
    )  # a table with odd rows, or without rows
    row_class = _TextTable if is_table or shape in ("csv", "tsv") else _Records
    return row_class(path, encoding)


class _File(MappingRows):
    """Rows of a file."""

    def __init__(self, path: str, encoding: str) -> None:
        super().__init__()
        self.path, self.encoding = path, encoding


class _Records(_File):
    """Objects in a JSON file, one by one; keys that an object lacks are null."""

    gaps = True

    def yield_located_rows(self) -> Iterator[tuple[str, Any]]:
        """Yield the objects, each with its location.

        Raises:
            InputError: if the JSON is invalid, or a value is not an object.
        """
        expected, location = "a list of objects, or one a line, is needed", ""
        for location, row in yield_json_records(self.path, expected, self.encoding):
            if not isinstance(row, dict):
                raise invalid_value(f"{location}:", row, expected)
            yield location, row
        if not location:
            raise InputError(f"{escape_name(self.path)}: no rows; {expected}")


class _TextTable(_File):
    """Rows of a table in text; an empty entry is null."""

    flat = True

    def yield_located_rows(self) -> Iterator[tuple[str, Any]]:
        """Yield the rows as mappings of the names in the header, each with its line.

        Raises:
            InputError: if two columns have the same name, or a row is invalid (see
                :func:`spanagree.formats.csv_rows.read_csv_rows`).
        """
        name = escape_name(self.path)
        rows = read_csv_rows(self.path, self.encoding)
        _, header = next(rows, (0, []))
        for column in header:
            if header.count(column) > 1:
                raise InputError(
                    f"{name}: two columns are called {quote_value(column)}; each needs its own name"
                )
        line = 0
        for line, row in rows:
            cells = (cell if cell.strip() else None for cell in row)
            yield f"{name}:{line}", dict(zip(header, cells, strict=True))
        if not line:
            raise InputError(f"{name}: no rows; a header and rows are needed")


class _JoinedRows(MappingRows):
    """Rows without texts, joined with the texts in other files."""

    def __init__(self, data: MappingRows, texts: TextLookup, document: str | None) -> None:
        super().__init__()
        self.data, self.texts, self.document = data, texts, document
        self.flat, self.gaps = data.flat, data.gaps

    def yield_located_rows(self) -> Iterator[tuple[str, Any]]:
        """Yield the rows of documents that have a text, each with its location."""
        return self.texts.yield_rows(self.data.yield_located_rows(), self.document)


def _read_parquet(name: str, path: str) -> Any:
    """Read a Parquet file as a Dataset."""
    datasets = _import_datasets(name)
    parquet = import_optional("pyarrow.parquet", "datasets", f"reading {name}")
    return datasets.Dataset(read_parquet(parquet, name, path))


def _load_saved(name: str, path: str) -> Any:
    """Load a dataset from the folder in which ``save_to_disk`` saved it."""
    datasets = _import_datasets(name)
    _check_names(name, path)
    with tempfile.TemporaryDirectory() as folder:  # "::" in a path would be read as an address
        link = Path(folder, "saved")
        link.symlink_to(os.path.abspath(path))
        saved = datasets.load_from_disk(str(link))
    for split in saved.values() if isinstance(saved, Mapping) else [saved]:
        split.data.validate(full=True)  # reading damaged data can crash the process
    return saved


def _check_names(name: str, path: str) -> None:
    """Check that a saved dataset names files and parts in its own folder only.

    Raises:
        InputError: if a name leads elsewhere, or a description is not JSON.
    """
    names_key_by_file = {"dataset_dict.json": "splits", "state.json": "_data_files"}
    for file in (file for file in Path(path).rglob("*.json") if file.name in names_key_by_file):
        location = f"{name}/{escape_name(file.relative_to(path).as_posix())}"
        value = parse_json(read_text(file), location, "save the dataset once more")
        names = value.get(names_key_by_file[file.name]) if isinstance(value, dict) else None
        for entry in names if isinstance(names, list) else ():
            text = entry.get("filename") if isinstance(entry, dict) else entry
            if not isinstance(text, str) or extract_base_name(text) != text:
                raise InputError(
                    f"{location}: {quote_value(text)} is not a name in its folder; save the dataset"
                    " once more"
                )


def _import_datasets(name: str) -> Any:
    """Import datasets, in a release that does not run code that comes with data."""
    datasets = import_optional("datasets", "datasets", f"reading {name}")
    if int(datasets.__version__.partition(".")[0]) < _OLDEST:
        raise SettingError(
            f"datasets {datasets.__version__} may run code that comes with data; run: pip install"
            f" 'datasets>={_OLDEST}'"
        )
    mute_datasets(datasets)
    return datasets


def _is_own_split(data: Mapping[str, Any]) -> bool:
    """Check whether this package wrote a saved dataset, so that its parts are one corpus."""
    names = [list(split.column_names) for split in data.values()]
    spans = names and any(name.startswith("spans:") for name in names[0])
    return bool(spans) and all(split_names == names[0] for split_names in names)


def mute_datasets(datasets: Any) -> None:
    """Switch off the progress bars and log messages of the library."""
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    datasets.disable_progress_bars()


def read_hub(name: PathName, **options: Any) -> RawCorpus:
    """Read the rows of a dataset on the hub without checks. Default: its first split.

    Raises:
        SettingError: if datasets is not installed.
        InputError: if the hub cannot be reached, or the dataset cannot be read.
    """
    printable_name = escape_path(name)
    datasets = _import_datasets(printable_name)
    packaged = getattr(datasets.packaged_modules, "_PACKAGED_DATASETS_MODULES", ())
    if os.path.exists(name) or not _HUB_NAME.fullmatch(os.fspath(name)) or name in packaged:
        raise InputError(
            f"{printable_name}: not the name of a dataset on the hub, such as OWNER/NAME; files and"
            " folders"
            " are read with --from dataset"
        )
    hub = import_optional(
        "huggingface_hub.constants", "datasets", f"reading {printable_name}"
    ).ENDPOINT
    try:  # fails at once; the client would retry for half a minute
        location = urlsplit(hub)
        socket.create_connection((location.hostname or "", location.port or 443), 1.5).close()
    except OSError as error:
        raise InputError(
            f"{printable_name}: the hub cannot be reached ({error}); name a file, or try again"
            " later"
        ) from None
    try:
        data = datasets.load_dataset(os.fspath(name))
    except Exception as error:  # any error of the hub's client
        raise InputError(
            f"{printable_name}: cannot be read from the hub: {find_reason(error)}"
        ) from None
    return read_raw_dataset(data, **{"split": next(iter(data)), **options})
