"""List disagreements of annotators, segment by segment, the worst documents first.

With --by label, show the confusion of labels.

\b
spanagree disagreements crowd.jsonl --format csv -o queue.csv --bom --safe-cells
spanagree disagreements gold.conll mine.conll
spanagree disagreements crowd.jsonl --between ann bob --kind boundary,label
spanagree disagreements crowd.jsonl --by label
spanagree disagreements crowd.jsonl --worklist work.csv --readers 3
spanagree disagreements brat --what relations
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

import spanagree as sa
from spanagree.choices import BY, Kind, Shown, list_names
from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.comparison_options import build_comparison_options
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import AlternativeCall, add_rules, exclude_terms, require_terms
from spanagree.cli.option_values import format_option_name
from spanagree.cli.output_options import build_output_options
from spanagree.cli.progress import start_progress
from spanagree.cli.reading_options import build_reading_options
from spanagree.cli.worklists import build_worklist_options, check_worklist, write_worklist
from spanagree.errors import pluralize

_DISPUTES = "spanagree.project.disputed_documents.disputes"
_BETWEEN = "Two annotators to compare."
_REST = "With --by label, annotator to compare with all others."
_UNLESS = "all annotators"
_KINDS = f"Kinds of disagreement of two annotators to list: {', '.join(list_names(Kind))}."
_WHAT = "Target of the disagreements of two annotators: segments, or relations between them."
_UNDIRECTED = "With --what relations, labels of relations without a direction."
_BY = (
    "Show a row for each document, or for each label with its confusion with other labels: counts"
    " (label), shares of the row (share), or counts expected by chance (expected)."
)
_MATRICES = {"label": None, "share": "share", "expected": "pair"}
_SEGMENTS = ("text", "csv", "jsonl", "json")
_MATRIX = f"by={'|'.join(_MATRICES)}"
_ALTERNATIVES = [
    AlternativeCall(
        "worklist",
        "spanagree.project.next_readers.worklist",
        reason="it is for all annotators and whole documents",
    ),
    AlternativeCall(
        _MATRIX,
        "spanagree.agreement.label_confusion.confusion",
        command_options="between rest what",
    ),
    AlternativeCall(
        "what=relations",
        "spanagree.agreement.relations.relation_disagreements",
        command_options="between",
    ),
]


@command(
    options.FILES,
    options.group_options(
        "Annotators",
        options.build_option(
            "--between",
            _BETWEEN,
            nargs=2,
            metavar="A B",
            unless=_UNLESS,
            rules=[exclude_terms("rest")],
        ),
        options.build_option("--rest", _REST, metavar="A", rules=[require_terms(_MATRIX)]),
        options.build_list_option("--kind", _KINDS, metavar="KIND,...", unless="all"),
    ),
    build_comparison_options(
        options.build_option("--by", _BY, choices=[*BY["Disputes"], *_MATRICES]),
        options.build_option("--what", _WHAT, choices=["segments", "relations"]),
        options.build_list_option(
            "--undirected",
            _UNDIRECTED,
            metavar="LABEL,...",
            rules=[require_terms("what=relations")],
        ),
        *options.build_options_from_function(_DISPUTES, "sort"),
        options.build_flag("--no-text", "Show offsets without texts."),
        function=_DISPUTES,
        seed=True,
    ),
    build_worklist_options(),
    add_rules(
        build_output_options(dict.fromkeys([*_SEGMENTS, *list_names(Shown)]), explain=False),
        require_terms(_MATRIX, term="format=markdown|latex"),
        names="format",
    ),
    build_reading_options(),
    alternatives=_ALTERNATIVES,
)
def disagreements(
    job: CommandContext,
    between: tuple[str, str] | None = None,
    rest: str | None = None,
    kind: list[str] | None = None,
    no_text: bool = False,
    what: str | None = None,
    undirected: list[str] | None = None,
    worklist: str | None = None,
    **settings: Any,
) -> None:
    """List disagreements of two or more annotators, confusion of labels, or a worklist.

    Args:
        job: context of the command.
        between: names of two annotators to compare.
        rest: name of an annotator to compare with all others.
        kind: kinds of disagreement to list. Default: all.
        no_text: True for offsets without texts.
        what: target, segments or relations.
        undirected: labels of relations without a direction.
        worklist: path of the worklist to write, if any.
        settings: other arguments of the function that the options select.
    """
    if job.by in _MATRICES:
        confusion_job = replace(job, by=_MATRICES[job.by])
        _show_confusion(confusion_job, between or ((rest,) if rest else ()))
        return
    if worklist is not None:
        check_worklist(job, worklist)
        job.show_result(write_worklist(job, job.read_corpus(), worklist, settings))
        return
    corpus = job.read_corpus()
    if len(corpus.layers) < 2:
        annotators = pluralize(len(corpus.layers), "annotator")
        raise click.UsageError(f"{annotators}; two are needed; pass a second file")
    if between is None and len(corpus.layers) > 2:
        if kind is not None or what == "relations":
            name = "--what relations" if kind is None else "--kind"
            raise click.UsageError(f"{name} is for two annotators; give --between A B too")
        job.check_picture(sa.project.Disputes)
        queue = sa.project.disputes(
            corpus, text=not no_text, progress=start_progress("comparing"), **settings
        )
        job.show_result(queue)
        return
    if unsupported_options := [*settings, *(["by"] if job.by else [])]:
        raise click.UsageError(
            f"{format_option_name(unsupported_options[0])} is for more annotators than"
            " two; leave it out"
        )
    a, b = (str(job.resolve_layer(name, corpus)) for name in between or corpus.annotators)
    if what == "relations":
        job.show_result(
            sa.agreement.relation_disagreements(corpus, a, b, undirected=undirected or ())
        )
        return
    job.show_result(sa.disagreements(corpus, a, b, kinds=kind, text=not no_text))


def _show_confusion(job: CommandContext, names: tuple[str, ...]) -> None:
    """Compute and show the confusion of labels.

    Args:
        job: context of the command.
        names: annotators to compare: two, one with all others, or none for all pairs.
    """
    if job.by == "pair" and job.plot is not None:
        raise click.UsageError(
            "--plot does not go with --by expected, which no picture shows; --by label and --by"
            " share have one"
        )
    corpus = job.read_corpus()
    names = names or (corpus.annotators if len(corpus.layers) == 2 else ())
    job.show_result(
        sa.agreement.confusion(corpus, *(str(job.resolve_layer(name, corpus)) for name in names))
    )
