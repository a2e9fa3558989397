"""Conversion between tags and segments, on arrays.

A tag is ``O`` or a prefix with a label: ``B-PER``. The prefix letters of all schemes mean one of
four things, so a tag is read as one of B, I, E, S (or O), whatever its scheme:

    B first token    I (M) inside    E (L) last token    S (U, W) the only token

*Lenient* reading takes every sequence, as conlleval and the default mode of seqeval do: a segment
starts at B or S, after O, E or S, and where the label changes; it continues up to the next start or
O. (If conlleval.pl and seqeval differ, for ``S I`` and ``B S`` of one label, seqeval is followed:
two segments.) *Strict* reading takes only segments that are well-formed in the scheme, as the
strict mode of seqeval does in IOB1, IOB2, IOE2, IOBES and BILOU.
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, to_smallest_integers
from spanagree.errors import InputError, SettingError, check_choice, quote_value

O, B, I, E, S = range(5)  # noqa: E741 — the usual names of tags


_MEANING = {"B": B, "I": I, "M": I, "E": E, "L": E, "S": S, "U": S, "W": S}


@dataclass(frozen=True)
class Scheme:
    """A tag scheme: its letters, and the rules of well-formed tags.

    ``letters`` are in the order B, I, E, S, without those that the scheme lacks; ``also`` are
    accepted as synonyms. A tag that ``continues`` must follow B or I of its label, a tag that
    ``is_continued`` must be followed by I or E of its label.
    """

    letters: str
    also: str = ""
    continues: tuple[int, ...] = ()
    is_continued: tuple[int, ...] = ()

    @property
    def letter_by_meaning(self) -> dict[int, str]:
        """Letter of each meaning that the scheme has."""
        return {_MEANING[c]: c for c in self.letters}

    @property
    def letters_before_label(self) -> str:
        """Letters that are allowed before a label."""
        return self.letters + self.also


SCHEMES = {
    "IO": Scheme("I"),
    "IOB1": Scheme("BI", continues=(B,)),
    "IOB2": Scheme("BI", continues=(I,)),
    "IOE1": Scheme("IE", is_continued=(E,)),
    "IOE2": Scheme("IE", is_continued=(I,)),
    "IOBES": Scheme("BIES", "MW", continues=(I, E), is_continued=(B, I)),
    "BILOU": Scheme("BILU", "W", continues=(I, E), is_continued=(B, I)),
}
"""Tag schemes by name."""

ALIASES = {
    "BIO": "IOB2",
    "BIO1": "IOB1",
    "BIO2": "IOB2",
    "BIOES": "IOBES",
    "BMES": "IOBES",
    "BMEWO": "IOBES",
    "BILUO": "BILOU",
}
"""Other names of the schemes."""


_MIXED = Scheme("BIES", "MLUW", continues=(I, E), is_continued=(B, I))


IGNORED = -100
"""Label id of tokens that are ignored in training."""


def is_ignored(tag: object) -> bool:
    """Check if a tag marks a token that is ignored in training, as a number or text."""
    return tag in (IGNORED, str(IGNORED))


USUAL_OUTSIDE = ("OTHER", "NONE", "OUT", "OUTSIDE", "NULL", "NIL", "NA", "N/A")
"""Usual tags other than O that mark nothing, in capitals."""

_SEQEVAL = (
    "IOB1",
    "IOB2",
    "IOE2",
    "IOBES",
    "BILOU",
)  # schemes as in seqeval, which is wrong for IOE1 and lacks IO


def look_up_scheme(scheme: object, *also: str) -> str:
    """Return the standard name of a scheme, given by a synonym or as a class of seqeval.

    Raises:
        SettingError: if the scheme is unknown, and not one of ``also``.

    >>> look_up_scheme("BIOES"), look_up_scheme("auto", "auto")
    ('IOBES', 'auto')
    """
    name = scheme.__name__ if isinstance(scheme, type) else scheme  # seqeval has classes
    name = ALIASES.get(name, name) if isinstance(name, str) else name
    check_choice(name, [*also, *SCHEMES], "scheme")
    return str(name)


class TagSegments(NamedTuple):
    """Segments read from tags; ``label`` is an index of ``names``, offsets are within sentences."""

    sentence: Ints
    start: Ints
    end: Ints
    label: Ints
    names: tuple[str, ...]
    scheme: str  # name of the scheme; "none" without any tag, "mixed" if no scheme fits
    repaired: int  # number of ill-formed tags that were read nevertheless
    dropped: int  # number of tags outside well-formed segments, in strict reading
    ill_formed: dict[str, int]  # number of ill-formed tags by flaw
    marked: int  # number of tags that mark something


def read_tags(
    tags: Sequence[str],
    codes: Ints,
    lengths: Ints,
    *,
    scheme: str = "auto",
    strict: bool = False,
    location: Callable[[int], str] = "tag {}".format,
) -> TagSegments:
    """Read the segments of sentences from their tags, leniently or strictly.

    Args:
        tags: distinct tags.
        codes: index of the tag of each token, for all sentences; −1 is read as ``O``.
        lengths: number of tokens of each sentence.
        scheme: name in :data:`SCHEMES` or :data:`ALIASES`, or ``auto``.
        strict: True to read only well-formed segments.
        location: function that describes the location of a token by index, for error messages.

    Raises:
        SettingError: if the scheme is unknown, or tags of mixed schemes are read strictly.
        InputError: if a tag is not in the scheme.

    >>> reading = read_tags(["O", "B-PER", "I-PER"], np.array([1, 2, 0, 1]), np.array([4]))
    >>> reading.start.tolist(), reading.end.tolist(), reading.scheme
    ([0, 3], [2, 4], 'IOB2')
    """
    scheme = look_up_scheme(scheme, "auto")
    meanings = _parse_tags(tags, codes, scheme, location)
    code_by_label = {n: i for i, n in enumerate(dict.fromkeys(n for p, n in meanings if p != O))}
    prefix = to_smallest_integers([*(prefix for prefix, _ in meanings), O])[codes]
    label = to_smallest_integers([*(code_by_label.get(name, -1) for _, name in meanings), -1])[
        codes
    ]
    sequence = _Sequence(prefix, label, lengths)
    letters = {tag[0] for tag, (prefix_, _) in zip(tags, meanings, strict=True) if prefix_ != O}
    if scheme == "auto":
        scheme = _detect_scheme(letters, sequence)
        if strict and scheme == "mixed":
            raise SettingError(
                f"{location(int((prefix != O).argmax()))} and below: the prefixes"
                f" {' '.join(sorted(letters))} belong to no one scheme, so a strict"
                f" reading is not defined; name a scheme ({', '.join(SCHEMES)}) or read leniently"
            )
    rules = SCHEMES.get(scheme, _MIXED)
    flaw_masks = sequence.find_ill_formed(rules)
    ill_formed: Bools = functools.reduce(
        np.logical_or, flaw_masks.values(), prefix < O
    )  # −1 is O and never ill-formed
    n_ill_formed = int(np.count_nonzero(ill_formed))
    start, end = sequence.read_leniently()
    if strict and n_ill_formed:  # without ill-formed tags both readings agree
        start, end = _select_well_formed(sequence, scheme, ill_formed, start, end)
    sentence_index = np.searchsorted(sequence.first, start, side="right") - 1
    sentence_start = sequence.first[sentence_index]
    rows = (
        sequence.sentence[sentence_index],
        start - sentence_start,
        end - sentence_start,
        label[start].astype(np.int64),
    )
    n_marked = int(np.count_nonzero(prefix))
    n_dropped = n_marked - int((end - start).sum()) if strict else 0
    n_by_flaw = {
        f"{rules.letter_by_meaning[meaning]}- {flaw}": n_tags
        for flaw, mask in (flaw_masks if n_ill_formed else {}).items()
        for meaning, n_tags in enumerate(np.bincount(prefix[mask]).tolist())
        if n_tags
    }
    return TagSegments(
        *rows,
        tuple(code_by_label),
        scheme,
        0 if strict else n_ill_formed,
        n_dropped,
        n_by_flaw,
        n_marked,
    )


def _parse_tags(
    tags: Sequence[str], codes: Ints, scheme: str, location: Callable[[int], str]
) -> list[tuple[int, str]]:
    """Parse the meaning and label of each distinct tag in a scheme.

    Tags that no token has, by ``codes``, count as O.
    """
    is_used = np.zeros(len(tags) + 1, np.bool_)  # index −1 is the last
    is_used[codes] = True
    meanings = []
    for i, tag in enumerate(tags):
        meaning = parse_tag(tag, scheme) if is_used[i] else (O, "")
        if meaning is None:
            raise InputError(
                f"{location(int((codes == i).argmax()))}: {_describe_unknown(tag, scheme)}"
            )
        meanings.append(meaning)
    return meanings


def _select_well_formed(
    sequence: _Sequence, scheme: str, ill_formed: Bools, start: Ints, end: Ints
) -> tuple[Ints, Ints]:
    """Select the segments that are well-formed in a scheme; return their starts and ends.

    ``ill_formed`` is a mask of tags; ``start`` and ``end`` are the segments of a lenient reading.
    """
    if scheme in _SEQEVAL:
        return _find_strict_segments(sequence, scheme)
    n_ill_formed_before = np.concatenate(([0], np.cumsum(ill_formed)))
    is_well_formed = n_ill_formed_before[end] == n_ill_formed_before[start]
    return start[is_well_formed], end[is_well_formed]


def parse_prefixed_tag(tag: object, scheme: str) -> tuple[int, str] | None:
    """Parse a tag into meaning and label; ``None`` if it is neither ``O`` nor has a prefix.

    >>> parse_prefixed_tag("B-creative-work", "IOB2") == (B, "creative-work")
    True
    >>> parse_prefixed_tag("PER", "IO")
    """
    if tag == "O":
        return O, ""
    letters = SCHEMES.get(scheme, _MIXED).letters_before_label
    if isinstance(tag, str) and tag and tag[0] in letters and tag[1:2] in ("", "-"):
        label = tag[2:] if tag[1:] else "_"  # label of a bare prefix such as `B`, as in seqeval
        return (_MEANING[tag[0]], label) if label else None
    return None


def is_tag(text: str) -> bool:
    """Check if a text is certainly a tag: ``O``, or a label with a prefix.

    >>> is_tag("O"), is_tag("B-PER"), is_tag("I")
    (True, True, False)
    """
    return text == "O" or (len(text) > 1 and parse_prefixed_tag(text, "") is not None)


def parse_tag(tag: object, scheme: str) -> tuple[int, str] | None:
    """Parse a tag into meaning and label; in IO, labels may have no prefix."""
    has_prefix = isinstance(tag, str) and tag[:2].removesuffix("-") in _MEANING  # of another scheme
    if scheme == "IO" and isinstance(tag, str) and tag not in ("", "O") and not has_prefix:
        return I, tag
    return parse_prefixed_tag(tag, scheme)


def looks_outside(tag: object) -> bool:
    """Check if a tag may mean that nothing is marked: a usual one, or punctuation alone.

    >>> looks_outside("none"), looks_outside("_"), looks_outside("PER")
    (True, True, False)
    """
    if not isinstance(tag, str) or not tag:
        return False
    is_punctuation = tag.isprintable() and not any(map(str.isalnum, tag))
    return tag.upper() in USUAL_OUTSIDE or is_punctuation


def _describe_unknown(tag: object, scheme: str) -> str:
    """Describe a tag that a scheme does not allow, and the allowed tags."""
    if tag == "":
        return (
            "unknown tag ''; a tag is not empty: write O for no segment, delete a tab at the end of"
            " lines, and name what stands for text never seen with --missing (missing=)"
        )
    letters = SCHEMES.get(scheme, _MIXED).letters_before_label
    allowed = f"O, or a label behind {' '.join(f'{c}-' for c in letters)}"
    if scheme == "IO":
        allowed += (
            ", or a bare label that does not look like another scheme's tag. A scheme is for all"
            " annotators: where only some have bare labels, write I- before these and name no"
            " scheme"
        )
    elif scheme == "auto":
        allowed += (
            "; where an annotator's labels stand bare, write I- before them, or if all annotators'"
            " do, name --scheme IO (scheme='IO')"
        )
    if looks_outside(tag):
        allowed += (
            f"; what means that nothing is marked is named with --outside {shlex.quote(str(tag))}"
            " (outside=), what stands for text never seen with --missing (missing=)"
        )
    return f"unknown tag {quote_value(tag)}; allowed: {allowed}"


class _Sequence:
    """Tags of all tokens, as prefixes and labels, with their neighbours."""

    def __init__(self, prefix: Ints, label: Ints, lengths: Ints) -> None:
        self.prefix, self.label = prefix, label
        self.sentence = np.flatnonzero(lengths)  # indices of sentences with tokens
        self.first = (np.cumsum(lengths) - lengths)[self.sentence]
        self.before, self.after = np.full((2, len(prefix)), O, prefix.dtype)
        self.before[1:] = prefix[:-1]  # O at the start of a sentence
        self.before[self.first] = O
        self.after[:-1] = prefix[1:]
        self.after[self.first[1:] - 1] = O
        equals_next = np.zeros(len(label) + 1, np.bool_)  # neighbours have equal labels
        equals_next[1:-1] = label[1:] == label[:-1]
        self.same_before, self.same_after = equals_next[:-1], equals_next[1:]

    def read_leniently(self) -> tuple[Ints, Ints]:
        """Read the segments of all sentences leniently; return the start and end of each.

        Offsets count the tokens of all sentences.
        """
        is_tagged = self.prefix != O
        is_start = is_tagged & (
            _is_among(self.prefix, (B, S)) | _is_among(self.before, (O, E, S)) | ~self.same_before
        )
        is_end = is_tagged & (self.after == O)
        is_end[:-1] |= is_tagged[:-1] & is_start[1:]
        return np.flatnonzero(is_start), np.flatnonzero(is_end) + 1

    @cached_property
    def _is_opened(self) -> Bools:
        """Mask of tags after B or I of their label."""
        return _is_among(self.before, (B, I)) & self.same_before

    @cached_property
    def _has_continuation(self) -> Bools:
        """Mask of tags before I or E of their label."""
        return _is_among(self.after, (I, E)) & self.same_after

    def find_ill_formed(self, scheme: Scheme) -> dict[str, Bools]:
        """Find ill-formed tags; return masks by name of the flaw."""
        flaw_masks = {}
        if scheme.continues:
            is_bound = _is_among(self.prefix, scheme.continues)
            flaw_masks["continues no segment of its label"] = is_bound & ~self._is_opened
        if scheme.is_continued:
            is_bound = _is_among(self.prefix, scheme.is_continued)
            flaw_masks["is not followed by one of its label"] = is_bound & ~self._has_continuation
        return flaw_masks


def _is_among(prefix: Ints, meanings: Sequence[int]) -> Bools:
    """Find tags with one of some meanings; comparisons are faster than a look-up."""
    is_among = np.zeros(len(prefix), np.bool_)
    for meaning in meanings:
        is_among |= prefix == meaning
    return is_among


def _detect_scheme(letters: set[str], sequence: _Sequence) -> str:
    """Detect the scheme of a layer: by its letters, then by the number of ill-formed tags."""
    if not letters:
        return "none"
    possible_schemes = [
        name for name, s in SCHEMES.items() if letters <= set(s.letters_before_label)
    ]
    if not possible_schemes:
        return "mixed"
    if possible_schemes[0] in ("IO", "IOBES", "BILOU"):
        return possible_schemes[0]
    candidates = ("IOB2", "IOB1") if "B" in letters else ("IOE2", "IOE1")
    flaw_masks = [sequence.find_ill_formed(SCHEMES[name]).values() for name in candidates]
    return candidates[int(np.argmin([sum(map(np.count_nonzero, masks)) for masks in flaw_masks]))]


def _find_strict_segments(sequence: _Sequence, scheme: str) -> tuple[Ints, Ints]:
    """Find the segments that the rules of a scheme open and close; return starts and ends.

    A tag opens a segment, continues an open segment, or does neither; then no segment is open.
    """
    prefix, previous = sequence.prefix, sequence.before
    is_within = _is_among(previous, (B, I)) & sequence.same_before
    is_continuing = is_within & _is_among(prefix, (I, E))
    if scheme == "IOB1":  # B only separates segments of one label; I after another B opens one
        is_opening = np.where(
            prefix == B, is_within, (prefix == I) & (~is_within | (previous == B))
        )
    elif scheme == "IOE2":
        is_opening = (prefix != O) & ~is_within
    else:
        is_opening = _is_among(prefix, (B, S))
    positions = np.arange(len(prefix))
    last_decision = np.maximum.accumulate(
        np.where(is_opening | ~is_continuing, positions, 0)
    )  # the first token always decides
    is_open = is_opening[last_decision]
    is_continued = np.append(
        is_continuing[1:] & is_open[:-1], False
    )  # the next tag continues the segment
    last_token = np.flatnonzero(is_open & ~is_continued)
    first_token = np.flatnonzero(is_open & ~np.append(False, is_continued[:-1]))
    if E in SCHEMES[scheme].letter_by_meaning:
        is_closed = _is_among(prefix[last_token], (E, S))
    else:  # in IOB1 a B cannot follow a B of another label
        is_parted = (
            (prefix[last_token] == B)
            & (sequence.after[last_token] == B)
            & ~sequence.same_after[last_token]
        )
        is_closed = ~is_parted | (scheme != "IOB1")
    return first_token[is_closed], last_token[is_closed] + 1
