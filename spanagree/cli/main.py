"""Entry point of the command line, with exit codes and errors of one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from spanagree.cli.group import spanagree
from spanagree.cli.job import FAILED
from spanagree.cli.options import MISSING_OPTIONS
from spanagree.errors import SpanAgreeError, escape_name, shorten_message
from spanagree.removed import write_removal_message
from spanagree.version import ADDRESS

_MISUSED, _BROKEN, _INTERRUPTED = 2, 70, 130  # 70: EX_SOFTWARE of sysexits.h
_READER_GONE = 1  # click's code if the reader of the help, such as `head`, has closed the pipe


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; errors are one line on stderr.

    Unexpected exceptions are one line too; ``--verbose`` adds the traceback.
    """
    if sys.stderr is None:  # closed by the shell
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 — stays open
    if sys.stdout is None:
        return _print_error("standard output is closed, so there is nowhere to write to", FAILED)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # escapes replace characters that the terminal lacks
            stream.reconfigure(errors="backslashreplace")
    written: list[str] = []
    try:
        command_line = None if arguments is None else list(arguments)
        code = spanagree.main(
            command_line, prog_name="spanagree", standalone_mode=False, obj=written
        )
        sys.stdout.flush()
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "spanagree"
        message = error.format_message().replace("\n\t", " ").rstrip(".")
        if isinstance(error, click.NoSuchOption):
            option, command_name = error.option_name, error.ctx.info_name if error.ctx else ""
            if removal := write_removal_message(option, str(command_name)):
                message = removal
            elif reason := MISSING_OPTIONS.get((str(command_name), option)):
                message = f"{option}: {reason}"
        elif "unexpected extra argument" in message and error.ctx:
            message = write_removal_message(f"{error.ctx.info_name} FILE") or message
        return _print_error(f"{message}; see '{command} --help'", _MISUSED)
    except (click.ClickException, SpanAgreeError) as error:
        return _print_error(str(error), FAILED)
    except (click.Abort, KeyboardInterrupt):
        outputs = f" after writing {' and '.join(written)}" if written else "; nothing was written"
        return _print_error(f"interrupted{outputs}", _INTERRUPTED)
    except SystemExit as stop:  # raised by the handler of a signal, or by click
        return 0 if stop.code == _READER_GONE else int(stop.code or 0)
    except MemoryError:
        return _print_error("there is not enough memory for this", FAILED)
    except OSError as error:
        if error.filename is not None:
            name = escape_name(os.fsdecode(error.filename))
            return _print_error(f"{name}: cannot be read or written: {error.strerror}", FAILED)
        if isinstance(error, BrokenPipeError):  # the reader, such as `head`, has closed the pipe
            return 0
        return _print_error(f"standard output: cannot be written: {error.strerror}", FAILED)
    except Exception as error:  # users get no traceback
        code = _print_error(_describe_fault(error), _BROKEN)
        if "--verbose" in (sys.argv[1:] if arguments is None else arguments):
            import traceback  # needed for faults alone

            traceback.print_exception(error)
        return code
    return int(code or 0)


def _describe_fault(error: Exception) -> str:
    """Write the message for an exception that is a bug of this program."""
    error_text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    location = f" at {ADDRESS}/issues" if ADDRESS else ""
    return (
        f"{error_text.rstrip('.')}: this is a fault of spanagree; please report it{location}, with"
        " the command and what --verbose adds"
    )


def _print_error(message: str, code: int) -> int:
    """Print an error and return its exit code."""
    print(f"spanagree: error: {shorten_message(escape_name(message))}", file=sys.stderr)  # noqa: T201
    return code
