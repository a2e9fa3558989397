"""Relations as segments of a text of their own, so that all that compares segments compares them.

Of a document with K different segments, whoever marked them, the text of its relations has K · K
places, one for each pair of them: a relation is a segment of one place there, whose label is that
of the relation. Two annotators' relations match if they stand at the same place. A random
annotation puts each at one of the pairs of the annotator's own segments that are of the same kind,
so two relations of a kind match with probability N_C / (N_A · N_B), of N_A and N_B pairs of either,
N_C of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges, first_equal_row, join, unique_rows
from spanagree.chance.relations import relation_matches
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import OF_EQUAL, Measure, find_measure
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import SegmentDetails
from spanagree.corpus.discontinuous import shape_codes
from spanagree.corpus.roles import count_seen
from spanagree.corpus.segments import Layer, by_layer, columns_of_all
from spanagree.errors import SettingError, check_choice, join_names, pluralize, quote_value

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing from Python 3.11 on

PAIRS = {
    "types": "pairs of segments with the same two labels",
    "all": "all pairs of segments",
    "sentence": "pairs with the same two labels, both in one sentence or not",
}
"""Which pairs of segments could be linked in the same way."""

ARGUMENTS = {
    "fixed": "the segments of either annotator stay where they are",
    "common": "relations among the segments that all marked; these stay where they are",
}
"""Which relations count; in a random annotation, the segments that they link stay."""

OF_ARGUMENTS = {f"spans-{name}": means for name, means in ARGUMENTS.items()}
"""The chance models of relations and attributes, by the names that signatures have."""

UNTYPED = "relation"
"""The label of all relations where labels do not count."""


@dataclass(frozen=True, eq=False, repr=False)
class RelationCorpus(Corpus):
    """The relations of a corpus, as segments of one place each.

    Attributes:
        source: the corpus that they are of.
        rule: how they are compared.
    """

    of_relations: ClassVar[bool] = True
    _: KW_ONLY
    source: Corpus
    rule: RelationRule

    @property
    def kind(self) -> str:
        """How its segments are compared: as relations."""
        return "relations"

    def subset(self, documents: Sequence[int] | Ints | Bools) -> Corpus:
        """Return the relations of some of the documents, in the order given."""
        return self.rule.relations(self.source.subset(documents))

    def select_annotators(self, names: Iterable[str], *, in_part: bool = False) -> Corpus:
        """Return the relations of some of the annotators, in the order given."""
        of_names = self.source.select_annotators(names, in_part=in_part)
        return self.rule.relations(of_names, in_part=in_part)


@dataclass(frozen=True)
class RelationRule:
    """How relations are compared.

    Attributes:
        pairs: one of :data:`PAIRS`.
        undirected: labels of relations that have no direction; others have none where the source
            says so.
        untyped: labels of relations do not count.
        arguments: one of :data:`ARGUMENTS`.
        match: how the segments that they link are compared, exact or boundaries.
        attributes: it is not relations that are compared, but attributes: each is as a relation of
            a segment with itself, whose label is ``name=value``, and a kind is one of segments.
    """

    pairs: str = "types"
    undirected: tuple[str, ...] = ()
    untyped: bool = False
    arguments: str = "fixed"
    match: str = "exact"
    attributes: bool = False

    def __post_init__(self) -> None:
        check_choice(self.pairs, PAIRS, "pairs")
        check_choice(self.arguments, ARGUMENTS, "arguments")
        check_choice(self.match, OF_EQUAL, "match of the segments that relations link")
        if not find_measure(self.match).of_label and self.pairs != "all":
            raise SettingError(
                f"pairs {self.pairs} goes by the labels of the segments, which match"
                f" {self.match} does not compare; pairs all goes with it"
            )

    @property
    def settings(self) -> dict[str, object]:
        """What signatures say of it."""
        return {
            "what": "attributes" if self.attributes else "relations",
            "pairs": self.pairs,
            "chance": f"spans-{self.arguments}",
            **({"arguments": self.match} if self.match != "exact" else {}),
            **({"undirected": list(self.undirected)} if self.undirected else {}),
            **({"untyped": True} if self.untyped else {}),
        }

    def relations(self, corpus: Corpus, *, in_part: bool = False) -> RelationCorpus:
        """Return the relations of a corpus, or of a part of one, which need not have any.

        Raises:
            SettingError: if there are none, or an undirected label is not there.
        """
        spans = _RelationSpans.of(corpus, self)
        links_of = _attributes if self.attributes else _links
        links = {name: links_of(layer) for name, layer in corpus.layers.items()}
        names = sorted({label for of_layer in links.values() for label in of_layer.labels})
        if not names and not in_part:
            what = "attributes" if self.attributes else "relations"
            raise SettingError(
                f"no {what} in the files that were read; spanagree check counts what there is"
            )
        missing = [label for label in self.undirected if label not in names]
        if missing and not in_part:
            raise SettingError(
                f"undirected {quote_value(missing[0])}; the relations are called"
                f" {join_names(names)}"
            )
        undirected = {*self.undirected, *(() if self.attributes else _undirected(corpus))}
        labels = (UNTYPED,) if self.untyped else tuple(names)
        code = {name: 0 if self.untyped else i for i, name in enumerate(names)}
        layers, notes = {}, list(corpus.notes)
        again = left = 0
        for (name, layer), marked in zip(corpus.layers.items(), spans.marked, strict=True):
            first, second, label, known = links[name]
            head, tail = marked[first], marked[second]
            both_ways = np.array([x in undirected for x in known], np.int64)[label]
            place = spans.place_of_pair(head, tail, both_ways)
            codes = np.array([code[x] for x in known], np.int64)[label]
            relations = np.stack((spans.document[head], place, codes))
            if self.arguments == "common":
                kept = spans.common[head] & spans.common[tail]
                left += int((~kept).sum())
                relations = relations[:, kept]
            kept = first_equal_row(*relations) == np.arange(relations.shape[1])
            again += int((~kept).sum())
            document, place, codes = relations[:, kept]
            layers[name] = Layer(document, place, place + 1, codes, layer.annotated)
        if again:
            notes.append(f"{pluralize(again, 'relation')} the same as another, merged")
        if left:
            notes.append(
                f"{pluralize(left, 'relation')} left out, with a segment that not all marked"
            )
        return RelationCorpus(
            2 * spans.size * spans.size,
            layers,
            labels,
            ids=corpus.ids,
            parent_ids=corpus.parent_ids,
            reading={**corpus.reading, **self.settings},
            notes=tuple(notes),
            source=corpus,
            rule=self,
        )


class _RelationLinks(NamedTuple):
    """What links segments of a layer.

    Attributes:
        first, second: the rows of both segments of each relation.
        label: of each relation, the number of its label.
        labels: the labels.
    """

    first: Ints
    second: Ints
    label: Ints
    labels: tuple[str, ...]


def _links(layer: Layer) -> _RelationLinks:
    """Return the relations of a layer."""
    details = layer.details or SegmentDetails.none(len(layer))
    links = details.links
    return _RelationLinks(links.first, links.second, links.label, details.relation_labels)


def _attributes(layer: Layer) -> _RelationLinks:
    """Return the attributes of a layer, each as a relation of a segment with itself."""
    details = layer.details or SegmentDetails.none(len(layer))
    rows, labels = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    names: list[str] = []
    for name, column in details.attributes.items():
        row = np.flatnonzero(column >= 0)
        rows.append(row)
        labels.append(column[row] + len(names))
        names += [f"{name}={value}" for value in details.values[name]]
    row = np.concatenate(rows)
    return _RelationLinks(row, row, np.concatenate(labels), tuple(names))


def _undirected(corpus: Corpus) -> set[str]:
    """Return the labels of relations that have no direction somewhere."""
    return {
        label
        for layer in corpus.layers.values()
        if layer.details is not None
        for _, _, label, directed in layer.details.relations()
        if not directed
    }


def directions(corpus: RelationCorpus) -> tuple[set[str], set[str]]:
    """Return the labels of relations, and of those the ones without a direction."""
    if corpus.rule.attributes:
        return set(), set()
    layers = corpus.source.layers.values()
    labels = {label for layer in layers for label in _links(layer).labels}
    undirected = {*corpus.rule.undirected, *_undirected(corpus.source)}
    return labels, labels & undirected


@dataclass(frozen=True, eq=False)
class _RelationSpans:
    """The different segments of each document, whoever marked them, numbered document by document.

    Attributes:
        document: of each.
        type: of each, its label, or 0 where these make no kinds.
        sentence: of each.
        common: whether all who saw the document marked it.
        first, size: of each document, its first number, and how many it has.
        marked: of each annotator, the numbers of her segments, by row of the layer.
    """

    document: Ints
    type: Ints
    sentence: Ints
    common: Bools
    first: Ints
    size: Ints
    marked: tuple[Ints, ...]

    @classmethod
    def of(cls, corpus: Corpus, rule: RelationRule) -> _RelationSpans:
        layers = list(corpus.layers.values())
        document, start, end, label, layer = columns_of_all(layers)
        shape = np.concatenate([np.zeros(0, np.int64), *shape_codes(layers, {})])
        if not find_measure(rule.match).of_label:
            label = np.zeros_like(label)
        columns = (document, start, end, label, shape)
        (document, start, _, label, _), number, _ = unique_rows(*columns)
        seen = count_seen(corpus)
        # a layer may have two segments that are alike but for their labels
        (once, _), _, _ = unique_rows(number, layer)
        size = np.bincount(document, minlength=len(corpus))
        sentence = np.zeros_like(start)
        if rule.pairs == "sentence":
            sentence = _sentences(corpus, document, start)
        return cls(
            document,
            np.zeros_like(label) if rule.pairs == "all" else label,
            sentence,
            np.bincount(once, minlength=len(document)) == seen[document],
            np.cumsum(size) - size,
            size,
            tuple(by_layer(number, layers)),
        )

    def place_of_pair(self, head: Ints, tail: Ints, both_ways: Ints) -> Ints:
        """Return the place of each pair in the text of relations of its document.

        Pairs without a direction have places of their own; of these the lower number comes first.
        """
        document = self.document[head]
        first = np.where(both_ways, np.minimum(head, tail), head) - self.first[document]
        second = np.where(both_ways, np.maximum(head, tail), tail) - self.first[document]
        return (first * self.size[document] + second) * 2 + both_ways

    def pair_at(self, document: Ints, place: Ints) -> tuple[Ints, Ints]:
        """Return the numbers of both segments of the pairs at some places."""
        size = np.maximum(self.size[document], 1)
        head, tail = np.divmod(place // 2, size)
        return self.first[document] + head, self.first[document] + tail


def _sentence_ends(corpus: Corpus) -> list[Ints]:
    """Return where the sentences of each document end; of the last one that may lack."""
    if corpus.text_ends is not None:
        return [np.asarray(some) for some in corpus.text_ends]
    if corpus.offsets == "characters" and corpus.texts is not None:
        return [
            np.flatnonzero(np.array(list(text), dtype="<U1") == "\n") + 1 for text in corpus.texts
        ]
    if corpus.reading.get("unit") == "sentence":
        return [np.zeros(0, np.int64)] * len(corpus)
    raise SettingError(
        "pairs sentence needs sentences: documents that are sentences (--unit sentence), or"
        " texts with a line for each"
    )


def _sentences(corpus: Corpus, document: Ints, start: Ints) -> Ints:
    """Return the number of the sentence in which each segment starts, within its document."""
    ends = _sentence_ends(corpus)
    return np.array(
        [np.searchsorted(ends[d], s, "right") for d, s in zip(document, start, strict=True)],
        np.int64,
    )


def relation_distributions(
    corpus: RelationCorpus, names: tuple[str, str], fixed: str | None
) -> dict[int, list[Floats]]:
    """Return for each document the distributions of the relations in common, which are independent.

    There is one for each label and kind of pairs. ``fixed`` names the annotator whose relations
    stay as they are, if any: of these it is only asked how many are on pairs that both could link.
    """
    a, b = (names[1], names[0]) if fixed == names[1] else names
    places, rows, of_row = compare_relations(corpus, a, b)
    common = places.common(rows.sets_a, rows.sets_b).astype(np.int64)
    number_a, number_b = rows.number_a, rows.number_b
    pairs_a, pairs_b = (places.pairs[sets].astype(np.int64) for sets in (rows.sets_a, rows.sets_b))
    if fixed is not None:  # all pairs of A that B could link too are where hers are
        number_a = pairs_a = common = _reached(places, rows, (a, b))
    distributions: dict[int, list[Floats]] = {}
    columns = of_row, number_a, number_b, pairs_a, pairs_b, common
    for document, *numbers, both in zip(*(column.tolist() for column in columns), strict=True):
        if both:
            p = relation_matches(*numbers, both)
            distributions.setdefault(document, []).append(p)
    return distributions


def draw_relations(
    corpus: RelationCorpus,
    names: tuple[str, str],
    fixed: str | None,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Return how many relations two annotators have in common in each draw; (draws, documents).

    ``fixed`` names the annotator whose relations stay as they are, if any.
    """
    a, b = (names[1], names[0]) if fixed == names[1] else names
    places, rows, document = compare_relations(corpus, a, b)
    pairs_a, pairs_b = (places.pairs[sets].astype(np.int64) for sets in (rows.sets_a, rows.sets_b))
    common = places.common(rows.sets_a, rows.sets_b).astype(np.int64)
    if fixed is not None:
        on_common = np.tile(_reached(places, rows, names=(a, b)), (draws, 1))
    else:
        on_common = rng.hypergeometric(
            common, pairs_a - common, rows.number_a, (draws, len(common))
        )
    drawn = rng.hypergeometric(on_common, pairs_b - on_common, rows.number_b)
    matched = np.zeros((len(corpus), draws))
    np.add.at(matched, document, drawn.T)
    return matched.T


def _reached(places: PairPlaces, rows: RelationRows, names: tuple[str, str]) -> Ints:
    """Return in each row how many relations of the first stand on pairs that both could link."""
    a, b = names
    known_to_b = np.isin(np.arange(len(places.spans.document)), places.marked_by(b))
    reached = np.logical_and(*(known_to_b[end] for end in places.linked_by(a)))
    reached &= rows.row_of_a >= 0
    return np.bincount(rows.row_of_a[reached], minlength=len(rows.cell))


class RelationRows(NamedTuple):
    """The relations of two annotators that may match: a row for each cell and two sets of a kind.

    Attributes:
        cell: of each row.
        number_a, number_b: the relations of either.
        sets_a, sets_b: the sets of pairs at which they stand.
        row_of_a: of each relation of A its row, the first if there are several; −1 without one.
    """

    cell: Ints
    number_a: Ints
    number_b: Ints
    sets_a: Ints
    sets_b: Ints
    row_of_a: Ints


def compare_relations(
    corpus: RelationCorpus, a: str, b: str
) -> tuple[PairPlaces, RelationRows, Ints]:
    """Return the pairs that two annotators could link, and their relations that may match.

    Behind them is the document of each row.
    """
    places, sets = PairPlaces.of_relations(corpus, (a, b))
    labels = len(corpus.labels)
    layers = corpus.layers[a], corpus.layers[b]
    cells = [layer.document * labels + layer.label for layer in layers]
    rows = places.rows(cells, sets)
    return places, rows, rows.cell // labels


class _Groups(NamedTuple):
    """The segments of each annotator, document and type together.

    Attributes:
        owner, document, type: of each group.
        first: where the segments of each group begin, and the end of all.
        segment, sentence: of each group's segments, the number and the sentence.
    """

    owner: Ints
    document: Ints
    type: Ints
    first: Ints
    segment: Ints
    sentence: Ints

    def shared(self, groups: Ints, others: Ints) -> tuple[Ints, Ints]:
        """Return row and sentence of each segment that two groups share, for each row of these."""
        at, row = expand_ranges(self.first[groups], self.first[groups + 1])
        many = int(self.segment.max(initial=0)) + 1
        number = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        keys = number * many + self.segment
        there = np.isin(others[row] * many + self.segment[at], keys)
        return row[there], self.sentence[at[there]]


@dataclass(frozen=True, eq=False)
class PairPlaces(Starts):
    """The pairs of segments at which random relations stand; a relation's number is that of a set.

    A set has all pairs of one annotator, document and kind.

    Attributes:
        corpus: the relations.
        names: the annotators.
        spans: the segments.
        groups: the segments of each annotator, document and type.
        head, tail: of each set, the group of the first and of the second segments.
        near: of each set, 1 if both segments are in one sentence, 0 if not, and 2 if that makes no
            kinds.
        undirected: of each set, 1 if its pairs have no direction.
    """

    corpus: RelationCorpus
    names: tuple[str, ...]
    spans: _RelationSpans
    groups: _Groups
    head: Ints
    tail: Ints
    near: Ints
    undirected: Ints

    @classmethod
    def of(cls, request: StartsRequest) -> tuple[Self, list[Ints]]:
        """Return the sets of all relations of some layers, and which is that of each.

        Raises:
            SettingError: for a chance model with a rule of places, or of systems only.
        """
        why = "their chance is over marked segments"
        request.chance.check_keeps_nothing("relations and attributes", why)
        assert isinstance(request.corpus, RelationCorpus)
        return cls.of_relations(request.corpus, request.names)

    @classmethod
    def of_relations(cls, corpus: RelationCorpus, names: Sequence[str]) -> tuple[Self, list[Ints]]:
        """Return the sets of all relations of some layers, and which is that of each."""
        source, rule = corpus.source, corpus.rule
        spans = _RelationSpans.of(source, rule)
        order = [list(source.layers).index(name) for name in names]
        marked = [np.unique(spans.marked[i]) for i in order]
        if rule.arguments == "common":
            marked = [some[spans.common[some]] for some in marked]
        owner = np.repeat(np.arange(len(names)), [len(some) for some in marked])
        segment = np.concatenate([np.zeros(0, np.int64), *marked])
        types = int(spans.type.max(initial=0)) + 1
        documents = len(corpus)
        key = (owner * documents + spans.document[segment]) * types + spans.type[segment]
        by_group = np.lexsort((segment, key))
        segment, key = segment[by_group], key[by_group]
        (keys,), _, sizes = unique_rows(key)
        groups = _Groups(
            keys // types // documents,
            keys // types % documents,
            keys % types,
            np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            segment,
            spans.sentence[segment],
        )
        layers = [corpus.layers[name] for name in names]
        columns = [np.zeros((4, 0), np.int64)]
        for number, layer in enumerate(layers):
            undirected, ends = layer.start % 2, spans.pair_at(layer.document, layer.start)
            first, second = (spans.type[end] for end in ends)
            swap = (undirected == 1) & (first > second)
            first, second = np.where(swap, second, first), np.where(swap, first, second)
            at = number * documents + layer.document
            head, tail = (np.searchsorted(keys, at * types + type_) for type_ in (first, second))
            same = spans.sentence[ends[0]] == spans.sentence[ends[1]]
            near = np.where(rule.pairs == "sentence", same, 2)
            columns.append(np.stack([head, tail, near, undirected]))
        sets, which, _ = unique_rows(*np.concatenate(columns, axis=1))
        return cls(corpus, tuple(names), spans, groups, *sets), by_layer(which, layers)

    @cached_property
    def pairs(self) -> Floats:
        """How many pairs each set has."""
        every = np.arange(len(self.head))
        return self.common(every, every)

    def expected(self, sides: LayerPair, measure: Measure) -> tuple[Floats, ApproximationError]:
        """Return the expected number of relations in common, for each cell."""
        rows = self.rows(sides.cells, sides.profiles)
        i, j = rows.sets_a, rows.sets_b
        possible = self.pairs[i] * self.pairs[j]
        share = np.divide(self.common(i, j), possible, out=np.zeros(len(i)), where=possible > 0)
        number = rows.number_a * rows.number_b
        return np.bincount(rows.cell, number * share, sides.count).astype(
            np.float64
        ), ApproximationError()

    def rows(self, cells: Sequence[Ints], sets: Sequence[Ints]) -> RelationRows:
        """Return the relations of two annotators that may match, from the cell and set of each."""
        ((cell_a, a), which, number_a), ((cell_b, b), _, number_b) = (
            unique_rows(*columns) for columns in zip(cells, sets, strict=True)
        )
        i, j = join(cell_a, cell_b)
        alike = self._alike(a[i], b[j])
        i, j = i[alike], j[alike]
        row = np.full(len(cell_a), -1)
        row[i[::-1]] = np.arange(len(i))[::-1]
        return RelationRows(cell_a[i], number_a[i], number_b[j], a[i], b[j], row[which])

    def _alike(self, i: Ints, j: Ints) -> Bools:
        """Return whether two sets are of one document and kind, for each i and j."""
        of_groups = (self.groups.document, self.groups.type)
        ends = [column[end] for end in (self.head, self.tail) for column in of_groups]
        columns = (*ends, self.near, self.undirected)
        return np.logical_and.reduce([column[i] == column[j] for column in columns])

    def common(self, i: Ints, j: Ints) -> Floats:
        """Return how many pairs two sets have in common, for each i and j."""
        head, tail, near = self.head, self.tail, self.near
        head_row, head_sentence = self.groups.shared(head[i], head[j])
        of_head = np.bincount(head_row, minlength=len(i)).astype(float)
        if self.corpus.rule.attributes:  # each is a relation of a segment with itself
            return of_head
        tail_row, tail_sentence = self.groups.shared(tail[i], tail[j])
        of_tail = np.bincount(tail_row, minlength=len(i)).astype(float)
        within = np.zeros(len(i))
        if (near < 2).any():
            most = int(self.groups.sentence.max(initial=0)) + 1
            (heads,), _, number_of_heads = unique_rows(head_row * most + head_sentence)
            (tails,), _, number_of_tails = unique_rows(tail_row * most + tail_sentence)
            a, b = join(heads, tails)
            pairs = number_of_heads[a] * number_of_tails[b]
            within = np.bincount(heads[a] // most, pairs, len(i)).astype(float)
        alike = (head[i] == tail[i]) & (head[j] == tail[j])
        itself = np.where(alike, of_head, 0.0)  # no segment is linked with itself
        every, within = of_head * of_tail - itself, within - itself
        count = np.select([near[i] == 2, near[i] == 1], [every, within], every - within)
        count = np.where(alike & (self.undirected[i] == 1), count / 2, count)
        matching = (near[i] == near[j]) & (self.undirected[i] == self.undirected[j])
        return np.where(matching, count, 0.0)

    def marked_by(self, name: str) -> Ints:
        """Return the numbers of an annotator's segments, by row of the layer of segments."""
        return self.spans.marked[list(self.corpus.source.layers).index(name)]

    def linked_by(self, name: str) -> tuple[Ints, Ints]:
        """Return the numbers of both segments of each of an annotator's relations."""
        layer = self.corpus.layers[name]
        return self.spans.pair_at(layer.document, layer.start)
