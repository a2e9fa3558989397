"""Options of the command line, grouped by subject, and parsers of their values.

Their choices are in spanagree.choices, so that help does not load the tables that explain them.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from spanagree import choices
from spanagree.choices import list_names
from spanagree.cli.help_pages import add_choices, convert_to_sentence
from spanagree.cli.option_rules import PATTERNS, OptionRule, add_rules, exclude_terms, require_terms
from spanagree.cli.signatures import JACKKNIFE, OF_INTERVALS, OF_WORK, Parameter, read_parameters
from spanagree.errors import InputError, escape_name, parse_whole_number, quote_value
from spanagree.files import choose_file_names
from spanagree.removed import write_removal_message


class _Path(click.types.StringParamType):
    """Path that shells complete; readers check it."""

    name = "path"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Ask the shell to complete names of files."""
        return [CompletionItem(incomplete, type="file")]


PATH = _Path()
FILES = click.Argument(["files"], nargs=-1, required=True, metavar="FILE...", type=PATH)


class Option(click.Option):
    """Option of a command, with its place in the help and its rules."""

    heading = ""  # of its group in the help
    context_field = ""  # field of CommandContext that takes its value
    argument = ""  # parameter of functions that takes it, if its name differs
    is_usual = False  # if --help shows it
    is_shared = False  # if its group belongs to many commands
    described_by = ""  # command with --help-all that describes it; empty for its own
    rules: tuple[OptionRule, ...] = ()  # on other options that it needs or excludes


Group = list[Option]

DRAWN_CHANCE = f"match={'|'.join(choices.ONE_TO_ONE)} overlap_at tolerance"
"""Terms for the measures with chance that may be estimated from draws."""

MISSING_OPTIONS = {
    ("agree", "--chance-of"): (
        "agree has no gold, so the annotations of all annotators are random; leave it out, or use"
        " 'spanagree evaluate --gold NAME --chance-of systems' with one of them as gold"
    ),
}
"""Reasons why a command lacks an option of other commands, with a remedy."""


SYNONYMS = {
    "strict": "exact",
    "lenient": "overlap",
    "relaxed": "overlap",
    "jaccard": "iou",
}
"""Nearest measure for names that other tools use."""


class _Choice(click.Choice):  # type: ignore[type-arg]  # generic in new releases of click only
    """Choice that recognizes names of other tools and removed names."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Check the choice; the error for a removed name or another tool's name has the new one."""
        equivalent = SYNONYMS.get(str(value).lower())
        if value not in self.choices and param is not None:
            command = "" if ctx is None else str(ctx.info_name)
            for name in param.opts:
                if removal := write_removal_message(f"{name} {value}", command):
                    self.fail(removal)
        if value not in self.choices and equivalent in self.choices:
            self.fail(f"{value!r} is called {equivalent!r} here; docs/glossary.md lists the terms")
        return super().convert(value, param, ctx)


class Views(click.types.StringParamType):
    """Name of a view; any other name selects slices by a column, a table or a pattern.

    Args:
        views: names of the views.
    """

    name = "view"

    def __init__(self, views: Iterable[str]) -> None:
        self.views = tuple(views)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the names of views."""
        return [CompletionItem(name) for name in self.views if name.startswith(incomplete)]


class Formats(_Choice):
    """Name of a format; formats of other packages are searched for an unknown name.

    Args:
        choices: names of the formats of this package.
        is_written: True to allow only formats that can be written.
    """

    def __init__(self, choices: Iterable[str], *, is_written: bool = False) -> None:
        super().__init__([*choices])
        self.is_written = is_written

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Check the name of a format, and load the formats of other packages if it is unknown."""
        if value not in self.choices:
            from spanagree.formats.registry import load_registered_formats

            plugin_formats = [
                format_name
                for format_name, format_ in load_registered_formats().items()
                if format_.write or not self.is_written
            ]
            if value in plugin_formats:
                return value
            if plugin_formats:
                return click.Choice([*self.choices, *plugin_formats]).convert(value, param, ctx)
        return super().convert(value, param, ctx)


def build_option(
    names: str,
    purpose: str,
    *,
    unless: str = "",
    choices: Iterable[str] = (),
    parse: Callable[[str, str], Any] | None = None,
    argument: str = "",
    rules: Sequence[OptionRule] = (),
    **attributes: Any,
) -> Option:
    """Build an option with its help, the parser of its value, and its rules.

    Args:
        names: names, separated by spaces.
        purpose: sentence of the help.
        unless: default, in words.
        choices: allowed values.
        parse: parser of the value; it also takes the name of the option.
        argument: parameter of functions that takes the value, if its name differs.
        rules: rules on other options that it needs or excludes.
        attributes: arguments of :class:`click.Option`.
    """
    if parse is not None:
        attributes["callback"] = lambda _, parameter, text: (
            None if text is None else parse(text, parameter.opts[0])
        )
    if attributes.get("metavar") == "FILE":
        attributes["type"] = PATH
    if choices := list(choices):
        attributes.setdefault("type", _Choice(choices))
        attributes.setdefault("metavar", "NAME")
        purpose = add_choices(purpose, choices)
    if unless:
        purpose = f"{purpose}  [default: {unless}]"
    result = Option(names.split(), help=purpose, **attributes)
    result.argument, result.rules = argument, tuple(rules)
    return result


def build_integer_option(name: str, purpose: str, **attributes: Any) -> Option:
    """Build an option that takes an integer."""
    return build_option(name, purpose, type=int, metavar="N", **attributes)


def build_flag(name: str, purpose: str, **attributes: Any) -> Option:
    """Build an option without a value."""
    return build_option(name, purpose, is_flag=True, **attributes)


def group_options(
    title: str, *options: Option, context_field: str = "", is_shared: bool = False
) -> Group:
    """Set the heading of options in the help, and the field of the context that takes their values.

    Args:
        title: heading.
        options: options of the group.
        context_field: field of :class:`CommandContext`; empty for arguments of the command.
        is_shared: True for a group of many commands.
    """
    for member in options:
        member.heading = title
        member.context_field = context_field or member.context_field
        member.is_shared = is_shared or bool(member.context_field)
    return list(options)


def build_options_from_function(
    function: str,
    *names: str,
    skip: Collection[str] = (),
    texts: Mapping[str, str] | None = None,
    required: Collection[str] = (),
) -> Group:
    """Build an option for each parameter of a function from its name, type, default and docstring.

    Options that a user leaves out are not passed on, so that the function's defaults apply.

    Args:
        function: full name of the function, which is not imported.
        names: names of the parameters. Default: all but the first, and those of workers and
            intervals.
        skip: names of parameters without an option.
        texts: sentences of the help that replace the docstring.
        required: names of required parameters.
    """
    function_parameters = read_parameters(function)
    skipped = {next(iter(function_parameters)), *skip, *OF_WORK, *OF_INTERVALS}
    return [
        _build_option_of_parameter(
            function_parameters[name],
            (texts or {}).get(name) or function_parameters[name].text,
            name in required,
        )
        for name in names or [name for name in function_parameters if name not in skipped]
    ]


def _build_option_of_parameter(parameter: Parameter, text: str, required: bool) -> Option:
    """Build the option of one parameter of a function.

    Args:
        parameter: parameter, whose type decides how the value is parsed.
        text: sentence of the help.
        required: True for an option that may not be left out.
    """
    attributes: dict[str, Any] = {"required": True} if required else {}
    name, allowed_values = format_option_name(parameter.name), parameter.choices
    if parameter.type_name.split(" | ")[0] == "bool":
        return build_flag(name, convert_to_sentence(re.sub("^True (to|for) ", "", text)))
    purpose = convert_to_sentence(text)
    if parameter.default not in (None, False, ()):
        attributes["unless"] = (
            f"{parameter.default:g}" if parameter.type_name == "float" else str(parameter.default)
        )
    if parameter.is_collection:
        if not all(choice in purpose for choice in allowed_values):
            purpose = add_choices(purpose, allowed_values)
        return build_option(name, purpose, metavar="NAME,...", parse=parse_names, **attributes)
    if allowed_values:
        return build_option(name, purpose, choices=allowed_values, **attributes)
    click_types = {"int": (int, "N"), "float": (float, "X")}
    attributes["type"], attributes["metavar"] = click_types.get(parameter.type_name, (None, "NAME"))
    return build_option(name, purpose, **attributes)


# --- option groups ------------------------------------------------------------------------------


def build_comparison_options(
    *extra: Option,
    function: str = "spanagree.systems.evaluate.evaluate",
    rows: Iterable[str] = (),
    match: Option | None = None,
    seed: bool = False,
) -> Group:
    """Build the options of comparisons: measure and chance, after options of one command only.

    Args:
        extra: options of one command only.
        function: full name of the function with parameters for match and chance.
        rows: choices of ``--by``.
        match: option of the measure that replaces the usual one.
        seed: True to include the seed of draws, for commands without the options of intervals.
    """
    purpose = (
        "Pair overlapping segments one-to-one if their IoU is at least X: --match overlap-at-X."
    )
    rules = [exclude_terms("match!=overlap")]
    overlap_at = build_option(
        "--overlap-at", purpose, type=float, metavar="X", argument="match", rules=rules
    )
    usual_match, chance = build_options_from_function(function, "match", "chance")
    members = [
        *extra,
        *([build_view_option(rows)] if rows else []),
        match or usual_match,
        overlap_at,
        chance,
    ]
    seeds = (
        add_rules(build_options_from_function(function, "seed"), require_terms(DRAWN_CHANCE))
        if seed
        else []
    )
    return group_options("Comparing", *members, *seeds)


SELECTION = "spanagree.comparisons.selection.Selection"
"""Settings of the comparison target: relations, attributes, tolerance."""


def build_target_options() -> Group:
    """Build the options that choose what is compared: relations, an attribute, or tolerance."""
    names = [name for name in read_parameters(SELECTION) if name not in ("arguments", "unplaced")]
    members = build_options_from_function(SELECTION, *names)
    for member in members:
        member.argument = "comparing"
    return group_options("Relations, attributes and tolerance", *members)


def build_place_options(*extra: Option) -> Group:
    """Build the options of the places of random segments."""
    purpose = (
        "Rule for the places of random segments: words, words+marks, letters, capitals,"
        " capitals+digits, column:NAME, column:NAME=VALUE,..., or a rule for each label, such as"
        " PER=capitals,LOC=letters."
    )
    rule = build_option("--places", purpose, metavar="RULE", unless="anywhere")
    return group_options("Places of random segments", rule, *extra)


def build_random_side_option() -> Option:
    """Build the option of the annotations that are random."""
    purpose = "Random annotations: of both sides, or of systems with gold fixed."
    return build_option("--chance-of", purpose, choices=list_names(choices.ChanceOf), unless="both")


def build_beta_option() -> Option:
    """Build the option of F-beta."""
    one_gold = exclude_terms(
        "references systems team by=error", "F-beta is for systems against one gold"
    )
    (option,) = add_rules(
        build_options_from_function("spanagree.systems.evaluate.evaluate", "beta"), one_gold
    )
    return option


def build_runs_option() -> Option:
    """Build the option of systems with several runs."""
    purpose = "Outputs that are runs of one system: ours=seed1,seed2,seed3,theirs=a,b,c."
    rules = [
        exclude_terms("by slices seen sweep", "it has rows of its own"),
        exclude_terms(
            "test=permutation|bootstrap|chance", "these ignore runs; --test jackknife regards them"
        ),
    ]
    return build_option(
        "--runs", purpose, metavar="NAME=RUN,RUN,...", parse=parse_runs, rules=rules
    )


def build_view_option(views: Iterable[str]) -> Option:
    """Build the option of the view."""
    return build_option("--by", "Show a row for each of these.", choices=views)


def build_view_or_slices_option(
    views: Iterable[str], classes: Iterable[str] = (), *, rules: Sequence[OptionRule] = ()
) -> Option:
    """Build the option ``--by``, which names a view or a column whose values are slices.

    A view is a table of the result with other rows, such as a row for each label.

    Args:
        views: names of the views.
        classes: classes of segments that are slices too.
        rules: rules of the views, in addition to those of all slices.
    """
    views = tuple(views)
    names = ", ".join([*views, *classes])
    purpose = (
        f"Show a row for each of these: {names}, file; or for each value of a column of the files,"
        " of a table with ids (FILE:COLUMN), or of a pattern's group."
    )
    slice_rules = [
        require_terms("seen", term="slices=seen"),
        exclude_terms("workers baseline", "each FILE is read by itself", term="slices=file"),
        exclude_terms("test", "its differences are tested", term="slices"),
    ]
    rules = [*rules, *slice_rules]
    return build_option("--by", purpose, type=Views(views), metavar="NAME|COLUMN", rules=rules)


def find_slices(option_values: Mapping[str, Any], members: Group) -> dict[str, Any]:
    """Find whether ``--by`` or a training file asks for slices.

    Returns:
        The setting ``slices``, or an empty mapping if a view or nothing is requested.
    """
    views = [member.type for member in members if isinstance(member.type, Views)]
    if not views:
        return {}
    if "by" not in option_values:
        return {"slices": "seen"} if "seen" in option_values else {}
    return {"slices": option_values["by"]} if option_values["by"] not in views[0].views else {}


def build_gold_option(unless: str = "the first") -> Option:
    """Build the option of the gold annotator."""
    return build_option("--gold", "Annotator who is gold.", metavar="NAME", unless=unless)


def build_annotators_option(purpose: str = "Compare only these annotators.") -> Option:
    """Build the option of selected annotators."""
    return build_option(
        "--annotators", purpose, metavar="NAME,...", unless="all", parse=parse_names
    )


def build_corpus_output_options(
    purpose: str,
    format_names: Iterable[str],
    unless: str,
    *,
    name: str = "-o --output",
    **attributes: Any,
) -> Group:
    """Build the options of the file and the format of a written corpus."""
    return [
        build_option(name, purpose, **attributes),
        build_option(
            "--to",
            "Format to write.",
            choices=format_names,
            type=Formats(format_names, is_written=True),
            unless=unless,
        ),
    ]


def build_level_options() -> Group:
    """Build the options of levels of difficulty."""
    difficulties = "Difficulties at the borders of the levels."
    scores = "Scores by chance at the borders of the levels."
    shares = "Shares of the documents below the borders."
    members = group_options(
        "Levels of difficulty",
        build_integer_option("--levels", "Number of levels of nearly equal size.", unless="2"),
        build_option("--at", difficulties, metavar="X,...", parse=parse_numbers),
        build_option("--chance-at", scores, metavar="X,...", parse=parse_numbers),
        build_option("--quantiles", shares, metavar="Q,...", parse=parse_numbers),
        context_field="levels",
    )
    return add_rules(members, require_terms("by=difficulty"))


TEST = "spanagree.systems.compare_systems.compare_systems"
"""Test with draws; their number and seed are options."""


def build_certainty_options(
    *extra: Option,
    has_over: bool = False,
    draw_options: Mapping[str, str] | None = None,
    requested_by: str = "ci",
    without: str = "",
) -> Group:
    """Build the options of intervals and tests.

    Args:
        extra: options of one command only.
        has_over: True to add the option for intervals over other annotators.
        draw_options: options of draws by name, with the terms that each of them needs.
        requested_by: terms of options that request intervals, or tests by clusters.
        without: names of views whose rows have no intervals, separated by |.
    """
    ci_option = build_flag("--ci", "Show a confidence interval over documents for every figure.")
    text = convert_to_sentence(read_parameters(JACKKNIFE)["cluster_by"].text)
    cluster_by = build_option(
        "--cluster-by --resample-by", text, choices=list_names(choices.ClusterBy)
    )
    details = [
        *build_options_from_function(JACKKNIFE, "confidence"),
        cluster_by,
        *(build_options_from_function(JACKKNIFE, "over") if has_over else ()),
    ]
    for member in details:
        member.argument = "ci"
    draws = build_options_from_function(TEST, *draw_options) if draw_options else []
    if without:
        add_rules([ci_option], exclude_terms(f"by={without}", "such rows have no intervals"))
    add_rules(details, require_terms(requested_by), exclude_terms("test=chance", unless="ci"))
    no_interval = exclude_terms("test=permutation|bootstrap", "it has no interval", unless="ci")
    add_rules(details, no_interval, names="confidence")
    for name, terms in (draw_options or {}).items():
        add_rules(draws, require_terms(terms, "nothing else is drawn so"), names=name)
    draws_nothing = exclude_terms(
        "test=jackknife", "it draws nothing", unless=f"baseline=random {DRAWN_CHANCE}"
    )
    add_rules(draws, draws_nothing, names="seed")
    shared_options = group_options(
        "Certainty", ci_option, *details, *draws, context_field="certainty"
    )
    return group_options("Certainty", *shared_options, *extra)


def build_workers_option() -> Group:
    """Build the option of workers, for corpora of many files."""
    text = "Number of processes that read and compare the files of a pattern."
    needs_pattern = require_terms(
        PATTERNS, "each file is read and compared by itself", unless="measure=gamma|all"
    )
    rules = [needs_pattern, exclude_terms("baseline", "baselines need the whole corpus")]
    option = build_integer_option("--workers", text, argument="executor", rules=rules)
    return group_options("Large corpora", option, is_shared=True)


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
        build_option("--labels", kept_labels, metavar="NAME,...", unless="all", parse=parse_names),
        build_option("--map-labels", renamed, metavar="OLD=NEW,...|FILE|best"),
        build_option("--encoding", "Encoding of CoNLL, CSV and rows in JSON.", unless="utf-8"),
        build_flag("--ignore-tokens", "Align files by position even if their tokens differ."),
        build_option("--outside", outside, metavar="TAG,...", unless="O", parse=parse_names),
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
        build_option("--repair", repair, metavar="STEP,...", parse=parse_names),
        build_option("--repeats", repeats, choices=list_names(choices.Repeats), unless="once"),
        build_option("--unplaced", unplaced, choices=list_names(choices.Unplaced), unless="wrong"),
    ]


def _build_dataset_options() -> Group:
    """Build the options of reading spaCy files and datasets."""
    spans = "Key of doc.spans with the spans, or columns of a dataset with spans."
    tags = "Columns of a dataset with tags."
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
        build_option(
            "--tier", "Tiers to read.", metavar="NAME,...", parse=parse_names, unless="all"
        ),
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


def build_output_options(
    formats: Iterable[str] | None = None, *, plot: bool = True, explain: bool = True
) -> Group:
    """Build the options of the output.

    Args:
        formats: names of the formats. Default: those of tables.
        plot: True to include the option for a plot.
        explain: True to include the options that explain and round figures.
    """
    formats = tuple(formats or list_names(choices.Shown))
    all_cells = "Show all rows, all columns and complete names, even if the table is large."
    styles = ", ".join(list_names(choices.Style))
    explained = "Explain below the table what each figure means, and when not to trust it."
    safe_cells_purpose = (
        "With csv, put an apostrophe before names that a spreadsheet would read as a formula."
    )
    mark_purpose = "With csv, begin with a byte order mark, so that spreadsheets recognize UTF-8."
    per_cent = "Show figures in per cent; the default for F1 with latex."
    decimals = "Number of decimals of figures."
    by_name = "text, or by extension"
    members = [
        build_option("--format", "Format of the result.", choices=formats, unless=by_name),
        build_option("-o --output", "Write to FILE instead of stdout.", metavar="FILE"),
    ]
    if plot:
        purpose = "Draw a plot too, as .png, .svg or .pdf."
        members.append(build_option("--plot", purpose, metavar="FILE"))
    if explain:
        members += [
            build_flag("--explain", explained),
            build_integer_option("--digits", decimals, unless="3; 2 with markdown and latex"),
            build_flag("--percent/--no-percent", per_cent, default=None),
        ]
    if "csv" in formats:
        members.append(build_flag("--all all_columns", all_cells))
    if explain:
        style_purpose = (
            f"With markdown, highlight the best figures; with latex, style of the table: {styles}."
        )
        members.append(
            build_option("--style", style_purpose, metavar="STYLE,...", parse=parse_names)
        )
    if "csv" in formats:
        members += [
            build_flag("--safe-cells", safe_cells_purpose),
            build_flag("--bom", mark_purpose),
        ]
    exact_format_rule = exclude_terms("format=json|jsonl|csv", "it has the exact figures")
    add_rules(members, exact_format_rule, names="digits percent all_columns")
    add_rules(members, exclude_terms("format=json|jsonl|csv|latex"), names="explain")
    add_rules(members, require_terms("format=csv worklist"), names="safe_cells bom")
    return group_options("Output", *members, is_shared=True)


_BY_NAME = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
}


def format_by_extension(option_values: Mapping[str, Any], members: Group) -> dict[str, str]:
    """Infer the format of a result from the extension of its file.

    Returns:
        The setting ``format``; empty if the extension is of no format of the command.

    Raises:
        UsageError: if ``--format`` is another one.
    """
    name = option_values.get("output")
    format_ = _BY_NAME.get(os.path.splitext(name or "")[1].lower())
    format_type = next((member.type for member in members if member.name == "format"), None)
    if (
        format_ is None
        or not isinstance(format_type, _Choice)
        or format_ not in format_type.choices
    ):
        return {}
    requested = option_values.get("format", format_)
    if requested != format_:
        raise click.UsageError(
            f"-o {escape_name(str(name))}: by its name it is {format_}, and --format is"
            f" {requested}; leave one out, or rename the file"
        )
    return {"format": format_}


def build_message_options() -> Group:
    """Build the options of messages."""
    quiet = "Omit the verdict above the table."
    verbose = "Show every note, not one of each kind, and the traceback of an internal error."
    return group_options(
        "Messages", build_flag("--quiet", quiet), build_flag("--verbose", verbose), is_shared=True
    )


# --- parsers of values --------------------------------------------------------------------------


def is_given(value: Any) -> bool:
    """Check whether a value was passed by the user."""
    return value is not None and value is not False and value != ()


def format_option_name(name: str) -> str:
    """Format the name of an option as a user writes it."""
    return f"--{name.replace('_', '-')}"


def parse_names(text: str, option: str) -> list[str]:
    """Split ``NAME,…``; a name with a comma is in double quotes."""
    try:
        (names,) = csv.reader([text], skipinitialspace=True, strict=True)
    except csv.Error:
        rule = """a name with a comma stands in double quotes, as in 'ann,"Doe, Jane"'"""
        raise click.UsageError(f"{option}: {quote_value(text)}; {rule}") from None
    return [name.strip() for name in names or [text]]


def parse_mapping(text: str, option: str, pattern: str = "NAME=COLUMN") -> dict[str, str]:
    """Parse ``NAME=VALUE,…`` as a mapping; ``option`` and ``pattern`` are for messages."""
    mapping: dict[str, str] = {}
    for item in parse_names(text, option):
        name, _, value = item.rpartition("=")
        if not name or not value:
            raise click.UsageError(f"{option}: {quote_value(item)}; {pattern} is needed")
        if name in mapping:
            raise InputError(f"{option}: {_build_repetition_error(name)}")
        mapping[name] = value
    return mapping


def parse_runs(text: str, option: str) -> dict[str, list[str]]:
    """Parse ``NAME=LAYER,LAYER,…,NAME=…``; return the layers that are runs of each system."""
    runs: dict[str, list[str]] = {}
    for item in parse_names(text, option):
        name, equals, layer = item.partition("=")
        if equals and name in runs:
            raise InputError(f"{option}: {_build_repetition_error(name)}")
        if (equals and not (name and layer)) or not (equals or runs):
            raise click.UsageError(f"{option}: {quote_value(item)}; NAME=RUN,RUN,... is needed")
        current = name if equals else [*runs][-1]
        runs.setdefault(current, []).append(layer if equals else item)
    return runs


def parse_run_files(option_values: Mapping[str, Any]) -> dict[str, Any]:
    """Split arguments ``NAME=FILE,FILE,…`` into single files, and make these the runs of NAME.

    Returns:
        The settings ``files`` and ``runs``; empty if no argument names several files.
    """
    files: list[str] = []
    ranges: dict[str, range] = {}
    for argument in option_values.get("files", ()):
        name, equals, text = argument.partition("=")
        is_path = any(map(os.path.exists, (argument, text)))
        if not (equals and name and "," in text) or is_path:
            files.append(argument)
            continue
        if name in ranges or name in option_values.get("runs", {}):
            raise InputError(f"{quote_value(name)}: {_build_repetition_error(name)}")
        paths = parse_names(text, argument)
        ranges[name] = range(len(files), len(files) + len(paths))
        files += paths
    if not ranges:
        return {}
    layers = list(parse_layers(files))
    runs = {name: [layers[i] for i in positions] for name, positions in ranges.items()}
    return {"files": tuple(files), "runs": {**option_values.get("runs", {}), **runs}}


def _build_repetition_error(name: str) -> str:
    """Build the error for a name that is repeated."""
    return f"the name {quote_value(name)} is given twice; give each annotator a name of its own"


def parse_columns(text: str, option: str) -> str | dict[str, str | int]:
    """Parse ``NAME=COLUMN,…`` as a mapping with integers for numbers; keep other text unchanged."""
    if "=" not in text:
        return text
    return {
        name: parse_whole_number(column, f"{option}:") if column.isdecimal() else column
        for name, column in parse_mapping(text, option).items()
    }


def parse_spans(text: str, option: str) -> str | dict[str, str]:
    """Parse ``NAME=COLUMN,…`` as a mapping; other text is unchanged."""
    return parse_mapping(text, option) if "=" in text else text


def parse_numbers(text: str, option: str) -> list[float]:
    """Parse the numbers of ``X,…``."""
    return [_parse_number(item, option) for item in text.split(",")]


def _parse_number(text: str, option: str) -> float:
    """Parse a number; raise a UsageError with the option if it is none."""
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option}: {quote_value(text)} is not a number") from None


def parse_integers(text: str, option: str) -> list[int]:
    """Parse the integers of ``N,…``."""
    return [_parse_integer(item, option) for item in text.split(",")]


def _parse_integer(text: str, option: str) -> int:
    """Parse an integer; raise a UsageError with the option if it is none."""
    if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text, re.ASCII):
        raise click.UsageError(f"{option}: {quote_value(text)} is not a whole number")
    return parse_whole_number(text.strip(), f"{option}:")


def parse_layers(files: Sequence[str]) -> dict[str, str]:
    """Parse arguments FILE or NAME=FILE; return the path of each layer by its name.

    A layer without a NAME is named after its file.
    """
    named_layers: dict[int, tuple[str, str]] = {}
    for i, argument in enumerate(files):
        name, equals, path = argument.partition("=")
        if equals and not any(map(os.path.exists, (argument, argument.rpartition(":")[0]))):
            if not name or not path:
                raise click.UsageError(f"{quote_value(argument)}: NAME=FILE needs both")
            if name in (used_name for used_name, _ in named_layers.values()):
                raise InputError(_build_repetition_error(name))
            named_layers[i] = name, path
    paths = [
        named_layers[i][1] if i in named_layers else argument for i, argument in enumerate(files)
    ]
    if paths.count("-") > 1:
        raise InputError("standard input (-) is given twice; give it once, as it is read once")
    unnamed = [i for i in range(len(files)) if i not in named_layers]
    names = choose_file_names(
        [files[i] for i in unnamed], [name for name, _ in named_layers.values()]
    )
    named_layers |= {i: (name, files[i]) for i, name in zip(unnamed, names, strict=True)}
    return dict(named_layers[i] for i in range(len(files)))
