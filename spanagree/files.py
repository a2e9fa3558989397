"""Access to files: text, archives, safe writing, and names for the layers in files."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from spanagree.errors import (
    EncodingError,
    InputError,
    SettingError,
    SpanAgreeError,
    escape_name,
    escape_path,
    find_reason,
    quote_value,
)
from spanagree.limits import check_expansion

if TYPE_CHECKING:
    from zipfile import ZipFile  # takes a while to load

PathName = str | os.PathLike[str]

BOM = "\ufeff"
"""Byte order mark, which a file may begin with."""

UTF_16, UTF_16_MARKS = "utf-16", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Encoding that some shells write, and the byte order marks of its files."""

_LINK = 0o12  # file type of a symbolic link
_CHUNK_SIZE = 1 << 20  # bytes
_METHODS = (0, 8)  # compression methods: stored and deflated
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_OPEN = re.compile(r"(?:/dev|/proc/self)/fd/(\d+)")  # an open file, by its descriptor
_LINKS = 40  # links that are followed, as operating systems do
_HIDDEN = re.compile(r"(^|/)(\.|__MACOSX/)")

Source = PathName | Sequence[PathName] | Mapping[str, PathName]
"""Files for readers: one path, several, or paths by the names of their layers."""


def read_text(path: PathName, encoding: str = "utf-8") -> str:
    """Read the text of a file, or of standard input for ``-``, without a byte order mark.

    Raises:
        InputError: if the file is missing, cannot be read, is binary or has another encoding.
        SettingError: if the encoding is unknown.
    """
    return read_marked_text(path, encoding).removeprefix(BOM)


def read_marked_text(path: PathName, encoding: str = "utf-8") -> str:
    """Read the text of a file, with its byte order mark if it begins with one.

    Raises:
        InputError, SettingError: see :func:`read_text`.
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
        with _name_input_in_errors(name):
            raw = sys.stdin.buffer.read()
    return decode_bytes(name, raw, encoding)


def read_lines(path: PathName, encoding: str = "utf-8") -> str:
    """Read a text of lines; in files of old Macs with CR alone, CR becomes LF.

    Raises:
        InputError, SettingError: see :func:`read_text`.
    """
    return replace_carriage_returns(read_text(path, encoding))


def replace_carriage_returns(text: str) -> str:
    r"""Replace CR by LF in a text without any LF; other texts stay unchanged.

    >>> replace_carriage_returns("a\rb\r"), replace_carriage_returns("a\r\nb\rc")
    ('a\nb\n', 'a\r\nb\rc')
    """
    return text.replace("\r", "\n") if "\r" in text and "\n" not in text else text


def read_bytes(name: str, path: str, start: int = 0, size: int = -1) -> bytes:
    """Read ``size`` bytes of a file from ``start``, or all; errors call it ``name``.

    Raises:
        InputError: if the file is missing or cannot be read.
    """
    with _name_input_in_errors(name), open(path, "rb") as file:
        if start:
            file.seek(start)
        return file.read(size)


def yield_pieces(name: str, path: str, start: int = 0, size: int = 1 << 20) -> Iterator[bytes]:
    """Yield a file from ``start`` in pieces of about ``size`` bytes that end where lines end.

    Raises:
        InputError: see :func:`read_bytes`.
    """
    with _name_input_in_errors(name), open(path, "rb") as file:
        file.seek(start)
        while piece := file.read(size):
            yield piece if piece.endswith(b"\n") else piece + file.readline()


def decode_bytes(name: str, raw: bytes, encoding: str, lines_before: int = 0) -> str:
    """Decode bytes of a file; ``lines_before`` is the number of lines above them.

    Raises:
        InputError: if they are binary or have another encoding.
        SettingError: if the encoding is unknown.
    """
    encoding = resolve_encoding(raw, encoding)
    _check_not_compressed(name, raw)
    try:
        text = raw.decode(encoding)
    except ValueError as error:
        _check_not_zip(name, raw)
        if b"\0" in raw:
            problem = f"is not text in {encoding} but binary, or in another encoding"
            raise _build_encoding_error(name, problem) from None
        position = getattr(error, "start", 0)
        line = lines_before + raw.count(b"\n", 0, position) + 1
        raise _build_encoding_error(
            f"{name}:{line}", f"byte 0x{raw[position]:02x} is not {encoding}"
        ) from None
    if "\0" in text:
        line = lines_before + text[: text.index("\0")].count("\n") + 1
        raise _build_encoding_error(f"{name}:{line}", _NUL)
    return text


def yield_lines(path: PathName, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of a file, or of standard input, one by one, with their ends.

    In files of old Macs with CR alone, CR becomes LF.

    Raises:
        InputError, SettingError: see :func:`read_text`.
    """
    lines = _yield_texts(path, encoding, iter)
    first = replace_carriage_returns(next(lines, ""))  # the whole file if it has no LF
    yield from io.StringIO(first, newline="\n")
    yield from lines


def yield_numbered_lines(path: PathName, encoding: str = "utf-8") -> Iterator[tuple[str, str]]:
    """Yield the lines that are not blank, each with its location for errors, without its end.

    Raises:
        InputError, SettingError: see :func:`read_text`.
    """
    name = escape_name(os.fsdecode(path))
    for line_number, line in enumerate(yield_lines(path, encoding), 1):
        if line.strip():
            yield f"{name}:{line_number}", line.rstrip("\r\n")


def yield_texts(
    path: PathName, encoding: str = "utf-8", size: int = 1 << 20
) -> Generator[str, None, None]:
    """Yield the text of a file in pieces of ``size`` characters; see :func:`yield_lines`."""
    return _yield_texts(path, encoding, lambda file: iter(partial(file.read, size), ""))


def _yield_texts(
    path: PathName, encoding: str, split: Callable[[TextIO], Iterator[str]]
) -> Generator[str, None, None]:
    """Yield a file's text in the pieces that ``split`` makes of the open file."""
    name = escape_name(os.fsdecode(path))
    check_encoding(encoding)
    with _name_input_in_errors(name):
        source = sys.stdin.fileno() if name == "-" else os.fsdecode(path)
        raw = open(source, "rb", closefd=name != "-")  # noqa: SIM115 — closed below
        start = raw.peek(2)
        text = io.TextIOWrapper(raw, resolve_encoding(start, encoding), newline="\n")
    lines_before = 0
    with text:
        _check_not_compressed(name, start)
        try:
            for index, piece in enumerate(split(text)):
                if "\0" in piece:
                    line = lines_before + piece.count("\n", 0, piece.index("\0")) + 1
                    raise _build_encoding_error(f"{name}:{line}", _NUL)
                lines_before += piece.count("\n")
                yield piece if index else piece.removeprefix(BOM)
        except UnicodeDecodeError as error:
            if name != "-":
                decode_bytes(
                    name, read_bytes(name, os.fsdecode(path)), encoding
                )  # raises the error that names the line
            _check_not_zip(name, error.object)
            byte = error.object[error.start]
            raise _build_encoding_error(name, f"byte 0x{byte:02x} is not {encoding}") from None


def build_mark_error(location: str) -> InputError:
    """Build the error for a byte order mark below the beginning of a file."""
    return InputError(
        f"{location}: a byte order mark inside the file, as is left where files were joined;"
        " delete it"
    )


_NUL = "a NUL character: the file is binary, or in another encoding"


def resolve_encoding(start: bytes, encoding: str) -> str:
    """Check the encoding of a text; UTF-8 becomes UTF-16 if the text starts with its mark."""
    check_encoding(encoding)
    is_utf_16 = start.startswith(UTF_16_MARKS) and codecs.lookup(encoding).name == "utf-8"
    return UTF_16 if is_utf_16 else encoding


def check_encoding(encoding: str) -> None:
    """Check that Python knows an encoding.

    Raises:
        SettingError: if it does not.
    """
    try:
        codecs.lookup(encoding)
    except (LookupError, TypeError, ValueError):
        raise SettingError(
            f"unknown encoding {quote_value(encoding)}; utf-8, latin-1 and all of Python's are"
            " allowed"
        ) from None


def extract_json_problem(error: Exception) -> str:
    """Extract the message of a JSON error, without the words that introduce its position."""
    return re.sub("( starting)? at$", "", getattr(error, "msg", ""))


def parse_json(
    text: str,
    location: str,
    requirement: str,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """Parse JSON; ``pairs`` builds its objects, ``requirement`` ends the message of an error.

    Raises:
        InputError: if it is not valid, nested too deeply, or has too long a number.
    """
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        problem = extract_json_problem(error) or "nested too deeply, or a number too long"
        raise InputError(f"{location}: not valid JSON ({problem}); {requirement}") from None


def format_json(value: Any) -> str:
    """Format a value as JSON on one line that can be written in UTF-8.

    >>> format_json(["日本", "\\ud800"])
    '["\\\\u65e5\\\\u672c", "\\\\ud800"]'
    """
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # JSON's escapes can represent halves of surrogate pairs
        text = json.dumps(value)
    return text


class Zip:
    """Open archive; its files are read into memory by name, and not unpacked to disk.

    Attributes:
        names: names of the files, with ``/``; files that operating systems add are left out.
    """

    def __init__(self, name: str, archive: ZipFile, size: int) -> None:
        self._name, self._archive = name, archive
        members = [member for member in archive.infolist() if not member.is_dir()]
        for member in members:
            problem = ""
            path_parts = re.split(r"[/\\]", member.filename)
            if ".." in path_parts or not path_parts[0] or ":" in path_parts[0]:
                problem = "leads out of the archive"
            elif member.external_attr >> 28 == _LINK:
                problem = "is a link"
            elif member.compress_type not in _METHODS:
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
        """Read a file of the archive.

        Raises:
            InputError: if it is damaged, locked by a password, or expands beyond the limit,
                whatever size the archive states.
        """
        pieces = []
        with (
            _name_archive_in_errors(f"{self._name}, {quote_value(member)}"),
            self._archive.open(member) as file,
        ):
            while piece := file.read(_CHUNK_SIZE):
                self._unpacked += len(piece)
                check_expansion(self._name, self._size, self._unpacked)
                pieces.append(piece)
        return b"".join(pieces)


@contextmanager
def open_zip(path: PathName, data: bytes | None = None) -> Iterator[Zip]:
    """Open an archive for reading; for an archive inside another one, pass its ``data``.

    Raises:
        InputError: if it is not an archive, is damaged, expands beyond the limit
            (:func:`spanagree.limits.check_expansion`), or contains links or paths that lead out.
    """
    from zipfile import ZipFile

    name = escape_path(path)
    raw = read_bytes(name, os.fsdecode(path)) if data is None else data
    with _name_archive_in_errors(name):
        archive = ZipFile(io.BytesIO(raw))
    with archive:
        yield Zip(name, archive, len(raw))


@contextmanager
def _name_archive_in_errors(name: str) -> Iterator[None]:
    """Name the archive in an error that is raised inside, with the reason."""
    from zipfile import BadZipFile

    try:
        yield
    except (
        BadZipFile,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        zlib.error,
    ) as error:
        raise InputError(
            f"{name}: cannot be unpacked ({find_reason(error)}); it may be cut off: export it once"
            " more, as a plain zip"
        ) from None


def _check_not_zip(name: str, raw: bytes) -> None:
    """Check that the bytes of a text are not an archive."""
    if raw.startswith(b"PK\x03\x04"):
        raise InputError(f"{name}: a zip, and a text is needed; unpack it and name its files")


def _check_not_compressed(name: str, raw: bytes) -> None:
    """Check that the bytes of a text are not compressed by gzip."""
    if raw.startswith(b"\x1f\x8b"):
        raise InputError(
            f"{name}: compressed by gzip, and a text is needed; unpack it with gunzip and name the"
            " file that this leaves"
        )


def _build_encoding_error(location: str, problem: str) -> EncodingError:
    """Build the error for a text with another encoding; it names the option."""
    advice = "--encoding (encoding=) names the file's encoding"
    return EncodingError.from_problem(f"{location}: {problem}", advice)


@contextmanager
def advise_on_encoding(options: Collection[str]) -> Iterator[None]:
    """Advise to convert a file, in an error raised inside, where no option names its encoding.

    Args:
        options: names of the options that the reader of the file takes.

    Raises:
        InputError: instead of an error for another encoding.
    """
    try:
        yield
    except EncodingError as error:
        if "encoding" in options:
            raise
        raise InputError(
            f"{error.problem}; convert it to UTF-8 first, as iconv -f ENCODING -t UTF-8 does"
        ) from None


def find_file(folder: Path, name: str) -> Path | None:
    r"""Find the file of a folder by the base name of a path; ``None`` if there is none.

    Folders, drives and ``..`` in the name are ignored, so that a name in a file cannot lead out of
    the folder. A link in the folder is followed, as the owner of the folder put it there.

    >>> find_file(Path(), "../../etc/passwd"), find_file(Path(), "..")
    (None, None)
    """
    file_name = extract_base_name(name)
    path = folder / file_name
    return path if file_name and os.path.isfile(path) else None


def extract_base_name(name: str) -> str:
    r"""Extract the last part of a path of any operating system; empty for ``..``.

    >>> extract_base_name("C:\\texts\\1.txt"), extract_base_name("/etc/passwd")
    ('1.txt', 'passwd')
    >>> extract_base_name("..")
    ''
    """
    last_part = Path(name.replace("\\", "/")).name
    return "" if last_part == ".." else last_part


def check_writable(path: PathName) -> None:
    """Check, before any work, that a file can be written to a path.

    Raises:
        InputError: if the name is empty, a folder, in a missing folder, or not permitted.
    """
    target = Path(path)
    name = escape_path(path)
    if not name:
        raise InputError("'': there is no file without a name; name one to write to")
    with name_output_in_errors(name):
        os.fsencode(path)  # fails for half a surrogate pair, which no file name contains
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
def name_output_in_errors(name: str, action: str = "written") -> Iterator[None]:
    """Name the file in an error that is raised inside, with the reason.

    Args:
        name: name of the file, for the message.
        action: participle of the failed action, ``written`` or ``read``.

    Raises:
        InputError: instead of any error of the system; errors of this package stay.
    """
    try:
        yield
    except SpanAgreeError:
        raise
    except (OSError, ValueError) as error:
        reason = escape_name(str(getattr(error, "strerror", None) or error))
        problem = f"cannot be {action}: {reason}"
        if action == "read" and isinstance(error, FileNotFoundError):
            problem = "no such file"
        elif isinstance(error, IsADirectoryError):
            problem = "is a folder; a file is needed, or a pattern such as 'FOLDER/*.conll'"
        raise InputError(f"{name}: {problem}") from None


_name_input_in_errors = partial(name_output_in_errors, action="read")


@contextmanager
def name_files_in_errors() -> Iterator[None]:
    """Name the file or folder in an error of the system that is raised inside.

    Raises:
        InputError: instead of an error of the system that knows its file.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        with _name_input_in_errors(escape_name(os.fsdecode(error.filename))):
            raise


def write_text(path: PathName, text: str) -> None:
    """Write a text in UTF-8; see :func:`write_bytes`."""
    write_bytes(path, text.encode(errors="backslashreplace"))


def write_bytes(path: PathName, data: bytes) -> None:
    """Write a file completely or not at all; a device is written to, never replaced.

    If several processes write the same file, all succeed and one of them wins. To an open file,
    such as ``/dev/stdout``, the data are appended.

    Raises:
        InputError: if the path cannot be written.
    """
    check_writable(path)
    with name_output_in_errors(escape_path(path)):
        if (descriptor := _find_descriptor(path)) is not None:
            sys.stdout.flush()
            with open(os.dup(descriptor), "wb") as stream:
                stream.write(data)
            return
        if os.path.exists(path) and not os.path.isfile(path):
            Path(path).write_bytes(data)
            return
        target = Path(os.path.realpath(path))
        partial_file = target.with_name(draw_hidden_name("part"))
        try:
            with open(partial_file, "xb") as file:  # fails if the path exists, also as a link
                if target.exists():
                    partial_file.chmod(target.stat().st_mode)
                file.write(data)
            partial_file.replace(target)
        finally:
            partial_file.unlink(missing_ok=True)


@contextmanager
def write_folder(path: PathName) -> Iterator[Path]:
    """Write a folder completely or not at all: yield a hidden one that is renamed at the end.

    Args:
        path: folder that does not exist, or is empty. If it cannot be replaced, such as a mount
            point, the files of the new folder are moved into it.

    Raises:
        InputError: if the folder cannot be written.
    """
    import shutil  # takes a while to load

    name = escape_path(path)
    target = Path(os.path.realpath(path))
    hidden = target.parent / draw_hidden_name("folder")
    try:
        with name_output_in_errors(name):
            hidden.parent.mkdir(parents=True, exist_ok=True)
            if target.is_dir() and not os.access(hidden.parent, os.W_OK):
                hidden = target / hidden.name
            hidden.mkdir()
            yield hidden
            _rename_folder(hidden, target)
    except InputError as error:  # the message has the name of the hidden folder
        raise InputError(str(error).replace(escape_path(hidden), name)) from None
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _rename_folder(hidden: Path, target: Path) -> None:
    """Move the folder ``hidden`` to the path of an empty or missing folder.

    If the target cannot be replaced, the files are moved into it.
    """
    if hidden.parent != target:
        with suppress(OSError):  # Windows fails for an empty folder, all systems for a mount point
            hidden.rename(target)
            return
        if not target.is_dir():
            hidden.rename(target)  # raises the error
    moved_files: list[Path] = []
    try:
        for entry in sorted(hidden.iterdir()):
            moved_files.append(target / entry.name)
            entry.rename(moved_files[-1])
    except BaseException:  # also an interrupt
        for path in moved_files[:-1]:
            path.rename(hidden / path.name)
        raise


def _find_descriptor(path: PathName) -> int | None:
    """Find the descriptor of the open file that a path or a link leads to, if any."""
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


def draw_hidden_name(purpose: str) -> str:
    """Draw an unpredictable name for a file that is renamed once it is complete."""
    return f".spanagree-{purpose}-{os.urandom(8).hex()}"


def name_layers(source: Source) -> dict[str, PathName]:
    """Name the layers of files.

    Without names of their own, layers have the names of their files; files of the same name are
    distinguished by as many folders as needed.

    Raises:
        InputError: if there is no file, or the same one occurs twice without names.

    >>> name_layers(["a/gold.conll", "a/out.conll", "b/out.conll"])
    {'gold.conll': 'a/gold.conll', 'a/out.conll': 'a/out.conll', 'b/out.conll': 'b/out.conll'}
    """
    if isinstance(source, Mapping):
        files = dict(source)
    else:
        if not isinstance(source, (str, os.PathLike, Iterable)):
            raise InputError(f"{quote_value(source)} is not a path; a file's name is needed")
        paths = [source] if isinstance(source, (str, os.PathLike)) else list(source)
        files = dict(zip(choose_file_names(paths), paths, strict=True))
    if not files:
        raise InputError(
            "no file; at least one is needed: pass its path, or names of annotators to paths"
        )
    return files


def yield_pairs_of_same_file(paths: Sequence[PathName]) -> Iterator[tuple[int, int]]:
    """Yield the indices of two paths to the same file, also by another spelling or a link."""
    first_index: dict[object, int] = {}
    for i, path in enumerate(paths):
        identity: object = os.path.abspath(path)
        with suppress(OSError, ValueError):  # missing, such as a pattern, or not a path
            stat = os.stat(path)
            identity = (stat.st_dev, stat.st_ino)
        if first_index.setdefault(identity, i) != i:
            yield first_index[identity], i


def _split_path(path: PathName) -> tuple[str, ...]:
    """Split a path into folders and a name, which ``.`` and ``..`` lack.

    >>> _split_path("a/../b.conll"), _split_path(".")[-1] == Path.cwd().name
    (('b.conll',), True)
    """
    parts = Path(os.path.normpath(path)).parts
    return Path(os.path.abspath(path)).parts if parts[-1:] in ((), ("..",)) else parts


def choose_file_names(paths: Sequence[PathName], taken_names: Sequence[str] = ()) -> list[str]:
    """Choose a name for each path, different from each other and from ``taken_names``."""
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise InputError(f"{quote_value(path)} is not a path; a file's name is needed")
    absolute_paths = [os.path.abspath(path) for path in paths]
    for first, second in yield_pairs_of_same_file(paths):
        name = escape_path(paths[second])
        first_name = escape_path(paths[first])
        repetition = "twice" if name == first_name else f"as {first_name}"
        raise InputError(
            f"{name}: the same file {repetition}; NAME=FILE gives it a name of its own"
        )
    path_parts = [("stdin",) if path == "-" else _split_path(path) for path in paths]
    depths = [1] * len(path_parts)
    while True:
        names = ["/".join(parts[-depth:]) for parts, depth in zip(path_parts, depths, strict=True)]
        ambiguous = [
            i for i, name in enumerate(names) if names.count(name) > 1 or name in taken_names
        ]
        if not ambiguous:
            return names
        deeper = [i for i in ambiguous if depths[i] < len(path_parts[i])]
        for i in deeper or ambiguous:
            if not deeper:  # only absolute paths distinguish the files
                path_parts[i] = Path(absolute_paths[i]).parts
            depths[i] += 1
            if depths[i] > len(path_parts[i]):
                name = quote_value(names[i])
                raise InputError(f"the name {name} is given twice; each annotator needs its own")
