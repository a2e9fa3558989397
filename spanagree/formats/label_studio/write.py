"""Writer of tasks for Label Studio, with annotations or predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Segment
from spanagree.errors import check_known
from spanagree.files import PathName, format_json, write_text
from spanagree.formats.exports import OUR_ID, parse_number_in_name
from spanagree.formats.tasks import yield_tasks


def write_label_studio(corpus: Corpus, path: PathName, *, predictions: Sequence[str] = ()) -> None:
    """Write the tasks that Label Studio imports; the text is in ``data.text``.

    An annotator who saw a document and marked nothing has an empty result, an annotator who never
    saw it has no result. The settings of the project name the labels ``label`` and the text
    ``text``. Segments in tokens are written in characters. The document's id is in ``data`` too,
    as Label Studio renumbers tasks.

    Args:
        corpus: documents with known texts or tokens.
        path: path of the file.
        predictions: layers that are predictions of models, named by their versions; other layers
            are annotations, completed by the e-mail or number that is their name.

    Raises:
        InputError: if the path cannot be written.
        SettingError: if the corpus has neither texts nor tokens, or a layer does not exist.
    """
    check_known(predictions, corpus.annotators)
    in_characters = corpus.to_characters()
    in_characters.known("texts", "Label Studio")
    lines = map(format_json, _yield_tasks(in_characters, predictions))
    write_text(path, "[" + ",\n".join(lines) + "]\n")


def _yield_tasks(corpus: Corpus, predictions: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a task for each document, with annotations, and predictions of some layers."""
    for document in corpus:
        data = {"text": document.text} | ({} if corpus.ids is None else {OUR_ID: document.id})
        annotations: list[dict[str, Any]] = []
        models: list[dict[str, Any]] = []
        for annotation_number, (name, segments) in enumerate(document.seen.items(), 1):
            result = _build_regions(segments, document.text or "", annotation_number)
            if name in predictions:
                models.append({"model_version": name, "result": result})
                continue
            user_id = parse_number_in_name(name, 1 << 31)
            completed_by = {"email": name} if user_id is None else user_id
            annotations.append(
                {"completed_by": completed_by, "was_cancelled": False, "result": result}
            )
        yield {"data": data, "annotations": annotations, "predictions": models}


def _build_regions(
    segments: Sequence[Segment], text: str, annotation_number: int
) -> list[dict[str, Any]]:
    """Build the regions of an annotation; its number keeps ids of regions unique."""
    names = {"from_name": "label", "to_name": "text", "type": "labels"}
    return [
        {
            "id": f"{annotation_number}-{i}",
            **names,
            "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
        }
        for i, (start, end, label) in enumerate(segments, 1)
    ]


def write_tasks(corpus: Corpus, document: Ints, assignees: Sequence[str], path: PathName) -> None:
    """Write a task without annotations for each annotator, who is named in ``data.assignee``.

    Args, errors: as of :func:`spanagree.formats.write.write_tasks`.
    """
    tasks = (
        {"data": {"text": task.text, OUR_ID: task.id, "assignee": task.assignee}}
        for task in yield_tasks(corpus, document, assignees, "Label Studio")
    )
    write_text(path, "[" + ",\n".join(map(format_json, tasks)) + "]\n")
