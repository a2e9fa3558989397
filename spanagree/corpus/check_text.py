"""What a check looks like in a terminal."""

from __future__ import annotations

from spanagree.corpus.check import Check
from spanagree.errors import counted, printable
from spanagree.rendering.table import Table, Value
from spanagree.rendering.text import render

_MOST = 20  # annotators, and findings of one kind, that are shown; JSON has all


def as_text(result: Check) -> str:
    """Contents, who saw what, annotators, findings."""
    contents = result.contents
    counts = (
        counted(contents[f"{what}s"], what)
        for what in ("document", "annotator", "annotation", "segment")
    )
    head = f"{', '.join(counts)}; offsets in {contents['offsets']}"
    lengths = [
        f"{what}: {least} to {greatest}, median {median:g}"
        for what, of in (("documents", "document_length"), ("segments", "segment_length"))
        if contents[of]
        for least, median, greatest in [contents[of]]
    ]
    seen = Table(
        ("seen by", "documents"),
        [[f"{n} annotators" if n != 1 else "1 annotator", k] for n, k in result.coverage.items()],
    )
    rows: list[list[Value]] = [
        [
            row["annotator"],
            row["documents"],
            row["marked_nothing"],
            row["segments"],
            ", ".join(f"{label or '(none)'} {count}" for label, count in row["labels"].items()),
        ]
        for row in result.annotators[:_MOST]
    ]
    left = len(result.annotators) - _MOST
    annotators = Table(
        ("annotator", "documents", "marked nothing", "segments", "labels"),
        rows,
        prose=(4,),
        remarks=[f"and {left} more annotators (--format json has all)"] if left > 0 else [],
    )
    findings = Table(
        ("", "finding", "cases", "annotations", "first"),
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
        names=2,
        prose=(4,),
    )
    repairs = dict.fromkeys(name for finding in result.findings for name in finding.repairs)
    errors = sum(finding.error for finding in result.findings)
    said = [
        f"{errors} kinds of errors, {len(result.findings) - errors} of warnings"
        if result.findings
        else "nothing odd found"
    ]
    if repairs:
        said.append(f"repairs that would help: {', '.join(repairs)}")
    said += [printable(note) for note in contents["notes"]]
    said.append(f"signature: {contents['signature']}")
    tables = [seen, annotators, *([findings] if result.findings else [])]
    return "\n".join([head, *lengths, "", *(render(table) for table in tables), *said, ""])
