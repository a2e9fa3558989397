"""Files of INCEpTION by themselves that a pattern names: whose each is, and of which document."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath

from spanagree.errors import printable_path
from spanagree.files import PathName, read_bytes
from spanagree.formats.file_head import read_head
from spanagree.formats.inception.cas import knows_cas
from spanagree.formats.inception.project import File, Project, file_of, is_initial, knows_project
from spanagree.formats.inception.webanno_tsv import knows_webanno_tsv
from spanagree.formats.patterns import folder_of, has_pattern, matches


def are_pages(pattern: PathName) -> bool:
    """Return whether a pattern names such files, by the first of them."""
    if not has_pattern(pattern):
        return False
    start = read_head(matches(pattern)[0])
    return not knows_project(start) and (knows_webanno_tsv(start) or knows_cas(start))


def read_pages(pattern: PathName, layer: str, wanted: str | None) -> Project:
    """Return the files of a pattern as a project without a description, which is read as one.

    As in a project, the folder of a file is the document, and the file is called as the annotator.
    In a single folder that holds for files of the same text; if their texts differ, each is a
    document, as where the annotator is named.

    Args:
        pattern: such as ``annotation/*/*.tsv``.
        layer: the annotator, if it is not a pattern.
        wanted: the layer of spans, of which more is not read.

    Raises:
        InputError: for what cannot be read, or two files of an annotator in a document.
    """
    paths = [PurePath(path) for path in matches(pattern)]
    files = [_file(path) for path in paths]
    places = [path.relative_to(folder_of(pattern)) for path in paths]
    folders = [place.parent.as_posix() for place in places]
    alone = set(folders) == {"."}
    if has_pattern(layer):
        apart = alone and not _agree(files, wanted)
        annotator = os.path.basename(layer) if apart else None
    else:
        apart = alone or len(set(folders)) < len(folders)
        annotator = layer
    if apart:
        folders = [place.with_suffix("").as_posix() for place in places]
    elif alone:
        folders = [PurePath(os.path.abspath(path)).parent.name for path in paths]
    documents: dict[str, list[File]] = {}
    for document, file in zip(folders, files, strict=True):
        named = file if annotator is None else file._replace(stems=(annotator,))
        documents.setdefault(document, []).append(named)
    project = Project(printable_path(pattern), wanted, "auto")
    for document, document_index in documents.items():
        users = (file.stems[0] for file in document_index if not is_initial(file))
        project.add(document, document_index, dict.fromkeys(users, "FINISHED"))
    return project


def _agree(files: Sequence[File], wanted: str | None) -> bool:
    """Return whether all files have the same text."""
    pages = (file.page(wanted) for file in files)
    first = next(pages)
    return all(page.fits(first.text) or first.fits(page.text) for page in pages)


def _file(path: PurePath) -> File:
    """Return a file, which is of the kind that its beginning shows."""
    location, shape = printable_path(path), read_head(path).shape
    data = read_bytes(location, str(path))
    if shape == "zip":
        return file_of(path.name, data, location)
    suffix = {"xml": ".xmi", "json": ".json", "jsonl": ".json"}.get(shape, ".tsv")
    return File((path.stem,), suffix, data, location)
