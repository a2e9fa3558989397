"""Hugging Face datasets, and any rows that look like theirs: tags, spans, or one row an annotation.

Reading takes the object, not the library: a Dataset is recognised by its Arrow table, whose columns
are taken as Arrow; everything else is iterated as mappings.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, overload

import numpy as np

from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.tag_columns import InDocument, TagColumn, read_columns
from spanagree.errors import InputError, SettingError, check_whole, show
from spanagree.formats.collector import Collector
from spanagree.formats.hugging_face.columns import (
    Columns,
    choose_split,
    label_codes,
    label_text,
    layer_names,
    span_records,
)


@overload
def from_dataset(data: Any, *, block: None = None, **options: Any) -> Corpus: ...


@overload
def from_dataset(data: Any, *, block: int, **options: Any) -> Iterator[Corpus]: ...


def from_dataset(  # type: ignore[misc]  # the options that overloads leave open are these
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
    scheme: str = "auto",
    strict: bool = False,
    repair: str | Sequence[str] = (),
    block: int | None = None,
) -> Corpus | Iterator[Corpus]:
    """A corpus from a Dataset, an IterableDataset, or any iterable of mappings.

    Three shapes: ``tokens`` with ``tags`` (a column of tags or label ids for each layer); ``text``
    or ``tokens`` with ``spans`` (a column of lists of {start, end, label} for each annotator); and
    the long form, one row for each document and annotator, with ``spans``, ``annotator`` and
    ``document`` each naming a column. A null where tags or spans should be says that this
    annotator never saw the document; an empty list, that she marked nothing.

    Args:
        data: the rows. Of a DatasetDict, ``split`` is read.
        tokens: the column of tokens.
        text: the column of texts; offsets of spans then count characters.
        tags: layer to column of tags: strings, or label ids with their names in the features. A
            token with the id −100 in any layer is left out in all; a document of nothing else was
            not seen.
        spans: annotator to column of spans; a list of structs or a struct of lists.
        annotator: the column of the annotators' names (long form).
        document: the column of the documents' ids.
        label_names: the names of label ids where the features do not have them, for all columns
            or by column.
        split: which part of a DatasetDict.
        scheme: the tag scheme, or ``auto``: each layer's own.
        strict: take only segments that are well-formed in the scheme.
        repair: names of :data:`spanagree.draft.REPAIRS`.
        block: for data too large for memory, such as a stream: a corpus for each so many rows, one
            after the other. In the long form the rows of a document follow each other, and stay
            together.

    Raises:
        SettingError: for columns that do not exist (the existing ones are named) or do not make
            one of the three shapes, an unknown split, unknown choices.
        InputError: for values of the wrong kind, and flaws that no repair was asked for.

    >>> span = {"start": 0, "end": 2, "label": "PER"}
    >>> rows = [{"id": "7", "text": "Jo!", "who": "ann", "spans": [span]}]
    >>> ask = {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}
    >>> from_dataset(rows, **ask)[0].segments
    {'ann': (Segment(start=0, end=2, label='PER'),)}
    """
    read = functools.partial(
        _corpus, repair, tokens, text, tags, spans, annotator, document, label_names
    )
    if block is None:
        return read(split, scheme, strict, data)
    check_whole(block, 1, "block")
    whole = choose_split(data, split)
    rows = _in_rows(whole, block, document if annotator is not None else None)
    return _numbered(read(None, scheme, strict, part) for part in rows)


def _corpus(repair: str | Sequence[str], *asked: Any) -> Corpus:
    *options, data = asked
    read = _read(data, *options)
    if isinstance(read, Corpus):
        return valid_corpus(RawCorpus.of(read), repair) if repair else read
    return valid_corpus(read, repair)


class _Rows(list[Mapping[str, Any]]):
    """Some rows of a dataset, with what it knows of its columns."""

    features: Any = None


def _in_rows(data: Any, block: int, together: str | None) -> Iterator[Any]:
    """Parts of so many rows; those of the same document, if there is a column of it, together.

    Raises:
        InputError: for a document whose rows do not follow each other.
    """
    if together is None and hasattr(data, "select") and hasattr(data, "data"):
        for low in range(0, len(data), block):
            yield data.select(range(low, min(low + block, len(data))))
        return
    if not isinstance(data, Iterable):
        raise InputError(f"data {show(data)}; a Dataset, or rows that are mappings, is needed")
    rows = _Rows()
    features = getattr(data, "features", None)
    seen: set[int] = set()
    last: Any = None
    for number, row in enumerate(data):
        now = row.get(together) if together is not None and isinstance(row, Mapping) else number
        if together is not None and (not number or now != last):
            if hash(now) in seen:
                raise InputError(
                    f"row {number + 1}: document {show(now)} again; in blocks the rows of a"
                    " document follow each other"
                )
            seen.add(hash(now))
        if len(rows) >= block and now != last:
            rows.features = features
            yield rows
            rows = _Rows()
        rows.append(row)
        last = now
    if rows:
        rows.features = features
        yield rows


def _numbered(blocks: Iterable[Corpus]) -> Iterator[Corpus]:
    """Corpora whose documents are numbered on, where they have no ids."""
    before = 0
    for corpus in blocks:
        yield corpus.with_ids(before=before)
        before += len(corpus)


def draft_dataset(data: Any, **columns: Any) -> RawCorpus:
    """The rows of a dataset, unchecked; as :func:`from_dataset`."""
    asked = dict.fromkeys(
        ("tokens", "text", "tags", "spans", "annotator", "document", "label_names", "split")
    )
    read = _read(data, **{**asked, "scheme": "auto", "strict": False, **columns})
    return RawCorpus.of(read) if isinstance(read, Corpus) else read


def _read(
    data: Any,
    tokens: str | None,
    text: str | None,
    tags: Mapping[str, str] | None,
    spans: Mapping[str, str] | str | None,
    annotator: str | None,
    document: str | None,
    label_names: Sequence[str] | Mapping[str, Sequence[str]] | None,
    split: str | None,
    scheme: str,
    strict: bool,
) -> RawCorpus | Corpus:
    """Rows of spans, unchecked, or a corpus of tags, which cannot hold anything to repair."""
    if tags is not None and not isinstance(tags, Mapping):
        raise SettingError(
            f"tags {show(tags)}; layer to column is needed, such as {{'gold': 'tags'}}"
        )
    if spans is not None and not isinstance(spans, (str, Mapping)):
        raise SettingError(f"spans {show(spans)}; annotator to column, or one column, is needed")
    long = isinstance(spans, str)
    if tags is not None and (spans is not None or tokens is None or annotator is not None):
        raise SettingError("tags go with tokens, and with neither spans nor annotator")
    if tags is None and spans is None:
        raise SettingError("neither tags nor spans; one of them says where the annotations are")
    if tags is None and text is None and tokens is None:
        raise SettingError(
            "neither text nor tokens; spans need the column that they are offsets in"
        )
    if long != (annotator is not None):
        raise SettingError(
            "the long form has one column of spans and one of annotators; name both, or give"
            " spans as annotator to column"
        )
    if long and document is None:
        raise SettingError("the long form needs document: the column that says which rows are one")
    named = list((tags or {}).values())
    named += [spans] if isinstance(spans, str) else list((spans or {}).values())
    columns = Columns(data, [*named, *filter(None, (tokens, text, annotator, document))], split)
    names = {column: layer_names(columns, column, label_names) for column in named}
    people = None if annotator is None else layer_names(columns, annotator, None)
    ids = None if document is None else columns.values(document)
    if tags is not None:
        return _from_tags(columns, str(tokens), ids, tags, names, scheme, strict)
    return _from_spans(columns, text, tokens, ids, spans or {}, annotator, names, people)


def _from_tags(
    columns: Columns,
    tokens: str,
    ids: list[Any] | None,
    tags: Mapping[str, str],
    names: Mapping[str, list[str] | None],
    scheme: str,
    strict: bool,
) -> Corpus:
    flat, lengths = columns.flat(tokens)
    words = flat if isinstance(flat, list) else flat.to_pylist()
    if not set(map(type, words)) <= {str} or (lengths < 0).any():
        raise InputError(
            f"column {show(tokens)}: a token is no string; lists of strings are needed"
        )
    tag_columns = {}
    for name, column in tags.items():
        flat, sizes = columns.flat(column)
        wrong = np.flatnonzero((sizes != lengths) & (sizes >= 0))
        if len(wrong):
            i = int(wrong[0])
            raise InputError(
                f"column {show(column)}, row {i + 1}: {sizes[i]} tags for {lengths[i]} tokens; each"
                " token needs one"
            )
        known, codes = label_codes(flat, names[column], column)
        never = sizes < 0
        if never.any():
            everywhere = np.full(int(lengths.sum()), -1)
            everywhere[np.repeat(~never, lengths)] = codes
            codes = everywhere
        tag_columns[name] = TagColumn(known, codes, never)
    read = read_columns(
        tag_columns,
        lengths,
        InDocument(lengths),
        scheme=scheme,
        strict=strict,
        partial="drop-tokens",
    )
    return Corpus.from_raw(
        read.lengths,
        read.layers,
        ids=None if ids is None else tuple(map(str, ids)),
        tokens=tuple(words if read.kept.all() else compress(words, read.kept.tolist())),
        reading={"format": "datasets", **read.settings},
        notes=tuple(read.notes),
    )


def _from_spans(
    columns: Columns,
    text: str | None,
    tokens: str | None,
    ids: list[Any] | None,
    spans: Mapping[str, str] | str,
    annotator: str | None,
    names: Mapping[str, list[str] | None],
    people: list[str] | None,
) -> RawCorpus:
    collector = Collector("characters" if text is not None else "tokens")
    contents = columns.values(str(text if text is not None else tokens))
    by_name = {} if isinstance(spans, str) else spans
    cells = {column: columns.values(column) for column in names}
    who = columns.values(annotator) if annotator is not None else []
    for name in by_name:
        collector.annotator(name, "spans")
    for i, content in enumerate(contents):
        where = f"row {i + 1}"
        given: dict[str, Any] = {"text" if text is not None else "tokens": content}
        id_ = str(i + 1) if ids is None else ids[i]
        d = collector.document(id_, where, again=annotator is not None, **given)
        if annotator is not None:
            name = who[i]
            if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
                name = people[name] if people and 0 <= name < len(people) else str(name)
            row = {name: cells[str(spans)][i]}
            labels = {name: names[str(spans)] for name in row}
        else:
            row = {name: cells[column][i] for name, column in by_name.items()}
            labels = {name: names[column] for name, column in by_name.items()}
        for name, found in row.items():
            if found is None:
                collector.annotator(name, where)
                continue
            annotation = collector.annotation(d, name, where)
            for start, end, label in span_records(found, f"{where}, annotator {show(name)}"):
                collector.segment(
                    annotation,
                    start,
                    end,
                    label_text(label, labels[name], where),
                    f"{where}, annotator {show(name)}",
                )
    return collector.draft({"format": "datasets"}, numbered=ids is None)
