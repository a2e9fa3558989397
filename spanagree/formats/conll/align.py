"""Unite the pages of several CoNLL files over the same tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from unicodedata import normalize

import numpy as np

from spanagree.corpus.words import TokenBytes
from spanagree.errors import InputError, pluralize, quote_value
from spanagree.formats.conll.page import ConllFile

_LACKS = "; a {} that a file lacks needs its tokens there, tagged ? with --missing ? (missing='?')"
_BY_ID = ", or '# sent_id = ID' lines above all sentences in all files"


def align(pages: list[ConllFile], unit: str, ignore_tokens: bool) -> tuple[ConllFile, list[str]]:
    """Return the text that all pages are of, and what there is to note.

    Sentences are matched by their ids where these differ.

    Raises:
        InputError: for pages of different texts.
    """
    first, *others = pages
    notes: list[str] = []
    by_id = len({page.ids for page in pages} - {None}) > 1 and unit == "sentence"
    for page in (page for page in pages if by_id and page.ids is None):
        raise InputError(
            f"{page.name}: no sent_id above its sentences; the others have them, and not the same,"
            " so sentences can be matched by id only"
        )
    for page in others:
        if by_id and page.ids != first.ids:
            first, differ = _add_sentences(first, page, ignore_tokens)
        else:
            differ = _compare(page, first, unit, ignore_tokens)
        if differ:
            notes.append(
                f"{page.name}: {pluralize(differ, 'token')} not as in {first.name}, aligned by"
                " position"
            )
    return first, notes


def _add_sentences(text: ConllFile, page: ConllFile, ignore_tokens: bool) -> tuple[ConllFile, int]:
    """Return the text with the sentences of a page that it does not have yet.

    With it comes how many tokens differ in those that it has.
    """
    number = {id_: i for i, id_ in enumerate(text.ids or ())}
    places = [number.get(id_, -1) for id_ in page.ids or ()]
    shared = page.part([i for i, place in enumerate(places) if place >= 0])
    shared_in_text = text.part([place for place in places if place >= 0])
    differ = _compare(shared, shared_in_text, "sentence", ignore_tokens)
    new = page.part([i for i, place in enumerate(places) if place < 0])
    return replace(
        text,
        columns=[(*text.columns[0], *new.columns[0])],
        lines=np.concatenate((text.lines, new.lines)),
        sentences=np.concatenate((text.sentences, new.sentences)),
        ids=(*(text.ids or ()), *(new.ids or ())),
    ), differ


def _compare(page: ConllFile, first: ConllFile, unit: str, ignore_tokens: bool) -> int:
    """Return how many tokens differ; refuse pages where they must not, or that end elsewhere."""
    tokens, first_tokens = page.columns[0], first.columns[0]
    begins, first_begins = page.begins(unit), first.begins(unit)
    same_begins = np.array_equal(begins, first_begins)
    if tokens == first_tokens and same_begins:
        return 0
    differ = _unlike(tokens, first_tokens)
    counts = f"{len(begins)} and {len(first_begins)} {unit}s"
    lacks = ""
    if len(tokens) != len(first_tokens) and len(begins) != len(first_begins):
        lacks = _LACKS.format(unit) + _BY_ID * (unit == "sentence")
    end = min(len(tokens), len(first_tokens))
    token = differ[0] if differ and not ignore_tokens else end
    border = end if same_begins else min({*begins.tolist()} ^ {*first_begins.tolist()})
    if token < end and token <= border:
        by_position = "; --ignore-tokens (ignore_tokens=True) aligns by position"
        composed = {normalize("NFC", words[token]) for words in (tokens, first_tokens)}
        form = " in another Unicode form" if len(composed) == 1 else ""
        raise InputError(
            f"{page.location(token)}: token {quote_value(tokens[token])}; {first.location(token)}"
            f" has {quote_value(first_tokens[token])}{form}, and all annotators need the same text"
            f"{f' ({counts}){lacks}' if lacks else by_position}"
        )
    if border < end:
        raise InputError(
            f"{page.location(border)}: a {unit} begins at {quote_value(tokens[border])} in only one"
            f" of this file and {first.location(border)} ({counts}); all annotators need the same"
            f" {unit}s{lacks}"
        )
    if len(tokens) != len(first_tokens):
        longer, shorter = (page, first) if len(tokens) > end else (first, page)
        raise InputError(
            f"{longer.location(end)}: token {quote_value(longer.columns[0][end])} is missing in"
            f" {shorter.name}, which ends before it; all annotators need the same text"
            f" ({counts}){lacks}"
        )
    return len(differ)


def _unlike(tokens: Sequence[str], others: Sequence[str]) -> list[int]:
    """Return the places where tokens differ, up to the end of the shorter text."""
    if isinstance(tokens, TokenBytes) and isinstance(others, TokenBytes):
        return tokens.unlike(others)
    return [i for i, (a, b) in enumerate(zip(tokens, others, strict=False)) if a != b]
