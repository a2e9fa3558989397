"""Records of a JSON file, one by one, so that a large file is never in memory as a whole."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from itertools import islice
from json import JSONDecoder
from typing import Any

from spanagree.errors import InputError, escape_path
from spanagree.files import PathName, extract_json_problem, yield_texts

_REQUIREMENT = "a list of objects, or one a line, is needed"
_SPACE = re.compile(r"[ \t\r\n]*")
_PAIR = re.compile(r'\s*\[\s*"')  # list that begins with a string
_CHUNK_SIZE = 1 << 20  # characters
_TAIL = 12  # characters: a value or error this close to the end may be due to a split token


def yield_json_records(
    path: PathName,
    requirement: str = _REQUIREMENT,
    encoding: str = "utf-8",
    inside: Collection[str] = (),
) -> Iterator[tuple[str, Any]]:
    """Yield the elements of a list, or the values in lines, each with its location for errors.

    An object may take several lines. If it contains lists under the names ``inside``, their
    elements are yielded. ``requirement`` ends an error.

    Raises:
        InputError: if the file cannot be read, is not valid JSON, or is truncated.

    >>> list(yield_json_records("nowhere.json"))
    Traceback (most recent call last):
    spanagree.errors.InputError: nowhere.json: no such file
    """
    name = escape_path(path)
    with closing(
        yield_texts(path, encoding, _CHUNK_SIZE)
    ) as pieces:  # closes the file after an error
        yield from parse_records(name, pieces, requirement, inside)


def parse_records(
    name: str, pieces: Iterable[str], requirement: str = _REQUIREMENT, inside: Collection[str] = ()
) -> Iterator[tuple[str, Any]]:
    r"""Yield the location and value of each record of a JSON text that is read in chunks.

    Records are the entries of one list, or consecutive values. If a value is an object with a list
    under a key in ``inside``, the entries of this list are records. Error messages begin with
    ``name``, the printable path, and end with ``requirement``, which describes the valid content.

    >>> list(parse_records("x", ['[7, {"a"', ': null}]']))
    [('x: record 1', 7), ('x: record 2', {'a': None})]
    >>> list(parse_records("x", ['{"a": 1, "b": [2, 3]}'], inside=["b"]))
    [('x: record 1', 2), ('x: record 2', 3)]
    >>> list(parse_records("x", ['["Jo", {}]\n["Al", {}]']))
    [('x:1', ['Jo', {}]), ('x:2', ['Al', {}])]
    """
    values = _ValueReader(name, iter(pieces), requirement)
    if values.read_next_character() != "[" or values.are_pairs():
        yield from values.yield_lines(inside)
        return
    yield from values.yield_elements()
    if values.read_next_character():
        raise values.build_error(name, "more after the list")


class _ValueReader:
    """Reader of JSON values; it keeps the loaded text and the position of the next value."""

    def __init__(self, name: str, chunks: Iterator[str], requirement: str) -> None:
        self.name, self.chunks, self.requirement = name, chunks, requirement
        self.text, self.position = "", 0
        self.line, self.line_offset = 1, 0  # line number at an offset of the text
        self.decode = JSONDecoder().raw_decode

    def are_pairs(self) -> bool:
        """Check whether the first two values are lists that begin with a string."""
        if not _PAIR.match(self.text, self.position):
            return False
        try:
            _, end = self.decode(self.text, self.position)
        except (ValueError, RecursionError):  # reading reports the error
            return False
        return _PAIR.match(self.text, end) is not None

    def yield_elements(self) -> Iterator[tuple[str, Any]]:
        """Yield the elements of the list at the current position, each with its location."""
        self.position += 1
        n_elements, character = 0, self.read_next_character()
        while character != "]":
            n_elements += 1
            location = f"{self.name}: record {n_elements}"
            yield location, self.parse_value(location)
            character = self._read_separator(location, "]")
        self.position += 1

    def yield_members(
        self, location: str, list_names: Collection[str]
    ) -> Iterator[tuple[str, Any]]:
        """Yield the elements of the lists in an object that have one of these names, or the object.

        The object is yielded only if it has no such list.
        """
        entry: dict[str, Any] | None = {}
        self.position += 1
        character = self.read_next_character()
        while character != "}":
            key = self.parse_value(location)
            if not isinstance(key, str) or self.read_next_character() != ":":
                raise self.build_error(location, "no key, with a colon after it")
            self.position += 1
            if self.read_next_character() == "[" and key in list_names:
                yield from self.yield_elements()
                entry = None
            else:
                value = self.parse_value(location)
                entry = None if entry is None else {**entry, key: value}
            character = self._read_separator(location, "}")
        self.position += 1
        if entry is not None:
            yield location, entry

    def _read_separator(self, location: str, closer: str) -> str:
        """Read the comma or closing bracket after a value; a comma is skipped."""
        character = self.read_next_character()
        if character not in (",", closer):
            problem = (
                "no comma after it" if character else f"no {closer} after it, the file is cut off"
            )
            raise self.build_error(location, problem)
        if character == ",":
            self.position += 1
            self.read_next_character()
        return character

    def yield_lines(self, list_names: Collection[str] = ()) -> Iterator[tuple[str, Any]]:
        """Yield the values of the file, each located by its line."""
        while self.read_next_character():
            self.line += self.text.count("\n", self.line_offset, self.position)
            self.line_offset = self.position
            location = f"{self.name}:{self.line}"
            if list_names and self.read_next_character() == "{":
                yield from self.yield_members(location, list_names)
            else:
                yield location, self.parse_value(location)

    def read_next_character(self) -> str:
        """Read the next character that is not white space; an empty string at the end."""
        while True:
            space = _SPACE.match(self.text, self.position)
            self.position = space.end() if space else self.position
            if self.position < len(self.text):
                return self.text[self.position]
            if not self.load_chunks(1):
                return ""

    def parse_value(self, location: str) -> Any:
        """Parse the next value, and load more text until it is complete."""
        while True:
            value, problem, end = None, "", self.position
            try:
                value, end = self.decode(self.text, self.position)
            except RecursionError:
                raise self.build_error(location, "nested too deeply") from None
            except ValueError as error:
                problem = extract_json_problem(error)
                end = getattr(error, "pos", 0)
                is_unterminated = "Unterminated" in problem
                if not is_unterminated and end + _TAIL < len(self.text):
                    raise self.build_error(location, problem or "a number too long") from None
            if not problem and end + _TAIL < len(self.text):
                self.position = end
                return value
            if not self.load_chunks(
                max(1, (len(self.text) - self.position) // _CHUNK_SIZE)
            ):  # twice as much
                if problem:
                    suffix = (
                        ", the file is cut off" if is_unterminated or end >= len(self.text) else ""
                    )
                    raise self.build_error(location, problem + suffix)
                self.position = end
                return value

    def load_chunks(self, n_chunks: int) -> bool:
        """Append chunks to the rest of the text; return False at the end of the file."""
        loaded = "".join(islice(self.chunks, n_chunks))
        if loaded:
            self.line += self.text.count("\n", self.line_offset, self.position)
            self.text, self.position, self.line_offset = self.text[self.position :] + loaded, 0, 0
        return bool(loaded)

    def build_error(self, location: str, problem: str) -> InputError:
        """Build the error for invalid JSON."""
        return InputError(f"{location}: not valid JSON ({problem}); {self.requirement}")
