"""What Hypothesis draws for several tests: annotators over short documents, with gaps."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons.measures import MATCHES

PAIRS = [p for p in itertools.product(MATCHES, CHANCES) if p != ("overlap", "overlapping")]
NAMES = ("ann", "bob", "cem", "dia")


@st.composite
def crowds(draw, most=7):
    """Two to four annotators over up to four short documents, with gaps; no layer overlaps itself."""
    lengths = draw(st.lists(st.integers(1, most), min_size=1, max_size=4))
    layers = {}
    for name in NAMES[: draw(st.integers(2, 4))]:
        layers[name] = []
        for n in lengths:
            cuts = sorted(draw(st.sets(st.integers(0, n), max_size=4)))
            spans = [
                (a, b, draw(st.sampled_from("XY"))) for a, b in itertools.pairwise(cuts)
                if draw(st.booleans())
            ]  # fmt: skip
            layers[name].append(draw(st.sampled_from([spans, spans, spans, None])))
    return lengths, layers


def spans(segments):
    """As the oracles have them: start, length, label."""
    return tuple((start, end - start, label) for start, end, label in segments)
