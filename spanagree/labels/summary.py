"""All coefficients of a table at once, with what each category and each annotator adds to them."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from spanagree.blocks.poisson import asked_resampling
from spanagree.choices import CategoryWeights, Interval, Measurement, ResampleBy, Weights
from spanagree.corpus.label_table import LabelTable
from spanagree.errors import SettingError, counted, show
from spanagree.labels.bias import Bias, score_bias
from spanagree.labels.by_category import Categories, score_categories
from spanagree.labels.by_pair import items_table, pairs_table
from spanagree.labels.chance_corrected import Basis, score
from spanagree.labels.coefficient import Coefficient, CoefficientSettings, Counts
from spanagree.labels.intervals import intervals
from spanagree.labels.patterns import Labels, LabelTallies, neighbours
from spanagree.labels.spa import Spa, score_spa
from spanagree.results.plots import Picture, dots, rows_size
from spanagree.results.result import Comparable, Result
from spanagree.results.score import UNDEFINED
from spanagree.results.table import Column, Table, Value, figure
from spanagree.uncertainty.bootstrap import Resampling


@dataclass(frozen=True, eq=False)
class Labeller(Comparable):
    """One annotator of a table.

    Attributes:
        name: the annotator.
        labels: how many labels she gave.
        pairs: how many labels of others stand beside hers, on the same items.
        agreement: the share of these that are the same as hers; ``nan`` if there are none.
        bias: her share of the bias; see :func:`bias`.
    """

    name: str
    labels: int
    pairs: int
    agreement: float
    bias: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Coefficients(Result):
    """The result of :func:`coefficients`.

    Attributes:
        spa, pi, kappa, alpha, ac1, bias: the coefficients.
        categories: agreement on each category by itself.
        annotators: by name; empty for a table of counts.
        counts: the items, labels and pairs behind all of them.
        settings: what made the numbers.
        notes: what was read in another way than it stands.
        units: of tokens, the number of their documents.
        evidence: how many items (of tokens, their documents) have two labels or more, and of
            these, how many have any that disagree, and that agree.
        basis: what they were made of.
    """

    spa: Spa
    pi: Coefficient
    kappa: Coefficient
    alpha: Coefficient
    ac1: Coefficient
    bias: Bias
    categories: Categories
    annotators: Mapping[str, Labeller]
    counts: Counts
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()
    units: int | None = None
    evidence: tuple[int, ...]
    basis: Basis = field(repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "category": "a row for each category",
        "annotator": "a row for each annotator",
        "pair": "a row for each two annotators, over the items that both labelled",
        "item": "a row for each item on which labels differ, the most disputed first",
    }
    DRAWN = ("category", "annotator")

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        doubt = (self.spa.dependence,) if self.spa.dependence else ()
        return (*doubt, *self.pi.caveats)

    @property
    def all(self) -> tuple[Coefficient, ...]:
        """The coefficients, in the order in which they are reported."""
        return (self.spa, self.pi, self.kappa, self.alpha, self.ac1, self.bias)

    TABLES: ClassVar[Mapping[str, str | None]] = {
        "coefficients": None,
        "categories": "category",
        "annotators": "annotator",
    }

    def _summary(self) -> dict[str, Any]:
        return {**self.counts._asdict(), "lowest_category": self.categories.lowest}

    def _table(self, by: str | None) -> Table:
        """A row for each coefficient, or with ``by`` for each category or annotator."""
        make = {None: self._whole, "category": self._by_category, "annotator": self._by_annotator}
        make |= {
            name: functools.partial(make_it, self.basis) for name, make_it in _BY_BASIS.items()
        }
        table, counts = make[by](), self.counts
        who = counts.annotators
        if by in (None, "category") and self.categories.lowest is not None:
            table = replace(table, meanings={**table.meanings, _LOWEST: _LOWEST})
        return replace(
            table,
            settings=self.settings,
            caption=f"{'annotators unnamed' if who is None else counted(who, 'annotator')},"
            f" {counted(counts.items, 'item')}, {counts.compared} with two labels or more,"
            f" {counted(counts.labels, 'label')}, {counted(counts.pairs, 'pair')} of labels,"
            f" {counts.categories} categor{'y' if counts.categories == 1 else 'ies'}",
            remarks=[*table.remarks, *dict.fromkeys(self._remarks(by)), *self.caveats],
        )

    def _whole(self) -> Table:
        """SPA has three rows for people, and the bias a row of its own for them."""
        ci = self.settings.ci is not None
        columns = [Column("coefficient", " ", "name"), Column("corrected"), Column("jackknife")]
        columns += [Column("value", "value"), Column("", "interval" if ci else "", "interval")]
        columns += [Column("observed", "observed"), Column("expected", "expected")]
        columns += [Column(key, kind="count") for key in Counts._fields]
        columns += [Column("undefined", kind="json"), Column("interval", kind="json")]

        def row(name: str, part: Coefficient, value: float, kind: str = "corrected") -> list[Value]:
            both = (getattr(part, key, UNDEFINED) for key in ("corrected", "jackknife"))
            ends = getattr(part.interval, kind, _NO_ENDS)
            return [
                name,
                *both,
                value,
                ends,
                part.observed,
                part.expected,
                *self.counts,
                part.reason,
                part.interval,
            ]

        spa, bias = self.spa, self.bias
        rows = [
            row("SPA", spa, spa.value, "observed"),
            row("SPA corrected", spa, spa.corrected),
            row("SPA corrected, jackknife", spa, spa.jackknife),
            *(row(part.name, part, part.value) for part in self.all[1:]),
            row("bias B", bias, bias.value),
        ]
        rows[2][4:7], rows[8][5:7] = ("", "", ""), ("", "")
        meanings = {str(name): str(name) for i, (name, *_) in enumerate(rows) if i != 7}
        if {"measurement", "category_weights"} & self.settings.keys():
            meanings["α"] = "α of grades or sets"
        return Table(columns, rows, for_people={1, 2, 8}, for_data={7}, meanings=meanings)

    def _by_category(self) -> Table:
        columns = [
            Column("category", "category", "name"),
            Column("agreement", "agreement", meaning="agreement of a category"),
            Column("specific", "specific"),
            Column("agreements", kind="count"),
            Column("potential", kind="count"),
            Column("labels", kind="count"),
            Column("SPA", "SPA", meaning="SPA of a category"),
            *(Column(n, n, meaning="coefficient of a category") for n in ("π", "κ", "α", "AC1")),
            Column("B", "B"),
            Column("", "both", "count", spare=True),
            Column("", "either", "count", spare=True),
        ]
        rows: list[list[Value]] = []
        for name, part in self.categories.items():
            pairs = (part.agreements, part.potential)
            each = [getattr(w.by_category.get(name), "value", UNDEFINED) for w in self.all]
            rows.append([name, part.value, part.specific, *pairs, part.given, *each, *pairs])
        return Table(columns, rows)

    def _by_annotator(self) -> Table:
        columns = [
            Column("annotator", "annotator", "name", "annotator of labels"),
            Column("labels", "labels", "count"),
            Column("pairs", "pairs", "count", "pairs of labels"),
            Column("agreement", "agreement", meaning="agreement of an annotator"),
            Column("share_of_bias", "share of bias"),
        ]
        return Table(columns, [list(vars(who).values()) for who in self.annotators.values()])

    def _remarks(self, by: str | None) -> Iterator[str]:
        """Yield the lowest agreement by category, and why figures of the table are undefined."""
        if by in ("annotator", "pair"):
            if not self.annotators:
                yield "no rows: a table of counts does not say who gave which label"
        elif by != "item" and (lowest := self.categories.lowest) is not None:
            part, values = self.categories[lowest], [c.value for c in self.categories.values()]
            also = values.count(part.value) - 1
            yield (
                f"{_LOWEST}: {figure(lowest)}, {figure(part.value)} ({part.agreements} of"
                f" {counted(part.potential, 'pair')} in which one chose it)"
                + (f", and {also} more as low" if also else "")
            )
        for whole in self.all:
            if whole.reason:
                beyond = whole.reason.startswith("corrected: ")
                name = "SPA corrected" if beyond else whole.name
                yield f"{name} undefined: {whole.reason.removeprefix('corrected: ')}"
            elif by == "category":
                for each in whole.by_category.values():
                    if each.reason:
                        yield f"–: {whole.name} undefined: {each.reason}"
        if by is None and self.spa.jackknife_reason:
            yield f"jackknife undefined: {self.spa.jackknife_reason}"
        if by == "annotator" and not all(who.pairs for who in self.annotators.values()):
            yield "–: agreement undefined: no label of another on the same items"
        if by == "category":
            for each in self.categories.values():
                if each.reason:
                    yield f"–: agreement undefined: {each.reason}"

    def _picture(self, by: str | None) -> Picture:
        """Return the coefficients with their intervals; by category, or each annotator's share."""
        if by == "annotator":
            agreeing = [(x.name, [(x.agreement, *_NO_ENDS)]) for x in self.annotators.values()]
            what = "agreement with the others, as observed"
            return Picture(lambda ax: dots(ax, agreeing, [what], what), rows_size(self.annotators))
        if by == "category":
            split = [whole for whole in self.all[:-1] if whole.by_category]
            kinds, what = [whole.name for whole in split], "agreement by category"
            each = [
                (name, [(whole.by_category[name].value, *_NO_ENDS) for whole in split])
                for name in self.categories
            ]
            return Picture(lambda ax: dots(ax, each, kinds, what), rows_size(self.categories))
        rows = []
        for part in self.all[:-1]:
            kind = "observed" if part is self.spa else "corrected"
            rows.append((part.name, [(part.value, *getattr(part.interval, kind, _NO_ENDS))]))
        what = "agreement above chance (SPA: as observed)"
        return Picture(
            lambda ax: dots(ax, rows, ["value"], what), rows_size(name for name, _ in rows)
        )


_BY_BASIS = {"pair": pairs_table, "item": items_table}
_NO_ENDS = (math.nan, math.nan)
_LOWEST = "lowest agreement by category"


def coefficients(
    table: Labels,
    *,
    weights: Weights = "annotations_m1",
    class_distribution: Mapping[str, float] | None = None,
    complete_only: bool = False,
    ci: bool = False,
    confidence: float = 95,
    resamples: int | None = None,
    seed: int | None = None,
    interval: Interval | None = None,
    resample_by: ResampleBy = "unit",
    measurement: Measurement | None = None,
    category_weights: CategoryWeights | None = None,
    order: Sequence[str] | None = None,
) -> Coefficients:
    """Return SPA, π, κ, α, AC1, bias and agreement by category of one table.

    Every pair of labels counts with the weight of its two categories, which is 1 of equal ones and
    of nominal labels 0 of others. AC1 with other weights is AC2.

    Args:
        table: the labels; or tallies over blocks, of :func:`spanagree.token_labels`.
        weights: of SPA, flat, annotations, annotations_m1, edges, inverse_variance or
            inverse_variance_class.
        class_distribution: for SPA with the weights ``inverse_variance_class``.
        complete_only: only items that all annotators labelled.
        ci: confidence intervals, by resampling items, or of tokens their documents; see
            :func:`spanagree.evaluate` for ``confidence``, ``resamples``, ``seed``, ``interval`` and
            ``resample_by``.
            Of tallies over blocks, resamples are those that were drawn when they were made.
        measurement: what labels measure, nominal, ordinal, interval or ratio: the distances of α,
            and the weights of the others unless ``category_weights`` names them: identity,
            ordinal, quadratic, ratio.
        category_weights: how near two categories are, identity, linear, quadratic, ordinal, ratio,
            or of labels that are sets, such as ``a|b``, jaccard or masi; of α too, unless
            ``measurement`` is given.
        order: the categories from low to high, where they are not numbers.

    Raises:
        SettingError: as for :func:`spa`; for a number out of range; for labels that do not fit
            the measurement or the weights.

    >>> from spanagree.corpus.label_table import LabelTable
    >>> table = LabelTable.from_rows([(1, "ann", "x"), (1, "bob", "x"), (2, "ann", "y")])
    >>> [(row["coefficient"], row["value"]) for row in coefficients(table).to_rows()][:2]
    [('SPA', 1.0), ('π', 1.0)]
    """
    resampling = None
    if ci:
        how = (confidence, interval, resample_by)
        resampling = _resampling(table, *how, resamples=resamples, seed=seed)
    basis = Basis.of(table, complete_only, measurement, category_weights, order)
    return _scored(basis, weights, class_distribution, resampling)


def _scored(
    basis: Basis,
    weights: str,
    class_distribution: Mapping[str, float] | None,
    resampling: Resampling | None,
) -> Coefficients:
    """Return all coefficients of a basis, see :func:`coefficients`."""
    of_spa, of_bias = score_spa(basis, weights, class_distribution), score_bias(basis)
    of_chance = {name: score(sign, basis) for name, sign in _CORRECTED.items()}
    parts: dict[str, Any] = {"spa": of_spa, **of_chance, "bias": of_bias}
    settings = of_spa.settings
    if resampling is not None:
        settings = replace(settings, **resampling.settings())
        ends = {} if basis.nothing else intervals(basis, of_spa.weights, resampling)
        names = {"spa": "SPA", **_CORRECTED, "bias": "B"}
        parts = {key: replace(part, interval=ends.get(names[key])) for key, part in parts.items()}
    return Coefficients(
        **parts,
        categories=score_categories(basis),
        annotators=_labellers(basis, of_bias),
        counts=basis.counts,
        settings=settings,
        notes=of_spa.notes,
        units=basis.table.units,
        evidence=basis.evidence,
        basis=basis,
    )


def _labellers(basis: Basis, of_bias: Bias) -> dict[str, Labeller]:
    """Return what each annotator gave, and how it agrees with the others."""
    table, weights = basis.table, basis.nearness.weights
    gave, others, equal = table.beside
    if weights is not None and table.named:
        beside = neighbours(table) if isinstance(table, LabelTable) else table.neighbours
        who, one, other, number = beside[:4]
        equal = np.bincount(who, weights[one, other] * number, len(gave))
    columns = (column.tolist() for column in (gave, others, equal))
    shares = [of_bias.by_annotator.get(name, UNDEFINED) for name in table.annotators]
    return {
        name: Labeller(name, gave, others, equal / others if others else UNDEFINED, share)
        for name, gave, others, equal, share in zip(table.annotators, *columns, shares, strict=True)
    }


_CORRECTED = {"pi": "π", "kappa": "κ", "alpha": "α", "ac1": "AC1"}


def _resampling(
    table: Labels,
    confidence: float,
    interval: str | None,
    resample_by: str,
    **asked: int | None,
) -> Resampling | None:
    """Return how to resample; of tallies over blocks, as it was done when they were made."""
    over_blocks = isinstance(table, LabelTallies)
    drawn = table.resampling if isinstance(table, LabelTallies) else Resampling()
    if drawn is None:
        raise SettingError(
            "ci: over blocks resamples are drawn while blocks are read; ask for them there:"
            " token_labels(blocks, resamples=1000)"
        )
    had = {name: getattr(drawn, name) for name in asked}
    chosen = had | {name: number for name, number in asked.items() if number is not None}
    for name, number in chosen.items():
        if over_blocks and number != had[name]:
            raise SettingError(
                f"{name} {show(number)}; those of the blocks were drawn with {name} {had[name]}"
            )
    return asked_resampling(
        over_blocks, True, confidence, **chosen, interval=interval, resample_by=resample_by
    )
