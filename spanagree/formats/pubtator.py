"""PubTator: title and abstract, and below them a line for each mention; one annotator a file."""

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
from spanagree.corpus.offsets import number_standing, point
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, invalid_value, printable_path, quote_value, whole_number
from spanagree.files import PathName, lines_of
from spanagree.formats.file_head import FileHead
from spanagree.formats.records import RawAnnotation, RawSpan, ReadLog, Record, gather
from spanagree.settings import reading_settings

_TEXT = re.compile(r"([^|\t]+)\|[a-z]\|(.*)")
_MENTION = re.compile(r"([^\t]+)\t(\d+)\t(\d+)\t([^\t]*)\t([^\t]+)")
_OTHER = re.compile(r"[^\t]+\t[^\t\d][^\t]*\t")  # a second cell that does not begin as a number
_JOINED: Mapping[str, Callable[[Sequence[str]], str]] = {
    "by a blank": lambda parts: " ".join([*(part.rstrip() for part in parts[:-1]), parts[-1]]),
    "by a blank after that at the end of the title": " ".join,
    "without a blank": "".join,
}
"""How the parts of a text may be joined, the usual way first."""

_USUAL = next(iter(_JOINED))


def knows_pubtator(start: FileHead) -> bool:
    """Return whether a file begins as PubTator's do, with a title."""
    first = next((line for line in start.lines if line.strip()), "")
    return bool(re.match(r"[^|\t\s]+\|t\|", first))


@dataclass(eq=False)
class _Document:
    """The parts of a text, and of each mention the line, start and end in a row, text and type."""

    parts: list[str] = field(default_factory=list)
    places: array[int] = field(default_factory=lambda: array("q"))
    says: list[str] = field(default_factory=list)

    @property
    def mentions(self) -> Iterator[tuple[int, int, int, str, str]]:
        """The line, start, end, text and type of each mention."""
        places = (self.places[i::3] for i in range(3))
        return zip(*places, self.says[::2], self.says[1::2], strict=True)


def raw_pubtator(path: PathName, *, ends: Ends | None = None) -> RawCorpus:
    """Return the rows of a PubTator file, unchecked: one annotator, without a name.

    Offsets count the characters of title and abstract, joined by one; files that end a title with
    a blank are joined as most of their mentions show.

    Args:
        path: the file.
        ends: what the end of a mention names; unless given, what the texts of mentions show.

    Raises:
        InputError: for what is not PubTator.
    """
    location = printable_path(path)
    documents, passed = _read(lines_of(path), location)
    way = _way_of(documents)
    log = ReadLog(location)
    log.passed = passed
    if way != _USUAL:
        log.notes = [
            f"{location}: offsets count titles and abstracts joined {way}, as mentions show"
        ]
    records = _records(documents, way, location)
    return gather(
        records, log, reading_settings(ends=ends), annotators=[""], ends=ends, again=False
    )


def _records(documents: dict[str, _Document], way: str, location: str) -> Iterator[Record]:
    for id_ in list(documents):
        document = documents.pop(id_)  # a large file's texts are in memory once
        points = None if way == _USUAL else _points(document.parts, way)
        spans = (
            RawSpan(
                start if points is None else point(points, start),
                end if points is None else point(points, end),
                *(label, covered or None, None, None, f"{location}:{line}"),
            )
            for line, start, end, covered, label in document.mentions
        )
        text = _JOINED[_USUAL](document.parts)
        yield Record(location, id_, {"text": text}, [RawAnnotation("", spans)])


def _points(parts: Sequence[str], way: str) -> Ints:
    """Return the character of a text joined the usual way at each offset in one joined otherwise.

    So a text is the same whatever its mentions count.
    """
    table: list[int] = []
    at = 0
    for i, part in enumerate(parts):
        gap = len(_JOINED[way](["", ""])) if i < len(parts) - 1 else 0
        size = len(part.rstrip() if i < len(parts) - 1 else part)
        table += (at + min(j, size) for j in range(len(part) + gap))
        at += size + 1
    return np.array([*table, at - 1])


def _read(lines: Iterable[str], location: str) -> tuple[dict[str, _Document], Counter[str]]:
    """Return the documents by id, and how many lines were passed over, by kind."""
    documents: dict[str, _Document] = {}
    passed: Counter[str] = Counter()
    for number, ended in enumerate(lines, 1):
        line = ended.rstrip("\r\n")
        place = f"{location}:{number}"
        text, mention = _TEXT.fullmatch(line), _MENTION.match(line)
        id_ = line.partition("\t")[0]
        if text:
            document = documents.setdefault(text[1].strip(), _Document())
            if document.says or len(document.parts) > 1:
                raise InputError(
                    f"{place}: document {quote_value(text[1])} comes a second time; ids are used"
                    " once"
                )
            document.parts.append(text[2])
        elif not line.strip():
            continue
        elif id_ not in documents:
            raise invalid_value(
                f"{place}:", line, "PubTator has ID|t|TITLE and ID|a|ABSTRACT first"
            )
        elif mention:
            start, end = (whole_number(mention[i], f"{place}: offset") for i in (2, 3))
            covered, label = map(intern, mention.group(4, 5))  # they come again and again
            documents[id_].places.extend((number, start, end))
            documents[id_].says += covered, label
        elif _OTHER.match(line):
            passed["relation"] += 1
        else:
            needed = "a mention has id, start, end, text and type, with tabs between"
            raise invalid_value(f"{place}:", line, needed)
    if not documents:
        raise InputError(f"{location}: no documents; PubTator has ID|t|TITLE and ID|a|ABSTRACT")
    return documents, passed


def _way_of(documents: Mapping[str, _Document]) -> str:
    """Return how texts are joined that the mentions count: the first way in which most stand."""
    fits: Counter[str] = Counter()
    number = sum(len(document.places) // 3 for document in documents.values())
    for way, join in _JOINED.items():
        for document in documents.values():
            spans = ((start, end, quote) for _, start, end, quote, _ in document.mentions)
            fits[way] += number_standing(join(document.parts), spans)
        if fits[way] == number:
            break
    return max(_JOINED, key=lambda way: fits[way])
