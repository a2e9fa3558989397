"""Plan how many more documents, or annotators of each, an interval of some width needs.

\b
spanagree plan crowd.jsonl --width 0.05
spanagree plan crowd.jsonl --width 0.05 --by document --plot plan.svg
"""

from __future__ import annotations

from typing import Any

import spanagree as sa
from spanagree.choices import BY, Figure, names_of
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.cli.progress import progress
from spanagree.errors import SettingError

_WIDTH = "Plan for an interval of this width, from end to end."
_FIGURE = "Plan for the team's F1 of this kind."
_RESAMPLES = "Draw N resamples of documents, which say how certain the plan is."


@command(
    options.FILES,
    options.comparing(
        options.option("--width", _WIDTH, type=float, metavar="X", required=True),
        options.option("--figure", _FIGURE, choices=names_of(Figure), default="corrected"),
        options.by(BY["Plan"]),
        options.annotators("Regard only these annotators."),
    ),
    options.group(
        "Certainty",
        options.option(
            "--confidence",
            "Set the confidence of the interval to C per cent.",
            type=float,
            metavar="C",
            default=95.0,
        ),
        options.number("--resamples", _RESAMPLES, default=2000),
        options.number("--seed", "Draw the resamples with this seed.", default=0),
    ),
    options.reading(),
    options.output(),
    first="--width --figure --by --annotators --match --chance --confidence"
    " --resamples --seed --from --format --output --plot",
)
def plan(job: Job, width: float, by: str | None, **settings: Any) -> None:
    job.check_picture(sa.Plan, by)
    if not 0 < width < 2:
        raise SettingError(f"--width {width:g}: a number above 0 and below 2 is needed")
    job.show(sa.plan(job.read(), width, progress=progress("comparing"), **settings), by)
