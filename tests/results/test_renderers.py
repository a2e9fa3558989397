"""Rendering: figures as the result has them, hostile names as text."""

from __future__ import annotations

import ast
import csv
import io
import json
import math
import re
from html import unescape
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanagree as sa
from spanagree.cli.main import main
from spanagree.results import cells, latex, markdown, text
from spanagree.results.data import FORMATS, TABLES, render, to_csv, to_json, to_plain_data
from spanagree.results.display import pivot_table
from spanagree.results.frame import Column, Frame, TableStyle
from spanagree.results.html import render_remarks
from spanagree.results.names import find_common_parts, shorten_names
from spanagree.results.score import Score

HOSTILE = ["\x1b[31mred", "a|b", "<b>&", "x_y^z\\", "$1 {%}#~", "new\nline", "\u202eabc", "=1+1"]


SETTINGS = {"match": "exact", "version": "1"}


def table(**rest):
    return Frame(
        [Column("", "system", "name"), Column("", "F1"), Column("", "rank", "place")],
        [["mine", 0.41934, "1 → 2"], ["日本", None, "– → –"], ["x", float("nan"), "3 → 3"]],
        **rest,
    )


def test_text():
    """Names to the left, figures to the right, wide characters counted as two columns."""
    assert text.render(table(caption="Above", remarks=["below"], settings=SETTINGS)) == (
        "Above\n"
        "\n"
        "system     F1   rank\n"
        "mine    0.419  1 → 2\n"
        "日本        –  – → –\n"
        "x           –  3 → 3\n"
        "\n"
        "below\n"
        "\n"
        "signature: match:exact|spanagree:1\n"
    )


def test_markdown():
    """A table with aligned columns."""
    assert markdown.render(table(settings=SETTINGS)) == (
        "| system | F1 | rank |\n"
        "| --- | ---: | ---: |\n"
        "| mine | 0.42 | 1 → 2 |\n"
        "| 日本 | – | – → – |\n"
        "| x | – | 3 → 3 |\n"
        "\n"
        "Signature: `match:exact|spanagree:1`\n"
    )


def test_latex():
    """F1 in per cent with two decimals, as papers print; in the plain style all else is a comment."""
    above = table(caption="Above", settings=SETTINGS, breaks=[1])
    assert latex.render(above, TableStyle(style=["plain"])) == (
        "% Above\n"
        "% signature: match:exact|spanagree:1\n"
        "\\begin{tabular}{lrr}\n"
        "\\hline\n"
        "system & F1 & rank \\\\\n"
        "\\hline\n"
        "mine & 41.93 & 1 $\\to$ 2 \\\\\n"
        "\\hline\n"
        "日本 & -- & -- $\\to$ -- \\\\\n"
        "x & -- & 3 $\\to$ 3 \\\\\n"
        "\\hline\n"
        "\\end{tabular}\n"
    )


def test_latex_of_acl():
    """A table with the rules of booktabs, caption and label, and nothing else around it."""
    above = table(caption="above 3 & 4", settings=SETTINGS, breaks=[1])
    assert latex.render(above) == (
        "% signature: match:exact|spanagree:1\n"
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table}[t]\n"
        "\\centering\n"
        "\\small\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "system & F1 & rank \\\\\n"
        "\\midrule\n"
        "mine & 41.93 & 1 $\\to$ 2 \\\\\n"
        "\\midrule\n"
        "日本 & -- & -- $\\to$ -- \\\\\n"
        "x & -- & 3 $\\to$ 3 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\caption{Above 3 \\& 4. F1 in per cent.}\n"
        "\\label{tab:system}\n"
        "\\end{table}\n"
    )


def result():
    corpus = sa.Corpus.from_segments(
        [10],
        {
            "gold": [[(0, 2, name) for name in HOSTILE]],
            **{name: [[(0, 2, name)]] for name in HOSTILE},
        },
    )
    return sa.evaluate(corpus, chance="overlapping")


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("by", [None, "label", "document"])
def test_hostile_names(form, by):
    """Names and labels cannot break a line, a cell or a terminal."""
    rendered = render(result().table(by), form, TableStyle(all_columns=True))
    assert all(line.isprintable() for line in rendered.split("\n"))
    rows = len(HOSTILE) * {None: 1, "label": len(HOSTILE) + 2, "document": 2}[by]
    if form == "markdown":
        lines = [line for line in rendered.split("\n") if line.startswith("|")]
        cells = {line.replace("\\|", "").count("|") for line in lines}
        assert len(lines) == rows + 2
        assert len(cells) == 1
        assert "<" not in rendered.replace("&lt;", "")
    if form == "latex":
        body = rendered.split("rule\n", 2)[2]
        lines = [line for line in body.split("\n") if line.endswith(r"\\")]
        assert len(lines) == rows
        assert all(line.replace(r"\&", "").count("&") == lines[0].replace(r"\&", "").count("&") for line in lines)  # fmt: skip
        assert "^" not in body.replace(r"\textasciicircum{}", "")


def test_json_of_figures_of_numpy():
    """A figure of NumPy is written as any other one; a number of NumPy is refused, as before."""
    assert to_json({"f1": np.float64(0.1)}) == '{\n  "f1": 0.1\n}\n'
    frozen = MappingProxyType({"ends": (0.5, math.nan)})  # as settings are
    assert to_plain_data({"settings": frozen}) == {"settings": {"ends": [0.5, None]}}
    with pytest.raises(TypeError, match="not JSON serializable"):
        to_json({"n": np.int64(1)})


def test_json_and_csv_hold_every_digit():
    """JSON and CSV carry names and figures unchanged; undefined is null, or empty."""
    evaluation = result()
    data = json.loads(to_json(evaluation.to_dict("label")))
    assert [system["system"] for system in data["tables"]["systems"]] == HOSTILE
    rows = list(csv.DictReader(io.StringIO(to_csv(evaluation.table("label")))))
    first = evaluation.systems[HOSTILE[0]]
    assert rows[0]["label"] == sorted(HOSTILE)[0]
    micro = next(row for row in rows if row["average"] == "micro")
    assert float(micro["f1_corrected"]) == first.f1.corrected
    assert float(micro["expected"]) == first.tally.expected
    silent = sa.evaluate(sa.Corpus.from_segments([3], {"gold": [[(0, 1, "X")]], "a": [[]]}))
    (row,) = csv.DictReader(io.StringIO(to_csv(silent.table())))
    assert row["precision_observed"] == ""
    assert row["recall_observed"] == "0.0"
    assert to_csv(Frame([Column("f1", "F1")], [])) == "f1,signature\n"


@pytest.mark.parametrize("name", ["a\rb", "a\nb", "a\r\nb", "\r", 'a"b', "a,b", "'", ""])
def test_a_name_is_one_cell(name):
    """Whatever is in a name, a reader of CSV finds it again, in one row; lines end in \\n alone."""
    table = Frame([Column("name", kind="name"), Column("f1")], [[name, -0.5], ["b", math.nan]])
    text = to_csv(table)
    rows = [["name", "f1", "signature"], [name, "-0.5", ""], ["b", "", ""]]
    assert list(csv.reader(io.StringIO(text, newline=""), strict=True)) == rows
    assert text.endswith("b,,\n")
    if name != "a\r\nb":
        assert "\r\n" not in text
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(io.StringIO(text, newline=""), keep_default_na=False)
    assert frame["name"].tolist() == [name, "b"]


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_cells_that_no_spreadsheet_runs(begin):
    """With safe cells a name that begins like a formula gets an apostrophe; figures never do."""
    names = [f"{begin}1+1", f"a{begin}", "", f"'{begin}"]
    columns = [Column("name", kind="name"), Column("f1"), Column("n", kind="count")]
    table = Frame(columns, [[name, -0.5, -3] for name in names])
    for safe, first in ((False, names[0]), (True, f"'{names[0]}")):
        text = to_csv(table, safe_cells=safe)
        rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
        assert rows == [[name, "-0.5", "-3", ""] for name in (first, *names[1:])]


def test_undefined_has_its_reason():
    """A table says below it why a figure is undefined."""
    silent = sa.evaluate(sa.Corpus.from_segments([3], {"gold": [[(0, 1, "X")]], "a": [[]]}))
    rendered = text.render(silent.table())
    assert "a: precision undefined: the system marked nothing" in rendered
    assert "–" in rendered
    spans = [(0, 3, "X")]
    full = sa.evaluate(sa.Corpus.from_segments([3], {"gold": [spans], "a": [spans]}))
    assert "a: corrected F1 undefined: chance alone gives 1" in text.render(full.table())
    rows = text.render(silent.table("label"))
    assert "–: precision undefined: the system marked nothing" in rows
    rows = text.render(sa.evaluate(result_corpus(), match="boundaries").table("label"))
    assert "no rows for labels: match boundaries disregards them" in rows


def result_corpus():
    return sa.Corpus.from_segments([3], {"gold": [[(0, 1, "X")]], "a": [[(0, 1, "Y")]]})


def test_formats():
    """Every format is there by name."""
    assert set(TABLES) | {"json", "csv"} == set(FORMATS)


def test_latex_of_symbols_and_negative_numbers():
    """Greek letters and minus signs are written as mathematics; a hyphen in a name stays one."""
    columns = [Column("", " ", "name"), Column("", "π"), Column("", "a − b", "interval")]
    out = latex.render(Frame(columns, [["creative-work-2", -0.25, (-0.1, 0.2)]]))
    assert "  & $\\pi$ & a $-$ b" in out
    assert "creative-work-2 & $-$0.25 & [$-$0.10, 0.20]" in out


def test_latex_of_words_and_quotes():
    """Greek words and names stay as they are; a quote is one in the encoding LaTeX starts with."""
    assert (
        latex.escape_latex('"Ω ος" Γιάννης, α_U, 日本')
        == "''$\\Omega$ ος'' Γιάννης, $\\alpha$\\_U, 日本"
    )
    greek = map(chr, [*range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x3B1, 0x3CA)])
    assert all(re.fullmatch(r"\$(\\[A-Za-z]+|[A-Zo])\$", latex.escape_latex(c)) for c in greek)


def words_of_ours():
    """Yield where each text stands that our own tables, remarks and paragraphs are made from."""
    source = Path(sa.__file__).parent
    yield "explanations.md", (source / "report" / "explanations.md").read_text(encoding="utf-8")
    for path in source.rglob("*.py"):
        if {"formats", "page"} & {*path.parts} or path.stem in {
            "svg",
            "html",
            "files",
            "data",
            "timelines",
        }:
            continue  # what is read, and what is only for browsers
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            value = node.value if isinstance(node, ast.Constant) and id(node) not in docs else None
            if isinstance(value, str):
                yield f"{path.name}:{node.lineno}", value


@pytest.mark.long
def test_latex_knows_our_own_characters():
    """LaTeX shows every character of our tables and paragraphs without a package of its own.

    Its default, UTF-8, knows letters with accents, dashes, quotes and the ellipsis (``utf8enc.dfu``).
    """
    unknown = {
        (location, c)
        for location, words in words_of_ours()
        for c in words
        if not latex.escape_latex(c).isascii()
        and c not in "…“”’øØéíö█Ͱ\u03ff"  # bars are for a terminal
    }
    assert not unknown


# --- names side by side ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["gold.conll", "lexicon.conll"], ["gold", "lexicon"]),
        (["enc-large-alpha-2024.conll", "enc-large-beta-2024.conll"], ["alpha", "beta"]),
        (["runs/a.conll", "runs/b.conll"], ["a", "b"]),
        (["bert-base-1", "bert-base-2"], ["base-1", "base-2"]),  # never a bare number
        (["alphabet", "alphanumeric"], ["alphabet", "alphanumeric"]),  # whole words only
        (["a", "a-b"], ["a", "a-b"]),  # nothing would be left
        (["only.conll"], ["only.conll"]),
        (["same.conll", "same.conll"], ["same.conll", "same.conll"]),
        ([], []),
    ],
)
def test_what_names_have_in_common(names, short):
    """Whole words that all names begin or end with are left out; each keeps a letter."""
    assert shorten_names(names) == short


@given(st.lists(st.text("ab1.-", max_size=8)))
def test_short_names_stay_apart(names):
    """Different names stay different, and are parts of what they were."""
    short = shorten_names(names)
    before, after = find_common_parts(names)
    assert [f"{before}{name}{after}" for name in short] == names
    assert len(set(short)) == len(set(names))


def test_latex_of_intervals(newsroom):
    """Intervals stand in brackets, beside precision and recall; the title has their confidence."""
    files = [newsroom / f"{name}.conll" for name in ("gold", "tagger")]
    result = sa.evaluate(sa.read(files), ci=sa.Jackknife(confidence=90))
    out = latex.render(result.table())
    title = r"system & precision & recall & F1 & chance F1 & corrected F1 & 90 \% CI \\"
    assert title in out
    low, high = result["tagger.conll"].f1.interval.corrected
    assert f" & 61.37 & [{100 * low:.2f}, {100 * high:.2f}] " in out
    assert " & 0.63 & " in latex.render(result.table(), TableStyle(percent=False))
    everything = latex.render(result.table(), TableStyle(all_columns=True))
    assert everything.count(r"90 \% CI") == 3
    below_0 = Frame([Column("", "d"), Column("", "interval", "interval")], [[-0.1, (-0.25, 0.05)]])
    assert "$-$0.10 & [$-$0.25, 0.05]" in latex.render(below_0)


def test_many_remarks():
    """Below a table of a page stand the first twelve sentences, and how many more there are."""
    all_of = [f"remark {i}" for i in range(14)]
    shown = {n: re.findall("<li>(.*?)</li>", render_remarks(*all_of[:n])) for n in (12, 14)}
    assert shown == {12: all_of[:12], 14: [*all_of[:12], "and 2 more like these"]}


def test_rows_have_the_ends_of_intervals(crowd):
    """Where a figure has an interval, CSV and rows have its ends: those of the result itself."""
    ci = sa.Jackknife()
    team, labels = sa.agree(crowd, ci=ci), sa.coefficients(sa.token_labels(crowd), ci=ci)
    against = sa.evaluate_references(crowd, systems=["dia"], ci=ci)
    documents = sa.project.document_agreement(crowd, ci=ci)
    ann, gain = team.annotators["ann"].f1, team.annotators["ann"].gain_interval
    pest = labels.categories["PEST"].interval
    for result, by, place, key, ends in (
        (team, None, 0, "f1_corrected", team.team.f1.interval.corrected),
        (team, None, 1, "f1_observed", team.mean.interval.observed),
        (team, "label", 0, "f1_expected", team.labels["PEST"].f1.interval.expected),
        (team, "pair", 0, "f1_corrected", team.pairs["ann", "bob"].f1.interval.corrected),
        (team, "annotator", 0, "f1_corrected", ann.interval.corrected),
        (team, "annotator", 0, "gain_corrected", gain.corrected),
        (against, None, 0, "f1_corrected", against["dia"].f1.interval.corrected),
        (against, None, 0, "share_observed", against["dia"].share.interval.observed),
        (against, None, 1, "f1_observed", against.ceiling.f1.interval.observed),
        (labels, None, 0, "value", labels.spa.interval.observed),
        (labels, None, 3, "value", labels.alpha.interval.corrected),
        (labels, "category", 1, "agreement", pest.observed),
        (documents, None, 0, "alpha", documents.any.interval.corrected),
    ):
        row = result.to_rows(by)[place]
        assert (row[f"{key}_low"], row[f"{key}_high"]) == tuple(ends)
        assert f"{key}_low,{key}_high" in to_csv(result.table(by))
    plain = sa.agree(crowd).to_rows()
    assert not [key for key in plain[0] if key.endswith("_low")]


@pytest.mark.parametrize("style", [(), ("acl",), ("plain",)])
@pytest.mark.parametrize("name", ["[gpt]", "*star", "[", "*"])
def test_latex_of_names_like_arguments(name, style):
    r"""A name behind a line's end is not taken for its argument, as ``\\[gpt]`` would be."""
    table = Frame(
        [Column("system", "system", "name"), Column("f1", "F1", "figure")],
        [["gold", 0.5], [name, 0.25]],
        {},
    )
    text = latex.render(table, TableStyle(style=style))
    assert f"{{{name[0]}}}{name[1:]} & 25.00" in text
    assert not re.search(r"(\\\\|\\midrule|\\hline)\s*[\[*]", text)


def test_p_and_z_for_people(newsroom):
    """People read "< .001", and two digits of z, in whatever form; programs have all digits."""
    corpus = sa.read([newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")])
    found = sa.chance_test(corpus, sa.evaluate(corpus))
    tagger = found.systems["tagger.conll"]
    assert tagger.p_holm < 1e-100
    table = found.table()
    shown = {
        "text": text.render(table),
        "markdown": unescape(markdown.render(table)),
        "latex": latex.render(table).replace(r"\textless{}", "<"),
        "html": unescape(re.sub("<[^>]*>", " ", found._repr_html_())),
    }
    for form, out in shown.items():
        assert f" {tagger.z:.2f} " in out, form
        assert out.count("< .001") >= 4, form
        assert not re.search(r"\de-\d", out), form
    for row in (found.to_rows()[1], found.to_dict()["tables"]["systems"][1]):
        assert (row["p"], row["p_holm"], row["z"]) == (tagger.p, tagger.p_holm, tagger.z)
        assert row["log10_p"] == pytest.approx(math.log10(tagger.p), abs=1e-6)


@pytest.mark.parametrize(("p", "shown"), [(1.0, "1.000"), (0.001, "0.001"), (0.0009999, "< .001"), (0.0, "< .001"), (math.nan, "–")])  # fmt: skip
def test_p(p, shown):
    """From .001 on p has four decimals."""
    assert cells.format_p(p) == shown


@pytest.mark.parametrize("n_systems", [1, 2])
def test_latex_of_labels_is_in_per_cent(newsroom, n_systems):
    """F1 is in per cent with two digits, of systems and of labels, turned or not; counts are not."""
    names = ("gold", "tagger", "lexicon")[: 1 + n_systems]
    found = sa.evaluate(sa.read([newsroom / f"{name}.conll" for name in names]))
    f1 = found.systems["tagger.conll"].labels["PER"].f1
    for table in (
        found.table("label"),
        pivot_table(found.table("label")),
    ):  # the command turns it first
        out = re.sub(r"\\textbf\{(.*?)\}", r"\1", latex.render(table))
        assert f" & {100 * f1.observed:.2f} & " in out
        assert f" & {100 * f1.corrected:.2f} & " in out
        assert " & 44 " in out  # of PER in gold
    style = TableStyle(percent=False, style=["plain"])
    assert f" & {f1.observed:.2f} & " in latex.render(found.table("label"), style)


def test_texts_are_those_of_the_command(capsys, newsroom, monkeypatch):
    """Results are written in Python as the command writes them, by their parts too."""
    monkeypatch.chdir(newsroom)
    names = ["gold.conll", "tagger.conll"]
    result = sa.evaluate(sa.read(names))
    for form in ("csv", "json", "markdown", "latex"):
        for by in (None, "label"):
            main(["evaluate", *names, "--format", form, *(["--by", by] if by else [])])
            assert getattr(result, f"to_{form}")(by) == capsys.readouterr().out


def test_scores_compare_as_floats():
    """A score has the order of its observed figure, beside numbers and other scores."""
    low, high = Score(0.25, 0.2, 0.0625), Score(0.75, 0.5, 0.5)
    assert low < high and high > low and low <= low and high >= 0.75  # noqa: PT018 — each of them
    assert low < 0.5 < high
    assert not low > 0.25
    assert sorted([high, low]) == [low, high]
    assert max(low, high) is high
    assert (round(Score(2 / 3, 0, 2 / 3), 2), f"{low:.1f}") == (0.67, "0.2")


def test_coefficients_compare_as_floats():
    """A coefficient has the order of its value: κ of 3 of 4 equal labels, each side x in half, is ½."""
    kappa = sa.labels.kappa(["x", "x", "y", "y"], ["x", "x", "y", "x"])
    full = sa.labels.kappa(["x", "y"], ["x", "y"])
    assert float(kappa) == kappa.value == 0.5
    assert kappa < full and full > kappa and kappa <= 0.5 and full >= kappa  # noqa: PT018 — each of them
    assert (round(full, 1), f"{kappa:.2f}", f"{kappa}") == (1.0, "0.50", str(kappa))
