"""Each system against each reference that saw the document, beside the people's own ceiling."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from spanagree.arrays import Progress, step_of
from spanagree.blocks.ids import ids_of_units
from spanagree.choices import DRAWS, Chance, Interval, MatchName, ResampleBy
from spanagree.comparisons.expected import expected_how, notes_on
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.overlaps import check_layer, check_names
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.corpus.roles import settled
from spanagree.errors import SettingError, counted, listed, show
from spanagree.references.against_result import (
    PEOPLE,
    AgainstReferences,
    AgainstSettings,
    LabelAgainst,
    Person,
    SystemAgainst,
)
from spanagree.references.best_match import best_matches, check_draws
from spanagree.references.ceiling import Scores, Shared, Tables, scores_of, shared_by_label
from spanagree.results.result import note_left_out
from spanagree.settings import kept_names, unit
from spanagree.uncertainty.bootstrap import Resampling


def evaluate_references(
    corpus: Corpus,
    references: Sequence[str] | None = None,
    *,
    systems: Sequence[str] | None = None,
    match: MatchName = "exact",
    chance: Chance = "nonoverlapping",
    best_match: bool = False,
    draws: int = DRAWS,
    ci: bool = False,
    confidence: float = 95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: Interval = "bca",
    resample_by: ResampleBy = "unit",
    progress: Callable[[int, int], None] | None = None,
) -> AgainstReferences:
    """Return F1 of systems against many annotators, beside what these reach among themselves.

    Each system is compared with each reference that saw the document, and each reference with the
    others; tallies are summed over pairs and documents, as :func:`spanagree.agree` does.

    Args:
        corpus: references and systems as layers.
        references: the names of the references, or all that are not systems.
        systems: the names of the systems, or all that are not references.
        match: the measure, exact, boundaries, token, iou or overlap.
        chance: the chance model, nonoverlapping, per-label or overlapping.
        best_match: whether the nearest reference of each document counts, its chance being
            drawn; of R, systems too choose among R − 1, as a mean over which one is left out.
        draws: how many, for the chance of the best match.
        ci: intervals for every figure, as of :func:`spanagree.evaluate`.
        seed: a whole number from 0, of resamples and of draws.
        interval: bca, percentile or jackknife.
        resample_by: what is drawn for intervals, unit, document or sentence, not text.
        progress: called with the number of steps done, and of all.

    Raises:
        SettingError: for an unknown name, one on both sides, or none on one; otherwise as for
            :func:`spanagree.evaluate`.

    >>> layers = {"ann": [[(0, 4, "X")]], "bob": [[(0, 4, "X")]], "model": [[(0, 2, "X")]]}
    >>> corpus = Corpus.from_segments([8], layers)
    >>> result = evaluate_references(corpus, systems=["model"], match="token")
    >>> print(result["model"].f1, result.ceiling.f1.observed)
    0.6667 (chance 0.3619, corrected 0.4776) 1.0
    """
    check_in_one_piece(corpus, "a comparison with references")
    check_names(match, chance)
    check_draws(draws)
    resampling = Resampling(confidence, resamples, seed, interval, resample_by=resample_by)
    people, machines = _sides(corpus, kept_names(references), kept_names(systems))
    settings = AgainstSettings(
        match=match, chance=chance, systems=machines, references=len(people),
        chosen=None if len(corpus.layers) == len(people + machines) else people,
        offsets=corpus.offsets, reading=corpus.reading,
    )  # fmt: skip
    by_chance = (draws, seed) if best_match else None
    corpus = settled(corpus.of_annotators([*people, *machines]), machines, people)
    return _compared(corpus, settings, by_chance, resampling if ci else None, progress)


def _compared(
    corpus: Corpus,
    settings: AgainstSettings,
    by_chance: tuple[int, int] | None,
    resampling: Resampling | None,
    progress: Progress,
) -> AgainstReferences:
    """Return the result for a corpus in which the references come first.

    ``chance`` has the number of draws and their seed, if the best match is asked for.
    """
    match, chance, people = settings.match, settings.chance, settings.references
    for name in corpus.annotators:
        check_layer(corpus, name, match, chance)
    notes = [*corpus.notes]
    codes = range(len(corpus.labels)) if find_match(match).of_label and by_chance is None else ()
    by_label: Iterator[Shared] = iter(())
    if by_chance is not None:
        shared, error = best_matches(corpus, people, match, chance, *by_chance, progress)
        draws, seed = map(int, by_chance)
        settings = replace(settings, best_match=True, draws=draws, seed=seed)
        how = f"is the mean of {counted(draws, 'draw')}; its standard error is {error:.2g} at most"
        if math.isnan(error):
            how = "is not defined: no document that two references saw, so there is no choice"
        notes.append(f"chance of the best match {how}")
    else:
        is_reference = np.arange(len(corpus.annotators)) < people
        by_label = shared_by_label(
            corpus,
            is_reference,
            match,
            chance,
            progress,
            labels=codes if len(codes) > 1 else (),
        )
        shared = next(by_label)
        if len(codes) == 1:
            by_label = iter((shared,))
        settings = replace(settings, expected=expected_how(shared.how))
        notes += notes_on(shared.how, shared.size)
    alike = by_chance is not None
    tables = Tables.of(corpus, people, shared, alike=alike)
    wholes = None if resampling is None else resampling.wholes_of(corpus.wholes, settings)
    if resampling is not None:
        settings = replace(settings, **resampling.settings())
    drawing = None if resampling is None else step_of(progress, "intervals")
    ids = None if resampling is None else ids_of_units(corpus.ids, wholes)
    scores = scores_of(tables, tables.by_wholes(wholes), resampling, drawing, ids, alike=alike)
    labels = {}
    for code, each in zip(codes, by_label, strict=True):
        own = Tables.of(corpus, people, each, alike=alike)._replace(people={})
        labels[corpus.labels[code]] = scores_of(
            own, own.by_wholes(wholes), resampling, drawing, ids, alike=alike
        )
    return _result(len(corpus), tables, scores, labels, settings, notes)


def _sides(
    corpus: Corpus, references: Sequence[str] | None, systems: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Return the names of the references and of the systems.

    Raises:
        SettingError: if one is on both sides or not there, or a side has none.
    """
    if references is None and systems is None:
        raise SettingError(
            "neither references nor systems; name the ones or the others, and all that are not"
            " named are on the other side"
        )
    names = corpus.annotators
    given = [None if side is None else corpus.of_annotators(side) for side in (references, systems)]
    one, other = (None if side is None else list(side.layers) for side in given)
    people = one if one is not None else [name for name in names if name not in (other or ())]
    machines = other if other is not None else [name for name in names if name not in people]
    for name in people:
        if name in machines:
            raise SettingError(
                f"{show(name)} is a reference and a system; name it on one side, as a system would"
                " agree with itself"
            )
    for side, what in ((people, "reference"), (machines, "system")):
        if not side:
            raise SettingError(
                f"no {what} is left; there are {counted(len(names), 'layer')}:"
                f" {listed(names)}; name those that are {what}s"
            )
    return people, machines


def _result(
    documents: int,
    tables: Tables,
    scores: Scores,
    labels: Mapping[str, Scores],
    settings: AgainstSettings,
    notes: Sequence[str],
) -> AgainstReferences:
    """Return the result of tables and scores, which ``labels`` has of each label."""

    def against(name: str, scores: Scores) -> LabelAgainst:
        return LabelAgainst(scores.systems[name], scores.ceilings[name], scores.shares[name])

    systems = {
        name: SystemAgainst(
            name,
            len(table[0]),
            *against(name, scores),
            {label: against(name, each) for label, each in labels.items()},
        )
        for name, table in tables.systems.items()
    }
    whom = "two references" if settings.best_match else "a reference"
    lacking = (
        note
        for system in systems.values()
        for note in note_left_out(system.name, system.documents, documents, whom, unit(settings))
    )
    people = {
        name: Person(name, len(table[0]), scores.people[name])
        for name, table in tables.people.items()
    }
    tops = {label: each.ceiling for label, each in labels.items()}
    ceiling = Person(PEOPLE, len(tables.ceiling[0]), scores.ceiling, tops)
    return AgainstReferences(
        systems, people, ceiling, documents, settings, (*notes, *lacking), scores.evidence
    )
