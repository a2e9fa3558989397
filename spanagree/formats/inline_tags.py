"""Parser of tags in a text, in any notation: the text without the tags, and the marked spans.

XML, such as MUC's ENAMEX and TEI, is parsed by the standard library, with character references,
comments and CDATA; any other tagged text is parsed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from spanagree.errors import quote_value


class MarkupToken(NamedTuple):
    """Parsed piece of a marked text.

    Attributes:
        token_type: ``text`` for text that stays; ``open`` or ``close`` for a tag of a span;
            ``empty`` for a tag without a span; ``span`` for a complete span, with its text.
        name: name by which a closing tag finds its opening tag.
        label: label of the span.
        text: text that remains of the piece.
    """

    token_type: Literal["text", "open", "close", "empty", "span"]
    name: str = ""
    label: str = ""
    text: str = ""


Mark: TypeAlias = tuple[int, int, str]
"""Start, end and label of a marked span; the label is empty if the tag has none."""

Notation: TypeAlias = Callable[[str, int], MarkupToken]
"""Function of a possible tag, and its offset in the text without tags, that parses it."""


def split_markup(
    marked_text: str, tag_pattern: re.Pattern[str], parse_tag: Notation, *, nested: bool = True
) -> tuple[str, list[Mark], list[str]]:
    """Split a marked text into text and spans.

    Args:
        marked_text: text with tags.
        tag_pattern: pattern of possible tags, with one group that contains the whole tag.
        parse_tag: parser of possible tags.
        nested: False to let an opening tag replace an open tag of the same name.

    Returns:
        The text without tags; the spans, sorted by their ends; and one problem for each tag without
        a partner.

    >>> meaning = lambda tag, at: MarkupToken("close" if tag[1] == "/" else "open", label="PER")
    >>> split_markup("<p>Jo</p> sings</p>", re.compile("(</?p>)"), meaning)[:2]
    ('Jo sings', [(0, 2, 'PER')])
    """
    text = ""
    marks: list[Mark] = []
    problems: list[str] = []
    open_tags: dict[str, list[tuple[int, str]]] = {}
    for i, piece in enumerate(tag_pattern.split(marked_text)):
        if i % 2 == 0:
            text += piece
            continue
        offset = len(text)
        token_type, name, label, remaining = parse_tag(piece, offset)
        if token_type == "open":
            same_name = open_tags.setdefault(name, [])
            if same_name and not nested:
                problems.append(f"{quote_value(piece)} is opened again")
                same_name.clear()
            same_name.append((offset, label))
        elif token_type == "close":
            if open_tags.get(name):
                marks.append((open_tags[name][-1][0], offset, open_tags[name].pop()[1]))
            else:
                problems.append(f"{quote_value(piece)} closes what is not open")
        elif token_type == "empty":
            problems.append(f"{quote_value(piece)} marks nothing")
        else:
            text += remaining
            if token_type == "span":
                marks.append((offset, len(text), label))
    if open_tags:
        unclosed = [name for name, same_name in open_tags.items() for _ in same_name]
        problems += (f"{quote_value(name)} is opened and not closed" for name in unclosed)
    return text, marks, problems
