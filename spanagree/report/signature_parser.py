"""The way back from a signature to the settings that it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from spanagree.errors import InputError, show
from spanagree.settings import KEYS, SIGNED_AS, Escaped

_NUMBER = r"-?[0-9]{1,99}(\.[0-9]{1,99})?(e[+-][0-9]{1,3})?"
_NUMBERS = f"{_NUMBER}(,{_NUMBER})*"
_WORD = "[a-z][a-z0-9_-]*"
_SCHEME = "[A-Za-z0-9]{1,9}"
_PATTERNS = {
    "word": _WORD,
    "match": rf"{_WORD}(\.[0-9]+)?",
    "text": "[^|]*",  # a user's, escaped
    "whole": "0|[1-9][0-9]{0,99}",
    "yes or no": "yes|no",
    "number": _NUMBER,
    "numbers": _NUMBERS,
    "classes": f"estimated|{_NUMBERS}",
    "scheme": rf"auto\(({_SCHEME}(,{_SCHEME})*)?\)|{_SCHEME}",
    "interval": f"[a-z]+{_NUMBER}",
    "words": rf"{_WORD}(\+{_WORD})*",
    "ignored": "ignored",
    "version": r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}([.+-]?[a-z]{1,9}[0-9]{0,9}){0,3}",
}
"""How a value of each kind looks."""

SETTINGS = {signed: name for name, signed in SIGNED_AS.items()}
"""The settings that have another name in a signature."""


def settings_of(line: str) -> dict[str, Any]:
    """Return the settings that a signature names, of which it can be made again.

    What a user called things stays escaped, and it is not known any more to which layers the
    schemes belong that were recognised.

    Raises:
        InputError: for anything but a signature, naming the part.

    >>> settings_of("match:exact|strict:no|spanagree:0.1.0")
    {'match': 'exact', 'strict': False, 'version': '0.1.0'}
    """
    values: dict[str, str] = {}
    unbroken = re.sub(r"\|\s+", "|", line.strip().removeprefix("signature:").strip())
    for part in unbroken.split("|"):
        key, colon, value = part.partition(":")
        if not colon:
            raise InputError(f"signature: {show(part)}; key:value, with | between, is needed")
        key = SETTINGS.get(key, key)
        if key not in KEYS:
            raise InputError(
                f"signature: unknown key {show(key)}; a line that stands below a table is needed"
            )
        if key in values:
            raise InputError(f"signature: the key {key} comes twice; name it once")
        if not re.fullmatch(_PATTERNS[KEYS[key]], value, re.ASCII) or not value.isprintable():
            raise InputError(
                f"signature: {key}: {show(value)} is not a value that it can have; copy the line"
                " from below a table"
            )
        values[key] = value
    if "spanagree" not in values:
        raise InputError(
            "signature: no spanagree:VERSION, which ends each; copy the line to its end"
        )
    return {name: v for key, value in values.items() for name, v in _settings(key, value).items()}


def _settings(key: str, value: str) -> Mapping[str, Any]:
    """Return the settings that one part of a signature stands for."""
    match KEYS[key]:
        case "whole":
            return {key: int(value)}
        case "number":
            return {key: float(value)}
        case "yes or no":
            return {key: value == "yes"}
        case "numbers" | "classes" if value != "estimated":
            return {key: [float(number) for number in value.split(",")]}
        case "scheme" if value.startswith("auto("):
            names = [name for name in value[5:-1].split(",") if name]
            return {key: "auto", "schemes": {name: name for name in names}}
        case "words":
            return {key: value.split("+")}
        case "ignored":
            return {"ignore_tokens": True}
        case "text" if key == "gold":  # it is named where it is not the first layer
            return {key: Escaped(value), "gold_first": False}
        case "text":
            return {key: Escaped(value)}
        case "version":
            return {"version": value}
        case _:
            return {key: value}
