"""Evaluate systems against the shares of many annotators, as the Mu-SHROOM task does.

\b
spanagree soft answers.jsonl --systems mine --repair drop-empty
spanagree soft answers.jsonl --probabilities mine=mine.jsonl
"""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.choices import BY, HALF, Baseline, names_of
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.cli.progress import progress

_SYSTEMS = "Take these layers as systems."
_REFERENCES = "Take these layers as references."
_PROBABILITIES = "Read spans with probabilities of systems from these JSON files."
_SOFT_GOLD = "Take the probabilities in this JSON file as the reference, not shares."
_THRESHOLD = "Take what has a probability above X as marked."
_BASELINE = f"Add these baselines only: {', '.join(names_of(Baseline))}; or none."


def _files(text: str, option: str) -> dict[str, str]:
    return options.named_in(text, option, "NAME=FILE")


@command(
    options.FILES,
    options.group(
        "Comparing",
        options.option("--systems", _SYSTEMS, metavar="NAME,...", read=options.names_in),
        options.option("--references", _REFERENCES, metavar="NAME,...", read=options.names_in),
        options.option("--probabilities", _PROBABILITIES, metavar="NAME=FILE,...", read=_files),
        options.option("--soft-gold", _SOFT_GOLD, metavar="FILE"),
        options.option("--threshold", _THRESHOLD, type=float, metavar="X", unless=f"{HALF:g}"),
        options.option(
            "--baseline", _BASELINE, metavar="NAME,...", unless="all", read=options.names_in
        ),
        options.chance(),
        options.number("--seed", "Place the baseline random with this seed.", default=0),
        options.by(BY["SoftScores"]),
    ),
    options.output(),
    options.reading(),
    first="--systems --references --probabilities --soft-gold --baseline --by"
    " --from --format --output --plot --explain",
)
def soft(job: Job, by: str | None, baseline: list[str] | None, **settings: Any) -> None:
    job.check_picture(sa.SoftScores, by)
    if settings["threshold"] is not None and not settings["probabilities"]:
        raise click.UsageError("--threshold is for --probabilities; name files of them too")
    if baseline is not None:
        settings["baselines"] = [] if baseline == ["none"] else baseline
    for side in ("systems", "references"):
        if settings[side] is not None:
            settings[side] = [job.layer(name) for name in settings[side]]
    corpus = job.read()
    progress("evaluating")
    job.show(sa.soft_scores(corpus, **options.given(settings)), by)
