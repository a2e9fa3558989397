"""docs/coming_from.md in one line each: what it says to type here gives what the others give.

Oracle: the figures in the table, which are those of seqeval and nervaluate run here, of seqscore
0.9.0 as it printed them, and of the ranking of CLEF-HIPE-2020 (English, NE-COARSE-LIT, strict).
"""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import tarfile
from pathlib import Path

import pytest

import spanagree as sa

PAGE = Path(__file__).parents[2] / "docs" / "coming_from.md"


def rows():
    """Return what is typed in each program and here, and the figures that both give, by program."""
    text = PAGE.read_text("utf-8").partition("## In one line each")[2].partition("\n## ")[0]
    cells = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {row[0].split()[0]: [cell.strip(" `") for cell in row[1:]] for row in cells[1:]}


def figures(text):
    return re.findall(r"\.\d{3}", text)


@pytest.fixture
def tags(newsroom):
    """The tags of gold and the tagger, as seqeval takes them."""

    def of(name):
        text = (newsroom / f"{name}.conll").read_text("utf-8").strip()
        return [[line.split()[-1] for line in part.splitlines()] for part in text.split("\n\n")]

    return {name: of(name) for name in ("gold", "tagger")}


def printed(run, command, *files):
    """Return the rows that a command gives, with the paths of files put for their names."""
    program, *arguments = shlex.split(command)
    assert program == "spanagree"
    paths = {path.name: path for path in files}
    code, out, _ = run(*(paths.get(word, word) for word in arguments), "--format", "csv")
    assert code == 0
    header, *lines = out.splitlines()
    return [dict(zip(header.split(","), line.split(","), strict=False)) for line in lines]


def test_rows():
    assert list(rows()) == ["seqeval", "nervaluate", "seqscore", "HIPE-scorer"]


def test_seqeval(tags):
    theirs, ours, same = rows()["seqeval"]
    metrics = pytest.importorskip("seqeval.metrics")
    assert ast.unparse(ast.parse(theirs)) == "seqeval.metrics.f1_score(gold, tagger)"
    assert ast.unparse(ast.parse(ours)) == "sa.f1_score(gold, tagger)"
    f1 = sa.f1_score(*tags.values())
    assert f1 == metrics.f1_score(*tags.values())
    assert figures(same) == [f"{f1:.3f}"[1:]]


def test_nervaluate(run, newsroom):
    _, ours, same = rows()["nervaluate"]
    found = printed(run, ours, *newsroom.glob("*.conll"))
    values = {row["strategy"]: f"{float(row['f1']):.3f}"[1:] for row in found}
    assert re.findall(r"(\w+) (\.\d{3})", same) == [*values.items()]


def test_nervaluate_itself(tags):
    """What the row has of nervaluate it gives, where it is installed."""
    evaluator = pytest.importorskip("nervaluate").Evaluator
    theirs, _, same = rows()["nervaluate"]
    assert theirs == 'Evaluator(gold, tagger, tags=labels, loader="list").evaluate()'
    every = {tag[2:] for side in tags.values() for part in side for tag in part if tag != "O"}
    found = evaluator(*tags.values(), tags=sorted(every), loader="list").evaluate()["overall"]
    names = [{"type": "ent_type"}.get(x, x) for x in ("strict", "exact", "partial", "type")]
    assert figures(same) == [f"{found[name].f1:.3f}"[1:] for name in names]


def test_seqscore(run, newsroom):
    """seqscore 0.9.0 prints 71.76, 56.63 and 63.30; of the chunker 45.18 thrice by conlleval's
    repair, and 45.39, 41.57 and 43.40 by discarding."""
    _, ours, same = rows()["seqscore"]
    files = [*newsroom.glob("*.conll")]

    def percent(command):
        (row,) = printed(run, command, *files)
        keys = ("precision_observed", "recall_observed", "f1_observed")
        return [f"{100 * float(row[key]):.2f}" for key in keys]

    assert percent(ours) == ["71.76", "56.63", "63.30"]
    assert figures(same) == [".633"]
    chunker = ours.replace("tagger", "chunker")
    assert percent(chunker) == ["45.18"] * 3
    assert percent(f"{chunker} --strict") == ["45.39", "41.57", "43.40"]


def test_hipe(run, real, tmp_path):
    """The ranking has .632 for run 1 of team 10."""
    _, ours, same = rows()["HIPE-scorer"]
    with tarfile.open(real / "data" / "tasks" / "hipe2020_en" / "hipe2020_en.tar.gz") as tar:
        for member in tar:
            name = Path(member.name).name
            if name in ours.split():
                with tar.extractfile(member) as source, open(tmp_path / name, "wb") as target:
                    shutil.copyfileobj(source, target)
    (row,) = printed(run, ours, *tmp_path.glob("*.tsv"))
    assert [f"{float(row['f1_observed']):.3f}"[1:]] == figures(same) == [".632"]
