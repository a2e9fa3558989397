"""Rows as they come, one document, annotation and segment at a time, into a draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import LONGEST
from spanagree.corpus.tokens import locate
from spanagree.errors import InputError, show


class Collector:
    """Gathers the rows of a source and checks that each is of the right kind.

    Whether they make a valid annotation is for the draft to say. ``where`` stands in front of
    every error: the file and line, or what the source calls its rows.
    """

    def __init__(self, offsets: str) -> None:
        self.offsets = offsets
        self.ids: list[str] = []
        self.lengths: list[int] = []
        self.tokens: list[Sequence[str] | None] = []
        self.texts: list[str | None] = []
        self.token_starts: list[Sequence[int] | None] = []
        self._documents: dict[str, int] = {}
        self._annotators: dict[str, int] = {}
        self._of_document: list[int] = []
        self._of_annotator: list[int] = []
        self._labels: dict[str, int] = {}
        self._rows: list[tuple[int, int, int, int]] = []

    def document(
        self,
        id_: object,
        where: str,
        *,
        text: object = None,
        tokens: object = None,
        token_starts: object = None,
        length: object = None,
        again: bool = False,
    ) -> int:
        """A document, by its id; ``again``: it may have come before, with the same content."""
        if isinstance(id_, (int, np.integer)) and not isinstance(id_, bool):
            id_ = str(id_)
        if not isinstance(id_, str) or not id_:
            raise InputError(f"{where}: id {show(id_)}; a string that is not empty is needed")
        if text is not None and not isinstance(text, str):
            raise InputError(f"{where}: text {show(text)}; a string is needed")
        words = None if tokens is None else _strings(tokens, where)
        starts = None
        if words is not None and text is not None:
            pieces: Sequence[Any] = words
            if token_starts is not None:
                at = _starts(token_starts, where)
                if len(at) != len(words):
                    raise InputError(f"{where}: {len(at)} token_starts for {len(words)} tokens")
                pieces = [(s, s + len(word)) for s, word in zip(at, words, strict=True)]
            found, starts = locate(text, pieces, where)
            if found != list(words):
                raise InputError(f"{where}: at token_starts the text has {show(found)}")
        if words is not None and self.offsets == "tokens":
            size = len(words)
        elif text is not None and self.offsets == "characters":
            size = len(text)
        elif isinstance(length, int) and not isinstance(length, bool) and 0 <= length <= LONGEST:
            size = length
        else:
            needs = "tokens" if self.offsets == "tokens" else "text"
            raise InputError(f"{where}: neither {needs} nor length; one of them is needed")
        if isinstance(length, int) and length != size:
            raise InputError(f"{where}: length {length}, but there are {size} {self.offsets}")
        if id_ in self._documents:
            d = self._documents[id_]
            if not again:
                raise InputError(f"{where}: id {show(id_)} comes twice; ids are used once")
            if text is not None and self.texts[d] is not None:
                same_text(text, self.texts[d] or "", f"{where}: document {show(id_)}")
            if words is not None and list(words) != list(self.tokens[d] or ()):
                same_text(" ".join(words), " ".join(self.tokens[d] or ()), f"{where}: tokens of")
            if size != self.lengths[d]:
                raise InputError(
                    f"{where}: document {show(id_)} has the length {size} here and"
                    f" {self.lengths[d]} before"
                )
            return d
        d = self._documents[id_] = len(self.ids)
        self.ids.append(id_)
        self.lengths.append(size)
        self.texts.append(text)
        self.tokens.append(words)
        self.token_starts.append(starts)
        return d

    def annotator(self, name: object, where: str) -> int:
        """An annotator's number; one that is named and never annotates has seen nothing."""
        if not isinstance(name, str) or not name:
            raise InputError(
                f"{where}: annotator {show(name)}; a string that is not empty is needed"
            )
        return self._annotators.setdefault(name, len(self._annotators))

    def annotation(self, document: int, annotator: object, where: str) -> int:
        """That an annotator saw a document."""
        self._of_annotator.append(self.annotator(annotator, where))
        self._of_document.append(document)
        return len(self._of_document) - 1

    def segment(
        self, annotation: int, start: object, end: object, label: object, where: str
    ) -> None:
        """A segment of an annotation; ``None`` and blank labels are none."""
        for name, value in (("start", start), ("end", end)):
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not whole or abs(value) > LONGEST:  # type: ignore[arg-type]  # a number here
                raise InputError(f"{where}: {name} {show(value)}; a whole number is needed")
        if label is not None and not isinstance(label, str):
            raise InputError(f"{where}: label {show(label)}; a string is needed")
        code = -1
        if label is not None and label.strip():
            code = self._labels.setdefault(label, len(self._labels))
        self._rows.append((annotation, int(start), int(end), code))  # type: ignore[call-overload]  # checked above

    def draft(
        self, reading: Mapping[str, Any], notes: Sequence[str] = (), *, numbered: bool = False
    ) -> RawCorpus:
        """All of it; ``numbered``: the ids are but the numbers of the documents."""
        annotation, start, end, label = np.array(self._rows, np.int64).reshape(-1, 4).T
        for what, of in (("text", self.texts), ("tokens", self.tokens)):
            lacking = [d for d, content in enumerate(of) if content is None]
            if 0 < len(lacking) < len(of):
                raise InputError(
                    f"document {show(self.ids[lacking[0]])} has no {what}, others have; all"
                    " documents of a corpus have the same kind of content"
                )
        tokens = [words for words in self.tokens if words is not None]
        starts = [of for of in self.token_starts if of is not None]
        texts = [text for text in self.texts if text is not None]
        n = len(self.ids)
        return RawCorpus(
            np.array(self.lengths, np.int64),
            tuple(self._annotators),
            np.array(self._of_document, np.int64),
            np.array(self._of_annotator, np.int64),
            annotation,
            start,
            end,
            label,
            tuple(self._labels),
            self.offsets,
            None if numbered else tuple(self.ids),
            tuple(w for words in tokens for w in words) if tokens and len(tokens) == n else None,
            tuple(texts) if texts and len(texts) == n else None,
            _flat(starts) if starts and len(starts) == n else None,
            reading,
            tuple(notes),
        )


def same_text(one: str, other: str, where: str) -> None:
    """Refuses two versions of a text, showing the first difference."""
    if one == other:
        return
    at = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    near = slice(max(at - 10, 0), at + 10)
    raise InputError(
        f"{where}: the text differs from the one before, first at character {at}:"
        f" {show(one[near])}, not {show(other[near])}; all annotators need the same text (parts of"
        " one corpus are named by one pattern in quotes)"
    )


def _strings(tokens: object, where: str) -> Sequence[str]:
    if isinstance(tokens, (list, tuple)) and all(isinstance(token, str) for token in tokens):
        return tokens
    raise InputError(f"{where}: tokens {show(tokens)}; a list of strings is needed")


def _starts(starts: object, where: str) -> Sequence[int]:
    if isinstance(starts, (list, tuple)) and all(isinstance(at, int) for at in starts):
        return starts
    raise InputError(f"{where}: token_starts {show(starts)}; a list of whole numbers is needed")


def _flat(starts: Sequence[Sequence[int]]) -> Ints:
    return np.array([at for of in starts for at in of], np.int64)
