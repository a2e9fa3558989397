"""Difficulty: what luck alone would give on a document, and levels of documents by it.

The difficulty of a document is 1 − the agreement that luck alone would give (Li et al. 2024): with
a gold annotation 1 − E[Sim(Ψ, Ψ)], its expected F1 with a random annotation of the same number,
lengths and labels; for a team the mean of E[Sim(Ψ_i, Ψ_j)] over all ordered pairs of those who saw
the document, i = j included. Easy documents come first.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats
from spanagree.blocks.ids import hashed
from spanagree.blocks.run import Block, each_block, merged, notes_of_blocks
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_known, one_of, printable
from spanagree.matching.annotation_pairs import Crowd, compare
from spanagree.matching.overlaps import check_layer
from spanagree.matching.score import UNDEFINED, plain
from spanagree.rendering.data import to_arrow
from spanagree.results import Shown
from spanagree.settings import __version__, merged_settings, settings_of_blocks, signature

TIE = 1e-12  # difficulties closer than this are the same


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
