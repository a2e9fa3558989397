"""Hold the package against the cases of docs/specification.md, which share no code with it."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spanagree as sa
from spanagree.corpus.unplaced import UnplacedQuotes

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "corpora" / "vectors"
CHAPTERS = ("tags", "figures", "chance", "unplaced", "teams", "coefficients")

Case = dict[str, Any]


def cases(chapter: str) -> list[Case]:
    lines = (FOLDER / f"{chapter}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def tuples(spans: list[list[Any]] | None) -> list[tuple[int, int, str]] | None:
    return None if spans is None else [(start, end, label) for start, end, label in spans]


def with_quotes(corpus: sa.Corpus, lost: list[tuple[int, int, str]]) -> sa.Corpus:
    """Add quotes of the system that are not in the text, each with document, length and label."""
    at, sizes, labels = zip(*lost, strict=True)
    quotes = UnplacedQuotes.of(at, labels, [""] * len(lost), "tokens", sizes)
    raw = corpus.to_raw()
    rows = raw.of_annotator == raw.annotators.index("system")
    place = np.flatnonzero(rows)[np.argsort(raw.of_document[rows])]
    return sa.Corpus.from_raw(raw.but(unplaced=quotes.moved(place)))


def of_figures(given: Case) -> dict[str, float]:
    """Evaluate the documents of a case; each figure by its name there."""
    documents = given["documents"]
    layers = {side: [tuples(x[side]) for x in documents] for side in ("gold", "system")}
    corpus = sa.Corpus.from_segments([x["length"] for x in documents], layers)
    lost = [(d, *quote) for d, x in enumerate(documents) for quote in x.get("unplaced", ())]
    if lost:
        corpus = with_quotes(corpus, lost)
    settings = {
        key: given[key] for key in ("match", "chance", "chance_of", "tolerance") if key in given
    }
    system = sa.evaluate(corpus, "gold", **settings).systems["system"]
    scored = system.macro if given.get("average") == "macro" else system
    figures = {"matched": system.tally.matched, "expected_matched": system.tally.expected}
    for name in ("precision", "recall", "f1"):
        score = getattr(scored, name)
        figures[name] = score.observed
        figures[f"expected_{name}"] = score.expected
        figures[f"corrected_{name}"] = score.corrected
    return figures


def of_teams(given: Case) -> dict[str, float]:
    layers = {name: [tuples(x) for x in layer] for name, layer in given["annotators"].items()}
    result = sa.agree(sa.Corpus.from_segments(given["lengths"], layers))
    team = result.team.f1
    return {
        "team_f1": team.observed,
        "team_expected_f1": team.expected,
        "team_corrected_f1": team.corrected,
        "mean_f1_over_pairs": result.mean.observed,
    }


def of_coefficients(given: Case) -> dict[str, float]:
    labels = given["labels"]
    items = range(len(next(iter(labels.values()))))
    rows = [
        (str(i), name, row[i]) for name, row in labels.items() for i in items if row[i] is not None
    ]
    table = sa.LabelTable.from_rows(rows)
    result = sa.coefficients(table)
    return {name: getattr(result, name).value for name in ("alpha", "pi", "kappa")}


COMPUTED = {
    "figures": of_figures,
    "chance": of_figures,
    "unplaced": of_figures,
    "teams": of_teams,
    "coefficients": of_coefficients,
}


@pytest.mark.parametrize("chapter", list(COMPUTED))
def test_figures(chapter):
    """Every figure is the fraction of its case, to 12 digits; undefined is undefined."""
    for case in cases(chapter):
        computed = COMPUTED[chapter](case["input"])
        for name, figure in case["figures"].items():
            if figure is None:
                assert math.isnan(computed[name]), (case["id"], name, computed[name])
            else:
                fraction = float(Fraction(figure["fraction"]))
                assert computed[name] == pytest.approx(fraction, abs=1e-12), (case["id"], name)


def test_segments_of_tags():
    """Tags are read as the segments of their case."""
    for case in cases("tags"):
        given = case["input"]
        read = sa.from_tags(
            {"one": [given["tags"]]}, scheme=given["scheme"], strict=given["strict"]
        )
        segments = [[s.start, s.end, s.label] for s in read[0].segments["one"]]
        assert segments == sorted(case["segments"]), case["id"]


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
    assert {row[0].strip() for row in table} == {case["rule"] for case in every}
    assert {row[-1].strip() for row in table} == {"all"}
    named = re.findall(r"^\| [\w-]+ \| ([A-Z]\d+\.\d+) \|", page, re.M)
    assert named
    assert {*named} <= {case["id"] for case in every}


@pytest.mark.parametrize("broken", [False, True])
def test_conformance_of_a_program(tmp_path, broken):
    """A program that answers as the cases say fulfils all; one that gives 0 for undefined does not."""
    program = tmp_path / "mine.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    case = json.loads(line)\n"
        "    if case['rule'] in ('C1', 'M1'):\n"
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
