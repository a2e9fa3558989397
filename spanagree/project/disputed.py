"""Which segments are disputed, who marked them, and how seldom chance would agree so little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, Progress, distinct, ranks
from spanagree.comparisons.annotation_pairs import Crowd, compare_pairs
from spanagree.comparisons.chance_distribution.distribution import (
    Question,
    distribution,
    has_whole_matches,
)
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.observed import overlapping_pairs
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, columns_of_all
from spanagree.errors import SettingError

_OFTEN = 0.5  # chance that gives a match no more often than this leaves nothing to wonder about


class Disputed(NamedTuple):
    """Segments that some, and not all, of those who saw their document marked.

    Attributes:
        document, start, end, label: of each.
        marked: how many marked it.
        begin: where those who did begin among ``who``.
        who: the numbers of annotators, in the order of the corpus.
        saw: how many saw each document of the corpus.
        segments: how many different segments each document of the corpus has.
    """

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    marked: Ints
    begin: Ints
    who: Ints
    saw: Ints
    segments: Ints

    def marked_by(self, row: int) -> list[int]:
        """Return the numbers of those who marked a segment."""
        first = int(self.begin[row])
        return self.who[first : first + int(self.marked[row])].tolist()

    def taken(self, rows: Ints) -> Disputed:
        """Return some of the segments, in the order given."""
        taken = {name: getattr(self, name)[rows] for name in self._fields[:6]}
        return self._replace(**taken)

    def first(self, count: int) -> Disputed:
        """Return the first segments."""
        return self.taken(np.arange(min(count, len(self.document))))

    def by_documents(self, documents: Ints) -> Disputed:
        """Return the segments of these documents in their order, as they stand in the text."""
        place = np.zeros(len(self.saw), np.int64)
        place[documents] = np.arange(len(documents))
        return self.taken(np.argsort(place[self.document], kind="stable"))

    def cells(self, corpus: Corpus) -> list[list[str | None]]:
        """Return what each annotator did about each segment: ``None`` who never saw the document.

        ``marked`` is the same segment, ``nothing`` none that shares a token with it; else those
        that do stand here.
        """
        order = np.lexsort((self.label, self.end, self.start, self.document))
        mine = _as_layer(corpus, self[:4], order)
        *segments, annotator = columns_of_all(corpus.layers.values())
        by_place = np.lexsort(segments[::-1])
        theirs = _as_layer(corpus, segments, by_place)
        i, j = overlapping_pairs(mine, theirs, mine.document, theirs.document)
        seen = [layer.annotated[self.document].tolist() for layer in corpus.layers.values()]
        cells: list[list[str | None]] = [
            ["nothing" if saw else None for saw in row] for row in zip(*seen, strict=True)
        ]
        who, rows = annotator[by_place][j].tolist(), order[i].tolist()
        ends = (column[j].tolist() for column in (theirs.start, theirs.end, theirs.label))
        for row, k, start, end, label in zip(rows, who, *ends, strict=True):
            before, text = cells[row][k], f"{start}–{end} {corpus.labels[label]}"
            cells[row][k] = text if before == "nothing" else f"{before}; {text}"
        for row in range(len(cells)):
            for k in self.marked_by(row):
                cells[row][k] = "marked"
        return cells


def _as_layer(corpus: Corpus, columns: Sequence[Ints], order: Ints) -> Layer:
    """Return segments as a layer that everybody saw; ``order`` is theirs in the text."""
    document, start, end, label = (column[order] for column in columns)
    return Layer(document, start, end, label, np.ones(len(corpus), np.bool_))


def disputed(corpus: Corpus) -> Disputed:
    """Return the disputed segments of a corpus, by document, start, end and label."""
    *columns, annotator = columns_of_all(corpus.layers.values())
    saw = np.zeros(len(corpus), np.int64)
    for layer in corpus.layers.values():
        saw += layer.annotated
    rows, which, marked = distinct(*columns)
    who = annotator[np.argsort(which, kind="stable")]
    begin = np.cumsum(marked) - marked
    document, start, end, label = rows
    segments = np.bincount(document, minlength=len(corpus))
    everything = Disputed(document, start, end, label, marked, begin, who, saw, segments)
    return everything.taken(np.flatnonzero(marked < saw[document]))


def least_likely(
    corpus: Corpus, match: str, chance: str, documents: Ints, progress: Progress = None
) -> Mapping[int, tuple[float, tuple[str, str]]]:
    """Return for some documents how likely chance would agree so little in a pair, and in which.

    The probability is that of at most the match observed, both random and exact, times the number
    of pairs (Bonferroni). Where chance's mean match is m, no match at all has a probability of 1 −
    m or more (Markov): where m is at most a half for all pairs, the document is left out.

    Raises:
        SettingError: for a measure whose matches are not whole numbers.
    """
    measure = find_match(match)
    if not has_whole_matches(measure):
        raise SettingError(
            f"sort surprise: matches under {match} are not whole numbers; use match exact,"
            " boundaries, token or overlap"
        )
    crowd = Crowd.of(corpus)
    wanted = np.zeros(len(corpus), np.bool_)
    wanted[documents] = True
    first, second = crowd.pairs(documents=wanted)
    rows = compare_pairs(corpus, crowd, (first, second), match, chance, progress)
    pairs = rows.by("document", "first", "second")
    many = np.bincount(crowd.document[first], minlength=len(corpus))
    asked = pairs.where(pairs.expected > _OFTEN)
    first, second = (
        np.searchsorted(
            crowd.document * len(corpus.layers) + crowd.annotator,
            asked.document * len(corpus.layers) + side,
        )
        for side in (asked.first, asked.second)
    )
    turned = ranks(corpus.annotators)[crowd.annotator]  # sides by name: canonical order
    swap = turned[first] > turned[second]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    segments = crowd.segments(corpus)
    sides = {name: crowd.side(segments, side)[0] for name, side in (("a", first), ("b", second))}
    texts = Corpus(corpus.lengths[asked.document], sides, corpus.labels, corpus.offsets)
    by_chance = distribution(texts, ("a", "b"), None, Question(measure, chance)).documents
    likely: dict[int, tuple[float, tuple[str, str]]] = {}
    names = corpus.annotators
    for k, (one, matched) in enumerate(zip(by_chance, asked.matched.tolist(), strict=True)):
        p = sum(q for m, q in one.pmf.items() if m < matched + 0.5)
        d = int(asked.document[k])
        pair = names[crowd.annotator[first[k]]], names[crowd.annotator[second[k]]]
        here = min(1.0, p * int(many[d])), pair
        likely[d] = min(likely.get(d, here), here)
    return likely
