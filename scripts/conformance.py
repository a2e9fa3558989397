"""Say which rules of docs/specification.md a program fulfils, by the cases of corpora/vectors.

    scripts/conformance.py seqeval                       one of those that have an adapter
    scripts/conformance.py --command 'python mine.py'    any program that reads cases and answers
    scripts/conformance.py --write                       all: writes docs/tools_compared.md

A program reads a case a line from standard input: id, rule, input and the names of figures, but not
what they are. It writes a line for each that it answers: {"id": …, "figures": {…}},
{"id": …, "segments": […]} or {"id": …, "refused": why}.
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
CHAPTERS = (
    *("tags", "figures", "chance", "pieces", "relations"),
    *("unplaced", "teams", "coefficients", "units", "large"),
)

Case = Mapping[str, Any]


class Program(NamedTuple):
    """A program with an adapter.

    Attributes:
        install: what pip installs.
        claims: rules that its documentation claims.
        forms: keys of a case's input that it has a form for, beside those that all have; or
            ``key=value``, if for one value alone.
        measure: match of the cases of figures that it is asked about.
        why_not: why it may not run: what it loads beside what pip installs.
    """

    install: str
    claims: tuple[str, ...]
    forms: tuple[str, ...] = ()
    measure: str = "exact"
    why_not: str = ""


_FORMS = ("tags", "scheme", "strict", "match", "documents", "labels")
_F1 = ("M1", "C1", "C2")
_TAGS = ("T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9")
_ZEROS = ("average=micro", "zero_division=0")
_SEMEVAL = (*_F1, "M2", "M7", "M8")
PROGRAMS: Mapping[str, Program] = {
    "seqeval": Program(
        "seqeval",
        (*_TAGS, *_F1, "C3", "C4", "C5", "C6"),
        ("average", "zero_division", "beta"),
    ),
    "evaluate": Program(
        "evaluate seqeval", _F1, why_not="its metric is loaded from the Hugging Face Hub"
    ),
    "nervaluate": Program("nervaluate", (*_SEMEVAL, "C5"), _ZEROS),
    "seqscore": Program("seqscore", ("T1", "T2", "T3", "T6", "T7", *_F1, "C5"), _ZEROS),
    "annotations-evaluate": Program("annotations-evaluate", _SEMEVAL),
    "spaneval": Program("spaneval", (*_SEMEVAL, "C5"), _ZEROS),
    "spacy": Program("spacy", ("T3", "T7", "T10", *_F1), ("reader",)),
    "scikit-learn": Program(
        "scikit-learn", ("M3", "C1", "C2", "C3", "C4"), ("average", "beta"), "token"
    ),
    "nltk": Program("nltk", ("K1", "K2", "K3", "K8")),
    "krippendorff": Program("krippendorff", ("K3",)),
    "pygamma-agreement": Program(
        "pygamma-agreement", ("N5",), ("measure", "lengths", "annotators")
    ),
    "spanagree": Program(str(ROOT), ()),
}
_NOT_OURS = ("T10", "M9")
"""Rules of a convention of others, which spanagree does not follow."""

NAMES: Mapping[str, str] = {
    "D3": "seen and unmarked", "D4": "overlaps in one side", "M6": "tolerance",
    "C1": "P, R, F1", "C2": "micro", "E4": "correction", "E5": "gold fixed",
    "P1": "equal pieces", "P2": "units of pieces", "P3": "chance of pieces",
    "R1": "relations", "R4": "chance of relations", "R5": "attributes", "R6": "attribute in label",
    "U1": "not in the text", "U2": "its tokens", "A1": "documents of two", "A2": "team, mean",
    "K1": "κ", "K2": "π", "K3": "α", "K4": "SPA", "K5": "AC1", "K6": "π, κ with gaps",
    "K7": "complete items", "K8": "mean κ of pairs",
    "N1": "α_U", "N2": "all categories", "N5": "γ, observed",
}  # fmt: skip
"""Names of rules whose text in the specification does not begin with one."""

_TWICE = "a prediction that overlaps two gold segments is counted twice"
_BY_GOLD = "each gold segment takes a prediction by itself, so pairs are not one to one"
_ZERO = "nothing to divide by gives 0"
_ONE_CATEGORY = "one category alone gives 1, where 0 is divided by 0"
CAUSES: Mapping[tuple[str, str], str] = {
    ("seqeval", "T4"): "strict IOE1 loses a segment of one token that another of its label follows",
    (
        "seqeval",
        "T8",
    ): "the default mode does not know U and L: they go on with the segment before, and"
    " one that ends so right before another of its label is lost",
    ("seqeval", "C1"): _ZERO,
    ("seqeval", "C3"): f"{_ZERO}, and is part of the mean",
    ("nervaluate", "C1"): _ZERO,
    ("seqscore", "C1"): _ZERO,
    ("annotations-evaluate", "C1"): "F1 is undefined where precision or recall is",
    ("spaneval", "C1"): _ZERO,
    ("spaneval", "M1"): _TWICE,
    ("spaneval", "C2"): _TWICE,
    ("spaneval", "M7"): _BY_GOLD,
    ("spaneval", "M8"): _BY_GOLD,
    ("spacy", "C1"): "precision is 0 where nothing is marked",
    **{("nltk", rule): _ONE_CATEGORY for rule in ("K1", "K2", "K3", "K8")},
}
"""Why a program answers the cases of a rule otherwise, in a sentence, by program and rule."""


def cases() -> list[Case]:
    """Return all cases, chapter by chapter."""
    folder = ROOT / "corpora" / "vectors"
    files = ((folder / f"{chapter}.jsonl").read_text("utf-8") for chapter in CHAPTERS)
    return [json.loads(line) for text in files for line in text.splitlines()]


def claimed(name: str, every: Sequence[Case]) -> list[Case]:
    """Return the cases of the rules that a program claims, which it has a form for."""
    if name == "spanagree":
        return [case for case in every if case["rule"] not in _NOT_OURS]
    program = PROGRAMS[name]
    figures = ("C1", "C2", "C3", "C4")
    forms = {*_FORMS, *program.forms}
    return [
        case
        for case in every
        if case["rule"] in program.claims
        and all(key in forms or f"{key}={x}" in forms for key, x in case["input"].items())
        and (case["rule"] not in figures or case["input"]["match"] == program.measure)
        and (name != "spacy" or case["rule"] != "T3" or case["input"]["scheme"] == "IOB2")
    ]


def is_same(case: Case, answer: Mapping[str, Any]) -> bool:
    """Return whether an answer is that of the case: each figure that it gives, to 6 digits."""
    if "refused" in case or "refused" in answer:
        return "refused" in case and "refused" in answer
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
        elif not math.isclose(found, Fraction(figure["fraction"]), abs_tol=1e-6):
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
        refused = sum("refused" in a and not is_same(c, a) for c, a in there)
        smallest = min(wrong, key=lambda pair: len(json.dumps(pair[0]["input"])), default=None)
        found[rule] = Standing(len(there) - len(wrong) - refused, len(wrong), refused, smallest)
    return found


def question(case: Case) -> Case:
    """Return what a program is told of a case: the names of its figures, but not the figures."""
    return {
        "id": case["id"],
        "rule": case["rule"],
        "input": case["input"],
        "figures": list(case.get("figures", ())),
    }


def ask(command: Sequence[str], asked: Sequence[Case]) -> dict[str, Mapping[str, Any]]:
    """Give a program the cases, without what should come out, and return its answers by id."""
    lines = "".join(json.dumps(question(case)) + "\n" for case in asked)
    done = subprocess.run(command, input=lines, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}: {done.stderr.strip().splitlines()[-1:]}")
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {answer["id"]: answer for answer in answers}


def installed(name: str, folder: Path) -> tuple[str, str]:
    """Install a program in an environment of its own, or find it there; return Python, version."""
    python = folder / name / "bin" / "python"
    version = f"from importlib.metadata import version; print(version({name!r}))"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
    done = subprocess.run([python, "-c", version], check=False, capture_output=True, text=True)
    if done.returncode:
        install = shlex.split(PROGRAMS[name].install)
        subprocess.run([python, "-m", "pip", "install", "-qq", *install], check=True)
        done = subprocess.run([python, "-c", version], check=True, capture_output=True, text=True)
    return str(python), done.stdout.strip()


def answers_of(name: str, python: str, asked: Sequence[Case]) -> dict[str, Mapping[str, Any]]:
    """Ask a program by its adapter; a program that cannot be loaded gives no answer at all."""
    answers = ask([python, "-I", str(ROOT / "scripts" / "adapters.py"), name], asked)
    if PROGRAMS[name].why_not and all("refused" in answer for answer in answers.values()):
        return {}
    return answers


def name_of(rule: str, specification: str) -> str:
    """Return the name of a rule: with which its text begins, in code or in italics, or one here."""
    begins = re.search(rf"^\*\*{rule}\*\* [`*]([^`*]+)[`*]", specification, re.M)
    return NAMES.get(rule, "") if begins is None else begins[1]


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
    if "annotators" in given:
        return "; ".join(
            f"{who}: {', '.join('not seen' if x is None else spans_of(x) for x in layer)}"
            for who, layer in given["annotators"].items()
        )
    sides = [(side, d.get(side)) for d in given["documents"] for side in ("gold", "system")]
    plain = ("start", "end", "label")
    if any(spans is None or {len(plain)} < {*map(len, spans)} | {len(plain)} for _, spans in sides):
        return json.dumps(given, ensure_ascii=False)  # pieces, attributes, strings
    spans = [
        f"{side} {' '.join(f'{s}–{e} {x}' for s, e, x in there) or 'nothing'}"
        for side, there in sides
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
        there = spans_of(answer["segments"]) if "segments" in answer else ""
        there = there or figures_of(answer.get("figures", {}))
        if "refused" in case:
            right = "refused"
        elif "segments" in case:
            right = spans_of(case["segments"])
        else:
            right = figures_of({k: case["figures"][k] for k in answer["figures"]})
        cause = CAUSES.get((name, rule))
        if cause is None:
            raise SystemExit(f"{name}, {rule}: {shown(case)}: {there}; write its cause in CAUSES")
        rows.append(row_of(name, case["id"], shown(case), right, there, cause))
    return rows


def page(every: Sequence[Case], folder: Path) -> str:
    """Return the page that compares all programs."""
    standing, versions, rows, absent = {}, {}, [], []
    for name, program in PROGRAMS.items():
        python, version = installed(name, folder)
        asked = claimed(name, every)
        answers = answers_of(name, python, asked)
        if not answers:
            absent.append(f"{name} {version} did not run here: {program.why_not}.")
            continue
        versions[name], standing[name] = version, standings(asked, answers)
        rows += disagreements(name, standing[name])
    rules = sorted(
        {rule for found in standing.values() for rule in found},
        key=lambda rule: ("DTMCEPRUAKN".index(rule[0]), int(rule[1:])),
    )
    specification = (ROOT / "docs" / "specification.md").read_text("utf-8")
    table = [
        row_of(
            rule,
            name_of(rule, specification),
            *(in_words(of[rule]) if rule in of else "" for of in standing.values()),
        )
        for rule in rules
    ]
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    blocks = {
        "versions": [" ".join([f"{date.today():%d %B %Y}: {named}.", *absent])],
        "rules": [row_of("rule", "name", *standing), f"{'|---' * (len(standing) + 2)}|", *table],
        "cases": [row_of(*_COLUMNS), f"{'|---' * len(_COLUMNS)}|", *rows],
    }
    text = PAGE.read_text("utf-8")
    for key, lines in blocks.items():
        text = with_block(text, key, lines)
    return text


def with_block(text: str, key: str, lines: Sequence[str]) -> str:
    """Return a page with other lines between its marks of this key."""
    block = "\n".join([f"<!-- {key} -->", *lines, f"<!-- /{key} -->"])
    return re.sub(
        rf"<!-- {key} -->\n.*?<!-- /{key} -->", lambda _: block, text, count=1, flags=re.DOTALL
    )


def table_in(text: str, key: str) -> list[list[str]]:
    """Return the cells of the table between the marks of this key, its heading first."""
    inside = text.partition(f"<!-- {key} -->\n")[2].partition(f"<!-- /{key} -->")[0]
    rows = [line[1:-1].split("|") for line in inside.splitlines() if not line.startswith("|--")]
    return [[cell.strip() for cell in row] for row in rows]


def as_followed(rule: str, cell: str) -> str:
    """Return a rule that a program follows wherever it answers; empty for others."""
    counts = [int(number) for number in re.findall(r"\d+", cell)]
    if len(counts) > len(("fulfilled", "all")) and counts[0] + counts[2] == counts[1]:
        return f"{rule} ({counts[2]} refused)"
    return rule if cell == "all" else ""


def in_short(compared: str) -> list[str]:
    """Return a table of which rules each program follows, and why not others; from the page."""
    heading, *rules = table_in(compared, "rules")
    causes: dict[tuple[str, str], list[str]] = {}
    for name, case, *_, cause in table_in(compared, "cases")[1:]:
        causes.setdefault((name, cause), []).append(case.partition(".")[0])
    lines = [row_of("program", "answers all cases of", "answers otherwise"), "|---|---|---|"]
    for column, name in enumerate(heading[2:-1], start=2):
        followed = ", ".join(filter(None, (as_followed(row[0], row[column]) for row in rules)))
        others = "; ".join(
            f"{', '.join(sorted(of))}: {why}" for (who, why), of in causes.items() if who == name
        )
        lines.append(row_of(name, followed or "–", others or "–"))
    return lines


def main() -> None:
    """Ask one program, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", nargs="?", choices=list(PROGRAMS))
    parser.add_argument("--command", help="a program that reads cases and writes answers")
    parser.add_argument("--write", action="store_true", help="write docs/tools_compared.md")
    parser.add_argument("--environments", type=Path, help="a folder that keeps what is installed")
    options = parser.parse_args()
    every = cases()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.environments or Path(temporary)
        if options.write:
            compared = page(every, folder)
            PAGE.write_text(with_block(compared, "programs", in_short(compared)), "utf-8")
            return
        if options.command:
            found = standings(every, ask(shlex.split(options.command), every))
        elif options.tool:
            asked = claimed(options.tool, every)
            python, _ = installed(options.tool, folder)
            found = standings(asked, answers_of(options.tool, python, asked))
        else:
            parser.error("name a tool, --command or --write")
    for rule, standing in found.items():
        print(f"{rule}\t{in_words(standing)}")
        if standing.smallest:
            case, answer = standing.smallest
            print(f"\t{case['id']}: {shown(case)}: {answer.get('figures', answer.get('segments'))}")


if __name__ == "__main__":
    main()
