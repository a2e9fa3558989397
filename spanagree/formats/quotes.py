"""Search for quotes in a text, as language models return quotes in place of offsets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from unicodedata import normalize

from spanagree.corpus.normal_form import compose_text
from spanagree.corpus.quoted_texts import Place, find_occurrences
from spanagree.errors import escape_name, format_percent, pluralize
from spanagree.formats.changed_texts import cuts_word, find_changed_quote, fold_text

Bounds = tuple[int, int]
"""Start and end of a quote."""


class Quotes:
    """Search for quotes, with counts of found and missing quotes by annotator."""

    def __init__(self, *, align: bool = False) -> None:
        self.align = align
        self.exact: Counter[str] = Counter()
        self.loose: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self.inside: Counter[str] = Counter()
        self.repeated: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()

    def place_quotes(
        self, text: Place, quotes: Sequence[tuple[str, int | None]], annotator: str
    ) -> list[Bounds | None]:
        """Find the quotes of an annotator in a text; ``None`` for a quote without a span.

        A quote gets a span that no other quote has, if possible; long quotes are placed before the
        quotes that they contain, and spans that split no word come first. A quote matches exactly,
        or except for case, white space, quotation marks and the normal form; or approximately, if
        quotes are aligned. In tokens, it matches whole tokens, whatever is between them.

        Args:
            text: text of the document, or its tokens.
            quotes: quotes, each with the index of its occurrence in the text, or ``None``.
            annotator: name of the annotator, for the counts.
        """
        bounds: list[Bounds | None] = [None] * len(quotes)
        is_taken, used_bounds = bytearray(len(text)), set[Bounds]()
        candidates = {
            quote: (
                self._yield_candidate_spans(text, quote),
                self._yield_candidate_spans(text, quote),
            )
            for quote, _ in quotes
        }

        def is_free(span: Bounds) -> bool:
            """Check whether no earlier quote covers a part of a span."""
            return not any(is_taken[slice(*span)])

        quote_order = sorted(
            range(len(quotes)), key=lambda index: (quotes[index][1] is None, -len(quotes[index][0]))
        )
        for quote_index in quote_order:
            quote, occurrence = quotes[quote_index]
            if occurrence is not None:
                match = self._find_occurrence(text, quote, occurrence)
            else:  # taken spans stay taken, so repeated quotes share their iterators
                free_candidates, later_candidates = candidates[quote]
                match = next(
                    (candidate for candidate in free_candidates if is_free(candidate[0])), None
                )
                match = match or next(
                    (
                        candidate
                        for candidate in later_candidates
                        if candidate[0] not in used_bounds
                    ),
                    None,
                )
            if match is None:
                is_in_text = next(self._yield_candidate_spans(text, quote), None) is not None
                (self.repeated if is_in_text else self.lost)[annotator] += 1
                continue
            span, counter = match
            counter[annotator] += 1
            self.inside[annotator] += cuts_word(text, *span)
            bounds[quote_index] = span
            used_bounds.add(span)
            is_taken[slice(*span)] = bytes([1]) * (span[1] - span[0])
        return bounds

    def _yield_candidate_spans(
        self, text: Place, quote: str
    ) -> Iterator[tuple[Bounds, Counter[str]]]:
        """Yield the possible spans of a quote, the best first.

        Each comes with the counter for its kind of match: exact, loose or changed.
        """
        occurrences = _find_unsplit_occurrences(text, quote)
        yield from ((span, self.exact) for span in occurrences if not cuts_word(text, *span))
        exact_spans = {*occurrences}
        loose = [span for span in find_loose_occurrences(text, quote) if span not in exact_spans]
        yield from ((span, self.loose) for span in loose if not cuts_word(text, *span))
        yield from ((span, self.exact) for span in occurrences if cuts_word(text, *span))
        yield from ((span, self.loose) for span in loose if cuts_word(text, *span))
        nearest_span = None
        if self.align and isinstance(text, str) and not occurrences and not loose:
            nearest_span = find_changed_quote(text, quote)
        if nearest_span is not None:
            yield nearest_span, self.changed

    def _find_occurrence(
        self, text: Place, quote: str, occurrence: int
    ) -> tuple[Bounds, Counter[str]] | None:
        """Find one occurrence of a quote, exact or except for case, white space and the like."""
        spans_and_counters = (
            (_find_unsplit_occurrences(text, quote), self.exact),
            (find_loose_occurrences(text, quote), self.loose),
        )
        return next(
            (
                (spans[occurrence], counter)
                for spans, counter in spans_and_counters
                if 0 <= occurrence < len(spans)
            ),
            None,
        )

    def count_quotes(self) -> dict[str, tuple[int, int]]:
        """Count the quotes of each annotator, and the quotes without a span."""
        missing = self.repeated + self.lost
        return {
            name: (n_quotes, missing[name])
            for name, n_quotes in (self.exact + self.loose + self.changed + missing).items()
        }

    def yield_notes(self, prefix: str) -> Iterator[str]:
        """Yield a note per annotator: the number of quotes, and the share that was not found."""
        for name, (n_quotes, _) in self.count_quotes().items():
            n_lost, n_repeated = self.lost[name], self.repeated[name]
            repeated_note = (
                f", {n_repeated} ({format_percent(n_repeated / n_quotes, 1)}) repeated more often"
                " than in it"
            )
            n_by_description = {
                "but for case, white space, quotation marks or normal form": self.loose[name],
                "where the text is nearly the same": self.changed[name],
                "inside a word": self.inside[name],
            }
            phrases = [
                f", {count} of them {description}"
                for description, count in n_by_description.items()
                if count
            ]
            yield (
                f"{prefix}{f'{escape_name(name)}: ' if name else ''}{pluralize(n_quotes, 'quote')}"
                f" in place of offsets, {n_lost} ({format_percent(n_lost / n_quotes, 1)}) not in"
                " the"
                f" text{repeated_note if n_repeated else ''}, the others found{''.join(phrases)}"
            )


def find_separate_occurrences(text: Place, quote: str) -> list[tuple[int, int]]:
    """Find the occurrences of a quote in a text or in tokens, without overlaps.

    >>> find_separate_occurrences("to be or not to be", "to be")
    [(0, 5), (13, 18)]
    >>> find_separate_occurrences(["New", "York", "."], "York.")
    [(1, 3)]
    """
    spans: list[tuple[int, int]] = []
    if not isinstance(text, str):
        for start, end in find_occurrences(text, quote):
            if not spans or spans[-1][1] <= start:
                spans.append((start, end))
        return spans
    position = text.find(quote) if quote else -1
    while position >= 0:
        spans.append((position, position + len(quote)))
        position = text.find(quote, position + len(quote))
    return spans


def _find_unsplit_occurrences(text: Place, quote: str) -> list[tuple[int, int]]:
    """Find the occurrences of a quote that split no character of the composed normal form."""
    spans = find_separate_occurrences(text, quote)
    as_composed = compose_text(text) if spans and isinstance(text, str) else None
    if as_composed is None:
        return spans
    return [span for span in spans if as_composed.inside.isdisjoint(span)]


def find_loose_occurrences(text: Place, quote: str) -> list[tuple[int, int]]:
    """Find a quote in a text except for case, white space, quotation marks and normal form.

    >>> find_loose_occurrences("She said “New\\n York”.", '"new york"')
    [(9, 20)]
    """
    if not isinstance(text, str):
        tokens = [fold_text(normalize("NFC", token))[0] for token in text]
        return find_separate_occurrences(tokens, fold_text(normalize("NFC", quote).strip())[0])
    as_composed = compose_text(text)
    plain_text, positions = fold_text(text if as_composed is None else as_composed.text)
    plain_quote, _ = fold_text(normalize("NFC", quote).strip())
    spans = [
        (positions[a], positions[b - 1] + 1)
        for a, b in find_separate_occurrences(plain_text, plain_quote)
    ]
    if as_composed is None:
        return spans
    distinct_spans: list[tuple[int, int]] = []
    for start, end in spans:
        bounds = as_composed.starts[start], as_composed.ends[end - 1]
        if (
            not distinct_spans or distinct_spans[-1][1] <= bounds[0]
        ):  # otherwise it is within the character of an earlier span
            distinct_spans.append(bounds)
    return distinct_spans
