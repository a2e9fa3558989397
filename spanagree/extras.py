"""Optional packages: imported only inside the function that needs them, named when not there."""

from __future__ import annotations

import importlib
from typing import Any

from spanagree.errors import SettingError


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
