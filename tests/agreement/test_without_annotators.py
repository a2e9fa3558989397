"""Agreement without some annotators beside the whole: by the others alone, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import at_most, crowds

import spanagree as sa
from spanagree.results.text import render


@pytest.fixture
def crowd(newsroom):
    return sa.read(newsroom.parent / "crowd" / "crowd.jsonl")


def f1_of(team):
    return team.f1.observed, team.f1.expected, team.f1.corrected


def test_one_is_as_her_row_says(crowd):
    """The team without one annotator is that of the column of each annotator."""
    whole = sa.agree(crowd)
    for name in crowd.annotators:
        found = sa.agree(crowd, without=[name])
        figures = f1_of(found.without.team)
        assert figures == pytest.approx(f1_of(whole[name].without), abs=1e-12)
        assert found.team == whole.team


@at_most(40)
@given(crowds(), st.data())
def test_the_others_alone(drawn, data):
    """It is the agreement of the others, to the last digit. Oracle: agree of these alone."""
    lengths, layers = drawn
    names = data.draw(st.lists(st.sampled_from([*layers]), max_size=len(layers), unique=True))
    corpus = sa.Corpus.from_segments(lengths, layers)
    left = [name for name in layers if name not in names]
    if len(left) < 2:
        with pytest.raises(sa.SettingError, match="left, and two are needed; name fewer"):
            sa.agree(corpus, without=names)
        return
    found, whole = sa.agree(corpus, without=names, ci=True), sa.agree(corpus, ci=True)
    assert found.team == whole.team
    assert found.annotators == whole.annotators
    if not names:
        assert found == whole
        return
    assert found.without == sa.agree(corpus, annotators=left, ci=True, chance=whole.settings.chance)
    assert found != whole


def test_the_whole_says_which(crowd):
    """Rows, verdict and signature name them; of each row there is what the others alone give."""
    found = sa.agree(crowd, without=["dia", "cem"])
    assert "|without:dia,cem|" in found.signature
    rows = {row["of"]: row for row in found.to_rows()}
    assert list(rows) == [
        *("team", "mean over pairs", "sd over pairs"),
        *("team without dia, cem", "mean over pairs without dia, cem"),
    ]
    alone = {row["of"]: row for row in sa.agree(crowd, annotators=["ann", "bob", "eli"]).to_rows()}
    for name in ("team", "mean over pairs"):
        row, other = rows[f"{name} without dia, cem"], alone[name]
        del row["of"], row["signature"], other["of"], other["signature"]
        assert row == other
    assert "without dia, cem: F1 .882; chance alone gives .070; corrected for chance .873." in found.verdict  # fmt: skip
    assert found.settings["without"] == ("dia", "cem")
    assert "without" not in sa.agree(crowd).settings


def test_chance_is_that_of_the_whole():
    """If somebody who overlaps herself is left out, chance stays what it was for all."""
    layers = {
        "a": [[(0, 2, "X"), (1, 3, "X")]],
        "b": [[(0, 2, "X")]],
        "c": [[(0, 2, "X")]],
    }
    found = sa.agree(sa.Corpus.from_segments([9], layers), without=["a"])
    assert found.settings.chance == found.without.settings.chance == "overlapping"


def test_places_are_beside_both(crowd):
    """With a rule of places each row has chance with and without it."""
    rows = {row["of"]: row for row in sa.agree(crowd, places="capitals", without=["dia"]).to_rows()}
    plain = {row["of"]: row for row in sa.agree(crowd, without=["dia"]).to_rows()}
    for name in ("team", "team without dia"):
        assert rows[name]["f1_expected_uniform"] == plain[name]["f1_expected"]
        assert rows[name]["f1_expected"] != plain[name]["f1_expected"]


def test_slices_have_none(crowd):
    """Slices are of all annotators, so their signature names nobody."""
    sliced = [sa.slices.score_slices(sa.agree(crowd, **more), "([0-9])$") for more in ({"without": ["dia"]}, {})]  # fmt: skip
    assert sliced[0].signature == sliced[1].signature


def test_parts(crowd):
    """Of parts that are compared one by one it is that of the whole; rows without segments have none."""
    halves = [crowd.subset(range(30)), crowd.subset(range(30, len(crowd)))]
    whole, found = (sa.agree(source, without=["dia"]) for source in (crowd, halves))
    assert found.without.team.f1.observed == whole.without.team.f1.observed
    assert found.without.team.f1.expected == pytest.approx(
        whole.without.team.f1.expected, abs=1e-12
    )


def test_rows_of_files_have_no_segments(crowd, tmp_path):
    """They refuse, and say so."""
    files = []
    for i, part in enumerate((range(30), range(30, len(crowd)))):
        files.append(tmp_path / f"{i}.npz")
        sa.agree(crowd.subset(part)).rows.write(files[-1])
    rows = [type(sa.agree(crowd).rows).read(file) for file in files]
    assert sa.agree(rows).team.documents == 62
    with pytest.raises(sa.SettingError, match="an agreement without some annotators"):
        sa.agree(rows, without=["dia"])


def test_few_documents_are_said():
    """What is shaky of the others has their name."""
    layers = {"a": [[(0, 2, "X")]] * 40, "b": [[(0, 2, "X")]] * 40, "c": [[(1, 3, "X")], *[None] * 39]}  # fmt: skip
    found = sa.agree(sa.Corpus.from_segments([9] * 40, layers), without=["b"])
    assert any(caveat.startswith("team without b: ") for caveat in found.caveats)


def test_refused(crowd):
    """Names are those of annotators, each once."""
    for names, said in (
        (["zoe"], "unknown annotator 'zoe'; allowed: ann, bob, cem, dia, eli"),
        (["dia", "dia"], "annotator 'dia' is named twice; once is enough"),
        ("dia", "annotators 'dia'; a list of names is needed"),
        (["ann", "bob", "cem", "dia"], "without ann, bob, cem, dia: 1 annotator left, and two are needed; name fewer"),
    ):  # fmt: skip
        with refuses(sa.SettingError, said):
            sa.agree(crowd, without=names)


def test_hostile_names(crowd):
    """Names from files are escaped where people see them."""
    layers = dict(zip(["a\x1b[31m", "b", "c", "d", "e"], crowd.layers.values(), strict=True))
    found = sa.agree(crowd.replace(layers=layers), without=["a\x1b[31m"])
    assert "\x1b" not in render(found.table()) + found.verdict + found.signature


def test_command(run, newsroom, crowd):
    """As in Python, in every format; not with slices or other measures."""
    path = newsroom.parent / "crowd" / "crowd.jsonl"
    asked = ("agree", path, "--without", "dia,cem")
    found = sa.agree(crowd, without=["dia", "cem"])
    assert json.loads(run(*asked, "--format", "json")[1]) == found.to_dict()
    assert "team without dia, cem             0.882" in run(*asked)[1]
    explained = run(*asked, "--explain")[1]
    assert "team without dia, cem: figures of the team without the named annotators" in explained
    for more in (("--by", "([0-9])"), ("--measure", "gamma"), ("--by", "file")):
        code, out, err = run(*asked, *more)
        assert (code, out) == (2, "")
        assert err.startswith(f"spanagree: error: --without does not go with {more[0]}")
    assert "unknown annotator 'zoe'" in run("agree", path, "--without", "zoe")[2]
