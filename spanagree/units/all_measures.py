"""A comparison of corrected F1, α of tokens, α_U and γ on the same documents."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.arrays import Progress, sub_progress
from spanagree.chance.model import ChanceModel, build_chance_model
from spanagree.choices import TIME_LIMIT, ChanceOrAuto, MatchName
from spanagree.comparisons.measures import find_measure, list_measures
from spanagree.comparisons.overlaps import choose_chance_of_corpus
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.placed import keep_placed, select_notes_on_unplaced
from spanagree.corpus.roles import choose_annotators, count_seen
from spanagree.errors import (
    InputError,
    OverlapError,
    SettingError,
    format_count_of_total,
    pluralize,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.labels.chance_corrected import alpha
from spanagree.labels.tokens import label_tokens
from spanagree.limits import CostError
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_dots
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED, Dot
from spanagree.settings import Settings, document_noun
from spanagree.units.alpha_u import alpha_u
from spanagree.units.gamma import gamma
from spanagree.units.gamma_result import GammaSettings
from spanagree.units.sampling import Sampling
from spanagree.units.time_limit import Deadline

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

_MEANINGS = {
    "α of tokens": "α", "α_U": "α_U", "γ": "γ", "γ_cat": "γ_cat",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasureComparisonSettings(Settings):
    """Settings of the comparison of measures.

    Attributes:
        measure: "all".
        chance: chance model of F1 and of γ, nonoverlapping, per-label or overlapping.
        precision: standard error of γ and of γ_cat at which sampling ends.
        stopped: "time" if the time limit ended γ or an F1; else ``None``.
        unplaced: treatment in F1 of quotes that are not in the text; ``None`` without any.
    """

    measure: str
    chance: str
    precision: float
    stopped: str | None = None
    unplaced: str | None = None


class MeasureScore(NamedTuple):
    """One measure on the compared documents.

    Attributes:
        kind: "agreement" or "disagreement", for observed and expected; empty if undefined.
        observed: observed agreement or disagreement.
        expected: expectation under chance.
        value: value corrected for chance.
        error: standard error of the value from sampling; 0 without sampling.
        reason: reason for an undefined value; empty if it is defined.
        bounds: lower and upper bound of a value that was not computed completely.
    """

    kind: str
    observed: float
    expected: float
    value: float
    error: float = 0.0
    reason: str = ""
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class MeasureComparison(Result):
    """Result of :func:`spanagree.units.compare_measures`.

    Attributes:
        measures: scores of each measure, by name.
        annotators: names of the annotators.
        documents: number of compared documents, which two annotators or more saw.
        of_documents: number of documents of the corpus.
        settings: settings of the computation.
        notes: notes on the data and the result, one sentence each.
        not_in_text: sentence on quotes that are not in the text; empty without any.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> found = sa.units.compare_measures(sa.Corpus.from_segments([9], layers))
    >>> list(found.measures)[:3]
    ['corrected F1, exact', 'corrected F1, token', 'corrected F1, iou']
    """

    measures: Mapping[str, MeasureScore]
    annotators: tuple[str, ...]
    documents: int
    of_documents: int
    settings: MeasureComparisonSettings
    notes: tuple[str, ...]
    not_in_text: str = field(default="", repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {}

    @property
    def verdict(self) -> str:
        """Sentence on the lowest and the highest corrected value, and on lost quotes."""
        return f"{self._extremes} {self.not_in_text}".rstrip()

    @property
    def _extremes(self) -> str:
        """Sentence on the lowest and the highest corrected value, or on too few defined values."""
        value_by_measure = {
            name: score.value
            for name, score in self.measures.items()
            if not math.isnan(score.value)
        }
        if len(value_by_measure) < 2:
            return "Fewer than two of the measures are defined."
        lowest = min(value_by_measure, key=value_by_measure.__getitem__)
        highest = max(value_by_measure, key=value_by_measure.__getitem__)
        low, high = (verdict.format_short(value_by_measure[name]) for name in (lowest, highest))
        return (
            f"Corrected for chance, the same annotations agree by {low} ({lowest}) to {high}"
            f" ({highest}): report which measure you chose, and why."
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"measures": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("annotators", "documents", "of_documents")

    def _build_table(self, by: str | None) -> Frame:
        columns = [
            Column("measure", "measure", "name", "measure of units"),
            Column("value", "value", "figure", "value of units"),
            Column("observed", "observed", "number", "observed and expected of measures"),
            Column("expected", "expected", "number", "observed and expected of measures"),
            Column("kind", "of", "name", "agreement or disagreement"),
            Column("error", "error", "number", "error"),
        ]
        rows: list[list[Value]] = [
            [
                name,
                score.value,
                score.observed,
                score.expected,
                score.kind,
                None if score.reason else score.error or None,
            ]
            for name, score in self.measures.items()
        ]
        noun = document_noun(self.settings)
        return Frame(
            columns,
            rows,
            self.settings,
            caption=f"measures of {pluralize(len(self.annotators), 'annotator')},"
            f" {format_count_of_total(self.documents, self.of_documents, noun)}",
            meanings={
                name: meaning for name, meaning in _MEANINGS.items() if name in self.measures
            },
            remarks=[
                *(
                    f"{name}: {score.reason}"
                    for name, score in self.measures.items()
                    if score.reason
                ),
                *select_notes_on_unplaced(self.notes),
            ],
        )

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the values as dots."""
        no_end = math.nan
        rows: list[tuple[str, list[Dot]]] = [
            (name, [(score.value, no_end, no_end)]) for name, score in self.measures.items()
        ]
        return plot_dots(rows, ["value"], "value", zero=True)


def compare_measures(
    corpus: CorpusLike,
    *,
    annotators: Sequence[str] | None = None,
    chance: ChanceOrAuto = "auto",
    precision: float = 0.01,
    time_limit: float | None = TIME_LIMIT,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> MeasureComparison:
    """Compute corrected F1, α of tokens, α_U and γ of the same annotators and documents.

    A measure that is not defined for the corpus is reported as undefined, with the reason. Quotes
    that are not in the text match nothing in F1. The other measures need positions, and leave them
    out.

    Args:
        corpus: annotations.
        chance: chance model of F1 and of γ: nonoverlapping, per-label or overlapping. With auto,
            the first of these that the segments of all annotators allow.
        precision: standard error of γ and of γ_cat below which sampling ends.
        time_limit: seconds for all measures, after which γ ends as in :func:`spanagree.gamma`. If
            F1 by overlap has not finished after half of this time, it is undefined.
        seed: random seed.
        annotators: names of the annotators to compare. Default: all.
        executor: ``concurrent.futures.Executor`` for the draws of γ.
        progress: callback that receives the number of compared pairs, later of draws, and the
            total if known.

    Raises:
        SettingError: if a choice is unknown, or no measure is defined for the corpus.

    >>> corpus = Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> round(compare_measures(corpus).measures["α_U"].value, 4)
    0.8792
    """
    all_layers = as_corpus(corpus)
    with_quotes, chosen_names = choose_annotators(all_layers, annotators)
    corpus = keep_placed(with_quotes, "α of tokens, α_U and γ")
    requested_model = build_chance_model(chance)  # an unknown name is an error for all measures
    model = choose_chance_of_corpus(all_layers, "exact", requested_model)
    Sampling("chance", model, precision, seed)
    Deadline.from_time_limit(time_limit)
    is_compared = np.asarray(count_seen(corpus) >= 2)
    placed_documents, quoted_documents = corpus.subset(is_compared), with_quotes.subset(is_compared)
    settings = MeasureComparisonSettings(
        measure="all",
        chance=model.name,
        precision=float(precision),
        unplaced=with_quotes.unplaced_count_as,
        seed=int(seed),
        chosen=chosen_names,
        offsets=corpus.offsets,
        reading=corpus.reading,
    )

    start_time = time.monotonic()
    clock = _Clock(time_limit, progress)

    def compute_gamma_scores() -> list[MeasureScore]:
        """Compute γ and γ_cat in the time that is left."""
        seconds_left = (
            None if time_limit is None else max(time_limit - (time.monotonic() - start_time), 0.0)
        )
        result = gamma(
            placed_documents, chance=model.name, precision=precision, time_limit=seconds_left,
            seed=seed, executor=executor, progress=sub_progress(progress, "γ"),
        )  # fmt: skip
        gamma_settings.append(result.settings)
        return [
            _build_disagreement_score(result.gamma),
            _build_disagreement_score(result.gamma_cat),
        ]

    gamma_settings: list[GammaSettings] = []  # empty if γ does not take the corpus
    measures: dict[str, MeasureScore] = {}
    refusals, n_computations = [], 0
    for names, compute in (
        *_yield_measures_without_alignments(
            quoted_documents, placed_documents, model, seed, clock, is_open=requested_model.is_open
        ),
        (["γ", "γ_cat"], compute_gamma_scores),
    ):
        try:
            figures = compute()
        except (SettingError, InputError) as error:
            refusals.append(f"{names[0]}: {error}")
            reason = _explain_undefined(error, names[0])
            figures = [MeasureScore("", UNDEFINED, UNDEFINED, UNDEFINED, reason=reason)] * len(
                names
            )
        n_computations += 1
        measures |= zip(names, figures, strict=True)
    if len(refusals) == n_computations:
        raise SettingError(f"no measure takes these annotations; {refusals[0]}")
    for settings_of_gamma in gamma_settings:
        stopped = settings_of_gamma.stopped or ("time" if clock.over else None)
        settings = replace(settings, stopped=stopped)
    n_lost = sum(map(len, quoted_documents.unplaced.values()))
    quotes_sentence = verdict.write_quotes_not_in_text(
        settings, corpus.annotators, n_lost, "match nothing in F1"
    )
    sizes = (len(placed_documents), len(corpus))
    return MeasureComparison(
        measures, corpus.annotators, *sizes, settings, corpus.notes, quotes_sentence
    )


_WITH_OVERLAPS = ("corrected F1, exact", "γ")  # defined where segments overlap


def _explain_undefined(error: Exception, measure: str) -> str:
    """Explain an undefined measure, without advice on options that the comparison lacks."""
    if not isinstance(error, OverlapError):
        return str(error)
    return (
        f"{error.problem}; chance overlapping does" if measure in _WITH_OVERLAPS else error.problem
    )


class _Clock:
    """Progress of each measure, and a limit of half the time; γ has the other half.

    Attributes:
        over: True if this limit has ended a measure.
    """

    def __init__(self, time_limit: float | None, progress: Progress) -> None:
        self._limit, self._progress = time_limit, progress
        self._begun = time.monotonic()
        self.over: bool = False

    def build_progress(self, name: str) -> Progress:
        """Return the progress callback of a measure."""
        return sub_progress(self._progress, name)

    def build_limited_progress(self, name: str) -> Progress:
        """Build a progress callback that raises when half of the time is over."""
        report_progress, time_limit = self.build_progress(name), self._limit

        def report(n_done: int, n_pairs: int) -> None:
            """Report the progress, and raise if half of the time is over."""
            if report_progress is not None:
                report_progress(n_done, n_pairs)
            if (
                time_limit is None
                or n_done >= n_pairs
                or time.monotonic() - self._begun < time_limit / 2
            ):
                return
            self.over = True
            raise SettingError(
                f"{n_done} of {pluralize(n_pairs, 'pair')} of annotations were compared when half"
                f" of time_limit {time_limit:g} was over; allow more seconds"
            )

        return report


_Computation = Callable[[], list[MeasureScore]]


def _yield_measures_without_alignments(
    quoted_documents: Corpus,
    placed_documents: Corpus,
    chance: ChanceModel,
    seed: int,
    clock: _Clock,
    *,
    is_open: bool,
) -> Iterator[tuple[list[str], _Computation]]:
    """Yield the names and the computation of each measure without an alignment of units.

    Args:
        quoted_documents: compared documents, with quotes that are not in the text; for F1.
        placed_documents: compared documents without these quotes; for the other measures.
        chance: chance model of F1.
        seed: random seed.
        clock: progress and time limit.
        is_open: True if no chance model was requested. Then an F1 that no model supports is
            reported without correction.
    """

    def build_f1_computation(match: MatchName) -> _Computation:
        """Build the function that computes F1 by one measure of a match."""
        is_assigned = find_measure(match).one_to_one

        def compute() -> list[MeasureScore]:
            """Compute F1, without correction if no model supports the measure."""
            match_progress = (
                clock.build_limited_progress if is_assigned else clock.build_progress
            )(f"F1, {match}")
            settings: dict[str, Any] = {"match": match, "seed": seed, "progress": match_progress}
            chance_option: dict[str, Any] = {"chance": chance}
            try:
                agreement = agree(quoted_documents, **chance_option, **settings)
            except (OverlapError, CostError) as error:
                raw = agree(quoted_documents, **settings) if is_open else None
                if raw is None or not (reason := raw.settings.chance_undefined):
                    raise error from None
                observed = raw.team.f1.observed
                return [MeasureScore("agreement", observed, UNDEFINED, UNDEFINED, reason=reason)]
            score, sampling_error = agreement.team.f1, agreement.error_of_chance
            # the error of chance F1 is multiplied by the derivative of the corrected F1
            derivative = (1 - score.observed) / (1 - score.expected) ** 2 if sampling_error else 0.0
            error_of_value = derivative * (sampling_error or 0.0)
            return [MeasureScore("agreement", *score[:3], error_of_value, reason=score.reason)]

        return compute

    def compute_alpha_of_tokens() -> list[MeasureScore]:
        """Compute α of the labels of tokens."""
        clock.build_progress("α of tokens")
        token_alpha = alpha(label_tokens(placed_documents, skip_outside=False, runs=True))
        figures = (token_alpha.observed, token_alpha.expected, token_alpha.value)
        return [MeasureScore("agreement", *figures, reason=token_alpha.reason)]

    def compute_alpha_u() -> list[MeasureScore]:
        """Compute α_U over all categories."""
        return [
            _build_disagreement_score(
                alpha_u(placed_documents, progress=clock.build_progress("α_U")).all
            )
        ]

    for match in list_measures(lambda measure: measure.of_label):
        yield [f"corrected F1, {match}"], build_f1_computation(match)
    yield ["α of tokens"], compute_alpha_of_tokens
    yield ["α_U"], compute_alpha_u


def _build_disagreement_score(figure: Any) -> MeasureScore:
    """Build the score of a coefficient of disagreement, such as α_U or γ."""
    scores = (figure.observed, figure.expected, figure.value, figure.error)
    return MeasureScore("disagreement", *scores, figure.reason, getattr(figure, "bounds", None))
