"""Removal of quotes that are not in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import compress

import numpy as np

from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, pluralize


def remove_unplaced(corpus: Corpus) -> Corpus:
    """Remove the quotes that are not in the text; record it in the settings if there are any.

    Raises:
        SettingError: if the corpus has strings without a text, since all would be removed.
    """
    _check_text(corpus, "unplaced ignore")
    if not corpus.unplaced:
        return corpus
    return _remove_quotes(corpus).replace(reading={**corpus.reading, "unplaced": "ignore"})


def keep_placed(corpus: Corpus, purpose: str) -> Corpus:
    """Remove quotes that are not in the text, and labels of such quotes alone, with a note.

    Args:
        corpus: annotations.
        purpose: name of the computation that needs positions, in the plural.

    Raises:
        SettingError: if the corpus has strings without a text.
    """
    _check_text(corpus, purpose)
    if not corpus.unplaced:
        return corpus
    return _remove_quotes(corpus).replace(
        notes=(*corpus.notes, *write_note_on_unplaced(corpus, purpose))
    )


def write_note_on_unplaced(corpus: Corpus, purpose: str) -> tuple[str, ...]:
    """Write a note on quotes that are not in the text and are left out; see :func:`keep_placed`.

    ``purpose`` names the computation that needs positions, in the plural.
    """
    _check_text(corpus, purpose)
    n_quotes = sum(map(len, corpus.unplaced.values()))
    if not n_quotes:
        return ()
    return (
        f"{pluralize(n_quotes, 'quote')} not in the text left out: {purpose} have no place for"
        " them",
    )


_NOTE = re.compile(r"[0-9,]+ quotes? not in the text left out: [^:]*")


def select_notes_on_unplaced(notes: Iterable[str]) -> list[str]:
    """Select the notes on quotes that were left out, for remarks below a table.

    >>> note = "1 quote not in the text left out: units have no place for them"
    >>> select_notes_on_unplaced(["1 sentence was read", note]) == [note]
    True
    """
    return [note for note in notes if _NOTE.fullmatch(note)]


def _check_text(corpus: Corpus, purpose: str) -> None:
    """Check that a corpus has no strings without a text; `purpose` needs positions."""
    if corpus.of_strings:
        raise SettingError(
            f"{purpose}: not of strings without a text, which have no places; evaluate and agree"
            " compare them"
        )


def _remove_quotes(corpus: Corpus) -> Corpus:
    """Remove the quotes that are not in the text, and labels that only such quotes have."""
    is_kept = np.ones(len(corpus.labels), np.bool_)
    for quotes in corpus.unplaced.values():
        is_kept[[corpus.labels.index(label) for label in {*quotes.label}]] = False
    for layer in corpus.layers.values():
        is_kept[layer.label] = True
    code = np.cumsum(is_kept) - 1
    return corpus.replace(
        layers={
            name: replace(layer, label=code[layer.label]) for name, layer in corpus.layers.items()
        },
        labels=tuple(compress(corpus.labels, is_kept.tolist())),
        unplaced={},
    )
