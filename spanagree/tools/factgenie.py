"""factgenie's campaigns: spans by their starts and texts, in outputs of language models."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spanagree.errors import InputError, escape_name, is_whole, quote_value
from spanagree.files import PathName, naming_files, read_text
from spanagree.formats.json_records import json_records
from spanagree.formats.paths import first_at
from spanagree.formats.records import ReadLog
from spanagree.tools.beginnings import IDS_OF_CAMPAIGN, is_of_campaign

_CATEGORY = re.compile(r"(?m)^[ -]*\bname:(.+)$")


def campaign_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield the rows of a file or of the campaigns in a folder, with texts and names of labels.

    A text is in its row, or in a file below a folder ``outputs`` beside the campaign, where
    ``setup_id`` may be spelled otherwise. If all rows of a campaign are of one group without a
    name, its annotator is the file, or the folder of the campaign if there are several.

    The first row says which files are empty, of whose annotators nothing is known.

    Raises:
        InputError: for two outputs under one id, and labels that the campaign does not have.
    """
    files = _files(path)
    campaigns = {_campaign(file) for file in files}
    outputs: dict[Path, Mapping[str, str]] = {}
    rows: dict[Path, list[tuple[str, dict[str, Any]]]] = {folder: [] for folder in campaigns}
    empty = []
    for file in files:
        there = [*json_records(file, encoding=encoding)]
        rows[_campaign(file)] += there
        empty += [] if there else [file.name]
    for folder in sorted(rows):
        known = _labels_of(folder)
        people = Counter(_who(row) for _, row in rows[folder])
        is_named = len(people) > 1 or any(first_at(r, _NAME) for _, r in rows[folder])
        before = f"{folder.name}/" if len(campaigns) > 1 else ""
        for location, row in rows[folder]:
            log.count_unread_marks(row)
            id_ = _id_of(row)
            annotator = f"{before}{_who(row)}" if is_named else before.removesuffix("/")
            text = row.get("output")
            if text is None:
                if folder not in outputs:
                    outputs[folder] = _outputs_near(folder, encoding)
                text = outputs[folder].get(id_)
            labels = first_at(row, "metadata.annotation_span_categories[*]") and [
                label.get("name") for label in row["metadata"]["annotation_span_categories"]
            ]
            spans = [_span(span, labels or known, location) for span in row["annotations"]]
            made = {**row, "id": id_, "who": annotator, "annotations": spans, "empty": empty}
            empty = []
            yield location, made if text is None else {**made, "output": text}


_NAME = "metadata.annotator_id"


def _who(row: Mapping[str, Any]) -> str:
    named = first_at(row, f"{_NAME}|metadata.annotator_group|annotator_group")
    return "" if named is None else str(named)


def _id_of(row: Mapping[str, Any]) -> str:
    """Return the id of a document; a model is ``llama3.3`` here and ``llama3-3`` there."""
    setup = str(row.get("setup_id")).lower().replace(".", "-")
    return "/".join(setup if key == "setup_id" else str(row.get(key)) for key in IDS_OF_CAMPAIGN)


def _campaign(file: Path) -> Path:
    parent = file.parent
    return parent.parent if parent.name == "files" else parent


@naming_files()
def _files(path: PathName) -> list[Path]:
    folder = Path(path)
    if not folder.is_dir():
        return [folder]
    names = {*folder.rglob("*.jsonl"), *folder.rglob("config.yaml"), *folder.rglob("metadata.json")}
    return sorted(file for file in names if is_of_campaign(file, names))


@naming_files()
def _outputs_near(campaign: Path, encoding: str) -> Mapping[str, str]:
    """Return the texts by id below folders of outputs in a campaign's folder, or above it."""
    texts: dict[str, str] = {}
    near = [campaign.resolve(), *campaign.resolve().parents[:2]]
    for folder in (parent / "outputs" for parent in near):
        for file in sorted(folder.rglob("*.jsonl")) if folder.is_dir() else ():
            for location, row in json_records(file, encoding=encoding):
                if isinstance(row, dict) and isinstance(row.get("output"), str):
                    id_ = _id_of(row)
                    if texts.setdefault(id_, row["output"]) != row["output"]:
                        raise InputError(
                            f"{location}: a second output of {quote_value(id_)}, which differs;"
                            " spans name but one of them: give each output an id of its own"
                        )
        if texts:
            break
    return texts


def _labels_of(campaign: Path) -> Sequence[str]:
    """Return the names of a campaign's labels, in order, as its settings have them."""
    settings = campaign / "metadata.json"
    if settings.is_file():
        config = json.loads(read_text(settings)).get("config") or {}
        return [str(label.get("name")) for label in config.get("annotation_span_categories") or ()]
    settings = campaign / "config.yaml"
    if not settings.is_file():
        return []
    _, _, block = read_text(settings).partition("annotation_span_categories:")
    block = re.split(r"(?m)^(?=\w)", block.lstrip(" "), maxsplit=1)[0]
    return [name.strip().strip("'\"") for name in _CATEGORY.findall(block)]


def _span(span: Any, labels: Sequence[str], location: str) -> dict[str, Any]:
    """Return a span with its label's name; one that was not found in the text has no start."""
    label = span.get("type")
    if labels and is_whole(label):
        if not 0 <= label < len(labels):
            raise InputError(
                f"{escape_name(location)}: type {label}; the campaign has the labels 0 to"
                f" {len(labels) - 1}"
            )
        label = labels[label]
    start = span.get("start")
    return {**span, "label": label, "start": None if start == -1 else start}
