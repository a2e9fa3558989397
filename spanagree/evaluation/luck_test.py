"""Is a system better than luck? The gold annotation stays, the system's is placed anew.

"A random annotation scores 0 after correction" is true on average when both sides are random.
Against one fixed gold annotation a random system may average a little off 0, as the gold segments
sit at the edges of their documents or not. So the question needs a null distribution of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints, ranges
from spanagree.chance.simulate import redraw
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_whole
from spanagree.evaluation.result import Evaluation
from spanagree.matching.measures import find_match
from spanagree.matching.observed import similar
from spanagree.matching.score import UNDEFINED, plain
from spanagree.rendering.data import to_arrow
from spanagree.results import Shown
from spanagree.settings import signature

_PORTION = 1 << 18  # segments that are placed at a time


_TIE = 1e-12  # relative; matches closer than this are the same


@dataclass(frozen=True)
class Luck:
    """One system against luck.

    Attributes:
        name: the system.
        f1: its observed F1.
        p: (1 + draws that reach it) / (1 + draws), one-sided; never 0.
        mean: the mean F1 of the draws.
        null: the F1 of each draw.
        reason: why p is undefined, if it is.
    """

    name: str
    f1: float
    p: float
    mean: float
    null: Floats = field(repr=False, compare=False)
    reason: str = ""


@dataclass(frozen=True)
class LuckTest(Shown):
    """The result of :func:`luck_test`."""

    systems: Mapping[str, Luck]
    settings: Mapping[str, Any]

    @property
    def signature(self) -> str:
        """The settings that made the numbers, and the version, in one line."""
        return signature(self.settings)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, for JSON, without the draws; undefined is ``None``."""
        data = {
            "signature": self.signature,
            "settings": dict(self.settings),
            "systems": [
                {k: v for k, v in row.items() if v or k != "reason"} for row in self._rows()
            ],
        }
        return plain(data)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each system, for CSV or a data frame; undefined is ``nan``."""
        return [{**row, "signature": self.signature} for row in self._rows()]

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        return to_arrow(self.to_rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"system": of.name, "f1": of.f1, "p": of.p, "null_mean": of.mean, "reason": of.reason}
            for of in self.systems.values()
        ]


def luck_test(
    corpus: Corpus,
    evaluation: Evaluation,
    *,
    draws: int = 1000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> LuckTest:
    """How often a random annotation would match the gold one as well as each system does.

    The random annotation keeps the number, lengths and labels of the system's segments in every
    document, under the chance model of the evaluation; the gold annotation stays as it is.

    Args:
        corpus: the corpus that was evaluated.
        evaluation: its evaluation.
        draws: how many random annotations of each system.
        seed: a whole number from 0.
        progress: called with the number of systems done, and of all.

    Raises:
        SettingError: for a number out of range, or the evaluation of another corpus.
    """
    check_whole(draws, 1, "draws")
    check_whole(seed, 0, "seed")
    gold = str(evaluation.settings["gold"])
    if (
        not {gold, *evaluation.systems} <= set(corpus.annotators)
        or evaluation.documents != len(corpus)
        or evaluation.document_ids != corpus.ids
    ):
        raise SettingError("the evaluation is that of another corpus")
    told = progress or (lambda done, total: None)
    systems = {}
    for done, (name, system) in enumerate(evaluation.systems.items()):
        told(done, len(evaluation.systems))
        rng = np.random.default_rng(seed)
        size = system.tally.size_a + system.tally.size_b
        if not size:
            nothing = np.full(0, UNDEFINED)
            systems[name] = Luck(name, UNDEFINED, UNDEFINED, UNDEFINED, nothing, system.f1.reason)
            continue
        two = _in_own_order(corpus.of_annotators([gold, name]).subset(system.kept()[1]))
        found = _drawn(two, gold, name, evaluation.settings, draws, rng)
        hits = int((found >= system.tally.matched * (1 - _TIE)).sum())
        null = 2 * found / size
        systems[name] = Luck(
            name, system.f1.observed, (1 + hits) / (1 + draws), float(null.mean()), null
        )
    told(len(systems), len(systems))
    settings = {k: v for k, v in evaluation.settings.items() if k not in ("ci", "resamples")}
    settings |= {"test": "luck", "draws": int(draws), "seed": int(seed)}
    return LuckTest(systems, settings)


def _in_own_order(corpus: Corpus) -> Corpus:
    """The documents in an order of their own, so that theirs changes no draw."""
    documents = list(corpus)
    return corpus.subset(
        sorted(
            range(len(corpus)),
            key=lambda d: (documents[d].length, list(documents[d].segments.values())),
        )
    )


def _drawn(
    corpus: Corpus,
    gold_name: str,
    system_name: str,
    settings: Mapping[str, Any],
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """The match of gold with each random annotation; (draws,).

    Many draws are made at once: as so many copies of the corpus, one after the other.
    """
    gold, system = corpus.layers[gold_name], corpus.layers[system_name]
    measure = find_match(settings["match"])
    labels = max(1, len(corpus.labels))

    def cells(document: Ints, label: Ints) -> Ints:
        return document * labels + label if measure.of_label else document

    of_gold = cells(gold.document, gold.label)
    found = []
    most = max(1, _PORTION // max(len(system), len(corpus), 1))
    for low in range(0, draws, most):
        copies = min(most, draws - low)
        drawn = redraw(
            _copies(system, copies, len(corpus)),
            np.tile(corpus.lengths, copies),
            labels,
            rng,
            settings["chance"],
        )
        copy, document = np.divmod(drawn.document, len(corpus))
        _, j, value = similar(gold, drawn, of_gold, cells(document, drawn.label), measure)
        found.append(np.bincount(copy[j], value, copies))
    return np.concatenate(found)


def _copies(layer: Layer, copies: int, documents: int) -> Layer:
    """The same segments in so many copies of the documents."""

    def repeated(column: Ints) -> Ints:
        return np.tile(column, copies)

    _, copy = ranges(np.zeros(copies, np.int64), np.full(copies, len(layer)))
    return Layer(
        repeated(layer.document) + copy * documents,
        repeated(layer.start),
        repeated(layer.end),
        repeated(layer.label),
        np.ones(copies * documents, np.bool_),
    )
