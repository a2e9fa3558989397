"""Is one system better than another? All pairs, raw and corrected, on the same documents.

The bootstrap asks how the difference would vary over other documents like these; the permutation
test asks whether the two systems could be exchanged for each other document by document. Both work
on tallies: of a document matched, expected and size move together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Progress
from spanagree.choices import Test
from spanagree.errors import SettingError, check_choice, counted, printable
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value, decimal
from spanagree.results.names import short_names
from spanagree.results.plots import Picture, dots_of, heat_map
from spanagree.results.result import Comparable, Keyed, Result
from spanagree.results.score import RARE, UNDEFINED, Score, f1_figures, with_reason
from spanagree.results.verdict import LEVEL, Better
from spanagree.settings import confidence_of, unit
from spanagree.systems.count import EvaluationSettings, PerDocument
from spanagree.systems.result import Evaluation, check_evaluation
from spanagree.uncertainty.bootstrap import (
    USUAL,
    Bootstrap,
    Resampling,
    Sample,
    bootstrap,
    resampling_of,
)
from spanagree.uncertainty.evidence import united
from spanagree.uncertainty.permutation import TIE, exchange, few_ends, holm, powerless
from spanagree.uncertainty.together import part_of

TESTS = {
    "bootstrap": "would the difference be there on other documents like these?",
    "permutation": "could the two systems be exchanged for each other?",
}
"""The tests of a difference, by name."""

_FEW_DIFFER = "interval: joined with Clopper–Pearson's, as the systems differ in only {}"
_TORN = (
    "interval and p disagree, and the systems differ in {}; take it that no difference was"
    " found, as one that hangs on how it is tested is none"
)
_ALIKE = "p: of exchanges, as resamples of documents that are alike do not vary"
_ENOUGH = 30  # documents; with fewer the bootstrap's p is too small
_PAIRS = 10  # of more a heat map is drawn
_NAMED = 3  # pairs in a sentence


class Difference(NamedTuple):
    """The difference of two systems in one figure, the first less the second.

    ``low`` and ``high`` are its interval, ``p`` is two-sided and never 0, ``p_holm`` is ``p``
    after Holm's correction for all pairs of systems; ``reason`` says why some are undefined.
    """

    value: float
    low: float
    high: float
    p: float
    p_holm: float
    reason: str = ""

    def turned(self) -> Difference:
        """Return the difference of the second system and the first."""
        return self._replace(value=-self.value, low=-self.high, high=-self.low)


@dataclass(frozen=True, eq=False)
class SystemPair(Comparable):
    """Two systems on the documents that both and gold saw.

    ``differing`` is the number of documents in which their tallies differ; ``exact`` says that all
    exchanges were gone through, rather than drawn; ``left_out`` is the number of documents that
    gold and one of the two saw.
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
    """The settings of a test of systems against each other."""

    test: str


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result, Keyed):
    """The result of :func:`compare_systems`: all pairs, in the order of the evaluation.

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

    @property
    def verdict(self) -> str:
        """Which system has the highest corrected F1, and which pairs the test tells apart."""
        ranked = verdict.ranked_by_chance(self.scores)
        if len(ranked) < 2:
            return "Fewer than two systems have a defined corrected F1."
        firsts = verdict.first_by_chance(self.scores)
        n_pairs, leads = len(self.pairs), []
        for other in ranked:
            if other == firsts[0]:
                continue
            pair = self[firsts[0], other]
            value, low, high, *_ = pair.corrected
            p = max(self[first, other].corrected.p_holm for first in firsts if first != other)
            apart = p < LEVEL
            if n_pairs > 1 or apart == (low <= 0 <= high):  # of this pair alone, or torn
                low = high = UNDEFINED
            where = f"on {unit(self.settings)}s that both saw" if pair.left_out else ""
            leads.append(verdict.Lead(other, value, low, high, p, apart, where))
        confidence = confidence_of(self.settings) or 95
        better = self._better(ranked) if n_pairs > 1 else ()
        return verdict.comparison(self.scores, leads, confidence, better, n_pairs, self.unmarked)

    def _better(self, ranked: Sequence[str]) -> list[Better]:
        """Return the pairs that can be told apart by corrected F1, in the order of the systems."""
        place = {name: i for i, name in enumerate(ranked)}
        better = []
        for pair in self.pairs:
            value, p = pair.corrected.value, pair.corrected.p_holm
            if p < LEVEL:
                names = (pair.a, pair.b) if value > 0 else (pair.b, pair.a)
                better.append(Better(*names, p))
        return sorted(better, key=lambda pair: (place[pair.first], place[pair.second]))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        drawn = [pair.observed.p for pair in self.pairs if not pair.exact]
        shaky = powerless(drawn, self.settings["resamples"], "pair")
        least = min(pair.documents for pair in self.pairs)
        if self.settings.test != "bootstrap" or least >= _ENOUGH:
            return shaky
        return (
            *shaky,
            f"only {counted(least, 'document')}: with fewer than {_ENOUGH} the bootstrap finds"
            " differences too often; the permutation test does not",
        )

    @property
    def _keys(self) -> Sequence[Any]:
        return [(pair.a, pair.b) for pair in self.pairs]

    def __getitem__(self, names: tuple[str, str]) -> SystemPair:
        """The pair of these two systems, in the order asked for: differences change their sign.

        Raises:
            KeyError: for a pair that is not there.
        """
        for pair in self.pairs:
            if (pair.a, pair.b) == names:
                return pair
            if (pair.b, pair.a) == names:
                turned = {kind: getattr(pair, kind).turned() for kind in KINDS}
                return replace(pair, a=pair.b, b=pair.a, **turned)
        raise KeyError(names)

    @property
    def reordered(self) -> list[tuple[SystemPair, bool]]:
        """The pairs whose order chance changes, each with whether that is more than noise.

        It is if the two can be told apart (Holm's p below 0.05) both before and after.
        """
        reordered = []
        for pair in self.pairs:
            both = [getattr(pair, kind) for kind in KINDS]
            before, after = (_sign(difference.value) for difference in both)
            if before * after < 0:
                reordered.append((pair, all(difference.p_holm < LEVEL for difference in both)))
        return reordered

    def _findings(self) -> Iterator[str]:
        """Yield how many pairs cannot be told apart, and whose order chance changes."""
        close = [pair for pair in self.pairs if not pair.corrected.p_holm < LEVEL]
        if close:
            pairs = counted(len(self.pairs), "pair")
            yield (
                f"{len(close)} of {pairs} cannot be told apart by corrected F1 (Holm's p above"
                f" {LEVEL}): {_named(close)}"
            )
        torn = [
            pair
            for pair in self.pairs
            if any(d.p < LEVEL <= d.p_holm for d in (getattr(pair, kind) for kind in KINDS))
        ]
        if torn:
            yield (
                f"p is below {LEVEL} only before Holm's correction, and an interval may leave 0"
                f" out: {_named(torn)}; it is no finding unless that pair was in mind beforehand"
            )
        for certain in (True, False):
            moved = [pair for pair, sure in self.reordered if sure is certain]
            end = "" if certain else ", but they cannot be told apart, so that is not a finding"
            if moved:
                yield f"chance changes the order of {_named(moved)}{end}"

    TABLES: ClassVar[Mapping[str, str | None]] = {"pairs": None}

    def _table(self, by: str | None) -> Frame:
        """A row for each pair of systems."""
        differences = [
            column
            for kind, title in zip(KINDS, ("F1 a − b", "corrected a − b"), strict=True)
            for column in (
                Column(kind, kind="json"),
                Column(f"{kind}_value", title),
                Column(f"{kind}_low"),
                Column(f"{kind}_high"),
                Column("", "interval", "interval", "interval of a difference"),
                Column(f"{kind}_p", "p", "probability", "p of a difference"),
                Column(f"{kind}_p_holm", "Holm", "probability"),
            )
        ]
        documents = f"{unit(self.settings)}s" if any(pair.left_out for pair in self.pairs) else ""
        columns = [
            Column("a", "a", "name", "two systems"),
            Column("b", "b", "name", "two systems"),
            Column("documents", documents, "count"),
            Column("differing", "", "count"),
            Column("exact", "", "mark"),
            Column("left_out", "", "count"),
        ]
        rows: list[list[Value]] = []
        exact = "p of pairs that differ in few documents is exact: all exchanges counted"
        remarks = dict.fromkeys([exact] if any(pair.exact for pair in self.pairs) else [])
        for pair in self.pairs:
            rows.append([getattr(pair, column.key) for column in columns])
            for difference in (pair.observed, pair.corrected):
                value, low, high, p, p_holm, reason = difference
                rows[-1] += [with_reason(difference), value, low, high, (low, high), p, p_holm]
                if reason:
                    remarks[f"{printable(pair.a)}, {printable(pair.b)}: {reason}"] = None
        return Frame(
            [*columns, *differences],
            rows,
            self.settings,
            caption=f"differences of systems ({self.settings.test}); p is two-sided, Holm's for all"
            " pairs",
            remarks=[*self._findings(), *remarks, *self.caveats],
        )

    def _picture(self, by: str | None) -> Picture:
        """Return the differences with their intervals; of many systems as a heat map."""
        names = list(dict.fromkeys(name for pair in self.pairs for name in (pair.a, pair.b)))
        if len(self.pairs) > _PAIRS:
            return self._map(names)
        short = dict(zip(names, short_names(names), strict=True))
        rows = [
            (
                f"{short[pair.a]} − {short[pair.b]}",
                [(d.value, d.low, d.high) for d in (pair.observed, pair.corrected)],
            )
            for pair in self.pairs
        ]
        kinds, what = ("F1", "corrected F1"), "difference of F1, with intervals"
        return dots_of(rows, kinds, what, zero=True)

    def _map(self, names: Sequence[str]) -> Picture:
        place = {name: i for i, name in enumerate(names)}
        values, certain = np.full((2, len(names), len(names)), np.nan)
        for pair in self.pairs:
            i, j = place[pair.a], place[pair.b]
            values[i, j], values[j, i] = pair.corrected.value, pair.corrected.turned().value
            certain[i, j] = certain[j, i] = pair.corrected.p_holm < LEVEL
        most = max(float(np.nanmax(np.abs(values), initial=0)), 0.01)
        what = "corrected F1 of the row − of the column (* p < 0.05)"
        return heat_map(names, names, values, what, (-most, most), certain == 1)


def _named(pairs: Sequence[SystemPair]) -> str:
    """Return the names of the first of some pairs, and how many more there are."""
    named = [f"{printable(pair.a)} and {printable(pair.b)}" for pair in pairs]
    return ", ".join(verdict.first_of(named, _NAMED, "more pair"))


KINDS = ("observed", "corrected")


def compare_systems(
    evaluation: Evaluation,
    *,
    test: Test = "bootstrap",
    bootstrap: Bootstrap = USUAL,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Return differences in F1 of all pairs of systems, raw and corrected, with intervals and p.

    ``bootstrap`` draws documents with replacement, the same ones for both systems; p is how often
    the difference is off its own value by as much as that is off 0 (centred under the null).
    ``permutation`` exchanges the two systems' whole tallies document by document, all ways if there
    are no more than ``resamples``. p is (1 + hits) / (1 + draws), or hits / ways.

    Where systems differ in fewer than 10 documents, p counts all ways for either test, and the
    interval is joined with an exact one of which system these favour. Where the documents are all
    alike, resamples do not vary, and p is that of the permutation test.

    Args:
        evaluation: of two systems or more.
        test: bootstrap or permutation.
        bootstrap: how intervals are made, which come from resamples in either test; how many ways
            are drawn or exchanged, and of what.
        progress: called with the number of draws made, and of all.

    Raises:
        SettingError: for an unknown name, a number out of range, or fewer than two systems.

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
    resampling = resampling_of(bootstrap)
    check_choice(test, TESTS, "test")
    if test == "permutation" and resampling.by_text(evaluation.settings):
        raise SettingError(
            f"resample_by {resampling.resample_by}: a permutation test exchanges what chance"
            " expects too, which belongs to whole documents; test by bootstrap, or resample by unit"
            " or document"
        )
    pairs = list(itertools.combinations(evaluation.systems, 2))
    if not pairs:
        raise SettingError("one system; a difference needs two")
    per_document = evaluation.counted.per_document.drawn(resampling, evaluation.settings)
    groups: dict[bytes, list[tuple[str, str]]] = {}
    for a, b in pairs:
        both = per_document.shared_by(a, b)
        groups.setdefault(both.tobytes(), []).append((a, b))
    parts = len(groups) + len(pairs) * (test == "permutation")
    reports = (part_of(progress, number, 1, parts) for number in itertools.count())
    compared = (
        pair
        for group in groups.values()
        for pair in _compared(per_document, group, test, resampling, reports)
    )
    by_names = {(pair.a, pair.b): pair for pair in compared}
    ordered = [by_names[names] for names in pairs]
    for kind in KINDS:
        adjusted = holm([getattr(pair, kind).p for pair in ordered])
        ordered = [
            replace(pair, **{kind: getattr(pair, kind)._replace(p_holm=p)})
            for pair, p in zip(ordered, adjusted, strict=True)
        ]
    # p is drawn, whatever the interval
    drawn = {"resamples": int(resampling.resamples), "seed": int(resampling.seed)}
    chosen = {**resampling.settings(), **drawn, "test": test}
    settings = evaluation.settings.extended(ComparisonSettings, **chosen)
    scores, unmarked = evaluation.scores, evaluation.unmarked
    return Comparison(tuple(ordered), settings, scores=scores, unmarked=unmarked)


def _compared(
    per_document: PerDocument,
    pairs: Sequence[tuple[str, str]],
    test: str,
    resampling: Resampling,
    reports: Iterator[Progress],
) -> Iterator[SystemPair]:
    """Yield pairs that share the same documents, which are resampled together.

    ``reports`` are the progress of one part of the draws after another.
    """
    seen, rows = per_document.shared_by(*pairs[0]), per_document.comparisons
    rows = rows.where(seen[rows.document]).of_wholes(per_document.wholes)
    units = per_document.units(seen)
    names = sorted(set(itertools.chain(*pairs)))  # canonical order
    tables = [
        rows.where(rows.second == per_document.number(name)).symmetric_table(units)
        for name in names
    ]
    table = np.stack(tables, axis=1)
    place = np.array([[names.index(name) for name in pair] for pair in pairs])

    def differences(sums: Floats) -> Floats:
        """Observed and corrected difference of each pair; (…, 2·pairs)."""
        f1 = f1_figures(sums.reshape(len(sums), len(names), table.shape[2]))[..., [0, 2]]
        return (f1[:, place[:, 0]] - f1[:, place[:, 1]]).reshape(len(sums), 2 * len(pairs))

    ids = per_document.numbers
    wide = table.reshape(len(table), len(names) * table.shape[2])
    sample = Sample(wide, None if ids is None else ids[units])
    drawn = bootstrap(sample, differences, resampling, progress=next(reports))
    for number, ((a, b), sides) in enumerate(zip(pairs, place, strict=True)):
        both = table[:, sides]
        differing = both[(both[:, 0] != both[:, 1]).any(axis=1)]
        rare = len(differing) < RARE
        figures = [2 * number, 2 * number + 1]
        values = drawn.estimate[figures]
        p = [UNDEFINED, UNDEFINED]
        if len(table) > 1:
            p = [_centred(drawn.replicates[:, k], drawn.estimate[k]) for k in figures]
        alike = any(map(math.isnan, p))
        exact = False
        if test == "permutation" or rare or alike:
            exact = rare or len(differing) <= math.log2(resampling.resamples)
            turned = slice(None, None, 1 if sides[0] < sides[1] else -1)  # canonical order
            report = next(reports) if test == "permutation" else None
            p = exchange(both[:, turned], differing[:, turned], values, exact, resampling, report)
        of_few = np.full((2, 2), np.nan)
        if rare:
            of_few = few_ends(both, differing, resampling.tail)
        limits = _limits(both.sum(axis=0))
        exchanged = alike and not rare and test == "bootstrap"
        observed, corrected = (
            _difference(
                float(values[i]), p[i], drawn.interval(k, resampling), of_few[i], limits[i],
                len(differing), resampling, exchanged,
            )
            for i, k in enumerate(figures)
        )  # fmt: skip
        yield SystemPair(
            a,
            b,
            documents=len(table),
            differing=len(differing),
            observed=observed,
            corrected=corrected,
            exact=exact,
            left_out=int((per_document.shared_by(a) ^ per_document.shared_by(b)).sum()),
        )


def _limits(totals: Floats) -> Floats:
    """Return the least and greatest difference of two systems in F1 and corrected F1; (2, 2).

    ``totals`` are the sums of either system.
    """
    expected = f1_figures(totals)[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        lowest = -expected / (1 - expected)  # of corrected F1, where nothing matches
    return np.array([[-1, 1], [lowest[0] - 1, 1 - lowest[1]]])


def _difference(
    value: float,
    p: float,
    interval: tuple[float, float, str],
    of_few: Floats,
    limits: Floats,
    differing: int,
    resampling: Resampling,
    exchanged: bool,
) -> Difference:
    """Return a difference with its interval and p, and what is out of the ordinary.

    Args:
        value: the difference.
        p: of it.
        interval: its low and high end from resamples, and a note on them.
        of_few: the ends where systems differ in few documents, else ``nan``.
        limits: the least and the greatest that a difference can be.
        differing: in how many documents they differ.
        resampling: how.
        exchanged: whether p is of exchanges, though a bootstrap was asked for.
    """
    *ends, note = interval
    low, high = united(np.array(ends), of_few).clip(*limits).tolist()
    reasons = [f"interval: {note}"] if note else []
    undefined = math.isnan(p)
    if exchanged and not undefined:
        reasons.append(_ALIKE)
    rare = differing < RARE
    torn = not undefined and (p <= 2 * resampling.tail) == (low <= 0 <= high)
    if not math.isnan(low) and (rare or torn):
        reasons.append((_FEW_DIFFER if rare else _TORN).format(counted(differing, "document")))
    return Difference(value, low, high, p, UNDEFINED, "; ".join(reasons))


def _sign(difference: float) -> int:
    """Return the sign of a difference as it is printed; 0 if it prints as 0 or is undefined."""
    shown = 0.0 if math.isnan(difference) else float(decimal(difference))
    return (shown > 0) - (shown < 0)


def _centred(drawn: Floats, value: float) -> float:
    """p of a difference: how often a resample is off it by as much as it is off 0."""
    defined = drawn[~np.isnan(drawn)]
    # documents that are all alike cannot tell
    if math.isnan(value) or not len(defined) or (abs(value) > TIE and np.ptp(defined) <= TIE):
        return UNDEFINED
    hits = int((np.abs(defined - value) >= abs(value) - TIE).sum())
    return (1 + hits) / (1 + len(defined))
