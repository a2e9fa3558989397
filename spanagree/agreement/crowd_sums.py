"""Comparisons of all annotators, with sums only for documents that many of them saw."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import Comparisons


@dataclass(frozen=True, eq=False)
class PartlySummedComparisons:
    """Comparisons that are known only as sums for some documents.

    All pairs of annotators of a *crowded* document, with many annotators, are compared by one
    matrix product. This gives the sum over all pairs, the sum over the partners of each annotator,
    and the sum of each pair over all such documents.

    Attributes:
        rows: rows of the documents that are compared pair by pair.
        documents: sums for the crowded documents, by document and label.
        pairs: sums for the crowded documents, by pair of annotators.
        annotations: sums for the crowded documents, by document and first annotator.
        ways: 2 if each row also occurs with the annotators exchanged, otherwise 1.
    """

    rows: Comparisons
    documents: Comparisons
    pairs: Comparisons
    annotations: Comparisons
    ways: int = 1

    @property
    def inexact(self) -> ApproximationError:
        """Number and error bounds of approximate expected matches."""
        return self.rows.inexact

    def both_ways(self) -> PartlySummedComparisons:
        """Add each row once more with the two annotators exchanged."""
        return replace(
            self,
            rows=self.rows.both_ways(),
            documents=self.documents.both_ways(),
            pairs=self.pairs.both_ways(),
            ways=2,
        )

    def by(self, *columns: str) -> Comparisons:
        """Sum the rows of each group; see :meth:`Comparisons.by`.

        Raises:
            ValueError: if the sums for crowded documents do not determine these groups.
        """
        sums_by_keys = [({"document", "label"}, self.documents), ({"first", "second"}, self.pairs)]
        if self.ways == 2:
            sums_by_keys.append(({"document", "first"}, self.annotations))
        for keys, sums in sums_by_keys:
            if keys >= set(columns):
                return (self.rows + sums).by(*columns)
        raise ValueError(f"{columns}: not known of crowds; compare pair by pair")
