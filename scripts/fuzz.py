"""Throw damaged input at every door, and report whatever is not a one-line error.

    python scripts/fuzz.py                            ten minutes, all doors, two processes
    python scripts/fuzz.py --minutes 60 --seed 7 --keep FOLDER
    python scripts/fuzz.py --door jsonl --seed 7 --number 1234      one input once more

Inputs are the project's example corpora, and real data if SPANAGREE_DATA names a folder of it, each
damaged by some mutators: bytes, lines, the structure of JSON, the types of rows, options; what is
compressed or sealed is opened before, and closed after. Every door gets the same time, so cheap
doors do the bulk. A failure is an exception that is not a SpanAgreeError, a message of more than
one line or 2000 characters, more than ten seconds, more than a gigabyte, or a process that dies.
Exit code 1 if there is one; its input is kept if --keep names a folder.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import csv
import functools
import importlib
import io
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"

import numpy as np

import spanagree as sa
from spanagree.comparisons.measures import MEASURES

ROOT = Path(__file__).parent.parent
SECONDS, BYTES = 10, 1 << 30
DEAD = 3 * SECONDS  # after so long without an answer to the alarm a process is ended
SEED_BYTES = 1500
MEMORY = Path("/dev/shm")
ODD_TEXT = [
    "", " ", "\t", "\n", "\r", "\0", "\ufeff", "\u2028", "\xa0", "\ud800", "O", "B-", "I-X", "-",
    "B-PER", "#", '"', "# spanagree =", "# sent_id = 1", "# newdoc id = a", "-DOCSTART-", "nan",
    "NaN", "NA", "1e999", "-1", "1.0", "9" * 5000, "[" * 5000, '{"a":' * 3000, " " * 20000, "é",
    "\u0301", "日本", "🙂", "=1+1", "..", "*", "?", "[a]", "T1\tPER 0 2\tJo",
    '[{"start": 0, "end": 2, "label": "X"}]', "[[", '{"a"', "x::y", "zip://a", "null", "true",
]  # fmt: skip
ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 3, 2**31, 2**63, 2**64, 10**30, 10**5000, -(2**63), 0.5, -0.0,
    1e308, 1e9, 10**9, float("inf"), float("nan"), "", "x", "0", [], [[]], {}, [None], {"a": []},
    [[0, 1, "X"]], [[5, 2, "X"]], "\ud800", {"start": 0, "end": 1, "label": "X"},
    [{"start": 0, "end": 1, "label": "X"}], [0, 1, 2], -9, ["a", "b"],
]  # fmt: skip
PYTHON_VALUES: list[Any] = [
    *ODD_VALUES, b"x", (), {1}, 1j, object(), range(3), Ellipsis, (0, 2, "X"),
    np.array(5), np.array([1, 2, 3]), np.array([["a", "b", "c"]]), np.float64("nan"),
    np.str_("x"), np.int8(1),
]  # fmt: skip


class TooLongError(BaseException):
    """More than the seconds that are allowed; no decoder catches it."""


# --- mutators -----------------------------------------------------------------------------------


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def mutate_bytes(rng: random.Random, data: bytes) -> bytes:
    """Flip, cut, repeat or insert some bytes."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(5)
        if kind == 0 and out:
            out[at % len(out)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del out[at : at + rng.choice((1, 2, 10, 1000))]
        elif kind == 2:
            out[at:at] = out[at : at + rng.choice((1, 10, 200))] * rng.choice((1, 2, 50))
        elif kind == 3:
            out[at:at] = encoded(rng.choice(ODD_TEXT))
        else:
            out[at : at + 1] = bytes([rng.randrange(256)])
    return bytes(out)


def mutate_lines(rng: random.Random, data: bytes) -> bytes:
    """Drop, repeat, exchange, join or change whole lines and cells."""
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 5))):
        if not lines:
            break
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        kind = rng.randrange(7)
        if kind == 0:
            del lines[i]
        elif kind == 1:
            lines.insert(j, lines[i])
        elif kind == 2:
            lines[i], lines[j] = lines[j], lines[i]
        elif kind == 3:
            lines[i] += lines[j]
        elif kind == 4:
            lines.extend(lines[: rng.randrange(1, 20)])
        else:
            for mark in (b"\t", b" ", b",", b";"):
                cells = lines[i].split(mark)
                if len(cells) > 1:
                    cells[rng.randrange(len(cells))] = encoded(rng.choice(ODD_TEXT))
                    lines[i] = mark.join(cells)
                    break
    return b"\n".join(lines)


def mutate_json(rng: random.Random, data: bytes) -> bytes:
    """Change values somewhere in one line of JSON, or in all of it."""
    lines = [data] if data[:1] == b"[" else data.split(b"\n")
    i = rng.randrange(len(lines))
    try:
        tree = mutate_tree(rng, json.loads(lines[i]))
    except (ValueError, RecursionError):
        return mutate_lines(rng, data)
    lines[i] = encoded(to_json(tree, rng.random() < 0.5))
    return b"\n".join(lines)


def to_json(tree: Any, ascii_only: bool = True) -> str:
    """Return JSON; of numbers that Python does not write, Infinity."""
    try:
        return json.dumps(tree, ensure_ascii=ascii_only, default=repr)
    except (ValueError, RecursionError, TypeError):
        return "[Infinity" + "9" * 5000


def mutate_tree(rng: random.Random, tree: Any, odd: list[Any] = ODD_VALUES) -> Any:
    """Change some values in lists and mappings."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        tree = mutate_value(rng, tree, odd)
    return tree


def mutate_value(rng: random.Random, value: Any, odd: list[Any]) -> Any:
    """Change, drop or add a value at some depth."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        value, key = dict(value), rng.choice(list(value))
        kind = rng.randrange(6)
        if kind == 0:
            del value[key]
        elif kind == 1:
            value[rng.choice(ODD_TEXT)] = value[key]
        else:
            value[key] = mutate_value(rng, value[key], odd)
        return value
    if isinstance(value, (list, tuple)) and value and rng.random() < 0.9:
        value, at = list(value), rng.randrange(len(value))
        kind = rng.randrange(6)
        if kind == 0:
            del value[at]
        elif kind == 1:
            value.insert(rng.randrange(len(value) + 1), value[at])
        else:
            value[at] = mutate_value(rng, value[at], odd)
        return value
    if isinstance(value, int) and not isinstance(value, bool) and rng.random() < 0.5:
        return value + rng.choice((-1, 1, 7, -7, 10**9))
    return rng.choice(odd) if rng.random() < 0.7 else rng.choice(ODD_TEXT)


def mutate_depth(rng: random.Random, data: bytes) -> bytes:
    """Put what opens a list, an object or an element into a file, many times."""
    at = rng.choice((0, rng.randrange(len(data) + 1)))
    sign = rng.choice((b"[", b'{"a":', b'["', b"<a>", b"(", b"\t", b","))
    return data[:at] + sign * rng.choice((30, 3_000, 30_000)) + data[at:]


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Apply some mutators."""
    for _ in range(rng.choice((1, 1, 2))):
        data = rng.choice((mutate_bytes, mutate_lines, mutate_json))(rng, data)
    return mutate_depth(rng, data) if rng.random() < 0.03 else data


# --- seeds --------------------------------------------------------------------------------------


@functools.cache
def example_files(*endings: str) -> list[bytes]:
    """Return the beginnings of files with these endings, each up to the end of a line."""
    data = os.environ.get("SPANAGREE_DATA")
    folders = [ROOT / "corpora", *([Path(data)] if data else [])]
    paths = sorted(path for folder in folders for path in folder.rglob("*"))
    starts = []
    for path in paths:
        if path.suffix in endings and path.is_file():
            with path.open("rb") as file:
                start = file.read(SEED_BYTES)
            starts.append(start[: start.rfind(b"\n") + 1] or start)
    return sorted(set(starts)) or [b"x\n"]


@functools.cache
def corpora() -> list[sa.Corpus]:
    """Return small corpora of our own: tokens, characters with texts, lengths alone."""
    pages = {name: ROOT / f"corpora/newsroom/{name}.conll" for name in ("gold", "lexicon")}
    tokens = sa.formats.read_conll(pages).subset(range(3))
    pair: Any = {"ann": [[(0, 2, "X")], []], "bob": [[(0, 2, "X"), (3, 4, "Y")], None]}
    return [tokens, tokens.to_characters(), sa.Corpus.from_segments([5, 6], pair)]


def written(write: Callable[[Path], None], name: str = "a") -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / name)
        return (Path(folder) / name).read_bytes()


@functools.cache
def jsonl_seeds() -> list[bytes]:
    own = [written(functools.partial(sa.formats.write_jsonl, corpus)) for corpus in corpora()]
    return [*example_files(".jsonl"), *own, *own, *own]


@functools.cache
def packed_docs() -> list[Any]:
    """Return what is in .spacy files, unpacked."""
    import srsly

    tokens, *_ = corpora()
    spans = functools.partial(sa.formats.write_docbin, tokens, "gold", spans="sc")
    pages = [written(functools.partial(sa.formats.write_docbin, tokens, "gold")), written(spans)]
    return [srsly.msgpack_loads(zlib.decompress(page)) for page in pages]


@functools.cache
def row_files() -> tuple[bytes, bytes]:
    """Return files of the rows of systems and of annotators."""
    corpus = corpora()[0]
    rows = sa.evaluate(corpus).rows, sa.agree(corpus).rows
    files = [written(kind.write, "a.npz") for kind in rows if kind is not None]
    return files[0], files[1]


# --- doors --------------------------------------------------------------------------------------


def some(rng: random.Random, **choices: list[Any]) -> dict[str, Any]:
    """Return some options, each with one of its values."""
    return {key: rng.choice(values) for key, values in choices.items() if rng.random() < 0.3}


REPAIRS = [
    "drop-repeats",
    "latest",
    "clip-beyond-text",
    "strip-space",
    "drop-empty",
    "merge-overlaps",
    "no",
]


def used(rng: random.Random, corpus: Any) -> None:
    """Look at what was read; now and then as every command does."""
    for document in list(corpus)[:3]:
        _ = document.segments
    if rng.random() < 0.1 and len(corpus.layers) > 1:
        match: Any = rng.choice([*MEASURES])
        for function, by in ((sa.evaluate, None), (sa.agree, "pair")):
            function(corpus, match=match).to_dict(by)


def conll(rng: random.Random, folder: Path) -> None:
    files = example_files(".conll", ".bio", ".iob", ".txt", ".tsv", ".annotated", ".bioes")
    (folder / "a.conll").write_bytes(damaged(rng, rng.choice(files)))
    options = some(
        rng,
        columns=[{"a": 1}, {"a": 0}, {"gold": 1, "mine": 2}, {"a": -1}, {"a": 99}],
        scheme=["auto", "IO", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU"],
        unit=["sentence", "document"],
        strict=[True, False],
        repair=REPAIRS,
    )
    used(rng, sa.formats.read_conll(folder / "a.conll", **options))


def jsonl(rng: random.Random, folder: Path) -> None:
    (folder / "a.jsonl").write_bytes(damaged(rng, rng.choice(jsonl_seeds())))
    used(rng, sa.formats.read_jsonl(folder / "a.jsonl", **some(rng, repair=REPAIRS)))


STRINGS = (
    b'{"id": 7, "gold": {"PER": ["Jo", "Jo"], "LOC": []}, "model": {"PER": ["jo"]}}\n'
    b'{"id": 8, "gold": {"PER": ["Al"]}, "model": null}\n',
    b'{"gold": [{"text": "Jo", "label": "PER"}], "model": [{"text": "Al", "label": "X"}]}\n',
    b'[{"gold": [["Jo", "PER"]], "model": [["Al", "PER"], ["Al", "PER"]]}]\n',
)


def strings(rng: random.Random, folder: Path) -> None:
    """Strings with labels that are in no text, read and compared."""
    path = folder / rng.choice(["a.jsonl", "a.json"])
    path.write_bytes(damaged(rng, rng.choice(STRINGS)))
    options = some(rng, spans=[{"gold": "gold", "model": "model"}, {"a": "model"}], repair=REPAIRS)
    corpus = sa.read(path, strings=True, **options)
    for function in (sa.evaluate, sa.agree) if len(corpus.layers) > 1 else ():
        function(corpus, match=rng.choice(["exact", "boundaries", "token"])).to_dict()


def brat(rng: random.Random, folder: Path) -> None:
    own = b"T1\tPER 0 8\tJo Smith\nT2\tLOC 18 22\tRome\nT3\tORG 0 2;5 8\tJo ith\n#1\tNote T1 x\n"
    data = damaged(rng, rng.choice([*example_files(".ann"), own, own]))
    text = "Jo Smith lives in Rome and works for Acme.\n" * 3
    for name, marked in (("ann", data), ("bob", b"T1\tPER 0 8\tJo Smith\n")):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "1.txt").write_text(text)
        (folder / name / "1.ann").write_bytes(marked)
    used(
        rng,
        sa.formats.read_brat(folder, **some(rng, discontinuous=["error", "drop", "join", "split"])),
    )


@functools.cache
def export_seeds() -> dict[str, bytes]:
    """Return exports of annotation tools, by tool, number and extension with points between."""
    from spanagree.formats.recognise import find_format

    kinds = (".json", ".jsonl", ".tsv", ".xml")
    every = sorted((ROOT / "corpora/exports").rglob("*.*"))
    paths = [path for path in every if path.suffix in kinds]
    tools = {path: find_format(path) for path in paths if path.name != "exportedproject.json"}
    seeds = {f"{t}.{i}{p.suffix}": p.read_bytes() for i, (p, t) in enumerate(tools.items())}
    cas = json.dumps(
        {
            "%FEATURE_STRUCTURES": [
                {"%ID": 1, "%TYPE": "x.A", "@sofa": 2, "begin": 0, "end": 2, "v": "PER"},
                {"%ID": 2, "%TYPE": "uima.cas.Sofa", "sofaID": "_InitialView", "sofaString": "Jo"},
            ],
            "%VIEWS": {"_InitialView": {"%SOFA": 2, "%MEMBERS": [1]}},
        }
    )
    xmi = (
        '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"'
        ' xmlns:c="http:///webanno/custom.ecore"><c:Cue xmi:id="1" sofa="2" begin="0" end="2"'
        ' value="PER"/><cas:Sofa xmi:id="2" sofaID="_InitialView" sofaString="Jo"/>'
        '<cas:View sofa="2" members="1"/></xmi:XMI>'
    )
    pubtator = "7|t|Jo met.\n7|a|Al ran.\n7\t0\t2\tJo\tPER\n7\tCID\tx\ty\n"
    made = {"inception.a.json": cas, "inception.b.xmi": xmi, "pubtator.a.txt": pubtator}
    return {**seeds, **{name: text.encode() for name, text in made.items()}}


def exports(rng: random.Random, folder: Path) -> None:
    """What annotation tools export: named, or left to be recognised."""
    from spanagree.corpus.repairs import build_valid_corpus
    from spanagree.formats.read_files import read_raw_files

    name = rng.choice(list(export_seeds()))
    tool, path = name.partition(".")[0], folder / f"a{Path(name).suffix}"
    path.write_bytes(damaged(rng, export_seeds()[name]))
    own: dict[str, dict[str, list[Any]]] = {
        "label-studio": {"predictions": [True], "ground_truth": [True], "text": ["text", "source"]},
        "doccano": {"empty": ["seen", "unseen"]},
        "inception": {"layer": ["NamedEntity", "x"], "feature": ["value"], "in_progress": ["saw"]},
        "bioc": {"feature": ["type", "x"], "discontinuous": ["drop"]},
        "mqm": {"feature": ["severity", "x"], "text": ["target", "source"], "align": [True]},
    }
    how = some(rng, annotator_from=["id", "file", "email", "session"], **own.get(tool, {}))
    form = tool if how or rng.random() < 0.7 else None
    used(
        rng, build_valid_corpus(read_raw_files({"a": path}, how, form), **some(rng, repair=REPAIRS))
    )


@functools.cache
def shapes() -> dict[str, tuple[str, dict[str, bytes]]]:
    """Return a small project in the shape of each format: its name, and its files."""
    sys.path.insert(0, str(ROOT / "tests"))
    written_in = importlib.import_module("written_in")
    documents = written_in.project([[[(0, 2), (3, 1)], [(1, 2)]], [[(2, 2)], []], [[], [(0, 1)]]])
    seeds: dict[str, tuple[str, dict[str, bytes]]] = {}
    for name, (file, write, *_) in written_in.SHAPES.items():
        content = write(documents)
        if isinstance(content, dict) and name == "brat":
            seeds[name] = file, {part: text.encode() for part, text in content.items()}
            continue
        if not isinstance(content, str):
            is_lines = file.endswith(".jsonl") and isinstance(content, list)
            content = written_in.in_lines(content) if is_lines else to_json(content)
        seeds[name] = "", {file: content.encode()}
    return seeds


PATHS = ["text", "doc.text", "[0]", "[1].entities[*]", "*", "@key", "@", "a|b", "spans[*]", "x[1:]"]
PLACES = ["words", "capitals", "sites", "start", "x", "label:X", "tokens", ""]


def formats(rng: random.Random, folder: Path) -> None:
    """Each format of the table, named or left to be recognised, by paths and with its options."""
    from spanagree.corpus.repairs import build_valid_corpus
    from spanagree.formats.read_files import read_raw_files

    name = rng.choice(list(shapes()))
    inside, files = shapes()[name]
    for file, data in files.items():
        path = folder / inside / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(damaged(rng, data) if rng.random() < 0.8 else data)
    path = folder / inside if inside else path
    form: str | None = name.partition(" ")[0]
    options: dict[str, list[Any]] = {
        "annotator_from": ["id", "file", "tier"], "ends": ["inclusive"], "align": [True],
        "tier": ["T", "x"], "label_from": ["tier", "both"], "time_unit": ["ms", "25fps"],
        "resolution": ["1s", "1ms"], "duration": ["5", "1:00"],
    }  # fmt: skip
    how = some(rng, **{key: options[key] for key in rng.sample([*options], 2)})
    if rng.random() < 0.3:
        names = (
            "text",
            "tokens",
            "spans",
            "start",
            "end",
            "label",
            "quote",
            "annotator",
            "document",
        )
        how, form = some(rng, **dict.fromkeys(rng.sample(names, 4), PATHS)), "paths"
    form = form if how or rng.random() < 0.6 else None
    used(
        rng, build_valid_corpus(read_raw_files({"a": path}, how, form), **some(rng, repair=REPAIRS))
    )


def places(rng: random.Random, folder: Path) -> None:
    """Chance at places, by names and by rules, of corpora that are small and odd."""
    path = folder / "a.jsonl"
    data = rng.choice(jsonl_seeds())
    path.write_bytes(damaged(rng, data) if rng.random() < 0.7 else data)
    corpus = sa.formats.read_jsonl(path, **some(rng, repair=REPAIRS))
    rule = rng.choice(PLACES)
    options = some(rng, match=[*MEASURES], chance=["per-label", "overlapping"])
    if rng.random() < 0.5 and corpus.annotators:
        sa.evaluate(corpus, corpus.annotators[0], places=rule, **options).to_dict()
    else:
        sa.agree(corpus, places=rule, **options).to_dict()


def labels(rng: random.Random, folder: Path) -> None:
    (folder / "a.csv").write_bytes(damaged(rng, rng.choice(example_files(".csv", ".tsv"))))
    shape: Any = rng.choice([{}, {}, {"wide": True}, {"counts": True}])
    options = some(rng, missing=["", "NA"]) | some(rng, item=["item", "x"], duplicates=["first"])
    table = sa.read_labels(folder / "a.csv", **shape, **options)
    if rng.random() < 0.1:
        sa.coefficients(table).to_dict()


def docbin(rng: random.Random, folder: Path) -> None:
    import srsly

    content = rng.choice(packed_docs())
    kind = rng.randrange(4)
    if kind < 2:
        content = mutate_tree(rng, content, [*ODD_VALUES[:9], *ODD_VALUES[13:], b"x", b""])
    if kind == 2:
        key = rng.choice([key for key, value in content.items() if isinstance(value, bytes)])
        content = {**content, key: mutate_bytes(rng, content[key])}
    try:
        data = srsly.msgpack_dumps(content)
    except (TypeError, ValueError, OverflowError):
        data = srsly.msgpack_dumps(packed_docs()[0])
    data = mutate_bytes(rng, data) if kind == 3 else data
    data = zlib.compress(data, 1)
    (folder / "a.spacy").write_bytes(mutate_bytes(rng, data) if rng.random() < 0.1 else data)
    used(rng, sa.formats.read_docbin(folder / "a.spacy", **some(rng, spans=["sc", "x"])))


def rows_of_results(rng: random.Random, folder: Path) -> None:
    """Damage a file of rows; mostly what is in its columns, and what it says of them."""
    which = rng.randrange(2)
    data = row_files()[which] if rng.random() < 0.2 else forged(rng, row_files()[which])
    if rng.random() < 0.2:
        data = mutate_bytes(rng, data)
    (folder / "a.npz").write_bytes(data)
    if which:
        sa.agree([sa.agreement.ComparedAnnotators.read(folder / "a.npz")]).to_dict("pair")
    else:
        result = sa.evaluate([sa.systems.ComparedSystems.read(folder / "a.npz")])
        result.to_dict("document")
        if rng.random() < 0.2:
            result.table("label")


def forged(rng: random.Random, data: bytes) -> bytes:
    """Return a file of rows with some of its content changed."""
    with np.load(io.BytesIO(data)) as archive:
        arrays = {name: archive[name].copy() for name in archive.files}
    about = json.loads(arrays["about"].tobytes())
    if rng.random() < 0.7:
        about = mutate_tree(rng, about)
    arrays["about"] = np.frombuffer(encoded(to_json(about)), np.uint8)
    for name in rng.choices(sorted(arrays.keys() - {"about"}), k=rng.choice((0, 1, 2))):
        column = arrays[name]
        kind = rng.randrange(5)
        if kind == 0 or not len(column):
            arrays[name] = column[: rng.randrange(len(column) + 1)]
        elif kind == 1:
            arrays[name] = column.astype(rng.choice(["f8", "U4", "i8", "?"]))
        else:
            column[rng.randrange(len(column))] = rng.choice([-1, 2**40, 7, 0])
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


TRIPLES = [[1, "ann", "x"], [1, "bob", "y"], [2, "ann", "x"], [2, "bob", "x"]]
SEGMENTS = {"a": [[(0, 2, "X")], []], "b": [[(0, 2, "X"), (3, 4, "Y")], None]}
TAGS = {"a": [["B-X", "I-X", "O"]], "b": [["O", "B-X", "O"]]}
SPAN = {"start": 0, "end": 2, "label": "PER"}
ROWS: list[tuple[list[dict[str, Any]], dict[str, Any]]] = [
    (
        [
            {"t": ["Jo", "is"], "g": ["B-X", "O"], "m": ["O", "B-X"]},
            {"t": ["a"], "g": None, "m": ["O"]},
        ],
        {"tokens": "t", "tags": {"gold": "g", "mine": "m"}},
    ),
    (
        [{"t": ["Jo", "is"], "g": [1, 0], "i": 7}, {"t": ["a"], "g": [-100], "i": 8}],
        {"tokens": "t", "tags": {"gold": "g"}, "label_names": ["O", "B-X"], "document": "i"},
    ),
    (
        [
            {"x": "Jo is", "s": [SPAN], "r": None},
            {"x": "No", "s": [], "r": '[{"start": 0, "end": 1}]'},
        ],
        {"text": "x", "spans": {"ann": "s", "bob": "r"}},
    ),
    (
        [
            {"x": "Jo is", "s": [SPAN], "w": "ann", "i": "a"},
            {"x": "Jo is", "s": [], "w": "bob", "i": "a"},
        ],
        {"text": "x", "spans": "s", "annotator": "w", "document": "i"},
    ),
]


def rows(rng: random.Random, folder: Path) -> None:
    """Hand in Python's own values: labels, segments, tags, with wrong types among them."""
    door = rng.randrange(4)
    if door == 0:
        triples = mutate_tree(rng, TRIPLES, PYTHON_VALUES)
        table = sa.labels.LabelTable.from_rows(
            triples, **some(rng, categories=[["x", "y"], [], [None]])
        )
        if rng.random() < 0.2:
            sa.coefficients(table).to_dict()
    elif door == 1:
        lengths = mutate_tree(rng, [5, 6], PYTHON_VALUES) if rng.random() < 0.3 else [5, 6]
        segments = mutate_tree(rng, SEGMENTS, PYTHON_VALUES)
        options = some(rng, ids=[["a", "b"], ["a"], [1, 2]], texts=[["abcde", "abcdef"], ["a"]])
        used(rng, sa.Corpus.from_segments(lengths, segments, **options))
    elif door == 2:
        options = some(
            rng, tokens=[[["a", "b", "c"]], [["a"]], [None]], ids=[["a"], ["a", "b"], [1]]
        )
        used(rng, sa.from_tags(mutate_tree(rng, TAGS, PYTHON_VALUES), **options))
    else:
        counts = mutate_tree(rng, [[2, 0], [1, 1]], PYTHON_VALUES)
        names = mutate_tree(rng, ["x", "y"], PYTHON_VALUES) if rng.random() < 0.3 else ["x", "y"]
        sa.labels.LabelTable.from_counts(
            counts, names, **some(rng, items=[["a", "b"], ["a"], [1, 1]])
        )


def datasets(rng: random.Random, folder: Path) -> None:
    """Hand in rows as mappings, or as an Arrow table where it takes them."""
    examples, options = rng.choice(ROWS)
    arrow = rng.random() < 0.3
    examples = mutate_tree(rng, examples, ODD_VALUES if arrow else PYTHON_VALUES)
    options = dict(options)
    if rng.random() < 0.15:
        options[rng.choice(list(options))] = rng.choice(["t", "s", "nope", ["O"], {"a": "g"}, None])
    options |= some(rng, repair=REPAIRS, strict=[True], scheme=["IO", "IOB2"])
    source: Any = examples
    if arrow:
        from datasets import Dataset

        with contextlib.suppress(Exception):  # what Arrow does not take stays a list
            source = Dataset.from_list(examples)
    corpus = sa.formats.from_dataset(source, **options)
    used(rng, corpus)


def dataset_files(rng: random.Random, folder: Path) -> None:
    """Read rows from JSON, CSV, Parquet and Arrow files, as the command line does."""
    from spanagree.corpus.repairs import build_valid_corpus
    from spanagree.formats.read_files import read_raw_files

    given, options = rng.choice(ROWS)
    kind = rng.choice(("json", "json", "csv", "parquet", "arrow"))
    changed = mutate_tree(rng, given) if rng.random() < 0.7 else given
    examples = changed if isinstance(changed, list) else [changed]
    if kind in ("parquet", "arrow"):
        data = arrow_file(examples, kind)
    elif kind == "csv":
        out = io.StringIO()
        mappings = [row for row in examples if isinstance(row, dict)] or [{"x": 1}]
        writer = csv.DictWriter(out, list(mappings[0]), extrasaction="ignore")
        writer.writeheader()
        for row in mappings:
            writer.writerow({key: to_json(row.get(key)) for key in mappings[0]})
        data = encoded(out.getvalue())
    else:
        data = encoded(
            "\n".join(map(to_json, examples)) if rng.random() < 0.5 else to_json(examples)
        )
    data = damaged(rng, data) if rng.random() < 0.6 else data
    names = ["a", "a", "a[1]", "b*", "x__y", "ü ?", "c{1}"]
    path = folder / f"{rng.choice(names)}.{kind}"
    if kind == "arrow":
        path = folder / "saved"
        path.mkdir(exist_ok=True)
        (path / "data-00000-of-00001.arrow").write_bytes(data)
        state: Any = {
            "_data_files": [{"filename": "data-00000-of-00001.arrow"}],
            "_fingerprint": "a",
        }
        state |= dict.fromkeys(("_format_columns", "_format_type", "_split"))
        state |= {"_format_kwargs": {}, "_output_all_columns": False}
        (path / "state.json").write_text(
            to_json(mutate_tree(rng, state) if rng.random() < 0.3 else state)
        )
        (path / "dataset_info.json").write_text("{}")
    else:
        path.write_bytes(data)
    taken = {key: value for key, value in options.items() if key != "label_names"}
    used(rng, build_valid_corpus(read_raw_files({"a": path}, taken, "dataset")))


def arrow_file(examples: Any, kind: str) -> bytes:
    """Return rows as a Parquet or Arrow file; some that fit where these do not."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        table = pa.Table.from_pylist(examples)
    except Exception:
        table = pa.table({"x": ["Jo is"], "s": [[SPAN]], "i": ["a"]})
    out = io.BytesIO()
    if kind == "parquet":
        try:
            parquet.write_table(table, out, compression="none")
        except pa.ArrowNotImplementedError:  # what Parquet cannot hold
            parquet.write_table(pa.table({"x": ["Jo is"]}), out, compression="none")
    else:
        with pa.ipc.new_stream(out, table.schema) as stream:
            stream.write_table(table)
    return out.getvalue()


@functools.cache
def commands() -> dict[str, list[Any]]:
    """Return the options of each command; those left out start processes or draw pictures."""
    from spanagree.cli.group import spanagree

    left_out = {"--workers", "--plot", "--tokenizer"}
    return {
        name: [each for each in spanagree.commands[name].params if each.opts[-1] not in left_out]
        for name in spanagree.commands
    }


WORDS = [
    "1,2", "gold=1,mine=2", "gold=1", "gold", "mine", "ann,bob", "ann", "x", "NA", "a,b", "0.5",
    "0.2,0.5", "0,0.5", "1,2,3", "utf-8", "latin-1", "utf-16", "nope", "merge-overlaps",
    "drop-empty,strip-space", "IOBES", "text", "tokens", "spans", "item", "annotator", "label",
    "gold mine", "missed", "9", "a=t", "sc",
]  # fmt: skip
NUMBERS = [
    "0", "1", "2", "3", "20", "-1", "99", "0.9", "1e3", "1e999", "nan", "9" * 30, "x", "",
    "99999999999999999999",
]  # fmt: skip


def value_for(rng: random.Random, option: Any, folder: Path) -> list[str]:
    """Return what may stand behind an option; outputs stay in our own folder."""
    if getattr(option, "is_flag", False):
        return []
    if option.opts[-1] == "--output":
        return [
            str(folder / rng.choice(["out", "out.jsonl", "out.conll", "out.parquet", "none/x"]))
        ]
    if option.opts[-1] == "--resamples" and rng.random() < 0.9:
        return [rng.choice(["2", "10", "20"])]
    choices = list(getattr(option.type, "choices", ())) or (
        NUMBERS if option.type.name in ("integer", "float") else WORDS
    )
    return [rng.choice(choices) if rng.random() < 0.93 else rng.choice(ODD_TEXT)[:300]]


def command(rng: random.Random, folder: Path) -> None:
    """Run a command in this process, with some of its options."""
    from spanagree.cli.main import main

    name = rng.choice([*commands(), "evaluate", "agree", "coefficients"])
    everything = commands()[name]
    inputs = input_files(rng, name, folder)
    arguments = [name, *inputs]
    if name == "cite":
        arguments = [name, rng.choice([str(folder / "a.conll"), "spanagree|v1", *ODD_TEXT])[:300]]
    chosen = [option for option in everything if option.param_type_name == "option"]
    needed = [option for option in chosen if option.required]
    likely = rng.choices(chosen, k=rng.choice((0, 1, 1, 2, 3))) if chosen else []
    for option in {each.opts[-1]: each for each in (*needed, *likely)}.values():
        arguments += [option.opts[-1], *value_for(rng, option, folder)]
    arguments = [argument.replace("\0", "") for argument in arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    errors = err.getvalue().splitlines()
    last = errors[-1] if errors else ""
    if code not in (0, 1, 2) or (code and (not last.startswith("spanagree: ") or len(last) > 2500)):
        raise AssertionError(f"{arguments}: exit code {code}, {err.getvalue()[:500]!r}")
    if "not enough memory" in last:
        raise MemoryError(f"{arguments}: {last}")


def input_files(rng: random.Random, name: str, folder: Path) -> list[str]:
    """Write one or two files that a command could take, and return their names."""
    if name == "chance":
        return []
    kind = rng.choice(["conll", "conll", "jsonl"])
    if name == "coefficients" and rng.random() < 0.7:
        kind = "csv"
    seeds = {
        "conll": [written(functools.partial(sa.formats.write_conll, corpora()[0]))],
        "csv": [b"item,annotator,label\n1,ann,x\n1,bob,y\n2,ann,x\n2,bob,x\n"],
        "jsonl": jsonl_seeds()[-3:],
    }[kind]
    paths = []
    for number in range(rng.choice((1, 1, 2))):
        path = folder / f"{'ab'[number]}.{kind}"
        data = rng.choice(seeds)
        path.write_bytes(damaged(rng, data) if rng.random() < 0.2 else data)
        paths.append(str(path))
    return paths


Door = Callable[[random.Random, Path], None]
DOORS: dict[str, Door] = {
    "conll": conll,
    "jsonl": jsonl,
    "strings": strings,
    "brat": brat,
    "exports": exports,
    "formats": formats,
    "places": places,
    "labels": labels,
    "docbin": docbin,
    "row-files": rows_of_results,
    "rows": rows,
    "datasets": datasets,
    "dataset-files": dataset_files,
    "command": command,
}
NEEDS = {
    "docbin": "spacy",
    "datasets": "datasets",
    "dataset-files": "datasets",
}
"""The optional package without which a door is closed."""


# --- one input ----------------------------------------------------------------------------------


@contextlib.contextmanager
def in_time() -> Iterator[None]:
    """End what takes too long."""

    def late(*_: Any) -> None:
        raise TooLongError

    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@functools.cache
def opened(door: str) -> None:
    """Load what a door needs, which counts for no input."""
    if door in NEEDS and importable(NEEDS[door]):
        importlib.import_module(NEEDS[door])
    ready: dict[str, Callable[[], Any]] = {
        "jsonl": jsonl_seeds, "docbin": packed_docs, "row-files": row_files, "command": commands,
        "formats": shapes, "places": jsonl_seeds,
    }  # fmt: skip
    ready.get(door, corpora)()


def attempt(door: str, seed: int, number: int, folder: Path) -> str:
    """Try one input, and return what went wrong, if anything did."""
    opened(door)
    rng = random.Random(f"{door} {seed} {number}")
    before = peak()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            with in_time():
                DOORS[door](rng, folder)
        except sa.SpanAgreeError as error:
            text = str(error)
            if "\n" in text or len(text) > 2000:
                return f"a message of {len(text)} characters: {text[:200]!r}"
            if re.search(r"MemoryError|not enough memory|alloc.* failed", text):
                return f"not enough memory: {text[:200]!r}"
        except TooLongError:
            return f"more than {SECONDS} s"
        except BaseException:
            return traceback.format_exc()
    grown = peak() - before
    if grown > BYTES // 2:  # else it was below the highest before, or not far above
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")  # forget the peak
    return f"{grown >> 20} MB more" if grown > BYTES else ""


class Failures:
    """What failed: each kind is shown and kept once, and counted."""

    def __init__(self, keep: Path | None) -> None:
        self.keep = keep
        self.kinds: collections.Counter[tuple[str, str]] = collections.Counter()

    def add(self, door: str, seed: int, number: int, wrong: str, folder: Path) -> None:
        lines = wrong.strip().splitlines()
        places = [line.strip() for line in lines if "/spanagree/" in line]
        kind = door, " ".join([*places[-1:], re.sub(r"\d+", "N", lines[-1].split(":")[0])[:80]])
        self.kinds[kind] += 1
        if self.kinds[kind] > 1:
            return
        print(f"{door} --seed {seed} --number {number}: {wrong.strip()[-1500:]}\n", flush=True)
        if self.keep is not None:
            kept = self.keep / f"{door}-{seed}-{number}"
            shutil.copytree(folder, kept, dirs_exist_ok=True)
            (kept / "what.txt").write_text(wrong, errors="backslashreplace")


# --- the run ------------------------------------------------------------------------------------


class Share(NamedTuple):
    """What a process works on: every so manyth input, and how many each door has had."""

    process: int
    processes: int
    tried: Any  # of each door
    failed: Any
    now: Any  # the door and the number that it is at, and since when


def work(asked: argparse.Namespace, share: Share) -> None:
    """Try inputs until time is over, those of the door that has had least time first."""
    doors: list[str] = asked.door
    failures = Failures(asked.keep)
    spent = [0.0] * len(doors)
    number = [share.process + share.tried[i] * share.processes for i in range(len(doors))]
    end = time.monotonic() + 60 * asked.minutes
    base = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=base) as name:
        folder = Path(name)
        while True:
            still = [
                i for i in range(len(doors)) if asked.inputs is None or number[i] < asked.inputs
            ]
            started = time.monotonic()
            if not still or started > end:
                return
            i = min(still, key=spent.__getitem__)
            share.now[:] = [i, number[i], int(started)]
            wrong = attempt(doors[i], asked.seed, number[i], folder)
            if wrong:
                share.failed[i] += 1
                failures.add(doors[i], asked.seed, number[i], wrong, folder)
            share.tried[i] += 1
            number[i] += share.processes
            spent[i] += time.monotonic() - started
            if share.tried[i] % 50 == 0:
                for path in folder.iterdir():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


def watched(asked: argparse.Namespace) -> tuple[list[int], list[int]]:
    """Run processes, replace those that die or hang, and return what was tried and what failed."""
    fork = multiprocessing.get_context("fork")
    size, count = len(asked.door), asked.processes
    shares = [
        Share(k, count, *(fork.Array("q", n, lock=False) for n in (size, size, 3)))
        for k in range(count)
    ]
    started = time.monotonic()

    def begin(share: Share) -> Any:
        left = argparse.Namespace(**vars(asked))
        left.minutes = asked.minutes - (time.monotonic() - started) / 60
        share.now[2] = int(time.monotonic())
        process = fork.Process(target=work, args=(left, share))
        process.start()
        return process

    running = {share.process: begin(share) for share in shares}
    while running:
        time.sleep(0.2)
        for share in [shares[k] for k in running]:
            process = running[share.process]
            hangs = process.is_alive() and time.monotonic() - share.now[2] > DEAD
            if hangs:
                process.kill()
                process.join()
            if process.is_alive():
                continue
            del running[share.process]
            if process.exitcode:
                i, number, _ = share.now
                problem = "hangs" if hangs else f"dies, exit code {process.exitcode}"
                print(
                    f"{asked.door[i]} --seed {asked.seed} --number {number}: {problem}\n",
                    flush=True,
                )
                share.failed[i] += 1
                share.tried[i] += 1
                running[share.process] = begin(share)
    return [
        [sum(column) for column in zip(*(getattr(share, name) for share in shares), strict=True)]
        for name in ("tried", "failed")
    ]  # type: ignore[return-value]  # a pair


def main() -> int:
    parser = argparse.ArgumentParser(description="Throw damaged input at every door.")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--inputs", type=int, help="at most so many for each door")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--door", action="append", choices=list(DOORS), help="all unless given")
    parser.add_argument("--keep", type=Path, help="a folder for inputs that failed")
    parser.add_argument("--number", type=int, help="one input of a door once more, in this process")
    asked = parser.parse_args()
    asked.door = asked.door or list(DOORS)
    for door in [door for door in asked.door if not importable(NEEDS.get(door, "json"))]:
        print(f"{door}: {NEEDS[door]} is not installed: passed over")
        asked.door.remove(door)
    if asked.number is not None:
        with tempfile.TemporaryDirectory() as folder:
            wrong = attempt(asked.door[0], asked.seed, asked.number, Path(folder))
            if wrong:
                Failures(asked.keep).add(
                    asked.door[0], asked.seed, asked.number, wrong, Path(folder)
                )
        return 1 if wrong else 0
    started = time.monotonic()
    tried, failed = watched(asked)
    seconds = time.monotonic() - started
    for door, inputs, wrong_ones in zip(asked.door, tried, failed, strict=True):
        print(f"{door}: {inputs} inputs, {wrong_ones} failed")
    print(f"{sum(tried)} inputs in {seconds:.0f} s, {sum(failed)} failed")
    return 1 if any(failed) else 0


def importable(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is not None


if __name__ == "__main__":
    sys.exit(main())
