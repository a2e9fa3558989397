"""Layers that overlap themselves, which some measures and chance models refuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from spanagree.chance.model import AUTO, NONE, ChanceModel
from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons.measures import (
    LABEL_OVERLAP,
    MEASURES,
    OVERLAP,
    SAME_BORDERS,
    find_measure,
    measures,
)
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, first_overlap, first_twins
from spanagree.errors import OverlapError, check_choice, chosen, quote_value

_FORBIDDEN_BY_CHANCE = {"nonoverlapping": OVERLAP, "per-label": LABEL_OVERLAP, "overlapping": ""}


def chance_of_corpus(corpus: Corpus, match: str, chance: ChanceModel) -> ChanceModel:
    """Return the chance model of a corpus: of auto the first that all of its layers allow.

    One that does not go with the measure is passed over. Where none is left, the measure forbids
    these segments too: it stays auto, and :func:`check_layer` says what overlaps.

    Args:
        corpus: all layers that are compared, or from which some are chosen.
        match: the measure.
        chance: the chance model, or auto.

    >>> layers = {"a": [[(0, 3, "X"), (1, 2, "Y")]], "b": [[(0, 3, "X")]]}
    >>> corpus = Corpus.from_segments([5], layers)
    >>> from spanagree.chance.model import chance_model
    >>> models = [chance_model("auto"), chance_model("overlapping")]
    >>> [chance_of_corpus(corpus, "exact", model).name for model in models]
    ['per-label', 'overlapping']
    """
    if corpus.of_strings:
        from spanagree.comparisons.strings import chance_of_strings  # most corpora have texts

        return chance_of_strings(corpus, chance)
    if chance.name != AUTO:
        return chance
    held = _overlaps_of(corpus)
    fitting = (
        name
        for name, forbidden in _FORBIDDEN_BY_CHANCE.items()
        if forbidden not in held and _go_together(match, name)
    )
    return chance.named(next(fitting, AUTO))


def _overlaps_of(corpus: Corpus) -> set[str]:
    """Return what of that which measures and chance models forbid some layer may have.

    Nothing of segments of several pieces, as those that overlap move as one under every model.
    """
    if corpus.kind != "segments" or not corpus.has_overlaps:
        return set()
    return {SAME_BORDERS, OVERLAP} | ({LABEL_OVERLAP} if corpus.has_label_overlaps else set())


def widest_chance(names: Iterable[str]) -> str:
    """Return the name of the chance model that a whole allows, of those of its parts."""
    first, *others = dict.fromkeys(names)
    return max((first, *others), key=[*CHANCES, NONE].index) if others else first


def check_layers(corpus: Corpus, match: str, chance: ChanceModel) -> None:
    """Refuse the first layer that overlaps itself where the measure or chance model forbids it.

    Raises:
        SettingError: as for :func:`check_layer`.
    """
    names = corpus.annotators
    forbidden = {*_forbidden_by(match, chance).values()}
    if corpus.kind != "pieces" and not forbidden & _overlaps_of(corpus):
        names = names[:1]  # nothing is forbidden in any layer; settings are looked at
    for name in names:
        check_layer(corpus, name, match, chance)
    if chance.name == AUTO:  # of layers that are not compared
        problem = f"match {match} goes with no chance model that the segments of all layers allow"
        raise OverlapError.of(problem, "read only the annotators to compare")


def check_layer(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Refuse a layer that overlaps itself where the measure or the chance model forbids it.

    Raises:
        SettingError: naming the first two segments and the settings that would work; for an
            unknown measure.
    """
    find_measure(match)
    if not _go_together(match, chance.name):
        fitting = chosen("chance", *(name for name in CHANCES if _go_together(match, name)))
        if chance.name == "per-label":
            raise OverlapError.of(
                f"match {match} pairs segments of any label, and of chance per-label only those of"
                " one label exclude each other",
                f"use {fitting}, or {chosen('match', 'exact')}",
            )
        by_shares = measures(lambda other: other.kernel in ("cover", "offsets"))
        raise OverlapError.of(
            f"match {match} pairs segments of annotators who do not overlap themselves, and those"
            " of chance overlapping do",
            f"use {fitting}, or {chosen('match', *by_shares)}",
        )
    _CHECKS[corpus.kind](corpus, name, match, chance)


def _check_relations(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Refuse any measure of relations but exact; they do not overlap."""
    check_choice(match, ("exact",), "match of relations")


def _check_pieces(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    from spanagree.comparisons.overlaps_of_pieces import check_pieces  # most have one piece

    check_pieces(corpus, name, match, chance)


def _check_segments(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Refuse segments of one piece that overlap, naming the first two."""
    layer = corpus.layers[name]
    pairs = _forbidden(layer)
    chosen_names = {"match": match, "chance": chance.name}
    forbids = _forbidden_by(match, chance)
    refused = {kind: name for kind, name in chosen_names.items() if pairs[forbids[kind]]}
    if not refused:
        return
    first, *_ = (forbids[kind] for kind in refused)
    pair = pairs[first]
    assert pair is not None  # as it is refused
    what = "have the same boundaries" if first == SAME_BORDERS else "overlap"
    settings = " and ".join(f"{kind} {setting}" for kind, setting in refused.items())
    pairs_of_layers = [_forbidden(other) for other in corpus.layers.values()]
    tables = {
        "match": {name: other.forbids for name, other in MEASURES.items()},
        "chance": _FORBIDDEN_BY_CHANCE,
    }
    allowed = {
        kind: [name for name in table if not any(x[table[name]] for x in pairs_of_layers)]
        if kind in refused
        else [chosen_names[kind]]
        for kind, table in tables.items()
    }
    kind, other = ("match", "chance") if "match" in refused else ("chance", "match")
    allowed[kind] = [c for c in allowed[kind] if all(_go_together(c, o) for o in allowed[other])]
    works = " with ".join(chosen(kind, *allowed[kind]) for kind in refused)
    document = quote_value(corpus.id_of(int(layer.document[pair[0]])))
    raise OverlapError.of(
        f"annotator {quote_value(name)}, document {document}: segments"
        f" {layer.describe(pair, corpus.labels)} {what}, which {settings} does not allow",
        f"{works} would work",
        _REASON.format(match=match, what=_IN_A_LAYER[first]),
    )


_CHECKS = {"segments": _check_segments, "pieces": _check_pieces, "relations": _check_relations}
"""What refuses a layer of each kind of corpus."""

_IN_A_LAYER = {
    SAME_BORDERS: "annotator have the same boundaries",
    OVERLAP: "annotator overlap",
    LABEL_OVERLAP: "annotator and label overlap",
}
_REASON = "match {match} has chance only where no two segments of one {what}"


def _forbidden_by(match: str, chance: ChanceModel) -> dict[str, str]:
    """Return what a measure and a chance model forbid two segments of a layer.

    Without chance, a measure in which no segment counts twice forbids nothing.
    """
    measure = find_measure(match)
    is_free = bool(chance.undefined) and measure.pairs_once
    return {
        "match": "" if is_free else measure.forbids,
        "chance": _FORBIDDEN_BY_CHANCE.get(chance.name, ""),
    }


def _go_together(*names: str) -> bool:
    """Return whether a measure goes with a chance model; each is known by its name.

    Segments that are paired one to one exclude each other at random, as far as they are paired.
    """
    measures = (find_measure(name) for name in names if name not in (AUTO, NONE, *CHANCES))
    paired = [measure for measure in measures if measure.one_to_one]
    any_label = any(not measure.of_label for measure in paired)
    return not (paired and "overlapping" in names) and not (any_label and "per-label" in names)


def _forbidden(layer: Layer) -> Mapping[str, tuple[int, int] | None]:
    """Return two segments that have what measures and chance models forbid, or ``None``."""
    overlap = first_overlap(layer, np.zeros(len(layer), np.int64))
    same_label = None if overlap is None else first_overlap(layer, layer.label)
    return {
        "": None,
        SAME_BORDERS: None if overlap is None else first_twins(layer),
        OVERLAP: overlap,
        LABEL_OVERLAP: same_label,
    }
