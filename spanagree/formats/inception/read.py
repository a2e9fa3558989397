"""Read what INCEpTION and WebAnno export: projects, and files of annotations by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spanagree.corpus.collector import same_text
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import check_choice, escape_name, join_names, printable_path, quote_value
from spanagree.files import Source, lines_of, named_files, naming_files, read_bytes
from spanagree.formats.combine import merge_sources
from spanagree.formats.file_head import FileHead, passed_over, read_head
from spanagree.formats.inception.cas import knows_cas, read_json, read_xmi
from spanagree.formats.inception.files import read_pages
from spanagree.formats.inception.pages import CasDocument, Chosen, Mark, choose, described
from spanagree.formats.inception.project import (
    IN_PROGRESS,
    Project,
    file_of,
    knows_project,
    read_project,
)
from spanagree.formats.inception.webanno_tsv import knows_webanno_tsv, read_tsv
from spanagree.formats.patterns import has_pattern
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record, gather
from spanagree.settings import reading_settings


def knows_inception(start: FileHead) -> bool:
    """Return whether a file or folder is INCEpTION's: a project, WebAnno TSV or a CAS."""
    return knows_project(start) or knows_webanno_tsv(start) or knows_cas(start)


@naming_files()
def raw_inception(
    source: Source,
    *,
    layer: str | None = None,
    feature: str | None = None,
    in_progress: str = "auto",
    ground_truth: bool = False,
) -> RawCorpus:
    """Return the rows of projects (zip or folder), or of files by the names of their annotators.

    Files by themselves are one document of several annotators; those of a pattern are a project.

    Args:
        source: projects, and files or patterns: WebAnno TSV 3, UIMA CAS as XMI or JSON.
        layer: the layer of spans to read, in full or the last part of its name; needed if several
            are in use. Of several, with commas between, labels begin with the layer's name.
        feature: the feature that holds the labels, or several with commas between; needed if
            several have values. If none has, the layer's name is the label.
        in_progress: what becomes of documents that were begun and not finished, one of
            :data:`spanagree.formats.inception.project.IN_PROGRESS`.
        ground_truth: make a layer ``ground_truth`` of what was curated.

    Raises:
        InputError: for what cannot be read, a layer or feature that is not there, or several to
            choose from.
        SettingError: for an unknown ``in_progress``.
    """
    check_choice(in_progress, IN_PROGRESS, "in-progress")
    files = named_files(source)
    starts = {name: read_head(path) for name, path in files.items() if not has_pattern(path)}
    projects = {
        name: read_project(files[name], layer, in_progress, ground_truth)
        for name, start in starts.items()
        if any("/" in member for member in start.members)
    }
    projects |= {n: read_pages(path, n, layer) for n, path in files.items() if n not in starts}
    pages = {name: _page(starts[name], layer) for name in files if name not in projects}
    every = [page for project in projects.values() for page in project.every()]
    names = {name: printable_path(path) for name, path in files.items()}
    location = next(iter(names.values())) if len(names) == 1 else join_names(names.values())
    chosen = choose([*every, *pages.values()], layer, feature, location)
    asked = {"in_progress": in_progress} if in_progress != "auto" else {}
    reading = reading_settings(
        layer=",".join(dict.fromkeys(name for name, _ in chosen)) or None,
        feature=",".join(dict.fromkeys(key for _, key in chosen if key)) or None,
        ground_truth=ground_truth,
        **asked,
    )
    parts = {}
    for name, project in projects.items():
        log = ReadLog(names[name], notes=[_note(names[name], chosen, project)])
        records = _records(project.texts, project.pages, chosen, log)
        parts[name] = gather(records, log, reading, annotators=project.annotators, again=False)
    if pages:
        log = ReadLog(location, notes=[_note(names[name], chosen, x) for name, x in pages.items()])
        log.numbered = True
        text = next((page for page in pages.values() if page.is_whole), next(iter(pages.values())))
        records = _records({"1": text}, {"1": pages}, chosen, log)
        parts["files"] = gather(records, log, reading, again=False)
    return merge_sources(parts) if len(parts) > 1 else next(iter(parts.values()))


def _page(start: FileHead, layer: str | None) -> CasDocument:
    """Return the page in a file by itself, by what it begins with."""
    location = escape_name(start.path)
    if start.shape == "xml":
        with open(start.path, "rb") as file:
            return read_xmi(file, location, layer)
    if start.shape in ("json", "jsonl"):
        return read_json(read_bytes(location, start.path), location, layer)
    if start.shape in ("zip", "folder"):
        return file_of("file.zip", read_bytes(location, start.path), location).page(layer)
    return read_tsv(lines_of(start.path), location)


def _records(
    texts: Mapping[str, CasDocument],
    pages: Mapping[str, Mapping[str, CasDocument]],
    chosen: Chosen,
    log: ReadLog,
) -> Iterator[Record]:
    """Yield documents, with what the annotators who saw each marked in the chosen layers."""
    location = log.name
    for id_, document in texts.items():
        annotations = []
        for annotator, page in pages.get(id_, {}).items():
            place = f"{location}: document {quote_value(id_)}, annotator {quote_value(annotator)}"
            if not page.fits(document.text):
                same_text(page.text, document.text, place)
            spans = (RawSpan(start, end, label) for start, end, label, _ in page.rows(chosen))
            known: dict[Mark | None, int] = {}
            for number, (*_, mark) in enumerate(page.rows(chosen) if page.relations else ()):
                known.setdefault(mark, number)
            links = [
                RawRelation(known[arc.first], known[arc.second], arc.label, place)
                for arc in page.relations
                if {arc.first, arc.second} <= known.keys()
            ]
            log.passed["other relation"] += len(page.relations) - len(links)
            annotations.append(RawAnnotation(annotator, spans, relations=links, location=place))
        yield Record(location, id_, {"text": document.text}, annotations)


def _note(location: str, chosen: Chosen, read: CasDocument | Project) -> str:
    """Return what was read of a file, and what was passed over."""
    about = read.says() if isinstance(read, Project) else []
    passed = (note.removeprefix(f"{location}: ") for note in passed_over(location, read.passed))
    return f"{location}: {'; '.join(['read as inception', described(chosen), *about, *passed])}"
