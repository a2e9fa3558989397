"""How tests hold messages: by what they must say, and not by their prose."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from spanagree.errors import InputError


def says(message: object, needed: str) -> None:
    """Fail unless a message has the parts of ``needed``, those between "…", in this order.

    It begins with the first of them, unless "…" stands before that. A part is not found inside a
    longer word or number: ":1" is not in ":12".
    """
    __tracebackhide__ = True
    said, at = str(message), 0
    parts = [part.strip() for part in needed.split("…")]
    assert any(parts), "nothing is needed of the message: name its parts"
    for number, part in enumerate(parts):
        pattern = (
            (r"(?<!\w)" if re.match(r"\w", part) else "")
            + re.escape(part)
            + (r"(?!\w)" if re.search(r"\w$", part) else "")
        )
        compiled = re.compile(pattern)
        found = compiled.match(said) if number == 0 else compiled.search(said, at)
        if found is None:
            location = "at the beginning" if number == 0 else f"behind {said[:at][-40:]!r}"
            pytest.fail(
                f"no {part!r} {location}\nneeded:  {needed}\nmessage: {said}", pytrace=False
            )
        at = found.end()


def check_refused(
    read: Callable[[Any], Any], write: Callable[[Any], Any], content: Any, needed: str
) -> None:
    """Fail unless what is written is refused when it is read; ``{0}`` in ``needed`` is where."""
    __tracebackhide__ = True
    path = write(content)
    with refuses(InputError, needed.format(path)):
        read(path)


@contextmanager
def refuses(
    kind: type[Exception] | tuple[type[Exception], ...], needed: str
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Fail unless what is inside raises an error whose message, one line, says what is needed."""
    __tracebackhide__ = True
    with pytest.raises(kind) as error:
        yield error
    assert "\n" not in str(error.value), f"a message of several lines: {error.value}"
    says(error.value, needed)
