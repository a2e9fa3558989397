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

from spanagree.errors import InputError, escape_name, join_names, quote_value


@dataclass(eq=False)
class LayerAnnotations:
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


Chosen: TypeAlias = tuple[tuple[str, str | None], ...]
"""Layers, each with a feature that gives the labels; without one, the layer's name is the label."""


Mark: TypeAlias = tuple[str, int]
"""An annotation: its layer, and its number there."""


class Arc(NamedTuple):
    """A relation: the annotations that it links, ``None`` where there is none, and its label."""

    first: Mark | None
    second: Mark | None
    label: str


class CasDocument(NamedTuple):
    """An annotated document: its text, its layers of spans, and what was passed over, by kind.

    Offsets are in code points. A text that is not ``is_whole`` has blanks for white space that the
    file does not hold. Relations are of all layers.
    """

    text: str
    layers: dict[str, LayerAnnotations]
    passed: Counter[str]
    is_whole: bool = True
    relations: tuple[Arc, ...] = ()

    def says(self) -> tuple[object, ...]:
        """Return what is annotated, which is equal for pages with the same annotations."""
        layers = {name: marks.listed() for name, marks in self.layers.items() if marks.start}

        def place(mark: Mark | None) -> object:
            if mark is None:
                return None
            marks = self.layers[mark[0]]
            return mark[0], marks.start[mark[1]], marks.end[mark[1]]

        linked = [(place(arc.first), place(arc.second), arc.label) for arc in self.relations]
        return layers, self.passed, sorted(linked, key=repr)

    def rows(self, chosen: Chosen) -> Iterator[tuple[int, int, str | None, Mark]]:
        """Yield start, end, label and number of what is marked in the chosen layers.

        Of several layers the label begins with the layer's name, of several features of a layer
        with the feature's; what has no value of one of these is not marked in it.
        """
        layers = Counter(name for name, _ in chosen)
        for name, feature in chosen:
            marks = self.layers.get(name, LayerAnnotations())
            same = repeat(None if feature else short(name), len(marks.start))
            values = marks.values.get(feature or "", same)
            before = f"{short(name)}:" if len(layers) > 1 and feature else ""
            before += f"{feature}:" if layers[name] > 1 else ""
            rows = zip(marks.start, marks.end, values, strict=True)
            for number, (start, end, value) in enumerate(rows):
                if value or layers[name] == 1:
                    yield start, end, f"{before}{value}" if value else value, (name, number)

    def fits(self, text: str) -> bool:
        """Return whether the page has this text, but for white space that its file lacks."""
        if self.text == text:
            return True
        return not self.is_whole and _blank(text) == _blank(self.text)


def choose(
    pages: Iterable[CasDocument], layer: str | None, feature: str | None, location: str
) -> Chosen:
    """Return the layers and features asked for, or the only ones in use, if any is.

    A layer is named in full, or by the last part of its name; several have commas between them. A
    feature that is asked for is read of each layer that has it.

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
    asked: list[str | None] = [*asked_names(layer)] or [None]
    names = [_only(sizes, name, location, "layer") for name in asked]
    chosen: list[tuple[str, str | None]] = []
    wanted = asked_names(feature)
    for name in dict.fromkeys(name for name in names if name is not None):
        place = f"{location}: layer {short(name)}"
        known = layers[name] if len(names) > 1 else wanted
        here: list[str | None] = [named for named in wanted if named in known] or [None]
        chosen += [(name, _only(layers[name], named, place, "feature")) for named in here]
    for named in wanted if chosen else ():
        if named not in [given for _, given in chosen]:
            raise InputError(
                f"{location}: no feature {quote_value(named)} in any of the layers; leave it out"
            )
    return tuple(chosen)


def asked_names(names: str | None) -> list[str]:
    """Return the names between commas.

    >>> asked_names("Cue, Scope"), asked_names(None)
    (['Cue', 'Scope'], [])
    """
    return [] if names is None else [name.strip() for name in names.split(",")]


def _only(counts: Counter[str], asked: str | None, location: str, kind: str) -> str | None:
    """Return the name that is asked for, or the only one that counts anything."""
    in_use = [name for name, count in counts.items() if count]
    if asked is None and len(in_use) < 2:
        return next(iter(in_use), None)
    fit = [name for name in counts if asked in (name, short(name))]
    if len(fit) == 1 or asked in fit:
        return asked if asked in fit else fit[0]
    names = fit or in_use or list(counts)
    distinct = len({*map(short, names)}) == len(names)
    there = join_names(f"{short(name) if distinct else name} ({counts[name]})" for name in names)
    if asked is None:
        problem = f"{len(names)} {kind}s are in use"
    else:
        problem = f"{'several ' + kind + 's' if fit else 'no ' + kind} {quote_value(asked)}"
    several = ", or several with commas between" if asked is None else ""
    choice = f"choose one with --{kind}{several}" if names else f"leave --{kind} out"
    raise InputError(f"{location}: {problem}; there are {there or 'none'}: {choice}")


def short(layer: str) -> str:
    """Return the last part of a layer's name.

    >>> short("webanno.custom.Cue")
    'Cue'
    """
    return layer.rpartition(".")[2]


def _blank(text: str) -> str:
    """Return a text with blanks for white space, and none at its end."""
    return re.sub(r"\s", " ", text).rstrip()


def described(chosen: Chosen) -> str:
    """Return what is read, for a note.

    >>> described((("webanno.custom.Cue", None),))
    'layer webanno.custom.Cue, whose name is the label'
    """
    if not chosen:
        return "no layer of spans"
    return " and ".join(
        f"layer {escape_name(layer)}, "
        + (f"feature {escape_name(feature)}" if feature else "whose name is the label")
        for layer, feature in chosen
    )
