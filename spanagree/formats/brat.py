"""brat's standoff files: a .txt and an .ann for each document, in a folder or one per annotator."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from pathlib import Path
from unicodedata import normalize

from spanagree.choices import Absent, Discontinuous, Ends, Repair
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import with_discontinuous
from spanagree.corpus.raw import RawCorpus, check_absent
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.segments import Relation, Segment
from spanagree.errors import (
    InputError,
    SettingError,
    invalid_value,
    join_names,
    pluralize,
    printable_path,
    quote_value,
    whole_number,
)
from spanagree.files import (
    BOM,
    PathName,
    naming_files,
    read_marked_text,
    read_text,
    whole_folder,
    write_text,
    writing,
)
from spanagree.formats.combine import renamed
from spanagree.formats.file_head import FileHead
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record, gather
from spanagree.settings import reading_settings

_ALLOWED = {
    "R": "brat writes R1, a tab, a label, Arg1:T1 Arg2:T2",
    "E": "brat writes E1, a tab, Label:T1 and Role:T2 for each argument",
    "*": "brat writes *, a tab, a label, and the annotations that are equivalent",
    "A": "brat writes A1, a tab, a name, T1, and a value if it has one",
    "N": "brat writes N1, a tab, Reference T1 NAME:ID, a tab, text",
}

_NOTES, _ATTRIBUTES = "notes", "attributes of what is no segment"
_HIDDEN = "hidden files or folders"
_SINGULAR = {
    _NOTES: "note",
    _ATTRIBUTES: "attribute of what is no segment",
    _HIDDEN: "hidden file or folder",
}
"""What is passed over, and what one of it is called."""

# some write a blank for each tab
_TEXT_BOUND = re.compile(r"(T[^\t ]*)[\t ](\S+) (\d+ \d+(?:;\d+ \d+)*)(?:[\t ](.*))?")


def knows_brat(start: FileHead) -> bool:
    """Return whether a file begins as brat's annotations do; texts have none."""
    first = next((line for line in start.lines if line.strip()), "")
    return start.path.endswith(".ann") and bool(_TEXT_BOUND.fullmatch(first.rstrip("\r\n")))


def read_brat(
    folder: PathName,
    *,
    discontinuous: Discontinuous = "keep",
    absent: Absent | None = None,
    ends: Ends | None = None,
    repair: Repair | Sequence[Repair] = (),
) -> Corpus:
    """Return the corpus in a brat folder: a collection, or one with a folder for each annotator.

    Folders are annotators if they hold documents of the same names, or if there is but one; else
    they are parts of one collection, whose annotator is called as the folder.
    Text-bound annotations (T) become segments, with offsets in characters. Relations (R) and the
    arguments of events (E), by their roles, become relations, equivalences (*) such without a
    direction; attributes (A, M) those of their segment, true where they have no value, and
    normalisations (N) one called as what they refer to. A document is a .txt file, known by its
    path below the annotator's folder; an empty .ann says that the annotator saw it and marked
    nothing, a missing one that she never saw it. What is not taken over is counted in the notes:
    notes (#), attributes of what is no segment, and what is hidden: its name begins with a dot.

    Args:
        folder: the folder, or one .ann file with its .txt beside it.
        discontinuous: what becomes of segments of several pieces, keep, hull, split, drop or error.
        absent: what an empty .ann says of its annotator, unseen or unmarked; unless given,
            unmarked, with a note.
        ends: what the end of a span names: exclusive, or inclusive (the last character). Unless
            given, what the text of the spans shows; else they are exclusive.
        repair: steps, of join-pieces, drop-repeats, latest, relocate-by-text, drop-misplaced,
            clip-beyond-text, drop-beyond-text, strip-space, widen-points, drop-empty,
            drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.

    Raises:
        InputError: for folders and files that are not there or not in the format, links that lead
            nowhere, texts that differ between annotators, and flaws that no repair was asked for.
        SettingError: for an unknown repair, or an unknown choice for ``discontinuous``.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "7.txt").write_text("Jo runs")
    ...     _ = Path(folder, "7.ann").write_text("T1\\tPER 0 2\\tJo\\n")
    ...     corpus = read_brat(folder)
    >>> [segments for segments in corpus[0].segments.values()]
    [(Segment(start=0, end=2, label='PER'),)]
    """
    raw = raw_brat(folder, absent=absent, ends=ends)
    raw = renamed(
        raw, {name: name or Path(os.path.abspath(folder)).name for name in raw.annotators}
    )
    raw = with_discontinuous(raw, discontinuous)
    return valid_corpus(raw, repair)


@naming_files()
def raw_brat(
    folder: PathName, *, absent: Absent | None = None, ends: Ends | None = None
) -> RawCorpus:
    """Return the rows of a brat folder or file, unchecked; a collection's annotator has no name."""
    check_absent(absent)
    log = ReadLog("")
    reading = {"format": "brat", **reading_settings(absent=absent, ends=ends)}
    return gather(_records(Path(folder), log, absent), log, reading, ends=ends)


def _records(root: Path, log: ReadLog, absent: str | None) -> Iterator[Record]:
    """Yield the documents of a folder or file."""
    name = printable_path(root)
    passed: Counter[str] = Counter()
    if root.is_file():
        beside, root = [root.with_suffix(suffix) for suffix in (".ann", ".txt")], root.parent
        files = [path.name for path in beside if path.exists()]
    elif root.is_dir():
        files = _files(root, passed)
    else:
        raise InputError(f"{name}: no such folder; one with .txt and .ann files is needed")
    folder = "" if root == Path() else str(root)  # with no path made of each file, which is slow
    places, notes = _places(files)
    blank, is_empty = 0, True
    for txt, ann, annotator, id_ in _pairs(places, root):
        is_empty = False
        location = os.path.join(folder, txt)
        text = read_marked_text(location)
        annotations = []
        if ann is not None:
            marked = os.path.join(folder, ann)
            rows = _rows_of(printable_path(marked), read_text(marked))
            blank += not rows
            parsed = RawAnnotation(annotator, None)
            if rows or absent != "unseen":
                parsed = _annotation(annotator, rows, passed)
            annotations = [parsed]
        content = {"text": text.removeprefix(BOM), "has_mark": text.startswith(BOM)}
        yield Record(printable_path(location), id_, content, annotations)
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
    for kind, count in sorted(passed.items()):
        notes.append(f"{count} {kind if count > 1 else _SINGULAR[kind]} passed over")
    if blank and absent is None:
        notes.append(
            f"{pluralize(blank, 'empty .ann file')} taken as seen, with nothing marked; --absent"
            " unseen takes such documents as never seen"
        )
    log.notes += [f"{name}: {note}" for note in notes]  # notes of several folders are gathered


def _pairs(
    places: Mapping[str, tuple[str, str]], root: Path
) -> Iterator[tuple[str, str | None, str, str]]:
    """Yield each text, its .ann file if there is one, the annotator and the document.

    An .ann file without a text of its own is about all annotators' text, or another's.

    Raises:
        InputError: for an .ann file of a document without a text.
    """
    texts = {id_: file for file, (_, id_) in places.items() if file.endswith(".txt")}
    for file, (annotator, id_) in places.items():
        txt, ann = f"{_stem(file)}.txt", f"{_stem(file)}.ann"
        if file == txt:
            yield txt, ann if ann in places else None, annotator, id_
        elif txt not in places:
            if id_ not in texts:
                raise InputError(
                    f"{printable_path(root / ann)}: there is no {quote_value(Path(txt).name)}"
                    " beside it; brat keeps the text there"
                )
            yield texts[id_], ann, annotator, id_


def _places(files: Sequence[str]) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Return annotator and document of each file, and notes; a collection's annotator is ``""``."""
    parts = {file: tuple(_stem(file).split("/")) for file in files}
    held: dict[str, set[tuple[str, ...]]] = {}  # by folder the documents
    marked: dict[str, set[tuple[str, ...]]] = {}  # those that somebody marked
    for file, names in parts.items():
        for some in [held, marked] if file.endswith(".ann") else [held]:
            some.setdefault(names[0] if len(names) > 1 else "", set()).add(names[1:] or names)
    shared = any(marked[first] & held[second] for first, second in permutations(marked, 2))
    are_people = "" not in marked and (len(marked) < 2 or shared)
    documents = set().union(*marked.values())
    places = {}
    for file, names in parts.items():
        if are_people and (len(names) > 1 or names in documents or not marked):
            # texts may stand above the folders of all
            places[file] = names[0], "/".join(names[1:] or names)
        elif not are_people and f"{_stem(file)}.ann" in parts:
            places[file] = "", "/".join(names)
    notes = []
    if len(places) < len(parts):
        lost = pluralize(len(parts) - len(places), "text")
        notes.append(f"{lost} without an .ann file passed over")
    if len(marked) > 1 and not are_people:
        notes.append(
            f"{join_names(sorted(filter(None, marked)))}: folders of other documents, read as"
            " parts of one annotator's"
        )
    return places, notes


def _stem(file: str) -> str:
    return file.rpartition(".")[0]


def _files(root: Path, passed: Counter[str]) -> list[str]:
    """Return the .txt and .ann files below a folder; count what is hidden as ``passed`` over."""
    files, folders = [], [""]
    while folders:
        folder = folders.pop()
        with writing(printable_path(root / folder), "read"), os.scandir(root / folder) as there:
            entries = list(there)
        for entry in entries:
            is_file = os.path.splitext(entry.name)[1] in (".txt", ".ann")
            if entry.name.startswith("."):
                passed[_HIDDEN] += is_file or entry.is_dir()
            elif entry.is_symlink() and not os.path.exists(entry.path):
                raise InputError(
                    f"{printable_path(root / folder / entry.name)}: a link that leads nowhere;"
                    " restore what it leads to, or delete it"
                )
            elif entry.is_dir():
                if not folder or not entry.is_symlink():  # of links, only annotators' are followed
                    folders.append(f"{folder}{entry.name}/")
            elif is_file:
                files.append(f"{folder}{entry.name}")
    return sorted(files, key=lambda file: file.split("/"))


def _rows_of(name: str, rows: str) -> list[tuple[str, str]]:
    """Return the lines that are not blank, each with its place."""
    lines = enumerate(rows.split("\n"), 1)
    return [(f"{name}:{n}", line.rstrip("\r")) for n, line in lines if line.strip()]


def _annotation(
    annotator: str, rows: Sequence[tuple[str, str]], passed: Counter[str]
) -> RawAnnotation:
    """Return the segments of a file, and what is said of them; count what is ``passed`` over."""
    known: dict[str, int] = {}
    spans: list[RawSpan] = []
    attributes: list[dict[str, str]] = []
    for location, row in rows:
        if row[0] not in "REAMN#*":
            name, pieces, label, quote = _segment(location, row)
            known[name] = len(spans)
            attributes.append({})
            if len(pieces) == 1:
                spans.append(RawSpan(*pieces[0], label, quote, attributes[-1], None, location))
            else:
                spans.append(RawSpan(None, None, label, quote, attributes[-1], pieces, location))
    for _, row in rows:  # an event stands for its trigger, also before it is defined
        if row[0] == "E":
            name, _, arguments = row.partition("\t")
            trigger = arguments.split(" ")[0].rpartition(":")[2]
            if trigger in known:
                known[name] = known[trigger]
    relations = []
    for location, row in rows:
        if row[0] == "#":
            passed[_NOTES] += 1
        elif row[0] in "RE*":
            for first, second, label, directed in _links(location, row):
                relations.append(
                    RawRelation(known.get(first), known.get(second), label, location, directed)
                )
        elif row[0] in "AMN":
            target, name, value = _attribute(location, row)
            if target in known:
                values = f"{attributes[known[target]].get(name, value)};{value}".split(";")
                attributes[known[target]][name] = ";".join(dict.fromkeys(values))
            else:
                passed[_ATTRIBUTES] += 1
    return RawAnnotation(annotator, spans, relations=relations)


def _segment(location: str, row: str) -> tuple[str, list[tuple[int, int]], str, str | None]:
    """Return id, pieces, label and text of a text-bound annotation."""
    match = _TEXT_BOUND.fullmatch(row)
    if match is None:
        raise invalid_value(
            f"{location}:", row, "brat writes T1, a tab, a label, start and end, a tab, text"
        )
    pieces = []
    for piece in (piece.split() for piece in match[3].split(";")):
        start, end = (whole_number(offset, f"{location}: offset") for offset in piece)
        pieces.append((start, end))
    return match[1], pieces, match[2], match[4]


def _links(location: str, row: str) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the ids of two segments, label, and whether it is directed, of each relation."""
    kind = row[0]
    _, _, rest = row.partition("\t")
    label, *ends = rest.split() or [""]
    if kind == "*":
        if len(ends) < 2:
            raise invalid_value(f"{location}:", row, _ALLOWED[kind])
        yield from ((*pair, label, False) for pair in combinations(ends, 2))
        return
    arguments = [end.partition(":")[::2] for end in ends]
    is_whole = len(arguments) == 2 if kind == "R" else bool(label)
    if not is_whole or not all(end for _, end in arguments):
        raise invalid_value(f"{location}:", row, _ALLOWED[kind])
    if kind == "R":
        (_, first), (_, second) = arguments
        yield first, second, label, True
        return
    trigger = label.partition(":")[2]
    for role, end in arguments:
        yield trigger, end, role.rstrip("0123456789") or role, True


def _attribute(location: str, row: str) -> tuple[str, str, str]:
    """Return the id of what has an attribute, its name and its value."""
    kind = "N" if row[0] == "N" else "A"
    fields = row.split("\t")
    parts = fields[1].split(" ", 2) if len(fields) > 1 else []
    if len(parts) < 2 or (kind == "N" and len(parts) < 3):
        raise invalid_value(f"{location}:", row, _ALLOWED[kind])
    name, target = parts[:2]
    value = parts[2].strip() if len(parts) > 2 else ""
    if kind == "N":
        source, sign, entry = value.partition(":")
        return target, source if sign else name, entry if sign else value
    return target, name, value or "true"


def write_brat(corpus: Corpus, path: PathName) -> None:
    """Write a corpus as a brat project: a folder for each annotator.

    One annotator's documents stand in the folder itself, as an ordinary collection, if their ids
    name no folders; in folders of several, each has all texts, and an .ann of those that the
    annotator saw.

    Relations without a direction are written as equivalences, attributes that are true without a
    value.

    Args:
        corpus: the documents, whose texts or tokens are known.
        path: the folder, which has to be new or empty.

    Raises:
        SettingError: for a corpus without texts and tokens; for ids that are no paths within a
            folder, and annotators that are no names of a folder; for names that differ in case
            alone, and labels that differ in white space alone.
        InputError: for a folder that is not empty, or cannot be written; for segments of nothing
            but line breaks, and texts that begin with a byte order mark, which it cannot hold.
    """
    corpus = corpus.to_characters()
    texts = corpus.known("texts", "brat")
    root = Path(path)
    name = printable_path(root)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise InputError(f"{name}: there already; a new or an empty folder is needed")
    is_one = len(corpus.annotators) == 1 and not any("/" in id_ for id_ in _ids(corpus))
    for names, what in ((corpus.annotators, "annotator"), (_ids(corpus), "document")):
        for stem in names:
            parts = stem.split("/")
            is_odd = {"", ".", ".."} & {*parts} or "\\" in stem or "\0" in stem or stem[0] == "."
            if is_odd or (what == "annotator" and len(parts) > 1 and not is_one):
                raise SettingError(
                    f"{what} {quote_value(stem)}: brat keeps it in a file or folder of that name,"
                    " which such a name cannot be; give it another"
                )
        _check_case(what, names)
    for what, written in _names_in(corpus).items():
        known: dict[str, str] = {}
        for term in sorted(written):
            if (other := known.setdefault(_without_space(term), term)) != term:
                raise SettingError(
                    f"{what} {quote_value(other)} and {quote_value(term)}: brat holds no white"
                    " space, and both"
                    f" would be {quote_value(_without_space(term))}; give one another name"
                    + (", as --map-labels does" if what == "label" else "")
                )
    for number in (n for n, text in enumerate(texts) if text.startswith(BOM)):
        raise InputError(
            f"document {quote_value(corpus.id_of(number))}: the text begins with a byte order"
            " mark, which a file cannot hold; leave it out"
        )
    with whole_folder(root) as hidden:
        for number, document in enumerate(corpus):
            links: dict[str, list[Relation]] = {}
            for relation in document.relations:
                links.setdefault(relation.annotator, []).append(relation)
            for annotator, segments in document.segments.items():
                if segments is None and is_one:
                    continue
                file = hidden / ("" if is_one else annotator) / f"{document.id}.txt"
                file.parent.mkdir(parents=True, exist_ok=True)
                write_text(file, texts[number])
                if segments is not None:
                    location = (
                        f"annotator {quote_value(annotator)}, document {quote_value(document.id)}"
                    )
                    lines = _lines(segments, links.get(annotator, ()), texts[number], location)
                    write_text(file.with_suffix(".ann"), "".join(f"{line}\n" for line in lines))


def _check_case(what: str, names: Iterable[str]) -> None:
    """Raise if two names are one file on systems that ignore case, or the form of accents.

    Raises:
        SettingError: for two names, or folders in them, that differ in that alone.
    """
    known: dict[str, str] = {}
    for name in names:
        parts = name.split("/")
        for path in ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1)):
            if (other := known.setdefault(normalize("NFC", path).casefold(), path)) != path:
                raise SettingError(
                    f"{what} {quote_value(other)} and {quote_value(path)}: one file or folder on"
                    " systems that ignore case; give one another name"
                )


def _ids(corpus: Corpus) -> list[str]:
    return [corpus.id_of(number) for number in range(len(corpus))]


def _names_in(corpus: Corpus) -> dict[str, set[str]]:
    """Return the names that are written, by what they are of."""
    segments = [s for document in corpus for marked in document.seen.values() for s in marked]
    return {
        "label": {segment.label for segment in segments},
        "attribute": {name for segment in segments for name in segment.attributes},
        "label of relations": {relation.label for relation in corpus.relations},
    }


def _without_space(name: str) -> str:
    """Return a name as brat can hold it."""
    return "_".join(name.split())


def changed_in_brat(corpus: Corpus) -> list[str]:
    """Return what brat's files have otherwise than a corpus, a sentence each."""
    names = {name for of_kind in _names_in(corpus).values() for name in of_kind}
    names = {name for name in names if _without_space(name) != name}
    written = (
        f"written with _ for white space, which brat does not hold: {join_names(sorted(names))}"
    )
    marked = [
        (document.text or "")[start:end]
        for document in corpus.to_characters()
        for segments in document.seen.values()
        for segment in segments
        for start, end in segment.pieces
    ]
    cut = sum("\n" in text or "\r" in text for text in marked)
    pieces = f"{pluralize(cut, 'segment')} cut at line breaks, which brat's do not hold"
    return [*([written] if names else ()), *([pieces] if cut else ())]


def _lines(
    segments: Sequence[Segment], relations: Iterable[Relation], text: str, location: str
) -> Iterator[str]:
    """Yield the lines of an annotation.

    Raises:
        InputError: for a segment of line breaks alone, and for two that differ in them alone.
    """
    attributes = 0
    written: dict[tuple[str, str], Segment] = {}
    for number, segment in enumerate(segments, 1):
        label = _without_space(segment.label)
        # brat writes no line breaks: a segment is cut there
        pieces = [
            (start + match.start(), start + match.end())
            for start, end in segment.pieces
            for match in re.finditer(r"[^\n\r]+", text[start:end])
        ]
        if not pieces:
            raise InputError(
                f"{location}: segment {segment.start}–{segment.end} {quote_value(segment.label)} is"
                " nothing but line breaks, which brat cannot hold; leave it out"
            )
        at = ";".join(f"{start} {end}" for start, end in pieces)
        alike = written.setdefault((label, at), segment)
        if alike is not segment:
            raise InputError(
                f"{location}: segments {alike.start}–{alike.end} and {segment.start}–{segment.end}"
                f" {quote_value(segment.label)} differ in line breaks alone, which brat cannot"
                " hold; leave one out"
            )
        yield f"T{number}\t{label} {at}\t{' '.join(text[start:end] for start, end in pieces)}"
        for name, value in segment.attributes.items():
            attributes += 1
            more = "" if value == "true" else f" {' '.join(value.split())}"
            yield f"A{attributes}\t{_without_space(name)} T{number}{more}"
    names = {segment: f"T{number}" for number, segment in enumerate(segments, 1)}
    for number, relation in enumerate(relations, 1):
        label = _without_space(relation.label)
        ends = names[relation.first], names[relation.second]
        if relation.directed:
            yield f"R{number}\t{label} Arg1:{ends[0]} Arg2:{ends[1]}"
        else:
            yield f"*\t{label} {' '.join(ends)}"
