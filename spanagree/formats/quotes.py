"""Quotes of a text, as language models give them in place of offsets: where each stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from spanagree.corpus.offsets import Place, places_of
from spanagree.errors import counted, percent, printable
from spanagree.formats.changed_texts import nearest, plain


class Quotes:
    """Places quotes, and counts for each annotator those that are not in the text."""

    def __init__(self, *, align: bool = False) -> None:
        self.align = align
        self.exact: Counter[str] = Counter()
        self.loose: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()

    def place(self, text: Place, quote: str, number: int, annotator: str) -> tuple[int, int] | None:
        """Return where a quote stands for the time of a ``number``, from 0; ``None``: it does not.

        In tokens, it stands where whole tokens say it, whatever is between them.
        If it does not stand there exactly, it may but for case, white space, and the kind of
        quotation marks; if it nowhere does, and that is to be aligned, where it is like it.
        """
        spans = occurrences(text, quote)
        counts = self.exact
        if len(spans) <= number:
            spans, counts = loose_occurrences(text, quote), self.loose
        as_text = text if isinstance(text, str) else None  # tokens are not aligned
        if self.align and as_text is not None and not spans and (near := nearest(as_text, quote)):
            spans, counts = [near], self.changed
        if number < 0 or len(spans) <= number:
            self.lost[annotator] += 1
            return None
        counts[annotator] += 1
        return spans[number]

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return for each annotator the number of quotes, and of those that are not in the text."""
        kinds = (self.exact, self.loose, self.changed, self.lost)
        annotators = dict.fromkeys(name for kind in kinds for name in kind)
        return {name: (sum(kind[name] for kind in kinds), self.lost[name]) for name in annotators}

    def notes(self, before: str) -> Iterator[str]:
        """Yield for each annotator how many quotes were placed, and which share was not."""
        for name, (quotes, lost) in self.counts().items():
            loose = f", {self.loose[name]} of them but for case, white space or quotation marks"
            near = f", {self.changed[name]} of them where the text is nearly the same"
            yield (
                f"{before}{f'{printable(name)}: ' if name else ''}{counted(quotes, 'quote')} in"
                f" place of offsets, {lost} ({percent(lost / quotes, 1)}) not in the text and left"
                f" out, the others found{loose if self.loose[name] else ''}"
                f"{near if self.changed[name] else ''}"
            )


def occurrences(text: Place, quote: str) -> list[tuple[int, int]]:
    """Return where a quote stands in a text, or in tokens.

    >>> occurrences("to be or not to be", "to be"), occurrences(["New", "York", "."], "York.")
    ([(0, 5), (13, 18)], [(1, 3)])
    """
    spans: list[tuple[int, int]] = []
    if not isinstance(text, str):
        for start, end in places_of(text, quote):
            if not spans or spans[-1][1] <= start:
                spans.append((start, end))
        return spans
    at = text.find(quote) if quote else -1
    while at >= 0:
        spans.append((at, at + len(quote)))
        at = text.find(quote, at + len(quote))
    return spans


def loose_occurrences(text: Place, quote: str) -> list[tuple[int, int]]:
    """Return where a quote stands but for case, white space and the kind of quotation marks.

    >>> loose_occurrences("She said “New\\n York”.", '"new york"')
    [(9, 20)]
    """
    if not isinstance(text, str):
        return occurrences([plain(token)[0] for token in text], plain(quote.strip())[0])
    (there, places), (wanted, _) = plain(text), plain(quote.strip())
    return [(places[a], places[b - 1] + 1) for a, b in occurrences(there, wanted)]
