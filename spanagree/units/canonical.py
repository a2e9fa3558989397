"""Which annotators are compared, who saw what, and an order that does not depend on their own."""

from __future__ import annotations

from collections.abc import Sequence

from spanagree.corpus.corpus import Corpus
from spanagree.settings import as_list, chosen_of


def only(corpus: Corpus, annotators: Sequence[str] | None) -> tuple[Corpus, list[str] | None]:
    """Return the corpus of the annotators asked for, and which they are if not all."""
    annotators = as_list(annotators)
    chosen = chosen_of(corpus.annotators, annotators)
    return (corpus if annotators is None else corpus.of_annotators(annotators)), chosen


def canonical(corpus: Corpus) -> Corpus:
    """Return the same corpus, annotators sorted by name, documents by id or by what is in them.

    >>> corpus = Corpus.from_segments([5, 4], {"bob": [[], []], "ann": [[(0, 2, "X")], []]})
    >>> ordered = canonical(corpus)
    >>> ordered.annotators, ordered.lengths.tolist()
    (('ann', 'bob'), [4, 5])
    """
    named = corpus.of_annotators(sorted(corpus.annotators))
    if named.ids is not None:
        ids = named.ids
        order = sorted(range(len(named)), key=ids.__getitem__)
    else:
        content: list[list[tuple[int, ...]]] = [[(int(n),)] for n in named.lengths]
        for number, layer in enumerate(named.layers.values()):
            for d, seen in enumerate(layer.annotated.tolist()):
                content[d].append((number, -1, int(seen)))
            columns = (layer.document, layer.start, layer.end, layer.label)
            for d, *unit in zip(*(column.tolist() for column in columns), strict=True):
                content[d].append((number, *unit))
        order = sorted(range(len(named)), key=content.__getitem__)
    return named if order == list(range(len(named))) else named.subset(order)
