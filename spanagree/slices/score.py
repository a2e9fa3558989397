"""Scores of systems against gold, or of annotators, in each slice of a corpus.

A slice is a set of documents with one value of a property, such as a genre, or a class of segments,
such as those of one length. What is scored in a slice is a system, or the team of all annotators. A
document that occurs in several slices has the same key in all of them.
"""

from __future__ import annotations

import itertools
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spanagree.agreement.result import Agreement
from spanagree.arrays import Ints
from spanagree.chance.model import NONE
from spanagree.comparisons.overlaps import find_widest_chance
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.same_texts import hash_texts
from spanagree.errors import (
    SettingError,
    check_integer,
    escape_name,
    format_setting,
    pluralize,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.score import UNDEFINED
from spanagree.results.verdict import LEVEL
from spanagree.settings import document_noun
from spanagree.slices.differences import (
    SliceDifference,
    SliceTable,
    Trend,
    compute_difference,
    compute_steps,
    compute_trend,
)
from spanagree.slices.metadata import Source
from spanagree.slices.result import Slice, Slices, SliceScore
from spanagree.slices.scored_rows import (
    Scorable,
    ScoredRows,
    collect_scored_rows,
    find_annotators,
    look_up_corpus,
)
from spanagree.slices.segment_classes import (
    LENGTH,
    SEEN,
    ClassifiedRows,
    compare_by_length,
    compare_by_seen,
)
from spanagree.slices.values import SliceBy, SlicedDocuments, find_sliced_documents, has_order
from spanagree.systems.result import Evaluation
from spanagree.uncertainty.confidence import USUAL, Jackknife, add_interval_settings, parse_ci

_MOST_SLICES = 50  # largest number of slices that are compared in pairs


@dataclass(frozen=True, eq=False)
class _SliceRows:
    """The rows of a slice, for each system or the team.

    Attributes:
        name: name of the slice.
        documents: number of documents in the slice.
        annotators: names of the annotators who share a document of the slice with another.
        rows: rows of each system or the team.
        keys: key of each document of the corpus; a document has the same key in all slices.
        parent_ids: index of the parent text of each document, if parent texts are clusters.
        no_chance: reason why chance is undefined; empty if it is exact.
    """

    name: str
    documents: int
    annotators: tuple[str, ...]
    rows: Mapping[str, ScoredRows]
    keys: Ints
    parent_ids: Ints | None = None
    no_chance: str = ""

    def score_slice(self, jackknife: Jackknife | None) -> Slice:
        """Compute the scores of each system or the team in this slice."""
        scores = {}
        for name, rows in self.rows.items():
            tally = rows.tally(jackknife, self.parent_ids)
            scores[name] = SliceScore(len(rows.seen), self._remove_chance(tally), self.no_chance)
        return Slice(self.name, self.documents, self.annotators, scores)

    def _remove_chance(self, tally: Tally) -> Tally:
        """Make the expected match of a tally ``nan`` if chance is undefined."""
        if not self.no_chance:
            return tally
        undefined_ends = (UNDEFINED, UNDEFINED)
        intervals = {
            name: ends._replace(expected=undefined_ends, corrected=undefined_ends)
            for name, ends in tally.intervals.items()
        }
        return replace(tally, expected=UNDEFINED, intervals=intervals)

    def table(self, name: str) -> SliceTable:
        """Sum the rows of a system or the team, for each document or parent text."""
        clusters, table = self.rows[name].table(self.parent_ids)
        keys = clusters if self.parent_ids is not None else self.keys[clusters]
        return SliceTable(self.name, keys, table)


def score_slices(
    result: Scorable | Mapping[str, Scorable],
    group_by: SliceBy | None = None,
    source: Source = None,
    *,
    seen: CorpusLike | None = None,
    ci: bool | Jackknife = False,
    resamples: int = 10_000,
    seed: int = 0,
    document: str | None = None,
    encoding: str = "utf-8",
) -> Slices:
    """Score each slice of the documents of an evaluation or an agreement, or of their segments.

    The rows that a result keeps for each document are summed by slice. The chance of each document
    is the same as if each slice had been evaluated separately.

    Args:
        result: evaluation or agreement; or a mapping with one for each slice, in which documents
            with the same id and text are the same document.
        group_by: column of the source, such as genre or meta.genre; FILE or FILE:COLUMN, a table
            with ids; a pattern with a group that finds the slice in the id of a document, where
            documents of the same text with ids that differ only in the group are the same document;
            the slice of each document, in order or by id; ``length``, for segments by their length;
            or ``seen``, for segments that occur in a training corpus with their label, and others.
        source: data with the column: one or several paths, a data frame, a Dataset, or rows.
        seen: training corpus for ``seen``.
        ci: True for confidence intervals of each slice, or their settings.
        resamples: number of permutations for the trend of slices in order.
        seed: random seed of the permutations, an integer from 0.
        document: column of the source with the ids of documents. Default: a column with a usual
            name.
        encoding: text encoding of a source that is a table in text.

    Raises:
        SettingError: if the column is unknown, no document is in a slice, or segments were compared
            by another measure than exact.
        InputError: if the source cannot be read, or does not state the document of each row.

    >>> import spanagree as sa
    >>> rows = [{"id": "a", "tokens": ["Jo", "is"], "gold": ["B-X", "O"], "mine": ["B-X", "O"]}]
    >>> rows += [{"id": "b", "tokens": ["Al", "is"], "gold": ["B-X", "O"], "mine": ["O", "B-X"]}]
    >>> slices = score_slices(sa.evaluate(sa.read(rows)), {"a": "news", "b": "blog"})
    >>> {part.name: part.scores["mine"].f1.observed for part in slices.slices}
    {'blog': 0.0, 'news': 1.0}
    """
    jackknife = parse_ci(ci)
    check_integer(resamples, 1, "resamples")
    check_integer(seed, 0, "seed")
    _check_result(result)
    if (group_by == SEEN) != (seen is not None):
        raise SettingError(
            "group_by seen needs a training corpus (seen), which is for nothing else; give both, or"
            " none"
        )
    testing = _SliceTests(jackknife, resamples, seed)
    if isinstance(result, Mapping):
        if group_by is not None:
            raise SettingError(
                f"group_by {group_by}: results that have names are slices already; leave it out"
            )
        return testing.build_result(*_convert_results_to_slices(result, jackknife))
    if group_by is None:
        raise SettingError("group_by: a column, a table, a pattern, or a slice for each is needed")
    if group_by in (LENGTH, SEEN):
        return _score_classes(result, str(group_by), seen, testing)
    corpus = look_up_corpus(result)
    ids = [corpus.id_of(d) for d in range(len(corpus))]
    sliced = find_sliced_documents(
        group_by,
        ids,
        source,
        noun=document_noun(result.settings),
        document=document,
        encoding=encoding,
    )
    keys, notes = _compute_document_keys(sliced, corpus)
    parent_ids = _look_up_parent_ids(result, jackknife)
    slice_rows = _split_rows_by_slice(sliced, result, collect_scored_rows(result), keys, parent_ids)
    context = _SliceContext(
        sliced.title,
        sliced.record,
        sliced.is_ordered,
        len(corpus),
        result.notes,
        result,
        no_chance=result.settings.chance_undefined or "",
        not_in_text=_write_lost_quotes_sentence([result]),
    )
    slices = testing.build_result(
        context, slice_rows, [*sliced.notes, *notes], _collect_rows(result, keys, parent_ids)
    )
    if result.places is None or result.uniform is None:
        return slices
    uniform_rows = _split_rows_by_slice(
        sliced, result, collect_scored_rows(result.uniform), keys, parent_ids
    )
    all_documents = _collect_rows(
        result.uniform, keys, parent_ids, find_annotators(result, np.ones(len(keys), np.bool_))
    )
    uniform = replace(
        slices,
        slices=tuple(slice_.score_slice(jackknife) for slice_ in uniform_rows),
        whole=None if all_documents is None else all_documents.score_slice(jackknife),
    )
    return replace(slices, places=result.places, uniform=uniform)


def _check_result(result: Any) -> None:
    """Check that a result is an evaluation, an agreement, or a mapping with several of one kind.

    Raises:
        SettingError: if it is not.
    """
    results = list(result.values()) if isinstance(result, Mapping) else [result]
    types = {type(item) for item in results}
    if len(types) != 1 or not types <= {Evaluation, Agreement}:
        raise SettingError(
            f"score_slices: {type(result).__name__}; an evaluation or an agreement is needed, as"
            " evaluate(corpus) and agree(corpus) give, or several of one kind by name"
        )
    if isinstance(result, Mapping) and len(results) < 2:
        raise SettingError("score_slices: one result by name; a slice for each needs two")


@dataclass(frozen=True, eq=False)
class _SliceContext:
    """The result that is sliced, with the properties that all slices share.

    Attributes:
        title: name of the property that the slices are values of.
        record: origin of the names of slices, for the signature.
        is_ordered: True if slices have an order.
        documents: number of documents of the corpus.
        notes: notes of the result.
        result: result, or the first of several results.
        no_chance: reason why chance is undefined; empty if it is exact.
        not_in_text: sentence about quotes that are missing from the text; empty if there are none.
    """

    title: str
    record: str
    is_ordered: bool
    documents: int
    notes: Sequence[str]
    result: Scorable
    no_chance: str = ""
    not_in_text: str = ""


@dataclass(frozen=True, eq=False)
class _SliceTests:
    """Options of the tests between slices.

    Attributes:
        jackknife: request for intervals, if there is one.
        resamples: number of permutations.
        seed: random seed of the permutations.
    """

    jackknife: Jackknife | None
    resamples: int
    seed: int

    def build_result(
        self,
        context: _SliceContext,
        slice_rows: Sequence[_SliceRows],
        notes: Iterable[str] = (),
        all_documents: _SliceRows | None = None,
    ) -> Slices:
        """Score slices, test differences between them, and build the result.

        Slices in order are tested by permutation, others by the jackknife in all pairs.

        Args:
            context: sliced result.
            slice_rows: rows of each slice.
            notes: notes on slices.
            all_documents: rows of all documents, if all slices belong to one corpus.
        """
        slices = tuple(slice_.score_slice(self.jackknife) for slice_ in slice_rows)
        names = list(dict.fromkeys(name for slice_ in slice_rows for name in slice_.rows))
        tables = {
            name: [slice_.table(name) for slice_ in slice_rows if name in slice_.rows]
            for name in names
        }
        noun = document_noun(context.result.settings)
        changes: tuple[SliceDifference, ...] = ()
        trends: dict[str, Trend] = {}
        largest, n_tested = None, 0
        if context.is_ordered:
            changes, trends = self._compare_in_order(tables, noun)
            n_tested = max((len(slice_tables) - 1 for slice_tables in tables.values()), default=0)
        else:
            value_name = "observed" if context.no_chance else "corrected"
            largest, n_tested = self._find_largest_difference(tables, noun, value_name)
        return Slices(
            title=context.title,
            slices=slices,
            whole=None if all_documents is None else all_documents.score_slice(self.jackknife),
            changes=changes,
            trends=trends,
            largest=largest,
            n_tested=n_tested,
            untested={} if context.is_ordered else _list_untested_slices(tables),
            documents=context.documents,
            settings=self._build_settings(context, slices, bool(changes)),
            notes=tuple(dict.fromkeys([*context.notes, *notes])),
            no_chance=context.no_chance,
            is_ordered=context.is_ordered,
            not_in_text=context.not_in_text,
        )

    def _build_settings(
        self, context: _SliceContext, slices: Sequence[Slice], is_drawn: bool
    ) -> Any:
        """Extend the settings of the sliced result by those of slices and tests.

        ``is_drawn`` is true if permutations were drawn.
        """
        settings = context.result.settings
        changes: dict[str, Any] = {
            "ci": None,
            "reading": {**settings.reading, "slices": context.record},
        }
        if isinstance(context.result, Agreement):
            changes |= {"min_shared": None, "without": None}
        if is_drawn:
            changes |= {"resamples": int(self.resamples), "seed": int(self.seed)}
        intervals = [score.f1.interval for slice_ in slices for score in slice_.scores.values()]
        interval_kinds = [interval.kind for interval in intervals if interval is not None]
        return add_interval_settings(replace(settings, **changes), self.jackknife, interval_kinds)

    def _compare_in_order(
        self, tables: Mapping[str, Sequence[SliceTable]], noun: str
    ) -> tuple[tuple[SliceDifference, ...], dict[str, Trend]]:
        """Compare each slice with the next, and compute the trend over more than two slices.

        Args:
            tables: tables of the slices in order, for each system or the team.
            noun: word for a document.

        Returns:
            Differences of all systems, and trend of each system.
        """
        tail = (self.jackknife or USUAL).tail
        changes = [
            change
            for name, slice_tables in tables.items()
            for change in compute_steps(name, slice_tables, tail, self.resamples, self.seed, noun)
        ]
        trends = {
            name: compute_trend(slice_tables, self.resamples, self.seed)
            for name, slice_tables in tables.items()
            if len(slice_tables) > 2
        }
        return tuple(changes), trends

    def _find_largest_difference(
        self, tables: Mapping[str, Sequence[SliceTable]], noun: str, value_name: str
    ) -> tuple[SliceDifference | None, int]:
        """Find the largest significant difference of all pairs, or else the largest difference.

        Args:
            tables: tables of the slices, for each system or the team.
            noun: word for a document.
            value_name: "corrected", or "observed" if chance is undefined.

        Returns:
            The difference, from the lower to the higher slice, or `None` if no pair can be tested,
            and the number of tested pairs.
        """
        pairs = [
            (name, tables_of_pair)
            for name, slice_tables in tables.items()
            for tables_of_pair in itertools.combinations(_select_large_slices(slice_tables), 2)
        ]
        tail = (self.jackknife or USUAL).tail
        differences = [
            compute_difference(name, tables_of_pair, tail, len(pairs), noun)
            for name, tables_of_pair in pairs
        ]
        tested_differences = [
            item for item in differences if not math.isnan(getattr(item, value_name).p)
        ]
        if not tested_differences:
            return None, 0
        significant = [
            item for item in tested_differences if getattr(item, value_name).p_adjusted < LEVEL
        ]
        largest = max(
            significant or tested_differences, key=lambda item: abs(getattr(item, value_name).value)
        )
        is_rise = getattr(largest, value_name).value >= 0
        return largest if is_rise else largest.turned, len(pairs)


def _select_large_slices(tables: Sequence[SliceTable]) -> list[SliceTable]:
    """Select the slices that are large enough for a test, at most `_MOST_SLICES`."""
    return [table for table in tables if table.is_tested][:_MOST_SLICES]


def _list_untested_slices(tables: Mapping[str, Sequence[SliceTable]]) -> dict[str, list[str]]:
    """Name the slices of each system that are too small for a test."""
    names = {
        name: [table.name for table in slice_tables if not table.is_tested]
        for name, slice_tables in tables.items()
    }
    return {name: untested for name, untested in names.items() if untested}


# --- slices of documents --------------------------------------------------------------------------


def _split_rows_by_slice(
    sliced: SlicedDocuments,
    result: Scorable,
    rows: Mapping[str, ScoredRows],
    keys: Ints,
    parent_ids: Ints | None,
) -> list[_SliceRows]:
    """Split the rows of a result by the slice of their documents.

    Args:
        sliced: slice of each document.
        result: evaluation or agreement.
        rows: rows of each system or the team.
        keys: key of each document.
        parent_ids: index of the parent text of each document, if parent texts are clusters.
    """
    slice_rows = []
    for name, documents in sliced.collect_documents().items():
        is_chosen = np.zeros(len(sliced.names), np.bool_)
        is_chosen[documents] = True
        rows_of_slice = {scored: item.select_documents(is_chosen) for scored, item in rows.items()}
        annotators = find_annotators(result, is_chosen)
        reason = result.settings.chance_undefined or ""
        slice_rows.append(
            _SliceRows(name, len(documents), annotators, rows_of_slice, keys, parent_ids, reason)
        )
    return slice_rows


def _collect_rows(
    result: Scorable,
    keys: Ints,
    parent_ids: Ints | None,
    annotators: tuple[str, ...] | None = None,
) -> _SliceRows:
    """Collect the rows of all documents of a result."""
    if annotators is None:
        annotators = find_annotators(result, np.ones(len(keys), np.bool_))
    reason = result.settings.chance_undefined or ""
    return _SliceRows(
        "all", len(keys), annotators, collect_scored_rows(result), keys, parent_ids, reason
    )


def _look_up_parent_ids(result: Scorable, jackknife: Jackknife | None) -> Ints | None:
    """Return the index of the parent text of each document, if parent texts are clusters."""
    if jackknife is None:
        return None
    if isinstance(result, Agreement):
        return jackknife.wholes_of(result.per_document.corpus.parent_ids, result.settings)
    return jackknife.wholes_of(result.counted.per_document.parent_ids, result.settings)


def _compute_document_keys(sliced: SlicedDocuments, corpus: Corpus) -> tuple[Ints, list[str]]:
    """Compute keys of documents: documents of different slices with equal id and text share a key.

    Returns:
        The key of each document, and notes.
    """
    if len({*sliced.keys}) == len(sliced.keys):
        return np.arange(len(sliced.keys)), []
    keys, notes = _assign_document_keys([(sliced.keys, corpus)], [sliced.names])
    return keys[0], notes


def _assign_document_keys(
    sources: Sequence[tuple[Sequence[str], Corpus]], names: Sequence[Sequence[str | None]]
) -> tuple[list[Ints], list[str]]:
    """Assign a key to each pair of id and text, and note ids with several texts.

    There is no note if no document occurs in two slices, because then ids are independent between
    slices. If texts are unknown, their lengths are compared.

    Args:
        sources: ids of the documents of each corpus, with the corpus.
        names: slice of each document.
    """
    texts = [hash_texts(corpus) for _, corpus in sources]
    if not all(map(len, texts)):
        texts = [np.asarray(corpus.lengths) for _, corpus in sources]
    index_by_document: dict[tuple[str, int, int], int] = {}
    n_occurrences: Counter[tuple[str | None, str, int]] = Counter()
    slices_of_key: dict[str, set[str]] = {}
    slices_of_document: dict[tuple[str, int], set[str]] = {}
    keys_of_corpora = []
    for (keys, _), text_numbers, slice_names in zip(sources, texts, names, strict=True):
        pairs = list(zip(keys, text_numbers.tolist(), strict=True))
        keys_of_corpus = []
        for pair, name in zip(pairs, slice_names, strict=True):
            n_before = n_occurrences[(name, *pair)]  # equal documents of one slice stay separate
            n_occurrences[(name, *pair)] += 1
            keys_of_corpus.append(
                index_by_document.setdefault((*pair, n_before), len(index_by_document))
            )
            if name is not None:
                slices_of_key.setdefault(pair[0], set()).add(name)
                slices_of_document.setdefault(pair, set()).add(name)
        keys_of_corpora.append(np.array(keys_of_corpus, np.int64))
    n_different = sum(
        len(slices_of_key[key]) > 1 and len(slices) == 1
        for (key, _), slices in slices_of_document.items()
    )
    are_some_same = any(len(slices) > 1 for slices in slices_of_document.values())
    if not n_different or not are_some_same:
        return keys_of_corpora, []
    return keys_of_corpora, [
        f"{pluralize(n_different, 'document')} with the id of a document in another slice, but"
        " another text; they are compared as different documents"
    ]


def _convert_results_to_slices(
    results: Mapping[str, Scorable], jackknife: Jackknife | None
) -> tuple[_SliceContext, list[_SliceRows], list[str]]:
    """Convert several results by name, each of which is a slice.

    Returns:
        The properties that all slices share, the rows of each slice, and notes.

    Raises:
        SettingError: if the results have different measures or chance models.
    """
    _check_same_chance(results)
    corpora = {name: look_up_corpus(result) for name, result in results.items()}
    sources = [
        ([corpus.id_of(d) for d in range(len(corpus))], corpus) for corpus in corpora.values()
    ]
    names = [[name] * len(corpus) for name, corpus in corpora.items()]
    keys, notes = _assign_document_keys(sources, names)
    slice_rows = [
        replace(
            _collect_rows(result, keys_of_result, _look_up_parent_ids(result, jackknife)),
            name=str(name),
        )
        for (name, result), keys_of_result in zip(results.items(), keys, strict=True)
    ]
    example = next(iter(results.values()))
    if isinstance(example, Agreement):
        all_annotators = {name for slice_ in slice_rows for name in slice_.annotators}
        example = replace(
            example, settings=replace(example.settings, annotators=len(all_annotators))
        )
    all_notes = [note for result in results.values() for note in result.notes]
    is_ordered = has_order("", list(results))
    total = sum(map(len, corpora.values()))
    sentence = _write_lost_quotes_sentence([*results.values()])
    reason = example.settings.chance_undefined or ""
    context = _SliceContext(
        "file", "file", is_ordered, total, all_notes, example, reason, not_in_text=sentence
    )
    return context, slice_rows, notes


def _write_lost_quotes_sentence(results: Sequence[Scorable]) -> str:
    """Write the sentence on the quotes of all results that are missing from the text."""
    quotes: dict[str, Any] = {}
    outcome = "count as wrong"
    for index, result in enumerate(results):
        names = [*result]
        if isinstance(result, Agreement):
            names = [name for name, member in result.annotators.items() if member.pairs]
            outcome = "match nothing"
        quotes_read = result.settings.get("quotes", {})
        quotes |= {f"{index} {name}": quotes_read[name] for name in names if name in quotes_read}
    unplaced = filter(None, (result.settings.get("unplaced") for result in results))
    settings = {"unplaced": next(unplaced, None), "quotes": quotes}
    n_lost = sum(result.not_found for result in results)
    return verdict.write_quotes_not_in_text(settings, quotes, n_lost, outcome)


def _check_same_chance(results: Mapping[str, Scorable]) -> None:
    """Check that results have the same measure and the same chance model.

    Raises:
        SettingError: if the first result and another one differ.
    """
    first_name, first = next(iter(results.items()))
    for name, result in results.items():
        for setting in ("match", "chance"):
            names = [scored_result.settings[setting] for scored_result in (first, result)]
            if names[0] != names[1]:
                common_setting = names[1] if setting == "match" else find_widest_chance(names)
                remedy = f"compute all with {format_setting(setting, common_setting)}"
                if common_setting == NONE:
                    remedy = "read them as one corpus, which has one chance"
                raise SettingError(
                    f"{quote_value(first_name)} is of {setting} {names[0]}, {quote_value(name)} of"
                    f" {names[1]}: such figures are not compared; {remedy}"
                )


# --- slices of segments ---------------------------------------------------------------------------


def _score_classes(
    result: Scorable, name: str, seen: CorpusLike | None, testing: _SliceTests
) -> Slices:
    """Score each class of segments as a slice.

    Args:
        result: evaluation or agreement.
        name: kind of class, ``length`` or ``seen``.
        seen: training corpus for ``seen``.
        testing: options of the tests between slices.

    Raises:
        SettingError: for ``seen``, if strings have no text.
    """
    if name == SEEN and look_up_corpus(result).of_strings:
        raise SettingError(
            "group_by seen: not of strings without a text; group_by length slices them"
        )
    if name == LENGTH:
        classified: ClassifiedRows = compare_by_length(result)
    else:
        classified = compare_by_seen(result, as_corpus(seen), _get_file_name(seen))
    corpus = look_up_corpus(result)
    keys, parent_ids = np.arange(len(corpus)), _look_up_parent_ids(result, testing.jackknife)
    annotators = find_annotators(result, np.ones(len(corpus), np.bool_))
    slice_rows = [
        _SliceRows(
            class_name, len(corpus), annotators, rows, keys, parent_ids, classified.no_chance
        )
        for class_name, rows in zip(classified.names, classified.rows, strict=True)
    ]
    context = _SliceContext(
        name,
        classified.record,
        False,
        len(corpus),
        result.notes,
        result,
        classified.no_chance,
        _write_lost_quotes_sentence([result]),
    )
    return testing.build_result(
        context, slice_rows, all_documents=_collect_rows(result, keys, parent_ids)
    )


def _get_file_name(source: Any) -> str:
    """Return the name of a training file."""
    if not isinstance(source, (str, os.PathLike)):
        return ""
    return escape_name(os.path.basename(os.fspath(source)))
