"""The options of the command line, grouped by subject, and what users write in them.

What can be chosen is in spanagree.choices, so that no help loads the tables that explain it.
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
from spanagree.choices import names_of
from spanagree.cli.help_pages import as_sentence, with_choices
from spanagree.cli.signatures import JACKKNIFE, OF_INTERVALS, OF_WORK, Parameter, parameters
from spanagree.cli.together import PATTERNS, Clause, declared, excludes, needs
from spanagree.errors import InputError, escape_name, quote_value, whole_number
from spanagree.files import file_names
from spanagree.removed import removal_message


class _Path(click.types.StringParamType):
    """A path as it is written, which shells complete; what is wrong with one, readers say."""

    name = "path"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Let the shell complete names of files."""
        return [CompletionItem(incomplete, type="file")]


PATH = _Path()
FILES = click.Argument(["files"], nargs=-1, required=True, metavar="FILE...", type=PATH)


class Option(click.Option):
    """An option: its heading in the help, the part of a job that takes it, what it goes with."""

    heading = part = ""
    argument = ""  # the parameter of functions that takes it, if that is called otherwise
    first = False  # whether it is among those that most people need
    shared = False  # whether it is of a group that many commands have
    described_by = ""  # the command whose --help-all describes it; its own where empty
    together: tuple[Clause, ...] = ()  # what it needs, and what it does not go with


Group = list[Option]

DRAWN = f"match={'|'.join(choices.ONE_TO_ONE)} overlap_at tolerance"
"""The measures of which chance may be drawn, as terms of what goes together."""

REFUSED = {
    ("agree", "--chance-of"): (
        "no side is gold among annotators, so all are random; leave it out, or ask"
        " 'spanagree evaluate --gold NAME --chance-of systems' about one of them as gold"
    ),
}
"""Why a command lacks an option that others have, and what to do."""


MEANT = {
    "strict": "exact",
    "lenient": "overlap",
    "relaxed": "overlap",
    "jaccard": "iou",
}
"""What a measure is called elsewhere, and the nearest one here."""


class _Choice(click.Choice):  # type: ignore[type-arg]  # generic in new releases of click only
    """A choice that knows what others call its values."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the choice; a name from elsewhere, or of old, is refused with what is meant."""
        meant = MEANT.get(str(value).lower())
        if value not in self.choices and param is not None:
            command = "" if ctx is None else str(ctx.info_name)
            for name in param.opts:
                if left := removal_message(f"{name} {value}", command):
                    self.fail(left)
        if value not in self.choices and meant in self.choices:
            self.fail(f"{value!r} is called {meant!r} here; docs/glossary.md has the field's words")
        return super().convert(value, param, ctx)


class Views(click.types.StringParamType):
    """The names of views; any other name is one of slices: a column, a table, a pattern.

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
    """The names of formats; those of other packages are looked for when one is meant.

    Args:
        choices: names of the formats of this package.
        is_written: if True, only formats that are written count.
    """

    def __init__(self, choices: Iterable[str], *, is_written: bool = False) -> None:
        super().__init__([*choices])
        self.is_written = is_written

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the name of a format."""
        if value not in self.choices:
            from spanagree.formats.registry import registered

            others = [n for n, form in registered().items() if form.write or not self.is_written]
            if value in others:
                return value
            if others:
                return click.Choice([*self.choices, *others]).convert(value, param, ctx)
        return super().convert(value, param, ctx)


def option(
    names: str,
    purpose: str,
    *,
    unless: str = "",
    choices: Iterable[str] = (),
    read: Callable[[str, str], Any] | None = None,
    argument: str = "",
    together: Sequence[Clause] = (),
    **attributes: Any,
) -> Option:
    """Return an option.

    Args:
        names: with spaces between.
        purpose: what it is for.
        unless: what holds if it is not given.
        choices: what it may be.
        read: takes what a user writes, and the option's name, apart.
        argument: the parameter of functions that takes it, if that is called otherwise.
        together: what it needs, and what it does not go with.
    """
    if read is not None:
        attributes["callback"] = lambda _, parameter, text: (
            None if text is None else read(text, parameter.opts[0])
        )
    if attributes.get("metavar") == "FILE":
        attributes["type"] = PATH
    if choices := list(choices):
        attributes.setdefault("type", _Choice(choices))
        attributes.setdefault("metavar", "NAME")
        purpose = with_choices(purpose, choices)
    if unless:
        purpose = f"{purpose}  [default: {unless}]"
    made = Option(names.split(), help=purpose, **attributes)
    made.argument, made.together = argument, tuple(together)
    return made


def number(name: str, purpose: str, **attributes: Any) -> Option:
    """Return an option that takes a whole number."""
    return option(name, purpose, type=int, metavar="N", **attributes)


def flag(name: str, purpose: str, **attributes: Any) -> Option:
    """Return an option that is there or is not."""
    return option(name, purpose, is_flag=True, **attributes)


def group(title: str, *options: Option, part: str = "", shared: bool = False) -> Group:
    """Return options that stand below a heading of their own in the help."""
    for member in options:
        member.heading = title
        member.part = part or member.part
        member.shared = shared or bool(member.part)
    return list(options)


def of(
    function: str,
    *names: str,
    but: Collection[str] = (),
    texts: Mapping[str, str] | None = None,
    required: Collection[str] = (),
) -> Group:
    """Return an option for each parameter of a function: its name, type, default and docstring.

    One that is not given is not passed on, so that the function's default holds.

    Args:
        function: its full name; it is not imported.
        names: of the parameters; all but the first, those of workers and intervals, unless given.
        but: parameters that are no options.
        texts: what the command line says of a parameter in place of the docstring.
        required: parameters that have to be given.
    """
    known = parameters(function)
    passed_over = {next(iter(known)), *but, *OF_WORK, *OF_INTERVALS}
    return [
        _of(known[name], (texts or {}).get(name) or known[name].text, name in required)
        for name in names or [name for name in known if name not in passed_over]
    ]


def _of(parameter: Parameter, text: str, required: bool) -> Option:
    """Return the option of one parameter."""
    attributes: dict[str, Any] = {"required": True} if required else {}
    name, allowed = written(parameter.name), parameter.choices
    purpose = as_sentence(text)
    if parameter.kind.split(" | ")[0] == "bool":
        return flag(name, purpose)
    if parameter.default not in (None, False, ()):
        attributes["unless"] = (
            f"{parameter.default:g}" if parameter.kind == "float" else str(parameter.default)
        )
    if parameter.several:
        if not all(choice in purpose for choice in allowed):
            purpose = with_choices(purpose, allowed)
        return option(name, purpose, metavar="NAME,...", read=names_in, **attributes)
    if allowed:
        return option(name, purpose, choices=allowed, **attributes)
    kinds = {"int": (int, "N"), "float": (float, "X")}
    attributes["type"], attributes["metavar"] = kinds.get(parameter.kind, (None, "NAME"))
    return option(name, purpose, **attributes)


# --- the groups ---------------------------------------------------------------------------------


def comparing(
    *extra: Option,
    function: str = "spanagree.systems.evaluate.evaluate",
    rows: Iterable[str] = (),
    match: Option | None = None,
    seed: bool = False,
) -> Group:
    """Return the options of comparisons that a function takes, after those of one command only.

    Args:
        extra: those of one command only.
        function: whose parameters say what match and chance are.
        rows: what may have a row, for ``--by``.
        match: the option of the measure, if it is another.
        seed: whether that of draws is among them: of commands without intervals, which have one.
    """
    purpose = "Pair overlapping segments one-to-one, of an iou of at least X: --match overlap-at-X."
    other = [excludes("match!=overlap")]
    overlap_at = option(
        "--overlap-at", purpose, type=float, metavar="X", argument="match", together=other
    )
    usual_match, chance = of(function, "match", "chance")
    members = [*extra, *([by(rows)] if rows else []), match or usual_match, overlap_at, chance]
    seeds = declared(of(function, "seed"), needs(DRAWN)) if seed else []
    return group("Comparing", *members, *seeds)


SELECTION = "spanagree.comparisons.selection.Selection"
"""The settings of what is compared: relations, attributes, tolerance."""


def comparing_what() -> Group:
    """Return the options of what is compared."""
    shown = [name for name in parameters(SELECTION) if name not in ("arguments", "unplaced")]
    members = of(SELECTION, *shown)
    for member in members:
        member.argument = "comparing"
    return group("Relations, attributes and tolerance", *members)


def places(*extra: Option) -> Group:
    """Return the options of where random segments may stand."""
    purpose = (
        "Let random segments stand where the rule says: words, words+marks, letters, capitals,"
        " capitals+digits, column:NAME, column:NAME=VALUE,..., or a rule for each"
        " label, such as PER=capitals,LOC=letters."
    )
    rule = option("--places", purpose, metavar="RULE", unless="anywhere")
    return group("Where random segments stand", rule, *extra)


def chance_of() -> Option:
    """Return the option of whose annotations are random."""
    purpose = "Say whose annotations are random: both sides', or systems' with gold as it is."
    return option("--chance-of", purpose, choices=names_of(choices.ChanceOf), unless="both")


def beta() -> Option:
    """Return the option of F-beta."""
    one_gold = excludes("references systems team by=error", "F-beta is of systems against one gold")
    (option,) = declared(of("spanagree.systems.evaluate.evaluate", "beta"), one_gold)
    return option


def runs() -> Option:
    """Return the option of systems with several runs."""
    purpose = "Take these outputs as runs of one system: ours=seed1,seed2,seed3,theirs=a,b,c."
    together = [
        excludes("by slices seen sweep", "it has rows of its own"),
        excludes(
            "test=permutation|bootstrap|chance", "these regard no runs; --test jackknife does"
        ),
    ]
    return option("--runs", purpose, metavar="NAME=RUN,RUN,...", read=runs_in, together=together)


def by(table: Iterable[str]) -> Option:
    """Return the option of what has a row."""
    return option("--by", "Give each of these a row of its own.", choices=table)


def by_slices(
    views: Iterable[str], classes: Iterable[str] = (), *, together: Sequence[Clause] = ()
) -> Option:
    """Return the option of what has a row, which may be each value of a column.

    Args:
        views: what else may have a row.
        classes: classes of segments that are slices too.
        together: what views need and do not go with, beside what holds for all slices.
    """
    views = tuple(views)
    named = ", ".join([*views, *classes])
    purpose = (
        f"Give each of these a row: {named}, file; or each value of a column of the files, of a"
        " table with ids (FILE:COLUMN), or a pattern's group."
    )
    of_slices = [
        needs("seen", term="slices=seen"),
        excludes("workers baseline", "each FILE is read by itself", term="slices=file"),
        excludes("test", "its differences are tested", term="slices"),
    ]
    together = [*together, *of_slices]
    return option("--by", purpose, type=Views(views), metavar="NAME|COLUMN", together=together)


def given_slices(given: Mapping[str, Any], members: Group) -> dict[str, Any]:
    """Return the slices that a user names by ``--by``, or by a training file."""
    views = [member.type for member in members if isinstance(member.type, Views)]
    if not views:
        return {}
    if "by" not in given:
        return {"slices": "seen"} if "seen" in given else {}
    return {"slices": given["by"]} if given["by"] not in views[0].views else {}


def gold(unless: str = "the first") -> Option:
    """Return the option of the gold layer."""
    return option("--gold", "Take this annotator as gold.", metavar="NAME", unless=unless)


def annotators(purpose: str = "Compare only these annotators.") -> Option:
    """Return the option of some annotators."""
    return option("--annotators", purpose, metavar="NAME,...", unless="all", read=names_in)


def into(
    purpose: str, forms: Iterable[str], unless: str, *, name: str = "-o --output", **attributes: Any
) -> Group:
    """Return the options of where a corpus is written, and in which format."""
    return [
        option(name, purpose, **attributes),
        option(
            "--to",
            "Write in this format.",
            choices=forms,
            type=Formats(forms, is_written=True),
            unless=unless,
        ),
    ]


def levels() -> Group:
    """Return the options of levels of difficulty."""
    difficulties = "Put the borders at these difficulties."
    scores = "Put the borders at these scores of chance alone."
    shares = "Put these shares of the documents below the borders."
    members = group(
        "Levels of difficulty",
        number("--levels", "Make N levels of nearly equal size.", unless="2"),
        option("--at", difficulties, metavar="X,...", read=numbers_in),
        option("--chance-at", scores, metavar="X,...", read=numbers_in),
        option("--quantiles", shares, metavar="Q,...", read=numbers_in),
        part="levels",
    )
    return declared(members, needs("by=difficulty"))


TEST = "spanagree.systems.compare_systems.compare_systems"
"""The test that draws; its number of draws and their seed are options."""


def certainty(
    *extra: Option,
    over: bool = False,
    drawn: Mapping[str, str] | None = None,
    asked_by: str = "ci",
    without: str = "",
) -> Group:
    """Return the options of intervals and tests.

    Args:
        extra: those of one command only.
        over: whether annotators may be a sample.
        drawn: names of the options of what a command draws, with what each of them needs.
        asked_by: what asks for intervals, or tests by clusters.
        without: views whose rows have no intervals, with | between.
    """
    asked = flag("--ci", "Give every figure a confidence interval, over documents.")
    text = as_sentence(parameters(JACKKNIFE)["cluster_by"].text)
    cluster_by = option("--cluster-by --resample-by", text, choices=names_of(choices.ClusterBy))
    details = [*of(JACKKNIFE, "confidence"), cluster_by, *(of(JACKKNIFE, "over") if over else ())]
    for member in details:
        member.argument = "ci"
    draws = of(TEST, *drawn) if drawn else []
    if without:
        declared([asked], excludes(f"by={without}", "such rows have no intervals"))
    declared(details, needs(asked_by), excludes("test=chance", unless="ci"))
    no_interval = excludes("test=permutation|bootstrap", "it has no interval", unless="ci")
    declared(details, no_interval, names="confidence")
    for name, terms in (drawn or {}).items():
        declared(draws, needs(terms, "nothing else is drawn so"), names=name)
    idle = excludes("test=jackknife", "it draws nothing", unless=f"baseline=random {DRAWN}")
    declared(draws, idle, names="seed")
    shared = group("Certainty", asked, *details, *draws, part="certainty")
    return group("Certainty", *shared, *extra)


def workers() -> Group:
    """Return the option of corpora in many files."""
    text = "Read and compare the files of a pattern in N processes."
    parts = needs(PATTERNS, "each file is read and compared by itself", unless="measure=gamma|all")
    together = [parts, excludes("baseline", "baselines are of a whole corpus")]
    option = number("--workers", text, argument="executor", together=together)
    return group("Large corpora", option, shared=True)


OF_TABLES = ("encoding", "missing")
"""The options of reading that are of tables of labels too."""

NOT_CHECKED = ("--group-by", "--unplaced")
"""The options of reading that change what is compared, not what is read; check has none of them."""


def reading(
    but: Sequence[str] = (),
    *,
    strings: bool = False,
    of_spans: Clause | None = None,
    described_by: str = "check",
) -> Group:
    """Return the options of reading.

    Args:
        but: options that a command has in another sense.
        strings: whether the command takes strings that are in no text.
        of_spans: what holds for those that are not of tables of labels, too.
        described_by: command whose --help-all describes them once; its own where empty.
    """
    but = but if strings else (*but, "--strings")
    titled = {
        "Reading files": _files(),
        "Reading spaCy files and datasets": _datasets(),
        "Reading what annotation tools export": _exports(),
        "Reading recordings": _recordings(),
    }
    members = [
        member
        for title, options in titled.items()
        for member in group(title, *(o for o in options if o.opts[0] not in but), part="reading")
    ]
    if of_spans is not None:
        declared([member for member in members if member.name not in OF_TABLES], of_spans)
    for member in members:
        if member.opts[0] not in NOT_CHECKED:
            member.described_by = described_by
    return members


def _files() -> Group:
    document = "Choose what a document is in CoNLL; with --group-by, a group if document."
    grouped = "Group documents by what a pattern finds in their ids, or by a table."
    forms, schemes = names_of(choices.FormatName), names_of(choices.Scheme)
    columns = "Read these columns of tags, by number (the token is 0) or name; 1-9, or all."
    breaks = "With --unit document, take the sentences of this annotator for all."
    only = "Take segments of these labels only; others are dropped before anything is checked."
    renamed = (
        "Give labels other names, before --labels; FILE has two columns, old and new; best: those"
        " of the first annotator that they share most with, one-to-one."
    )
    partial = "Choose what becomes of documents that an annotator covered in part."
    outside = "Take these tags, such as _ or OTHER, to mean that nothing is marked."
    nothing = "Take who has nothing in a document as unseen or unmarked, where a file does not say."
    pieces = "Choose what becomes of segments of several pieces."
    ends = "Say whether the end of a span is that of its last token or character (inclusive)."
    join = "Join documents of different files that have the same text, whatever their ids are."
    repeats = "Read what an annotator marked twice once, or refuse it (error)."
    unplaced = "Count quotes of a language model that are not in the text as wrong, or ignore them."
    repair = f"Take these steps to repair what is read: {', '.join(names_of(choices.Repair))}."
    use = "a group is left out whole, or made one document"
    groups = [
        needs("cluster_by=document unit=document", use),
        excludes("workers", "a group may be in several files"),
    ]
    return [
        option(
            "--from",
            "Read the files in this format, such as conll, jsonl or brat (docs/formats.md).",
            type=Formats(forms),
            metavar="FORMAT",
            unless="by content",
        ),
        option("--unit", document, choices=names_of(choices.Unit), unless="sentence"),
        option("--group-by", grouped, metavar="PATTERN|FILE[:COLUMN]", together=groups),
        option("--sentences-from", breaks, metavar="NAME", unless="each file's own"),
        option("--scheme", "Read the tags in this scheme.", choices=schemes, unless="auto"),
        flag("--strict", "Take only segments that are well-formed in the scheme."),
        option("--columns", columns, metavar="NAME=COLUMN,...", unless="the last", read=columns_in),
        option("--labels", only, metavar="NAME,...", unless="all", read=names_in),
        option("--map-labels", renamed, metavar="OLD=NEW,...|FILE|best"),
        option("--encoding", "Read CoNLL, CSV and rows in JSON in this encoding.", unless="utf-8"),
        flag("--ignore-tokens", "Align files by position where their tokens differ."),
        option("--outside", outside, metavar="TAG,...", unless="O", read=names_in),
        option("--missing", "Take this tag or label to mean that none was given.", metavar="TAG"),
        option("--partial", partial, choices=names_of(choices.Partial), unless="error"),
        option("--discontinuous", pieces, choices=names_of(choices.Discontinuous), unless="keep"),
        option(
            "--absent",
            nothing,
            choices=names_of(choices.Absent),
            unless="by role, as the format's page says",
        ),
        option("--ends", ends, choices=names_of(choices.Ends), unless="as the spans' text shows"),
        option("--join", join, choices=names_of(choices.Join), unless="by id"),
        option("--repair", repair, metavar="STEP,...", read=names_in),
        option("--repeats", repeats, choices=names_of(choices.Repeats), unless="once"),
        option("--unplaced", unplaced, choices=names_of(choices.Unplaced), unless="wrong"),
    ]


def _datasets() -> Group:
    spans = "Read spans from this key of doc.spans, or from these columns of a dataset."
    tags = "Read a dataset's tags from these columns."
    text = "Read texts from this column of a dataset, or this key of Label Studio's data."
    start = "Read where spans start from this path in each, such as points[*].start or [0]."
    quote = "Read the text that a span covers from this column, in a table with a row for each."
    annotator = "Read annotators from this column, where a dataset has a row for each."
    ids = "Read a dataset's document ids from this column, or this path in Label Studio's data."
    align = "Align quotes, and copies of the text with tags in them, that a language model changed."
    strings = "Compare strings with labels that are in no text; there is no chance then."
    return [
        option("--spans", spans, metavar="KEY|COLUMN|NAME=COLUMN,...", read=spans_in),
        option("--start", start, metavar="PATH"),
        option("--end", "The same of their ends.", metavar="PATH"),
        option("--label", "The same of their labels.", metavar="PATH"),
        option("--quote", quote, metavar="COLUMN|PATH"),
        option("--tokens", "Read a dataset's tokens from this column.", metavar="COLUMN"),
        option("--text", text, metavar="COLUMN|KEY"),
        option("--tags", tags, metavar="NAME=COLUMN,...", read=named_in),
        option("--annotator", annotator, metavar="COLUMN"),
        option("--document", ids, metavar="COLUMN|PATH"),
        option("--split", "Read this part of a dataset.", metavar="NAME"),
        flag("--align", align),
        flag("--strings", strings),
    ]


def _exports() -> Group:
    names = "Name the annotators by a number, by the part of an e-mail before @, by the session, or"
    names += " by the file."
    models = "Read Label Studio's predictions too, as annotators named by their model's version."
    truth = "Add ground_truth: what Label Studio marks so, or INCEpTION's curators made."
    begun = "Take what INCEpTION's annotators began and did not finish as seen, or not."
    return [
        option(
            "--annotator-from",
            names,
            choices=names_of(choices.AnnotatorFrom),
            unless="id, or the file",
        ),
        flag("--predictions", models),
        flag("--ground-truth", truth),
        option("--in-progress", begun, choices=names_of(choices.InProgress), unless="auto"),
        option("--layer", "Read this layer of an INCEpTION project.", metavar="NAME"),
        option("--feature", "Read labels from this feature of the layer.", metavar="NAME"),
    ]


def _recordings() -> Group:
    unit = "Read times in this unit where nothing says it: s, ms, us, or frames such as 25fps."
    what = "Take as label what is written in a segment, the name of its tier, or both."
    finest = "the coarsest of 1s, 100ms, 10ms, 1ms that holds every time, else 1ms"
    parts = "Compare these parts of recordings only, each a document, as a UEM file names them."
    return [
        option("--tier", "Read these tiers only.", metavar="NAME,...", read=names_in, unless="all"),
        option("--label-from", what, choices=names_of(choices.LabelFrom), unless="text, or both"),
        option("--resolution", "Count time in this unit.", metavar="UNIT", unless=finest),
        option("--time-unit", unit, metavar="UNIT"),
        option("--duration", "Take recordings to be so many seconds long.", metavar="SECONDS"),
        option("--uem", parts, metavar="FILE"),
    ]


def output(forms: Iterable[str] | None = None, *, plot: bool = True, explain: bool = True) -> Group:
    """Return the options of what is written, and where.

    Args:
        forms: the formats; those of tables unless given.
        plot: whether there is a picture.
        explain: whether there is a table whose figures can be explained and rounded.
    """
    forms = tuple(forms or names_of(choices.Shown))
    wide = "Show all rows, all columns and whole names, however large the table becomes."
    styles = ", ".join(names_of(choices.Style))
    explained = "Say below the table what each figure means, and when not to trust it."
    safe = "With csv, put an apostrophe before names that a spreadsheet would take for a formula."
    mark = "With csv, begin with a byte order mark, by which spreadsheets know UTF-8."
    per_cent = "Give figures in per cent, as latex has F1 unless told not to."
    decimals = "Give figures with N decimals."
    by_name = "text, or by the name of the -o FILE"
    members = [
        option("--format", "Write the result in this format.", choices=forms, unless=by_name),
        option("-o --output", "Write to FILE instead of stdout.", metavar="FILE"),
    ]
    if plot:
        purpose = "Draw a picture too, as .png, .svg or .pdf."
        members.append(option("--plot", purpose, metavar="FILE"))
    if explain:
        members += [
            flag("--explain", explained),
            number("--digits", decimals, unless="3; 2 with markdown and latex"),
            flag("--percent/--no-percent", per_cent, default=None),
        ]
    if "csv" in forms:
        members.append(flag("--all all_columns", wide))
    if explain:
        look = f"With markdown, set off the best figures; with latex, choose a style: {styles}."
        members.append(option("--style", look, metavar="STYLE,...", read=names_in))
    if "csv" in forms:
        members += [flag("--safe-cells", safe), flag("--bom", mark)]
    exact = excludes("format=json|jsonl|csv", "it has every figure as it is")
    declared(members, exact, names="digits percent all_columns")
    declared(members, excludes("format=json|jsonl|csv|latex"), names="explain")
    declared(members, needs("format=csv worklist"), names="safe_cells bom")
    return group("Output", *members, shared=True)


_BY_NAME = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
}


def form_by_name(given: Mapping[str, Any], members: Group) -> dict[str, str]:
    """Return the format of a result by the name of the file it goes to, of those that there are.

    Raises:
        UsageError: if another one is asked for.
    """
    name = given.get("output")
    form = _BY_NAME.get(os.path.splitext(name or "")[1].lower())
    of_result = next((member.type for member in members if member.name == "format"), None)
    if form is None or not isinstance(of_result, _Choice) or form not in of_result.choices:
        return {}
    asked = given.get("format", form)
    if asked != form:
        raise click.UsageError(
            f"-o {escape_name(str(name))}: by its name it is {form}, and --format says {asked};"
            " leave one out, or name the file otherwise"
        )
    return {"format": form}


def messages() -> Group:
    """Return the options of what is said beside the result."""
    quiet = "Leave out the verdict above the table."
    verbose = "Give every note, not one for each kind, and the traceback of a fault of the program."
    return group("Messages", flag("--quiet", quiet), flag("--verbose", verbose), shared=True)


# --- what users write ---------------------------------------------------------------------------


def is_given(value: Any) -> bool:
    """Return whether a user gave an option that has this value."""
    return value is not None and value is not False and value != ()


def written(name: str) -> str:
    """Return the name of an option as it is written."""
    return f"--{name.replace('_', '-')}"


def names_in(text: str, option: str) -> list[str]:
    """Return the parts of ``NAME,…``; one with a comma stands in double quotes."""
    try:
        (names,) = csv.reader([text], skipinitialspace=True, strict=True)
    except csv.Error:
        needed = """a name with a comma stands in double quotes, as in 'ann,"Doe, Jane"'"""
        raise click.UsageError(f"{option}: {quote_value(text)}; {needed}") from None
    return [name.strip() for name in names or [text]]


def named_in(text: str, option: str, form: str = "NAME=COLUMN") -> dict[str, str]:
    """Return ``NAME=VALUE,…`` as a table."""
    named: dict[str, str] = {}
    for part in names_in(text, option):
        name, _, value = part.rpartition("=")
        if not name or not value:
            raise click.UsageError(f"{option}: {quote_value(part)}; {form} is needed")
        if name in named:
            raise InputError(f"{option}: {_twice(name)}")
        named[name] = value
    return named


def runs_in(text: str, option: str) -> dict[str, list[str]]:
    """Return ``NAME=LAYER,LAYER,…,NAME=…`` as the layers of each name."""
    runs: dict[str, list[str]] = {}
    for part in names_in(text, option):
        name, equals, layer = part.partition("=")
        if equals and name in runs:
            raise InputError(f"{option}: {_twice(name)}")
        if (equals and not (name and layer)) or not (equals or runs):
            raise click.UsageError(f"{option}: {quote_value(part)}; NAME=RUN,RUN,... is needed")
        last = name if equals else [*runs][-1]
        runs.setdefault(last, []).append(layer if equals else part)
    return runs


def runs_of_files(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the files with those of ``NAME=FILE,FILE,…`` apart, and their layers as runs of NAME.

    Nothing if no argument names several files.
    """
    files: list[str] = []
    places: dict[str, range] = {}
    for argument in given.get("files", ()):
        name, equals, text = argument.partition("=")
        is_path = any(map(os.path.exists, (argument, text)))
        if not (equals and name and "," in text) or is_path:
            files.append(argument)
            continue
        if name in places or name in given.get("runs", {}):
            raise InputError(f"{quote_value(name)}: {_twice(name)}")
        several = names_in(text, argument)
        places[name] = range(len(files), len(files) + len(several))
        files += several
    if not places:
        return {}
    layers = list(layers_in(files))
    named = {name: [layers[i] for i in at] for name, at in places.items()}
    return {"files": tuple(files), "runs": {**given.get("runs", {}), **named}}


def _twice(name: str) -> str:
    return f"the name {quote_value(name)} is given twice; give each annotator a name of its own"


def columns_in(text: str, option: str) -> str | dict[str, str | int]:
    """Return ``NAME=COLUMN,…`` as a table, with numbers as such, and anything else as it is."""
    if "=" not in text:
        return text
    return {
        name: whole_number(column, f"{option}:") if column.isdecimal() else column
        for name, column in named_in(text, option).items()
    }


def spans_in(text: str, option: str) -> str | dict[str, str]:
    """Return ``NAME=COLUMN,…`` as a table, and anything else as it is."""
    return named_in(text, option) if "=" in text else text


def numbers_in(text: str, option: str) -> list[float]:
    """Return the numbers of ``X,…``."""
    return [_number(part, option) for part in text.split(",")]


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option}: {quote_value(text)} is not a number") from None


def whole_numbers_in(text: str, option: str) -> list[int]:
    """Return the whole numbers of ``N,…``."""
    return [_whole_number(part, option) for part in text.split(",")]


def _whole_number(text: str, option: str) -> int:
    if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text, re.ASCII):
        raise click.UsageError(f"{option}: {quote_value(text)} is not a whole number")
    return whole_number(text.strip(), f"{option}:")


def layers_in(files: Sequence[str]) -> dict[str, str]:
    """Return the path of each FILE or NAME=FILE by its layer's name."""
    named: dict[int, tuple[str, str]] = {}
    for i, argument in enumerate(files):
        name, equals, path = argument.partition("=")
        if equals and not any(map(os.path.exists, (argument, argument.rpartition(":")[0]))):
            if not name or not path:
                raise click.UsageError(f"{quote_value(argument)}: NAME=FILE needs both")
            if name in (taken for taken, _ in named.values()):
                raise InputError(_twice(name))
            named[i] = name, path
    paths = [named[i][1] if i in named else argument for i, argument in enumerate(files)]
    if paths.count("-") > 1:
        raise InputError("standard input (-) is given twice; give it once, as it is read once")
    rest = [i for i in range(len(files)) if i not in named]
    names = file_names([files[i] for i in rest], [name for name, _ in named.values()])
    named |= {i: (name, files[i]) for i, name in zip(rest, names, strict=True)}
    return dict(named[i] for i in range(len(files)))
