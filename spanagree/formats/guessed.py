"""What people hand to a function in place of a corpus: paths, tags in many shapes, Docs, tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from spanagree.corpus.corpus import Corpus, check_corpus
from spanagree.errors import InputError, SettingError, SpanAgreeError, join_names
from spanagree.formats.shapes import are_docs, columns_of, shape_of
from spanagree.formats.tag_lists import from_tags

CorpusLike: TypeAlias = Corpus | Any
"""A corpus, or what :func:`as_corpus` makes one of."""

_PATH = (str, os.PathLike)


def as_corpus(given: CorpusLike) -> Corpus:
    """Return the corpus that a function was given, or one of a path, tags, Docs or a data frame.

    Raises:
        InputError: for anything else.

    >>> as_corpus({"ann": [["B-PER", "O"]], "bob": [["O", "O"]]}).annotators
    ('ann', 'bob')
    """
    return check_corpus(as_corpus_or_parts(given))


def as_corpus_or_parts(given: CorpusLike) -> Any:
    """Return the corpus as :func:`as_corpus` does; parts, and what is none of these, as it is."""
    return given if isinstance(given, Corpus) else guessed(given, None)[0]


def guessed(first: Any, second: Any) -> tuple[Any, str | None]:
    """Return the corpus, or its parts, that someone means by the first two arguments; and gold.

    Tags are taken as lists of tag lists, gold's and the system's; as two mappings, of documents to
    tags or of a layer's name to its tag lists; or as one mapping of layers. A second path is the
    system's, unless the first file has an annotator of that name, who then is gold. Paths, lists
    and mappings of paths, Docs by annotator, and data frames and datasets with a document in each
    row are read. All else is returned.

    Raises:
        InputError: for what has tags or segments in another shape, with the line that takes it.

    >>> corpus, gold = guessed([["B-PER", "O"]], [["O", "O"]])
    >>> corpus.annotators, gold
    (('gold', 'pred'), 'gold')
    """
    if isinstance(first, _PATH) and isinstance(second, _PATH) and os.path.exists(second):
        if isinstance(second, str) and os.path.basename(second) == second:
            with suppress(SpanAgreeError):  # which is said when both are read
                corpus = _read(first)
                if second in corpus.annotators:
                    return corpus, second
        corpus = _read([first, second])
        return corpus, corpus.annotators[0]
    named = second is None or isinstance(second, str) or isinstance(first, Corpus)
    inside = list(first.values()) if isinstance(first, Mapping) else first
    if named and isinstance(inside, list) and inside and all(isinstance(x, _PATH) for x in inside):
        return _read(first), second
    if named and isinstance(first, _PATH):
        return _read(first), second
    if named and isinstance(first, Mapping) and are_docs(inside):
        from spanagree.formats.spacy import from_docs

        return from_docs(first), second
    if named and columns_of(first) is not None:
        from spanagree.formats.hugging_face.read import from_dataset

        with suppress(SettingError):  # which names no column that holds tags or spans
            return from_dataset(first), second
    shapes = [] if isinstance(first, Corpus) else [shape_of(given) for given in (first, second)]
    if named and not isinstance(first, Mapping):
        if shapes[:1] == [(2, str)]:
            raise InputError(
                "the tags of one annotator; pass gold's and the system's: y_true, y_pred"
            )
        return first, second
    for depth, kind in shapes:
        if depth >= 2 and kind is not str:  # tuples of segments, or mappings
            raise InputError(
                "segments need the length of each document; evaluate takes"
                " spanagree.Corpus.from_segments([120, …], {'gold': [[(0, 4, 'PER'), …], …],"
                " 'mine': …})"
            )
    if named:
        return from_tags(first), second
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if shapes[0] == (3, str) and not first.keys() & second.keys():
            return from_tags({**first, **second}), next(iter(first))
        return _by_document(first, second), "gold"
    return from_tags({"gold": first, "pred": second}), "gold"


def corpus_of_two(first: Any, second: Any) -> Corpus:
    """Return the corpus of two annotators, given as tags, by document too, or as paths.

    Raises:
        InputError: for anything else.

    >>> corpus_of_two([["B-PER", "O"]], [["O", "O"]]).annotators
    ('a', 'b')
    """
    if isinstance(first, _PATH) and isinstance(second, _PATH):
        return _read([first, second])
    if isinstance(first, (Corpus, *_PATH)) or isinstance(second, (Corpus, *_PATH)):
        raise InputError(
            "two annotators are two lists of tags, or two paths; a corpus has them all"
        )
    corpus = check_corpus(guessed(first, second)[0])
    if corpus.annotators != ("gold", "pred") or (isinstance(first, Mapping) and "gold" in first):
        return corpus
    return corpus.replace(layers=dict(zip(("a", "b"), corpus.layers.values(), strict=True)))


def _read(paths: Any) -> Corpus:
    from spanagree.formats.read import read

    return read(paths)


def _by_document(gold: Mapping[str, Any], system: Mapping[str, Any]) -> Corpus:
    """Return the corpus of two mappings of documents to tags."""
    if alone := gold.keys() ^ system.keys():
        raise InputError(
            f"documents {join_names(sorted(map(str, alone)))} are in one of the two only; give"
            " both the same, with None for one that was never seen"
        )
    layers = {"gold": list(gold.values()), "pred": [system[id_] for id_ in gold]}
    return from_tags(layers, ids=list(map(str, gold)))
