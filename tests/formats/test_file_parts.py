"""Corpora in many files, as one and as parts: the figures of the whole, and what goes wrong."""

from __future__ import annotations

import json
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from unicodedata import normalize

import pytest
from messages import refuses, says

import spanagree as sa
from spanagree.cli.main import main
from spanagree.results.result import are_equal

FILES = ("gold", "lexicon", "tagger")


@pytest.fixture(scope="module")
def folder(newsroom, tmp_path_factory):
    """The newsroom corpus, whole and in three shards, as CoNLL, JSONL and Parquet."""
    folder = tmp_path_factory.mktemp("shards")
    corpus = sa.read_conll({n: newsroom / f"{n}.conll" for n in FILES}, scheme="IOB2")
    sa.write_jsonl(corpus, folder / "whole.jsonl")
    for i, low in enumerate(range(0, 103, 40)):
        part = corpus.subset(range(low, min(low + 40, 103)))
        for name in FILES:
            sa.write_conll(part.select_annotators([name]), folder / f"{name}-{i}.conll")
        sa.write_jsonl(part.with_ids(before=low), folder / f"part-{i}.jsonl")
        tags = {n: [] for n in FILES}
        tokens = []
        for document in part:
            tokens.append(list(document.tokens))
            for name in FILES:
                row = ["O"] * document.length
                for start, end, label in document.segments[name]:
                    row[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
                tags[name].append(row)
        (folder / f"tags-{i}.json").write_text(json.dumps({"tokens": tokens, **tags}), "utf-8")
    return folder


@pytest.fixture
def parquet(folder):
    """The folder with the shards as Parquet too, which datasets reads."""
    pytest.importorskip("datasets")
    pyarrow = pytest.importorskip("pyarrow")
    write = pytest.importorskip("pyarrow.parquet").write_table
    for path in folder.glob("tags-?.json"):
        write(pyarrow.table(json.loads(path.read_text("utf-8"))), path.with_suffix(".parquet"))


@pytest.fixture(scope="module")
def whole(folder):
    return sa.evaluate(sa.read_jsonl(folder / "whole.jsonl"), "gold")


def figures(result):
    return {name: repr(system.tally) for name, system in result.systems.items()}


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "options"),
    [
        ({n: f"{n}-*.conll" for n in FILES}, {"scheme": "IOB2"}),
        ("part-[0-9].jsonl", {}),
        (["part-0.jsonl", "part-[12].jsonl"], {}),
        ("**/tags-?.parquet", {"tokens": "tokens", "tags": {n: n for n in FILES}}),
    ],
    ids=["layers", "jsonl", "several", "parquet"],
)
def test_files_are_the_whole(folder, whole, source, options, monkeypatch, request):
    """Files found by patterns, read by two workers, have the digits of the whole corpus."""
    if "parquet" in source:
        request.getfixturevalue("parquet")
    monkeypatch.chdir(folder)
    shards = sa.read_parts(source, **options)
    assert len(shards) == 3
    with ProcessPoolExecutor(2) as executor:
        found = sa.evaluate(shards, "gold", executor=executor)
    assert figures(found) == figures(whole)
    assert found.documents == 103


@pytest.mark.long
def test_ids_are_unique_over_files(folder, monkeypatch):
    """Documents without ids are called by the file and their number in it."""
    monkeypatch.chdir(folder)
    shards = sa.read_parts({n: f"{n}-*.conll" for n in FILES}, scheme="IOB2")
    assert [shard().ids[:2] for shard in shards] == [("0:1", "0:2"), ("1:1", "1:2"), ("2:1", "2:2")]
    found = [
        [shard().ids[0] for shard in sa.read_parts(pattern, scheme="IOB2")]
        for pattern in ("gold-*.conll", str(folder / "gold-*.conll"), "./gold-*.conll")
    ]
    assert found == [["gold-0.conll:1", "gold-1.conll:1", "gold-2.conll:1"]] * 3
    result = sa.evaluate(shards, "gold", ci=sa.Jackknife())
    assert result.systems["tagger"].f1.interval is not None


@pytest.mark.long
def test_the_command(folder, whole, monkeypatch, capsys):
    """Quoted patterns on the command line: evaluate, agree, difficulty, coefficients; two workers."""
    monkeypatch.chdir(folder)
    by_layer = [f"{n}={n}-*.conll" for n in FILES]
    more = ["--scheme", "IOB2", "--format", "json"]
    assert main(["evaluate", *by_layer, *more, "--workers", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tables"]["systems"] == whole.to_dict()["tables"]["systems"]
    corpus = sa.read_jsonl("whole.jsonl")
    assert main(["agree", "part-*.jsonl", "--format", "json"]) == 0
    assert (
        json.loads(capsys.readouterr().out)["tables"]["team"]
        == sa.agree(corpus).to_dict()["tables"]["team"]
    )
    assert main(["difficulty", *by_layer, *more, "--gold", "gold", "--workers", "2"]) == 0
    hard = sa.difficulty(corpus, "gold").to_dict()["tables"]["documents"]
    found = json.loads(capsys.readouterr().out)["tables"]["documents"]
    assert [d["difficulty"] for d in found] == [d["difficulty"] for d in hard]
    ask = ["coefficients", *by_layer, *more, "--tokens", "--ci"]
    assert main(ask) == 0
    (alpha,) = [
        c
        for c in json.loads(capsys.readouterr().out)["tables"]["coefficients"]
        if c["coefficient"] == "α"
    ]
    assert alpha["value"] == sa.coefficients(sa.token_labels(corpus)).alpha.value
    assert "interval" in alpha


def test_stars_are_told_apart(tmp_path, monkeypatch):
    """Shards whose stars read the same one after the other are not one."""
    monkeypatch.chdir(tmp_path)
    for layer in "gt":
        for name in ("a,b-c", "a-b,c"):
            (tmp_path / f"{layer}-{name}.conll").write_text("x B-X\n", "utf-8")
    shards = sa.read_parts({layer: f"{layer}-*-*.conll" for layer in "gt"}, scheme="IOB2")
    assert sa.evaluate(shards).documents == 2
    assert [shard().ids for shard in shards] == [("'a','b,c':1",), ("'a,b','c':1",)]


def test_one_layer_by_a_pattern(tmp_path, monkeypatch, capsys):
    """A single layer has its own name in every shard."""
    monkeypatch.chdir(tmp_path)
    for i, text in enumerate(("x B-X\ny O\n\nz O\n", "x O\ny B-X\nz I-X\n")):
        (tmp_path / f"gold-{i}.conll").write_text(text, "utf-8")
    ask = ["--scheme", "IOB2", "--format", "csv"]
    assert main(["difficulty", "g=gold-*.conll", "--gold", "g", *ask]) == 0
    named = capsys.readouterr().out
    assert main(["difficulty", "gold-*.conll", "--gold", "gold-*.conll", *ask]) == 0
    assert named.replace("gold:g|", "gold:gold-*.conll|") == capsys.readouterr().out


def test_refused(folder, monkeypatch, capsys):
    """An empty pattern, a layer that lacks a shard, other columns, a shard that is broken."""
    monkeypatch.chdir(folder)
    with pytest.raises(sa.InputError, match=r"^nowhere-\*\.conll: no file fits this pattern$"):
        sa.read_parts("nowhere-*.conll")
    with refuses(sa.InputError, "no file … a pattern … 'part-*.jsonl'"):  # fmt: skip
        sa.read_parts([])
    said = "tagger-[01].conll: no file of part '2' … gold has gold-2.conll"
    with refuses(sa.InputError, said):
        sa.read_parts({"gold": "gold-*.conll", "tagger": "tagger-[01].conll"})
    for source, said in (
        (3, "3 … a pattern, or files"),
        ({"gold": 3}, "3 … name of a file, or a pattern"),
        ({}, "no file; a pattern … 'gold-*.conll'"),
    ):
        with refuses(sa.InputError, said):
            sa.read_parts(source)
    said = "part-0.jsonl: nonsense is not an option … leave it out"
    with refuses(sa.SettingError, said):
        sa.evaluate(sa.read_parts("part-*.jsonl", nonsense=3))
    (folder / "broken.jsonl").write_text("{", "utf-8")
    shards = sa.read_parts(["part-0.jsonl", "broken.jsonl", "part-1.jsonl"])
    with pytest.raises(sa.InputError, match=r"^broken\.jsonl:1: not valid JSON"):
        sa.evaluate(shards)
    for line, code, said in (
        (["evaluate", "nowhere-*.jsonl"], 1, "nowhere-*.jsonl: no file"),
        (
            ["evaluate", "part-0.jsonl", "--workers", "3"],
            2,
            "--workers needs files found by a pattern … 'spanagree evaluate --help'",
        ),
        (
            ["agree", "part-*.jsonl", "--measure", "documents", "--workers", "2"],
            2,
            "--workers does not go with --measure documents … 'spanagree agree --help'",
        ),
        (
            [
                "coefficients",
                "part-*.jsonl",
                "--tokens",
                "--annotators",
                "gold,tagger",
                "--workers",
                "2",
            ],
            2,
            "--annotators does not go with --workers … 'spanagree coefficients --help'",
        ),
    ):
        assert main(line) == code
        out, err = capsys.readouterr()
        assert out == ""
        says(err, f"spanagree: error: {said}")


def test_refused_columns(folder, parquet, monkeypatch):
    """A column that is not in a file is refused, and the others named."""
    monkeypatch.chdir(folder)
    ask = {"tokens": "tokens", "tags": {"gold": "gold", "x": "x"}}
    said = "tags-0.parquet: no column 'x' … tokens, gold, lexicon, tagger"
    with refuses(sa.SettingError, said):
        sa.evaluate(sa.read_parts("tags-*.parquet", **ask))


@pytest.mark.long
def test_shards_as_one_corpus(folder, monkeypatch, capsys):
    """Commands that need a whole corpus put the shards together."""
    monkeypatch.chdir(folder)
    by_layer = [f"{n}={n}-*.conll" for n in FILES]
    assert main(["convert", *by_layer, "--scheme", "IOB2", "-o", "joined.jsonl"]) == 0
    joined, corpus = sa.read_jsonl("joined.jsonl"), sa.read_jsonl("whole.jsonl")
    assert joined.ids[:2] == ("0:1", "0:2")
    assert joined.tokens == corpus.tokens
    for name in FILES:
        assert joined.layers[name] == corpus.layers[name]
    capsys.readouterr()
    ask = [*by_layer, "--scheme", "IOB2"]
    assert main(["check", *ask, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["documents"] == 103
    assert main(["disagreements", *ask, "--between", "gold", "tagger", "--format", "json"]) == 0
    counts = json.loads(capsys.readouterr().out)["summary"]["counts"]
    assert counts == dict(sa.disagreements(corpus, "gold", "tagger").counts)
    assert main(["report", *ask, "-o", "joined.html"]) == 0


def test_annotators_who_are_in_some_shards_only(tmp_path, monkeypatch):
    """Put together, they have seen nothing in the others; other settings are refused."""

    monkeypatch.chdir(tmp_path)
    one = sa.Corpus.from_segments([5], {"a": [[(0, 1, "X")]], "b": [[]]}, ids=["1"])
    other = sa.Corpus.from_segments([4], {"b": [[(1, 2, "A")]], "c": [[]]}, ids=["2"])
    for name, part in (("x-1", one), ("x-2", other)):
        sa.write_jsonl(part, f"{name}.jsonl")
    joined = sa.read({"x": "x-*.jsonl"})
    assert joined.annotators == ("a", "b", "c")
    assert {n: s is not None for n, s in joined[1].segments.items()} == {"a": False, "b": True, "c": True}  # fmt: skip
    assert joined[1].segments["b"] == ((1, 2, "A"),)
    characters = sa.Corpus.from_segments([9], {"a": [[]]}, offsets="characters", ids=["3"])
    sa.write_jsonl(characters, "x-3.jsonl")
    said = "x-3.jsonl: offsets in characters … x-1.jsonl … tokens"
    with refuses(sa.InputError, said):
        sa.read({"x": "x-*.jsonl"})


def test_failing_files(folder, monkeypatch, capsys):
    """An error names the file, of parts and of the whole."""
    monkeypatch.chdir(folder)
    (folder / "odd-0.jsonl").write_bytes((folder / "part-0.jsonl").read_bytes())
    (folder / "odd-1.jsonl").write_text("", "utf-8")
    for more in ([], ["--workers", "2"]):
        assert main(["evaluate", "odd-*.jsonl", "--gold", "gold", *more]) == 1
        said = "spanagree: error: odd-1.jsonl: no documents … spanagree convert"
        says(capsys.readouterr().err, said)
    with refuses(sa.SettingError, "unknown gold 'x'; allowed: gold"):
        sa.evaluate(sa.read_parts("part-*.jsonl"), "x")


# --- documents in several files ------------------------------------------------------------------


@pytest.fixture
def batches(tmp_path, monkeypatch):
    """Two annotators' files over documents of which one is in both, and the same as one corpus."""
    monkeypatch.chdir(tmp_path)
    texts = {"x": "Jo is in Rome", "y": "Rome wins", "z": "nothing"}
    marks = {
        ("ann", "x"): [(0, 2, "PER"), (9, 13, "LOC")],
        ("ann", "y"): [(0, 4, "ORG")],
        ("bob", "y"): [(0, 4, "LOC")],
        ("bob", "x"): [(9, 13, "LOC")],
        ("bob", "z"): [],
    }

    def corpus(names, ids):
        layers = {name: [marks.get((name, d)) for d in ids] for name in names}
        content = {"offsets": "characters", "texts": [texts[d] for d in ids], "ids": ids}
        return sa.Corpus.from_segments([len(texts[d]) for d in ids], layers, **content)

    sa.write_jsonl(corpus(["ann"], ["x", "y"]), "batch-1.jsonl")
    sa.write_jsonl(corpus(["bob"], ["y", "z", "x"]), "batch-2.jsonl")
    return corpus(["ann", "bob"], ["x", "y", "z"])


@pytest.mark.parametrize("workers", [None, 2])
def test_documents_in_several_files(batches, workers):
    """Documents of the same id are united by id and annotator: the figures are those of one file."""
    one = sa.agree(batches)
    shards = sa.read_parts("batch-*.jsonl")
    if workers is None:
        both = sa.agree(shards)
    else:
        with ProcessPoolExecutor(workers) as executor:
            both = sa.agree(shards, executor=executor)
    assert both.to_dict()["tables"]["team"] == one.to_dict()["tables"]["team"]
    assert both.pairs["ann", "bob"].documents == 2
    assert both.notes == ("2 documents in more than one file, united by id", *one.notes)
    labels = sa.coefficients(sa.token_labels(shards)).alpha.value
    assert labels == sa.coefficients(sa.token_labels(batches)).alpha.value


def test_the_command_unites_documents(batches, capsys):
    """On the command line too, with workers and without."""
    for more in ([], ["--workers", "2"]):
        assert main(["agree", "batch-*.jsonl", "--format", "json", *more]) == 0
        captured = capsys.readouterr()
        team = sa.agree(batches).to_dict()["tables"]["team"]
        assert json.loads(captured.out)["tables"]["team"] == team
        united = "2 documents in more than one file, united by id"
        notes = [united, *sa.agree(batches).notes]
        assert captured.err == "".join(f"spanagree: note: {note}\n" for note in notes)
    assert main(["convert", "batch-*.jsonl", "-o", "one.jsonl"]) == 0
    assert sa.read_jsonl("one.jsonl") == batches


def test_layers_of_their_own(batches, capsys):
    """Files of one layer each are united where a layer is missing, whichever command misses it."""
    whole = sa.evaluate(batches, gold="bob").systems["ann"].f1
    shards = sa.read_parts("batch-*.jsonl")
    assert sa.evaluate(shards, gold="bob").systems["ann"].f1 == whole
    with ProcessPoolExecutor(1) as executor:
        assert sa.evaluate(shards, gold="bob", executor=executor).systems["ann"].f1 == whole
    first = json.loads(json.dumps(sa.evaluate(batches).to_dict()["tables"]["systems"]))
    assert main(["evaluate", "batch-*.jsonl", "--format", "json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["tables"]["systems"] == first
    assert "2 documents in more than one file, united by id\n" in captured.err
    hard = sa.difficulty(batches, gold="ann")
    assert are_equal(sa.difficulty(shards, gold="ann").values, hard.values)


def test_layers_that_are_nowhere(batches, capsys):
    """A wrong name is refused on the whole; a layer may be in some files only."""
    for more in ([], ["--workers", "2"]):
        assert main(["evaluate", "batch-*.jsonl", "--gold", "eve", *more]) == 1
        assert capsys.readouterr().err.endswith("eve'; allowed: ann, bob\n")
    for n in (1, 2):  # other documents: nothing to unite
        lines = Path(f"batch-{n}.jsonl").read_text("utf-8")
        Path(f"apart-{n}.jsonl").write_text(re.sub('"id": "', f'"id": "{n}', lines), "utf-8")
    whole = sa.evaluate(sa.read({"x": "apart-*.jsonl"}))
    assert sa.evaluate(sa.formats.read_parts("apart-*.jsonl")).to_dict() == whole.to_dict()
    assert whole.systems["bob"].documents == 0


def test_recordings_in_files(tmp_path, monkeypatch):
    """The unit of time that holds all times is found over all files; oracle: the whole."""
    monkeypatch.chdir(tmp_path)
    for name, ends in (("x-1", (1, 2)), ("x-2", (1.25, 2))):
        rows = [f"{name},{who},{end - 1},{end},talk" for who, end in zip("ab", ends, strict=True)]
        text = "recording,annotator,start_seconds,end_seconds,label\n" + "\n".join(rows)
        Path(f"{name}.csv").write_text(text + "\n", "utf-8")
    whole = sa.agree(sa.read({"x": "x-*.csv"}), match="iou")
    found = sa.agree(sa.formats.read_parts("x-*.csv"), match="iou")
    assert found.settings["offsets"] == whole.settings["offsets"] == "10ms"
    assert found.to_dict("pair") == whole.to_dict("pair")


OTHERS = {
    "other text": ('"text": "Rome wins"', '"text": "Rome lost"', "batch-2.jsonl: document 'y' … batch-1.jsonl … differs … character 5: 'Rome lost', not 'Rome wins' … id of its own"),
    "other length": ('"length": 9', '"length": 12', "batch-2.jsonl: document 'y' … batch-1.jsonl … length 12, 9 before … id of its own"),
    "twice": ('"bob"', '"ann"', "batch-2.jsonl: annotator 'ann' has document 'y' … batch-1.jsonl … --repair drop-repeats … --repair latest"),
}  # fmt: skip


@pytest.mark.parametrize("what", OTHERS)
def test_documents_that_are_not_the_same(batches, capsys, what):
    """Two versions of a document, or of an annotator's marks in it, name both files."""
    old, new, message = OTHERS[what]
    with open("batch-2.jsonl", encoding="utf-8") as file:
        lines = file.read()
    if what == "other length":
        lines = re.sub('"text": "([^"]*)"', lambda text: f'"length": {len(text[1])}', lines)
    with open("batch-2.jsonl", "w", encoding="utf-8") as file:
        file.write(lines.replace(old, new))
    shards = sa.read_parts("batch-*.jsonl")
    with refuses(sa.InputError, message):
        sa.agree(shards)
    assert main(["convert", "batch-*.jsonl", "-o", "one.jsonl"]) == 1
    says(capsys.readouterr().err, f"spanagree: error: {message}")


def test_repeats_in_several_files(batches, capsys):
    """Asked to, the first is kept; a check counts those that differ: the same is read once."""
    with open("batch-1.jsonl", encoding="utf-8") as file:
        lines = file.read()
    with open("batch-3.jsonl", "w", encoding="utf-8") as file:
        file.write(lines.replace('"end": 2', '"end": 1'))
    ask = ["batch-*.jsonl", "--repair", "drop-repeats"]
    assert main(["convert", *ask, "-o", "one.jsonl"]) == 0
    assert sa.read_jsonl("one.jsonl") == batches
    capsys.readouterr()
    assert main(["check", "batch-*.jsonl", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    repeated = [f["count"] for f in found["tables"]["findings"] if f["name"] == "repeated"]
    assert (repeated, found["tables"]["coverage"]) == ([1], [{"annotators": 1, "documents": 1}, {"annotators": 2, "documents": 2}])  # fmt: skip


def test_numbered_documents_are_not_the_same(folder, monkeypatch):
    """Documents that have no ids, only numbers, are counted apart, whatever file they are in."""
    monkeypatch.chdir(folder)
    shards = sa.read_parts({n: f"{n}-*.conll" for n in FILES}, scheme="IOB2")
    assert sa.agree(shards).documents == 103
    assert len(shards.read_as_one_corpus()) == 103


def test_patterns_with_odd_brackets(tmp_path, monkeypatch):
    """A bracket that is not closed stands for itself; a class that cannot be names the file."""
    from spanagree.formats.file_parts import has_pattern

    monkeypatch.chdir(tmp_path)
    for name in ("a[1.conll", "a[2.conll", "b!.conll", "b-.conll"):
        (tmp_path / name).write_text("x B-X\n", "utf-8")
    assert len(sa.read_parts({"g": "a[[]?.conll"}, scheme="IOB2")) == 2
    assert len(sa.read_parts({"g": "a[*.conll"}, scheme="IOB2")) == 2
    assert len(sa.read_parts({"g": "b[!a].conll"}, scheme="IOB2")) == 2
    assert [has_pattern(text) for text in ("a[b", "a[]", "a[b]", "[" * 50_000)] == [False, False, True, False]  # fmt: skip


def test_one_file_in_two_shards(tmp_path, monkeypatch):
    """A link is not another part, nor another layer; one pattern for two layers is meant so."""
    monkeypatch.chdir(tmp_path)
    for name in ("g-1", "g-2", "m-1"):
        Path(f"{name}.conll").write_text(f"{name[-1]} B-X\n", "utf-8")
    advice = "leave one of them out"
    Path("m-2.conll").symlink_to("m-1.conll")
    layers = {"gold": "g-*.conll", "mine": "m-*.conll"}
    for source in (layers, {"mine": "m-*.conll"}, "m-*.conll"):
        with refuses(sa.InputError, f"m-2.conll: the same file as m-1.conll … {advice}"):
            sa.read_parts(source)
    assert main(["convert", "gold=g-*.conll", "mine=m-*.conll", "-o", "one.jsonl"]) == 1
    Path("m-2.conll").unlink()
    Path("m-2.conll").hardlink_to("g-2.conll")
    with refuses(sa.InputError, f"m-2.conll: the same file as g-2.conll … {advice}"):
        sa.read_parts(layers)
    assert len(sa.read_parts({"gold": "g-*.conll", "mine": "g-*.conll"})) == 2


def test_parts_without_a_tag(tmp_path, monkeypatch):
    """A file of ``O`` alone has no scheme, and adds to those of any; the same as the whole file."""
    monkeypatch.chdir(tmp_path)
    sentences = ["a O\nb O\n", "a B-X\nb I-X\n", "c O\n"]
    for name in ("gold", "mine"):
        for i, text in enumerate(sentences):
            Path(f"{name}-{i}.conll").write_text(text, "utf-8")
        Path(f"{name}.conll").write_text("\n".join(sentences), "utf-8")
    parts = sa.evaluate(sa.read_parts({name: f"{name}-*.conll" for name in ("gold", "mine")}))
    whole = sa.evaluate(sa.read_conll({name: f"{name}.conll" for name in ("gold", "mine")}))
    assert parts["mine"].f1 == whole["mine"].f1
    assert parts.settings["scheme"] == whole.settings["scheme"]


def test_a_pattern_is_an_annotator(tmp_path, monkeypatch):
    """Of several patterns each is somebody, as of CoNLL; of one, each file is."""
    monkeypatch.chdir(tmp_path)
    for who in ("ann", "bob"):
        Path(who).mkdir()
        for name in "xy":
            row = {"id": name, "text": "Jo met Al", "spans": [{"start": 0, "end": 2, "label": "P"}]}
            Path(who, f"{name}.json").write_text(json.dumps([row]), "utf-8")
    corpus = sa.read(["ann/*.json", "bob/*.json"])
    assert (corpus.annotators, len(corpus)) == (("ann/*.json", "bob/*.json"), 2)
    assert sa.agree(corpus).team.f1.observed == 1
    assert sa.read("ann/*.json").annotators == ("x.json", "y.json")


MIXED = {
    ("B-X", "I-X"): {
        ("S-X", "O"): "the tags of '*.conll' are IOBES, those of … IOB2; --scheme IOBES",
        ("I-X", "B-X"): "the tags of '*.conll' are IOB1, those of … IOB2; --scheme IOB2",
        ("S-X", "U-X"): "the tags of '*.conll' are mixed … IOB2; … convert … --to-scheme IOB2",
        ("B-X O", "O B-X"): "the columns of tags are 'gold', '*.conll', those of … '*.conll'",
    },
    ("B-X", "L-X"): {
        ("B-X", "E-X"): "the tags of '*.conll' are IOBES, those of … BILOU; … --to-scheme BILOU"
    },
}


@pytest.mark.parametrize(("first", "second"), [(a, b) for a, some in MIXED.items() for b in some])
def test_files_of_other_schemes(tmp_path, monkeypatch, first, second):
    """A pattern over files of two schemes: which, where, and what reads both, if anything does."""
    monkeypatch.chdir(tmp_path)
    for name, tags in (("1.conll", first), ("2.conll", second)):
        Path(name).write_text("".join(f"w {tag}\n" for tag in tags))
    needed = f"2.conll: {MIXED[first][second]}"
    with refuses(sa.InputError, needed) as error:
        sa.read("*.conll")
    if scheme := re.search(r"--scheme (\w+)", str(error.value)):
        assert len(sa.read("*.conll", scheme=scheme[1])) == 2


def test_a_pattern_beside_a_file(tmp_path):
    """A pattern names the parts of one annotator; a file beside it is no part of these."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.conll").write_text("Jo B-PER\n")
    (tmp_path / "gold.conll").write_text("Jo B-PER\n")
    pattern, gold = f"{tmp_path}/*/x.conll", f"{tmp_path}/gold.conll"
    needed = "which is one file; name a pattern for each annotator, or without quotes each file …"
    for files in ({"gold": gold, "mine": pattern}, {"mine": pattern, "gold": gold}):
        with refuses(sa.InputError, f"{pattern}: a pattern in quotes, … beside {gold}, {needed}"):
            sa.read(files)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_how_texts_differ(form, tmp_path):
    """Texts that look alike differ in their normal form, or in white space."""
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    text = normalize(form, "Café ok")
    other = normalize("NFD" if form == "NFC" else "NFC", text)
    for changed, how in ((other, "its Unicode normal form"), (f"{text} ", "white space")):
        for path, version in ((first, text), (second, changed)):
            row = {"id": 1, "text": version, "spans": [[0, 2, "X"]]}
            path.write_text(json.dumps(row) + "\n", "utf-8")
        with refuses(sa.InputError, f"… the text differs from the one before in {how} alone, …"):
            sa.read([first, second])
