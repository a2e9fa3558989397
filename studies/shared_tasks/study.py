"""What chance does to a task: each measure with raw, expected and corrected F1, and what changes.

One call answers for a shared task, or for annotators among each other, what its tables leave open:
how much of each F1 is chance, under which model, whether the order of systems changes and a test
supports that, which systems nobody can tell from chance, and what baselines and people reach.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.arrays import Progress, join_sorted
from spanagree.chance.model import Given
from spanagree.choices import MatchName
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.placed import remove_unplaced
from spanagree.corpus.roles import as_list, infer_seen_by_systems
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, SpanAgreeError, quote_value
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.levels.by_level import EvaluationByLevel, evaluate_levels, kendall_tau
from spanagree.levels.difficulty import difficulty
from spanagree.references.against import evaluate_references
from spanagree.references.baselines import with_baselines
from spanagree.results.data import to_plain_data
from spanagree.results.score import Score
from spanagree.signature import format_signature
from spanagree.systems.above_chance import ChanceTest, chance_test
from spanagree.systems.compare_systems import Comparison, compare_systems
from spanagree.systems.evaluate import evaluate
from spanagree.systems.result import Evaluation
from spanagree.uncertainty.confidence import USUAL, Jackknife
from spanagree.version import __version__

MATCHES: tuple[MatchName, ...] = ("exact", "iou", "token")
"""The measures of a study: from the one that chance helps least to the one it helps most."""

_MODELS = ("nonoverlapping", "per-label", "overlapping")
_CERTAIN = 0.05
_DRAWS = 200  # of each system against chance
_MANY = 100  # annotators; of more there are no intervals and no other models
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_KINDS = ("observed", "expected", "corrected")

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Study:
    """The result of :func:`study`.

    Attributes:
        about: documents, their length and that of segments, share marked, labels, who was compared.
        rows: for each measure ``match``, ``chance`` (the model), ``signature``, ``scored`` (who,
            with observed, expected and corrected F1, and its interval), ``best``, ``median`` and
            ``last`` by F1 with their chance under each model, ``tau``, ``reordered``,
            ``undecided``, ``baselines``, ``people`` and ``halves``; what a task does not have is
            ``None``, and ``why`` says why not. Of more than 100 annotators ``scored`` is
            empty.
        refused: measures that segments did not allow, and why.
        notes: what a reader repaired or passed over.
        signature: the measures, who was compared, and how much was drawn, in one line.
    """

    about: Mapping[str, Any]
    rows: Sequence[Row]
    refused: Mapping[str, str]
    notes: tuple[str, ...]
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON; undefined is ``None``."""
        return dict(to_plain_data(vars(self)))

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
            if (everything := row["baselines"].get("everything")) is not None:
                findings.append(
                    f"everything marked has {everything['observed']:.2f}"
                    f" (chance {everything['expected']:.2f})"
                )
            if (people := row["people"]) is not None:
                findings.append(
                    f"people reach {people['observed']:.2f},"
                    f" {people['corrected']:.2f} corrected for chance"
                )
            if findings:
                yield f"{row['match']}: {'; '.join(findings)}"


class _Asked(NamedTuple):
    """What a study was asked for, with one of its measures.

    Attributes:
        corpus: gold and systems, or annotators, as layers.
        match: the measure.
        places: a rule for where segments may stand, if there is one.
        whole: groups of documents, if chance over these is asked for.
        settings: what results are made with besides, such as ``what`` is compared.
        ci: confidence and clusters of intervals and paired tests.
        seed: of random annotations.
        draws: of random annotations.
    """

    corpus: Corpus
    match: MatchName
    places: Given | None
    whole: Sequence[str | None] | str | None
    settings: Mapping[str, Any]
    ci: Jackknife
    seed: int
    draws: int

    @property
    def of_segments(self) -> bool:
        """Whether segments are compared, not relations or attributes."""
        return self.settings.get("what", "segments") == "segments"

    @property
    def exact(self) -> bool:
        """Whether chance is exact, not drawn: then there is time for other models, and halves."""
        return self.of_segments and self.match != "overlap"


def study(
    corpus: CorpusLike,
    gold: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    matches: Sequence[MatchName] = MATCHES,
    places: Given | None = None,
    whole: Sequence[str | None] | str | None = None,
    settings: Mapping[str, Any] | None = None,
    ci: Jackknife = USUAL,
    seed: int = 0,
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
        settings: further ones of :func:`spanagree.evaluate`, such as ``what`` is compared; not with
            ``systems``.
        ci: confidence and clusters of intervals and paired tests.
        seed: a whole number from 0, of random annotations.
        draws: of random annotations of each system, for the share not told from chance.
        progress: called with the number of measures done, and of all.

    Raises:
        SettingError: as for :func:`spanagree.evaluate` and :func:`spanagree.agree`.

    >>> layers = {"gold": [[(0, 2, "X")]], "one": [[(0, 2, "X")]], "two": [[(3, 4, "X")]]}
    >>> made = study(Corpus.from_segments([6], layers), "gold", matches=["exact"])
    >>> [(row["best"]["name"], row["best"]["expected"]) for row in made.rows]
    [('one', 0.2)]
    """
    corpus, systems = as_corpus(corpus), as_list(systems)
    if gold is not None and systems is not None:
        raise SettingError("gold and systems; systems are named beside annotators without gold")
    if systems is not None and settings:
        raise SettingError(
            f"settings {quote_value(dict(settings))}: with systems beside annotators none are"
            " taken; places and whole have arguments of their own"
        )
    rows, refused = [], dict[str, str]()
    for number, match in enumerate(matches):
        asked = _Asked(corpus, match, places, whole, dict(settings or {}), ci, seed, draws)
        try:
            if gold is not None:
                row = _against_gold(asked, gold)
            elif systems is not None:
                row = _against_people(asked, list(systems))
            else:
                row = _team(asked)
            rows.append(row)
        except SettingError as error:
            refused[match] = str(error)
        if progress is not None:
            progress(number + 1, len(matches))
    if not rows:
        raise SettingError("; ".join(refused.values()) or "no measure; one is needed")
    given = {"places": places, "joined": whole, **(settings or {})}
    compared = {  # they are those of every row, and say it as settings of reading do
        key: value if isinstance(value, str) or key in (settings or {}) else "given"
        for key, value in given.items()
        if value is not None
    }
    about = _about(corpus, gold, systems)
    return Study(about, rows, refused, corpus.notes, _signature(matches, {
        **corpus.reading,
        **compared,
        "unplaced": corpus.unplaced_count_as,
        "gold": gold,
        "gold_first": None if gold is None else gold == next(iter(corpus.layers)),
        "systems": None if systems is None else list(systems),
        "draws": draws,
        "offsets": corpus.offsets,
        "version": __version__,
        **ci.settings(),
        "seed": seed,
    }))  # fmt: skip


def _signature(matches: Sequence[str], settings: Mapping[str, Any]) -> str:
    """Return the measures and the settings in one line."""
    return f"measures:{','.join(matches)}|{format_signature(settings)}"


def _about(corpus: Corpus, gold: str | None, systems: Sequence[str] | None) -> Mapping[str, Any]:
    """Return a description of the task: its texts, and what gold or the annotators marked."""
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
        "labels": len(remove_unplaced(corpus).labels),
        "gold": gold,
        "compared": len(corpus.layers) - (gold is not None),
        "annotators": len(layers) if gold is None else 0,
    }


class _Models(NamedTuple):
    """The results of one measure under each chance model.

    Attributes:
        chance: the first model that segments allow.
        result: the result under it.
        every: all results by model, that one too; ``places`` and ``whole`` are the first model
            under a rule of places and over whole groups of documents.
        why: by name what is left out, and why.
    """

    chance: str
    result: Any
    every: Mapping[str, Any]
    why: dict[str, str]


def _under_models(asked: _Asked, make: Callable[..., Any], ci: bool | Jackknife) -> _Models:
    """Return the results that ``make`` gives under each chance model; intervals of the first only.

    Raises:
        SettingError: if the segments allow no model, with the reason of the first.
    """
    corpus = asked.corpus
    why: dict[str, str] = {}
    for first in _MODELS:
        try:
            result = make(corpus, chance=first, ci=ci)
            break
        except SettingError as error:
            why.setdefault(_MODELS[0], str(error))
    else:
        raise SettingError(why[_MODELS[0]])
    others: dict[str, tuple[Corpus, Mapping[str, Any]]] = {}
    if not asked.exact:
        drawn = "drawn" if asked.of_segments else f"of {asked.settings['what']}"
        why |= dict.fromkeys(("per-label", "places", "whole"), drawn)
    else:
        if len(corpus.labels) < 2:
            why["per-label"] = "one label"
        elif len(corpus.layers) > _MANY:
            why["per-label"] = f"more than {_MANY} annotators"
        else:
            others["per-label"] = corpus, {"chance": "per-label"}
        if asked.places is not None:
            others["places"] = corpus, {"chance": first, "places": asked.places}
        if asked.whole is not None:
            others["whole"] = corpus.grouped_by(asked.whole, joined=True), {"chance": first}
    every = {first: result}
    for name, (source, settings) in others.items():
        if name not in every:
            with _noting_refusal(why, name):
                every[name] = make(source, **settings)
    return _Models(first, result, every, why)


@contextmanager
def _noting_refusal(why: dict[str, str], name: str) -> Iterator[None]:
    """Leave out what is refused, and keep the reason by its name."""
    try:
        yield
    except SpanAgreeError as error:
        why[name] = str(error)


def _against_gold(asked: _Asked, gold: str) -> Row:
    def make(corpus: Corpus, **more: Any) -> Evaluation:
        return evaluate(corpus, gold, match=asked.match, **asked.settings, **more)

    corpus = asked.corpus
    models = _under_models(asked, make, asked.ci)
    chance, result, _, why = models
    scored = [_scored(name, system.f1) for name, system in result.systems.items()]
    row = _row(asked, models, scored)
    if len(scored) > 1:
        row["reordered"] = _reordered(compare_systems(result, ci=asked.ci))
    if asked.of_segments:
        with _noting_refusal(why, "undecided"):
            tested = _against_chance(asked, corpus, result).systems
            alike = [name for name, system in tested.items() if not system.p < _CERTAIN]
            row["undecided"] = {"systems": len(alike), "of": len(tested), "names": alike}
        row["baselines"] = _baselines(asked, gold, chance, make, why)
    if asked.exact:
        with _noting_refusal(why, "halves"):
            hard = difficulty(corpus, gold, match=asked.match, chance=chance)
            if hard.defined.any():
                row["halves"] = _halves(evaluate_levels(result, hard, levels=2))
    return row


def _reordered(tested: Comparison) -> Mapping[str, Any]:
    """Return the pairs of systems whose order chance changes, and how many are told apart."""
    order = tested.reordered
    return {
        "pairs": len(order),
        "supported": sum(sure for _, sure in order),
        "of": len(tested.pairs),
        "told_apart_raw": sum(x.observed.p_adjusted < _CERTAIN for x in tested.pairs),
        "told_apart_corrected": sum(x.corrected.p_adjusted < _CERTAIN for x in tested.pairs),
        "names": [[x.a, x.b, sure] for x, sure in order],
    }


def _against_chance(asked: _Asked, corpus: Corpus, result: Evaluation) -> ChanceTest:
    """Return how often random annotations match gold as well as each system, by draws."""
    seed = asked.seed
    return chance_test(corpus, result, simulate=True, draws=asked.draws, seed=seed)


def _baselines(
    asked: _Asked, gold: str, chance: str, make: Callable[..., Evaluation], why: dict[str, str]
) -> Mapping[str, Any]:
    """Return F1 of everything, of each token by itself, and of gold's segments anywhere."""
    baselines: dict[str, Any] = {}
    only = asked.corpus.select_annotators([gold])
    with _noting_refusal(why, "everything"):
        everything = with_baselines(only, ["everything"], references=[gold])
        baselines["everything"] = _f1(make(everything, chance=chance)["everything"].f1)
    if not asked.exact:
        return baselines
    if only.offsets == "tokens":
        with _noting_refusal(why, "each"):
            tokens = make(_each_token(only, gold), chance=chance)
            baselines["each_token"] = _f1(tokens["token"].f1)
    with _noting_refusal(why, "random"):
        copy = only.replace(layers={gold: only.layers[gold], "random": only.layers[gold]})
        random = _against_chance(asked, copy, make(copy, chance=chance)).systems["random"]
        baselines["random"] = {"mean": random.mean, "sd": random.sd}
    return baselines


def _each_token(corpus: Corpus, gold: str) -> Corpus:
    """Return gold, and what marks each token by itself with the most frequent label."""
    layer = corpus.layers[gold]
    lengths = np.where(layer.annotated, corpus.lengths, 0)
    document = np.repeat(np.arange(len(corpus)), lengths)
    start = np.arange(len(document)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    label = np.bincount(layer.label, minlength=1).argmax()
    token = Layer(document, start, start + 1, np.full(len(document), label), layer.annotated)
    return corpus.replace(layers={gold: layer, "token": token})


def _halves(levels: EvaluationByLevel) -> Mapping[str, Any]:
    """Return for each half its documents, the best system with its F1, and τ."""
    halves: dict[str, Any] = {}
    for name, (_, part) in zip(("easy", "hard"), levels.defined, strict=False):
        scores = {x.name: x.f1 for x in part.systems.values() if not math.isnan(x.f1.observed)}
        if scores:
            best = max(scores, key=lambda x: scores[x].observed)
            halves[name] = {
                "documents": part.documents,
                "best": best,
                **_f1(scores[best]),
                "tau": levels.raw_and_corrected(part),
            }
    halves["tau_between"] = {
        kind: [tau for *_, tau in levels.between(kind)] for kind in ("observed", "corrected")
    }
    return halves


def _against_people(asked: _Asked, systems: list[str]) -> Row:
    people = [name for name in asked.corpus.layers if name not in systems]

    def make(corpus: Corpus, **more: Any) -> Any:
        return evaluate_references(corpus, people, systems=systems, match=asked.match, **more)

    models = _under_models(asked, make, asked.ci)
    chance, result, _, why = models
    scored = [_scored(name, system.f1) for name, system in result.systems.items()]
    row = _row(asked, models, scored)
    row["people"] = _scored("people", result.ceiling.f1)
    row["baselines"] = _everything_of_people(asked, people, chance, why)
    if len(scored) > 1:
        by_document = replace(asked.ci, cluster_by="document")
        evaluation = evaluate(_copies(asked, people), people[0], match=asked.match, chance=chance)
        row["reordered"] = _reordered(compare_systems(evaluation, ci=by_document))
    return row


def _copies(asked: _Asked, people: Sequence[str]) -> Corpus:
    """Return a copy of each document for each of its annotators, who is gold in it.

    Gold has the name of the first of them. F1 over all copies is that against the annotators,
    and those of a document are one whole, as they are drawn together.
    """
    systems = [name for name in asked.corpus.layers if name not in people]
    corpus = infer_seen_by_systems(asked.corpus, systems, people)
    mine = [corpus.layers[name] for name in people]
    seen = np.array([layer.annotated for layer in mine]).T
    document, _ = np.nonzero(seen)
    number = np.full(seen.shape, -1)
    number[seen] = np.arange(len(document))
    start, end, label = (
        np.concatenate([getattr(layer, key) for layer in mine]) for key in ("start", "end", "label")
    )
    copy = np.concatenate([number[layer.document, i] for i, layer in enumerate(mine)])
    layers = {people[0]: Layer(copy, start, end, label, np.ones(len(document), np.bool_))}
    for name in systems:
        layer = corpus.layers[name]
        row, copy = join_sorted(layer.document, document)
        start, end, label = layer.start[row], layer.end[row], layer.label[row]
        layers[name] = Layer(copy, start, end, label, layer.annotated[document])
    parent_ids = document
    if asked.ci.cluster_by == "document" and corpus.parent_ids is not None:
        parent_ids = corpus.parent_ids[document]
    return Corpus(
        corpus.lengths[document],
        layers,
        corpus.labels,
        offsets=corpus.offsets,
        parent_ids=parent_ids,
    )


def _everything_of_people(
    asked: _Asked, people: Sequence[str], chance: Any, why: dict[str, str]
) -> Mapping[str, Any]:
    """Return F1 of everything against the annotators, unless there are very many."""
    if len(people) > _MANY:
        return {}
    with _noting_refusal(why, "everything"):
        corpus = with_baselines(asked.corpus.select_annotators(people), ["everything"])
        against = evaluate_references(
            corpus, people, systems=["everything"], match=asked.match, chance=chance
        )
        return {"everything": _f1(against["everything"].f1)}
    return {}


def _team(asked: _Asked) -> Row:
    def make(corpus: Corpus, **more: Any) -> Any:
        return agree(corpus, match=asked.match, **asked.settings, **more)

    few = len(asked.corpus.layers) <= _MANY
    ci = asked.ci if few else False
    models = _under_models(asked, make, ci)
    chance, result, every, why = models
    scored = [
        _scored(name, annotator.f1)
        for name, annotator in result.annotators.items()
        if annotator.pairs
    ]
    row = _row(asked, models._replace(every={}), scored)
    row["scored"] = scored if few else []
    row["people"] = {
        **_scored("people", result.team.f1),
        "models": {model: agreement.team.f1.expected for model, agreement in every.items()},
        "mean_pairwise": result.mean.observed,
    }
    row["baselines"] = _everything_of_people(asked, list(asked.corpus.layers), chance, why)
    return row


def _row(asked: _Asked, models: _Models, scored: list[Row]) -> Row:
    """Return the row of a measure; ``scored`` get their chance by model."""
    ranked = sorted(
        (row for row in scored if not math.isnan(row["observed"])),
        key=lambda row: (-row["observed"], row["name"]),
    )
    for row in scored:
        row["models"] = {
            model: result.systems[row["name"]].f1.expected for model, result in models.every.items()
        }
    middle = ranked[(len(ranked) - 1) // 2] if ranked else None
    return {
        "match": asked.match,
        "chance": models.chance,
        "signature": models.result.signature,
        "scored": scored,
        "best": ranked[0] if ranked else None,
        "median": middle,
        "last": ranked[-1] if ranked else None,
        "tau": kendall_tau(*([row[kind] for row in ranked] for kind in ("observed", "corrected"))),
        "reordered": None,
        "undecided": None,
        "baselines": {},
        "people": None,
        "halves": None,
        "why": models.why,
    }


def _scored(name: str, f1: Score) -> Row:
    return {"name": name, **_f1(f1)}


def _f1(f1: Score) -> Row:
    figures: Row = {kind: getattr(f1, kind) for kind in _KINDS}
    if f1.interval is not None:
        figures["interval"] = [*f1.interval.corrected]
    return figures
