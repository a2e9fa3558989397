"""Documents that an annotator may not have seen, because the source does not record it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.raw import RawCorpus, check_absent
from spanagree.errors import pluralize


def apply_absent(raw: RawCorpus, absent: str | None) -> RawCorpus:
    """Apply a choice for annotators without a row in a document: they saw it, or never did.

    Args:
        raw: rows of one or several sources.
        absent: name in :data:`spanagree.corpus.raw.ABSENT`; ``None`` to decide by role later.
    """
    check_absent(absent)
    if absent is None or not raw.seen_unknown:
        return raw
    if absent == "unseen":
        return raw.replace(seen_unknown=())
    absences = _list_unknown_coverage(raw)
    document = np.array([d for _, documents in absences for d in documents.tolist()], np.int64)
    annotator = np.array([a for a, documents in absences for _ in documents], np.int64)
    when = None if raw.when is None else np.append(raw.when, np.full(len(annotator), np.nan))
    return raw.replace(
        document_index=np.append(raw.document_index, document),
        annotator_index=np.append(raw.annotator_index, annotator),
        when=when,
        seen_unknown=(),
    )


def _list_unknown_coverage(raw: RawCorpus) -> list[tuple[int, Ints]]:
    """List annotators with unknown coverage, with the documents in which they have no row.

    Annotators and documents are indices.
    """
    index_by_name = {name: a for a, name in enumerate(raw.annotators)}
    all_documents = np.arange(len(raw.lengths))
    absences = []
    for a in (index_by_name[name] for name in raw.seen_unknown if name in index_by_name):
        own_documents = raw.document_index[raw.annotator_index == a]
        absences.append((a, np.setdiff1d(all_documents, own_documents)))
    return absences


def yield_notes_on_absent(raw: RawCorpus) -> Iterator[str]:
    """Yield a note on documents that annotators may or may not have seen."""
    if n_cases := sum(len(documents) for _, documents in _list_unknown_coverage(raw)):
        yield (
            f"nobody says whether annotators saw documents in which they have nothing"
            f" ({pluralize(n_cases, 'case')}): systems are taken as having seen what gold or"
            " references"
            " saw, annotators as never having seen it; --absent unmarked or unseen (absent=)"
            " decides for all, and in a table a row without start and end says that one was seen"
        )
