"""Difficulty: what chance alone would give on a document, and levels of documents by it.

The difficulty of a document is 1 − the agreement that chance alone would give (Li et al. 2024):
with a gold annotation 1 − E[Sim(Ψ, Ψ)], the expected F1 of two random annotations that both have
its number, lengths and labels; for a team the mean of E[Sim(Ψ_i, Ψ_j)] over all ordered pairs of
those who saw the document, i = j included. Easy documents come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from spanagree.arrays import Bools, Floats, Progress
from spanagree.chance.model import Given, chance_model
from spanagree.choices import ChanceOrAuto, MatchName
from spanagree.comparisons.counting import MatchCounting, of_gold
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.overlaps import chance_of_corpus
from spanagree.comparisons.place_shares import PlaceShares, notes_of, with_uniform
from spanagree.corpus.roles import as_list, choose_annotators
from spanagree.corpus.times import with_seconds
from spanagree.errors import SettingError, check_known, counted, counted_of, printable
from spanagree.formats.guessed import CorpusLike, source_of
from spanagree.levels.count import DifficultySettings, Documents, documents_of
from spanagree.parts.each import Part, whole_corpus
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, figure
from spanagree.results.plots import Picture, scatter, sentence
from spanagree.results.result import Result
from spanagree.settings import unit

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

TIE = 1e-12  # difficulties closer than this are the same
NOTHING = "no document has a difficulty"
EASY = 0.5  # chance alone gives as much as is left

_BINS, _BAR = 20, 40  # of the histogram: bins from 0 to 1, characters of the longest bar
_DIGITS = 12
_MOST = 20  # documents that a terminal shows in full; of more, the easiest and the hardest
_ENDS = 5
_NAMED = 5  # annotators in the caption


@dataclass(frozen=True, eq=False, repr=False)
class Difficulty(Result):
    """The result of :func:`difficulty`.

    Attributes:
        chance: per document the agreement that chance alone would give; ``nan`` where undefined, as
            no annotator who saw the document marked anything in it.
        expected: per document the expected match, summed over ordered pairs of annotators.
        size: per document the size of an annotation (segments, or tokens), summed alike.
        marked: per document the share of its units (tokens, or characters) that an annotator
            marks, mean over those who saw it; ``nan`` if nobody did.
        seen: which documents one of the annotators saw at all.
        annotators: whose annotations these are; one name for a gold annotation.
        document_ids: the names of the documents; without them they are numbered from 1.
        settings: what made the numbers.
        notes: what a reader repaired or passed over.
        places: how segments stand to the rule of places, if chance has one.
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
    places: PlaceShares | None = field(default=None, repr=False, compare=False)
    uniform: Floats | None = field(default=None, repr=False, compare=False)

    @cached_property
    def values(self) -> Floats:
        """Per document its difficulty, 1 − chance; ``nan`` where undefined."""
        return 1 - self.chance

    @property
    def defined(self) -> Bools:
        """Which documents have a difficulty."""
        return ~np.isnan(self.chance)

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.chance)

    def id_of(self, document: int) -> str:
        """Return the name of a document: its id, or its number from 1."""
        return str(document + 1) if self.document_ids is None else self.document_ids[document]

    def check_documents(self, number: int, ids: tuple[str, ...] | None, source: str) -> None:
        """Refuse another source than that of the difficulty, by its documents.

        Raises:
            SettingError: naming both numbers of documents.
        """
        if (number, ids) != (len(self), self.document_ids):
            raise SettingError(
                f"the difficulty is that of other documents ({len(self)} of them; the {source} has"
                f" {number}); make it of the same corpus"
            )

    @property
    def verdict(self) -> str:
        """Where chance alone would give half of full agreement, or more."""
        values = self.values[self.defined]
        if not len(values):
            reason = self.settings.get("chance_undefined")
            why = f": {printable(reason)}" if reason else ""
            return f"{NOTHING[:1].upper()}{NOTHING[1:]}{why}."
        easy, noun = int((values <= EASY).sum()), unit(self.settings)
        of_all = f"of {counted(len(values), noun)}"
        sentence = f"In none {of_all} does chance alone give an F1 of .500 or more"
        if easy:
            sentence = f"In {easy} {of_all} chance alone gives an F1 of .500 or more, so agreement"
            sentence += " there says little"
        median = verdict.short(float(np.median(values)))
        return f"{sentence}; the median difficulty is {median}."

    TABLES: ClassVar[Mapping[str, str | None]] = {"documents": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("annotators", "undefined=_undefined", "places?")

    @property
    def _undefined(self) -> int:
        """How many documents have no difficulty."""
        return int((~self.defined).sum())

    def _table(self, by: str | None) -> Frame:
        """A row for each document."""
        document = unit(self.settings)
        reasons = np.where(self.seen, "nothing marked", "not seen")
        figures = (self.values, self.chance, self.expected, self.size, self.marked)
        columns = (*figures, np.where(self.defined, "", reasons))
        ids = map(self.id_of, range(len(self)))
        over = counted_of(int(self.seen.sum()), len(self), document)
        table = Frame(
            [
                Column("document", document, "name", "document of difficulty"),
                Column("difficulty", "difficulty"),
                Column("chance", "chance", meaning="chance of a document"),
                Column("expected", "expected match", "number"),
                Column("size", "size", "number"),
                Column("marked"),
                Column("undefined", "", "name"),
            ],
            list(zip(ids, *(column.tolist() for column in columns), strict=True)),
            self.settings,
            caption=f"difficulty of {over} by {self._whose()}",
            remarks=[*remarks(self), *self._remarks_on_places()],
        )
        table = with_seconds(table, "expected", "size")
        if self.places is not None and self.uniform is not None:
            uniform = dict(
                zip(map(self.id_of, range(len(self))), self.uniform.tolist(), strict=True)
            )
            table = with_uniform(table, "chance", lambda row: uniform[row[0]], self.places.rule)
        return replace(table, in_terminal=self._short(table))

    def _remarks_on_places(self) -> list[str]:
        """Say how segments stand to the rule of places."""
        if self.places is None:
            return []
        return self.places.remarks({self._whose(): list(self.places.annotators)})

    def _short(self, table: Frame) -> Frame:
        """Return a terminal's table: a histogram, and of many documents the ends of the order."""
        short = replace(table, caption="\n".join([table.caption, "", *_bars(self)]))
        order = np.flatnonzero(self.defined)
        if len(order) <= _MOST:
            return short
        order = order[np.argsort(self.values[order], kind="stable")]
        many = f"the {_ENDS} easiest and the {_ENDS} hardest of {len(order)}; --format csv has all"
        rows = [table.rows[d] for d in (*order[:_ENDS], *order[-_ENDS:])]
        return replace(short, rows=rows, breaks=[_ENDS], remarks=[*table.remarks, many])

    def _whose(self) -> str:
        names = ", ".join(map(printable, self.annotators[:_NAMED]))
        more = len(self.annotators) - _NAMED
        team = "the team of " if len(self.annotators) > 1 else ""
        return f"{team}{names}{f' and {more} more' if more > 0 else ''}"

    def _picture(self, by: str | None) -> Picture:
        """Return what chance alone gives on each document, over the share that is marked."""
        if not self.defined.any():
            return Picture(lambda ax: sentence(ax, NOTHING))
        points = self.marked[self.defined], self.chance[self.defined]
        share = f"share of a {unit(self.settings)} that is marked"
        return Picture(lambda ax: scatter(ax, *points, share, "F1 by chance alone"))


def bins(result: Difficulty) -> tuple[list[int], list[float]]:
    """Return how many documents are in each bin of difficulty, and the edges."""
    values = result.values[result.defined]
    # rounded alike, so that a difficulty at an edge is in the bin that begins there
    edges = np.round(np.linspace(0, 1, _BINS + 1), _DIGITS)
    counts, _ = np.histogram(np.round(np.clip(values, 0, 1), _DIGITS), bins=edges)
    return counts.tolist(), edges.tolist()


def _bars(result: Difficulty) -> list[str]:
    """Return the bins as bars of characters, from the first that has a document."""
    counts, edges = bins(result)
    if not any(counts):
        return [NOTHING]
    first = next(i for i, number in enumerate(counts) if number)
    lines = []
    for number, low, high in zip(counts[first:], edges[first:], edges[first + 1 :], strict=False):
        bar = "█" * max(round(_BAR * number / max(counts)), bool(number))
        lines.append(f"{low:.2f}–{high:.2f}  {bar:<{_BAR}}  {number}")
    return lines


def remarks(result: Difficulty) -> list[str]:
    """Return the range of the difficulties, and the documents without one, a sentence each."""
    values = result.values[result.defined]
    sentences = []
    if len(values):
        middle, least, most = map(figure, (np.median(values), values.min(), values.max()))
        sentences.append(f"median {middle}, from {least} to {most}")
    marker = (
        printable(result.annotators[0]) if len(result.annotators) == 1 else "nobody of the team"
    )
    nothing = "anything" if len(result.annotators) > 1 else "nothing"
    if result.settings.get("chance_undefined"):
        return verdict.remarks_without_chance(result.settings)
    counts = {
        f"without a difficulty: {marker} marked {nothing} there": result.seen & ~result.defined,
        "without a difficulty: not seen": ~result.seen,
        "below 0: random segments that may overlap can match more than fully": values < 0,
    }
    return sentences + [f"{which.sum()} {what}" for what, which in counts.items() if which.any()]


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
    """Return how hard each document is: 1 − the agreement that chance alone would give on it.

    Args:
        corpus: the annotations as layers; or parts of a corpus, as for
            :func:`spanagree.evaluate`, whose documents follow each other.
        gold: the name of the gold layer, or
        annotators: the names of those of a team; all layers if neither is given.
        match: name of the measure.
        chance: the chance model, nonoverlapping, per-label or overlapping; of auto the
            first of these that the segments of all layers allow.
        places: where random segments may stand; see :func:`spanagree.evaluate`.
        seed: a whole number from 0, of draws where expected scores are too much work.
        executor: of parts: any ``concurrent.futures.Executor``, whose workers read them.
        progress: called with the number of pairs of annotations (or parts) done, and of all.

    Raises:
        SettingError: for an unknown name, gold and annotators at once, no layer, or a layer that
            overlaps itself where the measure or the chance model does not allow it.
        InputError: for parts that fail, or do not belong together.

    >>> from spanagree.corpus.corpus import Corpus
    >>> corpus = Corpus.from_segments([2, 20, 5], {"gold": [[(0, 1, "X")], [(4, 6, "X")], []]})
    >>> difficulty(corpus, gold="gold").values.round(3).tolist()
    [0.5, 0.947, nan]
    """
    if gold is not None and annotators is not None:
        raise SettingError("gold and annotators; difficulty is that of one or of the other")
    annotators = as_list(annotators)
    model = chance_model(chance, places, seed=seed)
    with_text = model.places is not None
    corpus = whole_corpus(source_of(corpus), executor, progress, with_text=with_text)
    named = model
    model, corpus = chance_of_corpus(corpus, match, model).with_ids(corpus)
    if model.first_is_fixed:
        raise SettingError("chance_of systems: difficulty is that of one annotation; leave it out")
    counting = MatchCounting.asked(match, model, named, progress)
    if not (corpus.layers if annotators is None else annotators):
        raise SettingError("no annotator; difficulty needs one at least")
    team, chosen = choose_annotators(corpus, annotators)
    if gold is not None:
        check_known([gold], corpus.annotators, "gold")
        team = corpus.of_annotators([gold])

    def measured(counting: MatchCounting) -> tuple[MatchCounting, tuple[Documents, Inexact]]:
        counting.check(team)
        return counting, documents_of(team, counting)

    counting, (documents, inexact) = counting.run(measured)
    description, plain = counting.describe(team), counting.without_places()
    shares = description.shares
    return Difficulty(
        *documents[:-1],
        annotators=team.annotators,
        document_ids=documents.ids,
        settings=DifficultySettings(
            of_="team" if gold is None else "gold",
            annotators=len(team.layers),
            chosen=chosen,
            **of_gold(gold, corpus),
            **counting.settings_of(team, inexact, description),
        ),
        notes=(
            *team.notes,
            *description.notes(),
            *inexact.notes(2 * float(documents.size.sum())),
            *notes_of(shares),
        ),
        places=shares,
        uniform=None if plain is None else documents_of(team, plain)[0].chance,
    )
