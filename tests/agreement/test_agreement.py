"""Annotators against each other: enumeration, the witness, the evaluation, gaps, undefined cases."""

from __future__ import annotations

import itertools
import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses, says
from oracles import enumerated_expectation, matched
from strategies import NAMES, PAIRS, crowds, spans, turned

import spanagree as sa
from spanagree.agreement import Agreement
from spanagree.chance.random_annotations import draw_random_layer
from spanagree.cli.main import main
from spanagree.corpus import Layer
from spanagree.results.display import DisplayTable
from spanagree.results.text import render


@pytest.mark.parametrize(("match", "chance"), PAIRS, ids="-".join)
def test_team_is_enumerated(match, chance):
    """The team's observed and expected match equal enumeration in fractions, over pairs and documents."""
    lengths = [5, 4, 3]
    layers = {
        "ann": [[(0, 2, "X"), (3, 4, "Y")], [(1, 2, "X")], []],
        "bob": [[(0, 2, "X")], None, [(0, 1, "Y")]],
        "cem": [[(1, 2, "X"), (2, 4, "Y")], [(0, 2, "X"), (3, 4, "X")], None],
    }
    observed, expected, size = Fraction(0), Fraction(0), 0
    for a, b in itertools.combinations(layers, 2):
        for d, n in enumerate(lengths):
            if layers[a][d] is None or layers[b][d] is None:
                continue
            one, other = spans(layers[a][d]), spans(layers[b][d])
            observed += matched(one, other, match)
            expected += enumerated_expectation(
                n, [s[1:] for s in one], [s[1:] for s in other], match, chance
            )
            size += sum(s[1] if match == "token" else 1 for s in (*one, *other))
    result = sa.agree(sa.Corpus.from_segments(lengths, layers), match=match, chance=chance)
    assert result.team.tally.matched == pytest.approx(float(observed), abs=1e-14)
    assert result.team.tally.expected == pytest.approx(float(expected), rel=1e-13)
    assert result.team.f1.observed == pytest.approx(float(2 * observed / size), rel=1e-14)
    assert (result.team.pairs, result.team.documents) == (3, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("match", "chance"), PAIRS, ids="-".join)
def test_team_is_simulated(match, chance):
    """On a larger team with gaps, the witness's mean is within 4 standard errors of the expected match."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(5, 40, 12).tolist()
    layers = {}
    for name in NAMES:
        layers[name] = []
        for n in lengths:
            cuts = np.sort(rng.choice(n + 1, size=min(7, n), replace=False)).tolist()
            marked = [(a, b, "XYZ"[a % 3]) for a, b in itertools.pairwise(cuts) if a % 2 or b % 3]
            layers[name].append(marked if rng.random() < 0.8 else None)
    corpus = sa.Corpus.from_segments(lengths, layers)
    expected = sa.agree(corpus, match=match, chance=chance).team.tally.expected
    drawn = []
    for _ in range(400):
        total = 0.0
        random = {
            name: draw_random_layer(layer, corpus.lengths, len(corpus.labels), rng, chance)
            for name, layer in corpus.layers.items()
        }
        for a, b in itertools.combinations(NAMES, 2):
            total += observed_by_hand(corpus, random[a], random[b], match)
        drawn.append(total)
    error = np.std(drawn) / math.sqrt(len(drawn))
    assert abs(np.mean(drawn) - expected) < 4 * error


def observed_by_hand(corpus, a, b, match):
    """The match of two layers, document by document."""
    total = 0.0
    for d in np.flatnonzero(a.annotated & b.annotated).tolist():
        one, other = (
            tuple(
                (s, e - s, corpus.labels[c])
                for s, e, c in zip(
                    *(x[layer.document == d].tolist() for x in (layer.start, layer.end, layer.label)),
                    strict=True,
                )
            )
            for layer in (a, b)
        )  # fmt: skip
        total += float(matched(one, other, match))
    return total


@pytest.mark.slow
@given(crowds())
def test_pairs_are_evaluations(crowd):
    """Every pair equals the evaluation of the one against the other; in every measure and model."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    for match, chance in PAIRS:
        result = sa.agree(corpus, match=match, chance=chance)
        for a, b in itertools.combinations(corpus.annotators, 2):
            two = corpus.select_annotators([a, b])
            system = sa.evaluate(two, gold=a, match=match, chance=chance).systems[b]
            pair = result.pairs[a, b]
            assert pair == result.pairs[b, a]
            assert pair.documents == system.documents
            assert ((a, b) in result.pairs) == ((b, a) in result.pairs) == (system.documents > 0)
            close(pair.tally, system.tally)


def close(ours, other):
    """Equal tallies: counts exactly, sums of floats to their last digits."""
    assert (ours.size_a, ours.size_b) == (other.size_a, other.size_b)
    assert ours.matched == pytest.approx(other.matched, rel=1e-12, abs=1e-15)
    assert ours.expected == pytest.approx(other.expected, rel=1e-12, abs=1e-15)


def test_documents_without_ids_are_numbered():
    """From 1, as in messages; those in which nothing is marked, or that one saw, are left out."""
    layers = {"a": [[], [(0, 2, "X")], [(0, 2, "X")]], "b": [[], None, []], "c": [[], None, []]}
    result = sa.agree(sa.Corpus.from_segments([4, 4, 4], layers))
    assert [(name, saw) for name, saw, _ in result.by_document()] == [("3", 3)]


def test_of_many_annotators_a_terminal_has_some():
    """Ten of eleven, and how many more there are; data have all, and tables of other rows too."""
    layers = {f"a{i}": [[(i % 3, 4, "X")]] for i in range(11)}
    result = sa.agree(sa.Corpus.from_segments([6], layers))
    annotators, pairs = result.table("annotator"), result.table("pair")
    assert (len(annotators.rows), len(annotators.in_terminal.rows)) == (11, 10)
    assert len(pairs.rows) == 55
    assert pairs.in_terminal is None


@pytest.mark.long
@given(crowds())
def test_sums(crowd):
    """Team, labels, documents and members add up; without a member is the team of the others."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    result = sa.agree(corpus)
    for parts in (
        [pair.tally for pair in result.pairs.values()],
        list(result.labels.values()),
        [tally for _, _, tally in result.by_document()],
    ):
        close(sum(parts, sa.Tally()), result.team.tally)
    members = result.annotators.values()
    assert sum(m.tally.matched for m in members) == 2 * result.team.tally.matched
    assert sum(m.pairs for m in members) == 2 * len(result.pairs)
    for member in members:
        rest = sa.agree(
            corpus.select_annotators([n for n in corpus.annotators if n != member.name])
        )
        close(member.without.tally, rest.team.tally)
        assert member.without.pairs == rest.team.pairs
        assert member.without.documents == rest.team.documents
        assert math.isnan(member.without.f1.observed) == math.isnan(rest.team.f1.observed)
        own = [pair for names, pair in result.pairs.items() if member.name in names]
        close_both = sum(pair.tally.size_a + pair.tally.size_b for pair in own)
        assert member.tally.size_a + member.tally.size_b == close_both


@pytest.mark.long
@given(crowds(), st.randoms(use_true_random=False))
def test_order_changes_nothing(crowd, random):
    """Documents and annotators in another order give the same digits."""
    lengths, layers = crowd
    result = sa.agree(sa.Corpus.from_segments(lengths, layers))
    other = sa.agree(turned(lengths, layers, random)[0])
    assert repr(other.team.f1) == repr(result.team.f1)
    assert repr(other.mean) == repr(result.mean)
    for name, member in result.annotators.items():
        assert repr(other.annotators[name].f1) == repr(member.f1)
        assert repr(other.annotators[name].without.f1) == repr(member.without.f1)
    for (a, b), pair in result.pairs.items():
        assert repr(other.pairs[a, b].f1) == repr(pair.f1)


@pytest.mark.long
@given(crowds(), st.integers(2, 5))
def test_identical_annotators(crowd, v):
    """Any number of identical annotators agree fully, unless chance alone gives 1."""
    lengths, layers = crowd
    one = next(iter(layers.values()))
    result = sa.agree(sa.Corpus.from_segments(lengths, {str(i): one for i in range(v)}))
    marked = any(one)
    for figure in (result.team.f1, result.mean):
        assert figure.observed == 1 if marked else math.isnan(figure.observed)
        assert math.isnan(figure.corrected) or figure.corrected == pytest.approx(1)


def test_mean_and_spread():
    """Mean and standard deviation over pairs, with n − 1, by hand: F1 1, 0 and 0."""
    layers = {"a": [[(0, 1, "X")]], "b": [[(0, 1, "X")]], "c": [[(2, 3, "X")]]}
    mean = sa.agree(sa.Corpus.from_segments([4], layers)).mean
    assert mean.observed == pytest.approx(1 / 3)
    assert mean.sd.observed == pytest.approx(math.sqrt(1 / 3))
    assert mean.expected == pytest.approx(1 / 4)
    assert mean.sd.expected == 0
    assert mean.corrected == pytest.approx((1 - 1 / 3 - 1 / 3) / 3)
    assert mean.pairs == (3, 3, 3)


def test_mean_where_chance_gives_all():
    """A pair for which chance alone gives 1 counts in the observed mean, not in the corrected one."""
    layers = {
        "a": [[(0, 1, "X")], None],
        "b": [[(0, 1, "X")], [(0, 2, "X")]],
        "c": [None, [(4, 6, "X")]],
    }
    result = sa.agree(sa.Corpus.from_segments([1, 9], layers))
    assert result.mean.pairs == (2, 2, 1)
    row = result.to_rows()[1]
    assert (row["pairs"], row["pairs_corrected"]) == (2, 1)
    assert DisplayTable.from_frame(result.table()).rows[1][-1] == "2, corrected 1"
    alone = sa.agree(sa.Corpus.from_segments([1], {"a": [[(0, 1, "X")]], "b": [[(0, 1, "X")]]}))
    assert alone.mean.reason == "corrected: chance alone gives 1 for every pair"


def test_generators_and_equality():
    """Names may come from a generator; the same corpus gives equal results."""
    layers = {"a": [[(0, 1, "X")], []], "b": [[(0, 1, "X")], [(2, 3, "X")]]}
    corpus = sa.Corpus.from_segments([4, 9], layers)
    result = sa.agree(corpus, annotators=(name for name in "ab"))
    assert len(result.pairs) == 1
    assert result == sa.agree(corpus)
    assert repr(result.pairs) == "<Pairs: 1 of 2 annotators>"


def test_pair_that_marked_nothing():
    """A pair without a segment is undefined and left out of the mean; it is neither 0 nor 1."""
    layers = {"a": [[], [(0, 1, "X")]], "b": [[], None], "c": [None, [(0, 1, "X")]]}
    result = sa.agree(sa.Corpus.from_segments([4, 4], layers))
    assert math.isnan(result.pairs["a", "b"].f1.observed)
    assert result.pairs["a", "b"].f1.reason == "neither marked anything"
    assert result.mean.observed == 1
    assert result.mean.pairs == (1, 1, 1)
    assert result.team.pairs == 2


def test_nobody_shares():
    """One annotator, or no shared document: undefined, with the reason; pairs are not listed."""
    for layers, said in (
        ({"a": [[(0, 1, "X")], []]}, "1 annotator; agreement needs two"),
        ({"a": [[(0, 1, "X")], None], "b": [None, []]}, "no document was seen by two annotators"),
        ({}, "0 annotators; agreement needs two"),
    ):
        result = sa.agree(sa.Corpus.from_segments([4, 4], layers))
        assert result.team.f1.reason == said
        assert math.isnan(result.team.f1.observed)
        assert result.mean.reason == said
        assert len(result.pairs) == 0
        assert result.to_dict("document")["tables"]["team"][0]["f1"]["undefined"] == said
        for by in (None, *Agreement.BY):
            result.to_rows(by)
    pair = sa.agree(
        sa.Corpus.from_segments([4, 4], {"a": [[(0, 1, "X")], None], "b": [None, []]})
    ).pairs["b", "a"]
    assert (pair.a, pair.b, pair.documents, pair.few) == ("a", "b", 0, True)
    assert pair.f1.reason == "no document shared"


def test_one_pair_is_left():
    """Of two annotators the team without either is undefined, and so is the gain."""
    layers = {"a": [[(0, 1, "X")]], "b": [[(0, 1, "X")]]}
    member = sa.agree(sa.Corpus.from_segments([4], layers)).annotators["a"]
    assert member.without.f1.reason == "no pair is left"
    assert math.isnan(member.gain.corrected)
    alone = sa.agree(sa.Corpus.from_segments([4, 4], {"a": [[], None], "b": [None, []]}))
    assert alone.annotators["a"].f1.reason == "no document shared with another"


def test_unknown_pair():
    """A pair is found by two names of annotators; anything else is a KeyError that lists them."""
    pairs = sa.agree(sa.Corpus.from_segments([4], {"a": [[]], "b": [[]]})).pairs
    for asked in (("a", "z"), ("a", "a"), "ab", ("a",), 3):
        with pytest.raises(KeyError, match="two of a, b are needed"):
            pairs[asked]
        assert asked not in pairs


def test_matrix():
    """The matrix is symmetric, in the order of the annotators, with nan where nothing is defined."""
    layers = {"a": [[(0, 1, "X")], None], "b": [[(0, 1, "X")], []], "c": [None, [(0, 1, "X")]]}
    result = sa.agree(sa.Corpus.from_segments([4, 4], layers))
    nan = math.nan
    np.testing.assert_array_equal(
        result.matrix("observed"), [[nan, 1, nan], [1, nan, 0], [nan, 0, nan]]
    )
    with pytest.raises(sa.SettingError, match="unknown figure 'f1'; allowed: observed, expected"):
        result.matrix("f1")


def test_labels_are_the_teams():
    """Labels share the team's tally; a measure without labels has none."""
    layers = {"a": [[(0, 1, "X"), (2, 3, "Y")]], "b": [[(0, 1, "X")]]}
    corpus = sa.Corpus.from_segments([4], layers)
    labels = sa.agree(corpus).labels
    assert labels["X"].f1.observed == 1
    assert labels["Y"].f1.observed == 0
    assert sa.agree(corpus, match="boundaries").labels == {}


def test_settings():
    """Unknown names, a bad least number and layers that overlap themselves are refused, by name."""
    corpus = sa.Corpus.from_segments([5], {"a": [[(0, 3, "X"), (1, 4, "Y")]], "b": [[]]})
    for ask, said in (
        ({"match": "x"}, "unknown match 'x'; allowed: exact, …"),
        ({"chance": "x"}, "unknown chance 'x'; allowed: auto"),
        ({"annotators": ["z"]}, "unknown annotator 'z'; allowed: a, b"),
        ({"annotators": "ab"}, "annotators 'ab'; a list of names is needed"),
        ({"annotators": ["a", "a"]}, "annotator 'a' is named twice; once is enough"),
        ({"min_shared": -1}, "min_shared -1; a whole number from 0 is needed"),
        ({"min_shared": 1.5}, "min_shared 1.5; a whole number from 0 is needed"),
        ({"chance": "nonoverlapping"}, "annotator 'a', document '1': segments 0–3 'X' and 1–4 'Y' overlap, which chance nonoverlapping does not allow; --chance per-label or --chance overlapping (chance='per-label' or 'overlapping') would work"),
    ):  # fmt: skip
        with refuses(sa.SettingError, said):
            sa.agree(corpus, **ask)
    with refuses(sa.SettingError, "… unknown by 'x'; allowed: pair, annotator, label"):
        sa.agree(corpus, chance="overlapping").to_dict("x")


@pytest.fixture
def crowd(newsroom):
    return newsroom.parent / "crowd" / "crowd.jsonl"


@pytest.mark.long
def test_command(crowd, capsys):
    """The command prints what Python gives, in every format and breakdown; few pairs are marked."""
    result = sa.agree(sa.read_jsonl(crowd))
    for by in (None, *Agreement.BY):
        part = ["--by", by] if by else []
        assert main(["agree", str(crowd), *part, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out) == result.to_dict(by)
        for form in ("text", "csv", "markdown", "latex"):
            assert main(["agree", str(crowd), *part, "--format", form]) == 0
            assert capsys.readouterr().out
    assert main(["agree", str(crowd), "--by", "pair"]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"^.*\b(\w+) +(\d+\*)", out, re.M) == [("eli", "5*")]
    assert "* 1 of 10 pairs share fewer than 10 documents; their figures are shaky" in out
    assert main(["agree", str(crowd), "--min-shared", "3", "--annotators", "ann, bob"]) == 0
    out = capsys.readouterr().out
    assert "shaky" not in out
    assert "2 annotators, 1 pair with a shared document" in out
    assert main(["agree", str(crowd), "--annotators", "ann,zoe"]) == 1
    said = "spanagree: error: unknown annotator 'zoe'; allowed: ann, bob, cem, dia, eli"
    says(capsys.readouterr().err, said)


def test_different_lengths(tmp_path, capsys):
    """One id with documents of different length is an error that names both files."""
    for name, text in (("a", "x"), ("b", "xy")):
        row = {
            "spanagree": 1,
            "id": "d",
            "offsets": "tokens",
            "tokens": list(text),
            "annotators": {name: []},
        }
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    code = main(["agree", str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")])
    out, err = capsys.readouterr()
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "'d'" in err


@pytest.mark.long
def test_chance_of_pairs(newsroom):
    """Chance of each pair and its documents is that of the two alone, both random."""
    names = ("gold", "lexicon", "tagger")
    corpus = sa.read_conll({name: newsroom / f"{name}.conll" for name in names})
    result = sa.agree(corpus, p_values=True)
    for a, b in (("gold", "lexicon"), ("lexicon", "tagger")):
        both = sa.match_distribution(corpus, a, b)
        pair = result.pairs[a, b]
        (row,) = [r for r in result.to_rows(by="pair") if (r["a"], r["b"]) == (a, b)]
        assert row["p"] == pytest.approx(both.tail(pair.tally.matched))
        assert row["z"] == pytest.approx((pair.tally.matched - both.mean) / both.sd)
        size = pair.tally.size_a + pair.tally.size_b
        assert row["f1_expected_sd"] == pytest.approx(2 * both.sd / size)
        figures = result.chance_by_document()[a, b]
        for d in (0, 98, 99):
            matched = sa.agree(corpus.subset([d]), annotators=[a, b]).team.tally.matched
            assert figures[d].p == pytest.approx(both.documents[d].tail(matched))
    assert "of pairs in which chance can vary cannot be told from chance" in result.notes[-1]


def test_pairs_against_chance_are_corrected():
    """p of each pair after Holm's correction for all pairs, by hand: the least times 3, the next times 2."""
    layers = {
        "a": [[(0, 1, "X")]] * 6,
        "b": [[(0, 1, "X")]] * 6,
        "c": [[(0, 1, "X")]] * 2 + [[(3, 4, "X")]] * 4,
    }
    result = sa.agree(sa.Corpus.from_segments([5] * 6, layers), p_values=True)
    p, adjusted = zip(*((row["p"], row["p_holm"]) for row in result.to_rows("pair")), strict=True)
    assert p[0] == pytest.approx(1 / 5**6)  # a match in each of 6 documents
    assert p[1] == p[2]
    assert adjusted == pytest.approx((3 * p[0], 2 * p[1], 2 * p[1]))
    data = result.to_dict("pair")["tables"]["pairs"]
    assert [pair["p_holm"] for pair in data] == list(adjusted)


def test_p_below_floats():
    """p of 12⁻³⁰⁰ is below .001 for people; programs have its logarithm, and that of Holm's p."""
    one = [[(0, 1, "X")]] * 300
    corpus = sa.Corpus.from_segments([12] * 300, {"a": one, "b": one, "c": one})
    table = sa.agree(corpus, p_values=True).table("pair")
    assert render(table).count("< .001") == 6
    for row in table.to_rows():
        assert row["log10_p"] == pytest.approx(-300 * math.log10(12))
        assert row["log10_p_holm"] == pytest.approx(math.log10(3) - 300 * math.log10(12))


def test_who_shares_nothing():
    """Who shares no document with anybody is noted, over parts too; who saw nothing is not."""
    one = [[(0, 2, "X")]]
    layers = {"a": [*one, None], "b": [*one, None], "c": [None, *one], "d": [None, None]}
    corpus = sa.Corpus.from_segments([5, 5], layers)
    note = "c: 1 document, none shared with another annotator"
    assert sa.agree(corpus).to_dict()["notes"] == [note]
    assert sa.agree([corpus.subset([0]), corpus.subset([1])]).notes == (note,)
    assert sa.agree(corpus, annotators=["a", "b"]).notes == ()
    assert sa.agree(corpus, annotators=["c"]).notes == ()


def test_one_pair_that_shares_little():
    """A sentence about one pair is in the singular; it said "1 of 1 pair share fewer"."""
    both = {"a": [[(0, 1, "X")]], "b": [[(0, 1, "X")]]}
    remarks = sa.agree(sa.Corpus.from_segments([5], both)).table().remarks
    assert "the only pair shares fewer than 10 documents; its figures are shaky" in remarks


@pytest.mark.long
def test_a_document_that_carries_the_weight():
    """One of twelve documents with most segments is named, of a whole corpus and over parts."""
    many = [(i * 3, i * 3 + 1, "X") for i in range(40)]
    sides = {name: [many, *[[(0, 1, "X")]] * 11] for name in ("a", "b", "c")}
    whole = sa.Corpus.from_segments([200] * 12, sides, ids=[f"d{i}" for i in range(12)])
    parts = [whole.subset([0, 1, 2, 3]), whole.subset([4, 5, 6, 7]), whole.subset([8, 9, 10, 11])]
    for result in (sa.agree(whole), sa.agree(parts)):
        assert any("d0" in caveat for caveat in result.caveats), result.caveats
    tested = sa.agree(whole, p_values=True)
    assert "|p_values:yes|" in tested.signature


def test_work_follows_annotators(monkeypatch):
    """Whether segments have several pieces is asked of each annotator a few times, not of all n²."""
    asked, shape = [], Layer.shape.fget
    monkeypatch.setattr(Layer, "shape", property(lambda layer: asked.append(1) or shape(layer)))
    layers = {str(i): [[(i % 5, i % 5 + 2, "X")]] for i in range(60)}
    sa.agree(sa.Corpus.from_segments([9], layers))
    assert len(asked) < 10 * len(layers)


def test_one_pair_has_no_spread():
    """The standard deviation of one pair is undefined, with the reason."""
    one = [[(0, 1, "X")], [(2, 3, "X")]]
    layers = {"a": one, "b": [one[0], []], "c": one}
    corpus = sa.Corpus.from_segments([4, 4], layers)
    pair = sa.agree(corpus, annotators=["a", "b"])
    assert all(map(math.isnan, pair.mean.sd))
    row = pair.to_dict()["tables"]["team"][-1]
    assert (row["of"], row["f1"]["corrected"], row["f1"]["undefined"]) == ("sd over pairs", None, "one pair")  # fmt: skip
    assert "sd over pairs: undefined of one pair" in str(pair)
    team = sa.agree(corpus)
    assert not math.isnan(team.mean.sd.corrected)
    assert "sd over pairs: divisor n − 1" in str(team)


def test_two_lists_of_tags(tmp_path):
    """Two lists of tags, by document too, or two paths are two annotators; a corpus is not one of two."""
    first, second = [["B-X", "O", "B-Y"], ["O"]], [["B-X", "O", "O"], ["O"]]
    expected = sa.agree(sa.from_tags({"a": first, "b": second}))
    assert list(expected) == ["a", "b"]
    assert list(sa.agree(first, second)) == ["a", "b"]
    assert sa.agree(first, second).team == expected.team
    by_document = sa.agree(*({"d1": tags[0], "d2": tags[1]} for tags in (first, second)))
    assert by_document.team == expected.team
    assert sa.agree({"ann": first}, {"bob": second}).team == expected.team
    for name in ("ann", "bob"):
        (tmp_path / name).write_text("Jo\tB-X\n")
    assert list(sa.agree(tmp_path / "ann", tmp_path / "bob")) == ["ann", "bob"]
    corpus = sa.from_tags({"a": first, "b": second})
    for pair in ((corpus, corpus), (corpus, second), (first, "gold")):
        with refuses(
            sa.InputError,
            "two annotators are two lists of tags, or two paths; a corpus has them all",
        ):
            sa.agree(*pair)


def test_no_label_in_common():
    """An annotator whose labels nobody else has is named, unless labels do not count."""
    layers = {
        "ann": [[(0, 1, "A")]],
        "bob": [[(0, 1, "A"), (2, 3, "B")]],
        "llm": [[(0, 1, "Major")]],
    }
    corpus = sa.Corpus.from_segments([4], layers)
    said = [note for note in sa.agree(corpus).notes if "in common" in note]
    other = "llm: no label in common with another annotator; it has Major, the others A, B"
    assert said == [other]
    assert not any("in common" in note for note in sa.agree(corpus, match="boundaries").notes)
