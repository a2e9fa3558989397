"""Which annotators are chosen, and who saw which document.

Where a source does not say who saw a document, the role of a layer decides.
A table with a row for each span has no row where an annotator marked nothing, so it cannot say
whether they saw the document. A *system* saw whatever its gold or its references saw; whether an
annotator did is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus, check_absent
from spanagree.errors import escape_name, pluralize

_Names = TypeVar("_Names", bound=Iterable[str] | None)


def apply_absent(raw: RawCorpus, absent: str | None) -> RawCorpus:
    """Return the rows where annotators without a row in a document saw it, or never did.

    Args:
        raw: the rows of a source, or of several.
        absent: one of :data:`spanagree.corpus.raw.ABSENT`; ``None`` leaves it to the layer's role.
    """
    check_absent(absent)
    if absent is None or not raw.seen_unknown:
        return raw
    if absent == "unseen":
        return raw.replace(seen_unknown=())
    new = _absences(raw)
    document = np.array([d for _, ds in new for d in ds.tolist()], np.int64)
    annotator = np.array([a for a, ds in new for _ in ds], np.int64)
    when = None if raw.when is None else np.append(raw.when, np.full(len(annotator), np.nan))
    return raw.replace(
        document_index=np.append(raw.document_index, document),
        annotator_index=np.append(raw.annotator_index, annotator),
        when=when,
        seen_unknown=(),
    )


def _absences(raw: RawCorpus) -> list[tuple[int, Ints]]:
    """Return annotators of whom a source does not say what they saw, and where they have no row."""
    number = {name: a for a, name in enumerate(raw.annotators)}
    every = np.arange(len(raw.lengths))
    pairs = []
    for a in (number[name] for name in raw.seen_unknown if name in number):
        there = raw.document_index[raw.annotator_index == a]
        pairs.append((a, np.setdiff1d(every, there)))
    return pairs


def notes_of_absent(raw: RawCorpus) -> Iterator[str]:
    """Yield a note on documents of which a source does not say whether somebody saw them."""
    if cases := sum(len(documents) for _, documents in _absences(raw)):
        yield (
            f"nobody says whether annotators saw documents in which they have nothing"
            f" ({pluralize(cases, 'case')}): systems are taken as having seen what gold or"
            " references"
            " saw, annotators as never having seen it; --absent unmarked or unseen (absent=)"
            " decides for all, and in a table a row without start and end says that one was seen"
        )


def as_list(names: _Names) -> _Names | list[str]:
    """Turn an iterator into a list, and leave other names as they are.

    >>> as_list(iter(["ann"])), as_list(None)
    (['ann'], None)
    """
    return list(names) if isinstance(names, Iterator) else names


def choose_annotators(
    corpus: Corpus, names: Iterable[str] | None, *, in_part: bool = False
) -> tuple[Corpus, list[str] | None]:
    """Return the corpus of the annotators that are named, and their names; ``None`` if all are.

    Without ``names`` that is the corpus itself. ``in_part`` is as for
    :meth:`Corpus.select_annotators`, which refuses names that are unknown or given twice.

    >>> corpus = Corpus.from_segments([5], {"ann": [[]], "bob": [[]]})
    >>> choose_annotators(corpus, ["bob"])[1], choose_annotators(corpus, ["bob", "ann"])[1]
    (['bob'], None)
    """
    if names is None:
        return corpus, None
    names = as_list(names)
    team = corpus.select_annotators(names, in_part=in_part)
    return team, list(names) if len(team.layers) < len(corpus.layers) else None


def infer_seen_by_systems(
    corpus: Corpus, systems: Iterable[str], references: Iterable[str]
) -> Corpus:
    """Return the corpus in which systems saw all that their references did, where nobody said.

    >>> two = Corpus.from_segments([5, 4], {"gold": [[], []], "mine": [[], None]})
    >>> open_ = two.replace(seen_unknown=("mine",))
    >>> infer_seen_by_systems(open_, ["mine"], ["gold"])[1].segments["mine"]
    ()
    """
    open_ = [name for name in systems if name in corpus.seen_unknown and name in corpus.layers]
    if not open_:
        return corpus
    seen = np.zeros(len(corpus), np.bool_)
    for name in references:
        seen |= corpus.layers[name].annotated
    layers, notes = dict(corpus.layers), []
    for name in open_:
        layer = layers[name]
        added = int((seen & ~layer.annotated).sum())
        layers[name] = replace(layer, annotated=layer.annotated | seen)
        if added:
            notes.append(
                f"{escape_name(name)}: no row in {pluralize(added, 'document')} that gold or"
                " references saw, taken as seen and nothing marked"
            )
    left = tuple(name for name in corpus.seen_unknown if name not in open_)
    return corpus.replace(layers=layers, seen_unknown=left, notes=(*corpus.notes, *notes))


def count_seen(corpus: Corpus, names: Iterable[str] | None = None) -> Ints:
    """Return by how many annotators each document was seen, of all or of some by name.

    >>> corpus = Corpus.from_segments([5, 4], {"bob": [[], None], "ann": [[(0, 2, "X")], []]})
    >>> count_seen(corpus).tolist(), count_seen(corpus, ["bob"]).tolist()
    ([2, 1], [1, 0])
    """
    seen = np.zeros(len(corpus), np.int64)
    for name in corpus.layers if names is None else names:
        seen += corpus.layers[name].annotated
    return seen
