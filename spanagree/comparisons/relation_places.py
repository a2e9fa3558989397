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
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct, first_alike, join, ranges
from spanagree.chance.relations import relation_matches
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import Details
from spanagree.corpus.discontinuous import shape_codes
from spanagree.corpus.roles import times_seen
from spanagree.corpus.segments import Layer, by_layer, columns_of_all
from spanagree.errors import SettingError, check_choice, counted, listed, show

PAIRS = {
    "types": "pairs of segments with the same two labels",
    "all": "all pairs of segments",
    "sentence": "pairs with the same two labels, both in one sentence or not",
}
"""Which pairs of segments could be linked in the same way."""

ARGUMENTS = {
    "fixed": "the segments of either annotator stay where they are",
    "common": "relations among the segments that all marked; these stay where they are",
    "random": "the segments are random too, and with them what two annotators can link both",
}
"""What becomes of the segments that relations link, in a random annotation."""

OF_ARGUMENTS = {f"spans-{name}": means for name, means in ARGUMENTS.items()}
"""The chance models of relations and attributes, by the names that signatures have."""

UNTYPED = "relation"
"""The label of all relations where labels do not count."""

_MATCHES = {"exact": True, "boundaries": False}


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

    def subset(self, documents: Sequence[int] | Ints | Bools) -> Corpus:
        """Return the relations of some of the documents, in the order given."""
        return self.rule.relations(self.source.subset(documents))

    def of_annotators(self, names: Iterable[str], *, in_part: bool = False) -> Corpus:
        """Return the relations of some of the annotators, in the order given."""
        return self.rule.relations(self.source.of_annotators(names, in_part=in_part))


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
        check_choice(self.match, _MATCHES, "match of the segments that relations link")
        if not _MATCHES[self.match] and self.pairs != "all":
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

    def relations(self, corpus: Corpus) -> RelationCorpus:
        """Return the relations of a corpus.

        Raises:
            SettingError: if there are none, or an undirected label is not there.
        """
        spans = _Spans.of(corpus, self)
        marked = {
            name: _attributes(layer) if self.attributes else _links(layer)
            for name, layer in corpus.layers.items()
        }
        names = sorted({label for *_, known in marked.values() for label in known})
        if not names:
            what = "attributes" if self.attributes else "relations"
            raise SettingError(
                f"no {what} in the files that were read; spanagree check counts what there is"
            )
        if missing := [label for label in self.undirected if label not in names]:
            raise SettingError(
                f"undirected {show(missing[0])}; the relations are called {listed(names)}"
            )
        free = {*self.undirected, *(() if self.attributes else _undirected(corpus))}
        labels = (UNTYPED,) if self.untyped else tuple(names)
        code = {name: 0 if self.untyped else i for i, name in enumerate(names)}
        layers, notes = {}, list(corpus.notes)
        again = left = 0
        for number, (name, layer) in enumerate(corpus.layers.items()):
            *ends, labelled, known = marked[name]
            head, tail = (spans.number(number, row) for row in ends)
            label = np.array([code[x] for x in known], np.int64)[labelled]
            one_way = np.array([x not in free for x in known], np.int64)[labelled]
            document = spans.document[head]
            if self.arguments == "common":
                kept = spans.common[head] & spans.common[tail]
                left += int((~kept).sum())
                head, tail, label, one_way, document = (
                    x[kept] for x in (head, tail, label, one_way, document)
                )
            first = np.where(one_way > 0, head, np.minimum(head, tail)) - spans.first[document]
            second = np.where(one_way > 0, tail, np.maximum(head, tail)) - spans.first[document]
            # those without a direction have places of their own
            place = (first * spans.size[document] + second) * 2 + (one_way == 0)
            kept = first_alike(document, place, label) == np.arange(len(place))
            again += int((~kept).sum())
            document, place, label = document[kept], place[kept], label[kept]
            layers[name] = Layer(document, place, place + 1, label, layer.annotated)
        if again:
            notes.append(f"{counted(again, 'relation')} the same as another, merged")
        if left:
            notes.append(
                f"{counted(left, 'relation')} left out, with a segment that not all marked"
            )
        return RelationCorpus(
            2 * spans.size * spans.size,
            layers,
            labels,
            ids=corpus.ids,
            wholes=corpus.wholes,
            reading={**corpus.reading, **self.settings},
            notes=tuple(notes),
            source=corpus,
            rule=self,
        )


def _links(layer: Layer) -> tuple[Ints, Ints, Ints, tuple[str, ...]]:
    """Return the rows of both segments, and the label, of each relation; and the labels."""
    details = layer.details or Details.none(len(layer))
    links = details.links
    return links.first, links.second, links.label, details.relation_labels


def _attributes(layer: Layer) -> tuple[Ints, Ints, Ints, tuple[str, ...]]:
    """Return the same of attributes, each as a relation of a segment with itself."""
    details = layer.details or Details.none(len(layer))
    rows, labels = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    names: list[str] = []
    for name, column in details.attributes.items():
        row = np.flatnonzero(column >= 0)
        rows.append(row)
        labels.append(column[row] + len(names))
        names += [f"{name}={value}" for value in details.values[name]]
    row = np.concatenate(rows)
    return row, row, np.concatenate(labels), tuple(names)


def _undirected(corpus: Corpus) -> set[str]:
    """Return the labels of relations that have no direction somewhere."""
    return {
        label
        for layer in corpus.layers.values()
        if layer.details is not None
        for _, _, label, directed in layer.details.relations()
        if not directed
    }


@dataclass(frozen=True, eq=False)
class _Spans:
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
    def of(cls, corpus: Corpus, rule: RelationRule) -> _Spans:
        layers = list(corpus.layers.values())
        document, start, end, label, layer = columns_of_all(layers)
        shape = np.concatenate([np.zeros(0, np.int64), *shape_codes(layers, {})])
        if not _MATCHES[rule.match]:
            label = np.zeros_like(label)
        columns = (document, start, end, label, shape)
        (document, start, _, label, _), number, _ = distinct(*columns)
        seen = times_seen(corpus)
        # a layer may have two segments that are alike but for their labels
        (once, _), _, _ = distinct(number, layer)
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

    def number(self, layer: int, row: Ints) -> Ints:
        """Return the numbers of an annotator's segments."""
        return self.marked[layer][row]


def sentence_ends(corpus: Corpus) -> list[Ints]:
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
    ends = sentence_ends(corpus)
    return np.array(
        [np.searchsorted(ends[d], s, "right") for d, s in zip(document, start, strict=True)],
        np.int64,
    )


class RelationCells(NamedTuple):
    """What two annotators' relations have in common can be, a row for each label and two sets.

    Attributes:
        document: of each row.
        number_a, number_b: the relations of either.
        sets_a, sets_b: the sets of pairs at which they stand.
        row_of_a: of each relation of A its row, the first if there are several; −1 without one.
        places: the sets.
    """

    document: Ints
    number_a: Ints
    number_b: Ints
    sets_a: Ints
    sets_b: Ints
    row_of_a: Ints
    places: PairPlaces

    @classmethod
    def of(cls, corpus: RelationCorpus, a: str, b: str) -> RelationCells:
        """Return the rows of two annotators."""
        places, kinds = PairPlaces.of(corpus, (a, b))
        sides = []
        for name, kind in zip((a, b), kinds, strict=True):
            layer = corpus.layers[name]
            sides.append(distinct(layer.document, layer.label, kind))
        ((doc_a, label_a, kind_a), which, number_a), ((doc_b, label_b, kind_b), _, number_b) = sides
        many = len(corpus.labels)
        order = np.argsort(doc_b * many + label_b, kind="stable")
        i, j = join(doc_a * many + label_a, (doc_b * many + label_b)[order])
        j = order[j]
        alike = places.alike(kind_a[i], kind_b[j])
        i, j = i[alike], j[alike]
        row = np.full(len(doc_a), -1)
        row[i[::-1]] = np.arange(len(i))[::-1]
        return cls(doc_a[i], number_a[i], number_b[j], kind_a[i], kind_b[j], row[which], places)


def relation_distributions(
    corpus: RelationCorpus, names: tuple[str, str], fixed: str | None
) -> dict[int, list[Floats]]:
    """Return for each document the distributions of the relations in common, which are independent.

    There is one for each label and kind of pairs. ``fixed`` names the annotator whose relations
    stay as they are, if any: of these it is only asked how many are on pairs that both could link.
    """
    a, b = (names[1], names[0]) if fixed == names[1] else names
    cells = RelationCells.of(corpus, a, b)
    places = cells.places
    common = places.common(cells.sets_a, cells.sets_b).astype(np.int64)
    columns = [
        cells.number_a,
        cells.number_b,
        *(places.number[sets].astype(np.int64) for sets in (cells.sets_a, cells.sets_b)),
        common,
    ]
    if fixed is not None:  # all pairs of A that B could link too are where hers are
        known_to_b = np.isin(np.arange(len(places.spans.document)), places.marked_by(b))
        reached = np.logical_and(*(known_to_b[end] for end in places.linked_by(a)))
        reached &= cells.row_of_a >= 0
        here = np.bincount(cells.row_of_a[reached], minlength=len(common))
        columns = [here, cells.number_b, here, columns[3], here]
    known: dict[int, list[Floats]] = {}
    rows = zip(cells.document.tolist(), *(x.tolist() for x in columns), strict=True)
    for document, n_a, n_b, pairs_a, pairs_b, both in rows:
        if both:
            p = relation_matches(n_a, n_b, pairs_a, pairs_b, both)
            known.setdefault(document, []).append(p)
    return known


@dataclass(frozen=True, eq=False)
class PairPlaces:
    """The pairs of segments at which random relations stand.

    A set of pairs is known by annotator, document, the kinds of both segments, whether they are in
    one sentence (2 if that makes no kinds), and whether the pairs have a direction.

    Attributes:
        corpus: the relations.
        names: the annotators.
        spans: the segments.
        sets: the columns of that, of each set; of segments the group.
        groups: annotator, document and type of each group of segments.
        first: where the segments of each group begin, and the end of all.
        segment, sentence: of each group's segments, the number and the sentence.
        number: how many pairs each set has.
        alone: whether they are sets of segments, not of pairs.
    """

    corpus: RelationCorpus
    names: tuple[str, ...]
    spans: _Spans
    sets: tuple[Ints, ...]
    groups: tuple[Ints, Ints, Ints]
    first: Ints
    segment: Ints
    sentence: Ints
    number: Floats
    alone: bool = False
    are: ClassVar[Literal["of pairs"]] = "of pairs"

    @classmethod
    def of(cls, corpus: RelationCorpus, names: Sequence[str]) -> tuple[PairPlaces, list[Ints]]:
        """Return the sets of all relations of some layers, and which is that of each."""
        source, rule = corpus.source, corpus.rule
        spans = _Spans.of(source, rule)
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
        (keys,), _, sizes = distinct(key)
        groups = keys // types // documents, keys // types % documents, keys % types
        first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        made = cls(
            corpus, tuple(names), spans, (), groups, first, segment,
            spans.sentence[segment], np.zeros(0), rule.attributes,
        )  # fmt: skip
        columns = []
        for number, name in enumerate(names):
            layer = corpus.layers[name]
            undirected, ends = layer.start % 2, made.linked_by(name)
            kind = [spans.type[end] for end in ends]
            swap = (undirected == 1) & (kind[0] > kind[1])
            kind = [np.where(swap, kind[1 - i], kind[i]) for i in (0, 1)]
            at = number * documents + layer.document
            group = [np.searchsorted(keys, at * types + numbers) for numbers in kind]
            same = spans.sentence[ends[0]] == spans.sentence[ends[1]]
            near = np.where(rule.pairs == "sentence", same, 2)
            columns.append(np.stack([*group, near, undirected]))
        rows = np.concatenate([np.zeros((4, 0), np.int64), *columns], axis=1)
        sets, which, _ = distinct(*rows)
        made = replace(made, sets=sets)
        every = np.arange(len(sets[0]))
        made = replace(made, number=made.common(every, every))
        return made, by_layer(which, [corpus.layers[name] for name in names])

    def kind(self, number: int) -> tuple[int, int, int, bool]:
        """Return the kind of a set's pairs.

        Returns:
            The types of both segments; whether they are in one sentence, as ``sets`` has it; and
            whether either may come first.
        """
        head, tail, near, undirected = (int(column[number]) for column in self.sets)
        types = self.groups[2][[head, tail]].tolist()
        return types[0], types[1], near, head == tail and undirected == 1

    def alike(self, i: Ints, j: Ints) -> Bools:
        """Return whether two sets are of one document and kind, for each i and j."""
        heads, tails, *others = self.sets
        ends = [column[groups] for groups in (heads, tails) for column in self.groups[1:]]
        return np.logical_and.reduce([column[i] == column[j] for column in (*ends, *others)])

    def common(self, i: Ints, j: Ints) -> Floats:
        """Return how many pairs two sets have in common, for each i and j."""
        heads, tails, near, undirected = self.sets
        totals = []
        for groups in (heads, tails):
            row, sentence = self._shared(groups[i], groups[j])
            totals.append((row, sentence))
        (row_a, sentence_a), (row_b, sentence_b) = totals
        if self.alone:
            return np.bincount(row_a, minlength=len(i)).astype(float)
        of_head, of_tail = (
            np.bincount(row, minlength=len(i)).astype(float) for row in (row_a, row_b)
        )
        within = np.zeros(len(i))
        if (near < 2).any():
            most = int(self.sentence.max(initial=0)) + 1
            (keys_a,), _, n_a = distinct(row_a * most + sentence_a)
            (keys_b,), _, n_b = distinct(row_b * most + sentence_b)
            a, b = join(keys_a, keys_b)
            within = np.bincount(keys_a[a] // most, n_a[a] * n_b[b], len(i)).astype(float)
        alike = (heads[i] == tails[i]) & (heads[j] == tails[j])
        itself = np.where(alike, of_head, 0.0)  # no segment is linked with itself
        every, within = of_head * of_tail - itself, within - itself
        matching = (near[i] == near[j]) & (undirected[i] == undirected[j])
        count = np.where(near[i] == 2, every, np.where(near[i] == 1, within, every - within))
        count = np.where(alike & (undirected[i] == 1), count / 2, count)
        return np.where(matching, count, 0.0)

    def _shared(self, groups: Ints, others: Ints) -> tuple[Ints, Ints]:
        """Return row and sentence of each segment that two groups share, for each row of these."""
        at, row = ranges(self.first[groups], self.first[groups + 1])
        many = int(self.segment.max(initial=0)) + 1
        owner = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        keys = owner * many + self.segment
        wanted = others[row] * many + self.segment[at]
        place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        there = keys[place] == wanted if len(keys) else np.zeros(0, np.bool_)
        return row[there], self.sentence[at[there]]

    def marked_by(self, name: str) -> Ints:
        """Return the numbers of an annotator's segments, by row of the layer of segments."""
        return self.spans.marked[list(self.corpus.source.layers).index(name)]

    def linked_by(self, name: str) -> tuple[Ints, Ints]:
        """Return the numbers of both segments of each of an annotator's relations."""
        layer = self.corpus.layers[name]
        place, size = layer.start // 2, np.maximum(self.spans.size[layer.document], 1)
        first = self.spans.first[layer.document]
        return first + place // size, first + place % size

    def inner(self, i: Ints, j: Ints) -> Floats:
        """Return the probability that two random relations match, for each two sets."""
        possible = self.number[i] * self.number[j]
        return np.divide(self.common(i, j), possible, out=np.zeros(len(i)), where=possible > 0)
