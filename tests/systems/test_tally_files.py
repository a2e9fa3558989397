"""Tallies as files: the report of one run from its parts, and parts that do not go together."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses, says
from strategies import PAIRS, crowds

import spanagree as sa
from spanagree.cli.main import main
from spanagree.systems import tally_files
from spanagree.systems.evaluate import with_intervals

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

KEY = b"spanagree.tallies"


def merged(parts, folder):
    paths = []
    for i, part in enumerate(parts):
        paths.append(Path(folder) / f"part-{i}.parquet")
        sa.write_tallies(part, paths[-1])
    return sa.read_tallies(paths)


@given(crowds(), st.sampled_from(PAIRS), st.booleans(), st.randoms(use_true_random=False))
def test_parts_are_the_whole(crowd, how, ids, random):
    """Merged parts are the evaluation of the whole, with documents, labels, ranks and intervals."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    documents = list(range(len(corpus)))
    random.shuffle(documents)
    whole = corpus.with_ids() if ids else corpus
    whole = whole.subset(documents)
    cut = random.randint(0, len(documents))
    blocks = [whole.subset(range(cut)), whole.subset(range(cut, len(documents)))]
    ask = {"gold": "ann", "match": how[0], "chance": how[1]}
    parts = [sa.evaluate(block, **ask) for block in blocks if len(block)]
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = merged(parts, folder)
        except sa.InputError as error:  # two documents of the same tallies, and no ids
            if ids or "holds what" not in str(error):
                raise
            return
    one, other = sa.evaluate(whole, **ask).to_dict("document"), found.to_dict("document")
    assert repr(one) == repr(other)
    some = sa.Bootstrap(resamples=20, interval="percentile")
    again = sa.evaluate(whole, ci=some, **ask)
    assert repr(again.systems) == repr(with_intervals(found, some).systems)


FILES = ("gold", "lexicon", "tagger", "chunker")


@pytest.fixture(scope="module")
def folder(newsroom, tmp_path_factory):
    """The newsroom corpus in three parts, with ids, and their tallies."""
    folder = tmp_path_factory.mktemp("parts")
    corpus = sa.read_conll({n: newsroom / f"{n}.conll" for n in FILES}, scheme="IOB2").with_ids()
    for i, low in enumerate(range(0, 103, 40)):
        path = folder / f"part-{i}.jsonl"
        sa.write_jsonl(corpus.subset(range(low, min(low + 40, 103))), path)
        sa.write_tallies(sa.evaluate(sa.read_jsonl(path), "gold"), folder / f"part-{i}.parquet")
    sa.write_jsonl(corpus, folder / "whole.jsonl")
    return folder


@pytest.mark.parametrize(
    "more",
    [
        [], ["--by", "label"], ["--test", "permutation", "--resamples", "50"],
        ["--ci", "--resamples", "50"], ["--format", "json"], ["--format", "csv"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_the_command_gives_the_report_of_one_run(folder, capsys, more):
    """Parts evaluated on their own and merged print what one run prints, all digits."""
    for i in range(3):
        made = str(folder / f"cli-{i}.parquet")
        ask = ["evaluate", str(folder / f"part-{i}.jsonl"), "--gold", "gold", "--tallies", made]
        assert main(ask) == 0
    capsys.readouterr()
    assert main(["evaluate", str(folder / "whole.jsonl"), "--gold", "gold", *more]) == 0
    one = capsys.readouterr()
    assert (
        main(
            [
                "evaluate",
                "--from-tallies",
                *(str(folder / f"cli-{i}.parquet") for i in range(3)),
                *more,
            ]
        )
        == 0
    )
    assert capsys.readouterr() == one


def test_documents_of_merged_parts_lack_chance_alone(folder, capsys):
    """Merged documents have every figure of one run but those of chance, which need the segments."""
    parts = [str(folder / f"part-{i}.parquet") for i in range(3)]
    more = ["--by", "document", "--format", "csv"]
    assert main(["evaluate", str(folder / "whole.jsonl"), "--gold", "gold", *more]) == 0
    one = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert main(["evaluate", "--from-tallies", *parts, *more]) == 0
    out, err = capsys.readouterr()
    by_chance = ("f1_expected_sd", "f1_95", "z", "p", "p_bh")
    assert [{k: v for k, v in row.items() if k not in by_chance} for row in one] == list(
        csv.DictReader(io.StringIO(out))
    )
    assert one[0].keys() >= set(by_chance)
    says(err, "spanagree: note: z and p of documents … files of tallies … --by document")


def changed(folder, tmp_path, about=None, columns=None, sealed=True):
    """The first part with something else in it, and a digest that fits."""
    table = pq.read_table(folder / "part-0.parquet")
    said = json.loads(table.schema.metadata[KEY])
    if about is not None:
        said = about(said)
    if columns is not None:
        table = columns(table)
    if sealed and isinstance(said, dict) and table.column_names == list(tally_files._COLUMNS):
        with contextlib.suppress(KeyError, TypeError):
            said["digest"] = tally_files._digest(said, {n: np.nan_to_num(of) if (of := np.array(table.column(n))).dtype.kind == "f" and n in ("document",) else of for n in table.column_names})  # fmt: skip
    path = tmp_path / "part-x.parquet"
    raw = said if isinstance(said, bytes) else json.dumps(said).encode()
    pq.write_table(table.replace_schema_metadata({KEY: raw} if raw else {}), path)
    return path


def with_column(name, value):
    def change(table):
        at = table.schema.get_field_index(name)
        column = table.column(name).to_pylist()
        return table.set_column(at, table.schema.field(at), pa.array([value, *column[1:]], table.schema.field(at).type))  # fmt: skip

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"about": lambda a: {**a, "version": 2}}, "tallies of version 2 … version 1"),
        ({"about": lambda a: b""}, "holds no tallies … --tallies (write_tallies)"),
        ({"about": lambda a: b"{"}, "what it says of its tallies cannot be read"),
        ({"about": lambda a: []}, "what it says of its tallies cannot be read"),
        ({"about": lambda a: {**a, "documents": -1}}, "documents -1 … wrong"),
        ({"about": lambda a: {**a, "documents": 10**9}}, "documents 1000000000 … rows of 40"),
        ({"about": lambda a: {**a, "settings": {**a["settings"], "scheme": "auto", "schemes": {"x": []}}}}, "settings … wrong kinds"),
        ({"about": lambda a: {**a, "settings": {**a["settings"], "repair": 3}}}, "settings … wrong kinds"),
        ({"about": lambda a: {**a, "documents": True}}, "documents True … wrong"),
        ({"about": lambda a: {**a, "labels": [1]}}, "labels [1] … wrong"),
        ({"about": lambda a: {**a, "settings": {}}}, "settings without match"),
        ({"about": lambda a: {**a, "systems": ["x"]}}, "row 1: system 'lexicon' is wrong"),
        ({"columns": with_column("document", 10**6)}, "row 1: document np.int64(1000000) is wrong"),
        ({"columns": with_column("label", "x")}, "row 1: label 'x' is wrong"),
        ({"columns": with_column("matched", 0.5)}, "row 1: matched np.float64(0.5) is wrong"),
        ({"columns": with_column("expected", float("nan"))}, "row 1: expected np.float64(nan) is wrong"),
        ({"columns": with_column("matched", 99.0)}, "row 1: matched 99.0 is wrong"),
        ({"columns": with_column("expected", 1e308)}, "row 1: expected 1e+308 is wrong"),
        ({"columns": with_column("size_gold", 2**62)}, f"row 1: size_gold {2**62} is wrong"),
        ({"columns": with_column("document", None)}, "document is missing in some rows; every row has one"),
        ({"about": lambda a: {**a, "documents": 10**30}}, f"documents {10**30} … wrong"),
        ({"about": lambda a: {k: v for k, v in a.items() if k != "whole"}}, "whole None … wrong"),
        ({"sealed": False, "columns": with_column("expected", 0.25)}, "is not as it was written … digest … write it anew"),
        ({"sealed": False, "about": lambda a: {**a, "documents": 1000}}, "is not as it was written … digest … write it anew"),
        ({"columns": with_column("size_gold", -1)}, "row 1: size_gold np.int64(-1) is wrong"),
        ({"columns": with_column("id", "x")}, "… documents … an id each"),
        (
            {"columns": lambda t: t.drop_columns(["id"])},
            "columns document int64, system string, label string, matched double, expected double, size_gold int64, size_system int64, expected_size_gold double, expected_size_system double, expected_uniform double; those of tallies are document int64, id string, system string, label string, matched double, expected double, size_gold int64, size_system int64, expected_size_gold double, expected_size_system double, expected_uniform double",
        ),
    ],
)  # fmt: skip
def test_files_that_are_no_tallies(folder, tmp_path, change, said):
    """Each way in which a file may be wrong is an error that names it."""
    path = changed(folder, tmp_path, **change)
    said = said.replace("np.int64(", "").replace("np.float64(", "").replace(") is", " is")
    with refuses(sa.InputError, f"{path}: {said}"):
        sa.read_tallies(path)


@pytest.mark.parametrize(("expected", "allowed"), [(3.0, True), (4.5, False)])
def test_chance_matches_no_more_than_there_are_pairs(folder, tmp_path, expected, allowed):
    """One segment of gold and three by chance make three pairs; more than that is wrong."""
    three = with_column("expected_size_system", 3.0)
    path = changed(folder, tmp_path, columns=lambda t: with_column("expected", expected)(three(t)))
    if allowed:
        assert sa.read_tallies(path).documents == 40
        return
    with refuses(sa.InputError, f"{path}: row 1: expected {expected} is wrong"):
        sa.read_tallies(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: [p[0], p[0]], "{0}: holds what {0} does … once"),
        (lambda p: [p[0], p["copy"]], "{copy}: holds what {0} does … once"),
        (lambda p: [p[0], p["overlap"]], "{overlap}: document '40' is in {0} too … once"),
        (
            lambda p: [p[0], p["token"]],
            "{token}: match 'token' … 'exact' … different settings",
        ),
        (
            lambda p: [p[0], p["fewer"]],
            "{fewer}: systems lexicon, tagger; {0} has lexicon, tagger, chunker",
        ),
        (lambda p: [p[0], "nowhere.parquet"], "nowhere.parquet: no such file"),
        (lambda p: [], "no file … evaluate --tallies FILE"),
    ],
)  # fmt: skip
def test_parts_that_do_not_go_together(folder, tmp_path, change, said):
    """The same part twice, a document twice, other settings, other systems."""
    paths = {0: folder / "part-0.parquet", "copy": tmp_path / "copy.parquet"}
    shutil.copy(paths[0], paths["copy"])
    whole = sa.read_jsonl(folder / "whole.jsonl")
    later = whole.subset(range(40, 80))
    for name, evaluation in (
        ("overlap", sa.evaluate(whole.subset(range(39, 50)), "gold")),
        ("token", sa.evaluate(later, "gold", match="token")),
        ("fewer", sa.evaluate(later.of_annotators(["gold", "lexicon", "tagger"]), "gold")),
    ):
        paths[name] = tmp_path / f"{name}.parquet"
        sa.write_tallies(evaluation, paths[name])
    message = said.format(*[paths[0]], **{k: v for k, v in paths.items() if k})
    with refuses(sa.InputError, message):
        sa.read_tallies(change(paths))


def test_labels_are_united(tmp_path):
    """Parts with other labels have one list of them; each keeps its own figures."""
    one = sa.Corpus.from_segments([5], {"g": [[(0, 1, "X")]], "s": [[(0, 1, "X")]]})
    other = sa.Corpus.from_segments([5], {"g": [[(0, 1, "A")]], "s": [[(1, 2, "Y")]]})
    found = merged([sa.evaluate(one), sa.evaluate(other)], tmp_path)
    labels = found.systems["s"].labels
    assert {name: tally.f1.observed for name, tally in labels.items()} == {"A": 0, "X": 1, "Y": 0}
    assert [name for name, _ in found.by_document("s")] == ["1", "2"]


def test_no_text_and_no_spans(folder):
    """A file has names and numbers only."""
    table = pq.read_table(folder / "part-0.parquet")
    texts = {v for name in ("id", "system", "label") for v in table.column(name).to_pylist()}
    labels = {"LOC", "ORG", "PER", "creative-work", None}
    assert texts <= {*map(str, range(1, 41)), *FILES[1:], *labels}
    said = json.loads(table.schema.metadata[KEY])
    assert sorted(said) == ["digest", "documents", "labels", "notes", "places", "settings", "systems", "version", "whole"]  # fmt: skip


def test_names_that_parquet_cannot_hold(tmp_path):
    """Half a surrogate pair in a name is an error that shows it."""
    corpus = sa.Corpus.from_segments([5], {"g": [[(0, 1, "\ud800")]], "s": [[]]})
    said = r"'\ud800' … surrogate … Parquet … another"
    with refuses(sa.InputError, said):
        sa.write_tallies(sa.evaluate(corpus), tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


def test_nobody_shares_anything(tmp_path):
    """Documents that no system shares with gold are counted; their figures stay undefined."""
    corpus = sa.Corpus.from_segments([5, 4], {"g": [[], None], "s": [None, []]}, ids=["a", "b"])
    found = merged([sa.evaluate(corpus)], tmp_path)
    assert repr(found.systems) == repr(sa.evaluate(corpus).systems)
    assert (found.documents, found.document_ids) == (2, ("a", "b"))


def test_tallies_of_no_document(tmp_path):
    """A part of a corpus may have no document; it adds nothing."""
    nothing = sa.Corpus.from_segments([], {"g": [], "s": []})
    found = merged([sa.evaluate(nothing)], tmp_path)
    assert found.documents == 0
    assert repr(found.systems) == repr(sa.evaluate(nothing).systems)


def test_refused_before_the_work(newsroom, tmp_path, capsys, monkeypatch):
    """A path that cannot be written, an input, blocks, a package that is missing."""
    files = [str(newsroom / f"{n}.conll") for n in FILES[:2]]
    for more, said in (
        (["--tallies", "no/x"], "no/x: cannot be written: there is no folder 'no'"),
        (["--tallies", "x", "-o", "x"], "x … -o … --tallies … a file of its own"),
        (["--tallies", "./x.svg", "--plot", "x.svg"], "./x.svg … --plot … --tallies … a file of its own"),
        (["--tallies", files[0]], f"{files[0]} … input … --tallies … another file"),
        (["--tallies", "x.parquet", "--block", "9", "--scheme", "IOB2"], "tallies: over blocks … a file of tallies for each part"),
    ):  # fmt: skip
        assert main(["evaluate", *files, *more]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        says(err, f"spanagree: error: {said}")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    assert main(["evaluate", *files, "--tallies", "x.parquet"]) == 1
    says(
        capsys.readouterr().err,
        "spanagree: error: writing tallies needs pyarrow … pip install '.[arrow]'",
    )
    over = sa.evaluate([sa.read_conll(files, scheme="IOB2")])
    with pytest.raises(sa.SettingError, match="single documents are not kept over blocks"):
        with_intervals(over)


def test_a_file_that_is_not_parquet(tmp_path, capsys):
    """What is no Parquet file at all is refused with what writes one."""
    path = tmp_path / "gold.conll"
    path.write_text("Jo B-PER\n", "utf-8")
    assert main(["evaluate", "--from-tallies", str(path)]) == 1
    message = capsys.readouterr().err
    assert message.startswith(f"spanagree: error: {path}: cannot be read as Parquet: ")
    assert message.endswith("; pass files that evaluate --tallies FILE (write_tallies) wrote\n")
    assert message.count("\n") == 1
