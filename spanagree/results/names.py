"""Names for display next to each other, without the prefix and suffix that all have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BORDER = re.compile(r"[^\W_]+|[\W_]+")  # words, and the characters between them


def find_common_parts(names: Sequence[str]) -> tuple[str, str]:
    """Find the longest prefix and suffix of whole words that all names have in common.

    The rest of each name has a letter, so that a shortened name is never a bare number.

    >>> find_common_parts(["ner-large-alpha.conll", "ner-large-beta.conll"])
    ('ner-large-', '.conll')
    >>> find_common_parts(["annotator 1", "annotator 2"]), find_common_parts(["mine.conll"])
    (('', ''), ('', ''))
    """
    if len(set(names)) < 2:
        return "", ""
    first_words = _list_common_words(names)
    last_words = [word[::-1] for word in _list_common_words([name[::-1] for name in names])]
    while first_words or last_words:
        prefix, suffix = "".join(first_words), "".join(last_words[::-1])
        middles = [name[len(prefix) : len(name) - len(suffix)] for name in names]
        are_disjoint = min(map(len, names)) > len(prefix) + len(suffix)
        if are_disjoint and all(any(map(str.isalpha, middle)) for middle in middles):
            return prefix, suffix
        # drop words of the prefix, then of the suffix, until each name has a letter
        first_words, last_words = (
            (first_words[:-2], last_words) if first_words else (first_words, last_words[:-2])
        )
    return "", ""


def _list_common_words(names: Sequence[str]) -> list[str]:
    """List the words that all names begin with, and the characters between these words."""
    words_by_name = [_BORDER.findall(name) for name in names]
    common_words = []
    for words in zip(*words_by_name, strict=False):
        if len(set(words)) > 1:
            break
        common_words.append(words[0])
    # a word at the end may be a part of a longer word: it has no border after it
    return common_words[:-1] if common_words and common_words[-1][0].isalnum() else common_words


def truncate_names(names: Sequence[str], longest: int) -> list[str]:
    """Truncate long names at the end, in the middle or at the start, so that most stay distinct.

    >>> truncate_names(["encoder-alpha-crf", "encoder-beta-crf"], 10)
    ['encoder-a…', 'encoder-b…']
    """
    candidates = []
    for n_last in (0, longest // 2, longest - 1):  # characters after the ellipsis
        truncations = (
            f"{name[: longest - 1 - n_last]}…{name[len(name) - n_last :]}" for name in names
        )
        pairs = zip(names, truncations, strict=True)
        candidates.append([name if len(name) <= longest else short for name, short in pairs])
    return max(candidates, key=lambda candidate: len(set(candidate)))


def shorten_names(names: Sequence[str]) -> list[str]:
    """Return the names without their common prefix and suffix.

    >>> shorten_names(["ner-large-alpha.conll", "ner-large-beta.conll"])
    ['alpha', 'beta']
    """
    prefix, suffix = find_common_parts(names)
    return [name[len(prefix) : len(name) - len(suffix)] for name in names]
