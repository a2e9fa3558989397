"""Concatenation of parts of a corpus; equal names are one annotator.

A *part* is a corpus with documents of its own, such as the documents of one file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, islice
from typing import Any, ClassVar, TypeAlias

import numpy as np

from spanagree.arrays import Hashes, hash_names
from spanagree.corpus import details
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.corpus.tags import SCHEMES
from spanagree.corpus.times import look_up_ticks
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.errors import (
    InputError,
    escape_name,
    format_setting,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.settings import READING, ReadingSetting


class SharedDocumentsError(InputError):
    """A document id that occurs in several parts of a corpus."""


class SeenCorpus(Corpus):
    """Documents with the annotators who saw them, but without segments."""

    of_rows: ClassVar[bool] = True


def remove_text(corpus: Corpus) -> Corpus:
    """Remove tokens and texts from a corpus."""
    return corpus.replace(tokens=None, texts=None, token_starts=None)


def join_corpora(corpora_by_name: Mapping[str, Corpus]) -> Corpus:
    """Concatenate parts of a corpus; equal names are one annotator.

    Annotators who are missing in a part never saw its documents. Tokens and texts are kept if all
    parts have them. Recordings are counted in the finest unit of time of all parts.

    Args:
        corpora_by_name: parts by name, for error messages.

    Raises:
        InputError: if parts were read with different settings, if only some have ids, or if an id
            occurs in two parts.

    >>> one = Corpus.from_segments([5], {"a": [[(0, 2, "X")]]}, ids=["first"])
    >>> two = Corpus.from_segments([4], {"a": [[(1, 2, "Y")]]}, ids=["second"])
    >>> join_corpora({"part 1": one, "part 2": two}).ids
    ('first', 'second')
    """
    first_part = next(iter(corpora_by_name.values()))
    if len(corpora_by_name) == 1:
        return first_part
    _check_ids(corpora_by_name)
    corpora_by_name = _convert_to_finest_unit(corpora_by_name)
    first_part = next(iter(corpora_by_name.values()))
    reading: dict[str, Any] = {"offsets": first_part.offsets, **first_part.reading}
    for name, corpus in islice(
        corpora_by_name.items(), 1, None
    ):  # the first part is included already
        reading = merge_settings(reading, {"offsets": corpus.offsets, **corpus.reading}, name)
    offsets = reading.pop("offsets")
    corpora = list(corpora_by_name.values())
    labels = tuple(sorted({label for corpus in corpora for label in corpus.labels}))
    code_by_label = {label: i for i, label in enumerate(labels)}
    codes_by_part = [
        np.array([code_by_label[label] for label in corpus.labels], np.int64) for corpus in corpora
    ]
    n_before = [*accumulate(map(len, corpora), initial=0)][:-1]
    layers: dict[str, Layer] = {}
    for name in dict.fromkeys(name for corpus in corpora for name in corpus.layers):
        # an empty layer is falsy, so its presence is tested by name
        layers_of_name = [
            corpus.layers[name] if name in corpus.layers else _build_empty_layer(corpus)
            for corpus in corpora
        ]
        layers[name] = Layer(
            np.concatenate(
                [layer.document + n for layer, n in zip(layers_of_name, n_before, strict=True)]
            ),
            np.concatenate([layer.start for layer in layers_of_name]),
            np.concatenate([layer.end for layer in layers_of_name]),
            np.concatenate(
                [
                    label_codes[layer.label]
                    for layer, label_codes in zip(layers_of_name, codes_by_part, strict=True)
                ]
            ),
            np.concatenate([layer.annotated for layer in layers_of_name]),
            details.join_details([(layer.details, len(layer)) for layer in layers_of_name]),
        )
    starts = [corpus.token_starts for corpus in corpora if corpus.token_starts is not None]
    corpus_class = SeenCorpus if any(corpus.of_rows for corpus in corpora) else Corpus
    return corpus_class(
        np.concatenate([corpus.lengths for corpus in corpora]),
        layers,
        labels,
        offsets=offsets,
        reading=reading,
        notes=tuple(merge_notes({name: corpus.notes for name, corpus in corpora_by_name.items()})),
        seen_unknown=tuple(
            dict.fromkeys(name for corpus in corpora for name in corpus.seen_unknown)
        ),
        changes=tuple(change for corpus in corpora for change in corpus.changes),
        unplaced=_join_unplaced(corpora, n_before),
        parent_ids=_concatenate_parent_ids(corpora),
        token_starts=np.concatenate(starts) if len(starts) == len(corpora) else None,
        **{name: _chain_content(corpora, name) for name in ("ids", "texts", "tokens", "text_ends")},
    )


def merge_notes(notes_by_part: Mapping[str, Sequence[str]]) -> list[str]:
    """List the notes of all parts, each once, with the name of the first part.

    Parts that are known only by number are not named.

    >>> merge_notes({"a.csv": ["1 segment dropped"], "b.csv": ["a.csv: odd", "1 segment dropped"]})
    ['a.csv and 1 more: 1 segment dropped', 'b.csv: a.csv: odd']
    >>> merge_notes({"part 1": ["odd"], "part 2": ["odd"]})
    ['odd']
    """
    names_by_note: dict[str, list[str]] = {}
    for part_number, (name, notes) in enumerate(notes_by_part.items(), 1):
        for note in notes:
            path, _, text = note.partition(": ")
            is_own = path.endswith(name)
            names = names_by_note.setdefault(text if is_own else note, [])
            names += [] if name == f"part {part_number}" else [name]
    return [
        f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {note}"
        if names
        else note
        for note, names in names_by_note.items()
    ]


def _convert_to_finest_unit(corpora_by_name: Mapping[str, Corpus]) -> Mapping[str, Corpus]:
    """Convert recordings to the finest unit of time of all parts; other offsets stay."""
    units = {corpus.offsets: look_up_ticks(corpus.offsets) for corpus in corpora_by_name.values()}
    if len(units) == 1 or not all(units.values()):
        return corpora_by_name
    finest = min(units, key=lambda offsets: units[offsets])
    if any(unit % units[finest] for unit in units.values()):
        return corpora_by_name
    return {
        name: _convert_to_unit(corpus, finest, units[corpus.offsets] // units[finest])
        for name, corpus in corpora_by_name.items()
    }


def _convert_to_unit(corpus: Corpus, offsets: str, factor: int) -> Corpus:
    """Convert the recordings of a part to a unit that is smaller by a factor."""
    layers = {
        name: replace(layer, start=layer.start * factor, end=layer.end * factor)
        for name, layer in corpus.layers.items()
    }
    return corpus.replace(lengths=corpus.lengths * factor, layers=layers, offsets=offsets)


def _build_empty_layer(corpus: Corpus) -> Layer:
    """Build the layer of an annotator who saw no document of a part."""
    empty = np.zeros(0, np.int64)
    return Layer(empty, empty, empty, empty, np.zeros(len(corpus), np.bool_))


def _join_unplaced(corpora: Sequence[Corpus], n_before: Sequence[int]) -> dict[str, UnplacedQuotes]:
    """Join the quotes of all parts that are not in the text, by annotator."""
    names = dict.fromkeys(name for corpus in corpora for name in corpus.unplaced)
    parts_and_n_before = [*zip(corpora, n_before, strict=True)]
    by_name = {
        name: UnplacedQuotes.concatenate(
            [(corpus.unplaced.get(name), n) for corpus, n in parts_and_n_before]
        )
        for name in names
    }
    return {name: quotes for name, quotes in by_name.items() if quotes is not None}


def _chain_content(corpora: Sequence[Corpus], name: str) -> tuple[Any, ...] | None:
    """Concatenate the ids, texts or tokens of corpora; ``None`` if any has none."""
    columns = [getattr(corpus, name) for corpus in corpora]
    if any(column is None for column in columns):
        return None
    return tuple(value for column in columns for value in column)


def _concatenate_parent_ids(corpora: Sequence[Corpus]) -> Any:
    """Concatenate the parent ids of all parts, which start from 0 in each part."""
    columns = [corpus.parent_ids for corpus in corpora if corpus.parent_ids is not None]
    if len(columns) < len(corpora):
        return None
    sizes = [int(column.max(initial=-1)) + 1 for column in columns]
    offsets = [*accumulate(sizes, initial=0)][:-1]
    return np.concatenate([column + n for column, n in zip(columns, offsets, strict=True)])


def _check_ids(corpora_by_name: Mapping[str, Corpus]) -> None:
    """Check that no document is in two parts, and that all parts have ids or none has."""
    has_ids = {corpus.ids is not None: name for name, corpus in corpora_by_name.items()}
    if len(has_ids) > 1:
        raise InputError(
            f"{has_ids[True]} has ids of documents, {has_ids[False]} has none; with_ids() gives"
            " each document one"
        )
    if True in has_ids:
        check_unique(
            {name: hash_names(corpus.ids or ()) for name, corpus in corpora_by_name.items()}
        )


def check_unique(ids: Mapping[str, Hashes]) -> None:
    """Check that ids of documents are unique.

    Args:
        ids: hashes of ids, by name of the part.

    Raises:
        SharedDocumentsError: if two documents have the same id; names the first two.
    """
    every_id = np.concatenate([*ids.values(), np.zeros(0, np.uint64)])
    order = np.argsort(every_id, kind="stable")
    repeats = np.flatnonzero(np.diff(every_id[order]) == 0)
    if not len(repeats):
        return
    names, ends = list(ids), np.cumsum([len(hashes) for hashes in ids.values()])
    descriptions = []
    for row in order[repeats[0] : repeats[0] + 2].tolist():
        part_index = int(np.searchsorted(ends, row, side="right"))
        document_index = row - int(ends[part_index]) + len(ids[names[part_index]])
        descriptions.append(f"document {document_index + 1} of {escape_name(names[part_index])}")
    count_note = (
        f", and {pluralize(len(repeats) - 1, 'more document')} too" if len(repeats) > 1 else ""
    )
    raise SharedDocumentsError(
        f"{' and '.join(descriptions)} have the same id{count_note}; a document is counted once, in"
        " one part: give each an id of its own, or put together what belongs to one"
    )


_SCHEMES = "schemes"  # of the tags of each layer


def merge_settings(
    first_settings: Mapping[str, Any], second_settings: Mapping[str, Any], location: str = ""
) -> dict[str, Any]:
    """Merge the reading settings of two parts; errors begin with ``location``.

    Settings are merged by the rules of :data:`spanagree.settings.READING`; others have to be equal.
    """
    first_value, second_value = first_settings.get(_SCHEMES), second_settings.get(_SCHEMES)
    if first_value and second_value:
        first_settings = {**first_settings, _SCHEMES: _merge_schemes(first_value, second_value)}
        second_settings = {**second_settings, _SCHEMES: _merge_schemes(second_value, first_value)}
    for key in sorted({*first_settings, *second_settings}):
        rule = READING.get(key, ReadingSetting()).joined
        first_value, second_value = first_settings.get(key), second_settings.get(key)
        is_unused = rule == "if used" and None in (first_value, second_value)
        if rule in ("same", "if used") and first_value != second_value and not is_unused:
            difference = (
                _describe_schemes(first_value, second_value)
                if key == _SCHEMES and first_value and second_value
                else f"{key} {quote_value(second_value)}; of those before it is"
                f" {quote_value(first_value)}, and parts made with different settings do not add"
            )
            raise InputError(f"{location + ': ' if location else ''}{difference}")
    merged = dict(first_settings)
    for key, setting in READING.items():
        values = [
            settings[key]
            for settings in (first_settings, second_settings)
            if settings.get(key, {}) != {}
        ]
        if setting.joined in _JOINED and values:
            merged[key] = _JOINED[setting.joined](values)
    return merged


def _merge_schemes(schemes: Mapping[str, str], other_schemes: Mapping[str, str]) -> dict[str, str]:
    """Return the scheme of each layer's tags; layers with only ``O`` take it from other parts."""
    return {
        layer: other_schemes.get(layer, scheme) if scheme == "none" else scheme
        for layer, scheme in schemes.items()
    }


def _describe_schemes(schemes: Mapping[str, str], further_schemes: Mapping[str, str]) -> str:
    """Describe how the tags of a part differ from those before, and what to do.

    Args:
        schemes: scheme of each layer in the parts before.
        further_schemes: scheme of each layer in this part.
    """
    for layer in [layer for layer in schemes if layer in further_schemes]:
        names = schemes[layer], further_schemes[layer]
        if names[0] == names[1]:
            continue
        known = [name for name in names if name in SCHEMES]  # tags may be of mixed schemes
        letters = {letter for name in known for letter in SCHEMES[name].letters}
        covering = [name for name in known if letters <= {*SCHEMES[name].letters_before_label}]
        advice = (
            f"{format_setting('scheme', covering[0])} reads both"
            if covering and len(known) == len(names)
            else f"write all in one, as by spanagree convert with --to-scheme {known[0]}"
        )
        return (
            f"the tags of {quote_value(layer)} are {names[1]}, those of the files before it"
            f" {names[0]}; {advice}"
        )
    return (
        f"the columns of tags are {join_names(map(quote_value, further_schemes))}, those of the"
        f" files before it {join_names(map(quote_value, schemes))}; read files with other columns"
        " by themselves"
    )


_CountsByLayer: TypeAlias = Mapping[str, Mapping[str, int]]


def _add_counts(counts_of_parts: Sequence[_CountsByLayer]) -> dict[str, dict[str, int]]:
    """Add up the counts of all parts; counts are by layer, and then by kind."""
    counts: dict[str, dict[str, int]] = {}
    for counts_of_part in counts_of_parts:
        for layer, count_by_kind in counts_of_part.items():
            sums = counts.setdefault(layer, {})
            for name, count in count_by_kind.items():
                sums[name] = sums.get(name, 0) + count
    return counts


def _list_distinct_names(names_of_parts: Sequence[Iterable[str]]) -> list[str]:
    """List the names that occur in any part, sorted."""
    return sorted({name for names in names_of_parts for name in names})


_JOINED: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "if used": lambda values: values[-1],
    "last": lambda values: values[-1],
    "least": min,
    "sum": sum,
    "union": _list_distinct_names,
    "counts": _add_counts,
}
"""Functions that merge the values of parts, by the rules of :data:`spanagree.settings.READING`."""
