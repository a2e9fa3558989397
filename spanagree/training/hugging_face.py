"""Corrected scores for Hugging Face's Trainer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.chance.model import chance_model
from spanagree.choices import Chance, MatchName, Scheme
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.tag_columns import TagColumn, TagOptions, read_columns
from spanagree.corpus.tags import read_tags
from spanagree.errors import InputError, SettingError, counted, invalid_value, show
from spanagree.results.score import FIGURES
from spanagree.systems.evaluate import evaluate
from spanagree.systems.result import System

IGNORED = -100
"""The label id of a token that does not count: padding, and the later pieces of a word."""

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
    """Return a ``compute_metrics`` for token classification with Hugging Face's Trainer.

    It takes an EvalPrediction, or predictions and label ids as a pair. Predictions are logits
    (documents, tokens, labels) or label ids (documents, tokens), or a tuple whose first is that;
    arrays, or lists of one array for each document. A token whose label id is −100 is left out.

    It gives ``precision``, ``recall``, ``f1``; ``chance``, the F1 that chance alone would give;
    ``precision_corrected``, ``recall_corrected``, ``f1_corrected``; and on request for each label
    ``PER_f1``, ``PER_chance``, ``PER_f1_corrected``. All are floats, always with the same keys;
    what is undefined is ``nan``.

    Args:
        label_names: the tags by id: a list, or a mapping such as ``model.config.id2label``.
        match: name of the measure.
        chance: the chance model, nonoverlapping, per-label or overlapping.
        scheme: IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU (or as others call them); auto
            reads all but bare labels.
        strict: take only segments that are well-formed in the scheme, which has to be named.
        per_label: if True, the figures of each label too.

    Raises:
        SettingError: for an unknown name, a strict reading without a scheme, or figures of labels
            by a measure that disregards them.
        InputError: for label names that are not tags of the scheme; by the function, for shapes
            that do not fit, and for ids without a name.

    >>> compute_metrics = trainer_metrics(["O", "B-PER", "I-PER"])
    >>> metrics = compute_metrics((np.array([[1, 2, 0, 1]]), np.array([[1, 2, 0, -100]])))
    >>> round(metrics["f1"], 3), round(metrics["chance"], 3), round(metrics["f1_corrected"], 3)
    (1.0, 0.5, 1.0)
    """
    find_match(match)
    chance_model(chance)  # refused before any training
    if strict and scheme == "auto":
        raise SettingError(
            "strict: name the scheme; what is recognised may differ from one evaluation to the next"
        )
    if per_label and not find_match(match).of_label:
        raise SettingError(f"per_label: match {match} disregards labels; leave it out")
    options = TagOptions(scheme, strict)
    ids, tags = _names(label_names)
    lengths = np.ones(len(tags), np.int64)  # a sentence of its own
    place = "label_names, id {}".format
    codes = np.arange(len(tags))
    names = read_tags(tags, codes, lengths, scheme=scheme, where=lambda i: place(ids[i])).names

    def compute_metrics(prediction: Any) -> dict[str, float]:
        corpus = _corpus(prediction, ids, tags, options)
        system = evaluate(corpus, "gold", match=match, chance=chance).systems["predictions"]
        return _metrics(system, names if per_label else ())

    return compute_metrics


def _corpus(prediction: Any, ids: Ints, tags: list[str], options: TagOptions) -> Corpus:
    """Return what is given and what is predicted as two layers."""
    predicted, gold, lengths = _label_ids(prediction, len(ids))
    columns = {
        "gold": TagColumn(tags, _codes(gold, ids, lengths, "label ids")),
        "predictions": TagColumn(tags, _codes(predicted, ids, lengths, "predictions")),
    }
    return Corpus.from_raw(read_columns(columns, lengths, options, {}, beside=()))


def _metrics(system: System, labels: Sequence[str]) -> dict[str, float]:
    """Return the figures by name, the same names for the same labels."""
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


def _names(label_names: Sequence[str] | Mapping[Any, str]) -> tuple[Ints, list[str]]:
    """Return the ids, rising, and the tag of each."""
    try:
        if isinstance(label_names, str):
            raise TypeError
        pairs = label_names.items() if isinstance(label_names, Mapping) else enumerate(label_names)
        named = {int(id_): tag for id_, tag in pairs}  # JSON makes strings of ids
    except (TypeError, ValueError):
        named = {}
    if not named or min(named) < 0 or not all(isinstance(tag, str) for tag in named.values()):
        needed = "a list of tags, or a mapping of ids to tags such as config.id2label, is needed"
        raise invalid_value("label_names", label_names, needed)
    ids = sorted(named)
    return np.array(ids, np.int64), [named[id_] for id_ in ids]


def _codes(given: Ints, ids: Ints, lengths: Ints, what: str) -> Ints:
    """Return ids as numbers of tags."""
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
    """Return predicted and given ids of all tokens that count, and each document's number of them.

    Raises:
        InputError: for shapes that do not fit.
    """
    if hasattr(prediction, "predictions") and hasattr(prediction, "label_ids"):
        prediction = prediction.predictions, prediction.label_ids
    try:
        predictions, label_ids = prediction
    except (TypeError, ValueError):
        needed = "an EvalPrediction, or predictions and label ids as a pair, is needed"
        raise InputError(f"{show(prediction)}; {needed}") from None
    if isinstance(predictions, tuple):
        predictions = predictions[0]
    predicted, sizes = _flat(predictions, "predictions", {1: _IDS, 2: _LOGITS}, labels)
    given, lengths = _flat(label_ids, "label ids", {1: _IDS}, labels)
    same = "label ids; they need the same"
    if len(sizes) != len(lengths):
        raise InputError(f"documents: {len(sizes)} of predictions, {len(lengths)} of {same}")
    for d in np.flatnonzero(sizes != lengths)[:1].tolist():
        raise InputError(f"document {d + 1}: {sizes[d]} predictions, {lengths[d]} {same}")
    counts = given != IGNORED
    document = np.repeat(np.arange(len(lengths)), lengths)
    kept = np.bincount(document[counts], minlength=len(lengths))
    return predicted[counts], given[counts], kept


def _flat(documents: Any, what: str, allowed: Mapping[int, str], labels: int) -> tuple[Ints, Ints]:
    """Return the ids of all tokens in a row, and how many each document has."""
    if not np.iterable(documents):
        needed = " or ".join(allowed.values())
        raise invalid_value(what, documents, f"for each document {needed} are needed")
    ids = [
        _ids(document, f"{what}, document {d}", allowed, labels)
        for d, document in enumerate(documents, 1)
    ]
    lengths = np.array([len(some) for some in ids], np.int64)
    return np.concatenate([np.zeros(0, np.int64), *ids]), lengths


def _ids(document: Any, where: str, allowed: Mapping[int, str], labels: int) -> Ints:
    """Return the ids of one document: as they are, or the best of its logits."""
    try:
        array = np.asarray(document)
        if array.dtype.kind == "O":
            array = np.array(array.tolist())
        known = array.ndim == 2 or array.dtype.kind in "iu" or not array.size
        if array.ndim not in allowed or not known:
            raise ValueError(f"shape {array.shape} of {array.dtype}")
        if array.ndim == 2 and array.size and array.shape[1] != labels:
            given = counted(array.shape[1], "label")
            raise ValueError(f"logits of {given}, label_names has {labels}")
        if array.ndim == 2 and np.isnan(array).any():
            raise ValueError("logits that are nan: the model has diverged")
        return (array.argmax(-1) if array.ndim == 2 else array).astype(np.int64)
    except ValueError as error:  # NumPy's own, for what is ragged or has no labels
        needed = " or ".join(allowed.values())
        raise InputError(f"{where}: {error}; {needed} are needed") from None
