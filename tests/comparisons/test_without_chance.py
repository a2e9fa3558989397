"""Raw figures stand where no chance model goes with the segments or the measure, with the reason."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import at_most, halves

import spanagree as sa
from spanagree.choices import Test, list_names
from spanagree.cli.main import main
from spanagree.formats.jsonl import write_jsonl
from spanagree.limits import NUMBERS
from spanagree.report.citation import cite
from spanagree.units.all_measures import compare_measures

NESTED = [(0, 6, "X"), (0, 2, "X"), (8, 9, "Y")]
FLAT = [(0, 6, "X"), (8, 9, "Y")]
REASON = "match overlap has chance only where no two segments of one annotator and label overlap"


def of(*layers, length=12, documents=3):
    """A corpus whose documents are alike."""
    names = ("gold", *(f"s{i}" for i in range(1, len(layers))))
    by_name = {name: [layer] * documents for name, layer in zip(names, layers, strict=True)}
    return sa.Corpus.from_segments([length] * documents, by_name)


NESTED_CORPUS = of(NESTED, FLAT, NESTED[:1])


@st.composite
def crowds(draw):
    """Two annotators over up to three documents, whose segments may overlap in any way."""
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))

    def document(length):
        start = st.integers(0, length - 1)
        segment = start.flatmap(
            lambda s: st.tuples(st.just(s), st.integers(s + 1, length), st.sampled_from("XY"))
        )
        return draw(st.lists(segment, max_size=4, unique=True))

    return sa.Corpus.from_segments(
        lengths, {name: [document(n) for n in lengths] for name in ("gold", "mine")}
    )


def shares_a_token(a, b):
    return a.start < b.end and b.start < a.end


PHI = {
    ("overlap", 0): lambda a, b: int(a.label == b.label and shares_a_token(a, b)),
    ("partial", 0): lambda a, b: Fraction(shares_a_token(a, b) + (a[:2] == b[:2]), 2),
    ("boundaries", 0): lambda a, b: int(a[:2] == b[:2]),
    ("exact", 1): lambda a, b: int(
        a.label == b.label and abs(a.start - b.start) <= 1 and abs(a.end - b.end) <= 1
    ),
    ("boundaries", 1): lambda a, b: int(abs(a.start - b.start) <= 1 and abs(a.end - b.end) <= 1),
}
"""What two segments count, by measure and tolerance."""


def greatest(a, b, phi):
    """Enumerate all ways to pair segments one to one."""
    few, many = sorted((a, b), key=len)
    ways = itertools.permutations(many, len(few))
    return max(sum(phi(x, y) for x, y in zip(few, way, strict=True)) for way in ways)


@given(crowds(), st.sampled_from(sorted(PHI)))
@at_most(150)
def test_raw_match_is_the_greatest_matching(corpus, measure):
    """Oracle: enumeration of all pairings, in fractions; whether there is chance or not."""
    match, tolerance = measure
    more = {"tolerance": tolerance} if tolerance else {}
    found = sa.evaluate(corpus, "gold", match=match, **more)["mine"]
    wanted = sum(
        greatest(document.segments["gold"], document.segments["mine"], PHI[measure])
        for document in corpus
    )
    assert found.tally.matched == wanted
    size = sum(len(s) for document in corpus for s in document.segments.values())
    if size:
        assert found.f1.observed == pytest.approx(float(Fraction(2 * wanted, size)))
    assert sa.agree(corpus, match=match, **more).team.tally.matched == wanted


@given(crowds(), st.sampled_from(sorted(PHI)), st.randoms(use_true_random=False))
@at_most(60)
def test_parts_decide_on_the_whole(corpus, measure, random):
    match, tolerance = measure
    more = {"match": match, **({"tolerance": tolerance} if tolerance else {})}
    whole = sa.evaluate(corpus, "gold", **more)
    parts = sa.evaluate(list(halves(corpus, random)), "gold", **more)
    assert dict(parts.settings) == dict(whole.settings)
    assert parts["mine"].tally.matched == whole["mine"].tally.matched
    np.testing.assert_allclose(parts["mine"].f1[:3], whole["mine"].f1[:3], rtol=1e-12)
    if whole.settings.chance == "none":
        assert math.isnan(parts["mine"].f1.expected)


def test_an_iterator_of_parts_is_gone_over_once():
    parts = iter([of(FLAT, FLAT, documents=1), of(NESTED, FLAT, documents=1)])
    with refuses(sa.SettingError, f"part 2: {REASON}, … give the parts as a list, …"):
        sa.evaluate(parts, match="overlap")


def test_what_is_said():
    """The reason is in settings, the verdict and one remark; JSON has null and CSV is empty."""
    result = sa.evaluate(NESTED_CORPUS, match="overlap", ci=True)
    assert result.settings["chance_undefined"] == REASON
    assert result.verdict.startswith("By F1 the order is s1 (.800), s2 (.500), on 3 documents")
    assert f"chance is undefined, so figures are raw: {REASON}." in result.verdict
    said = f"chance and corrected figures are undefined: {REASON}"
    assert result.table().remarks.count(said) == 1
    assert not [remark for remark in result.table().remarks if "corrected F1 undefined" in remark]
    data = json.loads(result.to_json())
    system = data["tables"]["systems"][0]
    assert (system["f1"]["observed"], system["f1"]["corrected"]) == (pytest.approx(0.8), None)
    assert system["f1"]["undefined"] == "chance is undefined"
    row = result.to_csv().splitlines()[1].split(",")
    header = result.to_csv().splitlines()[0].split(",")
    assert row[header.index("f1_expected")] == row[header.index("f1_corrected")] == ""
    assert math.isnan(result["s1"].f1.expected)
    assert result["s1"].rank == (1, None)


def test_signature_is_read_back():
    signature = sa.evaluate(NESTED_CORPUS, match="overlap").signature
    assert "|chance:none|" in signature
    text = " ".join(cite(signature).split())
    assert "Chance is undefined for these" in text
    assert "(observed − expected)" not in text
    by_label = cite(signature.replace("chance:none", "chance:per-label"))
    assert "(observed − expected)" in " ".join(by_label.split())


@pytest.mark.parametrize("match", ["token", "iou"])
def test_measures_that_count_a_token_twice_are_refused(match):
    """Raw they would exceed 1: the measure itself does not take such segments."""
    with refuses(sa.SettingError, f"… which match {match} does not allow; …"):
        sa.evaluate(NESTED_CORPUS, match=match)


@pytest.mark.parametrize(
    "named", [{"chance": "per-label"}, {"chance": "overlapping"}, {"chance_of": "systems"}]
)
def test_what_was_named_is_refused(named):
    with refuses(sa.SettingError, "… match overlap …"):
        sa.evaluate(NESTED_CORPUS, match="overlap", **named)


def test_chance_is_refused_and_left_out():
    result = sa.evaluate(NESTED_CORPUS, match="overlap", p_values=True)
    assert not result.by_chance
    with refuses(sa.SettingError, f"p against chance: chance is undefined here; {REASON}"):
        sa.systems.chance_test(NESTED_CORPUS, result)
    with refuses(sa.SettingError, "p_values: chance is undefined here; …"):
        sa.agree(NESTED_CORPUS, match="overlap", p_values=True)


@pytest.mark.parametrize("match", ["token", "iou"])
def test_too_much_work(match, monkeypatch):
    """What exact chance would cost refuses no raw figure, unless the model was named."""
    layers = {
        name: [[(200 * i, 200 * i + 9, "X") for i in range(20)]] * 2 for name in ("gold", "mine")
    }
    corpus = sa.Corpus.from_segments([60_000] * 2, layers)
    plain = sa.evaluate(corpus, match=match)["mine"].f1
    monkeypatch.setenv(NUMBERS, "10")
    result = sa.evaluate(corpus, match=match)
    assert result["mine"].f1.observed == plain.observed == 1
    assert math.isnan(result["mine"].f1.expected)
    assert "10 are allowed" in result.settings["chance_undefined"]
    parts = sa.evaluate([corpus.subset([0]), corpus.subset([1])], match=match)
    assert dict(parts.settings) == dict(result.settings)
    assert sa.agree(corpus, match=match).team.f1.observed == 1
    with refuses(sa.SettingError, "… 10 are allowed; …"):
        sa.evaluate(corpus, match=match, chance="nonoverlapping")


def test_pieces_under_a_one_to_one_measure():
    """Oracle, by hand: 0–2;4–6 shares a token with 1–2, and with nothing at 2–4."""
    gold = [([(0, 2), (4, 6)], "X")]
    corpus = sa.Corpus.from_segments(
        [9, 9], {"gold": [gold] * 2, "s1": [[(1, 2, "X")], [(2, 4, "X")]]}
    )
    result = sa.evaluate(corpus, match="overlap")
    assert result["s1"].f1.observed == 0.5
    assert result.settings["chance_undefined"] == (
        "match overlap has chance only where segments have one piece"
    )
    with refuses(sa.SettingError, "match partial pairs segments of one piece, …"):
        sa.evaluate(corpus, match="partial")


def test_rows_in_files(tmp_path):
    rows = sa.evaluate(NESTED_CORPUS, match="overlap").rows
    rows.write(tmp_path / "rows.npz")
    read = sa.systems.ComparedSystems.read(tmp_path / "rows.npz")
    result = sa.evaluate([read], match="overlap")
    assert result.settings["chance_undefined"] == REASON
    assert result["s1"].f1.observed == pytest.approx(0.8)
    with refuses(sa.SettingError, "… chance …"):
        sa.evaluate([read], match="overlap", chance="nonoverlapping")


def test_quotes_without_a_place():
    """A document with nothing but such a quote has no chance either."""
    gold = [{"start": 0, "end": 6, "label": "X"}, {"start": 0, "end": 2, "label": "X"}]
    rows = [
        {"id": "a", "text": "ab cd ef", "gold": gold, "model": gold[:1]},
        {"id": "b", "text": "ab cd ef", "gold": [], "model": [{"text": "zz", "label": "X"}]},
    ]
    result = sa.evaluate(sa.read(rows), "gold", match="overlap")
    assert [tally.f1[:1] for _, tally in result.by_document("model")] == [(2 / 3,), (0.0,)]
    assert all(math.isnan(tally.f1.expected) for _, tally in result.by_document("model"))


# --- what is made of raw figures ------------------------------------------------------------------


def test_comparisons_of_systems():
    corpus = of(NESTED, NESTED, NESTED[:1], documents=20)
    result = sa.evaluate(corpus, match="overlap")
    for test in list_names(Test):
        found = sa.compare_systems(result, test=test)
        assert found["s1", "s2"].observed.value == pytest.approx(0.5)
        assert math.isnan(found["s1", "s2"].corrected.value)
        assert "s1 has the highest F1 (1.000)" in found.verdict
        assert REASON in found.verdict
    runs = sa.systems.score_runs(result, {"ours": ["s1", "s2"]})
    assert runs["ours"].f1.observed == pytest.approx(0.75)
    assert "ours has 1.000 and .500 in its 2 runs" in runs.verdict


def test_slices_are_of_raw_figures():
    result = sa.evaluate(NESTED_CORPUS, match="overlap")
    found = sa.slices.score_slices(result, {"1": "a", "2": "b", "3": "b"})
    assert found.no_chance == REASON
    assert [part.scores["s1"].f1.observed for part in found.slices] == [pytest.approx(0.8)] * 2
    flat = sa.evaluate(of(FLAT, FLAT), match="overlap")
    with refuses(sa.SettingError, "… is of chance nonoverlapping, … such figures are not compared"):
        sa.slices.score_slices({"first": flat, "second": result})


def test_agreement_by_annotator_and_pair():
    result = sa.agree(of(NESTED, FLAT, FLAT, documents=12), match="overlap")
    assert result.verdict.startswith("The team: F1")
    assert REASON in result.verdict
    assert all(math.isnan(row["f1_expected"]) for row in result.to_rows("pair"))
    assert result.sorted("corrected").members[0].name == "gold"
    assert math.isnan(result.mean.corrected)
    assert result.mean.observed == pytest.approx((0.8 + 0.8 + 1) / 3)


def test_alternatives_and_references():
    corpus = of(NESTED, NESTED, FLAT, documents=40)
    found = sa.alt_test(corpus, "s2", epsilon=0.2, match="overlap")
    assert list(found.verdicts) == ["observed"]
    against = sa.evaluate_references(corpus, systems=["s2"], match="overlap")
    assert against["s2"].f1.observed == pytest.approx(0.8)
    assert "people agree with each other to 1.000" in against.verdict


def test_measures_side_by_side():
    """The measures that go with the segments have their chance; overlap is raw."""
    found = compare_measures(of(NESTED, FLAT), time_limit=None, precision=0.5)
    raw = found.measures["corrected F1, overlap"]
    assert (raw.observed, raw.reason) == (pytest.approx(0.8), REASON)
    assert found.measures["corrected F1, exact"].expected > 0
    assert math.isnan(found.measures["corrected F1, token"].observed)
    named = compare_measures(of(NESTED, FLAT), chance="overlapping", time_limit=None, precision=0.5)
    assert math.isnan(named.measures["corrected F1, overlap"].observed)


def test_pieces_side_by_side():
    """What needs one piece is undefined, with its reason, and F1 stands."""
    gold = [([(0, 2), (4, 6)], "X")]
    found = compare_measures(of(gold, gold))
    assert found.measures["corrected F1, exact"].observed == 1
    assert "several pieces" in found.measures["γ"].reason


def test_difficulty_is_undefined():
    found = sa.difficulty(NESTED_CORPUS, "gold", match="overlap")
    assert not found.defined.any()
    assert REASON in found.verdict


def test_disagreements_are_of_raw_figures():
    """The rank by 1 − F1 needs no chance; by hand, 2 of 3 and 1 of 2 segments match in each pair."""
    disputes = sa.project.disputes(NESTED_CORPUS, match="overlap")
    # pairs: gold (3) and s1 (2) match 2; gold and s2 (1) match 1; s1 and s2 match 1
    assert [document.disagreement for document in disputes.documents] == [1 - 2 * 4 / 12] * 3
    assert all(math.isnan(document.disagreement_expected) for document in disputes.documents)
    assert REASON in " ".join(str(disputes).split())
    assert "chance:none" in disputes.signature
    with refuses(sa.SettingError, f"sort unexpected: chance is undefined here; {REASON}"):
        sa.project.disputes(NESTED_CORPUS, match="overlap", sort="unexpected")
    with refuses(
        sa.SettingError, "… overlap, which match overlap and chance per-label does not allow"
    ):
        sa.project.disputes(NESTED_CORPUS, match="overlap", chance="per-label")


@pytest.mark.parametrize("team", [[], ["--team"]])
def test_reports_open(team, tmp_path, capsys):
    write_jsonl(NESTED_CORPUS, tmp_path / "corpus.jsonl")
    report = tmp_path / "report.html"
    code = main(
        ["report", str(tmp_path / "corpus.jsonl"), "--match", "overlap", "-o", str(report), *team]
    )
    assert code == 0, capsys.readouterr().err
    assert REASON in report.read_text("utf-8")


def test_by_document_on_the_command_line(tmp_path, capsys):
    write_jsonl(NESTED_CORPUS, tmp_path / "corpus.jsonl")
    arguments = ["evaluate", str(tmp_path / "corpus.jsonl"), "--match", "overlap"]
    assert main([*arguments, "--by", "document"]) == 0
    assert capsys.readouterr().out.count(REASON[:30]) >= 1
