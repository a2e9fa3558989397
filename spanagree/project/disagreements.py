"""Disagreements: segment by segment for two annotators, ranked documents for more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from spanagree.agreement.disagreements import Disagreements
from spanagree.agreement.disagreements import disagreements as pairwise_disagreements
from spanagree.errors import SettingError, pluralize
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.project.disputed_documents import Disputes, disputes

if TYPE_CHECKING:
    from spanagree.choices import Kind


@overload
def disagreements(
    corpus: CorpusLike, a: str, b: str, *, kinds: Iterable[Kind] | None = None, text: bool = True
) -> Disagreements: ...


@overload
def disagreements(
    corpus: CorpusLike, *, kinds: Iterable[Kind] | None = None, text: bool = True, **queue: Any
) -> Disagreements | Disputes: ...


def disagreements(
    corpus: CorpusLike,
    a: str | None = None,
    b: str | None = None,
    *,
    kinds: Iterable[Kind] | None = None,
    text: bool = True,
    **queue: Any,
) -> Disagreements | Disputes:
    """List the disagreements of annotators, as the command does.

    For two annotators, the result has a row for each segment that differs, in documents that both
    saw. For more, it has the documents to adjudicate, the most disputed first, with the disputed
    segments, as :func:`spanagree.project.disputes` returns them.

    Args:
        corpus: two annotators or more as layers.
        a: first annotator, such as gold. Default: all annotators of the corpus.
        b: second annotator. If they are exchanged, ``missed`` and ``spurious`` are exchanged too.
        kinds: kinds of rows, for two annotators: missed, spurious, boundary, label and
            boundary+label. Default: all.
        text: True for rows with the texts.
        queue: settings of :func:`spanagree.project.disputes`, for more than two annotators.

    Raises:
        SettingError: if an annotator or kind is unknown, both annotators are the same, they saw no
            document in common, there is one annotator, or a setting is not for their number.

    >>> from spanagree.corpus.corpus import Corpus
    >>> ann, bob = [[(0, 2, "PER"), (4, 5, "LOC")]], [[(0, 3, "PER")]]
    >>> corpus = Corpus.from_segments([9], {"ann": ann, "bob": bob, "cy": ann})
    >>> [(row.kind, row.a, row.b) for row in disagreements(corpus, "ann", "bob")][1]
    ('missed', Segment(start=4, end=5, label='LOC'), None)
    >>> [(row.start, row.label, row.marked_by) for row in disagreements(corpus)][2]
    (4, 'LOC', ('ann', 'cy'))
    """
    corpus = as_corpus(corpus)
    if (a is None) is not (b is None):
        raise SettingError("one annotator is named; name two, or none for all of the corpus")
    names = [a, b] if a is not None and b is not None else list(corpus.annotators)
    if len(names) < 2:
        raise SettingError(f"{pluralize(len(names), 'annotator')}; two are needed at least")
    if len(names) > 2:
        if kinds is not None:
            raise SettingError("kinds is for two annotators; name them")
        return disputes(corpus, text=text, **queue)
    if queue:
        raise SettingError(f"{next(iter(queue))} is for more annotators than two; leave it out")
    return pairwise_disagreements(corpus, names[0], names[1], kinds=kinds, text=text)
