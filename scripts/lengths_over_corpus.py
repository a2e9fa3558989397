"""An experiment: chance that keeps lengths over the corpus, and their number in each document.

    python scripts/lengths_over_corpus.py GOLD SYSTEM

Both are CoNLL files. Each document keeps how many segments it has; of each kind (a length, and
whether both ends begin with a capital) there are as many in the corpus as there are, on average.
Kinds have weights that all documents share, which are multiplied by what is wanted over what is
expected until both agree; then documents are independent, and what is expected is exact.

A short text often leaves one place for a segment of its own lengths. For WNUT-17's gold and one
system, without labels, chance F1 is .183 under ``capitals`` where lengths by document give .303
(.039 and .056 anywhere), after 12 rounds for 1e-4. The random annotator does not know how long the
names of *this* text are. There is no p value, and it is not validated enough to be an option.
"""

from __future__ import annotations

import sys

import numpy as np

import spanagree as sa
from spanagree.arrays import Bools, Floats, Ints
from spanagree.chance.arrangements import compute_weighted_probabilities

Placed = dict[int, dict[tuple[int, int], float]]


def random_of(corpus: sa.Corpus, name: str, capital: Bools) -> Placed:
    """Return of each document how many segments are expected at each place."""
    layer = corpus.layers[name]
    first = np.cumsum(corpus.lengths) - corpus.lengths
    begin = first[layer.document]
    at_site = capital[begin + layer.start] & capital[begin + layer.end - 1]
    kinds, wanted = np.unique(2 * (layer.end - layer.start) + at_site, return_counts=True)
    number = np.bincount(layer.document, minlength=len(corpus))
    places: dict[int, tuple[Ints, Ints, Ints]] = {}
    for d in np.flatnonzero(number).tolist():
        n = int(corpus.lengths[d])
        begins = capital[first[d] : first[d] + n]
        rows = []
        for i, (length, site) in enumerate(zip(kinds // 2, kinds % 2, strict=True)):
            start = np.arange(max(n - length + 1, 0))
            start = start[(begins[start] & begins[start + length - 1]) == site]
            rows.append((start, start + length, np.full(len(start), i)))
        s, e, kind = (np.concatenate(column) for column in zip(*rows, strict=True))
        places[d] = s, e, kind
    weight = np.ones(len(kinds))
    while True:
        mean, expected = np.zeros(len(kinds)), dict[int, Floats]()
        for d, (s, e, kind) in places.items():
            wide, many = int(corpus.lengths[d]) + 1, int(number[d])
            expected[d] = many * compute_weighted_probabilities(s, e, weight[kind], wide, many)
            mean += np.bincount(kind, expected[d], len(kinds))
        if np.abs(mean / wanted - 1).max() < 1e-4:
            break
        weight *= wanted / mean
    return {
        d: dict(zip(zip(s.tolist(), e.tolist(), strict=True), expected[d].tolist(), strict=True))
        for d, (s, e, _) in places.items()
    }


def main(gold: str, system: str) -> None:
    """Print chance F1 of boundaries under three nulls."""
    corpus = sa.formats.read_conll([gold, system], ignore_tokens=True)
    _, other = corpus.annotators
    for rule in (None, "capitals"):
        f1 = sa.evaluate(corpus, match="boundaries", places=rule)[other].f1
        print(f"lengths by document, {rule or 'anywhere'}: {f1.expected:.4f}")
    tokens = corpus.tokens or ()
    known = {token: next((x for x in token if x.isalpha()), "").isupper() for token in tokens}
    size = sum(len(corpus.layers[name]) for name in corpus.annotators)
    for rule in ("anywhere", "capitals"):
        capital = np.array([rule == "anywhere" or known[x] for x in tokens])
        a, b = (random_of(corpus, name, capital) for name in corpus.annotators)
        matched = sum(
            value * b[d].get(place, 0.0)
            for d in a.keys() & b.keys()
            for place, value in a[d].items()
        )
        print(f"lengths over the corpus, {rule}: {2 * matched / size:.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
