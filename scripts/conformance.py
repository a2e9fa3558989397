"""Say which rules of docs/specification.md a program fulfils, by the cases of corpora/vectors.

    scripts/conformance.py seqeval                       one of those that have an adapter
    scripts/conformance.py --command 'python mine.py'    any program that reads cases and answers
    scripts/conformance.py --write                       all of them, into docs/tools_compared.md

A program reads a case a line from standard input, without its figures, and writes a line for each
that it answers: {"id": …, "figures": {…}}, {"id": …, "segments": […]} or {"id": …, "refused": why}.
Each program with an adapter is installed in an environment of its own.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tools_compared.md"
CHAPTERS = ("tags", "figures", "chance", "unplaced", "teams", "coefficients")

Case = Mapping[str, Any]


class Program(NamedTuple):
    """A program with an adapter.

    Attributes:
        install: what pip installs.
        claims: rules that its documentation claims.
        without: keys of a case's input of which it has none, such as an average.
    """

    install: str
    claims: tuple[str, ...]
    without: tuple[str, ...] = ("tolerance",)


_F1 = ("M1", "C1", "C2")
PROGRAMS: Mapping[str, Program] = {
    "seqeval": Program(
        "seqeval", (*("T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9"), *_F1, "C3")
    ),
    "nervaluate": Program("nervaluate", (*_F1, "M2", "M7"), ("tolerance", "average")),
    "seqscore": Program("seqscore", ("T1", "T2", "T3", "T6", "T7", *_F1), ("tolerance", "average")),
    "annotations-evaluate": Program("annotations-evaluate", (*_F1, "M2"), ("tolerance", "average")),
    "spaneval": Program("spaneval", (*_F1, "M2"), ("tolerance", "average")),
    "spacy": Program("spacy", ("T3", "T7", *_F1), ("tolerance", "average")),
    "scikit-learn": Program("scikit-learn", ("M3", "C1", "C2", "C3")),
    "nltk": Program("nltk", ("K1", "K2", "K3")),
    "krippendorff": Program("krippendorff", ("K3",)),
    "spanagree": Program(
        str(ROOT),
        (
            *("T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9"),
            *("M1", "M2", "M3", "M4", "M5", "M6", "M7", "C1", "C2", "C3"),
            *("E1", "E2", "E3", "E4", "E5", "U1", "U2", "A2", "K1", "K2", "K3"),
        ),
        (),
    ),
}
_OF_TOKENS = {"scikit-learn"}  # whose rules of figures are asked of tokens, not of segments

_ZERO = "nothing to divide by gives 0"
_ONE_CATEGORY = "one category alone gives 1, where 0 is divided by 0"
CAUSES: Mapping[tuple[str, str], str] = {
    ("seqeval", "T4"): "strict IOE1 loses a segment of one token that another of its label follows",
    ("seqeval", "T8"): "the default mode reads U and L as tokens that go on, as I does",
    ("seqeval", "C1"): _ZERO,
    ("seqeval", "C3"): f"{_ZERO}, and is part of the mean",
    ("nervaluate", "C1"): _ZERO,
    ("seqscore", "C1"): _ZERO,
    ("annotations-evaluate", "C1"): "F1 is undefined where precision or recall is",
    ("spaneval", "C1"): _ZERO,
    ("spaneval", "M1"): "a prediction that overlaps two gold segments is counted twice",
    ("spaneval", "C2"): "a prediction that overlaps two gold segments is counted twice",
    ("spacy", "C1"): "precision is 0 where nothing is marked",
    ("nltk", "K1"): _ONE_CATEGORY,
    ("nltk", "K2"): _ONE_CATEGORY,
    ("nltk", "K3"): _ONE_CATEGORY,
}
"""Why a program answers the cases of a rule otherwise, in a sentence, by program and rule."""


def cases() -> list[Case]:
    """Return all cases, chapter by chapter."""
    folder = ROOT / "corpora" / "vectors"
    files = ((folder / f"{chapter}.jsonl").read_text("utf-8") for chapter in CHAPTERS)
    return [json.loads(line) for text in files for line in text.splitlines()]


def claimed(name: str, every: Sequence[Case]) -> list[Case]:
    """Return the cases of the rules that a program claims, which it has a form for."""
    program = PROGRAMS[name]
    match = dict.fromkeys(("C1", "C2", "C3"), "token" if name in _OF_TOKENS else "exact")
    return [
        case
        for case in every
        if case["rule"] in program.claims
        and not any(key in case["input"] for key in program.without)
        and (name == "spanagree" or case["input"].get("match") in (None, match.get(case["rule"]))
             or case["rule"] not in match)
        and (name != "spacy" or case["rule"] != "T3" or case["input"]["scheme"] == "IOB2")
    ]  # fmt: skip


def is_same(case: Case, answer: Mapping[str, Any]) -> bool:
    """Return whether an answer is that of the case: each figure that it gives, to 9 digits."""
    if "segments" in case:
        return answer.get("segments") == sorted(case["segments"])
    given = answer.get("figures", {})
    if not given or not given.keys() <= case["figures"].keys():
        return False
    for name, found in given.items():
        figure = case["figures"][name]
        if figure is None or found is None:
            if figure is not found:
                return False
        elif not math.isclose(found, Fraction(figure["fraction"]), abs_tol=1e-9):
            return False
    return True


class Standing(NamedTuple):
    """How a program stands to a rule.

    Attributes:
        fulfilled: cases answered as they should be.
        otherwise: cases answered otherwise.
        refused: cases that it does not answer.
        smallest: the smallest of those answered otherwise, and the answer.
    """

    fulfilled: int
    otherwise: int
    refused: int
    smallest: tuple[Case, Mapping[str, Any]] | None


def standings(
    asked: Sequence[Case], answers: Mapping[str, Mapping[str, Any]]
) -> dict[str, Standing]:
    """Return how a program stands to each rule that it was asked about."""
    found = {}
    for rule in dict.fromkeys(case["rule"] for case in asked):
        of_rule = [case for case in asked if case["rule"] == rule]
        there = [(case, answers.get(case["id"], {"refused": "no answer"})) for case in of_rule]
        wrong = [(c, a) for c, a in there if "refused" not in a and not is_same(c, a)]
        refused = sum("refused" in a for _, a in there)
        smallest = min(wrong, key=lambda pair: len(json.dumps(pair[0]["input"])), default=None)
        found[rule] = Standing(len(there) - len(wrong) - refused, len(wrong), refused, smallest)
    return found


def ask(command: Sequence[str], asked: Sequence[Case]) -> dict[str, Mapping[str, Any]]:
    """Give a program the cases, without what should come out, and return its answers by id."""
    lines = "".join(json.dumps(case) + "\n" for case in asked)
    done = subprocess.run(command, input=lines, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}: {done.stderr.strip().splitlines()[-1:]}")
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {answer["id"]: answer for answer in answers}


def installed(name: str, folder: Path) -> tuple[str, str]:
    """Install a program in an environment of its own; return its Python and its version."""
    python = folder / name / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
    subprocess.run([python, "-m", "pip", "install", "-qq", PROGRAMS[name].install], check=True)
    version = f"from importlib.metadata import version; print(version({name!r}))"
    done = subprocess.run([python, "-c", version], check=True, capture_output=True, text=True)
    return str(python), done.stdout.strip()


def in_words(standing: Standing) -> str:
    """Return a cell of the table: how many of the cases are fulfilled."""
    every = standing.fulfilled + standing.otherwise + standing.refused
    refused = f", {standing.refused} refused" if standing.refused else ""
    return "all" if standing.fulfilled == every else f"{standing.fulfilled} of {every}{refused}"


def shown(case: Case) -> str:
    """Return the input of a case in one line."""
    given = case["input"]
    if "tags" in given:
        return " ".join(given["tags"])
    if "labels" in given:
        return "; ".join(
            f"{who}: {' '.join(x or '–' for x in row)}" for who, row in given["labels"].items()
        )
    spans = [
        f"{side} {' '.join(f'{s}–{e} {x}' for s, e, x in document[side]) or 'nothing'}"
        for document in given["documents"]
        for side in ("gold", "system")
    ]
    return "; ".join(spans)


def figures_of(figures: Mapping[str, Any]) -> str:
    """Return figures in one line."""

    def plain(figure: Any) -> str:
        value = figure["decimal"] if isinstance(figure, dict) else figure
        return "undefined" if value is None else f"{value:.4g}"

    return ", ".join(f"{name} {plain(x)}" for name, x in figures.items() if name != "matched")


def spans_of(spans: Sequence[Sequence[Any]]) -> str:
    """Return segments in one line."""
    return ", ".join(f"{start}–{end} {label}" for start, end, label in spans) or "nothing"


_COLUMNS = ("program", "case", "input", "by the rule", "its answer", "why")


def row_of(*cells: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


def disagreements(name: str, found: Mapping[str, Standing]) -> list[str]:
    """Return a row for each rule that a program answers otherwise, with the smallest case."""
    rows = []
    for rule, standing in found.items():
        if standing.smallest is None:
            continue
        case, answer = standing.smallest
        if "segments" in case:
            right, there = spans_of(case["segments"]), spans_of(answer["segments"])
        else:
            right = figures_of({k: case["figures"][k] for k in answer["figures"]})
            there = figures_of(answer["figures"])
        cause = CAUSES.get((name, rule))
        if cause is None:
            raise SystemExit(f"{name}, {rule}: {shown(case)}: {there}; write its cause in CAUSES")
        rows.append(row_of(name, case["id"], shown(case), right, there, cause))
    return rows


def page(every: Sequence[Case]) -> str:
    """Return the page that compares all programs."""
    standing, versions, rows = {}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name in PROGRAMS:
            python, versions[name] = installed(name, Path(folder))
            asked = claimed(name, every)
            answers = ask([python, "-I", str(ROOT / "scripts" / "adapters.py"), name], asked)
            standing[name] = standings(asked, answers)
            rows += disagreements(name, standing[name])
    rules = sorted(
        {rule for found in standing.values() for rule in found},
        key=lambda rule: ("TMCEAK".index(rule[0]), int(rule[1:])),
    )
    table = [
        row_of(rule, *(in_words(of[rule]) if rule in of else "" for of in standing.values()))
        for rule in rules
    ]
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    blocks = {
        "versions": [f"{date.today():%d %B %Y}: {named}."],
        "rules": [row_of("rule", *PROGRAMS), row_of(*["---"] * (len(PROGRAMS) + 1)), *table],
        "cases": [row_of(*_COLUMNS), row_of(*["---"] * len(_COLUMNS)), *rows],
    }
    text = PAGE.read_text("utf-8")
    for key, lines in blocks.items():
        pattern = rf"<!-- {key} -->\n.*?<!-- /{key} -->"
        block = "\n".join([f"<!-- {key} -->", *lines, f"<!-- /{key} -->"])
        text = re.sub(pattern, block.replace("\\", r"\\"), text, flags=re.DOTALL)
    return text


def main() -> None:
    """Ask one program, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", nargs="?", choices=list(PROGRAMS))
    parser.add_argument("--command", help="a program that reads cases and writes answers")
    parser.add_argument("--write", action="store_true", help="write docs/tools_compared.md")
    options = parser.parse_args()
    every = cases()
    if options.write:
        PAGE.write_text(page(every), "utf-8")
        return
    if options.command:
        asked, command = every, shlex.split(options.command)
        found = standings(asked, ask(command, asked))
    elif options.tool:
        with tempfile.TemporaryDirectory() as folder:
            python, _ = installed(options.tool, Path(folder))
            asked = claimed(options.tool, every)
            command = [python, "-I", str(ROOT / "scripts" / "adapters.py"), options.tool]
            found = standings(asked, ask(command, asked))
    else:
        parser.error("name a tool, --command or --write")
    for rule, standing in found.items():
        print(f"{rule}\t{in_words(standing)}")
        if standing.smallest:
            case, answer = standing.smallest
            print(f"\t{case['id']}: {shown(case)}: {answer.get('figures', answer.get('segments'))}")


if __name__ == "__main__":
    main()
