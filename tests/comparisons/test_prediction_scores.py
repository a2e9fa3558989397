"""Predictions below a score: the others are compared as if they had been alone.

Oracle: the corpus built by hand without them.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa

TEXT = "Ann met Bob in Rome today"
GOLD = [{"start": 0, "end": 3, "label": "PER"}, {"start": 15, "end": 19, "label": "LOC"}]
MINE = [
    {"start": 0, "end": 3, "label": "PER", "score": 0.9},
    {"start": 8, "end": 11, "label": "PER", "score": 0.4},
    {"start": 20, "end": 25, "label": "LOC", "score": 0.3},
]
SEGMENTS = st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0, None]), min_size=4, max_size=4)


def corpus_of(scores, gold=True):
    """Two documents of four places, in each of which a system marks those that have a number."""
    layers = {"gold": [], "mine": []}
    for d, row in enumerate(scores):
        layers["gold"].append([(4 * i, 4 * i + 1 + d, "X") for i in range(0, 4, 1 + d)])
        layers["mine"].append(
            [
                (4 * i, 4 * i + 1 + i % 2, "X", {} if score is None else {"score": str(score)})
                for i, score in enumerate(row)
            ]
        )
    return sa.Corpus.from_segments([17] * len(scores), layers)


def without_low(scores, least):
    """The same corpus, built of the segments that are kept."""
    whole = corpus_of(scores)
    layers = {
        name: [
            [
                (s.start, s.end, s.label)
                for s in document.segments[name]
                if float(s.attributes.get("score", least)) >= least
            ]
            for document in whole
        ]
        for name in whole.annotators
    }
    return sa.Corpus.from_segments([17] * len(scores), layers)


@given(st.lists(SEGMENTS, min_size=1, max_size=3), st.sampled_from([0.2, 0.3, 0.5, 1.0, 2.0]))
def test_those_below_are_not_there(scores, least):
    """Figures and their chance are those of the corpus without them; none without a score goes."""
    if all(score is None for row in scores for score in row):
        return
    found = sa.evaluate(corpus_of(scores), min_score=least)
    assert found["mine"].tally == sa.evaluate(without_low(scores, least))["mine"].tally
    low = sum(score is not None and score < least for row in scores for score in row)
    plural = "" if low == 1 else "s"
    assert f"mine: {low} segment{plural} with a score below {least:g} left out" in found.notes
    assert f"min-score:{least:g}|" in found.signature


def test_in_parts_as_in_the_whole():
    """Parts that lose all, or have no score, belong to the whole."""
    rows = [[0.1, 0.2, 0.1, 0.2], [0.9, 0.2, 0.6, 0.1], [None] * 4]
    corpora = [corpus_of([row]).with_ids("", d) for d, row in enumerate(rows)]
    of_parts = sa.evaluate(corpora, "gold", min_score=0.5)
    tallies = [sa.evaluate(without_low([row], 0.5))["mine"].tally for row in rows]
    assert of_parts["mine"].tally == sum(tallies, sa.Tally())
    assert sa.evaluate(corpora[:1], "gold", min_score=0.5)["mine"].tally.size_b == 0


def test_agreement_without_low_scores():
    """Annotators without scores stay as they are."""
    scores = [[0.1, 0.7, 0.8, 0.2]]
    found = sa.agree(corpus_of(scores), min_score=0.5)
    assert found.team.f1 == sa.agree(without_low(scores, 0.5)).team.f1


def written(tmp_path, name, rows):
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("key", ["score", "confidence", "probability", "prob"])
def test_spans_with_a_score(key, tmp_path):
    """Records with spans have it under a usual name; without the option all spans count."""
    spans = [{**{k: x for k, x in s.items() if k != "score"}, key: s["score"]} for s in MINE]
    row = {"id": "a", "text": TEXT}
    gold = written(tmp_path, "gold.jsonl", [{**row, "spans": GOLD}])
    mine = written(tmp_path, "mine.jsonl", [{**row, "spans": spans}])
    corpus = sa.read({"gold": gold, "mine": mine}, scores=True)
    assert sa.evaluate(corpus, min_score=0.4)["mine"].tally.counts[2:] == (2, 2)
    assert sa.evaluate(corpus)["mine"].tally.size_b == 3
    usual = sa.read({"gold": gold, "mine": mine})
    assert usual.layers["mine"].details is None
    assert any("3 spans with a probability, which is not used" in note for note in usual.notes)
    assert not any("which is not used" in note for note in corpus.notes)


def test_what_a_pipeline_of_transformers_writes():
    """Entities with entity_group and score, in rows in memory."""
    entities = [
        {"entity_group": s["label"], "score": s["score"], "start": s["start"], "end": s["end"]}
        for s in MINE
    ]
    corpus = sa.read(
        [{"text": TEXT, "gold": GOLD, "mine": entities}],
        spans={"gold": "gold", "mine": "mine"},
        text="text",
        scores=True,
    )
    counts = sa.evaluate(corpus, min_score=0.5)["mine"].tally.counts
    assert (counts[0], *counts[2:]) == (1, 2, 1)


def test_a_table_with_a_row_for_each_span(tmp_path):
    """The column of the score is known by its name."""
    path = tmp_path / "spans.csv"
    rows = ["id,text,annotator,start,end,label,confidence"]
    rows += [f"a,{TEXT},gold,{s['start']},{s['end']},{s['label']}," for s in GOLD]
    rows += [f"a,{TEXT},mine,{s['start']},{s['end']},{s['label']},{s['score']}" for s in MINE]
    path.write_text("\n".join(rows) + "\n", "utf-8")
    corpus = sa.read(path, scores=True)
    assert sa.evaluate(corpus, "gold", min_score=0.4)["mine"].tally.size_b == 2


@pytest.mark.parametrize("of_region", [True, False])
def test_predictions_of_label_studio(of_region, tmp_path):
    """A region has its score, or else that of its prediction."""

    def result(span):
        value = {"start": span["start"], "end": span["end"], "labels": [span["label"]]}
        about = {"type": "labels", "from_name": "label", "to_name": "text", "value": value}
        return {**about, **({"score": span["score"]} if of_region and "score" in span else {})}

    task = {
        "id": 1,
        "data": {"text": TEXT},
        "annotations": [{"completed_by": 3, "result": [*map(result, GOLD)]}],
        "predictions": [
            {"model_version": "m", "score": 0.35, "result": [*map(result, MINE)]},
        ],
    }
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]), "utf-8")
    corpus = sa.read(path, predictions=True, scores=True)
    kept = {0.3: 3, 0.35: 2 if of_region else 3, 0.4: 2 if of_region else 0}
    for least, number in kept.items():
        assert sa.evaluate(corpus, "3", min_score=least)["m"].tally.size_b == number
    assert sa.read(path, predictions=True).layers["m"].details is None


def test_spans_of_a_span_categorizer():
    """spaCy keeps the scores of a group beside its spans."""
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import Doc, Span, SpanGroup

    vocab = spacy.blank("en").vocab
    docs = {}
    for name, spans in {"gold": [(0, 1), (4, 5)], "mine": [(0, 1), (2, 3)]}.items():
        doc = Doc(vocab, TEXT.split())
        attrs = {"scores": [0.9, 0.2]} if name == "mine" else {}
        made = [Span(doc, start, end, "X") for start, end in spans]
        doc.spans["sc"] = SpanGroup(doc, name="sc", attrs=attrs, spans=made)
        docs[name] = [doc]
    corpus = sa.read(docs, spans="sc", scores=True)
    assert sa.evaluate(corpus, min_score=0.5)["mine"].tally.counts[2:] == (2, 1)
    assert sa.read(docs, spans="sc").layers["mine"].details is None


def test_what_is_refused():
    """Gold's scores, scores that are no numbers, corpora without any, and a least one that is none."""
    scored = corpus_of([[0.1, 0.7, 0.8, 0.2]])
    with refuses(sa.SettingError, "mine: gold has scores too, and only predictions are left out"):
        sa.evaluate(scored, "mine", min_score=0.5)
    with refuses(sa.SettingError, "min_score: no segment has a score"):
        sa.evaluate(corpus_of([[None] * 4]), min_score=0.5)
    with refuses(sa.SettingError, "min_score: no segment has a score"):
        sa.evaluate([corpus_of([[None] * 4])], "gold", min_score=0.5)
    for least in (float("nan"), float("inf"), True, "0.5"):
        with refuses(sa.SettingError, "min_score … a number is needed, such as 0.5"):
            sa.evaluate(scored, min_score=least)
    for value in ("high", "nan", "1e999"):
        odd = sa.Corpus.from_segments(
            [9], {"gold": [[]], "mine": [[(0, 2, "X", {"score": value})]]}, ids=["a"]
        )
        place = f"annotator 'mine', document 'a': score '{value}' of 0–2 'X'; a number is needed"
        with refuses(sa.InputError, place):
            sa.evaluate(odd, min_score=0.5)


def test_the_command_reads_scores(tmp_path, capsys):
    """--min-score reads them from files by itself."""
    from spanagree.cli.main import main

    row = {"id": "a", "text": TEXT}
    files = [
        str(written(tmp_path, f"{name}.jsonl", [{**row, "spans": spans}]))
        for name, spans in (("gold", GOLD), ("mine", MINE))
    ]
    assert main(["evaluate", *files, "--min-score", "0.4", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    (system,) = json.loads(out)["tables"]["systems"]
    assert system["size_system"] == 2
    assert "1 segment with a score below 0.4 left out" in err
