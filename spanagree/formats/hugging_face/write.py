"""Write a corpus as a Hugging Face dataset."""

from __future__ import annotations

from typing import Any

from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError
from spanagree.extras import optional


def to_dataset(corpus: Corpus) -> Any:
    """A Dataset with a row for each document: ``id``, ``tokens`` or ``text``, and spans.

    The column ``spans:NAME`` has annotator NAME's segments as a list of {start, end, label}, null
    where she never saw the document. It is read again with ``from_dataset(ds, text="text",
    spans={"NAME": "spans:NAME"}, document="id")``. Of a corpus of tokens the texts are not kept.

    Raises:
        SettingError: if datasets is not installed, or neither texts nor tokens are known.
    """
    datasets = optional("datasets", "datasets", "writing datasets")
    return datasets.Dataset.from_dict(**_columns_of(corpus, datasets))


def _columns_of(corpus: Corpus, datasets: Any) -> dict[str, Any]:
    characters = corpus.offsets == "characters"
    content = corpus.texts if characters else corpus.tokens
    if content is None:
        what = "texts" if characters else "tokens"
        raise SettingError(f"the {what} are not known; a dataset needs them")
    value = datasets.Value
    words = datasets.Sequence(value("string"))
    span = [{"start": value("int64"), "end": value("int64"), "label": value("string")}]
    features = {
        "id": value("string"),
        **({"text": value("string")} if characters else {"tokens": words}),
    }
    documents = list(corpus)
    columns: dict[str, list[Any]] = {"id": [d.id for d in documents]}
    if characters:
        columns["text"] = [d.text for d in documents]
    else:
        columns["tokens"] = [list(d.tokens or ()) for d in documents]
    for name in corpus.annotators:
        features[f"spans:{name}"] = span
        columns[f"spans:{name}"] = [
            None if (of := d.segments[name]) is None else [s._asdict() for s in of]
            for d in documents
        ]
    return {"mapping": columns, "features": datasets.Features(features)}
