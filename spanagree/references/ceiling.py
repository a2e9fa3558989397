"""What systems have in common with references, and what these have with each other: the ceiling.

Everything is counted once for each annotation: what it has in common with the other annotations of
its document that are references. Those sums of a system are its own; those of a reference are hers
against the others; and the ceiling is the sum over references, in which each pair stands twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.agreement.crowded import crowd_sums
from spanagree.arrays import Bools, Floats, Hashes, Ints, Progress
from spanagree.chance.model import whose
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.results.score import UNDEFINED, Score, f1_figures, undefined
from spanagree.uncertainty.bootstrap import Resampling, intervals_of
from spanagree.uncertainty.together import intervals

_TIE = 1e-12  # a ceiling no higher than this is 0

Table = tuple[Ints, Floats]
"""Documents by number, rising, and what each adds to the columns of :class:`Shared`'s sums."""

Key = tuple[str, str]
"""Of what a table or a score is, by kind and name.

A ``system`` is compared over the documents that it and a reference saw; ``weighed`` is the same,
each document weighing as much as in the ceiling; the ``ceiling`` of a system is that of the
references over these documents, and a ``person`` one reference against the others.
"""

ALL: Key = ("all", "")
"""The ceiling over all documents."""


class Shared(NamedTuple):
    """What each annotation has in common with the references of its document, herself left out.

    Attributes:
        document, annotator: of each annotation.
        others: how many references these are.
        sums: matched and expected, both summed over them, and the sizes of both sides; behind them
            the expected sizes where these are random; (annotations, 3 or 4).
        inexact: how the expected match was computed, as :class:`Comparisons` has it.
    """

    document: Ints
    annotator: Ints
    others: Ints
    sums: Floats
    inexact: Inexact = Inexact()

    @property
    def size(self) -> float:
        """The sizes of both sides, of each pair once."""
        return float(self.sums[:, 2].sum()) / 2


def shared_by_label(
    corpus: Corpus,
    references: Bools,
    match: str,
    chance: str,
    progress: Progress = None,
    *,
    labels: Sequence[int] = (),
) -> Iterator[Shared]:
    """Yield what each annotation of a corpus has in common with the references of its document.

    Then the same of each of some labels, by number. ``references`` says which annotators are;
    ``progress`` is called with the number of pairs done, and of all. If chance is that of systems
    only, the references are as they are, and the annotation is random that is compared with them.
    """
    crowd, measure = AnnotationIndex.of(corpus), find_match(match)
    is_reference = references[crowd.annotator].astype(np.int64)
    at_once = crowd_sums(
        corpus, crowd, measure, chance, progress, references, by_label=len(labels) > 0
    )
    few = None if at_once is None else ~at_once.documents
    pairs = crowd.pairs(documents=few)
    if whose(chance) == "systems":
        fixed, random = np.concatenate((pairs, pairs[::-1]), axis=1)
        here = references[crowd.annotator[fixed]]
        pairs = fixed[here], random[here]
        rows = compare_pairs(corpus, crowd, pairs, match, chance, progress)
        rows = rows.turned(np.ones(len(rows), np.bool_))
    else:
        rows = compare_pairs(corpus, crowd, pairs, match, chance, progress).both_ways()
        rows = rows.where(references[rows.second])
    start, end, label = crowd.segments(corpus)
    length = end - start if measure.in_tokens else np.ones(len(start), np.int64)
    there = np.bincount(crowd.document, is_reference, len(corpus))[crowd.document]
    others = there.astype(np.int64) - is_reference
    annotation = crowd.document * len(corpus.layers) + crowd.annotator
    for code in (None, *labels):
        sums = np.zeros((len(crowd.document), 4 if rows.random_sizes else 3))
        if at_once is not None:
            sums[at_once.rows, :2] = (at_once.rest if code is None else at_once.by_label[code]).T
        summed = rows if code is None else rows.where(rows.label == code)
        summed = summed.by("document", "first")
        place = np.searchsorted(annotation, summed.document * len(corpus.layers) + summed.first)
        sums[place, 0] += summed.matched
        sums[place, 1] += summed.expected
        up_to = np.concatenate(
            ([0], np.cumsum(length if code is None else length * (label == code)))
        )
        size = up_to[crowd.end] - up_to[crowd.begin]
        theirs = np.bincount(crowd.document, size * is_reference, len(corpus))[crowd.document]
        sums[:, 2] = size * others + theirs - size * is_reference
        if rows.random_sizes:
            sums[place, 3] += summed.expected_size_first + summed.expected_size_second
        yield Shared(crowd.document, crowd.annotator, others, sums, rows.inexact)


def with_mean(shared: Shared, number: int, matched: Floats) -> Shared:
    """Return the same with other matches of one annotator, which are given for each document."""
    sums, rows = shared.sums.copy(), shared.annotator == number
    sums[rows, 0] = matched[shared.document[rows]]
    return shared._replace(sums=sums)


def tables_of(
    corpus: Corpus, references: int, shared: Shared, *, same_weight: bool
) -> dict[Key, Table]:
    """Return what documents add, of a corpus of so many references and then systems.

    ``same_weight``: that of each document, whoever saw it; else each pair has it.
    """
    seen = np.zeros(len(corpus), np.int64)
    ceiling = np.zeros((len(corpus), shared.sums.shape[1]))
    of_people = shared.annotator < references
    seen[shared.document[of_people]] = shared.others[of_people] + 1
    for k in range(ceiling.shape[1]):  # where pairs are added, each stands there twice
        column = shared.sums[of_people, k]
        order = np.lexsort((column, shared.document[of_people]))
        document = shared.document[of_people][order]
        ceiling[:, k] = np.bincount(document, column[order], len(corpus))
        ceiling[:, k] /= np.maximum(seen, 1) if same_weight else 2
    both = np.flatnonzero(seen > 1)
    tables: dict[Key, Table] = {ALL: (both, ceiling[both])}
    for number, name in enumerate(corpus.annotators):
        rows = np.flatnonzero((shared.annotator == number) & (shared.others > 0))
        documents, sums = shared.document[rows], shared.sums[rows]
        if number < references:
            tables["person", name] = documents, sums
            continue
        tables["system", name] = documents, sums
        two = seen[documents] > 1
        weight = 1 if same_weight else (seen[documents[two]] - 1)[:, None]
        tables["weighed", name] = documents[two], sums[two] * weight
        tables["ceiling", name] = documents[two], ceiling[documents[two]]
    return tables


def _by_wholes(table: Table, wholes: Ints) -> Table:
    documents, sums = table
    units, which = np.unique(wholes[documents], return_inverse=True)
    order = np.lexsort((*sums.T, which))
    added = [np.bincount(which[order], column[order], len(units)) for column in sums.T]
    return units, np.stack(added, axis=1).astype(np.float64)


def _score_of(table: Table) -> Score:
    """Return the F1 of what a table adds up to."""
    matched, expected, size, *random = (math.fsum(column) for column in table[1].T.tolist())
    return Tally.of((matched, expected, round(size), 0, *((random[0], 0) if random else ()))).f1


def scores_of(
    tables: Mapping[Key, Table],
    wholes: Ints | None,
    resampling: Resampling | None,
    progress: Progress = None,
    ids: Hashes | None = None,
    *,
    same_weight: bool,
) -> dict[Key, Score]:
    """Return the score of each table, and of each system its ``share`` of the ceiling.

    Intervals resample documents, or wholes of which documents have the numbers. ``same_weight``: as
    for :func:`tables_of`; then no document counts that one reference saw.
    """
    whys = {"system": "with a reference", "person": "with another reference"}
    if same_weight:
        del whys["system"]
    scores = {
        (kind, name): _score_of(table)
        if len(table[0])
        else undefined(f"no document {whys.get(kind, 'that two references saw')}")
        for (kind, name), table in tables.items()
    }
    drawn = tables
    if wholes is not None:
        drawn = {key: _by_wholes(table, wholes) for key, table in tables.items()}
    if resampling is not None:
        shown = sorted(key for key in tables if key[0] != "weighed")  # canonical order
        ends = intervals([drawn[key] for key in shown], f1_figures, resampling, progress, ids)
        for key, (interval,) in zip(shown, ends, strict=True):
            scores[key] = scores[key]._replace(interval=interval)
    for name in [name for kind, name in tables if kind == "system"]:
        share = _share(scores["weighed", name], scores["ceiling", name])
        if resampling is not None:
            units, weighed = drawn["weighed", name]
            both = np.concatenate((weighed, drawn["ceiling", name][1]), axis=1)
            unit_ids = None if ids is None else ids[units]
            (interval,) = intervals_of(both, _share_figures, resampling, [False], unit_ids)
            share = share._replace(interval=interval)
        scores["share", name] = share
    return scores


def _share(system: Score, ceiling: Score) -> Score:
    """Return which share of the ceiling a system reaches; undefined where that is not above 0."""
    both = np.array([[*system[:3], *ceiling[:3]]])
    observed, expected, beyond = _ratio(both[:, :3], both[:, 3:])[0].tolist()
    reason = ceiling.reason or system.reason
    if not reason and math.isnan(beyond):
        reason = "the references do not agree above chance"
    return Score(observed, expected, beyond, reason)


def _ratio(system: Floats, ceiling: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        share: Floats = np.where(ceiling > _TIE, system / ceiling, UNDEFINED)
    return share


def _share_figures(sums: Floats) -> Floats:
    """Return the shares of the ceiling from the sums of a system, then of it; (…, 3)."""
    return _ratio(*map(f1_figures, np.split(sums, 2, axis=1)))
