"""A plan as a table of the documents that each number of annotators needs, with its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanagree.errors import format_count_of_total, pluralize
from spanagree.project.plan import FIGURE_NAMES
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.settings import document_noun

if TYPE_CHECKING:
    from spanagree.project.plan import Plan

_FEW = 30  # number of documents below which a variance is unreliable


def write_verdict(plan: Plan) -> str:
    """Write a sentence on the current width, and on the requirements of the requested width."""
    smallest, largest = min(plan.variance), max(plan.variance)
    documents = pluralize(plan.documents, document_noun(plan.settings))
    verb = "gives" if plan.documents == 1 else "give"
    annotators = pluralize(smallest, "annotator")
    requirements = [f"{_write_requirement(plan, smallest)} with {annotators} each"]
    if largest > smallest:
        requirements.append(f"{_write_requirement(plan, largest)} with {largest}")
    return (
        f"For these annotators, the {documents} so far {verb} a"
        f" {plan.settings.confidence:g} % interval {verdict.format_short(plan.width)} wide; one of"
        f" {verdict.format_short(plan.settings.width)} needs {', or '.join(requirements)}."
    )


def _write_requirement(plan: Plan, annotators: int) -> str:
    """Write the number of documents for a number of annotators, with its range."""
    n_needed, low, high = plan.needed(annotators)
    range_text = f" ({low} to {high})" if low < high else ""
    return f"{pluralize(n_needed, document_noun(plan.settings))}{range_text}"


def list_caveats(plan: Plan) -> tuple[str, ...]:
    """List warnings about unreliable results, one sentence each."""
    if plan.documents >= _FEW:
        return ()
    n_documents = pluralize(plan.documents, document_noun(plan.settings))
    return (f"only {n_documents} to plan from; the variance is shaky",)


def build_table(plan: Plan, by: str | None) -> Frame:
    """Build the table of requirements, with a row for each number of annotators."""
    noun = document_noun(plan.settings)
    columns = [
        Column("annotators", "annotators of each", "count"),
        Column("documents", f"{noun}s needed", "count", "documents needed"),
        *(Column(f"documents_{end}", "", "count") for end in ("low", "high")),
        Column("", "from–to", "place"),
        Column("more", "more", "count", "more documents"),
        Column("annotations", "annotations", "count", "annotations needed"),
        Column("width_now", f"width with {plan.documents}", meaning="width"),
    ]
    rows: list[list[Value]] = []
    for k in plan.variance:
        n_needed, low, high = plan.needed(k)
        n_more = max(0, n_needed - plan.documents)
        current_width, *_ = plan.width_of(plan.documents, k)
        row: list[Value] = [k, n_needed, low, high, f"{low}–{high}", n_more]
        rows.append([*row, n_needed * k, current_width])
    interval = f"{plan.settings.confidence:g} % interval of {plan.settings.width:g} in width"
    team_figure = f"{FIGURE_NAMES[plan.settings.figure]} {plan.value:.3f}"
    shared_documents = format_count_of_total(plan.documents, plan.of_documents, noun)
    coverage = f"{shared_documents} seen by two or more, {plan.each:.1f} annotators each"
    return Frame(
        columns,
        rows,
        plan.settings,
        caption=f"for a {interval}: team's {team_figure}",
        remarks=[f"so far: {coverage}, width {plan.width:.3f}", *list_caveats(plan)],
    )
