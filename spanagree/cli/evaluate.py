"""Evaluate systems against a gold annotation, or many annotators, raw and above chance.

Each FILE holds the same text, as CoNLL unless its extension or --from says otherwise; `-` is
standard input, NAME=FILE names a layer. One file with several layers works too.

\b
spanagree evaluate gold.conll mine.conll yours.conll
spanagree evaluate all.conll --columns gold=1,mine=2 --by label
spanagree evaluate crowd.jsonl --systems mine,yours --match token
"""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.choices import BY, Test, names_of
from spanagree.cli import options
from spanagree.cli.baselines import against_gold, baseline, seeded
from spanagree.cli.first_layer import with_gold_noted
from spanagree.cli.job import Job, command, say
from spanagree.cli.progress import progress
from spanagree.cli.references import OWN, against_references, references

_OF_REFERENCES = [by for by in BY["AgainstReferences"] if by not in BY["Evaluation"]]
_TEST = "Test all pairs of systems, or each against chance."


@command(
    options.FILES,
    options.comparing(
        options.gold(),
        options.by([*BY["Evaluation"], "difficulty", *_OF_REFERENCES]),
        baseline(),
    ),
    references(),
    options.certainty(
        options.option("--test", _TEST, choices=[*names_of(Test), "chance"]),
        options.flag("--simulate", "Draw chance at random for --test chance, not exactly."),
        resamples="10000; 1000 for the test against chance",
    ),
    options.levels(),
    options.blocks(
        options.option("--tallies", "Write tallies to FILE, to be merged.", metavar="FILE")
    ),
    options.reading(),
    options.output(),
    first="--gold --match --by --ci --test --systems --references --chance"
    " --from --columns --format --output --plot --explain",
)
def evaluate(
    job: Job,
    gold: str | None,
    by: str | None,
    test: str | None,
    simulate: bool,
    tallies: str | None,
    baseline: list[str] | None,
    **settings: Any,
) -> None:
    own = {name: settings.pop(name) for name in OWN}
    if own["references"] or own["systems"]:
        only = {"gold": gold, "test": test, "simulate": simulate, "tallies": tallies}
        against_references(job, by, own, {**only, **job.levels}, baseline or [], **settings)
        return
    _check(job, by, test)
    if given := options.given(own):
        name = options.written(next(iter(given)))
        raise click.UsageError(f"{name} is for --references or --systems; give one of them")
    if by in _OF_REFERENCES:
        raise click.UsageError(f"--by {by} is for --references or --systems; give one of them")
    if simulate and test != "chance":
        raise click.UsageError("--simulate is for --test chance; name that test")
    if test is None and by != "difficulty":
        job.check_picture(sa.Evaluation, by)
    job, seed = seeded(job, baseline)
    drawing = job.drawing(test, by)
    if tallies is not None:
        from spanagree.systems.tally_files import (
            check_tallies_can_be_written,
            check_tallies_name,
        )

        check_tallies_can_be_written(job.in_blocks)
        job.check(tallies=tallies)
        check_tallies_name(tallies)
    named = job.layer(gold)
    corpus = job.source()
    if isinstance(corpus, sa.Corpus):
        corpus = with_gold_noted(job, corpus, named)
    if baseline and isinstance(corpus, sa.Corpus):
        corpus = against_gold(corpus, named, baseline, chance=settings["chance"], seed=seed)
    intervals = drawing if "ci" in drawing else {}
    if by == "document":
        settings["p_values"] = True
    result = job.work("evaluating", sa.evaluate, corpus, named, **settings, **intervals)
    if result.settings.get("gold_first") is None:
        _note_gold(named, result)
    if tallies is not None:
        progress("writing")
        sa.write_tallies(result, tallies)
        job.wrote(tallies)
    if by == "difficulty":
        progress("difficulty")
        hard = sa.difficulty(corpus, result.settings.gold, **settings)
        job.show(sa.evaluate_levels(result, hard, **job.levels), notes=result.notes)
    else:
        tested = test and _tested(test, corpus, result, drawing, simulate)
        job.show(result, by, test=tested)


def _check(job: Job, by: str | None, test: str | None) -> None:
    """Refuse options that do not go together."""
    if any(value is not None for value in job.levels.values()) and by != "difficulty":
        raise click.UsageError("--levels, --at, --chance-at and --quantiles need --by difficulty")
    if test is not None and by == "difficulty":
        raise click.UsageError("--test is over all documents; not with --by difficulty")
    if job.in_blocks and (test is not None or by in ("document", "difficulty")):
        raise click.UsageError(
            "blocks (--block, --workers, files by a pattern) keep no single documents, which"
            " --test, --by document and --by difficulty need"
        )


def _tested(
    test: str, corpus: Any, result: sa.Evaluation, drawing: dict[str, Any], simulate: bool
) -> sa.Comparison | sa.ChanceTest:
    """Return the test that was asked for, of an evaluation."""
    drawing.pop("ci", None)
    if test != "chance":
        progress("testing")
        return sa.compare_systems(result, test=test, **drawing)
    named = {"draws": "resamples", "seed": "seed"}
    chosen = {name: drawing[given] for name, given in named.items() if given in drawing}
    return sa.chance_test(corpus, result, simulate=simulate, progress=progress("chance"), **chosen)


def _note_gold(asked: str | None, result: sa.Evaluation) -> None:
    """Say that the first layer was taken for gold, where another one is called so."""
    gold = result.settings.gold
    alike = [name for name in result.systems if "gold" in name.lower()]
    if asked is None and alike and "gold" not in gold.lower():
        say([f"gold is {gold}, the first layer; --gold {alike[0]} makes {alike[0]} gold"])
