"""Overlaps within a layer, which some measures and chance models forbid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from spanagree.chance.model import AUTO, NONE, ChanceModel
from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons.measures import (
    LABEL_OVERLAP,
    MEASURES,
    OVERLAP,
    SAME_BORDERS,
    find_measure,
    list_measures,
)
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, find_first_overlap, find_first_twins
from spanagree.errors import OverlapError, check_choice, format_setting, quote_value

_FORBIDDEN_BY_CHANCE = {"nonoverlapping": OVERLAP, "per-label": LABEL_OVERLAP, "overlapping": ""}


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
    if corpus.of_strings:
        from spanagree.comparisons.strings import (
            choose_chance_of_strings,  # most corpora have texts
        )

        return choose_chance_of_strings(corpus, chance)
    if chance.name != AUTO:
        return chance
    overlaps_present = _find_overlaps(corpus)
    fitting = (
        name
        for name, forbidden_overlap in _FORBIDDEN_BY_CHANCE.items()
        if forbidden_overlap not in overlaps_present and _are_compatible(match, name)
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
    if not _are_compatible(match, chance.name):
        raise _describe_incompatible(match, chance.name)
    forbidden = {*_find_forbidden_overlaps(match, chance).values()}
    if corpus.kind != "segments" or forbidden & _find_overlaps(corpus):
        for name in corpus.annotators if names is None else names:
            _CHECKS[corpus.kind](corpus, name, match, chance)
    if names is None and chance.name == AUTO:  # because of layers that are not compared
        problem = f"match {match} goes with no chance model that the segments of all layers allow"
        raise OverlapError.from_problem(problem, "read only the annotators to compare")


def _describe_incompatible(match: str, chance_name: str) -> OverlapError:
    """Build the error for a measure and a chance model that cannot be combined."""
    fitting = format_setting("chance", *(name for name in CHANCES if _are_compatible(match, name)))
    if chance_name == "per-label":
        return OverlapError.from_problem(
            f"match {match} pairs segments of any label, and of chance per-label only those of"
            " one label exclude each other",
            f"use {fitting}, or {format_setting('match', 'exact')}",
        )
    by_shares = list_measures(lambda measure: measure.kernel in ("cover", "offsets"))
    return OverlapError.from_problem(
        f"match {match} pairs segments of annotators who do not overlap themselves, and those"
        " of chance overlapping do",
        f"use {fitting}, or {format_setting('match', *by_shares)}",
    )


def _check_relations(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Raise an error for any measure of relations but exact; relations do not overlap."""
    check_choice(match, ("exact",), "match of relations")


def _check_pieces(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Raise an error if a layer has segments of several fragments that are not allowed."""
    from spanagree.comparisons.overlaps_of_pieces import check_pieces  # most have one piece

    check_pieces(corpus, name, match, chance)


def _check_segments(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Raise an error that names the first two contiguous segments with a forbidden overlap."""
    layer = corpus.layers[name]
    pairs = _find_forbidden_pairs(layer)
    chosen_names = {"match": match, "chance": chance.name}
    forbids = _find_forbidden_overlaps(match, chance)
    forbidden_by = {option: name for option, name in chosen_names.items() if pairs[forbids[option]]}
    if not forbidden_by:
        return
    overlap, *_ = (forbids[option] for option in forbidden_by)
    pair = pairs[overlap]
    assert pair is not None  # its overlap is forbidden
    description = "have the same boundaries" if overlap == SAME_BORDERS else "overlap"
    settings = " and ".join(f"{option} {setting}" for option, setting in forbidden_by.items())
    pairs_of_layers = [_find_forbidden_pairs(candidate) for candidate in corpus.layers.values()]
    tables = {
        "match": {name: candidate.forbids for name, candidate in MEASURES.items()},
        "chance": _FORBIDDEN_BY_CHANCE,
    }
    allowed = {
        option: [
            name
            for name in table
            if not any(overlap_pairs[table[name]] for overlap_pairs in pairs_of_layers)
        ]
        if option in forbidden_by
        else [chosen_names[option]]
        for option, table in tables.items()
    }
    option, candidate = ("match", "chance") if "match" in forbidden_by else ("chance", "match")
    allowed[option] = [
        allowed_name
        for allowed_name in allowed[option]
        if all(_are_compatible(allowed_name, other_name) for other_name in allowed[candidate])
    ]
    alternatives = " with ".join(
        format_setting(option, *allowed[option]) for option in forbidden_by
    )
    document = quote_value(corpus.id_of(int(layer.document[pair[0]])))
    raise OverlapError.from_problem(
        f"annotator {quote_value(name)}, document {document}: segments"
        f" {layer.describe(pair, corpus.labels)} {description}, which {settings} does not allow",
        f"{alternatives} would work",
        _REASON.format(match=match, what=_IN_A_LAYER[overlap]),
    )


_CHECKS = {"segments": _check_segments, "pieces": _check_pieces, "relations": _check_relations}
"""Functions that check a layer, for each kind of corpus."""

_IN_A_LAYER = {
    SAME_BORDERS: "annotator have the same boundaries",
    OVERLAP: "annotator overlap",
    LABEL_OVERLAP: "annotator and label overlap",
}
_REASON = "match {match} has chance only where no two segments of one {what}"


def _find_forbidden_overlaps(match: str, chance: ChanceModel) -> dict[str, str]:
    """Find the kinds of overlaps that a measure and a chance model forbid, by option.

    Without chance, a measure in which no segment counts twice forbids nothing.
    """
    measure = find_measure(match)
    is_free = bool(chance.undefined) and measure.pairs_once
    return {
        "match": "" if is_free else measure.forbids,
        "chance": _FORBIDDEN_BY_CHANCE.get(chance.name, ""),
    }


def _are_compatible(*names: str) -> bool:
    """Check whether measures and chance models with these names can be combined.

    Segments that are matched one-to-one must exclude each other at random.
    """
    measures = (find_measure(name) for name in names if name not in (AUTO, NONE, *CHANCES))
    one_to_one = [measure for measure in measures if measure.one_to_one]
    any_label = any(not measure.of_label for measure in one_to_one)
    return not (one_to_one and "overlapping" in names) and not (any_label and "per-label" in names)


def _find_forbidden_pairs(layer: Layer) -> Mapping[str, tuple[int, int] | None]:
    """Find the first two segments with each kind of overlap, ``None`` without such segments."""
    overlap = find_first_overlap(layer, np.zeros(len(layer), np.int64))
    same_label = None if overlap is None else find_first_overlap(layer, layer.label)
    return {
        "": None,
        SAME_BORDERS: None if overlap is None else find_first_twins(layer),
        OVERLAP: overlap,
        LABEL_OVERLAP: same_label,
    }
