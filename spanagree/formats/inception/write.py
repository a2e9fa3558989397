"""Writer of WebAnno TSV 3.3, which INCEpTION imports with its annotations."""

from __future__ import annotations

import io
import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Segment
from spanagree.errors import InputError, SettingError, pluralize, quote_value
from spanagree.files import PathName, write_bytes

_HEAD = (
    "#FORMAT=WebAnno TSV 3.3",
    "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value",
)
_LETTERS = {"\t": "t", "\n": "n", "\r": "r", "\f": "f", "\b": "b"}
_IN_VALUE = re.compile(r"[\\\[\]|_;*\t\n]|->")
_IN_TEXT = re.compile(r"[\x00-\x0a\x0c-\x1f\\]")
_NAME = re.compile(r"[^\\/:\x00-\x1f.][^\\/:\x00-\x1f]*")


def write_webanno_tsv(corpus: Corpus, path: PathName) -> None:
    """Write a corpus as WebAnno TSV.

    If the name of the path ends with .zip, a project with a TSV file for each document and
    annotator is written; otherwise a single TSV file, for a corpus with one document and one
    annotator. Labels become values of the layer NamedEntity, which every project has. Texts are
    split into tokens at white space, and into sentences at line breaks. White space at the
    beginning of a text is written as blanks.

    Raises:
        SettingError: if there are several documents or annotators and the file is not a .zip; if
            the texts are unknown.
        InputError: if a segment has white space at an edge, a text has only white space, or a name
            is not allowed for files; if the path cannot be written.
    """
    corpus = corpus.to_characters()
    corpus.known("texts", "WebAnno TSV")
    if Path(path).suffix.lower() == ".zip":
        write_bytes(path, _build_project(corpus))
        return
    if len(corpus) != 1 or len(corpus.layers) != 1:
        raise SettingError(
            f"a WebAnno TSV file holds one document of one annotator; there are"
            f" {pluralize(len(corpus), 'document')} and"
            f" {pluralize(len(corpus.layers), 'annotator')}:"
            " write a .zip, which holds a file for each"
        )
    (segments,) = corpus[0].segments.values()
    write_bytes(path, _format_document(corpus[0].text or "", segments or (), corpus.id_of(0)))


def describe_webanno_changes(corpus: Corpus) -> list[str]:
    """Describe how WebAnno TSV differs from a corpus, one sentence for each difference."""
    texts = corpus.to_characters().known("texts", "WebAnno TSV")
    beginnings = (text[: len(text) - len(text.lstrip())] for text in texts)
    n_changed = sum(bool(white_space.strip(" ")) for white_space in beginnings)
    if not n_changed:
        return []
    return [
        f"{pluralize(n_changed, 'text')} written with blanks for the white space at its beginning"
    ]


def _build_project(corpus: Corpus) -> bytes:
    """Build a zip with a file for each document and annotator, and a description."""
    names = [*corpus.annotators]
    for i in range(len(corpus)):
        names += corpus.id_of(i).split("/")
    for name in names:
        if not _NAME.fullmatch(name) or name.startswith("INITIAL_CAS"):
            raise InputError(
                f"{quote_value(name)} cannot be the name of a file in a .zip; give it another"
            )
    files: dict[str, bytes] = {}
    records = []
    for document in corpus:
        folder, text = f"annotation/{document.id}", document.text or ""
        for annotator, segments in document.segments.items():
            state = "NEW" if segments is None else "FINISHED"
            records.append({"name": document.id, "user": annotator, "state": state})
            if segments is not None:
                files[f"{folder}/{annotator}.tsv"] = _format_document(text, segments, document.id)
        if all(segments is None for segments in document.segments.values()):
            files[f"{folder}/INITIAL_CAS.tsv"] = _format_document(text, (), document.id)
    sources = [{"name": corpus.id_of(i), "state": "NEW"} for i in range(len(corpus))]
    description = {"source_documents": sources, "annotation_documents": records}
    files["exportedproject.json"] = json.dumps(description, indent=1).encode()
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, data in files.items():  # dated 1980, so that equal corpora have equal bytes
            archive.writestr(ZipInfo(name), data, ZIP_DEFLATED)
    return buffer.getvalue()


def _format_document(text: str, segments: Sequence[Segment], id_: str) -> bytes:
    """Write a document with the segments of an annotator."""
    tokens = [match.span() for match in re.finditer(r"\S+", text)]
    if text and not tokens:
        raise InputError(
            f"document {quote_value(id_)}: white space only, in which there is no token for"
            " WebAnno TSV; leave it out"
        )
    units = [0, *accumulate(1 + (character > "\uffff") for character in text)]
    rows = _build_rows(text, tokens, segments, id_)
    breaks = [i for i in range(1, len(tokens)) if "\n" in text[tokens[i - 1][1] : tokens[i][0]]]
    lines = [*_HEAD, ""]
    for sentence_number, (first_token, next_first) in enumerate(
        pairwise([0, *breaks, len(tokens)]), 1
    ):
        end = tokens[next_first][0] if next_first < len(tokens) else len(text)
        sentence = text[tokens[first_token][0] : end] if tokens else ""
        lines += [
            "",
            *(f"#Text={_IN_TEXT.sub(_escape_by_backslash, line)}" for line in sentence.split("\n")),
        ]
        for i in range(first_token, next_first):
            for part_index, ((start, stop), cell) in enumerate(rows[i].items()):
                token_id = f"{sentence_number}-{i - first_token + 1}" + f".{part_index}" * bool(
                    part_index
                )
                offsets = f"{units[start]}-{units[stop]}"
                lines.append(f"{token_id}\t{offsets}\t{text[start:stop]}\t{cell}\t")
    try:
        return "\n".join([*lines, ""]).encode()
    except UnicodeEncodeError:
        raise InputError(
            f"document {quote_value(id_)}: half a surrogate pair, which UTF-8 does not have;"
            " correct it"
        ) from None


def _build_rows(
    text: str, tokens: Sequence[tuple[int, int]], segments: Sequence[Segment], id_: str
) -> list[dict[tuple[int, int], str]]:
    """Build the rows of each token: its own, and one for each part that a segment covers.

    The rows of a token are cells by start and end.
    """
    starts, ends = [start for start, _ in tokens], [end for _, end in tokens]
    rows: list[dict[tuple[int, int], list[int]]] = [{token: []} for token in tokens]
    for segment_index, (start, end, label) in enumerate(segments):
        if (text[start] + text[end - 1]).split() != [text[start] + text[end - 1]]:
            raise InputError(
                f"document {quote_value(id_)}: segment {start}–{end} {quote_value(label)} has"
                " white space at an"
                " edge, which WebAnno TSV cannot hold; --repair strip-space takes it away"
            )
        for i in range(bisect_right(ends, start), bisect_left(starts, end)):
            fragment = max(start, starts[i]), min(end, ends[i])
            rows[i].setdefault(fragment, []).append(segment_index)
    indices_of_rows = [indices for row in rows for indices in row.values()]
    n_rows_of_segment = Counter(chain.from_iterable(indices_of_rows))
    stacked = {
        segment_index
        for indices in indices_of_rows
        if len(indices) > 1
        for segment_index in indices
    }

    def format_cell(segment_index: int) -> str:
        """Format the label of a segment, numbered if it has several rows or shares a token."""
        value = _IN_VALUE.sub(_escape_by_backslash, segments[segment_index].label)
        return (
            f"{value}[{segment_index + 1}]"
            if n_rows_of_segment[segment_index] > 1 or segment_index in stacked
            else value
        )

    return [
        {
            fragment: "|".join(map(format_cell, row[fragment])) or "_"
            for fragment in [token, *sorted(row.keys() - {token})]
        }
        for token, row in zip(tokens, rows, strict=True)
    ]


def _escape_by_backslash(match: re.Match[str]) -> str:
    """Escape a character with a backslash, as a letter if it has one."""
    return "\\" + _LETTERS.get(match[0], match[0])
