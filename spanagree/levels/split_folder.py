"""The parts of a split as files: a corpus each, and what made them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from spanagree.choices import SplitForm
from spanagree.errors import InputError, check_choice, printable_path, show
from spanagree.extras import optional
from spanagree.files import PathName, hidden_name, writing
from spanagree.formats.conll.write import write_conll
from spanagree.formats.hugging_face.load import quieten
from spanagree.formats.hugging_face.write import to_dataset
from spanagree.formats.jsonl import write_jsonl
from spanagree.formats.spacy import write_docbin
from spanagree.levels.split import Part, Split
from spanagree.results.data import plain

SETTINGS = "split.json"
"""The file that holds settings, borders, and the number of documents of each part."""


def _filled(split: Split) -> list[tuple[str, Part]]:
    """Return the parts that have documents, with the names of their levels."""
    return [(part.level.name, part) for part in split.all if len(part.corpus)]


def _write_conll(split: Split, folder: Path) -> None:
    for level, part in _filled(split):
        write_conll(part.corpus, folder / f"{level}.conll")


def _write_jsonl(split: Split, folder: Path) -> None:
    for level, part in _filled(split):
        difficulty = plain(part.difficulty.tolist())
        write_jsonl(part.corpus, folder / f"{level}.jsonl", fields={"difficulty": difficulty})


def _write_docbin(split: Split, folder: Path) -> None:
    for level, part in _filled(split):
        for name in part.corpus.annotators:
            write_docbin(part.corpus, name, folder / f"{level}.{quote(name, safe='')}.spacy")


def _write_dataset(split: Split, folder: Path) -> None:
    datasets = optional("datasets", "datasets", "writing datasets")
    quieten(datasets)
    parts = {
        level: to_dataset(part.corpus).add_column("difficulty", part.difficulty)
        for level, part in _filled(split)
    }
    datasets.DatasetDict(parts).save_to_disk(os.fspath(folder / "dataset"))


WRITERS: Mapping[str, Callable[[Split, Path], None]] = {
    "jsonl": _write_jsonl,
    "conll": _write_conll,
    "spacy": _write_docbin,
    "dataset": _write_dataset,
}
"""How parts are written, by name: JSONL and datasets get a field ``difficulty``."""


def write_split(
    split: Split, folder: PathName, form: SplitForm = "jsonl", *, force: bool = False
) -> None:
    """Write the parts of a split into a folder, whole or not at all.

    Each part is a complete corpus with every annotator: ``level-1`` is the easiest, ``undefined``
    has the documents without a difficulty; a part without documents has no file. ``split.json``
    holds settings, borders and numbers of documents.

    Args:
        split: the parts.
        folder: made if it is not there; what is in it stays as it is.
        form: jsonl, conll, spacy or dataset.
        force: write into a folder that is not empty, in which nothing has the name of a part.

    Raises:
        SettingError: for an unknown format, or one that cannot hold the corpus.
        InputError: for a folder that is not empty, cannot be written, or has something in the
            place of a part.

    >>> import spanagree as sa
    >>> from tempfile import TemporaryDirectory
    >>> corpus = sa.Corpus.from_segments([2, 20], {"gold": [[(0, 1, "X")], [(0, 1, "X")]]})
    >>> parts = sa.split(corpus, sa.difficulty(corpus, "gold"), levels=2)
    >>> with TemporaryDirectory() as folder:
    ...     write_split(parts, folder)
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['level-1.jsonl', 'level-2.jsonl', 'split.json']
    """
    check_choice(form, WRITERS, "format to write")
    target = check_folder(folder, force=force)
    name = printable_path(folder)
    there = target.is_dir()
    # beside a folder that is made at once; inside one that is there, which may be a mount point
    made = (target if there else target.parent) / hidden_name("split")
    try:
        with writing(name):
            made.mkdir()
            WRITERS[form](split, made)
            _write_settings(split, made)
            if there:
                _place(target, made)
            else:
                made.rename(target)
    except InputError as error:  # it names the folder that is being made
        raise InputError(str(error).replace(str(made), name)) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _write_settings(split: Split, made: Path) -> None:
    """Write what made the parts, and their files."""
    settings = {**split.to_dict(), "files": sorted(path.name for path in made.iterdir())}
    text = json.dumps(settings, indent=2, allow_nan=False)
    (made / SETTINGS).write_text(f"{text}\n", encoding="utf-8")


def _place(target: Path, made: Path) -> None:
    """Put the parts into a folder in which nothing has their names.

    Raises:
        InputError: naming what has one of them; then nothing is put there.
    """
    names = [path.name for path in made.iterdir()]
    for name in names:
        if os.path.lexists(target / name):
            raise InputError(
                f"{printable_path(target / name)}: is there already, and nothing is replaced; move"
                " it, or write elsewhere"
            )
    for name in names:
        (made / name).rename(target / name)


def check_folder(folder: PathName, *, force: bool) -> Path:
    """Refuse, before any work, a folder that parts cannot be written into.

    Raises:
        InputError: if it is a file, is not empty (unless ``force``), or cannot be written.
    """
    try:
        name = printable_path(folder) or "''"
    except TypeError:
        raise InputError(f"{show(folder)}; the name of a folder is needed") from None
    with writing(name):
        target = Path(os.path.realpath(folder))
        if not os.fspath(folder) or (target.exists() and not target.is_dir()):
            raise InputError(f"{name}: is not a folder; name one to write parts into")
        if target.is_dir() and any(target.iterdir()) and not force:
            raise InputError(
                f"{name}: the folder is not empty; --force (force=True) writes into it all the same"
            )
        if not target.parent.is_dir():
            raise InputError(f"{name}: there is no folder {show(str(target.parent))} for it")
        if not os.access(target if target.is_dir() else target.parent, os.W_OK):
            raise InputError(f"{name}: cannot be written: permission denied")
    return target
