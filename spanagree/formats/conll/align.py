"""Unite the pages of several CoNLL files over the same tokens."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.errors import InputError, show
from spanagree.formats.conll.page import Page


def align(pages: list[Page], unit: str, ignore_tokens: bool) -> tuple[Page, list[str]]:
    """Return the text that all pages are of, and what there is to note.

    Sentences are matched by their ids where these differ.

    Raises:
        InputError: for pages of different texts.
    """
    first, *others = pages
    notes: list[str] = []
    known = {page.ids for page in pages if page.ids is not None}
    by_id = len(known) > 1 and unit == "sentence"
    for page in pages:
        if by_id and page.ids is None:
            raise InputError(
                f"{page.name}: no sent_id above its sentences; the others have them, and not"
                " the same, so sentences can be matched by id only"
            )
    for page in others:
        if by_id and page.ids != first.ids:
            first, differ = _add_sentences(first, page, ignore_tokens)
        else:
            differ = _compare(page, first, unit, ignore_tokens)
        if differ:
            notes.append(
                f"{page.name}: {differ} tokens differ from those of {first.name}, aligned by"
                " position"
            )
    return first, notes


def _add_sentences(text: Page, page: Page, ignore_tokens: bool) -> tuple[Page, int]:
    """Return the text with the sentences of a page that it does not have yet.

    With it comes how many tokens differ in those that it has.
    """
    known = {id_: i for i, id_ in enumerate(text.ids or ())}
    places = [(i, known.get(id_)) for i, id_ in enumerate(page.ids or ())]
    shared = [(i, there) for i, there in places if there is not None]
    here, there = page.part([i for i, _ in shared]), text.part([k for _, k in shared])
    differ = _compare(here, there, "sentence", ignore_tokens)
    new = page.part([i for i, there in places if there is None])
    return replace(
        text,
        columns=[(*text.columns[0], *new.columns[0])],
        lines=np.concatenate((text.lines, new.lines)),
        sentences=np.concatenate((text.sentences, new.sentences)),
        ids=(*(text.ids or ()), *(new.ids or ())),
    ), differ


def _compare(page: Page, first: Page, unit: str, ignore_tokens: bool) -> int:
    """Return how many tokens differ; refuse pages where they must not, or that end elsewhere."""
    tokens, others = page.columns[0], first.columns[0]
    n = min(len(tokens), len(others))
    units = ("sentence", "document") if unit == "document" else ("sentence",)
    same = all(np.array_equal(page.sizes(what), first.sizes(what)) for what in units)
    if page is first or (same and tokens == others):
        return 0
    different = np.array([a != b for a, b in zip(tokens, others, strict=False)], np.bool_)
    breaks = {what: _breaks(page.sizes(what), n) != _breaks(first.sizes(what), n) for what in units}
    wrong = np.logical_or.reduce([*breaks.values(), different & (not ignore_tokens)])
    counts = ", ".join(
        f"{len(page.sizes(what))} and {len(first.sizes(what))} {what}s" for what in units
    )
    if wrong.any():
        i = int(wrong.argmax())
        there = f"{first.name}:{first.lines[i]}"
        if different[i] and not ignore_tokens:
            raise InputError(
                f"{page.where(i)}: token {show(tokens[i])}; {there} has {show(others[i])}, and all"
                " layers need the same text; --ignore-tokens (ignore_tokens=True) aligns by"
                " position"
            )
        what = next(what for what, differ in breaks.items() if differ[i])
        raise InputError(
            f"{page.where(i)}: a {what} begins at {show(tokens[i])} in only one of this file and"
            f" {there} ({counts}); all layers need the same {what}s"
        )
    if len(tokens) != len(others):
        more, less = (page, first) if len(tokens) > n else (first, page)
        raise InputError(
            f"{more.where(n)}: token {show(more.columns[0][n])} is missing in {less.name}, which"
            f" ends before it; all layers need the same text ({counts})"
        )
    return int(different.sum())


def _breaks(lengths: Ints, n: int) -> Bools:
    """Return which of the first n tokens begin a unit."""
    begins = np.zeros(n, np.bool_)
    first = np.cumsum(lengths) - lengths
    begins[first[first < n]] = True
    return begins
