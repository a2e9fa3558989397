"""A test against chance as a table and a plot, with its verdict and warnings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spanagree.arrays import Floats
from spanagree.comparisons.chance_distribution.distribution import find_likely_matches
from spanagree.errors import escape_name, pluralize
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_distributions, plot_sentence
from spanagree.uncertainty.permutation import build_powerless_caveat

if TYPE_CHECKING:
    from spanagree.systems.above_chance import ChanceTest, TestedSystem

_NAMED = 5  # systems in a sentence


def list_caveats(chance_test: ChanceTest) -> tuple[str, ...]:
    """List warnings about unreliable results, one sentence each."""
    if chance_test.settings.null != "drawn":
        return ()
    return build_powerless_caveat(
        [system.p for system in chance_test.systems.values()],
        chance_test.settings.draws or 0,
        "system",
    )


def write_verdict(chance_test: ChanceTest) -> str:
    """Write which systems are shown to be above chance, and which not, each with its p."""
    marking_systems = {
        name: system
        for name, system in chance_test.systems.items()
        if name not in chance_test.unmarked
    }
    names_by_outcome = {
        "above chance": [
            name for name, system in marking_systems.items() if system.p_holm < verdict.LEVEL
        ],
        "not shown to be above chance": [
            name for name, system in marking_systems.items() if not system.p_holm < verdict.LEVEL
        ],
    }
    sentences = []
    for outcome, names in names_by_outcome.items():
        if len(marking_systems) == 1 and names:
            sentences.append(
                f"{escape_name(names[0])} is {outcome}, {_write_p(chance_test, names[0])}."
            )
        elif names:
            names_with_p = [
                f"{escape_name(name)} ({_write_p(chance_test, name)})" for name in names
            ]
            systems_phrase = ", ".join(verdict.abbreviate_names(names_with_p, _NAMED, "other"))
            sentences.append(f"{outcome[0].upper()}{outcome[1:]}: {systems_phrase}.")
    n_tests = sum(not math.isnan(system.p) for system in chance_test.systems.values())
    if n_tests > 1 and sentences:
        sentences[-1] = verdict.add_p_adjustment(
            sentences[-1], f"adjusted for {n_tests} systems, Holm"
        )
    sentences += [
        verdict.write_names_without_segments(chance_test.unmarked),
        chance_test.not_in_text,
    ]
    return verdict.join_in_two_sentences(*sentences)


def _write_p(chance_test: ChanceTest, name: str) -> str:
    """Return the adjusted p of a system in words, or the reason for an undefined p."""
    system = chance_test.systems[name]
    return f"p {verdict.write_p(system.p_holm)}" if system.p == system.p else system.reason


def build_table(chance_test: ChanceTest, by: str | None) -> Frame:
    """Build the table, with a row for each system."""
    columns = [
        Column("system", "system", "name", "system against chance"),
        Column("f1", "F1", meaning="F1 of a system"),
        Column("p"),
        Column("null_mean", "F1 by chance"),
        Column("null_sd", "sd", meaning="sd of chance"),
        Column("null_95", "95 %", meaning="95 % point of chance"),
        Column("z", "z", "z", "z against chance"),
        Column("", "p", "probability", "p against chance"),
        Column("p_holm", "Holm", "probability", "Holm against chance"),
        Column("log10_p"),
        Column("log10_p_holm"),
        Column("reason", "", "name"),
    ]
    systems = chance_test.systems.values()
    computed = (
        "exactly"
        if chance_test.settings.null == "exact"
        else pluralize(chance_test.settings.draws or 0, "draw")
    )
    places = chance_test.settings.places
    location = "anywhere" if places is None else f"by places {escape_name(places)}"
    rows: list[list[Value]] = []
    for system in systems:
        figures = [system.p, system.mean, system.sd, system.high, system.z, system.p, system.p_holm]
        logarithms = [system.log10_p, system.log10_p_holm]
        rows.append([system.name, system.f1, *figures, *logarithms, system.reason])
    reasons = dict.fromkeys(f"–: undefined: {system.reason}" for system in systems if system.reason)
    return Frame(
        columns,
        rows,
        chance_test.settings,
        caption="systems against chance: gold fixed, each system's segments"
        f" {location} ({computed})",
        remarks=[*reasons, *chance_test.caveats],
    )


def build_plot(chance_test: ChanceTest, by: str | None) -> Plot:
    """Plot the distribution of F1 by chance and the observed F1 of each system."""
    systems = [system for system in chance_test.systems.values() if not math.isnan(system.p)]
    if not systems:
        return plot_sentence("no system that marked anything")
    rows = {system.name: (*_list_likely_scores(system), system.f1) for system in systems}
    return plot_distributions(rows, ("by chance", "the system"), "F1")


def _list_likely_scores(system: TestedSystem) -> tuple[Floats, Floats]:
    """List the values of F1 by chance, without negligibly improbable values, for a plot.

    Returns:
        Array of the values, and array of their probabilities; of drawn values, rounded to three
        decimals, the shares of the draws.
    """
    if len(system.null):
        values, counts = np.unique(system.null.round(3), return_counts=True)
        return values, counts / len(system.null)
    assert system.distribution is not None  # some documents were computed
    matches, probabilities = find_likely_matches(system.distribution)
    return matches * system.scale, probabilities
