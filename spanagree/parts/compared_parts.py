"""Comparison of the parts of a corpus, and joining of what belongs to the whole corpus.

Each part is compared in the process that reads it, which returns its rows. Everything that depends
on all parts is decided here, when the rows are joined: the chance model, the measure, the traits of
the corpus, and its notes.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

from spanagree.arrays import Progress
from spanagree.chance.model import AUTO, ChanceModel
from spanagree.comparisons.corpus_kind import CorpusKind
from spanagree.comparisons.counting import ComparisonContext, ComparisonRequest, MatchCountOptions
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.overlaps import find_widest_chance
from spanagree.comparisons.selection import Selection, drop_unused_text, join_items
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.same_texts import hash_texts, write_note_on_same_texts
from spanagree.corpus.times import look_up_ticks
from spanagree.errors import InputError, SettingError, format_setting, quote_value
from spanagree.parts.compared_rows import ComparedRows
from spanagree.parts.each import Part, process_and_join_parts

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

    from spanagree.choices import MatchName

_Rows = TypeVar("_Rows", bound=ComparedRows)


def compare_parts(
    source: Iterable[Part],
    compare_part: Callable[..., _Rows],
    join: Callable[..., _Rows],
    role_names: Mapping[str, Any],
    request: ComparisonRequest,
    executor: Executor | None,
    progress: Progress,
) -> _Rows:
    """Compare the parts of a corpus, and join their rows to the rows of the whole corpus.

    Args:
        source: parts of a corpus.
        compare_part: function of a part that returns its rows; processes need one that can be
            pickled.
        join: function that joins the rows of parts by name.
        role_names: names of the annotators to compare, or of gold, as keywords of both functions.
        request: settings of the comparison, a keyword of both functions.
        executor: executor with workers that read and compare the parts.
        progress: function called with the number of finished parts.

    Raises:
        SettingError, InputError: if a comparison fails; see :func:`spanagree.evaluate`.
    """
    _check_request(request)

    def compare_and_join(request: ComparisonRequest) -> _Rows:
        compare_one, join_all = (
            functools.partial(function, **role_names, request=request)
            for function in (compare_part, join)
        )
        return process_and_join_parts(source, compare_one, join_all, executor, progress)

    try:
        return compare_and_join(request)
    except _OtherChanceError as error:
        if iter(source) is source:
            raise
        return compare_and_join(replace(request, chance=error.chance))


def compare_part_of_corpus(
    part: Corpus | ComparedRows,
    request: ComparisonRequest,
    compare: Callable[[Corpus, MatchCountOptions], _Rows],
) -> _Rows:
    """Compare a part of a corpus, which may lack some layers, in the process that reads it.

    Args:
        part: documents of the corpus.
        request: settings of the comparison.
        compare: function of the compared items and the options for counting.

    Raises:
        SettingError: if a layer overlaps itself and that is not allowed.
        InputError: if the part has rows of another question.
    """
    if isinstance(part, ComparedRows):
        raise InputError(
            f"rows of {part.OF}; evaluate takes rows of systems, and agree takes rows of annotators"
        )
    corpus, counting = request.select_items(part, in_part=True)
    rows = counting.run(functools.partial(compare, corpus))
    return replace(
        rows,
        corpus=drop_unused_text(corpus, counting.chance),
        description=replace(rows.description, text_numbers=hash_texts(part)),
    )


def join_documents(
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
    _check_one_chance(rows_by_part)
    first_rows = next(iter(rows_by_part.values()))
    corpus = join_items({name: rows.corpus for name, rows in rows_by_part.items()})
    counting = replace(first_rows.counting, match=_find_measure_of_whole(request, corpus))
    descriptions = {name: rows.description for name, rows in rows_by_part.items()}
    corpus = corpus.replace(notes=(*corpus.notes, *_note_same_texts(descriptions)))
    return corpus, counting, _join_contexts([*descriptions.values()])


def compare_joined_documents(
    corpus: Corpus,
    counting: MatchCountOptions,
    description: ComparisonContext,
    compare: Callable[[Corpus, MatchCountOptions], _Rows],
) -> _Rows:
    """Compare the joined documents of parts again, because rows of parts are wrong for the whole.

    Args:
        corpus: documents of all parts.
        counting: measure and chance model.
        description: description of all parts.
        compare: function that compares a whole corpus.

    Raises:
        SettingError: if the parts are rows without segments.
    """
    corpus.check_segments("parts of which chance treats some in another way")
    rows = counting.run(functools.partial(compare, corpus))
    return replace(rows, description=description)


def count_documents_before(parts: Iterable[ComparedRows]) -> list[int]:
    """Count the documents of the parts before each part."""
    return [*accumulate((len(part.corpus) for part in parts), initial=0)][:-1]


# --- what belongs to the whole --------------------------------------------------------------------


def _check_request(request: ComparisonRequest) -> None:
    """Check the request before any part of a corpus is read.

    Raises:
        SettingError: for errors that the comparison of each part raises too; for rules for single
            documents, because the documents of a part are not known.
    """
    places = request.chance.places
    if places is not None and places.documents is not None:
        raise SettingError(
            "places: a list with a rule for each document needs one corpus, not parts; a name"
            " or a predicate would work"
        )
    if request.selection is None or not request.selection.tolerance:
        # a tolerance is in units of the corpus, which are unknown yet
        find_measure(request.name_measure(""))


def _find_measure_of_whole(request: ComparisonRequest, corpus: Corpus) -> MatchName:
    """Find the name of the measure for a whole corpus, and check that the corpus fits.

    Args:
        request: settings of the comparison.
        corpus: joined parts, with the compared items of each.

    Raises:
        SettingError: if no segment has the attribute, or the label of a rule of places; if segments
            have several fragments and there is a rule of places.
        InputError: if no token is at a place.
    """
    if not corpus.of_rows:
        if request.selection is not None:
            request.selection.refuse(corpus)
        request.chance.bind_to_ids(corpus)
    return request.find_measure_name(corpus.offsets)


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


def join_kinds(kinds_of_parts: Sequence[CorpusKind]) -> CorpusKind:
    """Combine the traits of the parts of a corpus into the traits of the whole corpus."""
    return CorpusKind(
        min((part_kind.offsets for part_kind in kinds_of_parts), key=look_up_ticks),
        any(part_kind.has_pieces for part_kind in kinds_of_parts),
        any(part_kind.is_long for part_kind in kinds_of_parts),
        frozenset().union(*(part_kind.relations for part_kind in kinds_of_parts)),
        frozenset().union(*(part_kind.undirected for part_kind in kinds_of_parts)),
    )


def can_concatenate_rows(kinds_of_parts: Sequence[CorpusKind]) -> bool:
    """Check whether rows of parts with these traits are equal to the rows of the whole corpus.

    >>> can_concatenate_rows([CorpusKind(), CorpusKind(has_pieces=True)])
    False
    """
    joined_kind = join_kinds(kinds_of_parts)
    return all(
        part_kind[:3] == joined_kind[:3]
        and part_kind.undirected == joined_kind.undirected & part_kind.relations
        for part_kind in kinds_of_parts
    )


def _join_contexts(contexts: Sequence[ComparisonContext]) -> ComparisonContext:
    """Add the contexts of parts of a corpus."""
    shares = [context.shares for context in contexts if context.shares is not None]
    edges = [context.word_edges for context in contexts if context.word_edges is not None]
    return ComparisonContext(
        functools.reduce(operator.add, shares) if shares else None,
        functools.reduce(lambda total, other: total.add(other), edges) if edges else None,
    )


def _note_same_texts(contexts: Mapping[str, ComparisonContext]) -> tuple[str, ...]:
    """Write a note if parts, such as files, contain the same texts under different ids."""
    text_numbers = [
        context.text_numbers
        for i, (name, context) in enumerate(contexts.items(), 1)
        if context.text_numbers is not None and name != f"part {i}"
    ]
    return write_note_on_same_texts(text_numbers)


# --- parts that are rows already ------------------------------------------------------------------


def check_same_settings(
    rows: ComparedRows, request: ComparisonRequest, names: Sequence[tuple[str, Any, Any]]
) -> None:
    """Raise an error if rows were compared by another measure, chance model or setting.

    Args:
        rows: rows of a part, which were compared before.
        request: settings of the comparison.
        names: name of each other setting, with its value in the rows and the requested value.

    Raises:
        SettingError: naming the first difference.
    """
    selection = Selection() if request.selection is None else request.selection
    chance_of_rows, model = rows.counting.chance, request.chance
    if model.is_open and chance_of_rows.undefined:
        model = chance_of_rows
    elif model.name == AUTO:
        model = replace(model, name=chance_of_rows.name)
    settings = [
        ("match", rows.counting.match, request.find_measure_name(rows.corpus.offsets)),
        ("chance", _describe_chance(chance_of_rows), _describe_chance(model)),
        *names,
        *selection.differences(rows.selection, rows.corpus, request.match),
    ]
    for name, recorded_value, requested_value in settings:
        if recorded_value != requested_value:
            raise SettingError(
                f"{name} {quote_value(requested_value)}; the rows are of {name}"
                f" {quote_value(recorded_value)}: ask for that, or compare the corpus anew"
            )


def _describe_chance(chance: ChanceModel) -> str:
    """Describe a chance model by its name and its other settings."""
    (_, name), *other_settings = chance.settings.items()
    return ", ".join((name, *(f"{key} {value}" for key, value in other_settings)))
