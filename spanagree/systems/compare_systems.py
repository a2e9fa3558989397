"""Tests of all pairs of systems on the same documents, by raw and by corrected F1.

The jackknife tests how the difference would vary over other documents like these, and gives an
interval. The paired bootstrap does the same, with p alone. The permutation test asks whether the
two systems could be exchanged for each other, document by document. All tests resample or exchange
whole documents: the sums of a document (match, expected match, sizes) stay together. A position is
the index of a run, or of a system without several runs, in a table of such sums.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Floats, Progress
from spanagree.choices import Test
from spanagree.errors import SettingError, check_choice, check_integer, escape_name, pluralize
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.names import shorten_names
from spanagree.results.numbers import RANK_DIGITS, format_decimal
from spanagree.results.plots import Plot, plot_dots, plot_heat_map
from spanagree.results.result import MappingResult, NanEqualMixin, Result
from spanagree.results.score import UNDEFINED, Score, compute_f1_figures, convert_figures
from spanagree.results.verdict import LEVEL, SignificantPair
from spanagree.settings import EXACT, JACKKNIFE, document_noun, parse_confidence
from spanagree.systems.clusters import count_clusters
from spanagree.systems.count import EvaluationSettings, SystemsByDocument
from spanagree.systems.lost_quotes import write_lost_quotes_sentence
from spanagree.systems.result import Evaluation, check_evaluation
from spanagree.systems.runs import (
    Runs,
    RunsSettings,
    build_run_settings,
    compute_mean_scores,
    list_runs,
    list_unmarked_systems,
)
from spanagree.uncertainty.confidence import LEAST_UNITS, USUAL, Jackknife
from spanagree.uncertainty.differences import DocumentInfluence
from spanagree.uncertainty.paired_bootstrap import compute_bootstrap_p
from spanagree.uncertainty.permutation import build_powerless_caveat, compute_exchange_p, holm

TESTS = {
    "jackknife": "would the difference be there on other documents like these? With intervals",
    "permutation": "could the two systems be exchanged for each other?",
    "bootstrap": "is the difference as large in resampled documents? The paired bootstrap",
}
"""The tests of a difference, by name."""

_NO_VARIATION = "p: undefined, as resamples of documents that are alike do not vary"
_MIN_DOCUMENTS = 30  # with fewer the bootstrap's p is too small
_MAX_PLOTTED_PAIRS = 10  # more pairs are drawn as a heat map
_NAMED = 3  # pairs in a sentence


class Difference(NamedTuple):
    """The difference of two systems in one figure, the first minus the second.

    ``low`` and ``high`` are its interval, from the jackknife only; intervals of several pairs are
    simultaneous. ``p`` is two-sided; ``p_adjusted`` is corrected for all pairs of systems: p ×
    pairs for the jackknife, Holm's p for the other tests. ``reason`` explains an undefined value.
    """

    value: float
    low: float
    high: float
    p: float
    p_adjusted: float
    reason: str = ""

    def exchange_systems(self) -> Difference:
        """Compute the difference with the two systems exchanged."""
        return self._replace(value=-self.value, low=-self.high, high=-self.low)


@dataclass(frozen=True, eq=False)
class SystemPair(NanEqualMixin):
    """Two systems on the documents that both and gold saw.

    ``differing`` is the number of documents in which their tallies differ. ``exact`` is true if all
    exchanges were counted rather than drawn or, for the jackknife, if the interval is exact because
    at most one document differs. ``left_out`` is the number of documents that gold and only one of
    the two systems saw.
    """

    a: str
    b: str
    documents: int
    differing: int
    observed: Difference
    corrected: Difference
    exact: bool = False
    left_out: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparisonSettings(EvaluationSettings):
    """Settings of a test of systems against each other."""

    test: str


@dataclass(frozen=True, kw_only=True, eq=False)
class RunsComparisonSettings(ComparisonSettings, RunsSettings):
    """Settings of a test of systems with runs."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result, MappingResult):
    """Result of :func:`compare_systems`: all pairs, in the order of the evaluation.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")]] * 9, "a": [[(0, 1, "X")]] * 9, "b": [[(2, 3, "X")]] * 9}
    >>> evaluation = sa.evaluate(sa.Corpus.from_segments([9] * 9, layers))
    >>> [pair] = sa.compare_systems(evaluation, test="permutation").pairs
    >>> pair.a, pair.b, pair.observed.value, pair.observed.p < 0.05
    ('a', 'b', 1.0, True)
    """

    OF_LAYERS: ClassVar[bool] = True
    pairs: tuple[SystemPair, ...]
    settings: ComparisonSettings
    notes: tuple[str, ...] = ()
    scores: Mapping[str, Score] = field(default_factory=dict, repr=False, compare=False)
    unmarked: tuple[str, ...] = field(default=(), repr=False, compare=False)
    not_in_text: str = field(default="", repr=False, compare=False)

    @property
    def verdict(self) -> str:
        """The system with the highest corrected F1, and the pairs with significant differences."""
        ranked = verdict.rank_names(self.scores)
        if len(ranked) < 2:
            return f"Fewer than two systems have a defined {self._title}."
        leaders = verdict.list_leaders(self.scores)
        n_pairs, lead_tests = len(self.pairs), []
        for name in ranked:
            if name == leaders[0]:
                continue
            pairs = [self[leader, name] for leader in leaders if leader != name]
            pair = max(pairs, key=lambda pair: self._get_difference(pair).p_adjusted)
            value, low, high, _, p_adjusted, _ = self._get_difference(pair)
            documents_phrase = (
                f"on {document_noun(self.settings)}s that both saw" if pair.left_out else ""
            )
            lead_tests.append(
                verdict.PairwiseTest(
                    name, value, low, high, p_adjusted, p_adjusted < self.level, documents_phrase
                )
            )
        confidence = parse_confidence(self.settings) or 95
        significant_pairs = self._list_significant_pairs(ranked) if n_pairs > 1 else ()
        correction = "Holm" if self._is_drawn else ""
        sentences = verdict.write_comparison(
            self.scores,
            lead_tests,
            confidence,
            significant_pairs,
            n_pairs,
            self.unmarked,
            correction,
            self.settings.test,
        )
        chance = verdict.write_chance_model(self.settings) if self._title == "F1" else ""
        return verdict.join_in_two_sentences(
            *sentences, self._sentence_on_runs, chance, self.not_in_text
        )

    @property
    def _title(self) -> str:
        """Name of the figure that decides: corrected F1, or F1 if chance is undefined."""
        return f"{verdict.choose_figure(self.settings)[1]}F1"

    def _get_difference(self, pair: SystemPair) -> Difference:
        """Return the difference of a pair in the figure that decides."""
        difference: Difference = getattr(pair, verdict.choose_figure(self.settings)[0])
        return difference

    @property
    def _sentence_on_runs(self) -> str:
        """Sentence on whether the test regards other runs, if systems have several."""
        n_runs = self.settings.get("runs", {})
        names_with_fixed_runs = [name for name in self.scores if n_runs.get(name, 1) < LEAST_UNITS]
        if not n_runs:
            return ""
        if not names_with_fixed_runs:
            return "The test regards other documents and other runs."
        if len(names_with_fixed_runs) == len(self.scores):
            return (
                "The test regards other documents, and these runs: for others it needs"
                f" {LEAST_UNITS} of a system."
            )
        names = verdict.abbreviate_names(
            [*map(escape_name, names_with_fixed_runs)], _NAMED, "more system"
        )
        return (
            "The test regards other documents and other runs, but not other runs of"
            f" {', '.join(names)}."
        )

    @property
    def level(self) -> float:
        """Adjusted p below which a difference is significant: 1 − confidence of the intervals.

        An interval excludes 0 if and only if p is below this level.
        """
        confidence = parse_confidence(self.settings)
        return LEVEL if confidence is None or self._is_drawn else round(1 - confidence / 100, 12)

    @property
    def _is_drawn(self) -> bool:
        """Whether p is computed from draws, without intervals."""
        return self.settings.test != "jackknife"

    def _list_significant_pairs(self, ranked: Sequence[str]) -> list[SignificantPair]:
        """List the pairs with a significant difference, the better system first, by its rank."""
        rank_by_name = {name: i for i, name in enumerate(ranked)}
        significant_pairs = []
        for pair in self.pairs:
            difference = self._get_difference(pair)
            value, p = difference.value, difference.p_adjusted
            if p < self.level:
                names = (pair.a, pair.b) if value > 0 else (pair.b, pair.a)
                significant_pairs.append(SignificantPair(*names, p))
        return sorted(
            significant_pairs,
            key=lambda pair: (rank_by_name[pair.first], rank_by_name[pair.second]),
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each."""
        if not self._is_drawn:
            return ()
        drawn_p = [pair.observed.p for pair in self.pairs if not pair.exact]
        warnings = build_powerless_caveat(drawn_p, self.settings["resamples"], "pair")
        min_documents = min(pair.documents for pair in self.pairs)
        if self.settings.test != "bootstrap" or min_documents >= _MIN_DOCUMENTS:
            return warnings
        return (
            *warnings,
            f"only {pluralize(min_documents, 'document')}: with fewer than {_MIN_DOCUMENTS} the"
            " bootstrap finds differences too often; the jackknife does not",
        )

    @property
    def _keys(self) -> Sequence[Any]:
        return [(pair.a, pair.b) for pair in self.pairs]

    def __getitem__(self, names: tuple[str, str]) -> SystemPair:
        """Return the pair of two systems in the requested order, which decides the signs.

        Raises:
            KeyError: if there is no such pair.
        """
        for pair in self.pairs:
            if (pair.a, pair.b) == names:
                return pair
            if (pair.b, pair.a) == names:
                differences = {
                    score_key: getattr(pair, score_key).exchange_systems()
                    for score_key in SCORE_KEYS
                }
                return replace(pair, a=pair.b, b=pair.a, **differences)
        raise KeyError(names)

    @property
    def reordered(self) -> list[tuple[SystemPair, bool]]:
        """Pairs in which another system leads by corrected F1 than by raw F1.

        The second item of an entry is True if the change is significant: both differences are.
        """
        reordered = []
        for pair in self.pairs:
            differences = [getattr(pair, score_key) for score_key in SCORE_KEYS]
            raw_sign, corrected_sign = (_find_sign(difference.value) for difference in differences)
            if raw_sign * corrected_sign < 0:
                reordered.append(
                    (pair, all(difference.p_adjusted < self.level for difference in differences))
                )
        return reordered

    def _yield_findings(self) -> Iterator[str]:
        """Yield remarks on undecided pairs, and on pairs that the correction reorders."""
        undecided = [
            pair for pair in self.pairs if not self._get_difference(pair).p_adjusted < self.level
        ]
        p_name = "Holm's p" if self._is_drawn else f"p × {len(self.pairs)}"
        p_name = "p" if len(self.pairs) == 1 else p_name
        if undecided:
            pairs = pluralize(len(self.pairs), "pair")
            yield (
                f"{len(undecided)} of {pairs} cannot be told apart by {self._title} ({p_name} not"
                f" below {self.level:g}): {_list_pair_names(undecided)}"
            )
        for wanted_certainty in (True, False):
            reordered_pairs = [
                pair for pair, is_certain in self.reordered if is_certain is wanted_certainty
            ]
            proviso = (
                ""
                if wanted_certainty
                else ", but they cannot be told apart, so that is not a finding"
            )
            if reordered_pairs:
                yield f"chance changes the order of {_list_pair_names(reordered_pairs)}{proviso}"

    TABLES: ClassVar[Mapping[str, str | None]] = {"pairs": None}

    def _build_table(self, by: str | None) -> Frame:
        """Build the table, with a row for each pair of systems."""
        adjusted_title = "Holm" if self._is_drawn else f"p × {len(self.pairs)}"
        is_unadjusted = len(self.pairs) == 1 and not self._is_drawn
        p_title = "p" if is_unadjusted or self._is_drawn else ""
        differences = [
            column
            for score_key, name in zip(SCORE_KEYS, ("F1 a − b", "corrected a − b"), strict=True)
            for column in (
                Column(score_key, kind="json"),
                Column(f"{score_key}_value", name),
                Column(f"{score_key}_low"),
                Column(f"{score_key}_high"),
                Column(
                    "", "" if self._is_drawn else "interval", "interval", "interval of a difference"
                ),
                Column(f"{score_key}_p", p_title, "probability", "p of a difference"),
                Column(
                    f"{score_key}_p_adjusted",
                    "" if is_unadjusted else adjusted_title,
                    "probability",
                    "adjusted p",
                ),
            )
        ]
        documents_title = (
            f"{document_noun(self.settings)}s" if any(pair.left_out for pair in self.pairs) else ""
        )
        columns = [
            Column("a", "a", "name", "two systems"),
            Column("b", "b", "name", "two systems"),
            Column("documents", documents_title, "count"),
            Column("differing", "", "count"),
            Column("exact", "", "mark"),
            Column("left_out", "", "count"),
        ]
        rows: list[list[Value]] = []
        exact_remark = "p of pairs that differ in few documents is exact: all exchanges counted"
        counts_all = self._is_drawn and any(pair.exact for pair in self.pairs)
        remarks = dict.fromkeys([exact_remark] if counts_all else [])
        for pair in self.pairs:
            rows.append([getattr(pair, column.key) for column in columns])
            for difference in (pair.observed, pair.corrected):
                value, low, high, p, p_adjusted, reason = difference
                rows[-1] += [
                    convert_figures(difference),
                    value,
                    low,
                    high,
                    (low, high),
                    p,
                    p_adjusted,
                ]
                if reason:
                    remarks[f"{escape_name(pair.a)}, {escape_name(pair.b)}: {reason}"] = None
        return Frame(
            [*columns, *differences],
            rows,
            self.settings,
            caption=self._caption,
            remarks=[
                *verdict.write_chance_remarks(self.settings),
                *self._yield_findings(),
                *remarks,
                *self.caveats,
            ],
        )

    @property
    def _caption(self) -> str:
        """Caption of the table, with the adjustment of p."""
        opening, n_pairs = (
            f"differences of systems ({self.settings.test}); p is two-sided",
            len(self.pairs),
        )
        if self._is_drawn:
            return f"{opening}, Holm's for all pairs"
        if n_pairs == 1:
            return opening
        return f"{opening}, times {n_pairs} pairs, and intervals are simultaneous"

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the differences with their intervals, or a heat map for many pairs."""
        names = list(dict.fromkeys(name for pair in self.pairs for name in (pair.a, pair.b)))
        if len(self.pairs) > _MAX_PLOTTED_PAIRS:
            return self._plot_heat_map(names)
        short_by_name = dict(zip(names, shorten_names(names), strict=True))
        rows = [
            (
                f"{short_by_name[pair.a]} − {short_by_name[pair.b]}",
                [(d.value, d.low, d.high) for d in (pair.observed, pair.corrected)],
            )
            for pair in self.pairs
        ]
        titles, axis_title = ("F1", "corrected F1"), "difference of F1, with intervals"
        return plot_dots(rows, titles, axis_title, zero=True)

    def _plot_heat_map(self, names: Sequence[str]) -> Plot:
        """Plot the differences of all pairs as a heat map, systems × systems."""
        index_by_name = {name: i for i, name in enumerate(names)}
        values, is_significant = np.full((2, len(names), len(names)), np.nan)
        for pair in self.pairs:
            i, j = index_by_name[pair.a], index_by_name[pair.b]
            values[i, j], values[j, i] = (
                self._get_difference(pair).value,
                self._get_difference(pair).exchange_systems().value,
            )
            is_significant[i, j] = is_significant[j, i] = (
                self._get_difference(pair).p_adjusted < self.level
            )
        limit = max(float(np.nanmax(np.abs(values), initial=0)), 0.01)
        title = f"{self._title} of the row − of the column (* p < 0.05)"
        return plot_heat_map(names, names, values, title, (-limit, limit), is_significant == 1)


def _list_pair_names(pairs: Sequence[SystemPair]) -> str:
    """List the names of the first pairs, and the number of further pairs."""
    pair_names = [f"{escape_name(pair.a)} and {escape_name(pair.b)}" for pair in pairs]
    return ", ".join(verdict.abbreviate_names(pair_names, _NAMED, "more pair"))


SCORE_KEYS = ("observed", "corrected")


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
    groups: dict[bytes, list[tuple[str, str]]] = {}
    for a, b in names:
        shared = per_document.find_shared_documents(*by_system[a], *by_system[b])
        groups.setdefault(shared.tobytes(), []).append((a, b))
    request = _Request(test, ci, resamples, seed, len(names), progress, by_system)
    pair_results = (
        pair for group in groups.values() for pair in _compare_pairs(per_document, group, request)
    )
    by_names = {(pair.a, pair.b): pair for pair in pair_results}
    pairs = _adjust_p([by_names[pair_of_names] for pair_of_names in names], test)
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
        tuple(pairs),
        settings,
        scores=scores,
        unmarked=unmarked,
        not_in_text=write_lost_quotes_sentence(evaluation),
    )


class _Request(NamedTuple):
    """The requested test, its settings, and the progress of its draws."""

    test: str
    ci: Jackknife
    resamples: int
    seed: int
    n_pairs: int
    progress: Progress
    by_system: Mapping[str, Sequence[str]]


def _adjust_p(pairs: Sequence[SystemPair], test: str) -> list[SystemPair]:
    """Set the adjusted p of each pair: p × pairs for the jackknife, Holm's for other tests."""
    adjusted_pairs = [*pairs]
    for score_key in SCORE_KEYS:
        p = [getattr(pair, score_key).p for pair in pairs]
        adjusted_p = (
            holm(p) if test != "jackknife" else np.minimum(1, len(p) * np.array(p)).tolist()
        )
        adjusted_p = [value if value == value else UNDEFINED for value in adjusted_p]
        adjusted_pairs = [
            replace(pair, **{score_key: getattr(pair, score_key)._replace(p_adjusted=p)})
            for pair, p in zip(adjusted_pairs, adjusted_p, strict=True)
        ]
    return adjusted_pairs


def _compare_pairs(
    per_document: SystemsByDocument, pairs: Sequence[tuple[str, str]], request: _Request
) -> Iterator[SystemPair]:
    """Test pairs of systems, and yield the result of each pair.

    Args:
        per_document: counts of single documents, or of clusters.
        pairs: names of both systems of each pair; all pairs were seen in the same documents.
        request: test and its settings.
    """
    by_system = request.by_system
    is_shared = per_document.find_shared_documents(
        *(run for name in pairs[0] for run in by_system[name])
    )
    rows = per_document.comparisons
    rows = rows.where(is_shared[rows.document]).of_wholes(per_document.parent_ids)
    units = per_document.find_units(is_shared)
    system_names = set(itertools.chain(*pairs))
    run_names = sorted({run for name in system_names for run in by_system[name]})  # canonical order
    tables = [
        rows.where(rows.second == per_document.find_annotator_index(name)).symmetric_table(units)
        for name in run_names
    ]
    table = np.stack(tables, axis=1)
    positions = [
        tuple([run_names.index(run) for run in by_system[name]] for name in pair) for pair in pairs
    ]
    test_results = _TEST_FUNCTIONS[request.test](table, positions, request)
    for (a, b), runs_of_pair, (observed, corrected, exact) in zip(
        pairs, positions, test_results, strict=True
    ):
        pair_table = table[:, [*runs_of_pair[0], *runs_of_pair[1]]]
        yield SystemPair(
            a,
            b,
            documents=len(table),
            differing=int((pair_table != pair_table[:, :1]).any(axis=(1, 2)).sum()),
            observed=observed,
            corrected=corrected,
            exact=exact,
            left_out=int(
                np.logical_xor(
                    *(per_document.find_shared_documents(*by_system[system]) for system in (a, b))
                ).sum()
            ),
        )


_TestResults = Iterator[tuple[Difference, Difference, bool]]
"""For each pair: the difference in F1, that in corrected F1, and whether both are exact."""


_Position: TypeAlias = "tuple[Sequence[int], ...]"
"""The positions of the runs of the first system of a pair, and of the second."""


def _test_by_jackknife(
    table: Floats, positions: Sequence[_Position], request: _Request
) -> _TestResults:
    """Yield the test of each pair by the jackknife, which leaves out each document once.

    Args:
        table: sums of each document and run: (documents, runs, columns).
        positions: positions of the runs of each pair.
        request: settings of the test.
    """
    influence = DocumentInfluence.from_rows(table)
    for i, j in positions:
        difference = influence.compare(i, j, request.ci.tail, request.n_pairs)
        columns = (
            difference.value.tolist(),
            difference.ends.tolist(),
            difference.p.tolist(),
            difference.reasons,
        )
        observed, corrected = (
            Difference(value, low, high, p, UNDEFINED, reason)
            for value, (low, high), p, reason in zip(*columns, strict=True)
        )
        yield observed, corrected, difference.exact


def _test_by_permutation(
    table: Floats, positions: Sequence[_Position], request: _Request
) -> _TestResults:
    """Yield the test of each pair by permutations, which exchange the systems in documents.

    Args:
        table: sums of each document and system: (documents, systems, columns).
        positions: position of both systems of each pair.
        request: settings of the test.
    """
    for (i,), (j,) in positions:
        order = i, j
        pair_table = table[:, list(order)]
        differing = pair_table[(pair_table[:, 0] != pair_table[:, 1]).any(axis=1)]
        exact = len(differing) <= math.log2(request.resamples)
        canonical_order = slice(None, None, 1 if order[0] < order[1] else -1)
        value = _compute_differences(pair_table.sum(axis=0), [(0, 1)])[0]
        p = compute_exchange_p(
            pair_table[:, canonical_order], differing[:, canonical_order], value, exact,
            request.resamples, request.seed, request.progress,
        )  # fmt: skip
        yield *_build_differences(value.tolist(), p), exact


def _test_by_bootstrap(
    table: Floats, positions: Sequence[_Position], request: _Request
) -> _TestResults:
    """Yield the test of each pair by the paired bootstrap, which draws documents.

    Args:
        table: sums of each document and system: (documents, systems, columns).
        positions: position of both systems of each pair.
        request: settings of the test.
    """
    n_units, n_systems, n_columns = table.shape
    pairs = [(i, j) for (i,), (j,) in positions]

    def compute_differences(sums: Floats) -> Floats:
        """Compute the differences of each pair from flat sums: (draws, …) to (draws, 2 · pairs)."""
        by_system = sums.reshape(len(sums), n_systems, n_columns)
        return _compute_differences(by_system, pairs).reshape(len(sums), -1)

    flat_table = table.reshape(n_units, n_systems * n_columns)
    p_values = compute_bootstrap_p(
        flat_table, compute_differences, request.resamples, request.seed, request.progress
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        values = compute_differences(flat_table.sum(axis=0)[None])[0]
    for k in range(0, 2 * len(positions), 2):
        yield *_build_differences(values[k : k + 2].tolist(), p_values[k : k + 2].tolist()), False


_TEST_FUNCTIONS: Mapping[str, Callable[..., _TestResults]] = {
    "jackknife": _test_by_jackknife,
    "permutation": _test_by_permutation,
    "bootstrap": _test_by_bootstrap,
}


def _compute_differences(sums: Floats, positions: Sequence[tuple[int, ...]]) -> Floats:
    """Compute the differences of pairs in F1 and in corrected F1.

    Args:
        sums: sums of each system: (…, systems, columns).
        positions: positions of both systems of each pair.

    Returns:
        Differences, first minus second: (…, pairs, 2).
    """
    first, second = np.array(positions).T
    with np.errstate(divide="ignore", invalid="ignore"):
        f1 = compute_f1_figures(sums)[..., [0, 2]]
    return np.asarray(f1[..., first, :] - f1[..., second, :])


def _build_differences(
    values: Sequence[float], p: Sequence[float]
) -> tuple[Difference, Difference]:
    """Build two differences with p and without intervals."""
    observed, corrected = (
        Difference(
            value,
            UNDEFINED,
            UNDEFINED,
            p,
            UNDEFINED,
            _NO_VARIATION if p != p and value == value else "",
        )
        for value, p in zip(values, p, strict=True)
    )
    return observed, corrected


def _find_sign(difference: float) -> int:
    """Return the sign of a difference; 0 if it is undefined or 0 to four decimals."""
    rounded = 0.0 if math.isnan(difference) else float(format_decimal(difference, RANK_DIGITS))
    return (rounded > 0) - (rounded < 0)
