"""Choice of the columns of CoNLL files that are layers, by the user's names or by their tags.

A *layer* is the annotation of one annotator, or gold: one column of tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain, permutations
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.tag_columns import TagColumn, TagReader
from spanagree.corpus.tags import is_tag, parse_tag, read_tags
from spanagree.errors import (
    InputError,
    SettingError,
    join_names,
    parse_whole_number,
    pluralize,
    quote_value,
)
from spanagree.files import PathName
from spanagree.formats.conll.brackets import are_brackets, read_brackets
from spanagree.formats.conll.columns import (
    Column,
    Layout,
    find_column_number,
    infer_layout,
    is_column,
    split_fields,
)
from spanagree.formats.conll.fields import encode_column
from spanagree.formats.conll.head import LINES, ConllHeader
from spanagree.formats.conll.page import ConllFile, ConllOptions, read_conll_file
from spanagree.formats.file_head import FileHead


class LayerRequest(NamedTuple):
    """A layer, its file, and its column if that is known.

    Attributes:
        layer: name of the layer.
        path: path of the file.
        column: column of tags, or `None` if it has to be found.
    """

    layer: str
    path: PathName
    column: Column | None = None


_INSIDE = ", all inside those of "
_LABELS = 4  # labels of a column in a message
_COLUMNS = 8  # columns described in a message
_CHUNKS = frozenset((
    "NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP",
))  # fmt: skip
_OTHER_TAGS = re.compile(r"(^|[^a-z])(u?pos|xpos|chunks?|nested|fine)($|[^a-z])")


class _SpanColumns(NamedTuple):
    """Segments in a column of tags.

    Attributes:
        start: index of the first token of each segment.
        end: index after its last token.
        labels: distinct labels.
    """

    start: Ints
    end: Ints
    labels: Sequence[str]

    def is_nested_in(self, container: _SpanColumns) -> bool:
        """Check whether all segments are inside segments of another column, and most shorter."""
        if not len(self.start) or not len(container.start):
            return False
        index = np.searchsorted(container.start, self.start, side="right") - 1
        is_inside = (index >= 0) & (container.end[index] >= self.end)
        is_equal = (container.start[index] == self.start) & (container.end[index] == self.end)
        return bool(is_inside.all() and 2 * is_equal.sum() < len(is_equal))


def find_requested_layers(files: Mapping[str, PathName], columns: Any) -> list[LayerRequest]:
    """Find the file of each layer, and its column if it is named.

    Args:
        files: path of each layer.
        columns: column of each layer, or one column for all files, or a selection in one file.

    Raises:
        SettingError: if a value cannot be a column, or a column is named for an unknown layer.
    """
    if not isinstance(columns, Mapping):
        if len(files) == 1:
            return [LayerRequest(name, path) for name, path in files.items()]
        selection = columns if isinstance(columns, (list, tuple)) else [columns]
        if (
            len(selection) != 1
            or not is_column(selection[0])
            or selection[0] == "all"
            or "," in str(selection[0])
        ):
            raise SettingError(
                f"columns {quote_value(columns)}: of several files one column each is read; name a"
                " column for all of them, or the annotators as NAME=FILE:COLUMN"
            )
        return [LayerRequest(name, path, selection[0]) for name, path in files.items()]
    for name, column in columns.items():
        if not is_column(column):
            raise SettingError(
                f"column {quote_value(column)} of {quote_value(name)}; columns are names, or whole"
                " numbers from 1, as 0 is the token"
            )
    if len(files) == 1 and columns and not columns.keys() <= files.keys():
        (path,) = files.values()
        return [LayerRequest(name, path, column) for name, column in columns.items()]
    for name in (name for name in columns if name not in files):
        raise SettingError(
            f"columns name {quote_value(name)}, which is no annotator; with several files the"
            f" annotators are {join_names(files)}"
        )
    return [LayerRequest(name, path, columns.get(name)) for name, path in files.items()]


def decide_layers(
    files: Mapping[str, PathName],
    first: Mapping[PathName, str],
    heads: Mapping[PathName, ConllHeader],
    options: ConllOptions,
) -> tuple[list[LayerRequest], list[str]]:
    """Choose the columns of all layers.

    Args:
        files: path of each layer.
        first: first lines of each file; they decide on columns that are not named.
        heads: header of each file.
        options: options of reading.

    Returns:
        The layers with their columns, and notes on columns that were not named.

    Raises:
        InputError: if it is unclear which columns are layers, or which is gold.
    """
    layers = find_requested_layers(files, options.columns)
    undecided = [layer for layer in layers if layer.column is None]
    undecided_heads = [heads[layer.path] for layer in undecided]
    have_two_columns = all(head.width == 2 and not head.layout.names for head in undecided_heads)
    if isinstance(options.columns, Mapping) and have_two_columns:  # no choice
        return [layer._replace(column=layer.column or 1) for layer in layers], []
    by_path = {
        path: _TagColumns(
            read_conll_file(path, first[path], heads[path], [], options),
            options,
        )
        for path in dict.fromkeys(layer.path for layer in undecided)
    }
    if len(layers) == 1 and undecided:
        return _choose_layers_of_file(layers[0], by_path[layers[0].path])
    decided: list[LayerRequest] = []
    notes: list[str] = []
    for layer in layers:
        if layer.column is None:
            columns = by_path[layer.path]
            if len(columns.annotators) > 1 and not decided:
                raise columns.build_gold_error(list(by_path.values()))
            layer = layer._replace(column=columns.annotators[-1])
            notes += columns.compose_choice_notes()
        decided.append(layer)
    return decided, notes


def _choose_layers_of_file(
    layer: LayerRequest, columns: _TagColumns
) -> tuple[list[LayerRequest], list[str]]:
    """Choose the layers of a single file if the user named no column for a layer.

    Returns:
        The layers with their columns, and notes on the choice.
    """
    file, options, get_name = columns.file, columns.options, columns.file.layout.get_column_name
    if not isinstance(options.columns, Mapping):
        selected = _parse_columns(options.columns, len(file.columns), file.layout)
        if selected is not None:
            return [LayerRequest(get_name(column), layer.path, column) for column in selected], []
        selected = columns.tags or columns.annotators
        untagged = [column for column in range(1, len(file.columns)) if column not in selected]
        skipped = [get_name(column) for column in untagged if column != file.layout.token]
        notes = (
            [f"{file.name}: columns without tags passed over: {join_names(skipped)}"]
            if skipped
            else []
        )
        return [LayerRequest(get_name(column), layer.path, column) for column in selected], notes
    annotators = columns.annotators
    if len(annotators) < 2:
        return [layer._replace(column=annotators[0])], columns.compose_choice_notes()
    names = ["gold", "predicted" if layer.layer == "gold" else layer.layer]
    if file.layout.names:
        names = [get_name(column) for column in annotators]
    if len(set(names)) < len(annotators):
        raise columns.build_unclear_error(annotators)
    layers = [
        LayerRequest(name, layer.path, column)
        for name, column in zip(names, annotators, strict=True)
    ]
    layers.sort(key=lambda layer: "gold" not in layer.layer.casefold())
    annotator_list = ", ".join(f"{request.layer} ({request.column})" for request in layers)
    note = (
        f"{file.name}: columns of tags of one kind are the annotators {annotator_list}; --columns"
        " (columns=)"
        " names others"
    )
    return layers, [note]


def yield_unread_tags(
    file: ConllFile, columns: Iterable[Column | None], options: ConllOptions
) -> Iterator[TagColumn]:
    """Yield the columns of tags that are not read.

    Args:
        file: file with the columns.
        columns: columns that are read.
        options: options of reading.
    """
    read_indices = {
        find_column_number(column, file.layout) for column in columns if column is not None
    }
    for column in () if file.layout.ragged else _TagColumns(file, options).tags:
        index = find_column_number(column, file.layout)
        if isinstance(column, int) and index is not None and index not in read_indices:
            codes, names = encode_column(file.columns[index])
            yield TagColumn(["O" if name == options.missing else name for name in names], codes)


class _TagColumns:
    """Columns of a file with tags, and the choice of annotators among them."""

    def __init__(self, file: ConllFile, options: ConllOptions) -> None:
        self.file = file
        self.options = options
        self._spans: dict[Column, _SpanColumns] = {}

    @cached_property
    def values(self) -> dict[Column, set[str]]:
        """Distinct values of each column except the tokens, and of each key in CoNLL-U's last."""
        file = self.file
        token, misc = file.layout.token, file.layout.misc
        values: dict[Column, set[str]] = {}
        if misc is not None:
            values.update(_collect_key_values(encode_column(file.columns[misc])[1]))
        for column in range(1, len(file.columns)):
            if column not in (token, misc):
                missing = self.options.missing or ""
                tags = set(encode_column(file.columns[column])[1]) - {missing}
                values[column] = set(self.options.replace_empty_tags(tags))
        return values

    @cached_property
    def tags(self) -> list[Column]:
        """Columns with tags."""
        if len(self.file.columns) == 2 and not self.file.layout.names:
            return [1]
        if self.file.layout.ragged:
            return [1, 2]
        return [
            column
            for column, values in self.values.items()
            if _are_tags(values, self.options.scheme)
            or (isinstance(column, str) and are_brackets(values))
        ]

    @cached_property
    def annotators(self) -> list[Column]:
        """Last columns of tags with labels in common, which are read as annotators.

        Columns with a name such as xpos or nested are never chosen: their tags mean something else.

        Raises:
            InputError: if it is unclear which columns are annotators.
        """
        file, tags = self.file, self.tags
        width = len(file.columns)
        if width == 2 and not file.layout.names:
            return [1]
        if file.layout.ragged:  # names, or mentions if there are no names
            return [1] if {*file.columns[1]} != {"_"} else [2]
        if not tags and file.layout.names:
            has_bare_labels = any("O" in values for values in self.values.values())
            scheme_hint = "; --scheme IO (scheme=) reads labels without a prefix such as B-"
            raise InputError(
                f"{file.name}: no column has tags; its columns are"
                f" {join_names(file.layout.names)}{scheme_hint if has_bare_labels else ''}"
            )
        candidates = [
            column
            for column in tags
            if not _OTHER_TAGS.search(file.layout.get_column_name(column).casefold())
        ] or tags
        last_column = candidates[-1] if candidates else width - 1
        if len(candidates) > 1 and last_column != max(
            column for column in (*tags, width - 1) if isinstance(column, int)
        ):
            raise self.build_unclear_error(candidates)
        annotators = [last_column]
        labels = _collect_labels(self.values.get(last_column, set()), self.options.scheme)
        for column in reversed(candidates[:-1]):
            other_labels = _collect_labels(self.values[column], self.options.scheme)
            is_pair = width == 3 and not (
                labels and other_labels
            )  # gold, and a prediction without segments
            if not labels & other_labels and not is_pair:
                break
            annotators.insert(0, column)
        has_two_candidates = width == 3 and len(candidates) == 2
        if has_two_candidates and len(annotators) == 1:  # gold and prediction, or chunks and names
            raise self.build_unclear_error(candidates)
        if self._have_disjoint_labels(candidates):  # probably a column for each label
            raise self.build_unclear_error(candidates)
        if (
            annotators == [last_column]
            and not labels
            and not self._is_part
            and self._have_labels_before_last(candidates)
        ):
            raise self.build_unclear_error(candidates)
        numbered_columns = [column for column in annotators if isinstance(column, int)]
        spans = (
            [self.find_segments(column) for column in numbered_columns]
            if len(annotators) > 1
            else []
        )
        if any(
            span_columns.is_nested_in(container)
            for span_columns, container in permutations(spans, 2)
        ):
            raise self.build_unclear_error(annotators)
        return annotators

    def _have_disjoint_labels(self, columns: Sequence[Column]) -> bool:
        """Check whether three or more columns have labels, and no label is in two columns.

        Chunks do not count.
        """
        labels_by_column = [
            _collect_labels(self.values[column], self.options.scheme)
            for column in columns
            if isinstance(column, int)
        ]
        labels_except_chunks = [
            labels for labels in labels_by_column if labels and not labels <= _CHUNKS
        ]
        return len(labels_except_chunks) > 2 and sum(map(len, labels_except_chunks)) == len(
            set().union(*labels_except_chunks)
        )

    def _have_labels_before_last(self, columns: Sequence[Column]) -> bool:
        """Check whether one of several columns before the last has labels other than chunks."""
        labels_by_column = (
            _collect_labels(self.values[column], self.options.scheme) for column in columns[:-1]
        )
        return len(columns) > 2 and any(labels - _CHUNKS for labels in labels_by_column)

    @property
    def _is_part(self) -> bool:
        """Whether the file may be longer than the first lines."""
        return int(self.file.lines[-1]) + 1 >= LINES

    def compose_choice_notes(self) -> list[str]:
        """Build the note on a column that was chosen although other columns have tags."""
        file, column = self.file, self.annotators[-1]
        tags = self.tags or [column]
        name = file.layout.get_column_name(column)
        if len(tags) > 1 and column == tags[-1]:
            choice = f"columns {self.format_columns(tags)} have tags, and the last, {name}, is read"
        elif len(tags) > 1:
            other_tags = self.format_columns(
                [tag_column for tag_column in tags if tag_column != column]
            )
            choice = f"tags are read from {name}, not from {other_tags}"
        elif tags[0] == len(file.columns) - 1:
            return []
        else:
            choice = f"tags are read from {name}, as no other column has any"
        return [f"{file.name}: {choice}; --columns (columns=) or FILE:COLUMN names others"]

    def format_columns(self, columns: Sequence[Column]) -> str:
        """Format columns for a message, with their names if these are known."""
        names = [(str(column), self.file.layout.get_column_name(column)) for column in columns]
        return join_names(
            column_number
            if isinstance(column, str) or name == column_number
            else f"{column_number} ({name})"
            for column, (column_number, name) in zip(columns, names, strict=True)
        )

    def find_segments(self, column: Column) -> _SpanColumns:
        """Find the segments in a column; a value that is no tag counts as ``O``."""
        if column in self._spans:
            return self._spans[column]
        file, scheme = self.file, self.options.scheme
        codes, names = encode_column(file.columns[find_column_number(column, file.layout) or 0])
        is_tag = np.array([parse_tag(name, scheme) is not None for name in names], np.bool_)
        tag_codes = np.where(is_tag[codes], codes, -1)
        segments = read_tags(names, tag_codes, file.sentences, scheme=scheme)
        sentence_start = file.find_starts("sentence")[segments.sentence]
        spans = _SpanColumns(
            segments.start + sentence_start, segments.end + sentence_start, segments.names
        )
        self._spans[column] = spans
        return spans

    def build_unclear_error(self, columns: Sequence[Column]) -> InputError:
        """Build the error for columns of tags with an unclear meaning."""
        first_name, *_, last_name = (self.file.layout.get_column_name(column) for column in columns)
        described = columns[:_COLUMNS]
        descriptions = [self._describe_column(described, column) for column in described]
        examples = f"--columns {first_name} or --columns {last_name}"
        if not any(_INSIDE in description for description in descriptions):
            examples += (
                f", several as in --columns gold={first_name},mine={last_name}, or --columns all"
            )
        ellipsis = (
            f"; … ({len(columns) - len(described)} more)" if len(columns) > len(described) else ""
        )
        return InputError(
            f"{self.file.name}: which columns are annotators is not clear:"
            f" {'; '.join(descriptions)}"
            f"{ellipsis}{self._extent_note}. Name one, as in {examples} (columns=)"
        )

    @property
    def _extent_note(self) -> str:
        """Remark that counts are of the first lines, if the file may be longer."""
        return f" (in the first {LINES} lines)" if self._is_part else ""

    def _describe_column(self, columns: Sequence[Column], column: Column) -> str:
        """Describe a column: its labels, number of segments, and a column that contains these.

        Args:
            columns: columns that may contain its segments.
            column: column to describe.
        """
        if isinstance(column, str):
            return f"{column} has tags"
        spans = self.find_segments(column)
        labels = f" of {join_names(sorted(spans.labels)[:_LABELS])}" if spans.labels else ""
        ellipsis = ", …" if len(spans.labels) > _LABELS else ""
        n_segments = pluralize(len(spans.start), "segment")
        description = f"{self.format_columns([column])} has {n_segments}{labels}{ellipsis}"
        for other_column in columns:
            if (
                other_column != column
                and isinstance(other_column, int)
                and spans.is_nested_in(self.find_segments(other_column))
            ):
                return f"{description}{_INSIDE}{self.format_columns([other_column])}"
        return description

    def build_gold_error(self, columns_of_files: Sequence[_TagColumns]) -> InputError:
        """Build the error for a file in which a column before the predictions may be gold.

        If all files share that column, the message suggests it as gold.
        """
        file = self.file
        gold_column, last_column = self.annotators[-2:]
        gold_name, last_name = (
            file.layout.get_column_name(gold_column),
            file.layout.get_column_name(last_column),
        )
        if len(columns_of_files) > 1 and all(
            columns.has_gold(get_column_tags(file, gold_column)) for columns in columns_of_files
        ):
            return InputError(
                f"{file.name}: column {gold_name}, before the last, is the same in all files, so it"
                f" seems to be gold, and the last, {last_name}, a prediction; pass"
                f" gold={file.name}:{gold_name} as the first file, or --columns {last_name}"
                " (columns=) to read the last columns alone"
            )
        descriptions = "; ".join(
            self._describe_column(self.annotators, column) for column in self.annotators
        )
        return InputError(
            f"{file.name}: columns {self.format_columns(self.annotators)} have tags of one kind,"
            " and one may be"
            f" gold for the other: {descriptions}{self._extent_note}. Name the one that is meant:"
            f" {file.name}:{gold_name} or {file.name}:{last_name} (FILE:COLUMN), or one for all"
            f" files: --columns {gold_name} or --columns {last_name} (columns=)"
        )

    def has_gold(self, gold: Sequence[str]) -> bool:
        """Check whether the column before the last has the tags of `gold`."""
        with suppress(InputError):  # of a file as unclear as this
            return (
                len(self.annotators) > 1 and get_column_tags(self.file, self.annotators[-2]) == gold
            )
        return False


def looks_like_tagged_rows(head: FileHead) -> bool:
    """Check for rows of a token each, with tags, below the names of the columns."""
    return any(_are_tags(values, "auto") for values in _collect_values(head))


def looks_like_labelled_rows(head: FileHead) -> bool:
    """Check for rows with ``O`` and labels without a prefix, below the names of the columns."""
    return any("O" in values for values in _collect_values(head))


def are_all_tagged(head: FileHead) -> bool:
    """Check whether the last of two or more fields is a tag, in each row of the first lines."""
    layout = infer_layout("\n".join(head.lines))
    lines = [line for line in head.lines[:-1] or head.lines if line.strip()]
    rows = [split_fields(line, layout.sign) for line in lines if not line.startswith("#")]
    rows = rows[layout.header :]
    return bool(rows) and all(len(row) > 1 and is_tag(row[-1]) for row in rows)


def _collect_values(head: FileHead) -> list[set[str]]:
    """Collect the values of each column except the tokens, below a header or between commas."""
    if head.records:
        return []
    layout = infer_layout("\n".join(head.lines))
    if not layout.header and layout.sign == "\t":
        return []
    fields = [split_fields(line, layout.sign) for line in head.lines if line.strip()]
    width = len(layout.names or fields[0])
    rows = [row for row in fields if len(row) == width][layout.header :]
    return [set(column) for i, column in enumerate(zip(*rows, strict=True)) if i != layout.token]


def _are_tags(values: set[str], scheme: str) -> bool:
    """Check whether all values are tags of a scheme, or at least half of them, with ``O``."""
    n_tags = sum(parse_tag(value, scheme) is not None for value in values)
    return n_tags == len(values) or ("O" in values and 2 * n_tags >= len(values))


def _collect_labels(values: set[str], scheme: str) -> set[str]:
    """Collect the labels of tags."""
    parsed = (parse_tag(value, scheme) for value in values - {"O"})
    return {tag[1] for tag in parsed if tag is not None}


def _parse_columns(selector: Any, width: int, layout: Layout) -> list[Column] | None:
    """Parse the selection of columns in one file.

    Args:
        selector: a range such as ``1-47``, a name, ``all``, or a list of these.
        width: number of columns.
        layout: layout of the file.

    Returns:
        The columns, or `None` for ``all``.

    Raises:
        SettingError: if a value is not a column, or is repeated.
    """
    selectors = selector if isinstance(selector, (list, tuple)) else [selector]
    split_selectors = chain.from_iterable(
        selection.split(",") if isinstance(selection, str) else [selection]
        for selection in selectors
    )
    columns: list[Column] = []
    for column in (
        selection.strip() if isinstance(selection, str) else selection
        for selection in split_selectors
    ):
        number_range = (
            re.fullmatch(r"([0-9]+)-([0-9]+)", column) if isinstance(column, str) else None
        )
        if column == "all":
            return None
        if not is_column(column) or column in columns:
            raise SettingError(
                f"columns {quote_value(selector)}; the columns of tags are names, or whole numbers"
                " from 1, and each is named once"
            )
        if number_range is None or find_column_number(column, layout) is not None:
            columns.append(column)
            continue
        first_number, last_number = (
            parse_whole_number(end, "column") for end in number_range.groups()
        )
        if not 0 < first_number <= last_number < width:
            raise SettingError(
                f"columns {column}: the file has columns 1 to {width - 1}"
                f"{f' ({join_names(layout.names)})' if layout.names else ''}; name some of them"
            )
        columns += range(first_number, last_number + 1)
    return columns


def get_column_tags(file: ConllFile, column: Column) -> Sequence[str]:
    """Return the tags in a column, or those of a key in the last column of CoNLL-U.

    Raises:
        SettingError: if neither a column nor a key has that name.
    """
    index = find_column_number(column, file.layout)
    if index is not None and index < len(file.columns):
        return file.columns[index]
    misc = file.layout.misc
    keys = {} if misc is None else _collect_key_values(encode_column(file.columns[misc])[1])
    if misc is None or column not in keys:
        raise SettingError(
            f"{file.name}: no column {quote_value(column)}; there are columns 0 (the token) to"
            f" {len(file.columns) - 1}"
            f"{f', called {join_names(file.layout.names)}' if file.layout.names else ''}"
            f"{f', and in {file.layout.names[misc]} {join_names(keys)}' if keys and misc else ''}"
        )
    return _extract_key_values(file.columns[misc], str(column))


def _collect_key_values(values: Iterable[str]) -> dict[str, set[str]]:
    """Collect the values of each key in a column of KEY=VALUE|KEY=VALUE."""
    values_by_key: dict[str, set[str]] = {}
    for field in set(values):
        for pair in field.split("|"):
            key, equals, value = pair.partition("=")
            if equals:
                values_by_key.setdefault(key, set()).add(value)
    return values_by_key


def _extract_key_values(column: Iterable[str], key: str) -> tuple[str, ...]:
    """Extract the value of a key from each row of KEY=VALUE|KEY=VALUE; ``O`` without the key."""
    column = tuple(column)
    value_by_field = {}
    for field in set(column):
        pairs = (pair.partition("=") for pair in field.split("|"))
        value_by_field[field] = next((value for name, _, value in pairs if name == key), "O")
    return tuple(map(value_by_field.__getitem__, column))


def find_bracket_reader(file: ConllFile, column: Column, values: Iterable[str]) -> TagReader | None:
    """Find the function that reads a column of brackets; ``None`` if the column has no brackets.

    The names of the parts in brackets are those of a key of CoNLL-U's last column; brackets in
    CoNLL-2012's columns have none.

    Args:
        file: file of the column.
        column: column of tags.
        values: values of the column.
    """
    index = find_column_number(column, file.layout)
    is_numbered = index is not None and index < len(file.columns)
    if file.layout.ragged and is_numbered:
        return partial(read_brackets, order=())
    if is_numbered or not are_brackets({*values}):
        return None
    order = dict(file.layout.brackets).get(str(column), "").split("-")
    return partial(read_brackets, order=order)
