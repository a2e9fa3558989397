"""Split a corpus into levels of difficulty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from spanagree.arrays import Floats
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, pluralize
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.levels.borders import BorderOptions, Level, LevelSettings, sort_into_levels
from spanagree.levels.count import DifficultySettings
from spanagree.levels.difficulty import Difficulty
from spanagree.results.frame import Column, Frame
from spanagree.results.result import ResultBase

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitSettings(DifficultySettings, LevelSettings):
    """Settings of a split: settings of the difficulty, and of the levels."""


class Part(NamedTuple):
    """Documents of one level, as a corpus of all annotators with the ids of the whole corpus."""

    level: Level
    corpus: Corpus
    difficulty: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Split(ResultBase):
    """The result of :func:`split`: a corpus for each level, the easiest first.

    Attributes:
        parts: documents of each level; iterating over the split gives their corpora.
        undefined: documents without a difficulty.
        settings: settings of the difficulty and the borders.
        notes: notes of the difficulty, and deviations from the requested levels.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([2, 20], {"gold": [[(0, 1, "X")], [(4, 6, "X")]]})
    >>> parts = sa.split(corpus, sa.difficulty(corpus, "gold"), levels=2)
    >>> len(parts), [len(part) for part in parts], parts.parts[0].level.name
    (2, [1, 1], 'level-1')
    """

    parts: tuple[Part, ...]
    undefined: Part
    settings: SplitSettings
    notes: tuple[str, ...] = ()

    TABLES: ClassVar[Mapping[str, str | None]] = {"parts": None}

    def __repr__(self) -> str:
        sizes = (
            f"{part.level.name} {pluralize(len(part.corpus), 'document')}" for part in self.all
        )
        return f"<Split: {', '.join(sizes)}>"

    def __len__(self) -> int:
        """The number of levels."""
        return len(self.parts)

    def __getitem__(self, level: int) -> Corpus:
        """The corpus of a level, the easiest is 0."""
        return self.parts[level].corpus

    @property
    def all(self) -> tuple[Part, ...]:
        """The parts, followed by the documents without a difficulty if there are any."""
        return (*self.parts, self.undefined) if len(self.undefined.corpus) else self.parts

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with a row for each level, and one for documents without difficulty."""
        columns = [
            Column("name", kind="name"),
            Column("from"),
            Column("to"),
            Column("documents", kind="count"),
        ]
        rows = [
            [part.level.name, part.level.low, part.level.high, len(part.corpus)]
            for part in (*self.parts, self.undefined)
        ]
        return Frame(columns, rows, self.settings)


def split(corpus: CorpusLike, difficulty: Difficulty, **way: Unpack[BorderOptions]) -> Split:
    """Split a corpus by difficulty into a corpus for each level, with all annotators.

    The way is one of :func:`sort_into_levels`: ``levels``, ``at``, ``chance_at`` or ``quantiles``;
    the default is two levels of nearly equal size. Documents without a difficulty are a separate
    part.

    Raises:
        SettingError: if the way is not valid, as for :func:`sort_into_levels`, or if ``difficulty``
            is no difficulty or that of another corpus.

    >>> from spanagree.levels.difficulty import difficulty
    >>> corpus = Corpus.from_segments([2, 20, 5], {"gold": [[(0, 1, "X")], [(4, 6, "X")], []]})
    >>> [len(part) for part in split(corpus, difficulty(corpus), at=[0.825])]
    [1, 1]
    """
    if not isinstance(difficulty, Difficulty):
        raise SettingError(
            f"split: {type(difficulty).__name__}; a difficulty is needed, as difficulty(corpus)"
            " gives"
        )
    corpus = as_corpus(corpus)
    difficulty.check_documents(len(corpus), corpus.ids, "corpus")
    levels = sort_into_levels(difficulty, **way)
    corpus_with_ids = corpus.with_ids()

    def build_part(level: Level) -> Part:
        return Part(
            level, corpus_with_ids.subset(level.documents), difficulty.values[level.documents]
        )

    return Split(
        tuple(map(build_part, levels.levels)),
        build_part(levels.undefined),
        difficulty.settings.extend_to(SplitSettings, **levels.borders),
        (*difficulty.notes, *levels.notes),
    )
