"""Is a system better than luck? The gold annotation stays, the system's is placed anew.

"A random annotation scores 0 after correction" is true on average when both sides are random.
Against one fixed gold annotation a random system may average a little off 0, as the gold segments
sit at the edges of their documents or not. So the question needs a null distribution of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints, ranges
from spanagree.chance.simulate import redraw
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_whole
from spanagree.evaluation.count import EvaluationSettings
from spanagree.evaluation.result import Evaluation
from spanagree.matching.measures import find_match
from spanagree.matching.observed import similar
from spanagree.matching.score import UNDEFINED
from spanagree.rendering.data import plain
from spanagree.rendering.plots import Picture, clouds, rows_size, sentence
from spanagree.rendering.table import Column, Table
from spanagree.results import Comparable, Result
from spanagree.uncertainty.permutation import holm, powerless

_PORTION = 1 << 18  # segments that are placed at a time


_TIE = 1e-12  # relative; matches closer than this are the same


@dataclass(frozen=True, eq=False)
class Luck(Comparable):
    """One system against luck.

    Attributes:
        name: the system.
        f1: its observed F1.
        p: (1 + draws that reach it) / (1 + draws), one-sided; never 0.
        mean: the mean F1 of the draws.
        null: the F1 of each draw.
        reason: why p is undefined, if it is.
        p_holm: p after Holm's correction for all systems.
    """

    name: str
    f1: float
    p: float
    mean: float
    null: Floats = field(repr=False, compare=False)
    reason: str = ""
    p_holm: float = UNDEFINED


@dataclass(frozen=True, kw_only=True, eq=False)
class LuckSettings(EvaluationSettings):
    """The settings of a test against luck."""

    test: str = "luck"
    draws: int


@dataclass(frozen=True, eq=False)
class LuckTest(Result):
    """The result of :func:`luck_test`."""

    systems: Mapping[str, Luck]
    settings: LuckSettings
    notes: tuple[str, ...] = ()

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        return powerless([x.p for x in self.systems.values()], self.settings.draws, "system")

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, for JSON, without the draws; undefined is ``None``."""
        systems = []
        for row in self.to_rows():
            left_out = ("signature",) if row["reason"] else ("signature", "reason")
            systems.append({k: v for k, v in row.items() if k not in left_out})
        return {**self.head(), "systems": plain(systems)}

    def _table(self, by: str | None) -> Table:
        """A row for each system."""
        columns = [
            Column("system", "system", "name", "system against luck"),
            Column("f1", "F1", meaning="F1 of a system"),
            Column("p"),
            Column("null_mean", "mean F1 of draws"),
            Column("", "p", meaning="p against luck"),
            Column("p_holm", "Holm", meaning="Holm against luck"),
            Column("reason", "", "name"),
        ]
        systems = self.systems.values()
        return Table(
            columns,
            [[x.name, x.f1, x.p, x.mean, x.p, x.p_holm, x.reason] for x in systems],
            self.settings,
            caption=f"systems against luck: gold as it is, {self.settings.draws} random"
            " annotations of each system",
            remarks=[
                *{f"–: undefined: {luck.reason}": None for luck in systems if luck.reason},
                *self.caveats,
            ],
        )

    def picture(self) -> Picture:
        """Return the F1 of random annotations, and that of the system."""
        rows = {luck.name: (luck.null, luck.f1) for luck in self.systems.values() if len(luck.null)}
        if not rows:
            return Picture(functools.partial(sentence, text="no system that marked anything"))
        titles = ("random annotations", "the system")
        draw = functools.partial(clouds, rows=rows, titles=titles, what="F1")
        return Picture(draw, rows_size(len(self.systems)))


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
    gold = evaluation.settings.gold
    if (
        not {gold, *evaluation.systems} <= set(corpus.annotators)
        or evaluation.documents != len(corpus)
        or evaluation.document_ids != corpus.ids
    ):
        raise SettingError("the evaluation is that of another corpus")
    kept = evaluation.counted.documents_kept()
    report_progress = progress or (lambda done, total: None)
    systems = {}
    for done, (name, system) in enumerate(evaluation.systems.items()):
        report_progress(done, len(evaluation.systems))
        rng = np.random.default_rng(seed)
        size = system.tally.size_a + system.tally.size_b
        if not size:
            nothing = np.full(0, UNDEFINED)
            systems[name] = Luck(name, UNDEFINED, UNDEFINED, UNDEFINED, nothing, system.f1.reason)
            continue
        two = _in_own_order(corpus.of_annotators([gold, name]).subset(kept.shared[name]))
        matches = _drawn(two, gold, name, evaluation.settings, draws, rng)
        hits = int((matches >= system.tally.matched * (1 - _TIE)).sum())
        null = 2 * matches / size
        systems[name] = Luck(
            name, system.f1.observed, (1 + hits) / (1 + draws), float(null.mean()), null
        )
    report_progress(len(systems), len(systems))
    adjusted = holm([luck.p for luck in systems.values()])
    for luck, p in zip(list(systems.values()), adjusted, strict=True):
        systems[luck.name] = replace(luck, p_holm=p)
    chosen = {"ci": None, "resamples": None, "draws": int(draws), "seed": int(seed)}
    settings = evaluation.settings.extended(LuckSettings, **chosen)
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
    matches = []
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
        matches.append(np.bincount(copy[j], value, copies))
    return np.concatenate(matches)


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
