"""Corrected scores for Hugging Face's Trainer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.tag_columns import InDocument, TagColumn, TagOptions, read_columns
from spanagree.corpus.tags import read_tags
from spanagree.errors import InputError, SettingError, check_choice, show
from spanagree.evaluation.evaluate import evaluate
from spanagree.matching.measures import MATCHES
from spanagree.matching.tally import Tally

IGNORED = -100
"""The label id of a token that does not count: padding, and the later pieces of a word."""


_IDS, _LOGITS = "whole numbers of shape (tokens,)", "logits of shape (tokens, labels)"


def trainer_metrics(
    label_names: Sequence[str] | Mapping[Any, str],
    *,
    match: str = "exact",
    chance: str = "nonoverlapping",
    scheme: str = "auto",
    strict: bool = False,
) -> Callable[[Any], dict[str, float]]:
    """A ``compute_metrics`` for token classification with Hugging Face's Trainer.

    It takes an EvalPrediction, or predictions and label ids as a pair. Predictions are logits
    (documents, tokens, labels) or label ids (documents, tokens), or a tuple whose first is that;
    arrays, or lists of one array for each document. A token whose label id, or predicted id, is
    −100 is left out.

    It gives ``precision``, ``recall``, ``f1``; ``chance``, the F1 that luck alone would give;
    ``precision_corrected``, ``recall_corrected``, ``f1_corrected``; and for each label
    ``PER_f1``, ``PER_chance``, ``PER_f1_corrected``. All are floats, always with the same keys;
    what is undefined is ``nan``.

    Args:
        label_names: the tags by id: a list, or a mapping such as ``model.config.id2label``.
        match: the measure, one of :data:`spanagree.similarity.MATCHES`.
        chance: the chance model, one of :data:`spanagree.chance.start_distributions.CHANCES`.
        scheme: the tag scheme (:data:`spanagree.tags.SCHEMES`); ``auto`` reads all but bare labels.
        strict: take only segments that are well-formed in the scheme, which has to be named.

    Raises:
        SettingError: for an unknown name, or a strict reading without a scheme.
        InputError: for label names that are no tags of the scheme; by the function, for shapes
            that do not fit, and for ids without a name.

    >>> compute_metrics = trainer_metrics(["O", "B-PER", "I-PER"])
    >>> metrics = compute_metrics((np.array([[1, 2, 0, 1]]), np.array([[1, 2, 0, -100]])))
    >>> round(metrics["f1"], 3), round(metrics["chance"], 3), round(metrics["f1_corrected"], 3)
    (1.0, 0.5, 1.0)
    """
    check_choice(match, MATCHES, "match")
    check_choice(chance, CHANCES, "chance")
    if strict and scheme == "auto":
        raise SettingError(
            "strict: name the scheme; what is recognised may differ from one evaluation to the next"
        )
    options = TagOptions(scheme, strict)
    ids, tags = _names(label_names)
    labels = read_tags(
        tags,
        np.arange(len(tags)),
        np.ones(len(tags), np.int64),  # each a sentence of its own
        scheme=scheme,
        where=lambda i: f"label_names, id {ids[i]}",
    ).names

    def compute_metrics(prediction: Any) -> dict[str, float]:
        predicted, gold, lengths = _label_ids(prediction, len(ids))
        columns = {
            "gold": TagColumn(tags, _codes(gold, ids, lengths, "label ids")),
            "predictions": TagColumn(tags, _codes(predicted, ids, lengths, "predictions")),
        }
        read = read_columns(columns, lengths, InDocument(lengths), options)
        corpus = Corpus.from_raw(read.to_raw({}))
        system = evaluate(corpus, "gold", match=match, chance=chance).systems["predictions"]
        metrics = {
            "precision": system.precision.observed,
            "recall": system.recall.observed,
            "f1": system.f1.observed,
            "chance": system.f1.expected,
            "precision_corrected": system.precision.corrected,
            "recall_corrected": system.recall.corrected,
            "f1_corrected": system.f1.corrected,
        }
        for label in labels if MATCHES[match].of_label else ():
            f1 = system.labels.get(label, Tally()).f1
            metrics[f"{label}_f1"] = f1.observed
            metrics[f"{label}_chance"] = f1.expected
            metrics[f"{label}_f1_corrected"] = f1.corrected
        return metrics

    return compute_metrics


def _names(label_names: Sequence[str] | Mapping[Any, str]) -> tuple[Ints, list[str]]:
    """The ids, rising, and the tag of each."""
    try:
        if isinstance(label_names, str):
            raise TypeError
        pairs = label_names.items() if isinstance(label_names, Mapping) else enumerate(label_names)
        named = {int(id_): tag for id_, tag in pairs}  # JSON makes strings of ids
    except (TypeError, ValueError):
        named = {}
    if not named or min(named) < 0 or not all(isinstance(tag, str) for tag in named.values()):
        raise InputError(
            f"label_names {show(label_names)}; a list of tags, or a mapping of ids to tags such as"
            " config.id2label, is needed"
        )
    ids = sorted(named)
    return np.array(ids, np.int64), [named[id_] for id_ in ids]


def _codes(given: Ints, ids: Ints, lengths: Ints, what: str) -> Ints:
    """Ids as numbers of tags."""
    codes = np.minimum(np.searchsorted(ids, given), len(ids) - 1)
    unknown = ids[codes] != given
    if unknown.any():
        at = int(unknown.argmax())
        raise InputError(
            f"{what}, document {np.searchsorted(np.cumsum(lengths), at, 'right') + 1}: id"
            f" {given[at]} has no name; label_names has {len(ids)}, from {ids[0]} to {ids[-1]}"
        )
    return codes


def _label_ids(prediction: Any, labels: int) -> tuple[Ints, Ints, Ints]:
    """Predicted and given ids of the tokens that count, in a row, and how many each document has.

    Raises:
        InputError: for shapes that do not fit.
    """
    if hasattr(prediction, "predictions") and hasattr(prediction, "label_ids"):
        predictions, label_ids = prediction.predictions, prediction.label_ids
    else:
        try:
            predictions, label_ids = prediction
        except (TypeError, ValueError):
            raise InputError(
                f"{show(prediction)}; an EvalPrediction, or predictions and label ids as a pair,"
                " is needed"
            ) from None
    if isinstance(predictions, tuple):
        predictions = predictions[0]
    predicted, of_predicted = _flat(predictions, "predictions", {1: _IDS, 2: _LOGITS}, labels)
    given, lengths = _flat(label_ids, "label ids", {1: _IDS}, labels)
    if len(of_predicted) != len(lengths):
        raise InputError(
            f"predictions of {len(of_predicted)} documents, label ids of {len(lengths)};"
            " they need the same"
        )
    differ = of_predicted != lengths
    if differ.any():
        d = int(differ.argmax())
        raise InputError(
            f"document {d + 1}: {of_predicted[d]} predictions, {lengths[d]} label ids; they need"
            " the same"
        )
    counts = (predicted != IGNORED) & (given != IGNORED)
    document = np.repeat(np.arange(len(lengths)), lengths)
    kept = np.bincount(document[counts], minlength=len(lengths))
    return predicted[counts], given[counts], kept


def _flat(of: Any, what: str, allowed: Mapping[int, str], labels: int) -> tuple[Ints, Ints]:
    """The ids of all tokens in a row, and how many each document has."""
    if not np.iterable(of):
        needed = " or ".join(allowed.values())
        raise InputError(f"{what} {show(of)}; for each document {needed} are needed")
    documents = [_ids(one, f"{what}, document {d}", allowed, labels) for d, one in enumerate(of, 1)]
    lengths = np.array([len(one) for one in documents], np.int64)
    return np.concatenate([np.zeros(0, np.int64), *documents]), lengths


def _ids(of: Any, where: str, allowed: Mapping[int, str], labels: int) -> Ints:
    """The ids of one document: as they are, or the best of its logits."""
    try:
        array = np.asarray(of)
        if array.dtype.kind == "O":
            array = np.array(array.tolist())
        known = array.ndim == 2 or array.dtype.kind in "iu" or not array.size
        if array.ndim not in allowed or not known:
            raise ValueError(f"shape {array.shape} of {array.dtype}")
        if array.ndim == 2 and array.size and array.shape[1] != labels:
            raise ValueError(f"logits of {array.shape[1]} labels, label_names has {labels}")
        if array.ndim == 2 and np.isnan(array).any():
            raise ValueError("logits that are nan: the model has diverged")
        return (array.argmax(-1) if array.ndim == 2 else array).astype(np.int64)
    except ValueError as error:  # NumPy's own, for what is ragged or has no labels
        needed = " or ".join(allowed.values())
        raise InputError(f"{where}: {error}; {needed} are needed") from None
