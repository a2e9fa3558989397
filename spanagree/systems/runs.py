"""Systems with several runs, such as seeds or repeated answers: means and spread over runs.

Each run is a layer of the corpus. The spread is the standard deviation of a figure over runs. An
interval over documents holds for these runs; with three runs or more, a second interval is over
other documents and other runs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from spanagree.arrays import Floats, Ints, unique_rows
from spanagree.errors import (
    SettingError,
    check_known,
    escape_name,
    is_iterable,
    pluralize,
    quote_value,
)
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_distributions
from spanagree.results.result import NanEqualMixin
from spanagree.results.score import (
    NO_CHANCE,
    Interval,
    Ratio,
    Score,
    ScoreValues,
    get_ends,
    list_figures,
)
from spanagree.results.score_columns import build_figure_columns
from spanagree.settings import document_noun, parse_confidence
from spanagree.systems.clusters import count_clusters
from spanagree.systems.count import EvaluationCounts, EvaluationSettings, stack_columns
from spanagree.systems.lost_quotes import write_lost_quotes_sentence
from spanagree.systems.result import Evaluation, SystemsResult, check_evaluation
from spanagree.uncertainty.confidence import LEAST_UNITS, Jackknife, parse_ci
from spanagree.uncertainty.jackknife import Moments, build_intervals, compute_mean_moments
from spanagree.uncertainty.samples import SampleVariance, build_second_intervals

OVER_RUNS = "documents+runs"
"""Value of the setting for intervals over other runs too."""

_NAMED = 3  # systems with a spread in the verdict

Runs = Mapping[str, Sequence[str]]
"""Names of the layers that are runs of each system; other layers are systems of one run."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RunsSettings(EvaluationSettings):
    """Settings of systems with runs.

    Attributes:
        runs: number of runs of each system that has several.
    """

    runs: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class SystemRuns(NanEqualMixin):
    """Scores of one system over its runs.

    Attributes:
        name: name of the system.
        runs: scores of each run: figures by key, by the layer of the run.
        means: mean of each figure over the runs, by key, with an interval over documents for these
            runs if intervals were requested.
        sd: standard deviation of each figure over the runs, divisor k − 1; ``nan`` with one run.
        se: standard error of each mean over the runs: the standard deviation divided by √k.
        over_runs: intervals over other documents and other runs, by key, with three runs or more.
        documents: number of documents that gold and a run saw, by the layer of the run.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")]] * 4, "a": [[(0, 1, "X")]] * 4, "b": [[]] * 4}
    >>> evaluation = sa.evaluate(sa.Corpus.from_segments([9] * 4, layers))
    >>> ours = sa.systems.score_runs(evaluation, {"ours": ["a", "b"]})["ours"]
    >>> ours.values("f1", "observed"), ours.se["f1"].observed
    ([1.0, 0.0], 0.5)
    """

    name: str
    runs: Mapping[str, Mapping[str, Score]]
    means: Mapping[str, Score]
    sd: Mapping[str, ScoreValues]
    se: Mapping[str, ScoreValues]
    over_runs: Mapping[str, Interval]
    documents: Mapping[str, int]

    @property
    def f1(self) -> Score:
        """The mean of F1 over the runs."""
        return self.means["f1"]

    def values(self, key: str, score_key: str) -> list[float]:
        """List a figure of each run, such as the ``corrected`` value of ``f1``."""
        return [getattr(scores[key], score_key) for scores in self.runs.values()]


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationOfRuns(SystemsResult):
    """Result of :func:`score_runs`.

    Attributes:
        systems: systems by name, first those with several runs.
        documents: number of documents that gold and some run saw.
        settings: settings that determine the figures.
        notes: notes of the evaluation.
        unmarked: names of systems, or gold, without a segment.
        not_in_text: sentence on quotes that are not in the text; empty without any.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")]] * 4, "seed 1": [[(0, 1, "X")]] * 4}
    >>> layers["seed 2"] = [[(0, 1, "X")]] * 3 + [[]]
    >>> evaluation = sa.evaluate(sa.Corpus.from_segments([9] * 4, layers))
    >>> ours = sa.systems.score_runs(evaluation, {"ours": ["seed 1", "seed 2"]})["ours"]
    >>> round(ours.f1.observed, 4), round(ours.sd["f1"].observed, 4)
    (0.9286, 0.101)
    """

    systems: Mapping[str, SystemRuns]
    documents: int
    settings: RunsSettings
    notes: tuple[str, ...]
    unmarked: tuple[str, ...] = ()
    not_in_text: str = field(default="", repr=False, compare=False)

    TABLES: ClassVar[Mapping[str, str | None]] = {"systems": None}
    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "runs=_runs")

    @property
    def figures(self) -> Mapping[str, Ratio]:
        """The figures by key, including F-beta if it was requested."""
        return list_figures(self.settings.f_beta)

    @property
    def _runs(self) -> dict[str, dict[str, Any]]:
        """The number of documents and the figures of each run of each system, as plain data."""
        return {
            name: {
                run: {
                    "documents": system.documents[run],
                    **{key: score.to_dict() for key, score in scores.items()},
                }
                for run, scores in system.runs.items()
            }
            for name, system in self.systems.items()
        }

    @property
    def _documents_phrase(self) -> str:
        """The number of documents that runs were compared on, in words; a range if it differs."""
        n_compared = [
            number for system in self.systems.values() for number in system.documents.values()
        ]
        return verdict.write_range(n_compared, document_noun(self.settings))

    @property
    def _main_score(self) -> str:
        """The key of the score that decides."""
        return verdict.choose_figure(self.settings)[0]

    @property
    def verdict(self) -> str:
        """The order of systems by mean corrected F1, and the spread over their runs."""
        confidence = parse_confidence(self.settings)
        ranking = verdict.write_order(
            self.scores, self._documents_phrase, confidence, "--test jackknife", self.unmarked
        )
        spreads = [
            _write_spread(system, self._main_score)
            for system in [*self.systems.values()][:_NAMED]
            if len(system.runs) > 1
        ]
        if self.settings.get("chance_undefined"):
            spreads.append(verdict.write_chance_model(self.settings))
        return verdict.join_in_two_sentences(*ranking, *spreads, self.not_in_text)

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with a row for each system: means and spread over its runs."""
        has_intervals = parse_confidence(self.settings) is not None
        columns_by_figure = {
            key: build_figure_columns(ratio, intervals=has_intervals)
            for key, ratio in self.figures.items()
        }
        columns = [
            Column("system", "system", "name"),
            Column("runs", "runs", "count", "runs of a system"),
            *(
                column
                for figure_columns in columns_by_figure.values()
                for column in figure_columns.columns
            ),
            *(
                column
                for figure_columns in columns_by_figure.values()
                if has_intervals
                for column in figure_columns.ends
            ),
        ]
        main_score, _ = verdict.choose_figure(self.settings)
        for key, ratio in self.figures.items():
            for score_key, name in (
                ("observed", ratio.title),
                ("corrected", f"corrected {ratio.title}"),
            ):
                spread_title = f"of {name}" * ratio.has_chance
                columns += [
                    Column(
                        f"{key}_{score_key}_{statistic}",
                        f"{statistic} {spread_title}" * bool(spread_title),
                        meaning=f"{statistic} over runs",
                        spare=statistic == "se" or score_key != main_score,
                    )
                    for statistic in ("sd", "se")
                ]
                if has_intervals:
                    interval_title = "other runs too" * (
                        ratio.has_chance and score_key == "corrected"
                    )
                    columns += [Column(f"{key}_{score_key}_runs_{end}") for end in ("low", "high")]
                    columns += [Column("", interval_title, "interval", "interval over other runs")]
        rows = [self._build_row(system, has_intervals) for system in self.systems.values()]
        return Frame(
            columns,
            rows,
            self.settings,
            caption=f"{pluralize(len(self.systems), 'system')} against"
            f" {escape_name(self.settings.gold)}, {self._documents_phrase}; means over runs",
            remarks=self._write_remarks(),
        )

    def _build_row(self, system: SystemRuns, has_intervals: bool) -> list[Value]:
        """List the cells of a system, in the order of the columns of the table."""
        columns_by_figure = {
            key: build_figure_columns(ratio, intervals=has_intervals)
            for key, ratio in self.figures.items()
        }
        row: list[Value] = [system.name, len(system.runs)]
        row += [
            value
            for key, figure_columns in columns_by_figure.items()
            for value in figure_columns.list_values(system.means[key])
        ]
        if has_intervals:
            row += [
                value
                for key, figure_columns in columns_by_figure.items()
                for value in figure_columns.list_end_values(system.means[key])
            ]
        for key in self.figures:
            for score_key in ("observed", "corrected"):
                row += [getattr(statistic[key], score_key) for statistic in (system.sd, system.se)]
                if has_intervals:
                    ends = get_ends(system.over_runs.get(key), score_key)
                    row += [*ends, ends]
        return row

    def _write_remarks(self) -> list[str]:
        """Write remarks on spreads; systems with two runs have the value of each run instead."""
        remarks = ["sd: divisor k − 1 of k runs; se: sd / √k"]
        remarks += verdict.write_chance_remarks(self.settings)
        score_key, prefix = verdict.choose_figure(self.settings)
        for system in self.systems.values():
            name, n_runs = escape_name(system.name), len(system.runs)
            if n_runs == LEAST_UNITS - 1:
                values = " and ".join(map(verdict.format_short, system.values("f1", score_key)))
                remarks.append(
                    f"{name}: {prefix}F1 {values}; an interval over runs needs {LEAST_UNITS}"
                )
            if n_runs == 1:
                remarks.append(f"{name}: one run, so the spread over runs is unknown")
            for run, scores in system.runs.items():
                if scores["f1"].reason not in ("", NO_CHANCE):
                    remarks.append(f"{escape_name(run)}: F1 undefined: {scores['f1'].reason}")
        return remarks

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the corrected F1 of the runs of each system, and their mean."""
        score_key, prefix = verdict.choose_figure(self.settings)
        rows = {}
        for name, system in self.systems.items():
            values = np.array(system.values("f1", score_key))
            rows[name] = values, np.ones(len(values)), getattr(system.f1, score_key)
        return plot_distributions(rows, ("a run", "mean over runs"), f"{prefix}F1")


def _write_spread(system: SystemRuns, score_key: str) -> str:
    """Write a sentence on the spread of F1 over the runs of a system.

    Args:
        system: scores of the system.
        score_key: "corrected", or "observed" if chance is undefined.
    """
    name, n_runs = escape_name(system.name), len(system.runs)
    if n_runs < LEAST_UNITS:
        values = " and ".join(map(verdict.format_short, system.values("f1", score_key)))
        return f"{name} has {values} in its {n_runs} runs."
    sd = verdict.format_short(getattr(system.sd["f1"], score_key))
    return f"Over {n_runs} runs of {name} its standard deviation is {sd}."


def score_runs(
    evaluation: Evaluation, runs: Runs, *, ci: bool | Jackknife = False
) -> EvaluationOfRuns:
    """Compute means and spreads of systems over their runs.

    Args:
        evaluation: evaluation of gold and all runs, each a layer.
        runs: names of the layers that are runs of each system, by its name; other layers are
            systems of one run.
        ci: True for confidence intervals of the means: over documents for these runs, and with
            three runs or more over other runs too; or a :class:`Jackknife`, with another confidence
            or other clusters.

    Raises:
        SettingError: if a layer is unknown or a run of two systems, or a system has no runs.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")]] * 4, "a": [[(0, 1, "X")]] * 4, "b": [[]] * 4}
    >>> evaluation = sa.evaluate(sa.Corpus.from_segments([9] * 4, layers))
    >>> score_runs(evaluation, {"ours": ["a", "b"]})["ours"].f1.observed
    0.5
    """
    check_evaluation(evaluation, "score_runs")
    by_system = list_runs(evaluation, runs)
    jackknife = parse_ci(ci)
    figures = evaluation.figures
    intervals: dict[str, tuple[Sequence[Interval], Sequence[Interval]]] = {}
    if jackknife is not None:
        intervals = _compute_intervals(evaluation.counted, by_system, jackknife)
    systems = {}
    for name, layers in by_system.items():
        scores = {run: _compute_scores(evaluation, run) for run in layers}
        over_documents, over_runs = intervals.get(name, ([None] * len(figures), []))
        means, sd, se = {}, {}, {}
        for key, interval in zip(figures, over_documents, strict=True):
            values = np.array([run_scores[key][:3] for run_scores in scores.values()])
            reasons = [
                run_scores[key].reason
                for run_scores in scores.values()
                if math.isnan(run_scores[key].observed)
            ]
            means[key] = _build_mean(values, reasons)._replace(interval=interval)
            sd[key] = ScoreValues(*_compute_deviation(values).tolist())
            se[key] = ScoreValues(*(_compute_deviation(values) / math.sqrt(len(values))).tolist())
        over_runs_by_key = dict(zip(figures, over_runs, strict=True)) if over_runs else {}
        documents = {run: evaluation.systems[run].documents for run in layers}
        systems[name] = SystemRuns(name, scores, means, sd, se, over_runs_by_key, documents)
    return EvaluationOfRuns(
        systems,
        _count_compared_documents(evaluation),
        _build_settings(evaluation, by_system, jackknife, intervals),
        evaluation.notes,
        list_unmarked_systems(evaluation, by_system),
        write_lost_quotes_sentence(evaluation),
    )


def list_runs(evaluation: Evaluation, runs: Runs) -> dict[str, tuple[str, ...]]:
    """List the layers of each system by its name; systems with listed runs come first.

    Raises:
        SettingError: if a layer is unknown or a run of two systems, or a system has no runs or the
            name of another layer.
    """
    if not isinstance(runs, Mapping) or not runs:
        raise SettingError(
            f"runs {quote_value(runs)}; system to layers is needed, such as"
            " {'ours': ['seed 1', 'seed 2', 'seed 3']}"
        )
    by_system: dict[str, tuple[str, ...]] = {}
    system_of_run: dict[str, str] = {}
    for name, layers in runs.items():
        if isinstance(layers, str) or not is_iterable(layers) or not [*layers]:
            raise SettingError(
                f"runs of {quote_value(name)}: {quote_value(layers)}; a list of layers is needed"
            )
        for layer in layers:
            check_known([layer], evaluation.systems, "run")
            if layer in system_of_run:
                raise SettingError(
                    f"runs of {quote_value(name)}: {quote_value(layer)} is a run"
                    f" of {quote_value(system_of_run[layer])} already; each belongs to one"
                    " system, once"
                )
            system_of_run[layer] = name
        by_system[name] = tuple(layers)
    for name in evaluation.systems:
        if name not in system_of_run:
            if name in by_system:
                raise SettingError(
                    f"runs: {quote_value(name)} is a layer that is none of its runs; name the"
                    " system otherwise"
                )
            by_system[name] = (name,)
    return by_system


def list_unmarked_systems(
    evaluation: Evaluation, by_system: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """List the names of gold and systems without a segment in any run."""
    unmarked = {*evaluation.unmarked}
    gold = evaluation.settings.gold
    systems = (name for name, layers in by_system.items() if unmarked.issuperset(layers))
    return (*((gold,) if gold in unmarked else ()), *systems)


def compute_mean_scores(
    evaluation: Evaluation, by_system: Mapping[str, Sequence[str]]
) -> dict[str, Score]:
    """Compute the mean F1 of each system over its runs."""
    means = {}
    for name, layers in by_system.items():
        scores = [evaluation.systems[layer].f1 for layer in layers]
        reasons = [score.reason for score in scores if math.isnan(score.observed)]
        means[name] = _build_mean(np.array([score[:3] for score in scores]), reasons)
    return means


def build_run_settings(by_system: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Build the settings of runs: their numbers, and whether intervals are over other runs too."""
    n_runs_by_system = {name: len(layers) for name, layers in by_system.items() if len(layers) > 1}
    generalizes = any(n_runs >= LEAST_UNITS for n_runs in n_runs_by_system.values())
    return {"runs": n_runs_by_system, "over": OVER_RUNS if generalizes else None}


def _build_settings(
    evaluation: Evaluation,
    by_system: Mapping[str, Sequence[str]],
    jackknife: Jackknife | None,
    intervals: Mapping[str, tuple[Sequence[Interval], Sequence[Interval]]],
) -> RunsSettings:
    """Extend the settings of the evaluation by those of runs and of intervals.

    Args:
        evaluation: evaluation of all runs.
        by_system: names of the runs of each system.
        jackknife: options of intervals, or `None`.
        intervals: both intervals of each figure, by system.
    """
    run_settings = build_run_settings(by_system)
    if jackknife is None:
        return evaluation.settings.extend_to(RunsSettings, runs=run_settings["runs"], ci=None)
    methods = {
        interval.kind for over_documents, _ in intervals.values() for interval in over_documents
    }
    return evaluation.settings.extend_to(
        RunsSettings, **{**jackknife.settings(methods), **run_settings}
    )


def _count_compared_documents(evaluation: Evaluation) -> int:
    """Count the documents that gold and some run saw."""
    masks = map(evaluation.counted.per_document.find_shared_documents, evaluation.systems)
    return int(np.logical_or.reduce([*masks]).sum())


def _compute_scores(evaluation: Evaluation, run: str) -> dict[str, Score]:
    """Compute the figures of a run, by key."""
    system = evaluation.systems[run]
    return {key: system.score_of(ratio) for key, ratio in evaluation.figures.items()}


def _build_mean(values: Floats, reasons: Sequence[str]) -> Score:
    """Build the mean score over runs, which is undefined if the score of a run is undefined.

    Args:
        values: observed, expected and corrected value of each run: (runs, 3).
        reasons: reasons for undefined scores.
    """
    reason = next(iter(reasons), "")
    observed, expected, corrected = values.mean(axis=0).tolist()
    if reason != NO_CHANCE:
        reason = reason and f"in a run, {reason}"
    return Score(observed, expected, corrected, reason)


def _compute_deviation(values: Floats) -> Floats:
    """Compute standard deviations over runs, (runs, values) to (values,); ``nan`` with one run."""
    if len(values) < 2:
        return np.full(values.shape[1], np.nan)
    return np.asarray(values.std(axis=0, ddof=1), np.float64)


def _compute_intervals(
    counts: EvaluationCounts, by_system: Mapping[str, Sequence[str]], jackknife: Jackknife
) -> dict[str, tuple[Sequence[Interval], Sequence[Interval]]]:
    """Compute the intervals of mean figures of each system.

    Args:
        counts: counts of the evaluation.
        by_system: names of the runs of each system.
        jackknife: options of intervals.

    Returns:
        By system, an interval over documents for each figure, and an interval over documents and
        runs for each figure; the latter list is empty with fewer than three runs.
    """
    sums, values = _compute_moments(counts, by_system, jackknife)
    over_documents = build_intervals(sums, jackknife)
    intervals_by_system: dict[str, tuple[Sequence[Interval], Sequence[Interval]]] = {}
    for index, (name, layers) in enumerate(by_system.items()):
        n_figures = len(over_documents[index])
        if len(layers) < LEAST_UNITS:
            intervals_by_system[name] = over_documents[index], []
            continue
        run_variance = SampleVariance.from_unit_values(values[index])
        system_moments = Moments(*(sum_rows[index].reshape(n_figures, 3) for sum_rows in sums))
        figure_variance = SampleVariance(
            run_variance.variance.reshape(n_figures, 3), np.full(n_figures, len(layers), np.int64)
        )
        n_runs = [len(layers)] * n_figures
        intervals_by_system[name] = (
            over_documents[index],
            build_second_intervals(
                over_documents[index],
                system_moments,
                figure_variance,
                jackknife.tail,
                "run",
                n_runs,
            ),
        )
    return intervals_by_system


def _compute_moments(
    counts: EvaluationCounts, by_system: Mapping[str, Sequence[str]], jackknife: Jackknife
) -> tuple[Moments, list[Floats]]:
    """Compute the moments of means over runs for the jackknife, and the figures of each run.

    Args:
        counts: counts of the evaluation.
        by_system: names of the runs of each system.
        jackknife: options of intervals, with the clusters.

    Returns:
        Moments of each system, and for each system an array (runs, figures).
    """
    clusters = count_clusters(counts.per_document, jackknife, counts.settings)
    rows = clusters.comparisons.of_wholes(clusters.parent_ids).by("second", "document")
    layers = [layer for system_layers in by_system.values() for layer in system_layers]
    run_index = np.full(len(counts.annotators), -1)
    run_index[[counts.annotators.index(layer) for layer in layers]] = np.arange(len(layers))
    system_of_run: Ints = np.repeat(
        np.arange(len(by_system)), [len(system_layers) for system_layers in by_system.values()]
    )
    run = run_index[rows.second]
    system = system_of_run[run]
    order = np.lexsort((run, rows.document, system))
    (unit_system, _), unit_index, _ = unique_rows(system[order], rows.document[order])
    columns = stack_columns(rows)[order]
    sums = compute_mean_moments(
        columns, counts.compute_figures, run[order], system_of_run, unit_index, unit_system,
        len(by_system), _compute_mean_figures,
    )  # fmt: skip
    total = np.zeros((len(layers), columns.shape[1]))
    np.add.at(total, run[order], columns)
    with np.errstate(all="ignore"):
        figures = counts.compute_figures(total)
    first = np.cumsum([0, *(len(system_layers) for system_layers in by_system.values())])
    return sums, [figures[low:high] for low, high in itertools.pairwise(first.tolist())]


def _compute_mean_figures(sums: Floats) -> Floats:
    """Compute means of figures over runs.

    Args:
        sums: sums over runs, followed by the number of defined values: (…, 2 · figures).
    """
    figures, counts = np.split(sums, 2, axis=-1)
    means: Floats = figures / counts
    return means
