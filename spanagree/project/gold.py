"""A gold annotation by the votes of many annotators, and what is left to be adjudicated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.agreement.disagreements import LONGEST, texts_of
from spanagree.arrays import Bools, Floats, Ints, group_indices
from spanagree.chance.model import AUTO, ChanceModel
from spanagree.choices import MAJORITY, MIN_ANNOTATORS, MatchName, Vote
from spanagree.comparisons.overlaps import chance_of_corpus, check_layers
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.placed import note_of_unplaced
from spanagree.corpus.roles import choose_annotators
from spanagree.corpus.segments import Layer, is_time
from spanagree.corpus.times import in_seconds
from spanagree.errors import (
    SettingError,
    check_choice,
    check_whole,
    escape_name,
    join_names,
    pluralize,
    pluralize_of,
    quote_value,
    truncate,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.project.vote import (
    GOLD,
    OUTCOMES,
    UNIT,
    Ballots,
    VotedSegments,
    on_probabilities,
    on_segments,
    on_tokens,
)
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Plot, histogram
from spanagree.results.result import Result
from spanagree.settings import Settings, document_noun

VOTES = {
    "tokens": "a token gets the label that enough gave it, and boundaries are voted on too",
    "segments": "a segment is taken that enough marked, with these boundaries and this label",
    "dawid-skene": "a token gets its most probable label, given how often each annotator errs",
}
"""What is voted on, by name."""

FEW = "few"
_BINS = 20


@dataclass(frozen=True, eq=False, repr=False)
class Gold(Result):
    """The result of :func:`make_gold`.

    Attributes:
        corpus: the same with the new layer beside the others.
        name: of the new layer.
        vote: what was voted on, of :data:`VOTES`.
        voters: the annotators who voted.
        weights: of each voter; all are 1 unless they were weighted.
        counted: the segments that were taken, and those to be adjudicated.
        seen: per document, how many voters saw it.
        settings: what made it.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "X")]], "bob": [[(0, 2, "X")]], "cem": [[(0, 3, "X")]]}
    >>> found = sa.make_gold(sa.Corpus.from_segments([5], layers))
    >>> found.voters, found.corpus[0].segments[found.name]
    (('ann', 'bob', 'cem'), (Segment(start=0, end=2, label='X'),))
    """

    corpus: Corpus = field(repr=False)
    name: str
    vote: str
    voters: tuple[str, ...]
    weights: Floats = field(repr=False)
    counted: VotedSegments = field(repr=False)
    seen: Ints = field(repr=False)
    settings: Settings
    notes: tuple[str, ...]

    BY: ClassVar[Mapping[str, str]] = {
        "segment": "a row for each segment of the new gold, and who supports it",
        "adjudicate": "a row for each tie, conflict, and document with too few annotators",
    }

    @property
    def layer(self) -> Layer:
        """The new layer."""
        return self.corpus.layers[self.name]

    @cached_property
    def supporters(self) -> list[tuple[str, ...]]:
        """Of each segment of ``counted``, the names of the voters who support it."""
        names = group_indices(self.counted.segment, len(self.counted.outcome))
        return [tuple(self.voters[i] for i in self.counted.voter[rows].tolist()) for rows in names]

    @property
    def _share(self) -> str:
        """What the share of a segment is called: by a model it is its probability."""
        return "probability" if self.vote == "dawid-skene" else "share"

    @property
    def few(self) -> Ints:
        """The numbers of the documents that too few voters saw."""
        return np.flatnonzero(~self.layer.annotated)

    def support(self) -> list[list[dict[str, Any]]]:
        """Return per document its segments in the new layer: share of the votes, and supporters.

        ``write_jsonl(result.corpus, path, fields={"support": result.support()})`` keeps them.
        """
        rows: list[list[dict[str, Any]]] = [[] for _ in range(len(self.corpus))]
        for i in np.flatnonzero(self.counted.outcome == GOLD).tolist():
            rows[self.counted.document[i]].append(self._entry(i))
        return rows

    def _entry(self, i: int) -> dict[str, Any]:
        """Return one of the segments voted on as plain data."""
        counted = self.counted
        return {
            "start": int(counted.start[i]),
            "end": int(counted.end[i]),
            "label": self.corpus.labels[counted.label[i]],
            "share": float(counted.share[i]),
            "annotators": int(self.seen[counted.document[i]]),
            "supporters": list(self.supporters[i]),
        }

    @property
    def verdict(self) -> str:
        """How many segments were voted for, and how many are left to decide."""
        seen = self.layer.annotated
        location = pluralize_of(int(seen.sum()), len(seen), document_noun(self.settings))
        taken = f"{pluralize(len(self.layer), 'segment')} in {location}"
        return f"The vote gives {taken}; to be adjudicated: {self._open() or 'nothing'}."

    TABLES: ClassVar[Mapping[str, str | None]] = {
        "labels": None, "segments": "segment", "adjudicate": "adjudicate"
    }  # fmt: skip

    SUMMARY: ClassVar[tuple[str, ...]] = ("layer=name", "weights=_weights", "few=_seen_by_few")

    @property
    def _weights(self) -> dict[str, float]:
        """What each voter's vote weighs."""
        return dict(zip(self.voters, self.weights.tolist(), strict=True))

    @property
    def _seen_by_few(self) -> dict[str, int]:
        """How many voters saw each document that too few saw."""
        return {self.corpus.id_of(d): int(self.seen[d]) for d in self.few.tolist()}

    def _table(self, by: str | None) -> Frame:
        """How many there are of each label; or a row for each segment, or to be adjudicated."""
        if by is None:
            return self._by_label()
        kind = "number" if is_time(self.corpus.offsets) else "count"
        columns = [
            Column("document", document_noun(self.settings), "name", "document of a vote"),
            Column("outcome", "" if by == "segment" else "outcome", "name"),
            *(Column(end, "", kind) for end in ("start", "end")),
            Column("", "segment", "name", "segment of a vote"),
            Column("label", "label", "name", "segment of a vote"),
            Column("text", "", "name"),
            Column("", "text", "name", "segment of a vote"),
            Column("share", self._share, meaning="share of votes"),
            Column("support", "support", "count"),
            Column("annotators", "of", "count", meaning="annotators"),
            Column("supporters", "", "name"),
            Column("", "who", "name", "support"),
        ]
        wanted = np.flatnonzero((self.counted.outcome == GOLD) == (by == "segment"))
        texts = texts_of(self.corpus, *(column[wanted] for column in self.counted[:3]))
        rows = [self._row(i, text) for i, text in zip(wanted.tolist(), texts, strict=True)]
        few = self.few.tolist() if by == "adjudicate" else []
        blank: list[Value] = [None, None, "", None, None, "", None, None]
        rows += [[self.corpus.id_of(d), FEW, *blank, int(self.seen[d]), None, ""] for d in few]
        return self._shown(columns, rows)

    def _row(self, i: int, text: str) -> list[Value]:
        d, entry = int(self.counted.document[i]), self._entry(i)
        start, end = in_seconds((entry["start"], entry["end"]), self.corpus.offsets)
        names = ", ".join(entry["supporters"])
        short = truncate(text, LONGEST)
        return [
            self.corpus.id_of(d),
            OUTCOMES[self.counted.outcome[i]],
            *(start, end, f"{start:.12g}–{end:.12g}", entry["label"], text, short, entry["share"]),
            *(len(entry["supporters"]), entry["annotators"], names, truncate(names, LONGEST)),
        ]

    def _by_label(self) -> Frame:
        """Return a row for each label that a vote was on."""
        counted, rows = self.counted, []
        gold = counted.outcome == GOLD
        for code in np.unique(counted.label).tolist():
            here = counted.label == code
            taken = here & gold
            share = float(counted.share[taken].mean()) if taken.any() else float("nan")
            rows.append(
                [self.corpus.labels[code], int(taken.sum()), share, int((here & ~gold).sum())]
            )
        columns = [
            Column("label", "label", "name", "label of a vote"),
            Column("segments", "segments", "count", "segments of a vote"),
            Column("share", f"mean {self._share}", "figure", "share of votes"),
            Column("adjudicate", "to adjudicate", "count"),
        ]
        remarks = [f"to adjudicate: {self._open()}; --by adjudicate lists them"]
        return self._shown(columns, rows, *remarks * bool(self._open()))

    def _shown(self, columns: list[Column], rows: list[list[Value]], *remarks: str) -> Frame:
        """Return the table; of one without rows, people see no column."""
        if not rows:
            columns = [column._replace(title="") for column in columns]
        seen = self.layer.annotated
        location = pluralize_of(int(seen.sum()), len(seen), document_noun(self.settings))
        voters = pluralize(len(self.voters), "annotator")
        what = f"{escape_name(self.name)}: {pluralize(len(self.layer), 'segment')} in {location}"
        caption = f"{what}, by the votes of {voters}"
        return Frame(columns, rows, self.settings, caption=caption, remarks=remarks)

    def _open(self) -> str:
        """Say how many there are of each kind to be adjudicated."""
        names = {"tie": "tie", "border": "tied boundary", "conflict": "conflict"}
        numbers = np.bincount(self.counted.outcome, minlength=len(OUTCOMES)).tolist()
        kinds = dict(zip(OUTCOMES, numbers, strict=True))
        parts = [pluralize(kinds[kind], noun) for kind, noun in names.items() if kinds[kind]]
        if few := len(self.few):
            parts.append(f"{pluralize(few, document_noun(self.settings))} with too few annotators")
        return ", ".join(parts)

    def _picture(self, by: str | None) -> Plot:
        """Return how many segments of the new layer have which share of the votes."""
        shares = self.counted.share[self.counted.outcome == GOLD]
        counts, edges = np.histogram(shares, bins=np.linspace(0, 1, _BINS + 1))
        what = "share of the votes"
        return Plot(
            lambda ax: histogram(
                ax, counts.tolist(), edges.tolist(), axis_label=what, noun="segment"
            )
        )


def make_gold(
    corpus: CorpusLike,
    *,
    vote: Vote | None = None,
    share: float | None = None,
    min_annotators: int = MIN_ANNOTATORS,
    weighted: bool = False,
    annotators: Sequence[str] | None = None,
    name: str | None = None,
) -> Gold:
    """Return a gold annotation by the annotators' votes, as one more annotator of the corpus.

    Args:
        corpus: the annotators.
        vote: vote on tokens (and boundaries), on segments (whole ones), or by dawid-skene: tokens,
            with how often each annotator errs (Dawid & Skene 1979). Unless given, dawid-skene; but
            tokens if there is a share or weights, if fewer than three vote, or if somebody gave a
            token two labels.
        share: take what at least this share of those who saw a document marked. Unless given, take
            what more than half marked; just half is a tie, to be adjudicated.
        min_annotators: leave out documents that fewer annotators saw; the gold never saw them.
        weighted: weigh votes by the annotator's corrected F1 against the others, 0 if it is
            negative: by token for votes on tokens, else by exact match.
        annotators: let only these vote; all unless given.
        name: call the gold so; dawid-skene or majority, by the vote, unless given.

    Raises:
        SettingError: for an unknown name, a number out of range, or a name that a layer has.

    >>> layers = {"ann": [[(0, 2, "X")]], "bob": [[(0, 2, "X")]], "cem": [[(0, 3, "X")]]}
    >>> result = make_gold(Corpus.from_segments([5], layers))
    >>> result.name, result.layer.end.tolist(), result.counted.share.round(2).tolist()
    ('dawid-skene', [2], [1.0])
    """
    corpus = as_corpus(corpus)
    check_contiguous(corpus, "a vote")
    if vote is not None:
        check_choice(vote, VOTES, "vote")
    check_whole(min_annotators, 1, "min_annotators")
    _check_share(share)
    if vote == "dawid-skene" and (weighted or share is not None):
        raise SettingError(
            f"{'weighted' if weighted else 'share'} is for votes on tokens or segments; dawid-skene"
            " weighs annotators by itself and takes what is most probable: leave it out"
        )
    voting, chosen = choose_annotators(corpus, annotators)
    names = list(voting.layers)
    notes = [*voting.notes, *note_of_unplaced(voting, "votes")]
    voting = voting.replace(unplaced={})
    if vote is None:
        vote, why = _vote_for(voting, weighted or share is not None)
        notes += why
    if name is None:
        name = vote if vote == "dawid-skene" else MAJORITY
    if not isinstance(name, str) or not name or name in corpus.layers:
        raise SettingError(
            f"name {quote_value(name)}; a name that no annotator has is needed: pass another"
        )
    measured = _measured(voting, vote) if weighted else None
    weights = np.ones(len(names)) if measured is None else _weights(voting, *measured)
    ballots = Ballots.of(corpus, names, np.round(weights * UNIT).astype(np.int64))
    enough = ballots.seen >= min_annotators
    votes = _counted(voting, vote, share, ballots.only(enough), enough)
    taken = votes.outcome == GOLD
    document, start, end, label = (column[taken] for column in votes[:4])
    made = _made(vote, share, min_annotators, measured)
    with_gold = with_layer(corpus, name, Layer(document, start, end, label, enough), made)
    settings = Settings(offsets=corpus.offsets, reading=with_gold.reading, chosen=chosen)
    notes += _note_without_weight(names, weights)
    return Gold(
        with_gold, name, vote, tuple(names), weights, votes, ballots.seen, settings, tuple(notes)
    )


def _counted(
    voting: Corpus, vote: Vote, share: float | None, ballots: Ballots, enough: Bools
) -> VotedSegments:
    """Return what becomes of the segments that voters marked in documents that enough of them saw.

    Raises:
        SettingError: if vote is dawid-skene, and somebody gave a token two labels.
    """
    labels = max(1, len(voting.labels))
    if vote == "segments":
        return on_segments(ballots, share)
    if vote == "tokens":
        return on_tokens(ballots, share, labels)
    if overlap := _overlap_in(voting):
        raise SettingError(
            f"{overlap}, and dawid-skene takes one label for each token; vote on tokens or on"
            " segments"
        )
    saw = np.stack([layer.annotated for layer in voting.layers.values()]) & enough
    return on_probabilities(ballots, voting.lengths, saw, labels)


def _made(
    vote: Vote, share: float | None, min_annotators: int, measured: tuple[str, str] | None
) -> str:
    """Return how a gold was made, in one word, for signatures."""
    parts: list[str] = [vote]
    if vote != "dawid-skene":
        parts.append("more-than-half" if share is None else f"share-{share:g}")
    parts.append(f"least-{min_annotators}")
    if measured is not None:
        parts.append(f"weighted-{'-'.join(measured)}")
    return "/".join(parts)


def with_layer(corpus: Corpus, name: str, layer: Layer, made: str) -> Corpus:
    """Return a corpus with a layer that was made of the others; its figures say how."""
    reading = {**corpus.reading, "made": {**corpus.reading.get("made", {}), name: made}}
    return corpus.replace(layers={**corpus.layers, name: layer}, reading=reading)


def _check_share(share: float | None) -> None:
    """Refuse a share that is not above 0 and at most 1."""
    is_number = isinstance(share, (int, float)) and not isinstance(share, bool)
    if share is not None and not (is_number and 0 < share <= 1):
        raise SettingError(
            f"share {quote_value(share)}; a number above 0, and at most 1, is needed"
        )


_TOO_FEW = {
    0: "nobody votes",
    1: "one annotator has nobody to be compared with",
    2: "two annotators do not tell who of them errs",
}
"""Why errors cannot be estimated, by the number of annotators."""


def _vote_for(corpus: Corpus, asked_more: bool) -> tuple[Vote, list[str]]:
    """Return what is voted on unless it is said, and a note on why it is not the usual."""
    if asked_more:
        return "tokens", []
    if why := _TOO_FEW.get(len(corpus.layers)):
        return "tokens", [f"{why}: a vote on tokens"]
    if overlap := _overlap_in(corpus):
        return "tokens", [f"{overlap}, which dawid-skene has no place for: a vote on tokens"]
    return "dawid-skene", []


def _overlap_in(corpus: Corpus) -> str:
    """Say where an annotator marked a token twice; empty if nobody did."""
    for name, layer in corpus.layers.items():
        by_start = np.lexsort((layer.start, layer.document))
        document, start, end = (x[by_start] for x in (layer.document, layer.start, layer.end))
        overlap = np.flatnonzero((document[1:] == document[:-1]) & (start[1:] < end[:-1]))
        if len(overlap):
            i = int(overlap[0])
            return (
                f"{quote_value(name)}, document {quote_value(corpus.id_of(int(document[i])))}:"
                f" segments {start[i]}–{end[i]} and {start[i + 1]}–{end[i + 1]} overlap"
            )
    return ""


def _measured(corpus: Corpus, vote: str) -> tuple[MatchName, str]:
    """Return the measure and the chance model of weights: the first that all layers allow."""
    tried: list[MatchName] = ["token", "exact"] if vote == "tokens" else ["exact"]
    for match in tried:
        chance = chance_of_corpus(corpus, match, ChanceModel(AUTO))
        with suppress(SettingError):
            check_layers(corpus, match, chance)
            return match, chance.name
    raise AssertionError("exact match allows all annotators, and so does chance overlapping")


def _weights(corpus: Corpus, match: MatchName, chance: str) -> Floats:
    """Return how far each annotator agrees with the others; the mean where that is undefined."""
    scores = agree(corpus, match=match, chance=chance).annotators.values()
    weights = np.array([score.f1.corrected for score in scores], np.float64)
    known = ~np.isnan(weights)
    middle = weights[known].clip(0).mean() if known.any() else 1.0
    return np.where(known, weights.clip(0), middle)


def _note_without_weight(names: Sequence[str], weights: Floats) -> list[str]:
    """Say who has no weight, as they agree no better than chance with the others."""
    nobody = [name for name, weight in zip(names, weights.tolist(), strict=True) if weight == 0]
    left = f"{pluralize(len(nobody), 'annotator')} without a weight, agreeing no better than chance"
    return [f"{left}: {join_names(nobody)}"] if nobody else []
