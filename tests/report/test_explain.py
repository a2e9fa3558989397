"""What figures mean: every column is explained, with the settings used, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import spanagree as sa
from spanagree.chance.start_distributions import CHANCES
from spanagree.chance.table import StartDistributions, StartSettings
from spanagree.cli.main import main
from spanagree.comparisons.measures import MEASURES
from spanagree.labels.sparse_agreement import WEIGHTS
from spanagree.report.explain import EXPLAINED, explain, read_paragraphs
from spanagree.report.read_signature import parse_signature
from spanagree.results.display import DisplayTable
from spanagree.results.frame import Column, Frame
from spanagree.systems.difference_tests import TESTS

GOLDEN = Path(__file__).parents[1] / "golden" / "words"
DRAWN = {"ci": sa.Jackknife()}
KINDS = ("jackknife-t", "exact")
SYSTEM, INTERVAL = Column("system", "system", "name"), Column("", "interval", "interval")
F1 = Column("f1", "F1", meaning="F1 of a system")


def tables_of(result):
    """The table of a result, and those of its parts."""
    return [result.table(by) for by in (None, *result.BY)]


def evaluations(folder):
    corpora = [
        sa.read_conll([folder / f"{n}.conll" for n in ("gold", "lexicon", "tagger")], unit=unit)
        for unit in ("sentence", "document")
    ]
    for corpus in corpora:
        for more in ({}, DRAWN):
            result = sa.evaluate(corpus, **more)
            yield from tables_of(result)
            yield from tables_of(sa.evaluate(corpus, beta=2, **more))
            hard = sa.difficulty(corpus, "gold.conll")
            yield from tables_of(sa.systems.error_types(result))
            yield from tables_of(sa.systems.strategy_scores(result))
            yield from tables_of(sa.evaluate_levels(result, hard))
            yield from tables_of(hard)
            for test in TESTS:
                yield from tables_of(sa.compare_systems(result, test=test, resamples=20))
        yield from tables_of(sa.chance_test(corpus, result, draws=5))
        with_p_values = sa.evaluate(corpus, p_values=True)
        yield from tables_of(with_p_values)
        yield from tables_of(sa.agree(corpus, p_values=True))
        yield from agreements(corpus)


def agreements(corpus):
    for more in ({}, DRAWN):
        yield from tables_of(sa.agree(corpus, **more))
        if more:
            yield from tables_of(sa.agree(corpus, ci=sa.Jackknife(over="annotators")))
        names = list(corpus.annotators)[:1]
        yield from tables_of(sa.evaluate_references(corpus, systems=names, **more))
        yield from tables_of(sa.labels.token_coefficients(corpus, **more))
        yield from tables_of(sa.coefficients(sa.token_labels(corpus), category_weights="masi"))
        yield from tables_of(sa.coefficients_by_label(corpus))
    if len(corpus) >= 30:
        yield from tables_of(sa.alt_test(corpus, corpus.annotators[0], 0.1))
    yield from units(corpus)


def units(corpus):
    """The measures of unitizing, of few documents."""
    few = corpus.subset(range(min(len(corpus), 12)))
    for more in ({}, DRAWN):
        yield from tables_of(sa.alpha_u(few, pairs=True, **more))
        yield from tables_of(sa.gamma(few, pairs=True, precision=1, **more))
    yield from tables_of(sa.compare_measures(few, precision=1))


PLACE = [{"start": 0, "end": 2, "label": "PER"}]
QUOTE = [{"text": "Al", "label": "PER"}]


@pytest.fixture(scope="module")
def tables(newsroom):
    """Every table that the commands can make, with and without intervals, of both units."""
    start = sa.start_distribution(9, [1, 3])
    crowd = sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl")
    return [
        *evaluations(newsroom),
        *agreements(sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl")),
        *tables_of(sa.make_gold(sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl"))),
        *tables_of(sa.project.worklist(crowd, readers=4)),
        *tables_of(sa.agree(crowd, without=["dia"])),
        *tables_of(sa.slices.score_slices(sa.agree(crowd), "([0-9])$")),
        *tables_of(sa.slices.score_slices(sa.evaluate(crowd), "length")),
        *tables_of(sa.slices.coefficients_by_slice(crowd, "([0-3])$")),
        *tables_of(sa.document_agreement(sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl"))),
        *tables_of(sa.plan_sample(sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl"), 0.1)),
        *tables_of(
            sa.partial_credit(sa.Corpus.from_segments([4], {"a": [[]], "b": [[]]}), "a", "b")
        ),
        *tables_of(sa.evaluate({"gold": [["B-X"], ["O"]], "half": [["B-X"], None]}, "gold")),
        *tables_of(sa.evaluate(answer("wrong"), "gold")),
        *tables_of(sa.evaluate(answer("ignore"), "gold")),
        *tables_of(drawn_overlap()),
        *tables_of(scored()),
        *tables_of(runs()),
        *tables_of(
            sa.evaluate(
                sa.read([newsroom / "gold.conll", newsroom / "tagger.conll"]), places="capitals"
            )
        ),
        StartDistributions(
            StartSettings(chance="nonoverlapping", length=9, segments=(1, 3)), tuple(start)
        ).table(),
    ]


def answer(unplaced):
    """A model that quotes what is not in the text."""
    rows = [{"text": "Jo", "gold": PLACE, "mine": QUOTE}]
    return sa.read(rows, unplaced=unplaced)


def scored():
    """Predictions at each of their scores."""
    layers = {"gold": [[(0, 2, "X")]], "mine": [[(0, 2, "X", {"score": "0.5"})]]}
    return sa.systems.sweep_scores(sa.evaluate(sa.Corpus.from_segments([9], layers)))


def runs():
    """A system of three runs, with intervals."""
    layers = {"gold": [[(0, 2, "X")]] * 3, **{name: [[(0, 2, "X")], [], []] for name in "abc"}}
    evaluation = sa.evaluate(sa.Corpus.from_segments([9] * 3, layers))
    return sa.systems.score_runs(evaluation, {"ours": [*"abc"]}, ci=True)


def drawn_overlap():
    """Systems whose overlap by chance is a mean over draws: six lengths a side in 80 tokens."""
    sides = {name: [(9 * i, 9 * i + 1 + i, "X") for i in range(6)] for name in ("gold", "mine")}
    return sa.evaluate(
        sa.Corpus.from_segments([80], {k: [v] for k, v in sides.items()}), match="overlap"
    )


def meanings(table):
    """What is explained of a table, by name: columns, rows with a meaning of their own, figures."""
    shown = {
        c.title: c.meaning or c.title
        for c in DisplayTable.from_frame(table).columns
        if c.title.strip()
    }
    return {**shown, **table.meanings}


@pytest.mark.slow
def test_every_column_is_explained(tables):
    """Each column, row and figure below of each table has its paragraph, once."""
    assert len(tables) > 40
    for table in tables:
        names = [one for together, _ in explain([table]) for one in together.split(" / ")]
        assert set(meanings(table)) <= set(names), table.caption
        assert len(names) == len(set(names))


def test_no_placeholder_begins_a_sentence():
    """A word that depends on the settings is in small letters, so it stands within a sentence."""
    for heading, paragraph in read_paragraphs().items():
        assert not re.search(r"[.?!] \{(document|drawn)\}", paragraph), heading


def test_a_new_column_fails():
    """What nobody explained is an error, for the test above to find."""
    with pytest.raises(LookupError, match="'brand new' is not explained"):
        explain([Frame([SYSTEM, Column("x", "brand new")], [], {"match": "exact"})])


@pytest.mark.parametrize(
    "second", ["brand new", "other / brand new", "brand new ", "recall of a system"]
)
def test_a_heading_has_one_paragraph(second, tmp_path, monkeypatch):
    """A second paragraph of a name is refused, as it would overwrite the first; none is today.

    Figures and counts have theirs in their tables.
    """
    path = tmp_path / "explanations.md"
    monkeypatch.setattr("spanagree.report.explain.files", lambda _: tmp_path)
    read_paragraphs.cache_clear()
    try:
        path.write_text("## brand new / more\n\nfirst.\n", "utf-8")
        assert read_paragraphs()["brand new"] == read_paragraphs()["more"] == "first."
        read_paragraphs.cache_clear()
        path.write_text(f"## brand new / more\n\nfirst.\n\n## {second}\n\nsecond.\n", "utf-8")
        with pytest.raises(
            LookupError, match=f"'{second.split(' / ')[-1].strip()}' has two paragraphs"
        ):
            read_paragraphs()
    finally:
        read_paragraphs.cache_clear()
    monkeypatch.undo()
    assert read_paragraphs()["annotators"] == "number of annotators who saw it."


@pytest.mark.slow
def test_nothing_is_explained_that_is_not_there(tables):
    """Each paragraph is about a figure that some table has, or about a choice that there is."""
    choices = {
        *(f"intervals by {kind}" for kind in (*KINDS, "several")),
        *(f"p by {test}" for test in TESTS),
        *("chance", "no chance", "chance by sentences", "chance by characters", "chance by groups"),
        *("weights", "measurement", "category weights", "weighted pairs"),
        *("items", "items, O kept", "items, O skipped", "items of segments"),
        *("match segments", "match relations", "match attributes", "match strings"),
        *("chance of pairs", "chance F1 undefined"),
        *("intervals over sentences", "intervals over texts", "intervals over few"),
        "intervals over these annotators",
        "intervals over others",
        "intervals of differences",
    }
    used = {heading for table in tables for heading in meanings(table).values()}
    assert set(read_paragraphs()) == choices | used


def test_shares_of_kinds_are_compared_with_a_column():
    """What the share of a kind is compared with is named as the table names it.

    Oracle: that share, of all outcomes of all annotators, matches among them.
    """
    layers = {"a": [[(0, 2, "X"), (4, 5, "X")]], "b": [[(0, 2, "X")]], "c": [[(0, 2, "X")]]}
    result = sa.agree(sa.Corpus.from_segments([9], layers))
    (column,) = (c for c in result.table("annotator").columns if c.key == "share_all")
    text = dict(explain([result.table("annotator")]))
    (paragraph,) = (text[names] for names in text if column.title in names.split(" / "))
    assert f"with {column.title}, which they would have of each kind" in paragraph
    assert "everything compared in the team's pairs, matches among it" in paragraph
    outcomes = {name: sum(each.outcomes.values()) for name, each in result.standings.items()}
    for name, each in result.standings.items():
        assert each.outcomes["match"]
        assert each.shares["all"] == outcomes[name] / sum(outcomes.values())


def explained(line, columns=(SYSTEM, F1, INTERVAL)):
    return dict(explain([Frame(columns, [], parse_signature(f"{line}|spanagree:1.0.0"))]))


@pytest.mark.parametrize(
    "line", ["team:summed", "team:summed|slices:genre", "items:tokens|categories:2",
             "measure:gamma", "annotators:3", "references:3"],
)  # fmt: skip
def test_annotators_are_held_fixed(line):
    """Wherever people are what is measured, it is said of intervals; not of systems against gold."""
    fixed = "only; with other annotators the figures may differ by much more."
    shown = explained(f"{line}|ci:jackknife-t95", [SYSTEM, INTERVAL])["interval"]
    assert fixed in shown
    assert ("--over annotators adds" in shown) == (line == "team:summed")
    methods = " ".join(sa.cite(f"{line}|ci:jackknife-t95|spanagree:1.0.0").split())
    assert "The annotators are held fixed." in methods
    evaluated = explained("average:micro|ci:jackknife-t95", [SYSTEM, INTERVAL])["interval"]
    assert "annotators" not in evaluated


@pytest.mark.parametrize("match", MEASURES)
@pytest.mark.parametrize("chance", CHANCES)
def test_settings_are_explained(match, chance):
    """What counts and what chance may do, in the words of their tables."""
    shown = explained(f"match:{match}|chance:{chance}|average:micro|unit:sentence")
    assert shown[f"match {match}"] == f"{MEASURES[match].means}. {MEASURES[match].remark}"
    assert MEASURES[match].remark
    assert shown[f"chance {chance}"].startswith(CHANCES[chance])
    assert ("in tokens" in shown["F1"]) == MEASURES[match].in_tokens


def test_that_there_is_no_chance_is_explained():
    columns = [SYSTEM, Column("chance_f1", "chance F1")]
    shown = explained("match:overlap|chance:none|average:micro", columns)
    assert "Chance and corrected figures are undefined" in shown["chance none"]
    assert shown["chance F1"] == "F1 that chance alone would give, which is undefined here."
    assert (
        "exactly"
        in explained("match:exact|chance:nonoverlapping|average:micro", columns)["chance F1"]
    )


@pytest.mark.parametrize(
    ("match", "labels"), [("exact", "with the same label"), ("boundaries", ", any label")]
)
def test_strings_are_explained(match, labels):
    """They have no start and end, and no chance that was computed."""
    row = {"id": "1", "gold": {"PER": ["Jo", "Jo"]}, "model": {"PER": ["jo", "Al"]}}
    corpus = sa.read([row], strings=True)
    for result in (sa.evaluate(corpus, match=match), sa.agree(corpus, match=match)):
        shown = dict(explain([result.table()]))
        text = shown[f"match {match}"]
        assert text.startswith(
            f"equal strings{' ' * (match == 'exact')}{labels}, each at most once."
        )
        assert "start" not in text
        assert "exactly" not in shown["chance F1"]
        assert "in strings" in shown["F1"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("of", "drawn"), [("average:micro|unit:sentence", "sentence"), ("average:micro", "document")]
)
def test_intervals_are_explained(kind, of, drawn):
    """By how they were made, of what."""
    shown = explained(f"match:exact|{of}|ci:{kind}97.5")["interval"]
    assert "with 97.5 % confidence" in shown
    assert f"{drawn}" in shown
    assert ("leaving out" in shown.partition("Sentences of")[0]) == (kind == "jackknife-t")
    assert ("--cluster-by document" in shown) == (drawn == "sentence")


def test_intervals_of_two_methods_are_alternatives():
    """Of figures by jackknife and exact ones, each sentence is whole, and says which it is about.

    Oracle: the paragraphs of each method by itself.
    """
    line = "team:summed|ci:{}|measure:documents"
    both, jackknife, exact = (
        explained(line.format(ci))["interval"]
        for ci in ("jackknife-t95+exact95", "jackknife-t95", "exact95")
    )
    opening = (
        "interval for the figure to its left on other documents like these, with 95 % confidence: "
    )
    of_jackknife, of_exact = (
        text.removeprefix(opening).partition(" The interval covers")[0]
        for text in (jackknife, exact)
    )
    assert both.startswith(
        f"{opening}{of_jackknife} Where it is exact, {of_exact} The interval covers"
    )
    assert of_exact.startswith("at most one document contains an error")


@pytest.mark.parametrize("weights", WEIGHTS)
def test_items_and_weights_are_explained(weights):
    """Tokens as items are not spans; items of a table of labels are what is drawn."""
    columns = (Column("value", "value"), INTERVAL)
    shown = explained(f"items:tokens|outside:skipped|categories:3|weights:{weights}", columns)
    assert WEIGHTS[weights] in shown[f"weights {weights}"]
    assert "--skip-outside" in shown["items tokens"]
    of_labels = explained("items:labels|categories:3|ci:jackknife-t95", columns)
    assert "items labels" not in of_labels
    assert "leaving out one item at a time" in of_labels["interval"]


def test_characters_are_explained():
    """Offsets in characters make chance smaller."""
    shown = explained("match:exact|chance:nonoverlapping|average:micro|offsets:characters")
    assert "inside a word" in shown["chance nonoverlapping"]
    assert "share a character" in shown["chance nonoverlapping"]
    assert (
        "tokens" not in explained("match:token|offsets:characters")["match token"].partition(".")[0]
    )


def test_times_are_explained():
    """Of recordings, what segments share are units of time, as sizes are."""
    shown = explained("match:token|chance:nonoverlapping|average:micro|offsets:10ms")
    assert shown["match token"].startswith("units of 10ms in segments of the same label.")
    assert "share a unit of 10ms." in shown["chance nonoverlapping"]
    assert "in units of 10ms" in shown["F1"]


# --- the command line ---------------------------------------------------------------------------

COMMANDS = {
    "evaluate": "evaluate newsroom/gold.conll newsroom/lexicon.conll newsroom/tagger.conll",
    "agree": "agree crowd/crowd.jsonl",
    "coefficients": "coefficients crowd/crowd.jsonl --tokens",
    "difficulty": "difficulty newsroom/gold.conll",
    "chance": "chance --length 5 --segments 1,2",
}


@pytest.fixture
def run(capsys, monkeypatch, newsroom):
    monkeypatch.chdir(newsroom.parent)

    def run(line):
        code = main(line.split())
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize("command", ["evaluate", "agree", "difficulty"])
def test_chance_under_a_rule_is_explained(run, command):
    """Beside uniform chance stands that of a rule, which has a paragraph of its own."""
    files = "newsroom/gold.conll" + " newsroom/tagger.conll" * (command != "difficulty")
    code, out, _ = run(f"{command} {files} --places capitals --explain")
    assert code == 0
    assert read_paragraphs()["chance F1 at places"] in " ".join(out.split())


@pytest.mark.long
@pytest.mark.parametrize("command", ["evaluate", "agree", "coefficients", "difficulty", "chance"])
@pytest.mark.parametrize("form", EXPLAINED)
def test_below_the_table(run, command, form):
    """The table stays as it is, what it means stands below it."""
    _, table, _ = run(f"{COMMANDS[command]} --format {form}")
    code, both, err = run(f"{COMMANDS[command]} --format {form} --explain")
    assert (code, both[: len(table)]) == (0, table)
    below = both[len(table) :]
    assert below.lower().startswith("\nwhat the figures mean, and when not to trust them")
    assert err == "" or "note" in err


def test_two_tables_are_explained_once(run):
    """A test has its evaluation before it; what both have is explained once."""
    code, out, _ = run(f"{COMMANDS['evaluate']} --test permutation --resamples 50 --explain")
    assert code == 0
    assert out.count("what the figures mean") == out.count("match exact: ") == 1
    assert "\nprecision: " in out
    assert "\nHolm: " in out
    assert "if the two systems' tallies are exchanged" in " ".join(out.split())


def test_a_table_is_explained_by_its_own_settings(run):
    """Before a test, the evaluation keeps its intervals and its unit, which one signature names.

    Oracle: the paragraphs of the evaluation without a test.
    """
    line = f"{COMMANDS['evaluate']} --ci --explain"
    _, alone, _ = run(line)
    _, tested, _ = run(f"{line} --test jackknife")
    alone, tested = (" ".join(out.split()) for out in (alone, tested))
    for beginning, next_name in (
        (" system: each system", " precision: "),
        (" interval: interval for the figure", " chance F1: "),
    ):
        paragraph = f"{beginning}{alone.partition(beginning)[2].partition(next_name)[0]}{next_name}"
        assert "sentence" in paragraph
        assert paragraph in tested


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("form", ["json", "csv", "latex"])
def test_refused_before_any_work(run, command, form):
    """Formats without room for it, whatever the order of the options, and of files not there."""
    line = COMMANDS[command].replace("newsroom/", "no/").replace("crowd/", "no/")
    message = f"spanagree: error: --explain does not go with --format {form}; see"
    for options in (f"--explain --format {form}", f"--format {form} --explain"):
        code, out, err = run(f"{line} {options}")
        assert (code, out) == (2, "")
        assert err.startswith(message)


def test_names_of_users_do_not_matter():
    """Annotators and labels called as rows or columns are, or worse, change no word."""
    layers = {name: [[(0, 1, "SPA")]] for name in ("team", "all (micro)", "\x1b[31m{document}|")}
    corpus = sa.Corpus.from_segments([4], layers)
    for by in ("pair", "annotator", "label"):
        plain = sa.Corpus.from_segments([4], {n: [[(0, 1, "X")]] for n in "abc"})
        hostile, usual = (explain([sa.agree(c).table(by)]) for c in (corpus, plain))
        assert hostile == usual


@pytest.mark.parametrize("command", ["evaluate", "agree", "coefficients"])
def test_as_it_was_read(run, command):
    """Three typical texts, each read against the guides before it was frozen."""
    _, out, _ = run(f"{COMMANDS[command]} --explain")
    below = out[out.index("what the figures mean") :]
    assert below == (GOLDEN / f"explain_{command}.txt").read_text("utf-8")
