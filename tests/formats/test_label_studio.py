"""Label Studio's exports: who saw what, units of offsets, several texts, what is not a span."""

from __future__ import annotations

import csv
import json

import pytest
from messages import refuses, says
from strategies import marked, notes

import spanagree as sa
from spanagree.formats.read_files import read_raw_files
from spanagree.formats.recognise import find_format

TOOL, FILE = "label-studio", "x.json"
TEXT = "Jo is in Rome"


def item(start, end, *labels, text=None, kind="labels", to="text", **more):
    """An entry of a result."""
    value = {"start": start, "end": end, kind: list(labels), **more}
    return {"type": kind, "to_name": to, "value": value if text is None else {**value, "text": text}}  # fmt: skip


def annotation(by, *result, **more):
    return {"completed_by": by, "result": list(result), **more}


def task(*annotations, id_=7, data=None, **more):
    return {"id": id_, "data": data or {"text": TEXT}, "annotations": list(annotations), **more}


def test_who_saw_what(read):
    """An empty result is seen; a cancelled annotation, or none, is never seen; drafts are nobody's."""
    draft = {"user": 9, "result": [item(0, 2, "PER")]}
    corpus = read(
        [
            task(annotation(3, item(0, 2, "PER")), annotation({"id": 4, "email": "b@x.org"})),
            task(
                annotation({"id": 3}, item(0, 2, "PER"), was_cancelled=True),
                annotation(4, item(9, 13, "LOC", "GPE")),
                id_=8,
                drafts=[draft],
            ),
            task(id_=9),
        ]
    )
    assert corpus.ids == ("7", "8", "9")
    assert marked(corpus) == {"3": [(0, 2, "PER")], "4": []}
    assert marked(corpus, 1) == {"3": None, "4": [(9, 13, "GPE"), (9, 13, "LOC")]}
    assert marked(corpus, 2) == {"3": None, "4": None}
    assert notes(corpus) == ["1 cancelled annotation and 1 draft passed over"]


def test_old_exports(tmp_path):
    """Completions for annotations, skipped for was_cancelled, and nobody's name."""
    entry = {"id": 0, "data": {"text": TEXT}, "completions": [{"id": 1, "result": [item(0, 2, "PER")]}]}  # fmt: skip
    skipped = {**entry, "id": 1, "completions": [{"result": [], "skipped": True}]}
    path = tmp_path / "x.json"
    path.write_text(json.dumps([entry, skipped]), "utf-8")
    corpus = sa.read({"ann": path})
    assert marked(corpus) == {"ann": [(0, 2, "PER")]}
    assert marked(corpus, 1) == {"ann": None}


def test_the_file_names_who_is_not_named(tmp_path):
    """An annotation without a name is of the file, and so are all on request."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps([task(annotation(None), annotation(3, item(0, 2, "PER")))]), "utf-8")
    raw = read_raw_files({"ann": path}, {})
    assert raw.annotators == ("ann", "3")
    assert raw.notes[0].endswith(
        "x.json: read as label-studio; 1 annotation without completed_by, taken as one annotator's,"
        " who is called as the file and stands beside 3"
    )
    with refuses(sa.InputError, "… 'ann', document '7' … same document and annotator"):
        sa.read({"ann": path}, annotator_from="file")


def test_passed_over_is_counted(read):
    """Choices and the rest of a result; predictions and reviews."""
    result = [item(0, 2, "PER"), {"type": "choices", "value": {"choices": ["x"]}}, {"type": "choices", "value": {}}]  # fmt: skip
    sound = {**item(0, 2, "PER", channel=0)}
    entry = task(annotation(1, *result, sound, reviews=[{"id": 1}]), predictions=[{"result": []}])
    corpus = read([entry])
    assert marked(corpus) == {"1": [(0, 2, "PER")]}
    assert notes(corpus) == ["1 review, 2 choices, 1 region of sound and 1 prediction passed over"]


def test_relations(read):
    """They lead from one region to another, as their direction says; one to nothing is refused."""
    spans = [{**item(0, 2, "PER"), "id": "a"}, {**item(9, 13, "LOC"), "id": "b"}]
    links = [
        {"type": "relation", "from_id": "a", "to_id": "b", **more}
        for more in (
            {"direction": "right", "labels": ["in"]},
            {"direction": "left", "labels": ["has"]},
            {"direction": "bi"},
        )
    ]
    corpus = read([task(annotation(1, *links, *spans))])
    assert [(r.first.label, r.label, r.second.label, r.directed) for r in corpus.relations] == [
        ("PER", "in", "LOC", True),
        ("LOC", "has", "PER", True),
        ("PER", "relation", "LOC", False),
    ]
    assert notes(corpus) == []
    with refuses(
        sa.SpanAgreeError,
        "… x.json: record 1, task 7, annotator '1': relation 'in' … --repair drop-relations (repair='drop-relations')",
    ):
        read([task(annotation(1, spans[0], links[0]))])


def test_by_number(read):
    """Exports may have the numbers of drafts and predictions instead of these."""
    tasks = [task(annotation(3), drafts=[1, 2], predictions=[5])]
    assert notes(read(tasks)) == ["2 drafts and 1 prediction passed over"]
    with refuses(
        sa.SpanAgreeError, "… x.json: record 1, task 7: predictions [5] … list of objects"
    ):
        read(tasks, predictions=True)


def test_predictions(read):
    """Models are layers on request; one that is called as an annotator keeps apart."""
    predictions = [{"model_version": m, "result": [item(0, 2, "PER")]} for m in ("m1", "3", None)]
    tasks = [task(annotation(3), predictions=predictions)]
    assert marked(read(tasks)) == {"3": []}
    corpus = read(tasks, predictions=True)
    assert notes(corpus) == []
    layers = ("m1", "3 (prediction)", "predictions")
    assert marked(corpus) == {"3": [], **{key: [(0, 2, "PER")] for key in layers}}
    assert corpus.reading["read"] == {"predictions": True}


def test_ground_truth(read):
    """Never by itself a layer; on request the annotation is the layer's, not its annotator's."""
    tasks = [task(annotation(3, item(0, 2, "PER"), ground_truth=True), annotation(4))]
    assert marked(read(tasks)) == {"3": [(0, 2, "PER")], "4": []}
    assert notes(read(tasks)) == []
    corpus = read(tasks, ground_truth=True)
    assert marked(corpus) == {"ground_truth": [(0, 2, "PER")], "4": []}
    (note,) = notes(corpus)
    says(note, "1 annotation marked as ground truth, given to ground_truth … : 3")
    more = [*tasks, task(annotation(3, item(3, 5, "PER")), id_=8)]
    corpus = read(more, ground_truth=True)
    assert marked(corpus) == {"ground_truth": [(0, 2, "PER")], "4": [], "3": None}
    assert marked(corpus, 1) == {"ground_truth": None, "4": None, "3": [(3, 5, "PER")]}


def refused_until(read, tasks, repair, message):
    """What is read with a repair, without which it is refused."""
    with refuses(sa.SpanAgreeError, message):
        read(tasks)
    return read(tasks, repair)


def test_twice_on_a_task(read):
    """Refused, unless the latest is asked for: by updated_at, else created_at."""
    first = annotation(3, item(0, 2, "PER"), updated_at="2024-03-11T22:58:31.783696Z")
    second = annotation(3, created_at="2024-03-11T22:58:31Z")
    tasks = [task(first, second)]
    message = "annotator '3', document '7' … second time … --repair drop-repeats or --repair latest … name the annotators"
    corpus = refused_until(read, tasks, "latest", message)
    assert marked(corpus) == {"3": [(0, 2, "PER")]}
    assert notes(read([task(second, first)], "latest"))[-1].endswith("one dropped (latest)")
    assert marked(read([task(first, {**second, "updated_at": 1e12})], "latest")) == {"3": []}


EMOJI = "😀 Jo 😀 Jo is in Rome"  # Rome: 16 to 20 in code points, 18 to 22 in UTF-16 units


@pytest.mark.parametrize(
    ("items", "expected", "note"),
    [
        ([item(16, 20, "X", text="Rome")], [(16, 20, "X")], []),
        ([item(18, 22, "X", text=" Rome")], [(16, 20, "X")], ["1 span with"]),
        # the first fits in both units, as the text repeats itself; the second decides
        ([item(3, 5, "Y"), item(18, 22, "X", text="Rome")], [(2, 4, "Y"), (16, 20, "X")], ["2 spans with"]),
        # both units in one annotation: each as it fits
        ([item(7, 9, "Y", text="Jo"), item(18, 22, "X", text="Rome")], [(7, 9, "Y"), (16, 20, "X")], ["1 span with"]),
        # one whose text is not known stays in such an annotation
        ([item(2, 4, "Z"), item(7, 9, "Y", text="Jo"), item(18, 22, "X", text="Rome")], [(2, 4, "Z"), (7, 9, "Y"), (16, 20, "X")], ["1 span with"]),
    ],
)  # fmt: skip
def test_units(read, items, expected, note):
    """Offsets are code points; where the text fits so alone, they are UTF-16 units, and counted."""
    corpus = read([task(annotation(3, *items), data={"text": EMOJI})])
    assert marked(corpus) == {"3": expected}
    assert [text[: len(start)] for text, start in zip(notes(corpus), note, strict=True)] == note


def test_notes_of_units(read):
    """What was turned into code points; what fits nowhere is refused, or one of ten is noted."""
    items = [item(18, 22, "X", text="Rome"), item(0, 1, "Y", text="Al"), item(0, 2, "Z", text="Al")]
    tasks = [task(annotation(3, *items), data={"text": EMOJI})]
    message = "annotator '3', document '7': segment 0–1 'Y' has '😀' in the text, not 'Al' (and 1 more like it); --repair drop-misplaced"
    corpus = refused_until(read, tasks, "drop-misplaced", message)
    assert marked(corpus) == {"3": [(16, 20, "X")]}
    assert notes(corpus)[0] == "1 span with offsets in UTF-16 units, turned into code points"
    assert corpus.notes[1] == (
        "2 segments dropped whose text is not what stands at the offsets (drop-misplaced)"
    )
    fit = [item(2, 4, f"X{i}", text="Jo") for i in range(9)]
    data = {"text": "😀 Jo 😀 Jo is in Rome and Al"}
    few = [task(annotation(3, *fit, item(0, 2, "Z", text="Al")), data=data)]
    assert read(few).notes[-1].startswith("1 segment taken as it is: annotator '3', document '7'")
    assert marked(read(few, "relocate-by-text"))["3"][-1] == (25, 27, "Z")


def test_outer_space_and_line_breaks_fit(read):
    """The text of a span may lack an outer space, or write a line break as two characters."""
    data = {"text": "Jo in\nRome "}
    result = [item(0, 6, "X", text="Jo in"), item(3, 10, "X", text="in\\nRome")]
    assert notes(read([task(annotation(3, *result), data=data)])) == []


def test_beyond_the_text(read):
    """Refused with the repairs that help."""
    tasks = [task(annotation(3, item(9, 14, "LOC")))]
    with refuses(
        sa.SpanAgreeError,
        "annotator '3', document '7': segment 9–14 'LOC' … length 13 … --repair clip-beyond-text or --repair drop-beyond-text",
    ):
        read(tasks)
    assert marked(read(tasks, "clip-beyond-text")) == {"3": [(9, 13, "LOC")]}


def test_a_task_without_any_text(read):
    """The message lists no texts where there are none."""
    tasks = [task(annotation(3)), task(annotation(3), id_=8, data={"image": 1})]
    with refuses(sa.InputError, "… x.json: record 2, task 8: no text 'text' … nor any other"):
        read(tasks)


def test_without_a_label(read):
    """A region without a label is one without a label, for which there is a repair."""
    bare = {"type": "labels", "to_name": "text", "value": {"start": 0, "end": 2}}
    tasks = [task(annotation(3, bare, item(3, 5)))]
    with refuses(
        sa.InputError, "annotator '3', document '7' … (and 1 more … --repair drop-unlabelled"
    ):
        read(tasks)
    assert marked(read(tasks, "drop-unlabelled")) == {"3": []}


HTML = "<div><p>Jo &amp; Al</p>\n<p>in<br>Rome</p></div>"  # Jo & Al, break, in, break, Rome


def test_html(read):
    """Offsets count the text of HTML; the document is that text."""
    places = {"start": "/div[1]/p[2]/text()[2]", "end": "/div[1]/p[2]/text()[2]", "startOffset": 0, "endOffset": 4}  # fmt: skip
    value = {**places, "globalOffsets": {"start": 11, "end": 15}, "text": "Rome"}
    region = {"type": "hypertextlabels", "to_name": "t", "value": {**value, "hypertextlabels": ["LOC"]}}  # fmt: skip
    corpus = read([task(annotation(3, region), data={"html": HTML, "id": "a1"})])
    assert corpus.texts == ("Jo & Al\nin\nRome",)
    assert marked(corpus) == {"3": [(11, 15, "LOC")]}
    assert notes(corpus) == []
    plain = item(0, 4, "X", text="&lt;", to="p")
    both = [task(annotation(3, region, plain), data={"html": HTML, "raw": "&lt;"})]
    assert read(both, text="raw").texts == ("&lt;",)
    del value["globalOffsets"]
    region["value"] = value
    with refuses(
        sa.SpanAgreeError,
        "… x.json: record 1, task 7 … '/div[1]/p[2]/text()[2]' … globalOffsets … submit the annotation once more",
    ):
        read([task(annotation(3, region))])


def test_paragraphs(read):
    """Offsets count in a paragraph of a dialogue; its text is that of all, a line each."""
    turns = [{"author": "A", "text": "Hi Jo"}, {"author": "B", "text": "I am in Rome"}]
    data = {"id": "a1", "dialogue": turns}

    def said(start, at, end, to, label, text):
        value = {"start": str(start), "startOffset": at, "end": str(end), "endOffset": to}
        value |= {"text": text, "paragraphlabels": [label]}
        return {"type": "paragraphlabels", "to_name": "d", "value": value}

    marks = said(0, 3, 0, 5, "PER", "Jo"), said(1, 8, 1, 12, "LOC", "Rome")
    over = said(0, 3, 1, 1, "X", "Jo\nI")
    corpus = read([task(annotation(3, *marks), annotation(4, over), data=data)])
    assert corpus.texts == ("Hi Jo\nI am in Rome",)
    assert marked(corpus) == {"3": [(3, 5, "PER"), (14, 18, "LOC")], "4": [(3, 7, "X")]}
    row = {"id": 7, "annotator": 3, "annotation_id": 1, "dialogue": turns}
    row["label"] = [{**mark["value"]} for mark in marks]
    assert marked(read([row])) == {"3": [(3, 5, "PER"), (14, 18, "LOC")]}
    beyond = [task(annotation(3, said(2, 0, 2, 1, "X", "x")), data=data)]
    with refuses(
        sa.SpanAgreeError, "… x.json: record 1, task 7: start '2' … paragraph from 0 to 1"
    ):
        read(beyond)


@pytest.mark.parametrize("key", ["text", "phrase", "said", "zitat"])
@pytest.mark.parametrize("timed", [False, True])
def test_what_paragraphs_say(read, key, timed):
    """Under any key, and beside the times of a recording. Oracle: as it was made."""
    turns = [{"speaker": "A", key: "Hi, I am Jo"}, {"speaker": "B", key: "I live in Rome"}]
    turns = [{"start": float(i), "end": i + 1.5, **t} if timed else t for i, t in enumerate(turns)]
    value = {"start": "1", "startOffset": 10, "end": "1", "endOffset": 14, "text": "Rome"}
    over = {"start": "0", "startOffset": 9, "end": "1", "endOffset": 6, "text": "JoI live"}
    marks = [
        {"type": "paragraphlabels", "to_name": "d", "value": {**v, "paragraphlabels": ["X"]}}
        for v in (value, over)
    ]
    corpus = read([task(annotation(3, *marks), data={"chat": turns})])
    assert corpus.texts == ("Hi, I am Jo\nI live in Rome",)
    assert marked(corpus) == {"3": [(9, 18, "X"), (22, 26, "X")]}


def test_which_text(read):
    """Of several texts, the one in which the spans' texts stand; --text chooses of two such."""
    data = {"id": "a1", "body": TEXT, "title": "Al in Bonn"}
    body, title = item(9, 13, "LOC", text="Rome", to="b"), item(6, 10, "LOC", text="Bonn", to="t")
    corpus = read([task(annotation(3, body, to=1), data=data), task(id_=8, data=data)])
    assert corpus.texts == (TEXT, TEXT)
    both = [task(annotation(3, body, title), data=data)]
    with refuses(
        sa.SpanAgreeError,
        "… x.json: there are spans in body, title … id, body, title … --text (text=)",
    ):
        read(both)
    corpus = read(both, text="title")
    assert corpus.texts == ("Al in Bonn",)
    assert marked(corpus) == {"3": [(6, 10, "LOC")]}
    assert notes(corpus) == ["1 span in another text passed over"]
    with refuses(sa.SpanAgreeError, "… x.json: no text 'text' … id, body, title … --text (text=)"):
        read(both, text="text")
    with refuses(
        sa.SpanAgreeError,
        "… x.json: nothing shows in which text … id, body, title … --text (text=)",
    ):
        read([task(annotation(3), data=data)])
    assert read([task(annotation(3), data={"source": "a", "text": TEXT})]).texts == (TEXT,)
    with refuses(
        sa.SpanAgreeError,
        "… x.json: record 2, task 8: no text 'text' … there are title … --text (text=)",
    ):
        read([task(data={"text": TEXT}), task(data={"title": "x"}, id_=8)], text="text")
    with refuses(sa.SpanAgreeError, "… x.json: no text in the data of the tasks"):
        read([task(data={"words": ["Jo"]})])


def test_which_text_without_words(read):
    """Spans without their words are in the text that to_name is the key of, and in no other."""
    data = {"title": "Al in Bonn", "body": TEXT}
    title, body = item(6, 10, "LOC", to="title"), item(0, 2, "PER", to="body")
    both = [task(annotation(3, title, body), data=data)]
    with refuses(sa.InputError, "… x.json: there are spans in body, title … --text (text=)"):
        read(both)
    for key, expected in ("title", (6, 10, "LOC")), ("body", (0, 2, "PER")):
        corpus = read(both, text=key)
        assert corpus.texts == (data[key],)
        assert marked(corpus) == {"3": [expected]}
        assert notes(corpus) == ["1 span in another text passed over"]
    message = "… x.json: nothing shows … spans of to_name t2 are … title, body: make to_name one of"
    words = item(6, 10, "LOC", to="t1", text="Bonn")
    with refuses(sa.InputError, message):
        read([task(annotation(3, words, item(0, 2, "PER", to="t2")), data=data)], text="title")
    alone = [task(annotation(3, item(0, 2, "PER", to="t2")), data=data)]
    assert marked(read(alone, text="body")) == {"3": [(0, 2, "PER")]}


def test_taxonomies(read):
    """A span with labels of a taxonomy has their path; what one says of a labelled span is counted."""
    value = {"start": 9, "end": 13, "text": "Rome", "taxonomy": [["Place", "City"], ["Capital"]]}
    region = {"id": "b", "type": "taxonomy", "to_name": "text", "value": value}
    corpus = read([task(annotation(3, region))])
    assert marked(corpus) == {"3": [(9, 13, "Capital"), (9, 13, "Place/City")]}
    assert notes(corpus) == []
    spans = [{**item(9, 13, "LOC"), "id": "b"}, {**item(0, 2, "PER"), "id": "a"}]
    corpus = read([task(annotation(3, region, *spans))])
    assert marked(corpus) == {"3": [(0, 2, "PER"), (9, 13, "LOC")]}
    assert notes(corpus) == ["1 taxonomy result passed over"]
    of_text = {**region, "value": {"taxonomy": [["Place"]]}}
    with refuses(sa.InputError, "… x.json: nothing is marked … (taxonomy result 1)"):
        read([task(annotation(3, of_text))])
    assert marked(read([row(3, kind=[value])])) == {
        "3": [(9, 13, "Capital"), (9, 13, "Place/City")]
    }
    corpus = read([row(3, (9, 13, "LOC"), kind=[value])])
    assert marked(corpus) == {"3": [(9, 13, "LOC")]}
    assert notes(corpus) == ["1 taxonomy result passed over"]


def row(by, *spans, id_=7, **more):
    """A row of JSON-MIN."""
    values = [{"start": s, "end": e, "text": TEXT[s:e], "labels": list(x)} for s, e, *x in spans]
    marked = {"label": values} if spans else {}
    return {"text": TEXT, "source": "s", "id": id_, **marked, "annotator": by, "annotation_id": 1, "created_at": "2024-01-01T00:00:00Z", "updated_at": "2024-01-02T00:00:00Z", "lead_time": 1.5, **more}  # fmt: skip


def test_json_min(read, tmp_path):
    """A row is an annotation; a task has several; no key of spans is nothing marked."""
    other = {"choice": {"choices": ["a", "b"]}, "box": [{"polygonlabels": ["x"], "points": []}]}
    words = [{"start": 0.5, "end": 1, "word": "Jo"}]  # of the data
    tasks = [row(3, (0, 2, "PER"), (9, 13, "LOC", "GPE")), row("b@x.org", **other, words=words)]
    corpus = read(tasks)
    assert find_format(tmp_path / "x.json") == "label-studio"
    assert corpus.ids == ("7",)
    assert marked(corpus) == {"3": [(0, 2, "PER"), (9, 13, "GPE"), (9, 13, "LOC")], "b@x.org": []}
    assert notes(corpus) == ["1 choice and 1 polygonlabels result passed over"]
    alone = {key: value for key, value in tasks[1].items() if key not in other}
    assert read([alone], annotator_from="email").annotators == ("b",)
    with refuses(sa.InputError, "annotator '3', document '7' … second time"):
        read([row(3), row(3, (0, 2, "PER"))])
    later = row(3, (0, 2, "PER"), updated_at="2024-01-03T00:00:00+01:00")
    assert marked(read([later, row(3)], "latest")) == {"3": [(0, 2, "PER")]}
    with refuses(sa.InputError, "… x.json: record 2 … differs … 'Al', not"):
        read([row(3), row(4, text="Al")])


@pytest.mark.parametrize("kind", ["csv", "frame"])
def test_an_empty_cell_of_csv_is_nothing_marked(read, tmp_path, kind):
    """CSV and JSON-MIN of one export are one corpus; lead_time is empty where an API submitted."""
    spans = [(0, 2, "PER")]
    rows = [row(by, *some, id_=id_) for id_, some in ((7, spans), (8, [])) for by in (3, 4)]
    rows[-1]["lead_time"] = None
    expected = read(rows)
    assert marked(expected, 1) == {"3": [], "4": []}
    cells = [{**each, "label": json.dumps(each["label"]) if "label" in each else None} for each in rows]  # fmt: skip
    path = tmp_path / "x.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*cells[0]])
        writer.writeheader()
        writer.writerows(cells)
    columns = {"text": "text", "spans": "label", "annotator": "annotator", "document": "id"}
    corpus = sa.read(path) if kind == "csv" else sa.formats.from_dataset(cells, **columns)
    assert [marked(corpus, i) for i in (0, 1)] == [marked(expected, i) for i in (0, 1)]
    assert (
        "2 rows of Label Studio with an annotation_id and nothing under label" in corpus.notes[-1]
    )
    columns_of_others = [{key: each[key] for key in each if key != "lead_time"} for each in cells]
    others = sa.formats.from_dataset(columns_of_others, **columns)
    assert marked(others, 1) == {"3": None, "4": None}  # null in other tables: never seen


REFUSED = {
    "not an object": ([5], {}, "x.json: record 1: 5 … object for each task"),
    "nothing": ([], {}, "x.json: no tasks … list of tasks"),
    "other": ([{"id": 7, "text": "x"}], {}, "x.json: record 1, task 7: neither data … nor annotator … id, text: export the project once more, as JSON"),
    "annotations": ([{"data": {"text": "x"}, "annotations": [3]}], {}, "x.json: record 1: annotations [3] … list of objects"),
    "offsets": ([task(annotation(3, item("0", 2, "X")))], {}, "x.json: record 1, task 7: start and end ('0', 2) … whole numbers"),
    "labels": ([task(annotation(3, item(0, 2, 5)))], {}, "x.json: record 1, task 7: labels [5] … list of names"),
    "annotator": ([task(annotation([3]))], {}, "x.json: record 1, task 7: annotator [3] … number … name … id"),
    "no e-mail": ([task(annotation(3))], {"annotator_from": "email"}, "x.json: record 1, task 7: annotator 3 … e-mail … --annotator-from email"),
    "e-mails": ([task(annotation({"email": "jo@a.org"}), annotation({"email": "jo@b.org"}))], {"annotator_from": "email"}, "x.json: record 1, task 7: the annotators 'jo@b.org' and 'jo@a.org' … 'jo' … leave out --annotator-from email"),
    "choice": ([task()], {"annotator_from": "session"}, "unknown annotator_from 'session'; allowed: id, email, file"),
    "ids": ([task(), task(id_=None)], {}, "x.json: record 2: id None … string … not empty"),
    "texts": ([task(), task(data={"text": "Jo is in Bonn"})], {}, "x.json: record 2, task 7: document '7' … differs … character 9: 'Jo is in Bonn', not 'Jo is in Rome' … same text … pattern in quotes"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(read, case):
    """Each with file, task, value and what is needed."""
    tasks, options, message = REFUSED[case]
    with refuses(sa.SpanAgreeError, f"… {message}"):
        read(tasks, **options)


def test_cut_off(tmp_path):
    """A file that ends too early is an error of one line."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps([task(annotation(3))] * 3)[:-20], "utf-8")
    with pytest.raises(sa.InputError, match=r"x.json: record 3: .*cut off"):
        read_raw_files({"it": path}, {}, TOOL)


def test_without_ids(read):
    """Tasks made for import have no ids, and are numbered."""
    entry = {"data": {"text": TEXT}, "annotations": [annotation(3)]}
    corpus = read([entry, entry])
    assert (len(corpus), corpus.ids) == (2, None)
