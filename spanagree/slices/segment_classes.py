"""Slices of segments instead of documents: by length, and by occurrence in a training corpus.

A class is a set of segments, such as those of length 2, or those that occur in training.

Under exact match, two segments match only if they have the same place and label, and so the same
length and text. A class of segments that is determined by length and text therefore has separate
matches, and counts add up over classes.

A random annotation keeps the lengths and labels of segments in each document. So the expected match
of each length is exact, and these add up to that of all segments. Whether a random segment occurs
in the training corpus depends on its place, so there is no chance model for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spanagree.agreement.compared_annotators import ComparedAnnotators
from spanagree.agreement.count import PairsByDocument as TeamDocuments
from spanagree.agreement.result import Agreement
from spanagree.arrays import Ints
from spanagree.choices import SLICES
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.measures import find_measure, list_measures
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError
from spanagree.slices.scored_rows import (
    TEAM,
    Scorable,
    ScoredRows,
    collect_scored_rows,
    look_up_corpus,
)
from spanagree.systems.compared_systems import ComparedSystems

LENGTH, SEEN = SLICES

_SEEN_NAMES = ("seen", "unseen")
_LAST_LENGTH = 4  # last length in tokens with a separate class

NO_CHANCE_OF_SEEN = "whether a random segment is one that was seen, depends on where it falls"
_NO_CHANCE_PER_LABEL = (
    "under chance per-label, segments of one label keep apart whatever their length, so no length"
    " has a chance of its own"
)
_NO_CHANCE_AT_PLACES = "a rule of places is not kept by lengths here"


@dataclass(frozen=True, eq=False)
class ClassifiedRows:
    """Rows of each class of segments.

    Attributes:
        names: names of the classes, in order.
        rows: rows of each class, for each system or the team.
        record: origin of the classes, for the signature.
        no_chance: reason why chance is undefined; empty if it is exact.
    """

    names: tuple[str, ...]
    rows: tuple[dict[str, ScoredRows], ...]
    record: str
    no_chance: str = ""


def compare_by_length(result: Scorable) -> ClassifiedRows:
    """Compare annotators, or systems with gold, on the segments of each length separately.

    Raises:
        SettingError: for a measure under which segments of different lengths match; for a result
            with unknown segments.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X"), (3, 5, "X")]], "mine": [[(0, 1, "X"), (3, 4, "X")]]}
    >>> found = compare_by_length(sa.evaluate(sa.Corpus.from_segments([9], layers)))
    >>> found.names, [rows["mine"].rows.total().matched for rows in found.rows]
    (('1', '2'), [1, 0])
    """
    corpus = _look_up_corpus_to_classify(result, LENGTH)
    measure = _find_length_class if corpus.offsets == "tokens" else _find_doubling_class
    layers = {name: measure(layer.end - layer.start) for name, layer in corpus.layers.items()}
    quotes = {
        name: measure(np.maximum(layer_quotes.size, 1))
        for name, layer_quotes in corpus.unplaced.items()
    }
    codes = [*layers.values(), *quotes.values()]
    present_codes = np.unique(np.concatenate([np.zeros(0, np.int64), *codes])).tolist()
    names = tuple(_name_length_class(code, corpus.offsets == "tokens") for code in present_codes)
    no_chance = result.settings.chance_undefined or ""
    if result.settings.chance == "per-label":
        no_chance = _NO_CHANCE_PER_LABEL
    if result.settings.places is not None:
        no_chance = _NO_CHANCE_AT_PLACES
    classes, quote_classes = (
        {name: np.searchsorted(present_codes, codes) for name, codes in by_name.items()}
        for by_name in (layers, quotes)
    )
    rows = _compare_classes(result, corpus, classes, quote_classes, names)
    return ClassifiedRows(names, rows, LENGTH, no_chance)


def _find_length_class(length: Ints) -> Ints:
    """Find the index of the class of each length in tokens."""
    return np.minimum(length, _LAST_LENGTH + 1)


def _find_doubling_class(length: Ints) -> Ints:
    """Find the index of the class of each length: 1, 2 to 3, 4 to 7 and so on."""
    return np.asarray(np.frexp(length.astype(np.float64))[1], np.int64)


def _name_length_class(code: int, in_tokens: bool) -> str:
    """Return the name of a class of lengths.

    >>> [_name_length_class(code, True) for code in (1, 5)], _name_length_class(3, False)
    (['1', '5 or more'], '4–7')
    """
    if in_tokens:
        return str(code) if code <= _LAST_LENGTH else f"{code} or more"
    low = 1 << max(code - 1, 0)
    return f"{low}–{2 * low - 1}" if low > 1 else "1"


def compare_by_seen(result: Scorable, training: Corpus, training_name: str = "") -> ClassifiedRows:
    """Compare on two classes of segments: those that occur in a training corpus, and others.

    A segment occurs there if a training segment has the same text and label.
    White space is ignored, so that tokenization has no effect. Case is not ignored.

    Args:
        result: evaluation or agreement.
        training: training corpus of a system; the segments of all its annotators count.
        training_name: name of the training corpus, for the signature.

    Raises:
        SettingError: for another measure than exact; if texts are unknown.

    >>> import spanagree as sa
    >>> tags = {"gold": [["B-PER", "B-LOC"]], "mine": [["B-PER", "O"]]}
    >>> rows = [{"tokens": ["Ann", "Rome"], "gold": tags["gold"][0], "mine": tags["mine"][0]}]
    >>> training = sa.read([{"tokens": ["Ann"], "tags": ["B-PER"]}])
    >>> found = compare_by_seen(sa.evaluate(sa.read(rows)), training)
    >>> [rows["mine"].rows.total().f1.observed for rows in found.rows]
    [1.0, 0.0]
    """
    corpus = _look_up_corpus_to_classify(result, SEEN)
    training_entries = {
        entry
        for layer in training.layers.values()
        for entry in _list_entries(training, layer, SEEN)
    }
    classes = {
        name: np.array(
            [
                entry not in training_entries
                for entry in _list_entries(corpus, layer, "group_by seen")
            ],
            int,
        )
        for name, layer in corpus.layers.items()
    }
    quotes = {
        name: np.array(
            [
                ("".join(text.split()), label) not in training_entries
                for text, label in zip(layer_quotes.quote, layer_quotes.label, strict=True)
            ],
            int,
        )
        for name, layer_quotes in corpus.unplaced.items()
    }
    rows = _compare_classes(result, corpus, classes, quotes, _SEEN_NAMES)
    return ClassifiedRows(_SEEN_NAMES, rows, f"{SEEN} {training_name}".strip(), NO_CHANCE_OF_SEEN)


def _list_entries(corpus: Corpus, layer: Layer, purpose: str) -> list[tuple[str, str]]:
    """List text and label of each segment of a layer; white space is removed from the text.

    Args:
        corpus: corpus of the layer.
        layer: segments of an annotator.
        purpose: beginning of the message if texts are unknown.
    """
    read_text = _build_text_reader(corpus, purpose)
    fragments_by_row = (
        {} if layer.details is None else layer.details.compute_pieces_by_row(layer.start)
    )
    columns = (column.tolist() for column in (layer.document, layer.start, layer.end, layer.label))
    entries = []
    for row, (document, start, end, label) in enumerate(zip(*columns, strict=True)):
        fragments = fragments_by_row.get(row) or [(start, end)]
        text = "".join(read_text(document, low, high) for low, high in fragments)
        entries.append(("".join(text.split()), corpus.labels[label]))
    return entries


def _build_text_reader(corpus: Corpus, purpose: str) -> Callable[[int, int, int], str]:
    """Build a function of document index, start and end that returns this part of the text.

    Tokens are joined without spaces. ``purpose`` begins the message if texts are unknown.
    """
    if corpus.offsets == "characters":
        texts = corpus.known("texts", purpose)
        return lambda document, start, end: texts[document][start:end]
    tokens, first = corpus.known("tokens", purpose), corpus.starts.tolist()
    return lambda document, start, end: "".join(
        tokens[first[document] + start : first[document] + end]
    )


def _look_up_corpus_to_classify(result: Scorable, name: str) -> Corpus:
    """Return the corpus of a result, after a check that only segments of one class can match.

    Args:
        result: evaluation or agreement.
        name: kind of class, ``length`` or ``seen``.

    Raises:
        SettingError: if the measure can match segments of different classes.
    """
    corpus = look_up_corpus(result)
    corpus.check_segments(f"group_by {name}")
    match = result.settings.match
    allowed = list_measures(
        lambda measure: measure.kernel == "equal" and (measure.of_label or name == LENGTH)
    )
    if match not in allowed or corpus.of_relations:
        subject = "relations" if corpus.of_relations else f"match {match}"
        raise SettingError(
            f"group_by {name}: {subject} may pair segments of different classes; choose"
            f" match {' or '.join(allowed)}"
        )
    return corpus


def _compare_classes(
    result: Scorable,
    corpus: Corpus,
    classes: dict[str, Ints],
    quotes: dict[str, Ints],
    names: Sequence[str],
) -> tuple[dict[str, ScoredRows], ...]:
    """Compare all layers with the class of each segment as a part of its label, by class.

    Args:
        result: evaluation or agreement.
        corpus: annotations of the result.
        classes: class of each segment, by annotator.
        quotes: class of each quote that is missing from the text, by annotator.
        names: names of the classes.

    Returns:
        For each class, the rows of each system or the team.
    """
    of_label = find_measure(result.settings.match).of_label
    n_labels = len(corpus.labels) if of_label else 1
    layers = {
        name: replace(layer, label=classes[name] * n_labels + (layer.label if of_label else 0))
        for name, layer in corpus.layers.items()
    }
    labels = tuple(f"{index:06d}" for index in range(len(names) * n_labels))
    unplaced = {}
    for name, layer_quotes in corpus.unplaced.items():
        code = [corpus.labels.index(label) if of_label else 0 for label in layer_quotes.label]
        label = tuple(labels[i] for i in (quotes[name] * n_labels + code).tolist())
        unplaced[name] = replace(layer_quotes, label=label)
    classified = corpus.replace(layers=layers, labels=labels, unplaced=unplaced)
    counting = MatchCountOptions(match="exact", chance=result.counting.chance)
    all_rows = collect_scored_rows(result)
    if isinstance(result, Agreement):
        sums = ComparedAnnotators.of(classified, counting).sums
        team_rows = TeamDocuments(classified, counting, sums).rows
        by_name = {TEAM: team_rows}
    else:
        gold = result.settings.gold
        system_rows = ComparedSystems.of(classified, counting, gold).rows.comparisons
        annotators = system_rows.annotators
        by_name = {
            name: system_rows.where(system_rows.second == annotators.index(name))
            for name in all_rows
        }
    return tuple(
        {
            name: all_rows[name]._replace(rows=_sum_class(rows, code, n_labels))
            for name, rows in by_name.items()
        }
        for code in range(len(names))
    )


def _sum_class(rows: Comparisons, code: int, n_labels: int) -> Comparisons:
    """Sum the rows of one class by document."""
    return rows.where(rows.label // n_labels == code).by("document")
