"""A corpus with relations, pieces and attributes, in every output; and bad files, with their repair."""

import json

import pytest

import spanagree as sa
from spanagree.cli.main import main
from spanagree.formats import write_jsonl


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    """Three annotators, of whom one saw four documents of six: they differ in all of it."""

    def marked(shift, value):
        effect = ([(2, 4), (6 + shift, 8)], "Effect", {"negated": value})
        return [(0, 1, "Drug"), effect, (9, 10, "Drug")]

    layers = {
        "ann": [marked(0, "yes")] * 6,
        "bob": [marked(1, "no")] * 3 + [marked(0, "no")] * 3,
        "cem": [marked(0, "yes")] * 4 + [None] * 2,
    }
    links = {
        "ann": [[(0, 1, "causes"), (0, 2, "with")]] * 6,
        "bob": [[(2, 0, "with")]] * 3 + [[(0, 1, "causes")]] * 3,
        "cem": [[(0, 1, "causes")]] * 4 + [None] * 2,
    }
    made = sa.Corpus.from_segments([12] * 6, layers, relations=links)
    words = tuple(f"w{i}" for i in range(12))
    path = tmp_path_factory.mktemp("four") / "four.jsonl"
    write_jsonl(made.replace(tokens=words * 6).with_ids(), path)
    return path


WHAT = {
    "segments": [],
    "relations": ["--what", "relations"],
    "attributes": ["--what", "attributes"],
    "both": ["--attribute", "negated"],
    "near": ["--discontinuous", "hull", "--tolerance", "1"],
}
OUTPUTS = {
    "table": [],
    "json": ["--format", "json"],
    "csv": ["--format", "csv"],
    "latex": ["--format", "latex"],
    "ci": ["--ci"],
    "by": ["--by", "document"],
}


@pytest.mark.long
@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("command", ["evaluate", "agree"])
def test_outputs(four, command, what, capsys):
    """Each output has the F1 that Python gives."""
    corpus = sa.read(four, discontinuous="hull" if what == "near" else "keep")
    named = WHAT[what][2 * (what == "near") :]
    settings = {k.strip("-"): int(v) if v.isdigit() else v for k, v in zip(*[iter(named)] * 2)}  # noqa: B905
    if command == "evaluate":
        f1 = sa.evaluate(corpus, **settings)["bob"].f1.observed
    else:
        f1 = sa.agree(corpus, **settings).team.f1.observed
    for name, output in OUTPUTS.items():
        by = ["--by", "pair"] if (name, command) == ("by", "agree") else output
        assert main([command, str(four), *WHAT[what], *by, "--quiet"]) == 0
        out = capsys.readouterr().out
        written = {"table": f"{f1:.3f}", "latex": f"{100 * f1:.2f}", "json": f'"observed": {f1}'}
        assert written.get(name, "") in out


@pytest.mark.long
@pytest.mark.parametrize(
    "line",
    [
        ["disagreements"],
        ["disagreements", "--between", "ann", "bob"],
        ["disagreements", "--between", "ann", "bob", "--what", "relations"],
        ["disagreements", "--by", "label"],
        ["evaluate", "--test", "chance"],
        ["evaluate", "--test", "chance", "--what", "relations"],
        ["check"],
        ["report", "-o", "report.html"],
        ["report", "--gold", "ann", "-o", "report.html"],
        ["convert", "--to", "brat", "-o", "brat"],
        ["convert", "--to", "jsonl", "-o", "again.jsonl"],
    ],
    ids=" ".join,
)
def test_commands(four, line, tmp_path, monkeypatch, capsys):
    """Every command takes it; what is written has all of it again."""
    monkeypatch.chdir(tmp_path)
    command, *others = line
    assert main([command, str(four), *others]) == 0
    assert capsys.readouterr().err.count("error") == 0
    if command == "convert":
        again = sa.read(others[-1])
        corpus = sa.read(four)
        assert len(again.relations) == len(corpus.relations) == 22
        assert sum((layer.shape > 0).sum() for layer in again.layers.values()) == 16


@pytest.mark.long
def test_parts(four):
    """Parts add up to the whole, relations and pieces too."""
    corpus = sa.read(four)
    three = [corpus.subset(range(k, k + 2)) for k in (0, 2, 4)]
    for settings in ({}, {"what": "relations"}, {"what": "attributes"}):
        whole, parts = sa.agree(corpus, **settings), sa.agree(three, **settings)
        assert parts.team.f1 == whole.team.f1


TEXT = "Jo met Al in Rome"
BRAT = "T1\tPER 0 2\tJo\nT2\tLOC 13 17\tRome\n"
MARKS = [{"start": 0, "end": 2, "label": "PER"}, {"start": 13, "end": 17, "label": "LOC"}]
IN = {"first": 0, "second": 1, "label": "in"}


@pytest.mark.parametrize(
    ("rows", "links", "message", "repair"),
    [
        ("R1\tin Arg1:T1 Arg2:T9\n", [{**IN, "second": 9}], "a segment that is not there", "drop-relations"),
        ("R1\tin Arg1:T1 Arg2:T1\n", [{**IN, "second": 0}], "a segment with itself", "drop-relations"),
        ("R1\tin Arg1:T1 Arg2:T2\nR2\tin Arg1:T1 Arg2:T2\n", [IN, IN], "stands twice", "drop-relations"),
        ("T3\tX 0 5;3 6\tJo met\n", None, "pieces that overlap", "join-pieces"),
    ],
)  # fmt: skip
def test_bad_files(tmp_path, rows, links, message, repair, capsys):
    """Refused with place and repair, which then helps; ``check`` counts it. From brat and JSONL."""
    folder = tmp_path / "brat"
    folder.mkdir()
    (folder / "d.txt").write_text(TEXT)
    (folder / "d.ann").write_text(BRAT + rows)
    paths = [folder]
    pieces = {"start": 0, "end": 6, "pieces": [[0, 5], [3, 6]], "label": "X"}
    entry = {
        "spanagree": 1,
        "offsets": "characters",
        "id": "d",
        "text": TEXT,
        "annotators": {"ann": [*MARKS, *([pieces] * (links is None))]},
    }
    entry |= {"relations": {"ann": links}} if links else {}
    (tmp_path / "d.jsonl").write_text(json.dumps(entry) + "\n")
    paths.append(tmp_path / "d.jsonl")
    for path in paths:
        with pytest.raises(sa.InputError, match=message) as refused:
            sa.read(path)
        assert f"--repair {repair}" in str(refused.value)
        assert "d" in str(refused.value)
        assert len(sa.read(path, repair=repair)) == 1
        main(["check", str(path)])
        assert repair in capsys.readouterr().out
