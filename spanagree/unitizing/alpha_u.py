"""α_U: how far annotators agree on units of each category (Krippendorff 1995, 2004).

α_U = 1 − D_o/D_e, by category and over all. Documents that two annotators saw are compared: their
disagreements are summed with the weight L², L the length of the document, or the documents are
joined to one continuum, as the literature has it. What luck gives is either Krippendorff's, units
and gaps of all annotators put anywhere (alpha-u), or that of our own chance model, under which each
annotator keeps the number and lengths of her units (alpha-u-placed).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.blocks.poisson import asked_resampling
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_choice, printable
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.unitizing import continuum as sums_of
from spanagree.unitizing.alpha_u_result import AlphaU, AlphaUFigures, AlphaUSettings
from spanagree.unitizing.canonical import times_seen
from spanagree.unitizing.placed import CHANCES, expected_placed
from spanagree.unitizing.score import Disagreement, disagreement, undefined, with_intervals

MEASURES = {
    "alpha-u": "units and gaps of all annotators together, put anywhere",
    "alpha-u-placed": "our chance model: each annotator keeps number and lengths of her units",
}
"""What luck gives, by name."""

CONTINUA = {
    "summed": "every document is a continuum; disagreements are summed with weight L²",
    "joined": "the documents that all annotators saw make one continuum",
}
"""What becomes of several documents, by name."""


def alpha_u(
    corpus: Corpus,
    *,
    measure: str = "alpha-u",
    continuum: str = "summed",
    chance: str = "per-label",
    annotators: Sequence[str] | None = None,
    pairs: bool = False,
    ci: bool = False,
    confidence: float = 95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: str | None = None,
) -> AlphaU:
    """Return α_U of two or more annotators, by category and over all (Krippendorff 1995; 2004).

    Args:
        corpus: the annotations; units of one annotator and category must not overlap.
        measure: what luck gives, alpha-u or alpha-u-placed.
        continuum: what becomes of several documents, summed or joined.
        chance: the chance model of alpha-u-placed, per-label or overlapping.
        annotators: compare only these.
        pairs: whether each pair of annotators is compared too.
        ci, confidence, resamples, seed, interval: of intervals, by resampling documents.

    Raises:
        SettingError: for an unknown choice, or units that overlap.

    >>> corpus = Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> round(alpha_u(corpus).all.value, 4)
    0.8792
    """
    check_choice(measure, MEASURES, "measure")
    check_choice(continuum, CONTINUA, "continuum")
    check_choice(chance, CHANCES, "chance")
    if measure == "alpha-u-placed" and continuum == "joined":
        raise SettingError(
            "continuum joined: alpha-u-placed puts no unit into another document; use summed"
        )
    corpus = corpus if annotators is None else corpus.of_annotators(annotators)
    resampling = asked_resampling(False, ci, confidence, resamples, seed, interval)
    settings = AlphaUSettings(
        measure=measure,
        continuum=continuum,
        chance=chance if measure == "alpha-u-placed" else None,
        chosen=None if annotators is None else list(annotators),
        offsets=corpus.offsets,
        reading=corpus.reading,
        **({} if resampling is None else resampling.settings()),
    )
    return _compared(corpus, settings, resampling, pairs)


def _compared(
    corpus: Corpus, settings: AlphaUSettings, resampling: Resampling | None, pairs: bool
) -> AlphaU:
    """Return the result for all annotators, and for each two of them if asked for."""
    names = corpus.annotators
    team = _figures(corpus, settings, resampling)
    by_pair = {
        (one, other): _figures(corpus.of_annotators([one, other]), settings, resampling)
        for i, one in enumerate(names)
        for other in names[i + 1 :]
        if pairs
    }
    notes = [*corpus.notes]
    if left := len(corpus) - team.documents:
        who = "all annotators" if settings.continuum == "joined" else "two annotators"
        notes.append(f"{left} of {len(corpus)} documents not seen by {who}, left out")
    return AlphaU(team, by_pair, names, settings, tuple(notes), resampling)


class _Table(NamedTuple):
    """What each document adds to observed and expected disagreement, and both weights.

    (documents, all and each label, 4); ``documents`` are how many of the corpus are compared, which
    joined are one.
    """

    sums: Floats
    documents: int


def _table(corpus: Corpus, settings: AlphaUSettings) -> _Table:
    joined = settings.continuum == "joined"
    if settings.measure == "alpha-u-placed":
        corpus = corpus.of_annotators(sorted(corpus.annotators))  # canonical order
    units = sums_of.continua(corpus, joined)
    if settings.measure == "alpha-u-placed":
        luck = expected_placed(units, str(settings.chance))
    else:
        luck = sums_of.expected(units)
    sums = np.zeros((len(units.lengths), 1 + len(corpus.labels), 4))
    weight = units.lengths.astype(np.float64) ** 2
    sums[:, :, 2:] = weight[:, None, None]
    sums[units.document, 1 + units.label, 0] = sums_of.observed(units)
    sums[units.document, 1 + units.label, 1] = luck
    for column in (0, 1):
        sums[:, 0, column] = [math.fsum(row) for row in sums[:, 1:, column].tolist()]
    who = times_seen(corpus)
    least = len(corpus.layers) if joined else 2
    return _Table(sums, int(((who >= 2) & (who >= least)).sum()))


def _figures(
    corpus: Corpus, settings: AlphaUSettings, resampling: Resampling | None
) -> AlphaUFigures:
    """Return α_U of some annotators."""
    table = _table(corpus, settings)
    if not table.documents:
        who = "all annotators" if settings.continuum == "joined" else "two annotators"
        nothing = undefined(f"no document that {who} saw")
        return AlphaUFigures(nothing, dict.fromkeys(corpus.labels, nothing), 0)
    made = [_disagreement(table, 0, "nothing is marked")] + [
        _disagreement(table, 1 + k, f"no {printable(label)} is marked")
        for k, label in enumerate(corpus.labels)
    ]
    if resampling is not None:
        made = with_intervals(made, table.sums, resampling)
    return AlphaUFigures(made[0], dict(zip(corpus.labels, made[1:], strict=True)), table.documents)


def _disagreement(table: _Table, k: int, nothing: str) -> Disagreement:
    observed, luck, weight = (math.fsum(column.tolist()) for column in table.sums[:, k, :3].T)
    if luck == 0 and observed == 0:
        there = table.sums[:, k, 0].any()
        return undefined(nothing if not there else "luck alone gives no disagreement")
    return disagreement(observed / weight, luck / weight, "luck alone gives no disagreement")
