"""Format and options that read a file, including guessed ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from spanagree.choices import Scheme, list_names
from spanagree.errors import pluralize
from spanagree.files import PathName
from spanagree.formats.conll.read import find_tag_columns
from spanagree.formats.file_parts import yield_files_with_parts
from spanagree.formats.read_files import (
    find_format_of_one,
    read_raw_files,
    read_settings_of_one,
    select_options_of_file,
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
        file: _find_options_of_file(layer, files, options, form)
        for layer, file, files in yield_files_with_parts(paths, form)
    }


def _find_options_of_file(
    layer: str, files: Mapping[str, PathName], options: Options, form: str | None
) -> dict[str, Any]:
    """Find the format and the options of the file of a layer; none if it only has texts."""
    set_options = _select_set_options(options)
    form = find_format_of_one(layer, files, set_options, form)
    if form is None:
        return {}
    path, set_options = files[layer], select_options_of_file(set_options, layer, files)
    if form == "dataset" and len(files) > 1:
        set_options |= read_settings_of_one(layer, files, _select_set_options(options), form)
    elif form == "dataset":
        set_options |= read_raw_files({"": path}, set_options, form).reading.get("read", {})
    if form == "dataset":
        set_options.pop("length", None)  # it has no option, and is guessed again
    if form == "conll":
        accepted = {
            name: value for name, value in set_options.items() if name in FORMATS[form].takes
        }
        accepted.pop("sentences_from", None)  # it names another file
        schemes = {*read_raw_files({"": path}, accepted, form).reading["schemes"].values()}
        set_options |= {"columns": find_tag_columns(path, **accepted)}
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
    set_options = _select_set_options(options)
    forms = Counter(
        find_format_of_one(layer, files, set_options, form) or _TEXTS
        for layer, _, files in yield_files_with_parts(paths, form)
    )
    if len(forms) < 2:
        return f"read as {next(iter(forms), form or 'conll')}"
    counts = (f"{name} ({pluralize(n_files, 'file')})" for name, n_files in forms.items())
    return f"read as {', '.join(counts)}"


def _select_set_options(options: Options) -> dict[str, Any]:
    """Select the options that are set."""
    return {name: value for name, value in options.items() if value not in (None, False)}
