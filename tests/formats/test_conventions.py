"""Offsets that do not fit, are mixed, or are inclusive: what each format's reader says of them."""

from __future__ import annotations

import json
import re

import pytest

import spanagree as sa

TEXTS = [" ".join(f"Anna{i} Bo{j} Carl" for j in range(4)) for i in range(6)]
SPANS = [[match.span() for match in re.finditer(r"[AB]\w+", text)] for text in TEXTS]


def rows(documents):
    return [{"id": f"d{i}", "text": text, "spans": spans} for i, (text, spans) in documents]


def brat(documents, folder):
    folder.mkdir()
    for i, (text, spans) in documents:
        (folder / f"{i}.txt").write_text(text, "utf-8")
        lines = [
            "\t".join(
                [f"T{n}", f"PER {s['start']} {s['end']}", *([s["text"]] if "text" in s else [])]
            )
            for n, s in enumerate(spans, 1)
        ]
        (folder / f"{i}.ann").write_text("\n".join(lines), "utf-8")


def pubtator(documents):
    return "\n".join(
        f"{i}|t|{text}\n{i}|a|\n"
        + "".join(f"{i}\t{s['start']}\t{s['end']}\t{s.get('text', '')}\tPER\n" for s in spans)
        for i, (text, spans) in documents
    )


def label_studio(documents):
    return [
        {"id": i, "data": {"text": text}, "annotations": [{"completed_by": 1, "result": [
            {"id": str(n), "from_name": "l", "to_name": "t", "type": "labels", "value": {**span, "labels": ["PER"]}}
            for n, span in enumerate(spans)]}]}
        for i, (text, spans) in documents
    ]  # fmt: skip


def bioc(documents):
    made = [
        {"id": f"d{i}", "passages": [{"offset": 0, "text": text, "annotations": [
            {"id": str(n), "infons": {"type": "PER"}, "locations": [{"offset": s["start"], "length": s["end"] - s["start"]}], **({"text": s["text"]} if "text" in s else {})}
            for n, s in enumerate(spans)]}]}
        for i, (text, spans) in documents
    ]  # fmt: skip
    return {"source": "x", "documents": made}


def prodigy(documents):
    return [
        {"text": text, "_input_hash": i, "_task_hash": i, "answer": "accept", "spans": spans}
        for i, (text, spans) in documents
    ]


def table(documents):
    lines = [
        f"d{i},{text},{s['start']},{s['end']},PER,{s.get('text', '')}"
        for i, (text, spans) in documents
        for s in spans
    ]
    return "document,text,start,end,label,quote\n" + "\n".join(lines)


def langextract(documents):
    return [
        {"document_id": f"d{i}", "text": text, "extractions": [
            {"extraction_class": "PER", "extraction_text": s.get("text"), "char_interval": {"start_pos": s["start"], "end_pos": s["end"]}}
            for s in spans]}
        for i, (text, spans) in documents
    ]  # fmt: skip


def lighttag(documents):
    made = [
        {"example_id": f"d{i}", "content": text, "annotations": [
            {"start": s["start"], "end": s["end"], "tag": "PER", **({"value": s["text"]} if "text" in s else {})} for s in spans]}
        for i, (text, spans) in documents
    ]  # fmt: skip
    return {"examples": made}


def doccano(documents):
    return [
        {"id": i, "text": text, "label": [[s["start"], s["end"], s["label"]] for s in spans]}
        for i, (text, spans) in documents
    ]


FORMS = {
    "langextract.jsonl": langextract,
    "lighttag.json": lighttag,
    "x.jsonl": rows,
    "x.csv": table,
    "x": brat,
    "x.json": label_studio,
    "bioc.json": bioc,
    "prodigy.jsonl": prodigy,
    "x.txt": pubtator,
}


def written(tmp_path, name, moved, *, quotes=True):
    """A file of the form in which the n-th span is ``moved``."""
    n, documents = 0, []
    for i, (text, spans) in enumerate(zip(TEXTS, SPANS, strict=True)):
        made = []
        for start, end in spans:
            first, last = moved(n, start, end)
            quote = {"text": text[start:end]} if quotes else {}
            made.append({"start": first, "end": last, "label": "PER", **quote})
            n += 1
        documents.append((i, (text, made)))
    path = tmp_path / name
    if name == "x":
        brat(documents, path)
        return path
    made = {**FORMS, "doccano.jsonl": doccano}[name](documents)
    if isinstance(made, list) and name.endswith("jsonl"):
        made = "\n".join(map(json.dumps, made))
    path.write_text(made if isinstance(made, str) else json.dumps(made), "utf-8")
    return path


def bounds(corpus):
    return sorted((s.start, s.end) for d in corpus for some in d.seen.values() for s in some)


@pytest.mark.parametrize("name", FORMS)
def test_misplaced_and_mixed(tmp_path, name):
    """Of 40 % that stand elsewhere, and of two conventions in one file, no plain call takes any."""
    shifted = written(tmp_path, name, lambda n, a, b: (a + 2, b + 2) if n % 5 < 2 else (a, b))
    with pytest.raises(sa.InputError, match=r"in the text, not 'Anna0' .*relocate-by-text"):
        sa.read(shifted)
    folder = tmp_path / "mixed"
    folder.mkdir()
    mixed = written(folder, name, lambda n, a, b: (a, b - n % 2))
    with pytest.raises(sa.InputError, match=r"in the text, not .* more like it.*relocate-by-text"):
        sa.read(mixed)


@pytest.mark.parametrize("name", FORMS)
def test_inclusive_ends(tmp_path, name):
    """Shown by the texts of the spans; without these, asked for where a span would be empty."""
    expected = sorted(pair for spans in SPANS for pair in spans)
    assert expected[0] == (0, 5)
    shown = sa.read(written(tmp_path, name, lambda n, a, b: (a, b - 1)))
    assert bounds(shown) == expected
    assert any("are read as --ends inclusive reads them" in note for note in shown.notes)
    folder = tmp_path / "silent"
    folder.mkdir()
    silent = written(folder, name, lambda n, a, b: (a, b - 1) if n else (0, 0), quotes=False)
    with pytest.raises(sa.InputError, match=r"is empty.*--ends inclusive \(ends='inclusive'\)"):
        sa.read(silent)
    read = bounds(sa.read(silent, ends="inclusive"))
    assert read == sorted([(0, 1), *expected[1:]])


@pytest.mark.parametrize("name", ["x.jsonl", "x.json", "prodigy.jsonl", "doccano.jsonl"])
@pytest.mark.parametrize(
    ("moved", "says"),
    [
        (lambda n, a, b: (a, b - 1), r"48 of 48 segments begin or end inside a word.*--ends inclusive"),
        (lambda n, a, b: (a + 1, b + 1) if n % 5 < 2 else (a, b), r"\d+ of 48 .* the offsets may be"),
        (lambda n, a, b: (a + 1, b - 1), r"48 of 48 .* the offsets may be"),
        (lambda n, a, b: (a, b - 1) if n < 9 else (a, b), None),
        (lambda n, a, b: (a, b), None),
    ],
    ids=["inclusive", "misplaced", "both", "nine", "as they are"],
)  # fmt: skip
def test_a_remark_where_only_words_show_it(tmp_path, name, moved, says):
    """Without texts of spans, more than one in five that cut words are a sign, and no error.

    The 48 spans are names of four or five letters and a digit; 9 of 48 are fewer than one in five.
    """
    corpus = sa.read(written(tmp_path, name, moved, quotes=False))
    notes = [note for note in corpus.notes if "inside a word" in note]
    assert [bool(re.match(says or "never", note)) for note in notes] == [True] * (says is not None)


def test_a_remark_beside_files_whose_offsets_fit(tmp_path, write):
    """One file among many is named; those with quotes, or that fit, do not hide it.

    Seven files of 24 names, one of them with inclusive ends: 24 of 168 are fewer than one in five.
    """
    rows = [{"id": str(i), "text": "Jo met Ann and Rome " * 4} for i in range(3)]
    places = [(a + 20 * k, b + 20 * k) for k in range(4) for a, b in ((7, 10), (15, 19))]

    def file(name, less=0, quotes=False):
        spans = [{"start": a, "end": b - less, "label": "X"} for a, b in places]
        if quotes:
            spans = [{**s, "text": rows[0]["text"][s["start"] : s["end"]]} for s in spans]
        return write([{**row, "spans": spans} for row in rows], name)

    good = [file(f"{name}.jsonl") for name in "abcdef"]
    bad = file("bad.jsonl", 1)
    for files in ([*good, bad], [file("quoted.jsonl", quotes=True), bad]):
        (note,) = [note for note in sa.read(files).notes if "inside a word" in note]
        whose = " of bad.jsonl" if len(files) > 2 else ""
        assert note.startswith(f"24 of 24 segments{whose} begin")
        assert "--ends inclusive" in note
    assert not any("inside a word" in note for note in sa.read(good).notes)


def test_no_remark_without_spaces():
    """Letters without case are not looked at: nothing shows where words of Chinese end."""
    text = "我们在北京大学学习中文" * 2
    rows = [
        {"id": i, "text": text, "spans": [[j, j + 2, "X"] for j in range(0, 20, 2)]}
        for i in range(3)
    ]
    assert not any("inside a word" in note for note in sa.read(rows).notes)
    latin = [{**row, "text": "abcdefghijk" * 2} for row in rows]
    assert any("30 of 30 segments" in note for note in sa.read(latin).notes)


UTF_16 = "T1\tX 2 4\tab\nT2\tX 2 4;7 9\tab de\nT3\tX 2 4;5 9\tab \U0001f600de\n"  # units of UTF-16


@pytest.mark.parametrize(
    ("text", "marked", "expected"),
    [
        ("\U0001f600ab \U0001f600de", UTF_16, [((1, 3),), ((1, 3), (4, 7)), ((1, 3), (5, 7))]),
        (" abcdef", "T9\tX 1 2;5 6\tab ef\nT8\tX 1 2;3 4\tabcd\n" * 1 + "".join(
            f"T{i}\tX 1 {i}\t{'abcdef'[:i]}\n" for i in range(1, 7)) + "".join(
            f"T1{i}\tX 2 {i}\t{'abcdef'[1:i]}\n" for i in range(2, 7)) + "".join(
            f"T2{i}\tX 3 {i}\t{'abcdef'[2:i]}\n" for i in range(3, 7)) + "".join(
            f"T3{i}\tX 4 {i}\t{'abcdef'[3:i]}\n" for i in range(4, 7)),
         [((1, 3), (5, 7)), ((1, 5),)]),
    ],
    ids=["UTF-16", "inclusive"],
)  # fmt: skip
def test_pieces_move_with_their_spans(tmp_path, text, marked, expected):
    """Of another unit and of inclusive ends, those of each piece are meant."""
    (tmp_path / "d.txt").write_text(text, "utf-8")
    (tmp_path / "d.ann").write_text(marked, "utf-8")
    (some,) = sa.read(tmp_path, repair="drop-duplicates")[0].seen.values()
    there = {segment.pieces for segment in some}
    assert {*expected} <= there
