"""Format and options that read a file, including guessed ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from spanagree.choices import Scheme, list_names
from spanagree.errors import pluralize
from spanagree.files import PathName
from spanagree.formats.conll.read import find_tag_columns
from spanagree.formats.read_files import read_raw_files
from spanagree.formats.recognise import find_format
from spanagree.formats.registry import FORMATS, Options


def find_reading_options(
    path: PathName, options: Options, form: str | None = None
) -> dict[str, Any]:
    """Find the format (``from``) and the options that read a file in the same way.

    Raises:
        InputError, SettingError: see :func:`spanagree.formats.read_files.read_raw_files`.
    """
    set_options = {name: value for name, value in options.items() if value not in (None, False)}
    form = form or find_format(path, set_options)
    if form == "dataset":
        set_options |= read_raw_files({"": path}, options, form).reading.get("read", {})
        set_options.pop("length", None)  # it has no option, and is guessed again
    elif form == "conll":
        accepted = {
            name: value for name, value in set_options.items() if name in FORMATS[form].takes
        }
        accepted.pop("sentences_from", None)  # it names another file
        schemes = {*read_raw_files({"": path}, accepted, form).reading["schemes"].values()}
        set_options |= {"columns": find_tag_columns(path, **accepted)}
        is_one = len(schemes) == 1 and schemes <= {*list_names(Scheme)}  # brackets have no name
        set_options |= {"scheme": next(iter(schemes))} if is_one else {}
    return {"from": form, **{name: value for name, value in set_options.items() if name != "from"}}


def describe_readers(files: Sequence[PathName], options: Options, form: str | None = None) -> str:
    """Name the formats whose readers open the files, with the number of files of each format.

    Args:
        files: paths of the files; empty for standard input.
        options: options of reading, by name.
        form: format of all files, or ``None``.

    >>> describe_readers([], {})
    'read as conll'
    """
    set_options = {name: value for name, value in options.items() if value not in (None, False)}
    forms = Counter(form or find_format(file, set_options) for file in files)
    if len(forms) < 2:
        return f"read as {next(iter(forms), form or 'conll')}"
    counts = (f"{name} ({pluralize(n_files, 'file')})" for name, n_files in forms.items())
    return f"read as {', '.join(counts)}"
