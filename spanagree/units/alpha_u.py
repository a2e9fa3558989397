"""Agreement α_U on units of each category (Krippendorff 1995, 2004).

    α_U = 1 − D_o / D_e,

for each category, and for all with the sums of D_o and of D_e over categories. Documents seen by
two annotators or more are compared. Either the disagreements of documents are summed with the
weight L², L the length of a document, or documents are joined to one continuum, as in the papers.
D_e is the expected disagreement if the units and gaps of all annotators are placed anywhere; see
:mod:`spanagree.units.continuum`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from spanagree.choices import Continuum
from spanagree.corpus.roles import as_list
from spanagree.errors import check_choice, escape_name, pluralize
from spanagree.formats.guessed import CorpusLike, as_corpus_or_parts
from spanagree.parts.each import Part, read_whole_corpus
from spanagree.uncertainty.confidence import Jackknife, add_interval_settings, parse_ci
from spanagree.units.alpha_u_count import (
    ALL,
    DisagreementCounts,
    DisagreementOptions,
    sum_disagreements,
)
from spanagree.units.alpha_u_result import AlphaU, AlphaUFigures
from spanagree.units.score import (
    add_intervals,
    build_document_intervals,
    build_undefined,
    compute_coefficient,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

CONTINUA = {
    "summed": "every document is a continuum; disagreements are summed with weight L²",
    "joined": "the documents that all annotators saw make one continuum",
}
"""Treatments of several documents, by name."""


def alpha_u(
    corpus: CorpusLike | Iterable[Part],
    *,
    continuum: Continuum = "summed",
    annotators: Sequence[str] | None = None,
    pairs: bool = False,
    ci: bool | Jackknife = False,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> AlphaU:
    """Compute α_U of two or more annotators, by category and overall (Krippendorff 1995; 2004).

    Args:
        corpus: annotations, or parts of them (see :func:`spanagree.evaluate`). Units of the same
            annotator and category must not overlap.
        continuum: treatment of several documents, summed or joined.
        annotators: names of the annotators to compare. Default: all.
        pairs: True to compare each pair of annotators too.
        ci: True for intervals over documents, False for none, or a :class:`Jackknife`.
        executor: ``concurrent.futures.Executor`` with workers that read parts.
        progress: callback that receives the number of finished tables (or parts), and of all if
            known.

    Raises:
        SettingError: if a choice is unknown, or units of an annotator and category overlap.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> round(alpha_u(corpus).all.value, 4)
    0.8792
    """
    joined = read_whole_corpus(as_corpus_or_parts(corpus), executor, progress)
    annotators = as_list(annotators)
    check_choice(continuum, CONTINUA, "continuum")
    jackknife = parse_ci(ci, clusters=False)
    counting = DisagreementOptions(
        continuum=continuum, annotators=annotators, pairs=pairs, progress=progress
    )
    return _build_result(sum_disagreements(joined, counting), pairs, jackknife)


def _build_result(counts: DisagreementCounts, pairs: bool, jackknife: Jackknife | None) -> AlphaU:
    """Build the result for all annotators, and for each pair if requested, from sums."""
    names, settings = counts.annotators, add_interval_settings(counts.settings, jackknife)
    team = _compute_coefficients(counts, (), jackknife)
    by_pair = {
        pair: _compute_coefficients(counts, pair, jackknife)
        for pair in combinations(names, 2)
        if pairs
    }
    notes = [*counts.notes]
    if n_left_out := counts.documents - team.documents:
        documents = pluralize(counts.documents, "document")
        notes.append(
            f"{n_left_out} of {documents} not seen by {_name_required_annotators(counts)}, left out"
        )
    return AlphaU(team, by_pair, names, counts.documents, settings, tuple(notes), jackknife)


def _name_required_annotators(counts: DisagreementCounts) -> str:
    """Name the annotators that must have seen a document so that it is compared."""
    return "all annotators" if counts.settings.continuum == "joined" else "two annotators"


def _compute_coefficients(
    counts: DisagreementCounts, names: tuple[str, ...], jackknife: Jackknife | None
) -> AlphaUFigures:
    """Compute α_U over all labels and for each label.

    Args:
        counts: sums of disagreements.
        names: names of two annotators; empty for all annotators.
        jackknife: request for intervals; ``None`` without.
    """
    sorted_names = tuple(sorted(names))
    sums = counts.sums.get(sorted_names)
    if sums is None or not sums.documents:
        no_coefficient = build_undefined(
            f"no document that {_name_required_annotators(counts)} saw"
        )
        return AlphaUFigures(no_coefficient, dict.fromkeys(counts.labels, no_coefficient), 0)
    (weight,) = sums.weight.tolist()
    figures = []
    for label in (ALL, *counts.labels):
        observed, by_chance = sums.figures[label].tolist() if label in sums.figures else (0, 0)
        if label in sums.figures:
            no_chance_reason = "chance alone gives no disagreement"
            figures.append(
                compute_coefficient(observed / weight, by_chance / weight, no_chance_reason)
            )
        else:
            subject = "nothing" if label is ALL else f"no {escape_name(label)}"
            figures.append(build_undefined(f"{subject} is marked"))
    if jackknife is not None:
        ends = build_document_intervals(counts.per_document[sorted_names].sums, jackknife)
        figures = add_intervals(figures, ends)
    return AlphaUFigures(
        figures[0], dict(zip(counts.labels, figures[1:], strict=True)), sums.documents
    )
