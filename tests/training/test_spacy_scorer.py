"""The scorers in spaCy: really trained, really evaluated, and everything odd that Examples hold."""

from __future__ import annotations

import json
import math
import os
import pickle
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import ADDITIVE

import spanagree as sa
from spanagree.choices import Chance, list_names
from spanagree.training.spacy_scorer import ner_scorer, spancat_scorer

spacy = pytest.importorskip("spacy")
training = pytest.importorskip("spacy.training")
get_ner_prf = pytest.importorskip("spacy.scorer").get_ner_prf
create_evaluation_callback = pytest.importorskip("spacy.training.loop").create_evaluation_callback
Doc, Span = spacy.tokens.Doc, spacy.tokens.Span
Corpus, Example = training.Corpus, training.Example

ROOT = Path(__file__).parents[2]
FIGURES = ("p", "r", "f", "chance", "p_corrected", "r_corrected", "f_corrected")
CONFIG = """
[nlp]
lang = "en"
pipeline = ["NAME"]

[components]

[components.NAME]
factory = "NAME"

[components.NAME.scorer]
@scorers = "spanagree.NAME_scorer.v1"

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = "gold.spacy"

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = "gold.spacy"
gold_preproc = true

[training]
max_steps = 40
eval_frequency = 20

[training.optimizer]
@optimizers = "Adam.v1"
learn_rate = 0.01

[training.score_weights]
"""


def figures(score_of):
    """The figures of a System or Tally under the scorer's names."""
    kinds = {"p": score_of.precision, "r": score_of.recall, "f": score_of.f1}
    found = {f"{k}_corrected": of.corrected for k, of in kinds.items()}
    return {**{k: of.observed for k, of in kinds.items()}, **found, "chance": score_of.f1.expected}


def evaluated(references, predictions, **settings):
    """What sa.evaluate says of the same Docs."""
    spans = settings.pop("spans", None)
    corpus = sa.from_docs({"gold": references, "mine": predictions}, spans=spans)
    return sa.evaluate(corpus, **settings).systems["mine"]


def check(scores, name, system, tolerance=0.0):
    """Scores are those of a System, for all labels and for each."""
    for key, value in figures(system).items():
        assert scores[f"{name}_{key}"] == pytest.approx(value, abs=tolerance, rel=0), key
    assert set(scores[f"{name}_per_type"]) == set(system.labels)
    for label, tally in system.labels.items():
        for key, value in figures(tally).items():
            # where one side alone marked nothing, spaCy's 0
            value = 0.0 if math.isnan(value) else value
            assert scores[f"{name}_per_type"][label][key] == pytest.approx(
                value, abs=tolerance, rel=0
            ), (label, key)


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """An environment in which spaCy sees the entry points that pyproject.toml has."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    (found,) = re.findall(
        r"^\[project\.entry-points\.spacy_scorers\]\n(.*?)\n\n", text, re.M | re.S
    )
    entries = found.replace('"', "")
    folder = tmp_path_factory.mktemp("site")
    info = folder / f"spanagree-{sa.__version__}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: spanagree\nVersion: {sa.__version__}\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[spacy_scorers]\n{entries}\n", "utf-8")
    return {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}


def spacy_says(installed, folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "spacy", *arguments], cwd=folder, env=installed, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def train(installed, folder, corpus, name, weights, spans=None):
    sa.write_docbin(corpus, "gold", folder / "gold.spacy", spans=spans)
    (folder / "some.cfg").write_text(CONFIG.replace("NAME", name) + weights, "utf-8")
    spacy_says(installed, folder, "init", "fill-config", "some.cfg", "all.cfg")
    return spacy_says(installed, folder, "train", "all.cfg", "-o", "out")


def predictions(folder, name, corpus, spans):
    """What the trained pipeline predicts, without our scorer, and the references."""
    plain = {f"components.{name}.scorer": {"@scorers": f"spacy.{name}_scorer.v1"}}
    nlp = spacy.load(folder / "out" / "model-last", config=plain)
    references = sa.to_docs(corpus, "gold", nlp, spans=spans)
    words = [
        Doc(nlp.vocab, [t.text for t in d], [bool(t.whitespace_) for t in d]) for d in references
    ]
    return references, list(nlp.pipe(words))


@pytest.mark.slow
def test_train_and_evaluate(installed, tmp_path, newsroom):
    """`spacy train` shows and weighs the corrected score; `spacy evaluate` writes all of them."""
    corpus = sa.read_conll({"gold": newsroom / "gold.conll"})
    weights = "ents_f = 0.0\nents_p = null\nents_r = null\nents_f_corrected = 1.0\n"
    out = train(installed, tmp_path, corpus, "ner", weights)
    assert "ENTS_F_COR..." in out
    steps = [line.split() for line in out.splitlines() if re.match(r" +\d", line)]
    assert [step[1] for step in steps] == ["0", "20", "40"]
    for _, _, _, f, corrected, score in steps:
        assert float(corrected) / 100 == pytest.approx(float(score), abs=0.0051)  # two digits
        assert float(corrected) <= float(f)
    assert float(steps[-1][-1]) > 0
    # the tokens of the references: equal to sa.evaluate (JSON has ten digits)
    spacy_says(installed, tmp_path, "evaluate", "out/model-last", "gold.spacy", "-G", "-o", "scores.json")  # fmt: skip
    scores = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    docs = predictions(tmp_path, "ner", corpus, None)
    assert evaluated(*docs).f1.observed > 0
    check(scores, "ents", evaluated(*docs), tolerance=1e-9)
    # spaCy's own tokens, some of which differ: raw figures are those of offsets in characters
    out = spacy_says(installed, tmp_path, "evaluate", "out/model-last", "gold.spacy", "-o", "own.json")  # fmt: skip
    assert "NER F" in out
    scores = json.loads((tmp_path / "own.json").read_text("utf-8"))
    nlp = spacy.load(tmp_path / "out" / "model-last", config={"components.ner.scorer": {"@scorers": "spacy.ner_scorer.v1"}})  # fmt: skip
    own = list(nlp.pipe([doc.text for doc in docs[0]]))
    assert any(len(a) != len(b) for a, b in zip(own, docs[0], strict=True))
    raw = figures(evaluated(docs[0], own))
    assert [scores[f"ents_{k}"] for k in "prf"] == pytest.approx([raw[k] for k in "prf"], abs=1e-9)
    assert 0 < scores["ents_f_corrected"] < scores["ents_f"]


@pytest.mark.slow
def test_train_a_spancat(installed, tmp_path, newsroom):
    """The same for doc.spans, under the component's own key; predictions overlap."""
    corpus = sa.read_conll({"gold": newsroom / "gold.conll"})
    weights = "spans_sc_f_corrected = 1.0\nspans_sc_f = 0.0\n"
    out = train(installed, tmp_path, corpus, "spancat", weights, spans="sc")
    assert "SPANS_SC_F..." in out
    spacy_says(installed, tmp_path, "evaluate", "out/model-last", "gold.spacy", "-G", "-o", "scores.json")  # fmt: skip
    scores = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    docs = predictions(tmp_path, "spancat", corpus, "sc")
    system = evaluated(*docs, spans="sc", chance="overlapping")
    assert system.tally.size_b > 0
    check(scores, "spans_sc", system, tolerance=1e-9)


@pytest.mark.parametrize("match", ADDITIVE)
@pytest.mark.parametrize("chance", list_names(Chance))
def test_a_corpus(newsroom, match, chance):
    """Every measure and chance model gives what sa.evaluate gives of the same Docs."""
    files = {"gold": newsroom / "gold.conll", "mine": newsroom / "lexicon.conll"}
    corpus = sa.read_conll(files)
    references, predicted = (sa.to_docs(corpus, name) for name in files)
    examples = [Example(*pair) for pair in zip(predicted, references, strict=True)]
    scores = ner_scorer(match, chance)(examples)
    system = evaluated(references, predicted, match=match, chance=chance)
    if match == "boundaries":
        assert scores.pop("ents_per_type") is None
        scores["ents_per_type"] = {}
    check(scores, "ents", system)
    if match == "exact":  # spaCy's own scorer is the oracle of the raw figures
        theirs = get_ner_prf(examples)
        ours = {**scores["ents_per_type"], "": {k: scores[f"ents_{k}"] for k in "prf"}}
        theirs = {**theirs["ents_per_type"], "": {k: theirs[f"ents_{k}"] for k in "prf"}}
        for label, of in theirs.items():
            for key, value in of.items():
                assert ours[label][key] == pytest.approx(value, abs=1e-15)


NLP = spacy.blank("en")


def doc(words, *spans, missing=(), spaces=None, key=None):
    """A Doc with spans (start, end, label) in tokens."""
    made = Doc(NLP.vocab, words, spaces)
    marked = [Span(made, start, end, label) for start, end, label in spans]
    if key is not None:
        made.spans[key] = marked
    else:
        made.set_ents(marked, missing=[made[i : i + 1] for i in missing], default="outside")
    return made


def scored(predicted, reference, **settings):
    return ner_scorer(**settings)([Example(predicted, reference)])


def test_nothing_to_score():
    """No Examples, references never annotated, empty Docs, nothing marked: all undefined."""
    keys = {f"ents_{k}" for k in FIGURES} | {"ents_per_type"}
    never = NLP.make_doc("Jo is in Rome")
    marked = doc(["Jo", "is", "in", "Rome"], (0, 1, "PER"))
    nothing = doc(["Jo", "is", "in", "Rome"])
    empty = doc([])
    for pairs in (
        [],
        [(marked, never)],
        [(empty, empty)],
        [(nothing, nothing)],
        [(never, nothing)],
    ):
        scores = ner_scorer()([Example(*pair) for pair in pairs])
        assert scores == dict.fromkeys(keys)
    # a reference that was never annotated changes nothing
    both = ner_scorer()([Example(marked, never), Example(marked, marked)])
    assert both == scored(marked, marked)
    assert both["ents_f"] == 1


def test_one_side_marked_nothing():
    """Precision of nothing is 0 as in spaCy, so that a weight on it is not lost; so is recall."""
    marked, nothing = doc(["Jo", "is"], (0, 1, "PER")), doc(["Jo", "is"])
    for predicted, reference in ((nothing, marked), (marked, nothing)):
        scores = scored(predicted, reference)
        assert {scores[f"ents_{k}"] for k in FIGURES} == {0.0}
        theirs = get_ner_prf([Example(predicted, reference)])
        assert [scores[f"ents_{k}"] for k in "prf"] == [theirs[f"ents_{k}"] for k in "prf"]


@pytest.mark.parametrize("key", ["ents_p_corrected", "ents_f_corrected", "ents_p"])
def test_a_weight_is_not_lost(key):
    """spacy train drops the weight of a score that is None once; no score of a blank model is."""
    reference = doc(["Jo", "is", "in", "Rome"], (0, 1, "PER"))
    rounds = iter([doc(["Jo", "is", "in", "Rome"]), reference])
    nlp = SimpleNamespace(evaluate=lambda _: scored(next(rounds), reference))
    evaluate = create_evaluation_callback(nlp, lambda _: [], {key: 1.0})
    assert [evaluate()[0], evaluate()[0]] == [0, 1]


def test_chance_alone_gives_1():
    """Where nothing can be put elsewhere, the corrected scores are undefined."""
    one = doc(["Jo"], (0, 1, "PER"))
    scores = scored(one, one)
    assert (scores["ents_f"], scores["ents_chance"], scores["ents_f_corrected"]) == (1, 1, None)


def test_other_tokens():
    """A prediction that does not fit the reference's tokens is wrong, whatever spaCy makes of it."""
    reference = doc(["Jo", "met", "Al"], (0, 1, "PER"), (2, 3, "PER"))
    cut = doc(["J", "o", "met", "A", "l"], (0, 2, "PER"), (3, 4, "PER"), spaces=[0, 1, 1, 0, 0])
    scores = scored(cut, reference)
    assert (scores["ents_p"], scores["ents_r"]) == (0.5, 0.5)
    assert get_ner_prf([Example(cut, reference)])["ents_p"] == 1  # it takes A for Al
    # the pieces are J o met A l: by the rules of the model on these five
    pieces = {"gold": [[(0, 2, "PER"), (3, 5, "PER")]], "mine": [[(0, 2, "PER"), (3, 4, "PER")]]}
    system = sa.evaluate(sa.Corpus.from_segments([5], pieces)).systems["mine"]
    check(scores, "ents", system)
    # a corpus with one such document keeps the tokens of all the others
    same = Example(reference, reference)
    pieces = {name: [*of, [(0, 1, "PER"), (2, 3, "PER")]] for name, of in pieces.items()}
    system = sa.evaluate(sa.Corpus.from_segments([5, 3], pieces)).systems["mine"]
    check(ner_scorer()([Example(cut, reference), same]), "ents", system)


def test_one_right_in_three():
    """Predicted spans that spaCy's scorer of spans drops, ours counts."""
    reference = doc(["Jo", "met", "Al", "in", "Rome"], (0, 1, "PER"), key="sc")
    words = list("JometAlinRome")
    spaces = [0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0]
    predicted = doc(words, (0, 2, "PER"), (2, 3, "PER"), (9, 11, "LOC"), spaces=spaces, key="sc")
    example = [Example(predicted, reference)]
    assert spancat_scorer()(example, spans_key="sc")["spans_sc_p"] == pytest.approx(1 / 3)
    theirs = spacy.registry.scorers.get("spacy.spancat_scorer.v1")()(example, spans_key="sc")
    assert theirs["spans_sc_p"] == 1


def test_white_space_and_case():
    """As in spaCy's alignment white space and case do not count; else the texts are the same."""
    reference = doc(["Jo", "is", "in", "ROME", "."], (0, 1, "PER"), (3, 4, "LOC"))
    predicted = doc(["Jo", "  ", "is", "\n", "in", "Rome."], (0, 1, "PER"), (5, 6, "LOC"))
    scores = scored(predicted, reference)
    assert (scores["ents_p"], scores["ents_r"]) == (0.5, 0.5)
    assert scored(doc(["Jo", " "], (0, 1, "X")), doc(["Jo"], (0, 1, "X")))["ents_f"] == 1
    # a span of white space marks nothing that the reference could have
    blank = doc(["Jo", "  "], (0, 1, "X"), (1, 2, "X"), key="sc")
    example = Example(blank, doc(["Jo"], (0, 1, "X"), key="sc"))
    assert spancat_scorer()([example], spans_key="sc")["spans_sc_f"] == 1
    with refuses(
        sa.InputError, "example 2: the reference 'Jo ' and the prediction 'Al ' … the same"
    ):
        ner_scorer()([Example(reference, reference), Example(doc(["Al"]), doc(["Jo"]))])


def test_annotated_in_part():
    """Open tokens are left out, and predictions that touch one are neither right nor wrong."""
    words = ["Jo", "Doe", "is", "in", "New", "York"]
    reference = doc(words, (0, 2, "PER"), missing=[2, 3, 4])
    predicted = doc(words, (0, 2, "PER"), (3, 5, "X"), (5, 6, "LOC"))
    pieces = [*words[:5], "Yo", "rk"]
    marks = [(0, 2, "PER"), (3, 5, "X"), (5, 7, "LOC")]
    for made in (predicted, doc(pieces, *marks, spaces=[1, 1, 1, 1, 1, 0, 0])):
        scores = scored(made, reference)
        n = len(made) - 3
        left = {"gold": [[(0, 2, "PER")]], "mine": [[(0, 2, "PER"), (2, n, "LOC")]]}
        check(scores, "ents", sa.evaluate(sa.Corpus.from_segments([n], left)).systems["mine"])
        theirs = get_ner_prf([Example(made, reference)])
        assert [scores[f"ents_{k}"] for k in "prf"] == [theirs[f"ents_{k}"] for k in "prf"]


def test_span_groups():
    """Overlapping spans, one of them twice; a Doc without the key predicted nothing."""
    words = ["Jo", "is", "in", "New", "York"]
    reference = doc(words, (0, 1, "PER"), (3, 5, "LOC"), (4, 5, "LOC"), key="k")
    predicted = doc(words, (3, 5, "LOC"), (4, 5, "LOC"), (4, 5, "LOC"), (3, 5, "ORG"), key="k")
    scores = spancat_scorer()([Example(predicted, reference)], spans_key="k", threshold=0.5)
    layers = {
        "gold": [[(0, 1, "PER"), (3, 5, "LOC"), (4, 5, "LOC")]],
        "mine": [[(3, 5, "LOC"), (4, 5, "LOC"), (3, 5, "ORG")]],
    }
    corpus = sa.Corpus.from_segments([5], layers)
    check(scores, "spans_k", sa.evaluate(corpus, chance="overlapping").systems["mine"])
    other = doc(words, (0, 1, "PER"), key="other")
    assert spancat_scorer()([Example(other, reference)], spans_key="k")["spans_k_r"] == 0
    assert spancat_scorer()([Example(reference, other)], spans_key="k")["spans_k_f"] is None
    with pytest.raises(sa.SettingError, match="chance nonoverlapping"):
        spancat_scorer(chance="nonoverlapping")([Example(predicted, reference)], spans_key="k")


@pytest.mark.parametrize("scorer", [ner_scorer, spancat_scorer])
def test_settings(scorer):
    """A slip is found when the config is read; scorers go to other processes."""
    with refuses(sa.SettingError, "unknown match 'exakt'; allowed: exact, …"):
        scorer(match="exakt")
    with refuses(
        sa.SettingError,
        "unknown chance 'chance'; allowed: auto",
    ):
        scorer(chance="chance")
    assert pickle.loads(pickle.dumps(scorer()))([], spans_key="sc")


def test_gold_preprocessing_reads_tokens(tmp_path, newsroom):
    """What the test of training rests on: with gold_preproc the Examples have one tokenisation."""
    corpus = sa.read_conll({"gold": newsroom / "gold.conll"})
    sa.write_docbin(corpus, "gold", tmp_path / "gold.spacy")
    for example in Corpus(tmp_path / "gold.spacy", gold_preproc=True)(NLP):
        assert [t.text for t in example.x] == [t.text for t in example.y]


@st.composite
def cut_texts(draw):
    """A text of words, cut into tokens twice, with spans at the borders of each."""
    text = draw(st.lists(st.sampled_from(["a", "bc", "def", "ghij"]), min_size=1, max_size=6))
    sides = []
    for _ in range(2):
        words, spaces = [], []
        for number, word in enumerate(text):
            cuts = draw(st.sets(st.integers(1, max(1, len(word) - 1)))) if len(word) > 1 else ()
            edges = [0, *sorted(cuts), len(word)]
            words += [word[i:j] for i, j in pairwise(edges)]
            spaces += [False] * (len(edges) - 2) + [number < len(text) - 1]
        borders = st.integers(0, len(words))
        spans = st.tuples(borders, borders, st.sampled_from("XY")).filter(lambda s: s[0] < s[1])
        sides.append(doc(words, *draw(st.lists(spans, max_size=4)), spaces=spaces, key="k"))
    return sides


@given(st.lists(cut_texts(), max_size=4))
def test_any_tokens(docs):
    """Raw figures are those of sets of spans in characters, however the texts are cut."""
    examples = [Example(predicted, reference) for reference, predicted in docs]
    scores = spancat_scorer()(examples, spans_key="k")
    gold, mine = (
        {(d, s.start_char, s.end_char, s.label_) for d, pair in enumerate(docs) for s in pair[side].spans["k"]}
        for side in (0, 1)
    )  # fmt: skip
    if not gold | mine:
        assert scores["spans_k_f"] is None
        return
    assert scores["spans_k_f"] == pytest.approx(2 * len(gold & mine) / (len(gold) + len(mine)))
    assert scores["spans_k_p"] == pytest.approx(len(gold & mine) / max(len(mine), 1))
    assert scores["spans_k_r"] == pytest.approx(len(gold & mine) / max(len(gold), 1))
    # the chance term is that of the pieces: between two borders of either, counted by hand
    borders = [sorted({t.idx for of in pair for t in of}) for pair in docs]
    layers = {
        name: [
            list({(at.index(s.start_char), sum(b < s.end_char for b in at), s.label_) for s in pair[side].spans["k"]})
            for at, pair in zip(borders, docs, strict=True)
        ]
        for side, name in enumerate(("gold", "mine"))
    }  # fmt: skip
    corpus = sa.Corpus.from_segments([len(at) for at in borders], layers)
    system = sa.evaluate(corpus, chance="overlapping").systems["mine"]
    assert scores["spans_k_chance"] == pytest.approx(system.f1.expected, abs=1e-15)
