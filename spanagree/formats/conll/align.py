"""Unite the pages of several CoNLL files over the same tokens."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.errors import InputError, show
from spanagree.formats.conll.page import Page


def align(pages: list[Page], unit: str, ignore_tokens: bool) -> tuple[Page, list[str]]:
    """The text that all pages are of; sentences are matched by their ids where these differ."""
    first, *others = pages
    notes: list[str] = []
    known = {page.ids for page in pages if page.ids is not None}
    if len(known) > 1 and unit == "sentence":
        for page in pages:
            if page.ids is None:
                raise InputError(
                    f"{page.name}: no sent_id above its sentences; the others have them, and not"
                    " the same, so sentences can be matched by id only"
                )
    for page in others:
        by_id = page.ids is not None and first.ids is not None and page.ids != first.ids
        if by_id and unit == "sentence":
            first = _add_sentences(first, page, ignore_tokens, notes)
            continue
        differ = _compare(page, first, unit, ignore_tokens)
        if differ:
            notes.append(
                f"{page.name}: {differ} tokens differ from those of {first.name}, aligned by"
                " position"
            )
    return first, notes


def _add_sentences(text: Page, page: Page, ignore_tokens: bool, notes: list[str]) -> Page:
    """The text with the sentences of a page that it does not have yet."""
    known = {id_: i for i, id_ in enumerate(text.ids or ())}
    shared = [(i, known[id_]) for i, id_ in enumerate(page.ids or ()) if id_ in known]
    if shared:
        one, other = page.part([i for i, _ in shared]), text.part([j for _, j in shared])
        differ = _compare(one, other, "sentence", ignore_tokens)
        if differ:
            notes.append(
                f"{page.name}: {differ} tokens differ from those of {text.name}, aligned by"
                " position"
            )
    new = page.part([i for i, id_ in enumerate(page.ids or ()) if id_ not in known])
    return Page(
        text.name,
        [(*text.columns[0], *new.columns[0])],
        np.concatenate((text.lines, new.lines)),
        np.concatenate((text.sentences, new.sentences)),
        text.documents,
        (*(text.ids or ()), *(new.ids or ())),
    )


def _compare(page: Page, first: Page, unit: str, ignore_tokens: bool) -> int:
    """How many tokens differ; an error where they must not, or where sentences end differently."""
    tokens, others = page.columns[0], first.columns[0]
    if page is first or (
        tokens == others
        and np.array_equal(page.sentences, first.sentences)
        and (unit == "sentence" or np.array_equal(page.documents, first.documents))
    ):
        return 0
    n = min(len(tokens), len(others))
    different = np.array([a != b for a, b in zip(tokens, others, strict=False)], np.bool_)
    breaks = {"sentence": _breaks(page.sentences, n) != _breaks(first.sentences, n)}
    if unit == "document":
        breaks["document"] = _breaks(page.documents, n) != _breaks(first.documents, n)
    wrong = np.logical_or.reduce([*breaks.values(), different & (not ignore_tokens)])
    counts = f"{len(page.sentences)} and {len(first.sentences)} sentences"
    if unit == "document":
        counts += f", {len(page.documents)} and {len(first.documents)} documents"
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
    """Of the first n tokens, which begin a unit."""
    begins = np.zeros(n, np.bool_)
    first = np.cumsum(lengths) - lengths
    begins[first[first < n]] = True
    return begins
