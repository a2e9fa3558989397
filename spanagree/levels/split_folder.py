"""The parts of a split as files: a corpus for each level, and the settings.

A part has the documents of one level of difficulty; one more part has documents without a
difficulty.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from spanagree.choices import SplitForm
from spanagree.errors import InputError, check_choice, escape_path, quote_value
from spanagree.extras import import_optional
from spanagree.files import PathName, draw_hidden_name, name_output_in_errors
from spanagree.formats.conll.write import write_conll
from spanagree.formats.hugging_face.load import mute_datasets
from spanagree.formats.hugging_face.write import to_dataset
from spanagree.formats.jsonl import write_jsonl
from spanagree.formats.spacy import write_docbin
from spanagree.levels.split import Part, Split
from spanagree.results.data import to_plain_data

SETTINGS = "split.json"
"""Name of the file with settings, borders, and the number of documents of each part."""


def _list_nonempty_parts(split: Split) -> list[tuple[str, Part]]:
    """Return the parts with documents, each with the name of its level."""
    return [(part.level.name, part) for part in split.all if len(part.corpus)]


def _write_conll(split: Split, folder: Path) -> None:
    for level, part in _list_nonempty_parts(split):
        write_conll(part.corpus, folder / f"{level}.conll")


def _write_jsonl(split: Split, folder: Path) -> None:
    """Write each part as JSONL, with the difficulty of documents as a field."""
    for level, part in _list_nonempty_parts(split):
        difficulty = to_plain_data(part.difficulty.tolist())
        write_jsonl(part.corpus, folder / f"{level}.jsonl", fields={"difficulty": difficulty})


def _write_docbin(split: Split, folder: Path) -> None:
    """Write each annotator's annotations of each part as a DocBin of spaCy."""
    for level, part in _list_nonempty_parts(split):
        for name in part.corpus.annotators:
            write_docbin(part.corpus, name, folder / f"{level}.{quote(name, safe='')}.spacy")


def _write_dataset(split: Split, folder: Path) -> None:
    """Write a data set of Hugging Face, in which each part of the corpus is a split."""
    datasets = import_optional("datasets", "datasets", "writing datasets")
    mute_datasets(datasets)
    dataset_by_level = {
        level: to_dataset(part.corpus).add_column("difficulty", part.difficulty)
        for level, part in _list_nonempty_parts(split)
    }
    datasets.DatasetDict(dataset_by_level).save_to_disk(os.fspath(folder / "dataset"))


WRITERS: Mapping[str, Callable[[Split, Path], None]] = {
    "jsonl": _write_jsonl,
    "conll": _write_conll,
    "spacy": _write_docbin,
    "dataset": _write_dataset,
}
"""Functions that write the parts, by format; JSONL and datasets get a field ``difficulty``."""


def write_split(
    split: Split, folder: PathName, form: SplitForm = "jsonl", *, force: bool = False
) -> None:
    """Write all parts of a split into a folder; if one fails, none is written.

    Each part is a complete corpus with every annotator: ``level-1`` is the easiest, ``undefined``
    has the documents without a difficulty; a part without documents has no file. ``split.json``
    has the settings, borders and numbers of documents.

    Args:
        split: parts to write.
        folder: path of the folder; it is created if missing, and its files stay unchanged.
        form: format, one of jsonl, conll, spacy and dataset.
        force: True to write into a folder that is not empty, if no file has the name of a part.

    Raises:
        SettingError: if the format is unknown, or cannot represent the corpus.
        InputError: if the folder is not empty, cannot be written, or has a file with the name of a
            part.

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
    name = escape_path(folder)
    folder_exists = target.is_dir()
    # a missing folder is created next to its name and renamed; an existing one may be a mount point
    new_folder = (target if folder_exists else target.parent) / draw_hidden_name("split")
    try:
        with name_output_in_errors(name):
            new_folder.mkdir()
            WRITERS[form](split, new_folder)
            _write_settings(split, new_folder)
            if folder_exists:
                _move_parts(target, new_folder)
            else:
                new_folder.rename(target)
    except InputError as error:  # the message names the temporary folder
        raise InputError(str(error).replace(str(new_folder), name)) from None
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)


def _write_settings(split: Split, new_folder: Path) -> None:
    """Write a JSON file with settings and borders of the split, and the names of other files."""
    settings = {**split.to_dict(), "files": sorted(path.name for path in new_folder.iterdir())}
    text = json.dumps(settings, indent=2, allow_nan=False)
    (new_folder / SETTINGS).write_text(f"{text}\n", encoding="utf-8")


def _move_parts(target: Path, new_folder: Path) -> None:
    """Move the files of a new folder into an existing folder.

    Raises:
        InputError: if a file has the name of a part; then no part is moved.
    """
    names = [path.name for path in new_folder.iterdir()]
    for name in names:
        if os.path.lexists(target / name):
            raise InputError(
                f"{escape_path(target / name)}: is there already, and nothing is replaced; move"
                " it, or write elsewhere"
            )
    for name in names:
        (new_folder / name).rename(target / name)


def check_folder(folder: PathName, *, force: bool) -> Path:
    """Check that parts can be written into a folder, before any work.

    Raises:
        InputError: if the folder is a file, is not empty (without ``force``), or cannot be written.
    """
    try:
        name = escape_path(folder) or "''"
    except TypeError:
        raise InputError(f"{quote_value(folder)}; the name of a folder is needed") from None
    with name_output_in_errors(name):
        target = Path(os.path.realpath(folder))
        if not os.fspath(folder) or (target.exists() and not target.is_dir()):
            raise InputError(f"{name}: is not a folder; name one to write parts into")
        if target.is_dir() and any(target.iterdir()) and not force:
            raise InputError(
                f"{name}: the folder is not empty; --force (force=True) writes into it all the same"
            )
        if not target.parent.is_dir():
            raise InputError(f"{name}: there is no folder {quote_value(str(target.parent))} for it")
        if not os.access(target if target.is_dir() else target.parent, os.W_OK):
            raise InputError(f"{name}: cannot be written: permission denied")
    return target
