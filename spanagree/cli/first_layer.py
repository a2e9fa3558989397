"""What is said where nobody is named as gold, so that the first layer is."""

from __future__ import annotations

from dataclasses import replace

import spanagree as sa
from spanagree.choices import called_gold
from spanagree.cli.job import CommandContext, say
from spanagree.errors import escape_name

_ORDERS = ("columns", "tags", "spans")  # options that name layers, one after the other


def with_gold_noted(
    job: CommandContext, corpus: sa.Corpus, gold: str | None, without: str = "spanagree agree"
) -> sa.Corpus:
    """Return the corpus; if its one file alone says which layer is first, a note and settings do.

    The note names ``without``, what compares annotators where nobody is gold.

    Lines in another order would make another layer gold, so the signature names it.
    """
    note = _gold_note(job, corpus, gold, without)
    if not note:
        return corpus
    # the setting says that gold is not where signatures leave its name out
    reading = {**corpus.reading, "gold_first": False}
    return replace(corpus, reading=reading, notes=(*corpus.notes, note))


def with_gold_noted_after(
    job: CommandContext, result: sa.systems.Evaluation, gold: str | None
) -> sa.systems.Evaluation:
    """Return an evaluation of parts with the same note and setting, as their layers are known."""
    note = _gold_note(job, result.rows.corpus, gold, "spanagree agree")
    if not note:
        return result
    settings = replace(result.settings, gold_first=False)
    return replace(result, settings=settings, notes=(*result.notes, note))


def _gold_note(job: CommandContext, corpus: sa.Corpus, gold: str | None, without: str) -> str:
    """Return the note that the first layer of a file is gold; empty if that needs no note."""
    first = corpus.annotators[0] if corpus.layers else ""
    if gold is not None or called_gold([first]) or not _file_alone_orders(job, corpus):
        return ""
    alike = called_gold(corpus.annotators)
    other = escape_name(alike[0]) if alike else "NAME"
    return (
        f"gold is {escape_name(first)}, the first annotator in the file; --gold {other} makes"
        f" {other if alike else 'another'} gold, and {without} compares annotators without it"
    )


def say_gold(asked: str | None, result: sa.systems.Evaluation) -> None:
    """Say that the first layer was taken for gold, where another one is called so."""
    if asked is not None or result.settings.get("gold_first") is not None:
        return
    gold = result.settings.gold
    alike = called_gold(result.systems)
    if alike and not called_gold([gold]):
        say([f"gold is {gold}, the first annotator; --gold {alike[0]} makes {alike[0]} gold"])


def _file_alone_orders(job: CommandContext, corpus: sa.Corpus) -> bool:
    """Return whether nothing but one file says which of several layers is the first."""
    ordered = any(isinstance(job.reading.get(name), dict) for name in _ORDERS)
    return len(job.paths) == 1 and len(corpus.layers) > 1 and not ordered
