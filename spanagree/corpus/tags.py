"""Tag schemes and segments, both ways, on arrays.

A tag is ``O`` or a prefix with a label: ``B-PER``. The prefix letters of all schemes mean one of
four things, so a tag is read as one of B, I, E, S (or O), whatever its scheme:

    B first token    I (M) inside    E (L) last token    S (U, W) the only token

*Lenient* reading takes every sequence, as conlleval does and as seqeval's default mode has it: a
segment starts at B or S, after O, E or S, and where the label changes; it goes on up to the next
start or O. (Where conlleval.pl and seqeval differ, ``S I`` and ``B S`` of one label, seqeval's
reading stands: two segments.) *Strict* reading takes only segments that are well-formed in the
scheme: what seqeval's strict mode takes in IOB1, IOB2, IOE2, IOBES and BILOU.
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, as_small, expand_ranges
from spanagree.corpus.segments import Layer, overlapping
from spanagree.errors import InputError, SettingError, check_choice, quote_value

O, B, I, E, S = range(5)  # noqa: E741 — the field's own names


_MEANING = {"B": B, "I": I, "M": I, "E": E, "L": E, "S": S, "U": S, "W": S}


@dataclass(frozen=True)
class Scheme:
    """A tag scheme: its letters, and what makes a tag in it well-formed.

    ``letters`` are written in the order B, I, E, S for those that the scheme has; ``also`` are
    accepted for the same. A tag that ``continues`` must follow B or I of its label, one that
    ``is_continued`` must be followed by I or E of its label.
    """

    letters: str
    also: str = ""
    continues: tuple[int, ...] = ()
    is_continued: tuple[int, ...] = ()

    @property
    def letter(self) -> dict[int, str]:
        """The letter of each meaning that the scheme has."""
        return {_MEANING[c]: c for c in self.letters}

    @property
    def allowed(self) -> str:
        """The letters that may stand in front of a label."""
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
"""The schemes by name."""

ALIASES = {
    "BIO": "IOB2",
    "BIO1": "IOB1",
    "BIO2": "IOB2",
    "BIOES": "IOBES",
    "BMES": "IOBES",
    "BMEWO": "IOBES",
    "BILUO": "BILOU",
}
"""What the schemes are called elsewhere."""

_SPELLED = {"BMES": {I: "M"}, "BMEWO": {I: "M", S: "W"}}  # letters that another name stands for


_MIXED = Scheme("BIES", "MLUW", continues=(I, E), is_continued=(B, I))


IGNORED = -100
"""The label id of tokens that training leaves out."""


def is_ignored(tag: object) -> bool:
    """Return whether a tag is that of a token that training leaves out, as a number or as text."""
    return tag in (IGNORED, str(IGNORED))


USUAL_OUTSIDE = ("OTHER", "NONE", "OUT", "OUTSIDE", "NULL", "NIL", "NA", "N/A")
"""Usual tags in place of O, in capitals."""

_SEQEVAL = ("IOB1", "IOB2", "IOE2", "IOBES", "BILOU")  # its reading of IOE1 is wrong, IO it lacks


def scheme_named(scheme: object, *also: str) -> str:
    """Return the name that a scheme has here: of one called otherwise elsewhere, or a class.

    Raises:
        SettingError: for a scheme that is not there, and not one of ``also``.

    >>> scheme_named("BIOES"), scheme_named("auto", "auto")
    ('IOBES', 'auto')
    """
    name = scheme.__name__ if isinstance(scheme, type) else scheme  # as seqeval has them
    name = ALIASES.get(name, name) if isinstance(name, str) else name
    check_choice(name, [*also, *SCHEMES], "scheme")
    return str(name)


class TagSegments(NamedTuple):
    """Segments read from tags; ``label`` indexes ``names``, offsets count within a sentence."""

    sentence: Ints
    start: Ints
    end: Ints
    label: Ints
    names: tuple[str, ...]
    scheme: str  # the scheme named or recognised; "none" if there is no tag, "mixed" if none fits
    repaired: int  # tags that are ill-formed in the scheme and were read all the same
    dropped: int  # tags outside every well-formed segment, in strict reading
    ill_formed: dict[str, int]  # how many tags are ill-formed, by kind
    marked: int  # tags that mark something


def read_tags(
    tags: Sequence[str],
    codes: Ints,
    lengths: Ints,
    *,
    scheme: str = "auto",
    strict: bool = False,
    location: Callable[[int], str] = "tag {}".format,
) -> TagSegments:
    """Return the segments of many sentences.

    Args:
        tags: the distinct tags.
        codes: per token the index of its tag, all sentences in a row; −1 is read as ``O``.
        lengths: per sentence its number of tokens.
        scheme: one of :data:`SCHEMES` or of :data:`ALIASES`, or ``auto``.
        strict: take only well-formed segments.
        location: says in an error where token number i stands.

    Raises:
        SettingError: for an unknown scheme, or a strict reading of tags that fit no one scheme.
        InputError: for a tag that the scheme does not have.

    >>> reading = read_tags(["O", "B-PER", "I-PER"], np.array([1, 2, 0, 1]), np.array([4]))
    >>> reading.start.tolist(), reading.end.tolist(), reading.scheme
    ([0, 3], [2, 4], 'IOB2')
    """
    scheme = scheme_named(scheme, "auto")
    meanings = _meanings(tags, codes, scheme, location)
    place = {n: i for i, n in enumerate(dict.fromkeys(n for p, n in meanings if p != O))}
    prefix = as_small([*(prefix for prefix, _ in meanings), O])[codes]
    label = as_small([*(place.get(name, -1) for _, name in meanings), -1])[codes]
    sequence = _Sequence(prefix, label, lengths)
    letters = {tag[0] for tag, (prefix_, _) in zip(tags, meanings, strict=True) if prefix_ != O}
    if scheme == "auto":
        scheme = _recognise(letters, sequence)
        if strict and scheme == "mixed":
            raise SettingError(
                f"{location(int((prefix != O).argmax()))} and below: the prefixes"
                f" {' '.join(sorted(letters))} belong to no one scheme, so a strict"
                f" reading is not defined; name a scheme ({', '.join(SCHEMES)}) or read leniently"
            )
    rules = SCHEMES.get(scheme, _MIXED)
    wrong = sequence.ill_formed(rules)
    ill_formed: Bools = functools.reduce(np.logical_or, wrong.values(), prefix < O)  # none is
    count = int(np.count_nonzero(ill_formed))
    start, end = sequence.lenient()
    if strict and count:  # without ill-formed tags the readings are the same
        start, end = _strict(sequence, scheme, ill_formed, start, end)
    number = np.searchsorted(sequence.first, start, side="right") - 1
    first = sequence.first[number]
    rows = sequence.sentence[number], start - first, end - first, label[start].astype(np.int64)
    marked = int(np.count_nonzero(prefix))
    dropped = marked - int((end - start).sum()) if strict else 0
    kinds = {
        f"{rules.letter[meaning]}- {what}": number
        for what, which in (wrong if count else {}).items()
        for meaning, number in enumerate(np.bincount(prefix[which]).tolist())
        if number
    }
    return TagSegments(*rows, tuple(place), scheme, 0 if strict else count, dropped, kinds, marked)


def _meanings(
    tags: Sequence[str], codes: Ints, scheme: str, location: Callable[[int], str]
) -> list[tuple[int, str]]:
    """Return meaning and label of each tag; those that no token has are passed over."""
    used = np.zeros(len(tags) + 1, np.bool_)  # −1 is the last
    used[codes] = True
    meanings = []
    for i, tag in enumerate(tags):
        meaning = parse_tag(tag, scheme) if used[i] else (O, "")
        if meaning is None:
            raise InputError(f"{location(int((codes == i).argmax()))}: {_unknown(tag, scheme)}")
        meanings.append(meaning)
    return meanings


def _strict(
    sequence: _Sequence, scheme: str, ill_formed: Bools, start: Ints, end: Ints
) -> tuple[Ints, Ints]:
    """Return start and end of those segments, read leniently, that are well-formed."""
    if scheme in _SEQEVAL:
        return _closed(sequence, scheme)
    before = np.concatenate(([0], np.cumsum(ill_formed)))
    good = before[end] == before[start]
    return start[good], end[good]


def write_tags(layer: Layer, labels: Sequence[str], lengths: Ints, scheme: str) -> list[str]:
    """Return one tag for each token, all documents in a row; ``O`` where nothing is marked.

    Raises:
        SettingError: for an unknown scheme, or segments that it cannot hold: segments that share
            tokens, and in IO segments of one label that touch.

    >>> layer = Layer(*np.array([[0, 0], [0, 2], [2, 3], [0, 0]]), np.array([True]))
    >>> write_tags(layer, ["PER"], np.array([4]), "IOB2")
    ['B-PER', 'I-PER', 'B-PER', 'O']
    """
    spelled = _SPELLED.get(scheme, {})
    scheme = scheme_named(scheme)
    base = np.cumsum(lengths) - lengths
    start, end = base[layer.document] + layer.start, base[layer.document] + layer.end
    later, earlier = overlapping(layer.document, layer.start, layer.end)
    if len(later):
        raise _cannot_hold(layer, labels, (int(earlier[0]), int(later[0])), scheme, "share tokens")
    touches = np.zeros(len(layer), np.bool_)  # the segment before it, of the same label
    same = (layer.document[1:] == layer.document[:-1]) & (layer.label[1:] == layer.label[:-1])
    touches[1:] = same & (start[1:] == end[:-1])
    if scheme == "IO" and touches.any():
        i = int(touches.argmax())
        raise _cannot_hold(layer, labels, (i - 1, i), scheme, "touch")
    prefix = np.full(int(lengths.sum()), O)
    label = np.zeros(len(prefix), np.int64)
    inside, _ = expand_ranges(start, end)
    prefix[inside] = I
    label[inside] = np.repeat(layer.label, end - start)
    letter = SCHEMES[scheme].letter | spelled
    last = end - 1
    if E in letter:
        prefix[last[:-1][touches[1:]] if scheme == "IOE1" else last] = E
    if B in letter:
        prefix[start[touches] if scheme == "IOB1" else start] = B
    if S in letter:
        prefix[start[start == last]] = S
    names = ["O"] + [f"{letter[p]}-{name}" for name in labels for p in sorted(letter)]
    code = np.zeros(S + 1, np.int64)
    code[sorted(letter)] = np.arange(1, len(letter) + 1)
    which = np.where(prefix == O, 0, code[prefix] + label * len(letter))
    return np.array(names, dtype=object)[which].tolist()


def prefixed(tag: object, scheme: str) -> tuple[int, str] | None:
    """Return meaning and label of a tag that is ``O`` or has a prefix of the scheme, else None.

    >>> prefixed("B-creative-work", "IOB2") == (B, "creative-work")
    True
    >>> prefixed("PER", "IO")
    """
    if tag == "O":
        return O, ""
    letters = SCHEMES.get(scheme, _MIXED).allowed
    if isinstance(tag, str) and tag and tag[0] in letters and tag[1:2] in ("", "-"):
        label = tag[2:] if tag[1:] else "_"  # of a bare prefix such as `B`, as seqeval has it
        return (_MEANING[tag[0]], label) if label else None
    return None


def is_tag(text: str) -> bool:
    """Return whether a text can be no word or name: it is ``O``, or a label behind a prefix.

    >>> is_tag("O"), is_tag("B-PER"), is_tag("I")
    (True, True, False)
    """
    return text == "O" or (len(text) > 1 and prefixed(text, "") is not None)


def parse_tag(tag: object, scheme: str) -> tuple[int, str] | None:
    """Return a tag's meaning and label; in IO a label may stand bare."""
    other = isinstance(tag, str) and tag[:2].removesuffix("-") in _MEANING  # scheme's tag
    if scheme == "IO" and isinstance(tag, str) and tag not in ("", "O") and not other:
        return I, tag
    return prefixed(tag, scheme)


def _is_sign(tag: str) -> bool:
    """Return whether a tag has no letter or digit, and can be typed in a line."""
    return tag.isprintable() and not any(map(str.isalnum, tag))


def _unknown(tag: object, scheme: str) -> str:
    if tag == "":
        return (
            "unknown tag ''; a tag is not empty: write O for no segment, delete a tab at the end of"
            " lines, and name what stands for text never seen with --missing (missing=)"
        )
    letters = SCHEMES.get(scheme, _MIXED).allowed
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
    if isinstance(tag, str) and (tag.upper() in USUAL_OUTSIDE or _is_sign(tag)):
        allowed += (
            f"; what means that nothing is marked is named with --outside {shlex.quote(tag)}"
            " (outside=), what stands for text never seen with --missing (missing=)"
        )
    return f"unknown tag {quote_value(tag)}; allowed: {allowed}"


class _Sequence:
    """Tags as two arrays over all tokens, and what they have next to them."""

    def __init__(self, prefix: Ints, label: Ints, lengths: Ints) -> None:
        self.prefix, self.label = prefix, label
        self.sentence = np.flatnonzero(lengths)  # those with tokens
        self.first = (np.cumsum(lengths) - lengths)[self.sentence]
        self.before, self.after = np.full((2, len(prefix)), O, prefix.dtype)
        self.before[1:] = prefix[:-1]  # the tag before, O at a sentence's start
        self.before[self.first] = O
        self.after[:-1] = prefix[1:]
        self.after[self.first[1:] - 1] = O
        same = np.zeros(len(label) + 1, np.bool_)  # whether neighbours have the same label
        same[1:-1] = label[1:] == label[:-1]
        self.same_before, self.same_after = same[:-1], same[1:]

    def lenient(self) -> tuple[Ints, Ints]:
        """Return start and end of each segment as conlleval reads them, over all tokens."""
        tagged = self.prefix != O
        starts = tagged & (
            _among(self.prefix, (B, S)) | _among(self.before, (O, E, S)) | ~self.same_before
        )
        ends = tagged & (self.after == O)
        ends[:-1] |= tagged[:-1] & starts[1:]
        return np.flatnonzero(starts), np.flatnonzero(ends) + 1

    @cached_property
    def _opened(self) -> Bools:
        """Which tags follow B or I of their label."""
        return _among(self.before, (B, I)) & self.same_before

    @cached_property
    def _goes_on(self) -> Bools:
        """Which tags are followed by I or E of their label."""
        return _among(self.after, (I, E)) & self.same_after

    def ill_formed(self, scheme: Scheme) -> dict[str, Bools]:
        """Return which tags have no right to stand where they stand, by what is wrong with them."""
        wrong = {}
        if scheme.continues:
            which = _among(self.prefix, scheme.continues)
            wrong["continues no segment of its label"] = which & ~self._opened
        if scheme.is_continued:
            which = _among(self.prefix, scheme.is_continued)
            wrong["is not followed by one of its label"] = which & ~self._goes_on
        return wrong


def _among(prefix: Ints, some: Sequence[int]) -> Bools:
    """Return which tags mean one of some things; comparing is faster than looking up."""
    among = np.zeros(len(prefix), np.bool_)
    for meaning in some:
        among |= prefix == meaning
    return among


def _recognise(letters: set[str], sequence: _Sequence) -> str:
    """Return the scheme of a layer's tags: by their letters, then by the fewer ill-formed tags."""
    if not letters:
        return "none"
    fitting = [name for name, s in SCHEMES.items() if letters <= set(s.allowed)]
    if not fitting:
        return "mixed"
    if fitting[0] in ("IO", "IOBES", "BILOU"):
        return fitting[0]
    pair = ("IOB2", "IOB1") if "B" in letters else ("IOE2", "IOE1")
    wrong = [sequence.ill_formed(SCHEMES[name]).values() for name in pair]
    return pair[int(np.argmin([sum(map(np.count_nonzero, counts)) for counts in wrong]))]


def _closed(sequence: _Sequence, scheme: str) -> tuple[Ints, Ints]:
    """Return start and end of the segments that are opened and closed as the scheme says.

    A tag opens a segment, goes on with one that is open, or does neither; then nothing is open.
    """
    prefix, before = sequence.prefix, sequence.before
    within = _among(before, (B, I)) & sequence.same_before
    goes_on = within & _among(prefix, (I, E))
    if scheme == "IOB1":  # B only parts segments of one label; I after a B that parts none is new
        opens = np.where(prefix == B, within, (prefix == I) & (~within | (before == B)))
    elif scheme == "IOE2":
        opens = (prefix != O) & ~within
    else:
        opens = _among(prefix, (B, S))
    place = np.arange(len(prefix))
    decided = np.maximum.accumulate(np.where(opens | ~goes_on, place, 0))  # the first always is
    is_open = opens[decided]
    later = np.append(goes_on[1:] & is_open[:-1], False)  # whether the next tag goes on with it
    last = np.flatnonzero(is_open & ~later)
    first = np.flatnonzero(is_open & ~np.append(False, later[:-1]))
    if E in SCHEMES[scheme].letter:
        closed = _among(prefix[last], (E, S))
    else:  # in IOB1 a B cannot follow a B of another label
        parted = (prefix[last] == B) & (sequence.after[last] == B) & ~sequence.same_after[last]
        closed = ~parted | (scheme != "IOB1")
    return first[closed], last[closed] + 1


def _cannot_hold(
    layer: Layer, labels: Sequence[str], pair: tuple[int, int], scheme: str, what: str
) -> SettingError:
    others = "IOB2 or IOBES" if what == "touch" else "no tag scheme"
    return SettingError(
        f"scheme {scheme}: segments {layer.describe(pair, labels)} of document"
        f" {layer.document[pair[0]] + 1} {what}, which {scheme} cannot hold; {others} can"
    )
