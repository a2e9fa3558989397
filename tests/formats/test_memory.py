"""Memory: an export with very many spans in each text is read in less than four times its size."""

import json
import tracemalloc
from itertools import count

import pytest

import spanagree as sa

pytestmark = pytest.mark.slow

TEXT = "word " * 60
PLACES = [(at, at + 4) for at in range(0, 300, 5)]
SPANS = [[start, end, "PER"] for start, end in PLACES]
OBJECTS = [{"start": start, "end": end, "text": "word", "label": "X"} for start, end in PLACES]
BY = {f"a{k}": PLACES[::6] for k in range(3)}
MANY = {f"a{k}": PLACES for k in range(12)}
SURE = [{"start": a, "end": b, "text": "word", "labels": ["PER"]} for a, b in PLACES]
TAGS = {"tokens": TEXT.split(), "gold": ["O", "B-LOC"] * 30, "pred": ["O", "O"] * 30}
HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Cue|value\n\n\n"


def rows(**fields):
    """A line of JSON for each number."""
    return lambda i: json.dumps({"id": i, "text": TEXT, **fields}) + "\n"


def pubtator(i):
    """A document of PubTator."""
    mentions = "".join(f"{i}\t{start}\t{end}\tword\tX\n" for start, end in PLACES)
    return f"{i}|t|{TEXT.strip()}\n{i}|a|more\n{mentions}\n"


def sentence(i):
    """A sentence of WebAnno TSV, behind the header of the file."""
    at = 300 * i
    tokens = enumerate(PLACES, 1)
    lines = (f"{i + 1}-{n}\t{at + a}-{at + b}\tword\tX\t\n" for n, (a, b) in tokens)
    return f"{'' if i else HEAD}#Text={TEXT.strip()}\n{''.join(lines)}\n"


def table(i):
    """Rows of a table with a row for each span."""
    head = "" if i else "document,annotator,start,end,label,length\n"
    return head + "".join(f"d{i},ann,{start},{end},PER,300\n" for start, end in PLACES)


KINDS = {
    "doccano.jsonl": rows(label=SPANS, Comments=[]),
    "rows.jsonl": rows(entities=SPANS),
    "mushroom.jsonl": rows(annotations=BY),
    "pairs.jsonl": lambda i: rows(annotations=MANY)(i).replace(", ", ","),
    "studio.jsonl": rows(annotator=1, annotation_id=1, label=SURE),
    "prodigy.jsonl": lambda i: rows(spans=OBJECTS, answer="accept", _input_hash=i, _task_hash=i)(i),
    "tags.jsonl": lambda i: json.dumps(TAGS) + "\n",
    "x.pubtator": pubtator,
    "x.tsv": sentence,
    "table.csv": table,
}

TIMES = {"pairs.jsonl": 7}
"""Files of hardly anything but offsets: what a span takes is more than four times its bytes."""


def peak(path, make, size):
    """The most memory that reading a made-up file of so many bytes takes, and its exact size."""
    pieces, done = [], 0
    for i in count():
        if done >= size:
            break
        pieces.append(make(i))
        done += len(pieces[-1])
    path.write_text("".join(pieces))
    del pieces
    tracemalloc.start()
    sa.read(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most, done


@pytest.mark.parametrize("name", KINDS)
def test_dense_spans(tmp_path, name):
    """Each further megabyte of a file with 60 spans in 300 characters takes less than four, or seven.

    The bound is the promise of docs/formats.md; the difference of two sizes leaves out what does
    not grow with the file.
    """
    path = tmp_path / name
    (small, few), (large, many) = (peak(path, KINDS[name], mb << 20) for mb in (1, 2))
    assert large - small < TIMES.get(name, 4) * (many - few)
