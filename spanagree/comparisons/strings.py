"""Strings without a text as segments: equal strings of a document stand at the same places.

A document is then a row of places, as long as its strings: each distinct string has as many as the
annotator who gave it most often needs. The first string of an annotator is at the first of them,
the second equal one at the next, and so on: so annotators match in the lesser of their two numbers,
which is the intersection of multisets. Nothing is known of where strings would stand by chance.
"""

from __future__ import annotations

from unicodedata import normalize

import numpy as np

from spanagree.arrays import Floats, Ints, unique_rows
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.measures import OF_EQUAL, find_measure
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import SCORE, SegmentDetails
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, chosen
from spanagree.formats.changed_texts import plain

NO_TEXT = "strings have no places in a text"
"""The reason why strings have no chance."""

MEANS = {
    name: "equal strings"
    + (" with the same label" if find_measure(name).of_label else ", any label")
    for name in OF_EQUAL
}
"""What matches of strings, by measure."""


def same_string(text: str) -> str:
    """Return what equal strings have in common, as quotes are found in texts.

    Case, white space, the kind of quotation marks and NFC or NFD make no difference.

    >>> same_string(" New\\n York"), same_string("Jo")
    ('new york', 'jo')
    """
    return plain(normalize("NFC", text).strip())[0]


def as_segments(corpus: Corpus, match: str) -> Corpus:
    """Return a corpus of strings with each string as a segment.

    Args:
        corpus: annotators whose strings are in no text.
        match: measure, exact or boundaries; of boundaries labels make no difference.

    Raises:
        SettingError: for another measure.

    >>> import spanagree as sa
    >>> rows = [{"id": "1", "gold": {"PER": ["Jo", "Jo"]}, "model": {"PER": ["jo", "Al"]}}]
    >>> segments = as_segments(sa.read(rows, strings=True), "exact")[0].segments
    >>> [[segment.start for segment in segments[name]] for name in ("gold", "model")]
    [[0, 2], [0, 4]]
    """
    if match not in OF_EQUAL:
        raise SettingError(
            f"match {match}: of strings without a text it is only known whether they are the same;"
            f" use {chosen('match', *OF_EQUAL)}"
        )
    names, parts = list(corpus.layers), [corpus.unplaced.get(name) for name in corpus.layers]
    sizes = [0 if part is None else len(part) for part in parts]
    given = [part for part in parts if part is not None]
    nothing = [np.zeros(0, np.int64)]
    layer = np.repeat(np.arange(len(names)), sizes)
    document = np.concatenate([*nothing, *(part.at for part in given)])
    label_of = {name: i for i, name in enumerate(corpus.labels)}
    label = np.array([label_of[name] for part in given for name in part.label], np.int64)
    score = np.concatenate([*(part.scores for part in given), np.zeros(0)])
    string_of: dict[str, int] = {}
    code_of = {
        text: string_of.setdefault(same_string(text), len(string_of))
        for text in dict.fromkeys(text for part in given for text in part.quote)
    }
    string = np.array([code_of[text] for part in given for text in part.quote], np.int64)
    size = np.maximum(np.concatenate([*nothing, *(part.size for part in given)]), 1)

    regarded = label if find_measure(match).of_label else 0 * label
    order = np.lexsort((label, string, document, layer))
    _, which, _ = unique_rows(*(x[order] for x in (layer, document, string, regarded)))
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order)) - np.searchsorted(which, which)
    start, end, lengths = _places(document, string, number, size, len(corpus))
    layers = {}
    for i, (name, empty) in enumerate(corpus.layers.items()):
        rows = np.flatnonzero(layer == i)
        rows = rows[np.lexsort((label[rows], end[rows], start[rows], document[rows]))]
        layers[name] = Layer(
            document[rows], start[rows], end[rows], label[rows],
            empty.annotated, _scores(score[rows]),
        )  # fmt: skip
    return corpus.replace(lengths=lengths, layers=layers, unplaced={})


def chance_of_strings(corpus: Corpus, chance: ChanceModel) -> ChanceModel:
    """Return that strings have no chance.

    Args:
        corpus: annotators whose strings stand for segments, see :func:`as_segments`.
        chance: what was asked for.

    Raises:
        SettingError: if chance was asked for, or something that needs a text.
    """
    if corpus.unplaced:
        raise SettingError(f"{NO_TEXT}, which this needs; evaluate and agree compare strings")
    if chance.undefined:
        return chance
    if not chance.is_open:
        name = next(iter(chance.keeps), "chance")
        raise SettingError(f"{name}: {NO_TEXT}, so they have no chance; leave it out")
    return chance.without_chance(NO_TEXT)


def _places(
    document: Ints, string: Ints, number: Ints, size: Ints, n_documents: int
) -> tuple[Ints, Ints, Ints]:
    """Return start and end of each string, and the length of each document.

    Args:
        document, string: of each string.
        number: how many equal ones of the same annotator come before it.
        size: its length.
    """
    (document_index, _), which, _ = unique_rows(document, string)
    width, times = (np.zeros(len(document_index), np.int64) for _ in range(2))
    np.maximum.at(width, which, size)
    np.maximum.at(times, which, number + 1)
    room = width * times
    lengths = np.bincount(document_index, room, n_documents).astype(np.int64)
    first = np.cumsum(room) - room - (np.cumsum(lengths) - lengths)[document_index]
    start = first[which] + number * width[which]
    return start, start + width[which], lengths


def _scores(score: Floats) -> SegmentDetails | None:
    """Return the scores of segments as their attribute, if there are any."""
    known = np.flatnonzero(~np.isnan(score)).tolist()
    attributes = {row: {SCORE: repr(float(score[row]))} for row in known}
    return SegmentDetails.of_rows(len(score), {}, attributes, [])
