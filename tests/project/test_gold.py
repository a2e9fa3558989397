"""Gold by votes: against counting by hand, on real crowds, and from the command line."""

from __future__ import annotations

import csv
import importlib
import io
import itertools
import json
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses, says
from strategies import crowds, turned

import spanagree as sa
from spanagree.formats.registry import WRITABLE
from spanagree.project.ballots import OUTCOMES
from spanagree.project.dawid_skene import Votes, dawid_skene

HALF = Fraction(1, 2)


@pytest.fixture
def crowds_of(monkeypatch):
    """The script that makes the tables of the page."""
    folder = Path(__file__).parents[2] / "scripts"
    monkeypatch.syspath_prepend(folder)
    return importlib.import_module("gold_of_crowds")


def reached(votes, most, share):
    """What becomes of so many votes."""
    if share is None:
        return {1: "gold", 0: "tie"}.get((votes > most * HALF) - (votes < most * HALF))
    return "gold" if votes >= most * share else None


def by_hand(corpus, vote, share, least, weight):
    """All rows (document, start, end, label, outcome, share, who), counted token by token."""
    rows = set()
    for d, document in enumerate(corpus):
        seen = {n: {(s, e, c) for s, e, c in x} for n, x in document.seen.items()}
        if len(seen) < least:
            continue
        most = sum(weight[n] for n in seen)
        weigh = lambda names, most=most: sum((weight[n] for n in names), start=Fraction(0)) / most  # noqa: E731 — of this document
        here = []
        if vote == "segments":
            for segment in set().union(*seen.values()):
                who = {n for n in seen if segment in seen[n]}
                here.append((*segment, reached(weigh(who), 1, share), weigh(who), who))
        for label in {c for x in seen.values() for _, _, c in x} if vote == "tokens" else ():
            mine = {n: [(s, e) for s, e, c in x if c == label] for n, x in seen.items()}
            on = [
                {n for n in mine if any(s <= t < e for s, e in mine[n])}
                for t in range(document.length)
            ]
            kinds = [reached(weigh(x), 1, share) if x else None for x in on]
            cut = []
            for t in range(1, document.length):
                stop = {n for n in mine if any(t in ends for ends in mine[n])}
                across = {n for n in on[t] if not any(s == t for s, _ in mine[n])}
                stop, across = weigh(stop), weigh(across)
                inside = kinds[t] == kinds[t - 1] == "gold"
                cut.append(kinds[t] != kinds[t - 1] or (inside and stop > across))
                if inside and stop == across > 0:
                    who = on[t - 1] | on[t]
                    here.append((t - 1, t + 1, label, "border", HALF, who))
            for _, run in itertools.groupby(
                range(document.length), lambda t, cut=cut: sum(cut[:t])
            ):
                run = list(run)
                mean = sum(weigh(on[t]) for t in run) / len(run)
                here.append(
                    (
                        run[0],
                        run[-1] + 1,
                        label,
                        kinds[run[0]],
                        mean,
                        set().union(*(on[t] for t in run)),
                    )
                )
        here = [row for row in here if row[3]]
        gave = {  # who gave which token which label
            (n, t, c) for n, x in seen.items() for s, e, c in x for t in range(s, e)
        }
        for row in here:
            s, e, c, outcome, mean, who = row
            rivals = [
                r for r in here
                if r is not row and r[3] == "gold" and r[0] < e and s < r[1]
                and not (
                    r[5] & who if vote == "segments" else any(
                        (n, t, c) in gave and (n, t, r[2]) in gave
                        for n in seen for t in range(max(s, r[0]), min(e, r[1]))
                    )
                )
            ]  # fmt: skip
            if outcome == "gold" and any(r[4] >= mean for r in rivals):
                outcome = "conflict"
            rows.add((d, s, e, c, outcome, float(mean), frozenset(who)))
    return rows


def rows_of(result):
    """The same rows of a result."""
    counted, labels = result.counted, result.corpus.labels
    columns = (counted.document, counted.start, counted.end, counted.label, counted.outcome)
    return {
        (d, s, e, labels[c], OUTCOMES[o], float(share), frozenset(who))
        for d, s, e, c, o, share, who in zip(
            *(x.tolist() for x in columns), counted.share, result.supporters, strict=True
        )
    }


@pytest.mark.parametrize("vote", ["tokens", "segments"])
@given(
    crowd=crowds(),
    share=st.sampled_from(
        [None, Fraction(1, 4), Fraction(1, 3), HALF, Fraction(2, 3), Fraction(1)]
    ),
    least=st.integers(1, 3),
)
def test_votes_counted_by_hand(vote, crowd, share, least):
    """Every segment, outcome, share and supporter is what counting token by token gives."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    share_given = None if share is None else float(share)
    result = sa.make_gold(corpus, vote=vote, share=share_given, min_annotators=least)
    expected = by_hand(corpus, vote, share, least, dict.fromkeys(layers, Fraction(1)))
    near = lambda rows: {(*row[:5], round(row[5], 9), row[6]) for row in rows}  # noqa: E731
    assert near(rows_of(result)) == near(expected)
    for d, document in enumerate(result.corpus):
        marked = document.segments["majority"]
        gold = sorted(row[1:4] for row in expected if row[0] == d and row[4] == "gold")
        enough = len(document.seen) - (marked is not None) >= least
        assert marked == (tuple(gold) if enough else None)
    assert result.corpus.select_annotators(layers) == corpus


@pytest.mark.long
@pytest.mark.parametrize("vote", ["tokens", "segments"])
@given(crowd=crowds(), seed=st.integers(0, 99))
def test_the_order_changes_nothing(vote, crowd, seed):
    """Annotators and documents in another order give the same layer and the same rows."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    moved, order = turned(lengths, layers, random.Random(seed))
    one = rows_of(sa.make_gold(corpus, vote=vote, weighted=True))
    other = {
        (order[row[0]], *row[1:]) for row in rows_of(sa.make_gold(moved, vote=vote, weighted=True))
    }
    assert one == other


def test_a_layer_that_overlaps_itself():
    """One who marks a token twice has one vote on it, and a nested segment stays where she has both."""
    nested = [[(0, 4, "X"), (1, 2, "X"), (1, 2, "Y")]]
    layers = {"ann": nested, "bob": nested, "cem": [[(0, 4, "X")]]}
    corpus = sa.Corpus.from_segments([5], layers)
    tokens = sa.make_gold(corpus, vote="tokens").corpus[0].segments["majority"]
    assert tokens == ((0, 4, "X"), (1, 2, "Y"))
    segments = sa.make_gold(corpus, vote="segments").corpus[0].segments["majority"]
    assert segments == ((0, 4, "X"), (1, 2, "X"), (1, 2, "Y"))


def test_weights():
    """Weights are the corrected F1 against the rest: three who agree outvote four who do not."""
    rng = random.Random(1)
    lengths, good = [30] * 40, [[(i % 20, i % 20 + 3, "X")] for i in range(40)]
    layers = dict.fromkeys(("ann", "bob", "cem"), good)
    for name in ("w1", "w2", "w3", "w4"):
        layers[name] = [[(s := rng.randrange(27), s + 3, "X")] for _ in range(40)]
    layers["none"] = [None] * 40
    corpus = sa.Corpus.from_segments(lengths, layers)
    for vote, match in (("tokens", "token"), ("segments", "exact")):
        result = sa.make_gold(corpus, vote=vote, weighted=True)
        scores = sa.agree(corpus, match=match).annotators
        expected = [max(scores[name].f1.corrected, 0) for name in layers if name != "none"]
        assert result.weights.tolist() == pytest.approx([*expected, np.mean(expected)], abs=1e-12)
        assert result.corpus.layers["majority"] == result.corpus.layers["ann"]
        assert len(sa.make_gold(corpus, vote=vote).layer) < 40  # three of seven are not half
    weight = {n: Fraction(round(w * 2**20)) for n, w in zip(layers, result.weights, strict=True)}
    rows = by_hand(corpus, "segments", None, 2, weight)
    assert {r[:5] for r in rows_of(result)} == {r[:5] for r in rows}


@pytest.mark.parametrize(
    ("more", "vote", "measured"),
    [
        ([], "tokens", ("token", "nonoverlapping")),
        ([(0, 4, "Y")], "tokens", ("token", "per-label")),
        ([(0, 4, "X")], "tokens", ("exact", "overlapping")),
        ([(0, 4, "Y")], "segments", ("exact", "per-label")),
    ],
)
def test_weights_of_layers_that_overlap(more, vote, measured):
    """Weights are F1 by the first measure and chance model that the layers allow; `made` names them."""
    layers = {"a": [[(1, 3, "X"), *more], [(0, 1, "X")]], "b": [[(1, 3, "X")], [(0, 1, "X")]]}
    layers["c"] = [[(2, 4, "X")], [(0, 1, "X")]]
    corpus = sa.Corpus.from_segments([9, 9], layers)
    result = sa.make_gold(corpus, vote=vote, weighted=True)
    scores = sa.agree(corpus, match=measured[0], chance=measured[1]).annotators.values()
    assert result.weights.tolist() == [max(score.f1.corrected, 0) for score in scores]
    assert result.settings["made"]["majority"].endswith(f"/weighted-{'-'.join(measured)}")


def test_nobody_and_nothing():
    """No annotators, no documents, nothing marked: a layer that is empty, or saw nothing."""
    assert not len(sa.make_gold(sa.Corpus.from_segments([5], {})).layer)
    assert sa.make_gold(sa.Corpus.from_segments([5], {})).few.tolist() == [0]
    for vote in ("tokens", "segments"):
        assert (
            len(sa.make_gold(sa.Corpus.from_segments([], {"a": [], "b": []}), vote=vote).corpus)
            == 0
        )
        empty = sa.Corpus.from_segments([5, 5], {"a": [[], []], "b": [[], None]})
        for weighted in (False, True):
            result = sa.make_gold(empty, vote=vote, weighted=weighted)
            assert result.layer.annotated.tolist() == [True, False]
            assert "to adjudicate: 1 document with too few annotators" in str(result)
            assert result.table("adjudicate").to_rows()[0]["annotators"] == 1
            assert result.table("segment").to_rows() == []


def test_who_agrees_no_better_than_chance_has_no_weight():
    """The note names the annotator; by hand her F1 is 0, which is below chance."""
    layers = {"a": [[(0, 1, "X")]] * 9, "b": [[(0, 1, "X")]] * 9, "c": [[(3, 4, "X")]] * 9}
    result = sa.make_gold(sa.Corpus.from_segments([5] * 9, layers), weighted=True)
    assert result.notes == ("1 annotator without a weight, agreeing no better than chance: c",)
    assert result.to_dict()["summary"]["weights"]["c"] == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"vote": "words"}, "unknown vote 'words'; allowed: tokens"),
        ({"share": 0}, "share 0 … above 0 … at most 1"),
        ({"share": 1.5}, "share 1.5 … above 0 … at most 1"),
        ({"share": float("nan")}, "share nan … above 0 … at most 1"),
        ({"min_annotators": 0}, "min_annotators 0 … from 1"),
        ({"annotators": ["x"]}, "unknown annotator 'x'; allowed: a"),
        ({"name": "a"}, "name 'a' … no annotator has … another"),
        ({"name": ""}, "name '' … another"),
    ],
)
def test_errors(asked, message):
    """What cannot be is said in a line."""
    with refuses(sa.SettingError, message):
        sa.make_gold(sa.Corpus.from_segments([5], {"a": [[]]}), **asked)


# --- a model of the annotators ------------------------------------------------------------------


def test_dawid_skene_is_that_of_crowd_kit():
    """Probabilities, priors and confusion matrices are crowd-kit's, after 1, 5 and 30 rounds."""
    frozen = json.loads(
        (Path(__file__).parents[1] / "golden" / "dawid_skene.json").read_text("utf-8")
    )
    item, voter, tag = np.array(frozen["votes"]).T
    votes = Votes(item, voter, tag, np.ones(60, np.int64), 7, 4)
    for rounds, expected in frozen["rounds"].items():
        truth = dawid_skene(votes, rounds=int(rounds), close=0)
        for name, values in expected.items():
            assert getattr(truth, name) == pytest.approx(np.array(values), abs=2e-7)


def tags(segments, length):
    """The label of each token, or none."""
    labels = [""] * length
    for s, e, c in segments:
        labels[s:e] = [c] * (e - s)
    return labels


@pytest.mark.long
@given(crowd=crowds())
def test_pieces_are_tokens(crowd):
    """The model over pieces between boundaries is the model over tokens, one by one."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    result = sa.make_gold(corpus, vote="dawid-skene", min_annotators=1)
    codes = {"": 0} | {label: i + 1 for i, label in enumerate(corpus.labels)}
    votes, location = [], []
    for d, length in enumerate(lengths):
        seen = [(v, x[d]) for v, x in enumerate(layers.values()) if x[d] is not None]
        for t in range(length if seen else 0):
            votes += [(len(location), v, codes[tags(x, length)[t]]) for v, x in seen]
            location.append((d, t))
    if not votes:
        return
    ones = np.ones(len(location), np.int64)
    probable = dawid_skene(Votes(*np.array(votes).T, ones, len(layers), len(codes))).probability
    for (d, t), row in zip(location, probable, strict=True):
        best = np.sort(row)
        if len(best) > 1 and best[-1] - best[-2] < 1e-5:
            continue  # a tie
        here = [x.label for x in result.corpus[d].segments["dawid-skene"] if x.start <= t < x.end]
        label = ["", *corpus.labels][int(row.argmax())]
        marked = {x[2] for n in layers.values() for x in n[d] or ()}
        assert here == ([label] if label in marked else [])


@pytest.mark.long
@given(crowd=crowds(), seed=st.integers(0, 99))
def test_order_of_annotators_and_documents_leaves_the_model_alone(crowd, seed):
    """Annotators and documents in another order give the same layer and the same rows."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    moved, order = turned(lengths, layers, random.Random(seed))
    one = rows_of(sa.make_gold(corpus, vote="dawid-skene"))
    other = rows_of(sa.make_gold(moved, vote="dawid-skene"))
    assert one == {(order[row[0]], *row[1:]) for row in other}


@pytest.mark.long
@pytest.mark.parametrize("vote", ["tokens", "dawid-skene"])
@given(crowd=crowds(), share=st.sampled_from([None, 0.2, 0.4, 0.5]))
def test_a_gold_overlaps_itself_only_where_somebody_does(vote, crowd, share):
    """Where no annotator marks a token twice, the gold does not, and a conflict is on the list."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    result = sa.make_gold(corpus, vote=vote, share=share if vote == "tokens" else None)
    sa.agree(result.corpus, chance="nonoverlapping")  # which refuses what overlaps
    for document in result.corpus:
        segments = document.segments[result.name] or ()
        assert all(a.end <= b.start for a, b in itertools.pairwise(sorted(segments)))


def test_who_touches_two_runs_supports_no_overlap():
    """Two runs that overlap, each marked by two of five, are a conflict, as nobody marked both."""
    layers = {
        "a": [[(0, 2, "X"), (2, 3, "Y")]], "b": [[(0, 2, "X")]], "c": [[(1, 3, "Y")]],
        "d": [[(0, 1, "X"), (1, 3, "Y")]], "e": [[]],
    }  # fmt: skip
    result = sa.make_gold(sa.Corpus.from_segments([3], layers), share=0.4)
    assert not len(result.layer)
    assert [row["outcome"] for row in result.to_rows("adjudicate")] == ["conflict"] * 2


def test_the_default_is_the_model_unless_it_cannot_be():
    """Two annotators, overlaps, a share or weights are voted on by tokens, the first two said."""
    three = {name: [[(0, 2, "X")]] for name in ("a", "b", "c")}
    corpus = sa.Corpus.from_segments([5], three)
    assert (sa.make_gold(corpus).name, sa.make_gold(corpus).notes) == ("dawid-skene", ())
    assert (
        sa.make_gold(corpus, share=0.5).vote == sa.make_gold(corpus, weighted=True).vote == "tokens"
    )
    two = sa.make_gold(corpus, annotators=["a", "b"])
    assert (two.vote, two.name) == ("tokens", "majority")
    assert two.notes == ("two annotators do not tell who of them errs: a vote on tokens",)
    single = sa.make_gold(corpus, annotators=["a"])
    assert single.vote == "tokens"
    assert single.notes == ("one annotator has nobody to be compared with: a vote on tokens",)
    twice = sa.Corpus.from_segments([5], three | {"c": [[(0, 2, "X"), (1, 3, "Y")]]})
    assert sa.make_gold(twice).vote == "tokens"
    assert "segments 0–2 and 1–3 overlap" in sa.make_gold(twice).notes[0]
    for asked, message in (({}, "overlap"), ({"share": 0.5}, "share is for votes")):
        with pytest.raises(sa.SettingError, match=message):
            sa.make_gold(twice, vote="dawid-skene", **asked)


def test_the_model_finds_who_errs(crowds_of):
    """In simulated crowds in which most err it is nearer to the truth than a vote on tokens."""
    for name in ("10 poor", "40 lazy"):
        kinds, size = crowds_of.CROWDS[name]
        corpus = crowds_of.simulated(kinds, size, 1, 60)
        scores = [crowds_of.of_way(corpus, {"vote": vote}) for vote in ("tokens", "dawid-skene")]
        (exact, token), (exact_of_model, token_of_model) = scores
        assert exact_of_model.observed > exact.observed
        assert token_of_model.observed > token.observed


# --- the command line ---------------------------------------------------------------------------

CROWD = "corpora/crowd/crowd.jsonl"


def test_the_command_writes_a_layer_with_its_supporters(run, tmp_path):
    """The layer is that of Python, beside the others; JSONL keeps who supports what and how."""
    out = tmp_path / "gold.jsonl"
    code, text, _ = run(
        "gold", CROWD, "-o", out, "--share", 0.4, "--by", "segment", "--format", "csv", "--keep-annotators",
    )  # fmt: skip
    assert code == 0
    result = sa.make_gold(sa.read(CROWD), share=0.4)
    written = sa.read(out)
    assert written == result.corpus
    assert written.reading["made"] == {"majority": "tokens/share-0.4/least-2"}
    assert "|made:majority=tokens/share-0.4/least-2|" in sa.evaluate(written, "majority").signature
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [line["support"] for line in lines] == result.support()
    assert not any("not read" in note for note in written.notes)  # of segments it repeats offsets
    table = list(csv.DictReader(io.StringIO(text)))
    assert [row["supporters"] for row in table] == [
        ", ".join(entry["supporters"]) for line in lines for entry in line["support"]
    ]


OF_TIMES = {"rttm", "textgrid", "times"}  # which hold recordings only


@pytest.mark.long
@pytest.mark.parametrize("form", sorted({*WRITABLE} - OF_TIMES))
def test_the_layer_in_every_format(form, run, tmp_path):
    """Alone, the layer is written in every format, and read again it has the same segments."""
    end = {"conll": "conll", "spacy": "spacy", "inception": "zip"}.get(form, "json")
    end = "jsonl" if form in ("jsonl", "prodigy", "doccano") else end
    end = "parquet" if form == "dataset" else end
    out = tmp_path / f"gold.{end}"
    if form in ("spacy", "dataset"):
        pytest.importorskip({"dataset": "datasets"}.get(form, form))
    file, corpus = CROWD, sa.read(CROWD)
    if form == "brat":  # which counts characters
        corpus, out, file = corpus.to_characters(), tmp_path / "gold", tmp_path / "crowd.jsonl"
        sa.write_jsonl(corpus, file)
    code, _, err = run("gold", file, "-o", out, "--to", form)
    assert code == 0, err
    again = sa.read(out)
    expected = sa.make_gold(corpus).layer
    assert sum(len(layer) for layer in again.layers.values()) == len(expected)


def test_the_command_writes_its_table(run, tmp_path):
    """To a file of a table's ending goes what is shown, and not the annotation."""
    line = ["gold", CROWD, "--by", "adjudicate"]
    _, shown, _ = run(*line, "--format", "csv")
    for name in ("work.csv", "WORK.CSV"):
        code, out, _ = run(*line, "-o", tmp_path / name)
        assert (code, out) == (0, "")
        assert (tmp_path / name).read_text("utf-8") == shown
    code, _, err = run(*line, "-o", tmp_path / "work.csv", "--keep-annotators")
    assert code == 2
    says(err, "…work.csv: the table goes to such a file … --keep-annotators")


def test_errors_of_the_command(run, tmp_path):
    """Options without an output, and an output that is none."""
    pytest.importorskip("matplotlib")
    for arguments, message in (
        (("--keep-annotators",), "--keep-annotators needs --output"),
        (("--to", "conll"), "--to needs --output"),
        (("-o", "-"), "-o: gold writes a file, and - is not one"),
        (
            ("--by", "segment", "--plot", tmp_path / "a.png"),
            "no plot shows this result by segment",
        ),
    ):
        code, _, err = run("gold", CROWD, *arguments)
        assert code
        assert message in err


# --- real crowds --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def toxic(real):
    """Ten thousand comments and 3,579 workers."""
    from test_real_data import toxic

    repair = [
        "drop-repeats",
        "clip-beyond-text",
        "drop-beyond-text",
        "drop-empty",
        "drop-unlabelled",
        "drop-duplicates",
    ]
    return replace(toxic(real, repair), texts=None)


@pytest.mark.slow
def test_thousands_of_annotators(toxic, growth):
    """A vote of 3,579 workers takes as long as their comments are many, and is right on those drawn."""
    eighth = toxic.subset(range(0, len(toxic), 8))
    assert (
        growth(
            lambda: sa.make_gold(eighth, vote="tokens"), lambda: sa.make_gold(toxic, vote="tokens")
        )
        < 30
    )
    result = sa.make_gold(toxic, vote="tokens")
    few = random.Random(0).sample(range(len(toxic)), 60)
    here = toxic.subset(few)
    expected = by_hand(here, "tokens", None, 2, dict.fromkeys(toxic.layers, Fraction(1)))
    rows = {(few.index(r[0]), *r[1:]) for r in rows_of(result) if r[0] in few}
    near = lambda rows: {(*row[:5], round(row[5], 9), row[6]) for row in rows}  # noqa: E731
    assert near(rows) == near(expected)


@pytest.mark.slow
def test_the_table_of_the_page(real, capsys, crowds_of):
    """The script prints what docs/reproduction.md shows; of a vote the exact F1 is counted here again."""
    folder = real / "data" / "pico_nguyen2017" / "acl17-test"
    crowds_of.main(folder)
    printed = capsys.readouterr().out
    page = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text("utf-8")
    for table in printed.split("\n\n"):
        assert table.strip() in page
    corpus = crowds_of.abstracts(folder)
    crowd = corpus.select_annotators([name for name in corpus.annotators if name != "expert"])
    weight = dict.fromkeys(crowd.layers, Fraction(1))
    voted = [
        r[:3] for r in by_hand(crowd, "segments", Fraction(3, 10), 2, weight) if r[4] == "gold"
    ]
    seen = {d for d in range(len(corpus)) if len(crowd[d].seen) >= 2}
    seen &= set(np.flatnonzero(corpus.layers["expert"].annotated).tolist())
    truth = {(d, *x[:2]) for d in seen for x in corpus[d].segments["expert"]}
    voted = {row for row in voted if row[0] in seen}
    f1 = 2 * len(truth & voted) / (len(truth) + len(voted))
    assert f"segments, share 0.3   {f1:10.3f}" in printed


def test_a_single_vote():
    """One of two voters is a tie of segments; one of three is gold at a share of .3."""
    two = sa.Corpus.from_segments([4], {"a": [[(0, 2, "X")]], "b": [[]]})
    outcomes = sa.make_gold(two, vote="tokens").counted.outcome.tolist()
    assert [OUTCOMES[code] for code in outcomes] == ["tie"]
    three = sa.Corpus.from_segments([4], {"a": [[(0, 2, "X")]], "b": [[]], "c": [[]]})
    assert len(sa.make_gold(three, vote="tokens", share=0.3).layer) == 1


def test_by_label_and_the_signature_of_a_model():
    """A label's row counts its segments, by hand; what a model takes has no share in the signature."""
    layers = {name: [[(0, 2, "X"), (4, 5, "X"), (6, 9, "Y")]] * 3 for name in "abc"}
    result = sa.make_gold(sa.Corpus.from_segments([9] * 3, layers), vote="dawid-skene")
    assert [row[:2] for row in result.table().rows] == [["X", 6], ["Y", 3]]
    assert result.corpus.reading["made"] == {"dawid-skene": "dawid-skene/least-2"}
