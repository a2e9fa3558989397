"""The alternative annotator test: may a candidate, such as a model, replace an annotator?

Calderon, Reichart & Dror (2025). Each annotator is left out in turn: who agrees better with the
others in a document (or on an item), she or the candidate? Ties count for both. Whether she is
better by less than ε is found by an exact test of wins, losses and ties; the published t-test,
which is wrong where ties are common, stands beside it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.chance.model import AUTO, chance_model
from spanagree.choices import ChanceOrAuto, LabelScore, MatchName
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import MatchCounting
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.overlaps import chance_of_corpus
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.roles import settled, times_seen
from spanagree.corpus.segments import columns_of_all
from spanagree.errors import (
    SettingError,
    annotator_names,
    check_choice,
    check_known,
    counted,
    counted_of,
    listed,
    percent,
    printable,
    show,
)
from spanagree.formats.guessed import CorpusLike, corpus_of
from spanagree.labels.category_weights import numbers_of
from spanagree.references.ceiling import compare_with_references, size_compared
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Picture, dots_of
from spanagree.results.result import Result
from spanagree.results.score import f1_figures
from spanagree.settings import Settings, unit
from spanagree.uncertainty.jackknife import TIE
from spanagree.uncertainty.permutation import benjamini_hochberg

LEAST = 30  # instances of an annotator who is tested
PASSES = 0.5  # the winning rate from which a candidate passes
_NEARLY_EMPTY = 10  # documents in which somebody marked something, for one of the candidate's
_FDR = 0.05  # of Benjamini & Yekutieli
_BLANK = "empty against empty is no evidence, so nothing is tested"
_NAMES = {"observed": "F1", "corrected": "corrected F1", "neg_rmse": "−RMSE"}
SCORES = {
    "accuracy": "the share of the others who gave the same label",
    "neg-rmse": "the root of the mean squared difference from the others' numbers, negative",
}
"""How an instance of a table of labels is scored, by name."""
_POINTS = 16  # shares of ties that are looked at, times n
_SMOOTH = 60  # the same, times √n; of large n enough
_WIDE = 8.0  # standard deviations, beyond which a number of ties does not count
_MORE = 40  # numbers of ties that count besides
_TOGETHER = 1 << 20  # probabilities that are computed together
_SAME = 1e-9  # scores that differ by no more are equal


@dataclass(frozen=True, kw_only=True, eq=False)
class ReplacementSettings(Settings):
    """The settings of the test; a label table has no measure and no chance, but ``items``.

    Attributes:
        score: how items are scored, of :data:`SCORES`.
    """

    candidate: str
    match: str | None = None
    chance: str | None = None
    epsilon: float
    expected: str | None = None
    chance_undefined: str | None = None
    chance_seed: int | None = None
    annotators: int
    unplaced: str | None = None
    items_: str | None = None
    score: str | None = None


class Left(NamedTuple):
    """One annotator left out, against the candidate in her place.

    Attributes:
        name: the annotator.
        instances: how many the candidate, she and another saw, and one of them marked something.
        decided: in how many of them one of the two agrees better; the others are ties.
        advantage: the share of them in which the candidate agrees as well with the others or
            better.
        difference: her own such share less that.
        p: by the exact test that the difference is below ε; after Benjamini & Yekutieli ``p_by``.
        p_t: by the t-test; after Benjamini & Yekutieli ``p_t_by``.
    """

    name: str
    instances: int
    decided: int
    advantage: float
    difference: float
    p: float
    p_by: float
    p_t: float
    p_t_by: float


class Verdict(NamedTuple):
    """What the test says by one kind of score.

    Attributes:
        winning_rate: ω, the share of annotators whom the candidate beats, ε granted; ``nan`` for
            a candidate that marked nothing.
        passes: whether ω is at least one half.
        advantage: ρ, the mean of the annotators' advantages.
        winning_rate_t, passes_t: the same by the published t-test.
        annotators: each left out.
    """

    winning_rate: float
    passes: bool
    advantage: float
    winning_rate_t: float
    passes_t: bool
    annotators: tuple[Left, ...]


@dataclass(frozen=True, eq=False, repr=False)
class AltTest(Result):
    """The result of :func:`spanagree.alt_test`.

    Attributes:
        verdicts: by the kind of score: observed and corrected F1, or accuracy of labels.
        left_out: the annotators with too few instances, and how many each has.
        empty: in how many instances nobody marked anything; they are no evidence.
        compared: how many documents, or items of a table, decide; those of instances.
        documents: how many documents or items there are.
        settings: what made the numbers.
        notes: what a reader repaired or passed over, and who was left out.
        marked: how many segments the candidate marked; nothing of a table of labels.
        marked_in: in how many documents.
        not_in_text: sentence on quotes that are not in the text; empty without any.

    >>> import spanagree as sa
    >>> same = {name: [[(0, 2, "X")]] * 40 for name in ("ann", "bob", "model")}
    >>> found = sa.alt_test(sa.Corpus.from_segments([9] * 40, same), "model", epsilon=0.1)
    >>> found.verdicts["observed"].passes, found.compared
    (True, 40)
    """

    verdicts: Mapping[str, Verdict]
    left_out: Mapping[str, int]
    empty: int
    compared: int
    documents: int
    settings: ReplacementSettings
    notes: tuple[str, ...]
    marked: int | None = None
    marked_in: int | None = None
    not_in_text: str = field(default="", repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {"annotator": "a row for each annotator who is left out"}
    DRAWN: ClassVar[tuple[str, ...]] = ("annotator",)

    @property
    def verdict(self) -> str:
        """Whether the candidate passes, by each kind of score."""
        if self.marked == 0:
            return f"{printable(self.settings.candidate)} marked nothing: {_BLANK}."
        kinds: dict[bool, list[str]] = {True: [], False: []}
        for kind, test in self.verdicts.items():
            rate = verdict.short(test.winning_rate)
            kinds[bool(test.passes)].append(f"by {_NAMES.get(kind, kind)} (ω {rate})")
        passed, failed = " and ".join(kinds[True]), " or ".join(kinds[False])
        candidate, epsilon = printable(self.settings.candidate), f"{self.settings.epsilon:g}"
        if not passed:
            outcome = f"does not pass the alternative annotator test {failed}"
        else:
            but = f", but not {failed}" if failed else ""
            outcome = f"passes the alternative annotator test {passed}{but}"
        sentence = f"{candidate} {outcome}, with ε {epsilon}.{self._nearly_empty()}"
        return " ".join(filter(None, [sentence, self.not_in_text]))

    def _nearly_empty(self) -> str:
        """Say so where the candidate marked so little that ties with nothing may let it pass."""
        if self.marked_in is None or not 0 < self.marked_in * _NEARLY_EMPTY < self.compared:
            return ""
        return (
            f" It marked something in {self.marked_in} of {self.compared} documents in which"
            " somebody did, so this says little of what it marks."
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"scores": None, "annotators": "annotator"}

    SUMMARY: ClassVar[tuple[str, ...]] = (
        "compared", "documents", "left_out", "empty", "marked?", "marked_in?"
    )  # fmt: skip

    def _table(self, by: str | None) -> Frame:
        """A row for each kind of score; with ``by`` for each annotator left out, too."""
        rows: list[list[Value]] = []
        shown = {kind: _NAMES.get(kind, kind) for kind in self.verdicts}
        columns = [Column("score", "score", "name", "score of an instance")]
        if by is None:
            columns += [
                Column("annotators", "annotators", "count", "annotators left out"),
                Column("instances", "instances", "count"),
                Column("decided", "decided", "count"),
                Column("winning_rate", "ω"),
                Column("advantage", "ρ"),
                Column("passes", "", "mark"),
                Column("", "replace?", "name"),
                Column("winning_rate_t", "ω, t-test", spare=True),
                Column("passes_t", "", "mark"),
            ]
            for kind, test in self.verdicts.items():
                word = "passes" if test.passes else "does not pass"
                word = "" if self.marked == 0 else word
                instances, decided = (
                    sum(column)
                    for column in zip(*(left[1:3] for left in test.annotators), strict=True)
                )
                rows.append([
                    shown[kind], len(test.annotators), instances, decided, test.winning_rate,
                    test.advantage, test.passes, word, test.winning_rate_t, test.passes_t,
                ])  # fmt: skip
        else:
            columns += [
                Column("annotator", "annotator", "name", "annotators left out"),
                Column("instances", "instances", "count"),
                Column("decided", "decided", "count"),
                Column("advantage", "ρ"),
                Column("difference", "difference", meaning="difference of an annotator left out"),
                Column("p", "p", "probability", "p of ε"),
                Column("p_by", "p, BY", "probability", "p of ε"),
                Column("p_t", "t-test", "probability", "p of ε", spare=True),
                Column("p_t_by", "t-test, BY", "probability", "p of ε", spare=True),
            ]
            for kind, test in self.verdicts.items():
                rows += [[shown[kind], *left] for left in test.annotators]
        (first, *_) = self.verdicts.values()
        breaks = range(len(first.annotators), len(rows), len(first.annotators))
        return Frame(
            columns,
            rows,
            self.settings,
            caption=f"may {printable(self.settings.candidate)} replace an annotator?"
            f" ε {self.settings.epsilon:g},"
            f" {counted_of(self.compared, self.documents, _noun(self.settings))}",
            remarks=self._remarks(),
            breaks=breaks if by else (),
        )

    def _remarks(self) -> list[str]:
        """Say what ω is, and what was left out."""
        remarks = [
            f"ω: share of annotators that the candidate significantly matches (exact test,"
            f" Benjamini–Yekutieli, {percent(_FDR)}); it passes at {PASSES:g} and above"
        ]
        if self.marked == 0:
            candidate = printable(self.settings.candidate)
            remarks.append(f"–: undefined: {candidate} marked nothing: {_BLANK}")
        if self.empty:
            nothing = f"{counted(self.empty, 'instance')} in which nobody marked anything"
            remarks.append(f"{nothing}: no evidence, left out")
        if self.left_out:
            names = listed(f"{name} ({n})" for name, n in self.left_out.items())
            remarks.append(f"left out, with fewer than {LEAST} instances: {names}")
        return remarks

    def _picture(self, by: str | None) -> Picture:
        """Return how often the candidate is as good as each annotator whom it might replace."""
        of_annotators = zip(*(test.annotators for test in self.verdicts.values()), strict=True)
        rows = [
            (by_score[0].name, [(left.advantage, math.nan, math.nan) for left in by_score])
            for by_score in of_annotators
        ]
        kinds = [_NAMES.get(kind, kind) for kind in self.verdicts]
        what = "share in which the candidate is as good"
        return dots_of(rows, kinds, what)


class _Wins(NamedTuple):
    """Who wins in each instance of each annotator left out: the candidate, she, or both."""

    document: Ints
    annotator: Ints
    candidate: Bools
    person: Bools

    @classmethod
    def of(cls, document: Ints, annotator: Ints, scores: Sequence[Floats], tie: float = 0) -> _Wins:
        """Return who wins by the scores of the candidate, and of the annotator left out."""
        candidate, person = scores
        return cls(document, annotator, candidate >= person - tie, person >= candidate - tie)


def alt_test(
    annotations: CorpusLike | LabelTable,
    candidate: str,
    epsilon: float,
    *,
    annotators: Sequence[str] | None = None,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    score: LabelScore = "accuracy",
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> AltTest:
    """Return whether a candidate may replace an annotator: the alternative annotator test.

    Of spans the score of an instance is F1 of a document, the tallies against the others summed,
    raw and corrected; where it is undefined (neither she nor the others marked anything, or chance
    alone gives 1), it is full agreement, and where nothing matches it is 0, corrected too.
    Documents in which nobody marked anything are no evidence. Of labels see ``score``.

    Args:
        annotations: all annotators, the candidate among them; or items with their labels.
        candidate: who might replace one of the others.
        epsilon: by how much an annotator may be better before the candidate loses; the paper has .2
            for experts, .15 for skilled annotators, .1 for crowds.
        annotators: those whom the candidate might replace; all others unless given.
        match: name of the measure.
        chance: the chance model, nonoverlapping, per-label or overlapping; of auto the
            first of these that the segments of all layers allow.
        score: of labels: accuracy, the share of the others who gave the same; or neg-rmse, of
            numbers the root of the mean squared difference from the others', negative.
        seed: a whole number from 0, of draws where expected scores are too much work.
        progress: called with the number of pairs done, and of all.

    Raises:
        SettingError: for an unknown candidate, a number out of range; if no annotator has 30
            instances; for a table of counts; for a measure or a chance model of labels, or a score
            of spans.

    >>> same = {name: [[(0, 2, "X")]] * 40 for name in ("ann", "bob", "model")}
    >>> result = alt_test(Corpus.from_segments([9] * 40, same), "model", epsilon=0.1)
    >>> result.verdicts["corrected"][:3]
    (1.0, True, 1.0)
    """
    if not isinstance(annotations, LabelTable):
        annotations = corpus_of(annotations)
    check_in_one_piece(annotations, "the test")
    find_match(match)
    named = chance_model(chance)
    names, settings = _settings(annotations, candidate, epsilon, annotators)
    check_choice(score, SCORES, "score")
    if isinstance(annotations, LabelTable):
        for name, asked, usual in (("match", match, "exact"), ("chance", chance, AUTO)):
            if asked != usual:
                raise SettingError(f"{name} {show(asked)} is for spans; leave it out")
        labels = {score.replace("-", "_"): _of_labels(annotations, names, candidate, score)}
        graded = None if score == "accuracy" else score
        settings = replace(settings, items_="labels", score=graded)
        return _result(names, labels, (0, annotations.size), settings, annotations.notes)
    if annotations.of_strings:
        from spanagree.comparisons.strings import as_segments  # most corpora have texts

        annotations = as_segments(annotations, match)
    if score != "accuracy":
        raise SettingError(f"score {show(score)} is for a table of labels; leave it out")
    corpus = settled(annotations.of_annotators([*names, candidate]), [candidate], names)
    model = chance_model(chance_of_corpus(annotations, match, named), seed=seed)
    counting = MatchCounting.asked(match, model, named, progress)
    wins, empty, computed, notes = counting.run(functools.partial(_of_spans, corpus))
    computed |= {"unplaced": corpus.unplaced_count_as, "offsets": corpus.offsets}
    settings = replace(settings, match=match, **computed)
    result = _result(names, wins, (empty, len(corpus)), settings, notes)
    marked = len(corpus.layers[candidate])
    if not marked:  # ties with who marked nothing, or nothing that others did, would let it pass
        untested = {kind: _untested(test) for kind, test in result.verdicts.items()}
        result = replace(result, verdicts=untested)
    marked_in = len(np.unique(corpus.layers[candidate].document))
    n_lost = sum(len(quotes.at) for quotes in corpus.unplaced.values())
    lost = verdict.not_in_text(settings, corpus.annotators, n_lost, "match nothing")
    return replace(result, marked=marked, marked_in=marked_in, not_in_text=lost)


def _settings(
    annotations: Corpus | LabelTable,
    candidate: str,
    epsilon: float,
    annotators: Sequence[str] | None,
) -> tuple[list[str], ReplacementSettings]:
    """Return the names of the annotators, and the settings that spans and labels share.

    Raises:
        SettingError: for an unknown name, the candidate among the annotators, or a number out of
            range.
    """
    number = isinstance(epsilon, (Real, np.floating)) and not isinstance(epsilon, bool)
    if not number or not 0 <= epsilon < 1:
        raise SettingError(f"epsilon {show(epsilon)}; a number from 0 to below 1 is needed")
    everybody = annotations.annotators
    check_known([candidate], everybody, "candidate")
    asked = annotator_names(annotators or (), everybody)
    if candidate in asked:
        raise SettingError(
            f"candidate {show(candidate)} is among the annotators; leave it out there, as it cannot"
            " replace itself"
        )
    names = [name for name in everybody if name != candidate and (not asked or name in asked)]
    return names, ReplacementSettings(
        candidate=candidate,
        epsilon=float(epsilon),
        annotators=len(names),
        chosen=None if len(names) + 1 == len(everybody) else names,
        reading=annotations.reading,
    )


def _of_spans(
    corpus: Corpus, counting: MatchCounting
) -> tuple[dict[str, _Wins], int, dict[str, Any], list[str]]:
    """Return who wins by F1 of a corpus whose last layer is the candidate.

    Then in how many instances nobody marked anything, how chance was found, and notes.
    """
    counting.check(corpus)
    match, chance = counting.match, counting.chance
    people = len(corpus.annotators) - 1
    rows = compare_with_references(corpus, people, counting)
    crowd = AnnotationIndex.of(corpus)
    person, candidate = crowd.pairs()
    with_another = times_seen(corpus, corpus.annotators[:people])[crowd.document[person]] > 1
    wanted = (crowd.annotator[candidate] == people) & with_another
    person, candidate = person[wanted], candidate[wanted]
    document, *_ = columns_of_all(corpus.layers.values())
    document = np.concatenate([document, *(quotes.at for quotes in corpus.unplaced.values())])
    marked = np.bincount(document, minlength=len(corpus))[crowd.document[person]] > 0
    empty = int((~marked).sum())
    person, candidate = person[marked], candidate[marked]
    with_references = crowd.table(rows)
    of_both = crowd.table(compare_pairs(corpus, crowd, (person, candidate), match, chance))
    with np.errstate(divide="ignore", invalid="ignore"):
        of_person = f1_figures(with_references[person])
        # with the same others, so without the person who is left out
        of_candidate = f1_figures(with_references[candidate] - of_both[person])
    notes = [*corpus.notes, *rows.inexact.notes(size_compared(rows, people, chance))]
    columns = {"observed": 0} if chance.undefined else {"observed": 0, "corrected": 2}
    last = max(columns.values())
    undefined = np.isnan(of_person[:, last]) | np.isnan(of_candidate[:, last])
    if undecided := int(undefined.sum()):
        full = "counted as full agreement with the others"
        if chance.is_free:  # where chance may be 1 and F1 is not
            full = "F1 counts there, or 1 if that is undefined"
        notes.append(
            f"{undecided} of {counted(len(person), 'comparison')} have no score, as candidate or"
            " annotator marked nothing and nor did any of the others, or chance alone gives 1:"
            f" {full}"
        )
    instances = crowd.document[person], crowd.annotator[person]
    wins = {}
    for kind, column in columns.items():
        scores = [_scores(figures, column) for figures in (of_candidate, of_person)]
        wins[kind] = _Wins.of(*instances, scores, tie=TIE)
    return wins, empty, {**chance.settings, **rows.inexact.settings(chance.seed)}, notes


def _scores(figures: Floats, column: int) -> Floats:
    """Return scores of instances from the figures of their F1, by one of them."""
    observed = figures[:, 0]
    # to mark nothing is no better than to mark something that nobody else did
    scores = np.where(observed == 0, 0.0, figures[:, column])
    # by overlapping chance alone may give more than 1, and who agrees less than fully still does
    instead = np.where(np.isnan(observed), 1.0, observed)
    return np.where(np.isnan(scores), instead, scores)


def _of_labels(table: LabelTable, names: Sequence[str], candidate: str, score: str) -> _Wins:
    """Return who wins on each item by how well a label fits those of the others."""
    if table.annotator is None:
        raise SettingError(
            "a table of counts does not say who gave which label; a row for each label, with its"
            " annotator, is needed"
        )
    number = {name: i for i, name in enumerate(names)}
    numbers = np.array([number.get(name, -1) for name in table.annotators], np.int64)
    annotator = numbers[table.annotator]
    by_candidate = table.annotator == table.annotators.index(candidate)
    of_candidate = np.full(table.size, -1)
    of_candidate[table.item[by_candidate]] = table.label[by_candidate]
    item, given, annotator = (x[annotator >= 0] for x in (table.item, table.label, annotator))
    instead = of_candidate[item]  # what the candidate gave, beside what the person gave
    used = (np.bincount(item, minlength=table.size)[item] > 1) & (instead >= 0)
    if score == "neg-rmse":
        values = _numbers(table)
        apart = values[given] - values[instead]
        squares = _squares(item, values[given], values[given], table.size)
        squares_instead = _squares(item, values[given], values[instead], table.size) - apart**2
        same = np.abs(squares_instead - squares) <= TIE * (squares_instead + squares)
        scores = [np.where(same, 0.0, -x) for x in (squares_instead, squares)]
    else:
        votes = np.zeros((table.size, len(table.labels) + 1))
        np.add.at(votes, (item, given), 1)
        # both against the same others, so that the numbers of those who agree decide
        scores = [votes[item, instead] - (instead == given), votes[item, given] - 1]
    return _Wins.of(item[used], annotator[used], [x[used] for x in scores])


def _squares(item: Ints, given: Floats, other: Floats, items: int) -> Floats:
    """Return for each label by which squares those of its item differ from another, summed."""
    count, total, squares = (np.bincount(item, x, items)[item] for x in (None, given, given**2))
    return np.asarray(squares - 2 * other * total + count * other**2, np.float64)


def _numbers(table: LabelTable) -> Floats:
    """Return labels as numbers, from the middle of those there are.

    Raises:
        SettingError: for a label that is none.
    """
    numbers = numbers_of(table.labels)
    if numbers is None:
        odd = next(label for label in table.labels if numbers_of([label]) is None)
        raise SettingError(f"label {show(odd)} is not a number; score neg-rmse needs numbers")
    middle = (min(numbers, default=0) + max(numbers, default=0)) / 2
    return np.array(numbers, np.float64) - middle


def _result(
    names: list[str],
    wins: Mapping[str, _Wins],
    counts: tuple[int, int],
    settings: ReplacementSettings,
    notes: Sequence[str],
) -> AltTest:
    """Return the test of those who have enough instances.

    ``counts`` says how many instances are empty, and how many documents there are.

    Raises:
        SettingError: if nobody has.
    """
    (any_wins, *_) = wins.values()
    empty, documents = counts
    instances = np.bincount(any_wins.annotator, minlength=len(names))
    tested = np.flatnonzero(instances >= LEAST)
    noun = _noun(settings)
    if not len(tested):
        most = int(instances.max(initial=0))
        nothing = (
            f", and {counted(empty, 'instance')} in which nobody marked anything" if empty else ""
        )
        raise SettingError(
            f"no annotator has {LEAST} {noun}s that the candidate"
            f" {show(settings.candidate)} and another saw too; the most is {most}{nothing}: the"
            f" test needs more {noun}s with two annotators and the candidate"
        )
    left_out = {name: int(n) for name, n in zip(names, instances, strict=True) if n < LEAST}
    verdicts = {
        kind: _verdict([names[i] for i in tested], tested, won, settings)
        for kind, won in wins.items()
    }
    compared = len(np.unique(any_wins.document[np.isin(any_wins.annotator, tested)]))
    return AltTest(verdicts, left_out, empty, compared, documents, settings, tuple(notes))


def _noun(settings: ReplacementSettings) -> str:
    return "item" if settings.items_ else unit(settings)


def _verdict(names: list[str], tested: Ints, wins: _Wins, settings: ReplacementSettings) -> Verdict:
    """Return what the test says by one kind of score."""
    rows = [wins.annotator == number for number in tested]
    difference = [wins.person[row].astype(np.int64) - wins.candidate[row] for row in rows]
    numbers = [(int((d > 0).sum()), int((d < 0).sum()), len(d)) for d in difference]
    exact = {key: exact_p(*key, settings.epsilon) for key in {*numbers}}  # many have the same
    p = [exact[key] for key in numbers]
    p_t = [_t_test(apart, settings.epsilon) for apart in difference]
    p_by, p_t_by = benjamini_yekutieli(p), benjamini_yekutieli(p_t)
    advantage = [float(wins.candidate[row].mean()) for row in rows]
    left = tuple(
        Left(name, len(d), int((d != 0).sum()), rho, float(d.mean()), *of_p)
        for name, d, rho, *of_p in zip(
            names, difference, advantage, p, p_by, p_t, p_t_by, strict=True
        )
    )
    rates = [sum(value <= _FDR for value in values) / len(left) for values in (p_by, p_t_by)]
    rho = math.fsum(advantage) / len(left)
    return Verdict(rates[0], rates[0] >= PASSES, rho, rates[1], rates[1] >= PASSES, left)


def _untested(test: Verdict) -> Verdict:
    """Return the verdict on a candidate of whom nothing can be tested."""
    no = math.nan
    left = tuple(row._replace(p=no, p_by=no, p_t=no, p_t_by=no) for row in test.annotators)
    return Verdict(no, False, test.advantage, no, False, left)


def exact_p(losses: int, wins: int, instances: int, epsilon: float) -> float:
    """Return the p-value that lone losses are likelier than lone wins by less than ε.

    In each of n instances the first wins alone, loses alone, or it is a tie. The null hypothesis is
    that lone losses are likelier than lone wins by ε or more. The score test of Nam (1997) and
    Tango (1998) takes ties into account, but its level is right of large samples only. Here its
    score orders the results that could have been: p is the probability of those that speak as much
    against the null hypothesis as the one that was found, at the share of ties that makes it
    greatest (Hsueh, Liu & Chen 2001). So the test holds its level whatever that share is.

    Args:
        losses: instances that the first lost.
        wins: those that it won.
        instances: all, ties among them.
        epsilon: by how much it may be worse, from 0 to below 1.

    >>> round(exact_p(0, 0, 30, 0.1), 4), round(0.9**30, 4)  # thirty ties
    (0.0424, 0.0424)
    """
    n = instances
    reached = float(score(np.array(losses), np.array(wins), n, epsilon))
    bounds = _most_losses(n, epsilon, reached)
    points = max(2, min(_POINTS * n, int(_SMOOTH * n**0.5)))
    angles = np.linspace(0, np.pi, points + 1)
    probable = _probability(bounds, n, epsilon, _shares(angles, epsilon))
    top = int(probable.argmax())
    near = np.linspace(angles[max(top - 1, 0)], angles[min(top + 1, points)], 41)
    finer = _probability(bounds, n, epsilon, _shares(near, epsilon))
    return min(1.0, float(max(probable[top], finer.max())))


def score(losses: Ints, wins: Ints, instances: int, epsilon: float) -> Floats:
    """Return how far lone losses less lone wins are from ε, in standard errors.

    The standard error is that under the null hypothesis with lone losses likelier by just ε.
    """
    n, ties = instances, instances - losses - wins
    # the likeliest probability x of a lone win solves 2n·x² − slope·x − wins·ε·(1 − ε) = 0
    slope = losses * (1 - epsilon) + wins * (1 - 3 * epsilon) - 2 * ties * epsilon
    x = (slope + np.sqrt(slope**2 + 8 * n * wins * epsilon * (1 - epsilon))) / (4 * n)
    variance = np.maximum(2 * x + epsilon - epsilon**2, 0) / n
    away = (losses - wins) / n - epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(variance > 0, away / np.sqrt(variance), 0.0), np.float64)


def _most_losses(n: int, epsilon: float, reached: float) -> Ints:
    """Return for each number of instances without a tie the most losses that score no higher.

    It is −1 where there is none. The score rises with the losses among them.
    """
    differ = np.arange(n + 1)
    low, high = np.full(n + 1, -1), differ.copy()
    while (low < high).any():
        middle = (low + high + 1) // 2
        fits = score(middle, differ - middle, n, epsilon) <= reached + _SAME
        low, high = np.where(fits, middle, low), np.where(fits, high, middle - 1)
    return low


def _shares(angles: Floats, epsilon: float) -> Floats:
    """Return shares of instances without a tie from ε to 1, closest at both ends."""
    return np.asarray(epsilon + (1 - epsilon) * (1 - np.cos(angles)) / 2, np.float64)


def _probability(bounds: Ints, n: int, epsilon: float, shares: Floats) -> Floats:
    """Return how probable a score no higher is for each share of instances without a tie."""
    from scipy.special import bdtr, gammaln, xlog1py, xlogy  # take a tenth of a second to import

    wide = int(_WIDE * (n * 0.25) ** 0.5) + _MORE
    counted = min(n + 1, 2 * wide + 1)
    total = np.empty(len(shares))
    step = max(1, _TOGETHER // counted)
    for at in range(0, len(shares), step):
        share = shares[at : at + step, None]
        first = np.clip(np.round(share * n).astype(np.int64) - wide, 0, n + 1 - counted)
        differ = first + np.arange(counted)
        chosen = gammaln(n + 1) - gammaln(differ + 1) - gammaln(n - differ + 1)
        weight = np.exp(chosen + xlogy(differ, share) + xlog1py(n - differ, -share))
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = np.where(share > 0, (share + epsilon) / (2 * share), 0.5).clip(0, 1)
        below = np.where(bounds[differ] >= 0, bdtr(bounds[differ], differ, lost), 0.0)
        total[at : at + step] = (weight * below).sum(1)
    return total


def _t_test(difference: Ints, epsilon: float) -> float:
    """Return p of a one-sided t-test that the mean difference is below ε."""
    from scipy.special import stdtr  # takes a tenth of a second to import

    n, mean = len(difference), float(difference.mean())
    error = float(difference.std(ddof=1)) / math.sqrt(n)
    if error == 0:
        return 0.0 if mean < epsilon else 1.0
    return float(stdtr(n - 1, (mean - epsilon) / error))


def benjamini_yekutieli(values: list[float]) -> list[float]:
    """Return p-values after the correction of Benjamini and Yekutieli, whatever their dependence.

    >>> benjamini_yekutieli([0.01, 0.04])
    [0.03, 0.06]
    """
    times = sum(1 / k for k in range(1, len(values) + 1))
    return [min(1.0, p * times) for p in benjamini_hochberg(values)]
