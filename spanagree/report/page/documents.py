"""Data of the browser of documents: the corpus as JSON, in columns.

The browser is the part of the page that shows documents with the segments of two annotators. To
save space, sorted integers are written as differences of neighbours, and masks as runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from spanagree.agreement.label_confusion import Confusion
from spanagree.comparisons.pairing import OUTCOMES
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, is_time
from spanagree.corpus.times import convert_to_seconds
from spanagree.report.overview import Overview
from spanagree.settings import document_noun
from spanagree.uncertainty.chance_statistics import ChanceStatistics

_HALVES = re.compile("[\ud800-\udfff]")  # replaced one by one, so that offsets stay
_SPECIAL = re.compile("[<>&\u2028\u2029]")  # with a meaning in HTML or in a script


def format_data(report: Overview) -> str:
    """Format the corpus of a report as JSON for the browser.

    Each text is contained once; segments consist of integers. Characters with a meaning in HTML
    are escaped.
    """
    corpus, difficulties, confused = report.corpus, report.difficulty, report.team_confusion
    names = list(corpus.layers)
    distinct_difficulties, inverse = np.unique(
        difficulties.values[difficulties.defined], return_inverse=True
    )
    difficulty_index = np.full(len(corpus), -1)
    difficulty_index[difficulties.defined] = inverse
    data = {
        "document": document_noun(difficulties.settings),
        "offsets": corpus.offsets,
        "seconds": convert_to_seconds(1, corpus.offsets) if is_time(corpus.offsets) else None,
        "kinds": OUTCOMES,
        "between": [names.index(name) for name in report.first_pair],
        "ids": corpus.ids,
        "lengths": corpus.lengths.tolist() if (texts := _list_texts(corpus)) is None else None,
        "texts": texts,
        "labels": corpus.labels,
        "annotators": names,
        "short": [report.short_names[name] for name in names],
        "team": None if confused is None else _list_cells(corpus, confused),
        "seen": [_compute_runs(layer) for layer in corpus.layers.values()],
        "segments": [_list_deltas(layer) for layer in corpus.layers.values()],
        "pieces": [_list_fragments(layer) for layer in corpus.layers.values()],
        "links": [_list_relations(layer) for layer in corpus.layers.values()],
        "difficulty": {"values": distinct_difficulties.tolist(), "of": difficulty_index.tolist()},
        "by_chance": [
            [names.index(a), names.index(b), _list_likelihoods(figures)]
            for (a, b), figures in report.chance_by_pair.items()
        ],
    }
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = _HALVES.sub("\ufffd", text)
    return _SPECIAL.sub(lambda special: f"\\u{ord(special[0]):04x}", text)


def _list_cells(corpus: Corpus, confused: Confusion) -> list[int]:
    """Return a flat list of row label index, column label index and count of each non-zero cell."""
    label_indices = [*(corpus.labels.index(label) for label in confused.labels), len(corpus.labels)]
    cells = np.argwhere(confused.matrix).tolist()
    rows = ((label_indices[i], label_indices[j], int(confused.matrix[i, j])) for i, j in cells)
    return [cell_value for row in rows for cell_value in row]


def _list_likelihoods(figures: Mapping[int, ChanceStatistics]) -> list[float]:
    """List document index and p against chance, flat, of each document with a defined p.

    An index is written as the difference from the index before it.
    """
    p = {
        document_index: statistics.p
        for document_index, statistics in figures.items()
        if statistics.z == statistics.z and statistics.p == statistics.p
    }
    steps = np.diff([0, *p]).tolist()
    return [
        number
        for step, value in zip(steps, p.values(), strict=True)
        for number in (step, _round_p(value))
    ]


def _round_p(p: float) -> float:
    """Round p to three digits, enough to show and to sort by."""
    return float(f"{p:.3g}")


def _list_texts(corpus: Corpus) -> list[Any] | None:
    """List each document's text or tokens; tokens without spaces are joined by spaces.

    Returns:
        A text, or a list of tokens, for each document; `None` for a corpus without texts.
    """
    if corpus.offsets == "characters":
        return None if corpus.texts is None else list(corpus.texts)
    if corpus.tokens is None:
        return None
    bounds = zip(corpus.starts.tolist(), (corpus.starts + corpus.lengths).tolist(), strict=True)
    texts: list[Any] = []
    for low, high in bounds:
        tokens = corpus.tokens[low:high]
        joined_tokens = " ".join(tokens)
        has_plain_tokens = joined_tokens.count(" ") == len(tokens) - 1 and "" not in tokens
        texts.append(joined_tokens if has_plain_tokens else tokens)
    return texts


def _compute_runs(layer: Layer) -> list[int]:
    """Compute lengths of runs of documents, alternately seen and unseen."""
    changes = np.flatnonzero(np.diff(layer.annotated, prepend=np.True_))
    return np.diff(changes, prepend=0, append=len(layer.annotated)).tolist()


def _list_deltas(layer: Layer) -> list[int]:
    """List the step to the document of each segment, its start, length and label."""
    columns = (
        np.diff(layer.document, prepend=0),
        layer.start,
        layer.end - layer.start,
        layer.label,
    )
    return np.stack(columns, axis=1).ravel().tolist()


def _list_fragments(layer: Layer) -> dict[int, list[int]]:
    """List start and end of the fragments of each discontinuous segment, by index."""
    fragments_by_segment = (
        {} if layer.details is None else layer.details.compute_pieces_by_row(layer.start)
    )
    return {
        row: [position for piece in pieces for position in piece]
        for row, pieces in fragments_by_segment.items()
    }


def _list_relations(layer: Layer) -> dict[int, list[tuple[int, int, str, bool]]]:
    """List the relations by document index: indices of two segments, label, and direction."""
    links: dict[int, list[tuple[int, int, str, bool]]] = {}
    for link in () if layer.details is None else layer.details.yield_relations():
        links.setdefault(int(layer.document[link[0]]), []).append(link)
    return links
