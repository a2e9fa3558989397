"""Single files of INCEpTION that match a pattern, with their annotators and documents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath

from spanagree.errors import escape_path
from spanagree.files import PathName, read_bytes
from spanagree.formats.file_head import read_head
from spanagree.formats.inception.cas import looks_like_cas
from spanagree.formats.inception.project import (
    UNKNOWN_STATE,
    File,
    Project,
    build_file,
    is_initial,
    looks_like_project,
)
from spanagree.formats.inception.webanno_tsv import looks_like_webanno_tsv
from spanagree.formats.patterns import find_common_folder, find_matches, has_pattern


def are_annotation_files(pattern: PathName) -> bool:
    """Check whether a pattern matches annotation files, by the first of them."""
    if not has_pattern(pattern):
        return False
    start = read_head(find_matches(pattern)[0])
    return not looks_like_project(start) and (
        looks_like_webanno_tsv(start) or looks_like_cas(start)
    )


def read_annotation_files(pattern: PathName, layer: str, span_layer: str | None) -> Project:
    """Read the files of a pattern as a project without a description.

    As in a project, the folder of a file is the document, and the name of a file the annotator. In
    a single folder this holds for files of the same text; if their texts differ, each is a
    document, as also if the annotator is named.

    Args:
        pattern: pattern of paths, such as ``annotation/*/*.tsv``.
        layer: annotator, if it is not a pattern.
        span_layer: layer of spans; other layers are not read.

    Raises:
        InputError: if a file cannot be read, or an annotator has two files of a document.
    """
    paths = [PurePath(path) for path in find_matches(pattern)]
    files = [_read_file(path) for path in paths]
    relative_paths = [path.relative_to(find_common_folder(pattern)) for path in paths]
    folders = [relative_path.parent.as_posix() for relative_path in relative_paths]
    are_in_one_folder = set(folders) == {"."}
    if has_pattern(layer):
        is_document_each = are_in_one_folder and not _have_same_text(files, span_layer)
        annotator = os.path.basename(layer) if is_document_each else None
    else:
        is_document_each = are_in_one_folder or len(set(folders)) < len(folders)
        annotator = layer
    if is_document_each:
        folders = [relative_path.with_suffix("").as_posix() for relative_path in relative_paths]
    elif are_in_one_folder:
        folders = [PurePath(os.path.abspath(path)).parent.name for path in paths]
    documents: dict[str, list[File]] = {}
    for document, file in zip(folders, files, strict=True):
        named_file = file if annotator is None else file._replace(stems=(annotator,))
        documents.setdefault(document, []).append(named_file)
    project = Project(escape_path(pattern), span_layer, "auto")
    for document, document_files in documents.items():
        users = (file.stems[0] for file in document_files if not is_initial(file))
        project.add_document(document, document_files, dict.fromkeys(users, UNKNOWN_STATE))
    return project


def _have_same_text(files: Sequence[File], span_layer: str | None) -> bool:
    """Check whether all files have the same text."""
    documents = (file.parse_document(span_layer) for file in files)
    first = next(documents)
    return all(
        document.has_text(first.text) or first.has_text(document.text) for document in documents
    )


def _read_file(path: PurePath) -> File:
    """Read a file, and find its format by its beginning."""
    location, shape = escape_path(path), read_head(path).shape
    data = read_bytes(location, str(path))
    if shape == "zip":
        return build_file(path.name, data, location)
    suffix = {"xml": ".xmi", "json": ".json", "jsonl": ".json"}.get(shape, ".tsv")
    return File((path.stem,), suffix, data, location)
