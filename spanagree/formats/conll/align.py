"""Unite the pages of several CoNLL files over the same tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from spanagree.corpus.words import Words
from spanagree.errors import InputError, counted, show
from spanagree.formats.conll.page import Page

_LACKS = "; a {} that a file lacks needs its tokens there, tagged ? with --missing ? (missing='?')"
_BY_ID = ", or '# sent_id = ID' lines above all sentences in all files"


def align(
    pages: list[Page], unit: str, ignore_tokens: bool, in_blocks: bool
) -> tuple[Page, list[str]]:
    """Return the text that all pages are of, and what there is to note.

    Sentences are matched by their ids where these differ; of blocks of files they must not.

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
            if in_blocks:
                _refuse_other_ids(page, first)
            first, differ = _add_sentences(first, page, ignore_tokens)
        else:
            differ = _compare(page, first, unit, ignore_tokens)
        if differ:
            notes.append(
                f"{page.name}: {counted(differ, 'token')} not as in {first.name}, aligned by"
                " position"
            )
    return first, notes


def _refuse_other_ids(page: Page, first: Page) -> None:
    """Refuse pages of blocks, of which a sentence that is not in both may be in another block."""
    pairs = zip_longest(page.ids or (), first.ids or ())
    i, pair = next((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1])
    where, there = (
        f"{compared.where(int(compared.begins('sentence')[i]))}: sent_id {show(id_)}"
        if id_ is not None
        else f"{compared.name}: no further sentence"
        for compared, id_ in zip((page, first), pair, strict=True)
    )
    raise InputError(
        f"{where}; at the same place, {there}. In blocks all files need the same sentences in the"
        " same order; leave out --block and --workers (block), and sentences are matched by id"
    )


def _add_sentences(text: Page, page: Page, ignore_tokens: bool) -> tuple[Page, int]:
    """Return the text with the sentences of a page that it does not have yet.

    With it comes how many tokens differ in those that it has.
    """
    known = {id_: i for i, id_ in enumerate(text.ids or ())}
    places = [known.get(id_, -1) for id_ in page.ids or ()]
    here = page.part([i for i, place in enumerate(places) if place >= 0])
    there = text.part([place for place in places if place >= 0])
    differ = _compare(here, there, "sentence", ignore_tokens)
    new = page.part([i for i, place in enumerate(places) if place < 0])
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
    begins = page.begins(unit), first.begins(unit)
    same = np.array_equal(*begins)
    if tokens == others and same:
        return 0
    odd = {unit: [] if same else sorted(set(begins[0].tolist()) ^ set(begins[1].tolist()))}
    differ = _unlike(tokens, others)
    counts = f"{len(begins[0])} and {len(begins[1])} {unit}s"
    lacks = ""
    if len(tokens) != len(others) and len(begins[0]) != len(begins[1]):
        lacks = _LACKS.format(unit) + _BY_ID * (unit == "sentence")
    places = odd if ignore_tokens else {"token": differ, **odd}
    wrong = {what: at[0] for what, at in places.items() if at and at[0] < n}
    for what in sorted(wrong, key=wrong.__getitem__)[:1]:
        i = wrong[what]
        there = first.where(i)
        if what == "token":
            by_position = "; --ignore-tokens (ignore_tokens=True) aligns by position"
            raise InputError(
                f"{page.where(i)}: token {show(tokens[i])}; {there} has {show(others[i])}, and all"
                f" annotators need the same text{f' ({counts}){lacks}' if lacks else by_position}"
            )
        raise InputError(
            f"{page.where(i)}: a {what} begins at {show(tokens[i])} in only one of this file and"
            f" {there} ({counts}); all annotators need the same {what}s{lacks}"
        )
    if len(tokens) != len(others):
        more, less = (page, first) if len(tokens) > n else (first, page)
        raise InputError(
            f"{more.where(n)}: token {show(more.columns[0][n])} is missing in {less.name}, which"
            f" ends before it; all annotators need the same text ({counts}){lacks}"
        )
    return len(differ)


def _unlike(tokens: Sequence[str], others: Sequence[str]) -> list[int]:
    """Return the places where tokens differ, as far as both go."""
    if isinstance(tokens, Words) and isinstance(others, Words):
        return tokens.unlike(others)
    return [i for i, (a, b) in enumerate(zip(tokens, others, strict=False)) if a != b]
