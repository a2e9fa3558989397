"""Rows of systems and gold in files, which are compared as parts later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError, quote_value
from spanagree.parts.row_files import RowsFile, parse_inexact, read_table, serialize_inexact
from spanagree.systems.system_rows import SystemRows


def collect_contents(
    gold: str, notes: Sequence[str], rows: SystemRows, uniform: SystemRows | None
) -> tuple[dict[str, Any], dict[str, Comparisons]]:
    """Collect metadata for JSON, and tables of rows by name.

    Args:
        gold: name of the gold layer.
        notes: remarks on the comparison.
        rows: matches and sizes of each system with gold.
        uniform: rows without the rule of places, if chance has one.
    """
    metadata = {"gold": gold, "inexact": _serialize_bounds(rows), "remarks": list(notes)}
    tables = {"rows": rows.comparisons}
    if uniform is not None:
        tables["uniform"] = uniform.comparisons
        metadata["inexact_uniform"] = _serialize_bounds(uniform)
    return metadata, tables


def _serialize_bounds(rows: SystemRows) -> dict[str, Any]:
    """Convert the error bounds of expected matches to values for JSON, by system."""
    return {name: serialize_inexact(inexact) for name, inexact in rows.inexact.items()}


def read_contents(file: RowsFile, corpus: Corpus) -> dict[str, Any]:
    """Read gold, rows and notes, as attributes of the compared systems by name.

    Args:
        file: contents of the file.
        corpus: documents of the file.

    Raises:
        InputError: if they are not as rows are written.
    """
    gold, remarks = file.about.get("gold"), file.about.get("remarks", [])
    if not isinstance(gold, str) or gold not in corpus.layers:
        raise InputError(f"{file.name}: gold {quote_value(gold)} is none of its annotators")
    rows = _read_rows(file, "rows", "inexact", corpus)
    uniform = None
    if "inexact_uniform" in file.about:
        uniform = _read_rows(file, "uniform", "inexact_uniform", corpus)
    if not isinstance(remarks, list) or not all(isinstance(note, str) for note in remarks):
        raise InputError(f"{file.name}: remarks are a list of texts, not {quote_value(remarks)}")
    return {"gold": gold, "rows": rows, "uniform": uniform, "notes": tuple(remarks)}


def _read_rows(file: RowsFile, table_name: str, bounds_key: str, corpus: Corpus) -> SystemRows:
    """Read the rows under one chance model from a file.

    Args:
        file: contents of the file.
        table_name: name of the table of rows.
        bounds_key: key of the error bounds of expected matches, by system.
        corpus: corpus of the file.
    """
    stored_bounds = file.about.get(bounds_key)
    if not isinstance(stored_bounds, dict) or not stored_bounds.keys() <= corpus.layers.keys():
        raise InputError(f"{file.name}: {bounds_key} is not as rows are written")
    by_system = {name: parse_inexact(file, bounds) for name, bounds in stored_bounds.items()}
    total = sum(by_system.values(), ApproximationError())
    return SystemRows(read_table(file, table_name, corpus, total), by_system)
