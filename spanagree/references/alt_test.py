"""The alternative annotator test: may a candidate, such as a model, replace an annotator?

Calderon, Reichart & Dror (2025). Each annotator is left out in turn and compared with the
candidate: whose score against the other annotators is higher in a document (or on an item)? Ties
count for both. Such a document or item is an instance. Among n instances the candidate has L lone
losses (the annotator alone wins) and W lone wins. The test asks whether the expected difference is
below ε,

    H₀: E[(L − W) / n] ≥ ε.

The winning rate ω is the share of annotators for whom H₀ is rejected. The test is exact; the
published t-test, which is wrong if ties are common, is reported next to it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.chance.model import AUTO, build_chance_model
from spanagree.choices import ChanceOrAuto, LabelScore, MatchName
from spanagree.comparisons.counting import ComparisonRequest
from spanagree.comparisons.measures import find_measure
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.roles import infer_seen_by_systems
from spanagree.errors import (
    SettingError,
    check_annotator_names,
    check_choice,
    check_known,
    pluralize,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.references.win_tests import (
    benjamini_yekutieli,
    compute_exact_p,
    compute_t_test_p,
)
from spanagree.references.wins import (
    SCORES,
    Instances,
    Wins,
    find_label_wins,
    find_span_wins,
)
from spanagree.results import verdict
from spanagree.results.result import Result
from spanagree.settings import Settings, document_noun

LEAST = 30  # smallest number of instances of a tested annotator
PASSES = 0.5  # smallest winning rate of a candidate that passes
FDR = 0.05  # false discovery rate for Benjamini & Yekutieli's correction


@dataclass(frozen=True, kw_only=True, eq=False)
class ReplacementSettings(Settings):
    """Settings of the test; for a label table ``items`` instead of measure and chance.

    Attributes:
        score: score of items, a name in :data:`SCORES`.
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


class HeldOutAnnotator(NamedTuple):
    """Test of one annotator, who is left out, against the candidate.

    Attributes:
        name: name of the annotator.
        instances: number of instances that the candidate, the annotator and another one saw, and
            in which an annotator or the candidate marked a segment.
        decided: number of these instances without a tie.
        advantage: share of these instances in which the candidate agrees with the others at least
            as well as the annotator.
        difference: share in which the annotator agrees at least as well, minus ``advantage``.
        p: p-value of the exact test that the difference is below ε.
        p_by: p after Benjamini & Yekutieli's correction.
        p_t: p-value of the t-test.
        p_t_by: p_t after Benjamini & Yekutieli's correction.
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
    """Outcome of the test by one kind of score, such as corrected F1.

    Attributes:
        winning_rate: ω, share of annotators for whom the test rejects H₀; ``nan`` for a candidate
            without segments.
        passes: True if ω is at least one half.
        advantage: ρ, mean of the advantages over annotators.
        winning_rate_t: ω by the published t-test.
        passes_t: True if this ω is at least one half.
        annotators: test of each annotator.
    """

    winning_rate: float
    passes: bool
    advantage: float
    winning_rate_t: float
    passes_t: bool
    annotators: tuple[HeldOutAnnotator, ...]

    def without_p(self) -> Verdict:
        """Replace the p-values and winning rates by ``nan``, for a candidate without segments."""
        undefined = math.nan
        annotator_tests = tuple(
            annotator_test._replace(p=undefined, p_by=undefined, p_t=undefined, p_t_by=undefined)
            for annotator_test in self.annotators
        )
        return Verdict(undefined, False, self.advantage, undefined, False, annotator_tests)


@dataclass(frozen=True, eq=False, repr=False)
class AltTest(Result):
    """The result of :func:`spanagree.alt_test`.

    Attributes:
        verdicts: outcomes by kind of score: observed and corrected F1, or the score of labels.
        left_out: numbers of instances of the annotators with too few, by name.
        empty: number of instances without any segment; these are left out.
        compared: number of documents, or items of a table, with an instance of a tested annotator.
        documents: number of documents or items.
        settings: settings of the computation.
        notes: notes on the data and on scores, one sentence each.
        marked: number of segments of the candidate; `None` for a table of labels.
        marked_in: number of documents with a segment of the candidate; `None` for such a table.
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
    TABLES: ClassVar[Mapping[str, str | None]] = {"scores": None, "annotators": "annotator"}
    SUMMARY: ClassVar[tuple[str, ...]] = (
        "compared", "documents", "left_out", "empty", "marked?", "marked_in?"
    )  # fmt: skip
    SHOWN_BY: ClassVar[str] = f"{__package__}.alt_test_table"


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
    """Test whether a candidate may replace an annotator: the alternative annotator test.

    For spans the score of an instance is the raw or corrected F1 of a document, pooled over the
    other annotators. An undefined F1 (no segment of any of them, or 1 by chance alone) counts as
    full agreement. Without a match raw and corrected F1 are 0. Documents without any segment are
    left out. For labels see ``score``.

    Args:
        annotations: corpus with the candidate and all annotators; or a table of labels of items.
        candidate: name of the candidate.
        epsilon: largest tolerated difference in favour of an annotator; the paper has .2 for
            experts, .15 for skilled annotators, .1 for crowds.
        annotators: names of the annotators to replace. Default: all except the candidate.
        match: name of the measure.
        chance: chance model, nonoverlapping, per-label or overlapping; auto takes the first of
            these that the segments of all layers allow.
        score: score of labels: accuracy, the share of the others with the same label; or neg-rmse,
            for numbers, minus the root of the mean squared difference from the others.
        seed: random seed, an integer from 0, for expected scores that have to be drawn.
        progress: callback that receives the number of finished pairs and of all.

    Raises:
        SettingError: if the candidate is unknown, epsilon is out of range, no annotator has 30
            instances, a table has counts only, a measure or a chance model is passed for labels,
            or a score for spans.

    >>> same = {name: [[(0, 2, "X")]] * 40 for name in ("ann", "bob", "model")}
    >>> result = alt_test(Corpus.from_segments([9] * 40, same), "model", epsilon=0.1)
    >>> result.verdicts["corrected"][:3]
    (1.0, True, 1.0)
    """
    if not isinstance(annotations, LabelTable):
        annotations = as_corpus(annotations)
    check_contiguous(annotations, "the test")
    find_measure(match)
    model = build_chance_model(chance, seed=seed)
    names, settings = _check_settings(annotations, candidate, epsilon, annotators)
    check_choice(score, SCORES, "score")
    if isinstance(annotations, LabelTable):
        for name, value, default in (("match", match, "exact"), ("chance", chance, AUTO)):
            if value != default:
                raise SettingError(f"{name} {quote_value(value)} is for spans; leave it out")
        instances = find_label_wins(annotations, names, candidate, score)
        return _test_annotators(names, instances, settings)
    if score != "accuracy":
        raise SettingError(f"score {quote_value(score)} is for a table of labels; leave it out")
    corpus, counting = ComparisonRequest(match, model).select_items(annotations, progress)
    corpus = infer_seen_by_systems(
        corpus.select_annotators([*names, candidate]), [candidate], names
    )
    instances = counting.run(functools.partial(find_span_wins, corpus))
    result = _test_annotators(names, instances, settings)
    marked = corpus.layers[candidate].document
    verdicts = result.verdicts
    if not len(marked):  # otherwise the candidate could pass by ties at a score of 0
        verdicts = {score_name: test.without_p() for score_name, test in verdicts.items()}
    n_lost = sum(len(quotes.at) for quotes in corpus.unplaced.values())
    quote_sentence = verdict.write_quotes_not_in_text(
        result.settings, corpus.annotators, n_lost, "match nothing"
    )
    return replace(
        result,
        verdicts=verdicts,
        marked=len(marked),
        marked_in=len(np.unique(marked)),
        not_in_text=quote_sentence,
    )


def _check_settings(
    annotations: Corpus | LabelTable,
    candidate: str,
    epsilon: float,
    annotators: Sequence[str] | None,
) -> tuple[list[str], ReplacementSettings]:
    """Check the arguments of :func:`alt_test`.

    Returns:
        Names of the annotators to test, and settings of the result.

    Raises:
        SettingError: if a name is unknown, the candidate is among the annotators, or epsilon is out
            of range.
    """
    is_number = isinstance(epsilon, (Real, np.floating)) and not isinstance(epsilon, bool)
    if not is_number or not 0 <= epsilon < 1:
        raise SettingError(f"epsilon {quote_value(epsilon)}; a number from 0 to below 1 is needed")
    all_annotators = annotations.annotators
    check_known([candidate], all_annotators, "candidate")
    requested = check_annotator_names(annotators or (), all_annotators)
    if candidate in requested:
        raise SettingError(
            f"candidate {quote_value(candidate)} is among the annotators; leave it out there, as"
            " it cannot replace itself"
        )
    names = [
        name
        for name in all_annotators
        if name != candidate and (not requested or name in requested)
    ]
    return names, ReplacementSettings(
        candidate=candidate,
        epsilon=float(epsilon),
        annotators=len(names),
        chosen=None if len(names) + 1 == len(all_annotators) else names,
        reading=annotations.reading,
    )


def _test_annotators(
    names: list[str], instances: Instances, settings: ReplacementSettings
) -> AltTest:
    """Test each annotator with enough instances by each kind of score, and build the result.

    Args:
        names: names of annotators.
        instances: winners of instances by kind of score.
        settings: settings of the computation.

    Raises:
        SettingError: if no annotator has enough instances.
    """
    settings = replace(settings, **instances.settings)
    (first_wins, *_) = instances.wins.values()
    n_instances = np.bincount(first_wins.annotator, minlength=len(names))
    tested_positions = np.flatnonzero(n_instances >= LEAST)
    if not len(tested_positions):
        noun, n_empty = look_up_noun(settings), instances.n_empty
        maximum = int(n_instances.max(initial=0))
        empty_phrase = (
            f", and {pluralize(n_empty, 'instance')} in which nobody marked anything"
            if n_empty
            else ""
        )
        raise SettingError(
            f"no annotator has {LEAST} {noun}s that the candidate"
            f" {quote_value(settings.candidate)} and another saw too; the most is"
            f" {maximum}{empty_phrase}:"
            f" the test needs more {noun}s with two annotators and the candidate"
        )
    return AltTest(
        verdicts={
            score_name: _compute_verdict(names, tested_positions, wins, settings.epsilon)
            for score_name, wins in instances.wins.items()
        },
        left_out={name: int(n) for name, n in zip(names, n_instances, strict=True) if n < LEAST},
        empty=instances.n_empty,
        compared=len(
            np.unique(first_wins.document[np.isin(first_wins.annotator, tested_positions)])
        ),
        documents=instances.n_documents,
        settings=settings,
        notes=tuple(instances.notes),
    )


def look_up_noun(settings: ReplacementSettings) -> str:
    """Look up the noun for an instance."""
    return "item" if settings.items_ else document_noun(settings)


def _compute_verdict(
    names: Sequence[str], tested_positions: Ints, wins: Wins, epsilon: float
) -> Verdict:
    """Test annotators by one kind of score, and compute the winning rate and the mean advantage.

    Args:
        names: names of annotators.
        tested_positions: indices of the tested annotators in ``names``.
        wins: winners of instances.
        epsilon: largest tolerated difference ε.
    """
    instance_masks = [wins.annotator == position for position in tested_positions]
    differences = [
        wins.person[is_instance].astype(np.int64) - wins.candidate[is_instance]
        for is_instance in instance_masks
    ]
    counts = [
        (int((difference > 0).sum()), int((difference < 0).sum()), len(difference))
        for difference in differences
    ]
    # many annotators have the same counts
    p_by_counts = {result: compute_exact_p(*result, epsilon) for result in {*counts}}
    p = [p_by_counts[result] for result in counts]
    p_t = [compute_t_test_p(difference, epsilon) for difference in differences]
    p_by, p_t_by = benjamini_yekutieli(p), benjamini_yekutieli(p_t)
    advantages = [float(wins.candidate[is_instance].mean()) for is_instance in instance_masks]
    annotator_tests = tuple(
        HeldOutAnnotator(
            names[position],
            len(difference),
            int((difference != 0).sum()),
            advantage,
            float(difference.mean()),
            *p_values,
        )
        for position, difference, advantage, *p_values in zip(
            tested_positions.tolist(), differences, advantages, p, p_by, p_t, p_t_by, strict=True
        )
    )
    winning_rate, winning_rate_t = (
        sum(p_value <= FDR for p_value in corrected_p) / len(annotator_tests)
        for corrected_p in (p_by, p_t_by)
    )
    return Verdict(
        winning_rate,
        winning_rate >= PASSES,
        math.fsum(advantages) / len(annotator_tests),
        winning_rate_t,
        winning_rate_t >= PASSES,
        annotator_tests,
    )
