"""Difficulty: what luck alone would give on a document, and levels of documents by it.

The difficulty of a document is 1 − the agreement that luck alone would give (Li et al. 2024): with
a gold annotation 1 − E[Sim(Ψ, Ψ)], its expected F1 with a random annotation of the same number,
lengths and labels; for a team the mean of E[Sim(Ψ_i, Ψ_j)] over all ordered pairs of those who saw
the document, i = j included. Easy documents come first.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.arrow import to_arrow
from spanagree.blocks import (
    Block,
    each_block,
    merged,
    merged_settings,
    notes_of_blocks,
    settings_of_blocks,
)
from spanagree.corpus import Corpus
from spanagree.crowd import Crowd, compare
from spanagree.document_ids import hashed
from spanagree.errors import (
    SettingError,
    check_known,
    check_whole,
    counted,
    one_of,
    printable,
    show,
)
from spanagree.evaluation import Evaluation
from spanagree.shown import Shown
from spanagree.signature import signature
from spanagree.similarity import check_layer
from spanagree.tally import UNDEFINED, plain
from spanagree.version import __version__

_ALL_PAIRS = 10  # levels of which each two are compared
_TIE = 1e-12  # difficulties closer than this are the same


@dataclass(frozen=True)
class Difficulty(Shown):
    """The result of :func:`difficulty`.

    Attributes:
        chance: per document the agreement that luck alone would give; ``nan`` where undefined, as
            no annotator who saw the document marked anything in it.
        expected: per document the expected match, summed over ordered pairs of annotators.
        size: per document the size of an annotation (segments, or tokens), summed alike.
        seen: which documents one of the annotators saw at all.
        annotators: whose annotations these are; one name for a gold annotation.
        document_ids: the names of the documents; without them they are numbered from 1.
        settings: what made the numbers.
        notes: what a reader repaired or passed over.
    """

    chance: Floats
    expected: Floats
    size: Floats
    seen: Bools
    annotators: tuple[str, ...]
    document_ids: tuple[str, ...] | None
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """The settings that made the numbers, and the version, in one line."""
        return signature(self.settings)

    @cached_property
    def values(self) -> Floats:
        """Per document its difficulty, 1 − chance; ``nan`` where undefined."""
        return 1 - self.chance

    @property
    def defined(self) -> Bools:
        """Which documents have a difficulty."""
        return ~np.isnan(self.chance)

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.chance)

    def id_of(self, document: int) -> str:
        """The name of a document: its id, or its number from 1."""
        return str(document + 1) if self.document_ids is None else self.document_ids[document]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, for JSON; undefined is ``None``."""
        return {
            "signature": self.signature,
            "settings": dict(self.settings),
            "notes": list(self.notes),
            "annotators": list(self.annotators),
            "undefined": int((~self.defined).sum()),
            "documents": plain(self._rows()),
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each document, for CSV or a data frame; undefined is ``nan``."""
        return [{**row, "signature": self.signature} for row in self._rows()]

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        columns = ["document", "difficulty", "chance", "expected", "size", "undefined", "signature"]
        return to_arrow(self.to_rows(), columns)

    def _rows(self) -> list[dict[str, Any]]:
        columns = (self.values, self.chance, self.expected, self.size, self.seen)
        rows = []
        for d, row in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
            x, p, e, s, seen = row
            reason = ("nothing marked" if seen else "not seen") if math.isnan(x) else ""
            figures = {"difficulty": x, "chance": p, "expected": e, "size": s}
            rows.append({"document": self.id_of(d), **figures, "undefined": reason})
        return rows


def difficulty(
    corpus: Corpus | Iterable[Block],
    gold: str | None = None,
    *,
    annotators: Sequence[str] | None = None,
    match: str = "exact",
    chance: str = "nonoverlapping",
    executor: Executor | None = None,
    on_error: str = "raise",
    progress: Callable[[int, int], None] | None = None,
) -> Difficulty:
    """How hard each document is: 1 − the agreement that luck alone would give on it.

    Args:
        corpus: the annotations as layers; or blocks, as for :func:`spanagree.evaluate`, whose
            documents follow each other.
        gold: the name of the gold layer, or
        annotators: the names of those of a team; all layers if neither is given.
        match: the measure, one of :data:`spanagree.similarity.MATCHES`.
        chance: the chance model, one of :data:`spanagree.chance.CHANCES`.
        executor: of blocks: any ``concurrent.futures.Executor``.
        on_error: of blocks that fail, one of :data:`spanagree.blocks.ON_ERROR`.
        progress: called with the number of pairs of annotations done, and of all; or of blocks.

    Raises:
        SettingError: for an unknown name, gold and annotators at once, no layer, or a layer that
            overlaps itself where the measure or the chance model does not allow it.

    >>> corpus = Corpus.from_segments([2, 20, 5], {"gold": [[(0, 1, "X")], [(4, 6, "X")], []]})
    >>> difficulty(corpus, gold="gold").values.round(3).tolist()
    [0.5, 0.947, nan]
    """
    if gold is not None and annotators is not None:
        raise SettingError("gold and annotators; difficulty is that of one or of the other")
    if not isinstance(corpus, Corpus):
        work = functools.partial(
            _part_of, gold=gold, annotators=annotators, match=match, chance=chance
        )
        done = each_block(corpus, work, executor=executor, on_error=on_error, progress=progress)
        joined = _joined(*merged(done, _merged, "look at"))
        check_known(annotators or (), joined.annotators)
        return joined
    if executor is not None:
        raise SettingError("executor: for blocks; one corpus is worked on here")
    if not (corpus.layers if annotators is None else annotators):
        raise SettingError("no annotator; difficulty needs one at least")
    return _difficulty(corpus, gold, annotators, match, chance, progress)


def _difficulty(
    corpus: Corpus,
    gold: str | None,
    annotators: Sequence[str] | None,
    match: str,
    chance: str,
    progress: Callable[[int, int], None] | None = None,
) -> Difficulty:
    """The same of one corpus; without an annotator nothing is seen."""
    if gold is not None:
        if gold not in corpus.layers:
            raise one_of(gold, map(printable, corpus.annotators), "gold")
        annotators = [gold]
    team = corpus if annotators is None else corpus.of_annotators(annotators)
    for name in team.annotators:
        check_layer(team, name, match, chance)
    crowd = Crowd.of(team)
    first, second = crowd.pairs(with_itself=True)
    columns = compare(team, crowd, (first, second), match, chance, progress)
    expected, size_a, size_b = (
        np.bincount(columns.document, column, len(first))
        for column in (columns.expected, columns.size_a, columns.size_b)
    )
    size = (size_a + size_b) / 2
    times = np.where(first == second, 1.0, 2.0)  # i, j and j, i
    defined = size > 0
    alike = np.where(defined, expected / np.where(defined, size, 1), 0.0)
    # in the order of their values, so that the order of annotators changes no digit
    document = crowd.document[first]
    order = np.lexsort((expected, alike, document))
    total, pairs, all_expected, all_size = (
        np.bincount(document[order], (times * value)[order], len(corpus)).astype(np.float64)
        for value in (alike, defined.astype(np.float64), expected, size)
    )
    settings = {
        "match": match,
        "chance": chance,
        "of": "gold" if gold is not None else "team",
        "annotators": len(team.layers),
        "offsets": corpus.offsets,
        **corpus.reading,
        "version": __version__,
    }
    if gold is not None:
        settings = {"gold": gold, **settings}
    return Difficulty(
        np.where(pairs > 0, total / np.maximum(pairs, 1), UNDEFINED),
        all_expected,
        all_size,
        np.bincount(crowd.document, minlength=len(corpus)) > 0,
        team.annotators,
        corpus.ids,
        settings,
        corpus.notes,
    )


class _Parts(NamedTuple):
    """Of blocks, one after the other, and what they say together."""

    parts: list[Difficulty]
    settings: Mapping[str, Any]
    notes: tuple[str, ...]


def _part_of(
    corpus: Corpus, *, gold: str | None, annotators: Sequence[str] | None, **asked: Any
) -> _Parts:
    """What one block adds; of a team those who are in it."""
    if annotators is not None:
        annotators = [name for name in annotators if name in corpus.layers]
    part = _difficulty(corpus, gold, annotators, **asked)
    return _Parts([part], {**part.settings, "annotators": 0}, part.notes)


def _merged(one: _Parts, other: _Parts, number: int) -> _Parts:
    settings = merged_settings(one.settings, other.settings, f"block {number}")
    one.parts.extend(other.parts)
    return _Parts(one.parts, settings, (*one.notes, *other.notes))


def _joined(whole: _Parts, skipped: Sequence[str]) -> Difficulty:
    """The documents of all blocks, one after the other."""
    parts = whole.parts
    chance, expected, size, seen = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("chance", "expected", "size", "seen")
    )
    ids = [part.document_ids for part in parts]
    names = tuple(dict.fromkeys(name for part in parts for name in part.annotators))
    hashes = [hashed(of) for of in ids if of is not None]
    return Difficulty(
        chance,
        expected,
        size,
        seen,
        names,
        None if any(i is None for i in ids) else tuple(name for i in ids for name in i or ()),
        settings_of_blocks({**whole.settings, "annotators": len(names)}, skipped),
        notes_of_blocks(whole.notes, skipped, hashes),
    )


# --- levels -------------------------------------------------------------------------------------


class Level(NamedTuple):
    """Documents of a difficulty from ``low`` to ``high``.

    A document at a border is in the harder level, but in the easier one where borders are of the
    chance level. The documents without a difficulty have ``nan`` for both.
    """

    name: str
    low: float
    high: float
    documents: Ints


@dataclass(frozen=True)
class Levels:
    """Documents in levels of difficulty, the easiest first; and those without one.

    Attributes:
        levels: with their borders and the numbers of their documents.
        undefined: the documents without a difficulty.
        borders: what was asked for, and the borders that came of it.
        notes: where it could not be had as asked.
    """

    levels: tuple[Level, ...]
    undefined: Level
    borders: Mapping[str, Any]
    notes: tuple[str, ...]

    @property
    def all(self) -> tuple[Level, ...]:
        """The levels, and the documents without a difficulty if there are any."""
        return (*self.levels, self.undefined) if len(self.undefined.documents) else self.levels


def levels_of(
    difficulty: Difficulty,
    *,
    levels: int | None = None,
    at: Sequence[float] | None = None,
    chance_at: Sequence[float] | None = None,
    quantiles: Sequence[float] | None = None,
) -> Levels:
    """The documents in levels of difficulty, in one of four ways; equal ones are never parted.

    Args:
        difficulty: of each document.
        levels: this many levels of nearly equal size, 2 unless asked otherwise; each border is as
            near to its share of the documents as ties allow.
        at: thresholds of difficulty: a document at a threshold is in the harder level.
        chance_at: thresholds of the chance level, 1 − difficulty: one at a threshold is in the
            easier level. (The 0.175 of Li et al. 2024 is such a level.)
        quantiles: shares of the documents below each border, as nearly as ties allow.

    Raises:
        SettingError: for more than one way, or thresholds outside 0–1, unsorted or repeated.
    """
    ways = {"levels": levels, "at": at, "chance_at": chance_at, "quantiles": quantiles}
    given = [name for name, value in ways.items() if value is not None]
    if len(given) > 1:
        raise SettingError(f"{' and '.join(given)}; documents are split in one way")
    values = difficulty.values
    place = np.flatnonzero(difficulty.defined)
    place = place[np.argsort(values[place], kind="stable")]
    ordered = values[place]
    notes: list[str] = []
    if at is not None or chance_at is not None:
        name = given[0]
        asked = _thresholds(at if at is not None else chance_at, name)
        borders = asked if at is not None else [1 - c for c in reversed(asked)]
        if at is not None:  # at the threshold: hard
            cuts = [int((ordered < t - _TIE).sum()) for t in borders]
        else:  # at the chance level: easy
            cuts = [int((ordered <= t + _TIE).sum()) for t in borders]
    else:
        asked = _thresholds(quantiles, "quantiles") if quantiles is not None else []
        count = 2 if levels is None else levels
        check_whole(count, 1, "levels")
        shares = asked or [i / count for i in range(1, count)]
        cuts = _cuts(ordered, shares)
        if not len(ordered):
            notes.append("no document has a difficulty, so there is one level, without documents")
        elif len(cuts) < len(shares):
            distinct = 1 + int((np.diff(ordered) > _TIE).sum())
            notes.append(
                f"{counted(len(cuts) + 1, 'level')}, not {len(shares) + 1}: there are"
                f" {distinct} different difficulties, and equal ones are not parted"
            )
        borders = [float(ordered[cut]) for cut in cuts]
    lowest = min(0.0, float(ordered[0])) if len(ordered) else 0.0  # overlapping may go below 0
    parts = np.split(place, cuts)
    made = tuple(
        Level(f"level-{i}", low, high, np.sort(part))
        for i, (low, high, part) in enumerate(
            zip([lowest, *borders], [*borders, 1.0], parts, strict=True), 1
        )
    )
    notes += [
        f"no document has a difficulty from {level.low:.4g} to {level.high:.4g} ({level.name})"
        for level in made
        if not len(level.documents) and len(ordered)
    ]
    way = {given[0]: asked} if asked else {"levels": 2 if levels is None else levels}
    return Levels(
        made,
        Level("undefined", UNDEFINED, UNDEFINED, np.flatnonzero(~difficulty.defined)),
        {**way, "borders": borders},
        tuple(notes),
    )


def _thresholds(values: Sequence[float] | None, name: str) -> list[float]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise SettingError(f"{name} {show(values)}; a list of numbers is needed")
    asked = list(values)
    for value in asked:
        if not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
            raise SettingError(f"{name} {show(value)}; numbers from 0 to 1 are needed")
    if not asked or any(b <= a for a, b in itertools.pairwise(asked)):
        raise SettingError(f"{name} {show(asked)}; rising numbers from 0 to 1 are needed")
    return [float(value) for value in asked]


def _cuts(ordered: Floats, shares: Sequence[float]) -> list[int]:
    """How many documents lie below each border: as near to the shares as ties and order allow."""
    free = np.flatnonzero(np.diff(ordered) > _TIE) + 1  # where a border may be
    cuts: list[int] = []
    first = 0  # among the free places
    for i, share in enumerate(shares):
        last = len(free) - (len(shares) - 1 - i)  # borders still to come need a place each
        allowed = free[first : max(last, first + 1)]
        if not len(allowed):
            break
        at = int(np.searchsorted(allowed, share * len(ordered)))
        near = allowed[max(at - 1, 0) : at + 1]
        cuts.append(int(min(near.tolist(), key=lambda cut: (abs(cut - share * len(ordered)), cut))))
        first = int(np.searchsorted(free, cuts[-1])) + 1
    return cuts


# --- parts of a corpus --------------------------------------------------------------------------


class Part(NamedTuple):
    """The documents of one level, as a corpus of all annotators; ids are those of the whole."""

    level: Level
    corpus: Corpus
    difficulty: Floats


@dataclass(frozen=True)
class Split:
    """The result of :func:`split`: a corpus for each level, the easiest first.

    Attributes:
        parts: the levels' corpora; iterating over the split gives these corpora.
        undefined: the documents without a difficulty.
        settings: what made the difficulty and the borders.
        notes: where it could not be had as asked.
    """

    parts: tuple[Part, ...]
    undefined: Part
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        """The number of levels."""
        return len(self.parts)

    def __getitem__(self, level: int) -> Corpus:
        """The corpus of a level, the easiest is 0."""
        return self.parts[level].corpus

    @property
    def all(self) -> tuple[Part, ...]:
        """The parts, and that of the documents without a difficulty if there are any."""
        return (*self.parts, self.undefined) if len(self.undefined.corpus) else self.parts

    def to_dict(self) -> dict[str, Any]:
        """Settings, borders and numbers of documents, as plain data."""
        return {
            "signature": signature(self.settings),
            "settings": dict(self.settings),
            "notes": list(self.notes),
            "parts": [
                {**_range(part.level), "documents": len(part.corpus)}
                for part in (*self.parts, self.undefined)
            ],
        }


def _range(level: Level) -> dict[str, Any]:
    return {"name": level.name, "from": plain(level.low), "to": plain(level.high)}


def split(
    corpus: Corpus,
    difficulty: Difficulty,
    *,
    levels: int | None = None,
    at: Sequence[float] | None = None,
    chance_at: Sequence[float] | None = None,
    quantiles: Sequence[float] | None = None,
) -> Split:
    """A corpus for each level of difficulty, with every annotator, and one of those without.

    The ways to split are those of :func:`levels_of`; two levels of nearly equal size unless asked.

    Raises:
        SettingError: as for :func:`levels_of`; for the difficulty of another corpus.

    >>> corpus = Corpus.from_segments([2, 20, 5], {"gold": [[(0, 1, "X")], [(4, 6, "X")], []]})
    >>> [len(part) for part in split(corpus, difficulty(corpus), at=[0.825])]
    [1, 1]
    """
    if len(corpus) != len(difficulty) or corpus.ids != difficulty.document_ids:
        raise SettingError(
            f"the difficulty is that of other documents ({len(difficulty)} of them; the corpus has"
            f" {len(corpus)})"
        )
    found = levels_of(difficulty, levels=levels, at=at, chance_at=chance_at, quantiles=quantiles)
    named = corpus.with_ids()

    def part(level: Level) -> Part:
        return Part(level, named.subset(level.documents), difficulty.values[level.documents])

    return Split(
        tuple(part(level) for level in found.levels),
        part(found.undefined),
        {**difficulty.settings, **found.borders},
        (*difficulty.notes, *found.notes),
    )


# --- evaluations by level -----------------------------------------------------------------------


@dataclass(frozen=True)
class EvaluationByLevel(Shown):
    """The result of :func:`evaluate_levels`.

    Attributes:
        whole: the evaluation over all documents.
        levels: the easiest first; the documents without a difficulty last, if there are any.
        evaluations: the same systems over the documents of each.
        settings: what made the difficulty and the borders.
        notes: where it could not be had as asked.
    """

    whole: Evaluation
    levels: tuple[Level, ...]
    evaluations: tuple[Evaluation, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...]

    def tau(self, one: Sequence[float], other: Sequence[float]) -> float:
        """Kendall's τ-b of two lists of scores of the systems; ``nan`` with fewer than two."""
        from scipy.stats import kendalltau  # takes half a second to import

        pairs = [
            (round(a, 12), round(b, 12))  # so that ties are those of ranks
            for a, b in zip(one, other, strict=True)
            if not (math.isnan(a) or math.isnan(b))
        ]
        if len(pairs) < 2 or any(len(set(column)) < 2 for column in zip(*pairs, strict=True)):
            return UNDEFINED
        return float(kendalltau(*zip(*pairs, strict=True)).statistic)

    def raw_and_corrected(self, evaluation: Evaluation) -> float:
        """τ between the systems' raw and corrected F1."""
        return self.tau(_f1(evaluation, "observed"), _f1(evaluation, "corrected"))

    @property
    def signature(self) -> str:
        """The settings that made the numbers, and the version, in one line."""
        return signature({**self.settings, **self.whole.settings})

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        return tuple(
            f"{level.name}: {said}" for level, of in self._defined() for said in of.caveats
        )

    def between(self, figure: str) -> list[tuple[str, str, float]]:
        """τ between the systems' F1 in each two levels; of more than ten, in neighbouring ones."""
        parts = [(level.name, _f1(of, figure)) for level, of in self._defined()]
        return [
            (a, b, self.tau(one, other))
            for i, (a, one) in enumerate(parts)
            for b, other in parts[i + 1 : i + 2 if len(parts) > _ALL_PAIRS else None]
        ]

    def _defined(self) -> list[tuple[Level, Evaluation]]:
        pairs = zip(self.levels, self.evaluations, strict=True)
        return [(level, of) for level, of in pairs if not math.isnan(level.low)]

    def to_dict(self) -> dict[str, Any]:
        """The evaluation with its levels, as plain data for JSON; undefined is ``None``."""
        data = self.whole.to_dict()
        data["signature"] = self.signature
        data["notes"] = [*data["notes"], *self.notes]
        data["caveats"] = [*data["caveats"], *self.caveats]
        return {
            **data,
            "difficulty": {
                key: value for key, value in self.settings.items() if key not in data["settings"]
            },
            "tau_raw_corrected": plain(self.raw_and_corrected(self.whole)),
            "levels": [
                {
                    **_range(level),
                    "documents": of.documents,
                    "tau_raw_corrected": plain(self.raw_and_corrected(of)),
                    "systems": of.to_dict()["systems"],
                }
                for level, of in zip(self.levels, self.evaluations, strict=True)
            ],
            "tau_between_levels": {
                figure: [
                    {"levels": [a, b], "tau": plain(tau)} for a, b, tau in self.between(figure)
                ]
                for figure in ("observed", "corrected")
            },
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each level and system, then for each system over all documents."""
        parts = [*zip(self.levels, self.evaluations, strict=True), (None, self.whole)]
        return [
            {
                "level": "all" if level is None else level.name,
                "from": None if level is None else level.low,
                "to": None if level is None else level.high,
                **row,
                "signature": self.signature,
            }
            for level, of in parts
            for row in of.to_rows()
        ]

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        return to_arrow(self.to_rows())


def _f1(evaluation: Evaluation, figure: str) -> list[float]:
    return [getattr(system.f1, figure) for system in evaluation.systems.values()]


def evaluate_levels(
    evaluation: Evaluation,
    difficulty: Difficulty,
    *,
    levels: int | None = None,
    at: Sequence[float] | None = None,
    chance_at: Sequence[float] | None = None,
    quantiles: Sequence[float] | None = None,
) -> EvaluationByLevel:
    """Every system's figures and ranks in each level of difficulty.

    The ways to split are those of :func:`levels_of`. Documents without a difficulty come last.

    Raises:
        SettingError: as for :func:`levels_of`; for the difficulty of another corpus.
    """
    if (evaluation.documents, evaluation.document_ids) != (
        len(difficulty), difficulty.document_ids
    ):  # fmt: skip
        raise SettingError(
            f"the difficulty is that of other documents ({len(difficulty)} of them; the evaluation"
            f" has {evaluation.documents})"
        )
    found = levels_of(difficulty, levels=levels, at=at, chance_at=chance_at, quantiles=quantiles)
    return EvaluationByLevel(
        evaluation,
        found.all,
        tuple(evaluation.over(level.documents) for level in found.all),
        {"of": difficulty.settings["of"], **found.borders},
        found.notes,
    )
