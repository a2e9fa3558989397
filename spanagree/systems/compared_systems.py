"""Comparison rows of systems and gold in a corpus, or in parts of one.

A row has the sums of one document, label and system: the match with gold, its expected value, and
the sizes of both. A corpus may be read in parts, such as files; their rows are joined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.comparisons.corpus_kind import CorpusKind, can_concatenate_rows
from spanagree.comparisons.counting import ComparisonRequest, MatchCountOptions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.errors import (
    InputError,
    MissingLayerError,
    check_known,
    escape_name,
    pluralize,
    quote_value,
    write_number_of_further,
)
from spanagree.parts.compared_rows import ComparedRows, describe_documents, join_documents_of_parts
from spanagree.systems.system_rows import SystemRows, compare_with_gold

if TYPE_CHECKING:
    from spanagree.parts.row_files import RowsFile  # rarely needed


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedSystems(ComparedRows):
    """Rows of systems and gold in a corpus, or in a part of one.

    Attributes:
        gold: name of the gold layer.
        rows: matches and sizes of each system with gold.
        uniform: rows without the rule of places, if chance has one.
        notes: remarks on the comparison.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([5], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> sa.evaluate(corpus).rows.gold
    'a'
    """

    gold: str
    rows: SystemRows
    uniform: SystemRows | None = None
    notes: tuple[str, ...] = ()

    OF: ClassVar[str] = "systems"

    @classmethod
    def of(
        cls, corpus: Corpus, counting: MatchCountOptions, gold: str | None = None
    ) -> ComparedSystems:
        """Compare systems with gold in a whole corpus.

        Args:
            corpus: gold and systems as layers.
            counting: measure and chance model.
            gold: name of the gold layer. Default: the first.

        Raises:
            SettingError: for an unknown name, fewer than two layers, or a layer that overlaps
                itself where the measure or the chance model does not allow it.
        """
        gold = _choose_gold(corpus, gold)
        corpus_with_seen = _infer_seen(corpus, gold)
        counting.check(corpus_with_seen)
        _check_segments_of_gold(corpus, gold)
        return _compare_corpus(corpus_with_seen, counting, gold).finished()

    @classmethod
    def _compare_part(
        cls, corpus: Corpus, counting: MatchCountOptions, gold: str | None = None
    ) -> ComparedSystems:
        """Compare systems with gold in one part of a corpus.

        Args:
            corpus: part of a corpus, which may lack gold or systems.
            counting: measure and chance model.
            gold: name of the gold layer. Default: the first layer of the part.
        """
        gold = next(iter(corpus.annotators), "") if gold is None else gold
        corpus_with_seen = _infer_seen(corpus, gold)
        counting.check(corpus_with_seen)
        _check_segments_of_gold(corpus, gold)
        return _compare_corpus(corpus_with_seen, counting, gold)

    def _list_names_to_check(self, gold: str | None = None) -> list[tuple[str, Any, Any]]:
        """List gold as compared and as requested, if it was requested."""
        return [] if gold is None else [("gold", self.gold, gold)]

    @classmethod
    def joined(
        cls,
        parts: Mapping[str, ComparedSystems],
        gold: str | None = None,
        *,
        request: ComparisonRequest,
    ) -> ComparedSystems:
        """Join the rows of parts to the rows of the whole corpus.

        The whole corpus is compared again if rows of parts would be wrong for it, for example
        because gold is the first layer by default, and a part has another first layer.

        Args:
            parts: parts in their order, by name.
            gold: name of the gold layer. Default: the first of the whole corpus.
            request: measure, chance model and selection.

        Raises:
            InputError, SettingError: if parts do not belong together, or no part has a layer.
        """
        first_part, *other_parts = parts.values()
        corpus, counting, description = join_documents_of_parts(parts, request)
        gold = _choose_gold(corpus, gold)
        if not _are_rows_of_parts_valid(corpus, gold, [*parts.values()]):
            corpus.check_segments("parts of which chance treats some in another way")
            whole_result = counting.run(lambda counting: cls.of(corpus, counting, gold))
            return replace(whole_result, description=description)
        corpus_with_seen = _infer_seen(corpus, gold)
        n_before = [*accumulate((len(part.corpus) for part in parts.values()), initial=0)][1:-1]
        rows = first_part.rows._join(
            zip((part.rows for part in other_parts), n_before, strict=True), corpus_with_seen
        )
        uniform = first_part.uniform
        if uniform is not None:
            other_uniform = [part.uniform for part in other_parts if part.uniform is not None]
            uniform = uniform._join(zip(other_uniform, n_before, strict=True), corpus_with_seen)
        notes = tuple(dict.fromkeys(note for part in parts.values() for note in part.notes))
        return cls(
            corpus=corpus_with_seen,
            counting=counting,
            kind=CorpusKind.join([part.kind for part in parts.values()]),
            gold=gold,
            rows=rows,
            description=description,
            uniform=uniform,
            notes=notes,
        ).finished()

    def _list_contents(
        self,
    ) -> tuple[Corpus, dict[str, Any], dict[str, Comparisons], dict[str, Any]]:
        """List the contents of a file of these rows.

        Returns:
            The corpus, metadata for JSON, tables of rows by name, and further columns (none here).
        """
        metadata = {
            "gold": self.gold,
            "inexact": _serialize_bounds(self.rows),
            "remarks": list(self.notes),
        }
        tables = {"rows": self.rows.comparisons}
        if self.uniform is not None:
            tables["uniform"] = self.uniform.comparisons
            metadata["inexact_uniform"] = _serialize_bounds(self.uniform)
        return self.corpus, metadata, tables, {}

    @classmethod
    def _read_file(cls, file: RowsFile, documents: Mapping[str, Any]) -> ComparedSystems:
        """Build the rows of systems from a file; see :meth:`ComparedRows._read_file`."""
        corpus = documents["corpus"]
        gold, remarks = file.about.get("gold"), file.about.get("remarks", [])
        if not isinstance(gold, str) or gold not in corpus.layers:
            raise InputError(f"{file.name}: gold {quote_value(gold)} is none of its annotators")
        rows = _read_table(file, "rows", "inexact", corpus)
        uniform = None
        if "inexact_uniform" in file.about:
            uniform = _read_table(file, "uniform", "inexact_uniform", corpus)
        if not isinstance(remarks, list) or not all(isinstance(note, str) for note in remarks):
            raise InputError(
                f"{file.name}: remarks are a list of texts, not {quote_value(remarks)}"
            )
        return cls(**documents, gold=gold, rows=rows, uniform=uniform, notes=tuple(remarks))

    def finished(self) -> ComparedSystems:
        """Replace the matches of a random baseline by their means over many draws.

        Draws need all documents, so rows are finished when the corpus is complete. Other rows are
        returned unchanged.
        """
        if self.corpus.of_rows or not self.corpus.reading.get("made"):
            return self
        from spanagree.comparisons.random_layers import NAME, is_drawn  # rarely drawn

        if self.gold == NAME or not is_drawn(self.corpus):
            return self
        rows, note = _replace_random_by_mean(self.rows, self)
        uniform = self.uniform and _replace_random_by_mean(self.uniform, self)[0]
        return replace(self, rows=rows, uniform=uniform, notes=(note,))


def _choose_gold(corpus: Corpus, gold: str | None) -> str:
    """Return the name of the gold layer, by default the first; check that a system exists too."""
    names = corpus.annotators
    if len(names) < 2:
        raise MissingLayerError(
            f"{pluralize(len(names), 'annotator')} in the corpus; gold and at least one system are"
            " needed: pass a second file, or --columns gold=1,mine=2"
        )
    gold = names[0] if gold is None else gold
    check_known([gold], names, "gold")
    return gold


def _check_segments_of_gold(corpus: Corpus, gold: str) -> None:
    """Check that gold has no scores if predictions are left out by them, and no missing quote.

    Raises:
        SettingError: if gold has scores.
        InputError: naming the first quote of gold that is not in the text.
    """
    if corpus.reading.get("min_score") is not None:
        from spanagree.comparisons.prediction_scores import check_unscored  # rarely scored

        check_unscored(corpus, [gold])
    quotes = corpus.unplaced.get(gold)
    if quotes is not None:
        document = quote_value(corpus.id_of(int(quotes.at[0])))
        raise InputError(
            f"{escape_name(gold)}, document {document}: {quote_value(quotes.quote[0])} is not in"
            " the text,"
            f" or not as often as it is quoted{write_number_of_further(len(quotes))}; what gold"
            " marks has to be in the text: mend the quote or the text"
        )


def _infer_seen(corpus: Corpus, gold: str) -> Corpus:
    """Let systems have seen the documents of gold, if the source does not record who saw them."""
    if gold not in corpus.layers or not corpus.seen_unknown:
        return corpus
    from spanagree.corpus.roles import infer_seen_by_systems  # most sources record it

    return infer_seen_by_systems(
        corpus, [name for name in corpus.annotators if name != gold], [gold]
    )


def _are_rows_of_parts_valid(corpus: Corpus, gold: str, parts: Sequence[ComparedSystems]) -> bool:
    """Check whether the rows of parts are equal to the rows of the whole corpus.

    They are not if a part has another gold, or another treatment of chance. Nor are they if a
    system is missing in a part, and the source does not record which documents it saw: in the whole
    corpus it then saw all documents of gold.
    """
    return (
        can_concatenate_rows([part.kind for part in parts])
        and all(part.gold == gold for part in parts)
        and not any(
            gold in part.corpus.layers and name not in part.corpus.layers
            for name in corpus.seen_unknown
            for part in parts
        )
    )


def _compare_corpus(corpus: Corpus, counting: MatchCountOptions, gold: str) -> ComparedSystems:
    """Compare systems with gold, with and without the rule of places; check nothing."""
    uniform_counting = counting.remove_places()
    return ComparedSystems(
        gold=gold,
        rows=compare_with_gold(corpus, gold, counting),
        uniform=None
        if uniform_counting is None
        else compare_with_gold(corpus, gold, uniform_counting),
        **describe_documents(corpus, counting),
    )


def _replace_random_by_mean(
    rows: SystemRows, compared_systems: ComparedSystems
) -> tuple[SystemRows, str]:
    """Replace the matches of the random baseline by their mean over many draws.

    Args:
        rows: rows under one chance model.
        compared_systems: object with these rows, the corpus and the measure.

    Returns:
        The new rows, and a note on the draws.
    """
    from spanagree.comparisons.random_layers import NAME, compute_mean_of_random  # rarely drawn

    corpus, comparisons = compared_systems.corpus, rows.comparisons
    mean = compute_mean_of_random(
        corpus, [compared_systems.gold], compared_systems.counting.measure
    )
    is_random = comparisons.second == corpus.annotators.index(NAME)
    matched = comparisons.matched.astype(np.float64)
    label = np.maximum(comparisons.label[is_random], 0)
    matched[is_random] = mean.matched[comparisons.document[is_random], label]
    size = float((comparisons.size_first + comparisons.size_second)[is_random].sum())
    note = mean.write_note(size, f"{escape_name(compared_systems.gold)} stays as it is")
    return rows._replace(comparisons=replace(comparisons, matched=matched)), note


# --- rows in files ---


def _serialize_bounds(rows: SystemRows) -> dict[str, Any]:
    from spanagree.parts import row_files  # rarely needed

    return {name: row_files.serialize_inexact(inexact) for name, inexact in rows.inexact.items()}


def _read_table(file: RowsFile, table: str, bounds_key: str, corpus: Corpus) -> SystemRows:
    """Read the rows under one chance model from a file.

    Args:
        file: contents of the file.
        table: name of the table of rows.
        bounds_key: key of the error bounds of expected matches, by system.
        corpus: corpus of the file.
    """
    from spanagree.parts import row_files  # rarely needed

    stored_bounds = file.about.get(bounds_key)
    if not isinstance(stored_bounds, dict) or not stored_bounds.keys() <= corpus.layers.keys():
        raise InputError(f"{file.name}: {bounds_key} is not as rows are written")
    by_system = {
        name: row_files.parse_inexact(file, bounds) for name, bounds in stored_bounds.items()
    }
    total = sum(by_system.values(), ApproximationError())
    return SystemRows(row_files.read_table(file, table, corpus, total), by_system)
