"""What seqeval's users call: its figures to the last digit, and exact chance beside them."""

from __future__ import annotations

import json
import math
import pickle
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import at_most

import spanagree as sa

seqeval = pytest.importorskip("seqeval")
pytest.importorskip("seqeval.metrics.sequence_labeling")
pytest.importorskip("seqeval.scheme")

SCHEMES = ("IOB1", "IOB2", "IOE2", "IOBES", "BILOU")
LETTERS = {"IOB1": "BI", "IOB2": "BI", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}
SCORES = ("precision_score", "recall_score", "f1_score")


@st.composite
def pairs(draw, letters):
    """Two lists of lists of any tags, of one shape, with something marked."""
    tags = ["O"] + [f"{c}-{label}" for c in letters for label in ("PER", "LOC", "x-y")]
    lengths = draw(st.lists(st.integers(1, 7), min_size=1, max_size=4))
    both = [[[draw(st.sampled_from(tags)) for _ in range(n)] for n in lengths] for _ in range(2)]
    both[draw(st.integers(0, 1))][0][0] = f"{letters[-1]}-PER"
    return both


def theirs(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of undefined figures, and of classes without one
        return getattr(seqeval.metrics.sequence_labeling, function)(*arguments, **options)


@pytest.mark.parametrize("scheme", [None, *SCHEMES])
@at_most(50)
@given(st.data())
def test_scores_are_seqeval(scheme, data):
    """Each score equals seqeval's bit for bit, lenient or strict, for every average and zero_division."""
    both = data.draw(pairs(LETTERS.get(scheme, "BIES")))
    zero = data.draw(st.sampled_from([0, 1]))
    options = {"zero_division": zero}
    if scheme:
        options |= {"mode": "strict", "scheme": getattr(seqeval.scheme, scheme)}
        entities = [seqeval.scheme.Entities(x, options["scheme"]).unique_tags for x in both]
        if not set.union(*entities):
            return  # seqeval fails where nothing is well-formed
    for name in SCORES:
        for average in ("micro", "macro", "weighted", None):
            ours = getattr(sa, name)(*both, average=average, **options)
            wanted = theirs(name, *both, average=average, **options)
            assert np.array_equal(ours, wanted), (name, average)


@pytest.mark.parametrize("mode", [None, "strict"])
@given(pairs("BI"))
def test_reports_are_seqeval(mode, both):
    """Each row of the report, as data and as text, begins with seqeval's; strict without a scheme too."""
    if mode and not any("B" in tag[0] for tags in both[0] for tag in tags):
        return  # seqeval recognises no scheme
    options = {"mode": mode, "zero_division": 0}
    try:
        wanted = theirs("classification_report", *both, output_dict=True, **options)
    except ValueError:  # seqeval fails where nothing is well-formed
        return
    ours = sa.classification_report(*both, output_dict=True, **options)
    assert list(ours) == list(wanted)
    for name, row in wanted.items():
        assert {key: ours[name][key] for key in row} == row
        assert json.dumps(ours[name])
    text = sa.classification_report(*both, digits=3, **options).splitlines()
    lines = theirs("classification_report", *both, digits=3, **options).splitlines()
    for line, begin in zip(text, lines, strict=True):
        assert line.startswith(begin)
        assert len(line) <= 80


@given(pairs("BI"))
def test_chance_beside_the_scores(both):
    """Expected and corrected are those of sa.evaluate: micro, macro F1 and recall, and by label."""
    gold, mine = both
    system = sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})).systems["mine"]
    for name in ("precision", "recall", "f1"):
        ours = getattr(sa, f"{name}_score")(*both, zero_division=0)
        score = getattr(system, name)
        assert ours.expected == pytest.approx(score.expected, abs=1e-12, nan_ok=True)
        assert ours.corrected == pytest.approx(score.corrected, abs=1e-9, nan_ok=True)
    macro = sa.f1_score(*both, average="macro", zero_division=0)
    assert macro.expected == pytest.approx(system.macro.f1.expected, abs=1e-12)
    assert macro.corrected == pytest.approx(system.macro.f1.corrected, abs=1e-9, nan_ok=True)
    report = sa.classification_report(*both, output_dict=True, zero_division=0)
    for label, tally in system.labels.items():
        assert report[label]["chance-f1-score"] == pytest.approx(tally.f1.expected, abs=1e-12)
        for name in ("precision", "recall"):
            wanted = getattr(tally, name).corrected
            assert report[label][f"corrected-{name}"] == pytest.approx(
                wanted, abs=1e-9, nan_ok=True
            )
    weights = [tally.size_a for tally in system.labels.values()]
    if sum(weights):
        by_chance = np.average([t.f1.expected for t in system.labels.values()], weights=weights)
        weighted = sa.f1_score(*both, average="weighted", zero_division=0)
        assert weighted.expected == pytest.approx(by_chance, abs=1e-12)


def test_a_score_is_a_float():
    """It compares, rounds, formats, is written as JSON and pickled as seqeval's number is."""
    f1 = sa.f1_score([["O", "B-PER", "O"]], [["O", "B-PER", "B-PER"]])
    wanted = theirs("f1_score", [["O", "B-PER", "O"]], [["O", "B-PER", "B-PER"]])
    assert isinstance(f1, float)
    assert (f1, f"{f1:.3f}", json.dumps(f1)) == (wanted, f"{wanted:.3f}", json.dumps(float(wanted)))
    again = pickle.loads(pickle.dumps(f1))
    assert (again, again.expected, again.corrected) == (f1, f1.expected, f1.corrected)
    # by hand: one of 3 places for gold's segment, two of 3 for the system's: 2 · 2/3 / 3
    assert f1.expected == pytest.approx(4 / 9)


def test_nothing_marked():
    """Where nothing is marked the figure is what zero_division says, and chance has none."""
    nothing = [["O", "O"]]
    for zero in (0, 1):
        f1 = sa.f1_score(nothing, nothing, zero_division=zero)
        assert f1 == zero == theirs("f1_score", nothing, nothing, zero_division=zero)
        assert math.isnan(f1.expected)
        assert math.isnan(f1.corrected)
    report = sa.classification_report(nothing, nothing, zero_division=0).splitlines()
    (micro,) = (line.split() for line in report if "micro avg" in line)
    assert micro[-2:] == ["–", "–"]
    with pytest.warns(UserWarning, match=r"precision is undefined for PER and taken as 0; pass zero_division=0 or 1 to choose"):  # fmt: skip
        assert sa.precision_score([["B-PER", "O"]], nothing) == 0
    with pytest.warns(UserWarning, match=r"^recall is undefined for LOC and taken as 0"):
        assert sa.recall_score([["B-PER", "O"]], [["O", "B-LOC"]]) == 0


@pytest.mark.parametrize("mode", [None, "strict"])
def test_suffixes(mode):
    """Prefixes behind the labels, as seqeval takes them."""
    gold = [["PER-B", "PER-I", "O", "B", "x-y-B"]]
    mine = [["PER-B", "O", "O", "B", "x-y-B"]]
    options = {"suffix": True, "mode": mode, "scheme": seqeval.scheme.IOB2}
    wanted = theirs("f1_score", gold, mine, average=None, **options)
    assert np.array_equal(sa.f1_score(gold, mine, average=None, **options), wanted)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "strict"}, "mode 'strict' … pass scheme='IOB2' … leave mode out"),
        ({"mode": "lenient"}, "unknown mode 'lenient'; allowed: strict"),
        ({"average": "samples"}, "unknown average 'samples'; allowed: micro"),
        ({"sample_weight": [1]}, "sample_weight … leave it out"),
        ({"zero_division": 2}, "zero_division 2; allowed: warn, 0, 1"),
        ({"mode": "strict", "scheme": "IOB"}, "unknown scheme 'IOB'; allowed: auto, IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU"),
        ({"y_pred": [["O"]]}, "'y_pred', document 1: 1 tag … 2"),
        ({"y_pred": "O"}, "y_pred: 'O' … list of tag lists"),
    ],
)  # fmt: skip
def test_errors(arguments, message):
    """Wrong arguments, in one line."""
    with refuses(sa.SpanAgreeError, message):
        sa.f1_score(**{"y_true": [["B-x", "O"]], "y_pred": [["B-x", "O"]], **arguments})


def test_a_strict_report_of_no_scheme():
    """Prefixes from which no scheme can be told are named."""
    with refuses(sa.SettingError, "mode 'strict': no scheme … I … pass scheme='IOB2'"):
        sa.classification_report([["I-x", "O"]], [["I-x", "O"]], mode="strict")


def test_the_columns_of_nervaluate():
    """The measures that docs/evaluate.md sets beside nervaluate's columns match as many segments.

    Expected are the frozen counts of nervaluate 1.2.1 on this sentence: `correct` of strict 1, exact 2
    and ent_type 3; in partial 2 correct and 2 partial; 4 possible, 4 actual.
    """
    gold = [["B-PER", "I-PER", "O", "B-LOC", "O", "B-PER", "O", "O", "B-ORG", "I-ORG"]]
    mine = [["B-PER", "I-PER", "O", "B-PER", "O", "B-PER", "I-PER", "O", "O", "B-ORG"]]
    for match, correct in {"exact": 1, "boundaries": 2, "overlap": 3}.items():
        assert sa.evaluate(gold, mine, match=match)["pred"].tally.counts[::2] == (correct, 4)
    kinds = sa.disagreements(sa.from_tags({"gold": gold, "mine": mine}), "gold", "mine").counts
    assert kinds["label"] + kinds["boundary"] + kinds["boundary+label"] == 3  # incorrect of strict
    assert kinds["boundary"] + kinds["boundary+label"] == 2  # partial of partial
    assert kinds["missed"] == kinds["spurious"] == 0


ODD_STYLES = (
    ["O", "PER", "LOC"],  # bare
    ["O", "B_PER", "I_PER", "B_LOC", "I_LOC"],
    ["O", "b-per", "i-per", "b-loc"],
    ["O", "B-PER", "I-PER", "I_PER", "Other"],
)


@at_most(60)
@given(st.sampled_from(ODD_STYLES), st.data())
def test_odd_tags_are_read_as_seqeval_reads_them(style, data):
    """Bare labels, small letters and underscores give seqeval's figures, with a warning."""
    tags = st.lists(
        st.lists(st.sampled_from(style), min_size=3, max_size=3), min_size=2, max_size=4
    )
    gold = data.draw(tags)
    mine = [data.draw(st.permutations(each)) for each in gold]
    if not any(tag not in ("O", "Other") for each in gold for tag in each):
        return
    for average in ("micro", "macro", None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = sa.f1_score(gold, mine, average=average, zero_division=0)
        wanted = theirs("f1_score", gold, mine, average=average, zero_division=0)
        assert np.array_equal(ours, wanted), (gold, mine)


@pytest.mark.parametrize(
    "style", [["b-x", "i-x", "o"], ["b", "i", "o", "O"], ["B-X", "o", "O"], ["B-x", "i-x", "I-x"],
              ["B-X", "I-X", ".", "O"], ["B_X", "e-X", "O"]],
)  # fmt: skip
@at_most(60)
@given(data=st.data())
def test_small_letters_beside_capitals(style, data):
    """Whatever seqeval's scan makes of small letters and of the dot is made here, or refused where
    its segments overlap each other or the end of a sentence, which no figure of chance allows."""
    tags = st.lists(
        st.lists(st.sampled_from(style), min_size=1, max_size=4), min_size=1, max_size=4
    )
    gold = data.draw(tags)
    mine = [[data.draw(st.sampled_from(style)) for _ in each] for each in gold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, refused = math.nan, ""
        try:
            ours = sa.f1_score(gold, mine)
        except sa.errors.SettingError as error:
            refused = str(error)
    if not refused:
        assert ours == theirs("f1_score", gold, mine), (gold, mine)
        return
    assert "ends a segment that overlaps another or has no begin in its sentence" in refused
    layer = gold if refused.startswith("y_true") else mine
    found = sorted(each[1:] for each in theirs("get_entities", layer))
    ends = set((np.cumsum([len(each) + 1 for each in layer]) - 1).tolist())
    over = any(ends & set(range(a, b + 1)) for a, b in found)
    assert over or any(a[1] >= b[0] for a, b in pairwise(found))


def test_odd_tags_are_warned_of():
    """What has no prefix and hyphen is said; the report names labels as seqeval's does."""
    with pytest.warns(UserWarning, match=r"^B_PER, I_PER: no prefix and hyphen; read as seqeval"):
        report = sa.classification_report(
            [["B_PER", "I_PER"]], [["B_PER", "I_PER"]], output_dict=True
        )
    assert list(report) == list(
        theirs(
            "classification_report", [["B_PER", "I_PER"]], [["B_PER", "I_PER"]], output_dict=True
        )
    )


@pytest.mark.parametrize("flat", [["B-PER", "O"], None, 3, [None, ["O"]]])
@pytest.mark.parametrize(
    "name", [*SCORES, "classification_report", "precision_recall_fscore_support"]
)
def test_type_errors_are_those_of_seqeval(name, flat):
    """A flat list, or none, is a TypeError, and one of ours too."""
    for arguments in ((flat, flat), ([["B-PER", "O"]], flat)):
        with pytest.raises(TypeError):
            theirs(name, *arguments)
        with pytest.raises(TypeError, match=r"; a list of tag lists is needed$") as error:
            getattr(sa, name)(*arguments)
        assert isinstance(error.value, sa.InputError)


@at_most(50)
@given(pairs("BI"), st.sampled_from([0, 0.5, 1, 2, math.inf]), st.sampled_from([0, 1]))
def test_all_four_are_seqeval(both, beta, zero):
    """Precision, recall, F of any beta and support, and counts of tokens, equal seqeval's."""
    options = {"beta": beta, "zero_division": zero}
    for average in ("micro", "macro", "weighted", None):
        ours = sa.precision_recall_fscore_support(*both, average=average, **options)
        wanted = theirs("precision_recall_fscore_support", *both, average=average, **options)
        assert all(map(np.array_equal, ours, wanted)), average
    assert sa.accuracy_score(*both) == theirs("accuracy_score", *both)
    assert sa.performance_measure(*both) == theirs("performance_measure", *both)
    flat = [[tag for tags in each for tag in tags] for each in both]
    assert sa.accuracy_score(*flat) == theirs("accuracy_score", *flat)
    f2 = sa.precision_recall_fscore_support(*both, average="micro", zero_division=0)[2]
    f1 = sa.f1_score(*both, zero_division=0)
    assert (f2.expected, f2.corrected) == pytest.approx((f1.expected, f1.corrected), nan_ok=True)


def test_four_refused():
    """Wrong beta, weights, averages and lengths are said; no token gives no accuracy."""
    one = [["B-PER"]]
    for options, said in (
        ({"beta": -1}, "beta -1 … from 0"),
        ({"average": "samples"}, "unknown average 'samples'; allowed: micro"),
        ({"sample_weight": [1]}, "sample_weight … leave it out"),
    ):
        with refuses(sa.SettingError, said):
            sa.precision_recall_fscore_support(one, one, **options)
    with refuses(sa.InputError, "y_pred: 2 tags in 1 list, y_true has 1 in 1"):
        sa.accuracy_score(one, [["O", "O"]])
    with refuses(sa.InputError, "y_pred: 'B-PER'; a list of tag lists is needed"):
        sa.accuracy_score(one, ["B-PER"])
    assert math.isnan(sa.accuracy_score([], []))


@pytest.mark.parametrize(
    ("function", "wrong", "there"),
    [(sa.precision_score, "averag", "chance"), (sa.evaluate, "toleranc", "tolerance")],
)
def test_keywords_that_are_misspelt(function, wrong, there):
    """A keyword that nothing takes is refused by its name, and by the names of those there are."""
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{wrong}'.* {there}"):
        function([["B-X"]], [["B-X"]], **{wrong: 1})
