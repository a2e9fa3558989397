"""Options of what is compared, by which measure and chance, and of its certainty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spanagree import choices
from spanagree.choices import list_names
from spanagree.cli.help_pages import convert_to_sentence
from spanagree.cli.option_rules import (
    PATTERNS,
    Option,
    OptionRule,
    add_rules,
    exclude_terms,
    require_terms,
)
from spanagree.cli.option_values import parse_numbers, parse_runs
from spanagree.cli.options import (
    Group,
    Views,
    build_flag,
    build_integer_option,
    build_list_option,
    build_option,
    build_options_from_function,
    group_options,
)
from spanagree.cli.signatures import JACKKNIFE, read_parameters

DRAWN_CHANCE = f"match={'|'.join(choices.ONE_TO_ONE)} overlap_at tolerance"
"""Terms for the measures with chance that may be estimated from draws."""


def build_comparison_options(
    *extra: Option,
    function: str = "spanagree.systems.evaluate.evaluate",
    rows: Iterable[str] = (),
    seed: bool = False,
) -> Group:
    """Build the options of comparisons: measure and chance, after options of one command only.

    Args:
        extra: options of one command only.
        function: full name of the function with parameters for match and chance.
        rows: choices of ``--by``.
        seed: True to include the seed of draws, for commands without the options of intervals.
    """
    purpose = (
        "Pair overlapping segments one-to-one if their IoU is at least X: --match overlap-at-X."
    )
    rules = [exclude_terms("match!=overlap")]
    overlap_at = build_option(
        "--overlap-at", purpose, type=float, metavar="X", argument="match", rules=rules
    )
    match, chance = build_options_from_function(function, "match", "chance")
    members = [*extra]
    if rows:
        members.append(build_view_option(rows))
    members += [match, overlap_at, chance]
    if seed:
        seeds = build_options_from_function(function, "seed")
        members += add_rules(seeds, require_terms(DRAWN_CHANCE))
    return group_options("Comparing", *members)


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
    return build_list_option("--annotators", purpose, unless="all")


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
