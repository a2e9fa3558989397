"""Reader of Label Studio's exports.

The data of a task may have several texts, by key. The *target* of a region is the name of its text
in the settings of the project; its *surface* is the quoted text.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from html.parser import HTMLParser

from spanagree.corpus.details import SCORE
from spanagree.corpus.quoted_texts import count_matching_quotes
from spanagree.errors import InputError, SettingError, join_names, pluralize, quote_value
from spanagree.files import PathName
from spanagree.formats.exports import check_name_source, compose_nameless_note
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.label_studio.tasks import GROUND_TRUTH, Answer, SourceTask, SourceTasks
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record

_RESULTS = (" result", "choice", "region of sound")  # kinds of results that are not spans
_NEEDED = "a list of tasks is needed, as Label Studio exports it"


def yield_records(
    path: PathName,
    log: ReadLog,
    *,
    text: str | None = None,
    document: str | None = None,
    annotator_from: str | None = None,
    predictions: bool = False,
    ground_truth: bool = False,
    scores: bool = False,
) -> Iterator[Record]:
    """Yield the tasks of an export of Label Studio, JSON or JSON-MIN.

    A task is a document. The annotator of a cancelled annotation never saw the task; one with an
    empty result marked nothing. Offsets in UTF-16 units, as old versions wrote them, become code
    points if the text of the spans shows it.

    Args:
        path: path of the file.
        log: log of skipped results.
        text: key of the data with the text; needed if spans are in several texts.
        document: path to the document's id in the data of a task. Default: the task's number.
        annotator_from: name of an annotator, ``email``, ``file`` or ``id``, the default.
        predictions: True to read predictions too, as layers named by the version of their model.
        ground_truth: True to read annotations marked as ground truth as a layer ``ground_truth``,
            not as their annotators'.
        scores: True to read the scores of predicted regions, or of predictions, as attributes.

    Raises:
        InputError: if the file cannot be read or is no such export.
        SettingError: if a key or choice is unknown.
    """
    check_name_source(annotator_from, "id", "email", "file")
    export = SourceTasks(log, annotator_from, predictions, ground_truth, document)
    tasks = deque(export.yield_tasks(yield_json_records(path, _NEEDED)))
    if not tasks:
        raise InputError(f"{log.name}: no tasks; {_NEEDED}")
    results = {
        noun: count for noun, count in log.passed.items() if noun.endswith(_RESULTS) and count
    }
    if results and not any(task.regions for task in tasks):
        listing = join_names(f"{noun} {task_number}" for noun, task_number in results.items())
        raise InputError(
            f"{log.name}: nothing is marked in a text, and other things are ({listing}); regions of"
            " images or sound, chats and answers for a whole text are not read as spans"
        )
    key, targets = _find_text_key(tasks, text, log.name)
    answers = [answer for task in tasks for answer in task.answers]
    in_html = any(not targets.isdisjoint(answer.html) for answer in answers)
    n_answers_by_layer = Counter(answer.layer for answer in answers if not answer.is_model)
    del answers
    log.numbered = all(task.id is None for task in tasks)
    for task_number in range(1, len(tasks) + 1):
        task = tasks.popleft()  # frees memory
        id_ = task_number if log.numbered else task.id
        content = {"text": _find_text(task, key, in_html=in_html)}
        task_answers = (answer if scores else answer._replace(scores=()) for answer in task.answers)
        annotations = (
            _build_annotation(answer, task.location, targets, {*n_answers_by_layer}, log)
            for answer in task_answers
        )
        yield Record(task.location, id_, content, annotations)
    if n_moved := export.moved.total():
        names = join_names(name or "the file's annotator" for name in export.moved)
        log.notes.append(
            f"{log.name}: {pluralize(n_moved, 'annotation')} marked as ground truth, given to"
            f" {GROUND_TRUTH} in place of the annotators who made them: {names}"
        )
    if n_answers_by_layer[""]:
        log.notes += compose_nameless_note(
            log.name,
            pluralize(n_answers_by_layer[""], "annotation"),
            "completed_by",
            {*n_answers_by_layer},
        )


def _find_text(task: SourceTask, key: str, *, in_html: bool) -> str:
    """Find the text of a task by its key; if spans refer to HTML, without the tags."""
    text = task.texts.get(key)
    if text is None:
        advice = f"there are {join_names(task.texts)}, and --text (text=) chooses the key that"
        raise InputError(
            f"{task.location}: no text {quote_value(key)} in its data"
            + (
                f"; {advice} all tasks have"
                if task.texts
                else ", nor any other; each task needs one"
            )
        )
    return _extract_html_text(text) if in_html else text


def _build_annotation(
    answer: Answer,
    location: str,
    targets: Collection[str],
    annotators: Collection[str],
    log: ReadLog,
) -> RawAnnotation:
    """Build the annotation of an answer in the text that is read.

    ``targets`` are the names of this text in the settings. A model with the name of one of the
    ``annotators`` gets another.
    """
    has_same_name = answer.is_model and answer.layer in annotators
    name = f"{answer.layer} (prediction)" if has_same_name else answer.layer
    location = f"{location}, annotator {quote_value(name)}"
    if answer.regions is None:
        return RawAnnotation(name, None, location=location)
    spans: list[RawSpan] = []
    first_span_indices: list[int | None] = []  # index of the first span of each region
    scores = answer.scores or (None,) * len(answer.regions)
    for (start, end, labels, surface, target), score in zip(answer.regions, scores, strict=True):
        is_read = target in targets
        first_span_indices.append(len(spans) if is_read else None)
        details = None if score is None else {SCORE: str(score)}
        spans += [RawSpan(start, end, label, surface, details) for label in labels if is_read]
    log.passed["span in another text"] += first_span_indices.count(None)
    pairs = [*zip(answer.ids, first_span_indices, strict=True)] if answer.ids else []
    span_by_region = {id_: span_index for id_, span_index in pairs if span_index is not None}
    other_regions = {id_ for id_, _ in pairs} - span_by_region.keys()
    relations = []
    for first_id, second_id, labels, directed in answer.relations:
        if {first_id, second_id} & other_regions:
            log.passed["other relation"] += 1
            continue
        ends = span_by_region.get(first_id), span_by_region.get(second_id)
        relations += [RawRelation(*ends, label, location, directed) for label in labels]
    return RawAnnotation(name, spans, answer.when, relations, location=location)


def _find_text_key(
    tasks: Sequence[SourceTask], requested: str | None, name: str
) -> tuple[str, set[str]]:
    """Find the key of the text that is read, and the targets of the spans in it.

    ``requested`` is the key that the user named, or ``None``.
    """
    keys = list(dict.fromkeys(key for task in tasks for key in task.texts))
    choice = f"the data of the tasks has {join_names(keys)}; --text (text=) chooses one"
    if not keys:
        raise InputError(
            f"{name}: no text in the data of the tasks; spans are in texts, which have to be in the"
            " export itself"
        )
    if requested is not None and requested not in keys:
        raise SettingError(f"{name}: no text {quote_value(requested)}: {choice}")
    key_counts_by_target: dict[str, Counter[str]] = {}
    quoted: set[str] = set()  # targets of spans with their words
    for task in tasks:
        for target in dict.fromkeys(region.target for region in task.regions):
            key_counts_by_target.setdefault(target, Counter())
        in_html = any(answer.html for answer in task.answers)
        texts = {
            key: _extract_html_text(text) if in_html else text for key, text in task.texts.items()
        }
        for region in task.regions if len(keys) > 1 else ():
            if region.surface is not None:
                quoted.add(region.target)
                key_counts, span = (
                    key_counts_by_target[region.target],
                    (region.start, region.end, region.surface),
                )
                key_counts.update(
                    key for key, text in texts.items() if count_matching_quotes(text, [span])
                )
    key_by_target = {
        target: _find_best_key(key_counts, target, keys)
        for target, key_counts in key_counts_by_target.items()
    }
    unknown = [target for target in key_by_target if target not in {*quoted, *keys}]
    if unknown and len(keys) > 1 and len(key_by_target) > 1:
        raise InputError(
            f"{name}: nothing shows in which text the spans of to_name {join_names(unknown)} are;"
            " the"
            f" data of the tasks has {join_names(keys)}: make to_name one of these, or add text to"
            " the value of each span, the words that it covers"
        )
    used_keys = {key for key in key_by_target.values() if key is not None}
    if requested is None and len(used_keys) > 1:
        raise InputError(f"{name}: there are spans in {join_names(sorted(used_keys))}: {choice}")
    candidates = [*used_keys, "text"]
    only_key = keys[0] if len(keys) == 1 else None
    key = requested or next((target for target in candidates if target in keys), only_key)
    if key is None:
        raise InputError(f"{name}: nothing shows in which text the spans are: {choice}")
    return key, {
        target for target, target_key in key_by_target.items() if target_key in (None, key)
    }


def _find_best_key(key_counts: Counter[str], target: str, keys: Sequence[str]) -> str | None:
    """Find the key of the text that contains most spans of a target, if any.

    If no span has its words, as in predictions of a model, the key is the target.
    """
    if not key_counts:
        return target if target in keys else None
    leaders = [key for key, count in key_counts.items() if count == max(key_counts.values())]
    preferred = [key for key in (target, "text") if key in leaders]
    return (preferred or leaders)[0] if preferred or len(leaders) == 1 else None


class _TextParser(HTMLParser):
    """Parser that collects the text of HTML; a line break counts as one character."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "br":
            self.pieces.append("\n")


def _extract_html_text(html: str) -> str:
    """Extract the text of HTML, which globalOffsets refer to.

    >>> _extract_html_text("<p>A &amp; <b>B</b><br/>C</p>")
    'A & B\\nC'
    """
    parser = _TextParser()
    parser.feed(html)
    parser.close()
    return "".join(parser.pieces)
