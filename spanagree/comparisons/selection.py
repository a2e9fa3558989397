"""A selection: what of a corpus is compared, its segments, attributes or relations, and which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict

import numpy as np

from spanagree.chance.model import ChanceModel
from spanagree.choices import Arguments, MatchName, Pairs, Unplaced, What
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import check_attribute
from spanagree.corpus.joined import joined, without_text
from spanagree.corpus.placed import without_unplaced
from spanagree.corpus.segments import Layer
from spanagree.corpus.unplaced import UNPLACED
from spanagree.errors import SettingError, check_choice, check_keywords, is_iterable, quote_value

WHATS = {
    "segments": "the segments",
    "relations": "the relations between segments",
    "attributes": "the attributes of segments, and the values that they have",
}
"""What annotators, or systems and gold, are compared by."""


class SelectionArguments(TypedDict, total=False):
    """The fields of :class:`Selection` as keywords, for those who check types."""

    tolerance: float
    min_score: float | None
    attribute: str | None
    what: What
    pairs: Pairs
    undirected: Sequence[str]
    untyped: bool
    arguments: Arguments
    unplaced: Unplaced


_OF_RELATIONS = ("what", "pairs", "undirected", "untyped", "arguments")  # their rule records them
_IN_MEASURE = "tolerance"  # the name of the measure has it
_OF_QUOTES = "unplaced"  # recorded where there are any
_NOT_FOR = {
    "segments": ("pairs", "undirected", "untyped", "arguments"),
    "attributes": ("pairs", "undirected"),
}
"""The settings of relations that are not for others."""


@dataclass(frozen=True, eq=False)
class Selection:
    """The choice of what is compared in a corpus, and by how much borders may differ.

    A field is a keyword of :func:`spanagree.evaluate` and :func:`spanagree.agree`, and an option of
    their commands. :meth:`of` applies what selects or changes segments, and records it in what a
    corpus says of its reading: so results sign it, and rows of another choice are refused.

    Attributes:
        tolerance: by how many tokens or characters, or words if places are these, or seconds of a
            recording, starts may differ, and ends, for match exact and boundaries; each segment is
            then in one pair at most.
        min_score: the least score of a prediction; those below are left out, those without stay.
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
        unplaced: wrong, quotes of a language model that are not in the text count as false
            positives; or ignore, they are left out.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([5], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> sa.evaluate(corpus, tolerance=1).systems["b"].f1.observed
    1.0
    """

    tolerance: float = 0
    min_score: float | None = None
    attribute: str | None = None
    what: What = "segments"
    pairs: Pairs = "types"
    undirected: Sequence[str] = ()
    untyped: bool = False
    arguments: Arguments = "fixed"
    unplaced: Unplaced = "wrong"

    @classmethod
    def asked(cls, comparing: Mapping[str, Any]) -> Selection:
        """Return the selection of keywords.

        Raises:
            SettingError: for an unknown keyword or choice, or settings of relations where segments
                or attributes are compared.
        """
        check_keywords(comparing, (item.name for item in fields(cls)))
        selection = cls(**comparing)
        what, undirected = selection.what, selection.undirected
        check_choice(what, WHATS, "what")
        check_choice(selection.unplaced, UNPLACED, "unplaced")
        if isinstance(undirected, str) or not is_iterable(undirected):
            raise SettingError(f"undirected {quote_value(undirected)}; a list of labels is needed")
        if selection.min_score is not None:
            from spanagree.comparisons.prediction_scores import check_min_score  # few have scores

            check_min_score(selection.min_score)
        usual = cls(what=what)
        for name in _NOT_FOR.get(what, ()):
            if getattr(selection, name) != getattr(usual, name):
                raise SettingError(f"{name} is for what relations; {what} are compared here")
        return selection

    @classmethod
    def of_reading(cls, reading: Mapping[str, Any]) -> Selection:
        """Return the selection that a corpus records in its reading.

        >>> Selection.of_reading({"attribute": "sure", "format": "jsonl"}).settings
        {'attribute': 'sure'}
        """
        names = {item.name for item in fields(cls)} - {"arguments"}
        chosen = {name: value for name, value in reading.items() if name in names}
        if "what" in chosen:  # there ``arguments`` is the measure of the segments that are linked
            chosen["arguments"] = str(reading.get("chance")).removeprefix("spans-")
        return cls(**chosen)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that it adds to the reading of a corpus, but those of its relations."""
        usual = Selection()
        return {
            name: value
            for name, value in vars(self).items()
            if name not in (*_OF_RELATIONS, _IN_MEASURE, _OF_QUOTES)
            and value != getattr(usual, name)
        }

    @property
    def measure(self) -> MatchName | None:
        """The measure, if none is chosen: relations and attributes are compared exactly."""
        return None if self.what == "segments" else "exact"

    def of(self, corpus: Corpus, match: str = "exact", *, in_part: bool = False) -> Corpus:
        """Return the segments or relations of a corpus, as one to compare.

        A part of a corpus (``in_part``) need not have any.
        """
        if self.min_score is not None:
            from spanagree.comparisons.prediction_scores import with_min_score  # few have scores

            corpus = with_min_score(corpus, self.min_score, in_part=in_part)
        if self.attribute is not None:
            corpus = with_attribute(corpus, self.attribute, in_part=in_part)
        if self.settings:
            corpus = corpus.replace(reading={**corpus.reading, **self.settings})
        if self.unplaced == "ignore":
            corpus = without_unplaced(corpus)
        if self.what == "segments":
            return corpus
        from spanagree.comparisons.relation_places import RelationRule

        named = (self.pairs, tuple(self.undirected), bool(self.untyped), self.arguments)
        attributes = self.what == "attributes"
        return RelationRule(*named, match=match, attributes=attributes).relations(
            corpus, in_part=in_part
        )

    def refuse(self, corpus: Corpus) -> None:
        """Raise if no part of a whole corpus has what is selected; see :func:`joined_items`.

        Raises:
            SettingError: if no segment has the attribute, or a score.
        """
        if self.attribute is not None:
            source: Any = corpus if not corpus.of_relations else vars(corpus)["source"]
            check_attribute(self.attribute, [layer.details for layer in source.layers.values()])
        if self.min_score is not None:
            from spanagree.comparisons.prediction_scores import check_scores  # few have scores

            check_scores(corpus)

    def differences(
        self, recorded: Selection, corpus: Corpus, match: str
    ) -> list[tuple[str, Any, Any]]:
        """List the name of each setting, its value in what was compared, and the one asked for.

        Args:
            recorded: selection of what was compared.
            corpus: documents that were compared.
            match: measure that is asked for.
        """
        reading = corpus.reading
        passed_over = {_IN_MEASURE}
        if not corpus.unplaced and _OF_QUOTES not in reading:
            passed_over.add(_OF_QUOTES)
        items = [
            (item.name, _plain(getattr(recorded, item.name)), _plain(getattr(self, item.name)))
            for item in fields(self)
            if item.name not in passed_over
        ]
        if self.what != "segments" and self.what == recorded.what:
            items.append(("match", reading.get("arguments", "exact"), match))
        return items


def _plain(value: Any) -> Any:
    """Return a value as a corpus records it, in which sequences are lists."""
    return list(value) if is_iterable(value) and not isinstance(value, str) else value


# --- parts of a corpus ----------------------------------------------------------------------------


def joined_items(parts: Mapping[str, Corpus]) -> Corpus:
    """Join what is compared in parts of a corpus; relations anew, from the segments of all.

    Args:
        parts: the parts, by a name for errors.

    Raises:
        InputError: for parts that do not belong together.
        SettingError: if no part has a relation, or an undirected label.
    """
    first = next(iter(parts.values()))
    if not first.of_relations:
        return joined(parts)
    from spanagree.comparisons.relation_places import RelationCorpus

    sources = {
        name: part.source for name, part in parts.items() if isinstance(part, RelationCorpus)
    }
    assert isinstance(first, RelationCorpus)  # as it is of relations
    return first.rule.relations(joined(sources))


def without_unused_text(corpus: Corpus, chance: ChanceModel) -> Corpus:
    """Build the corpus without texts and tokens, unless its chance rests on these."""
    if chance.places is not None:
        return corpus
    if not corpus.of_relations:
        return without_text(corpus)
    from spanagree.comparisons.relation_places import RelationCorpus

    assert isinstance(corpus, RelationCorpus)
    if corpus.rule.pairs == "sentence":
        return corpus
    return corpus.replace(source=without_text(corpus.source))


def with_attribute(corpus: Corpus, name: str, *, in_part: bool = False) -> Corpus:
    """Return the same with an attribute as part of the labels: ``Drug negated=yes``.

    The label of a segment without it stays. So what is compared is both, the segment and the
    attribute, and random annotations keep how often each goes with which label.

    Raises:
        SettingError: if no segment has the attribute; a part of a corpus (``in_part``) needs none.

    >>> corpus = Corpus.from_segments([5], {"a": [[(0, 2, "X", {"sure": "no"}), (3, 4, "X")]]})
    >>> with_attribute(corpus, "sure").labels
    ('X', 'X sure=no')
    """
    if not in_part:
        check_attribute(name, [layer.details for layer in corpus.layers.values()])
    named = {}
    for annotator, layer in corpus.layers.items():
        values = [None] * len(layer) if layer.details is None else layer.details.attribute(name)
        named[annotator] = [
            corpus.labels[code] if value is None else f"{corpus.labels[code]} {name}={value}"
            for code, value in zip(layer.label.tolist(), values, strict=True)
        ]
    used = {label for some in named.values() for label in some}
    used |= {label for quotes in corpus.unplaced.values() for label in quotes.label}
    labels = tuple(sorted(used))
    number = {label: i for i, label in enumerate(labels)}
    layers = {
        annotator: Layer(
            layer.document, layer.start, layer.end,
            np.array([number[label] for label in named[annotator]], np.int64),
            layer.annotated, layer.details,
        )
        for annotator, layer in corpus.layers.items()
    }  # fmt: skip
    return corpus.replace(layers=layers, labels=labels)
