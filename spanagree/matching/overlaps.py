"""Layers that overlap themselves, which some measures and chance models refuse."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from spanagree.arrays import Ints
from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_choice, show
from spanagree.matching.measures import MATCHES, find_match

# --- layers that a measure or a chance model cannot take ----------------------------------------


def check_layer(corpus: Corpus, name: str, match: str, chance: str) -> None:
    """Refuses a layer that overlaps itself where the measure or the chance model forbids it.

    Raises:
        SettingError: naming the first two segments and the settings that would work; for an
            unknown measure or chance model.
    """
    if find_match(match).route == "one-to-one" and chance == "overlapping":
        raise SettingError(
            f"match {match} pairs segments of layers that do not overlap themselves, and those of"
            " chance overlapping do; use chance nonoverlapping or per-label, or match token or iou"
        )
    _check(corpus, name, match, chance)


def check_chance(corpus: Corpus, name: str, chance: str) -> None:
    """Refuses a layer that overlaps itself where the chance model forbids it.

    Raises:
        SettingError: naming the first two segments and the models that would work.
    """
    _check(corpus, name, "exact", chance)  # which forbids nothing


def _check(corpus: Corpus, name: str, match: str, chance: str) -> None:
    check_choice(chance, CHANCES, "chance")
    layer = corpus.layers[name]
    one = np.zeros(len(layer), np.int64)
    overlap = _first_overlap(layer, one)
    if overlap is None:
        return
    of_label = _first_overlap(layer, layer.label)
    boundaries = _first_twins(layer)
    forbids: Mapping[str, tuple[int, int] | None] = {
        "exact": None,
        "boundaries": boundaries,
        "token": of_label,
        "iou": of_label,
        "overlap": of_label,
        "nonoverlapping": overlap,
        "per-label": of_label,
        "overlapping": None,
    }
    refused = [setting for setting in (match, chance) if forbids[setting] is not None]
    if not refused:
        return
    pair = forbids[refused[0]] or (0, 0)
    d = int(layer.document[pair[0]])
    spans = " and ".join(
        f"{layer.start[s]}–{layer.end[s]} {show(corpus.labels[layer.label[s]])}" for s in pair
    )
    what = "have the same boundaries" if refused[0] == "boundaries" else "overlap"
    works = [
        f"{kind} {' or '.join(choice for choice in table if forbids[choice] is None)}"
        for kind, table, setting in (("match", MATCHES, match), ("chance", CHANCES, chance))
        if setting in refused
    ]
    raise SettingError(
        f"{show(name)}, document {show(corpus.id_of(d))}: segments {spans} {what}, which"
        f" {' and '.join(f'{_kind(setting)} {setting}' for setting in refused)} does not allow;"
        f" {' with '.join(works)} would work"
    )


def _kind(setting: str) -> str:
    return "match" if setting in MATCHES else "chance"


def _first_overlap(layer: Layer, label: Ints) -> tuple[int, int] | None:
    """The first two segments of a document (and label) that share a token."""
    if len(layer) < 2:
        return None
    order = np.lexsort((layer.start, label, layer.document))
    stretch = int(layer.end.max()) + 1
    _, cell = np.unique(layer.document * (label.max() + 1) + label, return_inverse=True)
    start, end = (cell * stretch + layer.start)[order], (cell * stretch + layer.end)[order]
    reach = np.maximum.accumulate(end)
    shared = start[1:] < reach[:-1]
    if not shared.any():
        return None
    later = int(shared.argmax()) + 1
    earlier = int(np.flatnonzero(end[:later] == reach[later - 1])[0])
    return int(order[earlier]), int(order[later])


def _first_twins(layer: Layer) -> tuple[int, int] | None:
    """The first two segments of a document with the same start and end."""
    same = np.logical_and.reduce(
        [np.diff(column) == 0 for column in (layer.document, layer.start, layer.end)]
    )
    i = int(same.argmax()) if same.any() else -1
    return None if i < 0 else (i, i + 1)
