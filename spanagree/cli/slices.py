"""Slices: computation and output of ``--by COLUMN``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import click

import spanagree as sa
from spanagree.choices import SLICES
from spanagree.cli import options
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import Option, exclude_terms
from spanagree.errors import escape_name, pluralize

FILE = "file"
"""Value of ``--by`` for which each FILE is a slice."""

_SEEN = "Training file: show segments that occur in it with their label separately from the others."


def build_seen_option() -> Option:
    """Build the option of a training file."""
    rules = [exclude_terms("by", "it has rows of its own")]
    return options.build_option("--seen", _SEEN, metavar="FILE", rules=rules)


def select_row_reading(job: CommandContext) -> dict[str, Any]:
    """Select the options of reading that apply to rows."""
    return {key: job.reading[key] for key in ("document", "encoding") if key in job.reading}


@contextmanager
def list_views_in_errors() -> Iterator[None]:
    """List the views of a command in the error for an unknown name.

    Raises:
        UsageError: if a name is unknown.
    """
    from spanagree.slices.values import UnknownSlicesError  # takes a while to load

    try:
        yield
    except UnknownSlicesError as error:
        command = click.get_current_context().command
        views = (option.type for option in command.params if option.name == "by")
        names = [
            name
            for option_type in views
            if isinstance(option_type, options.Views)
            for name in option_type.views
        ]
        slice_names = {"coefficients": (), "report": SLICES[:1]}.get(
            str(command.name), (*SLICES, FILE)
        )
        message = error.compose_message([*names, *slice_names])
        raise click.UsageError(message.replace("group_by", "--by", 1)) from None


def show_slices(job: CommandContext, result: Any) -> None:
    """Score slices and show them.

    Args:
        job: context of the command.
        result: result to slice, or results by slice if each FILE is a slice.
    """
    arguments: dict[str, Any] = {**job.intervals, **job.drawing}
    if job.slices != FILE:
        arguments |= {
            "group_by": job.slices,
            "source": job.list_files(),
            "seen": job.seen,
            **select_row_reading(job),
        }
    with list_views_in_errors():
        slices = sa.slices.score_slices(result, **arguments)
    job.show_result(slices)


def score_slices_of_labels(
    job: CommandContext, source: Any, **settings: Any
) -> sa.slices.CoefficientsBySlice:
    """Compute the coefficients of each slice.

    Args:
        job: context of the command.
        source: table of labels with slices of items, or corpus with slices of documents.
        settings: arguments of :func:`spanagree.slices.coefficients_by_slice`.
    """
    if job.slices == FILE:
        raise click.UsageError(f"--by {FILE}: it is for spans; name a column of the table")
    rows = select_row_reading(job)
    if isinstance(source, sa.labels.LabelTable) and "item" in job.labels:
        rows["document"] = job.labels["item"]
    with list_views_in_errors():
        return sa.slices.coefficients_by_slice(
            source, str(job.slices), job.list_files(), **rows, **settings
        )


def score_each_file(job: CommandContext, score: Callable[..., Any]) -> dict[str, Any]:
    """Score each FILE, or each file that patterns match, under one chance model.

    The model is the narrowest that the segments of all files allow.

    Args:
        job: context of the command.
        score: function of a corpus, and optionally of ``chance``, that returns a result.

    Raises:
        UsageError: if there is only one file, or a file has a single annotator.
    """
    if job.has_patterns:
        reading, format_name, repair = job.split_reading_arguments()
        corpus_parts = sa.formats.read_parts(job.paths, form=format_name, repair=repair, **reading)
        corpora = {corpus_part.name: corpus_part() for corpus_part in corpus_parts}
    else:
        corpora = {
            name: replace(job, files=(path,)).read_corpus() for name, path in job.paths.items()
        }
    if len(corpora) < 2:
        raise click.UsageError(f"--by {FILE}: one FILE; two of them are needed")
    for name, corpus in corpora.items():
        if len(corpus.layers) < 2:
            annotators = pluralize(len(corpus.layers), "annotator")
            raise click.UsageError(
                f"--by {FILE}: {escape_name(name)}: {annotators} in it; each FILE is a slice by"
                " itself, and two in it are needed, such as gold and a system; leave out --by"
                f" {FILE} to compare FILEs with each other"
            )
    from spanagree.comparisons.overlaps import find_widest_chance

    results = {name: score(corpus) for name, corpus in corpora.items()}
    models = {result.settings.chance: result.counting.chance for result in results.values()}
    widest = find_widest_chance(models)
    return {
        name: result
        if result.settings.chance == widest
        else score(corpora[name], chance=models[widest])
        for name, result in results.items()
    }
