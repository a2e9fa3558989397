"""Coefficients of agreement on items with labels: π, κ, α and AC1.

Two to many annotators, complete or with gaps; :mod:`spanagree.labels.formulas` has the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np

from spanagree.arrays import Floats, Ints, ranks
from spanagree.corpus.label_counts import LabelCounts
from spanagree.corpus.label_table import LabelTable
from spanagree.errors import InputError, check_keywords, counted
from spanagree.labels.category_weights import (
    NOMINAL,
    WeightMatrices,
    is_graded,
    weight_matrices_of,
    weighted_agreement,
    weighted_agreement_by_item,
)
from spanagree.labels.coefficient import Coefficient, CoefficientSettings, Counts
from spanagree.labels.formulas import CoefficientKind, CoefficientSet, Sums, rows_of, sums_by_n
from spanagree.results.score import corrected

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

    from spanagree.choices import CategoryWeights, Measurement

_KINDS = ("observed", "expected", "value")

LabelsLike: TypeAlias = "LabelTable | Mapping[Any, Sequence[object]] | Sequence[Any] | Any"
"""A table of labels, or what :meth:`LabelTable.from_annotators` makes one of."""


class Options(TypedDict, total=False):
    """Which items count, and how near labels are; see :func:`spanagree.coefficients`."""

    complete_only: bool
    measurement: Measurement | None
    category_weights: CategoryWeights | None
    order: Sequence[str] | None


def pi(table: LabelsLike, *others: Sequence[object], **options: Unpack[Options]) -> Coefficient:
    """Return π (Scott 1955; for more than two annotators Fleiss 1971, who calls it kappa).

    A_e = Σ_k P(k)²: one distribution for all annotators. By category it is Fleiss's κ_j.

    Args:
        table: the labels; or a list of labels for each annotator, as a list or one by one:
            ``pi(a, b)``; ``None`` and ``nan`` are missing.
        others: the labels of other annotators, if the first are those of one.
        options: ``complete_only`` (of counts: only items with the most labels), ``measurement``,
            ``category_weights`` and ``order``, as for :func:`spanagree.coefficients`.

    Raises:
        SettingError: for what :func:`spanagree.coefficients` refuses.

    >>> table = LabelTable.from_rows(
    ...     (i, who, label)
    ...     for who, labels in {"Alice": "YYNYNYNNYY", "Bill": "YYNNYYYNYY"}.items()
    ...     for i, label in enumerate(labels)
    ... )
    >>> round(pi(table).value, 4)  # Artstein & Poesio 2005, 13.2
    0.3407
    """
    return _of_table(CoefficientSet.pi, table, others, options)


def kappa(table: LabelsLike, *others: Sequence[object], **options: Unpack[Options]) -> Coefficient:
    """Return κ (Cohen 1960; for more than two Artstein & Poesio 2005 = Conger 1980).

    A_e = Σ_k of the mean over pairs of annotators of P(k|c_m)·P(k|c_n): a distribution for each
    annotator, over all she labelled. Undefined for a table of counts. With ``category_weights`` it
    is weighted κ (Cohen 1968); see :func:`spanagree.coefficients`.

    Raises:
        SettingError: for what :func:`spanagree.coefficients` refuses.

    >>> round(kappa(["yes", "no", "yes"], ["yes", "no", "no"]).value, 3)
    0.4
    >>> grades = [(1, "ann", 1), (1, "bob", 2), (2, "ann", 3), (2, "bob", 3)]
    >>> round(kappa(LabelTable.from_rows(grades), category_weights="quadratic").value, 4)
    0.6667
    """
    return _of_table(CoefficientSet.kappa, table, others, options)


def alpha(table: LabelsLike, *others: Sequence[object], **options: Unpack[Options]) -> Coefficient:
    """Return α (Krippendorff 2011): 1 − D_o/D_e of the coincidence matrix.

    ``observed`` is 1 − D_o and ``expected`` 1 − D_e, with distances from 0 to 1; items with one
    label do not count. Labels are nominal unless ``measurement`` says otherwise; see
    :func:`spanagree.coefficients`.

    Raises:
        SettingError: for what :func:`spanagree.coefficients` refuses.

    >>> table = LabelTable.from_counts([[2, 0], [2, 0], [1, 1], [0, 2]], ["O", "X"])
    >>> round(alpha(table).value, 3), round(alpha([[1, 1, 1, 2], [1, 1, 2, 2]]).value, 3)
    (0.533, 0.533)
    """
    return _of_table(CoefficientSet.alpha, table, others, options)


def ac1(table: LabelsLike, *others: Sequence[object], **options: Unpack[Options]) -> Coefficient:
    """Return AC1 (Gwet 2008): A_e = Σ_k P(k)(1 − P(k)) / (q − 1), q the categories declared.

    With ``category_weights`` it is AC2 (Gwet 2014); see :func:`spanagree.coefficients`.

    Raises:
        SettingError: for what :func:`spanagree.coefficients` refuses.

    >>> table = LabelTable.from_counts([[2, 0], [2, 0], [1, 1]], ["O", "X"])
    >>> round(ac1(table).value, 3)
    0.538
    """
    return _of_table(CoefficientSet.ac1, table, others, options)


def _of_table(
    kind: CoefficientKind[Coefficient],
    table: LabelsLike,
    others: Sequence[Sequence[object]],
    options: Options,
) -> Coefficient:
    check_keywords(options, Options.__annotations__)
    labels = [table, *others] if others else table
    return score(kind, Basis.of(labels, **options))


@dataclass(frozen=True, eq=False)
class Basis:
    """The labels that coefficients are made of, and what all coefficients share.

    Attributes:
        table: the labels; of complete items only if that was asked for.
        settings: what is made of them, and how they were read.
        weight_matrices: how near the categories are.
        kind: what labels measure, or how near they are, if it was said.
    """

    table: LabelTable
    settings: CoefficientSettings
    weight_matrices: WeightMatrices = NOMINAL
    kind: str | None = None

    @classmethod
    def of(
        cls,
        table: LabelsLike,
        complete_only: bool = False,
        measurement: Measurement | None = None,
        category_weights: CategoryWeights | None = None,
        order: Sequence[str] | None = None,
    ) -> Basis:
        """Return the basis of a table.

        Raises:
            InputError: for what is not a table.
            SettingError: for weights that do not fit the labels.
        """
        if isinstance(table, (list, tuple, Mapping, np.ndarray)):
            table = LabelTable.from_annotators(table)
        if not isinstance(table, LabelTable):
            raise InputError(
                f"{type(table).__name__}; a LabelTable is needed: LabelTable.from_rows, read_labels"
                " and token_labels make one"
            )
        chosen_table = table.complete() if complete_only else table
        fewer = complete_only and chosen_table.counts[1].sum() < table.counts[1].sum()
        chosen: dict[str, Any] = {
            "categories": len(table.labels),
            "complete_only": bool(fewer) or None,
        }
        near = weight_matrices_of(chosen_table, measurement, category_weights, order)
        if not near.nominal:
            named = order if order is None else list(order)
            chosen |= {"measurement": measurement, "category_weights": category_weights}
            chosen |= {"order": named}
        settings = CoefficientSettings.read({**table.reading, **chosen})
        return cls(chosen_table, settings, near, measurement or category_weights)

    @cached_property
    def counts(self) -> Counts:
        """What a coefficient of the table rests on."""
        n, items, _, _ = self.table.counts
        return Counts(
            int(items.sum()),
            int(items[n >= 2].sum()),
            int(self.own.any(axis=1).sum()) if self.table.named else None,
            int((n * items).sum()),
            int((n * (n - 1) // 2 * items).sum()),
            len(self.table.labels),
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was read in another way than it stands, or should have been."""
        table, notes = self.table, self.table.notes
        if self.kind is None and is_graded(table):
            low, *_, high, highest = sorted(table.labels, key=float)
            note = (
                f"{counted(len(table.labels), 'number')} are labels, and nominal figures treat"
                f" {high} and {highest} as different as {low} and {highest}; --measurement ordinal"
                " or interval (measurement=) regards how far apart they are"
            )
            return (*notes, note)
        return notes

    @cached_property
    def nothing(self) -> str:
        """Why nothing can be compared; empty if something can."""
        items, compared, annotators, *_ = self.counts
        if compared:
            return ""
        if self.settings.complete_only and not items:
            return "no item was labelled by all annotators"
        if annotators is not None and annotators < 2:
            return f"{counted(annotators, 'annotator')}; agreement needs two"
        return "no item has two labels"

    @cached_property
    def ranks(self) -> Ints:
        """The place of each annotator among the names, sorted."""
        return ranks(self.table.annotators)

    @cached_property
    def own(self) -> Ints:
        """Labels by annotator, in the order of the names, and category."""
        return self.table.own[np.argsort(self.ranks)]

    @cached_property
    def sums(self) -> Sums:
        """The sums over all items; one row."""
        return self.weighted_sums(np.zeros(len(self.table.counts.n)))

    def weighted_sums(self, weights: Floats) -> Sums:
        """Return the same sums with SPA's weights, by the number of labels."""
        n, items, given, _ = self.table.counts
        agreeing, of_alpha = (agreement[None] for agreement in self._credit)
        annotator_labels = self.own.reshape(1, -1)
        counts = LabelCounts(n, items[None], given[None], agreeing)
        return sums_by_n(counts, annotator_labels, weights, of_alpha, self.weight_matrices)

    @cached_property
    def _credit(self) -> tuple[Any, Any]:
        """Pairs of labels by their weights, and by those of α; see ``weighted_agreement``."""
        return weighted_agreement(self.table, self.weight_matrices.weights), weighted_agreement(
            self.table, self.weight_matrices.alpha
        )

    @cached_property
    def weighted_agreement_by_item(self) -> Any:
        """Ordered pairs of labels of each item by their weights; (items,)."""
        return weighted_agreement_by_item(self.table, self.weight_matrices.weights)

    @cached_property
    def evidence(self) -> tuple[int, ...]:
        """How many items (of tokens, documents) have two labels, any apart, and any near."""
        table, credit = self.table, self.weighted_agreement_by_item
        if self.weight_matrices.weights is None:
            return table.evidence
        return table.evidence_of(credit > 0)

    @cached_property
    def against_rest(self) -> Sums:
        """The sums for each category, with all others made one; a row for each."""
        n, items, given, agreeing = self.table.counts
        total = n * items
        gave = self.own.T
        # of equal pairs among the rest: (n − x)(n − x − 1) for x of the category
        rest = (n - 1) * total - 2 * (n - 1) * given.T + agreeing.T
        counts = LabelCounts(
            n,
            np.tile(items, (len(gave), 1)),
            np.stack((given.T, total - given.T), axis=-1),
            np.stack((agreeing.T, rest), axis=-1),
        )
        of_two = np.stack((gave, gave.sum(axis=0) - gave), axis=-1).reshape(len(gave), -1)
        return sums_by_n(counts, of_two, np.zeros(len(n)), None, NOMINAL)

    def shared(self, kind: CoefficientKind[Any] | None = None) -> dict[str, Any]:
        """Return the fields of a coefficient, or agreement R, that no formula decides."""
        return {
            "name": "R" if kind is None else kind.sign_with(self.weight_matrices),
            "counts": self.counts,
            "settings": self.settings,
            "notes": self.notes,
            "units": self.table.units,
            "evidence": self.evidence,
        }

    def undefined(self, kind: CoefficientKind[Any]) -> str:
        """Return why nothing of a coefficient is defined; empty if something is."""
        table = self.table
        return self.nothing or kind.undefined(has_names=table.named, n_categories=len(table.labels))


def score(kind: CoefficientKind[Coefficient], basis: Basis) -> Coefficient:
    """Compute a coefficient that is corrected for chance, also of each category by itself."""
    shared = basis.shared(kind)
    if reason := basis.undefined(kind):
        return Coefficient(**shared, reason=reason)
    of_one = {**shared, "name": kind.sign}  # against all others, which is nominal
    parts = {
        label: Coefficient(**of_one, **_fields(row))
        for label, row in zip(basis.table.labels, rows_of(kind, basis.against_rest), strict=True)
    }
    return Coefficient(**shared, **_fields(*rows_of(kind, basis.sums)), by_category=parts)


def _fields(row: Sequence[float]) -> dict[str, Any]:
    """Return the figures of a coefficient, and why its value is undefined."""
    reason = corrected(row[0], row[1]).reason
    return {**dict(zip(_KINDS, row, strict=True)), "reason": reason}
