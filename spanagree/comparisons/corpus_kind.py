"""What of a whole corpus decides how each of its documents is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spanagree.chance.start_distributions import is_long
from spanagree.corpus.corpus import Corpus


class CorpusKind(NamedTuple):
    """Traits of a corpus by which chance treats all its documents.

    If only some parts of a corpus have a trait, rows of the others are not those of the whole.

    Attributes:
        offsets: what offsets count.
        has_pieces: whether some segment has several pieces.
        is_long: whether some recording has more units than are all looked at.
        relations: labels of relations, if these are compared.
        undirected: those of them that have no direction.
    """

    offsets: str = "tokens"
    has_pieces: bool = False
    is_long: bool = False
    relations: frozenset[str] = frozenset()
    undirected: frozenset[str] = frozenset()

    @classmethod
    def of(cls, corpus: Corpus) -> CorpusKind:
        """Find the traits of a corpus, or of a part of one."""
        if not corpus.of_relations:
            return cls(corpus.offsets, corpus.has_pieces, is_long(corpus))
        from spanagree.comparisons.relation_places import RelationCorpus, directions

        assert isinstance(corpus, RelationCorpus)
        labels, undirected = directions(corpus)
        return cls(corpus.offsets, False, False, frozenset(labels), frozenset(undirected))

    @classmethod
    def joined(cls, kinds: Sequence[CorpusKind]) -> CorpusKind:
        """Find the traits of the corpus that parts make up."""
        from spanagree.corpus.times import ticks_of  # few corpora come in parts

        return cls(
            min((kind.offsets for kind in kinds), key=ticks_of),
            any(kind.has_pieces for kind in kinds),
            any(kind.is_long for kind in kinds),
            frozenset().union(*(kind.relations for kind in kinds)),
            frozenset().union(*(kind.undirected for kind in kinds)),
        )

    def holds_in(self, joined: CorpusKind) -> bool:
        """Return whether rows of a part of this kind are those of the whole corpus."""
        traits = self.offsets, self.has_pieces, self.is_long
        return traits == (joined.offsets, joined.has_pieces, joined.is_long) and (
            self.undirected == joined.undirected & self.relations
        )


def rows_add(kinds: Sequence[CorpusKind]) -> bool:
    """Return whether rows of parts of these kinds are those of the corpus that they make up.

    >>> rows_add([CorpusKind(), CorpusKind(has_pieces=True)])
    False
    """
    joined = CorpusKind.joined(kinds)
    return all(kind.holds_in(joined) for kind in kinds)
