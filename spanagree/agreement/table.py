"""An agreement as tables and pictures, its verdict, and what is said beside figures."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spanagree.agreement import by_annotator
from spanagree.agreement.by_annotator import PAIRS, Layout, Part
from spanagree.agreement.team import (
    Mean,
)
from spanagree.agreement.weight import single_caveat, weight_caveats
from spanagree.comparisons.inexact import of_all
from spanagree.comparisons.place_shares import beside_uniform
from spanagree.comparisons.tally_columns import count_columns, count_values
from spanagree.corpus.times import with_seconds
from spanagree.errors import join_names, pluralize
from spanagree.results import caveats, verdict
from spanagree.results.frame import Column, Frame, with_more
from spanagree.results.plots import Plot, f1_dots, heat_map, sentence
from spanagree.results.score import NO_CHANCE, Score, over_annotators
from spanagree.results.score_columns import ERROR_OF_CHANCE, F1, ScoreColumns
from spanagree.settings import confidence_of, document_noun
from spanagree.uncertainty.chance_statistics import COLUMNS as CHANCE_COLUMNS
from spanagree.uncertainty.chance_statistics import WHOLE, ChanceStatistics
from spanagree.uncertainty.confidence import (
    FEW_ANNOTATORS,
    LEAST_UNITS,
)
from spanagree.uncertainty.permutation import holm, holm_log10

if TYPE_CHECKING:
    from spanagree.agreement.result import Agreement

_SD = "sd over pairs"  # a row
_WITHOUT = " without "  # behind the name of a row, before those who are left out
_FEW = "*"
_MARKED = Column("", "marked, over pairs", "count")


def table_of(agreement: Agreement, by: str | None) -> Frame:
    """Build a table of the team and the mean over pairs; with ``by`` of each part instead."""
    names, parts, more = _LAYOUTS[by](agreement)
    ci = agreement.settings.ci is not None and by != "document"
    others = agreement.settings.over is not None and by in (None, "label", "annotator")
    f1 = ScoreColumns("f1", F1, ci, ("F1 of a pair", "", ""), others)
    error = agreement.error_of_chance if by is None else None
    columns = [*names, *f1.columns, *(f1.ends if ci else ())]
    columns += [ERROR_OF_CHANCE] * (error is not None)
    sizes = count_columns(is_titled=by == "pair", of_pairs=True)
    columns += [*sizes, *more]
    errors = [] if error is None else [error]
    rows = []
    for before, score, tally, behind in parts:
        of_chance = errors if tally else [None] * len(errors)  # means over pairs have none
        ends = f1.end_values(score) if ci else []
        rows.append(
            [
                *before,
                *f1.values(score),
                *ends,
                *of_chance,
                *count_values(tally, of_pairs=True),
                *behind,
            ]
        )
    if by is None and ci:  # a spread has no interval
        rows = [
            ["" if c.kind == "interval" else v for c, v in zip(columns, row, strict=True)]
            if row[0] == _SD
            else row
            for row in rows
        ]
    document, documents = document_noun(agreement.settings), agreement.team.documents
    table = Frame(
        columns,
        rows,
        agreement.settings,
        caption=f"{pluralize(len(agreement.annotators), 'annotator')},"
        f" {pluralize(agreement.team.pairs, 'pair')} with {_shared_by_pairs(agreement)},"
        f" {pluralize(agreement.documents, document)}, {documents} seen by two or more",
        remarks=_remarks(agreement, by, [score for names, score, *_ in parts if names != [_SD]]),
        for_people=[len(rows) - 1] if by == "label" else (),
        meanings={str(row[0]): _meaning(str(row[0])) for row in rows} if by is None else {},
    )
    table = with_seconds(table, *(column.key for column in sizes), _MARKED.title)
    if by == "annotator" and len(rows) > by_annotator.SHOWN:
        sort = agreement.sort or "outlier"
        first = by_annotator.arranged(agreement.members, agreement.standings, sort)
        place = {member.name: i for i, member in enumerate(agreement.members)}
        short = replace(
            table,
            columns=by_annotator.for_terminal(columns),
            rows=[rows[place[member.name]] for member in first[: by_annotator.SHOWN]],
        )
        short = with_more(short, len(rows) - by_annotator.SHOWN)
        table = replace(table, in_terminal=short)
    uniform = None if agreement.uniform is None else agreement.uniform._table(by)
    return beside_uniform(table, uniform, agreement.places)


def _meaning(name: str) -> str:
    """Return the heading of the paragraph on a row."""
    figure, is_without, _ = name.partition(_WITHOUT)
    return f"{figure} without annotators" if is_without else figure


def _remarks(agreement: Agreement, by: str | None, scores: Sequence[Score | Mean]) -> list[str]:
    """Say how the team is added up, what is shaky, and why figures are undefined."""
    document = document_noun(agreement.settings)
    remarks = [f"team: tallies summed over pairs and {document}s; those that many saw weigh more"]
    remarks += verdict.remarks_without_chance(agreement.settings)
    if agreement.places is not None:
        remarks += agreement.places.remarks({"annotators": list(agreement.annotators)})
    if agreement.settings.over is not None:
        remarks.append(
            f"intervals: over {document}s, for these annotators; then over other annotators too"
        )
    elif agreement.settings.ci is not None:
        remarks.append("intervals: for these annotators; others may differ by much more")
    if by == "label" and not agreement.labels:
        remarks.append(f"no rows for labels: match {agreement.settings.match} disregards them")
    if by and (error := agreement.error_of_chance):
        remarks.append(f"team: {of_all(error)}")
    if agreement.few:
        mark = f"{_FEW} " if by == "pair" else ""
        least = pluralize(agreement.settings.min_shared or 0, document)
        pairs = pluralize(len(agreement.pairs), "pair")
        shaky = f"{agreement.few} of {pairs} share fewer than {least}; their figures are shaky"
        if len(agreement.pairs) == 1:
            shaky = f"the only pair shares fewer than {least}; its figures are shaky"
        remarks.append(mark + shaky)
    silent = len(agreement.pairs) - int(agreement.mean.pairs.observed)
    if silent and agreement.mean.pairs.observed:
        remarks.append(
            f"{pluralize(silent, 'pair')} marked nothing in what is shared: left out of the mean"
        )
    if by is None and agreement.mean.pairs.observed:
        n_pairs = getattr(agreement.mean.pairs, verdict.figure_of(agreement.settings)[0])
        spread = "undefined of one pair" if n_pairs == 1 else "divisor n − 1"
        remarks.append(f"{_SD}: {spread}")
    if by == "annotator":
        scores = [*scores, *(member.without.f1 for member in agreement.annotators.values())]
        remarks.append(by_annotator.sentence_on(agreement.annotators, agreement.standings))
    for score in scores:
        name = "mean" if isinstance(score, Mean) else "F1"
        if score.reason and score.reason != NO_CHANCE:
            kind = "corrected " if name == "F1" and not math.isnan(score.observed) else ""
            remarks.append(f"–: {kind}{name} undefined: {score.reason}")
    return [*dict.fromkeys(filter(None, [*remarks, *caveats_of(agreement)]))]


def picture_of(agreement: Agreement, by: str | None) -> Plot:
    """Return the corrected F1 of each annotator with each other as a heat map.

    By annotator or label it is F1 of each part as dots, with their intervals.
    """
    if by in ("annotator", "label"):
        _, parts, _ = _LAYOUTS[by](agreement)
        return f1_dots(((str(name), score) for (name, *_), score, *_ in parts), f"F1 by {by}")
    names = list(agreement.annotators)
    if not names:
        return Plot(functools.partial(sentence, text="no annotator"))
    kind, before = verdict.figure_of(agreement.settings)
    return heat_map(names, names, agreement.matrix(kind), f"{before}F1")


# --- the parts of an agreement ---


def _whole(result: Agreement) -> Layout:
    team, mean = result.team, result.mean
    observed, corrected = int(mean.pairs.observed), int(mean.pairs.corrected)
    if mean.reason == NO_CHANCE:
        corrected = observed
    spread = Score(*mean.sd, "one pair" if corrected == 1 else "")
    # one number, or two if chance alone gives 1 for some
    shown = str(observed) if observed == corrected else f"{observed}, corrected {corrected}"
    over = (observed, corrected, shown)
    parts: list[Part] = [
        (["team"], team.f1, team.tally, (team.pairs, team.pairs, str(team.pairs))),
        (["mean over pairs"], mean, None, over),
        ([_SD], spread, None, over),
    ]
    if result.without is not None:
        _, (team_part, mean_part, *_), _ = _whole(result.without)
        names = join_names(result.settings.without or ())
        for (name, *_), score, tally, numbers in (team_part, mean_part):
            parts.append(([f"{name}{_WITHOUT}{names}"], score, tally, numbers))
    numbers = [PAIRS._replace(title=""), Column("pairs_corrected", "", "count")]
    return [Column("of", " ", "name")], parts, [*numbers, PAIRS._replace(key="", kind="place")]


def _pairs(result: Agreement) -> Layout:
    columns = [
        *(Column(side, side, "name", "two annotators") for side in "ab"),
        *(Column("documents", "", "count"), Column("few", "", "mark")),
        Column("", f"{document_noun(result.settings)}s", "place", "documents of a pair"),
    ]
    by_chance = [
        [*figures.values()[:WHOLE], p_holm, figures.log10_p, log10]
        for figures, p_holm, log10 in _chance_of_pairs(result)
    ]
    parts: list[Part] = []
    for i, p in enumerate(result.pairs.values()):
        names = [p.a, p.b, p.documents, p.few, f"{p.documents}{_FEW * p.few}"]
        parts.append((names, p.f1, p.tally, by_chance[i] if by_chance else ()))
    adjusted = [
        Column("p_holm", "Holm", "probability", "Holm of pairs against chance"),
        *(Column("log10_p"), Column("log10_p_holm")),
    ]
    return columns, parts, (*CHANCE_COLUMNS[:WHOLE], *adjusted) if by_chance else ()


def _labels(result: Agreement) -> Layout:
    parts: list[Part] = [([label], t.f1, t, [t.size]) for label, t in result.labels.items()]
    team = result.team
    parts.append((["all"], team.f1, team.tally, [team.tally.size]))
    return [Column("label", "label", "name", "label of a team")], parts, [_MARKED]


def _documents(result: Agreement) -> Layout:
    columns = [
        Column("document", document_noun(result.settings), "name", "document of a team"),
        Column("annotators", "annotators", "count"),
    ]
    parts: list[Part] = [([name, saw], t.f1, t, [t.size]) for name, saw, t in result.by_document()]
    return columns, parts, [_MARKED]


_LAYOUTS: Mapping[str | None, Callable[[Agreement], Layout]] = {
    None: _whole,
    "pair": _pairs,
    "annotator": lambda made: by_annotator.layout(made.members, made.standings, made.settings),
    "label": _labels,
    "document": _documents,
}


# --- what is said of an agreement ---


def caveats_of(agreement: Agreement) -> tuple[str, ...]:
    """Collect caveats of the team, and of what weighs much in it."""
    team, documents = agreement.team, agreement.evidence[0]
    compared = (member for member in agreement.annotators.values() if member.pairs)
    members = ((member.name, member.tally.size_a, member.without.f1) for member in compared)
    more = [*weight_caveats(team.tally, team.pairs, documents, agreement.heavy, members)]
    if agreement.mostly_single:
        more.append(single_caveat(agreement.single, team.documents, agreement.settings))
    shaky = caveats.caveats("team", team.f1, agreement.evidence, document_noun(agreement.settings))
    others: list[str] = []
    if (rest := agreement.without) is not None:
        name = f"team{_WITHOUT}{join_names(agreement.settings.without or ())}"
        others += caveats.caveats(
            name, rest.team.f1, rest.evidence, document_noun(agreement.settings)
        )
    team_caveats = (f"team: {sentence}" for sentence in more)
    return (*shaky, *team_caveats, *_few_annotators(agreement), *others)


def _n_compared(agreement: Agreement) -> int:
    """Count the annotators who share a document with another."""
    return sum(1 for member in agreement.annotators.values() if member.pairs)


def _few_annotators(agreement: Agreement) -> Iterator[str]:
    """Yield a caveat if intervals over annotators rest on few of them."""
    n_annotators = _n_compared(agreement)
    if agreement.settings.over is None or n_annotators >= FEW_ANNOTATORS:
        return
    noun = pluralize(n_annotators, "annotator")
    if n_annotators < LEAST_UNITS:
        yield f"{noun}: an interval over annotators needs {LEAST_UNITS}, so there is none"
    else:
        yield (
            f"{noun}: an interval over annotators wants {FEW_ANNOTATORS} or more, as few tell"
            " little of others"
        )


def verdict_of(agreement: Agreement) -> str:
    """Compose how far the team agrees, corrected for chance, and on how many documents."""
    noun, confidence = document_noun(agreement.settings), confidence_of(agreement.settings)
    over = f" over {noun}s, for these {pluralize(_n_compared(agreement), 'annotator')}"
    sentences = [verdict.one_score("The team", agreement.team.f1, confidence, over)]
    if math.isnan(agreement.team.f1.observed):
        return sentences[0]
    compared = [member for member in agreement.annotators.values() if member.pairs]
    unmarked = [member.name for member in compared if not member.tally.size_a]
    pairs = pluralize(agreement.team.pairs, "pair")
    seen = f"{agreement.team.documents} of {pluralize(agreement.documents, noun)}"
    sentences.append(f"It is over {pairs}, and {seen} that two or more saw.")
    if (others := over_annotators(agreement.team.f1.interval)) is not None:
        ends = getattr(others, verdict.figure_of(agreement.settings)[0])
        sentences.append(verdict.other_annotators(ends, _n_compared(agreement), FEW_ANNOTATORS))
    if agreement.without is not None:
        without = f"Without {join_names(agreement.settings.without or ())}"
        sentences.append(verdict.one_score(without, agreement.without.team.f1, confidence))
    sentences.append(verdict.chance_model(agreement.settings))
    names = [member.name for member in compared]
    lost = verdict.not_in_text(agreement.settings, names, agreement.not_found, "match nothing")
    return " ".join(filter(None, [*sentences, verdict.marked_nothing(unmarked), lost]))


def _shared_by_pairs(agreement: Agreement) -> str:
    """Say what pairs share; how many documents where a source does not say who saw which."""
    document = document_noun(agreement.settings)
    kept = agreement.per_document
    if not kept.corpus.seen_unknown or not agreement.pairs:
        return f"a shared {document}"
    return verdict.counted_from(agreement.pairs.shared.tolist(), f"shared {document}")


def _chance_of_pairs(agreement: Agreement) -> list[tuple[ChanceStatistics, float, float]]:
    """Return what chance says of each pair, and p and its logarithm after Holm's correction."""
    if not agreement.by_chance:
        return []
    by_chance = [
        agreement.by_chance[pair.a, pair.b].of_all(pair.tally)
        for pair in agreement.pairs.without_intervals
    ]
    adjusted = holm([figures.p for figures in by_chance])
    logs = holm_log10([figures.log10_p for figures in by_chance])
    return list(zip(by_chance, adjusted, logs, strict=True))
