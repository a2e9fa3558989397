"""What all results share: settings, notes, caveats, and one table that feeds every rendering."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.errors import SettingError, check_choice, escape_name, pluralize, quote_value
from spanagree.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

    from spanagree.choices import By, Style
    from spanagree.results.frame import Frame
    from spanagree.results.plots import Plot

# What shows a result is loaded by the method that shows it: most results are only asked for figures


def same(first: Any, second: Any) -> bool:
    """Return whether two values are equal, part by part, undefined figures (``nan``) too.

    >>> float("nan") == float("nan"), same((0.5, float("nan")), (0.5, float("nan")))
    (False, True)
    """
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, (tuple, list)) and type(first) is type(second):
        return len(first) == len(second) and all(map(same, first, second))
    # only nan is not itself
    return bool(first == second) or bool(first != first and second != second)


class NanEqualMixin:
    """A frozen dataclass (with ``eq=False``) whose undefined figures equal themselves."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [attribute.name for attribute in fields(self) if attribute.compare]  # type: ignore[arg-type]
        return all(same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # some hold arrays, which have no hash


class MappingResult(ABC):
    """A result that gives its parts by name: it iterates over the names, as a mapping does.

    >>> import spanagree as sa
    >>> tags = [["B-X", "O"]]
    >>> evaluation = sa.evaluate({"gold": tags, "mine": tags, "yours": tags})
    >>> list(evaluation), len(evaluation), "mine" in evaluation
    (['mine', 'yours'], 2, True)
    """

    @property
    @abstractmethod
    def _keys(self) -> Sequence[Any]:
        """The names by which the result gives its parts, in order."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class ResultBase(NanEqualMixin):
    """A result with its settings, signature, notes, caveats and tables.

    It describes itself as a frame (``_table``), or a module does (``SHOWN_BY``); ``BY`` names what
    can have a row in it.
    """

    BY: ClassVar[Mapping[str, str]] = {}
    TABLES: ClassVar[Mapping[str, str | None]] = {"rows": None}  # in JSON: by name, what has rows
    # what else is in JSON: attributes; key=a.b is another attribute, key? is left out if None
    SUMMARY: ClassVar[tuple[str, ...]] = ()
    SHOWN_BY: ClassVar[str] = ""  # the module whose functions show it; else its methods do
    OF_LAYERS: ClassVar[bool] = False  # whether a table without rows of layers tells of unaligned

    settings: Settings
    notes: tuple[str, ...]

    @property
    def signature(self) -> str:
        """The settings that made the numbers, and the version, in one line."""
        from spanagree.signature import signature

        return signature(self.settings)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        return self._shown.caveats_of(self) if self.SHOWN_BY else ()

    @property
    def verdict(self) -> str:
        """What the result says, in a sentence or two; empty where it compares nothing."""
        return self._shown.verdict_of(self) if self.SHOWN_BY else ""

    @property
    def _shown(self) -> Any:
        """The module that shows such results, which is loaded when somebody looks at one."""
        return import_module(self.SHOWN_BY)

    def to_dict(self, by: By | None = None) -> dict[str, Any]:
        """Return the result as plain data, for JSON; undefined is ``None``, with the reason.

        ``tables`` has rows by name, those of ``by`` too; ``docs/json.md`` describes it.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        from spanagree.results.data import plain

        if by is not None:
            check_choice(by, self.BY, "by")
        parts = dict(self.TABLES)
        if by is not None and by not in parts.values():
            parts[f"{by}s"] = by
        tables = {name: self.table(part).records for name, part in parts.items()}
        return dict(plain({**self.head(), "tables": tables}))

    def head(self) -> dict[str, Any]:
        """Return the beginning of the JSON of every result: its settings, notes and caveats."""
        return {
            "kind": type(self).__name__,
            "signature": self.signature,
            "settings": dict(self.settings),
            **({"verdict": self.verdict} if self.verdict else {}),
            "notes": list(self.notes),
            "caveats": list(self.caveats),
            "summary": self._summary(),
        }

    def _summary(self) -> dict[str, Any]:
        """Return the part of the JSON that is about the whole result, and in no table."""
        summary = {}
        for entry in self.SUMMARY:
            key, _, path = entry.rstrip("?").partition("=")
            value: Any = self
            for name in (path or key).split("."):
                value = getattr(value, name) if value is not None else None
            if value is not None or not entry.endswith("?"):
                summary[key] = value
        return summary

    def table(self, by: By | None = None) -> Frame:
        """Return the one description of the result: columns and rows, for people and programs.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        from spanagree.results.completed import completed

        if by is not None:
            check_choice(by, self.BY, "by")
        return completed(self._table(by), of_layers=self.OF_LAYERS).saying(self.verdict)

    def _table(self, by: str | None) -> Frame:
        return self._shown.table_of(self, by)

    def to_rows(self, by: By | None = None) -> list[dict[str, Any]]:
        """Return flat rows, for a data frame; undefined is ``nan`` or ``None``.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        return self.table(by).to_rows()

    def to_csv(self, by: By | None = None) -> str:
        """Return the rows as CSV, with all digits; undefined is empty.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        from spanagree.results.data import to_csv

        return to_csv(self.table(by))

    def to_json(self, by: By | None = None) -> str:
        """Return :meth:`to_dict` as JSON, as ``--format json`` writes it.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        from spanagree.results.data import to_json

        return to_json(self.to_dict(by))

    def to_markdown(self, by: By | None = None) -> str:
        """Return the table in Markdown, as ``--format markdown`` writes it.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        from spanagree.results.markdown import render

        return render(self.table(by).turned)

    def to_latex(self, by: By | None = None, style: Style = "acl") -> str:
        """Return the table in LaTeX, as ``--format latex`` writes it.

        Args:
            by: breakdown, as of :meth:`table`.
            style: ``acl`` for a ``table`` as in ACL's papers, which needs booktabs; ``plain`` for a
                ``tabular`` without a package.

        Raises:
            SettingError: if the result cannot be broken down by ``by``; for an unknown style.
        """
        from spanagree.results.data import STYLES
        from spanagree.results.frame import TableStyle
        from spanagree.results.latex import render

        check_choice(style, STYLES["latex"], "style")
        return render(self.table(by).turned, TableStyle(style=[style]))

    def to_arrow(self, by: By | None = None) -> Any:
        """Return the rows as a ``pyarrow.Table``; undefined is null.

        Raises:
            SettingError: if the result cannot be broken down by ``by``, or pyarrow is not there.
        """
        from spanagree.results.data import to_arrow

        return to_arrow(self.table(by))

    def to_pandas(self, by: By | None = None) -> pd.DataFrame:
        """Return the rows as a ``pandas.DataFrame``; undefined is ``NaN``.

        Raises:
            SettingError: if the result cannot be broken down by ``by``, or pandas is not there.
        """
        from spanagree.results.data import to_pandas

        return to_pandas(self.table(by))

    def to_polars(self, by: By | None = None) -> Any:
        """Return the rows as a ``polars.DataFrame``; undefined is null.

        Raises:
            SettingError: if the result cannot be broken down by ``by``, or polars is not there.
        """
        from spanagree.results.data import to_polars

        return to_polars(self.table(by))

    def __str__(self) -> str:
        """Return the table, and the notes below it."""
        from spanagree.results import text

        shown = text.render(self.table().for_reading)
        return "\n".join(
            [shown.removesuffix("\n"), *(f"note: {escape_name(n)}" for n in self.notes)]
        )

    def __repr__(self) -> str:
        from spanagree.results import text

        return f"<{type(self).__name__}: {text.one_line(self.table().for_reading)}>"

    def _repr_html_(self) -> str:
        """Return the table, for notebooks."""
        from spanagree.results.html import as_html

        return str(as_html(self.table().for_reading))


class Result(ResultBase):
    """A result that can be drawn too (``_picture``), also by the parts in ``DRAWN``."""

    DRAWN: ClassVar[tuple[str, ...]] = ()

    def plot(self, ax: Any = None, by: By | None = None) -> Any:
        """Draw a picture of the result; see ``docs/plots.md`` for what it shows.

        Args:
            ax: the ``matplotlib`` Axes to draw into; a new figure of ``pyplot`` unless given.
            by: what the picture shows the parts of, one of ``DRAWN``.

        Returns:
            The Axes.

        Raises:
            SettingError: if matplotlib is not installed; if there is no picture by ``by``.
        """
        from spanagree.results.plots import plot

        return plot(self.picture(by), ax)

    def picture(self, by: By | None = None) -> Plot:
        """Return the picture of the result, which draws it into Axes.

        Raises:
            SettingError: if there is no picture by ``by``.
        """
        self.check_picture(by)
        return self._picture(by)

    @classmethod
    def check_picture(cls, by: str | None) -> None:
        """Refuse a part that no picture shows.

        Raises:
            SettingError: if there is no picture by ``by``.
        """
        if by is not None and by not in cls.DRAWN:
            choice = "".join(f"choose by {part}, or " for part in cls.DRAWN)
            raise SettingError(
                f"no picture shows this result by {escape_name(by)}; {choice}leave out by or the"
                " picture"
            )

    def _picture(self, by: str | None) -> Plot:
        return self._shown.picture_of(self, by)

    def metrics(self, by: By | None = None) -> dict[str, float]:
        """Return the figures as one flat mapping, for programs that log experiments.

        ``mlflow.log_metrics`` and ``wandb.log`` take it as it is. A key is the row's names and the
        column's key: ``mine/f1_corrected``. What is undefined is left out.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.

        >>> from spanagree.systems.evaluate import evaluate
        >>> made = evaluate([["B-X", "O", "O"]], [["B-X", "O", "O"]])
        >>> round(made.metrics()["pred/f1_expected"], 4)
        0.3333
        """
        names = [column.key for column in self.table(by).columns if column.kind == "name"]
        flat: dict[str, float] = {}
        for row in self.to_rows(by):
            parts = [str(row[name]) for name in names if row.get(name)]
            for key, value in row.items():
                number = isinstance(value, (int, float)) and not isinstance(value, bool)
                if key not in names and number and not math.isnan(value):
                    flat["/".join([*parts, key])] = float(value)
        return flat


def coverage_note(name: str, shared: int, documents: int, whom: str, what: str) -> list[str]:
    """Return a note on how many documents a system does not share with whom it is compared with.

    >>> coverage_note("mine", 7, 10, "gold", "document")
    ['mine: 3 of 10 documents not shared with gold, left out']
    """
    left_out = documents - shared
    note = f"{left_out} of {pluralize(documents, what)} not shared with {whom}, left out"
    # a number beside others is quoted
    subject = quote_value(name) if name.isdecimal() else escape_name(name)
    return [f"{subject}: {note}"] if left_out else []
