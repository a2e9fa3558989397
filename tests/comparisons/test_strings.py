"""Strings with labels that are in no text, compared as multisets of each document."""

from __future__ import annotations

import json
import math
import unicodedata
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import at_most, halves

import spanagree as sa
from spanagree.cli.main import main
from spanagree.comparisons.strings import normalize_string
from spanagree.corpus.unplaced import NO_TEXT
from spanagree.formats.jsonl import write_jsonl
from spanagree.report.citation import cite

ROWS = [
    {
        "id": "a",
        "gold": [{"text": "Jo", "label": "PER"}, {"text": "Rome", "label": "LOC"}],
        "model": [
            {"text": "Jo", "label": "PER"},
            {"text": "rome", "label": "LOC"},
            {"text": "Al", "label": "PER"},
        ],
    },
    {
        "id": "b",
        "gold": [{"text": "Jo", "label": "PER"}] * 2,
        "model": [{"text": "Jo", "label": "LOC"}, {"text": "Jo", "label": "PER"}],
    },
    {"id": "c", "gold": [], "model": []},
]

answers = st.lists(
    st.tuples(st.sampled_from(["Jo", "jo", "Rome", "New  York", "a b"]), st.sampled_from("XY")),
    max_size=6,
)
documents = st.lists(
    st.fixed_dictionaries({"gold": st.none() | answers, "s1": st.none() | answers, "s2": answers}),
    min_size=1,
    max_size=4,
).filter(lambda rows: any(row["gold"] for row in rows))


def rows_of(drawn):
    return [
        {
            "id": f"d{i}",
            **{
                name: strings and [{"text": text, "label": label} for text, label in strings]
                for name, strings in row.items()
            },
        }
        for i, row in enumerate(drawn)
    ]


def read(drawn):
    columns = {name: name for name in ("gold", "s1", "s2")}
    return sa.read(rows_of(drawn), strings=True, spans=columns, document="id")


def counter(strings, *, of_label=True):
    """A multiset of strings as they are compared: in small letters, with one blank."""
    return Counter(
        (" ".join(text.lower().split()), label if of_label else "") for text, label in strings
    )


def f1(pairs, **how):
    """Oracle: F1 of multisets, in fractions; ``None`` where nothing is marked."""
    matched = size = 0
    for a, b in pairs:
        if a is not None and b is not None:
            matched += (counter(a, **how) & counter(b, **how)).total()
            size += len(a) + len(b)
    return Fraction(2 * matched, size) if size else None


def is_f1(score, wanted):
    if wanted is None:
        return math.isnan(score.observed)
    return score.observed == pytest.approx(float(wanted), abs=1e-12) and math.isnan(score.expected)


@given(documents)
@at_most(120)
def test_systems_by_multisets(drawn):
    """Of all, of labels and of documents; who has null did not see the document."""
    result = sa.evaluate(read(drawn), "gold")
    plain = sa.evaluate(read(drawn), "gold", match="boundaries")
    for name in ("s1", "s2"):
        pairs = [(row["gold"], row[name]) for row in drawn]
        seen = [pair for pair in pairs if None not in pair]
        assert result[name].documents == len(seen)
        if not seen:
            continue
        assert is_f1(result[name].f1, f1(pairs))
        assert is_f1(plain[name].f1, f1(pairs, of_label=False))
        for label, tally in result[name].labels.items():
            of_label = [[[x for x in side if x[1] == label] for side in pair] for pair in seen]
            assert is_f1(tally.f1, f1(of_label))
        by_document = dict(result.by_document(name))
        for row in zip(rows_of(drawn), pairs, strict=True):
            if row[0]["id"] in by_document:
                assert is_f1(by_document[row[0]["id"]].f1, f1([row[1]]))


@given(documents)
@at_most(60)
def test_annotators_by_multisets(drawn):
    result = sa.agree(read(drawn))
    for a, b in (("gold", "s1"), ("gold", "s2"), ("s1", "s2")):
        pairs = [(row[a], row[b]) for row in drawn]
        if any(None not in pair for pair in pairs):
            assert is_f1(result[a, b].f1, f1(pairs))


@given(documents, st.randoms(use_true_random=False))
@at_most(40)
def test_parts(drawn, random):
    corpus = read(drawn)
    whole, parts = (sa.evaluate(x, "gold") for x in (corpus, list(halves(corpus, random))))
    assert dict(parts.settings) == dict(whole.settings)
    for name in ("s1", "s2"):
        assert parts[name].tally.counts[::2] == whole[name].tally.counts[::2]
        assert parts[name].tally.size_b == whole[name].tally.size_b


def test_what_is_said():
    """By hand: 3 of 5 and 3 of 4; the reason in verdict, settings and a remark."""
    result = sa.evaluate(sa.read(ROWS, strings=True))
    model = result["model"]
    assert (model.precision.observed, model.recall.observed) == (0.6, 0.75)
    assert (model.not_found, model.documents) == (0, 3)
    assert result.verdict.endswith(f"chance is undefined, so figures are raw: {NO_TEXT}.")
    assert f"chance and corrected figures are undefined: {NO_TEXT}" in result.table().remarks
    assert "chance:none|strings:yes" in result.signature
    assert "offsets" not in result.signature
    assert "Annotations are strings without a text" in " ".join(cite(result.signature).split())
    assert "unplaced" not in result.settings
    assert not [note for note in result.notes if "not in the text" in note]
    boundaries = sa.evaluate(sa.read(ROWS, strings=True), match="boundaries")["model"]
    assert (boundaries.precision.observed, boundaries.recall.observed) == (0.8, 1)


def test_intervals_and_tests_as_of_segments():
    """Oracle: the same multisets as segments of a text, one after the other."""
    drawn = [[("Jo", "X")] * (i % 3) + [("Al", "X")] for i in range(30)]
    answers_of = [side[: 1 + i % 2] for i, side in enumerate(drawn)]
    columns = {"gold": "gold", "s1": "s1"}
    pairs = zip(drawn, answers_of, strict=True)
    rows = rows_of([{"gold": gold, "s1": mine} for gold, mine in pairs])
    strings = sa.evaluate(sa.read(rows, strings=True, spans=columns, document="id"), ci=True)
    texts = [{**row, "text": " ".join(x["text"] for x in row["gold"])} for row in rows]
    segments = sa.evaluate(sa.read(texts, spans=columns, document="id", text="text"), ci=True)
    assert strings["s1"].tally.matched == segments["s1"].tally.matched
    assert strings["s1"].f1.interval.observed == segments["s1"].f1.interval.observed
    assert strings["s1"].f1.interval.observed[0] < strings["s1"].f1.observed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (" New\n York", "new york"),
        ("“Rome”", '"Rome"'),
        (unicodedata.normalize("NFC", "José"), unicodedata.normalize("NFD", "José")),
    ],
)
def test_equal_strings(one, other):
    """What quotes in texts are found in spite of."""
    assert normalize_string(one) == normalize_string(other)
    row = {"id": "1", "gold": {"X": [one]}, "model": {"X": [other]}}
    assert sa.evaluate(sa.read([row], strings=True))["model"].f1.observed == 1


def test_other_strings():
    """No string is a part of another one, and a word is not its plural."""
    row = {"id": "1", "gold": {"X": ["Obama", "cat"]}, "model": {"X": ["Barack Obama", "cats"]}}
    assert sa.evaluate(sa.read([row], strings=True))["model"].f1.observed == 0


def test_texts_beside_are_not_looked_at():
    rows = [{**row, "text": "nothing of the kind"} for row in ROWS]
    assert sa.evaluate(sa.read(rows, strings=True))["model"].precision.observed == 0.6


def test_by_length_and_column():
    """Jo and Al have a length of 2, Rome of 4."""
    result = sa.evaluate(sa.read(ROWS, strings=True))
    found = sa.slices.score_slices(result, "length")
    assert [part.name for part in found.slices] == ["2–3", "4–7"]
    assert [part.scores["model"].f1.observed for part in found.slices] == [4 / 7, 1]
    found = sa.slices.score_slices(result, {"a": "x", "b": "y", "c": "y"})
    assert [part.scores["model"].f1.observed for part in found.slices] == [0.8, 0.5]


def test_scores_of_strings():
    rows = [
        {
            "id": str(i),
            "gold": [{"text": "Jo", "label": "X"}],
            "model": [
                {"text": "Jo", "label": "X", "score": 0.9},
                {"text": "Al", "label": "X", "score": 0.2},
            ],
        }
        for i in range(4)
    ]
    corpus = sa.read(rows, strings=True, scores=True)
    assert sa.evaluate(corpus)["model"].precision.observed == 0.5
    assert sa.evaluate(corpus, min_score=0.5)["model"].precision.observed == 1
    best = sa.systems.sweep_scores(sa.evaluate(corpus))["model"].best
    assert best.threshold == 0.9


def test_alternatives_and_references():
    same = {name: [{"text": "Jo", "label": "X"}] for name in ("ann", "bob", "llm")}
    columns = {name: name for name in same}
    rows = [{"id": str(i), **same} for i in range(40)]
    corpus = sa.read(rows, strings=True, spans=columns, document="id")
    found = sa.alt_test(corpus, "llm", epsilon=0.2)
    assert found.verdicts["observed"].passes
    against = sa.evaluate_references(corpus, systems=["llm"])
    assert (against["llm"].f1.observed, against.ceiling.f1.observed) == (1, 1)


# --- files ----------------------------------------------------------------------------------------


def test_files_are_joined_by_id(tmp_path, capsys):
    """Gold and answers in files of their own, in another order; labels as keys, or in a text."""
    gold = [{"id": row["id"], "entities": row["gold"]} for row in ROWS]
    by_label = {"PER": ["Jo", "Al"], "LOC": ["rome"]}
    model = [
        {"id": "c", "entities": {}},
        {"id": "b", "entities": {"LOC": ["Jo"], "PER": ["Jo"]}},
        {"id": "a", "entities": f"Here you are:\n```json\n{json.dumps(by_label)}\n```"},
    ]
    for name, rows in (("gold", gold), ("model", model)):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    files = [f"{name}={tmp_path}/{name}.jsonl" for name in ("gold", "model")]
    assert main(["evaluate", *files, "--strings", "--spans", "entities", "--format", "json"]) == 0
    model = json.loads(capsys.readouterr().out)["tables"]["systems"][0]
    assert (model["precision"]["observed"], model["recall"]["observed"]) == (0.6, 0.75)
    assert main(["evaluate", *files, "--spans", "entities"]) != 0
    assert "--strings" in capsys.readouterr().err


def test_our_own_format_keeps_strings(tmp_path):
    corpus = sa.read(ROWS, strings=True)
    write_jsonl(corpus, tmp_path / "strings.jsonl")
    assert sa.read(tmp_path / "strings.jsonl") == corpus
    result = sa.evaluate(corpus)
    result.rows.write(tmp_path / "rows.npz")
    rows = sa.systems.ComparedSystems.read(tmp_path / "rows.npz")
    assert sa.evaluate([rows])["model"].tally.counts[::2] == result["model"].tally.counts[::2]
    assert dict(sa.evaluate([rows]).settings) == dict(result.settings)


def test_the_same_annotator_in_two_files(tmp_path):
    """Strings that differ are no copy of the others: they were dropped in silence."""
    for number, text in enumerate(("Jo", "Al")):
        row = {"id": "a", "ann": {"X": [text]}, "bob": {"X": ["Jo"]}}
        (tmp_path / f"{number}.jsonl").write_text(json.dumps(row))
    with refuses(sa.InputError, "… annotator 'ann' has document 'a', … marked differently; …"):
        sa.read([tmp_path / "0.jsonl", tmp_path / "1.jsonl"], strings=True)


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "needed"),
    [
        ({"match": "token"}, "match token: of strings without a text …"),
        ({"match": "overlap"}, "match overlap: of strings without a text …"),
        ({"tolerance": 1}, "match exact-within-1: of strings without a text …"),
        ({"chance": "overlapping"}, f"chance: {NO_TEXT}, …"),
        ({"chance_of": "systems"}, f"chance_of: {NO_TEXT}, …"),
        ({"places": "words"}, f"places: {NO_TEXT}, …"),
        ({"unplaced": "ignore"}, "unplaced ignore: not of strings …"),
    ],
)
def test_settings_that_need_a_text(settings, needed):
    with refuses(sa.SettingError, needed):
        sa.evaluate(sa.read(ROWS, strings=True), **settings)


@pytest.mark.parametrize(
    "ask",
    [
        sa.difficulty,
        sa.token_labels,
        sa.alpha_u,
        sa.gamma,
        lambda corpus: sa.disagreements(corpus, "gold", "model"),
        lambda corpus: sa.systems.strategy_scores(sa.evaluate(corpus)),
        lambda corpus: sa.systems.chance_test(corpus, sa.evaluate(corpus)),
    ],
)
def test_results_that_need_a_text(ask):
    with refuses(sa.SettingError, "… text …"):
        ask(sa.read(ROWS, strings=True))


def test_files_of_strings(tmp_path, capsys):
    """A check counts their strings, and a command that is told of strings takes them; by hand."""
    path = tmp_path / "strings.jsonl"
    write_jsonl(sa.read(ROWS, strings=True), path)
    assert main(["check", str(path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["summary"]["segments"] == 9
    assert found["summary"]["segment_length"] == [2, 2, 4]
    assert found["summary"]["document_length"] == []
    rows = {row["annotator"]: row for row in found["tables"]["annotators"]}
    assert rows["gold"]["labels"] == {"LOC": 1, "PER": 3}
    assert rows["model"]["labels"] == {"LOC": 2, "PER": 3}
    assert [row["marked_nothing"] for row in rows.values()] == [1, 1]
    assert main(["check", str(path)]) == 0
    assert "6 annotations, 9 segments; strings without a text\n" in capsys.readouterr().out
    results = []
    for options in ([], ["--strings"]):
        assert main(["evaluate", str(path), *options]) == 0
        results.append(capsys.readouterr().out)
    assert results[0] == results[1]
    assert sa.read(path, strings=True) == sa.read(path)
    placed = tmp_path / "placed.jsonl"
    write_jsonl(sa.Corpus.from_segments([5], {"a": [[(0, 2, "PER")]]}), placed)
    with refuses(sa.SettingError, "… its segments have places in a text: leave strings out"):
        sa.read(placed, strings=True)


@pytest.mark.parametrize("command", ["check", "gold", "disagreements", "evaluate", "agree"])
def test_advice_for_rows_without_a_text(command, tmp_path, capsys):
    """Every command names those that compare strings, as not every one does."""
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    assert main([command, str(path)]) != 0
    advice = "evaluate and agree compare strings that are in no text, by --strings (strings=True)"
    assert advice in capsys.readouterr().err
    with refuses(sa.SettingError, f"… {advice}"):
        sa.read([{key: row[key] for key in ("id", "gold", "model")} for row in ROWS],
                spans={"gold": "gold", "model": "model"})  # fmt: skip


def test_seen_of_strings(tmp_path, capsys):
    """They are looked for in no text, so the training file is not even opened."""
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    options = ["--strings", "--by", "seen", "--seen", f"{path}"]
    assert main(["evaluate", f"{path}", *options]) != 0
    error = capsys.readouterr().err.splitlines()[-1]
    assert "group_by seen: not of strings without a text" in error
    assert "--strings" not in error


def test_other_files_cannot_hold_strings(tmp_path, capsys):
    write_jsonl(sa.read(ROWS, strings=True), tmp_path / "strings.jsonl")
    assert main(["convert", f"{tmp_path}/strings.jsonl", "-o", f"{tmp_path}/out.spacy"]) != 0
    assert "strings without a text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spans", "needed"),
    [
        ([{"start": 0, "end": 2, "label": "X"}], "… a string with its label is needed …"),
        ([{"text": " ", "label": "X"}], "… a string with its label is needed …"),
        ([{"text": "Jo", "label": "X"}, "Al"], "… a string without a label, which others have"),
        (
            [{"text": "Jo", "label": "X"}, {"text": "Al", "label": ""}],
            "annotator 'gold', document '1': quote 'Al' without a label needs one; --repair …",
        ),
    ],
)
def test_spans_that_are_no_strings(spans, needed):
    with refuses(sa.InputError, needed):
        sa.read([{"id": "1", "gold": spans, "model": []}], strings=True)


def test_without_labels_at_all():
    row = {"id": "1", "gold": ["Jo", "Al"], "model": ["Jo"]}
    corpus = sa.read([row], strings=True, spans={"gold": "gold", "model": "model"})
    assert corpus.labels == ("span",)
    assert sa.evaluate(corpus)["model"].f1.observed == pytest.approx(2 / 3)


def test_rows_without_a_text_name_the_option():
    with refuses(sa.SettingError, "neither text nor tokens; … --strings (strings=True) …"):
        sa.read(ROWS)
