"""Tasks of a Label Studio export, JSON or JSON-MIN: annotators and the regions that they marked."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from spanagree.corpus.raw import convert_integer_to_text
from spanagree.errors import InputError, invalid_value, is_integer, join_names, quote_value
from spanagree.formats.exports import OUR_ID, check_objects, convert_to_seconds
from spanagree.formats.file_head import FileHead
from spanagree.formats.paths import find_first_value
from spanagree.formats.records import ReadLog
from spanagree.formats.spans_beside import is_labelled_span

GROUND_TRUTH = "ground_truth"
"""Layer of the annotations marked as ground truth, if requested."""

_SPANS = ("labels", "hypertextlabels", "paragraphlabels")
_NAMES = frozenset((str, type(None)))  # the types of labels
_SAID = (
    "text",
    "phrase",
    "utterance",
    "body",
    "content",
    "message",
)  # keys of the text of a paragraph
_KINDS = {"choices": "choice"}
# keys in JSON-MIN: of the annotation, of a span, and of other results
_OF_MIN = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", OUR_ID}
_OF_SPAN = {"start", "end", "text", "startOffset", "endOffset", "globalOffsets", *_SPANS}
_OTHERS = {"choices", "taxonomy", "rating", "textarea", "pairwise"}


class Region(NamedTuple):
    """A marked span; ``target`` is the name of the text in the project's settings.

    A large export has many regions, so that rare properties are kept in :class:`Answer`.
    """

    start: int
    end: int
    labels: tuple[str | None, ...]
    surface: str | None
    target: str


class RegionRelation(NamedTuple):
    """A relation between regions, by their ids; with a direction it leads from first to second."""

    first: str
    second: str
    labels: tuple[str, ...]
    directed: bool


class Answer(NamedTuple):
    """Regions that an annotator or a model marked in a task.

    Attributes:
        layer: name of the annotator or model.
        when: time in seconds, or `None`.
        regions: marked regions, or `None` if the task was not seen.
        is_model: True for a prediction.
        relations: relations between regions.
        ids: id of each region, if there are relations.
        html: targets with offsets in the text of HTML.
        scores: score of each region, or of the whole prediction.
    """

    layer: str
    when: float | None
    regions: list[Region] | None
    is_model: bool = False
    relations: tuple[RegionRelation, ...] = ()
    ids: tuple[str, ...] = ()
    html: tuple[str, ...] = ()
    scores: tuple[Any, ...] = ()


class SourceTask(NamedTuple):
    """A task: its texts by their keys, and its answers."""

    location: str
    id: Any
    texts: dict[str, str]
    answers: list[Answer]

    @property
    def regions(self) -> list[Region]:
        """Regions of all answers."""
        return [region for answer in self.answers for region in answer.regions or ()]


def looks_like_label_studio(start: FileHead) -> bool:
    """Check whether a file begins as a JSON or JSON-MIN export does."""
    return any(_is_task(entry) or _is_min_row(entry) for entry in start.objects)


def _count_spans(entry: Mapping[str, Any]) -> int:
    """Count the spans in an annotation that is not read."""
    result = entry.get("result")
    items = result if isinstance(result, list) else []
    return sum(isinstance(item, dict) and item.get("type") in _SPANS for item in items)


def _is_task(entry: Mapping[str, Any]) -> bool:
    """Check whether a record is a task of a JSON export, with data and lists of answers."""
    lists = (entry.get(key) for key in ("annotations", "completions", "predictions"))
    return isinstance(entry.get("data"), dict) and any(isinstance(value, list) for value in lists)


def _is_min_row(entry: Mapping[str, Any]) -> bool:
    """Check whether a record is a row of JSON-MIN."""
    return {"id", "annotator"} <= entry.keys() and not {"annotation_id", "lead_time"}.isdisjoint(
        entry
    )


class SourceTasks:
    """Reader of tasks, which counts skipped results.

    ``annotator_from`` is the name of an annotator: ``id``, ``email`` or ``file``.
    """

    def __init__(
        self,
        log: ReadLog,
        annotator_from: str | None,
        predictions: bool,
        ground_truth: bool,
        document: str | None = None,
    ) -> None:
        self.log, self.passed, self.within = log, log.passed, log.within
        self.annotator_from = annotator_from
        self.predictions = predictions
        self.ground_truth = ground_truth
        self.document = document
        self.moved: Counter[str] = Counter()
        """Number of annotations of each annotator that are ground truth."""
        self._emails: dict[str, str] = {}

    def yield_tasks(self, records: Iterable[tuple[str, Any]]) -> Iterator[SourceTask]:
        """Yield the tasks in the records of an export.

        Raises:
            InputError: if a record is not a task of Label Studio.
        """
        for record_location, entry in records:
            if not isinstance(entry, dict):
                raise invalid_value(
                    f"{record_location}:", entry, "Label Studio has an object for each task"
                )
            id_ = entry.get("id")
            location = (
                record_location if id_ is None else f"{record_location}, task {quote_value(id_)}"
            )
            if isinstance(entry.get("data"), dict):
                yield self._read_task(entry, location)
            elif _is_min_row(entry):
                yield self._read_min_row(entry, location)
            else:
                raise InputError(
                    f"{location}: neither data, as in Label Studio's JSON, nor annotator, as in its"
                    f" JSON-MIN; the keys are {join_names(entry)}: export the project"
                    " once more, as JSON"
                )

    def _read_task(self, entry: Mapping[str, Any], location: str) -> SourceTask:
        """Read a task of a JSON export."""
        self.log.count_unread_marks(entry)
        data = entry["data"]
        id_ = self._find_id(data, data.get(OUR_ID, entry.get("id")), location)
        answers = []
        for key in ("annotations", "completions"):
            for annotation in check_objects(entry.get(key), key, location):
                reviews = check_objects(annotation.get("reviews"), "reviews", location)
                self.passed["review"] += len(reviews)
                answers.append(self._read_annotation(annotation, location, data))
        if self.predictions:
            predictions = check_objects(entry.get("predictions"), "predictions", location)
            answers += (
                self._read_prediction(prediction, location, data) for prediction in predictions
            )
        for key in ("drafts", *(() if self.predictions else ("predictions",))):
            if isinstance(entry.get(key), list):  # a list of objects, or of their ids
                self.passed[key[:-1]] += len(entry[key])
                objects = (item for item in entry[key] if isinstance(item, dict))
                self.within[f"in {key}"] += sum(map(_count_spans, objects))
        return SourceTask(location, id_, _collect_texts(data), answers)

    def _read_annotation(
        self, entry: Mapping[str, Any], location: str, data: Mapping[str, Any]
    ) -> Answer:
        """Read the answer of an annotator; a cancelled annotation has no spans."""
        layer = self.get_annotator_name(entry.get("completed_by"), location)
        if entry.get("was_cancelled") or entry.get("skipped"):
            self.passed["cancelled annotation"] += 1
            self.within["in cancelled annotations"] += _count_spans(entry)
            return Answer(layer, _find_time_of_change(entry), None)
        if self.ground_truth and entry.get("ground_truth"):
            self.moved[layer] += 1
            layer = GROUND_TRUTH
        return self._read_answer(entry, location, data, layer)

    def _read_prediction(
        self, entry: Mapping[str, Any], location: str, data: Mapping[str, Any]
    ) -> Answer:
        """Read the answer of a model, named after its version."""
        version = convert_integer_to_text(entry.get("model_version"))
        model = version if isinstance(version, str) and version else "predictions"
        return self._read_answer(entry, location, data, model, is_model=True)

    def _read_answer(
        self,
        entry: Mapping[str, Any],
        location: str,
        data: Mapping[str, Any],
        layer: str,
        *,
        is_model: bool = False,
    ) -> Answer:
        """Read the spans in the result of an annotation or prediction, and count other results.

        ``entry`` is the annotation, ``data`` the data of its task, and ``layer`` the name of the
        annotator or model.
        """
        regions: list[Region] = []
        ids: list[Any] = []
        scores: list[Any] = []
        relations: list[RegionRelation] = []
        html: dict[str, None] = {}
        items = check_objects(entry.get("result"), "result", location)
        labelled = {str(item.get("id")) for item in items if item.get("type") in _SPANS}
        for item in items:
            result_type, value = str(item.get("type")), item.get("value")
            is_unlabelled = result_type not in _SPANS and str(item.get("id")) not in labelled
            if is_unlabelled and (span := _convert_taxonomy(value)):
                labelled.add(str(item.get("id")))
                result_type, value = "labels", span
            if result_type == "relation":
                relations.append(_read_relation(item))
                continue
            if result_type in _SPANS and not isinstance(value, (dict, type(None))):
                raise invalid_value(f"{location}: value", value, "an object is needed")
            is_sound = "original_length" in item or (isinstance(value, dict) and "channel" in value)
            is_whole_turn = result_type == "paragraphlabels" and "startOffset" not in (value or ())
            if result_type in _SPANS and isinstance(value, dict) and not is_sound | is_whole_turn:
                region = _read_region(value, str(item.get("to_name", "")), location, data)
                if "globalOffsets" in value and _is_in_html(value):
                    html[region.target] = None
                regions.append(region)
                ids.append(item.get("id"))
                scores.append(item.get("score", entry.get("score")))
            else:
                noun = (
                    "region of sound"
                    if is_sound
                    else _KINDS.get(result_type, f"{result_type} result")
                )
                self.passed[noun] += 1
                has_place = isinstance(value, dict) and "start" in value and not is_sound
                self.within[f"in {noun}s"] += has_place
        names = tuple(map(str, ids)) if relations else ()
        model_scores = tuple(scores) if is_model else ()
        answer = Answer(
            layer, _find_time_of_change(entry), regions, is_model, (*relations,), names, (*html,)
        )
        return answer._replace(scores=model_scores)

    def _read_min_row(self, entry: Mapping[str, Any], location: str) -> SourceTask:
        """Read a row of JSON-MIN, which is one annotation, as a task."""
        regions = []
        html: dict[str, None] = {}
        data_values = [value for key, value in entry.items() if key not in _OF_MIN]
        in_lists = [item for value in data_values if isinstance(value, list) for item in value]
        items = [item for item in (*data_values, *in_lists) if isinstance(item, dict)]
        labelled = {_format_bounds(item) for item in items if not {*_SPANS}.isdisjoint(item)}
        for key, value in entry.items():
            values = [] if key in _OF_MIN else value if isinstance(value, list) else [value]
            for item in (result for result in values if isinstance(result, dict)):
                if (span := _convert_taxonomy(item)) and _format_bounds(item) not in labelled:
                    labelled.add(_format_bounds(item))
                    item = span
                if {"start", "end"} <= item.keys() <= _OF_SPAN:
                    regions.append(_read_region(item, key, location, entry))
                    html |= {key: None} if _is_in_html(item) else {}
                elif result_type := next(
                    (name for name in item if name in _OTHERS or name.endswith("labels")), ""
                ):
                    noun = _KINDS.get(result_type, f"{result_type} result")
                    self.passed[noun] += 1
                    self.within[f"in {noun}s"] += "start" in item
                elif is_labelled_span(item):  # a span with the keys of another tool
                    self.passed["other span"] += 1
        layer = self.get_annotator_name(entry.get("annotator"), location)
        texts = {key: value for key, value in _collect_texts(entry).items() if key not in _OF_MIN}
        answer = Answer(layer, _find_time_of_change(entry), regions, html=tuple(html))
        return SourceTask(
            location,
            self._find_id(entry, entry.get(OUR_ID, entry["id"]), location),
            texts,
            [answer],
        )

    def _find_id(self, data: Mapping[str, Any], task_id: Any, location: str) -> Any:
        """Find the id of a task: the value at the path in its data, if the user named a path."""
        if self.document is None:
            return task_id
        id_ = find_first_value(data, self.document)
        if id_ is None:
            raise InputError(
                f"{location}: nothing at document {quote_value(self.document)} in its data, which"
                f" has {join_names(data)}; name a path to the id in every task"
            )
        return id_

    def get_annotator_name(self, completed_by: object, location: str) -> str:
        """Return the name of an annotator; empty for the annotator of the file."""
        if completed_by is None or self.annotator_from == "file":
            return ""
        if self.annotator_from == "email":
            return self._extract_name_from_email(completed_by, location)
        keys = ("id", "email", "username")
        values = (
            [completed_by.get(key) for key in keys]
            if isinstance(completed_by, Mapping)
            else [completed_by]
        )
        name = convert_integer_to_text(next((value for value in values if value is not None), None))
        if isinstance(name, str) and name:
            return sys.intern(name)
        raise invalid_value(
            f"{location}: annotator",
            completed_by,
            "a number, a name, or an object with id is needed",
        )

    def _extract_name_from_email(self, completed_by: object, location: str) -> str:
        """Extract the name before the ``@``; raise if two e-mails have the same name."""
        email = completed_by.get("email") if isinstance(completed_by, Mapping) else completed_by
        name, at_sign, _ = email.partition("@") if isinstance(email, str) else ("", "", "")
        if not (name and at_sign):
            expected = "an e-mail is needed; without --annotator-from email, numbers are names"
            raise invalid_value(f"{location}: annotator", completed_by, expected)
        known_email = self._emails.setdefault(name, str(email))
        if known_email != email:
            raise InputError(
                f"{location}: the annotators {quote_value(email)} and {quote_value(known_email)}"
                " are both"
                " called"
                f" {quote_value(name)}; leave out --annotator-from email, so that numbers are names"
            )
        return sys.intern(name)


def _format_bounds(span: Mapping[str, Any]) -> str:
    """Format the offsets of a span for a message."""
    return f"{span.get('start')}–{span.get('end')}"


def _convert_taxonomy(value: Any) -> dict[str, Any] | None:
    """Convert a span with a taxonomy to a span with paths as labels; `None` for other values.

    A taxonomy that describes a span with other labels has the same form.

    >>> _convert_taxonomy({"start": 0, "end": 4, "taxonomy": [["Place", "City"], ["Name"]]})
    {'start': 0, 'end': 4, 'labels': ['Place/City', 'Name']}
    """
    if not isinstance(value, dict) or not {"start", "end", "taxonomy"} <= value.keys():
        return None
    paths = value["taxonomy"] if isinstance(value["taxonomy"], list) else [value["taxonomy"]]
    labels = ["/".join(map(str, path)) if isinstance(path, list) else path for path in paths]
    return {**{key: value[key] for key in value if key != "taxonomy"}, "labels": labels}


def _read_relation(item: Mapping[str, Any]) -> RegionRelation:
    """Read a relation from an item of a result."""
    ends = [str(item.get(key)) for key in ("from_id", "to_id")]
    if item.get("direction") == "left":
        ends.reverse()
    labels = tuple(map(str, item.get("labels") or ["relation"]))
    return RegionRelation(ends[0], ends[1], labels, item.get("direction") != "bi")


def _collect_texts(data: Mapping[str, Any]) -> dict[str, str]:
    """Collect the texts in the data of a task, by key; paragraphs are joined by newlines."""
    texts = {key: text for key, text in data.items() if isinstance(text, str) and key != OUR_ID}
    return {
        **texts,
        **{key: "\n".join(paragraphs) for key, paragraphs in _collect_paragraphs(data).items()},
    }


def _collect_paragraphs(data: Mapping[str, Any]) -> dict[str, list[str]]:
    """Collect the texts of the paragraphs of each dialogue, by the key of the data.

    The text has a usual name; without another text, it may be the longest value of each paragraph.
    """
    is_alone = not any(isinstance(value, str) for value in data.values())
    dialogues = {}
    for key, turns in data.items():
        if isinstance(turns, list) and turns and all(map(_is_turn, turns)):
            names = [
                name for name in turns[0] if all(isinstance(turn.get(name), str) for turn in turns)
            ]
            sizes = {name: sum(len(turn[name]) for turn in turns) for name in names}
            text_names = [name for name in _SAID if name in sizes]
            text_names += sorted(sizes, key=sizes.__getitem__)[-1:] if is_alone else []
            if text_names:
                dialogues[key] = [turn[text_names[0]] for turn in turns]
    return dialogues


def _is_turn(item: Any) -> bool:
    """Check whether a value is a paragraph, which may have times, and not an annotation."""
    return (
        isinstance(item, dict)
        and not {"start", "end"} <= item.keys() <= _OF_SPAN
        and not any(str(key).endswith("labels") or key in _OTHERS for key in item)
    )


def _convert_paragraph_offsets(
    value: Mapping[str, Any], target: str, location: str, data: Mapping[str, Any]
) -> tuple[int, int]:
    """Convert paragraph indices and offsets in them to start and end of a span.

    ``target`` is the key of the dialogue in the data of the task.

    Raises:
        InputError: if a paragraph does not exist.
    """
    dialogues = _collect_paragraphs(data)
    key = target if target in dialogues else next(iter(dialogues), "")
    paragraphs = dialogues.get(key, [])
    bounds = []
    for end_name, offset_name in (("start", "startOffset"), ("end", "endOffset")):
        paragraph_name = value[end_name]
        paragraph_index = int(paragraph_name) if str(paragraph_name).isdigit() else len(paragraphs)
        if paragraph_index >= len(paragraphs) or not is_integer(value.get(offset_name)):
            expected = f"a paragraph from 0 to {len(paragraphs) - 1} and a place in it are needed"
            raise invalid_value(f"{location}: {end_name}", paragraph_name, expected)
        bounds.append(
            sum(len(paragraph) + 1 for paragraph in paragraphs[:paragraph_index])
            + value[offset_name]
        )
    return bounds[0], bounds[1]


def _is_in_html(value: Mapping[str, Any]) -> bool:
    """Check whether the offsets of a span count the text of HTML; in paragraphs, plain text."""
    offsets = value.get("globalOffsets")
    in_turn = "paragraphlabels" in value and "startOffset" in value
    return offsets is not None and not in_turn


def _read_region(
    value: Mapping[str, Any], target: str, location: str, data: Mapping[str, Any]
) -> Region:
    """Read the region that a value describes, in the text with the name ``target``.

    ``data`` are the data of the task, with its texts.
    """
    start, end = value.get("start"), value.get("end")
    if "paragraphlabels" in value and "startOffset" in value:
        start, end = _convert_paragraph_offsets(value, target, location, data)
        is_in_several = value["start"] != value["end"]  # the text between paragraphs varies
        value = {
            key: entry
            for key, entry in value.items()
            if key != "globalOffsets" and not (is_in_several and key == "text")
        }
    offsets = value.get("globalOffsets")
    if isinstance(offsets, dict):
        start, end = offsets.get("start"), offsets.get("end")
    elif isinstance(start, str) and start.startswith("/"):
        raise InputError(
            f"{location}: a span starts at {quote_value(start)}, a path in HTML, and has no"
            " globalOffsets;"
            " submit the annotation once more in a current version of Label Studio, which adds them"
        )
    if not is_integer(start) or not is_integer(end):
        raise invalid_value(f"{location}: start and end", (start, end), "whole numbers are needed")
    labels = next(filter(None, map(value.get, _SPANS)), [None])
    if not isinstance(labels, list) or not _NAMES.issuperset(map(type, labels)):
        raise invalid_value(f"{location}: labels", labels, "a list of names is needed")
    surface = value.get("text")
    surface_text = (
        sys.intern(surface) if isinstance(surface, str) else None
    )  # texts are often repeated
    names = _reuse_equal_labels(tuple(labels))
    return Region(start, end, names, surface_text, sys.intern(target))


@lru_cache(maxsize=1000)
def _reuse_equal_labels(labels: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """Reuse one object for equal labels, which many regions have."""
    return labels


def _find_time_of_change(entry: Mapping[str, Any]) -> float | None:
    """Find the time of the last change of an annotation in seconds, or `None`."""
    times = (convert_to_seconds(entry.get(key)) for key in ("updated_at", "created_at"))
    return next((time for time in times if time is not None), None)
