"""Agreement on which documents have anything marked, and which labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from spanagree.arrays import Bools
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.placed import placed_only, remarks_on_unplaced
from spanagree.corpus.roles import choose_annotators, count_seen
from spanagree.errors import pluralize
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.labels.chance_corrected import CoefficientInputs, score
from spanagree.labels.coefficient import Coefficient
from spanagree.labels.formulas import CoefficientSet
from spanagree.labels.intervals import intervals
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Plot, dots_of
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED, ends_of
from spanagree.settings import Settings, confidence_of, document_noun
from spanagree.uncertainty.confidence import Jackknife, parse_ci

ANY = "any label"
_KINDS = ("absent", "present")


@dataclass(frozen=True, kw_only=True, eq=False)
class DocumentAgreementSettings(Settings):
    """The settings of a document-level agreement."""

    measure: str = "documents"
    annotators: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class DocumentAgreement(Result):
    """The result of :func:`document_agreement`.

    Attributes:
        any: Krippendorff's α of whether a document has any segment.
        labels: the same of whether it has each label, by label.
        seen: how many documents two annotators or more saw.
        documents: the number of documents of the corpus.
        shares: how many of the annotations of these have it, as a share, by the same names; that of
            any label is that of :data:`ANY`.
        settings: what made the figures.
        notes: what a reader repaired or passed over.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "X")], []], "bob": [[(4, 5, "X")], []]}
    >>> found = sa.project.document_agreement(sa.Corpus.from_segments([9, 9], layers))
    >>> found.any.value, found.labels["X"].value, found.seen
    (1.0, 1.0, 2)
    """

    any: Coefficient
    labels: Mapping[str, Coefficient]
    seen: int
    documents: int
    shares: Mapping[str, float]
    settings: DocumentAgreementSettings
    notes: tuple[str, ...]

    @property
    def all(self) -> Iterator[tuple[str, Coefficient]]:
        """Each coefficient by name, that of any label first."""
        yield ANY, self.any
        yield from self.labels.items()

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        noun = document_noun(self.settings)
        caveats = (caveat.replace("item", noun) for caveat in self.any.caveats)
        return tuple(caveat.replace("α:", f"{noun}s with any label:", 1) for caveat in caveats)

    @property
    def verdict(self) -> str:
        """How far annotators agree on which documents have anything."""
        ends = getattr(self.any.interval, "corrected", None)
        name = f"Krippendorff's α of which {document_noun(self.settings)}s have anything"
        confidence = confidence_of(self.settings)
        return verdict.coefficient(name, self.any.value, ends, confidence, self.any.reason)

    TABLES: ClassVar[Mapping[str, str | None]] = {"labels": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "seen")

    def _table(self, by: str | None) -> Frame:
        """A row for any label, and one for each."""
        ci = self.settings.ci is not None
        columns = [
            Column("label", f"{document_noun(self.settings)}s with", "name", "documents with"),
            Column("share", "share", meaning="share with it"),
            Column("observed", "observed", meaning="observed document-level agreement"),
            Column("expected", "expected", meaning="expected document-level agreement"),
            Column("alpha", "α", meaning="α of documents"),
            Column("", "interval" if ci else "", "interval"),
            *([Column("alpha_low"), Column("alpha_high")] if ci else ()),
        ]
        rows: list[list[Value]] = []
        for name, part in self.all:
            ends = ends_of(part.interval, "corrected")
            figures = [self.shares[name], part.observed, part.expected, part.value]
            rows.append([name, *figures, ends, *(ends if ci else ())])
        noun = document_noun(self.settings)
        reasons = {part.reason: None for _, part in self.all if part.reason}
        return Frame(
            columns,
            rows,
            self.settings,
            caption=f"{noun}-level agreement:"
            f" {pluralize(self.settings.annotators or 0, 'annotator')},"
            f" {pluralize(self.documents, noun)}, {self.seen} seen by two or more",
            remarks=[
                *(f"–: undefined: {reason}" for reason in reasons),
                *self.caveats,
                *remarks_on_unplaced(self.notes),
            ],
        )

    def _picture(self, by: str | None) -> Plot:
        """Return α of any label and of each, with their intervals."""
        rows = [
            (name, [(part.value, *ends_of(part.interval, "corrected"))]) for name, part in self.all
        ]
        return dots_of(rows, ["α"], "α of documents")


def document_agreement(
    corpus: CorpusLike,
    *,
    annotators: Sequence[str] | None = None,
    ci: bool | Jackknife = False,
    progress: Callable[[int, int], None] | None = None,
) -> DocumentAgreement:
    """Return how far annotators agree on which documents have anything, and which have each label.

    A random annotation keeps in every document the number and labels of its segments, so agreement
    on these earns no credit in corrected F1. Here documents are the items, what an annotator says
    of one that she saw is yes or no, and chance deals the answers out anew over all documents:
    Krippendorff's α, nominal.

    Args:
        corpus: the annotators as layers.
        annotators: the names of those to compare; all unless given.
        ci: confidence intervals, over documents; or a :class:`Jackknife`.
        progress: called with the number of coefficients done, and of all.

    Raises:
        SettingError: for an unknown name, or a number out of range.

    >>> corpus = Corpus.from_segments(
    ...     [9, 9], {"ann": [[(0, 2, "PER")], []], "bob": [[(4, 5, "PER")], []]}
    ... )
    >>> document_agreement(corpus).any.value
    1.0
    """
    corpus = placed_only(as_corpus(corpus), "documents")
    jackknife = parse_ci(ci)
    corpus, chosen = choose_annotators(corpus, annotators)
    report_progress = progress or (lambda done, total: None)
    crowd = AnnotationIndex.of(corpus)
    saw = count_seen(corpus)
    shared = saw[crowd.document] > 1
    figures: dict[str, Coefficient] = {}
    shares: dict[str, float] = {}
    names = (ANY, *corpus.labels)
    for done, (name, has) in enumerate(zip(names, _answers(corpus, crowd), strict=True), 1):
        figures[name] = _alpha(corpus, crowd, has, jackknife)
        shares[name] = float(has[shared].mean()) if shared.any() else UNDEFINED
        report_progress(done, len(names))
    kinds = [x.interval.kind for x in figures.values() if x.interval is not None]
    settings: dict[str, Any] = {} if jackknife is None else jackknife.settings(kinds)
    settings |= {"offsets": corpus.offsets, "reading": corpus.reading, "chosen": chosen}
    seen, any_label = int((saw > 1).sum()), figures.pop(ANY)
    made = DocumentAgreementSettings(annotators=len(corpus.layers), **settings)
    return DocumentAgreement(any_label, figures, seen, len(corpus), shares, made, corpus.notes)


def _answers(corpus: Corpus, crowd: AnnotationIndex) -> Iterator[Bools]:
    """Yield whether each annotation has any segment, then whether it has each label."""
    size = crowd.end - crowd.begin
    yield size > 0
    annotation = np.repeat(np.arange(len(size)), size)
    _, _, of_segment = crowd.segments(corpus)
    for number in range(len(corpus.labels)):
        has = np.zeros(len(size), np.bool_)
        has[annotation[of_segment == number]] = True
        yield has


def _alpha(
    corpus: Corpus, crowd: AnnotationIndex, has: Bools, jackknife: Jackknife | None
) -> Coefficient:
    """Return α of an answer to every annotation, with its interval if it is requested."""
    key = 2 * crowd.document + has
    cells = np.bincount(key, minlength=2 * len(corpus))
    there = np.flatnonzero(cells)
    table = LabelTable(
        there // 2,
        there % 2,
        None,
        cells[there],
        len(corpus),
        (),
        _KINDS,
        parent_ids=corpus.parent_ids,
        reading=corpus.reading,
    )
    basis = CoefficientInputs.of(table, False)
    alpha = replace(score(CoefficientSet.alpha, basis), by_category={})
    if jackknife is None:
        return alpha
    ends = intervals(basis, np.zeros(table.size), jackknife)
    return replace(alpha, interval=ends["alpha"])
