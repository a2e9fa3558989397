"""Comparison of systems with many annotators as references, for the command evaluate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.baselines import add_reference_baselines, check_baselines, select_draw_settings
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import AlternativeCall, Option
from spanagree.cli.progress import start_progress

_ALL = "all others, if the other option is given"
_OTHERS = ("systems", "references")

ALTERNATIVE = AlternativeCall(
    "references systems",
    "spanagree.references.against.evaluate_references",
    command_options="baseline by",
    reason="--systems and --references compare with many annotators, not with one gold",
)
"""Function that evaluate calls with many annotators as references."""


def build_reference_options() -> options.Group:
    """Build the options of systems against many annotators."""
    return options.group_options("Many annotators as references", *build_side_options())


def build_side_options() -> list[Option]:
    """Build the options that name the systems and the references."""
    purpose_of_references = "Annotators to compare with systems, and with each other."
    purposes = {"--references": purpose_of_references, "--systems": "Annotators who are systems."}
    return [
        options.build_list_option(name, purpose, unless=_ALL) for name, purpose in purposes.items()
    ]


def resolve_sides(
    job: CommandContext, corpus: sa.Corpus, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Resolve the layers that the options of systems and references name."""
    names_by_option = {option: settings[option] for option in _OTHERS if settings.get(option)}
    return {
        option: [job.resolve_layer(name, corpus) for name in names_by_option[option]]
        for option in names_by_option
    }


def compare_with_references(
    job: CommandContext, baselines: Sequence[str] | None, settings: Mapping[str, Any]
) -> None:
    """Compare systems with references and show the result.

    Args:
        job: context of the command.
        baselines: names of baselines to add as systems, if any.
        settings: arguments of :func:`spanagree.evaluate_references`.
    """
    job.check_picture(sa.references.ReferenceEvaluation)
    check_baselines(baselines)
    corpus = job.read_corpus()
    arguments = {**settings, **resolve_sides(job, corpus, settings)}
    if baselines:
        draw_settings = select_draw_settings(job, settings)
        corpus, arguments = add_reference_baselines(corpus, arguments, baselines, **draw_settings)
    result = sa.evaluate_references(
        corpus, **arguments, **job.intervals, **job.seed, progress=start_progress("comparing")
    )
    job.show_result(result)
