"""Reader of factgenie's campaigns: spans by start and text, in outputs of language models."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spanagree.errors import InputError, escape_name, is_integer, quote_value
from spanagree.files import PathName, name_files_in_errors, read_text
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.paths import find_first_value
from spanagree.formats.records import ReadLog
from spanagree.tools.beginnings import IDS_OF_CAMPAIGN, is_of_campaign

_CATEGORY = re.compile(r"(?m)^[ -]*\bname:(.+)$")


def yield_campaign_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield the rows of a file or of the campaigns in a folder, with texts and names of labels.

    A text is in its row, or in a file of a folder ``outputs`` near the campaign, with a possibly
    different spelling of ``setup_id``. If all rows of a campaign are of one group without a name,
    its annotator is the file, or the folder of the campaign if there are several.

    The first row lists empty files, for which the annotators are unknown.

    Raises:
        InputError: if two outputs share an id, or the campaign lacks a label.
    """
    files = _list_files(path)
    campaigns = {_find_campaign_folder(file) for file in files}
    outputs: dict[Path, Mapping[str, str]] = {}
    rows: dict[Path, list[tuple[str, dict[str, Any]]]] = {folder: [] for folder in campaigns}
    empty = []
    for file in files:
        file_rows = [*yield_json_records(file, encoding=encoding)]
        rows[_find_campaign_folder(file)] += file_rows
        empty += [] if file_rows else [file.name]
    for folder in sorted(rows):
        campaign_labels = _list_labels(folder)
        n_rows_by_annotator = Counter(_get_annotator_name(row) for _, row in rows[folder])
        is_named = len(n_rows_by_annotator) > 1 or any(
            find_first_value(row, _ANNOTATOR_PATH) for _, row in rows[folder]
        )
        prefix = f"{folder.name}/" if len(campaigns) > 1 else ""
        for location, row in rows[folder]:
            log.count_unread_marks(row)
            id_ = _build_id(row)
            annotator = (
                f"{prefix}{_get_annotator_name(row)}" if is_named else prefix.removesuffix("/")
            )
            text = row.get("output")
            if text is None:
                if folder not in outputs:
                    outputs[folder] = _collect_outputs(folder, encoding)
                text = outputs[folder].get(id_)
            labels = find_first_value(row, "metadata.annotation_span_categories[*]") and [
                label.get("name") for label in row["metadata"]["annotation_span_categories"]
            ]
            spans = [
                _build_span(span, labels or campaign_labels, location)
                for span in row["annotations"]
            ]
            record = {**row, "id": id_, "who": annotator, "annotations": spans, "empty": empty}
            empty = []
            yield location, record if text is None else {**record, "output": text}


_ANNOTATOR_PATH = "metadata.annotator_id"


def _get_annotator_name(row: Mapping[str, Any]) -> str:
    """Return the name of an annotator, or of their group; empty if a row has none."""
    name = find_first_value(row, f"{_ANNOTATOR_PATH}|metadata.annotator_group|annotator_group")
    return "" if name is None else str(name)


def _build_id(row: Mapping[str, Any]) -> str:
    """Return the id of a document; ``llama3.3`` and ``llama3-3`` are the same model."""
    setup = str(row.get("setup_id")).lower().replace(".", "-")
    return "/".join(setup if key == "setup_id" else str(row.get(key)) for key in IDS_OF_CAMPAIGN)


def _find_campaign_folder(file: Path) -> Path:
    """Find the folder of a file's campaign, which may have its files in ``files``."""
    parent = file.parent
    return parent.parent if parent.name == "files" else parent


@name_files_in_errors()
def _list_files(path: PathName) -> list[Path]:
    """List the files of campaigns in a folder; a path to a file is listed alone."""
    folder = Path(path)
    if not folder.is_dir():
        return [folder]
    names = {*folder.rglob("*.jsonl"), *folder.rglob("config.yaml"), *folder.rglob("metadata.json")}
    return sorted(file for file in names if is_of_campaign(file, names))


@name_files_in_errors()
def _collect_outputs(campaign: Path, encoding: str) -> Mapping[str, str]:
    """Collect the texts by id in folders of outputs, in the campaign's folder or above it."""
    texts: dict[str, str] = {}
    folders = [campaign.resolve(), *campaign.resolve().parents[:2]]
    for folder in (parent / "outputs" for parent in folders):
        for file in sorted(folder.rglob("*.jsonl")) if folder.is_dir() else ():
            for location, row in yield_json_records(file, encoding=encoding):
                if isinstance(row, dict) and isinstance(row.get("output"), str):
                    id_ = _build_id(row)
                    if texts.setdefault(id_, row["output"]) != row["output"]:
                        raise InputError(
                            f"{location}: a second output of {quote_value(id_)}, which differs;"
                            " spans name but one of them: give each output an id of its own"
                        )
        if texts:
            break
    return texts


def _list_labels(campaign: Path) -> Sequence[str]:
    """List the names of a campaign's labels, in the order of its settings."""
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


def _build_span(span: Any, labels: Sequence[str], location: str) -> dict[str, Any]:
    """Build a span with its label's name; a span that was not found in the text has no start."""
    label = span.get("type")
    if labels and is_integer(label):
        if not 0 <= label < len(labels):
            raise InputError(
                f"{escape_name(location)}: type {label}; the campaign has the labels 0 to"
                f" {len(labels) - 1}"
            )
        label = labels[label]
    start = span.get("start")
    return {**span, "label": label, "start": None if start == -1 else start}
