"""Conversion of arguments in place of a corpus: paths, tags in several layouts, Docs, tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from spanagree.corpus.corpus import Corpus, check_corpus
from spanagree.errors import InputError, SettingError, SpanAgreeError, join_names
from spanagree.formats.shapes import are_docs, find_table_columns, measure_nesting
from spanagree.formats.tag_lists import from_tags

CorpusLike: TypeAlias = Corpus | Any
"""A corpus, or a value that :func:`as_corpus` converts to one."""

_PATH = (str, os.PathLike)


def as_corpus(source: CorpusLike) -> Corpus:
    """Return a corpus unchanged, or convert a path, tags, Docs or a data frame to a corpus.

    Raises:
        InputError: if the argument is anything else.

    >>> as_corpus({"ann": [["B-PER", "O"]], "bob": [["O", "O"]]}).annotators
    ('ann', 'bob')
    """
    return check_corpus(as_corpus_or_parts(source))


def as_corpus_or_parts(source: CorpusLike) -> Any:
    """Convert like :func:`as_corpus`; return parts and all other values unchanged."""
    return source if isinstance(source, Corpus) else convert_to_corpus_and_gold(source, None)[0]


def convert_to_corpus_and_gold(first: Any, second: Any) -> tuple[Any, str | None]:
    """Convert the first two arguments of ``evaluate`` to a corpus and the gold annotator's name.

    - Two lists of tag lists, or two mappings from documents to tags: gold and one system.
    - A mapping from annotators to tag lists, to paths or to spaCy Docs; a list of paths; a data
      frame or dataset with one document in each row: the corpus. The second argument is the name of
      the gold annotator.
    - Two paths: the gold file and the file of one system. If the second argument is the name of an
      annotator of the first file, that annotator is gold, and no second file is read.
    - Other values are returned unchanged.

    Raises:
        InputError: if tags or segments have another layout, with the call that accepts it.

    >>> corpus, gold = convert_to_corpus_and_gold([["B-PER", "O"]], [["O", "O"]])
    >>> corpus.annotators, gold
    (('gold', 'pred'), 'gold')
    """
    if isinstance(first, _PATH) and isinstance(second, _PATH) and os.path.exists(second):
        if isinstance(second, str) and os.path.basename(second) == second:
            with suppress(SpanAgreeError):  # reading both reports the error
                corpus = _read_paths(first)
                if second in corpus.annotators:
                    return corpus, second
        corpus = _read_paths([first, second])
        return corpus, corpus.annotators[0]
    is_single = second is None or isinstance(second, str) or isinstance(first, Corpus)
    items = list(first.values()) if isinstance(first, Mapping) else first
    if (
        is_single
        and isinstance(items, list)
        and items
        and all(isinstance(item, _PATH) for item in items)
    ):
        return _read_paths(first), second
    if is_single and isinstance(first, _PATH):
        return _read_paths(first), second
    if is_single and isinstance(first, Mapping) and are_docs(items):
        from spanagree.formats.spacy import from_docs

        return from_docs(first), second
    if is_single and find_table_columns(first) is not None:
        from spanagree.formats.hugging_face.read import from_dataset

        with suppress(SettingError):  # no column contains tags or spans
            return from_dataset(first), second
    shapes = (
        []
        if isinstance(first, Corpus)
        else [measure_nesting(argument) for argument in (first, second)]
    )
    if is_single and not isinstance(first, Mapping):
        if shapes[:1] == [(2, str)]:
            raise InputError(
                "the tags of one annotator; pass gold's and the system's: y_true, y_pred"
            )
        return first, second
    for depth, leaf_type in shapes:
        if depth >= 2 and leaf_type is not str:  # tuples of segments, or mappings
            raise InputError(
                "segments need the length of each document; evaluate takes"
                " spanagree.Corpus.from_segments([120, …], {'gold': [[(0, 4, 'PER'), …], …],"
                " 'mine': …})"
            )
    if is_single:
        return from_tags(first), second
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if shapes[0] == (3, str) and not first.keys() & second.keys():
            return from_tags({**first, **second}), next(iter(first))
        return _build_corpus_by_document(first, second), "gold"
    return from_tags({"gold": first, "pred": second}), "gold"


def build_corpus_of_two(first: Any, second: Any) -> Corpus:
    """Convert two annotators to a corpus; they are tags, by document or not, or paths.

    Raises:
        InputError: if the arguments are anything else.

    >>> build_corpus_of_two([["B-PER", "O"]], [["O", "O"]]).annotators
    ('a', 'b')
    """
    if isinstance(first, _PATH) and isinstance(second, _PATH):
        return _read_paths([first, second])
    if isinstance(first, (Corpus, *_PATH)) or isinstance(second, (Corpus, *_PATH)):
        raise InputError(
            "two annotators are two lists of tags, or two paths; a corpus has them all"
        )
    corpus = check_corpus(convert_to_corpus_and_gold(first, second)[0])
    if corpus.annotators != ("gold", "pred") or (isinstance(first, Mapping) and "gold" in first):
        return corpus
    return corpus.replace(layers=dict(zip(("a", "b"), corpus.layers.values(), strict=True)))


def _read_paths(paths: Any) -> Corpus:
    """Read a corpus from files; the readers are imported only here."""
    from spanagree.formats.read import read

    return read(paths)


def _build_corpus_by_document(gold: Mapping[str, Any], system: Mapping[str, Any]) -> Corpus:
    """Convert two mappings of documents to tags to a corpus."""
    if unmatched := gold.keys() ^ system.keys():
        raise InputError(
            f"documents {join_names(sorted(map(str, unmatched)))} are in one of the two only; give"
            " both the same, with None for one that was never seen"
        )
    layers = {"gold": list(gold.values()), "pred": [system[id_] for id_ in gold]}
    return from_tags(layers, ids=list(map(str, gold)))
