"""Guess which columns of rows hold what, from their names and from what is in the first rows."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice
from typing import Any

import numpy as np

from spanagree.corpus.tags import USUAL_OUTSIDE, is_ignored
from spanagree.errors import InputError, is_whole, join_names, length_of
from spanagree.formats.hugging_face.columns import cell_of, layer_names, number_in, words_in
from spanagree.formats.hugging_face.spans import (
    WRAPPERS,
    by_annotator,
    by_label,
    is_sequence,
    parsed,
    quotes_in,
)
from spanagree.formats.tagged_copies import without_tags
from spanagree.formats.usual_names import (
    COLUMNS,
    MARKED,
    MAYBE_ANNOTATORS,
    NAMES,
    USUAL,
    keys_of,
    plain,
)

NAMELESS = frozenset((*COLUMNS["spans"], *COLUMNS["tags"], "hardlabels", "softlabels"))
"""Names of columns that do not say whose annotations they hold."""

LOOKED_AT = 50
"""How many rows are looked at, and behind them those that fill an empty column."""

SEARCHED = 10_000
"""In how many rows these are looked for."""

_TAG = re.compile(r"O|[BIESLUMW]-.+")
_SPEAKS_OF_SPANS = re.compile("span|label|annot|entit|^ents|^ner|highl|gold|pred|error")
_SPEAKS_OF_QUOTES = re.compile(
    "span|label|annot|entit|^ents|^ner|highl|gold|pred|error|answer|output"
)
_NO_SPANS = re.compile(
    "relation|link|event|coref|cluster|comment|note|key|topic|tag|cat|meta|option|accept|token|word"
    "|sent|hist|image|url|attr|group|choice|feature|label|score"
)
_NO_LABELS = frozenset(("tag", "v", "span", "mark", "error", "err", "e", "em", "b", "highlight"))
_ONE_OFF = 1  # of ends that are inclusive, or a blank at an edge
_OTHER_KIND = re.compile(r"pos|chunk|nested|fine|xpos|upos|lemma")
_SOME, _TIMES = 3, 2  # tokens inside another column's segments, and how many more that column has
_LISTS = (list, tuple, np.ndarray)
_Fits = Callable[[Any], bool]


def guess(
    data: Iterable[Any],
    given: Mapping[str, Any],
    before: str = "",
    outside: Sequence[str] = (),
    *,
    strings: bool = False,
) -> tuple[dict[str, Any], list[str]]:
    """Return the columns to read that were not given, as far as the first rows show them.

    They are named as the options of ``from_dataset``. Where spans or tags were given,
    only what these need is guessed. Then there are the columns that may hold spans and are left.
    What is in doubt is an error, ``before`` which the file may stand. Tags ``outside`` are as
    ``O``. Of ``strings`` without a text, a column with lists of them under labels is one to read.
    """
    named = given.keys() & {"tags", "spans"} and given.keys() & {"tokens", "text"}
    if named and ("annotator" not in given or "document" in given):
        return {}, []
    rows = _first_rows(data)
    about = getattr(data, "features", None), getattr(data, "flat", False)
    made = (guessed := _Guess(rows, given, *about, before, outside, strings)).columns()
    spans = made.get("spans", {})
    taken = [spans] if isinstance(spans, str) else list(spans.values())
    taken += made.get("tags", {}).values()
    parts = {*taken, *(str(name).partition(".")[0] for name in taken)}
    return made, [name for name in dict.fromkeys(guessed.like) if taken and name not in parts]


def _first_rows(data: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Return the first rows, and the later ones that fill a column which is empty in these.

    Someone who began late has entries in later rows only.
    """
    rows: list[Mapping[str, Any]] = []
    filled: set[str] = set()
    for number, row in enumerate(islice(data, SEARCHED)):
        if isinstance(row, Mapping):
            more = {key for key in row.keys() - filled if not _is_empty(row[key])}
            filled |= more
            if more or number < LOOKED_AT:
                rows.append(row)
    return rows


class _Guess:
    """Some rows, and the names of their columns, also of those in objects."""

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        given: Mapping[str, Any],
        features: Any,
        flat: bool,
        before: str,
        outside: Sequence[str],
        strings: bool,
    ) -> None:
        self.rows, self.given, self.features, self.before = rows, given, features, before
        self.flat, self.strings = flat, strings
        self.words: Callable[[Any], Any] = words_in if flat else lambda cell: cell
        pairs = [(str(key), value) for row in rows for key, value in row.items()]
        self.names = list(dict.fromkeys(name for name, _ in pairs))
        inner = [f"{k}.{key}" for k, v in pairs if isinstance(v, Mapping) for key in v]
        self.inner = list(dict.fromkeys(inner))
        self.outside = frozenset(outside)
        self.like: list[str] = []  # columns that may hold spans

    def cells(self, column: str) -> Iterator[Any]:
        """Yield the entries of a column that are there."""
        for row in self.rows:
            try:
                cell = cell_of(row, column)
            except KeyError:
                continue
            if not _is_missing(cell) and not (isinstance(cell, str) and not cell.strip()):
                yield parsed(cell)

    def fits(self, column: str, fit: _Fits) -> bool:
        """Return whether all of a column's entries are of a kind, and there is one."""
        cells = list(self.cells(column))
        return bool(cells) and all(map(fit, cells))

    @cached_property
    def _called(self) -> dict[tuple[bool, str], list[str]]:
        """The columns by whether they are in an object, and the plain form of their last name."""
        called: dict[tuple[bool, str], list[str]] = {}
        for is_inner, names in enumerate((self.names, self.inner)):
            for name in names:
                key = bool(is_inner), plain(name.rpartition(".")[2])
                called.setdefault(key, []).append(name)
        return called

    def usual(self, what: str, fit: _Fits, but: Sequence[object] = ()) -> str | None:
        """Return the first column with a usual name whose entries are of a kind."""
        for usual in COLUMNS[what]:
            inner = self._called.get((True, usual), ()) if what == "annotator" else ()
            for name in (*self._called.get((False, usual), ()), *inner):
                if name not in but and self.fits(name, fit):
                    return name
        return None

    def columns(self) -> dict[str, Any]:
        """Return all that is guessed."""
        made: dict[str, Any] = {}
        chosen = ChainMap(made, dict(self.given))
        if not self.given.keys() & {"tags", "spans"}:
            made |= self.layers()
            if not made:
                return {}
        spans = chosen.get("spans")
        copied = self.copied(spans) if isinstance(spans, str) else None
        if not chosen.keys() & {"text", "tokens", "length"}:
            made |= self.content(_is_table(spans)) if copied is None else {"text": copied}
        if copied is not None and self.flat:
            made |= _named(label=self.label_of_marks(str(spans)))
        guessed = "annotator" not in chosen and "spans" in made and isinstance(spans, str)
        if guessed and (_is_table(spans) or not self.people(str(spans))):
            made |= _named(annotator=self.usual("annotator", _is_name) or self.systems(spans))
        if "annotator" not in chosen and isinstance(spans, str):
            self.like += [name for name in self.names if self.may_be_annotators(name)]
        if _is_table(spans) and "quote" not in chosen and "tokens" not in chosen:
            made |= self.quote(chosen)
        has_rows = "annotator" in chosen or made.keys() & {"spans", "tags"}
        if "document" not in chosen and (has_rows or self.strings):  # no text tells them apart
            made |= self.document(chosen)
        return made

    def layers(self) -> dict[str, Any]:
        """Return the columns of spans or tags."""
        ours = {name.partition(":")[2]: name for name in self.names if name.startswith("spans:")}
        if ours:
            return {"spans": ours}
        keys = keys_of(tuple(self.names))
        bounds = [keys[key] for key in ("start", "end", "label") if key in keys]
        if {"start", "end"} <= keys.keys() and all(map(self.are_numbers, bounds[:2])):
            return {"spans": ",".join(bounds)}
        tokens = self.given.get("tokens") or self.usual("tokens", self.are_words)
        if tokens and not self.given.keys() & {"text", "annotator"}:
            tags = [name for name in self.names if self.is_tags(name, tokens)]
            if tags:
                kept = self.tags_of_one_kind(tags)
                self.like += [name for name in self.names if self.may_be_tags(name, tokens)]
                return {"tags": {name: name for name in kept}, "tokens": tokens}
        return self.lists(tokens)

    def lists(self, tokens: str | None) -> dict[str, Any]:
        """Return the columns of lists of spans, or of answers that quote the text.

        Raises:
            InputError: if there are only labels of ``tokens``, without prefixes.
        """
        maybe = [name for name in self.names if self.may_be_spans(name)]
        self.like = [name for name in self.names if name in maybe or self.has_spans(name)]
        lists = [name for name in maybe if self.is_spans(name)]
        if any(plain(name) not in NAMELESS for name in lists):  # columns are annotators
            lists = [name for name in maybe if name in lists or self.is_of_nothing_marked(name)]
        lists = self.of_one_text(lists)
        labels = {label for name in lists for label in self.labels_of_spans(name)}
        several = [name for name in self.names if self.people(name)]
        people = [name for name in several if labels.isdisjoint(self.keys_in(name))]
        self.like += [name for name in several if name not in people]  # these are by label
        answers = [name for name in self.names if self.are_quotes(name) or self.has_copies(name)]
        self.like += [name for name in answers if name not in self.like]
        answers = [name for name in answers if self.speaks_of_quotes(name) or self.has_copies(name)]
        if people:
            return {"spans": people[0]}
        lists = lists or answers
        if not lists:  # a dump of a model's answer may have them in an object
            inside = [name for name in self.inner if self.may_be_spans(name)]
            lists = [name for name in inside if self.is_spans(name) and any(self.cells(name))]
        bare = [name for name in self.names if tokens and self.are_labels(name, tokens)]
        if bare and not lists:
            raise InputError(
                f"{self.before}column {bare[0]} has a label for each token, without a prefix such"
                f" as B-; --tokens {tokens} --tags gold={bare[0]} --scheme IO (tokens=, tags=,"
                " scheme=) reads them"
            )
        if len(lists) == 1:
            return {"spans": lists[0]}
        if lists and self.usual("annotator", _is_name):
            ranks = {name: rank for rank, name in enumerate(COLUMNS["spans"])}
            return {"spans": min(lists, key=lambda name: ranks.get(plain(name), len(ranks)))}
        return {"spans": {name: name for name in lists}} if lists else {}

    def of_one_text(self, columns: list[str]) -> list[str]:
        """Return which columns of spans are in one text: ``source_errors`` are not in a target.

        Raises:
            InputError: for spans in several texts, unless one of these is named.
        """
        texts = [name for name in self.names if self.fits(name, lambda cell: isinstance(cell, str))]
        about = {
            column: text
            for column in columns
            for text in texts
            if re.search(rf"^{re.escape(plain(text))}.|.{re.escape(plain(text))}$", plain(column))
        }
        given = self.given.get("text")
        if len(set(about.values()) | {given} - {None}) < 2:
            return columns
        if given is not None:
            return [name for name in columns if about.get(name, given) == given]
        shown = "; ".join(f"{column}: {text}" for column, text in about.items())
        column, text = list(about.items())[-1]
        raise InputError(
            f"{self.before}columns of spans in several texts ({shown}); name one text and its"
            f" spans: --text {text} --spans {column} (text=, spans=)"
        )

    def tags_of_one_kind(self, columns: list[str]) -> list[str]:
        """Return which columns of tags are layers: those with labels in common.

        Columns of another kind by their names, such as chunks, are left out.

        Raises:
            InputError: for columns of several kinds, of which nothing says which are meant, such
                as those of two levels of nested names.
        """
        kept = [name for name in columns if not _OTHER_KIND.search(name.lower())] or columns
        self.like += [name for name in columns if name not in kept]
        labels = {name: self.labels_in(name) for name in kept}
        apart = [
            (first, second)
            for first, second in combinations(kept, 2)
            if (labels[first] and labels[second] and not labels[first] & labels[second])
            or self.lies_inside(first, second)
            or self.lies_inside(second, first)
        ]
        if not apart:
            return kept
        shown = "; ".join(
            f"{name}: {join_names(sorted(labels[name])) or 'O alone'}" for name in kept
        )
        raise InputError(
            f"{self.before}columns of tags of several kinds ({shown}); say which are annotators to"
            f" compare: --tags gold={kept[-1]} (tags=), or --tags gold={kept[0]},mine={kept[-1]}"
        )

    def tags_in(self, column: str) -> Iterator[list[str]]:
        """Yield the tags of each row, by name."""
        names = layer_names(self.features, column, None) or []
        for row in self.rows:
            words = self.words(row.get(column))
            if is_sequence(words):
                yield [
                    names[tag] if is_whole(tag) and 0 <= tag < len(names) else str(tag)
                    for tag in words
                ]

    def labels_in(self, column: str) -> set[str]:
        """Return the labels of a column's tags."""
        return {tag[2:] for tags in self.tags_in(column) for tag in tags if tag[1:2] == "-"}

    def lies_inside(self, inner: str, outer: str) -> bool:
        """Return whether a column marks only tokens inside segments of another, and fewer."""
        marked = [
            [[tag[1:2] == "-" for tag in tags] for tags in self.tags_in(column)]
            for column in (inner, outer)
        ]
        if len(marked[0]) != len(marked[1]):
            return False
        pairs = [
            pair
            for inside, around in zip(*marked, strict=True)
            for pair in zip(inside, around, strict=False)
        ]
        both, alone, left = (pairs.count(p) for p in ((True, True), (True, False), (False, True)))
        return both >= _SOME and not alone and left > _TIMES * both

    def are_numbers(self, column: str) -> bool:
        """Return whether most of a column's entries are numbers; reading says what others are.

        Of somebody who marked nothing there are none.
        """
        cells = [*self.cells(column)]
        return not cells or _mostly(map(_is_number, cells))

    def has_copies(self, column: str) -> bool:
        """Return whether a column has copies of another one's text, with tags in them."""
        return self.copied(column) is not None

    def copied(self, column: str) -> str | None:
        """Return the column with the text of which another one has copies with tags in them."""
        for row in self.rows:
            cell = row.get(column)
            if isinstance(cell, str) and (plainly := without_tags(cell)) != cell:
                for name, text in row.items():
                    is_text = name != column and isinstance(text, str)
                    if is_text and text.strip() == plainly.strip():
                        return str(name)
        return None

    def label_of_marks(self, column: str) -> str | None:
        """Return the column with the label of what is marked beside it, by a tag without meaning.

        The label is that of an error or an entity, which has a row of its own.
        """
        cells = " ".join(cell for cell in self.cells(column) if isinstance(cell, str))
        if not {match[1].lower() for match in MARKED.finditer(cells)} <= _NO_LABELS:
            return None
        names = (name for usual in USUAL["label"] for name in self.names if plain(name) == usual)
        return next((name for name in names if self.fits(name, _is_name)), None)

    def are_quotes(self, column: str) -> bool:
        """Return whether a column has lists of strings of the text, alone or with labels.

        Its name says whether these are an annotator's.
        """
        named = self.given.get("text") or self.usual("text", lambda cell: isinstance(cell, str))
        text = None if named is None else str(named)
        tokens = self.given.get("tokens") or self.usual("tokens", self.are_words)
        if tokens and self.goes_with(column, tokens):
            return False
        name = plain(column)
        if "token" in name or name in COLUMNS["tokens"] or not list(self.cells(column)):
            return False
        number = there = odd = 0
        for row in self.rows:
            quotes = quotes_in(row.get(column, []))
            if quotes is None:  # what it is, is said when it is read
                odd += 1
                continue
            number += len(quotes)
            there += sum(quote in str(row.get(text or "")) for quote in quotes)
        if 2 * odd >= len(self.rows):
            return False
        if text is None and not self.speaks_of_quotes(column):
            return False
        return number > 0 and (text is None or 2 * there > number)

    def speaks_of_quotes(self, column: str) -> bool:
        """Return whether a column's name says that it has quotes, or of strings their labels do."""
        if _SPEAKS_OF_QUOTES.search(plain(column)):
            return True
        cells = [*self.cells(column)] if self.strings else []
        return any(isinstance(cell, Mapping) and by_label(cell) for cell in cells)

    def goes_with(self, column: str, tokens: str) -> bool:
        """Return whether most rows of a column have an entry for each token.

        A token a row is another format.
        """
        pairs = [
            (self.words(row.get(tokens)), self.words(row.get(column)))
            for row in self.rows
            if not _is_missing(row.get(column))
        ]
        lists = [pair for pair in pairs if all(is_sequence(part) for part in pair)]
        if not lists or (self.words is words_in and all(len(words) == 1 for words, _ in lists)):
            return False
        alike = sum(len(words) == len(entries) for words, entries in lists)
        return 2 * alike > len(pairs) and column != tokens

    def entries(self, column: str) -> Iterator[Any]:
        """Yield what is in the lists of a column."""
        for row in self.rows:
            words = self.words(row.get(column))
            if is_sequence(words):
                yield from words

    def is_tags(self, column: str, tokens: str) -> bool:
        """Return whether a column has a tag for each token; most of those that are not ``O``."""
        if not self.goes_with(column, tokens):
            return False
        names = layer_names(self.features, column, None)
        fit, may_be_outside = [], False
        for tag in self.entries(column):
            if _is_outside(tag, names) or (isinstance(tag, str) and tag in self.outside):
                continue
            if isinstance(tag, str) and tag.upper() in USUAL_OUTSIDE:  # said when it is read
                may_be_outside = True
            else:
                fit.append(is_tag(tag, names))
        return _mostly(fit) if fit else not may_be_outside

    def may_be_tags(self, column: str, tokens: str) -> bool:
        """Return whether a column has some tags, or numbers of a name that speaks of them."""
        entries = [*self.entries(column)]
        speaks = bool(_SPEAKS_OF_SPANS.search(plain(column)))
        numbers = speaks and self.goes_with(column, tokens) and all(map(is_whole, entries))
        return numbers or any(is_tag(entry, None) and entry != "O" for entry in entries)

    def are_labels(self, column: str, tokens: str) -> bool:
        """Return whether a column has a label for each token, without a prefix, or ``O``."""
        names = layer_names(self.features, column, None)
        if not self.goes_with(column, tokens) or "O" not in (names or [*self.entries(column)]):
            return False
        kind = is_whole if names else lambda entry: isinstance(entry, str)
        return all(map(kind, self.entries(column)))

    def is_spans(self, column: str) -> bool:
        """Return whether a column has lists of spans; shares of annotators have no labels."""
        cells = [*filter(_is_list, self.cells(column))]
        rated = any(
            isinstance(span, Mapping) and "prob" in span and "label" not in keys_of(tuple(span))
            for cell in cells
            for span in cell
        )
        speaks = bool(_SPEAKS_OF_SPANS.search(plain(column)))
        return not rated and (speaks or any(len(cell) for cell in cells))

    def may_be_spans(self, column: str) -> bool:
        """Return whether most of a column are lists, of which most entries are spans, or empty.

        What the others are is said when they are read.
        """
        name = plain(column)
        cells = [*self.cells(column)]
        if name == "tokens" or not _mostly(map(_is_list, cells)):
            return False
        parts = [
            [entry] if is_sequence(cell) else entry
            for cell in filter(_is_list, cells)
            for entry in (cell if is_sequence(cell) else [cell])
        ]
        if not _SPEAKS_OF_QUOTES.search(name) and any(map(_has_names, parts)):
            return False
        fit = [_are_spans(part, bool(_SPEAKS_OF_SPANS.search(name))) for part in parts]
        return not fit or _mostly(fit)

    def has_spans(self, column: str) -> bool:
        """Return whether a column has a list of spans, perhaps in an object, whatever else."""
        cells = [*self.cells(column)]
        inner = [part for cell in cells if isinstance(cell, Mapping) for part in cell.values()]
        return any(
            is_sequence(part) and len(part) and _are_spans(part, False) for part in (*cells, *inner)
        )

    def is_of_nothing_marked(self, column: str) -> bool:
        """Return whether a column has lists, all empty, and no name of something else."""
        are_empty = all(length_of(cell) == 0 for cell in self.cells(column))
        return are_empty and not _NO_SPANS.search(plain(column))

    def labels_of_spans(self, column: str) -> Iterator[str]:
        """Yield the labels of a column's spans."""
        for cell in self.cells(column):
            for span in cell if is_sequence(cell) else ():
                if isinstance(span, Mapping) and "label" in (keys := keys_of(tuple(span))):
                    yield str(span[keys["label"]])

    def keys_in(self, column: str) -> set[str]:
        """Return the keys of a column's objects."""
        objects = (cell for cell in self.cells(column) if isinstance(cell, Mapping))
        return {str(key) for cell in objects for key in cell}

    def systems(self, spans: object) -> str | None:
        """Return the column with the names of systems, of which some have several rows."""
        name = self.usual("system", _is_name)
        cells = [] if name is None else [*self.cells(name)]
        return name if _is_table(spans) or len({*cells}) < len(cells) else None

    def may_be_annotators(self, column: str) -> bool:
        """Return whether a column has several names, of annotators or of who wrote the texts."""
        named = plain(column) in (*MAYBE_ANNOTATORS, *COLUMNS["system"])
        return named and self.fits(column, _is_name) and len({*self.cells(column)}) > 1

    def people(self, column: str) -> bool:
        """Return whether a column has the spans of several annotators."""
        if f"{column}.users" in self.names:
            return True
        cells = [*self.cells(column)]
        if any(isinstance(cell, Mapping) and {*WRAPPERS} & {*cell} for cell in cells):
            return False  # an answer, with its entities
        pairs = [by_annotator(cell) for cell in cells]
        return any(pairs) and _mostly(
            pair is not None and all(s is None or _are_spans(parsed(s), True) for _, s in pair)
            for pair in pairs
        )

    def are_words(self, cell: Any) -> bool:
        """Return whether a cell is a list of texts, or in a flat table a text of words."""
        words = self.words(cell)
        return is_sequence(words) and all(isinstance(word, str) for word in words)

    def content(self, table: bool) -> dict[str, Any]:
        """Return the column of what offsets count; in a table, not that of the spans' own texts."""
        spoken = [self.given.get(what) for what in ("document", "annotator", "spans")]
        if table:
            spoken += [name for name in self.names if self._is_quote(name)]
        text = self.usual("text", lambda cell: isinstance(cell, str), spoken)
        tokens = None if text else self.usual("tokens", self.are_words)
        length = None if text or tokens else self.usual("length", _is_number)
        if not (text or tokens or length):
            text = self.blank_texts()
        return _named(text=text, tokens=tokens, length=length)

    def has_several_texts(self, document: str, text: str | None) -> bool:
        """Return whether an id is that of several texts, as of a document with many sentences."""
        if text is None:
            return False
        texts: dict[Any, Any] = {}
        rows = (row for row in self.rows if isinstance(row.get(text), str) and document in row)
        return any(texts.setdefault(row[document], row[text]) != row[text] for row in rows)

    def blank_texts(self) -> str | None:
        """Return the column of texts if all of them are blank, as those of silent documents are."""
        for name in self.names:
            cells = [row.get(name) for row in self.rows]
            is_text = plain(name) in COLUMNS["text"] and any(isinstance(c, str) for c in cells)
            if is_text and all(c is None or (isinstance(c, str) and not c.strip()) for c in cells):
                return name
        return None

    def quote(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return the column of what spans cover, in a table with a row for each of them."""
        taken = {*str(chosen["spans"]).split(","), *chosen.values()} - {None}
        left = [name for name in self.names if name not in taken and self._is_quote(name)]
        return _named(quote=next(iter(left), None))

    def _is_quote(self, column: str) -> bool:
        """Return whether a column has texts about as long as the spans beside them."""
        keys = keys_of(tuple(self.names))
        if plain(column) not in (*USUAL["text"], *COLUMNS["text"]) or "end" not in keys:
            return False
        ends = [keys["start"], keys["end"]]
        filled = (row for row in self.rows if row.get(column) is not None)
        rows = [(row[column], *(number_in(row.get(end)) for end in ends)) for row in filled]
        spans = [
            (quote, end - start)
            for quote, start, end in rows
            if is_whole(start) and is_whole(end) and start >= 0  # reading says what others are
        ]
        near = (isinstance(q, str) and abs(len(q) - size) <= _ONE_OFF for q, size in spans)
        return bool(spans) and _mostly(near)

    def document(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return the column of documents' ids; without annotators each row is another document."""
        but = [chosen.get("text"), chosen.get("annotator")]
        if "annotator" in chosen or _is_table(chosen.get("spans")):
            name = self.usual("document", _is_name, but)
            while name is not None and self.has_several_texts(name, chosen.get("text")):
                but.append(name)
                name = self.usual("document", _is_name, but)
            return _named(document=name or self.usual("document", _is_name, but[:2]))
        for name in ("id", "uid", *COLUMNS["document"]):
            for column in (
                candidate
                for candidate in self.names
                if plain(candidate) == name and candidate not in but
            ):
                cells = list(self.cells(column))
                complete = len(cells) == len(self.rows) and all(map(_is_name, cells))
                if complete and (name in ("id", "uid") or len(set(cells)) == len(cells)):
                    return {"document": column}
                self.like.append(column)
        return {}


def _named(**columns: str | None) -> dict[str, Any]:
    """Return the columns that there are."""
    return {what: column for what, column in columns.items() if column}


def _is_table(spans: object) -> bool:
    return isinstance(spans, str) and "," in spans


def _is_name(cell: Any) -> bool:
    return is_whole(cell) or (isinstance(cell, str) and bool(cell.strip()) and len(cell) < 200)


def _is_number(cell: Any) -> bool:
    return is_whole(number_in(cell))


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell)


def _is_empty(cell: Any) -> bool:
    """Return whether nothing is in a cell."""
    return _is_missing(cell) or (isinstance(cell, (str, Mapping, *_LISTS)) and length_of(cell) == 0)


def _is_list(cell: Any) -> bool:
    return isinstance(cell, Mapping) or is_sequence(cell)


def _mostly(fit: Iterable[bool]) -> bool:
    fit = list(fit)
    return 2 * sum(fit) > len(fit)


def _is_outside(tag: Any, names: Sequence[str] | None) -> bool:
    """Return whether something is ``O``, or stands for it, or for no tag."""
    if is_whole(tag) and names is not None and 0 <= tag < len(names):
        return names[tag] == "O"
    return tag == "O" or is_ignored(tag)


def is_tag(tag: Any, names: Sequence[str] | None) -> bool:
    """Return whether something is a tag, or the number of one of some names."""
    if is_whole(tag) and names is not None:
        return 0 <= tag < len(names) and bool(_TAG.fullmatch(names[tag]))
    return isinstance(tag, str) and bool(_TAG.fullmatch(tag))


def _are_spans(cell: Any, speaks: bool) -> bool:
    """Return whether something is a list of spans; pairs of numbers, where the name ``speaks``."""
    if isinstance(cell, Mapping):
        return {"start", "end"} <= keys_of(tuple(cell)).keys()
    return is_sequence(cell) and all(_is_span(span, speaks) for span in cell)


def _has_names(part: Any) -> bool:
    """Return whether a part of a cell has what may be a quote, or the name of something else."""
    keys = [keys_of(tuple(span)) for span in part if isinstance(span, Mapping)]
    return any(plain(key.get("text", "")) in NAMES for key in keys)


def _is_span(span: Any, speaks: bool) -> bool:
    if isinstance(span, Mapping):
        keys = keys_of(tuple(span))
        is_placed = "start" in keys and ("end" in keys or "text" in keys)
        is_quote = {"text", "label"} <= keys.keys() and isinstance(span[keys["text"]], str)
        return is_placed or is_quote
    if not is_sequence(span) or len(span) not in (2, 3):
        return False
    numbers = all(map(is_whole, span[:2]))
    return numbers and (isinstance(span[-1], str) if len(span) == 3 else speaks)
