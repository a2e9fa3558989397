"""Show the distribution of the starts of segments in a random annotation of one document.

\b
spanagree chance --length 100 --segments 1,5,10,15
"""

from __future__ import annotations

import click

import spanagree as sa
from spanagree.choices import Chance
from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.job import CommandContext
from spanagree.cli.option_values import parse_integers
from spanagree.cli.output_options import build_output_options

_LENGTHS = "Lengths of the segments."


@command(
    None,
    options.group_options(
        "The document",
        options.build_integer_option("--length", "Length of the document in tokens."),
        options.build_option("--segments", _LENGTHS, metavar="N,...", parse=parse_integers),
        *options.build_options_from_function(
            "spanagree.chance.start_distributions.start_distribution", "chance"
        ),
    ),
    build_output_options(),
)
def chance(
    job: CommandContext,
    length: int | None = None,
    segments: list[int] | None = None,
    chance: Chance = "nonoverlapping",
) -> None:
    """Show the distribution of the starts of random segments in one document.

    Args:
        job: context of the command.
        length: length of the document in tokens.
        segments: lengths of the segments.
        chance: name of the chance model.
    """
    if length is None or segments is None:
        raise click.UsageError("chance needs --length and --segments")
    from spanagree.chance.table import StartDistributions, StartSettings

    start = sa.start_distribution(length, segments, chance)
    document = StartSettings(chance=chance, length=length, segments=segments)
    job.show_result(StartDistributions(document, start))
