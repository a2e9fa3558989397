"""Gold annotations by the votes of annotators, with the segments left to be adjudicated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.agreement.disagreements import LONGEST, extract_texts
from spanagree.arrays import Bools, Floats, Ints, group_indices
from spanagree.chance.model import AUTO, ChanceModel
from spanagree.choices import MAJORITY, MIN_ANNOTATORS, MatchName, Vote
from spanagree.comparisons.overlaps import check_layers, choose_chance_of_corpus
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.placed import write_note_on_unplaced
from spanagree.corpus.roles import choose_annotators
from spanagree.corpus.segments import Layer, is_time
from spanagree.corpus.times import convert_to_seconds
from spanagree.errors import (
    SettingError,
    check_choice,
    check_integer,
    escape_name,
    format_count_of_total,
    join_names,
    pluralize,
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
    elect_by_probabilities,
    elect_segments,
    elect_tokens,
)
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_counts
from spanagree.results.result import Result
from spanagree.settings import Settings, document_noun

VOTES = {
    "tokens": "a token gets the label that enough gave it, and boundaries are voted on too",
    "segments": "a segment is taken that enough marked, with these boundaries and this label",
    "dawid-skene": "a token gets its most probable label, given how often each annotator errs",
}
"""Rules of votes, by name."""

FEW = "few"
_BINS = 20


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
    def _share_title(self) -> str:
        """Name of the share of a segment; a model computes a probability."""
        return "probability" if self.vote == "dawid-skene" else "share"

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
            rows[self.counted.document[i]].append(self._describe_segment(i))
        return rows

    def _describe_segment(self, i: int) -> dict[str, Any]:
        """Return one of the segments of the vote as plain data."""
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
        """Sentence on the numbers of segments that were elected, and to be adjudicated."""
        has_enough = self.layer.annotated
        documents = format_count_of_total(
            int(has_enough.sum()), len(has_enough), document_noun(self.settings)
        )
        elected = f"{pluralize(len(self.layer), 'segment')} in {documents}"
        return (
            f"The vote gives {elected}; to be adjudicated: {self._write_open_cases() or 'nothing'}."
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {
        "labels": None, "segments": "segment", "adjudicate": "adjudicate"
    }  # fmt: skip

    SUMMARY: ClassVar[tuple[str, ...]] = ("layer=name", "weights=_weights", "few=_n_voters_of_few")

    @property
    def _weights(self) -> dict[str, float]:
        """Weight of each voter, by name."""
        return dict(zip(self.voters, self.weights.tolist(), strict=True))

    @property
    def _n_voters_of_few(self) -> dict[str, int]:
        """Number of voters for each document that too few voters saw, by id."""
        return {self.corpus.id_of(d): int(self.seen[d]) for d in self.few.tolist()}

    def _build_table(self, by: str | None) -> Frame:
        """Build the table by label, of segments, or of cases to be adjudicated."""
        if by is None:
            return self._tabulate_labels()
        column_kind = "number" if is_time(self.corpus.offsets) else "count"
        columns = [
            Column("document", document_noun(self.settings), "name", "document of a vote"),
            Column("outcome", "" if by == "segment" else "outcome", "name"),
            *(Column(end, "", column_kind) for end in ("start", "end")),
            Column("", "segment", "name", "segment of a vote"),
            Column("label", "label", "name", "segment of a vote"),
            Column("text", "", "name"),
            Column("", "text", "name", "segment of a vote"),
            Column("share", self._share_title, meaning="share of votes"),
            Column("support", "support", "count"),
            Column("annotators", "of", "count", meaning="annotators"),
            Column("supporters", "", "name"),
            Column("", "who", "name", "support"),
        ]
        rows_shown = np.flatnonzero((self.counted.outcome == GOLD) == (by == "segment"))
        texts = extract_texts(self.corpus, *(column[rows_shown] for column in self.counted[:3]))
        rows = [
            self._build_row(i, text) for i, text in zip(rows_shown.tolist(), texts, strict=True)
        ]
        few_seen = self.few.tolist() if by == "adjudicate" else []
        empty_cells: list[Value] = [None, None, "", None, None, "", None, None]
        rows += [
            [self.corpus.id_of(d), FEW, *empty_cells, int(self.seen[d]), None, ""] for d in few_seen
        ]
        return self._build_captioned_table(columns, rows)

    def _build_row(self, i: int, text: str) -> list[Value]:
        """List the cells of the segment of the vote with index ``i``, whose text is passed."""
        d, entry = int(self.counted.document[i]), self._describe_segment(i)
        start, end = convert_to_seconds((entry["start"], entry["end"]), self.corpus.offsets)
        names = ", ".join(entry["supporters"])
        shown_text = truncate(text, LONGEST)
        return [
            self.corpus.id_of(d),
            OUTCOMES[self.counted.outcome[i]],
            *(
                start,
                end,
                f"{start:.12g}–{end:.12g}",
                entry["label"],
                text,
                shown_text,
                entry["share"],
            ),
            *(len(entry["supporters"]), entry["annotators"], names, truncate(names, LONGEST)),
        ]

    def _tabulate_labels(self) -> Frame:
        """Build a table of the elected segments and the segments to adjudicate of each label."""
        counted, rows = self.counted, []
        is_gold = counted.outcome == GOLD
        for code in np.unique(counted.label).tolist():
            has_label = counted.label == code
            is_elected = has_label & is_gold
            share = float(counted.share[is_elected].mean()) if is_elected.any() else float("nan")
            rows.append(
                [
                    self.corpus.labels[code],
                    int(is_elected.sum()),
                    share,
                    int((has_label & ~is_gold).sum()),
                ]
            )
        columns = [
            Column("label", "label", "name", "label of a vote"),
            Column("segments", "segments", "count", "segments of a vote"),
            Column("share", f"mean {self._share_title}", "figure", "share of votes"),
            Column("adjudicate", "to adjudicate", "count"),
        ]
        remarks = [f"to adjudicate: {self._write_open_cases()}; --by adjudicate lists them"]
        return self._build_captioned_table(columns, rows, *remarks * bool(self._write_open_cases()))

    def _build_captioned_table(
        self, columns: list[Column], rows: list[list[Value]], *remarks: str
    ) -> Frame:
        """Build a table of the gold with its caption; without rows, text shows no columns."""
        if not rows:
            columns = [column._replace(title="") for column in columns]
        has_enough = self.layer.annotated
        documents = format_count_of_total(
            int(has_enough.sum()), len(has_enough), document_noun(self.settings)
        )
        n_voters = pluralize(len(self.voters), "annotator")
        gold_text = (
            f"{escape_name(self.name)}: {pluralize(len(self.layer), 'segment')} in {documents}"
        )
        caption = f"{gold_text}, by the votes of {n_voters}"
        return Frame(columns, rows, self.settings, caption=caption, remarks=remarks)

    def _write_open_cases(self) -> str:
        """Write the numbers of ties, tied boundaries, conflicts, and documents with few voters."""
        names = {"tie": "tie", "border": "tied boundary", "conflict": "conflict"}
        n_cases = np.bincount(self.counted.outcome, minlength=len(OUTCOMES)).tolist()
        n_by_outcome = dict(zip(OUTCOMES, n_cases, strict=True))
        clauses = [
            pluralize(n_by_outcome[kind], noun)
            for kind, noun in names.items()
            if n_by_outcome[kind]
        ]
        if n_few := len(self.few):
            clauses.append(
                f"{pluralize(n_few, document_noun(self.settings))} with too few annotators"
            )
        return ", ".join(clauses)

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the distribution of the share of votes over the gold segments."""
        shares = self.counted.share[self.counted.outcome == GOLD]
        counts, edges = np.histogram(shares, bins=np.linspace(0, 1, _BINS + 1))
        names = [f"{low:.2f}–{high:.2f}" for low, high in pairwise(edges.tolist())]
        first_bin = int(np.argmax(counts > 0))
        shown = zip(names[first_bin:], counts[first_bin:].tolist(), strict=True)
        return plot_counts(dict(shown), "segments by their share of the votes")


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
    voter_names = list(voters_corpus.layers)
    notes = [*voters_corpus.notes, *write_note_on_unplaced(voters_corpus, "votes")]
    voters_corpus = voters_corpus.replace(unplaced={})
    if vote is None:
        vote, reasons = _choose_vote(voters_corpus, weighted or share is not None)
        notes += reasons
    if name is None:
        name = vote if vote == "dawid-skene" else MAJORITY
    if not isinstance(name, str) or not name or name in corpus.layers:
        raise SettingError(
            f"name {quote_value(name)}; a name that no annotator has is needed: pass another"
        )
    weight_options = _choose_weight_options(voters_corpus, vote) if weighted else None
    weights = (
        np.ones(len(voter_names))
        if weight_options is None
        else _compute_weights(voters_corpus, *weight_options)
    )
    ballots = Ballots.from_corpus(corpus, voter_names, np.round(weights * UNIT).astype(np.int64))
    has_enough = ballots.seen >= min_annotators
    votes = _count_votes(
        voters_corpus, vote, share, ballots.select_documents(has_enough), has_enough
    )
    is_gold = votes.outcome == GOLD
    document, start, end, label = (column[is_gold] for column in votes[:4])
    origin = _describe_origin(vote, share, min_annotators, weight_options)
    with_gold = add_layer(corpus, name, Layer(document, start, end, label, has_enough), origin)
    settings = Settings(offsets=corpus.offsets, reading=with_gold.reading, chosen=chosen_names)
    notes += _write_note_on_zero_weights(voter_names, weights)
    return Gold(
        with_gold,
        name,
        vote,
        tuple(voter_names),
        weights,
        votes,
        ballots.seen,
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
    n_labels = max(1, len(corpus.labels))
    if vote == "segments":
        return elect_segments(ballots, share)
    if vote == "tokens":
        return elect_tokens(ballots, share, n_labels)
    if overlap := _describe_overlap(corpus):
        raise SettingError(
            f"{overlap}, and dawid-skene takes one label for each token; vote on tokens or on"
            " segments"
        )
    is_seen = np.stack([layer.annotated for layer in corpus.layers.values()]) & has_enough
    return elect_by_probabilities(ballots, corpus.lengths, is_seen, n_labels)


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
        by_start = np.lexsort((layer.start, layer.document))
        document, start, end = (
            column[by_start] for column in (layer.document, layer.start, layer.end)
        )
        overlaps = np.flatnonzero((document[1:] == document[:-1]) & (start[1:] < end[:-1]))
        if len(overlaps):
            first_row = int(overlaps[0])
            return (
                f"{quote_value(name)}, document"
                f" {quote_value(corpus.id_of(int(document[first_row])))}:"
                f" segments {start[first_row]}–{end[first_row]} and"
                f" {start[first_row + 1]}–{end[first_row + 1]} overlap"
            )
    return ""


def _choose_weight_options(corpus: Corpus, vote: str) -> tuple[MatchName, str]:
    """Choose the measure and the chance model of the weights of voters.

    Returns:
        Names of the measure and of the chance model, the first that all layers allow.
    """
    candidates: list[MatchName] = ["token", "exact"] if vote == "tokens" else ["exact"]
    for match in candidates:
        chance = choose_chance_of_corpus(corpus, match, ChanceModel(AUTO))
        with suppress(SettingError):
            check_layers(corpus, match, chance)
            return match, chance.name
    raise AssertionError("exact match allows all annotators, and so does chance overlapping")


def _compute_weights(corpus: Corpus, match: MatchName, chance: str) -> Floats:
    """Compute the weight of each voter: corrected F1 against the others, and 0 if it is negative.

    The mean weight replaces an undefined F1.
    """
    scores = agree(corpus, match=match, chance=chance).annotators.values()
    weights = np.array([score.f1.corrected for score in scores], np.float64)
    is_known = ~np.isnan(weights)
    mean_weight = weights[is_known].clip(0).mean() if is_known.any() else 1.0
    return np.where(is_known, weights.clip(0), mean_weight)


def _write_note_on_zero_weights(names: Sequence[str], weights: Floats) -> list[str]:
    """Write a note on voters without weight, whose agreement is no better than chance."""
    names_without = [
        name for name, weight in zip(names, weights.tolist(), strict=True) if weight == 0
    ]
    subject = (
        f"{pluralize(len(names_without), 'annotator')} without a weight, agreeing no better than"
        " chance"
    )
    return [f"{subject}: {join_names(names_without)}"] if names_without else []
