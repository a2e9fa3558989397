"""Usual names of columns and of the fields of spans in other tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from spanagree.corpus.tags import is_tag
from spanagree.formats.file_head import FileHead
from spanagree.tables import find_separator, split_cells

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
"""Usual names of the fields of a span, in lower case, letters only."""

_WITH_OFFSETS: Mapping[str, tuple[str, ...]] = {
    "label": (
        "labelname", "classname", "nerlabel", "nertag", "entitylabel", "tagname", "typename",
        "categoryname", "concept", "ner", "annotation", "code",
    ),
    "annotator": ("user", "username", "author", "creator", "createdby", "reviewer", "email"),
}  # fmt: skip
"""Further names of fields next to a start and an end; elsewhere they may be of something else."""

NAMES = ("entity", "name")
"""Further names of a quote by language models, next to a label without offsets."""

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
"""Usual names of columns, normalised by :func:`simplify_name`."""

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
"""Usual names of columns of recordings, in lower case, letters only, without units."""

ATTRIBUTES = USUAL["label"]
"""Usual names of the attribute of a tag that contains the label."""

SENTENCE_NAMES = (
    "sentence", "sentenceid", "sentenceidx", "sentidx", "sentid", "sentencenumber", "sent",
)  # fmt: skip
"""Usual names of a column with the sentence of each token, normalised by :func:`simplify_name`."""

NUMBER_NAMES = ("id", "idx", "index", "number")
"""Usual names of a column that numbers the tokens of a sentence."""

ID_NAMES = ("id", "uid", *COLUMNS["document"], "key")
"""Usual names of the id of a record in a file of texts."""

ANSWERS = ("label", "answer", "rating", "category", "class", "code", "judgment", "judgement")
"""Usual names of a column with an answer to an item, which is no span."""

TIMES_OF_ANSWERS = (
    "updatedat", "lastupdated", "modifiedat", "submittedat", "completedat", "annotatedat",
    "createdat", "timestamp",
)  # fmt: skip
"""Usual names of a column with the time of an annotation, normalised by :func:`simplify_name`."""

TOKEN_NAMES = (*COLUMNS["tokens"], "form")
"""Usual names of a column with a token in each row."""

MAYBE_ANNOTATORS = frozenset((
    "userid", "user", "username", "author", "creator", "createdby", "email", "run", "team",
    "expert", "submission", "participant", "who", "method", "reviewer", "completedby",
))  # fmt: skip
"""Names of columns with annotators, or authors of the text."""

_SPAN_COLUMNS = frozenset((*COLUMNS["tokens"], *USUAL["start"]))
_USUAL_NAMES = MAYBE_ANNOTATORS.union(*USUAL.values(), *COLUMNS.values())
_NAME = re.compile(r"[#_]?[^\W\d_][\w .:/#()\[\]-]{0,60}")

MARKED = re.compile(r"@@[^@#\n]+##|<([A-Za-z][\w-]*)(\s[^<>\n]*)?>[^<>\n]+</\1>")
"""Marked part of a line: between tags, or between the marks of GPT-NER's prompts."""


def simplify_name(name: object) -> str:
    """Normalise a name for comparisons: lower case, letters only.

    A value that is no string, such as a number as a key, has no letters.

    >>> simplify_name("start_offset"), simplify_name("Sentence #")
    ('startoffset', 'sentence')
    """
    return re.sub(r"[^a-z]", "", name.lower()) if isinstance(name, str) else ""


@lru_cache(maxsize=1000)
def find_span_keys(names: tuple[Any, ...]) -> dict[str, Any]:
    """Find the fields of a span, such as start and label, among the keys of an object.

    The result has the key by field.

    >>> find_span_keys(("type", "entity")), find_span_keys(("start", "end", "entity"))
    ({'label': 'type', 'text': 'entity'}, {'start': 'start', 'end': 'end', 'label': 'entity'})
    """
    name_by_plain: dict[str, Any] = {}
    for name in names:
        name_by_plain.setdefault(simplify_name(name), name)
    usual_names_by_field = {
        field: [name for name in usual if name in name_by_plain] for field, usual in USUAL.items()
    }
    keys = {
        field: name_by_plain[usual[0]] for field, usual in usual_names_by_field.items() if usual
    }
    for field, further_names in _WITH_OFFSETS.items() if {"start", "end"} <= keys.keys() else ():
        for name in (name for name in further_names if name in name_by_plain):
            keys.setdefault(field, name_by_plain[name])
    if "label" in keys and not keys.keys() & {"start", "text"}:
        for name in (name_by_plain[name] for name in NAMES if name in name_by_plain):
            if name != keys["label"]:
                keys.setdefault("text", name)
    return keys


def may_have_spans(start: FileHead) -> bool:
    """Check quickly whether columns of a table may contain spans or tags; JSON always may.

    A table may if its header has usual names, or if the first cell of a column is blank or begins
    like a list.
    """
    if start.shape not in ("csv", "tsv"):
        return True
    header, row = ([line for line in start.lines if line.strip()] + [""])[:2]
    separator = find_separator(start.lines)
    if header.count('"') % 2 or "spans:" in header or ".users" in header:
        return True  # the header continues, or its names are of spans
    plain_names = map(simplify_name, split_cells(header, separator))
    cells = (cell.strip()[:1] for cell in row.replace('"', "").split(separator or None))
    if any(name in _SPAN_COLUMNS for name in plain_names) or any(cell in "[{(`" for cell in cells):
        return True
    return any(MARKED.search(line) for line in start.lines)


def split_certain_header(start: FileHead) -> list[str]:
    """Split a first line into names of columns, if it can only be a header.

    All cells look like names, no two are equal, and two are usual names; or one is, and numbers are
    below a name. A single usual name of a text is a header too. The result is empty for other
    lines.
    """
    lines = [line for line in start.lines if line.strip()]
    separator = find_separator(lines)
    cells = [cell.strip() for cell in split_cells(lines[0], separator)] if lines else []
    are_names = all(_NAME.fullmatch(cell) and not is_tag(cell) for cell in cells)
    if not are_names or len({*cells}) < len(cells):
        return []
    n_usual = sum(simplify_name(cell) in _USUAL_NAMES for cell in cells)
    if len(cells) == 1:
        return cells if simplify_name(cells[0]) in COLUMNS["text"] and len(lines) > 1 else []
    if start.shape not in ("csv", "tsv"):
        return []
    rows = [split_cells(line, separator) for line in lines[1:]]
    has_numbers = any(
        all(cell.strip().isdecimal() for cell in column) for column in zip(*rows, strict=False)
    )
    return cells if n_usual > 1 or (n_usual and has_numbers) else []
