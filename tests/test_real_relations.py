"""Real annotations with relations, pieces and attributes: published figures, and simulation."""

from __future__ import annotations

import json
import shutil
import tarfile
from itertools import combinations

import numpy as np
import pytest

import spanagree as sa
from spanagree.chance.random_annotations import draw_starts
from spanagree.chance.rigid_blocks import chain_hulls

TASKS = ("scenario2-taskA", "scenario3-taskB")


@pytest.fixture(scope="module")
def measeval(real):
    """Two annotators of MeasEval, and what was counted of them by another program."""
    folder = real / "data" / "relations" / "brat_measeval_iaa"
    return sa.read(folder), json.loads((folder / "facts.json").read_text())


def test_measeval(measeval):
    """Segments, relations and attributes: F1 .650, .361 and .540, as published."""
    corpus, facts = measeval
    team = {
        what: sa.agree(corpus, what=what).team.f1
        for what in ("segments", "relations", "attributes")
    }
    wanted = [facts["pair"][name] for name in ("exact_f1", "relation_f1", "attribute_f1")]
    assert [f1.observed for f1 in team.values()] == pytest.approx(wanted, abs=1e-5)
    # one quantity in each text: which types are linked says nearly everything
    assert team["relations"].expected == pytest.approx(0.3593, abs=5e-5)
    assert sa.agree(corpus, what="relations", pairs="all").team.f1.expected == pytest.approx(
        0.0382, abs=5e-5
    )


@pytest.mark.parametrize("pairs", ["types", "all"])
def test_measeval_simulated(measeval, pairs):
    """The expected match is the mean of relations drawn anew, within 4 standard errors."""
    corpus, _ = measeval
    draws, rng = 400, np.random.default_rng(5)
    total = np.zeros(draws)
    for document in corpus:
        if not document.relations:
            continue
        drawn = []
        for name in ("ann1", "ann2"):
            segments = document.segments[name] or ()
            kinds: dict = {}
            for x in document.relations:
                if x.annotator == name:
                    kind = (x.first.label, x.second.label) if pairs == "types" else ()
                    kinds[x.label, kind] = kinds.get((x.label, kind), 0) + 1
            sets = []
            for (label, kind), number in kinds.items():
                every = [
                    (label, *p, p.pieces, *q, q.pieces)
                    for p in segments
                    for q in segments
                    if p != q and (pairs == "all" or (p.label, q.label) == kind)
                ]
                sets.append((every, number))
            drawn.append(
                [
                    {
                        every[i]
                        for every, number in sets
                        for i in rng.choice(len(every), number, replace=False).tolist()
                    }
                    for _ in range(draws)
                ]
            )
        total += [len(a & b) for a, b in zip(*drawn, strict=True)]
    pair = sa.agree(corpus, what="relations", pairs=pairs).pairs["ann1", "ann2"]
    error = total.std(ddof=1) / np.sqrt(draws)
    assert abs(total.mean() - pair.tally.expected) < 4 * error + 1e-9


@pytest.fixture(scope="module")
def ehealth(real, tmp_path_factory):
    """The 19 systems of eHealth-KD 2020, each with its own texts, of which three end lines anew."""
    folder = real / "data" / "tasks" / "ehealthkd2020"
    facts = json.loads((folder / "facts.json").read_text())
    out = tmp_path_factory.mktemp("ehealth")
    with tarfile.open(folder / "ehealthkd2020_s2_s3.tar.gz") as tar:
        tar.extractall(out / "all", filter="data")
    for task in TASKS:
        for source in (out / "all" / "gold", *sorted((out / "all" / "systems").iterdir())):
            (out / task / source.name).mkdir(parents=True)
            for end in (".txt", ".ann"):
                shutil.copy(source / f"{task}{end}", out / task / source.name)
    return out, facts


def counted_alone(path):
    """The entities and relations of a file, by its lines alone; pieces that touch are one."""
    entities, relations = {}, set()
    for line in path.read_text("utf-8").splitlines():
        name, _, rest = line.partition("\t")
        if name[0] == "T":
            label, _, pieces = rest.split("\t")[0].partition(" ")
            tokens = {t for p in pieces.split(";") for t in range(*map(int, p.split()))}
            entities[name] = label, frozenset(tokens)
    for line in path.read_text("utf-8").splitlines():
        name, _, rest = line.partition("\t")
        label, *ends = rest.split()
        ends = [entities.get(end.rpartition(":")[2]) for end in ends]
        if name[0] in "R*":
            pairs = [pair for pair in combinations(ends, 2) if None not in pair]
            # whether it is written as an equivalence or not, it has no direction
            kind = frozenset if label == "same-as" else tuple
            relations |= {(label, kind(pair)) for pair in pairs if pair[0] != pair[1]}
    return set(entities.values()), relations


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_ehealth(ehealth, task):
    """All 19 systems: entities, of which 63 of 556 are of several pieces, and relations."""
    out, facts = ehealth
    corpus = sa.read(out / task, repair=["drop-relations", "drop-duplicates"])
    assert "that count line ends of two characters as one" in "; ".join(corpus.notes)
    if task == TASKS[0]:
        gold = corpus.layers["gold"]
        assert (len(gold), int((gold.shape > 0).sum())) == (556, 63)
    found = {
        0: sa.evaluate(corpus, "gold"),
        1: sa.evaluate(corpus, "gold", what="relations", pairs="sentence"),
    }
    assert set(found[0].systems) == set(facts[task]["systems"])
    assert len(found[0].systems) == 19
    gold = counted_alone(out / task / "gold" / f"{task}.ann")
    for name, about in facts[task]["systems"].items():
        mine = counted_alone(out / task / name / f"{task}.ann")
        for what, evaluation in found.items():
            tally = evaluation.systems[name].tally
            sizes = len(gold[what]), len(mine[what])
            assert (tally.matched, tally.size_a, tally.size_b) == (
                len(gold[what] & mine[what]),
                *sizes,
            ), (name, what)
        # published counts take pieces that touch for two, which three systems write
        if not name.startswith("Vicomtech"):
            wanted = pytest.approx(about["entity_f1_exact_with_label"], abs=1e-6)
            assert found[0].systems[name].f1.observed == wanted, name


def test_ehealth_simulated(ehealth):
    """The expected exact match of segments in blocks is the mean of draws of these."""
    out, _ = ehealth
    corpus = sa.read(out / TASKS[0], repair=["drop-relations", "drop-duplicates"])
    names, n = ("gold", "SINAI_run1"), int(corpus.lengths[0])
    expected = sa.evaluate(corpus.select_annotators(names)).systems["SINAI_run1"].tally.expected
    rng, draws, sides = np.random.default_rng(3), 1000, []
    for name in names:
        layer = corpus.layers[name]
        blocks = chain_hulls(layer.document, layer.start, layer.end)
        starts = draw_starts(n, (blocks.end - blocks.start).tolist(), draws, rng)
        what = [
            (layer.segment(i, corpus.labels).pieces, int(layer.start[i]), int(layer.label[i]))
            for i in range(len(layer))
        ]
        shapes = [(tuple((s - at, e - at) for s, e in p), label) for p, at, label in what]
        sides.append((starts[:, blocks.block] + blocks.offset, shapes))
    matched = np.zeros(draws)
    for draw in range(draws):
        a, b = (set(zip(at[draw].tolist(), shapes, strict=True)) for at, shapes in sides)
        matched[draw] = len(a & b)
    assert abs(matched.mean() - expected) < 4 * matched.std(ddof=1) / np.sqrt(draws)
