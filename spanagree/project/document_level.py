"""Agreement on the documents with any segment, and with a segment of each label.

An answer of an annotator to a document is yes if they marked a segment in it, or a segment with a
given label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from spanagree.arrays import Bools
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.placed import keep_placed, select_notes_on_unplaced
from spanagree.corpus.roles import choose_annotators, count_seen
from spanagree.errors import pluralize
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.labels.chance_corrected import CoefficientInputs, score_coefficient
from spanagree.labels.coefficient import Coefficient
from spanagree.labels.formulas import CoefficientSet
from spanagree.labels.intervals import add_interval, compute_intervals
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_dots
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED, get_ends
from spanagree.settings import Settings, document_noun, parse_confidence
from spanagree.uncertainty.confidence import Jackknife, parse_ci

ANY = "any label"
_KINDS = ("absent", "present")


@dataclass(frozen=True, kw_only=True, eq=False)
class DocumentAgreementSettings(Settings):
    """Settings of a document-level agreement."""

    measure: str = "documents"
    annotators: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class DocumentAgreement(Result):
    """Result of :func:`document_agreement`.

    Attributes:
        any: Krippendorff's α on the documents with any segment.
        labels: Krippendorff's α on the documents with each label, by label.
        seen: number of documents that two annotators or more saw.
        documents: number of documents of the corpus.
        shares: share of the annotations of these documents with any segment, under the name
            :data:`ANY`, and with each label, by label.
        settings: settings of the computation.
        notes: notes of the reader, one sentence each.

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
        """Coefficients by name, the coefficient of any label first."""
        yield ANY, self.any
        yield from self.labels.items()

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each."""
        noun = document_noun(self.settings)
        caveats = (caveat.replace("item", noun) for caveat in self.any.caveats)
        return tuple(caveat.replace("α:", f"{noun}s with any label:", 1) for caveat in caveats)

    @property
    def verdict(self) -> str:
        """Sentence on α of the answers whether documents have any segment."""
        noun = document_noun(self.settings)
        ends = getattr(self.any.interval, "corrected", None)
        if self.any.reason and self.shares[ANY] == 1:
            return f"α is undefined: every annotator marked something in every {noun}."
        if self.any.reason and self.shares[ANY] == 0:
            return f"α is undefined: no annotator marked anything in any {noun}."
        name = f"Krippendorff's α of the presence of segments in {noun}s"
        confidence = parse_confidence(self.settings)
        return verdict.write_coefficient(name, self.any.value, ends, confidence, self.any.reason)

    TABLES: ClassVar[Mapping[str, str | None]] = {"labels": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "seen")

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with a row for any label, and one for each label."""
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
        for name, coefficient in self.all:
            ends = get_ends(coefficient.interval, "corrected")
            figures = [
                self.shares[name],
                coefficient.observed,
                coefficient.expected,
                coefficient.value,
            ]
            rows.append([name, *figures, ends, *(ends if ci else ())])
        noun = document_noun(self.settings)
        reasons = {coefficient.reason: None for _, coefficient in self.all if coefficient.reason}
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
                *select_notes_on_unplaced(self.notes),
            ],
        )

    def _build_plot(self, by: str | None) -> Plot:
        """Plot α of any label and of each label, with intervals."""
        rows = [
            (name, [(coefficient.value, *get_ends(coefficient.interval, "corrected"))])
            for name, coefficient in self.all
        ]
        return plot_dots(rows, ["α"], "α of documents")


def document_agreement(
    corpus: CorpusLike,
    *,
    annotators: Sequence[str] | None = None,
    ci: bool | Jackknife = False,
    progress: Callable[[int, int], None] | None = None,
) -> DocumentAgreement:
    """Compute agreement on the documents with any segment, and with each label.

    A random annotation keeps the number and labels of the segments of each document, so agreement
    on these earns no credit in corrected F1. Here the items are documents, the answer of an
    annotator to a document they saw is yes or no, and chance deals the answers to all documents:
    Krippendorff's α, nominal.

    Args:
        corpus: annotators as layers.
        annotators: names of the annotators to compare. Default: all.
        ci: True for confidence intervals, over documents; or a :class:`Jackknife`.
        progress: function that is called with the number of finished coefficients and the total.

    Raises:
        SettingError: if a name is unknown, or a number is out of range.

    >>> corpus = Corpus.from_segments(
    ...     [9, 9], {"ann": [[(0, 2, "PER")], []], "bob": [[(4, 5, "PER")], []]}
    ... )
    >>> document_agreement(corpus).any.value
    1.0
    """
    corpus = keep_placed(as_corpus(corpus), "documents")
    jackknife = parse_ci(ci)
    corpus, chosen_names = choose_annotators(corpus, annotators)
    report_progress = progress or (lambda n_done, n_total: None)
    index = AnnotationIndex.from_corpus(corpus)
    n_saw = count_seen(corpus)
    is_shared = n_saw[index.document] > 1
    coefficients: dict[str, Coefficient] = {}
    shares: dict[str, float] = {}
    names = (ANY, *corpus.labels)
    for n_done, (name, is_yes) in enumerate(
        zip(names, _yield_answers(corpus, index), strict=True), 1
    ):
        coefficients[name] = _compute_alpha(corpus, index, is_yes, jackknife)
        shares[name] = float(is_yes[is_shared].mean()) if is_shared.any() else UNDEFINED
        report_progress(n_done, len(names))
    interval_kinds = [
        coefficient.interval.kind
        for coefficient in coefficients.values()
        if coefficient.interval is not None
    ]
    settings: dict[str, Any] = {} if jackknife is None else jackknife.settings(interval_kinds)
    settings |= {"offsets": corpus.offsets, "reading": corpus.reading, "chosen": chosen_names}
    n_shared, any_label = int((n_saw > 1).sum()), coefficients.pop(ANY)
    document_settings = DocumentAgreementSettings(annotators=len(corpus.layers), **settings)
    return DocumentAgreement(
        any_label, coefficients, n_shared, len(corpus), shares, document_settings, corpus.notes
    )


def _yield_answers(corpus: Corpus, index: AnnotationIndex) -> Iterator[Bools]:
    """Yield masks of the annotations with the answer yes: first for any segment, then by label."""
    n_segments = index.end - index.begin
    yield n_segments > 0
    annotation = np.repeat(np.arange(len(n_segments)), n_segments)
    _, _, label_of_segment = index.concatenate_segments(corpus)
    for label in range(len(corpus.labels)):
        is_yes = np.zeros(len(n_segments), np.bool_)
        is_yes[annotation[label_of_segment == label]] = True
        yield is_yes


def _compute_alpha(
    corpus: Corpus, index: AnnotationIndex, is_yes: Bools, jackknife: Jackknife | None
) -> Coefficient:
    """Compute Krippendorff's α of yes and no answers of annotators to documents.

    Args:
        corpus: annotators as layers.
        index: annotations of the corpus.
        is_yes: mask of annotations with the answer yes.
        jackknife: options of the interval, or `None`.
    """
    cell = 2 * index.document + is_yes
    cells = np.bincount(cell, minlength=2 * len(corpus))
    nonempty = np.flatnonzero(cells)
    table = LabelTable(
        nonempty // 2,
        nonempty % 2,
        None,
        cells[nonempty],
        len(corpus),
        (),
        _KINDS,
        parent_ids=corpus.parent_ids,
        reading=corpus.reading,
    )
    inputs = CoefficientInputs.from_table(table, False)
    alpha = replace(score_coefficient(CoefficientSet.alpha, inputs), by_category={})
    if jackknife is None:
        return alpha
    ends = compute_intervals(inputs, np.zeros(table.size), jackknife)
    return add_interval(alpha, ends["alpha"], jackknife)
