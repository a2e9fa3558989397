"""Weights of single documents and annotators in a team.

Tallies are summed over pairs, so a document counts once for each pair of its annotators. The weight
of a document or an annotator is its share of the sizes of all annotations, summed over pairs. A
document or annotator is heavy if this weight is more than a tenth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from spanagree.arrays import Ints
from spanagree.comparisons.table import Comparisons
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.errors import escape_name, format_percent
from spanagree.results.cells import format_figure
from spanagree.results.score import Score
from spanagree.settings import document_noun

_MUCH = 0.1  # share of the weight above which a document or an annotator is named
_UNEVEN = 2  # multiple of an even share that it must exceed too; of four, each has a quarter


class DominantDocument(NamedTuple):
    """A document that carries much of the weight of its corpus.

    Attributes:
        name: name of the document.
        annotators: number of annotators who saw it.
        tally: tally over its pairs.
    """

    name: str
    annotators: int
    tally: Tally


def find_heavy_documents(
    corpus: Corpus, by_document: Comparisons, n_saw: Ints
) -> tuple[DominantDocument, ...]:
    """Find the heavy documents of a corpus, at most nine.

    Args:
        corpus: corpus of the documents.
        by_document: comparisons by document, over all pairs.
        n_saw: number of annotators who saw each document.
    """
    sizes = by_document.size_first + by_document.size_second
    heavy = by_document.where(sizes > _MUCH * sizes.sum())
    documents = zip(heavy.document.tolist(), heavy.tallies, strict=True)
    return tuple(
        DominantDocument(corpus.id_of(index), int(n_saw[index]), tally)
        for index, tally in documents
    )


def yield_weight_caveats(
    team: Tally,
    pairs: int,
    documents: int,
    heavy: Iterable[DominantDocument],
    members: Iterable[tuple[str, int, Score]],
) -> Iterator[str]:
    """Yield warnings on heavy documents and annotators, with the figures of the team without them.

    Args:
        team: tally over all pairs.
        pairs: number of pairs.
        documents: number of documents with anything to compare.
        heavy: heavy documents; of few documents a heavier one is needed for a warning.
        members: name of each annotator in a pair, the size of their annotations over pairs, and
            the F1 of the team without them.
    """
    total = team.size
    for document in heavy:
        weight = document.tally.size / total
        if not weight > max(_MUCH, _UNEVEN / documents):
            continue
        remaining = team.without(document.tally)
        pair_share = document.annotators * (document.annotators - 1) / 2 / pairs
        yield (
            f"document {escape_name(document.name)}, seen by {document.annotators} annotators,"
            f" carries {format_percent(weight, 1)} of the weight ({format_percent(pair_share, 1)}"
            f" of the pairs share it); {_write_figures_without('it', remaining.f1)}"
        )
    members = list(members)
    for name, size, f1 in members:
        if size > total * max(_MUCH, _UNEVEN / len(members)):
            yield (
                f"annotator {escape_name(name)} carries {format_percent(size / total, 1)} of the"
                f" weight; {_write_figures_without('this annotator', f1)}"
            )


def _write_figures_without(left_out: str, f1: Score) -> str:
    observed, corrected = format_figure(f1.observed), format_figure(f1.corrected)
    return f"without {left_out}, F1 is {observed}, corrected {corrected}"


def write_single_caveat(single: int, documents: int, settings: Mapping[str, Any]) -> str:
    """Write a warning on documents in which no annotator marked more than one segment.

    Random annotations keep the number of segments, so whether there is one earns no credit.

    Args:
        single: number of such documents.
        documents: number of documents that two annotators saw.
        settings: settings of the agreement.
    """
    noun, segment_noun = (
        document_noun(settings),
        str(settings.get("what", "segments")).removesuffix("s"),
    )
    documents_phrase, kept_phrase = f"{single} of {documents} {noun}s", f"which {noun}s have one"
    if documents == 1:
        documents_phrase, kept_phrase = f"the only {noun} that two saw", f"that the {noun} has one"
    return (
        f"in {documents_phrase} nobody marked more than one {segment_noun}; chance keeps"
        f" {kept_phrase}, and its label, so agreement on that earns no credit: --measure"
        " documents says how far it goes"
    )
