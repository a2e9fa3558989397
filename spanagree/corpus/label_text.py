"""Labels of items as text, numbered by the columns of a table."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.names import alike
from spanagree.corpus.segments import codes
from spanagree.errors import InputError, counted, more_like_it, show

_NO_LABEL = {"NA", "<NA>", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "NaT"}
"""How other programs write that there is no label."""

_BLANKS = " \t"
_OF_NUMBERS = frozenset(f"{_BLANKS}-0123456789")  # their first characters


def number_texts(
    values: Sequence[object], what: str, where: Callable[[int], str]
) -> tuple[Ints, tuple[str, ...]]:
    """Return numbers for names, in the order in which they are first met."""
    names = list(map(as_text, values))
    if None in names:
        row = names.index(None)
        raise InputError(f"{where(row)}the {what} is missing; every label needs one")
    return codes(filter(None, names))


def texts_of(labels: Sequence[object], missing: str | None) -> tuple[list[str | None], list[str]]:
    """Return labels as text, ``None`` for missing ones, and what there is to say about them."""
    texts = [as_text(label) for label in labels]
    blank = sum(text is None for text in texts)
    notes = [f"{counted(blank, 'blank label')} counted as missing"] if blank else []
    if missing is not None:
        gone = [text is not None and text.strip() == missing.strip() for text in texts]
        if number := sum(gone):
            notes.append(f"{counted(number, 'label')} {show(missing)} counted as missing")
        texts = [None if lost else text for text, lost in zip(texts, gone, strict=True)]
    written = [
        text
        for text, label in zip(texts, labels, strict=True)
        if isinstance(label, str)
        and text != label
        and text is not None
        and text.strip(_BLANKS) != label.strip(_BLANKS)
    ]
    if written:
        example = min(written)
        notes.append(
            f"{counted(len(written), 'numeric label')} such as '{example}.0' read as '{example}'"
        )
    return texts, notes


def odd_names(items: Sequence[str], annotators: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Return notes on names that look the same and count apart."""
    return [
        f"{noun} {' and '.join(map(show, group[:2]))} differ in outer space or in the form of"
        f" Unicode alone, and count apart{more_like_it(len(groups))}"
        for noun, names in (("items", items), ("annotators", annotators), ("labels", labels))
        for groups in [alike(names)]
        for group in groups[:1]
    ]


def unlike_labels(texts: Sequence[str | None]) -> list[str]:
    """Return notes on labels that other programs write where there is none."""
    return [
        f"{counted(texts.count(text), 'label')} {show(text)} counted as a category; --missing"
        f" {text} (missing=) takes such labels as missing"
        for text in sorted(_NO_LABEL.intersection(filter(None, texts)))
    ]


def as_text(value: object) -> str | None:
    """Return a label or a name as text; whole numbers have no fraction or blanks, however written.

    Blanks around other text are part of it.
    """
    if type(value) is str:
        return _as_written(value)
    if isinstance(value, np.generic):
        value = value.item()
    if type(value).__name__ in ("NoneType", "NAType", "NaTType"):  # two are of pandas
        return None
    if isinstance(value, float):
        if math.isnan(value):
            return None
        value = int(value) if value.is_integer() else value
    try:
        text = str(value)
    except ValueError:  # Python refuses to write whole numbers of more than 4300 digits
        raise InputError(
            "a number of thousands of digits is not a label; give a shorter one"
        ) from None
    return _as_written(text)


def _as_written(text: str) -> str | None:
    if text[:1] in _OF_NUMBERS:  # most names are quickly known not to be one
        number = text.strip(_BLANKS)
        if re.fullmatch(r"-?[0-9]+(\.0+)?", number, re.ASCII):
            whole, fraction, _ = number.partition(".")
            text = "0" if whole == "-0" and fraction else whole
    return text if text.strip() else None


def printable_name(value: object, what: str) -> str:
    """Return a name as text, which may not be missing."""
    name = as_text(value)
    if name is None:
        raise InputError(f"{what} {show(value)}; a name is needed")
    return name
