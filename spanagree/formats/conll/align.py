"""Comparison of CoNLL files over the same tokens: they share a text, or sentences by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from unicodedata import normalize

import numpy as np

from spanagree.corpus.segments import TokenBytes
from spanagree.errors import InputError, pluralize, quote_value
from spanagree.formats.conll.page import ConllFile

_LACKS = "; a {} that a file lacks needs its tokens there, tagged ? with --missing ? (missing='?')"
_BY_ID = ", or '# sent_id = ID' lines above all sentences in all files"


def find_shared_text(
    files: list[ConllFile], unit: str, ignore_tokens: bool
) -> tuple[ConllFile, list[str]]:
    """Find the text that all files share.

    Sentences are matched by their ids if these differ.

    Args:
        files: files; all others are compared with the first.
        unit: noun for a document, sentence or document.
        ignore_tokens: True to align files by position though tokens differ.

    Returns:
        The shared text, and notes on files with other tokens.

    Raises:
        InputError: if the files have different texts.
    """
    text, *others_of_first = files
    notes: list[str] = []
    by_id = len({file.ids for file in files} - {None}) > 1 and unit == "sentence"
    for file in (file for file in files if by_id and file.ids is None):
        raise InputError(
            f"{file.name}: no sent_id above its sentences; the others have them, and not the same,"
            " so sentences can be matched by id only"
        )
    for file in others_of_first:
        if by_id and file.ids != text.ids:
            text, n_different = _add_sentences(text, file, ignore_tokens)
        else:
            n_different = _count_differences(file, text, unit, ignore_tokens)
        if n_different:
            notes.append(
                f"{file.name}: {pluralize(n_different, 'token')} not as in {text.name}, aligned by"
                " position"
            )
    return text, notes


def _add_sentences(text: ConllFile, file: ConllFile, ignore_tokens: bool) -> tuple[ConllFile, int]:
    """Add the sentences of a file that the text lacks.

    Returns:
        The longer text, and the number of tokens that differ in the shared sentences.
    """
    index_by_id = {id_: i for i, id_ in enumerate(text.ids or ())}
    indices = [index_by_id.get(id_, -1) for id_ in file.ids or ()]
    shared_part = file.select_sentences([i for i, index in enumerate(indices) if index >= 0])
    shared_part_of_text = text.select_sentences([index for index in indices if index >= 0])
    n_different = _count_differences(shared_part, shared_part_of_text, "sentence", ignore_tokens)
    new_part = file.select_sentences([i for i, index in enumerate(indices) if index < 0])
    return replace(
        text,
        columns=[(*text.columns[0], *new_part.columns[0])],
        lines=np.concatenate((text.lines, new_part.lines)),
        sentences=np.concatenate((text.sentences, new_part.sentences)),
        ids=(*(text.ids or ()), *(new_part.ids or ())),
    ), n_different


def _count_differences(file: ConllFile, first: ConllFile, unit: str, ignore_tokens: bool) -> int:
    """Count the tokens that differ from the tokens of the first file.

    Args:
        file: file to compare.
        first: file that it is compared with.
        unit: noun for a document, sentence or document.
        ignore_tokens: True if tokens may differ.

    Raises:
        InputError: if tokens differ and may not, or if documents begin or end at other tokens.
    """
    tokens, first_tokens = file.columns[0], first.columns[0]
    starts, first_starts = file.find_starts(unit), first.find_starts(unit)
    has_same_starts = np.array_equal(starts, first_starts)
    if tokens == first_tokens and has_same_starts:
        return 0
    differing = _find_differing_positions(tokens, first_tokens)
    n_units = f"{len(starts)} and {len(first_starts)} {unit}s"
    hint = ""
    if len(tokens) != len(first_tokens) and len(starts) != len(first_starts):
        hint = _LACKS.format(unit) + _BY_ID * (unit == "sentence")
    n_shared = min(len(tokens), len(first_tokens))
    token = differing[0] if differing and not ignore_tokens else n_shared
    differing_start = (
        n_shared if has_same_starts else min({*starts.tolist()} ^ {*first_starts.tolist()})
    )
    if token < n_shared and token <= differing_start:
        position_hint = "; --ignore-tokens (ignore_tokens=True) aligns by position"
        normalized_tokens = {normalize("NFC", words[token]) for words in (tokens, first_tokens)}
        form_note = " in another Unicode form" if len(normalized_tokens) == 1 else ""
        raise InputError(
            f"{file.format_location(token)}: token {quote_value(tokens[token])};"
            f" {first.format_location(token)}"
            f" has {quote_value(first_tokens[token])}{form_note}, and all annotators need the same"
            " text"
            f"{f' ({n_units}){hint}' if hint else position_hint}"
        )
    if differing_start < n_shared:
        raise InputError(
            f"{file.format_location(differing_start)}: a {unit} begins at"
            f" {quote_value(tokens[differing_start])} in only one"
            f" of this file and {first.format_location(differing_start)} ({n_units}); all"
            " annotators need the same"
            f" {unit}s{hint}"
        )
    if len(tokens) != len(first_tokens):
        longer, shorter = (file, first) if len(tokens) > n_shared else (first, file)
        raise InputError(
            f"{longer.format_location(n_shared)}: token {quote_value(longer.columns[0][n_shared])}"
            " is missing in"
            f" {shorter.name}, which ends before it; all annotators need the same text"
            f" ({n_units}){hint}"
        )
    return len(differing)


def _find_differing_positions(tokens: Sequence[str], other_tokens: Sequence[str]) -> list[int]:
    """Find the positions where tokens differ, up to the end of the shorter text."""
    if isinstance(tokens, TokenBytes) and isinstance(other_tokens, TokenBytes):
        return tokens.find_differences(other_tokens)
    return [i for i, (a, b) in enumerate(zip(tokens, other_tokens, strict=False)) if a != b]
