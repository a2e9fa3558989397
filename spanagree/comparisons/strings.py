"""Strings without a text as segments: equal strings of a document get the same places.

A document becomes a row of places. Each distinct string has as many places as the annotator who
gave it most often needs. The first string of an annotator is at the first place, the second equal
string at the second place, and so on. Two annotators who gave a string m and n times thus match
min(m, n) times, as in the intersection of multisets. There is no chance model, because it is not
known where strings may occur. Arrays have one entry for each string.
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
from spanagree.corpus.unplaced import NO_TEXT
from spanagree.errors import SettingError, format_setting
from spanagree.formats.changed_texts import fold_text

MEANS = {
    name: "equal strings"
    + (" with the same label" if find_measure(name).of_label else ", any label")
    for name in OF_EQUAL
}
"""Descriptions of matches of strings, by measure."""


def normalize_string(text: str) -> str:
    """Normalize a string so that strings that count as equal become the same.

    Case, white space, the kind of quotation marks and NFC or NFD make no difference.

    >>> normalize_string(" New\\n York"), normalize_string("Jo")
    ('new york', 'jo')
    """
    return fold_text(normalize("NFC", text).strip())[0]


def convert_to_segments(
    corpus: Corpus, match: str, chance: ChanceModel
) -> tuple[Corpus, ChanceModel]:
    """Convert each string of a corpus to a segment, with undefined chance.

    Args:
        corpus: annotations whose strings are in no text.
        match: measure, exact or boundaries; for boundaries labels make no difference.
        chance: requested chance model.

    Raises:
        SettingError: for another measure, or if a chance model was requested.

    >>> import spanagree as sa
    >>> rows = [{"id": "1", "gold": {"PER": ["Jo", "Jo"]}, "model": {"PER": ["jo", "Al"]}}]
    >>> corpus, _ = convert_to_segments(sa.read(rows, strings=True), "exact", ChanceModel("auto"))
    >>> segments = corpus[0].segments
    >>> [[segment.start for segment in segments[name]] for name in ("gold", "model")]
    [[0, 2], [0, 4]]
    """
    if match not in OF_EQUAL:
        raise SettingError(
            f"match {match}: of strings without a text it is only known whether they are the same;"
            f" use {format_setting('match', *OF_EQUAL)}"
        )
    if not chance.is_open and not chance.undefined:
        name = next(iter(chance.option_settings), "chance")
        raise SettingError(f"{name}: {NO_TEXT}, so they have no chance; leave it out")
    names, strings_of_layers = (
        list(corpus.layers),
        [corpus.unplaced.get(name) for name in corpus.layers],
    )
    sizes = [
        0 if strings_of_layer is None else len(strings_of_layer)
        for strings_of_layer in strings_of_layers
    ]
    strings = [
        strings_of_layer for strings_of_layer in strings_of_layers if strings_of_layer is not None
    ]
    empty = [np.zeros(0, np.int64)]
    layer = np.repeat(np.arange(len(names)), sizes)
    document = np.concatenate([*empty, *(strings_of_layer.at for strings_of_layer in strings)])
    label_index = {name: i for i, name in enumerate(corpus.labels)}
    label = np.array(
        [label_index[name] for strings_of_layer in strings for name in strings_of_layer.label],
        np.int64,
    )
    score = np.concatenate(
        [*(strings_of_layer.scores for strings_of_layer in strings), np.zeros(0)]
    )
    index_by_string: dict[str, int] = {}
    index_by_text = {
        text: index_by_string.setdefault(normalize_string(text), len(index_by_string))
        for text in dict.fromkeys(
            text for strings_of_layer in strings for text in strings_of_layer.quote
        )
    }
    string = np.array(
        [index_by_text[text] for strings_of_layer in strings for text in strings_of_layer.quote],
        np.int64,
    )
    size = np.maximum(
        np.concatenate([*empty, *(strings_of_layer.size for strings_of_layer in strings)]), 1
    )

    compared_label = label if find_measure(match).of_label else 0 * label
    order = np.lexsort((label, string, document, layer))
    _, group, _ = unique_rows(
        *(column[order] for column in (layer, document, string, compared_label))
    )
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - np.searchsorted(group, group)
    start, end, lengths = _compute_places(document, string, rank, size, len(corpus))
    layers = {}
    for i, (name, empty_layer) in enumerate(corpus.layers.items()):
        rows = np.flatnonzero(layer == i)
        rows = rows[np.lexsort((label[rows], end[rows], start[rows], document[rows]))]
        layers[name] = Layer(
            document[rows], start[rows], end[rows], label[rows],
            empty_layer.annotated, _build_score_details(score[rows]),
        )  # fmt: skip
    segments = corpus.replace(lengths=lengths, layers=layers, unplaced={})
    return segments, chance.remove_chance(NO_TEXT)


def _compute_places(
    document: Ints, string: Ints, rank: Ints, size: Ints, n_documents: int
) -> tuple[Ints, Ints, Ints]:
    """Compute the place of each string, and the length of each document.

    Args:
        rank: number of preceding equal strings of the same annotator.
        size: length of each string.
        n_documents: number of documents.
        document: document of each occurrence of a string.
        string: index of the string of each occurrence.

    Returns:
        Start and end of each occurrence, and length of each document.
    """
    (document_index, _), inverse, _ = unique_rows(document, string)
    width, n_copies = (np.zeros(len(document_index), np.int64) for _ in range(2))
    np.maximum.at(width, inverse, size)
    np.maximum.at(n_copies, inverse, rank + 1)
    n_places = width * n_copies
    lengths = np.bincount(document_index, n_places, n_documents).astype(np.int64)
    first = np.cumsum(n_places) - n_places - (np.cumsum(lengths) - lengths)[document_index]
    start = first[inverse] + rank * width[inverse]
    return start, start + width[inverse], lengths


def _build_score_details(score: Floats) -> SegmentDetails | None:
    """Build the details of segments with scores; ``None`` if there are no scores."""
    rows_with_score = np.flatnonzero(~np.isnan(score)).tolist()
    attributes = {row: {SCORE: repr(float(score[row]))} for row in rows_with_score}
    return SegmentDetails.from_rows(len(score), {}, attributes, [])
