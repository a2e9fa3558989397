"""Small projects in the shape of each format, with names by which everything in them is known again.

A text begins with the name of its document, a label has the document and the number of its mark, and
annotators have names of their own, so that what a file holds is counted without knowing its format.
"""

from __future__ import annotations

import json
from typing import NamedTuple
from xml.sax.saxutils import escape

WORDS = ("ana", "met", "bob", "and", "eve", "ran")


class Mark(NamedTuple):
    """A mark on some words of a text: their numbers, characters, and the label."""

    first: int
    last: int  # the number of the word behind it
    start: int
    end: int
    label: str
    quote: str


class Document(NamedTuple):
    """A text with the marks of each annotator."""

    id: str
    text: str
    words: list[str]
    marks: dict[str, list[Mark]]

    @property
    def all(self):
        """The marks of all annotators."""
        return [mark for marks in self.marks.values() for mark in marks]


def project(documents):
    """Documents from lists of (first, size) of words, by annotator, in each."""
    made = []
    for d, by in enumerate(documents):
        words = [f"Tx{d}z", *WORDS]
        text = " ".join(words)
        starts = [len(" ".join(words[:i])) + (i > 0) for i in range(len(words))]
        marks, k = {}, 0
        for a, places in enumerate(by):
            marks[f"An{a}z"] = []
            for first, size in places:
                last = first + size
                start, end = starts[first], starts[last - 1] + len(words[last - 1])
                mark = Mark(first, last, start, end, f"Lb{d}x{k}q", text[start:end])
                marks[f"An{a}z"].append(mark)
                k += 1
        made.append(Document(f"d{d}", text, words, marks))
    return made


def obj(mark, start="start", end="end", label="label", **more):
    return {start: mark.start, end: mark.end, label: mark.label, **more}


def in_lines(rows_):
    return "".join(json.dumps(row) + "\n" for row in rows_)


def each(of):
    return lambda docs: [of(doc) for doc in docs]


def each_of(of):
    return lambda docs: [of(doc, name, marks) for doc in docs for name, marks in doc.marks.items()]


def prodigy(doc, name, marks):
    tokens = [{"text": w, "start": doc.text.index(w), "end": doc.text.index(w) + len(w), "id": i, "ws": True} for i, w in enumerate(doc.words)]  # fmt: skip
    spans = [obj(m, token_start=m.first, token_end=m.last - 1) for m in marks]
    return {"text": doc.text, "_input_hash": int(doc.id[1:]) + 5, "_task_hash": 7, "tokens": tokens, "_session_id": name, "_annotator_id": name, "spans": spans, "answer": "accept"}  # fmt: skip


def without_hashes(doc):
    row = prodigy(doc, "An0z", doc.marks["An0z"])
    return {key: value for key, value in row.items() if not key.startswith("_")}


def label_studio(doc):
    annotations = [
        {"id": i, "completed_by": {"id": name}, "was_cancelled": False, "result": [
            {"id": f"r{k}", "from_name": "label", "to_name": "text", "type": "labels",
             "value": {"start": m.start, "end": m.end, "text": m.quote, "labels": [m.label]}}
            for k, m in enumerate(marks)]}
        for i, (name, marks) in enumerate(doc.marks.items())
    ]  # fmt: skip
    return {"id": int(doc.id[1:]) + 1, "data": {"text": doc.text}, "annotations": annotations}


def bioc(doc):
    marks = [{"id": str(i), "infons": {"type": m.label}, "text": m.quote, "locations": [{"offset": m.start, "length": m.end - m.start}]} for i, m in enumerate(doc.all)]  # fmt: skip
    return {"id": doc.id, "infons": {}, "passages": [{"offset": 0, "infons": {"type": "title"}, "text": doc.text, "sentences": [], "annotations": marks, "relations": []}], "relations": []}  # fmt: skip


def spacy_json(doc):
    tokens = [{"id": i, "start": doc.text.index(w), "end": doc.text.index(w) + len(w)} for i, w in enumerate(doc.words)]  # fmt: skip
    return {"text": doc.text, "ents": [obj(m) for m in doc.all], "sents": [{"start": 0, "end": len(doc.text)}], "tokens": tokens}  # fmt: skip


def tags_of(doc, marks):
    tags = ["O"] * len(doc.words)
    for m in marks:
        tags[m.first : m.last] = [f"B-{m.label}", *[f"I-{m.label}"] * (m.last - m.first - 1)]
    return tags


def tag_rows(doc, most=9):
    columns = {name: tags_of(doc, marks) for name, marks in [*doc.marks.items()][:most]}
    return {"id": doc.id, "tokens": doc.words, **columns}


def own(doc):
    by = {name: [obj(m) for m in marks] for name, marks in doc.marks.items()}
    return {"spanagree": 1, "id": doc.id, "text": doc.text, "annotators": by}


def argilla(doc):
    answers = [{"value": [obj(m) for m in marks], "status": "submitted", "user_id": name} for name, marks in doc.marks.items()]  # fmt: skip
    return {"id": doc.id, "fields": {"text": doc.text}, "responses": {"spans": answers}}


def factgenie(doc, name, marks):
    labels = [m.label for m in marks]
    spans = [{"type": i, "text": m.quote, "start": m.start} for i, m in enumerate(marks)]
    about = {"annotator_id": name, "annotation_span_categories": [{"name": label} for label in labels]}  # fmt: skip
    return {"dataset": "s", "split": "t", "setup_id": "m", "example_idx": int(doc.id[1:]), "output": doc.text, "annotations": spans, "flags": [], "options": [], "sliders": [], "text_fields": [], "metadata": about}  # fmt: skip


def conll(docs, most=9):
    lines = []
    for doc in docs:
        columns = [tags_of(doc, marks) for marks in [*doc.marks.values()][:most]]
        lines += ["\t".join(cells) for cells in zip(doc.words, *columns, strict=True)]
        lines.append("")
    return "\n".join(lines) + "\n"


def long_table(sign):
    def write(docs):
        lines = [["document", "annotator", "start", "end", "label", "text"]]
        for doc in docs:
            for name, marks in doc.marks.items():
                lines += [[doc.id, name, str(m.start), str(m.end), m.label, doc.text] for m in marks]  # fmt: skip
                if not marks:
                    lines.append([doc.id, name, "", "", "", doc.text])
        return "\n".join(sign.join(cells) for cells in lines) + "\n"

    return write


def tagged(doc, marks):
    text = doc.text
    for m in sorted(marks, reverse=True):
        text = f"{text[: m.start]}<{m.label}>{m.quote}</{m.label}>{text[m.end :]}"
    return text


def tagged_table(docs):
    lines = ["id\tannotator\ttagged"]
    lines += [f"{doc.id}\t{name}\t{tagged(doc, marks)}" for doc in docs for name, marks in doc.marks.items()]  # fmt: skip
    return "\n".join(lines) + "\n"


def pubtator(docs):
    blocks = []
    for doc in docs:
        lines = [f"{doc.id}|t|{doc.text}", f"{doc.id}|a|"]
        lines += [f"{doc.id}\t{m.start}\t{m.end}\t{m.quote}\t{m.label}" for m in doc.all]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def mqm(docs):
    lines = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"]
    for d, doc in enumerate(docs):
        for name, marks in doc.marks.items():
            for m in marks:
                target = f"{doc.text[: m.start]}<v>{m.quote}</v>{doc.text[m.end :]}"
                lines.append(f"s\td\t{doc.id}\t{d + 1}\t{name}\tsource\t{target}\t{m.label}\tMajor")
            if not marks:
                lines.append(
                    f"s\td\t{doc.id}\t{d + 1}\t{name}\tsource\t{doc.text}\tNo-error\tNo-error"
                )
    return "\n".join(lines) + "\n"


def m2(docs):
    blocks = []
    for doc in docs:
        lines = [f"S {' '.join(doc.words)}"]
        for number, marks in enumerate(doc.marks.values()):
            end = f"|||REQUIRED|||-NONE-|||{number}"
            lines += [f"A {m.first} {m.last}|||{m.label}|||x{end}" for m in marks]
            if not marks:
                lines.append(f"A -1 -1|||noop|||-NONE-{end}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def webanno(docs):
    (doc,) = docs[:1]
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Cue|value\n\n\n"
    lines, number = [f"#Text={doc.text}"], 0
    cells = ["_"] * len(doc.words)
    for number, m in enumerate(doc.all, 1):
        for i in range(m.first, m.last):
            value = f"{m.label}[{number}]"
            cells[i] = value if cells[i] == "_" else f"{cells[i]}|{value}"
    at = 0
    for i, (word, cell) in enumerate(zip(doc.words, cells, strict=True), 1):
        lines.append(f"1-{i}\t{at}-{at + len(word)}\t{word}\t{cell}\t")
        at += len(word) + 1
    return head + "\n".join(lines) + "\n"


def knowtator_2(docs):
    parts = []
    for doc in docs:
        marks = [
            f'<annotation annotator="{name}" id="{name}{i}"><class id="{m.label}" label="c"/>'
            f'<span start="{m.start}" end="{m.end}">{m.quote}</span></annotation>'
            for name, some in doc.marks.items()
            for i, m in enumerate(some)
        ]
        parts.append(
            f'<document id="{doc.id}" text-file="{doc.id}.txt">{"".join(marks)}</document>'
        )
    return f"<knowtator-project>{''.join(parts)}</knowtator-project>"


def bioc_xml(docs):
    parts = []
    for doc in docs:
        marks = [
            f'<annotation id="{i}"><infon key="type">{m.label}</infon>'
            f'<location offset="{m.start}" length="{m.end - m.start}"/><text>{m.quote}</text>'
            "</annotation>"
            for i, m in enumerate(doc.all)
        ]
        parts.append(
            f"<document><id>{doc.id}</id><passage><offset>0</offset><text>{escape(doc.text)}</text>"
            f"{''.join(marks)}</passage></document>"
        )
    return f"<collection><source>s</source>{''.join(parts)}</collection>"


def gate_xml(docs):
    (doc,) = docs[:1]
    places = sorted({at for m in doc.all for at in (m.start, m.end)})
    text, last = "", 0
    for at in places:
        text += f'{doc.text[last:at]}<Node id="{at}"/>'
        last = at
    sets = [
        f'<AnnotationSet Name="{name}">'
        + "".join(
            f'<Annotation Id="{i}" Type="{m.label}" StartNode="{m.start}" EndNode="{m.end}"/>'
            for i, m in enumerate(marks)
        )
        + "</AnnotationSet>"
        for name, marks in doc.marks.items()
    ]
    return f"<GateDocument><TextWithNodes>{text}{doc.text[last:]}</TextWithNodes>{''.join(sets)}</GateDocument>"  # fmt: skip


def brat(docs):
    files = {}
    for doc in docs:
        files[f"{doc.id}.txt"] = doc.text
        files[f"{doc.id}.ann"] = "".join(
            f"T{i}\t{m.label} {m.start} {m.end}\t{m.quote}\n" for i, m in enumerate(doc.all, 1)
        )
    return files


def own_marks(doc):
    """The marks of the first annotator, in the order of the text."""
    return sorted(doc.marks["An0z"])


def squad(docs):
    paragraphs = [
        {"context": doc.text, "qas": [{"id": doc.id, "question": "who", "answers": [
            {"text": m.quote, "answer_start": m.start, "name": m.label} for m in own_marks(doc)]}]}
        for doc in docs
    ]  # fmt: skip
    return {"data": [{"title": "t", "paragraphs": paragraphs}]}


def conversations(doc):
    turns = [("human", f"Text: {doc.text}"), ("gpt", "I have read it.")]
    for m in own_marks(doc):
        turns += [("human", f"What describes {m.label} in the text?"), ("gpt", json.dumps([m.quote]))]  # fmt: skip
    return {"id": doc.id, "conversations": [{"from": who, "value": text} for who, text in turns]}


def hatexplain(doc):
    people, signs = [], []
    for name, marks in doc.marks.items():
        labels = [m.label for m in marks[:1]] or ["normal"]
        people += [{"label": label, "annotator_id": name, "target": ["None"]} for label in labels]
        signs += [[int(m.first <= i < m.last) for i in range(len(doc.words))] for m in marks[:1]]
    return {"post_id": doc.id, "post_tokens": doc.words, "annotators": people, "rationales": signs}


def toxic_spans(doc):
    marks = own_marks(doc)
    indices = [i for m in marks for i in range(m.start, m.end)]
    return {"id": doc.id, "text": doc.text, "spans": indices, "names": [m.label for m in marks]}


def crowdtruth(docs):
    lines = ["_unit_id\t_worker_id\tsentence\ttagged_words\tnames"]
    for doc in docs:
        for name, marks in doc.marks.items():
            cells = (json.dumps([getattr(m, what) for m in marks]) for what in ("quote", "label"))
            quoted = ('"{}"'.format(cell.replace('"', '""')) for cell in cells)
            lines.append("\t".join([doc.id, name, doc.text, *quoted]))
    return "\n".join(lines) + "\n"


def ua_gec(docs):
    (doc,) = docs[:1]
    text = doc.text
    for m in reversed(own_marks(doc)):
        sign = f"{{{m.quote}=>x:::error_type={m.label}}}"
        text = f"{text[: m.start]}{sign}{text[m.end :]}"
    return text + "\n"


def propaganda(docs):
    (doc,) = docs[:1]
    lines = [f"article0\t{m.label}\t{m.start}\t{m.end}" for m in own_marks(doc)]
    return "\n".join(lines) + "\n"


def i2b2(docs):
    (doc,) = docs[:1]
    lines = [f'c="{m.quote}" 1:{m.first} 1:{m.last - 1}||t="{m.label}"' for m in own_marks(doc)]
    return "\n".join(lines) + "\n"


def tagtog(docs):
    (doc,) = docs[:1]
    entities = [
        {"classId": m.label, "part": "s1p1", "offsets": [{"start": m.start, "text": m.quote}],
         "confidence": {"state": "pre-added", "who": [f"user:{name}"], "prob": 1}, "fields": {}}
        for name, marks in doc.marks.items() for m in marks
    ]  # fmt: skip
    return {"annotatable": {"parts": ["s1p1"]}, "anncomplete": True, "sources": [], "metas": {}, "entities": entities, "relations": []}  # fmt: skip


def potato(docs):
    spans = {
        doc.id: [[{"schema": "s", "name": m.label, "start": m.start, "end": m.end, "title": "t"}, "true"] for m in own_marks(doc)]
        for doc in docs
    }  # fmt: skip
    return {"user_id": "An0z", "instance_id_ordering": [*spans], "instance_id_to_label_to_value": {}, "instance_id_to_span_to_value": spans}  # fmt: skip


def kaggle(docs):
    lines = ["id,class,predictionstring"]
    for doc in docs:
        for m in own_marks(doc):
            numbers = " ".join(map(str, range(m.first, m.last)))
            lines.append(f"{doc.id},{m.label},{numbers}")
    return "\n".join(lines) + "\n"


def batch_output(doc):
    answer = json.dumps([{"text": m.quote, "label": m.label} for m in own_marks(doc)])
    choices = [{"index": 0, "message": {"role": "assistant", "content": answer}}]
    return {"id": "b", "custom_id": doc.id, "response": {"status_code": 200, "body": {"choices": choices}}, "error": None}  # fmt: skip


def esa(docs):
    lines = []
    for doc in docs:
        for name, marks in doc.marks.items():
            spans = [{"start_i": m.start, "end_i": m.end - 1, "severity": m.label} for m in marks]
            cell = json.dumps(spans).replace('"', '""')
            lines.append(f'{name},sys,1,TGT,eng,deu,80,{doc.id},False,"{cell}",1.0,2.0')
    return "\n".join(lines) + "\n"


def seg_rating(docs):
    lines = []
    for doc in docs:
        errors = [{"start": m.start, "end": m.end, "category": m.label, "severity": "major", "is_source_error": False} for m in own_marks(doc)]  # fmt: skip
        answer = json.dumps({"errors": errors})
        lines.append(f"sys{doc.id}\t{answer}")
    return "\n".join(lines) + "\n"


def times(form):
    def write(docs):
        marks = [m for doc in docs for m in doc.all]
        return form([(i * 2, i * 2 + 1, m.label) for i, m in enumerate(marks)])

    return write


def sections(marks):
    lines = [f"{start}.0\t{label}" for start, _, label in marks]
    return "\n".join([*lines, f"{2 * len(marks) + 0.5}\tEnd"]) + "\n"


def at_one_time(marks):
    return sections([(start // 4 * 4, end, label) for start, end, label in marks])


def audacity(marks):
    return "".join(f"{start}.0\t{end}.0\t{label}\n" for start, end, label in marks)


def rttm(marks):
    return "".join(f"SPEAKER rec 1 {a}.0 {b - a}.0 <NA> <NA> {label} <NA> <NA>\n" for a, b, label in marks)  # fmt: skip


def vtt(marks):
    cues = [f"00:00:{a:02}.000 --> 00:00:{b:02}.000\n{label}\n" for a, b, label in marks]
    return "\n".join(["WEBVTT\n", *cues])


def table_of_times(marks):
    lines = [f"{a}.0,{b}.0,{label}" for a, b, label in marks]
    return "\n".join(["onset,offset,label", *lines]) + "\n"


def textgrid(marks):
    last = 2 * len(marks) + 1
    intervals = "".join(
        f'        intervals [{i}]:\n            xmin = {a}\n            xmax = {b}\n            text = "{label}"\n'
        for i, (a, b, label) in enumerate(marks, 1)
    )
    return (
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\n'
        f"xmax = {last}\ntiers? <exists>\nsize = 1\nitem []:\n    item [1]:\n"
        f'        class = "IntervalTier"\n        name = "t"\n        xmin = 0\n        xmax = {last}\n'
        f"        intervals: size = {len(marks)}\n{intervals}"
    )


def elan(marks):
    slots = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="ts{2 * i + k}" TIME_VALUE="{at * 1000}"/>'
        for i, (a, b, _) in enumerate(marks)
        for k, at in ((1, a), (2, b))
    )
    spans = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{i}" TIME_SLOT_REF1="ts{2 * i + 1}"'
        f' TIME_SLOT_REF2="ts{2 * i + 2}"><ANNOTATION_VALUE>{label}</ANNOTATION_VALUE>'
        "</ALIGNABLE_ANNOTATION></ANNOTATION>"
        for i, (_, _, label) in enumerate(marks)
    )
    return (
        '<ANNOTATION_DOCUMENT AUTHOR="" VERSION="3.0"><HEADER TIME_UNITS="milliseconds"/>'
        f'<TIME_ORDER>{slots}</TIME_ORDER><TIER TIER_ID="t" LINGUISTIC_TYPE_REF="x">{spans}</TIER>'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="x" TIME_ALIGNABLE="true"/></ANNOTATION_DOCUMENT>'
    )


SHAPES = {
    "conll": ("x.conll", lambda docs: conll(docs, 1)),
    "conll (columns)": ("x.conll", conll),
    "jsonl": ("x.jsonl", each(own)),
    "brat": ("x", brat),
    "inception": ("x.tsv", webanno),
    "bioc (XML)": ("x.xml", bioc_xml),
    "bioc": ("x.json", lambda docs: {"source": "s", "documents": [bioc(doc) for doc in docs]}),
    "xml (Knowtator 2)": ("x.xml", knowtator_2),
    "xml (GATE)": ("x.xml", gate_xml),
    "pubtator": ("x.txt", pubtator),
    "mqm": ("x.tsv", mqm),
    "label-studio": ("x.json", each(label_studio)),
    "prodigy": ("x.jsonl", each_of(prodigy)),
    "prodigy (no hashes)": ("x.jsonl", each(without_hashes)),
    "doccano": ("x.jsonl", each(lambda doc: {"id": int(doc.id[1:]), "text": doc.text, "entities": [
        {"id": i, "label": m.label, "start_offset": m.start, "end_offset": m.end} for i, m in enumerate(doc.all)], "relations": [], "Comments": []})),
    "dataturks": ("x.jsonl", each(lambda doc: {"content": doc.text, "annotation": [
        {"label": [m.label], "points": [{"start": m.start, "end": m.end - 1, "text": m.quote}]} for m in doc.all], "extras": None})),
    "gliner": ("x.json", each(lambda doc: {"tokenized_text": doc.words, "ner": [[m.first, m.last - 1, m.label] for m in doc.all]})),
    "dygie": ("x.jsonl", each(lambda doc: {"doc_key": doc.id, "sentences": [doc.words], "ner": [[[m.first, m.last - 1, m.label] for m in doc.all]], "relations": [[]]})),
    "docred": ("x.json", each(lambda doc: {"title": doc.id, "sents": [doc.words], "vertexSet": [
        [{"name": m.quote, "pos": [m.first, m.last], "sent_id": 0, "type": m.label}] for m in doc.all], "labels": []})),
    "spert": ("x.json", each(lambda doc: {"tokens": doc.words, "entities": [
        {"type": m.label, "start": m.first, "end": m.last} for m in doc.all], "relations": [], "orig_id": doc.id})),
    "langextract": ("x.jsonl", each(lambda doc: {"document_id": doc.id, "text": doc.text, "extractions": [
        {"extraction_class": m.label, "extraction_text": m.quote, "char_interval": {"start_pos": m.start, "end_pos": m.end}} for m in doc.all]})),
    "pubannotation": ("x.json", each(lambda doc: {"text": doc.text, "denotations": [
        {"id": f"T{i}", "span": {"begin": m.start, "end": m.end}, "obj": m.label} for i, m in enumerate(doc.all)]})),
    "tecoholic": ("x.json", lambda docs: {"classes": ["x"], "annotations": [[doc.text, {"entities": [[m.start, m.end, m.label] for m in doc.all]}] for doc in docs]}),
    "gate": ("x.json", lambda docs: {"name": docs[0].id, "text": docs[0].text, "offset_type": "p", "features": {}, "annotation_sets": {
        name: {"name": name, "next_annid": 9, "annotations": [{"type": m.label, "start": m.start, "end": m.end, "id": i, "features": {}} for i, m in enumerate(marks)]}
        for name, marks in docs[0].marks.items()}}),
    "lighttag": ("x.json", lambda docs: {"examples": [{"example_id": doc.id, "content": doc.text, "annotations": [
        {"start": m.start, "end": m.end, "tag": m.label, "value": m.quote, "annotated_by": [{"annotator": name}]} for name, marks in doc.marks.items() for m in marks],
        "classifications": []} for doc in docs], "relations": []}),
    "ubiai": ("x.json", each(lambda doc: {"documentName": doc.id, "document": doc.text, "annotation": [obj(m, text=m.quote) for m in doc.all]})),
    "ground-truth": ("x.jsonl", each(lambda doc: {"source": doc.text, "job": {"annotations": {"entities": [obj(m, "startOffset", "endOffset") for m in doc.all], "labels": []}}})),
    "spacy-pairs": ("x.json", each(lambda doc: [doc.text, {"entities": [[m.start, m.end, m.label] for m in doc.all]}])),
    "spacy-json": ("x.jsonl", each(spacy_json)),
    "bigbio": ("x.jsonl", each(lambda doc: {"id": doc.id, "document_id": doc.id, "passages": [{"id": "p", "type": "t", "text": [doc.text], "offsets": [[0, len(doc.text)]]}],
        "entities": [{"id": str(i), "type": m.label, "text": [m.quote], "offsets": [[m.start, m.end]], "normalized": []} for i, m in enumerate(doc.all)], "events": [], "coreferences": [], "relations": []})),
    "argilla": ("x.json", each(argilla)),
    "mqm-answers": ("x.json", each(lambda doc: {"src": "s", "tgt": doc.text, "doc_id": doc.id, "seg_id": 1, "evaluation": {"errors": [
        {"span": m.quote, "start": m.start, "end": m.end, "category": m.label, "is_source_error": False} for m in doc.all]}})),
    "tagged-lines": ("x.txt", lambda docs: "".join(tagged(doc, doc.marks["An0z"]) + "\n" for doc in docs)),
    "esa-lines": ("x.jsonl", each_of(lambda doc, name, marks: {"langs": "en-de", "doc_id": doc.id, "line_id": 1, "src": "s", "tgt": doc.text, "system": "m", "annotator": name,
        "esa_spans": [{"start_i": m.start, "end_i": m.end - 1, "severity": m.label, "error_type": ""} for m in marks], "esa_score": 3})),
    "m2": ("x.m2", m2),
    "factgenie": ("x.jsonl", each_of(factgenie)),
    "by-id": ("x.json", lambda docs: {doc.id: {"text": doc.text, "spans": [obj(m) for m in doc.all]} for doc in docs}),
    "paths": ("x.json", lambda docs: {"docs": [{"text": doc.text, "spans": [obj(m) for m in doc.all]} for doc in docs]},
        "paths", {"text": "docs[*].text", "spans": "docs[*].spans[*]", "start": "start", "end": "end", "label": "label"}),
    "dataset (paths)": ("x.json", lambda docs: {"lines": [doc.words for doc in docs], "gold": [tags_of(doc, doc.marks["An0z"]) for doc in docs]},
        "dataset", {"tokens": "lines[*]", "tags": {"An0z": "gold[*]"}}),
    "dataset (spans)": ("x.json", each_of(lambda doc, name, marks: {"id": doc.id, "text": doc.text, "annotator": name, "spans": [obj(m) for m in marks]})),
    "dataset (tags)": ("x.jsonl", each(lambda doc: tag_rows(doc, 1))),
    "dataset (columns of tags)": ("x.jsonl", each(tag_rows)),
    "dataset (CSV)": ("x.csv", long_table(",")),
    "dataset (TSV)": ("x.tsv", long_table("\t")),
    "dataset (tagged TSV)": ("x.tsv", tagged_table),
    "squad": ("x.json", squad),
    "universalner": ("x.jsonl", each(conversations)),
    "hatexplain": ("x.jsonl", each(hatexplain)),
    "toxic-spans": ("x.jsonl", each(toxic_spans)),
    "crowdtruth": ("x.tsv", crowdtruth),
    "ua-gec": ("x.ann", ua_gec),
    "propaganda": ("x.labels", propaganda),
    "i2b2-con": ("d0.con", i2b2),
    "tagtog": ("d0.ann.json", tagtog),
    "potato": ("user_state.json", potato),
    "kaggle": ("x.csv", kaggle),
    "batch-output": ("x.jsonl", each(batch_output)),
    "esa": ("x.csv", esa),
    "seg-rating": ("en-de.seg.rating", seg_rating),
    "sections": ("x.txt", times(sections)),
    "sections (at one time)": ("x.txt", times(at_one_time)),
    "labels": ("x.txt", times(audacity)),
    "rttm": ("x.rttm", times(rttm)),
    "subtitles": ("x.vtt", times(vtt)),
    "times": ("x.csv", times(table_of_times)),
    "textgrid": ("x.TextGrid", times(textgrid)),
    "elan": ("x.eaf", times(elan)),
}  # fmt: skip
"""By format, and by form where one has several, the name of a file and what writes it."""
