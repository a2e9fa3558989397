"""Document-level agreement against coincidences counted by hand; its place beside F1; weights."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace

import pytest
from oracles import jackknifed
from test_real_data import pico, toxic

import spanagree as sa


def alpha(answers):
    """Krippendorff's α of lists of answers, a list for each item, by its coincidence matrix."""
    pairs = Counter()
    for given in answers:
        m = len(given)
        for i in range(m):
            for j in range(m):
                if i != j:
                    pairs[given[i], given[j]] += 1 / (m - 1)
    each = Counter()
    for (one, _), count in pairs.items():
        each[one] += count
    n = sum(each.values())
    observed = sum(count for (a, b), count in pairs.items() if a != b) / n
    expected = sum(each[a] * each[b] for a in each for b in each if a != b) / (n * (n - 1))
    return 1 - observed, 1 - expected, 1 - observed / expected if expected else math.nan


def check(corpus):
    """Observed, expected and α of every answer are those of the coincidence matrices."""
    result = sa.document_agreement(corpus)
    documents = [d.seen for d in corpus]
    for name, part in result.all:
        answers = [
            [any(name in ("any label", s.label) for s in marked) for marked in seen.values()]
            for seen in documents
            if len(seen) > 1
        ]
        flat = [x for given in answers for x in given]
        assert result.shares[name] == pytest.approx(sum(flat) / len(flat), abs=1e-12)
        found = (part.observed, part.expected, part.value)
        assert found == pytest.approx(alpha(answers), abs=1e-9, nan_ok=True)
    return result


@pytest.fixture
def path(newsroom):
    return newsroom.parent / "crowd" / "crowd.jsonl"


def test_crowd(path):
    """Five annotators with gaps; those with one answer do not count."""
    assert list(check(sa.read(path)).labels) == ["PEST", "PLANT", "TOOL"]


def test_pico(real):
    """All who saw an abstract marked something: nothing is above chance, and it is said."""
    result = check(pico(real, "PICO-annos-crowdsourcing.json"))
    assert math.isnan(result.any.value)
    assert "–: undefined: chance alone gives 1" in str(result)


@pytest.mark.slow
def test_toxic_spans(real):
    """The quiz comment that 356 workers saw, of 3,579: 60.7 % of the pairs share it; the figure
    without it is that of the corpus without it."""
    steps = ["drop-repeats", "clip-beyond-text", "drop-beyond-text", "drop-unlabelled"]
    corpus = toxic(real, [*steps, "drop-duplicates"])
    check(corpus)
    agreement = sa.agree(corpus, chance="overlapping")
    weight, single = agreement.caveats
    assert "document 6209917, seen by 356 annotators, carries 36.2 % of the weight" in weight
    assert "(60.7 % of the pairs share it)" in weight
    rest = [d for d in range(len(corpus)) if corpus.id_of(d) != "6209917"]
    without = sa.agree(corpus.subset(rest), chance="overlapping").team.f1
    assert f"F1 is {without.observed:.3f}, corrected {without.corrected:.3f}" in weight
    most = sum(max(map(len, d.seen.values())) < 2 for d in corpus if len(d.seen) > 1)
    assert f"in {most} of 16100 documents nobody marked more than one segment" in single


# --- what chance does not see ---------------------------------------------------------------------


def singles(count=40):
    """Two who agree on which documents have a segment and on nothing else."""
    layers = {
        name: [[(start, start + 2, "X")] if d % 2 else [] for d in range(count)]
        for name, start in (("ann", 0), ("bob", 5))
    }
    return sa.Corpus.from_segments([9] * count, layers)


def test_document_agreement_beside_f1(run, tmp_path):
    """Documents agree fully, F1 not at all; agree says so and shows both, in JSON by name."""
    agreement, documents = sa.agree(singles()), sa.document_agreement(singles())
    assert (agreement.team.f1.observed, documents.any.value) == (0, 1)
    said = "team: in 40 of 40 documents nobody marked more than one segment; chance keeps which"
    assert agreement.caveats[-1].startswith(said)
    sa.write_jsonl(singles(), tmp_path / "one.jsonl")
    data = json.loads(run("agree", tmp_path / "one.jsonl", "--format", "json")[1])
    assert data["document_agreement"]["tables"]["labels"][0]["alpha"] == 1
    out = run("agree", tmp_path / "one.jsonl")[1]
    assert "document-level agreement: 2 annotators, 40 documents, 40 seen by two or more" in out
    several = {name: [[(0, 2, "X"), (5, 7, "X")]] * 40 for name in ("ann", "bob")}
    said = sa.agree(sa.Corpus.from_segments([9] * 40, several)).caveats
    assert not any("nobody marked" in caveat for caveat in said)


def test_the_caveat_names_what_is_compared():
    """Nothing is said where nobody marked anything; of relations it says relation, and one document
    has no number."""
    nothing = sa.agree(sa.Corpus.from_segments([9] * 2, {"ann": [[]] * 2, "bob": [[]] * 2}))
    assert not any("nobody marked" in caveat for caveat in nothing.caveats)
    layer = [[(0, 2, "X"), (3, 4, "X"), (5, 6, "Y")]]
    for count, location in (
        (
            1,
            "the only document that two saw nobody marked more than one relation; chance keeps that",
        ),
        (2, "2 of 2 documents nobody marked more than one relation; chance keeps which documents"),
    ):
        corpus = sa.Corpus.from_segments(
            [9] * count,
            dict.fromkeys(("ann", "bob"), layer * count),
            relations={name: [[(0, 1, "r")]] * count for name in ("ann", "bob")},
        )
        assert f"in {location}" in sa.agree(corpus, what="relations").caveats[-1]


def test_half_of_the_documents_is_not_most():
    """The caveat begins above one half, and disregards documents that only one saw."""
    for more, warned in ((1, False), (0, True)):
        twos = [(0, 2, "X"), (5, 7, "X")]
        layer = [[(0, 2, "X")]] * 3 + [twos] * (2 + more)
        layers = {"ann": [*layer, []], "bob": [*layer, None]}
        corpus = sa.Corpus.from_segments([9] * len(layers["ann"]), layers)
        assert sa.agree(corpus).mostly_single is warned


def test_parts_say_the_same(path):
    """The caveats of parts are those of the whole corpus."""
    whole = with_heavy(sa.read(path))
    parts = [whole.subset(range(i, min(i + 20, len(whole)))) for i in range(0, len(whole), 20)]
    assert any("of the weight" in caveat for caveat in sa.agree(whole).caveats)
    assert sa.agree(parts).caveats == sa.agree(whole).caveats


def with_heavy(corpus):
    """The same with a document of many segments, on which all agree."""
    many = [(i, i + 1, "PEST") for i in range(80)]
    rows = [list(d.segments.items()) for d in corpus]
    layers = {name: [*(dict(row)[name] for row in rows), many] for name in corpus.annotators}
    ids = [*corpus.ids, "long"]
    return sa.Corpus.from_segments([*corpus.lengths.tolist(), 99], layers, ids=ids)


def test_weights(path):
    """A document with more than a tenth is named, with the figures that the corpus has without."""
    corpus = sa.read(path)
    without = sa.agree(corpus).team.f1
    (caveat,) = (c for c in sa.agree(with_heavy(corpus)).caveats if "document" in c)
    saw = [sum(s is not None for s in d.segments.values()) for d in corpus]
    sizes = sum(
        len(marked) * (seen - 1)
        for d, seen in zip(corpus, saw, strict=True)
        for marked in d.seen.values()
    )
    share = 5 * 4 * 80 / (5 * 4 * 80 + sizes)
    assert (
        f"document long, seen by 5 annotators, carries {100 * share:.1f} % of the weight" in caveat
    )
    assert "(100.0 % of the pairs share it)" in caveat
    assert f"F1 is {without.observed:.3f}, corrected {without.corrected:.3f}" in caveat
    assert sa.agree(corpus).caveats == ()  # of five annotators each has about a fifth


def test_heavy_annotator():
    """One of twelve who marked most of what there is; the figures are those of the others."""
    layers = {f"w{i:02}": [[(0, 1, "X")]] * 9 for i in range(11)}
    layers["busy"] = [[(2 * i, 2 * i + 1, "X") for i in range(9)]] * 9
    corpus = sa.Corpus.from_segments([30] * 9, layers)
    without = sa.agree(corpus, annotators=list(layers)[:11]).team.f1
    (caveat,) = (c for c in sa.agree(corpus).caveats if "annotator" in c)
    share = 9 * 11 / (9 * 11 + 11 * 11)
    assert caveat == (
        f"team: annotator busy carries {100 * share:.1f} % of the weight; without this annotator, F1 is"
        f" {without.observed:.3f}, corrected {without.corrected:.3f}"
    )


# --- gaps, choices, intervals -------------------------------------------------------------------


def test_no_pairs_reason():
    """Nobody shares a document, there is none, or there is no label: it is said, not an error."""
    apart = sa.Corpus.from_segments([4, 4], {"a": [[], None], "b": [None, []]})
    for corpus in (apart, sa.Corpus.from_segments([], {"a": [], "b": []})):
        result = sa.document_agreement(corpus)
        assert math.isnan(result.any.value)
        assert "no item has two labels" in str(result)
    assert sa.document_agreement(apart).labels == {}


@pytest.mark.long
def test_intervals(path):
    """Jackknife intervals by hand: t standard errors of leaving out one document at a time.

    It is on log odds, of the documents that two saw.
    """
    corpus = sa.read(path)
    whole = sa.document_agreement(corpus, ci=sa.Jackknife()).labels["PEST"]
    numbers = range(len(corpus))
    left = [
        sa.document_agreement(corpus.subset([d for d in numbers if d != out])).labels["PEST"].value
        for out in numbers
    ]
    floor = -whole.expected / (1 - whole.expected)
    saw = [sum(each is not None for each in document.segments.values()) for document in corpus]
    ends = jackknifed(left, whole.value, sum(seen > 1 for seen in saw), floor)
    assert whole.interval.kind == "jackknife-t"
    assert whole.interval.corrected == pytest.approx(ends, rel=1e-4)
    assert "ci:jackknife-t95" in sa.document_agreement(corpus, ci=sa.Jackknife()).signature


def test_order_of_input(path):
    """Neither the order of documents nor that of annotators changes a digit."""
    corpus = sa.read(path)
    turned = corpus.subset(range(len(corpus))[::-1]).select_annotators(corpus.annotators[::-1])
    one, other = sa.document_agreement(corpus, ci=sa.Jackknife()), sa.document_agreement(turned, ci=sa.Jackknife())  # fmt: skip
    assert one.to_dict()["tables"]["labels"] == other.to_dict()["tables"]["labels"]


def test_command(run, path):
    """JSON is what Python gives; some annotators; what does not go with it is refused."""
    measure = ("agree", path, "--measure", "documents")
    assert (
        json.loads(run(*measure, "--format", "json")[1])
        == sa.document_agreement(sa.read(path)).to_dict()
    )
    some = json.loads(run(*measure, "--annotators", "ann,bob", "--format", "json")[1])
    assert some == sa.document_agreement(sa.read(path), annotators=["ann", "bob"]).to_dict()
    assert run(*measure, "--explain")[1].count("Krippendorff") == 3
    for more, said in (
        (("--by", "pair"), "--by does not go with --measure documents"),
        (("--match", "token"), "--match does not go with --measure documents"),
    ):
        code, out, err = run(*measure, *more)
        assert (code, out) == (2, "")
        assert said in err
    with pytest.raises(sa.SettingError, match="unknown annotator 'eve'"):
        sa.document_agreement(sa.read(path), annotators=["eve"])


def test_sentences_are_called_so():
    """What is a sentence is not called an item or a document in caveats."""
    corpus = replace(singles(12), reading={"unit": "sentence"})
    assert "only 12 sentences with anything to compare" in " ".join(
        sa.document_agreement(corpus).caveats
    )
