"""Traits of a whole corpus that affect the comparison of each of its documents."""

from __future__ import annotations

from typing import NamedTuple

from spanagree.chance.start_distributions import is_long
from spanagree.corpus.corpus import Corpus


class CorpusKind(NamedTuple):
    """Traits of a corpus that the chance of all its documents depends on.

    If only some parts of a corpus have a trait, the rows of the other parts differ from those
    computed for the whole corpus.

    Attributes:
        offsets: unit of offsets.
        has_pieces: True if a segment has several fragments.
        is_long: True if a recording has too many units for sums over all of them.
        relations: labels of relations, if relations are compared.
        undirected: labels of relations without a direction.
    """

    offsets: str = "tokens"
    has_pieces: bool = False
    is_long: bool = False
    relations: frozenset[str] = frozenset()
    undirected: frozenset[str] = frozenset()

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> CorpusKind:
        """Find the traits of a corpus, or of a part of a corpus."""
        if not corpus.of_relations:
            return cls(corpus.offsets, corpus.has_pieces, is_long(corpus))
        from spanagree.comparisons.relation_places import RelationCorpus, find_directions

        assert isinstance(corpus, RelationCorpus)
        labels, undirected = find_directions(corpus)
        return cls(corpus.offsets, False, False, frozenset(labels), frozenset(undirected))
