"""Layers that overlap themselves, which some measures and chance models refuse."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from spanagree.arrays import Ints, distinct
from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.overlaps import overlapping
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_choice, show
from spanagree.matching.measures import MATCHES, find_match


def check_names(match: str, chance: str) -> None:
    """Refuse an unknown measure or chance model.

    Raises:
        SettingError: naming those that there are.
    """
    find_match(match)
    check_choice(chance, CHANCES, "chance")


def check_layer(corpus: Corpus, name: str, match: str, chance: str) -> None:
    """Refuse a layer that overlaps itself where the measure or the chance model forbids it.

    Raises:
        SettingError: naming the first two segments and the settings that would work; for an
            unknown measure or chance model.
    """
    check_names(match, chance)
    if find_match(match).route == "one-to-one" and chance == "overlapping":
        raise SettingError(
            f"match {match} pairs segments of layers that do not overlap themselves, and those of"
            " chance overlapping do; use chance nonoverlapping or per-label, or match token or iou"
        )
    layer = corpus.layers[name]
    overlap = _first_overlap(layer, np.zeros(len(layer), np.int64))
    if overlap is None:
        return
    same_label = _first_overlap(layer, layer.label)
    forbidden: Mapping[str, tuple[int, int] | None] = {
        "exact": None,
        "boundaries": _first_twins(layer),
        "token": same_label,
        "iou": same_label,
        "overlap": same_label,
        "nonoverlapping": overlap,
        "per-label": same_label,
        "overlapping": None,
    }
    kinds = (("match", match, MATCHES), ("chance", chance, CHANCES))
    refused = [(kind, setting, table) for kind, setting, table in kinds if forbidden[setting]]
    if not refused:
        return
    pair = forbidden[refused[0][1]] or overlap
    what = "have the same boundaries" if refused[0][1] == "boundaries" else "overlap"
    settings = " and ".join(f"{kind} {setting}" for kind, setting, _ in refused)
    works = " with ".join(
        f"{kind} {' or '.join(choice for choice in table if forbidden[choice] is None)}"
        for kind, _, table in refused
    )
    document = show(corpus.id_of(int(layer.document[pair[0]])))
    raise SettingError(
        f"{show(name)}, document {document}: segments {layer.describe(pair, corpus.labels)}"
        f" {what}, which {settings} does not allow; {works} would work"
    )


def _first_overlap(layer: Layer, label: Ints) -> tuple[int, int] | None:
    """Return the first two segments of a document (and label) that share a token."""
    _, cell, _ = distinct(layer.document, label)
    later, earlier = overlapping(cell, layer.start, layer.end)
    return (int(earlier[0]), int(later[0])) if len(later) else None


def _first_twins(layer: Layer) -> tuple[int, int] | None:
    """Return the first two segments of a document with the same start and end."""
    columns = (layer.document, layer.start, layer.end)
    same = np.logical_and.reduce([np.diff(column) == 0 for column in columns])
    first = np.flatnonzero(same)[:1].tolist()
    return (first[0], first[0] + 1) if first else None
