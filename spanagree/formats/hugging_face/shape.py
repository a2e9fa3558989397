"""Which columns of a dataset hold what, as they were named or guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanagree.corpus.raw import check_absent
from spanagree.corpus.tag_columns import TagOptions
from spanagree.errors import SettingError, quote_value
from spanagree.formats.hugging_face.columns import cell_of, number_in, words_in
from spanagree.formats.hugging_face.guess import NAMELESS
from spanagree.formats.joined_texts import OF_STRINGS
from spanagree.formats.usual_names import plain
from spanagree.settings import reading_settings

COLUMNS = ("tokens", "text", "tags", "spans", "annotator", "document")
"""The options that name columns."""


@dataclass(frozen=True)
class ColumnMapping(TagOptions):
    """Which columns hold what; as in :func:`spanagree.formats.from_dataset`.

    Attributes:
        length: the column of documents' lengths, where there are no texts.
        label: of a table with a row for each marked copy of a text, the column of the label.
        quote: of a table with a row for each span, the column of the text that the span covers.
        ends: what the end of a span names, one of :data:`spanagree.corpus.raw.ENDS`.
        scores: whether the score of a span is read, as an attribute.
        file: the name of the file that the rows are from, if they are.
        strings: whether quotes are in no text, and are compared as strings.
        by_label: whether a cell has quotes under their labels, not spans under annotators.
        is_own: whether we wrote the rows, whose columns then were not chosen.
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
    quote: str | None = None
    ends: str | None = None
    absent: str | None = None
    align: bool = False
    scores: bool = False
    strings: bool = False
    file: str | None = None
    by_label: bool = False
    is_own: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        tags, spans, annotator = self.tags, self.spans, self.annotator
        content = self.strings or any(c is not None for c in (self.text, self.tokens, self.length))
        wrong = {
            f"tags {quote_value(tags)}; annotator to column is needed, as {{'gold': 'tags'}}": (
                tags is not None and not isinstance(tags, Mapping)
            ),
            f"spans {quote_value(spans)}; annotator to column, or one column, is needed": (
                spans is not None and not isinstance(spans, (str, Mapping))
            ),
            "tags go with tokens, and with neither spans nor annotator": tags is not None
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
            "the long form needs document: the column that says which rows are one": (
                self.document is None and (annotator is not None or self.is_table)
            ),
        }
        for problem in (problem for problem, case in wrong.items() if case):
            raise SettingError(f"{self.file}: {problem}" if self.file else problem)
        check_absent(self.absent)
        others = [self.tokens, self.text, self.annotator, self.document, self.length]
        others += [self.label, self.quote]
        for column in (*self.layers.values(), *others):
            if column is not None and not isinstance(column, str):
                raise SettingError(f"column {quote_value(column)}; the name of a column is needed")

    @property
    def chosen(self) -> dict[str, Any]:
        """What was read, for the signature."""
        columns = () if self.is_own else (*COLUMNS, "length", "label", "quote", "label_names")
        names = (*columns, "split", "ends", "absent", "align")
        chosen = {name: getattr(self, name) for name in names}
        made = {"strings": True} if self.strings else {}
        return {**made, **reading_settings(**chosen, outside=self.outside or None)}

    @property
    def is_table(self) -> bool:
        """Whether a row is a span."""
        return isinstance(self.spans, str) and "," in self.spans

    @property
    def layers(self) -> dict[str, str]:
        """The column of tags or spans by layer; of a file, one that names nobody by no name."""
        layers = (
            {self.spans: self.spans} if isinstance(self.spans, str) else self.tags or self.spans
        )
        columns = list((layers or {}).values())
        if self.file is not None and len(columns) == 1 and self.names_nobody(columns[0]):
            return {"": columns[0]}
        return dict(layers or {})

    def names_nobody(self, column: str) -> bool:
        """Return whether a column says nothing about whose annotations it holds."""
        alone = isinstance(self.spans, str) or {*(self.tags or self.spans or {})} == {column}
        return alone and (plain(column.rpartition(".")[2]) in NAMELESS or self.is_table)

    @property
    def columns(self) -> list[str]:
        """The columns that rows need to have."""
        layers = str(self.spans).split(",") if self.is_table else self.layers.values()
        of_text = () if self.strings else (self.tokens, self.text, self.length)
        others = (*of_text, self.annotator, self.document)
        return list(dict.fromkeys([*layers, *(column for column in others if column)]))

    @property
    def maybe(self) -> list[str]:
        """The columns that say more where there are any."""
        users = (f"{c}.{key}" for c in self.layers.values() for key in ("users", "status"))
        return [*users, *(column for column in (self.label, self.quote) if column)]

    def content(self, row: Mapping[str, Any], *, flat: bool) -> dict[str, Any]:
        """Return what offsets count in a row: its text, tokens or length."""
        if self.strings:
            return {"length": 0}
        if self.length is not None:
            return {"length": number_in(cell_of(row, self.length))}
        what = "text" if self.text is not None else "tokens"
        cell = cell_of(row, str(self.text or self.tokens))
        if flat:
            cell = cell or "" if what == "text" else words_in(cell)
        return {what: cell}
