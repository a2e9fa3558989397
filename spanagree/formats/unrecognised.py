"""What is said of a file that no reader knows: what was found in it, and what would read it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from spanagree.errors import InputError, listed, printable, show
from spanagree.formats.peek import Peek
from spanagree.formats.usual_names import COLUMNS, plain

_LOOKS: tuple[tuple[str, str, str], ...] = (  # how a file begins, what it is then, what to do
    (r"<(\w+:)?FoLiA\b", "FoLiA", "convert it to CoNLL or TEI with FoLiA's tools"),
    (r"<(\w+:)?paula\b", "PAULA", "convert it to CoNLL or WebAnno TSV"),
    (
        r"<corpus\b[^<>]*>(?:(?!<corpus\b)[\s\S])*<(s|body|head)\b",
        "TIGER-XML",
        "convert it to CoNLL",
    ),
    (
        r"<basic-transcription\b",
        "EXMARaLDA's transcription",
        "export its tiers as a table of spans",
    ),
    (r"<ANNOTATION_DOCUMENT\b", "ELAN's tiers", "export its tiers as a table of spans"),
    (r'File type = "ooTextFile"', "Praat's TextGrid", "export its tiers as a table of spans"),
    (
        r"<article\b(?:(?!<article\b)[\s\S])*<(front|body)\b",
        "an article in JATS",
        "it has text, and no annotations",
    ),
    (
        r"(?i)\A\s*(<!doctype html|<html\b)",
        "a web page",
        "export the annotations from the tool that shows it",
    ),
    (
        r"(?m)^SPEAKER \S+ \d+ [\d.]+ [\d.]+ ",
        "RTTM",
        "make a table of spans of it, with whole numbers",
    ),
    (r"(?m)^S .+\nA -?\d+ -?\d+\|\|\|", "M2, edits of sentences", "make a table of spans of it"),
    (
        r'(?s)"images".*"annotations".*"bbox"|"bbox".*"category_id"',
        "COCO, boxes in images",
        "only text is read",
    ),
    (
        r"(?m)^@prefix \S*: <|^<https?:[^>]+> <https?:",
        "RDF, as NIF has it",
        "convert it to CoNLL or JSON",
    ),
    (r"\A\{\\rtf", "rich text", "save it as plain text"),
)
_NAMED = "--text C --spans C, --tokens C --tags gold=C,mine=C, or --from FORMAT"
_LABELS = ("label", "answer", "rating", "category", "class", "code", "judgment", "judgement")


def header_of(start: Peek) -> list[str]:
    """Return the names of the columns of a table in text."""
    first = start.lines[0] if start.shape in ("csv", "tsv") and start.lines else ""
    sign = "\t" if "\t" in first else "," if "," in first else ";"
    return [name.strip().strip('"') for name in first.split(sign)]


def is_of_labels(names: Iterable[str]) -> bool:
    """Return whether columns are those of a table with a label of an item in each row."""
    known = {plain(name) for name in names}
    return not known.isdisjoint(COLUMNS["annotator"]) and not known.isdisjoint(_LABELS)


def looks_like(start: Peek) -> tuple[str, str] | None:
    """Return what a file seems to be that no format is, and what to do with it."""
    text = "\n".join(start.lines)
    seen = (each[1:] for each in _LOOKS if re.search(each[0], text))
    return next(seen, None)


def unrecognised(start: Peek, formats: Iterable[str]) -> InputError:
    """Return the error for a file whose beginning no format knows."""
    name = printable(start.path)
    if looks := looks_like(start):
        return InputError(f"{name}: this looks like {looks[0]}, which is not read; {looks[1]}")
    if start.shape in ("csv", "tsv"):
        names = header_of(start)
        if is_of_labels(names):
            return InputError(
                f"{name}: a table of labels (columns {listed(names)}), and spans are needed here;"
                " spanagree coefficients and sa.read_labels read it"
            )
        what = f"a table of the columns {listed(names)}, in which no spans or tags were found"
        also = "; a table of labels is read by spanagree coefficients and sa.read_labels"
        return InputError(f"{name}: {what}; name its columns: {_NAMED}{also}")
    if start.shape in ("json", "jsonl"):
        keys = dict.fromkeys(key for record in start.objects for key in record)
        what = f"JSON with the keys {listed(keys)}, in which no spans or tags were found"
        return InputError(f"{name}: {what}; name its columns: {_NAMED} ({listed(formats)})")
    if start.shape == "zip":
        what = f"a zip of {listed(start.members) or 'nothing'}, of which no tool's export is known"
        return InputError(
            f"{name}: {what}; unpack it and name its files (of inception and doccano, --from reads"
            " zips)"
        )
    if start.shape == "folder":
        return InputError(
            f"{name}: a folder of {listed(start.members)}, and neither brat's nor a project of"
            " INCEpTION; name its files, or a pattern in quotes such as 'FOLDER/*.xmi'"
        )
    first = next((line for line in start.lines if line.strip()), "")
    return InputError(
        f"{name}: {start.shape} that no reader knows, beginning with {show(first)}; name its"
        f" format with --from ({listed(formats)})"
    )
