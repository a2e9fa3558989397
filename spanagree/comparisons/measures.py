"""The measures: how similar two segments are, one table of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_choice, quote_value

if TYPE_CHECKING:
    from spanagree.choices import MatchName

SAME_BORDERS = "the same borders"
OVERLAP = "an overlap"
LABEL_OVERLAP = "an overlap of segments with one label"

Phi: TypeAlias = Callable[[Ints, Ints, Ints], "Ints | Floats"]


def _in_offsets(layer: Layer) -> tuple[Ints, Ints]:
    """Return where segments start and end, as they are."""
    return layer.start, layer.end


@dataclass(frozen=True)
class Measure:
    """A measure of two segments; what it gives adds up over pairs, with one exception.

    Everything that is true of a measure is in its entry of :data:`MEASURES`: what computes, checks,
    lists and explains measures asks the entry, not the name.

    Attributes:
        name: its name in settings and signatures.
        means: what counts, as sentences have it.
        phi: similarity of two segments: of the offset of the second one's start from the first's,
            and both lengths, as arrays. It is 0 for segments that do not overlap.
        of_label: if True, only segments of the same label are compared.
        in_tokens: if True, an annotation's size is its tokens, else its segments.
        kernel: the shortest way to its sums: ``equal`` if φ is 1 for the same start and length and
            else 0, ``cover`` if it is the number of shared tokens, ``offsets`` for any other. Two
            are not additive: ``one-to-one`` is the greatest one-to-one matching of segments with φ
            > 0, of which φ is added up, and ``near`` that of segments with borders that differ by
            at most ``within``: by what offsets count, or by words as the rule of places called
            ``unit`` has them.
        of_shared: φ by the number of shared tokens and both sizes, where it depends on nothing
            else: so segments of several pieces have it too.
        of_all_offsets: Σ φ over all offsets, by both lengths, in closed form; by it the sums of
            long documents are rescaled. Default: φ is added up, which takes longer.
        any_overlap: if True, φ is 1 for all that overlap, which has a shorter way one-to-one.
        within: greatest difference of borders.
        unit: rule of the words that it counts.
        borders: where the segments of a layer start and end, counted so.
        disjoint: whether no layer has what the measure ``forbids``, by which pairs are found from
            left to right; without chance a layer may.
        forbids: what two segments of a layer may not have: nothing, :data:`SAME_BORDERS`,
            :data:`OVERLAP` or :data:`LABEL_OVERLAP`.
        remark: when not to trust it; ``--explain`` prints it after the meaning.
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
    borders: Callable[[Layer], tuple[Ints, Ints]] = _in_offsets
    disjoint: bool = True
    forbids: str = ""
    remark: str = ""
    cites: str = ""

    @property
    def one_to_one(self) -> bool:
        """Whether each segment is in one pair at most, so that φ does not add up over pairs."""
        return self.kernel in ("near", "one-to-one")

    @property
    def pairs_once(self) -> bool:
        """Whether no segment counts more than once, whatever segments a layer has."""
        return self.one_to_one or self.kernel == "equal"

    @property
    def is_whole(self) -> bool:
        """Whether φ is a whole number, so that matches can be counted."""
        length = np.ones(1, np.int64)
        return np.asarray(self.phi(0 * length, length, length)).dtype.kind == "i"


def _same(offset: Ints, a: Ints, b: Ints) -> Ints:
    return ((offset == 0) & (a == b)).astype(np.int64)


def _shared(offset: Ints, a: Ints, b: Ints) -> Ints:
    return np.maximum(np.minimum(a, offset + b) - np.maximum(offset, 0), 0)


def _by_shared(name: str, means: str, of_shared: Phi, **fields: Any) -> Measure:
    """Return a measure that depends on the number of shared tokens and both sizes alone."""

    def phi(offset: Ints, a: Ints, b: Ints) -> Ints | Floats:
        return of_shared(_shared(offset, a, b), a, b)

    return Measure(name, means, phi, of_shared=of_shared, **{"forbids": LABEL_OVERLAP, **fields})


def _iou(shared: Ints, a: Ints, b: Ints) -> Floats:
    return shared / (a + b - shared)


def _iou_of_all_offsets(a: Ints, b: Ints) -> Floats:
    from spanagree.comparisons.iou_of_all_offsets import iou_of_all_offsets  # of long documents

    return iou_of_all_offsets(a, b)


_ALL = (
    Measure(
        "exact",
        "same start, end and label", _same, kernel="equal",
        remark="A boundary that is off by one counts nothing.",
    ),
    _by_shared(
        "token",
        "tokens in segments of the same label", lambda shared, a, b: shared,
        in_tokens=True, kernel="cover", of_all_offsets=lambda a, b: a * b,
        remark="Sizes are tokens too, so long segments count more than short ones, and a boundary"
        " that is off by one costs little.",
    ),
    Measure(
        "boundaries",
        "same start and end, any label", _same, of_label=False, kernel="equal",
        forbids=SAME_BORDERS,
        remark="It disregards labels, so it cannot tell whether they agree.",
    ),
    _by_shared(
        "iou",
        "shared tokens / tokens of both together, same label", _iou,
        of_all_offsets=_iou_of_all_offsets,
        remark="A pair gets the share of tokens that its two segments have in common, and every"
        " segment counts the same.",
    ),
    _by_shared(
        "overlap",
        "segments of the same label that share a token, each in one pair at most",
        lambda shared, a, b: (shared > 0).astype(np.int64), kernel="one-to-one", any_overlap=True,
        remark="If any share will do, a boundary may be off by any number of tokens, so long"
        " segments are matched easily, by chance too.",
    ),
    Measure(
        "partial",
        "1 for the same start and end, 1/2 for other segments that share a token, any label, each"
        " in one pair at most",
        lambda offset, a, b: ((_shared(offset, a, b) > 0) + _same(offset, a, b)) / 2,
        of_label=False, kernel="one-to-one", forbids=OVERLAP, cites="segura2013",
        remark="It disregards labels, and half a point is easy to get: long segments are matched"
        " easily, by chance too.",
    ),
)  # fmt: skip

MEASURES = {measure.name: measure for measure in _ALL}
"""The measures by name; :func:`find_measure` finds ``overlap-at-0.5`` and
``exact-within-1`` too."""


def measures(holds: Callable[[Measure], bool]) -> list[MatchName]:
    """List the names of the measures of which something holds.

    >>> measures(lambda measure: measure.in_tokens)
    ['token']
    """
    return [cast("MatchName", name) for name, measure in MEASURES.items() if holds(measure)]


OWN = "a measure of your own"
"""The name and the meaning of a measure that is in no table."""

_AT = "overlap-at-"
WITHIN = "-within-"
OF_EQUAL = measures(lambda measure: measure.kernel == "equal")
"""The measures under which equal segments match, which a tolerance loosens."""

NEAR = re.compile(f"({'|'.join(OF_EQUAL)}){WITHIN}([1-9][0-9]{{0,2}})(?:-(words|words[+]marks))?")
"""The name of a measure with a tolerance: what it loosens, by how many, and by which words."""


def turned(measure: Measure) -> Measure:
    """Return the same measure of the second annotator and the first."""
    phi = measure.phi
    return replace(measure, phi=lambda offset, a, b: phi(-offset, b, a))


def _near(name: str, t: int, unit: str) -> Measure:
    def phi(offset: Ints, a: Ints, b: Ints) -> Ints:
        near = (np.abs(offset) <= t) & (np.abs(offset + b - a) <= t)
        return near.astype(np.int64)

    of_label = MEASURES[name].of_label
    words = f"-{unit}" if unit else ""
    label = "same label" if of_label else "any label"
    most = f"{t} word{'s' * (t > 1)}" if unit else f"{t}"
    return Measure(
        f"{name}{WITHIN}{t}{words}",
        f"start and end differ by at most {most}, {label}, each in one pair at most",
        phi, of_label, kernel="near", within=t, unit=unit,
        forbids=LABEL_OVERLAP if of_label else OVERLAP,
        remark="So a boundary that is off by no more costs nothing, and short segments are matched"
        " easily, by chance too.",
    )  # fmt: skip


def _overlap_at(share: str) -> Measure:
    least = float(share)

    def of_shared(shared: Ints, a: Ints, b: Ints) -> Ints:
        return ((shared > 0) & (_iou(shared, a, b) >= least)).astype(np.int64)

    means = f"segments of the same label with an iou of at least {share}, each in one pair at most"
    remark = MEASURES["overlap"].remark
    return _by_shared(f"{_AT}{share}", means, of_shared, kernel="one-to-one", remark=remark)


def find_measure(match: str) -> Measure:
    """Return the measure of that name, which may be ``overlap-at-`` and a share.

    Raises:
        SettingError: if there is none.

    >>> find_measure("overlap-at-0.5").means
    'segments of the same label with an iou of at least 0.5, each in one pair at most'
    """
    if isinstance(match, str) and match.startswith(_AT):
        share = match.removeprefix(_AT)
        if not re.fullmatch("0[.][0-9]{1,4}|1", share) or f"{float(share):g}" != share:
            raise SettingError(
                f"match {quote_value(match)}: a share from 0.0001 to 1 stands at its end, such as"
                f" {_AT}0.5"
            )
        return _overlap_at(share)
    if isinstance(match, str) and WITHIN in match and match.partition(WITHIN)[0] in OF_EQUAL:
        if (named := NEAR.fullmatch(match)) is None:
            raise SettingError(
                f"match {quote_value(match)}: a whole number from 1 to 999 stands at its end, or"
                " that and -words or -words+marks"
            )
        return _near(named[1], int(named[2]), named[3] or "")
    check_choice(match, MEASURES, "match")
    return MEASURES[match]
