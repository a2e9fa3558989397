"""Writer of CoNLL columns."""

from __future__ import annotations

import json
import re

import numpy as np

from spanagree.arrays import Ints
from spanagree.choices import Scheme
from spanagree.corpus.corpus import Corpus, check_corpus
from spanagree.corpus.tag_writer import write_tags
from spanagree.corpus.tags import parse_prefixed_tag
from spanagree.errors import InputError, SettingError, quote_value
from spanagree.files import BOM, PathName, write_text
from spanagree.formats.conll.lines import DOCSTART

_BEGINS_ELSE = re.compile(rf"{BOM}|[ \t]*{DOCSTART}(?=[ \t]|$)")  # a line that is no token


_UNWRITABLE = re.compile("[\\t\\n\\r\\0\\ud800-\\udfff]|^ | $")


def write_conll(
    corpus: Corpus, path: PathName, *, scheme: Scheme = "IOB2", missing: str = "?"
) -> None:
    """Write one file with the token and a tag column for each annotator, separated by tabs.

    A line above each sentence has its id. The first line has the names of the columns and the tag
    for missing, which :func:`read_conll` recognizes. Documents that an annotator never saw have
    ``missing`` as tags.

    Raises:
        SettingError: if tags cannot represent a segment (overlapping segments, offsets in
            characters), with the first such segment; if tokens are unknown; if the scheme is
            unknown.
        InputError: if the format cannot represent a document or token; if the path cannot be
            written.

    >>> import spanagree as sa
    >>> from tempfile import TemporaryDirectory
    >>> corpus = sa.from_tags({"gold": [["B-PER", "O"]]}, tokens=[["Jo", "runs"]])
    >>> with TemporaryDirectory() as folder:
    ...     write_conll(corpus, f"{folder}/one.conll")
    ...     sa.read(f"{folder}/one.conll") == corpus
    True
    """
    check_corpus(corpus)
    if corpus.offsets != "tokens" or corpus.tokens is None:
        raise SettingError(
            "CoNLL files hold tokens, which this corpus does not have; spanagree convert"
            " --tokenizer (to_tokens()) makes them"
        )
    for document_index in np.flatnonzero(corpus.lengths == 0)[:1].tolist():
        raise InputError(
            f"document {quote_value(corpus.id_of(document_index))} has no tokens; a sentence in a"
            " CoNLL file"
            " has one at least"
        )
    if not len(corpus) or not corpus.layers:
        raise InputError("no documents or no annotators; a CoNLL file has one of each at least")
    if parse_prefixed_tag(missing, scheme) or _UNWRITABLE.search(missing) or not missing:
        raise SettingError(
            f"missing {quote_value(missing)}: could be read as a tag, or cannot stand in a CoNLL"
            " file; choose another, such as ?"
        )
    document_index_of_token = np.repeat(np.arange(len(corpus)), corpus.lengths)
    _check_words(corpus, document_index_of_token)
    columns = []
    for layer in corpus.layers.values():
        tags = write_tags(layer, corpus.labels, corpus.lengths, scheme)
        is_seen = layer.annotated[document_index_of_token].tolist()
        columns.append(
            [
                tag if is_tag_seen else missing
                for tag, is_tag_seen in zip(tags, is_seen, strict=True)
            ]
        )
    rows = ["\t".join(row) for row in zip(corpus.tokens, *columns, strict=True)]
    bounds = np.cumsum(corpus.lengths).tolist()
    header = {"columns": list(corpus.annotators), "missing": missing}
    lines = [f"# spanagree = {json.dumps(header)}"]
    for document_index, (start, end) in enumerate(zip([0, *bounds], bounds, strict=False)):
        lines += [] if corpus.ids is None else [f"# sent_id = {corpus.ids[document_index]}"]
        lines += [*rows[start:end], ""]
    write_text(path, "\n".join(lines) + "\n")


def _check_words(corpus: Corpus, document_index: Ints) -> None:
    """Check that tokens, labels and ids can be written in a line."""
    problem = (
        "cannot stand in a CoNLL file: it has a tab, a line break, a NUL, half a surrogate pair or"
        f" a space at its edge, begins with a byte order mark, or is {DOCSTART}"
    )
    for label in filter(_UNWRITABLE.search, corpus.labels):
        raise InputError(f"label {quote_value(label)} {problem}")
    for i, token in enumerate(corpus.tokens or ()):
        if _UNWRITABLE.search(token) or _BEGINS_ELSE.match(token):
            location = f"document {quote_value(corpus.id_of(int(document_index[i])))}"
            raise InputError(f"{location}: token {quote_value(token)} {problem}")
    for id_ in corpus.ids or ():
        if not id_.isprintable() or id_ != id_.strip():
            raise InputError(
                f"document id {quote_value(id_)} cannot stand in a line of a CoNLL file"
            )
