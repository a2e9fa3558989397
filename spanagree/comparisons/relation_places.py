"""Relations as segments of a text of their own, so that code for segments applies to them.

If a document has K distinct segments, the text of its relations has 2 · K · K places, one for each
ordered and each unordered pair. A relation is a segment of length 1 at the place of its pair, with
the label of the relation. Relations of two annotators match if they are at the same place.

The *type* of a segment is its label, if labels matter. The *kind* of a pair is the types of its
two segments, its direction, and whether both are in one sentence, if sentences matter. A random
annotation puts each relation at one of the pairs of the annotator's own segments of the same kind;
all pairs of one annotator, document and kind are a *set*. So two relations of a kind match with
probability

    N_C / (N_A · N_B),

with N_A and N_B pairs in the sets of the two annotators, and N_C common pairs. Arrays have one
entry for each relation, distinct segment, or set of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    expand_ranges,
    first_equal_row,
    join_sorted,
    unique_rows,
)
from spanagree.chance.relations import compute_relation_matches
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import OF_EQUAL, Measure, find_measure
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import SegmentDetails
from spanagree.corpus.discontinuous import encode_shapes
from spanagree.corpus.roles import count_seen
from spanagree.corpus.segments import Layer, concatenate_segments, split_by_layer
from spanagree.errors import SettingError, check_choice, join_names, pluralize, quote_value

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing from Python 3.11 on

PAIRS = {
    "types": "pairs of segments with the same two labels",
    "all": "all pairs of segments",
    "sentence": "pairs with the same two labels, both in one sentence or not",
}
"""Sets of pairs of segments that a random relation is drawn from."""

ARGUMENTS = {
    "fixed": "the segments of either annotator stay where they are",
    "common": "relations among the segments that all marked; these stay where they are",
}
"""Relations that count; the segments that they link are fixed in a random annotation."""

OF_ARGUMENTS = {f"spans-{name}": means for name, means in ARGUMENTS.items()}
"""Chance models of relations and attributes, by their names in signatures."""

UNTYPED = "relation"
"""Label of all relations if labels do not count."""


@dataclass(frozen=True, eq=False, repr=False)
class RelationCorpus(Corpus):
    """Relations of a corpus, as segments of length 1.

    Attributes:
        source: corpus with the relations.
        rule: rule of the comparison.
    """

    of_relations: ClassVar[bool] = True
    _: KW_ONLY
    source: Corpus
    rule: RelationRule

    @property
    def kind(self) -> str:
        """Kind of the corpus: relations."""
        return "relations"

    def subset(self, documents: Sequence[int] | Ints | Bools) -> Corpus:
        """Select the relations of these documents, in the order given."""
        return self.rule.build_relations(self.source.subset(documents))

    def select_annotators(self, names: Iterable[str], *, in_part: bool = False) -> Corpus:
        """Select the relations of these annotators, in the order given."""
        selected = self.source.select_annotators(names, in_part=in_part)
        return self.rule.build_relations(selected, in_part=in_part)


@dataclass(frozen=True)
class RelationRule:
    """Rule for the comparison of relations.

    Attributes:
        pairs: key in :data:`PAIRS`.
        undirected: labels of relations without a direction, in addition to those of the source.
        untyped: True to ignore the labels of relations.
        arguments: key in :data:`ARGUMENTS`.
        match: measure of the linked segments, exact or boundaries.
        attributes: True to compare attributes instead of relations. An attribute is treated as a
            relation of a segment with itself, with the label ``name=value``, and its kind is that
            of the segment.
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
        """Settings of the rule in signatures."""
        return {
            "what": "attributes" if self.attributes else "relations",
            "pairs": self.pairs,
            "chance": f"spans-{self.arguments}",
            **({"arguments": self.match} if self.match != "exact" else {}),
            **({"undirected": list(self.undirected)} if self.undirected else {}),
            **({"untyped": True} if self.untyped else {}),
        }

    def build_relations(self, corpus: Corpus, *, in_part: bool = False) -> RelationCorpus:
        """Build the corpus of the relations of a corpus; a part of a corpus need not have any.

        Raises:
            SettingError: if there are no relations, or an undirected label does not occur.
        """
        segments = _DistinctSegments.from_corpus(corpus, self)
        collect = _list_attributes if self.attributes else _list_links
        relations_by_annotator = {name: collect(layer) for name, layer in corpus.layers.items()}
        names = sorted(
            {
                label
                for relations_of_layer in relations_by_annotator.values()
                for label in relations_of_layer.labels
            }
        )
        if not names and not in_part:
            item_noun = "attributes" if self.attributes else "relations"
            raise SettingError(
                f"no {item_noun} in the files that were read; spanagree check counts what there is"
            )
        missing = [label for label in self.undirected if label not in names]
        if missing and not in_part:
            raise SettingError(
                f"undirected {quote_value(missing[0])}; the relations are called"
                f" {join_names(names)}"
            )
        undirected = {
            *self.undirected,
            *(() if self.attributes else _find_undirected_labels(corpus)),
        }
        labels = (UNTYPED,) if self.untyped else tuple(names)
        code = {name: 0 if self.untyped else i for i, name in enumerate(names)}
        layers, notes = {}, list(corpus.notes)
        n_duplicates = n_left_out = 0
        for (name, layer), distinct_index in zip(
            corpus.layers.items(), segments.distinct_index, strict=True
        ):
            first, second, label, labels_of_layer = relations_by_annotator[name]
            head, tail = distinct_index[first], distinct_index[second]
            is_undirected = np.array(
                [label_of_layer in undirected for label_of_layer in labels_of_layer], np.int64
            )[label]
            pair_place = segments.compute_pair_places(head, tail, is_undirected)
            codes = np.array(
                [code[label_of_layer] for label_of_layer in labels_of_layer], np.int64
            )[label]
            relations = np.stack((segments.document[head], pair_place, codes))
            if self.arguments == "common":
                is_kept = segments.common[head] & segments.common[tail]
                n_left_out += int((~is_kept).sum())
                relations = relations[:, is_kept]
            is_kept = first_equal_row(*relations) == np.arange(relations.shape[1])
            n_duplicates += int((~is_kept).sum())
            document, pair_place, codes = relations[:, is_kept]
            layers[name] = Layer(document, pair_place, pair_place + 1, codes, layer.annotated)
        if n_duplicates:
            notes.append(f"{pluralize(n_duplicates, 'relation')} the same as another, merged")
        if n_left_out:
            notes.append(
                f"{pluralize(n_left_out, 'relation')} left out, with a segment that not all marked"
            )
        return RelationCorpus(
            2 * segments.size * segments.size,
            layers,
            labels,
            offsets=corpus.offsets,  # those of the segments, as places of pairs have no unit
            ids=corpus.ids,
            parent_ids=corpus.parent_ids,
            reading={**corpus.reading, **self.settings},
            notes=tuple(notes),
            source=corpus,
            rule=self,
        )


class _RelationColumns(NamedTuple):
    """Relations of a layer.

    Attributes:
        first, second: rows of both segments of each relation.
        label: index of the label of each relation.
        labels: labels.
    """

    first: Ints
    second: Ints
    label: Ints
    labels: tuple[str, ...]


def _list_links(layer: Layer) -> _RelationColumns:
    """List the relations of a layer as columns."""
    details = layer.details or SegmentDetails.create_empty(len(layer))
    links = details.links
    return _RelationColumns(links.first, links.second, links.label, details.relation_labels)


def _list_attributes(layer: Layer) -> _RelationColumns:
    """List the attributes of a layer, each as a relation of a segment with itself."""
    details = layer.details or SegmentDetails.create_empty(len(layer))
    rows, labels = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    names: list[str] = []
    for name, column in details.attributes.items():
        row = np.flatnonzero(column >= 0)
        rows.append(row)
        labels.append(column[row] + len(names))
        names += [f"{name}={value}" for value in details.values[name]]
    row = np.concatenate(rows)
    return _RelationColumns(row, row, np.concatenate(labels), tuple(names))


def _find_undirected_labels(corpus: Corpus) -> set[str]:
    """Find the labels that occur as relations without a direction."""
    return {
        label
        for layer in corpus.layers.values()
        if layer.details is not None
        for _, _, label, directed in layer.details.yield_relations()
        if not directed
    }


def find_directions(corpus: RelationCorpus) -> tuple[set[str], set[str]]:
    """Find the labels of all relations, and of the relations without a direction."""
    if corpus.rule.attributes:
        return set(), set()
    layers = corpus.source.layers.values()
    labels = {label for layer in layers for label in _list_links(layer).labels}
    undirected = {*corpus.rule.undirected, *_find_undirected_labels(corpus.source)}
    return labels, labels & undirected


@dataclass(frozen=True, eq=False)
class _DistinctSegments:
    """Distinct segments of each document, over all annotators, sorted by document.

    Attributes:
        document: document of each distinct segment.
        type: label of each distinct segment, or 0 if labels make no kinds.
        sentence: sentence of each distinct segment.
        common: mask of the segments that all who saw the document marked.
        first, size: first distinct segment of each document, and their number.
        distinct_index: distinct segment of each row of each annotator's layer.
    """

    document: Ints
    type: Ints
    sentence: Ints
    common: Bools
    first: Ints
    size: Ints
    distinct_index: tuple[Ints, ...]

    @classmethod
    def from_corpus(cls, corpus: Corpus, rule: RelationRule) -> _DistinctSegments:
        """Find the distinct segments of a corpus."""
        layers = list(corpus.layers.values())
        document, start, end, label, layer = concatenate_segments(layers)
        shape = np.concatenate([np.zeros(0, np.int64), *encode_shapes(layers, {})])
        if not find_measure(rule.match).of_label:
            label = np.zeros_like(label)
        columns = (document, start, end, label, shape)
        (document, start, _, label, _), distinct_index, _ = unique_rows(*columns)
        n_seen = count_seen(corpus)
        # a layer may have two segments that differ only in their labels
        (distinct, _), _, _ = unique_rows(distinct_index, layer)
        size = np.bincount(document, minlength=len(corpus))
        sentence = np.zeros_like(start)
        if rule.pairs == "sentence":
            sentence = _find_sentences(corpus, document, start)
        return cls(
            document,
            np.zeros_like(label) if rule.pairs == "all" else label,
            sentence,
            np.bincount(distinct, minlength=len(document)) == n_seen[document],
            np.cumsum(size) - size,
            size,
            tuple(split_by_layer(distinct_index, layers)),
        )

    def compute_pair_places(self, head: Ints, tail: Ints, is_undirected: Ints) -> Ints:
        """Compute the place of each pair in the text of relations of its document.

        Pairs without a direction have separate places, with the lower index first.

        Args:
            head: distinct segment that each relation starts from.
            tail: distinct segment that each relation leads to.
            is_undirected: 1 for relations without a direction, otherwise 0.
        """
        document = self.document[head]
        first = np.where(is_undirected, np.minimum(head, tail), head) - self.first[document]
        second = np.where(is_undirected, np.maximum(head, tail), tail) - self.first[document]
        return (first * self.size[document] + second) * 2 + is_undirected

    def find_pairs(self, document: Ints, pair_place: Ints) -> tuple[Ints, Ints]:
        """Return the indices of the head and the tail segment of each pair of segments."""
        size = np.maximum(self.size[document], 1)
        head, tail = np.divmod(pair_place // 2, size)
        return self.first[document] + head, self.first[document] + tail


def _find_sentence_ends(corpus: Corpus) -> list[Ints]:
    """Find the ends of the sentences of each document; the last end may be missing."""
    if corpus.text_ends is not None:
        return [np.asarray(ends) for ends in corpus.text_ends]
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


def _find_sentences(corpus: Corpus, document: Ints, start: Ints) -> Ints:
    """Find the sentence in which each segment starts, counted within its document."""
    ends = _find_sentence_ends(corpus)
    return np.array(
        [np.searchsorted(ends[d], s, "right") for d, s in zip(document, start, strict=True)],
        np.int64,
    )


def compute_relation_distributions(
    corpus: RelationCorpus, names: tuple[str, str], fixed: str | None
) -> dict[int, list[Floats]]:
    """Compute the distributions of the number of common relations of two annotators.

    Each document has one hypergeometric distribution for each label and kind of pairs; these are
    independent.

    Args:
        corpus: relations.
        names: names of both annotators.
        fixed: name of the annotator with fixed relations, if any. Only their number on common pairs
            matters.

    Returns:
        Distributions by the index of the document.
    """
    a, b = (names[1], names[0]) if fixed == names[1] else names
    pair_places, rows, document_of_row = compare_relations(corpus, a, b)
    n_common = pair_places.count_common_pairs(rows.sets_a, rows.sets_b).astype(np.int64)
    n_relations_a, n_relations_b = rows.n_relations_a, rows.n_relations_b
    n_pairs_a, n_pairs_b = (
        pair_places.pairs[sets].astype(np.int64) for sets in (rows.sets_a, rows.sets_b)
    )
    if fixed is not None:  # A has no pairs but those of its relations on common pairs
        n_relations_a = n_pairs_a = n_common = _count_on_common_pairs(pair_places, rows, (a, b))
    distributions: dict[int, list[Floats]] = {}
    columns = document_of_row, n_relations_a, n_relations_b, n_pairs_a, n_pairs_b, n_common
    for document, *counts, n_common_of_row in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        if n_common_of_row:
            p = compute_relation_matches(*counts, n_common_of_row)
            distributions.setdefault(document, []).append(p)
    return distributions


def draw_relations(
    corpus: RelationCorpus,
    names: tuple[str, str],
    fixed: str | None,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Draw the number of common relations of two annotators; (draws, documents).

    Args:
        corpus: relations.
        names: names of both annotators.
        fixed: name of the annotator with fixed relations, if any.
        draws: number of draws.
        rng: random generator.
    """
    a, b = (names[1], names[0]) if fixed == names[1] else names
    pair_places, rows, document = compare_relations(corpus, a, b)
    n_pairs_a, n_pairs_b = (
        pair_places.pairs[sets].astype(np.int64) for sets in (rows.sets_a, rows.sets_b)
    )
    n_common = pair_places.count_common_pairs(rows.sets_a, rows.sets_b).astype(np.int64)
    if fixed is not None:
        n_on_common = np.tile(_count_on_common_pairs(pair_places, rows, names=(a, b)), (draws, 1))
    else:
        n_on_common = rng.hypergeometric(
            n_common, n_pairs_a - n_common, rows.n_relations_a, (draws, len(n_common))
        )
    n_matched = rng.hypergeometric(n_on_common, n_pairs_b - n_on_common, rows.n_relations_b)
    matched = np.zeros((len(corpus), draws))
    np.add.at(matched, document, n_matched.T)
    return matched.T


def _count_on_common_pairs(
    pair_places: PairPlaces, rows: RelationRows, names: tuple[str, str]
) -> Ints:
    """Count the relations of A in each row that link a pair which B could link too.

    Args:
        pair_places: pairs that random relations are drawn from.
        rows: rows of relations that may match.
        names: names of A and of B.
    """
    a, b = names
    is_of_b = np.isin(
        np.arange(len(pair_places.spans.document)), pair_places.find_marked_segments(b)
    )
    is_on_common_pair = np.logical_and(
        *(is_of_b[segment] for segment in pair_places.find_linked_segments(a))
    )
    is_on_common_pair &= rows.row_of_a >= 0
    return np.bincount(rows.row_of_a[is_on_common_pair], minlength=len(rows.cell))


class RelationRows(NamedTuple):
    """Relations of two annotators that may match, with a row for each cell and two sets of a kind.

    Attributes:
        cell: cell of each row.
        n_relations_a, n_relations_b: number of relations of each annotator.
        sets_a, sets_b: sets of pairs of these relations.
        row_of_a: first row of each relation of A; −1 if there is none.
    """

    cell: Ints
    n_relations_a: Ints
    n_relations_b: Ints
    sets_a: Ints
    sets_b: Ints
    row_of_a: Ints


def compare_relations(
    corpus: RelationCorpus, a: str, b: str
) -> tuple[PairPlaces, RelationRows, Ints]:
    """Find the pairs that two annotators could link, and their relations that may match.

    Returns:
        Pairs that random relations are drawn from, rows of relations that may match, and the
        document of each row.
    """
    pair_places, sets_of_layers = PairPlaces.from_relations(corpus, (a, b))
    n_labels = len(corpus.labels)
    layers = corpus.layers[a], corpus.layers[b]
    cells = [layer.document * n_labels + layer.label for layer in layers]
    rows = pair_places.build_rows(cells, sets_of_layers)
    return pair_places, rows, rows.cell // n_labels


class _SegmentGroups(NamedTuple):
    """Segments grouped by annotator, document and type, one group after the other.

    Attributes:
        document, type: document and type of each group.
        first: position of the first segment of each group, and the number of all segments.
        segment, sentence: distinct segment and its sentence at each position.
    """

    document: Ints
    type: Ints
    first: Ints
    segment: Ints
    sentence: Ints

    def find_shared_segments(self, groups: Ints, partners: Ints) -> tuple[Ints, Ints]:
        """Find the segments that both groups of each pair contain.

        Args:
            groups: first group of each pair.
            partners: second group of each pair.

        Returns:
            For each shared segment: index of the pair, and index of its sentence.
        """
        position, row = expand_ranges(self.first[groups], self.first[groups + 1])
        n_segments = int(self.segment.max(initial=0)) + 1
        group_of_position = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        keys = group_of_position * n_segments + self.segment
        is_shared = np.isin(partners[row] * n_segments + self.segment[position], keys)
        return row[is_shared], self.sentence[position[is_shared]]


@dataclass(frozen=True, eq=False)
class PairPlaces(Starts):
    """Pairs of segments that random relations are drawn from, in sets.

    The index of a relation is its set, all pairs of one annotator, document and kind.

    Attributes:
        corpus: relations.
        names: names of the annotators.
        spans: distinct segments.
        groups: segments grouped by annotator, document and type.
        head, tail: group of the first and of the second segments of each set.
        sentence_relation: 1 if both segments of the pairs of a set are in one sentence, 0 if not,
            and 2 if sentences make no kinds.
        undirected: 1 if the pairs of a set have no direction, otherwise 0.
    """

    corpus: RelationCorpus
    names: tuple[str, ...]
    spans: _DistinctSegments
    groups: _SegmentGroups
    head: Ints
    tail: Ints
    sentence_relation: Ints
    undirected: Ints

    @classmethod
    def from_request(cls, request: StartsRequest) -> tuple[Self, list[Ints]]:
        """Find the sets of pairs of all relations of several layers, and the set of each relation.

        Raises:
            SettingError: if the chance model has a rule of places, or randomizes systems only.
        """
        reason = "their chance is over marked segments"
        request.chance.check_has_no_options("relations and attributes", reason)
        assert isinstance(request.corpus, RelationCorpus)
        return cls.from_relations(request.corpus, request.names)

    @classmethod
    def from_relations(
        cls, corpus: RelationCorpus, names: Sequence[str]
    ) -> tuple[Self, list[Ints]]:
        """Find the sets of pairs of all relations of some layers, and the set of each relation."""
        source, rule = corpus.source, corpus.rule
        segments = _DistinctSegments.from_corpus(source, rule)
        order = [list(source.layers).index(name) for name in names]
        distinct_by_annotator = [np.unique(segments.distinct_index[i]) for i in order]
        if rule.arguments == "common":
            distinct_by_annotator = [
                segments_of_annotator[segments.common[segments_of_annotator]]
                for segments_of_annotator in distinct_by_annotator
            ]
        owner = np.repeat(
            np.arange(len(names)),
            [len(segments_of_annotator) for segments_of_annotator in distinct_by_annotator],
        )
        segment = np.concatenate([np.zeros(0, np.int64), *distinct_by_annotator])
        n_types = int(segments.type.max(initial=0)) + 1
        n_documents = len(corpus)
        key = (owner * n_documents + segments.document[segment]) * n_types + segments.type[segment]
        order_by_group = np.lexsort((segment, key))
        segment, key = segment[order_by_group], key[order_by_group]
        (keys,), _, sizes = unique_rows(key)
        groups = _SegmentGroups(
            keys // n_types % n_documents,
            keys % n_types,
            np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            segment,
            segments.sentence[segment],
        )
        layers = [corpus.layers[name] for name in names]
        columns = [np.zeros((4, 0), np.int64)]
        for index, layer in enumerate(layers):
            undirected, segments_of_pair = (
                layer.start % 2,
                segments.find_pairs(layer.document, layer.start),
            )
            first_type, second_type = (segments.type[end] for end in segments_of_pair)
            swap = (undirected == 1) & (first_type > second_type)
            first_type, second_type = (
                np.where(swap, second_type, first_type),
                np.where(swap, first_type, second_type),
            )
            owner_and_document = index * n_documents + layer.document
            head, tail = (
                np.searchsorted(keys, owner_and_document * n_types + type_)
                for type_ in (first_type, second_type)
            )
            is_same_sentence = (
                segments.sentence[segments_of_pair[0]] == segments.sentence[segments_of_pair[1]]
            )
            sentence_relation = np.where(rule.pairs == "sentence", is_same_sentence, 2)
            columns.append(np.stack([head, tail, sentence_relation, undirected]))
        sets, set_index, _ = unique_rows(*np.concatenate(columns, axis=1))
        return cls(corpus, tuple(names), segments, groups, *sets), split_by_layer(set_index, layers)

    @cached_property
    def pairs(self) -> Floats:
        """Number of pairs of each set."""
        all_sets = np.arange(len(self.head))
        return self.count_common_pairs(all_sets, all_sets)

    def compute_expected(
        self, layer_pair: LayerPair, measure: Measure
    ) -> tuple[Floats, ApproximationError]:
        """Compute the expected number of common relations, for each cell.

        It is exact.
        """
        rows = self.build_rows(layer_pair.cells, layer_pair.profiles)
        i, j = rows.sets_a, rows.sets_b
        n_pairs_of_pairs = self.pairs[i] * self.pairs[j]
        match_probability = np.divide(
            self.count_common_pairs(i, j),
            n_pairs_of_pairs,
            out=np.zeros(len(i)),
            where=n_pairs_of_pairs > 0,
        )
        n_relation_pairs = rows.n_relations_a * rows.n_relations_b
        return np.bincount(
            rows.cell, n_relation_pairs * match_probability, layer_pair.count
        ).astype(np.float64), ApproximationError()

    def build_rows(self, cells: Sequence[Ints], sets: Sequence[Ints]) -> RelationRows:
        """Build a row for each cell and two sets of one kind that have relations in it.

        Args:
            cells: cell of each relation, for both annotators.
            sets: set of pairs of each relation, for both annotators.
        """
        ((cell_a, a), inverse, count_a), ((cell_b, b), _, count_b) = (
            unique_rows(*columns) for columns in zip(cells, sets, strict=True)
        )
        i, j = join_sorted(cell_a, cell_b)
        is_same_kind = self._mask_same_kind(a[i], b[j])
        i, j = i[is_same_kind], j[is_same_kind]
        row = np.full(len(cell_a), -1)
        row[i[::-1]] = np.arange(len(i))[::-1]
        return RelationRows(cell_a[i], count_a[i], count_b[j], a[i], b[j], row[inverse])

    def _mask_same_kind(self, i: Ints, j: Ints) -> Bools:
        """Mask the pairs of sets i and j with the same document and kind."""
        group_columns = (self.groups.document, self.groups.type)
        end_columns = [column[end] for end in (self.head, self.tail) for column in group_columns]
        columns = (*end_columns, self.sentence_relation, self.undirected)
        return np.logical_and.reduce([column[i] == column[j] for column in columns])

    def count_common_pairs(self, i: Ints, j: Ints) -> Floats:
        """Count the pairs of segments that the sets i and j have in common.

        Args:
            i, j: sets of each comparison.
        """
        head, tail, sentence_relation = self.head, self.tail, self.sentence_relation
        head_row, head_sentence = self.groups.find_shared_segments(head[i], head[j])
        n_heads = np.bincount(head_row, minlength=len(i)).astype(float)
        if self.corpus.rule.attributes:  # an attribute is a relation of a segment with itself
            return n_heads
        tail_row, tail_sentence = self.groups.find_shared_segments(tail[i], tail[j])
        n_tails = np.bincount(tail_row, minlength=len(i)).astype(float)
        n_within_sentence = np.zeros(len(i))
        if (sentence_relation < 2).any():
            n_sentences = int(self.groups.sentence.max(initial=0)) + 1
            (heads,), _, head_count = unique_rows(head_row * n_sentences + head_sentence)
            (tails,), _, tail_count = unique_rows(tail_row * n_sentences + tail_sentence)
            a, b = join_sorted(heads, tails)
            n_pairs = head_count[a] * tail_count[b]
            n_within_sentence = np.bincount(heads[a] // n_sentences, n_pairs, len(i)).astype(float)
        is_symmetric = (head[i] == tail[i]) & (head[j] == tail[j])
        n_self_pairs = np.where(is_symmetric, n_heads, 0.0)  # no segment is linked with itself
        n_all, n_within_sentence = (
            n_heads * n_tails - n_self_pairs,
            n_within_sentence - n_self_pairs,
        )
        count = np.select(
            [sentence_relation[i] == 2, sentence_relation[i] == 1],
            [n_all, n_within_sentence],
            n_all - n_within_sentence,
        )
        count = np.where(is_symmetric & (self.undirected[i] == 1), count / 2, count)
        is_same_kind = (sentence_relation[i] == sentence_relation[j]) & (
            self.undirected[i] == self.undirected[j]
        )
        return np.where(is_same_kind, count, 0.0)

    def find_marked_segments(self, name: str) -> Ints:
        """Find the distinct segment of each segment of an annotator's layer."""
        return self.spans.distinct_index[list(self.corpus.source.layers).index(name)]

    def find_linked_segments(self, name: str) -> tuple[Ints, Ints]:
        """Find both distinct segments of each relation of an annotator."""
        layer = self.corpus.layers[name]
        return self.spans.find_pairs(layer.document, layer.start)
