"""Warn when the first layer is taken as gold."""

from __future__ import annotations

from dataclasses import replace

import spanagree as sa
from spanagree.choices import select_gold_names
from spanagree.cli.job import CommandContext, show_notes
from spanagree.errors import escape_name

_ORDERS = ("columns", "tags", "spans")  # options that name layers in an order


def add_first_layer_note(
    job: CommandContext, corpus: sa.Corpus, gold: str | None, without: str = "spanagree agree"
) -> sa.Corpus:
    """Add a note and a setting to a corpus if its single file alone determines which layer is gold.

    The note names ``without``, the command or option that compares annotators without gold. With
    another order of lines another layer would be gold, so the signature names it.
    """
    note = _write_gold_note(job, corpus, gold, without)
    if not note:
        return corpus
    # signatures then contain the name of gold
    reading = {**corpus.reading, "gold_first": False}
    return replace(corpus, reading=reading, notes=(*corpus.notes, note))


def add_first_layer_note_of_parts(
    job: CommandContext, result: sa.systems.Evaluation, gold: str | None
) -> sa.systems.Evaluation:
    """Add the same note and setting to an evaluation of parts, with layers known only then."""
    note = _write_gold_note(job, result.rows.corpus, gold, "spanagree agree")
    if not note:
        return result
    settings = replace(result.settings, gold_first=False)
    return replace(result, settings=settings, notes=(*result.notes, note))


def _write_gold_note(job: CommandContext, corpus: sa.Corpus, gold: str | None, without: str) -> str:
    """Write the note that the first layer of a file is gold; empty if none is needed."""
    first = corpus.annotators[0] if corpus.layers else ""
    if gold is not None or select_gold_names([first]) or not _is_order_of_file(job, corpus):
        return ""
    likely_gold = select_gold_names(corpus.annotators)
    suggestion = escape_name(likely_gold[0]) if likely_gold else "NAME"
    return (
        f"gold is {escape_name(first)}, the first annotator in the file; --gold {suggestion}"
        f" makes {suggestion if likely_gold else 'another'} gold, and {without} compares annotators"
        " without it"
    )


def warn_of_gold(requested: str | None, result: sa.systems.Evaluation) -> None:
    """Warn that the first layer is gold if the name of another one contains gold."""
    if requested is not None or result.settings.get("gold_first") is not None:
        return
    gold = result.settings.gold
    likely_gold = select_gold_names(result.systems)
    if likely_gold and not select_gold_names([gold]):
        show_notes(
            [
                f"gold is {gold}, the first annotator; --gold {likely_gold[0]} makes"
                f" {likely_gold[0]} gold"
            ]
        )


def _is_order_of_file(job: CommandContext, corpus: sa.Corpus) -> bool:
    """Check whether the order of several layers comes from a single file alone."""
    has_order = any(isinstance(job.reading.get(name), dict) for name in _ORDERS)
    return len(job.paths) == 1 and len(corpus.layers) > 1 and not has_order
