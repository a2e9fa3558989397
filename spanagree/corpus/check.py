"""What is in a source, and what is odd about it: a lint, before anything is computed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from spanagree.corpus.flaws import FLAWS, Flaw, overlaps
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import show
from spanagree.settings import __version__, signature


@dataclass(frozen=True)
class Finding:
    """One kind of thing that is wrong or odd.

    Attributes:
        name: of :data:`spanagree.draft.FLAWS`, or one that concerns labels or tags.
        error: whether it has to be repaired before a corpus can be made.
        count: how many cases there are.
        annotations: in how many annotations (an annotator's pass over a document).
        first: the first case, as a sentence.
        places: annotator, document and, for segments, start, end and label of every case.
        repairs: which repairs would help.
    """

    name: str
    error: bool
    count: int
    annotations: int
    first: str
    places: tuple[dict[str, Any], ...] = ()
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """The result of :func:`check`.

    Attributes:
        contents: how many documents, annotators, annotations and segments there are, what offsets
            count, and the least, median and greatest length of documents and segments.
        coverage: how many documents were seen by how many annotators.
        annotators: a row for each: documents seen, of these without a segment, segments, labels.
        findings: errors first.
    """

    contents: dict[str, Any]
    coverage: dict[int, int]
    annotators: tuple[dict[str, Any], ...]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many cases have to be repaired."""
        return sum(finding.count for finding in self.findings if finding.error)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, for JSON."""
        return {
            **self.contents,
            "coverage": [
                {"annotators": n, "documents": count} for n, count in self.coverage.items()
            ],
            "by_annotator": list(self.annotators),
            "findings": [
                {**vars(finding), "places": list(finding.places), "repairs": list(finding.repairs)}
                for finding in self.findings
            ],
        }


def check(draft: RawCorpus) -> Check:
    """What a draft holds, and what is wrong or odd in it.

    >>> from spanagree.corpus.corpus import Corpus
    >>> corpus = Corpus.from_segments([5], {"ann": [[(0, 4, "PER"), (1, 2, "per")]]})
    >>> [finding.name for finding in check(corpus.to_raw()).findings]
    ['nested', 'overlap', 'alike-labels']
    """
    n = len(draft.annotators)
    seen = np.bincount(draft.of_annotator, minlength=n)
    marked = np.bincount(draft.annotation, minlength=len(draft.of_document)) > 0
    empty = np.bincount(draft.of_annotator[~marked], minlength=n)
    owner = draft.of_annotator[draft.annotation]
    counts: list[Counter[str]] = [Counter() for _ in range(n)]
    names = [*draft.labels, ""]  # −1 is the last
    for a, code in zip(owner.tolist(), draft.label.tolist(), strict=True):
        counts[a][names[code]] += 1
    annotators = tuple(
        {
            "annotator": name,
            "documents": int(seen[a]),
            "marked_nothing": int(empty[a]),
            "segments": counts[a].total(),
            "labels": dict(sorted(counts[a].items())),
        }
        for a, name in enumerate(draft.annotators)
    )
    by_document = np.bincount(draft.of_document, minlength=len(draft.lengths))
    coverage = Counter(by_document.tolist())
    contents = {
        "signature": signature({"offsets": draft.offsets, **draft.reading, "version": __version__}),
        "documents": len(draft.lengths),
        "annotators": n,
        "annotations": len(draft.of_document),
        "segments": len(draft.start),
        "offsets": draft.offsets,
        "document_length": _spread(draft.lengths),
        "segment_length": _spread(draft.end - draft.start),
        "notes": list(draft.notes),
    }
    findings = [
        *(_finding(draft, name, flaw) for name, flaw in FLAWS.items()),
        _overlaps(draft),
        *_about_labels(draft, counts),
        *_about_tags(draft),
    ]
    found = [finding for finding in findings if finding and finding.count]
    found.sort(key=lambda finding: not finding.error)
    return Check(contents, dict(sorted(coverage.items())), annotators, tuple(found))


def _spread(lengths: Any) -> list[float]:
    """Least, median and greatest."""
    if not len(lengths):
        return []
    return [int(lengths.min()), float(np.median(lengths)), int(lengths.max())]


def _finding(draft: RawCorpus, name: str, flaw: Flaw) -> Finding | None:
    where = flaw.find(draft)
    if not len(where):
        return None
    annotations = where if flaw.of_annotations else draft.annotation[where]
    places = []
    for i, annotation in zip(where.tolist(), annotations.tolist(), strict=True):
        d = int(draft.of_document[annotation])
        place: dict[str, Any] = {
            "annotator": draft.annotators[draft.of_annotator[annotation]],
            "document": str(d + 1) if draft.ids is None else draft.ids[d],
        }
        if not flaw.of_annotations:
            label = draft.labels[draft.label[i]] if draft.label[i] >= 0 else None
            place |= {"start": int(draft.start[i]), "end": int(draft.end[i]), "label": label}
        places.append(place)
    return Finding(
        name,
        flaw.repairs is not None,
        len(where),
        len(np.unique(annotations)),
        flaw.describe(draft, int(where[0])),
        tuple(places),
        flaw.repairs or (),
    )


def _overlaps(draft: RawCorpus) -> Finding | None:
    """In how many annotations any segments overlap, whatever their labels."""
    later, _ = overlaps(draft)
    if not len(later):
        return None
    annotations = len(np.unique(draft.annotation[later]))
    return Finding(
        "overlap",
        False,
        len(later),
        annotations,
        f"{annotations} annotations have segments that overlap: chance per-label or overlapping,"
        " and a measure that allows it, take them",
    )


def _about_labels(draft: RawCorpus, counts: list[Counter[str]]) -> list[Finding]:
    """Labels that one annotator alone uses, and labels that differ in case or punctuation only."""
    findings = []
    users: dict[str, list[str]] = {}
    for name, of in zip(draft.annotators, counts, strict=True):
        for label in of:
            users.setdefault(label, []).append(name)
    users.pop("", None)
    if len(draft.annotators) > 1:
        findings += [
            Finding(
                "label-of-one",
                False,
                1,
                0,
                f"label {show(label)} is used by {show(of[0])} alone",
                ({"label": label, "annotator": of[0]},),
            )
            for label, of in sorted(users.items())
            if len(of) == 1
        ]
    alike: dict[str, list[str]] = {}
    for label in sorted(users):
        alike.setdefault(re.sub(r"[\W_]", "", label).casefold(), []).append(label)
    findings += [
        Finding(
            "alike-labels",
            False,
            1,
            0,
            f"labels {', '.join(map(show, labels))} differ in case or punctuation only",
            tuple({"label": label} for label in labels),
        )
        for labels in alike.values()
        if len(labels) > 1
    ]
    return findings


def _about_tags(draft: RawCorpus) -> list[Finding]:
    """Ill-formed tags, by layer and kind."""
    ill_formed = draft.reading.get("ill_formed", {})
    return [
        Finding(
            "ill-formed-tag",
            False,
            count,
            0,
            f"{show(name)}: {count} × {kind}, in {draft.reading['schemes'][name]}",
            ({"annotator": name, "kind": kind},),
        )
        for name, kinds in ill_formed.items()
        for kind, count in kinds.items()
    ]
