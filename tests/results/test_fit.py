"""Tables that fit a page, and what is shown of figures: widths, turned tables, digits, ranks."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import spanagree as sa
from spanagree.report.read_signature import parse_signature
from spanagree.results import latex, markdown, text
from spanagree.results.display import pivot_table
from spanagree.results.fit import PAGE, TextColumn, TextTable, compute_width, fit_to_page
from spanagree.results.frame import Column, Frame, Pivot, TableStyle
from spanagree.results.numbers import format_decimal
from spanagree.signature import format_signature

RANDOM = random.Random(1)
NAMES = {
    "alike": [f"bert-large-cased-ontonotes-{i:03d}" for i in range(12)],
    "unlike": ["".join(RANDOM.choices("abcdefghij-_", k=30)) for _ in range(12)],
    "wide": ["日本語" * 5 + chr(0x4E00 + i) for i in range(12)],
}
LABELS = ("PER", "LOC", "ORG", "creative-work")


@pytest.fixture(scope="module", params=NAMES)
def twelve(request):
    """A corpus of twelve systems with names that are 30 columns wide, and of gold."""
    rng = random.Random(2)
    gold = [
        [(6 * i, 6 * i + rng.randint(1, 4), rng.choice(LABELS)) for i in range(4)] for _ in range(6)
    ]
    layers = {"gold": gold}
    for name in NAMES[request.param]:
        layers[name] = [
            [(a, b, x if rng.random() < 0.8 else "PER") for a, b, x in of if rng.random() < 0.8]
            for of in gold
        ]
    return sa.Corpus.from_segments([24] * len(gold), layers)


def tables(corpus):
    """Every table of every kind of result, by name."""
    few = {"ci": sa.Jackknife()}
    evaluation = sa.evaluate(corpus)
    certain = sa.evaluate(corpus, **few)
    four = corpus.select_annotators(corpus.annotators[:4])  # chance takes a while
    agreement = sa.agree(four, p_values=True, **few)
    coefficients = sa.coefficients(sa.token_labels(corpus), **few)
    yield "evaluate", evaluation.table()
    yield "chance", sa.chance_test(four, sa.evaluate(four)).table()
    yield "test", sa.compare_systems(evaluation, resamples=5).table()
    yield "difficulty", sa.difficulty(corpus).table()
    levels = sa.evaluate_levels(certain, sa.difficulty(corpus, "gold"))
    yield "levels", levels.table()
    yield "by document", sa.evaluate(four, p_values=True).table("document")
    for name, result in {
        "evaluate": evaluation,
        "evaluate --ci": certain,
        "agree": sa.agree(corpus, **few),
        "agree --test chance": agreement,
        "coefficients": coefficients,
        "alpha": sa.alpha_u(corpus, pairs=True, **few),
    }.items():
        for by in (None, *result.BY):
            yield f"{name} {by}", result.table(by)
    against = sa.evaluate_references(corpus, systems=corpus.annotators[:1], ci=sa.Jackknife())
    yield "references", against.table("annotator")
    for two in (sa.disagreements, sa.confusion):
        yield two.__name__, two(corpus, *corpus.annotators[:2]).table()


@pytest.mark.long
def test_widths_of_twelve_systems(twelve):
    """No table of text is wider than 80 columns, with names of 30; the signature may have to be."""
    for name, table in tables(twelve):
        shown = text.render(table).partition("\n\nsignature:")[0]
        widest = max(shown.split("\n"), key=compute_width)
        assert compute_width(widest) <= PAGE, f"{name}: {widest}"
        assert shown.count("\n") > 4, name


def test_turned_by_label(twelve):
    """Each cell of the turned table is the figure of that label and system; twelve do not fit."""
    long = sa.evaluate(twelve).table("label")
    assert pivot_table(long) is long
    evaluation = sa.evaluate(twelve.select_annotators(twelve.annotators[:8]))
    assert len(evaluation.systems) == 7
    table = pivot_table(evaluation.table("label"))
    names = [column.title for column in table.columns[2 : 2 + table.across]]
    assert names == list(evaluation.systems)
    assert [column.title for column in table.columns[2 + table.across :]] == ["gold"]
    for figure, label, *cells in table.rows:
        key, kind = {
            "precision": ("precision", "observed"),
            "recall": ("recall", "observed"),
            "F1": ("f1", "observed"),
            "corrected F1": ("f1", "corrected"),
        }[figure]
        for name, cell in zip(names, cells, strict=False):
            system = evaluation.systems[name]
            parts = {"all (micro)": system, "all (macro)": system.macro, **system.labels}
            assert cell == getattr(getattr(parts[label], key), kind)
    assert len(table.rows) == 4 * (len(LABELS) + 2)


def test_what_stays_as_it_is():
    """A table of one system is not turned, nor is one with intervals, which would not be seen."""
    corpus = sa.Corpus.from_segments(
        [9, 9], {n: [[(0, 1, "X")], [(2, 3, "Y")]] for n in ("gold", "a", "b")}
    )
    one = sa.evaluate(corpus.select_annotators(["gold", "a"])).table("label")
    assert pivot_table(one) is one
    assert "precision" in text.render(one)
    assert sa.evaluate(corpus, ci=sa.Jackknife()).table("label").pivot is None
    long = text.render(sa.evaluate(corpus).table("label"), TableStyle(all_columns=True))
    assert "precision" in long


def named(names, **columns):
    """A table with a row for each name."""
    heads = [Column("", "system", "name"), *(Column("", t.replace("_", " ")) for t in columns)]
    return [
        heads,
        [[name, *(each[i] for each in columns.values())] for i, name in enumerate(names)],
    ]


def test_what_names_share_is_said_once():
    """A prefix and a suffix are dropped only if the table is too wide, and a remark has them.

    A row of all names, with a space in its name, does not prevent it.
    """
    names = [f"our-long-experiment-{x}-on-web-pages.conll" for x in ("alpha", "beta")]
    table = named(
        [*names, "all (micro)"], **{f"a_long_title_{i}": (0.1, 0.2, 0.3) for i in range(6)}
    )
    shown = text.render(Frame(*table))
    assert "all (micro)  " in shown
    assert shown.split("\n")[-2] == ("names in full: our-long-experiment-…-on-web-pages.conll")
    assert re.search(r"^alpha +0\.100", shown, re.M)
    narrow = text.render(Frame(*named(names, F1=(0.1, 0.2))))
    assert f"{names[0]}  0.100" in narrow
    assert "names in full" not in narrow


def test_long_names_are_broken_into_lines():
    """No letter is lost, so that names stay distinct; they are broken after signs if possible."""
    columns = {f"c{i}": (0.1, 0.2) for i in range(6)}
    alike = ["a" * 20 + "1" + "a" * 20, "a" * 20 + "2" + "a" * 20]
    shown = text.render(Frame(*named(alike, **columns)))
    first_letters = "".join(line.split()[0] for line in shown.split("\n")[1:] if line)
    assert first_letters == "".join(alike)
    with_signs = ["x" * 18 + "_" + "a" * 25, "y" * 25 + "-" + "a" * 22]
    lines = text.render(Frame(*named(with_signs, **columns))).split("\n")
    assert [line.split()[0] for line in lines[1:5]] == [
        "x" * 18 + "_", "a" * 25, "y" * 25 + "-", "a" * 22,
    ]  # fmt: skip


def test_a_name_without_end_is_cut_at_once():
    """A label of 20 million letters, as a damaged file has one, is not broken letter by letter."""
    columns = [TextColumn("label", ["e" * 20_000_000, "b"], names=True)]
    columns.append(TextColumn("F1", ["1", "2"]))
    begun = time.process_time()
    table, _ = fit_to_page(TextTable(columns))
    assert time.process_time() - begun < 3  # a tenth of a second; letter by letter eleven
    assert table.columns[0].width <= PAGE - 4
    assert "characters left out" in " ".join(table.columns[0].cells[0].split())
    assert table.columns[0].cells[0].count("\n") < 30


def test_columns_left_out():
    """Of twelve figures seven are shown, spare ones go first, and the line below names what went.

    Of eight columns that are too wide the last are left out.
    """
    heads, rows = named(["mine"], **{f"figure{i}": (0.5,) for i in range(12)})
    eight = text.render(Frame(heads, rows))
    assert eight.count("0.500") == 7
    assert "left out: figure7, figure8, figure9, figure10, figure11; --all shows them" in eight
    wide = [heads[0], *(Column("", f"measurement{i}") for i in range(7))]
    narrowed = text.render(Frame(wide, [row[:8] for row in rows]))
    assert narrowed.count("0.500") == 5
    assert "left out: measurement5, measurement6; --all shows them" in narrowed
    heads = [heads[0], *(c._replace(spare=i > 5) for i, c in enumerate(heads[1:]))]
    short = text.render(Frame(heads, rows))
    assert short.count("0.500") == 6
    assert "left out: figure6, figure7," in short
    whole = text.render(Frame(heads, rows), TableStyle(all_columns=True))
    assert whole.count("0.500") == 12
    assert "left out" not in whole


WORDS = st.text("ab_-. é日\u0301", min_size=1, max_size=60)
FIGURES = st.sampled_from(["0.123", "–", "0.363–0.430", "12345", ""])


@st.composite
def text_tables(draw):
    """Draw a table with up to six columns of names and up to twelve of figures."""
    n_rows = draw(st.integers(1, 4))
    columns = []
    for is_name in [*[True] * draw(st.integers(0, 6)), *[False] * draw(st.integers(1, 12))]:
        cells = draw(st.lists(WORDS if is_name else FIGURES, min_size=n_rows, max_size=n_rows))
        head = f"{draw(WORDS)}{len(columns)}"
        columns.append(TextColumn(head, cells, is_name, spare=not is_name and draw(st.booleans())))
    return TextTable(columns)


@given(text_tables())
@example(TextTable([TextColumn(f"_{i}", ["0.123"] * 2, spare=True) for i in range(9)]))
def test_what_a_fitted_table_has(table):
    """All cells of all columns that are not left out, letter by letter, no wider than a page.

    Affixes that a remark has are restored; spaces may have become the ends of lines.
    """

    def pack(words):
        return "".join(words.split())

    fitted, remarks = fit_to_page(table)
    lines = text._format_table(fitted).split("\n")
    assert max(map(compute_width, lines)) <= PAGE or len(fitted.columns) == 1
    left_out = " ".join(remarks).partition("left out: ")[2]
    n_left_out = left_out.partition("; --all")[0].count(", ") + bool(left_out)
    n_headings = len(table.columns) - len(fitted.columns) - n_left_out
    assert n_headings == bool(fitted.headings)
    affixes = re.fullmatch("names in full: (.*)…(.*)", remarks[0]) if remarks else None
    prefix, suffix = map(pack, affixes.groups()) if affixes else ("", "")
    for column in fitted.columns:
        original = next(c for c in table.columns if pack(c.head) == pack(column.head))
        for cell, before in zip(column.cells, original.cells, strict=True):
            assert pack(before) in (pack(cell), prefix + pack(cell) + suffix)
    for row, heading in fitted.headings.items():
        assert pack(heading) == pack(f"{table.columns[0].head}: {table.columns[0].cells[row]}")
    assert len(fitted.columns) <= max(8, sum(column.names for column in table.columns))


def test_names_that_repeat_stand_above_their_rows():
    """A table that is too wide by its first column has the names of that above its rows."""
    first = TextColumn("document", ["d" * 30] * 2 + ["e" * 30] * 2, names=True)
    figures = [TextColumn(f"c{i}", ["0.123456"] * 4) for i in range(6)]
    table, remarks = fit_to_page(
        TextTable([first, TextColumn("who", ["ann", "bob"] * 2, names=True), *figures])
    )
    assert table.headings == {0: f"document: {'d' * 30}", 2: f"document: {'e' * 30}"}
    assert [column.head for column in table.columns] == ["who", *(c.head for c in figures)]
    assert not remarks


def test_a_sentence_at_the_end_is_wrapped():
    """The last column of sentences has several lines, and loses no word."""
    sentence = "it begins with a word and goes on for so long that one line is not enough for it"
    shown = text.render(
        Frame([Column("", "n", "count"), Column("", "first", "name")], [[7, sentence]])
    )
    assert max(map(len, shown.split("\n"))) <= PAGE
    assert " ".join(shown.split())[len("n first 7 ") :] == sentence


def test_the_signature_breaks_at_its_bars():
    """It stands by itself, is no wider than a page, and a copy of its lines is what it was."""
    settings = {"match": "exact", "chance": "nonoverlapping", "average": "micro", "ci": "bca95",
                "offsets": "tokens", "strict": False, "resamples": 10000, "version": "1.0.0"}  # fmt: skip
    shown = text.render(Frame(*named(["mine"], F1=(0.5,)), settings, remarks=["a remark"]))
    head, _, line = shown.rstrip().rpartition("\n\n")
    assert head.endswith("a remark")
    assert line.startswith("signature: match:exact|")
    assert all(len(each) <= PAGE for each in line.split("\n"))
    assert all(each.endswith("|") for each in line.split("\n")[:-1])
    assert format_signature(parse_signature(line)) == format_signature(settings)
    assert format_signature(parse_signature(line.replace("\n", " "))) == format_signature(settings)


def test_digits_and_per_cent():
    """Figures have the decimals asked for; z is not a share, and z and p keep their own digits."""
    heads = [Column("", "F1"), Column("", "z", "z"), Column("", "p", "probability")]
    table = Frame([*heads, Column("", "ends", "interval")], [[0.41934, 31.25, 0.0041, (0.1, 0.25)]])

    def row(form, **look):
        return form.render(table, TableStyle(**look)).rstrip().split("\n")[-1]

    assert row(text).split() == ["0.419", "31.25", "0.004", "0.100–0.250"]
    assert row(text, digits=2).split() == ["0.42", "31.25", "0.004", "0.10–0.25"]
    assert row(text, percent=True).split() == ["41.9", "31.25", "0.004", "10.0–25.0"]
    assert row(text, percent=True, digits=1).split() == ["41.9", "31.25", "0.004", "10.0–25.0"]
    assert row(markdown) == "| 0.42 | 31.25 | 0.004 | 0.10–0.25 |"
    assert row(markdown, percent=True) == "| 41.9 | 31.25 | 0.004 | 10.0–25.0 |"


def test_nothing_below_nothing():
    """What rounds to 0 has no sign, and an interval without a width is not shown."""
    assert [format_decimal(x) for x in (-0.0004, -0.0, 0.0, -0.0006)] == ["0.000"] * 3 + ["-0.001"]
    rows = [[-0.0001, (1.0, 1.0)], [0.5, (0.9996, 1.0)]]
    shown = text.render(Frame([Column("", "F1"), Column("", "interval", "interval")], rows))
    assert [line.split() for line in shown.split("\n")[1:3]] == [
        ["0.000", "–"],
        ["0.500", "1.000–1.000"],
    ]


def test_styles():
    """The best figures of a column, or of a row of a turned table, are bold; ties all are."""
    heads = [Column("", "system", "name"), Column("", "F1"), Column("", "chance F1")]
    rows = [["a", 0.801, 0.3], ["b", 0.799, 0.1], ["c", -0.5, 0.2], ["d", None, None]]
    table = Frame(heads, rows, best=["F1"])
    bold = markdown.render(table, TableStyle(style=["bold"]))
    assert [line.split("|")[2].strip() for line in bold.split("\n")[2:6]] == [
        "**0.80**", "**0.80**", "-0.50", "–",
    ]  # fmt: skip
    assert bold.count("**") == 4
    out = latex.render(table)
    assert "% needs \\usepackage{booktabs}" in out
    assert "\\begin{tabular}{lrr}" in out
    assert "a & \\textbf{80.10} & 30.00 \\\\" in out
    assert "c & $-$50.00 & 20.00 \\\\" in out
    assert "d & -- & -- \\\\" in out
    assert out.count("rule") == 3
    assert out.endswith(
        "\\caption{F1 in per cent. Best figures in bold.}\n\\label{tab:system}\n\\end{table}\n"
    )
    assert latex.render(table, TableStyle(style=["acl"])) == out
    plain = latex.render(table, TableStyle(style=["plain"]))
    assert not any(word in plain for word in ("rule", "textbf", "caption", "usepackage"))
    assert "a & 80.10 & 30.00 \\\\" in plain
    pivot = Pivot("label", "system", ("F1",))
    long = Frame(
        [Column("", "label", "name"), *heads[:2]],
        [["X", "a", 0.2], ["X", "b", 0.4], ["Y", "a", 0.3], ["Y", "b", None]],
        pivot=pivot,
    )
    turned = markdown.render(long, TableStyle(style=["bold"])).split("\n")[2:]
    assert turned[:2] == ["| F1 | X | 0.20 | **0.40** |", "| F1 | Y | 0.30 | – |"]


@pytest.mark.parametrize("many", [3, 12, 40])
def test_sentences_and_signatures_of_many(many):
    """Twelve annotators made lines of 949 characters, and settings that name many one of 438."""
    names = [f"annotator-{i}" for i in range(many)]
    said = "; ".join(f"{name}: {i}–{i + 9} untrue" for i, name in enumerate(names))
    columns = [Column("", title, "name") for title in ("document", "segment", "text", "others")]
    row = ["answer-with-a-long-name", "100–200", "some words that were marked", said]
    signature = f"match:exact|chosen:{','.join(names)}|spanagree:{sa.__version__}"
    drawn = text.render(Frame(columns, [row, [*row[:1], "1–2", *row[2:]]]))
    lines = [*drawn.splitlines(), *text.break_signature(signature).splitlines()]
    assert max(map(compute_width, lines)) <= PAGE
    assert parse_signature(text.break_signature(signature))["chosen"] == ",".join(names)
