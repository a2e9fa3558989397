"""The names that other tools give to columns, and to what makes a span."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from spanagree.formats.file_head import FileHead
from spanagree.tables import cells_of, separator_of

USUAL: Mapping[str, tuple[str, ...]] = {
    "start": (
        "start", "begin", "startoffset", "beginoffset", "offsetstart", "startchar", "charstart",
        "beginchar", "startindex", "startidx", "startposition", "tokenstart", "starttoken", "from",
    ),
    "end": (
        "end", "stop", "endoffset", "offsetend", "endchar", "charend", "endindex", "endidx",
        "endposition", "tokenend", "endtoken", "to",
    ),
    "label": (
        "label", "type", "tag", "entitygroup", "entitytype", "labeltype", "spantype", "class",
        "category", "entity", "labels",
    ),
    "probability": ("prob", "probability", "score", "confidence"),
    "text": (
        "text", "quote", "surface", "spantext", "covered", "coveredtext", "mention", "term", "word",
        "phrase", "string", "entitytext", "entityname", "extractiontext", "span", "value",
    ),
    "annotator": (
        "annotator", "annotatorid", "annotatorname", "annotatorgroup", "coder", "coderid", "rater",
        "raterid", "worker", "workerid", "labeler", "labeller", "judge", "judgeid", "annotatedby",
        "userid",
    ),
    "spans": ("spans", "value", "annotations", "entities", "result", "labels"),
}  # fmt: skip
"""The usual names of what makes a span, in lower case and without other signs than letters."""

NAMES = ("entity", "name")
"""What language models call a quote too, where a label and no offsets stand beside it."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "document": (
        "document", "documentid", "docid", "doc", "file", "filename", "textid", "exampleid",
        "instanceid", "itemid", "sentenceid", "commentid", "customid", "id", "uid",
    ),
    "annotator": tuple(name for name in USUAL["annotator"] if name != "userid"),
    "system": ("model", "modelname", "system", "systemname", "llm"),
    "text": (
        "text", "content", "fulltext", "documenttext", "sentencetext", "modeloutputtext", "output",
        "response", "target", "sentence", "commenttext", "comment", "body",
    ),
    "tokens": ("tokens", "words", "token", "word"),
    "length": ("length", "textlength", "documentlength", "nchars"),
    "spans": (
        "spans", "annotations", "entities", "ents", "label", "labels", "annotation", "highlights",
    ),
}  # fmt: skip
"""The usual names of columns, as :func:`plain` gives them."""

MAYBE_ANNOTATORS = frozenset((
    "userid", "user", "username", "author", "creator", "createdby", "email", "run", "team",
    "expert", "submission", "participant", "who", "method",
))  # fmt: skip
"""Names of columns that have annotators, or who wrote the text."""

_OF_SPANS = frozenset((*COLUMNS["tokens"], *USUAL["start"]))


def plain(name: object) -> str:
    """Return a name as it is compared: in lower case, without other signs than letters.

    >>> plain("start_offset"), plain("Sentence #")
    ('startoffset', 'sentence')
    """
    return re.sub(r"[^a-z]", "", str(name).lower())


@lru_cache(maxsize=1000)
def keys_of(names: tuple[Any, ...]) -> dict[str, Any]:
    """Return which of some names are usual for what.

    >>> keys_of(("type", "entity")), keys_of(("start", "end", "entity"))
    ({'label': 'type', 'text': 'entity'}, {'start': 'start', 'end': 'end', 'label': 'entity'})
    """
    plainly: dict[str, Any] = {}
    for name in names:
        plainly.setdefault(plain(name), name)
    there = {what: [name for name in usual if name in plainly] for what, usual in USUAL.items()}
    keys = {what: plainly[usual[0]] for what, usual in there.items() if usual}
    if "label" in keys and not keys.keys() & {"start", "text"}:
        for name in (plainly[name] for name in NAMES if name in plainly):
            if name != keys["label"]:
                keys.setdefault("text", name)
    return keys


def may_have_spans(start: FileHead) -> bool:
    """Return whether columns of a table may have spans or tags, at a glance; JSON always may.

    Usual names in the header may, and columns whose first cell is blank or begins as a list
    does.
    """
    if start.shape not in ("csv", "tsv"):
        return True
    header, row = ([line for line in start.lines if line.strip()] + [""])[:2]
    sign = separator_of(start.lines)
    if header.count('"') % 2 or "spans:" in header or ".users" in header:
        return True  # the header goes on, or its names say so
    called = map(plain, cells_of(header, sign))
    cells = (cell.strip()[:1] for cell in row.replace('"', "").split(sign or None))
    return any(name in _OF_SPANS for name in called) or any(cell in "[{(`" for cell in cells)
