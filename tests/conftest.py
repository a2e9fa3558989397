"""Real data for the tests that want it: the folder named by SPANAGREE_DATA."""

from __future__ import annotations

import os

os.environ["HF_HUB_OFFLINE"] = "1"  # before datasets is imported: the suite needs no network
os.environ["HF_DATASETS_OFFLINE"] = "1"

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# the machine's speed is no property of the code
settings.register_profile(
    "spanagree", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("spanagree")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use a browser, or the documentation site, by their fixtures."""
    for item in items:
        for name in ("browser", "site"):
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(name)


@pytest.fixture(scope="session")
def real() -> Path:
    """A folder that holds ``data/`` and ``golden/``; without it the test is skipped."""
    folder = os.environ.get("SPANAGREE_DATA")
    if not folder:
        pytest.skip("SPANAGREE_DATA is not set: no real data")
    path = Path(folder)
    assert (path / "data").is_dir(), f"SPANAGREE_DATA={folder} has no folder data"
    assert (path / "golden").is_dir(), f"SPANAGREE_DATA={folder} has no folder golden"
    return path


@pytest.fixture(scope="session")
def newsroom() -> Path:
    """The small corpus of our own."""
    return Path(__file__).parent.parent / "corpora" / "newsroom"
