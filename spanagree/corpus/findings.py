"""Findings of a check: flaws and oddities of a source, with their cases.

A *flaw* is an error until it is repaired; an *oddity*, such as labels that differ only in case, is
only reported. Each is a :class:`Finding`, with its *cases*: the segments, annotations or names
concerned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

import numpy as np

from spanagree.corpus.flaws import FLAWS, find_overlaps, write_question_on_ends
from spanagree.corpus.label_text import group_similar_names
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import pluralize, quote_value

_AS_IT_SHOULD_BE = ("marked-nothing",)  # findings that are no oddity


@dataclass(frozen=True)
class Finding:
    """A flaw or oddity of a source, with all its cases.

    Attributes:
        name: name of the flaw, or of the oddity in labels or tags.
        first: sentence on the first case.
        error: True if it has to be repaired before a corpus can be built.
        count: number of cases.
        annotations: number of annotations with a case (annotations are pairs of annotator and
            document).
        places: annotator and document of each case; for segments also start, end and label; for
            quotes that are not in the text, these instead of start and end.
        repairs: names of repairs that help.
        question: question about ends or annotators that is to be answered before repairs; usually
            empty.
    """

    name: str
    first: str
    error: bool = False
    count: int = 1
    annotations: int = 0
    places: tuple[dict[str, Any], ...] = ()
    repairs: tuple[str, ...] = ()
    question: str = ""

    @property
    def level(self) -> str:
        """Severity of the finding: error, warning, or note."""
        if self.error:
            return "error"
        return "note" if self.name in _AS_IT_SHOULD_BE else "warning"


def yield_findings(
    raw: RawCorpus, counts_by_annotator: Sequence[Mapping[str, int]]
) -> Iterator[Finding]:
    """Yield the flaws and oddities of the rows.

    Args:
        raw: rows of a source.
        counts_by_annotator: numbers of segments by label, for each annotator.
    """
    for name in sorted(FLAWS, key=lambda name: not FLAWS[name].is_error):  # errors first
        yield from _yield_flaw_findings(raw, name)
    yield from _yield_overlap_findings(raw)
    yield from _yield_label_findings(raw.annotators, counts_by_annotator)
    yield from _yield_name_findings(raw)
    yield from _yield_tag_findings(raw)


def _yield_flaw_findings(raw: RawCorpus, name: str) -> Iterator[Finding]:
    """Yield a finding with all cases of a flaw, if there are any."""
    if name == "marked-nothing" and raw.reading.get("unit") == "sentence":
        return  # most sentences have nothing that could be marked
    flaw = FLAWS[name]
    cases = np.flatnonzero(flaw.find_cases(raw))
    if not len(cases):
        return
    annotations = flaw.of.find_annotations(raw, cases)
    places = []
    for i, annotation in zip(cases.tolist(), annotations.tolist(), strict=True):
        place: dict[str, Any] = {}
        if annotation >= 0:
            place["annotator"], place["document"] = raw.find_annotator_and_document(annotation)
        places.append(place | flaw.of.list_fields(raw, i))
    sentence, question = flaw.describe(raw, int(cases[0])), _write_question(name, raw)
    yield Finding(
        name,
        f"{sentence}; {question}" if question else sentence,
        bool(flaw.find_errors(raw).any()),
        len(cases),
        len(np.unique(annotations)),
        tuple(places),
        flaw.list_repairs(raw),
        question,
    )


def _write_question(flaw: str, raw: RawCorpus) -> str:
    """Write a question to answer before a flaw is repaired; empty for most flaws."""
    if flaw == "repeated":
        return (
            "if they are by several people, name these in the rows, or give each a file (NAME=FILE)"
        )
    return write_question_on_ends(raw) if flaw == "empty" else ""


def _yield_overlap_findings(raw: RawCorpus) -> Iterator[Finding]:
    """Yield a finding if segments of one annotation overlap, whatever their labels."""
    later, _ = find_overlaps(raw)
    if n_annotations := len(np.unique(raw.annotation[later])):
        n_same_label = len(find_overlaps(raw, same_label=True)[0])
        sentence = (
            f"{pluralize(n_annotations, 'annotation')} with segments that overlap: chance is"
            f" {'overlapping' if n_same_label else 'per-label'} unless another is named, and"
            " measures that pair or share tokens may not take them"
        )
        yield Finding("overlap", sentence, count=len(later), annotations=n_annotations)


def _yield_label_findings(
    annotators: Sequence[str], counts: Sequence[Mapping[str, int]]
) -> Iterator[Finding]:
    """Yield findings on labels of only one annotator, and on labels that are nearly equal.

    ``counts`` are the numbers of segments by label, for each annotator.
    """
    users_by_label: dict[str, list[str]] = {}
    for name, labels in zip(annotators, counts, strict=True):
        for label in filter(None, labels):
            users_by_label.setdefault(label, []).append(name)
    labels_by_normal_form: dict[str, list[str]] = {}
    for label, names in sorted(users_by_label.items()):
        normal_form = re.sub(r"[\W_]", "", normalize("NFC", label)).casefold()
        labels_by_normal_form.setdefault(normal_form, []).append(label)
        if len(names) == 1 < len(annotators):
            sentence = f"label {quote_value(label)} is used by {quote_value(names[0])} alone"
            case_fields = {"label": label, "annotator": names[0]}
            yield Finding("label-of-one", sentence, places=(case_fields,))
    for group in labels_by_normal_form.values():
        if len(group) > 1:
            yield _build_alike_finding("alike-labels", "label", group, "case or punctuation")


def _yield_name_findings(raw: RawCorpus) -> Iterator[Finding]:
    """Yield findings on names of annotators and ids of documents that look equal.

    Ids of documents may differ in case.
    """
    for noun, names in (("annotator", raw.annotators), ("document", raw.ids or ())):
        for group in group_similar_names(names, case=noun == "document"):
            yield _build_alike_finding("alike-names", noun, group, "case")


def _build_alike_finding(name: str, noun: str, group: Sequence[str], difference: str) -> Finding:
    """Build the finding on names that look equal.

    Args:
        name: name of the finding.
        noun: what has such names.
        group: names that look equal.
        difference: what they differ in, if neither in space nor in the form of Unicode.
    """
    if group_similar_names(group):
        difference = "outer space or the form of Unicode"
    sentence = f"{noun}s {', '.join(map(quote_value, group))} differ in {difference} only"
    return Finding(name, sentence, places=tuple({noun: value} for value in group))


def _yield_tag_findings(raw: RawCorpus) -> Iterator[Finding]:
    """Yield a finding for each kind of ill-formed tags in each layer."""
    for name, counts_by_kind in raw.reading.get("ill_formed", {}).items():
        for flaw_name, count in counts_by_kind.items():
            sentence = (
                f"{quote_value(name)}: {count} × {flaw_name}, in {raw.reading['schemes'][name]}"
            )
            case_fields = {"annotator": name, "kind": flaw_name}
            yield Finding("ill-formed-tag", sentence, count=count, places=(case_fields,))
