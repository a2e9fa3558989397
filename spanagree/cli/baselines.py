"""The option of baselines, and the corpus that has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import spanagree as sa
from spanagree.choices import Baseline, names_of
from spanagree.cli import options
from spanagree.cli.job import CommandContext
from spanagree.cli.together import excludes
from spanagree.errors import check_choice


def baseline() -> options.Option:
    """Return the option of baselines."""
    purpose = f"Add baselines as systems: {', '.join(names_of(Baseline))}."
    together = [excludes("team", "it is for systems")]
    return options.option(
        "--baseline", purpose, metavar="NAME,...", read=options.names_in, together=together
    )


def check_baselines(baselines: Sequence[str] | None) -> None:
    """Refuse a baseline that there is not, before anything is read."""
    for name in baselines or ():
        check_choice(name, names_of(Baseline), "baseline")


def drawing(job: CommandContext, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that say how random baselines are drawn, of those that were given."""
    return job.seed | {name: settings[name] for name in ("chance",) if name in settings}


def against_gold(
    corpus: sa.Corpus, gold: str | None, baselines: Sequence[str], **settings: Any
) -> sa.Corpus:
    """Return a corpus with baselines of its gold layer; who votes for majority are the others."""
    gold = next(iter(corpus.layers), "") if gold is None else gold
    alone = [name for name in baselines if name != "majority"]
    made = sa.references.with_baselines(corpus, alone, references=[gold], **settings)
    if "majority" not in baselines:
        return made
    others = [name for name in corpus.layers if name != gold]
    return sa.references.with_baselines(made, ["majority"], references=others)


def against_people(
    corpus: sa.Corpus, chosen: Mapping[str, Any], baselines: Sequence[str], **settings: Any
) -> tuple[sa.Corpus, dict[str, Any]]:
    """Return a corpus with baselines of its references, and the sides with these as systems."""
    systems = chosen.get("systems", ())
    people = chosen.get("references") or [x for x in corpus.layers if x not in systems]
    made = sa.references.with_baselines(corpus, baselines, references=people, **settings)
    more = {"systems": [*systems, *dict.fromkeys(baselines)]} if systems else {}
    return made, {**chosen, **more}
