"""Comparison rows of systems and gold in a corpus.

A row has the sums of one document, label and system: the match with gold, its expected value, and
the sizes of both. Parts of a corpus are compared by :mod:`spanagree.systems.rows_of_parts`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.comparisons.counting import MatchCountOptions
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
from spanagree.parts.compared_rows import ComparedRows, describe_documents
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
        gold = choose_gold(corpus, gold)
        corpus_with_seen = infer_seen(corpus, gold)
        counting.check(corpus_with_seen)
        check_segments_of_gold(corpus, gold)
        return compare_layers_with_gold(corpus_with_seen, counting, gold).finished()

    def _collect_contents(
        self,
    ) -> tuple[Corpus, dict[str, Any], dict[str, Comparisons], dict[str, Any]]:
        """Collect the corpus, metadata and tables of a file of these rows."""
        from spanagree.systems.rows_in_files import collect_contents  # few write rows

        contents = collect_contents(self.gold, self.notes, self.rows, self.uniform)
        return self.corpus, *contents, {}

    @staticmethod
    def _read_contents(file: RowsFile, corpus: Corpus) -> dict[str, Any]:
        """Read gold, rows and notes from a file."""
        from spanagree.systems.rows_in_files import read_contents  # few read rows

        return read_contents(file, corpus)

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


def choose_gold(corpus: Corpus, gold: str | None) -> str:
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


def check_segments_of_gold(corpus: Corpus, gold: str) -> None:
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


def infer_seen(corpus: Corpus, gold: str) -> Corpus:
    """Let systems have seen the documents of gold, if the source does not record who saw them."""
    if gold not in corpus.layers or not corpus.seen_unknown:
        return corpus
    from spanagree.corpus.roles import infer_seen_by_systems  # most sources record it

    return infer_seen_by_systems(
        corpus, [name for name in corpus.annotators if name != gold], [gold]
    )


def compare_layers_with_gold(
    corpus: Corpus, counting: MatchCountOptions, gold: str
) -> ComparedSystems:
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
