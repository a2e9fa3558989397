"""Patterns in the sense of the shell, which name several files at once."""

from __future__ import annotations

import glob
import os
import re

from spanagree.errors import InputError, escape_name, quote_value
from spanagree.files import PathName

_CLASS = r"\[(?:\[[^\]\[/]*|[^\]\[/]+)\]"  # a bracket inside only as the first
_WILD = re.compile(rf"[*?]|{_CLASS}")
_PIECE = re.compile(rf"\*\*/|\*\*|[*?]|{_CLASS}|[^*?\[]+|\[")


def has_pattern(path: PathName) -> bool:
    """Return whether a path is a pattern rather than a file."""
    return bool(_WILD.search(os.fspath(path))) and not os.path.exists(path)


def matches(pattern: PathName) -> list[str]:
    """Return the files that a pattern fits, sorted, or the plain path.

    Raises:
        InputError: for what is not a path, or a pattern that no file fits.
    """
    if not isinstance(pattern, (str, os.PathLike)):
        raise InputError(f"{quote_value(pattern)}; the name of a file, or a pattern, is needed")
    text = os.fspath(pattern)
    paths = sorted(glob.glob(text, recursive=True)) if has_pattern(text) else [text]
    if not paths:
        raise InputError(f"{escape_name(text)}: no file fits this pattern")
    return paths


def folder_of(pattern: PathName) -> str:
    """Return the folder in which all files of a pattern are, as deep as it is named.

    >>> folder_of("annotation/*/ann.tsv"), folder_of("flat/*.xmi")
    ('annotation', 'flat')
    """
    parts = os.fspath(pattern).split(os.sep)
    wild = next((i for i, part in enumerate(parts) if _WILD.search(part)), len(parts) - 1)
    return os.sep.join(parts[:wild])


def stars_of(pattern: PathName, path: str) -> tuple[str, ...]:
    """Return what the stars of a pattern stand for in a path.

    >>> stars_of("a/*-[12].conll", "a/gold-2.conll")
    ('gold', '2')
    """
    parts = {"**/": "(.*/)?", "**": "(.*)", "*": "([^/]*)", "?": "([^/])"}
    regex = "".join(
        parts.get(p) or (_any_of(p[1:-1]) if p[0] + p[-1] == "[]" else re.escape(p))
        for p in _PIECE.findall(os.fspath(pattern))
    )
    try:
        match = re.fullmatch(regex, path)
    except re.error:  # a range that runs backwards
        match = None
    return tuple(part or "" for part in match.groups()) if match else ()


def _any_of(characters: str) -> str:
    """Return the expression for one of the characters that a pattern has in brackets."""
    others = characters.startswith("!")
    inside = re.escape(characters[others:]).replace(r"\-", "-")
    return f"([{'^' * others}{inside}])"
