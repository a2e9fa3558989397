"""Is one system better than another? All pairs, raw and corrected, on the same documents.

The jackknife asks how the difference would vary over other documents like these, and gives an
interval; so does the paired bootstrap, with p alone. The permutation test asks whether the two
systems could be exchanged for each other document by document. All work on tallies: of a document
matched, expected and size move together.
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
from spanagree.errors import SettingError, check_choice, check_whole, escape_name, pluralize
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.names import short_names
from spanagree.results.numbers import RANK_DIGITS, decimal
from spanagree.results.plots import Plot, dots_of, heat_map
from spanagree.results.result import MappingResult, NanEqualMixin, Result
from spanagree.results.score import UNDEFINED, Score, f1_figures, with_reason
from spanagree.results.verdict import LEVEL, SignificantPair
from spanagree.settings import EXACT, JACKKNIFE, confidence_of, document_noun
from spanagree.systems.clusters import clustered
from spanagree.systems.count import EvaluationSettings, SystemsByDocument
from spanagree.systems.lost_quotes import not_in_text
from spanagree.systems.result import Evaluation, check_evaluation
from spanagree.systems.runs import (
    Runs,
    RunsSettings,
    mean_scores,
    runs_by_system,
    settings_of_runs,
    unmarked_systems,
)
from spanagree.uncertainty.confidence import LEAST_UNITS, USUAL, Jackknife
from spanagree.uncertainty.differences import DocumentInfluence
from spanagree.uncertainty.paired_bootstrap import bootstrap_p
from spanagree.uncertainty.permutation import exchange, holm, powerless

TESTS = {
    "jackknife": "would the difference be there on other documents like these? With intervals",
    "permutation": "could the two systems be exchanged for each other?",
    "bootstrap": "is the difference as large in resampled documents? The paired bootstrap",
}
"""The tests of a difference, by name."""

_ALIKE = "p: undefined, as resamples of documents that are alike do not vary"
_ENOUGH = 30  # documents; with fewer the bootstrap's p is too small
_PAIRS = 10  # of more a heat map is drawn
_NAMED = 3  # pairs in a sentence


class Difference(NamedTuple):
    """The difference of two systems in one figure, the first less the second.

    ``low`` and ``high`` are its interval, of the jackknife only; of several pairs these hold all at
    once. ``p`` is two-sided; ``p_adjusted`` is corrected for all pairs of systems: p × pairs of the
    jackknife, Holm's p of the other tests. ``reason`` says what is out of the ordinary.
    """

    value: float
    low: float
    high: float
    p: float
    p_adjusted: float
    reason: str = ""

    def turned(self) -> Difference:
        """Return the difference of the second system and the first."""
        return self._replace(value=-self.value, low=-self.high, high=-self.low)


@dataclass(frozen=True, eq=False)
class SystemPair(NanEqualMixin):
    """Two systems on the documents that both and gold saw.

    ``differing`` is the number of documents in which their tallies differ; ``exact`` says that all
    exchanges were gone through, rather than drawn, or of the jackknife that the interval is exact,
    as at most one document differs; ``left_out`` is the number of documents that
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


@dataclass(frozen=True, kw_only=True, eq=False)
class RunsComparisonSettings(ComparisonSettings, RunsSettings):
    """The settings of a test of systems with runs."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result, MappingResult):
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
    not_in_text: str = field(default="", repr=False, compare=False)

    @property
    def verdict(self) -> str:
        """Which system has the highest corrected F1, and which pairs the test tells apart."""
        ranked = verdict.ranked_by_chance(self.scores)
        if len(ranked) < 2:
            return f"Fewer than two systems have a defined {self._title}."
        firsts = verdict.first_by_chance(self.scores)
        n_pairs, leads = len(self.pairs), []
        for other in ranked:
            if other == firsts[0]:
                continue
            pairs = [self[first, other] for first in firsts if first != other]
            pair = max(pairs, key=lambda pair: self._of(pair).p_adjusted)
            value, low, high, _, p_adjusted, _ = self._of(pair)
            location = f"on {document_noun(self.settings)}s that both saw" if pair.left_out else ""
            leads.append(
                verdict.PairwiseTest(
                    other, value, low, high, p_adjusted, p_adjusted < self.level, location
                )
            )
        confidence = confidence_of(self.settings) or 95
        better = self._better(ranked) if n_pairs > 1 else ()
        correction = "Holm" if self._is_drawn else ""
        sentence = verdict.comparison(
            self.scores, leads, confidence, better, n_pairs, self.unmarked, correction
        )
        chance = verdict.chance_model(self.settings) if self._title == "F1" else ""
        return " ".join(filter(None, [sentence, self._of_runs, chance, self.not_in_text]))

    @property
    def _title(self) -> str:
        """The figure that decides: corrected F1, or F1 where chance is undefined."""
        return f"{verdict.figure_of(self.settings)[1]}F1"

    def _of(self, pair: SystemPair) -> Difference:
        """Return the difference of a pair in the figure that decides."""
        difference: Difference = getattr(pair, verdict.figure_of(self.settings)[0])
        return difference

    @property
    def _of_runs(self) -> str:
        """Say whether other runs are regarded, if systems have several."""
        several = self.settings.get("runs", {})
        fixed = [name for name in self.scores if several.get(name, 1) < LEAST_UNITS]
        if not several:
            return ""
        if not fixed:
            return "The test regards other documents and other runs."
        if len(fixed) == len(self.scores):
            return (
                "The test regards other documents, and these runs: for others it needs"
                f" {LEAST_UNITS} of a system."
            )
        shown = verdict.first_of([*map(escape_name, fixed)], _NAMED, "more system")
        return (
            "The test regards other documents and other runs, but not other runs of"
            f" {', '.join(shown)}."
        )

    @property
    def level(self) -> float:
        """The adjusted p below which two systems are told apart.

        It is that of the intervals, so that one leaves out 0 just where its p is below.
        """
        confidence = confidence_of(self.settings)
        return LEVEL if confidence is None or self._is_drawn else round(1 - confidence / 100, 12)

    @property
    def _is_drawn(self) -> bool:
        """Whether p is of draws, without intervals."""
        return self.settings.test != "jackknife"

    def _better(self, ranked: Sequence[str]) -> list[SignificantPair]:
        """Return the pairs that can be told apart by corrected F1, in the order of the systems."""
        place = {name: i for i, name in enumerate(ranked)}
        better = []
        for pair in self.pairs:
            difference = self._of(pair)
            value, p = difference.value, difference.p_adjusted
            if p < self.level:
                names = (pair.a, pair.b) if value > 0 else (pair.b, pair.a)
                better.append(SignificantPair(*names, p))
        return sorted(better, key=lambda pair: (place[pair.first], place[pair.second]))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        if not self._is_drawn:
            return ()
        drawn = [pair.observed.p for pair in self.pairs if not pair.exact]
        shaky = powerless(drawn, self.settings["resamples"], "pair")
        least = min(pair.documents for pair in self.pairs)
        if self.settings.test != "bootstrap" or least >= _ENOUGH:
            return shaky
        return (
            *shaky,
            f"only {pluralize(least, 'document')}: with fewer than {_ENOUGH} the bootstrap finds"
            " differences too often; the jackknife does not",
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

        It is if the two can be told apart both before and after.
        """
        reordered = []
        for pair in self.pairs:
            both = [getattr(pair, kind) for kind in KINDS]
            before, after = (_sign(difference.value) for difference in both)
            if before * after < 0:
                reordered.append(
                    (pair, all(difference.p_adjusted < self.level for difference in both))
                )
        return reordered

    def _findings(self) -> Iterator[str]:
        """Yield how many pairs cannot be told apart, and whose order chance changes."""
        close = [pair for pair in self.pairs if not self._of(pair).p_adjusted < self.level]
        name = "Holm's p" if self._is_drawn else f"p × {len(self.pairs)}"
        name = "p" if len(self.pairs) == 1 else name
        if close:
            pairs = pluralize(len(self.pairs), "pair")
            yield (
                f"{len(close)} of {pairs} cannot be told apart by {self._title} ({name} not below"
                f" {self.level:g}): {_named(close)}"
            )
        for certain in (True, False):
            moved = [pair for pair, sure in self.reordered if sure is certain]
            end = "" if certain else ", but they cannot be told apart, so that is not a finding"
            if moved:
                yield f"chance changes the order of {_named(moved)}{end}"

    TABLES: ClassVar[Mapping[str, str | None]] = {"pairs": None}

    def _table(self, by: str | None) -> Frame:
        """A row for each pair of systems."""
        title = "Holm" if self._is_drawn else f"p × {len(self.pairs)}"
        is_plain = len(self.pairs) == 1 and not self._is_drawn  # p as it is
        alone = "p" if is_plain or self._is_drawn else ""
        differences = [
            column
            for kind, name in zip(KINDS, ("F1 a − b", "corrected a − b"), strict=True)
            for column in (
                Column(kind, kind="json"),
                Column(f"{kind}_value", name),
                Column(f"{kind}_low"),
                Column(f"{kind}_high"),
                Column(
                    "", "" if self._is_drawn else "interval", "interval", "interval of a difference"
                ),
                Column(f"{kind}_p", alone, "probability", "p of a difference"),
                Column(
                    f"{kind}_p_adjusted", "" if is_plain else title, "probability", "adjusted p"
                ),
            )
        ]
        documents = (
            f"{document_noun(self.settings)}s" if any(pair.left_out for pair in self.pairs) else ""
        )
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
        counts_all = self._is_drawn and any(pair.exact for pair in self.pairs)
        remarks = dict.fromkeys([exact] if counts_all else [])
        for pair in self.pairs:
            rows.append([getattr(pair, column.key) for column in columns])
            for difference in (pair.observed, pair.corrected):
                value, low, high, p, p_adjusted, reason = difference
                rows[-1] += [with_reason(difference), value, low, high, (low, high), p, p_adjusted]
                if reason:
                    remarks[f"{escape_name(pair.a)}, {escape_name(pair.b)}: {reason}"] = None
        return Frame(
            [*columns, *differences],
            rows,
            self.settings,
            caption=self._caption,
            remarks=[
                *verdict.remarks_without_chance(self.settings),
                *self._findings(),
                *remarks,
                *self.caveats,
            ],
        )

    @property
    def _caption(self) -> str:
        """What the table shows, and how p is adjusted."""
        begin, pairs = (
            f"differences of systems ({self.settings.test}); p is two-sided",
            len(self.pairs),
        )
        if self._is_drawn:
            return f"{begin}, Holm's for all pairs"
        if pairs == 1:
            return begin
        return f"{begin}, times {pairs} pairs, and intervals are simultaneous"

    def _picture(self, by: str | None) -> Plot:
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

    def _map(self, names: Sequence[str]) -> Plot:
        place = {name: i for i, name in enumerate(names)}
        values, certain = np.full((2, len(names), len(names)), np.nan)
        for pair in self.pairs:
            i, j = place[pair.a], place[pair.b]
            values[i, j], values[j, i] = self._of(pair).value, self._of(pair).turned().value
            certain[i, j] = certain[j, i] = self._of(pair).p_adjusted < self.level
        most = max(float(np.nanmax(np.abs(values), initial=0)), 0.01)
        what = f"{self._title} of the row − of the column (* p < 0.05)"
        return heat_map(names, names, values, what, (-most, most), certain == 1)


def _named(pairs: Sequence[SystemPair]) -> str:
    """Return the names of the first of some pairs, and how many more there are."""
    named = [f"{escape_name(pair.a)} and {escape_name(pair.b)}" for pair in pairs]
    return ", ".join(verdict.first_of(named, _NAMED, "more pair"))


KINDS = ("observed", "corrected")


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

    ``jackknife`` leaves out each document once, of both systems; p is multiplied by the number of
    pairs, and the intervals hold all at once (Dunn 1961), so an interval leaves out 0 just where
    that p is below 1 less its confidence. Where at most one document differs, p is 1.

    The other tests have p alone, with Holm's correction. ``permutation`` exchanges the two systems'
    whole tallies document by document, all ways if there are no more than ``resamples``; p is
    (1 + hits) / (1 + draws), or hits / ways. ``bootstrap`` draws documents with replacement, the
    same ones for both; p is how often the difference is off its own value by as much as that is off
    0 (Koehn 2004; Berg-Kirkpatrick et al. 2012).

    Args:
        evaluation: of two systems or more.
        test: jackknife, permutation or bootstrap.
        ci: confidence of the intervals, and clusters of every test.
        runs: of the jackknife, the layers that are runs of each system, as for
            :func:`spanagree.systems.score_runs`: means over runs are compared, over other documents
            and, for systems of three runs or more, other runs.
        resamples: number of permutations or resamples, if the test draws any.
        seed: a whole number from 0, of these.
        progress: called with the number of pairs (of the bootstrap, of draws) done, and of all.

    Raises:
        SettingError: for an unknown name, a number out of range, or fewer than two systems; for
            runs and another test than the jackknife.

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
    check_whole(resamples, 1, "resamples")
    check_whole(seed, 0, "seed")
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
        by_system = runs_by_system(evaluation, runs)
    names = list(itertools.combinations(by_system, 2))
    if not names:
        raise SettingError("one system; a difference needs two")
    per_document = clustered(evaluation.counted.per_document, ci, evaluation.settings)
    groups: dict[bytes, list[tuple[str, str]]] = {}
    for a, b in names:
        shared = per_document.shared_by(*by_system[a], *by_system[b])
        groups.setdefault(shared.tobytes(), []).append((a, b))
    request = _Request(test, ci, resamples, seed, len(names), progress, by_system)
    compared = (
        pair for group in groups.values() for pair in _compared(per_document, group, request)
    )
    by_names = {(pair.a, pair.b): pair for pair in compared}
    pairs = _adjusted([by_names[two] for two in names], test)
    chosen: dict[str, Any] = {"test": test, "resamples": resamples, "seed": seed, "ci": None}
    if test == "jackknife":
        kinds = [EXACT if pair.exact else JACKKNIFE for pair in pairs]
        chosen = {"test": test, **ci.settings(kinds)}
    else:
        chosen["cluster_by"] = ci.cluster_by
    settings = evaluation.settings.extended(ComparisonSettings, **chosen)
    scores, unmarked = evaluation.scores, evaluation.unmarked
    if runs is not None:
        more = settings_of_runs(by_system)
        settings = settings.extended(RunsComparisonSettings, **more)
        scores = mean_scores(evaluation, by_system)
        unmarked = unmarked_systems(evaluation, by_system)
    return Comparison(
        tuple(pairs),
        settings,
        scores=scores,
        unmarked=unmarked,
        not_in_text=not_in_text(evaluation),
    )


class _Request(NamedTuple):
    """The test that was asked for, its settings, and the progress of its draws."""

    test: str
    ci: Jackknife
    resamples: int
    seed: int
    n_pairs: int
    progress: Progress
    by_system: Mapping[str, Sequence[str]]


def _adjusted(pairs: Sequence[SystemPair], test: str) -> list[SystemPair]:
    """Return pairs with p adjusted for all of them."""
    adjusted = [*pairs]
    for kind in KINDS:
        p = [getattr(pair, kind).p for pair in pairs]
        corrected = holm(p) if test != "jackknife" else np.minimum(1, len(p) * np.array(p)).tolist()
        corrected = [x if x == x else UNDEFINED for x in corrected]
        adjusted = [
            replace(pair, **{kind: getattr(pair, kind)._replace(p_adjusted=p)})
            for pair, p in zip(adjusted, corrected, strict=True)
        ]
    return adjusted


def _compared(
    per_document: SystemsByDocument, pairs: Sequence[tuple[str, str]], request: _Request
) -> Iterator[SystemPair]:
    """Yield pairs that share the same documents."""
    by_system = request.by_system
    seen = per_document.shared_by(*(run for name in pairs[0] for run in by_system[name]))
    rows = per_document.comparisons
    rows = rows.where(seen[rows.document]).of_wholes(per_document.parent_ids)
    units = per_document.units(seen)
    compared = set(itertools.chain(*pairs))
    names = sorted({run for name in compared for run in by_system[name]})  # canonical order
    tables = [
        rows.where(rows.second == per_document.number(name)).symmetric_table(units)
        for name in names
    ]
    table = np.stack(tables, axis=1)
    position = [
        tuple([names.index(run) for run in by_system[name]] for name in pair) for pair in pairs
    ]
    tested = _TESTED[request.test](table, position, request)
    for (a, b), sides, (observed, corrected, exact) in zip(pairs, position, tested, strict=True):
        both = table[:, [*sides[0], *sides[1]]]
        yield SystemPair(
            a,
            b,
            documents=len(table),
            differing=int((both != both[:, :1]).any(axis=(1, 2)).sum()),
            observed=observed,
            corrected=corrected,
            exact=exact,
            left_out=int(
                np.logical_xor(*(per_document.shared_by(*by_system[x]) for x in (a, b))).sum()
            ),
        )


_Tested = Iterator[tuple[Difference, Difference, bool]]
"""The difference in F1, in corrected F1, and whether nothing was estimated or drawn."""


_Position: TypeAlias = "tuple[Sequence[int], ...]"
"""The positions of the runs of both systems of a pair."""


def _by_jackknife(table: Floats, position: Sequence[_Position], request: _Request) -> _Tested:
    """Test pairs by leaving out each document; ``table`` is (documents, systems, columns)."""
    left_out = DocumentInfluence.of(table)
    for i, j in position:
        difference = left_out.difference(i, j, request.ci.tail, request.n_pairs)
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


def _by_permutation(table: Floats, position: Sequence[_Position], request: _Request) -> _Tested:
    """Test pairs by exchanging systems; ``table`` is (documents, systems, columns)."""
    for (i,), (j,) in position:
        sides = i, j
        both = table[:, list(sides)]
        differing = both[(both[:, 0] != both[:, 1]).any(axis=1)]
        exact = len(differing) <= math.log2(request.resamples)
        turned = slice(None, None, 1 if sides[0] < sides[1] else -1)  # canonical order
        value = _differences(both.sum(axis=0), [(0, 1)])[0]
        p = exchange(
            both[:, turned], differing[:, turned], value, exact, request.resamples, request.seed,
            request.progress,
        )  # fmt: skip
        yield *_without_ends(value.tolist(), p), exact


def _by_bootstrap(table: Floats, position: Sequence[_Position], request: _Request) -> _Tested:
    """Test pairs by drawing documents; ``table`` is (documents, systems, columns)."""
    n_units, n_systems, columns = table.shape
    sides = [(i, j) for (i,), (j,) in position]

    def differences(sums: Floats) -> Floats:
        """Compute the observed and the corrected difference of each pair; (…, 2 · pairs)."""
        by_system = sums.reshape(len(sums), n_systems, columns)
        return _differences(by_system, sides).reshape(len(sums), -1)

    wide = table.reshape(n_units, n_systems * columns)
    drawn = bootstrap_p(wide, differences, request.resamples, request.seed, request.progress)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = differences(wide.sum(axis=0)[None])[0]
    for k in range(0, 2 * len(position), 2):
        yield *_without_ends(values[k : k + 2].tolist(), drawn[k : k + 2].tolist()), False


_TESTED: Mapping[str, Callable[..., _Tested]] = {
    "jackknife": _by_jackknife,
    "permutation": _by_permutation,
    "bootstrap": _by_bootstrap,
}


def _differences(sums: Floats, position: Sequence[tuple[int, ...]]) -> Floats:
    """Compute differences in F1 and corrected F1; (…, systems, columns) to (…, pairs, 2)."""
    first, second = np.array(position).T
    with np.errstate(divide="ignore", invalid="ignore"):
        f1 = f1_figures(sums)[..., [0, 2]]
    return np.asarray(f1[..., first, :] - f1[..., second, :])


def _without_ends(values: Sequence[float], p: Sequence[float]) -> tuple[Difference, Difference]:
    """Return two differences with p and no interval."""
    observed, corrected = (
        Difference(
            value, UNDEFINED, UNDEFINED, p, UNDEFINED, _ALIKE if p != p and value == value else ""
        )
        for value, p in zip(values, p, strict=True)
    )
    return observed, corrected


def _sign(difference: float) -> int:
    """Return the sign of a difference; 0 if it is 0 to four decimals, or undefined."""
    shown = 0.0 if math.isnan(difference) else float(decimal(difference, RANK_DIGITS))
    return (shown > 0) - (shown < 0)
