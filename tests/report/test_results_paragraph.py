"""The paragraph of results: its figures are those of the result, and what is not there is not said."""

from __future__ import annotations

import json

import pytest
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.report.sources import REFERENCES


def words(result, form="text"):
    """The paragraph, in one line."""
    return " ".join(sa.cite(result, form, results=True).partition("\n\n")[0].split())


def verdict(result):
    """The verdict, in one line."""
    return " ".join(result.verdict.split())


def test_it_is_the_verdict(crowd):
    """The paragraph is the verdict, then where it is shaky, then the program."""
    result = sa.agree(crowd, ci=sa.Jackknife())
    assert words(result) == f"{verdict(result)} All figures were computed with spanagree 1.0.0."
    layers = {"ann": [[(0, 2, "X")], []], "bob": [[(0, 2, "X")], []]}
    few = sa.agree(sa.Corpus.from_segments([9, 9], layers))
    assert words(few).startswith(verdict(few))
    assert f"To be kept in mind: {'; '.join(few.to_dict()['caveats'])}." in words(few)


def test_a_test_of_systems(run, newsroom, tmp_path):
    """Of figures with a test the verdict is that of the test."""
    files = [newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")]
    evaluation = sa.evaluate(sa.read(files))
    for test, made in (
        ("permutation", sa.compare_systems(evaluation, test="permutation")),
        ("chance", sa.systems.chance_test(sa.read(files), evaluation)),
    ):
        path = tmp_path / f"{test}.json"
        run("evaluate", *files, "--test", test, "--format", "json", "-o", path)
        _, out, _ = run("cite", path, "--results")
        assert " ".join(out.split()).startswith(verdict(made))
        assert words(made).startswith(verdict(made))


def test_hostile_names():
    """A label is a label, whatever it looks like: no source, no line and no command of LaTeX."""
    name = "[[holm1979]]\n\\input{x}"
    layers = {"gold": [[(0, 2, "X")]] * 9, name: [[(0, 2, "X")]] * 9}
    result = sa.evaluate(sa.Corpus.from_segments([9] * 9, layers))
    assert "[ [holm1979]]\\n" in words(result)
    assert "holm1979" not in sa.cite(result, "bibtex", results=True)
    assert "\\input" not in words(result, "latex")


NO_VERDICT = "a paragraph of results needs a verdict"
ODD = {
    "{}": "no signature in it",
    "LINE": NO_VERDICT,
    'LINE "kind": "Difficulty"': NO_VERDICT,
    'LINE "verdict": 3, "test": {"verdict": "", "signature": "test:chance|spanagree:1.0.0"}': NO_VERDICT,
    'LINE "verdict": ""': NO_VERDICT,
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
    with refuses(sa.InputError, "… needs a verdict … comparisons of annotators or systems"):
        sa.cite(sa.disagreements(corpus, "a", "b"), results=True)


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
    lacking = NEEDED[source.entry_type] - source.fields.keys()
    _, _, named = source.fields.get("annote", "").partition("left out: ")
    assert set(named.split(", ")) - {""} == lacking
    assert "verified" not in source.text
