"""Selection of annotators, and inference of the documents that they saw.

If a source does not record who saw a document, the role of a layer decides. A table with one row
per span has no row if an annotator marked nothing, so it cannot record that they saw the document.
A *system* saw every document that its gold or its references saw; for an annotator it is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus
from spanagree.errors import escape_name, pluralize

_Names = TypeVar("_Names", bound=Iterable[str] | None)


def as_list(names: _Names) -> _Names | list[str]:
    """Convert an iterator to a list; other values are unchanged.

    >>> as_list(iter(["ann"])), as_list(None)
    (['ann'], None)
    """
    return list(names) if isinstance(names, Iterator) else names


def choose_annotators(
    corpus: Corpus, names: Iterable[str] | None, *, in_part: bool = False
) -> tuple[Corpus, list[str] | None]:
    """Select annotators, and return the corpus with their names.

    The names are ``None`` if all annotators are selected. Without ``names`` the corpus is
    unchanged. ``in_part`` and errors are documented in :meth:`Corpus.select_annotators`.

    >>> corpus = Corpus.from_segments([5], {"ann": [[]], "bob": [[]]})
    >>> choose_annotators(corpus, ["bob"])[1], choose_annotators(corpus, ["bob", "ann"])[1]
    (['bob'], None)
    """
    if names is None:
        return corpus, None
    names = as_list(names)
    selected = corpus.select_annotators(names, in_part=in_part)
    return selected, list(names) if len(selected.layers) < len(corpus.layers) else None


def infer_seen_by_systems(
    corpus: Corpus, systems: Iterable[str], references: Iterable[str]
) -> Corpus:
    """Mark documents as seen by systems if a reference saw them and the source records nothing.

    >>> two = Corpus.from_segments([5, 4], {"gold": [[], []], "mine": [[], None]})
    >>> open_ = two.replace(seen_unknown=("mine",))
    >>> infer_seen_by_systems(open_, ["mine"], ["gold"])[1].segments["mine"]
    ()
    """
    undecided = [name for name in systems if name in corpus.seen_unknown and name in corpus.layers]
    if not undecided:
        return corpus
    is_seen = np.zeros(len(corpus), np.bool_)
    for name in references:
        is_seen |= corpus.layers[name].annotated
    layers, notes = dict(corpus.layers), []
    for name in undecided:
        layer = layers[name]
        n_added = int((is_seen & ~layer.annotated).sum())
        layers[name] = replace(layer, annotated=layer.annotated | is_seen)
        if n_added:
            notes.append(
                f"{escape_name(name)}: no row in {pluralize(n_added, 'document')} that gold or"
                " references saw, taken as seen and nothing marked"
            )
    still_unknown = tuple(name for name in corpus.seen_unknown if name not in undecided)
    return corpus.replace(layers=layers, seen_unknown=still_unknown, notes=(*corpus.notes, *notes))


def count_seen(corpus: Corpus, names: Iterable[str] | None = None) -> Ints:
    """Count the annotators who saw each document; with `names`, only annotators with these names.

    >>> corpus = Corpus.from_segments([5, 4], {"bob": [[], None], "ann": [[(0, 2, "X")], []]})
    >>> count_seen(corpus).tolist(), count_seen(corpus, ["bob"]).tolist()
    ([2, 1], [1, 0])
    """
    n_seen = np.zeros(len(corpus), np.int64)
    for name in corpus.layers if names is None else names:
        n_seen += corpus.layers[name].annotated
    return n_seen
