#!/usr/bin/env python3
"""Change the code a little, one place at a time, and see whether a test fails.

scripts/mutate.py                          all rooms of the table below
scripts/mutate.py comparisons/tally.py levels some of them, or single modules
scripts/mutate.py --sample 40 --seed 1     some mutants of each, drawn
scripts/mutate.py levels --again OUTPUT    those that an earlier run printed, as they lived
scripts/mutate.py --list                   how many mutants each has

First the tests run once, traced, to learn which of them run which line, and how long they take.
Each mutant is then one change in a process of its own, held against the tests that run its line,
the fastest first, until one fails: first with few examples of Hypothesis, and if all pass with as
many as CI draws. Mutants that live are printed, unless scripts/mutants_equivalent.txt lists them
with the reason why no test can tell. Exit code 1 if more than five in a hundred live.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import importlib.machinery
import importlib.util
import multiprocessing
import os
import random
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "spanagree"
EQUIVALENT = Path(__file__).parent / "mutants_equivalent.txt"
MOST = 5  # per cent that may live
LONGEST = 20.0  # seconds of work: a test that takes longer, traced, holds no mutant
CALLS = 100  # of one function by one test are traced: others run the same lines, as a rule
SECONDS = 30  # of work, more than twice what its tests take, traced: a mutant that hangs is killed
WAIT = 10  # times as long, as the machine may be busy
MEMORY = 8 << 30  # bytes of address space; one that asks for more fails
FEW, ALL = "--hypothesis-profile=quick", "--hypothesis-profile=spanagree"
PYTEST = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
LEFT_OUT = "not slow and not browser and not site and not cluster"
TESTS = {
    "agreement": "tests/agreement",
    "parts": "tests/parts",
    "chance": "tests/chance tests/comparisons tests/systems/test_places.py",
    "cli": "tests",  # each room tests its command
    "comparisons": "tests/comparisons tests/systems tests/agreement tests/chance tests/parts"
    " tests/slices tests/uncertainty/test_joined_texts.py tests/references/test_baselines.py",
    "corpus": "tests/corpus tests/formats tests/labels",
    "formats": "tests/formats",
    "labels": "tests/labels tests/uncertainty",
    "levels": "tests/levels",
    "project": "tests/project",
    "recordings": "tests/formats",
    "references": "tests/references",
    "report": "tests/report tests/studies",
    "results": "tests/results tests/systems",
    "systems": "tests/systems tests/references/test_baselines.py tests/uncertainty",
    "tools": "tests/formats",
    "training": "tests/training",
    "uncertainty": "tests/uncertainty tests/systems",
    "units": "tests/units",
}
"""Rooms, and the tests that have to notice."""
COMMANDS = "tests/cli"
"""They run every room: a change that a user of the command line sees is noticed there too."""

_EACH_OTHER = [
    (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn), (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr),
    ("any", "all"), ("min", "max"), ("minimum", "maximum"),
]  # fmt: skip
SWAPS: dict[Any, Any] = {
    **dict(_EACH_OTHER), **{b: a for a, b in _EACH_OTHER},
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult,
    "sum": "max",
}  # fmt: skip
"""What operators and called functions become."""

STATEMENTS = (ast.stmt, ast.ExceptHandler)


class Mutant(NamedTuple):
    """A changed module; its name does not depend on line numbers."""

    module: Path
    name: str
    lines: range  # of the statement that holds the change

    @property
    def key(self) -> str:
        return f"{self.module.relative_to(PACKAGE)}: {self.name}"

    def code(self) -> CodeType:
        """Return the changed module, compiled."""
        tree = ast.parse(self.module.read_text("utf-8"))
        for name, _ in changed(tree):
            if name == self.name:
                return compile(ast.fix_missing_locations(tree), str(self.module), "exec")
        raise LookupError(self.key)


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield what a node may become, with a word for it."""
    new: Any = copy.deepcopy(node)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        new.ops[0] = SWAPS[type(node.ops[0])]()
        yield "comparison", new
    elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
        new.op = SWAPS[type(node.op)]()
        yield "operator", new
    elif isinstance(node, ast.BoolOp):
        new.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and, or", new
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield "sign", new.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "truth", ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield "number", ast.Constant(node.value + 1)
    elif isinstance(node, ast.Call):
        called = new.func
        if isinstance(called, ast.Name) and called.id in SWAPS:
            called.id = SWAPS[called.id]
            yield "call", new
        elif isinstance(called, ast.Attribute) and called.attr in SWAPS:
            called.attr = SWAPS[called.attr]
            yield "call", new
    elif isinstance(node, ast.IfExp):
        yield "branch", new.orelse
    elif (
        isinstance(node, ast.AugAssign)
        or (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript))
        or (isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant))
    ):
        yield "statement", ast.Pass()


def mutants(module: Path) -> list[Mutant]:
    """Return the mutants of a module."""
    tree = ast.parse(module.read_text("utf-8"))
    return [Mutant(module, name, lines) for name, lines in changed(tree)]


def changed(tree: ast.AST) -> Iterator[tuple[str, range]]:
    """Change a tree in one place at a time; yield the name of the change, and its lines.

    Annotations, decorators, ``strict=`` of zip and TYPE_CHECKING, which no input reaches, are left
    as they are.
    """
    places: list[tuple[ast.AST, ast.AST, str, int | None, str, range]] = []

    def walk(node: ast.AST, owner: str, lines: range) -> None:
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list"):
                continue
            for place, child in enumerate(value if isinstance(value, list) else [value]):
                target = getattr(child, "targets", [None])[0]
                if getattr(target, "id", "") == "TYPE_CHECKING":
                    continue
                if isinstance(child, ast.AST) and getattr(child, "arg", "") != "strict":
                    name, inside = getattr(child, "name", None), lines
                    if isinstance(child, ast.arguments):  # defaults are set on import, and used
                        inside = range(lines.start, (getattr(node, "end_lineno", 0) or 0) + 1)
                    elif isinstance(child, STATEMENTS):
                        body = getattr(child, "body", None) or getattr(child, "cases", None)
                        first = getattr(body[0], "pattern", body[0]) if body else child  # a case's
                        end = first.lineno if body else (child.end_lineno or 0) + 1
                        inside = range(child.lineno, max(end, child.lineno + 1))
                    own = f"{owner}.{name}".lstrip(".") if isinstance(name, str) else owner
                    at = place if isinstance(value, list) else None
                    places.append((child, node, field, at, own, inside))
                    walk(child, own, inside)

    walk(tree, "", range(0))
    seen: Counter[str] = Counter()
    for node, above, field, at, owner, lines in places:
        for word, new in changes(node):
            short = [" ".join(ast.unparse(each).split())[:60] for each in (node, new)]
            base = f"{owner}: {word}: {short[0]} -> {short[1]}"
            seen[base] += 1
            name = base if seen[base] == 1 else f"{base} ({seen[base]})"
            put(above, field, at, ast.copy_location(new, node))
            yield name, lines
            put(above, field, at, node)


def module_name(file: Path) -> str:
    """Return the name by which a module is imported; that of a package is its folder's."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def put(above: ast.AST, field: str, at: int | None, node: ast.AST) -> None:
    """Put a node in its place below another."""
    if at is None:
        setattr(above, field, node)
    else:
        getattr(above, field)[at] = node


# --- which test runs which line -----------------------------------------------------------------


def work() -> float:
    """Return the seconds that this process and those that it started have worked."""
    return sum(os.times()[:4])


class Reach:
    """A plugin of pytest that notes the lines that each test runs, and its seconds.

    Attributes:
        lines: by file, the tests of each line; line 0 stands for any line of the file.
        seconds: of each test that passes.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self.lines: dict[str, dict[int, set[str]]] = {str(file): defaultdict(set) for file in files}
        self.seconds: dict[str, float] = {}
        self.started = 0.0
        self.calls: Counter[CodeType] = Counter()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        def enter(frame: FrameType, event: str, arg: Any) -> Any:
            tests = self.lines.get(frame.f_code.co_filename)
            if tests is None:
                return None
            tests[0].add(nodeid)
            self.calls[frame.f_code] += 1
            if self.calls[frame.f_code] > CALLS:
                return None

            def line(frame: FrameType, event: str, arg: Any) -> Any:
                if event == "line":
                    tests[frame.f_lineno].add(nodeid)
                return line

            return line

        self.calls.clear()
        for module in list(sys.modules.values()):
            if getattr(module, "__file__", None) in self.lines:
                for value in vars(module).values():
                    if clear := getattr(value, "cache_clear", None):
                        clear()  # what is cached would be run by one test alone
        self.started = work()
        sys.settrace(enter)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            self.seconds[report.nodeid] = work() - self.started

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        sys.settrace(None)

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the lines of a mutant, fastest first.

        Of lines that run on import, those are the tests that run the module, or are of its room:
        what a decorator makes of a class is in no file. The lines of a default are those of its
        function, as each test that calls it may rest on the default.
        """
        lines = self.lines[str(mutant.module)]
        room = f"tests/{mutant.module.parent.name}/"
        reached = set().union(*(lines.get(line, ()) for line in mutant.lines)) or (
            lines.get(0, set()) | {test for test in self.seconds if test.startswith(room)}
        )
        held = [test for test in reached if self.seconds.get(test, LONGEST) < LONGEST]
        return sorted(held, key=self.seconds.__getitem__)


def traced(files: Sequence[Path], folders: Sequence[str], sender: Any) -> None:
    """Send the reach of the tests in these folders; in a process of its own."""
    import pytest

    for file in files:  # first, so that no line that runs on import counts as one test's
        importlib.import_module(module_name(file))
    reach = Reach(files)
    with quiet():
        code = pytest.main([*PYTEST, FEW, "-m", LEFT_OUT, *folders], [reach])
    sender.send((int(code), reach.lines, reach.seconds))


# --- one mutant ---------------------------------------------------------------------------------


class Changed(importlib.machinery.SourceFileLoader):
    """Finds one module, and gives it other code."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(module_name(mutant.module), str(mutant.module))
        self.code = mutant.code()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        return importlib.util.spec_from_loader(name, self) if name == self.name else None

    def get_code(self, fullname: str) -> CodeType:
        return self.code


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Send what this process prints nowhere."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        yield


def held(mutant: Mutant, seconds: int, *options: str) -> None:
    """Run tests on a mutant, in a process of its own; exit code 0 if it lives."""
    import pytest

    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    sys.meta_path.insert(0, Changed(mutant))
    with quiet():
        code = pytest.main([*PYTEST, *options])
        os._exit(int(code))


def lived(made: Sequence[Mutant], reach: Reach, workers: int) -> Iterator[tuple[Mutant, str]]:
    """Yield the mutants that no test kills, and how: no test reaches them, or all pass.

    One that hangs is killed with few examples. With many, tests that take too long are no proof.
    """
    fork = multiprocessing.get_context("fork")
    process: BaseProcess
    running: dict[BaseProcess, tuple[Mutant, str, float]] = {}  # until when
    waiting = [(mutant, FEW) for mutant in reversed(made)]
    while waiting or running:
        while waiting and len(running) < workers:
            mutant, examples = waiting.pop()
            if tests := reach.tests(mutant):
                seconds = round(SECONDS + 2 * sum(map(reach.seconds.__getitem__, tests)))
                process = fork.Process(target=held, args=(mutant, seconds, examples, *tests))
                process.start()
                running[process] = mutant, examples, time.perf_counter() + WAIT * seconds
            else:
                yield mutant, "no test reaches it"
        for process, (mutant, examples, end) in list(running.items()):
            process.join(0.02)
            if process.is_alive() and time.perf_counter() > end:
                os.killpg(process.pid or 0, signal.SIGXCPU)
                process.join()
            if process.is_alive():
                continue
            del running[process]
            late = process.exitcode == -signal.SIGXCPU
            if process.exitcode == 0 and examples == FEW:
                waiting.append((mutant, ALL))
            elif process.exitcode == 0 or (late and examples == ALL):
                yield mutant, "no test fails in time" if late else "no test fails"


def main() -> int:
    parser = argparse.ArgumentParser(description="See whether the tests notice small changes.")
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="modules or rooms; default: all"
    )
    parser.add_argument("--sample", type=int, help="so many mutants of each of them, drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", type=Path, help="only what lives by the output of another run")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="only count the mutants")
    asked = parser.parse_args()
    again = asked.again and {line.strip().partition("  # ")[0] for line in asked.again.open()}
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    os.environ |= {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    lines = EQUIVALENT.read_text("utf-8").splitlines() if EQUIVALENT.exists() else []
    equivalent = {line.partition("  # ")[0] for line in lines}
    made: dict[str, list[Mutant]] = {}
    folders: dict[str, None] = {}
    for name in asked.modules or TESTS:
        path = PACKAGE / name
        modules = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        drawn = [m for file in modules for m in mutants(file) if m.key not in equivalent]
        if again:
            drawn = [mutant for mutant in drawn if mutant.key in again]
        if asked.sample:
            drawn = random.Random(asked.seed).sample(drawn, min(asked.sample, len(drawn)))
        made[name] = drawn
        if drawn:
            folders |= dict.fromkeys(f"{TESTS[name.split('/')[0]]} {COMMANDS}".split())
    if asked.list:
        for name, each in made.items():
            print(f"{name}: {len(each)} mutants")
        return 0
    for name in ("hypothesis", "numpy", "pytest", "scipy.special", "scipy.stats"):
        importlib.import_module(name)  # once, before the processes fork

    files = [*dict.fromkeys(mutant.module for each in made.values() for mutant in each)]
    reach = Reach(files)
    receiver, sender = multiprocessing.Pipe(duplex=False)
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=traced, args=(files, [*folders], sender))
    process.start()
    sender.close()
    code, reach.lines, reach.seconds = receiver.recv()
    process.join()
    if code:
        print("the tests fail before anything is changed: run them first")
        return 2
    print(f"{len(reach.seconds)} tests, {sum(reach.seconds.values()):.0f} s traced", flush=True)
    worst = 0.0
    for name, each in made.items():
        started, alive = time.perf_counter(), 0
        for mutant, how in lived(each, reach, asked.workers):
            print(f"  {mutant.key}  # {how}", flush=True)
            alive += 1
        seconds = time.perf_counter() - started
        print(f"{name}: {len(each)} mutants, {alive} live, {seconds:.0f} s", flush=True)
        worst = max(worst, 100 * alive / max(1, len(each)))
    return 1 if worst > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
