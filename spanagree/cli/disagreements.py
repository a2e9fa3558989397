"""List where annotators disagree, segment by segment, the worst documents first.

With --by label, show which labels they confuse.

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
from spanagree.choices import BY, Kind, Shown, names_of
from spanagree.cli import options
from spanagree.cli.job import CommandContext, command
from spanagree.cli.progress import progress
from spanagree.cli.together import Form, declared, excludes, needs
from spanagree.cli.worklists import check_worklist, worklist_options, write_worklist
from spanagree.errors import pluralize

_DISPUTES = "spanagree.project.disputed_documents.disputes"
_BETWEEN = "Compare these two annotators."
_REST = "With --by label, compare this annotator with all others."
_UNLESS = "if there are two, these; else all"
_KINDS = f"List disagreements of two annotators of these kinds: {', '.join(names_of(Kind))}."
_WHAT = "List disagreements of two annotators about segments, or about the relations between them."
_UNDIRECTED = "With --what relations, labels of those without a direction."
_BY = (
    "Give each document a row, or each label: how often it is confused with each other one"
    " (label), the share of its row (share), or how often chance would (expected)."
)
_MATRICES = {"label": None, "share": "share", "expected": "pair"}
_SEGMENTS = ("text", "csv", "jsonl", "json")
_MATRIX = f"by={'|'.join(_MATRICES)}"
_FORMS = [
    Form(
        "worklist",
        "spanagree.project.next_readers.worklist",
        why="it is for all annotators and whole documents",
    ),
    Form(_MATRIX, "spanagree.agreement.label_confusion.confusion", also="between rest what"),
    Form(
        "what=relations",
        "spanagree.agreement.relations.relation_disagreements",
        also="between",
    ),
]


@command(
    options.FILES,
    options.group(
        "Annotators",
        options.option(
            "--between",
            _BETWEEN,
            nargs=2,
            metavar="A B",
            unless=_UNLESS,
            together=[excludes("rest")],
        ),
        options.option("--rest", _REST, metavar="A", together=[needs(_MATRIX)]),
        options.option("--kind", _KINDS, metavar="KIND,...", unless="all", read=options.names_in),
    ),
    options.comparing(
        options.option("--by", _BY, choices=[*BY["Disputes"], *_MATRICES]),
        options.option("--what", _WHAT, choices=["segments", "relations"]),
        options.option(
            "--undirected",
            _UNDIRECTED,
            metavar="LABEL,...",
            read=options.names_in,
            together=[needs("what=relations")],
        ),
        *options.of(_DISPUTES, "sort"),
        options.flag("--no-text", "Give offsets, and no word of the texts."),
        function=_DISPUTES,
        seed=True,
    ),
    worklist_options(),
    declared(
        options.output(dict.fromkeys([*_SEGMENTS, *names_of(Shown)]), explain=False),
        needs(_MATRIX, term="format=markdown|latex"),
        names="format",
    ),
    options.reading(),
    forms=_FORMS,
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
    if job.by in _MATRICES:
        shown = replace(job, by=_MATRICES[job.by])
        _confusion(shown, between or ((rest,) if rest else ()))
        return
    if worklist is not None:
        check_worklist(job, worklist)
        job.show(write_worklist(job, job.read(), worklist, settings))
        return
    corpus = job.read()
    if len(corpus.layers) < 2:
        number = pluralize(len(corpus.layers), "annotator")
        raise click.UsageError(f"{number}; two are needed; pass a second file")
    if between is None and len(corpus.layers) > 2:
        if kind is not None or what == "relations":
            name = "--what relations" if kind is None else "--kind"
            raise click.UsageError(f"{name} is for two annotators; give --between A B too")
        job.check_picture(sa.project.Disputes)
        queue = sa.project.disputes(
            corpus, text=not no_text, progress=progress("comparing"), **settings
        )
        job.show(queue)
        return
    if unfit := [*settings, *(["by"] if job.by else [])]:
        raise click.UsageError(
            f"{options.written(unfit[0])} is for more annotators than two; leave it out"
        )
    a, b = (str(job.layer(name, corpus)) for name in between or corpus.annotators)
    if what == "relations":
        job.show(sa.agreement.relation_disagreements(corpus, a, b, undirected=undirected or ()))
        return
    job.show(sa.disagreements(corpus, a, b, kinds=kind, text=not no_text))


def _confusion(job: CommandContext, asked: tuple[str, ...]) -> None:
    """Show which labels are confused."""
    if job.by == "pair" and job.plot is not None:
        raise click.UsageError(
            "--plot does not go with --by expected, which no picture shows; --by label and --by"
            " share have one"
        )
    corpus = job.read()
    asked = asked or (corpus.annotators if len(corpus.layers) == 2 else ())
    job.show(sa.agreement.confusion(corpus, *(str(job.layer(name, corpus)) for name in asked)))
