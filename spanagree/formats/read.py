"""Single reader for all formats."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from spanagree.choices import FormatName, Repair, Repeats, Unplaced
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.repairs import list_steps
from spanagree.errors import SettingError
from spanagree.files import name_layers
from spanagree.formats.file_parts import read_patterns
from spanagree.formats.recognise import convert_to_pattern

_PATH = (str, os.PathLike)


def read(
    source: Any,
    format: FormatName | None = None,  # noqa: A002 — the usual name
    *,
    repair: Repair | Sequence[Repair] = (),
    repeats: Repeats = "once",
    unplaced: Unplaced = "wrong",
    **options: Any,
) -> Corpus:
    """Read the corpus in files of any supported format, which is recognised by their content.

    Args:
        source: path, several paths, or mapping of layer to path; a path may be a pattern such as
            ``"part-*.jsonl"``, of files that are parts of one corpus. Also a data frame, an Arrow
            table, a Dataset or rows, which :func:`from_dataset` reads; or mappings of annotators to
            lists of tag lists (:func:`from_tags`) or of spaCy's Docs (:func:`from_docs`).
        format: format of all files. Default: recognised. One of conll, jsonl, spacy, brat,
            inception, bioc, pubtator, xml, mqm, qe-tags, label-studio, prodigy, doccano,
            langextract, batch-output, spacy-pairs, spacy-json, tagged-lines, dataturks, gliner,
            dygie, docred, spert, pubannotation, tecoholic, gate, lighttag, ubiai, ground-truth,
            squad, universalner, bigbio, argilla, hatexplain, mqm-answers, toxic-spans, kaggle,
            crowdtruth, esa, esa-lines, seg-rating, m2, ua-gec, propaganda, i2b2-con, tagtog,
            potato, factgenie, by-id, textgrid, elan, rttm, labels, sections, subtitles, times,
            paths, dataset or hub.
        repair: repair steps, from join-pieces, drop-repeats, latest, relocate-by-text,
            drop-misplaced, clip-beyond-text, drop-beyond-text, strip-space, widen-points,
            drop-empty, drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.
        repeats: treatment of a segment that one annotator marked twice, with the same attributes:
            ``once``, it is read once; ``error``, an error is raised.
        unplaced: treatment of a language model's quotes that are not in the text: ``wrong``, they
            count as false positives; ``ignore``, they are left out.
        options: options of the readers, named as on the command line with ``_`` for ``-``; and for
            files ``group_by``, with ``unit``: see :meth:`Corpus.grouped_by`, or FILE or
            FILE:COLUMN.

    Raises:
        InputError: if a file cannot be read or is not recognised, with its content; for a table of
            labels, which :func:`read_labels` reads; if annotations have flaws that no requested
            step repairs.
        SettingError: if a format is unknown, or no format of the files takes an option.

    >>> read([{"tokens": ["Jo", "sings"], "gold": ["B-PER", "O"]}]).annotators
    ('gold',)
    """
    repair = list_steps(repair, repeats, unplaced)
    paths = source.values() if isinstance(source, Mapping) else source
    are_paths = isinstance(source, (list, tuple, Mapping)) and all(
        isinstance(path, _PATH) for path in paths
    )
    if isinstance(source, _PATH) or are_paths:
        files = name_layers(source)
        if format in (None, "conll"):
            files = {name: convert_to_pattern(path) for name, path in files.items()}
        return read_patterns(files, options, format, repair)
    if format is not None:
        raise SettingError(f"format {format!r}, but there is no file; leave it out")
    return _read_data(source, repair=repair, **options)


def _read_data(source: Any, **options: Any) -> Corpus:
    """Read a corpus from data in memory; files need none of these modules."""
    from spanagree.formats.shapes import are_docs, are_tags

    if isinstance(source, Mapping) and are_tags(source):
        from spanagree.formats.tag_lists import from_tags

        return from_tags(source, **options)
    if isinstance(source, Mapping) and are_docs(source.values()):
        from spanagree.formats.spacy import from_docs

        return from_docs(source, **options)
    from spanagree.formats.hugging_face.read import from_dataset

    return from_dataset(source, **options)
