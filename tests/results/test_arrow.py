"""Results as Arrow tables and data frames: the rows again, and the same types whatever is in them."""

from __future__ import annotations

import math
import sys

import pytest
from messages import refuses

import spanagree as sa
from spanagree.results.data import to_arrow
from spanagree.results.frame import Frame

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

SEGMENTS = {
    "gold": [[(0, 2, "X"), (3, 4, "Y")], [(0, 1, "X")], []],
    "a": [[(0, 2, "X")], [(0, 1, "X")], []],
    "b": [[(0, 2, "X"), (3, 4, "X")], [], None],
}
LENGTHS = [6, 4, 3]
NOTHING = {name: [[], [], []] for name in SEGMENTS}
NEVER = {name: [None, None, None] for name in SEGMENTS}
LABELS = [(1, "ann", "x"), (1, "bob", "x"), (2, "ann", "y"), (2, "bob", "x")]


def results(segments, labels, lengths=LENGTHS):
    """Every result that has rows, with every way to break it down."""
    corpus = sa.Corpus.from_segments(lengths, segments)
    evaluation = sa.evaluate(corpus, "gold")
    tables = {}
    for name, of, parts in (
        ("evaluate", evaluation, (None, "label", "document")),
        ("intervals", sa.evaluate(corpus, "gold", ci=sa.Jackknife()), (None, "label", "document")),
        ("tokens", sa.evaluate(corpus, "gold", match="token"), (None, "label", "document")),
        ("iou", sa.evaluate(corpus, "gold", match="iou"), (None, "label", "document")),
        ("references", sa.evaluate_references(corpus, ["gold"], ci=True), (None, "annotator")),
        ("agree", sa.agree(corpus), (None, "pair", "annotator", "label", "document")),
        ("coefficients", sa.coefficients(sa.LabelTable.from_rows(labels)), (None, "category", "annotator", "pair", "item")),
    ):  # fmt: skip
        for by in parts:
            tables[name, by] = (of.to_rows(by), of.to_arrow(by))
    difficulty = sa.difficulty(corpus, "gold")
    table = sa.LabelTable.from_rows(labels)
    for name, of in {
        "difficulty": difficulty,
        "levels": sa.evaluate_levels(evaluation, difficulty, at=[0.5]),
        "compare": sa.compare_systems(evaluation, resamples=20),
        "by_chance": sa.chance_test(corpus, evaluation, draws=5),
        "categories": sa.category_agreement(table),
        **{f.__name__: f(table) for f in (sa.pi, sa.kappa, sa.alpha, sa.ac1, sa.bias, sa.spa)},
    }.items():
        tables[name, None] = (of.to_rows(), of.to_arrow())
    return tables


FULL = results(SEGMENTS, LABELS)


def holds(value):
    """What a table holds of a value of a row."""
    return None if isinstance(value, float) and math.isnan(value) else value


def test_every_result_has_both():
    """What has rows has tables."""
    packages = [getattr(sa, name) for name in sa.PACKAGES]
    classes = [getattr(each, name) for each in packages for name in each.__all__]
    with_rows = {of for of in classes if hasattr(of, "to_rows")}
    assert len(with_rows) >= 8
    assert {of for of in classes if hasattr(of, "to_arrow")} == with_rows


@pytest.mark.parametrize("which", FULL, ids=str)
def test_the_rows_again(which):
    """A table holds what the rows hold; types are those that the values have."""
    rows, table = FULL[which]
    assert rows
    assert all(list(row) == table.column_names for row in rows)
    kinds = {str: pyarrow.string(), int: pyarrow.int64(), bool: pyarrow.bool_()}
    for name in table.column_names:
        values = [holds(row[name]) for row in rows]
        assert table[name].to_pylist() == values
        types = {type(value) for value in values if value is not None}
        if types & {str, bool}:
            (only,) = types
            assert table.schema.field(name).type == kinds[only], name
        elif float in types:
            assert table.schema.field(name).type == pyarrow.float64(), name


def test_counts():
    """A column has one type in all tables, also where its numbers happen to be whole: of counts
    int64, which are whole in every row; of other numbers float64, under some measure not whole.
    """
    kinds, values = {}, {}
    for rows, table in FULL.values():
        for field in table.schema:
            kinds.setdefault(field.name, set()).add(field.type)
            values.setdefault(field.name, []).extend(row[field.name] for row in rows)
    assert {name: types for name, types in kinds.items() if len(types) > 1} == {}
    counts = {name for name, (kind,) in kinds.items() if kind == pyarrow.int64()}
    assert counts > {"documents", "size_gold", "size_a", "rank_observed", "items", "segments"}
    for name in counts:
        assert {type(value) for value in values[name]} <= {int, type(None)}, name


@pytest.mark.parametrize(
    ("segments", "labels", "lengths"),
    [
        (NOTHING, [], LENGTHS),
        (NEVER, [], LENGTHS),
        ({name: [] for name in SEGMENTS}, [], []),
        (SEGMENTS, [(1, "ann", "x")], LENGTHS),
    ],
    ids=["nothing marked", "never seen", "no documents", "one label"],
)
def test_types_are_stable(segments, labels, lengths):
    """Columns and types of empty and undefined results are those of full ones."""
    for which, (rows, table) in results(segments, labels, lengths).items():
        assert table.num_rows == len(rows)
        schema = FULL[which][1].schema
        assert table.schema == schema, which
    assert pyarrow.concat_tables([FULL[which][1], table]).schema == schema


@pytest.mark.parametrize("which", FULL, ids=str)
def test_data_frames(which):
    """pandas takes the rows as they are, and the tables."""
    rows, table = FULL[which]
    frame = pandas.DataFrame(rows)
    assert list(frame.columns) == table.column_names
    assert len(frame) == len(rows)
    assert list(table.to_pandas().columns) == table.column_names
    for name in frame.columns:
        assert list(map(holds, frame[name].astype(object))) == table[name].to_pylist()


@pytest.mark.parametrize("by", ["label", "document"])
def test_intervals_in_csv(by):
    """Every row has the same columns, with intervals or without: CSV takes them all."""
    from spanagree.results.data import to_csv

    corpus = sa.Corpus.from_segments(LENGTHS, SEGMENTS)
    table = sa.evaluate(corpus, "gold", ci=sa.Jackknife()).table(by)
    rows = table.to_rows()
    assert "f1_corrected_low" in rows[0]
    assert len(to_csv(table).splitlines()) == 1 + len(rows)


def test_names_that_utf8_cannot_hold():
    """Half a surrogate pair is escaped; a NUL, a line break and the rest stay."""
    names = ["a\ud800", "\x00\n\t'\"<b>", "日本"]
    corpus = sa.Corpus.from_segments([9], {"gold": [[(i, i + 1, n) for i, n in enumerate(names)]], "mine": [[]]})  # fmt: skip
    table = sa.evaluate(corpus).to_arrow("label")
    assert set(table["label"].to_pylist()) == {"a\\ud800", *names[1:], ""}


def test_without_pyarrow(monkeypatch):
    """The error names the line that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with refuses(sa.SettingError, "a table needs pyarrow … pip install '.[arrow]'"):
        to_arrow(Frame((), ()))


def test_an_unknown_part():
    """As for the rows."""
    with pytest.raises(sa.SettingError, match="unknown by 'token'"):
        sa.evaluate(sa.Corpus.from_segments(LENGTHS, SEGMENTS)).to_arrow("token")


@pytest.mark.parametrize("what", [sa.disagreements, sa.confusion], ids=lambda f: f.__name__)
def test_disagreements(what):
    """Where two part: names as strings, counts and offsets as whole numbers, also without a row."""
    corpus = sa.Corpus.from_segments(LENGTHS, SEGMENTS)
    full, same = what(corpus, "gold", "a"), what(corpus, "gold", "b")
    tables = [full.to_arrow(), same.to_arrow()]
    empty = sa.Corpus.from_segments([3], {"a": [[]], "b": [[]]})
    tables.append(what(empty, "a", "b").to_arrow())
    assert tables[0].to_pylist() == full.to_rows()
    assert len(tables[2]) == 0
    kinds = {"string", "int64"}
    assert all({str(f.type) for f in table.schema} == kinds for table in tables)
    assert tables[0].schema == tables[1].schema == tables[2].schema
