"""What files of single tools begin with, where neither paths nor an expression say it."""

from __future__ import annotations

import re
from pathlib import Path

from spanagree.errors import is_whole
from spanagree.formats.file_head import FileHead
from spanagree.tables import cells_of, separator_of

FLAT = r"(?<!\[)\[(\d+(, ?\d+)*)?\]"  # a list of numbers that is in no other
_DEEP = r"\[\s*(\[\s*\d|\(\s*\d|\{)"  # a list of spans


def has_indices(start: FileHead) -> bool:
    """Return whether a file has texts with flat lists of indices."""
    if start.shape not in ("json", "jsonl"):
        rows = [line for line in start.lines if line.strip()]
        cells = [line.partition("\t")[2].strip() for line in rows]
        if cells and all(cells) and all(re.fullmatch(FLAT, cell) for cell in cells):
            return True
        header = start.lines[0].strip().lower() if start.lines else ""
        names = {*cells_of(header, separator_of(start.lines))}
        if not {"spans", "text"} <= names:
            return False
        deep = any(re.search(_DEEP, row) for row in rows[1:])
        return not deep and any(re.search(FLAT, row) for row in rows[1:])
    lists = [row.get("spans") for row in start.objects if isinstance(row.get("text"), str)]
    filled = [some for some in lists if isinstance(some, list) and some]
    return bool(filled) and all(is_whole(index) for some in filled for index in some)


IDS_OF_CAMPAIGN = ("dataset", "split", "setup_id", "example_idx")
"""The keys of the parts of an id in factgenie."""


def knows_factgenie(start: FileHead) -> bool:
    """Return whether rows are those of a campaign, or a folder has campaigns."""
    if start.shape == "folder":
        names = {Path(name) for name in start.members}
        return any(is_of_campaign(name, names) for name in names)
    return any(
        all(key in row for key in (*IDS_OF_CAMPAIGN, "annotations")) for row in start.objects
    )


def is_of_campaign(file: Path, names: set[Path]) -> bool:
    """Return whether a file among others has the annotations of a campaign."""
    if file.parent.name == "files" and file.suffix == ".jsonl":
        return file.parent.parent / "metadata.json" in names
    return file.name == "annotations.jsonl" and file.parent / "config.yaml" in names
