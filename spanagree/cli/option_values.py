"""Parsers of the values of options and arguments."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from spanagree.errors import InputError, parse_whole_number, quote_value
from spanagree.files import choose_file_names


def is_given(value: Any) -> bool:
    """Check whether a value was passed by the user."""
    return value is not None and value is not False and value != ()


def format_option_name(name: str) -> str:
    """Format the name of an option as a user writes it."""
    return f"--{name.replace('_', '-')}"


def parse_names(text: str, option: str) -> list[str]:
    """Split ``NAME,…``; a name with a comma is in double quotes."""
    try:
        (names,) = csv.reader([text], skipinitialspace=True, strict=True)
    except csv.Error:
        rule = """a name with a comma stands in double quotes, as in 'ann,"Doe, Jane"'"""
        raise click.UsageError(f"{option}: {quote_value(text)}; {rule}") from None
    return [name.strip() for name in names or [text]]


def parse_mapping(text: str, option: str) -> dict[str, str]:
    """Parse ``NAME=COLUMN,…`` as a mapping; ``option`` is for messages."""
    mapping: dict[str, str] = {}
    for item in parse_names(text, option):
        name, _, value = item.rpartition("=")
        if not name or not value:
            raise click.UsageError(f"{option}: {quote_value(item)}; NAME=COLUMN is needed")
        if name in mapping:
            raise InputError(f"{option}: {_build_repetition_error(name)}")
        mapping[name] = value
    return mapping


def parse_runs(text: str, option: str) -> dict[str, list[str]]:
    """Parse ``NAME=LAYER,LAYER,…,NAME=…``; return the layers that are runs of each system."""
    runs: dict[str, list[str]] = {}
    for item in parse_names(text, option):
        name, equals, layer = item.partition("=")
        if equals and name in runs:
            raise InputError(f"{option}: {_build_repetition_error(name)}")
        if (equals and not (name and layer)) or not (equals or runs):
            raise click.UsageError(f"{option}: {quote_value(item)}; NAME=RUN,RUN,... is needed")
        current = name if equals else [*runs][-1]
        runs.setdefault(current, []).append(layer if equals else item)
    return runs


def parse_run_files(option_values: Mapping[str, Any]) -> dict[str, Any]:
    """Split arguments ``NAME=FILE,FILE,…`` into single files, and make these the runs of NAME.

    Returns:
        The settings ``files`` and ``runs``; empty if no argument names several files.
    """
    files: list[str] = []
    ranges: dict[str, range] = {}
    for argument in option_values.get("files", ()):
        name, equals, text = argument.partition("=")
        is_path = any(map(os.path.exists, (argument, text)))
        if not (equals and name and "," in text) or is_path:
            files.append(argument)
            continue
        if name in ranges or name in option_values.get("runs", {}):
            raise InputError(f"{quote_value(name)}: {_build_repetition_error(name)}")
        paths = parse_names(text, argument)
        ranges[name] = range(len(files), len(files) + len(paths))
        files += paths
    if not ranges:
        return {}
    layers = list(parse_layers(files))
    runs = {name: [layers[i] for i in positions] for name, positions in ranges.items()}
    return {"files": tuple(files), "runs": {**option_values.get("runs", {}), **runs}}


def _build_repetition_error(name: str) -> str:
    """Build the error for a name that is repeated."""
    return f"the name {quote_value(name)} is given twice; give each annotator a name of its own"


def parse_columns(text: str, option: str) -> str | dict[str, str | int]:
    """Parse ``NAME=COLUMN,…`` as a mapping with integers for numbers; keep other text unchanged."""
    if "=" not in text:
        return text
    return {
        name: parse_whole_number(column, f"{option}:") if column.isdecimal() else column
        for name, column in parse_mapping(text, option).items()
    }


def parse_spans(text: str, option: str) -> str | dict[str, str]:
    """Parse ``NAME=COLUMN,…`` as a mapping; other text is unchanged."""
    return parse_mapping(text, option) if "=" in text else text


def parse_numbers(text: str, option: str) -> list[float]:
    """Parse the numbers of ``X,…``."""
    return [_parse_number(item, option) for item in text.split(",")]


def _parse_number(text: str, option: str) -> float:
    """Parse a number; raise a UsageError with the option if it is none."""
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option}: {quote_value(text)} is not a number") from None


def parse_integers(text: str, option: str) -> list[int]:
    """Parse the integers of ``N,…``."""
    return [_parse_integer(item, option) for item in text.split(",")]


def _parse_integer(text: str, option: str) -> int:
    """Parse an integer; raise a UsageError with the option if it is none."""
    if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text, re.ASCII):
        raise click.UsageError(f"{option}: {quote_value(text)} is not a whole number")
    return parse_whole_number(text.strip(), f"{option}:")


def parse_layers(files: Sequence[str]) -> dict[str, str]:
    """Parse arguments FILE or NAME=FILE; return the path of each layer by its name.

    A layer without a NAME is named after its file.
    """
    named_layers: dict[int, tuple[str, str]] = {}
    for i, argument in enumerate(files):
        name, equals, path = argument.partition("=")
        if equals and not any(map(os.path.exists, (argument, argument.rpartition(":")[0]))):
            if not name or not path:
                raise click.UsageError(f"{quote_value(argument)}: NAME=FILE needs both")
            if name in (used_name for used_name, _ in named_layers.values()):
                raise InputError(_build_repetition_error(name))
            named_layers[i] = name, path
    paths = [
        named_layers[i][1] if i in named_layers else argument for i, argument in enumerate(files)
    ]
    if paths.count("-") > 1:
        raise InputError("standard input (-) is given twice; give it once, as it is read once")
    unnamed = [i for i in range(len(files)) if i not in named_layers]
    names = choose_file_names(
        [files[i] for i in unnamed], [name for name, _ in named_layers.values()]
    )
    named_layers |= {i: (name, files[i]) for i, name in zip(unnamed, names, strict=True)}
    return dict(named_layers[i] for i in range(len(files)))
