"""Annotators against each other, over a corpus or parts of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanagree.agreement.compared_annotators import ComparedAnnotators
from spanagree.agreement.count import count_compared
from spanagree.agreement.result import Agreement, build_agreement
from spanagree.arrays import Progress, sub_progress
from spanagree.comparisons.counting import ComparisonRequest
from spanagree.comparisons.inexact import write_drawn_sentence
from spanagree.corpus.corpus import Corpus
from spanagree.errors import (
    SettingError,
    check_annotator_names,
    check_integer,
    join_names,
    pluralize,
)
from spanagree.parts.compared_rows import compare_corpus
from spanagree.settings import document_noun

if TYPE_CHECKING:
    from concurrent.futures import Executor  # slow to load

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
    min_shared: int = 10,
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
    """Compute the agreement of annotators with each other, raw and corrected for chance.

    Each pair is compared over the documents that both saw; pairs without any are never visited.
    Expected figures are exact (Li et al. 2024; tallies add over pairs).

    Args:
        corpus: annotators as layers; or parts of a corpus, as for :func:`spanagree.evaluate`, which
            may have different annotators. Or tags of one annotator, or a path.
        other: tags of another annotator, or another path: ``agree(y_a, y_b)`` has annotators called
            a and b.
        annotators: names of the annotators to compare. Default: all.
        without: names of annotators; the team is scored again without them, in addition to the
            whole team. Default: nobody.
        min_shared: smallest number of shared documents; pairs with fewer are marked (``few``) but
            still count.
        match: name of the measure.
        chance: chance model: nonoverlapping, per-label or overlapping; auto takes the first of
            these that the segments of all layers allow.
        places: permitted positions of random segments; see :func:`spanagree.evaluate`.
        ci: confidence intervals for every figure, over documents, for these annotators; or a
            :class:`Jackknife`. With ``over="annotators"`` the team, its labels, the mean and each
            annotator have a second interval, over other annotators too, which needs three of them.
            For the other arguments see :func:`spanagree.evaluate`.
        p_values: True for p, z and standard deviation of each pair too, both layers random.
        seed: random seed, an integer from 0, for expected scores that take too much work to
            compute.
        progress: function called with the number of documents (pairs, parts) done, and the number
            of all.
        comparing: keyword arguments of :class:`spanagree.comparisons.Selection`, such as
            ``tolerance``, ``attribute`` and ``what``; see :func:`spanagree.evaluate`.

    Raises:
        SettingError: if a name is unknown, fewer than two annotators are left, a number is out of
            range, or a layer overlaps itself where the measure or chance model forbids it.
        InputError: if parts fail, or do not belong together.

    >>> ann, bob = [[(0, 2, "PER"), (4, 5, "LOC")], []], [[(0, 2, "PER")], None]
    >>> result = agree(Corpus.from_segments([10, 8], {"ann": ann, "bob": bob}))
    >>> round(result.team.f1.observed, 3), result.pairs["bob", "ann"].documents
    (0.667, 1)
    """
    source = (
        corpus if isinstance(corpus, Corpus) and other is None else _guess_corpus(corpus, other)
    )
    request = ComparisonRequest.from_keywords(match, chance, places, seed=seed, **comparing)
    if request.chance.first_is_fixed:
        raise SettingError("chance_of systems: no side is gold among annotators; leave it out")
    check_integer(min_shared, 0, "min_shared")
    jackknife = None if ci is False else _parse_interval(ci)
    annotators = list(annotators) if isinstance(annotators, Iterator) else annotators
    if isinstance(source, Corpus):
        role_names = {"annotators": annotators}
        rows = compare_corpus(ComparedAnnotators, source, role_names, request, executor, progress)
    else:
        from spanagree.agreement.rows_of_parts import compare_annotators_in_parts  # few have parts

        rows = compare_annotators_in_parts(source, annotators, request, executor, progress)
    counts = count_compared(rows)
    if jackknife is not None:
        sub_progress(progress, "intervals")
    agreement = build_agreement(counts, min_shared, jackknife)
    if without is not None and (left_out := check_annotator_names(without, rows.corpus.annotators)):
        other_counts = count_compared(_exclude_annotators(rows, left_out))
        agreement = agreement.beside(build_agreement(other_counts, min_shared, jackknife), left_out)
    if p_values:
        return add_p_values(agreement, rows.corpus, sub_progress(progress, "chance"))
    return agreement


def _exclude_annotators(rows: ComparedAnnotators, names: Sequence[str]) -> ComparedAnnotators:
    """Compare all annotators except the named ones.

    Raises:
        SettingError: if fewer than two are left, or the rows have no segments.
    """
    remaining = [name for name in rows.corpus.annotators if name not in names]
    if len(remaining) < 2:
        raise SettingError(
            f"without {join_names(names)}: {pluralize(len(remaining), 'annotator')} left, and two"
            " are needed; name fewer"
        )
    rows.corpus.check_segments("an agreement without some annotators")
    return ComparedAnnotators.of(rows.corpus, replace(rows.counting, progress=None), remaining)


def _guess_corpus(corpus: Any, other: Any) -> Any:
    """Read a corpus or its parts; with `other`, build a corpus of two annotators."""
    from spanagree.formats.guessed import (  # not needed for a corpus
        as_corpus_or_parts,
        build_corpus_of_two,
    )

    return as_corpus_or_parts(corpus) if other is None else build_corpus_of_two(corpus, other)


def _parse_interval(ci: bool | Jackknife) -> Jackknife | None:
    from spanagree.uncertainty.confidence import parse_ci  # only needed for intervals

    return parse_ci(ci, of_team=True)


def add_p_values(agreement: Agreement, corpus: Corpus, progress: Progress = None) -> Agreement:
    """Add the distribution of each pair's match by chance, with both annotations random."""
    from spanagree.uncertainty.chance_statistics import compute_chance_of_pairs, write_chance_note

    settings, pairs = agreement.settings, list(agreement.pairs)
    distributions = compute_chance_of_pairs(corpus, pairs, agreement.counting, None, progress)
    by_chance = dict(zip(pairs, distributions, strict=True))
    agreement = replace(agreement, by_chance=by_chance, settings=replace(settings, p_values=True))
    chance_tests = [
        chance_test
        for pair in agreement.chance_by_document().values()
        for chance_test in pair.values()
    ]
    noun = document_noun(settings)
    correction = "Benjamini-Hochberg for each pair"
    notes = [*filter(None, [write_chance_note(chance_tests, f"{noun} of pairs", correction)])]
    n_drawn = sum(pair.both.computed.get("drawn", 0) for pair in by_chance.values())
    if n_drawn:
        notes.append(write_drawn_sentence(f"{pluralize(n_drawn, noun)} of pairs"))
    return replace(agreement, notes=(*agreement.notes, *notes))
