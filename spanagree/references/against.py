"""Agreement of systems with several references, next to the references' agreement: the ceiling.

References are annotators that no system replaces as gold. Each system is compared with each of
them. The ceiling is the F1 of references against each other, as a system may be expected to agree
with people no better than people agree. A share is the F1 of a system divided by the ceiling over
the same documents; see :mod:`spanagree.references.ceiling` for the equations.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from spanagree.arrays import sub_progress
from spanagree.chance.model import Given, build_chance_model
from spanagree.choices import NOTHING, ChanceOf, ChanceOrAuto, MatchName
from spanagree.comparisons.counting import (
    ComparisonContext,
    ComparisonRequest,
    MatchCountOptions,
)
from spanagree.comparisons.place_shares import (
    PlacementStatistics,
    collect_place_notes,
    compute_place_shares,
)
from spanagree.comparisons.random_layers import NAME, compute_mean_of_random, is_drawn
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.roles import count_seen, infer_seen_by_systems
from spanagree.errors import (
    SettingError,
    check_annotator_names,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.references.ceiling import ReferenceScores
from spanagree.references.reference_rows import (
    compare_with_references,
    compute_compared_size,
    replace_matches,
)
from spanagree.results import verdict
from spanagree.results.result import NanEqualMixin, write_coverage_note
from spanagree.results.score import Score
from spanagree.settings import MatchSettings, document_noun
from spanagree.systems.result import SystemsResult
from spanagree.uncertainty.confidence import Jackknife, add_interval_settings, parse_ci

PEOPLE = "human agreement"


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferenceSettings(MatchSettings):
    """Settings of systems against references; ``chosen`` lists them if others are left out."""

    systems: Sequence[str]
    references: int


class LabelVsReferences(NamedTuple):
    """Scores of one system on the segments of one label; see :class:`SystemVsReferences`."""

    f1: Score
    ceiling: Score
    share: Score


@dataclass(frozen=True, eq=False)
class SystemVsReferences(NanEqualMixin):
    """Scores of one system against the references, and of these on the same documents.

    Attributes:
        name: name of the system.
        documents: number of documents that the system and a reference saw.
        f1: F1 pooled over these documents and their references.
        ceiling: F1 of references against each other, on documents that two of them and the system
            saw.
        share: F1, expected F1 and corrected F1 of the system, each divided by that of the ceiling,
            with each document weighted as in the ceiling.
        labels: scores by label; empty if labels do not count.
    """

    name: str
    documents: int
    f1: Score
    ceiling: Score
    share: Score
    labels: Mapping[str, LabelVsReferences]


@dataclass(frozen=True, eq=False)
class HumanAgreement(NanEqualMixin):
    """Scores of one reference against the others, or of all references: the ceiling.

    Attributes:
        name: name of the reference, or of the ceiling.
        documents: number of documents that the reference and another one saw; for the ceiling,
            number of documents that two references saw.
        f1: F1 pooled over these documents, or F1 of the best match.
        labels: F1 by label, for the ceiling only.
    """

    name: str
    documents: int
    f1: Score
    labels: Mapping[str, Score] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class ReferenceEvaluation(SystemsResult):
    """The result of :func:`spanagree.evaluate_references`.

    Attributes:
        systems: scores of systems by name, in the order of the corpus.
        people: scores of references by name, each against the others.
        ceiling: scores of all references against each other.
        documents: number of documents of the corpus.
        settings: settings of the computation.
        notes: notes on the data and on chance, one sentence each.
        evidence: amount of data behind the F1 of each system; key "" for the ceiling.
        places: shares of segments that follow the rule of places, or `None` without a rule.
        uniform: result without that rule.
        unmarked: names of systems without a segment.
        not_in_text: sentence on quotes that are not in the text; empty without any.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 4, "X")]], "bob": [[(0, 4, "X")]], "model": [[(0, 2, "X")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> found = sa.evaluate_references(corpus, systems=["model"], match="token")
    >>> round(found["model"].f1.observed, 3), found.ceiling.f1.observed
    (0.667, 1.0)
    """

    systems: Mapping[str, SystemVsReferences]
    people: Mapping[str, HumanAgreement]
    ceiling: HumanAgreement
    documents: int
    settings: ReferenceSettings
    notes: tuple[str, ...]
    evidence: Mapping[str, Sequence[int]] = field(default_factory=dict, repr=False)
    places: PlacementStatistics | None = field(default=None, repr=False, compare=False)
    uniform: ReferenceEvaluation | None = field(default=None, repr=False, compare=False)
    unmarked: tuple[str, ...] = field(default=(), repr=False, compare=False)
    not_in_text: str = field(default="", repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "annotator": "a row for each reference too, against the others",
        "label": "a row for each label and system, then for the ceiling of the label",
    }
    DRAWN: ClassVar[tuple[str, ...]] = ("annotator", "label")
    TABLES: ClassVar[Mapping[str, str | None]] = {"systems": None}
    SUMMARY: ClassVar[tuple[str, ...]] = (
        "documents",
        "references",
        "places?",
        "uniform=uniform.scores?",
    )
    SHOWN_BY: ClassVar[str] = f"{__package__}.against_table"

    @property
    def references(self) -> int:
        """Number of references."""
        return self.settings.references

    @property
    def labels(self) -> list[str]:
        """Labels with scores."""
        return list(self.ceiling.labels)


def evaluate_references(
    corpus: CorpusLike,
    references: Sequence[str] | None = None,
    *,
    systems: Sequence[str] | None = None,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    places: Given | None = None,
    chance_of: ChanceOf = "both",
    seed: int = 0,
    ci: bool | Jackknife = False,
    progress: Callable[[int, int], None] | None = None,
) -> ReferenceEvaluation:
    """Evaluate systems against several annotators, next to the agreement of these.

    Each system is compared with each reference that saw the document, and each reference with the
    others; tallies are summed over pairs and documents, as :func:`spanagree.agree` does.

    Args:
        corpus: references and systems as layers.
        references: names of the references. Default: all annotators that are not systems.
        systems: names of the systems. Default: all annotators that are not references.
        match: name of the measure.
        chance: chance model, nonoverlapping, per-label or overlapping; auto takes the first of
            these that the segments of all layers allow.
        places: rule for the positions of random segments; see :func:`spanagree.evaluate`.
        chance_of: random annotations: both, or systems, with fixed references. In the ceiling
            each reference in turn is treated as a system.
        seed: random seed, an integer from 0, for expected scores that have to be drawn.
        ci: options of intervals for all scores, as in :func:`spanagree.evaluate`; intervals over
            texts are not available.
        progress: callback that receives the number of finished steps and of all.

    Raises:
        SettingError: if a name is unknown or both a reference and a system, or if there is no
            reference or no system; also in the cases of :func:`spanagree.evaluate`.

    >>> layers = {"ann": [[(0, 4, "X")]], "bob": [[(0, 4, "X")]], "model": [[(0, 2, "X")]]}
    >>> corpus = Corpus.from_segments([8], layers)
    >>> result = evaluate_references(corpus, systems=["model"], match="token")
    >>> print(result["model"].f1, result.ceiling.f1.observed)
    0.667 (chance 0.362, corrected 0.478) 1.0
    """
    corpus = as_corpus(corpus)
    check_contiguous(corpus, "a comparison with references")
    request = ComparisonRequest(match, build_chance_model(chance, places, chance_of, seed))
    corpus, counting = request.select_items(corpus, progress)
    jackknife = parse_ci(ci)
    reference_names, system_names = _split_roles(corpus, references, systems)
    is_of_all = len(corpus.layers) == len(reference_names + system_names)
    sides = {
        "systems": system_names,
        "references": len(reference_names),
        "chosen": None if is_of_all else reference_names,
    }
    corpus = infer_seen_by_systems(
        corpus.select_annotators([*reference_names, *system_names]), system_names, reference_names
    )
    result = counting.run(functools.partial(_evaluate, corpus, sides, jackknife))
    unmarked_names = (name for name in system_names if not len(corpus.layers[name]))
    shares = compute_place_shares(corpus, corpus.annotators, counting.chance)
    settings, uniform = result.settings, counting.remove_places()
    if shares is not None:
        settings = replace(settings, places_mean=shares.mixed)
    return replace(
        result,
        settings=settings,
        notes=(*result.notes, *collect_place_notes(corpus, shares)),
        places=shares,
        uniform=None if uniform is None else _evaluate(corpus, sides, None, uniform),
        unmarked=tuple(name for name in unmarked_names if name != NOTHING),
        not_in_text=_write_lost_quotes_sentence(corpus, settings, reference_names, system_names),
    )


def _write_lost_quotes_sentence(
    corpus: Corpus,
    settings: ReferenceSettings,
    reference_names: Sequence[str],
    system_names: Sequence[str],
) -> str:
    """Write a sentence on the quotes of systems that are not in the text.

    Only documents that a reference saw are regarded. The sentence is empty without such quotes.
    """
    is_seen = count_seen(corpus, reference_names) > 0
    quotes = [corpus.unplaced[name] for name in system_names if name in corpus.unplaced]
    n_lost = sum(int(is_seen[quotes_of_system.at].sum()) for quotes_of_system in quotes)
    return verdict.write_quotes_not_in_text(settings, system_names, n_lost)


def _evaluate(
    corpus: Corpus,
    sides: Mapping[str, Any],
    jackknife: Jackknife | None,
    counting: MatchCountOptions,
) -> ReferenceEvaluation:
    """Evaluate systems against references under one chance model.

    Args:
        corpus: layers of the references, followed by layers of the systems.
        sides: settings of the result that say who is a system and who a reference.
        jackknife: options of intervals, or `None` for no intervals.
        counting: measure, chance model and progress.
    """
    counting.check(corpus)
    n_references, by_label = sides["references"], counting.measure.of_label
    rows = compare_with_references(corpus, n_references, counting, by_label=by_label)
    settings = ReferenceSettings(
        **sides, **counting.collect_settings(corpus, rows.inexact, ComparisonContext())
    )
    size = compute_compared_size(rows, n_references, counting.chance)
    notes = [*corpus.notes, *rows.inexact.notes(size)]
    if is_drawn(corpus) and NAME in corpus.annotators[n_references:]:
        rows, note = _replace_random_by_mean(corpus, n_references, rows, counting)
        notes.append(note)
    parent_ids = None if jackknife is None else jackknife.wholes_of(corpus.parent_ids, settings)
    if jackknife is not None:
        sub_progress(counting.progress, "intervals")
    of_all = ReferenceScores(corpus, n_references, rows, jackknife, parent_ids)
    by_label_name = {
        label: replace(of_all, rows=rows.where(rows.label == label_code))
        for label_code, label in enumerate(corpus.labels if by_label else ())
    }
    systems, people, evidence = {}, {}, {}
    for annotator, name in enumerate(corpus.annotators):
        sums = of_all.sum_documents(annotator)
        if annotator < n_references:
            f1 = of_all.score(sums, "no document with another reference")
            people[name] = HumanAgreement(name, len(sums.documents), f1)
        else:
            labels = {
                label: LabelVsReferences(*scores.score_system(scores.sum_documents(annotator)))
                for label, scores in by_label_name.items()
            }
            systems[name] = SystemVsReferences(
                name, len(sums.documents), *of_all.score_system(sums), labels
            )
            evidence[name] = sums.evidence
    ceiling = HumanAgreement(
        PEOPLE,
        len(of_all.ceiling.documents),
        of_all.score(of_all.ceiling),
        {label: scores.score(scores.ceiling) for label, scores in by_label_name.items()},
    )
    all_scores = [person.f1 for person in (*people.values(), ceiling)]
    for system in systems.values():
        all_scores += [system.f1, system.ceiling, system.share]
        notes += write_coverage_note(
            system.name, system.documents, len(corpus), "a reference", document_noun(settings)
        )
    interval_kinds = (score.interval.kind for score in all_scores if score.interval is not None)
    return ReferenceEvaluation(
        systems,
        people,
        ceiling,
        len(corpus),
        add_interval_settings(settings, jackknife, interval_kinds),
        tuple(notes),
        {"": of_all.ceiling.evidence, **evidence},
    )


def _replace_random_by_mean(
    corpus: Corpus, n_references: int, rows: Comparisons, counting: MatchCountOptions
) -> tuple[Comparisons, str]:
    """Replace the matches of the random baseline by means over draws.

    Args:
        corpus: layers of the references, followed by layers of the systems.
        n_references: number of references.
        rows: rows of :func:`spanagree.references.reference_rows.compare_with_references`.
        counting: measure and chance model.

    Returns:
        Rows with the means, and a note on them.
    """
    mean_of_draws = compute_mean_of_random(
        corpus, corpus.annotators[:n_references], counting.measure
    )
    annotator_index = corpus.annotators.index(NAME)
    rows = replace_matches(rows, annotator_index, mean_of_draws.matched)
    size = rows.where(rows.first == annotator_index).total().size
    return rows, mean_of_draws.write_note(size, "references stay as they are")


def _split_roles(
    corpus: Corpus, references: Sequence[str] | None, systems: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Split annotators into references and systems; an unnamed role has all other annotators.

    Returns:
        Names of the references, and names of the systems.

    Raises:
        SettingError: if a name is unknown or has both roles, or a role has no name.
    """
    if references is None and systems is None:
        raise SettingError(
            "neither references nor systems; name the ones or the others, and all that are not"
            " named are on the other side"
        )
    names = corpus.annotators
    reference_names = (
        None if references is None else check_annotator_names(references, corpus.layers)
    )
    system_names = None if systems is None else check_annotator_names(systems, corpus.layers)
    if reference_names is None:
        reference_names = [name for name in names if name not in (system_names or ())]
    if system_names is None:
        system_names = [name for name in names if name not in reference_names]
    for name in reference_names:
        if name in system_names:
            raise SettingError(
                f"{quote_value(name)} is a reference and a system; name it on one side, as a"
                " system would agree with itself"
            )
    for role_names, role in ((reference_names, "reference"), (system_names, "system")):
        if not role_names:
            raise SettingError(
                f"no {role} is left; there are {pluralize(len(names), 'annotator')}:"
                f" {join_names(names)}; name those that are {role}s"
            )
    return reference_names, system_names
