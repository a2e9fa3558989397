"""The sections on systems against a gold annotation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spanagree.corpus.corpus import Corpus
from spanagree.errors import counted
from spanagree.evaluation import table as of_evaluation
from spanagree.evaluation import tests_table as of_tests
from spanagree.evaluation.compare_systems import Comparison
from spanagree.evaluation.result import Evaluation, System
from spanagree.levels.by_level import EvaluationByLevel
from spanagree.levels.difficulty import Difficulty
from spanagree.rendering.html import Html, el, escaped, name, number, remarks, table
from spanagree.rendering.svg import slopes
from spanagree.report.page.documents import browser
from spanagree.report.page.pieces import (
    SHOWN,
    Sections,
    captioned,
    change,
    difficulty_section,
    kinds_table,
    paragraph,
    with_bars,
)
from spanagree.settings import unit

_LEVEL = 0.05  # of a test


_SAID = 6  # systems that the summary has a sentence for


def sections_of_systems(
    corpus: Corpus, levels: EvaluationByLevel, hard: Difficulty, tested: Comparison | None
) -> tuple[Html, Sections]:
    """The heading of the page, and its sections; ``tested`` are systems against each other."""
    result = levels.whole
    gold = result.settings["gold"]
    document = unit(result.settings)
    whole = of_evaluation.as_table(result)
    heading = Html(escaped(f"{counted(len(result.systems), 'system')} against ") + name(gold, 60))
    parts: Sections = [
        ("summary", "Summary", _summary_of_systems(levels, tested, document)),
        ("systems", "Systems", Html(table(whole, with_bars(whole, result)) + _slopes(result))),
    ]
    if tested is not None:
        parts.append(("certainty", "Is one better?", _certainty(tested)))
    by_label = of_evaluation.as_table(result, "label")
    parts += [
        ("labels", "By label", table(by_label, with_bars(by_label))),
        ("difficulty", "By difficulty", difficulty_section(hard, levels)),
        (
            "disagreements",
            "Kinds of disagreement",
            kinds_table(corpus, [(gold, s) for s in result.systems], ("gold", "system")),
        ),
        browser(document),
    ]
    return heading, parts


def _summary_of_systems(
    levels: EvaluationByLevel, tested: Comparison | None, document: str
) -> Html:
    result = levels.whole
    systems = _placed(result)
    said = [_sentence(system) for system in systems[:_SAID]]
    if len(systems) > _SAID:
        said.append(paragraph(f"The table has {len(systems) - _SAID} more systems."))
    if len(systems) > 1:
        said += _order(result)
    if tested is not None:
        said += _first_two(systems, tested, document)
    halves = [
        (level.low, of)
        for level, of in zip(levels.levels, levels.evaluations, strict=True)
        if not math.isnan(level.low)
    ]
    low, hard = halves[-1]
    if len(halves) > 1 and (best := _first(hard, "corrected")):
        half = f"On the hard half, {counted(hard.documents, document)} of a difficulty from "
        said.append(paragraph(half, number(low), ", the first is ", *_names(best), " with ",
                       number(best[0].f1.corrected), " beyond luck."))  # fmt: skip
    return Html("".join(said) + remarks(*result.caveats))


def _first_two(systems: Sequence[System], tested: Comparison, document: str) -> list[Html]:
    """Whether the best two beyond luck are told apart."""
    best = {system.name for system in systems[:2]}
    pair = next(pair for pair in tested.pairs if {pair.a, pair.b} == best)
    found = pair.corrected
    if math.isnan(found.p_holm):
        return []
    would = "would most likely be there" if found.p_holm < _LEVEL else "may well be the other way"
    return [
        paragraph(
            "The best two differ by ", number(found.value), " beyond luck (", name(pair.a), " − ",
            name(pair.b), f"); that {would} on other {document}s like these (p ",
            number(found.p_holm), ", paired bootstrap with Holm's correction).",
        )
    ]  # fmt: skip


def _certainty(tested: Comparison) -> Html:
    found = of_tests.as_table(tested)
    return Html(table(found) + remarks(f"signature: {found.signature}"))


def _placed(result: Evaluation) -> list[System]:
    """The systems by rank, the best first."""

    def place(system: System) -> tuple[float, ...]:
        return tuple(math.inf if rank is None else rank for rank in system.rank[::-1])

    return sorted(result.systems.values(), key=place)


def _sentence(system: System) -> Html:
    f1 = system.f1
    if math.isnan(f1.observed):
        return paragraph(name(system.name), f" has no F1: {f1.reason}.")
    beyond = (
        (", so nothing is left to correct.",)
        if math.isnan(f1.corrected)
        else ("; beyond luck it is ", el("strong", number(f1.corrected)), ".")
    )
    return paragraph("Of ", name(system.name), "'s F1 of ", number(f1.observed),
              ", luck alone would give ", number(f1.expected), *beyond)  # fmt: skip


def _order(result: Evaluation) -> list[Html]:
    before, after = _first(result, "observed"), _first(result, "corrected")
    ranks = [system.rank for system in result.systems.values()]
    if all(rank.observed == rank.corrected for rank in ranks):
        return [paragraph("The order of the systems stays the same when luck is taken off.")]
    if not before or not after:
        return []
    if before == after:
        return [paragraph("The first stays ", *_names(before), "; further down the order changes.")]
    return [paragraph("The order changes: the first by F1 as observed is ", *_names(before),
               ", beyond luck it is ", *_names(after), ".")]  # fmt: skip


def _first(result: Evaluation, kind: str) -> list[System]:
    return [s for s in result.systems.values() if getattr(s.rank, kind) == 1]


def _names(systems: Sequence[System]) -> list[Html]:
    joined = [name(systems[0].name)]
    for system in systems[1:]:
        joined += [escaped(" and "), name(system.name)]
    return joined


def _slopes(result: Evaluation) -> Html:
    systems = [s for s in _placed(result) if not math.isnan(s.f1.corrected)][:SHOWN]
    left = len(result.systems) - len(systems)
    if not systems:
        return Html()
    chart = slopes([(s.name, s.f1.observed, s.f1.corrected, change(s)) for s in systems])
    said = ["▲ rises, ▼ falls in rank when luck is taken off"]
    if left:
        said.append(f"without {counted(left, 'system')}, undefined or of the lowest ranks")
    return Html(captioned(chart, "From F1 as observed to F1 beyond luck") + remarks(*said))
