"""Files of rows: what a result sums, of parts of a corpus whose texts stay where they are.

A file is an archive of NumPy's (.npz). It has the columns of the rows, who saw which document, ids,
names and settings; no text, no token, and not where segments begin or end.
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

from spanagree.chance.model import AUTO, NONE, ChanceModel, chance_model
from spanagree.chance.places import Places
from spanagree.comparisons.corpus_kind import CorpusKind
from spanagree.comparisons.counting import Description, MatchCounting
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.place_shares import PlaceShares, WordEdges
from spanagree.comparisons.table import ALL, KEYS, SUMS, Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.joined import CorpusOfRows
from spanagree.corpus.segments import Layer
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.errors import InputError, SettingError, SpanAgreeError, printable_path, reason, show
from spanagree.files import PathName, read_bytes, write_bytes
from spanagree.limits import check_expansion
from spanagree.signature import signature

VERSION = 1
_SUFFIX = ".npz"

Arrays = dict[str, NDArray[Any]]


class RowsFile(NamedTuple):
    """What a file of rows holds.

    Attributes:
        name: name of the file, for errors.
        kind: what rows are of, systems or annotators.
        about: everything that is not a column.
        arrays: columns by name.
    """

    name: str
    kind: str
    about: Mapping[str, Any]
    arrays: Arrays

    def column(self, name: str, kinds: str, size: int | None = None) -> NDArray[Any]:
        """Return a column, checked.

        Raises:
            InputError: if it is missing, or of another type or length.
        """
        values = self.arrays.get(name)
        if values is None or values.dtype.kind not in kinds or values.ndim != 1:
            raise InputError(f"{self.name}: no column {name} of numbers, so it holds no rows")
        if size is not None and len(values) != size:
            raise InputError(
                f"{self.name}: column {name} has a length of {len(values)}; {size} is needed"
            )
        is_undefined = name.endswith(".expected") and self.about.get("chance") == NONE
        is_odd = ~np.isnan(values) if is_undefined else ~np.isfinite(values)
        if values.dtype.kind == "f" and is_odd.any():
            raise InputError(f"{self.name}: a value of {name} is not finite")
        return values


# --- writing --------------------------------------------------------------------------------------


def write_rows(
    path: PathName, kind: str, about: Mapping[str, Any], tables: Mapping[str, Comparisons],
    arrays: Mapping[str, Any],
) -> None:  # fmt: skip
    """Write rows, whole or not at all.

    Args:
        path: name of the file, which ends in .npz.
        kind: what rows are of, systems or annotators.
        about: everything that is not a column, as JSON holds it.
        tables: comparisons by name.
        arrays: other columns by name.

    Raises:
        SettingError: for a name that ends otherwise.
        InputError: for a path that cannot be written.
    """
    if os.path.splitext(path)[1].lower() != _SUFFIX:
        raise SettingError(
            f"{printable_path(path)}: rows are written as an archive of NumPy's; name a"
            f" {_SUFFIX} file"
        )
    columns: Arrays = {name: np.asarray(values) for name, values in arrays.items()}
    for name, table in tables.items():
        columns |= {f"{name}.{key}": np.asarray(getattr(table, key)) for key in (*KEYS, *SUMS)}
    text = json.dumps({"spanagree_rows": VERSION, "kind": kind, **about})
    columns["about"] = np.frombuffer(text.encode(), np.uint8)
    out = io.BytesIO()
    np.savez_compressed(out, **columns)  # type: ignore[arg-type]  # it takes any names
    write_bytes(path, out.getvalue())


def about_corpus(
    corpus: Corpus, counting: MatchCounting, kind: CorpusKind, description: Description
) -> dict[str, Any]:
    """Collect what is known of the documents of rows, beside their columns."""
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
        "shares": None if description.shares is None else description.shares.plain(),
        "word_edges": list(description.word_edges or WordEdges()),
    }  # fmt: skip


def arrays_of(corpus: Corpus) -> dict[str, Any]:
    """Collect the columns of documents: lengths, who saw them, and what they are parts of."""
    seen = np.concatenate([layer.annotated for layer in corpus.layers.values()])
    wholes = {} if corpus.wholes is None else {"wholes": corpus.wholes}
    quotes = _columns_of_quotes(corpus) if corpus.unplaced else {}
    return {"lengths": corpus.lengths, "seen": seen, **wholes, **quotes}


def _columns_of_quotes(corpus: Corpus) -> dict[str, Any]:
    """Collect the columns of quotes that are not in the text, without their text."""
    labels = {label: i for i, label in enumerate(corpus.labels)}
    names = [*corpus.layers]
    parts = corpus.unplaced
    columns = {
        "layer": np.repeat([names.index(name) for name in parts], [*map(len, parts.values())]),
        "document": np.concatenate([quotes.at for quotes in parts.values()]),
        "label": np.array([labels[x] for quotes in parts.values() for x in quotes.label]),
        "size": np.concatenate([quotes.size for quotes in parts.values()]),
    }
    return {f"unplaced.{name}": column for name, column in columns.items()}


def _quotes_of_file(
    file: RowsFile, annotators: Sequence[str], labels: Sequence[str]
) -> dict[str, UnplacedQuotes]:
    """Build the quotes that are not in the text, whose text is not known."""
    if "unplaced.layer" not in file.arrays:
        return {}
    layer = file.column("unplaced.layer", "i")
    document, label, size = (
        file.column(f"unplaced.{name}", "i", len(layer)) for name in ("document", "label", "size")
    )
    bounds = (layer, len(annotators)), (label, len(labels)), (document, np.inf), (size, np.inf)
    if any(((column < 0) | (column >= high)).any() for column, high in bounds):
        raise InputError(f"{file.name}: a value of unplaced is not as rows are written")
    names = tuple(labels[code] for code in label.tolist())
    quotes = UnplacedQuotes(document, names, size, ("",) * len(layer))
    return {
        annotators[number]: quotes.taken(layer == number) for number in np.unique(layer).tolist()
    }


def plain_inexact(inexact: Inexact) -> dict[str, Any]:
    """Convert bounds of approximate expected matches to what JSON holds."""
    return {**asdict(inexact), "errors": {key.hex(): x for key, x in inexact.errors.items()}}


# --- reading --------------------------------------------------------------------------------------


def read_rows(path: PathName, kind: str) -> RowsFile:
    """Read a file of rows.

    Args:
        path: name of the file.
        kind: what its rows should be of, systems or annotators.

    Raises:
        InputError: for a file that cannot be read, or holds no such rows.
    """
    import zipfile  # takes a while to load

    name = printable_path(path)
    raw = read_bytes(name, os.fspath(path))
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            check_expansion(name, len(raw), sum(x.file_size for x in archive.infolist()))
        with np.load(io.BytesIO(raw), allow_pickle=False) as archive_of_arrays:
            arrays = {key: archive_of_arrays[key] for key in archive_of_arrays.files}
        about = json.loads(arrays.pop("about").tobytes())
        version, of_kind = about["spanagree_rows"], about["kind"]
    except SpanAgreeError:
        raise
    except Exception as error:  # whatever the decoders raise
        raise InputError(
            f"{name}: holds no rows ({reason(error)}); result.rows.write(path) writes such files"
        ) from None
    if version != VERSION or of_kind != kind:
        raise InputError(
            f"{name}: rows of {show(of_kind)}, version {show(version)}; rows of {kind}, version"
            f" {VERSION}, are needed"
        )
    return RowsFile(name, kind, about, arrays)


def documents_of_rows(file: RowsFile) -> dict[str, Any]:
    """Build the documents of a file of rows, and how they were compared.

    Returns:
        The attributes of :class:`spanagree.parts.compared_rows.ComparedRows`, by name.

    Raises:
        InputError: for contents that no result writes.
    """
    about = file.about
    try:
        annotators = [str(name) for name in about["annotators"]]
        lengths = file.column("lengths", "i")
        seen = file.column("seen", "b", len(annotators) * len(lengths))
        empty = np.zeros(0, np.int64)
        layers = {
            name: Layer(empty, empty, empty, empty, mask)
            for name, mask in zip(annotators, seen.reshape(len(annotators), -1), strict=True)
        }
        wholes = file.column("wholes", "i", len(lengths)) if "wholes" in file.arrays else None
        ids = about["ids"]
        labels = tuple(str(label) for label in about["labels"])
        signature({**about["reading"], "version": ""})  # which raises for what no reader says
        corpus = CorpusOfRows(
            lengths,
            layers,
            labels,
            unplaced=_quotes_of_file(file, annotators, labels),
            offsets=about["offsets"],
            ids=None if ids is None else tuple(ids),
            wholes=wholes,
            reading=about["reading"],
            notes=tuple(str(note) for note in about["notes"]),
        )
        chance = _chance_of_file(about)
        if about["places"] is not None:  # of the rule only the name is known
            chance = replace(chance, places=Places(str(about["places"])))
        find_match(about["match"])
        offsets, has_pieces, is_long, relations, undirected = about["traits"]
        kind = CorpusKind(
            str(offsets), bool(has_pieces), bool(is_long),
            frozenset(relations), frozenset(undirected),
        )  # fmt: skip
        shares = None if about["shares"] is None else PlaceShares.read(about["shares"])
        segments, at_edges = about["word_edges"]
        if not 0 <= at_edges <= 2 * segments < 1 << 53:
            raise ValueError(f"word_edges {show(about['word_edges'])}")
        description = Description(shares, WordEdges(int(segments), float(at_edges)))
        counting = MatchCounting(match=about["match"], chance=chance)
        return {
            "corpus": corpus,
            "counting": counting,
            "kind": kind,
            "description": description,
        }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"{file.name}: not as rows are written ({reason(error)})") from None


def _chance_of_file(about: Mapping[str, Any]) -> ChanceModel:
    """Return the chance model of the rows of a file, without a rule of places."""
    reason = about.get("chance_undefined")
    if about["chance"] != NONE or not reason or not isinstance(reason, str):
        return chance_model(about["chance"], None, about["chance_of"], about["chance_seed"])
    return chance_model(AUTO, seed=about["chance_seed"]).without_chance(reason)


def table_of_file(
    file: RowsFile, name: str, corpus: Corpus, inexact: Inexact, *, of_sums: bool = False
) -> Comparisons:
    """Build comparisons of a file, checked against the names and the number of documents.

    Args:
        file: file of rows.
        name: name of the table in it.
        corpus: documents of the rows.
        inexact: bounds of approximate expected matches.
        of_sums: whether a row may be a sum over documents or annotators, not over labels alone.

    Raises:
        InputError: for contents that no result writes.
    """
    size = len(file.column(f"{name}.document", "i"))
    columns: dict[str, Any] = {
        key: file.column(f"{name}.{key}", "i" if key in KEYS else "if", size)
        for key in (*KEYS, *SUMS)
    }
    most = dict.fromkeys(("first", "second"), len(corpus.layers))
    most |= {"document": len(corpus), "label": max(len(corpus.labels), 1)}
    for key, column in columns.items():
        low = ALL if key == "label" or (of_sums and key in most) else 0
        high = most.get(key, np.inf)
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


def inexact_of(file: RowsFile, plain: Any) -> Inexact:
    """Build bounds of approximate expected matches, as :func:`plain_inexact` wrote them.

    Raises:
        InputError: for anything else.
    """
    try:
        errors = {bytes.fromhex(key): float(x) for key, x in plain["errors"].items()}
        numbers = int(plain["drawn"]), int(plain["extrapolated"])
        return Inexact(numbers[0], errors, numbers[1], float(plain["off"]))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"{file.name}: not as rows are written ({reason(error)})") from None
