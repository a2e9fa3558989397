"""Readers of exports of INCEpTION and WebAnno: projects, and single files of annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spanagree.corpus.document_versions import check_same_text
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import check_choice, escape_name, escape_path, join_names, quote_value
from spanagree.files import Source, name_files_in_errors, name_layers, read_bytes, yield_lines
from spanagree.formats.combine import merge_sources
from spanagree.formats.file_head import FileHead, compose_ignored_note, read_head
from spanagree.formats.inception.cas import looks_like_cas, read_json, read_xmi
from spanagree.formats.inception.files import read_annotation_files
from spanagree.formats.inception.pages import (
    CasDocument,
    Chosen,
    Mark,
    choose_layers,
    describe_layers,
)
from spanagree.formats.inception.project import (
    IN_PROGRESS,
    Project,
    build_file,
    looks_like_project,
    read_project,
)
from spanagree.formats.inception.webanno_tsv import looks_like_webanno_tsv, read_tsv
from spanagree.formats.patterns import has_pattern
from spanagree.formats.records import (
    RawAnnotation,
    RawRelation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.settings import build_reading_settings


def looks_like_inception(start: FileHead) -> bool:
    """Check whether a file or folder is a project of INCEpTION, WebAnno TSV or a CAS."""
    return looks_like_project(start) or looks_like_webanno_tsv(start) or looks_like_cas(start)


@name_files_in_errors()
def read_raw_inception(
    source: Source,
    *,
    layer: str | None = None,
    feature: str | None = None,
    in_progress: str = "auto",
    ground_truth: bool = False,
) -> RawCorpus:
    """Read the rows of projects (zip or folder), or of files named by their annotators.

    Single files are one document of several annotators; the files of a pattern are a project.

    Args:
        source: projects, files or patterns: WebAnno TSV 3, UIMA CAS as XMI or JSON.
        layer: layer of spans, in full or the last part of its name; needed if several are in use.
            For several, with commas between them, labels begin with the layer's name.
        feature: feature of the labels, or several with commas between them; needed if several have
            values. If none has, the layer's name is the label.
        in_progress: treatment of documents that were begun and not finished, one of
            :data:`spanagree.formats.inception.project.IN_PROGRESS`.
        ground_truth: True to read curated documents as a layer ``ground_truth``.

    Raises:
        InputError: if a file cannot be read, a layer or feature is missing, or several are in use.
        SettingError: if ``in_progress`` is unknown.
    """
    check_choice(in_progress, IN_PROGRESS, "in-progress")
    files = name_layers(source)
    starts = {name: read_head(path) for name, path in files.items() if not has_pattern(path)}
    projects = {
        name: read_project(files[name], layer, in_progress, ground_truth)
        for name, start in starts.items()
        if any("/" in member for member in start.members)
    }
    projects |= {
        name: read_annotation_files(path, name, layer)
        for name, path in files.items()
        if name not in starts
    }
    pages = {name: _read_document(starts[name], layer) for name in files if name not in projects}
    project_documents = [page for project in projects.values() for page in project.list_documents()]
    names = {name: escape_path(path) for name, path in files.items()}
    location = next(iter(names.values())) if len(names) == 1 else join_names(names.values())
    layer_features = choose_layers([*project_documents, *pages.values()], layer, feature, location)
    in_progress_setting = {"in_progress": in_progress} if in_progress != "auto" else {}
    reading = build_reading_settings(
        layer=",".join(dict.fromkeys(name for name, _ in layer_features)) or None,
        feature=",".join(dict.fromkeys(key for _, key in layer_features if key)) or None,
        ground_truth=ground_truth,
        **in_progress_setting,
    )
    sources = {}
    for name, project in projects.items():
        note = _compose_note(names[name], layer_features, project)
        log = ReadLog(names[name], notes=[note, *project.yield_notes()])
        records = _yield_records(project.texts, project.pages, layer_features, log)
        sources[name] = build_raw_from_records(
            records, log, reading, annotators=project.annotators, again=False
        )
    if pages:
        log = ReadLog(
            location,
            notes=[
                _compose_note(names[name], layer_features, document)
                for name, document in pages.items()
            ],
        )
        log.numbered = True
        text = next((page for page in pages.values() if page.is_whole), next(iter(pages.values())))
        records = _yield_records({"1": text}, {"1": pages}, layer_features, log)
        sources["files"] = build_raw_from_records(records, log, reading, again=False)
    return merge_sources(sources) if len(sources) > 1 else next(iter(sources.values()))


def _read_document(head: FileHead, layer: str | None) -> CasDocument:
    """Read the document in a single file, by its beginning."""
    location = escape_name(head.path)
    if head.shape == "xml":
        with open(head.path, "rb") as file:
            return read_xmi(file, location, layer)
    if head.shape in ("json", "jsonl"):
        return read_json(read_bytes(location, head.path), location, layer)
    if head.shape in ("zip", "folder"):
        return build_file("file.zip", read_bytes(location, head.path), location).parse_document(
            layer
        )
    return read_tsv(yield_lines(head.path), location)


def _yield_records(
    texts: Mapping[str, CasDocument],
    pages: Mapping[str, Mapping[str, CasDocument]],
    layer_features: Chosen,
    log: ReadLog,
) -> Iterator[Record]:
    """Yield documents with the annotations in the chosen layers, of annotators who saw them.

    ``texts`` are the documents by id, and ``pages`` the annotated documents by id and annotator.
    """
    location = log.name
    for id_, document in texts.items():
        annotations = []
        for annotator, page in pages.get(id_, {}).items():
            annotator_location = (
                f"{location}: document {quote_value(id_)}, annotator {quote_value(annotator)}"
            )
            if not page.has_text(document.text):
                check_same_text(page.text, document.text, annotator_location)
            spans = (
                RawSpan(start, end, label)
                for start, end, label, _ in page.yield_spans(layer_features)
            )
            index_by_mark: dict[Mark | None, int] = {}
            for index, (*_, mark) in enumerate(
                page.yield_spans(layer_features) if page.relations else ()
            ):
                index_by_mark.setdefault(mark, index)
            relations = [
                RawRelation(
                    index_by_mark[arc.first],
                    index_by_mark[arc.second],
                    arc.label,
                    annotator_location,
                )
                for arc in page.relations
                if {arc.first, arc.second} <= index_by_mark.keys()
            ]
            log.passed["other relation"] += len(page.relations) - len(relations)
            annotations.append(
                RawAnnotation(annotator, spans, relations=relations, location=annotator_location)
            )
        yield Record(location, id_, {"text": document.text}, annotations)


def _compose_note(location: str, layer_features: Chosen, contents: CasDocument | Project) -> str:
    """Describe what was read and skipped in a file."""
    coverage = contents.describe_coverage() if isinstance(contents, Project) else []
    skipped = (
        note.removeprefix(f"{location}: ")
        for note in compose_ignored_note(location, contents.n_skipped)
    )
    phrases = ["read as inception", describe_layers(layer_features), *coverage, *skipped]
    return f"{location}: {'; '.join(phrases)}"
