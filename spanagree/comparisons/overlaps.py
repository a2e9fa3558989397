"""Overlaps within a layer, which some measures and chance models forbid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from spanagree.chance.model import AUTO, NONE, ChanceModel
from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons.measures import (
    FORBIDDEN_BY_CHANCE,
    LABEL_OVERLAP,
    OVERLAP,
    SAME_BORDERS,
    are_compatible,
    find_forbidden_overlaps,
)
from spanagree.corpus.corpus import Corpus
from spanagree.errors import OverlapError, check_choice


def choose_chance_of_corpus(corpus: Corpus, match: str, chance: ChanceModel) -> ChanceModel:
    """Choose the chance model of a corpus: for auto, the first model that all layers allow.

    Models that are not compatible with the measure are skipped. If no model is left, the measure
    forbids these segments too: the model stays auto, and :func:`check_layers` raises an error that
    names the overlap.

    Args:
        corpus: annotations with at least the layers that are compared.
        match: name of the measure.
        chance: chance model, or auto.

    >>> layers = {"a": [[(0, 3, "X"), (1, 2, "Y")]], "b": [[(0, 3, "X")]]}
    >>> corpus = Corpus.from_segments([5], layers)
    >>> from spanagree.chance.model import build_chance_model
    >>> models = [build_chance_model("auto"), build_chance_model("overlapping")]
    >>> [choose_chance_of_corpus(corpus, "exact", model).name for model in models]
    ['per-label', 'overlapping']
    """
    if corpus.unplaced:
        corpus.check_placed()
    if chance.undefined:
        return chance
    if chance.name != AUTO:
        return chance
    overlaps_present = _find_overlaps(corpus)
    fitting = (
        name
        for name, forbidden_overlap in FORBIDDEN_BY_CHANCE.items()
        if forbidden_overlap not in overlaps_present and are_compatible(match, name)
    )
    return replace(chance, name=next(fitting, AUTO))


def _find_overlaps(corpus: Corpus) -> set[str]:
    """Find the kinds of overlaps in a corpus that measures and chance models may forbid.

    The result is empty for segments of several fragments: those that overlap move together under
    every chance model.
    """
    if corpus.kind != "segments" or not corpus.has_overlaps:
        return set()
    return {SAME_BORDERS, OVERLAP} | ({LABEL_OVERLAP} if corpus.has_label_overlaps else set())


def find_widest_chance(names: Iterable[str]) -> str:
    """Find the chance model that all parts of a corpus allow, from the model of each part."""
    first_name, *other_names = dict.fromkeys(names)
    return (
        max((first_name, *other_names), key=[*CHANCES, NONE].index) if other_names else first_name
    )


def check_layers(
    corpus: Corpus, match: str, chance: ChanceModel, names: Iterable[str] | None = None
) -> None:
    """Raise an error for the first layer with overlaps that the measure or chance model forbids.

    Args:
        corpus: annotations.
        match: name of the measure.
        chance: chance model.
        names: names of the annotators. Default: all, under a chance model that all of them allow.

    Raises:
        SettingError: naming the first two segments and alternative settings; for an unknown
            measure, or one that the chance model does not go with.
    """
    if not are_compatible(match, chance.name):
        from spanagree.comparisons.overlap_errors import describe_incompatible  # for an error only

        raise describe_incompatible(match, chance.name)
    forbidden = {*find_forbidden_overlaps(match, chance).values()}
    if corpus.kind != "segments" or forbidden & _find_overlaps(corpus):
        for name in corpus.annotators if names is None else names:
            _CHECKS[corpus.kind](corpus, name, match, chance)
    if names is None and chance.name == AUTO:  # because of layers that are not compared
        problem = f"match {match} goes with no chance model that the segments of all layers allow"
        raise OverlapError.from_problem(problem, "read only the annotators to compare")


def _check_relations(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Raise an error for any measure of relations but exact; relations do not overlap."""
    check_choice(match, ("exact",), "match of relations")


def _check_contiguous(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Raise an error if a layer has contiguous segments with a forbidden overlap."""
    from spanagree.comparisons.overlap_errors import check_segments  # most layers have no overlap

    check_segments(corpus, name, match, chance)


def _check_pieces(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Raise an error if a layer has segments of several fragments that are not allowed."""
    from spanagree.comparisons.overlaps_of_pieces import check_pieces  # most have one piece

    check_pieces(corpus, name, match, chance)


_CHECKS = {
    "segments": _check_contiguous,
    "strings": _check_contiguous,
    "pieces": _check_pieces,
    "relations": _check_relations,
}
"""Functions that check a layer, for each kind of corpus."""
