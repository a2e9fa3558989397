"""Annotators against each other, over a corpus or parts of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanagree.agreement.compared_annotators import ComparedAnnotators
from spanagree.agreement.count import counted_of
from spanagree.agreement.result import Agreement, result
from spanagree.arrays import Progress, sub_progress
from spanagree.choices import MIN_SHARED
from spanagree.comparisons.counting import ComparisonRequest
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_annotator_names, check_whole, join_names, pluralize
from spanagree.parts.compared_rows import rows_of_corpus_or_parts
from spanagree.settings import document_noun

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

    from typing_extensions import Unpack  # in typing from Python 3.11 on

    from spanagree.chance.model import Given
    from spanagree.choices import ChanceOrAuto, MatchName
    from spanagree.comparisons.selection import SelectionArguments
    from spanagree.formats.guessed import CorpusLike
    from spanagree.parts.each import Part
    from spanagree.uncertainty.confidence import Jackknife


def agree(
    corpus: CorpusLike | Iterable[Part],
    other: Any = None,
    *,
    annotators: Sequence[str] | None = None,
    without: Sequence[str] | None = None,
    min_shared: int = MIN_SHARED,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    places: Given | None = None,
    ci: bool | Jackknife = False,
    p_values: bool = False,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    **comparing: Unpack[SelectionArguments],
) -> Agreement:
    """Return how far annotators agree with each other, raw and corrected for chance.

    Each pair is compared over the documents that both saw; pairs that share none are never visited.
    The expected figures are exact (Li et al. 2024; tallies add over pairs).

    Args:
        corpus: the annotators as layers; or parts of a corpus, as for :func:`spanagree.evaluate`,
            which may have different annotators. Or tags of one annotator, or a path.
        other: tags of another annotator, or another path: ``agree(y_a, y_b)`` has annotators called
            a and b.
        annotators: the names of those to compare; all unless given.
        without: names of annotators without whom the team is scored once more, beside the whole.
            Default: nobody.
        min_shared: pairs that share fewer documents are marked (``few``); they still count.
        match: name of the measure.
        chance: the chance model, nonoverlapping, per-label or overlapping; of auto the
            first of these that the segments of all layers allow.
        places: where random segments may stand; see :func:`spanagree.evaluate`.
        ci: confidence intervals for every figure, over documents, for these annotators; or a
            :class:`Jackknife`. With ``over="annotators"`` the team, its labels, the mean and each
            annotator have a second interval, over other annotators too, which needs three of them.
            The other arguments are as for :func:`spanagree.evaluate`.
        p_values: p, z and standard deviation of each pair too, both random.
        seed: a whole number from 0, of draws where expected scores are too much work to compute.
        progress: called with the number of documents (pairs, parts) done, and of all.
        comparing: ``tolerance``, ``attribute``, ``what`` and the others of
            :class:`spanagree.comparisons.Selection`, as for :func:`spanagree.evaluate`.

    Raises:
        SettingError: for an unknown name, fewer than two who are left, a number out of range, or a
            layer that overlaps itself where the measure or the chance model does not allow it.
        InputError: for parts that fail, or do not belong together.

    >>> ann, bob = [[(0, 2, "PER"), (4, 5, "LOC")], []], [[(0, 2, "PER")], None]
    >>> result = agree(Corpus.from_segments([10, 8], {"ann": ann, "bob": bob}))
    >>> round(result.team.f1.observed, 3), result.pairs["bob", "ann"].documents
    (0.667, 1)
    """
    source = corpus if isinstance(corpus, Corpus) and other is None else _guessed(corpus, other)
    request = ComparisonRequest.asked(match, chance, places, seed=seed, **comparing)
    if request.chance.first_is_fixed:
        raise SettingError("chance_of systems: no side is gold among annotators; leave it out")
    check_whole(min_shared, 0, "min_shared")
    jackknife = None if ci is False else _parsed(ci)
    annotators = list(annotators) if isinstance(annotators, Iterator) else annotators
    chosen = {"annotators": annotators}
    rows = rows_of_corpus_or_parts(ComparedAnnotators, source, chosen, request, executor, progress)
    counts = counted_of(rows)
    if jackknife is not None:
        sub_progress(progress, "intervals")
    agreement = result(counts, min_shared, jackknife)
    if without is not None and (names := check_annotator_names(without, rows.corpus.annotators)):
        others = counted_of(_without(rows, names))
        agreement = agreement.beside(result(others, min_shared, jackknife), names)
    if p_values:
        return with_p_values(agreement, rows.corpus, sub_progress(progress, "chance"))
    return agreement


def _without(rows: ComparedAnnotators, names: Sequence[str]) -> ComparedAnnotators:
    """Compare all annotators but those who are named.

    Raises:
        SettingError: if fewer than two are left, or rows hold no segments.
    """
    left = [name for name in rows.corpus.annotators if name not in names]
    if len(left) < 2:
        raise SettingError(
            f"without {join_names(names)}: {pluralize(len(left), 'annotator')} left, and two are"
            " needed; name fewer"
        )
    rows.corpus.check_segments("an agreement without some annotators")
    return ComparedAnnotators.of(rows.corpus, replace(rows.counting, progress=None), left)


def _guessed(corpus: Any, other: Any) -> Any:
    from spanagree.formats.guessed import (  # a corpus leaves nothing to guess
        as_corpus_or_parts,
        corpus_of_two,
    )

    return as_corpus_or_parts(corpus) if other is None else corpus_of_two(corpus, other)


def _parsed(ci: bool | Jackknife) -> Jackknife | None:
    from spanagree.uncertainty.confidence import parse_ci  # most ask for no intervals

    return parse_ci(ci, of_team=True)


def with_p_values(agreement: Agreement, corpus: Corpus, progress: Progress = None) -> Agreement:
    """Return the same agreement with the distribution of chance of each pair, both random."""
    from spanagree.uncertainty.chance_statistics import cannot_be_told, chance_of_pairs

    settings, pairs = agreement.settings, list(agreement.pairs)
    chances = chance_of_pairs(corpus, pairs, agreement.counting, None, progress)
    by_chance = dict(zip(pairs, chances, strict=True))
    agreement = replace(agreement, by_chance=by_chance, settings=replace(settings, p_values=True))
    figures = [x for pair in agreement.chance_by_document().values() for x in pair.values()]
    noun = document_noun(settings)
    correction = "Benjamini-Hochberg for each pair"
    notes = [*filter(None, [cannot_be_told(figures, f"{noun} of pairs", correction)])]
    drawn = sum(pair.both.computed.get("drawn", 0) for pair in by_chance.values())
    if drawn:
        notes.append(f"chance was drawn in {pluralize(drawn, noun)} of pairs, too large to compute")
    return replace(agreement, notes=(*agreement.notes, *notes))
