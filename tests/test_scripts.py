"""The scripts that test the tests: mutants, their list of equivalent ones, and lanes."""

from __future__ import annotations

import ast
import importlib.util
import itertools
import os
import re
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def script(name):
    """A script of ours as a module."""
    loader = SourceFileLoader(name.removesuffix(".py"), str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


SOURCE = '''
def share(some, all_of_them=1):
    """Return a share, and note it."""
    if not some or some < 0:
        return -some
    seen[some] = True
    return sum(some for _ in zip("a", "b", strict=True)) / all_of_them
'''


def test_mutants_by_hand():
    """One change for each place that has one, named without line numbers; the tree is as it was after."""
    mutate = script("mutate.py")
    tree = ast.parse(SOURCE)
    changed = dict(mutate.changed(tree))
    assert (
        sorted(changed)
        == sorted(
            [
                "share: number: 1 -> 2",
                "share: and, or: not some or some < 0 -> not some and some < 0",
                "share: sign: not some -> some",
                "share: comparison: some < 0 -> some <= 0",
                "share: number: 0 -> 1",
                "share: sign: -some -> some",
                "share: statement: seen[some] = True -> pass",
                "share: truth: True -> False",
                "share: operator: sum((some for _ in zip('a', 'b', strict=True))) / all_of_the -> sum((some for _ in zip('a', 'b', strict=True))) * all_of_the",  # cut at 60 characters
                "share: call: sum((some for _ in zip('a', 'b', strict=True))) -> max((some for _ in zip('a', 'b', strict=True)))",
            ]
        )
    )
    assert list(changed["share: number: 0 -> 1"]) == [4]
    assert list(changed["share: number: 1 -> 2"]) == [2, 3, 4, 5, 6, 7]  # a default: all of it
    assert ast.unparse(tree) == ast.unparse(ast.parse(SOURCE))


def test_one_mutant_is_another_module(tmp_path):
    """The code of a mutant does what its name says, and the file stays as it is."""
    mutate = script("mutate.py")
    (tmp_path / "share.py").write_text(SOURCE, "utf-8")
    (one,) = [m for m in mutate.mutants(tmp_path / "share.py") if m.name.endswith("-some -> some")]
    names = {}
    exec(one.code(), names)
    assert names["share"](-3) == -3
    assert (tmp_path / "share.py").read_text("utf-8") == SOURCE


def test_tests_of_a_mutant():
    """Tests that run its line; of lines that run on import, those of the module and of the room."""
    mutate = script("mutate.py")
    one, *_ = mutate.mutants(mutate.PACKAGE / "comparisons" / "tally.py")
    reach = mutate.Reach([one.module])
    reach.seconds = {"tests/comparisons/a": 3, "tests/levels/b": 1, "tests/agreement/c": 2}
    reach.lines[str(one.module)] |= {0: {"tests/levels/b"}}
    assert reach.tests(one) == ["tests/levels/b", "tests/comparisons/a"]
    reach.lines[str(one.module)] |= {one.lines[0]: {"tests/agreement/c"}}
    assert reach.tests(one) == ["tests/agreement/c"]


def test_what_is_cached_is_run_again():
    """Each test runs the lines of a cached function that it calls, even if another has before."""
    from spanagree.chance import hypergeometric

    file = Path(hypergeometric.__file__)
    reach = script("mutate.py").Reach([file])
    for name in ("a", "b"):
        reach.pytest_runtest_logstart(name)
        hypergeometric.compute_binomials()
        reach.pytest_runtest_logfinish(name)
    run = {line: tests for line, tests in reach.lines[str(file)].items() if tests}
    assert len(run) > 4
    assert all(tests == {"a", "b"} for tests in run.values())


@pytest.mark.slow
def test_equivalent_mutants_are_there():
    """Each line of the list names a mutant of today's code, once, and why no test can tell."""
    mutate = script("mutate.py")
    lines = mutate.EQUIVALENT.read_text("utf-8").splitlines()
    listed = {}
    for line in lines:
        key, _, reason = line.partition("  # ")
        assert len(reason) > 10, line
        assert key not in listed, line
        listed[key] = reason
    modules = {key.split(": ")[0] for key in listed}
    made = {m.key for module in modules for m in mutate.mutants(mutate.PACKAGE / module)}
    assert listed.keys() <= made, sorted(listed.keys() - made)


@pytest.mark.long
def test_lowest_versions():
    """Every package that is needed has a lowest version, and the lane installs just that."""
    lanes = script("lanes")
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    needed = re.findall(r'^    "([a-z0-9]+)>=([\d.]+)",$', text.split("[project.optional")[0], re.M)
    assert len(needed) == text.split("dependencies = [")[1].split("]")[0].count('"') / 2
    floors = lanes.floors()
    assert {f"{name}=={version}" for name, version in needed} <= set(floors)
    for name in (
        "spacy",
        "datasets",
        "pyarrow",
        "matplotlib",
        "distributed",
        "pytest",
        "hypothesis",
    ):
        assert [floor for floor in floors if floor.startswith(f"{name}==")], name


@pytest.mark.long
def test_missing_python():
    """A Python that is not there is named, with what to do; ours is found."""
    lanes = script("lanes")
    version = ".".join(map(str, sys.version_info[:2]))
    assert lanes.interpreter(version)
    with pytest.raises(
        lanes.MissingError, match=r"Python 2\.1 is not on this machine; put python2\.1"
    ):
        lanes.interpreter("2.1")


BUSY = """
import time
import pytest

def busy():
    start = time.process_time()
    while time.process_time() - start < 0.3:
        pass

def test_busy():
    busy()

@pytest.mark.slow
def test_marked():
    busy()

def test_quick():
    pass

""" + "".join(f"def test_{i}(): pass\n" for i in range(9))


@pytest.mark.long
def test_order_and_long_tests(tmp_path):
    """A seed gives one order, another seed another, and no test is lost; long tests are named if not marked."""
    conftest = (ROOT / "tests" / "conftest.py").read_text("utf-8")
    assert "LONG = 5.0 " in conftest
    (tmp_path / "conftest.py").write_text(conftest.replace("LONG = 5.0 ", "LONG = 0.2 "), "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow: x\n", "utf-8")
    (tmp_path / "test_one.py").write_text(BUSY, "utf-8")
    (tmp_path / "test_two.py").write_text("def test_a(): pass\n", "utf-8")

    def run(*options):
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
        alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # starts faster
        done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, check=True)
        return done.stdout.decode()

    out = run("-v", "--shuffle=1")
    (long,) = re.findall(r"(\S+): [\d.]+ s, and not marked slow", out)
    assert long == "test_one.py::test_busy"
    first = re.findall(r"^(\S+::\S+) PASSED", out, re.M)
    listed = (run("-q", "--collect-only", f"--shuffle={seed}") for seed in (1, 2))
    again, other = (re.findall(r"^\S+::\S+$", text, re.M) for text in listed)
    assert first == again != other
    assert sorted(first) == sorted(other)
    files = [name.split("::")[0] for name in first]
    assert len(first) == 13
    assert sum(a != b for a, b in itertools.pairwise(files)) == 1  # file by file


def test_names_of_formats():
    """What the script writes from the table of formats stands there, so that it has all of them."""
    pages = script("name_formats.py").pages()
    assert [path.name for path in pages] == ["choices.py", "read.py"]
    assert [path.name for path, text in pages.items() if path.read_text("utf-8") != text] == []
