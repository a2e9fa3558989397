"""Systems with several runs, as of other seeds or repeated answers: means, and how runs vary."""

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
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Plot, clouds, rows_size
from spanagree.results.result import NanEqualMixin
from spanagree.results.score import (
    NO_CHANCE,
    Interval,
    Ratio,
    Score,
    ScoreValues,
    ends_of,
    figures_of,
)
from spanagree.results.score_columns import columns_of_figure
from spanagree.settings import confidence_of, document_noun
from spanagree.systems.clusters import clustered
from spanagree.systems.count import EvaluationCounts, EvaluationSettings, columns_of
from spanagree.systems.lost_quotes import not_in_text
from spanagree.systems.result import Evaluation, SystemsResult, check_evaluation
from spanagree.uncertainty.confidence import LEAST_UNITS, Jackknife, parse_ci
from spanagree.uncertainty.jackknife import Moments, intervals_of, mean_moments
from spanagree.uncertainty.samples import SampleVariance, second_intervals

OVER_RUNS = "documents+runs"
"""How settings name that other runs are regarded too."""

_NAMED = 3  # systems whose spread a verdict gives

Runs = Mapping[str, Sequence[str]]
"""The layers that are runs of each system, by its name; other layers are systems of one run."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RunsSettings(EvaluationSettings):
    """The settings of systems with runs.

    Attributes:
        runs: number of runs of each system that has several.
    """

    runs: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class SystemRuns(NanEqualMixin):
    """One system over its runs.

    Attributes:
        name: name of the system.
        runs: scores of each run: figures by key, by the run's layer.
        means: mean of each figure over the runs, by key, with an interval over documents for these
            runs if intervals were requested.
        sd: standard deviation of each figure over the runs, with divisor k − 1; ``nan`` of one run.
        se: standard error of each mean over the runs: the standard deviation divided by √k.
        over_runs: intervals over other documents and other runs, by key, from three runs on.

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

    @property
    def f1(self) -> Score:
        """The mean of F1 over the runs."""
        return self.means["f1"]

    def values(self, key: str, kind: str) -> list[float]:
        """Return a figure of each run, such as the ``corrected`` one of ``f1``."""
        return [getattr(scores[key], kind) for scores in self.runs.values()]


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationOfRuns(SystemsResult):
    """The result of :func:`score_runs`.

    Attributes:
        systems: by name, those with several runs first.
        documents: number of documents of the corpus.
        settings: what made the numbers.
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
        """The figures by key, F-beta among them if it was requested."""
        return figures_of(self.settings.f_beta)

    @property
    def _runs(self) -> dict[str, dict[str, Any]]:
        """The figures of each run of each system, as plain data."""
        return {
            name: {
                run: {key: score.to_dict() for key, score in scores.items()}
                for run, scores in system.runs.items()
            }
            for name, system in self.systems.items()
        }

    @property
    def _kind(self) -> str:
        """The figure that decides."""
        return verdict.figure_of(self.settings)[0]

    @property
    def verdict(self) -> str:
        """The order of systems by mean corrected F1, and how their runs vary."""
        location = pluralize(self.documents, document_noun(self.settings))
        confidence = confidence_of(self.settings)
        order = verdict.order(self.scores, location, confidence, "--test jackknife", self.unmarked)
        spreads = [
            _spread(system, self._kind)
            for system in [*self.systems.values()][:_NAMED]
            if len(system.runs) > 1
        ]
        if self.settings.get("chance_undefined"):
            spreads.append(verdict.chance_model(self.settings))
        return " ".join(filter(None, [order, *spreads, self.not_in_text]))

    def _table(self, by: str | None) -> Frame:
        """A row for each system: means over its runs, and how these vary."""
        ci = confidence_of(self.settings) is not None
        shown = {key: columns_of_figure(ratio, intervals=ci) for key, ratio in self.figures.items()}
        columns = [
            Column("system", "system", "name"),
            Column("runs", "runs", "count", "runs of a system"),
            *(column for score in shown.values() for column in score.columns),
            *(column for score in shown.values() if ci for column in score.ends),
        ]
        kept, _ = verdict.figure_of(self.settings)
        for key, ratio in self.figures.items():
            for kind, name in (
                ("observed", ratio.title),
                ("corrected", f"corrected {ratio.title}"),
            ):
                title = f"of {name}" * ratio.has_chance
                columns += [
                    Column(
                        f"{key}_{kind}_{part}",
                        f"{part} {title}" * bool(title),
                        meaning=f"{part} over runs",
                        spare=part == "se" or kind != kept,
                    )
                    for part in ("sd", "se")
                ]
                if ci:
                    spread = "other runs too" * (ratio.has_chance and kind == "corrected")
                    columns += [Column(f"{key}_{kind}_runs_{end}") for end in ("low", "high")]
                    columns += [Column("", spread, "interval", "interval over other runs")]
        rows = [self._row(system, ci) for system in self.systems.values()]
        return Frame(
            columns,
            rows,
            self.settings,
            caption=f"{pluralize(len(self.systems), 'system')} against"
            f" {escape_name(self.settings.gold)},"
            f" {pluralize(self.documents, document_noun(self.settings))}; means over runs",
            remarks=self._remarks(),
        )

    def _row(self, system: SystemRuns, ci: bool) -> list[Value]:
        """Return the cells of a system."""
        shown = {key: columns_of_figure(ratio, intervals=ci) for key, ratio in self.figures.items()}
        row: list[Value] = [system.name, len(system.runs)]
        row += [x for key, score in shown.items() for x in score.values(system.means[key])]
        if ci:
            row += [x for key, score in shown.items() for x in score.end_values(system.means[key])]
        for key in self.figures:
            for kind in ("observed", "corrected"):
                row += [getattr(part[key], kind) for part in (system.sd, system.se)]
                if ci:
                    ends = ends_of(system.over_runs.get(key), kind)
                    row += [*ends, ends]
        return row

    def _remarks(self) -> list[str]:
        """Give both values of two runs, and say what spreads are of."""
        remarks = ["sd: divisor k − 1 of k runs; se: sd / √k"]
        remarks += verdict.remarks_without_chance(self.settings)
        kind, before = verdict.figure_of(self.settings)
        for system in self.systems.values():
            name, n_runs = escape_name(system.name), len(system.runs)
            if n_runs == LEAST_UNITS - 1:
                values = " and ".join(map(verdict.short, system.values("f1", kind)))
                remarks.append(
                    f"{name}: {before}F1 {values}; an interval over runs needs {LEAST_UNITS}"
                )
            if n_runs == 1:
                remarks.append(f"{name}: one run, which says nothing of others")
            for run, scores in system.runs.items():
                if scores["f1"].reason not in ("", NO_CHANCE):
                    remarks.append(f"{escape_name(run)}: F1 undefined: {scores['f1'].reason}")
        return remarks

    def _picture(self, by: str | None) -> Plot:
        """Return the corrected F1 of the runs of each system, and their mean."""
        kind, before = verdict.figure_of(self.settings)
        rows = {
            name: (np.array(system.values("f1", kind)), getattr(system.f1, kind))
            for name, system in self.systems.items()
        }
        titles = ("a run", "mean over runs")
        return Plot(lambda ax: clouds(ax, rows, titles, f"{before}F1"), rows_size(rows))


def _spread(system: SystemRuns, kind: str) -> str:
    """Say how the runs of a system vary in corrected F1, or F1 without chance."""
    name, n_runs = escape_name(system.name), len(system.runs)
    if n_runs < LEAST_UNITS:
        values = " and ".join(map(verdict.short, system.values("f1", kind)))
        return f"{name} has {values} in its {n_runs} runs."
    sd = verdict.short(getattr(system.sd["f1"], kind))
    return f"Over {n_runs} runs of {name} its standard deviation is {sd}."


def score_runs(
    evaluation: Evaluation, runs: Runs, *, ci: bool | Jackknife = False
) -> EvaluationOfRuns:
    """Compute means and spreads of systems over their runs.

    Args:
        evaluation: gold and all runs, each a layer.
        runs: names of the layers that are runs of each system, by its name; other layers are
            systems of one run.
        ci: confidence intervals of the means: over documents for these runs, and from three runs
            on over other runs too; or a :class:`Jackknife`, with another confidence or clusters.

    Raises:
        SettingError: for an unknown layer, one that is a run of two systems, or a system without
            runs.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")]] * 4, "a": [[(0, 1, "X")]] * 4, "b": [[]] * 4}
    >>> evaluation = sa.evaluate(sa.Corpus.from_segments([9] * 4, layers))
    >>> score_runs(evaluation, {"ours": ["a", "b"]})["ours"].f1.observed
    0.5
    """
    check_evaluation(evaluation, "score_runs")
    by_system = runs_by_system(evaluation, runs)
    jackknife = parse_ci(ci)
    figures = evaluation.figures
    intervals: dict[str, tuple[Sequence[Interval], Sequence[Interval]]] = {}
    if jackknife is not None:
        intervals = _intervals(evaluation.counted, by_system, jackknife)
    systems = {}
    for name, layers in by_system.items():
        scores = {run: _scores(evaluation, run) for run in layers}
        over_documents, over_runs = intervals.get(name, ([None] * len(figures), []))
        means, sd, se = {}, {}, {}
        for key, interval in zip(figures, over_documents, strict=True):
            values = np.array([of_run[key][:3] for of_run in scores.values()])
            reasons = [x[key].reason for x in scores.values() if math.isnan(x[key].observed)]
            means[key] = _mean(values, reasons)._replace(interval=interval)
            sd[key] = ScoreValues(*_deviation(values).tolist())
            se[key] = ScoreValues(*(_deviation(values) / math.sqrt(len(values))).tolist())
        second = dict(zip(figures, over_runs, strict=True)) if over_runs else {}
        systems[name] = SystemRuns(name, scores, means, sd, se, second)
    return EvaluationOfRuns(
        systems,
        evaluation.documents,
        _settings(evaluation, by_system, jackknife, intervals),
        evaluation.notes,
        unmarked_systems(evaluation, by_system),
        not_in_text(evaluation),
    )


def runs_by_system(evaluation: Evaluation, runs: Runs) -> dict[str, tuple[str, ...]]:
    """Return the layers of each system, those with several runs first.

    Raises:
        SettingError: for an unknown layer, one that is a run of two systems, a system without runs,
            or one with the name of another layer.
    """
    if not isinstance(runs, Mapping) or not runs:
        raise SettingError(
            f"runs {quote_value(runs)}; system to layers is needed, such as"
            " {'ours': ['seed 1', 'seed 2', 'seed 3']}"
        )
    by_system: dict[str, tuple[str, ...]] = {}
    taken: dict[str, str] = {}
    for name, layers in runs.items():
        if isinstance(layers, str) or not is_iterable(layers) or not [*layers]:
            raise SettingError(
                f"runs of {quote_value(name)}: {quote_value(layers)}; a list of layers is needed"
            )
        for layer in layers:
            check_known([layer], evaluation.systems, "run")
            if layer in taken:
                raise SettingError(
                    f"runs of {quote_value(name)}: {quote_value(layer)} is a run of"
                    f" {quote_value(taken[layer])} already; each belongs to one system, once"
                )
            taken[layer] = name
        by_system[name] = tuple(layers)
    for name in evaluation.systems:
        if name not in taken:
            if name in by_system:
                raise SettingError(
                    f"runs: {quote_value(name)} is a layer that is none of its runs; name the"
                    " system otherwise"
                )
            by_system[name] = (name,)
    return by_system


def unmarked_systems(
    evaluation: Evaluation, by_system: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the names of gold and systems without a segment in any run."""
    silent = {*evaluation.unmarked}
    gold = evaluation.settings.gold
    systems = (name for name, layers in by_system.items() if silent.issuperset(layers))
    return (*((gold,) if gold in silent else ()), *systems)


def mean_scores(evaluation: Evaluation, by_system: Mapping[str, Sequence[str]]) -> dict[str, Score]:
    """Compute the mean F1 of each system over its runs."""
    means = {}
    for name, layers in by_system.items():
        scores = [evaluation.systems[layer].f1 for layer in layers]
        reasons = [score.reason for score in scores if math.isnan(score.observed)]
        means[name] = _mean(np.array([score[:3] for score in scores]), reasons)
    return means


def settings_of_runs(by_system: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the settings that name the numbers of runs, and whether others are regarded."""
    several = {name: len(layers) for name, layers in by_system.items() if len(layers) > 1}
    is_over = any(n_runs >= LEAST_UNITS for n_runs in several.values())
    return {"runs": several, "over": OVER_RUNS if is_over else None}


def _settings(
    evaluation: Evaluation,
    by_system: Mapping[str, Sequence[str]],
    jackknife: Jackknife | None,
    intervals: Mapping[str, tuple[Sequence[Interval], Sequence[Interval]]],
) -> RunsSettings:
    more = settings_of_runs(by_system)
    if jackknife is None:
        return evaluation.settings.extended(RunsSettings, runs=more["runs"], ci=None)
    kinds = {interval.kind for first, _ in intervals.values() for interval in first}
    return evaluation.settings.extended(RunsSettings, **{**jackknife.settings(kinds), **more})


def _scores(evaluation: Evaluation, run: str) -> dict[str, Score]:
    """Return the figures of a run, by key."""
    system = evaluation.systems[run]
    return {key: system.score_of(ratio) for key, ratio in evaluation.figures.items()}


def _mean(values: Floats, reasons: Sequence[str]) -> Score:
    """Build the mean of each figure over runs, undefined if it is in one."""
    reason = next(iter(reasons), "")
    observed, expected, corrected = values.mean(axis=0).tolist()
    if reason != NO_CHANCE:
        reason = reason and f"in a run, {reason}"
    return Score(observed, expected, corrected, reason)


def _deviation(values: Floats) -> Floats:
    """Compute standard deviations over runs; ``nan`` of one run."""
    if len(values) < 2:
        return np.full(values.shape[1], np.nan)
    return np.asarray(values.std(axis=0, ddof=1), np.float64)


def _intervals(
    counts: EvaluationCounts, by_system: Mapping[str, Sequence[str]], jackknife: Jackknife
) -> dict[str, tuple[Sequence[Interval], Sequence[Interval]]]:
    """Compute intervals of the means of each system: over documents, and over other runs too."""
    sums, values = _moments(counts, by_system, jackknife)
    over_documents = intervals_of(sums, jackknife)
    both: dict[str, tuple[Sequence[Interval], Sequence[Interval]]] = {}
    for number, (name, layers) in enumerate(by_system.items()):
        n_figures = len(over_documents[number])
        if len(layers) < LEAST_UNITS:
            both[name] = over_documents[number], []
            continue
        over = SampleVariance.of_mean(values[number])
        of_figures = Moments(*(x[number].reshape(n_figures, 3) for x in sums))
        split = SampleVariance(
            over.variance.reshape(n_figures, 3), np.full(n_figures, len(layers), np.int64)
        )
        n_runs = [len(layers)] * n_figures
        both[name] = (
            over_documents[number],
            second_intervals(
                over_documents[number], of_figures, split, jackknife.tail, "run", n_runs
            ),
        )
    return both


def _moments(
    counts: EvaluationCounts, by_system: Mapping[str, Sequence[str]], jackknife: Jackknife
) -> tuple[Moments, list[Floats]]:
    """Compute means over runs and their changes without a document, and the figures of each run."""
    clusters = clustered(counts.per_document, jackknife, counts.settings)
    rows = clusters.comparisons.of_wholes(clusters.parent_ids).by("second", "document")
    layers = [layer for of_system in by_system.values() for layer in of_system]
    place = np.full(len(counts.annotators), -1)
    place[[counts.annotators.index(layer) for layer in layers]] = np.arange(len(layers))
    system_of_run: Ints = np.repeat(
        np.arange(len(by_system)), [len(of_system) for of_system in by_system.values()]
    )
    run = place[rows.second]
    system = system_of_run[run]
    order = np.lexsort((run, rows.document, system))
    (unit_system, _), unit_number, _ = unique_rows(system[order], rows.document[order])
    columns = columns_of(rows)[order]
    sums = mean_moments(
        columns, counts.figures, run[order], system_of_run, unit_number, unit_system,
        len(by_system), _mean_figures,
    )  # fmt: skip
    total = np.zeros((len(layers), columns.shape[1]))
    np.add.at(total, run[order], columns)
    with np.errstate(all="ignore"):
        figures = counts.figures(total)
    first = np.cumsum([0, *(len(of_system) for of_system in by_system.values())])
    return sums, [figures[low:high] for low, high in itertools.pairwise(first.tolist())]


def _mean_figures(sums: Floats) -> Floats:
    """Compute means of figures from their sums and numbers; (…, 2 · figures) to (…, figures)."""
    figures, numbers = np.split(sums, 2, axis=-1)
    means: Floats = figures / numbers
    return means
