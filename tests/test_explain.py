"""What figures mean: every column is explained, with the settings used, and nothing else is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import spanagree as sa
from spanagree.agreement import result as agreement
from spanagree.agreement import table as of_agreement
from spanagree.chance import table as start_distributions
from spanagree.chance.start_distributions import CHANCES
from spanagree.cli.main import main
from spanagree.evaluation import result as evaluation
from spanagree.evaluation import table as of_evaluation
from spanagree.evaluation import tests_table as of_tests
from spanagree.evaluation.compare_systems import TESTS
from spanagree.labels import summary as reliability
from spanagree.labels import table as of_coefficients
from spanagree.labels.spa import WEIGHTS
from spanagree.levels import by_level_table
from spanagree.levels import difficulty_table as of_difficulty
from spanagree.matching.measures import MATCHES
from spanagree.rendering.table import Table
from spanagree.report.explain import _TABLES, EXPLAINED, explain, names_of
from spanagree.settings import settings_of, subject_of
from spanagree.uncertainty.bootstrap import INTERVALS

GOLDEN = Path(__file__).parent / "golden" / "words"
DRAWN = {"ci": True, "resamples": 20}


def evaluations(folder):
    corpora = [
        sa.read_conll([folder / f"{n}.conll" for n in ("gold", "lexicon", "tagger")], unit=unit)
        for unit in ("sentence", "document")
    ]
    for corpus in corpora:
        for more in ({}, DRAWN):
            result = sa.evaluate(corpus, **more)
            for by in (None, *evaluation.BY):
                yield of_evaluation.as_table(result, by)
            hard = sa.difficulty(corpus, "gold.conll")
            yield by_level_table.levels_as_table(sa.evaluate_levels(result, hard))
            yield of_difficulty.as_table(hard)
            for test in TESTS:
                yield of_tests.as_table(sa.compare_systems(result, test=test, resamples=20))
        yield of_tests.as_table(sa.luck_test(corpus, result, draws=5))
        yield from agreements(corpus)


def agreements(corpus):
    for more in ({}, DRAWN):
        result = sa.agree(corpus, **more)
        for by in (None, *agreement.BY):
            yield of_agreement.as_table(result, by)
        found = sa.coefficients(sa.token_labels(corpus), **more)
        for by in (None, *reliability.BY):
            yield of_coefficients.as_table(found, by)


@pytest.fixture(scope="module")
def tables(newsroom):
    """Every table that the commands can make, with and without intervals, of both units."""
    start = sa.start_distribution(9, [1, 3])
    return [
        *evaluations(newsroom),
        *agreements(sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl")),
        start_distributions.as_table(9, [1, 3], "nonoverlapping", start),
    ]


def test_every_column_is_explained(tables):
    """Each column, row and figure below of each table has its paragraph, once."""
    assert len(tables) > 40
    for table in tables:
        told = [one for names, _ in explain([table]) for one in names.split(" / ")]
        assert set(names_of(table)) <= set(told), table.header
        assert len(told) == len(set(told))


def test_a_new_column_fails():
    """What nobody explained is an error, for the test above to find."""
    table = Table(("system", "brand new"), [], signature="average:micro|spanagree:0.1.0")
    with pytest.raises(LookupError, match="'brand new' is not explained"):
        explain([table])


def test_nothing_is_explained_that_is_not_there(tables):
    """Each paragraph is about a figure that some table has."""
    unused = {
        (subject, names) for subject, groups in _TABLES.items() for names, _ in groups
    }  # fmt: skip
    for table in tables:
        subject = subject_of(settings_of(table.signature))
        present = {re.sub("^(sentence|document)", "{document}", n) for n in names_of(table)}
        for of in (subject, f"{subject} by {table.header[0]}"):
            unused -= {(of, n) for s, n in unused if s == of and set(n) <= present}
    shared = {names for names, _ in _TABLES["evaluation"]}  # levels have some of these columns
    left = {(s, n) for s, n in unused if not (s == "levels" and n in shared)}
    assert not left


def said(line, header=("system", "F1", "interval")):
    return dict(explain([Table(header, [], signature=f"{line}|spanagree:0.1.0")]))


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("chance", CHANCES)
def test_settings_are_explained(match, chance):
    """What counts and what luck may do, in the words of their tables."""
    found = said(f"match:{match}|chance:{chance}|average:micro|unit:sentence")
    assert found[f"match {match}"].startswith(MATCHES[match].means)
    assert found[f"chance {chance}"].startswith(CHANCES[chance])
    assert ("in tokens" in found["F1"]) == MATCHES[match].in_tokens


@pytest.mark.parametrize("kind", [*INTERVALS, "poisson"])
@pytest.mark.parametrize(
    ("of", "drawn"), [("average:micro|unit:sentence", "sentence"), ("average:micro", "document")]
)
def test_intervals_are_explained(kind, of, drawn):
    """By how they were made, of what."""
    found = said(f"match:exact|{of}|ci:{kind}97.5|resamples:77|seed:0")["interval"]
    assert "with 97.5% confidence" in found
    assert f"{drawn}" in found
    assert ("77 resamples" in found) == (kind != "jackknife")
    assert ("--unit document" in found) == (drawn == "sentence")


@pytest.mark.parametrize("weights", WEIGHTS)
def test_items_and_weights_are_explained(weights):
    """Tokens as items are no spans; items of a table of labels are what is drawn."""
    header = ("", "value", "interval")
    found = said(f"items:tokens|outside:skipped|categories:3|weights:{weights}", header)
    assert WEIGHTS[weights] in found[f"weights {weights}"]
    assert "--skip-outside" in found["items tokens"]
    of_labels = said("items:labels|categories:3|ci:bca95|resamples:5|seed:0", header)
    assert "items labels" not in of_labels
    assert "5 resamples of the items" in of_labels["interval"]


def test_characters_are_explained():
    """Offsets in characters make luck smaller."""
    found = said("match:exact|chance:nonoverlapping|average:micro|offsets:characters")
    assert "inside a word" in found["chance nonoverlapping"]


# --- the command line ---------------------------------------------------------------------------

COMMANDS = {
    "evaluate": "evaluate newsroom/gold.conll newsroom/lexicon.conll newsroom/tagger.conll",
    "agree": "agree crowd/crowd.jsonl",
    "coefficients": "coefficients crowd/crowd.jsonl --tokens",
    "difficulty": "difficulty newsroom/gold.conll",
    "chance": "chance --length 5 --segments 1,2",
    "merge": "merge part.parquet",
}


@pytest.fixture
def run(capsys, monkeypatch, newsroom):
    monkeypatch.chdir(newsroom.parent)

    def run(line):
        code = main(line.split())
        return code, *capsys.readouterr()

    return run


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


def test_two_tables_are_explained_once(run, tmp_path):
    """A test has its evaluation before it; what both have is told once. Merge has it too."""
    part = tmp_path / "part.parquet"
    line = COMMANDS["evaluate"]
    code, out, _ = run(f"{line} --test permutation --resamples 50 --explain --tallies {part}")
    assert code == 0
    assert out.count("what the figures mean") == out.count("match exact: ") == 1
    assert "\nprecision: " in out
    assert "\nHolm: " in out
    assert "exchanging the two systems' tallies" in " ".join(out.split())
    code, out, _ = run(f"merge {part} --explain")
    assert code == 0
    assert "\nprecision: " in out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("form", ["json", "csv", "latex"])
def test_refused_before_any_work(run, command, form):
    """Formats without room for it, whatever the order of the options, and of files not there."""
    line = COMMANDS[command].replace("newsroom/", "no/").replace("crowd/", "no/")
    said = f"spanagree: error: --explain is for text and markdown; not with {form}; see"
    for options in (f"--explain --format {form}", f"--format {form} --explain"):
        code, out, err = run(f"{line} {options}")
        assert (code, out) == (2, "")
        assert err.startswith(said)


def test_names_of_users_do_not_matter():
    """Annotators and labels called as rows or columns are, or worse, change no word."""
    layers = {name: [[(0, 1, "SPA")]] for name in ("team", "all (micro)", "\x1b[31m{document}|")}
    corpus = sa.Corpus.from_segments([4], layers)
    for by in ("pair", "annotator", "label"):
        plain = sa.Corpus.from_segments([4], {n: [[(0, 1, "X")]] for n in "abc"})
        hostile, usual = (
            explain([of_agreement.as_table(sa.agree(c), by)]) for c in (corpus, plain)
        )
        assert hostile == usual


@pytest.mark.parametrize("command", ["evaluate", "agree", "coefficients"])
def test_as_it_was_read(run, command):
    """Three typical texts, each read against the guides before it was frozen."""
    _, out, _ = run(f"{COMMANDS[command]} --explain")
    below = out[out.index("what the figures mean") :]
    assert below == (GOLDEN / f"explain_{command}.txt").read_text("utf-8")
