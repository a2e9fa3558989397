"""Copies of a text with tags written into it, as language models mark spans."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from itertools import islice
from typing import Any

from spanagree.corpus.collector import same_text
from spanagree.errors import InputError, escape_name, percent, pluralize, quote_value
from spanagree.files import PathName, numbered_lines
from spanagree.formats.changed_texts import Alignment
from spanagree.formats.file_head import read_head
from spanagree.formats.inline_tags import MarkupToken, split_markup
from spanagree.formats.usual_names import ATTRIBUTES, head_of_table, plain

_TAG = re.compile(r"(</?[^\W\d_][\w.-]{0,99}(?:\s[^<>]{0,999})?/?>|@@|##)")
_ATTRIBUTE = re.compile(r"([\w:.-]{1,99})=(\"[^\"]*\"|'[^']*'|[^\s\"'=<>]+)")
_COPY = (
    "but for tags and outer white space it has to be the text: ask the model to copy that, or"
    " --align aligns what it changed"
)
_LEAST = 0.5  # of a text, what a copy has to have of it

NO_ANSWER = "put null where there was no answer, or [] where nothing was marked"
"""What to do about what is not spans at all."""


class TaggedCopies:
    """Reads copies, and counts for each annotator what was changed and what is not aligned."""

    def __init__(self, *, align: bool) -> None:
        self.align = align
        self.copies: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self.spans: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()

    def read(
        self, marked: str, text: str, location: str, annotator: str
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the spans in a copy; in one that was changed only if that is to be aligned.

        The second list has the spans of a changed copy that are not aligned, with their ``text``.

        Raises:
            InputError: for a copy that was changed, or so much that it is none.
        """
        lost: list[dict[str, Any]] = []
        n_lost = 0
        try:
            spans = spans_in_tags(marked, text, location)
        except InputError:
            if not self.align:
                raise
            spans, lost, n_odd = _aligned_spans(marked, text, location)
            n_lost = len(lost) + n_odd
            self.changed[annotator] += 1
        self.copies[annotator] += 1
        self.spans[annotator] += len(spans) + n_lost
        self.lost[annotator] += n_lost
        return spans, lost

    def notes(self, before: str) -> Iterator[str]:
        """Yield for each annotator how many copies were changed, and which share is not aligned."""
        for name, changed in self.changed.items():
            copies, spans, lost = self.copies[name], self.spans[name], self.lost[name]
            share = f" ({percent(lost / spans, 1)})" if spans else ""
            yield (
                f"{before}{f'{escape_name(name)}: ' if name else ''}{pluralize(changed, 'text')}"
                f" ({percent(changed / copies, 1)} of {copies}) changed by the model and aligned;"
                f" {lost} of {pluralize(spans, 'span')} in tags{share} not aligned"
            )


def unfenced(text: str) -> str:
    r"""Return what is in the one code fence that a text has; other texts as they are.

    >>> unfenced("Sure:\n```json\n[]\n```\nAnything else?"), unfenced("[]")
    ('[]\n', '[]')
    """
    parts = text.split("```")
    if len(parts) != 3:
        return text
    head, _, rest = parts[1].partition("\n")
    return rest if len(head.split()) < 2 and rest else parts[1]


def is_copy(marked: str, text: str) -> bool:
    """Return whether something is a copy of a text, with tags or without any."""
    return any(_TAG.search(copy) or copy == text.strip() for copy in _readings(marked))


def without_tags(marked: str) -> str:
    """Return a copy without anything that looks like a tag."""
    return _TAG.sub("", marked)


def tagged_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield each line that is not blank: its text without tags, and as it is.

    A first line that is the name of the column is no text.
    """
    has_head = bool(head_of_table(read_head(path)))
    for location, line in islice(numbered_lines(path, encoding), has_head, None):
        yield location, {"text": without_tags(line.strip()), "marked": line.strip()}


def _readings(marked: str) -> list[str]:
    """Return what a model may have meant: as it stands, out of a code fence, and out of XML."""
    fenced = [marked.strip(), unfenced(marked).strip()]
    return list(dict.fromkeys([*fenced, *map(unescape, fenced)]))


def spans_in_tags(marked: str, text: str, location: str) -> list[dict[str, Any]]:
    """Return the spans in a copy of a text with ``<PER>Jo</PER>`` or ``@@Jo##`` written into it.

    What stands in the text itself is not a tag. The label is the name of the tag, or what its
    attribute ``type``, ``label``, ``category``, ``class`` or ``tag`` says. Where tags cross, each
    ends with the next of its name. In the copy, ``&amp;`` may stand for ``&``.

    Raises:
        InputError: for a copy that differs from the text, showing the first difference; for tags
            that are not opened or not closed.

    >>> spans_in_tags("<PER>Jo</PER> sings", "Jo sings", "row 1")
    [{'start': 0, 'end': 2, 'label': 'PER'}]
    """
    inner = text.strip()
    readings = [_taken_apart(reading, inner.startswith) for reading in _readings(marked)]
    copies = [copy.strip() for copy, _, _ in readings]  # a tag may stand outside of white space
    copy, spans, odd = readings[copies.index(inner) if inner in copies else 0]
    same_text(copy.strip(), inner, location, _COPY)
    if odd:
        raise InputError(f"{location}: {odd[0]}; tags are in pairs")
    n_before_text, n_before_copy = (len(part) - len(part.lstrip()) for part in (text, copy))
    shift = n_before_text - n_before_copy
    return [
        {**s, "start": max(s["start"] + shift, 0), "end": min(s["end"] + shift, len(text))}
        for s in spans
    ]


def _taken_apart(
    marked: str, is_text: Callable[[str, int], bool]
) -> tuple[str, list[dict[str, Any]], list[str]]:
    """Return a copy without its tags, the spans in pairs of them, and what is wrong with others.

    What ``is_text`` at some place of the copy is not a tag.
    """

    def meaning(piece: str, at: int) -> MarkupToken:
        if is_text(piece, at):
            return MarkupToken("text", text=piece)
        if piece.endswith("/>"):
            return MarkupToken("empty")
        opens = piece == "@@" or (piece[0] == "<" and piece[1] != "/")
        return MarkupToken("open" if opens else "close", *_name_and_label(piece))

    copy, marks, odd = split_markup(marked, _TAG, meaning)
    spans = [
        {"start": start, "end": end, **({"label": label} if label else {})}
        for start, end, label in marks
    ]
    return copy, spans, odd


def _name_and_label(tag: str) -> tuple[str, str]:
    """Return the name of a tag, ``@@`` for its like, and the label that it gives, if it does."""
    if tag in ("@@", "##"):
        return "@@", ""
    name = re.split(r"\s", tag.strip("</>"), maxsplit=1)[0]
    values = {plain(key): value.strip("\"'") for key, value in _ATTRIBUTE.findall(tag)}
    return name, next((values[key] for key in ATTRIBUTES if values.get(key)), name)


def _aligned_spans(
    marked: str, text: str, location: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """Return the spans in a copy that was changed, where they are in the text.

    The second list has those that are not, with their ``text``; the last is the number of tags that
    are not in pairs.

    Raises:
        InputError: for what is not a copy, and for tags that the text itself has.
    """
    plainly = marked if _TAG.search(marked) else unescape(marked)
    in_text, in_copy = Counter(_TAG.findall(text)), Counter(_TAG.findall(plainly))
    for tag, number in in_text.items():
        if in_copy[tag] > number:
            raise InputError(
                f"{location}: {quote_value(tag)} stands {pluralize(number, 'time')} in the text"
                " itself,"
                f" {in_copy[tag]} in the copy, in which something else was changed too, so it is"
                " not known which of them are tags; ask the model for other tags"
            )
    ignored = {*in_text, *(() if "@@" in in_copy else ("##",))}
    copy, marks, odd = _taken_apart(plainly, lambda piece, _: piece in ignored)
    alignment = Alignment(copy, text)
    if alignment.share < _LEAST:
        raise InputError(
            f"{location}: {quote_value(marked)} has {percent(alignment.share)} of the text; to"
            f" align a copy, {percent(_LEAST)} are needed: {NO_ANSWER}"
        )
    spans, lost = [], []
    for span in marks:
        place = alignment.carried(span["start"], span["end"])
        if place is not None:
            spans.append({**span, "start": place[0], "end": place[1]})
        else:
            lost.append({**span, "text": copy[span["start"] : span["end"]]})
    return spans, lost, len(odd)
