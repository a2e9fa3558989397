"""PubTator files: title and abstract, then a line per mention; one annotator per file.

A *joiner* is a way to join title and abstract to the text that offsets count.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern

import numpy as np

from spanagree.arrays import Ints
from spanagree.choices import Ends
from spanagree.corpus.offset_units import look_up_point
from spanagree.corpus.quoted_texts import count_matching_quotes
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, escape_path, invalid_value, parse_whole_number, quote_value
from spanagree.files import PathName, yield_lines
from spanagree.formats.file_head import FileHead
from spanagree.formats.records import (
    RawAnnotation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.settings import build_reading_settings

_TEXT = re.compile(r"([^|\t]+)\|[a-z]\|(.*)")
_MENTION = re.compile(r"([^\t]+)\t(\d+)\t(\d+)\t([^\t]*)\t([^\t]+)")
_RELATION = re.compile(r"[^\t]+\t[^\t\d][^\t]*\t")  # the second cell does not begin with a digit
_JOINERS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "by a blank": lambda sections: " ".join(
        [*(section.rstrip() for section in sections[:-1]), sections[-1]]
    ),
    "by a blank after that at the end of the title": " ".join,
    "without a blank": "".join,
}
"""Functions that join the sections of a text, the usual one first."""

_DEFAULT_JOINER = next(iter(_JOINERS))


def looks_like_pubtator(start: FileHead) -> bool:
    """Check whether a file begins like PubTator, with a title."""
    first_line = next((line for line in start.lines if line.strip()), "")
    return bool(re.match(r"[^|\t\s]+\|t\|", first_line))


@dataclass(eq=False)
class _Document:
    """Sections of a text, and its mentions: rows of line, start and end; quotes and types."""

    sections: list[str] = field(default_factory=list)
    positions: array[int] = field(default_factory=lambda: array("q"))
    quotes_and_types: list[str] = field(default_factory=list)

    @property
    def mentions(self) -> Iterator[tuple[int, int, int, str, str]]:
        """Line, start, end, text and type of each mention."""
        columns = (self.positions[i::3] for i in range(3))
        return zip(*columns, self.quotes_and_types[::2], self.quotes_and_types[1::2], strict=True)


def read_raw_pubtator(path: PathName, *, ends: Ends | None = None) -> RawCorpus:
    """Read the rows of a PubTator file, unchecked: one annotator, without a name.

    Offsets count the characters of title and abstract, joined by one character. If titles end with
    a blank, the join is inferred from most mentions.

    Args:
        path: path of the file.
        ends: convention for ends of mentions, exclusive or inclusive. Default: inferred from their
            texts.

    Raises:
        InputError: if the file is not PubTator.
    """
    location = escape_path(path)
    documents, ignored_counts = _parse_documents(yield_lines(path), location)
    joiner = _find_joiner(documents)
    log = ReadLog(location)
    log.passed = ignored_counts
    if joiner != _DEFAULT_JOINER:
        log.notes = [
            f"{location}: offsets count titles and abstracts joined {joiner}, as mentions show"
        ]
    records = _yield_records(documents, joiner, location)
    return build_raw_from_records(
        records, log, build_reading_settings(ends=ends), annotators=[""], ends=ends, again=False
    )


def _yield_records(documents: dict[str, _Document], joiner: str, location: str) -> Iterator[Record]:
    """Yield a record for each document, and remove the document from the mapping."""
    for id_ in list(documents):
        document = documents.pop(id_)  # the texts of a large file are in memory once
        offsets = (
            None
            if joiner == _DEFAULT_JOINER
            else _compute_default_offsets(document.sections, joiner)
        )
        spans = (
            RawSpan(
                start if offsets is None else look_up_point(offsets, start),
                end if offsets is None else look_up_point(offsets, end),
                *(label, quote or None, None, None, f"{location}:{line}"),
            )
            for line, start, end, quote, label in document.mentions
        )
        text = _JOINERS[_DEFAULT_JOINER](document.sections)
        yield Record(location, id_, {"text": text}, [RawAnnotation("", spans)])


def _compute_default_offsets(sections: Sequence[str], joiner: str) -> Ints:
    """Map each offset in sections with another joiner to the offset in the default text.

    So a text is the same whatever its mentions count.
    """
    default_offsets: list[int] = []
    offset = 0
    for i, section in enumerate(sections):
        gap = len(_JOINERS[joiner](["", ""])) if i < len(sections) - 1 else 0
        size = len(section.rstrip() if i < len(sections) - 1 else section)
        default_offsets += (
            offset + min(character, size) for character in range(len(section) + gap)
        )
        offset += size + 1
    return np.array([*default_offsets, offset - 1])


def _parse_documents(
    lines: Iterable[str], location: str
) -> tuple[dict[str, _Document], Counter[str]]:
    """Parse the documents by id, and count ignored lines by type."""
    documents: dict[str, _Document] = {}
    ignored_counts: Counter[str] = Counter()
    for line_number, raw_line in enumerate(lines, 1):
        line = raw_line.rstrip("\r\n")
        line_location = f"{location}:{line_number}"
        text, mention = _TEXT.fullmatch(line), _MENTION.match(line)
        id_ = line.partition("\t")[0]
        if text:
            document = documents.setdefault(text[1].strip(), _Document())
            if document.quotes_and_types or len(document.sections) > 1:
                raise InputError(
                    f"{line_location}: document {quote_value(text[1])} comes a second time; ids are"
                    " used once"
                )
            document.sections.append(text[2])
        elif not line.strip():
            continue
        elif id_ not in documents:
            raise invalid_value(
                f"{line_location}:", line, "PubTator has ID|t|TITLE and ID|a|ABSTRACT first"
            )
        elif mention:
            start, end = (
                parse_whole_number(mention[i], f"{line_location}: offset") for i in (2, 3)
            )
            quote, label = map(intern, mention.group(4, 5))  # many mentions share them
            documents[id_].positions.extend((line_number, start, end))
            documents[id_].quotes_and_types += quote, label
        elif _RELATION.match(line):
            ignored_counts["relation"] += 1
        else:
            requirement = "a mention has id, start, end, text and type, with tabs between"
            raise invalid_value(f"{line_location}:", line, requirement)
    if not documents:
        raise InputError(f"{location}: no documents; PubTator has ID|t|TITLE and ID|a|ABSTRACT")
    return documents, ignored_counts


def _find_joiner(documents: Mapping[str, _Document]) -> str:
    """Find the joiner for which most mentions are at their offsets; the first if several are."""
    n_matching: Counter[str] = Counter()
    n_mentions = sum(len(document.positions) // 3 for document in documents.values())
    for joiner, join in _JOINERS.items():
        for document in documents.values():
            spans = ((start, end, quote) for _, start, end, quote, _ in document.mentions)
            n_matching[joiner] += count_matching_quotes(join(document.sections), spans)
        if n_matching[joiner] == n_mentions:
            break
    return max(_JOINERS, key=lambda joiner: n_matching[joiner])
