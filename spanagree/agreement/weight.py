"""How much single documents and annotators weigh in a team.

Tallies are summed over pairs, so a document that many saw weighs as much as all its pairs together,
and so does an annotator who saw much: their weight is the share of all that is marked, over pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from spanagree.arrays import Ints
from spanagree.comparisons.table import Comparisons
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.errors import escape_name, percent
from spanagree.results.frame import figure
from spanagree.results.score import Score
from spanagree.settings import document_noun

_MUCH = 0.1  # a document or an annotator with a greater share of the weight is named
_UNEVEN = 2  # if it is more than so many times an even share: of four, each has a quarter


class DominantDocument(NamedTuple):
    """A document that carries much of the weight of its corpus.

    Attributes:
        name: its name.
        annotators: how many saw it.
        tally: over its pairs.
    """

    name: str
    annotators: int
    tally: Tally


def heavy_documents(
    corpus: Corpus, by_document: Comparisons, saw: Ints
) -> tuple[DominantDocument, ...]:
    """Return the documents with more than a tenth of the weight; there are nine at most.

    Args:
        corpus: the documents.
        by_document: comparisons of documents, over all pairs.
        saw: how many annotators saw each document.
    """
    sizes = by_document.size_first + by_document.size_second
    heavy = by_document.where(sizes > _MUCH * sizes.sum())
    documents = zip(heavy.document.tolist(), heavy.tallies, strict=True)
    return tuple(DominantDocument(corpus.id_of(d), int(saw[d]), tally) for d, tally in documents)


def weight_caveats(
    team: Tally,
    pairs: int,
    documents: int,
    heavy: Iterable[DominantDocument],
    members: Iterable[tuple[str, int, Score]],
) -> Iterator[str]:
    """Yield which documents and annotators carry much of the weight, and the figures without them.

    Args:
        team: over all pairs.
        pairs: how many pairs there are.
        documents: how many documents have anything to compare.
        heavy: the documents to look at, of the corpus.
        members: each annotator who is in a pair, how much she marked over pairs, and the team
            without her.
    """
    total = team.size
    for document in heavy:
        share = document.tally.size / total
        if not share > max(_MUCH, _UNEVEN / documents):
            continue
        rest = team.without(document.tally)
        of_pairs = document.annotators * (document.annotators - 1) / 2 / pairs
        yield (
            f"document {escape_name(document.name)}, seen by {document.annotators} annotators,"
            f" carries {percent(share, 1)} of the weight ({percent(of_pairs, 1)} of the"
            f" pairs share it); {_without('it', rest.f1)}"
        )
    members = list(members)
    for name, size, f1 in members:
        if size > total * max(_MUCH, _UNEVEN / len(members)):
            yield (
                f"annotator {escape_name(name)} carries {percent(size / total, 1)} of the weight;"
                f" {_without('this annotator', f1)}"
            )


def _without(what: str, f1: Score) -> str:
    return f"without {what}, F1 is {figure(f1.observed)}, corrected {figure(f1.corrected)}"


def single_caveat(single: int, documents: int, settings: Mapping[str, Any]) -> str:
    """Return what the correction does not see, where most documents have at most one segment."""
    noun, what = document_noun(settings), str(settings.get("what", "segments")).removesuffix("s")
    location, kept = f"{single} of {documents} {noun}s", f"which {noun}s have one"
    if documents == 1:
        location, kept = f"the only {noun} that two saw", f"that the {noun} has one"
    return (
        f"in {location} nobody marked more than one {what}; chance keeps {kept}, and its label, so"
        " agreement on that earns no credit: --measure documents says how far it goes"
    )
