"""One writer for every format, and what a format does not hold of a corpus."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.errors import (
    SettingError,
    check_choice,
    escape_name,
    join_names,
    pluralize,
    printable_path,
    quote_value,
)
from spanagree.files import PathName
from spanagree.formats.registry import (
    FORMATS,
    TASK_FORMATS,
    WRITABLE,
    Options,
    format_called,
    registered,
)

_HOLD_PIECES = ("jsonl", "brat")
_BINARY = {"spacy": ".spacy", "dataset": ".parquet"}
_OF_CHARACTERS = ("brat", "inception", "label-studio", "prodigy", "doccano")


def form_to_write(path: PathName, form: str | None) -> str:
    """Return the format that a file is written in: the one that is named, or by its extension.

    Raises:
        SettingError: for a format that is not written, an extension that none has, or a binary
            format and an extension that another has.
    """
    suffix = Path(path).suffix.lower()
    known = {end: name for name in WRITABLE for end in FORMATS[name].extensions}
    if form is None and suffix not in known:
        written = ", ".join(name for name in WRITABLE)
        raise SettingError(
            f"{printable_path(path)}: no format is written to files ending in"
            f" {quote_value(suffix)}; name one with --to ({written}), or a file such as .jsonl or"
            " .conll"
        )
    if form is None:
        return known[suffix]
    if form not in WRITABLE:
        others = (name for name, other in registered().items() if other.write)
        check_choice(form, (*WRITABLE, *others), "format to write")
    if form in _BINARY and suffix in known.keys() - {*format_called(form).extensions}:
        raise SettingError(
            f"{printable_path(path)}: {form} files are binary, and other files end in"
            f" {suffix}; name one that ends in {_BINARY[form]}"
        )
    return form


def left_behind(corpus: Corpus, form: str) -> list[str]:
    """Return what of a corpus a format does not hold, a sentence each."""
    seen = np.array([layer.annotated for layer in corpus.layers.values()])
    holds_seen = ("prodigy", "doccano", *(("brat",) if len(seen) == 1 else ()))
    unseen = int((~seen.any(axis=0)).sum()) if form in holds_seen else 0
    idle = [name for name, saw in zip(corpus.annotators, seen, strict=True) if not saw.any()]
    gone = [f"{pluralize(unseen, 'document')} that nobody saw"] if unseen else []
    if idle and form in ("prodigy", "label-studio", "brat"):
        gone.append(f"annotators who saw none: {join_names(idle)}")
    notes = _details_left(corpus, form)
    if gone:
        notes.insert(0, f"left out, as {form} files hold annotations alone: {'; '.join(gone)}")
    if corpus.offsets == "tokens" and form in _OF_CHARACTERS:
        notes.append(
            f"segments of tokens are written in characters, as {form} counts; read again, they"
            " are in tokens with convert --tokenizer"
        )
    if corpus.offsets == "characters" and form == "spacy":
        notes.append(
            "segments of characters are written in spaCy's tokens; read again, they are in tokens"
        )
    elif form == "spacy" and corpus.texts is None:
        notes.append(
            "no texts are known: Docs are written with a space between tokens; read again, they"
            " have that text"
        )
    changes = format_called(form).changes
    return [*notes, *(changes(corpus) if changes else ())]


def named_anew(corpus: Corpus, form: str, path: PathName) -> list[str]:
    """Return a note on the name of the only annotator, if a file of the format has none."""
    is_page = form == "inception" and Path(path).suffix.lower() != ".zip"
    nameless = form in ("doccano", "spacy", "brat") or is_page
    is_named = Path(corpus.annotators[0]).stem == Path(path).stem
    if len(corpus.layers) > 1 or not nameless or is_named:
        return []
    name = escape_name(corpus.annotators[0])
    return [
        f"a file of {form} does not name its annotator{' or document' if is_page else ''}: read"
        f" again, {name} is called as the file, unless it is named, as in"
        f" {shlex.quote(f'{name}={os.fspath(path)}')}"
    ]


def _details_left(corpus: Corpus, form: str) -> list[str]:
    if form == "jsonl":
        return []
    if form == "brat":
        return _lost_quotes(corpus)
    details = [layer.details for layer in corpus.layers.values() if layer.details is not None]
    relations = sum(len(detail.links) for detail in details)
    columns = [column for detail in details for column in detail.attributes.items()]
    attributes = sorted({name for name, numbers in columns if (numbers >= 0).any()})
    lost = ["texts beside the tokens"] if form == "conll" and corpus.texts is not None else []
    lost += [pluralize(relations, "relation")] if relations else []
    lost += [f"attributes {join_names(attributes)}"] if attributes else []
    lost_details = f"left out, as {form} files do not hold them: {', '.join(lost)}"
    return [*([lost_details] if lost else []), *_lost_quotes(corpus)]


def _lost_quotes(corpus: Corpus) -> list[str]:
    """Note the quotes that are not in the text, which only our own format holds."""
    n_quotes = sum(map(len, corpus.unplaced.values()))
    if not n_quotes:
        return []
    return [
        f"left out: {pluralize(n_quotes, 'quote')} not in the text, which count as wrong; .jsonl"
        " files hold them"
    ]


def write_file(
    corpus: Corpus, path: PathName, form: str | None = None, options: Options | None = None
) -> None:
    """Write a corpus in a format, by default that of the file's extension.

    Raises:
        SettingError: for a format that is not written, or cannot hold the corpus.
        InputError: for a path that cannot be written.
    """
    form = form_to_write(path, form)
    if corpus.of_strings and form != "jsonl":
        raise SettingError(
            f"format {form}: strings without a text have no places; .jsonl files hold them"
        )
    if form not in _HOLD_PIECES:
        check_contiguous(corpus, f"format {form}")
    write = format_called(form).write
    assert write is not None  # just checked
    write(corpus, path, **{k: v for k, v in (options or {}).items() if v is not None})


# --- tasks for annotators -----------------------------------------------------------------------


def task_format(path: PathName) -> str | None:
    """Find the format of tasks that a file has by its ending; ``None`` for a table in .csv.

    Raises:
        SettingError: if no tasks are written to files with this ending.

    >>> task_format("work.json"), task_format("work.csv")
    ('label-studio', None)
    """
    ending = Path(path).suffix.lower()
    if ending != ".csv" and ending not in TASK_FORMATS:
        allowed = ", ".join(f"{end} ({name})" for end, name in TASK_FORMATS.items())
        raise SettingError(
            f"{printable_path(path)}: no worklist is written to files ending in"
            f" {quote_value(ending)}; name one that ends in .csv (a table), {allowed}"
        )
    return TASK_FORMATS.get(ending)


def write_tasks(
    corpus: Corpus, document: Ints, assignees: Sequence[str], path: PathName, form: str
) -> None:
    """Write documents as tasks for annotators.

    Args:
        corpus: documents, with known texts or tokens.
        document: number of the document of each task.
        assignees: name of the annotator of each task.
        path: name of the file.
        form: format, one of :data:`spanagree.formats.registry.TASK_FORMATS`.

    Raises:
        SettingError: if texts and tokens are not known.
        InputError: if the path cannot be written.
    """
    write = FORMATS[form].write_tasks
    assert write is not None  # as the format is one of tasks
    write(corpus, document, assignees, path)
