"""Pictures and notebook tables: they show the results' figures, take any name, and refuse in one line."""

from __future__ import annotations

import html
import itertools
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from messages import refuses, says

import spanagree as sa
from spanagree.choices import Kind, list_names
from spanagree.cli.main import main
from spanagree.comparisons.chance_distribution.distribution import find_likely_matches
from spanagree.results.plots import LINES, STEPS, plot_counts, plot_dots, plot_lines

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402 — after the choice of a canvas that needs no screen
from matplotlib.image import imread  # noqa: E402

FILES = ("gold", "lexicon", "tagger", "chunker")
HOSTILE = '<script>alert(1)</script> $\\frac{1$ \x1b[31m "'


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def corpus(newsroom):
    return sa.read_conll({n: newsroom / f"{n}.conll" for n in FILES})


@pytest.fixture(scope="module")
def results(corpus, crowd):
    """One result of each kind."""
    whole = sa.evaluate(corpus)
    few = sa.Jackknife()
    return {
        "ranks": whole,
        "intervals": sa.evaluate(corpus, ci=few),
        "levels": sa.evaluate_levels(whole, sa.difficulty(corpus, "gold")),
        "agreement": sa.agree(crowd),
        "coefficients": sa.coefficients(sa.token_labels(crowd), ci=few),
        "difficulty": sa.difficulty(crowd),
        "comparison": sa.compare_systems(whole),
        "by_chance": sa.chance_test(corpus, whole, draws=20, simulate=True),
        "exact chance": sa.chance_test(corpus, whole),
        "disagreements": sa.disagreements(crowd, "ann", "bob"),
        "confusion": sa.confusion(crowd, "ann", "bob"),
        "references": sa.evaluate_references(crowd, systems=["bob"]),
        "replacement": sa.alt_test(crowd, "ann", 0.1),
        "disputes": sa.disputes(crowd),
        "gold": sa.make_gold(crowd),
        "slices": sa.slices.score_slices(sa.agree(crowd), "([0-3])$", ci=True),
        "lengths": sa.slices.score_slices(whole, "length"),
    }


def twelve(corpus, count=12):
    """Gold and systems with long names that differ in the middle: parts of gold, some renamed."""
    gold, rng = corpus.layers["gold"], np.random.default_rng(5)
    layers = {"gold": gold}
    for k in range(count):
        kept, other = rng.random(len(gold)) < 0.7 + 0.02 * (k % 7), rng.random(len(gold)) < 0.1
        label = np.where(other, rng.integers(0, len(corpus.labels), len(gold)), gold.label)
        columns = [x[kept] for x in (gold.document, gold.start, gold.end, label)]
        name = f"encoder-large-cased-{'abcdefghijklmnop'[k % 16] * 5}{k // 16 or ''}-crf-2024.conll"
        layers[name] = sa.Layer(*columns, gold.annotated)
    return replace(corpus, layers=layers)


def touching(picture):
    """The texts of a picture as it is written: those that leave it, and pairs that touch."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from spanagree.results.plots import _STYLE

    with matplotlib.rc_context(_STYLE):
        sheet = Figure(figsize=picture.size, layout="constrained")
        FigureCanvasAgg(sheet)
        picture.draw(sheet.subplots())
        sheet.canvas.draw()
        drawn = set()
        with (
            pytest.MonkeyPatch.context() as patch
        ):  # numbers beyond the ends of an axis are not drawn
            draw = Text.draw
            patch.setattr(
                Text, "draw", lambda self, renderer: (drawn.add(self), draw(self, renderer))
            )
            sheet.canvas.draw()
        # without the line from an annotation to its point
        written = {
            t: Text.get_window_extent(t) for t in drawn if t.get_visible() and t.get_text().strip()
        }
    outside = [t.get_text() for t, box in written.items() if not _within(box, sheet.bbox)]
    pairs = [
        (s.get_text(), t.get_text())
        for (s, one), (t, other) in itertools.combinations(written.items(), 2)
        if min(one.x1, other.x1) - max(one.x0, other.x0) > 1
        and min(one.y1, other.y1) - max(one.y0, other.y0) > 1
    ]
    return outside, pairs


def _within(box, sheet):
    return box.x0 >= -1 and box.y0 >= -1 and box.x1 <= sheet.x1 + 1 and box.y1 <= sheet.y1 + 1


def texts(ax):
    return [t.get_text() for t in ax.texts]


def ticks(axis):
    return [t.get_text() for t in axis.get_ticklabels()]


@pytest.mark.long
@pytest.mark.parametrize("name", ["ranks", "intervals", "exact chance"])
def test_texts_of_few_stay_apart(results, name):
    """The same of a few pictures, which takes a moment."""
    assert touching(results[name].picture()) == ([], [])


@pytest.mark.long
def test_long_names_and_titles_stay_in_the_picture():
    """Long names of a legend stand below each other; many titles of columns stand upright."""
    names = [letter * 38 for letter in "abcd"]
    rows = dict.fromkeys(names, (range(3), np.arange(3) / 9))
    few, many = (plot_lines(rows, ("tokens", "F1"), kind) for kind in (STEPS, LINES))
    assert touching(few) == touching(many) == ([], [])
    years = [f"the year {year}" for year in range(2018, 2026)]
    picture = plot_lines({"one": (range(8), np.arange(8) / 9)}, ("", "F1"), LINES, years)
    assert touching(picture) == ([], [])
    _, ax = pyplot.subplots()
    picture.draw(ax)
    assert {(text.get_text(), text.get_rotation()) for text in ax.get_xticklabels()} == {
        (year.removeprefix("the "), 90) for year in years
    }
    assert few.size[1] > picture.size[1]  # room for the legend
    short, long = ([(name, [(0.5, 0.4, 0.6)])] for name in ("a", "a" * 38))
    (width, height), (wider, _) = (plot_dots(rows, ["F1"], "F1").size for rows in (short, long))
    assert width < wider
    assert plot_dots(short * 9, ["F1"], "F1").size[1] > height


@pytest.mark.long
def test_names_at_ticks_are_no_mathematics():
    """Dollar signs in names of columns, of rows and of counts are written as they are."""
    hostile = ["a $x$", "b $y$"]
    lines = plot_lines(dict.fromkeys(hostile, ([0, 1], [0, 1])), ("", ""), LINES, hostile)
    for picture in (lines, plot_counts(dict.fromkeys(hostile, 3), "")):
        _, ax = pyplot.subplots()
        picture.draw(ax)
        ax.figure.canvas.draw()
        written = [*ticks(ax.xaxis), *ticks(ax.yaxis)]
        assert any(r"\$x" in text for text in written)
        assert not any(r"\\" in text for text in written)


@pytest.mark.slow
def test_texts_stay_apart(corpus, crowd, results):
    """No text leaves a picture or touches another one, whatever is drawn, also of long names.

    The extents are those that matplotlib measures in what it draws.
    """
    few = sa.Jackknife()
    for whole in (sa.evaluate(twelve(corpus)), sa.evaluate(twelve(corpus, 40))):
        gold = whole.settings.gold
        many = twelve(corpus, len(whole.systems))
        drawn = {
            "ranks": whole.picture(),
            "labels": whole.picture("label"),
            "intervals": sa.evaluate(many, ci=few).picture(),
            "levels": sa.evaluate_levels(whole, sa.difficulty(many, gold), levels=3).picture(),
            "pairs": sa.agree(many).picture(),
            "annotators": sa.agree(many).picture("annotator"),
            "tests": sa.compare_systems(whole).picture(),
            "by_chance": sa.chance_test(many, whole).picture(),
            "confusion": sa.confusion(many, *list(many.layers)[:2]).picture(),
        }
        for name, picture in drawn.items():
            assert touching(picture) == ([], []), (name, len(whole.systems))
    for name, result in results.items():
        for by in (None, *getattr(result, "DRAWN", ())):
            assert touching(result.picture(by)) == ([], []), (name, by)
    lengths = [int(x) for x in np.arange(1, 13) * 1000]
    from spanagree.chance.table import StartDistributions, StartSettings

    starts = [sa.start_distribution(9, [1])[0]] * 12
    document = StartSettings(chance="nonoverlapping", length=9, segments=lengths)
    assert touching(StartDistributions(document, tuple(starts)).picture()) == ([], [])


def test_ranks(results):
    """Points at F1 and corrected F1 of each system, which fill the picture; no bars."""
    ax = results["ranks"].plot()
    systems = results["ranks"].systems.values()
    figures = [container[0].get_xdata().tolist() for container in ax.containers]
    assert figures == [[getattr(s.f1, key) for s in systems] for key in ("observed", "corrected")]
    low, high = ax.get_xlim()
    assert low < np.min(figures) < np.max(figures) < high
    assert np.ptp(figures) > 0.8 * (high - low)
    assert ticks(ax.yaxis) == ["lexicon", "tagger", "chunker"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["F1", "corrected F1"]
    markers = {container[0].get_marker() for container in ax.containers}
    assert len(markers) == 2  # that can be told apart in grey


def test_intervals(results):
    """Points at the figures, bars from end to end of the intervals."""
    ax = results["intervals"].plot()
    systems = list(results["intervals"].systems.values())
    for container, kind in zip(ax.containers, ("observed", "corrected"), strict=True):
        data, _, (bars,) = container
        assert list(data.get_xdata()) == [getattr(s.f1, kind) for s in systems]
        for segment, s in zip(bars.get_segments(), systems, strict=True):
            assert segment[:, 0] == pytest.approx(getattr(s.f1.interval, kind), abs=1e-12)
    assert ticks(ax.yaxis) == [s.name for s in systems]
    assert all(line.get_visible() for line in ax.get_xgridlines())


def test_levels(results):
    """The corrected F1 of each system in each level; documents without a difficulty are left out."""
    ax = results["levels"].plot()
    of = results["levels"].evaluations[:2]
    assert len(results["levels"].levels) == 3
    for line, name in zip(ax.lines, results["levels"].whole.systems, strict=True):
        assert list(line.get_ydata()) == [e.systems[name].f1.corrected for e in of]


@pytest.mark.parametrize("name", ["agreement", "confusion"])
def test_maps(results, name):
    """A heat map of the matrix, with its figures."""
    result = results[name]
    ax = result.plot()
    matrix = result.matrix() if name == "agreement" else result.matrix.astype(float)
    shown = ax.images[0].get_array().filled(np.nan)
    assert np.array_equal(shown, matrix, equal_nan=True)
    digits = 3 if name == "agreement" else 0
    assert texts(ax) == ["–" if np.isnan(x) else f"{x:.{digits}f}" for x in matrix.ravel()]


def test_by_label(results):
    """By label a heat map of labels × systems from 0 to 1, a cell for each corrected F1."""
    whole = results["ranks"]
    ax = whole.plot(by="label")
    labels = list(next(iter(whole.systems.values())).labels)
    assert ticks(ax.yaxis) == labels
    assert ticks(ax.xaxis) == list(whole.systems)
    assert {text.get_rotation() for text in ax.get_xticklabels()} == {90}
    shown = ax.images[0].get_array().filled(np.nan)
    expected = [[s.labels[label].f1.corrected for s in whole.systems.values()] for label in labels]
    assert shown.tolist() == expected
    assert ax.images[0].get_clim() == (0, 1)
    assert results["agreement"].plot().images[0].get_clim() == (0, 1)
    shown = sa.evaluate(sa.Corpus.from_segments([4], {"a": [[]], "b": [[]]})).plot(by="label")
    assert texts(shown) == ["no label"]


def test_by_part(results):
    """Agreement by annotator and label, coefficients by category and annotator, at their figures."""
    agreement, coefficients = results["agreement"], results["coefficients"]
    ax = agreement.plot(by="annotator")
    data = [container[0].get_xdata().tolist() for container in ax.containers]
    members = agreement.annotators.values()
    assert data == [[getattr(m.f1, kind) for m in members] for kind in ("observed", "corrected")]
    ax = agreement.plot(by="label")
    assert ticks(ax.yaxis) == [*agreement.labels, "all"]
    ax = coefficients.plot(by="category")
    data = [container[0].get_xdata().tolist() for container in ax.containers]
    shares = [part for part in coefficients.all if part.name != "B"]
    assert data == [[w.by_category[c].value for c in coefficients.categories] for w in shares]
    ax = coefficients.plot(by="annotator")
    shown = ax.containers[0][0].get_xdata().tolist()
    assert shown == [who.agreement for who in coefficients.annotators.values()]


def test_single_coefficients(crowd):
    """A coefficient by itself with its categories; agreement by category; pairs of units."""
    table = sa.token_labels(crowd)
    kappa, categories = sa.kappa(table), sa.category_agreement(table)
    parts = [kappa, *kappa.by_category.values()]
    assert kappa.plot().containers[0][0].get_xdata().tolist() == [part.value for part in parts]
    shown = categories.plot().containers[0][0].get_xdata().tolist()
    assert shown == [part.value for part in categories.values()]
    units = sa.alpha_u(crowd, pairs=True)
    shown = units.plot(by="pair").containers[0][0].get_xdata().tolist()
    assert shown == [two.all.value for two in units.pairs.values()]


def test_tests_of_many(corpus):
    """Differences of more than ten pairs are a heat map with two sides; certain ones have a star."""
    result = sa.compare_systems(sa.evaluate(twelve(corpus, 6)), resamples=400)
    ax = result.plot()
    names = list(dict.fromkeys(pair.a for pair in result.pairs))
    shown = ax.images[0].get_array().filled(np.nan)
    for pair in result.pairs:
        i, j = names.index(pair.a) if pair.a in names else -1, names.index(pair.b) if pair.b in names else -1  # fmt: skip
        assert shown[i, j] == pair.corrected.value == -shown[j, i]
        text = ax.texts[i % 6 * 6 + j % 6].get_text()
        assert text.endswith("*") == (pair.corrected.p_adjusted < 0.05)
    low, high = ax.images[0].get_clim()
    assert high == -low == np.nanmax(np.abs(shown))


def test_no_picture_by_this(results):
    """What no picture shows is refused, with what can be drawn."""
    message = (
        "no plot shows this result by document; plots are drawn by label, or without a breakdown"
    )
    with pytest.raises(sa.SettingError, match=f"^{message}$"):
        results["ranks"].plot(by="document")
    with refuses(sa.SettingError, "no plot … by x … without a breakdown"):
        results["difficulty"].plot(by="x")


def test_others(results):
    """Coefficients, differences, chance, difficulty and kinds at their figures."""
    of = results["coefficients"]
    data = results["coefficients"].plot().containers[0][0].get_xdata()
    assert list(data) == [part.value for part in of.all if part.name != "B"]
    pairs = results["comparison"].pairs
    boxes = results["comparison"].plot().containers
    assert list(boxes[1][0].get_xdata()) == [p.corrected.value for p in pairs]
    by_chance = list(results["by_chance"].systems.values())
    lines = results["by_chance"].plot().lines
    assert list(lines[0].get_xdata()) == [s.f1 for s in by_chance]
    strokes = results["by_chance"].plot().collections
    for drawn, s in zip(strokes, by_chance, strict=False):
        tops, heights = (
            np.array(drawn.get_segments())[:, 0, 0],
            np.ptp(drawn.get_segments(), 1)[:, 1],
        )
        values, counts = np.unique(np.round(s.null, 3), return_counts=True)
        assert tops == pytest.approx(values)
        assert heights == pytest.approx(0.8 * counts / counts.max())
    exact = list(results["exact chance"].systems.values())
    ax = results["exact chance"].plot()
    dots = ax.lines[0]
    assert list(dots.get_xdata()) == [s.f1 for s in exact]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["by chance", "the system"]
    for i, (drawn, s) in enumerate(zip(ax.collections[: len(exact)], exact, strict=True)):
        values, chances = find_likely_matches(s.distribution)
        strokes = np.array(drawn.get_segments())
        assert strokes[:, 0, 0] == pytest.approx(values * s.scale)
        tall = strokes[:, 0, 1] - strokes[:, 1, 1]  # from the row up, as the axis points down
        assert np.all(strokes[:, 0, 1] == i)
        assert tall / tall.max() == pytest.approx(chances / chances.max())
        assert 0.5 < tall.max() < 1
    hard = results["difficulty"]
    points, _ = hard.plot().lines
    assert list(points.get_xdata()) == list(hard.marked[hard.defined])
    assert list(points.get_ydata()) == list(hard.chance[hard.defined])
    counts = results["disagreements"].counts
    ax = results["disagreements"].plot()
    assert ax.containers[0][0].get_xdata().tolist() == [counts[k] for k in list_names(Kind)]
    assert ticks(ax.yaxis) == [f"{kind}  {counts[kind]}" for kind in list_names(Kind)]


def test_into_axes_of_ones_own(results):
    """``ax=`` draws there and returns it; no figure is opened."""
    _, ax = pyplot.subplots()
    for result in results.values():
        assert result.plot(ax=ax) is ax
    assert len(pyplot.get_fignums()) == 1


def hostile():
    """Names, labels and ids that would be markup, mathematics or terminal codes."""
    long = "x" * 200
    marked = [[(0, 2, HOSTILE), (3, 4, long)], [(1, 2, HOSTILE)]]
    other = [[(0, 1, HOSTILE), (3, 4, HOSTILE)], [(1, 2, long)]]
    layers = {HOSTILE: marked, long: other, "c": [[], None]}
    return sa.Corpus.from_segments([6, 5], layers, ids=[HOSTILE, long])


@pytest.mark.slow
def test_hostile_names(tmp_path):
    """Nothing in a name is read as mathematics or markup; long ones are cut."""
    corpus = hostile()
    names = list(corpus.annotators)
    whole = sa.evaluate(corpus)
    results = [
        whole, sa.evaluate(corpus, ci=sa.Jackknife()), sa.agree(corpus), sa.difficulty(corpus),
        sa.coefficients(sa.token_labels(corpus)), sa.compare_systems(whole, resamples=9),
        sa.evaluate_levels(whole, sa.difficulty(corpus, names[0])), sa.chance_test(corpus, whole, draws=9),
        sa.disagreements(corpus, *names[:2]), sa.confusion(corpus, *names[:2]),
    ]  # fmt: skip
    from spanagree.results.plots import write_plot

    for i, result in enumerate(results):
        result.plot().figure.canvas.draw()
        write_plot(tmp_path / f"{i}.svg", result.picture(), "signature")
        assert "<script>" not in (tmp_path / f"{i}.svg").read_text("utf-8")
        shown = result._repr_html_()
        assert "<script" not in shown
        assert "\x1b" not in shown


def test_nothing_to_draw():
    """Where no figure is defined the picture says so; none of it is an error."""
    for corpus in (
        sa.Corpus.from_segments([4], {"a": [[]], "b": [[]]}),
        sa.Corpus.from_segments([4], {"a": [[]], "b": [None]}),
        sa.Corpus.from_segments([], {"a": [], "b": []}),
    ):
        pyplot.close("all")
        whole = sa.evaluate(corpus)
        assert texts(whole.plot()) == ["the figure is undefined everywhere"]
        assert texts(sa.evaluate(corpus, ci=sa.Jackknife()).plot()) == ["the figure is undefined everywhere"]  # fmt: skip
        assert texts(sa.difficulty(corpus).plot()) == ["no document has a difficulty"]
        assert texts(sa.chance_test(corpus, whole, draws=5).plot()) == ["no system that marked anything"]  # fmt: skip
        sa.agree(corpus).plot().figure.canvas.draw()
        sa.evaluate_levels(whole, sa.difficulty(corpus)).plot().figure.canvas.draw()
    assert texts(sa.agree(sa.Corpus.from_segments([], {})).plot()) == ["no annotator"]


def test_many():
    """Two hundred annotators: a map without figures and names, no larger than a page."""
    rng = np.random.default_rng(0)
    layers = {f"annotator {i}": [[(int(rng.integers(4)), 5, "X")]] for i in range(200)}
    ax = sa.agree(sa.Corpus.from_segments([9], layers)).plot()
    assert texts(ax) == []
    assert ticks(ax.yaxis) == []
    assert max(ax.figure.get_size_inches()) < 9


# --- the command line ---------------------------------------------------------------------------

COMMANDS = {
    "evaluate": ["evaluate", "{gold}", "{mine}"],
    "ci": ["evaluate", "{gold}", "{mine}", "--ci"],
    "levels": ["evaluate", "{gold}", "{mine}", "--by", "difficulty"],
    "by_chance": ["evaluate", "{gold}", "{mine}", "--test", "chance"],
    "drawn chance": ["evaluate", "{gold}", "{mine}", "--test", "chance", "--match", "iou", "--resamples", "9"],
    "labels": ["evaluate", "{gold}", "{mine}", "--by", "label"],
    "agree": ["agree", "{gold}", "{mine}"],
    "annotators": ["agree", "{gold}", "{mine}", "--by", "annotator"],
    "coefficients": ["coefficients", "{gold}", "{mine}", "--tokens"],
    "difficulty": ["difficulty", "{gold}"],
    "disagreements": ["disagreements", "{gold}", "{mine}", "--between", "gold.conll", "lexicon.conll"],
    "chance": ["chance", "--length", "20", "--segments", "1,3"],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_files(newsroom, tmp_path, capsys, command, kind):
    """Each command draws, beside its report, a picture that holds the signature; twice the same."""
    files = {"gold": str(newsroom / "gold.conll"), "mine": str(newsroom / "lexicon.conll")}
    line = [part.format(**files) for part in COMMANDS[command]]
    made = []
    for i in range(2):
        path = tmp_path / f"{i}.{kind}"
        assert main([*line, "--plot", str(path)]) == 0
        made.append(path.read_bytes())
    assert made[0] == made[1]
    *_, signature = re.findall(r"^signature: (.*)$", capsys.readouterr().out, re.M)
    if kind == "png":
        assert imread(tmp_path / "0.png").shape[1] > 500
        assert signature.encode() in made[0]
    elif kind == "svg":
        assert html.escape(signature).encode() in made[0]
    else:
        assert made[0].startswith(b"%PDF")
        assert b"/Subject" in made[0]


def test_signature_of_a_breakdown(newsroom, tmp_path, capsys):
    """A picture of labels holds the signature of their rows: some interval of a label is exact."""
    files = [str(newsroom / f"{name}.conll") for name in FILES]
    line = ["evaluate", *files, "--by", "label", "--ci", "--format", "csv"]
    assert main([*line, "--plot", str(tmp_path / "x.svg")]) == 0
    signature = capsys.readouterr().out.rstrip().rpartition(",")[2]
    assert "|ci:jackknife-t95+exact95|" in signature
    assert html.escape(signature) in (tmp_path / "x.svg").read_text("utf-8")


def test_refused(newsroom, tmp_path, capsys, monkeypatch):
    """Another extension, a folder that is not there, an input, the report's file, no matplotlib."""
    gold, mine = (str(newsroom / f"{n}.conll") for n in FILES[:2])
    monkeypatch.chdir(tmp_path)
    for path, more, message in (
        ("x.gif", [], "x.gif: pictures are .png, .svg, .pdf; .gif is none of them"),
        ("x", [], "x: pictures are .png, .svg, .pdf; no extension is none of them"),
        ("no/x.png", [], "no/x.png: cannot be written: there is no folder 'no'"),
        ("x.png", ["--by", "document"], "no plot shows this result by document; plots are drawn by label, or without a breakdown"),
    ):  # fmt: skip
        assert main(["evaluate", gold, mine, "--plot", path, *more]) == 1
        assert capsys.readouterr() == ("", f"spanagree: error: {message}\n")
    assert main(["evaluate", gold, mine, "--plot", "x.png", "-o", "x.png"]) == 2
    says(capsys.readouterr().err, "spanagree: error: -o x.png: .png …")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = "plotting needs matplotlib, which is not installed; the extra plot brings it; run in a clone of spanagree: pip install '.[plot]'"
    assert main(["evaluate", gold, mine, "--plot", "x.png"]) == 1
    assert capsys.readouterr() == ("", f"spanagree: error: {message}\n")


# --- notebooks ----------------------------------------------------------------------------------


def test_notebook(results):
    """Each result shows as a table with a header for each column, its figures and its signature."""
    for name, result in results.items():
        shown = result._repr_html_()
        assert html.escape(result.signature) in shown
        assert shown.count("<table>") == shown.count("</table>") == 1, name
    system = results["ranks"].systems["tagger"]
    assert f'<data value="{system.f1.corrected!r}">{system.f1.corrected:.3f}</data>' in results["ranks"]._repr_html_()  # fmt: skip
