"""Single writer for all formats, and notes on content that a format cannot contain."""

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
    escape_path,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import PathName
from spanagree.formats.registry import (
    FORMATS,
    TASK_FORMATS,
    WRITABLE,
    Options,
    get_format,
    load_registered_formats,
)

_WITH_FRAGMENTS = ("jsonl", "brat")
_BINARY = {"spacy": ".spacy", "dataset": ".parquet"}
_CHARACTER_FORMATS = ("brat", "inception", "label-studio", "prodigy", "doccano")


def choose_format(path: PathName, form: str | None) -> str:
    """Choose the format that a file is written in: the named one, or else by its extension.

    Raises:
        SettingError: if a format is not written, no format has the extension, or the format is
            binary and another one has the extension.
    """
    suffix = Path(path).suffix.lower()
    format_by_ending = {ending: name for name in WRITABLE for ending in FORMATS[name].extensions}
    if form is None and suffix not in format_by_ending:
        written = ", ".join(name for name in WRITABLE)
        raise SettingError(
            f"{escape_path(path)}: no format is written to files ending in"
            f" {quote_value(suffix)}; name one with --to ({written}), or a file such as .jsonl or"
            " .conll"
        )
    if form is None:
        return format_by_ending[suffix]
    if form not in WRITABLE:
        registered_writers = (
            name
            for name, registered_format in load_registered_formats().items()
            if registered_format.write
        )
        check_choice(form, (*WRITABLE, *registered_writers), "format to write")
    if form in _BINARY and suffix in format_by_ending.keys() - {*get_format(form).extensions}:
        raise SettingError(
            f"{escape_path(path)}: {form} files are binary, and other files end in"
            f" {suffix}; name one that ends in {_BINARY[form]}"
        )
    return form


def list_lost_content(corpus: Corpus, form: str) -> list[str]:
    """List the content of a corpus that a format cannot contain, one sentence each."""
    is_seen = np.array([layer.annotated for layer in corpus.layers.values()])
    formats_of_seen = ("prodigy", "doccano", *(("brat",) if len(is_seen) == 1 else ()))
    n_unseen = int((~is_seen.any(axis=0)).sum()) if form in formats_of_seen else 0
    idle = [
        name
        for name, is_seen_by_annotator in zip(corpus.annotators, is_seen, strict=True)
        if not is_seen_by_annotator.any()
    ]
    omissions = [f"{pluralize(n_unseen, 'document')} that nobody saw"] if n_unseen else []
    if idle and form in ("prodigy", "label-studio", "brat"):
        omissions.append(f"annotators who saw none: {join_names(idle)}")
    notes = _compose_lost_details_notes(corpus, form)
    if omissions:
        notes.insert(0, f"left out, as {form} files hold annotations alone: {'; '.join(omissions)}")
    if corpus.offsets == "tokens" and form in _CHARACTER_FORMATS:
        notes.append(
            f"segments of tokens are written in characters, as {form} counts; read again, they"
            " are in tokens with convert --tokenizer"
        )
    if corpus.offsets == "characters" and form == "spacy":
        notes.append(
            "segments of characters are written in spaCy's tokens; read again, they are in tokens"
        )
        if n_spaced := _count_spaced_segments(corpus):
            notes.append(
                f"{pluralize(n_spaced, 'segment')} with a space at an edge: spaCy has no token"
                " for a space after a word, so it is left out when read again"
            )
    elif form == "spacy" and corpus.texts is None:
        notes.append(
            "no texts are known: Docs are written with a space between tokens; read again, they"
            " have that text"
        )
    changes = get_format(form).changes
    return [*notes, *(changes(corpus) if changes else ())]


def compose_name_note(corpus: Corpus, form: str, path: PathName) -> list[str]:
    """Compose the note on the name of the only annotator, if files of the format have no name."""
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


def _count_spaced_segments(corpus: Corpus) -> int:
    """Count the segments of characters that begin or end with a space."""
    texts = corpus.texts
    if texts is None:
        return 0
    return sum(
        " " in (texts[document][start], texts[document][end - 1])
        for layer in corpus.layers.values()
        for document, start, end in zip(
            layer.document.tolist(), layer.start.tolist(), layer.end.tolist(), strict=True
        )
    )


def _compose_lost_details_notes(corpus: Corpus, form: str) -> list[str]:
    """Compose notes on the parts of a corpus that a format cannot store."""
    if form == "jsonl":
        return []
    if form == "brat":
        return _compose_lost_quotes_notes(corpus)
    details = [layer.details for layer in corpus.layers.values() if layer.details is not None]
    n_relations = sum(len(detail.links) for detail in details)
    columns = [column for detail in details for column in detail.attributes.items()]
    attributes = sorted({name for name, codes in columns if (codes >= 0).any()})
    omissions = ["texts beside the tokens"] if form == "conll" and corpus.texts is not None else []
    omissions += [pluralize(n_relations, "relation")] if n_relations else []
    omissions += [f"attributes {join_names(attributes)}"] if attributes else []
    details_note = f"left out, as {form} files do not hold them: {', '.join(omissions)}"
    return [*([details_note] if omissions else []), *_compose_lost_quotes_notes(corpus)]


def _compose_lost_quotes_notes(corpus: Corpus) -> list[str]:
    """Compose the note on quotes that are not in the text, which only .jsonl files contain."""
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
    """Write a corpus in a format. Default: the format of the file's extension.

    Raises:
        SettingError: if a format is not written, or cannot contain the corpus.
        InputError: if the path cannot be written.
    """
    form = choose_format(path, form)
    if corpus.of_strings and form != "jsonl":
        raise SettingError(
            f"format {form}: strings without a text have no places; .jsonl files hold them"
        )
    if form not in _WITH_FRAGMENTS:
        check_contiguous(corpus, f"format {form}")
    write = get_format(form).write
    assert write is not None  # just checked
    write(
        corpus,
        path,
        **{option: value for option, value in (options or {}).items() if value is not None},
    )


# --- tasks for annotators -----------------------------------------------------------------------


def find_task_format(path: PathName) -> str | None:
    """Find the format of tasks by the ending of a file; ``None`` for a table in .csv.

    Raises:
        SettingError: if no tasks are written to files with this ending.

    >>> find_task_format("work.json"), find_task_format("work.csv")
    ('label-studio', None)
    """
    ending = Path(path).suffix.lower()
    if ending != ".csv" and ending not in TASK_FORMATS:
        allowed = ", ".join(f"{file_ending} ({name})" for file_ending, name in TASK_FORMATS.items())
        raise SettingError(
            f"{escape_path(path)}: no worklist is written to files ending in"
            f" {quote_value(ending)}; name one that ends in .csv (a table), {allowed}"
        )
    return TASK_FORMATS.get(ending)


def write_tasks(
    corpus: Corpus, document: Ints, assignees: Sequence[str], path: PathName, form: str
) -> None:
    """Write documents as tasks for annotators.

    Args:
        corpus: documents with texts or tokens.
        document: index of the document of each task.
        assignees: name of the annotator of each task.
        path: path of the file.
        form: format, one of :data:`spanagree.formats.registry.TASK_FORMATS`.

    Raises:
        SettingError: if the corpus has neither texts nor tokens.
        InputError: if the path cannot be written.
    """
    write = FORMATS[form].write_tasks
    assert write is not None  # formats of tasks have a writer
    write(corpus, document, assignees, path)
