"""Plan how many more documents, or annotators of each, an interval of some width needs.

\b
spanagree plan crowd.jsonl
spanagree plan crowd.jsonl --width 0.05
spanagree plan crowd.jsonl --width 0.05 --by document --plot plan.svg
"""

from __future__ import annotations

from typing import Any

import spanagree as sa
from spanagree.choices import BY
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.cli.progress import progress

_FUNCTION = "spanagree.project.plan.plan_sample"
_ASKED = options.of(_FUNCTION, "width", "figure", "annotators")


@command(
    options.FILES,
    options.comparing(*_ASKED, rows=BY["Plan"], function=_FUNCTION),
    options.group("Certainty", *options.of(_FUNCTION, "confidence", "resamples", "seed")),
    options.reading(),
    options.output(),
)
def plan(job: Job, width: float | None = None, **settings: Any) -> None:
    job.check_picture(sa.project.Plan)
    job.show(sa.plan_sample(job.read(), width, progress=progress("comparing"), **settings))
