"""Label Studio's exports, as rows of a corpus."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Sequence
from html.parser import HTMLParser

from spanagree.corpus.collector import Collector
from spanagree.corpus.offsets import stands_in_some_unit
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, SettingError, counted, listed, printable, show
from spanagree.files import PathName
from spanagree.formats.exports import check_named, nameless
from spanagree.formats.json_records import json_records
from spanagree.formats.label_studio.tasks import Task, Tasks
from spanagree.formats.peek import passed_over
from spanagree.settings import as_read

_RESULTS = (" result", "choice", "region of sound")  # of what is no span
_NEEDED = "a list of tasks is needed, as Label Studio exports it"


def raw_label_studio(
    path: PathName,
    *,
    text: str | None = None,
    annotator_from: str | None = None,
    predictions: bool = False,
    ground_truth: bool = False,
) -> RawCorpus:
    """Return the rows of an export of Label Studio, JSON or JSON-MIN, unchecked.

    A task is a document. An annotation that was cancelled says that its annotator never saw the
    task, one with an empty result that she marked nothing. Offsets in UTF-16 units, as old
    versions wrote them, become code points where the text of the spans shows it.

    Args:
        path: the file.
        text: the key of the data that holds the text; needed if spans are in several texts.
        annotator_from: what names an annotator, ``email``, ``file`` or, unless given, ``id``.
        predictions: read predictions too, as layers that are called as their model's version.
        ground_truth: make a layer ``ground_truth`` of the annotations marked so, in place of
            those of their annotators.

    Raises:
        InputError: for a file that cannot be read or is not such an export.
        SettingError: for an unknown key or choice.
    """
    check_named(annotator_from, "id", "email", "file")
    name = printable(os.fspath(path))
    export = Tasks(annotator_from, predictions, ground_truth)
    tasks = deque(export.read(json_records(path, _NEEDED)))
    if not tasks:
        raise InputError(f"{name}: no tasks; {_NEEDED}")
    results = {kind: n for kind, n in export.passed.items() if kind.endswith(_RESULTS) and n}
    if results and not any(task.regions for task in tasks):
        there = listed(f"{kind} {number}" for kind, number in results.items())
        raise InputError(
            f"{name}: nothing is marked in a text, and other things are ({there}); regions of"
            " images or sound, chats and answers for a whole text are not read as spans"
        )
    rows = _Rows(name, tasks, text)
    for number in range(1, len(tasks) + 1):
        rows.add(tasks.popleft(), number)  # which then is forgotten
    notes = [*passed_over(name, export.passed + rows.passed)]
    if rows.nameless:
        what = counted(rows.nameless, "annotation")
        notes += nameless(name, what, "completed_by", rows.people)
    options = as_read(
        text=text,
        annotator_from=annotator_from,
        predictions=predictions,
        ground_truth=ground_truth,
    )
    reading = {"format": "label-studio", **options}
    return rows.collector.raw(reading, notes, numbered=rows.numbered)


class _Rows:
    """Gathers the spans in the text of tasks that is to be read."""

    def __init__(self, name: str, tasks: Sequence[Task], text: str | None) -> None:
        self.key, self.targets = _text_key(tasks, text, name)
        self.collector = Collector("characters", unnamed=True, name=name)
        self.passed: Counter[str] = Counter()
        self.numbered = all(task.id is None for task in tasks)
        regions = (region for task in tasks for region in task.regions)
        self.in_html = any(region.in_html for region in regions if region.target in self.targets)
        every = [each for task in tasks for each in task.marked]
        by = Counter(each.layer for each in every if not each.is_model)
        self.people, self.nameless = set(by), by[""]

    def add(self, task: Task, number: int) -> None:
        """Add a task, which is called by its number if none has an id."""
        text = task.texts.get(self.key)
        if text is None:
            rest = f"there are {listed(task.texts)}, and --text (text=) chooses the key that"
            raise InputError(
                f"{task.where}: no text {show(self.key)} in its data"
                + (
                    f"; {rest} all tasks have"
                    if task.texts
                    else ", nor any other; each task needs one"
                )
            )
        text = _plain(text) if self.in_html else text
        id_ = number if self.numbered else task.id
        document = self.collector.document(id_, task.where, text=text, again=True)
        for each in task.marked:
            clash = each.is_model and each.layer in self.people
            name = f"{each.layer} (prediction)" if clash else each.layer
            where = f"{task.where}, annotator {show(name)}"
            if each.regions is None:
                self.collector.annotator(name, where)
                continue
            regions = [region for region in each.regions if region.target in self.targets]
            self.passed["span in another text"] += len(each.regions) - len(regions)
            annotation = self.collector.annotation(document, name, where, each.when)
            for region in regions:
                row = annotation, region.start, region.end
                for label in region.labels:
                    self.collector.segment(*row, label, where, quote=region.surface)


def _text_key(tasks: Sequence[Task], asked: str | None, name: str) -> tuple[str, set[str]]:
    """Return the key of the text, and the targets that the spans in it have."""
    keys = list(dict.fromkeys(key for task in tasks for key in task.texts))
    choose = f"the data of the tasks has {listed(keys)}; --text (text=) chooses one"
    if not keys:
        raise InputError(
            f"{name}: no text in the data of the tasks; spans are in texts, which have to be in the"
            " export itself"
        )
    if asked is not None and asked not in keys:
        raise SettingError(f"{name}: no text {show(asked)}: {choose}")
    fitting: dict[str, Counter[str]] = {}
    for task in tasks:
        regions = task.regions
        in_html = any(region.in_html for region in regions)
        texts = {key: _plain(text) if in_html else text for key, text in task.texts.items()}
        for region in regions:
            fits = fitting.setdefault(region.target, Counter())
            if region.surface is not None and len(keys) > 1:
                span = region.start, region.end, region.surface
                fits.update(key for key, text in texts.items() if stands_in_some_unit(text, *span))
    best = {target: _best(fits, target) for target, fits in fitting.items()}
    chosen = {key for key in best.values() if key is not None}
    if asked is None and len(chosen) > 1:
        raise InputError(f"{name}: there are spans in {listed(sorted(chosen))}: {choose}")
    likely = [*chosen, *(target for target in fitting if target in keys), "text"]
    only = keys[0] if len(keys) == 1 else None
    key = asked or next((each for each in likely if each in keys), only)
    if key is None:
        raise InputError(f"{name}: nothing shows in which text the spans are: {choose}")
    return key, {target for target, its_key in best.items() if its_key in (None, key)}


def _best(fits: Counter[str], target: str) -> str | None:
    """Return the key of the text in which most spans of a target fit, if one does."""
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
