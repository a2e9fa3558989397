"""Systems against references as a table and a plot, with caveats, verdict and remarks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spanagree.choices import MAJORITY
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.place_shares import insert_uniform_chance
from spanagree.errors import escape_name, pluralize
from spanagree.references.against import PEOPLE
from spanagree.references.baselines import WITH_VOTERS
from spanagree.results import verdict
from spanagree.results.caveats import write_caveats_of_rows
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_f1_dots, plot_heat_map
from spanagree.results.score_columns import F1, ScoreColumns
from spanagree.settings import document_noun, parse_confidence

if TYPE_CHECKING:
    from spanagree.references.against import (
        HumanAgreement,
        LabelVsReferences,
        ReferenceEvaluation,
        SystemVsReferences,
    )

_SHARE = ("system/human F1", "", "system/human corrected")


def list_caveats(result: ReferenceEvaluation) -> tuple[str, ...]:
    """List warnings about unreliable scores, one sentence each."""
    scores = result.scores | {"": result.ceiling.f1}
    rows = (
        (escape_name(name) or PEOPLE, score, result.evidence[name])
        for name, score in scores.items()
    )
    return write_caveats_of_rows(rows, document_noun(result.settings))


def write_verdict(result: ReferenceEvaluation) -> str:
    """Write the order of systems by corrected F1, and the agreement of people."""
    noun = document_noun(result.settings)
    document_counts = [system.documents for system in result.systems.values()]
    documents_phrase = f"{verdict.write_range(document_counts, noun)} that a person saw too"
    confidence = parse_confidence(result.settings)
    advice = "--ci" if confidence is None else ""
    first, *others = verdict.write_order(
        result.scores, documents_phrase, confidence, advice, result.unmarked
    )
    agreement_sentence = _write_agreement_of_people(result)
    others = (
        [*others, agreement_sentence] if len(result.scores) == 1 else [agreement_sentence, *others]
    )
    chance = verdict.write_chance_model(result.settings)
    return verdict.join_in_two_sentences(first, *others, chance, result.not_in_text)


def _write_agreement_of_people(result: ReferenceEvaluation) -> str:
    """Write the sentence on the agreement of people with each other."""
    noun = document_noun(result.settings)
    people_f1, documents_of_people = result.ceiling.f1, pluralize(result.ceiling.documents, noun)
    if result.references == 1:
        return "One reference alone gives no human agreement."
    score_key, adjective = verdict.choose_figure(result.settings)
    value = getattr(people_f1, score_key)
    if math.isnan(value):
        return f"Human agreement has no {adjective}F1: {people_f1.reason}."
    people_value = verdict.format_short(value)
    return f"People agree with each other to {people_value}, on {documents_of_people}."


def build_table(result: ReferenceEvaluation, by: str | None) -> Frame:
    """Build the table with a row for each system, followed by a row for the ceiling.

    With ``by="annotator"`` each reference has a row too; with ``by="label"`` all rows are repeated
    for each label.
    """
    ci, noun = result.settings.ci is not None, document_noun(result.settings)
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
    for label in result.labels if by == "label" else ("",):
        label_cells: list[Value] = [label] if label else []
        for system in result.systems.values():
            scores = system.labels[label] if label else system
            row = [*label_cells, system.name, False, system.documents]
            row += f1.list_values(scores.f1)
            row += share.list_values(scores.share)
            row += ceiling_f1.list_values(scores.ceiling)
            if ci:
                row += [*f1.list_end_values(scores.f1), *share.list_end_values(scores.share)]
            rows.append(row)
        breaks.append(len(rows))
        ceiling_score = result.ceiling.labels[label] if label else result.ceiling.f1
        people = [(result.ceiling, ceiling_score)]
        people += [(person, person.f1) for person in result.people.values() if by == "annotator"]
        for person, score in people:
            row = [*label_cells, person.name, True, person.documents]
            row += [*f1.list_values(score), *empty_scores]
            if ci:
                row += [*f1.list_end_values(score), *empty_ends]
            rows.append(row)
        breaks += [len(rows)] if by == "label" else []
    table = Frame(
        columns,
        rows,
        result.settings,
        breaks=breaks,
        best=() if by == "label" else (*F1[::2], *_SHARE[::2]),
        remarks=_write_remarks(result, by),
        caption=f"{pluralize(len(result.systems), 'system')} against"
        f" {pluralize(result.references, 'reference')}, {pluralize(result.documents, noun)}",
    )
    uniform = None if result.uniform is None else build_table(result.uniform, by)
    return insert_uniform_chance(table, uniform, result.places)


def _write_remarks(result: ReferenceEvaluation, by: str | None) -> list[str]:
    """Write the remarks on sums and chance, and the reasons for undefined scores.

    ``by`` is the breakdown of the table.
    """
    noun = document_noun(result.settings)
    if by == "label" and not result.labels:
        reason = f"match {result.settings.match} disregards them"
        if find_measure(result.settings.match).of_label:
            reason = "there are no labels"
        return [f"no rows for labels: {reason}", *result.caveats]
    remarks = [
        f"F1: tallies summed over references and {noun}s; those that many saw weigh more",
        f"system/human: ratio to human agreement on the same {noun}s",
    ]
    remarks += verdict.write_chance_remarks(result.settings)
    if result.settings.get("chance_of") == "systems":
        remarks.append(
            "chance: of systems; references are as they are, and of two people one is in turn"
        )
    if result.places is not None:
        names_by_role = {"references": list(result.people), "systems": list(result.systems)}
        remarks += result.places.write_remarks(names_by_role)
    if MAJORITY in result.systems and MAJORITY in result.settings.get("made", {}):
        remarks.append(WITH_VOTERS)
    for system in result.systems.values():
        remarks += _write_undefined_remarks(system, by)
    if reason := result.ceiling.f1.reason:
        remarks.append(f"–: human agreement is undefined: {reason}")
    return [*remarks, *result.caveats]


def _write_undefined_remarks(system: SystemVsReferences, by: str | None) -> list[str]:
    """Write the reasons for undefined scores of a system, and of its labels in a table by label.

    A reason for all labels is written once.
    """
    scores_by_label: dict[str, SystemVsReferences | LabelVsReferences] = {"": system}
    if by == "label":
        scores_by_label |= system.labels
    remarks = []
    reason_of_all = system.f1.reason or system.share.reason
    for label, scores in scores_by_label.items():
        reason = scores.f1.reason or scores.share.reason
        if not reason or (label and reason == reason_of_all):
            continue
        owner = ", ".join(escape_name(part) for part in (system.name, label) if part)
        status = "undefined" if scores.f1.reason else "share undefined"
        remarks.append(f"–: {owner}: {status}: {reason}")
    return remarks


def build_plot(result: ReferenceEvaluation, by: str | None) -> Plot:
    """Plot F1 and corrected F1 of each system, with the ceiling below the systems.

    By label the plot is a heat map of corrected F1, labels × systems and people.
    """
    if by == "label" and result.labels:
        values = np.array([
            [
                *(system.labels[label].f1.corrected for system in result.systems.values()),
                ceiling_f1.corrected,
            ]
            for label, ceiling_f1 in result.ceiling.labels.items()
        ])  # fmt: skip
        return plot_heat_map(result.labels, [*result.systems, PEOPLE], values, "corrected F1")
    rows: list[SystemVsReferences | HumanAgreement] = [*result.systems.values(), result.ceiling]
    rows += result.people.values() if by == "annotator" else ()
    return plot_f1_dots(((row.name, row.f1) for row in rows), "F1")
