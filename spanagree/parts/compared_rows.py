"""Comparisons of a corpus or of its parts: of systems with gold, or of annotators.

A *row* compares two layers in one document, for one label or for all. The *counting* is the measure
of matches with the chance model; a *rule of places* restricts where chance puts segments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from spanagree.arrays import Progress
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.corpus_kind import CorpusKind
from spanagree.comparisons.counting import ComparisonContext, ComparisonRequest, MatchCountOptions
from spanagree.comparisons.overlaps import find_widest_chance
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, format_setting

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

    from typing_extensions import Self  # in typing from Python 3.11 on

    from spanagree.comparisons.place_shares import PlacementStatistics
    from spanagree.comparisons.selection import Selection
    from spanagree.files import PathName
    from spanagree.parts.each import Part
    from spanagree.parts.row_files import RowsFile


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedRows:
    """Rows of comparisons of a corpus, or of a part of it, and its documents.

    Attributes:
        corpus: documents of the rows. A part has all annotators, and texts only if the chance model
            needs them.
        counting: measure and chance model.
        kind: traits of the corpus on which the treatment of its documents by chance depends.
        description: shares of segments that follow the rule of places, and counts of word edges.
    """

    corpus: Corpus
    counting: MatchCountOptions
    kind: CorpusKind
    description: ComparisonContext

    OF: ClassVar[str]
    """Noun for the compared layers, systems or annotators."""
    are_rows: ClassVar[bool] = True

    @property
    def selection(self) -> Selection:
        """Selection of compared segments, as recorded by the documents and by files of rows.

        >>> import spanagree as sa
        >>> layers = {name: [[(0, 2, "X", {"sure": "no"})]] for name in ("gold", "mine")}
        >>> rows = sa.evaluate(sa.Corpus.from_segments([5], layers), attribute="sure").rows
        >>> rows.selection.settings, rows.corpus.labels
        ({'attribute': 'sure'}, ('X sure=no',))
        """
        from spanagree.comparisons.selection import Selection  # most compare all segments

        return Selection.of_reading(self.corpus.reading)

    def write(self, path: PathName) -> None:
        """Write the rows to a file without texts and segments.

        Args:
            path: name of the file, with the ending .npz; if writing fails, no file is left.

        Raises:
            SettingError: if the name has another ending.
            InputError: if the path cannot be written.

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

        corpus, metadata, tables, arrays = self._list_contents()
        corpus_metadata = row_files.collect_metadata(
            corpus, self.counting, self.kind, self.description
        )
        columns = {**row_files.collect_arrays(corpus), **arrays}
        row_files.write_rows(path, self.OF, {**corpus_metadata, **metadata}, tables, columns)

    def _list_contents(
        self,
    ) -> tuple[Corpus, dict[str, Any], dict[str, Comparisons], dict[str, Any]]:
        """List the documents, further metadata, tables of rows, and other columns."""
        raise NotImplementedError

    @classmethod
    def read(cls, path: PathName) -> Self:
        """Read rows from a file written by :meth:`write`; a list of rows is compared as parts.

        Raises:
            InputError: if the file cannot be read, or has no such rows.
        """
        from spanagree.parts import row_files  # few read rows

        file = row_files.read_rows(path, cls.OF)
        return cls._read_file(file, row_files.read_documents(file))

    @classmethod
    def _read_file(cls, file: RowsFile, documents: Mapping[str, Any]) -> Self:
        """Build the rows of a file; ``documents`` are the attributes above, by name."""
        raise NotImplementedError

    @classmethod
    def of(cls, corpus: Corpus, counting: MatchCountOptions) -> Self:
        """Compare a whole corpus."""
        raise NotImplementedError

    @classmethod
    def of_part(cls, part: Any, *, request: ComparisonRequest, **chosen: Any) -> Self:
        """Compare a part of a corpus in the process that reads it.

        Args:
            part: documents of the corpus, possibly without some layers; or rows of these documents.
            request: settings of the comparison.
            chosen: name of gold, or names of the annotators to compare.

        Raises:
            SettingError: if a layer overlaps itself and that is not allowed, or if rows have other
                settings.
        """
        from spanagree.comparisons.selection import drop_unused_text  # only for parts
        from spanagree.corpus.same_texts import hash_texts

        if isinstance(part, cls):
            names = part._list_names_to_check(**chosen)
            request.check_same(part.corpus, part.counting, part.selection, names)
            return part
        corpus, counting = request.select_items(part, in_part=True)
        rows = counting.run(functools.partial(cls._compare_part, corpus, **chosen))
        return replace(
            rows,
            corpus=drop_unused_text(corpus, counting.chance),
            description=replace(rows.description, text_numbers=hash_texts(part)),
        )

    @classmethod
    def _compare_part(cls, corpus: Corpus, counting: MatchCountOptions, chosen: Any) -> Self:
        """Compare the chosen annotators of a part, in which some of them may be missing."""
        raise NotImplementedError

    def _list_names_to_check(self, chosen: Any) -> list[tuple[str, Any, Any]]:
        """List the compared and the requested names; see :meth:`ComparisonRequest.check_same`."""
        raise NotImplementedError

    @classmethod
    def joined(cls, parts: Mapping[str, Self], *, request: ComparisonRequest) -> Self:
        """Join the rows of parts, by name, into the rows of the whole corpus."""
        raise NotImplementedError


_Rows = TypeVar("_Rows", bound=ComparedRows)


def compare_corpus_or_parts(
    rows_class: type[_Rows],
    source: Corpus | Iterable[Part],
    chosen: Mapping[str, Any],
    request: ComparisonRequest,
    executor: Executor | None,
    progress: Progress,
) -> _Rows:
    """Compare a corpus, or compare its parts and join their rows.

    Args:
        rows_class: class of the rows.
        source: corpus, or parts of a corpus.
        chosen: names of the annotators to compare, or of gold, as keywords of ``rows_class``.
        request: settings of the comparison.
        executor: executor with workers that compare the parts.
        progress: callback that receives the number of finished steps, or parts, and of all.

    Raises:
        SettingError, InputError: if a comparison fails; see :func:`spanagree.evaluate`.
    """
    if isinstance(source, Corpus):
        if executor is not None:
            from spanagree.parts.each import check_executor  # one corpus has no parts

            check_executor(executor)
        corpus, counting = request.select_items(source, progress)
        return counting.run(functools.partial(rows_class.of, corpus, **chosen))
    from spanagree.parts.each import process_and_join_parts  # few corpora come in parts

    request.check()

    def compare_and_join(request: ComparisonRequest) -> _Rows:
        compare_part, join = (
            functools.partial(function, **chosen, request=request)
            for function in (rows_class.of_part, rows_class.joined)
        )
        return process_and_join_parts(source, compare_part, join, executor, progress)

    try:
        return compare_and_join(request)
    except _OtherChanceError as error:
        if iter(source) is source:
            raise
        return compare_and_join(replace(request, chance=error.chance))


class _OtherChanceError(SettingError):
    """Parts were compared under different chance models, as no model was named.

    Attributes:
        chance: chance model for the whole corpus.
    """

    chance: ChanceModel


def _check_one_chance(rows_by_part: Mapping[str, ComparedRows]) -> None:
    """Check that all parts were compared under the same chance model.

    Raises:
        SettingError: if models differ; the message names a part with the model for the whole.
    """
    models = {name: rows.counting.chance for name, rows in rows_by_part.items()}
    model_names = {model.name for model in models.values()}
    if len(model_names) > 1:
        widest = find_widest_chance(model.name for model in models.values())
        part_name, model = next(
            (name, model) for name, model in models.items() if model.name == widest
        )
        error = _OtherChanceError(
            f"{part_name}: its segments need chance {widest}, and other parts were compared under"
            f" another; {format_setting('chance', widest)} is for all of them"
        )
        if model.undefined:
            error = _OtherChanceError(
                f"{part_name}: {model.undefined}, and other parts were compared with chance; give"
                " the parts as a list, which is gone over twice"
            )
        error.chance = model
        raise error


def describe_documents(corpus: Corpus, counting: MatchCountOptions) -> dict[str, Any]:
    """Compute the attributes of :class:`ComparedRows` for a corpus, or for a part, by name."""
    kind, description = CorpusKind.from_corpus(corpus), counting.describe(corpus)
    return {"corpus": corpus, "counting": counting, "kind": kind, "description": description}


def join_documents_of_parts(
    rows_by_part: Mapping[str, ComparedRows], request: ComparisonRequest
) -> tuple[Corpus, MatchCountOptions, ComparisonContext]:
    """Join the documents of parts, the counting of their rows, and their descriptions.

    Args:
        rows_by_part: rows of parts by name, in the order of parts.
        request: settings of the comparison.

    Raises:
        InputError, SettingError: if parts do not belong together, or a requested item is in no
            part.
    """
    from spanagree.comparisons.counting import note_same_texts
    from spanagree.comparisons.selection import join_items  # only for parts

    _check_one_chance(rows_by_part)
    first_rows = next(iter(rows_by_part.values()))
    corpus = join_items({name: rows.corpus for name, rows in rows_by_part.items()})
    counting = replace(first_rows.counting, match=request.find_measure_of_whole(corpus))
    descriptions = {name: rows.description for name, rows in rows_by_part.items()}
    corpus = corpus.replace(notes=(*corpus.notes, *note_same_texts(descriptions)))
    return corpus, counting, ComparisonContext.join([*descriptions.values()])


# --- counts of rows -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class RowCounts:
    """Counts of rows.

    Attributes:
        documents: number of documents.
        notes: notes on the data and the result, one sentence each.
        places: shares of segments that follow the rule of places, or `None` without a rule.
        uniform: counts without that rule.
        rows: counted rows, for a whole corpus.
    """

    documents: int
    notes: tuple[str, ...] = ()
    places: PlacementStatistics | None = None
    uniform: RowCounts | None = None
    rows: ComparedRows | None = None


_Counts = TypeVar("_Counts", bound=RowCounts)
_Sums = TypeVar("_Sums")


def count_under_each(
    compared_rows: _Rows,
    rows: tuple[_Sums, _Sums | None],
    count: Callable[[_Rows, _Sums, MatchCountOptions, ComparisonContext], _Counts],
    remarks: Sequence[str] = (),
) -> _Counts:
    """Count rows under their chance model and, if it has a rule of places, also without the rule.

    Args:
        compared_rows: rows of comparisons and their documents.
        rows: sums of these rows, under their chance model and without the rule.
        count: function that counts rows under one chance model, with its description.
        remarks: further notes.
    """
    counting, description = compared_rows.counting, compared_rows.description
    notes = (*compared_rows.corpus.notes, *description.notes(), *remarks)
    counts = count(compared_rows, rows[0], counting, description)
    counts = replace(counts, notes=notes, rows=compared_rows)
    uniform_counting = counting.remove_places()
    if uniform_counting is None or rows[1] is None:
        return counts
    uniform = count(compared_rows, rows[1], uniform_counting, ComparisonContext())
    return replace(counts, places=description.shares, uniform=uniform)
