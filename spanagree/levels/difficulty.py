"""Difficulty of documents: 1 − the agreement that chance alone would give (Li et al. 2024).

With a gold annotation Ψ the difficulty is

    1 − E[Sim(Ψ, Ψ)],

where E[Sim(Ψ, Ψ)] is the expected F1 of two random annotations that both have the number, lengths
and labels of Ψ. For a team the expectation is the mean of E[Sim(Ψ_i, Ψ_j)] over all ordered pairs
of annotators who saw the document, i = j included. Easy documents come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from spanagree.arrays import Bools, Floats, Progress
from spanagree.chance.model import Given, build_chance_model
from spanagree.choices import ChanceOrAuto, MatchName
from spanagree.comparisons.counting import MatchCountOptions, collect_gold_settings
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.overlaps import choose_chance_of_corpus
from spanagree.comparisons.place_shares import (
    PlacementStatistics,
    insert_uniform_column,
    list_rule_notes,
)
from spanagree.corpus.roles import as_list, choose_annotators
from spanagree.corpus.times import convert_table_to_seconds
from spanagree.errors import (
    SettingError,
    check_known,
    escape_name,
    format_count_of_total,
    pluralize,
)
from spanagree.formats.guessed import CorpusLike, as_corpus_or_parts
from spanagree.levels.count import (
    DifficultySettings,
    Documents,
    compute_documents,
    compute_marked_shares,
)
from spanagree.parts.each import Part, read_whole_corpus
from spanagree.results import verdict
from spanagree.results.cells import format_figure
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import POINTS, Plot, plot_lines, plot_sentence
from spanagree.results.result import Result
from spanagree.settings import document_noun

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

TIE = 1e-12  # difficulties closer than this are equal
NOTHING = "no document has a difficulty"
EASY = 0.5  # largest difficulty of an easy document: chance alone gives half of full agreement

_BINS, _BAR = 20, 40  # of the histogram: bins from 0 to 1, characters of the longest bar
_DIGITS = 12
_MOST = 20  # largest number of documents that a terminal shows in full
_ENDS = 5  # easiest and hardest documents in a terminal
_NAMED = 5  # annotators in the caption


@dataclass(frozen=True, eq=False, repr=False)
class Difficulty(Result):
    """The result of :func:`difficulty`.

    Attributes:
        chance: agreement by chance alone in each document; ``nan`` if no annotator who saw the
            document marked anything in it.
        expected: expected match in each document, summed over ordered pairs of annotators.
        size: mean size of the two annotations of a pair (in segments, or tokens) in each
            document, summed over ordered pairs.
        marked: share of the units (tokens, or characters) of each document that an annotator
            marks, as mean over the annotators who saw it; ``nan`` if no annotator did.
        seen: mask of the documents that at least one annotator saw.
        annotators: names of the annotators; one name for a gold annotation.
        document_ids: names of the documents, or ``None`` if they are numbered from 1.
        settings: settings of the computation.
        notes: notes on the data and the result, one sentence each.
        places: shares of segments that follow the rule of places, or ``None`` without a rule.
        uniform: ``chance`` without that rule.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([2, 20], {"gold": [[(0, 1, "X")], [(4, 6, "X")]]})
    >>> found = sa.difficulty(corpus, gold="gold")
    >>> found.chance.round(3).tolist(), found.values.round(3).tolist()
    ([0.5, 0.053], [0.5, 0.947])
    """

    chance: Floats
    expected: Floats
    size: Floats
    marked: Floats
    seen: Bools
    annotators: tuple[str, ...]
    document_ids: tuple[str, ...] | None
    settings: DifficultySettings
    notes: tuple[str, ...] = ()
    places: PlacementStatistics | None = field(default=None, repr=False, compare=False)
    uniform: Floats | None = field(default=None, repr=False, compare=False)

    @cached_property
    def values(self) -> Floats:
        """Difficulty of each document, 1 − chance; ``nan`` where undefined."""
        return 1 - self.chance

    @property
    def defined(self) -> Bools:
        """Mask of documents with a difficulty."""
        return ~np.isnan(self.chance)

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.chance)

    def id_of(self, document: int) -> str:
        """Return the id of a document or, if documents have no ids, its position from 1."""
        return str(document + 1) if self.document_ids is None else self.document_ids[document]

    def check_documents(self, number: int, ids: tuple[str, ...] | None, source: str) -> None:
        """Check that a source has the documents of the difficulty.

        Args:
            number: number of documents of the source.
            ids: names of these documents, or ``None``.
            source: noun for the source, for the message.

        Raises:
            SettingError: if the number of documents or their names differ.
        """
        if (number, ids) != (len(self), self.document_ids):
            raise SettingError(
                f"the difficulty is that of other documents ({len(self)} of them; the {source} has"
                f" {number}); make it of the same corpus"
            )

    @property
    def verdict(self) -> str:
        """Sentence on the number of documents in which chance gives an F1 of at least .5."""
        values = self.values[self.defined]
        if not len(values):
            reason = self.settings.get("chance_undefined")
            reason_suffix = f": {escape_name(reason)}" if reason else ""
            return f"{NOTHING[:1].upper()}{NOTHING[1:]}{reason_suffix}."
        n_easy, noun = int((values <= EASY).sum()), document_noun(self.settings)
        of_documents = f"of {pluralize(len(values), noun)}"
        sentence = f"In none {of_documents} does chance alone give an F1 of .500 or more"
        if n_easy:
            sentence = (
                f"In {n_easy} {of_documents} chance alone gives an F1 of .500 or more, so agreement"
            )
            sentence += " there says little"
        median = verdict.format_short(float(np.median(values)))
        return f"{sentence}; the median difficulty is {median}."

    TABLES: ClassVar[Mapping[str, str | None]] = {"documents": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("annotators", "undefined=_n_undefined", "places?")

    @property
    def _n_undefined(self) -> int:
        """Number of documents without a difficulty."""
        return int((~self.defined).sum())

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with a row for each document; a terminal shows a shorter table."""
        noun = document_noun(self.settings)
        reasons = np.where(self.seen, "nothing marked", "not seen")
        figures = (self.values, self.chance, self.expected, self.size, self.marked)
        columns = (*figures, np.where(self.defined, "", reasons))
        ids = map(self.id_of, range(len(self)))
        n_seen_of_all = format_count_of_total(int(self.seen.sum()), len(self), noun)
        table = Frame(
            [
                Column("document", noun, "name", "document of difficulty"),
                Column("difficulty", "difficulty"),
                Column("chance", "chance", meaning="chance of a document"),
                Column("expected", "expected match", "number"),
                Column("size", "size", "number"),
                Column("marked"),
                Column("undefined", "", "name"),
            ],
            list(zip(ids, *(column.tolist() for column in columns), strict=True)),
            self.settings,
            caption=f"difficulty of {n_seen_of_all} by {self._name_annotators()}",
            remarks=[*write_remarks(self), *self._write_remarks_on_places()],
        )
        table = convert_table_to_seconds(table, "expected", "size")
        if self.places is not None and self.uniform is not None:
            uniform = dict(
                zip(map(self.id_of, range(len(self))), self.uniform.tolist(), strict=True)
            )
            table = insert_uniform_column(
                table, "chance", lambda row: uniform[row[0]], self.places.rule
            )
        return replace(table, in_terminal=self._shorten_table(table))

    def _write_remarks_on_places(self) -> list[str]:
        """Write the remarks on segments that do not follow the rule of places."""
        if self.places is None:
            return []
        return self.places.write_remarks({self._name_annotators(): list(self.places.annotators)})

    def _shorten_table(self, table: Frame) -> Frame:
        """Build the table for a terminal: a histogram, and the easiest and hardest documents."""
        short = replace(table, caption="\n".join([table.caption, "", *_draw_bars(self)]))
        easiest_first = np.flatnonzero(self.defined)
        if len(easiest_first) <= _MOST:
            return short
        easiest_first = easiest_first[np.argsort(self.values[easiest_first], kind="stable")]
        selection_remark = (
            f"the {_ENDS} easiest and the {_ENDS} hardest of {len(easiest_first)};"
            " --format csv has all"
        )
        rows = [
            table.rows[document_index]
            for document_index in (*easiest_first[:_ENDS], *easiest_first[-_ENDS:])
        ]
        return replace(short, rows=rows, breaks=[_ENDS], remarks=[*table.remarks, selection_remark])

    def _name_annotators(self) -> str:
        """Name the annotators, the first ones if there are many."""
        names = ", ".join(map(escape_name, self.annotators[:_NAMED]))
        n_more = len(self.annotators) - _NAMED
        team = "the team of " if len(self.annotators) > 1 else ""
        return f"{team}{names}{f' and {n_more} more' if n_more > 0 else ''}"

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the F1 by chance alone of each document against its marked share."""
        if not self.defined.any():
            return plot_sentence(NOTHING)
        document = f"a {document_noun(self.settings)}"
        points = {document: (self.marked[self.defined], self.chance[self.defined])}
        share = f"share of {document} that is marked"
        return plot_lines(points, (share, "F1 by chance alone"), POINTS)


def count_bins(result: Difficulty) -> tuple[list[int], list[float]]:
    """Count the documents in bins of difficulty from 0 to 1.

    Returns:
        Number of documents in each bin, and edges of the bins: one more than there are bins.
    """
    values = result.values[result.defined]
    # values and edges are rounded to the same digit, so that a difficulty at an edge is in the
    # bin above it
    edges = np.round(np.linspace(0, 1, _BINS + 1), _DIGITS)
    counts, _ = np.histogram(np.round(np.clip(values, 0, 1), _DIGITS), bins=edges)
    return counts.tolist(), edges.tolist()


def _draw_bars(result: Difficulty) -> list[str]:
    """Draw the histogram of difficulties as lines of text, from the first bin with a document."""
    counts, edges = count_bins(result)
    if not any(counts):
        return [NOTHING]
    first_bin = next(i for i, n_documents in enumerate(counts) if n_documents)
    lines = []
    for n_documents, low, high in zip(
        counts[first_bin:], edges[first_bin:], edges[first_bin + 1 :], strict=False
    ):
        bar = "█" * max(round(_BAR * n_documents / max(counts)), bool(n_documents))
        lines.append(f"{low:.2f}–{high:.2f}  {bar:<{_BAR}}  {n_documents}")
    return lines


def write_remarks(result: Difficulty) -> list[str]:
    """Write remarks on the range of difficulties, and on documents that have no difficulty."""
    values = result.values[result.defined]
    sentences = []
    if len(values):
        median, smallest, largest = map(
            format_figure, (np.median(values), values.min(), values.max())
        )
        sentences.append(f"median {median}, from {smallest} to {largest}")
    marker = (
        escape_name(result.annotators[0]) if len(result.annotators) == 1 else "nobody of the team"
    )
    object_pronoun = "anything" if len(result.annotators) > 1 else "nothing"
    if result.settings.get("chance_undefined"):
        return verdict.write_chance_remarks(result.settings)
    documents_by_remark = {
        f"without a difficulty: {marker} marked {object_pronoun} there": result.seen
        & ~result.defined,
        "without a difficulty: not seen": ~result.seen,
        "below 0: random segments that may overlap can match more than fully": values < 0,
    }
    return sentences + [
        f"{has_remark.sum()} {remark}"
        for remark, has_remark in documents_by_remark.items()
        if has_remark.any()
    ]


def difficulty(
    corpus: CorpusLike | Iterable[Part],
    gold: str | None = None,
    *,
    annotators: Sequence[str] | None = None,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    places: Given | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Progress = None,
) -> Difficulty:
    """Compute the difficulty of each document: 1 − the agreement that chance alone would give.

    Args:
        corpus: annotations as layers; or parts of a corpus with consecutive documents, as for
            :func:`spanagree.evaluate`.
        gold: name of the gold layer.
        annotators: names of the annotators of a team. Default: all layers. Not
            allowed with ``gold``.
        match: name of the measure.
        chance: chance model, nonoverlapping, per-label or overlapping; auto takes the first of
            these that the segments of all layers allow.
        places: rule for the positions of random segments; see :func:`spanagree.evaluate`.
        seed: random seed, an integer from 0, for expected scores that have to be drawn.
        executor: ``concurrent.futures.Executor`` with workers that read the parts.
        progress: callback that receives the number of finished pairs of annotations (or parts)
            and of all.

    Raises:
        SettingError: if a name is unknown, both gold and annotators are passed, there is no layer,
            or a layer overlaps itself and the measure or the chance model does not allow it.
        InputError: if a part cannot be read, or the parts do not belong together.

    >>> from spanagree.corpus.corpus import Corpus
    >>> corpus = Corpus.from_segments([2, 20, 5], {"gold": [[(0, 1, "X")], [(4, 6, "X")], []]})
    >>> difficulty(corpus, gold="gold").values.round(3).tolist()
    [0.5, 0.947, nan]
    """
    if gold is not None and annotators is not None:
        raise SettingError("gold and annotators; difficulty is that of one or of the other")
    annotators = as_list(annotators)
    model = build_chance_model(chance, places, seed=seed)
    with_text = model.places is not None
    corpus = read_whole_corpus(as_corpus_or_parts(corpus), executor, progress, with_text=with_text)
    named_model = model
    model, corpus = choose_chance_of_corpus(corpus, match, model).bind_to_ids(corpus)
    if model.first_is_fixed:
        raise SettingError("chance_of systems: difficulty is that of one annotation; leave it out")
    counting = MatchCountOptions.from_request(match, model, named_model, progress)
    if not (corpus.layers if annotators is None else annotators):
        raise SettingError("no annotator; difficulty needs one at least")
    team, chosen = choose_annotators(corpus, annotators)
    if gold is not None:
        check_known([gold], corpus.annotators, "gold")
        team = corpus.select_annotators([gold])

    def measure_documents(
        counting: MatchCountOptions,
    ) -> tuple[MatchCountOptions, tuple[Documents, ApproximationError]]:
        counting.check(team)
        return counting, compute_documents(team, counting)

    counting, (documents, inexact) = counting.run(measure_documents)
    description, uniform_counting = counting.describe(team), counting.remove_places()
    shares = description.shares
    return Difficulty(
        chance=documents.chance,
        expected=documents.expected,
        size=documents.size,
        marked=compute_marked_shares(team),
        seen=documents.seen,
        annotators=team.annotators,
        document_ids=documents.ids,
        settings=DifficultySettings(
            of_="team" if gold is None else "gold",
            annotators=len(team.layers),
            chosen=chosen,
            **collect_gold_settings(gold, corpus),
            **counting.collect_settings(team, inexact, description),
        ),
        notes=(
            *team.notes,
            *description.notes(),
            *inexact.notes(2 * float(documents.size.sum())),
            *list_rule_notes(shares),
        ),
        places=shares,
        uniform=None
        if uniform_counting is None
        else compute_documents(team, uniform_counting)[0].chance,
    )
