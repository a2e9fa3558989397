"""Leaving out whole documents where chance is that of sentences: by the definition, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from messages import refuses
from oracles import jackknifed

import spanagree as sa
from spanagree.choices import Test, list_names
from spanagree.cli.main import main
from spanagree.formats.combine import concatenate_parts, merge_sources

ASK = {"ci": sa.Jackknife()}


def test_wholes(sentences, documents):
    """Each sentence knows its document: the lengths of a document's sentences add up to its own."""
    lengths = np.bincount(sentences.parent_ids, sentences.lengths)
    assert lengths.tolist() == documents.lengths.tolist()
    some = sentences.subset([0, 50, 102])
    assert some.parent_ids.tolist() == sentences.parent_ids[[0, 50, 102]].tolist()
    assert documents.parent_ids is None


@pytest.mark.long
def test_evaluation(sentences):
    """The raw interval is that of documents, as raw sums do not depend on the unit; figures stay."""
    plain = sa.evaluate(sentences)
    result = sa.evaluate(sentences, **{**ASK, "ci": replace(ASK["ci"], cluster_by="document")})
    # an evaluation of whole documents, whose tallies are the sums of their sentences'
    table = plain.counted.per_document.table("tagger", np.arange(len(sentences)))
    sums = np.stack([np.bincount(sentences.parent_ids, column) for column in table.T], axis=1)
    f1 = result.systems["tagger"].f1
    matched, expected, a, b = (sums.sum(axis=0) - sums).T
    left_out = 2 * (matched - expected) / (a + b - 2 * expected)
    floor = -f1.expected / (1 - f1.expected)
    ends = jackknifed(left_out.tolist(), f1.corrected, len(sums), floor)
    assert f1.interval.corrected == pytest.approx(ends, abs=1e-12)
    assert result.systems["tagger"].f1[:3] == plain.systems["tagger"].f1[:3]
    assert "|ci:jackknife-t95|cluster_by:document|" in result.signature
    assert "cluster_by" not in sa.evaluate(sentences, **ASK).signature
    label = result.systems["tagger"].labels["PER"].f1.interval
    assert label != sa.evaluate(sentences, **ASK).systems["tagger"].labels["PER"].f1.interval


def test_agreement_and_tokens(sentences, documents):
    """Of two annotators an agreement is an evaluation; π of tokens is that of whole documents, to the digit."""
    two = sentences.select_annotators(["gold", "tagger"])
    f1 = (
        sa.evaluate(two, **{**ASK, "ci": replace(ASK["ci"], cluster_by="document")})
        .systems["tagger"]
        .f1
    )
    agreed = sa.agree(two, **{**ASK, "ci": replace(ASK["ci"], cluster_by="document")})
    for part in (agreed.team.f1, agreed.pairs["gold", "tagger"].f1, agreed.mean):
        assert part.interval.corrected == pytest.approx(f1.interval.corrected)
    ours = sa.coefficients(
        sa.token_labels(sentences), **{**ASK, "ci": replace(ASK["ci"], cluster_by="document")}
    )
    theirs = sa.coefficients(sa.token_labels(documents), **ASK)
    assert ours.pi.interval == theirs.pi.interval
    assert ours.pi.interval != sa.coefficients(sa.token_labels(sentences), **ASK).pi.interval


@pytest.mark.parametrize("test", list_names(Test))
def test_tests(sentences, test):
    """All tests take whole documents: 14 that differ, in any order of systems and sentences."""
    evaluation = sa.evaluate(sentences)
    result = sa.compare_systems(
        evaluation, test=test, resamples=200, ci=sa.Jackknife(cluster_by="document")
    )
    assert [(pair.documents, pair.differing) for pair in result.pairs] == [(14, 14)] * 3
    turned = sa.evaluate(sentences.subset(range(102, -1, -1)))
    other = sa.compare_systems(
        turned, test=test, resamples=200, ci=sa.Jackknife(cluster_by="document")
    )
    for one, two in zip(other.pairs, result.pairs, strict=True):
        assert repr(one.corrected) == repr(two.corrected)


def test_where_documents_are_not_known(tmp_path):
    """Sentences without -DOCSTART- lines are refused; documents are drawn as they are."""
    text = "a B-X\nb O\n\nc B-X\n"
    paths = {name: tmp_path / f"{name}.conll" for name in ("gold", "mine")}
    for path in paths.values():
        path.write_text(text)
    corpus = sa.read_conll(paths)
    assert corpus.parent_ids is None
    said = "cluster_by document … -DOCSTART- … leave it out"
    for refused in (
        lambda: sa.evaluate(corpus, ci=sa.Jackknife(cluster_by="document")),
        lambda: sa.agree(corpus, ci=sa.Jackknife(cluster_by="document")),
        lambda: sa.coefficients(sa.token_labels(corpus), ci=sa.Jackknife(cluster_by="document")),
    ):
        with refuses(sa.SettingError, said):
            refused()
    with pytest.raises(sa.SettingError, match="unknown cluster_by 'x'; allowed: document, text"):
        sa.Jackknife(cluster_by="x")
    whole = sa.Corpus.from_segments([5] * 3, {"a": [[(0, 1, "X")]] * 3, "b": [[(0, 1, "X")], [], []]})  # fmt: skip
    by = [sa.evaluate(whole, **{**ASK, "ci": replace(ASK["ci"], cluster_by=unit)}).systems["b"].f1.interval for unit in (None, "document")]  # fmt: skip
    assert by[0] == by[1]


def test_sources_together(sentences):
    """Parts of a corpus, one after the other, have documents of their own; layers side by side the same."""
    raw = sentences.subset(range(20)).to_raw()
    assert concatenate_parts({"a": raw, "b": raw}).parent_ids.tolist() == [
        *raw.parent_ids.tolist(), *(raw.parent_ids + 3).tolist(),
    ]  # fmt: skip
    assert merge_sources({"a": raw, "b": raw}).parent_ids.tolist() == raw.parent_ids.tolist()


def test_sentences_added_by_id(tmp_path):
    """Where files have different sentences, their documents are not known."""
    first = "-DOCSTART- O\n\n# sent_id = 1\na B-X\n\n# sent_id = 2\nb O\n"
    second = first + "\n# sent_id = 3\nc O\n"
    paths = {name: tmp_path / f"{name}.conll" for name in ("gold", "mine")}
    for path, text in zip(paths.values(), (first, second), strict=True):
        path.write_text(text)
    assert sa.read_conll({"gold": paths["gold"]}).parent_ids.tolist() == [0, 0]
    assert sa.read_conll(paths).ids == ("1", "2", "3")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["evaluate", "--cluster-by", "document"], "--cluster-by needs --ci or --test"),
        (["evaluate", "--test", "chance", "--cluster-by", "document"], "--cluster-by does not go with --test chance"),
        (["agree", "--measure", "alpha-u", "--cluster-by", "document", "--ci"], "--cluster-by does not go with --measure alpha-u"),
    ],
)  # fmt: skip
def test_misused(newsroom, capsys, command, said):
    """What goes with nothing is refused, not silently passed over."""
    name, *more = command
    assert main([name, str(newsroom / "gold.conll"), str(newsroom / "tagger.conll"), *more]) == 2
    assert said in capsys.readouterr().err


def test_command(newsroom, capsys):
    """--cluster-by gives what Python gives, and is explained."""
    files = [str(newsroom / f"{n}.conll") for n in ("gold", "tagger")]
    ask = ["--ci", "--cluster-by", "document", "--explain"]
    assert main(["evaluate", *files, *ask]) == 0
    out = capsys.readouterr().out
    assert "cluster_by:document|" in out
    assert "from leaving out one document at a time" in " ".join(out.split())
    assert "Sentences of one document belong together" not in " ".join(out.split())
