"""Rows of annotators in files, which are compared as parts later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spanagree.agreement.coverage import SharedDocumentCounts
from spanagree.agreement.crowd_sums import PartlySummedComparisons
from spanagree.arrays import Ints
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError
from spanagree.parts.row_files import RowsFile, parse_inexact, read_table, serialize_inexact

_SHARED = ("saw", "only", "first", "second", "shared")
_OF_CROWDS = ("documents", "pairs", "annotations")


def collect_contents(
    chosen: Sequence[str] | None,
    sums: Comparisons | PartlySummedComparisons,
    uniform: Comparisons | PartlySummedComparisons | None,
    sharing: SharedDocumentCounts,
    most: Ints,
) -> tuple[dict[str, Any], dict[str, Comparisons], dict[str, Any]]:
    """Collect metadata for JSON, tables of rows by name, and further columns by name.

    The arguments are attributes of the compared annotators.
    """
    inexact = {"rows": serialize_inexact(sums.inexact)}
    tables = _collect_tables("rows", sums)
    if uniform is not None:
        tables |= _collect_tables("uniform", uniform)
        inexact["uniform"] = serialize_inexact(uniform.inexact)
    metadata = {"chosen": chosen and list(chosen), "seen": sharing.seen, "inexact": inexact}
    sharing_columns = {f"sharing.{key}": getattr(sharing, key) for key in _SHARED}
    return metadata, tables, {**sharing_columns, "most": most}


def _collect_tables(
    name: str, sums: Comparisons | PartlySummedComparisons
) -> dict[str, Comparisons]:
    """Collect the tables of a file: the rows, and the sums of crowded documents if there are any.

    ``name`` is the name of the table of rows, and the prefix of the others.
    """
    if isinstance(sums, Comparisons):
        return {name: sums}
    return {name: sums.rows, **{f"{name}.{key}": getattr(sums, key) for key in _OF_CROWDS}}


def read_contents(file: RowsFile, corpus: Corpus) -> dict[str, Any]:
    """Read rows, sums and numbers of shared documents, as attributes of the compared annotators.

    Args:
        file: contents of the file.
        corpus: documents of the file.

    Raises:
        InputError: if they are not as rows are written.
    """
    names, max_segments = corpus.annotators, file.read_column("most", "i", len(corpus))
    columns = {
        key: file.read_column(f"sharing.{key}", "i", len(names) if key in _SHARED[:2] else None)
        for key in _SHARED
    }
    inexact, n_seen = file.about.get("inexact"), file.about.get("seen")
    if not isinstance(inexact, dict) or "rows" not in inexact or not isinstance(n_seen, int):
        raise InputError(f"{file.name}: inexact or seen is not as rows are written")
    sharing = SharedDocumentCounts(names, n_seen, **columns)
    pairs = np.concatenate((sharing.first, sharing.second))
    have_same_length = len({len(columns[key]) for key in _SHARED[2:]}) == 1
    if not have_same_length or ((pairs < 0) | (pairs >= len(names))).any():
        raise InputError(f"{file.name}: sharing is not as rows are written")
    sums = _read_sums(file, "rows", corpus, inexact["rows"])
    if isinstance(sums, Comparisons):
        pairs_of_rows, shared_pairs = (
            table.first * len(names) + table.second for table in (sums, sharing)
        )
        if not np.isin(pairs_of_rows, shared_pairs).all():
            raise InputError(f"{file.name}: a pair of the rows shares no document")
    uniform = None
    if "uniform" in inexact:
        uniform = _read_sums(file, "uniform", corpus, inexact["uniform"])
    return {
        "sums": sums,
        "sharing": sharing,
        "most": max_segments,
        "uniform": uniform,
        "chosen": file.about.get("chosen"),
    }


def _read_sums(
    file: RowsFile, name: str, corpus: Corpus, stored_bounds: Any
) -> Comparisons | PartlySummedComparisons:
    """Read the rows under one chance model, and the sums of crowded documents, from a file.

    Args:
        file: contents of the file.
        name: name of the table of rows.
        corpus: corpus of the file.
        stored_bounds: error bounds of expected matches, as stored.
    """
    inexact = parse_inexact(file, stored_bounds)
    rows = read_table(file, name, corpus, inexact)
    if f"{name}.{_OF_CROWDS[0]}.document" not in file.arrays:
        return rows
    documents, pairs, annotations = (
        read_table(file, f"{name}.{key}", corpus, ApproximationError(), of_sums=True)
        for key in _OF_CROWDS
    )
    return PartlySummedComparisons(rows, documents, pairs, annotations)
