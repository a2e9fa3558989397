"""What one corpus or block adds to an evaluation, and how two such counts add."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, Progress
from spanagree.blocks.counted import Counted
from spanagree.blocks.exact_sums import TallySum, added
from spanagree.blocks.ids import ids_of
from spanagree.blocks.poisson import Entries, Replicates, replicates
from spanagree.comparisons.expected import expected_how, notes_on, place_layers, tallies
from spanagree.comparisons.joined_texts import shared_out
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.overlaps import check_layer
from spanagree.comparisons.tally import Tallies
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.joined_texts import JoinedTexts
from spanagree.errors import (
    InputError,
    MissingLayerError,
    SettingError,
    check_known,
    counted,
    listed,
    printable,
)
from spanagree.results.score import all_figures
from spanagree.settings import Settings
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.uncertainty.evidence import both, evidence_of

COLUMNS = ("matched", "expected", "size_a", "size_b")  # of a tally


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluationSettings(Settings):
    """The settings of an evaluation; ``gold_first`` is False if another layer is gold.

    That is also so of the first one where a file's lines, not a user, put it there.
    """

    gold: str
    gold_first: bool | None = None
    match: str
    chance: str
    expected: str | None = None
    average: str = "micro"


class Kept(NamedTuple):
    """Single documents, which a whole corpus keeps.

    Attributes:
        tallies: of each system.
        shared: which documents each system and gold both saw.
        ids: the names of the documents, if they have any.
        wholes: the number of the whole that each document is a sentence of, if it is known.
        joined: the corpus, if its documents were joined of texts.
    """

    tallies: Mapping[str, Tallies]
    shared: Mapping[str, Bools]
    ids: tuple[str, ...] | None
    wholes: Ints | None = None
    joined: Corpus | None = None

    def drawn(
        self, resampling: Resampling, settings: EvaluationSettings
    ) -> tuple[Kept, Ints | None]:
        """Return the documents that are resampled, or the texts they were joined of; and wholes.

        Raises:
            SettingError: if it is not known what sentences belong to, or texts were not joined.
        """
        if not resampling.by_text(settings):
            return self, resampling.wholes_of(self.wholes, settings)
        corpus, document = JoinedTexts.of(self.joined)
        ask = settings.gold, settings.match, settings.chance
        _, alone = _tally_systems(corpus, *ask, {}, None)
        tallied = {
            name: shared_out(own, alone[name], document, corpus.lengths)
            for name, own in self.tallies.items()
        }
        shared = {name: both[document] for name, both in self.shared.items()}
        return Kept(tallied, shared, None), None


@dataclass(frozen=True, kw_only=True)
class CountedSystems(Counted[EvaluationSettings]):
    """What is counted of systems against gold.

    Attributes:
        annotators: the layers, gold among them.
        labels: the labels of the corpus.
        shared: how many documents each system and gold both saw.
        sums: of each system and label; the label is empty for a measure that disregards labels.
        evidence: what precision, recall and F1 of a system and label rest on, (3, 3); over all
            labels, where the label is empty, and for each of a block of which intervals are asked.
        kept: single documents; ``None`` over blocks.
    """

    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    shared: Mapping[str, int]
    sums: Mapping[str, Mapping[str, TallySum]]
    evidence: Mapping[tuple[str, str], Ints]
    kept: Kept | None = None

    def _add(self, other: CountedSystems) -> dict[str, Any]:
        if self.annotators != other.annotators:
            raise InputError(
                f"annotators {listed(other.annotators)}; the blocks before have"
                f" {listed(self.annotators)}"
            )
        return {
            "labels": tuple(sorted({*self.labels, *other.labels})),
            "shared": {name: self.shared[name] + other.shared[name] for name in self.shared},
            "sums": {name: added(sums, other.sums[name]) for name, sums in self.sums.items()},
            "evidence": both(self.evidence, other.evidence),
            "kept": None,
        }

    def over(self, documents: Ints) -> CountedSystems:
        """Return the counts over some of the documents, by number from 0.

        Raises:
            SettingError: over blocks, which keep sums only.
        """
        kept = self.documents_kept()
        chosen = np.zeros(len(next(iter(kept.shared.values()))), np.bool_)
        chosen[documents] = True
        fewer = Kept(
            {name: each.where(chosen[each.document]) for name, each in kept.tallies.items()},
            {name: shared & chosen for name, shared in kept.shared.items()},
            kept.ids,
            kept.wholes,
            kept.joined,
        )
        return replace(self, documents=len(documents), **sums_of(fewer, self.labels, self.settings))

    def documents_kept(self) -> Kept:
        """Return the single documents.

        Raises:
            SettingError: over blocks, which keep sums only.
        """
        if self.kept is None:
            raise SettingError(
                "single documents are not kept over blocks; an evaluation of one corpus keeps them"
            )
        return self.kept


def sums_of(kept: Kept, labels: Sequence[str], settings: EvaluationSettings) -> dict[str, Any]:
    """Return the fields of :class:`CountedSystems` that follow from single documents."""
    names = labels if find_match(settings.match).of_label else ("",)
    return {
        "shared": {name: int(both.sum()) for name, both in kept.shared.items()},
        "sums": {
            name: dict(zip(names, TallySum.each(each, each.label.clip(0), len(names)), strict=True))
            for name, each in kept.tallies.items()
        },
        "evidence": _evidence(kept, ()),
        "kept": kept,
    }


def _evidence(kept: Kept, labels: Sequence[str]) -> dict[tuple[str, str], Ints]:
    """Return what the figures of each system and label rest on."""
    tables = tables_of(kept, labels)
    return {whose: evidence_of(table, all_figures) for whose, (_, table) in tables}


def tables_of(
    kept: Kept, labels: Sequence[str], wholes: Ints | None = None
) -> Iterator[tuple[tuple[str, str], tuple[Ints, Floats]]]:
    """Yield each system and label, and which documents add what, as :meth:`Tallies.table`.

    Over all labels that is empty; those of each one of ``labels`` come after it. With ``wholes``
    these add, rather than the documents of which they have the numbers.
    """
    for name in sorted(kept.tallies):  # canonical order
        tallies, documents = kept.tallies[name], np.flatnonzero(kept.shared[name])
        yield (name, ""), tallies.tables_by(documents, wholes)
        for code, label in enumerate(labels):
            rows = tallies.where(tallies.label == code)
            yield (name, label), rows.tables_by(documents, wholes)


def count(
    corpus: Corpus,
    *,
    gold: str | None,
    match: str,
    chance: str,
    resampling: Resampling | None = None,
    keep: bool = False,
    progress: Progress = None,
) -> CountedSystems:
    """Count what systems and gold have in common in one corpus or block.

    Args:
        corpus: gold and systems as layers.
        gold: the name of the gold layer; the first unless given.
        match: the measure.
        chance: the chance model.
        resampling: how to draw resamples over blocks, if intervals are asked for.
        keep: whether single documents are kept, as of a whole corpus.
        progress: called with the number of steps done, and of all.

    Raises:
        SettingError: for an unknown name, fewer than two layers, or a layer that overlaps itself
            where the measure or the chance model does not allow it.
    """
    over: dict[str, Counter[str]] = {}
    gold, tallied = _tally_systems(corpus, gold, match, chance, over, progress)
    annotated = {name: corpus.layers[name].annotated for name in (gold, *tallied)}
    shared = {name: annotated[gold] & annotated[name] for name in tallied}
    joined = None if corpus.text_ends is None else corpus
    kept = Kept(tallied, shared, corpus.ids, corpus.wholes, joined)
    settings = EvaluationSettings(
        gold=gold,
        gold_first=None if gold == corpus.annotators[0] else False,
        match=match,
        chance=chance,
        expected=expected_how(sum(over.values(), Counter())),
        offsets=corpus.offsets,
        reading=corpus.reading,
    )
    whole = CountedSystems(
        documents=len(corpus),
        settings=settings,
        notes=(
            *corpus.notes,
            *(f"{printable(name)}: {note}" for name in over for note in notes_on(over[name])),
        ),
        ids=() if keep else ids_of(corpus),
        annotators=corpus.annotators,
        labels=corpus.labels,
        **sums_of(kept, corpus.labels, settings),
    )
    if keep:
        return whole
    drawn, few = None, whole.evidence
    if resampling is not None:
        drawn, few = _draw(whole, tallied, resampling), _evidence(kept, corpus.labels)
    return replace(whole, kept=None, replicates=drawn, evidence=few)


def _tally_systems(
    corpus: Corpus,
    gold: str | None,
    match: str,
    chance: str,
    over: dict[str, Counter[str]],
    progress: Progress,
) -> tuple[str, dict[str, Tallies]]:
    """Return gold's name, and the tallies of each system; ``over`` takes what is too much work."""
    names = corpus.annotators
    if len(names) < 2:
        raise MissingLayerError(
            f"{counted(len(names), 'layer')} in the corpus; gold and at least one system are"
            " needed: pass a second file, or --columns gold=1,mine=2"
        )
    gold = names[0] if gold is None else gold
    check_known([gold], names, "gold")
    for name in names:
        check_layer(corpus, name, match, chance)
    report_progress = progress or (lambda done, total: None)
    report_progress(0, len(names))
    profiles, placed = place_layers(corpus, names, chance)
    labels = max(1, len(corpus.labels))
    tallied: dict[str, Tallies] = {}
    for done, name in enumerate((name for name in names if name != gold), 1):
        report_progress(done, len(names))
        over[name] = Counter()
        tallied[name] = tallies(placed[gold], placed[name], profiles, match, labels, over[name])
    report_progress(len(names), len(names))
    return gold, tallied


def _draw(
    counts: CountedSystems, tallied: Mapping[str, Tallies], resampling: Resampling
) -> Replicates:
    """Return what a block adds in every resample to the columns of each system and label."""
    columns = [
        Entries(
            [(name, label, column) for label in counts.sums[name]],
            entries.label.clip(0),
            entries.document,
            getattr(entries, column),
        )
        for name, entries in tallied.items()
        for column in COLUMNS
    ]
    return replicates(counts.ids, columns, resampling)
