"""Files of rows: the comparisons behind a result, for parts of a corpus that cannot be shared.

A file is an archive of NumPy (.npz). It contains the columns of the rows, masks of the documents
that annotators saw, ids, names and settings. It contains no text, no token and no offset.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanagree.chance.model import AUTO, NONE, ChanceModel, build_chance_model
from spanagree.chance.places import Places
from spanagree.comparisons.corpus_kind import CorpusKind
from spanagree.comparisons.counting import ComparisonContext, MatchCountOptions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.place_shares import PlacementStatistics, WordEdges
from spanagree.comparisons.table import ALL, KEYS, SUMS, Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.joined import SeenCorpus
from spanagree.corpus.segments import Layer
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    escape_path,
    find_reason,
    quote_value,
)
from spanagree.files import PathName, read_bytes, write_bytes
from spanagree.limits import check_expansion
from spanagree.signature import format_signature

VERSION = 1
_SUFFIX = ".npz"

Arrays = dict[str, NDArray[Any]]


class RowsFile(NamedTuple):
    """Contents of a file of rows.

    Attributes:
        name: name of the file, for errors.
        kind: kind of rows, of systems or of annotators.
        about: metadata, all contents except columns.
        arrays: columns by name.
    """

    name: str
    kind: str
    about: Mapping[str, Any]
    arrays: Arrays

    def read_column(self, name: str, kinds: str, size: int | None = None) -> NDArray[Any]:
        """Read a column, and check its type, length and values.

        ``kinds`` are the letters of the allowed NumPy types; ``size`` is the length, if it is
        known.

        Raises:
            InputError: if the column is missing, or has another type or length.
        """
        values = self.arrays.get(name)
        if values is None or values.dtype.kind not in kinds or values.ndim != 1:
            raise InputError(f"{self.name}: no column {name} of numbers, so it holds no rows")
        if size is not None and len(values) != size:
            raise InputError(
                f"{self.name}: column {name} has a length of {len(values)}; {size} is needed"
            )
        is_undefined = name.endswith(".expected") and self.about.get("chance") == NONE
        is_invalid = ~np.isnan(values) if is_undefined else ~np.isfinite(values)
        if values.dtype.kind == "f" and is_invalid.any():
            raise InputError(f"{self.name}: a value of {name} is not finite")
        return values


# --- writing --------------------------------------------------------------------------------------


def write_rows(
    path: PathName, kind: str, about: Mapping[str, Any], tables: Mapping[str, Comparisons],
    arrays: Mapping[str, Any],
) -> None:  # fmt: skip
    """Write rows to a file; if writing fails, no file is left.

    Args:
        path: name of the file, with the ending .npz.
        kind: kind of rows, of systems or of annotators.
        about: metadata, all contents except columns, in types of JSON.
        tables: comparisons by name.
        arrays: other columns by name.

    Raises:
        SettingError: if the name has another ending.
        InputError: if the path cannot be written.
    """
    if os.path.splitext(path)[1].lower() != _SUFFIX:
        raise SettingError(
            f"{escape_path(path)}: rows are written as an archive of NumPy's; name a {_SUFFIX} file"
        )
    columns: Arrays = {name: np.asarray(values) for name, values in arrays.items()}
    for name, table in tables.items():
        columns |= {f"{name}.{key}": np.asarray(getattr(table, key)) for key in (*KEYS, *SUMS)}
    text = json.dumps({"spanagree_rows": VERSION, "kind": kind, **about})
    columns["about"] = np.frombuffer(text.encode(), np.uint8)
    out = io.BytesIO()
    np.savez_compressed(out, **columns)  # type: ignore[arg-type]  # it takes any names
    write_bytes(path, out.getvalue())


def collect_metadata(
    corpus: Corpus, counting: MatchCountOptions, kind: CorpusKind, description: ComparisonContext
) -> dict[str, Any]:
    """Collect the metadata of the documents of rows."""
    chance = counting.chance
    return {
        "match": counting.match,
        "chance": chance.name,
        "places": None if chance.places is None else chance.places.name,
        "chance_of": chance.whose,
        "chance_seed": chance.seed,
        "chance_undefined": chance.undefined,
        "annotators": list(corpus.annotators),
        "labels": list(corpus.labels),
        "offsets": corpus.offsets,
        "reading": dict(corpus.reading),
        "notes": list(corpus.notes),
        "ids": None if corpus.ids is None else list(corpus.ids),
        "traits": [
            kind.offsets, kind.has_pieces, kind.is_long,
            sorted(kind.relations), sorted(kind.undirected),
        ],
        "shares": None if description.shares is None else description.shares.to_plain(),
        "word_edges": list(description.word_edges or WordEdges()),
    }  # fmt: skip


def collect_arrays(corpus: Corpus) -> dict[str, Any]:
    """Collect the columns of documents: lengths, masks of annotators who saw them, and wholes."""
    annotated = np.concatenate([layer.annotated for layer in corpus.layers.values()])
    parent_ids = {} if corpus.parent_ids is None else {"parent_ids": corpus.parent_ids}
    quotes = _collect_quote_columns(corpus) if corpus.unplaced else {}
    return {"lengths": corpus.lengths, "seen": annotated, **parent_ids, **quotes}


def _collect_quote_columns(corpus: Corpus) -> dict[str, Any]:
    """Collect the columns of quotes that are not in the text, without their text."""
    labels = {label: i for i, label in enumerate(corpus.labels)}
    names = [*corpus.layers]
    quotes_by_layer = corpus.unplaced
    columns = {
        "layer": np.repeat(
            [names.index(name) for name in quotes_by_layer], [*map(len, quotes_by_layer.values())]
        ),
        "document": np.concatenate([quotes.at for quotes in quotes_by_layer.values()]),
        "label": np.array(
            [labels[name] for quotes in quotes_by_layer.values() for name in quotes.label]
        ),
        "size": np.concatenate([quotes.size for quotes in quotes_by_layer.values()]),
    }
    return {f"unplaced.{name}": column for name, column in columns.items()}


def _build_quotes(
    file: RowsFile, annotators: Sequence[str], labels: Sequence[str]
) -> dict[str, UnplacedQuotes]:
    """Build the quotes that are not in the text, with empty strings as files have no text."""
    if "unplaced.layer" not in file.arrays:
        return {}
    layer = file.read_column("unplaced.layer", "i")
    document, label, size = (
        file.read_column(f"unplaced.{name}", "i", len(layer))
        for name in ("document", "label", "size")
    )
    bounds = (layer, len(annotators)), (label, len(labels)), (document, np.inf), (size, np.inf)
    if any(((column < 0) | (column >= high)).any() for column, high in bounds):
        raise InputError(f"{file.name}: a value of unplaced is not as rows are written")
    names = tuple(labels[code] for code in label.tolist())
    quotes = UnplacedQuotes(document, names, size, ("",) * len(layer))
    return {
        annotators[layer_index]: quotes.select(layer == layer_index)
        for layer_index in np.unique(layer).tolist()
    }


def serialize_inexact(inexact: ApproximationError) -> dict[str, Any]:
    """Convert bounds of approximate expected matches to types of JSON."""
    return {
        **asdict(inexact),
        "errors": {key.hex(): error_bound for key, error_bound in inexact.errors.items()},
    }


# --- reading --------------------------------------------------------------------------------------


def read_rows(path: PathName, kind: str) -> RowsFile:
    """Read a file of rows.

    Args:
        path: name of the file.
        kind: required kind of rows, of systems or of annotators.

    Raises:
        InputError: if the file cannot be read, or has no such rows.
    """
    import zipfile  # takes a while to load

    name = escape_path(path)
    raw = read_bytes(name, os.fspath(path))
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            check_expansion(name, len(raw), sum(member.file_size for member in archive.infolist()))
        with np.load(io.BytesIO(raw), allow_pickle=False) as archive_of_arrays:
            arrays = {key: archive_of_arrays[key] for key in archive_of_arrays.files}
        about = json.loads(arrays.pop("about").tobytes())
        version, kind_of_file = about["spanagree_rows"], about["kind"]
    except SpanAgreeError:
        raise
    except Exception as error:  # raised by one of the decoders
        raise InputError(
            f"{name}: holds no rows ({find_reason(error)}); result.rows.write(path) writes such"
            " files"
        ) from None
    if version != VERSION or kind_of_file != kind:
        raise InputError(
            f"{name}: rows of {quote_value(kind_of_file)}, version {quote_value(version)}; rows of"
            f" {kind}, version {VERSION}, are needed"
        )
    return RowsFile(name, kind, about, arrays)


def read_documents(file: RowsFile) -> dict[str, Any]:
    """Build the documents of a file of rows, and the settings of their comparison.

    Returns:
        The attributes of :class:`spanagree.parts.compared_rows.ComparedRows`, by name.

    Raises:
        InputError: if the contents are not those of a written result.
    """
    about = file.about
    try:
        annotators = [str(name) for name in about["annotators"]]
        lengths = file.read_column("lengths", "i")
        seen = file.read_column("seen", "b", len(annotators) * len(lengths))
        empty = np.zeros(0, np.int64)
        layers = {
            name: Layer(empty, empty, empty, empty, mask)
            for name, mask in zip(annotators, seen.reshape(len(annotators), -1), strict=True)
        }
        parent_ids = (
            file.read_column("parent_ids", "i", len(lengths))
            if "parent_ids" in file.arrays
            else None
        )
        ids = about["ids"]
        labels = tuple(str(label) for label in about["labels"])
        format_signature(
            {**about["reading"], "version": ""}
        )  # raises if a key is not written by a reader
        corpus = SeenCorpus(
            lengths,
            layers,
            labels,
            unplaced=_build_quotes(file, annotators, labels),
            offsets=about["offsets"],
            ids=None if ids is None else tuple(ids),
            parent_ids=parent_ids,
            reading=about["reading"],
            notes=tuple(str(note) for note in about["notes"]),
        )
        chance = _read_chance(about)
        if about["places"] is not None:  # files have only the name of the rule
            chance = replace(chance, places=Places(str(about["places"])))
        find_measure(about["match"])
        offsets, has_pieces, is_long, relations, undirected = about["traits"]
        kind = CorpusKind(
            str(offsets), bool(has_pieces), bool(is_long),
            frozenset(relations), frozenset(undirected),
        )  # fmt: skip
        shares = (
            None if about["shares"] is None else PlacementStatistics.from_plain(about["shares"])
        )
        segments, at_edges = about["word_edges"]
        if not 0 <= at_edges <= 2 * segments < 1 << 53:
            raise ValueError(f"word_edges {quote_value(about['word_edges'])}")
        description = ComparisonContext(shares, WordEdges(int(segments), float(at_edges)))
        counting = MatchCountOptions(match=about["match"], chance=chance)
        return {
            "corpus": corpus,
            "counting": counting,
            "kind": kind,
            "description": description,
        }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"{file.name}: not as rows are written ({find_reason(error)})") from None


def _read_chance(about: Mapping[str, Any]) -> ChanceModel:
    """Read the chance model of the rows of a file, without a rule of places."""
    reason = about.get("chance_undefined")
    if about["chance"] != NONE or not reason or not isinstance(reason, str):
        return build_chance_model(about["chance"], None, about["chance_of"], about["chance_seed"])
    return build_chance_model(AUTO, seed=about["chance_seed"]).remove_chance(reason)


def read_table(
    file: RowsFile, name: str, corpus: Corpus, inexact: ApproximationError, *, of_sums: bool = False
) -> Comparisons:
    """Build comparisons of a file, checked against the names and the number of documents.

    Args:
        file: file of rows.
        name: name of the table in it.
        corpus: documents of the rows.
        inexact: bounds of approximate expected matches.
        of_sums: True if a row may be a sum over documents or annotators, not only over labels.

    Raises:
        InputError: if the contents are not those of a written result.
    """
    size = len(file.read_column(f"{name}.document", "i"))
    columns: dict[str, Any] = {
        key: file.read_column(f"{name}.{key}", "i" if key in KEYS else "if", size)
        for key in (*KEYS, *SUMS)
    }
    limits = dict.fromkeys(("first", "second"), len(corpus.layers))
    limits |= {"document": len(corpus), "label": max(len(corpus.labels), 1)}
    for key, column in columns.items():
        low = ALL if key == "label" or (of_sums and key in limits) else 0
        high = limits.get(key, np.inf)
        if ((column < low) | (column >= high)).any():
            raise InputError(f"{file.name}: a value of {name}.{key} is not as rows are written")
    sizes = list(zip(SUMS[2:4], SUMS[4:], strict=True))
    if any(((columns[random] == 0) & (columns[size_] > 0)).any() for size_, random in sizes):
        raise InputError(f"{file.name}: {name} expects nothing where something is marked")
    if all(np.array_equal(columns[size_], columns[random]) for size_, random in sizes):
        columns |= {random: columns[size_] for size_, random in sizes}  # sizes are not random
    return Comparisons(
        **columns, annotators=corpus.annotators, labels=corpus.labels, inexact=inexact
    )


def parse_inexact(file: RowsFile, plain: Any) -> ApproximationError:
    """Build bounds of approximate expected matches from ``plain`` data in a file.

    :func:`serialize_inexact` builds these data.

    Raises:
        InputError: if the contents have another form.
    """
    try:
        errors = {
            bytes.fromhex(key): float(error_bound) for key, error_bound in plain["errors"].items()
        }
        n_drawn_and_extrapolated = int(plain["drawn"]), int(plain["extrapolated"])
        return ApproximationError(
            n_drawn_and_extrapolated[0], errors, n_drawn_and_extrapolated[1], float(plain["off"])
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"{file.name}: not as rows are written ({find_reason(error)})") from None
