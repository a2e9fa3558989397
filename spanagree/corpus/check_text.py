"""What a check looks like in a terminal."""

from __future__ import annotations

from spanagree.corpus.check import Check
from spanagree.errors import counted, printable
from spanagree.rendering.table import Column, Table
from spanagree.rendering.text import render

_MOST = 20  # annotators that are shown; JSON has all


def as_text(result: Check) -> str:
    """Return contents, who saw what, annotators, and findings."""
    contents = result.contents
    counts = (
        counted(contents[f"{what}s"], what)
        for what in ("document", "annotator", "annotation", "segment")
    )
    head = f"{', '.join(counts)}; offsets in {contents['offsets']}"
    lengths = [
        f"{what}: {least} to {greatest}, median {median:g}"
        for what, key in (("documents", "document_length"), ("segments", "segment_length"))
        if contents[key]
        for least, median, greatest in [contents[key]]
    ]
    tables = [_coverage(result), _annotators(result)]
    if result.findings:
        tables.append(_findings(result))
    shown = [render(table) for table in tables]
    return "\n".join([head, *lengths, "", *shown, *_remarks(result), ""])


def _coverage(result: Check) -> Table:
    """Return how many documents were seen by how many."""
    return Table(
        [Column("", "seen by", "name"), Column("", "documents", "count")],
        [
            [counted(number, "annotator"), documents]
            for number, documents in result.coverage.items()
        ],
    )


def _annotators(result: Check) -> Table:
    """Return a row for each annotator, if they are not too many."""
    left = len(result.annotators) - _MOST
    return Table(
        [
            Column("", "annotator", "name"),
            Column("", "documents", "count"),
            Column("", "marked nothing", "count"),
            Column("", "segments", "count"),
            Column("", "labels", "name"),
        ],
        [
            [
                row["annotator"],
                row["documents"],
                row["marked_nothing"],
                row["segments"],
                ", ".join(f"{label or '(none)'} {count}" for label, count in row["labels"].items()),
            ]
            for row in result.annotators[:_MOST]
        ],
        remarks=[f"and {left} more annotators (--format json has all)"] if left > 0 else [],
    )


def _findings(result: Check) -> Table:
    """Return a row for each kind of finding."""
    return Table(
        [
            Column("", " ", "name"),
            Column("", "finding", "name"),
            Column("", "cases", "count"),
            Column("", "annotations", "count"),
            Column("", "first", "name"),
        ],
        [
            [
                "error" if finding.error else "warning",
                finding.name,
                finding.count,
                finding.annotations or None,
                finding.first,
            ]
            for finding in result.findings
        ],
    )


def _remarks(result: Check) -> list[str]:
    """Return what stands below the tables, a line each."""
    errors = sum(finding.error for finding in result.findings)
    remarks = ["nothing odd found"]
    if result.findings:
        remarks = [f"{errors} kinds of errors, {len(result.findings) - errors} of warnings"]
    repairs = dict.fromkeys(name for finding in result.findings for name in finding.repairs)
    if repairs:
        remarks.append(f"repairs that would help: {', '.join(repairs)}")
    remarks += [printable(note) for note in result.contents["notes"]]
    return [*remarks, f"signature: {result.contents['signature']}"]
