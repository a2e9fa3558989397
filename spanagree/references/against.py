"""Agreement of systems with several references, next to the references' agreement: the ceiling.

References are annotators that no system replaces as gold. Each system is compared with each of
them. The ceiling is the F1 of references against each other, as a system may be expected to agree
with people no better than people agree. A share is the F1 of a system divided by the ceiling over
the same documents; see :mod:`spanagree.references.ceiling` for the equations.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import sub_progress
from spanagree.chance.model import ChanceModel, Given, build_chance_model
from spanagree.choices import MAJORITY, NOTHING, ChanceOf, ChanceOrAuto, MatchName
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.overlaps import choose_chance_of_corpus
from spanagree.comparisons.place_shares import (
    PlacementStatistics,
    collect_place_notes,
    compute_place_shares,
    insert_uniform_chance,
)
from spanagree.comparisons.random_layers import NAME, compute_mean_of_random, is_drawn
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.roles import infer_seen_by_systems
from spanagree.errors import (
    SettingError,
    check_annotator_names,
    escape_name,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.references.baselines import WITH_VOTERS
from spanagree.references.ceiling import (
    ALL,
    Key,
    Table,
    compare_with_references,
    compute_compared_size,
    compute_people_tables,
    compute_system_tables,
    replace_matches,
    score_tables,
)
from spanagree.results import verdict
from spanagree.results.caveats import write_caveats_of_rows
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_f1_dots, plot_heat_map
from spanagree.results.result import NanEqualMixin, write_coverage_note
from spanagree.results.score import Score, compute_f1_figures
from spanagree.results.score_columns import F1, ScoreColumns
from spanagree.settings import MatchSettings, document_noun, parse_confidence
from spanagree.systems.result import SystemsResult
from spanagree.uncertainty.confidence import Jackknife, add_interval_settings, parse_ci
from spanagree.uncertainty.jackknife import count_evidence

PEOPLE = "human agreement"
_SHARE = ("system/human F1", "", "system/human corrected")


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

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each."""
        scores = self.scores | {"": self.ceiling.f1}
        rows = (
            (escape_name(name) or PEOPLE, score, self.evidence[name])
            for name, score in scores.items()
        )
        return write_caveats_of_rows(rows, document_noun(self.settings))

    @property
    def verdict(self) -> str:
        """Sentences on the order of systems by corrected F1, and on the agreement of people."""
        noun = document_noun(self.settings)
        document_counts = [system.documents for system in self.systems.values()]
        documents_phrase = f"{verdict.write_range(document_counts, noun)} that a person saw too"
        confidence = parse_confidence(self.settings)
        advice = "--ci" if confidence is None else ""
        first, *others = verdict.write_order(
            self.scores, documents_phrase, confidence, advice, self.unmarked
        )
        agreement_sentence = self._write_agreement_of_people()
        others = (
            [*others, agreement_sentence]
            if len(self.scores) == 1
            else [agreement_sentence, *others]
        )
        chance = verdict.write_chance_model(self.settings)
        return verdict.join_in_two_sentences(first, *others, chance, self.not_in_text)

    def _write_agreement_of_people(self) -> str:
        """Write the sentence on the agreement of people with each other."""
        noun = document_noun(self.settings)
        people_f1, documents_of_people = self.ceiling.f1, pluralize(self.ceiling.documents, noun)
        if self.references == 1:
            return "One reference alone gives no human agreement."
        score_key, adjective = verdict.choose_figure(self.settings)
        value = getattr(people_f1, score_key)
        if math.isnan(value):
            return f"Human agreement has no {adjective}F1: {people_f1.reason}."
        people_value = verdict.format_short(value)
        return f"People agree with each other to {people_value}, on {documents_of_people}."

    @property
    def references(self) -> int:
        """Number of references."""
        return self.settings.references

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with a row for each system, followed by a row for the ceiling.

        With ``by="annotator"`` each reference has a row too; with ``by="label"`` all rows are
        repeated for each label.
        """
        ci, noun = self.settings.ci is not None, document_noun(self.settings)
        f1 = ScoreColumns("f1", F1, ci, ("F1 of references", "", ""))
        ceiling_f1 = ScoreColumns("ceiling_f1")
        share = ScoreColumns("share", _SHARE, ci, spare=_SHARE[:1])
        label_columns = [Column("label", "label", "name", "label against references")]
        columns = [
            *(label_columns if by == "label" else ()),
            Column("system", "system", "name", "system against references"),
            Column("reference", "", "mark"),
            Column("documents", f"{noun}s", "count", "documents of references"),
            *f1.columns,
            *share.columns,
            *ceiling_f1.columns,
            *(column for score in (f1, share) if ci for column in score.ends),
        ]
        empty_scores = [""] * len([*share.columns, *ceiling_f1.columns])
        empty_ends = [""] * len(share.ends)
        rows: list[list[Value]] = []
        breaks: list[int] = []
        for label in self.labels if by == "label" else ("",):
            label_cells: list[Value] = [label] if label else []
            for system in self.systems.values():
                scores_of_system = system.labels[label] if label else system
                score_cells = (
                    *f1.list_values(scores_of_system.f1),
                    *share.list_values(scores_of_system.share),
                    *ceiling_f1.list_values(scores_of_system.ceiling),
                )
                end_cells = (
                    [
                        *f1.list_end_values(scores_of_system.f1),
                        *share.list_end_values(scores_of_system.share),
                    ]
                    if ci
                    else []
                )
                rows.append(
                    [*label_cells, system.name, False, system.documents, *score_cells, *end_cells]
                )
            breaks.append(len(rows))
            ceiling_score = self.ceiling.labels[label] if label else self.ceiling.f1
            people = [(self.ceiling, ceiling_score)]
            people += [(person, person.f1) for person in self.people.values() if by == "annotator"]
            for person, score in people:
                end_cells = [*f1.list_end_values(score), *empty_ends] if ci else []
                person_cells = [*f1.list_values(score), *empty_scores, *end_cells]
                rows.append([*label_cells, person.name, True, person.documents, *person_cells])
            breaks += [len(rows)] if by == "label" else []
        references = pluralize(self.settings.references, "reference")
        table = Frame(
            columns,
            rows,
            self.settings,
            breaks=breaks,
            best=() if by == "label" else (*F1[::2], *_SHARE[::2]),
            remarks=self._write_remarks(by),
            caption=f"{pluralize(len(self.systems), 'system')} against {references},"
            f" {pluralize(self.documents, noun)}",
        )
        uniform = None if self.uniform is None else self.uniform._build_table(by)
        return insert_uniform_chance(table, uniform, self.places)

    @property
    def labels(self) -> list[str]:
        """Labels with scores."""
        return list(self.ceiling.labels)

    def _write_remarks(self, by: str | None) -> list[str]:
        """Write the remarks on sums and chance, and the reasons for undefined scores.

        ``by`` is the breakdown of the table.
        """
        noun = document_noun(self.settings)
        if by == "label" and not self.labels:
            reason = f"match {self.settings.match} disregards them"
            if find_measure(self.settings.match).of_label:
                reason = "there are no labels"
            return [f"no rows for labels: {reason}", *self.caveats]
        remarks = [
            f"F1: tallies summed over references and {noun}s; those that many saw weigh more",
            f"system/human: ratio to human agreement on the same {noun}s",
        ]
        remarks += verdict.write_chance_remarks(self.settings)
        if self.settings.get("chance_of") == "systems":
            remarks.append(
                "chance: of systems; references are as they are, and of two people one is in turn"
            )
        if self.places is not None:
            names_by_role = {"references": list(self.people), "systems": list(self.systems)}
            remarks += self.places.write_remarks(names_by_role)
        if MAJORITY in self.systems and MAJORITY in self.settings.get("made", {}):
            remarks.append(WITH_VOTERS)
        for name, system in self.systems.items():
            written_reasons = {""}  # a reason for all labels is written once
            system_by_label: dict[str, SystemVsReferences | LabelVsReferences] = {"": system}
            for label, scores in {
                **system_by_label,
                **(system.labels if by == "label" else {}),
            }.items():
                owner = ", ".join(escape_name(part) for part in (name, label) if part)
                status = "undefined" if scores.f1.reason else "share undefined"
                reason = scores.f1.reason or scores.share.reason
                remarks += [] if reason in written_reasons else [f"–: {owner}: {status}: {reason}"]
                written_reasons |= set() if label else {reason}
        if reason := self.ceiling.f1.reason:
            remarks.append(f"–: human agreement is undefined: {reason}")
        return [*remarks, *self.caveats]

    def _build_plot(self, by: str | None) -> Plot:
        """Plot F1 and corrected F1 of each system, with the ceiling below the systems.

        By label the plot is a heat map of corrected F1, labels × systems and people.
        """
        if by == "label" and self.labels:
            values = np.array([
                [
                    *(system.labels[label].f1.corrected for system in self.systems.values()),
                    ceiling_f1.corrected,
                ]
                for label, ceiling_f1 in self.ceiling.labels.items()
            ])  # fmt: skip
            return plot_heat_map(self.labels, [*self.systems, PEOPLE], values, "corrected F1")
        rows: list[SystemVsReferences | HumanAgreement] = [*self.systems.values(), self.ceiling]
        rows += self.people.values() if by == "annotator" else ()
        return plot_f1_dots(((row.name, row.f1) for row in rows), "F1")


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
    if corpus.of_strings:
        from spanagree.comparisons.strings import convert_to_segments  # most corpora have texts

        corpus = convert_to_segments(corpus, match)
    named_model, corpus = build_chance_model(chance, places, chance_of, seed).bind_to_ids(corpus)
    find_measure(match)
    model = choose_chance_of_corpus(corpus, match, named_model)
    jackknife = parse_ci(ci)
    reference_names, system_names = _split_roles(corpus, references, systems)
    compared_corpus = infer_seen_by_systems(
        corpus.select_annotators([*reference_names, *system_names]), system_names, reference_names
    )
    chosen = None if len(corpus.layers) == len(reference_names + system_names) else reference_names
    corpus = compared_corpus

    def build_settings(chance: ChanceModel) -> ReferenceSettings:
        return ReferenceSettings(
            match=match, **chance.settings, systems=system_names, references=len(reference_names),
            chosen=chosen, unplaced=compared_corpus.unplaced_count_as,
            offsets=compared_corpus.offsets, reading=compared_corpus.reading,
        )  # fmt: skip

    def compare(counting: MatchCountOptions) -> tuple[MatchCountOptions, ReferenceEvaluation]:
        settings = build_settings(counting.chance)
        return counting, _evaluate(compared_corpus, settings, counting, jackknife)

    counting, result = MatchCountOptions.from_request(match, model, named_model, progress).run(
        compare
    )
    shares = compute_place_shares(corpus, corpus.annotators, counting.chance)
    notes = (*result.notes, *collect_place_notes(corpus, shares))
    unmarked_names = (name for name in system_names if not len(corpus.layers[name]))
    unmarked = tuple(name for name in unmarked_names if name != NOTHING)
    quote_sentence = _write_lost_quotes_sentence(corpus, result.settings, system_names)
    result = replace(result, unmarked=unmarked, not_in_text=quote_sentence)
    uniform = counting.remove_places()
    if shares is None or uniform is None:
        return replace(result, notes=notes)
    uniform_result = _evaluate(corpus, build_settings(uniform.chance), uniform, None)
    settings = replace(result.settings, places_mean=shares.mixed)
    return replace(result, notes=notes, settings=settings, places=shares, uniform=uniform_result)


def _write_lost_quotes_sentence(
    corpus: Corpus, settings: ReferenceSettings, system_names: Sequence[str]
) -> str:
    """Write a sentence on the quotes of systems that are not in the text.

    Only documents that a reference saw are regarded. The sentence is empty without such quotes.
    """
    reference_layers = [layer for name, layer in corpus.layers.items() if name not in system_names]
    is_seen = np.any([layer.annotated for layer in reference_layers], axis=0)
    quotes = [corpus.unplaced[name] for name in system_names if name in corpus.unplaced]
    n_lost = sum(int(is_seen[quotes_of_system.at].sum()) for quotes_of_system in quotes)
    return verdict.write_quotes_not_in_text(settings, system_names, n_lost)


def _evaluate(
    corpus: Corpus,
    settings: ReferenceSettings,
    counting: MatchCountOptions,
    jackknife: Jackknife | None,
) -> ReferenceEvaluation:
    """Evaluate systems against references under one chance model.

    Args:
        corpus: layers of the references, followed by layers of the systems.
        settings: settings of the result.
        counting: measure, chance model and progress.
        jackknife: options of intervals, or `None` for no intervals.
    """
    n_references = settings.references
    counting.check(corpus)
    by_label = counting.measure.of_label
    rows, settings, notes = _compare_all(corpus, settings, counting, by_label=by_label)
    tables = compute_system_tables(corpus, n_references, rows)
    tables |= compute_people_tables(corpus, n_references, rows)
    parent_ids = None if jackknife is None else jackknife.wholes_of(corpus.parent_ids, settings)
    if jackknife is not None:
        sub_progress(counting.progress, "intervals")
    compute_scores = functools.partial(score_tables, parent_ids=parent_ids, jackknife=jackknife)
    scores, labels = compute_scores(tables), {}
    interval_kinds = (
        score.interval.kind for score in scores.values() if score.interval is not None
    )
    settings = add_interval_settings(settings, jackknife, interval_kinds)
    for label_code, label in enumerate(corpus.labels if by_label else ()):
        rows_of_label = rows.where(rows.label == label_code)
        labels[label] = compute_scores(compute_system_tables(corpus, n_references, rows_of_label))
    return _build_result(len(corpus), tables, scores, labels, settings, (*corpus.notes, *notes))


def _compare_all(
    corpus: Corpus, settings: ReferenceSettings, counting: MatchCountOptions, *, by_label: bool
) -> tuple[Comparisons, ReferenceSettings, list[str]]:
    """Compare the annotations of systems and references with the references of their documents.

    Args:
        corpus: layers of the references, followed by layers of the systems.
        settings: settings of the result.
        counting: measure, chance model and progress.
        by_label: True for rows of single labels.

    Returns:
        Rows of :func:`spanagree.references.ceiling.compare_with_references`, the settings with
        those of inexact expected scores, and notes on chance.
    """
    chance, n_references = counting.chance, settings.references
    rows = compare_with_references(corpus, n_references, counting, by_label=by_label)
    notes = rows.inexact.notes(compute_compared_size(rows, n_references, chance))
    settings = replace(settings, **rows.inexact.settings(chance.seed))
    if is_drawn(corpus) and NAME in corpus.annotators[n_references:]:
        mean_of_draws = compute_mean_of_random(
            corpus, corpus.annotators[:n_references], counting.measure
        )
        annotator_index = corpus.annotators.index(NAME)
        rows = replace_matches(rows, annotator_index, mean_of_draws.matched)
        size = rows.where(rows.first == annotator_index).total().size
        notes.append(mean_of_draws.write_note(size, "references stay as they are"))
    return rows, settings, notes


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


def _build_result(
    n_documents: int,
    tables: Mapping[Key, Table],
    scores: Mapping[Key, Score],
    scores_by_label: Mapping[str, Mapping[Key, Score]],
    settings: ReferenceSettings,
    notes: Sequence[str],
) -> ReferenceEvaluation:
    """Build the result from tables and scores, which have keys of role and name.

    Args:
        n_documents: number of documents of the corpus.
        tables: indices and sums of documents by key; see :mod:`spanagree.references.ceiling`.
        scores: scores by key.
        scores_by_label: scores by key for each label.
        settings: settings of the computation.
        notes: notes on the data and on chance.
    """

    def label_scores(name: str, scores: Mapping[Key, Score]) -> LabelVsReferences:
        return LabelVsReferences(*(scores[kind, name] for kind in ("system", "ceiling", "share")))

    systems = {
        name: SystemVsReferences(
            name,
            len(table[0]),
            *label_scores(name, scores),
            {
                label: label_scores(name, scores_of_label)
                for label, scores_of_label in scores_by_label.items()
            },
        )
        for (kind, name), table in tables.items()
        if kind == "system"
    }
    noun = document_noun(settings)
    left_out_notes = (
        note
        for system in systems.values()
        for note in write_coverage_note(
            system.name, system.documents, n_documents, "a reference", noun
        )
    )
    people = {
        name: HumanAgreement(name, len(table[0]), scores["person", name])
        for (kind, name), table in tables.items()
        if kind == "person"
    }
    ceiling_by_label = {
        label: scores_of_label[ALL] for label, scores_of_label in scores_by_label.items()
    }
    ceiling = HumanAgreement(PEOPLE, len(tables[ALL][0]), scores[ALL], ceiling_by_label)
    evidence = {
        name: count_evidence(table, compute_f1_figures)[0, 0].tolist()
        for (kind, name), (_, table) in tables.items()
        if kind in ("system", "all")
    }
    return ReferenceEvaluation(
        systems, people, ceiling, n_documents, settings, (*notes, *left_out_notes), evidence
    )
