"""JSON of every command: the keys that docs/json.md names, held against the schema in the package."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import pytest

import spanagree as sa
from spanagree.cli.group import spanagree
from spanagree.cli.main import main

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads(files("spanagree.results").joinpath("schema.json").read_text("utf-8"))
GOLD = "corpora/newsroom/gold.conll corpora/newsroom/tagger.conll corpora/newsroom/lexicon.conll"
CROWD, LABELS = "corpora/crowd/crowd.jsonl", "labels.csv"
FEW = "--ci"
VOTES = "corpora/newsroom/votes.jsonl --tokens tokens --spans gold=gold,votes=votes"
RUNS = "corpora/newsroom/runs.jsonl --tokens tokens --spans gold=gold,a=tagger1,b=tagger2,c=tagger3,d=lexicon --runs ours=a,b,c"
LINES = {
    "evaluate": [
        f"{GOLD} --by document", f"{GOLD} {FEW}", f"{GOLD} --by difficulty", f"{GOLD} --test permutation --resamples 20",
        f"{GOLD} --beta 2 --by label {FEW}", f"{VOTES} --sweep score", f"{RUNS} --ci --test jackknife",
        f"{GOLD} --by length --ci", f"{GOLD} --test chance", f"{CROWD} --systems dia --by annotator {FEW}", f"{CROWD} --systems dia --by label",
    ],
    "alt-test": [f"{CROWD} --candidate ann --epsilon 0.1 --match token --by annotator"],
    "agree": [
        f"{CROWD} {FEW}", f"{CROWD} --by pair --test chance", f"{CROWD} --by annotator {FEW}", f"{CROWD} --by document",
        f"{CROWD} --measure alpha-u --by pair {FEW}", f"{CROWD} --measure gamma", f"{CROWD} --measure all",
        f"{CROWD} --measure documents {FEW}", f"{CROWD} --by (.)$ --ci",
    ],
    "coefficients": [f"{LABELS} {FEW}", f"{LABELS} --by pair", f"{LABELS} --by item", f"{CROWD} --tokens --by label {FEW}", f"{CROWD} --tokens --by (.)$ {FEW}"],
    "disagreements": [CROWD, f"{CROWD} --between ann bob", f"{CROWD} --by label", f"{CROWD} --by expected"],
    "difficulty": [GOLD],
    "chance": ["--length 9 --segments 2,3"],
    "gold": [f"{CROWD} --by adjudicate", f"{CROWD} --vote tokens"],
    "plan": [f"{CROWD} --width 0.1"],
    "check": [CROWD],
}  # fmt: skip


def test_every_command_is_known():
    """Each command that writes JSON has a line here."""
    writes = {
        name
        for name, command in spanagree.commands.items()
        for parameter in command.params
        if "json" in getattr(parameter.type, "choices", ())
    }
    assert writes == LINES.keys()


@pytest.mark.parametrize(
    ("command", "line"), [(command, line) for command, lines in LINES.items() for line in lines]
)
def test_the_schema_holds(command, line, capsys, tmp_path, newsroom):
    """What a command writes fits the schema, and each row of a table has the same columns but reasons."""
    table = tmp_path / "labels.csv"
    table.write_text("item,annotator,label\n1,ann,x\n1,bob,y\n2,ann,x\n2,bob,x\n3,ann,y\n", "utf-8")
    arguments = [
        part.replace("corpora/", f"{newsroom.parent}/").replace(LABELS, str(table))
        for part in line.split()
    ]
    assert main([command, *arguments, "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    jsonschema.validate(result, SCHEMA)
    for rows in result["tables"].values():
        columns = [row.keys() - {"undefined", "interval", "unaligned"} for row in rows]
        assert all(keys == columns[0] for keys in columns)


def test_undefined_has_its_reason():
    """A score of nothing is null in JSON, and the row says why."""
    corpus = sa.Corpus.from_segments([4], {"gold": [[]], "mine": [[]]})
    result = sa.evaluate(corpus)
    (row,) = result.to_dict()["tables"]["systems"]
    assert math.isnan(result["mine"].f1.observed)
    assert row["f1"]["observed"] is None
    assert row["f1"]["undefined"] == result["mine"].f1.reason


@pytest.mark.parametrize("match", ["exact", "iou"])
def test_a_match_is_of_one_kind(match):
    """A count is a whole number everywhere in a result, a sum of similarities a float: 0 or 0.0.

    X is marked by nobody where two annotators meet.
    """
    marked = {"a": [[], [(0, 1, "X")]], "b": [[], None], "c": [[], None]}
    corpus = sa.Corpus.from_segments([3, 3], marked)
    results = sa.evaluate(corpus, "a", match=match), sa.agree(corpus, match=match)
    kind = {"exact": int, "iou": float}[match]
    for result in results:
        for by in result.BY:
            rows = result.table(by).to_rows()
            found = {type(row["matched"]) for row in rows if row.get("matched") is not None}
            assert found <= {kind}, by
        assert type(next(iter(result.to_dict("label")["tables"].values()))[0]["matched"]) is kind
    assert type(results[1].pairs["b", "c"].tally.matched) is kind


def test_a_dataset_of_nothing_marked_has_no_label(tmp_path):
    """Where spans have no labels all are called span; without spans there is nothing to call so."""
    path = tmp_path / "x.json"
    path.write_text('[{"id": "a", "text": "Jo met", "spans": []}]', "utf-8")
    assert sa.read(path).labels == ()
    path.write_text('[{"id": "a", "text": "Jo met", "spans": [[0, 2]]}]', "utf-8")
    assert sa.read(path).labels == ("span",)


KINDS = {
    "agree --by pair": "abc", "agree --by label": "abc", "evaluate --systems c --by label": "acd",
    "evaluate --gold a --by label": "ac", "evaluate --gold a --by difficulty": "ac",
    "coefficients --tokens --by category": "abc",
}  # fmt: skip
"""Commands whose breakdown has an exact interval, and the whole none, with their annotators."""


@pytest.mark.parametrize(("line", "annotators"), KINDS.items())
def test_kinds_of_intervals_in_the_signature(line, annotators, capsys, tmp_path):
    """The signature names the kinds that rows of the breakdown name, as that of text and CSV does.

    All mark A alike; c and d mark B elsewhere than a and b do, in every second long document each.
    """
    right, wrong = [[0, 1, "A"], [3, 4, "B"]], [[0, 1, "A"], [2, 3, "B"]]
    with (path := tmp_path / "x.jsonl").open("w", encoding="utf-8") as file:
        for i in range(12):
            marked = {
                name: wrong if i % 4 == {"c": 1, "d": 3}.get(name) else right for name in annotators
            }
            tokens = ["x"] * (25 if i % 2 else 5)
            file.write(json.dumps({"id": f"{i}", "tokens": tokens, "annotators": marked}) + "\n")
    command, *options = line.split()
    printed = {}
    for form in ("text", "csv", "json"):
        assert main([command, str(path), *options, "--ci", "--format", form]) == 0
        printed[form] = capsys.readouterr().out.replace("|\n  ", "|")
    for kind in ("jackknife-t", "exact"):
        assert f'"kind": "{kind}"' in printed["json"]
    assert json.loads(printed["json"])["settings"]["ci"] == "jackknife-t95+exact95"
    assert all("|ci:jackknife-t95+exact95|" in text for text in printed.values())
