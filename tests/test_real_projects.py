"""What a project asks of real crowds, end to end: each figure again from the rows, in a few lines."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter, defaultdict

import pytest
from test_real_data import pico, toxic

import spanagree as sa
from spanagree.cli.main import main

STEPS = ["drop-repeats", "clip-beyond-text", "drop-beyond-text", "drop-unlabelled", "drop-duplicates"]  # fmt: skip


def corpus_of(real, name):
    """A corpus by name, the spans of one worker merged where they overlap."""
    if name == "crowd":
        return sa.read_jsonl("corpora/crowd/crowd.jsonl")
    if name == "toxic":
        return toxic(real, [*STEPS, "merge-overlaps"])
    return pico(real, "PICO-annos-crowdsourcing.json", "merge-overlaps")


def again(path):
    """Of each annotator documents, segments, matches and sizes with all others, from the lines."""
    seen, marked, sums = Counter(), Counter(), defaultdict(Counter)
    one_sided = Counter()
    for line in path.read_text("utf-8").splitlines():
        layers = {
            who: {(s["start"], s["end"], s["label"]) for s in spans}
            for who, spans in json.loads(line)["annotators"].items()
            if spans is not None
        }
        for who, spans in layers.items():
            seen[who] += 1
            marked[who] += len(spans)
        for a, b in itertools.permutations(layers, 2):
            sums[a]["matched"] += len(layers[a] & layers[b])
            sums[a]["size"] += len(layers[a]) + len(layers[b])
            one_sided[a] += len(layers[a])
    return seen, marked, sums, one_sided


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crowd", "pico", "toxic"])
def test_annotators(real, name, tmp_path, capsys):
    """F1 against the rest, documents, segments and counts of kinds; shares add up; orders hold."""
    path = tmp_path / f"{name}.jsonl"
    corpus = corpus_of(real, name)
    sa.write_jsonl(corpus, path)
    standings = sa.agree(corpus, chance="per-label").standings
    seen, marked, sums, one_sided = again(path)
    line = ["agree", str(path), "--by", "annotator", "--sort", "outlier", "--chance", "per-label"]
    assert main([*line, "--format", "json"]) == 0
    members = json.loads(capsys.readouterr().out)["tables"]["annotators"]
    assert {each["annotator"] for each in members} == seen.keys()
    for each in members:
        who = each["annotator"]
        assert (each["documents"], each["segments"]) == (seen[who], marked[who])
        matched, size = sums[who]["matched"], sums[who]["size"]
        outcomes = standings[who].outcomes
        assert each["matched"] == outcomes["match"] == matched
        if size:
            assert each["f1"]["observed"] == pytest.approx(2 * matched / size, abs=1e-12)
        own = sum(outcomes.values()) - outcomes["missed"]
        assert own == one_sided[who]  # each of her segments, with each other
    kinds = [key for key in members[0] if key.startswith("share_")]
    assert kinds
    for kind in kinds:
        shares = [each[kind] for each in members if each[kind] is not None]
        assert not shares or sum(shares) == pytest.approx(1)
    p = [1 if each["p_holm"] is None else each["p_holm"] for each in members]
    apart = [each < 0.05 for each in p]
    assert apart == sorted(apart, reverse=True)
    rest = [each["documents"] for each, there in zip(members, apart, strict=True) if not there]
    assert rest == sorted(rest, reverse=True)
    assert sum(apart) == {"crowd": 2, "pico": 6, "toxic": 50}[name]  # as when this was written


@pytest.mark.slow
def test_confusion_of_thousands(real):
    """All of toxic_spans: the team's matrix is that of pairs of workers who share a comment."""
    corpus = corpus_of(real, "toxic")
    result = sa.confusion(corpus)
    saw = sum(layer.annotated.astype(int) for layer in corpus.layers.values())
    assert result.documents == (saw > 1).sum()
    each = dict.fromkeys(corpus.labels, 0)
    for layer in corpus.layers.values():
        for d, label in zip(layer.document.tolist(), layer.label.tolist(), strict=True):
            each[corpus.labels[label]] += int(saw[d]) - 1  # beside each other worker's layer
    assert dict(zip(result.labels, result.matrix[:-1].sum(axis=1).tolist(), strict=True)) == {
        name: count for name, count in each.items() if count
    }
    assert (result.matrix == result.matrix.T).all()
    first = result.confused[0]
    assert (first.a, first.b, first.times) == ("Identity based Attack", "Threat", 197)


@pytest.mark.slow
def test_report_of_thousands(real, tmp_path):
    """The report of 3,579 workers names every outlier, and begins its table with them."""
    corpus = corpus_of(real, "toxic")
    sa.write_report(corpus, tmp_path / "r.html", team=True, chance="per-label")
    page = (tmp_path / "r.html").read_text("utf-8")
    result = sa.agree(corpus, chance="per-label")
    apart = {name for name, each in result.standings.items() if each.outlier}
    section = {
        key: page.split(f'<section id="{key}"')[1].split("</section>")[0]
        for key in ("summary", "annotators")
    }
    assert set(re.findall(r"<bdi>(\d+)</bdi> \(", section["summary"])) == apart
    rows = re.findall(r"<tr><(?:th|td)[^>]*><bdi[^>]*>(\d+)</bdi>", section["annotators"])
    # those seen at once, and as many folded as a table holds; the shares are a table of their own
    rows, shares = rows[:312], rows[312:]
    assert len(rows) == 12 + 300
    assert set(shares) == set(rows[:300])
    assert set(rows[: len(apart)]) == apart
    documents = [result[name].documents for name in rows[len(apart) :]]
    assert documents == sorted(documents, reverse=True)
    assert documents[0] == max(member.documents for member in result.annotators.values())


def test_snow2008_in_a_paper(real, tmp_path, capsys):
    """The labels of items, from the table to the paragraph: α by hand (Krippendorff, 2011)."""
    source, out = real / "data" / "snow2008" / "rte.standardized.tsv", tmp_path / "rte.json"
    names = ["--item", "orig_id", "--annotator", "!amt_worker_ids", "--label", "response"]
    assert main(["coefficients", str(source), *names, "--format", "json", "-o", str(out)]) == 0
    assert main(["cite", str(out), "--results"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    head, *rows = (line.split("\t") for line in source.read_text("utf-8").splitlines() if line)
    item, _, label = (head.index(name) for name in names[1::2])
    items = defaultdict(Counter)
    for row in rows:
        items[row[item]][row[label]] += 1
    given = sum(items.values(), Counter())  # each item has two labels or more
    differ = sum((c.total() ** 2 - sum(k * k for k in c.values())) / (c.total() - 1) for c in items.values())  # fmt: skip
    by_chance = (given.total() ** 2 - sum(k * k for k in given.values())) / (given.total() - 1)
    assert all(c.total() > 1 for c in items.values())
    assert text.startswith(f"Krippendorff's α is {1 - differ / by_chance:.3f},".replace("0.", "."))
