"""What a file holds is in the corpus, or counted, or the file is refused."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import at_most
from written_in import SHAPES, in_lines, project

import spanagree as sa
from spanagree.corpus.balance import READ
from spanagree.formats import unread
from spanagree.formats.file_parts import read_raw_patterns
from spanagree.formats.paths import find_values
from spanagree.formats.registry import FORMATS, TOOLS
from spanagree.formats.unread import NOT_READ

ELSEWHERE = {
    "spacy": "bytes of spaCy's own, which other libraries write and read",
    "hub": "on a hub",
    "qe-tags": "words of a file are OK and BAD alone, by which nothing is known again",
}
"""The formats that are not drawn here, and why."""


# --- what a source holds, counted without its format --------------------------------------------


class Source(NamedTuple):
    """The labels of marks, texts and annotators that are somewhere in a source."""

    labels: Counter
    texts: Counter
    annotators: set


def strings_in(value):
    """Every string in JSON, keys too, or in elements of XML."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from strings_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings_in(part)
    elif isinstance(value, ElementTree.Element):
        for element in value.iter():
            yield from (*element.attrib.values(), element.text or "", element.tail or "")


def is_in_records(text):
    """Whether a text is JSON, or lines of it."""
    first = text.lstrip().partition("\n")[0]
    for part in (text, first) if text.lstrip()[:1] in "[{" else ():
        try:
            json.loads(part)
        except ValueError:
            continue
        return True
    return False


def held(text):
    """What a text holds, as JSON, lines of JSON, XML, or rows."""
    if is_in_records(text):
        try:
            values = [json.loads(text)]
        except ValueError:
            values = [json.loads(line) for line in text.splitlines() if line.strip()]
    elif text.startswith("<") and "</Lb" not in text:
        values = [ElementTree.fromstring(text)]
    else:
        values = text.splitlines()
    strings = [string for value in values for string in strings_in(value)]
    # a tag of a segment's inner token, and the end of a tag in a text, are no marks of their own
    joined = "\n".join(re.sub(r"I-(?=Lb)|</(?=Lb)", "\0", string) for string in strings)
    return Source(
        Counter(re.findall(r"(?<!\0)Lb\d+x\d+q", joined)),
        Counter(re.findall(r"Tx\d+z", joined)),
        {*re.findall(r"An\d+z", joined)},
    )


def lost(text, raw, is_changed):
    """What is wrong with a corpus of a text: what is neither in it nor counted, or is made up.

    Where a file was changed, a mark may be twice by right, or its annotator or document unsaid.
    """
    source = held(text)
    if re.search(r"#FORMAT=WebAnno|annotation_span_categories", text):  # which repeat labels
        source = source._replace(labels=Counter({*source.labels}))
    labels = Counter()
    for document, label in zip(raw.document.tolist(), raw.label.tolist(), strict=True):
        for name in re.findall(r"Lb\d+x\d+q", raw.labels[label] if label >= 0 else ""):
            labels[name] += 1
            content = raw.texts[document] if raw.texts else " ".join(raw.tokens_of(document)) if raw.tokens else ""  # fmt: skip
            if re.search(r"Tx\d+z", content) and f"Tx{name[2:].partition('x')[0]}z" not in content and is_in_records(text):  # fmt: skip
                yield f"{name} is in another document"
    left = {unit: sum(n for reason, n in numbers.items() if reason != READ) for unit, numbers in raw.balance.items()}  # fmt: skip
    n_without = sum(code < 0 or "Lb" not in raw.labels[code] for code in raw.label.tolist())
    unread = (source.labels - labels).total() - n_without
    n_left = left.get("segment", 0) + left.get("tag", 0)
    if not is_in_records(text):  # a record is a line
        n_left += left.get("record", 0)
    if unread > n_left:
        yield f"{unread} marks, of which {n_left} are counted: {source.labels - labels}"
    if labels - source.labels and not is_changed:
        yield f"made up: {labels - source.labels}"
    contents = raw.texts or ([" ".join(raw.tokens_of(d)) for d in range(len(raw.lengths))] if raw.tokens else None)  # fmt: skip
    if contents is not None:
        there = {name for content in contents for name in re.findall(r"Tx\d+z", content)}
        n_others = left.get("record", 0) + left.get("answer", 0) + n_left
        if len(source.texts.keys() - there) > n_others:
            yield f"texts: {source.texts.keys() - there}"
        odd = [content for content in contents if not re.search(r"Tx\d+z", content)]
        if odd and not is_changed:
            yield f"no text of the source: {odd}"
    people = {name for name in source.annotators if not any(name in a for a in raw.annotators)}
    if people and not is_changed and not (left.get("answer") or left.get("record") or n_left):
        yield f"annotators: {people}"


# --- files of each format, and what happens to them -----------------------------------------------

PLACES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 2)), max_size=2, unique_by=lambda x: x[0])  # fmt: skip
PROJECTS = st.integers(1, 3).flatmap(
    lambda n: st.lists(st.lists(PLACES, min_size=n, max_size=n), min_size=1, max_size=3)
)
KEYS = ("note", "gold", "extra", "spans", "entities", "annotations", "labels", "text", "id")


def apart(documents):
    """The same documents without marks of an annotator that touch each other."""
    return [[[place for i, place in enumerate(places) if i == 0 or abs(place[0] - places[0][0]) > 2] for places in by] for by in documents]  # fmt: skip


def is_marked(value):
    """Whether a value has a mark of its own: a label, and numbers."""
    text = json.dumps(value)
    return isinstance(value, (dict, list)) and "Lb" in text and bool(re.search(r'[\[:] ?"?\d+', text))  # fmt: skip


def places_in(value, at=()):
    """Every container of a value in JSON, with its path."""
    if isinstance(value, (dict, list)):
        yield at, value
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places_in(part, (*at, key))


def by_place(value):
    """The containers of a value that are not empty, by their place without numbers in lists."""
    places = {}
    for at, inner in places_in(value):
        if inner:
            place = tuple("[*]" if isinstance(step, int) else step for step in at)
            places.setdefault(place, []).append((at, inner))
    return places


def changed(draw, value, may_add):
    """A value in JSON with a field added, if it may be, removed, renamed, nested or repeated.

    A field is removed or renamed in one object, or in all that are alike.
    """
    value = json.loads(json.dumps(value))
    alike = draw(st.sampled_from([*by_place(value).values()]))
    _, inner = draw(st.sampled_from(alike))
    key = draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner))))
    how = draw(st.sampled_from([*["add"] * may_add, "remove", "rename", "nest", "repeat"]))
    is_of_all = isinstance(inner, dict) and draw(st.booleans())
    same = [other for _, other in alike if key in other] if is_of_all else [inner]
    if how == "remove":
        for other in same:
            del other[key]
    elif how == "nest":
        inner[key] = draw(st.sampled_from([{"value": inner[key]}, [inner[key]]]))
    elif isinstance(inner, list):
        if isinstance(inner[key], (dict, list)):
            inner.append(json.loads(json.dumps(inner[key])))
    elif how == "rename":
        known = {k for other in same for k in other}
        new = draw(st.sampled_from([f"{key}_", *KEYS]).filter(lambda k: k not in known))
        for other in same:
            other[new] = other.pop(key)
    elif may_add:
        records = [
            part
            for _, part in places_in(value)
            if isinstance(part, dict) and "Tx" in json.dumps(part)
        ]
        inner = draw(st.sampled_from(records or [inner]))
        marked = [part for _, part in places_in(inner) if is_marked(part)]
        more = st.sampled_from([None, 3, "x", [], {}, *marked])
        new = draw(st.sampled_from(KEYS).filter(lambda k: k not in inner))
        inner[new] = json.loads(json.dumps(draw(more)))
    return value


def changed_element(draw, root):
    """An element with an attribute or a child removed, renamed or repeated."""
    elements = [element for element in root.iter() if len(element) or element.attrib]
    element = draw(st.sampled_from(elements))
    how = draw(st.sampled_from(["remove", "rename", "repeat"]))
    if element.attrib and (how == "rename" or not len(element)):
        key = draw(st.sampled_from(sorted(element.attrib)))
        value = element.attrib.pop(key)
        if how == "rename":
            element.set(f"{key}_", value)
    else:
        child = draw(st.sampled_from([*element]))
        if how == "remove":
            element.remove(child)
        elif how == "rename":
            child.tag = f"{child.tag}_"
        elif re.search(r"Lb.*\d+", ElementTree.tostring(child, "unicode")) and len(child):
            element.append(ElementTree.fromstring(ElementTree.tostring(child)))
    return root


def changed_line(draw, text, name):
    """Rows of which one, or a cell of it, is removed, renamed, added or repeated."""
    lines = text.splitlines()
    at = draw(st.integers(0, len(lines) - 1))
    how = draw(st.sampled_from(["remove", "repeat", "add", "remove a cell", "rename"]))
    sign = next((sign for sign in "\t," if sign in lines[at]), " ")
    cells = lines[at].split(sign)
    cell = draw(st.integers(0, len(cells) - 1))
    if how == "remove":
        del lines[at]
    elif how == "repeat":
        lines.insert(at, lines[at])
    elif how == "add":
        more = st.sampled_from(["1", "x", *["O"] * (name not in CONLL_BY_O)])
        lines = [f"{line}{sign}{draw(more)}" for line in lines]
    elif how == "remove a cell":
        lines[at] = sign.join(cells[:cell] + cells[cell + 1 :])
    else:
        lines[at] = sign.join([*cells[:cell], f"{cells[cell]}_", *cells[cell + 1 :]])
    return "\n".join(lines) + "\n"


def written(draw, name, documents, is_changed):
    """The name and the text of a file of a format, with a change or none."""
    file, write, *_ = SHAPES[name]
    content = write(documents)
    if isinstance(content, dict) and name == "brat":
        content = content["d0.ann"]
    if not isinstance(content, str):
        may_add = name not in UNLIKE_MARKS
        content = changed(draw, content, may_add) if content and is_changed else content
        is_lines = file.endswith(".jsonl") and isinstance(content, list)
        return file, in_lines(content) if is_lines else json.dumps(content)
    if is_changed and content.startswith("<"):
        root = changed_element(draw, ElementTree.fromstring(content))
        content = ElementTree.tostring(root, encoding="unicode")
    elif is_changed and content.strip():
        content = changed_line(draw, content, name)
    return file, content


def texts_beside(name, documents, folder):
    """Write the texts as each format has them beside its files; return files that are named too."""
    for doc in documents:
        (folder / f"{doc.id}.txt").write_text(doc.text)
    (folder / "article0.txt").write_text(documents[0].text)
    outputs = folder / "system-outputs" / "en-de"
    outputs.mkdir(parents=True)
    for doc in documents:
        (outputs / f"sys{doc.id}.txt").write_text(f"{doc.text}\n")
    if name not in WITH_TEXTS:
        return {}
    texts = [{"id": WITH_TEXTS[name].format(doc.id), "text": doc.text} for doc in documents]
    (folder / "texts.jsonl").write_text(in_lines(texts))
    return {"texts": folder / "texts.jsonl"}


WITH_TEXTS = {"potato": "{}", "batch-output": "{}", "esa": "sys/{}/1"}
"""Formats whose texts are in another file of a command, and the ids there."""


def test_every_format_is_drawn_or_said_not_to_be():
    drawn = {name.partition(" ")[0] for name in SHAPES}
    assert not drawn & ELSEWHERE.keys()
    assert drawn | ELSEWHERE.keys() == {*FORMATS}


@pytest.mark.parametrize("name", SHAPES)
@at_most(40)
@given(st.data())
def test_nothing_is_lost(name, data):
    """Every mark, text and annotator of a file is in the corpus, or counted, or it is refused.

    Oracle: names by which each is known again, looked for in the source without its format.
    """
    is_changed = name not in AS_IT_IS and data.draw(st.booleans(), "is_changed")
    documents = project(apart(data.draw(PROJECTS)))
    if not any(doc.all for doc in documents):
        return
    file, text = written(data.draw, name, documents, is_changed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("d0.ann" if name == "brat" else file)
        path.write_text(text)
        files = {path.name: path, **texts_beside(name, documents, Path(folder))}
        try:
            form, options = SHAPES[name][2:] or (None, {})
            raw = read_raw_patterns(files, options, form, repeats=True, thorough=True)
        except sa.SpanAgreeError:
            if not is_changed and name not in REFUSED:
                raise
            return
    assert [*lost(text, raw, is_changed)] == [], (raw.notes, raw.balance, text)


REFUSED = {
    "paths",
    "dataset (paths)",
    "tagged-lines",
    "conll (columns)",
    "dataset (columns of tags)",
    "dataset (tagged TSV)",
    *("propaganda", "i2b2-con", "potato", "kaggle", "ua-gec"),  # if nothing is marked
}
"""Forms that are refused as they stand, where it is not clear what is meant, or no line of a text has a tag."""


CONLL_BY_O = {"propaganda", "kaggle"}
"""Forms that a last column of O makes CoNLL in which nothing is marked, as no other says otherwise."""


UNLIKE_MARKS = {
    "squad": "places with a start and no end",
}
"""Forms of whose marks a copy under another key is told from other data by nothing, as they are so."""


AS_IT_IS = {
    "factgenie": "the labels are in the settings of rows",
    "batch-output": "the answers are strings, which nothing tells from other strings",
    "toxic-spans": "the names of marks stand beside them",
    "universalner": "the labels are of questions, which may have no answer",
    "hatexplain": "the labels are of people, and what they marked is lists of 0 and 1",
    "paths": "where options name what is read, other things are not meant",
    "dataset (paths)": "where options name what is read, other things are not meant",
}
"""Forms that are not changed, and why."""


# --- lists of spans that a tool does not know -----------------------------------------------------

EXTRA = "Extra"


def with_extra(value):
    """A copy of JSON with a list of spans under a key of its own beside every text; their number."""
    value, number = json.loads(json.dumps(value)), 0
    for _, part in [*places_in(value)]:
        if isinstance(part, dict) and any("Tx" in json.dumps(x) and isinstance(x, (str, list)) and "Lb" not in json.dumps(x) for x in part.values()):  # fmt: skip
            part[EXTRA.lower()] = [{"start": 0, "end": 3, "label": EXTRA}]
            number += 1
    return value, number


def is_in_json(name):
    """Whether a form is of a tool, and in JSON in which objects have the texts."""
    return name in TOOLS and not isinstance(SHAPES[name][1](project([[[(1, 1)]]])), str)


def test_every_tool_says_what_it_reads():
    """Those with functions of their own for records in JSON name the lists that these read."""
    own = [tool for tool in TOOLS.values() if (tool.rows or tool.read) and tool.knows]
    assert [tool.name for tool in own if not tool.reads] == []
    assert [tool.name for tool in TOOLS.values() if tool.reads and not (tool.rows or tool.read)] == []  # fmt: skip


@pytest.mark.parametrize("name", [*filter(is_in_json, SHAPES)])
def test_spans_that_a_tool_does_not_know_are_not_read_silently(name, tmp_path):
    """They are read by another entry, counted as not read, or the file is refused.

    Oracle: their number.
    """
    file, write, *_ = SHAPES[name]
    documents = project([[[(1, 1), (4, 2)]], [[(2, 2)]]])
    content, number = with_extra(write(documents))
    if not number:  # texts and spans are in lists, in which nothing has a name
        assert name in ("tecoholic", "spacy-pairs", "tagtog", "potato", "batch-output")
        return
    path = tmp_path / file
    is_lines = file.endswith(".jsonl") and isinstance(content, list)
    path.write_text(in_lines(content) if is_lines else json.dumps(content))
    texts_beside(name, documents, tmp_path)
    try:
        raw = read_raw_patterns({file: path}, {}, repeats=True, thorough=True)
    except sa.SpanAgreeError:
        return
    n_read = [raw.labels[code] for code in raw.label.tolist()].count(EXTRA)
    n_left = sum(n for reason, n in raw.balance["segment"].items() if reason != READ)
    assert n_read + n_left >= number


INNER = {"squad": "data[*].paragraphs[*]", "lighttag": "examples[*]"}
"""Paths to objects inside a record in JSON that are to have other spans too."""


@pytest.mark.parametrize(
    "name", [t.name for t in TOOLS.values() if t.rows and t.reads and is_in_json(t.name)]
)
def test_other_spans_of_records_that_are_made_anew_count_in_large_files(name, tmp_path):
    """What is read stays as it is; the note names the key. Oracle: their number.

    Rows are made of the records in JSON, which alone have what the rows leave.
    """
    file, write, *_ = SHAPES[name]
    documents = project([[[(1, 1), (4, 2)]], [[(2, 2)]]])
    path, files = tmp_path / file, texts_beside(name, documents, tmp_path)
    content = write(documents)
    records = content if isinstance(content, list) else [content]
    in_file = in_lines if file.endswith(".jsonl") else json.dumps
    path.write_text(in_file(content))
    expected = read_raw_patterns({file: path, **files}, {}, name)
    objects = [*records, *(x for r in records for x in find_values(r, INNER.get(name, "nowhere")))]
    for part in objects:
        part["further"] = [{"start": 0, "end": 3, "label": EXTRA}] * 2
    records[0]["padding"] = "x" * unread._MAX_SIZE
    path.write_text(in_file(content))
    raw = read_raw_patterns({file: path, **files}, {}, name)
    assert raw.balance["segment"] == {**expected.balance["segment"], NOT_READ: 2 * len(objects)}
    assert any("not read, of those under" in note and "further[*]" in note for note in raw.notes)
    assert [*raw.start, *raw.end] == [*expected.start, *expected.end]


TABLES = {
    "toxic-spans": ["spans,text", '"[0, 1]",Jo met Al'],
    "crowdtruth": ["_unit_id,_worker_id,tagged_events,sentence", 'a,ann,"[""Jo""]",Jo met Al'],
    "kaggle": ["id,class,predictionstring", "a,PER,0"],
}
"""Tables of tools: the names of the columns, and a row."""


@pytest.mark.parametrize("name", TABLES)
def test_other_spans_in_cells_of_large_tables_count(name, tmp_path):
    """Oracle: their number, two in each of two rows."""
    (header, row), path = TABLES[name], tmp_path / "x.csv"
    (tmp_path / "a.txt").write_text("Jo met Al")
    path.write_text("\n".join((header, row, row)))
    expected = read_raw_patterns({"x.csv": path}, {}, name)
    cell = json.dumps([{"start": 0, "end": 3, "label": EXTRA}] * 2).replace('"', '""')
    padding = "x" * unread._MAX_SIZE
    rows = [f"{header},entities,more", f'{row},"{cell}",{padding}', f'{row},"{cell}",']
    path.write_text("\n".join(rows))
    raw = read_raw_patterns({"x.csv": path}, {}, name)
    assert raw.balance["segment"] == {**expected.balance["segment"], NOT_READ: 4}
    assert any("4 marks not read, of those under 'entities[*]' (4)" in note for note in raw.notes)
    assert [*raw.start, *raw.end] == [*expected.start, *expected.end]


# --- lists that are objects, and objects that are lists -------------------------------------------


def swapped(value):
    """Copies of JSON in which one container is of the other shape; one of those at the same place."""
    for (at, inner), *_ in by_place(value).values():
        by_number = {str(i): part for i, part in enumerate(inner)}
        for new in [by_number] if isinstance(inner, list) else [[*inner.values()], [inner]]:
            copy = [json.loads(json.dumps(value))]
            outer, steps = copy, (0, *at)
            for step in steps[:-1]:
                outer = outer[step]
            outer[steps[-1]] = new
            yield copy[0]


IN_JSON = [name for name, (_, write, *_) in SHAPES.items() if name != "brat" and not isinstance(write(project([[[(1, 1)]]])), str)]  # fmt: skip


@pytest.mark.parametrize("name", IN_JSON)
def test_a_list_that_is_an_object_is_never_nothing(name, tmp_path, monkeypatch):
    """Where a list is an object, or an object a list, it is read, or counted, or the file refused.

    So it is in a file that is too large to be gone through once more, and if its format is named.
    """
    monkeypatch.setattr(unread, "_MAX_SIZE", 0)
    file, write, *named = SHAPES[name]
    form, options = named or (name.partition(" ")[0], {})
    documents = project([[[(1, 1), (4, 2)], [(3, 1)]], [[(2, 2)], [(1, 1)]]])
    files = {file: tmp_path / file, **texts_beside(name, documents, tmp_path)}
    content = write(documents)
    is_lines = file.endswith(".jsonl") and isinstance(content, list)
    n_read = 0
    for value in swapped(content):
        text = in_lines(value) if is_lines and isinstance(value, list) else json.dumps(value)
        (tmp_path / file).write_text(text)
        for asked in dict.fromkeys([form, named[0] if named else None]):
            try:
                raw = read_raw_patterns(files, options, asked, repeats=True)
            except sa.SpanAgreeError:
                continue
            n_read += 1
            assert [*lost(text, raw, is_changed=True)] == [], (asked, raw.notes, text)
    assert n_read < 2 * len([*swapped(content)])  # something is refused


# --- a field that no record has -------------------------------------------------------------------


def without_a_field(value):
    """Copies of JSON in which all objects at the same place lack a field, or have it renamed."""
    for alike in by_place(value).values():
        keys = dict.fromkeys(k for _, part in alike if isinstance(part, dict) for k in part)
        for key in keys:
            for new in (None, f"{key}_"):
                copy = json.loads(json.dumps(value))
                for at, _ in alike:
                    part = copy
                    for step in at:
                        part = part[step]
                    if key in part:
                        inner = part.pop(key)
                        if new is not None:
                            part[new] = inner
                yield key, new, copy


@pytest.mark.parametrize("name", [name for name in IN_JSON if name not in AS_IT_IS])
def test_a_field_that_no_record_has(name, tmp_path):
    """Without a field that a tool writes, its rows are read, or counted, or the file is refused.

    Prodigy's rows without hashes were read as spaCy's, and nothing was marked in them.
    """
    file, write, *named = SHAPES[name]
    form, options = named or (None, {})
    documents = project([[[(1, 1), (4, 2)]], [[(2, 2)]]])
    files = {file: tmp_path / file, **texts_beside(name, documents, tmp_path)}
    content = write(documents)
    is_lines = file.endswith(".jsonl") and isinstance(content, list)
    n_tried = 0
    for key, new, value in without_a_field(content):
        text = in_lines(value) if is_lines else json.dumps(value)
        (tmp_path / file).write_text(text)
        n_tried += 1
        try:
            raw = read_raw_patterns(files, options, form, repeats=True)
        except sa.SpanAgreeError:
            continue
        assert [*lost(text, raw, is_changed=True)] == [], (key, new, raw.notes, text)
    assert n_tried or not any(isinstance(part, dict) for _, part in places_in(content))
