"""Scorers for spaCy: corrected scores in ``spacy train`` and ``spacy evaluate``.

spaCy finds them by their entry points: a config names them, nothing has to be imported. They take
spaCy's Examples, and need nothing else of spaCy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spanagree.arrays import Bools, Ints
from spanagree.chance.model import chance_model
from spanagree.choices import Chance, MatchName
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import RawLayer, codes
from spanagree.errors import InputError, show
from spanagree.results.data import plain
from spanagree.results.score import Score
from spanagree.systems.evaluate import evaluate

Scorer: TypeAlias = Callable[..., dict[str, Any]]

_UNSET = 0  # ENT_IOB of a token of which nothing is known
_NOTHING = Score(0.0, 0.0, 0.0)


def ner_scorer(match: MatchName = "exact", chance: Chance = "nonoverlapping") -> Scorer:
    """Return the scorer of ``doc.ents``; in a config ``@scorers = "spanagree.ner_scorer.v1"``.

    It takes an iterable of Examples and gives ``ents_p``, ``ents_r``, ``ents_f``; ``ents_chance``,
    the F1 that chance alone would give; ``ents_p_corrected``, ``ents_r_corrected``,
    ``ents_f_corrected``; and ``ents_per_type`` with the same by label. What is undefined is
    ``None``, but where one side alone marked nothing, precision or recall is 0, as in spaCy.

    A reference without annotation is left out; where it is annotated in part, the open tokens are
    left out, and predictions that touch one. Every other prediction counts, whether or not it fits
    the reference's tokens: offsets count the reference's tokens or, in a document that the two cut
    differently, the pieces into which both together cut it.

    Args:
        match: name of the measure.
        chance: the chance model, nonoverlapping, per-label or overlapping.

    Raises:
        SettingError: for an unknown name.
        InputError: by the scorer, for a reference and a prediction that differ in more than white
            space and case.

    >>> ner_scorer()([])["ents_f_corrected"] is None
    True
    """
    find_match(match)
    chance_model(chance)  # refused before any training
    return partial(_score, match=match, chance=chance)


def spancat_scorer(match: MatchName = "exact", chance: Chance = "overlapping") -> Scorer:
    """Return the scorer of ``doc.spans``; in a config ``@scorers = "spanagree.spancat_scorer.v1"``.

    The key is the component's own ``spans_key``. Names begin with ``spans_`` and the key:
    ``spans_sc_f_corrected``. All else is as for :func:`ner_scorer`. A reference without the key is
    left out, a prediction without it marked nothing.

    As spans may overlap, the chance model is ``overlapping`` unless named. Measures that count
    shared tokens are not defined for spans of one label that overlap, ``boundaries`` not for two
    labels of one span.

    Raises:
        SettingError: for an unknown name; by the scorer, for spans that overlap where the measure
            or the chance model does not allow it.

    >>> spancat_scorer(match="boundaries")([], spans_key="sc")["spans_sc_chance"] is None
    True
    """
    find_match(match)
    chance_model(chance)  # refused before any training
    return partial(_score_spans, match=match, chance=chance)


def _score(
    examples: Iterable[Any], key: str | None = None, *, match: MatchName, chance: str, **_: Any
) -> dict[str, Any]:
    """Return the figures of ``doc.ents`` or, with a key, of ``doc.spans``."""
    name = "ents" if key is None else f"spans_{key}"
    corpus = _corpus(examples, key)
    system = evaluate(corpus, "reference", match=match, chance=chance).systems["predicted"]
    by_label = {label: _figures(tally) for label, tally in system.labels.items()}
    figures = {f"{name}_{key}": value for key, value in _figures(system.tally).items()}
    return {**figures, f"{name}_per_type": by_label or None}


def _score_spans(examples: Iterable[Any], *, spans_key: str, **options: Any) -> dict[str, Any]:
    return _score(examples, spans_key, **options)


def _figures(tally: Tally) -> dict[str, float | None]:
    # spacy train forgets a score's weight for good once the score is None, and before the first
    # step a model often predicts nothing: that is a precision of 0 here, as spaCy has it
    some = tally.size > 0
    scores = {
        "p": _NOTHING if some and not tally.size_b else tally.precision,
        "r": _NOTHING if some and not tally.size_a else tally.recall,
        "f": tally.f1,
    }
    figures = {name: score.observed for name, score in scores.items()}
    figures["chance"] = tally.f1.expected
    figures |= {f"{name}_corrected": score.corrected for name, score in scores.items()}
    return plain(figures)


# --- a corpus of Examples -----------------------------------------------------------------------


def _corpus(examples: Iterable[Any], key: str | None) -> Corpus:
    """Return the references, and what was predicted for them, as two layers."""
    lengths: list[int] = []
    rows: dict[str, list[Ints]] = {"reference": [], "predicted": []}
    labels: dict[str, list[str]] = {"reference": [], "predicted": []}
    for number, example in enumerate(examples, 1):
        docs = {"reference": example.reference, "predicted": example.predicted}
        unset = _unset(docs["reference"], key)
        length, *places = _places(docs["reference"], docs["predicted"], number)
        start, end = places[0]
        # a unit is left out if a token of which nothing is known reaches into it
        steps = np.zeros(length + 1, np.int64)
        np.add.at(steps, start[unset], 1)
        np.add.at(steps, end[unset], -1)
        kept = np.cumsum(steps)[:-1] == 0
        before = np.concatenate(([0], np.cumsum(kept)))
        for (name, doc), (start, end) in zip(docs.items(), places, strict=True):
            spans = doc.ents if key is None else doc.spans.get(key, ())
            start = start[np.array([span.start for span in spans], np.int64)]
            end = end[np.array([span.end - 1 for span in spans], np.int64)]
            known = before[end] - before[start] == end - start
            document = np.full(int(known.sum()), len(lengths))
            rows[name].append(np.column_stack((document, before[start[known]], before[end[known]])))
            labels[name] += [
                span.label_ for span, is_known in zip(spans, known, strict=True) if is_known
            ]
        lengths.append(int(kept.sum()))
    layers = {name: _layer(rows[name], labels[name], len(lengths)) for name in rows}
    return Corpus.from_raw(RawCorpus.from_layers(np.array(lengths, np.int64), layers))


def _layer(rows: list[Ints], labels: list[str], documents: int) -> RawLayer:
    """Return each span once, as spaCy counts them; white space alone is not a span."""
    number, names = codes(labels)
    table = np.column_stack((np.concatenate((*rows, np.zeros((0, 3), np.int64))), number))
    table = np.unique(table[table[:, 1] < table[:, 2]], axis=0)
    document, start, end, label = table.T
    return RawLayer(document, start, end, label, names, np.ones(documents, np.bool_))


def _unset(doc: Any, key: str | None) -> Bools:
    """Return which tokens of a reference are not annotated."""
    if key is not None:
        return np.full(len(doc), key not in doc.spans)
    unset: Bools = doc.to_array("ENT_IOB") == _UNSET
    return unset


_Bounds: TypeAlias = tuple[Ints, Ints]  # where the tokens of a Doc begin and end


def _places(reference: Any, predicted: Any, number: int) -> tuple[int, _Bounds, _Bounds]:
    """Return where the tokens of both Docs lie, in units common to both, and how many these are."""
    if np.array_equal(reference.to_array("ORTH"), predicted.to_array("ORTH")):
        here = np.arange(len(reference) + 1)
        return len(reference), (here[:-1], here[1:]), (here[:-1], here[1:])
    characters, *edges = _edges(reference)
    others, *other_edges = _edges(predicted)
    if not np.array_equal(np.char.lower(characters), np.char.lower(others)):
        raise InputError(
            f"example {number}: the reference {show(reference.text)} and the prediction"
            f" {show(predicted.text)} are different texts; both need the same, but for white space"
        )
    cuts = np.unique(np.concatenate((*edges, *other_edges)))
    a, b, c, d = (np.searchsorted(cuts, places) for places in (*edges, *other_edges))
    return len(cuts) - 1, (a, b), (c, d)


def _edges(doc: Any) -> tuple[NDArray[np.str_], Ints, Ints]:
    """Return the characters; how many of them precede each token, and its end.

    As spaCy aligns tokens: white space does not count.
    """
    length, space = doc.to_array(["LENGTH", "SPACY"]).astype(np.int64).reshape(-1, 2).T
    end = np.cumsum(length + space) - space
    text = np.array(list(doc.text), dtype="U1")
    visible = ~np.char.isspace(text)
    before = np.concatenate(([0], np.cumsum(visible)))
    return text[visible], before[end - length], before[end]
