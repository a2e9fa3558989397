"""Rows in files: joined, they give what the corpora give, without a text; and what goes wrong."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import PAIRS, at_most, crowds
from whole_and_parts import cut, everything, random_team, texts

import spanagree as sa

SYSTEMS, TEAM = sa.systems.ComparedSystems, sa.agreement.ComparedAnnotators
FEW = sa.Jackknife()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rows")


def sent(results, folder):
    """The rows of results, written and read."""
    files = [folder / f"{i}.npz" for i in range(len(results))]
    for result, file in zip(results, files, strict=True):
        result.rows.write(file)
    kind = type(results[0].rows)
    return [kind.read(file) for file in files]


@at_most(40)
@given(crowds(), st.sampled_from(PAIRS), st.booleans(), st.randoms(use_true_random=False))
def test_rows_are_the_whole(folder, crowd, how, has_ids, random):
    """Oracle: the whole corpus, bit by bit, with intervals, documents, pairs and labels."""
    corpus = sa.Corpus.from_segments(*crowd)
    corpus = corpus.with_ids() if has_ids else corpus
    ask = {"match": how[0], "chance": how[1]}
    parts = cut(corpus, random)
    rows = sent([sa.evaluate(part, **ask) for part in parts], folder)
    whole = everything(sa.evaluate(corpus, **ask, ci=FEW))
    assert everything(sa.evaluate(rows, **ask, ci=FEW)) == whole
    rows = sent([sa.agree(part, **ask) for part in parts], folder)
    found, whole = sa.agree(rows, **ask, ci=FEW), sa.agree(corpus, **ask, ci=FEW)
    for by in (None, "label", "pair", "document"):
        assert found.to_dict(by) == whole.to_dict(by) or repr(found.to_dict(by)) == repr(
            whole.to_dict(by)
        )


def test_chosen_annotators(folder):
    """Rows of some of the annotators say whose they are."""
    corpus = sa.Corpus.from_segments([5, 5], {n: [[(0, 1, "X")], [(1, 2, "Y")]] for n in "abc"})
    ask = {"annotators": ["c", "a"]}
    rows = sent([sa.agree(corpus.subset([d]), **ask) for d in (0, 1)], folder)
    whole = sa.agree(corpus, **ask)
    for more in ({}, ask):
        assert sa.agree(rows, **more).signature == whole.signature
        assert sa.agree(rows, **more).team.f1 == whole.team.f1
    with refuses(sa.SettingError, "part 1: annotators ['a', 'b']; the rows are of annotators"):
        sa.agree(rows, annotators=["a", "b"])


@pytest.mark.parametrize("match", ["exact", "token"])
def test_crowds(folder, match):
    """Sums of crowded documents are written too; what needs their pairs is refused."""
    corpus = random_team(5, 12, 11)
    parts = [corpus.subset(range(5)), corpus.subset(range(5, 12))]
    rows = sent([sa.agree(part, match=match) for part in parts], folder)
    found, whole = sa.agree(rows, match=match), sa.agree(corpus, match=match)
    near_by(found, whole, (None, "label", "pair", "document"))
    with refuses(sa.SettingError, "single pairs of crowded documents: not of rows in files"):
        sa.agree(rows, match=match, ci=FEW)


def near_by(one, other, parts):
    for by in parts:
        for a, b in zip(one.to_rows(by), other.to_rows(by), strict=True):
            assert {k: v for k, v in a.items() if not isinstance(v, float)} == {
                k: v for k, v in b.items() if not isinstance(v, float)
            }
            for key, value in a.items():
                if isinstance(value, float):
                    assert value == pytest.approx(b[key], rel=1e-12, abs=1e-14, nan_ok=True)


def test_places_and_relations(folder):
    """Rows keep the name of a rule of places, the figures without it, and what was compared."""
    layers = {"a": [[(0, 2, "X")], [(3, 5, "X")]], "b": [[(0, 2, "X")], [(0, 2, "X")]]}
    corpus = texts(["Jo met", "to Al"], layers, ids=["p", "q"])
    parts = [corpus.subset([0]), corpus.subset([1])]
    for ask in ({"places": "words"}, {"places": "words", "match": "token"}, {"tolerance": 1}):
        for call in (sa.evaluate, sa.agree):
            rows = sent([call(part, **ask) for part in parts], folder)
            found, whole = call(rows, **ask), call(corpus, **ask)
            assert found.to_dict()["tables"] == whole.to_dict()["tables"]
            assert (found.signature, found.notes) == (whole.signature, whole.notes)
            with refuses(sa.SettingError, "part 1: "):
                call(rows)
    with refuses(sa.SettingError, "part 1: chance 'nonoverlapping'; the rows are of chance"):
        sa.evaluate(
            sent([sa.evaluate(corpus, chance="overlapping")], folder), chance="nonoverlapping"
        )
    with refuses(sa.SettingError, "part 1: gold 'b'; the rows are of gold 'a'"):
        sa.evaluate(sent([sa.evaluate(corpus)], folder), "b")


def test_rows_and_corpora_together(folder):
    """Rows of a file and a corpus are parts alike; rows of a result need no file."""
    corpus = sa.Corpus.from_segments(
        [5, 6, 7], {n: [[(0, 2, "X")], [(1, 3, "Y")], []] for n in "ab"}, ids=list("xyz")
    )
    first, rest = corpus.subset([0]), corpus.subset([1, 2])
    for call in (sa.evaluate, sa.agree):
        for rows in (call(first).rows, sent([call(first)], folder)[0]):
            assert call([rows, rest], ci=FEW).to_dict() == call(corpus, ci=FEW).to_dict()
    with refuses(sa.InputError, "document 1 of part 1 and document 1 of part 2 … the same id"):
        sa.evaluate([sa.evaluate(first).rows, first])


def test_rows_of_another_question():
    """Rows of annotators are none of systems, nor the reverse."""
    corpus = sa.Corpus.from_segments([5], {n: [[(0, 2, "X")]] for n in "ab"})
    takes = "evaluate takes rows of systems, and agree takes rows of annotators"
    with refuses(sa.InputError, f"part 1: rows of annotators; {takes}"):
        sa.evaluate([sa.agree(corpus).rows])
    with refuses(sa.InputError, f"part 1: rows of systems; {takes}"):
        sa.agree([sa.evaluate(corpus).rows])


def test_what_rows_lack(folder):
    """Segments are not in the file, nor texts: p values, texts and tests against chance need them."""
    corpus = texts(["No way out"], {"a": [[(0, 2, "X")]], "b": [[(3, 6, "X")]]}, ids=["secret-id"])
    rows = sent([sa.evaluate(corpus)], folder)
    with refuses(sa.SettingError, "p_values: not of rows in files"):
        sa.evaluate(rows, p_values=True)
    assert all(not len(layer) for layer in rows[0].corpus.layers.values())
    assert rows[0].corpus.texts is None
    with np.load(folder / "0.npz") as arrays:
        assert b"way" not in b"".join(arrays[name].tobytes() for name in arrays.files)


def rewritten(path, **changes):
    """The file with other columns; ``about`` is updated."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    about = json.loads(arrays["about"].tobytes()) | changes.pop("about", {})
    arrays |= {name.replace("__", "."): x for name, x in changes.items()}
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    out = io.BytesIO()
    np.savez(out, **{name: x for name, x in arrays.items() if x is not None})
    path.write_bytes(out.getvalue())


ONE = np.array([1])
ENDLESS = {"drawn": float("inf"), "errors": {}, "extrapolated": 0, "off": 0}
WRONG = {
    "a document that is not there": {"rows__document": np.array([7, 7])},
    "an annotator that is not there": {"rows__second": np.array([5, 5])},
    "all documents as one": {"rows__document": np.array([-1, 0])},
    "all annotators as one": {"rows__second": np.array([-1, 1])},
    "a label that is not there": {"rows__label": np.array([3, 3])},
    "fewer than nothing": {"rows__matched": np.array([-1, 0])},
    "no number": {"rows__expected": np.array([np.nan, 0.0])},
    "text": {"rows__expected": np.array(["a", "b"])},
    "another length": {"rows__size_first": ONE},
    "a table": {"rows__document": np.zeros((2, 2), np.int64)},
    "no column": {"rows__document": None},
    "no lengths": {"lengths": None},
    "too few masks": {"seen": np.array([True])},
    "another version": {"about": {"spanagree_rows": 2}},
    "too many ends": {"about": {"word_edges": [10**400, 0.0]}},
    "no number of ends": {"about": {"word_edges": [1, float("nan")]}},
    "another kind": {"about": {"kind": "units"}},
    "no names": {"about": {"annotators": 3}},
    "a gold that is not there": {"about": {"gold": "zed"}},
    "a measure that is not there": {"about": {"match": "fuzzy"}},
    "a chance that is not there": {"about": {"chance": "luck"}},
    "ids twice": {"about": {"ids": ["x", "x"]}},
    "labels that are none": {"about": {"labels": [" "]}},
    "bounds that are none": {"about": {"inexact": {"b": 3}}},
    "bounds without an end": {"about": {"inexact": {"b": ENDLESS}}},
    "nothing expected of something": {"rows__expected_size_second": np.array([0, 1])},
    "shares that are none": {"about": {"shares": {"rule": 3}}},
    "remarks that are none": {"about": {"remarks": 3}},
    "a remark that is no text": {"about": {"remarks": [3]}},
    "no traits": {"about": {"traits": []}},
    "a reading that is none": {"about": {"reading": [3]}},
    "schemes that are none": {
        "about": {"reading": {"scheme": "auto", "schemes": {"a": "IO", "b": 3}}}
    },
}


@pytest.mark.parametrize("what", WRONG)
def test_files_that_no_result_writes(tmp_path, what):
    """They are refused in a line that names the file."""
    corpus = sa.Corpus.from_segments(
        [5, 6], {n: [[(0, 2, "X")], [(1, 3, "X")]] for n in "ab"}, ids=["x", "y"]
    )
    path = tmp_path / "rows.npz"
    sa.evaluate(corpus).rows.write(path)
    rewritten(path)
    assert sa.evaluate([SYSTEMS.read(path)]).to_dict() == sa.evaluate(corpus).to_dict()
    rewritten(path, **WRONG[what])
    with pytest.raises(sa.SpanAgreeError) as error:
        SYSTEMS.read(path)
    assert "\n" not in str(error.value)


def said_of(path):
    """The error of reading a file of a team, or nothing."""
    try:
        sa.agree([TEAM.read(path)])
    except sa.SpanAgreeError as error:
        return str(error)
    return ""


def test_files_that_are_none(tmp_path):
    """Another ending, no file, no archive, pickles, rows of the other kind."""
    corpus = sa.Corpus.from_segments([5], {n: [[(0, 2, "X")]] for n in "ab"})
    with refuses(sa.SettingError, "rows.parquet: rows are written … name a .npz file"):
        sa.evaluate(corpus).rows.write("rows.parquet")
    path = tmp_path / "rows.npz"
    for kind in (SYSTEMS, TEAM):
        path.unlink(missing_ok=True)
        with refuses(sa.InputError, f"{path}: no such file"):
            kind.read(path)
        path.write_bytes(b"PK\x03\x04 not a zip")
        with refuses(sa.InputError, f"{path}: holds no rows"):
            kind.read(path)
        np.savez(path, about=np.array([{"a": 1}], object))
        with refuses(sa.InputError, f"{path}: holds no rows"):
            kind.read(path)
    sa.agree(corpus).rows.write(path)
    with refuses(sa.InputError, f"{path}: rows of 'annotators', version 1; rows of systems"):
        SYSTEMS.read(path)
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(200):  # damaged: an error of one line, or what was written
        damaged = bytearray(data)
        damaged[rng.integers(len(data))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        assert "\n" not in said_of(path)


def test_pairs_that_no_result_writes(tmp_path):
    """A pair in the rows that shares no document, as the file has it, is refused."""
    path = tmp_path / "rows.npz"
    layers = {n: [[(0, 2, "X")], [(1, 3, "X")]] for n in "ab"}
    sa.agree(sa.Corpus.from_segments([5, 6], layers)).rows.write(path)
    rewritten(path, rows__second=np.array([1, 0]))
    with refuses(sa.InputError, "… a pair of the rows shares no document"):
        TEAM.read(path)
