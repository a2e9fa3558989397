"""XML as elements one after the other, without entities, which could expand or lead elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

from spanagree.errors import InputError, show

_DEEPEST = 500


def elements(source: BinaryIO, where: str) -> Iterator[ElementTree.Element]:
    """Yield the children of the root, each when it is complete; what was yielded is forgotten.

    Raises:
        InputError: for what is not valid XML, is nested too deeply, or declares an entity.
    """
    for element, root in _completed(source, where):
        if element is not root:
            yield element
            root.clear()


def tree(source: BinaryIO, where: str) -> ElementTree.Element:
    """Return the root, with all that is in it.

    Raises:
        InputError: as for :func:`elements`.
    """
    *_, (_, root) = _completed(source, where)
    return root


def name_of(element: ElementTree.Element) -> str:
    """Return an element's name without its namespace; a comment has none."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _completed(
    source: BinaryIO, where: str
) -> Iterator[tuple[ElementTree.Element, ElementTree.Element]]:
    """Yield each child of the root when it is complete, then the root, each with the root."""
    _refuse_entities(source, where)
    source.seek(0)
    depth = 0
    root = None
    try:
        for event, element in ElementTree.iterparse(source, ("start", "end")):
            if event == "start":
                root = element if root is None else root
                depth += 1
                if depth > _DEEPEST:
                    raise InputError(
                        f"{where}: elements inside each other, more than {_DEEPEST} deep; export"
                        " the file again"
                    )
                continue
            depth -= 1
            if depth <= 1 and root is not None:
                yield element, root
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        if isinstance(error, InputError):
            raise
        raise _invalid(where, error) from None


def _invalid(where: str, error: Exception) -> InputError:
    return InputError(f"{where}: not valid XML ({error}); the file may be cut off: export it again")


class _BegunError(Exception):
    """The root begins, behind which nothing is declared."""


def _refuse_entities(source: BinaryIO, where: str) -> None:
    """Refuse entities, which stand before the root; a document type by itself is harmless."""

    def declared(name: str, *_: Any) -> NoReturn:
        raise InputError(
            f"{where}: declares the entity {show(name)}; XML with entities is not read: delete"
            " <!ENTITY …> if you trust the file"
        )

    def begun(*_: Any) -> NoReturn:
        raise _BegunError

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = declared
    parser.StartElementHandler = begun
    try:
        while piece := source.read(1 << 16):
            parser.Parse(piece)
    except _BegunError:
        pass
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _invalid(where, error) from None
