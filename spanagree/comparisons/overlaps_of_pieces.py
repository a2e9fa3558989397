"""Segments of several pieces that overlap, which some measures refuse."""

from __future__ import annotations

from spanagree.comparisons.measures import LABEL_OVERLAP, SAME_BORDERS, find_match, measures
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import in_pieces
from spanagree.corpus.segments import first_overlap, first_twins
from spanagree.errors import SettingError, chosen, show


def check_pieces(corpus: Corpus, name: str, match: str) -> None:
    """Refuse what segments of several pieces do not allow.

    Those whose hulls overlap move together under every chance model.

    Raises:
        SettingError: naming the first two segments and a measure that would work.
    """
    measure = find_match(match)
    if measure.one_to_one:
        works = chosen("match", *measures(lambda other: not other.one_to_one))
        raise SettingError(
            f"match {match} pairs segments of one piece, and this corpus has some of several; use"
            f" {works}, or read with {chosen('discontinuous', 'hull', 'split', 'drop')}"
        )
    layer = corpus.layers[name]
    pair = None
    if measure.forbids == SAME_BORDERS:
        pair = first_twins(layer)
    elif measure.forbids:
        pieces, owner = in_pieces(layer)
        pair = first_overlap(pieces, pieces.label * (measure.forbids == LABEL_OVERLAP))
        pair = None if pair is None else (int(owner[pair[0]]), int(owner[pair[1]]))
    if pair is not None:
        is_same = measure.forbids == SAME_BORDERS
        what = "have the same pieces" if is_same else "have pieces that overlap"
        document = show(corpus.id_of(int(layer.document[pair[0]])))
        raise SettingError(
            f"annotator {show(name)}, document {document}: segments"
            f" {layer.describe(pair, corpus.labels)} {what}, which match {match} does not allow;"
            f" {chosen('match', 'exact')} would work"
        )
