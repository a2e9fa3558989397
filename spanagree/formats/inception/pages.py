"""Annotated documents of INCEpTION, in any format, and the choice of layers.

A *mark* identifies an annotation of a document by its layer and its index there.
"""

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
    """Annotations of a layer.

    Attributes:
        start, end: offsets of each annotation.
        values: value of each annotation, by feature.
    """

    start: array[int] = field(default_factory=lambda: array("q"))
    end: array[int] = field(default_factory=lambda: array("q"))
    values: dict[str, list[str | None]] = field(default_factory=dict)

    def add_annotation(self, start: int, end: int, values: Mapping[str, str | None]) -> None:
        """Add an annotation; features that it lacks have the value `None`."""
        for name in values:
            if name not in self.values:
                self.values[name] = [None] * len(self.start)
        for name, column in self.values.items():
            value = values.get(name)
            column.append(value and intern(value))  # labels are often repeated
        self.start.append(start)
        self.end.append(end)

    def list_annotations(self) -> list[tuple[object, ...]]:
        """List the annotations, sorted."""
        names = sorted(name for name, column in self.values.items() if any(column))
        columns = (self.values[name] for name in names)
        rows = zip(self.start, self.end, *columns, strict=True)
        return sorted(rows, key=repr)


Chosen: TypeAlias = tuple[tuple[str, str | None], ...]
"""Layers, each with the feature of its labels; without a feature, its name is the label."""


Mark: TypeAlias = tuple[str, int]
"""An annotation: its layer, and its index in the layer."""


class Arc(NamedTuple):
    """A relation.

    Attributes:
        first, second: annotations at its ends, or `None` if an end is missing.
        label: label of the relation.
    """

    first: Mark | None
    second: Mark | None
    label: str


class CasDocument(NamedTuple):
    """An annotated document, with offsets in code points.

    Attributes:
        text: the text.
        layers: annotations by layer.
        n_skipped: number of skipped structures, by kind.
        is_whole: True if the file has the text; else white space between tokens is assumed blank.
        relations: relations of all layers.
    """

    text: str
    layers: dict[str, LayerAnnotations]
    n_skipped: Counter[str]
    is_whole: bool = True
    relations: tuple[Arc, ...] = ()

    def collect_annotations(self) -> tuple[object, ...]:
        """Collect all annotations, in a form that is equal for equal annotations."""
        layers = {
            name: marks.list_annotations() for name, marks in self.layers.items() if marks.start
        }

        def locate_mark(mark: Mark | None) -> object:
            """Replace the index of a mark by its layer and offsets, as indices differ by file."""
            if mark is None:
                return None
            marks = self.layers[mark[0]]
            return mark[0], marks.start[mark[1]], marks.end[mark[1]]

        arc_ends = [
            (locate_mark(arc.first), locate_mark(arc.second), arc.label) for arc in self.relations
        ]
        return layers, self.n_skipped, sorted(arc_ends, key=repr)

    def yield_spans(self, layer_features: Chosen) -> Iterator[tuple[int, int, str | None, Mark]]:
        """Yield start, end, label and mark of the annotations in the chosen layers.

        For several layers, labels begin with the layer's name; for several features of a layer,
        with the feature's name, and annotations without a value of it are left out.
        """
        layers = Counter(name for name, _ in layer_features)
        for name, feature in layer_features:
            marks = self.layers.get(name, LayerAnnotations())
            default_labels = repeat(None if feature else shorten_layer(name), len(marks.start))
            values = marks.values.get(feature or "", default_labels)
            prefix = f"{shorten_layer(name)}:" if len(layers) > 1 and feature else ""
            prefix += f"{feature}:" if layers[name] > 1 else ""
            rows = zip(marks.start, marks.end, values, strict=True)
            for index, (start, end, value) in enumerate(rows):
                if value or layers[name] == 1:
                    yield start, end, f"{prefix}{value}" if value else value, (name, index)

    def has_text(self, text: str) -> bool:
        """Check whether the document has this text, apart from white space that its file lacks."""
        if self.text == text:
            return True
        return not self.is_whole and _normalise_white_space(text) == _normalise_white_space(
            self.text
        )


def choose_layers(
    documents: Iterable[CasDocument], layer: str | None, feature: str | None, location: str
) -> Chosen:
    """Choose the layers and features to read.

    Without ``layer`` the only layer that has annotations is chosen, and without ``feature`` the
    only feature of this layer that has values.

    Args:
        documents: documents.
        layer: comma-separated names of layers, each in full or only its last part.
        feature: comma-separated names of features; each is read in all chosen layers that have it.
        location: printable path.

    Raises:
        InputError: if a named layer or feature does not exist, or if no name is set and several
            layers or features are in use; the message lists them.
    """
    layers: dict[str, Counter[str]] = {}
    sizes: Counter[str] = Counter()
    for document in documents:
        for name, marks in document.layers.items():
            sizes[name] += len(marks.start)
            features = layers.setdefault(name, Counter())
            for key, column in marks.values.items():
                features[key] += len(column) - column.count(None)
    layer_names: list[str | None] = [*split_names(layer)] or [None]
    names = [_find_only_name(sizes, name, location, "layer") for name in layer_names]
    layer_features: list[tuple[str, str | None]] = []
    feature_names = split_names(feature)
    for name in dict.fromkeys(name for name in names if name is not None):
        layer_location = f"{location}: layer {shorten_layer(name)}"
        known_features = layers[name] if len(names) > 1 else feature_names
        names_in_layer: list[str | None] = [
            feature_name for feature_name in feature_names if feature_name in known_features
        ] or [None]
        layer_features += [
            (name, _find_only_name(layers[name], feature_name, layer_location, "feature"))
            for feature_name in names_in_layer
        ]
    for feature_name in feature_names if layer_features else ():
        if feature_name not in [key for _, key in layer_features]:
            raise InputError(
                f"{location}: no feature {quote_value(feature_name)} in any of the layers; leave it"
                " out"
            )
    return tuple(layer_features)


def split_names(names: str | None) -> list[str]:
    """Split names at commas.

    >>> split_names("Cue, Scope"), split_names(None)
    (['Cue', 'Scope'], [])
    """
    return [] if names is None else [name.strip() for name in names.split(",")]


def _find_only_name(
    counts: Counter[str], requested: str | None, location: str, noun: str
) -> str | None:
    """Find the requested name, or the only name in use; `None` if no name is in use.

    Args:
        counts: number of annotations, or values, by name.
        requested: name by the user, or `None`.
        location: printable path.
        noun: layer or feature, for messages.
    """
    in_use = [name for name, count in counts.items() if count]
    if requested is None and len(in_use) < 2:
        return next(iter(in_use), None)
    matching = [name for name in counts if requested in (name, shorten_layer(name))]
    if len(matching) == 1 or requested in matching:
        return requested if requested in matching else matching[0]
    names = matching or in_use or list(counts)
    are_distinct = len({*map(shorten_layer, names)}) == len(names)
    available = join_names(
        f"{shorten_layer(name) if are_distinct else name} ({counts[name]})" for name in names
    )
    if requested is None:
        problem = f"{len(names)} {noun}s are in use"
    else:
        problem = (
            f"{'several ' + noun + 's' if matching else 'no ' + noun} {quote_value(requested)}"
        )
    several = ", or several with commas between" if requested is None else ""
    choice = f"choose one with --{noun}{several}" if names else f"leave --{noun} out"
    raise InputError(f"{location}: {problem}; there are {available or 'none'}: {choice}")


def shorten_layer(layer: str) -> str:
    """Return the last part of a layer's name.

    >>> shorten_layer("webanno.custom.Cue")
    'Cue'
    """
    return layer.rpartition(".")[2]


def _normalise_white_space(text: str) -> str:
    """Replace white space by blanks, and remove it from the end."""
    return re.sub(r"\s", " ", text).rstrip()


def describe_layers(layer_features: Chosen) -> str:
    """Describe the chosen layers for a note.

    >>> describe_layers((("webanno.custom.Cue", None),))
    'layer webanno.custom.Cue, whose name is the label'
    """
    if not layer_features:
        return "no layer of spans"
    return " and ".join(
        f"layer {escape_name(layer)}, "
        + (f"feature {escape_name(feature)}" if feature else "whose name is the label")
        for layer, feature in layer_features
    )
