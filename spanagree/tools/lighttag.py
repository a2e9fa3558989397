"""LightTag's JSON: who saw each example, and who marked each span in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spanagree.files import PathName
from spanagree.formats.json_records import json_records
from spanagree.formats.paths import values_at
from spanagree.formats.records import ReadLog


def example_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield the examples of a job, each with the spans of all who saw it.

    Where nobody is named in the whole job, they are the file's annotator's; where it has no
    ``seen_by``, who marked nothing in an example is not said.
    """
    for location, job in json_records(path, encoding=encoding):
        log.count_unread_marks(job)
        is_said = bool(values_at(job, "examples[*].seen_by[*]"))
        marking = values_at(job, "examples[*].annotations[*].annotated_by[*]")
        others = dict.fromkeys(map(_name, marking))
        for number, example in enumerate(job["examples"], 1):
            by: dict[str, list[Any]] = {_name(p): [] for p in example.get("seen_by") or ()}
            if not is_said and not others:
                by[""] = []
            for span in example.get("annotations") or ():
                for person in span.get("annotated_by") or [{}]:
                    by.setdefault(_name(person), []).append(span)
            people = by if is_said else {**others, **by}
            relations = job.get("relations") if number == 1 else None
            yield f"{location}, {number}", {**example, "by": people, "relations": relations}


def _name(person: Mapping[str, Any]) -> str:
    return str(person.get("annotator") or person.get("annotator_id") or "")
