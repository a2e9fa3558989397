"""Options of reading files, which are the same for all commands."""

from __future__ import annotations

from collections.abc import Sequence

from spanagree import choices
from spanagree.choices import list_names
from spanagree.cli.option_rules import OptionRule, add_rules, exclude_terms, require_terms
from spanagree.cli.option_values import parse_columns, parse_mapping, parse_spans
from spanagree.cli.options import (
    Formats,
    Group,
    build_flag,
    build_list_option,
    build_option,
    group_options,
)

OF_TABLES = ("encoding", "missing")
"""Options of reading that also apply to tables of labels."""


NOT_CHECKED = ("--group-by", "--unplaced")
"""Options of reading that change the comparison, not the data; check has none of them."""


def build_reading_options(
    skip: Sequence[str] = (),
    *,
    strings: bool = False,
    span_rule: OptionRule | None = None,
    described_by: str = "check",
) -> Group:
    """Build the options of reading.

    Args:
        skip: names of options that the command uses for something else.
        strings: True to include the option for strings that are in no text.
        span_rule: rule for the options that do not apply to tables of labels.
        described_by: command with --help-all that describes them; empty for its own.
    """
    skip = skip if strings else (*skip, "--strings")
    options_by_title = {
        "Reading files": _build_file_options(),
        "Reading spaCy files and datasets": _build_dataset_options(),
        "Reading what annotation tools export": _build_export_options(),
        "Reading recordings": _build_recording_options(),
    }
    members = [
        member
        for title, options in options_by_title.items()
        for member in group_options(
            title,
            *(option for option in options if option.opts[0] not in skip),
            context_field="reading",
        )
    ]
    if span_rule is not None:
        add_rules([member for member in members if member.name not in OF_TABLES], span_rule)
    for member in members:
        if member.opts[0] not in NOT_CHECKED:
            member.described_by = described_by
    return members


def _build_file_options() -> Group:
    """Build the options of reading files."""
    document = "Unit of CoNLL files that is a document; with --group-by, document means the group."
    grouping_purpose = "Group documents by the match of a pattern in their ids, or by a table."
    format_names, schemes = list_names(choices.FormatName), list_names(choices.Scheme)
    columns = "Columns of tags, by number (the token is 0) or name; 1-9, or all."
    breaks = "With --unit document, annotator with the sentences that apply to all."
    kept_labels = "Labels of the segments to read; other segments are dropped before any check."
    renamed = (
        "Rename labels before --labels applies; FILE has two columns, old and new; best matches"
        " labels one-to-one to those of the first annotator by their common segments."
    )
    partial = "Treatment of documents that an annotator covered only partly."
    outside = "Tags that mean outside any segment, such as _ or OTHER."
    absent = (
        "If a file doesn't say who saw a document, treat annotators without spans as not having"
        " seen it (unseen), or as having marked nothing (unmarked)."
    )
    pieces = "Treatment of discontinuous segments."
    ends = "End of a span: after its last token or character (exclusive), or that one (inclusive)."
    join = "Join documents of different files that have the same text, even if their ids differ."
    repeats = "Treatment of segments that an annotator marked twice: count once, or error."
    unplaced = "Treatment of a language model's quotes that are not in the text."
    repair = f"Steps that repair the data: {', '.join(list_names(choices.Repair))}."
    use = "groups are left out as a whole, or read as one document"
    groups = [
        require_terms("cluster_by=document unit=document", use),
        exclude_terms("workers", "a group may be in several files"),
    ]
    return [
        build_option(
            "--from",
            "Format of the files, such as conll, jsonl or brat (docs/formats.md).",
            type=Formats(format_names),
            metavar="FORMAT",
            unless="by content",
        ),
        build_option("--unit", document, choices=list_names(choices.Unit), unless="sentence"),
        build_option("--group-by", grouping_purpose, metavar="PATTERN|FILE[:COLUMN]", rules=groups),
        build_option("--sentences-from", breaks, metavar="NAME", unless="each file's own"),
        build_option("--scheme", "Scheme of the tags.", choices=schemes, unless="auto"),
        build_flag("--strict", "Read only segments that are well-formed in the scheme."),
        build_option(
            "--columns", columns, metavar="NAME=COLUMN,...", unless="the last", parse=parse_columns
        ),
        build_list_option("--labels", kept_labels, unless="all"),
        build_option("--map-labels", renamed, metavar="OLD=NEW,...|FILE|best"),
        build_option("--encoding", "Encoding of CoNLL, CSV and rows in JSON.", unless="utf-8"),
        build_flag("--ignore-tokens", "Align files by position even if their tokens differ."),
        build_list_option("--outside", outside, metavar="TAG,...", unless="O"),
        build_option("--missing", "Tag or label that stands for a missing one.", metavar="TAG"),
        build_option("--partial", partial, choices=list_names(choices.Partial), unless="error"),
        build_option(
            "--discontinuous", pieces, choices=list_names(choices.Discontinuous), unless="keep"
        ),
        build_option(
            "--absent",
            absent,
            choices=list_names(choices.Absent),
            unless="by role; see the page of the format",
        ),
        build_option(
            "--ends",
            ends,
            choices=list_names(choices.Ends),
            unless="inferred from the text of spans",
        ),
        build_option("--join", join, choices=list_names(choices.Join), unless="by id"),
        build_list_option("--repair", repair, metavar="STEP,..."),
        build_option("--repeats", repeats, choices=list_names(choices.Repeats), unless="once"),
        build_option("--unplaced", unplaced, choices=list_names(choices.Unplaced), unless="wrong"),
    ]


def _build_dataset_options() -> Group:
    """Build the options of reading spaCy files and datasets."""
    spans = "Key of doc.spans with the spans, or columns of a dataset with spans."
    tags = "Columns of a dataset with tags."
    names = "Names of the label ids in a dataset, from id 0 on."
    text = "Column of a dataset, or key of Label Studio's data, with the texts."
    start = "Path of the start in a span, such as points[*].start or [0]."
    quote = "Column with the text of a span, in a table with a row for each span."
    annotator = "Column with the annotators, in a dataset with a row for each annotator."
    ids = "Column of a dataset, or path in Label Studio's data, with the document ids."
    align = "Align quotes, and texts with inline tags, that a language model changed."
    strings = "Compare strings with labels that occur in no text, without chance."
    return [
        build_option("--spans", spans, metavar="KEY|COLUMN|NAME=COLUMN,...", parse=parse_spans),
        build_option("--start", start, metavar="PATH"),
        build_option("--end", "Path of the end in a span.", metavar="PATH"),
        build_option("--label", "Path of the label in a span.", metavar="PATH"),
        build_option("--quote", quote, metavar="COLUMN|PATH"),
        build_option("--tokens", "Column of a dataset with tokens.", metavar="COLUMN"),
        build_option("--text", text, metavar="COLUMN|KEY"),
        build_option("--tags", tags, metavar="NAME=COLUMN,...", parse=parse_mapping),
        build_list_option("--label-names", names, metavar="NAME,..."),
        build_option("--annotator", annotator, metavar="COLUMN"),
        build_option("--document", ids, metavar="COLUMN|PATH"),
        build_option("--split", "Part of a dataset, such as test.", metavar="NAME"),
        build_flag("--align", align),
        build_flag("--strings", strings),
    ]


def _build_export_options() -> Group:
    """Build the options of reading exports of annotation tools."""
    names = "Source of annotators' names; email is the part of an address before @."
    models = "Read Label Studio's predictions too, as annotators named by their model's version."
    truth_purpose = (
        "Add ground_truth: Label Studio's ground truth, or the annotation of INCEpTION's curators."
    )
    unfinished_purpose = (
        "Treatment of documents that INCEpTION's annotators began and did not finish."
    )
    return [
        build_option(
            "--annotator-from",
            names,
            choices=list_names(choices.AnnotatorFrom),
            unless="id, or the file",
        ),
        build_flag("--predictions", models),
        build_flag("--ground-truth", truth_purpose),
        build_option(
            "--in-progress",
            unfinished_purpose,
            choices=list_names(choices.InProgress),
            unless="auto",
        ),
        build_option("--layer", "Layer of an INCEpTION project.", metavar="NAME"),
        build_option("--feature", "Feature of the layer with the labels.", metavar="NAME"),
    ]


def _build_recording_options() -> Group:
    """Build the options of reading recordings."""
    unit = "Unit of times in files that don't name one: s, ms, us, or frames such as 25fps."
    label_source = "Source of labels: the text of a segment, the name of its tier, or both."
    default_resolution = "the coarsest of 1s, 100ms, 10ms, 1ms that represents every time, else 1ms"
    uem = "UEM file with the parts of recordings to compare; each part is a document."
    return [
        build_list_option("--tier", "Tiers to read.", unless="all"),
        build_option(
            "--label-from",
            label_source,
            choices=list_names(choices.LabelFrom),
            unless="text, or both",
        ),
        build_option(
            "--resolution",
            "Unit in which time is counted.",
            metavar="UNIT",
            unless=default_resolution,
        ),
        build_option("--time-unit", unit, metavar="UNIT"),
        build_option("--duration", "Length of the recordings in seconds.", metavar="SECONDS"),
        build_option("--uem", uem, metavar="FILE"),
    ]
