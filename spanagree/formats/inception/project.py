"""Exports of INCEpTION and WebAnno projects: annotators of each document, and their annotations."""

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
    escape_path,
    invalid_value,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import (
    BOM,
    PathName,
    decode_bytes,
    name_files_in_errors,
    open_zip,
    parse_json,
    read_bytes,
)
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
"""Treatment of a document that an annotator began and did not finish."""


_CURATOR = "CURATION_USER"


EMPTY = CasDocument("", {}, Counter())
"""Document without text and annotations."""


STATES = {
    "FINISHED": "finished", "INPROGRESS": "in progress", "NEW": "new", "IGNORE": "ignored",
}  # fmt: skip
"""States of an annotator's work on a document, with their names in notes."""


UNKNOWN_STATE = "UNKNOWN"
"""State of all work in a project without the record of states, or in single files."""

_UNTOUCHED = ("NEW", "IGNORE")
_NAMES_OF_STATES = {**STATES, UNKNOWN_STATE: "of unknown state"}

_INITIAL = re.compile(r"INITIAL_CAS\d*")  # a number is of a temporary file
_READABLE = (".tsv", ".xmi", ".json", ".zip")
_FILE = re.compile(r"((?:(?!annotation/|curation/)[^/]*/)*)(annotation|curation)/(.+)/([^/]+)")
_PLAIN_FILE = re.compile(r"()()(.+)/([^/]+)")
_ABOUT = re.compile(r"((?:.*/)?)exportedproject\d*\.json")
_AGAIN = "export the project again, with annotations as WebAnno TSV 3, CAS XMI or CAS JSON"


def looks_like_project(start: FileHead) -> bool:
    """Check whether a zip or folder is a project, by the names in it."""
    files = (name for name in start.members if name.endswith(_READABLE))
    return any(_ABOUT.fullmatch(name) or _FILE.fullmatch(name) for name in files)


class File(NamedTuple):
    """A file of annotations.

    Attributes:
        stems: possible names of its annotator.
        suffix: ending of the name.
        data: content of the file.
        location: printable path.
    """

    stems: tuple[str, ...]
    suffix: str
    data: bytes
    location: str

    def parse_document(self, layer: str | None = None) -> CasDocument:
        """Parse the document, which is WebAnno TSV, XMI or JSON by its suffix."""
        if self.suffix == ".tsv":
            text = decode_bytes(self.location, self.data, "utf-8").removeprefix(BOM)
            return read_tsv(io.StringIO(text, "\n"), self.location)
        if self.suffix == ".xmi":
            return read_xmi(io.BytesIO(self.data), self.location, layer)
        return read_json(self.data, self.location, layer)


def is_initial(file: File) -> bool:
    """Check whether a file has the document as it was imported, without annotations."""
    return any(map(_INITIAL.fullmatch, file.stems))


class Project:
    """Contents of a project, collected document by document.

    Attributes:
        pages: annotated documents, by id and annotator who saw it.
        texts: document with the text, by id.
        annotators: annotators with a record or a file.
        declared: document without text, with the layers that the project declares.
        n_seen, n_unseen: number of annotations that count as seen or unseen, by reason.
        n_unknown: number of annotations that count as seen as their states are unknown.
        n_missing: number of documents without a file.
        n_skipped: number of skipped structures, by kind.
    """

    def __init__(self, location: str, layer: str | None, in_progress: str) -> None:
        self.location = location
        self.layer = layer
        self.in_progress = in_progress
        self.pages: dict[str, dict[str, CasDocument]] = {}
        self.texts: dict[str, CasDocument] = {}
        self.annotators: dict[str, None] = {}
        self.declared: CasDocument = EMPTY
        self.n_seen: Counter[str] = Counter()
        self.n_unseen: Counter[str] = Counter()
        self.n_unknown = 0
        self.n_missing = 0
        self.n_skipped: Counter[str] = Counter()

    def add_document(
        self, document: str, files: Sequence[File], states: Mapping[str, str] | None
    ) -> CasDocument:
        """Add the annotations of a document by all annotators who saw it.

        Args:
            document: id of the document.
            files: files of the document.
            states: state of each annotator, or `None` if the project has no description.

        Returns:
            The document as it was imported.
        """
        initial = [file for file in files if is_initial(file)]
        imported = initial[0].parse_document(self.layer) if initial else EMPTY
        if initial:
            self.texts[document] = imported
        annotator_files = [file for file in files if file not in initial]
        if states is None:
            curated = [file for file in annotator_files if _CURATOR in file.stems]
            self.n_skipped["curation file"] += len(curated)
            annotator_files = [file for file in annotator_files if file not in curated]
            states = {file.stems[0]: UNKNOWN_STATE for file in annotator_files}
        matched = _match_files(annotator_files, states, self.location)
        for user, state in states.items():
            self.add_annotator(document, user, matched.get(user), state, imported)
        self.n_unseen["without a record"] += len(annotator_files) - len(matched)
        return imported

    def add_annotator(
        self, document: str, user: str, file: File | None, state: str, imported: CasDocument
    ) -> None:
        """Add the annotations of one annotator in one document, or count the document as unseen.

        Args:
            document: id of the document.
            user: name of the annotator.
            file: file with the annotations of the annotator, or ``None`` if there is none.
            state: state of the annotator's work on the document, a key of ``STATES`` or
                ``UNKNOWN_STATE``.
            imported: document before annotation.
        """
        self.annotators[user] = None
        reason = _NAMES_OF_STATES[state]
        untouched = state in _UNTOUCHED
        if file is None or untouched:
            self.n_unseen[reason if untouched else f"{reason} without a file"] += 1
            return
        page = file.parse_document(self.layer)
        if document not in self.texts or (page.is_whole and not self.texts[document].is_whole):
            self.texts[document] = page
        is_unchanged = page.collect_annotations() == imported.collect_annotations()
        is_begun = state == "INPROGRESS"
        if is_unchanged and (is_begun or imported is not EMPTY):
            reason += " and empty" if imported is EMPTY else " and as in INITIAL_CAS"
        if is_begun and (
            self.in_progress == "unseen" or (is_unchanged and self.in_progress == "auto")
        ):
            self.n_unseen[reason] += 1
            return
        self.n_seen[reason] += 1
        self.n_unknown += state == UNKNOWN_STATE
        self.n_skipped += page.n_skipped
        self.pages.setdefault(document, {})[user] = page

    def list_documents(self) -> list[CasDocument]:
        """List all documents from which a layer may be chosen."""
        return [self.declared, *(page for pages in self.pages.values() for page in pages.values())]

    def describe_coverage(self) -> list[str]:
        """Describe who saw which documents, for a note."""
        groups = {"seen": +self.n_seen, "never seen": +self.n_unseen}
        sums = [
            f"{group}: {', '.join(f'{count} {reason}' for reason, count in counts.items())}"
            for group, counts in groups.items()
            if counts
        ]
        left_out = f"{pluralize(self.n_missing, 'document')} without a file left out"
        return sums + [left_out] * bool(self.n_missing)

    def yield_notes(self) -> Iterator[str]:
        """Yield a note if states are unknown, so that unfinished work counts too."""
        if self.n_unknown:
            yield (
                f"{self.location}: no record of states (exportedproject.json), so"
                f" {pluralize(self.n_unknown, 'annotation')} with a file count as seen, of new,"
                " ignored and unfinished documents too; a backup archive of the project has it"
            )


@contextmanager
def open_project(path: PathName) -> Iterator[tuple[Sequence[str], Callable[[str], bytes]]]:
    """Open a zip or folder, and yield the names of its files and a function that reads a file."""
    if not os.path.isdir(path):
        with open_zip(path) as archive:
            yield archive.names, archive.read
        return
    root = Path(path)
    with name_files_in_errors():
        names = sorted(
            file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()
        )
    yield (
        [name for name in names if not name.rpartition("/")[2].startswith(".")],
        lambda name: read_bytes(escape_path(root / name), str(root / name)),
    )


def build_file(name: str, data: bytes, location: str) -> File:
    """Build a file of annotations; a file in a zip of its own is extracted.

    Raises:
        InputError: if a zip does not contain exactly one such file.
    """
    path = PurePosixPath(name)
    if path.suffix.lower() != ".zip":
        return File((path.stem,), path.suffix.lower(), data, location)
    with open_zip(location, data) as archive:
        members = [member for member in archive.names if member.lower().endswith(_READABLE[:3])]
        if len(members) != 1:
            contents = join_names(archive.names) or "nothing"
            raise InputError(
                f"{location}: a zip with {contents}; it should hold one .xmi: {_AGAIN}"
            )
        file = build_file(
            members[0], archive.read(members[0]), f"{location}/{escape_name(members[0])}"
        )
    return file._replace(stems=(path.stem, *file.stems))


def read_project(path: PathName, layer: str | None, in_progress: str, curation: bool) -> Project:
    """Read a project. Without a description (JSON), annotators with a file saw the document.

    As the states are then unknown, a note says so.

    If ``curation`` is True, curated documents are read as an annotator.

    Raises:
        InputError: if a file cannot be read, or does not match the description.
    """
    location = escape_path(path)
    project = Project(location, layer, in_progress)
    with open_project(path) as (names, read_bytes_of):
        description = _find_description(names, read_bytes_of, location)
        sources = _list_entries(description, "source_documents", location)
        curated = {entry["name"]: entry["state"] for entry in sources}
        states: dict[str, dict[str, str]] = {name: {} for name in curated}
        for entry in _list_entries(description, "annotation_documents", location):
            states.setdefault(entry["name"], {})[entry["user"]] = _normalise_state(entry, location)
        files: dict[tuple[str, str], list[str]] = {}
        in_folders = any(map(_FILE.fullmatch, names))
        matches = map(_FILE.fullmatch if in_folders else _PLAIN_FILE.fullmatch, names)
        for match in filter(None, matches):
            files.setdefault((match[2] or "annotation", match[3]), []).append(match[0])
            states.setdefault(match[3], {})

        def load_files(folder: str, document: str) -> Iterator[File]:
            """Yield the readable files of a document in a folder, and count other files."""
            for name in files.get((folder, document), ()):
                if name.lower().endswith(_READABLE):
                    yield build_file(name, read_bytes_of(name), f"{location}/{escape_name(name)}")
                else:
                    project.n_skipped[f"{PurePosixPath(name).suffix} file"] += 1

        project.annotators = {user: None for users in states.values() for user in users}
        for document, users in states.items():
            if not any((folder, document) in files for folder in ("annotation", "curation")):
                continue
            document_files = list(load_files("annotation", document))
            imported = project.add_document(
                document, document_files, users if description else None
            )
            if not curation:
                project.n_skipped["curation file"] += len(files.get(("curation", document), ()))
                continue
            for file in load_files("curation", document):
                state = "FINISHED" if curated.get(document) == "CURATION_FINISHED" else "INPROGRESS"
                project.add_annotator(document, GROUND_TRUTH, file, state, imported)
        project.declared = _build_declared_document(description)
    if not project.texts:
        suffixes = sorted(
            {PurePosixPath(name).suffix for file_names in files.values() for name in file_names}
        )
        advice = _AGAIN
        if project.n_skipped["curation file"]:
            advice = f"read what was curated (--ground-truth), or {_AGAIN}"
        raise InputError(
            f"{location}: no annotations that can be read (files:"
            f" {join_names(suffixes) or 'none'}); {advice}"
        )
    project.n_missing = len(states) - len(project.texts)
    return project


def _find_description(
    names: Sequence[str], read_bytes_of: Callable[[str], bytes], location: str
) -> Mapping[str, Any]:
    """Read the JSON file that describes an INCEpTION project; empty if the project has none.

    Args:
        names: names of all files of the project.
        read_bytes_of: function that returns the content of a file by its name.
        location: beginning of error messages.
    """
    folders = {match[1] for match in map(_FILE.fullmatch, names) if match}
    candidates = [name for name in names if _ABOUT.fullmatch(name)]
    candidates += [
        name
        for name in names
        if name.endswith(".json")
        and name.rpartition("/")[0] in {folder.rstrip("/") for folder in folders}
    ]
    for name in candidates:
        file_location = f"{location}/{escape_name(name)}"
        description = parse_json(
            decode_bytes(file_location, read_bytes_of(name), "utf-8"), file_location, _AGAIN
        )
        if isinstance(description, dict) and "annotation_documents" in description:
            return description
    return {}


def _list_entries(
    description: Mapping[str, Any], key: str, location: str
) -> list[Mapping[str, str]]:
    """List the documents, or the annotators' records of them, in a description of a project.

    ``key`` is the list in the description.
    """
    entries = description.get(key) or []
    keys = ("name", "state", "user")[: 2 + (key == "annotation_documents")]
    for entry in entries if isinstance(entries, list) else [entries]:
        if not isinstance(entry, dict) or not all(
            isinstance(entry.get(name), str) for name in keys
        ):
            raise invalid_value(
                f"{location}: {key}", entry, f"{', '.join(keys)} are needed: {_AGAIN}"
            )
    users = (_CURATOR, "INITIAL_CAS")
    return [entry for entry in entries if entry.get("user") not in users]


def _normalise_state(entry: Mapping[str, str], location: str) -> str:
    """Normalize the state of a record: upper case, without underscores."""
    state = entry["state"].upper().replace("_", "")
    if state not in STATES:
        record = (
            f"document {quote_value(entry['name'])}, annotator {quote_value(entry['user'])}: state"
        )
        raise invalid_value(
            f"{location}: {record}", entry["state"], f"known: {join_names(STATES)}; {_AGAIN}"
        )
    return state


def _build_declared_document(description: Mapping[str, Any]) -> CasDocument:
    """Build a document without annotations, with the layers of spans that a project declares."""
    layers = {}
    for entry in _yield_objects(description.get("layers")):
        if entry.get("type") == "span":
            features = _yield_objects(entry.get("features"))
            feature_names = (
                feature.get("name")
                for feature in features
                if feature.get("link_mode") in (None, "NONE")
            )
            layers[str(entry.get("name"))] = LayerAnnotations(
                values={str(name): [] for name in feature_names}
            )
    return CasDocument("", layers, Counter())


def _yield_objects(value: object) -> Iterator[dict[str, Any]]:
    """Yield the objects in a list."""
    return (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


def _match_files(
    files: Sequence[File], states: Mapping[str, str], location: str
) -> dict[str, File]:
    """Match files to annotators: by the name, or by the name and a temporary number."""
    matched: dict[str, File] = {}
    for file in files:
        users = [user for user in states if user in file.stems]
        for user in () if users else states:
            temporary = re.compile(re.escape(user.ljust(3, "_")) + r"\d+")
            users += [user] if any(map(temporary.fullmatch, file.stems)) else []
        if len(users) > 1:
            users = [user for user in users if states[user] not in _UNTOUCHED]
        if len(users) > 1 or (users and users[0] in matched):
            raise InputError(
                f"{file.location}: a file of annotator {join_names(users)}"
                f"{' by its name' if len(users) > 1 else ', who has another'}; name the files in"
                f" {location} by their annotators, one for each"
            )
        matched |= dict.fromkeys(users, file)
    return matched
