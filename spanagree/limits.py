"""Limits on what a small input may cost; the environment sets them, for the commands and Python."""

from __future__ import annotations

import os
import zlib

from spanagree.errors import InputError, SettingError, quote_value

EXPANSION = "SPANAGREE_EXPANSION"
"""The variable that says to how many times its size a file may expand."""


NUMBERS = "SPANAGREE_NUMBERS"
"""The variable that says how many numbers, of 8 bytes, one shape of a document may take."""


_UNLESS_SET = {EXPANSION: 50, NUMBERS: 10**8}


_ALWAYS = 1 << 24  # bytes that every file may expand to


class CostError(SettingError):
    """A computation that takes more numbers than are allowed."""


def limit(name: str) -> int:
    """Return a limit: what the environment says, or else our own.

    Raises:
        SettingError: for another value than a whole number from 1.
    """
    given = os.environ.get(name, "") or str(_UNLESS_SET[name])
    if not (given.isascii() and given.isdigit() and len(given) < 19 and int(given)):
        raise SettingError(f"{name} {quote_value(given)}; a whole number from 1 is needed")
    return int(given)


def check_expansion(name: str, packed: int, size: int) -> None:
    """Refuse a file of ``packed`` bytes that expands to ``size``, if that is beyond the limit.

    Raises:
        InputError: naming the limit and the variable that sets it.
        SettingError: as :func:`limit`.
    """
    if size > _ALWAYS and size > (times := limit(EXPANSION)) * packed:
        raise InputError(
            f"{name}: its {packed} bytes expand to more than {times} times as many, which only"
            f" files up to {_ALWAYS >> 20} MiB may; if you trust it, set {EXPANSION}={10 * times}"
        )


def check_zlib(name: str, data: bytes) -> None:
    """Refuse what zlib would expand beyond the limit, without keeping what it expands to.

    Raises:
        InputError: as :func:`check_expansion`.
        zlib.error: for damaged data.
    """
    decoder, size = zlib.decompressobj(), 0
    for at in range(0, len(data), 1 << 16):
        piece = data[at : at + (1 << 16)]
        while piece:
            size += len(decoder.decompress(piece, 1 << 20))
            check_expansion(name, len(data), size)
            piece = decoder.unconsumed_tail


def check_cost(numbers: float, purpose: str) -> None:
    """Refuse a computation that takes so many numbers, if that is beyond the limit.

    Raises:
        CostError: naming the purpose, the limit and the variable that sets it.
    """
    most = limit(NUMBERS)
    if numbers > most:
        raise CostError(
            f"{purpose} takes {numbers:.3g} numbers, and {most:.3g} are allowed; set"
            f" {NUMBERS}={10 ** len(str(int(numbers)))} if there is memory and time for them"
        )
