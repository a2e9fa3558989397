"""Rules of places from a column of the tokens, in the first file that is read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spanagree.chance.place_rules import PlaceRule, build_both_ends_rule, build_end_value_rule
from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError, SettingError, escape_path, join_names, pluralize
from spanagree.files import PathName
from spanagree.formats.conll.read import read_column_values


@dataclass(frozen=True)
class ColumnPlaces:
    """Rule of a column of the tokens.

    Attributes:
        column: name or number of the column.
        values: values that both end tokens of a site have. If empty, every pair of values of the
            end tokens is a kind.
        path: file with the column; ``None`` if unknown.
        unit: document unit for reading the file.
        encoding: encoding of the file.
    """

    column: str
    values: tuple[str, ...]
    path: PathName | None = None
    unit: str = "sentence"
    encoding: str = "utf-8"

    def __call__(self, corpus: Corpus) -> PlaceRule:
        """Apply the rule to the corpus of the file.

        Raises:
            SettingError: if the file is unknown, or the column or a value is missing.
            InputError: if the file has other tokens than the corpus.
        """
        rule_name = f"places column:{self.column}"
        if self.path is None:
            raise SettingError(
                f"{rule_name}: the file that has the column is not known here; in Python give a"
                ' list with {"name": "ends", "value": […]} for each document'
            )
        if corpus.offsets != "tokens":
            raise SettingError(f"{rule_name}: offsets count characters; a column is one of tokens")
        file_name = escape_path(self.path)
        ids, values = read_column_values(self.path, self.column, self.unit, self.encoding)
        token_values = [value for sentence_values in values for value in sentence_values]
        if ids is None:  # the numbering of Corpus.with_ids
            ids = tuple(str(document_number) for document_number in range(1, len(values) + 1))
        if corpus.ids is not None and set(corpus.ids) <= set(ids):
            values_by_id = dict(zip(ids, values, strict=True))
            token_values = [value for id_ in corpus.ids for value in values_by_id[id_]]
        if len(token_values) != int(corpus.lengths.sum()):
            raise InputError(
                f"{rule_name}: {file_name} has {pluralize(len(token_values), 'token')}, the corpus"
                f" {int(corpus.lengths.sum())}; the file that is read first has to have the column"
            )
        if not self.values:
            code_by_value = {value: i for i, value in enumerate(dict.fromkeys(token_values))}
            return build_end_value_rule(
                corpus.lengths, np.array([code_by_value[value] for value in token_values], np.int64)
            )
        if unknown := set(self.values) - set(token_values):
            raise SettingError(
                f"{rule_name}: no token has {join_names(sorted(unknown))}; known are"
                f" {join_names(sorted(set(token_values)))}"
            )
        has_value = np.array([value in self.values for value in token_values], np.bool_)
        return build_both_ends_rule(corpus.lengths, has_value)
