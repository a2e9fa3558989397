"""What single texts add to the tallies of documents that they were joined to."""

from __future__ import annotations

from typing import Any

import numpy as np

from spanagree.arrays import Ints, ranges
from spanagree.comparisons.tally import Tallies


def shared_out(joined: Tallies, texts: Tallies, document: Ints, lengths: Ints) -> Tallies:
    """Return the tallies of texts; what chance expects in a document is shared out over them.

    What matches stands in one text. What chance expects in a document belongs to all of it, and is
    nearly a·b/n, with both sizes and the length. A text's share is how much of it would go with
    the text, to first order: a'/a + b'/b − n'/n, if a', b', n' are the text's own. So a text with
    nothing in it makes chance smaller; and the shares add up to 1.

    Args:
        joined: of documents, or of each two annotators in each.
        texts: of the texts by themselves, or of each two annotators in each.
        document: per text, its row among those that ``joined`` numbers.
        lengths: per text.
    """
    order = np.argsort(document, kind="stable")
    low, high = (np.searchsorted(document[order], joined.document, s) for s in ("left", "right"))
    place, entry = ranges(low, high)
    text, label = order[place], joined.label[entry]
    labels = int(texts.label.max(initial=0)) + 2
    row = text * labels + label + 1
    own = texts.document * labels + texts.label + 1
    by_row = np.argsort(row, kind="stable")
    here = np.isin(own, row)
    at = by_row[np.searchsorted(row, own[here], sorter=by_row)]

    def filled(column: Any) -> Any:
        values = np.zeros(len(row), column.dtype)
        values[at] = column[here]
        return values

    matched, size_a, size_b = map(filled, (texts.matched, texts.size_a, texts.size_b))
    length = np.bincount(document, lengths)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = size_a / joined.size_a[entry] + size_b / joined.size_b[entry]
        share -= lengths[text] / length[joined.document[entry]]
    whole = joined.expected[entry]
    expected = np.where(whole > 0, share * whole, 0.0)  # if one marked nothing, chance is 0
    return Tallies(text, label, matched, expected, size_a, size_b)
