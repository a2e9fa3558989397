"""Systems against a gold annotation, over a corpus or parts of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanagree.arrays import Progress, sub_progress
from spanagree.comparisons.counting import ComparisonRequest
from spanagree.corpus.corpus import Corpus
from spanagree.errors import escape_name, pluralize
from spanagree.parts.compared_rows import rows_of_corpus_or_parts
from spanagree.results.score import f_beta
from spanagree.settings import document_noun
from spanagree.systems.compared_systems import ComparedSystems
from spanagree.systems.count import counted_of
from spanagree.systems.result import Evaluation, result

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

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
    """Return precision, recall and F1 of systems against gold, raw and corrected for chance.

    The expected scores are exact: those of two random annotations that keep number, lengths and
    labels of the segments of either side in every document (Li et al. 2024).

    Args:
        corpus: gold and systems as layers; or tags; or parts of a corpus: corpora, or functions
            that return them where they are compared. Every figure is that of the whole.
        gold: the name of the gold layer; the first unless named. All others are systems. Or one's
            tags: ``evaluate(y_true, y_pred)`` has layers called gold and pred.
        match: name of the measure.
        chance: the chance model, nonoverlapping, per-label or overlapping; of auto the
            first of these that the segments of all layers allow.
        places: where random segments may stand: words, words+marks, letters, capitals,
            capitals+digits, column:NAME, a file of places, or PER=capitals,LOC=letters; a predicate
            of tokens; or a rule for each document, ``{"name": "site", "ok": […]}`` and the like.
        chance_of: whose annotations are random, both, or systems with gold as it is.
        ci: confidence intervals for every figure, over documents: a score's ``interval``; or a
            :class:`Jackknife`, with another confidence or other clusters.
        p_values: p, z and standard deviations of each system and document too, unless chance is
            undefined.
        beta: F-beta too, in which recall weighs β times as much as precision, such as 2 or 0.5.
        seed: a whole number from 0, of draws where expected scores are too much work to compute.
        executor: of parts: any ``concurrent.futures.Executor``, whose workers read and compare
            them.
        progress: called with the number of steps (or parts) done, and of all.
        comparing: by how much borders may differ, ``tolerance``; whether an ``attribute`` counts;
            whether quotes that are not in the text do, ``unplaced``; and what is compared,
            ``what``, of relations also ``pairs``, ``undirected``, ``untyped`` and ``arguments``:
            the attributes of :class:`spanagree.comparisons.Selection`.

    Raises:
        SettingError: for an unknown name, a number out of range, fewer than two layers, or a layer
            that overlaps itself where the measure or the chance model does not allow it.
        InputError: for parts that fail, or do not belong together.

    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
    >>> f1 = evaluate(Corpus.from_segments([10], layers), gold="gold").systems["mine"].f1
    >>> round(f1.observed, 3), round(f1.expected, 3), round(f1.corrected, 3)
    (0.667, 0.074, 0.64)
    """
    if beta is not None:
        f_beta(beta)  # refused before any work
    source, named = (corpus, gold) if isinstance(corpus, Corpus) else _guessed(corpus, gold)
    request = ComparisonRequest.asked(match, chance, places, chance_of, seed, **comparing)
    jackknife = None if ci is False else _parsed(ci)
    chosen = {"gold": named}
    rows = rows_of_corpus_or_parts(ComparedSystems, source, chosen, request, executor, progress)
    evaluation = result(
        counted_of(rows, beta),
        jackknife,
        sub_progress(progress, "intervals") if jackknife else None,
    )
    if not p_values or evaluation.counting.chance.undefined:
        return evaluation
    return with_p_values(evaluation, rows.corpus, sub_progress(progress, "chance"))


def _guessed(corpus: Any, gold: Any) -> tuple[Any, str | None]:
    from spanagree.formats.guessed import guessed  # a corpus leaves nothing to guess

    return guessed(corpus, gold)


def _parsed(ci: bool | Jackknife) -> Jackknife | None:
    from spanagree.uncertainty.confidence import parse_ci  # most ask for no intervals

    return parse_ci(ci)


def with_p_values(evaluation: Evaluation, corpus: Corpus, progress: Progress = None) -> Evaluation:
    """Return the same evaluation with the distributions of chance, and notes on what they say."""
    from spanagree.uncertainty.chance_statistics import chance_of_pairs

    settings, names = evaluation.settings, list(evaluation.systems)
    from spanagree.corpus.roles import infer_seen_by_systems

    corpus = infer_seen_by_systems(corpus, names, [settings.gold])
    pairs = [(settings.gold, name) for name in names]
    chances = chance_of_pairs(corpus, pairs, evaluation.counting, settings.gold, progress)
    evaluation = replace(evaluation, by_chance=dict(zip(names, chances, strict=True)))
    notes = [note for name in names for note in _notes_on_chance(evaluation, name)]
    return replace(evaluation, notes=(*evaluation.notes, *notes))


def _notes_on_chance(evaluation: Evaluation, name: str) -> Iterator[str]:
    """Yield how many documents of a system cannot be told from chance, and how many were drawn."""
    from spanagree.uncertainty.chance_statistics import cannot_be_told

    noun, by_chance = document_noun(evaluation.settings), evaluation.by_chance[name]
    figures = list(evaluation.chance_by_document(name).values())
    if note := cannot_be_told(figures, noun, "Benjamini-Hochberg"):
        yield f"{escape_name(name)}: {note}"
    for what, matches in (("gold fixed", by_chance.tested), ("both random", by_chance.both)):
        if len(matches.drawn):
            yield (
                f"{escape_name(name)}: chance with {what} was drawn,"
                f" {pluralize(len(matches.drawn), 'time')}, in"
                f" {pluralize(matches.computed['drawn'], noun)} without an exact distribution"
            )
