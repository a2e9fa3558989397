"""Sentences at the offsets of their words, in the unit that these offsets count."""

from __future__ import annotations

from collections.abc import Sequence

from spanagree.corpus.offset_units import Unit, compute_offsets
from spanagree.errors import InputError, quote_value


class Sentences:
    """Sentences at the offsets of their words, in the first unit in which all words fit.

    The text between sentences may be unknown; it is replaced by blanks.

    Args:
        units: units that offsets may count, the likeliest first.
        source: name of the source of the sentences, for error messages.

    >>> sentences = Sentences(("UTF-16 units", "code points"), "#Text=")
    >>> sentences.begin("😀 Jo", 4, "😀", "line 1")
    >>> sentences.check(4, 6, "😀", "line 1")
    >>> sentences.check(7, 9, "Jo", "line 2")
    >>> sentences.text, sentences.unit
    ('    😀 Jo', 'UTF-16 units')
    """

    def __init__(self, units: Sequence[Unit], source: str) -> None:
        self.source, self.likeliest = source, units[0]
        self._sentences: list[str] = []
        self._n_characters = 0
        self._left = [_SentenceLayout(tuple(units))]  # one layout for units that agree
        self._misfit = ""  # error of the likeliest unit

    @property
    def unit(self) -> Unit:
        """Unit in which all words fit so far."""
        return self._left[0].units[0]

    @property
    def text(self) -> str:
        """Text of the sentences, with blanks between them."""
        lines = zip(self._left[0].gaps, self._sentences, strict=True)
        return "".join(fragment for gap, sentence in lines for fragment in (" " * gap, sentence))

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of characters so far, without and with those between sentences."""
        return self._n_characters, self._n_characters + self._left[0].n_blanks

    def begin(self, sentence: str, offset: int, word: str, location: str) -> None:
        """Begin a sentence with its first word and the offset of this word.

        Raises:
            InputError: if it would begin before the end of the previous sentence, in all units.
        """
        self._sentences.append(sentence)
        self._n_characters += len(sentence)
        if not sentence.isascii():
            self._left = [
                layout.copy_for_unit(unit) for layout in self._left for unit in layout.units
            ]
        for layout in self._left:
            character_offsets = compute_offsets(sentence, layout.units[0])
            sentence_start = offset - character_offsets[max(sentence.find(word), 0)]
            if sentence_start < layout.end:
                self._drop(
                    layout,
                    f"{location}: the sentence begins at {sentence_start}, before {layout.end},"
                    f" where the one above it ends; offsets and {self.source} have to agree",
                )
            else:
                layout.add(sentence_start, character_offsets)

    def check(self, begin: int, end: int, word: str, location: str) -> None:
        """Check that a word is at offsets ``begin`` and ``end`` in the current sentence.

        Units in which it is not are excluded.

        Raises:
            InputError: if no unit is left.
        """
        sentence = self._sentences[-1]
        for layout in self._left:
            start, stop = begin - layout.begin, end - layout.begin
            if layout.points is not None:
                start, stop = layout.points.get(start, -1), layout.points.get(stop, -1)
            if start < 0 or stop - start != len(word) or sentence[start:stop] != word:
                text_there = sentence[max(start, 0) : max(stop, 0)]
                self._drop(
                    layout,
                    f"{location}: token {quote_value(word)} at {begin}-{end}, where {self.source}"
                    " has"
                    f" {quote_value(text_there)}; the offsets, in {layout.units[0]}, and the text"
                    " have to agree",
                )

    def _drop(self, layout: _SentenceLayout, misfit: str) -> None:
        """Exclude units; if no unit is left, raise the error of the likeliest."""
        self._misfit = misfit if self.likeliest in layout.units else self._misfit
        self._left = [remaining for remaining in self._left if remaining is not layout]
        if not self._left:
            raise InputError(self._misfit)


class _SentenceLayout:
    """Layout of sentences in units with equal offsets."""

    def __init__(self, units: tuple[Unit, ...]) -> None:
        self.units = units
        self.gaps: list[int] = []
        self.n_blanks = 0
        self.begin = self.end = 0  # bounds of the last sentence, as offsets
        self.points: dict[int, int] | None = (
            None  # characters by offset in the last sentence, if these differ
        )

    def copy_for_unit(self, unit: Unit) -> _SentenceLayout:
        """Copy the layout for one of its units."""
        if self.units == (unit,):
            return self
        layout = _SentenceLayout((unit,))
        layout.gaps, layout.n_blanks = [*self.gaps], self.n_blanks
        layout.begin, layout.end, layout.points = self.begin, self.end, self.points
        return layout

    def add(self, begin: int, character_offsets: Sequence[int]) -> None:
        """Add a sentence, with the offsets of its characters and of its end."""
        self.gaps.append(begin - self.end)
        self.n_blanks += self.gaps[-1]
        self.begin, self.end = begin, begin + character_offsets[-1]
        is_identity = character_offsets[-1] == len(character_offsets) - 1
        self.points = (
            None if is_identity else {offset: i for i, offset in enumerate(character_offsets)}
        )
