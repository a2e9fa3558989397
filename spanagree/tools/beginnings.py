"""Tests of the first lines of a file, for tools that neither paths nor an expression identify."""

from __future__ import annotations

import re
from pathlib import Path

from spanagree.errors import is_integer
from spanagree.formats.file_head import FileHead
from spanagree.tables import find_separator, split_cells

FLAT = r"(?<!\[)\[(\d+(, ?\d+)*)?\]"  # a list of numbers, not nested
_DEEP = r"\[\s*(\[\s*\d|\(\s*\d|\{)"  # a list of spans


def has_indices(head: FileHead) -> bool:
    """Check whether a file has texts with lists of integers, the indices of marked characters."""
    if head.shape not in ("json", "jsonl"):
        rows = [line for line in head.lines if line.strip()]
        cells = [line.partition("\t")[2].strip() for line in rows]
        if cells and all(cells) and all(re.fullmatch(FLAT, cell) for cell in cells):
            return True
        header = head.lines[0].strip().lower() if head.lines else ""
        names = {*split_cells(header, find_separator(head.lines))}
        if not {"spans", "text"} <= names:
            return False
        has_spans = any(re.search(_DEEP, row) for row in rows[1:])
        return not has_spans and any(re.search(FLAT, row) for row in rows[1:])
    lists = [row.get("spans") for row in head.objects if isinstance(row.get("text"), str)]
    non_empty_lists = [indices for indices in lists if isinstance(indices, list) and indices]
    return bool(non_empty_lists) and all(
        is_integer(index) for indices in non_empty_lists for index in indices
    )


IDS_OF_CAMPAIGN = ("dataset", "split", "setup_id", "example_idx")
"""Keys of the parts of an id in factgenie."""


def looks_like_factgenie(head: FileHead) -> bool:
    """Check whether rows are those of a campaign, or a folder has campaigns."""
    if head.shape == "folder":
        names = {Path(name) for name in head.members}
        return any(is_of_campaign(name, names) for name in names)
    return any(all(key in row for key in (*IDS_OF_CAMPAIGN, "annotations")) for row in head.objects)


def is_of_campaign(file: Path, names: set[Path]) -> bool:
    """Check whether a file, among all names of a folder, has the annotations of a campaign."""
    if file.parent.name == "files" and file.suffix == ".jsonl":
        return file.parent.parent / "metadata.json" in names
    return file.name == "annotations.jsonl" and file.parent / "config.yaml" in names
