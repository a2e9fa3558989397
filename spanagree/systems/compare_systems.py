"""Tests of all pairs of systems on the same documents, by raw and by corrected F1.

The jackknife tests how the difference would vary over other documents like these, and gives an
interval. The paired bootstrap does the same, with p alone. The permutation test asks whether the
two systems could be exchanged for each other, document by document. All tests resample or exchange
whole documents: the sums of a document (match, expected match, sizes) stay together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from spanagree.choices import Test
from spanagree.errors import SettingError, check_choice, check_integer
from spanagree.results.score import UNDEFINED
from spanagree.settings import EXACT, JACKKNIFE
from spanagree.systems.clusters import count_clusters
from spanagree.systems.comparison import (
    Comparison,
    ComparisonSettings,
    Difference,
    RunsComparisonSettings,
    SystemPair,
)
from spanagree.systems.count import SystemsByDocument
from spanagree.systems.difference_tests import TEST_FUNCTIONS, TESTS, ComparisonOptions
from spanagree.systems.lost_quotes import write_lost_quotes_sentence
from spanagree.systems.result import Evaluation, check_evaluation
from spanagree.systems.runs import (
    Runs,
    build_run_settings,
    compute_mean_scores,
    list_runs,
    list_unmarked_systems,
)
from spanagree.uncertainty.confidence import USUAL, Jackknife
from spanagree.uncertainty.differences import Differences
from spanagree.uncertainty.permutation import holm


def compare_systems(
    evaluation: Evaluation,
    *,
    test: Test = "jackknife",
    ci: Jackknife = USUAL,
    runs: Runs | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Test differences in F1 of all pairs of systems, raw and corrected.

    ``jackknife`` leaves out each document once, for both systems; p is multiplied by the number of
    pairs, and the intervals are simultaneous (Dunn 1961), so an interval excludes 0 just if that p
    is below 1 minus its confidence. If at most one document differs, p is 1.

    The other tests have p alone, with Holm's correction. ``permutation`` exchanges the two systems'
    whole tallies document by document, in all ways if there are no more than ``resamples``; p is
    (1 + hits) / (1 + draws), or hits / ways. ``bootstrap`` draws documents with replacement, the
    same documents for both systems; p is the share of draws whose difference is at least as far
    from the observed difference as that is from 0 (Koehn 2004; Berg-Kirkpatrick et al. 2012).

    Args:
        evaluation: evaluation of two systems or more.
        test: jackknife, permutation or bootstrap.
        ci: confidence of the intervals, and clusters of every test.
        runs: layers that are runs of each system, for the jackknife; see
            :func:`spanagree.systems.score_runs`. Means over runs are compared, over other documents
            and, for systems of three runs or more, other runs.
        resamples: number of permutations or resamples, if the test draws any.
        seed: random seed of the draws, an integer from 0.
        progress: function called with the number of pairs (for the bootstrap, draws) done, and the
            number of all.

    Raises:
        SettingError: if a name is unknown, a number is out of range, there are fewer than two
            systems, or runs are passed for another test than the jackknife.

    >>> from spanagree.corpus.corpus import Corpus
    >>> from spanagree.systems.evaluate import evaluate
    >>> right, wrong = [(0, 2, "X")], [(3, 5, "X")]
    >>> layers = {"gold": [right] * 20, "one": [right] * 20, "two": [right] + [wrong] * 19}
    >>> corpus = Corpus.from_segments([9] * 20, layers)
    >>> pair = compare_systems(evaluate(corpus))["one", "two"]
    >>> pair.observed.value, pair.observed.p < 0.05
    (0.95, True)
    """
    check_evaluation(evaluation, "compare_systems")
    check_choice(test, TESTS, "test")
    check_integer(resamples, 1, "resamples")
    check_integer(seed, 0, "seed")
    if not isinstance(ci, Jackknife) or ci.over_annotators:
        raise SettingError("ci: a Jackknife over documents is needed")
    if test == "permutation" and ci.by_text(evaluation.settings):
        raise SettingError(
            f"cluster_by {ci.cluster_by}: a permutation test exchanges what chance expects too,"
            " which belongs to whole documents; test by jackknife, or cluster by document"
        )
    if runs is not None and test != "jackknife":
        raise SettingError(
            f"runs and test {test}: it is of documents alone; test by jackknife, which regards both"
        )
    by_system: dict[str, tuple[str, ...]] = {name: (name,) for name in evaluation.systems}
    if runs is not None:
        by_system = list_runs(evaluation, runs)
    names = list(itertools.combinations(by_system, 2))
    if not names:
        raise SettingError("one system; a difference needs two")
    per_document = count_clusters(evaluation.counted.per_document, ci, evaluation.settings)
    options = ComparisonOptions(ci.tail, len(names), resamples, seed, progress)
    groups: dict[bytes, list[tuple[str, str]]] = {}
    for a, b in names:
        shared = per_document.find_shared_documents(*by_system[a], *by_system[b])
        groups.setdefault(shared.tobytes(), []).append((a, b))
    tested = {
        pair.names: pair
        for group in groups.values()
        for pair in _test_pairs(per_document, group, by_system, test, options)
    }
    pairs = _build_pairs([tested[pair_of_names] for pair_of_names in names], test)
    test_settings: dict[str, Any] = {"test": test, "resamples": resamples, "seed": seed, "ci": None}
    if test == "jackknife":
        methods = [EXACT if pair.exact else JACKKNIFE for pair in pairs]
        test_settings = {"test": test, **ci.settings(methods)}
    else:
        test_settings["cluster_by"] = ci.cluster_by
    settings = evaluation.settings.extend_to(ComparisonSettings, **test_settings)
    scores, unmarked = evaluation.scores, evaluation.unmarked
    if runs is not None:
        run_settings = build_run_settings(by_system)
        settings = settings.extend_to(RunsComparisonSettings, **run_settings)
        scores = compute_mean_scores(evaluation, by_system)
        unmarked = list_unmarked_systems(evaluation, by_system)
    return Comparison(
        pairs,
        settings,
        scores=scores,
        unmarked=unmarked,
        not_in_text=write_lost_quotes_sentence(evaluation),
    )


class _TestedPair(NamedTuple):
    """The test of two systems, and the numbers of documents that it regards.

    Attributes:
        names: names of both systems.
        documents: number of documents that both and gold saw.
        differing: number of these in which the systems differ.
        left_out: number of documents that gold and only one of the systems saw.
        differences: differences in F1 and in corrected F1, with p not yet adjusted.
    """

    names: tuple[str, str]
    documents: int
    differing: int
    left_out: int
    differences: Differences


def _test_pairs(
    per_document: SystemsByDocument,
    pairs: Sequence[tuple[str, str]],
    by_system: Mapping[str, Sequence[str]],
    test: str,
    options: ComparisonOptions,
) -> Iterator[_TestedPair]:
    """Test pairs of systems that were seen in the same documents, and yield each.

    Args:
        per_document: counts of single documents, or of clusters.
        pairs: names of both systems of each pair.
        by_system: names of the runs of each system.
        test: name of the test.
        options: options of the test.
    """
    first, second = pairs[0]
    is_shared = per_document.find_shared_documents(*by_system[first], *by_system[second])
    rows = per_document.comparisons
    rows = rows.where(is_shared[rows.document]).of_wholes(per_document.parent_ids)
    units = per_document.find_units(is_shared)
    system_names = {*itertools.chain(*pairs)}
    run_names = sorted({run for name in system_names for run in by_system[name]})  # canonical order
    tables = [
        rows.where(rows.second == per_document.find_annotator_index(name)).symmetric_table(units)
        for name in run_names
    ]
    table = np.stack(tables, axis=1)
    positions = [
        tuple([run_names.index(run) for run in by_system[name]] for name in pair) for pair in pairs
    ]
    tests = TEST_FUNCTIONS[test](table, positions, options)
    for (a, b), (runs_of_a, runs_of_b), differences in zip(pairs, positions, tests, strict=True):
        pair_table = table[:, [*runs_of_a, *runs_of_b]]
        n_differing = (pair_table != pair_table[:, :1]).any(axis=(1, 2)).sum()
        n_left_out = np.logical_xor(
            per_document.find_shared_documents(*by_system[a]),
            per_document.find_shared_documents(*by_system[b]),
        ).sum()
        yield _TestedPair((a, b), len(table), int(n_differing), int(n_left_out), differences)


def _build_pairs(tested: Sequence[_TestedPair], test: str) -> tuple[SystemPair, ...]:
    """Build all pairs with their adjusted p: p × pairs for the jackknife, else Holm's."""
    p_by_figure = np.array([pair.differences.p for pair in tested]).T
    if test == "jackknife":
        adjusted_p = np.minimum(1, len(tested) * p_by_figure).T
    else:
        adjusted_p = np.array([holm(p) for p in p_by_figure.tolist()]).T
    pairs = []
    for pair, adjusted_of_pair in zip(tested, adjusted_p.tolist(), strict=True):
        value, ends, p, exact, reasons = pair.differences
        figures = zip(
            value.tolist(), ends.tolist(), p.tolist(), adjusted_of_pair, reasons, strict=True
        )
        observed, corrected = (
            Difference(
                _share_nan(value),
                _share_nan(low),
                _share_nan(high),
                _share_nan(p),
                _share_nan(p_adjusted),
                reason,
            )
            for value, (low, high), p, p_adjusted, reason in figures
        )
        pairs.append(
            SystemPair(
                *pair.names,
                pair.documents,
                pair.differing,
                observed,
                corrected,
                exact,
                pair.left_out,
            )
        )
    return tuple(pairs)


def _share_nan(number: float) -> float:
    """Return the number, or the one ``nan`` by which undefined differences are equal."""
    return number if number == number else UNDEFINED
