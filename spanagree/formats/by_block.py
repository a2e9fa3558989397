"""Readers that return a corpus, or with ``block`` several, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, overload

from spanagree.corpus.corpus import Corpus


class ReadsBlocks(Protocol):
    """A reader whose result is one corpus, unless a block is asked for."""

    @overload
    def __call__(self, source: Any, /, *, block: None = None, **options: Any) -> Corpus: ...

    @overload
    def __call__(self, source: Any, /, *, block: int, **options: Any) -> Iterator[Corpus]: ...


def by_block(read: Callable[..., Corpus | Iterator[Corpus]]) -> ReadsBlocks:
    """Return the same reader, with the type that says what comes back."""
    return read  # type: ignore[return-value]  # which of the two it is goes by the value of block
