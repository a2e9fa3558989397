"""Shell patterns that match several files."""

from __future__ import annotations

import glob
import os
import re

from spanagree.errors import InputError, escape_name, quote_value
from spanagree.files import PathName

_CLASS = r"\[(?:\[[^\]\[/]*|[^\]\[/]+)\]"  # an inner bracket only at the start
_WILDCARD = re.compile(rf"[*?]|{_CLASS}")
_PIECE = re.compile(rf"\*\*/|\*\*|[*?]|{_CLASS}|[^*?\[]+|\[")


def has_pattern(path: PathName) -> bool:
    """Check whether a path is a pattern rather than a file."""
    return bool(_WILDCARD.search(os.fspath(path))) and not os.path.exists(path)


def find_matches(pattern: PathName) -> list[str]:
    """Find the files that match a pattern, sorted, or return the plain path.

    Raises:
        InputError: if the argument is no path, or no file matches the pattern.
    """
    if not isinstance(pattern, (str, os.PathLike)):
        raise InputError(f"{quote_value(pattern)}; the name of a file, or a pattern, is needed")
    text = os.fspath(pattern)
    paths = sorted(glob.glob(text, recursive=True)) if has_pattern(text) else [text]
    if not paths:
        raise InputError(f"{escape_name(text)}: no file fits this pattern")
    return paths


def find_common_folder(pattern: PathName) -> str:
    """Find the deepest folder without wildcards that contains all files of a pattern.

    >>> find_common_folder("annotation/*/ann.tsv"), find_common_folder("flat/*.xmi")
    ('annotation', 'flat')
    """
    names = os.fspath(pattern).split(os.sep)
    first_wildcard = next(
        (i for i, name in enumerate(names) if _WILDCARD.search(name)), len(names) - 1
    )
    return os.sep.join(names[:first_wildcard])


def match_stars(pattern: PathName, path: str) -> tuple[str, ...]:
    """Find the text in place of each star of a pattern in a path.

    >>> match_stars("a/*-[12].conll", "a/gold-2.conll")
    ('gold', '2')
    """
    regex_by_wildcard = {"**/": "(.*/)?", "**": "(.*)", "*": "([^/]*)", "?": "([^/])"}
    regex = "".join(
        regex_by_wildcard.get(piece)
        or (
            _build_character_class(piece[1:-1])
            if piece[0] + piece[-1] == "[]"
            else re.escape(piece)
        )
        for piece in _PIECE.findall(os.fspath(pattern))
    )
    try:
        match = re.fullmatch(regex, path)
    except re.error:  # a reversed range
        match = None
    return tuple(matched or "" for matched in match.groups()) if match else ()


def _build_character_class(characters: str) -> str:
    """Build the regular expression for characters in brackets."""
    is_negated = characters.startswith("!")
    escaped = re.escape(characters[is_negated:]).replace(r"\-", "-")
    return f"([{'^' * is_negated}{escaped}])"
