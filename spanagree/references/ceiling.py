"""What systems have in common with references, and what these have with each other: the ceiling.

All of it comes from rows whose second annotator is a reference: those of a system are its own,
those of a reference are hers against the others, and the ceiling is the sum over references, in
which each pair stands twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from spanagree.agreement.crowded import crowd_sums
from spanagree.arrays import Floats, Ints
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import MatchCounting
from spanagree.comparisons.table import Comparisons
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import times_seen
from spanagree.results.score import UNDEFINED, Interval, Score, f1_figures, undefined
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import Statistic, intervals_of, moments

_TIE = 1e-12  # a ceiling no higher than this is 0

Table = tuple[Ints, Floats]
"""Documents by number, rising, and what each adds to matched, expected and size.

Behind these is what it adds to the expected size, where sizes are random.
"""

Key = tuple[str, str]
"""Of what a table or a score is, by kind and name.

A ``system`` is compared over the documents that it and a reference saw; ``weighed`` is the same,
each document weighing as much as in the ceiling; the ``ceiling`` of a system is that of the
references over these documents, and a ``person`` one reference against the others.
"""

ALL: Key = ("all", "")
"""The ceiling over all documents."""


def compare_with_references(
    corpus: Corpus,
    references: int,
    counting: MatchCounting,
    *,
    by_label: bool = False,
) -> Comparisons:
    """Compare all annotations with the references of their documents, which are second in each row.

    If chance is that of systems only, references are as they are, and the first of a row is random.

    Args:
        corpus: so many references, and then systems, as layers.
        references: how many.
        counting: the measure and the chance model.
        by_label: whether rows of crowded documents, which are sums over references, are of single
            labels too.
    """
    crowd = AnnotationIndex.of(corpus)
    match, chance, progress = counting.match, counting.chance, counting.progress
    first_ones = np.arange(len(corpus.layers)) < references
    measure = counting.measure
    at_once = crowd_sums(corpus, crowd, measure, chance, progress, first_ones, by_label=by_label)
    pairs = np.stack(crowd.pairs(documents=None if at_once is None else ~at_once.documents))
    is_reference = crowd.annotator < references
    if chance.first_is_fixed:
        fixed, random = np.concatenate((pairs, pairs[::-1]), axis=1)
        here = is_reference[fixed]
        rows = compare_pairs(corpus, crowd, (fixed[here], random[here]), match, chance, progress)
        rows = rows.turned(np.ones(len(rows), np.bool_))
    else:
        first, second = pairs[:, is_reference[pairs].any(axis=0)]
        rows = compare_pairs(corpus, crowd, (first, second), match, chance, progress).both_ways()
        rows = rows.where(rows.second < references)
    if at_once is None:
        return rows
    if corpus.unplaced:
        from spanagree.comparisons.unplaced_rows import rows_of_quotes  # most give offsets

        of_quotes = rows_of_quotes(
            corpus, measure, crowd.annotators_of_pairs(at_once.documents)
        ).both_ways()
        rows = rows + of_quotes.where(of_quotes.second < references)
    return rows + at_once.by_annotation().named(rows.annotators, rows.labels)


def size_compared(rows: Comparisons, references: int, chance: ChanceModel) -> float:
    """Return the size of both sides of all that was compared to make such rows."""
    sizes = rows.size_first + rows.size_second
    size = float(sizes.sum())
    if not chance.first_is_fixed:  # two references were compared once, and their rows stand twice
        size -= sizes[rows.first < references].sum() / 2
    return size


def with_mean(rows: Comparisons, annotator: int, matched: Floats) -> Comparisons:
    """Return the sums of annotations by label, those of one annotator with other matches.

    ``matched`` has these of each document and label, summed over references.
    """
    rows = rows.by("document", "first", "label")
    of_label = matched[rows.document, np.maximum(rows.label, 0)]
    given = np.where(rows.label < 0, matched.sum(axis=1)[rows.document], of_label)
    changed = np.where(rows.first == annotator, given, rows.matched)
    return replace(rows, matched=changed)


def tables_of_systems(corpus: Corpus, references: int, rows: Comparisons) -> dict[Key, Table]:
    """Return what documents add to the figures of systems and to the ceiling.

    Args:
        corpus: so many references, and then systems, as layers.
        references: how many.
        rows: as of :func:`compare_with_references`.
    """
    number = times_seen(corpus, corpus.annotators[:references])
    both = np.flatnonzero(number > 1)
    ceiling = rows.where(rows.first < references).symmetric_table(np.arange(len(corpus)))
    ceiling /= 2  # each pair stands twice
    tables: dict[Key, Table] = {ALL: (both, ceiling[both])}
    for annotator, name in enumerate(corpus.annotators[references:], references):
        saw = np.flatnonzero(corpus.layers[name].annotated & (number > 0))
        sums = rows.where(rows.first == annotator).symmetric_table(saw)
        tables["system", name] = saw, sums
        two = number[saw] > 1
        saw_two = saw[two]
        tables["weighed", name] = saw_two, sums[two] * (number[saw_two] - 1)[:, None]
        tables["ceiling", name] = saw_two, ceiling[saw_two]
    return tables


def tables_of_people(corpus: Corpus, references: int, rows: Comparisons) -> dict[Key, Table]:
    """Return what documents add to the figures of each reference against the others."""
    number = times_seen(corpus, corpus.annotators[:references])
    tables: dict[Key, Table] = {}
    for annotator, name in enumerate(corpus.annotators[:references]):
        saw = np.flatnonzero(corpus.layers[name].annotated & (number > 1))
        tables["person", name] = saw, rows.where(rows.first == annotator).symmetric_table(saw)
    return tables


def _by_wholes(table: Table, wholes: Ints) -> Table:
    documents, sums = table
    units, which = np.unique(wholes[documents], return_inverse=True)
    added = np.zeros((len(units), sums.shape[1]))
    np.add.at(added, which, sums)
    return units, added


def _score_of(table: Table) -> Score:
    """Return the F1 of what a table adds up to."""
    matched, expected, size, *random = (math.fsum(column) for column in table[1].T.tolist())
    return Tally.of((matched, expected, round(size), 0, *((random[0], 0) if random else ()))).f1


def scores_of(
    tables: Mapping[Key, Table], wholes: Ints | None, jackknife: Jackknife | None
) -> dict[Key, Score]:
    """Return the score of each table, and of each system its ``share`` of the ceiling.

    Intervals leave out documents, or wholes of which documents have the numbers.
    """
    whys = {"system": "with a reference", "person": "with another reference"}
    scores = {
        (kind, name): _score_of(table)
        if len(table[0])
        else undefined(f"no document {whys.get(kind, 'that two references saw')}")
        for (kind, name), table in tables.items()
    }
    clusters = tables
    if wholes is not None:
        clusters = {key: _by_wholes(table, wholes) for key, table in tables.items()}
    for key in tables:
        if jackknife is not None and key[0] != "weighed":
            interval = _interval(clusters[key][1], f1_figures, jackknife)
            scores[key] = scores[key]._replace(interval=interval)
    for name in [name for kind, name in tables if kind == "system"]:
        share = _share(scores["weighed", name], scores["ceiling", name])
        if jackknife is not None:
            sides = [clusters[kind, name][1] for kind in ("weighed", "ceiling")]
            interval = _interval(np.concatenate(sides, axis=1), _share_figures, jackknife, False)
            share = share._replace(interval=interval)
        scores["share", name] = share
    return scores


def _interval(
    rows: Floats, statistic: Statistic, jackknife: Jackknife, is_share: bool = True
) -> Interval:
    """Build the interval of three figures."""
    ((interval,),) = intervals_of(moments(rows, statistic), jackknife, is_share)
    return interval


def _share(system: Score, ceiling: Score) -> Score:
    """Return which share of the ceiling a system reaches; undefined where that is not above 0."""
    both = np.array([[*system[:3], *ceiling[:3]]])
    observed, expected, beyond = _ratio(both[:, :3], both[:, 3:])[0].tolist()
    reason = ceiling.reason or system.reason
    if not reason and math.isnan(beyond):
        reason = "the corrected F1 of the references is not above 0"
    return Score(observed, expected, beyond, reason)


def _ratio(system: Floats, ceiling: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        share: Floats = np.where(ceiling > _TIE, system / ceiling, UNDEFINED)
    return share


def _share_figures(sums: Floats) -> Floats:
    """Return the shares of the ceiling from the sums of a system, then of it; (…, 3)."""
    return _ratio(*map(f1_figures, np.split(sums, 2, axis=1)))
