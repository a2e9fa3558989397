"""Reader of CoNLL-like files: a token a line, tags in columns, blank lines between sentences."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Ints, encode_by_first_use
from spanagree.choices import Partial, Repair, Scheme, Unit
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.corpus.tag_columns import TagColumn, read_columns
from spanagree.corpus.tags import parse_tag
from spanagree.errors import (
    InputError,
    SettingError,
    check_known,
    pluralize,
    quote_value,
    write_number_of_further,
)
from spanagree.files import PathName, Source, name_layers, read_lines
from spanagree.formats.conll.align import find_shared_text
from spanagree.formats.conll.choose import (
    LayerRequest,
    decide_layers,
    find_bracket_reader,
    get_column_tags,
    yield_unread_tags,
)
from spanagree.formats.conll.columns import Column, Layout, find_column_number, split_columns
from spanagree.formats.conll.fields import encode_column
from spanagree.formats.conll.head import ConllHeader, infer_header, take_first_lines
from spanagree.formats.conll.lines import DOCSTART
from spanagree.formats.conll.page import ConllFile, ConllOptions, read_conll_file
from spanagree.formats.file_head import compose_ignored_note

_LONG = 500  # tokens; hardly any sentence has more
_Texts: TypeAlias = dict[PathName, str]


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
    """Read CoNLL-like files.

    A line has a token and its tags, separated by tabs or, if it has no tab, by spaces; below a
    first line with the names of the columns also by commas. Blank lines end sentences,
    ``-DOCSTART-``, ``# newdoc`` and ``# document_id`` lines begin documents. Any other line that
    begins with ``#`` is a token if it has as many columns as the file, and tags in the tag columns;
    else it is metadata and ignored. ``# sent_id = …`` names a sentence: if every sentence has an
    id, files with different sentences are matched by id.

    Args:
        source: file with a column for each layer, several files of the same text with a layer
            each, or ``FILE:COLUMN``; a mapping names the layers, else they have the names of the
            files.
        columns: tag column of each layer, by number (0 is the token), by its name in a first line,
            or by a key in the last column of CoNLL-U; or ``"1-3"``, ``"all"`` or a list for one
            file, or one column for several files. Default: the last column; in one file, the last
            columns with labels in common, the first of which is gold.
        unit: document of the corpus, sentence or document.
        sentences_from: layer with the sentences of all layers, if the unit is the document.
            Default: each layer has the sentences of its own file.
        scheme: auto (found for each layer), IO, IOB1, IOB2, IOE1, IOE2, IOBES or BILOU.
        strict: True to ignore segments that are not well-formed in the scheme.
        encoding: encoding of the files.
        ignore_tokens: True to align files by position though their tokens differ; a note has
            the number of these tokens.
        missing: tag of tokens that an annotator never saw, such as ``?``.
        outside: further tag, or tags, of unmarked tokens, in addition to ``O``: HIPE has ``_``,
            other files ``OTHER`` or ``NONE``.
        partial: treatment of documents that a layer covers in part, error or drop-tokens.
        attributes: columns, or keys of CoNLL-U's last column, with attributes of segments. A
            segment has the value of its first token, none for ``_``, and the first of the candidate
            ids ``Q1|Q2`` in HIPE's columns ``NEL-…``.
        repair: steps, of join-pieces, drop-repeats, latest, relocate-by-text, drop-misplaced,
            clip-beyond-text, drop-beyond-text, strip-space, widen-points, drop-empty,
            drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.
        progress: function called with the numbers of read layers and of all layers.

    Raises:
        InputError: if a file cannot be read, a row or tag is invalid, or texts differ, with file
            and line; if it is unclear which columns are layers.
        SettingError: if a unit, scheme, encoding or column is unknown.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "gold.conll").write_text("Jo B-PER\\nruns O\\n")
    ...     corpus = read_conll({"gold": Path(folder, "gold.conll")})
    >>> corpus[0].segments["gold"]
    (Segment(start=0, end=1, label='PER'),)
    """
    files, columns = split_columns(name_layers(source), columns)
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
    return build_valid_corpus(_read_rows_at_once(files, options, progress), repair)


def read_raw_conll(
    files: Mapping[str, PathName],
    *,
    progress: Callable[[int, int], None] | None = None,
    thorough: bool = False,
    **options: Any,
) -> RawCorpus:
    """Read the rows of CoNLL files without checks.

    Args:
        files: path of each layer.
        progress: see :func:`read_conll`.
        thorough: True to count the tags in columns that are not read, too.
        **options: further arguments of :func:`read_conll`.
    """
    return _read_rows_at_once(*_build_options(files, options), progress, thorough=thorough)


def find_tag_columns(path: PathName, **options: Any) -> dict[str, Any]:
    """Find the column of tags of each annotator in a file.

    Raises:
        InputError, SettingError: see :func:`read_conll`.
    """
    files, conll_options = _build_options({os.path.basename(os.fspath(path)): path}, options)
    first = {path: take_first_lines(read_lines(path, conll_options.encoding))}
    layers = _plan_reading(files, first, conll_options).layers
    return {layer.layer: layer.column for layer in layers}


def _build_options(
    files: Mapping[str, PathName], options: Mapping[str, Any]
) -> tuple[dict[str, PathName], ConllOptions]:
    """Separate paths from columns, and build the options."""
    paths, columns = split_columns(files, options.get("columns"))
    keywords = {**options, **({} if columns is None else {"columns": columns})}
    return paths, ConllOptions(**keywords)


class _Plan(NamedTuple):
    """Decisions before files are read whole.

    Attributes:
        options: options of reading.
        heads: header of each file.
        layers: layers with their columns.
        notes: notes on the layers.
    """

    options: ConllOptions
    heads: Mapping[PathName, ConllHeader]
    layers: Sequence[LayerRequest]
    notes: Sequence[str]


def _plan_reading(
    files: dict[str, PathName], first: Mapping[PathName, str], options: ConllOptions
) -> _Plan:
    """Decide on options, headers and layers from the first lines of files."""
    options = options.add_declared_columns(files, first)
    heads = options.infer_headers(files, first)
    return _Plan(options, heads, *decide_layers(files, first, heads, options))


def _read_rows_at_once(
    files: dict[str, PathName],
    options: ConllOptions,
    progress: Callable[[int, int], None] | None = None,
    *,
    thorough: bool = False,
) -> RawCorpus:
    """Read the rows of files that are held in memory as a whole.

    If ``thorough`` is True, tags in columns that are not read are counted.
    """
    paths = dict.fromkeys(files.values())
    texts = {path: read_lines(path, options.encoding) for path in paths}
    first = {path: take_first_lines(text) for path, text in texts.items()}
    plan = _plan_reading(files, first, options)
    return _build_rows(texts, plan, progress, thorough=thorough)


def _build_rows(
    texts: _Texts,
    plan: _Plan,
    progress: Callable[[int, int], None] | None = None,
    *,
    thorough: bool = False,
) -> RawCorpus:
    """Build the rows of files; each text is removed from `texts` when it is read.

    If ``thorough`` is True, tags in columns that are not read are counted.
    """
    options = plan.options
    by_sentence = options.unit == "sentence"
    by_path = _read_files(plan, texts, progress)
    conll_files = list(by_path.values())
    file_by_layer = {layer.layer: by_path[layer.path] for layer in plan.layers}
    text, notes = find_shared_text(conll_files, options.unit, options.ignore_tokens)
    ignored = {"ignore_tokens": True} if notes else {}  # all notes so far are of different tokens
    has_marks = [file for file in conll_files if file.has_docstart]
    if not by_sentence and not has_marks:
        notes.append(f"no {DOCSTART} line: all sentences are one document")
    sentences = {
        name: (text if by_sentence else file).sentences for name, file in file_by_layer.items()
    }
    other_sentences = "" if by_sentence else _count_differing_sentences(conll_files, text)
    if options.sentences_from is not None:
        check_known([options.sentences_from], sentences, "annotator for sentences_from")
        sentences = dict.fromkeys(sentences, sentences[options.sentences_from])
    elif other_sentences:
        notes.append(
            f"{other_sentences}: sentences begin elsewhere than in {text.name}, and each annotator"
            " is read"
            " in its own; --sentences-from NAME (sentences_from=) takes those of one"
        )
    attributes = {
        path: dict(_encode_attribute_column(file, column, text) for column in options.attributes)
        for path, file in by_path.items()
    }
    for _, path, column in plan.layers:
        _check_tags(by_path[path], column or 0, plan.heads[path].layout, options)
    tags = {
        layer: replace(
            _read_tag_column(by_path[path], column or 0, text, options.missing),
            attributes=attributes[path],
        )
        for layer, path, column in plan.layers
    }
    settings = dict(options.chosen or {})
    if not any(options.missing in column.names for column in tags.values()):
        settings.pop("missing", None)  # without effect
    file_notes = (note for file in conll_files for note in _yield_notes(file))
    unread_columns = (
        yield_unread_tags(
            file, [column for _, layer_path, column in plan.layers if layer_path == path], options
        )
        for path, file in (by_path.items() if thorough else ())
    )
    raw = read_columns(
        tags,
        text.sentences if by_sentence else text.documents,
        options,
        {"format": "conll", "unit": options.unit, **settings},
        unread=chain.from_iterable(unread_columns),
        sentences=sentences,
        location=lambda name, token: file_by_layer[name].locate_token(token, text),
        tokens=text.columns[0],
        ids=text.ids if by_sentence else text.document_ids,
        notes=[*notes, *file_notes, *plan.notes],
    )
    raw = raw.replace(reading={**raw.reading, **ignored})
    if not by_sentence:
        shared_sentences = next(iter(sentences.values()), None)
        if shared_sentences is None or (other_sentences and options.sentences_from is None):
            return raw
        return raw.replace(text_ends=_find_sentence_ends(shared_sentences, text.documents))
    # sentences that another file added by id have no known document
    marked_files = (file for file in has_marks if len(file.lines) == len(text.lines))
    file = next(marked_files, None)
    return raw if file is None else raw.replace(parent_ids=file.parent_ids)


def _find_sentence_ends(sentences: Ints, documents: Ints) -> tuple[Ints, ...]:
    """Find the ends of the sentences of each document, relative to its start."""
    starts, ends = np.cumsum(documents) - documents, np.cumsum(sentences)
    document_index = np.searchsorted(starts, ends, side="left") - 1
    return tuple(
        np.split(ends - starts[document_index], np.searchsorted(ends, starts[1:], side="right"))
    )


def _yield_notes(file: ConllFile) -> Iterator[str]:
    """Yield notes on a single file."""
    if file.odd_comments:
        yield (
            f"{file.name}:{file.odd_comments[0]}: begins with # and has a tab, but neither the"
            f" columns nor the tags of a token: passed over ({len(file.odd_comments)} such lines)"
        )
    yield from compose_ignored_note(file.name, file.n_skipped)
    if len(file.sentences) == 1 and len(file.lines) > _LONG:
        yield (
            f"{file.name}: no line is blank and no column says where sentences begin, so its"
            f" {pluralize(len(file.lines), 'token')} are one sentence"
        )


def _count_differing_sentences(files: Iterable[ConllFile], text: ConllFile) -> str:
    """Name the first file with other sentences than the text, and count such files."""
    names = [file.name for file in files if not np.array_equal(file.sentences, text.sentences)]
    return f"{names[0]}{write_number_of_further(len(names))}" if names else ""


def _read_files(
    plan: _Plan, texts: _Texts, progress: Callable[[int, int], None] | None
) -> dict[PathName, ConllFile]:
    """Read each file once, with all columns that layers need.

    ``texts`` are the texts by path, which are removed when they are read; ``progress`` receives the
    number of layers that are read and of all.
    """
    progress = progress or (lambda n_done, count: None)
    file_by_path: dict[PathName, ConllFile] = {}
    for n_done, (_, path, _) in enumerate(plan.layers):
        progress(n_done, len(plan.layers))
        if path not in file_by_path:
            columns = [column for _, layer_path, column in plan.layers if layer_path == path]
            # popped, so that the text is freed when it has been split
            file_by_path[path] = read_conll_file(
                path, texts.pop(path), plan.heads[path], columns, plan.options
            )
    progress(len(plan.layers), len(plan.layers))
    return file_by_path


def _read_tag_column(
    file: ConllFile, column: Column, text: ConllFile, missing: str | None
) -> TagColumn:
    """Read a column of tags, with a code for each token of the shared text.

    Tokens with the tag ``missing`` have the code −1.
    """
    codes, tags = encode_column(get_column_tags(file, column))
    if missing in tags:
        codes = np.where(codes == tags.index(missing), codes.dtype.type(-1), codes)
    read_special = find_bracket_reader(file, column, tags)
    return TagColumn(tags, *file.align_codes(codes, text), read_special=read_special)


def _check_tags(file: ConllFile, column: Column, layout: Layout, options: ConllOptions) -> None:
    """Check that a column has tags; labels without a prefix are allowed in some schemes.

    ``layout`` is the layout that the header of the file shows.

    Raises:
        InputError: if no value is a tag, with the first row and a hint.
    """
    index = find_column_number(column, file.layout)
    if index is None or index >= len(file.columns) or layout.ragged:
        return
    tags = options.replace_empty_tags(
        {*encode_column(file.columns[index])[1]} - {options.missing or "O"}
    )
    unknown = [tag for tag in tags if parse_tag(tag, options.scheme) is None]
    if not unknown or len(unknown) < len(tags) or "O" in file.columns[index] or "" in unknown:
        return
    first_row = [texts[0] for texts in file.columns]
    other_columns = [texts for i, texts in enumerate(file.columns) if i != index]
    may_have_header = not layout.header and not any(map(str.isdecimal, first_row))
    values_below = [texts[may_have_header:] for texts in other_columns]
    n_numeric_columns = sum(
        bool(texts) and all(map(str.isdecimal, texts)) for texts in values_below
    )
    hint = "no column has tags, such as O and B-PER; labels alone are read with --scheme IO"
    if n_numeric_columns > 1:
        hint = (
            "numbers in several columns, as of spans by offsets, and no texts: --from dataset reads"
            " such a table below the names of its columns, beside a file with the texts"
        )
    elif (
        may_have_header
        and len(first_row) > 2
        and list(file.columns[index]).count(first_row[index]) == 1
    ):
        hint = (
            "which may be names of columns: none is called token or word, and none has tags, such"
            " as O and B-PER"
        )
    raise InputError(
        f"{file.format_location(0)}: unknown tag {quote_value(first_row[index])}; the file has"
        f" rows of {pluralize(len(first_row), 'cell')}, of which the first is"
        f" {quote_value(', '.join(first_row))};"
        f" {hint}"
    )


def _encode_attribute_column(
    file: ConllFile, column: Column, text: ConllFile
) -> tuple[str, tuple[Ints, tuple[str, ...]]]:
    """Encode a column of values of an attribute, for each token of the shared text.

    Returns:
        The name of the column; the code of each token's value, −1 without a value, and the values.
    """
    name, tags = file.layout.get_column_name(column), _read_tag_column(file, column, text, None)
    has_candidates = name.startswith("NEL-")
    value_codes, values = encode_by_first_use(
        tag.partition("|")[0] if has_candidates else tag for tag in tags.names
    )
    is_none = np.isin(values, ["", "_", "O"])
    codes_or_none = np.append(
        np.where(is_none[value_codes], -1, value_codes), -1
    )  # the last code is of unseen tokens
    return name, (codes_or_none[tags.codes], values)


def read_column_values(
    path: PathName, column: str, unit: str = "sentence", encoding: str = "utf-8"
) -> tuple[tuple[str, ...] | None, list[list[str]]]:
    """Read the ids of a file's documents, if it has any, and the values of a column in each.

    Args:
        path: path of the file.
        column: name of the column in a first line, or its number; 0 is the token.
        unit: document of the corpus, sentence or document.
        encoding: encoding of the file.

    Raises:
        InputError: if the file cannot be read.
        SettingError: if the column does not exist.
    """
    text = read_lines(path, encoding)
    options = ConllOptions(unit=unit, encoding=encoding)
    head = infer_header(take_first_lines(text))
    file = read_conll_file(path, text, head, [], options)
    index = find_column_number(column, file.layout)
    if index is None or index >= len(file.columns):
        names = file.layout.names or range(len(file.columns))
        raise SettingError(
            f"{file.name}: no column {quote_value(column)}; known are {', '.join(map(str, names))}"
        )
    values = list(file.columns[index])
    lengths = file.sentences if unit == "sentence" else file.documents
    ends = np.cumsum(lengths).tolist()
    starts = [0, *ends[:-1]]
    ids = file.ids if unit == "sentence" else file.document_ids
    return ids, [values[start:end] for start, end in zip(starts, ends, strict=True)]
