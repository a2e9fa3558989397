"""Rows of a token each, as data frames hold them: those of one sentence become one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from spanagree.errors import InputError, show
from spanagree.formats.hugging_face.columns import Rows
from spanagree.formats.usual_names import COLUMNS, plain


def token_column(names: list[str], row: Mapping[str, Any]) -> str | None:
    """Return the column of tokens of a row that is a token; ``None`` if it is not one."""
    for usual in COLUMNS["tokens"]:
        for name in names:
            if plain(name) == usual and isinstance(row[name], str):
                return name
    return None


def grouped_tokens(data: Any, document: str) -> Any:
    """Return a row for each run of rows of one document, with lists of tokens and tags.

    Data whose rows are not a token each, by the name of a column, are returned as they are, and so
    is what can be gone through only once.

    Raises:
        InputError: for a document whose rows do not follow each other.
    """
    first = None if isinstance(data, Iterator) else next(iter(data), None)
    if not isinstance(first, Mapping):
        return data
    names = [str(name) for name in first]
    token = token_column(names, first)
    if token is None or document not in first:
        return data
    others = [name for name in names if name not in (token, document)]
    rows, seen = [], set()
    for id_, some in groupby(data, key=lambda row: row.get(document)):
        if id_ in seen:
            raise InputError(
                f"document {show(id_)}: its rows do not follow each other; sort them by document"
            )
        seen.add(id_)
        lines = list(some)
        row: dict[str, Any] = {document: id_, token: [line.get(token) for line in lines]}
        rows.append(row | {name: [line.get(name) for line in lines] for name in others})
    return Rows(rows, getattr(data, "features", None))
