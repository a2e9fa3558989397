"""XML elements, one after the other, without entities, which could expand or refer to files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

from spanagree.errors import InputError, quote_value
from spanagree.files import UTF_16_MARKS

_MAX_DEPTH = 500
_CHUNK_SIZE = 1 << 16  # bytes
_TRUNCATION_CODES = (3, 5, 6)  # expat's codes: no element, an unclosed token, part of a character


def yield_elements(source: BinaryIO, location: str) -> Iterator[ElementTree.Element]:
    """Yield the children of the root, each when it is complete; yielded elements are freed.

    Raises:
        InputError: if the XML is not valid, nested too deeply, or declares an entity.
    """
    for element, root in _yield_complete_elements(source, location):
        if element is not root:
            yield element
            root.clear()


def parse_tree(source: BinaryIO, location: str) -> ElementTree.Element:
    """Parse the whole document, and return the root.

    Raises:
        InputError: see :func:`yield_elements`.
    """
    *_, (_, root) = _yield_complete_elements(source, location)
    return root


def strip_namespace(element: ElementTree.Element) -> str:
    """Strip the namespace from an element's name; the result is empty for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _yield_complete_elements(
    source: BinaryIO, location: str
) -> Iterator[tuple[ElementTree.Element, ElementTree.Element]]:
    """Yield pairs of an element and the root: each child when it is complete, then the root."""
    _check_no_entities(source, location)
    source.seek(0)
    depth = 0
    root = None
    try:
        for event, element in _yield_events(source):
            if event == "start":
                root = element if root is None else root
                depth += 1
                if depth > _MAX_DEPTH:
                    raise InputError(
                        f"{location}: elements inside each other, more than {_MAX_DEPTH} deep;"
                        " export the file again"
                    )
                continue
            depth -= 1
            if depth <= 1 and root is not None:
                yield element, root
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        if isinstance(error, InputError):
            raise
        raise _build_invalid_error(source, location, error) from None


def _yield_events(source: BinaryIO) -> Iterator[tuple[str, ElementTree.Element]]:
    """Yield starts and ends of elements.

    A chunk without events is part of a long token, which the parser scans again with each chunk, so
    the size of chunks is doubled.
    """
    parser: Any = ElementTree.XMLPullParser(("start", "end"))  # untyped, as events differ in type
    size = _CHUNK_SIZE
    while chunk := source.read(size):
        parser.feed(chunk)
        size *= 2
        for event in parser.read_events():
            size = _CHUNK_SIZE
            yield event
    parser.close()
    yield from parser.read_events()


def find_declared_encoding(raw: bytes) -> str:
    """Find the encoding that XML declares. Default: UTF-8.

    >>> find_declared_encoding(b"<?xml version='1.0' encoding='latin-1'?><a/>")
    'latin-1'
    """
    declared = re.match(rb"""\s*<\?xml[^>]*\bencoding=["']([\w.-]+)""", raw)
    return declared[1].decode() if declared else "utf-8"


def _build_invalid_error(source: BinaryIO, location: str, error: Exception) -> InputError:
    """Build the error for invalid XML: bytes in another encoding, or a truncated file."""
    source.seek(0)
    raw = source.read()
    if find_declared_encoding(raw).lower() == "utf-8" and not raw.startswith(UTF_16_MARKS):
        try:
            raw.decode()
        except UnicodeDecodeError as decode_error:
            if "end of data" not in decode_error.reason:
                line = raw.count(b"\n", 0, decode_error.start) + 1
                return InputError(
                    f"{location}:{line}: byte 0x{raw[decode_error.start]:02x} is not utf-8, which"
                    " XML is unless its first line names another encoding, as <?xml version='1.0'"
                    " encoding='latin-1'?> does; name it there, or save the file as UTF-8"
                )
    is_cut = getattr(error, "code", 0) in _TRUNCATION_CODES
    advice = "the file may be cut off: export it again" if is_cut else "mend it, or export it again"
    return InputError(f"{location}: not valid XML ({error}); {advice}")


class _RootReachedError(Exception):
    """The root begins; no declarations follow."""


def _check_no_entities(source: BinaryIO, location: str) -> None:
    """Check that no entities are declared before the root; a document type is harmless."""

    def raise_declared(name: str, *_: Any) -> NoReturn:
        """Raise for a declared entity."""
        raise InputError(
            f"{location}: declares the entity {quote_value(name)}; XML with entities is not read:"
            " delete <!ENTITY …> if you trust the file"
        )

    def raise_reached(*_: Any) -> NoReturn:
        """Stop the parser at the root element, before which all entities are declared."""
        raise _RootReachedError

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = raise_declared
    parser.StartElementHandler = raise_reached
    size = _CHUNK_SIZE
    try:
        while chunk := source.read(size):
            parser.Parse(chunk)
            size *= 2
    except _RootReachedError:
        pass
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _build_invalid_error(source, location, error) from None
