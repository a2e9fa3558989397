"""Hugging Face datasets, and any rows that look like theirs: tags, spans, or one row an annotation.

Reading takes the object, not the library: a Dataset is recognised by its Arrow table, whose columns
are taken as Arrow; everything else is iterated as mappings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from spanagree.choices import Repair, Scheme
from spanagree.corpus.collector import Collector, document_id, text_of_whole
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.tag_columns import TagColumn, TagOptions, read_columns
from spanagree.errors import InputError, SettingError, check_whole, counted, is_whole, show
from spanagree.formats.hugging_face.columns import (
    Columns,
    choose_split,
    label_codes,
    layer_names,
    span_records,
)
from spanagree.settings import as_read


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
    scheme: Scheme = "auto",
    strict: bool = False,
    repair: Repair | Sequence[Repair] = (),
    block: int | None = None,
) -> Corpus | Iterator[Corpus]:
    """Return the corpus in a Dataset, an IterableDataset, or any iterable of mappings.

    ``tokens`` with ``tags`` (a column of tags or label ids for each layer); ``text`` or ``tokens``
    with ``spans`` (a column of lists of {start, end, label} for each annotator); or, in the long
    form, a row for each document and annotator, ``spans``, ``annotator`` and ``document`` each a
    column. Null: never seen by the annotator; an empty list: seen, and nothing marked.

    Args:
        data: the rows. Of a DatasetDict, ``split`` is read.
        tokens: the column of tokens.
        text: the column of texts instead; offsets of spans then count characters.
        tags: layer to column of tags: strings, or label ids with their names in the features. A
            token of id −100 in a layer is left out in all; a document of these alone was not seen.
        spans: annotator to column of spans; a list of structs or a struct of lists.
        annotator: the column of the annotators' names (long form).
        document: the column of the documents' ids.
        label_names: the names of label ids where the features lack them, for all columns or each.
        split: which part of a DatasetDict.
        scheme: auto (each layer's own), IO, IOB1, IOB2, IOE1, IOE2, IOBES or BILOU.
        strict: take only segments that are well-formed in the scheme.
        repair: steps, of drop-repeats, latest, clip-beyond-text, drop-beyond-text, strip-space,
            drop-empty, drop-unlabelled, drop-duplicates, merge-overlaps.
        block: for data too large for memory: a corpus for each so many rows. In the long form the
            rows of a document follow each other, and stay together.

    Raises:
        SettingError: for columns that do not exist or do not make one of the three shapes, an
            unknown split, unknown choices.
        InputError: for values of the wrong kind, and flaws that no repair was asked for.

    >>> spans = [{"start": 0, "end": 2, "label": "PER"}]
    >>> rows = [{"id": "7", "text": "Jo!", "who": "ann", "spans": spans}]
    >>> ask = {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}
    >>> from_dataset(rows, **ask)[0].segments
    {'ann': (Segment(start=0, end=2, label='PER'),)}
    """
    content = (tokens, text, tags, spans, annotator, document, label_names, split)
    shape = _Shape(scheme, strict, "drop-tokens", *content)
    data = choose_split(data, split)
    if block is None:
        return valid_corpus(_read(data, shape), repair)
    check_whole(block, 1, "block")
    rows = _in_rows(data, block, document if annotator is not None else None)
    return _numbered(valid_corpus(_read(part, shape), repair) for part in rows)


def raw_dataset(data: Any, *, split: str | None = None, **columns: Any) -> RawCorpus:
    """Return the rows of a dataset, unchecked; as :func:`from_dataset`."""
    shape = _Shape(**{"partial": "drop-tokens", "split": split, **columns})
    return _read(choose_split(data, split), shape)


@dataclass(frozen=True)
class _Shape(TagOptions):
    """Which columns hold what; as in :func:`from_dataset`."""

    tokens: str | None = None
    text: str | None = None
    tags: Mapping[str, str] | None = None
    spans: Mapping[str, str] | str | None = None
    annotator: str | None = None
    document: str | None = None
    label_names: Sequence[str] | Mapping[str, Sequence[str]] | None = None
    split: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        tags, spans, annotator = self.tags, self.spans, self.annotator
        content = self.text is not None or self.tokens is not None
        wrong = {
            f"tags {show(tags)}; layer to column is needed, such as {{'gold': 'tags'}}": (
                tags is not None and not isinstance(tags, Mapping)
            ),
            f"spans {show(spans)}; annotator to column, or one column, is needed": (
                spans is not None and not isinstance(spans, (str, Mapping))
            ),
            "tags go with tokens, and with neither spans nor annotator": tags is not None
            and (spans is not None or self.tokens is None or annotator is not None),
            "neither tags nor spans; one of them says where the annotations are": tags is None
            and spans is None,
            "neither text nor tokens; spans need the column that they are offsets in": not content,
            "the long form has one column of spans and one of annotators; name both, or give spans"
            " as annotator to column": isinstance(spans, str) != (annotator is not None),
            "the long form needs document: the column that says which rows are one": (
                annotator is not None and self.document is None
            ),
        }
        for problem in (problem for problem, case in wrong.items() if case):
            raise SettingError(problem)
        others = (self.tokens, self.text, self.annotator, self.document)
        for column in (*self.layers.values(), *others):
            if column is not None and not isinstance(column, str):
                raise SettingError(f"column {show(column)}; the name of a column is needed")

    @property
    def chosen(self) -> dict[str, Any]:
        """What was read, for the signature."""
        names = ("tokens", "text", "tags", "spans", "annotator", "document", "label_names", "split")
        return as_read(**{name: getattr(self, name) for name in names})

    @property
    def layers(self) -> dict[str, str]:
        """The column of tags or spans by layer; in the long form the one column by its name."""
        if isinstance(self.spans, str):
            return {self.spans: self.spans}
        return dict(self.tags or self.spans or {})


class _Rows(list[Mapping[str, Any]]):
    """Some rows of a dataset, with what it knows of its columns."""

    def __init__(self, features: Any) -> None:
        super().__init__()
        self.features = features


def _in_rows(data: Any, block: int, together: str | None) -> Iterator[Any]:
    """Yield parts of so many rows; those of the same document together, if a column names it.

    Raises:
        InputError: for a document whose rows do not follow each other.
    """
    if together is None and hasattr(data, "select") and hasattr(data, "data"):
        for low in range(0, len(data), block):
            yield data.select(range(low, min(low + block, len(data))))
        return
    features = getattr(data, "features", None)
    rows = _Rows(features)
    seen: set[int] = set()
    last: Any = None
    for number, row in enumerate(data):
        now: Any = number
        if together is not None and isinstance(row, Mapping) and together in row:
            now = document_id(row[together], f"row {number + 1}")
        if together is not None and (not number or now != last):
            if hash(now) in seen:
                raise InputError(
                    f"row {number + 1}: document {show(now)} again; in blocks the rows of a"
                    " document follow each other"
                )
            seen.add(hash(now))
        if len(rows) >= block and now != last:
            yield rows
            rows = _Rows(features)
        rows.append(row)
        last = now
    if rows:
        yield rows


def _numbered(blocks: Iterable[Corpus]) -> Iterator[Corpus]:
    """Yield corpora whose documents are numbered on, where they have no ids."""
    before = 0
    for corpus in blocks:
        yield corpus.with_ids(before=before)
        before += len(corpus)


def _read(data: Any, shape: _Shape) -> RawCorpus:
    """Return the rows of a dataset, unchecked."""
    named = list(shape.layers.values())
    others = filter(None, (shape.tokens, shape.text, shape.annotator, shape.document))
    columns = Columns(data, [*named, *others])
    ids = None if shape.document is None else columns.values(shape.document)
    return (_from_spans if shape.tags is None else _from_tags)(columns, shape, ids)


def _from_tags(columns: Columns, shape: _Shape, ids: list[Any] | None) -> RawCorpus:
    """Return the rows of columns of tags, one for each layer."""
    tokens = str(shape.tokens)
    flat, lengths = columns.flat(tokens)
    words = flat if isinstance(flat, list) else flat.to_pylist()
    if not set(map(type, words)) <= {str} or (lengths < 0).any():
        raise InputError(
            f"column {show(tokens)}: a token is not a string; lists of strings are needed"
        )
    tag_columns = {}
    for name, column in shape.layers.items():
        flat, sizes = columns.flat(column)
        for i in np.flatnonzero((sizes != lengths) & (sizes >= 0))[:1].tolist():
            raise InputError(
                f"column {show(column)}, row {i + 1}: {counted(sizes[i], 'tag')} for"
                f" {counted(lengths[i], 'token')}; each token needs one"
            )
        names = layer_names(columns, column, shape.label_names)
        known, codes = label_codes(flat, names, column)
        tag_columns[name] = TagColumn.of_seen(known, codes, sizes < 0, lengths)
    reading = {"format": "datasets", **shape.chosen}
    names_of = ids and [document_id(id_, f"row {i}") for i, id_ in enumerate(ids, 1)]
    return read_columns(tag_columns, lengths, shape, reading, tokens=words, ids=names_of)


def _from_spans(columns: Columns, shape: _Shape, ids: list[Any] | None) -> RawCorpus:
    """Return the rows of columns of spans, or of the long form."""
    content, offsets = ("text", "characters") if shape.text is not None else ("tokens", "tokens")
    contents = columns.values(str(shape.text or shape.tokens))
    layers = {
        name: (columns.values(column), layer_names(columns, column, shape.label_names))
        for name, column in shape.layers.items()
    }
    long = shape.annotator is not None
    who = _annotators(columns, shape.annotator) if shape.annotator is not None else []
    collector = Collector(offsets, () if long else layers)
    for i, cell in enumerate(contents):
        where = f"row {i + 1}"
        id_ = str(i + 1) if ids is None else ids[i]
        document = collector.document(id_, where, again=long, **{content: cell})
        for layer, (cells, names) in layers.items():
            name = who[i] if long else layer
            place = f"{where}, annotator {show(name)}"
            rows = span_records(cells[i], names, place)
            collector.annotate(document, name, rows, place)
    return collector.raw({"format": "datasets", **shape.chosen}, numbered=ids is None)


def _annotators(columns: Columns, column: str) -> list[Any]:
    """Return the names in a column of annotators, which may have ids for them."""
    names = layer_names(columns, column, None) or []
    return [
        names[who] if is_whole(who) and 0 <= who < len(names) else text_of_whole(who)
        for who in columns.values(column)
    ]
