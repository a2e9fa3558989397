"""γ: how far annotators agree on units and categories at once (Mathet et al. 2015).

The best alignment of all annotators' units has a disorder; so have those of random annotations.
γ = 1 − observed/expected. Each document is a continuum of its own, and disorders are weighted by
the document's mean number of units, so that what is summed is the disorder of unitary alignments.
γ_cat (Mathet 2017) looks only at the categories of aligned units, γ_k at those of one category.

The expected disorder is sampled, until the standard error of γ is below ``precision``. Under the
chance model the sum of all pair gains is drawn along. Its mean is known exactly, so what is known
of its error is taken off that of the disorder.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from numbers import Real
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_choice, check_whole, printable, show
from spanagree.matching.overlaps import check_layer
from spanagree.matching.score import UNDEFINED
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.unitizing.canonical import canonical
from spanagree.unitizing.control import expected_gains
from spanagree.unitizing.dissimilarity import Dissimilarity, ordinal_places
from spanagree.unitizing.gamma_result import Gamma, GammaFigures, GammaSettings
from spanagree.unitizing.sampling import SAMPLERS, Continuum, Drawn, draw, joined, measured
from spanagree.unitizing.score import Disagreement, disagreement, undefined, with_intervals

_FIRST = 12  # draws, by which the standard error is first known
_PORTION = 6  # draws that a worker makes at a time
_MOST = 10_000  # draws


def gamma(
    corpus: Corpus,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_empty: float = 1.0,
    categorical: str = "nominal",
    order: Sequence[str] = (),
    sampler: str = "chance",
    chance: str = "nonoverlapping",
    precision: float = 0.01,
    seed: int = 0,
    annotators: Sequence[str] | None = None,
    pairs: bool = False,
    ci: bool = False,
    confidence: float = 95,
    resamples: int = 10_000,
    interval: str | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Gamma:
    """Return γ, γ_cat and γ_k of two or more annotators.

    Args:
        corpus: the annotations.
        alpha, beta: the weights of positions and categories.
        delta_empty: what a unit costs that is aligned with none.
        categorical: how categories differ, nominal or ordinal.
        order: of ordinal categories, from the lowest.
        sampler: where random annotations come from: chance, pygamma or shuffle.
        chance: the chance model, one of :data:`spanagree.chance.CHANCES`; of the sampler chance.
        precision: the standard error of γ below which sampling ends.
        seed: for all that is drawn.
        annotators: compare only these.
        pairs: whether each pair of annotators is compared too.
        ci: whether to make confidence intervals, by resampling documents.
        confidence, resamples, interval: how.
        executor: whose workers make the draws; they change no digit.
        progress: called with the number of draws made, and of all that are needed as far as known.

    Raises:
        SettingError: for an unknown choice, or units that overlap where the chance model forbids
            it.

    Source: Mathet, Widlöcher & Métivier 2015; Mathet 2017.

    >>> corpus = Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]]})
    >>> gamma(corpus).gamma.value
    1.0
    """
    check_choice(sampler, SAMPLERS, "sampler")
    check_whole(seed, 0, "seed")
    if not isinstance(precision, Real) or isinstance(precision, bool) or not precision > 0:
        raise SettingError(f"precision {show(precision)}; a number above 0 is needed")
    if annotators is not None:
        corpus = corpus.of_annotators(annotators)
    if sampler == "chance":
        for name in corpus.annotators:
            check_layer(corpus, name, "exact", chance)  # which forbids nothing else
    places = ordinal_places(corpus.labels, order) if categorical == "ordinal" else ()
    dissimilarity = Dissimilarity(alpha, beta, delta_empty, categorical, places)
    resampling = Resampling(confidence, resamples, seed, interval or "bca") if ci else None
    settings = GammaSettings(
        measure="gamma",
        alpha=float(alpha),
        beta=float(beta),
        delta_empty=float(delta_empty),
        categorical=categorical,
        sampler=sampler,
        chance=chance if sampler == "chance" else None,
        precision=float(precision),
        offsets=corpus.offsets,
        reading=corpus.reading,
        **{"seed": int(seed), **({} if resampling is None else resampling.settings())},
    )
    job = _Job(dissimilarity, settings, resampling, executor, progress)
    whole = _figures(canonical(corpus), job)
    names = corpus.annotators
    by_pair = {
        (one, other): _figures(canonical(corpus.of_annotators([one, other])), job)
        for i, one in enumerate(names)
        for other in names[i + 1 :]
        if pairs
    }
    notes = [*corpus.notes]
    for who, of in (("", whole), *(("–".join(pair), of) for pair, of in by_pair.items())):
        notes += _notes(f"{printable(who)}: " if who else "", of, job)
    return Gamma(whole, by_pair, names, settings, tuple(notes), resampling)


class _Job(NamedTuple):
    dissimilarity: Dissimilarity
    settings: GammaSettings
    resampling: Resampling | None
    executor: Executor | None
    progress: Callable[[int, int], None] | None


def _notes(who: str, of: GammaFigures, job: _Job) -> Iterator[str]:
    """Yield what is out of the ordinary."""
    if of.gap > 0:
        yield (
            f"{who}the best alignment is not proven: the observed disorder may be lower by"
            f" {of.gap:.2g}"
        )
    if of.draws and not of.gamma.error <= job.settings.precision:
        yield (
            f"{who}after {of.draws} draws the standard error of γ is {of.gamma.error:.2g}, above"
            f" the precision {job.settings.precision:g}"
        )


def _figures(corpus: Corpus, job: _Job) -> GammaFigures:
    """Return γ, γ_cat and γ_k of a corpus in canonical order."""
    seen = np.sum([layer.annotated for layer in corpus.layers.values()], axis=0)
    compared = corpus.subset(np.asarray(seen >= 2))
    continuum = Continuum.of(compared)
    documents = len(compared)
    number = len(continuum.units.start)
    nothing = "" if number else "nothing is marked in a document that two annotators saw"
    if not documents:
        nothing = "no document that two annotators saw"
    if nothing:
        return GammaFigures(
            *(undefined(nothing),) * 2,
            {label: undefined(nothing) for label in corpus.labels},
            documents, number, 0, 0, 0.0,
        )  # fmt: skip
    group, observed = measured([continuum.units], continuum, job.dissimilarity)
    units = np.bincount(continuum.units.document, minlength=documents)
    weight = units / continuum.annotators
    expected = _sampled(continuum, observed, job)
    table = _table(weight, observed, expected)
    named = [None, *compared.labels]
    made = [_disagreement(table, expected, k, named) for k in range(-1, len(named))]
    if job.resampling is not None:
        made = with_intervals(made, table, job.resampling)
    return GammaFigures(
        made[0],
        made[1],
        dict(zip(compared.labels, made[2:], strict=True)),
        documents,
        number,
        int(group.max()) + 1,
        len(expected.drawn.cost),
        math.fsum(observed.gap[0].tolist()) / math.fsum(weight.tolist()),
    )


class _Expected(NamedTuple):
    """What was drawn, and what is made of it.

    Attributes:
        drawn: the draws.
        cost: the expected cost of each document.
        total: of all documents.
        error: its standard error.
    """

    drawn: Drawn
    cost: Floats
    total: float
    error: float


def _sampled(continuum: Continuum, observed: Drawn, job: _Job) -> _Expected:
    """Draw until the standard error of γ is below the precision."""
    settings = job.settings
    known = None
    if settings.sampler == "chance":
        known = expected_gains(
            continuum.corpus, str(settings.chance), continuum.annotators, job.dissimilarity
        )
    cost = math.fsum(observed.cost[0].tolist())
    parts: list[Drawn] = []
    done, needed = 0, _FIRST
    while True:
        numbers = range(done, needed)
        portions = [numbers[i : i + _PORTION] for i in range(0, len(numbers), _PORTION)]
        for part in _portions(continuum, portions, job):
            parts.append(part)
            done += len(part.cost)
            if job.progress is not None:
                job.progress(done, needed)
        expected = _estimate(joined(parts), known)
        error = _relative(cost, expected)
        if not error > settings.precision or done >= _MOST:
            return expected
        more = math.ceil(done * (error / settings.precision) ** 2 * 1.05)
        needed = min(max(more, done + _PORTION), 4 * done, _MOST)


def _portions(
    continuum: Continuum, portions: Sequence[Sequence[int]], job: _Job
) -> Iterator[Drawn]:
    """Yield what each portion of draws adds up to, in order."""
    settings = job.settings
    how = (settings.sampler, settings.chance or "nonoverlapping", settings.seed or 0)
    if job.executor is None:
        for numbers in portions:
            yield draw(continuum, job.dissimilarity, *how, numbers)
        return
    waiting = [
        job.executor.submit(draw, continuum, job.dissimilarity, *how, numbers)
        for numbers in portions
    ]
    for future in waiting:
        yield future.result()


def _relative(cost: float, expected: _Expected) -> float:
    """Return the standard error of γ, from that of the expected cost."""
    return cost / expected.total**2 * expected.error if expected.total > 0 else 0.0


def _estimate(drawn: Drawn, known: Floats | None) -> _Expected:
    """Return the mean cost, with the control variate if its mean is known."""
    count = len(drawn.cost)
    costs, cost = drawn.cost.sum(1), drawn.cost.mean(0)
    rest = costs - costs.mean()
    freedom = count - 1
    if known is not None:
        gain = drawn.gain.sum(1) - drawn.gain.sum(1).mean()
        if (spread := float(gain @ gain)) > 0:
            slope = float(gain @ rest) / spread
            cost = cost - slope * (drawn.gain.mean(0) - known)
            rest, freedom = rest - slope * gain, count - 2
    error = math.sqrt(float(rest @ rest) / freedom / count)
    return _Expected(drawn, cost, math.fsum(cost.tolist()), error)


def _table(weight: Floats, observed: Drawn, expected: _Expected) -> Floats:
    """Return what each document adds to the sums behind each figure.

    (documents, figures, 4): observed, expected, and the weights of both; the figures are γ, γ_cat
    and γ_k of each label.
    """
    sums = observed.categories[0]
    luck = expected.drawn.categories.mean(0)
    whole = np.stack((observed.cost[0], expected.cost, weight, weight), axis=1)
    each = np.stack((sums[..., 0], luck[..., 0], sums[..., 1], luck[..., 1]), axis=-1)
    return np.concatenate((whole[:, None], each), axis=1)


def _disagreement(
    table: Floats, expected: _Expected, k: int, named: Sequence[str | None]
) -> Disagreement:
    """Return γ (−1), γ_cat (0), or γ_k of a label (from 1)."""
    observed, luck, weight, luck_weight = (
        math.fsum(column.tolist()) for column in table[:, k + 1].T
    )
    if k < 0:
        error = observed / luck**2 * expected.error if luck > 0 else 0.0
        nothing = "random annotations are in no disorder either"
        return disagreement(observed / weight, luck / weight, nothing, error)
    what = "units" if named[k] is None else f"units with {printable(str(named[k]))}"
    if not weight > 0:
        return undefined(f"no aligned {what} that overlap enough")
    nothing = f"aligned {what} of random annotations have one category"
    if not luck_weight > 0 or not luck > 0:
        return Disagreement(UNDEFINED, observed / weight, 0.0, reason=nothing)
    draws = expected.drawn.categories.sum(1)[:, k]
    ratio = luck / luck_weight
    rest = (draws[:, 0] - ratio * draws[:, 1]) / draws[:, 1].mean()
    error = math.sqrt(float(rest @ rest) / (len(rest) - 1) / len(rest))
    mine = observed / weight
    return disagreement(mine, ratio, nothing, mine / ratio**2 * error)
