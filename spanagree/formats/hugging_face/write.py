"""Write a corpus as a Hugging Face dataset."""

from __future__ import annotations

from typing import Any

from spanagree.corpus.corpus import Corpus, check_corpus
from spanagree.errors import InputError, quote_value
from spanagree.extras import import_optional


def to_dataset(corpus: Corpus) -> Any:
    """Return a Dataset with a row for each document: ``id``, ``tokens`` or ``text``, and spans.

    The column ``spans:NAME`` has annotator NAME's segments as a list of {start, end, label}, null
    where she never saw the document. It is read again with ``from_dataset(ds, text="text",
    spans={"NAME": "spans:NAME"}, document="id")``. Of a corpus of tokens the texts are not kept.

    Raises:
        SettingError: if datasets is not installed, or neither texts nor tokens are known.
        InputError: for half a surrogate pair in a name or text.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 3, "PER")]]}
    >>> corpus = sa.Corpus.from_segments([7], layers, offsets="characters", texts=["Ann ran"])
    >>> to_dataset(corpus)[0]["spans:ann"]
    [{'start': 0, 'end': 3, 'label': 'PER'}]
    """
    check_corpus(corpus)
    datasets = import_optional("datasets", "datasets", "writing datasets")
    what = "texts" if corpus.offsets == "characters" else "tokens"
    corpus.known(what, "a dataset")
    value = datasets.Value
    documents = list(corpus)
    words = datasets.Sequence(value("string"))
    content = {"text": value("string")} if what == "texts" else {"tokens": words}
    features = {"id": value("string"), **content}
    columns = {name: [getattr(d, name) for d in documents] for name in features}
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
