"""Overlaps of segments of several fragments, which some measures forbid."""

from __future__ import annotations

from spanagree.chance.model import ChanceModel
from spanagree.comparisons.measures import LABEL_OVERLAP, SAME_BORDERS, find_measure, list_measures
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import split_into_pieces
from spanagree.corpus.segments import find_first_overlap, find_first_twins
from spanagree.errors import OverlapError, format_setting, quote_value


def check_pieces(corpus: Corpus, name: str, match: str, chance: ChanceModel) -> None:
    """Raise an error if a layer has segments of several fragments that are not allowed.

    Under every chance model, segments with overlapping hulls move together. Without chance,
    measures of shared tokens may be matched one-to-one.

    Raises:
        OverlapError: naming the first two segments, and a measure that allows them.
    """
    measure = find_measure(match)
    is_free = bool(chance.undefined) and measure.pairs_once
    if is_free and (measure.kernel == "equal" or measure.of_shared is not None):
        return
    if measure.one_to_one:
        alternatives = format_setting(
            "match", *list_measures(lambda candidate: not candidate.one_to_one)
        )
        raise OverlapError.from_problem(
            f"match {match} pairs segments of one piece, and this corpus has some of several",
            f"use {alternatives}, or read with"
            f" {format_setting('discontinuous', 'hull', 'split', 'drop')}",
            f"match {match} has chance only where segments have one piece",
        )
    layer = corpus.layers[name]
    pair = None
    if measure.forbids == SAME_BORDERS:
        pair = find_first_twins(layer)
    elif measure.forbids:
        pieces, owner = split_into_pieces(layer)
        pair = find_first_overlap(pieces, pieces.label * (measure.forbids == LABEL_OVERLAP))
        pair = None if pair is None else (int(owner[pair[0]]), int(owner[pair[1]]))
    if pair is not None:
        is_same = measure.forbids == SAME_BORDERS
        relation = "have the same pieces" if is_same else "have pieces that overlap"
        document = quote_value(corpus.id_of(int(layer.document[pair[0]])))
        raise OverlapError.from_problem(
            f"annotator {quote_value(name)}, document {document}: segments"
            f" {layer.describe(pair, corpus.labels)} {relation}, which match {match} does not"
            " allow",
            f"{format_setting('match', 'exact')} would work",
            f"match {match} has chance only where no two segments of one annotator {relation}",
        )
