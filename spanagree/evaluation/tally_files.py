"""Tallies of an evaluation as files: parts that were made apart are merged into one result.

A Parquet file with a row for each document, system and label in which gold or system has a segment;
and, so that it is known who saw what, a row without a label for each other document that a system
shares with gold, and one without a system for documents that none does. It holds no text and no
spans. Settings, notes, and the names of systems and labels are in its metadata, as JSON.
"""

from __future__ import annotations

import functools
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.corpus.segments import LONGEST
from spanagree.errors import InputError, SettingError, printable, show
from spanagree.evaluation.count import CountedSystems, EvaluationSettings, Kept, sums_of
from spanagree.evaluation.result import Evaluation, result
from spanagree.extras import optional
from spanagree.files import PathName, write_bytes
from spanagree.matching.tally import Tallies

VERSION = 1


_KEY = b"spanagree.tallies"


_RESAMPLED = ("ci", "resamples", "seed")  # settings of intervals, which are made anew


_COLUMNS = {
    "document": "int64",
    "id": "string",
    "system": "string",
    "label": "string",
    "matched": "double",
    "expected": "double",
    "size_gold": "int64",
    "size_system": "int64",
}


def write_tallies(evaluation: Evaluation, path: PathName) -> None:
    """Write the tallies of an evaluation, from which :func:`read_tallies` makes it again.

    Args:
        evaluation: of one corpus; over blocks single documents are not kept.
        path: of the Parquet file, written whole or not at all.

    Raises:
        SettingError: for an evaluation over blocks, or if pyarrow is not installed.
        InputError: for a path that cannot be written.
    """
    pa = optional("pyarrow", "arrow", "writing tallies")
    parquet = optional("pyarrow.parquet", "arrow", "writing tallies")
    columns = _columns(evaluation)
    about = {
        "version": VERSION,
        "settings": {k: v for k, v in evaluation.settings.items() if k not in _RESAMPLED},
        "documents": evaluation.documents,
        "systems": list(evaluation.systems),
        "labels": list(evaluation.label_names),
        "whole": all(s.kept()[0].matched.dtype.kind == "i" for s in evaluation.systems.values()),
        "notes": list(evaluation.counted.notes),
    }
    about["digest"] = _digest(about, columns)
    schema = pa.schema(
        [
            (name, getattr(pa, "float64" if kind == "double" else kind)())
            for name, kind in _COLUMNS.items()
        ],
        metadata={_KEY: json.dumps(about)},
    )
    try:
        table = pa.table(columns, schema=schema)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{show(error.object)}: a name with half a surrogate pair, which Parquet cannot hold;"
            " give it another"
        ) from None
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd")
    write_bytes(path, out.getvalue())


def _columns(evaluation: Evaluation) -> dict[str, Any]:
    """The columns of the file, each as an array."""
    size = evaluation.documents
    label_names = np.array([*evaluation.label_names, None], dtype=object)
    rows = []
    nobody = np.ones(size, np.bool_)
    for name, system in evaluation.systems.items():
        tallies, shared = system.kept()
        figures = (
            tallies.matched.astype(np.float64),
            tallies.expected,
            tallies.size_a,
            tallies.size_b,
        )
        rows.append(
            (
                tallies.document,
                _all(name, len(tallies.document)),
                label_names[tallies.label],
                *figures,
            )
        )
        empty = shared.copy()
        empty[tallies.document] = False
        rows.append(_without_segments(np.flatnonzero(empty), name))
        nobody &= ~shared
    rows.append(_without_segments(np.flatnonzero(nobody), None))
    document, *rest = (np.concatenate(column) for column in zip(*rows, strict=True))
    ids = evaluation.document_ids
    named = _all(None, size) if ids is None else np.array(ids, dtype=object)
    return dict(zip(_COLUMNS, (document, named[document], *rest), strict=True))


def _without_segments(documents: Ints, system: str | None) -> tuple[Any, ...]:
    """Rows that only say that a document was there."""
    n = len(documents)
    matched, expected = np.zeros((2, n))
    gold, marked = np.zeros((2, n), np.int64)
    return documents, _all(system, n), _all(None, n), matched, expected, gold, marked


def _all(value: str | None, count: int) -> Any:
    return np.full(count, value, dtype=object)


class _Part(NamedTuple):
    """What one file holds."""

    name: str
    digest: str
    counts: CountedSystems


def read_tallies(paths: PathName | Sequence[PathName]) -> Evaluation:
    """Return the evaluation whose tallies some files hold, as of one run over all their documents.

    Labels are united by name; documents come in the order of the files.

    Args:
        paths: the files, each once.

    Raises:
        InputError: for a file that is not there, holds no tallies, or those of another version;
            for a part that comes twice, by its content or by the id of a document; for parts with
            other systems, or made with other settings, naming the difference.
        SettingError: if pyarrow is not installed.
    """
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not listed:
        raise InputError("no file; at least one with tallies is needed")
    parts = [_read(path) for path in listed]
    if len(parts) == 1:
        return result(parts[0].counts)
    first = parts[0]
    for part in parts[1:]:
        if sorted(part.counts.sums) != sorted(first.counts.sums):
            raise InputError(
                f"{part.name}: systems {', '.join(map(printable, part.counts.sums))};"
                f" {first.name} has {', '.join(map(printable, first.counts.sums))}, and all parts"
                " need the same"
            )
    _check_once(parts)
    return result(functools.reduce(_added, parts).counts)


def _added(one: _Part, other: _Part) -> _Part:
    """Return both parts as one; notes say of which file they are."""
    named = [
        replace(part.counts, notes=tuple(f"{part.name}: {note}" for note in part.counts.notes))
        if part.name
        else part.counts
        for part in (one, other)
    ]
    try:
        return _Part("", "", named[0] + named[1])
    except InputError as error:
        raise InputError(f"{other.name}: {error}") from None


def _check_once(parts: Sequence[_Part]) -> None:
    """Refuse a part, or a document, that comes twice."""
    by_content: dict[str, str] = {}
    by_id: dict[str, str] = {}
    for part in parts:
        if part.digest in by_content:
            raise InputError(
                f"{part.name}: holds what {by_content[part.digest]} does; each part is merged once"
            )
        by_content[part.digest] = part.name
        for id_ in part.counts.documents_kept().ids or ():
            if id_ in by_id:
                raise InputError(
                    f"{part.name}: document {show(id_)} is in {by_id[id_]} too; each document is"
                    " counted once"
                )
            by_id[id_] = part.name


# --- one file -----------------------------------------------------------------------------------


def _read(path: PathName) -> _Part:
    parquet = optional("pyarrow.parquet", "arrow", "reading tallies")
    name = printable(os.fspath(path))
    try:
        table = parquet.ParquetFile(os.fspath(path), memory_map=False).read()
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except Exception as error:  # whatever the decoder raises
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f"{name}: cannot be read as Parquet: {printable(lines[0])}") from None
    about = _about(name, (table.schema.metadata or {}).get(_KEY))
    types = {field.name: str(field.type) for field in table.schema}
    if types != _COLUMNS:
        raise InputError(
            f"{name}: columns {', '.join(f'{k} {v}' for k, v in types.items()) or 'none'}; those"
            f" of tallies are {', '.join(f'{k} {v}' for k, v in _COLUMNS.items())}"
        )
    for key, kind in _COLUMNS.items():
        if kind != "string" and table.column(key).null_count:
            raise InputError(f"{name}: {key} is missing in some rows; every row has one")
    columns: dict[str, Any] = {
        key: table.column(key).to_numpy()
        if kind != "string"
        else np.array(table.column(key).to_pylist(), dtype=object)
        for key, kind in _COLUMNS.items()
    }
    if about["digest"] != _digest(about, columns):
        raise InputError(
            f"{name}: is not as it was written: its content does not fit its digest; write it anew"
        )
    _check_values(name, about, columns)
    systems = {system: _of_system(columns, system, about) for system in about["systems"]}
    tallies = {system: tallied for system, (tallied, _) in systems.items()}
    shared = {system: both for system, (_, both) in systems.items()}
    kept = Kept(tallies, shared, _ids(name, about, columns))
    settings, labels = EvaluationSettings.read(about["settings"]), tuple(about["labels"])
    counts = CountedSystems(
        documents=about["documents"],
        settings=settings,
        notes=tuple(about["notes"]),
        annotators=(settings.gold, *sorted(systems)),
        labels=labels,
        **sums_of(kept, labels, settings),
    )
    return _Part(name, about["digest"], counts)


def _about(name: str, raw: bytes | None) -> dict[str, Any]:
    """What the file says of itself, checked."""
    if raw is None:
        raise InputError(
            f"{name}: holds no tallies; evaluate --tallies (write_tallies) writes such files"
        )
    try:
        about = json.loads(raw)
        version = about["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"{name}: what it says of its tallies cannot be read") from None
    if version != VERSION:
        raise InputError(
            f"{name}: tallies of version {show(version)}; version {VERSION} is needed, which this"
            " release writes"
        )
    kinds: dict[str, type] = {"settings": dict, "documents": int, "whole": bool, "digest": str}
    kinds |= dict.fromkeys(("systems", "labels", "notes"), list)
    for key, kind in kinds.items():
        value = about.get(key)
        texts = kind is not list or all(isinstance(x, str) for x in value or ())
        if (
            type(value) is not kind
            or not texts
            or (isinstance(value, int) and not 0 <= value <= LONGEST)
        ):
            raise InputError(f"{name}: {key} {show(value)} in what it says of its tallies is wrong")
    for key in ("match", "gold", "version", "chance"):
        if not isinstance(about["settings"].get(key), str):
            raise InputError(f"{name}: settings without {key} in what it says of its tallies")
    return dict(about)


def _digest(about: Mapping[str, Any], columns: Mapping[str, Any]) -> str:
    """What tells this content from any other; notes do not count."""
    sealed = [
        about[key] for key in ("version", "settings", "documents", "systems", "labels", "whole")
    ]
    digest = blake2b(json.dumps(sealed, sort_keys=True).encode(), digest_size=16)
    for key, kind in _COLUMNS.items():
        if kind == "string":
            digest.update("\0".join(map(repr, columns[key])).encode())
        else:
            digest.update(np.ascontiguousarray(columns[key]).astype(kind, copy=False).tobytes())
    return digest.hexdigest()


def _check_values(name: str, about: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
    """Refuse numbers that no evaluation gives, in a file that says it is one."""
    number, sizes = columns["document"], (columns["size_gold"], columns["size_system"])
    wrong: dict[str, Any] = {
        "document": (number < 0) | (number >= about["documents"]),
        "system": [x is not None and x not in about["systems"] for x in columns["system"]],
        "label": [x is not None and x not in about["labels"] for x in columns["label"]],
        "size_gold": (sizes[0] < 0) | (sizes[0] > LONGEST),
        "size_system": (sizes[1] < 0) | (sizes[1] > LONGEST),
    }
    for key in ("matched", "expected"):  # each pair of segments, or of tokens, counts 1 at most
        most = sizes[0].astype(np.float64) * sizes[1]
        wrong[key] = ~((columns[key] >= 0) & (columns[key] <= most * (1 + 1e-9)))
    if about["whole"]:
        wrong["matched"] |= columns["matched"] != np.floor(columns["matched"])
    for key, bad in wrong.items():
        if np.any(bad):
            row = int(np.argmax(bad))
            value = columns[key][row]
            value = value.item() if isinstance(value, np.generic) else value
            raise InputError(f"{name}: row {row + 1}: {key} {show(value)} is wrong")


def _of_system(
    columns: Mapping[str, Any], system: str, about: Mapping[str, Any]
) -> tuple[Tallies, Bools]:
    own = columns["system"] == system
    shared = np.zeros(about["documents"], np.bool_)
    shared[columns["document"][own]] = True
    rows = np.flatnonzero(own & (columns["size_gold"] + columns["size_system"] > 0))
    code = {label: i for i, label in enumerate(about["labels"])}
    label = np.array([code.get(x, -1) for x in columns["label"][rows]], np.int64)
    order = np.lexsort((label, columns["document"][rows]))
    rows, label = rows[order], label[order]
    matched: Floats | Ints = columns["matched"][rows]
    return (
        Tallies(
            columns["document"][rows],
            label,
            matched.astype(np.int64) if about["whole"] else matched,
            columns["expected"][rows],
            columns["size_gold"][rows],
            columns["size_system"][rows],
        ),
        shared,
    )


def _ids(name: str, about: Mapping[str, Any], columns: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The documents' ids; either each has one, and its own, or none has."""
    ids = np.full(about["documents"], None, object)
    ids[columns["document"]] = columns["id"]
    given = [id_ for id_ in ids.tolist() if id_ is not None]
    if not given:
        return None
    if len(set(given)) < about["documents"] or (ids[columns["document"]] != columns["id"]).any():
        raise InputError(f"{name}: its documents do not have an id each, and one of their own")
    return tuple(given)


def check_tallies_can_be_written(in_blocks: bool) -> None:
    """Refuse, before any work, what :func:`write_tallies` would refuse after it.

    Raises:
        SettingError: if pyarrow is not installed, or no documents will be kept.
    """
    optional("pyarrow.parquet", "arrow", "writing tallies")
    if in_blocks:
        raise SettingError(
            "tallies: over blocks single documents are not kept; make a file of tallies for each"
            " part of the corpus, and merge them"
        )
