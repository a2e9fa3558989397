"""Copies of a text with inline tags, as language models mark spans.

A copy is *changed* if it differs from the text in more than tags; its spans are then *aligned*,
moved to the corresponding passages of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from itertools import islice
from typing import Any

from spanagree.corpus.document_versions import check_same_text
from spanagree.errors import InputError, escape_name, format_percent, pluralize, quote_value
from spanagree.files import PathName, yield_numbered_lines
from spanagree.formats.changed_texts import Alignment
from spanagree.formats.file_head import read_head
from spanagree.formats.inline_tags import MarkupToken, split_markup
from spanagree.formats.usual_names import ATTRIBUTES, simplify_name, split_certain_header

_TAG = re.compile(r"(</?[^\W\d_][\w.-]{0,99}(?:\s[^<>]{0,999})?/?>|@@|##)")
_ATTRIBUTE = re.compile(r"([\w:.-]{1,99})=(\"[^\"]*\"|'[^']*'|[^\s\"'=<>]+)")
_COPY_ADVICE = (
    "but for tags and outer white space it has to be the text: ask the model to copy that, or"
    " --align aligns what it changed"
)
_MIN_SHARE = 0.5  # smallest share of a text that a copy has to contain

NO_ANSWER = "put null where there was no answer, or [] where nothing was marked"
"""Advice for answers without spans."""


class TaggedCopies:
    """Reader of copies, with counts of changed copies and unaligned spans by annotator."""

    def __init__(self, *, align: bool) -> None:
        self.align = align
        self.copies: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self.spans: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()

    def read_spans(
        self, copy: str, text: str, location: str, annotator: str
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Read the spans in a copy; a changed copy requires alignment.

        Returns:
            Spans of the text, and spans of a changed copy that are not aligned, with their
            ``text``.

        Raises:
            InputError: if a copy was changed and is not aligned, or was changed too much.
        """
        unaligned: list[dict[str, Any]] = []
        n_unaligned = 0
        try:
            spans = find_tagged_spans(copy, text, location)
        except InputError:
            if not self.align:
                raise
            spans, unaligned, n_unpaired = _align_spans(copy, text, location)
            n_unaligned = len(unaligned) + n_unpaired
            self.changed[annotator] += 1
        self.copies[annotator] += 1
        self.spans[annotator] += len(spans) + n_unaligned
        self.lost[annotator] += n_unaligned
        return spans, unaligned

    def yield_notes(self, prefix: str) -> Iterator[str]:
        """Yield a note per annotator: number of changed copies, share of unaligned spans."""
        for name, n_changed in self.changed.items():
            n_copies, n_spans, n_unaligned = self.copies[name], self.spans[name], self.lost[name]
            share = f" ({format_percent(n_unaligned / n_spans, 1)})" if n_spans else ""
            yield (
                f"{prefix}{f'{escape_name(name)}: ' if name else ''}{pluralize(n_changed, 'text')}"
                f" ({format_percent(n_changed / n_copies, 1)} of {n_copies}) changed by the model"
                f" and aligned; {n_unaligned} of {pluralize(n_spans, 'span')} in tags{share} not"
                " aligned"
            )


def strip_code_fence(text: str) -> str:
    r"""Extract the content of the only code fence in a text; return other texts unchanged.

    >>> strip_code_fence("Sure:\n```json\n[]\n```\nAnything else?"), strip_code_fence("[]")
    ('[]\n', '[]')
    """
    fragments = text.split("```")
    if len(fragments) != 3:
        return text
    head, _, content = fragments[1].partition("\n")
    return content if len(head.split()) < 2 and content else fragments[1]


def is_copy(answer: str, text: str) -> bool:
    """Check whether an answer is a copy of a text, with or without tags."""
    return any(_TAG.search(copy) or copy == text.strip() for copy in _list_readings(answer))


def remove_tags(copy: str) -> str:
    """Remove everything that looks like a tag from a copy."""
    return _TAG.sub("", copy)


def yield_tagged_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield each line that is not blank: its text without tags, and the line itself.

    A first line with the name of the column is skipped.
    """
    has_head = bool(split_certain_header(read_head(path)))
    for location, line in islice(yield_numbered_lines(path, encoding), has_head, None):
        yield location, {"text": remove_tags(line.strip()), "marked": line.strip()}


def _list_readings(answer: str) -> list[str]:
    """List the possible readings of an answer: unchanged, out of a code fence, and out of XML."""
    fenced = [answer.strip(), strip_code_fence(answer).strip()]
    return list(dict.fromkeys([*fenced, *map(unescape, fenced)]))


def find_tagged_spans(answer: str, text: str, location: str) -> list[dict[str, Any]]:
    """Find the spans in a copy of a text with tags such as ``<PER>Jo</PER>`` or ``@@Jo##``.

    A tag that is in the text itself is no tag. The label is the name of the tag, or its attribute
    ``type``, ``label``, ``category``, ``class`` or ``tag``. If tags cross, each ends with the next
    closing tag of its name. In the copy, ``&amp;`` may represent ``&``.

    Raises:
        InputError: if the copy differs from the text, with the first difference; if tags are not
            opened or not closed.

    >>> find_tagged_spans("<PER>Jo</PER> sings", "Jo sings", "row 1")
    [{'start': 0, 'end': 2, 'label': 'PER'}]
    """
    inner = text.strip()
    readings = [_split_tags(reading, inner.startswith) for reading in _list_readings(answer)]
    copies = [copy.strip() for copy, _, _ in readings]  # a tag may enclose outer white space
    copy, spans, problems = readings[copies.index(inner) if inner in copies else 0]
    check_same_text(copy.strip(), inner, location, _COPY_ADVICE)
    if problems:
        raise InputError(f"{location}: {problems[0]}; tags are in pairs")
    n_before_text, n_before_copy = (len(string) - len(string.lstrip()) for string in (text, copy))
    shift = n_before_text - n_before_copy
    return [
        {**span, "start": max(span["start"] + shift, 0), "end": min(span["end"] + shift, len(text))}
        for span in spans
    ]


def _split_tags(
    answer: str, is_text: Callable[[str, int], bool]
) -> tuple[str, list[dict[str, Any]], list[str]]:
    """Split a copy into its text, the spans in pairs of tags, and problems of unpaired tags.

    ``is_text`` checks whether an apparent tag is part of the text at a position of the copy.
    """

    def parse_tag(piece: str, position: int) -> MarkupToken:
        """Parse a piece of a tagged copy: text, or a tag that opens, closes or is empty."""
        if is_text(piece, position):
            return MarkupToken("text", text=piece)
        if piece.endswith("/>"):
            return MarkupToken("empty")
        opens = piece == "@@" or (piece[0] == "<" and piece[1] != "/")
        return MarkupToken("open" if opens else "close", *_parse_name_and_label(piece))

    copy, marks, problems = split_markup(answer, _TAG, parse_tag)
    spans = [
        {"start": start, "end": end, **({"label": label} if label else {})}
        for start, end, label in marks
    ]
    return copy, spans, problems


def _parse_name_and_label(tag: str) -> tuple[str, str]:
    """Parse the name of a tag (``@@`` for GPT-NER's marks) and its label, which may be empty."""
    if tag in ("@@", "##"):
        return "@@", ""
    name = re.split(r"\s", tag.strip("</>"), maxsplit=1)[0]
    values = {simplify_name(key): value.strip("\"'") for key, value in _ATTRIBUTE.findall(tag)}
    return name, next((values[key] for key in ATTRIBUTES if values.get(key)), name)


def _align_spans(
    answer: str, text: str, location: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """Find the spans of a changed copy in the text.

    Returns:
        Aligned spans; spans that are not aligned, with their ``text``; and the number of unpaired
        tags.

    Raises:
        InputError: if the answer is no copy, or the text itself contains the same tags.
    """
    unescaped = answer if _TAG.search(answer) else unescape(answer)
    in_text, in_copy = Counter(_TAG.findall(text)), Counter(_TAG.findall(unescaped))
    for tag, count in in_text.items():
        if in_copy[tag] > count:
            raise InputError(
                f"{location}: {quote_value(tag)} stands {pluralize(count, 'time')} in the text"
                " itself,"
                f" {in_copy[tag]} in the copy, in which something else was changed too, so it is"
                " not known which of them are tags; ask the model for other tags"
            )
    ignored = {*in_text, *(() if "@@" in in_copy else ("##",))}
    copy, marks, problems = _split_tags(unescaped, lambda piece, _: piece in ignored)
    alignment = Alignment(copy, text)
    if alignment.share < _MIN_SHARE:
        raise InputError(
            f"{location}: {quote_value(answer)} has {format_percent(alignment.share)} of the text;"
            f" to align a copy, {format_percent(_MIN_SHARE)} are needed: {NO_ANSWER}"
        )
    spans, unaligned = [], []
    for span in marks:
        span_in_text = alignment.find_span(span["start"], span["end"])
        if span_in_text is not None:
            spans.append({**span, "start": span_in_text[0], "end": span_in_text[1]})
        else:
            unaligned.append({**span, "text": copy[span["start"] : span["end"]]})
    return spans, unaligned, len(problems)
