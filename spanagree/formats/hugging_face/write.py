"""Writer of Hugging Face datasets."""

from __future__ import annotations

from typing import Any

from spanagree.corpus.corpus import Corpus, check_corpus
from spanagree.errors import InputError, quote_value
from spanagree.extras import import_optional


def to_dataset(corpus: Corpus) -> Any:
    """Build a Dataset with a row for each document: ``id``, ``tokens`` or ``text``, and spans.

    The column ``spans:NAME`` has the segments of annotator NAME as a list of {start, end, label},
    null for documents that the annotator never saw. It is read again with ``from_dataset(ds,
    text="text", spans={"NAME": "spans:NAME"}, document="id")``. Texts of a corpus of tokens are
    not kept.

    Raises:
        SettingError: if datasets is not installed, or neither texts nor tokens are known.
        InputError: if a name or text has half a surrogate pair.

    >>> import spanagree as sa
    """
    check_corpus(corpus)
    datasets = import_optional("datasets", "datasets", "writing datasets")
    content_name = "texts" if corpus.offsets == "characters" else "tokens"
    corpus.known(content_name, "a dataset")
    value = datasets.Value
    documents = list(corpus)
    words = datasets.Sequence(value("string"))
    content = {"text": value("string")} if content_name == "texts" else {"tokens": words}
    features = {"id": value("string"), **content}
    columns = {name: [getattr(document, name) for document in documents] for name in features}
    for name in corpus.annotators:
        span = {"start": value("int64"), "end": value("int64"), "label": value("string")}
        features[f"spans:{name}"] = [span]
        columns[f"spans:{name}"] = [None] * len(documents)
    for i, document in enumerate(documents):
        for name, segments in document.seen.items():
            columns[f"spans:{name}"][i] = [
                {"start": start, "end": end, "label": label} for start, end, label in segments
            ]
    try:
        return datasets.Dataset.from_dict(mapping=columns, features=datasets.Features(features))
    except UnicodeEncodeError as error:
        raise InputError(
            f"{quote_value(error.object)}: half a surrogate pair, which a dataset cannot hold;"
            " replace it"
        ) from None
