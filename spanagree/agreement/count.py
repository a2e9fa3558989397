"""What one corpus or block adds to an agreement, and how two such counts add."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, Progress, distinct, groups
from spanagree.blocks.counted import Counted
from spanagree.blocks.exact_sums import NO_TALLY, TallySum, added
from spanagree.blocks.ids import Hashes, ids_of
from spanagree.blocks.poisson import Entries, Replicates, replicates
from spanagree.corpus.corpus import Corpus
from spanagree.matching.annotation_pairs import Crowd, compare
from spanagree.matching.measures import find_match
from spanagree.matching.overlap_expected import expected_how, notes_on
from spanagree.matching.overlaps import check_layer
from spanagree.matching.score import f1_figures
from spanagree.matching.tally import Tallies
from spanagree.settings import Settings, chosen_of
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.uncertainty.evidence import both, evidence_of

COLUMNS = ("matched", "expected", "size")  # of a figure, in a resample


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementSettings(Settings):
    """The settings of an agreement; the last three are those of a result, not of counts."""

    match: str
    chance: str
    expected: str | None = None
    team: str = "summed"
    annotators: int | None = None
    min_shared: int | None = None
    luck: bool | None = None


class Kept(NamedTuple):
    """Single documents, which a whole corpus keeps.

    Attributes:
        tallies: of every pair, document and label; their ``document`` counts the documents of
            pairs, which ``pair`` and ``document`` list.
        pair: the number of the pair, of each document of each pair.
        document: the number of the document.
        ids: the names of the documents, if they have any.
        wholes: the number of the whole that each document is a sentence of, if it is known.
    """

    tallies: Tallies
    pair: Ints
    document: Ints
    ids: tuple[str, ...] | None
    wholes: Ints | None = None


@dataclass(frozen=True, kw_only=True)
class CountedPairs(Counted[AgreementSettings]):
    """What is counted of annotators against each other; annotators by name.

    Attributes:
        seen: how many documents two or more annotators saw.
        saw: how many documents each annotator saw.
        seen_without: how many documents two of the others saw, for each annotator.
        pairs: how many documents each pair shares, and its sums.
        labels: the sums of each label; empty for a measure that disregards labels.
        evidence: what the F1 of a part rests on, (1, 3): of the team, whose key is (); of a block
            of which intervals are asked, also of each (label,), (annotator, annotator), and pair
            of annotators, sorted.
        kept: single documents; ``None`` over blocks.
    """

    seen: int
    saw: Mapping[str, int]
    seen_without: Mapping[str, int]
    pairs: Mapping[tuple[str, str], tuple[int, TallySum]]
    labels: Mapping[str, TallySum]
    evidence: Mapping[tuple[str, ...], Ints]
    kept: Kept | None = None

    def _add(self, other: CountedPairs) -> dict[str, Any]:
        names = list(dict.fromkeys([*self.saw, *other.saw]))
        pairs = dict(self.pairs)
        for (a, b), (shared, sums) in other.pairs.items():
            key = (b, a) if (b, a) in pairs else (a, b)
            before, so_far = pairs.get(key, (0, NO_TALLY))
            pairs[key] = before + shared, so_far.plus(sums if key == (a, b) else sums.turned())
        return {
            "seen": self.seen + other.seen,
            "saw": {name: self.saw.get(name, 0) + other.saw.get(name, 0) for name in names},
            "seen_without": {
                # an annotator who is not in a block takes nothing away there
                name: sum(part.seen_without.get(name, part.seen) for part in (self, other))
                for name in names
            },
            "pairs": pairs,
            "labels": added(self.labels, other.labels),
            "evidence": both(self.evidence, other.evidence),
            "kept": None,
        }


def count(
    corpus: Corpus,
    *,
    annotators: Sequence[str] | None,
    match: str,
    chance: str,
    resampling: Resampling | None = None,
    keep: bool = False,
    progress: Progress = None,
) -> CountedPairs:
    """Count what each two annotators of one corpus or block have in common.

    Args:
        corpus: the annotators as layers.
        annotators: the names of those to compare; all unless given. A block need not have all.
        match: the measure.
        chance: the chance model.
        resampling: how to draw resamples over blocks, if intervals are asked for.
        keep: whether single documents are kept, as of a whole corpus.
        progress: called with the number of documents of pairs done, and of all.

    Raises:
        SettingError: for an unknown name, or a layer that overlaps itself where the measure or the
            chance model does not allow it.
    """
    chosen = chosen_of(corpus.annotators, annotators)
    read: dict[str, Any] = {"reading": corpus.reading, "chosen": chosen}
    read["offsets"] = corpus.offsets
    if annotators is not None:
        corpus = corpus.of_annotators(annotators, in_part=not keep)
    names = corpus.annotators
    for name in names:
        check_layer(corpus, name, match, chance)
    crowd = Crowd.of(corpus)
    first, second = crowd.pairs()
    members, pair, shared = distinct(crowd.annotator[first], crowd.annotator[second])
    over: Counter[str] = Counter()
    tallies = compare(corpus, crowd, (first, second), match, chance, progress, over)
    kept = Kept(tallies, pair, crowd.document[first], corpus.ids, corpus.wholes)
    pairs = [(names[i], names[j]) for i, j in zip(*(m.tolist() for m in members), strict=True)]
    sums = TallySum.each(tallies, pair[tallies.document], len(pairs))
    labels = corpus.labels if find_match(match).of_label else ()
    by_label = TallySum.each(tallies, tallies.label, len(labels)) if labels else []
    ids, how = () if keep else ids_of(corpus), expected_how(over)
    drawing = None if keep else resampling
    return CountedPairs(
        documents=len(corpus),
        settings=AgreementSettings(match=match, chance=chance, expected=how, **read),
        notes=(*corpus.notes, *notes_on(over)),
        ids=ids,
        replicates=None if drawing is None else _draw(ids, pairs, labels, kept, drawing),
        seen=len(np.unique(kept.document)),
        saw={name: int(layer.annotated.sum()) for name, layer in corpus.layers.items()},
        seen_without=dict(zip(names, _seen_without(len(names), members, kept), strict=True)),
        pairs=dict(zip(pairs, zip(shared.tolist(), sums, strict=True), strict=True)),
        labels=dict(zip(labels, by_label, strict=True)),
        evidence=_evidence(kept, members, names, labels, each=drawing is not None),
        kept=kept if keep else None,
    )


def _evidence(
    kept: Kept, members: Sequence[Ints], names: Sequence[str], labels: Sequence[str], each: bool
) -> dict[tuple[str, ...], Ints]:
    """Return what the F1 of the team rests on, and of each part if that is asked for."""
    parts: list[tuple[str, ...]] = [()]
    if each:  # in the order of tables_of
        parts += [(label,) for label in labels] + [(name, name) for name in names]
        parts += [tuple(sorted((names[i], names[j]))) for i, j in zip(*members, strict=True)]
    tables = tables_of(kept, members, len(names), len(labels))
    # only the tables of these parts are made
    return {p: evidence_of(t, f1_figures) for p, (_, t) in zip(parts, tables, strict=False)}


def tables_of(
    kept: Kept, members: Sequence[Ints], annotators: int, labels: int
) -> Iterator[tuple[Ints, Floats]]:
    """Yield the documents of the team, and of each label, annotator and pair, and what each adds.

    Args:
        kept: single documents.
        members: the numbers of the first and of the second annotator of each pair.
        annotators: how many there are.
        labels: how many there are, of a measure that regards them.

    Yields:
        The numbers of documents, and what they add to matched, expected and size; (documents, 3).
    """
    rows = kept.tallies
    pair, by_document = (
        kept.pair[rows.document],
        replace(rows, document=kept.document[rows.document]),
    )

    def table(chosen: Ints | slice, documents: Ints) -> tuple[Ints, Floats]:
        sums = by_document.where(chosen).table(documents)
        return documents, np.stack((sums[:, 0], sums[:, 1], sums[:, 2] + sums[:, 3]), axis=1)

    def by_member(which: Ints) -> list[Ints]:
        """Return for each annotator where a pair stands of which she is one."""
        who = np.concatenate([side[which] for side in members])
        return [i % max(len(which), 1) for i in groups(who, annotators)]

    seen = np.unique(kept.document)
    yield table(slice(None), seen)
    for chosen in groups(rows.label, labels) if labels else ():
        yield table(chosen, seen)
    for split in (by_member, lambda which: groups(which, len(members[0]))):
        for chosen, where in zip(split(pair), split(kept.pair), strict=True):
            yield table(chosen, np.unique(kept.document[where]))


def _seen_without(annotators: int, members: Sequence[Ints], kept: Kept) -> list[int]:
    """Return for each annotator how many documents two of the others saw."""
    count = np.bincount(kept.document)
    # a document is lost without an annotator who takes part in all of its pairs
    who = np.concatenate([side[kept.pair] for side in members])
    (lost, without), _, mine = distinct(np.tile(kept.document, 2), who)
    every = np.bincount(without[mine == count[lost]], minlength=annotators)
    return (np.count_nonzero(count) - every).tolist()


def _draw(
    ids: Sequence[Hashes],
    pairs: Sequence[tuple[str, str]],
    labels: Sequence[str],
    kept: Kept,
    resampling: Resampling,
) -> Replicates:
    """Return what a block adds in every resample to the columns of each pair and label."""
    rows = kept.tallies
    values = (rows.matched, rows.expected, rows.size_a + rows.size_b)
    keys = [tuple(sorted(names)) for names in pairs]
    entries = [
        Entries([(*key, column) for key in whose], which, kept.document[rows.document], value)
        for whose, which in (
            (keys, kept.pair[rows.document]),
            ([(label,) for label in labels], rows.label),
        )
        if whose
        for column, value in zip(COLUMNS, values, strict=True)
    ]
    return replicates(ids, entries, resampling)
