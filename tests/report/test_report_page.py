"""The report as a page: its figures, its safety, its size, and the page itself in a browser."""

from __future__ import annotations

import base64
import hashlib
import html
import itertools
import json
import re
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.comparisons.pairing import KINDS, OUTCOMES
from spanagree.report.page.matrices import show_levels
from spanagree.report.systems_overview import SystemsOverview, build_systems_overview
from spanagree.results.cells import format_figure, format_p
from spanagree.results.display import DisplayTable
from spanagree.results.html import build_element, escape_invisible
from spanagree.results.numbers import format_decimal
from spanagree.results.verdict import format_short

EVIL = '<script>window.pwned=1</script>"><img src=x onerror=window.pwned=1>'
CONTROLS = "\x00\x1b[31m\u202eevil\u2028\ud83d"


def page(corpus, **settings):
    """The text of a report."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        sa.write_report(corpus, path, **settings)
        return path.read_text("utf-8")


class Page(HTMLParser):
    """What a browser would find in the text: elements with attributes, and the figures."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.figures, self.texts, self.json = [], [], [], ""
        self.inside, self.section = None, None
        self.feed(text)
        self.data = json.loads(self.json)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if tag == "section":
            self.section = attributes["id"]
        if tag in ("data", "script", "style"):
            self.inside = tag, attributes

    def handle_endtag(self, tag):
        if self.inside and tag == self.inside[0]:
            self.inside = None

    def handle_data(self, text):
        tag, attributes = self.inside or ("", {})
        if tag == "data":
            self.figures.append((self.section, float(attributes["value"]), text))
        elif attributes.get("type") == "application/json":
            self.json += text
        elif tag not in ("script", "style"):
            self.texts.append(text)


def numbers(data):
    """All numbers of a result as plain data."""
    if isinstance(data, dict):
        return {x for value in data.values() for x in numbers(value)}
    if isinstance(data, (list, tuple)):
        return {x for value in data for x in numbers(value)}
    return {float(data)} if isinstance(data, (int, float)) else set()


@pytest.fixture(scope="module")
def systems():
    files = [f"corpora/newsroom/{n}.conll" for n in ("gold", "lexicon", "tagger", "chunker")]
    root = Path(__file__).parents[2]
    return sa.read_conll([root / file for file in files])


def hostile():
    """Two annotators with hostile texts, labels, names and ids."""
    texts = [f"{EVIL} and </script><!-- &amp;", f"controls {CONTROLS} end", "fine"]
    a = [[(0, 8, EVIL), (20, 31, "</script>")], [(9, 12, f"L{CONTROLS}")], []]
    b = [[(1, 8, EVIL)], [(9, 12, "X")], [(0, 4, "&lt;b&gt;")]]
    return sa.Corpus.from_segments(
        [len(text) for text in texts],
        {f"gold{EVIL}": a, f"bob{CONTROLS}": b},
        offsets="characters",
        texts=texts,
        ids=[EVIL, f"#doc=%41&a{CONTROLS}", "x" * 200],
    )


def many(documents, seed=0):
    """Gold and a system over so many sentences, two segments in each."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(8, 40, documents)
    words = ["harbour", "the", "of", "Ministry", "reached", "on", "Wexholt", "and", "a", "steps"]
    tokens = tuple(words[i] for i in rng.integers(0, len(words), int(lengths.sum())).tolist())
    document = np.repeat(np.arange(documents), 2)
    half = np.tile([0, 4], documents)
    start = half + rng.integers(0, 2, 2 * documents)
    end, label = start + rng.integers(1, 3, 2 * documents), rng.integers(0, 4, 2 * documents)
    seen = np.ones(documents, np.bool_)
    gold = sa.Layer(document, start, end, label, seen)
    moved = rng.random(2 * documents) < 0.3
    mine = sa.Layer(document, start, end + moved, label, seen)
    layers = {"gold": gold, "mine": mine}
    return sa.Corpus(lengths, layers, ("LOC", "MISC", "ORG", "PER"), tokens=tokens)


# --- figures ------------------------------------------------------------------------------------


@pytest.mark.long
def test_figures_of_systems(systems):
    """Every figure of the page is one of the results', shown to three digits."""
    result = sa.evaluate(systems, "gold.conll", p_values=True)
    hard = sa.difficulty(systems, "gold.conll")
    levels = sa.evaluate_levels(result, hard)
    counts = [sa.disagreements(systems, "gold.conll", name).counts for name in result.systems]
    tested = sa.compare_systems(levels.whole)
    known = numbers(
        [
            result.to_dict(),
            levels.table().rows,
            levels.to_dict(),
            hard.to_dict(),
            tested.to_dict(),
            counts,
        ]
    )
    known |= {-pair.corrected.value for pair in tested.pairs}  # the better system first
    shown = Page(page(systems, gold="gold.conll"))
    assert len(shown.figures) > 90
    for _, value, text in shown.figures:
        assert value in known
        whole = format_figure(int(value) if value == int(value) else value)
        printed = {whole, format_figure(value), format_p(value), format_decimal(value, 2)}
        assert text in printed | {format_short(value)}  # p and z, and figures of sentences
    in_table = [value for section, value, _ in shown.figures if section == "systems"]
    ranked = sorted(result.systems.values(), key=lambda s: -s.f1.corrected)
    by_chance = [result.by_chance[s.name].compute_for_all(s.tally)[:4] for s in ranked]
    expected = []
    for system, (_, _, _, p) in zip(ranked, by_chance, strict=True):
        expected += [system.f1[k] for k in (2, 0, 1)]  # corrected, observed, expected
        expected += [system.precision.observed, system.recall.observed, p]
    # standard deviation, 95 % point and z are in the columns that a reader opens
    assert in_table == [*expected, *(value for chance in by_chance for value in chance[:3])]
    for (a, b, packed), system in zip(shown.data["by_chance"], result.systems, strict=True):
        assert [systems.annotators[i] for i in (a, b)] == ["gold.conll", system]
        documents = np.cumsum(packed[::2]).tolist()
        of_documents = result.chance_by_document(system)
        assert documents == [d for d, each in of_documents.items() if each.z == each.z]
        assert packed[1::2] == [float(f"{of_documents[d].p:.3g}") for d in documents]
    (kinds,) = [[v for s, v, _ in shown.figures if s == "disagreements"]]
    assert kinds == [n for of in counts for n in of.values()]
    assert shown.data["difficulty"]["values"] == sorted(set(hard.values[hard.defined].tolist()))


@pytest.mark.long
def test_a_team_is_told_once(crowd):
    """No sentence stands twice (the heads of two tables of the same annotators may), and shares of
    kinds are folded, as the table would not fit a window of 1280 pixels with them.
    """
    text = page(crowd, team=True)
    sentences = [x.strip() for x in Page(text).texts if len(x.strip()) > 45]
    twice = {x for x in sentences if sentences.count(x) > 1}
    assert {x.split(",")[0] for x in twice} == {"5 annotators"}
    section = text[text.index('id="annotators"') : text.index('id="queue"')]
    table, _, fold = section.partition("<details")
    assert ("share of all" in table, "share of all" in fold) == (False, True)


@pytest.mark.long
def test_figures_of_a_team(crowd):
    """The same for annotators: the heat map is the matrix, a row for each in the table."""
    result, hard = sa.agree(crowd), sa.difficulty(crowd)
    of_tokens = sa.coefficients(sa.token_labels(crowd))
    counts = [sa.disagreements(crowd, a, b).counts for a, b in result.pairs]
    coverage = [[int(x.annotated.sum()), len(x)] for x in crowd.layers.values()]
    results = [
        result.to_dict("annotator"),
        result.to_dict("pair"),
        hard.to_dict(),
        of_tokens.to_dict(),
    ]
    known = numbers([*results, counts, coverage, sa.confusion(crowd).to_dict()])
    known |= {
        x["size_a"] + x["size_b"]
        for t in ("team", "labels")
        for x in results[0]["tables"][t]
        if x["size_a"] is not None
    }
    known |= numbers([sa.document_agreement(crowd).to_dict(), sa.disputes(crowd).to_dict()])
    voted = sa.make_gold(crowd, vote="tokens")
    known |= numbers([row for by in (None, "adjudicate") for row in voted.table(by).rows])
    known |= numbers([sa.plan_sample(crowd, 0.05).to_dict(), 0.05])
    shown = Page(page(crowd, team=True))
    for _, value, text in shown.figures:
        assert value in known
        shown_as = format_p if text.startswith("<") else format_figure
        shown_as = format_short if text[0] == "." else shown_as
        assert text == shown_as(int(value) if "." not in text else value)
    heat = [value for section, value, _ in shown.figures if section == "pairs"]
    matrix = result.matrix()
    mean = [result.mean.corrected, result.mean.sd.corrected]
    assert heat == mean + matrix[~np.isnan(matrix)].tolist()
    assert [v for s, v, _ in shown.figures if s == "coverage"] == [
        x for row in coverage for x in row
    ]


@pytest.mark.slow
def test_measures_of_a_team(crowd):
    """If asked for, α_U and γ stand beside F1, with a signature of their own; not of systems."""
    result = sa.compare_measures(crowd)
    shown = Page(page(crowd, team=True, measures=True))
    figures = [value for section, value, _ in shown.figures if section == "measures"]
    assert figures
    assert set(figures) <= numbers(result.to_dict())
    assert {x.value for x in result.measures.values()} <= set(figures)
    assert result.signature in "".join(shown.texts)
    assert "measures" not in {section for section, _, _ in Page(page(crowd, team=True)).figures}
    with pytest.raises(sa.SettingError, match="α_U and γ are for a team; pass team too"):
        page(crowd, measures=True)


def said(corpus, **settings):
    """The text of the summary, with the figures in it."""
    text = page(corpus, **settings)
    summary = re.search(r'<section id="summary".*?</section>', text, re.S)[0]
    return " ".join(html.unescape(re.sub("<[^>]*>", "", summary)).split())


def copies(systems, *names):
    """Gold, and systems of other names; good is gold itself."""
    layers = {"gold": systems.layers["gold.conll"]}
    own = {**systems.layers, "good.conll": systems.layers["gold.conll"]}
    return replace(
        systems, layers=layers | {name: own[f"{name.strip('+')}.conll"] for name in names}
    )


@pytest.mark.long
def test_summary(systems, crowd):
    """Two sentences lead: who is first, how certain that is, and whether chance changes it."""
    assert said(systems, gold="gold.conll").startswith(
        "Summary tagger.conll has the highest corrected F1 (.614), but cannot be told apart from"
        " lexicon.conll (difference .021, simultaneous 95 % jackknife CI −.124 to .165, 3 pairs). tagger.conll is better than chunker.conll, p .005;"
        " lexicon.conll is better than chunker.conll, p .003 (each p multiplied by 3 pairs). Chance changes the leader: by observed F1 it is lexicon with .649, of which chance alone"
        " would give .138; but neither lead is certain. names are shown without “.conll” at their end"
    )
    assert said(copies(systems, "good", "chunker")) == (
        "Summary good has the highest corrected F1 (1.000), and is told apart from all others; the closest is"
        " chunker (difference .577, 95 % jackknife CI .494 to .659). Chance does not change the leader."
        " good: none of 96 sentences holds any disagreement; on others the figures may differ a lot"
        "good: interval: exact, as 0 of 96 hold any error"
    )
    one = copies(systems, "tagger")
    assert said(one) == f"Summary {sa.evaluate(one, ci=True).verdict}"
    alike = copies(systems, "tagger", *(f"tagger{'+' * k}" for k in range(1, 6)))
    assert said(alike).startswith(
        "Summary tagger, tagger+, tagger++, tagger+++, tagger++++ and 1 other have the highest corrected F1 (.614)."
    )
    result = sa.agree(crowd)
    dia, cem = result["dia"].f1, result["cem"].f1
    assert said(crowd, team=True) == (
        f"Summary {result.verdict} dia ({format_short(dia.corrected)}),"
        f" cem ({format_short(cem.corrected)}) agree with the others significantly less than they agree among themselves on the same documents (corrected F1 against"
        " the rest; p below .05 after Holm’s correction for all annotators)."
    )
    assert "(0.623) agrees less" not in said(
        crowd.select_annotators(["ann", "bob", "eli"]), team=True
    )
    assert "No annotator agrees with the others significantly less" in said(
        crowd.select_annotators(["ann", "bob", "eli"]), team=True
    )


@pytest.mark.long
def test_quotes_not_in_the_text_are_no_kind_of_disagreement():
    """They count as wrong in the figures, and are left out of the kinds, which a note there says.

    Oracle: the spurious ones of error_types, which counts such quotes, less those that it has.
    """
    row = {"text": "Jo is", "gold": [{"text": "Jo", "label": "X"}]}
    quotes = [{"text": text, "label": "X"} for text in ("Jo", "is", "Al", "Bo")]
    note = "2 quotes not in the text left out: pairs of segments have no place for them"
    for unplaced, n_wrong in (("wrong", 2), ("ignore", 0)):
        corpus = sa.read([{**row, "mine": quotes}], unplaced=unplaced)
        errors = sa.systems.error_types(sa.evaluate(corpus)).errors("mine")
        figures, words = in_section(page(corpus), "disagreements")
        assert figures[OUTCOMES.index("spurious")] == errors["spurious"] - n_wrong == 1
        assert (note in words) == (n_wrong > 0)


def test_the_hard_half_has_no_test(systems):
    """The lead on the harder half was not tested, and the page says so."""
    section = re.search(r'<section id="difficulty".*?</section>', page(systems), re.S)[0]
    text = " ".join(html.unescape(re.sub("<[^>]*>", "", section)).split())
    assert re.search(
        r"On the harder half \(.*\), tagger leads \(corrected F1 \.\d{3}\)\. This lead was not tested\.",
        text,
    )


@pytest.mark.long
def test_more_than_twelve(systems):
    """More than twelve systems are tested too; of more than forty it is said that they are not, and
    nothing is said that only a test could."""
    names = [f"tagger{'+' * k}" for k in range(40)]
    thirteen = page(copies(systems, *names[:13]))
    assert thirteen.count('class="heat alike"') == 13 * 12 / 2
    many = said(copies(systems, *names, "lexicon"))
    assert "No test was made: add --test jackknife." in many
    assert "Chance changes the leader" in many
    assert "neither lead is certain" not in many


def test_wide_matrix_and_many_labels():
    """Names above more than eight columns are upright, and labels beyond a hundred are counted."""
    segments = [[(0, 1, f"L{k}")] for k in range(103)]
    names = ("gold", *(f"s{k}" for k in range(9)))
    text = page(sa.Corpus.from_segments([3] * 103, dict.fromkeys(names, segments)))
    assert 'class="heatmap many"' in text
    assert "and 3 more labels; evaluate --by label has all" in text


@pytest.mark.long
def test_queue_and_document_agreement(crowd):
    """The first forty documents of the queue, and α of documents, as Python gives them; a queue that
    is empty says so."""
    shown = Page(page(crowd, team=True))
    queue = sa.disputes(crowd).documents
    assert [value for section, value, _ in shown.figures if section == "queue"] == [
        x
        for each in queue[:40]
        for x in (*each[1:5], each.others, each.disagreement_expected)
        if x == x  # undefined ones are no numbers
    ]
    documents = sa.document_agreement(crowd)
    assert [value for section, value, _ in shown.figures if section == "document_agreement"] == [
        x
        for name, part in documents.all
        for x in (documents.shares[name], part.observed, part.expected, part.value)
    ]
    text = page(crowd, team=True)
    assert f"{len(queue) - 40} more are left out here" in text
    assert "disagreement: 1 − F1 over all pairs of those who saw the document" in text
    agreed = sa.Corpus.from_segments([3], {"a": [[(0, 1, "X")]], "b": [[(0, 1, "X")]]})
    assert "0 segments in dispute, in 0 of 1 document" in page(agreed, team=True)
    apart = sa.Corpus.from_segments([4, 4], {"a": [[], None], "b": [None, []]})
    assert "no document was seen by two annotators" in page(apart, team=True)


@pytest.mark.long
def test_labels_before_the_queue(crowd):
    """Labels come before the list of documents, of which all but ten are folded."""
    text = page(crowd, team=True)
    ids = re.findall(r'<section id="(\w+)"', text)
    assert ids.index("labels") < ids.index("queue") < ids.index("documents")
    queue = text.split('id="queue"')[1].split("</section>")[0]
    first, folded = queue.split('<details class="fold">')
    assert (first.count("href="), folded.count("href=")) == (10, 30)
    assert "the next 30 documents" in folded


@pytest.mark.long
def test_signatures_stand_in_the_footer(systems, crowd):
    """No table repeats the settings; each part with its own ones is named once, at the end."""
    body, footer = page(crowd, team=True, measures=True).split("<footer>")
    assert "signature" not in body.split("</style>")[1]
    assert re.findall(r">signature(.*?): ", footer.split("</footer>")[0]) == [
        "", " of measures", " of gold", " of plan"
    ]  # fmt: skip
    body, footer = page(systems, gold="gold.conll").split("<footer>")
    assert "signature" not in body.split("</style>")[1]
    tested = sa.compare_systems(sa.evaluate(systems, "gold.conll", ci=True))
    assert f"signature of tests: {tested.signature}" in html.unescape(footer)


@pytest.mark.long
def test_at_most_eight_columns(systems, crowd):
    """Tables that are not folded have at most eight columns."""
    pages = [
        page(crowd, team=True, measures=True),
        page(crowd, systems=["dia", "eli"]),
        page(systems, gold="gold.conll"),
    ]
    for text in pages:
        shown = re.sub(r"<details.*?</details>", "", text, flags=re.S)
        heads = re.findall(r"<thead>(.*?)</thead>", shown, re.S)
        assert heads
        assert all(head.count("<th") <= 8 for head in heads)


def figures_in(shown, *sections):
    """The figures of some sections of a page."""
    return [value for section, value, _ in shown.figures if section in sections]


@pytest.mark.long
def test_gold_by_votes(crowd):
    """What the majority has of each label, and the first forty to be adjudicated, as sa.gold gives
    them; no section where nobody shares a document, or a majority is there already."""
    made, shown = sa.make_gold(crowd, vote="tokens"), Page(page(crowd, team=True))
    queue = DisplayTable.from_frame(made.table("adjudicate"))
    support = queue.header.index("support")  # "who" names the supporters
    rows = [
        *DisplayTable.from_frame(made.table()).rows,
        *(r[:support] + r[support + 1 :] for r in queue.rows),
    ]
    known = [x for row in rows for x in row if isinstance(x, (int, float)) and x == x]
    assert figures_in(shown, "gold") == known
    text = " ".join("".join(shown.texts).split())
    assert "majority: 132 segments in 62 of 63 documents, by the votes of 5 annotators" in text
    command = "spanagree gold FILE --vote tokens"
    assert (
        "to adjudicate: 5 ties, 1 document with too few annotators;"
        f" {command} --by adjudicate lists them" in text
    )
    assert (
        f"{command} -o gold.jsonl writes majority; with --keep-annotators it writes the annotators"
        in text
    )
    layers = {
        name: [[(d % 3, d % 3 + k, "X")] for d in range(50)] for k, name in enumerate("ab", 1)
    }
    tied = sa.Corpus.from_segments([9] * 50, layers)
    text = page(tied, team=True)
    assert "10 more are left out here" in text.split('id="gold"')[1].split("</section>")[0]
    apart = sa.Corpus.from_segments([4, 4], {"a": [[], None], "b": [None, []]})
    for corpus in (apart, made.corpus):
        assert 'id="gold"' not in page(corpus, team=True)


def test_commands_of_the_gold_give_its_figures(newsroom, tmp_path, monkeypatch, capsys):
    """Each command that the section names gives what the section says of it.

    Oracle: the numbers of segments and of cases of the section, and the layers of the file.
    """
    path = newsroom.parent / "crowd" / "crowd.jsonl"
    crowd = sa.read(path)
    text = html.unescape(page(crowd, team=True).split('id="gold"')[1].split("</section>")[0])
    list_cases, write_gold = re.findall(r"spanagree (gold FILE .*?) (?:lists|writes)", text)
    n_segments, n_ties, n_few = map(
        int,
        re.search(
            r"majority: ([0-9]+) segments.*?([0-9]+) ties, ([0-9]+) document", text, re.S
        ).groups(),
    )
    monkeypatch.chdir(tmp_path)

    def run(line):
        assert main([str(path) if word == "FILE" else word for word in line.split()]) == 0
        return capsys.readouterr().out

    rows = run(f"{list_cases} --format csv").splitlines()[1:]
    assert Counter(row.split(",")[1] for row in rows) == {"tie": n_ties, "few": n_few}
    for more, annotators in (("", ()), (" --keep-annotators", crowd.annotators)):
        run(f"{write_gold}{more}")
        written = sa.read("gold.jsonl")
        assert set(written.annotators) == {"majority", *annotators}
        assert len(written.layers["majority"]) == n_segments
        Path("gold.jsonl").unlink()


@pytest.mark.long
def test_plan(crowd):
    """How many documents are needed for the widest of 0.2, 0.1, 0.05, 0.02 and 0.01 that is at most
    two thirds of what is there, as sa.plan says, also where nothing varies; no
    section where the interval is narrow already, or the figure is undefined."""
    made, text = sa.plan_sample(crowd, 0.05), page(crowd, team=True)
    assert 0.05 <= made.width * 2 / 3 < 0.1
    rows = [
        x
        for row in DisplayTable.from_frame(made.table()).rows
        for x in row
        if isinstance(x, (int, float))
    ]
    assert figures_in(Page(text), "plan") == rows
    assert f"signature of plan: {made.signature}" in text
    assert "spanagree plan FILE --width 0.05 computes this plan" in text
    few, many = (
        sa.Corpus.from_segments([5] * n, {name: [[(0, 1, "X")]] * n for name in "ab"})
        for n in (9, 400)
    )
    made = sa.plan_sample(few, 0.2)
    rows = [
        x
        for row in DisplayTable.from_frame(made.table()).rows
        for x in row
        if isinstance(x, (int, float))
    ]
    assert made.width * 2 / 3 >= 0.2
    assert figures_in(Page(page(few, team=True)), "plan") == rows
    assert sa.plan_sample(many, 0.01).width * 2 / 3 < 0.01
    for corpus in (many, ODD["nothing shared"]):
        assert 'id="plan"' not in page(corpus, team=True)


@pytest.mark.long
def test_slices(crowd):
    """The slices of a report are those of score_slices with intervals, with a picture: a dot for
    each F1, at its place, on a line from end to end of its interval."""
    names = ["late" if d % 3 else "early" for d in range(len(crowd))]
    made = sa.slices.score_slices(sa.agree(crowd), names, ci=True)
    whole = page(crowd, team=True, group_by=names)
    assert f"signature of slices: {made.signature}" in whole.split("<footer>")[1]
    text = whole.split('id="slices"')[1].split("</section>")[0]
    assert "The largest difference" in text or "No two slices can be told apart" in text
    circles = [float(x) for x in re.findall(r'<circle cx="([0-9.]+)"', text)]
    ends = re.findall(r'<line x1="([0-9.]+)" y1="[0-9.]+" x2="([0-9.]+)"', text)  # not the axis
    scores = [part.scores["team"].f1 for part in made.slices]
    f1 = [getattr(score, kind) for score in scores for kind in ("observed", "corrected")]
    intervals = [getattr(x.interval, kind) for x in scores for kind in ("observed", "corrected")]
    marks = [float(x) for x in re.findall(r'<text [^>]*class="axis">([-0-9.]+)<', text)]
    values = np.array([*f1, *(end for pair in intervals for end in pair)])
    assert marks[0] <= values.min() < marks[1]
    assert marks[-2] < values.max() <= marks[-1]
    drawn = [*circles[2:], *(float(x) for pair in ends for x in pair)]  # after the legend
    places = 180 + 320 * (values - marks[0]) / (marks[-1] - marks[0])
    assert drawn == pytest.approx(places, abs=0.051)
    many = [f"week {d}" for d in range(len(crowd))]
    text = page(crowd, team=True, group_by=many)
    assert "the chart has the first 40 of them, without 23 more" in text
    assert 'id="slices"' not in page(crowd, team=True)


@pytest.mark.long
def test_matrices(systems):
    """Labels × systems, levels × systems and systems × systems: corrected F1 with F1 below it."""
    shown = Page(page(systems, gold="gold.conll"))
    result = sa.evaluate(systems, "gold.conll")
    placed = sorted(result.systems.values(), key=lambda s: -s.f1.corrected)
    labels = [s.labels[label].f1 for label in placed[0].labels for s in placed]
    by_label = [value for section, value, _ in shown.figures if section == "labels"]
    assert by_label == [x for f1 in labels for x in (f1.corrected, f1.observed)]
    for tally in placed[0].labels.values():
        assert f"{tally.size_a} in gold" in shown.texts
    hard = sa.difficulty(systems, "gold.conll")
    levels = sa.evaluate_levels(result, hard, levels=2).defined
    parts = [*(part for _, part in levels), result]
    by_level = [value for section, value, _ in shown.figures if section == "difficulty"][2:]
    f1s = [part.systems[s.name].f1 for part in parts for s in placed]
    assert by_level == [x for f1 in f1s for x in (f1.corrected, f1.observed)]
    tested = sa.compare_systems(result)
    names = [s.name for s in placed]
    pairs = [tested[a, b].corrected for a, b in itertools.combinations(names, 2)]
    shown = [value for section, value, _ in shown.figures if section == "certainty"]
    assert shown == [x for pair in pairs for x in (pair.value, pair.p_adjusted)]


def test_systems_of_other_documents(systems, crowd):
    """Below the matrix stands that differences are on what both saw, where that is not all."""
    said = "each difference is on the documents that both saw"
    assert said in page(crowd, gold="ann")
    assert said.replace("documents", "sentences") not in page(systems, gold="gold.conll")


def test_bias_that_is_not_defined():
    """A label that is called as tokens outside of segments are: the page says why there is none."""
    layers = {"a": [[(0, 3, "X"), (1, 2, "O")]], "b": [[(0, 3, "X")]]}
    text = page(sa.Corpus.from_segments([5], layers), team=True, chance="overlapping")
    assert (
        "a label of the corpus is called &#x27;O&#x27;, as tokens outside of segments are" in text
    )


# --- odd corpora --------------------------------------------------------------------------------

ODD = {
    "no documents": sa.Corpus.from_segments([], {"a": [], "b": []}),
    "nothing marked": sa.Corpus.from_segments([3, 0], {"a": [[], []], "b": [[], []]}),
    "nothing shared": sa.Corpus.from_segments(
        [3, 3], {"a": [[(0, 1, "X")], None], "b": [None, []]}
    ),
    "never seen": sa.Corpus.from_segments([3], {"a": [None], "b": [None]}),
    "one document": sa.Corpus.from_segments([3], {"a": [[(0, 1, "X")]], "b": [[(0, 1, "X")]]}),
    "only chance": sa.Corpus.from_segments([1], {"a": [[(0, 1, "X")]], "b": [[(0, 1, "X")]]}),
    "a label O": sa.Corpus.from_segments([3], {"a": [[(0, 1, "O")]], "b": [[(0, 1, "X")]]}),
}


@pytest.mark.long
@pytest.mark.parametrize("match", ["exact", "boundaries"])
@pytest.mark.parametrize("team", [False, True], ids=["systems", "team"])
@pytest.mark.parametrize("name", ODD)
def test_odd_corpora(name, team, match):
    """There is a page of every corpus, and nothing undefined is shown as a number."""
    shown = Page(page(ODD[name], team=team, match=match, measures=team))
    assert not any(np.isnan(value) for _, value, _ in shown.figures)
    assert "nan" not in "".join(shown.texts)


@pytest.mark.long
def test_forty_annotators():
    """The heat map has them all; of more, those who saw most, and the page says so."""
    rng = np.random.default_rng(1)
    layers = {
        f"annotator {k}": [[(int(rng.integers(3)), 5, "X")] if rng.random() < 0.8 else None for _ in range(30)]
        for k in range(45)
    }  # fmt: skip
    corpus = sa.Corpus.from_segments([8] * 30, layers)
    forty = corpus.select_annotators(list(layers)[:40])
    for of, left in ((forty, ""), (corpus, "the 40 who saw most; 5 more are left out here")):
        text = page(of, team=True)
        assert text.count('class="heat ') == 1600
        assert left in text


# --- size ---------------------------------------------------------------------------------------


def bare_size(corpus):
    """Bytes of the tokens with a space each, and of the segments as "start end label" lines."""
    text = sum(len(token.encode()) + 1 for token in corpus.tokens or ())
    columns = ([layer.start, layer.end, layer.label] for layer in corpus.layers.values())
    spans = (f"{s} {e} {corpus.labels[c]}\n" for of in columns for s, e, c in zip(*(x.tolist() for x in of), strict=True))  # fmt: skip
    return text + sum(map(len, spans))


@pytest.mark.long
@pytest.mark.parametrize("documents", [1, 5000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_size(documents):
    """At most three times the size of texts and segments, and a megabyte."""
    corpus = many(documents)
    assert len(page(corpus).encode()) <= 3 * bare_size(corpus) + 2**20


@pytest.mark.slow
def test_size_of_a_crowd(crowd):
    """So with gaps, and with many labels and annotators, and without texts."""
    assert len(page(crowd, team=True).encode()) <= 3 * bare_size(crowd) + 2**20
    rng = np.random.default_rng(2)
    labels = [f"label {i}" for i in range(300)]
    layers = {
        f"annotator {k}": [[(2, 5, labels[int(rng.integers(300))])] if rng.random() < 0.5 else None for _ in range(400)]
        for k in range(60)
    }  # fmt: skip
    corpus = sa.Corpus.from_segments([8] * 400, layers)
    assert len(page(corpus, team=True).encode()) <= 3 * bare_size(corpus) + 2**20


# --- safety -------------------------------------------------------------------------------------


@pytest.mark.parametrize("team", [False, True], ids=["systems", "team"])
def test_hostile_text_stays_text(team):
    """No element, no attribute and no data come from a user's text but as text."""
    corpus = hostile()
    text = page(corpus, team=team, chance="overlapping")
    shown = Page(text)
    tags = [tag for tag, _ in shown.elements]
    assert tags.count("script") == 2
    assert not {"img", "iframe", "link", "object", "b", "base", "form"} & set(tags)
    handlers = [k for _, attributes in shown.elements for k in attributes if k.startswith("on")]
    assert handlers == []
    assert not any("style" in attributes for _, attributes in shown.elements)
    kept = [part.replace("\ud83d", "\ufffd") for part in (*corpus.texts, *corpus.labels)]
    assert [*shown.data["texts"], *shown.data["labels"]] == kept
    outside = text.replace(shown.json, "")
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", outside)
    raw = re.search('<script type="application/json"[^>]*>(.*?)</script>', text, re.S)[1]
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", raw)
    assert json.loads(raw) == shown.data


def test_policy():
    """Nothing may be loaded or run but what is in the file, as its hashes say."""
    text = page(ODD["one document"])
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    style = re.search("<style>(.*?)</style>", text, re.S)[1]
    script = re.search("<script>(.*?)</script>", text, re.S)[1]
    digests = [
        base64.b64encode(hashlib.sha256(x.encode()).digest()).decode() for x in (script, style)
    ]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digests[0]}'; style-src 'sha256-{digests[1]}';"
        " base-uri 'none'; form-action 'none'"
    )
    assert not re.search(r"@import|url\(", style)
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    # nothing makes elements of a text, or a program
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(|fetch|XMLHttp|import\(", script
    )  # fmt: skip
    links = [a["href"] for tag, a in Page(text).elements if tag == "a"]
    assert all(link.startswith("#") for link in links)


def test_visible():
    """What hides, or turns the text around, is shown; joiners of emoji and scripts stay."""
    assert (
        escape_invisible("a\tb\x7f\x85\u200f\ufeff\ud800") == "a␉b␡[U+0085][U+200F][U+FEFF][U+D800]"
    )
    assert escape_invisible("👩\u200d👧 می\u200cخواهم 北京") == "👩\u200d👧 می\u200cخواهم 北京"


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_any_text(text):
    """What is written into an element or an attribute is read as the same text, made visible."""
    read = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: read.append((tag, attrs))
    parser.handle_data = read.append
    parser.feed(build_element("p", text, title=text))
    parser.close()
    tag, *message = read
    assert tag == ("p", [("title", escape_invisible(text))])
    assert "".join(message) == escape_invisible(text)


# --- what is refused ----------------------------------------------------------------------------


def test_refused_before_the_work(tmp_path, monkeypatch):
    """A path that cannot be written is refused first; nothing is half written."""
    work = "spanagree.report.page.build_systems_overview"
    monkeypatch.setattr(work, lambda *_, **__: pytest.fail("worked before it looked"))
    with pytest.raises(sa.InputError, match="is a folder; a file is needed"):
        sa.write_report(ODD["one document"], tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"team": True, "gold": "a"}, "gold and team … systems … team"),
        ({"gold": "eve"}, "unknown gold 'eve'; allowed: a, b"),
        ({"match": "exakt"}, "unknown match 'exakt'; allowed: exact, …"),
        ({"team": True, "systems": ["b"]}, "team and references or systems … leave one of them out"),
        ({"gold": "a", "references": ["a"]}, "gold and references or systems … leave one of them out"),
        ({"measures": True, "systems": ["b"]}, "measures: α_U and γ … pass team"),
        ({"systems": ["eve"]}, "unknown annotator 'eve'; allowed: a, b"),
    ],
)  # fmt: skip
def test_refused(settings, message, tmp_path):
    """Choices that do not go together or do not exist; nothing is written."""
    with refuses(sa.SettingError, message):
        sa.write_report(ODD["one document"], tmp_path / "x.html", **settings)
    assert list(tmp_path.iterdir()) == []


def test_one_annotator(tmp_path):
    """A team of one, and systems without one."""
    corpus = ODD["one document"].select_annotators(["a"])
    with pytest.raises(sa.SettingError, match="1 annotator; a report on a team needs two"):
        sa.write_report(corpus, tmp_path / "x.html", team=True)
    with pytest.raises(sa.SettingError, match="gold and at least one system are needed"):
        sa.write_report(corpus, tmp_path / "x.html")


@pytest.mark.long
def test_command(newsroom, tmp_path, capsys):
    """The command writes what Python writes, and needs a file to write to."""
    files = [str(newsroom / f"{name}.conll") for name in ("gold", "tagger")]
    out = tmp_path / "report.html"
    assert main(["report", *files, "--gold", files[0], "-o", str(out)]) == 0
    assert out.read_text("utf-8") == page(sa.read_conll(files), gold="gold.conll")
    assert main(["report", *files, "--team", "--match", "token", "-o", str(out)]) == 0
    assert out.read_text("utf-8") == page(sa.read_conll(files), team=True, match="token")
    assert capsys.readouterr().out == ""
    for arguments, message in (
        (files, "Missing option '-o'"),
        ([*files, "-o", "-"], "-o: report writes a file, and - is not one"),
        ([*files, "--team", "--gold", "gold.conll", "-o", str(out)], "--gold does not go with --team: a report shows"),
        ([*files, "-o", str(tmp_path / "no" / "x.html")], "there is no folder"),
        ([*files, "-o", str(tmp_path / "x.conll")], "-o: a report is HTML; .conll is not its extension"),
    ):  # fmt: skip
        assert main(["report", *arguments]) != 0
        assert message in capsys.readouterr().err


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture
def visit(browser, tmp_path):
    """Opens the report of a corpus from disk; nothing was loaded and nothing complained."""

    def visit(corpus, link="", **settings):
        path = tmp_path / "report.html"
        sa.write_report(corpus, path, **settings)
        browser.get("about:blank")
        for log in ("browser", "performance"):
            browser.get_log(log)
        browser.get(f"{path.as_uri()}{link}")
        assert browser.get_log("browser") == []
        sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
        asked = [
            m["params"]["request"]["url"]
            for m in sent
            if m["method"] == "Network.requestWillBeSent"
        ]
        assert [url for url in asked if not url.startswith("file://")] == []
        return browser

    return visit


def choose(browser, **chosen):
    """Sets controls of the browser of documents by their place, as a user would."""
    browser.execute_script(
        """
        const names = ["a", "b", "kind", "label", "low", "high", "text", "order"];
        const controls = document.querySelectorAll(".controls select, .controls input");
        for (const [name, value] of Object.entries(arguments[0])) {
          const control = controls[names.indexOf(name)];
          control.value = value;
          control.dispatchEvent(new Event("input"));
        }""",
        chosen,
    )
    time.sleep(0.25 if {"low", "high", "text"} & set(chosen) else 0.02)  # typing is waited for


def status(browser):
    return browser.execute_script("return document.querySelector('[role=status]').textContent")


def documents(browser):
    """Name and kinds of each document shown."""
    return browser.execute_script(
        """return [...document.querySelectorAll(".doc")].map((doc) =>
             [doc.querySelector("h3 bdi").textContent, doc.querySelector(".kinds")?.textContent ?? ""])"""
    )


def by_document(corpus, a, b):
    """What the browser says of each document, from Python's disagreements."""
    counts = {corpus.id_of(d): Counter() for d in range(len(corpus))}
    rows = sa.disagreements(corpus, a, b, text=False)
    for row in rows:
        counts[row.document][row.kind] += 1
    saw = corpus.layers[a].annotated & corpus.layers[b].annotated
    for d in np.flatnonzero(saw).tolist():
        of = counts[corpus.id_of(d)]
        of["match"] = int((corpus.layers[a].document == d).sum()) - sum(
            n for k, n in of.items() if k != "spurious"
        )
    return {
        corpus.id_of(d): ", ".join(
            f"{counts[corpus.id_of(d)][kind]} {'the same' if kind == 'match' else kind}"
            for kind in OUTCOMES if counts[corpus.id_of(d)][kind]
        ) or "nothing marked"
        for d in np.flatnonzero(saw).tolist()
    }  # fmt: skip


@pytest.mark.slow
def test_opens_quickly(visit):
    """Only sentences that are looked at are drawn: ten times as many do not take thirty times as long."""
    took = []
    for size in (5000, 50_000):
        browser = visit(many(size))
        took.append(
            browser.execute_script(
                "return performance.getEntriesByType('navigation')[0].loadEventEnd"
            )
        )
        assert len(documents(browser)) == 50
        assert status(browser).endswith(f" of {size:,} documents")
    assert took[1] < 30 * took[0]


def test_kinds_are_those_of_python(visit, crowd):
    """Of every pair of the crowd, and of nested segments at random, by document."""
    rng = np.random.default_rng(3)

    def layer():
        spans = lambda: {(s := int(rng.integers(0, 14)), s + int(rng.integers(1, 7)), "XYZ"[rng.integers(3)]) for _ in range(rng.integers(0, 9))}  # noqa: E731 — one line of two  # fmt: skip
        return [sorted(spans()) if rng.random() < 0.9 else None for _ in range(48)]

    nested = sa.Corpus.from_segments([20] * 48, {name: layer() for name in ("a", "b", "c")})
    few = crowd.subset(range(45))
    for corpus, settings in ((few, {}), (nested, {"chance": "overlapping"})):
        browser = visit(corpus, team=True, **settings)
        names = corpus.annotators
        for i, a in enumerate(names):
            for j, b in enumerate(names):
                if i == j:
                    continue
                choose(browser, a=str(i), b=str(j), kind="all")
                shown = {name: kinds for name, kinds in documents(browser) if kinds}
                assert shown == by_document(corpus, a, b)


def test_filters(visit, systems):
    """Each filter leaves the documents that Python would; the number is said."""
    browser = visit(systems, gold="gold.conll")
    a, b = "gold.conll", "tagger.conll"
    number = systems.annotators.index(b)
    choose(browser, b=str(number))
    rows = list(sa.disagreements(systems, a, b))
    for kind in KINDS:
        choose(browser, kind=kind)
        assert (
            status(browser)
            == f"{len({r.document for r in rows if r.kind == kind})} of 103 sentences"
        )
    choose(browser, kind="missed", label=str(systems.labels.index("ORG")))
    wanted = {r.document for r in rows if r.kind == "missed" and r.a.label == "ORG"}
    assert [name for name, _ in documents(browser)] == sorted(wanted, key=int)
    hard = sa.difficulty(systems, a).values
    choose(browser, kind="all", label="", low="0.9", high="0.95")
    assert status(browser) == f"{int(((hard >= 0.9) & (hard <= 0.95)).sum())} of 103 sentences"
    choose(browser, low="", high="", text="MINISTRY of")
    texts = [" ".join(document.tokens).lower() for document in systems]
    assert status(browser) == f"{sum('ministry of' in text for text in texts)} of 103 sentences"
    choose(browser, text="no such text")
    assert documents(browser) == []
    assert "remove some conditions" in browser.execute_script(
        "return document.querySelector('.empty').textContent"
    )
    choose(browser, text="", kind="unseen")
    assert status(browser) == "0 of 103 sentences"


def test_order_by_p(visit, systems):
    """Documents are sorted by p of chance, the rest behind; between systems, which have none, they are not."""
    browser = visit(systems, gold="gold.conll")
    a, b = "gold.conll", "tagger.conll"
    choose(browser, b=str(systems.annotators.index(b)), kind="all")
    by_chance = sa.evaluate(systems, a, p_values=True).chance_by_document(b)
    p = {d: float(f"{each.p:.3g}") for d, each in by_chance.items() if each.z == each.z}
    rest = [d for d in range(len(systems)) if d not in p]
    for order, sign in (("unlikely", 1), ("likely", -1)):
        choose(browser, order=order)
        expected = [*sorted(p, key=lambda d: (sign * p[d], d)), *rest]
        assert [name for name, _ in documents(browser)] == [str(d + 1) for d in expected[:50]]
    value = "return Number(document.querySelector('.doc header span:nth-of-type(2) data').value)"
    assert browser.execute_script(value) == max(p.values())
    choose(browser, a=str(systems.annotators.index("lexicon.conll")))
    assert [name for name, _ in documents(browser)][:3] == ["1", "2", "3"]
    disabled = "return document.querySelectorAll('.controls select')[4].disabled"
    assert browser.execute_script(disabled)


def test_links(visit, systems, crowd):
    """A link opens its document with the two it was made for, also one that a filter would hide."""
    browser = visit(systems, "#doc=99&a=tagger.conll&b=gold.conll", gold="gold.conll")
    focused = "return document.activeElement.querySelector?.('h3')?.textContent ?? ''"
    assert browser.execute_script(focused) == "sentence 99"
    chosen = "return [...document.querySelectorAll('.controls select')].slice(0, 2).map((x) => Number(x.value))"
    names = systems.annotators
    assert browser.execute_script(chosen) == [
        names.index("tagger.conll"),
        names.index("gold.conll"),
    ]
    choose(browser, kind="all")
    browser.execute_script("document.querySelector('.doc h3 a').click()")
    time.sleep(0.1)
    assert browser.execute_script(focused) == "sentence 1"
    assert "#doc=1&a=tagger.conll" in browser.current_url
    browser = visit(crowd, "#doc=nothing%20like%20this", team=True)
    assert status(browser) == "There is no document nothing like this."


def test_keyboard(visit, systems):
    """j and k go from document to document and over the ends of a page; typing is left alone."""
    from selenium.webdriver.common.action_chains import ActionChains

    at = "return Number(document.activeElement.dataset.doc ?? -1) + 1"
    browser = visit(systems, gold="gold.conll")
    choose(browser, kind="all")
    assert browser.execute_script("return document.activeElement === document.body")
    ActionChains(browser).send_keys("jj").perform()  # nothing was clicked
    assert browser.execute_script(at) == 2
    browser = visit(systems, "#doc=50", gold="gold.conll")
    choose(browser, kind="all")
    browser.execute_script(
        "[...document.querySelectorAll('button')].find((b) => b.textContent === 'Next sentence').click()"
    )
    assert browser.execute_script(at) == 1
    ActionChains(browser).send_keys("jjk").perform()
    assert browser.execute_script(at) == 2
    ActionChains(browser).send_keys("k" * 5).perform()
    assert browser.execute_script(at) == 1
    ActionChains(browser).send_keys("j" * 50).perform()
    assert browser.execute_script(at) == 51
    ActionChains(browser).send_keys("k").perform()
    assert browser.execute_script(at) == 50
    browser.execute_script("document.querySelector('input[type=search]').focus()")
    ActionChains(browser).send_keys("jk").perform()
    assert browser.execute_script("return document.activeElement.value") == "jk"


@pytest.mark.parametrize("team", [False, True], ids=["systems", "team"])
def test_hostile_text_in_the_browser(visit, team):
    """Nothing of it runs, nothing becomes an element, all of it can be read."""
    browser = visit(hostile(), team=team, chance="overlapping")
    choose(browser, kind="all")
    assert browser.execute_script("return window.pwned === undefined")
    assert (
        browser.execute_script(
            "return document.querySelectorAll('img, iframe, main script').length"
        )
        == 0
    )
    text = browser.execute_script(
        "return [...document.querySelectorAll('.text')].map((x) => x.textContent).join()"
    )
    assert 'window.pwned=1</script>"><img src=x onerror=window.pwned=1>' in text
    assert "␀␛[31m[U+202E]evil[U+2028]\ufffd end" in text
    assert not re.search(
        "[\x00\x1b\u202e\u2028]",
        browser.execute_script(
            "return document.body.textContent.replace(document.getElementById('data').textContent, '')"
        ),
    )
    # a link to a hostile id leads to it
    browser.execute_script("document.querySelectorAll('.doc h3 a')[1].click()")
    time.sleep(0.1)
    assert browser.execute_script("return document.activeElement.dataset.doc") == "1"


def test_offsets_in_the_browser(visit):
    """Offsets are code points: emoji, letters beyond the basic plane, right-to-left, Chinese."""
    texts = ["😀😀 𝔘𝔫𝔦 x 👩\u200d👧 end", "שלום עולם זה", "我爱北京天安门", "no\nbreak\there"]
    spans = [[(3, 6), (9, 12)], [(5, 9)], [(2, 4), (4, 7)], [(3, 8)]]
    a = [[(s, e, "X") for s, e in of] for of in spans]
    corpus = sa.Corpus.from_segments(
        [len(t) for t in texts], {"a": a, "b": [[]] * 4}, offsets="characters", texts=texts
    )
    browser = visit(corpus)
    runs = browser.execute_script(
        """return [...document.querySelectorAll(".doc")].map((doc) => [...doc.querySelectorAll(".run")].map((run) => {
             const copy = run.cloneNode(true);
             for (const tag of copy.querySelectorAll(".tag")) tag.remove();
             return copy.textContent; }))"""
    )
    assert runs == [[text[s:e] for s, e in of] for text, of in zip(texts, spans, strict=True)]
    turned = (
        "return [...document.querySelectorAll('.text')].map((x) => getComputedStyle(x).direction)"
    )
    assert browser.execute_script(turned) == ["ltr", "rtl", "ltr", "ltr"]


def test_tokens_in_the_browser(visit):
    """Tokens stay what they are: with spaces within, empty ones, of nobody's language."""
    tokens = ("a b", "", "c", "<d>", "\n", "e")
    corpus = sa.Corpus.from_segments([6], {"a": [[(0, 1, "X"), (3, 6, "Y")]], "b": [[]]})
    browser = visit(replace(corpus, tokens=tokens))
    text = browser.execute_script("return document.querySelector('.text').textContent")
    assert re.sub(r"\(.*?\) [XY] −", "", text) == "a b  c <d> ␊ e"


def test_without_texts(visit):
    """Segments on a ruler, and in words."""
    corpus = sa.Corpus.from_segments(
        [50], {"a": [[(0, 5, "X"), (9, 11, "Y")]], "b": [[(0, 6, "X")]]}
    )
    browser = visit(corpus)
    listed = browser.execute_script(
        "return [...document.querySelectorAll('.listed')].map((x) => x.textContent)"
    )
    assert listed == ["a: 0–5 X (boundary), 9–11 Y (missed)", "b: 0–6 X (boundary)"]
    assert len(browser.find_elements("css selector", ".ruler rect")) == 3


def test_a_recording_is_bars_on_an_axis_of_seconds(visit):
    """Bars to scale, round times below them, and rows in seconds."""
    a, b = [(0, 30, "X"), (90, 123, "Y")], [(0, 30, "X")]
    corpus = sa.Corpus.from_segments([250], {"a": [a], "b": [b]}, offsets="10ms")
    browser = visit(corpus)
    texts = "return [...document.querySelectorAll(arguments[0])].map((x) => x.textContent)"
    listed = browser.execute_script(texts, ".listed")
    assert listed == ["a: 0–0.3 X, 0.9–1.23 Y (missed)", "b: 0–0.3 X"]
    marks = browser.execute_script(texts, ".ruler text")
    assert marks == ["0 s", "0.5 s", "1 s", "1.5 s", "2 s", "2.5 s"]
    bars = browser.find_elements("css selector", ".ruler rect")
    assert [bar.get_attribute("width") for bar in bars] == ["12%", "13.2%", "12%"]


def test_no_disagreement(visit, systems):
    """Where two agree in everything, the page says it kindly."""
    gold = systems.layers["gold.conll"]
    browser = visit(replace(systems, layers={"gold": gold, "mine": gold}))
    message = browser.execute_script("return document.querySelector('.empty').textContent")
    assert message.startswith("No disagreement: gold and mine marked the same in every sentence")


@pytest.mark.slow
def test_long_documents(visit):
    """Ten thousand tokens are drawn whole; of very many, the first, and the rest for the asking."""
    tags = {
        "gold": [["B-A", "I-A", "O", "B-B", "O"] * 6000],
        "mine": [["B-A", "O", "O", "B-B", "O"] * 6000],
    }
    corpus = replace(sa.from_tags(tags), tokens=tuple(f"w{i}" for i in range(30_000)))
    browser = visit(corpus)
    words = "return document.querySelector('.blocks').textContent.match(/w[0-9]+/g)"
    assert browser.execute_script(words) == [f"w{i}" for i in range(20_000)]
    browser.execute_script("document.querySelector('.doc button').click()")
    assert browser.execute_script(words) == [f"w{i}" for i in range(30_000)]
    tags = "return document.querySelectorAll('.tag').length"
    assert browser.execute_script(tags) == 4 * 6000


def test_segments_across_blocks(visit):
    """A long text is laid out in blocks: they end between words, a segment goes on in the next one
    without another label, and the text stays what it is.
    """
    text = "word and " * 1000
    spans = [[(2480, 2520, "X"), (5000, 5100, "Y")]]
    corpus = sa.Corpus.from_segments(
        [len(text)], {"a": spans, "b": spans}, offsets="characters", texts=[text]
    )
    browser = visit(corpus)
    choose(browser, kind="all")
    blocks = """
        document.querySelectorAll('.tag').forEach((tag) => tag.remove());
        return [...document.querySelectorAll('.blocks > .text')].map((x) => %s)"""
    tags = "return document.querySelectorAll('.tag').length"
    assert browser.execute_script(tags) == 4
    shown = browser.execute_script(blocks % "x.textContent")
    assert "".join(shown) == text
    assert len(shown) == 4
    assert all(block.endswith(" ") for block in shown)
    marked = "[...x.querySelectorAll('.run')].map((run) => run.textContent).join('')"
    runs = browser.execute_script(blocks % marked)
    assert "".join(runs) == text[2480:2520] + text[5000:5100]
    assert runs[0]
    assert runs[1]


def test_many_labels(visit):
    """Colours come again with another pattern; every label is written."""
    labels = [f"label-{i:03d}" for i in range(300)]
    spans = [[(i, i + 1, labels[30 * d + i]) for i in range(30)] for d in range(10)]
    browser = visit(
        sa.Corpus.from_segments(
            [30] * 10, {"a": spans, "b": [[]] * 10}, ids=[f"d{i}" for i in range(10)]
        )
    )
    assert "and 260 more labels" in browser.execute_script(
        "return document.querySelector('.legend').textContent"
    )
    assert "label-299" in browser.execute_script(
        "return document.querySelector('.list').textContent"
    )


def luminance(colour):
    channels = [x / 255 for x in colour]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(visit, scheme, crowd):
    """Texts have a contrast of 4.5 with what they stand on, bars of 3 (WCAG 2.1), in both schemes;
    the toggle goes to the other one."""
    browser = visit(crowd, team=True)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    colour = """
        const probe = document.createElement("i");
        document.body.append(probe);
        const colours = Object.fromEntries(arguments[0].map((name) => {
          probe.style.color = `var(--${name})`;
          return [name, getComputedStyle(probe).color.match(/[0-9]+/g).slice(0, 3).map(Number)];
        }));
        probe.remove();
        return colours;"""
    names = [
        "ground",
        "raised",
        "tint",
        "text",
        "quiet",
        "strong",
        "up",
        "down",
        *(f"c{i}" for i in range(8)),
    ]
    seen = browser.execute_script(colour, names)
    assert (luminance(seen["ground"]) < 0.2) == (scheme == "dark")

    def contrast(one, other):
        high, low = sorted((luminance(seen[one]), luminance(seen[other])), reverse=True)
        return (high + 0.05) / (low + 0.05)

    for ground in ("ground", "raised"):
        for text in ("text", "quiet", "strong", "down"):
            assert contrast(text, ground) >= 4.5, (text, ground)
        for mark in ("up", "down", *(f"c{i}" for i in range(8))):
            assert contrast(mark, ground) >= 3, (mark, ground)
    assert contrast("text", "tint") >= 4.5
    cells = browser.execute_script(
        """return [...document.querySelectorAll(".heat:not(.none)")].map((cell) => ["color", "backgroundColor"].map(
             (key) => getComputedStyle(cell)[key].match(/[0-9]+/g).slice(0, 3).map(Number)))"""
    )
    for i, (ink, paper) in enumerate(cells):
        seen |= {"ink": ink, "paper": paper}
        assert contrast("ink", "paper") >= 4.5, i
    browser.execute_script("document.getElementById('theme').click()")
    assert (luminance(browser.execute_script(colour, ["ground"])["ground"]) < 0.2) == (
        scheme == "light"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_structure(visit, crowd):
    """Landmarks, headings, table headers with a scope, names for all that can be operated."""
    browser = visit(crowd, team=True)
    count = lambda selector: len(browser.find_elements("css selector", selector))  # noqa: E731 — short
    assert [
        count(x) for x in ("html[lang]", "h1", "main", "nav[aria-label]", "body > header", "footer")
    ] == [1] * 6
    assert count("section") == count("section[aria-labelledby] > h2") == 14
    assert count("th:not([scope])") == 0
    assert count("[role=status][aria-live=polite]") == 1
    nameless = """return [...document.querySelectorAll("input, select, button, a, article, [tabindex='0']")].filter((x) =>
        !(x.labels?.length || x.textContent.trim() || x.getAttribute("aria-label") || x.getAttribute("aria-labelledby")))
        .map((x) => x.outerHTML)"""
    assert browser.execute_script(nameless) == []
    images = "return [...document.querySelectorAll('svg')].filter((x) => !x.getAttribute('aria-label') && !x.getAttribute('aria-hidden')).length"
    assert browser.execute_script(images) == 0


@contextmanager
def narrow(browser, width):
    """A window of so many pixels."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    time.sleep(0.2)
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_navigation_fits_a_desk(visit, crowd):
    """All sections of a team stand in at most two lines of 1280 pixels."""
    browser = visit(crowd, team=True)
    with narrow(browser, 1280):
        right, lines = browser.execute_script(
            """const links = [...document.querySelectorAll("nav a")].map((x) => x.getBoundingClientRect());
               return [Math.max(...links.map((x) => x.right)), new Set(links.map((x) => x.top)).size]"""
        )
    assert right <= 1280
    assert lines <= 2


def test_page_uses_its_width(visit, systems, crowd):
    """At 1280 pixels a chart stands beside its table, and no table scrolls sideways."""
    tops = """return [...document.querySelectorAll(arguments[0])].map(
                (x) => x.getBoundingClientRect().top + scrollY)"""
    wide = """return [...document.querySelectorAll(".wide")].filter(
                (x) => x.scrollWidth - x.clientWidth > 2).length"""
    for settings, corpus in (
        ({"gold": "gold.conll"}, systems),
        ({"systems": ["dia", "eli"]}, crowd),
        ({"team": True}, crowd),
    ):
        browser = visit(corpus, **settings)
        with narrow(browser, 1280):
            assert browser.execute_script(wide) == 0
            if "team" not in settings:
                first, chart = browser.execute_script(tops, "#systems > .beside > div")
                assert first == chart
            if "systems" in settings:
                labels, difficulty = browser.execute_script(tops, "#labels, #difficulty")
                assert labels == difficulty


def test_histogram_fits_a_telephone(visit, crowd):
    """At 400 pixels the histogram is not cut off, and its numbers are large enough to be read."""
    browser = visit(crowd, systems=["dia", "eli"])
    with narrow(browser, 400):
        right, height = browser.execute_script(
            """const chart = document.querySelector("svg.histogram");
               return [chart.getBoundingClientRect().right,
                       chart.querySelector("text").getBoundingClientRect().height]"""
        )
    assert right <= 400
    assert height >= 9


@pytest.mark.parametrize("width", [400, 480, 1200])
def test_no_sideways_scrolling(visit, width, systems):
    """In a narrow window tables scroll by themselves, the page does not; what goes on says so, and
    the corrected F1 is seen first."""
    browser = visit(systems, gold="gold.conll")
    with narrow(browser, width):
        wide, room = browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= room
        scrolled = browser.execute_script(
            """return [...document.querySelectorAll(".wide")].map((x) =>
                 [x.scrollWidth - x.clientWidth > 2, x.hasAttribute("data-scrolls"), x.hasAttribute("data-more")])"""
        )
        assert all(goes_on == shown == more for goes_on, shown, more in scrolled)
        assert any(goes_on for goes_on, *_ in scrolled) == (width < 1000)
        head, right = browser.execute_script(
            """const head = document.querySelectorAll("#systems th")[1];
               return [head.textContent, head.getBoundingClientRect().right]"""
        )
        assert head == "corrected F1"
        assert right < width


def test_sorting(visit, systems):
    """A click on a header sorts by that column, another one the other way round; so does the keyboard."""
    browser = visit(systems, gold="gold.conll")
    column = """return [[...document.querySelector("#systems table").querySelectorAll("tbody tr")].map((row) => row.cells[0].textContent),
                document.querySelectorAll("#systems th")[arguments[0]].getAttribute("aria-sort")]"""
    click = "document.querySelectorAll('#systems thead button')[arguments[0]].click()"
    f1 = {name: s.f1.observed for name, s in sa.evaluate(systems, "gold.conll").systems.items()}
    order = [name.removesuffix(".conll") for name in sorted(f1, key=f1.get)]
    for expected, state in ((order[::-1], "descending"), (order, "ascending")):
        browser.execute_script(click, 3)
        assert browser.execute_script(column, 3) == [expected, state]
    browser.execute_script("document.querySelector('#systems thead button').focus()")
    browser.switch_to.active_element.send_keys("\n")
    assert browser.execute_script(column, 0) == [["tagger", "lexicon", "chunker"], "descending"]


CELLS = """return [...document.querySelectorAll("#labels-confused tbody tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => Number(cell.querySelector("data")?.value ?? 0)))"""


def test_confusion_is_that_of_python(visit, crowd):
    """Of the team, and of every pair in both orders, cell by cell."""
    browser = visit(crowd, team=True)
    assert browser.execute_script(CELLS) == sa.confusion(crowd).matrix.tolist()
    choose = """const [a, b] = document.querySelectorAll("#labels-confused select");
        [a.value, b.value] = arguments; a.dispatchEvent(new Event("input"));"""
    names = crowd.annotators
    for a, b in itertools.permutations(range(len(names)), 2):
        browser.execute_script(choose, str(a), str(b))
        assert (
            browser.execute_script(CELLS) == sa.confusion(crowd, names[a], names[b]).matrix.tolist()
        )


def test_more_layers(visit, systems):
    """Layers that are ticked stand below, each with its segments against those above."""
    browser = visit(systems, "#doc=99", gold="gold.conll")
    boxes = browser.find_elements("css selector", ".more input")
    assert len(boxes) == len(systems.layers)
    assert browser.execute_script("return document.querySelectorAll('.doc .who').length") == 0
    browser.execute_script(
        "for (const box of document.querySelectorAll('.more input')) box.click()"
    )
    said = browser.execute_script(
        "return [...document.querySelector('.doc').querySelectorAll('.who')].map((x) => x.textContent)"
    )
    assert said == [f"gold above, {name} below" for name in ("lexicon", "tagger", "chunker")]
    # the labels below the third text are the chunker's of the first document that is shown
    number = browser.execute_script("return Number(document.querySelector('.doc').dataset.doc)")
    tags = browser.execute_script(
        "return [...document.querySelector('.doc').querySelectorAll('.text')[2].querySelectorAll('.tag [dir=ltr].sr')].map((x) => x.textContent)"
    )
    segments = systems[number].segments["chunker.conll"]
    assert sum(tag.startswith("(chunker: ") for tag in tags) == len(segments)


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ({"a": [[(0, 1, "X")], None], "b": [None, [(0, 1, "X")]]}, "There is no document that both a and b saw."),
        ({"a": [[], [(0, 1, "X")]], "b": [[], None]}, "Neither a nor b marked anything in the texts that both saw."),
        ({"a": [[(0, 1, "X")], []], "b": [[(0, 1, "X")], []]}, "No disagreement: a and b marked the same in every document that both saw. Well done."),
    ],
    ids=["nothing shared", "nothing marked", "all the same"],
)  # fmt: skip
def test_no_pairs_reason(visit, layers, message):
    """Praise is for those who were compared."""
    browser = visit(sa.Corpus.from_segments([4, 4], layers))
    choose(browser, kind="apart")
    shown = browser.execute_script("return document.querySelector('.empty').textContent")
    assert shown == message


@pytest.mark.long
def test_ranks_are_put_in_order_once_a_section(monkeypatch):
    """As often for twelve systems as for three: once for each cell grew with the square of systems."""
    calls = Counter()
    ordered = SystemsOverview.ranked_systems.fget

    def placed(report):
        calls[len(report.evaluation.systems)] += 1
        return ordered(report)

    monkeypatch.setattr(SystemsOverview, "ranked_systems", property(placed))
    for systems in (3, 12):
        layers = {f"s{i:02}": [[(0, 2, "X")], [(i % 5, 6, "X")]] for i in range(systems + 1)}
        page(sa.Corpus.from_segments([8, 8], layers), gold="s00")
    assert calls[3] == calls[12] > 0


def test_links_and_pieces():
    """The script has each relation by its document, and the pieces of segments by their number."""
    spans = [(0, 1, "X"), ([(2, 4), (5, 6)], "Y")]
    corpus = sa.Corpus.from_segments(
        [9, 9], {n: [[], spans] for n in "ab"}, relations={"a": [[], [(1, 0, "r")]]}
    )
    data = Page(page(corpus, team=True)).data
    assert data["links"] == [{"1": [[1, 0, "r", True]]}, {}]
    assert data["pieces"] == [{"1": [2, 4, 5, 6]}, {"1": [2, 4, 5, 6]}]


def test_a_document_whose_relations_differ(visit):
    """It stands among those with a disagreement, though its segments are the same."""
    spans = [(0, 3, "PER"), (14, 18, "ORG")]
    forth, back = [(0, 1, "employer")], [(1, 0, "employer")]
    texts = ["Ada works for Acme", "Eva works for Nowa"]
    corpus = sa.Corpus.from_segments(
        [18, 18],
        {name: [spans, spans] for name in "ab"},
        texts=texts,
        offsets="characters",
        relations={"a": [forth, forth], "b": [back, forth]},
    )
    browser = visit(corpus, team=True)
    assert [name for name, _ in documents(browser)] == ["1"]
    rows = browser.execute_script(
        "return [...document.querySelectorAll('.links li')].map((x) => x.innerText)"
    )
    assert [row.endswith(f": {name}") for row, name in zip(rows, "ab", strict=True)] == [True, True]


# --- where chance is undefined --------------------------------------------------------------------


def overlapping():
    """Gold with segments that overlap, and two systems, in 12 documents: no chance of overlap."""
    layers = {
        "gold": [[(0, 3, "X"), (1, 4, "X"), (6, 8, "Y")], [(0, 2, "X"), (1, 5, "Y")]] * 6,
        "m1": [[(0, 3, "X"), (1, 4, "X")], [(0, 2, "X"), (1, 5, "Y")]] * 6,
        "m2": [[(0, 3, "X"), (6, 8, "Y")], [(0, 1, "X"), (3, 5, "Y")]] * 5 + [[], [(3, 4, "X")]],
    }
    return sa.Corpus.from_segments([9] * 12, layers)


def in_section(text, name):
    """The figures of a section, rounded, and its words."""
    section = re.search(rf'<section id="{name}".*?</section>', text, re.S)[0]
    words = " ".join(re.sub(r"<[^>]*>", " ", section).split())
    figures = [value for section, value, _ in Page(text).figures if section == name]
    return [round(value, 9) for value in figures], words


def test_tests_and_labels_are_raw_without_chance():
    """The grid has the difference of the test; labels 2·matched / (both sizes), by hand.

    Of X, gold has 18 segments; m1 has 18, and all match. Of Y, gold has 12 and m1 has 6, all match.
    """
    text = page(overlapping(), match="overlap")
    pair = sa.compare_systems(sa.evaluate(overlapping(), match="overlap"))["m1", "m2"]
    figures, words = in_section(text, "certainty")
    assert figures == [round(pair.observed.value, 9), round(pair.observed.p_adjusted, 9)]
    assert "lead of the system at the left in F1, and p" in words
    assert "corrected" not in words
    figures, words = in_section(text, "labels")
    assert figures[::2] == pytest.approx([1, 2 * 6 / 18])
    assert "F1 as observed, as chance is undefined" in words
    assert "corrected" not in words


def test_systems_are_placed_by_raw_f1_without_chance():
    corpus = overlapping()
    turned = corpus.select_annotators(["gold", "m2", "m1"])
    text = page(turned, match="overlap")
    _, words = in_section(text, "certainty")
    assert "p times all pairs m2 m1" in words  # m1 in the row, ahead of m2
    against = page(turned, match="overlap", systems=["m2", "m1"])
    _, words = in_section(against, "labels")
    assert "chance is undefined m1 m2 human" in words


def test_outliers_and_pairs_are_raw_without_chance():
    text = page(overlapping(), match="overlap", team=True)
    agreement = sa.agree(overlapping(), match="overlap")
    figures, words = in_section(text, "summary")
    assert figures == [round(agreement.annotators["m2"].f1.observed, 9)]
    assert "agrees with the others significantly less" in words
    assert "(F1 against the rest;" in words
    figures, words = in_section(text, "pairs")
    assert round(agreement.mean.observed, 9) in figures
    assert "corrected" not in words
    assert ", corrected" not in text


def test_levels_are_raw_without_chance():
    """The matrix of levels has the raw F1 of all documents, under a caption that says so."""
    corpus = overlapping()
    report = build_systems_overview(corpus, None, {}, None, match="overlap", chance="auto")
    text = str(show_levels(report))
    assert "F1 as observed, as chance is undefined" in text
    observed = [s.f1.observed for s in report.ranked_systems]
    assert [float(x) for x in re.findall(r'<data value="([^"]*)"', text)] == pytest.approx(observed)
