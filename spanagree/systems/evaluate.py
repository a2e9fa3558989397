"""Systems against a gold annotation, over a corpus or parts of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanagree.arrays import Progress, sub_progress
from spanagree.comparisons.counting import ComparisonRequest
from spanagree.corpus.corpus import Corpus
from spanagree.errors import escape_name, pluralize
from spanagree.parts.compared_rows import compare_corpus
from spanagree.results.score import build_f_beta
from spanagree.settings import document_noun
from spanagree.systems.compared_systems import ComparedSystems
from spanagree.systems.count import count_compared
from spanagree.systems.result import Evaluation, build_evaluation

if TYPE_CHECKING:
    from concurrent.futures import Executor  # slow to load

    from typing_extensions import Unpack  # in typing from Python 3.11 on

    from spanagree.chance.model import Given
    from spanagree.choices import ChanceOf, ChanceOrAuto, MatchName
    from spanagree.comparisons.selection import SelectionArguments
    from spanagree.formats.guessed import CorpusLike
    from spanagree.formats.tag_lists import Tags
    from spanagree.parts.each import Part
    from spanagree.uncertainty.confidence import Jackknife


def evaluate(
    corpus: CorpusLike | Iterable[Part] | Tags | Mapping[str, Tags],
    gold: str | Tags | Mapping[str, Tags] | None = None,
    *,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    places: Given | None = None,
    chance_of: ChanceOf = "both",
    ci: bool | Jackknife = False,
    p_values: bool = False,
    beta: float | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    **comparing: Unpack[SelectionArguments],
) -> Evaluation:
    """Compute precision, recall and F1 of systems against gold, raw and corrected for chance.

    Expected scores are exact: means over two random annotations that keep number, lengths and
    labels of the segments of each layer in every document (Li et al. 2024).

    Args:
        corpus: gold and systems as layers; or tags; or parts of a corpus: corpora, or functions
            that return them when they are compared. Figures are always for the whole.
        gold: name of the gold layer. Default: the first layer. All other layers are systems. Or
            tags of a system: ``evaluate(y_true, y_pred)`` has layers called gold and pred.
        match: name of the measure.
        chance: chance model: nonoverlapping, per-label or overlapping; auto takes the first of
            these that the segments of all layers allow.
        places: permitted positions of random segments: words, words+marks, letters, capitals,
            capitals+digits, column:NAME, a file of places, or PER=capitals,LOC=letters; a predicate
            of tokens; or a rule for each document, such as ``{"name": "site", "ok": […]}``.
        chance_of: random layers: both, or systems with gold fixed.
        ci: True for confidence intervals for every figure, over documents: a score's ``interval``;
            or a :class:`Jackknife`, with another confidence or other clusters.
        p_values: True for p, z and standard deviations of each system and document too, unless
            chance is undefined.
        beta: weight of recall relative to precision, such as 2 or 0.5, for F-beta in addition.
        seed: random seed, an integer from 0, for expected scores that take too much work to
            compute.
        executor: any ``concurrent.futures.Executor``, whose workers read and compare parts.
        progress: function called with the number of steps (or parts) done, and the number of all.
        comparing: keyword arguments of the selection, the attributes of
            :class:`spanagree.comparisons.Selection`: ``tolerance`` of borders; an ``attribute``
            that counts; ``unplaced`` for quotes that are not in the text; ``what`` is compared,
            and for relations ``pairs``, ``undirected``, ``untyped`` and ``arguments``.

    Raises:
        SettingError: if a name is unknown, a number is out of range, there are fewer than two
            layers, or a layer overlaps itself where the measure or chance model forbids it.
        InputError: if parts fail, or do not belong together.

    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
    >>> f1 = evaluate(Corpus.from_segments([10], layers), gold="gold").systems["mine"].f1
    >>> round(f1.observed, 3), round(f1.expected, 3), round(f1.corrected, 3)
    (0.667, 0.074, 0.64)
    """
    if beta is not None:
        build_f_beta(beta)  # raises before any work
    source: Any = corpus
    gold_name: Any = gold
    if not isinstance(corpus, Corpus):
        source, gold_name = _guess_corpus(corpus, gold)
    request = ComparisonRequest.from_keywords(match, chance, places, chance_of, seed, **comparing)
    jackknife = None if ci is False else _parse_interval(ci)
    if isinstance(source, Corpus):
        role_names = {"gold": gold_name}
        rows = compare_corpus(ComparedSystems, source, role_names, request, executor, progress)
    else:
        from spanagree.systems.rows_of_parts import compare_systems_in_parts  # few have parts

        rows = compare_systems_in_parts(source, gold_name, request, executor, progress)
    evaluation = build_evaluation(
        count_compared(rows, beta),
        jackknife,
        sub_progress(progress, "intervals") if jackknife else None,
    )
    if not p_values or evaluation.counting.chance.undefined:
        return evaluation
    return add_p_values(evaluation, rows.corpus, sub_progress(progress, "chance"))


def _guess_corpus(corpus: Any, gold: Any) -> tuple[Any, str | None]:
    from spanagree.formats.guessed import convert_to_corpus_and_gold  # not needed for a corpus

    return convert_to_corpus_and_gold(corpus, gold)


def _parse_interval(ci: bool | Jackknife) -> Jackknife | None:
    from spanagree.uncertainty.confidence import parse_ci  # only needed for intervals

    return parse_ci(ci)


def add_p_values(evaluation: Evaluation, corpus: Corpus, progress: Progress = None) -> Evaluation:
    """Add the distribution of each system's match by chance to an evaluation, with notes."""
    from spanagree.uncertainty.chance_statistics import compute_chance_of_pairs

    settings, names = evaluation.settings, list(evaluation.systems)
    from spanagree.corpus.roles import infer_seen_by_systems

    corpus = infer_seen_by_systems(corpus, names, [settings.gold])
    pairs = [(settings.gold, name) for name in names]
    distributions = compute_chance_of_pairs(
        corpus, pairs, evaluation.counting, settings.gold, progress
    )
    evaluation = replace(evaluation, by_chance=dict(zip(names, distributions, strict=True)))
    notes = [note for name in names for note in _yield_notes_on_chance(evaluation, name)]
    return replace(evaluation, notes=(*evaluation.notes, *notes))


def _yield_notes_on_chance(evaluation: Evaluation, name: str) -> Iterator[str]:
    """Yield notes on a system's tests against chance, document by document.

    They mention the documents that do not differ from chance, and the distributions that were drawn
    instead of computed.
    """
    from spanagree.uncertainty.chance_statistics import write_chance_note

    noun, by_chance = document_noun(evaluation.settings), evaluation.by_chance[name]
    chance_tests = list(evaluation.chance_by_document(name).values())
    if note := write_chance_note(chance_tests, noun, "Benjamini-Hochberg"):
        yield f"{escape_name(name)}: {note}"
    for null_phrase, matches in (("gold fixed", by_chance.tested), ("both random", by_chance.both)):
        if len(matches.drawn):
            yield (
                f"{escape_name(name)}: chance with {null_phrase} was drawn,"
                f" {pluralize(len(matches.drawn), 'time')}, in"
                f" {pluralize(matches.computed['drawn'], noun)} without an exact distribution"
            )
