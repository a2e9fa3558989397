"""The fuzzing job: a short fixed run at every door, and that it notices what it is there for."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import spanagree as sa

SCRIPT = Path(__file__).parent.parent / "scripts" / "fuzz.py"


@pytest.fixture(scope="module")
def fuzz():
    spec = importlib.util.spec_from_file_location("fuzz", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DOORS = {
    "conll": 100, "jsonl": 200, "strings": 200, "brat": 100, "exports": 300, "formats": 400, "places": 60, "labels": 200, "docbin": 40,
    "row-files": 200, "rows": 1000, "datasets": 150, "dataset-files": 20, "command": 20,
}  # fmt: skip
"""How many inputs of each door the tests try."""


@pytest.mark.long
@pytest.mark.parametrize("door", DOORS)
def test_doors(fuzz, tmp_path, monkeypatch, door):
    """Damaged input is an error of one line."""
    monkeypatch.delenv("SPANAGREE_DATA", raising=False)  # a fixed run needs fixed seeds
    if door in fuzz.NEEDS:
        pytest.importorskip(fuzz.NEEDS[door])
    assert set(DOORS) == set(fuzz.DOORS)
    for number in range(DOORS[door]):
        assert fuzz.attempt(door, 0, number, tmp_path) == "", number


def wrong_message(rng, folder):
    raise sa.InputError("two\nlines")


def traceback(rng, folder):
    raise KeyError("x")


def endless(rng, folder):
    while True:
        pass


def greedy(rng, folder):
    bytearray(b"x" * (64 << 20))


def no_memory(rng, folder):
    raise sa.InputError("MemoryError: alloc of 9 failed")


@pytest.mark.long
@pytest.mark.parametrize(
    ("door", "says"),
    [
        (wrong_message, "a message of 9 characters"),
        (traceback, "KeyError: 'x'"),
        (endless, "more than 1 s"),
        (greedy, " MB more"),
        (no_memory, "not enough memory"),
    ],
)
def test_failures_are_noticed(fuzz, tmp_path, monkeypatch, door, says):
    """Another exception, a message of two lines, a hang, too much memory."""
    monkeypatch.setitem(fuzz.DOORS, "conll", door)
    monkeypatch.setattr(fuzz, "SECONDS", 1 if door is endless else 60)  # on a busy machine too
    monkeypatch.setattr(fuzz, "BYTES", 1 << 20)
    Path("/proc/self/clear_refs").write_text("5")  # forget the most that tests before it took
    assert says in fuzz.attempt("conll", 0, 0, tmp_path)


@pytest.mark.long
def test_the_job(tmp_path):
    """A run counts inputs by door; two processes share them, and the exit code is 0."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "--door", "rows", "--door", "jsonl", "--inputs", "30"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert lines[:2] == ["rows: 30 inputs, 0 failed", "jsonl: 30 inputs, 0 failed"]
    assert lines[2].startswith("60 inputs in ")
    assert lines[2].endswith(" s, 0 failed")
