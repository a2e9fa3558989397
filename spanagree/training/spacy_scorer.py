"""Scorers for spaCy: corrected scores in ``spacy train`` and ``spacy evaluate``.

spaCy finds the scorers by their entry points: a config names them, and no import is needed. They
take Examples of spaCy, and import no module of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spanagree.arrays import Bools, Ints, encode_by_first_use
from spanagree.chance.model import build_chance_model
from spanagree.choices import Chance, MatchName
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import RawLayer
from spanagree.errors import InputError, quote_value
from spanagree.results.data import to_plain_data
from spanagree.results.score import Score
from spanagree.systems.evaluate import evaluate

Scorer: TypeAlias = Callable[..., dict[str, Any]]

_UNSET = 0  # ENT_IOB of a token without annotation
_NOTHING = Score(0.0, 0.0, 0.0)


def ner_scorer(match: MatchName = "exact", chance: Chance = "nonoverlapping") -> Scorer:
    """Build the scorer of ``doc.ents``; in a config ``@scorers = "spanagree.ner_scorer.v1"``.

    The scorer takes an iterable of Examples and returns ``ents_p``, ``ents_r``, ``ents_f``;
    ``ents_chance``, the F1 that chance alone would give; ``ents_p_corrected``,
    ``ents_r_corrected``, ``ents_f_corrected``; and ``ents_per_type`` with the same scores by label.
    An undefined score is ``None``; if only the reference or only the prediction has spans,
    precision or recall is 0, as in spaCy.

    A reference without annotation is left out. If it is annotated in part, tokens without
    annotation are left out, and so are predictions that touch such a token. All other predictions
    count, even if they do not fit the tokens of the reference. Offsets count the tokens of the
    reference; if reference and prediction are tokenized differently, offsets count the pieces
    between the borders of both.

    Args:
        match: name of the measure.
        chance: the chance model, nonoverlapping, per-label or overlapping.

    Raises:
        SettingError: if a name is unknown.
        InputError: by the scorer, if a reference and a prediction differ in more than white space
            and case.

    >>> ner_scorer()([])["ents_f_corrected"] is None
    True
    """
    find_measure(match)
    build_chance_model(chance)  # refused before any training
    return partial(_compute_scores, match=match, chance=chance)


def spancat_scorer(match: MatchName = "exact", chance: Chance = "overlapping") -> Scorer:
    """Build the scorer of ``doc.spans``; in a config ``@scorers = "spanagree.spancat_scorer.v1"``.

    The key is the ``spans_key`` of the component. Names begin with ``spans_`` and the key:
    ``spans_sc_f_corrected``. The other rules are those of :func:`ner_scorer`. A reference without
    the key is left out; a prediction without the key has no spans.

    As spans may overlap, the default chance model is ``overlapping``. Measures that count shared
    tokens are not defined for overlapping spans of one label, and ``boundaries`` is not defined
    for two labels of one span.

    Raises:
        SettingError: if a name is unknown; by the scorer, if spans overlap and the measure or the
            chance model does not allow it.

    >>> spancat_scorer(match="boundaries")([], spans_key="sc")["spans_sc_chance"] is None
    True
    """
    find_measure(match)
    build_chance_model(chance)  # refused before any training
    return partial(_score_spans, match=match, chance=chance)


def _compute_scores(
    examples: Iterable[Any], key: str | None = None, *, match: MatchName, chance: str, **_: Any
) -> dict[str, Any]:
    """Compute the scores of Examples under the names of spaCy.

    Args:
        examples: Examples of spaCy.
        key: key in ``doc.spans``. Default: ``doc.ents`` are scored.
        match: name of the measure.
        chance: name of the chance model.
    """
    name = "ents" if key is None else f"spans_{key}"
    corpus = _build_corpus(examples, key)
    system = evaluate(corpus, "reference", match=match, chance=chance).systems["predicted"]
    by_label = {label: _collect_values(tally) for label, tally in system.labels.items()}
    values = {f"{name}_{key}": value for key, value in _collect_values(system.tally).items()}
    return {**values, f"{name}_per_type": by_label or None}


def _score_spans(examples: Iterable[Any], *, spans_key: str, **options: Any) -> dict[str, Any]:
    return _compute_scores(examples, spans_key, **options)


def _collect_values(tally: Tally) -> dict[str, float | None]:
    """Collect the scores of a tally: precision, recall, F1, chance and corrected scores by name.

    Undefined scores are `None`.
    """
    # spacy train drops the weight of a score for good once the score is None. Before the first
    # step a model often predicts no span, so precision is 0 then, as in spaCy
    has_segments = tally.size > 0
    scores = {
        "p": _NOTHING if has_segments and not tally.size_b else tally.precision,
        "r": _NOTHING if has_segments and not tally.size_a else tally.recall,
        "f": tally.f1,
    }
    values = {name: score.observed for name, score in scores.items()}
    values["chance"] = tally.f1.expected
    values |= {f"{name}_corrected": score.corrected for name, score in scores.items()}
    return to_plain_data(values)


# --- a corpus of Examples -----------------------------------------------------------------------


def _build_corpus(examples: Iterable[Any], key: str | None) -> Corpus:
    """Build a corpus with the layers ``reference`` and ``predicted``.

    Its units are tokens, or the pieces of text between the borders of differing tokens; units of
    tokens without annotation are left out. The arguments are those of :func:`_compute_scores`.
    """
    lengths: list[int] = []
    rows: dict[str, list[Ints]] = {"reference": [], "predicted": []}
    labels: dict[str, list[str]] = {"reference": [], "predicted": []}
    for position, example in enumerate(examples, 1):
        docs = {"reference": example.reference, "predicted": example.predicted}
        is_unset = _find_unannotated(docs["reference"], key)
        length, *bounds = _compute_common_bounds(docs["reference"], docs["predicted"], position)
        start, end = bounds[0]
        # a unit is left out if it overlaps a token without annotation
        steps = np.zeros(length + 1, np.int64)
        np.add.at(steps, start[is_unset], 1)
        np.add.at(steps, end[is_unset], -1)
        is_kept = np.cumsum(steps)[:-1] == 0
        n_kept_before = np.concatenate(([0], np.cumsum(is_kept)))
        for (name, doc), (start, end) in zip(docs.items(), bounds, strict=True):
            spans = doc.ents if key is None else doc.spans.get(key, ())
            start = start[np.array([span.start for span in spans], np.int64)]
            end = end[np.array([span.end - 1 for span in spans], np.int64)]
            is_annotated = n_kept_before[end] - n_kept_before[start] == end - start
            document = np.full(int(is_annotated.sum()), len(lengths))
            rows[name].append(
                np.column_stack(
                    (document, n_kept_before[start[is_annotated]], n_kept_before[end[is_annotated]])
                )
            )
            labels[name] += [
                span.label_ for span, is_known in zip(spans, is_annotated, strict=True) if is_known
            ]
        lengths.append(int(is_kept.sum()))
    layers = {name: _build_layer(rows[name], labels[name], len(lengths)) for name in rows}
    return Corpus.from_raw(RawCorpus.from_layers(np.array(lengths, np.int64), layers))


def _build_layer(rows: list[Ints], labels: list[str], n_documents: int) -> RawLayer:
    """Build a layer with each distinct span once, without spans of white space alone.

    Args:
        rows: arrays (spans, 3) with document, start and end.
        labels: label of each span of all arrays.
        n_documents: number of documents.
    """
    label_codes, names = encode_by_first_use(labels)
    table = np.column_stack((np.concatenate((*rows, np.zeros((0, 3), np.int64))), label_codes))
    table = np.unique(table[table[:, 1] < table[:, 2]], axis=0)
    document, start, end, label = table.T
    return RawLayer(document, start, end, label, names, np.ones(n_documents, np.bool_))


def _find_unannotated(doc: Any, key: str | None) -> Bools:
    """Compute the mask of tokens without annotation in a reference; ``key`` is as above."""
    if key is not None:
        return np.full(len(doc), key not in doc.spans)
    is_unset: Bools = doc.to_array("ENT_IOB") == _UNSET
    return is_unset


_Bounds: TypeAlias = tuple[Ints, Ints]  # starts and ends of the tokens of a Doc


def _compute_common_bounds(
    reference: Any, predicted: Any, position: int
) -> tuple[int, _Bounds, _Bounds]:
    """Compute the bounds of the tokens of both Docs in common units.

    If both have the same tokens, these are the units. Otherwise a unit is the visible text between
    neighbouring borders of tokens of either Doc.

    Args:
        reference, predicted: Docs of one Example.
        position: number of the Example, for messages.

    Raises:
        InputError: if the texts differ in more than white space and case.

    Returns:
        The number of units, and the bounds in the reference and in the prediction.
    """
    if np.array_equal(reference.to_array("ORTH"), predicted.to_array("ORTH")):
        token_borders = np.arange(len(reference) + 1)
        return (
            len(reference),
            (token_borders[:-1], token_borders[1:]),
            (token_borders[:-1], token_borders[1:]),
        )
    characters, *edges = _count_visible(reference)
    other_characters, *other_edges = _count_visible(predicted)
    if not np.array_equal(np.char.lower(characters), np.char.lower(other_characters)):
        raise InputError(
            f"example {position}: the reference {quote_value(reference.text)} and the prediction"
            f" {quote_value(predicted.text)} are different texts; both need the same, but for"
            " white space"
        )
    cuts = np.unique(np.concatenate((*edges, *other_edges)))
    a, b, c, d = (
        np.searchsorted(cuts, characters_before) for characters_before in (*edges, *other_edges)
    )
    return len(cuts) - 1, (a, b), (c, d)


def _count_visible(doc: Any) -> tuple[NDArray[np.str_], Ints, Ints]:
    """Count visible characters before each token and before its end.

    White space does not count, as in spaCy's alignment.

    Returns:
        The visible characters, and the two counts for each token.
    """
    length, space = doc.to_array(["LENGTH", "SPACY"]).astype(np.int64).reshape(-1, 2).T
    end = np.cumsum(length + space) - space
    text = np.array(list(doc.text), dtype="U1")
    is_visible = ~np.char.isspace(text)
    n_visible_before = np.concatenate(([0], np.cumsum(is_visible)))
    return text[is_visible], n_visible_before[end - length], n_visible_before[end]
