"""Errors for overlaps within a layer, with the settings that would allow them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from spanagree.chance.model import ChanceModel
from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons.measures import (
    FORBIDDEN_BY_CHANCE,
    LABEL_OVERLAP,
    MEASURES,
    OVERLAP,
    SAME_BORDERS,
    are_compatible,
    find_forbidden_overlaps,
    list_measures,
)
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, find_first_overlap, find_first_twins
from spanagree.errors import OverlapError, format_setting, quote_value


def describe_incompatible(match: str, chance_name: str) -> OverlapError:
    """Build the error for a measure and a chance model that cannot be combined."""
    fitting = format_setting("chance", *(name for name in CHANCES if are_compatible(match, name)))
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


def check_segments(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Raise an error that names the first two contiguous segments with a forbidden overlap."""
    layer = corpus.layers[name]
    pairs = _find_forbidden_pairs(layer)
    chosen_names = {"match": match, "chance": chance.name}
    forbids = find_forbidden_overlaps(match, chance)
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
        "chance": FORBIDDEN_BY_CHANCE,
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
        if all(are_compatible(allowed_name, other_name) for other_name in allowed[candidate])
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


_IN_A_LAYER = {
    SAME_BORDERS: "annotator have the same boundaries",
    OVERLAP: "annotator overlap",
    LABEL_OVERLAP: "annotator and label overlap",
}

_REASON = "match {match} has chance only where no two segments of one {what}"


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
