"""Hold the package against the cases of docs/specification.md, which share no code with it."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "corpora" / "vectors"
CHAPTERS = (
    *("tags", "figures", "chance", "pieces", "relations"),
    *("unplaced", "teams", "coefficients", "units", "large"),
)
OF_OTHERS = {"T10", "M9"}
"""Rules of a convention that the package does not follow."""

Case = dict[str, Any]


def cases(chapter: str) -> list[Case]:
    lines = (FOLDER / f"{chapter}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def script(name: str) -> ModuleType:
    """A script, as a module: what asks programs, this package among them."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    return module


ADAPTERS = script("adapters")


def disagreement(case: Case, answer: dict[str, Any]) -> str:
    """What an answer has otherwise than the case; to 12 digits, and undefined is undefined."""
    if "segments" in case:
        return (
            "" if answer.get("segments") == sorted(case["segments"]) else f"{case['id']}: {answer}"
        )
    if "refused" in answer:
        return f"{case['id']}: {answer}"
    for name, figure in case["figures"].items():
        value = answer["figures"][name]
        if figure is None or value is None:
            if figure is not value:
                return f"{case['id']}: {name}: {value}"
        elif value != pytest.approx(float(Fraction(figure["fraction"])), abs=1e-12):
            return f"{case['id']}: {name}: {value}"
    return ""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_package(chapter):
    """Each figure is the fraction of its case, and tags are read as its segments."""
    own = [case for case in cases(chapter) if case["rule"] not in OF_OTHERS]
    answers = [ADAPTERS.answer(ADAPTERS.spanagree, case) for case in own]
    assert list(filter(None, map(disagreement, own, answers))) == []


def test_any_overlap():
    """M9, which the package does not follow, by masks of NumPy."""
    some = [case for case in cases("figures") if case["rule"] == "M9"]
    for case in some:
        hits, sizes = np.zeros(2), np.zeros(2)
        for document in case["input"]["documents"]:
            a, b = document["gold"], document["system"]
            starts = [np.array([x[0] for x in side]) for side in (a, b)]
            ends = [np.array([x[1] for x in side]) for side in (a, b)]
            labels = [np.array([x[2] for x in side]) for side in (a, b)]
            meets = (starts[0][:, None] < ends[1]) & (starts[1] < ends[0][:, None])
            meets &= labels[0][:, None] == labels[1]
            hits += meets.any(0).sum(), meets.any(1).sum()
            sizes += len(b), len(a)
        precision, recall = hits / sizes
        f1 = 2 * precision * recall / (precision + recall) if hits.any() else 0
        figures = {name: float(Fraction(x["fraction"])) for name, x in case["figures"].items()}
        assert figures == pytest.approx({"precision": precision, "recall": recall, "f1": f1})


def test_as_spacy_reads():
    """T10, which the package does not follow, by spaCy itself."""
    pytest.importorskip("spacy")
    for case in (case for case in cases("tags") if case["rule"] == "T10"):
        answer = ADAPTERS.answer(ADAPTERS.spacy, case)
        assert answer.get("segments") == case.get("segments"), case["id"]
        assert ("refused" in answer) == ("refused" in case), case["id"]


def test_files_are_those_of_the_script():
    """The files are as the script writes them, which imports nothing but the standard library."""
    script = ROOT / "scripts" / "make_vectors.py"
    subprocess.run([sys.executable, "-I", script, "--check"], check=True, capture_output=True)
    imported = {
        line.split()[1].partition(".")[0]
        for line in script.read_text("utf-8").splitlines()
        if line.startswith(("import ", "from "))
    }
    assert imported <= {*sys.stdlib_module_names, "__future__"}


def test_cases_are_of_the_schema():
    """Each case is as the schema says, and its decimals are those of its fractions."""
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads((FOLDER / "schema.json").read_text()))
    for case in (case for chapter in CHAPTERS for case in cases(chapter)):
        validator.validate(case)
        for figure in filter(None, case.get("figures", {}).values()):
            assert figure["decimal"] == float(Fraction(figure["fraction"])), case["id"]


def test_every_rule_has_cases():
    """Each rule of the specification with figures has cases, and each case a rule that is there."""
    text = (ROOT / "docs" / "specification.md").read_text("utf-8")
    stated = {line.split("**")[1] for line in text.splitlines() if line.startswith("**")}
    tested = Counter(case["rule"] for chapter in CHAPTERS for case in cases(chapter))
    assert tested.keys() <= stated
    assert min(tested.values()) >= 5
    ids = [case["id"] for chapter in CHAPTERS for case in cases(chapter)]
    assert len(ids) == len(set(ids)) == int(re.search(r"(\d+) cases were", text).group(1))


def test_the_page_that_compares_programs():
    """Each rule that has cases is in the table, ours as "all"; each case named there is one."""
    page = (ROOT / "docs" / "tools_compared.md").read_text("utf-8")
    table = [line.split("|")[1:-1] for line in page.splitlines() if re.match(r"\| [A-Z]\d", line)]
    every = [case for chapter in CHAPTERS for case in cases(chapter)]
    shown = {row[0].strip() for row in table}
    assert {case["rule"] for case in every} - OF_OTHERS <= shown <= {case["rule"] for case in every}
    own = {row[0].strip(): row[-1].strip() for row in table}
    assert own == {rule: "" if rule in OF_OTHERS else "all" for rule in own}
    named = re.findall(r"^\| [\w-]+ \| ([A-Z]\d+\.\d+) \|", page, re.M)
    assert named
    assert {*named} <= {case["id"] for case in every}


def test_the_table_by_program():
    """It follows from the two tables of the page, by rule and by case, cell by cell."""
    conformance = script("conformance")
    page = conformance.PAGE.read_text("utf-8")
    table = ["<!-- programs -->", *conformance.in_short(page), "<!-- /programs -->"]
    assert "\n".join(table) in page


@pytest.mark.parametrize("broken", [False, True])
def test_conformance_of_a_program(tmp_path, broken):
    """A program that answers as the cases say fulfils all; one that gives 0 for undefined does not."""
    program = tmp_path / "mine.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    case = json.loads(line)\n"
        "    if case['rule'] in ('C1', 'M1') and 'what' not in case['input']:\n"
        "        g, s, m = (sum(len(d[k]) for d in case['input']['documents']) if k else 0\n"
        "                   for k in ('gold', 'system', ''))\n"
        "        for d in case['input']['documents']:\n"
        "            m += sum(x in d['system'] for x in d['gold'])\n"
        f"        f1 = 2 * m / (g + s) if g + s else {0 if broken else None}\n"
        "        print(json.dumps({'id': case['id'], 'figures': {'f1': f1}}))\n",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "conformance.py", "--command", f"{sys.executable} {program}"],
        check=True, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    rows = dict(line.split("\t")[:2] for line in done.stdout.splitlines() if line[0] != "\t")
    assert rows["M1"] == "all"
    assert rows["E1"].startswith("0 of ")
    exact = [c for c in cases("figures") if c["rule"] == "C1" and c["input"]["match"] == "exact"]
    assert len(exact) >= 3
    assert (": gold nothing; system nothing: " in done.stdout) == broken


def test_programs_are_not_told_what_should_come_out():
    """What they read of a case has neither a figure nor a segment of its answer."""
    conformance = script("conformance")
    for case in (case for chapter in CHAPTERS for case in cases(chapter)):
        told = conformance.question(case)
        assert told.keys() == {"id", "rule", "input", "figures"}
        assert told["figures"] == list(case.get("figures", ()))
