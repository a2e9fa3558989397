"""What is read from standard input, which can be looked at only once."""

from __future__ import annotations

import sys
from typing import Any

from spanagree.errors import InputError, listed
from spanagree.formats.peek import peek_text
from spanagree.formats.unrecognised import header_of
from spanagree.formats.usual_names import keys_of

FROM_STDIN = ("conll", "jsonl", "label-studio", "prodigy", "doccano", "mqm", "pubtator")
"""The formats whose readers take a text as it comes."""


def check_stdin(form: str | None) -> None:
    """Refuse standard input in a format that needs a file, or that is not CoNLL and not named.

    Raises:
        InputError: for these, with the formats that can be named.
    """
    if form is not None and form not in (*FROM_STDIN, "hub"):  # whose own error names are better
        raise InputError(
            f"-: {form} is not read from standard input ({', '.join(FROM_STDIN)} are); name a file"
        )
    buffer: Any = getattr(sys.stdin, "buffer", None)
    if form is not None or not hasattr(buffer, "peek"):
        return
    start = peek_text("-", buffer.peek(1))
    kind = {"json": "JSON", "jsonl": "JSON", "xml": "XML"}.get(start.shape, "")
    if {"start", "end"} <= keys_of(tuple(header_of(start))).keys():
        kind = "a table of spans"
    if kind:
        raise InputError(
            f"-: {kind} on standard input, which is read as CoNLL; name its format with --from"
            f" ({listed(FROM_STDIN[1:])}), or name a file"
        )
