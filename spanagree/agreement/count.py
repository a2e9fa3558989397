"""What one block adds to an agreement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Ints, distinct
from spanagree.blocks.exact_sums import NO_TALLY, TallySum
from spanagree.blocks.ids import Hashes, ids_of
from spanagree.blocks.poisson import Entries, Replicates, replicates
from spanagree.corpus.corpus import Corpus
from spanagree.matching.annotation_pairs import Crowd, compare
from spanagree.matching.measures import find_match
from spanagree.matching.overlaps import check_layer
from spanagree.matching.tally import Tallies
from spanagree.settings import __version__, merged_settings
from spanagree.uncertainty.bootstrap import Resampling


class _Found(NamedTuple):
    """What the annotators of a corpus have in common."""

    columns: Tallies  # whose documents are those of pairs
    pair: Ints  # of each document of a pair, the number of the pair
    document: Ints
    members: list[tuple[int, int]]  # of each pair
    shared: list[int]  # documents of each pair
    seen: int  # documents seen by two or more
    seen_without: list[int]  # the same without each annotator


def tally_pairs(
    corpus: Corpus, match: str, chance: str, progress: Callable[[int, int], None] | None = None
) -> _Found:
    for name in corpus.annotators:
        check_layer(corpus, name, match, chance)
    crowd = Crowd.of(corpus)
    first, second = crowd.pairs()
    pair_members, pair, shared = distinct(crowd.annotator[first], crowd.annotator[second])
    columns = compare(corpus, crowd, (first, second), match, chance, progress)
    document = crowd.document[first]
    members = list(zip(*(column.tolist() for column in pair_members), strict=True))
    return _Found(
        columns,
        pair,
        document,
        members,
        shared.tolist(),
        len(np.unique(document)),
        _seen_without(len(corpus.layers), members, (pair, document)),
    )


def agreement_settings(corpus: Corpus, match: str, chance: str) -> dict[str, Any]:
    return {
        "match": match,
        "chance": chance,
        "team": "summed",
        "annotators": 0,  # known when all are
        "min_shared": 0,
        "offsets": corpus.offsets,
        **corpus.reading,
        "version": __version__,
    }


def _seen_without(
    annotators: int, members: Sequence[tuple[int, int]], pair_documents: tuple[Ints, Ints]
) -> list[int]:
    """For each annotator, how many documents are seen by two of the others."""
    pair, document = pair_documents
    who = np.array(members, np.int64).reshape(-1, 2)[pair]
    count = np.bincount(document)
    # a document is lost without an annotator who takes part in all of its pairs
    (lost, of), _, mine = distinct(np.tile(document, 2), np.concatenate((who[:, 0], who[:, 1])))
    every = np.bincount(of[mine == count[lost]], minlength=annotators)
    return (np.count_nonzero(count) - every).tolist()


# --- over blocks ---------------------------------------------------------------------------------


class Counted(NamedTuple):
    """What is counted in one block, or in several; annotators by name."""

    documents: int
    seen: int
    saw: Mapping[str, int]  # documents of each annotator
    seen_without: Mapping[str, int]
    pairs: Mapping[tuple[str, str], tuple[int, TallySum]]
    labels: Mapping[str, TallySum]
    settings: Mapping[str, Any]
    notes: tuple[str, ...]
    ids: tuple[Hashes, ...]
    replicates: Replicates | None = None  # by pair or label, and column


COLUMNS = ("matched", "expected", "size")  # of a figure, in a resample


def part_of(
    corpus: Corpus,
    *,
    annotators: Sequence[str] | None,
    match: str,
    chance: str,
    resampling: Resampling | None,
) -> Counted:
    """What one block adds to an agreement."""
    if annotators is not None:
        corpus = corpus.of_annotators([name for name in annotators if name in corpus.layers])
    found = tally_pairs(corpus, match, chance)
    names = corpus.annotators
    sums = TallySum.each(found.columns, found.pair[found.columns.document], len(found.members))
    labels = corpus.labels if find_match(match).of_label else ()
    by_label = TallySum.each(found.columns, found.columns.label, len(labels)) if labels else []
    ids = ids_of(corpus)
    return Counted(
        len(corpus),
        found.seen,
        {name: int(layer.annotated.sum()) for name, layer in corpus.layers.items()},
        dict(zip(names, found.seen_without, strict=True)),
        {
            (names[i], names[j]): (shared, tally)
            for (i, j), shared, tally in zip(found.members, found.shared, sums, strict=True)
        },
        dict(zip(labels, by_label, strict=True)),
        agreement_settings(corpus, match, chance),
        corpus.notes,
        ids,
        None if resampling is None else _drawn(corpus, ids, found, labels, resampling),
    )


def _drawn(
    corpus: Corpus,
    ids: Sequence[Hashes],
    found: _Found,
    labels: Sequence[str],
    resampling: Resampling,
) -> Replicates:
    """What a block adds in every resample to the columns of each pair and label."""
    names, of = corpus.annotators, found.columns
    pairs = [tuple(sorted((names[i], names[j]))) for i, j in found.members]
    values = (of.matched, of.expected, of.size_a + of.size_b)
    document = found.document[of.document]
    entries = [
        Entries([(*key, column) for key in keys], which, document, value)
        for keys, which in ((pairs, found.pair[of.document]), ([(x,) for x in labels], of.label))
        if keys
        for column, value in zip(COLUMNS, values, strict=True)
    ]
    return replicates(ids, entries, resampling)


def add_counted(one: Counted, other: Counted, number: int) -> Counted:
    """Two parts together; ``number`` is that of the later block."""
    names = list(dict.fromkeys([*one.saw, *other.saw]))
    pairs = dict(one.pairs)
    for (a, b), (shared, tally) in other.pairs.items():
        key = (b, a) if (b, a) in pairs else (a, b)
        before, so_far = pairs.get(key, (0, NO_TALLY))
        pairs[key] = before + shared, so_far.plus(tally if key == (a, b) else tally.turned())
    return Counted(
        one.documents + other.documents,
        one.seen + other.seen,
        {name: one.saw.get(name, 0) + other.saw.get(name, 0) for name in names},
        {
            # an annotator who is not in a block takes nothing away there
            name: one.seen_without.get(name, one.seen) + other.seen_without.get(name, other.seen)
            for name in names
        },
        pairs,
        {
            label: one.labels.get(label, NO_TALLY).plus(other.labels.get(label, NO_TALLY))
            for label in sorted({*one.labels, *other.labels})
        },
        merged_settings(one.settings, other.settings, f"block {number}"),
        (*one.notes, *other.notes),
        (*one.ids, *other.ids),
        one.replicates.plus(other.replicates) if one.replicates and other.replicates else None,
    )
