"""Gold annotations by the votes of annotators, with the segments left to be adjudicated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, group_indices
from spanagree.choices import MAJORITY, MIN_ANNOTATORS, Vote
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.placed import write_note_on_unplaced
from spanagree.corpus.roles import choose_annotators, count_seen
from spanagree.corpus.segments import Layer
from spanagree.errors import (
    SettingError,
    check_choice,
    check_integer,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.project.ballots import GOLD, UNIT, Ballots, VotedSegments
from spanagree.project.vote import elect_by_probabilities, elect_segments, elect_tokens
from spanagree.results.result import Result
from spanagree.settings import Settings

VOTES = {
    "tokens": "a token gets the label that enough gave it, and boundaries are voted on too",
    "segments": "a segment is taken that enough marked, with these boundaries and this label",
    "dawid-skene": "a token gets its most probable label, given how often each annotator errs",
}
"""Rules of votes, by name."""


@dataclass(frozen=True, eq=False, repr=False)
class Gold(Result):
    """Result of :func:`make_gold`.

    Attributes:
        corpus: corpus with the new layer in addition to the others.
        name: name of the new layer.
        vote: rule of the vote, a name in :data:`VOTES`.
        voters: names of the annotators who voted.
        weights: weight of each voter; 1 for unweighted votes.
        counted: segments that were elected, and those to be adjudicated.
        seen: number of voters who saw each document.
        settings: settings of the vote.
        notes: notes of the reader and of this computation, one sentence each.

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

    TABLES: ClassVar[Mapping[str, str | None]] = {
        "labels": None, "segments": "segment", "adjudicate": "adjudicate"
    }  # fmt: skip

    SUMMARY: ClassVar[tuple[str, ...]] = ("layer=name", "weights=_weights", "few=_n_voters_of_few")

    SHOWN_BY: ClassVar[str] = f"{__package__}.gold_table"

    @property
    def layer(self) -> Layer:
        """Layer of the gold annotation."""
        return self.corpus.layers[self.name]

    @cached_property
    def supporters(self) -> list[tuple[str, ...]]:
        """Names of the voters who support each segment of ``counted``."""
        pairs_by_segment = group_indices(self.counted.segment, len(self.counted.outcome))
        return [
            tuple(self.voters[i] for i in self.counted.voter[rows].tolist())
            for rows in pairs_by_segment
        ]

    @property
    def few(self) -> Ints:
        """Indices of the documents that too few voters saw."""
        return np.flatnonzero(~self.layer.annotated)

    def support(self) -> list[list[dict[str, Any]]]:
        """List the gold segments of each document, with share of votes and supporters.

        ``write_jsonl(result.corpus, path, fields={"support": result.support()})`` stores them.
        """
        rows: list[list[dict[str, Any]]] = [[] for _ in range(len(self.corpus))]
        for i in np.flatnonzero(self.counted.outcome == GOLD).tolist():
            rows[self.counted.document[i]].append(describe_segment(self, i))
        return rows

    @property
    def _weights(self) -> dict[str, float]:
        """Weight of each voter, by name."""
        return dict(zip(self.voters, self.weights.tolist(), strict=True))

    @property
    def _n_voters_of_few(self) -> dict[str, int]:
        """Number of voters for each document that too few voters saw, by id."""
        return {self.corpus.id_of(d): int(self.seen[d]) for d in self.few.tolist()}


def describe_segment(gold: Gold, i: int) -> dict[str, Any]:
    """Describe the segment of a vote with index ``i`` as plain data."""
    counted = gold.counted
    return {
        "start": int(counted.start[i]),
        "end": int(counted.end[i]),
        "label": gold.corpus.labels[counted.label[i]],
        "share": float(counted.share[i]),
        "annotators": int(gold.seen[counted.document[i]]),
        "supporters": list(gold.supporters[i]),
    }


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
    """Elect a gold annotation by votes, and add it to the corpus as a layer.

    Args:
        corpus: annotators as layers.
        vote: rule of the vote: tokens (and boundaries), whole segments, or dawid-skene: tokens,
            with estimated errors of each annotator (Dawid & Skene 1979). Default: dawid-skene; but
            tokens if there is a share or weights, if fewer than three annotators vote, or if an
            annotator gave a token two labels.
        share: smallest share of the votes of those who saw a document, above 0 and at most 1.
            Default: more than half; exactly half is a tie, to be adjudicated.
        min_annotators: smallest number of annotators who saw a document; documents with fewer are
            left out, and count as unseen by the gold.
        weighted: True to weight votes by the annotator's corrected F1 against the others, 0 if it
            is negative: by token for votes on tokens, else by exact match.
        annotators: names of the voters. Default: all.
        name: name of the gold layer. Default: dawid-skene or majority, by the vote.

    Raises:
        SettingError: if a name is unknown, a number is out of range, or a layer has the name.

    >>> layers = {"ann": [[(0, 2, "X")]], "bob": [[(0, 2, "X")]], "cem": [[(0, 3, "X")]]}
    >>> result = make_gold(Corpus.from_segments([5], layers))
    >>> result.name, result.layer.end.tolist(), result.counted.share.round(2).tolist()
    ('dawid-skene', [2], [1.0])
    """
    corpus = as_corpus(corpus)
    check_contiguous(corpus, "a vote")
    if vote is not None:
        check_choice(vote, VOTES, "vote")
    check_integer(min_annotators, 1, "min_annotators")
    _check_share(share)
    if vote == "dawid-skene" and (weighted or share is not None):
        raise SettingError(
            f"{'weighted' if weighted else 'share'} is for votes on tokens or segments; dawid-skene"
            " weighs annotators by itself and takes what is most probable: leave it out"
        )
    voters_corpus, chosen_names = choose_annotators(corpus, annotators)
    notes = [*voters_corpus.notes, *write_note_on_unplaced(voters_corpus, "votes")]
    voters_corpus = voters_corpus.replace(unplaced={})
    voter_names = voters_corpus.annotators
    if vote is None:
        vote, reasons = _choose_vote(voters_corpus, weighted or share is not None)
        notes += reasons
    if name is None:
        name = vote if vote == "dawid-skene" else MAJORITY
    if not isinstance(name, str) or not name or name in corpus.layers:
        raise SettingError(
            f"name {quote_value(name)}; a name that no annotator has is needed: pass another"
        )
    weights, weight_options = np.ones(len(voter_names)), None
    if weighted:
        from spanagree.project.voter_weights import (  # few ask for weights
            choose_weight_options,
            compute_weights,
            write_note_on_zero_weights,
        )

        weight_options = choose_weight_options(voters_corpus, vote)
        weights = compute_weights(voters_corpus, *weight_options)
        notes += write_note_on_zero_weights(voter_names, weights)
    n_seen = count_seen(voters_corpus)
    has_enough = n_seen >= min_annotators
    integer_weights = np.round(weights * UNIT).astype(np.int64)
    ballots = Ballots.from_corpus(voters_corpus, integer_weights).select_documents(has_enough)
    votes = _count_votes(voters_corpus, vote, share, ballots, has_enough)
    is_gold = votes.outcome == GOLD
    document, start, end, label = (column[is_gold] for column in votes[:4])
    origin = _describe_origin(vote, share, min_annotators, weight_options)
    with_gold = add_layer(corpus, name, Layer(document, start, end, label, has_enough), origin)
    settings = Settings(offsets=corpus.offsets, reading=with_gold.reading, chosen=chosen_names)
    return Gold(
        with_gold,
        name,
        vote,
        voter_names,
        weights,
        votes,
        n_seen,
        settings,
        tuple(notes),
    )


def _count_votes(
    corpus: Corpus, vote: Vote, share: float | None, ballots: Ballots, has_enough: Bools
) -> VotedSegments:
    """Apply the rule of a vote in documents with enough voters.

    Args:
        corpus: voters as layers.
        vote: name of the rule.
        share: needed share of the votes, or `None` for more than half.
        ballots: segments of the voters in documents with enough voters.
        has_enough: mask of documents with enough voters.

    Raises:
        SettingError: if vote is dawid-skene, and an annotator gave a token two labels.
    """
    if vote == "segments":
        return elect_segments(ballots, share)
    if vote == "tokens":
        return elect_tokens(ballots, share)
    if overlap := _describe_overlap(corpus):
        raise SettingError(
            f"{overlap}, and dawid-skene takes one label for each token; vote on tokens or on"
            " segments"
        )
    is_seen = np.stack([layer.annotated for layer in corpus.layers.values()]) & has_enough
    return elect_by_probabilities(ballots, corpus.lengths, is_seen)


def _describe_origin(
    vote: Vote, share: float | None, min_annotators: int, weight_options: tuple[str, str] | None
) -> str:
    """Write the rule of a vote as one word, such as tokens/share-0.5/least-2, for signatures.

    Args:
        vote: name of the rule.
        share: needed share of the votes, or `None` for more than half.
        min_annotators: smallest number of voters of a document.
        weight_options: measure and chance model of the weights, if votes are weighted.
    """
    words: list[str] = [vote]
    if vote != "dawid-skene":
        words.append("more-than-half" if share is None else f"share-{share:g}")
    words.append(f"least-{min_annotators}")
    if weight_options is not None:
        words.append(f"weighted-{'-'.join(weight_options)}")
    return "/".join(words)


def add_layer(corpus: Corpus, name: str, layer: Layer, origin: str) -> Corpus:
    """Add a layer that was computed from others; settings record its origin."""
    reading = {**corpus.reading, "made": {**corpus.reading.get("made", {}), name: origin}}
    return corpus.replace(layers={**corpus.layers, name: layer}, reading=reading)


def _check_share(share: float | None) -> None:
    """Check that a share is above 0 and at most 1."""
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
"""Reasons why errors cannot be estimated, by the number of annotators."""


def _choose_vote(corpus: Corpus, has_options: bool) -> tuple[Vote, list[str]]:
    """Choose the rule of the vote, and write a note if it is not the usual rule.

    ``has_options`` is true if a share or weights, which are for votes on tokens, were requested.

    Returns:
        Name of the rule, and the note in a list, or an empty list.
    """
    if has_options:
        return "tokens", []
    if reason := _TOO_FEW.get(len(corpus.layers)):
        return "tokens", [f"{reason}: a vote on tokens"]
    if overlap := _describe_overlap(corpus):
        return "tokens", [f"{overlap}, which dawid-skene has no place for: a vote on tokens"]
    return "dawid-skene", []


def _describe_overlap(corpus: Corpus) -> str:
    """Describe the first overlap of two segments of one annotator; empty if no segments overlap."""
    for name, layer in corpus.layers.items():
        is_same_document = layer.document[1:] == layer.document[:-1]
        overlaps = np.flatnonzero(is_same_document & (layer.start[1:] < layer.end[:-1]))
        if len(overlaps):
            row = int(overlaps[0])
            document = quote_value(corpus.id_of(int(layer.document[row])))
            first, second = (f"{layer.start[i]}–{layer.end[i]}" for i in (row, row + 1))
            return (
                f"{quote_value(name)}, document {document}: segments {first} and {second} overlap"
            )
    return ""
