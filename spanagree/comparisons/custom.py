"""Custom measures: observed and expected totals of any additive similarity."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.chance.model import build_chance_model
from spanagree.choices import Chance
from spanagree.comparisons.expected import compare_layers, compute_start_distributions
from spanagree.comparisons.measures import OWN, Measure, Phi
from spanagree.comparisons.overlaps import check_layers
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.errors import SettingError, pluralize, quote_value
from spanagree.formats.guessed import CorpusLike, as_corpus


def expected(
    corpus: CorpusLike,
    similarity: Phi,
    *,
    of_label: bool = True,
    in_tokens: bool = False,
    chance: Chance = "nonoverlapping",
    annotators: Sequence[str] | None = None,
) -> Comparisons:
    """Compute observed and exact expected totals of two annotators under a custom measure.

    The similarity of two annotations is the sum of ``similarity`` over all pairs of segments, one
    of each annotator, that share a token (Li et al. 2024, Prop. 1).

    Args:
        corpus: two annotators as layers, or more if ``annotators`` names two.
        similarity: function of three integer arrays: the offset of the second segment's start from
            the first's, and the lengths of both. It returns as many finite numbers, 0 for segments
            that share no token.
        of_label: True to compare only segments of the same label.
        in_tokens: True if the size of an annotation is its number of tokens, otherwise of segments.
        chance: chance model, nonoverlapping, per-label or overlapping.
        annotators: names of the two annotators.

    Returns:
        Table with a row for each document and label. ``.total()`` is their sum, and its ``f1`` is
        the Dice coefficient, if the measure has one that is at most 1.

    Raises:
        SettingError: if there are not two annotators, a name is unknown, a layer has overlaps that
            the chance model forbids, or ``similarity`` returns an invalid result.

    >>> from spanagree.corpus.corpus import Corpus
    >>> corpus = Corpus.from_segments([9], {"a": [[(0, 4, "X")]], "b": [[(2, 4, "X")]]})
    >>> share = lambda offset, a, b: (np.minimum(a, offset + b) - np.maximum(offset, 0)).clip(0) / a
    >>> total = expected(corpus, share).total()
    >>> total.matched, round(total.expected, 4)
    (0.5, 0.2396)
    """
    corpus = as_corpus(corpus)
    if annotators is not None:
        corpus = corpus.select_annotators(annotators)
    if len(corpus.layers) != 2:
        raise SettingError(
            f"{pluralize(len(corpus.layers), 'annotator')}; a similarity has two: name them with"
            " annotators"
        )
    check_contiguous(corpus, "a measure of your own")
    measure = Measure(OWN, OWN, wrap_with_checks(similarity), of_label, in_tokens)
    model = build_chance_model(chance)
    check_layers(corpus, "exact", model)  # exact allows any overlap
    profiles, layers = compute_start_distributions(corpus, corpus.annotators, model, coarse=False)
    a, b = layers.values()
    return compare_layers(a, b, profiles, measure, max(1, len(corpus.labels)))


def wrap_with_checks(similarity: Phi) -> Phi:
    """Wrap a similarity in a function that raises an error for an invalid result.

    Segments that share no token are tried first, and must get 0.
    """
    if not callable(similarity):
        raise SettingError(
            f"similarity {quote_value(similarity)}; a function is needed; evaluate and agree take"
            " the name of a measure, as match="
        )
    name = getattr(similarity, "__name__", "similarity")
    name = name if re.fullmatch(r"\w+", name) else "similarity"

    def compute_and_check(offset: Ints, a: Ints, b: Ints) -> Floats:
        """Compute similarities, and raise a SettingError for an invalid result."""
        offset, a, b = np.broadcast_arrays(offset, a, b)
        value = np.asarray(similarity(offset, a, b))
        if value.shape != offset.shape or value.dtype.kind not in "bifu":
            raise SettingError(
                f"{name} returns {value.dtype} of shape {value.shape}; numbers of shape"
                f" {offset.shape}, as its arguments, are needed"
            )
        similarities: Floats = value.astype(np.float64)
        invalid = similarities[~np.isfinite(similarities)]
        if len(invalid):
            raise SettingError(
                f"{name} returns {quote_value(float(invalid[0]))}; finite numbers are needed"
            )
        return similarities

    outside = compute_and_check(np.array([2, -3]), np.array([2, 2]), np.array([3, 3]))
    if outside.any():
        raise SettingError(
            f"{name} gives {quote_value(float(outside[outside != 0][0]))} to segments that share no"
            " token; 0 is needed"
        )
    return compute_and_check
