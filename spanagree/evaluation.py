"""Systems against a gold annotation: raw scores, what luck alone would give, and beyond luck."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.arrow import to_arrow
from spanagree.blocks import (
    Block,
    each_block,
    merged,
    merged_settings,
    notes_of_blocks,
    settings_of_blocks,
)
from spanagree.caveats import caveats
from spanagree.chance.placement import CHANCES
from spanagree.corpus import Corpus
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    counted,
    one_of,
    printable,
)
from spanagree.poisson import (
    Entries,
    Replicates,
    percentile_intervals,
    poisson_resampling,
    poisson_settings,
    replicates,
)
from spanagree.resample import Resampling, all_figures, intervals
from spanagree.shown import Shown
from spanagree.signature import signature
from spanagree.similarity import check_layer, find_match, place_layers, tallies
from spanagree.tally import (
    NO_TALLY,
    UNDEFINED,
    Score,
    Tallies,
    Tally,
    TallySum,
    corrected,
    plain,
    undefined,
)
from spanagree.version import __version__

_COLUMNS = ("matched", "expected", "size_a", "size_b")  # of a tally
_TIE = 1e-12  # scores closer than this are the same score


class Rank(NamedTuple):
    """A system's place by F1, from 1; ties share the better one, an undefined F1 has None."""

    observed: int | None
    corrected: int | None


class Macro(NamedTuple):
    """Means over labels: of the observed and of the expected scores; corrected from these two.

    A label of which the score is undefined is left out of the mean.
    """

    precision: Score
    recall: Score
    f1: Score


@dataclass(frozen=True)
class System:
    """How one system did.

    Attributes:
        name: the layer's name.
        documents: how many documents both the gold annotator and the system saw.
        tally: the counts over all of them; precision, recall and f1 derive from it.
        labels: a tally for each label; empty for a measure that disregards labels.
        macro: means over the labels.
        rank: place among the systems by F1.
        tallies: the tallies of every document and label, as columns; ``None`` over blocks.
        shared: which documents both saw, a mask; ``None`` over blocks.
    """

    name: str
    documents: int
    tally: Tally
    labels: Mapping[str, Tally]
    macro: Macro
    rank: Rank
    tallies: Tallies | None = field(repr=False, compare=False)
    shared: Bools | None = field(repr=False, compare=False)

    def kept(self) -> tuple[Tallies, Bools]:
        """The tallies of every document, and which documents both saw.

        Raises:
            SettingError: for an evaluation over blocks, which keeps sums only.
        """
        if self.tallies is None or self.shared is None:
            raise SettingError(
                "single documents are not kept over blocks; an evaluation of one corpus keeps them"
            )
        return self.tallies, self.shared

    @property
    def precision(self) -> Score:
        """Over all documents and labels (micro-average)."""
        return self._shared(self.tally.precision)

    @property
    def recall(self) -> Score:
        """Over all documents and labels (micro-average)."""
        return self._shared(self.tally.recall)

    @property
    def f1(self) -> Score:
        """Over all documents and labels (micro-average)."""
        return self._shared(self.tally.f1)

    def _shared(self, score: Score) -> Score:
        return score if self.documents else undefined("no document shared with gold")


@dataclass(frozen=True)
class Evaluation(Shown):
    """The result of :func:`evaluate`.

    Attributes:
        systems: by name, in the order of the corpus.
        documents: the number of documents of the corpus.
        document_ids: their names; without them they are numbered from 1.
        settings: what made the numbers.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.
        label_names: the labels of the corpus.
    """

    systems: Mapping[str, System]
    documents: int
    document_ids: tuple[str, ...] | None
    settings: Mapping[str, Any]
    notes: tuple[str, ...]
    label_names: tuple[str, ...]

    @property
    def signature(self) -> str:
        """The settings that made the numbers, and the version, in one line."""
        return signature(self.settings)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        return tuple(
            said
            for system in self.systems.values()
            for said in caveats(printable(system.name), system.f1, system.documents, "document")
        )

    def over(self, documents: Ints) -> Evaluation:
        """The same systems over some of the documents, by number from 0; ranks are anew.

        Document numbers and names stay those of the whole.
        """
        kept = {name: system.kept() for name, system in self.systems.items()}
        (size,) = {len(shared) for _, shared in kept.values()}
        chosen = np.zeros(size, np.bool_)
        chosen[documents] = True
        systems = {
            name: (tallies.where(chosen[tallies.document]), shared & chosen)
            for name, (tallies, shared) in kept.items()
        }
        of_label = find_match(self.settings["match"]).of_label
        chosen_systems = _systems(systems, self.label_names, of_label)
        result = replace(self, systems=chosen_systems, documents=len(documents))
        if "ci" not in self.settings:
            return result
        return _with_intervals(result, Resampling.of(self.settings))

    def by_document(self, system: str) -> Iterator[tuple[str, Tally]]:
        """Name and tally of each document that has a segment, of gold or of the system.

        Raises:
            SettingError: for an unknown system.
        """
        check_choice(system, self.systems, "system")
        of, _ = self.systems[system].kept()
        for d in np.unique(of.document).tolist():
            yield self.document_ids[d] if self.document_ids else str(d + 1), of.of_document(d)

    def to_dict(self, by: str | None = None) -> dict[str, Any]:
        """The result as plain data, for JSON; undefined is ``None``.

        ``by="document"`` adds the tallies and scores of each document that has a segment.

        Raises:
            SettingError: if ``by`` is not one of :data:`BY`.
        """
        _check_by(by)
        systems = []
        for system in self.systems.values():
            entry: dict[str, Any] = {
                "name": system.name,
                "documents": system.documents,
                **_figures(Macro(system.precision, system.recall, system.f1)),
                "tally": _counts(system.tally),
                "rank": system.rank._asdict(),
                "macro": _figures(system.macro),
                "labels": {label: _entry(tally) for label, tally in system.labels.items()},
            }
            if by == "document":
                entry["by_document"] = [
                    {"id": name, **_entry(tally)} for name, tally in self.by_document(system.name)
                ]
            systems.append(entry)
        return {
            "signature": self.signature,
            "settings": dict(self.settings),
            "documents": self.documents,
            "notes": list(self.notes),
            "caveats": list(self.caveats),
            "systems": systems,
        }

    def to_rows(self, by: str | None = None) -> list[dict[str, Any]]:
        """The result as flat rows, for CSV or a data frame; undefined is ``nan`` or ``None``.

        A row for each system; with ``by`` a row for each label or document, then one with the
        averages.

        Raises:
            SettingError: if ``by`` is not one of :data:`BY`.

        >>> corpus = Corpus.from_segments([9], {"a": [[(0, 2, "PER")]], "b": [[(0, 2, "PER")]]})
        >>> [(row["label"], row["f1_observed"]) for row in evaluate(corpus).to_rows("label")]
        [('PER', 1.0), ('', 1.0), ('', 1.0)]
        """
        _check_by(by)
        rows = []
        last = {"signature": self.signature}
        ci = "ci" in self.settings
        for system in self.systems.values():
            name = {"system": system.name}
            whole = {"documents": system.documents}
            ranks = {f"rank_{kind}": place for kind, place in system.rank._asdict().items()}
            if by is None:
                rows.append(
                    {**name, **whole, **_flat(system, ci), **_sizes(system.tally), **ranks, **last}
                )
                continue
            parts = system.labels.items() if by == "label" else self.by_document(system.name)
            for part, tally in parts:
                figures = {**_flat(tally, ci), **_sizes(tally)}
                rows.append({**name, by: part, "average": "", **figures, **last})
            micro = {**_flat(system, ci), **_sizes(system.tally)}
            rows.append({**name, by: "", "average": "micro", **micro, **last})
            if system.labels and by == "label":
                nothing = dict.fromkeys(_sizes(system.tally))
                rows.append(
                    {
                        **name,
                        by: "",
                        "average": "macro",
                        **_flat(system.macro, ci),
                        **nothing,
                        **last,
                    }
                )
        return rows

    def to_arrow(self, by: str | None = None) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        return to_arrow(self.to_rows(by))


def _check_by(by: str | None) -> None:
    if by is not None:
        check_choice(by, BY, "by")


def _flat(of: Tally | Macro | System, ci: bool) -> dict[str, float]:
    """The figures of each score; with ``ci`` the ends of their intervals, if only ``nan``."""
    kinds = ("observed", "expected", "corrected")
    named = {name: getattr(of, name) for name in Macro._fields}
    flat = {f"{n}_{kind}": getattr(score, kind) for n, score in named.items() for kind in kinds}
    for name, score in named.items() if ci else ():
        for kind in kinds:
            ends = getattr(score.interval, kind, (UNDEFINED, UNDEFINED))
            flat |= {f"{name}_{kind}_low": ends[0], f"{name}_{kind}_high": ends[1]}
    return flat


def _sizes(tally: Tally) -> dict[str, float]:
    return {
        "matched": tally.matched,
        "expected": tally.expected,
        "size_gold": tally.size_a,
        "size_system": tally.size_b,
    }


def _counts(tally: Tally) -> dict[str, float]:
    """A tally in the words of an evaluation."""
    return {
        "matched": tally.matched,
        "expected": tally.expected,
        "gold": tally.size_a,
        "system": tally.size_b,
    }


BY = {"label": "a row for each label", "document": "a row for each document that has a segment"}
"""What a report can be broken down by."""


def evaluate(
    corpus: Corpus | Iterable[Block],
    gold: str | None = None,
    *,
    match: str = "exact",
    chance: str = "nonoverlapping",
    ci: bool = False,
    confidence: float = 95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: str | None = None,
    executor: Executor | None = None,
    on_error: str = "raise",
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Precision, recall and F1 of systems against a gold annotation, raw and beyond luck.

    The expected scores are those of two independent random annotations that keep the number,
    lengths and labels of the segments of either side in every document (Li et al. 2024). They
    are exact: nothing is simulated.

    Args:
        corpus: gold and systems as layers; or blocks of a corpus that is too large for memory: an
            iterable of corpora, or of functions without arguments that give them. Over blocks the
            figures are the same to the last digit, but single documents are not kept.
        gold: the name of the gold layer; the first unless named. All others are systems.
        match: the measure, one of :data:`spanagree.similarity.MATCHES`.
        chance: the chance model, one of :data:`spanagree.chance.CHANCES`.
        ci: confidence intervals for every figure, by resampling documents: a score's ``interval``.
        confidence: of the intervals, in per cent.
        resamples: how many; with the same ``seed`` the digits are the same, in whatever order the
            documents come.
        seed: a whole number from 0.
        interval: how intervals are made, one of :data:`spanagree.resample.INTERVALS`; ``bca``
            unless given. Over blocks percentile, of a Poisson bootstrap that draws by the
            documents' ids.
        executor: of blocks: any ``concurrent.futures.Executor``, whose workers do the work.
        on_error: of blocks that fail, one of :data:`spanagree.blocks.ON_ERROR`.
        progress: called with the number of steps done and of all: the chance model, and a step
            for each system; or with the number of blocks done.

    Raises:
        SettingError: for an unknown name, a number out of range, fewer than two layers, or a layer
            that overlaps itself where the measure or the chance model does not allow it.
        InputError: for blocks that fail, or do not go together.

    >>> corpus = Corpus.from_segments(
    ...     [10], {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
    ... )
    >>> f1 = evaluate(corpus, gold="gold").systems["mine"].f1
    >>> round(f1.observed, 3), round(f1.expected, 3), round(f1.corrected, 3)
    (0.667, 0.074, 0.64)
    """
    if not isinstance(corpus, Corpus):
        find_match(match)
        check_choice(chance, CHANCES, "chance")
        drawing = poisson_resampling(ci, confidence, resamples, seed, interval)
        work = functools.partial(part_of, gold=gold, match=match, chance=chance, resampling=drawing)
        done = each_block(corpus, work, executor=executor, on_error=on_error, progress=progress)
        return _over_blocks(*merged(done, _merged, "evaluate"), drawing)
    resampling = Resampling(confidence, resamples, seed, interval or "bca") if ci else None
    if executor is not None:
        raise SettingError("executor: for blocks; one corpus is evaluated here")
    gold, columns, shared, notes = _compared(corpus, gold, match, chance, progress)
    result = evaluation_of(
        {name: (columns[name], shared[name]) for name in columns},
        corpus.labels,
        len(corpus),
        corpus.ids,
        _settings(gold, match, chance, corpus.offsets, corpus.reading),
        (*corpus.notes, *notes),
    )
    return result if resampling is None else _with_intervals(result, resampling)


def evaluation_of(
    tallied: Mapping[str, tuple[Tallies, Bools]],
    labels: tuple[str, ...],
    documents: int,
    ids: tuple[str, ...] | None,
    settings: Mapping[str, Any],
    notes: tuple[str, ...],
) -> Evaluation:
    """The result for systems of which the tallies, and who shared what with gold, are known."""
    systems = _systems(tallied, labels, find_match(settings["match"]).of_label)
    return Evaluation(systems, documents, ids, settings, notes, labels)


def with_intervals(
    evaluation: Evaluation,
    *,
    confidence: float = 95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: str = "bca",
) -> Evaluation:
    """The same evaluation with confidence intervals, as ``evaluate(…, ci=True)`` gives.

    Raises:
        SettingError: for a number out of range, or an evaluation over blocks.
    """
    return _with_intervals(evaluation, Resampling(confidence, resamples, seed, interval))


def _settings(
    gold: str, match: str, chance: str, offsets: str, reading: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "gold": gold,
        "match": match,
        "chance": chance,
        "average": "micro",
        "offsets": offsets,
        **reading,
        "version": __version__,
    }


def _compared(
    corpus: Corpus,
    gold: str | None,
    match: str,
    chance: str,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[str, dict[str, Tallies], dict[str, Bools], list[str]]:
    """Gold's name, the tallies of each system, the documents it shares with gold, and notes."""
    find_match(match)
    names = corpus.annotators
    if len(names) < 2:
        raise SettingError(
            f"{counted(len(names), 'layer')} in the corpus; gold and at least one"
            " system are needed: a second file, or columns for both"
        )
    gold = names[0] if gold is None else gold
    if gold not in names:
        raise one_of(gold, map(printable, names), "gold")
    for name in names:
        check_layer(corpus, name, match, chance)
    others = [name for name in names if name != gold]
    told = progress or (lambda done, total: None)
    told(0, len(names))
    profiles, placed = place_layers(corpus, names, chance)
    columns: dict[str, Tallies] = {}
    for done, name in enumerate(others, 1):
        told(done, len(names))
        columns[name] = tallies(
            placed[gold], placed[name], profiles, match, max(1, len(corpus.labels))
        )
    told(len(names), len(names))
    annotated = {name: corpus.layers[name].annotated for name in names}
    shared = {name: annotated[gold] & annotated[name] for name in others}
    unshared = {name: len(corpus) - int(both.sum()) for name, both in shared.items()}
    notes = [
        f"{printable(name)}: {number} of {len(corpus)} documents not shared with gold, left out"
        for name, number in unshared.items()
        if number
    ]
    return gold, columns, shared, notes


def _systems(
    of: Mapping[str, tuple[Tallies, Bools]], labels: tuple[str, ...], of_label: bool
) -> dict[str, System]:
    """Systems with their ranks, from their tallies and the documents that they share with gold."""
    totals = {name: columns.total() for name, (columns, _) in of.items()}
    ranks = _ranks_of(list(totals.values()))
    systems = {}
    for (name, (columns, shared)), rank in zip(of.items(), ranks, strict=True):
        by_label = columns.by_label(labels) if of_label else {}
        systems[name] = System(
            name,
            int(shared.sum()),
            totals[name],
            by_label,
            _macro(by_label.values(), of_label),
            rank,
            columns,
            shared,
        )
    return systems


# --- over blocks --------------------------------------------------------------------------------


class _Part(NamedTuple):
    """What is counted in one block, or in several."""

    documents: int
    annotators: tuple[str, ...]
    settings: Mapping[str, Any]
    shared: Mapping[str, int]
    totals: Mapping[str, TallySum]
    labels: Mapping[str, Mapping[str, TallySum]]  # of each system
    label_names: tuple[str, ...]
    notes: tuple[str, ...]
    replicates: Replicates | None = None  # by system, label and column of the tally


def part_of(
    corpus: Corpus, *, gold: str | None, match: str, chance: str, resampling: Resampling | None
) -> _Part:
    """What one block adds to an evaluation."""
    gold, columns, shared, notes = _compared(corpus, gold, match, chance)
    label_names = corpus.labels if find_match(match).of_label else ()
    by_label: dict[str, dict[str, TallySum]] = {}
    for name, of in columns.items():
        sums = TallySum.each(of, of.label, len(label_names)) if label_names else []
        by_label[name] = dict(zip(label_names, sums, strict=True))
    return _Part(
        len(corpus),
        corpus.annotators,
        _settings(gold, match, chance, corpus.offsets, corpus.reading),
        {name: int(both.sum()) for name, both in shared.items()},
        {name: TallySum.of(of) for name, of in columns.items()},
        by_label,
        label_names,
        (*corpus.notes, *notes),
        None if resampling is None else _drawn(corpus, columns, label_names, resampling),
    )


def _drawn(
    corpus: Corpus,
    columns: Mapping[str, Tallies],
    label_names: Sequence[str],
    resampling: Resampling,
) -> Replicates:
    """What a block adds in every resample to the columns of each system and label."""
    labels = label_names or ("",)
    entries = [
        Entries(
            [(name, label, column) for label in labels],
            of.label.clip(0),
            of.document,
            getattr(of, column),
        )
        for name, of in columns.items()
        for column in _COLUMNS
    ]
    return replicates(corpus, entries, resampling)


def _merged(one: _Part, other: _Part, number: int) -> _Part:
    """Two parts together; ``number`` is that of the later block.

    Raises:
        InputError: for other annotators, or other settings, naming both.
    """
    if one.annotators != other.annotators:
        raise InputError(
            f"block {number}: annotators {', '.join(map(printable, other.annotators))}; the blocks"
            f" before have {', '.join(map(printable, one.annotators))}"
        )
    settings = merged_settings(one.settings, other.settings, f"block {number}")
    names = tuple(sorted({*one.label_names, *other.label_names}))
    return _Part(
        one.documents + other.documents,
        one.annotators,
        settings,
        {name: one.shared[name] + other.shared[name] for name in one.shared},
        {name: one.totals[name].plus(other.totals[name]) for name in one.totals},
        {
            name: {
                label: one.labels[name]
                .get(label, NO_TALLY)
                .plus(other.labels[name].get(label, NO_TALLY))
                for label in names
            }
            for name in one.labels
        },
        names,
        (*one.notes, *other.notes),
        one.replicates.plus(other.replicates) if one.replicates and other.replicates else None,
    )


def _over_blocks(whole: _Part, skipped: Sequence[str], resampling: Resampling | None) -> Evaluation:
    """The result of all blocks together."""
    settings = whole.settings
    if resampling is not None and whole.replicates is not None:
        whole.replicates.check()
        settings = {**settings, **poisson_settings(resampling), "version": __version__}

    def with_ends(name: str, tally: Tally, labels: Sequence[str]) -> Tally:
        return tally if resampling is None else _with_ends(whole, resampling, name, tally, labels)

    all_labels = whole.label_names or ("",)
    ranks = _ranks_of([sums.tally for sums in whole.totals.values()])
    systems = {}
    for (name, sums), rank in zip(whole.totals.items(), ranks, strict=True):
        labels = {label: of.tally for label, of in whole.labels[name].items()}
        systems[name] = System(
            name,
            whole.shared[name],
            with_ends(name, sums.tally, all_labels),
            {label: with_ends(name, tally, [label]) for label, tally in labels.items()},
            _macro(labels.values(), find_match(settings["match"]).of_label),
            rank,
            None,
            None,
        )
    return Evaluation(
        systems,
        whole.documents,
        None,
        settings_of_blocks(settings, skipped),
        notes_of_blocks(whole.notes, skipped),
        whole.label_names,
    )


def _with_ends(
    whole: _Part, resampling: Resampling, name: str, tally: Tally, labels: Sequence[str]
) -> Tally:
    """The tally of a system over some labels, with intervals."""
    assert whole.replicates is not None  # as resampling was asked for
    drawn = [whole.replicates.over([(name, of, c) for of in labels]) for c in _COLUMNS]
    found = percentile_intervals(
        np.array([getattr(tally, column) for column in _COLUMNS], np.float64),
        np.stack(drawn, axis=1),
        all_figures,
        whole.shared[name],
        resampling,
    )
    return replace(tally, intervals=dict(zip(Macro._fields, found, strict=True)))


def _with_intervals(evaluation: Evaluation, resampling: Resampling) -> Evaluation:
    """The same systems with intervals, over all labels and for each."""
    systems, labels = evaluation.systems, evaluation.label_names
    of, whose = [], []
    for name in sorted(systems):  # so that the order of systems changes no digit
        system = systems[name]
        columns, shared = system.kept()
        documents = np.flatnonzero(shared)
        of.append((documents, columns.table(documents)))
        whose.append((name, ""))
        for code, label in enumerate(labels if system.labels else ()):
            rows = columns.where(columns.label == code)
            of.append((documents, rows.table(documents)))
            whose.append((name, label))
    found = {
        key: dict(zip(Macro._fields, of_scores, strict=True))
        for key, of_scores in zip(whose, intervals(of, all_figures, resampling), strict=True)
    }
    made = {
        name: replace(
            system,
            tally=replace(system.tally, intervals=found[name, ""]),
            labels={
                label: replace(tally, intervals=found[name, label])
                for label, tally in system.labels.items()
            },
        )
        for name, system in systems.items()
    }
    settings = {**evaluation.settings, **resampling.settings(), "version": __version__}
    return replace(evaluation, systems=made, settings=settings)


def _macro(labels: Iterable[Tally], of_label: bool) -> Macro:
    tallied = list(labels)
    nothing = "no label of which it is defined" if of_label else "labels are disregarded"
    return Macro(
        _mean([t.precision for t in tallied], nothing),
        _mean([t.recall for t in tallied], nothing),
        _mean([t.f1 for t in tallied], nothing),
    )


def _mean(scores: Sequence[Score], nothing: str) -> Score:
    defined = [s for s in scores if not math.isnan(s.observed)]
    if not defined:
        return undefined(nothing)
    n = len(defined)
    return corrected(
        math.fsum(s.observed for s in defined) / n, math.fsum(s.expected for s in defined) / n
    )


def _ranks_of(totals: Sequence[Tally]) -> list[Rank]:
    kinds = ("observed", "corrected")
    columns = (_ranks([getattr(tally.f1, kind) for tally in totals]) for kind in kinds)
    return [Rank(*pair) for pair in zip(*columns, strict=True)]


def _ranks(values: Sequence[float]) -> list[int | None]:
    """Place of each value, the greatest first; ties share the better place, nan has None."""
    return [
        None if math.isnan(value) else 1 + sum(other > value + _TIE for other in values)
        for value in values
    ]


def _entry(tally: Tally) -> dict[str, Any]:
    return {
        **_figures(Macro(tally.precision, tally.recall, tally.f1)),
        "tally": _counts(tally),
    }


def _figures(scores: Macro) -> dict[str, Any]:
    """Observed, expected, corrected of each score; where some are undefined, why."""
    named = scores._asdict()
    figures: dict[str, Any] = {
        kind: {name: plain(getattr(score, kind)) for name, score in named.items()}
        for kind in ("observed", "expected", "corrected")
    }
    reasons = {name: score.reason for name, score in named.items() if score.reason}
    if reasons:
        figures["undefined"] = reasons
    if ends := {n: s.interval.to_dict() for n, s in named.items() if s.interval is not None}:
        figures["interval"] = ends
    return figures
