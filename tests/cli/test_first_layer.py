"""Which layer is gold where nobody named one: said, and in the signature, if only lines' order says it."""

from __future__ import annotations

import json

import pytest

import spanagree as sa

LAYERS = {"ann": [[(0, 2, "X")]], "bob": [[(0, 2, "X"), (3, 4, "X")]], "cem": [[(1, 2, "X")]]}


def written(path, names):
    """Write the layers of some annotators in this order."""
    layers = {name: LAYERS[name.removesuffix("_gold")] for name in names}
    sa.write_jsonl(sa.Corpus.from_segments([9], layers, ids=["1"]), path)
    return path


@pytest.mark.long
@pytest.mark.parametrize("by", [None, "difficulty", "document"])
def test_the_order_of_a_file(run, tmp_path, by):
    """Who comes first in a file is gold with a note, which JSON has; two orders, two signatures."""
    how = ("--format", "json", *(("--by", by) if by else ()))
    signatures = []
    for first, *others in (("ann", "bob", "cem"), ("cem", "ann", "bob")):
        path = written(tmp_path / f"{first}.jsonl", [first, *others])
        code, out, err = run("evaluate", path, *how)
        note = (
            f"gold is {first}, the first annotator in the file; --gold NAME makes another gold, and"
            " spanagree agree compares annotators without it"
        )
        data = json.loads(out)
        assert (code, note in err) == (0, True)
        if by != "difficulty":
            assert data["notes"][0] == note
            assert f"|gold:{first}|" in data["signature"]
        signatures.append(data["signature"])
        named, out, err = run("evaluate", path, "--gold", others[0], *how)
        assert (named, "the first layer" in err) == (0, False)
    assert by == "difficulty" or len({*signatures}) == 2


@pytest.mark.long
def test_the_report(run, tmp_path):
    """The report has the signature with gold, and the command says the note; of a team neither."""
    path, page = written(tmp_path / "a.jsonl", LAYERS), tmp_path / "r.html"
    code, _, err = run("report", path, "-o", page)
    assert code == 0
    assert err.startswith(
        "spanagree: note: gold is ann, the first annotator in the file; --gold NAME"
    )
    assert "|gold:ann|" in page.read_text("utf-8")
    for options in (["--team"], ["--systems", "ann"]):
        code, _, err = run("report", path, *options, "-o", page)
        assert (code, "first layer" in err, "gold:ann" in page.read_text("utf-8")) == (
            0,
            False,
            False,
        )


def test_an_order_that_a_user_chose(run, tmp_path):
    """Of files in order, and of a layer that is called gold, nothing is said and signed."""
    one, two = (written(tmp_path / f"{name}.jsonl", [name]) for name in ("ann", "bob"))
    called = written(tmp_path / "called.jsonl", ["ann_gold", "bob"])
    for files in ((one, two), (called,)):
        code, out, err = run("evaluate", *files)
        assert (code, "first layer" in err, "gold:" in out) == (0, False, False)
    table = tmp_path / "all.conll"
    table.write_text("a B-X O\nb O O\n\n")
    code, out, err = run("evaluate", table, "--columns", "mine=1,yours=2")
    assert (code, err, "gold:" in out) == (0, "", False)


def test_another_layer_is_called_gold(run, tmp_path):
    """The note names it; it is said once."""
    path = written(tmp_path / "a.jsonl", ["ann", "bob_gold"])
    code, _, err = run("evaluate", path)
    assert code == 0
    assert err.count("gold is ann") == 1
    assert "--gold bob_gold makes bob_gold gold, and" in err


@pytest.mark.parametrize(
    ("options", "expected"),
    [(["--digits", "-1"], 1), (["--digits", "16"], 1), (["--seed", "-1", "--test", "bootstrap"], 1),
     (["--confidence", "150", "--ci"], 1), (["--baseline", "foo"], 1), (["--nothing"], 2),
     (["--match", "exakt"], 2), (["--seed", "1"], 2)],
)  # fmt: skip
def test_exit_codes(run, tmp_path, options, expected):
    """A value out of range gives 1, and what the command line cannot be 2, as the page says."""
    code, out, err = run("evaluate", written(tmp_path / "a.jsonl", LAYERS), *options)
    assert (code, out) == (expected, "")
    assert err.startswith("spanagree: error: ")


def test_one_noun(run, tmp_path):
    """Remarks on few sentences call them as the header does, sentences."""
    table = tmp_path / "all.conll"
    table.write_text("a B-X B-X\n\nb O B-X\n\n")
    for command in ("evaluate", "agree"):
        _, out, _ = run(command, table, "--columns", "a=1,b=2")
        assert "only 2 sentences with anything to compare" in " ".join(out.split())
        for name in ("--measure documents", "measure:documents"):  # an option and its setting
            out = out.replace(name, "")
        assert "document" not in out
