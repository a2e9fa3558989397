"""Annotators against each other: pairs, each against the rest, the team.

The paper on chance stops at two annotators who see everything. Tallies add, so a team's is the sum
over its pairs, and a pair's the sum over the documents that both saw. Only F1 is reported: which
of two annotators is asked for precision would be arbitrary.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, distinct, groups
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
from spanagree.corpus import Corpus
from spanagree.crowd import Crowd, compare
from spanagree.errors import SettingError, check_choice, check_whole, counted, show
from spanagree.poisson import (
    Entries,
    Replicates,
    percentile_intervals,
    poisson_resampling,
    poisson_settings,
    replicates,
)
from spanagree.resample import (
    Bootstrap,
    Resampling,
    Sample,
    bootstrap,
    f1_figures,
    intervals,
    three,
)
from spanagree.shown import Shown
from spanagree.signature import signature
from spanagree.similarity import check_layer, find_match
from spanagree.tally import (
    NO_TALLY,
    UNDEFINED,
    Interval,
    Score,
    Tallies,
    Tally,
    TallySum,
    plain,
    total,
    undefined,
)
from spanagree.version import __version__

_DENSE = 1 << 24  # cells of documents and pairs; of more, only those that are filled are kept
MIN_SHARED = 10  # documents; a pair's figure over fewer is marked

BY = {
    "pair": "a row for each pair that shares a document",
    "annotator": "a row for each annotator: against all others, and the team without",
    "label": "a row for each label",
    "document": "a row for each document that two annotators saw and one marked something in",
}
"""What a report can be broken down by."""


class Figures(NamedTuple):
    """A number for each of the three figures of a score."""

    observed: float
    expected: float
    corrected: float


@dataclass(frozen=True)
class Mean:
    """The mean over pairs of annotators, each pair counted once whatever it shares.

    Attributes:
        observed: the mean of the pairs' observed F1.
        expected: the mean of their expected F1.
        corrected: the mean of their corrected F1.
        sd: the standard deviations over the pairs, with their number as divisor.
        pairs: over how many pairs each mean runs: those for which the figure is defined.
        reason: why the means are undefined, if they are.
    """

    observed: float
    expected: float
    corrected: float
    sd: Figures
    pairs: Figures
    reason: str = ""
    interval: Interval | None = None


@dataclass(frozen=True)
class Pair:
    """Two annotators over the documents that both saw.

    ``few``: they share fewer documents than the number asked for, so the figures are shaky.
    ``size_a`` of the tally belongs to ``a``, ``size_b`` to ``b``.
    """

    a: str
    b: str
    documents: int
    tally: Tally
    few: bool

    @property
    def f1(self) -> Score:
        """Over the documents shared; undefined if there are none or nothing is marked in them."""
        return self.tally.f1 if self.documents else undefined("no document shared")


@dataclass(frozen=True)
class Team:
    """All pairs together: their tallies summed, so documents that many saw weigh more.

    ``pairs`` share a document; ``documents`` were seen by two annotators or more.
    """

    pairs: int
    documents: int
    tally: Tally
    reason: str = ""

    @property
    def f1(self) -> Score:
        """From the summed tallies."""
        return undefined(self.reason) if self.reason else self.tally.f1


@dataclass(frozen=True)
class Member:
    """One annotator against all others, and the team without.

    Attributes:
        name: the annotator.
        documents: how many documents the annotator saw.
        pairs: with how many others a document is shared.
        tally: summed over these pairs; ``size_a`` is the annotator's.
        without: the team without the annotator.
        rise: by how much the team's figures rise without the annotator.
    """

    name: str
    documents: int
    pairs: int
    tally: Tally
    without: Team
    rise: Figures

    @property
    def f1(self) -> Score:
        """Against all others."""
        return self.tally.f1 if self.pairs else undefined("no document shared with another")


class Pairs(Mapping[tuple[str, str], Pair]):
    """The pairs of annotators that share a document, in the order of the corpus.

    A pair is found by its names in either order. Asked for two annotators who share no document,
    it gives a pair whose F1 is undefined; such pairs are not counted and not listed.
    """

    def __init__(
        self, names: Sequence[str], members: Sequence[tuple[int, int]], pairs: Sequence[Pair]
    ) -> None:
        self._names = {name: i for i, name in enumerate(names)}
        self._pairs = dict(zip(members, pairs, strict=True))

    @property
    def members(self) -> Iterator[tuple[int, int]]:
        """The numbers of the two annotators of each pair."""
        return iter(self._pairs)

    def __getitem__(self, names: tuple[str, str]) -> Pair:
        """The pair of these two annotators.

        Raises:
            KeyError: for a name that is not there, or twice the same.
        """
        i, j = self._members(names)
        if (found := self._pairs.get((min(i, j), max(i, j)))) is not None:
            return found
        first, second = sorted(names, key=self._names.__getitem__)
        return Pair(first, second, 0, Tally(), True)

    def _members(self, names: tuple[str, str]) -> tuple[int, int]:
        known = isinstance(names, tuple) and len(names) == 2 and names[0] != names[1]
        if not known or not all(name in self._names for name in names):
            raise KeyError(f"{show(names)}: two of {', '.join(self._names)} are needed")
        return self._names[names[0]], self._names[names[1]]

    def __contains__(self, names: object) -> bool:
        try:
            i, j = self._members(names)  # type: ignore[arg-type]  # anything may be asked for
        except (KeyError, TypeError):
            return False
        return (min(i, j), max(i, j)) in self._pairs

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((pair.a, pair.b) for pair in self._pairs.values())

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return f"<Pairs: {len(self)} of {counted(len(self._names), 'annotator')}>"

    def values(self) -> Any:
        """The pairs themselves."""
        return self._pairs.values()


@dataclass(frozen=True)
class Agreement(Shown):
    """The result of :func:`agree`.

    Attributes:
        team: the tallies summed over all pairs.
        mean: the mean over pairs, with its population standard deviation.
        pairs: by the names of two annotators, in either order.
        annotators: by name, each against the rest.
        labels: the team by label; empty for a measure that disregards labels.
        documents: the number of documents of the corpus.
        document_ids: their names; without them they are numbered from 1.
        settings: what made the numbers.
        notes: what a reader repaired or passed over.
        tallies: the tallies of every pair, document and label: its ``document`` counts the
            documents of pairs, which ``pair_documents`` lists.
        pair_documents: the number of the pair and of the document, for each document of each pair.
            Over blocks both are ``None``.
    """

    team: Team
    mean: Mean
    pairs: Pairs
    annotators: Mapping[str, Member]
    labels: Mapping[str, Tally]
    documents: int
    document_ids: tuple[str, ...] | None
    settings: Mapping[str, Any]
    notes: tuple[str, ...]
    tallies: Tallies | None = field(repr=False, compare=False)
    pair_documents: tuple[Ints, Ints] | None = field(repr=False, compare=False)

    @property
    def signature(self) -> str:
        """The settings that made the numbers, and the version, in one line."""
        return signature(self.settings)

    def kept(self) -> tuple[Tallies, tuple[Ints, Ints]]:
        """The tallies of every pair and document, and the number of both.

        Raises:
            SettingError: for an agreement over blocks, which keeps sums only.
        """
        if self.tallies is None or self.pair_documents is None:
            raise SettingError(
                "single documents are not kept over blocks; an agreement of one corpus keeps them"
            )
        return self.tallies, self.pair_documents

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        return tuple(caveats("team", self.team.f1, self.team.documents, "document"))

    @cached_property
    def few(self) -> int:
        """How many pairs share fewer documents than the number asked for."""
        return sum(pair.few for pair in self.pairs.values())

    def matrix(self, figure: str = "corrected") -> Floats:
        """The F1 of each annotator with each other, both in the order of ``annotators``.

        Undefined figures, pairs that share nothing, and the diagonal are ``nan``.

        Raises:
            SettingError: if ``figure`` is not observed, expected or corrected.

        >>> corpus = Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]]})
        >>> agree(corpus).matrix()
        array([[nan,  1.],
               [ 1., nan]])
        """
        check_choice(figure, Figures._fields, "figure")
        place = {name: i for i, name in enumerate(self.annotators)}
        matrix = np.full((len(place), len(place)), np.nan)
        for pair in self.pairs.values():
            i, j = place[pair.a], place[pair.b]
            matrix[i, j] = matrix[j, i] = getattr(pair.f1, figure)
        return matrix

    def by_document(self) -> Iterator[tuple[str, int, Tally]]:
        """Name, number of annotators who saw it, and tally over their pairs, of each document.

        Documents that fewer than two saw, or in which nothing is marked, are left out.

        Raises:
            SettingError: for an agreement over blocks, which keeps sums only.
        """
        tallies, (_, document) = self.kept()
        of = document[tallies.document]
        pairs = np.bincount(document, minlength=self.documents)
        sums = tallies.totals(of, self.documents)
        for d in np.unique(of).tolist():
            saw = round((1 + math.sqrt(1 + 8 * int(pairs[d]))) / 2)  # from the number of pairs
            yield self.document_ids[d] if self.document_ids else str(d + 1), saw, sums[d]

    def to_dict(self, by: str | None = None) -> dict[str, Any]:
        """The result as plain data, for JSON; undefined is ``None``.

        ``by="document"`` adds the tallies and scores of each document.

        Raises:
            SettingError: if ``by`` is not one of :data:`BY`.
        """
        _check_by(by)
        mean = {name: getattr(self.mean, name) for name in Figures._fields}
        data: dict[str, Any] = {
            "signature": self.signature,
            "settings": dict(self.settings),
            "documents": self.documents,
            "notes": list(self.notes),
            "caveats": list(self.caveats),
            "team": _team(self.team),
            "mean": {
                **mean,
                "sd": self.mean.sd._asdict(),
                "pairs": self.mean.pairs._asdict(),
                **({"undefined": self.mean.reason} if self.mean.reason else {}),
                **({"interval": ends.to_dict()} if (ends := self.mean.interval) else {}),
            },
            "pairs": [
                {
                    "annotators": [pair.a, pair.b],
                    "documents": pair.documents,
                    "few": pair.few,
                    "f1": pair.f1.to_dict(),
                    "tally": {
                        **_counts(pair.tally),
                        "sizes": [pair.tally.size_a, pair.tally.size_b],
                    },
                }
                for pair in self.pairs.values()
            ],
            "annotators": [
                {
                    "name": member.name,
                    "documents": member.documents,
                    "pairs": member.pairs,
                    "f1": member.f1.to_dict(),
                    "tally": _counts(member.tally),
                    "without": _team(member.without),
                    "rise": member.rise._asdict(),
                }
                for member in self.annotators.values()
            ],
            "labels": {
                label: {"f1": tally.f1.to_dict(), "tally": _counts(tally)}
                for label, tally in self.labels.items()
            },
        }
        if by == "document":
            data["by_document"] = [
                {"id": name, "annotators": saw, "f1": tally.f1.to_dict(), "tally": _counts(tally)}
                for name, saw, tally in self.by_document()
            ]
        return plain(data)

    def to_rows(self, by: str | None = None) -> list[dict[str, Any]]:
        """The result as flat rows, for CSV or a data frame; undefined is ``nan`` or ``None``.

        Without ``by`` a row for the team and one for the mean over pairs; else a row for each part.

        Raises:
            SettingError: if ``by`` is not one of :data:`BY`.

        >>> corpus = Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]]})
        >>> [(row["a"], row["b"], row["f1_observed"]) for row in agree(corpus).to_rows("pair")]
        [('a', 'b', 1.0)]
        """
        _check_by(by)
        rows: list[dict[str, Any]]
        if by is None:
            nothing = dict.fromkeys(_row(Tally()))
            counts = self.mean.pairs
            pairs = {"pairs": int(counts.observed), "pairs_corrected": int(counts.corrected)}
            both = {"pairs": self.team.pairs, "pairs_corrected": self.team.pairs}
            team = {**_flat(self.team.f1), **_row(self.team.tally), **both}
            rows = [
                {"of": "team", **team},
                {"of": "mean over pairs", **_flat(self.mean), **nothing, **pairs},
                {"of": "sd over pairs", **_flat(self.mean.sd), **nothing, **pairs},
            ]
        elif by == "pair":
            rows = [
                {
                    "a": p.a,
                    "b": p.b,
                    "documents": p.documents,
                    "few": p.few,
                    **_flat(p.f1),
                    **_row(p.tally),
                }
                for p in self.pairs.values()
            ]
        elif by == "annotator":
            rows = [
                {
                    "annotator": m.name,
                    "documents": m.documents,
                    "pairs": m.pairs,
                    **_flat(m.f1),
                    **_row(m.tally),
                    **{f"without_{key}": value for key, value in _flat(m.without.f1).items()},
                    **{f"rise_{key}": value for key, value in m.rise._asdict().items()},
                }
                for m in self.annotators.values()
            ]
        elif by == "label":
            rows = [
                {"label": label, **_flat(tally.f1), **_row(tally)}
                for label, tally in self.labels.items()
            ]
        else:
            rows = [
                {"document": name, "annotators": saw, **_flat(tally.f1), **_row(tally)}
                for name, saw, tally in self.by_document()
            ]
        return [{**row, "signature": self.signature} for row in rows]

    def to_arrow(self, by: str | None = None) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        first = {
            "pair": ["a", "b", "documents", "few"],
            "label": ["label"],
            "document": ["document", "annotators"],
        }
        columns = [*first.get(by or "", ()), *_flat(Tally().f1), *_row(Tally()), "signature"]
        return to_arrow(self.to_rows(by), columns)


def _check_by(by: str | None) -> None:
    if by is not None:
        check_choice(by, BY, "by")


def _counts(tally: Tally) -> dict[str, float]:
    return {
        "matched": tally.matched,
        "expected": tally.expected,
        "size": tally.size_a + tally.size_b,
    }


def _team(team: Team) -> dict[str, Any]:
    return {
        "pairs": team.pairs,
        "documents": team.documents,
        "f1": team.f1.to_dict(),
        "tally": _counts(team.tally),
    }


def _flat(score: Score | Mean | Figures) -> dict[str, float]:
    return {f"f1_{kind}": getattr(score, kind) for kind in Figures._fields}


def _row(tally: Tally) -> dict[str, float]:
    return {
        "matched": tally.matched,
        "expected": tally.expected,
        "size_a": tally.size_a,
        "size_b": tally.size_b,
    }


# --- from a corpus ------------------------------------------------------------------------------


def agree(
    corpus: Corpus | Iterable[Block],
    *,
    match: str = "exact",
    chance: str = "nonoverlapping",
    annotators: Sequence[str] | None = None,
    min_shared: int = MIN_SHARED,
    ci: bool = False,
    confidence: float = 95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: str | None = None,
    executor: Executor | None = None,
    on_error: str = "raise",
    progress: Callable[[int, int], None] | None = None,
) -> Agreement:
    """How far annotators agree with each other, raw and beyond luck.

    Every pair is compared over the documents that both saw; pairs that share none are never
    visited, so thousands of annotators who share few documents are no obstacle. The expected
    figures are exact (Li et al. 2024, extended here to teams: tallies add over pairs).

    Args:
        corpus: the annotators as layers; or blocks, as for :func:`spanagree.evaluate`. Blocks may
            have different annotators; those that are not in one have seen nothing there.
        match: the measure, one of :data:`spanagree.similarity.MATCHES`.
        chance: the chance model, one of :data:`spanagree.chance.CHANCES`.
        annotators: the names of those to compare; all unless given.
        min_shared: pairs that share fewer documents are marked (``few``); they still count.
        ci: confidence intervals for the team, the mean, pairs, annotators and labels, by resampling
            documents; see :func:`spanagree.evaluate` for ``confidence``, ``resamples``, ``seed``
            and ``interval``.
        executor: of blocks: any ``concurrent.futures.Executor``.
        on_error: of blocks that fail, one of :data:`spanagree.blocks.ON_ERROR`.
        progress: called with the number of documents of pairs done, and of all; then with the
            number of intervals; or with the number of blocks done.

    Raises:
        SettingError: for an unknown name, a number out of range, or a layer that overlaps itself
            where the measure or the chance model does not allow it.

    >>> corpus = Corpus.from_segments(
    ...     [10, 8],
    ...     {
    ...         "ann": [[(0, 2, "PER"), (4, 5, "LOC")], [(1, 2, "LOC")]],
    ...         "bob": [[(0, 2, "PER")], None],
    ...         "cem": [None, [(1, 2, "LOC")]],
    ...     },
    ... )
    >>> result = agree(corpus)
    >>> {names: round(pair.f1.observed, 3) for names, pair in result.pairs.items()}
    {('ann', 'bob'): 0.667, ('ann', 'cem'): 1.0}
    >>> round(result.team.f1.observed, 3), round(result.mean.observed, 3)
    (0.8, 0.833)
    """
    find_match(match)
    check_whole(min_shared, 0, "min_shared")
    if not isinstance(corpus, Corpus):
        drawing = poisson_resampling(ci, confidence, resamples, seed, interval)
        work = functools.partial(
            part_of, annotators=annotators, match=match, chance=chance, resampling=drawing
        )
        done = each_block(corpus, work, executor=executor, on_error=on_error, progress=progress)
        return _over_blocks(*merged(done, _merged, "compare"), min_shared, drawing)
    resampling = Resampling(confidence, resamples, seed, interval or "bca") if ci else None
    if executor is not None:
        raise SettingError("executor: for blocks; one corpus is compared here")
    if annotators is not None:
        corpus = corpus.of_annotators(annotators)
    found = _found(corpus, match, chance, progress)
    tallied = found.columns.totals(found.pair[found.columns.document], len(found.shared))
    labels = found.columns.by_label(corpus.labels) if find_match(match).of_label else {}
    settings = _settings(corpus, match, chance)
    if resampling is not None:
        settings = {**settings, **resampling.settings(), "version": __version__}
    result = _agreement(
        list(corpus.annotators),
        {name: int(layer.annotated.sum()) for name, layer in corpus.layers.items()},
        dict(zip(found.members, zip(found.shared, tallied, strict=True), strict=True)),
        labels,
        len(corpus),
        found.seen,
        found.seen_without,
        {**settings, "annotators": len(corpus.layers), "min_shared": int(min_shared)},
        corpus.notes,
    )
    result = replace(
        result,
        document_ids=corpus.ids,
        tallies=found.columns,
        pair_documents=(found.pair, found.document),
    )
    return result if resampling is None else _with_intervals(result, resampling, progress)


class _Found(NamedTuple):
    """What the annotators of a corpus have in common."""

    columns: Tallies  # whose documents are those of pairs
    pair: Ints  # of each document of a pair, the number of the pair
    document: Ints
    members: list[tuple[int, int]]  # of each pair
    shared: list[int]  # documents of each pair
    seen: int  # documents seen by two or more
    seen_without: list[int]  # the same without each annotator


def _found(
    corpus: Corpus, match: str, chance: str, progress: Callable[[int, int], None] | None = None
) -> _Found:
    for name in corpus.annotators:
        check_layer(corpus, name, match, chance)
    crowd = Crowd.of(corpus)
    first, second = crowd.pairs()
    pair_members, pair, shared = distinct(crowd.annotator[first], crowd.annotator[second])
    columns = compare(corpus, crowd, (first, second), match, chance, progress)
    document = crowd.document[first]
    members = list(zip(*(column.tolist() for column in pair_members), strict=True))
    return _Found(
        columns,
        pair,
        document,
        members,
        shared.tolist(),
        len(np.unique(document)),
        _seen_without(len(corpus.layers), members, (pair, document)),
    )


def _settings(corpus: Corpus, match: str, chance: str) -> dict[str, Any]:
    return {
        "match": match,
        "chance": chance,
        "team": "summed",
        "annotators": 0,  # known when all are
        "min_shared": 0,
        "offsets": corpus.offsets,
        **corpus.reading,
        "version": __version__,
    }


def _agreement(
    names: Sequence[str],
    saw: Mapping[str, int],
    found: Mapping[tuple[int, int], tuple[int, Tally]],
    labels: Mapping[str, Tally],
    documents: int,
    seen: int,
    seen_without: Sequence[int],
    settings: Mapping[str, Any],
    notes: Sequence[str],
) -> Agreement:
    """The result, without single documents; ``found`` has documents and tally of each pair."""
    least = settings["min_shared"]
    members = list(found)
    pairs = [
        Pair(names[i], names[j], shared, tally, shared < least)
        for (i, j), (shared, tally) in found.items()
    ]
    reason = "" if pairs else _nobody(len(names))
    tallied = [pair.tally for pair in pairs]
    team = Team(len(pairs), seen, total(tallied), reason)
    return Agreement(
        team,
        _mean([p.f1 for p in pairs], reason),
        Pairs(names, members, pairs),
        _members(names, saw, team, members, tallied, seen_without),
        labels,
        documents,
        None,
        settings,
        tuple(notes),
        None,
        None,
    )


def _nobody(annotators: int) -> str:
    if annotators < 2:
        return f"{counted(annotators, 'annotator')}; agreement needs two"
    return "no document was seen by two annotators"


# --- team, mean, members ------------------------------------------------------------------------


def _mean(scores: Sequence[Score], reason: str) -> Mean:
    figures = [
        [value for score in scores if not math.isnan(value := getattr(score, kind))]
        for kind in Figures._fields
    ]
    means = [math.fsum(values) / len(values) if values else math.nan for values in figures]
    spread = [
        math.sqrt(math.fsum((x - mean) ** 2 for x in values) / len(values)) if values else math.nan
        for values, mean in zip(figures, means, strict=True)
    ]
    if not reason and not figures[0]:
        reason = "no pair for which it is defined"
    if not reason and not figures[2]:
        reason = "corrected: luck alone gives 1 for every pair"
    observed, expected, corrected = means
    counts = Figures(*map(len, figures))
    return Mean(observed, expected, corrected, Figures(*spread), counts, reason)


def _members(
    names: Sequence[str],
    saw: Mapping[str, int],
    team: Team,
    members: Sequence[tuple[int, int]],
    tallied: Sequence[Tally],
    seen_without: Sequence[int],
) -> dict[str, Member]:
    """Each annotator against the others; the team without is the team less these pairs."""
    of: list[list[Tally]] = [[] for _ in names]  # as in the team's sum
    own: list[list[Tally]] = [[] for _ in names]  # the annotator's side first
    for (i, j), tally in zip(members, tallied, strict=True):
        turned = Tally(tally.matched, tally.expected, tally.size_b, tally.size_a)
        for one, as_a in ((i, tally), (j, turned)):
            of[one].append(tally)
            own[one].append(as_a)
    taken_from = _Sums.of(tallied)
    result = {}
    for i, name in enumerate(names):
        left = len(tallied) - len(of[i])
        rest = Team(
            left, seen_without[i], taken_from.less(of[i]), "" if left else "no pair is left"
        )
        rise = Figures(*map(_rise, team.f1[:3], rest.f1[:3]))
        result[name] = Member(name, saw[name], len(of[i]), total(own[i]), rest, rise)
    return result


def _rise(before: float, after: float) -> float:
    return UNDEFINED if math.isnan(rise := after - before) else rise  # one nan equals itself


def _seen_without(
    annotators: int, members: Sequence[tuple[int, int]], pair_documents: tuple[Ints, Ints]
) -> list[int]:
    """For each annotator, how many documents are seen by two of the others."""
    pair, document = pair_documents
    who = np.array(members, np.int64).reshape(-1, 2)[pair]
    count = np.bincount(document)
    # a document is lost without an annotator who takes part in all of its pairs
    (lost, of), _, mine = distinct(np.tile(document, 2), np.concatenate((who[:, 0], who[:, 1])))
    every = np.bincount(of[mine == count[lost]], minlength=annotators)
    return (np.count_nonzero(count) - every).tolist()


class _Sums(NamedTuple):
    """Columns of tallies and their sums, from which single tallies can be taken off exactly."""

    matched: list[float]
    expected: list[float]
    all: Tally

    @classmethod
    def of(cls, tallies: Sequence[Tally]) -> _Sums:
        return cls(
            _expansion([t.matched for t in tallies]),
            _expansion([t.expected for t in tallies]),
            total(tallies),
        )

    def less(self, taken: Sequence[Tally]) -> Tally:
        """The sum of the tallies that are not taken; the same as adding them up."""
        matched = math.fsum([*self.matched, *(-t.matched for t in taken)])
        expected = math.fsum([*self.expected, *(-t.expected for t in taken)])
        return Tally(
            int(matched) if isinstance(self.all.matched, int) else matched,
            expected,
            self.all.size_a - sum(t.size_a for t in taken),
            self.all.size_b - sum(t.size_b for t in taken),
        )


def _expansion(values: Sequence[float]) -> list[float]:
    """A sum as three numbers, exact to 150 bits: what is taken off later leaves no trace."""
    parts: list[float] = []
    for _ in range(3):
        parts.append(math.fsum([*values, *(-part for part in parts)]))
    return parts


# --- over blocks --------------------------------------------------------------------------------


class _Part(NamedTuple):
    """What is counted in one block, or in several; annotators by name."""

    documents: int
    seen: int
    saw: Mapping[str, int]  # documents of each annotator
    seen_without: Mapping[str, int]
    pairs: Mapping[tuple[str, str], tuple[int, TallySum]]
    labels: Mapping[str, TallySum]
    settings: Mapping[str, Any]
    notes: tuple[str, ...]
    replicates: Replicates | None = None  # by pair or label, and column


_COLUMNS = ("matched", "expected", "size")  # of a figure, in a resample


def part_of(
    corpus: Corpus,
    *,
    annotators: Sequence[str] | None,
    match: str,
    chance: str,
    resampling: Resampling | None,
) -> _Part:
    """What one block adds to an agreement."""
    if annotators is not None:
        corpus = corpus.of_annotators([name for name in annotators if name in corpus.layers])
    found = _found(corpus, match, chance)
    names = corpus.annotators
    sums = TallySum.each(found.columns, found.pair[found.columns.document], len(found.members))
    labels = corpus.labels if find_match(match).of_label else ()
    by_label = TallySum.each(found.columns, found.columns.label, len(labels)) if labels else []
    return _Part(
        len(corpus),
        found.seen,
        {name: int(layer.annotated.sum()) for name, layer in corpus.layers.items()},
        dict(zip(names, found.seen_without, strict=True)),
        {
            (names[i], names[j]): (shared, tally)
            for (i, j), shared, tally in zip(found.members, found.shared, sums, strict=True)
        },
        dict(zip(labels, by_label, strict=True)),
        _settings(corpus, match, chance),
        corpus.notes,
        None if resampling is None else _drawn(corpus, found, labels, resampling),
    )


def _drawn(
    corpus: Corpus, found: _Found, labels: Sequence[str], resampling: Resampling
) -> Replicates:
    """What a block adds in every resample to the columns of each pair and label."""
    names, of = corpus.annotators, found.columns
    pairs = [tuple(sorted((names[i], names[j]))) for i, j in found.members]
    values = (of.matched, of.expected, of.size_a + of.size_b)
    document = found.document[of.document]
    entries = [
        Entries([(*key, column) for key in keys], which, document, value)
        for keys, which in ((pairs, found.pair[of.document]), ([(x,) for x in labels], of.label))
        if keys
        for column, value in zip(_COLUMNS, values, strict=True)
    ]
    return replicates(corpus, entries, resampling)


def _merged(one: _Part, other: _Part, number: int) -> _Part:
    """Two parts together; ``number`` is that of the later block."""
    names = list(dict.fromkeys([*one.saw, *other.saw]))
    pairs = dict(one.pairs)
    for (a, b), (shared, tally) in other.pairs.items():
        key = (b, a) if (b, a) in pairs else (a, b)
        before, so_far = pairs.get(key, (0, NO_TALLY))
        pairs[key] = before + shared, so_far.plus(tally if key == (a, b) else tally.turned())
    return _Part(
        one.documents + other.documents,
        one.seen + other.seen,
        {name: one.saw.get(name, 0) + other.saw.get(name, 0) for name in names},
        {
            # an annotator who is not in a block takes nothing away there
            name: one.seen_without.get(name, one.seen) + other.seen_without.get(name, other.seen)
            for name in names
        },
        pairs,
        {
            label: one.labels.get(label, NO_TALLY).plus(other.labels.get(label, NO_TALLY))
            for label in sorted({*one.labels, *other.labels})
        },
        merged_settings(one.settings, other.settings, f"block {number}"),
        (*one.notes, *other.notes),
        one.replicates.plus(other.replicates) if one.replicates and other.replicates else None,
    )


def _over_blocks(
    whole: _Part, skipped: Sequence[str], min_shared: int, resampling: Resampling | None
) -> Agreement:
    """The result of all blocks together."""
    names = list(whole.saw)
    place = {name: i for i, name in enumerate(names)}
    found = {}
    for (a, b), (shared, tally) in whole.pairs.items():
        i, j = place[a], place[b]
        found[min(i, j), max(i, j)] = shared, (tally if i < j else tally.turned()).tally
    settings = {**whole.settings, "annotators": len(names), "min_shared": int(min_shared)}
    if resampling is not None:
        settings = {**settings, **poisson_settings(resampling), "version": __version__}
    result = _agreement(
        names,
        whole.saw,
        dict(sorted(found.items())),
        {label: tally.tally for label, tally in whole.labels.items()},
        whole.documents,
        whole.seen,
        [whole.seen_without[name] for name in names],
        settings_of_blocks(settings, skipped),
        notes_of_blocks(whole.notes, skipped),
    )
    if resampling is None or whole.replicates is None:
        return result
    whole.replicates.check()
    return _with_poisson_intervals(result, whole.replicates, resampling)


def _with_poisson_intervals(
    result: Agreement, drawn: Replicates, resampling: Resampling
) -> Agreement:
    """The same result with intervals, all figures on the same resampled documents."""

    def sums(keys: Sequence[tuple[str, ...]]) -> Floats:
        return np.stack([drawn.over([(*key, column) for key in keys]) for column in _COLUMNS], 1)

    def with_ends(tally: Tally, keys: Sequence[tuple[str, ...]], documents: int) -> Tally:
        total = np.array([tally.matched, tally.expected, tally.size_a + tally.size_b], np.float64)
        ends = percentile_intervals(total, sums(keys), f1_figures, documents, resampling)
        return replace(tally, intervals={"f1": ends[0]})

    keys = [tuple(sorted(names)) for names in result.pairs]
    of = {name: [key for key in keys if name in key] for name in result.annotators}
    pairs = list(result.pairs.values())
    seen = result.team.documents
    made = [
        replace(pair, tally=with_ends(pair.tally, [key], pair.documents))
        for pair, key in zip(pairs, keys, strict=True)
    ]
    mean = result.mean
    if keys:
        # pairs in an order of their own, so that the order of annotators changes no digit
        each = np.concatenate([sums([key]) for key in sorted(keys)], axis=1)
        figures = np.array([[mean.observed, mean.expected, mean.corrected]])
        with np.errstate(divide="ignore", invalid="ignore"):
            found = Bootstrap(figures[0], _mean_figures(each), np.empty((0, 0)), np.array([seen]))
        mean = replace(mean, interval=three(found, 0, resampling))
    return replace(
        result,
        team=replace(result.team, tally=with_ends(result.team.tally, keys, seen)),
        mean=mean,
        pairs=Pairs(list(result.annotators), list(result.pairs.members), made),
        annotators={
            name: replace(member, tally=with_ends(member.tally, of[name], member.documents))
            for name, member in result.annotators.items()
        },
        labels={
            label: with_ends(tally, [(label,)], seen) for label, tally in result.labels.items()
        },
    )


def _mean_figures(sums: Floats) -> Floats:
    """The means over pairs of their figures; (some, 3·pairs) to (some, 3)."""
    f1 = f1_figures(sums.reshape(len(sums), -1, 3))
    defined = ~np.isnan(f1)
    means: Floats = np.where(defined, f1, 0).sum(axis=1) / defined.sum(axis=1)
    return means


# --- intervals ----------------------------------------------------------------------------------


def _with_intervals(
    result: Agreement,
    resampling: Resampling,
    progress: Callable[[int, int], None] | None,
) -> Agreement:
    """The same result with intervals: each figure's own documents are resampled."""
    rows, (pair, document) = result.kept()
    of_documents = replace(rows, document=document[rows.document])
    who = np.array(list(result.pairs.members), np.int64).reshape(-1, 2)[pair]
    names = list(result.annotators)

    def own(chosen: Ints | slice, shared: Ints) -> tuple[Ints, Floats]:
        """What each document of some pairs adds to matched, expected, size."""
        table = of_documents.where(chosen).table(shared)
        return shared, np.stack((table[:, 0], table[:, 1], table[:, 2] + table[:, 3]), axis=1)

    seen = np.unique(document)
    of_label = groups(rows.label, len(result.labels)) if result.labels else []
    label_names = sorted(result.labels)
    pairs = list(result.pairs.values())
    of_pair = groups(pair[rows.document], len(pairs))
    documents_of_pair = groups(pair, len(pairs))
    by_member = groups(who.T.ravel(), len(names))
    rows_by_member = groups(who[rows.document].T.ravel(), len(names))
    parts = [
        own(slice(None), seen),
        *(own(of_label[k], seen) for k in range(len(label_names))),
        *(
            own(some % max(len(rows.document), 1), np.unique(document[mine % max(len(pair), 1)]))
            for some, mine in zip(rows_by_member, by_member, strict=True)
        ),
        *(own(of_pair[k], document[documents_of_pair[k]]) for k in range(len(pairs))),
    ]
    found = [{"f1": ends[0]} for ends in intervals(parts, f1_figures, resampling, progress)]
    team, rest = found[0], iter(found[1:])
    labels = {label: replace(result.labels[label], intervals=next(rest)) for label in label_names}
    annotators = {
        name: replace(member, tally=replace(member.tally, intervals=next(rest)))
        for name, member in result.annotators.items()
    }
    made = [replace(p, tally=replace(p.tally, intervals=next(rest))) for p in pairs]
    return replace(
        result,
        team=replace(result.team, tally=replace(result.team.tally, intervals=team)),
        mean=replace(result.mean, interval=_mean_interval(result, seen, resampling)),
        pairs=Pairs(names, list(result.pairs.members), made),
        annotators=annotators,
        labels={label: labels[label] for label in result.labels},
    )


def _mean_interval(result: Agreement, seen: Ints, resampling: Resampling) -> Interval:
    """Of the mean over pairs: all pairs on the same resampled documents."""
    from scipy.sparse import coo_array  # takes a tenth of a second to import

    rows, (pair, document) = result.kept()
    # pairs in an order of their own, so that the order of annotators changes no digit
    names = [sorted(names) for names in result.pairs]
    ordered = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(ordered), np.int64)
    place[ordered] = np.arange(len(ordered))
    unit = np.searchsorted(seen, document[rows.document])
    column = 3 * place[pair[rows.document]]
    values = (rows.matched, rows.expected, rows.size_a + rows.size_b)
    shape = (len(seen), max(3 * len(ordered), 1))
    table = coo_array(
        (
            np.concatenate(values).astype(np.float64),
            (np.tile(unit, 3), np.concatenate([column + k for k in range(3)])),
        ),
        shape=shape,
    )

    def mean(sums: Floats) -> Floats:
        return _mean_figures(sums[:, : 3 * len(ordered)])

    small = shape[0] * shape[1] < _DENSE
    return three(
        bootstrap(Sample(table.toarray() if small else table), mean, resampling), 0, resampling
    )
