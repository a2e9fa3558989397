"""Plan the number of documents or annotators that an interval of a given width needs.

\b
spanagree plan crowd.jsonl --width 0.05
"""

from __future__ import annotations

from typing import Any

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import CommandContext, command
from spanagree.cli.progress import start_progress

_FUNCTION = "spanagree.project.plan.plan_sample"
_OPTIONS = options.from_function(_FUNCTION, "width", "figure", "annotators", required=["width"])


@command(
    options.FILES,
    options.comparison_options(*_OPTIONS, function=_FUNCTION),
    options.group("Certainty", *options.from_function(_FUNCTION, "confidence", "seed")),
    options.reading_options(),
    options.output_options(plot=False),
)
def plan(job: CommandContext, width: float, **settings: Any) -> None:
    job.show(sa.plan_sample(job.read(), width, progress=start_progress("comparing"), **settings))
