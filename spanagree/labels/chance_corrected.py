"""Coefficients of agreement on items with labels: π, κ, α and AC1.

Each is (A_o − A_e) / (1 − A_e), with A_o the observed agreement and A_e its expectation under a
model of chance; :mod:`spanagree.labels.formulas` has the formulas. There may be two annotators or
more, with complete labels or with gaps, which are missing labels. Sums over items are shaped
(1, columns) for a table, and (categories, columns) for coefficients by category: each row treats
one category and all others together as two categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np

from spanagree.arrays import Floats, Ints, dense_ranks
from spanagree.corpus.label_counts import LabelCounts
from spanagree.corpus.label_table import LabelTable
from spanagree.errors import InputError, check_keywords, pluralize
from spanagree.labels.category_weights import (
    NOMINAL,
    WeightMatrices,
    compute_weight_matrices,
    is_graded,
    sum_weighted_agreement,
    sum_weighted_agreement_by_item,
)
from spanagree.labels.coefficient import Coefficient, CoefficientSettings, Counts
from spanagree.labels.formulas import (
    CoefficientKind,
    CoefficientSet,
    CoefficientSums,
    compute_rows,
    compute_sums_by_n,
)
from spanagree.results.score import build_corrected_score

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

    from spanagree.choices import CategoryWeights, Measurement

_KINDS = ("observed", "expected", "value")

LabelsLike: TypeAlias = "LabelTable | Mapping[Any, Sequence[object]] | Sequence[Any] | Any"
"""Table of labels, or an argument of :meth:`LabelTable.from_annotators`."""


class LabelOptions(TypedDict, total=False):
    """Options on items and weights of labels; see :func:`spanagree.coefficients`."""

    complete_only: bool
    measurement: Measurement | None
    category_weights: CategoryWeights | None
    order: Sequence[str] | None


def pi(
    table: LabelsLike, *others: Sequence[object], **options: Unpack[LabelOptions]
) -> Coefficient:
    """Compute π (Scott 1955; for more than two annotators Fleiss 1971, who calls it kappa).

    A_e = Σ_k P(k)², with one distribution P for all annotators. By category it is Fleiss's κ_j.

    Args:
        table: labels; or a list with a list of labels for each annotator; or the labels of the
            first annotator, as in ``pi(a, b)``. ``None`` and ``nan`` are missing labels.
        others: labels of the other annotators, if `table` contains those of the first.
        options: ``complete_only`` (for counts: only items with the most labels), ``measurement``,
            ``category_weights`` and ``order``; see :func:`spanagree.coefficients`.

    Raises:
        SettingError: if :func:`spanagree.coefficients` raises it.

    >>> table = LabelTable.from_rows(
    ...     (i, who, label)
    ...     for who, labels in {"Alice": "YYNYNYNNYY", "Bill": "YYNNYYYNYY"}.items()
    ...     for i, label in enumerate(labels)
    ... )
    >>> round(pi(table).value, 4)  # Artstein & Poesio 2005, 13.2
    0.3407
    """
    return _compute_coefficient(CoefficientSet.pi, table, others, options)


def kappa(
    table: LabelsLike, *others: Sequence[object], **options: Unpack[LabelOptions]
) -> Coefficient:
    """Compute κ (Cohen 1960; for more than two annotators Artstein & Poesio 2005 = Conger 1980).

    A_e = Σ_k P(k|c_m)·P(k|c_n), averaged over pairs of annotators m, n. Each annotator has a
    distribution over all their labels. Undefined for a table of counts. With ``category_weights``
    this is weighted κ (Cohen 1968); see :func:`spanagree.coefficients`.

    Raises:
        SettingError: if :func:`spanagree.coefficients` raises it.

    >>> round(kappa(["yes", "no", "yes"], ["yes", "no", "no"]).value, 3)
    0.4
    >>> grades = [(1, "ann", 1), (1, "bob", 2), (2, "ann", 3), (2, "bob", 3)]
    >>> round(kappa(LabelTable.from_rows(grades), category_weights="quadratic").value, 4)
    0.6667
    """
    return _compute_coefficient(CoefficientSet.kappa, table, others, options)


def alpha(
    table: LabelsLike, *others: Sequence[object], **options: Unpack[LabelOptions]
) -> Coefficient:
    """Compute α (Krippendorff 2011): 1 − D_o/D_e of the coincidence matrix.

    ``observed`` is 1 − D_o and ``expected`` 1 − D_e, with distances from 0 to 1. Items with one
    label do not count. Labels are nominal by default; see ``measurement`` in
    :func:`spanagree.coefficients`.

    Raises:
        SettingError: if :func:`spanagree.coefficients` raises it.

    >>> table = LabelTable.from_counts([[2, 0], [2, 0], [1, 1], [0, 2]], ["O", "X"])
    >>> round(alpha(table).value, 3), round(alpha([[1, 1, 1, 2], [1, 1, 2, 2]]).value, 3)
    (0.533, 0.533)
    """
    return _compute_coefficient(CoefficientSet.alpha, table, others, options)


def ac1(
    table: LabelsLike, *others: Sequence[object], **options: Unpack[LabelOptions]
) -> Coefficient:
    """Compute AC1 (Gwet 2008): A_e = Σ_k P(k)(1 − P(k)) / (q − 1), with q declared categories.

    With ``category_weights`` this is AC2 (Gwet 2014); see :func:`spanagree.coefficients`.

    Raises:
        SettingError: if :func:`spanagree.coefficients` raises it.

    >>> table = LabelTable.from_counts([[2, 0], [2, 0], [1, 1]], ["O", "X"])
    >>> round(ac1(table).value, 3)
    0.538
    """
    return _compute_coefficient(CoefficientSet.ac1, table, others, options)


def _compute_coefficient(
    definition: CoefficientKind[Coefficient],
    table: LabelsLike,
    other_labels: Sequence[Sequence[object]],
    options: LabelOptions,
) -> Coefficient:
    """Compute a coefficient from a table, or from the labels of each annotator.

    Args:
        definition: definition of the coefficient.
        table: labels, or labels of the first annotator.
        other_labels: labels of the other annotators; empty if ``table`` has all labels.
        options: options on items and weights.
    """
    check_keywords(options, LabelOptions.__annotations__)
    labels_by_annotator = [table, *other_labels] if other_labels else table
    return score_coefficient(
        definition, CoefficientInputs.from_table(labels_by_annotator, **options)
    )


@dataclass(frozen=True, eq=False)
class CoefficientInputs:
    """Inputs that all coefficients of a table share.

    Attributes:
        table: labels; only those of complete items if requested.
        settings: settings of the computation and of reading.
        weight_matrices: weights of categories.
        kind: requested measurement or category weights; ``None`` by default.
    """

    table: LabelTable
    settings: CoefficientSettings
    weight_matrices: WeightMatrices = NOMINAL
    kind: str | None = None

    @classmethod
    def from_table(
        cls,
        table: LabelsLike,
        complete_only: bool = False,
        measurement: Measurement | None = None,
        category_weights: CategoryWeights | None = None,
        order: Sequence[str] | None = None,
    ) -> CoefficientInputs:
        """Build the inputs from a table or from lists of labels.

        The arguments are those of :func:`spanagree.coefficients`.

        Raises:
            InputError: if `table` is no table and cannot be converted.
            SettingError: if the weights do not fit the labels.
        """
        if isinstance(table, (list, tuple, Mapping, np.ndarray)):
            table = LabelTable.from_annotators(table)
        if not isinstance(table, LabelTable):
            raise InputError(
                f"{type(table).__name__}; a LabelTable is needed: LabelTable.from_rows, read_labels"
                " and token_labels make one"
            )
        compared_table = table.complete() if complete_only else table
        is_reduced = complete_only and compared_table.counts[1].sum() < table.counts[1].sum()
        table_settings: dict[str, Any] = {
            "categories": len(table.labels),
            "complete_only": bool(is_reduced) or None,
        }
        weight_matrices = compute_weight_matrices(
            compared_table, measurement, category_weights, order
        )
        if not weight_matrices.is_nominal:
            category_order = order if order is None else list(order)
            table_settings |= {"measurement": measurement, "category_weights": category_weights}
            table_settings |= {"order": category_order}
        settings = CoefficientSettings.from_mapping({**table.reading, **table_settings})
        return cls(compared_table, settings, weight_matrices, measurement or category_weights)

    @cached_property
    def counts(self) -> Counts:
        """Numbers of items, annotators, labels, pairs and categories."""
        n_labels, n_items, _, _ = self.table.counts
        return Counts(
            int(n_items.sum()),
            int(n_items[n_labels >= 2].sum()),
            int(self.counts_by_annotator.any(axis=1).sum()) if self.table.named else None,
            int((n_labels * n_items).sum()),
            int((n_labels * (n_labels - 1) // 2 * n_items).sum()),
            len(self.table.labels),
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes on changes to the data while reading, and on labels that are probably grades."""
        table, notes = self.table, self.table.notes
        if self.kind is None and is_graded(table):
            lowest, *_, second_highest, highest = sorted(table.labels, key=float)
            note = (
                f"{pluralize(len(table.labels), 'number')} are labels, and nominal figures treat"
                f" {second_highest} and {highest} as different as {lowest} and {highest};"
                " --measurement ordinal or interval (measurement=) regards how far apart they are"
            )
            return (*notes, note)
        return notes

    @cached_property
    def no_pairs_reason(self) -> str:
        """Reason why no labels can be compared; empty if any can."""
        n_items, n_compared, n_annotators, *_ = self.counts
        if n_compared:
            return ""
        if self.settings.complete_only and not n_items:
            return "no item was labelled by all annotators"
        if n_annotators is not None and n_annotators < 2:
            return f"{pluralize(n_annotators, 'annotator')}; agreement needs two"
        return "no item has two labels"

    @cached_property
    def ranks(self) -> Ints:
        """Rank of each annotator's name in sorted order."""
        return dense_ranks(self.table.annotators)

    @cached_property
    def counts_by_annotator(self) -> Ints:
        """Number of labels by annotator, sorted by name, and category; (annotators, categories)."""
        return self.table.own[np.argsort(self.ranks)]

    @cached_property
    def sums(self) -> CoefficientSums:
        """Sums over all items, in one row."""
        return self.compute_weighted_sums(np.zeros(len(self.table.counts.n)))

    def compute_weighted_sums(self, weights: Floats) -> CoefficientSums:
        """Compute the sums over all items with weights of SPA.

        Args:
            weights: weight k of an item, for each distinct number of labels.
        """
        n_labels, n_items, n_given, _ = self.table.counts
        agreeing, agreeing_for_alpha = (agreement[None] for agreement in self._agreement_credit)
        annotator_labels = self.counts_by_annotator.reshape(1, -1)
        counts = LabelCounts(n_labels, n_items[None], n_given[None], agreeing)
        return compute_sums_by_n(
            counts, annotator_labels, weights, agreeing_for_alpha, self.weight_matrices
        )

    @cached_property
    def _agreement_credit(self) -> tuple[Any, Any]:
        """Weighted pairs of labels, with the general weights and with those of α."""
        return sum_weighted_agreement(
            self.table, self.weight_matrices.weights
        ), sum_weighted_agreement(self.table, self.weight_matrices.alpha)

    @cached_property
    def weighted_agreement_by_item(self) -> Any:
        """Sum of the weights of the ordered pairs of labels of each item; (items,)."""
        return sum_weighted_agreement_by_item(self.table, self.weight_matrices.weights)

    @cached_property
    def evidence(self) -> tuple[int, ...]:
        """Numbers of items with two labels, with a disagreement, and with an agreement.

        For tokens these are numbers of documents.
        """
        table, weighted_pairs = self.table, self.weighted_agreement_by_item
        if self.weight_matrices.weights is None:
            return table.evidence
        return table.evidence_of(weighted_pairs > 0)

    @cached_property
    def against_rest(self) -> CoefficientSums:
        """Sums of tables with two categories, one row for each category against all others."""
        n_labels, n_items, n_given, agreeing = self.table.counts
        n_labels_of_items = n_labels * n_items
        n_by_category = self.counts_by_annotator.T
        # with x labels of the category, the other categories have (n − x)(n − x − 1) equal pairs
        rest_agreeing = (
            (n_labels - 1) * n_labels_of_items - 2 * (n_labels - 1) * n_given.T + agreeing.T
        )
        counts = LabelCounts(
            n_labels,
            np.tile(n_items, (len(n_by_category), 1)),
            np.stack((n_given.T, n_labels_of_items - n_given.T), axis=-1),
            np.stack((agreeing.T, rest_agreeing), axis=-1),
        )
        n_by_annotator = np.stack(
            (n_by_category, n_by_category.sum(axis=0) - n_by_category), axis=-1
        ).reshape(len(n_by_category), -1)
        return compute_sums_by_n(counts, n_by_annotator, np.zeros(len(n_labels)), None, NOMINAL)

    def build_shared_fields(self, definition: CoefficientKind[Any] | None = None) -> dict[str, Any]:
        """Build the fields that do not depend on a formula; for agreement R without a kind."""
        return {
            "name": "R" if definition is None else definition.sign_with(self.weight_matrices),
            "counts": self.counts,
            "settings": self.settings,
            "notes": self.notes,
            "units": self.table.units,
            "evidence": self.evidence,
        }

    def explain_undefined(self, definition: CoefficientKind[Any]) -> str:
        """Explain why a coefficient is entirely undefined; empty if it is not."""
        table = self.table
        return self.no_pairs_reason or definition.explain_undefined(
            has_names=table.named, n_categories=len(table.labels)
        )


def score_coefficient(
    definition: CoefficientKind[Coefficient], inputs: CoefficientInputs
) -> Coefficient:
    """Compute a chance-corrected coefficient, overall and for each category against all others.

    Args:
        definition: definition of the coefficient.
        inputs: labels and weights of categories; coefficients by category are always nominal.
    """
    shared_fields = inputs.build_shared_fields(definition)
    if reason := inputs.explain_undefined(definition):
        return Coefficient(**shared_fields, reason=reason)
    # a category against the others is nominal
    category_fields = {
        **shared_fields,
        "name": definition.sign,
    }
    by_category = {
        label: Coefficient(**category_fields, **_build_score_fields(row))
        for label, row in zip(
            inputs.table.labels, compute_rows(definition, inputs.against_rest), strict=True
        )
    }
    return Coefficient(
        **shared_fields,
        **_build_score_fields(*compute_rows(definition, inputs.sums)),
        by_category=by_category,
    )


def _build_score_fields(row: Sequence[float]) -> dict[str, Any]:
    """Build the figures of a coefficient, and the reason if its value is undefined."""
    reason = build_corrected_score(row[0], row[1]).reason
    return {**dict(zip(_KINDS, row, strict=True)), "reason": reason}
