"""The report on systems against many annotators: its figures are those of the result."""

from pathlib import Path

import numpy as np
import pytest

import spanagree as sa
from spanagree.cli.main import main
from tests.report.test_report_page import ODD, Page, numbers, page, said

ANSWERS = Path(__file__).parents[2] / "corpora/answers/answers.jsonl"
SYSTEMS = ["detector", "eager"]


@pytest.fixture(scope="module")
def answers():
    return sa.read(ANSWERS)


@pytest.mark.long
def test_figures(answers):
    """Every figure is one of evaluate_references, which other tests prove: the ceiling and shares."""
    result = sa.evaluate_references(answers, systems=SYSTEMS, match="token", ci=True)
    people = answers.select_annotators(list(result.people))
    pairs = [(a, b) for b in SYSTEMS for a in people.layers]
    counts = [sa.disagreements(answers, a, b, text=False).counts for a, b in pairs]
    hard = sa.difficulty(people, match="token")
    shown = Page(page(answers, systems=SYSTEMS, match="token"))
    known = numbers(
        [
            *(result.to_dict(by) for by in (None, "annotator", "label")),
            result.table().rows,
            counts,
            hard.to_dict(),
        ]
    )
    assert {value for _, value, _ in shown.figures} <= known
    table = [value for section, value, _ in shown.figures if section == "systems"]
    scores = [result["detector"], result["eager"], result.ceiling]
    scores += sorted(result.people.values(), key=lambda one: -one.f1.corrected)
    expected = []
    for one in scores:
        expected += [one.f1.corrected]
        expected += [one.share.corrected] if hasattr(one, "share") else []
        expected += [one.f1.observed, one.f1.expected, one.documents]
    # the ratios of raw F1 are in the columns that a reader opens
    assert table == [*expected, *(one.share.observed for one in scores if hasattr(one, "share"))]
    summary = [value for section, value, _ in shown.figures if section == "summary"]
    best = result["detector"]
    assert summary == [best.share.corrected]  # the verdict has the rest
    assert result.signature in "".join(shown.texts)
    low, high = best.share.interval.corrected
    assert f"{low:.3f}–{high:.3f}" in "".join(shown.texts)


@pytest.mark.long
def test_sides(answers):
    """References by name leave all others to be systems, and who is neither is not on the page."""
    people = [name for name in answers.layers if name not in SYSTEMS]
    assert page(answers, references=people) == page(answers, systems=SYSTEMS)
    shown = Page(page(answers, references=people[:3], systems=SYSTEMS[:1]))
    assert shown.data["annotators"] == [*people[:3], "detector"]
    assert "1 system against 3 references" in shown.texts


@pytest.mark.long
def test_labels():
    """A figure for each label and system and for the ceiling, corrected and as observed."""
    crowd = sa.read(ANSWERS.parents[1] / "crowd/crowd.jsonl")
    result = sa.evaluate_references(crowd, systems=["dia", "eli"], match="token")
    order = sorted(result.systems.values(), key=lambda one: -one.f1.corrected)
    expected = [
        figure
        for label, top in result.ceiling.labels.items()
        for f1 in (*(one.labels[label].f1 for one in order), top)
        for figure in (f1.corrected, f1.observed)
    ]
    shown = Page(page(crowd, systems=["dia", "eli"], match="token"))
    assert [value for section, value, _ in shown.figures if section == "labels"] == expected
    shown = Page(page(crowd, systems=["dia"], match="boundaries"))
    assert "no rows for labels: match boundaries disregards them" in "".join(shown.texts)


@pytest.mark.long
def test_forty_references(answers):
    """Of more than forty references the first ones are shown, and how many are not."""
    rng = np.random.default_rng(1)
    names = [f"annotator {k}" for k in range(45)]
    layers = {name: [[(int(rng.integers(3)), 5, "X")] for _ in range(9)] for name in names}
    corpus = sa.Corpus.from_segments([8] * 9, {**layers, "model": [[(0, 5, "X")]] * 9})
    shown = Page(page(corpus, systems=["model"]))
    assert "5 more references are left out here" in "".join(shown.texts)
    documents = [v for s, v, _ in shown.figures if s == "systems" and v == 9]
    assert len(documents) == 42  # a row for the system, for the ceiling, and for forty people


@pytest.mark.parametrize("name", ODD)
def test_odd_corpora(name):
    """There is a page with one reference too, which has no ceiling; nothing undefined is a number."""
    shown = Page(page(ODD[name], systems=["b"]))
    assert not any(np.isnan(value) for _, value, _ in shown.figures)
    text = said(ODD[name], systems=["b"])
    assert "ne reference alone gives no human agreement." in text
    assert "nan" not in "".join(shown.texts)


def test_half_seen():
    """A system that saw half is compared over that half, and with people on that half."""
    marked = [[(0, 2, "X")]] * 4
    layers = {"ann": marked, "bob": marked, "half": [*marked[:2], None, None]}
    corpus = sa.Corpus.from_segments([9] * 4, layers)
    text = said(corpus, systems=["half"])
    assert "half: F1 1.000; chance alone gives " in text
    assert "half has 1.000 times the corrected F1 of people on the same documents." in text


@pytest.mark.long
def test_command(answers, newsroom, tmp_path, capsys):
    """The command writes what Python writes; baselines are systems, of gold and of references."""
    out = tmp_path / "report.html"
    crowd = ["report", str(ANSWERS), "--match", "token", "-o", str(out)]
    assert main([*crowd, "--systems", "detector,eager"]) == 0
    assert out.read_text("utf-8") == page(answers, systems=SYSTEMS, match="token")
    people = [name for name in answers.layers if name not in SYSTEMS]
    both = sa.with_baselines(answers, ["everything", "majority"], references=people)
    more = ["--systems", "detector,eager", "--baseline", "everything,majority"]
    assert main([*crowd, *more]) == 0
    expected = page(both, systems=[*SYSTEMS, "everything", "majority"], match="token")
    assert out.read_text("utf-8") == expected
    files = [str(newsroom / f"{name}.conll") for name in ("gold", "tagger")]
    assert main(["report", *files, "--baseline", "nothing", "-o", str(out)]) == 0
    with_nothing = sa.with_baselines(sa.read_conll(files), ["nothing"], references=["gold.conll"])
    assert out.read_text("utf-8") == page(with_nothing)
    capsys.readouterr()
    assert main([*crowd, "--team", "--baseline", "nothing"]) != 0
    assert "--baseline does not go with --team" in capsys.readouterr().err


@pytest.mark.parametrize("width", [400, 1280])
def test_narrow(browser, tmp_path, answers, width):
    """The page itself does not scroll sideways, and the corrected F1 and its interval come first."""
    path = tmp_path / "report.html"
    sa.write_report(answers, path, systems=SYSTEMS, match="token")
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.get(path.as_uri())
        wide, room = browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        heads = browser.execute_script(
            """return [...document.querySelectorAll("#systems th")].slice(0, 5).map((x) => x.textContent)"""
        )
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert wide <= room
    assert heads == ["system", "corrected F1", "interval", "system/human corrected", "interval"]
