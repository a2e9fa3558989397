"""A lint of a source: its contents, and what is odd about it, before anything is computed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from unicodedata import normalize

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.balance import says_balance
from spanagree.corpus.flaws import FLAWS, ends_asked, overlaps, repeats
from spanagree.corpus.names import alike
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import is_time
from spanagree.corpus.times import in_seconds
from spanagree.errors import chosen, escape_name, pluralize, quote_value
from spanagree.results.frame import Column, Frame
from spanagree.results.result import ResultBase
from spanagree.results.text import render, signature_lines
from spanagree.settings import Settings

_AS_IT_SHOULD_BE = ("marked-nothing",)  # findings that are not odd
_MOST = 20  # annotators that are shown; JSON has all


@dataclass(frozen=True)
class Finding:
    """One kind of thing that is wrong or odd.

    Attributes:
        name: of a flaw, or of what concerns labels or tags.
        first: the first case, as a sentence.
        error: whether it has to be repaired before a corpus can be made.
        count: how many cases there are.
        annotations: in how many annotations (an annotator's pass over a document).
        places: annotator, document and, for segments, start, end and label of every case; for
            quotes that are not in the text, these in place of start and end.
        repairs: which repairs would help.
        question: of its ends or annotators, which comes before any repair; empty for most.
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
        """How serious it is: an error, a warning, or a note on what is as it should be."""
        if self.error:
            return "error"
        return "note" if self.name in _AS_IT_SHOULD_BE else "warning"


@dataclass(frozen=True, eq=False, repr=False)
class Check(ResultBase):
    """The result of :func:`check`.

    Attributes:
        contents: how many documents, annotators, annotations and segments there are, what offsets
            count, the least, median and greatest length of documents and segments, and the
            balance: numbers of things in the source, by unit and by what became of them.
        coverage: how many documents were seen by how many annotators.
        annotators: a row for each: documents seen, of these without a segment, segments, labels.
        findings: errors first.
        settings: how the source was read.
        notes: what reading it had to say.
    """

    contents: dict[str, Any]
    coverage: dict[int, int]
    annotators: tuple[dict[str, Any], ...]
    findings: tuple[Finding, ...]
    settings: Settings
    notes: tuple[str, ...]

    BY: ClassVar[Mapping[str, str]] = {
        "coverage": "how many documents were seen by how many annotators",
        "annotator": "a row for each annotator",
    }
    TABLES: ClassVar[Mapping[str, str | None]] = {
        "coverage": "coverage", "annotators": "annotator", "findings": None
    }  # fmt: skip

    @property
    def is_odd(self) -> bool:
        """Whether there is an error or a warning."""
        return any(finding.level != "note" for finding in self.findings)

    @property
    def errors(self) -> int:
        """How many cases have to be repaired."""
        return sum(finding.count for finding in self.findings if finding.error)

    def _summary(self) -> dict[str, Any]:  # which keys there are depends on the files
        return self.contents

    def to_text(self) -> str:
        """Return contents, who saw what, annotators and findings, for a terminal."""
        contents = self.contents
        nouns = ("document", "annotator", "annotation", "segment", "relation")
        counts = ", ".join(
            pluralize(contents[f"{noun}s"], noun) for noun in nouns if f"{noun}s" in contents
        )
        offsets = contents["offsets"]
        measured = f"{'times in units of' if is_time(offsets) else 'offsets in'} {offsets}"
        if self.settings.reading.get("strings"):
            measured = "strings without a text"
        lines = [f"{counts}; {measured}"]
        lines += says_balance(contents["balance"])
        for noun in ("document", "segment"):
            if contents[f"{noun}_length"]:
                least, median, greatest = contents[f"{noun}_length"]
                unit = " s" if is_time(offsets) else ""
                lines.append(
                    f"{noun}s: {least:.12g} to {greatest:.12g}{unit}, median {median:.12g}"
                )
        if pieces := contents.get("discontinuous"):
            lines.append(f"{pluralize(pieces, 'segment')} of several pieces")
        for name, values in contents.get("attributes", {}).items():
            lines.append(f"attribute {escape_name(name)}: {_listed(values)}")
        for name, values in contents.get("relation_labels", {}).items():
            lines.append(f"relation {escape_name(name)}: {values}")
        tables = [self.table("coverage"), self.table("annotator")]
        tables += [self.table()] if self.findings else []
        lines += ["", *map(render, tables)]
        levels = [finding.level for finding in self.findings]
        kinds = ", ".join(
            f"{pluralize(levels.count(level), 'kind')} of {level}" for level in ("error", "warning")
        )
        lines.append(kinds if {*levels} - {"note"} else "nothing odd found")
        repairs = dict.fromkeys(name for finding in self.findings for name in finding.repairs)
        questions = [finding.question for finding in self.findings if finding.question]
        if repairs:
            helps = chosen("repair", *repairs)
            lines.append(
                f"{'; '.join(questions)}; if not, {helps} would help"
                if questions
                else f"repairs that would help: {helps}"
            )
        notes = map(escape_name, self.notes)
        return "\n".join([*lines, *notes, "", signature_lines(self.signature), ""])

    def _table(self, by: str | None) -> Frame:
        """Return who saw what, the annotators, or the findings."""
        if by == "coverage":
            columns = [
                Column("", "seen by", "name"),
                Column("annotators", kind="count"),
                Column("documents", "documents", "count"),
            ]
            seen = [[pluralize(n, "annotator"), n, k] for n, k in self.coverage.items()]
            return Frame(columns, seen)
        if by == "annotator":
            columns = [
                Column("annotator", "annotator", "name"),
                Column("documents", "documents", "count"),
                Column("marked_nothing", "marked nothing", "count"),
                Column("segments", "segments", "count"),
                Column("labels", kind="json"),
                Column("", "labels", "name"),
            ]
            rows = [[*row.values(), _listed(row["labels"])] for row in self.annotators]
            left = len(rows) - _MOST
            more = f"and {pluralize(left, 'more annotator')} (--format json has all)"
            unseen = range(_MOST, len(rows))
            return Frame(columns, rows, remarks=[more] if left > 0 else [], for_data=unseen)
        columns = [
            Column("", " ", "name"),
            Column("name", "finding", "name"),
            Column("error", kind="mark"),
            Column("count", "cases", "count"),
            Column("", "annotations", "count"),
            Column("annotations", kind="count"),
            Column("first", "first", "name"),
            Column("places", kind="json"),
            Column("repairs", kind="json"),
        ]
        rows = [
            [
                *(finding.level, finding.name, finding.error, finding.count),
                *(finding.annotations or None, finding.annotations),
                *(finding.first, finding.places, finding.repairs),
            ]
            for finding in self.findings
        ]
        return Frame(columns, rows)


def _listed(labels: Mapping[str, int]) -> str:
    return ", ".join(f"{label or '(none)'} {count}" for label, count in labels.items())


def check(raw: RawCorpus) -> Check:
    """Describe the rows of a source, and what is wrong or odd in them.

    >>> from spanagree.corpus.corpus import Corpus
    >>> corpus = Corpus.from_segments([5], {"ann": [[(0, 4, "PER"), (1, 2, "per")]]})
    >>> [finding.name for finding in check(corpus.to_raw()).findings]
    ['nested', 'overlap', 'alike-labels']
    """
    n = len(raw.annotators)
    once = ~repeats(raw)  # an annotator who saw a document twice is counted once
    seen = np.bincount(raw.annotator_index[once], minlength=n)
    silent = FLAWS["marked-nothing"].which(raw)
    empty = np.bincount(raw.annotator_index[once & silent], minlength=n)
    counts: list[Counter[str]] = [Counter() for _ in range(n)]
    names = [*raw.labels, ""]  # −1 is the last
    owner = raw.annotator_index[raw.annotation]
    for a, code in zip(owner.tolist(), raw.label.tolist(), strict=True):
        counts[a][names[code]] += 1
    strings = raw.unplaced if raw.reading.get("strings") else None
    if strings is not None:  # which are all that was marked
        for a, label in zip(raw.annotator_index[strings.at].tolist(), strings.label, strict=True):
            counts[a][label] += 1
    annotators = tuple(
        {
            "annotator": name,
            "documents": int(seen[a]),
            "marked_nothing": int(empty[a]),
            "segments": counts[a].total(),
            "labels": dict(sorted(counts[a].items())),
        }
        for a, name in enumerate(raw.annotators)
    )
    lengths = raw.lengths[:0] if raw.reading.get("strings") else raw.lengths
    sizes = np.subtract(raw.end, raw.start, dtype=np.int64)
    sizes = sizes[sizes >= 0]  # the others are reversed
    if strings is not None:
        sizes = np.append(sizes, strings.size)
    coverage = Counter(np.bincount(raw.document_index[once], minlength=len(raw.lengths)).tolist())
    contents = {
        "documents": len(raw.lengths),
        "annotators": n,
        "annotations": len(raw.document_index),
        "segments": len(raw.start) + (0 if strings is None else len(strings)),
        **_detailed(raw),
        "offsets": raw.offsets,
        "document_length": in_seconds(_spread(lengths), raw.offsets),
        "segment_length": in_seconds(_spread(sizes), raw.offsets),
        "balance": raw.balance,
    }
    findings = [*_flaws(raw), *_overlaps(raw), *_odd_labels(raw.annotators, counts)]
    findings += [*_alike_names(raw), *_tags(raw)]
    findings.sort(key=lambda finding: not finding.error)
    settings = Settings(offsets=raw.offsets, reading=raw.reading)
    seen_by = dict(sorted(coverage.items()))
    return Check(contents, seen_by, annotators, tuple(findings), settings, raw.notes)


def _detailed(raw: RawCorpus) -> dict[str, Any]:
    """Return how many relations, segments of several pieces, and attributes there are, if any."""
    details = raw.details
    if details is None:
        return {}
    counts: dict[str, Any] = {"relations": len(details.links)}
    labels = Counter(label for *_, label, _ in details.relations())
    counts["relation_labels"] = dict(sorted(labels.items()))
    counts["discontinuous"] = int((details.shape > 0).sum())
    counts["attributes"] = {
        name: dict(sorted(Counter(filter(None, details.attribute(name))).items()))
        for name in sorted(details.attributes)
    }
    return counts


def _spread(lengths: Ints) -> list[float]:
    """Return the least, the median and the greatest length."""
    if not len(lengths):
        return []
    return [int(lengths.min()), float(np.median(lengths)), int(lengths.max())]


def _flaws(raw: RawCorpus) -> Iterator[Finding]:
    """Yield a finding for each kind of flaw that there is."""
    for name, flaw in FLAWS.items():
        if name == "marked-nothing" and raw.reading.get("unit") == "sentence":
            continue  # most sentences have nothing that could be marked
        cases = np.flatnonzero(flaw.which(raw))
        annotations = flaw.annotations(raw, cases)
        places = []
        for i, annotation in zip(cases.tolist(), annotations.tolist(), strict=True):
            place: dict[str, Any] = {}
            if annotation >= 0:
                annotator, document = raw.place_of(annotation)
                place = {"annotator": annotator, "document": document}
            if flaw.of_relations:
                place |= {"relation": raw.relation_label(i), "at": raw.links.location[i]}
            elif flaw.of_quotes and raw.unplaced is not None:
                place |= {"quote": raw.unplaced.quote[i], "label": None}
            elif not flaw.of_annotations:
                label = raw.labels[raw.label[i]] if raw.label[i] >= 0 else None
                place |= {"start": int(raw.start[i]), "end": int(raw.end[i]), "label": label}
            places.append(place)
        if places:
            count = len(np.unique(annotations))
            first = flaw.describe(raw, int(cases[0]))
            question = _question(name, raw)
            first += f"; {question}" if question else ""
            error = bool(flaw.refused(raw).any())
            repairs = flaw.repairs_of(raw)
            yield Finding(name, first, error, len(cases), count, tuple(places), repairs, question)


def _question(flaw: str, raw: RawCorpus) -> str:
    """Return a question to answer before a flaw is repaired; empty for most flaws."""
    if flaw == "repeated":
        return (
            "if they are by several people, name these in the rows, or give each a file (NAME=FILE)"
        )
    return ends_asked(raw) if flaw == "empty" else ""


def _overlaps(raw: RawCorpus) -> Iterator[Finding]:
    """Yield in how many annotations any segments overlap, whatever their labels."""
    later, _ = overlaps(raw)
    if count := len(np.unique(raw.annotation[later])):
        same_label = len(overlaps(raw, same_label=True)[0])
        first = (
            f"{pluralize(count, 'annotation')} with segments that overlap: chance is"
            f" {'overlapping' if same_label else 'per-label'} unless another is named, and measures"
            " that pair or share tokens may not take them"
        )
        yield Finding("overlap", first, count=len(later), annotations=count)


def _odd_labels(annotators: Sequence[str], counts: Sequence[Counter[str]]) -> Iterator[Finding]:
    """Yield labels that one annotator alone uses, or that look nearly the same."""
    users: dict[str, list[str]] = {}
    for name, labels in zip(annotators, counts, strict=True):
        for label in filter(None, labels):
            users.setdefault(label, []).append(name)
    similar: dict[str, list[str]] = {}
    for label, names in sorted(users.items()):
        key = re.sub(r"[\W_]", "", normalize("NFC", label)).casefold()
        similar.setdefault(key, []).append(label)
        if len(names) == 1 < len(annotators):
            first = f"label {quote_value(label)} is used by {quote_value(names[0])} alone"
            place = {"label": label, "annotator": names[0]}
            yield Finding("label-of-one", first, places=(place,))
    for group in similar.values():
        if len(group) > 1:
            only = "outer space or the form of Unicode" if alike(group) else "case or punctuation"
            first = f"labels {', '.join(map(quote_value, group))} differ in {only} only"
            places = tuple({"label": label} for label in group)
            yield Finding("alike-labels", first, places=places)


def _alike_names(raw: RawCorpus) -> Iterator[Finding]:
    """Yield annotators, and documents, whose names look the same; ids may differ in case."""
    for noun, names in (("annotator", raw.annotators), ("document", raw.ids or ())):
        for group in alike(names, case=noun == "document"):
            only = "outer space or the form of Unicode" if alike(group) else "case"
            first = f"{noun}s {', '.join(map(quote_value, group))} differ in {only} only"
            places = tuple({noun: name} for name in group)
            yield Finding("alike-names", first, places=places)


def _tags(raw: RawCorpus) -> Iterator[Finding]:
    """Yield the ill-formed tags, by layer and kind."""
    for name, kinds in raw.reading.get("ill_formed", {}).items():
        for kind, count in kinds.items():
            first = f"{quote_value(name)}: {count} × {kind}, in {raw.reading['schemes'][name]}"
            place = {"annotator": name, "kind": kind}
            yield Finding("ill-formed-tag", first, count=count, places=(place,))
