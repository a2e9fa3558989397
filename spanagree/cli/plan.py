"""Plan the number of documents or annotators that an interval of a given width needs.

\b
spanagree plan crowd.jsonl --width 0.05
"""

from __future__ import annotations

from typing import Any

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.comparison_options import build_comparison_options
from spanagree.cli.job import CommandContext
from spanagree.cli.output_options import build_output_options
from spanagree.cli.progress import start_progress
from spanagree.cli.reading_options import build_reading_options

_FUNCTION = "spanagree.project.plan.plan_sample"
_OPTIONS = options.build_options_from_function(
    _FUNCTION, "width", "figure", "annotators", required=["width"]
)


@command(
    options.FILES,
    build_comparison_options(*_OPTIONS, function=_FUNCTION),
    options.group_options(
        "Certainty", *options.build_options_from_function(_FUNCTION, "confidence", "seed")
    ),
    build_reading_options(),
    build_output_options(plot=False),
)
def plan(job: CommandContext, width: float, **settings: Any) -> None:
    job.show_result(
        sa.plan_sample(job.read_corpus(), width, progress=start_progress("comparing"), **settings)
    )
