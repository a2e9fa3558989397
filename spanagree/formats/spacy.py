"""Readers and writers of spaCy's Docs and .spacy files.

Readers take the objects, not the library: any objects with ``text``, tokens with ``text`` and
``idx``, and ``ents`` or ``spans`` like those in spaCy.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from spanagree.choices import Partial, Repair
from spanagree.corpus.corpus import Corpus, check_corpus
from spanagree.corpus.details import SCORE
from spanagree.corpus.document_versions import check_same_text
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.corpus.segments import find_overlapping
from spanagree.corpus.tag_columns import PARTIAL
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    check_choice,
    check_known,
    escape_path,
    find_reason,
    format_setting,
    invalid_value,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.extras import import_optional
from spanagree.files import PathName, Source, check_writable, name_layers, read_bytes, write_bytes
from spanagree.formats.records import (
    RawAnnotation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.limits import check_zlib
from spanagree.settings import build_reading_settings

_Row: TypeAlias = Mapping[str, Any]  # Docs of one text, by annotator

_UNSET = 0  # ent_iob of a token without annotation
_ID, _NEVER = "spanagree_id", "spanagree_never"  # keys of doc.user_data in written Docs


def from_docs(
    layers: Mapping[str, Sequence[Any]],
    *,
    spans: str | None = None,
    ids: Sequence[str] | None = None,
    partial: Partial = "error",
    scores: bool = False,
    repair: Repair | Sequence[Repair] = (),
) -> Corpus:
    """Build a corpus from spaCy Docs, a list of them for each annotator.

    Offsets count tokens if all annotators' Docs of a text have the same tokens; otherwise they
    count characters, with a note.

    Args:
        layers: lists of Docs of the same texts, in the same order, by annotator; ``None`` in place
            of a Doc means that the annotator never saw it.
        spans: key of ``doc.spans`` to read. Default: ``doc.ents``. A Doc without the key, or with
            ``ent_iob`` 0 for all tokens, is not annotated.
        ids: unique name of each document.
        partial: treatment of Docs with ``ent_iob`` 0 for some tokens: error or drop-tokens.
        scores: True to read the scores in ``doc.spans[spans].attrs["scores"]``, set by a
            SpanCategorizer, as the attribute ``score``.
        repair: repair steps, from join-pieces, drop-repeats, latest, relocate-by-text,
            drop-misplaced, clip-beyond-text, drop-beyond-text, strip-space, widen-points,
            drop-empty, drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.

    Raises:
        InputError: if texts differ, lists differ in length, Docs are partly annotated, or
            annotations have flaws that no requested step repairs.
        SettingError: if a repair or ``partial`` is unknown.

    >>> import spacy
    >>> from spacy.tokens import Doc
    >>> nlp = spacy.blank("en")
    >>> words, spaces = ["Ann", "ran"], [True, False]
    >>> tags = ["B-PER", "O"], ["O", "O"]
    >>> ann, bob = (Doc(nlp.vocab, words, spaces, ents=each) for each in tags)
    >>> from_docs({"ann": [ann], "bob": [bob]})[0].segments
    {'ann': (Segment(start=0, end=1, label='PER'),), 'bob': ()}
    """
    return build_valid_corpus(
        read_raw_docs(layers, spans=spans, ids=ids, partial=partial, scores=scores), repair
    )


def read_raw_docs(
    layers: Mapping[str, Sequence[Any]],
    *,
    spans: str | None = None,
    ids: Sequence[str] | None = None,
    partial: Partial = "error",
    scores: bool = False,
) -> RawCorpus:
    """Read the spans of spaCy Docs, unchecked.

    Arguments are documented in :func:`from_docs`. Offsets count tokens if all annotators have the
    same tokens, and characters otherwise.
    """
    check_choice(partial, PARTIAL, "partial")
    rows = _group_docs_by_text(layers, ids)
    _check_span_key(rows, spans)
    ids = _find_stored_ids(rows) if ids is None else ids
    token_difference = _find_token_difference(rows)
    offsets = "tokens" if token_difference is None else "characters"
    log = ReadLog(
        "",
        notes=[]
        if token_difference is None
        else [f"{token_difference}, so offsets count characters"],
    )
    log.numbered = ids is None
    if spans is None:
        log.notes += _compose_ignored_spans_note(rows)
    records = _yield_records(rows, log, ids, spans, partial, offsets, scores=scores)
    reading = {"format": "spacy", "spans": "ents" if spans is None else spans}
    reading |= build_reading_settings(spans=spans)
    return build_raw_from_records(
        records, log, reading, offsets=offsets, annotators=layers, again=False, unnamed=False
    )


def _group_docs_by_text(
    layers: Mapping[str, Sequence[Any]], ids: Sequence[str] | None
) -> Sequence[_Row]:
    """Group the Docs of each text by annotator; annotators who never saw it are left out."""
    if not isinstance(layers, Mapping) or not all(
        isinstance(docs, (list, tuple))
        and all(item is None or hasattr(item, "text") for item in docs)
        for docs in layers.values()
    ):
        raise invalid_value("Docs", layers, "a mapping of annotators to lists of Docs is needed")
    counts = {name: len(docs) for name, docs in layers.items()}
    if len(set(counts.values())) != 1:
        numbers = (
            ", ".join(f"{quote_value(name)} {count}" for name, count in counts.items())
            or "no annotator"
        )
        raise InputError(
            f"Docs: {numbers}; at least one annotator, and the same number of Docs for each, are"
            " needed (None for one never seen)"
        )
    rows = [
        {name: doc for name, doc in zip(layers, row, strict=True) if doc is not None}
        for row in zip(*layers.values(), strict=True)
    ]
    if ids is not None and len(ids) != len(rows):
        n_ids, n_docs = pluralize(len(ids), "id"), pluralize(len(rows), "Doc")
        raise InputError(f"{n_ids}; one for each of {n_docs} is needed")
    return rows


def _yield_records(
    rows: Sequence[_Row],
    log: ReadLog,
    ids: Sequence[str] | None,
    spans: str | None,
    partial: str,
    offsets: str,
    *,
    scores: bool,
) -> Iterator[Record]:
    """Yield the documents with the tokens that are kept, and their annotations.

    ``rows`` are Docs by annotator, one row for each text; ``spans`` is the key of the spans,
    ``None`` for entities. Other arguments are those of :func:`from_docs`.
    """
    n_dropped = 0
    for document_index, row in enumerate(rows):
        id_ = str(document_index + 1) if ids is None else ids[document_index]
        location = f"document {quote_value(id_)}"
        if not row:
            raise InputError(f"{location}: no annotator has a Doc of it; leave it out")
        is_kept = _mark_tokens_annotated_by_all(row, id_, spans, partial, offsets)
        n_dropped += is_kept.count(False)
        first_doc = next(iter(row.values()))
        content: dict[str, Any] = {"text": first_doc.text}
        if offsets == "tokens":
            tokens = [
                token for token, keeps_token in zip(first_doc, is_kept, strict=True) if keeps_token
            ]
            content["tokens"] = [token.text for token in tokens]
            content["token_starts"] = [token.idx for token in tokens]
        new_positions = [0, *np.cumsum(is_kept).tolist()] if offsets == "tokens" else None
        annotations = []
        for name, doc in row.items():
            if _is_annotated(doc, spans):
                location = f"annotator {quote_value(name)}, document {quote_value(id_)}"
                check_same_text(doc.text, first_doc.text, location)
                raw_spans = _read_spans(doc, spans, new_positions, scores=scores)
                annotations.append(RawAnnotation(name, raw_spans, location=location))
        yield Record(f"document {quote_value(id_)}", id_, content, annotations)
    if n_dropped:
        log.notes.append(
            f"{pluralize(n_dropped, 'token')} that some annotator did not annotate left out for all"
        )
        log.reading["partial"] = "drop-tokens"


def _read_spans(
    doc: Any, spans: str | None, new_positions: Sequence[int] | None, *, scores: bool
) -> Iterator[RawSpan]:
    """Yield the spans of a Doc in characters, or in the tokens that are kept.

    ``new_positions`` are the positions of all tokens, and of the end, among the kept tokens;
    ``None`` for characters.
    """
    doc_spans = doc.ents if spans is None else doc.spans[spans]
    scores_of_spans = getattr(doc_spans, "attrs", {}).get("scores", ()) if scores else ()
    scores_of_spans = (
        scores_of_spans if len(scores_of_spans) == len(doc_spans) else [None] * len(doc_spans)
    )
    for span, score in zip(doc_spans, scores_of_spans, strict=True):
        start, end = span.start_char, span.end_char
        if new_positions is not None:
            start, end = new_positions[span.start], new_positions[span.end]
            if start == end and span.start < span.end:
                continue  # all tokens were dropped, which are counted
        yield RawSpan(start, end, span.label_, None, None if score is None else {SCORE: str(score)})


def _find_token_difference(rows: Sequence[_Row]) -> str | None:
    """Describe the first difference in two annotators' tokens of a text, if there is one."""
    for document_number, row in enumerate(rows, 1):
        tokens = {name: [(token.idx, token.text) for token in doc] for name, doc in row.items()}
        first_name = next(iter(tokens), "")
        for name in tokens:
            if tokens[name] != tokens[first_name]:
                return (
                    f"document {document_number} is tokenised differently by {first_name} and"
                    f" {name}"
                )
    return None


def _check_span_key(rows: Sequence[_Row], spans: str | None) -> None:
    """Check that a Doc has spans under the key: with a typo, no annotator saw anything."""
    docs = [doc for row in rows for doc in row.values()]
    available_keys = set() if spans is None else {key for doc in docs for key in doc.spans}
    has_seen = any(not _get_user_data(doc).get(_NEVER) for doc in docs)
    if spans is not None and has_seen and spans not in available_keys:
        keys_text = ", ".join(map(quote_value, sorted(available_keys))) or "none"
        raise SettingError(
            f"no Doc has spans under the key {quote_value(spans)}; keys there are: {keys_text}"
        )


def _compose_ignored_spans_note(rows: Sequence[_Row]) -> list[str]:
    """Compose the note on spans under keys, which are not read if entities are read."""
    groups = [getattr(doc, "spans", {}) for row in rows for doc in row.values()]
    keys = Counter(key for group in groups for key in group for _ in group[key])
    if not keys:
        return []
    name = next(iter(keys))
    return [
        f"{pluralize(keys.total(), 'span')} under {join_names(map(quote_value, keys))} passed"
        " over, as entities"
        f" are read; --spans {name} (spans={quote_value(name)}) reads them instead"
    ]


def _get_user_data(doc: Any) -> Mapping[str, Any]:
    return getattr(doc, "user_data", None) or {}


def _find_stored_ids(rows: Sequence[_Row]) -> list[str] | None:
    """Find the ids that :func:`to_docs` stored in the Docs, if all have one."""
    ids = [{_get_user_data(doc).get(_ID) for doc in row.values()} for row in rows]
    single_ids = [
        id_
        for ids_of_text in ids
        for id_ in ids_of_text
        if len(ids_of_text) == 1 and isinstance(id_, str)
    ]
    return single_ids if len(single_ids) == len(rows) else None


def _is_annotated(doc: Any, spans: str | None) -> bool:
    """Check whether a Doc has annotations, which may be empty."""
    if _get_user_data(doc).get(_NEVER):
        return False
    if spans is not None:
        return spans in doc.spans
    return not len(doc) or any(token.ent_iob != _UNSET for token in doc)


def _mark_tokens_annotated_by_all(
    docs: Mapping[str, Any], id_: str, spans: str | None, partial: str, offsets: str
) -> list[bool]:
    """Compute the mask of the tokens that are annotated in all Docs of a text.

    ``docs`` are Docs by annotator.
    """
    is_kept = [True] * len(next(iter(docs.values())))
    for name, doc in docs.items():
        if spans is not None or not _is_annotated(doc, spans):
            continue
        unset_tokens = [i for i, token in enumerate(doc) if token.ent_iob == _UNSET]
        if unset_tokens and (partial == "error" or offsets == "characters"):
            i = unset_tokens[0]
            setting = format_setting("partial", "drop-tokens")
            remedy = f"; {setting} leaves such tokens out" * (offsets == "tokens")
            raise InputError(
                f"annotator {quote_value(name)}, document {quote_value(id_)}: token {i + 1}"
                f" ({quote_value(doc[i].text)})"
                " is not annotated, others are; a document is seen as a whole or not at all"
                f"{remedy}"
            )
        for i in unset_tokens:
            is_kept[i] = False
    return is_kept


def read_docbin(
    source: Source,
    *,
    spans: str | None = None,
    partial: Partial = "error",
    repair: Repair | Sequence[Repair] = (),
) -> Corpus:
    """Read the corpus in .spacy files, one for each annotator; see :func:`from_docs`.

    Raises:
        SettingError: if spaCy is not installed.
        InputError: if a file is missing, truncated or no .spacy file; see also :func:`from_docs`.

    >>> import spanagree as sa
    >>> from tempfile import TemporaryDirectory
    >>> tags = {"ann": [["B-PER", "O"]], "bob": [["B-ORG", "O"]]}
    >>> corpus = sa.from_tags(tags, tokens=[["Ann", "ran"]])
    >>> with TemporaryDirectory() as folder:
    ...     files = {name: f"{folder}/{name}.spacy" for name in tags}
    ...     for name, path in files.items():
    ...         write_docbin(corpus, name, path)
    ...     read_docbin(files).labels
    ('ORG', 'PER')
    """
    return build_valid_corpus(read_raw_docbin(source, spans=spans, partial=partial), repair)


def read_raw_docbin(source: Source, **options: Any) -> RawCorpus:
    """Read the spans of .spacy files, unchecked; see :func:`read_raw_docs`."""
    location_and_bytes = {}
    for name, path in name_layers(source).items():
        location = escape_path(path)
        location_and_bytes[name] = location, read_bytes(location, os.fsdecode(path))
    spacy = import_optional("spacy", "spacy", "reading .spacy files")
    vocab = spacy.vocab.Vocab()
    layers = {}
    for name, (location, data) in location_and_bytes.items():
        with _convert_decoder_errors(location):
            check_zlib(location, data)
            layers[name] = list(spacy.tokens.DocBin().from_bytes(data).get_docs(vocab))
    with _convert_decoder_errors(join_names(layers)):  # entities and labels are decoded only here
        return read_raw_docs(layers, **options)


@contextmanager
def _convert_decoder_errors(location: str) -> Iterator[None]:
    """Convert any error of spaCy's decoders to an error for an incomplete file."""
    try:
        yield
    except SpanAgreeError:
        raise
    except Exception as error:
        problem = f"not a .spacy file, or truncated ({find_reason(error)})"
        raise InputError(
            f"{location}: {problem}; a whole one is needed; spaCy's DocBin.to_disk writes one"
        ) from None


def to_docs(
    corpus: Corpus, annotator: str, nlp: Any = None, *, spans: str | None = None
) -> list[Any]:
    """Convert one annotator's layer to spaCy Docs.

    Args:
        corpus: corpus with texts or tokens.
        annotator: name of the annotator.
        nlp: language with the vocabulary and, for offsets in characters, the tokenizer. Default:
            ``spacy.blank("xx")``.
        spans: key of ``doc.spans`` to write to. Default: ``doc.ents``, which does not allow
            overlapping segments.

    Raises:
        SettingError: if spaCy is not installed, the annotator is unknown, segments overlap without
            ``spans``, or the corpus has neither texts nor tokens.
        InputError: if a segment splits a token of ``nlp``; call ``corpus.to_tokens(nlp, cut=…)``
            first to choose the treatment of such segments.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 3, "PER")]]}
    >>> corpus = sa.Corpus.from_segments([7], layers, offsets="characters", texts=["Ann ran"])
    >>> [(span.text, span.label_) for span in to_docs(corpus, "ann")[0].ents]
    [('Ann', 'PER')]
    """
    check_corpus(corpus)
    spacy = import_optional("spacy", "spacy", "writing spaCy Docs")
    check_known([annotator], corpus.annotators)
    if nlp is None:
        nlp = spacy.blank("xx")
        nlp.max_length = 1 << 40  # the limit is for parsers
    if corpus.offsets == "characters":
        corpus = corpus.to_tokens(lambda text: nlp.make_doc(text))
    corpus.known("tokens", "a Doc")
    if spans is None:
        _check_no_overlaps(corpus, annotator)
    docs = []
    for document_index, document in enumerate(corpus):
        words, gaps = _list_words_and_gaps(corpus, document_index)
        try:
            doc = spacy.tokens.Doc(nlp.vocab, words=words, spaces=gaps)
        except ValueError as error:  # an empty token, half a surrogate pair
            problem = f"spaCy cannot hold it: {find_reason(error)}"
            raise InputError(f"document {quote_value(document.id)}: {problem}") from None
        if corpus.ids is not None:
            doc.user_data[_ID] = document.id
        segments = document.segments[annotator]
        if segments is None:
            doc.user_data[_NEVER] = True
        marked_spans = [
            spacy.tokens.Span(doc, segment.start, segment.end, label=segment.label)
            for segment in segments or ()
        ]
        if spans is None:
            doc.set_ents(marked_spans, default="missing" if segments is None else "outside")
        elif segments is not None:
            doc.spans[spans] = marked_spans
        docs.append(doc)
    return docs


def _check_no_overlaps(corpus: Corpus, annotator: str) -> None:
    """Check that no segments overlap, which doc.ents does not allow."""
    layer = corpus.layers[annotator]
    later_rows, earlier_rows = find_overlapping(layer.document, layer.start, layer.end)
    for pair in list(zip(earlier_rows.tolist(), later_rows.tolist(), strict=True))[:1]:
        document = corpus.id_of(int(layer.document[pair[0]]))
        raise SettingError(
            f"annotator {quote_value(annotator)}, document {quote_value(document)}:"
            f" segments {layer.describe(pair, corpus.labels)} overlap, which doc.ents cannot hold;"
            " doc.spans can: give spans a key"
        )


def _list_words_and_gaps(corpus: Corpus, document_index: int) -> tuple[list[str], list[bool]]:
    """List the tokens of a document; also return a mask of the tokens followed by a space."""
    document = corpus[document_index]
    words = list(document.tokens or ())
    if document.text is None or corpus.token_starts is None:
        return words, [True] * (len(words) - 1) + [False] * (len(words) > 0)
    starts = corpus.token_starts[corpus.starts[document_index] :][: len(words)].tolist()
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    next_starts = [*starts[1:], len(document.text)][: len(words)]
    gaps = [end < next_start for end, next_start in zip(ends, next_starts, strict=True)]
    rebuilt = "".join(w + " " * has_gap for w, has_gap in zip(words, gaps, strict=True))
    if rebuilt != document.text:
        raise InputError(
            f"document {quote_value(document.id)}: between its tokens the text has more than single"
            " spaces, which a Doc cannot hold; to_characters() first, then spaCy's own tokens do"
        )
    return words, gaps


def write_docbin(
    corpus: Corpus,
    annotator: str,
    path: PathName,
    nlp: Any = None,
    *,
    spans: str | None = None,
) -> None:
    """Write one annotator's layer as a .spacy file; see :func:`to_docs`.

    Raises:
        SettingError, InputError: see :func:`to_docs`; also if the path cannot be written.

    >>> import spanagree as sa
    >>> from tempfile import TemporaryDirectory
    >>> layers = {"ann": [[(0, 3, "PER")]]}
    >>> corpus = sa.Corpus.from_segments([7], layers, offsets="characters", texts=["Ann ran"])
    >>> with TemporaryDirectory() as folder:
    ...     write_docbin(corpus, "ann", f"{folder}/ann.spacy")
    ...     read_docbin({"ann": f"{folder}/ann.spacy"}).layers["ann"].start.tolist()
    [0]
    """
    check_writable(path)
    docs = to_docs(corpus, annotator, nlp, spans=spans)
    tokens = import_optional("spacy.tokens", "spacy", "writing .spacy files")
    write_bytes(path, tokens.DocBin(docs=docs, store_user_data=True).to_bytes())
