"""Without a name the chance model is the first that all layers of the whole corpus allow."""

from __future__ import annotations

import itertools
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import at_most, halves

import spanagree as sa
from spanagree.chance.start_distributions import CHANCES
from spanagree.cli.main import main
from spanagree.comparisons.measures import LABEL_OVERLAP, MEASURES, OVERLAP
from spanagree.units.all_measures import compare_measures

NESTED = [(0, 3, "X"), (1, 2, "Y")]
SAME = [(0, 3, "X"), (1, 2, "X")]
APART = [(0, 3, "X"), (4, 5, "Y")]


def of(*layers, length=9):
    """A corpus of one document."""
    return sa.Corpus.from_segments([length], {f"a{i}": [x] for i, x in enumerate(layers)})


@st.composite
def overlapping_crowds(draw):
    """Two or three annotators over up to three documents; segments may overlap in any way."""
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    layers = {
        name: [
            sorted(draw(st.sets(segments(n), max_size=3))) if draw(st.booleans()) else []
            for n in lengths
        ]
        for name in ("ann", "bob", "cem")[: draw(st.integers(2, 3))]
    }
    return sa.Corpus.from_segments(lengths, layers)


def segments(length):
    """A segment of a document of this length."""
    starts = st.integers(0, length - 1)
    return starts.flatmap(
        lambda start: st.tuples(
            st.just(start), st.integers(start + 1, length), st.sampled_from("XY")
        )
    )


def first_allowed(corpus):
    """By the segments themselves, two by two: the first model that forbids none of the pairs."""
    pairs = [
        (one.label == other.label)
        for document in corpus
        for segments in document.segments.values()
        for one, other in itertools.combinations(segments or (), 2)
        if one.start < other.end and other.start < one.end
    ]
    return "overlapping" if any(pairs) else "per-label" if pairs else "nonoverlapping"


@given(overlapping_crowds(), st.sampled_from(["exact", "boundaries"]))
@at_most(60)
def test_first_that_is_allowed(corpus, match):
    """Oracle: each two segments of an annotator. Figures are those under the named model."""
    chance = first_allowed(corpus)
    borders = [
        (number, name, start, end)
        for number, document in enumerate(corpus)
        for name, segments in document.segments.items()
        for start, end, _ in segments or ()
    ]
    if match == "boundaries" and len({*borders}) < len(borders):
        with refuses(sa.SettingError, "… which match boundaries does not allow; …"):
            sa.agree(corpus, match=match, chance="overlapping")
        assert sa.agree(corpus, match=match).settings.chance == "none"
        return
    expected = sa.agree(corpus, match=match, chance=chance)
    made = sa.agree(corpus, match=match)
    assert made.settings.chance == chance
    assert made.to_dict() == expected.to_dict()


@given(overlapping_crowds(), st.randoms(use_true_random=False))
@at_most(30)
def test_parts(corpus, random):
    """Parts are compared under the model of the whole, wherever it is cut."""
    whole = sa.agree(corpus)
    parts = sa.agree(list(halves(corpus, random)))
    assert parts.settings.chance == whole.settings.chance
    for name in ("matched", "expected", "size"):
        pair = (getattr(result.team.tally, name) for result in (parts, whole))
        assert next(pair) == pytest.approx(next(pair), rel=1e-12), name


@pytest.mark.parametrize("match", MEASURES)
def test_no_measure_meets_a_model_that_does_not_go_with_it(match):
    """What the measure allows has a chance model; what it does not has none, or no figure."""
    refused_by = {LABEL_OVERLAP: (SAME,), OVERLAP: (NESTED, SAME)}
    for layer in (APART, NESTED, SAME):
        is_refused = layer in refused_by.get(MEASURES[match].forbids, ())
        if is_refused and MEASURES[match].pairs_once:
            made = sa.evaluate(of(APART, layer), match=match)
            assert made.settings.chance == "none"
            assert made.systems["a1"].f1.observed <= 1
            assert math.isnan(made.systems["a1"].f1.expected)
            continue
        if is_refused:
            with pytest.raises(sa.SettingError, match=f"which match {match} does") as refused:
                sa.evaluate(of(APART, layer), match=match)
            assert "chance" not in str(refused.value)
            continue
        made = sa.evaluate(of(APART, layer), match=match)
        assert made.settings.chance in CHANCES
        assert 0 <= made.systems["a1"].f1.expected <= 1


def test_all_layers_of_the_whole():
    """One layer decides for all systems and pairs, also those among which it is not."""
    corpus = of(APART, APART, NESTED)
    assert sa.agree(corpus, annotators=["a0", "a1"]).settings.chance == "per-label"
    assert sa.evaluate(corpus, "a0").settings.chance == "per-label"
    assert sa.difficulty(corpus, "a0").settings.chance == "per-label"
    result = sa.evaluate_references(corpus, systems=["a0"])
    assert result.settings.chance == "per-label"
    assert compare_measures(corpus).settings.chance == "per-label"


def test_verdicts():
    """The verdict names a model under which segments overlap, and the signature every one."""
    result = sa.evaluate(of(APART, SAME))
    assert result.verdict.endswith("chance lets all segments overlap (overlapping).")
    assert "|chance:overlapping|" in result.signature
    team = sa.agree(of(APART, NESTED))
    assert "chance lets segments of different labels overlap (per-label)" in team.verdict
    assert "chance lets" not in sa.agree(of(APART, APART)).verdict


def test_rows_and_iterators():
    """Rows under another model, and parts that are given once, are refused with what to do."""
    parts = [of(APART, APART), of(APART, SAME)]
    with refuses(sa.SettingError, "part 2: its segments need chance overlapping, …"):
        sa.evaluate(iter(parts))
    rows = [sa.evaluate(part).rows for part in parts]
    with refuses(sa.SettingError, "… the rows are of chance 'nonoverlapping': …"):
        sa.evaluate(rows)
    assert sa.evaluate(rows[:1]).settings.chance == "nonoverlapping"
    named = [sa.evaluate(part, chance="overlapping").rows for part in parts]
    assert sa.evaluate(named).systems["a1"].f1 == sa.evaluate(parts).systems["a1"].f1
    assert sa.evaluate(list(parts)).settings.chance == "overlapping"


def test_slices_by_file(tmp_path, monkeypatch, capsys):
    """Files are slices of one corpus, so that one model is for all; results of two are refused."""
    for name, system in (("one", APART), ("two", SAME)):
        row = {"text": "ABCDEFGHI", "id": name} | {
            key: [dict(zip(("start", "end", "label"), s, strict=True)) for s in spans]
            for key, spans in (("gold", APART), ("mine", system))
        }
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert (
        main(
            [
                "evaluate",
                "one.jsonl",
                "two.jsonl",
                "--gold",
                "gold",
                "--by",
                "file",
                "--format",
                "json",
            ]
        )
        == 0
    )
    output = json.loads(capsys.readouterr().out)
    assert output["settings"]["chance"] == "overlapping"
    one = sa.evaluate(sa.read("one.jsonl"), "gold", chance="overlapping").systems["mine"].f1
    assert one.expected in [row["f1"]["expected"] for row in output["tables"]["slices"]]
    results = {name: sa.evaluate(sa.read(f"{name}.jsonl"), "gold") for name in ("one", "two")}
    with refuses(
        sa.SettingError,
        "'one' is of chance nonoverlapping, 'two' of overlapping … --chance overlapping …",
    ):
        sa.slices.score_slices(results)
