"""Real annotations with relations, pieces and attributes: published figures, and simulation."""

from __future__ import annotations

import json
import tarfile

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
    """The systems of eHealth-KD 2020 whose text is that of gold, as brat projects."""
    folder = real / "data" / "tasks" / "ehealthkd2020"
    facts = json.loads((folder / "facts.json").read_text())
    out = tmp_path_factory.mktemp("ehealth")
    with tarfile.open(folder / "ehealthkd2020_s2_s3.tar.gz") as tar:
        tar.extractall(out / "all", filter="data")
    for task in TASKS:
        text = (out / "all" / "gold" / f"{task}.txt").read_text("utf-8")
        chosen = {"gold": out / "all" / "gold"}
        for name, about in facts[task]["systems"].items():
            if about["txt_equals_gold"] and not name.startswith("Vicomtech"):
                chosen[name] = out / "all" / "systems" / name
        for name, source in chosen.items():
            target = out / task / name
            target.mkdir(parents=True)
            (target / f"{task}.txt").write_text(text, "utf-8")
            rows = (source / f"{task}.ann").read_text("utf-8").split("\n")
            # some cover texts that they wrote with underscores
            kept = ["\t".join(row.split("\t")[:2]) if row[:1] == "T" else row for row in rows]
            (target / f"{task}.ann").write_text("\n".join(kept), "utf-8")
    return out, facts


@pytest.mark.parametrize("task", TASKS)
def test_ehealth(ehealth, task):
    """Entities, of which 63 of 556 are of several pieces, and relations, as counted elsewhere."""
    out, facts = ehealth
    corpus = sa.read(out / task, repair=["drop-relations", "drop-duplicates"])
    if task == TASKS[0]:
        gold = corpus.layers["gold"]
        assert (len(gold), int((gold.shape > 0).sum())) == (556, 63)
    entities = sa.evaluate(corpus, "gold")
    relations = sa.evaluate(corpus, "gold", what="relations", pairs="sentence")
    assert len(entities.systems) >= 12
    for name, system in entities.systems.items():
        about = facts[task]["systems"][name]
        wanted = pytest.approx(about["entity_f1_exact_with_label"], abs=1e-6)
        assert system.f1.observed == wanted, name
        # gold links one segment with itself, which is no relation here; some systems do too
        tally = relations.systems[name].tally
        size = facts[task]["gold"]["R_distinct"] + about["R_distinct"]
        counted = [2 * matched / size for matched in (tally.matched, tally.matched + 1)]
        assert pytest.approx(about["relation_f1_exact"], abs=1e-6) in counted, name


def test_ehealth_simulated(ehealth):
    """The expected exact match of segments in blocks is the mean of draws of these."""
    out, _ = ehealth
    corpus = sa.read(out / TASKS[0], repair=["drop-relations", "drop-duplicates"])
    names, n = ("gold", "SINAI_run1"), int(corpus.lengths[0])
    expected = sa.evaluate(corpus.of_annotators(names)).systems["SINAI_run1"].tally.expected
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
