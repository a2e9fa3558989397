"""Places by a column of the tokens, which is in the file that is read first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spanagree.chance.place_rules import PlaceRule, both_ends, ends_at
from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError, SettingError, counted, listed, printable_path
from spanagree.files import PathName
from spanagree.formats.conll.read import column_values


@dataclass(frozen=True)
class ColumnPlaces:
    """The rule of a column of the tokens: of its values, or whose sites have some of them.

    Attributes:
        column: its name or number.
        values: those that sites have at both end tokens; all are kinds if there are none.
        path: the file that has the column.
        unit, encoding: as it is read.
    """

    column: str
    values: tuple[str, ...]
    path: PathName | None = None
    unit: str = "sentence"
    encoding: str = "utf-8"

    def __call__(self, corpus: Corpus) -> PlaceRule:
        """Return the rule in a corpus, which has to be that of the file.

        Raises:
            SettingError: without a file, or for a column that is not there.
            InputError: for a file with other tokens.
        """
        what = f"places column:{self.column}"
        if self.path is None:
            raise SettingError(
                f"{what}: the file that has the column is not known here; in Python give a list"
                ' with {"name": "ends", "value": […]} for each document'
            )
        if corpus.offsets != "tokens":
            raise SettingError(f"{what}: offsets count characters; a column is one of tokens")
        name = printable_path(self.path)
        ids, values = column_values(self.path, self.column, self.unit, self.encoding)
        row = [value for some in values for value in some]
        if ids is None:  # as Corpus.with_ids numbers them
            ids = tuple(str(number) for number in range(1, len(values) + 1))
        if corpus.ids is not None and set(corpus.ids) <= set(ids):
            of_id = dict(zip(ids, values, strict=True))
            row = [value for id_ in corpus.ids for value in of_id[id_]]
        if len(row) != int(corpus.lengths.sum()):
            raise InputError(
                f"{what}: {name} has {counted(len(row), 'token')}, the corpus"
                f" {int(corpus.lengths.sum())}; the file that is read first has to have the column"
            )
        if not self.values:
            codes = {value: i for i, value in enumerate(dict.fromkeys(row))}
            return ends_at(corpus.lengths, np.array([codes[value] for value in row], np.int64))
        if unknown := set(self.values) - set(row):
            raise SettingError(
                f"{what}: no token has {listed(sorted(unknown))}; known are"
                f" {listed(sorted(set(row)))}"
            )
        have = np.array([value in self.values for value in row], np.bool_)
        return both_ends(corpus.lengths, have)
