"""Option of baselines, and corpora with baselines as systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import spanagree as sa
from spanagree.choices import Baseline, list_names
from spanagree.cli import options
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import Option, exclude_terms
from spanagree.errors import check_choice


def build_baseline_option() -> Option:
    """Build the option of baselines."""
    purpose = f"Add baselines as systems: {', '.join(list_names(Baseline))}."
    rules = [exclude_terms("team", "it is for systems")]
    return options.build_list_option("--baseline", purpose, rules=rules)


def check_baselines(baselines: Sequence[str] | None) -> None:
    """Check the names of baselines, before anything is read."""
    for name in baselines or ():
        check_choice(name, list_names(Baseline), "baseline")


def select_draw_settings(job: CommandContext, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Select the given settings of random baselines."""
    return job.seed | {name: settings[name] for name in ("chance",) if name in settings}


def add_gold_baselines(
    corpus: sa.Corpus, gold: str | None, baselines: Sequence[str], **settings: Any
) -> sa.Corpus:
    """Add baselines to a corpus with gold, as systems.

    The baselines everything and random depend on gold, and majority on the votes of all other
    layers.

    Args:
        corpus: corpus of the command.
        gold: name of the gold layer; `None` for the first.
        baselines: names of baselines.
        settings: chance model and seed of random.
    """
    gold = next(iter(corpus.layers), "") if gold is None else gold
    gold_baselines = [name for name in baselines if name != "majority"]
    with_baselines = sa.references.with_baselines(
        corpus, gold_baselines, references=[gold], **settings
    )
    if "majority" not in baselines:
        return with_baselines
    voters = [name for name in corpus.layers if name != gold]
    return sa.references.with_baselines(with_baselines, ["majority"], references=voters)


def add_reference_baselines(
    corpus: sa.Corpus, sides: Mapping[str, Any], baselines: Sequence[str], **settings: Any
) -> tuple[sa.Corpus, dict[str, Any]]:
    """Add baselines to a corpus with references, as systems.

    Args:
        corpus: corpus of the command.
        sides: names of the systems and of the references, by role.
        baselines: names of baselines.
        settings: chance model and seed of random.

    Returns:
        The corpus, and ``sides`` with the baselines among the systems.
    """
    systems = sides.get("systems", ())
    references = sides.get("references") or [
        layer for layer in corpus.layers if layer not in systems
    ]
    with_baselines = sa.references.with_baselines(
        corpus, baselines, references=references, **settings
    )
    all_systems = {"systems": [*systems, *dict.fromkeys(baselines)]} if systems else {}
    return with_baselines, {**sides, **all_systems}
