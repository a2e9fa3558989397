"""Agreement from batch to batch, and whether it changes: rounds, weeks, versions of the guidelines.

A document's tally moves whole. A change is tested by leaving out each document once, of both
batches if it is in both. If there were no trend, any document could as well have been in another
batch: so for the trend documents are shuffled among batches (a permutation test).
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.agreement.count import AgreementSettings
from spanagree.agreement.result import Agreement
from spanagree.arrays import Floats
from spanagree.chance.model import Given, chance_model, with_ids
from spanagree.choices import Chance, MatchName
from spanagree.comparisons.place_shares import PlaceShares, beside_uniform
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_whole, counted, counted_of, printable
from spanagree.formats.guessed import CorpusLike, corpus_of
from spanagree.project.batch_names import BatchesBy, parts_of, tell_apart_by_text
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value, probability
from spanagree.results.plots import Picture, f1_dots
from spanagree.results.result import Comparable, Keyed, Result
from spanagree.results.score import F1, UNDEFINED, Score, ScoreColumns, f1_figures
from spanagree.results.verdict import LEVEL
from spanagree.settings import unit
from spanagree.systems.compare_systems import Difference
from spanagree.uncertainty.confidence import USUAL, Jackknife, parse_ci
from spanagree.uncertainty.differences import LeftOut
from spanagree.uncertainty.jackknife import TIE, intervals_of, moments

_FEW = 10  # documents of a batch; with fewer a test finds hardly anything
_CELLS = 1 << 22  # of one temporary array
_NAMED = 5  # steps of which a sentence speaks


@dataclass(frozen=True, kw_only=True, eq=False)
class BatchSettings(AgreementSettings):
    """The settings of an agreement by batches."""

    batches: str
    test: str = "jackknife"


@dataclass(frozen=True, eq=False)
class Batch(Comparable):
    """One batch.

    Attributes:
        name: of the batch.
        documents: how many documents two or more annotators saw.
        annotators: who saw one of these.
        f1: of the team, with its interval.

    >>> import spanagree as sa
    >>> layers = {"a": [[(0, 2, "X")]] * 4, "b": [[(1, 3, "X")]] * 2 + [[(0, 2, "X")]] * 2}
    >>> first = sa.batches(sa.Corpus.from_segments([9] * 4, layers), 2).batches[0]
    >>> first.documents, first.annotators, first.f1.observed
    (2, ('a', 'b'), 0.0)
    """

    name: str
    documents: int
    annotators: tuple[str, ...]
    f1: Score


@dataclass(frozen=True, eq=False)
class BatchChange(Comparable):
    """What changed from one batch to the next.

    Attributes:
        a, b: the names of the two, the earlier first.
        both: how many documents are in both.
        observed, corrected: the F1 of ``b`` less that of ``a``.

    >>> import spanagree as sa
    >>> layers = {"a": [[(0, 2, "X")]] * 4, "b": [[(1, 3, "X")]] * 2 + [[(0, 2, "X")]] * 2}
    >>> [change] = sa.batches(sa.Corpus.from_segments([9] * 4, layers), 2).changes
    >>> change.a, change.b, change.observed.value
    ('1', '2', 1.0)
    """

    a: str
    b: str
    both: int
    observed: Difference
    corrected: Difference


@dataclass(frozen=True, eq=False, repr=False)
class Batches(Result, Keyed):
    """The result of :func:`batches`.

    Attributes:
        batches: in their order.
        changes: from each batch to the next.
        slope: by how much corrected F1 rises from batch to batch (least squares, each batch as
            heavy as its documents are many).
        p: how often a slope as steep comes about by chance.
        settings: what made the numbers.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.
        documents: how many documents are in a batch, also those that fewer than two saw.
        places: how segments stand to the rule of places, if chance has one.
        uniform: the same without that rule.

    >>> import spanagree as sa
    >>> layers = {"a": [[(0, 2, "X")]] * 4, "b": [[(1, 3, "X")]] * 2 + [[(0, 2, "X")]] * 2}
    >>> found = sa.batches(sa.Corpus.from_segments([9] * 4, layers), 2)
    >>> [(each.name, each.f1.observed) for each in found.batches], round(found.slope, 2)
    ([('1', 0.0), ('2', 1.0)], 1.14)
    """

    batches: tuple[Batch, ...]
    changes: tuple[BatchChange, ...]
    slope: float
    p: float
    settings: BatchSettings
    notes: tuple[str, ...]
    documents: int = 0
    places: PlaceShares | None = field(default=None, repr=False, compare=False)
    uniform: Batches | None = field(default=None, repr=False, compare=False)

    @property
    def _keys(self) -> Sequence[Any]:
        return [batch.name for batch in self.batches]

    def __getitem__(self, name: str) -> Batch:
        """Return a batch by name.

        Raises:
            SettingError: for an unknown one.
        """
        for batch in self.batches:
            if batch.name == name:
                return batch
        known = ", ".join(printable(batch.name) for batch in self.batches)
        raise SettingError(f"unknown batch {printable(name)}; allowed: {known}")

    @property
    def verdict(self) -> str:
        """Where corrected F1 began and ended, and whether that is a trend."""
        ends = verdict.from_first_to_last({b.name: b.f1.corrected for b in self.batches})
        if not ends:
            return "Fewer than two batches have a defined corrected F1."
        sentence = f"Corrected F1 goes {ends}."
        several = len(self.batches) > 2
        p = self.p if several else self.changes[0].corrected.p_adjusted
        if math.isnan(p):
            return f"{sentence} There are too few documents for a test."
        change = self.slope if several else self.changes[0].corrected.value
        what, where = ("trend", " over all batches") if several else ("change", "")
        word = "rises" if change > 0 else "falls"
        outcome = (
            f"it {word} significantly{where}"
            if p < LEVEL
            else f"the {what}{where} is not significant"
        )
        method = "a permutation test" if several else "the jackknife"
        sentence = f"{sentence} By {method} {outcome} (p {verdict.p_of(p)})."
        steps = [
            f"from {printable(step.a)} to {printable(step.b)}"
            f" (p {verdict.p_of(step.corrected.p_adjusted)})"
            for step in self.changes
            if several and step.corrected.p_adjusted < LEVEL
        ]
        if not steps:
            return sentence
        named = ", ".join(verdict.first_of(steps, _NAMED, "more step"))
        return (
            f"{sentence} Significant steps, p times {counted(len(self.changes), 'step')}: {named}."
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"batches": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "slope", "p", "places?")

    def _table(self, by: str | None) -> Frame:
        """A row for each batch, with what changed since the one before."""
        f1 = ScoreColumns("f1", F1, self.settings.ci is not None, ("F1 of a pair", "", ""))
        adjusted = f"p × {len(self.changes)}" if len(self.changes) > 1 else ""
        columns = [
            Column("batch", "batch", "name", "batch"),
            Column("documents", f"{unit(self.settings)}s", "count", "documents of a batch"),
            Column("annotators", "annotators", "count", "annotators of a batch"),
            *f1.columns,
            *f1.ends,
            Column("both", "", "count"),
            Column("change_observed"),
            Column("change", "change", "figure", "change of a batch"),
            *(Column(f"change_{end}") for end in ("low", "high")),
            Column("", "interval", "interval", "interval of a change"),
            Column("p", "p" if len(self.changes) < 2 else "", "probability", "p of a change"),
            Column("p_adjusted", adjusted, "probability", "adjusted p of changes"),
        ]
        none = UNDEFINED
        nothing: list[Value] = [None, none, none, none, none, (none, none), none, none]
        changes: list[list[Value]] = [nothing] if self.batches else []
        for change in self.changes:
            d = change.corrected
            ends: list[Value] = [d.low, d.high, (d.low, d.high)]
            changes.append([change.both, change.observed.value, d.value, *ends, d.p, d.p_adjusted])
        rows: list[list[Value]] = [
            [b.name, b.documents, len(b.annotators), *f1.values(b.f1), *f1.end_values(b.f1), *more]
            for b, more in zip(self.batches, changes, strict=True)
        ]
        compared = sum(batch.documents for batch in self.batches)
        caption = (
            f"{len(self.batches)} batch{'es' * (len(self.batches) != 1)},"
            f" {counted_of(compared, self.documents, unit(self.settings))}"
        )
        table = Frame(columns, rows, self.settings, caption=caption, remarks=self._remarks())
        uniform = None if self.uniform is None else self.uniform._table(by)
        return beside_uniform(table, uniform, self.places)

    def _remarks(self) -> list[str]:
        """Say whether there is a trend, what is compared, and what a change may be due to."""
        remarks = []
        if not math.isnan(self.p) and len(self.batches) > 2:
            remarks.append(
                f"trend: corrected F1 {self.slope:+.4f} from batch to batch, p"
                f" {probability(self.p)}"
            )
        if self.changes:
            same = sum(change.both for change in self.changes)
            where = (
                f"{same} {unit(self.settings)}s are in two batches"
                if same
                else f"no {unit(self.settings)} is in two of them"
            )
            remarks.append(f"change: corrected F1, from the batch above; {where}")
        if len({frozenset(batch.annotators) for batch in self.batches}) > 1:
            remarks.append("the batches were done by other annotators: a change may be theirs")
        remarks += [
            f"{printable(b.name)}: F1 undefined: {b.f1.reason}" for b in self.batches if b.f1.reason
        ]
        if self.places is not None:
            remarks += self.places.remarks({"annotators": list(self.places.annotators)})
        return [*remarks, *self.caveats]

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        noun = unit(self.settings)
        return tuple(
            f"{printable(batch.name)}: only {counted(batch.documents, noun)} seen by two or more;"
            " tests find hardly anything there"
            for batch in self.batches
            if batch.documents < _FEW
        )

    def _picture(self, by: str | None) -> Picture:
        """Return F1 and corrected F1 of each batch as dots, with their intervals."""
        return f1_dots(((batch.name, batch.f1) for batch in self.batches), "F1 by batch")


def batches(
    corpus: CorpusLike | Mapping[str, CorpusLike],
    spec: BatchesBy = None,
    *,
    match: MatchName = "exact",
    chance: Chance = "nonoverlapping",
    places: Given | None = None,
    annotators: Sequence[str] | None = None,
    ci: bool | Jackknife = False,
    resamples: int = 10_000,
    seed: int = 0,
) -> Batches:
    """Return the agreement of each batch, and whether it changes from batch to batch.

    Args:
        corpus: the annotators as layers; or a corpus for each batch, by name: documents of the same
            id and text are the same document then.
        spec: how many batches of consecutive documents; a pattern that finds the batch in a
            document's id (its first group, or all of it): documents of the same text whose ids
            differ in that alone are the same; a table, FILE or FILE:COLUMN, of documents and
            batches; or the name of each document's batch, ``None`` for none.
        match: the measure, exact, boundaries, token, iou or overlap.
        chance: the chance model, nonoverlapping, per-label or overlapping.
        places: where random segments may stand; see :func:`spanagree.evaluate`.
        annotators: the names of those to compare; all unless given.
        ci: confidence intervals for each batch, and their confidence.
        resamples: number of permutations for the trend.
        seed: a whole number from 0, of these, and of draws of expected scores.

    Raises:
        SettingError: as for :func:`spanagree.agree`; if there is no document in any batch.
        InputError: for a table that cannot be read.

    >>> layers = {"a": [[(0, 2, "X")]] * 4, "b": [[(1, 3, "X")]] * 2 + [[(0, 2, "X")]] * 2}
    >>> made = batches(Corpus.from_segments([9] * 4, layers), 2)
    >>> [batch.f1.observed for batch in made.batches], made.changes[0].observed.value
    ([0.0, 1.0], 1.0)
    """
    jackknife = parse_ci(ci)
    check_whole(resamples, 1, "resamples")
    if isinstance(corpus, Mapping):
        corpus = {name: corpus_of(given) for name, given in corpus.items()}
    else:
        corpus = corpus_of(corpus)
    chance = chance_model(chance, places, seed=seed)
    if isinstance(corpus, Corpus):
        chance, corpus = with_ids(chance, corpus)
    parts, made_by, notes = parts_of(corpus, spec)
    parts, differing = tell_apart_by_text(parts)
    agreements, tables, scored = [], [], []
    for name, (part, keys) in parts.items():
        agreement = agree(part, match=match, chance=chance, annotators=annotators)
        table = _Documents.of(agreement, keys)
        agreements.append(agreement)
        tables.append(table)
        scored.append(_batch(name, agreement, table, jackknife))
    changes = _changes(list(parts), tables, jackknife or USUAL)
    slope, p = _trend(tables, resamples, seed)
    kinds = [batch.f1.interval.kind for batch in scored if batch.f1.interval is not None]
    chosen = {} if jackknife is None else jackknife.settings(kinds)
    if len(tables) > 2:  # the trend is drawn
        chosen |= {"resamples": int(resamples), "seed": int(seed)}
    everyone = {name for agreement in agreements for name in agreement.annotators}
    of_agreement = replace(agreements[0].settings, annotators=len(everyone), min_shared=None)
    settings = of_agreement.extended(BatchSettings, **chosen, batches=made_by)
    every_note = dict.fromkeys(note for agreement in agreements for note in agreement.notes)
    documents = sum(len(part) for part, _ in parts.values())
    result = Batches(
        tuple(scored),
        tuple(changes),
        slope,
        p,
        settings,
        (*every_note, *notes, *differing),
        documents,
    )
    shares = [agreement.places for agreement in agreements if agreement.places is not None]
    if not shares:
        return result
    together = functools.reduce(operator.add, shares)
    plain = tuple(
        replace(batch, f1=agreement.uniform.team.f1)
        for batch, agreement in zip(scored, agreements, strict=True)
        if agreement.uniform is not None
    )
    uniform = replace(result, batches=plain)
    settings = replace(settings, places_mean=together.mixed)
    return replace(result, settings=settings, places=together, uniform=uniform)


def _changes(
    names: Sequence[str], tables: Sequence[_Documents], jackknife: Jackknife
) -> list[BatchChange]:
    """Return the changes from each batch to the next, with p and intervals adjusted for all."""
    steps = len(tables) - 1
    return [
        _change(two, both, jackknife.tail, steps)
        for two, both in zip(pairwise(names), pairwise(tables), strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Documents:
    """What each document of a batch adds to matched, expected and size, and expected size.

    (documents, 3), and under a rule of places (documents, 4).

    Attributes:
        keys: what tells a document from others, in all batches.
        table: what they add, in canonical order.
    """

    keys: list[str]
    table: Floats = field(repr=False)

    @classmethod
    def of(cls, made: Agreement, keys: Sequence[str]) -> _Documents:
        documents = made.per_document.coverage.by_two()
        table = made.per_document.sums.by("document").symmetric_table(documents)
        if made.places is not None and table.shape[1] == 3:  # sizes are not random here
            table = np.column_stack((table, table[:, 2]))
        order = np.lexsort(table.T)
        return cls([keys[d] for d in documents[order].tolist()], table[order])


def _batch(name: str, made: Agreement, documents: _Documents, jackknife: Jackknife | None) -> Batch:
    compared = {name for names in made.pairs for name in names}
    f1 = made.team.f1
    if jackknife is not None:
        ((ends,),) = intervals_of(moments(documents.table, f1_figures), jackknife)
        f1 = f1._replace(interval=ends)
    return Batch(name, len(documents.keys), tuple(n for n in made.annotators if n in compared), f1)


def _change(
    names: tuple[str, str], two: tuple[_Documents, _Documents], tail: float, steps: int
) -> BatchChange:
    """Return the difference of two batches, with its interval and p."""
    every = sorted({*two[0].keys, *two[1].keys})
    place = {key: i for i, key in enumerate(every)}
    rows = np.zeros((len(every), 2, two[0].table.shape[1]))
    for side, batch in enumerate(two):
        rows[[place[key] for key in batch.keys], side] = batch.table
    same = len({*two[0].keys} & {*two[1].keys})
    difference = LeftOut.of(rows).difference(1, 0, tail, steps)
    columns = (
        difference.value.tolist(),
        difference.ends.tolist(),
        difference.p.tolist(),
        difference.reasons,
    )
    differences = [
        Difference(value, low, high, p, min(1.0, steps * p) if p == p else p, reason)
        for value, (low, high), p, reason in zip(*columns, strict=True)
    ]
    observed, corrected = differences
    return BatchChange(*names, same, observed, corrected)


def _p(drawn: Floats, value: float) -> float:
    """Return how often a value as far from 0 comes about; two-sided, and never 0."""
    known = drawn[~np.isnan(drawn)]
    return float((1 + (np.abs(known) >= abs(value) - TIE).sum()) / (1 + len(known)))


def _trend(tables: Sequence[_Documents], resamples: int, seed: int) -> tuple[float, float]:
    """Return the slope of corrected F1, and how often a shuffling of documents is as steep."""
    if len(tables) < 2:
        return UNDEFINED, UNDEFINED
    table = np.concatenate([batch.table for batch in tables])
    which = np.repeat(np.arange(len(tables)), [len(batch.keys) for batch in tables])
    order = np.lexsort((which, *table.T))
    table, which = table[order], which[order]
    number = np.bincount(which, minlength=len(tables))

    def slopes(drawn: Any) -> Floats:
        """Return the slope where documents are in these batches; (some, documents) to (some,)."""
        sums = np.stack([(drawn == b).astype(np.float64) @ table for b in range(len(tables))], 1)
        figures = f1_figures(sums)[..., 2]
        weight = np.where(np.isnan(figures), 0.0, number)
        centre = (weight @ np.arange(len(tables)) / weight.sum(axis=1))[:, None]
        away = weight * (np.arange(len(tables)) - centre)
        rise: Floats = (away * np.nan_to_num(figures)).sum(axis=1)
        return rise / (away * (np.arange(len(tables)) - centre)).sum(axis=1)

    rng = np.random.default_rng(seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = float(slopes(which[None])[0])
        if math.isnan(slope):
            return UNDEFINED, UNDEFINED
        step = max(1, _CELLS // max(len(which), 1))
        drawn = [
            slopes(rng.permuted(np.tile(which, (high - low, 1)), axis=1))
            for low, high in pairwise([*range(0, resamples, step), resamples])
        ]
    return slope, _p(np.concatenate(drawn), slope)
