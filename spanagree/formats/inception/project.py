"""An INCEpTION or WebAnno project as it is exported: who saw which document, and what in it."""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from spanagree.errors import (
    InputError,
    escape_name,
    invalid_value,
    join_names,
    pluralize,
    printable_path,
    quote_value,
)
from spanagree.files import BOM, PathName, decoded, from_json, naming_files, open_zip, read_bytes
from spanagree.formats.file_head import FileHead
from spanagree.formats.inception.cas import read_json, read_xmi
from spanagree.formats.inception.pages import CasDocument, LayerAnnotations
from spanagree.formats.inception.webanno_tsv import read_tsv
from spanagree.formats.label_studio.tasks import GROUND_TRUTH

IN_PROGRESS = {
    "auto": "seen, unless it is as it was when the document was imported",
    "saw": "seen",
    "unseen": "never seen",
}
"""What becomes of a document that an annotator began and did not finish."""


_CURATOR = "CURATION_USER"


EMPTY = CasDocument("", {}, Counter())
"""A page on which nothing is."""


STATES = {
    "FINISHED": "finished", "INPROGRESS": "in progress", "NEW": "new", "IGNORE": "ignored",
}  # fmt: skip
"""The states of an annotator's work on a document, and what notes call them."""


_INITIAL = re.compile(r"INITIAL_CAS\d*")  # also of a temporary file
_READABLE = (".tsv", ".xmi", ".json", ".zip")
_FILE = re.compile(r"((?:(?!annotation/|curation/)[^/]*/)*)(annotation|curation)/(.+)/([^/]+)")
_PLAIN_FILE = re.compile(r"()()(.+)/([^/]+)")
_ABOUT = re.compile(r"((?:.*/)?)exportedproject\d*\.json")
_AGAIN = "export the project again, with annotations as WebAnno TSV 3, CAS XMI or CAS JSON"


def knows_project(start: FileHead) -> bool:
    """Return whether a zip or folder is a project, by the names in it."""
    files = (name for name in start.members if name.endswith(_READABLE))
    return any(_ABOUT.fullmatch(name) or _FILE.fullmatch(name) for name in files)


class File(NamedTuple):
    """A file of annotations: the names that its annotator may have, its kind, and its content."""

    stems: tuple[str, ...]
    suffix: str
    data: bytes
    location: str

    def page(self, layer: str | None = None) -> CasDocument:
        """Return the page in it."""
        if self.suffix == ".tsv":
            text = decoded(self.location, self.data, "utf-8").removeprefix(BOM)
            return read_tsv(io.StringIO(text, "\n"), self.location)
        if self.suffix == ".xmi":
            return read_xmi(io.BytesIO(self.data), self.location, layer)
        return read_json(self.data, self.location, layer)


def is_initial(file: File) -> bool:
    """Return whether a file has the document as it was imported, and nobody's annotations."""
    return any(map(_INITIAL.fullmatch, file.stems))


class Project:
    """What a project says, gathered document by document.

    Attributes:
        pages: by document and annotator, for those who saw it.
        texts: by document, a page that has its text.
        annotators: all who have a record or a file.
        declared: a page without text, with the layers that the project declares.
        seen, unseen: how many annotations count so, by reason.
        missing: how many documents have no file.
        passed: what was passed over, by kind.
    """

    def __init__(self, location: str, layer: str | None, in_progress: str) -> None:
        self.location = location
        self.layer = layer
        self.in_progress = in_progress
        self.pages: dict[str, dict[str, CasDocument]] = {}
        self.texts: dict[str, CasDocument] = {}
        self.annotators: dict[str, None] = {}
        self.declared: CasDocument = EMPTY
        self.seen: Counter[str] = Counter()
        self.unseen: Counter[str] = Counter()
        self.missing = 0
        self.passed: Counter[str] = Counter()

    def add(
        self, document: str, files: Sequence[File], states: Mapping[str, str] | None
    ) -> CasDocument:
        """Add a document's annotators, by the state of each; return how it was imported."""
        initial = [file for file in files if is_initial(file)]
        before = initial[0].page(self.layer) if initial else EMPTY
        if initial:
            self.texts[document] = before
        others = [file for file in files if file not in initial]
        if states is None:
            curated = [file for file in others if _CURATOR in file.stems]
            self.passed["curation file"] += len(curated)
            others = [file for file in others if file not in curated]
            states = {file.stems[0]: "FINISHED" for file in others}
        matched = _matched(others, states, self.location)
        for user, state in states.items():
            self.take(document, user, matched.get(user), state, before)
        self.unseen["without a record"] += len(others) - len(matched)
        return before

    def take(
        self, document: str, user: str, file: File | None, state: str, before: CasDocument
    ) -> None:
        """Take what an annotator marked in a document, if she saw it."""
        self.annotators[user] = None
        reason = STATES[state]
        untouched = state in ("NEW", "IGNORE")
        if file is None or untouched:
            self.unseen[reason if untouched else f"{reason} without a file"] += 1
            return
        page = file.page(self.layer)
        if document not in self.texts or (page.is_whole and not self.texts[document].is_whole):
            self.texts[document] = page
        same = page.says() == before.says()
        begun = state == "INPROGRESS"
        if same and (begun or before is not EMPTY):
            reason += " and empty" if before is EMPTY else " and as in INITIAL_CAS"
        if begun and (self.in_progress == "unseen" or (same and self.in_progress == "auto")):
            self.unseen[reason] += 1
            return
        self.seen[reason] += 1
        self.passed += page.passed
        self.pages.setdefault(document, {})[user] = page

    def every(self) -> list[CasDocument]:
        """Return all pages from which a layer may be chosen."""
        return [self.declared, *(page for pages in self.pages.values() for page in pages.values())]

    def says(self) -> list[str]:
        """Return who saw what, for a note."""
        groups = {"seen": +self.seen, "never seen": +self.unseen}
        sums = [
            f"{what}: {', '.join(f'{number} {why}' for why, number in counts.items())}"
            for what, counts in groups.items()
            if counts
        ]
        left_out = f"{pluralize(self.missing, 'document')} without a file left out"
        return sums + [left_out] * bool(self.missing)


@contextmanager
def opened(path: PathName) -> Iterator[tuple[Sequence[str], Callable[[str], bytes]]]:
    """Open a zip or folder: the names of its files, and a function that reads one of them."""
    if not os.path.isdir(path):
        with open_zip(path) as archive:
            yield archive.names, archive.read
        return
    root = Path(path)
    with naming_files():
        names = sorted(f.relative_to(root).as_posix() for f in root.rglob("*") if f.is_file())
    yield (
        [name for name in names if not name.rpartition("/")[2].startswith(".")],
        lambda name: read_bytes(printable_path(root / name), str(root / name)),
    )


def file_of(name: str, data: bytes, location: str) -> File:
    """Return a file of annotations; one in a zip of its own is taken out of it.

    Raises:
        InputError: for a zip that does not hold one such file.
    """
    path = PurePosixPath(name)
    if path.suffix.lower() != ".zip":
        return File((path.stem,), path.suffix.lower(), data, location)
    with open_zip(location, data) as archive:
        inside = [member for member in archive.names if member.lower().endswith(_READABLE[:3])]
        if len(inside) != 1:
            there = join_names(archive.names) or "nothing"
            raise InputError(f"{location}: a zip with {there}; it should hold one .xmi: {_AGAIN}")
        file = file_of(inside[0], archive.read(inside[0]), f"{location}/{escape_name(inside[0])}")
    return file._replace(stems=(path.stem, *file.stems))


def read_project(path: PathName, layer: str | None, in_progress: str, curation: bool) -> Project:
    """Return what a project says; without a description (JSON), who has a file saw the document.

    Raises:
        InputError: for files that cannot be read, or that do not fit what describes them.
    """
    location = printable_path(path)
    project = Project(location, layer, in_progress)
    with opened(path) as (names, read):
        about = _about(names, read, location)
        sources = _entries(about, "source_documents", location)
        curated = {entry["name"]: entry["state"] for entry in sources}
        states: dict[str, dict[str, str]] = {name: {} for name in curated}
        for entry in _entries(about, "annotation_documents", location):
            states.setdefault(entry["name"], {})[entry["user"]] = _state(entry, location)
        files: dict[tuple[str, str], list[str]] = {}
        in_folders = any(map(_FILE.fullmatch, names))
        matches = map(_FILE.fullmatch if in_folders else _PLAIN_FILE.fullmatch, names)
        for match in filter(None, matches):
            files.setdefault((match[2] or "annotation", match[3]), []).append(match[0])
            states.setdefault(match[3], {})

        def load(kind: str, document: str) -> Iterator[File]:
            for name in files.get((kind, document), ()):
                if name.lower().endswith(_READABLE):
                    yield file_of(name, read(name), f"{location}/{escape_name(name)}")
                else:
                    project.passed[f"{PurePosixPath(name).suffix} file"] += 1

        project.annotators = {user: None for users in states.values() for user in users}
        for document, users in states.items():
            if not any((kind, document) in files for kind in ("annotation", "curation")):
                continue
            document_index = list(load("annotation", document))
            before = project.add(document, document_index, users if about else None)
            if not curation:
                project.passed["curation file"] += len(files.get(("curation", document), ()))
                continue
            for file in load("curation", document):
                done = "FINISHED" if curated.get(document) == "CURATION_FINISHED" else "INPROGRESS"
                project.take(document, GROUND_TRUTH, file, done, before)
        project.declared = _declared(about)
    if not project.texts:
        suffixes = sorted({PurePosixPath(name).suffix for some in files.values() for name in some})
        advice = _AGAIN
        if project.passed["curation file"]:
            advice = f"read what was curated (--ground-truth), or {_AGAIN}"
        raise InputError(
            f"{location}: no annotations that can be read (files:"
            f" {join_names(suffixes) or 'none'}); {advice}"
        )
    project.missing = len(states) - len(project.texts)
    return project


def _about(names: Sequence[str], read: Callable[[str], bytes], location: str) -> Mapping[str, Any]:
    """Return the description of a project; nothing, if it has none."""
    folders = {match[1] for match in map(_FILE.fullmatch, names) if match}
    candidates = [name for name in names if _ABOUT.fullmatch(name)]
    candidates += [
        name
        for name in names
        if name.endswith(".json") and name.rpartition("/")[0] in {f.rstrip("/") for f in folders}
    ]
    for name in candidates:
        place = f"{location}/{escape_name(name)}"
        about = from_json(decoded(place, read(name), "utf-8"), place, _AGAIN)
        if isinstance(about, dict) and "annotation_documents" in about:
            return about
    return {}


def _entries(about: Mapping[str, Any], kind: str, location: str) -> list[Mapping[str, str]]:
    """Return the documents, or the annotators' records of them, that a project lists."""
    entries = about.get(kind) or []
    keys = ("name", "state", "user")[: 2 + (kind == "annotation_documents")]
    for entry in entries if isinstance(entries, list) else [entries]:
        if not isinstance(entry, dict) or not all(isinstance(entry.get(k), str) for k in keys):
            raise invalid_value(
                f"{location}: {kind}", entry, f"{', '.join(keys)} are needed: {_AGAIN}"
            )
    users = (_CURATOR, "INITIAL_CAS")
    return [entry for entry in entries if entry.get("user") not in users]


def _state(entry: Mapping[str, str], location: str) -> str:
    """Return the state of a record, however it is spelled."""
    state = entry["state"].upper().replace("_", "")
    if state not in STATES:
        place = (
            f"document {quote_value(entry['name'])}, annotator {quote_value(entry['user'])}: state"
        )
        raise invalid_value(
            f"{location}: {place}", entry["state"], f"known: {join_names(STATES)}; {_AGAIN}"
        )
    return state


def _declared(about: Mapping[str, Any]) -> CasDocument:
    """Return a page with the layers of spans that a project declares, and nothing in them."""
    layers = {}
    for entry in _dicts(about.get("layers")):
        if entry.get("type") == "span":
            features = _dicts(entry.get("features"))
            plain = (f.get("name") for f in features if f.get("link_mode") in (None, "NONE"))
            layers[str(entry.get("name"))] = LayerAnnotations(
                values={str(name): [] for name in plain}
            )
    return CasDocument("", layers, Counter())


def _dicts(value: object) -> Iterator[dict[str, Any]]:
    """Yield the objects in a list."""
    return (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


def _matched(files: Sequence[File], states: Mapping[str, str], location: str) -> dict[str, File]:
    """Return the annotators' files: called by the name, or by the name and a temporary number."""
    matched: dict[str, File] = {}
    for file in files:
        fit = [user for user in states if user in file.stems]
        for user in () if fit else states:
            temporary = re.compile(re.escape(user.ljust(3, "_")) + r"\d+")
            fit += [user] if any(map(temporary.fullmatch, file.stems)) else []
        if len(fit) > 1:
            fit = [user for user in fit if states[user] in ("FINISHED", "INPROGRESS")]
        if len(fit) > 1 or (fit and fit[0] in matched):
            raise InputError(
                f"{file.location}: a file of annotator {join_names(fit)}"
                f"{' by its name' if len(fit) > 1 else ', who has another'}; name the files in"
                f" {location} by their annotators, one for each"
            )
        matched |= dict.fromkeys(fit, file)
    return matched
