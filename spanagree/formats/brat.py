"""brat's standoff files: a .txt and an .ann per document, in one folder or in one per annotator."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from pathlib import Path
from unicodedata import normalize

from spanagree.choices import Absent, Discontinuous, Ends, Repair
from spanagree.corpus.balance import add_balances
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import apply_discontinuous
from spanagree.corpus.documents import Relation
from spanagree.corpus.raw import RawCorpus, check_absent
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.corpus.segments import Segment
from spanagree.errors import (
    InputError,
    SettingError,
    escape_path,
    invalid_value,
    join_names,
    parse_whole_number,
    pluralize,
    quote_value,
)
from spanagree.files import (
    BOM,
    PathName,
    advise_on_encoding,
    name_files_in_errors,
    name_output_in_errors,
    read_marked_text,
    read_text,
    write_folder,
    write_text,
)
from spanagree.formats.combine import rename_annotators
from spanagree.formats.file_head import FileHead
from spanagree.formats.records import (
    RawAnnotation,
    RawRelation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.settings import build_reading_settings

_ALLOWED = {
    "R": "brat writes R1, a tab, a label, Arg1:T1 Arg2:T2",
    "E": "brat writes E1, a tab, Label:T1 and Role:T2 for each argument",
    "*": "brat writes *, a tab, a label, and the annotations that are equivalent",
    "A": "brat writes A1, a tab, a name, T1, and a value if it has one",
    "N": "brat writes N1, a tab, Reference T1 NAME:ID, a tab, text",
}

_NOTES, _ATTRIBUTES = "notes", "attributes of what is no segment"
_HIDDEN = "hidden files or folders"
_SHARED = "argument that another event has too"
_SINGULAR = {
    _NOTES: "note",
    _ATTRIBUTES: "attribute of what is no segment",
    _HIDDEN: "hidden file or folder",
}
"""Singular of each kind of ignored content."""

# some files have a blank for each tab
_TEXT_BOUND = re.compile(r"(T[^\t ]*)[\t ](\S+) (\d+ \d+(?:;\d+ \d+)*)(?:[\t ](.*))?")


def looks_like_brat(start: FileHead) -> bool:
    """Check whether a file begins like brat's annotations; texts do not."""
    first_line = next((line for line in start.lines if line.strip()), "")
    return start.path.endswith(".ann") and bool(_TEXT_BOUND.fullmatch(first_line.rstrip("\r\n")))


def read_brat(
    folder: PathName,
    *,
    discontinuous: Discontinuous = "keep",
    absent: Absent | None = None,
    ends: Ends | None = None,
    repair: Repair | Sequence[Repair] = (),
) -> Corpus:
    """Read the corpus in a brat folder: a collection, or a project with a folder per annotator.

    Folders are annotators if they contain documents of the same names, or if there is only one
    folder. Otherwise they are parts of one collection, and its annotator is named after the folder.
    Text-bound annotations (T) become segments, with offsets in characters. Relations (R) become
    relations; the arguments of events (E) too, labelled by their roles, and equivalences (*),
    without a direction. Events with the same trigger may share an argument, which is one relation,
    with a note. Attributes (A, M) become attributes of their segment, with the value true
    if they have no value. Normalisations (N) become an attribute named after the resource that they
    refer to. A document is a .txt file, identified by its path below the annotator's folder. An
    empty .ann file means that the annotator saw the document and marked nothing; a missing .ann
    file means that the annotator never saw it. The notes count all content that is not read: notes
    (#), attributes of annotations that are no segments, and hidden files and folders, with names
    that begin with a dot.

    Args:
        folder: path of the folder, or of one .ann file next to its .txt file.
        discontinuous: treatment of segments with several fragments: keep, hull, split, drop or
            error.
        absent: meaning of an empty .ann file for its annotator: unseen or unmarked. Default:
            unmarked, with a note.
        ends: convention for the end of a span: exclusive, or inclusive (the last character).
            Default: inferred from the text of the spans; exclusive if the text fits both.
        repair: repair steps, from join-pieces, drop-repeats, latest, relocate-by-text,
            drop-misplaced, clip-beyond-text, drop-beyond-text, strip-space, widen-points,
            drop-empty, drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.

    Raises:
        InputError: if a folder or file is missing or not in the format, a link leads nowhere, texts
            differ between annotators, or the annotations have flaws that no requested step repairs.
        SettingError: if a repair or the choice for ``discontinuous`` is unknown.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "7.txt").write_text("Jo runs")
    ...     _ = Path(folder, "7.ann").write_text("T1\\tPER 0 2\\tJo\\n")
    ...     corpus = read_brat(folder)
    >>> [segments for segments in corpus[0].segments.values()]
    [(Segment(start=0, end=2, label='PER'),)]
    """
    raw = read_raw_brat(folder, absent=absent, ends=ends)
    raw = rename_annotators(
        raw, {name: name or Path(os.path.abspath(folder)).name for name in raw.annotators}
    )
    raw = apply_discontinuous(raw, discontinuous)
    return build_valid_corpus(raw, repair)


@name_files_in_errors()
@advise_on_encoding(())
def read_raw_brat(
    folder: PathName, *, absent: Absent | None = None, ends: Ends | None = None
) -> RawCorpus:
    """Read a brat folder or file, unchecked; the annotator of a collection has no name."""
    check_absent(absent)
    log = ReadLog("")
    shared: list[str] = []
    reading = {"format": "brat", **build_reading_settings(absent=absent, ends=ends)}
    raw = build_raw_from_records(
        _yield_records(Path(folder), log, absent, shared), log, reading, ends=ends
    )
    unread = {"relation": {_SHARED: len(shared)}} if shared else {}
    return raw.replace(balance=add_balances([raw.balance, unread]))


def _yield_records(
    root: Path, log: ReadLog, absent: str | None, shared: list[str]
) -> Iterator[Record]:
    """Yield the documents of a folder or file, with their annotations.

    Args:
        root: the folder or file.
        log: log of reading.
        absent: meaning of an empty .ann file, unseen or unmarked.
        shared: receives the location of each relation that an earlier event implies too.
    """
    name = escape_path(root)
    ignored_counts: Counter[str] = Counter()
    if root.is_file():
        candidates, root = [root.with_suffix(suffix) for suffix in (".ann", ".txt")], root.parent
        files = [path.name for path in candidates if path.exists()]
    elif root.is_dir():
        files = _list_files(root, ignored_counts)
    else:
        raise InputError(f"{name}: no such folder; one with .txt and .ann files is needed")
    folder = "" if root == Path() else str(root)  # a string, as a Path per file is slow
    annotator_and_id_by_file, notes = _assign_files(files)
    n_empty, is_empty = 0, True
    for txt, ann, annotator, id_ in _pair_files(annotator_and_id_by_file, root):
        is_empty = False
        location = os.path.join(folder, txt)
        text = read_marked_text(location)
        annotations = []
        if ann is not None:
            ann_path = os.path.join(folder, ann)
            rows = _locate_lines(escape_path(ann_path), read_text(ann_path))
            n_empty += not rows
            parsed = RawAnnotation(annotator, None)
            if rows or absent != "unseen":
                parsed = _parse_annotation(annotator, rows, ignored_counts, shared)
            annotations = [parsed]
        content = {"text": text.removeprefix(BOM), "has_mark": text.startswith(BOM)}
        yield Record(escape_path(location), id_, content, annotations)
    if is_empty:
        raise InputError(
            f"{name}: no .txt in the folder or below it; brat keeps a text in a .txt file, and"
            " its annotations in an .ann file beside it"
        )
    if not any(file.endswith(".ann") for file in files):
        raise InputError(
            f"{name}: .txt files, and no .ann beside one; brat keeps annotations"
            " there, and an empty one says that nothing was marked"
        )
    for content_type, count in sorted(ignored_counts.items()):
        notes.append(
            f"{count} {content_type if count > 1 else _SINGULAR[content_type]} passed over"
        )
    if shared:
        notes.append(
            f"{pluralize(len(shared), 'argument')} that another event with the same trigger has"
            f" too, first at {shared[0]}: one relation, as relations are between segments"
        )
    if n_empty and absent is None:
        notes.append(
            f"{pluralize(n_empty, 'empty .ann file')} taken as seen, with nothing marked; --absent"
            " unseen takes such documents as never seen"
        )
    log.notes += [f"{name}: {note}" for note in notes]  # several folders share the log


def _pair_files(
    annotator_and_id_by_file: Mapping[str, tuple[str, str]], root: Path
) -> Iterator[tuple[str, str | None, str, str]]:
    """Yield for each document its text file, its .ann file or ``None``, its annotator and its id.

    An .ann file without a text of its own refers to the text of all annotators, or of another
    annotator.

    Raises:
        InputError: if the document of an .ann file has no text.
    """
    texts = {
        id_: file for file, (_, id_) in annotator_and_id_by_file.items() if file.endswith(".txt")
    }
    for file, (annotator, id_) in annotator_and_id_by_file.items():
        txt, ann = f"{_strip_extension(file)}.txt", f"{_strip_extension(file)}.ann"
        if file == txt:
            yield txt, ann if ann in annotator_and_id_by_file else None, annotator, id_
        elif txt not in annotator_and_id_by_file:
            if id_ not in texts:
                raise InputError(
                    f"{escape_path(root / ann)}: there is no {quote_value(Path(txt).name)}"
                    " beside it; brat keeps the text there"
                )
            yield texts[id_], ann, annotator, id_


def _assign_files(files: Sequence[str]) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Assign each file to an annotator and a document.

    Folders are annotators if only one has annotations, or if they share documents. Otherwise all
    files are of one annotator without a name, ``""``.

    Returns:
        Annotator and document by file; notes.
    """
    path_parts = {file: tuple(_strip_extension(file).split("/")) for file in files}
    documents_by_folder: dict[str, set[tuple[str, ...]]] = {}
    annotated_by_folder: dict[str, set[tuple[str, ...]]] = {}
    for file, path in path_parts.items():
        for documents in (
            [documents_by_folder, annotated_by_folder]
            if file.endswith(".ann")
            else [documents_by_folder]
        ):
            documents.setdefault(path[0] if len(path) > 1 else "", set()).add(path[1:] or path)
    is_shared = any(
        annotated_by_folder[folder] & documents_by_folder[other_folder]
        for folder, other_folder in permutations(annotated_by_folder, 2)
    )
    are_annotators = "" not in annotated_by_folder and (len(annotated_by_folder) < 2 or is_shared)
    annotated = set().union(*annotated_by_folder.values())
    annotator_and_id_by_file = {}
    for file, path in path_parts.items():
        if are_annotators and (len(path) > 1 or path in annotated or not annotated_by_folder):
            # texts may be in the folder above all annotators
            annotator_and_id_by_file[file] = path[0], "/".join(path[1:] or path)
        elif not are_annotators and f"{_strip_extension(file)}.ann" in path_parts:
            annotator_and_id_by_file[file] = "", "/".join(path)
    notes = []
    if len(annotator_and_id_by_file) < len(path_parts):
        ignored_texts = pluralize(len(path_parts) - len(annotator_and_id_by_file), "text")
        notes.append(f"{ignored_texts} without an .ann file passed over")
    if len(annotated_by_folder) > 1 and not are_annotators:
        notes.append(
            f"{join_names(sorted(filter(None, annotated_by_folder)))}: folders of other documents,"
            " read as parts of one annotator's"
        )
    return annotator_and_id_by_file, notes


def _strip_extension(file: str) -> str:
    return file.rpartition(".")[0]


def _list_files(root: Path, ignored_counts: Counter[str]) -> list[str]:
    """List the .txt and .ann files below a folder, relative to it.

    Hidden files and folders are counted in ``ignored_counts``.
    """
    files, folders = [], [""]
    while folders:
        folder = folders.pop()
        with (
            name_output_in_errors(escape_path(root / folder), "read"),
            os.scandir(root / folder) as scan,
        ):
            entries = list(scan)
        for entry in entries:
            is_file = os.path.splitext(entry.name)[1] in (".txt", ".ann")
            if entry.name.startswith("."):
                ignored_counts[_HIDDEN] += is_file or entry.is_dir()
            elif entry.is_symlink() and not os.path.exists(entry.path):
                raise InputError(
                    f"{escape_path(root / folder / entry.name)}: a link that leads nowhere;"
                    " restore what it leads to, or delete it"
                )
            elif entry.is_dir():
                if not folder or not entry.is_symlink():  # of links, only annotators' are followed
                    folders.append(f"{folder}{entry.name}/")
            elif is_file:
                files.append(f"{folder}{entry.name}")
    return sorted(files, key=lambda file: file.split("/"))


def _locate_lines(name: str, text: str) -> list[tuple[str, str]]:
    """List the lines of a file that are not blank, each with its location."""
    lines = enumerate(text.split("\n"), 1)
    return [
        (f"{name}:{line_number}", line.rstrip("\r")) for line_number, line in lines if line.strip()
    ]


def _parse_annotation(
    annotator: str,
    rows: Sequence[tuple[str, str]],
    ignored_counts: Counter[str],
    shared: list[str],
) -> RawAnnotation:
    """Parse the lines of an .ann file: segments, attributes and relations.

    Args:
        annotator: name of the annotator.
        rows: lines, each with its location.
        ignored_counts: counts of ignored lines, which are added to.
        shared: receives the location of each relation that an earlier event implies too.
    """
    span_by_id: dict[str, int] = {}
    spans: list[RawSpan] = []
    attributes: list[dict[str, str]] = []
    for location, row in rows:
        if row[0] not in "REAMN#*":
            id_, fragments, label, quote = _parse_segment(location, row)
            span_by_id[id_] = len(spans)
            attributes.append({})
            if len(fragments) == 1:
                spans.append(RawSpan(*fragments[0], label, quote, attributes[-1], None, location))
            else:
                spans.append(RawSpan(None, None, label, quote, attributes[-1], fragments, location))
    for _, row in rows:  # an event refers to its trigger, even in lines before its definition
        if row[0] == "E":
            id_, _, arguments = row.partition("\t")
            trigger = arguments.split(" ")[0].rpartition(":")[2]
            if trigger in span_by_id:
                span_by_id[id_] = span_by_id[trigger]
    for location, row in rows:
        if row[0] == "#":
            ignored_counts[_NOTES] += 1
        elif row[0] in "AMN":
            target, name, value = _parse_attribute(location, row)
            if target in span_by_id:
                values = f"{attributes[span_by_id[target]].get(name, value)};{value}".split(";")
                attributes[span_by_id[target]][name] = ";".join(dict.fromkeys(values))
            else:
                ignored_counts[_ATTRIBUTES] += 1
    relations = list(_yield_relations(rows, span_by_id, shared))
    return RawAnnotation(annotator, spans, relations=relations)


def _yield_relations(
    rows: Sequence[tuple[str, str]], span_by_id: Mapping[str, int], shared: list[str]
) -> Iterator[RawRelation]:
    """Yield the relations of an .ann file; one that several events imply is yielded once.

    Args:
        rows: lines, each with its location.
        span_by_id: index of the segment of each text-bound annotation and event.
        shared: receives the location of each relation that an earlier event implies too.
    """
    arguments_by_relation: dict[tuple[int, int, str], set[tuple[str, str]]] = {}
    for location, row in rows:
        if row[0] not in "RE*":
            continue
        for first_id, second_id, label, directed in _parse_relations(location, row):
            first, second = span_by_id.get(first_id), span_by_id.get(second_id)
            if row[0] == "E" and first is not None and second is not None:
                argument = location, second_id
                arguments = arguments_by_relation.setdefault((first, second, label), set())
                # the same argument twice in one event is a flaw, which is reported later
                is_shared = bool(arguments) and argument not in arguments
                arguments.add(argument)
                if is_shared:
                    shared.append(location)
                    continue
            yield RawRelation(first, second, label, location, directed)


def _parse_segment(location: str, row: str) -> tuple[str, list[tuple[int, int]], str, str | None]:
    """Parse the id, fragments, label and text of a text-bound annotation."""
    match = _TEXT_BOUND.fullmatch(row)
    if match is None:
        raise invalid_value(
            f"{location}:", row, "brat writes T1, a tab, a label, start and end, a tab, text"
        )
    fragments = []
    for bounds in (bounds.split() for bounds in match[3].split(";")):
        start, end = (parse_whole_number(offset, f"{location}: offset") for offset in bounds)
        fragments.append((start, end))
    return match[1], fragments, match[2], match[4]


def _parse_relations(location: str, row: str) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the ids of two segments, the label and a flag (directed), for each relation."""
    line_type = row[0]
    _, _, content = row.partition("\t")
    label, *ends = content.split() or [""]
    if line_type == "*":
        if len(ends) < 2:
            raise invalid_value(f"{location}:", row, _ALLOWED[line_type])
        yield from ((*pair, label, False) for pair in combinations(ends, 2))
        return
    arguments = [end.partition(":")[::2] for end in ends]
    is_whole = len(arguments) == 2 if line_type == "R" else bool(label)
    if not is_whole or not all(end for _, end in arguments):
        raise invalid_value(f"{location}:", row, _ALLOWED[line_type])
    if line_type == "R":
        (_, first), (_, second) = arguments
        yield first, second, label, True
        return
    trigger = label.partition(":")[2]
    for role, end in arguments:
        yield trigger, end, role.rstrip("0123456789") or role, True


def _parse_attribute(location: str, row: str) -> tuple[str, str, str]:
    """Parse the id of the annotation that has an attribute, its name and its value."""
    line_type = "N" if row[0] == "N" else "A"
    fields = row.split("\t")
    words = fields[1].split(" ", 2) if len(fields) > 1 else []
    if len(words) < 2 or (line_type == "N" and len(words) < 3):
        raise invalid_value(f"{location}:", row, _ALLOWED[line_type])
    name, target = words[:2]
    value = words[2].strip() if len(words) > 2 else ""
    if line_type == "N":
        source, colon, entry = value.partition(":")
        return target, source if colon else name, entry if colon else value
    return target, name, value or "true"


def write_brat(corpus: Corpus, path: PathName) -> None:
    """Write a corpus as a brat project: a folder for each annotator.

    The documents of a single annotator are written to the folder itself, as an ordinary collection,
    if their ids contain no folders. If there are several annotators, each folder contains all
    texts, and an .ann file for each document that the annotator saw.

    Relations without a direction are written as equivalences, attributes with the value true
    without a value.

    Args:
        corpus: corpus with texts or tokens.
        path: path of a folder that is new or empty.

    Raises:
        SettingError: if the corpus has neither texts nor tokens; if an id is no path within a
            folder, or an annotator no name of a folder; if names differ only in case, or labels
            only in white space.
        InputError: if the folder is not empty or cannot be written, a segment consists only of line
            breaks, or a text begins with a byte order mark, which a file cannot hold.
    """
    corpus = corpus.to_characters()
    texts = corpus.known("texts", "brat")
    root = Path(path)
    name = escape_path(root)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise InputError(f"{name}: there already; a new or an empty folder is needed")
    is_one = len(corpus.annotators) == 1 and not any("/" in id_ for id_ in _list_ids(corpus))
    for names, noun in ((corpus.annotators, "annotator"), (_list_ids(corpus), "document")):
        for stem in names:
            path_parts = stem.split("/")
            is_invalid = (
                {"", ".", ".."} & {*path_parts} or "\\" in stem or "\0" in stem or stem[0] == "."
            )
            if is_invalid or (noun == "annotator" and len(path_parts) > 1 and not is_one):
                raise SettingError(
                    f"{noun} {quote_value(stem)}: brat keeps it in a file or folder of that name,"
                    " which such a name cannot be; give it another"
                )
        _check_distinct_without_case(noun, names)
    for noun, terms in _collect_terms_by_use(corpus).items():
        term_by_written: dict[str, str] = {}
        for term in sorted(terms):
            if (earlier := term_by_written.setdefault(_replace_white_space(term), term)) != term:
                raise SettingError(
                    f"{noun} {quote_value(earlier)} and {quote_value(term)}: brat holds no white"
                    " space, and both"
                    f" would be {quote_value(_replace_white_space(term))}; give one another name"
                    + (", as --map-labels does" if noun == "label" else "")
                )
    for document_index in (index for index, text in enumerate(texts) if text.startswith(BOM)):
        raise InputError(
            f"document {quote_value(corpus.id_of(document_index))}: the text begins with a byte"
            " order mark, which a file cannot hold; leave it out"
        )
    with write_folder(root) as hidden:
        for document_index, document in enumerate(corpus):
            relations_by_annotator: dict[str, list[Relation]] = {}
            for relation in document.relations:
                relations_by_annotator.setdefault(relation.annotator, []).append(relation)
            for annotator, segments in document.segments.items():
                if segments is None and is_one:
                    continue
                file = hidden / ("" if is_one else annotator) / f"{document.id}.txt"
                file.parent.mkdir(parents=True, exist_ok=True)
                write_text(file, texts[document_index])
                if segments is not None:
                    location = (
                        f"annotator {quote_value(annotator)}, document {quote_value(document.id)}"
                    )
                    lines = _format_lines(
                        segments,
                        relations_by_annotator.get(annotator, ()),
                        texts[document_index],
                        location,
                    )
                    write_text(file.with_suffix(".ann"), "".join(f"{line}\n" for line in lines))


def _check_distinct_without_case(noun: str, names: Iterable[str]) -> None:
    """Check that no two names are one file on systems that ignore case, or the form of accents.

    Raises:
        SettingError: if two names, or folders in them, differ only in that.
    """
    path_by_folded: dict[str, str] = {}
    for name in names:
        path_parts = name.split("/")
        for path in ("/".join(path_parts[:depth]) for depth in range(1, len(path_parts) + 1)):
            if (
                earlier := path_by_folded.setdefault(normalize("NFC", path).casefold(), path)
            ) != path:
                raise SettingError(
                    f"{noun} {quote_value(earlier)} and {quote_value(path)}: one file or folder on"
                    " systems that ignore case; give one another name"
                )


def _list_ids(corpus: Corpus) -> list[str]:
    """List the ids of all documents of a corpus; documents without ids are numbered."""
    return [corpus.id_of(document_index) for document_index in range(len(corpus))]


def _collect_terms_by_use(corpus: Corpus) -> dict[str, set[str]]:
    """Collect the names that are written, by their use."""
    segments = [
        segment
        for document in corpus
        for segments_of_annotator in document.seen.values()
        for segment in segments_of_annotator
    ]
    return {
        "label": {segment.label for segment in segments},
        "attribute": {name for segment in segments for name in segment.attributes},
        "label of relations": {relation.label for relation in corpus.relations},
    }


def _replace_white_space(name: str) -> str:
    """Replace white space in a name, which brat does not allow."""
    return "_".join(name.split())


def describe_brat_changes(corpus: Corpus) -> list[str]:
    """List the differences of a corpus in brat's files, one sentence each."""
    names = {name for terms in _collect_terms_by_use(corpus).values() for name in terms}
    names = {name for name in names if _replace_white_space(name) != name}
    written_note = (
        f"written with _ for white space, which brat does not hold: {join_names(sorted(names))}"
    )
    fragment_texts = [
        (document.text or "")[start:end]
        for document in corpus.to_characters()
        for segments in document.seen.values()
        for segment in segments
        for start, end in segment.pieces
    ]
    n_split = sum("\n" in text or "\r" in text for text in fragment_texts)
    split_note = f"{pluralize(n_split, 'segment')} cut at line breaks, which brat's do not hold"
    return [*([written_note] if names else ()), *([split_note] if n_split else ())]


def _format_lines(
    segments: Sequence[Segment], relations: Iterable[Relation], text: str, location: str
) -> Iterator[str]:
    """Yield the lines of an .ann file.

    Raises:
        InputError: if a segment consists only of line breaks, or two segments differ only in line
            breaks.
    """
    n_attributes = 0
    segment_by_line: dict[tuple[str, str], Segment] = {}
    for index, segment in enumerate(segments, 1):
        label = _replace_white_space(segment.label)
        # brat writes no line breaks, so segments are split at them
        fragments = [
            (start + match.start(), start + match.end())
            for start, end in segment.pieces
            for match in re.finditer(r"[^\n\r]+", text[start:end])
        ]
        if not fragments:
            raise InputError(
                f"{location}: segment {segment.start}–{segment.end} {quote_value(segment.label)} is"
                " nothing but line breaks, which brat cannot hold; leave it out"
            )
        offsets = ";".join(f"{start} {end}" for start, end in fragments)
        earlier = segment_by_line.setdefault((label, offsets), segment)
        if earlier is not segment:
            raise InputError(
                f"{location}: segments {earlier.start}–{earlier.end} and"
                f" {segment.start}–{segment.end} {quote_value(segment.label)} differ in line breaks"
                " alone, which brat cannot hold; leave one out"
            )
        yield (
            f"T{index}\t{label} {offsets}\t{' '.join(text[start:end] for start, end in fragments)}"
        )
        for name, value in segment.attributes.items():
            n_attributes += 1
            value_text = "" if value == "true" else f" {' '.join(value.split())}"
            yield f"A{n_attributes}\t{_replace_white_space(name)} T{index}{value_text}"
    names = {segment: f"T{index}" for index, segment in enumerate(segments, 1)}
    for index, relation in enumerate(relations, 1):
        label = _replace_white_space(relation.label)
        ends = names[relation.first], names[relation.second]
        if relation.directed:
            yield f"R{index}\t{label} Arg1:{ends[0]} Arg2:{ends[1]}"
        else:
            yield f"*\t{label} {' '.join(ends)}"
