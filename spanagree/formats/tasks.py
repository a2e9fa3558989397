"""Documents as tasks for annotators, whatever tool the tasks are written for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus


class NewTask(NamedTuple):
    """A document for an annotator.

    Attributes:
        document: number of the document.
        id: its id.
        text: its text.
        assignee: name of the annotator.
    """

    document: int
    id: str
    text: str
    assignee: str


def tasks_of(
    corpus: Corpus, document: Ints, assignees: Sequence[str], tool: str
) -> Iterator[NewTask]:
    """Yield a task for each document and annotator.

    Args:
        corpus: documents, with known texts or tokens.
        document: number of the document of each task.
        assignees: name of the annotator of each task.
        tool: title of the tool, for the error.

    Raises:
        SettingError: if texts and tokens are not known.
    """
    numbers, index = np.unique(document, return_inverse=True)
    texts = corpus.subset(numbers).to_characters().known("texts", tool)
    for i, number, name in zip(index.tolist(), document.tolist(), assignees, strict=True):
        yield NewTask(number, corpus.id_of(number), texts[i], name)
