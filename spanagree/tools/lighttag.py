"""Reader of LightTag's JSON, with the annotators who saw each example and marked each span."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spanagree.files import PathName
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.paths import find_values
from spanagree.formats.records import ReadLog


def yield_example_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield the examples of a job, each with the spans of all annotators who saw it.

    If the whole job names no annotator, the file is the annotator; if it has no ``seen_by``, it is
    unknown whether annotators without a span saw an example.
    """
    for location, job in yield_json_records(path, encoding=encoding):
        log.count_unread_marks(job)
        has_seen_by = bool(find_values(job, "examples[*].seen_by[*]"))
        span_annotators = find_values(job, "examples[*].annotations[*].annotated_by[*]")
        annotators = dict.fromkeys(map(_get_annotator_name, span_annotators))
        for example_number, example in enumerate(job["examples"], 1):
            spans_by_annotator: dict[str, list[Any]] = {
                _get_annotator_name(person): [] for person in example.get("seen_by") or ()
            }
            if not has_seen_by and not annotators:
                spans_by_annotator[""] = []
            for span in example.get("annotations") or ():
                for person in span.get("annotated_by") or [{}]:
                    spans_by_annotator.setdefault(_get_annotator_name(person), []).append(span)
            all_annotators = (
                spans_by_annotator if has_seen_by else {**annotators, **spans_by_annotator}
            )
            relations = job.get("relations") if example_number == 1 else None
            yield (
                f"{location}, {example_number}",
                {**example, "by": all_annotators, "relations": relations},
            )


def _get_annotator_name(person: Mapping[str, Any]) -> str:
    """Return the name or id of an annotator; empty if there is none."""
    return str(person.get("annotator") or person.get("annotator_id") or "")
