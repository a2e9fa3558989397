"""Agreement of systems with references, and of references with each other: the ceiling.

An annotation is the work of one annotator on one document. All scores are computed from rows of
:class:`Comparisons`, each of which compares two annotations of a document; the second annotator of
a row is a reference. Rows with a system as first annotator compare the system with the references.
Rows with a reference as first annotator compare it with the other references. The ceiling is the
sum of the latter rows; it contains each pair of references twice. For matches M and sizes n of
both annotations,

    F1 = 2 Σ M / Σ n,   share of the ceiling = F1 of the system / F1 of the ceiling,

and the expected F1 is the same with expected matches instead of M. The shares of expected and
corrected F1 are defined in the same way. The ceiling weights a document by its pairs of references;
in a share, the F1 of the system is weighted like this too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from spanagree.agreement.crowded import sum_crowded
from spanagree.arrays import Floats, Ints
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.table import Comparisons
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import count_seen
from spanagree.results.score import (
    UNDEFINED,
    Interval,
    Score,
    build_undefined_score,
    compute_f1_figures,
)
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import Statistic, build_intervals, compute_moments

_TIE = 1e-12  # largest ceiling that counts as 0

Table = tuple[Ints, Floats]
"""Indices of documents, sorted, and the sums of each document: (documents, 3 or 4).

The columns are matches, expected matches and size, followed by the expected size if sizes are
random.
"""

Key = tuple[str, str]
"""Kind and name of the annotator of a table or a score.

A ``system`` is compared over the documents that it and a reference saw. ``weighed`` is the same
comparison over documents that two references saw, each with the weight that it has in the ceiling.
The ``ceiling`` of a system is the agreement of references over these documents. A ``person`` is one
reference against the others.
"""

ALL: Key = ("all", "")
"""Key of the ceiling over all documents."""


def compare_with_references(
    corpus: Corpus,
    n_references: int,
    counting: MatchCountOptions,
    *,
    by_label: bool = False,
) -> Comparisons:
    """Compare each annotation with the references of its document.

    The second annotator of each returned row is a reference. If only systems are random, this
    reference is fixed and the first annotator is random.

    Args:
        corpus: layers of the references, followed by layers of the systems.
        n_references: number of references.
        counting: measure and chance model.
        by_label: True for rows of single labels also in documents with many annotators, which
            have sums over references.
    """
    annotations = AnnotationIndex.from_corpus(corpus)
    match, chance, progress = counting.match, counting.chance, counting.progress
    is_reference_layer = np.arange(len(corpus.layers)) < n_references
    measure = counting.measure
    summed = sum_crowded(
        corpus, annotations, measure, chance, progress, is_reference_layer, by_label=by_label
    )
    pairs = np.stack(
        annotations.pair_annotations(documents=None if summed is None else ~summed.documents)
    )
    is_reference = annotations.annotator < n_references
    if chance.first_is_fixed:
        fixed, random = np.concatenate((pairs, pairs[::-1]), axis=1)
        has_fixed_reference = is_reference[fixed]
        rows = compare_pairs(
            corpus,
            annotations,
            (fixed[has_fixed_reference], random[has_fixed_reference]),
            match,
            chance,
            progress,
        )
        rows = rows.turned(np.ones(len(rows), np.bool_))
    else:
        first, second = pairs[:, is_reference[pairs].any(axis=0)]
        rows = compare_pairs(
            corpus, annotations, (first, second), match, chance, progress
        ).both_ways()
        rows = rows.where(rows.second < n_references)
    if summed is None:
        return rows
    if corpus.unplaced:
        from spanagree.comparisons.unplaced_rows import (
            build_rows_of_quotes,  # most corpora have offsets
        )

        quote_rows = build_rows_of_quotes(
            corpus, measure, annotations.find_annotators_of_pairs(summed.documents)
        ).both_ways()
        rows = rows + quote_rows.where(quote_rows.second < n_references)
    return rows + summed.build_annotation_rows().named(rows.annotators, rows.labels)


def compute_compared_size(rows: Comparisons, n_references: int, chance: ChanceModel) -> float:
    """Compute the total size of both annotations over all compared pairs.

    Args:
        rows: rows of :func:`compare_with_references`.
        n_references: number of references, which are the first annotators.
        chance: chance model; if both annotations are random, a pair of references has two rows,
            and is counted once.
    """
    sizes = rows.size_first + rows.size_second
    size = float(sizes.sum())
    if not chance.first_is_fixed:  # pairs of references have two rows
        size -= sizes[rows.first < n_references].sum() / 2
    return size


def replace_matches(rows: Comparisons, annotator: int, matched: Floats) -> Comparisons:
    """Sum the rows of each document, first annotator and label; replace one annotator's matches.

    Args:
        rows: rows with a reference as second annotator.
        annotator: index of the annotator.
        matched: matches of the annotator, summed over references: (documents, labels).
    """
    rows = rows.by("document", "first", "label")
    matched_of_label = matched[rows.document, np.maximum(rows.label, 0)]
    new_matched = np.where(rows.label < 0, matched.sum(axis=1)[rows.document], matched_of_label)
    replaced = np.where(rows.first == annotator, new_matched, rows.matched)
    return replace(rows, matched=replaced)


def compute_system_tables(corpus: Corpus, n_references: int, rows: Comparisons) -> dict[Key, Table]:
    """Compute the tables of systems and of the ceiling: for each document the sums behind F1.

    Args:
        corpus: layers of the references, followed by layers of the systems.
        n_references: number of references.
        rows: rows of :func:`compare_with_references`.
    """
    n_references_seen = count_seen(corpus, corpus.annotators[:n_references])
    shared_documents = np.flatnonzero(n_references_seen > 1)
    ceiling = rows.where(rows.first < n_references).symmetric_table(np.arange(len(corpus)))
    ceiling /= 2  # each pair has two rows
    tables: dict[Key, Table] = {ALL: (shared_documents, ceiling[shared_documents])}
    for annotator, name in enumerate(corpus.annotators[n_references:], n_references):
        documents = np.flatnonzero(corpus.layers[name].annotated & (n_references_seen > 0))
        sums = rows.where(rows.first == annotator).symmetric_table(documents)
        tables["system", name] = documents, sums
        has_two = n_references_seen[documents] > 1
        documents_of_two = documents[has_two]
        tables["weighed", name] = (
            documents_of_two,
            sums[has_two] * (n_references_seen[documents_of_two] - 1)[:, None],
        )
        tables["ceiling", name] = documents_of_two, ceiling[documents_of_two]
    return tables


def compute_people_tables(corpus: Corpus, n_references: int, rows: Comparisons) -> dict[Key, Table]:
    """Compute the table of each reference against the others: for each document the sums of F1.

    Args:
        corpus: layers of the references, followed by layers of the systems.
        n_references: number of references.
        rows: rows of :func:`compare_with_references`.
    """
    n_references_seen = count_seen(corpus, corpus.annotators[:n_references])
    tables: dict[Key, Table] = {}
    for annotator, name in enumerate(corpus.annotators[:n_references]):
        documents = np.flatnonzero(corpus.layers[name].annotated & (n_references_seen > 1))
        tables["person", name] = (
            documents,
            rows.where(rows.first == annotator).symmetric_table(documents),
        )
    return tables


def _sum_by_whole(table: Table, parent_ids: Ints) -> Table:
    """Add up the sums of documents that are parts of one whole, such as the chapters of a book.

    ``parent_ids`` has the index of the whole of each document.
    """
    documents, sums = table
    whole_ids, inverse = np.unique(parent_ids[documents], return_inverse=True)
    sums_of_wholes = np.zeros((len(whole_ids), sums.shape[1]))
    np.add.at(sums_of_wholes, inverse, sums)
    return whole_ids, sums_of_wholes


def _compute_score(table: Table) -> Score:
    """Compute the F1 of the total of a table."""
    matched, expected, size, *random = (math.fsum(column) for column in table[1].T.tolist())
    return Tally.of((matched, expected, round(size), 0, *((random[0], 0) if random else ()))).f1


def score_tables(
    tables: Mapping[Key, Table], parent_ids: Ints | None, jackknife: Jackknife | None
) -> dict[Key, Score]:
    """Compute the F1 of each table, and for each system its share of the ceiling, by key.

    Args:
        tables: sums of documents by key.
        parent_ids: index of the whole that each document is part of, if the jackknife leaves out
            wholes; `None` if it leaves out documents.
        jackknife: options of intervals, or `None`.
    """
    missing_annotator = {"system": "with a reference", "person": "with another reference"}
    scores = {
        (kind, name): _compute_score(table)
        if len(table[0])
        else build_undefined_score(
            f"no document {missing_annotator.get(kind, 'that two references saw')}"
        )
        for (kind, name), table in tables.items()
    }
    clusters = tables
    if parent_ids is not None:
        clusters = {key: _sum_by_whole(table, parent_ids) for key, table in tables.items()}
    for key in tables:
        if jackknife is not None and key[0] != "weighed":
            interval = _compute_interval(clusters[key][1], compute_f1_figures, jackknife)
            scores[key] = scores[key]._replace(interval=interval)
    for name in [name for kind, name in tables if kind == "system"]:
        share = _compute_share(scores["weighed", name], scores["ceiling", name])
        if jackknife is not None:
            cluster_sums = [clusters[kind, name][1] for kind in ("weighed", "ceiling")]
            interval = _compute_interval(
                np.concatenate(cluster_sums, axis=1), _compute_share_figures, jackknife, False
            )
            share = share._replace(interval=interval)
        scores["share", name] = share
    return scores


def _compute_interval(
    rows: Floats, statistic: Statistic, jackknife: Jackknife, is_share: bool = True
) -> Interval:
    """Compute the interval of observed, expected and corrected F1."""
    ((interval,),) = build_intervals(compute_moments(rows, statistic), jackknife, is_share)
    return interval


def _compute_share(system: Score, ceiling: Score) -> Score:
    """Divide the scores of a system by the ceiling; undefined if the ceiling is not above 0."""
    figures = np.array([[*system[:3], *ceiling[:3]]])
    observed, expected, corrected = _divide_figures(figures[:, :3], figures[:, 3:])[0].tolist()
    reason = ceiling.reason or system.reason
    if not reason and math.isnan(corrected):
        reason = "the corrected F1 of the references is not above 0"
    return Score(observed, expected, corrected, reason)


def _divide_figures(system: Floats, ceiling: Floats) -> Floats:
    """Divide the figures of a system by the figures of the ceiling; ``nan`` for a divisor of 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share: Floats = np.where(ceiling > _TIE, system / ceiling, UNDEFINED)
    return share


def _compute_share_figures(sums: Floats) -> Floats:
    """Compute shares of the ceiling from sums of the system and of the ceiling; (…, 3)."""
    return _divide_figures(*map(compute_f1_figures, np.split(sums, 2, axis=1)))
