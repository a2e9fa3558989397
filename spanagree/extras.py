"""Optional packages: imported only inside the function that needs them, named when not there."""

from __future__ import annotations

import importlib
import os
from typing import Any

from spanagree.errors import SettingError
from spanagree.limits import check_expansion


def optional(package: str, extra: str, what: str) -> Any:
    """Return an optional package; ``extra`` is empty for one that no extra of ours brings.

    Raises:
        SettingError: if it is not installed, with the line that installs it.
    """
    try:
        return importlib.import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        brought = f"'spanagree[{extra}]'" if extra else name
        raise SettingError(
            f"{what} needs {name}, which is not installed; run: pip install {brought}"
        ) from None


def read_parquet(parquet: Any, name: str, path: str | os.PathLike[str]) -> Any:
    """Return the table in a file, read by ``pyarrow.parquet``, with all of its values checked.

    Raises:
        InputError: as :func:`spanagree.limits.check_expansion`.
        Exception: whatever the decoder raises for a file that is damaged.
    """
    with open(path, "rb") as file:
        pages = parquet.ParquetFile(file)
        about = pages.metadata
        sizes = (about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        cells = about.num_rows * about.num_columns  # those that repeat take no bytes
        check_expansion(name, os.path.getsize(path), max(sum(sizes), 8 * cells))
        table = pages.read()
    table.validate(full=True)
    return table
