"""Files that tests of formats write and read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spanagree as sa


@pytest.fixture
def write_here(
    write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Writes a file, the name first, to the folder that is the current one; returns its name."""
    monkeypatch.chdir(tmp_path)

    def write_here(name: str, content: Any) -> str:
        write(content, name)
        return name

    return write_here


@pytest.fixture
def read(write: Callable[..., Path], request: pytest.FixtureRequest) -> Callable[..., sa.Corpus]:
    """Writes rows and reads them as the module's ``TOOL``; whoever has no name there is the file."""

    def read(rows: Any, repair: Any = (), **options: Any) -> sa.Corpus:
        path = write(rows)
        return sa.read({path.name: path}, request.module.TOOL, repair=repair, **options)

    return read
