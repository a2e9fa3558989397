"""CoNLL-like files: a token a line, its tags in columns, a blank line between sentences."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Ints
from spanagree.choices import Partial, Repair, Scheme, Unit
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.segments import codes
from spanagree.corpus.tag_columns import TagColumn, read_columns
from spanagree.corpus.tags import parse_tag
from spanagree.errors import (
    InputError,
    SettingError,
    check_known,
    more_like_it,
    pluralize,
    quote_value,
)
from spanagree.files import PathName, Source, named_files, read_lines
from spanagree.formats.conll.align import align
from spanagree.formats.conll.choose import (
    LayerRequest,
    brackets_of,
    decided_layers,
    tags_beside,
    tags_of,
)
from spanagree.formats.conll.columns import Column, Layout, number_of, split_columns
from spanagree.formats.conll.fields import numbered
from spanagree.formats.conll.head import ConllHeader, first_lines, head_of
from spanagree.formats.conll.lines import DOCSTART
from spanagree.formats.conll.page import ConllFile, ConllOptions, read_page
from spanagree.formats.file_head import passed_over

_LONG = 500  # tokens of a sentence, which hardly any has
_Texts: TypeAlias = dict[PathName, str]  # of each file


def read_conll(
    source: Source,
    *,
    columns: Mapping[str, Column] | Column | Sequence[Column] | None = None,
    unit: Unit = "sentence",
    sentences_from: str | None = None,
    scheme: Scheme = "auto",
    strict: bool = False,
    encoding: str = "utf-8",
    ignore_tokens: bool = False,
    missing: str | None = None,
    outside: str | Sequence[str] = (),
    partial: Partial = "error",
    attributes: Sequence[Column] = (),
    repair: Repair | Sequence[Repair] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Corpus:
    """Return the corpus in CoNLL-like files.

    A line has a token and its tags, separated by tabs or, where it has no tab, by spaces; below a
    first line with the names of the columns, commas will do. Blank lines end sentences,
    ``-DOCSTART-``, ``# newdoc`` and ``# document_id`` lines begin documents. Another line that
    begins with ``#`` is a token where it can be one (as many columns as the file, and tags in the
    tag columns), else metadata, which is passed over. ``# sent_id = …`` names a sentence: where
    each has one, files that hold different sentences are matched by them.

    Args:
        source: one file with a column for each layer, or several of the same text with a layer
            each, or ``FILE:COLUMN``; a mapping names the layers, else they are called as the files.
        columns: layer to tag column, by number (0 is the token) or by its name in a first line, or
            a key of the last column of CoNLL-U; ``"1-3"``, ``"all"`` or a list of one file, a
            column of each of several. Default is the last column; of one file those at the end
            that have labels in common, the first as gold.
        unit: what a document of the corpus is, sentence or document.
        sentences_from: the layer whose sentences hold for all, where documents are the unit; else
            each layer is read in those of its own file.
        scheme: auto (each layer's own), IO, IOB1, IOB2, IOE1, IOE2, IOBES or BILOU.
        strict: take only segments that are well-formed in the scheme.
        encoding: of the files.
        ignore_tokens: align files by position, though their tokens differ; how many do is noted.
        missing: what stands for a tag where the annotator never saw the text, such as ``?``.
        outside: a tag, or several, that means that nothing is marked, in addition to ``O``: HIPE
            has ``_``, others ``OTHER`` or ``NONE``.
        partial: what becomes of documents that a layer covers in part, error or drop-tokens.
        attributes: columns, or keys of CoNLL-U's last, whose values become attributes of segments:
            that of the first token, none for ``_``. Of ids in HIPE's columns ``NEL-…``, which rank
            candidates as ``Q1|Q2``, the first.
        repair: steps, of join-pieces, drop-repeats, latest, relocate-by-text, drop-misplaced,
            clip-beyond-text, drop-beyond-text, strip-space, widen-points, drop-empty,
            drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.
        progress: called with the number of layers read and of all.

    Raises:
        InputError: for files that cannot be read, rows that do not fit, unknown tags, texts that
            differ, with file and line; where it is not clear which columns are meant.
        SettingError: for an unknown unit, scheme, encoding or column.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "gold.conll").write_text("Jo B-PER\\nruns O\\n")
    ...     corpus = read_conll({"gold": Path(folder, "gold.conll")})
    >>> corpus[0].segments["gold"]
    (Segment(start=0, end=1, label='PER'),)
    """
    files, columns = split_columns(named_files(source), columns)
    options = ConllOptions(
        scheme=scheme,
        strict=strict,
        partial=partial,
        unit=unit,
        columns={} if columns is None else columns,
        encoding=encoding,
        ignore_tokens=ignore_tokens,
        missing=missing,
        outside=outside,
        repair=repair,
        sentences_from=sentences_from,
        attributes=attributes,
    )
    return valid_corpus(_read(files, options, progress), repair)


def raw_conll(
    files: Mapping[str, PathName],
    *,
    progress: Callable[[int, int], None] | None = None,
    thorough: bool = False,
    **options: Any,
) -> RawCorpus:
    """Return the rows of CoNLL files, unchecked; as :func:`read_conll`.

    If ``thorough``, the tags in columns that are not read are counted too.
    """
    return _read(*_options(files, options), progress, thorough=thorough)


def columns_read(path: PathName, **options: Any) -> dict[str, Any]:
    """Return which column of tags is read of a file for each annotator.

    Raises:
        InputError, SettingError: as for :func:`read_conll`.
    """
    files, given = _options({os.path.basename(os.fspath(path)): path}, options)
    first = {path: first_lines(read_lines(path, given.encoding))}
    layers = _planned(files, first, given).layers
    return {layer.layer: layer.column for layer in layers}


def _options(
    files: Mapping[str, PathName], options: Mapping[str, Any]
) -> tuple[dict[str, PathName], ConllOptions]:
    """Return files and options, with the columns that stand behind the files' names."""
    paths, columns = split_columns(files, options.get("columns"))
    given = {**options, **({} if columns is None else {"columns": columns})}
    return paths, ConllOptions(**given)


class _Plan(NamedTuple):
    """What is settled before the files are read.

    Attributes:
        options: how they are read.
        heads: what the first lines of each settle.
        layers: the layers that they have, with their columns.
        remarks: what there is to note on these.
    """

    options: ConllOptions
    heads: Mapping[PathName, ConllHeader]
    layers: Sequence[LayerRequest]
    remarks: Sequence[str]


def _planned(
    files: dict[str, PathName], first: Mapping[PathName, str], options: ConllOptions
) -> _Plan:
    """Return what the first lines of whole files settle."""
    options = options.with_declared(files, first)
    heads = options.heads(files, first)
    return _Plan(options, heads, *decided_layers(files, first, heads, options))


def _read(
    files: dict[str, PathName],
    options: ConllOptions,
    progress: Callable[[int, int], None] | None = None,
    *,
    thorough: bool = False,
) -> RawCorpus:
    """Return the rows of whole files."""
    paths = dict.fromkeys(files.values())
    texts = {path: read_lines(path, options.encoding) for path in paths}
    first = {path: first_lines(text) for path, text in texts.items()}
    plan = _planned(files, first, options)
    return _raw(texts, plan, progress, thorough=thorough)


def _raw(
    texts: _Texts,
    plan: _Plan,
    progress: Callable[[int, int], None] | None = None,
    *,
    thorough: bool = False,
) -> RawCorpus:
    """Return the rows of some files, whose texts are used up."""
    options = plan.options
    by_sentence = options.unit == "sentence"
    by_path = _pages(plan, texts, progress)
    pages = list(by_path.values())
    page_of = {layer.layer: by_path[layer.path] for layer in plan.layers}
    text, notes = align(pages, options.unit, options.ignore_tokens)
    ignored = {"ignore_tokens": True} if notes else {}  # each says that tokens differ
    has_marks = [page for page in pages if page.has_docstart]
    if not by_sentence and not has_marks:
        notes.append(f"no {DOCSTART} line: all sentences are one document")
    sentences = {name: (text if by_sentence else page).sentences for name, page in page_of.items()}
    differ = "" if by_sentence else _differ(pages, text)
    if options.sentences_from is not None:
        check_known([options.sentences_from], sentences, "annotator for sentences_from")
        sentences = dict.fromkeys(sentences, sentences[options.sentences_from])
    elif differ:
        notes.append(
            f"{differ}: sentences begin elsewhere than in {text.name}, and each annotator is read"
            " in its own; --sentences-from NAME (sentences_from=) takes those of one"
        )
    attributes = {
        path: dict(_attribute(page, column, text) for column in options.attributes)
        for path, page in by_path.items()
    }
    for _, path, column in plan.layers:
        _check_tags(by_path[path], column or 0, plan.heads[path].layout, options)
    tags = {
        layer: replace(
            _tags(by_path[path], column or 0, text, options.missing),
            attributes=attributes[path],
        )
        for layer, path, column in plan.layers
    }
    chosen = dict(options.chosen or {})
    if not any(options.missing in column.names for column in tags.values()):
        chosen.pop("missing", None)  # it had no effect
    of_pages = (note for page in pages for note in _notes_on(page))
    beside = (
        tags_beside(page, [c for _, other, c in plan.layers if other == path], options)
        for path, page in (by_path.items() if thorough else ())
    )
    raw = read_columns(
        tags,
        text.sentences if by_sentence else text.documents,
        options,
        {"format": "conll", "unit": options.unit, **chosen},
        unread=chain.from_iterable(beside),
        sentences=sentences,
        location=lambda name, token: page_of[name].line_of(token, text),
        tokens=text.columns[0],
        ids=text.ids if by_sentence else text.document_ids,
        notes=[*notes, *of_pages, *plan.remarks],
    )
    raw = raw.replace(reading={**raw.reading, **ignored})
    if not by_sentence:
        shared = next(iter(sentences.values()), None)
        if shared is None or (differ and options.sentences_from is None):
            return raw
        return raw.replace(text_ends=_ends(shared, text.documents))
    # of sentences that another file added by id the document is not known
    marked = (page for page in has_marks if len(page.lines) == len(text.lines))
    page = next(marked, None)
    return raw if page is None else raw.replace(parent_ids=page.parent_ids)


def _ends(sentences: Ints, documents: Ints) -> tuple[Ints, ...]:
    """Return where the sentences of each document end in it."""
    begins, ends = np.cumsum(documents) - documents, np.cumsum(sentences)
    document_index = np.searchsorted(begins, ends, side="left") - 1
    return tuple(
        np.split(ends - begins[document_index], np.searchsorted(ends, begins[1:], side="right"))
    )


def _notes_on(page: ConllFile) -> Iterator[str]:
    """Yield what is to be said of a file by itself."""
    if page.odd_comments:
        yield (
            f"{page.name}:{page.odd_comments[0]}: begins with # and has a tab, but neither the"
            f" columns nor the tags of a token: passed over ({len(page.odd_comments)} such lines)"
        )
    yield from passed_over(page.name, page.passed)
    if len(page.sentences) == 1 and len(page.lines) > _LONG:
        yield (
            f"{page.name}: no line is blank and no column says where sentences begin, so its"
            f" {pluralize(len(page.lines), 'token')} are one sentence"
        )


def _differ(pages: Iterable[ConllFile], text: ConllFile) -> str:
    """Return the first file whose sentences are not those of the text, and how many there are."""
    names = [page.name for page in pages if not np.array_equal(page.sentences, text.sentences)]
    return f"{names[0]}{more_like_it(len(names))}" if names else ""


def _pages(
    plan: _Plan, texts: _Texts, progress: Callable[[int, int], None] | None
) -> dict[PathName, ConllFile]:
    """Return each file's page, with all columns that are wanted; ``texts`` are used up."""
    progress = progress or (lambda done, count: None)
    pages: dict[PathName, ConllFile] = {}
    for done, (_, path, _) in enumerate(plan.layers):
        progress(done, len(plan.layers))
        if path not in pages:
            columns = [column for _, other, column in plan.layers if other == path]
            # popped, so that its text can be freed as soon as it is split
            pages[path] = read_page(path, texts.pop(path), plan.heads[path], columns, plan.options)
    progress(len(plan.layers), len(plan.layers))
    return pages


def _tags(page: ConllFile, column: Column, text: ConllFile, missing: str | None) -> TagColumn:
    """Return a page's column of tags, at the places of the whole text."""
    numbers, tags = numbered(tags_of(page, column))
    if missing in tags:
        numbers = np.where(numbers == tags.index(missing), numbers.dtype.type(-1), numbers)
    order = brackets_of(page, column, tags)
    return TagColumn(tags, *page.placed(numbers, text), brackets=order)


def _check_tags(page: ConllFile, column: Column, layout: Layout, options: ConllOptions) -> None:
    """Refuse a file whose column has no tag at all, unless a label may stand bare.

    Raises:
        InputError: then, with what the file looks like and what is missing in it.
    """
    number = number_of(column, page.layout)
    if number is None or number >= len(page.columns) or layout.ragged:
        return
    tags = options.as_tags({*numbered(page.columns[number])[1]} - {options.missing or "O"})
    unknown = [tag for tag in tags if parse_tag(tag, options.scheme) is None]
    if not unknown or len(unknown) < len(tags) or "O" in page.columns[number] or "" in unknown:
        return
    cells = [texts[0] for texts in page.columns]
    others = [texts for c, texts in enumerate(page.columns) if c != number]
    has_head = not layout.header and not any(map(str.isdecimal, cells))
    below = [texts[has_head:] for texts in others]
    numbers = sum(bool(texts) and all(map(str.isdecimal, texts)) for texts in below)
    lacks = "no column has tags, such as O and B-PER; labels alone are read with --scheme IO"
    if numbers > 1:
        lacks = (
            "numbers in several columns, as of spans by offsets, and no texts: --from dataset reads"
            " such a table below the names of its columns, beside a file with the texts"
        )
    elif has_head and len(cells) > 2 and list(page.columns[number]).count(cells[number]) == 1:
        lacks = (
            "which may be names of columns: none is called token or word, and none has tags, such"
            " as O and B-PER"
        )
    raise InputError(
        f"{page.location(0)}: unknown tag {quote_value(cells[number])}; the file has rows of"
        f" {pluralize(len(cells), 'cell')}, of which the first is {quote_value(', '.join(cells))};"
        f" {lacks}"
    )


def _attribute(
    page: ConllFile, column: Column, text: ConllFile
) -> tuple[str, tuple[Ints, tuple[str, ...]]]:
    """Return a column's name, its value of each token, −1 for none, and what these stand for."""
    name, tags = page.layout.called(column), _tags(page, column, text, None)
    ranked = name.startswith("NEL-")
    number, values = codes(x.partition("|")[0] if ranked else x for x in tags.names)
    none = np.isin(values, ["", "_", "O"])
    known = np.append(np.where(none[number], -1, number), -1)  # the last is of tokens not seen
    return name, (known[tags.codes], values)


def column_values(
    path: PathName, column: str, unit: str = "sentence", encoding: str = "utf-8"
) -> tuple[tuple[str, ...] | None, list[list[str]]]:
    """Return the ids of a file's documents, if they have any, and a column's values in each.

    Args:
        path: the file.
        column: the column's name in a first line, or its number; 0 is the token.
        unit: what a document is, sentence or document.
        encoding: of the file.

    Raises:
        InputError: for a file that cannot be read.
        SettingError: for a column that is not there.
    """
    text = read_lines(path, encoding)
    options = ConllOptions(unit=unit, encoding=encoding)
    head = head_of(first_lines(text))
    page = read_page(path, text, head, [], options)
    number = number_of(column, page.layout)
    if number is None or number >= len(page.columns):
        names = page.layout.names or range(len(page.columns))
        raise SettingError(
            f"{page.name}: no column {quote_value(column)}; known are {', '.join(map(str, names))}"
        )
    values = list(page.columns[number])
    lengths = page.sentences if unit == "sentence" else page.documents
    ends = np.cumsum(lengths).tolist()
    starts = [0, *ends[:-1]]
    ids = page.ids if unit == "sentence" else page.document_ids
    return ids, [values[a:b] for a, b in zip(starts, ends, strict=True)]
