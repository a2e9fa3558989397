"""Scores of predictions, and a threshold for them that is applied before comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real

import numpy as np

from spanagree.arrays import Floats
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import SCORE
from spanagree.errors import InputError, SettingError, escape_name, pluralize, quote_value

_LEFT_OUT = "with a score below"
NO_SCORES = (
    "no segment has a score: a number under score, confidence, probability or prob beside start and"
    " end of a span; in Python read(…, scores=True) reads it"
)


def has_scores(corpus: Corpus, name: str) -> bool:
    """Check whether a segment of a layer, or a quote that is missing from the text, has a score."""
    if name in corpus.unplaced and corpus.unplaced[name].score is not None:
        return True
    details = corpus.layers[name].details
    if details is None or SCORE not in details.attributes:
        return False
    return bool((details.attributes[SCORE] >= 0).any())


def look_up_scores(corpus: Corpus, name: str) -> Floats:
    """Look up the score of each segment of a layer, ``nan`` for segments without a score.

    Raises:
        InputError: if a score is not a finite number.

    >>> corpus = Corpus.from_segments([5], {"a": [[(0, 2, "X", {"score": "0.5"}), (3, 4, "X")]]})
    >>> look_up_scores(corpus, "a").tolist()
    [0.5, nan]
    """
    layer = corpus.layers[name]
    if layer.details is None or SCORE not in layer.details.attributes:
        return np.full(len(layer), np.nan)
    values, code = layer.details.values[SCORE], layer.details.attributes[SCORE]
    # code −1 looks up the last score
    distinct_scores = np.array([*map(_parse_finite_number, values), np.nan])
    invalid_rows = np.flatnonzero(np.isnan(distinct_scores[code]) & (code >= 0))
    if len(invalid_rows):
        row = int(invalid_rows[0])
        document = corpus.id_of(int(layer.document[row]))
        raise InputError(
            f"annotator {quote_value(name)}, document {quote_value(document)}: score"
            f" {quote_value(values[code[row]])} of {layer.describe([row], corpus.labels)}; a"
            " number is needed"
        )
    return np.asarray(distinct_scores[code], np.float64)


def _parse_finite_number(text: str) -> float:
    """Parse a finite number; ``nan`` for any other text."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def check_min_score(min_score: object) -> None:
    """Raise an error if a threshold is not a finite number.

    Raises:
        SettingError: if it is not.
    """
    is_number = isinstance(min_score, (Real, np.number)) and not isinstance(min_score, bool)
    if not is_number or not math.isfinite(float(min_score)):  # type: ignore[arg-type]  # a number
        raise SettingError(f"min_score {quote_value(min_score)}; a number is needed, such as 0.5")


def drop_low_scores(corpus: Corpus, min_score: float, *, in_part: bool = False) -> Corpus:
    """Build the corpus without the segments with a score below the threshold.

    Segments without a score stay. Notes count both kinds of segments.

    Args:
        corpus: annotations.
        min_score: smallest score that is kept.
        in_part: True for a part of a corpus, in which no segment needs a score.

    Raises:
        SettingError: if no segment has a score, or ``min_score`` is not a number.
        InputError: if a score is not a number.

    >>> spans = [(0, 2, "X", {"score": "0.5"}), (3, 4, "X", {"score": "0.4"})]
    >>> corpus = drop_low_scores(Corpus.from_segments([5], {"a": [spans]}), 0.5)
    >>> len(corpus.layers["a"]), corpus.notes
    (1, ('a: 1 segment with a score below 0.5 left out',))
    """
    check_min_score(min_score)
    if not in_part:
        check_scores(corpus)
    layers, unplaced, notes = dict(corpus.layers), dict(corpus.unplaced), list[str]()
    for name, layer in corpus.layers.items():
        if not has_scores(corpus, name):
            continue
        scores = look_up_scores(corpus, name)
        is_below, n_without_score = scores < min_score, int(np.isnan(scores).sum())
        layers[name] = layer.only(~is_below)
        n_below = int(is_below.sum())
        if (quotes := corpus.unplaced.get(name)) is not None:
            is_quote_below = quotes.scores < min_score
            unplaced[name] = quotes.select(~is_quote_below)
            n_below += int(is_quote_below.sum())
            n_without_score += int(np.isnan(quotes.scores).sum())
        n_left_out = pluralize(n_below, "segment")
        notes.append(f"{escape_name(name)}: {n_left_out} {_LEFT_OUT} {min_score:g} left out")
        if n_without_score:
            n_unscored = pluralize(n_without_score, "segment")
            notes.append(f"{escape_name(name)}: {n_unscored} without a score kept")
    return corpus.replace(layers=layers, unplaced=unplaced, notes=(*corpus.notes, *notes))


def check_scores(corpus: Corpus) -> None:
    """Raise an error if no segment of a corpus has a score, and none was left out by its score.

    Raises:
        SettingError: if there is no score.
    """
    had_scores = any(_LEFT_OUT in note for note in corpus.notes)  # all of them may be left out
    if not had_scores and not any(has_scores(corpus, name) for name in corpus.layers):
        raise SettingError(f"min_score: {NO_SCORES}")


def check_unscored(corpus: Corpus, names: Iterable[str]) -> None:
    """Raise an error if gold has scores, because it is no prediction.

    Raises:
        SettingError: naming the first layer with scores.
    """
    for name in names:
        if name in corpus.layers and has_scores(corpus, name):
            raise SettingError(
                f"{escape_name(name)}: gold has scores too, and only predictions are left out by"
                " theirs; take the scores out of gold"
            )
