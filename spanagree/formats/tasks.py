"""Documents as tasks for annotators, for any tool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus


class NewTask(NamedTuple):
    """Document as a task for an annotator.

    Attributes:
        document: index of the document.
        id: id of the document.
        text: text of the document.
        assignee: name of the annotator.
    """

    document: int
    id: str
    text: str
    assignee: str


def yield_tasks(
    corpus: Corpus, document: Ints, assignees: Sequence[str], tool: str
) -> Iterator[NewTask]:
    """Yield a task for each document and annotator.

    Args:
        corpus: documents with texts or tokens.
        document: index of the document of each task.
        assignees: name of the annotator of each task.
        tool: title of the tool, for the error.

    Raises:
        SettingError: if the corpus has neither texts nor tokens.
    """
    document_indices, text_indices = np.unique(document, return_inverse=True)
    texts = corpus.subset(document_indices).to_characters().known("texts", tool)
    for text_index, document_index, name in zip(
        text_indices.tolist(), document.tolist(), assignees, strict=True
    ):
        yield NewTask(document_index, corpus.id_of(document_index), texts[text_index], name)
