"""Tokens in a row, which are strings only once somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

_END = ord("\n")
_PORTION = 1 << 20  # bytes that are parted in one go


class TokenBytes(Sequence[str]):
    """Tokens as bytes, equal to any other sequence of the same strings.

    >>> words = TokenBytes(b"Jo\\nsings\\n", 2)
    >>> words == ("Jo", "sings"), words[1], len(words)
    (True, 'sings', 2)
    """

    def __init__(self, joined: bytes, count: int) -> None:
        """Make it of so many tokens with a newline behind each; none has one inside."""
        self._joined, self._count = joined, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        return self._words[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TokenBytes):
            return self._joined == other._joined
        return self._words == other

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # compared by content

    def unlike(self, other: TokenBytes) -> list[int]:
        """Return the places where two rows of tokens differ, as far as both go.

        >>> TokenBytes(b"Jo\\nsang\\nto\\n", 3).unlike(TokenBytes(b"Jo\\nsings\\nme\\nso\\n", 4))
        [1, 2]
        """
        count = min(len(self), len(other))
        both = [np.frombuffer(words._joined, np.uint8) for words in (self, other)]
        ends = [np.flatnonzero(text == _END)[:count] for text in both]
        sizes = [np.diff(end, prepend=-1) for end in ends]
        differs = sizes[0] != sizes[1]
        alike = [
            text[: size.sum()][np.repeat(~differs, size)]
            for text, size in zip(both, sizes, strict=True)
        ]
        size = sizes[0][~differs]  # with the end of a token none is empty
        if len(size):
            other_bytes = np.logical_or.reduceat(alike[0] != alike[1], np.cumsum(size) - size)
            differs[~differs] = other_bytes
        return np.flatnonzero(differs).tolist()

    @cached_property
    def _words(self) -> tuple[str, ...]:
        """The tokens as strings; equal ones are one."""
        known: dict[str, str] = {}
        words: list[str] = []
        at = 0
        while at < len(self._joined):
            end = self._joined.find(b"\n", at + _PORTION) + 1 or len(self._joined)
            some = self._joined[at:end].decode(errors="surrogatepass").split("\n")[:-1]
            words += map(known.setdefault, some, some)
            at = end
        return tuple(words)


class LazyTokens:
    """The tokens of a corpus: :class:`TokenBytes` become a tuple when they are first asked for."""

    def __get__(self, content: object, kind: object = None) -> tuple[str, ...] | None:
        if content is None:
            return None  # the default
        words: tuple[str, ...] | TokenBytes | None = vars(content)["tokens"]
        if isinstance(words, TokenBytes):
            words = vars(content)["tokens"] = tuple(words)
        return words

    def __set__(self, content: object, words: Sequence[str] | None) -> None:
        vars(content)["tokens"] = words


WHEN_ASKED = LazyTokens()
