"""Brackets around segments, as the Entity=(1-person … 1) of CoNLL-U: nested, several at a token."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.segments import Vocabulary
from spanagree.corpus.tags import TagSegments
from spanagree.errors import InputError, quote_value

_NOTHING = ("O", "_", "")
_PIECE = re.compile(r"\[\d+/\d+\]")
_LAST = "*"  # what closes the last that is open, whatever it says
_TYPES = ("etype", "type", "entity")
_ALLOWED = "(1-person opens, 1) closes, and (1-person) does both"


def are_brackets(values: set[str]) -> bool:
    """Return whether values open or close brackets, all that are anything.

    >>> are_brackets({"(1-person(2-place", "2)1)", "O"}), are_brackets({"B-PER", "O"})
    (True, False)
    """
    marks = [value for value in values if value not in _NOTHING]
    return bool(marks) and all(v[0] == "(" or v[-1] == ")" or ")(" in v for v in marks)


def read_brackets(
    values: Sequence[str],
    codes: Ints,
    lengths: Ints,
    order: Sequence[str],
    location: Callable[[int], str],
) -> TagSegments:
    """Return the segments that brackets enclose, each within its sentence.

    What stands behind an opening bracket has parts with hyphens between, of which one is the label
    and a closing bracket repeats another, or all. Of several open ones the last is closed.

    Args:
        values: the distinct values.
        codes: per token the index of its value, all sentences in a row; −1 is nothing.
        lengths: per sentence its number of tokens.
        order: what the parts are called, of which ``etype`` is the label; without it, that is the
            first part without a digit.
        location: says in an error where token number i stands.

    Raises:
        InputError: for what is not brackets, brackets that are closed and not open, or open at
            the end of their sentence; for segments in several pieces.
    """
    marked = np.array([*(value not in _NOTHING for value in values), False], np.bool_)
    ends = np.cumsum(lengths)
    labels = Vocabulary()
    rows: list[tuple[int, int, int, int]] = []
    open_: list[tuple[int, str]] = []
    last = -1
    place = next((i for i, name in enumerate(order) if name in _TYPES), None)
    tokens = np.flatnonzero(marked[codes])
    sentences = np.searchsorted(ends, tokens, side="right")
    for token, sentence in zip(tokens.tolist(), sentences.tolist(), strict=True):
        if sentence != last:
            _refuse_open(open_, location)
        last, first = sentence, int(ends[sentence] - lengths[sentence])
        at = partial(location, token)
        for opens, says, closes in _brackets(values[int(codes[token])], at):
            if opens:
                open_.append((token, says))
            if closes:
                number = _closed(open_, says, at)
                start, content = open_.pop(number)
                label = labels[_label(content, place)]
                rows.append((sentence, start - first, token + 1 - first, label))
    _refuse_open(open_, location)
    sentence_of, start_of, end_of, label_of = np.array(rows, np.int64).reshape(-1, 4).T
    names = tuple(labels)
    return TagSegments(
        sentence_of, start_of, end_of, label_of, names, "brackets", 0, 0, {}, len(rows)
    )


def _brackets(value: str, at: Callable[[], str]) -> Iterator[tuple[bool, str, bool]]:
    """Yield the brackets at a token: whether each opens, what it says, and whether it closes."""
    opens, says = False, ""
    signs = value.replace("(", "\t(\t").replace(")", "\t)\t").split("\t")  # it has no tabs
    for sign in filter(None, signs):
        if sign == "(":
            if says or opens:
                yield opens, says, False
            opens, says = True, ""
        elif sign == ")":
            if not says:
                break
            yield opens, says, True
            opens, says = False, ""
        else:
            says = sign
            if _PIECE.search(says):
                raise InputError(
                    f"{at()}: {quote_value(value)} is a segment in several pieces; a segment is"
                    " one piece: delete it, or make its pieces segments"
                )
    if opens and says:
        yield opens, says, False
    elif opens or says or not value.endswith(")"):
        raise InputError(f"{at()}: {quote_value(value)} is not brackets; {_ALLOWED}")


def _closed(open_: Sequence[tuple[int, str]], says: str, at: Callable[[], str]) -> int:
    """Return which of the open brackets is closed by what a closing one says."""
    for number in range(len(open_) - 1, -1, -1):
        content = open_[number][1]
        if (
            says == _LAST
            or content == says
            or content.startswith(f"{says}-")
            or says in content.split("-")
        ):
            return number
    raise InputError(
        f"{at()}: {quote_value(says)} is closed, and nothing of it is open; {_ALLOWED}"
    )


def _refuse_open(open_: Sequence[tuple[int, str]], location: Callable[[int], str]) -> None:
    """Refuse brackets that are open at the end of a sentence."""
    for token, says in open_[:1]:
        raise InputError(
            f"{location(token)}: {quote_value(says)} is opened, and not closed in its sentence;"
            f" {_ALLOWED}"
        )


def _label(content: str, place: int | None) -> str:
    """Return the label among the parts behind a bracket; ``_`` where there is none."""
    parts = content.split("-")
    if place is not None:
        return (parts[place] if place < len(parts) else "") or "_"
    return next((part for part in parts if part and not any(map(str.isdigit, part))), "_")
