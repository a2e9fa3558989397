"""The browser of documents: the corpus as JSON, in columns, for the script of the page."""

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
from spanagree.corpus.times import in_seconds
from spanagree.report.overview import Overview
from spanagree.settings import document_noun
from spanagree.uncertainty.chance_statistics import ChanceStatistics

_HALVES = re.compile("[\ud800-\udfff]")  # each becomes one character, so that offsets stay
_SPECIAL = re.compile("[<>&\u2028\u2029]")  # would mean something in HTML or in a script


def data_of(report: Overview) -> str:
    """Return the corpus for the script, in columns: texts once, segments as whole numbers."""
    corpus, hard, confused = report.corpus, report.difficulty, report.team_confusion
    names = list(corpus.layers)
    distinct, which = np.unique(hard.values[hard.defined], return_inverse=True)
    place = np.full(len(corpus), -1)
    place[hard.defined] = which
    data = {
        "document": document_noun(hard.settings),
        "offsets": corpus.offsets,
        "seconds": in_seconds(1, corpus.offsets) if is_time(corpus.offsets) else None,
        "kinds": OUTCOMES,
        "between": [names.index(name) for name in report.first_pair],
        "ids": corpus.ids,
        "lengths": corpus.lengths.tolist() if (texts := _texts(corpus)) is None else None,
        "texts": texts,
        "labels": corpus.labels,
        "annotators": names,
        "short": [report.short[name] for name in names],
        "team": None if confused is None else _cells(corpus, confused),
        "seen": [_runs(layer) for layer in corpus.layers.values()],
        "segments": [_deltas(layer) for layer in corpus.layers.values()],
        "pieces": [_pieces(layer) for layer in corpus.layers.values()],
        "links": [_links(layer) for layer in corpus.layers.values()],
        "difficulty": {"values": distinct.tolist(), "of": place.tolist()},
        "by_chance": [
            [names.index(a), names.index(b), _likelihoods(figures)]
            for (a, b), figures in report.by_chance.items()
        ],
    }
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = _HALVES.sub("\ufffd", text)
    return _SPECIAL.sub(lambda special: f"\\u{ord(special[0]):04x}", text)


def _cells(corpus: Corpus, confused: Confusion) -> list[int]:
    """Return the cells of a confusion that are not 0: both labels by number, and how often."""
    numbers = [*(corpus.labels.index(label) for label in confused.labels), len(corpus.labels)]
    cells = np.argwhere(confused.matrix).tolist()
    rows = ((numbers[i], numbers[j], int(confused.matrix[i, j])) for i, j in cells)
    return [number for row in rows for number in row]


def _likelihoods(figures: Mapping[int, ChanceStatistics]) -> list[float]:
    """Return p of the documents in which chance can vary: how many documents further, and p."""
    p = {
        d: statistics.p
        for d, statistics in figures.items()
        if statistics.z == statistics.z and statistics.p == statistics.p
    }
    steps = np.diff([0, *p]).tolist()
    return [
        x for step, value in zip(steps, p.values(), strict=True) for x in (step, _rounded(value))
    ]


def _rounded(p: float) -> float:
    """Return p to three digits, which is enough to show and to sort by."""
    return float(f"{p:.3g}")


def _texts(corpus: Corpus) -> list[Any] | None:
    """Return the text of each document, or its tokens, in one string where no token has a space."""
    if corpus.offsets == "characters":
        return None if corpus.texts is None else list(corpus.texts)
    if corpus.tokens is None:
        return None
    bounds = zip(corpus.starts.tolist(), (corpus.starts + corpus.lengths).tolist(), strict=True)
    texts: list[Any] = []
    for low, high in bounds:
        tokens = corpus.tokens[low:high]
        joined = " ".join(tokens)
        plain = joined.count(" ") == len(tokens) - 1 and "" not in tokens
        texts.append(joined if plain else tokens)
    return texts


def _runs(layer: Layer) -> list[int]:
    """Return runs of documents: so many seen, then so many not, and so on."""
    changes = np.flatnonzero(np.diff(layer.annotated, prepend=np.True_))
    return np.diff(changes, prepend=0, append=len(layer.annotated)).tolist()


def _deltas(layer: Layer) -> list[int]:
    """Return how many documents further each segment is, its start, length and label."""
    columns = (
        np.diff(layer.document, prepend=0),
        layer.start,
        layer.end - layer.start,
        layer.label,
    )
    return np.stack(columns, axis=1).ravel().tolist()


def _pieces(layer: Layer) -> dict[int, list[int]]:
    """Return start and end of each piece, of segments that have several, by their number."""
    known = {} if layer.details is None else layer.details.pieces(layer.start)
    return {row: [at for piece in pieces for at in piece] for row, pieces in known.items()}


def _links(layer: Layer) -> dict[int, list[tuple[int, int, str, bool]]]:
    """Return the relations of each document by its number: both segments, label, direction."""
    links: dict[int, list[tuple[int, int, str, bool]]] = {}
    for link in () if layer.details is None else layer.details.relations():
        links.setdefault(int(layer.document[link[0]]), []).append(link)
    return links
