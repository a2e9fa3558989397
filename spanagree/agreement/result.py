"""Annotators against each other: pairs, each against the rest, the team.

The paper on chance stops at two annotators who see everything. Tallies add, so a team's is the sum
over its pairs, and a pair's the sum over the documents that both saw. Only F1 is reported: which
of two annotators is asked for precision would be arbitrary.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.errors import SettingError, check_choice, counted, show
from spanagree.matching.score import Figures, Mean, Score, plain, undefined
from spanagree.matching.tally import Tallies, Tally
from spanagree.rendering.data import to_arrow
from spanagree.results import Shown, caveats
from spanagree.settings import signature

MIN_SHARED = 10  # documents; a pair's figure over fewer is marked


BY = {
    "pair": "a row for each pair that shares a document",
    "annotator": "a row for each annotator: against all others, and the team without",
    "label": "a row for each label",
    "document": "a row for each document that two annotators saw and one marked something in",
}
"""What a report can be broken down by."""


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
    """The result of :func:`spanagree.agree`.

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

        >>> import spanagree as sa
        >>> one = [[(0, 2, "X")]]
        >>> sa.agree(sa.Corpus.from_segments([9], {"a": one, "b": one})).matrix()
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

        >>> import spanagree as sa
        >>> one = [[(0, 2, "X")]]
        >>> result = sa.agree(sa.Corpus.from_segments([9], {"a": one, "b": one}))
        >>> [(row["a"], row["b"], row["f1_observed"]) for row in result.to_rows("pair")]
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
