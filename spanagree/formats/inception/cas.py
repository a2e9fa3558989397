"""Reader of UIMA CAS as XMI or JSON 0.4: stand-off annotations with offsets in UTF-16 units.

A CAS contains structures with features. A *sofa* is a text, and a *view* names the structures that
belong to it. The *frame* are types of every document, such as tokens and sentences.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, count
from typing import Any, BinaryIO

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.offset_units import convert_to_code_points
from spanagree.errors import InputError, invalid_value, is_integer, join_names, parse_whole_number
from spanagree.files import decode_bytes, parse_json
from spanagree.formats.file_head import FileHead
from spanagree.formats.inception.pages import (
    Arc,
    CasDocument,
    LayerAnnotations,
    Mark,
    shorten_layer,
    split_names,
)
from spanagree.formats.xml_elements import yield_elements

_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api."
_FRAME = {  # layers of the structure of a text, which are read on request only
    "uima.tcas.DocumentAnnotation",
    f"{_DKPRO}metadata.type.DocumentMetaData",
    f"{_DKPRO}metadata.type.TagsetDescription",
    f"{_DKPRO}segmentation.type.Sentence",
    f"{_DKPRO}segmentation.type.Token",
}
_VIEW = "_InitialView"
_PLACE = ("sofa", "begin", "end")
_ENDS = ("Governor", "Dependent")  # of a relation: features with its ends
_OLD = {"_context", "_views"}  # keys of JSON before version 0.4
_AGAIN = "export the document again, as UIMA CAS JSON 0.4 or XMI"


def looks_like_cas(start: FileHead) -> bool:
    """Check whether a file begins as a CAS in XMI or JSON does, in any version."""
    if start.shape == "xml":
        return any("http:///uima/cas.ecore" in line for line in start.lines)
    keys = set(start.objects[0]) if start.objects else set()
    return not keys.isdisjoint({"%TYPES", "%FEATURE_STRUCTURES", "%VIEWS"}) or keys >= _OLD


def read_xmi(source: BinaryIO, location: str, layer: str | None = None) -> CasDocument:
    """Read a CAS as XMI, in which the name of an element is the type of a structure.

    Args:
        source: file.
        location: printable path.
        layer: names of layers that are read even if they belong to the frame, such as tokens.

    Raises:
        InputError: if the file is not XMI, declares entities, or has no text or several.
    """
    cas = _Cas(location, layer)
    for element in yield_elements(source, location):
        package, _, name = element.tag.rpartition("}")
        package = package.removeprefix("{http:///").removesuffix(".ecore").replace("/", ".")
        features = {key: value for key, value in element.attrib.items() if not key.startswith("{")}
        ids = (value for key, value in element.attrib.items() if key.endswith("}id"))
        structure_id = cas.parse_integer(next(ids, "0"))
        if package == "uima.cas" and name == "View":
            members = map(cas.parse_integer, features.get("members", "").split())
            cas.members.setdefault(cas.parse_integer(features.get("sofa")), array("q")).extend(
                members
            )
        elif package == "uima.cas" and name == "Sofa":
            cas.texts[structure_id] = features.get("sofaID", ""), features.get("sofaString")
        else:
            offsets = {
                key: cas.parse_integer(features.pop(key)) for key in _PLACE if key in features
            }
            type_name = name if package == "uima.noNamespace" else f"{package}.{name}"
            ends = [cas.parse_integer(features.pop(end)) for end in _ENDS if end in features]
            cas.add_structure(type_name, structure_id, offsets, features, features, ends)
            cas.n_skipped["string list"] += len({child.tag for child in element})
    return cas.build_document()


def read_json(data: bytes, location: str, layer: str | None = None) -> CasDocument:
    """Read a CAS as JSON 0.4; see :func:`read_xmi`."""
    cas = _Cas(location, layer)
    counter = count(1)

    def add_structure(pairs: list[tuple[str, Any]]) -> Any:
        """Add a feature structure, and return a preliminary id until its own id is known."""
        features = dict(pairs)
        type_name = features.pop("%TYPE", None)
        if not isinstance(type_name, str):
            return features
        unnamed = -next(counter)
        structure_id = features.get("%ID", unnamed)
        if type_name == "uima.cas.Sofa":
            cas.texts[cas.parse_integer(structure_id)] = (
                str(features.get("sofaID")),
                features.get("sofaString"),
            )
            return unnamed
        features["sofa"] = features.get("@sofa")
        offsets = {
            key: cas.parse_integer(features.pop(key))
            for key in _PLACE
            if features.get(key) is not None
        }
        values = {
            key: _format_scalar(value) for key, value in features.items() if key[:1] not in "%@#^"
        }
        ends = [cas.parse_integer(features[f"@{end}"]) for end in _ENDS if f"@{end}" in features]
        cas.add_structure(
            type_name,
            cas.parse_integer(structure_id),
            offsets,
            values,
            {key.lstrip("@") for key in features},
            ends,
        )
        return unnamed

    root = parse_json(decode_bytes(location, data, "utf-8"), location, _AGAIN, add_structure)
    if not isinstance(root, dict) or root.keys() & _OLD:
        root_kind = "JSON" if not isinstance(root, dict) else "UIMA JSON of before version 0.4"
        raise InputError(f"{location}: {root_kind}, not CAS JSON; {_AGAIN}")
    structures = root.get("%FEATURE_STRUCTURES")
    if isinstance(structures, dict):
        cas.replace_ids({unnamed: cas.parse_integer(key) for key, unnamed in structures.items()})
    for view in _yield_mappings(root.get("%VIEWS")):
        members = view.get("%MEMBERS")
        if not isinstance(members, list):
            raise invalid_value(
                f"{location}: %MEMBERS", members, f"a list of numbers is needed: {_AGAIN}"
            )
        cas.members[cas.parse_integer(view.get("%SOFA"))] = array(
            "q", map(cas.parse_integer, members)
        )
    for declared in _yield_mappings(root.get("%TYPES")):
        if declared.get("%SUPER_TYPE") == "uima.tcas.Annotation":
            cas.layers.setdefault(str(declared.get("%NAME")), _Layer())
    return cas.build_document()


@dataclass(eq=False)
class _Layer:
    """Annotations of a type, their ids, and the id of the text (sofa) of each."""

    marks: LayerAnnotations = field(default_factory=LayerAnnotations)
    ids: array[int] = field(default_factory=lambda: array("q"))
    sofas: array[int] = field(default_factory=lambda: array("q"))


class _Cas:
    """Contents of a CAS that were read so far; a text may follow its annotations."""

    def __init__(self, location: str, layer: str | None) -> None:
        self.location = location
        self.requested_names = split_names(layer)
        self.layers: dict[str, _Layer] = {}
        self.types_without_offsets: set[str] = set()  # types of structures without offsets
        self.n_skipped: Counter[str] = Counter()
        self.texts: dict[int, tuple[str, str | None]] = {}
        self.members: dict[int, array[int]] = {}  # ids of the structures in the view of each text
        self.relations: list[tuple[int, int, str, int]] = []  # ends, label, text

    def parse_integer(self, value: object) -> int:
        """Parse an offset or id, which XMI writes as text."""
        if isinstance(value, str) and value.removeprefix("-").isdecimal():
            return parse_whole_number(value, f"{self.location}: number")
        if is_integer(value) and abs(value) < 1 << 60:
            return value
        raise invalid_value(
            f"{self.location}: offset or number", value, f"a whole number is needed: {_AGAIN}"
        )

    def add_structure(
        self,
        type_name: str,
        structure_id: int,
        offsets: Mapping[str, int],
        values: Mapping[str, str | None],
        features: Iterable[str],
        ends: Sequence[int],
    ) -> None:
        """Add a feature structure: an annotation, or part of a chain, slot or list.

        Args:
            type_name: type of the structure.
            structure_id: id of the structure.
            offsets: offsets, and the id of the text.
            values: values by feature.
            features: names of all its features.
            ends: ids of the ends of a relation.
        """
        if len(offsets) < len(_PLACE):
            self.types_without_offsets.add(type_name)
            self.n_skipped["slot filler"] += "target" in features
            self.n_skipped["string list"] += type_name == "uima.cas.StringArray"
        elif len(ends) == len(_ENDS):
            texts = [values[name] for name in sorted(values) if name != "flavor"]
            label = next((value for value in texts if value), shorten_layer(type_name))
            self.relations.append((ends[0], ends[1], label, offsets["sofa"]))
        elif type_name not in _FRAME or {type_name, shorten_layer(type_name)} & {
            *self.requested_names
        }:
            layer = self.layers.setdefault(type_name, _Layer())
            layer.marks.add_annotation(offsets["begin"], offsets["end"], values)
            layer.ids.append(structure_id)
            layer.sofas.append(offsets["sofa"])

    def replace_ids(self, final_ids: Mapping[int, int]) -> None:
        """Replace preliminary ids."""
        self.texts = {final_ids.get(key, key): text_id for key, text_id in self.texts.items()}
        for layer in self.layers.values():
            layer.ids = array("q", (final_ids.get(id_, id_) for id_ in layer.ids))
        self.relations = [
            (final_ids.get(first_id, first_id), final_ids.get(second_id, second_id), label, text_id)
            for first_id, second_id, label, text_id in self.relations
        ]

    def build_document(self) -> CasDocument:
        """Build the document: the text of the initial view, and the annotations indexed in it."""
        names = {name: text_id for text_id, (name, _) in self.texts.items()}
        text_id = names.get(_VIEW, next(iter(names.values()), 0) if len(names) == 1 else 0)
        text = self.texts.get(text_id, ("", None))[1]
        if not isinstance(text, str):
            views = join_names(names) or "none"
            raise InputError(
                f"{self.location}: no text of a view {_VIEW} (views: {views}); {_AGAIN}, with its"
                " text"
            )
        layers: dict[str, LayerAnnotations] = {}
        marks: dict[int, Mark] = {}
        for type_name, layer in self.layers.items():
            is_in_text = np.array(layer.sofas, np.int64) == text_id
            is_indexed = np.ones(len(is_in_text), np.bool_)
            if text_id in self.members:
                is_indexed = np.isin(np.array(layer.ids, np.int64), self.members[text_id])
            self.n_skipped["other-view annotation"] += int((~is_in_text).sum())
            self.n_skipped["unindexed annotation"] += int((is_in_text & ~is_indexed).sum())
            is_kept = is_in_text & is_indexed
            if (
                type_name.endswith("Link")
                and f"{type_name[:-4]}Chain" in self.types_without_offsets
            ):
                self.n_skipped["chain link"] += int(is_kept.sum())
                continue
            bounds = (
                np.array(offsets, np.int64)[is_kept]
                for offsets in (layer.marks.start, layer.marks.end)
            )
            start, end = (
                array("q", self._convert_to_code_points(offsets, text, type_name).tolist())
                for offsets in bounds
            )
            values = {
                feature: list(compress(column, is_kept))
                for feature, column in layer.marks.values.items()
            }
            layers[type_name] = LayerAnnotations(start, end, values)
            marks |= {id_: (type_name, i) for i, id_ in enumerate(compress(layer.ids, is_kept))}
        arcs = (
            Arc(marks.get(first_id), marks.get(second_id), label)
            for first_id, second_id, label, text_of_relation in self.relations
            if text_of_relation == text_id
        )
        return CasDocument(text, layers, +self.n_skipped, relations=tuple(arcs))

    def _convert_to_code_points(self, offsets: Ints, text: str, type_name: str) -> Ints:
        """Convert offsets to code points; offsets outside the text stay outside."""
        points, split_offset = convert_to_code_points(offsets, text, "UTF-16 units")
        if split_offset is not None:
            raise InputError(
                f"{self.location}: {shorten_layer(type_name)} begins or ends at {split_offset},"
                " inside a character of"
                f" two UTF-16 units, which offsets of a CAS count; {_AGAIN}"
            )
        return points


def _yield_mappings(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings among the values of a mapping."""
    if isinstance(value, dict):
        yield from (entry for entry in value.values() if isinstance(entry, dict))


def _format_scalar(value: object) -> str | None:
    """Format a scalar as XMI writes it; `None` for other values."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None
