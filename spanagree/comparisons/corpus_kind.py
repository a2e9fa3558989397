"""Traits of a whole corpus that affect the comparison of each of its documents."""

from __future__ import annotations

from collections.abc import Sequence
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

    @classmethod
    def join(cls, traits_of_parts: Sequence[CorpusKind]) -> CorpusKind:
        """Combine the traits of the parts of a corpus into those of the whole corpus."""
        from spanagree.corpus.times import look_up_ticks  # few corpora come in parts

        return cls(
            min((traits.offsets for traits in traits_of_parts), key=look_up_ticks),
            any(traits.has_pieces for traits in traits_of_parts),
            any(traits.is_long for traits in traits_of_parts),
            frozenset().union(*(traits.relations for traits in traits_of_parts)),
            frozenset().union(*(traits.undirected for traits in traits_of_parts)),
        )

    def has_same_rows_as(self, joined: CorpusKind) -> bool:
        """Check whether the rows of a part with these traits are valid in the joined corpus."""
        traits = self.offsets, self.has_pieces, self.is_long
        return traits == (joined.offsets, joined.has_pieces, joined.is_long) and (
            self.undirected == joined.undirected & self.relations
        )


def can_concatenate_rows(traits_of_parts: Sequence[CorpusKind]) -> bool:
    """Check whether rows of parts with these traits are those of the whole corpus.

    >>> can_concatenate_rows([CorpusKind(), CorpusKind(has_pieces=True)])
    False
    """
    joined = CorpusKind.join(traits_of_parts)
    return all(traits.has_same_rows_as(joined) for traits in traits_of_parts)
