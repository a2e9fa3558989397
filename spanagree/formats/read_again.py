"""The command line that reads a file as it was read, with what was guessed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import starmap
from typing import Any

from spanagree.choices import Scheme, names_of
from spanagree.errors import InputError, SettingError
from spanagree.files import PathName
from spanagree.formats.conll.read import columns_read
from spanagree.formats.read_files import raw_files
from spanagree.formats.recognise import format_of
from spanagree.formats.registry import FORMATS, Options
from spanagree.formats.tools import PATHS, TOOLS, Tool


def says_how(path: PathName, options: Options, form: str | None = None) -> str:
    """Return a line of the command line that reads a file as it is read, with what was guessed.

    Raises:
        InputError, SettingError: as :func:`spanagree.formats.read_files.raw_files`.
    """
    given = {name: value for name, value in options.items() if value not in (None, False)}
    form = form or format_of(path, given)
    line = f"spanagree check {shlex.quote(os.fspath(path))}"
    known: dict[str, Any] = dict(given)
    if form in TOOLS and not (TOOLS[form].read or TOOLS[form].is_deep):
        tool = replace(TOOLS[form], **_taken(given, (*PATHS, "ends")))
        others = {name: value for name, value in given.items() if name not in (*PATHS, "ends")}
        if _leads_everywhere(tool, path, others):
            line += f" --from paths {tool.line}"
            return " ".join([line, *starmap(_written, others.items())])
    if form == "dataset":
        known |= raw_files({"": path}, options, form).reading.get("read", {})
        known.pop("length", None)  # which has no option, and is guessed once more
    elif form == "conll":
        takes = _taken(given, FORMATS[form].takes)
        schemes = {*raw_files({"": path}, options, form).reading["schemes"].values()}
        columns = columns_read(path, **takes)
        known |= {"columns": columns} if columns else {}
        is_one = len(schemes) == 1 and schemes <= {*names_of(Scheme)}  # brackets have no name
        known |= {"scheme": next(iter(schemes))} if is_one else {}
    known.pop("from", None)
    return " ".join([line, f"--from {form}", *starmap(_written, known.items())])


def _leads_everywhere(tool: Tool, path: PathName, options: Options) -> bool:
    """Return whether each path of a tool leads somewhere in a file, as named ones must."""
    named = {name: getattr(tool, name) for name in (*PATHS, "ends") if getattr(tool, name)}
    try:
        raw_files({"": path}, {**options, **named}, "paths")
    except SettingError:
        return False
    except InputError:  # such as for a text, which may be in another file
        pass
    return True


def _taken(options: Options, names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in names}


def _written(name: str, value: Any) -> str:
    """Return an option as it stands on the command line.

    >>> _written("label_from", "tier"), _written("strict", True)
    ('--label-from tier', '--strict')
    """
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return option
    parts = value if isinstance(value, (list, tuple)) else None
    if isinstance(value, Mapping):
        parts = [f"{key}={item}" for key, item in value.items()]
    if parts is not None:
        value = ",".join(f'"{part}"' if "," in part else part for part in map(str, parts))
    return f"{option} {shlex.quote(str(value))}"
