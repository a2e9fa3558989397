"""Slices: what ``--by COLUMN`` computes and shows."""

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
from spanagree.cli.together import excludes

FILE = "file"
"""The value of ``--by`` by which each FILE is a slice."""

_SEEN = "Part segments by whether their text stands in this training file with their label."


def seen() -> options.Option:
    """Return the option of a training file."""
    together = [excludes("by", "it has rows of its own")]
    return options.option("--seen", _SEEN, metavar="FILE", together=together)


def sources(job: CommandContext) -> list[str]:
    """Return the files in which a column may be."""
    from spanagree.formats.patterns import has_pattern, matches

    paths: list[str] = []
    for path in job.paths.values():
        paths += map(str, matches(path)) if has_pattern(path) else [path]
    return [path for path in paths if path != "-"]


def reading_of_rows(job: CommandContext) -> dict[str, Any]:
    """Return the options of reading that say how rows are read."""
    return {key: job.reading[key] for key in ("document", "encoding") if key in job.reading}


@contextmanager
def naming_views() -> Iterator[None]:
    """Name the views of a command where a name is unknown.

    Raises:
        UsageError: for that name.
    """
    from spanagree.slices.values import UnknownSlicesError  # takes a while to load

    try:
        yield
    except UnknownSlicesError as error:
        command = click.get_current_context().command
        views = (option.type for option in command.params if option.name == "by")
        names = [name for kind in views if isinstance(kind, options.Views) for name in kind.views]
        more = {"coefficients": (), "report": SLICES[:1]}.get(str(command.name), (*SLICES, FILE))
        message = error.message([*names, *more])
        raise click.UsageError(message.replace("group_by", "--by", 1)) from None


def show_slices(job: CommandContext, result: Any) -> None:
    """Score the slices of a result, or several results that are slices, and show them."""
    ask: dict[str, Any] = {**job.intervals, **job.drawing}
    if job.slices != FILE:
        ask |= {
            "group_by": job.slices,
            "source": sources(job),
            "seen": job.seen,
            **reading_of_rows(job),
        }
    with naming_views():
        slices = sa.slices.score_slices(result, **ask)
    job.show(slices)


def by_slices(job: CommandContext, source: Any, **settings: Any) -> sa.slices.CoefficientsBySlice:
    """Return the coefficients of slices of items, or of documents."""
    if job.slices == FILE:
        raise click.UsageError(f"--by {FILE}: it is for spans; name a column of the table")
    rows = reading_of_rows(job)
    if isinstance(source, sa.labels.LabelTable) and "item" in job.labels:
        rows["document"] = job.labels["item"]
    with naming_views():
        return sa.slices.coefficients_by_slice(
            source, str(job.slices), sources(job), **rows, **settings
        )


def results_by_file(job: CommandContext, score: Callable[..., Any]) -> dict[str, Any]:
    """Score each FILE by itself, or each file that patterns find, under one chance model.

    Args:
        job: what is read.
        score: function of a corpus, and of ``chance`` where a model is asked for.

    Raises:
        UsageError: if there is only one.
    """
    if job.has_patterns:
        reading, form, repair = job.how()
        parts = sa.formats.read_parts(job.paths, form=form, repair=repair, **reading)
        corpora = {part.name: part() for part in parts}
    else:
        corpora = {name: replace(job, files=(path,)).read() for name, path in job.paths.items()}
    if len(corpora) < 2:
        raise click.UsageError(f"--by {FILE}: one FILE; two of them are needed")
    from spanagree.comparisons.overlaps import widest_chance

    results = {name: score(corpus) for name, corpus in corpora.items()}
    models = {result.settings.chance: result.counting.chance for result in results.values()}
    widest = widest_chance(models)
    return {
        name: result
        if result.settings.chance == widest
        else score(corpora[name], chance=models[widest])
        for name, result in results.items()
    }
