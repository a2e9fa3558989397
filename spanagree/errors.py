"""What can go wrong, and how it is said.

::

    SpanAgreeError            everything the package raises on purpose
    ├── InputError            what a user handed in does not hold: a file, a row, a tag, a segment
    └── SettingError          a choice that does not exist, or that does not fit the data

Every message is one line: where it is, what is wrong, the value, and what is allowed or would work.
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
_LONGEST_MESSAGE = 1500  # characters of a message, in which names of files may stand
_DIGITS = 15  # of a whole number that a user writes
_MOST = 20  # names in a list of what there is


class SpanAgreeError(Exception):
    """The parent of :class:`InputError`, :class:`SettingError` and the other errors raised here.

    >>> import spanagree as sa
    >>> try:
    ...     sa.read("missing.conll")
    ... except sa.SpanAgreeError as error:
    ...     print(error)
    missing.conll: no such file
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message))


class InputError(SpanAgreeError, ValueError):
    """A file, a row, a tag or a segment that cannot be taken as it is.

    >>> import spanagree as sa
    >>> try:
    ...     sa.Corpus.from_segments([3], {"ann": [[(2, 5, "X")]]})
    ... except sa.errors.InputError as error:
    ...     print(error)
    annotator 'ann', document '1': segment 2–5 'X' ends beyond the document of length 3
    """


class SettingError(SpanAgreeError, ValueError):
    """A choice that does not exist, or that does not fit the data.

    >>> import spanagree as sa
    >>> try:
    ...     sa.f1_score([["O"]], [["O"]], scheme="IOBX")
    ... except sa.errors.SettingError as error:
    ...     print(error)
    unknown scheme 'IOBX'; allowed: auto, IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU
    """


class OverlapError(SettingError):
    """Settings that do not go with each other, or with a layer that overlaps itself.

    Attributes:
        problem: the message without the settings that would work.
        reason: the same without the place, for figures that have no chance.
    """

    problem: str = ""
    reason: str = ""

    @classmethod
    def of(cls, problem: str, remedy: str, reason: str = "") -> OverlapError:
        """Return the error of a problem and of the settings that would work."""
        error = cls(f"{problem}; {remedy}")
        error.problem, error.reason = problem, reason or problem
        return error


class MissingLayerError(SettingError):
    """A layer that is not in the corpus; of a block, it may be in another one."""


def quote_value(value: object) -> str:
    """Return a user's value for a message: quoted, on one line, with escapes, cut.

    >>> quote_value("B-PER\\x1b[31m")
    "'B-PER\\\\x1b[31m'"
    """
    try:
        text = repr(value)
    except Exception:  # a number of over 4300 digits, lists within lists by the thousand
        text = f"<{type(value).__name__}>"
    return truncate(text.replace("\n", " "), _LONGEST)


def truncate(text: str, longest: int) -> str:
    """Return the beginning of a text; a mark stands for what is left out.

    >>> truncate("newspaper", 5)
    'news…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def shortened(text: str) -> str:
    """Return a message without its middle if it is long; what is wrong and what to do stay.

    >>> len(shortened("no column; there are: " + "name, " * 99_999))
    1484
    """
    if len(text) <= _LONGEST_MESSAGE:
        return text
    begin, end = text[: _LONGEST_MESSAGE - 550], text[-500:]
    left_out = pluralize(len(text) - len(begin) - len(end), "character")
    return f"{begin} … ({left_out} left out) … {end}"


def escape_name(text: str) -> str:
    """Return a name for a terminal or a table: characters that do not print are escaped.

    >>> escape_name("a\\tb")
    'a\\\\tb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def printable_path(path: str | os.PathLike[str]) -> str:
    """Return the path of a file or folder as messages and notes name it.

    >>> printable_path("a\\tb.jsonl")
    'a\\\\tb.jsonl'
    """
    return escape_name(os.fspath(path))


def join_names(names: Iterable[object]) -> str:
    """Return names for a message, with commas between; of many or long ones, the beginnings.

    >>> join_names(["gold", "mine"]), join_names("abcdefghijklmnopqrstuvw")[-16:]
    ('gold, mine', 's, t, … (3 more)')
    """
    every = [escape_name(name) if isinstance(name, str) else quote_value(name) for name in names]
    first = [truncate(name, _LONGEST) for name in every[:_MOST]]
    return ", ".join([*first, f"… ({len(every) - _MOST} more)"] if len(every) > _MOST else first)


def pluralize(number: int, noun: str) -> str:
    """Return a number and its noun.

    >>> pluralize(1, "pair"), pluralize(2, "pair"), pluralize(0, "category")
    ('1 pair', '2 pairs', '0 categories')
    """
    if number == 1:
        return f"{number} {noun}"
    return f"{number} {re.sub('(?<![aeiou])y$', 'ie', noun)}s"


def pluralize_of(some: int, every: int, noun: str) -> str:
    """Return how many of all there are.

    >>> pluralize_of(3, 5, "document"), pluralize_of(5, 5, "document")
    ('3 of 5 documents', '5 documents')
    """
    return f"{some} of {pluralize(every, noun)}" if some < every else pluralize(some, noun)


def percent(share: float, digits: int = 0) -> str:
    """Return a share in per cent.

    >>> percent(0.95), percent(1 / 3, 1)
    ('95 %', '33.3 %')
    """
    return f"{100 * share:.{digits}f} %"


def invalid_value(what: str, value: object, needed: str) -> InputError:
    """Return the error for a value that cannot be taken; it ends with what is needed instead.

    >>> print(invalid_value("row 3: id", 7.5, "a string is needed"))
    row 3: id 7.5; a string is needed
    """
    return InputError(f"{what} {quote_value(value)}; {needed}")


def reason(error: BaseException) -> str:
    """Return the first line of what went wrong elsewhere, from its cause where there is one.

    >>> reason(ValueError("no such key\\nwhile reading"))
    'no such key'
    """
    text = str(error.__cause__ or error).strip() or type(error).__name__
    line = escape_name(text.splitlines()[0])
    return truncate(line, 5 * _LONGEST)


def chosen(setting: str, *values: str) -> str:
    """Return values of a setting as both the command line and Python take them.

    >>> chosen("repair", "drop-repeats", "latest")
    "--repair drop-repeats or --repair latest (repair='drop-repeats' or 'latest')"
    """
    options = " or ".join(f"--{setting} {value}" for value in values)
    return f"{options} ({setting}={' or '.join(map(repr, values))})"


def more_like_it(count: int) -> str:
    """Return the end of an error that shows one of several cases.

    >>> more_like_it(3), more_like_it(1)
    (' (and 2 more like it)', '')
    """
    return f" (and {count - 1} more like it)" if count > 1 else ""


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number, Python's or NumPy's; truth values are not.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def length_of(value: object) -> int | None:
    """Return how many entries a list or an array has, ``None`` for what has none to count.

    >>> length_of([3, 4]), length_of(3)
    (2, None)
    """
    try:
        return len(value)  # type: ignore[arg-type]  # that is the question
    except TypeError:  # arrays without a dimension have the method, and no length
        return None


def is_iterable(value: object) -> TypeGuard[Iterable[Any]]:
    """Return whether a value can be gone through; an array without a dimension cannot.

    >>> is_iterable([3]), is_iterable(3)
    (True, False)
    """
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def whole_number(digits: str, what: str) -> int:
    """Return the whole number that digits write, which Python reads up to some length only.

    Raises:
        InputError: for more digits than an offset has.

    >>> whole_number("7", "offset")
    7
    """
    if len(digits) > _DIGITS:
        raise invalid_value(what, digits, f"a whole number of at most {_DIGITS} digits is needed")
    return int(digits)


def check_choice(choice: object, allowed: Iterable[str], what: str) -> None:
    """Refuse a name that is not in its table.

    Raises:
        SettingError: naming those that are allowed.
    """
    names = list(allowed)
    if not isinstance(choice, str) or choice not in names:
        raise one_of(choice, names, what)


def check_known(names: Iterable[str], known: Iterable[str], what: str = "annotator") -> None:
    """Refuse annotators who are not there.

    Raises:
        MissingLayerError: naming the first, and those who are.
    """
    there = list(known)
    for name in names:
        if name not in there:
            raise MissingLayerError(str(one_of(name, there, what)))


def check_annotator_names(
    names: Iterable[str], known: Iterable[str], *, in_part: bool = False
) -> list[str]:
    """Return names of annotators as a list; with ``in_part``, those that are there.

    Raises:
        SettingError: for what is no list of names, a name that is not there, or is named twice.
    """
    if isinstance(names, str) or not is_iterable(names):
        raise SettingError(f"annotators {quote_value(names)}; a list of names is needed")
    there = list(known)
    names = [name for name in names if not in_part or name in there]
    check_known(names, there)
    for name in (name for name, times in Counter(names).items() if times > 1):
        raise SettingError(f"annotator {quote_value(name)} is named twice; once is enough")
    return names


def check_keywords(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse keywords that a function does not take.

    Raises:
        TypeError: naming the first, as a call in Python does.
    """
    there = list(known)
    for name in given:
        if name not in there:
            raise TypeError(
                f"unexpected keyword argument {quote_value(name)}; beside those of the signature"
                f" there are {join_names(there)}"
            )


def check_whole(value: object, least: int, what: str) -> None:
    """Refuse what is not a whole number from ``least``.

    Raises:
        SettingError: naming the value.
    """
    if not is_whole(value) or value < least:
        raise SettingError(f"{what} {quote_value(value)}; a whole number from {least} is needed")


def one_of(choice: object, allowed: Iterable[object], what: str) -> SettingError:
    """Return the error for a name that is not in its table; it lists those that are.

    One with a comma is in double quotes, as options take it.

    >>> print(one_of("Doe", ["ann", "Doe, Jane"], "annotator"))
    unknown annotator 'Doe'; allowed: ann, "Doe, Jane"
    """
    quoted = [f'"{name}"' if isinstance(name, str) and "," in name else name for name in allowed]
    return SettingError(f"unknown {what} {quote_value(choice)}; allowed: {join_names(quoted)}")
