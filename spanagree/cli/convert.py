"""Convert annotations from one format to another.

\b
spanagree convert project/ -o corpus.jsonl
spanagree convert corpus.jsonl -o corpus.conll --tokenizer space --cut expand
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from spanagree.choices import Cut, Writable, list_names
from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.comparison_options import build_annotators_option
from spanagree.cli.job import CommandContext
from spanagree.cli.output_options import build_corpus_output_options
from spanagree.cli.outputs import show_notes
from spanagree.cli.progress import start_progress
from spanagree.cli.reading_options import build_reading_options
from spanagree.errors import SettingError, escape_name

_OUT = "Path of the new file."
_SCHEME = "Scheme of the tags to write."
_TOKENIZER = "Tokenizer for texts: space, or spaCy's for a language."
_MODELS = "Annotators to write as Label Studio's predictions; the others become annotations."
_CUT = "Treatment of segments that cut a token."


@command(
    options.FILES,
    options.group_options(
        "Converting",
        *build_corpus_output_options(
            _OUT, list_names(Writable), "by extension", metavar="OUT", required=True
        ),
        build_annotators_option("Annotators to keep."),
        options.build_list_option("--as-predictions", _MODELS),
        options.build_option("--to-scheme", _SCHEME, metavar="SCHEME", unless="IOB2"),
        options.build_option("--tokenizer", _TOKENIZER, metavar="space|LANG"),
        options.build_option("--cut", _CUT, choices=list_names(Cut), unless="error"),
    ),
    build_reading_options(strings=True),
)
def convert(
    job: CommandContext,
    to: str | None = None,
    annotators: list[str] | None = None,
    as_predictions: list[str] | None = None,
    to_scheme: str | None = None,
    tokenizer: str | None = None,
    cut: str | None = None,
) -> None:
    """Read files, and write them in another format.

    Args:
        job: context of the command.
        to: name of the format. Default: by extension.
        annotators: names of the annotators to keep. Default: all.
        as_predictions: annotators to write as predictions of Label Studio.
        to_scheme: scheme of the tags to write.
        tokenizer: name of the tokenizer for texts.
        cut: treatment of segments that cut a token.
    """
    from spanagree.formats.file_parts import read_patterns
    from spanagree.formats.read_files import is_option_taken
    from spanagree.formats.write import (
        choose_format,
        compose_name_note,
        list_lost_content,
        write_file,
    )

    path = str(job.file)
    reading, format_name, repair = job.split_reading_arguments()
    to = choose_format(path, to)
    if to_scheme is not None and to != "conll":
        raise click.UsageError(f"--to-scheme: {to} files have no tags")
    if as_predictions is not None and to != "label-studio":
        raise click.UsageError(f"--as-predictions: {to} files have no predictions")
    writer_options: dict[str, Any] = {"scheme": to_scheme} if to == "conll" else {}
    if as_predictions is not None:
        writer_options["predictions"] = as_predictions
    for key, taker in (("missing", "conll"), ("spans", "spacy")):
        if to == taker:
            writer_options[key] = reading.get(key)
            if not is_option_taken(key, job.paths, format_name, reading):
                reading.pop(key, None)  # an option of the output only
    corpus = read_patterns(job.paths, reading, format_name, repair, start_progress("reading"))
    if annotators is not None:
        corpus = corpus.select_annotators(annotators)
    if tokenizer is not None or cut is not None:
        corpus = corpus.to_tokens(_build_tokenizer(tokenizer or "space"), cut or "error")
    start_progress("writing")
    write_file(corpus, path, to, writer_options)
    job.record_output(path)
    show_notes(
        [*corpus.notes, *list_lost_content(corpus, to), *compose_name_note(corpus, to, path)]
    )


def _build_tokenizer(name: str) -> Callable[[str], Any]:
    """Build a tokenizer: ``space``, or spaCy's for a language such as ``en``.

    Raises:
        SettingError: if spaCy is not installed, or does not know the language.
    """
    if name == "space":
        return str.split
    from spanagree.extras import import_optional

    spacy = import_optional("spacy", "spacy", f"the tokenizer {name!r}")
    try:
        nlp = spacy.blank(name)
    except Exception:  # spaCy raises an ImportError of its own
        raise SettingError(
            f"tokenizer {escape_name(name)}: spaCy has none of that name; space, or a language such"
            " as en, is allowed"
        ) from None

    def tokenize_text(text: str) -> list[Any]:
        """Tokenize a text with spaCy, without tokens of white space."""
        return [token for token in nlp.make_doc(text) if not token.is_space]

    tokenize_text.__name__ = name  # for the signature
    return tokenize_text
