"""Rows of annotators in files; see :mod:`spanagree.parts.row_files`."""

from __future__ import annotations

from typing import Any

import numpy as np

from spanagree.agreement.compared_annotators import ComparedAnnotators
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.table import Comparisons, Marginals, Sharing
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import choose_annotators
from spanagree.errors import InputError
from spanagree.files import PathName
from spanagree.parts.row_files import (
    RowsFile,
    about_corpus,
    arrays_of,
    corpus_of_rows,
    inexact_of,
    plain_inexact,
    read_rows,
    table_of_file,
    write_rows,
)

_KIND = "annotators"
_SHARED = ("saw", "only", "first", "second", "shared")
_OF_CROWDS = ("documents", "pairs", "annotations")


def write(rows: ComparedAnnotators, path: PathName) -> None:
    """Write rows; see :meth:`ComparedAnnotators.write`."""
    team, _ = choose_annotators(rows.corpus, rows.chosen)
    about = about_corpus(team, rows.counting, rows.kind, rows.description)
    sharing = {f"sharing.{key}": getattr(rows.sharing, key) for key in _SHARED}
    about |= {"chosen": rows.chosen and list(rows.chosen), "seen": rows.sharing.seen}
    tables, inexact = _tables("rows", rows.sums), {"rows": plain_inexact(rows.sums.inexact)}
    if rows.uniform is not None:
        tables |= _tables("uniform", rows.uniform)
        inexact["uniform"] = plain_inexact(rows.uniform.inexact)
    about["inexact"] = inexact
    write_rows(path, _KIND, about, tables, {**arrays_of(team), **sharing, "most": rows.most})


def read(path: PathName) -> ComparedAnnotators:
    """Read rows; see :meth:`ComparedAnnotators.read`."""
    file = read_rows(path, _KIND)
    corpus, counting, kind, description = corpus_of_rows(file)
    names, most = corpus.annotators, file.column("most", "i", len(corpus))
    columns = {
        key: file.column(f"sharing.{key}", "i", len(names) if key in _SHARED[:2] else None)
        for key in _SHARED
    }
    inexact, seen = file.about.get("inexact"), file.about.get("seen")
    if not isinstance(inexact, dict) or "rows" not in inexact or not isinstance(seen, int):
        raise InputError(f"{file.name}: inexact or seen is not as rows are written")
    sharing = Sharing(names, seen, **columns)
    pairs = np.concatenate((sharing.first, sharing.second))
    alike = len({len(columns[key]) for key in _SHARED[2:]}) == 1
    if not alike or ((pairs < 0) | (pairs >= len(names))).any():
        raise InputError(f"{file.name}: sharing is not as rows are written")
    sums = _of_file(file, "rows", corpus, inexact["rows"])
    uniform = (
        _of_file(file, "uniform", corpus, inexact["uniform"]) if "uniform" in inexact else None
    )
    chosen = file.about.get("chosen")
    return ComparedAnnotators(
        corpus, chosen, counting, kind, sums, sharing, most, description, uniform
    )


def _tables(name: str, sums: Comparisons | Marginals) -> dict[str, Comparisons | None]:
    """Collect the tables of rows, or of sums of crowded documents, by name."""
    if isinstance(sums, Comparisons):
        return {name: sums}
    return {name: sums.rows, **{f"{name}.{part}": getattr(sums, part) for part in _OF_CROWDS}}


def _of_file(file: RowsFile, name: str, corpus: Corpus, plain: Any) -> Comparisons | Marginals:
    """Read the rows under one chance model from a file."""
    inexact = inexact_of(file, plain)
    rows = table_of_file(file, name, corpus, inexact)
    if f"{name}.{_OF_CROWDS[0]}.document" not in file.arrays:
        return rows
    parts = [table_of_file(file, f"{name}.{part}", corpus, Inexact()) for part in _OF_CROWDS]
    documents, pairs, annotations = parts
    return Marginals(rows, documents, pairs, annotations)
