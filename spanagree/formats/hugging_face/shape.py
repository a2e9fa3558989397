"""Columns of a dataset by their use, as named or guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanagree.corpus.raw import check_absent
from spanagree.corpus.tag_columns import TagOptions
from spanagree.errors import SettingError, quote_value
from spanagree.formats.hugging_face.columns import get_cell, parse_integer, parse_words
from spanagree.formats.hugging_face.guess import NAMELESS
from spanagree.formats.joined_texts import OF_STRINGS
from spanagree.formats.usual_names import simplify_name
from spanagree.settings import build_reading_settings

COLUMNS = ("tokens", "text", "tags", "spans", "annotator", "document")
"""Options that name columns."""

SUBMITTED = ("annotation_id", "lead_time")
"""Columns of Label Studio's tables; the first has a value in each row, a submitted annotation."""


@dataclass(frozen=True)
class ColumnMapping(TagOptions):
    """Columns by their use; see :func:`spanagree.formats.from_dataset` for the others.

    Attributes:
        length: column of the lengths of documents, if there are no texts.
        label: column of the label, in a table with a row for each marked copy of a text.
        labels: column of the list of labels beside the spans in a column, by that column.
        quote: column of the text that a span covers, in a table with a row for each span.
        ends: meaning of the end of a span, one of :data:`spanagree.corpus.raw.ENDS`.
        scores: True to read the score of a span as an attribute.
        file: printable name of the file of the rows, if any.
        strings: True if quotes are in no text and compared as strings.
        by_label: True if a cell has quotes under their labels, not spans under annotators.
        by_span: True if spans of one column name their annotators.
        is_own: True if this package wrote the rows; their columns are no choice of the user.
        answer: column that says of each row whether its annotator accepted it, as in Prodigy.
        when: column of the time of the annotation in a row.
    """

    tokens: str | None = None
    text: str | None = None
    tags: Mapping[str, str] | None = None
    spans: Mapping[str, str] | str | None = None
    annotator: str | None = None
    document: str | None = None
    label_names: Sequence[str] | Mapping[str, Sequence[str]] | None = None
    split: str | None = None
    length: str | None = None
    label: str | None = None
    labels: Mapping[str, str] | None = None
    quote: str | None = None
    ends: str | None = None
    absent: str | None = None
    align: bool = False
    scores: bool = False
    strings: bool = False
    file: str | None = None
    by_label: bool = False
    by_span: bool = False
    is_own: bool = False
    answer: str | None = None
    when: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        tags, spans, annotator = self.tags, self.spans, self.annotator
        content = self.strings or any(
            column is not None for column in (self.text, self.tokens, self.length)
        )
        is_wrong_by_problem = {
            f"tags {quote_value(tags)}; annotator to column is needed, as {{'gold': 'tags'}}": (
                tags is not None and not isinstance(tags, Mapping)
            ),
            f"spans {quote_value(spans)}; annotator to column, or one column, is needed": (
                spans is not None and not isinstance(spans, (str, Mapping))
            ),
            "tags go with tokens, and with neither spans nor annotator; those of several annotators"
            " are in a column each": tags is not None
            and (spans is not None or self.tokens is None or annotator is not None),
            "neither tags nor spans; one of them says where the annotations are; where each row is"
            " a token, --document (document=) names the column of its sentence; labels without a"
            " prefix are tags by --tags NAME=COLUMN --scheme IO (tags=, scheme=)": tags is None
            and spans is None,
            "neither text nor tokens; spans need the column that they are offsets in, or one of the"
            " documents' lengths (--text, --tokens or a column length); or name the file that has"
            f" the texts by id beside this one; {OF_STRINGS}": not content,
            "strings are in lists, one for each document; tags and spans with a row each have"
            " places: leave strings out": self.strings and (tags is not None or self.is_table),
            "the long form has one column of spans and one of annotators; name both, or give spans"
            " as annotator to column": annotator is not None and not isinstance(spans, str),
            "the long form needs document: the column that says which rows are one (--document,"
            " document=)": (self.document is None and (annotator is not None or self.is_table)),
        }
        for problem in (problem for problem, is_wrong in is_wrong_by_problem.items() if is_wrong):
            raise SettingError(f"{self.file}: {problem}" if self.file else problem)
        check_absent(self.absent)
        further_columns = [self.tokens, self.text, self.annotator, self.document, self.length]
        further_columns += [self.label, self.quote]
        for column in (*self.layers.values(), *further_columns):
            if column is not None and not isinstance(column, str):
                raise SettingError(f"column {quote_value(column)}; the name of a column is needed")

    @property
    def reading_settings(self) -> dict[str, Any]:
        """Settings of reading, for the signature."""
        further = ("length", "label", "labels", "quote", "label_names")
        columns = () if self.is_own else (*COLUMNS, *further)
        names = (*columns, "split", "ends", "absent", "align")
        settings = {name: getattr(self, name) for name in names}
        strings_setting = {"strings": True} if self.strings else {}
        return {
            **strings_setting,
            **build_reading_settings(**settings, outside=self.outside or None),
        }

    @property
    def is_table(self) -> bool:
        """Whether each row is a span."""
        return isinstance(self.spans, str) and "," in self.spans

    @property
    def layers(self) -> dict[str, str]:
        """Column of tags or spans of each layer; in a file, ``""`` is a layer without a name."""
        layers = (
            {self.spans: self.spans} if isinstance(self.spans, str) else self.tags or self.spans
        )
        columns = list((layers or {}).values())
        if self.file is not None and len(columns) == 1 and self.has_no_annotator_name(columns[0]):
            return {"": columns[0]}
        return dict(layers or {})

    def has_no_annotator_name(self, column: str) -> bool:
        """Check whether the name of a column is not that of an annotator."""
        is_only_column = isinstance(self.spans, str) or {*(self.tags or self.spans or {})} == {
            column
        }
        return is_only_column and (
            simplify_name(column.rpartition(".")[2]) in NAMELESS or self.is_table
        )

    @property
    def columns(self) -> list[str]:
        """Columns that each row needs."""
        layers = str(self.spans).split(",") if self.is_table else self.layers.values()
        content_columns = () if self.strings else (self.tokens, self.text, self.length)
        further_columns = (*content_columns, self.annotator, self.document)
        return list(dict.fromkeys([*layers, *(column for column in further_columns if column)]))

    @property
    def optional_columns(self) -> list[str]:
        """Columns with further information, if they exist."""
        users = (
            f"{column}.{key}" for column in self.layers.values() for key in ("users", "status")
        )
        submitted = () if self.annotator is None else SUBMITTED
        further = (self.label, *(self.labels or {}).values(), self.quote, self.answer, self.when)
        columns = (column for column in further if column)
        return [*users, *submitted, *columns]

    def get_content(self, row: Mapping[str, Any], *, flat: bool) -> dict[str, Any]:
        """Return the text, the tokens or the length of a row, which offsets refer to.

        Args:
            row: the row.
            flat: True if all entries are text, so that lists have to be parsed.
        """
        if self.strings:
            return {"length": 0}
        if self.length is not None:
            return {"length": parse_integer(get_cell(row, self.length))}
        key = "text" if self.text is not None else "tokens"
        cell = get_cell(row, str(self.text or self.tokens))
        if flat:
            cell = cell or "" if key == "text" else parse_words(cell)
        return {key: cell}
