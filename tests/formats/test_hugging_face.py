"""Hugging Face datasets: label ids and strings, spans, streams, splits, and what does not fit."""

from __future__ import annotations

import contextlib
import gzip
import json
import zipfile

import numpy as np
import pytest
from messages import refuses

import spanagree as sa
from spanagree.formats.read_files import read_raw_files
from spanagree.formats.write import write_file

datasets = pytest.importorskip("datasets")
ClassLabel, Dataset, DatasetDict = datasets.ClassLabel, datasets.Dataset, datasets.DatasetDict
Features, Listed, Value = datasets.Features, datasets.Sequence, datasets.Value

NAMES = ["O", "B-PER", "I-PER", "B-creative-work"]
ROWS = {
    "tokens": [["Jo", "Doe", "sings"], ["Blue"], ["x"]],
    "gold": [[1, 2, 0], [3], [0]],
    "mine": [["B-PER", "O", "O"], ["O"], ["B-PER"]],
    "bob": [[1, 2, -100], None, [-100]],
}
FEATURES = Features(
    {
        "tokens": Listed(Value("string")),
        "gold": Listed(ClassLabel(names=NAMES)),
        "mine": Listed(Value("string")),
        "bob": Listed(Value("int64")),  # as after aligning labels with word pieces
    }
)


@pytest.fixture(scope="module")
def ds():
    return Dataset.from_dict(ROWS, features=FEATURES)


TAGS = {"gold": "gold", "mine": "mine"}


def test_tags(ds):
    """Label ids by their features' names, and strings, in one corpus."""
    corpus = sa.from_dataset(ds, tokens="tokens", tags=TAGS)
    assert corpus[0].segments == {
        "gold": (sa.Segment(0, 2, "PER"),),
        "mine": (sa.Segment(0, 1, "PER"),),
    }
    assert corpus[1].segments["gold"] == (sa.Segment(0, 1, "creative-work"),)
    assert corpus.tokens == ("Jo", "Doe", "sings", "Blue", "x")


def test_left_out_tokens(ds):
    """−100 leaves a token out in every layer; a document of nothing else, or null, is missing."""
    ask = {"tokens": "tokens", "tags": {"gold": "gold", "bob": "bob"}}
    corpus = sa.from_dataset(ds, **ask, label_names={"bob": NAMES})
    assert corpus.tokens == ("Jo", "Doe", "Blue", "x")
    assert [d.segments["bob"] for d in corpus] == [(sa.Segment(0, 2, "PER"),), None, None]
    assert [d.segments["gold"] for d in corpus][1:] == [(sa.Segment(0, 1, "creative-work"),), ()]
    assert corpus.notes[0] == "1 token that some annotator did not tag left out for all"


def test_other_shapes_of_the_same(ds):
    """Streams, rows, splits, reordered and filtered datasets give the same corpus."""
    corpus = sa.from_dataset(ds, tokens="tokens", tags=TAGS)
    ask = {"tokens": "tokens", "tags": TAGS}
    assert sa.from_dataset(ds.to_iterable_dataset(), **ask) == corpus
    mapped = ds.to_iterable_dataset().map(lambda row: row)
    assert sa.from_dataset(mapped, **ask, label_names=NAMES) == corpus
    assert sa.from_dataset(list(ds), **ask, label_names={"gold": NAMES}) == corpus
    assert sa.from_dataset(DatasetDict({"test": ds}), **ask, split="test") == corpus
    turned = ds.select([2, 0, 1])
    assert sa.from_dataset(turned, **ask) == corpus.subset([2, 0, 1])
    kept = ds.filter(lambda row: len(row["tokens"]) == 1)
    assert sa.from_dataset(kept, **ask) == corpus.subset([1, 2])


@pytest.mark.parametrize("struct", ["list of structs", "struct of lists"])
def test_spans(struct):
    """Spans as a list of structs or a struct of lists, labels as strings or ids."""
    span = {"start": Value("int64"), "end": Value("int64"), "label": ClassLabel(names=["X", "Y"])}
    listed = [{"start": 0, "end": 2, "label": 1}]
    lists = {"start": [0], "end": [2], "label": [1]}
    empty = {"start": [], "end": [], "label": []}
    made = Dataset.from_dict(
        {"text": ["Jo is", "Al"], "ann": [listed, []] if struct == "list of structs" else [lists, empty]},
        features=Features({"text": Value("string"), "ann": [span] if struct == "list of structs" else Listed(span)}),
    )  # fmt: skip
    for data in (made, made.to_iterable_dataset()):
        corpus = sa.from_dataset(data, text="text", spans={"ann": "ann"})
        assert [d.segments["ann"] for d in corpus] == [(sa.Segment(0, 2, "Y"),), ()]


def test_long_form_names():
    """Annotators may be numbers or label ids; a null is none."""
    rows = [
        {"id": i, "text": "one", "who": w, "spans": [{"start": 0, "end": 1, "label": "X"}]}
        for i, w in ((1, 0), (2, 0), (1, 1))
    ]
    ask = {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}
    corpus = sa.from_dataset(rows, **ask)
    assert corpus.annotators == ("0", "1")
    assert corpus[1].segments["1"] is None
    named = Dataset.from_list(rows).cast_column("who", ClassLabel(names=["ann", "bob"]))
    assert sa.from_dataset(named, **ask).annotators == ("ann", "bob")
    with pytest.raises(sa.InputError, match="row 1: no annotator is named; give each row one"):
        sa.from_dataset([{**rows[0], "who": None}], **ask)


def test_transforms_are_kept(ds):
    """A dataset with a transform gives what it gives its users."""
    turned = ds.with_transform(
        lambda batch: {"tokens": batch["tokens"], "t": [["B-X"] * len(t) for t in batch["tokens"]]}
    )
    assert len(sa.from_dataset(turned, tokens="tokens", tags={"a": "t"}).layers["a"]) == 5


@pytest.mark.filterwarnings(  # pandas before 3 leaves the CSV file open for the collector
    "ignore:Exception ignored in. <_io.FileIO:pytest.PytestUnraisableExceptionWarning"
)
def test_files(tmp_path, ds):
    """JSON, Parquet and saved datasets, by the command line's door."""
    ask = {"tokens": "tokens", "tags": {"mine": "mine"}}
    corpus = sa.from_dataset(ds, **ask)
    small = ds.select_columns(["tokens", "mine"])
    small.to_json(tmp_path / "d.json")
    (tmp_path / "d.csv").write_text(
        'id,text,who,s\n7,Jo is,ann,"[{""start"": 0, ""end"": 2, ""label"": ""X""}]"\n'
    )
    long = {"text": "text", "spans": "s", "annotator": "who", "document": "id"}
    of_csv = sa.read(tmp_path / "d.csv", **long)
    assert of_csv[0].segments["ann"] == (sa.Segment(0, 2, "X"),)
    DatasetDict({"test": small}).save_to_disk(tmp_path / "dict")
    assert sa.read({"x": tmp_path / "dict"}, **ask, split="test") == corpus
    small.to_parquet(tmp_path / "d.parquet")
    small.save_to_disk(tmp_path / "saved")
    for name in ("d.json", "d.parquet", "saved"):
        assert sa.read({"x": tmp_path / name}, **ask) == corpus
    (tmp_path / "bad.parquet").write_bytes(b"no")
    with pytest.raises(sa.InputError, match=r"bad.parquet: cannot be read as a dataset: "):
        sa.read({"x": tmp_path / "bad.parquet"}, **ask)
    with pytest.raises(sa.InputError, match=r"none.json: no such file"):
        sa.read({"x": tmp_path / "none.json"}, **ask)


@pytest.mark.parametrize("name", ["a[1]", "b*", "x::y", "https:", "ü ?"])
def test_paths_are_paths(tmp_path, ds, name):
    """A file whose name could be a pattern or an address is read itself, and nothing else."""
    small = ds.select_columns(["tokens", "mine"])
    ask = {"tokens": "tokens", "tags": {"mine": "mine"}}
    expected = sa.from_dataset(small, **ask)
    for other in ("a1", "bc", "y", "ü x"):
        (tmp_path / f"{other}.json").write_text("no JSON")
    small.to_json(tmp_path / "right")
    json_file, csv_file = tmp_path / f"{name}.json", tmp_path / f"{name}.csv"
    (tmp_path / "right").rename(json_file)
    csv_file.write_text('t,s\nJo,"[{""start"": 0, ""end"": 2, ""label"": ""X""}]"\n')
    with (tmp_path / f"{name}.parquet").open("wb") as file:
        small.to_parquet(file)
    small.save_to_disk(tmp_path / "saved")
    (tmp_path / "saved").rename(tmp_path / name)
    for path in (json_file, tmp_path / f"{name}.parquet", tmp_path / name):
        assert read_raw_files({"x": path}, ask, "dataset").content == expected.to_raw().content
    of_csv = read_raw_files({"x": csv_file}, {"text": "t", "spans": {"ann": "s"}}, "dataset")
    assert of_csv.start.tolist() == [0]


@pytest.mark.parametrize("name", ["id", "document_id", "uid"])
@pytest.mark.parametrize("by", [{}, {"annotator": "ann"}])
def test_long_ids(name, by):
    """Ids may be URLs of any length; a long text under `document` is none."""
    ids = [f"https://example.org/{'a' * 300}?page={i} of 2" for i in (1, 2)]
    rows = [{name: id_, "text": "Jo met", "spans": [[0, 2, "PER"]], **by} for id_ in ids]
    assert sa.read(rows).ids == tuple(ids)
    texts = ["Jo met Al. " * 30 + str(i) for i in (1, 2)]
    rows = [{"document": text, "text": "Jo met", "spans": [[0, 2, "PER"]]} for text in texts]
    assert sa.read(rows).ids is None


def test_long_ids_in_parquet(tmp_path):
    """They come back as they were written."""
    pytest.importorskip("datasets")
    rows = [{"id": "u" * 300 + str(i), "text": "Jo", "spans": [[0, 2, "PER"]]} for i in range(2)]
    corpus = sa.read(rows)
    write_file(corpus, tmp_path / "a.parquet", "dataset")
    assert sa.read(tmp_path / "a.parquet").ids == corpus.ids


@pytest.mark.parametrize("suffix", [".json", ".csv", ".parquet"])
def test_archives_are_not_unpacked(tmp_path, suffix):
    """A zip or gzip file under another name is refused."""
    path = tmp_path / f"x{suffix}"
    line = b'{"t": ["a"], "g": ["O"]}\n'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.json", line)
    zipped = path.read_bytes()
    for data in (zipped, gzip.compress(line), line + zipped):
        path.write_bytes(data)
        with pytest.raises(sa.InputError, match=f"^{path}"):
            sa.read({"x": path}, "dataset", tokens="t", tags={"a": "g"})


def test_json(tmp_path):
    """Objects in a list or one a line; what some lack is null; what is not one is named."""
    path, ask = tmp_path / "x.json", {"tokens": "t", "tags": {"a": "g", "b": "h"}}
    rows = [{"t": ["x"], "g": ["B-X"]}, {"t": ["y"], "g": ["O"], "h": ["O"]}]
    for text in (json.dumps(rows, indent=1), "\n".join(map(json.dumps, rows))):
        path.write_text(text)
        assert sa.read({"x": path}, **ask)[0].segments["b"] is None
    for text, problem in {
        "": ": no rows … a list of objects, or one a line",
        "3": ":1: 3 … a list of objects, or one a line",
        "[[" * 9999: ": record 1: not valid JSON (nested too deeply) … a list of objects, or one a line",
        '{"t": []}\n{': ":2: not valid JSON (… cut off) … a list of objects, or one a line",
    }.items():  # fmt: skip
        path.write_text(text)
        with refuses(sa.InputError, f"{path}{problem}"):
            sa.read({"x": path}, **ask)


def test_nothing_that_could_run_code(tmp_path, monkeypatch):
    """A folder with a script, a kind of file, or a library that runs scripts: none gets that far."""
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "dir.py").write_text("raise SystemExit('it ran')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("socket.create_connection", None)  # never called
    monkeypatch.setattr(datasets, "load_dataset", None)
    for name in ("./dir", "dir", "pandas", "../x/y", "hf://datasets/a/b", "a/b/c", "", "/tmp/x"):
        with refuses(sa.InputError, f"{name}: not the name … OWNER/NAME … --from dataset"):
            sa.read({"x": name}, "hub", tokens="t")
    monkeypatch.setattr(datasets, "__version__", "2.14.0")
    (tmp_path / "x.parquet").touch()
    for name, form in (("x/y", "hub"), (tmp_path / "x.parquet", "dataset")):
        with refuses(sa.SettingError, "datasets 2.14.0 may run code … pip install 'datasets>=4'"):
            sa.read({"x": name}, form, tokens="t")


def test_strings_that_are_not_text(tmp_path):
    """Bytes of a Parquet file that are not UTF-8 are one clear error."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    odd = pa.array([b"\xff\xfe"])
    text = pa.Array.from_buffers(pa.string(), 1, odd.cast(pa.binary()).buffers())
    pq.write_table(pa.table({"t": text, "s": [None]}), tmp_path / "x.parquet")
    with pytest.raises(sa.InputError, match=r"x.parquet: cannot be read as a dataset: .*UTF8"):
        sa.read({"x": tmp_path / "x.parquet"}, text="t", spans={"a": "s"})
    table = Dataset(pa.table({"t": text, "s": pa.nulls(1)}))
    with pytest.raises(sa.InputError, match=r"^the data are damaged: .*; write them anew$"):
        sa.from_dataset(table, text="t", spans={"a": "s"})


def test_a_damaged_saved_dataset(tmp_path):
    """Text that ends far behind its file, which would end the process, is one clear error."""
    rows = {"t": ["Jo met", "Al met Bo"], "s": [[{"start": 0, "end": 2}], []]}
    Dataset.from_dict(rows).save_to_disk(tmp_path / "saved")
    (path,) = (tmp_path / "saved").glob("*.arrow")
    ends = [np.array([0, 6, last], np.int32).tobytes() for last in (15, 2**31 - 1)]
    content = path.read_bytes()
    assert content.count(ends[0]) == 1
    path.write_bytes(content.replace(*ends))
    with refuses(sa.InputError, "… saved: cannot be read as a dataset: …"):
        sa.read({"x": tmp_path / "saved"}, "dataset")


def test_the_hub_is_out_of_reach(monkeypatch):
    """A name on a hub that cannot be reached is one clear error, at once."""

    def refuse(*_, **__):
        raise OSError("no network")

    monkeypatch.setattr("socket.create_connection", refuse)
    monkeypatch.setattr(datasets, "load_dataset", None)  # never called
    with refuses(sa.InputError, "some/name: the hub … (no network) … name a file"):
        sa.read({"x": "some/name"}, "hub", tokens="t")


ROW = {"tokens": ["a"], "text": "a", "tags": ["O"], "who": "x", "spans": []}
BARE = {"who": "x", "spans": [], "words": 3}


@pytest.mark.parametrize(
    ("rows", "settings", "message"),
    [
        ([ROW], {"tokens": "tokens", "tags": {"a": "t"}}, "row 1: no column 't' … tokens, text, tags, who, spans"),
        ([{"tokens": ["a"]}], {"tokens": "tokens"}, "neither tags nor spans … document= … sentence … --tags NAME=COLUMN --scheme IO (tags=, scheme=)"),
        ([ROW], {"tags": {"a": "tags"}}, "tags … tokens … neither spans nor annotator"),
        ([BARE], {"spans": {"a": "spans"}}, "neither text nor tokens … (--text, --tokens or a column length) … texts by id"),
        ([ROW], {"text": "text", "annotator": "who"}, "the long form … document … column"),
        ([ROW], {"text": "text", "spans": "spans", "annotator": "who"}, "the long form … document … column"),
        ([ROW], {"tokens": "tokens", "tags": "tags"}, "tags 'tags' … {'gold': 'tags'}"),
        ([ROW], {"text": "text", "spans": ["spans"]}, "spans ['spans'] … annotator to column … one column"),
        (None, {"tokens": "tokens", "tags": {"a": "tags"}}, "data None … a Dataset … mappings"),
        ([{**ROW, "tokens": "a b"}], {"tokens": "tokens", "spans": {"a": "spans"}}, "row 1: tokens 'a b' … list of strings"),
        ([{**ROW, "tags": ["O", ["x"]], "tokens": ["a", "b"]}], {"tokens": "tokens", "tags": {"a": "tags"}}, "column 'tags' … strings or whole numbers"),
        ([{**ROW, "spans": {"start": 0, "end": 1, "label": "X"}}], {"text": "text", "spans": {"a": "spans"}}, "row 1, annotator 'a': spans {'start': 0, 'end': 1, 'label': 'X'} … lists … start, end and label"),
        ([{**ROW, "spans": "no"}], {"text": "text", "spans": {"a": "spans"}}, "row 1, annotator 'a': spans 'no' … JSON … copy … null … []"),
        ([{**ROW, "id": "1"}, {**ROW, "id": "1", "tokens": ["b"], "who": "y"}], {"tokens": "tokens", "spans": "spans", "annotator": "who", "document": "id"}, "row 2: document '1' … differs … character 0: 'b', not 'a' … same text … pattern in quotes"),
        ([ROW], {"text": "text", "spans": {"a": "spans"}, "annotator": "who"}, "the long form … one column of spans … annotators … annotator to column"),
        ([ROW], {"tokens": "tokens", "tags": {"a": "tags"}, "split": "test"}, "split 'test' … no splits … leave it out"),
        ({"train": [ROW]}, {"tokens": "tokens", "tags": {"a": "tags"}}, "a mapping of train … split= … path … lists or of Docs"),
        (["x"], {"tokens": "tokens", "tags": {"a": "tags"}}, "row 1: 'x' … mappings"),
        (np.array(5), {"tokens": "tokens", "tags": {"a": "tags"}}, "data array(5) … a Dataset … mappings"),
        ([{**ROW, "tags": np.array(5)}], {"tokens": "tokens", "tags": {"a": "tags"}}, "column 'tags', row 1: array(5) … list of tags"),
        ([{**ROW, "spans": np.array(5)}], {"text": "text", "spans": {"a": "spans"}}, "row 1, annotator 'a': spans array(5) … {start, end, label} … null"),
        ([{**ROW, "spans": {"start": np.array(0), "end": [1], "label": ["X"]}}], {"text": "text", "spans": {"a": "spans"}}, "row 1, annotator 'a': spans {'start': array(0), 'end': [1], 'label': ['X']} … lists … start, end and label"),
        ("x", {"tokens": "tokens", "tags": {"a": "tags"}}, "data 'x' … a Dataset … mappings"),
        ([ROW], {"tokens": ["tokens"], "tags": {"a": "tags"}}, "column ['tokens'] … name of a column"),
        ([ROW], {"tokens": "tokens", "tags": {"a": {}}}, "column {} … name of a column"),
        ([{**ROW, "spans": "[" * 9999}], {"text": "text", "spans": {"a": "spans"}}, f"row 1, annotator 'a': spans '{'[' * 58}… … JSON … cut off … null … []"),
        ([{**ROW, "id": 10**5000}], {"tokens": "tokens", "tags": {"a": "tags"}, "document": "id"}, "row 1: id <int> … string … not empty"),
        ([{**ROW, "id": None}], {"tokens": "tokens", "tags": {"a": "tags"}, "document": "id"}, "row 1: id None … string … not empty"),
        ([{**ROW, "who": ["x"], "id": "1"}], {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}, "row 1, annotator ['x']: name ['x'] … string … not empty"),
        ([{**ROW, "who": np.array(["x", "y"]), "id": "1"}], {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}, "row 1, annotator array(['x', 'y'], dtype='<U1'): name … string … not empty"),
        ([{**ROW, "who": "", "id": "1"}], {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}, "row 1: no annotator … give each row one"),
        ([{**ROW, "who": 10**5000, "id": "1"}], {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}, "row 1, annotator <int>: name <int> … string … not empty"),
        ([{"x" * 99: 1, **{str(i): 1 for i in range(40)}}], {"tokens": "t", "tags": {"a": "g"}}, f"row 1: no column 'g'; there are {'x' * 59}…, {', '.join(map(str, range(19)))}, … (21 more)"),
        ([{**ROW, "tags": ["O", "O"]}], {"tokens": "tokens", "tags": {"a": "tags"}}, "column 'tags', row 1: 2 tags for 1 token"),
        ([{**ROW, "tags": "O"}], {"tokens": "tokens", "tags": {"a": "tags"}}, "column 'tags', row 1: 'O' … list of tags"),
        ([{**ROW, "tags": [1]}], {"tokens": "tokens", "tags": {"a": "tags"}}, "column 'tags' … label ids … label_names"),
        ([{**ROW, "tags": [7]}], {"tokens": "tokens", "tags": {"a": "tags"}, "label_names": ["O"]}, "column 'tags': label id 7 … 1 name, 0 to 0 and -100"),
        ([{**ROW, "tags": [[0, 9], [0, 0]], "tokens": ["a", "b"]}], {"tokens": "tokens", "tags": {"a": "tags"}, "label_names": ["O"]}, "column 'tags' … strings or whole numbers"),
        ([{**ROW, "tags": [0.5]}], {"tokens": "tokens", "tags": {"a": "tags"}, "label_names": ["O"]}, "column 'tags' … strings or whole numbers"),
        ([{**ROW, "tags": ["Q"]}], {"tokens": "tokens", "tags": {"a": "tags"}}, "'a', document 1, token 1: unknown tag 'Q'; allowed: O … B- I- E- S- M- L- U- W- … --scheme IO (scheme='IO')"),
        ([{**ROW, "tokens": [3]}], {"tokens": "tokens", "tags": {"a": "tags"}}, "column 'tokens' … not a string … lists of strings"),
        ([{**ROW, "text": 3}], {"text": "text", "spans": {"a": "spans"}}, "row 1: text 3 … string"),
        ([{**ROW, "spans": 3}], {"text": "text", "spans": {"a": "spans"}}, "row 1, annotator 'a': spans 3 … {start, end, label} … null"),
        ([{**ROW, "spans": {"start": [1]}}], {"text": "text", "spans": {"a": "spans"}}, "row 1, annotator 'a': spans {'start': [1]} … lists … start, end and label"),
        ([{**ROW, "spans": [{"start": 0, "end": "x"}]}], {"text": "text", "spans": {"a": "spans"}}, "row 1, annotator 'a': end 'x' … whole number"),
        ([{**ROW, "spans": [{"start": 0, "end": 1, "label": 4}]}], {"text": "text", "spans": {"a": "spans"}, "label_names": ["X"]}, "row 1, annotator 'a': label id 4 … 0 to 0"),
        ([ROW, {**ROW, "text": "b", "who": "y"}], {"text": "text", "spans": "spans", "annotator": "who", "document": "tags"}, "row 1: id ['O'] … string … not empty"),
        ([{**ROW, "id": "1"}, {**ROW, "id": "1", "text": "b"}], {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}, "row 2: document '1' … differs … character 0: 'b', not 'a' … same text … pattern in quotes"),
    ],
)  # fmt: skip
def test_errors(rows, settings, message):
    """Columns and values that do not fit are refused; the existing columns are named."""
    with refuses(sa.SpanAgreeError, message):
        sa.from_dataset(rows, **settings)


def test_no_column_of_a_dataset(ds):
    """Of a Dataset too, the existing columns are named."""
    with refuses(sa.SettingError, "no column 'words' … tokens, gold, mine, bob"):
        sa.from_dataset(ds, tokens="words", tags={"a": "gold"})
    with pytest.raises(sa.InputError, match="column 'tokens' has no lists"):
        sa.from_dataset(Dataset.from_dict({"tokens": ["a"], "g": ["O"]}), tokens="tokens", tags={"a": "g"})  # fmt: skip


def test_shapes_of_the_hub(tmp_path):
    """CoNLL-2003's columns, of which names are gold, and Few-NERD's labels without a prefix."""
    names = {
        "pos_tags": ["NNP", "VBD"],
        "chunk_tags": ["O", "B-NP", "B-VP"],
        "ner_tags": ["O", "B-PER", "B-LOC"],
    }
    values = {"pos_tags": [[0, 1], [0]], "chunk_tags": [[1, 2], [1]], "ner_tags": [[1, 0], [2]]}
    bare = {
        "ner_tags": ["O", "person", "location"],
        "fine_ner_tags": ["O", "person-actor", "location-GPE"],
    }
    for kind, labels in (("conll2003", names), ("few_nerd", bare)):
        features = {"tokens": datasets.Sequence(datasets.Value("string"))}
        features |= {c: datasets.Sequence(datasets.ClassLabel(names=n)) for c, n in labels.items()}
        rows = {c: values.get(c, values["ner_tags"]) for c in labels}
        made = datasets.Dataset.from_dict({"tokens": [["Jo", "ran"], ["Rome"]], **rows}, datasets.Features(features))  # fmt: skip
        made.to_parquet(tmp_path / f"{kind}.parquet")
    corpus = sa.read(tmp_path / "conll2003.parquet")
    assert corpus.labels == ("LOC", "PER")
    assert "passed over: chunk_tags" in corpus.notes[0]
    with refuses(
        sa.InputError, "… few_nerd.parquet: column ner_tags … --tags gold=ner_tags --scheme IO"
    ):
        sa.read(tmp_path / "few_nerd.parquet")
    fine = sa.read(tmp_path / "few_nerd.parquet", tags={"gold": "fine_ner_tags"}, scheme="IO")
    assert fine.labels == ("location-GPE", "person-actor")


@pytest.mark.parametrize("column", ["tokens", "tags", "spans", "text", "labels"])
def test_arrays_without_a_length(column):
    """An array without a dimension is no list, whatever columns are guessed, and ends in one line."""
    row = {"tokens": ["Jo"], "tags": ["B-X"], "labels": np.array("B-X"), column: np.array("Jo")}
    with contextlib.suppress(sa.SpanAgreeError):
        sa.read([row])


def test_numbers_beside_empty_lists(tmp_path):
    """A column of empty lists and numbers is no column of spans, and ends in one line."""
    rows = [{"text": "Jo is", "marks": []}, {"text": "Jo is", "marks": 3}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(sa.SpanAgreeError):
        sa.read(tmp_path / "a.jsonl")
