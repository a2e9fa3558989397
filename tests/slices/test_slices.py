"""Slices: each as its documents alone, the largest difference, and how slices are named."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import messages
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import PAIRS

import spanagree as sa
from spanagree.slices.metadata import read_column_values
from spanagree.slices.values import find_sliced_documents, has_order


def by_names(result, names, **how):
    """Slices of a result whose documents are in the slices of these names."""
    return sa.slices.score_slices(result, list(names), **how)


@pytest.mark.parametrize(("match", "chance"), PAIRS)
def test_each_is_the_evaluation_of_its_documents(sentences, match, chance):
    """Tally, F1, precision and recall of a slice are those of its documents alone, to 1e-12."""
    names = ["abc"[i % 3] for i in range(len(sentences))]
    made = by_names(sa.evaluate(sentences, "gold", match=match, chance=chance), names)
    for part in made.slices:
        documents = [i for i, name in enumerate(names) if name == part.name]
        alone = sa.evaluate(sentences.subset(documents), "gold", match=match, chance=chance)
        for name, system in alone.systems.items():
            for kind in ("precision", "recall", "f1"):
                ours, theirs = getattr(part.scores[name], kind), getattr(system, kind)
                assert ours[:3] == pytest.approx(theirs[:3], abs=1e-12, nan_ok=True)
            assert part.scores[name].tally.counts == pytest.approx(system.tally.counts, abs=1e-12)
            assert part.scores[name].documents == system.documents


def test_chance_is_never_that_of_joined_documents(newsroom):
    """Sentences in groups keep the chance of sentences, .0500; joined ones would have less."""
    from spanagree.formats.file_parts import read_patterns

    files = {name: str(newsroom / f"{name}.conll") for name in ("gold", "tagger")}
    corpus = read_patterns(files, {})
    names = [
        str(corpus.parent_ids[i]) if corpus.parent_ids is not None else "x"
        for i in range(len(corpus))
    ]
    made = by_names(sa.evaluate(corpus, "gold"), ["all of it"] * len(names))
    assert made["all of it"].scores["tagger"].f1.expected == pytest.approx(0.0500, abs=5e-5)
    joined = corpus.grouped_by(["x"] * len(corpus), joined=True)
    assert sa.evaluate(joined, "gold")["tagger"].f1.expected < 0.02
    parts = by_names(sa.evaluate(corpus, "gold"), ["ab"[i % 2] for i in range(len(corpus))])
    expected = [part.scores["tagger"].tally.expected for part in parts.slices]
    assert sum(expected) == pytest.approx(made["all of it"].scores["tagger"].tally.expected)


def test_chance_by_enumeration():
    """Two documents of 3 tokens, of gold and a system a segment of 1 and 2: counted by hand."""
    layers = {
        "gold": [[(0, 1, "X")], [(0, 2, "X")]],
        "mine": [[(0, 1, "X")], [(1, 3, "X")]],
    }
    made = by_names(sa.evaluate(sa.Corpus.from_segments([3, 3], layers)), ["one", "two"])
    expected = {part.name: part.scores["mine"].tally.expected for part in made.slices}
    truth = {"one": Fraction(1, 3), "two": Fraction(1, 2)}  # three places, and two
    assert expected == pytest.approx({name: float(x) for name, x in truth.items()})


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=6, max_size=6))
def test_slices_add_up(names):
    """Whatever the slices, their counts and those of the rest add up to the whole."""
    layers = {
        "gold": [[(i % 3, i % 3 + 1, "X")] for i in range(6)],
        "mine": [[(1, 2, "X"), (3, 5, "Y")] for _ in range(6)],
    }
    result = sa.evaluate(sa.Corpus.from_segments([5] * 6, layers))
    made = by_names(result, [name or "rest" for name in names])
    sums = np.sum([part.scores["mine"].tally.counts for part in made.slices], axis=0)
    assert sums.tolist() == pytest.approx(result["mine"].tally.counts)
    if any(names):
        left = by_names(result, names)
        assert sum(part.documents for part in left.slices) == sum(x is not None for x in names)
        note = f"{names.count(None)} document"
        assert any(x.startswith(note) for x in left.notes) == (None in names)


def difference_corpus(shares, size=40):
    """Documents of slices a, b, … with one segment each; the system is right in these shares."""
    right = [i < share * size for share in shares for i in range(size)]
    layers = {
        "gold": [[(0, 1, "X")]] * len(right),
        "mine": [[(0, 1, "X") if x else (2, 3, "X")] for x in right],
    }
    names = ["abcdef"[i] for i in range(len(shares)) for _ in range(size)]
    return sa.Corpus.from_segments([9] * len(right), layers), names


def test_the_largest_difference_that_a_test_supports():
    """Of shares: the interval is that of two binomial shares (n/(n − 1)), p is t's; theory."""
    corpus, names = difference_corpus([0.5, 0.9])
    made = by_names(sa.evaluate(corpus), names)
    largest = made.largest
    assert (largest.a, largest.b, largest.scored) == ("a", "b", "mine")
    assert largest.observed.value == pytest.approx(0.4)
    variance = sum(p * (1 - p) / 39 for p in (0.5, 0.9))  # delete-one: s²/n of each, added
    reach = (largest.observed.high - largest.observed.low) / 2
    assert reach == pytest.approx(1.99 * math.sqrt(variance * 39 / 39), rel=0.03)
    assert largest.corrected.p < 0.001
    assert made.verdict.startswith(
        "The largest difference that a test supports: corrected F1 of mine is .888 in b and .438 in"
        " a (difference .450, 95 % CI "
    )
    corpus, names = difference_corpus([0.5, 0.55, 0.6])
    alike = by_names(sa.evaluate(corpus), names)
    assert alike.verdict.startswith("No two slices can be told apart; the largest difference: ")
    assert ", 3 pairs)." in alike.verdict
    assert alike.largest.corrected.p_adjusted == pytest.approx(
        min(1, 3 * alike.largest.corrected.p)
    )


def test_a_slice_of_few_is_not_tested():
    """Three documents without an error say nothing of others; the verdict does not rest on them."""
    corpus, names = difference_corpus([0.5, 0.6])
    more = sa.Corpus.from_segments(
        [9] * 83,
        {
            name: [*(layer.segments for layer in ())]
            or [[(s.start, s.end, s.label) for s in document.segments[name]] for document in corpus]
            + [[(0, 1, "X")]] * 3
            for name in ("gold", "mine")
        },
    )
    made = by_names(sa.evaluate(more), [*names, "c", "c", "c"])
    assert made["c"].scores["mine"].f1.observed == 1
    assert {made.largest.a, made.largest.b} == {"a", "b"}
    assert made.untested == {"mine": ["c"]}
    assert "not tested for mine: c, with fewer than 10 documents" in " ".join(str(made).split())
    few = by_names(sa.evaluate(more.subset(range(78, 83))), ["a", "a", "c", "c", "c"])
    assert few.largest is None
    assert "no test was made: fewer than two slices have 10 documents" in few.verdict


@pytest.mark.slow
def test_level_of_the_largest_difference():
    """Without a difference the verdict names one in at most a twentieth of samples, by four errors."""
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(200):
        right = rng.random(90) < 0.7
        layers = {
            "gold": [[(0, 1, "X")]] * 90,
            "mine": [[(0, 1, "X") if x else (2, 3, "X")] for x in right],
        }
        result = sa.evaluate(sa.Corpus.from_segments([9] * 90, layers))
        found += by_names(result, np.repeat(["a", "b", "c"], 30).tolist()).largest.corrected.p_adjusted < 0.05  # fmt: skip
    assert found / 200 < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 200)


# --- names ---------------------------------------------------------------------------------------


def test_what_has_an_order():
    """Values that differ in numbers alone, or a word of time in the column's name."""
    assert has_order("genre", ["1", "2"])
    assert has_order("", ["part-1.jsonl", "part-12.jsonl"])
    assert has_order("x", ["2024-05-01", "2024-06-15"])
    assert not has_order("model", ["aya-23-8B", "Qwen2.5-7B"])
    assert not has_order("x", [])
    assert has_order("publication date", ["spring", "autumn"])
    assert has_order("annotationBatch", ["pilot", "main"])
    assert has_order("meta.round", ["x", "y"])
    assert not has_order("genre", ["news", "blog 2"])
    assert not has_order("update", ["x", "y"])


def rows_of(n=6):
    """Rows with ids, tokens, tags of two, and metadata."""
    return [
        {
            "id": f"d{i}", "tokens": ["Jo", "ran"], "gold": ["B-X", "O"], "mine": ["B-X" if i % 2 else "O", "O"],
            "genre": ["news", "blog"][i % 2], "meta": {"week": 10 - i, "n": i / 2},
        }
        for i in range(n)
    ]  # fmt: skip


def test_columns_of_rows(tmp_path):
    """A column of rows in memory, of JSON lines, CSV, a data frame, and an object in them."""
    pd = pytest.importorskip("pandas")
    rows = rows_of()
    lines = tmp_path / "c.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)))
    table = tmp_path / "c.csv"
    table.write_text("id,genre\n" + "\n".join(f"{row['id']},{row['genre']}" for row in rows[::-1]))
    result = sa.evaluate(sa.read(rows), "gold")
    for source in (rows, str(lines), [lines], pd.DataFrame(rows), str(table)):
        made = sa.slices.score_slices(result, "genre", source)
        assert {part.name: part.scores["mine"].f1.observed for part in made.slices} == {
            "blog": 1.0,
            "news": 0.0,
        }
        assert "|slices:genre|" in made.signature
    weeks = sa.slices.score_slices(result, "meta.week", rows)
    assert [part.name for part in weeks.slices] == ["5", "6", "7", "8", "9", "10"]
    assert weeks.is_ordered
    assert sa.slices.score_slices(result, f"{table}:genre").title == "genre"
    assert read_column_values(rows, "meta.n", ["d2", "d1"])[0] == ["1", "0.5"]


def test_parquet(tmp_path):
    """A column of a Parquet file."""
    pytest.importorskip("datasets")
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [{key: row[key] for key in ("id", "genre")} for row in rows_of()]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet")
    values, names = read_column_values(tmp_path / "c.parquet", "genre", ["d1", "d0"])
    assert (values, names) == (["blog", "news"], ["genre"])


def test_rows_without_ids_are_in_order():
    """As many rows as documents are the documents; other numbers are refused."""
    rows = [{"tokens": ["x"], "genre": name} for name in "aab"]
    assert read_column_values(rows, "genre", ["1", "2", "3"])[0] == ["a", "a", "b"]
    with pytest.raises(sa.InputError, match="its 3 rows have no ids of the 4 documents, such as"):
        read_column_values(rows, "genre", ["1", "2", "3", "4"])


def test_one_document_has_one_value():
    """Rows of a document that differ are refused; so are lists."""
    rows = [{"id": "a", "genre": "x"}, {"id": "a", "genre": "y"}]
    with pytest.raises(sa.InputError, match="row 2: 'a' has genre 'y', and 'x' in another row"):
        read_column_values(rows, "genre", ["a"])
    assert read_column_values([*rows[:1], {"id": "a", "genre": None}], "genre", ["a"])[0] == ["x"]
    with pytest.raises(sa.InputError, match="genre holds"):
        read_column_values([{"id": "a", "genre": ["x"]}], "genre", ["a"])


def test_ids_by_any_name():
    """A usual name of ids wins over other columns with the same texts; else one with nothing else."""
    rows = [{"item": "a", "other": "b", "g": "x"}, {"item": "b", "other": "z", "g": "y"}]
    assert read_column_values(rows, "g", ["a", "b"])[0] == ["x", "y"]
    rows = [{"source": "b", "id": "a", "g": "x"}, {"source": "a", "id": "b", "g": "y"}]
    assert read_column_values(rows, "g", ["a", "b"])[0] == ["x", "y"]
    assert read_column_values(rows, "g", ["a", "b"], document="source")[0] == ["y", "x"]


def test_label_studio():
    """The metadata of Label Studio stands in data."""
    tasks = [
        {"id": 7, "data": {"text": "x", "genre": "news"}},
        {"id": 9, "data": {"genre": "blog"}},
    ]
    assert read_column_values(tasks, "data.genre", ["9", "7"]) == (["blog", "news"], ["data.genre"])


def test_a_table_of_tags_has_no_columns(newsroom, tmp_path):
    """Tokens and tags without a header, as in CoNLL, are no rows; nor is what is no table."""
    other = tmp_path / "x.txt"
    other.write_text("Some words.\n")
    for path in (newsroom / "gold.conll", other, tmp_path):
        assert read_column_values(path, "x", ["1"]) == (None, [])


def test_unknown_names(tmp_path, run):
    """An unknown name lists views and columns; what is no pattern, and a table without rows, too."""
    ids = ["d1", "d2"]
    with pytest.raises(sa.SettingError) as caught:
        find_sliced_documents("genr", ids, rows_of())
    assert (
        "group_by 'genr': unknown; allowed: length, seen; a column (there are genre, meta.week"
        in str(caught.value)
    )
    with pytest.raises(sa.SettingError, match="neither a file that is there nor a pattern"):
        find_sliced_documents("x(", ids)
    with pytest.raises(sa.SettingError, match="no document has a value"):
        find_sliced_documents("(x)", ids)
    with pytest.raises(sa.SettingError, match="or the slice of each of 2 documents is needed"):
        find_sliced_documents(["a"], ids)
    lines = tmp_path / "c.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows_of())))
    code, _, err = run("evaluate", lines, "--tags", "gold=gold,mine=mine", "--by", "genr")
    assert code == 2
    assert (
        "--by 'genr': unknown; allowed: label, document, difficulty, error, strategy, annotator, length"
        in err
    )
    assert "a column (there are genre, meta.week, meta.n)" in err
    for by in ("no.csv:genre", "no.csv"):  # what is called as a table, and is none
        code, _, err = run("evaluate", lines, "--tags", "gold=gold,mine=mine", "--by", by)
        assert code == 2
        assert f"--by '{by}': no such file 'no.csv'; allowed: label, document" in err


def test_wrong_results(crowd):
    """What is no result, one alone by name, and names beside names are refused."""
    agreement = sa.agree(crowd)
    with pytest.raises(sa.SettingError, match="an evaluation or an agreement is needed"):
        sa.slices.score_slices(crowd, "x")
    with pytest.raises(sa.SettingError, match="one result by name; a slice for each needs two"):
        sa.slices.score_slices({"a": agreement})
    with pytest.raises(sa.SettingError, match="are slices already"):
        sa.slices.score_slices({"a": agreement, "b": agreement}, "genre")
    with pytest.raises(sa.SettingError, match="a column, a table, a pattern, or a slice for each"):
        sa.slices.score_slices(agreement)


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def corpus_file(tmp_path):
    """A corpus with metadata in our own JSON lines."""
    rows = [
        {
            "spanagree": 1, "id": f"d{i}", "offsets": "tokens", "tokens": ["a", "b", "c", "d"],
            "annotators": {"gold": [{"start": 0, "end": 1, "label": "X"}], "mine": [{"start": 0 if i % 3 else 2, "end": 1 if i % 3 else 3, "label": "X"}]},
            "genre": ["news", "blog"][i % 2], "meta": {"week": i // 10},
        }
        for i in range(40)
    ]  # fmt: skip
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.parametrize("command", ["evaluate", "agree"])
def test_the_command(command, corpus_file, tmp_path, run):
    """A column, parts of the corpus in files, JSON, explanations, a picture, and a citation."""
    pytest.importorskip("matplotlib")
    picture = tmp_path / "b.svg"
    code, out, err = run(
        command, corpus_file, "--by", "genre", "--ci", "--format", "json", "--plot", picture
    )
    assert (code, err) == (0, "")
    made = json.loads(out)
    assert [row["slice"] for row in made["tables"]["slices"]] == ["blog", "news"]
    assert made["summary"]["by"] == "genre"
    assert made["summary"]["largest_difference"]["tested"] == 1
    assert "F1 by genre" in picture.read_text("utf-8")
    assert "slices (genre), each with the chance" in " ".join(sa.cite(made["signature"]).split())
    code, out, _ = run(command, corpus_file, "--by", "meta.week", "--explain", "--resamples", 99)
    assert code == 0
    assert "shuffled between the two slices" in " ".join(out.split())
    halves = [tmp_path / f"part{i}.jsonl" for i in (1, 2)]
    for half, lines in zip(halves, np.array_split(corpus_file.read_text().splitlines(), 2), strict=True):  # fmt: skip
        half.write_text("\n".join(lines))
    for files in (halves, [tmp_path / "part?.jsonl"]):
        code, out, _ = run(command, *files, "--by", "file", "--format", "json")
        assert code == 0
        assert [row["slice"] for row in json.loads(out)["tables"]["slices"]] == [
            "part1.jsonl",
            "part2.jsonl",
        ]
    code, workers, _ = run(command, tmp_path / "part?.jsonl", "--workers", 1, "--by", "genre")
    assert code == 0
    assert workers.splitlines()[0] == run(command, corpus_file, "--by", "genre")[1].splitlines()[0]


def test_what_does_not_go_together(corpus_file, run):
    """Each is refused in one line."""
    for command, more, says in (
        ("evaluate", ("--by", "genre", "--test", "chance"), "--by genre does not go with --test"),
        ("evaluate", ("--by", "genre", "--systems", "mine"), "--by genre does not go with --sys"),
        ("evaluate", ("--by", "label", "--seen", corpus_file), "--seen does not go with --by"),
        ("evaluate", ("--by", "seen"), "--by seen needs --seen"),
        (
            "agree",
            ("--by", "genre", "--measure", "gamma"),
            "--by genre does not go with --measure gamma",
        ),
        ("agree", ("--by", "file"), "--by file: one FILE; two of them are needed"),
        ("agree", ("--batches", "3"), "--batches was removed before 1.0: use --by"),
    ):
        code, _, err = run(command, corpus_file, *more)
        assert code == 2, (more, err)
        assert says in err, err


@pytest.mark.parametrize("command", ["evaluate", "agree"])
def test_files_of_one_annotator_are_no_slices(command, tmp_path, run):
    """Files to compare with each other are no parts of a corpus: the first is named, and what to do."""
    files = [tmp_path / f"{name}.conll" for name in ("gold", "mine")]
    for path in files:
        path.write_text("x B-X\ny O\n")
    code, out, err = run(command, *files, "--by", "file")
    assert (code, out) == (2, "")
    needed = (
        "spanagree: error: --by file: gold.conll: 1 annotator in it … each FILE is a slice by itself … two in it are"
        " needed … leave out --by file to compare FILEs with each other"
    )
    messages.says(err, needed)
    assert run(command, *files)[0] == 0


def test_the_report(corpus_file, tmp_path, run):
    """A report of systems, and of a team, has a section with the figures of slices."""
    page = tmp_path / "r.html"
    for more in ((), ("--team",)):
        code, _, err = run("report", corpus_file, *more, "--by", "genre", "-o", page)
        assert code == 0, err
        section, footer = page.read_text("utf-8").split('id="slices"')[1].split("<footer>")
        assert "By genre" in section.split("</section>")[0]
        assert "slices:genre" in footer
    code, _, _ = run("report", corpus_file, "-o", page)
    assert 'id="slices"' not in page.read_text("utf-8")
    code, _, err = run("report", corpus_file, "--by", "x", "-o", page)
    assert (code, "a column (there are genre, meta.week)" in err) == (2, True)
    code, _, err = run("report", corpus_file, "--systems", "mine", "--by", "genre", "-o", page)
    assert code == 2
    assert "--by does not go with --systems: slices are of systems against one gold" in err
    with pytest.raises(sa.SettingError, match="group_by: slices are of systems against one gold"):
        sa.write_report(sa.read(corpus_file), page, systems=["mine"], group_by=["a"] * 40)


def test_real_answers_by_model(real):
    """Answers of six models of a shared task: each has the figures of its documents alone."""
    path = real / "data" / "tools" / "mushroom" / "mushroom.fa-tst.jsonl"
    corpus = sa.read(path, repair="drop-empty")
    made = sa.slices.score_slices(sa.agree(corpus, match="token"), "model_id", path)
    models = [json.loads(line)["model_id"] for line in path.read_text("utf-8").splitlines()]
    assert {part.name: part.documents for part in made.slices} == {
        name: models.count(name) for name in models
    }
    for part in made.slices:
        alone = sa.agree(
            corpus.subset([i for i, name in enumerate(models) if name == part.name]), match="token"
        )
        ours = part.scores["team"].f1[:3]
        assert ours == pytest.approx(alone.team.f1[:3], abs=1e-12, nan_ok=True)
    assert made.verdict.startswith("No two slices can be told apart; the largest difference: ")


def test_slices_without_segments():
    """Where nobody marked anything there is no slice to compare, and a sentence says so."""
    corpus = sa.Corpus.from_segments([1, 4], {"gold": [[], []], "mine": [[], []]})
    for result in (sa.evaluate(corpus), sa.agree(corpus)):
        assert (
            "Fewer than two slices have a defined"
            in sa.slices.score_slices(result, "length").verdict
        )
