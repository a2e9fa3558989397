"""The report of seqeval, all of its scores at once, and its figures of tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    check_integer,
    is_iterable,
    pluralize,
    quote_value,
)
from spanagree.results.score import UNDEFINED
from spanagree.systems.as_seqeval import (
    _FIGURES,
    AVERAGES,
    Options,
    ScoreOptions,
    SeqevalScore,
    _as_list,
    _convert_to_lists,
    _count_by_label,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

    from spanagree.choices import Average, Chance, Scheme


class ReportOptions(ScoreOptions, total=False):
    """Options of a report; see :func:`classification_report`."""

    digits: int


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    average: Average | None = None,
    warn_for: Sequence[str] = ("precision", "recall", "f-score"),
    beta: float = 1.0,
    sample_weight: None = None,
    zero_division: Literal["warn", 0, 1] = "warn",
    suffix: bool = False,
    chance: Chance = "nonoverlapping",
) -> tuple[Any, Any, Any, Any]:
    """Compute precision, recall, F and the number of gold segments, as seqeval does.

    Args:
        y_true: gold tags, a list of tag lists.
        y_pred: tags of the system, a list of as many tag lists.
        average: micro, macro or weighted, for three floats with ``expected`` and ``corrected``;
            ``None`` for arrays, with a figure for each label in alphabetical order.
        warn_for: names of the figures to warn of if they have no divisor.
        beta: weight of recall relative to precision.
        sample_weight: unsupported.
        zero_division: figure without a divisor; see :func:`classification_report`.
        suffix: True if prefixes follow labels; see :func:`classification_report`.
        chance: chance model; see :func:`classification_report`.

    Raises:
        SettingError: if a name is unknown, sample weights are passed, or beta is below 0.
        InputError: if the lists differ in length, or contain anything that is not a tag.

    >>> y_true = [["O", "B-PER", "I-PER", "O"], ["B-LOC", "O", "O"]]
    >>> precision_recall_fscore_support(y_true, y_true, average="micro")
    (1.0, 1.0, 1.0, 2)
    """
    if average is not None:
        check_choice(average, AVERAGES, "average")
    if not isinstance(beta, Real) or not beta >= 0:
        raise SettingError(f"beta {quote_value(beta)}; a number from 0 is needed")
    if not is_iterable(warn_for):
        raise SettingError(f"warn_for {quote_value(warn_for)}; a list of figures is needed")
    counts = _count_by_label(
        y_true, y_pred, suffix=suffix, beta=beta, sample_weight=sample_weight,
        zero_division=zero_division, chance=chance,
    )  # fmt: skip
    counts.warn(*(name for name in ("precision", "recall") if name in warn_for))
    support = counts.rows[:, 2].astype(int)
    if average is None:
        figures = counts.compute_figures(counts.rows)
        precision, recall, f_score = (figures[name][:, 0] for name in _FIGURES)
        return precision, recall, f_score, support
    means = counts.compute_mean(average)
    return means["precision"], means["recall"], means["f1"], int(support.sum())


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Compute the share of tokens with the same tag, as seqeval does; ``nan`` without tokens.

    Most tokens are outside every segment, so chance alone makes it high; it is not corrected.

    Args:
        y_true: gold tags, a list of tag lists, or one list of tags.
        y_pred: tags of the system, of the same lengths.

    Raises:
        InputError: if the lists differ in length.

    >>> accuracy_score([["B-PER", "O", "O"]], [["B-PER", "I-PER", "O"]])
    0.6666666666666666
    """
    pairs = _pair_tags(y_true, y_pred)
    return sum(gold == predicted for gold, predicted in pairs) / len(pairs) if pairs else UNDEFINED


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """Count the true and false positives and negatives among tokens, as seqeval does.

    The arguments are the same as for :func:`accuracy_score`.

    >>> performance_measure([["B-PER", "O", "O"]], [["B-PER", "I-PER", "O"]])
    {'TP': 1, 'FP': 1, 'FN': 0, 'TN': 1}
    """
    counts = Counter(_pair_tags(y_true, y_pred))
    outcomes = {"TP": 0, "FP": 0, "FN": 0, "TN": 0}
    for (gold, predicted), n_tokens in counts.items():
        if gold == predicted:
            outcomes["TN" if predicted == "O" else "TP"] += n_tokens
        else:
            outcomes["FP" if predicted != "O" else "FN"] += n_tokens
    return outcomes


def _pair_tags(y_true: Any, y_pred: Any) -> list[tuple[Any, Any]]:
    """Pair gold tag and predicted tag of each token, over all sentences.

    Raises:
        InputError: if the lists differ in length.
    """
    both_tags = [_as_list("y_true", y_true), _as_list("y_pred", y_pred)]
    if any(not isinstance(tags, str) and is_iterable(tags) for tags in both_tags[0]):
        both_tags = [
            _convert_to_lists(name, tags)
            for name, tags in zip(("y_true", "y_pred"), both_tags, strict=True)
        ]
        sizes = [[len(tags) for tags in lists] for lists in both_tags]
        both_tags = [list(chain.from_iterable(lists)) for lists in both_tags]
    else:
        sizes = [[len(tags)] for tags in both_tags]
    if sizes[0] != sizes[1]:
        raise InputError(
            f"y_pred: {pluralize(len(both_tags[1]), 'tag')} in {pluralize(len(sizes[1]), 'list')},"
            f" y_true has {len(both_tags[0])} in {len(sizes[0])}; both need the same lists"
            " of tokens"
        )
    return list(zip(*both_tags, strict=True))


@overload
def classification_report(
    y_true: Any,
    y_pred: Any,
    digits: int = ...,
    suffix: bool = ...,
    output_dict: Literal[False] = ...,
    **options: Unpack[Options],
) -> str: ...


@overload
def classification_report(
    y_true: Any, y_pred: Any, *, output_dict: Literal[True], **options: Unpack[ReportOptions]
) -> dict[str, dict[str, float]]: ...


def classification_report(
    y_true: Any,
    y_pred: Any,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: Literal["strict"] | None = None,
    sample_weight: None = None,
    zero_division: Literal["warn", 0, 1] = "warn",
    scheme: Scheme | type | None = None,
    chance: Chance = "nonoverlapping",
) -> str | dict[str, dict[str, float]]:
    """Build seqeval's report, with the F1 expected by chance and the corrected F1 on its right.

    Args:
        y_true: gold tags, a list of tag lists.
        y_pred: tags of the system, a list of as many tag lists.
        digits: number of decimals in the text.
        suffix: True if prefixes follow labels, as in ``PER-B``.
        output_dict: True to return the rows as a dictionary instead of the text. Each has
            ``precision``, ``recall``, ``f1-score``, ``support``, and ``chance-…`` and
            ``corrected-…`` for each of the first three; undefined figures are ``nan``.
        mode: strict to take only segments that are well-formed in ``scheme``; ``None`` to take all.
        sample_weight: unsupported.
        zero_division: figure without a divisor: 0, 1, or warn (0 and a warning).
        scheme: scheme for ``mode="strict"``: IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU, or auto; or
            a class of ``seqeval.scheme``. Without a scheme, a strict report follows the prefixes of
            ``y_true``, as in seqeval.
        chance: chance model: nonoverlapping, per-label or overlapping.

    Raises:
        SettingError: if a name is unknown, sample weights are passed, or prefixes fit no scheme.
        InputError: if the lists differ in length, or contain anything that is not a tag.

    >>> tags = [["O", "B-PER", "I-PER", "O"], ["B-LOC", "O", "O"]]
    >>> print(classification_report(tags, [tags[0], ["O", "B-LOC", "O"]]))
                  precision    recall  f1-score   support chance F1 corrected F1
    <BLANKLINE>
             LOC       0.00      0.00      0.00         1      0.33        -0.50
             PER       1.00      1.00      1.00         1      0.33         1.00
    <BLANKLINE>
       micro avg       0.50      0.50      0.50         2      0.33         0.25
       macro avg       0.50      0.50      0.50         2      0.33         0.25
    weighted avg       0.50      0.50      0.50         2      0.33         0.25
    <BLANKLINE>
    """
    check_integer(digits, 0, "digits")
    counts = _count_by_label(
        y_true, y_pred, suffix=suffix, mode=mode, sample_weight=sample_weight,
        zero_division=zero_division, scheme="auto" if scheme is None else scheme, chance=chance,
    )  # fmt: skip
    counts.warn("precision", "recall")
    support = counts.rows[:, 2].astype(int).tolist()
    rows: list[_Row] = [
        (label, counts.score_label(i), support[i]) for i, label in enumerate(counts.labels)
    ]
    rows += [(f"{average} avg", counts.compute_mean(average), sum(support)) for average in AVERAGES]
    if output_dict:
        return {name: _convert_row(figures, gold) for name, figures, gold in rows}
    return _format_rows(rows, len(counts.labels), digits)


_Row = tuple[str, Mapping[str, SeqevalScore], int]  # name, figures, support


def _format_rows(rows: Sequence[_Row], n_labels: int, digits: int) -> str:
    """Format the rows like seqeval's report, with expected and corrected F1 on the right.

    Args:
        rows: rows of labels, followed by rows of averages.
        n_labels: number of rows of labels.
        digits: number of decimals.
    """
    from spanagree.results.numbers import NOT_SHOWN  # scores alone need no text

    width = max(len(name) for name, _, _ in rows)
    head = ["precision", "recall", "f1-score", "support", "chance F1"]
    titles = "".join(f" {title:>9}" for title in head)
    lines = [f"{'':>{width}} {titles} corrected F1", ""]
    for row_index, (name, figures, gold) in enumerate(rows):
        if row_index == n_labels:
            lines.append("")
        raw = "".join(f" {figures[key]:>9.{digits}f}" for key in _FIGURES)
        f1 = figures["f1"]
        expected_f1, corrected_f1 = (
            NOT_SHOWN if np.isnan(value) else f"{value:.{digits}f}"
            for value in (f1.expected, f1.corrected)
        )
        lines.append(f"{name:>{width}} {raw} {gold:>9} {expected_f1:>9} {corrected_f1:>12}")
    return "\n".join([*lines, ""])


def _convert_row(figures: Mapping[str, SeqevalScore], support: int) -> dict[str, float]:
    """Convert a row of the report to plain data."""
    figures_by_title = {_FIGURES[key]: figure for key, figure in figures.items()}
    return {
        **{key: float(figure) for key, figure in figures_by_title.items()},
        "support": support,
        **{f"chance-{key}": figure.expected for key, figure in figures_by_title.items()},
        **{f"corrected-{key}": figure.corrected for key, figure in figures_by_title.items()},
    }
