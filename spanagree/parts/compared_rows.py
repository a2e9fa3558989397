"""Rows of what was compared in a corpus or in parts of one: of systems with gold, of annotators."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from spanagree.arrays import Progress
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.corpus_kind import CorpusKind
from spanagree.comparisons.counting import ComparisonRequest, Description, MatchCounting
from spanagree.comparisons.overlaps import widest_chance
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, chosen

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

    from typing_extensions import Self  # in typing from Python 3.11 on

    from spanagree.comparisons.place_shares import PlaceShares
    from spanagree.comparisons.selection import Selection
    from spanagree.files import PathName
    from spanagree.parts.each import Part
    from spanagree.parts.row_files import RowsFile


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedRows:
    """Rows of a corpus, or of a part of one, and the documents that they are of.

    Attributes:
        corpus: who saw and marked what; of a part all annotators, and no texts unless chance rests
            on them.
        counting: measure and chance model.
        kind: traits of the corpus by which chance treats its documents.
        description: how segments stand to their texts.
    """

    corpus: Corpus
    counting: MatchCounting
    kind: CorpusKind
    description: Description

    OF: ClassVar[str]
    """What the rows are of, systems or annotators."""
    are_rows: ClassVar[bool] = True

    @property
    def selection(self) -> Selection:
        """The selection of what was compared, as the documents record it; files keep that too.

        >>> import spanagree as sa
        >>> layers = {name: [[(0, 2, "X", {"sure": "no"})]] for name in ("gold", "mine")}
        >>> rows = sa.evaluate(sa.Corpus.from_segments([5], layers), attribute="sure").rows
        >>> rows.selection.settings, rows.corpus.labels
        ({'attribute': 'sure'}, ('X sure=no',))
        """
        from spanagree.comparisons.selection import Selection  # most compare all segments

        return Selection.of_reading(self.corpus.reading)

    def write(self, path: PathName) -> None:
        """Write the rows to a file, which holds no text and no segments.

        Args:
            path: name of the file, which ends in .npz; it is written whole or not at all.

        Raises:
            SettingError: for another ending.
            InputError: for a path that cannot be written.

        >>> import spanagree as sa
        >>> from tempfile import TemporaryDirectory
        >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
        >>> parts = [sa.Corpus.from_segments([10], layers, ids=[name]) for name in "ab"]
        >>> with TemporaryDirectory() as folder:
        ...     for part in parts:
        ...         sa.evaluate(part).rows.write(f"{folder}/{part.ids[0]}.npz")
        ...     files = [f"{folder}/{name}.npz" for name in "ab"]
        ...     rows = [sa.systems.ComparedSystems.read(file) for file in files]
        >>> sa.evaluate(rows).systems["mine"].tally.matched
        2
        """
        from spanagree.parts import row_files  # few write rows

        corpus, about, tables, arrays = self._contents()
        of_corpus = row_files.about_corpus(corpus, self.counting, self.kind, self.description)
        columns = {**row_files.arrays_of(corpus), **arrays}
        row_files.write_rows(path, self.OF, {**of_corpus, **about}, tables, columns)

    def _contents(
        self,
    ) -> tuple[Corpus, dict[str, Any], dict[str, Comparisons], dict[str, Any]]:
        """Return the documents, what else is known of them, tables of rows, and other columns."""
        raise NotImplementedError

    @classmethod
    def read(cls, path: PathName) -> Self:
        """Read rows from a file that :meth:`write` wrote; a list of them is compared as parts.

        Raises:
            InputError: for a file that cannot be read, or holds no such rows.
        """
        from spanagree.parts import row_files  # few read rows

        file = row_files.read_rows(path, cls.OF)
        return cls._of_file(file, row_files.documents_of_rows(file))

    @classmethod
    def _of_file(cls, file: RowsFile, documents: Mapping[str, Any]) -> Self:
        """Build the rows of a file; ``documents`` are the attributes above, by name."""
        raise NotImplementedError

    @classmethod
    def of(cls, corpus: Corpus, counting: MatchCounting) -> Self:
        """Compare a whole corpus."""
        raise NotImplementedError

    @classmethod
    def of_part(cls, part: Any, *, request: ComparisonRequest, **chosen: Any) -> Self:
        """Compare a part of a corpus, where it is read.

        Args:
            part: documents of the corpus, of which some layers may be missing; or their rows.
            request: what is compared.
            chosen: name of gold, or names of the annotators who are compared.

        Raises:
            SettingError: for a layer that overlaps itself where that is not allowed; for rows that
                are of another question.
        """
        from spanagree.comparisons.selection import without_unused_text  # of parts alone
        from spanagree.corpus.same_texts import numbers_of_texts

        if isinstance(part, cls):
            names = part._chosen_differently(**chosen)
            request.check_same(part.corpus, part.counting, part.selection, names)
            return part
        corpus, counting = request.compared(part, in_part=True)
        rows = counting.run(functools.partial(cls._of_part, corpus, **chosen))
        return replace(
            rows,
            corpus=without_unused_text(corpus, counting.chance),
            description=replace(rows.description, text_numbers=numbers_of_texts(part)),
        )

    @classmethod
    def _of_part(cls, corpus: Corpus, counting: MatchCounting, chosen: Any) -> Self:
        """Compare what is compared of a part, in which not all that are chosen need be."""
        raise NotImplementedError

    def _chosen_differently(self, chosen: Any) -> list[tuple[str, Any, Any]]:
        """List who was chosen and who is asked for; see :meth:`ComparisonRequest.check_same`."""
        raise NotImplementedError

    @classmethod
    def joined(cls, parts: Mapping[str, Self], *, request: ComparisonRequest) -> Self:
        """Join the rows of parts, by name, as if they had been one corpus."""
        raise NotImplementedError


_Rows = TypeVar("_Rows", bound=ComparedRows)


def rows_of_corpus_or_parts(
    kind: type[_Rows],
    source: Corpus | Iterable[Part],
    chosen: Mapping[str, Any],
    request: ComparisonRequest,
    executor: Executor | None,
    progress: Progress,
) -> _Rows:
    """Compare a corpus, or its parts, whose rows are joined.

    Args:
        kind: class of the rows.
        source: corpus, or parts of one.
        chosen: names of the annotators who are compared, or of gold, as ``kind`` takes them.
        request: what is compared.
        executor: executor whose workers compare the parts.
        progress: function called with the number of steps, or of parts, done, and of all.

    Raises:
        SettingError, InputError: as :func:`spanagree.evaluate` says.
    """
    if isinstance(source, Corpus):
        if executor is not None:
            from spanagree.parts.each import check_executor  # one corpus has no parts

            check_executor(executor)
        corpus, counting = request.compared(source, progress)
        return counting.run(functools.partial(kind.of, corpus, **chosen))
    from spanagree.parts.each import joined_parts  # few corpora come in parts

    request.check()

    def rows_under(request: ComparisonRequest) -> _Rows:
        work, join = (
            functools.partial(function, **chosen, request=request)
            for function in (kind.of_part, kind.joined)
        )
        return joined_parts(source, work, join, executor, progress)

    try:
        return rows_under(request)
    except _OtherChanceError as error:
        if iter(source) is source:
            raise
        return rows_under(replace(request, chance=error.chance))


class _OtherChanceError(SettingError):
    """Parts were compared under several chance models, where none was named.

    Attributes:
        chance: the model of the whole.
    """

    chance: ChanceModel


def _check_one_chance(parts: Mapping[str, ComparedRows]) -> None:
    """Raise unless all parts were compared under the same chance model.

    Raises:
        SettingError: naming a part under the model that the whole needs.
    """
    models = {name: part.counting.chance for name, part in parts.items()}
    names = {model.name for model in models.values()}
    if len(names) > 1:
        widest = widest_chance(model.name for model in models.values())
        part, model = next((key, model) for key, model in models.items() if model.name == widest)
        error = _OtherChanceError(
            f"{part}: its segments need chance {widest}, and other parts were compared under"
            f" another; {chosen('chance', widest)} is for all of them"
        )
        if model.undefined:
            error = _OtherChanceError(
                f"{part}: {model.undefined}, and other parts were compared with chance; give the"
                " parts as a list, which is gone over twice"
            )
        error.chance = model
        raise error


def compared_documents(corpus: Corpus, counting: MatchCounting) -> dict[str, Any]:
    """Return the attributes of :class:`ComparedRows` of a corpus, or of a part, by name."""
    kind, description = CorpusKind.of(corpus), counting.describe(corpus)
    return {"corpus": corpus, "counting": counting, "kind": kind, "description": description}


def whole_of_parts(
    parts: Mapping[str, ComparedRows], request: ComparisonRequest
) -> tuple[Corpus, MatchCounting, Description]:
    """Join the documents of parts, and return how their rows were counted and stand to texts.

    Args:
        parts: rows of parts in their order, by name.
        request: what is compared.

    Raises:
        InputError, SettingError: for parts that do not belong together; for what no part has.
    """
    from spanagree.comparisons.counting import notes_on_texts
    from spanagree.comparisons.selection import joined_items  # of parts alone

    _check_one_chance(parts)
    first = next(iter(parts.values()))
    corpus = joined_items({name: part.corpus for name, part in parts.items()})
    counting = replace(first.counting, match=request.measure_of_whole(corpus))
    descriptions = {name: part.description for name, part in parts.items()}
    corpus = corpus.but(notes=(*corpus.notes, *notes_on_texts(descriptions)))
    return corpus, counting, Description.joined([*descriptions.values()])


# --- counts of rows -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Counts:
    """What is counted of rows.

    Attributes:
        documents: number of documents.
        notes: what a reader repaired or passed over, and what is out of the ordinary.
        places: how segments stand to the rule of places, if chance has one.
        uniform: the same counts without that rule.
        rows: the rows of a whole corpus, which were counted.
    """

    documents: int
    notes: tuple[str, ...] = ()
    places: PlaceShares | None = None
    uniform: Counts | None = None
    rows: ComparedRows | None = None


_Counts = TypeVar("_Counts", bound=Counts)
_Sums = TypeVar("_Sums")


def counts_under_each(
    compared_rows: _Rows,
    rows: tuple[_Sums, _Sums | None],
    count: Callable[[_Rows, _Sums, MatchCounting, Description], _Counts],
    remarks: Sequence[str] = (),
) -> _Counts:
    """Count rows, and the same without a rule of places, if chance has one.

    Args:
        compared_rows: what was compared.
        rows: its rows, under its chance model and without the rule.
        count: function that counts rows under one chance model, with the description that it has.
        remarks: further notes.
    """
    counting, description = compared_rows.counting, compared_rows.description
    notes = (*compared_rows.corpus.notes, *description.notes(), *remarks)
    counts = count(compared_rows, rows[0], counting, description)
    counts = replace(counts, notes=notes, rows=compared_rows)
    plain = counting.without_places()
    if plain is None or rows[1] is None:
        return counts
    uniform = count(compared_rows, rows[1], plain, Description())
    return replace(counts, places=description.shares, uniform=uniform)
