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
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanagree.arrays import Floats, step_of
from spanagree.chance.model import chance_model
from spanagree.choices import TIME_LIMIT, Categorical, ChanceOrAuto, Sampler
from spanagree.comparisons.overlaps import chance_of_corpus, check_layer
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.corpus.placed import placed_only
from spanagree.corpus.roles import choose_annotators, times_seen
from spanagree.errors import SettingError, counted, printable, show
from spanagree.formats.guessed import CorpusLike, corpus_of
from spanagree.results.score import UNDEFINED
from spanagree.uncertainty.confidence import Jackknife, parse_ci
from spanagree.units.dissimilarity import Dissimilarity, ordinal_places
from spanagree.units.expected_disorder import FIRST_DRAWS, Expected, Job, ratio_of, sampled
from spanagree.units.gamma_result import Gamma, GammaFigures, GammaSettings
from spanagree.units.sampling import Continuum, Drawn, Sampling, align_annotations
from spanagree.units.score import (
    Disagreement,
    disagreement,
    over_documents,
    undefined,
    with_intervals,
)
from spanagree.units.time_limit import Deadline

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

_ANNOTATORS = 32  # of one document
_NARROW = 1e-6  # bounds that are as near are one figure


def gamma(
    corpus: CorpusLike,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_empty: float = 1.0,
    categorical: Categorical = "nominal",
    order: Sequence[str] = (),
    sampler: Sampler = "chance",
    chance: ChanceOrAuto = "auto",
    precision: float = 0.01,
    time_limit: float | None = TIME_LIMIT,
    seed: int = 0,
    ci: bool | Jackknife = False,
    pairs: bool = False,
    annotators: Sequence[str] | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Gamma:
    """Return γ, γ_cat and γ_k of two or more annotators (Mathet et al. 2015; Mathet 2017).

    Best alignments are sought, and random annotations drawn, until ``time_limit`` is over (``None``
    for none). A figure that it cut short is undefined, and has bounds.

    Args:
        corpus: the annotations.
        alpha: the weight of positions.
        beta: the weight of categories.
        delta_empty: what a unit costs that is aligned with none.
        categorical: how categories differ, nominal or ordinal.
        order: of ordinal categories, from the lowest.
        sampler: where random annotations come from: chance, pygamma or shuffle.
        chance: the model of the sampler chance, nonoverlapping, per-label or overlapping; of auto
            the first of these that the units of all annotators allow.
        precision: the standard error of γ and of γ_cat below which sampling ends.
        time_limit: seconds after which γ ends, with bounds.
        seed: for all that is drawn.
        annotators: compare only these.
        pairs: whether each pair of annotators is compared too.
        ci: whether, or how, figures get intervals, over documents.
        executor: whose workers make the draws; they change no digit.
        progress: called with the number of draws made, and of all as far as known.

    Raises:
        SettingError: for an unknown choice, or units that overlap where chance forbids it.

    >>> corpus = Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]]})
    >>> gamma(corpus).gamma.value
    1.0
    """
    corpus = placed_only(corpus_of(corpus), "units")
    check_in_one_piece(corpus, "γ")
    model = chance_of_corpus(corpus, "exact", chance_model(chance))  # exact goes with each model
    corpus, chosen = choose_annotators(corpus, annotators)
    job = Job(
        Dissimilarity(alpha, beta, delta_empty, categorical, *_places(corpus, categorical, order)),
        Sampling(sampler, model, precision, seed),
        parse_ci(ci, clusters=False),
        executor,
        progress,
        Deadline.after(time_limit),
    )
    result = _compared(corpus, job, pairs)
    return replace(result, settings=replace(result.settings, chosen=chosen))


def _places(
    corpus: Corpus, categorical: str, order: Sequence[str]
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Return the place of each label in an order of categories, and the order; empty if nominal."""
    if categorical != "ordinal":
        return (), ()
    return ordinal_places(corpus.labels, tuple(order)), tuple(order)


def _compared(corpus: Corpus, job: Job, pairs: bool) -> Gamma:
    """Return the result for all annotators, and for each two of them if asked for."""
    sampling, dissimilarity, names = job.sampling, job.dissimilarity, corpus.annotators
    if sampling.sampler == "chance":
        for name in names:
            check_layer(corpus, name, "exact", sampling.chance)  # which forbids nothing else
    drawing = {} if job.jackknife is None else job.jackknife.settings()
    settings = GammaSettings(
        measure="gamma",
        alpha=float(dissimilarity.alpha),
        beta=float(dissimilarity.beta),
        delta_empty=float(dissimilarity.delta_empty),
        categorical=dissimilarity.categorical,
        order=",".join(dissimilarity.order) or None,
        sampler=sampling.sampler,
        chance=sampling.chance.name if sampling.sampler == "chance" else None,
        precision=float(sampling.precision),
        offsets=corpus.offsets,
        reading=corpus.reading,
        **{"seed": int(sampling.seed), **drawing},
    )
    of_all = _figures(canonical(corpus), job)
    by_pair = {
        (first, second): _figures(canonical(corpus.of_annotators([first, second])), job)
        for i, first in enumerate(names)
        for second in names[i + 1 :]
        if pairs
    }
    notes = [*corpus.notes, *_notes("", of_all, job)]
    for pair, figures in by_pair.items():
        notes += _notes(f"{printable('–'.join(pair))}: ", figures, job)
    if any(figures.is_cut for figures in (of_all, *by_pair.values())):
        settings = replace(settings, stopped="time")
    return Gamma(of_all, by_pair, names, len(corpus), settings, tuple(notes), job.jackknife)


def canonical(corpus: Corpus) -> Corpus:
    """Return the same corpus, annotators sorted by name, documents by id or by what is in them.

    >>> corpus = Corpus.from_segments([5, 4], {"bob": [[], []], "ann": [[(0, 2, "X")], []]})
    >>> ordered = canonical(corpus)
    >>> ordered.annotators, ordered.lengths.tolist()
    (('ann', 'bob'), [4, 5])
    """
    named = corpus.of_annotators(sorted(corpus.annotators))
    if named.ids is not None:
        ids = named.ids
        order = sorted(range(len(named)), key=ids.__getitem__)
    else:
        content: list[list[tuple[int, ...]]] = [[(int(n),)] for n in named.lengths]
        for number, layer in enumerate(named.layers.values()):
            for d, seen in enumerate(layer.annotated.tolist()):
                content[d].append((number, -1, int(seen)))
            columns = (layer.document, layer.start, layer.end, layer.label)
            for d, *unit in zip(*(column.tolist() for column in columns), strict=True):
                content[d].append((number, *unit))
        order = sorted(range(len(named)), key=content.__getitem__)
    return named if order == list(range(len(named))) else named.subset(order)


def _notes(prefix: str, figures: GammaFigures, job: Job) -> Iterator[str]:
    """Yield what is out of the ordinary."""
    if figures.gap > 0:
        yield (
            f"{prefix}the best alignment is not proven: the observed disorder may be lower by"
            f" {figures.gap:.2g}"
        )
    if figures.draws and not figures.gamma.error <= job.sampling.precision:
        yield (
            f"{prefix}after {counted(figures.draws, 'draw')} the standard error of γ is"
            f" {figures.gamma.error:.2g}, above the precision {job.sampling.precision:g}"
        )


def _figures(corpus: Corpus, job: Job) -> GammaFigures:
    """Return γ, γ_cat and γ_k of a corpus in canonical order."""
    seen = times_seen(corpus)
    compared = corpus.subset(np.asarray(seen >= 2))
    continuum = Continuum.of(compared)
    documents = len(compared)
    number = len(continuum.units.start)
    nothing = "" if number else "nothing is marked in a document that two annotators saw"
    if int(seen.max(initial=0)) > _ANNOTATORS:
        where = f"document {show(corpus.id_of(int(seen.argmax())))}"
        raise SettingError(
            f"{where}: {counted(int(seen.max()), 'annotator')}; γ aligns all at once, and takes"
            f" {_ANNOTATORS} at most: leave the document out, or name some annotators"
        )
    if not documents:
        nothing = "no document that two annotators saw"
    if nothing:
        return GammaFigures(
            *(undefined(nothing),) * 2,
            {label: undefined(nothing) for label in corpus.labels},
            documents, number, 0, 0, 0.0, False,
        )  # fmt: skip
    report_progress = step_of(job.progress, "sampling") or (lambda done, total: None)
    n_parts = 0  # of the observed alignment

    def report_aligned(done: int, total: int) -> None:
        nonlocal n_parts
        n_parts = total
        report_progress(done, total + FIRST_DRAWS)

    group, observed = align_annotations(
        [continuum.units], continuum, job.dissimilarity, job.deadline, report_aligned
    )
    units = np.bincount(continuum.units.document, minlength=documents)
    weight = units / continuum.annotators
    expected = sampled(
        continuum,
        observed,
        job,
        lambda done, total: report_progress(n_parts + done, n_parts + total),
    )
    table = _table(weight, observed, expected)
    of_gamma, *of_categories = np.moveaxis(table, 1, 0)
    figures = [_gamma(of_gamma, expected)]
    for k, (sums, label) in enumerate(zip(of_categories, (None, *compared.labels), strict=True)):
        figures.append(_gamma_of_categories(sums, expected, k, label))
    if expected.is_cut or observed.gap.any() or expected.gap:
        figures = _bounded(figures, observed, expected, job)
    if job.jackknife is not None:
        figures = with_intervals(figures, over_documents(table, job.jackknife))
    return GammaFigures(
        figures[0],
        figures[1],
        dict(zip(compared.labels, figures[2:], strict=True)),
        documents,
        number,
        int(group.max()) + 1,
        len(expected.drawn.cost),
        math.fsum(observed.gap[0].tolist()) / math.fsum(weight.tolist()),
        expected.is_cut,
    )


def _table(weight: Floats, observed: Drawn, expected: Expected) -> Floats:
    """Return what each document adds to the sums behind each figure.

    (documents, figures, 4): observed, expected, and the weights of both; the figures are γ, γ_cat
    and γ_k of each label.
    """
    sums = observed.categories[0]
    by_chance = expected.drawn.categories.mean(0)
    of_gamma = np.stack((observed.cost[0], expected.cost, weight, weight), axis=1)
    of_categories = np.stack(
        (sums[..., 0], by_chance[..., 0], sums[..., 1], by_chance[..., 1]), axis=-1
    )
    return np.concatenate((of_gamma[:, None], of_categories), axis=1)


def _gamma(sums: Floats, expected: Expected) -> Disagreement:
    """Return γ, from what each document adds to its sums."""
    observed, by_chance, weight, _ = (math.fsum(column) for column in sums.T.tolist())
    error = observed / by_chance**2 * expected.error if by_chance > 0 else 0.0
    nothing = "random annotations are in no disorder either"
    return disagreement(observed / weight, by_chance / weight, nothing, error)


def _gamma_of_categories(
    sums: Floats, expected: Expected, k: int, label: str | None
) -> Disagreement:
    """Return γ_cat, or γ_k of a label: the number ``k`` of the categories that were drawn."""
    observed, by_chance, weight, chance_weight = (math.fsum(x) for x in sums.T.tolist())
    what = "units" if label is None else f"units with {printable(label)}"
    if not weight > 0:
        return undefined(f"no aligned {what} that overlap enough")
    nothing = f"aligned {what} of random annotations have one category"
    if not chance_weight > 0 or not by_chance > 0:
        return Disagreement(UNDEFINED, observed / weight, 0.0, reason=nothing)
    ratio, error = ratio_of(expected.drawn.categories.sum(1)[:, k])
    unlike = observed / weight
    return disagreement(unlike, ratio, nothing, unlike / ratio**2 * error)


def _bounded(
    figures: Sequence[Disagreement], observed: Drawn, expected: Expected, job: Job
) -> list[Disagreement]:
    """Return γ, γ_cat and γ_k of what was not computed to its end: bounds in place of values.

    γ lies between what the gaps of alignments leave open, and two standard errors beyond if there
    are too few draws. γ_cat and γ_k are those of the best alignments, so they are unknown where
    these are. Of a disorder, too, no number stands where the alignment is not proven, or the draws
    are too few.
    """
    (first, *others), precision = figures, job.sampling.precision
    cost, total = math.fsum(observed.cost[0].tolist()), expected.total
    gap, random_gap = math.fsum(observed.gap[0].tolist()), expected.gap
    bounded: list[Disagreement] = []
    if first.reason:
        bounded.append(first)
    else:
        beyond = 2 * first.error if expected.is_cut or first.error > precision else 0.0
        least = total - random_gap
        low = 1 - cost / least if least > 0 else -math.inf
        ends = low - beyond, min(1 - (cost - gap) / total + beyond, 1.0)
        narrow = ends[1] - ends[0] <= _NARROW
        if not narrow:
            first = first._replace(
                observed=UNDEFINED if gap else first.observed,
                expected=UNDEFINED if random_gap or beyond else first.expected,
            )
        bounded.append(first if narrow else _between(first, ends, expected))
    for figure in others:
        if figure.reason or not (gap or random_gap or expected.is_cut or figure.error > precision):
            bounded.append(figure)
        elif gap or random_gap:
            bounded.append(undefined("the best alignment is not proven"))
        else:
            ends = figure.value - 2 * figure.error, min(figure.value + 2 * figure.error, 1.0)
            bounded.append(_between(figure._replace(expected=UNDEFINED), ends, expected))
    return bounded


def _between(figure: Disagreement, ends: tuple[float, float], expected: Expected) -> Disagreement:
    """Return a figure of which only bounds are known."""
    cause = (
        "the time limit ended the search" if expected.is_cut else "the best alignment is not proven"
    )
    reason = f"between {ends[0]:.3f} and {ends[1]:.3f}: {cause}"
    return figure._replace(value=UNDEFINED, reason=reason, bounds=ends)
