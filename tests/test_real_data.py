"""Real files, read as they are, through the command line: reference numbers and seqeval."""

from __future__ import annotations

import itertools
import json

import pytest
from seqeval.metrics import f1_score

import spanagree as sa
from spanagree.cli import main

SYSTEMS = ("arcada", "drexel_cci", "flytxt", "mic-cis.txt", "sjtu_adapt.txt", "spinningbytes.txt", "uh_ritual")  # fmt: skip
SCOPES = {"joint": "nonoverlapping", "per-label": "per-label"}


def wnut17(real):
    folder = real / "data" / "wnut17_systems"
    return [folder / "emerging.test.annotated", *(folder / "submissions" / s for s in SYSTEMS)]


@pytest.mark.parametrize("match", ["exact", "token"])
@pytest.mark.parametrize("scope", SCOPES)
def test_wnut17(real, capsys, match, scope):
    """Seven systems against the reference numbers (exact arithmetic, made elsewhere), to 1e-9."""
    reference = json.loads((real / "golden" / "wnut17.json").read_text())
    code = main(
        ["evaluate", *map(str, wnut17(real)), "--ignore-tokens", "--format", "json",
         "--match", match, "--chance", SCOPES[scope]]
    )  # fmt: skip
    out, err = capsys.readouterr()
    assert code == 0
    assert "mic-cis.txt: 1283 tokens differ" in err
    systems = json.loads(out)["systems"]
    assert [s["name"] for s in systems] == list(SYSTEMS)
    for system in systems:
        golden = reference[system["name"]][f"{match}/{scope}"]
        for ours, exact in (
            (system["tally"]["matched"], golden["matched"]),
            (system["tally"]["expected"], golden["expected_matched"]),
            (system["tally"]["gold"], golden["n_gold"]),
            (system["tally"]["system"], golden["n_system"]),
            (system["observed"]["f1"], golden["f1"]),
            (system["expected"]["f1"], golden["chance_f1"]),
            (system["corrected"]["f1"], golden["corrected_f1"]),
        ):
            assert ours == pytest.approx(exact, rel=1e-9, abs=1e-9)


def columns(path):
    """Tags as a user of seqeval would read them: sentences of (token, tag, …)."""
    lines = path.read_text(encoding="utf-8").replace("\r", "").split("\n")
    for blank, group in itertools.groupby(lines, lambda line: not line.strip()):
        if not blank:
            yield [line.split("\t" if "\t" in line else " ") for line in group]


def test_wnut17_raw_f1_is_seqeval(real):
    """Raw exact F1 of every file equals seqeval's default mode."""
    gold, *others = wnut17(real)
    corpus = sa.read_conll([gold, *others], ignore_tokens=True)
    result = sa.evaluate(corpus, gold=gold.name)
    tags = [[row[-1] for row in sentence] for sentence in columns(gold)]
    for path in others:
        theirs = [[row[-1] for row in sentence] for sentence in columns(path)]
        assert result.systems[path.name].f1.observed == pytest.approx(
            f1_score(tags, theirs), abs=1e-15
        )


def test_the_other_gold_of_wnut17(real):
    """A second gold file of the same text, read as seqeval's users would read it."""
    folder = real / "data" / "wnut17_systems"
    one, other = folder / "emerging.test.annotated", folder / "emerging.test.conll"
    corpus = sa.read_conll([one, other], ignore_tokens=True)
    tags = [[[row[-1] for row in s] for s in columns(path)] for path in (one, other)]
    f1 = sa.evaluate(corpus).systems[other.name].f1
    assert f1.observed == pytest.approx(f1_score(*tags), abs=1e-15)


def test_wnut16_columns(real):
    """Two files of `token gold prediction`: several tag columns in one file."""
    for path in sorted((real / "data" / "wnut16_systems").glob("wnut16_*.txt")):
        corpus = sa.read_conll(path, columns={"gold": 1, "system": 2})
        gold, theirs = (
            [[row[c] for row in sentence] for sentence in columns(path)] for c in (1, 2)
        )
        f1 = sa.evaluate(corpus, gold="gold").systems["system"].f1
        assert f1.observed == pytest.approx(f1_score(gold, theirs), abs=1e-15)
        assert 0 < f1.expected < f1.observed


def test_hash_tokens_of_wnut17(real):
    """The token # with the tag O is a token: none of the 23,394 rows is lost."""
    gold = wnut17(real)[0]
    corpus = sa.read_conll(gold)
    assert corpus.lengths.sum() == sum(len(s) for s in columns(gold)) == len(corpus.tokens)
    assert corpus.tokens.count("#") == sum(row[0] == "#" for s in columns(gold) for row in s) > 0
