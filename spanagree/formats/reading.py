"""How a file is read: its format and the options, with what was guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from spanagree.choices import Scheme, names_of
from spanagree.errors import pluralize
from spanagree.files import PathName
from spanagree.formats.conll.read import columns_read
from spanagree.formats.read_files import raw_files
from spanagree.formats.recognise import format_of
from spanagree.formats.registry import FORMATS, Options


def reading_of(path: PathName, options: Options, form: str | None = None) -> dict[str, Any]:
    """Return the format (``from``) and the options that read a file as it is read.

    Raises:
        InputError, SettingError: as :func:`spanagree.formats.read_files.raw_files`.
    """
    known = {name: value for name, value in options.items() if value not in (None, False)}
    form = form or format_of(path, known)
    if form == "dataset":
        known |= raw_files({"": path}, options, form).reading.get("read", {})
        known.pop("length", None)  # which has no option, and is guessed once more
    elif form == "conll":
        accepted = {name: value for name, value in known.items() if name in FORMATS[form].takes}
        accepted.pop("sentences_from", None)  # which names another file
        schemes = {*raw_files({"": path}, accepted, form).reading["schemes"].values()}
        known |= {"columns": columns_read(path, **accepted)}
        is_one = len(schemes) == 1 and schemes <= {*names_of(Scheme)}  # brackets have no name
        known |= {"scheme": next(iter(schemes))} if is_one else {}
    return {"from": form, **{name: value for name, value in known.items() if name != "from"}}


def says_readers(files: Sequence[PathName], options: Options, form: str | None = None) -> str:
    """Name the formats whose readers open some files, with the numbers of files if several do.

    Args:
        files: paths; standard input has none.
        options: of reading, by name.
        form: format of all files, where one is named.

    >>> says_readers([], {})
    'read as conll'
    """
    known = {name: value for name, value in options.items() if value not in (None, False)}
    forms = Counter(form or format_of(file, known) for file in files)
    if len(forms) < 2:
        return f"read as {next(iter(forms), form or 'conll')}"
    counts = (f"{name} ({pluralize(n_files, 'file')})" for name, n_files in forms.items())
    return f"read as {', '.join(counts)}"
