"""The records of a JSON file, one by one, so that a large one is never in memory as a whole."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from itertools import islice
from json import JSONDecoder
from typing import Any

from spanagree.errors import InputError, printable_path
from spanagree.files import PathName, json_problem, texts_of

_NEEDED = "a list of objects, or one a line, is needed"
_SPACE = re.compile(r"[ \t\r\n]*")
_PAIR = re.compile(r'\s*\[\s*"')  # a list that begins with a text
_PIECE = 1 << 20  # characters
_LAST_WORD = 12  # characters: so near to the end a value or an error may be that of one cut in two


def json_records(
    path: PathName,
    needed: str = _NEEDED,
    encoding: str = "utf-8",
    inside: Collection[str] = (),
) -> Iterator[tuple[str, Any]]:
    """Yield the elements of a list, or the values in lines, each with its place for errors.

    An object may take several lines; one that has lists under the names ``inside`` is their
    elements. ``needed`` ends an error.

    Raises:
        InputError: for what cannot be read, is not valid JSON, or is cut off.

    >>> list(json_records("nowhere.json"))
    Traceback (most recent call last):
    spanagree.errors.InputError: nowhere.json: no such file
    """
    name = printable_path(path)
    with closing(texts_of(path, encoding, _PIECE)) as pieces:  # an error keeps no file open
        yield from records_in(name, pieces, needed, inside)


def records_in(
    name: str, pieces: Iterable[str], needed: str = _NEEDED, inside: Collection[str] = ()
) -> Iterator[tuple[str, Any]]:
    r"""Yield the same of a text that comes in pieces; ``name`` is what errors call it.

    >>> list(records_in("x", ['[7, {"a"', ': null}]']))
    [('x: record 1', 7), ('x: record 2', {'a': None})]
    >>> list(records_in("x", ['{"a": 1, "b": [2, 3]}'], inside=["b"]))
    [('x: record 1', 2), ('x: record 2', 3)]
    >>> list(records_in("x", ['["Jo", {}]\n["Al", {}]']))
    [('x:1', ['Jo', {}]), ('x:2', ['Al', {}])]
    """
    values = _Values(name, iter(pieces), needed)
    if values.sign() != "[" or values.are_pairs():
        yield from values.lines(inside)
        return
    yield from values.elements()
    if values.sign():
        raise values.odd(name, "more after the list")


class _Values:
    """The text of a file as far as it is in memory, and where in it the next value begins."""

    def __init__(self, name: str, pieces: Iterator[str], needed: str) -> None:
        self.name, self.pieces, self.needed = name, pieces, needed
        self.text, self.at = "", 0
        self.line, self.counted = 1, 0  # the line of a place in the text
        self.decode = JSONDecoder().raw_decode

    def are_pairs(self) -> bool:
        """Return whether the first value is a list that begins with a text, and another follows."""
        if not _PAIR.match(self.text, self.at):
            return False
        try:
            _, end = self.decode(self.text, self.at)
        except (ValueError, RecursionError):  # which reading says
            return False
        return _PAIR.match(self.text, end) is not None

    def elements(self) -> Iterator[tuple[str, Any]]:
        """Yield the elements of a list."""
        self.at += 1
        number, sign = 0, self.sign()
        while sign != "]":
            number += 1
            location = f"{self.name}: record {number}"
            yield location, self.value(location)
            sign = self._after_value(location, "]")
        self.at += 1

    def members(self, location: str, inside: Collection[str]) -> Iterator[tuple[str, Any]]:
        """Yield the elements of an object's lists of some names; without these the object."""
        entry: dict[str, Any] | None = {}
        self.at += 1
        sign = self.sign()
        while sign != "}":
            key = self.value(location)
            if not isinstance(key, str) or self.sign() != ":":
                raise self.odd(location, "no key, with a colon after it")
            self.at += 1
            if self.sign() == "[" and key in inside:
                yield from self.elements()
                entry = None
            else:
                value = self.value(location)
                entry = None if entry is None else {**entry, key: value}
            sign = self._after_value(location, "}")
        self.at += 1
        if entry is not None:
            yield location, entry

    def _after_value(self, location: str, closing: str) -> str:
        """Return the sign behind a value, a comma or the closing one, and go past a comma."""
        sign = self.sign()
        if sign not in (",", closing):
            problem = "no comma after it" if sign else f"no {closing} after it, the file is cut off"
            raise self.odd(location, problem)
        if sign == ",":
            self.at += 1
            self.sign()
        return sign

    def lines(self, inside: Collection[str] = ()) -> Iterator[tuple[str, Any]]:
        """Yield the values of the file, each called by its line."""
        while self.sign():
            self.line += self.text.count("\n", self.counted, self.at)
            self.counted = self.at
            location = f"{self.name}:{self.line}"
            if inside and self.sign() == "{":
                yield from self.members(location, inside)
            else:
                yield location, self.value(location)

    def sign(self) -> str:
        """Return the next character that is not white space; at the end an empty one."""
        while True:
            space = _SPACE.match(self.text, self.at)
            self.at = space.end() if space else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.read_on(1):
                return ""

    def value(self, location: str) -> Any:
        """Return the next value, reading on as far as it goes."""
        while True:
            value, problem, at = None, "", self.at
            try:
                value, at = self.decode(self.text, self.at)
            except RecursionError:
                raise self.odd(location, "nested too deeply") from None
            except ValueError as error:
                problem = json_problem(error)
                at = getattr(error, "pos", 0)
                cut = "Unterminated" in problem
                if not cut and at + _LAST_WORD < len(self.text):
                    raise self.odd(location, problem or "a number too long") from None
            if not problem and at + _LAST_WORD < len(self.text):
                self.at = at
                return value
            if not self.read_on(max(1, (len(self.text) - self.at) // _PIECE)):  # twice as much
                if problem:
                    more = ", the file is cut off" if cut or at >= len(self.text) else ""
                    raise self.odd(location, problem + more)
                self.at = at
                return value

    def read_on(self, pieces: int) -> bool:
        """Put so many pieces behind what is left of the text; return whether there are any."""
        more = "".join(islice(self.pieces, pieces))
        if more:
            self.line += self.text.count("\n", self.counted, self.at)
            self.text, self.at, self.counted = self.text[self.at :] + more, 0, 0
        return bool(more)

    def odd(self, location: str, problem: str) -> InputError:
        """Return the error for what is not valid."""
        return InputError(f"{location}: not valid JSON ({problem}); {self.needed}")
