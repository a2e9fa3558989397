"""Measures: the similarity φ(δ, a, b) of two segments, in one table.

δ is the offset of the second start from the first, and a and b are the lengths. The similarity of
two annotations is Σ φ over all pairs of segments, or the greatest Σ φ of a one-to-one matching. The
arguments of φ are arrays of one shape, and so is the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.chance.model import AUTO, NONE, ChanceModel
from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_choice, quote_value

if TYPE_CHECKING:
    from spanagree.choices import MatchName

SAME_BORDERS = "the same borders"
OVERLAP = "an overlap"
LABEL_OVERLAP = "an overlap of segments with one label"

FORBIDDEN_BY_CHANCE = {"nonoverlapping": OVERLAP, "per-label": LABEL_OVERLAP, "overlapping": ""}
"""Kind of overlap within a layer that each chance model forbids."""

Phi: TypeAlias = Callable[[Ints, Ints, Ints], "Ints | Floats"]


def _look_up_borders(layer: Layer) -> tuple[Ints, Ints]:
    """Return the starts and ends of segments, counted in offsets."""
    return layer.start, layer.end


@dataclass(frozen=True)
class Measure:
    """A measure of two segments. Its values add up over pairs, unless pairs are one-to-one.

    All properties of a measure are in its entry of :data:`MEASURES`; code that computes, checks,
    lists or explains measures reads the entry, not the name.

    Attributes:
        name: name in settings and signatures.
        means: description of a match, as part of a sentence.
        phi: similarity of two segments, for arrays of the offset of the second start from the
            first, and of both lengths. It is 0 for segments that do not overlap.
        of_label: True to compare only segments of the same label.
        in_tokens: True if the size of an annotation is its number of tokens, otherwise of segments.
        kernel: fastest way to sum φ: ``equal`` if φ is 1 for the same start and length and 0
            otherwise, ``cover`` if it is the number of shared tokens, ``offsets`` for any other.
            Two kernels are not additive: ``one-to-one`` is the greatest Σ φ of a one-to-one
            matching of segments with φ > 0, and ``near`` the same for segments with borders that
            differ by at most ``within``, in offsets, or in words of the rule of places ``unit``.
        of_shared: φ as a function of the number of shared tokens and both sizes. Such a measure
            also applies to segments of several fragments. ``None`` if φ depends on other
            quantities.
        of_all_offsets: Σ φ over all offsets, as a function of both lengths, in closed form; used to
            rescale the sums of long documents. Default: a sum over φ, which takes longer.
        any_overlap: True if φ is 1 for all overlaps, which has a faster one-to-one matching.
        within: greatest difference of borders.
        unit: rule of the words that a tolerance counts.
        borders: function that returns the starts and ends of the segments of a layer, in the unit
            of the tolerance.
        disjoint: True if no layer has segments that the measure ``forbids``, so that pairs are
            found from left to right. It may be false only without chance.
        forbids: forbidden relation of two segments of a layer: empty, :data:`SAME_BORDERS`,
            :data:`OVERLAP` or :data:`LABEL_OVERLAP`.
        remark: limits of the measure; ``--explain`` prints them after the meaning.
        cites: key of its source in ``report/references.bib``.
    """

    name: str
    means: str
    phi: Phi
    of_label: bool = True
    in_tokens: bool = False
    kernel: str = "offsets"
    of_shared: Phi | None = None
    of_all_offsets: Callable[[Ints, Ints], Floats] | None = None
    any_overlap: bool = False
    within: int = 0
    unit: str = ""
    borders: Callable[[Layer], tuple[Ints, Ints]] = _look_up_borders
    disjoint: bool = True
    forbids: str = ""
    remark: str = ""
    cites: str = ""

    @property
    def one_to_one(self) -> bool:
        """Whether each segment is in at most one pair, so that φ does not add up over pairs."""
        return self.kernel in ("near", "one-to-one")

    @property
    def pairs_once(self) -> bool:
        """Whether no segment counts more than once, whatever segments a layer has."""
        return self.one_to_one or self.kernel == "equal"

    @property
    def is_whole(self) -> bool:
        """Whether φ is an integer, so that matches can be counted."""
        length = np.ones(1, np.int64)
        return np.asarray(self.phi(0 * length, length, length)).dtype.kind == "i"


def _is_equal(offset: Ints, a: Ints, b: Ints) -> Ints:
    """Return 1 for segments with the same start and length, 0 for others."""
    return ((offset == 0) & (a == b)).astype(np.int64)


def _count_shared(offset: Ints, a: Ints, b: Ints) -> Ints:
    """Count the tokens that two segments share."""
    return np.maximum(np.minimum(a, offset + b) - np.maximum(offset, 0), 0)


def _build_measure_of_shared(name: str, means: str, of_shared: Phi, **fields: Any) -> Measure:
    """Build a measure that depends only on the number of shared tokens and both sizes."""

    def phi(offset: Ints, a: Ints, b: Ints) -> Ints | Floats:
        """Compute φ from the shared tokens and both lengths."""
        return of_shared(_count_shared(offset, a, b), a, b)

    return Measure(name, means, phi, of_shared=of_shared, **{"forbids": LABEL_OVERLAP, **fields})


def _compute_iou(n_shared: Ints, a: Ints, b: Ints) -> Floats:
    """Compute the IoU: shared tokens divided by the tokens that either segment has."""
    return n_shared / (a + b - n_shared)


def _sum_iou_over_offsets(a: Ints, b: Ints) -> Floats:
    """Sum the IoU over all offsets, in closed form."""
    from spanagree.comparisons.iou_of_all_offsets import sum_iou_over_offsets  # of long documents

    return sum_iou_over_offsets(a, b)


_MEASURES = (
    Measure(
        "exact",
        "same start, end and label", _is_equal, kernel="equal",
        remark="A boundary that is off by one counts nothing.",
    ),
    _build_measure_of_shared(
        "token",
        "tokens in segments of the same label", lambda n_shared, a, b: n_shared,
        in_tokens=True, kernel="cover", of_all_offsets=lambda a, b: a * b,
        remark="Sizes are tokens too, so long segments count more than short ones, and a boundary"
        " that is off by one costs little.",
    ),
    Measure(
        "boundaries",
        "same start and end, any label", _is_equal, of_label=False, kernel="equal",
        forbids=SAME_BORDERS,
        remark="It disregards labels, so it cannot tell whether they agree.",
    ),
    _build_measure_of_shared(
        "iou",
        "shared tokens / tokens of both together, same label", _compute_iou,
        of_all_offsets=_sum_iou_over_offsets,
        remark="A pair gets the share of tokens that its two segments have in common, and every"
        " segment counts the same.",
    ),
    _build_measure_of_shared(
        "overlap",
        "segments of the same label that share a token, each in one pair at most",
        lambda n_shared, a, b: (n_shared > 0).astype(np.int64),
        kernel="one-to-one", any_overlap=True,
        remark="If any share will do, a boundary may be off by any number of tokens, so long"
        " segments are matched easily, by chance too.",
    ),
    Measure(
        "partial",
        "1 for the same start and end, 1/2 for other segments that share a token, any label, each"
        " in one pair at most",
        lambda offset, a, b: ((_count_shared(offset, a, b) > 0) + _is_equal(offset, a, b)) / 2,
        of_label=False, kernel="one-to-one", forbids=OVERLAP, cites="segura2013",
        remark="It disregards labels, and half a point is easy to get: long segments are matched"
        " easily, by chance too.",
    ),
)  # fmt: skip

MEASURES = {measure.name: measure for measure in _MEASURES}
"""Measures by name; :func:`find_measure` finds ``overlap-at-0.5`` and ``exact-within-1`` too."""


def list_measures(holds: Callable[[Measure], bool]) -> list[MatchName]:
    """List the names of the measures that satisfy a condition.

    >>> list_measures(lambda measure: measure.in_tokens)
    ['token']
    """
    return [cast("MatchName", name) for name, measure in MEASURES.items() if holds(measure)]


OWN = "a measure of your own"
"""Name and description of a measure that is not in the table."""

_OVERLAP_AT = "overlap-at-"
WITHIN = "-within-"
OF_EQUAL = list_measures(lambda measure: measure.kernel == "equal")
"""Measures of equal segments, which may have a tolerance."""

NEAR = re.compile(f"({'|'.join(OF_EQUAL)}){WITHIN}([1-9][0-9]{{0,2}})(?:-(words|words[+]marks))?")
"""Pattern of the names of measures with a tolerance: measure, tolerance and rule of words."""


def swap_annotators(measure: Measure) -> Measure:
    """Build the measure with φ for the two annotators in exchanged order."""
    phi = measure.phi
    return replace(measure, phi=lambda offset, a, b: phi(-offset, b, a))


def _build_near_measure(name: str, t: int, unit: str) -> Measure:
    """Build the measure exact or boundaries with a tolerance of t units."""

    def phi(offset: Ints, a: Ints, b: Ints) -> Ints:
        """Return 1 for starts and ends that differ by at most t, 0 for others."""
        is_near = (np.abs(offset) <= t) & (np.abs(offset + b - a) <= t)
        return is_near.astype(np.int64)

    of_label = MEASURES[name].of_label
    words = f"-{unit}" if unit else ""
    label = "same label" if of_label else "any label"
    limit = f"{t} word{'s' * (t > 1)}" if unit else f"{t}"
    return Measure(
        f"{name}{WITHIN}{t}{words}",
        f"start and end differ by at most {limit}, {label}, each in one pair at most",
        phi, of_label, kernel="near", within=t, unit=unit,
        forbids=LABEL_OVERLAP if of_label else OVERLAP,
        remark="So a boundary that is off by no more costs nothing, and short segments are matched"
        " easily, by chance too.",
    )  # fmt: skip


def _build_overlap_measure(share: str) -> Measure:
    """Build the one-to-one measure of segments with at least a share of common tokens."""
    least_iou = float(share)

    def of_shared(n_shared: Ints, a: Ints, b: Ints) -> Ints:
        """Return 1 for an IoU of at least the share, 0 for others."""
        return ((n_shared > 0) & (_compute_iou(n_shared, a, b) >= least_iou)).astype(np.int64)

    means = f"segments of the same label with an iou of at least {share}, each in one pair at most"
    remark = MEASURES["overlap"].remark
    return _build_measure_of_shared(
        f"{_OVERLAP_AT}{share}", means, of_shared, kernel="one-to-one", remark=remark
    )


def find_measure(match: str) -> Measure:
    """Find a measure by its name, such as ``exact``, ``overlap-at-0.5`` or ``exact-within-1``.

    Raises:
        SettingError: if no measure has this name.

    >>> find_measure("overlap-at-0.5").means
    'segments of the same label with an iou of at least 0.5, each in one pair at most'
    """
    if isinstance(match, str) and match.startswith(_OVERLAP_AT):
        share = match.removeprefix(_OVERLAP_AT)
        if not re.fullmatch("0[.][0-9]{1,4}|1", share) or f"{float(share):g}" != share:
            raise SettingError(
                f"match {quote_value(match)}: a share from 0.0001 to 1 stands at its end, such as"
                f" {_OVERLAP_AT}0.5"
            )
        return _build_overlap_measure(share)
    if isinstance(match, str) and WITHIN in match and match.partition(WITHIN)[0] in OF_EQUAL:
        if (name_match := NEAR.fullmatch(match)) is None:
            raise SettingError(
                f"match {quote_value(match)}: a whole number from 1 to 999 stands at its end, or"
                " that and -words or -words+marks"
            )
        return _build_near_measure(name_match[1], int(name_match[2]), name_match[3] or "")
    check_choice(match, MEASURES, "match")
    return MEASURES[match]


def find_forbidden_overlaps(match: str, chance: ChanceModel) -> dict[str, str]:
    """Find the kinds of overlaps that a measure and a chance model forbid, by option.

    Without chance, a measure in which no segment counts twice forbids nothing.
    """
    measure = find_measure(match)
    is_free = bool(chance.undefined) and measure.pairs_once
    return {
        "match": "" if is_free else measure.forbids,
        "chance": FORBIDDEN_BY_CHANCE.get(chance.name, ""),
    }


def are_compatible(*names: str) -> bool:
    """Check whether measures and chance models with these names can be combined.

    Segments that are matched one-to-one must exclude each other at random.
    """
    measures = (find_measure(name) for name in names if name not in (AUTO, NONE, *CHANCES))
    one_to_one = [measure for measure in measures if measure.one_to_one]
    any_label = any(not measure.of_label for measure in one_to_one)
    return not (one_to_one and "overlapping" in names) and not (any_label and "per-label" in names)
