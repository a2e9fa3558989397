"""Rows of systems in files; see :mod:`spanagree.parts.row_files`."""

from __future__ import annotations

from typing import Any

from spanagree.comparisons.inexact import Inexact
from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError, show
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
from spanagree.systems.compared_systems import ComparedSystems, SystemRows

_KIND = "systems"


def write(rows: ComparedSystems, path: PathName) -> None:
    """Write rows; see :meth:`ComparedSystems.write`."""
    about = about_corpus(rows.corpus, rows.counting, rows.kind, rows.description)
    tables = {"rows": rows.rows.comparisons, "uniform": None}
    about |= {"gold": rows.gold, "inexact": _plain(rows.rows), "remarks": list(rows.notes)}
    if rows.uniform is not None:
        tables["uniform"] = rows.uniform.comparisons
        about["inexact_uniform"] = _plain(rows.uniform)
    write_rows(path, _KIND, about, tables, arrays_of(rows.corpus))


def read(path: PathName) -> ComparedSystems:
    """Read rows; see :meth:`ComparedSystems.read`."""
    file = read_rows(path, _KIND)
    corpus, counting, kind, description = corpus_of_rows(file)
    gold, remarks = file.about.get("gold"), file.about.get("remarks", [])
    if not isinstance(gold, str) or gold not in corpus.layers:
        raise InputError(f"{file.name}: gold {show(gold)} is none of its annotators")
    rows = _of_file(file, "rows", "inexact", corpus)
    uniform = None
    if "inexact_uniform" in file.about:
        uniform = _of_file(file, "uniform", "inexact_uniform", corpus)
    notes = tuple(map(str, remarks))
    return ComparedSystems(corpus, gold, counting, kind, rows, description, uniform, notes)


def _plain(rows: SystemRows) -> dict[str, Any]:
    return {name: plain_inexact(inexact) for name, inexact in rows.inexact.items()}


def _of_file(file: RowsFile, table: str, inexact: str, corpus: Corpus) -> SystemRows:
    """Read the rows under one chance model from a file."""
    plain = file.about.get(inexact)
    if not isinstance(plain, dict) or not plain.keys() <= corpus.layers.keys():
        raise InputError(f"{file.name}: {inexact} is not as rows are written")
    by_system = {name: inexact_of(file, bounds) for name, bounds in plain.items()}
    total = sum(by_system.values(), Inexact())
    return SystemRows(table_of_file(file, table, corpus, total), by_system)
