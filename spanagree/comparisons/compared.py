"""What of a corpus is compared: its segments, with an attribute if asked for, or its relations."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from spanagree.chance.model import Given, chance_model, with_ids
from spanagree.choices import Arguments, MatchName, Pairs, What
from spanagree.comparisons.measures import within
from spanagree.comparisons.overlaps import check_names
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import check_attribute
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_choice, check_keywords, is_iterable, show

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

WHATS = {
    "segments": "the segments",
    "relations": "the relations between segments",
    "attributes": "the attributes of segments, and the values that they have",
}
"""What annotators, or systems and gold, are compared by."""


class Comparing(TypedDict, total=False):
    """What of a corpus is compared, as keywords; :class:`Compared` says what each is."""

    tolerance: float
    attribute: str | None
    what: What
    pairs: Pairs
    undirected: Sequence[str]
    untyped: bool
    arguments: Arguments


@dataclass(frozen=True, eq=False)
class Compared:
    """What of a corpus is compared, and by how much borders may differ.

    Attributes:
        tolerance: by how many tokens or characters, or words if places are these, or seconds of a
            recording, starts may differ, and ends, for match exact and boundaries; each segment is
            then in one pair at most.
        attribute: the name of one; segments match if they agree in its value too.
        what: segments, relations or attributes. Relations match if their labels do, and both
            segments, by match, exact or boundaries; attributes if their names, values and segments
            do.
        pairs: of relations, which pairs of segments could be linked in the same way: types, those
            with the same two labels; all; or sentence, also whether both are in one sentence.
        undirected: labels of relations without a direction, beside those read as such.
        untyped: labels of relations do not count.
        arguments: fixed, all relations count; or common, only those among segments that all
            marked. By chance segments stay where they are.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([5], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> sa.evaluate(corpus, tolerance=1).systems["b"].f1.observed
    1.0
    """

    tolerance: float = 0
    attribute: str | None = None
    what: What = "segments"
    pairs: Pairs = "types"
    undirected: Sequence[str] = ()
    untyped: bool = False
    arguments: Arguments = "fixed"

    def of(self, corpus: Corpus, match: str = "exact") -> Corpus:
        """Return the segments or relations of a corpus, as one to compare."""
        if self.attribute is not None:
            corpus = with_attribute(corpus, self.attribute)
        if self.what == "segments":
            return corpus
        from spanagree.comparisons.relation_places import RelationRule

        named = (self.pairs, tuple(self.undirected), bool(self.untyped), self.arguments)
        attributes = self.what == "attributes"
        return RelationRule(*named, match=match, attributes=attributes).relations(corpus)

    def of_block(self, block: Corpus | Callable[[], Corpus], match: str) -> Corpus:
        """Return the same of a block."""
        return self.of(block if isinstance(block, Corpus) else block(), match)


def compared(
    corpus: Any,
    match: MatchName,
    chance: str,
    places: Given | None = None,
    chance_of: str = "both",
    seed: int = 0,
    **comparing: Unpack[Comparing],
) -> tuple[Any, MatchName, str]:
    """Return what of a corpus, or of blocks of one, is compared, by which measure and chance model.

    Args:
        corpus: the annotations, or blocks of them.
        match: the measure of segments; of relations, that of the segments that they link.
        chance, places, chance_of, seed: the chance model; see :func:`spanagree.evaluate`.
        comparing: what is compared; see :class:`Compared`.

    Raises:
        SettingError: for an unknown choice or rule, or a bad seed; for a corpus without relations,
            or without this attribute; for settings of relations where segments are compared.
    """
    check_keywords(comparing, Comparing.__annotations__)
    chosen = Compared(**comparing)
    chance = chance_model(chance, places, chance_of, seed)
    match = within(match, chosen.tolerance, getattr(corpus, "offsets", ""), chance)
    check_names(match, chance)
    corpus, match = _compared(corpus, match, chosen)
    chance, corpus = with_ids(chance, corpus)
    return corpus, match, chance


def _compared(corpus: Any, match: MatchName, chosen: Compared) -> tuple[Any, MatchName]:
    """Return what of a corpus is compared, and by which measure."""
    what, undirected = chosen.what, chosen.undirected
    check_choice(what, WHATS, "what")
    if isinstance(undirected, str) or not is_iterable(undirected):
        raise SettingError(f"undirected {show(undirected)}; a list of labels is needed")
    usual = Compared(what=what)
    changed = [
        name
        for name in ("pairs", "undirected", "untyped", "arguments")
        if getattr(chosen, name) != getattr(usual, name)
    ]
    if what == "segments":
        for name in changed:
            raise SettingError(f"{name} is for what relations; segments are compared here")
        if chosen.attribute is None:
            return corpus, match
    elif what == "attributes":
        for name in (name for name in changed if name in ("pairs", "undirected")):
            raise SettingError(f"{name} is for what relations; attributes are compared here")
    if isinstance(corpus, Corpus):
        made: Any = chosen.of(corpus, match)
    else:
        made = (functools.partial(chosen.of_block, block, match) for block in corpus)
    return made, match if what == "segments" else "exact"


def with_attribute(corpus: Corpus, name: str) -> Corpus:
    """Return the same with an attribute as part of the labels: ``Drug negated=yes``.

    The label of a segment without it stays. So what is compared is both, the segment and the
    attribute, and random annotations keep how often each goes with which label.

    Raises:
        SettingError: if no segment has the attribute.

    >>> corpus = Corpus.from_segments([5], {"a": [[(0, 2, "X", {"sure": "no"}), (3, 4, "X")]]})
    >>> with_attribute(corpus, "sure").labels
    ('X', 'X sure=no')
    """
    check_attribute(name, [layer.details for layer in corpus.layers.values()])
    named = {}
    for annotator, layer in corpus.layers.items():
        values = [None] * len(layer) if layer.details is None else layer.details.attribute(name)
        named[annotator] = [
            corpus.labels[code] if value is None else f"{corpus.labels[code]} {name}={value}"
            for code, value in zip(layer.label.tolist(), values, strict=True)
        ]
    labels = tuple(sorted({label for some in named.values() for label in some}))
    number = {label: i for i, label in enumerate(labels)}
    layers = {
        annotator: Layer(
            layer.document, layer.start, layer.end,
            np.array([number[label] for label in named[annotator]], np.int64),
            layer.annotated, layer.details,
        )
        for annotator, layer in corpus.layers.items()
    }  # fmt: skip
    reading = {**corpus.reading, "attribute": name}
    return corpus.but(layers=layers, labels=labels, reading=reading)
