"""All coefficients of a table at once, with what each category and each annotator adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from spanagree.blocks.poisson import poisson_resampling, poisson_settings
from spanagree.errors import SettingError, check_choice, show
from spanagree.labels.bias import Bias, bias
from spanagree.labels.by_category import Categories, category_agreement
from spanagree.labels.chance_corrected import ac1, alpha, kappa, pi
from spanagree.labels.coefficient import Coefficient, Counts
from spanagree.labels.intervals import coefficient_intervals, poisson_intervals
from spanagree.labels.patterns import Labels, LabelTallies
from spanagree.labels.spa import Spa, spa, spa_settings
from spanagree.matching.score import UNDEFINED, Score, plain
from spanagree.rendering.data import to_arrow
from spanagree.results import Shown, caveats
from spanagree.settings import signature
from spanagree.uncertainty.bootstrap import Resampling

BY = {
    "category": "a row for each category",
    "annotator": "a row for each annotator",
}
"""What the coefficients can be broken down by."""


@dataclass(frozen=True)
class Labeller:
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


@dataclass(frozen=True)
class Coefficients(Shown):
    """The result of :func:`coefficients`.

    Attributes:
        spa, pi, kappa, alpha, ac1, bias: the coefficients.
        categories: agreement on each category by itself.
        annotators: by name; empty for a table of counts.
        counts: the items, labels and pairs behind all of them.
        settings: what made the numbers.
        notes: what was read in another way than it stands.
        units: of tokens, the number of their documents.
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
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = field(default=())
    units: int | None = None

    @property
    def signature(self) -> str:
        """The settings that made the numbers, and the version, in one line."""
        return signature(self.settings)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        of = self.pi
        score = Score(of.observed, of.expected, of.value, interval=of.interval)
        noun = "item" if self.units is None else "document"
        return tuple(caveats("π", score, self.units or self.counts.compared, noun))

    @property
    def all(self) -> tuple[Coefficient, ...]:
        """The coefficients, in the order in which they are reported."""
        return (self.spa, self.pi, self.kappa, self.alpha, self.ac1, self.bias)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, for JSON; undefined is ``None``."""

        def bare(of: Coefficient) -> dict[str, Any]:
            left_out = ("counts", "signature", "by_category")
            return {key: value for key, value in of.to_dict().items() if key not in left_out}

        return {
            "signature": self.signature,
            "settings": dict(self.settings),
            "notes": list(self.notes),
            "caveats": list(self.caveats),
            "counts": self.counts._asdict(),
            "coefficients": [bare(of) for of in self.all],
            "lowest_category": self.categories.lowest,
            "categories": {
                name: {
                    "agreement": bare(of),
                    "coefficients": [
                        bare(whole.by_category[name]) for whole in self.all if whole.by_category
                    ],
                }
                for name, of in self.categories.items()
            },
            "annotators": [plain(vars(of)) for of in self.annotators.values()],
        }

    def to_rows(self, by: str | None = None) -> list[dict[str, Any]]:
        """The result as flat rows, for CSV or a data frame; undefined is ``nan``.

        A row for each coefficient, or with ``by`` for each category or annotator.

        Raises:
            SettingError: if ``by`` is not one of :data:`BY`.

        >>> from spanagree.corpus.label_table import LabelTable
        >>> table = LabelTable.from_rows([(1, "ann", "x"), (1, "bob", "x"), (2, "ann", "y")])
        >>> [(row["coefficient"], row["value"]) for row in coefficients(table).to_rows()][:2]
        [('SPA', 1.0), ('π', 1.0)]
        """
        if by is not None:
            check_choice(by, BY, "by")
        end = {"signature": self.signature}
        if by is None:
            nothing = {"corrected": UNDEFINED, "jackknife": UNDEFINED}
            return [
                {
                    "coefficient": of.name,
                    **nothing,
                    **of.figures(),
                    **self.counts._asdict(),
                    **end,
                }
                for of in self.all
            ]
        if by == "annotator":
            return [
                {
                    "annotator": of.name,
                    "labels": of.labels,
                    "pairs": of.pairs,
                    "agreement": of.agreement,
                    "share_of_bias": of.bias,
                    **end,
                }
                for of in self.annotators.values()
            ]
        return [
            {
                "category": name,
                "agreement": of.value,
                "specific": of.specific,
                "agreements": of.agreements,
                "potential": of.potential,
                "labels": of.given,
                **{
                    whole.name: whole.by_category[name].value if whole.by_category else UNDEFINED
                    for whole in self.all
                },
                **end,
            }
            for name, of in self.categories.items()
        ]

    def to_arrow(self, by: str | None = None) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        columns = {
            "annotator": ["annotator", "labels", "pairs", "agreement", "share_of_bias"],
            "category": [
                *("category", "agreement", "specific", "agreements", "potential", "labels"),
                *(whole.name for whole in self.all),
            ],
        }
        return to_arrow(self.to_rows(by), [*columns.get(by or "", ()), "signature"])


def coefficients(
    table: Labels,
    *,
    weights: str = "annotations_m1",
    class_distribution: Mapping[str, float] | None = None,
    complete_only: bool = False,
    ci: bool = False,
    confidence: float = 95,
    resamples: int | None = None,
    seed: int | None = None,
    interval: str | None = None,
) -> Coefficients:
    """SPA, π, κ, α, AC1, bias and agreement by category of one table.

    Args:
        table: the labels; or tallies over blocks, of :func:`spanagree.token_labels`.
        weights: of SPA, one of :data:`spanagree.sparse_agreement.WEIGHTS`.
        class_distribution: for SPA with the weights ``inverse_variance_class``.
        complete_only: only items that all annotators labelled.
        ci: confidence intervals, by resampling items, or of tokens their documents; see
            :func:`spanagree.evaluate` for ``confidence``, ``resamples``, ``seed``, ``interval``.
            Of tallies over blocks, resamples are those that were drawn when they were made.

    Raises:
        SettingError: as for :func:`spa`; for a number out of range.
    """
    resampling = _resampling(table, confidence, resamples, seed, interval) if ci else None
    table_used = table.complete() if complete_only else table
    chosen = {"complete_only": complete_only}
    of_spa = spa(table, weights, class_distribution=class_distribution, **chosen)
    of_bias = bias(table, **chosen)
    settings = spa_settings(table, weights, class_distribution, complete_only)
    if resampling is not None:
        over_blocks = isinstance(table, LabelTallies)
        settings |= poisson_settings(resampling) if over_blocks else resampling.settings()
    result = Coefficients(
        of_spa,
        pi(table, **chosen),
        kappa(table, **chosen),
        alpha(table, **chosen),
        ac1(table, **chosen),
        of_bias,
        category_agreement(table, **chosen),
        _labellers(table_used, of_bias),
        of_spa.counts,
        settings,
        (*table.notes, of_spa.note) if of_spa.note else table.notes,
        table_used.units,
    )
    if resampling is None or not result.counts.compared:
        return result
    if isinstance(table_used, LabelTallies):
        ends = poisson_intervals(table_used, of_spa.weights, resampling)
    else:
        ends = coefficient_intervals(table_used, of_spa.weights, resampling)
    fields = ("spa", "pi", "kappa", "alpha", "ac1", "bias")
    found = {f: replace(getattr(result, f), interval=ends[getattr(result, f).name]) for f in fields}
    return replace(result, **found)


def _resampling(
    table: Labels, confidence: float, resamples: int | None, seed: int | None, interval: str | None
) -> Resampling:
    """How to resample; of tallies over blocks, as it was done when they were made."""
    if not isinstance(table, LabelTallies):
        count = 10_000 if resamples is None else resamples
        return Resampling(confidence, count, 0 if seed is None else seed, interval or "bca")
    poisson_resampling(True, confidence, 1, 0, interval)
    if table.resampling is None:
        raise SettingError(
            "ci: over blocks resamples are drawn while blocks are read; ask for them there:"
            " token_labels(blocks, resamples=1000)"
        )
    drawn = replace(table.resampling, confidence=confidence)
    for name, asked, had in (
        ("resamples", resamples, drawn.resamples),
        ("seed", seed, drawn.seed),
    ):
        if asked not in (None, had):
            raise SettingError(
                f"{name} {show(asked)}; those of the blocks were drawn with {name} {had}"
            )
    return drawn


def _labellers(table: Labels, of_bias: Bias) -> dict[str, Labeller]:
    if not table.named:
        return {}
    columns = zip(table.annotators, *(of.tolist() for of in table.beside), strict=True)
    return {
        name: Labeller(
            name,
            gave,
            others,
            equal / others if others else UNDEFINED,
            of_bias.by_annotator.get(name, UNDEFINED),
        )
        for name, gave, others, equal in columns
    }
