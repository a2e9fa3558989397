"""What seqeval's users call: the same arguments, the same figures, and chance beside them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, overload

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.model import chance_model
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.corpus.tags import prefixed, scheme_named
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
from spanagree.results.score import UNDEFINED, corrected
from spanagree.systems.system_rows import compare_with_gold

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

    from spanagree.choices import Average, Chance, Scheme

AVERAGES = ("micro", "macro", "weighted")
"""How the figures of labels become one."""

_APART = {"BB", "BS", "BO", "IB", "IS", "IO"}  # prefixes between which a segment ends
_ANEW = {"EE", "EI", "SE", "SI", "OE", "OI"}  # and that at the second of which one begins
_FIGURES = {"precision": "precision", "recall": "recall", "f1": "f1-score"}  # what seqeval calls it
_DETECTED = {"BI": "IOB2", "IE": "IOE2", "BIES": "IOBES", "BILU": "BILOU"}  # as its report does


class SeqevalScore(float):
    """A figure as seqeval gives it, and what chance makes of it.

    Attributes:
        expected: what chance alone would give; ``nan`` where the figure is undefined.
        corrected: the figure corrected for chance, ``(figure − expected) / (1 − expected)``.

    >>> f1 = f1_score([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]])
    >>> f1, f1.expected, f1.corrected
    (1.0, 0.5, 1.0)
    """

    expected: float = UNDEFINED
    corrected: float = UNDEFINED

    @classmethod
    def of(cls, observed: float, expected: float) -> SeqevalScore:
        """Return an observed figure, with what is expected and corrected beside it."""
        score = corrected(observed, expected)
        figure = cls(score.observed)
        figure.expected, figure.corrected = score.expected, score.corrected
        return figure


class _LabelCounts:
    """Counts of each label, sorted, and the figures that seqeval and chance make of them.

    ``rows`` are matched, expected, size of gold, size of the system; (labels, 4). Recall weighs
    ``beta`` times as much as precision in F.
    """

    def __init__(
        self, labels: Sequence[str], rows: Floats, zero_division: object, beta: float = 1
    ) -> None:
        check = ("warn", 0, 1)
        if zero_division not in check:
            raise SettingError(f"zero_division {zero_division!r}; allowed: {join_names(check)}")
        self.labels, self.rows, self.zero_division, self.beta = labels, rows, zero_division, beta

    def of_rows(self, rows: Floats) -> dict[str, Floats]:
        """Return observed and expected figures of each row, by figure; (rows, 2).

        What has nothing to divide by is what ``zero_division`` says, by chance too. F1 is computed
        from precision and recall, as seqeval does it, to have its last digit.
        """
        matched, by_chance, gold, marked = rows.T
        both = np.stack((matched, by_chance), axis=-1)
        precision, recall = self._share(both, marked), self._share(both, gold)
        if np.isinf(self.beta):
            return {"precision": precision, "recall": recall, "f1": recall}
        weight = self.beta**2
        total = weight * precision[:, 0] + recall[:, 0]
        total[total == 0] = 1
        f1 = self._share((1 + weight) * both, weight * gold + marked)
        f1[:, 0] = (1 + weight) * precision[:, 0] * recall[:, 0] / total
        return {"precision": precision, "recall": recall, "f1": f1}

    def _share(self, both: Floats, size: Floats) -> Floats:
        shares: Floats = both / np.where(size == 0, 1, size)[:, None]
        shares[size == 0] = self.zero_division == 1
        return shares

    def mean(self, average: str) -> dict[str, SeqevalScore]:
        """Return precision, recall and F1 over all labels, by name."""
        gold, marked = self.rows[:, 2].sum(), self.rows[:, 3].sum()
        divisors = {"precision": marked, "recall": gold, "f1": gold + marked}
        rows = self.rows.sum(0, keepdims=True) if average == "micro" else self.rows
        means = {}
        for name, figures in self.of_rows(rows).items():
            if average == "weighted" and gold == 0:  # as seqeval has it
                observed = float(self.zero_division == 1 and (marked == 0 or name == "recall"))
                expected = UNDEFINED
            elif len(rows):
                weights = self.rows[:, 2] if average == "weighted" else None
                observed, expected = np.average(figures, 0, weights).tolist()
            else:
                observed = expected = UNDEFINED
            means[name] = SeqevalScore.of(observed, expected if divisors[name] else UNDEFINED)
        return means

    def of_label(self, number: int) -> dict[str, SeqevalScore]:
        """Return precision, recall and F1 of one label, by name."""
        alone = _LabelCounts(
            [self.labels[number]], self.rows[[number]], self.zero_division, self.beta
        )
        return alone.mean("micro")

    def warn(self, *names: str) -> None:
        """Warn of labels whose figure has nothing to divide by, unless it was said what to do."""
        without = {"precision": self.rows[:, 3] == 0, "recall": self.rows[:, 2] == 0}
        for name in names:
            labels = [self.labels[i] for i in np.flatnonzero(without.get(name, [])).tolist()]
            if labels and self.zero_division == "warn":
                warnings.warn(
                    f"{name} is undefined for {join_names(labels)} and taken as 0; pass"
                    " zero_division=0 or 1 to choose",
                    stacklevel=4,
                )


class NotListsError(InputError, TypeError):
    """Something else than lists of tag lists, for which seqeval raises a TypeError."""


class Options(TypedDict, total=False):
    """How tags are read and figures made; see :func:`classification_report`."""

    mode: Literal["strict"] | None
    sample_weight: None
    zero_division: Literal["warn", 0, 1]
    scheme: Scheme | type | None
    chance: Chance


class ScoreOptions(Options, total=False):
    """The same of a score; ``suffix``: whether prefixes stand behind labels."""

    suffix: bool


def _count(
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
    """Return the counts of two lists of tag lists."""
    if sample_weight is not None:
        raise SettingError("sample_weight: sentences have no weights here; leave it out")
    if mode is not None:
        check_choice(mode, ["strict"], "mode")
    if scheme is not None:
        scheme_named(scheme, "auto")
    layers = {"y_true": y_true, "y_pred": y_pred}
    for name, sequences in layers.items():
        layers[name] = _lists(name, sequences)
    if len(layers["y_true"]) != len(layers["y_pred"]):
        many = {name: pluralize(len(documents), "sentence") for name, documents in layers.items()}
        raise InputError(
            f"y_pred: {many['y_pred']}; y_true has {many['y_true']}, and both need as many"
        )
    written: dict[str, str] = {}  # of tags that are turned
    if suffix:
        every = {tag for documents in layers.values() for tags in documents for tag in tags}
        turned = {tag: _turned(tag) for tag in every if isinstance(tag, str)}
        written = {tag: given for given, tag in turned.items()}
        layers = {
            name: [[turned.get(tag, tag) for tag in tags] for tags in documents]
            for name, documents in layers.items()
        }
    strict = mode == "strict"
    if scheme != "IO":  # there labels stand bare
        layers = _with_prefixes(layers, written, strict=strict)
    if strict and scheme == "auto":
        scheme = _detected(layers["y_true"])
    corpus = from_tags(layers, scheme=scheme if strict or scheme == "IO" else "auto", strict=strict)
    counting = MatchCountOptions(match="exact", chance=chance_model(chance))
    counting.check(corpus)
    sums = compare_with_gold(corpus, "y_true", counting).comparisons.by("second", "label")
    labels = [corpus.labels[code] for code in sums.label.tolist()]
    rows = np.array(sums.columns[:4], np.float64).T
    return _LabelCounts(labels, rows.reshape(-1, 4), zero_division, beta)


def _lists(name: str, sequences: Any) -> list[Any]:
    """Return lists of tag lists.

    Raises:
        NotListsError: for anything else, such as one flat list of tags.
    """
    return [_as_list(name, tags) for tags in _as_list(name, sequences)]


def _as_list(name: str, tags: Any) -> list[Any]:
    """Return what can be gone through, but is no string, as a list.

    Raises:
        NotListsError: for anything else.
    """
    is_frame = hasattr(tags, "columns")  # its iterator has the names of these
    if isinstance(tags, (str, Mapping)) or is_frame or not is_iterable(tags):
        raise NotListsError(f"{name}: {quote_value(tags)}; a list of tag lists is needed")
    return list(tags)


def _with_prefixes(
    layers: Mapping[str, Any], written: Mapping[str, str], *, strict: bool
) -> dict[str, Any]:
    """Return tags of which each has a prefix that is known, where some have none, with a warning.

    As seqeval has it, the first letter is the prefix, and the label is what follows the first
    hyphen, or that letter. ``written`` has how those that were turned are written.
    """
    try:
        kinds: set[Any] = set().union(*chain.from_iterable(layers.values()))
    except TypeError:  # that a tag is no string is said where they are read
        return dict(layers)
    if not all(isinstance(tag, str) and tag for tag in kinds):
        return dict(layers)
    odd = {tag for tag in kinds if not prefixed(tag, "") and (not strict or tag[0] in "BIES")}
    if not odd:
        return dict(layers)
    if strict:
        meaning = {tag: f"{tag[0]}-{tag[1:].strip('-') or '_'}" for tag in odd}
        with_prefixes = {
            name: [[meaning.get(tag, tag) for tag in tags] for tags in documents]
            for name, documents in layers.items()
        }
    else:
        with_prefixes = {name: _leniently(name, tags) for name, tags in layers.items()}
    as_given = sorted(written.get(tag, tag) for tag in odd)
    why = "no prefix and hyphen; read as seqeval does, the first letter as the prefix"
    if written:
        why = "suffix=True, but no hyphen and B, I, E or S stand last; leave suffix out for B-PER"
    more = ", …" if len(as_given) > 5 else ""
    warnings.warn(f"{join_names(as_given[:5])}{more}: {why}", stacklevel=4)
    return with_prefixes


def _leniently(name: str, documents: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the tags of the segments that seqeval's default mode finds, whatever the tags are.

    It goes over all sentences in one, with an O behind each.

    Raises:
        SettingError: for segments that overlap, or that go on from a sentence into the next.
    """
    read = [["O"] * len(tags) for tags in documents]
    place = [(d, i) for d, tags in enumerate(documents) for i in range(len(tags) + 1)]
    flat = [tag or "O" for tags in documents for tag in (*tags, "O")]
    begin, before, kind = 0, "O", ""
    for at, tag in enumerate(flat):
        prefix, label = tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"
        other = label != kind
        if before not in "O." and (other or before in "ES" or before + prefix in _APART):
            (d, first), (last_d, last) = place[begin], place[at - 1]
            here = read[d][first : last + 1]
            if d != last_d or last >= len(read[d]) or any(tag != "O" for tag in here):
                raise SettingError(
                    f"{name}: {quote_value(flat[at - 1])}, tag {last + 1} of sentence"
                    f" {last_d + 1}, ends a"
                    " segment that overlaps another or has no begin in its sentence, as seqeval"
                    " reads it; write B-, I- or O in capitals"
                )
            read[d][first : last + 1] = [f"B-{kind}", *[f"I-{kind}"] * (last - first)]
        if prefix not in "O." and (other or prefix in "BS" or before + prefix in _ANEW):
            begin = at
        before, kind = prefix, label
    return read


def _turned(tag: str) -> str:
    """Return a tag whose prefix stands behind its label, as others have it."""
    if tag in ("O", ""):
        return tag
    return f"{tag[-1]}-{tag[:-1].rsplit('-', maxsplit=1)[0]}".removesuffix("-")


def _detected(tags: Sequence[Sequence[str]]) -> str:
    """Return the scheme that seqeval's report would recognise."""
    letters = {tag[0] for document in tags for tag in document if tag and tag != "O"}
    for known, scheme in _DETECTED.items():
        if letters & set(known) - {"I"} and letters <= set(known):
            return scheme
    raise SettingError(
        f"mode 'strict': no scheme can be told from the prefixes {join_names(sorted(letters))};"
        " pass scheme='IOB2' or another"
    )


def _score(
    name: str, y_true: Any, y_pred: Any, average: Average | None = "micro", **options: Any
) -> Any:
    check_keywords(options, ScoreOptions.__annotations__)
    if average is not None:
        check_choice(average, AVERAGES, "average")
    if options.get("mode") == "strict" and options.get("scheme") is None:
        raise SettingError(
            "mode 'strict' needs a scheme, without which seqeval reads leniently; pass"
            " scheme='IOB2' or another, or leave mode out"
        )
    counts = _count(y_true, y_pred, **options)
    counts.warn(name)
    if average is None:
        return counts.of_rows(counts.rows)[name][:, 0]
    return counts.mean(average)[name]


class _Score(Protocol):
    """A score by seqeval's arguments: a figure, or of ``average=None`` an array."""

    @overload
    def __call__(
        self, y_true: Any, y_pred: Any, *, average: None, **options: Unpack[ScoreOptions]
    ) -> Floats: ...

    @overload
    def __call__(
        self, y_true: Any, y_pred: Any, *, average: Average = ..., **options: Unpack[ScoreOptions]
    ) -> SeqevalScore: ...


def _typed(score: Callable[..., Any]) -> _Score:
    return score


@_typed
def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    average: Average | None = "micro",
    **options: Unpack[ScoreOptions],
) -> Any:
    """Return the F1 that seqeval gives, a float with ``expected`` and ``corrected`` beside it.

    Args:
        y_true: the gold tags, a list of tag lists.
        y_pred: the system's tags, as many.
        average: micro, macro or weighted; ``None`` gives an array, a figure for each label in
            alphabetical order, without chance beside it (``classification_report`` has both).
        options: ``suffix``, ``mode``, ``sample_weight``, ``zero_division``, ``scheme`` and
            ``chance``, as :func:`classification_report` has them.

    Raises:
        SettingError: for an unknown name, sample weights, or a strict mode without a scheme.
        InputError: for lists of different lengths, and for what is not a tag.

    >>> y_true = [["O", "B-PER", "I-PER", "O"], ["B-LOC", "O", "O"]]
    >>> y_pred = [["O", "B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
    >>> f1 = f1_score(y_true, y_pred)
    >>> f1, round(f1.expected, 4), round(f1.corrected, 4)
    (0.5, 0.3333, 0.25)
    """
    return _score("f1", y_true, y_pred, average, **options)


@_typed
def precision_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Return the precision that seqeval gives, with chance beside it, as :func:`f1_score` does.

    >>> precision_score([["B-PER", "O"]], [["B-PER", "B-PER"]]).corrected
    0.0
    """
    return _score("precision", y_true, y_pred, **options)


@_typed
def recall_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Return the recall that seqeval gives, with chance beside it, as :func:`f1_score` does.

    >>> recall_score([["B-PER", "O", "O"]], [["B-PER", "O", "O"]]).expected
    0.3333333333333333
    """
    return _score("recall", y_true, y_pred, **options)
