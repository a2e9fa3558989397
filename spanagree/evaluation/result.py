"""How systems did against a gold annotation: raw, by luck alone, and beyond luck."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.errors import SettingError, check_choice, printable
from spanagree.matching.measures import find_match
from spanagree.matching.score import UNDEFINED, Score, all_figures, corrected, plain, undefined
from spanagree.matching.tally import Tallies, Tally
from spanagree.rendering.data import to_arrow
from spanagree.results import Shown, caveats
from spanagree.settings import __version__, signature
from spanagree.uncertainty.bootstrap import Resampling, intervals

_NAMED = 5  # labels in a note


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
    """The result of :func:`spanagree.evaluate`.

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
        chosen_systems = systems_of(systems, self.label_names, of_label)
        result = replace(self, systems=chosen_systems, documents=len(documents))
        if "ci" not in self.settings:
            return result
        return resampled(result, Resampling.of(self.settings))

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

        >>> import spanagree as sa
        >>> one = [[(0, 2, "PER")]]
        >>> result = sa.evaluate(sa.Corpus.from_segments([9], {"a": one, "b": one}))
        >>> [(row["label"], row["f1_observed"]) for row in result.to_rows("label")]
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


def evaluation_of(
    tallied: Mapping[str, tuple[Tallies, Bools]],
    labels: tuple[str, ...],
    documents: int,
    ids: tuple[str, ...] | None,
    settings: Mapping[str, Any],
    notes: tuple[str, ...],
) -> Evaluation:
    """The result for systems of which the tallies, and who shared what with gold, are known."""
    systems = systems_of(tallied, labels, find_match(settings["match"]).of_label)
    said = notes_on(systems.values(), documents)
    return Evaluation(systems, documents, ids, settings, (*notes, *said), labels)


def notes_on(systems: Iterable[System], documents: int) -> list[str]:
    """Of which systems documents are left out, or no label is one of gold's."""
    said = []
    for system in systems:
        name, left_out = printable(system.name), documents - system.documents
        if left_out:
            said.append(
                f"{name}: {left_out} of {documents} documents not shared with gold, left out"
            )
        gold = [label for label, tally in system.labels.items() if tally.size_a]
        own = [label for label, tally in system.labels.items() if tally.size_b]
        if gold and own and not set(gold) & set(own):
            of_gold, of_it = (", ".join(map(printable, sorted(x)[:_NAMED])) for x in (gold, own))
            said.append(f"{name}: no label in common; gold has {of_gold}, it {of_it}")
    return said


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
    return resampled(evaluation, Resampling(confidence, resamples, seed, interval))


def systems_of(
    of: Mapping[str, tuple[Tallies, Bools]], labels: tuple[str, ...], of_label: bool
) -> dict[str, System]:
    """Systems with their ranks, from their tallies and the documents that they share with gold."""
    totals = {name: columns.total() for name, (columns, _) in of.items()}
    ranks = ranks_of(list(totals.values()))
    systems = {}
    for (name, (columns, shared)), rank in zip(of.items(), ranks, strict=True):
        by_label = columns.by_label(labels) if of_label else {}
        systems[name] = System(
            name,
            int(shared.sum()),
            totals[name],
            by_label,
            macro_of(by_label.values(), of_label),
            rank,
            columns,
            shared,
        )
    return systems


def resampled(evaluation: Evaluation, resampling: Resampling) -> Evaluation:
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


def macro_of(labels: Iterable[Tally], of_label: bool) -> Macro:
    """The means over labels, of a measure that is one of labels."""
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


def ranks_of(totals: Sequence[Tally]) -> list[Rank]:
    """The places of systems by their F1, raw and corrected."""
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
