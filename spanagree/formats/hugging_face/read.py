"""Hugging Face datasets, and any rows that look like theirs: tags, spans, or one row an annotation.

Reading takes the object, not the library: a Dataset is recognised by its Arrow table, whose columns
are taken as Arrow; everything else is iterated as mappings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from spanagree.arrays import compact
from spanagree.choices import Absent, Ends, Repair, Scheme
from spanagree.corpus.collector import document_id
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.roles import apply_absent
from spanagree.corpus.tag_columns import TagColumn, outside_tags, read_columns
from spanagree.errors import InputError, join_names, pluralize, quote_value
from spanagree.formats.hugging_face.beside import UnreadColumns
from spanagree.formats.hugging_face.columns import (
    DatasetColumns,
    MappingRows,
    cell_of,
    choose_split,
    each_record,
    grouped_tokens,
    has,
    label_codes,
    layer_names,
)
from spanagree.formats.hugging_face.guess import LOOKED_AT, SEARCHED, guess
from spanagree.formats.hugging_face.shape import COLUMNS, ColumnMapping
from spanagree.formats.hugging_face.span_rows import from_span_table, from_spans
from spanagree.formats.hugging_face.spans import by_label, parsed


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
    """Return the corpus in a Dataset, a data frame, an Arrow table, or an iterable of mappings.

    What is not named is guessed, with a note. Null: never seen; an empty list: nothing marked.

    Args:
        data: the rows.
        tokens: the column of tokens.
        text: the column of texts instead; offsets of spans then count characters.
        tags: layer to column of tags: strings, or label ids with their names in the features. A
            token of id −100 in a layer is left out in all; a document of these alone was not seen.
        spans: annotator to column of spans, or one column: lists of structs or (start, end, label),
            structs of lists, mappings of annotator to these; of spans a row each "start,end,label".
        annotator: the column of annotators, if these have a row each; ``a.b`` is b in objects a.
        document: the column of the documents' ids, or several that make one: "split,number".
        label_names: the names of label ids where the features lack them, for all columns or each.
        split: which part of a DatasetDict is read.
        scheme: auto (each layer's own), IO, IOB1, IOB2, IOE1, IOE2, IOBES or BILOU.
        strict: take only segments that are well-formed in the scheme.
        outside: a tag, or several, that means that nothing is marked, in addition to ``O``.
        quote: of a table with a row for each span, the column of the text that the span covers.
        ends: what the end of a span names: exclusive, or inclusive (the last token or character).
            Unless given, what the text of the spans shows; else they are exclusive.
        absent: unseen or unmarked, where a table of spans has no row of an annotator for a
            document; unless given, systems saw what gold or references saw, annotators did not.
        align: whether copies with tags and quotes are aligned that a language model changed.
        scores: whether the score (or confidence, probability) of a span becomes its attribute
            ``score``.
        strings: whether quotes are in no text: they are compared as strings with a label, and
            there is no chance.
        repair: steps, of join-pieces, drop-repeats, latest, relocate-by-text, drop-misplaced,
            clip-beyond-text, drop-beyond-text, strip-space, widen-points, drop-empty,
            drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.

    Raises:
        SettingError: for columns that do not exist or fit, an unknown split, unknown choices.
        InputError: for values of the wrong kind, and flaws that no repair was asked for.

    >>> rows = [{"id": "7", "text": "Jo!", "who": "ann", "spans": [[0, 2, "PER"]]}]
    >>> from_dataset(rows, text="text", spans="spans", annotator="who", document="id")[0].segments
    {'ann': (Segment(start=0, end=2, label='PER'),)}
    """
    named = dict(zip(COLUMNS, (tokens, text, tags, spans, annotator, document), strict=True))
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
    data, shape, notes = _shaped(choose_split(data, split), named, None, **options)
    raw = apply_absent(_read(data, shape, named), absent)
    return valid_corpus(raw.replace(notes=(*notes, *raw.notes)), repair)


def raw_dataset(
    data: Any, *, split: str | None = None, file: str | None = None, **options: Any
) -> RawCorpus:
    """Return the rows of a dataset, unchecked; as :func:`from_dataset`.

    Of a ``file``, a layer whose column does not name its annotator is called ``""``.
    """
    columns = {key: value for key, value in options.items() if key in COLUMNS}
    others = {key: value for key, value in options.items() if key not in COLUMNS}
    data = choose_split(data, split)
    data, shape, notes = _shaped(data, columns, file, split=split, **others)
    raw = _read(data, shape, columns)
    return raw.replace(notes=(*notes, *raw.notes))


def _shaped(
    data: Any, columns: Mapping[str, Any], file: str | None = None, **others: Any
) -> tuple[Any, ColumnMapping, list[str]]:
    """Return data with the shape that they are read in, and a note of what of it was guessed."""
    given = {name: column for name, column in columns.items() if column is not None}
    data = each_record(data, given)
    if given.keys() == {"document"}:
        data = grouped_tokens(data, given["document"])
    before = "" if file is None else f"{file}: "
    begin = data
    if isinstance(data, Iterator):  # the first rows are looked at, and read all the same
        begin = list(islice(data, SEARCHED))
        data = MappingRows(chain(begin, data))
    is_dataset = hasattr(begin, "features") and not isinstance(begin, MappingRows)
    try:
        outside = outside_tags(others.get("outside", ()))
        strings = bool(others.get("strings"))
        made, left = guess(begin, given, before, outside, strings=strings)
    except ValueError as error:
        if not is_dataset or isinstance(error, InputError):
            raise
        made, left = {}, []  # values are damaged, which reading says
    shape = ColumnMapping(**{"partial": "drop-tokens", **others, "file": file, **given, **made})
    spans = made.get("spans")
    labels = _labels_of_quotes(begin, shape)
    shape = replace(shape, by_label=bool(labels))
    notes = [f"{before}{join_names(labels)} are taken as labels of quotes"] if labels else []
    if isinstance(spans, Mapping) and any(column.startswith("spans:") for column in spans.values()):
        return data, replace(shape, is_own=True), []
    if isinstance(spans or made.get("tags"), Mapping) and type(data) in (list, tuple, MappingRows):
        data = data if isinstance(data, MappingRows) else MappingRows(data)
        data.gaps = True  # who is not in a row did not see it
    named = [
        f"{what} {_in_words(made[what])}" for what in (*COLUMNS, "length", "label") if what in made
    ]
    note = (
        f"{before}columns guessed: {'; '.join(named)}"
        f"{f'; passed over: {join_names(left)}' if left else ''} (--text, --tokens, --spans,"
        " --tags, --annotator and --document name others)"
    )
    return data, shape, [note, *notes] if named else notes


def _labels_of_quotes(data: Any, shape: ColumnMapping) -> list[str]:
    """Return the keys of the one column of spans under which the first rows have quotes."""
    if not isinstance(shape.spans, str) or shape.is_table:
        return []
    labels: dict[str, None] = {}
    with suppress(ValueError, TypeError, KeyError):  # which reading says
        for row in islice(data, LOOKED_AT):
            if isinstance(row, Mapping) and has(row, shape.spans):
                quotes = by_label(parsed(cell_of(row, shape.spans)))
                labels |= dict.fromkeys(str(quote["label"]) for quote in quotes or ())
    return list(labels)


def _in_words(columns: Any) -> str:
    return join_names(columns.values() if isinstance(columns, Mapping) else [columns])


def _read(data: Any, shape: ColumnMapping, named: Mapping[str, Any]) -> RawCorpus:
    """Return the rows of a dataset, unchecked; count what columns hold that nobody ``named``."""
    read = _from_tags if shape.tags is not None else from_spans
    read = from_span_table if shape.tags is None and shape.is_table else read
    if named.get("spans") is not None or named.get("tags") is not None:
        return read(data, shape)
    beside = UnreadColumns(data, shape)
    try:
        raw = read(beside.data, shape)
    except InputError as error:
        if shape.file is None or str(error).startswith(f"{shape.file}:"):
            raise
        raise InputError(f"{shape.file}: {error}") from None
    return beside.count_unread(raw)


def _from_tags(data: Any, shape: ColumnMapping) -> RawCorpus:
    """Return the rows of columns of tags, one for each layer."""
    tokens, document = str(shape.tokens), shape.document
    columns = DatasetColumns(data, [*shape.layers.values(), tokens], [document] if document else [])
    ids = None if document is None else columns.values(document)
    flat, lengths = columns.flat(tokens)
    words = flat if isinstance(flat, list) else flat.to_pylist()
    if not set(map(type, words)) <= {str} or (lengths < 0).any():
        raise InputError(
            f"column {quote_value(tokens)}: a token is not a string; lists of strings are needed"
        )
    tag_columns = {}
    for name, column in shape.layers.items():
        flat, sizes = columns.flat(column)
        for i in np.flatnonzero((sizes != lengths) & (sizes >= 0))[:1].tolist():
            raise InputError(
                f"column {quote_value(column)}, row {i + 1}: {pluralize(sizes[i], 'tag')} for"
                f" {pluralize(lengths[i], 'token')}; each token needs one"
            )
        names = layer_names(columns.features, column, shape.label_names)
        known, codes = label_codes(flat, names, column)
        tag_columns[name] = TagColumn.of_seen(known, compact(codes), sizes < 0, lengths)
    del columns, flat  # before the largest arrays are made
    reading = {"format": "datasets", **shape.chosen}
    names_of = ids and [document_id(id_, f"row {i}") for i, id_ in enumerate(ids, 1)]
    again = [name for name, number in Counter(names_of or ()).items() if number > 1]
    if again:
        raise InputError(f"document {quote_value(again[0])} comes twice; ids are used once")
    return read_columns(tag_columns, lengths, shape, reading, unread=(), tokens=words, ids=names_of)
