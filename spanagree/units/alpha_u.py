"""α_U: how far annotators agree on units of each category (Krippendorff 1995, 2004).

α_U = 1 − D_o/D_e, by category and over all. Documents that two annotators saw are compared: their
disagreements are summed with the weight L², L the length of the document, or the documents are
joined to one continuum, as the literature has it. What chance gives are units and gaps of
all annotators put anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from spanagree.choices import Continuum
from spanagree.corpus.roles import as_list
from spanagree.errors import check_choice, counted, printable
from spanagree.formats.guessed import CorpusLike, source_of
from spanagree.parts.each import Part, whole_corpus
from spanagree.uncertainty.confidence import Jackknife, parse_ci, settings_with
from spanagree.units.alpha_u_count import ALL, CountedUnits, UnitCounting, count
from spanagree.units.alpha_u_result import AlphaU, AlphaUFigures
from spanagree.units.score import (
    disagreement,
    over_documents,
    undefined,
    with_intervals,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

CONTINUA = {
    "summed": "every document is a continuum; disagreements are summed with weight L²",
    "joined": "the documents that all annotators saw make one continuum",
}
"""What becomes of several documents, by name."""


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
    """Return α_U of two or more annotators, by category and over all (Krippendorff 1995; 2004).

    Args:
        corpus: the annotations; units of one annotator and category must not overlap. Or parts,
            as for :func:`spanagree.evaluate`.
        continuum: what becomes of several documents, summed or joined.
        annotators: compare only these.
        pairs: whether each pair of annotators is compared too.
        ci: whether, or how, figures get intervals, over documents.
        executor: of parts: any ``concurrent.futures.Executor``, whose workers read them.
        progress: called with the number of tables (or parts) done, and of all if known.

    Raises:
        SettingError: for an unknown choice, or units that overlap.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> round(alpha_u(corpus).all.value, 4)
    0.8792
    """
    joined = whole_corpus(source_of(corpus), executor, progress)
    annotators = as_list(annotators)
    check_choice(continuum, CONTINUA, "continuum")
    jackknife = parse_ci(ci, clusters=False)
    counting = UnitCounting(
        continuum=continuum, annotators=annotators, pairs=pairs, progress=progress
    )
    return _result(count(joined, counting), pairs, jackknife)


def _result(counts: CountedUnits, pairs: bool, jackknife: Jackknife | None) -> AlphaU:
    """Return the result for all annotators, and for each two of them if asked for."""
    names, settings = counts.annotators, settings_with(counts.settings, jackknife)
    team = _figures(counts, (), jackknife)
    by_pair = {two: _figures(counts, two, jackknife) for two in combinations(names, 2) if pairs}
    notes = [*counts.notes]
    if left := counts.documents - team.documents:
        documents = counted(counts.documents, "document")
        notes.append(f"{left} of {documents} not seen by {_who(counts)}, left out")
    return AlphaU(team, by_pair, names, counts.documents, settings, tuple(notes), jackknife)


def _who(counts: CountedUnits) -> str:
    return "all annotators" if counts.settings.continuum == "joined" else "two annotators"


def _figures(
    counts: CountedUnits, names: tuple[str, ...], jackknife: Jackknife | None
) -> AlphaUFigures:
    """Return α_U of all annotators, or of two."""
    key = tuple(sorted(names))
    sums = counts.sums.get(key)
    if sums is None or not sums.documents:
        nobody = undefined(f"no document that {_who(counts)} saw")
        return AlphaUFigures(nobody, dict.fromkeys(counts.labels, nobody), 0)
    (weight,) = sums.weight.tolist()
    figures = []
    for label in (ALL, *counts.labels):
        observed, by_chance = sums.figures[label].tolist() if label in sums.figures else (0, 0)
        if label in sums.figures:
            nothing = "chance alone gives no disagreement"
            figures.append(disagreement(observed / weight, by_chance / weight, nothing))
        else:
            what = "nothing" if label is ALL else f"no {printable(label)}"
            figures.append(undefined(f"{what} is marked"))
    if jackknife is not None:
        ends = over_documents(counts.per_document[key].sums, jackknife)
        figures = with_intervals(figures, ends)
    return AlphaUFigures(
        figures[0], dict(zip(counts.labels, figures[1:], strict=True)), sums.documents
    )
