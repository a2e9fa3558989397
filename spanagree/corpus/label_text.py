"""Labels of items as text, numbered by the columns of a table."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.segments import codes
from spanagree.errors import InputError, counted, show


def number_texts(
    values: Sequence[object], what: str, where: Callable[[int], str]
) -> tuple[Ints, tuple[str, ...]]:
    """Return numbers for names, in the order in which they are first met."""
    names = list(map(_text, values))
    if None in names:
        row = names.index(None)
        raise InputError(f"{where(row)}the {what} is missing; every label needs one")
    return codes(filter(None, names))


def texts_of(labels: Sequence[object], missing: str | None) -> tuple[list[str | None], list[str]]:
    """Return labels as text, ``None`` for missing ones, and what there is to say about them."""
    texts = [_text(label) for label in labels]
    blank = sum(text is None for text in texts)
    notes = [f"{counted(blank, 'blank label')} counted as missing"] if blank else []
    if missing is not None:
        if number := sum(text == missing for text in texts):
            notes.append(f"{counted(number, 'label')} {show(missing)} counted as missing")
        texts = [None if text == missing else text for text in texts]
    written = [
        text
        for text, label in zip(texts, labels, strict=True)
        if isinstance(label, str) and text is not None and text != label.strip()
    ]
    if written:
        example = min(written)
        notes.append(
            f"{counted(len(written), 'numeric label')} such as '{example}.0' read as '{example}'"
        )
    return texts, notes


def _text(value: object) -> str | None:
    """Return a label or a name as text; whole numbers have no fraction, however written."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if type(value).__name__ in ("NAType", "NaTType"):  # of pandas
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        text = str(value).strip()
    except ValueError:  # Python refuses to write whole numbers of more than 4300 digits
        raise InputError(
            "a number of thousands of digits is not a label; give a shorter one"
        ) from None
    if re.fullmatch(r"-?[0-9]+\.0+", text, re.ASCII):
        text = text.partition(".")[0]
        text = "0" if text == "-0" else text
    return text or None


def printable_name(value: object, what: str) -> str:
    """Return a name as text, which may not be missing."""
    name = _text(value)
    if name is None:
        raise InputError(f"{what} {show(value)}; a name is needed")
    return name
