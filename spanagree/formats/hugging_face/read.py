"""Readers of Hugging Face datasets and similar rows: tags, spans, or one row for each annotation.

Reading needs the object, not the library: a Dataset is recognised by its Arrow table, and its
columns are read as Arrow; all other data are iterated as mappings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from spanagree.arrays import narrow_integers
from spanagree.choices import Absent, Ends, Repair, Scheme
from spanagree.corpus.absent import apply_absent
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus, convert_document_id
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.corpus.tag_columns import TagColumn, check_outside_tags, read_columns
from spanagree.errors import InputError, join_names, pluralize, quote_value
from spanagree.formats.exports import ANSWER, IGNORED_ANSWERS, convert_to_seconds
from spanagree.formats.hugging_face.beside import UnreadColumns
from spanagree.formats.hugging_face.columns import (
    DatasetColumns,
    MappingRows,
    check_named_columns,
    choose_split,
    encode_tags,
    find_label_names,
    get_cell,
    has_column,
    join_token_rows,
    split_records,
)
from spanagree.formats.hugging_face.guess import LOOKED_AT, SEARCHED, guess_columns
from spanagree.formats.hugging_face.shape import COLUMNS, ColumnMapping
from spanagree.formats.hugging_face.span_rows import read_span_table, read_spans
from spanagree.formats.hugging_face.spans import (
    collect_quotes_by_label,
    is_sequence,
    parse_cell,
    split_by_annotator,
)
from spanagree.formats.usual_names import TIMES_OF_ANSWERS, simplify_name


def from_dataset(
    data: Any,
    *,
    tokens: str | None = None,
    text: str | None = None,
    tags: Mapping[str, str] | None = None,
    spans: Mapping[str, str] | str | None = None,
    annotator: str | None = None,
    document: str | None = None,
    label_names: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    split: str | None = None,
    scheme: Scheme = "auto",
    strict: bool = False,
    outside: str | Sequence[str] = (),
    quote: str | None = None,
    ends: Ends | None = None,
    absent: Absent | None = None,
    align: bool = False,
    scores: bool = False,
    strings: bool = False,
    repair: Repair | Sequence[Repair] = (),
) -> Corpus:
    """Build the corpus of a Dataset, a data frame, an Arrow table, or an iterable of mappings.

    Columns that are not named are guessed, with a note. A null means that an annotator never saw
    the document, an empty list that nothing is marked.

    Args:
        data: the rows.
        tokens: column of tokens.
        text: column of texts, instead of tokens; offsets of spans then count characters.
        tags: column of tags of each layer: strings, or label ids with names in the features. A
            token with id −100 in a layer is left out in all; a document of such tokens was not
            seen.
        spans: column of spans of each annotator, or one column: lists of structs or (start, end,
            label), structs of lists, mappings of annotator to these; "start,end,label" for a row
            a span.
        annotator: column of annotators, if these have a row each; ``a.b`` is b in objects a.
        document: column of the documents' ids, or several that form one: "split,number".
        label_names: names of label ids that the features lack, for all columns or by column.
        split: name of the split of a DatasetDict.
        scheme: auto (found for each layer), IO, IOB1, IOB2, IOE1, IOE2, IOBES or BILOU.
        strict: True to ignore segments that are not well-formed in the scheme.
        outside: further tag, or tags, of unmarked tokens, in addition to ``O``.
        quote: column of the text that a span covers, in a table with a row for each span.
        ends: meaning of the end of a span: exclusive, or inclusive (the last token or character).
            Default: found by the texts of the spans, else exclusive.
        absent: unseen or unmarked, for an annotator without a row for a document in a table of
            spans. Default: systems saw the documents that gold or references saw, annotators did
            not.
        align: True to align copies with tags, and quotes, that a language model changed.
        scores: True to read the score (or confidence, probability) of a span as its attribute
            ``score``.
        strings: True if quotes are in no text: they are compared as strings with a label, without
            chance.
        repair: steps, of join-pieces, drop-repeats, latest, relocate-by-text, drop-misplaced,
            clip-beyond-text, drop-beyond-text, strip-space, widen-points, drop-empty,
            drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.

    Raises:
        SettingError: if a column is missing or unsuitable, or a split or choice is unknown.
        InputError: if a value is of the wrong kind, or has a flaw without a repair.

    >>> rows = [{"id": "7", "text": "Jo!", "who": "ann", "spans": [[0, 2, "PER"]]}]
    """
    columns = dict(zip(COLUMNS, (tokens, text, tags, spans, annotator, document), strict=True))
    options = {"scheme": scheme, "strict": strict, "label_names": label_names, "absent": absent}
    options |= {
        "split": split,
        "align": align,
        "scores": scores,
        "strings": strings,
        "quote": quote,
        "ends": ends,
        "outside": outside,
    }
    data, shape, notes = _choose_columns(choose_split(data, split), columns, None, **options)
    raw = apply_absent(_read_rows(data, shape, columns), absent)
    return build_valid_corpus(raw.replace(notes=(*notes, *raw.notes)), repair)


def read_raw_dataset(
    data: Any, *, split: str | None = None, file: str | None = None, **options: Any
) -> RawCorpus:
    """Read the rows of a dataset without checks.

    Args:
        data: the rows.
        split: name of the split of a DatasetDict.
        file: printable name of the file of the rows, if any. A layer is then named ``""`` if its
            column does not name its annotator.
        **options: further arguments of :func:`from_dataset`.
    """
    columns = {key: value for key, value in options.items() if key in COLUMNS}
    settings = {key: value for key, value in options.items() if key not in COLUMNS}
    data = choose_split(data, split)
    data, shape, notes = _choose_columns(data, columns, file, split=split, **settings)
    raw = _read_rows(data, shape, columns)
    return raw.replace(notes=(*notes, *raw.notes))


def _choose_columns(
    data: Any, columns: Mapping[str, Any], file: str | None = None, **settings: Any
) -> tuple[Any, ColumnMapping, list[str]]:
    """Choose the columns that are read: those that the user named, and guesses for others.

    Args:
        data: the rows.
        columns: columns that the user named, by option.
        file: printable name of the file, if any.
        **settings: further options of reading.

    Returns:
        The data, their columns, and notes on guesses.
    """
    named_columns = {name: column for name, column in columns.items() if column is not None}
    data = split_records(data, named_columns)
    if named_columns.keys() == {"document"}:
        data = join_token_rows(data, named_columns["document"])
    prefix = "" if file is None else f"{file}: "
    first_rows = data
    if isinstance(data, Iterator):  # the first rows are used for guesses, and read again
        first_rows = list(islice(data, SEARCHED))
        data = MappingRows(chain(first_rows, data))
    is_dataset = hasattr(first_rows, "features") and not isinstance(first_rows, MappingRows)
    try:
        outside = check_outside_tags(settings.get("outside", ()))
        strings = bool(settings.get("strings"))
        guessed, skipped = guess_columns(
            first_rows, named_columns, prefix, outside, strings=strings
        )
    except ValueError as error:
        if not is_dataset or isinstance(error, InputError):
            raise
        guessed, skipped = {}, []  # values are damaged; reading raises the error
    shape = ColumnMapping(
        **{"partial": "drop-tokens", **settings, "file": file, **named_columns, **guessed}
    )
    if isinstance(data, MappingRows) and data.gaps:  # each row may lack a column
        named = (named_columns.get(use) for use in ("text", "tokens", "annotator", "document"))
        check_named_columns(
            islice(first_rows, SEARCHED), [name for name in named if isinstance(name, str)]
        )
    spans = guessed.get("spans")
    rows: list[Mapping[str, Any]] = []
    with suppress(ValueError, TypeError):  # reading raises the error
        rows += (row for row in islice(first_rows, LOOKED_AT) if isinstance(row, Mapping))
    quote_labels = _find_quote_keys(rows, shape)
    shape = replace(
        shape,
        by_label=bool(quote_labels),
        by_span=_are_annotators_in_spans(rows, shape),
        answer=_find_answer_column(first_rows, shape),
        when=_find_time_column(rows, shape),
    )
    notes = (
        [f"{prefix}{join_names(quote_labels)} are taken as labels of quotes"]
        if quote_labels
        else []
    )
    if isinstance(spans, Mapping) and any(column.startswith("spans:") for column in spans.values()):
        return data, replace(shape, is_own=True), []
    if isinstance(spans or guessed.get("tags"), Mapping) and type(data) in (
        list,
        tuple,
        MappingRows,
    ):
        data = data if isinstance(data, MappingRows) else MappingRows(data)
        data.gaps = True  # an annotator without an entry in a row did not see it
    guess_texts = [
        f"{option} {_format_columns(guessed[option])}"
        for option in (*COLUMNS, "length", "label", "labels")
        if option in guessed
    ]
    note = (
        f"{prefix}columns guessed: {'; '.join(guess_texts)}"
        f"{f'; passed over: {join_names(skipped)}' if skipped else ''} (--text, --tokens, --spans,"
        " --tags, --annotator and --document name others)"
    )
    return data, shape, [note, *notes] if guess_texts else notes


def _find_quote_keys(rows: Sequence[Mapping[str, Any]], shape: ColumnMapping) -> list[str]:
    """Find the labels under which cells have quotes, if there is one column of spans."""
    if not isinstance(shape.spans, str) or shape.is_table:
        return []
    labels: dict[str, None] = {}
    with suppress(ValueError, TypeError, KeyError):  # reading raises the error
        for row in (row for row in rows if has_column(row, shape.spans)):
            quotes = collect_quotes_by_label(parse_cell(get_cell(row, shape.spans)))
            labels |= dict.fromkeys(str(quote["label"]) for quote in quotes or ())
    return list(labels)


def _are_annotators_in_spans(rows: Sequence[Mapping[str, Any]], shape: ColumnMapping) -> bool:
    """Check whether the spans in one column name their annotators."""
    if not isinstance(shape.spans, str) or shape.is_table or shape.annotator is not None:
        return False
    with suppress(ValueError, TypeError, KeyError):  # reading raises the error
        cells = (get_cell(row, shape.spans) for row in rows if has_column(row, shape.spans))
        return any(is_sequence(parse_cell(cell)) and split_by_annotator(cell) for cell in cells)
    return False


def _find_time_column(rows: Sequence[Mapping[str, Any]], shape: ColumnMapping) -> str | None:
    """Find the column with the time of the annotation in a row, if there is one."""
    if shape.is_table or shape.tags is not None:
        return None
    names = dict.fromkeys(str(name) for row in rows for name in row)
    for usual in TIMES_OF_ANSWERS:
        for name in (name for name in names if simplify_name(name) == usual):
            times = [convert_to_seconds(row[name]) for row in rows if row.get(name) is not None]
            if times and None not in times:
                return name
    return None


def _find_answer_column(data: Any, shape: ColumnMapping) -> str | None:
    """Find the column with the answers of Prodigy beside one column of spans, if there is one."""
    used = (*shape.layers.values(), shape.annotator, shape.text, shape.tokens, shape.document)
    features = getattr(data, "features", None)
    if shape.tags is not None or shape.is_table or len(shape.layers) != 1 or ANSWER in used:
        return None
    if features is not None and ANSWER not in features:
        return None
    answers: list[Any] = []
    with suppress(ValueError, TypeError):  # reading raises the error
        rows = (row for row in islice(data, SEARCHED) if isinstance(row, Mapping))
        answers = [row[ANSWER] for row in rows if row.get(ANSWER) is not None]
    are_known = all(answer == "accept" or answer in [*IGNORED_ANSWERS] for answer in answers)
    return ANSWER if answers and are_known else None


def _format_columns(columns: Any) -> str:
    """Join the names of one or several columns for a message."""
    return join_names(columns.values() if isinstance(columns, Mapping) else [columns])


def _read_rows(data: Any, shape: ColumnMapping, named_columns: Mapping[str, Any]) -> RawCorpus:
    """Read the rows of a dataset without checks, and count marks in columns that are not read.

    Args:
        data: the rows.
        shape: columns that are read.
        named_columns: columns that the user named, by option.
    """
    read_rows = _read_tag_columns if shape.tags is not None else read_spans
    read_rows = read_span_table if shape.tags is None and shape.is_table else read_rows
    if named_columns.get("spans") is not None or named_columns.get("tags") is not None:
        return read_rows(data, shape)
    unread = UnreadColumns(data, shape)
    try:
        raw = read_rows(unread.data, shape)
    except InputError as error:
        if shape.file is None or str(error).startswith(f"{shape.file}:"):
            raise
        raise InputError(f"{shape.file}: {error}") from None
    return unread.count_unread(raw)


def _read_tag_columns(data: Any, shape: ColumnMapping) -> RawCorpus:
    """Read columns of tags, one for each layer."""
    tokens, document = str(shape.tokens), shape.document
    columns = DatasetColumns(data, [*shape.layers.values(), tokens], [document] if document else [])
    ids = None if document is None else columns.list_entries(document)
    entries, lengths = columns.concatenate_entries(tokens)
    words = entries if isinstance(entries, list) else entries.to_pylist()
    if not set(map(type, words)) <= {str} or (lengths < 0).any():
        raise InputError(
            f"column {quote_value(tokens)}: a token is not a string; lists of strings are needed"
        )
    tag_columns = {}
    for name, column in shape.layers.items():
        entries, sizes = columns.concatenate_entries(column)
        for i in np.flatnonzero((sizes != lengths) & (sizes >= 0))[:1].tolist():
            raise InputError(
                f"column {quote_value(column)}, row {i + 1}: {pluralize(sizes[i], 'tag')} for"
                f" {pluralize(lengths[i], 'token')}; each token needs one"
            )
        names = find_label_names(columns.features, column, shape.label_names)
        distinct_tags, codes = encode_tags(entries, names, column)
        tag_columns[name] = TagColumn.from_seen(
            distinct_tags, narrow_integers(codes), sizes < 0, lengths
        )
    del columns, entries  # frees memory for the largest arrays
    reading = {"format": "datasets", **shape.reading_settings}
    document_ids = ids and [convert_document_id(id_, f"row {i}") for i, id_ in enumerate(ids, 1)]
    repeated = [name for name, count in Counter(document_ids or ()).items() if count > 1]
    if repeated:
        raise InputError(
            f"document {quote_value(repeated[0])} comes twice; ids are used once, and tags of"
            " several annotators stand in a column each"
        )
    return read_columns(
        tag_columns, lengths, shape, reading, unread=(), tokens=words, ids=document_ids
    )
