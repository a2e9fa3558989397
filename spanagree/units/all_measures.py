"""The measures that reviewers ask for by name, side by side on the same documents."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.arrays import Progress, step_of
from spanagree.chance.model import ChanceModel, chance_model
from spanagree.choices import TIME_LIMIT, ChanceOrAuto, MatchName
from spanagree.comparisons.measures import find_match, measures
from spanagree.comparisons.overlaps import chance_of_corpus
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.placed import placed_only, remarks_on_unplaced
from spanagree.corpus.roles import choose_annotators, times_seen
from spanagree.errors import (
    InputError,
    OverlapError,
    SettingError,
    counted,
    counted_of,
)
from spanagree.formats.guessed import CorpusLike, corpus_of
from spanagree.labels.chance_corrected import alpha
from spanagree.labels.tokens import label_tokens
from spanagree.limits import CostError
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Dot, Picture, dots_of
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED
from spanagree.settings import Settings, unit
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
class SideBySideSettings(Settings):
    """The settings of measures side by side.

    Attributes:
        measure: all.
        chance: the chance model of F1 and of γ, nonoverlapping, per-label or overlapping.
        precision: the standard error of γ and of γ_cat at which sampling ends.
        stopped: time, if that ended γ or an F1.
        unplaced: what became in F1 of quotes that are not in the text, if there are any.
    """

    measure: str
    chance: str
    precision: float
    stopped: str | None = None
    unplaced: str | None = None


class Figure(NamedTuple):
    """One measure: what was observed, what chance alone gives, and the value made of both.

    ``kind`` says whether observed and expected are agreement or disagreement.
    """

    kind: str
    observed: float
    expected: float
    value: float
    error: float = 0.0
    reason: str = ""
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class SideBySide(Result):
    """The result of :func:`spanagree.units.side_by_side`.

    Attributes:
        measures: the figures of each measure, by name.
        annotators: their names.
        documents: how many documents two annotators or more saw; all figures are made of these.
        of_documents: how many the corpus has.
        settings: what made the numbers.
        notes: what is out of the ordinary.
        not_in_text: sentence on quotes that are not in the text; empty without any.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> found = sa.units.side_by_side(sa.Corpus.from_segments([9], layers))
    >>> list(found.measures)[:3]
    ['corrected F1, exact', 'corrected F1, token', 'corrected F1, iou']
    """

    measures: Mapping[str, Figure]
    annotators: tuple[str, ...]
    documents: int
    of_documents: int
    settings: SideBySideSettings
    notes: tuple[str, ...]
    not_in_text: str = field(default="", repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {}

    @property
    def verdict(self) -> str:
        """From where to where agreement goes, corrected for chance, and which quotes are lost."""
        return f"{self._extremes} {self.not_in_text}".rstrip()

    @property
    def _extremes(self) -> str:
        above = {name: x.value for name, x in self.measures.items() if not math.isnan(x.value)}
        if len(above) < 2:
            return "Fewer than two of the measures are defined."
        low, high = (pick(above, key=above.__getitem__) for pick in (min, max))
        return (
            f"Corrected for chance, the same annotations agree by {verdict.short(above[low])}"
            f" ({low}) to {verdict.short(above[high])} ({high}): report which measure you chose,"
            " and why."
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"measures": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("annotators", "documents", "of_documents")

    def _table(self, by: str | None) -> Frame:
        columns = [
            Column("measure", "measure", "name", "measure of units"),
            Column("value", "value", "figure", "value of units"),
            Column("observed", "observed", "number", "observed and expected of measures"),
            Column("expected", "expected", "number", "observed and expected of measures"),
            Column("kind", "of", "name", "agreement or disagreement"),
            Column("error", "error", "number", "error"),
        ]
        rows: list[list[Value]] = [
            [name, x.value, x.observed, x.expected, x.kind, None if x.reason else x.error or None]
            for name, x in self.measures.items()
        ]
        noun = unit(self.settings)
        return Frame(
            columns,
            rows,
            self.settings,
            caption=f"measures of {counted(len(self.annotators), 'annotator')},"
            f" {counted_of(self.documents, self.of_documents, noun)}",
            meanings={
                name: meaning for name, meaning in _MEANINGS.items() if name in self.measures
            },
            remarks=[
                *(f"{name}: {x.reason}" for name, x in self.measures.items() if x.reason),
                *remarks_on_unplaced(self.notes),
            ],
        )

    def _picture(self, by: str | None) -> Picture:
        """Return the values as dots."""
        nothing = math.nan
        rows: list[tuple[str, list[Dot]]] = [
            (name, [(x.value, nothing, nothing)]) for name, x in self.measures.items()
        ]
        return dots_of(rows, ["value"], "value", zero=True)


def side_by_side(
    corpus: CorpusLike,
    *,
    annotators: Sequence[str] | None = None,
    chance: ChanceOrAuto = "auto",
    precision: float = 0.01,
    time_limit: float | None = TIME_LIMIT,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SideBySide:
    """Return corrected F1, α of tokens, α_U and γ of the same annotators on the same documents.

    A measure that does not take the corpus is undefined, with the reason. Quotes that are not in
    the text match nothing in F1, and are left out of the other measures, which have no place for
    them.

    Args:
        corpus: the annotations.
        chance: the chance model of F1 and of γ, nonoverlapping, per-label or overlapping; of auto
            the first of these that the segments of all layers allow.
        precision: the standard error of γ and of γ_cat below which sampling ends.
        time_limit: seconds for all of them, after which γ ends as in :func:`spanagree.gamma`. F1 by
            overlap, whose chance is of draws if it is much work, is undefined if half of them are
            over before it is done.
        seed: for what is drawn.
        annotators: compare only these.
        executor: whose workers make the draws of γ.
        progress: called with the number of pairs compared, then of draws made, and of all as far as
            known.

    Raises:
        SettingError: for an unknown choice; if no measure takes the corpus.

    >>> corpus = Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> round(side_by_side(corpus).measures["α_U"].value, 4)
    0.8792
    """
    all_layers = corpus_of(corpus)
    with_quotes, chosen = choose_annotators(all_layers, annotators)
    corpus = placed_only(with_quotes, "α of tokens, α_U and γ")
    named = chance_model(chance)  # an unknown one is no reason why a measure is undefined
    model = chance_of_corpus(all_layers, "exact", named)
    Sampling("chance", model, precision, seed)
    Deadline.after(time_limit)
    shared = np.asarray(times_seen(corpus) >= 2)
    compared, quoted = corpus.subset(shared), with_quotes.subset(shared)
    settings = SideBySideSettings(
        measure="all",
        chance=model.name,
        precision=float(precision),
        unplaced=with_quotes.unplaced_count_as,
        seed=int(seed),
        chosen=chosen,
        offsets=corpus.offsets,
        reading=corpus.reading,
    )

    begun = time.monotonic()
    clock = _Clock(time_limit, progress)

    def sampled() -> list[Figure]:
        left = None if time_limit is None else max(time_limit - (time.monotonic() - begun), 0.0)
        result = gamma(
            compared, chance=model.name, precision=precision, time_limit=left,
            seed=seed, executor=executor, progress=step_of(progress, "γ"),
        )  # fmt: skip
        of_gamma.append(result.settings)
        return [_disagreement(result.gamma), _disagreement(result.gamma_cat)]

    of_gamma: list[GammaSettings] = []  # empty if γ does not take the corpus
    measures: dict[str, Figure] = {}
    refused, n_makers = [], 0
    for names, make in (
        *_without_alignments(quoted, compared, model, seed, clock, is_open=named.is_open),
        (["γ", "γ_cat"], sampled),
    ):
        try:
            figures = make()
        except (SettingError, InputError) as error:
            refused.append(f"{names[0]}: {error}")
            reason = _reason(error, names[0])
            figures = [Figure("", UNDEFINED, UNDEFINED, UNDEFINED, reason=reason)] * len(names)
        n_makers += 1
        measures |= zip(names, figures, strict=True)
    if len(refused) == n_makers:
        raise SettingError(f"no measure takes these annotations; {refused[0]}")
    for of_run in of_gamma:
        stopped = of_run.stopped or ("time" if clock.over else None)
        settings = replace(settings, stopped=stopped)
    n_lost = sum(map(len, quoted.unplaced.values()))
    lost = verdict.not_in_text(settings, corpus.annotators, n_lost, "match nothing in F1")
    sizes = (len(compared), len(corpus))
    return SideBySide(measures, corpus.annotators, *sizes, settings, corpus.notes, lost)


_WITH_OVERLAPS = ("corrected F1, exact", "γ")  # defined where segments overlap


def _reason(error: Exception, measure: str) -> str:
    """Return the reason why a measure is undefined, which has no options that it does not take."""
    if not isinstance(error, OverlapError):
        return str(error)
    return (
        f"{error.problem}; chance overlapping does" if measure in _WITH_OVERLAPS else error.problem
    )


class _Clock:
    """What is shown of each measure, and half of the time, of which the rest is for γ.

    Attributes:
        over: whether this half has ended one.
    """

    def __init__(self, limit: float | None, progress: Progress) -> None:
        self._limit, self._progress = limit, progress
        self._begun = time.monotonic()
        self.over: bool = False

    def of(self, name: str) -> Progress:
        """Return the progress of a measure."""
        return step_of(self._progress, name)

    def ending(self, name: str) -> Progress:
        """Return the same, which ends the measure when the time is over."""
        show_progress, limit = self.of(name), self._limit

        def report(done: int, total: int) -> None:
            if show_progress is not None:
                show_progress(done, total)
            if limit is None or done >= total or time.monotonic() - self._begun < limit / 2:
                return
            self.over = True
            raise SettingError(
                f"{done} of {counted(total, 'pair')} of annotations were compared when half of"
                f" time_limit {limit:g} was over; allow more seconds"
            )

        return report


_Make = Callable[[], list[Figure]]


def _without_alignments(
    quoted: Corpus,
    compared: Corpus,
    chance: ChanceModel,
    seed: int,
    clock: _Clock,
    *,
    is_open: bool,
) -> Iterator[tuple[list[str], _Make]]:
    """Yield what needs no alignment of units: the names of measures, and what makes them.

    F1 counts quotes that are not in the text (``quoted``); other measures have no place for them.
    Where no chance model was named (``is_open``) and a measure goes with none, its raw F1 stands.
    Where chance F1 is of draws, the value errs by its slope in that chance.
    """

    def f1(match: MatchName) -> _Make:
        limited = find_match(match).one_to_one

        def make() -> list[Figure]:
            shown = (clock.ending if limited else clock.of)(f"F1, {match}")
            settings: dict[str, Any] = {"match": match, "seed": seed, "progress": shown}
            under: dict[str, Any] = {"chance": chance}
            try:
                agreement = agree(quoted, **under, **settings)
            except (OverlapError, CostError) as error:
                raw = agree(quoted, **settings) if is_open else None
                if raw is None or not (reason := raw.settings.chance_undefined):
                    raise error from None
                observed = raw.team.f1.observed
                return [Figure("agreement", observed, UNDEFINED, UNDEFINED, reason=reason)]
            score, drawn = agreement.team.f1, agreement.error_of_chance
            slope = (1 - score.observed) / (1 - score.expected) ** 2 if drawn else 0.0
            error_of_value = slope * (drawn or 0.0)
            return [Figure("agreement", *score[:3], error_of_value, reason=score.reason)]

        return make

    def tokens() -> list[Figure]:
        clock.of("α of tokens")
        of_tokens = alpha(label_tokens(compared, skip_outside=False, runs=True))
        figures = (of_tokens.observed, of_tokens.expected, of_tokens.value)
        return [Figure("agreement", *figures, reason=of_tokens.reason)]

    def units() -> list[Figure]:
        return [_disagreement(alpha_u(compared, progress=clock.of("α_U")).all)]

    for match in measures(lambda measure: measure.of_label):
        yield [f"corrected F1, {match}"], f1(match)
    yield ["α of tokens"], tokens
    yield ["α_U"], units


def _disagreement(figure: Any) -> Figure:
    numbers = (figure.observed, figure.expected, figure.value, figure.error)
    return Figure("disagreement", *numbers, figure.reason, getattr(figure, "bounds", None))
