"""Reader of WebAnno TSV 3: a token a line, with a column for each feature of each layer.

A cell may stack annotations of the token, with ``|`` between them. A number in brackets identifies
an annotation of several tokens. A relation is in the row of one end, and refers to its *governor*,
the other end, by token and number.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from spanagree.corpus.offset_units import convert_to_code_points
from spanagree.errors import InputError, invalid_value, pluralize, quote_value
from spanagree.formats.file_head import FileHead
from spanagree.formats.inception.pages import (
    Arc,
    CasDocument,
    LayerAnnotations,
    Mark,
    shorten_layer,
)
from spanagree.formats.inception.sentences import Sentences
from spanagree.limits import check_expansion

_FORMAT = re.compile(r"#FORMAT=WebAnno TSV 3(\.\d+)?\s*$")
_OLD = re.compile(r"#FORMAT=WebAnno TSV|\s*# *[\w.]+\.[\w.]+ *\||#id=\d+$")  # versions 1 and 2
_ROW = re.compile(r"(\d+-\d+(?:\.\d+)?)\t(\d{1,15})-(\d{1,15})\t([^\t]*)(?:\t|$)")
_VALUE = re.compile(r"((?:[^\\]|\\.)*?)(?:\[(\d+)\])?", re.DOTALL)
_LINK = re.compile(r"->(\d+-\d+)$")
_GOVERNOR = re.compile(r"([\d.-]+)(?:\[(\d+)_(\d+)\])?")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NOTHING = frozenset(("", "_"))  # cells without an annotation
_ESCAPED_IN_TEXT = re.compile(r"\\([tnrfb\\\x00-\x1f])|((?:\\u[0-9A-Fa-f]{4})+)")
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_ROLE = "ROLE_"


def looks_like_webanno_tsv(start: FileHead) -> bool:
    """Check whether a file begins as WebAnno TSV does, in any version."""
    first = start.lines[0] if start.lines else ""
    rows = any("\t" in line or line.startswith("#text=") for line in start.lines)
    return bool(_FORMAT.match(first) or (_OLD.match(first) and rows))


def read_tsv(lines: Iterable[str], location: str) -> CasDocument:
    """Read the document in lines.

    Offsets count UTF-16 units, as the tool writes them; if the tokens show that they count code
    points, as in files of other programs, they are read as code points.

    Raises:
        InputError: if a line is not in the format.
    """
    return _Reader(location).read_document(lines)


class _Reader:
    """Reader with the columns, the sentences so far, and their annotations."""

    def __init__(self, location: str) -> None:
        self.location = location
        self.sentences = Sentences(("UTF-16 units", "code points"), "#Text=")
        self.columns = 0
        self.spans: list[tuple[str, dict[int, str | None]]] = []  # layers: features by column
        # layers of relations: their name and columns, the last of which has the governors,
        # and the layer that these belong to
        self.arcs: list[tuple[str, range, str]] = []
        self.linked: list[tuple[str, str, str, str, str, str]] = []
        self.on_token: dict[tuple[str, str], int] = {}  # annotations without a number
        self.chains: list[int] = []
        self.layers: dict[str, LayerAnnotations] = {}
        self.numbered: dict[tuple[str, str], int] = {}  # annotations of several tokens
        self.links: set[tuple[int, str]] = set()
        self.n_skipped: Counter[str] = Counter()
        self.is_begun = False  # True after the header

    def read_document(self, lines: Iterable[str]) -> CasDocument:
        """Read the document from its lines; error messages name the line."""
        text: list[str] = []
        line_number = 0
        for line_number, raw_line in enumerate(lines, 1):
            line = raw_line.removesuffix("\n").removesuffix("\r")
            location = f"{self.location}:{line_number}"
            if line_number == 1:
                _check_version(line, location)
            elif line.startswith("#Text="):
                text.append(_ESCAPED_IN_TEXT.sub(_decode_escape, line[6:]))
            elif line.startswith(("#T_SP=", "#T_RL=", "#T_CH=")) and not self.is_begun:
                self._declare_layer(line[3:5], *line[6:].split("|"))
            elif line and not line.startswith("#"):
                match = _ROW.match(line)
                remainder = line[match.end() :] if match else ""
                cells = remainder.split("\t") if remainder else []
                if match is None or len(cells) < self.columns or not (text or self.is_begun):
                    expected = f"offsets, token and {pluralize(self.columns, 'column')} below a"
                    raise invalid_value(
                        f"{location}:", line, f"{expected} sentence (#Text=) are needed"
                    )
                if not _NOTHING.issuperset(cells[self.columns :]):
                    expected = (
                        f"the header declares {pluralize(self.columns, 'column')} behind a token"
                    )
                    raise invalid_value(f"{location}:", line, expected)
                token, begin, stop, word = match[1], int(match[2]), int(match[3]), match[4]
                if text:
                    self.is_begun = True
                    self.sentences.begin("\n".join(text), begin, word, location)
                    check_expansion(self.location, *self.sentences.sizes)
                    text = []
                self.sentences.check(begin, stop, word, location)
                self._annotate_token(cells, token, begin, stop, location)
        if not line_number:
            raise InputError(f"{self.location}: an empty file; WebAnno TSV 3 begins with #FORMAT=")
        self.n_skipped["chain link"] = len(self.links)
        arcs = tuple(
            Arc(self._find_annotation(layer, *first), self._find_annotation(layer, *second), label)
            for layer, label, *ends in self.linked
            for first, second in [(ends[:2], ends[2:])]
        )
        document_text, unit = self.sentences.text, self.sentences.unit
        for marks in self.layers.values() if not document_text.isascii() else ():
            offsets = np.array([marks.start, marks.end])
            points, _ = convert_to_code_points(offsets, document_text, unit)
            marks.start, marks.end = (array("q", column) for column in points.tolist())
        return CasDocument(
            document_text, self.layers, +self.n_skipped, is_whole=False, relations=arcs
        )

    def _find_annotation(self, layer: str, token: str, annotation_number: str) -> Mark | None:
        """Find the annotation that a relation ends at, by its number, else by its token."""
        index = self.numbered.get((layer, annotation_number))
        if index is None:
            index = self.on_token.get((layer, token))
        return None if index is None else (layer, index)

    def _declare_layer(self, layer_kind: str, layer: str, *fields: str) -> None:
        """Add the columns of a layer in the header; a layer without features has a column too.

        ``layer_kind`` is RL for relations, CH for chains, and SP for spans.
        """
        columns = range(self.columns, self.columns + max(len(fields), 1))
        self.columns = columns.stop
        if layer_kind == "RL":
            self.arcs.append((layer, columns, fields[-1].removeprefix("BT_") if fields else ""))
        elif layer_kind == "CH":
            self.chains += columns
        else:
            names: dict[int, str | None] = dict(zip(columns, fields or ("",), strict=True))
            for column in [
                column for column, name in names.items() if name and name.startswith(_ROLE)
            ]:
                if column + 1 in names:
                    names[column + 1] = (
                        None  # column of the targets, with numbers of other annotations
                    )
            self.spans.append((layer, names))
            features = (name for name in names.values() if name and not name.startswith(_ROLE))
            self.layers[layer] = LayerAnnotations(values={name: [] for name in features})

    def _annotate_token(
        self, cells: list[str], token: str, start: int, end: int, location: str
    ) -> None:
        """Add the annotations of a token, or extend annotations that began at an earlier token.

        ``token`` is the number of the token in the file, such as 1-2; ``start`` and ``end`` are its
        offsets.
        """
        for layer, columns in self.spans:
            filled_cells = [
                (name, cells[column]) for column, name in columns.items() if cells[column] != "_"
            ]
            if not any("|" in cell for _, cell in filled_cells):
                if filled_cells:
                    self._add_annotation(layer, dict(filled_cells), token, start, end, location)
                continue
            stacks = [(name, _split_cell(cell, "|")) for name, cell in filled_cells]
            for level in range(max((len(stack) for _, stack in stacks), default=0)):
                cells_of_level = {
                    name: stack[level] for name, stack in stacks if level < len(stack)
                }
                self._add_annotation(layer, cells_of_level, token, start, end, location)
        for layer_name, columns_of_layer, linked in self.arcs:
            if cells[columns_of_layer[-1]] == "_":
                continue
            *features, governors = (_split_cell(cells[column], "|") for column in columns_of_layer)
            for level, governor in enumerate(governors):
                match = _GOVERNOR.match(governor)
                values = (stack[level] for stack in features if level < len(stack))
                label = next(
                    (value for value in values if value not in ("_", "*")),
                    shorten_layer(layer_name),
                )
                label = _ESCAPED.sub(_decode_escape, label.partition("[")[0])
                first_token, first_number, own_number = match.groups("") if match else ("", "", "")
                self.linked.append((linked, label, first_token, first_number, token, own_number))
        for column in self.chains:
            matches = map(_LINK.search, _split_cell(cells[column], "|"))
            self.links |= {(column, match[1]) for match in matches if match}

    def _add_annotation(
        self,
        layer: str,
        cells: Mapping[str | None, str],
        token: str,
        start: int,
        end: int,
        location: str,
    ) -> None:
        """Add an annotation from its cells, by feature, or extend it if its number is known."""
        values: dict[str, str | None] = {}
        fillers, number_key = 0, ""
        for name, cell in cells.items():
            if name is None:
                continue
            text, annotation_number = cell, None
            if "\\" in cell or cell.endswith("]"):
                match = _VALUE.fullmatch(cell)
                if match is None:
                    expected = "a backslash stands before what it escapes"
                    raise invalid_value(f"{location}: value", cell, expected)
                text, annotation_number = match[1], match[2]
            value = None if text in ("_", "*") else text
            if name.startswith(_ROLE):
                fillers += len(_split_cell(value, ";")) if value is not None else 0
            elif name:
                values[name] = value and _ESCAPED.sub(_decode_escape, value)
            number_key = number_key or annotation_number or ""
        marks = self.layers[layer]
        index = self.numbered.get((layer, number_key)) if number_key else None
        if index is None:
            if number_key:
                self.numbered[layer, number_key] = len(marks.start)
            elif any(linked == layer for *_, linked in self.arcs):  # only relations need it
                self.on_token[layer, token] = len(marks.start)
            self.n_skipped["slot filler"] += fillers
            marks.add_annotation(start, end, values)
            return
        for name, value in values.items():
            if marks.values[name][index] != value:
                raise InputError(
                    f"{location}: annotation [{number_key}] has {name} {quote_value(value)}, and"
                    f" {quote_value(marks.values[name][index])} before; a number stands for one"
                    " annotation"
                )
        marks.start[index] = min(marks.start[index], start)
        marks.end[index] = max(marks.end[index], end)


def _check_version(line: str, location: str) -> None:
    """Check that a file begins as version 3 does."""
    if _FORMAT.match(line):
        return
    if _OLD.match(line):
        raise InputError(
            f"{location}: WebAnno TSV of version 1 or 2, whose offsets and numbers are not in the"
            " file; export as WebAnno TSV 3 (import it into INCEpTION, which reads all versions)"
        )
    raise invalid_value(
        f"{location}:", line, "WebAnno TSV 3 begins with a line like #FORMAT=WebAnno TSV 3.3"
    )


def _split_cell(cell: str, separator: str) -> list[str]:
    """Split a cell at the separators that are not escaped by a backslash."""
    if "\\" not in cell:
        return cell.split(separator)
    pieces = re.split(rf"(?<!\\){re.escape(separator)}", cell.replace("\\\\", "\0"))
    return [piece.replace("\0", "\\\\") for piece in pieces]


def _decode_escape(match: re.Match[str]) -> str:
    """Decode an escape sequence to its character."""
    sign = match[1]
    if sign is None:  # \\u and four digits, before version 3.2
        units = bytes.fromhex(match[2].replace("\\u", ""))
        return units.decode("utf-16-be", "replace")
    return _CONTROLS.get(sign, sign)
