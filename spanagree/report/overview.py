"""Results that any report shows; the page only renders them.

A report has one of three subjects: systems against gold, a team of annotators, or systems against
several references. Each has an overview, which computes all results of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from spanagree.agreement.disagreements import disagreements
from spanagree.agreement.label_confusion import Confusion
from spanagree.corpus.corpus import Corpus
from spanagree.levels.difficulty import Difficulty
from spanagree.results.names import find_common_parts
from spanagree.slices.result import Slices
from spanagree.uncertainty.chance_statistics import ChanceStatistics

SHOWN = 40  # annotators in a heat map, pairs in a table, pairs and systems tested against chance
_AGAINST_CHANCE = 20_000  # documents times pairs tested against chance


@dataclass(frozen=True, kw_only=True)
class Overview:
    """Results of any report.

    Attributes:
        corpus: corpus of the report.
        difficulty: difficulty of its documents.
        pairs: pairs of layers that can be compared.
        first_pair: pair that the browser of documents shows first.
        signature: settings of the figures.
        notes: notes of readers and results.
        slices: figures of slices, if they were requested.
    """

    TEMPLATE: ClassVar[str]  # template of the page
    PAIRS_SHOWN: ClassVar[str] = (
        "the first"  # description of the pairs that are shown if there are many
    )

    corpus: Corpus
    difficulty: Difficulty
    pairs: Sequence[tuple[str, str]]
    first_pair: tuple[str, str]
    signature: str
    notes: tuple[str, ...]
    slices: Slices | None = None

    @property
    def chance_by_pair(self) -> Mapping[tuple[str, str], Mapping[int, ChanceStatistics]]:
        """Chance statistics of documents, by index, for pairs tested against chance."""
        return {}

    @property
    def signatures(self) -> Mapping[str, str]:
        """Signature of each part with settings of its own; that of the report has no name."""
        parts = {"slices": self.slices, **self._signed_parts}
        signatures = {
            part: result.signature for part, result in parts.items() if result is not None
        }
        return {"": self.signature, **signatures}

    @property
    def _signed_parts(self) -> Mapping[str, Any]:
        """Results of parts of the report, by name; ``None`` for a missing part."""
        return {}

    @property
    def compared_names(self) -> Sequence[str]:
        """Names of the systems, or of the annotators."""
        return list(self.corpus.layers)

    @cached_property
    def short_names(self) -> Mapping[str, str]:
        """Names of all layers, without the common beginning and end of the compared names."""
        prefix, suffix = find_common_parts(self.compared_names)
        short_names = {
            name: name.removeprefix(prefix).removesuffix(suffix) for name in self.corpus.layers
        }
        distinct = len(set(short_names.values())) == len(short_names) and all(short_names.values())
        return short_names if distinct else {name: name for name in short_names}

    @property
    def omitted_name_parts(self) -> str:
        """Sentence on the omitted parts of names; empty if names are complete."""
        prefix, suffix = find_common_parts(self.compared_names)
        if all(name == short_name for name, short_name in self.short_names.items()):
            return ""
        parts_by_end = {"beginning": prefix, "end": suffix}
        omissions = [f"“{part}” at their {end}" for end, part in parts_by_end.items() if part]
        return f"names are shown without {' and '.join(omissions)}"

    @property
    def team_confusion(self) -> Confusion | None:
        """Confusion of labels in a team; ``None`` for systems."""
        return None

    @cached_property
    def outcomes(self) -> Mapping[tuple[str, str], Mapping[str, int]]:
        """Disagreements by kind for each of the first pairs; empty without a shared document."""
        seen_by_layer = {name: layer.annotated for name, layer in self.corpus.layers.items()}
        return {
            (a, b): disagreements(self.corpus, a, b, text=False).counts
            if (seen_by_layer[a] & seen_by_layer[b]).any()
            else {}
            for a, b in self.pairs[:SHOWN]
        }


def has_few_pairs(corpus: Corpus, pairs: int) -> bool:
    """Check whether few enough pairs are tested against chance, which takes a while."""
    return pairs <= SHOWN and len(corpus) * pairs <= _AGAINST_CHANCE
