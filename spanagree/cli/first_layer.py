"""Warnings when the first layer is taken as gold.

If one file has all layers, their order in the file decides which layer is gold by default.
"""

from __future__ import annotations

from dataclasses import replace

import spanagree as sa
from spanagree.choices import select_gold_names
from spanagree.cli.job import CommandContext
from spanagree.cli.outputs import show_notes
from spanagree.errors import escape_name

_ORDERS = ("columns", "tags", "spans")  # options that name layers in an order


def add_first_layer_note(
    job: CommandContext, corpus: sa.Corpus, gold: str | None, without: str = "spanagree agree"
) -> sa.Corpus:
    """Add a note and a setting to a corpus if the order in its single file decides which is gold.

    The setting puts the name of gold into signatures, as another order of lines would give another
    gold.

    Args:
        job: context of the command.
        corpus: corpus of the command.
        gold: layer that a user named as gold, if any.
        without: command or option that compares annotators without gold, for the note.
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
    """Add the note and the setting of :func:`add_first_layer_note` to an evaluation.

    The layers of a corpus that is read in parts are known only after its evaluation.
    """
    note = _write_gold_note(job, result.rows.corpus, gold, "spanagree agree")
    if not note:
        return result
    settings = replace(result.settings, gold_first=False)
    return replace(result, settings=settings, notes=(*result.notes, note))


def _write_gold_note(job: CommandContext, corpus: sa.Corpus, gold: str | None, without: str) -> str:
    """Write the note that the first layer of a file is gold; empty if gold is known otherwise.

    Gold is known if a user named it, its name contains gold, or options order the layers. The
    arguments are those of :func:`add_first_layer_note`.
    """
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
    """Write a note if the first layer is gold although the name of another layer contains gold.

    ``requested`` is the layer that a user named as gold; then there is no note.
    """
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
