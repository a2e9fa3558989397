"""Checks of the paths of outputs, and notes on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from spanagree.cli.notes import select_note_of_each_kind
from spanagree.cli.progress import hide_progress
from spanagree.errors import InputError, escape_name, shorten_message
from spanagree.files import check_writable


def show_notes(notes: Iterable[str]) -> None:
    """Write notes on stderr, after stdout; one of each kind, or all with ``--verbose``."""
    hide_progress()
    sys.stdout.flush()
    verbose = click.get_current_context().params.get("verbose")
    for note in notes if verbose else select_note_of_each_kind(notes, "--verbose lists all"):
        click.echo(f"spanagree: note: {shorten_message(escape_name(note))}", err=True)


def check_outputs(outputs: Mapping[str, str | None], inputs: Iterable[str]) -> None:
    """Check that outputs can be written, are not inputs, and differ from each other.

    Args:
        outputs: path by option; `None` for an option that was not given.
        inputs: paths of the inputs.

    Raises:
        InputError: for the first output that breaks a condition.
    """
    option_by_path: dict[str, str] = {}
    for option, output in outputs.items():
        if output is None or output == "-":
            continue
        check_writable(output)
        path = Path(output)
        for input_path in inputs:
            if path.is_file() and os.path.exists(input_path) and path.samefile(input_path):
                raise InputError(
                    f"{escape_name(output)}: is an input too, which {option} would overwrite; name"
                    " another file"
                )
        real_path = os.path.realpath(path)
        if real_path in option_by_path:
            raise InputError(
                f"{escape_name(output)}: is given to {option_by_path[real_path]} and to"
                f" {option}; each needs a file of its own"
            )
        option_by_path[real_path] = option
