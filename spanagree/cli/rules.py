"""What options need, and what they do not go with: one table for all commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from spanagree.choices import ONE_TO_ONE
from spanagree.cli import options
from spanagree.errors import printable

PATTERNS = "patterns"
"""What is given where a pattern finds files."""

_WRITTEN = {
    PATTERNS: "files found by a pattern",
    "files": "FILE",
    "result": "RESULT",
    "all_columns": "--all",
    "slices": "--by COLUMN",
}
"""Terms that are not written as their name with dashes."""


class Rule(NamedTuple):
    """What holds for options that are given.

    An option is written without its dashes; ``by=label|document`` regards only these values, and
    ``measure!=f1`` all others. Several stand apart by spaces, and each of them is regarded.

    Attributes:
        commands: for which this holds.
        options: which are regarded.
        needs: one of these has to be given too.
        excludes: none of these may be.
        unless: nor is there a rule where one of these is given.
        why: said behind it.
    """

    commands: str
    options: str
    needs: str = ""
    excludes: str = ""
    unless: str = ""
    why: str = ""


_COMPARE = "evaluate agree difficulty split disagreements report alt-test plan"
_LEVELS = "levels at chance_at quantiles"
_REFERENCES = "references systems"
_PAIRED = f"match={'|'.join(ONE_TO_ONE)}"
_MAYBE_DRAWN = f"{_PAIRED} overlap_at tolerance"
_WHAT = " ".join(str(member.name) for member in options.comparing_what())
_OF_TABLES = ("--tokens", "--annotator", "--label", "--encoding", "--missing")
_NOT_OF_SPANS = (*_OF_TABLES, "--unplaced")  # which coefficients have not
_SPANS = " ".join(str(member.name) for member in options.reading(but=_NOT_OF_SPANS))

RULES = [
    Rule(_COMPARE, "overlap_at", excludes="match!=overlap"),
    Rule("", "workers", needs=PATTERNS, unless="measure=gamma|all",
         why="each file is read and compared by itself"),
    # intervals and tests
    Rule("evaluate", "confidence cluster_by", needs="ci test sweep"),
    Rule("evaluate", "confidence cluster_by", excludes="test=chance", unless="ci"),
    Rule("evaluate", "confidence", excludes="test=permutation|bootstrap", unless="ci",
         why="it has no interval"),
    Rule("evaluate", "resamples", needs="test=permutation|bootstrap|chance slices",
         why="nothing else is drawn so"),
    Rule("evaluate", "seed", needs=f"test baseline=random {_MAYBE_DRAWN} slices sweep"),
    Rule("evaluate", "seed", excludes="test=jackknife", unless=f"baseline=random {_MAYBE_DRAWN}",
         why="it draws nothing"),
    Rule("coefficients", "confidence cluster_by", needs="ci"),
    Rule("agree", "confidence cluster_by over", needs="ci"),
    Rule("evaluate agree", "ci", excludes="by=document", why="such rows have no intervals"),
    Rule("agree", "resamples", needs="slices"),
    Rule("agree", "seed", needs=f"slices measure=gamma|all {_MAYBE_DRAWN}"),
    Rule("difficulty split disagreements alt-test", "seed", needs=f"{_PAIRED} overlap_at"),
    Rule("coefficients", "ci", excludes="by=annotator|pair|item",
         why="such rows have no intervals"),
    Rule("evaluate", "by=error", excludes="ci test what=relations|attributes",
         why="it counts errors, whatever the measure"),
    Rule("evaluate", "by=strategy", excludes="ci test match overlap_at tolerance beta",
         why="each strategy has a measure of its own"),
    Rule("evaluate", "by=strategy", excludes="what=relations|attributes",
         why="strategies are of segments"),
    Rule("evaluate", "test", excludes="by=difficulty", why="a test is over all documents"),
    # systems against gold, references, shares, and sums that were written before
    Rule("evaluate", _LEVELS, needs="by=difficulty"),
    Rule("evaluate", f"gold test {_LEVELS}", excludes=_REFERENCES,
         why="it is for one gold annotator"),
    Rule("evaluate", "by=document|difficulty|error|strategy", excludes=_REFERENCES,
         why="it is for one gold annotator"),
    Rule("evaluate", "by=annotator", needs=_REFERENCES),
    Rule("evaluate report", "beta", excludes=f"{_REFERENCES} team by=error",
         why="F-beta is of systems against one gold"),
    Rule("evaluate", "sweep", excludes=f"{_REFERENCES} by slices seen test",
         why="it has rows of its own, of systems against one gold"),
    Rule("evaluate", "runs", excludes=f"{_REFERENCES} by slices seen sweep",
         why="it has rows of its own, of systems against one gold"),
    Rule("evaluate", "runs", excludes="test=permutation|bootstrap|chance",
         why="these regard no runs; --test jackknife does"),
    Rule("evaluate", "sweep", excludes="ci", why="what is held out has intervals without it"),
    Rule("evaluate", "slices seen", excludes=_REFERENCES, why="it is for one gold annotator"),
    Rule("evaluate", "slices seen", excludes="test", why="its differences are tested"),
    Rule("evaluate agree", "seen", excludes="by", why="it has rows of its own"),
    Rule("evaluate agree", "slices=seen", needs="seen"),
    Rule("evaluate agree", "slices=file", excludes="workers baseline",
         why="each FILE is read by itself"),
    Rule("evaluate", _WHAT, excludes=_REFERENCES),
    Rule("evaluate", f"baseline {_REFERENCES}", excludes="workers", why="it is for a whole corpus"),
    Rule("agree", "places", excludes="measure!=f1",
         why="these measures have a chance of their own"),
    # annotators against each other
    Rule("agree", _WHAT, excludes="measure!=f1"),
    Rule("agree", "by=annotator|document", excludes="measure!=f1"),
    Rule("agree", "by", excludes="measure=all|documents"),
    Rule("agree", "sort", needs="by=annotator"),
    Rule("agree", "continuum", needs="measure=alpha-u"),
    Rule("agree", "unplaced strings", excludes="measure!=f1",
         why="it takes segments that have a place"),
    Rule("agree", "chance", excludes="measure=alpha-u|documents"),
    Rule("agree", "match overlap_at min_shared test fail_under sort", excludes="measure!=f1"),
    Rule("agree", "cluster_by", excludes="measure=alpha-u|gamma|all"),
    Rule("agree", "over", excludes="measure!=f1 slices by=pair"),
    Rule("agree", "ci", excludes="measure=all", why="ask for one measure"),
    Rule("agree", "measure=documents", excludes="workers",
         why="all documents are compared at once"),
    Rule("agree", "test", excludes="by=annotator|label|document", why="it is of pairs"),
    Rule("agree", "measure!=f1 sort fail_under test without", excludes="slices"),
    Rule("agree", "without", excludes="measure!=f1"),
    # segments and labels
    Rule("disagreements", "between", excludes="rest"),
    Rule("disagreements", "undirected", needs="what=relations"),
    Rule("disagreements", "kind no_text by=label|share|expected", excludes="what=relations"),
    Rule("disagreements", "rest format=markdown|latex", needs="by=label|share|expected"),
    Rule("disagreements", "sort match overlap_at chance no_text kind",
         excludes="by=label|share|expected"),
    Rule("coefficients", "attribute", excludes="tokens by=label workers"),
    Rule("coefficients", "slices", excludes="attribute workers"),
    Rule("coefficients", _SPANS, needs="tokens attribute", why="it is for span corpora"),
    Rule("coefficients", "workers", needs="tokens", why="a table of labels is read at once"),
    Rule("alt-test", f"{_SPANS} tokens unplaced strings", excludes="table", why="it is for spans"),
    Rule("coefficients", "skip_outside", needs="tokens"),
    Rule("coefficients", "by=label", needs="tokens"),
    Rule("coefficients", "by=label", excludes="workers",
         why="--labels takes one label at a time"),
    Rule("coefficients", "annotators", excludes="workers", why="all annotators are compared"),
    Rule("coefficients", "item label wide counts duplicates separator", excludes="tokens",
         why="it is for a table of labels"),
    Rule("alt-test", "item label wide counts categories duplicates separator score", needs="table"),
    Rule("alt-test", "match chance overlap_at", excludes="table", why="it is for spans"),
    # files and projects
    Rule("disagreements gold", "readers limit assignees", needs="worklist"),
    Rule("disagreements", "worklist", excludes="between rest kind what undirected no_text by",
         why="it is for all annotators and whole documents"),
    Rule("gold", "to keep_annotators", needs="output"),
    Rule("report", "baseline", excludes="team", why="it is for systems"),
    Rule("cite", "results", needs="result", why="a file that --format json wrote"),
    # how a result is shown
    Rule("", "digits percent all_columns", excludes="format=json|jsonl|csv",
         why="it has every figure as it is"),
    Rule("", "explain", excludes="format=json|jsonl|csv|latex"),
    Rule("", "safe_cells bom", needs="format=csv", unless="worklist"),
    Rule("", "group_by", needs="cluster_by=document unit=document",
         why="one leaves out whole groups, the other makes a group one document"),
    Rule("", "group_by", excludes="workers", why="a group may be in several files"),
]  # fmt: skip
"""The rules; the first that is broken is said."""


def check(command: str, given: Mapping[str, Any]) -> None:
    """Refuse options that do not go together.

    Args:
        command: its name.
        given: the value of each option that a user gave, by name; also that a pattern finds files.

    Raises:
        UsageError: in one line.
    """
    for rule in RULES:
        if rule.commands and command not in rule.commands.split():
            continue
        if any(_holds(term, given) for term in rule.unless.split()):
            continue
        why = f": {rule.why}" if rule.why else ""
        for term in rule.options.split():
            if not _holds(term, given):
                continue
            name = _written(term, given)
            needed = rule.needs.split()
            if needed and not any(_holds(other, given) for other in needed):
                every = " or ".join(_written(other, {}) for other in needed)
                raise click.UsageError(f"{name} needs {every}{why}")
            for other in rule.excludes.split():
                if _holds(other, given):
                    excluded = _written(other, given)
                    raise click.UsageError(f"{name} does not go with {excluded}{why}")


def _parts(term: str) -> tuple[str, bool, list[str]]:
    """Return the option of a term, whether one of its values is meant or another, and these."""
    name, _, values = term.partition("=")
    return name.removesuffix("!"), not name.endswith("!"), values.split("|") if values else []


def _holds(term: str, given: Mapping[str, Any]) -> bool:
    """Return whether a user gave an option, with a value that the term regards."""
    name, among, values = _parts(term)
    if name not in given or not values:
        return name in given
    several = given[name] if isinstance(given[name], list) else [given[name]]
    return any(value in values for value in several) is among


def _written(term: str, given: Mapping[str, Any]) -> str:
    """Return a term as a user writes it, with the value that was given."""
    name, among, values = _parts(term)
    if name == "slices" and name in given:
        return f"--by {printable(str(given[name]))}"
    if name in _WRITTEN:
        return _WRITTEN[name]
    value = given.get(name) if values else None
    if value is None and values and among:
        value = "|".join(values)
    if value is None and values:
        value = f"other than {values[0]}"
    return options.written(name) + ("" if value is None else f" {value}")
