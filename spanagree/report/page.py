"""A report as one HTML file: figures and charts, and a browser of documents.

The figures are those of the results, rendered here; the browser is made by the script of the page
from the corpus, which is put into the page as JSON, in columns. Nothing is loaded from elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import combinations
from typing import Any

import numpy as np

from spanagree.agreeing import agree
from spanagree.agreement import Agreement
from spanagree.corpus import Corpus, Layer
from spanagree.disagreement import OUTCOMES, disagreements
from spanagree.errors import SettingError, SpanAgreeError, counted
from spanagree.evaluating import evaluate
from spanagree.evaluation import Evaluation, System
from spanagree.formats.files import PathName, check_writable, write_bytes
from spanagree.levels import Difficulty, EvaluationByLevel, difficulty, evaluate_levels
from spanagree.reliability import coefficients
from spanagree.report import agreement as of_agreement
from spanagree.report import coefficients as of_coefficients
from spanagree.report import difficulty as of_difficulty
from spanagree.report import evaluation as of_evaluation
from spanagree.report.charts import bar, histogram, shade, slopes, strip
from spanagree.report.html import Html, el, escaped, name, number, remarks, scrolled, table
from spanagree.report.table import UNDEFINED, Table, Value, figure, unit
from spanagree.token_items import token_labels
from spanagree.version import __version__

_SAID = 6  # systems that the summary has a sentence for
_SHOWN = 40  # annotators in a heat map, and pairs in a table
_FULL = 12  # annotators up to which a heat map has four digits
_LEVELS = 2
_HALVES = re.compile("[\ud800-\udfff]")  # one by one no characters, so that offsets stay
_SPECIAL = re.compile("[<>&\u2028\u2029]")  # would mean something in HTML or in a script


def write_report(
    corpus: Corpus,
    path: PathName,
    *,
    gold: str | None = None,
    team: bool = False,
    match: str = "exact",
    chance: str = "nonoverlapping",
) -> None:
    """Writes one HTML file with everything about systems, or about a team of annotators.

    It has the summary, the figures, charts, and every document with the segments of any two of the
    annotators. It opens from disk and loads nothing.

    Args:
        corpus: gold and systems, or annotators, as layers.
        path: the file to write.
        gold: the gold layer; the first unless named.
        team: a report on annotators among each other, without gold.
        match: as for :func:`spanagree.evaluate`.
        chance: as for :func:`spanagree.evaluate`.

    Raises:
        InputError: for a path that cannot be written.
        SettingError: as for :func:`spanagree.evaluate` and :func:`spanagree.agree`; for gold and
            team at once.
    """
    check_writable(path)
    text = page(corpus, gold=gold, team=team, match=match, chance=chance)
    write_bytes(path, text.encode())


def page(
    corpus: Corpus,
    *,
    gold: str | None = None,
    team: bool = False,
    match: str = "exact",
    chance: str = "nonoverlapping",
) -> str:
    """The text of the file that :func:`write_report` writes."""
    if team and gold is not None:
        raise SettingError("gold and team; a report is on systems against gold or on a team")
    if team and len(corpus.layers) < 2:
        raise SettingError(
            f"{counted(len(corpus.layers), 'annotator')}; a report on a team needs two"
        )
    if team:
        found = agree(corpus, match=match, chance=chance)
        hard = difficulty(corpus, match=match, chance=chance)
        heading, parts = _team(corpus, found, hard)
        data = _data(corpus, hard, _first_pair(corpus, found))
        return _assembled(heading, parts, data, found.signature, found.notes)
    result = evaluate(corpus, gold, match=match, chance=chance)
    of_gold = result.settings["gold"]
    hard = difficulty(corpus, of_gold, match=match, chance=chance)
    levels = evaluate_levels(result, hard, levels=_LEVELS)
    heading, parts = _systems(corpus, levels, hard)
    data = _data(corpus, hard, (of_gold, next(iter(result.systems))))
    return _assembled(heading, parts, data, levels.signature, (*result.notes, *levels.notes))


def _assembled(
    heading: Html,
    parts: Sequence[tuple[str, str, Html]],
    data: str,
    signature: str,
    notes: Iterable[str],
) -> str:
    """The page: its frame with the sections, data, style and script put in."""
    frame, style, script = (_own(f"page.{kind}") for kind in ("html", "css", "js"))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}';"
        " base-uri 'none'; form-action 'none'"
    )
    sections = [
        el("section", el("h2", heading, id=f"{key}-heading"), body, id=key,
           aria_labelledby=f"{key}-heading")
        for key, heading, body in parts
    ]  # fmt: skip
    links = [el("li", el("a", heading, href=f"#{key}")) for key, heading, _ in parts]
    fields = {
        "policy": policy,
        "heading": heading,
        "links": "".join(links),
        "sections": "".join(sections),
        "notes": remarks(*notes),
        "signature": escaped(f"signature: {signature}"),
        "version": __version__,
        "style": style,
        "data": data,
        "script": script,
    }
    head, *rest = frame.split("{{")
    pieces = [head]
    for part in rest:
        field, _, after = part.partition("}}")
        pieces += [fields[field], after]
    return "".join(pieces)


def _own(file: str) -> str:
    return files("spanagree.report").joinpath(file).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


_Sections = list[tuple[str, str, Html]]


# --- systems ------------------------------------------------------------------------------------


def _systems(corpus: Corpus, levels: EvaluationByLevel, hard: Difficulty) -> tuple[Html, _Sections]:
    result = levels.whole
    gold = result.settings["gold"]
    document = unit(result.settings)
    whole = of_evaluation.as_table(result)
    heading = Html(escaped(f"{counted(len(result.systems), 'system')} against ") + name(gold, 60))
    parts: _Sections = [
        ("summary", "Summary", _summary_of_systems(levels, document)),
        ("systems", "Systems", Html(table(whole, _with_bars(whole, result)) + _slopes(result))),
    ]
    by_label = of_evaluation.as_table(result, "label")
    parts += [
        ("labels", "By label", table(by_label, _with_bars(by_label))),
        ("difficulty", "By difficulty", _difficulty(hard, levels)),
        (
            "disagreements",
            "Kinds of disagreement",
            _kinds(corpus, [(gold, s) for s in result.systems], ("gold", "system")),
        ),
        _browser(document),
    ]
    return heading, parts


def _summary_of_systems(levels: EvaluationByLevel, document: str) -> Html:
    result = levels.whole
    systems = _placed(result)
    said = [_sentence(system) for system in systems[:_SAID]]
    if len(systems) > _SAID:
        said.append(_p(f"The table has {len(systems) - _SAID} more systems."))
    if len(systems) > 1:
        said += _order(result)
    halves = [
        (level.low, of)
        for level, of in zip(levels.levels, levels.evaluations, strict=True)
        if not math.isnan(level.low)
    ]
    low, hard = halves[-1]
    if len(halves) > 1 and (best := _first(hard, "corrected")):
        half = f"On the hard half, {counted(hard.documents, document)} of a difficulty from "
        said.append(_p(half, number(low), ", the first is ", *_names(best), " with ",
                       number(best[0].f1.corrected), " beyond luck."))  # fmt: skip
    return Html("".join(said) + remarks(*result.caveats))


def _placed(result: Evaluation) -> list[System]:
    """The systems by rank, the best first."""

    def place(system: System) -> tuple[float, ...]:
        return tuple(math.inf if rank is None else rank for rank in system.rank[::-1])

    return sorted(result.systems.values(), key=place)


def _sentence(system: System) -> Html:
    f1 = system.f1
    if math.isnan(f1.observed):
        return _p(name(system.name), f" has no F1: {f1.reason}.")
    beyond = (
        (", so nothing is left to correct.",)
        if math.isnan(f1.corrected)
        else ("; beyond luck it is ", el("strong", number(f1.corrected)), ".")
    )
    return _p("Of ", name(system.name), "'s F1 of ", number(f1.observed),
              ", luck alone would give ", number(f1.expected), *beyond)  # fmt: skip


def _order(result: Evaluation) -> list[Html]:
    before, after = _first(result, "observed"), _first(result, "corrected")
    ranks = [system.rank for system in result.systems.values()]
    if all(rank.observed == rank.corrected for rank in ranks):
        return [_p("The order of the systems stays the same when luck is taken off.")]
    if not before or not after:
        return []
    if before == after:
        return [_p("The first stays ", *_names(before), "; further down the order changes.")]
    return [_p("The order changes: the first by F1 as observed is ", *_names(before),
               ", beyond luck it is ", *_names(after), ".")]  # fmt: skip


def _first(result: Evaluation, kind: str) -> list[System]:
    return [s for s in result.systems.values() if getattr(s.rank, kind) == 1]


def _names(systems: Sequence[System]) -> list[Html]:
    joined = [name(systems[0].name)]
    for system in systems[1:]:
        joined += [escaped(" and "), name(system.name)]
    return joined


def _p(*parts: str) -> Html:
    return el("p", *parts)


_BARRED = ("F1", "chance F1", "corrected F1")


def _with_bars(of: Table, result: Evaluation | None = None) -> Any:
    """Cells with a bar below each F1; of systems, ranks that say which way they go."""
    systems = list(result.systems.values()) if result is not None else []

    def cell(row: int, column: int) -> Html | None:
        value: Value = of.rows[row][column]
        if of.header[column] in _BARRED and isinstance(value, float) and not math.isnan(value):
            return Html(number(value) + bar(value))
        if of.header[column] == "rank" and systems:
            return escaped(f"{value}{_change(systems[row])}")
        return None

    return cell


def _change(system: System) -> str:
    before, after = system.rank
    if before is None or after is None or before == after:
        return ""
    return " ▼" if after > before else " ▲"


def _slopes(result: Evaluation) -> Html:
    systems = [s for s in _placed(result) if not math.isnan(s.f1.corrected)][:_SHOWN]
    left = len(result.systems) - len(systems)
    if not systems:
        return Html()
    chart = slopes([(s.name, s.f1.observed, s.f1.corrected, _change(s)) for s in systems])
    said = ["▲ rises, ▼ falls in rank when luck is taken off"]
    if left:
        said.append(f"without {counted(left, 'system')}, undefined or of the lowest ranks")
    return Html(_figure(chart, "From F1 as observed to F1 beyond luck") + remarks(*said))


def _figure(chart: Html, caption: str) -> Html:
    return el(
        "figure",
        el("figcaption", caption),
        scrolled(chart, caption),
    )


def _difficulty(hard: Difficulty, levels: EvaluationByLevel | None) -> Html:
    borders = (
        [level.low for level in levels.levels[1:] if not math.isnan(level.low)] if levels else []
    )
    found = of_difficulty.bins(hard)
    said = of_difficulty.remarks(hard)
    if found is None:
        return remarks("no document has a difficulty", *said)
    chart = histogram(*found, borders)
    documents = counted(int(hard.defined.sum()), unit(hard.settings))
    caption = f"{documents} by difficulty: 1 − the agreement that luck alone would give"
    body = Html(_figure(chart, caption) + remarks(*said))
    if levels is None:
        return body
    by_level = of_difficulty.levels_as_table(levels)
    return Html(body + table(by_level, _with_bars(by_level)))


def _kinds(corpus: Corpus, pairs: Sequence[tuple[str, str]], who: tuple[str, str]) -> Html:
    """How often two annotators part, by kind."""
    rows: list[list[Value]] = []
    for a, b in pairs[:_SHOWN]:
        counts: Mapping[str, int] = {}
        if (corpus.layers[a].annotated & corpus.layers[b].annotated).any():
            counts = disagreements(corpus, a, b, text=False).counts
        rows.append([a, b, *(counts.get(kind) for kind in OUTCOMES)])
    first, second = who
    said = [
        f"missed: {first} marked it, {second} not; spurious: {second} marked it, {first} not;"
        " boundary: other boundaries; label: another label"
    ]
    if (left := len(pairs) - _SHOWN) > 0:
        said.append(f"the first {_SHOWN} pairs; {left} more are left out here")
    return table(Table((*who, *OUTCOMES), rows, names=2, remarks=said))


# --- a team -------------------------------------------------------------------------------------


def _team(corpus: Corpus, found: Agreement, hard: Difficulty) -> tuple[Html, _Sections]:
    document = unit(found.settings)
    members = of_agreement.as_table(found, "annotator")
    labels = of_agreement.as_table(found, "label")
    pairs = list(found.pairs)
    heading = escaped(f"Agreement among {counted(len(corpus.layers), 'annotator')}")
    parts: _Sections = [
        ("summary", "Summary", _summary_of_team(found, document)),
        ("pairs", "Pairs", _heat_map(found)),
        ("coverage", "Who saw what", _coverage(corpus, document)),
        ("annotators", "Each against the rest", table(members, _with_bars(members))),
        ("labels", "By label", table(labels, _with_bars(labels))),
        ("difficulty", "Difficulty", _difficulty(hard, None)),
        ("bias", "Coefficients and bias", _bias(corpus)),
        ("disagreements", "Kinds of disagreement", _kinds(corpus, pairs, ("a", "b"))),
        _browser(document),
    ]
    return heading, parts


def _summary_of_team(found: Agreement, document: str) -> Html:
    team, f1 = found.team, found.team.f1
    if math.isnan(f1.observed):
        return _p(f"There is no agreement to report: {f1.reason}.")
    said = [
        _p("Of the team's F1 of ", number(f1.observed), f" over {counted(team.pairs, 'pair')} and ",
           counted(team.documents, document), ", luck alone would give ", number(f1.expected),
           "; beyond luck it is ", el("strong", number(f1.corrected)), "."),
    ]  # fmt: skip
    if not math.isnan(found.mean.corrected):
        said.append(
            _p("The mean over pairs is ", number(found.mean.corrected), " beyond luck, with a"
               " standard deviation of ", number(found.mean.sd.corrected), ".")
        )  # fmt: skip
    rising = [m for m in found.annotators.values() if m.rise.corrected > 0]
    if rising:
        apart = max(rising, key=lambda m: m.rise.corrected)
        said.append(
            _p("Without ", name(apart.name), " the team would be at ",
               number(apart.without.f1.corrected), ", ", number(apart.rise.corrected), " higher.")
        )  # fmt: skip
    if found.few:
        least = found.settings["min_shared"]
        few = f"{found.few} of {len(found.pairs)} pairs share fewer than {least} {document}s"
        said.append(_p(f"{few}; their figures are shaky."))
    return Html("".join(said) + remarks(*found.caveats))


def _most_active(found: Agreement) -> list[str]:
    """Annotators for which there is room, those who saw the most, in the order of the corpus."""
    members = list(found.annotators.values())
    kept = {m.name for m in sorted(members, key=lambda m: -m.documents)[:_SHOWN]}
    return [m.name for m in members if m.name in kept]


def _heat_map(found: Agreement) -> Html:
    names = _most_active(found)
    longest = 12 if len(names) <= _FULL else 24
    head = [el("th", name(who, longest), scope="col") for who in names]
    rows = [
        el(
            "tr",
            el("th", name(a, 24), scope="row"),
            *(_heat(found, a, b, len(names)) for b in names),
        )
        for a in names
    ]
    body = el(
        "table",
        el("caption", "F1 beyond luck of each annotator with each other"),
        el("thead", el("tr", el("td"), *head)),
        el("tbody", *rows),
        class_="heatmap" if len(names) <= _FULL else "heatmap many",
    )
    said = [
        "the stronger the colour, the more they agree; a cell's title has the figure as observed",
        f"{UNDEFINED}: nothing shared, or undefined",
    ]
    if found.few:
        said.append(f"* share fewer than {found.settings['min_shared']} documents")
    if (left := len(found.annotators) - len(names)) > 0:
        said.append(f"the {len(names)} who saw most; {left} more are left out here")
    return Html(scrolled(body, "heat map") + remarks(*said))


def _heat(found: Agreement, a: str, b: str, annotators: int) -> Html:
    """One cell of the heat map; of many annotators with two digits."""
    if a == b:
        return el("td", class_="heat none")
    pair = found.pairs[a, b]
    value = pair.f1.corrected
    if math.isnan(value):
        return el("td", UNDEFINED, class_="heat none", title=pair.f1.reason)
    shown = figure(value) if annotators <= _FULL else f"{value:.2f}".replace("-0.00", "0.00")
    said = (
        f"{a}, {b}: F1 {figure(pair.f1.observed)}, beyond luck {figure(value)}, over"
        f" {counted(pair.documents, 'document')}"
    )
    cell = el("data", shown, value=repr(value))
    return el("td", cell, "*" if pair.few else "", class_=f"heat {shade(value)}", title=said)


def _coverage(corpus: Corpus, document: str) -> Html:
    layers = corpus.layers
    times = np.bincount(
        np.sum([x.annotated for x in layers.values()], axis=0), minlength=len(layers) + 1
    ).tolist()
    kept = sorted(layers, key=lambda n: -int(layers[n].annotated.sum()))[:_SHOWN]
    shown = [n for n in layers if n in set(kept)]
    header = ("annotator", f"{document}s seen", "segments", f"which of the {len(corpus)}")
    rows: list[list[Value]] = [
        [n, int(layers[n].annotated.sum()), len(layers[n]), ""] for n in shown
    ]
    said = [
        f"{counted(number_of, document)} seen by {counted(k, 'annotator')}"
        for k, number_of in enumerate(times) if number_of
    ][:_SHOWN]  # fmt: skip
    if len(shown) < len(layers):
        said.append(
            f"the {len(shown)} who saw most; {len(layers) - len(shown)} more are left out here"
        )

    def cell(row: int, column: int) -> Html | None:
        return (
            strip(layers[shown[row]].annotated)
            if column == len(header) - 1 and len(corpus)
            else None
        )

    return table(Table(header, rows, prose=(3,), remarks=said), cell)


def _bias(corpus: Corpus) -> Html:
    try:
        result = coefficients(token_labels(corpus))
    except SpanAgreeError as error:
        return _p("The coefficients of token labels are not defined here: ", str(error), ".")
    return Html(
        table(of_coefficients.as_table(result))
        + table(of_coefficients.as_table(result, "annotator"))
    )


def _first_pair(corpus: Corpus, found: Agreement) -> tuple[str, str]:
    """The two that the browser begins with: those who share the most documents."""
    pairs = list(found.pairs.values())
    if not pairs:
        return next(combinations(corpus.layers, 2))
    most = max(pairs, key=lambda pair: pair.documents)
    return most.a, most.b


# --- the browser of documents -------------------------------------------------------------------


def _browser(document: str) -> tuple[str, str, Html]:
    return "documents", f"{document.capitalize()}s", el("div", id="browser")


def _data(corpus: Corpus, hard: Difficulty, pair: tuple[str, str]) -> str:
    """The corpus for the script, in columns: texts once, segments as whole numbers."""
    names = list(corpus.layers)
    distinct, which = np.unique(hard.values[hard.defined], return_inverse=True)
    of = np.full(len(corpus), -1)
    of[hard.defined] = which
    data = {
        "document": unit(hard.settings),
        "offsets": corpus.offsets,
        "kinds": OUTCOMES,
        "between": [names.index(one) for one in pair],
        "ids": corpus.ids,
        "lengths": corpus.lengths.tolist() if (texts := _texts(corpus)) is None else None,
        "texts": texts,
        "labels": corpus.labels,
        "annotators": names,
        "seen": [_runs(layer) for layer in corpus.layers.values()],
        "segments": [_deltas(layer) for layer in corpus.layers.values()],
        "difficulty": {"values": distinct.tolist(), "of": of.tolist()},
    }
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = _HALVES.sub("\ufffd", text)
    return _SPECIAL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _texts(corpus: Corpus) -> list[Any] | None:
    """The text of each document, or its tokens, in one string where no token has a space."""
    if corpus.offsets == "characters":
        return None if corpus.texts is None else list(corpus.texts)
    if corpus.tokens is None:
        return None
    bounds = zip(corpus.starts.tolist(), (corpus.starts + corpus.lengths).tolist(), strict=True)
    texts: list[Any] = []
    for low, high in bounds:
        tokens = corpus.tokens[low:high]
        joined = " ".join(tokens)
        plain = joined.count(" ") == len(tokens) - 1 and "" not in tokens
        texts.append(joined if plain else tokens)
    return texts


def _runs(layer: Layer) -> list[int]:
    """Who saw what as lengths: so many documents seen, then so many not, and so on."""
    changes = np.flatnonzero(np.diff(layer.annotated, prepend=np.True_))
    return np.diff(changes, prepend=0, append=len(layer.annotated)).tolist()


def _deltas(layer: Layer) -> list[int]:
    """Of each segment: how many documents further, start, length, label."""
    columns = (
        np.diff(layer.document, prepend=0),
        layer.start,
        layer.end - layer.start,
        layer.label,
    )
    return np.stack(columns, axis=1).ravel().tolist()
