"""Collection of the pieces, attributes and relations of segments, during reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanagree.corpus.details import NOWHERE, Pieces, SegmentDetails
from spanagree.corpus.raw import convert_integer_to_text
from spanagree.errors import invalid_value


class CollectedDetails:
    """Pieces, attributes and relations of the segments of a source, collected one by one.

    Attributes:
        pieces: pieces of the segments with several, by index of the segment.
    """

    def __init__(self) -> None:
        self.pieces: dict[int, Pieces] = {}
        self._attributes: dict[int, dict[str, str]] = {}
        self._relations: list[tuple[int, int, str, bool, str]] = []

    def add_attributes(self, segment: int, values: Mapping[Any, Any], location: str) -> None:
        """Add the attributes of a segment that have a value, by the index of the segment."""
        for name, value in values.items():
            if value is not None:
                is_truth = isinstance(value, bool)
                as_text = str(value).lower() if is_truth else convert_integer_to_text(value)
                self._add_attribute(segment, name, as_text, location)

    def _add_attribute(self, segment: int, name: object, value: object, location: str) -> None:
        """Add a value of an attribute to a segment; several values are joined by ``;``."""
        for entry_name, entry in (("name", name), ("value", value)):
            if not isinstance(entry, str) or not entry.strip():
                raise invalid_value(
                    f"{location}: {entry_name} of an attribute", entry, "a string that is not blank"
                )
        values_by_name = self._attributes.setdefault(segment, {})
        known_values = values_by_name.get(str(name), "").split(";")
        new_values = [
            new_value for new_value in str(value).split(";") if new_value not in known_values
        ]
        values_by_name[str(name)] = ";".join([*filter(None, known_values), *new_values])

    def add_relation(
        self, first: int | None, second: int | None, label: object, location: str, directed: object
    ) -> None:
        """Add a relation between two segments.

        ``first`` and ``second`` are indices of segments; ``None`` if a segment is missing.
        ``directed`` is True if the relation leads from the first to the second.
        """
        if not isinstance(label, str) or not label.strip():
            raise invalid_value(
                f"{location}: label of a relation", label, "a string that is not blank"
            )
        if not isinstance(directed, bool):
            raise invalid_value(f"{location}: directed", directed, "true or false is needed")
        head, tail = (NOWHERE if end is None else end for end in (first, second))
        self._relations.append((head, tail, label, directed, location))

    def build(self, n_segments: int) -> SegmentDetails | None:
        """Build the details of all segments; ``None`` if there are none."""
        return SegmentDetails.from_rows(n_segments, self.pieces, self._attributes, self._relations)
