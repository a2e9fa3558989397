"""How the segments of annotators stand to a rule of places: what has to be said beside a figure."""

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
from spanagree.corpus.segments import columns_of_all
from spanagree.errors import escape_name, pluralize
from spanagree.results.data import plain
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.score import UNDEFINED

FIXED_PLACES = 0.1
"""A note says if more segments than this have one place only."""
LEAST_AT_SITES = 0.9
"""A note says if sites hold fewer of somebody's segments."""
AT_EDGES = 0.95
"""With so many ends of segments at edges of words, a note names the rule of words."""
_LOOKED_AT = 10_000  # segments
_FEW = 10  # annotators whose shares are told apart
_ENOUGH = 10  # segments, for a share to be a note
APART = 0.05
"""A note says if the shares of two annotators differ by more."""


class SegmentPlacement(NamedTuple):
    """The segments of one annotator under a rule: how many, how many at sites, by their places."""

    segments: int = 0
    at_sites: int = 0
    by_places: Mapping[int, int] = {}  # never changed


@dataclass(frozen=True)
class PlacementStatistics:
    """How the segments of annotators stand to a rule of places.

    Attributes:
        rule: its name.
        annotators: of each by name its segments.
        has_sites: whether the rule says of a place that it is a site.
        mixed: in how many documents of an annotator kinds are kept in the mean only.
    """

    rule: str
    annotators: Mapping[str, SegmentPlacement] = field(default_factory=dict)
    has_sites: bool = True
    mixed: int = 0

    def __add__(self, other: PlacementStatistics) -> PlacementStatistics:
        """Return the shares of two parts of a corpus."""
        added = dict(self.annotators)
        for name, more in other.annotators.items():
            known = added.get(name, SegmentPlacement())
            places = Counter(known.by_places)
            places.update(more.by_places)
            added[name] = SegmentPlacement(
                known.segments + more.segments, known.at_sites + more.at_sites, dict(places)
            )
        has_sites = self.has_sites and other.has_sites
        return PlacementStatistics(self.rule, added, has_sites, self.mixed + other.mixed)

    def plain(self) -> dict[str, Any]:
        """Return all of it as plain data, which :meth:`read` takes."""
        annotators = {
            name: [places.segments, places.at_sites, sorted(places.by_places.items())]
            for name, places in self.annotators.items()
        }
        return {"rule": self.rule, "has_sites": self.has_sites, "mixed": self.mixed} | {
            "annotators": annotators
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> PlacementStatistics:
        """Return what :meth:`plain` gave.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: for anything else.
        """
        annotators = {
            str(name): SegmentPlacement(
                int(segments), int(sites), {int(k): int(n) for k, n in by_places}
            )
            for name, (segments, sites, by_places) in data["annotators"].items()
        }
        return cls(str(data["rule"]), annotators, bool(data["has_sites"]), int(data["mixed"]))

    def at_sites(self, name: str) -> float:
        """Return the share of an annotator's segments that keep the rule; ``nan`` for none."""
        places = self.annotators[name]
        if not self.has_sites or not places.segments:
            return UNDEFINED
        return places.at_sites / places.segments

    def _places(self) -> Counter[int]:
        total: Counter[int] = Counter()
        for places in self.annotators.values():
            total.update(places.by_places)
        return total

    @property
    def places_per_segment(self) -> float:
        """The geometric mean of how many places a segment has."""
        places = self._places()
        if not places:
            return UNDEFINED
        logs = math.fsum(count * math.log(number) for number, count in sorted(places.items()))
        return math.exp(logs / sum(places.values()))

    @property
    def one_place(self) -> float:
        """The share of segments that have one place only, where chance has no choice."""
        places = self._places()
        return places[1] / sum(places.values()) if places else UNDEFINED

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        about = {
            "rule": self.rule,
            "at_sites": {name: self.at_sites(name) for name in self.annotators},
            "places_per_segment": self.places_per_segment,
            "one_place": self.one_place,
            "mixed_documents": self.mixed,
        }
        return dict(plain(about))

    def remarks(self, sides: Mapping[str, Sequence[str]]) -> list[str]:
        """Return what stands beside the figures.

        Args:
            sides: the names of annotators, by what they are called together.
        """
        parts = []
        shares = {side: self._range(names) for side, names in sides.items()}
        if all(shares.values()):
            parts.append(f"at sites: {', '.join(f'{s} {share}' for s, share in shares.items())}")
        parts.append(f"{self.places_per_segment:.3g} places per segment")
        parts.append(f"{_share(self.one_place)} of segments have one place")
        return [f"chance ({escape_name(self.rule)}): {'; '.join(parts)}"]

    def _range(self, names: Sequence[str]) -> str:
        """Return the share of a few annotators each, of many that of all together."""
        shares = [share for name in names if not math.isnan(share := self.at_sites(name))]
        if not shares:
            return ""
        if len(shares) > _FEW:
            return _share(self._of_all(names))
        low, high = _share(min(shares)), _share(max(shares))
        return low if low == high else f"{low} to {high}"

    def _of_all(self, names: Iterable[str]) -> float:
        of_names = [self.annotators[name] for name in names]
        return sum(places.at_sites for places in of_names) / sum(
            places.segments for places in of_names
        )

    def notes(self) -> list[str]:
        """Return where the mixture is taken, and why the figure is arbitrary, if it is."""
        notes, rule = [], escape_name(self.rule)
        if self.mixed:
            notes.append(
                f"places {rule}: in {pluralize(self.mixed, 'document')} of an annotator kinds of"
                " places are kept on average, as exact chance would be too much work"
            )
        some = [places for places in self.annotators.values() if places.segments]
        if self.has_sites and some and not any(places.at_sites for places in some):
            notes.append(
                f"places {rule}: no segment keeps the rule, so random ones are kept off its places;"
                " see whether it is the rule that you mean"
            )
        why = []
        if self.one_place > FIXED_PLACES:
            why.append(f"{_share(self.one_place)} of segments have one place only")
        known = {
            name: share
            for name, places in self.annotators.items()
            if places.segments >= _ENOUGH and not math.isnan(share := self.at_sites(name))
        }
        if known and min(known.values()) < LEAST_AT_SITES:
            least = min(known, key=known.__getitem__)
            why.append(f"{_share(known[least])} of {escape_name(least)}'s are at sites")
        if known and max(known.values()) - min(known.values()) > APART:
            ends = (min(known, key=known.__getitem__), max(known, key=known.__getitem__))
            gap = known[ends[1]] - known[ends[0]]
            why.append(f"{escape_name(ends[1])} and {escape_name(ends[0])} differ by {_share(gap)}")
        if why:
            notes.append(
                f"places {rule}: chance depends on the choice of the rule ({'; '.join(why)}); give"
                " it beside the uniform figure"
            )
        return notes


def _share(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1) if value < 1 else f"{value:.2f}"


def place_shares(
    corpus: Corpus, names: Sequence[str], chance: ChanceModel
) -> PlacementStatistics | None:
    """Return how the segments of some layers stand to the rule of a chance model, if it has one."""
    given = chance.places
    if given is None or not names:
        return None
    from spanagree.chance.place_rules import AT_SITE, NO_SITES
    from spanagree.comparisons.at_places import placement_model

    placed = placement_model(corpus, names, chance)
    assert placed is not None  # as there is a rule
    at, parts = placed
    kinds, places = at.kinds, at.kinds.places
    in_mixture = np.isin(at.random.group, at.random.mixed)
    has_sites, mixed, annotators = True, 0, {}
    for name, classes in zip(names, parts, strict=True):
        kind = at.kinds_of(classes)
        own_kind = kind[at.ruled[kinds.rule[kind]]]
        site = kinds.at_site[own_kind]
        has_sites &= not (site == NO_SITES).any()
        number, times = np.unique(places[own_kind], return_counts=True)
        by_places = dict(zip(number.tolist(), times.tolist(), strict=True))
        annotators[name] = SegmentPlacement(len(own_kind), int((site == AT_SITE).sum()), by_places)
        mixed += len(unique(corpus.layers[name].document[in_mixture[classes]]))
    return PlacementStatistics(given.name, annotators, has_sites, mixed)


class WordEdges(NamedTuple):
    """Ends of segments at edges of words, of a corpus or a part; they add.

    Attributes:
        segments: number of segments, in characters of known texts.
        at_edges: estimated number of their ends at edges of words, of two each.
    """

    segments: int = 0
    at_edges: float = 0.0

    @classmethod
    def of(cls, corpus: Corpus) -> WordEdges:
        """Count ends at edges of words; of very many segments in a sample, evenly spaced."""
        if corpus.offsets != "characters" or corpus.texts is None:
            return cls()
        document, start, end, _, _ = columns_of_all(corpus.layers.values())
        some = slice(None, None, 1 + len(document) // _LOOKED_AT)
        columns = (column[some].tolist() for column in (document, start, end))
        edges = looked_at = 0
        for d, s, e in zip(*columns, strict=True):
            text = corpus.texts[d]
            edges += text[s].isalnum() and not text[s - 1 : s].isalnum()
            edges += text[e - 1].isalnum() and not text[e : e + 1].isalnum()
            looked_at += 1
        return cls(len(document), len(document) * edges / max(looked_at, 1))

    def plus(self, other: WordEdges) -> WordEdges:
        """Add the ends in another part of the corpus."""
        return WordEdges(self.segments + other.segments, self.at_edges + other.at_edges)

    @property
    def share(self) -> float:
        """Share of ends at edges of words; ``nan`` if no segment was looked at."""
        return self.at_edges / (2 * self.segments) if self.segments else UNDEFINED

    def notes(self) -> tuple[str, ...]:
        """Say that there is a rule of places for these segments, if words would fit."""
        if not self.share >= AT_EDGES:
            return ()
        return (
            f"{_share(AT_EDGES)} or more of the segments' ends are edges of words: --places words"
            " (places='words') puts random segments at such edges too",
        )


def notes_on_places(corpus: Corpus, shares: PlacementStatistics | None) -> tuple[str, ...]:
    """Describe how segments stand to a rule of places, or say that one would fit."""
    return WordEdges.of(corpus).notes() if shares is None else tuple(shares.notes())


def beside_uniform(
    table: Frame, uniform: Frame | None, places: PlacementStatistics | None
) -> Frame:
    """Return a table with chance under the uniform rule beside it, if chance has a rule of places.

    ``uniform`` is the same table without that rule.
    """
    if uniform is None or places is None:
        return table
    names = [i for i, column in enumerate(table.columns) if column.kind == "name"]

    def known_by(row: Sequence[Value]) -> tuple[str, ...]:
        return tuple(str(row[i]) for i in names)

    key = "f1_expected"
    place = next(i for i, column in enumerate(uniform.columns) if column.key == key)
    values = {known_by(row): row[place] for row in uniform.rows}
    return with_uniform(table, key, lambda row: values.get(known_by(row)), places.rule)


def with_uniform(
    table: Frame, key: str, uniform: Callable[[Sequence[Value]], Value], rule: str
) -> Frame:
    """Return a table with chance under the uniform rule of each row before that under a rule."""
    at = next(i for i, column in enumerate(table.columns) if column.key == key)
    column = table.columns[at]
    columns = list(table.columns)
    columns[at] = column._replace(title=f"{column.title} ({rule})", meaning="chance F1 at places")
    columns.insert(at, Column(f"{key}_uniform", column.title, column.kind, column.meaning))
    rows = [[*row[:at], uniform(row), *row[at:]] for row in table.rows]
    return replace(table, columns=columns, rows=rows)


def notes_of(shares: PlacementStatistics | None) -> list[str]:
    """Return the notes on a rule of places, if there is one."""
    return [] if shares is None else shares.notes()
