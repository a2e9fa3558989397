"""Files as readers need them: their text, and a name for the layer that each of them holds."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    escape_name,
    printable_path,
    quote_value,
    reason,
)
from spanagree.limits import check_expansion

if TYPE_CHECKING:
    from zipfile import ZipFile  # takes a while to load

PathName = str | os.PathLike[str]

BOM = "\ufeff"
"""A byte order mark, which may stand at the beginning of a file."""

UTF_16, UTF_16_MARKS = "utf-16", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""An encoding that some shells write, and what a file in it begins with."""

_LINK = 0o12  # the kind of a file among its attributes
_PIECE = 1 << 20  # bytes
_PLAIN = (0, 8)  # the methods stored and deflated, of which the second unpacks piece by piece
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_OPEN = re.compile(r"(?:/dev|/proc/self)/fd/(\d+)")  # a file that is open, by its number
_LINKS = 40  # that are followed, as systems do
_HIDDEN = re.compile(r"(^|/)(\.|__MACOSX/)")

Source = PathName | Sequence[PathName] | Mapping[str, PathName]
"""Files as readers take them: one, several, or by the name of the layer that each holds."""


def read_text(path: PathName, encoding: str = "utf-8") -> str:
    """Return the text of a file, or of standard input for ``-``, without a byte order mark.

    Raises:
        InputError: for a file that is not there, cannot be read, is binary or in another encoding.
        SettingError: for an unknown encoding.
    """
    return read_marked_text(path, encoding).removeprefix(BOM)


def read_marked_text(path: PathName, encoding: str = "utf-8") -> str:
    """Read the text of a file with the byte order mark that it begins with, if it has one.

    Raises:
        InputError, SettingError: as for :func:`read_text`.
    """
    try:
        name = escape_name(os.fsdecode(path))
    except TypeError:
        raise InputError(f"{quote_value(path)} is not a path; a file's name is needed") from None
    if not name or (name == "-" and sys.stdin is None):
        raise InputError(f"{quote_value(name)}: there is nothing to read; a file's name is needed")
    if name != "-":
        raw = read_bytes(name, os.fsdecode(path))
    else:
        with _reading(name):
            raw = sys.stdin.buffer.read()
    return decoded(name, raw, encoding)


def read_lines(path: PathName, encoding: str = "utf-8") -> str:
    """Read a text that consists of lines: those of old Macs, which end in CR alone, end in LF.

    Raises:
        InputError, SettingError: as for :func:`read_text`.
    """
    return with_newlines(read_text(path, encoding))


def with_newlines(text: str) -> str:
    r"""Return a text without any LF with LF in place of CR; other texts unchanged.

    >>> with_newlines("a\rb\r"), with_newlines("a\r\nb\rc")
    ('a\nb\n', 'a\r\nb\rc')
    """
    return text.replace("\r", "\n") if "\r" in text and "\n" not in text else text


def read_bytes(name: str, path: str, start: int = 0, size: int = -1) -> bytes:
    """Return the bytes of a file from ``start`` on, so many or all; errors call it ``name``.

    Raises:
        InputError: for a file that is not there or cannot be read.
    """
    with _reading(name), open(path, "rb") as file:
        if start:
            file.seek(start)
        return file.read(size)


def pieces_of(name: str, path: str, start: int = 0, size: int = 1 << 20) -> Iterator[bytes]:
    """Yield a file from ``start`` on in pieces of about so many bytes, which end where lines end.

    Raises:
        InputError: as :func:`read_bytes`.
    """
    with _reading(name), open(path, "rb") as file:
        file.seek(start)
        while piece := file.read(size):
            yield piece if piece.endswith(b"\n") else piece + file.readline()


def decoded(name: str, raw: bytes, encoding: str, before: int = 0) -> str:
    """Return the text in some bytes of a file; ``before`` is the number of lines above them.

    Raises:
        InputError: for what is binary or in another encoding.
        SettingError: for an unknown encoding.
    """
    encoding = encoding_of(raw, encoding)
    try:
        text = raw.decode(encoding)
    except ValueError as error:
        _refuse_zip(name, raw)
        if b"\0" in raw:
            problem = f"is not text in {encoding} but binary, or in another encoding"
            raise _odd(name, problem) from None
        at = getattr(error, "start", 0)
        line = before + raw.count(b"\n", 0, at) + 1
        raise _odd(f"{name}:{line}", f"byte 0x{raw[at]:02x} is not {encoding}") from None
    if "\0" in text:
        line = before + text[: text.index("\0")].count("\n") + 1
        raise _odd(f"{name}:{line}", _NUL)
    return text


def lines_of(path: PathName, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of a file, or of standard input, one by one, with their ends.

    The lines of old Macs, which end in CR alone, end in LF.

    Raises:
        InputError, SettingError: as for :func:`read_text`.
    """
    lines = _texts(path, encoding, iter)
    first = with_newlines(next(lines, ""))  # all of a file that has no LF
    yield from io.StringIO(first, newline="\n")
    yield from lines


def numbered_lines(path: PathName, encoding: str = "utf-8") -> Iterator[tuple[str, str]]:
    """Yield the lines that are not blank, each with its place for errors and without its end.

    Raises:
        InputError, SettingError: as for :func:`lines_of`.
    """
    name = escape_name(os.fsdecode(path))
    for number, ended in enumerate(lines_of(path, encoding), 1):
        if ended.strip():
            yield f"{name}:{number}", ended.rstrip("\r\n")


def texts_of(
    path: PathName, encoding: str = "utf-8", size: int = 1 << 20
) -> Generator[str, None, None]:
    """Yield the text of the same in pieces of so many characters; as :func:`lines_of`."""
    return _texts(path, encoding, lambda file: iter(partial(file.read, size), ""))


def _texts(
    path: PathName, encoding: str, cut: Callable[[TextIO], Iterator[str]]
) -> Generator[str, None, None]:
    """Yield a file's text as it is ``cut``."""
    name = escape_name(os.fsdecode(path))
    check_encoding(encoding)
    with _reading(name):
        source = sys.stdin.fileno() if name == "-" else os.fsdecode(path)
        raw = open(source, "rb", closefd=name != "-")  # noqa: SIM115 — closed below
        text = io.TextIOWrapper(raw, encoding_of(raw.peek(2), encoding), newline="\n")
    before = 0
    with text:
        try:
            for number, piece in enumerate(cut(text)):
                if "\0" in piece:
                    line = before + piece.count("\n", 0, piece.index("\0")) + 1
                    raise _odd(f"{name}:{line}", _NUL)
                before += piece.count("\n")
                yield piece if number else piece.removeprefix(BOM)
        except UnicodeDecodeError as error:
            if name != "-":
                decoded(name, read_bytes(name, os.fsdecode(path)), encoding)  # names the line
            _refuse_zip(name, error.object)
            byte = error.object[error.start]
            raise _odd(name, f"byte 0x{byte:02x} is not {encoding}") from None


def mark_inside(location: str) -> InputError:
    """Return the error for a byte order mark below the beginning of a file."""
    return InputError(
        f"{location}: a byte order mark inside the file, as is left where files were joined;"
        " delete it"
    )


_NUL = "a NUL character: the file is binary, or in another encoding"


def encoding_of(start: bytes, encoding: str) -> str:
    """Return the checked encoding of a text that begins so: as given, or UTF-16 by its mark."""
    check_encoding(encoding)
    wide = start.startswith(UTF_16_MARKS) and codecs.lookup(encoding).name == "utf-8"
    return UTF_16 if wide else encoding


def check_encoding(encoding: str) -> None:
    """Refuse an encoding that Python does not know.

    Raises:
        SettingError: for one.
    """
    try:
        codecs.lookup(encoding)
    except (LookupError, TypeError, ValueError):
        raise SettingError(
            f"unknown encoding {quote_value(encoding)}; utf-8, latin-1 and all of Python's are"
            " allowed"
        ) from None


def json_problem(error: Exception) -> str:
    """Return the message of JSON's error, without the words before the place that it leaves out."""
    return re.sub("( starting)? at$", "", getattr(error, "msg", ""))


def from_json(
    text: str,
    location: str,
    needed: str,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """Return the value of some JSON; ``pairs`` makes its objects, ``needed`` ends an error.

    Raises:
        InputError: for what is not valid, is nested too deeply, or has too long a number.
    """
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        problem = json_problem(error) or "nested too deeply, or a number too long"
        raise InputError(f"{location}: not valid JSON ({problem}); {needed}") from None


def json_text(value: Any) -> str:
    """Return a value as JSON on one line, which can be written in UTF-8.

    >>> json_text(["日本", "\\ud800"])
    '["\\\\u65e5\\\\u672c", "\\\\ud800"]'
    """
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # JSON's escapes hold halves of surrogate pairs
        text = json.dumps(value)
    return text


class Zip:
    """An archive that is open: its files by name, each read into memory and none unpacked.

    Attributes:
        names: of the files, with ``/``; what systems add of their own is left out.
    """

    def __init__(self, name: str, archive: ZipFile, size: int) -> None:
        self._name, self._archive = name, archive
        members = [member for member in archive.infolist() if not member.is_dir()]
        for member in members:
            problem = ""
            parts = re.split(r"[/\\]", member.filename)
            if ".." in parts or not parts[0] or ":" in parts[0]:
                problem = "leads out of the archive"
            elif member.external_attr >> 28 == _LINK:
                problem = "is a link"
            elif member.compress_type not in _PLAIN:
                problem = "is packed by another method than plain zips use"
            if problem:
                raise InputError(
                    f"{name}: {quote_value(member.filename)} {problem}; pack the files once more,"
                    " without it"
                )
        self._size, self._unpacked = size, 0
        check_expansion(name, size, sum(member.file_size for member in members))
        names = [member.filename for member in members]
        self.names: tuple[str, ...] = tuple(name for name in names if not _HIDDEN.search(name))

    def read(self, member: str) -> bytes:
        """Return a file in the archive.

        Raises:
            InputError: for one that is damaged, or locked by a password; for one that expands
                beyond the limit, whatever size the archive states.
        """
        pieces = []
        with _unzipping(f"{self._name}, {quote_value(member)}"), self._archive.open(member) as file:
            while piece := file.read(_PIECE):
                self._unpacked += len(piece)
                check_expansion(self._name, self._size, self._unpacked)
                pieces.append(piece)
        return b"".join(pieces)


@contextmanager
def open_zip(path: PathName, data: bytes | None = None) -> Iterator[Zip]:
    """Open an archive for reading; one inside another by its ``data``.

    Raises:
        InputError: for what is not an archive; for one that is damaged, expands beyond the limit
            (:func:`spanagree.limits.check_expansion`), or holds links or paths out of it.
    """
    from zipfile import ZipFile

    name = printable_path(path)
    raw = read_bytes(name, os.fsdecode(path)) if data is None else data
    with _unzipping(name):
        archive = ZipFile(io.BytesIO(raw))
    with archive:
        yield Zip(name, archive, len(raw))


@contextmanager
def _unzipping(name: str) -> Iterator[None]:
    from zipfile import BadZipFile

    try:
        yield
    except (BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error) as why:
        raise InputError(
            f"{name}: cannot be unpacked ({reason(why)}); it may be cut off: export it once more,"
            " as a plain zip"
        ) from None


def _refuse_zip(name: str, raw: bytes) -> None:
    """Refuse an archive where a text is needed."""
    if raw.startswith(b"PK\x03\x04"):
        raise InputError(f"{name}: a zip, and a text is needed; unpack it and name its files")


def _odd(location: str, problem: str) -> InputError:
    return InputError(f"{location}: {problem}; --encoding (encoding=) names the file's encoding")


def named_file(folder: Path, name: str) -> Path | None:
    r"""Return the file of a folder that a text names, by its base name; ``None`` if there is none.

    What a file says leads nowhere else: folders, drives and ``..`` in a name count for nothing. A
    link in the folder is followed, as it is its owner's.

    >>> named_file(Path(), "../../etc/passwd"), named_file(Path(), "..")
    (None, None)
    """
    base = base_name(name)
    path = folder / base
    return path if base and os.path.isfile(path) else None


def base_name(name: str) -> str:
    r"""Return the last part of a path that was written on any system; nothing for ``..``.

    >>> base_name("C:\\texts\\1.txt"), base_name("/etc/passwd"), base_name("..")
    ('1.txt', 'passwd', '')
    """
    base = Path(name.replace("\\", "/")).name
    return "" if base == ".." else base


def check_writable(path: PathName) -> None:
    """Refuse, before any work, a path that a file cannot be written to.

    Raises:
        InputError: for no name, a folder, a folder that is not there, or one without permission.
    """
    target = Path(path)
    name = printable_path(path)
    if not name:
        raise InputError("'': there is no file without a name; name one to write to")
    with writing(name):
        os.fsencode(path)  # fails for half a surrogate pair, which no file's name has
        if target.is_dir():
            raise InputError(
                f"{name}: is a folder; a file is needed, such as {name.rstrip('/')}/result.txt"
            )
        if not target.parent.is_dir():
            folder = quote_value(str(target.parent))
            raise InputError(f"{name}: cannot be written: there is no folder {folder}")
        if not os.access(target if target.exists() else target.parent, os.W_OK):
            raise InputError(f"{name}: cannot be written: permission denied")


@contextmanager
def writing(name: str, done: str = "written") -> Iterator[None]:
    """Name the file in an error that is raised inside: it cannot be written (or ``done``), and why.

    Raises:
        InputError: in place of any error of the system; errors of ours stay.
    """
    try:
        yield
    except SpanAgreeError:
        raise
    except (OSError, ValueError) as error:
        reason = escape_name(str(getattr(error, "strerror", None) or error))
        problem = f"cannot be {done}: {reason}"
        if done == "read" and isinstance(error, FileNotFoundError):
            problem = "no such file"
        elif isinstance(error, IsADirectoryError):
            problem = "is a folder; a file is needed, or a pattern such as 'FOLDER/*.conll'"
        raise InputError(f"{name}: {problem}") from None


_reading = partial(writing, done="read")


@contextmanager
def naming_files() -> Iterator[None]:
    """Name the file or folder in an error of the system that is raised inside.

    Raises:
        InputError: in place of an error of the system that knows its file.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        with _reading(escape_name(os.fsdecode(error.filename))):
            raise


def write_text(path: PathName, text: str) -> None:
    """Write a text in UTF-8; as :func:`write_bytes`."""
    write_bytes(path, text.encode(errors="backslashreplace"))


def write_bytes(path: PathName, data: bytes) -> None:
    """Write a file whole or not at all; a device is written to, never replaced.

    Of several writers of one file, each succeeds and one wins. What stands for an open file, such
    as ``/dev/stdout``, is written to behind what is there.

    Raises:
        InputError: for a path that cannot be written.
    """
    check_writable(path)
    with writing(printable_path(path)):
        if (number := _descriptor(path)) is not None:
            sys.stdout.flush()
            with open(os.dup(number), "wb") as stream:
                stream.write(data)
            return
        if os.path.exists(path) and not os.path.isfile(path):
            Path(path).write_bytes(data)
            return
        target = Path(os.path.realpath(path))
        part = target.with_name(hidden_name("part"))
        try:
            with open(part, "xb") as file:  # fails where something stands, also a link
                if target.exists():
                    part.chmod(target.stat().st_mode)
                file.write(data)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: PathName) -> Iterator[Path]:
    """Write a folder whole or not at all: yield a hidden one, which is renamed at the end.

    Args:
        path: folder that does not exist, or is empty. One that cannot be replaced, such as a mount
            point, takes the files of the new folder.

    Raises:
        InputError: for a folder that cannot be written.
    """
    import shutil  # takes a while to load

    name = printable_path(path)
    target = Path(os.path.realpath(path))
    hidden = target.parent / hidden_name("folder")
    try:
        with writing(name):
            hidden.parent.mkdir(parents=True, exist_ok=True)
            if target.is_dir() and not os.access(hidden.parent, os.W_OK):
                hidden = target / hidden.name
            hidden.mkdir()
            yield hidden
            _rename_folder(hidden, target)
    except InputError as error:  # it names the hidden folder
        raise InputError(str(error).replace(printable_path(hidden), name)) from None
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _rename_folder(hidden: Path, target: Path) -> None:
    """Put a folder in the place of an empty or missing folder."""
    if hidden.parent != target:
        with suppress(OSError):  # as Windows does for an empty folder, and all for a mount point
            hidden.rename(target)
            return
        if not target.is_dir():
            hidden.rename(target)  # for its error
    placed: list[Path] = []
    try:
        for entry in sorted(hidden.iterdir()):
            placed.append(target / entry.name)
            entry.rename(placed[-1])
    except BaseException:  # also an interrupt
        for path in placed[:-1]:
            path.rename(hidden / path.name)
        raise


def _descriptor(path: PathName) -> int | None:
    """Return the number of the open file that a path stands for, or a link leads to, if it does."""
    name = os.path.abspath(path)
    for _ in range(_LINKS):
        if name in _STREAMS:
            return _STREAMS[name]
        if match := _OPEN.fullmatch(name):
            return int(match[1])
        if not os.path.islink(name):
            break
        name = os.path.normpath(os.path.join(os.path.dirname(name), os.readlink(name)))
    return None


def hidden_name(purpose: str) -> str:
    """Return a name that nobody can guess, for what is moved to its place once it is complete."""
    return f".spanagree-{purpose}-{os.urandom(8).hex()}"


def named_files(source: Source) -> dict[str, PathName]:
    """Return files by the names of their layers.

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
        if not isinstance(source, (str, os.PathLike, Iterable)):
            raise InputError(f"{quote_value(source)} is not a path; a file's name is needed")
        paths = [source] if isinstance(source, (str, os.PathLike)) else list(source)
        files = dict(zip(file_names(paths), paths, strict=True))
    if not files:
        raise InputError(
            "no file; at least one is needed: pass its path, or names of annotators to paths"
        )
    return files


def same_files(paths: Sequence[PathName]) -> Iterator[tuple[int, int]]:
    """Yield the places of two paths that are one file, by another spelling or a link too."""
    first: dict[object, int] = {}
    for i, path in enumerate(paths):
        known: object = os.path.abspath(path)
        with suppress(OSError, ValueError):  # not there, as a pattern, or not a path
            stat = os.stat(path)
            known = (stat.st_dev, stat.st_ino)
        if first.setdefault(known, i) != i:
            yield first[known], i


def file_names(paths: Sequence[PathName], taken: Sequence[str] = ()) -> list[str]:
    """Return a name for each path, different from each other and from those ``taken``."""
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise InputError(f"{quote_value(path)} is not a path; a file's name is needed")
    absolute = [os.path.abspath(p) for p in paths]
    for first, again in same_files(paths):
        name = printable_path(paths[again])
        other = printable_path(paths[first])
        twice = "twice" if name == other else f"as {other}"
        raise InputError(f"{name}: the same file {twice}; NAME=FILE gives it a name of its own")
    parts = [("stdin",) if p == "-" else Path(os.path.normpath(p)).parts for p in paths]
    depths = [1] * len(parts)
    while True:
        names = ["/".join(p[-n:]) for p, n in zip(parts, depths, strict=True)]
        alike = [i for i, name in enumerate(names) if names.count(name) > 1 or name in taken]
        if not alike:
            return names
        deeper = [i for i in alike if depths[i] < len(parts[i])]
        for i in deeper or alike:
            if not deeper:  # the paths as given do not tell them apart
                parts[i] = Path(absolute[i]).parts
            depths[i] += 1
            if depths[i] > len(parts[i]):
                name = quote_value(names[i])
                raise InputError(f"the name {name} is given twice; each annotator needs its own")
