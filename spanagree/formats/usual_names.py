"""The names that other tools give to columns, and to what makes a span."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from spanagree.corpus.tags import is_tag
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
        "category", "entity", "labels", "errorcategory", "errortype",
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
        "instanceid", "itemid", "sentenceid", "commentid", "customid", "id", "uid", "segid",
        "segmentid",
    ),
    "annotator": tuple(name for name in USUAL["annotator"] if name != "userid"),
    "system": ("model", "modelname", "system", "systemname", "llm"),
    "text": (
        "text", "content", "fulltext", "documenttext", "sentencetext", "modeloutputtext", "output",
        "response", "target", "sentence", "commenttext", "comment", "body",
    ),
    "tokens": ("tokens", "words", "token", "word"),
    "tags": ("tags", "nertags", "ner", "bio", "iob"),
    "length": ("length", "textlength", "documentlength", "nchars"),
    "spans": (
        "spans", "annotations", "entities", "ents", "label", "labels", "annotation", "highlights",
    ),
}  # fmt: skip
"""The usual names of columns, as :func:`plain` gives them."""

TIMES: Mapping[str, tuple[str, ...]] = {
    "start": (
        "onset", "start", "begin", "starttime", "begintime", "timestart", "segmentonset",
        "tmin", "xmin", "startseconds", "starts", "from",
    ),
    "end": (
        "offset", "end", "stop", "endtime", "stoptime", "timeend", "segmentoffset", "finish",
        "tmax", "xmax", "endseconds", "stopseconds", "to",
    ),
    "duration": ("duration", "dur", "segmentduration"),
    "label": (
        "label", "eventlabel", "event", "behavior", "behaviour", "code", "category", "class",
        "speakertype", "species", "annotation", "calltype", "type", "tag", "value", "text",
        "transcription", "speaker", "name",
    ),
    "document": (
        "filename", "file", "recording", "recordingfilename", "document", "audiofilename", "audio",
        "video", "observationid", "observation", "beginfile",
    ),
    "annotator": (*USUAL["annotator"][:-1], "observer"),
    "tier": ("tier", "tiername"),
    "subject": ("subject",),
}  # fmt: skip
"""The usual names of columns of recordings, in small letters, without signs and units."""

ATTRIBUTES = USUAL["label"]
"""The usual names of an attribute of a tag that has the label."""

SENTENCE_NAMES = (
    "sentence", "sentenceid", "sentenceidx", "sentidx", "sentid", "sentencenumber", "sent",
)  # fmt: skip
"""The usual names of a column that says in which sentence a token is, as :func:`plain`."""

NUMBER_NAMES = ("id", "idx", "index", "number")
"""The usual names of a column that counts the tokens of a sentence."""

ID_NAMES = ("id", "uid", *COLUMNS["document"], "key")
"""The usual names of the id of a record in a file of texts."""

ANSWERS = ("label", "answer", "rating", "category", "class", "code", "judgment", "judgement")
"""The usual names of a column with an answer on an item, which is no span."""

TOKEN_NAMES = (*COLUMNS["tokens"], "form")
"""The usual names of a column with a token in each row."""

MAYBE_ANNOTATORS = frozenset((
    "userid", "user", "username", "author", "creator", "createdby", "email", "run", "team",
    "expert", "submission", "participant", "who", "method",
))  # fmt: skip
"""Names of columns that have annotators, or who wrote the text."""

_OF_SPANS = frozenset((*COLUMNS["tokens"], *USUAL["start"]))
_KNOWN = MAYBE_ANNOTATORS.union(*USUAL.values(), *COLUMNS.values())
_NAME = re.compile(r"[#_]?[^\W\d_][\w .:/#()\[\]-]{0,60}")

MARKED = re.compile(r"@@[^@#\n]+##|<([A-Za-z][\w-]*)(\s[^<>\n]*)?>[^<>\n]+</\1>")
"""A part of a line that is marked: between tags, or as GPT-NER's prompts ask for it."""


def plain(name: object) -> str:
    """Return a name as it is compared: in lower case, without other signs than letters.

    What is no string, such as a number as a key, has no letters.

    >>> plain("start_offset"), plain("Sentence #")
    ('startoffset', 'sentence')
    """
    return re.sub(r"[^a-z]", "", name.lower()) if isinstance(name, str) else ""


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
    if any(name in _OF_SPANS for name in called) or any(cell in "[{(`" for cell in cells):
        return True
    return any(MARKED.search(line) for line in start.lines)


def head_of_table(start: FileHead) -> list[str]:
    """Return the names of the columns in a first line that can be nothing but these; else none.

    All of them look like names, no two are equal, and two are usual; or one is, and numbers are
    below a name. A lone usual name of a text is one too.
    """
    lines = [line for line in start.lines if line.strip()]
    sign = separator_of(lines)
    cells = [cell.strip() for cell in cells_of(lines[0], sign)] if lines else []
    are_names = all(_NAME.fullmatch(cell) and not is_tag(cell) for cell in cells)
    if not are_names or len({*cells}) < len(cells):
        return []
    n_usual = sum(plain(cell) in _KNOWN for cell in cells)
    if len(cells) == 1:
        return cells if plain(cells[0]) in COLUMNS["text"] and len(lines) > 1 else []
    if start.shape not in ("csv", "tsv"):
        return []
    rows = [cells_of(line, sign) for line in lines[1:]]
    has_numbers = any(
        all(cell.strip().isdecimal() for cell in column) for column in zip(*rows, strict=False)
    )
    return cells if n_usual > 1 or (n_usual and has_numbers) else []
