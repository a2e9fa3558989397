"""Files as readers need them: their text, and a name for the layer that each of them holds."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from spanagree.errors import InputError, SettingError, printable, show

PathName = str | os.PathLike[str]


def read_text(path: PathName, encoding: str = "utf-8") -> str:
    """The text of a file, or of standard input for ``-``; a byte order mark is left out.

    Raises:
        InputError: for a file that is not there, cannot be read, is binary or in another encoding.
        SettingError: for an unknown encoding.
    """
    name = printable(os.fspath(path))
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{name}: is a folder; a file is needed") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{name}: cannot be read: {reason}") from None
    try:
        text = raw.decode(encoding)
    except LookupError:
        raise SettingError(
            f"unknown encoding {show(encoding)}; utf-8, latin-1 and all of Python's are allowed"
        ) from None
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        if b"\0" in raw:
            raise InputError(
                f"{name}: is no text in {encoding} but binary, or in another encoding;"
                " --encoding (encoding=) names it"
            ) from None
        line = raw.count(b"\n", 0, start) + 1
        raise InputError(
            f"{name}:{line}: byte 0x{raw[start]:02x} is no {encoding}; the encoding of the file"
            " is needed: --encoding (encoding=)"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(f"{name}:{line}: a NUL character: the file is binary; text is needed")
    return text.removeprefix("\ufeff")


def check_writable(path: PathName) -> None:
    """Refuses, before any work, a path that a file cannot be written to.

    Raises:
        InputError: for a folder, a folder that is not there, or one without permission.
    """
    target = Path(path)
    name = printable(os.fspath(path))
    if target.is_dir():
        raise InputError(f"{name}: is a folder; a file is needed")
    if not target.parent.is_dir():
        folder = show(str(target.parent))
        raise InputError(f"{name}: cannot be written: there is no folder {folder}")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise InputError(f"{name}: cannot be written: permission denied")


def write_text(path: PathName, text: str) -> None:
    """Writes a text in UTF-8; as :func:`write_bytes`."""
    write_bytes(path, text.encode())


def write_bytes(path: PathName, data: bytes) -> None:
    """Writes a file whole or not at all; a device is written to, never replaced.

    Raises:
        InputError: for a path that cannot be written.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            part.write_bytes(data)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        name = printable(os.fspath(path))
        raise InputError(f"{name}: cannot be written: {error.strerror}") from None


def named_files(
    source: PathName | Sequence[PathName] | Mapping[str, PathName],
) -> dict[str, PathName]:
    """Files by the names of their layers.

    A file that comes without a name is called as it is, without its folder; where two agree,
    with as many folders as it takes to tell them apart.

    Raises:
        InputError: if there is no file, or the same one comes twice without names.

    >>> named_files(["a/gold.conll", "a/out.conll", "b/out.conll"])
    {'gold.conll': 'a/gold.conll', 'a/out.conll': 'a/out.conll', 'b/out.conll': 'b/out.conll'}
    """
    if isinstance(source, Mapping):
        files = dict(source)
    else:
        paths = [source] if isinstance(source, (str, os.PathLike)) else list(source)
        files = dict(zip(file_names(paths), paths, strict=True))
    if not files:
        raise InputError("no file; at least one is needed")
    return files


def file_names(paths: Sequence[PathName], taken: Sequence[str] = ()) -> list[str]:
    """A name for each path, different from each other and from those ``taken``."""
    parts = [("stdin",) if p == "-" else Path(os.path.abspath(p)).parts for p in paths]
    for i, p in enumerate(parts):
        if p in parts[:i]:
            raise InputError(
                f"{printable(os.fspath(paths[i]))}: the same file twice; NAME=FILE gives it a name"
                " of its own"
            )
    names = []
    for p in parts:
        depth = 1
        others = [q for q in parts if q is not p]
        while depth < len(p) and (
            any(q[-depth:] == p[-depth:] for q in others) or "/".join(p[-depth:]) in taken
        ):
            depth += 1
        names.append("/".join(p[-depth:]))
    return names
