"""Label Studio's exports, as rows of a corpus."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from html.parser import HTMLParser

from spanagree.corpus.details import SCORE
from spanagree.corpus.offsets import number_standing
from spanagree.errors import InputError, SettingError, join_names, pluralize, quote_value
from spanagree.files import PathName
from spanagree.formats.exports import check_named, nameless
from spanagree.formats.json_records import json_records
from spanagree.formats.label_studio.tasks import GROUND_TRUTH, Answer, SourceTask, SourceTasks
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record

_RESULTS = (" result", "choice", "region of sound")  # of what is no span
_NEEDED = "a list of tasks is needed, as Label Studio exports it"


def records(
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

    A task is a document. An annotation that was cancelled says that its annotator never saw the
    task, one with an empty result that she marked nothing. Offsets in UTF-16 units, as old
    versions wrote them, become code points where the text of the spans shows it.

    Args:
        path: the file.
        log: is told what is passed over.
        text: the key of the data that holds the text; needed if spans are in several texts.
        document: the path to the document's id in the data of a task; unless given, the number of
            the task.
        annotator_from: what names an annotator, ``email``, ``file`` or, unless given, ``id``.
        predictions: read predictions too, as layers that are called as their model's version.
        ground_truth: make a layer ``ground_truth`` of the annotations marked so, in place of
            those of their annotators.
        scores: read the scores of predicted regions, or else of predictions, as attributes.

    Raises:
        InputError: for a file that cannot be read or is not such an export.
        SettingError: for an unknown key or choice.
    """
    check_named(annotator_from, "id", "email", "file")
    export = SourceTasks(log, annotator_from, predictions, ground_truth, document)
    tasks = deque(export.read(json_records(path, _NEEDED)))
    if not tasks:
        raise InputError(f"{log.name}: no tasks; {_NEEDED}")
    results = {kind: n for kind, n in log.passed.items() if kind.endswith(_RESULTS) and n}
    if results and not any(task.regions for task in tasks):
        there = join_names(f"{kind} {number}" for kind, number in results.items())
        raise InputError(
            f"{log.name}: nothing is marked in a text, and other things are ({there}); regions of"
            " images or sound, chats and answers for a whole text are not read as spans"
        )
    key, targets = _text_key(tasks, text, log.name)
    answers = [answer for task in tasks for answer in task.answers]
    in_html = any(not targets.isdisjoint(answer.html) for answer in answers)
    by = Counter(answer.layer for answer in answers if not answer.is_model)
    del answers
    log.numbered = all(task.id is None for task in tasks)
    for number in range(1, len(tasks) + 1):
        task = tasks.popleft()  # which then is forgotten
        id_ = number if log.numbered else task.id
        content = {"text": _text_of(task, key, in_html=in_html)}
        of_task = (a if scores else a._replace(scores=()) for a in task.answers)
        annotations = (_annotation(a, task.location, targets, {*by}, log) for a in of_task)
        yield Record(task.location, id_, content, annotations)
    if moved := export.moved.total():
        names = join_names(name or "the file's annotator" for name in export.moved)
        log.notes.append(
            f"{log.name}: {pluralize(moved, 'annotation')} marked as ground truth, given to"
            f" {GROUND_TRUTH} in place of the annotators who made them: {names}"
        )
    if by[""]:
        log.notes += nameless(log.name, pluralize(by[""], "annotation"), "completed_by", {*by})


def _text_of(task: SourceTask, key: str, *, in_html: bool) -> str:
    """Return the text of a task in which spans are."""
    text = task.texts.get(key)
    if text is None:
        rest = f"there are {join_names(task.texts)}, and --text (text=) chooses the key that"
        raise InputError(
            f"{task.location}: no text {quote_value(key)} in its data"
            + (f"; {rest} all tasks have" if task.texts else ", nor any other; each task needs one")
        )
    return _plain(text) if in_html else text


def _annotation(
    answer: Answer, location: str, targets: Collection[str], people: Collection[str], log: ReadLog
) -> RawAnnotation:
    """Return what was marked in the text that is read."""
    clash = answer.is_model and answer.layer in people
    name = f"{answer.layer} (prediction)" if clash else answer.layer
    location = f"{location}, annotator {quote_value(name)}"
    if answer.regions is None:
        return RawAnnotation(name, None, location=location)
    spans: list[RawSpan] = []
    first_of: list[int | None] = []  # per region the number of its first span
    scores = answer.scores or (None,) * len(answer.regions)
    for (start, end, labels, surface, target), score in zip(answer.regions, scores, strict=True):
        is_read = target in targets
        first_of.append(len(spans) if is_read else None)
        details = None if score is None else {SCORE: str(score)}
        spans += [RawSpan(start, end, label, surface, details) for label in labels if is_read]
    log.passed["span in another text"] += first_of.count(None)
    pairs = [*zip(answer.ids, first_of, strict=True)] if answer.ids else []
    known = {id_: number for id_, number in pairs if number is not None}
    others = {id_ for id_, _ in pairs} - known.keys()
    relations = []
    for first, second, labels, directed in answer.relations:
        if {first, second} & others:
            log.passed["other relation"] += 1
            continue
        ends = known.get(first), known.get(second)
        relations += [RawRelation(*ends, label, location, directed) for label in labels]
    return RawAnnotation(name, spans, answer.when, relations, location=location)


def _text_key(tasks: Sequence[SourceTask], asked: str | None, name: str) -> tuple[str, set[str]]:
    """Return the key of the text, and the targets that the spans in it have."""
    keys = list(dict.fromkeys(key for task in tasks for key in task.texts))
    choose = f"the data of the tasks has {join_names(keys)}; --text (text=) chooses one"
    if not keys:
        raise InputError(
            f"{name}: no text in the data of the tasks; spans are in texts, which have to be in the"
            " export itself"
        )
    if asked is not None and asked not in keys:
        raise SettingError(f"{name}: no text {quote_value(asked)}: {choose}")
    fitting: dict[str, Counter[str]] = {}
    quoted: set[str] = set()  # targets whose spans have their words
    for task in tasks:
        for target in dict.fromkeys(region.target for region in task.regions):
            fitting.setdefault(target, Counter())
        in_html = any(answer.html for answer in task.answers)
        texts = {key: _plain(text) if in_html else text for key, text in task.texts.items()}
        for region in task.regions if len(keys) > 1 else ():
            if region.surface is not None:
                quoted.add(region.target)
                fits, span = fitting[region.target], (region.start, region.end, region.surface)
                fits.update(key for key, text in texts.items() if number_standing(text, [span]))
    best = {target: _best(fits, target, keys) for target, fits in fitting.items()}
    unknown = [target for target in best if target not in {*quoted, *keys}]
    if unknown and len(keys) > 1 and len(best) > 1:
        raise InputError(
            f"{name}: nothing shows in which text the spans of to_name {join_names(unknown)} are;"
            " the"
            f" data of the tasks has {join_names(keys)}: make to_name one of these, or add text to"
            " the value of each span, the words that it covers"
        )
    chosen = {key for key in best.values() if key is not None}
    if asked is None and len(chosen) > 1:
        raise InputError(f"{name}: there are spans in {join_names(sorted(chosen))}: {choose}")
    likely = [*chosen, "text"]
    only = keys[0] if len(keys) == 1 else None
    key = asked or next((target for target in likely if target in keys), only)
    if key is None:
        raise InputError(f"{name}: nothing shows in which text the spans are: {choose}")
    return key, {target for target, its_key in best.items() if its_key in (None, key)}


def _best(fits: Counter[str], target: str, keys: Sequence[str]) -> str | None:
    """Return the key of the text in which most spans of a target fit, if one does.

    Where no words of spans show it, as in predictions of a model, it is the key that the target is.
    """
    if not fits:
        return target if target in keys else None
    leaders = [key for key, count in fits.items() if count == max(fits.values())]
    preferred = [key for key in (target, "text") if key in leaders]
    return (preferred or leaders)[0] if preferred or len(leaders) == 1 else None


class _Plain(HTMLParser):
    """Gathers the text of HTML, in which a line break counts as one character."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "br":
            self.pieces.append("\n")


def _plain(html: str) -> str:
    """Return the text of HTML, over which globalOffsets count.

    >>> _plain("<p>A &amp; <b>B</b><br/>C</p>")
    'A & B\\nC'
    """
    parser = _Plain()
    parser.feed(html)
    parser.close()
    return "".join(parser.pieces)
