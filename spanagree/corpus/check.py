"""Check of a source before any computation: contents, flaws and oddities.

A *flaw* is an error until it is repaired; an *oddity*, such as labels that differ only in case, is
only reported. Each is a :class:`Finding`, with its *cases*: the segments, annotations or names
concerned.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from unicodedata import normalize

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.balance import READ, UNITS, Balance
from spanagree.corpus.flaws import FLAWS, find_overlaps, find_repeats, write_question_on_ends
from spanagree.corpus.label_text import group_similar_names
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import is_time
from spanagree.corpus.times import convert_to_seconds
from spanagree.errors import escape_name, format_setting, pluralize, quote_value
from spanagree.results.frame import Column, Frame
from spanagree.results.result import ResultBase
from spanagree.results.text import break_signature, render
from spanagree.settings import Settings

_ALWAYS = ("segment", "tag")  # units that have a line even if everything was read
_WITHIN = ("in ", "not ", "outside ", "without ")  # beginnings of reasons that are no noun
_AS_IT_SHOULD_BE = ("marked-nothing",)  # findings that are no oddity
_MOST = 20  # number of annotators shown as text; JSON lists all


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
        levels = [finding.level for finding in self.findings]
        level_counts = ", ".join(
            f"{pluralize(levels.count(level), 'kind')} of {level}" for level in ("error", "warning")
        )
        lines.append(level_counts if {*levels} - {"note"} else "nothing odd found")
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
    n_annotators = len(raw.annotators)
    is_first = ~find_repeats(raw)  # repeated annotations of a document count once
    n_seen = np.bincount(raw.annotator_index[is_first], minlength=n_annotators)
    is_silent = FLAWS["marked-nothing"].find_cases(raw)
    n_silent = np.bincount(raw.annotator_index[is_first & is_silent], minlength=n_annotators)
    counts_by_annotator: list[Counter[str]] = [Counter() for _ in range(n_annotators)]
    label_names = [*raw.labels, ""]  # index −1 is the last
    annotator_of_segment = raw.annotator_index[raw.annotation]
    for a, code in zip(annotator_of_segment.tolist(), raw.label.tolist(), strict=True):
        counts_by_annotator[a][label_names[code]] += 1
    strings = raw.unplaced if raw.reading.get("strings") else None
    if strings is not None:  # the only annotations of strings
        for a, label in zip(raw.annotator_index[strings.at].tolist(), strings.label, strict=True):
            counts_by_annotator[a][label] += 1
    annotators = tuple(
        {
            "annotator": name,
            "documents": int(n_seen[a]),
            "marked_nothing": int(n_silent[a]),
            "segments": counts_by_annotator[a].total(),
            "labels": dict(sorted(counts_by_annotator[a].items())),
        }
        for a, name in enumerate(raw.annotators)
    )
    lengths = raw.lengths[:0] if raw.reading.get("strings") else raw.lengths
    sizes = np.subtract(raw.end, raw.start, dtype=np.int64)
    sizes = sizes[sizes >= 0]  # reversed segments are negative
    if strings is not None:
        sizes = np.append(sizes, strings.size)
    coverage = Counter(
        np.bincount(raw.document_index[is_first], minlength=len(raw.lengths)).tolist()
    )
    contents = {
        "documents": len(raw.lengths),
        "annotators": n_annotators,
        "annotations": len(raw.document_index),
        "segments": len(raw.start) + (0 if strings is None else len(strings)),
        **_count_details(raw),
        "offsets": raw.offsets,
        "document_length": convert_to_seconds(_compute_length_range(lengths), raw.offsets),
        "segment_length": convert_to_seconds(_compute_length_range(sizes), raw.offsets),
        "balance": raw.balance,
    }
    findings = [
        *_yield_flaw_findings(raw),
        *_yield_overlap_findings(raw),
        *_yield_label_findings(raw.annotators, counts_by_annotator),
    ]
    findings += [*_yield_name_findings(raw), *_yield_tag_findings(raw)]
    findings.sort(key=lambda finding: not finding.error)
    settings = Settings(offsets=raw.offsets, reading=raw.reading)
    sorted_coverage = dict(sorted(coverage.items()))
    return Check(contents, sorted_coverage, annotators, tuple(findings), settings, raw.notes)


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


def _yield_flaw_findings(raw: RawCorpus) -> Iterator[Finding]:
    """Yield a finding for each flaw of the rows, with all its cases."""
    for name, flaw in FLAWS.items():
        if name == "marked-nothing" and raw.reading.get("unit") == "sentence":
            continue  # most sentences have nothing that could be marked
        cases = np.flatnonzero(flaw.find_cases(raw))
        annotations = flaw.find_annotations(raw, cases)
        all_case_fields = []
        for i, annotation in zip(cases.tolist(), annotations.tolist(), strict=True):
            case_fields: dict[str, Any] = {}
            if annotation >= 0:
                annotator, document = raw.find_annotator_and_document(annotation)
                case_fields = {"annotator": annotator, "document": document}
            if flaw.of_relations:
                case_fields |= {
                    "relation": raw.look_up_relation_label(i),
                    "at": raw.links.location[i],
                }
            elif flaw.of_quotes and raw.unplaced is not None:
                case_fields |= {"quote": raw.unplaced.quote[i], "label": None}
            elif not flaw.of_annotations:
                label = raw.labels[raw.label[i]] if raw.label[i] >= 0 else None
                case_fields |= {"start": int(raw.start[i]), "end": int(raw.end[i]), "label": label}
            all_case_fields.append(case_fields)
        if all_case_fields:
            n_annotations = len(np.unique(annotations))
            sentence = flaw.describe(raw, int(cases[0]))
            question = _write_question(name, raw)
            sentence += f"; {question}" if question else ""
            is_error = bool(flaw.find_errors(raw).any())
            repairs = flaw.list_repairs(raw)
            yield Finding(
                name,
                sentence,
                is_error,
                len(cases),
                n_annotations,
                tuple(all_case_fields),
                repairs,
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
    annotators: Sequence[str], counts: Sequence[Counter[str]]
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
            difference = (
                "outer space or the form of Unicode"
                if group_similar_names(group)
                else "case or punctuation"
            )
            sentence = f"labels {', '.join(map(quote_value, group))} differ in {difference} only"
            places = tuple({"label": label} for label in group)
            yield Finding("alike-labels", sentence, places=places)


def _yield_name_findings(raw: RawCorpus) -> Iterator[Finding]:
    """Yield findings on names of annotators and ids of documents that look equal.

    Ids of documents may differ in case.
    """
    for noun, names in (("annotator", raw.annotators), ("document", raw.ids or ())):
        for group in group_similar_names(names, case=noun == "document"):
            difference = (
                "outer space or the form of Unicode" if group_similar_names(group) else "case"
            )
            sentence = f"{noun}s {', '.join(map(quote_value, group))} differ in {difference} only"
            places = tuple({noun: name} for name in group)
            yield Finding("alike-names", sentence, places=places)


def _yield_tag_findings(raw: RawCorpus) -> Iterator[Finding]:
    """Yield a finding for each kind of ill-formed tags in each layer."""
    for name, counts_by_kind in raw.reading.get("ill_formed", {}).items():
        for flaw_name, count in counts_by_kind.items():
            sentence = (
                f"{quote_value(name)}: {count} × {flaw_name}, in {raw.reading['schemes'][name]}"
            )
            case_fields = {"annotator": name, "kind": flaw_name}
            yield Finding("ill-formed-tag", sentence, count=count, places=(case_fields,))


def write_balance_lines(balance: Balance) -> list[str]:
    """Write a line for each unit with items left out, and for segments and tags.

    >>> balance = {"segment": {"read": 1159, "repeated annotation": 7}, "answer": {"read": 2}}
    >>> write_balance_lines(balance)
    ['1,166 segments in the source: 1,159 read, 7 repeated annotations']
    """
    lines = []
    for unit in (unit for unit in UNITS if unit in balance):
        numbers = balance[unit]
        left_out = {reason: n for reason, n in numbers.items() if n and reason != READ}
        if not left_out and unit not in _ALWAYS:
            continue
        n_read, n_total = numbers.get(READ, 0), sum(numbers.values())
        clauses = [
            f"{n_read:,} read",
            *(_write_reason_count(reason, count) for reason, count in left_out.items()),
        ]
        outcome = ", ".join(clauses) if left_out else "all read" if n_total else "nothing is marked"
        lines.append(f"{_write_noun_count(n_total, unit)} in the source: {outcome}")
    return lines


def _write_reason_count(reason: str, count: int) -> str:
    """Write a count with its reason, a noun or a phrase such as "in drafts"."""
    return f"{count:,} {reason}" if reason.startswith(_WITHIN) else _write_noun_count(count, reason)


def _write_noun_count(count: int, noun: str) -> str:
    """Write a number, with thousands separators, and its noun."""
    return f"{count:,} {pluralize(count, noun).partition(' ')[2]}"
