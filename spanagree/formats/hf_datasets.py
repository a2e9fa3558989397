"""Hugging Face datasets, and any rows that look like theirs: tags, spans, or one row an annotation.

Reading takes the object, not the library: a Dataset is recognised by its Arrow table, whose columns
are taken as Arrow; everything else is iterated as mappings.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress
from typing import Any, overload

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus import Corpus
from spanagree.draft import Draft
from spanagree.errors import InputError, SettingError, check_whole, one_of, printable, show
from spanagree.formats.collect import Collector
from spanagree.formats.extras import optional
from spanagree.formats.tag_columns import InDocument, TagColumn, Vocabulary, read_columns

_LEFT_OUT = -100  # the label id of tokens that Trainer leaves out


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
    whole = _split(data, split)
    rows = _in_rows(whole, block, document if annotator is not None else None)
    return _numbered(read(None, scheme, strict, part) for part in rows)


def _corpus(repair: str | Sequence[str], *asked: Any) -> Corpus:
    *options, data = asked
    read = _read(data, *options)
    if isinstance(read, Corpus):
        return Draft.of(read).corpus(repair) if repair else read
    return read.corpus(repair)


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


def draft_dataset(data: Any, **columns: Any) -> Draft:
    """The rows of a dataset, unchecked; as :func:`from_dataset`."""
    asked = dict.fromkeys(
        ("tokens", "text", "tags", "spans", "annotator", "document", "label_names", "split")
    )
    read = _read(data, **{**asked, "scheme": "auto", "strict": False, **columns})
    return Draft.of(read) if isinstance(read, Corpus) else read


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
) -> Draft | Corpus:
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
    columns = _Columns(data, [*named, *filter(None, (tokens, text, annotator, document))], split)
    names = {column: _names(columns, column, label_names) for column in named}
    people = None if annotator is None else _names(columns, annotator, None)
    ids = None if document is None else columns.values(document)
    if tags is not None:
        return _from_tags(columns, str(tokens), ids, tags, names, scheme, strict)
    return _from_spans(columns, text, tokens, ids, spans or {}, annotator, names, people)


def _split(data: Any, split: str | None) -> Any:
    """The part of a DatasetDict that is asked for; other data as they are."""
    if isinstance(data, Mapping):
        if split not in data:
            raise one_of(split, map(str, data), "split")
        return data[split]
    if split is not None:
        raise SettingError(f"split {show(split)}, but the data has no splits")
    return data


class _Columns:
    """The columns that are asked for: of an Arrow table as Arrow, else as lists."""

    def __init__(self, data: Any, wanted: Sequence[str], split: str | None) -> None:
        data = _split(data, split)
        self.features: Mapping[str, Any] = getattr(data, "features", None) or {}
        self.table: Any = None
        self.lists: dict[str, list[Any]] = {column: [] for column in wanted}
        transformed = (getattr(data, "format", None) or {}).get("type") == "custom"
        if hasattr(data, "with_format") and hasattr(data, "data") and not transformed:
            existing = data.column_names
            self._check(wanted, existing)
            self.table = data.select_columns(list(dict.fromkeys(wanted))).with_format("arrow")[:]
            self.rows = len(self.table)
            return
        self.rows = 0
        if not isinstance(data, Iterable):
            raise InputError(f"data {show(data)}; a Dataset, or rows that are mappings, is needed")
        for row in data:
            if not isinstance(row, Mapping):
                raise InputError(f"row {self.rows + 1}: {show(row)}; rows are mappings")
            self._check(wanted, row, f"row {self.rows + 1}: ")
            for column, values in self.lists.items():
                values.append(row[column])
            self.rows += 1

    def _check(self, wanted: Iterable[str], existing: Iterable[str], where: str = "") -> None:
        known = list(existing)
        for column in wanted:
            if column not in known:
                there = ", ".join(printable(str(name)) for name in known)
                raise SettingError(f"{where}no column {show(column)}; there are {there or 'none'}")

    def values(self, column: str) -> list[Any]:
        if self.table is not None:
            return list(self.table.column(column).to_pylist())
        return self.lists[column]

    def flat(self, column: str) -> tuple[Any, Ints]:
        """The entries of all rows in a row, and how many each row has; −1 for null."""
        if self.table is None:
            values = self.values(column)
            for i, row in enumerate(values):
                if isinstance(row, (str, bytes)) or not (row is None or hasattr(row, "__len__")):
                    raise InputError(
                        f"column {show(column)}, row {i + 1}: {show(row)}; a list of tags is needed"
                    )
            sizes = [-1 if row is None else len(row) for row in values]
            flat: Any = list(chain.from_iterable(row for row in values if row is not None))
            return flat, np.array(sizes, np.int64)
        array = self.table.column(column).combine_chunks()
        if hasattr(array, "chunks"):  # older releases keep a chunked array
            array = array.chunk(0) if array.num_chunks else array
        if not hasattr(array, "value_lengths"):
            raise InputError(f"column {show(column)} has no lists; a list of tags a row is needed")
        lengths = array.value_lengths()
        return array.flatten(), np.array(lengths.fill_null(-1).to_numpy(zero_copy_only=False))


def _names(
    columns: _Columns, column: str, given: Sequence[str] | Mapping[str, Sequence[str]] | None
) -> list[str] | None:
    """The names of a column's label ids, from the caller or from the features."""
    if isinstance(given, Mapping):
        given = given.get(column)
    if given is not None:
        return list(given)
    feature = columns.features.get(column)
    while feature is not None and not hasattr(feature, "names"):
        if isinstance(feature, (list, tuple)) and feature:
            feature = feature[0]
        elif isinstance(feature, Mapping):
            feature = feature.get("label")
        else:
            feature = getattr(feature, "feature", None)
    return None if feature is None else list(feature.names)


def _from_tags(
    columns: _Columns,
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
        known, codes = _codes(flat, names[column], column)
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


def _codes(flat: Any, names: list[str] | None, column: str) -> tuple[list[str], Ints]:
    """Tags or label ids as numbers into the tags' names, −1 for those to leave out."""
    if hasattr(flat, "dictionary_encode") and str(flat.type) in ("string", "large_string"):
        coded = flat.dictionary_encode()
        indices = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return coded.dictionary.to_pylist(), indices.astype(np.int64)
    if isinstance(flat, list) and any(isinstance(tag, str) for tag in flat):
        odd = next((tag for tag in flat if not isinstance(tag, (str, int, type(None)))), None)
        if odd is not None:
            raise InputError(
                f"column {show(column)}: tags are strings or whole numbers; there are others"
            )
        number = Vocabulary()
        codes = np.array(
            [-1 if tag in (None, _LEFT_OUT) else number[tag] for tag in flat], np.int64
        )
        return list(number), codes
    try:
        codes = np.array(
            flat if isinstance(flat, list) else flat.to_numpy(zero_copy_only=False)
        ).astype(np.int64, casting="same_kind" if len(flat) else "unsafe")
    except (TypeError, ValueError):
        raise InputError(
            f"column {show(column)}: tags are strings or whole numbers; there are others"
        ) from None
    if not len(codes):
        return names or [], codes.astype(np.int64)
    if names is None:
        raise SettingError(
            f"column {show(column)} has label ids, but their names are not known; pass label_names"
        )
    outside = (codes >= len(names)) | ((codes < 0) & (codes != _LEFT_OUT))
    if outside.any():
        raise InputError(
            f"column {show(column)}: label id {codes[outside.argmax()]}; there are {len(names)}"
            f" names, so 0 to {len(names) - 1} and {_LEFT_OUT} are allowed"
        )
    return names, np.where(codes == _LEFT_OUT, -1, codes)


def _from_spans(
    columns: _Columns,
    text: str | None,
    tokens: str | None,
    ids: list[Any] | None,
    spans: Mapping[str, str] | str,
    annotator: str | None,
    names: Mapping[str, list[str] | None],
    people: list[str] | None,
) -> Draft:
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
            for start, end, label in _structs(found, f"{where}, annotator {show(name)}"):
                collector.segment(
                    annotation,
                    start,
                    end,
                    _label(label, labels[name], where),
                    f"{where}, annotator {show(name)}",
                )
    return collector.draft({"format": "datasets"}, numbered=ids is None)


def _structs(found: Any, where: str) -> Iterable[tuple[Any, Any, Any]]:
    """Spans as (start, end, label), from a list of structs, a struct of lists, or JSON of these."""
    if isinstance(found, str):  # as CSV files have to hold them
        try:
            found = json.loads(found)
        except ValueError:
            raise InputError(f"{where}: spans {show(found)}; no JSON of a list of spans") from None
    keys = ("start", "end", "label")
    if isinstance(found, Mapping):
        lists = [found.get(key) for key in keys]
        listed = all(isinstance(x, (list, tuple, np.ndarray)) for x in lists)
        if not listed or len({len(x) for x in lists if x is not None}) > 1:
            raise InputError(
                f"{where}: spans {show(found)}; lists of equal length under start, end and label"
                " are needed"
            )
        return list(zip(*(x for x in lists if x is not None), strict=True))
    if isinstance(found, (list, tuple, np.ndarray)) and all(
        isinstance(span, Mapping) and {"start", "end"} <= span.keys() for span in found
    ):
        return [(span["start"], span["end"], span.get("label")) for span in found]
    raise InputError(
        f"{where}: spans {show(found)}; a list of {{start, end, label}} is needed, or null"
    )


def _label(label: Any, names: list[str] | None, where: str) -> Any:
    if names is None or isinstance(label, (str, bool)) or not isinstance(label, (int, np.integer)):
        return label
    if 0 <= label < len(names):
        return names[label]
    raise InputError(f"{where}: label id {label}; 0 to {len(names) - 1} are allowed")


def to_dataset(corpus: Corpus) -> Any:
    """A Dataset with a row for each document: ``id``, ``tokens`` or ``text``, and spans.

    The column ``spans:NAME`` has annotator NAME's segments as a list of {start, end, label}, null
    where she never saw the document. It is read again with ``from_dataset(ds, text="text",
    spans={"NAME": "spans:NAME"}, document="id")``. Of a corpus of tokens the texts are not kept.

    Raises:
        SettingError: if datasets is not installed, or neither texts nor tokens are known.
    """
    datasets = optional("datasets", "datasets", "writing datasets")
    return datasets.Dataset.from_dict(**_columns_of(corpus, datasets))


def _columns_of(corpus: Corpus, datasets: Any) -> dict[str, Any]:
    characters = corpus.offsets == "characters"
    content = corpus.texts if characters else corpus.tokens
    if content is None:
        what = "texts" if characters else "tokens"
        raise SettingError(f"the {what} are not known; a dataset needs them")
    value = datasets.Value
    words = datasets.Sequence(value("string"))
    span = [{"start": value("int64"), "end": value("int64"), "label": value("string")}]
    features = {
        "id": value("string"),
        **({"text": value("string")} if characters else {"tokens": words}),
    }
    documents = list(corpus)
    columns: dict[str, list[Any]] = {"id": [d.id for d in documents]}
    if characters:
        columns["text"] = [d.text for d in documents]
    else:
        columns["tokens"] = [list(d.tokens or ()) for d in documents]
    for name in corpus.annotators:
        features[f"spans:{name}"] = span
        columns[f"spans:{name}"] = [
            None if (of := d.segments[name]) is None else [s._asdict() for s in of]
            for d in documents
        ]
    return {"mapping": columns, "features": datasets.Features(features)}
