"""The parts of a split as files: a corpus each, and what made them."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from spanagree.errors import InputError, check_choice, printable
from spanagree.formats.conll import write_conll
from spanagree.formats.extras import optional
from spanagree.formats.files import PathName
from spanagree.formats.hf_datasets import to_dataset
from spanagree.formats.jsonl import write_jsonl
from spanagree.formats.spacy_docs import write_docbin
from spanagree.levels import Part, Split
from spanagree.tally import plain

SETTINGS = "split.json"
"""The file that holds settings, borders and the number of documents of each part."""


def _field(part: Part) -> list[float | None]:
    field: list[float | None] = plain(part.difficulty.tolist())
    return field


def _write_conll(split: Split, folder: Path) -> None:
    for part in split.all:
        if len(part.corpus):
            write_conll(part.corpus, folder / f"{part.level.name}.conll")


def _write_jsonl(split: Split, folder: Path) -> None:
    for part in split.all:
        if len(part.corpus):
            path = folder / f"{part.level.name}.jsonl"
            write_jsonl(part.corpus, path, fields={"difficulty": _field(part)})


def _write_docbin(split: Split, folder: Path) -> None:
    for part in split.all:
        for name in part.corpus.annotators if len(part.corpus) else ():
            path = folder / f"{part.level.name}.{quote(name, safe='')}.spacy"
            write_docbin(part.corpus, name, path)


def _write_dataset(split: Split, folder: Path) -> None:
    datasets = optional("datasets", "datasets", "writing datasets")
    parts = {
        part.level.name: to_dataset(part.corpus).add_column("difficulty", _field(part))
        for part in split.all
        if len(part.corpus)
    }
    datasets.DatasetDict(parts).save_to_disk(os.fspath(folder / "dataset"))


WRITERS: Mapping[str, Callable[[Split, Path], None]] = {
    "jsonl": _write_jsonl,
    "conll": _write_conll,
    "docbin": _write_docbin,
    "dataset": _write_dataset,
}
"""How parts are written, by name: JSONL and datasets get a field ``difficulty``."""


def write_split(
    split: Split, folder: PathName, form: str = "jsonl", *, force: bool = False
) -> None:
    """Writes the parts of a split into a folder, whole or not at all.

    Each part is a complete corpus with every annotator: ``level-1`` is the easiest, ``undefined``
    has the documents without a difficulty; a part without documents has no file. ``split.json``
    holds settings, borders and numbers of documents.

    Args:
        split: the parts.
        folder: made if it is not there; its own files stay, those of the same name are replaced.
        form: one of :data:`WRITERS`.
        force: write into a folder that is not empty.

    Raises:
        SettingError: for an unknown format, or one that cannot hold the corpus.
        InputError: for a folder that is not empty, or cannot be written.
    """
    check_choice(form, WRITERS, "format to write")
    target = check_folder(folder, force=force)
    name = printable(os.fspath(folder))
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".split-") as made:
            part = Path(made)
            WRITERS[form](split, part)
            text = json.dumps(split.to_dict(), indent=2, allow_nan=False)
            (part / SETTINGS).write_text(f"{text}\n", encoding="utf-8")
            target.mkdir(exist_ok=True)
            for path in sorted(part.iterdir()):
                if (there := target / path.name).is_dir():
                    shutil.rmtree(there)
                path.replace(there)
    except OSError as error:
        raise InputError(f"{name}: cannot be written: {error.strerror or error}") from None


def check_folder(folder: PathName, *, force: bool) -> Path:
    """Refuses, before any work, a folder that parts cannot be written into.

    Raises:
        InputError: if it is a file, is not empty (unless ``force``), or cannot be written.
    """
    name = printable(os.fspath(folder)) or "''"
    target = Path(os.path.realpath(folder)) if os.fspath(folder) else Path()
    if not os.fspath(folder) or (target.exists() and not target.is_dir()):
        raise InputError(f"{name}: is no folder; parts are written into one")
    if target.is_dir() and any(target.iterdir()) and not force:
        raise InputError(
            f"{name}: the folder is not empty; --force (force=True) writes into it all the same"
        )
    if not target.parent.is_dir():
        raise InputError(f"{name}: there is no folder {printable(str(target.parent))!r} for it")
    if not os.access(target if target.is_dir() else target.parent, os.W_OK):
        raise InputError(f"{name}: cannot be written: permission denied")
    return target
