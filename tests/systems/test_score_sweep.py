"""Figures at each score of predictions.

Oracles: an evaluation of what each threshold keeps; precision and recall by the definition that
scikit-learn's ``precision_recall_curve`` has, counted by hand over sorted predictions; an
evaluation of each half of the documents by itself.
"""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.corpus.segments import Layer
from spanagree.report.explain import explain
from spanagree.results.data import to_csv
from spanagree.results.plots import write_plot
from spanagree.systems import sweep_scores

SCORES = [None, 0.0, 0.1, 0.25, 0.5, 0.5, 0.75, 1.0]


def corpus_of(documents, *, overlapping=False):
    """A corpus of (length, gold, system) with a score for each segment of the system."""
    layers = {"gold": [], "mine": []}
    for _, gold, mine in documents:
        layers["gold"].append([(s, e, label) for s, e, label, _ in gold])
        layers["mine"].append(
            [
                (s, e, label) if score is None else (s, e, label, {"score": str(score)})
                for s, e, label, score in mine
            ]
        )
    return sa.Corpus.from_segments([length for length, _, _ in documents], layers)


@st.composite
def segments(draw):
    """Segments from left to right that do not overlap, in a document of 14."""
    found, at = [], 0
    while (start := at + draw(st.integers(0, 3))) < 12 and len(found) < 4:
        end = start + draw(st.integers(1, 2))
        found.append((start, end, draw(st.sampled_from("XY")), draw(st.sampled_from(SCORES))))
        at = end
    return found


documents = st.lists(st.tuples(st.just(14), segments(), segments()), min_size=1, max_size=5)


@given(documents, st.sampled_from(["exact", "boundaries", "token", "iou", "overlap"]))
def test_each_threshold_is_an_evaluation(rows, match):
    """Counts and the chance of what is kept, at every score, are those of ``min_score``."""
    if all(score is None for _, _, mine in rows for *_, score in mine):
        return
    corpus = corpus_of(rows)
    found = sweep_scores(sa.evaluate(corpus, match=match))["mine"]
    known = {score for _, _, mine in rows for *_, score in mine if score is not None}
    assert found.thresholds.tolist() == sorted(known)
    for index, threshold in enumerate(found.thresholds.tolist()):
        want = sa.evaluate(corpus, match=match, min_score=threshold)["mine"].tally
        tally = found.tally(index)
        assert tally.matched == pytest.approx(want.matched, abs=1e-9)
        assert (tally.size_a, tally.size_b) == (want.size_a, want.size_b)
        assert tally.expected == pytest.approx(want.expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "asked",
    [
        {"tolerance": 1},
        {"chance": "per-label"},
        {"chance": "overlapping", "match": "token"},
        {"chance_of": "systems"},
        {"attribute": "score"},
    ],
)
def test_under_other_settings(asked):
    """So it is with borders within a tolerance, other chance models, and gold fixed."""
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(6):
        sides = []
        for _ in range(2):
            starts = np.sort(rng.choice(7, 4, replace=False)) * 3
            sides.append([(int(s), int(s) + 1 + int(rng.integers(2)), "XY"[int(rng.integers(2))], float(rng.integers(5)) / 4) for s in starts])  # fmt: skip
        rows.append((24, *sides))
    corpus = corpus_of(rows)
    found = sweep_scores(sa.evaluate(corpus, **asked))["mine"]
    for index, threshold in enumerate(found.thresholds.tolist()):
        want = sa.evaluate(corpus, min_score=threshold, **asked)["mine"].tally
        assert found.tally(index).counts == pytest.approx(want.counts, rel=1e-9)


def test_at_places():
    """A rule of places is kept by what each threshold keeps."""
    tokens = [["Ann", "met", "Bob", "in", "Rome"], ["Eve", "ran"]]
    rows = [
        {"tokens": tokens[0], "gold": [[0, 1, "P"], [4, 5, "L"]], "mine": [{"start": 0, "end": 1, "label": "P", "score": 0.9}, {"start": 2, "end": 3, "label": "P", "score": 0.3}]},
        {"tokens": tokens[1], "gold": [[0, 1, "P"]], "mine": [{"start": 0, "end": 1, "label": "P", "score": 0.5}]},
    ]  # fmt: skip
    corpus = sa.read(rows, spans={"gold": "gold", "mine": "mine"}, tokens="tokens", scores=True)
    found = sweep_scores(sa.evaluate(corpus, places="capitals"))["mine"]
    for index, threshold in enumerate([0.3, 0.5, 0.9]):
        want = sa.evaluate(corpus, places="capitals", min_score=threshold)["mine"].tally
        assert found.tally(index).counts == pytest.approx(want.counts, rel=1e-9)


def many(n=40, seed=1):
    """A corpus in which right segments have higher scores, one in five documents without gold."""
    rng, rows = np.random.default_rng(seed), []
    for d in range(n):
        gold = [(3 * i, 3 * i + 2, "X", None) for i in range(6 * (d % 5 > 0))]
        right = [(s, e, x, round(float(rng.beta(5, 2)), 2)) for s, e, x, _ in gold if rng.random() < 0.8]  # fmt: skip
        wrong = [(20 + 2 * i, 21 + 2 * i, "X", round(float(rng.beta(2, 4)), 2)) for i in range(5)]
        rows.append((40, gold, [*right, *wrong]))
    return rows


def test_precision_and_recall_by_hand():
    """As scikit-learn has them: predictions sorted by score, and counted at each distinct one."""
    rows = many()
    gold = {(d, *g[:3]) for d, (_, some, _) in enumerate(rows) for g in some}
    scored = sorted(
        ((m[3], (d, *m[:3]) in gold) for d, (_, _, some) in enumerate(rows) for m in some),
        reverse=True,
    )
    by_hand = {}
    n_right = 0
    for number, (score, is_right) in enumerate(scored, 1):  # the last of equal ones counts
        n_right += is_right
        by_hand[score] = n_right / number, n_right / len(gold)
    found = sweep_scores(sa.evaluate(corpus_of(rows)))["mine"]
    assert found.thresholds.tolist() == sorted(by_hand)
    for index, threshold in enumerate(found.thresholds.tolist()):
        tally = found.tally(index)
        assert (tally.precision.observed, tally.recall.observed) == pytest.approx(
            by_hand[threshold], rel=1e-12
        )


def test_the_best_is_chosen_on_one_half():
    """Halves have the figures of evaluations of their documents; the best is best there."""
    rows = many()
    corpus = corpus_of(rows)
    best = sweep_scores(sa.evaluate(corpus), seed=4)["mine"].best
    drawn = np.random.default_rng(4).permutation(40)
    chosen, others = (corpus.subset(np.sort(half)) for half in (drawn[:20], drawn[20:]))
    assert (best.n_chosen, best.n_held_out) == (20, 20)
    curve = sweep_scores(sa.evaluate(chosen))["mine"]
    corrected = [curve.tally(i).f1.corrected for i in range(len(curve.thresholds))]
    assert best.chosen.f1.corrected == pytest.approx(max(corrected))
    kept = sa.evaluate(others, min_score=best.threshold, ci=True)["mine"]
    assert best.held_out.f1[:3] == pytest.approx(kept.f1[:3])
    for kind in ("observed", "corrected"):
        ends = getattr(best.held_out.f1.interval, kind)
        assert ends == pytest.approx(getattr(kept.f1.interval, kind), rel=1e-6)
    all_kept = sa.evaluate(others)["mine"]
    assert best.all_kept.f1[:3] == pytest.approx(all_kept.f1[:3])
    assert best.gain.value == pytest.approx(kept.f1.corrected - all_kept.f1.corrected)


def test_the_gain_is_that_of_two_systems():
    """Its interval and p are those of the systems with and without a threshold, compared."""
    rows = many()
    corpus = corpus_of(rows)
    best = sweep_scores(sa.evaluate(corpus), seed=4)["mine"].best
    others = corpus.subset(np.sort(np.random.default_rng(4).permutation(40)[20:]))
    mine = others.layers["mine"]
    low = [float(s.attributes["score"]) < best.threshold for x in others for s in x.segments["mine"]]  # fmt: skip
    two = others.replace(layers={**others.layers, "kept": mine.only(~np.array(low))})
    pair = sa.compare_systems(sa.evaluate(two))["kept", "mine"].corrected
    assert best.gain == pytest.approx((pair.value, pair.low, pair.high, pair.p), rel=1e-6)


def test_halves_are_of_whole_documents():
    """Sentences of one document are in one half."""
    rows = many(12)
    corpus = corpus_of(rows).replace(parent_ids=np.repeat(np.arange(4), 3))
    best = sweep_scores(sa.evaluate(corpus))["mine"].best
    assert (best.n_chosen, best.n_held_out) == (6, 6)
    units = np.random.default_rng(0).permutation(4)
    others = corpus.subset(np.sort(np.concatenate([3 * u + np.arange(3) for u in units[2:]])))
    kept = sa.evaluate(others, min_score=best.threshold)["mine"]
    assert best.held_out.f1.observed == pytest.approx(kept.f1.observed)


def test_f_beta_chooses_another_score():
    """Where a β is named, the best is best by corrected F-beta on its half."""
    corpus = corpus_of(many())
    found = sweep_scores(sa.evaluate(corpus, beta=2), seed=4)
    best = found["mine"].best
    chosen = corpus.subset(np.sort(np.random.default_rng(4).permutation(40)[:20]))
    curve = sweep_scores(sa.evaluate(chosen, beta=2))["mine"]
    values = [curve.tally(i).f_beta.corrected for i in range(len(curve.thresholds))]
    assert best.chosen.f_beta.corrected == pytest.approx(max(values))
    assert best.threshold < sweep_scores(sa.evaluate(corpus), seed=4)["mine"].best.threshold
    assert best.held_out.f_beta.interval is not None
    assert "corrected F2" in found.verdict


def test_documents_that_one_never_saw():
    """They count at no threshold."""
    rows = many(6)
    corpus = corpus_of(rows)
    gold = corpus.layers["gold"]
    seen = np.array([True] * 5 + [False])
    columns = (gold.document, gold.start, gold.end, gold.label)
    layer = Layer(*(x[gold.document < 5] for x in columns), seen)
    partly = corpus.replace(layers={"gold": layer, "mine": corpus.layers["mine"]})
    found = sweep_scores(sa.evaluate(partly))["mine"]
    want = sweep_scores(sa.evaluate(corpus.subset(range(5))))["mine"]
    assert found.thresholds.tolist() == want.thresholds.tolist()
    assert found.sums == pytest.approx(want.sums)


def test_one_document_has_no_halves():
    """Figures are there, the best score is not, and the verdict says why."""
    found = sweep_scores(sa.evaluate(corpus_of(many(2)[1:])))
    assert found["mine"].best is None
    assert found.verdict == "No best score, as there are too few documents to halve."
    assert found.to_dict()["summary"]["best"] == {"mine": None}


def test_how_it_is_shown(tmp_path):
    """All thresholds are in data, some in a terminal with the best; all columns are explained."""
    result = sweep_scores(sa.evaluate(corpus_of(many()), beta=2))
    sweep = result["mine"]
    table = result.table()
    rows = list(csv.DictReader(io.StringIO(to_csv(table))))
    assert [float(row["threshold"]) for row in rows] == sweep.thresholds.tolist()
    assert float(rows[3]["f1_corrected"]) == pytest.approx(sweep.tally(3).f1.corrected)
    data = result.to_dict()
    assert len(data["tables"]["thresholds"]) == len(sweep.thresholds)
    best = data["summary"]["best"]["mine"]
    assert best["threshold"] == sweep.best.threshold
    assert best["held_out"]["f1"] == sweep.best.held_out.f1.to_dict()
    assert best["gain"]["p"] == sweep.best.gain.p
    short = table.in_terminal
    assert len(short.rows) <= 13
    shown = [row[1] for row in short.rows]
    assert {sweep.thresholds[0], sweep.thresholds[-1], sweep.best.threshold} <= {*shown}
    names = [name for names, _ in explain([table]) for name in names.split(" / ")]
    assert {"threshold", "F1", "F2", "marked"} <= {*names}
    assert "|sweep:score|" in result.signature
    assert "chosen on one half of the documents" in sa.cite(result).replace("\n", " ")
    assert result.verdict.startswith("mine: with scores from ")
    write_plot(tmp_path / "one.svg", result.picture(), result.signature)
    assert "corrected F1" in (tmp_path / "one.svg").read_text("utf-8")


def test_what_is_refused():
    """Gold with scores, corpora without, relations, rows in files, and bad settings."""
    scored = corpus_of(many(4))
    evaluation = sa.evaluate(scored)
    with refuses(sa.SettingError, "mine: gold has scores too"):
        sweep_scores(sa.evaluate(scored, "mine"))
    bare = corpus_of([(9, [(0, 1, "X", None)], [(0, 1, "X", None)])])
    with refuses(sa.SettingError, "sweep: no segment has a score: a number under score"):
        sweep_scores(sa.evaluate(bare))
    with refuses(sa.SettingError, "seed -1; a whole number from 0 is needed"):
        sweep_scores(evaluation, seed=-1)
    with refuses(sa.SettingError, "ci: a Jackknife over documents is needed"):
        sweep_scores(evaluation, ci=True)
    with refuses(sa.SettingError, "sweep_scores: Corpus; an evaluation is needed"):
        sweep_scores(scored)
    with refuses(sa.SettingError, "unknown system yours; with scores there are: mine"):
        sweep_scores(evaluation)["yours"]


def test_a_sweep_that_takes_too_much(monkeypatch):
    """Sets of predictions that are beyond the limit are refused before they are built."""
    evaluation = sa.evaluate(corpus_of(many(4)))
    monkeypatch.setenv("SPANAGREE_NUMBERS", "100")
    with refuses(sa.SettingError, "a sweep over … scores of mine takes … numbers, and 100 are"):
        sweep_scores(evaluation)


def test_systems_without_scores_are_named():
    """They are left out, with a note."""
    corpus = corpus_of(many(4))
    two = corpus.replace(layers={**corpus.layers, "plain": corpus.layers["gold"]})
    found = sweep_scores(sa.evaluate(two))
    assert list(found) == ["mine"]
    assert "plain: no prediction has a score, left out of the sweep" in found.notes


def test_the_command(tmp_path, capsys):
    """--sweep score reads scores and prints the best one; other views do not go with it."""
    files = []
    for name, side in (("gold", 1), ("mine", 2)):
        path = tmp_path / f"{name}.jsonl"
        rows = []
        for d, row in enumerate(many(8)):
            spans = [dict(zip(("start", "end", "label", "confidence"), s, strict=True)) for s in row[side]]  # fmt: skip
            if side == 1:
                spans = [{k: x for k, x in s.items() if k != "confidence"} for s in spans]
            rows.append(json.dumps({"id": str(d), "text": "x" * 40, "spans": spans}))
        path.write_text("\n".join(rows) + "\n", "utf-8")
        files.append(str(path))
    assert main(["evaluate", *files, "--sweep", "score", "--seed", "3", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["kind"] == "ScoreSweep"
    assert data["settings"]["seed"] == 3
    assert not math.isnan(data["summary"]["best"]["mine.jsonl"]["threshold"])
    assert main(["evaluate", *files, "--sweep", "score", "--by", "label"]) == 2
    assert "--sweep does not go with --by" in capsys.readouterr().err


def test_quotes_that_are_not_in_the_text(tmp_path):
    """A quote that is not in the text has a score as any prediction, in every form of the corpus.

    Oracle: counts by hand; in each of four documents the model finds one of two with .9, and is
    wrong with .3, and with a quote that is nowhere, of .2 and .8 in turn.
    """
    texts = [f"alpha{d} beta{d} gamma{d} delta{d}" for d in range(4)]
    rows = [
        {
            "text": text,
            "gold": [{"quote": word, "label": "X"} for word in text.split()[:2]],
            "model": [
                {"quote": text.split()[0], "label": "X", "score": 0.9},
                {"quote": text.split()[2], "label": "X", "score": 0.3},
                {"quote": "nowhere", "label": "X", "score": 0.8 if d % 2 else 0.2},
            ],
        }
        for d, text in enumerate(texts)
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    corpus = sa.read(path, spans={"gold": "gold", "model": "model"}, scores=True)
    sa.formats.write_jsonl(corpus, tmp_path / "b.jsonl")
    predicted = {0.2: 12, 0.3: 10, 0.8: 6, 0.9: 4}
    for form in (corpus, sa.read(tmp_path / "b.jsonl"), corpus.subset([3, 1, 2, 0])):
        (sweep,) = sa.systems.sweep_scores(sa.evaluate(form, "gold")).systems.values()
        assert sweep.thresholds.tolist() == [*predicted]
        found = [sa.evaluate(form, "gold", min_score=least)["model"] for least in predicted]
        for i, (system, n) in enumerate(zip(found, predicted.values(), strict=True)):
            assert system.precision.observed == pytest.approx(4 / n)
            assert sweep.tally(i).precision.observed == system.precision.observed
            assert sweep.tally(i).f1[:3] == pytest.approx(system.f1[:3], abs=1e-12)
        assert [system.not_found for system in found] == [4, 2, 2, 0]
    with refuses(sa.InputError, "… score 'high'; a number is needed"):
        rows[1]["model"][2]["score"] = "high"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        sa.read(path, spans={"gold": "gold", "model": "model"}, scores=True)
