"""Corrected scores for Hugging Face's Trainer.

The id of a label is its number in the model; its code here is its position among the sorted ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.chance.model import build_chance_model
from spanagree.choices import Chance, MatchName, Scheme
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.tag_columns import TagColumn, TagOptions, read_columns
from spanagree.corpus.tags import read_tags
from spanagree.errors import InputError, SettingError, invalid_value, pluralize, quote_value
from spanagree.results.score import FIGURES
from spanagree.systems.evaluate import evaluate
from spanagree.systems.result import System

IGNORED = -100
"""Label id of a token that does not count: padding, and pieces of a word after the first."""

_IDS, _LOGITS = "whole numbers of shape (tokens,)", "logits of shape (tokens, labels)"


def trainer_metrics(
    label_names: Sequence[str] | Mapping[Any, str],
    *,
    match: MatchName = "exact",
    chance: Chance = "nonoverlapping",
    scheme: Scheme = "auto",
    strict: bool = False,
    per_label: bool = False,
) -> Callable[[Any], dict[str, float]]:
    """Build a ``compute_metrics`` for token classification with Hugging Face's Trainer.

    The function takes an EvalPrediction, or a pair of predictions and label ids. Predictions are
    logits (documents, tokens, labels) or label ids (documents, tokens), as arrays or as lists of
    one array for each document; if predictions are a tuple, its first element is used. Tokens with
    the label id −100 are left out.

    The function returns ``precision``, ``recall``, ``f1``; ``chance``, the F1 that chance alone
    would give; ``precision_corrected``, ``recall_corrected``, ``f1_corrected``; and if requested
    ``PER_f1``, ``PER_chance``, ``PER_f1_corrected`` for each label. All values are floats, with
    ``nan`` for an undefined score, and the keys are always the same.

    Args:
        label_names: tags by id: a list, or a mapping such as ``model.config.id2label``.
        match: name of the measure.
        chance: chance model, nonoverlapping, per-label or overlapping.
        scheme: tagging scheme, IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU (or an alias); auto
            reads all schemes except bare labels.
        strict: True to take only segments that are well-formed in the scheme, which has to be
            named.
        per_label: True to add the scores of each label.

    Raises:
        SettingError: if a name is unknown, ``strict`` is set without a scheme, or ``per_label`` is
            set with a measure that disregards labels.
        InputError: if label names are not tags of the scheme; by the function, if shapes do not
            fit or an id has no name.

    >>> compute_metrics = trainer_metrics(["O", "B-PER", "I-PER"])
    >>> metrics = compute_metrics((np.array([[1, 2, 0, 1]]), np.array([[1, 2, 0, -100]])))
    >>> round(metrics["f1"], 3), round(metrics["chance"], 3), round(metrics["f1_corrected"], 3)
    (1.0, 0.5, 1.0)
    """
    find_measure(match)
    build_chance_model(chance)  # raises before any training
    if strict and scheme == "auto":
        raise SettingError(
            "strict: name the scheme; what is recognised may differ from one evaluation to the next"
        )
    if per_label and not find_measure(match).of_label:
        raise SettingError(f"per_label: match {match} disregards labels; leave it out")
    options = TagOptions(scheme, strict)
    ids, tags = _sort_ids_and_tags(label_names)
    lengths = np.ones(len(tags), np.int64)  # each tag is a sentence
    location = "label_names, id {}".format
    tag_codes = np.arange(len(tags))
    labels = read_tags(
        tags, tag_codes, lengths, scheme=scheme, location=lambda i: location(ids[i])
    ).names

    def compute_metrics(prediction: Any) -> dict[str, float]:
        corpus = _build_corpus(prediction, ids, tags, options)
        system = evaluate(corpus, "gold", match=match, chance=chance).systems["predictions"]
        return _collect_metrics(system, labels if per_label else ())

    return compute_metrics


def _build_corpus(prediction: Any, ids: Ints, tags: list[str], options: TagOptions) -> Corpus:
    """Build a corpus with the layers ``gold`` and ``predictions``.

    Args:
        prediction: EvalPrediction, or pair of predictions and label ids.
        ids: known ids, ascending.
        tags: tag of each id.
        options: options for reading tags.
    """
    predicted, gold, lengths = _read_label_ids(prediction, len(ids))
    columns = {
        "gold": TagColumn(tags, _convert_to_codes(gold, ids, lengths, "label ids")),
        "predictions": TagColumn(tags, _convert_to_codes(predicted, ids, lengths, "predictions")),
    }
    return Corpus.from_raw(read_columns(columns, lengths, options, {}, unread=()))


def _collect_metrics(system: System, labels: Sequence[str]) -> dict[str, float]:
    """Collect the scores of a system, and of the passed labels, under the names for the Trainer."""
    scores = {name: system.score_of(ratio) for name, ratio in FIGURES.items()}
    metrics = {name: score.observed for name, score in scores.items()}
    metrics["chance"] = system.f1.expected
    metrics |= {f"{name}_corrected": score.corrected for name, score in scores.items()}
    for label in labels:
        f1 = system.labels.get(label, Tally()).f1
        metrics[f"{label}_f1"] = f1.observed
        metrics[f"{label}_chance"] = f1.expected
        metrics[f"{label}_f1_corrected"] = f1.corrected
    return metrics


def _sort_ids_and_tags(label_names: Sequence[str] | Mapping[Any, str]) -> tuple[Ints, list[str]]:
    """Sort the ids of labels in ascending order; return the ids and the tag of each id.

    Raises:
        InputError: if label names are not tags by id.
    """
    try:
        if isinstance(label_names, str):
            raise TypeError
        pairs = label_names.items() if isinstance(label_names, Mapping) else enumerate(label_names)
        tag_by_id = {int(id_): tag for id_, tag in pairs}  # in JSON ids are strings
    except (TypeError, ValueError):
        tag_by_id = {}
    if (
        not tag_by_id
        or min(tag_by_id) < 0
        or not all(isinstance(tag, str) for tag in tag_by_id.values())
    ):
        allowed = "a list of tags, or a mapping of ids to tags such as config.id2label, is needed"
        raise invalid_value("label_names", label_names, allowed)
    ids = sorted(tag_by_id)
    return np.array(ids, np.int64), [tag_by_id[id_] for id_ in ids]


def _convert_to_codes(label_ids: Ints, ids: Ints, lengths: Ints, ids_noun: str) -> Ints:
    """Convert label ids to codes, the positions in ``ids``.

    Args:
        label_ids: label ids of all tokens.
        ids: known ids, ascending.
        lengths: number of tokens of each document.
        ids_noun: noun for the label ids, for messages.

    Raises:
        InputError: if an id is not known.
    """
    codes = np.minimum(np.searchsorted(ids, label_ids), len(ids) - 1)
    is_unknown = ids[codes] != label_ids
    if is_unknown.any():
        index = int(is_unknown.argmax())
        raise InputError(
            f"{ids_noun}, document {np.searchsorted(np.cumsum(lengths), index, 'right') + 1}: id"
            f" {label_ids[index]} has no name; label_names has {len(ids)}, from {ids[0]} to"
            f" {ids[-1]}"
        )
    return codes


def _read_label_ids(prediction: Any, n_labels: int) -> tuple[Ints, Ints, Ints]:
    """Read the predicted and the gold ids of all tokens, without tokens with the id −100.

    Args:
        prediction: EvalPrediction, or pair of predictions and label ids.
        n_labels: number of labels, the width of logits.

    Returns:
        Predicted ids, gold ids, and the number of remaining tokens of each document.

    Raises:
        InputError: if shapes do not fit.
    """
    if hasattr(prediction, "predictions") and hasattr(prediction, "label_ids"):
        prediction = prediction.predictions, prediction.label_ids
    try:
        predictions, label_ids = prediction
    except (TypeError, ValueError):
        allowed = "an EvalPrediction, or predictions and label ids as a pair, is needed"
        raise InputError(f"{quote_value(prediction)}; {allowed}") from None
    if isinstance(predictions, tuple):
        predictions = predictions[0]
    predicted, predicted_lengths = _concatenate_ids(
        predictions, "predictions", {1: _IDS, 2: _LOGITS}, n_labels
    )
    gold, lengths = _concatenate_ids(label_ids, "label ids", {1: _IDS}, n_labels)
    same_needed = "label ids; they need the same"
    if len(predicted_lengths) != len(lengths):
        raise InputError(
            f"documents: {len(predicted_lengths)} of predictions, {len(lengths)} of {same_needed}"
        )
    for d in np.flatnonzero(predicted_lengths != lengths)[:1].tolist():
        raise InputError(
            f"document {d + 1}: {predicted_lengths[d]} predictions, {lengths[d]} {same_needed}"
        )
    is_counted = gold != IGNORED
    document = np.repeat(np.arange(len(lengths)), lengths)
    n_counted = np.bincount(document[is_counted], minlength=len(lengths))
    return predicted[is_counted], gold[is_counted], n_counted


def _concatenate_ids(
    documents: Any, ids_noun: str, allowed: Mapping[int, str], n_labels: int
) -> tuple[Ints, Ints]:
    """Concatenate the ids of the tokens of all documents, and count the tokens of each document.

    Args:
        documents: ids, or logits, of each document.
        ids_noun: noun for the ids, for messages.
        allowed: description of each allowed shape by the number of dimensions.
        n_labels: number of labels, the width of logits.
    """
    if not np.iterable(documents):
        allowed_text = " or ".join(allowed.values())
        raise invalid_value(ids_noun, documents, f"for each document {allowed_text} are needed")
    ids = [
        _read_document_ids(document, f"{ids_noun}, document {position}", allowed, n_labels)
        for position, document in enumerate(documents, 1)
    ]
    lengths = np.array([len(document_ids) for document_ids in ids], np.int64)
    return np.concatenate([np.zeros(0, np.int64), *ids]), lengths


def _read_document_ids(
    document: Any, location: str, allowed: Mapping[int, str], n_labels: int
) -> Ints:
    """Read the label ids of one document; from logits, the label with the largest logit is taken.

    Args:
        document: array of ids, or of logits (tokens, labels).
        location: description of the document, for messages.
        allowed: description of each allowed shape by the number of dimensions.
        n_labels: number of labels.

    Raises:
        InputError: if the shape is not allowed, or logits are ``nan``.
    """
    try:
        array = np.asarray(document)
        if array.dtype.kind == "O":
            array = np.array(array.tolist())
        has_valid_values = array.ndim == 2 or array.dtype.kind in "iu" or not array.size
        if array.ndim not in allowed or not has_valid_values:
            raise ValueError(f"shape {array.shape} of {array.dtype}")
        if array.ndim == 2 and array.size and array.shape[1] != n_labels:
            labels_phrase = pluralize(array.shape[1], "label")
            raise ValueError(f"logits of {labels_phrase}, label_names has {n_labels}")
        if array.ndim == 2 and np.isnan(array).any():
            raise ValueError("logits that are nan: the model has diverged")
        return (array.argmax(-1) if array.ndim == 2 else array).astype(np.int64)
    except ValueError as error:  # NumPy raises it too, for ragged arrays and logits without labels
        allowed_text = " or ".join(allowed.values())
        raise InputError(f"{location}: {error}; {allowed_text} are needed") from None
