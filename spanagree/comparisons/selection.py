"""The selection of the compared items of a corpus: segments, attributes or relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict

import numpy as np

from spanagree.chance.model import ChanceModel
from spanagree.choices import Arguments, MatchName, Pairs, Unplaced, What
from spanagree.comparisons.measures import find_measure
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import check_attribute
from spanagree.corpus.joined import join_corpora, remove_text
from spanagree.corpus.placed import remove_unplaced
from spanagree.corpus.segments import Layer
from spanagree.corpus.unplaced import UNPLACED
from spanagree.errors import SettingError, check_choice, check_keywords, is_iterable, quote_value

WHATS = {
    "segments": "the segments",
    "relations": "the relations between segments",
    "attributes": "the attributes of segments, and the values that they have",
}
"""Items that annotations are compared by, with descriptions."""


class SelectionArguments(TypedDict, total=False):
    """The fields of :class:`Selection` as keywords, for type checkers."""

    tolerance: float
    min_score: float | None
    attribute: str | None
    what: What
    pairs: Pairs
    undirected: Sequence[str]
    untyped: bool
    arguments: Arguments
    unplaced: Unplaced


# recorded by their rule
_RELATION_SETTINGS = (
    "what",
    "pairs",
    "undirected",
    "untyped",
    "arguments",
)
_TOLERANCE = "tolerance"  # recorded in the name of the measure
_QUOTE_SETTING = "unplaced"  # recorded only if there are quotes
_INVALID_SETTINGS = {
    "segments": ("pairs", "undirected", "untyped", "arguments"),
    "attributes": ("pairs", "undirected"),
}
"""Settings of relations that do not apply to other items."""


@dataclass(frozen=True, eq=False)
class Selection:
    """The selection of the compared items of a corpus, with a tolerance for borders.

    A field is a keyword of :func:`spanagree.evaluate` and :func:`spanagree.agree`, and an option of
    their commands. :meth:`of` selects or changes segments, and records this in the reading settings
    of the corpus. So results record it in their signature, and rows of another selection are
    refused.

    Attributes:
        tolerance: largest difference of starts, and of ends, for match exact and boundaries: in
            tokens or characters, in words if places are words, or in seconds of a recording. Each
            segment is then in at most one pair.
        min_score: smallest score of a prediction; predictions below it are left out, predictions
            without a score stay.
        attribute: name of an attribute; segments match only if they agree in its value too.
        what: segments, relations or attributes. Relations match if their labels and both segments
            match, by match exact or boundaries; attributes match if their names, values and
            segments match.
        pairs: pairs of segments that may be linked by chance: types, pairs with the same two
            labels; all; or sentence, pairs with the same labels that also agree in being in one
            sentence.
        undirected: labels of relations without a direction, in addition to those read as such.
        untyped: True to ignore the labels of relations.
        arguments: fixed, to compare all relations; or common, to compare only relations among
            segments that all annotators marked. By chance segments are fixed.
        unplaced: wrong, to count quotes of a language model that are missing from the text as false
            positives; or ignore, to leave them out.

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
        """Parse the keywords of a selection.

        Raises:
            SettingError: for an unknown keyword or choice, or settings of relations if segments or
                attributes are compared.
        """
        check_keywords(comparing, (item.name for item in fields(cls)))
        selection = cls(**comparing)
        item_type, undirected = selection.what, selection.undirected
        check_choice(item_type, WHATS, "what")
        check_choice(selection.unplaced, UNPLACED, "unplaced")
        if isinstance(undirected, str) or not is_iterable(undirected):
            raise SettingError(f"undirected {quote_value(undirected)}; a list of labels is needed")
        if selection.min_score is not None:
            from spanagree.comparisons.prediction_scores import check_min_score  # few have scores

            check_min_score(selection.min_score)
        defaults = cls(what=item_type)
        for name in _INVALID_SETTINGS.get(item_type, ()):
            if getattr(selection, name) != getattr(defaults, name):
                raise SettingError(f"{name} is for what relations; {item_type} are compared here")
        return selection

    @classmethod
    def of_reading(cls, reading: Mapping[str, Any]) -> Selection:
        """Build the selection that a corpus records in its reading settings.

        >>> Selection.of_reading({"attribute": "sure", "format": "jsonl"}).settings
        {'attribute': 'sure'}
        """
        names = {item.name for item in fields(cls)} - {"arguments"}
        settings = {name: value for name, value in reading.items() if name in names}
        if "what" in settings:  # "arguments" records the measure of the linked segments
            settings["arguments"] = str(reading.get("chance")).removeprefix("spans-")
        return cls(**settings)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that are added to the reading of a corpus, without those of relations."""
        defaults = Selection()
        return {
            name: value
            for name, value in vars(self).items()
            if name not in (*_RELATION_SETTINGS, _TOLERANCE, _QUOTE_SETTING)
            and value != getattr(defaults, name)
        }

    @property
    def measure(self) -> MatchName | None:
        """Measure of relations and attributes, exact; ``None`` for segments."""
        return None if self.what == "segments" else "exact"

    def of(self, corpus: Corpus, match: str = "exact", *, in_part: bool = False) -> Corpus:
        """Build the corpus of the selected segments or relations.

        A part of a corpus (``in_part``) need not have any.
        """
        if self.min_score is not None:
            from spanagree.comparisons.prediction_scores import drop_low_scores  # few have scores

            corpus = drop_low_scores(corpus, self.min_score, in_part=in_part)
        if self.attribute is not None:
            _check_labels_count(self.attribute, match)
            corpus = add_attribute_to_labels(corpus, self.attribute, in_part=in_part)
        if self.settings:
            corpus = corpus.replace(reading={**corpus.reading, **self.settings})
        if self.unplaced == "ignore":
            corpus = remove_unplaced(corpus)
        if self.what == "segments":
            return corpus
        from spanagree.comparisons.relation_places import RelationRule

        rule_settings = (self.pairs, tuple(self.undirected), bool(self.untyped), self.arguments)
        attributes = self.what == "attributes"
        return RelationRule(*rule_settings, match=match, attributes=attributes).build_relations(
            corpus, in_part=in_part
        )

    def refuse(self, corpus: Corpus) -> None:
        """Raise an error if a whole corpus has no selected items.

        Parts are checked after :func:`join_items`.

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
        """List the settings of two selections that must be equal.

        Args:
            recorded: selection of the recorded comparison.
            corpus: documents that were compared.
            match: requested measure.

        Returns:
            Name of each setting, value in the recorded selection, and requested value.
        """
        reading = corpus.reading
        ignored = {_TOLERANCE}
        if not corpus.unplaced and _QUOTE_SETTING not in reading:
            ignored.add(_QUOTE_SETTING)
        items = [
            (
                item.name,
                _convert_to_plain(getattr(recorded, item.name)),
                _convert_to_plain(getattr(self, item.name)),
            )
            for item in fields(self)
            if item.name not in ignored
        ]
        if self.what != "segments" and self.what == recorded.what:
            items.append(("match", reading.get("arguments", "exact"), match))
        return items


def _convert_to_plain(value: Any) -> Any:
    """Convert a value to the form that a corpus records, with sequences as lists."""
    return list(value) if is_iterable(value) and not isinstance(value, str) else value


# --- parts of a corpus ----------------------------------------------------------------------------


def join_items(parts: Mapping[str, Corpus]) -> Corpus:
    """Join the compared items of parts of a corpus; relations are selected again from all segments.

    Args:
        parts: parts, by a name for errors.

    Raises:
        InputError: if the parts do not belong together.
        SettingError: if no part has a relation, or an undirected label.
    """
    first = next(iter(parts.values()))
    if not first.of_relations:
        return join_corpora(parts)
    from spanagree.comparisons.relation_places import RelationCorpus

    sources = {
        name: part.source for name, part in parts.items() if isinstance(part, RelationCorpus)
    }
    assert isinstance(first, RelationCorpus)  # its items are relations
    return first.rule.build_relations(join_corpora(sources))


def drop_unused_text(corpus: Corpus, chance: ChanceModel) -> Corpus:
    """Build the corpus without texts and tokens, unless its chance model needs them."""
    if chance.places is not None:
        return corpus
    if not corpus.of_relations:
        return remove_text(corpus)
    from spanagree.comparisons.relation_places import RelationCorpus

    assert isinstance(corpus, RelationCorpus)
    if corpus.rule.pairs == "sentence":
        return corpus
    return corpus.replace(source=remove_text(corpus.source))


def _check_labels_count(attribute: str, match: str) -> None:
    """Check that a measure compares labels, as the value of an attribute becomes part of them.

    Raises:
        SettingError: if it ignores labels.
    """
    if not find_measure(match).of_label:
        raise SettingError(
            f"attribute {quote_value(attribute)}: its values are compared as part of the labels,"
            f" which match {match} ignores; leave one of the two out"
        )


def add_attribute_to_labels(corpus: Corpus, name: str, *, in_part: bool = False) -> Corpus:
    """Build the corpus with an attribute as part of the labels: ``Drug negated=yes``.

    The label of a segment without the attribute stays. So segments and attributes are compared
    together, and random annotations keep the frequency of each label with each value.

    Raises:
        SettingError: if no segment has the attribute; not for a part of a corpus (``in_part``).

    >>> corpus = Corpus.from_segments([5], {"a": [[(0, 2, "X", {"sure": "no"}), (3, 4, "X")]]})
    >>> add_attribute_to_labels(corpus, "sure").labels
    ('X', 'X sure=no')
    """
    if not in_part:
        check_attribute(name, [layer.details for layer in corpus.layers.values()])
    label_of_segments = {}
    for annotator, layer in corpus.layers.items():
        values = (
            [None] * len(layer)
            if layer.details is None
            else layer.details.list_attribute_values(name)
        )
        label_of_segments[annotator] = [
            corpus.labels[code] if value is None else f"{corpus.labels[code]} {name}={value}"
            for code, value in zip(layer.label.tolist(), values, strict=True)
        ]
    used_labels = {label for layer_labels in label_of_segments.values() for label in layer_labels}
    used_labels |= {label for quotes in corpus.unplaced.values() for label in quotes.label}
    labels = tuple(sorted(used_labels))
    label_index = {label: i for i, label in enumerate(labels)}
    layers = {
        annotator: Layer(
            layer.document, layer.start, layer.end,
            np.array([label_index[label] for label in label_of_segments[annotator]], np.int64),
            layer.annotated, layer.details,
        )
        for annotator, layer in corpus.layers.items()
    }  # fmt: skip
    return corpus.replace(layers=layers, labels=labels)
