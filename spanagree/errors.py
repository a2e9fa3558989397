"""Errors of the package, and functions that word their messages.

::

    SpanAgreeError            any error that the package raises on purpose
    ├── InputError            invalid data of a user: a file, a row, a tag, a segment
    └── SettingError          a choice that does not exist, or that does not fit the data

Every message is one line: the location, the problem, the value, and the allowed values or a remedy.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from numbers import Integral
from typing import Any, TypeGuard

__all__ = ["InputError", "SettingError", "SpanAgreeError"]

_LONGEST = 60  # characters of a user's value that a message shows
_LONGEST_MESSAGE = 1500  # characters of a message, which may contain file names
_DIGITS = 15  # of an integer that a user writes
_MOST = 20  # names in a list of allowed names


class SpanAgreeError(Exception):
    """Parent class of :class:`InputError`, :class:`SettingError` and the package's other errors.

    >>> import spanagree as sa
    >>> try:
    ...     sa.read("missing.conll")
    ... except sa.SpanAgreeError as error:
    ...     print(error)
    missing.conll: no such file
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(shorten_message(message))


class InputError(SpanAgreeError, ValueError):
    """Error for a file, a row, a tag or a segment that is invalid.

    >>> import spanagree as sa
    >>> try:
    ...     sa.Corpus.from_segments([3], {"ann": [[(2, 5, "X")]]})
    ... except sa.errors.InputError as error:
    ...     print(error)
    annotator 'ann', document '1': segment 2–5 'X' ends beyond the document of length 3
    """


class SettingError(SpanAgreeError, ValueError):
    """Error for a choice that does not exist, or that does not fit the data.

    >>> import spanagree as sa
    >>> try:
    ...     sa.f1_score([["O"]], [["O"]], scheme="IOBX")
    ... except sa.errors.SettingError as error:
    ...     print(error)
    unknown scheme 'IOBX'; allowed: auto, IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU
    """


class OverlapError(SettingError):
    """Error for settings that exclude each other, or that do not allow overlaps in a layer.

    Attributes:
        problem: message without the settings that would work.
        reason: problem without its location, for figures that have no chance.
    """

    problem: str = ""
    reason: str = ""

    @classmethod
    def from_problem(cls, problem: str, remedy: str, reason: str = "") -> OverlapError:
        """Build the error of a problem and the settings that would work."""
        error = cls(f"{problem}; {remedy}")
        error.problem, error.reason = problem, reason or problem
        return error


class MissingLayerError(SettingError):
    """Error for a layer that is not in the corpus; another block may contain it."""


class MissingColumnError(SettingError):
    """Error for a column that rows lack; in several files, another one may have it.

    Attributes:
        column: name of the column.
    """

    column: str = ""

    @classmethod
    def from_column(cls, message: str, column: str) -> MissingColumnError:
        """Build the error of a column."""
        error = cls(message)
        error.column = column
        return error


class EncodingError(InputError):
    """Error for a text in another encoding than the one that it is read in.

    Attributes:
        problem: message without advice.
    """

    problem: str = ""

    @classmethod
    def from_problem(cls, problem: str, advice: str) -> EncodingError:
        """Build the error of a problem and what to do about it."""
        error = cls(f"{problem}; {advice}")
        error.problem = problem
        return error


def quote_value(value: object) -> str:
    """Quote a user's value for a message: on one line, escaped and truncated.

    >>> quote_value("B-PER\\x1b[31m")
    "'B-PER\\\\x1b[31m'"
    """
    try:
        text = repr(value)
    except Exception:  # an integer of over 4300 digits, or deeply nested lists
        text = f"<{type(value).__name__}>"
    return truncate(text.replace("\n", " "), _LONGEST)


def truncate(text: str, longest: int) -> str:
    """Truncate a text; an ellipsis marks the omission.

    >>> truncate("newspaper", 5)
    'news…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def shorten_message(text: str) -> str:
    """Shorten a long message in its middle; the problem and the remedy stay.

    >>> len(shorten_message("no column; there are: " + "name, " * 99_999))
    1484
    """
    if len(text) <= _LONGEST_MESSAGE:
        return text
    begin, end = text[: _LONGEST_MESSAGE - 550], text[-500:]
    left_out = pluralize(len(text) - len(begin) - len(end), "character")
    return f"{begin} … ({left_out} left out) … {end}"


def escape_name(text: str) -> str:
    """Escape the characters of a name that do not print, for a terminal or a table.

    >>> escape_name("a\\tb")
    'a\\\\tb'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )


def escape_path(path: str | os.PathLike[str]) -> str:
    """Escape the path of a file or folder for messages and notes.

    >>> escape_path("a\\tb.jsonl")
    'a\\\\tb.jsonl'
    """
    return escape_name(os.fspath(path))


def join_names(names: Iterable[object]) -> str:
    """Join names with commas for a message; long lists and long names are truncated.

    >>> join_names(["gold", "mine"]), join_names("abcdefghijklmnopqrstuvw")[-16:]
    ('gold, mine', 's, t, … (3 more)')
    """
    escaped = [escape_name(name) if isinstance(name, str) else quote_value(name) for name in names]
    first = [truncate(name, _LONGEST) for name in escaped[:_MOST]]
    return ", ".join(
        [*first, f"… ({len(escaped) - _MOST} more)"] if len(escaped) > _MOST else first
    )


def pluralize(count: int, noun: str) -> str:
    """Join a count and its noun, in the plural if needed.

    >>> pluralize(1, "pair"), pluralize(2, "pair"), pluralize(0, "category")
    ('1 pair', '2 pairs', '0 categories')
    """
    if count == 1:
        return f"{count} {noun}"
    return f"{count} {re.sub('(?<![aeiou])y$', 'ie', noun)}s"


def format_count_of_total(count: int, total: int, noun: str) -> str:
    """Join a count, the total and their noun.

    >>> format_count_of_total(3, 5, "document"), format_count_of_total(5, 5, "document")
    ('3 of 5 documents', '5 documents')
    """
    return f"{count} of {pluralize(total, noun)}" if count < total else pluralize(count, noun)


def format_percent(share: float, digits: int = 0) -> str:
    """Format a share in per cent.

    >>> format_percent(0.95), format_percent(1 / 3, 1)
    ('95 %', '33.3 %')
    """
    return f"{100 * share:.{digits}f} %"


def invalid_value(subject: str, value: object, requirement: str) -> InputError:
    """Build the error for an invalid value; the message ends with the requirement.

    >>> print(invalid_value("row 3: id", 7.5, "a string is needed"))
    row 3: id 7.5; a string is needed
    """
    return InputError(f"{subject} {quote_value(value)}; {requirement}")


def find_reason(error: BaseException) -> str:
    """Find the first line of an error of another library, from its cause if it has one.

    >>> find_reason(ValueError("no such key\\nwhile reading"))
    'no such key'
    """
    text = str(error.__cause__ or error).strip() or type(error).__name__
    line = escape_name(text.splitlines()[0])
    return truncate(line, 5 * _LONGEST)


def format_setting(setting: str, *values: str) -> str:
    """Format values of a setting as the command line and Python accept them.

    >>> format_setting("repair", "drop-repeats", "latest")
    "--repair drop-repeats or --repair latest (repair='drop-repeats' or 'latest')"
    """
    options = " or ".join(f"--{setting} {value}" for value in values)
    return f"{options} ({setting}={' or '.join(map(repr, values))})"


def write_number_of_further(count: int) -> str:
    """Build the end of an error message that shows one of several cases.

    >>> write_number_of_further(3), write_number_of_further(1)
    (' (and 2 more like it)', '')
    """
    return f" (and {count - 1} more like it)" if count > 1 else ""


def is_integer(value: object) -> TypeGuard[int]:
    """Check whether a value is an integer of Python or NumPy; truth values are not.

    >>> is_integer(3), is_integer(True), is_integer(3.0)
    (True, False, False)
    """
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def count_entries(value: object) -> int | None:
    """Count the entries of a list or an array; `None` for a value without a length.

    >>> count_entries([3, 4]), count_entries(3)
    (2, None)
    """
    try:
        return len(value)  # type: ignore[arg-type]  # checked by the call itself
    except TypeError:  # arrays without a dimension have __len__, and no length
        return None


def is_iterable(value: object) -> TypeGuard[Iterable[Any]]:
    """Check whether a value can be iterated; an array without a dimension cannot.

    >>> is_iterable([3]), is_iterable(3)
    (True, False)
    """
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def parse_whole_number(digits: str, subject: str) -> int:
    """Parse the digits of an integer; Python limits their number.

    Raises:
        InputError: if there are more digits than an offset has.

    >>> parse_whole_number("7", "offset")
    7
    """
    if len(digits) > _DIGITS:
        raise invalid_value(
            subject, digits, f"a whole number of at most {_DIGITS} digits is needed"
        )
    return int(digits)


def check_choice(choice: object, allowed: Iterable[str], noun: str) -> None:
    """Check that a name is allowed.

    Raises:
        SettingError: if it is not; the message lists the allowed names.
    """
    names = list(allowed)
    if not isinstance(choice, str) or choice not in names:
        raise invalid_choice(choice, names, noun)


def check_known(names: Iterable[str], known_names: Iterable[str], noun: str = "annotator") -> None:
    """Check that all names are known names.

    Raises:
        MissingLayerError: if a name is unknown; the message lists the known names.
    """
    allowed = list(known_names)
    for name in names:
        if name not in allowed:
            raise MissingLayerError(str(invalid_choice(name, allowed, noun)))


def check_annotator_names(
    names: Iterable[str], known_names: Iterable[str], *, in_part: bool = False
) -> list[str]:
    """Check that names are a list of known annotators, each named once, and return the list.

    With ``in_part``, names that are not known are left out.

    Raises:
        SettingError: if it is not a list of names, or a name is unknown or repeated.
    """
    if isinstance(names, str) or not is_iterable(names):
        raise SettingError(f"annotators {quote_value(names)}; a list of names is needed")
    allowed = list(known_names)
    names = [name for name in names if not in_part or name in allowed]
    check_known(names, allowed)
    for name in (name for name, count in Counter(names).items() if count > 1):
        raise SettingError(f"annotator {quote_value(name)} is named twice; once is enough")
    return names


def check_keywords(keywords: Iterable[str], known_names: Iterable[str]) -> None:
    """Check that a function takes all of these keywords.

    Raises:
        TypeError: for the first that it does not take, as in a Python call.
    """
    allowed = list(known_names)
    for name in keywords:
        if name not in allowed:
            raise TypeError(
                f"unexpected keyword argument {quote_value(name)}; beside those of the signature"
                f" there are {join_names(allowed)}"
            )


def check_integer(value: object, minimum: int, noun: str) -> None:
    """Check that a value is an integer of at least ``minimum``.

    Raises:
        SettingError: if it is not.
    """
    if not is_integer(value) or value < minimum:
        raise SettingError(f"{noun} {quote_value(value)}; a whole number from {minimum} is needed")


def invalid_choice(choice: object, allowed: Iterable[object], noun: str) -> SettingError:
    """Build the error for a name that is not allowed; it lists the allowed names.

    Names with a comma are in double quotes, as options take them.

    >>> print(invalid_choice("Doe", ["ann", "Doe, Jane"], "annotator"))
    unknown annotator 'Doe'; allowed: ann, "Doe, Jane"
    """
    quoted = [f'"{name}"' if isinstance(name, str) and "," in name else name for name in allowed]
    return SettingError(f"unknown {noun} {quote_value(choice)}; allowed: {join_names(quoted)}")
