"""Relations, pieces and tolerance in evaluations: enumeration in fractions, simulation, invariance."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.comparisons.relation_places import (
    RelationRule,  # the relations as a corpus
    compute_relation_distributions,
)

GOLDEN = Path(__file__).parents[1] / "golden"


def cases(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())["cases"]


def related(case, **rule):
    """The relations of a golden case, as a corpus of two annotators."""
    spans = {x: [[tuple(span) for span in case[f"spans_{x}"]]] for x in "ab"}
    links = {x: [[tuple(link) for link in case[f"relations_{x}"]]] for x in "ab"}
    corpus = sa.Corpus.from_segments([case["length"]], spans, relations=links)
    there = {link[2] for x in "ab" for link in case[f"relations_{x}"]}
    undirected = tuple(label for label in case["symmetric"] if label in there)
    return RelationRule(undirected=undirected, **rule).build_relations(corpus)


@pytest.mark.long
@pytest.mark.parametrize("arguments", ["fixed", "common"])
@pytest.mark.parametrize(
    "case", [c for c in cases("relations") if c["relations_a"] or c["relations_b"]]
)
def test_relations_equal_the_enumeration(case, arguments):
    """Matched, sizes and expected, of segments that stay, or of those that both marked."""
    wanted = case if arguments == "fixed" else case["given_common"]
    corpus = related(case, arguments=arguments)
    tally = sa.evaluate(corpus).systems["b"].tally
    if arguments == "fixed":
        assert tally.matched == case["matched"]
    assert (tally.size_a, tally.size_b) == (wanted["size_a"], wanted["size_b"])
    assert tally.expected == pytest.approx(wanted["expected"], abs=1e-12)
    team = sa.agree(corpus).team
    assert team.f1 == sa.evaluate(corpus).systems["b"].f1


@pytest.mark.long
@pytest.mark.parametrize("chance", ["nonoverlapping", "overlapping"])
@pytest.mark.parametrize("case", cases("discontinuous"))
def test_pieces_equal_the_enumeration(case, chance):
    """Each measure's expected match, of segments that move in blocks, or each alone."""
    layers = {x: [[(pieces, label) for pieces, label in case[x]]] for x in "ab"}
    corpus = sa.Corpus.from_segments([case["length"]], layers)
    wanted = case["expected"]["blocks" if chance == "nonoverlapping" else "overlapping"]
    for match, expected in wanted.items():
        try:
            tally = sa.evaluate(corpus, match=match, chance=chance).systems["b"].tally
        except sa.SettingError as error:  # it overlaps itself in the measure's sense
            assert "allow" in str(error)  # noqa: PT017
            continue
        assert tally.expected == pytest.approx(expected, abs=1e-12), match


@pytest.mark.long
@pytest.mark.parametrize("case", [c for c in cases("tolerance") if c["chance"] != "overlapping"])
def test_tolerance_equals_the_enumeration(case):
    """One-to-one matches, observed and expected, within a tolerance of 0, 1 and 2."""
    layers = {x: [[tuple(span) for span in case[x]]] for x in "ab"}
    corpus = sa.Corpus.from_segments([case["length"]], layers)
    match = f"exact-within-{case['tolerance']}" if case["tolerance"] else "exact"
    tally = sa.evaluate(corpus, match=match, chance=case["chance"]).systems["b"].tally
    assert tally.matched == case["observed"]["one_to_one"]
    assert tally.expected == pytest.approx(case["expected"]["one_to_one"], abs=1e-12)


def of_case(case, pieces=False):
    """The corpus of a golden case of segments."""
    layers = {x: [[(s[0], s[1]) if pieces else tuple(s) for s in case[x]]] for x in "ab"}
    return sa.Corpus.from_segments([case["length"]], layers)


def is_mean(distribution, expected):
    """Whether an expected match is that of draws, within 4 standard errors."""
    error = distribution.sd / np.sqrt(max(len(distribution.drawn), 1))
    return abs(distribution.mean - expected) <= 4 * error + 1e-12


@pytest.mark.parametrize("match", ["exact", "token", "iou"])
@pytest.mark.parametrize("case", cases("discontinuous")[::6])
def test_chance_of_pieces_drawn(case, match):
    """The mean of drawn blocks is the enumerated one."""
    corpus = of_case(case, pieces=True)
    try:
        distribution = sa.match_distribution(corpus, "a", "b", match=match)
    except sa.SettingError:  # it overlaps itself in the measure's sense
        return
    assert is_mean(distribution, case["expected"]["blocks"][match])


@pytest.mark.parametrize(
    "case", [c for c in cases("tolerance")[::4] if c["chance"] == "nonoverlapping"]
)
def test_chance_within_a_tolerance_drawn(case):
    """The shares of draws are the enumerated probabilities, both random or one as it is."""
    match = f"exact-within-{case['tolerance']}" if case["tolerance"] else "exact"
    for fixed, name in ((None, ""), ("a", "_a_fixed")):
        made = sa.match_distribution(of_case(case), "a", "b", match=match, fixed=fixed)
        for matches, p in case[f"distribution_one_to_one{name}"]:
            draws = len(made.drawn) or np.inf
            error = 4 * np.sqrt(p * (1 - p) / draws) + 1e-12
            assert made.pmf.get(matches, 0) == pytest.approx(p, abs=error)


@pytest.mark.parametrize("simulate", [False, True])
def test_p_of_pieces(simulate):
    """Gold has one segment of six tokens with a gap in twelve tokens: 1 of 7 places is right."""
    one = [([(0, 2), (5, 6)], "X")]
    corpus = sa.Corpus.from_segments([12], {"gold": [one], "mine": [one]})
    tested = sa.chance_test(corpus, sa.evaluate(corpus), simulate=simulate).systems["mine"]
    assert tested.p == pytest.approx(1 / 7, abs=4 * np.sqrt(6 / 49 / 1000))
    moved = sa.chance.simulate(corpus, seed=3)
    (segment,) = moved[0].segments["mine"]
    assert [(s - segment.start, e - segment.start) for s, e in segment.pieces] == [(0, 2), (5, 6)]


def test_teams_compare_pieces():
    """Agreement of annotators and evaluation see the same: the second of two has other pieces."""
    spans = [(0, 1, "X"), ([(2, 4), (6, 8)], "X")]
    layers = {"a": [spans], "b": [[spans[0], ([(2, 4), (7, 8)], "X")]], "c": [spans]}
    corpus = sa.Corpus.from_segments([12], layers)
    team = sa.agree(corpus)
    assert [team.pairs[pair].f1.observed for pair in (("a", "b"), ("a", "c"))] == [0.5, 1]
    for match in ("exact", "token", "iou"):
        pair = sa.agree(corpus, match=match).pairs["a", "b"].tally
        assert pair.matched == sa.evaluate(corpus, "a", match=match)["b"].tally.matched
    assert sa.project.disputes(corpus).to_rows()


pieces_of_two = st.lists(
    st.sets(st.integers(0, 11), min_size=1, max_size=5), min_size=0, max_size=2
).filter(lambda sets: len(set().union(*sets)) == sum(map(len, sets)))


def as_pieces(tokens):
    """The pieces of a set of tokens."""
    return [(t, t + 1) for t in sorted(tokens)]


@pytest.mark.long
@given(pieces_of_two, pieces_of_two)
def test_shared_tokens_of_pieces(a, b):
    """Token and iou are what sets of tokens share."""
    layers = {n: [[(as_pieces(x), "X") for x in some]] for n, some in (("a", a), ("b", b))}
    corpus = sa.Corpus.from_segments([12], layers)
    shared = sum(len(x & y) for x in a for y in b)
    ratio = sum(len(x & y) / len(x | y) for x in a for y in b)
    for match, wanted in (("token", shared), ("iou", ratio)):
        tally = sa.evaluate(corpus, match=match)["b"].tally
        assert tally.matched == pytest.approx(wanted)


@pytest.mark.long
@pytest.mark.parametrize(
    "case",
    [
        c
        for c in cases("relations")
        if (c["relations_a"] or c["relations_b"]) and not c["exclusive"]
    ],
)
def test_distribution_equals_the_enumeration(case):
    """The distribution of the match of random relations; that with one fixed, by drawing pairs."""
    corpus = related(case)
    both = sa.match_distribution(corpus, "a", "b")
    wanted = {m: p for m, p in case["distribution"] if p}
    assert both.pmf == pytest.approx(wanted, abs=1e-12)
    for fixed in "ab":
        assert sum(
            sa.match_distribution(corpus, "a", "b", fixed=fixed).pmf.values()
        ) == pytest.approx(1)


@pytest.mark.parametrize("simulate", [False, True])
def test_p_of_relations_drawn(simulate):
    """Gold links two of three segments, X with one of two Ys: p is 1/2, by pairs or by draws."""
    spans = [(0, 1, "X"), (3, 4, "Y"), (6, 7, "Y")]
    layers = {name: [spans] for name in ("gold", "mine")}
    corpus = sa.Corpus.from_segments([8], layers, relations={n: [[(0, 1, "r")]] for n in layers})
    found = sa.evaluate(corpus, what="relations")
    p = sa.chance_test(corpus, found, simulate=simulate).systems["mine"].p
    assert p == pytest.approx(1 / 2, abs=4 * np.sqrt(1 / 4 / 1000) * simulate + 1e-12)


def test_distribution_with_one_fixed():
    """One relation of a stands on a pair that b could link, one does not: (0, 1/6) of 6 pairs."""
    a = [(0, 1, "P"), (2, 3, "P"), (4, 5, "P"), (8, 9, "P")]
    layers = {"a": [a], "b": [a[:3]]}
    links = {"a": [[(0, 1, "r"), (0, 3, "r")]], "b": [[(2, 1, "r")]]}
    corpus = RelationRule().build_relations(sa.Corpus.from_segments([9], layers, relations=links))
    assert sa.match_distribution(corpus, "a", "b", fixed="a").pmf == pytest.approx(
        {0: 5 / 6, 1: 1 / 6}
    )
    mean = sa.match_distribution(corpus, "a", "b").mean
    assert mean == pytest.approx(2 * 1 * 6 / (12 * 6))
    assert mean == pytest.approx(sa.evaluate(corpus).systems["b"].tally.expected)


def test_everything_of_relations():
    """Intervals, labels, documents, p, teams with gaps, parts: what segments have, relations have."""
    spans = [(0, 1, "P"), (3, 4, "P"), (6, 7, "L")]
    rng = np.random.default_rng(1)
    links = {}
    for who in "abc":
        links[who] = []
        for _ in range(12):
            chosen = {
                (int(i), int(j), "rs"[k])
                for i, j, k in rng.integers(0, (3, 3, 2), (4, 3))
                if i != j
            }
            links[who].append(sorted(chosen))
    layers = {who: [spans] * 12 for who in "abc"}
    layers["c"] = [spans] * 8 + [None] * 4
    links["c"][8:] = [None] * 4
    corpus = sa.Corpus.from_segments([9] * 12, layers, relations=links)
    found = sa.evaluate(corpus, what="relations", ci=sa.Jackknife(), p_values=True)
    assert set(found.systems["b"].labels) == {"r", "s"}
    assert found.settings["what"] == "relations"
    assert found.systems["b"].f1.interval.observed[0] < found.systems["b"].f1.observed
    for by in (None, "label", "document"):
        assert str(found.table(by))
    agreement = sa.agree(corpus, what="relations", ci=sa.Jackknife())
    assert agreement.pairs["a", "c"].documents == 8
    parts = [corpus.with_ids().subset(range(k, k + 4)) for k in (0, 4, 8)]
    assert sa.agree(parts, what="relations").team.f1.corrected == agreement.team.f1.corrected
    assert sa.evaluate(parts, what="relations").systems["b"].f1.observed == found["b"].f1.observed
    untyped = sa.evaluate(corpus, what="relations", untyped=True)
    assert list(untyped.systems["b"].labels) == ["relation"]


@pytest.mark.parametrize("offsets", ["tokens", "characters", "10ms"])
@pytest.mark.parametrize("what", ["relations", "attributes"])
def test_offsets_are_those_of_the_segments(what, offsets):
    """The signature has the unit of the source, and no figure depends on it."""
    spans = [(0, 7, "Drug", {"sure": "no"}), (15, 19, "Effect"), (20, 24, "Effect")]
    links = {"a": [[(0, 1, "causes")]], "b": [[(0, 2, "causes")]]}
    layers = {"a": [spans], "b": [[spans[0], spans[2], spans[1]]]}
    in_tokens = sa.Corpus.from_segments([24], layers, relations=links)
    source = sa.Corpus.from_segments([24], layers, relations=links, offsets=offsets)
    parts = [source.replace(ids=("1",)), source.replace(ids=("2",))]
    for found in (sa.agree(source, what=what), sa.evaluate(source, what=what), sa.agree(parts, what=what)):  # fmt: skip
        assert f"|offsets:{offsets}|" in found.signature
    assert sa.agree(source, what=what).team.f1 == sa.agree(in_tokens, what=what).team.f1


def test_drawn_tolerance(monkeypatch):
    """Over budget the mean is drawn, within 4 standard errors of the exact one, and said."""
    spans = [[(i * 7, i * 7 + 1 + i % 3, "X") for i in range(5)]]
    corpus = sa.Corpus.from_segments([40], {"a": spans, "b": spans})
    exact = sa.evaluate(corpus, match="exact-within-1").systems["b"].tally.expected
    monkeypatch.setattr("spanagree.comparisons.overlap_expected.NEAR_BUDGET", 0)
    drawn = sa.evaluate(corpus, match="exact-within-1")
    assert drawn.settings["expected"] == "partly-drawn"
    error = np.sqrt(5 / 1000)  # of a count of up to five, at most
    assert abs(drawn.systems["b"].tally.expected - exact) < 4 * error
    again = sa.evaluate(corpus, match="exact-within-1", seed=3)
    assert again.systems["b"].tally.expected != drawn.systems["b"].tally.expected
    assert abs(again.systems["b"].tally.expected - exact) < 4 * error


@st.composite
def linked(draw):
    """Two annotators with the same segments, and relations of two labels."""
    k = draw(st.integers(2, 5))
    spans = [
        (3 * i, 3 * i + draw(st.integers(1, 3)), draw(st.sampled_from("PL"))) for i in range(k)
    ]
    pair = st.tuples(st.integers(0, k - 1), st.integers(0, k - 1), st.sampled_from("rs"))
    links = st.lists(pair.filter(lambda x: x[0] != x[1]), max_size=5, unique=True)
    return 3 * k, spans, {"a": draw(links), "b": draw(links)}


def figures(n, spans, links, **rule):
    corpus = sa.Corpus.from_segments(
        [n], {x: [spans] for x in links}, relations={x: [links[x]] for x in links}
    )
    tally = sa.evaluate(RelationRule(**rule).build_relations(corpus)).systems["b"].tally
    return tally.matched, pytest.approx(tally.expected, abs=1e-12), tally.size_a, tally.size_b


@pytest.mark.long
@given(linked(), st.randoms())
def test_what_does_not_matter(drawn, random):
    """The order of segments, the names of types, and which end of an undirected link is first."""
    n, spans, links = drawn
    if not any(links.values()):
        return
    plain = figures(n, spans, links)
    order = list(range(len(spans)))
    random.shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    moved = {x: [(place[i], place[j], r) for i, j, r in some] for x, some in links.items()}
    assert figures(n, [spans[i] for i in order], moved) == plain
    named = [(s, e, {"P": "person", "L": "land"}[label]) for s, e, label in spans]
    assert figures(n, named, links) == plain
    labels = tuple(sorted({r for some in links.values() for *_, r in some}))
    once = {
        x: list({(min(i, j), max(i, j), r): (i, j, r) for i, j, r in some}.values())
        for x, some in links.items()
    }
    turned = {x: [(j, i, r) for i, j, r in some] for x, some in once.items()}
    free = figures(n, spans, once, undirected=labels)
    assert figures(n, spans, turned, undirected=labels) == free


@pytest.mark.long
@given(linked())
def test_segments_of_other_types_do_not_matter(drawn):
    """Pairs that no relation could link, as their types never are, change nothing."""
    n, spans, links = drawn
    if not any(links.values()):
        return
    more = [*spans, (n, n + 1, "Z"), (n + 1, n + 2, "Z")]
    assert figures(n + 2, more, links) == figures(n, spans, links)


def test_more_kinds_more_chance():
    """Three entities, two relations each: .33 by chance, .67 without a direction."""
    spans = [(0, 1, "P"), (2, 3, "P"), (4, 5, "P")]
    links = {"a": [(0, 1, "r"), (1, 2, "r")], "b": [(0, 1, "r"), (2, 1, "r")]}
    corpus = sa.Corpus.from_segments(
        [6], {x: [spans] for x in "ab"}, relations={x: [links[x]] for x in "ab"}
    )
    chance = [
        sa.evaluate(RelationRule(undirected=free).build_relations(corpus)).systems["b"].f1.expected
        for free in ((), ("r",))
    ]
    assert chance == pytest.approx([1 / 3, 2 / 3])


def test_pairs_in_one_sentence():
    """With sentences as kinds a relation within one is among the pairs within sentences."""
    text = "a b\nc d"
    spans = [(0, 1, "P"), (2, 3, "P"), (4, 5, "P"), (6, 7, "P")]
    links = {"a": [[(0, 1, "r")]], "b": [[(2, 3, "r")]]}
    corpus = sa.Corpus.from_segments(
        [7], {x: [spans] for x in "ab"}, relations=links, offsets="characters", texts=[text]
    )
    tallies = {
        pairs: sa.evaluate(RelationRule(pairs=pairs).build_relations(corpus)).systems["b"].tally
        for pairs in ("types", "all", "sentence")
    }
    # 12 ordered pairs of four segments, 4 of them within a line
    assert [tallies[x].expected for x in tallies] == pytest.approx([1 / 12, 1 / 12, 1 / 4])


def test_pairs_across_sentences():
    """With sentences as kinds a relation across sentences is among the 8 pairs across sentences."""
    spans = [(0, 1, "P"), (2, 3, "P"), (4, 5, "P"), (6, 7, "P")]
    links = {"a": [[(0, 2, "r")]], "b": [[(1, 3, "r")]]}
    corpus = sa.Corpus.from_segments(
        [7], {x: [spans] for x in "ab"}, relations=links, offsets="characters", texts=["a b\nc d"]
    )
    relations = RelationRule(pairs="sentence").build_relations(corpus)
    assert sa.evaluate(relations).systems["b"].tally.expected == pytest.approx(1 / 8)


@pytest.mark.parametrize("fixed", [None, "a"])
def test_relations_by_document(fixed):
    """The chance of a document with two labels is its chance in a corpus of this document alone."""
    spans = [[(0, 1, "P"), (2, 3, "P"), (4, 5, "P")], [(0, 1, "P"), (2, 3, "P")]]
    links = {
        "a": [[(0, 1, "r"), (0, 2, "q")], [(1, 0, "r"), (0, 1, "q")]],
        "b": [[(2, 1, "r"), (0, 1, "q")], [(1, 0, "r"), (1, 0, "q")]],
    }
    corpus = sa.Corpus.from_segments([6, 4], dict.fromkeys("ab", spans), relations=links)
    relations = RelationRule().build_relations(corpus)
    whole = compute_relation_distributions(relations, ("a", "b"), fixed)
    assert sorted(whole) == [0, 1]
    for document in range(2):
        alone = RelationRule().build_relations(corpus.subset([document]))
        (parts,) = compute_relation_distributions(alone, ("a", "b"), fixed).values()
        assert len(parts) == 2  # one for each label
        for part, part_of_whole in zip(parts, whole[document], strict=True):
            assert part_of_whole == pytest.approx(part)


def test_a_relation_in_both_directions_is_one():
    """Without a direction, a relation and the same turned round are one, which a note counts."""
    spans = [(0, 1, "P"), (2, 3, "P")]
    links = {"a": [[(0, 1, "r"), (1, 0, "r")]], "b": [[(0, 1, "r")]]}
    corpus = sa.Corpus.from_segments([4], {x: [spans] for x in "ab"}, relations=links)
    turned = RelationRule(undirected=("r",)).build_relations(corpus)
    assert turned.notes == ("1 relation the same as another, merged",)
    tally = sa.evaluate(turned).systems["b"].tally
    assert (tally.matched, tally.size_a, tally.size_b) == (1, 1, 1)
    assert RelationRule().build_relations(corpus).notes == ()


def test_either_annotator_may_be_fixed():
    """The order of the names of the fixed annotator and the other one changes nothing."""
    spans = [(0, 1, "P"), (2, 3, "P"), (4, 5, "P")]
    links = {"a": [[(0, 1, "r"), (0, 2, "r")]], "b": [[(2, 1, "r")]]}
    corpus = sa.Corpus.from_segments([6], {"a": [spans], "b": [spans[:3]]}, relations=links)
    relations = RelationRule().build_relations(corpus)
    (first,), (second,) = (
        compute_relation_distributions(relations, names, "b")[0]
        for names in (("a", "b"), ("b", "a"))
    )
    # a draws 2 of 6 pairs of segments, and b's is among them with probability 1/3
    assert first == pytest.approx([2 / 3, 1 / 3])
    assert second == pytest.approx(first)


def test_attributes_as_relations_of_one_segment():
    """Of four segments a marks one and b two, by chance they share 1 · 2 / 4."""
    spans = [(i, i + 1, "P") for i in range(4)]
    layers = {"a": [[(*spans[0], {"sure": "no"}), *spans[1:]]]}
    layers["b"] = [[(*spans[0], {"sure": "no"}), (*spans[1], {"sure": "no"}), *spans[2:]]]
    corpus = sa.Corpus.from_segments([9], layers)
    tally = sa.evaluate(corpus, what="attributes").systems["b"].tally
    assert (tally.matched, tally.expected, tally.size_a, tally.size_b) == (1, 0.5, 1, 2)


def test_attributes_of_several_names():
    """Values of each attribute are counted by themselves: of 4 segments a marks one each time."""
    spans = [(i, i + 1, "P") for i in range(4)]
    kinds = [{}, {"kind": "x"}, {"kind": "y"}, {}]
    sure = {"a": [0], "b": [0, 1]}
    layers = {
        name: [
            [
                (*span, kind | ({"sure": "no"} if i in sure[name] else {}))
                for i, (span, kind) in enumerate(zip(spans, kinds, strict=True))
            ]
        ]
        for name in "ab"
    }
    corpus = sa.Corpus.from_segments([9], layers)
    labels = sa.evaluate(corpus, what="attributes").systems["b"].labels
    counts = {name: (each.matched, each.size_b, each.expected) for name, each in labels.items()}
    assert counts == {
        "kind=x": (1, 1, 1 / 4), "kind=y": (1, 1, 1 / 4), "sure=no": (1, 2, 1 / 2),
    }  # fmt: skip


def test_the_largest_tolerance():
    """A tolerance has three digits at most, as in the name of its measure."""
    corpus = sa.Corpus.from_segments([9], {name: [[(0, 1, "X")]] for name in "ab"})
    assert sa.evaluate(corpus, tolerance=999).settings["match"] == "exact-within-999"
    with refuses(sa.SettingError, "tolerance 1000; a whole number from 0 to 999 is needed"):
        sa.evaluate(corpus, tolerance=1000)


def test_attribute_in_labels():
    """The attribute is part of the label: both have to agree."""
    layers = {
        "a": [[(0, 1, "X", {"sure": "no"}), (2, 3, "X")]],
        "b": [[(0, 1, "X", {"sure": "yes"}), (2, 3, "X")]],
    }
    corpus = sa.Corpus.from_segments([9], layers)
    assert sa.evaluate(corpus).systems["b"].tally.matched == 2
    joint = sa.evaluate(corpus, attribute="sure").systems["b"]
    assert list(joint.labels) == ["X", "X sure=no", "X sure=yes"]
    assert joint.tally.matched == 1
    with refuses(sa.SettingError, "… attribute 'new' … there are sure"):
        sa.evaluate(corpus, attribute="new")
    for match in ("boundaries", "partial"):
        with pytest.raises(sa.SettingError, match=f"match {match} ignores"):
            sa.evaluate(corpus, attribute="sure", match=match)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"what": "links"}, "unknown what 'links'; allowed: segments"),
        ({"pairs": "all"}, "pairs is for what relations; segments are compared here"),
        ({"what": "relations", "pairs": "x"}, "unknown pairs 'x'; allowed: types"),
        ({"what": "relations", "undirected": ["x"]}, "undirected 'x'; the relations are called r"),
        ({"what": "relations", "undirected": "r"}, "undirected 'r'; a list of labels is needed"),
        ({"what": "relations", "match": "token"}, "allowed: exact, boundaries"),
        ({"what": "relations", "match": "boundaries"}, "pairs all goes with it"),
        ({"what": "relations", "pairs": "sentence"}, "pairs sentence needs sentences"),
    ],
)
def test_refused(settings, message):
    """Each error names the setting and what is allowed."""
    spans, links = [[(0, 1, "X"), (2, 3, "X")]], [[(0, 1, "r")]]
    names = ("a", "b")
    corpus = sa.Corpus.from_segments(
        [9], dict.fromkeys(names, spans), relations=dict.fromkeys(names, links)
    )
    for compare in (sa.evaluate, sa.agree):
        with pytest.raises(sa.SettingError, match=message):
            compare(corpus, **settings)
