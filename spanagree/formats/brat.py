"""brat's standoff files: a folder for each annotator, a .txt and an .ann for each document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from spanagree.choices import Discontinuous, Empty, Repair
from spanagree.corpus.collector import Collector
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus, check_empty
from spanagree.corpus.repairs import valid_corpus
from spanagree.errors import (
    InputError,
    check_choice,
    counted,
    printable,
    show,
    unfit,
    whole_number,
)
from spanagree.files import PathName, naming_files, read_text, writing
from spanagree.settings import as_read

DISCONTINUOUS = {
    "error": "a discontinuous annotation is an error",
    "drop": "discontinuous annotations are left out, and counted",
}
"""What becomes of annotations of several pieces."""


_PIECES = "discontinuous annotations"
_KINDS = {
    "R": "relations", "E": "events", "A": "attributes", "M": "attributes", "N": "normalisations",
    "#": "notes", "*": "equivalences",
}  # fmt: skip


_TEXT_BOUND = re.compile(r"(T[^\t]*)\t(\S+) ([\d ;]+?)(?:\t(.*))?")


def read_brat(
    folder: PathName,
    *,
    discontinuous: Discontinuous = "error",
    empty: Empty | None = None,
    repair: Repair | Sequence[Repair] = (),
) -> Corpus:
    """Return the corpus in a brat project: one folder for each annotator.

    Text-bound annotations (T) become segments, with offsets in characters. A document is a .txt
    file, known by its path below the annotator's folder; an empty .ann says that the annotator saw
    it and marked nothing, a missing one that she never saw it. Other kinds of annotation are
    counted in the notes, and so is what is hidden: its name begins with a dot.

    Args:
        folder: the project.
        discontinuous: what becomes of annotations of several pieces, error or drop.
        empty: what an empty .ann says of its annotator, seen or unseen; unless given, seen, with a
            note.
        repair: steps, of drop-repeats, latest, clip-beyond-text, drop-beyond-text, strip-space,
            drop-empty, drop-unlabelled, drop-duplicates, merge-overlaps.

    Raises:
        InputError: for folders and files that are not there or not in the format, links that lead
            nowhere, texts that differ between annotators, and flaws that no repair was asked for.
        SettingError: for an unknown repair, or an unknown choice for ``discontinuous``.
    """
    return valid_corpus(raw_brat(folder, discontinuous=discontinuous, empty=empty), repair)


@naming_files()
def raw_brat(
    folder: PathName,
    *,
    discontinuous: Discontinuous = "error",
    empty: Empty | None = None,
    is_taken: Callable[[str], bool] = lambda label: True,
) -> RawCorpus:
    """Return the rows of a brat project, unchecked.

    Discontinuous annotations of labels that are not taken are never an error.
    """
    check_choice(discontinuous, DISCONTINUOUS, "discontinuous")
    check_empty(empty)
    root = Path(folder)
    if not root.is_dir():
        what = "is a file" if root.exists() else "no such folder"
        name = printable(str(root))
        raise InputError(f"{name}: {what}; a folder with a folder for each annotator is needed")
    refuse = is_taken if discontinuous == "error" else lambda label: False
    collector = Collector("characters")
    passed: Counter[str] = Counter()
    blank = 0
    files = dict.fromkeys(_files(root, passed))
    for path in files:
        txt, ann = path.with_suffix(".txt"), path.with_suffix(".ann")
        if txt not in files:
            raise InputError(
                f"{printable(str(ann))}: there is no {show(txt.name)} beside it; brat keeps the"
                " text there"
            )
        if path == ann:
            continue
        annotator, *parts = txt.with_suffix("").relative_to(root).parts
        where, text = printable(str(txt)), read_text(txt)
        document = collector.document("/".join(parts), where, text=text, again=True)
        if ann not in files:
            continue
        rows = read_text(ann)
        if not rows.strip():
            blank += 1
            if empty == "unseen":
                collector.annotator(annotator, where)
                continue
        annotation = collector.annotation(document, annotator, where)
        for row in _segments(printable(str(ann)), rows, text, refuse, passed):
            collector.segment(annotation, *row)
    _refuse_empty(printable(str(root)), collector, files)
    notes = [f"{count} {kind} passed over" for kind, count in sorted(passed.items())]
    if blank and empty is None:
        notes.append(
            f"{counted(blank, 'empty .ann file')} taken as seen, with nothing marked; --empty"
            " unseen takes such documents as never seen"
        )
    how = {"format": "brat", **as_read(empty=empty)}
    dropped = passed[_PIECES] and discontinuous == "drop"
    how |= {"discontinuous": discontinuous} if dropped else {}
    return collector.raw(how, notes)


def _refuse_empty(name: str, collector: Collector, files: Iterable[Path]) -> None:
    """Refuse a folder without texts, or without annotations."""
    if not collector.ids:
        raise InputError(
            f"{name}: no .txt in the folders below it; each annotator has a folder"
            " with .txt and .ann files, and what is read is the folder that holds these"
        )
    if not any(path.suffix == ".ann" for path in files):
        raise InputError(
            f"{name}: .txt files, and no .ann beside one; brat keeps annotations"
            " there, and an empty one says that nothing was marked"
        )


def _files(root: Path, passed: Counter[str]) -> list[Path]:
    """Return the .txt and .ann files of all annotators; count what is hidden as ``passed`` over."""
    files, folders = [], [root]
    while folders:
        folder = folders.pop()
        with writing(printable(str(folder)), "read"):
            paths = list(folder.iterdir())
        for path in paths:
            is_file = path.suffix in (".txt", ".ann")
            if path.name.startswith("."):
                passed["hidden files or folders"] += is_file or path.is_dir()
            elif not path.exists():
                raise InputError(
                    f"{printable(str(path))}: a link that leads nowhere; restore what it leads to,"
                    " or delete it"
                )
            elif path.is_dir():  # of links, only those to the folder of an annotator are followed
                folders += [path] if folder == root or not path.is_symlink() else []
            elif is_file and folder != root:
                files.append(path)
    return sorted(files)


def _segments(
    name: str,
    rows: str,
    text: str,
    refuse: Callable[[str], bool],
    passed: Counter[str],
) -> Iterator[tuple[int, int, str, str]]:
    """Yield start, end, label and place of each segment; count what is ``passed`` over.

    ``refuse`` says of a label whether discontinuous annotations of it are an error.
    """
    for number, line in enumerate(rows.split("\n"), 1):
        row = line.rstrip("\r")
        if not row.strip():
            continue
        where = f"{name}:{number}"
        if row[0] in _KINDS:
            passed[_KINDS[row[0]]] += 1
            continue
        match = _TEXT_BOUND.fullmatch(row)
        pieces = [piece.split() for piece in match[3].split(";")] if match else []
        if match is None or any(len(piece) != 2 for piece in pieces):
            allowed = "brat writes T1, a tab, a label, start and end, a tab, text"
            raise unfit(f"{where}:", row, allowed)
        if len(pieces) > 1:
            if refuse(match[2]):
                raise InputError(
                    f"{where}: {show(match[1])} is discontinuous ({show(match[3])}); a segment is"
                    " one piece; discontinuous=drop leaves such annotations out"
                )
            passed[_PIECES] += 1
            continue
        start, end = (whole_number(offset, f"{where}: offset") for offset in pieces[0])
        covered = match[4]
        if covered is not None and end <= len(text) and _flat(text[start:end]) != _flat(covered):
            raise InputError(
                f"{where}: {show(match[1])} says {show(covered)}, but characters {start} to {end}"
                f" of the text are {show(text[start:end])}; offsets and text have to agree"
            )
        yield start, end, match[2], where


def _flat(text: str) -> str:
    """Return a text as brat writes it: line breaks are spaces, and ends may be cut."""
    return " ".join(text.split())
