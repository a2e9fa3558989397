"""Each annotator against the rest: who stands apart, in what, and in which order they are shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spanagree.agreement.count import Kept
from spanagree.agreement.paired import outcomes
from spanagree.agreement.standing import Agreeing, worse
from spanagree.agreement.team import Mean, Member
from spanagree.comparisons.annotation_pairs import Crowd
from spanagree.comparisons.pairing import KINDS, OUTCOMES
from spanagree.comparisons.tally import Tally
from spanagree.errors import counted, printable
from spanagree.results.result import Comparable
from spanagree.results.score import Figures, Score, ScoreColumns
from spanagree.results.table import Column, Value, figure
from spanagree.settings import Settings, unit
from spanagree.uncertainty.permutation import holm

APART = 0.05
"""p with Holm's correction below which an annotator stands apart."""

_MOST = 1 << 22  # pairs of annotations that are compared segment by segment
_UNKNOWN = (
    "who stands apart is not known: its p needs single documents, which blocks do not keep, and at"
    f" most {_MOST:,} pairs of annotations; a part of the annotators, or of the documents, has it"
)


@dataclass(frozen=True, eq=False)
class Standing(Comparable):
    """How one annotator stands among the others.

    Attributes:
        segments: how many she marked.
        p: how likely she would agree so little with the others, or less, if she were no worse than
            they are on the same documents; ``nan`` where no document of three or more can tell.
        p_holm: p after Holm's correction for all annotators.
        outcomes: how often a segment was one of :data:`OUTCOMES` between her and another.
        shares: her share of all that the team's pairs hold of each kind of disagreement; ``all`` is
            her share of all that was compared, which is what she would have of each if she were
            like the others.
    """

    segments: int
    p: float
    p_holm: float
    outcomes: Mapping[str, int]
    shares: Mapping[str, float]

    @property
    def apart(self) -> bool:
        """Whether she agrees less with the others than these do."""
        return self.p_holm < APART  # nan is not

    @property
    def figures(self) -> list[float]:
        """The figures in the order of a table."""
        return [self.p, self.p_holm, *self.shares.values()]


def standings(kept: Kept | None, settings: Settings) -> dict[str, Standing]:
    """Return how each annotator stands, by name; nothing over blocks, or of too many pairs."""
    if kept is None:
        return {}
    corpus = kept.corpus
    saw = np.sum([layer.annotated for layer in corpus.layers.values()], axis=0)
    if not corpus.layers or int((saw * (saw - 1) // 2).sum()) > _MOST:
        return {}
    agreeing = Agreeing.of(kept)
    if settings.resample_by == "document" and corpus.wholes is not None:
        agreeing = agreeing.over(corpus.wholes)
    # the order of documents changes what stands behind ten digits
    p = [float(f"{x:.10g}") for x in worse(agreeing, len(corpus.layers)).tolist()]
    counts = outcomes(corpus, Crowd.of(corpus))
    totals = counts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.column_stack((counts.sum(axis=1) / totals.sum(), (counts / totals)[:, 1:]))
    return {
        name: Standing(
            len(layer),
            p[i],
            p_holm,
            dict(zip(OUTCOMES, counts[i].tolist(), strict=True)),
            dict(zip(("all", *KINDS), shares[i].tolist(), strict=True)),
        )
        for i, ((name, layer), p_holm) in enumerate(
            zip(corpus.layers.items(), holm(p), strict=True)
        )
    }


# --- the order ----------------------------------------------------------------------------------

_Key = Callable[[Member, "Standing | None"], float]


def _apart(member: Member, standing: Standing | None) -> float:
    """Those who stand apart first, then those who saw most."""
    apart = standing is not None and standing.apart
    return member.f1.corrected - 1e9 if apart else -member.documents


SORTS: Mapping[str, _Key] = {
    "corrected": lambda member, _: member.f1.corrected,
    "observed": lambda member, _: member.f1.observed,
    "rise": lambda member, _: -member.rise.corrected,
    "p": lambda _, standing: math.nan if standing is None else standing.p,
    "documents": lambda member, _: -member.documents,
    "segments": lambda _, standing: math.nan if standing is None else -standing.segments,
    "apart": _apart,
}
"""In which order annotators are shown, by name: first those with the least of a key.

That is the lowest agreement, the highest rise, the lowest p, the most documents or segments; or
those who stand apart, and then those who saw most.
"""


def arranged(
    members: Iterable[Member], standings: Mapping[str, Standing], sort: str | None
) -> list[Member]:
    """Return annotators in an order that has a name; undefined ones come last."""
    if sort is None:
        return list(members)

    def key(member: Member) -> tuple[bool, float]:
        value = SORTS[sort](member, standings.get(member.name))
        return (True, 0) if math.isnan(value) else (False, value)

    return sorted(members, key=key)


# --- the table ----------------------------------------------------------------------------------


Part = tuple[Sequence[Value], "Score | Mean", "Tally | None", Sequence[Value]]
"""What stands before the F1 of a part, its F1, its tally, and what stands behind."""
Layout = tuple[Sequence[Column], Sequence[Part], Sequence[Column]]
"""The columns before, the parts, and the columns behind."""

PAIRS = Column("pairs", "pairs", "count", "pairs of a team")
_SHARES = {"all": "share of all", **{kind: f"of {kind}" for kind in KINDS}}
"""The titles of shares by key."""


def layout(
    members: Sequence[Member], standings: Mapping[str, Standing], settings: Settings
) -> Layout:
    """Return what a table of annotators against the rest shows.

    Args:
        members: in the order of the rows.
        standings: by name; nothing where they are not known.
        settings: of the agreement.
    """
    without = ScoreColumns("without_f1", ("team without", "", ""))
    ci = settings.ci is not None
    columns = [
        Column("annotator", "annotator", "name", "annotator of a team"),
        Column("documents", f"{unit(settings)}s", "count", "documents of an annotator"),
        Column("segments", "segments", "count", "segments of an annotator"),
        PAIRS,
    ]
    behind = [*without.columns]
    for kind, title in zip(Figures._fields, ("rise", "", "corrected rise"), strict=True):
        behind.append(Column(f"rise_{kind}", title))
        if ci and title:
            behind.append(Column("", "rise interval", "interval", "interval of a rise"))
    behind += [Column("p", "p", "probability", "p of an annotator")]
    behind += [Column("p_holm", "Holm", "probability", "Holm of annotators")]
    behind += [Column(f"share_{k}", t, "figure", "shares of kinds") for k, t in _SHARES.items()]
    if not standings:  # people see what is known
        last = 2 + len(_SHARES)
        behind[-last:] = [column._replace(title="") for column in behind[-last:]]
        columns[2] = columns[2]._replace(title="")
    parts: list[Part] = []
    for m in members:
        known = standings.get(m.name)
        more: list[Value] = [*without.values(m.without.f1)]
        for kind in Figures._fields:
            more.append(getattr(m.rise, kind))
            if ci and kind != "expected":
                more.append(getattr(m.rise_interval, kind, None))
        more += [math.nan] * (2 + len(_SHARES)) if known is None else known.figures
        parts.append(
            (
                [m.name, m.documents, None if known is None else known.segments, m.pairs],
                m.f1,
                m.tally,
                more,
            )
        )
    return columns, parts, behind


def sentence_on(members: Mapping[str, Member], standings: Mapping[str, Standing]) -> str:
    """Say who stands apart, everyone, the lowest agreement first; or why it is not known."""
    if members and not standings:
        return _UNKNOWN
    tests = sum(not math.isnan(standing.p) for standing in standings.values())
    if not tests:
        return ""
    apart = [
        m for m in arranged(members.values(), standings, "corrected") if standings[m.name].apart
    ]
    names = ", ".join(f"{printable(m.name)} ({figure(m.f1.corrected)})" for m in apart)
    agree = "agrees" if len(apart) < 2 else "agree"
    return (
        f"{names or 'nobody'} {agree} less with the others than these do on the same documents"
        f" (corrected F1; p below {APART:g} after Holm's correction for"
        f" {counted(tests, 'annotator')})"
    )
