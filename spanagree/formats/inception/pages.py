"""An annotated document of INCEpTION, however it was written, and the choice of a layer."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from sys import intern
from typing import NamedTuple, TypeAlias

from spanagree.errors import InputError, listed, printable, show


@dataclass
class Marks:
    """The annotations of a layer: where each begins and ends, and its values by feature."""

    start: array[int] = field(default_factory=lambda: array("q"))
    end: array[int] = field(default_factory=lambda: array("q"))
    values: dict[str, list[str | None]] = field(default_factory=dict)

    def add(self, start: int, end: int, values: Mapping[str, str | None]) -> None:
        """Add an annotation; a feature that it does not have has no value."""
        for name in values:
            if name not in self.values:
                self.values[name] = [None] * len(self.start)
        for name, column in self.values.items():
            value = values.get(name)
            column.append(value and intern(value))  # labels come again and again
        self.start.append(start)
        self.end.append(end)

    def listed(self) -> list[tuple[object, ...]]:
        """Return the annotations in an order of their own."""
        names = sorted(name for name, column in self.values.items() if any(column))
        columns = (self.values[name] for name in names)
        rows = zip(self.start, self.end, *columns, strict=True)
        return sorted(rows, key=repr)


Chosen: TypeAlias = tuple[str, str | None]
"""A layer, and the feature that gives the labels; without one, the layer's name is the label."""


class Page(NamedTuple):
    """An annotated document: its text, its layers of spans, and what was passed over, by kind.

    Offsets are in code points. A text that is not ``whole`` has blanks for white space that the
    file does not hold.
    """

    text: str
    layers: dict[str, Marks]
    passed: Counter[str]
    whole: bool = True

    def says(self) -> tuple[object, ...]:
        """Return what is annotated, which is equal for pages with the same annotations."""
        layers = {name: marks.listed() for name, marks in self.layers.items() if marks.start}
        return layers, self.passed

    def rows(self, chosen: Chosen | None) -> Iterator[tuple[int, int, str | None]]:
        """Yield start, end and label of what is marked in the chosen layer."""
        name, feature = chosen or ("", None)
        marks = self.layers.get(name, Marks())
        same = repeat(None if feature else short(name), len(marks.start))
        return zip(marks.start, marks.end, marks.values.get(feature or "", same), strict=True)

    def fits(self, text: str) -> bool:
        """Return whether the page has this text, but for white space that its file lacks."""
        if self.text == text:
            return True
        return not self.whole and _blank(text) == _blank(self.text)


def choose(
    pages: Iterable[Page], layer: str | None, feature: str | None, where: str
) -> Chosen | None:
    """Return the layer and feature asked for, or the only ones in use; ``None`` if there is none.

    A layer is named in full, or by the last part of its name.

    Raises:
        InputError: for a layer or feature that is not there, or where there are several to choose
            from; the error names those that there are.
    """
    layers: dict[str, Counter[str]] = {}
    sizes: Counter[str] = Counter()
    for page in pages:
        for name, marks in page.layers.items():
            sizes[name] += len(marks.start)
            features = layers.setdefault(name, Counter())
            for key, column in marks.values.items():
                features[key] += len(column) - column.count(None)
    only = _only(sizes, layer, where, "layer")
    if only is None:
        return None
    return only, _only(layers[only], feature, f"{where}: layer {short(only)}", "feature")


def _only(counts: Counter[str], asked: str | None, where: str, kind: str) -> str | None:
    """Return the name that is asked for, or the only one that counts anything."""
    in_use = [name for name, count in counts.items() if count]
    if asked is None and len(in_use) < 2:
        return next(iter(in_use), None)
    fit = [name for name in counts if asked in (name, short(name))]
    if len(fit) == 1 or asked in fit:
        return asked if asked in fit else fit[0]
    names = fit or in_use or list(counts)
    distinct = len({*map(short, names)}) == len(names)
    there = listed(f"{short(name) if distinct else name} ({counts[name]})" for name in names)
    if asked is None:
        problem = f"{len(names)} {kind}s are in use"
    else:
        problem = f"{'several ' + kind + 's' if fit else 'no ' + kind} {show(asked)}"
    choice = f"choose one with --{kind}" if names else f"leave --{kind} out"
    raise InputError(f"{where}: {problem}; there are {there or 'none'}: {choice}")


def short(layer: str) -> str:
    """Return the last part of a layer's name.

    >>> short("webanno.custom.Cue")
    'Cue'
    """
    return layer.rpartition(".")[2]


def _blank(text: str) -> str:
    """Return a text with blanks for white space, and none at its end."""
    return re.sub(r"\s", " ", text).rstrip()


def described(chosen: Chosen | None) -> str:
    """Return what is read, for a note.

    >>> described(("webanno.custom.Cue", None))
    'layer webanno.custom.Cue, whose name is the label'
    """
    if chosen is None:
        return "no layer of spans"
    name, feature = map(printable, (chosen[0], chosen[1] or ""))
    return f"layer {name}, {f'feature {feature}' if feature else 'whose name is the label'}"
