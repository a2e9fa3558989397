"""Comparisons of a corpus: of systems with gold, or of annotators.

The parts of a corpus are compared by :mod:`spanagree.parts.compared_parts`.

A *row* compares two layers in one document, for one label or for all. The *counting* is the measure
of matches with the chance model; a *rule of places* restricts where chance puts segments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from spanagree.arrays import Progress
from spanagree.comparisons.corpus_kind import CorpusKind
from spanagree.comparisons.counting import ComparisonContext, ComparisonRequest, MatchCountOptions
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

    from typing_extensions import Self  # in typing from Python 3.11 on

    from spanagree.comparisons.place_shares import PlacementStatistics
    from spanagree.comparisons.selection import Selection
    from spanagree.files import PathName
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

        corpus, metadata, tables, arrays = self._collect_contents()
        corpus_metadata = row_files.collect_metadata(
            corpus, self.counting, self.kind, self.description
        )
        columns = {**row_files.collect_arrays(corpus), **arrays}
        row_files.write_rows(path, self.OF, {**corpus_metadata, **metadata}, tables, columns)

    def _collect_contents(
        self,
    ) -> tuple[Corpus, dict[str, Any], dict[str, Comparisons], dict[str, Any]]:
        """Collect the documents, further metadata, tables of rows, and other columns."""
        raise NotImplementedError

    @classmethod
    def read(cls, path: PathName) -> Self:
        """Read rows from a file written by :meth:`write`; a list of rows is compared as parts.

        Raises:
            InputError: if the file cannot be read, or has no such rows.
        """
        from spanagree.parts import row_files  # few read rows

        file = row_files.read_rows(path, cls.OF)
        documents = row_files.read_documents(file)
        return cls(**documents, **cls._read_contents(file, documents["corpus"]))

    @staticmethod
    def _read_contents(file: RowsFile, corpus: Corpus) -> dict[str, Any]:
        """Read the attributes that only this class has, by name, from a file of rows."""
        raise NotImplementedError

    @classmethod
    def of(cls, corpus: Corpus, counting: MatchCountOptions) -> Self:
        """Compare a whole corpus."""
        raise NotImplementedError


_Rows = TypeVar("_Rows", bound=ComparedRows)


def compare_corpus(
    rows_class: type[_Rows],
    corpus: Corpus,
    role_names: Mapping[str, Any],
    request: ComparisonRequest,
    executor: Executor | None,
    progress: Progress,
) -> _Rows:
    """Compare a whole corpus in this process.

    Args:
        rows_class: class of the rows.
        corpus: annotations.
        role_names: names of annotators to compare, or of gold: keywords of ``rows_class.of``.
        request: settings of the comparison.
        executor: must be ``None``, because one corpus has no parts.
        progress: function called with the number of finished steps and of all steps.

    Raises:
        SettingError, InputError: if the comparison fails; see :func:`spanagree.evaluate`.
    """
    if executor is not None:
        from spanagree.parts.each import check_executor  # one corpus has no parts

        check_executor(executor)
    corpus, counting = request.select_items(corpus, progress)
    return counting.run(functools.partial(rows_class.of, corpus, **role_names))


def describe_documents(corpus: Corpus, counting: MatchCountOptions) -> dict[str, Any]:
    """Compute the attributes of :class:`ComparedRows` for a corpus, or for a part, by name."""
    kind, description = CorpusKind.from_corpus(corpus), counting.describe(corpus)
    return {"corpus": corpus, "counting": counting, "kind": kind, "description": description}


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
