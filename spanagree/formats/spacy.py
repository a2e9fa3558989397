"""spaCy's Docs and .spacy files, both ways.

Reading takes the objects, not the library: anything with ``text``, tokens with ``text`` and
``idx``, and ``ents`` or ``spans`` as spaCy has them will do.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from spanagree.choices import Partial, Repair
from spanagree.corpus.collector import same_text
from spanagree.corpus.corpus import Corpus, check_corpus
from spanagree.corpus.details import SCORE
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.segments import overlapping
from spanagree.corpus.tag_columns import PARTIAL
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    check_choice,
    check_known,
    invalid_value,
    join_names,
    pluralize,
    printable_path,
    quote_value,
    reason,
)
from spanagree.extras import import_optional
from spanagree.files import PathName, Source, check_writable, named_files, read_bytes, write_bytes
from spanagree.formats.records import RawAnnotation, RawSpan, ReadLog, Record, gather
from spanagree.limits import check_zlib
from spanagree.settings import reading_settings

_Row: TypeAlias = Mapping[str, Any]  # the Docs of one text, by the annotators who saw it

_UNSET = 0  # ent_iob of a token of which nothing is known
_ID, _NEVER = "spanagree_id", "spanagree_never"  # keys of doc.user_data that we write


def from_docs(
    layers: Mapping[str, Sequence[Any]],
    *,
    spans: str | None = None,
    ids: Sequence[str] | None = None,
    partial: Partial = "error",
    scores: bool = False,
    repair: Repair | Sequence[Repair] = (),
) -> Corpus:
    """Return the corpus of spaCy Docs, a list of them for each annotator.

    Offsets count tokens if all annotators' Docs of a text are tokenised alike, else characters;
    the notes say so.

    Args:
        layers: per annotator a list of Docs of the same texts, in the same order; ``None`` in
            place of a Doc says that the annotator never saw it.
        spans: the key of ``doc.spans`` to read; without one, ``doc.ents``. A Doc without the key,
            or whose ``ent_iob`` is 0 throughout, is not annotated.
        ids: per document a unique name.
        partial: what becomes of Docs of which ``ent_iob`` is 0 in part, error or drop-tokens.
        scores: whether the scores of ``doc.spans[spans].attrs["scores"]``, as a SpanCategorizer
            sets them, become the attribute ``score``.
        repair: steps, of join-pieces, drop-repeats, latest, relocate-by-text, drop-misplaced,
            clip-beyond-text, drop-beyond-text, strip-space, widen-points, drop-empty,
            drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.

    Raises:
        InputError: for texts that differ, lists of different length, Docs annotated in part, and
            flaws that no repair was asked for.
        SettingError: for an unknown repair or ``partial``.

    >>> import spacy
    >>> from spacy.tokens import Doc
    >>> nlp = spacy.blank("en")
    >>> words, spaces = ["Ann", "ran"], [True, False]
    >>> tags = ["B-PER", "O"], ["O", "O"]
    >>> ann, bob = (Doc(nlp.vocab, words, spaces, ents=each) for each in tags)
    >>> from_docs({"ann": [ann], "bob": [bob]})[0].segments
    {'ann': (Segment(start=0, end=1, label='PER'),), 'bob': ()}
    """
    return valid_corpus(
        raw_docs(layers, spans=spans, ids=ids, partial=partial, scores=scores), repair
    )


def raw_docs(
    layers: Mapping[str, Sequence[Any]],
    *,
    spans: str | None = None,
    ids: Sequence[str] | None = None,
    partial: Partial = "error",
    scores: bool = False,
) -> RawCorpus:
    """Return the spans of spaCy Docs, unchecked."""
    check_choice(partial, PARTIAL, "partial")
    rows = _rows(layers, ids)
    _check_key(rows, spans)
    ids = _own_ids(rows) if ids is None else ids
    unlike = _tokenised_differently(rows)
    offsets = "tokens" if unlike is None else "characters"
    log = ReadLog("", notes=[] if unlike is None else [f"{unlike}, so offsets count characters"])
    log.numbered = ids is None
    if spans is None:
        log.notes += _passed_over(rows)
    records = _records(rows, log, ids, spans, partial, offsets, scores=scores)
    reading = {"format": "spacy", "spans": "ents" if spans is None else spans}
    reading |= reading_settings(spans=spans)
    return gather(
        records, log, reading, offsets=offsets, annotators=layers, again=False, unnamed=False
    )


def _rows(layers: Mapping[str, Sequence[Any]], ids: Sequence[str] | None) -> Sequence[_Row]:
    """Return the Docs of each text, by annotator."""
    if not isinstance(layers, Mapping) or not all(
        isinstance(docs, (list, tuple)) and all(d is None or hasattr(d, "text") for d in docs)
        for docs in layers.values()
    ):
        raise invalid_value("Docs", layers, "a mapping of annotators to lists of Docs is needed")
    counts = {name: len(docs) for name, docs in layers.items()}
    if len(set(counts.values())) != 1:
        numbers = (
            ", ".join(f"{quote_value(name)} {n}" for name, n in counts.items()) or "no annotator"
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
        given, needed = pluralize(len(ids), "id"), pluralize(len(rows), "Doc")
        raise InputError(f"{given}; one for each of {needed} is needed")
    return rows


def _records(
    rows: Sequence[_Row],
    log: ReadLog,
    ids: Sequence[str] | None,
    spans: str | None,
    partial: str,
    offsets: str,
    *,
    scores: bool,
) -> Iterator[Record]:
    """Yield documents, of which some tokens are kept, and what each annotator marked in them."""
    dropped = 0
    for d, row in enumerate(rows):
        id_ = str(d + 1) if ids is None else ids[d]
        location = f"document {quote_value(id_)}"
        if not row:
            raise InputError(f"{location}: no annotator has a Doc of it; leave it out")
        kept = _kept(row, id_, spans, partial, offsets)
        dropped += kept.count(False)
        first = next(iter(row.values()))
        content: dict[str, Any] = {"text": first.text}
        if offsets == "tokens":
            tokens = [token for token, keep in zip(first, kept, strict=True) if keep]
            content["tokens"] = [token.text for token in tokens]
            content["token_starts"] = [token.idx for token in tokens]
        moved = [0, *np.cumsum(kept).tolist()] if offsets == "tokens" else None
        annotations = []
        for name, doc in row.items():
            if _annotated(doc, spans):
                location = f"annotator {quote_value(name)}, document {quote_value(id_)}"
                same_text(doc.text, first.text, location)
                read = _spans(doc, spans, moved, scores=scores)
                annotations.append(RawAnnotation(name, read, location=location))
        yield Record(f"document {quote_value(id_)}", id_, content, annotations)
    if dropped:
        log.notes.append(
            f"{pluralize(dropped, 'token')} that some annotator did not annotate left out for all"
        )
        log.reading["partial"] = "drop-tokens"


def _spans(
    doc: Any, spans: str | None, moved: Sequence[int] | None, *, scores: bool
) -> Iterator[RawSpan]:
    """Yield the spans of a Doc in characters, or in the tokens that are kept."""
    group = doc.ents if spans is None else doc.spans[spans]
    known = getattr(group, "attrs", {}).get("scores", ()) if scores else ()
    known = known if len(known) == len(group) else [None] * len(group)
    for span, score in zip(group, known, strict=True):
        start, end = span.start_char, span.end_char
        if moved is not None:
            start, end = moved[span.start], moved[span.end]
            if start == end and span.start < span.end:
                continue  # all its tokens were dropped, and counted
        yield RawSpan(start, end, span.label_, None, None if score is None else {SCORE: str(score)})


def _tokenised_differently(rows: Sequence[_Row]) -> str | None:
    """Return where two annotators' tokens of one text differ first, if they do."""
    for d, row in enumerate(rows, 1):
        tokens = {name: [(t.idx, t.text) for t in doc] for name, doc in row.items()}
        first = next(iter(tokens), "")
        for name in tokens:
            if tokens[name] != tokens[first]:
                return f"document {d} is tokenised differently by {first} and {name}"
    return None


def _check_key(rows: Sequence[_Row], spans: str | None) -> None:
    """Refuse a key of spans that no Doc has: a slip would read as "nobody saw anything"."""
    docs = [doc for row in rows for doc in row.values()]
    there = set() if spans is None else {key for doc in docs for key in doc.spans}
    seen = any(not _user_data(doc).get(_NEVER) for doc in docs)
    if spans is not None and seen and spans not in there:
        known = ", ".join(map(quote_value, sorted(there))) or "none"
        raise SettingError(
            f"no Doc has spans under the key {quote_value(spans)}; keys there are: {known}"
        )


def _passed_over(rows: Sequence[_Row]) -> list[str]:
    """Return a note on spans under keys, which are not read beside entities."""
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


def _user_data(doc: Any) -> Mapping[str, Any]:
    return getattr(doc, "user_data", None) or {}


def _own_ids(rows: Sequence[_Row]) -> list[str] | None:
    """Return the ids that :func:`to_docs` left in the Docs, if all have one."""
    ids = [{_user_data(doc).get(_ID) for doc in row.values()} for row in rows]
    known = [id_ for some in ids for id_ in some if len(some) == 1 and isinstance(id_, str)]
    return known if len(known) == len(rows) else None


def _annotated(doc: Any, spans: str | None) -> bool:
    if _user_data(doc).get(_NEVER):
        return False
    if spans is not None:
        return spans in doc.spans
    return not len(doc) or any(token.ent_iob != _UNSET for token in doc)


def _kept(
    docs: Mapping[str, Any], id_: str, spans: str | None, partial: str, offsets: str
) -> list[bool]:
    """Return which tokens of a document are left when those that some layer leaves open go."""
    kept = [True] * len(next(iter(docs.values())))
    for name, doc in docs.items():
        if spans is not None or not _annotated(doc, spans):
            continue
        left_open = [i for i, token in enumerate(doc) if token.ent_iob == _UNSET]
        if left_open and (partial == "error" or offsets == "characters"):
            i = left_open[0]
            remedy = "; partial drop-tokens leaves such tokens out" * (offsets == "tokens")
            raise InputError(
                f"annotator {quote_value(name)}, document {quote_value(id_)}: token {i + 1}"
                f" ({quote_value(doc[i].text)})"
                " is not annotated, others are; a document is seen as a whole or not at all"
                f"{remedy}"
            )
        for i in left_open:
            kept[i] = False
    return kept


def read_docbin(
    source: Source,
    *,
    spans: str | None = None,
    partial: Partial = "error",
    repair: Repair | Sequence[Repair] = (),
) -> Corpus:
    """Return the corpus in .spacy files, one for each annotator; as :func:`from_docs`.

    Raises:
        SettingError: if spaCy is not installed.
        InputError: for files that are not there, truncated or not .spacy files; as for
            :func:`from_docs`.

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
    return valid_corpus(raw_docbin(source, spans=spans, partial=partial), repair)


def raw_docbin(source: Source, **options: Any) -> RawCorpus:
    """Return the spans of .spacy files, unchecked; as :func:`raw_docs`."""
    packed = {}
    for name, path in named_files(source).items():
        location = printable_path(path)
        packed[name] = location, read_bytes(location, os.fsdecode(path))
    spacy = import_optional("spacy", "spacy", "reading .spacy files")
    vocab = spacy.vocab.Vocab()
    layers = {}
    for name, (location, data) in packed.items():
        with _whole(location):
            check_zlib(location, data)
            layers[name] = list(spacy.tokens.DocBin().from_bytes(data).get_docs(vocab))
    with _whole(join_names(layers)):  # entities and labels are looked up only now
        return raw_docs(layers, **options)


@contextmanager
def _whole(location: str) -> Iterator[None]:
    """Refuse, whatever spaCy lets its decoders raise, what is not a whole .spacy file."""
    try:
        yield
    except SpanAgreeError:
        raise
    except Exception as error:
        problem = f"not a .spacy file, or truncated ({reason(error)})"
        raise InputError(
            f"{location}: {problem}; a whole one is needed; spaCy's DocBin.to_disk writes one"
        ) from None


def to_docs(
    corpus: Corpus, annotator: str, nlp: Any = None, *, spans: str | None = None
) -> list[Any]:
    """Return one annotator's layer as spaCy Docs.

    Args:
        corpus: with texts or tokens.
        annotator: whose layer.
        nlp: whose vocabulary and, for offsets in characters, whose tokenizer to use; default is
            ``spacy.blank("xx")``.
        spans: the key of ``doc.spans`` to write to; without one, ``doc.ents``, which takes no
            overlapping segments.

    Raises:
        SettingError: if spaCy is not installed, for an unknown annotator, for overlapping segments
            without ``spans``, where neither texts nor tokens are known.
        InputError: for segments that cut a token of ``nlp``; ``corpus.to_tokens(nlp, cut=…)`` first
            says what becomes of these.

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
        _check_ents(corpus, annotator)
    docs = []
    for d, document in enumerate(corpus):
        words, gaps = _words_and_gaps(corpus, d)
        try:
            doc = spacy.tokens.Doc(nlp.vocab, words=words, spaces=gaps)
        except ValueError as error:  # an empty token, half a surrogate pair
            problem = f"spaCy cannot hold it: {reason(error)}"
            raise InputError(f"document {quote_value(document.id)}: {problem}") from None
        if corpus.ids is not None:
            doc.user_data[_ID] = document.id
        segments = document.segments[annotator]
        if segments is None:
            doc.user_data[_NEVER] = True
        marked = [spacy.tokens.Span(doc, s.start, s.end, label=s.label) for s in segments or ()]
        if spans is None:
            doc.set_ents(marked, default="missing" if segments is None else "outside")
        elif segments is not None:
            doc.spans[spans] = marked
        docs.append(doc)
    return docs


def _check_ents(corpus: Corpus, annotator: str) -> None:
    """Refuse segments that overlap, which doc.ents cannot hold."""
    layer = corpus.layers[annotator]
    later, earlier = overlapping(layer.document, layer.start, layer.end)
    for pair in list(zip(earlier.tolist(), later.tolist(), strict=True))[:1]:
        document = corpus.id_of(int(layer.document[pair[0]]))
        raise SettingError(
            f"annotator {quote_value(annotator)}, document {quote_value(document)}:"
            f" segments {layer.describe(pair, corpus.labels)} overlap, which doc.ents cannot hold;"
            " doc.spans can: give spans a key"
        )


def _words_and_gaps(corpus: Corpus, d: int) -> tuple[list[str], list[bool]]:
    """Return the tokens of a document, and after which of them a space follows."""
    document = corpus[d]
    words = list(document.tokens or ())
    if document.text is None or corpus.token_starts is None:
        return words, [True] * (len(words) - 1) + [False] * (len(words) > 0)
    starts = corpus.token_starts[corpus.starts[d] :][: len(words)].tolist()
    ends = [at + len(word) for at, word in zip(starts, words, strict=True)]
    following = [*starts[1:], len(document.text)][: len(words)]
    gaps = [a < b for a, b in zip(ends, following, strict=True)]
    rebuilt = "".join(w + " " * g for w, g in zip(words, gaps, strict=True))
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
    """Write one annotator's layer as a .spacy file; as :func:`to_docs`.

    Raises:
        SettingError, InputError: as for :func:`to_docs`; for a path that cannot be written.

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
