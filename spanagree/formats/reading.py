"""Format and options that read a file, including guessed ones."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spanagree.choices import Scheme, list_names
from spanagree.errors import pluralize
from spanagree.files import PathName
from spanagree.formats.conll.read import find_tag_columns
from spanagree.formats.file_parts import list_parts
from spanagree.formats.patterns import find_matches
from spanagree.formats.read_files import (
    LayerFile,
    build_layer_files,
    read_columns,
    read_raw_files,
)
from spanagree.formats.registry import FORMATS, Options

_TEXTS = "texts alone"  # of a file that others take their texts from


def find_reading_options(
    paths: Mapping[str, PathName], options: Options, form: str | None = None
) -> dict[str, dict[str, Any]]:
    """Find the format (``from``) and the options that read each file in the same way.

    Args:
        paths: paths, or patterns, by layer name.
        options: options of reading, by name.
        form: format of all files, or ``None``.

    Returns:
        The options by path; none of a file that is read for its texts alone.

    Raises:
        InputError, SettingError: see :func:`spanagree.formats.read_files.read_raw_files`.
    """
    return {
        str(source.path): _find_options_of_file(source, sources)
        for source, sources in _yield_files(paths, options, form)
    }


def _yield_files(
    paths: Mapping[str, PathName], options: Options, form: str | None
) -> Iterator[tuple[LayerFile, Sequence[LayerFile]]]:
    """Yield each file, but standard input, with all files that are read with it.

    Files that match a pattern of a project are files by themselves.
    """
    set_options = {name: value for name, value in options.items() if value not in (None, False)}
    parts = [build_layer_files(files, set_options, form) for files in list_parts(paths, form)]
    for sources_of_layer in zip(*parts, strict=True):
        for source, sources in zip(sources_of_layer, parts, strict=True):
            for path in find_matches(source.path):
                if path != "-":
                    yield (
                        source if path == os.fspath(source.path) else replace(source, path=path),
                        sources,
                    )


def _find_options_of_file(source: LayerFile, sources: Sequence[LayerFile]) -> dict[str, Any]:
    """Find the format and the options of a file; none if it only has texts for the others."""
    if source.is_read_for_texts:
        return {}
    form, set_options = source.resolved_format, dict(source.options)
    if form == "dataset":
        set_options |= read_columns(source, sources)
        set_options.pop("length", None)  # it has no option, and is guessed again
    elif form == "conll":
        accepted = {
            name: value for name, value in set_options.items() if name in FORMATS[form].takes
        }
        accepted.pop("sentences_from", None)  # it names another file
        schemes = {*read_raw_files({"": source.path}, accepted, form).reading["schemes"].values()}
        set_options |= {"columns": find_tag_columns(source.path, **accepted)}
        is_one = len(schemes) == 1 and schemes <= {*list_names(Scheme)}  # brackets have no name
        set_options |= {"scheme": next(iter(schemes))} if is_one else {}
    return {"from": form, **{name: value for name, value in set_options.items() if name != "from"}}


def describe_readers(
    paths: Mapping[str, PathName], options: Options, form: str | None = None
) -> str:
    """Name the formats whose readers open the files, with the number of files of each format.

    Args:
        paths: paths, or patterns, by layer name; standard input is none.
        options: options of reading, by name.
        form: format of all files, or ``None``.

    >>> describe_readers({"stdin": "-"}, {})
    'read as conll'
    """
    forms = Counter(
        _TEXTS if source.is_read_for_texts else source.resolved_format
        for source, _ in _yield_files(paths, options, form)
    )
    if len(forms) < 2:
        return f"read as {next(iter(forms), form or 'conll')}"
    counts = (f"{name} ({pluralize(n_files, 'file')})" for name, n_files in forms.items())
    return f"read as {', '.join(counts)}"
