"""Show where the segments of a random annotation start: the chance model by itself.

\b
spanagree chance --length 100 --segments 1,5,10,15
"""

from __future__ import annotations

import spanagree as sa
from spanagree.chance.table import StartDistributions
from spanagree.cli import options
from spanagree.cli.job import Job, command

_LENGTHS = "Let the segments have these lengths."


@command(
    None,
    options.group(
        "The document",
        options.number("--length", "Let the document have N tokens.", required=True),
        options.option(
            "--segments", _LENGTHS, metavar="N,...", required=True, read=options.whole_numbers_in
        ),
        options.chance(),
    ),
    options.output(),
)
def chance(job: Job, length: int, segments: list[int], chance: str) -> None:
    start = sa.start_distribution(length, segments, chance)
    job.show(StartDistributions(length, tuple(segments), chance, start))
