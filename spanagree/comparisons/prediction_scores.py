"""Scores of predictions: those below a least one are left out before anything is compared."""

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
    """Return whether segments of a layer, or its quotes that are not in the text, have scores."""
    if name in corpus.unplaced and corpus.unplaced[name].score is not None:
        return True
    details = corpus.layers[name].details
    if details is None or SCORE not in details.attributes:
        return False
    return bool((details.attributes[SCORE] >= 0).any())


def scores_of(corpus: Corpus, name: str) -> Floats:
    """Return the score of each segment of a layer, ``nan`` for one without.

    Raises:
        InputError: if a score is not a finite number.

    >>> corpus = Corpus.from_segments([5], {"a": [[(0, 2, "X", {"score": "0.5"}), (3, 4, "X")]]})
    >>> scores_of(corpus, "a").tolist()
    [0.5, nan]
    """
    layer = corpus.layers[name]
    if layer.details is None or SCORE not in layer.details.attributes:
        return np.full(len(layer), np.nan)
    values, code = layer.details.values[SCORE], layer.details.attributes[SCORE]
    numbers = np.array([*map(_number, values), np.nan])  # −1 is the last
    wrong = np.flatnonzero(np.isnan(numbers[code]) & (code >= 0))
    if len(wrong):
        row = int(wrong[0])
        document = corpus.id_of(int(layer.document[row]))
        raise InputError(
            f"annotator {quote_value(name)}, document {quote_value(document)}: score"
            f" {quote_value(values[code[row]])} of {layer.describe([row], corpus.labels)}; a"
            " number is needed"
        )
    return np.asarray(numbers[code], np.float64)


def _number(text: str) -> float:
    """Return a text as a number; ``nan`` if it is not a finite one."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def check_min_score(least: object) -> None:
    """Raise unless a least score is a finite number.

    Raises:
        SettingError: then.
    """
    is_number = isinstance(least, (Real, np.number)) and not isinstance(least, bool)
    if not is_number or not math.isfinite(float(least)):  # type: ignore[arg-type]  # a number
        raise SettingError(f"min_score {quote_value(least)}; a number is needed, such as 0.5")


def with_min_score(corpus: Corpus, least: float, *, in_part: bool = False) -> Corpus:
    """Build the corpus without the segments whose score is below the least one.

    Segments without a score stay. Notes count both.

    Args:
        corpus: annotations.
        least: the least score that is kept.
        in_part: whether this is a part of a corpus, in which no segment need have a score.

    Raises:
        SettingError: if no segment has a score, or ``least`` is not a number.
        InputError: if a score is not a number.

    >>> spans = [(0, 2, "X", {"score": "0.5"}), (3, 4, "X", {"score": "0.4"})]
    >>> corpus = with_min_score(Corpus.from_segments([5], {"a": [spans]}), 0.5)
    >>> len(corpus.layers["a"]), corpus.notes
    (1, ('a: 1 segment with a score below 0.5 left out',))
    """
    check_min_score(least)
    if not in_part:
        check_scores(corpus)
    layers, unplaced, notes = dict(corpus.layers), dict(corpus.unplaced), list[str]()
    for name, layer in corpus.layers.items():
        if not has_scores(corpus, name):
            continue
        scores = scores_of(corpus, name)
        is_below, has_none = scores < least, int(np.isnan(scores).sum())
        layers[name] = layer.only(~is_below)
        n_below = int(is_below.sum())
        if (quotes := corpus.unplaced.get(name)) is not None:
            is_low = quotes.scores < least
            unplaced[name] = quotes.taken(~is_low)
            n_below += int(is_low.sum())
            has_none += int(np.isnan(quotes.scores).sum())
        left_out = pluralize(n_below, "segment")
        notes.append(f"{escape_name(name)}: {left_out} {_LEFT_OUT} {least:g} left out")
        if has_none:
            without = pluralize(has_none, "segment")
            notes.append(f"{escape_name(name)}: {without} without a score kept")
    return corpus.replace(layers=layers, unplaced=unplaced, notes=(*corpus.notes, *notes))


def check_scores(corpus: Corpus) -> None:
    """Raise if no segment of a corpus has a score, or had one that was too low.

    Raises:
        SettingError: then.
    """
    were_there = any(_LEFT_OUT in note for note in corpus.notes)  # all of them may be gone
    if not were_there and not any(has_scores(corpus, name) for name in corpus.layers):
        raise SettingError(f"min_score: {NO_SCORES}")


def check_unscored(corpus: Corpus, names: Iterable[str]) -> None:
    """Raise if gold has scores, as it is no prediction.

    Raises:
        SettingError: naming the first layer that has.
    """
    for name in names:
        if name in corpus.layers and has_scores(corpus, name):
            raise SettingError(
                f"{escape_name(name)}: gold has scores too, and only predictions are left out by"
                " theirs; take the scores out of gold"
            )
