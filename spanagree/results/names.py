"""Names side by side, without what they have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BORDER = re.compile(r"[^\W_]+|[\W_]+")  # words, and what stands between them


def common_parts(names: Sequence[str]) -> tuple[str, str]:
    """Return what all names begin with and what all end with, in whole words.

    What is left of each name has a letter in it, so that a name never becomes a bare number.

    >>> common_parts(["ner-large-alpha.conll", "ner-large-beta.conll"])
    ('ner-large-', '.conll')
    >>> common_parts(["annotator 1", "annotator 2"]), common_parts(["mine.conll"])
    (('', ''), ('', ''))
    """
    if len(set(names)) < 2:
        return "", ""
    begin = _words(names)
    end = [part[::-1] for part in _words([name[::-1] for name in names])]
    while begin or end:
        before, after = "".join(begin), "".join(end[::-1])
        rest = [name[len(before) : len(name) - len(after)] for name in names]
        fits = min(map(len, names)) > len(before) + len(after)
        if fits and all(any(map(str.isalpha, left)) for left in rest):
            return before, after
        # the last word that is given up is a step towards a name that can be read
        begin, end = (begin[:-2], end) if begin else (begin, end[:-2])
    return "", ""


def _words(names: Sequence[str]) -> list[str]:
    """Return the words, and what stands between them, that all names begin with."""
    parts = [_BORDER.findall(name) for name in names]
    shared = []
    for same in zip(*parts, strict=False):
        if len(set(same)) > 1:
            break
        shared.append(same[0])
    # a word at the end is only a part of what the names say: there is a border behind it
    return shared[:-1] if shared and shared[-1][0].isalnum() else shared


def short_names(names: Sequence[str]) -> list[str]:
    """Return the names without what all of them begin and end with.

    >>> short_names(["ner-large-alpha.conll", "ner-large-beta.conll"])
    ['alpha', 'beta']
    """
    before, after = common_parts(names)
    return [name[len(before) : len(name) - len(after)] for name in names]
