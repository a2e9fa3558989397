"""Tags of the tokens of documents, written from segments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Ints, expand_ranges
from spanagree.corpus.segments import Layer, find_overlapping
from spanagree.corpus.tags import SCHEMES, B, E, I, O, S, look_up_scheme
from spanagree.errors import SettingError

_SPELLED = {"BMES": {I: "M"}, "BMEWO": {I: "M", S: "W"}}  # letters of schemes with another name


def write_tags(layer: Layer, labels: Sequence[str], lengths: Ints, scheme: str) -> list[str]:
    """Write one tag for each token of all documents; ``O`` for tokens without a segment.

    Raises:
        SettingError: if the scheme is unknown, or cannot represent the segments: segments that
            share tokens and, in IO, adjacent segments of one label.

    >>> layer = Layer(*np.array([[0, 0], [0, 2], [2, 3], [0, 0]]), np.array([True]))
    >>> write_tags(layer, ["PER"], np.array([4]), "IOB2")
    ['B-PER', 'I-PER', 'B-PER', 'O']
    """
    spelling = _SPELLED.get(scheme, {})
    scheme = look_up_scheme(scheme)
    document_start = np.cumsum(lengths) - lengths
    start, end = (
        document_start[layer.document] + layer.start,
        document_start[layer.document] + layer.end,
    )
    later, earlier = find_overlapping(layer.document, layer.start, layer.end)
    if len(later):
        raise _build_scheme_error(
            layer, labels, (int(earlier[0]), int(later[0])), scheme, "share tokens"
        )
    touches_previous = np.zeros(
        len(layer), np.bool_
    )  # adjacent to the previous segment, of the same label
    continues_label = (layer.document[1:] == layer.document[:-1]) & (
        layer.label[1:] == layer.label[:-1]
    )
    touches_previous[1:] = continues_label & (start[1:] == end[:-1])
    if scheme == "IO" and touches_previous.any():
        i = int(touches_previous.argmax())
        raise _build_scheme_error(layer, labels, (i - 1, i), scheme, "touch")
    prefix = np.full(int(lengths.sum()), O)
    label = np.zeros(len(prefix), np.int64)
    inside_tokens, _ = expand_ranges(start, end)
    prefix[inside_tokens] = I
    label[inside_tokens] = np.repeat(layer.label, end - start)
    letter_by_prefix = SCHEMES[scheme].letter_by_meaning | spelling
    last_token = end - 1
    if E in letter_by_prefix:
        prefix[last_token[:-1][touches_previous[1:]] if scheme == "IOE1" else last_token] = E
    if B in letter_by_prefix:
        prefix[start[touches_previous] if scheme == "IOB1" else start] = B
    if S in letter_by_prefix:
        prefix[start[start == last_token]] = S
    tag_names = ["O"] + [
        f"{letter_by_prefix[p]}-{name}" for name in labels for p in sorted(letter_by_prefix)
    ]
    code_of_prefix = np.zeros(S + 1, np.int64)
    code_of_prefix[sorted(letter_by_prefix)] = np.arange(1, len(letter_by_prefix) + 1)
    tag_code = np.where(prefix == O, 0, code_of_prefix[prefix] + label * len(letter_by_prefix))
    return np.array(tag_names, dtype=object)[tag_code].tolist()


def _build_scheme_error(
    layer: Layer, labels: Sequence[str], pair: tuple[int, int], scheme: str, problem: str
) -> SettingError:
    """Build the error for two segments that tags of a scheme cannot express."""
    alternatives = "IOB2 or IOBES" if problem == "touch" else "no tag scheme"
    return SettingError(
        f"scheme {scheme}: segments {layer.describe(pair, labels)} of document"
        f" {layer.document[pair[0]] + 1} {problem}, which {scheme} cannot hold; {alternatives} can"
    )
