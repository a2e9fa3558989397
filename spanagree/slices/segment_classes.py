"""Slices of segments in place of documents: by their length, and by whether they were seen.

Under exact match, two segments match only if they have the same place and label, so also the same
length and text. A class of segments that depends on these alone has matches of its own, and counts
add over classes.

A random annotation keeps the lengths and labels of segments in every document: so the expected
match of a length is exact, and those of all lengths add up to that of all segments. Whether a
random segment is one that was seen, depends on where it falls; there is no chance of that here.
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
from spanagree.comparisons.measures import find_measure, measures
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError
from spanagree.slices.scored_rows import TEAM, Scorable, ScoredRows, corpus_of_result, scored_rows
from spanagree.systems.compared_systems import ComparedSystems

LENGTH, SEEN = SLICES

_SEEN_NAMES = ("seen", "unseen")
_TOKENS = 4  # the last length in tokens with a class of its own

NO_CHANCE_OF_SEEN = "whether a random segment is one that was seen, depends on where it falls"
_NO_CHANCE_PER_LABEL = (
    "under chance per-label, segments of one label keep apart whatever their length, so no length"
    " has a chance of its own"
)
_NO_CHANCE_AT_PLACES = "a rule of places is not kept by lengths here"


@dataclass(frozen=True, eq=False)
class ClassifiedRows:
    """The rows of each class of segments.

    Attributes:
        names: names of the classes, in order.
        rows: rows of each class, by who is scored.
        says: how classes were made, for the signature.
        no_chance: reason why chance is undefined; empty if it is exact.
    """

    names: tuple[str, ...]
    rows: tuple[dict[str, ScoredRows], ...]
    says: str
    no_chance: str = ""


def by_length(result: Scorable) -> ClassifiedRows:
    """Compare the segments of each length.

    Raises:
        SettingError: for a measure under which segments of different lengths match; for a result
            whose segments are not known.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X"), (3, 5, "X")]], "mine": [[(0, 1, "X"), (3, 4, "X")]]}
    >>> found = by_length(sa.evaluate(sa.Corpus.from_segments([9], layers)))
    >>> found.names, [rows["mine"].rows.total().matched for rows in found.rows]
    (('1', '2'), [1, 0])
    """
    corpus = _checked(result, LENGTH)
    measure = _class_of_length if corpus.offsets == "tokens" else _doubling_class
    layers = {name: measure(layer.end - layer.start) for name, layer in corpus.layers.items()}
    quotes = {name: measure(np.maximum(q.size, 1)) for name, q in corpus.unplaced.items()}
    codes = [*layers.values(), *quotes.values()]
    present = np.unique(np.concatenate([np.zeros(0, np.int64), *codes])).tolist()
    names = tuple(_name_of_length(code, corpus.offsets == "tokens") for code in present)
    no_chance = result.settings.chance_undefined or ""
    if result.settings.chance == "per-label":
        no_chance = _NO_CHANCE_PER_LABEL
    if result.settings.places is not None:
        no_chance = _NO_CHANCE_AT_PLACES
    classes, of_quotes = (
        {name: np.searchsorted(present, codes) for name, codes in by_name.items()}
        for by_name in (layers, quotes)
    )
    rows = _compared(result, corpus, classes, of_quotes, names)
    return ClassifiedRows(names, rows, LENGTH, no_chance)


def _class_of_length(length: Ints) -> Ints:
    """Return the number of the class of each length in tokens."""
    return np.minimum(length, _TOKENS + 1)


def _doubling_class(length: Ints) -> Ints:
    """Return the number of the class of each length: 1, 2 to 3, 4 to 7 and so on."""
    return np.asarray(np.frexp(length.astype(np.float64))[1], np.int64)


def _name_of_length(code: int, in_tokens: bool) -> str:
    """Return the name of a class of lengths.

    >>> [_name_of_length(code, True) for code in (1, 5)], _name_of_length(3, False)
    (['1', '5 or more'], '4–7')
    """
    if in_tokens:
        return str(code) if code <= _TOKENS else f"{code} or more"
    low = 1 << max(code - 1, 0)
    return f"{low}–{2 * low - 1}" if low > 1 else "1"


def by_seen(result: Scorable, training: Corpus, says: str = "") -> ClassifiedRows:
    """Compare the segments that stand in a training corpus with their label, and the others.

    White space is not regarded, so that tokens may be cut in other ways; case is.

    Args:
        result: what was compared.
        training: what a system was trained on; the segments of all its annotators count.
        says: name of the training corpus, for the signature.

    Raises:
        SettingError: for another measure than exact; for texts that are not known.

    >>> import spanagree as sa
    >>> tags = {"gold": [["B-PER", "B-LOC"]], "mine": [["B-PER", "O"]]}
    >>> rows = [{"tokens": ["Ann", "Rome"], "gold": tags["gold"][0], "mine": tags["mine"][0]}]
    >>> training = sa.read([{"tokens": ["Ann"], "tags": ["B-PER"]}])
    >>> found = by_seen(sa.evaluate(sa.read(rows)), training)
    >>> [rows["mine"].rows.total().f1.observed for rows in found.rows]
    [1.0, 0.0]
    """
    corpus = _checked(result, SEEN)
    known = {
        entry for layer in training.layers.values() for entry in _entries(training, layer, SEEN)
    }
    classes = {
        name: np.array(
            [entry not in known for entry in _entries(corpus, layer, "group_by seen")], int
        )
        for name, layer in corpus.layers.items()
    }
    quotes = {
        name: np.array(
            [
                ("".join(x.split()), label) not in known
                for x, label in zip(q.quote, q.label, strict=True)
            ],
            int,
        )
        for name, q in corpus.unplaced.items()
    }
    rows = _compared(result, corpus, classes, quotes, _SEEN_NAMES)
    return ClassifiedRows(_SEEN_NAMES, rows, f"{SEEN} {says}".strip(), NO_CHANCE_OF_SEEN)


def _entries(corpus: Corpus, layer: Layer, purpose: str) -> list[tuple[str, str]]:
    """Return the text without white space, and the label, of each segment of a layer."""
    text_of = _texts(corpus, purpose)
    pieces = {} if layer.details is None else layer.details.pieces(layer.start)
    columns = (x.tolist() for x in (layer.document, layer.start, layer.end, layer.label))
    entries = []
    for row, (document, start, end, label) in enumerate(zip(*columns, strict=True)):
        places = pieces.get(row) or [(start, end)]
        text = "".join(text_of(document, low, high) for low, high in places)
        entries.append(("".join(text.split()), corpus.labels[label]))
    return entries


def _texts(corpus: Corpus, purpose: str) -> Callable[[int, int, int], str]:
    """Return a function that gives a part of a document's text."""
    if corpus.offsets == "characters":
        texts = corpus.known("texts", purpose)
        return lambda document, start, end: texts[document][start:end]
    tokens, first = corpus.known("tokens", purpose), corpus.starts.tolist()
    return lambda document, start, end: "".join(
        tokens[first[document] + start : first[document] + end]
    )


def _checked(result: Scorable, name: str) -> Corpus:
    """Return the corpus whose segments are in classes, if its measure lets classes match alone."""
    corpus = corpus_of_result(result)
    corpus.check_segments(f"group_by {name}")
    match = result.settings.match
    allowed = measures(lambda x: x.kernel == "equal" and (x.of_label or name == LENGTH))
    if match not in allowed or corpus.of_relations:
        what = "relations" if corpus.of_relations else f"match {match}"
        raise SettingError(
            f"group_by {name}: {what} may pair segments of different classes; choose"
            f" match {' or '.join(allowed)}"
        )
    return corpus


def _compared(
    result: Scorable,
    corpus: Corpus,
    classes: dict[str, Ints],
    quotes: dict[str, Ints],
    names: Sequence[str],
) -> tuple[dict[str, ScoredRows], ...]:
    """Compare anew with the class of each segment in its label, and part the rows by class.

    Args:
        result: what was compared.
        corpus: its annotators.
        classes: class of each segment, by annotator.
        quotes: class of each quote that is not in the text, by annotator.
        names: names of the classes.
    """
    of_label = find_measure(result.settings.match).of_label
    n_labels = len(corpus.labels) if of_label else 1
    layers = {
        name: replace(layer, label=classes[name] * n_labels + (layer.label if of_label else 0))
        for name, layer in corpus.layers.items()
    }
    labels = tuple(f"{number:06d}" for number in range(len(names) * n_labels))
    unplaced = {}
    for name, lost in corpus.unplaced.items():
        code = [corpus.labels.index(label) if of_label else 0 for label in lost.label]
        label = tuple(labels[i] for i in (quotes[name] * n_labels + code).tolist())
        unplaced[name] = replace(lost, label=label)
    marked = corpus.replace(layers=layers, labels=labels, unplaced=unplaced)
    counting = MatchCountOptions(match="exact", chance=result.counting.chance)
    all_rows = scored_rows(result)
    if isinstance(result, Agreement):
        sums = ComparedAnnotators.of(marked, counting).sums
        single = TeamDocuments(marked, counting, sums).rows
        by_name = {TEAM: single}
    else:
        gold = result.settings.gold
        compared = ComparedSystems.of(marked, counting, gold).rows.comparisons
        annotators = compared.annotators
        by_name = {
            name: compared.where(compared.second == annotators.index(name)) for name in all_rows
        }
    return tuple(
        {
            name: all_rows[name]._replace(rows=_of_class(rows, code, n_labels))
            for name, rows in by_name.items()
        }
        for code in range(len(names))
    )


def _of_class(rows: Comparisons, code: int, n_labels: int) -> Comparisons:
    """Return the rows of one class, added up by document."""
    return rows.where(rows.label // n_labels == code).by("document")
