"""Parser of signatures, which are the settings of a result in one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from spanagree.corpus.segments import UNIT_OF_TIME
from spanagree.errors import InputError, quote_value
from spanagree.signature import RESULT_KEYS, SETTINGS, Escaped

_NUMBER = r"-?[0-9]{1,99}(\.[0-9]{1,99})?(e[+-][0-9]{1,3})?"
_POSITIVE = _NUMBER.removeprefix("-?")
_NUMBERS = f"{_NUMBER}(,{_NUMBER})*"
_WORD = "[a-z][a-z0-9_-]*"
_WORDS = rf"{_WORD}(\+{_WORD})*"
_SCHEME = "[A-Za-z0-9]{1,9}"


class _ValueType(NamedTuple):
    """Type of values in a signature: pattern and parser."""

    pattern: str
    parse: Callable[[str], Any] = str


def _parse_numbers(text: str) -> list[float]:
    """Parse numbers that are separated by commas."""
    return [float(item) for item in text.split(",")]


def _parse_classes(text: str) -> str | list[float]:
    """Parse the distribution of classes, which are numbers or estimated."""
    return text if text == "estimated" else _parse_numbers(text)


VALUE_TYPES = {
    "word": _ValueType(_WORD),
    "counted": _ValueType(f"{_WORD}|{UNIT_OF_TIME.pattern}"),
    "match": _ValueType(rf"{_WORD}(\.[0-9]+)?"),
    "text": _ValueType("[^|]*", Escaped),  # text of a user
    "whole": _ValueType("0|[1-9][0-9]{0,99}", int),
    "yes or no": _ValueType("yes|no", lambda text: text == "yes"),
    "number": _ValueType(_NUMBER, float),
    "numbers": _ValueType(_NUMBERS, _parse_numbers),
    "classes": _ValueType(f"estimated|{_NUMBERS}", _parse_classes),
    "scheme": _ValueType(rf"auto\(({_SCHEME}(,{_SCHEME})*)?\)|{_SCHEME}"),
    "interval": _ValueType(rf"[a-z-]+{_POSITIVE}(\+[a-z-]+{_POSITIVE})*"),
    "samples": _ValueType(_WORDS),
    "words": _ValueType(_WORDS, lambda text: text.split("+")),
    "ignored": _ValueType("ignored", lambda _: True),
    "version": _ValueType(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}([.+-]?[a-z]{1,9}[0-9]{0,9}){0,3}"),
}
"""Types of values in signatures, by their name in :data:`spanagree.signature.SETTINGS`."""

_KEYS = {setting.signature_key: key for key, setting in SETTINGS.items() if setting.signature_key}
"""Keys of settings by their key in a signature, if it differs."""


def parse_signature(line: str) -> dict[str, Any]:
    """Parse the settings in a signature; the signature can be rebuilt from them.

    Names of users stay escaped, and detected schemes are no longer assigned to layers.

    Raises:
        InputError: if it is not a signature; the message names the wrong part.

    >>> parse_signature("match:exact|strict:no|spanagree:1.0.0")
    {'match': 'exact', 'strict': False, 'version': '1.0.0'}
    """
    values: dict[str, str] = {}
    signature = line.strip().removeprefix("signature:").strip()
    signature = re.sub(r"(?<=\|)\s+|(?<=,)\r?\n {0,2}", "", signature)  # pages break long lines
    for entry in signature.split("|"):
        key, colon, value = entry.partition(":")
        if not colon:
            raise InputError(
                f"signature: {quote_value(entry)}; key:value, with | between, is needed"
            )
        key = _KEYS.get(key, key)
        if key not in SETTINGS:
            raise InputError(
                f"signature: unknown key {quote_value(key)}; a line that stands below a table is"
                " needed"
            )
        if key in values:
            raise InputError(f"signature: the key {key} comes twice; name it once")
        value_type = VALUE_TYPES[SETTINGS[key].value_type]
        if not re.fullmatch(value_type.pattern, value, re.ASCII) or not value.isprintable():
            raise InputError(
                f"signature: {key}: {quote_value(value)} is not a value that it can have; copy the"
                " line from below a table"
            )
        values[key] = value
    if "spanagree" not in values:
        raise InputError(
            "signature: no spanagree:VERSION, which ends each; copy the line to its end"
        )
    return {
        name: parsed_value
        for key, value in values.items()
        for name, parsed_value in _parse_entry(key, value).items()
    }


def _parse_entry(key: str, value: str) -> Mapping[str, Any]:
    """Parse the value of one key of a signature as settings; some keys have other names there."""
    if key == "scheme" and value.startswith("auto("):
        names = [name for name in value[5:-1].split(",") if name]
        return {key: "auto", "schemes": {name: name for name in names}}
    parsed_value = VALUE_TYPES[SETTINGS[key].value_type].parse(value)
    if key == "gold":  # signatures name gold only if it is not the first layer
        return {key: parsed_value, "gold_first": False}
    return {RESULT_KEYS.get(key, key): parsed_value}
