"""Load a dataset from a folder, a file or a hub."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, printable, reason
from spanagree.extras import optional
from spanagree.files import PathName
from spanagree.formats.hugging_face.read import raw_dataset


def read_dataset(path: PathName, **options: Any) -> RawCorpus:
    """Return the rows of a file or folder that datasets loads, unchecked.

    Raises:
        SettingError: if datasets is not installed.
        InputError: for what is not there or cannot be read.
    """
    name = printable(os.fspath(path))
    datasets = optional("datasets", "datasets", f"reading {name}")
    if not Path(path).exists():
        raise InputError(f"{name}: no such file")
    quieten(datasets)
    suffix = Path(path).suffix.lower()
    kind = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet"}.get(suffix, "json")
    extra = {"sep": "\t"} if suffix == ".tsv" else {}
    with tempfile.TemporaryDirectory() as cache:
        try:
            if Path(path).is_dir():
                data = datasets.load_from_disk(os.fspath(path))
            else:
                data = datasets.load_dataset(
                    kind, data_files=os.fspath(path), split="train", cache_dir=cache,
                    keep_in_memory=True, **extra,
                )  # fmt: skip
        except Exception as error:  # whatever the decoders raise
            raise InputError(f"{name}: cannot be read as a dataset: {reason(error)}") from None
        own = {}
        if not options.keys() & {"tags", "spans"}:
            parts = list(data.values()) if hasattr(data, "keys") else [data]
            own, *others = (_own_columns(part.column_names) for part in parts)
            own = own if all(other == own for other in others) else {}
            if own and "split" not in options:  # a split of ours: its parts are one corpus
                data = datasets.concatenate_datasets(parts)
        raw = raw_dataset(data, **{**options, **own})
        # columns that the file itself names were not chosen
        reading = {key: value for key, value in raw.reading.items() if not own or key != "read"}
        return replace(raw, reading=reading)


def _own_columns(names: Sequence[str]) -> dict[str, Any]:
    """Return which columns are which in what ``to_dataset`` wrote."""
    spans = {name.partition(":")[2]: name for name in names if name.startswith("spans:")}
    content = "text" if "text" in names else "tokens"
    if not spans or content not in names or "id" not in names:
        return {}
    return {"spans": spans, content: content, "document": "id"}


def quieten(datasets: Any) -> None:
    """Switch off the bars and log lines of the library itself."""
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    plural = "disable_progress_bars"  # its name since 2.15
    getattr(datasets, plural if hasattr(datasets, plural) else plural[:-1])()


def read_hub(name: PathName, **options: Any) -> RawCorpus:
    """Return the rows of a dataset on the hub, unchecked; of its first split unless one is named.

    Raises:
        SettingError: if datasets is not installed.
        InputError: if the hub cannot be reached, or the dataset cannot be read.
    """
    shown = printable(os.fspath(name))
    datasets = optional("datasets", "datasets", f"reading {shown}")
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
