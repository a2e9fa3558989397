"""Write a corpus as a Hugging Face dataset."""

from __future__ import annotations

from typing import Any

from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError
from spanagree.extras import optional


def to_dataset(corpus: Corpus) -> Any:
    """Return a Dataset with a row for each document: ``id``, ``tokens`` or ``text``, and spans.

    The column ``spans:NAME`` has annotator NAME's segments as a list of {start, end, label}, null
    where she never saw the document. It is read again with ``from_dataset(ds, text="text",
    spans={"NAME": "spans:NAME"}, document="id")``. Of a corpus of tokens the texts are not kept.

    Raises:
        SettingError: if datasets is not installed, or neither texts nor tokens are known.
    """
    datasets = optional("datasets", "datasets", "writing datasets")
    characters = corpus.offsets == "characters"
    if (corpus.texts if characters else corpus.tokens) is None:
        what = "texts" if characters else "tokens"
        raise SettingError(f"the {what} are not known; a dataset needs them")
    value = datasets.Value
    documents = list(corpus)
    features = {"id": value("string")}
    columns: dict[str, list[Any]] = {"id": [d.id for d in documents]}
    if characters:
        features["text"] = value("string")
        columns["text"] = [d.text for d in documents]
    else:
        features["tokens"] = datasets.Sequence(value("string"))
        columns["tokens"] = [list(d.tokens or ()) for d in documents]
    for name in corpus.annotators:
        span = {"start": value("int64"), "end": value("int64"), "label": value("string")}
        features[f"spans:{name}"] = [span]
        columns[f"spans:{name}"] = [
            None if segments is None else [segment._asdict() for segment in segments]
            for segments in (d.segments[name] for d in documents)
        ]
    return datasets.Dataset.from_dict(mapping=columns, features=datasets.Features(features))
