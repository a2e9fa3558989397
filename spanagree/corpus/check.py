"""Check of a source before any computation: contents, flaws and oddities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.corpus.balance import write_balance_lines
from spanagree.corpus.findings import Finding, yield_findings
from spanagree.corpus.flaws import FLAWS, find_repeats
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import is_time
from spanagree.corpus.times import convert_to_seconds
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.errors import escape_name, format_setting, pluralize
from spanagree.results.frame import Column, Frame
from spanagree.results.result import ResultBase
from spanagree.results.text import break_signature, render
from spanagree.settings import Settings

_MOST = 20  # number of annotators shown as text; JSON lists all


@dataclass(frozen=True, eq=False, repr=False)
class Check(ResultBase):
    """Result of :func:`check`.

    Attributes:
        contents: numbers of documents, annotators, annotations and segments, the unit of offsets,
            the smallest, median and largest length of documents and segments, and the balance:
            numbers of items in the source by unit and outcome.
        coverage: number of documents, by the number of annotators who saw them.
        annotators: rows with the numbers of documents seen and of those without a segment, the
            number of segments, and labels, one for each annotator.
        findings: findings, errors first.
        settings: settings with which the source was read.
        notes: notes of the reader, one sentence each.
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
        """True if there is an error or a warning."""
        return any(finding.level != "note" for finding in self.findings)

    @property
    def errors(self) -> int:
        """Number of cases that have to be repaired."""
        return sum(finding.count for finding in self.findings if finding.error)

    def _build_summary(self) -> dict[str, Any]:  # keys depend on the files
        return self.contents

    def to_text(self) -> str:
        """Write contents, coverage, annotators and findings, for a terminal."""
        contents = self.contents
        nouns = ("document", "annotator", "annotation", "segment", "relation")
        counts = ", ".join(
            pluralize(contents[f"{noun}s"], noun) for noun in nouns if f"{noun}s" in contents
        )
        offsets = contents["offsets"]
        unit_sentence = f"{'times in units of' if is_time(offsets) else 'offsets in'} {offsets}"
        if self.settings.reading.get("strings"):
            unit_sentence = "strings without a text"
        lines = [f"{counts}; {unit_sentence}"]
        lines += write_balance_lines(contents["balance"])
        for noun in ("document", "segment"):
            if contents[f"{noun}_length"]:
                least, median, greatest = contents[f"{noun}_length"]
                unit_text = " s" if is_time(offsets) else ""
                lines.append(
                    f"{noun}s: {least:.12g} to {greatest:.12g}{unit_text}, median {median:.12g}"
                )
        if pieces := contents.get("discontinuous"):
            lines.append(f"{pluralize(pieces, 'segment')} of several pieces")
        for name, values in contents.get("attributes", {}).items():
            lines.append(f"attribute {escape_name(name)}: {_join_label_counts(values)}")
        for name, values in contents.get("relation_labels", {}).items():
            lines.append(f"relation {escape_name(name)}: {values}")
        tables = [self.table("coverage"), self.table("annotator")]
        tables += [self.table()] if self.findings else []
        lines += ["", *map(render, tables)]
        # several findings may be of one kind, such as a label of one annotator
        levels = [level for level, _ in {(each.level, each.name) for each in self.findings}]
        level_counts = ", ".join(
            f"{pluralize(levels.count(level), 'kind')} of {level}" for level in ("error", "warning")
        )
        lines.append(level_counts if self.is_odd else "nothing odd found")
        repairs = dict.fromkeys(name for finding in self.findings for name in finding.repairs)
        questions = [finding.question for finding in self.findings if finding.question]
        if repairs:
            options = format_setting("repair", *repairs)
            lines.append(
                f"{'; '.join(questions)}; if not, {options} would help"
                if questions
                else f"repairs that would help: {options}"
            )
        notes = map(escape_name, self.notes)
        return "\n".join([*lines, *notes, "", break_signature(self.signature), ""])

    def _build_table(self, by: str | None) -> Frame:
        """Build a table of coverage or annotators, as named by ``by``, or of findings."""
        if by == "coverage":
            columns = [
                Column("", "seen by", "name"),
                Column("annotators", kind="count"),
                Column("documents", "documents", "count"),
            ]
            coverage_rows = [[pluralize(n, "annotator"), n, k] for n, k in self.coverage.items()]
            return Frame(columns, coverage_rows)
        if by == "annotator":
            columns = [
                Column("annotator", "annotator", "name"),
                Column("documents", "documents", "count"),
                Column("marked_nothing", "marked nothing", "count"),
                Column("segments", "segments", "count"),
                Column("labels", kind="json"),
                Column("", "labels", "name"),
            ]
            rows = [[*row.values(), _join_label_counts(row["labels"])] for row in self.annotators]
            n_hidden = len(rows) - _MOST
            remark = f"and {pluralize(n_hidden, 'more annotator')} (--format json has all)"
            hidden_rows = range(_MOST, len(rows))
            return Frame(
                columns, rows, remarks=[remark] if n_hidden > 0 else [], for_data=hidden_rows
            )
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


def _join_label_counts(labels: Mapping[str, int]) -> str:
    return ", ".join(f"{label or '(none)'} {count}" for label, count in labels.items())


def check(raw: RawCorpus) -> Check:
    """Describe the rows of a source, and find their flaws and oddities.

    >>> from spanagree.corpus.corpus import Corpus
    >>> corpus = Corpus.from_segments([5], {"ann": [[(0, 4, "PER"), (1, 2, "per")]]})
    >>> [finding.name for finding in check(corpus.to_raw()).findings]
    ['nested', 'overlap', 'alike-labels']
    """
    is_first = ~find_repeats(raw)  # repeated annotations of a document count once
    counts_by_annotator = _count_labels_by_annotator(raw)
    findings = sorted(yield_findings(raw, counts_by_annotator), key=lambda found: not found.error)
    coverage = Counter(
        np.bincount(raw.document_index[is_first], minlength=len(raw.lengths)).tolist()
    )
    return Check(
        _describe_contents(raw),
        dict(sorted(coverage.items())),
        tuple(_yield_annotator_rows(raw, is_first, counts_by_annotator)),
        tuple(findings),
        Settings(offsets=raw.offsets, reading=raw.reading),
        raw.notes,
    )


def _count_labels_by_annotator(raw: RawCorpus) -> list[Counter[str]]:
    """Count the segments of each annotator by label; without a text, the strings."""
    counts_by_annotator: list[Counter[str]] = [Counter() for _ in raw.annotators]
    label_names = [*raw.labels, ""]  # index −1 is the last
    annotators = raw.annotator_index[raw.annotation].tolist()
    for a, code in zip(annotators, raw.label.tolist(), strict=True):
        counts_by_annotator[a][label_names[code]] += 1
    if (strings := _get_strings(raw)) is not None:
        annotators = raw.annotator_index[strings.at].tolist()
        for a, label in zip(annotators, strings.label, strict=True):
            counts_by_annotator[a][label] += 1
    return counts_by_annotator


def _get_strings(raw: RawCorpus) -> UnplacedQuotes | None:
    """Return the strings of a source without a text, which are its only annotations."""
    return raw.unplaced if raw.reading.get("strings") else None


def _yield_annotator_rows(
    raw: RawCorpus, is_first: Bools, counts_by_annotator: Sequence[Counter[str]]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each annotator; ``is_first`` is the mask of annotations that count."""
    n_annotators = len(raw.annotators)
    is_silent = FLAWS["marked-nothing"].find_cases(raw)
    n_seen, n_silent = (
        np.bincount(raw.annotator_index[mask], minlength=n_annotators).tolist()
        for mask in (is_first, is_first & is_silent)
    )
    for a, (name, counts) in enumerate(zip(raw.annotators, counts_by_annotator, strict=True)):
        yield {
            "annotator": name,
            "documents": n_seen[a],
            "marked_nothing": n_silent[a],
            "segments": counts.total(),
            "labels": dict(sorted(counts.items())),
        }


def _describe_contents(raw: RawCorpus) -> dict[str, Any]:
    """Count what a source has, and describe its lengths."""
    strings = _get_strings(raw)
    lengths = raw.lengths[:0] if raw.reading.get("strings") else raw.lengths
    sizes = np.subtract(raw.end, raw.start, dtype=np.int64)
    sizes = sizes[sizes >= 0]  # reversed segments are negative
    if strings is not None:
        sizes = np.append(sizes, strings.size)
    return {
        "documents": len(raw.lengths),
        "annotators": len(raw.annotators),
        "annotations": len(raw.document_index),
        "segments": len(raw.start) + (0 if strings is None else len(strings)),
        **_count_details(raw),
        "offsets": raw.offsets,
        "document_length": convert_to_seconds(_compute_length_range(lengths), raw.offsets),
        "segment_length": convert_to_seconds(_compute_length_range(sizes), raw.offsets),
        "balance": raw.balance,
    }


def _count_details(raw: RawCorpus) -> dict[str, Any]:
    """Count relations, segments with several pieces, and attributes, if there are any."""
    details = raw.details
    if details is None:
        return {}
    counts: dict[str, Any] = {"relations": len(details.links)}
    labels = Counter(label for *_, label, _ in details.yield_relations())
    counts["relation_labels"] = dict(sorted(labels.items()))
    counts["discontinuous"] = int((details.shape > 0).sum())
    counts["attributes"] = {
        name: dict(sorted(Counter(filter(None, details.list_attribute_values(name))).items()))
        for name in sorted(details.attributes)
    }
    return counts


def _compute_length_range(lengths: Ints) -> list[float]:
    """Compute the smallest, the median and the largest length."""
    if not len(lengths):
        return []
    return [int(lengths.min()), float(np.median(lengths)), int(lengths.max())]
