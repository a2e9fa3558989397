"""Tallies of an evaluation as files: parts that were made apart are merged into one result.

A Parquet file with a row for each document, system and label in which gold or system has a segment;
and, so that it is known who saw what, a row without a label for each other document that a system
shares with gold, and one without a system for documents that none does. It holds no text and no
spans. Settings, notes, the names of systems and labels, and how segments stand to a rule of places
are in its metadata, as JSON; ``expected_uniform`` is the expected match without that rule.
"""

from __future__ import annotations

import functools
import io
import itertools
import json
import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools
from spanagree.comparisons.place_shares import PlaceShares
from spanagree.comparisons.table import NO_LABEL, Comparisons
from spanagree.corpus.segments import LONGEST
from spanagree.errors import InputError, SettingError, listed, printable, reason, show
from spanagree.extras import optional, read_parquet
from spanagree.files import PathName, write_bytes
from spanagree.settings import merged_settings, signature
from spanagree.systems.count import CountedSystems, EvaluationSettings, PerDocument, sums_of
from spanagree.systems.result import Evaluation, check_evaluation, result

VERSION = 1
_KEY = b"spanagree.tallies"
_NOBODY = -1  # of systems, in a row for a document that none shares with gold
_COLUMNS = {
    "document": "int64",
    "id": "string",
    "system": "string",
    "label": "string",
    "matched": "double",
    "expected": "double",
    "size_gold": "int64",
    "size_system": "int64",
    "expected_size_gold": "double",
    "expected_size_system": "double",
    "expected_uniform": "double",
}


def write_tallies(evaluation: Evaluation, path: PathName) -> None:
    """Write the tallies of an evaluation, from which :func:`read_tallies` makes it again.

    Args:
        evaluation: of one corpus; over blocks single documents are not kept.
        path: of the Parquet file, written whole or not at all.

    Raises:
        SettingError: for an evaluation over blocks, a file that is not .parquet, or if pyarrow is
            not installed.
        InputError: for a path that cannot be written.

    >>> import spanagree as sa
    >>> from tempfile import TemporaryDirectory
    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
    >>> result = sa.evaluate(sa.Corpus.from_segments([10], layers))
    >>> with TemporaryDirectory() as folder:
    ...     write_tallies(result, f"{folder}/part.parquet")
    ...     read_tallies([f"{folder}/part.parquet"]).systems["mine"].tally.matched
    1
    """
    check_evaluation(evaluation, "write_tallies")
    check_tallies_name(path)
    pa = optional("pyarrow", "arrow", "writing tallies")
    parquet = optional("pyarrow.parquet", "arrow", "writing tallies")
    counts = evaluation.counted
    per_document = counts.documents_kept()
    columns = _columns(counts, per_document)
    about = {
        "version": VERSION,
        "settings": dict(counts.settings),
        "documents": counts.documents,
        "systems": [per_document.comparisons.annotators[number] for number in per_document.shared],
        "labels": list(counts.labels),
        "whole": per_document.comparisons.matched.dtype.kind == "i",
        "notes": list(counts.notes),
        "places": None if counts.places is None else counts.places.plain(),
    }
    about["digest"] = _digest(about, columns)
    types = [(key, pa.type_for_alias(kind)) for key, kind in _COLUMNS.items()]
    schema = pa.schema(types, metadata={_KEY: json.dumps(about)})
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


def _columns(counts: CountedSystems, per_document: PerDocument) -> dict[str, Any]:
    """Return the columns of the file, each as an array."""
    rows = _every_row(counts, per_document)
    uniform = rows
    if counts.uniform is not None:
        uniform = _every_row(counts.uniform, counts.uniform.documents_kept())
    ids = np.array(per_document.ids or [None] * counts.documents, object)
    return {
        "document": rows.document,
        "id": ids[rows.document],
        "system": np.array([*per_document.comparisons.annotators, None], object)[rows.second],
        "label": np.array([*counts.labels, None], object)[rows.label],
        "matched": rows.matched.astype(np.float64),
        "expected": rows.expected,
        "size_gold": rows.size_first,
        "size_system": rows.size_second,
        "expected_size_gold": rows.expected_size_first.astype(np.float64),
        "expected_size_system": rows.expected_size_second.astype(np.float64),
        "expected_uniform": uniform.expected,
    }


def _every_row(counts: CountedSystems, per_document: PerDocument) -> Comparisons:
    """Return the rows of all systems, and those that say who was there without segments."""
    rows = per_document.comparisons
    parts = [rows]
    seen = np.zeros(counts.documents, np.bool_)
    for number, both in per_document.shared.items():
        silent = both.copy()
        silent[rows.document[rows.second == number]] = False
        parts.append(_without_segments(silent, number))
        seen |= both
    parts.append(_without_segments(~seen, _NOBODY))
    return Comparisons.joined(parts)


def _without_segments(documents: Bools, system: int) -> Comparisons:
    """Return rows that only say that a system was there, or that a document was."""
    number = np.flatnonzero(documents)
    nothing = np.zeros_like(number)
    rows = Comparisons.of(
        number, nothing + NO_LABEL, nothing, nothing.astype(np.float64), (nothing, nothing)
    )
    return rows.between(_NOBODY, system)


class _Part(NamedTuple):
    """What one file holds: what it says of its tallies, their columns, and the documents' ids."""

    name: str
    about: Mapping[str, Any]
    columns: Mapping[str, Any]
    ids: tuple[str, ...]


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

    >>> import spanagree as sa
    >>> from tempfile import TemporaryDirectory
    >>> parts = {"a": [[(0, 2, "PER"), (4, 5, "LOC")]], "b": [[(3, 4, "LOC")]]}
    >>> with TemporaryDirectory() as folder:
    ...     for name, spans in parts.items():
    ...         part = sa.Corpus.from_segments([9], {"gold": spans, "mine": spans}, ids=[name])
    ...         write_tallies(sa.evaluate(part), f"{folder}/{name}.parquet")
    ...     united = read_tallies([f"{folder}/{name}.parquet" for name in parts])
    >>> united.documents, united.systems["mine"].tally.matched
    (2, 3)
    """
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not files:
        raise InputError(
            "no file; at least one with tallies is needed: evaluate --tallies FILE writes one"
        )
    parts = [_read(path) for path in files]
    _check_together(parts)
    return result(_united(parts))


def _united(parts: Sequence[_Part]) -> CountedSystems:
    """Return the counts over the documents of all parts; notes say of which of several they are."""
    plain = parts[0].about["settings"]
    for part in parts[1:]:
        plain = merged_settings(plain, part.about["settings"], part.name)
    settings = EvaluationSettings.read(plain)
    labels = sorted({label for part in parts for label in part.about["labels"]})
    names = (settings.gold, *parts[0].about["systems"])
    *first, documents = itertools.accumulate((part.about["documents"] for part in parts), initial=0)
    column = {key: np.concatenate([part.columns[key] for part in parts]) for key in _COLUMNS}
    column["document"] += np.repeat(first, [len(part.columns["document"]) for part in parts])
    if all(part.about["whole"] for part in parts):
        column["matched"] = column["matched"].astype(np.int64)
    rows = _comparisons(column, names, labels)
    shared = {
        i: np.bincount(rows.document[rows.second == i], minlength=documents) > 0
        for i in range(1, len(names))
    }
    marked = np.flatnonzero(rows.size_first + rows.size_second)
    order = np.lexsort(tuple(x[marked] for x in (rows.label, rows.document, rows.second)))
    marked = marked[order]
    rows = rows.where(marked).named(names, labels)
    ids = tuple(id_ for part in parts for id_ in part.ids)
    per_document = PerDocument(rows, shared, ids if all(part.ids for part in parts) else None)
    shares = [PlaceShares.read(places) for part in parts if (places := part.about["places"])]
    uniform = None
    if shares:
        uniform_rows = replace(
            rows,
            expected=column["expected_uniform"][marked],
            expected_size_first=rows.size_first,
            expected_size_second=rows.size_second,
        )
        uniform = CountedSystems(
            documents=documents,
            settings=replace(settings, places_mean=None, reading={}),
            annotators=names,
            **sums_of(per_document._replace(comparisons=uniform_rows)),
        )
    return CountedSystems(
        documents=documents,
        settings=settings,
        places=functools.reduce(operator.add, shares) if shares else None,
        uniform=uniform,
        notes=tuple(
            f"{part.name}: {note}" if len(parts) > 1 else note
            for part in parts
            for note in part.about["notes"]
        ),
        annotators=names,
        **sums_of(per_document),
    )


def _comparisons(
    column: Mapping[str, Any], names: Sequence[str], labels: Sequence[str]
) -> Comparisons:
    """Return all rows as comparisons of gold, the first of the names, with systems."""
    code = {label: i for i, label in enumerate(labels)}
    number = {name: i for i, name in enumerate(names)}
    sizes = column["size_gold"], column["size_system"]
    expected_sizes = column["expected_size_gold"], column["expected_size_system"]
    same = all(map(np.array_equal, sizes, expected_sizes))
    return Comparisons.of(
        column["document"],
        np.array([code.get(label, NO_LABEL) for label in column["label"]], np.int64),
        column["matched"],
        column["expected"],
        sizes,
        None if same else expected_sizes,
    ).between(0, np.array([number.get(name, _NOBODY) for name in column["system"]], np.int64))


def _check_together(parts: Sequence[_Part]) -> None:
    """Refuse parts with different systems, and a part or a document that comes twice."""
    by_content: dict[str, str] = {}
    by_id: dict[str, str] = {}
    systems = parts[0].about["systems"]
    for part in parts:
        if sorted(part.about["systems"]) != sorted(systems):
            raise InputError(
                f"{part.name}: systems {listed(part.about['systems'])}; {parts[0].name} has"
                f" {listed(systems)}, and all parts need the same"
            )
        if before := by_content.get(part.about["digest"]):
            raise InputError(f"{part.name}: holds what {before} does; each part is merged once")
        by_content[part.about["digest"]] = part.name
        for id_ in part.ids:
            if id_ in by_id:
                raise InputError(
                    f"{part.name}: document {show(id_)} is in {by_id[id_]} too; each document is"
                    " counted once"
                )
            by_id[id_] = part.name


# --- one file -----------------------------------------------------------------------------------


def _read(path: PathName) -> _Part:
    """Return what a file holds, checked; an error begins with its name."""
    name = printable(os.fspath(path))
    try:
        about, columns = _content(os.fspath(path))
        _check_values(about, columns)
        return _Part(name, about, columns, _ids(about, columns))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _content(path: PathName) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a file says of itself, and its columns, which are as they were written."""
    parquet = optional("pyarrow.parquet", "arrow", "reading tallies")
    try:
        table = read_parquet(parquet, "tallies", path)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError("no such file") from None
    except Exception as error:  # whatever the decoder raises
        raise InputError(
            f"cannot be read as Parquet: {reason(error).removesuffix('.')}; pass files that"
            " evaluate --tallies FILE (write_tallies) wrote"
        ) from None
    about = _about((table.schema.metadata or {}).get(_KEY))
    types = {field.name: str(field.type) for field in table.schema}
    if types != _COLUMNS:
        given, needed = (", ".join(f"{k} {v}" for k, v in t.items()) for t in (types, _COLUMNS))
        raise InputError(f"columns {given or 'none'}; those of tallies are {needed}")
    for key, kind in _COLUMNS.items():
        if kind != "string" and table.column(key).null_count:
            raise InputError(f"{key} is missing in some rows; every row has one")
    columns = {key: table.column(key).to_numpy() for key in _COLUMNS}
    if about["digest"] != _digest(about, columns):
        raise InputError(
            "is not as it was written: its content does not fit its digest; write it anew"
        )
    return about, columns


def _about(raw: bytes | None) -> dict[str, Any]:
    """Return what the file says of itself, checked."""
    if raw is None:
        raise InputError("holds no tallies; evaluate --tallies (write_tallies) writes such files")
    try:
        about = json.loads(raw)
        version = about["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError("what it says of its tallies cannot be read") from None
    if version != VERSION:
        raise InputError(
            f"tallies of version {show(version)}; version {VERSION} is needed, which this release"
            " writes"
        )
    kinds: dict[str, type] = {"settings": dict, "documents": int, "whole": bool, "digest": str}
    kinds |= dict.fromkeys(("systems", "labels", "notes"), list)
    kinds |= {"places": type(None) if about.get("places") is None else dict}
    for key, kind in kinds.items():
        value = about.get(key)
        right = type(value) is kind
        if right and kind is int:
            right = 0 <= value <= LONGEST
        elif right and kind is list:
            right = all(isinstance(text, str) for text in value)
        if not right:
            raise InputError(f"{key} {show(value)} in what it says of its tallies is wrong")
    for key in ("match", "gold", "version", "chance"):
        if not isinstance(about["settings"].get(key), str):
            raise InputError(f"settings without {key} in what it says of its tallies")
    try:  # what is done with them later
        signature(merged_settings(about["settings"], about["settings"]))
        if about["places"] is not None:
            PlaceShares.read(about["places"])
    except (TypeError, ValueError, AttributeError, KeyError):
        raise InputError("settings in what it says of its tallies are of wrong kinds") from None
    return dict(about)


def _digest(about: Mapping[str, Any], columns: Mapping[str, Any]) -> str:
    """Return what tells this content from any other; notes do not count."""
    keys = ("version", "settings", "documents", "systems", "labels", "whole", "places")
    sealed = json.dumps([about[key] for key in keys], sort_keys=True)
    digest = blake2b(sealed.encode(), digest_size=16)
    for key, kind in _COLUMNS.items():
        if kind == "string":
            digest.update("\0".join(map(repr, columns[key])).encode())
        else:
            digest.update(np.asarray(columns[key], kind).tobytes())
    return digest.hexdigest()


def _check_values(about: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
    """Refuse numbers that no evaluation gives, in a file that says it is one."""
    # each pair of segments, or of tokens, counts 1 at most
    pairs = columns["size_gold"].astype(np.float64) * columns["size_system"] * (1 + 1e-9)
    random = columns["expected_size_gold"] * columns["expected_size_system"] * (1 + 1e-9)
    most: dict[str, Any] = dict.fromkeys(("size_gold", "size_system"), LONGEST)
    most |= dict.fromkeys(("expected_size_gold", "expected_size_system"), LONGEST)
    most |= {"document": about["documents"] - 1, "matched": pairs}
    most |= {"expected": random, "expected_uniform": pairs}
    wrong = {key: ~((columns[key] >= 0) & (columns[key] <= top)) for key, top in most.items()}
    for key in ("system", "label"):
        known = {None, *about[f"{key}s"]}
        wrong[key] = np.array([name not in known for name in columns[key]], np.bool_)
    if about["whole"]:
        wrong["matched"] |= columns["matched"] != np.floor(columns["matched"])
    for key, bad in wrong.items():
        if bad.any():
            row = int(np.argmax(bad))
            (value,) = columns[key][[row]].tolist()
            raise InputError(f"row {row + 1}: {key} {show(value)} is wrong")
    if (number := len(np.unique(columns["document"]))) != about["documents"]:
        raise InputError(
            f"documents {about['documents']} in what it says of its tallies, but rows of {number};"
            " each document has one"
        )


def _ids(about: Mapping[str, Any], columns: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the documents' ids; either each has one, and its own, or none has."""
    ids = np.full(about["documents"], None, object)
    ids[columns["document"]] = columns["id"]
    given = [id_ for id_ in ids.tolist() if id_ is not None]
    mixed = (ids[columns["document"]] != columns["id"]).any()
    if given and (mixed or len(set(given)) < about["documents"]):
        raise InputError("its documents do not have an id each, and one of their own")
    return tuple(given)


def check_tallies_name(path: PathName) -> None:
    """Refuse a name that says of tallies that they are anything but Parquet.

    Raises:
        SettingError: for any extension but .parquet.
    """
    if os.path.splitext(path)[1].lower() != ".parquet":
        raise SettingError(
            f"{printable(os.fspath(path))}: tallies are written as Parquet; name a .parquet file"
        )


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
