"""Quotes of a text, as language models give them in place of offsets: where each stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from spanagree.corpus.collector import same_text
from spanagree.errors import InputError, counted, printable, show

_ALIKE = str.maketrans(dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟″«»", '"'))


_TAG = re.compile(r"(</?[A-Za-z][\w-]{0,99}>|@@|##)")
_COPY = "but for tags and outer white space it has to be the text: ask the model to copy that"


class Quotes:
    """Places quotes, and counts for each annotator those that are not in the text."""

    def __init__(self) -> None:
        self.exact: Counter[str] = Counter()
        self.loose: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()

    def place(self, text: str, quote: str, number: int, who: str) -> tuple[int, int] | None:
        """Return where a quote stands for the time of a ``number``, from 0; ``None``: it does not.

        If it does not stand there exactly, it may but for case, white space, and the kind of
        quotation marks.
        """
        spans = occurrences(text, quote)
        counts = self.exact
        if len(spans) <= number:
            spans, counts = loose_occurrences(text, quote), self.loose
        if number < 0 or len(spans) <= number:
            self.lost[who] += 1
            return None
        counts[who] += 1
        return spans[number]

    def counts(self) -> dict[str, dict[str, int]]:
        """Return for each annotator the number of quotes, and of those that are not in the text."""
        return {
            who: {
                "read": self.exact[who] + self.loose[who] + self.lost[who],
                "unaligned": self.lost[who],
            }
            for who in {**self.exact, **self.loose, **self.lost}
        }

    def notes(self, before: str) -> Iterator[str]:
        """Yield for each annotator how many quotes were placed, and which share was not."""
        for who, (quotes, lost) in ((who, each.values()) for who, each in self.counts().items()):
            loose = f", {self.loose[who]} of them but for case, white space or quotation marks"
            yield (
                f"{before}{f'{printable(who)}: ' if who else ''}{counted(quotes, 'quote')} in place"
                f" of offsets, {lost} ({lost / quotes:.1%}) not in the text and left out, the"
                f" others found{loose if self.loose[who] else ''}"
            )


def occurrences(text: str, quote: str) -> list[tuple[int, int]]:
    """Return where a quote stands in a text.

    >>> occurrences("to be or not to be", "to be")
    [(0, 5), (13, 18)]
    """
    spans = []
    at = text.find(quote) if quote else -1
    while at >= 0:
        spans.append((at, at + len(quote)))
        at = text.find(quote, at + len(quote))
    return spans


def loose_occurrences(text: str, quote: str) -> list[tuple[int, int]]:
    """Return where a quote stands but for case, white space and the kind of quotation marks.

    >>> loose_occurrences("She said “New\\n York”.", '"new york"')
    [(9, 20)]
    """
    plain, places = _plain(text)
    wanted, _ = _plain(quote.strip())
    return [(places[a], places[b - 1] + 1) for a, b in occurrences(plain, wanted)]


def _plain(text: str) -> tuple[str, list[int]]:
    """Return a text in lower case, with one blank for white space, and where each sign was."""
    signs: list[str] = []
    places: list[int] = []
    for at, sign in enumerate(text.translate(_ALIKE)):
        lower = " " if sign.isspace() else sign.lower()
        if lower == " " and signs[-1:] == [" "]:
            continue
        signs.append(lower if len(lower) == 1 else sign)
        places.append(at)
    return "".join(signs), places


def is_copy(marked: str, text: str) -> bool:
    """Return whether something is a copy of a text, with tags or without any."""
    return bool(_TAG.search(marked)) or marked.strip() == text.strip()


def spans_in_tags(marked: str, text: str, where: str) -> list[dict[str, Any]]:
    """Return the spans in a copy of a text with ``<PER>Jo</PER>`` or ``@@Jo##`` written into it.

    What stands in the text itself is not a tag.

    Raises:
        InputError: for a copy that differs from the text, showing the first difference; for tags
            that are not opened or not closed.

    >>> spans_in_tags("<PER>Jo</PER> sings", "Jo sings", "row 1")
    [{'start': 0, 'end': 2, 'label': 'PER'}]
    """
    inner = text.strip()
    at = before = len(text) - len(text.lstrip())
    plain: list[str] = []
    open_: list[tuple[str, int]] = []
    spans: list[dict[str, Any]] = []
    for i, piece in enumerate(_TAG.split(marked.strip())):
        if i % 2 == 0 or inner.startswith(piece, at - before):
            plain.append(piece)
            at += len(piece)
        elif piece == "@@" or (piece[0] == "<" and piece[1] != "/"):
            open_.append((piece.strip("<>"), at))
        elif open_ and open_[-1][0] == ("@@" if piece == "##" else piece[2:-1]):
            label, start = open_.pop()
            own = {} if label == "@@" else {"label": label}
            spans.append({"start": start, "end": at, **own})
        else:
            raise InputError(f"{where}: {show(piece)} closes what is not open; tags are in pairs")
    same_text("".join(plain), inner, where, _COPY)
    for label, _ in open_:
        raise InputError(f"{where}: {show(label)} is opened and not closed; tags are in pairs")
    return spans
