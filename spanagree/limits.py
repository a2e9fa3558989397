"""Limits on the cost of small inputs, set by the environment for commands and Python."""

from __future__ import annotations

import os
import zlib

from spanagree.errors import InputError, SettingError, quote_value

EXPANSION = "SPANAGREE_EXPANSION"
"""Name of the variable with the largest ratio of unpacked to packed size."""


NUMBERS = "SPANAGREE_NUMBERS"
"""Name of the variable with the largest count of 8-byte numbers for one shape of a document."""


_DEFAULTS = {EXPANSION: 50, NUMBERS: 10**8}


_FREE_SIZE = 1 << 24  # bytes to which every file may expand


class CostError(SettingError):
    """Error for a computation that takes more numbers than are allowed."""


def look_up_limit(name: str) -> int:
    """Look up a limit in the environment, or its default.

    Raises:
        SettingError: if the value is not an integer from 1.
    """
    text = os.environ.get(name, "") or str(_DEFAULTS[name])
    if not (text.isascii() and text.isdigit() and len(text) < 19 and int(text)):
        raise SettingError(f"{name} {quote_value(text)}; a whole number from 1 is needed")
    return int(text)


def check_expansion(name: str, packed: int, size: int) -> None:
    """Check that a file of ``packed`` bytes may expand to ``size`` bytes.

    Raises:
        InputError: if it may not; the message names the limit and the variable that sets it.
        SettingError: if the variable is invalid; see :func:`look_up_limit`.
    """
    if size > _FREE_SIZE and size > (ratio := look_up_limit(EXPANSION)) * packed:
        raise InputError(
            f"{name}: its {packed} bytes expand to more than {ratio} times as many, which only"
            f" files up to {_FREE_SIZE >> 20} MiB may; if you trust it, set"
            f" {EXPANSION}={10 * ratio}"
        )


def check_zlib(name: str, data: bytes) -> None:
    """Check the size of zlib data while unpacking it piece by piece.

    Raises:
        InputError: if it expands too much; see :func:`check_expansion`.
        zlib.error: for damaged data.
    """
    decoder, size = zlib.decompressobj(), 0
    for start in range(0, len(data), 1 << 16):
        piece = data[start : start + (1 << 16)]
        while piece:
            size += len(decoder.decompress(piece, 1 << 20))
            check_expansion(name, len(data), size)
            piece = decoder.unconsumed_tail


def check_cost(numbers: float, purpose: str) -> None:
    """Check that a computation may take so many numbers.

    Raises:
        CostError: if it may not; the message names the limit and the variable that sets it.
    """
    maximum = look_up_limit(NUMBERS)
    if numbers > maximum:
        raise CostError(
            f"{purpose} takes {numbers:.3g} numbers, and {maximum:.3g} are allowed; set"
            f" {NUMBERS}={10 ** len(str(int(numbers)))} if there is memory and time for them"
        )
