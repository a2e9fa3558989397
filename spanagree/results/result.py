"""What all results share: settings, notes, caveats, and one table that feeds every rendering."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.choices import By
from spanagree.errors import SettingError, check_choice, counted, listed, printable, show
from spanagree.results import text
from spanagree.results.data import plain, to_arrow, to_pandas, to_polars
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Picture, plot
from spanagree.results.score import RARE, Figures, Interval, Score
from spanagree.settings import Settings, confidence_of, kinds_and_confidence, signature

if TYPE_CHECKING:
    import pandas as pd

FEW = 30  # documents or items; a figure over fewer may be quite different on others
HIGH = 0.5  # an expected figure above it leaves little that the corrected figure rests on
_MOST_SHARES = 9  # layers; of more one sentence says it for all
WIDE = 0.2  # from the low to the high end of an interval of a corrected figure


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


class Comparable:
    """A frozen dataclass (with ``eq=False``) whose undefined figures equal themselves."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [attribute.name for attribute in fields(self) if attribute.compare]  # type: ignore[arg-type]
        return all(same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # some hold arrays, which have no hash


class Keyed(ABC):
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


class Signed(Comparable):
    """A result with its settings, signature, notes, caveats and tables.

    It describes itself as a frame (``_table``), and ``BY`` names what can have a row in it.
    """

    BY: ClassVar[Mapping[str, str]] = {}
    TABLES: ClassVar[Mapping[str, str | None]] = {"rows": None}  # in JSON: by name, what has rows
    # what else is in JSON: attributes; key=a.b is another attribute, key? is left out if None
    SUMMARY: ClassVar[tuple[str, ...]] = ()
    OF_LAYERS: ClassVar[bool] = False  # whether a table without rows of layers tells of unaligned

    settings: Settings
    notes: tuple[str, ...]

    @property
    def signature(self) -> str:
        """The settings that made the numbers, and the version, in one line."""
        return signature(self.settings)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        return ()

    @property
    def verdict(self) -> str:
        """What the result says, in a sentence or two; empty where it compares nothing."""
        return ""

    def to_dict(self, by: By | None = None) -> dict[str, Any]:
        """Return the result as plain data, for JSON; undefined is ``None``, with the reason.

        ``tables`` has rows by name, those of ``by`` too; ``docs/json.md`` describes it.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
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
        if by is not None:
            check_choice(by, self.BY, "by")
        table = with_unaligned(self._table(by), of_layers=self.OF_LAYERS)
        return _with_kinds(table).saying(self.verdict)

    def _table(self, by: str | None) -> Frame:
        raise NotImplementedError

    def to_rows(self, by: By | None = None) -> list[dict[str, Any]]:
        """Return flat rows, for a data frame; undefined is ``nan`` or ``None``.

        Raises:
            SettingError: if the result cannot be broken down by ``by``.
        """
        return self.table(by).to_rows()

    def to_arrow(self, by: By | None = None) -> Any:
        """Return the rows as a ``pyarrow.Table``; undefined is null.

        Raises:
            SettingError: if the result cannot be broken down by ``by``, or pyarrow is not there.
        """
        return to_arrow(self.table(by))

    def to_pandas(self, by: By | None = None) -> pd.DataFrame:
        """Return the rows as a ``pandas.DataFrame``; undefined is ``NaN``.

        Raises:
            SettingError: if the result cannot be broken down by ``by``, or pandas is not there.
        """
        return to_pandas(self.table(by))

    def to_polars(self, by: By | None = None) -> Any:
        """Return the rows as a ``polars.DataFrame``; undefined is null.

        Raises:
            SettingError: if the result cannot be broken down by ``by``, or polars is not there.
        """
        return to_polars(self.table(by))

    def __str__(self) -> str:
        """Return the table, and the notes below it."""
        shown = text.render(self.table().for_reading)
        return "\n".join([shown.removesuffix("\n"), *(f"note: {printable(n)}" for n in self.notes)])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {text.one_line(self.table().for_reading)}>"

    def _repr_html_(self) -> str:
        """Return the table, for notebooks."""
        from spanagree.results.html import as_html  # lazy, as few results are shown so

        return str(as_html(self.table().for_reading))


class Result(Signed):
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
        return plot(self.picture(by), ax)

    def picture(self, by: By | None = None) -> Picture:
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
                f"no picture shows this result by {printable(by)}; {choice}leave out by or the"
                " picture"
            )

    def _picture(self, by: str | None) -> Picture:
        raise NotImplementedError

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


def caveats(name: str, score: Score, evidence: Iterable[int], noun: str) -> list[str]:
    """Return caveats of one score, in sentences.

    ``evidence`` is what the score rests on, as
    :func:`spanagree.uncertainty.jackknife.evidence_of` returns it.

    >>> caveats("mine", Score(0.9, 0.8, 0.5), (100, 30, 90), "document")
    ['mine: chance alone gives 0.8000, so the corrected figure is unstable']
    >>> caveats("mine", Score(0.9, 0.1, 0.8), (100, 3, 99), "document")
    ['mine: only 3 of 100 documents hold any disagreement; on others the figures may differ a lot']
    """
    units, disagreeing, agreeing = evidence
    few = 0 < units < FEW
    shaky = "; on others the figures may differ a lot"
    low, high = (0, 0) if score.interval is None else score.interval.corrected
    reason = "" if score.interval is None else score.interval.reason
    cases = {
        f"only {counted(units, noun)} with anything to compare{shaky}": few,
        f"only {disagreeing} of {units} {noun}s hold any disagreement{shaky}": units >= FEW
        and disagreeing < RARE,
        f"only {agreeing} of {units} {noun}s hold any agreement{shaky}": units >= FEW
        and agreeing < RARE,
        f"chance alone gives {score.expected:.4f}, so the corrected figure is unstable": (
            score.expected > HIGH and not math.isnan(score.corrected)  # nan is not above it
        ),
        f"the interval of the corrected figure is wide: {low:.2f} to {high:.2f}": high - low > WIDE,
        f"interval: {reason.removeprefix(_ALL_FIGURES)}": reason,
    }
    return [f"{name}: {sentence}" for sentence, holds in cases.items() if holds]


def caveats_of(rows: Iterable[tuple[str, Score, Iterable[int]]], noun: str) -> tuple[str, ...]:
    """Return caveats of several scores: of each its name, the score, and its evidence."""
    return merge_caveats(sentence for row in rows for sentence in caveats(*row, noun))


def merge_caveats(caveats: Iterable[str]) -> tuple[str, ...]:
    """Return caveats of several rows: of those that differ in a number only, one names all rows.

    >>> merge_caveats(["a: chance alone gives 0.8; beware", "b: chance alone gives 0.7; beware"])
    ('a, b: chance alone gives 0.7 to 0.8; beware',)
    """
    alike: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for caveat in caveats:
        name, _, sentence = caveat.partition(": ")
        before, number, after = (*_VARIES.split(sentence, 1), "", "")[:3]
        alike.setdefault((before, after), []).append((name, number))
    merged = []
    for (before, after), rows in alike.items():
        names, numbers = zip(*rows, strict=True)
        least, most = (end(numbers, key=lambda text: float(text or 0)) for end in (min, max))
        number = least if least == most else f"{least} to {most}"
        subject = listed(names) if len(names) > 1 else names[0]
        merged.append(f"{subject}: {before}{number}{after}")
    return tuple(merged)


def _with_kinds(table: Frame) -> Frame:
    """Let the settings of a table name the kinds of interval that are in it."""
    settings = table.settings
    if not isinstance(settings, Settings) or (confidence := confidence_of(settings)) is None:
        return table
    cells = [value for row in table.rows for value in row]
    intervals = (x if isinstance(x, Interval) else getattr(x, "interval", None) for x in cells)
    kinds = {interval.kind for interval in intervals if interval is not None}
    if not kinds:
        return table
    settings = replace(settings, ci=kinds_and_confidence(kinds, confidence))
    others = (table.in_terminal, table.in_data)
    short, data = (x and replace(x, settings=settings) for x in others)
    return replace(table, settings=settings, in_terminal=short, in_data=data)


_ALL_FIGURES = f"{', '.join(Figures._fields)}: "
_VARIES = re.compile(r"(?:(?<=^only )|(?<=^chance alone gives ))([\d.]+)")


def unaligned_of(settings: Mapping[str, Any], name: Value) -> dict[str, Any]:
    """Return the share of a layer's quotes that are not in the text; nothing if it has offsets.

    >>> unaligned_of({"quotes": {"model": {"read": 4, "unaligned": 1}}}, "model")
    {'unaligned': 0.25}
    """
    counts = settings.get("quotes", {}).get(name, {})
    return {"unaligned": counts["unaligned"] / counts["read"]} if counts.get("read") else {}


def note_left_out(name: str, shared: int, documents: int, whom: str, what: str) -> list[str]:
    """Return a note on how many documents a system does not share with whom it is compared with.

    >>> note_left_out("mine", 7, 10, "gold", "document")
    ['mine: 3 of 10 documents not shared with gold, left out']
    """
    left_out = documents - shared
    note = f"{left_out} of {counted(documents, what)} not shared with {whom}, left out"
    # a number beside others is quoted
    subject = show(name) if name.isdecimal() else printable(name)
    return [f"{subject}: {note}"] if left_out else []


def with_unaligned(table: Frame, *, of_layers: bool = False) -> Frame:
    """Return a table with the share of quotes not aligned, if a layer in it is made of quotes.

    They are counted when the corpus is read, so the rows that have it are those of whole layers;
    a table without such rows has sentences if it is ``of_layers`` all the same.
    """
    if "quotes" not in table.settings:
        return table
    sentences = _unaligned_sentences(table.settings)
    keys = [column.key for column in table.columns]
    naming = next((keys.index(key) for key in ("system", "annotator") if key in keys), None)
    if naming is None:
        return replace(table, remarks=[*table.remarks, *sentences]) if of_layers else table
    names = [row[naming] for row in table.rows]
    is_of_layer = [len(set(names)) == len(names)] * len(names)
    if "average" in keys:  # rows of parts, and those of all of them
        is_of_layer = [row[keys.index("average")] == "micro" for row in table.rows]
    shares = [
        unaligned_of(table.settings, name).get("unaligned") if is_whole else None
        for name, is_whole in zip(names, is_of_layer, strict=True)
    ]
    if all(share is None for share in shares):
        return table
    return replace(
        table,
        columns=[*table.columns, Column("unaligned", "not aligned")],
        rows=[[*row, share] for row, share in zip(table.rows, shares, strict=True)],
        # a table that is turned has no column of a whole system
        remarks=[*table.remarks, *(sentences if table.pivot else ())],
        in_terminal=None if table.in_terminal is None else with_unaligned(table.in_terminal),
        in_data=None if table.in_data is None else with_unaligned(table.in_data),
    )


def _unaligned_sentences(settings: Mapping[str, Any]) -> list[str]:
    """Return the share of quotes not aligned of each layer; of many layers that of all."""
    counts = {name: count for name, count in settings["quotes"].items() if count["read"]}
    if len(counts) > _MOST_SHARES:
        lost, read = (sum(count[k] for count in counts.values()) for k in ("unaligned", "read"))
        share = f"{lost / read:.4f} of the quotes or tags"
        return [f"{share} of {counted(len(counts), 'annotator')} are not aligned"]
    return [
        f"{printable(name)}: {unaligned_of(settings, name)['unaligned']:.4f} of its quotes or tags"
        " are not aligned"
        for name in counts
    ]
