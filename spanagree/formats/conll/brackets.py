"""Segments in brackets, such as Entity=(1-person … 1) of CoNLL-U: nested, several per token.

The *content* of an opening bracket is its text, such as ``1-person``: parts separated by hyphens,
one of which is the label. A closing bracket repeats another part, or the whole content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from spanagree.arrays import Ints, Vocabulary
from spanagree.corpus.tags import TagSegments
from spanagree.errors import InputError, quote_value

_NOTHING = ("O", "_", "")
_PIECE = re.compile(r"\[\d+/\d+\]")
_LAST = "*"  # closes the last open bracket
_TYPES = ("etype", "type", "entity")
_ALLOWED = "(1-person opens, 1) closes, and (1-person) does both"


def are_brackets(values: set[str]) -> bool:
    """Check if values are brackets: all that are not empty open or close one.

    >>> are_brackets({"(1-person(2-place", "2)1)", "O"}), are_brackets({"B-PER", "O"})
    (True, False)
    """
    non_empty = [value for value in values if value not in _NOTHING]
    return bool(non_empty) and all(v[0] == "(" or v[-1] == ")" or ")(" in v for v in non_empty)


def read_brackets(
    values: Sequence[str],
    codes: Ints,
    lengths: Ints,
    location: Callable[[int], str],
    *,
    order: Sequence[str],
) -> TagSegments:
    """Read the segments in brackets, each within its sentence.

    A closing bracket closes the last open bracket that it matches.

    Args:
        values: distinct values.
        codes: index of the value of each token, for all sentences; −1 is empty.
        lengths: number of tokens of each sentence.
        location: function that describes the location of a token by index, for error messages.
        order: names of the parts, with ``etype`` for the label; without it, the label is the first
            part without a digit.

    Raises:
        InputError: if a value is not brackets; if a bracket is closed that is not open, or not
            closed in its sentence; if a segment has several pieces.
    """
    is_bracket = np.array([*(value not in _NOTHING for value in values), False], np.bool_)
    ends = np.cumsum(lengths)
    labels = Vocabulary()
    rows: list[tuple[int, int, int, int]] = []
    open_brackets: list[tuple[int, str]] = []
    last_sentence = -1
    label_position = next((i for i, name in enumerate(order) if name in _TYPES), None)
    tokens = np.flatnonzero(is_bracket[codes])
    sentences = np.searchsorted(ends, tokens, side="right")
    for token, sentence in zip(tokens.tolist(), sentences.tolist(), strict=True):
        if sentence != last_sentence:
            _check_closed(open_brackets, location)
        last_sentence, first_token = sentence, int(ends[sentence] - lengths[sentence])
        location_of_token = partial(location, token)
        for is_opening, content, is_closing in _parse_brackets(
            values[int(codes[token])], location_of_token
        ):
            if is_opening:
                open_brackets.append((token, content))
            if is_closing:
                open_index = _find_opening(open_brackets, content, location_of_token)
                start, open_content = open_brackets.pop(open_index)
                label = labels[_extract_label(open_content, label_position)]
                rows.append((sentence, start - first_token, token + 1 - first_token, label))
    _check_closed(open_brackets, location)
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    return TagSegments(
        *(columns[0], columns[1], columns[2], columns[3]),
        names=tuple(labels),
        scheme="brackets",
        repaired=0,
        dropped=0,
        ill_formed={},
        marked=len(rows),
    )


def _parse_brackets(value: str, location: Callable[[], str]) -> Iterator[tuple[bool, str, bool]]:
    """Yield the brackets in the value of a token, each as (is opening, content, is closing).

    ``(1-person)`` opens and closes a segment, so it is one bracket.
    """
    is_opening, content = False, ""
    fragments = value.replace("(", "\t(\t").replace(")", "\t)\t").split("\t")  # it has no tabs
    for fragment in filter(None, fragments):
        if fragment == "(":
            if content or is_opening:
                yield is_opening, content, False
            is_opening, content = True, ""
        elif fragment == ")":
            if not content:
                break
            yield is_opening, content, True
            is_opening, content = False, ""
        else:
            content = fragment
            if _PIECE.search(content):
                raise InputError(
                    f"{location()}: {quote_value(value)} is a segment in several pieces; a segment"
                    " is one piece: delete it, or make its pieces segments"
                )
    if is_opening and content:
        yield is_opening, content, False
    elif is_opening or content or not value.endswith(")"):
        raise InputError(f"{location()}: {quote_value(value)} is not brackets; {_ALLOWED}")


def _find_opening(
    open_brackets: Sequence[tuple[int, str]], closing_content: str, location: Callable[[], str]
) -> int:
    """Find the index of the last open bracket that matches the content of a closing bracket.

    ``open_brackets`` has the first token and the content of each open bracket.
    """
    for open_index in range(len(open_brackets) - 1, -1, -1):
        content = open_brackets[open_index][1]
        if (
            closing_content == _LAST
            or content == closing_content
            or content.startswith(f"{closing_content}-")
            or closing_content in content.split("-")
        ):
            return open_index
    raise InputError(
        f"{location()}: {quote_value(closing_content)} is closed, and nothing of it is open;"
        f" {_ALLOWED}"
    )


def _check_closed(open_brackets: Sequence[tuple[int, str]], location: Callable[[int], str]) -> None:
    """Check that no bracket is open at the end of a sentence."""
    for token, content in open_brackets[:1]:
        raise InputError(
            f"{location(token)}: {quote_value(content)} is opened, and not closed in its sentence;"
            f" {_ALLOWED}"
        )


def _extract_label(content: str, label_position: int | None) -> str:
    """Extract the label from the content of a bracket; ``_`` if there is none.

    ``label_position`` is the index of the part with the label; ``None`` for the first part without
    a digit.
    """
    parts = content.split("-")
    if label_position is not None:
        return (parts[label_position] if label_position < len(parts) else "") or "_"
    return next((part for part in parts if part and not any(map(str.isdigit, part))), "_")
