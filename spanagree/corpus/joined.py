"""Parts of a corpus put together: documents follow each other, equal names are one annotator."""

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
from spanagree.corpus.times import ticks_of
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.errors import InputError, escape_name, pluralize, quote_value
from spanagree.settings import READING, ReadingSetting


class SharedDocumentsError(InputError):
    """A document of the same id in several parts of a corpus."""


class SeenCorpus(Corpus):
    """Documents of which it is known who saw them, and not what is marked in them."""

    of_rows: ClassVar[bool] = True


def without_text(corpus: Corpus) -> Corpus:
    """Build the corpus of who saw and marked what, without tokens and texts."""
    return corpus.replace(tokens=None, texts=None, token_starts=None)


def joined(parts: Mapping[str, Corpus]) -> Corpus:
    """Join parts of a corpus: documents follow each other, equal names are one annotator.

    An annotator who is missing in a part never saw its documents. Of tokens and texts only what
    all parts have is kept. Recordings are counted in the finest unit of time of any part.

    Args:
        parts: the parts, by a name for errors.

    Raises:
        InputError: if parts were read with different settings, some of them have ids and others
            have none, or a document is in two of them.

    >>> one = Corpus.from_segments([5], {"a": [[(0, 2, "X")]]}, ids=["first"])
    >>> two = Corpus.from_segments([4], {"a": [[(1, 2, "Y")]]}, ids=["second"])
    >>> joined({"part 1": one, "part 2": two}).ids
    ('first', 'second')
    """
    first = next(iter(parts.values()))
    if len(parts) == 1:
        return first
    _check_ids(parts)
    parts = _in_finest_unit(parts)
    first = next(iter(parts.values()))
    reading: dict[str, Any] = {"offsets": first.offsets, **first.reading}
    for name, part in islice(parts.items(), 1, None):  # counts of the first are in it already
        reading = merged_settings(reading, {"offsets": part.offsets, **part.reading}, name)
    offsets = reading.pop("offsets")
    corpora = list(parts.values())
    labels = tuple(sorted({label for part in corpora for label in part.labels}))
    code = {label: i for i, label in enumerate(labels)}
    codes = [np.array([code[label] for label in part.labels], np.int64) for part in corpora]
    n_before = [*accumulate(map(len, corpora), initial=0)][:-1]
    layers: dict[str, Layer] = {}
    for name in dict.fromkeys(name for part in corpora for name in part.layers):
        # a layer without segments is false, so that its absence is asked by name
        pieces = [part.layers[name] if name in part.layers else _unseen(part) for part in corpora]
        layers[name] = Layer(
            np.concatenate([x.document + n for x, n in zip(pieces, n_before, strict=True)]),
            np.concatenate([x.start for x in pieces]),
            np.concatenate([x.end for x in pieces]),
            np.concatenate([codes_[x.label] for x, codes_ in zip(pieces, codes, strict=True)]),
            np.concatenate([x.annotated for x in pieces]),
            details.joined([(x.details, len(x)) for x in pieces]),
        )
    starts = [part.token_starts for part in corpora if part.token_starts is not None]
    kind = SeenCorpus if any(part.of_rows for part in corpora) else Corpus
    return kind(
        np.concatenate([part.lengths for part in corpora]),
        layers,
        labels,
        offsets=offsets,
        reading=reading,
        notes=tuple(merged_notes({name: part.notes for name, part in parts.items()})),
        seen_unknown=tuple(dict.fromkeys(name for part in corpora for name in part.seen_unknown)),
        changes=tuple(change for part in corpora for change in part.changes),
        unplaced=_unplaced(corpora, n_before),
        parent_ids=_wholes(corpora),
        token_starts=np.concatenate(starts) if len(starts) == len(corpora) else None,
        **{name: _chained(corpora, name) for name in ("ids", "texts", "tokens", "text_ends")},
    )


def merged_notes(parts: Mapping[str, Sequence[str]]) -> list[str]:
    """List the notes of all parts once, each with the first part that has it.

    Parts that are known by their number only are not named.

    >>> merged_notes({"a.csv": ["1 segment dropped"], "b.csv": ["a.csv: odd", "1 segment dropped"]})
    ['a.csv and 1 more: 1 segment dropped', 'b.csv: a.csv: odd']
    >>> merged_notes({"part 1": ["odd"], "part 2": ["odd"]})
    ['odd']
    """
    names_by_note: dict[str, list[str]] = {}
    for number, (name, notes) in enumerate(parts.items(), 1):
        for note in notes:
            path, _, rest = note.partition(": ")
            is_own = path.endswith(name)
            names = names_by_note.setdefault(rest if is_own else note, [])
            names += [] if name == f"part {number}" else [name]
    return [
        f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {note}"
        if names
        else note
        for note, names in names_by_note.items()
    ]


def _in_finest_unit(parts: Mapping[str, Corpus]) -> Mapping[str, Corpus]:
    """Count recordings in the finest unit of time that any part has; other offsets stay."""
    units = {part.offsets: ticks_of(part.offsets) for part in parts.values()}
    if len(units) == 1 or not all(units.values()):
        return parts
    finest = min(units, key=lambda offsets: units[offsets])
    if any(unit % units[finest] for unit in units.values()):
        return parts
    return {
        name: _in_unit(part, finest, units[part.offsets] // units[finest])
        for name, part in parts.items()
    }


def _in_unit(part: Corpus, offsets: str, factor: int) -> Corpus:
    """Count the recordings of a part in a finer unit, of which one now is so many."""
    layers = {
        name: replace(layer, start=layer.start * factor, end=layer.end * factor)
        for name, layer in part.layers.items()
    }
    return part.replace(lengths=part.lengths * factor, layers=layers, offsets=offsets)


def _unseen(part: Corpus) -> Layer:
    """Build the layer of an annotator who saw no document of a part."""
    empty = np.zeros(0, np.int64)
    return Layer(empty, empty, empty, empty, np.zeros(len(part), np.bool_))


def _unplaced(corpora: Sequence[Corpus], n_before: Sequence[int]) -> dict[str, UnplacedQuotes]:
    """Join the quotes of all parts that are not in the text, by annotator."""
    names = dict.fromkeys(name for part in corpora for name in part.unplaced)
    parts = [*zip(corpora, n_before, strict=True)]
    by_name = {
        name: UnplacedQuotes.joined([(part.unplaced.get(name), n) for part, n in parts])
        for name in names
    }
    return {name: quotes for name, quotes in by_name.items() if quotes is not None}


def _chained(corpora: Sequence[Corpus], name: str) -> tuple[Any, ...] | None:
    columns = [getattr(part, name) for part in corpora]
    if any(column is None for column in columns):
        return None
    return tuple(value for column in columns for value in column)


def _wholes(corpora: Sequence[Corpus]) -> Any:
    """Number the wholes of all parts; a part numbers its own from 0."""
    columns = [part.parent_ids for part in corpora if part.parent_ids is not None]
    if len(columns) < len(corpora):
        return None
    sizes = [int(column.max(initial=-1)) + 1 for column in columns]
    offsets = [*accumulate(sizes, initial=0)][:-1]
    return np.concatenate([column + n for column, n in zip(columns, offsets, strict=True)])


def _check_ids(parts: Mapping[str, Corpus]) -> None:
    """Raise if a document is in two parts, or only some parts have ids."""
    has_ids = {part.ids is not None: name for name, part in parts.items()}
    if len(has_ids) > 1:
        raise InputError(
            f"{has_ids[True]} has ids of documents, {has_ids[False]} has none; with_ids() gives"
            " each document one"
        )
    if True in has_ids:
        check_unique({name: hash_names(part.ids or ()) for name, part in parts.items()})


def check_unique(ids: Mapping[str, Hashes]) -> None:
    """Raise if two documents have the same id.

    Args:
        ids: ids as numbers, for each part by its name.

    Raises:
        SharedDocumentsError: naming the first two such documents.
    """
    every_id = np.concatenate([*ids.values(), np.zeros(0, np.uint64)])
    order = np.argsort(every_id, kind="stable")
    repeats = np.flatnonzero(np.diff(every_id[order]) == 0)
    if not len(repeats):
        return
    names, ends = list(ids), np.cumsum([len(numbers) for numbers in ids.values()])
    places = []
    for row in order[repeats[0] : repeats[0] + 2].tolist():
        part = int(np.searchsorted(ends, row, side="right"))
        number = row - int(ends[part]) + len(ids[names[part]])
        places.append(f"document {number + 1} of {escape_name(names[part])}")
    more = f", and {pluralize(len(repeats) - 1, 'more document')} too" if len(repeats) > 1 else ""
    raise SharedDocumentsError(
        f"{' and '.join(places)} have the same id{more}; a document is counted once, in one part:"
        " give each an id of its own, or put together what belongs to one"
    )


_SCHEMES = "schemes"  # of the tags of each layer


def merged_settings(
    first: Mapping[str, Any], second: Mapping[str, Any], location: str = ""
) -> dict[str, Any]:
    """Return the merged settings of two parts, as plain data; an error begins with ``location``.

    Each is joined as :data:`spanagree.settings.READING` says; all others have to be the same.
    """
    before, now = first.get(_SCHEMES), second.get(_SCHEMES)
    if before and now:
        first = {**first, _SCHEMES: _schemes_of(before, now)}
        second = {**second, _SCHEMES: _schemes_of(now, before)}
    for key in sorted({*first, *second}):
        rule = READING.get(key, ReadingSetting()).joined
        before, now = first.get(key), second.get(key)
        is_unused = rule == "if used" and None in (before, now)
        if rule in ("same", "if used") and before != now and not is_unused:
            raise InputError(
                f"{location + ': ' if location else ''}{key} {quote_value(now)}; of those before it"
                f" is {quote_value(before)}, and parts made with different settings do not add"
            )
    merged = dict(first)
    for key, setting in READING.items():
        values = [part[key] for part in (first, second) if part.get(key, {}) != {}]
        if setting.joined in _JOINED and values:
            merged[key] = _JOINED[setting.joined](values)
    return merged


def _schemes_of(schemes: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Return the scheme of each layer's tags; where none are but ``O``, that of other parts."""
    return {
        layer: others.get(layer, scheme) if scheme == "none" else scheme
        for layer, scheme in schemes.items()
    }


_CountsByLayer: TypeAlias = Mapping[str, Mapping[str, int]]


def _added(parts: Sequence[_CountsByLayer]) -> dict[str, dict[str, int]]:
    """Return how often each kind of thing was counted in each layer of some parts."""
    counts: dict[str, dict[str, int]] = {}
    for part in parts:
        for layer, kinds in part.items():
            of_layer = counts.setdefault(layer, {})
            for kind, times in kinds.items():
                of_layer[kind] = of_layer.get(kind, 0) + times
    return counts


def _union(parts: Sequence[Iterable[str]]) -> list[str]:
    """Return the names that some part has, sorted."""
    return sorted({name for part in parts for name in part})


_JOINED: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "if used": lambda values: values[-1],
    "last": lambda values: values[-1],
    "least": min,
    "sum": sum,
    "union": _union,
    "counts": _added,
}
"""How the values of parts are joined, by the names in :data:`spanagree.settings.READING`."""
