"""XML as elements one after the other, without entities, which could expand or lead elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

from spanagree.errors import InputError, quote_value
from spanagree.files import UTF_16_MARKS

_DEEPEST = 500
_PIECE = 1 << 16  # bytes
_AT_THE_END = (3, 5, 6)  # expat's numbers: no element, an unclosed token, part of a character


def elements(source: BinaryIO, location: str) -> Iterator[ElementTree.Element]:
    """Yield the children of the root, each when it is complete; what was yielded is forgotten.

    Raises:
        InputError: for what is not valid XML, is nested too deeply, or declares an entity.
    """
    for element, root in _completed(source, location):
        if element is not root:
            yield element
            root.clear()


def tree(source: BinaryIO, location: str) -> ElementTree.Element:
    """Return the root, with all that is in it.

    Raises:
        InputError: as for :func:`elements`.
    """
    *_, (_, root) = _completed(source, location)
    return root


def name_of(element: ElementTree.Element) -> str:
    """Return an element's name without its namespace; a comment has none."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _completed(
    source: BinaryIO, location: str
) -> Iterator[tuple[ElementTree.Element, ElementTree.Element]]:
    """Yield each child of the root when it is complete, then the root, each with the root."""
    _refuse_entities(source, location)
    source.seek(0)
    depth = 0
    root = None
    try:
        for event, element in _events(source):
            if event == "start":
                root = element if root is None else root
                depth += 1
                if depth > _DEEPEST:
                    raise InputError(
                        f"{location}: elements inside each other, more than {_DEEPEST} deep; export"
                        " the file again"
                    )
                continue
            depth -= 1
            if depth <= 1 and root is not None:
                yield element, root
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        if isinstance(error, InputError):
            raise
        raise _invalid(source, location, error) from None


def _events(source: BinaryIO) -> Iterator[tuple[str, ElementTree.Element]]:
    """Yield starts and ends of elements.

    A piece in which nothing starts or ends is part of one long token, which the parser goes through
    again with each piece: the next piece is twice as long.
    """
    parser: Any = ElementTree.XMLPullParser(("start", "end"))  # of events of any kind, for types
    size = _PIECE
    while piece := source.read(size):
        parser.feed(piece)
        size *= 2
        for event in parser.read_events():
            size = _PIECE
            yield event
    parser.close()
    yield from parser.read_events()


def declared_encoding(raw: bytes) -> str:
    """Return the encoding that some XML declares; UTF-8 if it declares none.

    >>> declared_encoding(b"<?xml version='1.0' encoding='latin-1'?><a/>")
    'latin-1'
    """
    declared = re.match(rb"""\s*<\?xml[^>]*\bencoding=["']([\w.-]+)""", raw)
    return declared[1].decode() if declared else "utf-8"


def _invalid(source: BinaryIO, location: str, error: Exception) -> InputError:
    """Return the error for what is not valid: bytes of another encoding, or a file cut off."""
    source.seek(0)
    raw = source.read()
    if declared_encoding(raw).lower() == "utf-8" and not raw.startswith(UTF_16_MARKS):
        try:
            raw.decode()
        except UnicodeDecodeError as odd:
            if "end of data" not in odd.reason:
                line = raw.count(b"\n", 0, odd.start) + 1
                return InputError(
                    f"{location}:{line}: byte 0x{raw[odd.start]:02x} is not utf-8, which XML is"
                    " unless its first line names another encoding, as <?xml version='1.0'"
                    " encoding='latin-1'?> does; name it there, or save the file as UTF-8"
                )
    is_cut = getattr(error, "code", 0) in _AT_THE_END
    advice = "the file may be cut off: export it again" if is_cut else "mend it, or export it again"
    return InputError(f"{location}: not valid XML ({error}); {advice}")


class _RootReachedError(Exception):
    """The root begins, behind which nothing is declared."""


def _refuse_entities(source: BinaryIO, location: str) -> None:
    """Refuse entities, which stand before the root; a document type by itself is harmless."""

    def declared(name: str, *_: Any) -> NoReturn:
        raise InputError(
            f"{location}: declares the entity {quote_value(name)}; XML with entities is not read:"
            " delete <!ENTITY …> if you trust the file"
        )

    def begun(*_: Any) -> NoReturn:
        raise _RootReachedError

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = declared
    parser.StartElementHandler = begun
    size = _PIECE
    try:
        while piece := source.read(size):
            parser.Parse(piece)
            size *= 2
    except _RootReachedError:
        pass
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _invalid(source, location, error) from None
