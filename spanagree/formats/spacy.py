"""spaCy's Docs and .spacy files, both ways.

Reading takes the objects, not the library: anything with ``text``, tokens with ``text`` and
``idx``, and ``ents`` or ``spans`` as spaCy has them will do.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.tag_columns import PARTIAL
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    counted,
    one_of,
    printable,
    show,
)
from spanagree.extras import optional
from spanagree.files import PathName, check_writable, named_files, write_bytes
from spanagree.formats.collector import Collector, same_text

_UNSET = 0  # ent_iob of a token of which nothing is known


_ID, _NEVER = "spanagree_id", "spanagree_never"  # keys of doc.user_data that we write


def from_docs(
    layers: Mapping[str, Sequence[Any]],
    *,
    spans: str | None = None,
    ids: Sequence[str] | None = None,
    partial: str = "error",
    repair: str | Sequence[str] = (),
) -> Corpus:
    """A corpus from spaCy Docs.

    Offsets count tokens if all annotators' Docs of a text are tokenised alike, else characters;
    the notes say so.

    Args:
        layers: per annotator a list of Docs of the same texts, in the same order; ``None`` in
            place of a Doc says that the annotator never saw it.
        spans: the key of ``doc.spans`` to read; without one, ``doc.ents``. A Doc without the key,
            or whose ``ent_iob`` is 0 throughout, is not annotated.
        ids: per document a unique name.
        partial: what becomes of Docs of which ``ent_iob`` is 0 in part, one of
            :data:`spanagree.formats.tag_columns.PARTIAL`.
        repair: names of :data:`spanagree.draft.REPAIRS`.

    Raises:
        InputError: for texts that differ, lists of different length, Docs annotated in part, and
            flaws that no repair was asked for.
        SettingError: for an unknown repair or ``partial``.
    """
    return valid_corpus(raw_docs(layers, spans=spans, ids=ids, partial=partial), repair)


def raw_docs(
    layers: Mapping[str, Sequence[Any]],
    *,
    spans: str | None = None,
    ids: Sequence[str] | None = None,
    partial: str = "error",
) -> RawCorpus:
    """The spans of spaCy Docs, unchecked."""
    check_choice(partial, PARTIAL, "partial")
    if not isinstance(layers, Mapping) or not all(
        isinstance(of, (list, tuple)) and all(d is None or hasattr(d, "text") for d in of)
        for of in layers.values()
    ):
        raise InputError(f"Docs {show(layers)}; a mapping of annotators to lists of Docs is needed")
    docs = {name: list(of) for name, of in layers.items()}
    counts = {name: len(of) for name, of in docs.items()}
    if not docs or len(set(counts.values())) > 1:
        said = ", ".join(f"{show(name)} {n}" for name, n in counts.items()) or "no annotator"
        raise InputError(
            f"Docs: {said}; at least one annotator, and the same number of Docs for each, are"
            " needed (None for one never seen)"
        )
    n = next(iter(counts.values()))
    if ids is not None and len(ids) != n:
        raise InputError(f"{len(ids)} ids; one for each of the {n} Docs is needed")
    _check_key(docs, spans)
    if ids is None:
        ids = _own_ids(docs, n)
    unlike = _tokenised_differently(docs, n)
    collector = Collector("tokens" if unlike is None else "characters")
    notes = [] if unlike is None else [f"{unlike}, so offsets count characters"]
    dropped = 0
    for d in range(n):
        id_ = str(d + 1) if ids is None else ids[d]
        here = {name: of[d] for name, of in docs.items() if of[d] is not None}
        if not here:
            raise InputError(f"document {show(id_)}: no annotator has a Doc of it; leave it out")
        first = next(iter(here.values()))
        kept = _kept(here, id_, spans, partial, collector.offsets)
        dropped += sum(not k for k in kept)
        tokens = [t for t, k in zip(first, kept, strict=True) if k]
        document = collector.document(
            id_,
            f"document {show(id_)}",
            text=first.text,
            tokens=[t.text for t in tokens] if unlike is None else None,
            token_starts=[t.idx for t in tokens] if unlike is None else None,
        )
        moved = [0, *np.cumsum(kept).tolist()]
        for name in docs:
            where = f"annotator {show(name)}, document {show(id_)}"
            if name not in here or not _annotated(here[name], spans):
                collector.annotator(name, where)
                continue
            same_text(here[name].text, first.text, where)
            annotation = collector.annotation(document, name, where)
            for span in here[name].ents if spans is None else here[name].spans[spans]:
                start, end = span.start_char, span.end_char
                if unlike is None:
                    start, end = moved[span.start], moved[span.end]
                    if start == end and span.start < span.end:
                        continue  # all its tokens were dropped, and counted
                collector.segment(annotation, start, end, span.label_, where)
    if dropped:
        notes.append(
            f"{counted(dropped, 'token')} without annotation in some layer left out in all"
        )
    reading = {"format": "spacy", "spans": "ents" if spans is None else spans}
    if dropped:
        reading["partial"] = "drop-tokens"
    return collector.raw(reading, notes, numbered=ids is None)


def _tokenised_differently(docs: Mapping[str, Sequence[Any]], n: int) -> str | None:
    """Where two annotators' tokens of one text differ first."""
    for d in range(n):
        known: tuple[str, list[tuple[int, str]]] | None = None
        for name, of in docs.items():
            if of[d] is None:
                continue
            tokens = [(t.idx, t.text) for t in of[d]]
            if known and tokens != known[1]:
                return f"document {d + 1} is tokenised differently by {known[0]} and {name}"
            known = known or (name, tokens)
    return None


def _check_key(docs: Mapping[str, Sequence[Any]], spans: str | None) -> None:
    """Refuses a key of spans that no Doc has: a slip would read as "nobody saw anything"."""
    if spans is None:
        return
    there = {key for of in docs.values() for d in of if d is not None for key in d.spans}
    seen = any(d is not None and not _user_data(d).get(_NEVER) for of in docs.values() for d in of)
    if seen and spans not in there:
        known = ", ".join(map(show, sorted(there))) or "none"
        raise SettingError(f"no Doc has spans under the key {show(spans)}; keys there are: {known}")


def _user_data(doc: Any) -> Mapping[str, Any]:
    return getattr(doc, "user_data", None) or {}


def _own_ids(docs: Mapping[str, Sequence[Any]], n: int) -> list[str] | None:
    """The ids that :func:`to_docs` left in the Docs, if all have one."""
    ids = []
    for d in range(n):
        found = {_user_data(of[d]).get(_ID) for of in docs.values() if of[d] is not None}
        if len(found) != 1 or not isinstance(id_ := found.pop(), str):
            return None
        ids.append(id_)
    return ids


def _annotated(doc: Any, spans: str | None) -> bool:
    if _user_data(doc).get(_NEVER):
        return False
    if spans is not None:
        return spans in doc.spans
    return not len(doc) or any(token.ent_iob != _UNSET for token in doc)


def _kept(
    docs: Mapping[str, Any], id_: str, spans: str | None, partial: str, offsets: str
) -> list[bool]:
    """Which tokens of a document are left when those that some layer leaves open are dropped."""
    kept = [True] * len(next(iter(docs.values())))
    for name, doc in docs.items():
        if spans is not None or not _annotated(doc, spans):
            continue
        open_ = [i for i, token in enumerate(doc) if token.ent_iob == _UNSET]
        if not open_:
            continue
        if partial == "error" or offsets == "characters":
            raise InputError(
                f"annotator {show(name)}, document {show(id_)}: token {open_[0] + 1}"
                f" ({show(doc[open_[0]].text)}) is not annotated, others are; a document is seen as"
                " a whole or not at all"
                + ("; partial drop-tokens leaves such tokens out" if offsets == "tokens" else "")
            )
        for i in open_:
            kept[i] = False
    return kept


def read_docbin(
    source: PathName | Sequence[PathName] | Mapping[str, PathName],
    *,
    spans: str | None = None,
    partial: str = "error",
    repair: str | Sequence[str] = (),
) -> Corpus:
    """A corpus from .spacy files, one for each annotator; as :func:`from_docs`.

    Raises:
        SettingError: if spaCy is not installed.
        InputError: for files that are not there, truncated or no .spacy files; as for
            :func:`from_docs`.
    """
    return valid_corpus(raw_docbin(source, spans=spans, partial=partial), repair)


def raw_docbin(
    source: PathName | Sequence[PathName] | Mapping[str, PathName],
    *,
    spans: str | None = None,
    partial: str = "error",
) -> RawCorpus:
    """The spans of .spacy files, unchecked."""
    spacy = optional("spacy", "spacy", "reading .spacy files")
    docbin = optional("spacy.tokens", "spacy", "reading .spacy files").DocBin
    vocab = spacy.blank("xx").vocab
    layers = {}
    for name, path in named_files(source).items():
        where = printable(os.fspath(path))
        if Path(path).is_dir():
            raise InputError(f"{where}: is a folder; a .spacy file is needed")
        if not Path(path).exists():
            raise InputError(f"{where}: no such file")
        try:
            layers[name] = list(docbin().from_disk(path).get_docs(vocab))
        except Exception as error:  # spaCy lets through whatever its decoders raise
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"{where}: no .spacy file, or truncated ({printable(reason)})"
            ) from None
    return raw_docs(layers, spans=spans, partial=partial)


def to_docs(
    corpus: Corpus, annotator: str, nlp: Any = None, *, spans: str | None = None
) -> list[Any]:
    """One annotator's layer as spaCy Docs.

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
    """
    spacy = optional("spacy", "spacy", "writing spaCy Docs")
    tokens_module = optional("spacy.tokens", "spacy", "writing spaCy Docs")
    if annotator not in corpus.layers:
        raise one_of(annotator, map(printable, corpus.annotators), "annotator")
    if nlp is None:
        nlp = spacy.blank("xx")
        nlp.max_length = 1 << 40  # the limit is for parsers
    if corpus.offsets == "characters":
        corpus = corpus.to_tokens(lambda text: nlp.make_doc(text))
    if corpus.tokens is None:
        raise SettingError("the tokens are not known; a Doc needs them")
    docs = []
    for d, document in enumerate(corpus):
        words, gaps = _words_and_gaps(corpus, d)
        try:
            doc = tokens_module.Doc(nlp.vocab, words=words, spaces=gaps)
        except ValueError as error:  # an empty token, half a surrogate pair
            said = printable(str(error).splitlines()[0])
            raise InputError(
                f"document {show(document.id)}: spaCy cannot hold it: {said}"
            ) from None
        if corpus.ids is not None:
            doc.user_data[_ID] = document.id
        if document.segments[annotator] is None:
            doc.user_data[_NEVER] = True
        segments = document.segments[annotator]
        marked = [tokens_module.Span(doc, s.start, s.end, label=s.label) for s in segments or ()]
        if spans is not None:
            if segments is not None:
                doc.spans[spans] = marked
        else:
            for one, other in pairwise(segments or ()):
                if other.start < one.end:
                    raise SettingError(
                        f"{show(annotator)}, document {show(document.id)}: segments"
                        f" {one.start}–{one.end} {show(one.label)} and {other.start}–{other.end}"
                        f" {show(other.label)} overlap, which doc.ents cannot hold; doc.spans can:"
                        " give spans a key"
                    )
            doc.set_ents(marked, default="missing" if segments is None else "outside")
        docs.append(doc)
    return docs


def _words_and_gaps(corpus: Corpus, d: int) -> tuple[list[str], list[bool]]:
    """The tokens of a document, and after which of them a space follows."""
    document = corpus[d]
    words = list(document.tokens or ())
    if document.text is None or corpus.token_starts is None:
        return words, [True] * (len(words) - 1) + [False] * (len(words) > 0)
    first = int(corpus.starts[d])
    starts = corpus.token_starts[first : first + len(words)].tolist()
    ends = [at + len(word) for at, word in zip(starts, words, strict=True)]
    following = [*starts[1:], len(document.text)]
    gaps = [a < b for a, b in zip(ends, following, strict=True)]
    rebuilt = "".join(w + " " * g for w, g in zip(words, gaps, strict=True))
    if rebuilt != document.text:
        raise InputError(
            f"document {show(document.id)}: between its tokens the text has more than single"
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
    """Writes one annotator's layer as a .spacy file; as :func:`to_docs`.

    Raises:
        SettingError, InputError: as for :func:`to_docs`; for a path that cannot be written.
    """
    check_writable(path)
    docs: Iterable[Any] = to_docs(corpus, annotator, nlp, spans=spans)
    docbin = optional("spacy.tokens", "spacy", "writing .spacy files").DocBin
    write_bytes(path, docbin(docs=docs, store_user_data=True).to_bytes())
