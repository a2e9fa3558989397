"""UIMA CAS as XMI or JSON 0.4: annotations beside a text, with offsets in UTF-16 units."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, count
from typing import Any, BinaryIO

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.offsets import in_code_points
from spanagree.errors import InputError, invalid_value, is_whole, join_names, whole_number
from spanagree.files import decoded, from_json
from spanagree.formats.file_head import FileHead
from spanagree.formats.inception.pages import (
    Arc,
    CasDocument,
    LayerAnnotations,
    Mark,
    asked_names,
    short,
)
from spanagree.formats.xml_elements import elements

_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api."
_FRAME = {  # layers of what holds a text together, which nobody compares without asking
    "uima.tcas.DocumentAnnotation",
    f"{_DKPRO}metadata.type.DocumentMetaData",
    f"{_DKPRO}metadata.type.TagsetDescription",
    f"{_DKPRO}segmentation.type.Sentence",
    f"{_DKPRO}segmentation.type.Token",
}
_VIEW = "_InitialView"
_PLACE = ("sofa", "begin", "end")
_ENDS = ("Governor", "Dependent")  # of a relation
_OLD = {"_context", "_views"}  # keys of JSON before version 0.4
_AGAIN = "export the document again, as UIMA CAS JSON 0.4 or XMI"


def knows_cas(start: FileHead) -> bool:
    """Return whether a file begins as a CAS in XMI or JSON does, in whatever version."""
    if start.shape == "xml":
        return any("http:///uima/cas.ecore" in line for line in start.lines)
    keys = set(start.objects[0]) if start.objects else set()
    return not keys.isdisjoint({"%TYPES", "%FEATURE_STRUCTURES", "%VIEWS"}) or keys >= _OLD


def read_xmi(source: BinaryIO, location: str, layer: str | None = None) -> CasDocument:
    """Return the page in a CAS as XMI, whose elements show by themselves what types there are.

    ``layer`` names those that are read even if they belong to the frame of the text, as tokens do.

    Raises:
        InputError: for what is not XMI, declares entities, or has no text or several.
    """
    cas = _Cas(location, layer)
    for element in elements(source, location):
        package, _, name = element.tag.rpartition("}")
        package = package.removeprefix("{http:///").removesuffix(".ecore").replace("/", ".")
        given = {key: value for key, value in element.attrib.items() if not key.startswith("{")}
        ids = (value for key, value in element.attrib.items() if key.endswith("}id"))
        number = cas.whole(next(ids, "0"))
        if package == "uima.cas" and name == "View":
            members = map(cas.whole, given.get("members", "").split())
            cas.members.setdefault(cas.whole(given.get("sofa")), array("q")).extend(members)
        elif package == "uima.cas" and name == "Sofa":
            cas.texts[number] = given.get("sofaID", ""), given.get("sofaString")
        else:
            place = {key: cas.whole(given.pop(key)) for key in _PLACE if key in given}
            kind = name if package == "uima.noNamespace" else f"{package}.{name}"
            ends = [cas.whole(given.pop(end)) for end in _ENDS if end in given]
            cas.add(kind, number, place, given, given, ends)
            cas.passed["string list"] += len({child.tag for child in element})
    return cas.page()


def read_json(data: bytes, location: str, layer: str | None = None) -> CasDocument:
    """Return the page in a CAS as JSON 0.4; as :func:`read_xmi`."""
    cas = _Cas(location, layer)
    numbers = count(1)

    def structure(pairs: list[tuple[str, Any]]) -> Any:
        """Take a feature structure, and return what it is called until its number is known."""
        given = dict(pairs)
        kind = given.pop("%TYPE", None)
        if not isinstance(kind, str):
            return given
        unnamed = -next(numbers)
        number = given.get("%ID", unnamed)
        if kind == "uima.cas.Sofa":
            cas.texts[cas.whole(number)] = str(given.get("sofaID")), given.get("sofaString")
            return unnamed
        given["sofa"] = given.get("@sofa")
        place = {key: cas.whole(given.pop(key)) for key in _PLACE if given.get(key) is not None}
        plain = {key: _plain(value) for key, value in given.items() if key[:1] not in "%@#^"}
        ends = [cas.whole(given[f"@{end}"]) for end in _ENDS if f"@{end}" in given]
        cas.add(kind, cas.whole(number), place, plain, {key.lstrip("@") for key in given}, ends)
        return unnamed

    root = from_json(decoded(location, data, "utf-8"), location, _AGAIN, structure)
    if not isinstance(root, dict) or root.keys() & _OLD:
        kind = "JSON" if not isinstance(root, dict) else "UIMA JSON of before version 0.4"
        raise InputError(f"{location}: {kind}, not CAS JSON; {_AGAIN}")
    structures = root.get("%FEATURE_STRUCTURES")
    if isinstance(structures, dict):
        cas.rename({unnamed: cas.whole(key) for key, unnamed in structures.items()})
    for view in _mappings(root.get("%VIEWS")):
        members = view.get("%MEMBERS")
        if not isinstance(members, list):
            raise invalid_value(
                f"{location}: %MEMBERS", members, f"a list of numbers is needed: {_AGAIN}"
            )
        cas.members[cas.whole(view.get("%SOFA"))] = array("q", map(cas.whole, members))
    for declared in _mappings(root.get("%TYPES")):
        if declared.get("%SUPER_TYPE") == "uima.tcas.Annotation":
            cas.layers.setdefault(str(declared.get("%NAME")), _Layer())
    return cas.page()


@dataclass(eq=False)
class _Layer:
    """The annotations of a type, their numbers, and which text (sofa) each is in."""

    marks: LayerAnnotations = field(default_factory=LayerAnnotations)
    ids: array[int] = field(default_factory=lambda: array("q"))
    sofas: array[int] = field(default_factory=lambda: array("q"))


class _Cas:
    """What was read of a CAS so far; a text may come after what is marked in it."""

    def __init__(self, location: str, layer: str | None) -> None:
        self.location = location
        self.asked = asked_names(layer)
        self.layers: dict[str, _Layer] = {}
        self.others: set[str] = set()  # types of what has no place in a text
        self.passed: Counter[str] = Counter()
        self.texts: dict[int, tuple[str, str | None]] = {}
        self.members: dict[int, array[int]] = {}  # of each text's view
        self.relations: list[tuple[int, int, str, int]] = []  # ends, label, text

    def whole(self, value: object) -> int:
        """Return an offset or number, which XMI writes as text."""
        if isinstance(value, str) and value.removeprefix("-").isdecimal():
            return whole_number(value, f"{self.location}: number")
        if is_whole(value) and abs(value) < 1 << 60:
            return value
        raise invalid_value(
            f"{self.location}: offset or number", value, f"a whole number is needed: {_AGAIN}"
        )

    def add(
        self,
        kind: str,
        number: int,
        place: Mapping[str, int],
        values: Mapping[str, str | None],
        features: Iterable[str],
        ends: Sequence[int],
    ) -> None:
        """Take a feature structure: an annotation, or what chains, slots and lists are made of.

        It is a relation if it has both ``ends``.
        """
        if len(place) < len(_PLACE):
            self.others.add(kind)
            self.passed["slot filler"] += "target" in features
            self.passed["string list"] += kind == "uima.cas.StringArray"
        elif len(ends) == len(_ENDS):
            texts = [values[name] for name in sorted(values) if name != "flavor"]
            label = next((value for value in texts if value), short(kind))
            self.relations.append((ends[0], ends[1], label, place["sofa"]))
        elif kind not in _FRAME or {kind, short(kind)} & {*self.asked}:
            layer = self.layers.setdefault(kind, _Layer())
            layer.marks.add(place["begin"], place["end"], values)
            layer.ids.append(number)
            layer.sofas.append(place["sofa"])

    def rename(self, numbers: Mapping[int, int]) -> None:
        """Give structures the numbers by which others know them."""
        self.texts = {numbers.get(key, key): text for key, text in self.texts.items()}
        for layer in self.layers.values():
            layer.ids = array("q", (numbers.get(number, number) for number in layer.ids))
        self.relations = [
            (numbers.get(first, first), numbers.get(second, second), label, text)
            for first, second, label, text in self.relations
        ]

    def page(self) -> CasDocument:
        """Return the page: the text of the initial view, and what is indexed in it."""
        names = {name: number for number, (name, _) in self.texts.items()}
        number = names.get(_VIEW, next(iter(names.values()), 0) if len(names) == 1 else 0)
        text = self.texts.get(number, ("", None))[1]
        if not isinstance(text, str):
            there = join_names(names) or "none"
            raise InputError(
                f"{self.location}: no text of a view {_VIEW} (views: {there}); {_AGAIN}, with its"
                " text"
            )
        layers: dict[str, LayerAnnotations] = {}
        marks: dict[int, Mark] = {}
        for kind, layer in self.layers.items():
            here = np.array(layer.sofas, np.int64) == number
            indexed = np.ones(len(here), np.bool_)
            if number in self.members:
                indexed = np.isin(np.array(layer.ids, np.int64), self.members[number])
            self.passed["other-view annotation"] += int((~here).sum())
            self.passed["unindexed annotation"] += int((here & ~indexed).sum())
            kept = here & indexed
            if kind.endswith("Link") and f"{kind[:-4]}Chain" in self.others:
                self.passed["chain link"] += int(kept.sum())
                continue
            bounds = (np.array(x, np.int64)[kept] for x in (layer.marks.start, layer.marks.end))
            start, end = (array("q", self._code_points(x, text, kind).tolist()) for x in bounds)
            values = {k: list(compress(column, kept)) for k, column in layer.marks.values.items()}
            layers[kind] = LayerAnnotations(start, end, values)
            marks |= {id_: (kind, i) for i, id_ in enumerate(compress(layer.ids, kept))}
        arcs = (
            Arc(marks.get(first), marks.get(second), label)
            for first, second, label, of_text in self.relations
            if of_text == number
        )
        return CasDocument(text, layers, +self.passed, relations=tuple(arcs))

    def _code_points(self, offsets: Ints, text: str, kind: str) -> Ints:
        """Return offsets in code points; those outside the text stay outside."""
        points, half = in_code_points(offsets, text, "UTF-16 units")
        if half is not None:
            raise InputError(
                f"{self.location}: {short(kind)} begins or ends at {half}, inside a character of"
                f" two UTF-16 units, which offsets of a CAS count; {_AGAIN}"
            )
        return points


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings in a mapping."""
    if isinstance(value, dict):
        yield from (entry for entry in value.values() if isinstance(entry, dict))


def _plain(value: object) -> str | None:
    """Return a value as XMI writes it; one that is not plain is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None
