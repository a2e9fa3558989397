"""The paragraph of results: its figures are those of the result, and what is not there is not said."""

from __future__ import annotations

import json
import re

import pytest
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.report.citation import REFERENCES, results_paragraph


def words(result, form="text"):
    """The paragraph, in one line."""
    return " ".join(sa.cite(result, form, results=True).partition("\n\n")[0].split())


def three(value):
    return f"{value:.3f}"


def test_agreement(crowd):
    """Figures, intervals and coverage are those of the result, to three digits."""
    result = sa.agree(crowd, ci=sa.Bootstrap(resamples=100, resample_by="unit"))
    text, f1 = words(result), result.team.f1
    assert text.startswith(
        "5 annotators worked on 63 documents (25 to 63 each), of which 62 were seen by two or more;"
        " 10 pairs of annotators share a document. Over all pairs F1 is"
    )
    for kind in ("observed", "expected", "corrected"):
        low, high = getattr(f1.interval, kind)
        assert f"{three(getattr(f1, kind))} [{three(low)}, {three(high)}]" in text
    assert f"standard deviation (n − 1) of {three(result.mean.sd.corrected)}" in text
    assert "PEST 0.563, PLANT 0.534, TOOL 0.438" in text
    assert (
        "As not everybody saw every document, each two annotators were compared over what" in text
    )
    assert "Intervals, in brackets, are 95 %, with the annotators held fixed." in text
    assert "To be kept in mind" not in text


def test_agreement_without_gaps_or_figures():
    """Without gaps nothing is said of them, without --ci there are no brackets; undefined is said."""
    layers = {"ann": [[(0, 2, "X")], []], "bob": [[(0, 2, "X")], []]}
    text = words(sa.agree(sa.Corpus.from_segments([9, 9], layers)))
    assert "2 annotators worked on 2 documents (each of them all), of which 2 were seen" in text
    assert "[" not in text
    assert "As not everybody" not in text
    assert "To be kept in mind: team: only 1 document with anything to compare" in text
    empty = words(sa.agree(sa.Corpus.from_segments([9], {"ann": [[]], "bob": [[]]})))
    assert "F1 is undefined (neither marked anything)." in empty
    nothing = words(sa.agree(sa.Corpus.from_segments([], {})))
    assert "0 annotators worked on 0 documents" in nothing
    full = words(sa.agree(sa.Corpus.from_segments([2], {n: [[(0, 2, "X")]] for n in "ab"})))
    assert "corrected for chance it is undefined" in full


def test_coefficients(crowd):
    """Each coefficient with its interval; with gaps the formula of each, and where it is from."""
    result = sa.coefficients(sa.token_labels(crowd), ci=sa.Bootstrap(resamples=50))
    text = words(result)
    assert text.startswith(
        "5 annotators gave 4669 labels of 4 categories to 1324 tokens, of which 1299"
    )
    for entry in result.to_dict()["tables"]["coefficients"]:
        if entry["coefficient"] not in ("B", "SPA"):
            low, high = entry["interval"]["corrected"]
            assert (
                f"{entry['coefficient']} {three(entry['value'])} [{three(low)}, {three(high)}]"
                in text
            )
    assert "SPA 0.926" in text
    assert "of κ an annotator's shares are over all items that she labelled (Gwet, 2014)" in text
    assert "To be kept in mind: π: chance alone gives 0.7304" in text
    assert {"gwet2014", "krippendorff2011"} <= set(re.findall(r"@\w+{(\w+)", sa.cite(result, "bibtex", results=True)))  # fmt: skip
    whole = sa.LabelTable.from_rows([("1", "a", "X"), ("1", "b", "Y"), ("2", "a", "Y"), ("2", "b", "Y")])  # fmt: skip
    assert "As not everybody" not in words(sa.coefficients(whole))


def test_systems():
    """A sentence for each system; by token sizes are tokens; with gaps it is said."""
    layers = {"gold": [[(0, 2, "X")], [(1, 2, "X")]], "mine": [[(0, 2, "X")], None]}
    corpus = sa.Corpus.from_segments([9, 9], layers | {"none": [[], []]})
    text = words(sa.evaluate(corpus, match="token"))
    assert "Over 1 of 2 documents with 2 tokens in gold, mine marked 2; F1 is 1.000; chance" in text
    assert "none marked nothing; F1 is 0.000" in text
    assert "(recall 0.000)" in text
    assert "compared with gold over the documents that both saw" in text


def test_systems_against_references():
    """Each system with the ratio to people, then people; one reference has no figure of its own."""
    seen = [[(0, 2, "X"), (4, 5, "X")], [(1, 2, "X")], []]
    layers = {"ann": seen, "bob": [seen[0][:1], *seen[1:]], "m": [seen[0][1:], seen[1], None]}
    corpus = sa.Corpus.from_segments([9] * 3, layers)
    result = sa.evaluate_references(corpus, systems=["m"])
    mine, people = result["m"], result.ceiling
    text = words(result)
    assert text.startswith(
        "m was compared with 2 reference annotators over 2 of 3 documents that one of them saw;"
        f" F1 is {three(mine.f1.observed)}; chance alone gives"
    )
    assert f"that is {three(mine.share.observed)} times the F1 of references among" in text
    assert "The references were compared with each other over 3 documents" in text
    assert f"corrected for chance it is {three(people.f1.corrected)}." in text
    alone = words(sa.evaluate_references(corpus, ["ann"], systems=["m"]))
    assert alone.startswith("m was compared with 1 reference annotator over 2 of 3")
    assert "each other" not in alone


def test_a_test_of_systems(run, newsroom, tmp_path):
    """Differences and p stand beside the figures, and in a paragraph of the test alone."""
    files = [newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")]
    for test, needed in (
        ("permutation", "By the permutation test, with Holm's correction (Holm, 1979), the"),
        ("chance", "By the test against chance, with Holm's correction (Holm, 1979), p < .001,"),
    ):
        path = tmp_path / f"{test}.json"
        run("evaluate", *files, "--test", test, "--format", "json", "-o", path)
        _, out, _ = run("cite", path, "--results")
        assert needed in " ".join(out.split())
    evaluation = sa.evaluate(sa.read(files))
    compared = sa.compare_systems(evaluation, test="permutation")
    (pair,) = compared.pairs
    said = f"corrected F1 is {three(pair.corrected.value)} [{three(pair.corrected.low)},"
    assert said in words(compared)
    assert f"between lexicon.conll and tagger.conll (p {three(pair.corrected.p)}," in words(
        compared
    )


def test_hostile_names():
    """A label is a label, whatever it looks like: no source, no line and no command of LaTeX."""
    name = "[[holm1979]]\n\\input{x}"
    layers = {n: [[(0, 2, name), (3, 4, "Y")]] for n in "ab"}
    result = sa.agree(sa.Corpus.from_segments([9], layers))
    assert "[ [holm1979]]\\n" in words(result)
    assert "holm1979" not in sa.cite(result, "bibtex", results=True)
    assert "\\input" not in words(result, "latex")


ODD = {
    "{}": "no signature in it",
    "LINE": "a paragraph of results needs figures; evaluate (not --by difficulty),",
    'LINE "settings": {"of": "team"}, "kind": "Difficulty"': "a paragraph of results needs figures, and not those of 'Difficulty'; evaluate",
    'LINE "settings": {"test": "x"}, "kind": "Evaluation", "test": {"kind": "x", "signature": "test:chance|spanagree:1.0.0"}': "figures are missing",
    'LINE "settings": {"team": "summed"}, "kind": "Agreement"': "figures are missing or are not numbers",
    'LINE "settings": 3, "kind": "Agreement"': "a paragraph of results needs figures",
}


@pytest.mark.parametrize("text", ODD)
def test_other_files(text, tmp_path, capsys):
    """Results of other kinds, and files that were edited, are an error of one line."""
    path, line = tmp_path / "r.json", "match:exact|team:summed|spanagree:1.0.0"
    more = text.removeprefix("LINE").strip()
    report = f'{{"signature": {json.dumps(line)}{", " * bool(more)}{more}}}'
    path.write_text(report if text.startswith("LINE") else text, "utf-8")
    assert main(["cite", str(path), "--results"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"spanagree: error: {path}: {ODD[text]}")
    assert err.count("\n") == 1


def test_without_figures(capsys):
    """A signature has no figures, nor has nothing; a result of another kind has others."""
    assert main(["cite", "match:exact|spanagree:1.0.0", "--results"]) == 1
    assert "results: a signature has no figures; pass a result" in capsys.readouterr().err
    assert main(["cite", "--results"]) != 0
    assert "--results needs RESULT: a file that --format json wrote" in capsys.readouterr().err
    with pytest.raises(sa.InputError, match="a signature has no figures"):
        sa.cite("match:exact|spanagree:1.0.0", results=True)
    corpus = sa.Corpus.from_segments([9], {n: [[(0, 2, "X")]] for n in "ab"})
    with refuses(sa.InputError, "… needs figures … evaluate … agree … coefficients"):
        sa.cite(sa.difficulty(corpus, "a"), results=True)


NEEDED = {
    "article": {"title", "year", "journal", "volume", "number", "pages"},
    "inproceedings": {"title", "year", "booktitle", "pages"},
    "book": {"title", "year", "edition", "publisher"},
    "misc": {"title", "year", "howpublished"},
    "techreport": {"title", "year", "institution", "number"},
}


@pytest.mark.parametrize("key", REFERENCES)
def test_what_entries_lack(key):
    """Each entry has the fields of its kind, or says which could not be verified; no line prints it."""
    source = REFERENCES[key]
    lacking = NEEDED[source.kind] - source.fields.keys()
    _, _, named = source.fields.get("annote", "").partition("left out: ")
    assert set(named.split(", ")) - {""} == lacking
    assert "verified" not in source.text


@pytest.mark.long
@pytest.mark.parametrize("make", [sa.alpha_u, lambda corpus: sa.gamma(corpus, precision=0.05)])
def test_units_in_a_paragraph(make):
    """α_U and γ, by label too, with what they are computed from; cut short, the bounds."""
    layers = {"a": [[(0, 2, "X")], [(3, 5, "Y")]], "b": [[(0, 3, "X")], [(3, 5, "Y")]]}
    corpus = sa.Corpus.from_segments([9, 9], layers)
    result = make(corpus).to_dict()
    text = results_paragraph(result)
    assert text.startswith("2 annotators were compared over 2 documents")
    key = "gamma" if result["kind"] == "Gamma" else "alpha_u"
    for row in result["tables"]["figures"]:
        value = row[key]["value"]
        assert value is None or f" is {value:.3f}" in text
    cut = sa.gamma(sa.read("corpora/answers/answers.jsonl"), time_limit=0).to_dict()
    assert "γ is undefined (between" in results_paragraph(cut)


def test_no_interval_of_one_pair_among_several(newsroom):
    """Of several pairs p is adjusted, so no interval of one pair stands beside it."""
    names = ("gold", "lexicon", "tagger", "chunker")
    evaluation = sa.evaluate(sa.read([newsroom / f"{name}.conll" for name in names]))
    found = sa.compare_systems(evaluation, bootstrap=sa.Bootstrap(resamples=200))
    pair = found["lexicon.conll", "chunker.conll"].corrected
    text = words(found)
    assert (
        f"{three(pair.value)} between lexicon.conll and chunker.conll (p {three(pair.p)}," in text
    )
    assert f"[{three(pair.low)}," not in text
