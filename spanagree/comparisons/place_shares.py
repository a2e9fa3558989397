"""Statistics of the places of segments under a rule of places, and notes and remarks on them.

The *sites* of a rule are the places that keep it. A random segment may be at any place of its kind
(:mod:`spanagree.chance.place_kinds`), and with a single place it does not move.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import unique
from spanagree.chance.model import ChanceModel
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import concatenate_segments
from spanagree.errors import escape_name, pluralize
from spanagree.results.cells import Value
from spanagree.results.data import to_plain_data
from spanagree.results.frame import Column, Frame
from spanagree.results.score import UNDEFINED

FIXED_PLACES = 0.1
"""Share of segments with a single place above which a note is given."""
LEAST_AT_SITES = 0.9
"""Share of an annotator's segments at sites below which a note is given."""
AT_EDGES = 0.95
"""Share of ends at edges of words from which a note suggests the rule of words."""
_SAMPLE_SIZE = 10_000  # least number of segments in a sample
_FEW = 10  # largest number of annotators with separate shares
_LEAST_SEGMENTS = 10  # least number of segments for a note on a share
MOST_APART = 0.05
"""Difference of the shares of two annotators above which a note is given."""


class SegmentPlacement(NamedTuple):
    """Numbers of segments of one annotator: all, at sites, and by number of places.

    Attributes:
        segments: number of segments.
        at_sites: number of segments at sites of the rule.
        by_places: number of segments for each number of possible places.
    """

    segments: int = 0
    at_sites: int = 0
    by_places: Mapping[int, int] = {}  # a shared default, never modified


@dataclass(frozen=True)
class PlacementStatistics:
    """Statistics of the segments of annotators under a rule of places.

    Attributes:
        rule: name of the rule.
        annotators: placement of the segments of each annotator, by name.
        has_sites: True if the rule distinguishes sites from other places.
        mixed: number of documents of an annotator in which kinds of places are kept on average
            only.
    """

    rule: str
    annotators: Mapping[str, SegmentPlacement] = field(default_factory=dict)
    has_sites: bool = True
    mixed: int = 0

    def __add__(self, other: PlacementStatistics) -> PlacementStatistics:
        """Add the statistics of two parts of a corpus."""
        total = dict(self.annotators)
        for name, other_placement in other.annotators.items():
            placement = total.get(name, SegmentPlacement())
            places = Counter(placement.by_places)
            places.update(other_placement.by_places)
            total[name] = SegmentPlacement(
                placement.segments + other_placement.segments,
                placement.at_sites + other_placement.at_sites,
                dict(places),
            )
        has_sites = self.has_sites and other.has_sites
        return PlacementStatistics(self.rule, total, has_sites, self.mixed + other.mixed)

    def to_plain(self) -> dict[str, Any]:
        """Convert the statistics to plain data, which :meth:`from_plain` accepts."""
        annotators = {
            name: [placement.segments, placement.at_sites, sorted(placement.by_places.items())]
            for name, placement in self.annotators.items()
        }
        return {"rule": self.rule, "has_sites": self.has_sites, "mixed": self.mixed} | {
            "annotators": annotators
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> PlacementStatistics:
        """Read the output of :meth:`to_plain`.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: if the data have another form.
        """
        annotators = {
            str(name): SegmentPlacement(
                int(segments), int(sites), {int(k): int(n) for k, n in by_places}
            )
            for name, (segments, sites, by_places) in data["annotators"].items()
        }
        return cls(str(data["rule"]), annotators, bool(data["has_sites"]), int(data["mixed"]))

    def compute_share_at_sites(self, name: str) -> float:
        """Compute the share of an annotator's segments at sites; ``nan`` if undefined."""
        placement = self.annotators[name]
        if not self.has_sites or not placement.segments:
            return UNDEFINED
        return placement.at_sites / placement.segments

    def _count_by_places(self) -> Counter[int]:
        """Count the segments of all annotators by the number of places they may be at."""
        n_segments_by_places: Counter[int] = Counter()
        for placement in self.annotators.values():
            n_segments_by_places.update(placement.by_places)
        return n_segments_by_places

    @property
    def places_per_segment(self) -> float:
        """Geometric mean of the number of places of a segment."""
        n_segments_by_places = self._count_by_places()
        if not n_segments_by_places:
            return UNDEFINED
        logs = math.fsum(
            count * math.log(n_places) for n_places, count in sorted(n_segments_by_places.items())
        )
        return math.exp(logs / sum(n_segments_by_places.values()))

    @property
    def share_with_one_place(self) -> float:
        """Share of segments with a single place, which chance cannot move."""
        n_segments_by_places = self._count_by_places()
        return (
            n_segments_by_places[1] / sum(n_segments_by_places.values())
            if n_segments_by_places
            else UNDEFINED
        )

    def to_dict(self) -> dict[str, Any]:
        """Convert the statistics to plain data for JSON."""
        statistics = {
            "rule": self.rule,
            "at_sites": {name: self.compute_share_at_sites(name) for name in self.annotators},
            "places_per_segment": self.places_per_segment,
            "one_place": self.share_with_one_place,
            "mixed_documents": self.mixed,
        }
        return dict(to_plain_data(statistics))

    def write_remarks(self, names_by_group: Mapping[str, Sequence[str]]) -> list[str]:
        """Write the remarks on the rule of places that are displayed with scores.

        Args:
            names_by_group: names of annotators, by the name of their group.
        """
        clauses = []
        shares = {group: self._describe_shares(names) for group, names in names_by_group.items()}
        if all(shares.values()):
            by_group = ", ".join(f"{group} {share}" for group, share in shares.items())
            clauses.append(f"at sites: {by_group}")
        clauses.append(f"{self.places_per_segment:.3g} places per segment")
        clauses.append(f"{_format_share(self.share_with_one_place)} of segments have one place")
        return [f"chance ({escape_name(self.rule)}): {'; '.join(clauses)}"]

    def _describe_shares(self, names: Sequence[str]) -> str:
        """Describe the share of segments at sites: its range over a few annotators, or over all.

        The result is empty if no annotator has a share.
        """
        shares = [
            share for name in names if not math.isnan(share := self.compute_share_at_sites(name))
        ]
        if not shares:
            return ""
        if len(shares) > _FEW:
            return _format_share(self._compute_joint_share(names))
        low, high = _format_share(min(shares)), _format_share(max(shares))
        return low if low == high else f"{low} to {high}"

    def _compute_joint_share(self, names: Iterable[str]) -> float:
        """Compute the share of segments at sites over several annotators."""
        placements = [self.annotators[name] for name in names]
        return sum(placement.at_sites for placement in placements) / sum(
            placement.segments for placement in placements
        )

    def notes(self) -> list[str]:
        """Write notes on kinds kept on average, and on reasons to doubt the rule."""
        notes, rule = [], escape_name(self.rule)
        if self.mixed:
            notes.append(
                f"places {rule}: in {pluralize(self.mixed, 'document')} of an annotator kinds of"
                " places are kept on average, as exact chance would be too much work"
            )
        nonempty = [placement for placement in self.annotators.values() if placement.segments]
        if self.has_sites and nonempty and not any(placement.at_sites for placement in nonempty):
            notes.append(
                f"places {rule}: no segment keeps the rule, so random ones are kept off its places;"
                " see whether it is the rule that you mean"
            )
        reasons = []
        if self.share_with_one_place > FIXED_PLACES:
            reasons.append(
                f"{_format_share(self.share_with_one_place)} of segments have one place only"
            )
        share_by_name = {
            name: share
            for name, placement in self.annotators.items()
            if placement.segments >= _LEAST_SEGMENTS
            and not math.isnan(share := self.compute_share_at_sites(name))
        }
        if share_by_name and min(share_by_name.values()) < LEAST_AT_SITES:
            lowest = min(share_by_name, key=share_by_name.__getitem__)
            reasons.append(
                f"{_format_share(share_by_name[lowest])} of {escape_name(lowest)}'s are at sites"
            )
        if share_by_name and max(share_by_name.values()) - min(share_by_name.values()) > MOST_APART:
            extremes = (
                min(share_by_name, key=share_by_name.__getitem__),
                max(share_by_name, key=share_by_name.__getitem__),
            )
            gap = share_by_name[extremes[1]] - share_by_name[extremes[0]]
            reasons.append(
                f"{escape_name(extremes[1])} and {escape_name(extremes[0])} differ by"
                f" {_format_share(gap)}"
            )
        if reasons:
            notes.append(
                f"places {rule}: chance depends on the choice of the rule ({'; '.join(reasons)});"
                " give it beside the uniform figure"
            )
        return notes


def _format_share(value: float) -> str:
    """Format a share with two decimals, without the zero before the point."""
    return f"{value:.2f}".replace("0.", ".", 1) if value < 1 else f"{value:.2f}"


def compute_place_shares(
    corpus: Corpus, names: Sequence[str], chance: ChanceModel
) -> PlacementStatistics | None:
    """Compute the statistics of layers under the rule of a chance model; ``None`` if no rule."""
    rule = chance.places
    if rule is None or not names:
        return None
    from spanagree.chance.place_rules import AT_SITE, NO_SITES
    from spanagree.comparisons.at_places import build_placement_model

    model_and_classes = build_placement_model(corpus, names, chance)
    assert model_and_classes is not None  # there is a rule
    model, classes_of_layers = model_and_classes
    place_kinds, places_of_kind = model.kinds, model.kinds.places
    in_mixture = np.isin(model.random.group, model.random.mixed)
    has_sites, mixed, annotators = True, 0, {}
    for name, classes in zip(names, classes_of_layers, strict=True):
        kind_of_segment = model.look_up_kinds(classes)
        ruled_kind = kind_of_segment[model.ruled[place_kinds.rule[kind_of_segment]]]
        at_site = place_kinds.at_site[ruled_kind]
        has_sites &= not (at_site == NO_SITES).any()
        n_places, n_segments = np.unique(places_of_kind[ruled_kind], return_counts=True)
        by_places = dict(zip(n_places.tolist(), n_segments.tolist(), strict=True))
        annotators[name] = SegmentPlacement(
            len(ruled_kind), int((at_site == AT_SITE).sum()), by_places
        )
        mixed += len(unique(corpus.layers[name].document[in_mixture[classes]]))
    return PlacementStatistics(rule.name, annotators, has_sites, mixed)


class WordEdges(NamedTuple):
    """Number of ends of segments at the first or last character of a word.

    The numbers of parts of a corpus can be added.

    Attributes:
        segments: number of segments, in characters of known texts.
        at_edges: estimated number of ends at edges of words, among two for each segment.
    """

    segments: int = 0
    at_edges: float = 0.0

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> WordEdges:
        """Count the ends of segments at edges of words, in a sample if there are many segments.

        The sample is evenly spaced, and its count is scaled up.
        """
        if corpus.offsets != "characters" or corpus.texts is None:
            return cls()
        document, start, end, _, _ = concatenate_segments(corpus.layers.values())
        sample = slice(None, None, 1 + len(document) // _SAMPLE_SIZE)
        columns = (column[sample].tolist() for column in (document, start, end))
        n_at_edges = n_sampled = 0
        for d, s, e in zip(*columns, strict=True):
            text = corpus.texts[d]
            n_at_edges += text[s].isalnum() and not text[s - 1 : s].isalnum()
            n_at_edges += text[e - 1].isalnum() and not text[e : e + 1].isalnum()
            n_sampled += 1
        return cls(len(document), len(document) * n_at_edges / max(n_sampled, 1))

    def add(self, other: WordEdges) -> WordEdges:
        """Add the ends in another part of the corpus."""
        return WordEdges(self.segments + other.segments, self.at_edges + other.at_edges)

    @property
    def share(self) -> float:
        """Share of ends at edges of words; ``nan`` if there is no segment."""
        return self.at_edges / (2 * self.segments) if self.segments else UNDEFINED

    def notes(self) -> tuple[str, ...]:
        """Write a note on the rule of words, if it would fit these segments."""
        if not self.share >= AT_EDGES:
            return ()
        return (
            f"{_format_share(AT_EDGES)} or more of the segments' ends are edges of words: --places"
            " words (places='words') puts random segments at such edges too",
        )


def collect_place_notes(corpus: Corpus, shares: PlacementStatistics | None) -> tuple[str, ...]:
    """Collect the notes on a rule of places; without a rule, a note if the rule of words fits."""
    return WordEdges.from_corpus(corpus).notes() if shares is None else tuple(shares.notes())


def insert_uniform_chance(
    table: Frame, uniform: Frame | None, places: PlacementStatistics | None
) -> Frame:
    """Insert chance under the uniform rule into a table, if chance has a rule of places.

    Args:
        table: table with chance under the rule of places.
        uniform: table with the same rows and chance under the uniform rule.
        places: statistics of the rule of places.
    """
    if uniform is None or places is None:
        return table
    name_positions = [i for i, column in enumerate(table.columns) if column.kind == "name"]

    def list_names(row: Sequence[Value]) -> tuple[str, ...]:
        """List the names that identify a row."""
        return tuple(str(row[i]) for i in name_positions)

    key = "f1_expected"
    position = next(i for i, column in enumerate(uniform.columns) if column.key == key)
    values = {list_names(row): row[position] for row in uniform.rows}
    return insert_uniform_column(table, key, lambda row: values.get(list_names(row)), places.rule)


def insert_uniform_column(
    table: Frame, key: str, uniform: Callable[[Sequence[Value]], Value], rule: str
) -> Frame:
    """Insert a column of chance under the uniform rule before the column of chance under a rule.

    Args:
        table: table with chance under the rule of places.
        key: key of the column of chance.
        uniform: function that returns the uniform chance of a row.
        rule: name of the rule of places.
    """
    position = next(i for i, column in enumerate(table.columns) if column.key == key)
    column = table.columns[position]
    columns = list(table.columns)
    columns[position] = column._replace(
        title=f"{column.title} ({rule})", meaning="chance F1 at places"
    )
    columns.insert(position, Column(f"{key}_uniform", column.title, column.kind, column.meaning))
    rows = [[*row[:position], uniform(row), *row[position:]] for row in table.rows]
    return replace(table, columns=columns, rows=rows)


def list_rule_notes(shares: PlacementStatistics | None) -> list[str]:
    """List the notes on a rule of places; empty without a rule."""
    return [] if shares is None else shares.notes()
