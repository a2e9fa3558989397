"""Functions of seqeval with the same arguments and figures, and chance next to each figure.

A tag consists of a prefix, such as B or I, a hyphen, and a label. With the option ``suffix`` the
prefix follows the label.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, overload

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.model import build_chance_model
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.corpus.tags import look_up_scheme, parse_prefixed_tag
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    check_keywords,
    is_iterable,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.formats.tag_lists import from_tags
from spanagree.results.score import UNDEFINED, build_corrected_score
from spanagree.systems.system_rows import compare_with_gold

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

    from spanagree.choices import Average, Chance, Scheme

AVERAGES = ("micro", "macro", "weighted")
"""Ways to combine the figures of labels."""

_FIGURES = {"precision": "precision", "recall": "recall", "f1": "f1-score"}  # seqeval's names


class SeqevalScore(float):
    """A figure of seqeval, with its expected and its corrected value.

    Attributes:
        expected: figure that chance alone would give; ``nan`` if the figure is undefined.
        corrected: figure corrected for chance, ``(figure − expected) / (1 − expected)``.

    >>> f1 = f1_score([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]])
    >>> f1, f1.expected, f1.corrected
    (1.0, 0.5, 1.0)
    """

    expected: float = UNDEFINED
    corrected: float = UNDEFINED

    @classmethod
    def from_figures(cls, observed: float, expected: float) -> SeqevalScore:
        """Build a figure from its observed and its expected value."""
        score = build_corrected_score(observed, expected)
        seqeval_score = cls(score.observed)
        seqeval_score.expected, seqeval_score.corrected = score.expected, score.corrected
        return seqeval_score


class _LabelCounts:
    """Counts of each label, in sorted order, and figures computed from them.

    ``rows`` are matched, expected, size of gold, size of the system; (labels, 4). Recall weighs
    ``beta`` times as much as precision in F.
    """

    def __init__(
        self, labels: Sequence[str], rows: Floats, zero_division: object, beta: float = 1
    ) -> None:
        allowed = ("warn", 0, 1)
        if zero_division not in allowed:
            raise SettingError(f"zero_division {zero_division!r}; allowed: {join_names(allowed)}")
        self.labels, self.rows, self.zero_division, self.beta = labels, rows, zero_division, beta

    def compute_figures(self, rows: Floats) -> dict[str, Floats]:
        """Compute the observed and the expected figures of each row; each array is (rows, 2).

        A figure with divisor 0 is the value of ``zero_division``, by chance too. F1 is computed
        from precision and recall, as in seqeval, so that its last digit is the same.
        """
        matched, expected, gold, system = rows.T
        match_and_chance = np.stack((matched, expected), axis=-1)
        precision, recall = (
            self._divide(match_and_chance, system),
            self._divide(match_and_chance, gold),
        )
        if np.isinf(self.beta):
            return {"precision": precision, "recall": recall, "f1": recall}
        weight = self.beta**2
        total = weight * precision[:, 0] + recall[:, 0]
        total[total == 0] = 1
        f1 = self._divide((1 + weight) * match_and_chance, weight * gold + system)
        f1[:, 0] = (1 + weight) * precision[:, 0] * recall[:, 0] / total
        return {"precision": precision, "recall": recall, "f1": f1}

    def _divide(self, match_and_chance: Floats, size: Floats) -> Floats:
        """Divide match and expected match, (rows, 2), by a size; 0 or 1 where the size is 0."""
        shares: Floats = match_and_chance / np.where(size == 0, 1, size)[:, None]
        shares[size == 0] = self.zero_division == 1
        return shares

    def compute_mean(self, average: str) -> dict[str, SeqevalScore]:
        """Compute precision, recall and F1 over all labels, by name.

        ``average`` is micro (from summed counts), macro (mean over labels), or weighted (mean
        weighted by the number of gold segments).
        """
        gold, system = self.rows[:, 2].sum(), self.rows[:, 3].sum()
        divisors = {"precision": system, "recall": gold, "f1": gold + system}
        rows = self.rows.sum(0, keepdims=True) if average == "micro" else self.rows
        means = {}
        for name, figures in self.compute_figures(rows).items():
            if average == "weighted" and gold == 0:  # like seqeval
                observed = float(self.zero_division == 1 and (system == 0 or name == "recall"))
                expected = UNDEFINED
            elif len(rows):
                weights = self.rows[:, 2] if average == "weighted" else None
                observed, expected = np.average(figures, 0, weights).tolist()
            else:
                observed = expected = UNDEFINED
            means[name] = SeqevalScore.from_figures(
                observed, expected if divisors[name] else UNDEFINED
            )
        return means

    def score_label(self, label_index: int) -> dict[str, SeqevalScore]:
        """Compute precision, recall and F1 of one label, by name."""
        label_counts = _LabelCounts(
            [self.labels[label_index]], self.rows[[label_index]], self.zero_division, self.beta
        )
        return label_counts.compute_mean("micro")

    def warn(self, *names: str) -> None:
        """Warn of labels with a figure with divisor 0, unless ``zero_division`` was chosen.

        ``names`` are the figures to check: precision or recall.
        """
        has_no_divisor = {"precision": self.rows[:, 3] == 0, "recall": self.rows[:, 2] == 0}
        for name in names:
            labels = [self.labels[i] for i in np.flatnonzero(has_no_divisor.get(name, [])).tolist()]
            if labels and self.zero_division == "warn":
                warnings.warn(
                    f"{name} is undefined for {join_names(labels)} and taken as 0; pass"
                    " zero_division=0 or 1 to choose",
                    stacklevel=4,
                )


class NotListsError(InputError, TypeError):
    """Input other than lists of tag lists, for which seqeval raises a TypeError."""


class Options(TypedDict, total=False):
    """Options for reading tags and computing figures; see :func:`classification_report`."""

    mode: Literal["strict"] | None
    sample_weight: None
    zero_division: Literal["warn", 0, 1]
    scheme: Scheme | type | None
    chance: Chance


class ScoreOptions(Options, total=False):
    """Options of a score; if ``suffix`` is true, prefixes follow their labels."""

    suffix: bool


def _count_by_label(
    y_true: Any,
    y_pred: Any,
    *,
    suffix: bool = False,
    beta: float = 1,
    mode: object = None,
    sample_weight: object = None,
    zero_division: object = "warn",
    scheme: Any = None,
    chance: str = "nonoverlapping",
) -> _LabelCounts:
    """Count the matches of each label in two lists of tag lists.

    The arguments are those of :func:`classification_report`, and ``beta`` for F.
    """
    if sample_weight is not None:
        raise SettingError("sample_weight: sentences have no weights here; leave it out")
    if mode is not None:
        check_choice(mode, ["strict"], "mode")
    if scheme is not None:
        look_up_scheme(scheme, "auto")
    layers = {"y_true": y_true, "y_pred": y_pred}
    for name, sequences in layers.items():
        layers[name] = _convert_to_lists(name, sequences)
    if len(layers["y_true"]) != len(layers["y_pred"]):
        sentence_counts = {
            name: pluralize(len(documents), "sentence") for name, documents in layers.items()
        }
        raise InputError(
            f"y_pred: {sentence_counts['y_pred']};"
            f" y_true has {sentence_counts['y_true']}, and both need as many"
        )
    original_tags: dict[str, str] = {}  # by tag with its prefix first
    if suffix:
        from spanagree.systems.seqeval_tags import move_prefix_to_front  # rarely needed

        distinct_tags = {tag for documents in layers.values() for tags in documents for tag in tags}
        prefixed_tags = {
            tag: move_prefix_to_front(tag) for tag in distinct_tags if isinstance(tag, str)
        }
        original_tags = {tag: original for original, tag in prefixed_tags.items()}
        layers = {
            name: [[prefixed_tags.get(tag, tag) for tag in tags] for tags in documents]
            for name, documents in layers.items()
        }
    strict = mode == "strict"
    if scheme != "IO":  # its labels have no prefixes
        layers = _add_prefixes(layers, original_tags, strict=strict)
    if strict and scheme == "auto":
        from spanagree.systems.seqeval_tags import detect_scheme  # rarely needed

        scheme = detect_scheme(layers["y_true"])
    corpus = from_tags(layers, scheme=scheme if strict or scheme == "IO" else "auto", strict=strict)
    counting = MatchCountOptions(match="exact", chance=build_chance_model(chance))
    counting.check(corpus)
    sums = compare_with_gold(corpus, "y_true", counting).comparisons.by("second", "label")
    labels = [corpus.labels[code] for code in sums.label.tolist()]
    rows = np.array(sums.columns[:4], np.float64).T
    return _LabelCounts(labels, rows.reshape(-1, 4), zero_division, beta)


def _convert_to_lists(name: str, sequences: Any) -> list[Any]:
    """Convert an iterable of iterables of tags to a list of lists; ``name`` is for messages.

    Raises:
        NotListsError: if the input is anything else, such as one flat list of tags.
    """
    return [_as_list(name, tags) for tags in _as_list(name, sequences)]


def _as_list(name: str, tags: Any) -> list[Any]:
    """Convert an iterable to a list.

    Raises:
        NotListsError: if it is a string, a mapping, a data frame, or no iterable.
    """
    is_frame = hasattr(tags, "columns")  # iterating over it yields column names
    if isinstance(tags, (str, Mapping)) or is_frame or not is_iterable(tags):
        raise NotListsError(f"{name}: {quote_value(tags)}; a list of tag lists is needed")
    return list(tags)


def _add_prefixes(
    layers: Mapping[str, Any], original_tags: Mapping[str, str], *, strict: bool
) -> dict[str, Any]:
    """Add a prefix to each tag without a known prefix, and warn of such tags.

    ``original_tags`` has the original form of tags whose prefix was moved to the front.
    """
    try:
        distinct_tags: set[Any] = set().union(*chain.from_iterable(layers.values()))
    except TypeError:  # tags that are no strings are reported by the reader
        return dict(layers)
    if not all(isinstance(tag, str) and tag for tag in distinct_tags):
        return dict(layers)
    bare_tags = {
        tag
        for tag in distinct_tags
        if not parse_prefixed_tag(tag, "") and (not strict or tag[0] in "BIES")
    }
    if not bare_tags:
        return dict(layers)
    from spanagree.systems.seqeval_tags import add_prefixes, describe_bare_tags  # rarely needed

    with_prefixes = add_prefixes(layers, bare_tags, strict=strict)
    warnings.warn(describe_bare_tags(bare_tags, original_tags), stacklevel=4)
    return with_prefixes


def _compute_score(
    name: str, y_true: Any, y_pred: Any, average: Average | None = "micro", **options: Any
) -> Any:
    """Compute precision, recall or F1 like seqeval.

    Args:
        name: "precision", "recall" or "f1".
        y_true, y_pred: gold tags, and tags of the system, as lists of tag lists.
        average: name of the average; `None` for an array with a figure for each label.
        options: further options; see :func:`f1_score`.
    """
    check_keywords(options, ScoreOptions.__annotations__)
    if average is not None:
        check_choice(average, AVERAGES, "average")
    if options.get("mode") == "strict" and options.get("scheme") is None:
        raise SettingError(
            "mode 'strict' needs a scheme, without which seqeval reads leniently; pass"
            " scheme='IOB2' or another, or leave mode out"
        )
    counts = _count_by_label(y_true, y_pred, **options)
    counts.warn(name)
    if average is None:
        return counts.compute_figures(counts.rows)[name][:, 0]
    return counts.compute_mean(average)[name]


class _Score(Protocol):
    """A score with seqeval's arguments: a figure, or an array with ``average=None``."""

    @overload
    def __call__(
        self, y_true: Any, y_pred: Any, *, average: None, **options: Unpack[ScoreOptions]
    ) -> Floats: ...

    @overload
    def __call__(
        self, y_true: Any, y_pred: Any, *, average: Average = ..., **options: Unpack[ScoreOptions]
    ) -> SeqevalScore: ...


def _set_type(score: Callable[..., Any]) -> _Score:
    return score


@_set_type
def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    average: Average | None = "micro",
    **options: Unpack[ScoreOptions],
) -> Any:
    """Compute the F1 of seqeval, a float with the attributes ``expected`` and ``corrected``.

    Args:
        y_true: gold tags, a list of tag lists.
        y_pred: tags of the system, a list of as many tag lists.
        average: micro, macro or weighted; ``None`` gives an array with a figure for each label in
            alphabetical order, without chance (``classification_report`` shows both).
        options: ``suffix``, ``mode``, ``sample_weight``, ``zero_division``, ``scheme`` and
            ``chance``; see :func:`classification_report`.

    Raises:
        SettingError: if a name is unknown, sample weights are passed, or the mode is strict without
            a scheme.
        InputError: if the lists differ in length, or contain anything that is not a tag.

    >>> y_true = [["O", "B-PER", "I-PER", "O"], ["B-LOC", "O", "O"]]
    >>> y_pred = [["O", "B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
    >>> f1 = f1_score(y_true, y_pred)
    >>> f1, round(f1.expected, 4), round(f1.corrected, 4)
    (0.5, 0.3333, 0.25)
    """
    return _compute_score("f1", y_true, y_pred, average, **options)


@_set_type
def precision_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Compute the precision of seqeval, with its chance level; see :func:`f1_score`.

    >>> precision_score([["B-PER", "O"]], [["B-PER", "B-PER"]]).corrected
    0.0
    """
    return _compute_score("precision", y_true, y_pred, **options)


@_set_type
def recall_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Compute the recall of seqeval, with its chance level; see :func:`f1_score`.

    >>> recall_score([["B-PER", "O", "O"]], [["B-PER", "O", "O"]]).expected
    0.3333333333333333
    """
    return _compute_score("recall", y_true, y_pred, **options)
