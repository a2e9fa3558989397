"""Parts that all results share: settings, notes, warnings, and one table for every rendering."""

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

# modules for display are loaded by the methods that need them: most results only need figures


def are_equal(first: Any, second: Any) -> bool:
    """Return whether two values are equal, item by item; undefined figures (``nan``) are equal.

    >>> float("nan") == float("nan"), are_equal((0.5, float("nan")), (0.5, float("nan")))
    (False, True)
    """
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(
            are_equal(first[key], second[key]) for key in first
        )
    if isinstance(first, (tuple, list)) and type(first) is type(second):
        return len(first) == len(second) and all(map(are_equal, first, second))
    # only nan differs from itself
    return bool(first == second) or bool(first != first and second != second)


class NanEqualMixin:
    """A frozen dataclass (with ``eq=False``) whose undefined figures are equal."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [attribute.name for attribute in fields(self) if attribute.compare]  # type: ignore[arg-type]
        return all(are_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # arrays have no hash


class MappingResult(ABC):
    """A result with entries by name: like a mapping it iterates over the names.

    >>> import spanagree as sa
    >>> tags = [["B-X", "O"]]
    >>> evaluation = sa.evaluate({"gold": tags, "mine": tags, "yours": tags})
    >>> list(evaluation), len(evaluation), "mine" in evaluation
    (['mine', 'yours'], 2, True)
    """

    @property
    @abstractmethod
    def _keys(self) -> Sequence[Any]:
        """The names of the entries, in order."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class ResultBase(NanEqualMixin):
    """A result with its settings, signature, notes, warnings and tables.

    A method (``_build_table``) or a module (``SHOWN_BY``) builds its :class:`Frame`, the table that
    all renderings use. A breakdown is a table with more rows, such as a row for each label; ``BY``
    has the names of the breakdowns with their explanations.
    """

    BY: ClassVar[Mapping[str, str]] = {}
    TABLES: ClassVar[Mapping[str, str | None]] = {"rows": None}  # in JSON: breakdown by name
    # further entries of JSON: attributes; key=a.b is another attribute, key? is omitted if None
    SUMMARY: ClassVar[tuple[str, ...]] = ()
    SHOWN_BY: ClassVar[str] = ""  # module with functions for display; if empty, methods are used
    OF_LAYERS: ClassVar[bool] = False  # True if a table without rows of layers reports unaligned

    settings: Settings
    notes: tuple[str, ...]

    @property
    def signature(self) -> str:
        """The settings that determine the figures, and the version, in one line."""
        from spanagree.signature import format_signature

        return format_signature(self.settings)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each."""
        return self._display_module.list_caveats(self) if self.SHOWN_BY else ()

    @property
    def verdict(self) -> str:
        """The result in a sentence or two; empty if nothing is compared."""
        return self._display_module.write_verdict(self) if self.SHOWN_BY else ""

    @property
    def _display_module(self) -> Any:
        """The module for display of such results, loaded on access."""
        return import_module(self.SHOWN_BY)

    def to_dict(self, by: By | None = None) -> dict[str, Any]:
        """Return the result as plain data, for JSON; undefined is ``None``, with the reason.

        ``tables`` has rows by name, including those of ``by``; see ``docs/json.md``.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        from spanagree.results.data import to_plain_data

        if by is not None:
            check_choice(by, self.BY, "by")
        breakdowns = dict(self.TABLES)
        if by is not None and by not in breakdowns.values():
            breakdowns[f"{by}s"] = by
        tables = {
            breakdown: self.table(breakdown)
            for breakdown in dict.fromkeys((by, *breakdowns.values()))
        }
        # a breakdown may have other kinds of interval than the whole, which its table records
        head = self.build_head(tables[by].settings or self.settings)
        records = {name: tables[breakdown].records for name, breakdown in breakdowns.items()}
        return dict(to_plain_data({**head, "tables": records}))

    def build_head(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the beginning of the JSON of every result: its settings, notes and caveats.

        Args:
            settings: settings of the table that is shown.
        """
        from spanagree.signature import format_signature

        return {
            "kind": type(self).__name__,
            "signature": format_signature(settings),
            "settings": dict(settings),
            **({"verdict": self.verdict} if self.verdict else {}),
            "notes": list(self.notes),
            "caveats": list(self.caveats),
            "summary": self._build_summary(),
        }

    def _build_summary(self) -> dict[str, Any]:
        """Build the JSON entries about the whole result, from the attributes in ``SUMMARY``."""
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
        """Build the table of the result, with its columns, rows, remarks and verdict.

        Args:
            by: breakdown, one of ``BY``. Default: the main table.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        from spanagree.results.completed import complete_table

        if by is not None:
            check_choice(by, self.BY, "by")
        return complete_table(self._build_table(by), of_layers=self.OF_LAYERS).add_verdict(
            self.verdict
        )

    def _build_table(self, by: str | None) -> Frame:
        """Build the table of the result, or of a breakdown."""
        return self._display_module.build_table(self, by)

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
        """Return :meth:`to_dict` as JSON, equal to ``--format json``.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        from spanagree.results.data import to_json

        return to_json(self.to_dict(by))

    def to_markdown(self, by: By | None = None) -> str:
        """Render the table in Markdown, equal to ``--format markdown``.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        from spanagree.results.markdown import render

        return render(self.table(by).readable_table)

    def to_latex(self, by: By | None = None, style: Style = "acl") -> str:
        """Render the table in LaTeX, equal to ``--format latex``.

        Args:
            by: breakdown; see :meth:`table`.
            style: ``acl`` for a ``table`` as in ACL's papers, which needs booktabs; ``plain`` for a
                ``tabular`` without a package.

        Raises:
            SettingError: if the result cannot be broken down by ``by``, or the style is unknown.
        """
        from spanagree.results.data import STYLES
        from spanagree.results.frame import TableStyle
        from spanagree.results.latex import render

        check_choice(style, STYLES["latex"], "style")
        return render(self.table(by).readable_table, TableStyle(style=[style]))

    def to_arrow(self, by: By | None = None) -> Any:
        """Return the rows as a ``pyarrow.Table``; undefined is null.

        Raises:
            SettingError: if the result cannot be broken down by ``by``, or pyarrow is missing.
        """
        from spanagree.results.data import to_arrow

        return to_arrow(self.table(by))

    def to_pandas(self, by: By | None = None) -> pd.DataFrame:
        """Return the rows as a ``pandas.DataFrame``; undefined is ``NaN``.

        Raises:
            SettingError: if the result cannot be broken down by ``by``, or pandas is missing.
        """
        from spanagree.results.data import to_pandas

        return to_pandas(self.table(by))

    def to_polars(self, by: By | None = None) -> Any:
        """Return the rows as a ``polars.DataFrame``; undefined is null.

        Raises:
            SettingError: if the result cannot be broken down by ``by``, or polars is missing.
        """
        from spanagree.results.data import to_polars

        return to_polars(self.table(by))

    def __str__(self) -> str:
        """Render the table, with the notes after it."""
        from spanagree.results import text

        printed = text.render(self.table().readable_table)
        return "\n".join(
            [printed.removesuffix("\n"), *(f"note: {escape_name(note)}" for note in self.notes)]
        )

    def __repr__(self) -> str:
        from spanagree.results import text

        return f"<{type(self).__name__}: {text.summarize_table(self.table().readable_table)}>"

    def _repr_html_(self) -> str:
        """Render the table as HTML, for notebooks."""
        from spanagree.results.html import render_for_notebook

        return str(render_for_notebook(self.table().readable_table))


class Result(ResultBase):
    """A result with a plot (``_build_plot``), also for the breakdowns in ``DRAWN``."""

    DRAWN: ClassVar[tuple[str, ...]] = ()

    def plot(self, ax: Any = None, by: By | None = None) -> Any:
        """Plot the result; see ``docs/plots.md`` for the plots.

        Args:
            ax: ``matplotlib`` Axes to draw into. Default: a new figure of ``pyplot``.
            by: breakdown of the plot, one of ``DRAWN``.

        Returns:
            The Axes.

        Raises:
            SettingError: if matplotlib is not installed, or there is no plot by ``by``.
        """
        from spanagree.results.plots import draw_plot

        return draw_plot(self.picture(by), ax)

    def picture(self, by: By | None = None) -> Plot:
        """Return the plot of the result, which draws it into Axes.

        Raises:
            SettingError: if there is no plot by ``by``.
        """
        self.check_picture(by)
        return self._build_plot(by)

    @classmethod
    def check_picture(cls, by: str | None) -> None:
        """Check that there is a plot of a breakdown.

        Raises:
            SettingError: if there is no plot by ``by``.
        """
        if by is not None and by not in cls.DRAWN:
            breakdowns = "".join(f"by {breakdown}, " for breakdown in cls.DRAWN)
            raise SettingError(
                f"no plot shows this result by {escape_name(by)}; plots are drawn {breakdowns}"
                f"{'or ' if breakdowns else ''}without a breakdown"
            )

    def _build_plot(self, by: str | None) -> Plot:
        """Build the plot of the result, or of a breakdown."""
        return self._display_module.build_plot(self, by)

    def metrics(self, by: By | None = None) -> dict[str, float]:
        """Return all numbers of the table as one flat mapping, for programs that log experiments.

        ``mlflow.log_metrics`` and ``wandb.log`` accept it. A key consists of the row's names and
        the column's key: ``mine/f1_corrected``. Undefined numbers are left out.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.

        >>> from spanagree.systems.evaluate import evaluate
        >>> made = evaluate([["B-X", "O", "O"]], [["B-X", "O", "O"]])
        >>> round(made.metrics()["pred/f1_expected"], 4)
        0.3333
        """
        names = [column.key for column in self.table(by).columns if column.kind == "name"]
        metrics: dict[str, float] = {}
        for row in self.to_rows(by):
            row_names = [str(row[name]) for name in names if row.get(name)]
            for key, value in row.items():
                is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
                if key not in names and is_number and not math.isnan(value):
                    metrics["/".join([*row_names, key])] = float(value)
        return metrics


def write_coverage_note(
    name: str, n_shared: int, n_documents: int, partner: str, noun: str
) -> list[str]:
    """Write a note on documents that a system did not share with the layer it is compared with.

    The list is empty if all documents were shared.

    >>> write_coverage_note("mine", 7, 10, "gold", "document")
    ['mine: 3 of 10 documents not shared with gold, left out']
    """
    n_left_out = n_documents - n_shared
    if not n_left_out:
        return []
    note = f"{n_left_out} of {pluralize(n_documents, noun)} not shared with {partner}, left out"
    # a name of digits next to numbers is quoted
    subject = quote_value(name) if name.isdecimal() else escape_name(name)
    return [f"{subject}: {note}"]
