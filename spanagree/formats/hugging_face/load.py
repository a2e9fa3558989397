"""Load a dataset from a folder, a file or a hub."""

from __future__ import annotations

import os
import re
import socket
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, SettingError, SpanAgreeError, printable, reason, unfit
from spanagree.extras import optional
from spanagree.files import PathName, from_json, read_parquet, read_text
from spanagree.formats.hugging_face.read import raw_dataset

_OLDEST = 4  # the first major release of datasets that runs no scripts


_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9_][\w.-]*)?")


def read_dataset(path: PathName, **options: Any) -> RawCorpus:
    """Return the rows of a file, or of a folder in which datasets saved some, unchecked.

    Raises:
        SettingError: if datasets is not installed; JSON is read without it.
        InputError: for what is not there or cannot be read.
    """
    name = printable(os.fspath(path))
    if not Path(path).exists():
        raise InputError(f"{name}: no such file")
    kinds = {".csv": _csv, ".tsv": _csv, ".parquet": _parquet}
    read = _saved if Path(path).is_dir() else kinds.get(Path(path).suffix.lower(), _json)
    try:
        data = read(name, os.fsdecode(path))
    except SpanAgreeError:
        raise
    except Exception as error:  # whatever the decoders raise
        raise InputError(f"{name}: cannot be read as a dataset: {reason(error)}") from None
    own = {}
    if not options.keys() & {"tags", "spans"}:
        parts = list(data.values()) if isinstance(data, Mapping) else [data]
        own, *others = [*map(_own_columns, parts)] or [{}]
        own = own if all(other == own for other in others) else {}
        if own and "split" not in options and others:  # our own split: its parts are one corpus
            data = _library(name).concatenate_datasets(parts)
    raw = raw_dataset(data, **{**options, **own})
    # columns that the file itself names were not chosen
    reading = {key: value for key, value in raw.reading.items() if not own or key != "read"}
    return replace(raw, reading=reading)


def _json(name: str, path: str) -> Any:
    """Return the objects in a list, or one in each line; what one lacks is null."""
    needed = "a list of objects, or one a line, is needed"
    text = read_text(path)
    if text.lstrip()[:1] == "[":
        rows = from_json(text, name, needed)
    else:
        lines = enumerate(text.split("\n"), 1)
        rows = [from_json(line, f"{name}:{n}", needed) for n, line in lines if line.strip()]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise unfit(f"{name}: row {number}:", row, needed)
    if not rows:
        raise InputError(f"{name}: no rows; {needed}")
    keys = dict.fromkeys(key for row in rows for key in row)
    return [row if len(row) == len(keys) else {**keys, **row} for row in rows]


def _csv(name: str, path: str) -> Any:
    datasets = _library(name)
    pandas = optional("pandas", "datasets", f"reading {name}")
    sign = "\t" if path.lower().endswith(".tsv") else ","
    with open(path, "rb") as file:  # as a name, pandas would take it for an address or an archive
        frame = pandas.read_csv(file, sep=sign, compression=None, low_memory=False)
    return datasets.Dataset.from_pandas(frame, preserve_index=False)


def _parquet(name: str, path: str) -> Any:
    datasets = _library(name)
    parquet = optional("pyarrow.parquet", "datasets", f"reading {name}")
    return datasets.Dataset(read_parquet(parquet, name, path))


def _saved(name: str, path: str) -> Any:
    datasets = _library(name)
    with tempfile.TemporaryDirectory() as folder:  # in the path itself, "::" would be an address
        link = Path(folder, "saved")
        link.symlink_to(os.path.abspath(path))
        return datasets.load_from_disk(str(link))


def _library(name: str) -> Any:
    """Return datasets, in a release that does not run code that comes with data."""
    datasets = optional("datasets", "datasets", f"reading {name}")
    if int(datasets.__version__.partition(".")[0]) < _OLDEST:
        raise SettingError(
            f"datasets {datasets.__version__} may run code that comes with data; run: pip install"
            f" 'datasets>={_OLDEST}'"
        )
    quieten(datasets)
    return datasets


def _own_columns(data: Any) -> dict[str, Any]:
    """Return which columns are which in what ``to_dataset`` wrote."""
    every = data[0] if isinstance(data, list) else data.column_names
    names = [name for name in every if isinstance(name, str)]
    spans = {name.partition(":")[2]: name for name in names if name.startswith("spans:")}
    content = "text" if "text" in names else "tokens"
    if not spans or content not in names or "id" not in names:
        return {}
    return {"spans": spans, content: content, "document": "id"}


def quieten(datasets: Any) -> None:
    """Switch off the bars and log lines of the library itself."""
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    datasets.disable_progress_bars()


def read_hub(name: PathName, **options: Any) -> RawCorpus:
    """Return the rows of a dataset on the hub, unchecked; of its first split unless one is named.

    Raises:
        SettingError: if datasets is not installed.
        InputError: if the hub cannot be reached, or the dataset cannot be read.
    """
    shown = printable(os.fspath(name))
    datasets = _library(shown)
    own = getattr(datasets.packaged_modules, "_PACKAGED_DATASETS_MODULES", ())
    if os.path.exists(name) or not _HUB_NAME.fullmatch(os.fspath(name)) or name in own:
        raise InputError(
            f"{shown}: not the name of a dataset on the hub, such as OWNER/NAME; files and folders"
            " are read with --from dataset"
        )
    hub = optional("huggingface_hub.constants", "datasets", f"reading {shown}").ENDPOINT
    try:  # an answer at once, where the client would try for half a minute
        where = urlsplit(hub)
        socket.create_connection((where.hostname or "", where.port or 443), 1.5).close()
    except OSError as error:
        raise InputError(
            f"{shown}: the hub cannot be reached ({error}); name a file, or try again later"
        ) from None
    try:
        data = datasets.load_dataset(os.fspath(name))
    except Exception as error:  # whatever the hub's client raises
        raise InputError(f"{shown}: cannot be read from the hub: {reason(error)}") from None
    return raw_dataset(data, **{"split": next(iter(data)), **options})
