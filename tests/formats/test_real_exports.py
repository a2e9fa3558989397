"""Real exports of annotation tools, against counts that were made independently."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import spanagree as sa
from spanagree.cli.main import main
from spanagree.corpus.repairs import apply_repairs, build_valid_corpus
from spanagree.formats.file_parts import read_raw_patterns
from spanagree.formats.read_files import read_raw_files
from spanagree.formats.recognise import find_format

LABEL_STUDIO = ("leoka_team2_first30", "bionet_testing_ls_full", "bionet_testing_ls_json_min")
PRODIGY = ("neurotrial_bvi_first60", "neurotrial_sed_first60", "neurotrial_review_first20", "rel_component_first25", "fashion_brands_eval_first40")  # fmt: skip
DOCCANO = ("novels_AliceInWonderland", "novels_Frankenstein", "novels_HuckleberryFinn", "bsner_bw_admin", "captier_first150", "transformer_labeling", "transformer_labeling_text_label")  # fmt: skip


def export(real, tool, name, **options):
    """An export, recognised by what is in it, called ``it``; and the facts about it."""
    folder = real / "data" / "tools" / tool
    path = folder / name
    assert find_format(path) == tool
    raw = read_raw_files({path.name: path}, options)
    return raw, json.loads((folder / "facts.json").read_text("utf-8"))[name]


def counts(raw):
    """Segments by annotator and label."""
    who = raw.annotator_index[raw.annotation]
    pairs = zip(who.tolist(), raw.label.tolist(), strict=True)
    by_annotator = {name: Counter() for name in raw.annotators}
    for annotator, label in pairs:
        by_annotator[raw.annotators[annotator]][raw.labels[label]] += 1
    return by_annotator


def segments(raw):
    """All segments: document, annotator, start, end, label and text."""
    rows = zip(raw.annotation.tolist(), raw.start.tolist(), raw.end.tolist(), raw.label.tolist(), strict=True)  # fmt: skip
    for annotation, start, end, label in rows:
        annotator, document = raw.find_annotator_and_document(annotation)
        text = raw.texts[raw.document_index[annotation]][start:end]
        yield document, annotator, start, end, raw.labels[label], text


def seen(raw):
    """How many documents each annotator saw."""
    return Counter(raw.annotators[who] for who in raw.annotator_index.tolist())


def assert_exact(raw, facts, document, annotator):
    """Each span that the facts show is there, with its text."""
    there = set(segments(raw))
    assert facts["exact_spans"]
    for span in facts["exact_spans"]:
        row = str(span[document]), annotator(span), span["start"], span["end"], str(span["label"])
        assert (*row, span["text"]) in there


@pytest.mark.parametrize("name", LABEL_STUDIO)
def test_label_studio(real, name):
    """Documents, annotators, spans, who saw what, and what was passed over."""
    raw, facts = export(real, "label-studio", f"{name}.json")
    assert len(raw.lengths) == facts["documents"]
    assert set(raw.annotators) == set(facts["annotators"])
    assert len(raw.start) == facts["spans"]
    key = "spans_per_annotator_per_label"
    expected = facts.get(key) or facts[f"{key}_without_cancelled"]
    assert counts(raw) == expected
    assert seen(raw) == facts.get("documents_seen_per_annotator", {"2": 2})
    assert_exact(raw, facts, "document", lambda span: span["annotator"])
    note = "; ".join(raw.notes)
    kinds = facts.get("result_item_types", {})
    assert len(raw.links) == kinds.get("relation", 0)
    assert ("89 taxonomy results" in note) == ("taxonomy" in kinds)
    assert ("1 draft " in note) == bool(facts.get("drafts_not_annotations"))
    assert "UTF-16" not in note
    assert "is not the text" not in note
    assert len(build_valid_corpus(raw)) == facts["documents"]


def test_label_studio_ground_truth(real):
    """Marked annotations become a layer only if that is asked for, and leave their annotators."""
    raw, facts = export(real, "label-studio", "leoka_team2_first30.json", ground_truth=True)
    marked = facts["ground_truth_true_per_annotator"]
    every = facts["documents_seen_per_annotator"]
    rest = {who: every[who] - marked[who] for who in every}
    assert seen(raw) == {"ground_truth": sum(marked.values()), **rest}
    assert len(raw.start) == facts["spans"]


def test_label_studio_emails(real):
    """The part of an e-mail before @, on request."""
    raw, facts = export(real, "label-studio", "leoka_team2_first30.json", annotator_from="email")
    assert set(raw.annotators) == {f"annotator{who}" for who in facts["annotators"]}


def test_label_studio_of_pictures(real):
    """What is not in a text is refused, where nothing is."""
    with pytest.raises(sa.InputError, match=r"other things are \(polygonlabels result 1\)"):
        export(real, "label-studio", "converter_test_export_json_min_input.json")


@pytest.mark.parametrize("name", PRODIGY)
def test_prodigy(real, name):
    """Rows, spans of what was accepted, who saw what, and what was passed over."""
    raw, facts = export(real, "prodigy", f"{name}.jsonl")
    assert len(raw.lengths) == facts["distinct_input_hash"]
    review = facts["rows_with_versions"] > 0
    sessions = {f"{name}.jsonl" if who == "None" else who: n for who, n in facts["rows_by_annotator_id"].items()}  # fmt: skip
    layer = "review" if review else next(iter(sessions))
    answers = facts["rows_by_answer"]
    assert counts(raw)[layer] == facts["spans_per_answer_per_label"]["accept"]
    assert seen(raw)[layer] == answers["accept"]
    silent = answers["accept"] - len(
        {document for document, who, *_ in segments(raw) if who == layer}
    )
    assert silent == facts["accepted_rows_with_no_span"]
    if review:
        assert seen(raw) == {"review": 20, **facts["versions"]["sessions_seen"]}
    else:
        assert set(raw.annotators) == {layer}
    assert_exact(raw, facts, "_input_hash", lambda _: layer)
    note = "; ".join(raw.notes)
    for answer in ("reject", "ignore"):
        assert (f"{answers.get(answer)} {answer}ed row" in note) == (answer in answers)
    assert len(raw.links) == facts["relations"]
    assert ("sittings, not people (2024-04-29_08-16-14)" in note) == (layer[:3] == "202")
    assert len(build_valid_corpus(raw)) == facts["rows"]


def test_prodigy_review(real):
    """Where the reviewer edited a version, the two layers differ."""
    raw, facts = export(real, "prodigy", "neurotrial_review_first20.jsonl")
    corpus = build_valid_corpus(raw)
    (session,) = facts["versions"]["sessions_seen"]
    equal = sum(set(d.segments["review"]) == set(d.segments[session]) for d in corpus)
    assert equal == facts["versions"]["default_version_equals_top_spans"]


def test_prodigy_pair(real):
    """Two people's files: documents are matched, and only what both accepted is compared."""
    folder = real / "data" / "tools" / "prodigy"
    files = {who: folder / f"neurotrial_{who}_first60.jsonl" for who in ("bvi", "sed")}
    raw = read_raw_files(files, {"annotator_from": "file"})
    facts = json.loads((folder / "facts.json").read_text("utf-8"))["_pair_bvi_sed"]
    corpus = build_valid_corpus(raw)
    assert corpus.annotators == ("bvi", "sed")
    assert len(corpus) == facts["documents_in_both_files"]
    both = [d.segments for d in corpus if None not in d.segments.values()]
    one = [d for d in corpus if list(d.segments.values()).count(None) == 1]
    assert (len(both), len(one)) == (facts["both_accept"], facts["one_accept_one_reject"])
    identical = sum(len(set(d["bvi"]) & set(d["sed"])) for d in both)
    assert identical == facts["identical_spans_over_both_accept"]
    f1 = 2 * identical / (facts["bvi_spans_over_both_accept"] + facts["sed_spans_over_both_accept"])
    assert sa.agree(corpus).mean.observed == pytest.approx(f1, abs=1e-15)
    for who in files:
        assert sum(len(d[who]) for d in both) == facts[f"{who}_spans_over_both_accept"]
    assert any("sittings, not people" in note for note in read_raw_files(files, {}).notes)


@pytest.mark.parametrize("name", DOCCANO)
def test_doccano(real, name):
    """Documents, users, spans by label, who saw what, and offsets beyond the text."""
    raw, facts = export(real, "doccano", f"{name}.jsonl")
    assert len(raw.lengths) == facts["documents"]
    expected = facts["spans_per_annotator_per_label"]
    named = {f"{name}.jsonl" if who == "None" else who: labels for who, labels in expected.items()}
    by_user = "None" not in expected
    assert set(raw.annotators) == set(named)
    with_span = {f"{name}.jsonl" if who == "None" else who: n for who, n in facts["documents_with_a_span_per_annotator"].items()}  # fmt: skip
    if by_user:
        assert seen(raw) == with_span
    else:
        assert seen(raw) == {f"{name}.jsonl": facts["documents"]}
    marked = {(who, document) for document, who, *_ in segments(raw)}
    assert Counter(who for who, _ in marked) == with_span
    assert len(raw.start) == facts["spans"]
    assert (raw.end > raw.lengths[raw.document]).sum() == facts["invalid_spans"]
    places = {(document, start, end, label) for document, _, start, end, label, _ in segments(raw)}
    for case in facts["invalid_examples"]:
        assert (case["document"], case["start"], case["end"], case["label"]) in places
    clean = apply_repairs(raw, "drop-beyond-text")
    assert counts(raw) == named
    assert_exact(clean, facts, "document", lambda span: str(span["annotator"] or f"{name}.jsonl"))
    note = "; ".join(raw.notes)
    assert len(raw.links) == facts["relations"]
    silent = facts["documents_without_span"]
    assert (f"{silent} documents without a span taken as seen" in note) == bool(silent)
    unseen, _ = export(real, "doccano", f"{name}.jsonl", absent="unseen")
    assert seen(unseen) == with_span
    assert not any("without a span" in n for n in unseen.notes)


MUSHROOM = ("mushroom.sv-tst_first80", "mushroom.fa-tst", "mushroom.en-tst_first40")


@pytest.mark.parametrize("name", MUSHROOM)
def test_mushroom(real, name):
    """Spans by annotator: who saw what, how many spans, and each that the facts show."""
    folder = real / "data" / "tools" / "mushroom"
    path = folder / f"{name}.jsonl"
    assert find_format(path) == "dataset"
    raw = read_raw_files({"it": path}, {})
    facts = json.loads((folder / "facts.json").read_text("utf-8"))[path.name]
    assert len(raw.lengths) == facts["documents"]
    assert len(raw.annotators) == facts["annotators"]
    assert {k: sum(v.values()) for k, v in counts(raw).items() if v} == facts["spans_per_annotator"]
    assert seen(raw) == facts["documents_seen_per_annotator"]
    marked = Counter(raw.annotators[raw.annotator_index[a]] for a in set(raw.annotation.tolist()))
    empty = {who: n - marked[who] for who, n in seen(raw).items() if n > marked[who]}
    assert empty == facts["empty_annotations_per_annotator"]
    by_document = Counter(Counter(raw.document_index.tolist()).values())
    assert {str(k): v for k, v in by_document.items()} == facts["annotators_per_document"]
    assert int((raw.start == raw.end).sum()) == facts["zero_length_spans"]
    assert raw.labels == ("span",)
    assert facts["exact_spans"]
    there = {(*row[:4], row[5]) for row in segments(raw)}
    for span in facts["exact_spans"]:
        row = span["document"], span["annotator"], span["start"], span["end"]
        assert (*row, span["text"]) in there
    rows = [row for row in segments(raw) if row[2] < row[3]]
    kept = build_valid_corpus(raw, ["drop-empty", "drop-duplicates"])
    assert sum(len(of) for of in kept.layers.values()) == len(set(rows))
    twice = Counter(segments(raw)).values()
    assert sum(n - 1 for n in twice) == facts["exact_duplicate_spans_of_one_annotator"]


def test_factgenie(real):
    """A campaign's folder, and six models whose texts are in it. Oracle: facts.json of both."""
    folder = real / "data" / "tools" / "factgenie"
    facts = json.loads((folder / "facts.json").read_text("utf-8"))["d2t_iaa"]
    models = real / "data" / "tasks" / "llm_span_d2t_iaa"
    of_models = json.loads((models / "facts.json").read_text("utf-8"))
    both = read_raw_patterns({"people": folder / "d2t_iaa", "models": models}, {})
    assert Counter(who for _, who, *_ in segments(both)) == {
        **{who: sum(some.values()) for who, some in facts["spans_per_annotator_per_label"].items()},
        **{who: own["spans"] for who, own in of_models.items()},
    }
    raw = read_raw_patterns({"people": folder / "d2t_iaa"}, {})
    assert len(raw.lengths) == facts["documents"]
    assert seen(raw) == facts["rows_per_annotator"]
    assert {k: dict(v) for k, v in counts(raw).items()} == facts["spans_per_annotator_per_label"]
    assert (
        len(raw.document_index) - len(set(raw.annotation.tolist()))
        == facts["rows_with_no_annotation"]
    )
    assert len(raw.start) == facts["slice_equals_quote"]
    assert not any("not the text" in note or "UTF-16" in note for note in raw.notes)
    there = set(segments(raw))
    for span in facts["exact_spans"]:
        document = "/".join(map(str, span["document"]))
        row = span["annotator"], span["start"], span["end"], span["label"], span["text"]
        assert any(
            (id_.lower().replace(".", "-"), *more) == (document, *row) for id_, *more in there
        )


@pytest.mark.parametrize(
    ("form", "gone"),
    [
        ("prodigy", "1 document that nobody saw; annotators who saw none: bob"),
        ("label-studio", "annotators who saw none: bob"),
        ("doccano", "1 document that nobody saw"),
        ("dataset", None),
    ],
)
def test_what_is_not_written_is_said(tmp_path, capsys, form, gone):
    """Tools keep no row of nobody: who and what is dropped stands in a note."""
    if form == "dataset":
        pytest.importorskip("datasets")
    who = {"ann": [[(0, 2, "X")], None]} | ({} if form == "doccano" else {"bob": [None, None]})
    corpus = sa.Corpus.from_segments([6, 6], who, texts=["Jo ran", "Jo sat"], offsets="characters")
    sa.write_jsonl(corpus, tmp_path / "a.jsonl")
    out = str(tmp_path / ("out.parquet" if form == "dataset" else "out.json"))
    assert main(["convert", str(tmp_path / "a.jsonl"), "-o", out, "--to", form]) == 0
    note = capsys.readouterr().err
    assert ("left out" in note) is (gone is not None)
    assert gone is None or f"left out, as {form} files hold annotations alone: {gone}" in note
    back = sa.read(out)
    assert len(back) == (2 if form in ("label-studio", "dataset") else 1)
