"""Intervals over the single texts of joined documents, between which chance may move segments."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest
from oracles import jackknifed
from strategies import ADDITIVE

import spanagree as sa
from spanagree.cli.main import main
from spanagree.report.explain import explain

ASK = {"ci": sa.Jackknife()}
TEXTS = {"ci": sa.Jackknife(cluster_by="text")}


def bare(score):
    """A score without its interval."""
    return score._replace(interval=None)


@pytest.mark.long
@pytest.mark.parametrize("match", ADDITIVE)
def test_figures_stay(documents, match):
    """Only intervals change: all figures are bit for bit those of --unit document."""
    one, other = (sa.evaluate(documents, match=match, **ask) for ask in (ASK, TEXTS))
    for name, system in one.systems.items():
        for score in ("precision", "recall", "f1"):
            mine, theirs = getattr(system, score), getattr(other.systems[name], score)
            assert bare(mine) == bare(theirs)
            assert mine.interval.observed != theirs.interval.observed
    ours, theirs = (
        sa.agree(
            documents,
            match=match,
            **{**ask, "ci": replace(ask["ci"], cluster_by=ask["ci"].cluster_by)},
        )
        for ask in (ASK, TEXTS)
    )
    assert bare(ours.team.f1) == bare(theirs.team.f1)
    assert replace(ours.mean, interval=None) == replace(theirs.mean, interval=None)
    assert ours.mean.interval != theirs.mean.interval


@pytest.mark.long
def test_one_text_each(sentences):
    """If each document is of one text, drawing texts is drawing documents, to the last digit."""
    joined = sentences.grouped_by([f"s{i}" for i in range(len(sentences))], joined=True)
    plain, ours = (sa.evaluate(joined, match="token", **ask) for ask in (ASK, TEXTS))
    assert {n: (x.f1, x.precision, x.labels) for n, x in plain.systems.items()} == {
        n: (x.f1, x.precision, x.labels) for n, x in ours.systems.items()
    }
    plain, ours = (
        sa.agree(joined, **{**ask, "ci": replace(ask["ci"], cluster_by=ask["ci"].cluster_by)})
        for ask in (ASK, TEXTS)
    )
    assert (plain.team, plain.mean, plain.labels) == (ours.team, ours.mean, ours.labels)
    assert dict(plain.pairs) == dict(ours.pairs)
    assert plain.annotators == ours.annotators
    pair = [sa.compare_systems(sa.evaluate(joined), resamples=99, ci=sa.Jackknife(cluster_by=by)).pairs for by in (None, "text")]  # fmt: skip
    assert pair[0] == pair[1]


@pytest.mark.long
@pytest.mark.parametrize("match", ["exact", "token"])
def test_by_hand(documents, match):
    """A jackknife over sentences, by F1 without each one in plain Python, gives the interval."""
    result = sa.evaluate(documents, match=match, ci=sa.Jackknife(cluster_by="text"))
    rows = []  # matched, expected and size of each sentence
    for document, ends in zip(documents, documents.text_ends, strict=True):
        label_of = {s.label for n in ("gold", "tagger") for s in document.segments[n]}
        sums = [[0.0, 0.0, 0.0] for _ in ends]
        begins = [0, *ends[:-1]]
        for label in label_of:
            sides = [[s for s in document.segments[n] if s.label == label] for n in ("gold", "tagger")]  # fmt: skip
            if match == "token":
                sides = [[(t, t + 1) for s in side for t in range(s.start, s.end)] for side in sides]  # fmt: skip
            else:
                sides = [[(s.start, s.end) for s in side] for side in sides]
            here = documents.subset([document_number(documents, document)])
            one = sa.evaluate(here, match=match).systems["tagger"].labels[label]
            for text, (low, high) in enumerate(zip(begins, ends, strict=True)):
                a, b = ([x for x in side if low <= x[0] < high] for side in sides)
                shares = [len(x) / len(side) if side else 0 for x, side in zip((a, b), sides, strict=True)]  # fmt: skip
                share = sum(shares) - (high - low) / document.length if all(sides) else 0
                sums[text][0] += len({*a} & {*b})
                sums[text][1] += one.expected * share
                sums[text][2] += len(a) + len(b)
        rows += sums
    total = [math.fsum(column) for column in zip(*rows, strict=True)]

    def corrected(m, e, size):
        return 2 * (m - e) / (size - 2 * e)

    left = [corrected(*(t - x for t, x in zip(total, row, strict=True))) for row in rows]
    n = len(left)
    f1 = result.systems["tagger"].f1
    assert n == 103
    assert f1.corrected == pytest.approx(corrected(*total), abs=1e-12)
    informative = sum(row[2] > 0 for row in rows)
    assert informative < n
    ends = jackknifed(left, f1.corrected, informative, -f1.expected / (1 - f1.expected))
    assert f1.interval.corrected == pytest.approx(ends, abs=1e-9)


def document_number(corpus, document):
    return [corpus.id_of(d) for d in range(len(corpus))].index(document.id)


def threads(number, each, draw):
    """Threads of random texts: in two of five nothing is marked, in one nearly everything."""
    lengths, layers = [], {"gold": [], "mine": []}
    for _ in range(number * each):
        n, rate = draw.randrange(5, 30), draw.choice((0, 0, 0.3, 0.3, 0.8))
        marked = [draw.random() < rate for _ in range(n)]
        again = [x if draw.random() < 0.85 else rate > 0 and draw.random() < 0.5 for x in marked]
        lengths.append(n)
        for name, side in (("gold", marked), ("mine", again)):
            layers[name].append([(t, t + 1, "X") for t, x in enumerate(side) if x])
    corpus = sa.Corpus.from_segments(lengths, layers)
    return corpus.grouped_by([str(i // each) for i in range(number * each)], joined=True)


@pytest.mark.slow
def test_spread_of_other_texts():
    """Over 150 samples of 12 threads of 5 texts (seed 0), the interval holds the figure of 4,000
    threads as often as 95 % intervals of 60 units do, and the standard error of the jackknife is
    the spread of the figure, within 4 standard errors: by theory s/√(2·149), 6 %."""
    draw = random.Random(0)
    truth = sa.evaluate(threads(4000, 5, draw), match="token").systems["mine"].f1.corrected
    figures, errors, held = [], [], 0
    for _ in range(150):
        how = {"match": "token", "ci": sa.Jackknife(cluster_by="text")}
        f1 = sa.evaluate(threads(12, 5, draw), **how).systems["mine"].f1
        low, high = f1.interval.corrected
        figures.append(f1.corrected)
        errors.append((high - low) / 2 / 1.96)
        held += low <= truth <= high
    assert abs(held / 150 - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 150)
    assert np.mean(errors) / np.std(figures) == pytest.approx(1, abs=4 / math.sqrt(2 * 149))


def test_gaps_and_empty():
    """Texts that others saw are other documents; who saw nothing, and no document, are no error."""
    marked = {
        "ann": [[(0, 2, "X")], [], [(1, 2, "X")], [(0, 1, "Y")]],
        "bob": [[(0, 2, "X")], [(0, 1, "X")], None, [(0, 1, "Y")]],
        "cem": [None] * 4,
    }
    corpus = sa.Corpus.from_segments([4, 3, 5, 2], marked, ids=["t-1", "t-2", "t-3", "u-1"])
    joined = corpus.grouped_by("(.*)-", joined=True)
    assert [ends.tolist() for ends in joined.text_ends] == [[4, 7], [5], [2]]
    result = sa.agree(joined, **TEXTS)
    assert list(result.pairs) == [("ann", "bob")]
    assert not math.isnan(result.team.f1.interval.corrected[0])
    nobody = sa.Corpus.from_segments([], {"a": [], "b": []}).grouped_by([], joined=True)
    assert sa.agree(nobody, **TEXTS).team.f1.reason == "no document was seen by two annotators"
    turned = corpus.subset([3, 1, 0, 2]).select_annotators(["cem", "bob", "ann"])
    other = sa.agree(turned.grouped_by("(.*)-", joined=True), **TEXTS)
    assert other.team.f1[:3] == result.team.f1[:3]
    # sums in another order: their last digit may differ
    for one, two in zip(other.team.f1.interval[:3], result.team.f1.interval[:3], strict=True):
        assert one == pytest.approx(two, rel=0, abs=1e-14)
    assert sa.evaluate(joined.subset([1, 0]), **TEXTS).systems["bob"].documents == 1
    part = sa.evaluate(corpus.grouped_by("(.*)-", joined=True), "ann", **TEXTS)
    assert part.systems["bob"].f1.interval is not None


def test_conll_and_groups(sentences, documents):
    """Sentences of CoNLL documents are the texts of the same documents joined by their ids."""
    joined = sentences.grouped_by([f"d{whole}" for whole in sentences.parent_ids], joined=True)
    assert [x.tolist() for x in joined.text_ends] == [x.tolist() for x in documents.text_ends]
    ours, theirs = (
        sa.evaluate(c, **TEXTS).systems["tagger"].f1 for c in (joined, documents.with_ids("d", -1))
    )
    assert ours == theirs


@pytest.mark.long
def test_sentences(sentences, documents):
    """Sentences are the units, or the texts that these are joined of; a post is not a sentence."""
    for corpus, same in ((sentences, None), (documents, "text")):
        for measure in (lambda c, **how: sa.evaluate(c, **how).systems["tagger"].f1,
                        lambda c, **how: sa.agree(c, **how).team.f1):  # fmt: skip
            asked, meant = (
                measure(corpus, ci=replace(TEXTS["ci"], cluster_by=by)) for by in ("sentence", same)
            )
            assert asked == meant
    result = sa.evaluate(documents, ci=replace(TEXTS["ci"], cluster_by="sentence"))
    assert "|cluster_by:sentence|" in result.signature
    assert "leaving out one text at a time" in " ".join(
        " ".join(text for _, text in explain([result.table()])).split()
    )
    with pytest.raises(sa.SettingError, match="cluster_by sentence: a permutation test"):
        sa.compare_systems(
            sa.evaluate(documents),
            test="permutation",
            ci=sa.Jackknife(cluster_by="sentence"),
        )
    posts = replace(sentences, reading={})
    with pytest.raises(sa.SettingError, match=r"cluster_by sentence: .* not read as sentences"):
        sa.evaluate(posts, ci=replace(TEXTS["ci"], cluster_by="sentence"))
    with pytest.raises(
        sa.SettingError, match=r"cluster_by sentence: .* choose document, or leave it out"
    ):
        sa.document_agreement(documents, ci=replace(TEXTS["ci"], cluster_by="sentence"))


def test_refused(sentences, documents):
    """What cannot be drawn by texts says so, and what to choose instead."""
    for call, says in (
        (lambda: sa.evaluate(sentences, **TEXTS), "the documents were not joined of texts; join them"),
        (lambda: sa.agree(sentences, **TEXTS), "the documents were not joined of texts; join them"),
        (lambda: sa.evaluate(documents.to_characters(), **TEXTS), "were not joined of texts"),
        (
            lambda: sa.compare_systems(sa.evaluate(documents), test="permutation", ci=sa.Jackknife(cluster_by="text")),
            "a permutation test exchanges what chance expects too",
        ),
        (lambda: sa.document_agreement(documents, **TEXTS), "choose document, or leave it out"),
        (lambda: sa.coefficients(sa.token_labels(documents), **TEXTS), "choose document, or leave it out"),
    ):  # fmt: skip
        with pytest.raises(sa.SettingError, match="cluster_by text: .*" + says):
            call()


@pytest.mark.long
def test_command(sentences, tmp_path, capsys):
    """The command joins by ids, draws texts, says so in signature, words and methods."""
    path = tmp_path / "posts.jsonl"
    ids = [f"{whole}-{s}" for s, whole in enumerate(sentences.parent_ids.tolist())]
    sa.write_jsonl(replace(sentences, ids=ids, parent_ids=None, reading={}), path)
    line = ["--group-by", "^(.*)-", "--unit", "document", "--ci"]
    line += ["--cluster-by", "text"]
    for command in ("evaluate", "agree"):
        assert main([command, str(path), *line, "--format", "json"]) == 0
        made = json.loads(capsys.readouterr().out)
        assert "|joined:pattern ^(.*)-|" in made["signature"]
        assert "|cluster_by:text|" in made["signature"]
        assert "Texts were left out" in " ".join(sa.cite(made["signature"]).split())
    assert main(["evaluate", str(path), *line, "--explain"]) == 0
    assert "Each text of a joined document is left out separately" in " ".join(capsys.readouterr().out.split())  # fmt: skip
    assert main(["evaluate", str(path), *line[:2], *line[4:]]) == 2
    assert "--group-by needs" in capsys.readouterr().err


def test_words(documents):
    """The explanation says what is drawn, and no longer that sentences belong together."""
    result = sa.evaluate(documents, **TEXTS)
    text = " ".join(" ".join(t for _, t in explain([result.table()])).split())
    assert "leaving out one text at a time" in text
    assert "more honest where it is known" not in text
