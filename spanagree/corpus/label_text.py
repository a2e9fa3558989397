"""Labels of items as text, numbered by the columns of a table."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.names import alike
from spanagree.corpus.segments import codes
from spanagree.errors import (
    InputError,
    invalid_value,
    join_names,
    more_like_it,
    pluralize,
    quote_value,
)

_NO_LABEL = {"NA", "<NA>", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "NaT"}
"""How other programs write that there is no label."""

_BLANKS = " \t"
_OF_NUMBERS = frozenset(f"{_BLANKS}-0123456789")  # their first characters


class LabelTexts(NamedTuple):
    """The text of each value of a column, looked at once for values that are alike.

    Attributes:
        code: of each row, the number of its value, in the order in which they are first met.
        texts: of each value its text, ``None`` where it is missing.
        times: in how many rows it is.
    """

    code: Ints
    texts: list[str | None]
    times: Ints

    def rows(self, chosen: Iterable[bool]) -> int:
        """Return in how many rows the chosen values are."""
        return int(self.times[np.fromiter(chosen, np.bool_, len(self.texts))].sum())

    def first_row(self, chosen: Iterable[bool]) -> int | None:
        """Return the first row with any of the chosen values, if there is one."""
        value = next((i for i, is_one in enumerate(chosen) if is_one), None)
        return None if value is None else int(np.argmax(self.code == value))


def _numbered(values: Sequence[object]) -> tuple[Ints, list[Any]]:
    """Return the number of each row's value, and the values; unusual ones are all distinct."""
    known = getattr(values, "numbered", None)
    if known is not None:  # a column of a file
        return known[0].astype(np.int64), list(known[1])
    kinds = set(map(type, values))
    if not kinds <= _PLAIN:
        return np.arange(len(values)), list(values)
    # 1, 1.0 and True are equal, and not the same text
    keys: Sequence[Any] = values if len(kinds) < 2 else [(type(value), value) for value in values]
    first = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    code = np.fromiter(map(first.__getitem__, keys), np.int64, len(keys))
    return code, list(first) if len(kinds) < 2 else [value for _, value in first]


_PLAIN = {str, int, float, bool, type(None)}


def number_texts(
    values: Sequence[object], what: str, location: Callable[[int], str]
) -> tuple[Ints, tuple[str, ...]]:
    """Return numbers for names, in the order in which they are first met."""
    code, different = _numbered(values)
    names = _all_as_text(different)
    if None in names:
        row = int(np.argmax(code == names.index(None)))
        raise InputError(f"{location(row)}the {what} is missing; every label needs one")
    plain = {*map(type, different)} <= {str}  # what is not may be an array, which equals nothing
    if plain and names == different and len(names) < len(values):  # each is a name of its own
        return code, tuple(filter(None, names))
    number, distinct_names = codes(filter(None, names))
    return number[code], distinct_names


def number_labels(
    labels: Sequence[object],
    categories: Iterable[object] | None,
    missing: str | None,
    separator: str | None,
    location: Callable[[int], str],
) -> tuple[Ints, tuple[str, ...], list[str], dict[str, str]]:
    """Return the number of each label, −1 of missing ones, the categories, notes, and settings.

    Settings are those that had an effect; for the rest see ``label_table``.
    """
    column, notes, effect = _texts_of(labels, missing, separator)
    texts = column.texts
    notes += [] if categories is not None else _unlike_labels(column)
    names = _categories(filter(None, texts) if categories is None else categories)
    if separator is not None:
        names = tuple(sorted({_as_set(name, separator) or name for name in names}))
    code = {name: i for i, name in enumerate(names)}
    row = column.first_row(text is not None and text not in code for text in texts)
    if row is not None:
        allowed, text = join_names(names), texts[column.code[row]]
        raise invalid_value(f"{location(row)}unknown label", text, f"the categories are: {allowed}")
    places = [-1 if text is None else code[text] for text in texts]
    return np.array(places, np.int64)[column.code], names, notes, effect


def _categories(labels: Iterable[object]) -> tuple[str, ...]:
    """Return the names of categories, sorted."""
    if not isinstance(labels, Iterable):
        raise InputError(f"categories {quote_value(labels)}; a list is needed")
    return tuple(sorted({printable_name(label, "category") for label in labels}))


def _texts_of(
    labels: Sequence[object], missing: str | None, separator: str | None = None
) -> tuple[LabelTexts, list[str], dict[str, str]]:
    """Return labels as text, what there is to say about them, and settings that had an effect.

    Args:
        labels: of each row.
        missing: a label that stands for a missing one.
        separator: the sign between the members of labels that are sets.
    """
    code, different = _numbered(labels)
    texts = _all_as_text(different)
    column = LabelTexts(code, texts, np.bincount(code, minlength=len(texts)))
    effect = {}
    blank = column.rows(text is None for text in texts)
    notes = [f"{pluralize(blank, 'blank label')} counted as missing"] if blank else []
    if missing is not None:
        gone = [text is not None and text.strip() == missing.strip() for text in texts]
        if number := column.rows(gone):
            notes.append(f"{pluralize(number, 'label')} {quote_value(missing)} counted as missing")
            effect["missing"] = missing
        else:
            notes.append(f"no label is {quote_value(missing)}, which was to count as missing")
        texts = [None if lost else text for text, lost in zip(texts, gone, strict=True)]
    as_numbers = [
        isinstance(label, str)
        and text != label
        and text is not None
        and text.strip(_BLANKS) != label.strip(_BLANKS)
        for text, label in zip(texts, different, strict=True)
    ]
    if any(as_numbers):
        example = min(text for text in compress(texts, as_numbers) if text)
        notes.append(
            f"{pluralize(column.rows(as_numbers), 'numeric label')} such as '{example}.0' read as"
            f" '{example}'"
        )
    if separator is not None:
        sets = [text and _as_set(text, separator) for text in texts]
        effect |= {"separator": separator} if sets != texts else {}
        texts = sets
    return column._replace(texts=texts), notes, effect


SIGN = "|"
"""What stands between the members of a label that is a set."""


def _as_set(text: str, separator: str) -> str | None:
    """Return a set of labels as text, each once and sorted.

    >>> _as_set("joy, anger,joy", ",")
    'anger|joy'
    """
    return SIGN.join(sorted({part.strip() for part in text.split(separator)} - {""})) or None


def odd_names(items: Sequence[str], annotators: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Return notes on names that look the same and count apart."""
    notes = []
    for noun, names in (("items", items), ("annotators", annotators), ("labels", labels)):
        if groups := alike(names):
            notes.append(
                f"{noun} {' and '.join(map(quote_value, groups[0][:2]))} differ in outer space or"
                f" in the form of Unicode alone, and count apart{more_like_it(len(groups))}"
            )
    return notes


def _unlike_labels(labels: LabelTexts) -> list[str]:
    """Return notes on labels that other programs write where there is none."""
    return [
        f"{pluralize(labels.rows(text == label for label in labels.texts), 'label')}"
        f" {quote_value(text)}"
        f" counted as a category; --missing {text} (missing=) takes such labels as missing"
        for text in sorted(_NO_LABEL.intersection(filter(None, labels.texts)))
    ]


def _all_as_text(values: Iterable[object]) -> list[str | None]:
    """Return values as :func:`as_text` does; what begins with a letter stays."""
    return [
        value if type(value) is str and value[:1].isalpha() else as_text(value) for value in values
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
    if isinstance(value, (set, frozenset)):  # whose own text has any order
        return SIGN.join(sorted(filter(None, map(as_text, value)))) or None
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
            integer, fraction, _ = number.partition(".")
            text = "0" if integer == "-0" and fraction else integer
    return text if text.strip() else None


def printable_name(value: object, what: str) -> str:
    """Return a name as text, which may not be missing."""
    name = as_text(value)
    if name is None:
        raise InputError(f"{what} {quote_value(value)}; a name is needed")
    return name
