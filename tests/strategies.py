"""What several tests draw: annotators over short documents, with gaps, in any order."""

from __future__ import annotations

import itertools
import re

from hypothesis import settings
from hypothesis import strategies as st

import spanagree as sa
from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons.measures import MEASURES, list_measures

ADDITIVE = list_measures(lambda measure: not measure.one_to_one)
COUNTED = list_measures(lambda measure: measure.is_whole)


def go_together(match, chance):
    """Whether a measure goes with a chance model: one-to-one, segments that could be paired exclude
    each other."""
    measure = MEASURES[match]
    return not measure.one_to_one or (
        chance != "overlapping" and (measure.of_label or chance == "nonoverlapping")
    )


PAIRS = [pair for pair in itertools.product(MEASURES, CHANCES) if go_together(*pair)]
NAMES = ("ann", "bob", "cem", "dia")


def at_most(examples, **more):
    """Settings of a test whose examples take long: that many of them, or what the profile says if fewer."""
    return settings(max_examples=min(examples, settings.default.max_examples), **more)


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


def turned(lengths, layers, random):
    """The same annotators and documents in another order, and the order of the documents."""
    names, documents = list(layers), list(range(len(lengths)))
    random.shuffle(names)
    random.shuffle(documents)
    moved = {name: [layers[name][d] for d in documents] for name in names}
    return sa.Corpus.from_segments([lengths[d] for d in documents], moved), documents


def halves(corpus, random):
    """Two parts of a corpus, in another order of its documents; one may be empty."""
    documents = list(range(len(corpus)))
    random.shuffle(documents)
    cut = random.randint(0, len(documents))
    return [corpus.subset(part) for part in (documents[:cut], documents[cut:])]


def marked(corpus, document=0):
    """What each annotator marked in a document, as plain lists."""
    segments = corpus[document].segments
    return {w: s if s is None else [tuple(x) for x in s] for w, s in segments.items()}


def spans(segments):
    """As the oracles have them: start, length, label."""
    return tuple((start, end - start, label) for start, end, label in segments)


def notes(corpus):
    """What was noted of reading, without the names of files and of their format."""
    told = (re.sub(r"^/\S+: |read as [\w-]+(; )?", "", note) for note in corpus.notes)
    return [note for note in told if note]


def rows(raw, annotator=None):
    """Start, end, label and text of what an annotator marked, or all of them, in order."""
    columns = (raw.annotator_index[raw.annotation], raw.document, raw.start, raw.end, raw.label)
    return [
        (start, end, raw.labels[label] if label >= 0 else None, raw.texts[document][start:end])
        for who, document, start, end, label in zip(*(c.tolist() for c in columns), strict=True)
        if annotator in (None, raw.annotators[who])
    ]
