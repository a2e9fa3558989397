"""What chance does to a task: each measure with raw, expected and corrected F1, and what changes.

One call answers for a shared task, or for annotators among each other, what its tables leave open:
how much of each F1 is chance, under which model, whether the order of systems changes and a test
supports that, which systems nobody can tell from chance, and what baselines and people reach.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.arrays import Progress
from spanagree.chance.places import Given
from spanagree.choices import Chance, MatchName
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, SpanAgreeError
from spanagree.levels.by_level import EvaluationByLevel, evaluate_levels
from spanagree.levels.difficulty import difficulty
from spanagree.references.against import evaluate_references
from spanagree.references.baselines import with_baselines
from spanagree.results.data import plain
from spanagree.results.frame import Column, Frame
from spanagree.results.score import UNDEFINED, Score
from spanagree.systems.above_chance import chance_test
from spanagree.systems.compare_systems import compare_systems
from spanagree.systems.evaluate import evaluate
from spanagree.systems.result import Evaluation
from spanagree.uncertainty.bootstrap import Bootstrap

MATCHES: tuple[MatchName, ...] = ("exact", "iou", "token")
"""The measures of a study: from the one that chance helps least to the one it helps most."""

MODELS: tuple[Chance, ...] = ("nonoverlapping", "per-label", "overlapping")
_CERTAIN = 0.05
_BOOTSTRAP = Bootstrap()  # with fewer resamples, Holm's p of very many pairs is never below 0.05
_OF_TEAM = 2000  # resamples
_DRAWS = 200  # of each system against chance
_MANY = 100  # annotators; of more there are no intervals and no other models
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

Row = dict[str, Any]


class _How(NamedTuple):
    """How much is drawn."""

    bootstrap: Bootstrap
    draws: int


@dataclass(frozen=True)
class Study:
    """The result of :func:`study`: what the task is, and a row for each measure.

    Attributes:
        about: documents, their length and that of segments, share marked, labels, who was compared.
        rows: for each measure ``match``, ``chance`` (the model), ``scored`` (who, with observed,
            expected and corrected F1, and its interval), ``best``, ``median`` and ``last`` by F1
            with their chance under each model, ``tau``, ``reordered``, ``undecided``,
            ``baselines``, ``people`` and ``halves``; what a task does not have is ``None``, and
            ``why`` says what was refused.
        refused: measures that segments did not allow, and why.
        notes: what a reader repaired or passed over.
    """

    about: Mapping[str, Any]
    rows: Sequence[Row]
    refused: Mapping[str, str]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        rows = [dict(row) for row in self.rows]
        about, refused, notes = dict(self.about), dict(self.refused), list(self.notes)
        return dict(plain({"about": about, "rows": rows, "refused": refused, "notes": notes}))

    def table(self) -> Frame:
        """Return a row for each measure and for best, median and last."""
        columns = [
            Column("match", "measure", "name"),
            Column("place", "by F1", "name"),
            Column("name", "who", "name"),
            Column("observed", "F1"),
            Column("expected", "chance F1"),
            Column("corrected", "corrected F1"),
            Column("by_label", "chance by label"),
            Column("at_places", "chance at places"),
        ]
        rows: list[list[Any]] = []
        breaks: list[int] = []
        for row in self.rows:
            breaks.append(len(rows))
            placed = {
                row[place]["name"]: place for place in ("last", "median", "best") if row[place]
            }
            for name, place in reversed(placed.items()):
                one = row[place]
                figures = [one[key] for key in ("observed", "expected", "corrected")]
                models = [one["models"].get(key) for key in ("per-label", "places")]
                rows.append([row["match"], place, name, *figures, *models])
        if not any(row[-1] is not None for row in rows):
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        return Frame(columns, rows, breaks=breaks, remarks=[*self.findings()])

    def findings(self) -> Iterable[str]:
        """Yield what chance changes, a sentence for each measure."""
        for row in self.rows:
            findings = []
            if (order := row["reordered"]) is not None:
                findings.append(
                    f"chance changes the order of {order['pairs']} of {order['of']} pairs,"
                    f" {order['supported']} supported by a test"
                )
            if (undecided := row["undecided"]) is not None:
                findings.append(
                    f"{undecided['systems']} of {undecided['of']} cannot be told from chance"
                )
            if (whole := row["baselines"].get("everything")) is not None:
                findings.append(
                    f"everything marked has {whole['observed']:.2f}"
                    f" (chance {whole['expected']:.2f})"
                )
            if (people := row["people"]) is not None:
                findings.append(
                    f"people reach {people['observed']:.2f}, {people['corrected']:.2f} above chance"
                )
            if findings:
                yield f"{row['match']}: {'; '.join(findings)}"


def study(
    corpus: Corpus,
    gold: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    matches: Sequence[MatchName] = MATCHES,
    places: Given | None = None,
    whole: Sequence[str | None] | str | None = None,
    settings: Mapping[str, Any] | None = None,
    bootstrap: Bootstrap = _BOOTSTRAP,
    draws: int = _DRAWS,
    progress: Progress = None,
) -> Study:
    """Return what chance does to a task under each measure.

    With ``gold`` the other layers are systems. Without it annotators are compared with each other,
    and with ``systems`` these with the annotators. The chance model of a measure is the first of
    nonoverlapping, per-label and overlapping that its segments allow.

    Args:
        corpus: gold and systems, or annotators, as layers.
        gold: the gold layer.
        systems: beside annotators without gold, the names of the systems.
        matches: the measures, of exact, boundaries, token, iou and overlap; those that the segments
            do not allow are left out, and ``refused`` says why.
        places: a rule for where segments may stand, whose chance stands beside the uniform one.
        whole: groups of documents, as :meth:`Corpus.grouped_by` takes them: chance over whole ones
            stands beside that of their parts.
        settings: further ones of :func:`spanagree.evaluate`, such as ``what`` is compared.
        bootstrap: how intervals and paired tests are made; its seed is that of the draws, too.
        draws: of random annotations of each system, for the share not told from chance.
        progress: called with the number of measures done, and of all.

    Raises:
        SettingError: as for :func:`spanagree.evaluate` and :func:`spanagree.agree`.

    >>> layers = {"gold": [[(0, 2, "X")]], "one": [[(0, 2, "X")]], "two": [[(3, 4, "X")]]}
    >>> made = study(Corpus.from_segments([6], layers), "gold", matches=["exact"])
    >>> [(row["best"]["name"], row["best"]["expected"]) for row in made.rows]
    [('one', 0.2)]
    """
    if gold is not None and systems is not None:
        raise SettingError("gold and systems; systems are named beside annotators without gold")
    ask = dict(settings or {})
    how = _How(bootstrap, draws)
    rows, refused = [], dict[str, str]()
    for number, match in enumerate(matches):
        try:
            if gold is not None:
                row = _against_gold(corpus, gold, match, places, whole, ask, how)
            elif systems is not None:
                row = _against_people(corpus, list(systems), match, how)
            else:
                row = _team(corpus, match, places, whole, ask, how)
            rows.append(row)
        except SettingError as error:
            refused[match] = str(error)
        if progress is not None:
            progress(number + 1, len(matches))
    if not rows:
        raise SettingError("; ".join(refused.values()) or "no measure; one is needed")
    return Study(_about(corpus, gold, systems), rows, refused, corpus.notes)


def _about(corpus: Corpus, gold: str | None, systems: Sequence[str] | None) -> Mapping[str, Any]:
    """Return what the task is: texts, and what gold, or annotators on average, marked of them."""
    chosen = [gold] if gold is not None else [x for x in corpus.layers if x not in (systems or ())]
    layers = [corpus.layers[name] for name in chosen]
    seen = sum(int(corpus.lengths[layer.annotated].sum()) for layer in layers)
    segments = sum(len(layer) for layer in layers)
    lengths = sum(int((layer.end - layer.start).sum()) for layer in layers)
    if corpus.offsets == "characters" and corpus.texts is not None:
        words = [len(_WORD.findall(text)) for text in corpus.texts]
    else:
        words = corpus.lengths.tolist()
    unit = sum(words) / max(int(corpus.lengths.sum()), 1)  # words in a unit of length
    return {
        "documents": len(corpus),
        "offsets": corpus.offsets,
        "words": statistics.median(words) if words else None,
        "share_marked": lengths / seen if seen else None,
        "segments": segments,
        "words_of_segment": lengths * unit / segments if segments else None,
        "labels": len(corpus.labels),
        "gold": gold,
        "compared": len(corpus.layers) - (gold is not None),
        "annotators": len(layers) if gold is None else 0,
    }


def _model(call: Any) -> tuple[str, Any, str]:
    """Return the first chance model that is not refused, what it gives, and why others were."""
    why = ""
    for chance in MODELS:
        try:
            return chance, call(chance), why
        except SettingError as error:  # noqa: PERF203 — three models
            why = why or str(error)
    raise SettingError(why)


def _others(corpus: Corpus, chance: str) -> list[Chance]:
    """Return the models beside one: of a single label those that would be another."""
    same = {chance} if len(corpus.labels) > 1 else {chance, "per-label"}
    return [other for other in MODELS if other not in same and len(corpus.layers) <= _MANY]


def _maybe(call: Any, why: dict[str, str], name: str) -> Any:
    """Return what a call gives, or nothing if it is refused, keeping the reason."""
    try:
        return call()
    except SpanAgreeError as error:
        why[name] = str(error)
        return None


def _against_gold(
    corpus: Corpus,
    gold: str,
    match: MatchName,
    places: Any,
    whole: Any,
    ask: Mapping[str, Any],
    how: _How,
) -> Row:
    ask = {"match": match, **ask}
    chance, result, why_not = _model(
        lambda c: evaluate(corpus, gold, chance=c, ci=how.bootstrap, **ask)
    )
    why = {"nonoverlapping": why_not} if why_not else {}
    scored = [_scored(name, system.f1) for name, system in result.systems.items()]
    models: dict[str, Evaluation] = {chance: result}
    of_segments = ask.get("what", "segments") == "segments"
    for other in _others(corpus, chance) if of_segments else ():
        more = _maybe(lambda c=other: evaluate(corpus, gold, chance=c, **ask), why, other)
        models |= {other: more} if more is not None else {}
    if of_segments and places is not None:
        more = _maybe(
            lambda: evaluate(corpus, gold, chance=chance, places=places, **ask), why, "places"
        )
        models |= {"places": more} if more is not None else {}
    if of_segments and whole is not None:
        more = _maybe(
            lambda: evaluate(corpus.grouped_by(whole, joined=True), gold, chance=chance, **ask),
            why,
            "whole",
        )
        models |= {"whole": more} if more is not None else {}
    row = _row(match, chance, scored, models, why)
    if len(scored) > 1:
        tested = compare_systems(result, bootstrap=how.bootstrap)
        order = tested.reordered
        row["reordered"] = {
            "pairs": len(order),
            "supported": sum(sure for _, sure in order),
            "of": len(tested.pairs),
            "told_apart_raw": sum(x.observed.p_holm < _CERTAIN for x in tested.pairs),
            "told_apart_corrected": sum(x.corrected.p_holm < _CERTAIN for x in tested.pairs),
            "names": [[x.a, x.b, sure] for x, sure in order],
        }
    if of_segments:
        against = _maybe(
            lambda: chance_test(
                corpus, result, simulate=True, draws=how.draws, seed=how.bootstrap.seed
            ),
            why,
            "undecided",
        )
        if against is not None:
            p = {name: x.p for name, x in against.systems.items()}
            alike = [name for name, each in p.items() if not each < _CERTAIN]
            row["undecided"] = {"systems": len(alike), "of": len(p), "names": alike}
        row["baselines"] = _baselines(corpus, gold, chance, ask, how, why)
        hard = _maybe(
            lambda: difficulty(corpus, gold, match=ask["match"], chance=chance), why, "halves"
        )
        if hard is not None and hard.defined.any():
            row["halves"] = _halves(evaluate_levels(result, hard, levels=2))
    return row


def _baselines(
    corpus: Corpus,
    gold: str,
    chance: Any,
    ask: Mapping[str, Any],
    how: _How,
    why: dict[str, str],
) -> Mapping[str, Any]:
    """Return F1 of everything, of each token by itself, and of gold's segments anywhere."""
    made: dict[str, Any] = {}
    only = _maybe(lambda: corpus.of_annotators([gold]), why, "baselines")
    whole = _maybe(
        lambda: with_baselines(only, ["everything"], references=[gold]), why, "everything"
    )
    if whole is not None:
        made["everything"] = _f1(evaluate(whole, gold, chance=chance, **ask)["everything"].f1)
    each = _each_token(only, gold) if corpus.offsets == "tokens" else None
    if each is not None:
        f1 = _maybe(lambda: evaluate(each, gold, chance=chance, **ask)["token"].f1, why, "each")
        made["each_token"] = _f1(f1) if f1 is not None else None
    copy = only.but(layers={gold: corpus.layers[gold], "random": corpus.layers[gold]})
    drawn = _maybe(
        lambda: chance_test(
            copy,
            evaluate(copy, gold, chance=chance, **ask),
            simulate=True,
            draws=how.draws,
            seed=how.bootstrap.seed,
        ).systems["random"],
        why,
        "random",
    )
    if drawn is not None:
        made["random"] = {"mean": drawn.mean, "sd": drawn.sd}
    return made


def _each_token(corpus: Corpus, gold: str) -> Corpus:
    """Return gold, and what marks each token by itself with the most frequent label."""
    layer = corpus.layers[gold]
    lengths = np.where(layer.annotated, corpus.lengths, 0)
    document = np.repeat(np.arange(len(corpus)), lengths)
    start = np.arange(len(document)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    label = np.bincount(layer.label, minlength=1).argmax()
    token = type(layer)(document, start, start + 1, np.full(len(document), label), layer.annotated)
    return corpus.but(layers={gold: layer, "token": token})


def _halves(levels: EvaluationByLevel) -> Mapping[str, Any]:
    """Return of each half: documents, chance of the best, who is best, and τ."""
    made: dict[str, Any] = {}
    for name, (_, part) in zip(("easy", "hard"), levels.defined, strict=False):
        scores = {x.name: x.f1 for x in part.systems.values() if not math.isnan(x.f1.observed)}
        if scores:
            best = max(scores, key=lambda x: scores[x].observed)
            made[name] = {
                "documents": part.documents,
                "best": best,
                **_f1(scores[best]),
                "tau": levels.raw_and_corrected(part),
            }
    made["tau_between"] = {
        kind: [tau for *_, tau in levels.between(kind)] for kind in ("observed", "corrected")
    }
    return made


def _against_people(corpus: Corpus, systems: list[str], match: MatchName, how: _How) -> Row:
    people = [name for name in corpus.layers if name not in systems]

    def call(chance: Any) -> Any:
        return evaluate_references(
            corpus, people, systems=systems, match=match, chance=chance,
            ci=how.bootstrap,
        )  # fmt: skip

    chance, result, why_not = _model(call)
    why = {"nonoverlapping": why_not} if why_not else {}
    scored = [_scored(name, system.f1) for name, system in result.systems.items()]
    models = {chance: result}
    for other in _others(corpus, chance):
        more = _maybe(
            lambda c=other: evaluate_references(
                corpus, people, systems=systems, match=match, chance=c
            ),
            why,
            other,
        )
        models |= {other: more} if more is not None else {}
    row = _row(match, chance, scored, models, why)
    row["people"] = _scored("people", result.ceiling.f1)
    row["baselines"] = _whole_of_people(corpus, people, match, chance, why)
    return row


def _whole_of_people(
    corpus: Corpus, people: Sequence[str], match: MatchName, chance: Any, why: dict[str, str]
) -> Mapping[str, Any]:
    """Return F1 of everything against the annotators."""
    whole = _maybe(
        lambda: evaluate_references(
            with_baselines(corpus.of_annotators(people), ["everything"]),
            people,
            systems=["everything"],
            match=match,
            chance=chance,
        ),
        why,
        "everything",
    )
    return {} if whole is None else {"everything": _f1(whole["everything"].f1)}


def _team(
    corpus: Corpus,
    match: MatchName,
    places: Any,
    whole: Any,
    ask: Mapping[str, Any],
    how: _How,
) -> Row:
    ask = {"match": match, **ask}
    ci = (
        False
        if len(corpus.layers) > _MANY
        else replace(how.bootstrap, resample_by="unit", resamples=_OF_TEAM)
    )
    chance, result, why_not = _model(lambda c: agree(corpus, chance=c, ci=ci, **ask))
    why = {"nonoverlapping": why_not} if why_not else {}
    models = {chance: result}
    for other in _others(corpus, chance):
        made = _maybe(lambda c=other: agree(corpus, chance=c, **ask), why, other)
        models |= {other: made} if made is not None else {}
    if places is not None:
        made = _maybe(lambda: agree(corpus, chance=chance, places=places, **ask), why, "places")
        models |= {"places": made} if made is not None else {}
    if whole is not None:
        made = _maybe(
            lambda: agree(corpus.grouped_by(whole, joined=True), chance=chance, **ask), why, "whole"
        )
        models |= {"whole": made} if made is not None else {}
    scored = [_scored(name, one.f1) for name, one in result.annotators.items() if one.pairs]
    row = _row(match, chance, scored, {}, why)
    row["people"] = {
        **_scored("people", result.team.f1),
        "models": {name: made.team.f1.expected for name, made in models.items()},
        "mean_pairwise": result.mean.observed,
    }
    row["baselines"] = _whole_of_people(corpus, list(corpus.layers), match, chance, why)
    return row


def _row(
    match: MatchName,
    chance: str,
    scored: list[Row],
    models: Mapping[str, Any],
    why: dict[str, str],
) -> Row:
    """Return what all kinds of studies have in a row."""
    ranked = sorted(
        (one for one in scored if not math.isnan(one["observed"])),
        key=lambda one: (-one["observed"], one["name"]),
    )
    for one in scored:
        one["models"] = {
            model: result.systems[one["name"]].f1.expected for model, result in models.items()
        }
    middle = ranked[(len(ranked) - 1) // 2] if ranked else None
    return {
        "match": match,
        "chance": chance,
        "scored": scored,
        "best": ranked[0] if ranked else None,
        "median": middle,
        "last": ranked[-1] if ranked else None,
        "tau": _tau(ranked),
        "reversed": _reversed(ranked),
        "reordered": None,
        "undecided": None,
        "baselines": {},
        "people": None,
        "halves": None,
        "why": why,
    }


def _scored(name: str, f1: Score) -> Row:
    return {"name": name, **_f1(f1)}


def _f1(f1: Score) -> Row:
    made: Row = {kind: getattr(f1, kind) for kind in ("observed", "expected", "corrected")}
    if f1.interval is not None:
        made["interval"] = [*f1.interval.corrected]
    return made


def _tau(scored: Sequence[Row]) -> float:
    """Return Kendall's τ-b of raw and corrected F1."""
    from scipy.stats import kendalltau  # takes half a second to import

    both = [
        [round(one[kind], 12) for one in scored if not math.isnan(one["corrected"])]
        for kind in ("observed", "corrected")
    ]
    return float(kendalltau(*both).statistic) if len(both[0]) > 1 else UNDEFINED


def _reversed(scored: Sequence[Row]) -> Mapping[str, int]:
    """Return how many pairs change their order, tested or not."""
    pairs = changed = 0
    for one, other in combinations(scored, 2):
        before = round(one["observed"] - other["observed"], 12)
        after = round(one["corrected"] - other["corrected"], 12)
        pairs += 1
        changed += before * after < 0
    return {"pairs": changed, "of": pairs}
