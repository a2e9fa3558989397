"""The witness: drawn annotations are uniform over the configurations of each model."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from messages import refuses
from oracles import configurations
from scipy.stats import chisquare

import spanagree as sa
from spanagree.chance.random_annotations import draw_random_layer, draw_starts
from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus import Layer

SHAPES = [(5, [2]), (6, [2, 1]), (7, [3, 2]), (6, [2, 2, 1]), (6, [3, 3]), (5, [1, 1, 1])]


@pytest.mark.parametrize("chance", CHANCES)
@pytest.mark.parametrize(("n", "lengths"), SHAPES, ids=str)
def test_uniform_over_configurations(n, lengths, chance):
    """Every configuration is drawn, and as often as any other (chi-square, seeded, p > 1e-4)."""
    possible = list(configurations(n, [(a, "X") for a in lengths], chance))
    draws = 200 * len(possible)
    drawn = Counter(map(tuple, draw_starts(n, lengths, draws, seed=11, chance=chance).tolist()))
    counts = [drawn[tuple(start for start, _, _ in placed)] for placed in possible]
    assert sum(counts) == draws  # nothing that is not allowed
    if len(possible) > 1:
        assert chisquare(counts).pvalue > 1e-4


LABELLED = [
    (5, [(2, "X"), (1, "Y")]),
    (4, [(2, "X"), (2, "Y")]),
    (5, [(2, "X"), (2, "X"), (1, "Y")]),
]


@pytest.mark.long
@pytest.mark.parametrize("chance", CHANCES)
@pytest.mark.parametrize(("n", "segments"), LABELLED, ids=str)
def test_redraw_is_uniform_over_configurations(n, segments, chance):
    """Whole layers with labels, many documents at once: uniform in each model (chi-square)."""
    possible = list(configurations(n, segments, chance))
    documents = 200 * len(possible)
    at, spans = 0, []
    for size, label in segments:
        spans.append((at, at + size, label))
        at += size
    corpus = sa.Corpus.from_segments([n] * documents, {"a": [spans] * documents})
    new = draw_random_layer(corpus.layers["a"], corpus.lengths, len(corpus.labels), 17, chance)
    names = [corpus.labels[code] for code in new.label.tolist()]
    columns = (new.document.tolist(), new.start.tolist(), new.end.tolist(), names)
    drawn = [[] for _ in range(documents)]
    for d, start, end, label in zip(*columns, strict=True):
        drawn[d].append((start, end - start, label))
    # segments of equal length and label cannot be told apart in a layer
    counts = Counter(tuple(sorted(spans)) for spans in drawn)
    weights = Counter(tuple(sorted(placed)) for placed in possible)
    assert counts.keys() <= weights.keys()
    expected = [200 * weight for weight in weights.values()]
    assert chisquare([counts[key] for key in weights], expected).pvalue > 1e-4


@pytest.mark.parametrize("chance", CHANCES)
def test_redraw_keeps_what_it_must(chance):
    """A redrawn layer has the same documents, lengths and labels, and respects its model."""
    rng = np.random.default_rng(3)
    documents, starts, ends, labels, lengths = [], [], [], [], []
    for d in range(200):
        at = 0
        for _ in range(rng.integers(0, 5)):
            at += int(rng.integers(0, 4))
            size = int(rng.integers(1, 5))
            documents.append(d)
            starts.append(at)
            ends.append(at + size)
            labels.append(int(rng.integers(0, 2)))
            at += size
        lengths.append(at + int(rng.integers(0, 3)))
    columns = (np.array(c, dtype=np.int64) for c in (documents, starts, ends, labels))
    layer = Layer(*columns, np.ones(200, np.bool_))
    new = draw_random_layer(layer, np.array(lengths), 2, seed=4, chance=chance)

    def content(of):
        return Counter(
            zip(of.document.tolist(), (of.end - of.start).tolist(), of.label.tolist(), strict=True)
        )

    assert content(new) == content(layer)
    assert (new.start >= 0).all()
    assert (new.end <= np.array(lengths)[new.document]).all()
    assert new != layer
    for label in (0, 1) if chance == "per-label" else (slice(None),):
        if chance == "overlapping":
            continue
        mine = new.only(new.label == label) if chance == "per-label" else new
        same = np.diff(mine.document) == 0
        assert (mine.start[1:] >= mine.end[:-1])[same].all()


def test_dense_and_sparse_documents_together():
    """Documents with many slots for their segments and with few, in turn: each uniform (chi-square)."""
    shapes = [(6, [2]), (4, [1, 1, 1]), (7, [1, 2]), (5, [2, 1, 1]), (9, [3]), (6, [1, 1])]
    times = 700
    spans = [[(sum(x[:i]), sum(x[: i + 1]), "XYZ"[i]) for i in range(len(x))] for _, x in shapes]
    corpus = sa.Corpus.from_segments([n for n, _ in shapes] * times, {"a": spans * times})
    new = draw_random_layer(corpus.layers["a"], corpus.lengths, len(corpus.labels), 23)
    drawn = [{} for _ in range(len(corpus))]
    for d, start, label in zip(new.document.tolist(), new.start.tolist(), new.label.tolist(), strict=True):  # fmt: skip
        drawn[d][label] = start
    for i, (n, lengths) in enumerate(shapes):
        possible = list(configurations(n, [(a, "X") for a in lengths], "nonoverlapping"))
        counts = Counter(tuple(x[k] for k in sorted(x)) for x in drawn[i :: len(shapes)])
        found = [counts.pop(tuple(start for start, _, _ in placed), 0) for placed in possible]
        assert not counts
        assert chisquare(found).pvalue > 1e-4


def test_seed():
    """The same seed gives the same draw, another one another; global state is left alone."""
    before = np.random.get_state()[1].copy()  # noqa: NPY002 — this is what must not change
    one, same, other = (draw_starts(50, [3, 4], 20, seed).tolist() for seed in (1, 1, 2))
    assert one == same != other
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_errors():
    """Segments that do not fit and unknown models are refused."""
    with pytest.raises(sa.InputError, match="segments do not fit: together they are longer"):
        draw_starts(4, [3, 2], 1, seed=0)
    with pytest.raises(sa.InputError, match="segments do not fit: one is longer than its docum"):
        draw_starts(4, [5], 1, seed=0, chance="overlapping")
    with refuses(sa.SettingError, "… unknown chance 'x'; allowed: nonoverlapping, per-label"):
        draw_starts(4, [3], 1, seed=0, chance="x")
    for wrong in ([0, 3], [-2, 3]):
        with pytest.raises(sa.InputError, match="lengths are at least 1"):
            draw_starts(5, wrong, 1, seed=0)
    layer = Layer(*np.zeros((4, 0), np.int64), np.ones(1, np.bool_))
    with refuses(sa.SettingError, "… unknown chance 'x'; allowed: nonoverlapping, per-label"):
        draw_random_layer(layer, np.array([4]), 1, seed=0, chance="x")


@pytest.mark.long
def test_overlapping_is_drawn_or_refused():
    """What no corpus may hold is refused whatever the seed; "another seed" was another model."""
    alike = sa.Corpus.from_segments([90], {"ann": [[(0, 2, "X"), (4, 6, "X")]]})
    for seed in range(5):
        with refuses(sa.SettingError, "… annotator ann, document '1' … two segments"):
            sa.simulate(alike, seed=seed, chance="overlapping")
    apart = sa.Corpus.from_segments([4], {"ann": [[(0, 2, "X"), (0, 3, "X")]]})
    drawn = [
        sa.simulate(apart, seed=s, chance="overlapping")[0].segments["ann"] for s in range(600)
    ]
    starts = Counter(
        tuple(x.start for x in sorted(d, key=lambda x: x.end - x.start)) for d in drawn
    )
    assert len(starts) == 6  # 3 × 2 starts, each as likely as another: within 4 SE of 100
    assert all(abs(n - 100) < 4 * (600 * (1 / 6) * (5 / 6)) ** 0.5 for n in starts.values())
