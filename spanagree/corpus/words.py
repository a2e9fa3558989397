"""Sequences of tokens that are decoded to strings on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

_END = ord("\n")
_PORTION = 1 << 20  # number of bytes that are split together


class TokenBytes(Sequence[str]):
    """Tokens as bytes, equal to any other sequence with the same strings.

    >>> words = TokenBytes(b"Jo\\nsings\\n", 2)
    >>> words == ("Jo", "sings"), words[1], len(words)
    (True, 'sings', 2)
    """

    def __init__(self, joined: bytes, count: int) -> None:
        """Store tokens that are each followed by a newline, and contain none."""
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

    def find_differences(self, other: TokenBytes) -> list[int]:
        """Find the indices at which two token sequences differ, up to the end of the shorter.

        >>> longer = TokenBytes(b"Jo\\nsings\\nme\\nso\\n", 4)
        >>> TokenBytes(b"Jo\\nsang\\nto\\n", 3).find_differences(longer)
        [1, 2]
        """
        n_compared = min(len(self), len(other))
        byte_arrays = [np.frombuffer(words._joined, np.uint8) for words in (self, other)]
        ends = [np.flatnonzero(text == _END)[:n_compared] for text in byte_arrays]
        sizes = [np.diff(end, prepend=-1) for end in ends]
        is_different = sizes[0] != sizes[1]
        comparable = [
            text[: size.sum()][np.repeat(~is_different, size)]
            for text, size in zip(byte_arrays, sizes, strict=True)
        ]
        size = sizes[0][~is_different]  # no token is empty, with its newline
        if len(size):
            other_bytes = np.logical_or.reduceat(
                comparable[0] != comparable[1], np.cumsum(size) - size
            )
            is_different[~is_different] = other_bytes
        return np.flatnonzero(is_different).tolist()

    @cached_property
    def _words(self) -> tuple[str, ...]:
        """Tokens as strings; equal tokens share one string."""
        interned: dict[str, str] = {}
        words: list[str] = []
        position = 0
        while position < len(self._joined):
            end = self._joined.find(b"\n", position + _PORTION) + 1 or len(self._joined)
            new_words = self._joined[position:end].decode(errors="surrogatepass").split("\n")[:-1]
            words += map(interned.setdefault, new_words, new_words)
            position = end
        return tuple(words)


class LazyTokens:
    """Descriptor of the tokens of a corpus; :class:`TokenBytes` become a tuple at first access."""

    def __get__(self, content: object, owner: object = None) -> tuple[str, ...] | None:
        if content is None:
            return None  # default of the field
        words: tuple[str, ...] | TokenBytes | None = vars(content)["tokens"]
        if isinstance(words, TokenBytes):
            words = vars(content)["tokens"] = tuple(words)
        return words

    def __set__(self, content: object, words: Sequence[str] | None) -> None:
        vars(content)["tokens"] = words


WHEN_ASKED = LazyTokens()
