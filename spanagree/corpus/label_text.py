"""Labels of items as text, and their encoding as integers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np

from spanagree.arrays import Ints, encode_by_first_use
from spanagree.errors import (
    InputError,
    invalid_value,
    join_names,
    pluralize,
    quote_value,
    write_number_of_further,
)

_NO_LABEL = {"NA", "<NA>", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "NaT"}
"""Spellings of missing labels in other programs."""

_BLANKS = " \t"
_OF_NUMBERS = frozenset(f"{_BLANKS}-0123456789")  # first characters of numbers


class LabelTexts(NamedTuple):
    """Text of each value of a column; equal values are converted once.

    Attributes:
        code: index of the value of each row, in the order of first use.
        texts: text of each value; ``None`` if it is missing.
        times: number of rows of each value.
    """

    code: Ints
    texts: list[str | None]
    times: Ints

    def count_rows(self, is_chosen: Iterable[bool]) -> int:
        """Count the rows with the values of a mask."""
        return int(self.times[np.fromiter(is_chosen, np.bool_, len(self.texts))].sum())

    def find_first_row(self, is_chosen: Iterable[bool]) -> int | None:
        """Find the first row with a value of a mask; ``None`` if there is none."""
        code = next((i for i, is_match in enumerate(is_chosen) if is_match), None)
        return None if code is None else int(np.argmax(self.code == code))


def _encode_values(values: Sequence[object]) -> tuple[Ints, list[Any]]:
    """Encode values as integers, and return the codes with the distinct values.

    Values of types other than the usual are not compared: each counts as distinct.
    """
    encoded = getattr(values, "codes_and_words", None)
    if encoded is not None:  # a column of a file
        return encoded[0].astype(np.int64), list(encoded[1])
    types = set(map(type, values))
    if not types <= _PLAIN:
        return np.arange(len(values)), list(values)
    # 1, 1.0 and True are equal, but differ as text
    keys: Sequence[Any] = values if len(types) < 2 else [(type(value), value) for value in values]
    code_by_key = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    code = np.fromiter(map(code_by_key.__getitem__, keys), np.int64, len(keys))
    return code, list(code_by_key) if len(types) < 2 else [value for _, value in code_by_key]


_PLAIN = {str, int, float, bool, type(None)}


def encode_names(
    values: Sequence[object], noun: str, location: Callable[[int], str]
) -> tuple[Ints, tuple[str, ...]]:
    """Encode names as integers, in the order of first use; also return the distinct names.

    ``noun`` is item or annotator, and ``location`` describes a row, for error messages.
    """
    code, distinct_values = _encode_values(values)
    texts = _convert_values(distinct_values)
    if None in texts:
        row = int(np.argmax(code == texts.index(None)))
        raise InputError(f"{location(row)}the {noun} is missing; every label needs one")
    are_strings = {*map(type, distinct_values)} <= {
        str
    }  # other values may be arrays, which cannot be compared
    if are_strings and texts == distinct_values and len(texts) < len(values):  # names are distinct
        return code, tuple(filter(None, texts))
    code_of_value, distinct_names = encode_by_first_use(filter(None, texts))
    return code_of_value[code], distinct_names


def encode_labels(
    labels: Sequence[object],
    categories: Iterable[object] | None,
    missing: str | None,
    separator: str | None,
    location: Callable[[int], str],
) -> tuple[Ints, tuple[str, ...], list[str], dict[str, str]]:
    """Encode labels as integers, −1 if missing.

    ``categories`` are the names of all possible labels, or ``None`` for the labels that occur.
    ``missing`` and ``separator`` are documented in :func:`_convert_labels`.

    Returns:
        The code of each label, the sorted categories, notes, and the settings that had an effect.
    """
    column, notes, effective_settings = _convert_labels(labels, missing, separator)
    texts = column.texts
    notes += [] if categories is not None else _write_notes_on_missing(column)
    categories_sorted = _convert_categories(
        filter(None, texts) if categories is None else categories
    )
    if separator is not None:
        categories_sorted = tuple(
            sorted({_normalize_set(name, separator) or name for name in categories_sorted})
        )
    code_by_category = {name: i for i, name in enumerate(categories_sorted)}
    unknown_row = column.find_first_row(
        unknown is not None and unknown not in code_by_category for unknown in texts
    )
    if unknown_row is not None:
        allowed_names, unknown = join_names(categories_sorted), texts[column.code[unknown_row]]
        raise invalid_value(
            f"{location(unknown_row)}unknown label", unknown, f"the categories are: {allowed_names}"
        )
    code_of_value = [-1 if unknown is None else code_by_category[unknown] for unknown in texts]
    return (
        np.array(code_of_value, np.int64)[column.code],
        categories_sorted,
        notes,
        effective_settings,
    )


def _convert_categories(labels: Iterable[object]) -> tuple[str, ...]:
    """Convert categories to names, sorted."""
    if not isinstance(labels, Iterable):
        raise InputError(f"categories {quote_value(labels)}; a list is needed")
    return tuple(sorted({convert_name(label, "category") for label in labels}))


def _convert_labels(
    labels: Sequence[object], missing: str | None, separator: str | None = None
) -> tuple[LabelTexts, list[str], dict[str, str]]:
    """Convert labels to text; also return notes, and the settings that had an effect.

    Args:
        labels: labels of all rows.
        missing: label that represents a missing one.
        separator: character between the members of labels that are sets.
    """
    code, distinct_values = _encode_values(labels)
    texts = _convert_values(distinct_values)
    column = LabelTexts(code, texts, np.bincount(code, minlength=len(texts)))
    effective_settings = {}
    n_blank = column.count_rows(text is None for text in texts)
    notes = [f"{pluralize(n_blank, 'blank label')} counted as missing"] if n_blank else []
    if missing is not None:
        is_missing = [text is not None and text.strip() == missing.strip() for text in texts]
        if n_missing := column.count_rows(is_missing):
            notes.append(
                f"{pluralize(n_missing, 'label')} {quote_value(missing)} counted as missing"
            )
            effective_settings["missing"] = missing
        else:
            notes.append(f"no label is {quote_value(missing)}, which was to count as missing")
        texts = [None if is_lost else text for text, is_lost in zip(texts, is_missing, strict=True)]
    was_rewritten = [
        isinstance(label, str)
        and text != label
        and text is not None
        and text.strip(_BLANKS) != label.strip(_BLANKS)
        for text, label in zip(texts, distinct_values, strict=True)
    ]
    if any(was_rewritten):
        example = min(text for text in compress(texts, was_rewritten) if text)
        notes.append(
            f"{pluralize(column.count_rows(was_rewritten), 'numeric label')} such as '{example}.0'"
            f" read as '{example}'"
        )
    if separator is not None:
        sets = [text and _normalize_set(text, separator) for text in texts]
        effective_settings |= {"separator": separator} if sets != texts else {}
        texts = sets
    return column._replace(texts=texts), notes, effective_settings


SIGN = "|"
"""Separator of the members of a label that is a set."""


def _normalize_set(text: str, separator: str) -> str | None:
    """Normalize a set of labels as text: members are unique and sorted.

    >>> _normalize_set("joy, anger,joy", ",")
    'anger|joy'
    """
    return SIGN.join(sorted({part.strip() for part in text.split(separator)} - {""})) or None


def write_notes_on_names(
    items: Sequence[str], annotators: Sequence[str], labels: Sequence[str]
) -> list[str]:
    """Write notes on names that look equal, but differ."""
    notes = []
    for noun, names in (("items", items), ("annotators", annotators), ("labels", labels)):
        if groups := group_similar_names(names):
            notes.append(
                f"{noun} {' and '.join(map(quote_value, groups[0][:2]))} differ in outer space or"
                " in the form of Unicode alone, and count"
                f" apart{write_number_of_further(len(groups))}"
            )
    return notes


def _write_notes_on_missing(labels: LabelTexts) -> list[str]:
    """Write notes on labels that look like missing labels of other programs."""
    return [
        f"{pluralize(labels.count_rows(text == label for label in labels.texts), 'label')}"
        f" {quote_value(text)}"
        f" counted as a category; --missing {text} (missing=) takes such labels as missing"
        for text in sorted(_NO_LABEL.intersection(filter(None, labels.texts)))
    ]


def _convert_values(values: Iterable[object]) -> list[str | None]:
    """Convert values with :func:`convert_to_text`; text that begins with a letter is unchanged."""
    return [
        value if type(value) is str and value[:1].isalpha() else convert_to_text(value)
        for value in values
    ]


def convert_to_text(value: object) -> str | None:
    """Convert a label or name to text; ``None`` if it is missing.

    Integers are written without a fraction and blanks, so 1.0 becomes 1. Blanks around other text
    are kept.
    """
    if type(value) is str:
        return _normalize_number(value)
    if isinstance(value, np.generic):
        value = value.item()
    if type(value).__name__ in ("NoneType", "NAType", "NaTType"):  # the latter two are of pandas
        return None
    if isinstance(value, (set, frozenset)):  # str() of a set has an undefined order
        return SIGN.join(sorted(filter(None, map(convert_to_text, value)))) or None
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
    return _normalize_number(text)


def _normalize_number(text: str) -> str | None:
    """Write an integral number without decimals; leave other text unchanged.

    ``None`` is returned for a blank text.
    """
    if text[:1] in _OF_NUMBERS:  # excludes most names quickly
        stripped_text = text.strip(_BLANKS)
        if re.fullmatch(r"-?[0-9]+(\.0+)?", stripped_text, re.ASCII):
            integer, fraction, _ = stripped_text.partition(".")
            text = "0" if integer == "-0" and fraction else integer
    return text if text.strip() else None


def convert_name(value: object, noun: str) -> str:
    """Convert a name to text; it must not be missing."""
    name = convert_to_text(value)
    if name is None:
        raise InputError(f"{noun} {quote_value(value)}; a name is needed")
    return name


def group_similar_names(names: Iterable[str], *, case: bool = True) -> list[list[str]]:
    """Group names that differ only in outer space or Unicode normalization.

    With ``case`` False, case is ignored too.

    >>> group_similar_names(["ann", "bob", " ann", "ann"])
    [['ann', ' ann']]
    """
    distinct_names = list(dict.fromkeys(names))
    if (
        case
        and "".join(distinct_names).isascii()
        and list(map(str.strip, distinct_names)) == distinct_names
    ):
        return []
    groups: dict[str, list[str]] = {}
    for name in distinct_names:
        normalized = normalize("NFC", name).strip()
        groups.setdefault(normalized if case else normalized.casefold(), []).append(name)
    return [group for group in groups.values() if len(group) > 1]
