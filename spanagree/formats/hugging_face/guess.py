"""Guesses of the columns of rows, by their names and by the values in the first rows.

A *cell* is the value of a column in a row; its *entries* are the elements of a list. A *use* is an
option of :func:`spanagree.formats.from_dataset` that names a column, such as ``text``.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice
from typing import Any

import numpy as np

from spanagree.corpus.offsets import cuts_word
from spanagree.corpus.tags import USUAL_OUTSIDE, is_ignored
from spanagree.errors import InputError, count_entries, is_integer, join_names
from spanagree.formats.hugging_face.columns import (
    find_label_names,
    get_cell,
    has_column,
    parse_integer,
    parse_words,
)
from spanagree.formats.hugging_face.spans import (
    WRAPPERS,
    are_spans_by_label,
    collect_quotes,
    collect_quotes_by_label,
    has_no_label,
    is_sequence,
    parse_cell,
    split_by_annotator,
)
from spanagree.formats.tagged_copies import remove_tags
from spanagree.formats.usual_names import (
    COLUMNS,
    MARKED,
    MAYBE_ANNOTATORS,
    NAMES,
    USUAL,
    find_span_keys,
    simplify_name,
)

NAMELESS = frozenset((*COLUMNS["spans"], *COLUMNS["tags"], "hardlabels", "softlabels"))
"""Names of columns that are not names of annotators."""

LOOKED_AT = 50
"""Number of first rows for guesses; later rows are used if they fill an empty column."""

SEARCHED = 10_000
"""Number of rows that are searched for entries of empty columns."""

_TAG = re.compile(r"O|[BIESLUMW]-.+")
_SPAN_NAMES = re.compile("span|label|annot|entit|^ents|^ner|highl|gold|pred|error")
_QUOTE_NAMES = re.compile("span|label|annot|entit|^ents|^ner|highl|gold|pred|error|answer|output")
_NO_SPANS = re.compile(
    "relation|link|event|coref|cluster|comment|note|key|topic|tag|cat|meta|option|accept|token|word"
    "|sent|hist|image|url|attr|group|choice|feature|label|score"
)
_NO_LABELS = frozenset(("tag", "v", "span", "mark", "error", "err", "e", "em", "b", "highlight"))
_ONE_OFF = 1  # difference for inclusive ends, or a blank at an edge
_OTHER_KIND = re.compile(r"pos|chunk|nested|fine|xpos|upos|lemma")
_MIN_SHARED, _MIN_RATIO = 3, 2  # tokens in segments of another column; its further tokens
_LISTS = (list, tuple, np.ndarray)
_Fits = Callable[[Any], bool]


def guess_columns(
    data: Iterable[Any],
    named_columns: Mapping[str, Any],
    prefix: str = "",
    outside: Sequence[str] = (),
    *,
    strings: bool = False,
) -> tuple[dict[str, Any], list[str]]:
    """Guess the columns that the user did not name, from the first rows.

    Args:
        data: the rows.
        named_columns: columns that the user named, by option of ``from_dataset``.
        prefix: prefix of messages, with the file.
        outside: tags that are equal to ``O``.
        strings: True if quotes need no text; a column with lists of them under labels is read.

    Returns:
        The guessed columns by option, and columns that may have spans and are not read.

    Raises:
        InputError: if the columns are ambiguous.
    """
    is_layer_named = bool(named_columns.keys() & {"tags", "spans"})
    rows = _select_first_rows(data, LOOKED_AT if is_layer_named else SEARCHED)
    properties = getattr(data, "features", None), getattr(data, "flat", False)
    columns = (
        rows_guess := _Guess(data, rows, named_columns, *properties, prefix, outside, strings)
    ).guess_all_columns()
    spans = columns.get("spans", {})
    read_columns = [spans] if isinstance(spans, str) else list(spans.values())
    read_columns += columns.get("tags", {}).values()
    read_names = {*read_columns, *(str(name).partition(".")[0] for name in read_columns)}
    return columns, [
        name
        for name in dict.fromkeys(rows_guess.span_like)
        if read_columns and name not in read_names
    ]


def _select_first_rows(data: Iterable[Any], n_searched: int) -> list[Mapping[str, Any]]:
    """Select the first rows, and later rows that fill a column which is empty in these.

    An annotator who began late has entries in later rows only, up to ``n_searched``.
    """
    rows: list[Mapping[str, Any]] = []
    filled_columns: set[str] = set()
    for row_index, row in enumerate(islice(data, n_searched)):
        if isinstance(row, Mapping):
            newly_filled = {key for key in row.keys() - filled_columns if not _is_empty(row[key])}
            filled_columns |= newly_filled
            if newly_filled or row_index < LOOKED_AT:
                rows.append(row)
    return rows


class _Guess:
    """First rows, and the names of their columns and of the keys in their objects."""

    def __init__(
        self,
        data: Iterable[Any],
        rows: Sequence[Mapping[str, Any]],
        named_columns: Mapping[str, Any],
        features: Any,
        is_text: bool,
        prefix: str,
        outside: Sequence[str],
        strings: bool,
    ) -> None:
        self.data = data
        self.rows, self.named, self.features, self.prefix = rows, named_columns, features, prefix
        self.is_text, self.strings = is_text, strings
        self.words: Callable[[Any], Any] = parse_words if is_text else lambda cell: cell
        pairs = [(str(key), value) for row in rows for key, value in row.items()]
        self.names = list(dict.fromkeys(name for name, _ in pairs))
        nested_names = [
            f"{column}.{key}"
            for column, cell in pairs
            if isinstance(cell, Mapping)
            for key in cell
            if isinstance(key, str)
        ]
        self.nested_names = list(dict.fromkeys(nested_names))
        self.outside = frozenset(outside)
        self.span_like: list[str] = []  # columns that may have spans

    def yield_cells(self, column: str) -> Iterator[Any]:
        """Yield the cells of a column that are not empty, parsed if they are text."""
        for row in self.rows:
            try:
                cell = get_cell(row, column)
            except KeyError:
                continue
            if not _is_missing(cell) and not (isinstance(cell, str) and not cell.strip()):
                yield parse_cell(cell)

    def meets_condition(self, column: str, fit: _Fits) -> bool:
        """Check whether all entries of a column meet a condition, and there is an entry."""
        cells = list(self.yield_cells(column))
        return bool(cells) and all(map(fit, cells))

    @cached_property
    def _columns_by_plain_name(self) -> dict[tuple[bool, str], list[str]]:
        """Columns by the plain form of their last name, and whether they are in an object."""
        called: dict[tuple[bool, str], list[str]] = {}
        for is_inner, names in enumerate((self.names, self.nested_names)):
            for name in names:
                key = bool(is_inner), simplify_name(name.rpartition(".")[2])
                called.setdefault(key, []).append(name)
        return called

    def find_usual_column(
        self, use: str, fit: _Fits, excluded: Sequence[object] = ()
    ) -> str | None:
        """Find the first column with a usual name and suitable entries.

        Args:
            use: use of the column.
            fit: condition that all entries meet; ids of documents have their own.
            excluded: columns to leave out.
        """
        for usual_name in COLUMNS[use]:
            if use == "document":
                fit = _choose_id_condition(usual_name)
            nested = (
                self._columns_by_plain_name.get((True, usual_name), ())
                if use == "annotator"
                else ()
            )
            for name in (*self._columns_by_plain_name.get((False, usual_name), ()), *nested):
                if name not in excluded and self.meets_condition(name, fit):
                    return name
        return None

    def guess_all_columns(self) -> dict[str, Any]:
        """Guess the columns that the user did not name, by use; empty if no column has marks."""
        guessed_columns: dict[str, Any] = {}
        columns = ChainMap(guessed_columns, dict(self.named))
        if not self.named.keys() & {"tags", "spans"}:
            guessed_columns |= self.guess_layers()
            if not guessed_columns:
                return {}
        spans = columns.get("spans")
        copied_text = self.find_copied_text_column(spans) if isinstance(spans, str) else None
        span_columns = [*spans.values()] if isinstance(spans, Mapping) else [str(spans)]
        if not columns.keys() & {"text", "tokens", "length"}:
            guessed_columns |= (
                self.guess_text_column(_is_table(spans), span_columns)
                if copied_text is None
                else {"text": copied_text}
            )
        if copied_text is not None and self.is_text:
            guessed_columns |= _drop_none(label=self.find_label_column(str(spans)))
        if copied_text is None and isinstance(spans, (str, Mapping)) and not _is_table(spans):
            labels = {name: self.find_parallel_labels(name, span_columns) for name in span_columns}
            if found := {name: column for name, column in labels.items() if column}:
                guessed_columns["labels"] = found
        may_have_annotators = "annotator" not in columns and isinstance(spans, str)
        if may_have_annotators and (
            _is_table(spans)
            or not self.has_annotators(str(spans))
            or self.meets_condition(str(spans), are_spans_by_label)
        ):
            guessed_columns |= _drop_none(
                annotator=self.find_usual_column("annotator", _is_name)
                or self.find_system_column(spans)
                or self.find_several_names_column(columns)
            )
        if "annotator" not in columns and isinstance(spans, str):
            self.span_like += [name for name in self.names if self.may_have_annotators(name)]
        if _is_table(spans) and "quote" not in columns and "tokens" not in columns:
            guessed_columns |= self.guess_quote_column(columns)
        has_rows = columns.keys() & {"annotator", "spans", "tags"}
        if "document" not in columns and (
            has_rows or self.strings
        ):  # no text distinguishes documents
            guessed_columns |= self.guess_document_column(columns)
        return guessed_columns

    def guess_layers(self) -> dict[str, Any]:
        """Guess the columns of spans, or of tags and their tokens, by use."""
        own_columns = {
            name.partition(":")[2]: name for name in self.names if name.startswith("spans:")
        }
        if own_columns:
            return {"spans": own_columns}
        keys = find_span_keys(tuple(self.names))
        bounds = [keys[key] for key in ("start", "end", "label") if key in keys]
        if {"start", "end"} <= keys.keys() and all(map(self.has_mostly_numbers, bounds[:2])):
            return {"spans": ",".join(bounds)}
        tokens = self.named.get("tokens") or self.find_usual_column("tokens", self.has_words)
        if tokens and not self.named.keys() & {"text", "annotator"}:
            tags = [name for name in self.names if self.has_mostly_tags(name, tokens)]
            if tags:
                layer_columns = self.select_tags_with_shared_labels(tags)
                self.span_like += [name for name in self.names if self.may_have_tags(name, tokens)]
                return {"tags": {name: name for name in layer_columns}, "tokens": tokens}
        return self.guess_lists(tokens) or self.guess_uneven_tags(tokens)

    def guess_uneven_tags(self, tokens: str | None) -> dict[str, Any]:
        """Guess the columns of tags of which no row has one for each token; reading refuses them.

        Args:
            tokens: column of tokens, if there is one.
        """
        if tokens is None or self.named.keys() & {"text", "annotator"}:
            return {}
        columns = [name for name in self.names if self.has_uneven_tags(name, tokens)]
        return {"tags": {name: name for name in columns}, "tokens": tokens} if columns else {}

    def guess_lists(self, tokens: str | None) -> dict[str, Any]:
        """Guess the columns of lists of spans, or of answers that quote the text.

        Raises:
            InputError: if there are only labels of ``tokens``, without prefixes.
        """
        candidates = [name for name in self.names if self.has_mostly_spans(name)]
        self.span_like = [name for name in self.names if name in candidates or self.has_spans(name)]
        span_columns = [name for name in candidates if self.has_span_lists(name)]
        if any(
            simplify_name(name) not in NAMELESS for name in span_columns
        ):  # each column is an annotator
            span_columns = [
                name
                for name in candidates
                if name in span_columns or self.has_only_empty_lists(name)
            ]
        span_columns = self.select_columns_of_one_text(span_columns)
        labels = {label for name in span_columns for label in self.yield_span_labels(name)}
        with_annotators = [name for name in self.names if self.has_annotators(name)]
        annotator_columns = [
            name for name in with_annotators if labels.isdisjoint(self.collect_keys(name))
        ]
        self.span_like += [
            name for name in with_annotators if name not in annotator_columns
        ]  # columns with spans by label
        quote_columns = [
            name for name in self.names if self.has_quotes(name) or self.has_copies(name)
        ]
        self.span_like += [name for name in quote_columns if name not in self.span_like]
        quote_columns = [
            name for name in quote_columns if self.suggests_quotes(name) or self.has_copies(name)
        ]
        if len(annotator_columns) > 1 and all(
            self.meets_condition(name, are_spans_by_label) for name in annotator_columns
        ):  # each column is an annotator, with spans under their labels
            return {"spans": {name: name for name in annotator_columns}}
        if annotator_columns:
            return {"spans": annotator_columns[0]}
        span_columns = span_columns or quote_columns
        if not span_columns:  # a dump of a model's answer may have lists in an object
            nested = [name for name in self.nested_names if self.has_mostly_spans(name)]
            span_columns = [
                name for name in nested if self.has_span_lists(name) and any(self.yield_cells(name))
            ]
        label_columns = [
            name for name in self.names if tokens and self.has_token_labels(name, tokens)
        ]
        if label_columns and not span_columns:
            raise InputError(
                f"{self.prefix}column {label_columns[0]} has a label for each token, without a"
                " prefix such"
                f" as B-; --tokens {tokens} --tags gold={label_columns[0]} --scheme IO (tokens=,"
                " tags=,"
                " scheme=) reads them"
            )
        if len(span_columns) == 1:
            return {"spans": span_columns[0]}
        if span_columns and self.find_usual_column("annotator", _is_name):
            ranks = {name: rank for rank, name in enumerate(COLUMNS["spans"])}
            return {
                "spans": min(
                    span_columns, key=lambda name: ranks.get(simplify_name(name), len(ranks))
                )
            }
        return {"spans": {name: name for name in span_columns}} if span_columns else {}

    def select_columns_of_one_text(self, columns: list[str]) -> list[str]:
        """Select the columns with spans in the text that is read.

        Names show to which text spans belong: ``source_errors`` are not in ``target``.

        Raises:
            InputError: if spans are in several texts, and the user named no text.
        """
        texts = [
            name
            for name in self.names
            if self.meets_condition(name, lambda cell: isinstance(cell, str))
        ]
        text_by_column = {
            column: text
            for column in columns
            for text in texts
            if re.search(
                rf"^{re.escape(simplify_name(text))}.|.{re.escape(simplify_name(text))}$",
                simplify_name(column),
            )
        }
        named_text = self.named.get("text")
        if len(set(text_by_column.values()) | {named_text} - {None}) < 2:
            return columns
        if named_text is not None:
            return [name for name in columns if text_by_column.get(name, named_text) == named_text]
        listing = "; ".join(f"{column}: {text}" for column, text in text_by_column.items())
        column, text = list(text_by_column.items())[-1]
        raise InputError(
            f"{self.prefix}columns of spans in several texts ({listing}); name one text and its"
            f" spans: --text {text} --spans {column} (text=, spans=)"
        )

    def select_tags_with_shared_labels(self, columns: list[str]) -> list[str]:
        """Select the columns of tags with labels in common, as layers.

        Columns with names of another kind of tags, such as chunks, are left out.

        Raises:
            InputError: if columns have tags of several kinds, such as two levels of nested names.
        """
        tag_columns = [name for name in columns if not _OTHER_KIND.search(name.lower())] or columns
        self.span_like += [name for name in columns if name not in tag_columns]
        labels = {name: self.collect_labels(name) for name in tag_columns}
        dissimilar = [
            (first, second)
            for first, second in combinations(tag_columns, 2)
            if (labels[first] and labels[second] and not labels[first] & labels[second])
            or self.is_nested(first, second)
            or self.is_nested(second, first)
        ]
        if not dissimilar:
            return tag_columns
        listing = "; ".join(
            f"{name}: {join_names(sorted(labels[name])) or 'O alone'}" for name in tag_columns
        )
        raise InputError(
            f"{self.prefix}columns of tags of several kinds ({listing}); say which are annotators"
            " to"
            f" compare: --tags gold={tag_columns[-1]} (tags=), or --tags"
            f" gold={tag_columns[0]},mine={tag_columns[-1]}"
        )

    def yield_tags(self, column: str) -> Iterator[list[str]]:
        """Yield the tags of a column in each row; label ids become names."""
        names = find_label_names(self.features, column, None) or []
        for row in self.rows:
            words = self.words(row.get(column))
            if is_sequence(words):
                yield [
                    names[tag] if is_integer(tag) and 0 <= tag < len(names) else str(tag)
                    for tag in words
                ]

    def collect_labels(self, column: str) -> set[str]:
        """Collect the labels of a column's tags."""
        return {tag[2:] for tags in self.yield_tags(column) for tag in tags if tag[1:2] == "-"}

    def is_nested(self, inner: str, outer: str) -> bool:
        """Check whether column ``inner`` marks only tokens that ``outer`` marks, and fewer."""
        is_marked = [
            [[tag[1:2] == "-" for tag in tags] for tags in self.yield_tags(column)]
            for column in (inner, outer)
        ]
        if len(is_marked[0]) != len(is_marked[1]):
            return False
        pairs = [
            pair
            for inner_row, outer_row in zip(*is_marked, strict=True)
            for pair in zip(inner_row, outer_row, strict=False)
        ]
        n_in_both, n_in_inner, n_in_outer = (
            pairs.count(pattern) for pattern in ((True, True), (True, False), (False, True))
        )
        return n_in_both >= _MIN_SHARED and not n_in_inner and n_in_outer > _MIN_RATIO * n_in_both

    def has_mostly_numbers(self, column: str) -> bool:
        """Check whether most entries of a column are numbers; true for an empty column.

        Reading raises errors of the other entries.
        """
        cells = [*self.yield_cells(column)]
        return not cells or _are_mostly_true(map(_is_number, cells))

    def has_copies(self, column: str) -> bool:
        """Check whether a column has copies of another column's text, with tags in them."""
        return self.find_copied_text_column(column) is not None

    def find_copied_text_column(self, column: str) -> str | None:
        """Find the column of the plain text, if another column has copies of it with tags."""
        for row in self.rows:
            cell = row.get(column)
            if isinstance(cell, str) and (untagged := remove_tags(cell)) != cell:
                for name, text in row.items():
                    is_text = name != column and isinstance(text, str)
                    if is_text and text.strip() == untagged.strip():
                        return str(name)
        return None

    def find_label_column(self, column: str) -> str | None:
        """Find the column with the labels of marked copies, if the tags in them are no labels.

        Each row then marks one error or entity.
        """
        cells = " ".join(cell for cell in self.yield_cells(column) if isinstance(cell, str))
        if not {match[1].lower() for match in MARKED.finditer(cells)} <= _NO_LABELS:
            return None
        names = (
            name for usual in USUAL["label"] for name in self.names if simplify_name(name) == usual
        )
        return next((name for name in names if self.meets_condition(name, _is_name)), None)

    def find_parallel_labels(self, column: str, span_columns: Sequence[str]) -> str | None:
        """Find the column with a list of labels for a list of spans that have none.

        Beside several columns of spans, it has the name of its own, such as ``gold_labels``.
        """
        rows = [row for row in self.rows if has_column(row, column)]
        cells = [(row, parse_cell(get_cell(row, column))) for row in rows]
        spans_by_row = [(row, spans) for row, spans in cells if spans is not None]
        if not all(
            is_sequence(spans) and all(map(has_no_label, spans)) for _, spans in spans_by_row
        ):
            return None
        others = [name for name in self.names if name not in span_columns]
        if len(span_columns) > 1:
            own_name = simplify_name(column)
            others = [name for name in others if own_name in simplify_name(name)]
        candidates = [
            name
            for name in others
            if _are_labels([(parse_cell(row.get(name)), len(spans)) for row, spans in spans_by_row])
        ]
        usual = [name for name in candidates if simplify_name(name) in USUAL["label"]]
        return next(iter(usual or candidates), None)

    def has_quotes(self, column: str) -> bool:
        """Check whether a column has lists of strings of the text, alone or with labels.

        If there is no text, the name of the column decides.
        """
        text_column = self.named.get("text") or self.find_usual_column(
            "text", lambda cell: isinstance(cell, str)
        )
        text = None if text_column is None else str(text_column)
        tokens = self.named.get("tokens") or self.find_usual_column("tokens", self.has_words)
        if tokens and (self.is_parallel(column, tokens) or self.has_uneven_tags(column, tokens)):
            return False
        name = simplify_name(column)
        if "token" in name or name in COLUMNS["tokens"] or not list(self.yield_cells(column)):
            return False
        n_quotes = n_found = n_invalid = 0
        for row in self.rows:
            quotes = collect_quotes(row.get(column, []))
            if quotes is None:  # reading raises the error
                n_invalid += 1
                continue
            n_quotes += len(quotes)
            n_found += sum(quote in str(row.get(text or "")) for quote in quotes)
        if 2 * n_invalid >= len(self.rows):
            return False
        if text is None and not self.suggests_quotes(column):
            return False
        return n_quotes > 0 and (text is None or 2 * n_found > n_quotes)

    def suggests_quotes(self, column: str) -> bool:
        """Check whether the name of a column suggests quotes; for strings, also labels do."""
        if _QUOTE_NAMES.search(simplify_name(column)):
            return True
        cells = [*self.yield_cells(column)] if self.strings else []
        return any(isinstance(cell, Mapping) and collect_quotes_by_label(cell) for cell in cells)

    def is_parallel(self, column: str, tokens: str) -> bool:
        """Check whether most rows of a column have an entry for each token.

        Rows with a single token each are another format.
        """
        pairs = [
            (self.words(row.get(tokens)), self.words(row.get(column)))
            for row in self.rows
            if not _is_missing(row.get(column))
        ]
        list_pairs = [pair for pair in pairs if all(is_sequence(cell) for cell in pair)]
        if not list_pairs or (
            self.words is parse_words and all(len(words) == 1 for words, _ in list_pairs)
        ):
            return False
        n_equal = sum(len(words) == len(entries) for words, entries in list_pairs)
        return 2 * n_equal > len(pairs) and column != tokens

    def yield_entries(self, column: str) -> Iterator[Any]:
        """Yield the entries of the lists in a column."""
        for row in self.rows:
            words = self.words(row.get(column))
            if is_sequence(words):
                yield from words

    def has_mostly_tags(self, column: str, tokens: str) -> bool:
        """Check whether a column has an entry for each token, and most except ``O`` are tags."""
        if not self.is_parallel(column, tokens):
            return False
        names = find_label_names(self.features, column, None)
        is_tag_entry, may_be_outside = [], False
        for tag in self.yield_entries(column):
            if _is_outside(tag, names) or (isinstance(tag, str) and tag in self.outside):
                continue
            if isinstance(tag, str) and tag.upper() in USUAL_OUTSIDE:  # reading has a note
                may_be_outside = True
            else:
                is_tag_entry.append(is_tag(tag, names))
        return _are_mostly_true(is_tag_entry) if is_tag_entry else not may_be_outside

    def has_uneven_tags(self, column: str, tokens: str) -> bool:
        """Check whether a column has tags alone, in a number other than that of tokens.

        A quote such as ``E-mail`` looks like a tag, but stands in the tokens.
        """
        rows = [
            (words, entries)
            for row in self.rows
            if is_sequence(words := self.words(row.get(tokens)))
            and is_sequence(entries := self.words(row.get(column)))
        ]
        if column == tokens or all(len(words) == len(entries) for words, entries in rows):
            return False
        names = find_label_names(self.features, column, None)
        tags = [tag for _, entries in rows for tag in entries]
        if not all(is_tag(tag, names) or _is_outside(tag, names) for tag in tags):
            return False
        marks = [tag for tag in tags if not _is_outside(tag, names)]
        may_be_outside = bool(tags) and simplify_name(column) in COLUMNS["tags"]
        is_quoted = any(_stands_in(marks, words) for words, _ in rows)
        return (bool(marks) or may_be_outside) and not is_quoted

    def may_have_tags(self, column: str, tokens: str) -> bool:
        """Check whether a column has any tags, or numbers and a name that suggests tags."""
        entries = [*self.yield_entries(column)]
        suggests_tags = bool(_SPAN_NAMES.search(simplify_name(column)))
        are_label_ids = (
            suggests_tags and self.is_parallel(column, tokens) and all(map(is_integer, entries))
        )
        return are_label_ids or any(is_tag(entry, None) and entry != "O" for entry in entries)

    def has_token_labels(self, column: str, tokens: str) -> bool:
        """Check whether a column has a label for each token, without a prefix, or ``O``."""
        names = find_label_names(self.features, column, None)
        if not self.is_parallel(column, tokens) or "O" not in (
            names or [*self.yield_entries(column)]
        ):
            return False
        is_valid = (
            is_integer
            if names
            else lambda entry: isinstance(entry, str) and (entry == "O" or not is_tag(entry, None))
        )
        return all(map(is_valid, self.yield_entries(column)))

    def has_span_lists(self, column: str) -> bool:
        """Check whether a column has lists of spans; probabilities of annotators have no labels."""
        cells = [*filter(_is_list, self.yield_cells(column))]
        has_probabilities = any(
            isinstance(span, Mapping)
            and "prob" in span
            and "label" not in find_span_keys(tuple(span))
            for cell in cells
            for span in cell
        )
        suggests_spans = bool(_SPAN_NAMES.search(simplify_name(column)))
        return not has_probabilities and (suggests_spans or any(len(cell) for cell in cells))

    def has_mostly_spans(self, column: str) -> bool:
        """Check whether most cells of a column are lists, and most entries are spans.

        Lists without entries are allowed. Reading raises errors of the other entries.
        """
        name = simplify_name(column)
        cells = [*self.yield_cells(column)]
        if name == "tokens" or not _are_mostly_true(map(_is_list, cells)):
            return False
        elements = [
            [entry] if is_sequence(cell) else entry
            for cell in filter(_is_list, cells)
            for entry in (cell if is_sequence(cell) else [cell])
        ]
        if not _QUOTE_NAMES.search(name) and any(map(_has_names, elements)):
            return False
        is_span_list = [_are_spans(element, bool(_SPAN_NAMES.search(name))) for element in elements]
        return not is_span_list or _are_mostly_true(is_span_list)

    def has_spans(self, column: str) -> bool:
        """Check whether any cell of a column is a list of spans, or has one in an object."""
        cells = [*self.yield_cells(column)]
        nested_values = [
            value for cell in cells if isinstance(cell, Mapping) for value in cell.values()
        ]
        return any(
            is_sequence(value) and len(value) and _are_spans(value, False)
            for value in (*cells, *nested_values)
        )

    def has_only_empty_lists(self, column: str) -> bool:
        """Check whether all lists of a column are empty, and its name suggests nothing else."""
        are_empty = all(count_entries(cell) == 0 for cell in self.yield_cells(column))
        return are_empty and not _NO_SPANS.search(simplify_name(column))

    def yield_span_labels(self, column: str) -> Iterator[str]:
        """Yield the labels of a column's spans."""
        for cell in self.yield_cells(column):
            for span in cell if is_sequence(cell) else ():
                if isinstance(span, Mapping) and "label" in (keys := find_span_keys(tuple(span))):
                    yield str(span[keys["label"]])

    def collect_keys(self, column: str) -> set[str]:
        """Collect the keys of a column's objects."""
        objects = (cell for cell in self.yield_cells(column) if isinstance(cell, Mapping))
        return {str(key) for cell in objects for key in cell}

    def find_system_column(self, spans: object) -> str | None:
        """Find the column with the names of systems; a system has several rows."""
        name = self.find_usual_column("system", _is_name)
        cells = [] if name is None else [*self.yield_cells(name)]
        return name if _is_table(spans) or len({*cells}) < len(cells) else None

    def find_several_names_column(self, columns: Mapping[str, Any]) -> str | None:
        """Find the column with several names in a document, as a text has one author at most."""
        document = columns.get("document") or self.find_shared_id_column(columns)
        if document not in self.names or not self.meets_condition(document, _is_name):
            return None
        for name in (*self.names, *self.nested_names):
            if simplify_name(name.rpartition(".")[2]) not in MAYBE_ANNOTATORS:
                continue
            name_of: dict[Any, Any] = {}
            rows = (row for row in islice(self.data, SEARCHED) if isinstance(row, Mapping))
            pairs = (
                (row.get(document), get_cell(row, name)) for row in rows if has_column(row, name)
            )
            if any(
                name_of.setdefault(id_, person) != person
                for id_, person in pairs
                if _is_name(id_) and _is_name(person)
            ):
                return name
        return None

    def may_have_annotators(self, column: str) -> bool:
        """Check whether a column has several names, of annotators or of authors of the texts."""
        has_usual_name = simplify_name(column) in (*MAYBE_ANNOTATORS, *COLUMNS["system"])
        return (
            has_usual_name
            and self.meets_condition(column, _is_name)
            and len({*self.yield_cells(column)}) > 1
        )

    def has_annotators(self, column: str) -> bool:
        """Check whether a column has the spans of several annotators."""
        if f"{column}.users" in self.names:
            return True
        cells = [*self.yield_cells(column)]
        if any(isinstance(cell, Mapping) and {*WRAPPERS} & {*cell} for cell in cells):
            return False  # an answer, with its entities
        pairs = [split_by_annotator(cell) for cell in cells]
        return any(pairs) and _are_mostly_true(
            pair is not None
            and all(spans is None or _are_spans(parse_cell(spans), True) for _, spans in pair)
            for pair in pairs
        )

    def has_words(self, cell: Any) -> bool:
        """Check whether a cell is a list of texts, or in a table of text has words."""
        words = self.words(cell)
        return is_sequence(words) and all(isinstance(word, str) for word in words)

    def _are_token_offsets(self, text: str, tokens: str, columns: Sequence[str]) -> bool:
        """Check whether offsets count tokens: all fit these, and most would cut words of a text.

        Args:
            text, tokens: columns of the text and of its tokens.
            columns: columns of lists of spans.
        """
        cuts: list[bool] = []
        for row in self.rows:
            content, words = row.get(text), self.words(row.get(tokens))
            cells = [parse_cell(get_cell(row, name)) for name in columns if has_column(row, name)]
            for span in (span for cell in cells if is_sequence(cell) for span in cell):
                start, end = _get_offsets(span)
                if is_integer(start) and is_integer(end) and isinstance(content, str):
                    if not is_sequence(words) or end > len(words):
                        return False
                    cuts.append(cuts_word(content, start, end))
        return _are_mostly_true(cuts)

    def guess_text_column(self, is_table: bool, spans: Sequence[str] = ()) -> dict[str, Any]:
        """Guess the column that offsets refer to; in a table, not the column of spans' texts.

        ``spans`` are the columns of lists of spans.
        """
        excluded = [self.named.get(option) for option in ("document", "annotator", "spans")]
        if is_table:
            excluded += [name for name in self.names if self._is_quote(name)]
        text = self.find_usual_column("text", lambda cell: isinstance(cell, str), excluded)
        tokens = self.find_usual_column("tokens", self.has_words)
        if text and tokens:
            text, tokens = (
                (None, tokens) if self._are_token_offsets(text, tokens, spans) else (text, None)
            )
        length = None if text or tokens else self.find_usual_column("length", _is_number)
        if not (text or tokens or length):
            text = self.find_blank_text_column()
        return _drop_none(text=text, tokens=tokens, length=length)

    def has_several_texts(self, document: str, text: str | None) -> bool:
        """Check whether several texts share an id, as the sentences of a document do."""
        if text is None:
            return False
        texts: dict[Any, Any] = {}
        rows = (row for row in self.rows if isinstance(row.get(text), str) and document in row)
        return any(texts.setdefault(row[document], row[text]) != row[text] for row in rows)

    def find_blank_text_column(self) -> str | None:
        """Find the column of texts if all of them are blank, as in silent documents."""
        for name in self.names:
            cells = [row.get(name) for row in self.rows]
            is_text = simplify_name(name) in COLUMNS["text"] and any(
                isinstance(cell, str) for cell in cells
            )
            if is_text and all(
                cell is None or (isinstance(cell, str) and not cell.strip()) for cell in cells
            ):
                return name
        return None

    def guess_quote_column(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Guess the column of the texts that spans cover, in a table with a row for each span."""
        used_columns = {*str(columns["spans"]).split(","), *columns.values()} - {None}
        candidates = [
            name for name in self.names if name not in used_columns and self._is_quote(name)
        ]
        return _drop_none(quote=next(iter(candidates), None))

    def _is_quote(self, column: str) -> bool:
        """Check whether a column has texts about as long as the spans in the same rows."""
        keys = find_span_keys(tuple(self.names))
        if simplify_name(column) not in (*USUAL["text"], *COLUMNS["text"]) or "end" not in keys:
            return False
        ends = [keys["start"], keys["end"]]
        filled_rows = (row for row in self.rows if row.get(column) is not None)
        rows = [
            (row[column], *(parse_integer(row.get(end)) for end in ends)) for row in filled_rows
        ]
        spans = [
            (quote, end - start)
            for quote, start, end in rows
            if is_integer(start)
            and is_integer(end)
            and start >= 0  # reading raises errors of other entries
        ]
        is_near = (
            isinstance(quote, str) and abs(len(quote) - size) <= _ONE_OFF for quote, size in spans
        )
        return bool(spans) and _are_mostly_true(is_near)

    def find_shared_id_column(self, columns: Mapping[str, Any]) -> str | None:
        """Find the column of ids that rows may share, and texts do not."""
        excluded = [columns.get("text"), columns.get("annotator")]
        name = self.find_usual_column("document", _is_name, excluded)
        while name is not None and self.has_several_texts(name, columns.get("text")):
            excluded.append(name)
            name = self.find_usual_column("document", _is_name, excluded)
        return name

    def guess_document_column(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Guess the column of documents' ids; without annotators each row is a document."""
        excluded = [columns.get("text"), columns.get("annotator")]
        if "annotator" in columns or _is_table(columns.get("spans")):
            return _drop_none(
                document=self.find_shared_id_column(columns)
                or self.find_usual_column("document", _is_name, excluded)
            )
        for name in ("id", "uid", *COLUMNS["document"]):
            for column in (
                candidate
                for candidate in self.names
                if simplify_name(candidate) == name and candidate not in excluded
            ):
                cells = list(self.yield_cells(column))
                is_id = _choose_id_condition(name)
                is_complete = len(cells) == len(self.rows) and all(map(is_id, cells))
                if is_complete and (name in ("id", "uid") or len(set(cells)) == len(cells)):
                    return {"document": column}
                self.span_like.append(column)
        return {}


def _drop_none(**columns: str | None) -> dict[str, Any]:
    """Drop the columns that are `None`."""
    return {use: column for use, column in columns.items() if column}


def _is_table(spans: object) -> bool:
    """Check whether the option of spans names columns of a table, separated by a comma."""
    return isinstance(spans, str) and "," in spans


def _is_name(cell: Any) -> bool:
    """Check whether a cell may be a name or an id: an integer, or a short text."""
    return is_integer(cell) or (isinstance(cell, str) and bool(cell.strip()) and len(cell) < 200)


def _choose_id_condition(name: str) -> _Fits:
    """Choose the condition of ids in a column: of any length, such as URLs, if it is called so.

    A column that is called ``document`` or ``file`` may have the text.
    """
    return _is_id if name.endswith("id") else _is_name


def _is_id(cell: Any) -> bool:
    """Check whether a cell may be an id: an integer, or a text that is not blank."""
    return is_integer(cell) or (isinstance(cell, str) and bool(cell.strip()))


def _is_number(cell: Any) -> bool:
    """Check whether a cell is an integer, or the text of one."""
    return is_integer(parse_integer(cell))


def _is_missing(cell: Any) -> bool:
    """Check whether a cell is empty: ``None`` or ``nan``."""
    return cell is None or (isinstance(cell, float) and cell != cell)


def _is_empty(cell: Any) -> bool:
    """Check whether a cell is empty."""
    return _is_missing(cell) or (
        isinstance(cell, (str, Mapping, *_LISTS)) and count_entries(cell) == 0
    )


def _is_list(cell: Any) -> bool:
    """Check whether a cell is a sequence or a mapping."""
    return isinstance(cell, Mapping) or is_sequence(cell)


def _are_mostly_true(conditions: Iterable[bool]) -> bool:
    """Check whether more than half of the conditions are true."""
    conditions = list(conditions)
    return 2 * sum(conditions) > len(conditions)


def _is_outside(tag: Any, names: Sequence[str] | None) -> bool:
    """Check whether a value is ``O``, its label id, or a missing tag."""
    if is_integer(tag) and names is not None and 0 <= tag < len(names):
        return names[tag] == "O"
    return tag == "O" or is_ignored(tag)


def is_tag(tag: Any, names: Sequence[str] | None) -> bool:
    """Check whether a value is a tag, or the label id of a tag."""
    if is_integer(tag) and names is not None:
        return 0 <= tag < len(names) and bool(_TAG.fullmatch(names[tag]))
    return isinstance(tag, str) and bool(_TAG.fullmatch(tag))


def _are_spans(cell: Any, suggests_spans: bool) -> bool:
    """Check whether a value is a list of spans.

    Args:
        cell: the value.
        suggests_spans: True if the name of the column suggests spans; then pairs of numbers
            are spans.
    """
    if isinstance(cell, Mapping):
        return {"start", "end"} <= find_span_keys(tuple(cell)).keys()
    return is_sequence(cell) and all(_is_span(span, suggests_spans) for span in cell)


def _are_labels(cells: Sequence[tuple[Any, int]]) -> bool:
    """Check whether cells are lists of labels, most with as many as there are spans beside them."""
    labels = [label for cell, _ in cells if is_sequence(cell) for label in cell]
    return (
        any(map(_is_name, labels))
        and all(_is_name(label) or not label for label in labels)
        and _are_mostly_true(  # reading raises an error for others
            is_sequence(cell) and len(cell) == n_spans for cell, n_spans in cells
        )
    )


def _get_offsets(span: Any) -> tuple[Any, Any]:
    """Return the start and the end of a span, `None` if it has none."""
    if isinstance(span, Mapping):
        keys = find_span_keys(tuple(span))
        return span.get(keys.get("start")), span.get(keys.get("end"))
    return (span[0], span[1]) if is_sequence(span) and len(span) > 1 else (None, None)


def _stands_in(entries: Iterable[Any], words: Iterable[Any]) -> bool:
    """Check whether one of the entries stands in a text of these words, blanks aside."""
    text = "".join(map(str, words))
    return any("".join(str(entry).split()) in text for entry in entries)


def _has_names(element: Any) -> bool:
    """Check whether a part of a cell has a key that may be of a quote, or of another name."""
    keys = [find_span_keys(tuple(span)) for span in element if isinstance(span, Mapping)]
    return any(simplify_name(key.get("text", "")) in NAMES for key in keys)


def _is_span(span: Any, suggests_spans: bool) -> bool:
    """Check whether an entry is a span; bounds without a label need a name that suggests spans."""
    if isinstance(span, Mapping):
        keys = find_span_keys(tuple(span))
        is_placed = "start" in keys and ("end" in keys or "text" in keys)
        is_quote = {"text", "label"} <= keys.keys() and isinstance(span[keys["text"]], str)
        return is_placed or is_quote
    if not is_sequence(span) or len(span) not in (2, 3):
        return False
    has_offsets = all(map(is_integer, span[:2]))
    return has_offsets and (isinstance(span[-1], str) if len(span) == 3 else suggests_spans)
