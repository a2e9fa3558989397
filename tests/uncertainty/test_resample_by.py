"""Resampling whole documents where chance is that of sentences: by the definition, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from messages import refuses
from oracles import joined_with_t
from spanagree.uncertainty.bootstrap import Resampling

import spanagree as sa
from spanagree.cli.main import main
from spanagree.formats.combine import concatenated, unite

ASK = {"ci": sa.Bootstrap(resamples=300, seed=2)}


def test_wholes(sentences, documents):
    """Each sentence knows its document: the lengths of a document's sentences add up to its own."""
    lengths = np.bincount(sentences.wholes, sentences.lengths)
    assert lengths.tolist() == documents.lengths.tolist()
    some = sentences.subset([0, 50, 102])
    assert some.wholes.tolist() == sentences.wholes[[0, 50, 102]].tolist()
    assert documents.wholes is None


@pytest.mark.long
def test_evaluation(sentences):
    """The raw interval is that of documents, as raw sums do not depend on the unit; figures stay."""
    plain = sa.evaluate(sentences)
    result = sa.evaluate(sentences, **{**ASK, "ci": replace(ASK["ci"], resample_by="document")})
    # an evaluation of whole documents, whose tallies are the sums of their sentences'
    table = plain.counted.per_document.table("tagger", np.arange(len(sentences)))
    sums = np.stack([np.bincount(sentences.wholes, column) for column in table.T], axis=1)
    drawn = np.random.default_rng(2).integers(0, 14, (20_000, 14))
    matched, expected, a, b = np.moveaxis(sums[drawn].sum(axis=1), -1, 0)
    corrected = 2 * (matched - expected) / (a + b - 2 * expected)
    how = sa.Bootstrap(resamples=20_000, interval="percentile", resample_by="document")
    by_quantile = sa.evaluate(sentences, ci=how)
    f1 = by_quantile.systems["tagger"].f1
    matched, expected, a, b = (sums.sum(axis=0) - sums).T
    left_out = 2 * (matched - expected) / (a + b - 2 * expected)
    floor = -f1.expected / (1 - f1.expected)
    ends = joined_with_t(np.quantile(corrected, (0.025, 0.975)), f1.corrected, left_out, floor)
    error = 4 * math.sqrt(2) * 2.7 * corrected.std() / math.sqrt(20_000)  # of a 2.5 % quantile
    assert f1.interval.corrected == pytest.approx(ends, abs=error)
    assert result.systems["tagger"].f1[:3] == plain.systems["tagger"].f1[:3]
    assert "|ci:bca95|resample_by:document|resamples:300|seed:2|" in result.signature
    assert "resample_by" not in sa.evaluate(sentences, **ASK).signature
    label = result.systems["tagger"].labels["PER"].f1.interval
    assert label != sa.evaluate(sentences, **ASK).systems["tagger"].labels["PER"].f1.interval


def test_agreement_and_tokens(sentences, documents):
    """Of two annotators an agreement is an evaluation; π of tokens is that of whole documents, to the digit."""
    two = sentences.of_annotators(["gold", "tagger"])
    f1 = (
        sa.evaluate(two, **{**ASK, "ci": replace(ASK["ci"], resample_by="document")})
        .systems["tagger"]
        .f1
    )
    agreed = sa.agree(two, **{**ASK, "ci": replace(ASK["ci"], resample_by="document")})
    for part in (agreed.team.f1, agreed.pairs["gold", "tagger"].f1, agreed.mean):
        assert part.interval.corrected == pytest.approx(f1.interval.corrected)
    ours = sa.coefficients(
        sa.token_labels(sentences), **{**ASK, "ci": replace(ASK["ci"], resample_by="document")}
    )
    theirs = sa.coefficients(sa.token_labels(documents), **ASK)
    assert ours.pi.interval == theirs.pi.interval
    assert ours.pi.interval != sa.coefficients(sa.token_labels(sentences), **ASK).pi.interval


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_tests(sentences, test):
    """Both tests take whole documents: 14 that differ, in any order of systems and sentences."""
    evaluation = sa.evaluate(sentences)
    result = sa.compare_systems(
        evaluation, test=test, bootstrap=sa.Bootstrap(resamples=200, resample_by="document")
    )
    assert [(pair.documents, pair.differing) for pair in result.pairs] == [(14, 14)] * 3
    turned = sa.evaluate(sentences.subset(range(102, -1, -1)))
    other = sa.compare_systems(
        turned, test=test, bootstrap=sa.Bootstrap(resamples=200, resample_by="document")
    )
    assert [p.corrected for p in other.pairs] == [p.corrected for p in result.pairs]


def test_where_documents_are_not_known(tmp_path):
    """Sentences without -DOCSTART- lines are refused; documents are drawn as they are."""
    text = "a B-X\nb O\n\nc B-X\n"
    paths = {name: tmp_path / f"{name}.conll" for name in ("gold", "mine")}
    for path in paths.values():
        path.write_text(text)
    corpus = sa.read_conll(paths)
    assert corpus.wholes is None
    said = "resample_by document … -DOCSTART- … by unit"
    for refused in (
        lambda: sa.evaluate(corpus, ci=sa.Bootstrap(resample_by="document")),
        lambda: sa.agree(corpus, ci=sa.Bootstrap(resample_by="document")),
        lambda: sa.coefficients(sa.token_labels(corpus), ci=sa.Bootstrap(resample_by="document")),
    ):
        with refuses(sa.SettingError, said):
            refused()
    with pytest.raises(sa.SettingError, match="unknown resample_by 'x'; allowed: unit, document"):
        Resampling(resample_by="x")
    whole = sa.Corpus.from_segments([5] * 3, {"a": [[(0, 1, "X")]] * 3, "b": [[(0, 1, "X")], [], []]})  # fmt: skip
    by = [sa.evaluate(whole, **{**ASK, "ci": replace(ASK["ci"], resample_by=unit)}).systems["b"].f1.interval for unit in ("unit", "document")]  # fmt: skip
    assert by[0] == by[1]


def test_sources_together(sentences):
    """Parts of a corpus, one after the other, have documents of their own; layers side by side the same."""
    raw = sentences.subset(range(20)).to_raw()
    assert concatenated({"a": raw, "b": raw}).wholes.tolist() == [
        *raw.wholes.tolist(), *(raw.wholes + 3).tolist(),
    ]  # fmt: skip
    assert unite({"a": raw, "b": raw}).wholes.tolist() == raw.wholes.tolist()


def test_sentences_added_by_id(tmp_path):
    """Where files have different sentences, their documents are not known."""
    first = "-DOCSTART- O\n\n# sent_id = 1\na B-X\n\n# sent_id = 2\nb O\n"
    second = first + "\n# sent_id = 3\nc O\n"
    paths = {name: tmp_path / f"{name}.conll" for name in ("gold", "mine")}
    for path, text in zip(paths.values(), (first, second), strict=True):
        path.write_text(text)
    assert sa.read_conll({"gold": paths["gold"]}).wholes.tolist() == [0, 0]
    assert sa.read_conll(paths).ids == ("1", "2", "3")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["evaluate", "--resample-by", "document"], "--resample-by needs --ci or --test"),
        (["evaluate", "--test", "chance", "--resample-by", "document"], "--resample-by does not go with --test chance"),
        (["agree", "--measure", "alpha-u", "--resample-by", "document", "--ci"], "--resample-by does not go with --measure alpha-u"),
    ],
)  # fmt: skip
def test_misused(newsroom, capsys, command, said):
    """What goes with nothing is refused, not silently passed over."""
    name, *more = command
    assert main([name, str(newsroom / "gold.conll"), str(newsroom / "tagger.conll"), *more]) == 2
    assert said in capsys.readouterr().err


def test_command(newsroom, capsys):
    """--resample-by gives what Python gives, and is explained."""
    files = [str(newsroom / f"{n}.conll") for n in ("gold", "tagger")]
    ask = ["--ci", "--resamples", "50", "--resample-by", "document", "--explain"]
    assert main(["evaluate", *files, *ask]) == 0
    out = capsys.readouterr().out
    assert "|resample_by:document|" in out
    assert "from 50 resamples of the documents" in " ".join(out.split())
    assert "Sentences of one document belong together" not in " ".join(out.split())
