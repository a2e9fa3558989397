"""The parts of documents that are independent of each other, with the segments of both annotators.

Under the chance model ``nonoverlapping`` a *part* is a whole document. Under the other models it is
a document with one label, if the measure compares only equal labels. The match of a document is the
sum of the matches of its parts. These are independent, whichever annotations are random.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, unique_rows
from spanagree.chance.place_kinds import PlaceKinds, remove_gaps
from spanagree.chance.start_distributions import Profiles, compute_start_profiles
from spanagree.comparisons.measures import Measure
from spanagree.corpus.segments import Layer


@dataclass(frozen=True, eq=False)
class AnnotatorSegments:
    """Segments of one annotator, with one row each.

    Attributes:
        part_index: part that contains each segment.
        group: group of each segment; segments of one part and group exclude each other.
        start: start of each segment; irrelevant if the segment is random.
        length: number of tokens of each segment.
        label: index of the label; 0 if the measure ignores labels.
        kind: kind of places of each segment under a rule of places; otherwise 0.
    """

    part_index: Ints
    group: Ints
    start: Ints
    length: Ints
    label: Ints
    kind: Ints

    def select_rows(self, rows: Ints) -> AnnotatorSegments:
        """Select segments by index."""
        return AnnotatorSegments(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def find_part(self, part_index: int) -> slice:
        """Find the rows of the segments of one part; parts are sorted."""
        return slice(*np.searchsorted(self.part_index, (part_index, part_index + 1)).tolist())

    def select_part(self, part_index: int) -> AnnotatorSegments:
        """Select the segments of one part."""
        rows = self.find_part(part_index)
        return AnnotatorSegments(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def __len__(self) -> int:
        return len(self.part_index)

    def repeat(self, count: int) -> AnnotatorSegments:
        """Repeat all segments, with a separate part for each of ``count`` copies."""
        columns = {name: np.tile(getattr(self, name), count) for name in self.__dataclass_fields__}
        return AnnotatorSegments(
            **{**columns, "part_index": np.repeat(np.arange(count), len(self))}
        )


class SegmentPlaces(NamedTuple):
    """Places of random segments of B, for each part.

    Attributes:
        part_index: part that contains each place.
        start, end: borders of each place.
        label: index of the label of the segment at each place; 0 if the measure ignores labels.
    """

    part_index: Ints
    start: Ints
    end: Ints
    label: Ints


@dataclass(frozen=True, eq=False)
class DocumentParts:
    """Parts of documents in which both annotators marked segments.

    Attributes:
        document: document of each part.
        tokens: number of tokens of each part.
        a, b: segments of each annotator, sorted by part and start.
    """

    document: Ints
    tokens: Ints
    a: AnnotatorSegments
    b: AnnotatorSegments

    def select_parts(self, rows: Ints) -> DocumentParts:
        """Select parts by sorted indices, and number them from 0."""
        new_index = np.full(len(self), -1)
        new_index[rows] = np.arange(len(rows))
        annotators = []
        for segments in (self.a, self.b):
            kept_segments = segments.select_rows(
                np.flatnonzero(new_index[segments.part_index] >= 0)
            )
            annotators.append(
                replace(kept_segments, part_index=new_index[kept_segments.part_index])
            )
        return DocumentParts(self.document[rows], self.tokens[rows], *annotators)

    def __len__(self) -> int:
        return len(self.document)


def find_parts(
    a: Layer,
    b: Layer,
    tokens: Ints,
    measure: Measure,
    chance: str,
    place_kinds: tuple[Ints, Ints] | None = None,
) -> DocumentParts:
    """Find the parts of documents in which both layers have segments.

    Args:
        a, b: layers of both annotators.
        tokens: number of tokens of each document.
        measure: measure of the match.
        chance: name of the chance model.
        place_kinds: kinds of the places of the segments of both layers, under a rule of places.
    """
    of_label = measure.of_label and chance != "nonoverlapping"
    n_labels = 1 + max(int(a.label.max(initial=0)), int(b.label.max(initial=0)))
    keys = [annotation.document * n_labels + annotation.label * of_label for annotation in (a, b)]
    shared_keys = np.intersect1d(keys[0], keys[1])
    annotators = []
    place_kinds = place_kinds or (np.zeros(len(a), np.int64), np.zeros(len(b), np.int64))
    for layer, key, place_kind in zip((a, b), keys, place_kinds, strict=True):
        rows = np.flatnonzero(np.isin(key, shared_keys))
        part_index = np.searchsorted(shared_keys, key[rows])
        order = np.lexsort((layer.start[rows], part_index))
        rows, part_index = rows[order], part_index[order]
        group = np.arange(len(rows)) if chance == "overlapping" else np.zeros(len(rows), np.int64)
        annotators.append(
            AnnotatorSegments(
                part_index,
                layer.label[rows] if chance == "per-label" else group,
                layer.start[rows],
                (layer.end - layer.start)[rows],
                layer.label[rows] * measure.of_label,
                place_kind[rows],
            )
        )
    document = shared_keys // n_labels
    return DocumentParts(document, tokens[document], *annotators)


def remove_gaps_between(
    document_parts: DocumentParts, place_kinds: PlaceKinds
) -> tuple[DocumentParts, PlaceKinds]:
    """Leave out the tokens outside all places of the segments of a part, which are all random.

    Returns:
        Parts with new lengths and kinds of places, and these kinds.
    """
    annotators = document_parts.a, document_parts.b
    part_of_segment, kind_of_segment = (
        np.concatenate(columns)
        for columns in zip(
            *((segments.part_index, segments.kind) for segments in annotators), strict=True
        )
    )
    new_kind, place_kinds, lengths = remove_gaps(place_kinds, part_of_segment, kind_of_segment)
    a, b = (
        replace(segments, kind=place_kind)
        for segments, place_kind in zip(
            annotators, np.split(new_kind, [len(document_parts.a)]), strict=True
        )
    )
    return DocumentParts(document_parts.document, lengths, a, b), place_kinds


def build_arranged_parts(
    document_part: DocumentParts, *, swap: bool, starts: Ints, lengths: Ints | None = None
) -> DocumentParts:
    """Build a copy of a part for each arrangement of one of its annotators, who becomes A.

    Args:
        document_part: single part.
        swap: True to arrange B instead of A.
        starts: starts of the segments in each arrangement; (arrangements, segments).
        lengths: lengths of the segments in each arrangement. Default: unchanged.
    """
    arranged_segments, other_segments = (
        (document_part.b, document_part.a) if swap else (document_part.a, document_part.b)
    )
    count = len(starts)
    copies = replace(arranged_segments.repeat(count), start=starts.ravel())
    if lengths is not None:
        copies = replace(copies, length=lengths.ravel())
    copies = copies.select_rows(np.lexsort((copies.start, copies.part_index)))
    tokens = np.full(count, document_part.tokens[0])
    return DocumentParts(np.zeros(count, np.int64), tokens, copies, other_segments.repeat(count))


def compute_profiles_of_parts(document_parts: DocumentParts) -> tuple[Profiles, tuple[Ints, Ints]]:
    """Compute start profiles of the segments of each part that exclude each other.

    Returns:
        Profiles, and the profile of each segment of both annotators.
    """
    a, b = document_parts.a, document_parts.b
    group = np.concatenate((a.part_index, b.part_index + len(document_parts)))
    lengths = np.concatenate((a.length, b.length))
    profiles, profile = compute_start_profiles(group, np.tile(document_parts.tokens, 2), lengths)
    return profiles, (profile[: len(a)], profile[len(a) :])


def bound_costs(document_parts: DocumentParts, *random_segments: AnnotatorSegments) -> Floats:
    """Compute a lower bound of the number of values that a walk computes, for each part.

    This is the number of tokens times the number of states. The states of a group are the
    combinations of numbers of placed segments of each length; for each annotator, the group with
    the most states counts.
    """
    logs = np.log(document_parts.tokens + 1.0)
    for segments in random_segments:
        (part_index, group, _), _, count = unique_rows(
            segments.part_index, segments.group, segments.length
        )
        _, group_index, _ = unique_rows(part_index, group)
        log_states = np.bincount(group_index, np.log1p(count))
        largest_log = np.zeros(len(document_parts))
        np.maximum.at(largest_log, part_index, log_states[group_index])
        logs += largest_log
    return np.rint(np.exp(np.minimum(logs, 700)))
