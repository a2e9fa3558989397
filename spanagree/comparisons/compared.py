"""What of a corpus is compared: its segments, with an attribute if asked for, or its relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict

import numpy as np

from spanagree.chance.model import AUTO, ChanceModel, Given, chance_model
from spanagree.choices import Arguments, MatchName, Pairs, Unplaced, What
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.overlaps import chance_of_corpus
from spanagree.comparisons.tolerance import within
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import check_attribute
from spanagree.corpus.joined import joined, without_text
from spanagree.corpus.placed import without_unplaced
from spanagree.corpus.segments import Layer
from spanagree.corpus.unplaced import UNPLACED
from spanagree.errors import SettingError, check_choice, check_keywords, is_iterable, show

WHATS = {
    "segments": "the segments",
    "relations": "the relations between segments",
    "attributes": "the attributes of segments, and the values that they have",
}
"""What annotators, or systems and gold, are compared by."""


class Comparing(TypedDict, total=False):
    """The fields of :class:`Compared` as keywords, for those who check types."""

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


@dataclass(frozen=True, eq=False)
class Compared:
    """What of a corpus is compared, and by how much borders may differ.

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
    def read(cls, reading: Mapping[str, Any]) -> Compared:
        """Return what was compared of a corpus, from what it says of its reading."""
        names = {item.name for item in fields(cls)} - {"arguments"}
        chosen = {name: value for name, value in reading.items() if name in names}
        if "what" in chosen:  # there ``arguments`` is the measure of the segments that are linked
            chosen["arguments"] = str(reading.get("chance")).removeprefix("spans-")
        return cls(**chosen)

    def of(self, corpus: Corpus, match: str = "exact", *, in_part: bool = False) -> Corpus:
        """Return the segments or relations of a corpus, as one to compare.

        A part of a corpus (``in_part``) need not have any.
        """
        if self.min_score is not None:
            from spanagree.comparisons.prediction_scores import with_min_score  # few have scores

            corpus = with_min_score(corpus, self.min_score, in_part=in_part)
        if self.attribute is not None:
            corpus = with_attribute(corpus, self.attribute, in_part=in_part)
        usual = Compared()
        recorded = {
            name: value
            for name, value in vars(self).items()
            if name not in (*_OF_RELATIONS, _IN_MEASURE, _OF_QUOTES)
            and value != getattr(usual, name)
        }
        if recorded:
            corpus = corpus.but(reading={**corpus.reading, **recorded})
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


def compared(
    corpus: Corpus,
    match: MatchName,
    chance: str | ChanceModel,
    places: Given | None = None,
    chance_of: str = "both",
    seed: int = 0,
    *,
    in_part: bool = False,
    **comparing: Any,
) -> tuple[Corpus, MatchName, ChanceModel]:
    """Return what of a corpus is compared, by which measure and chance model.

    Args:
        corpus: annotations.
        match: measure of segments; of relations, that of the segments that they link.
        chance, places, chance_of, seed: chance model; see :func:`spanagree.evaluate`.
        in_part: whether this is a part of a corpus: what the whole needs in one place, such as an
            attribute, it need not have. :func:`measure_of_whole` looks at the whole.
        comparing: what is compared; see :class:`Compared`.

    Raises:
        SettingError: for an unknown choice or rule, or a bad seed; for a corpus without relations,
            or without this attribute; for settings of relations where segments are compared.
    """
    chosen = chosen_of(comparing)
    model = chance_model(chance, places, chance_of, seed)
    match = within(match, chosen.tolerance, corpus.offsets, model.places)
    find_match(match)
    corpus = chosen.of(corpus, match, in_part=in_part)
    if corpus.of_strings:
        from spanagree.comparisons.strings import as_segments  # most corpora have texts

        corpus = as_segments(corpus, match)
    match = match if chosen.what == "segments" else "exact"
    model, corpus = chance_of_corpus(corpus, match, model).with_ids(corpus, in_part=in_part)
    return corpus, match, model


def chosen_of(comparing: Mapping[str, Any]) -> Compared:
    """Return what is compared, of its keywords.

    Raises:
        SettingError: for an unknown keyword or choice, or settings of relations where segments or
            attributes are compared.
    """
    check_keywords(comparing, (item.name for item in fields(Compared)))
    chosen = Compared(**comparing)
    what, undirected = chosen.what, chosen.undirected
    check_choice(what, WHATS, "what")
    check_choice(chosen.unplaced, UNPLACED, "unplaced")
    if isinstance(undirected, str) or not is_iterable(undirected):
        raise SettingError(f"undirected {show(undirected)}; a list of labels is needed")
    if chosen.min_score is not None:
        from spanagree.comparisons.prediction_scores import check_min_score  # few have scores

        check_min_score(chosen.min_score)
    usual = Compared(what=what)
    of_relations = {
        "segments": ("pairs", "undirected", "untyped", "arguments"),
        "attributes": ("pairs", "undirected"),
    }
    for name in of_relations.get(what, ()):
        if getattr(chosen, name) != getattr(usual, name):
            raise SettingError(f"{name} is for what relations; {what} are compared here")
    return chosen


def check_settings(match: MatchName, chance: ChanceModel, **comparing: Any) -> None:
    """Check the settings of a comparison before any part of a corpus is read.

    Raises:
        SettingError: as :func:`compared`; for rules of documents, as those of a part are not known.
    """
    places = chance.places
    if places is not None and places.documents is not None:
        raise SettingError(
            "places: a list with a rule for each document needs one corpus, not parts; a name or a"
            " predicate would work"
        )
    chosen = chosen_of(comparing)
    if not chosen.tolerance:  # in units of the corpus, which is not known yet
        find_match(within(match, 0, places=places))


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
    return corpus.but(source=without_text(corpus.source))


def measure_of_whole(
    corpus: Corpus, match: MatchName, chance: ChanceModel, **comparing: Any
) -> MatchName:
    """Return the measure by which a whole corpus is compared, and check what it needs.

    Args:
        whole: parts joined, what is compared of each.
        match, chance: measure and chance model, as :func:`compared` takes them.
        comparing: what is compared; see :class:`Compared`.

    Raises:
        SettingError: if no segment has the attribute, or the label of a rule of places; for a rule
            of places where segments have several pieces.
        InputError: if no token is at a place.
    """
    chosen = chosen_of(comparing)
    attribute = chosen.attribute
    if attribute is not None and not corpus.of_rows:
        source: Any = corpus if not corpus.of_relations else vars(corpus)["source"]
        check_attribute(attribute, [layer.details for layer in source.layers.values()])
    if not corpus.of_rows:
        chance.with_ids(corpus)
    if chosen.min_score is not None and not corpus.of_rows:
        from spanagree.comparisons.prediction_scores import check_scores  # few have scores

        check_scores(corpus)
    return measure_of(match, chance, corpus.offsets, **comparing)


def measure_of(match: MatchName, chance: ChanceModel, offsets: str, **comparing: Any) -> MatchName:
    """Return the measure by which what is asked for is compared, in these offsets."""
    chosen = chosen_of(comparing)
    if chosen.what != "segments":
        return "exact"
    return within(match, chosen.tolerance, offsets, chance.places)


def asked_items(corpus: Corpus, match: MatchName, **comparing: Any) -> list[tuple[str, Any, Any]]:
    """List what is compared: the name of each setting, its value of a corpus, and what is asked.

    Args:
        corpus: documents that were compared, which say so in their reading.
        match: measure that is asked for.
        comparing: what is asked for; see :class:`Compared`.
    """
    reading = corpus.reading
    chosen, of_reading = chosen_of(comparing), Compared.read(reading)
    passed_over = {_IN_MEASURE}
    if not corpus.unplaced and _OF_QUOTES not in reading:
        passed_over.add(_OF_QUOTES)
    items = [
        (item.name, _plain(getattr(of_reading, item.name)), _plain(getattr(chosen, item.name)))
        for item in fields(Compared)
        if item.name not in passed_over
    ]
    if chosen.what != "segments" and chosen.what == of_reading.what:
        items.append(("match", reading.get("arguments", "exact"), match))
    return items


def _plain(value: Any) -> Any:
    """Return a value as a corpus records it, in which sequences are lists."""
    return list(value) if is_iterable(value) and not isinstance(value, str) else value


def check_same_question(
    of_rows: tuple[str, ChanceModel],
    asked: tuple[str, ChanceModel],
    names: Sequence[tuple[str, Any, Any]],
) -> None:
    """Raise if rows were compared by another measure, chance model or setting than is asked for.

    Args:
        of_rows: measure and chance model of the rows.
        asked: those that are asked for.
        names: name of each other setting, its value of the rows and the one asked for.

    Raises:
        SettingError: naming the first.
    """

    model = asked[1].named(of_rows[1].name) if asked[1].name == AUTO else asked[1]
    if asked[1].is_open and of_rows[1].undefined:
        model = of_rows[1]

    def described(chance: ChanceModel) -> str:
        (_, name), *more = chance.settings.items()
        return ", ".join((name, *(f"{key} {value}" for key, value in more)))

    settings = [
        ("match", of_rows[0], asked[0]),
        ("chance", described(of_rows[1]), described(model)),
        *names,
    ]
    for name, there, wanted in settings:
        if there != wanted:
            raise SettingError(
                f"{name} {show(wanted)}; the rows are of {name} {show(there)}: ask for that, or"
                " compare the corpus anew"
            )


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
    return corpus.but(layers=layers, labels=labels)
