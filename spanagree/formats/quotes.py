"""Quotes of a text, as language models give them in place of offsets: where each stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from unicodedata import normalize

from spanagree.corpus.normal_form import composed
from spanagree.corpus.offsets import Place, places_of
from spanagree.errors import escape_name, percent, pluralize
from spanagree.formats.changed_texts import cuts_word, nearest, plain

Bounds = tuple[int, int]
"""Where a quote starts and ends."""


class Quotes:
    """Places quotes, and counts for each annotator those that stand nowhere."""

    def __init__(self, *, align: bool = False) -> None:
        self.align = align
        self.exact: Counter[str] = Counter()
        self.loose: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self.inside: Counter[str] = Counter()
        self.repeated: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()

    def place(
        self, text: Place, quotes: Sequence[tuple[str, int | None]], annotator: str
    ) -> list[Bounds | None]:
        """Return where an annotator's quotes stand in a text; ``None``: this one does not.

        Each stands where no other one does, if it can, a long one before those that it contains;
        and where it cuts no word, if it can. It stands there exactly, or but for case, white
        space, the kind of quotation marks and the normal form; or where the text is like it, if
        that is to be aligned. In tokens, it stands where whole tokens say it, whatever is between
        them.

        Args:
            text: of the document, or its tokens.
            quotes: each with which of the times that it is there is meant, from 0, if that is said.
            annotator: for whom they are counted.
        """
        bounds: list[Bounds | None] = [None] * len(quotes)
        taken, marked = bytearray(len(text)), set[Bounds]()
        ways = {
            quote: (self._places(text, quote), self._places(text, quote)) for quote, _ in quotes
        }

        def is_free(place: Bounds) -> bool:
            return not any(taken[slice(*place)])

        order = sorted(range(len(quotes)), key=lambda i: (quotes[i][1] is None, -len(quotes[i][0])))
        for number in order:
            quote, time = quotes[number]
            if time is not None:
                kept = self._time(text, quote, time)
            else:  # what is taken stays so: each place is looked at once, however often it is asked
                free, others = ways[quote]
                kept = next((way for way in free if is_free(way[0])), None)
                kept = kept or next((way for way in others if way[0] not in marked), None)
            if kept is None:
                is_there = next(self._places(text, quote), None) is not None
                (self.repeated if is_there else self.lost)[annotator] += 1
                continue
            place, kind = kept
            kind[annotator] += 1
            self.inside[annotator] += cuts_word(text, *place)
            bounds[number] = place
            marked.add(place)
            taken[slice(*place)] = bytes([1]) * (place[1] - place[0])
        return bounds

    def _places(self, text: Place, quote: str) -> Iterator[tuple[Bounds, Counter[str]]]:
        """Yield where a quote may stand, the best first, and how well it does."""
        exact = _whole_occurrences(text, quote)
        yield from ((place, self.exact) for place in exact if not cuts_word(text, *place))
        known = {*exact}
        loose = [place for place in loose_occurrences(text, quote) if place not in known]
        yield from ((place, self.loose) for place in loose if not cuts_word(text, *place))
        yield from ((place, self.exact) for place in exact if cuts_word(text, *place))
        yield from ((place, self.loose) for place in loose if cuts_word(text, *place))
        near = None
        if self.align and isinstance(text, str) and not exact and not loose:
            near = nearest(text, quote)
        if near is not None:
            yield near, self.changed

    def _time(self, text: Place, quote: str, time: int) -> tuple[Bounds, Counter[str]] | None:
        """Return where a quote stands for this time, else for this time but for case and such."""
        ways = (
            (_whole_occurrences(text, quote), self.exact),
            (loose_occurrences(text, quote), self.loose),
        )
        return next(
            ((places[time], kind) for places, kind in ways if 0 <= time < len(places)), None
        )

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return for each annotator the number of quotes, and of those that are left out."""
        out = self.repeated + self.lost
        return {
            name: (number, out[name])
            for name, number in (self.exact + self.loose + self.changed + out).items()
        }

    def notes(self, before: str) -> Iterator[str]:
        """Yield for each annotator how many quotes were placed, and which share was not."""
        for name, (quotes, _) in self.counts().items():
            lost, repeated = self.lost[name], self.repeated[name]
            again = f", {repeated} ({percent(repeated / quotes, 1)}) repeated more often than in it"
            others = {
                "but for case, white space, quotation marks or normal form": self.loose[name],
                "where the text is nearly the same": self.changed[name],
                "inside a word": self.inside[name],
            }
            ways = [f", {number} of them {kind}" for kind, number in others.items() if number]
            yield (
                f"{before}{f'{escape_name(name)}: ' if name else ''}{pluralize(quotes, 'quote')} in"
                f" place of offsets, {lost} ({percent(lost / quotes, 1)}) not in the"
                f" text{again if repeated else ''}, the others found{''.join(ways)}"
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


def _whole_occurrences(text: Place, quote: str) -> list[tuple[int, int]]:
    """Return where a quote stands and cuts no character that a normal form composes."""
    spans = occurrences(text, quote)
    as_composed = composed(text) if spans and isinstance(text, str) else None
    if as_composed is None:
        return spans
    return [span for span in spans if as_composed.inside.isdisjoint(span)]


def loose_occurrences(text: Place, quote: str) -> list[tuple[int, int]]:
    """Return where a quote stands but for case, white space, quotation marks and normal form.

    >>> loose_occurrences("She said “New\\n York”.", '"new york"')
    [(9, 20)]
    """
    if not isinstance(text, str):
        tokens = [plain(normalize("NFC", token))[0] for token in text]
        return occurrences(tokens, plain(normalize("NFC", quote).strip())[0])
    as_composed = composed(text)
    there, places = plain(text if as_composed is None else as_composed.text)
    wanted, _ = plain(normalize("NFC", quote).strip())
    spans = [(places[a], places[b - 1] + 1) for a, b in occurrences(there, wanted)]
    if as_composed is None:
        return spans
    placed: list[tuple[int, int]] = []
    for start, end in spans:
        bounds = as_composed.starts[start], as_composed.ends[end - 1]
        if not placed or placed[-1][1] <= bounds[0]:  # else it is in the character of another
            placed.append(bounds)
    return placed
