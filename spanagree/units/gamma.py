"""Joint agreement γ on units and categories (Mathet et al. 2015).

    γ = 1 − δ_o / δ_e,

where δ_o is the disorder of the best alignment of all annotators' units, and δ_e its expectation
over random annotations. Each document is a continuum of its own, weighted by its mean number of
units, so the disorders of unitary alignments are summed over documents. γ_cat (Mathet 2017)
compares only the categories of aligned units, and γ_k those of one category k.

The expected disorder is sampled until the standard error of γ is below ``precision``. Under the
chance model, a control variate with a known mean reduces the error; see
:mod:`spanagree.units.control`. Tables are shaped (documents, figures, 4): observed, expected and
their weights, for γ, γ_cat and γ_k of each label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanagree.arrays import Floats, sub_progress
from spanagree.chance.model import build_chance_model
from spanagree.choices import TIME_LIMIT, Categorical, ChanceOrAuto, Sampler
from spanagree.comparisons.overlaps import check_layers, choose_chance_of_corpus
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.placed import keep_placed
from spanagree.corpus.roles import choose_annotators, count_seen
from spanagree.errors import SettingError, escape_name, pluralize, quote_value
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results.score import UNDEFINED
from spanagree.uncertainty.confidence import Jackknife, parse_ci
from spanagree.units.dissimilarity import Dissimilarity, compute_ordinal_positions
from spanagree.units.expected_disorder import (
    FIRST_DRAWS,
    ExpectedDisorder,
    GammaTask,
    compute_ratio,
    sample_expected,
)
from spanagree.units.gamma_result import Gamma, GammaFigures, GammaSettings
from spanagree.units.sampling import AlignmentSums, Continuum, Sampling, align_annotations
from spanagree.units.score import (
    CoefficientScore,
    add_intervals,
    build_document_intervals,
    build_undefined,
    compute_coefficient,
)
from spanagree.units.time_limit import Deadline

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

_ANNOTATORS = 32  # largest number of annotators of a document
_NARROW = 1e-6  # largest difference of two bounds that count as one value


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
    """Compute γ, γ_cat and γ_k of two or more annotators (Mathet et al. 2015; Mathet 2017).

    The search for the best alignments and the sampling of random annotations end at the time limit.
    A coefficient that is not finished by then is undefined, and has bounds.

    Args:
        corpus: annotations.
        alpha: weight of positions.
        beta: weight of categories.
        delta_empty: cost of a unit without a partner.
        categorical: dissimilarity of categories, nominal or ordinal.
        order: labels of ordinal categories, from the lowest.
        sampler: source of random annotations: chance, pygamma or shuffle.
        chance: model of the sampler chance: nonoverlapping, per-label or overlapping. With auto,
            the first of these that the units of all annotators allow.
        precision: standard error of γ and of γ_cat below which sampling ends.
        time_limit: seconds after which γ ends, with bounds; ``None`` for no limit.
        seed: random seed.
        annotators: names of the annotators to compare. Default: all.
        pairs: True to compare each pair of annotators too.
        ci: True for intervals over documents, False for none, or a :class:`Jackknife`.
        executor: ``concurrent.futures.Executor`` for the draws, which changes no digit.
        progress: callback that receives the number of finished draws, and of all if known.

    Raises:
        SettingError: if a choice is unknown, or units overlap and the chance model forbids this.

    >>> corpus = Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]]})
    >>> gamma(corpus).gamma.value
    1.0
    """
    corpus = keep_placed(as_corpus(corpus), "units")
    check_contiguous(corpus, "γ")
    model = choose_chance_of_corpus(
        corpus, "exact", build_chance_model(chance)
    )  # exact goes with each model
    corpus, chosen_names = choose_annotators(corpus, annotators)
    job = GammaTask(
        Dissimilarity(
            alpha,
            beta,
            delta_empty,
            categorical,
            *_compute_label_positions(corpus, categorical, order),
        ),
        Sampling(sampler, model, precision, seed),
        parse_ci(ci, clusters=False),
        executor,
        progress,
        Deadline.from_time_limit(time_limit),
    )
    result = _compute_result(corpus, job, pairs)
    return replace(result, settings=replace(result.settings, chosen=chosen_names))


def _compute_label_positions(
    corpus: Corpus, categorical: str, order: Sequence[str]
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Compute the position of each label on the ordinal scale; empty if nominal.

    Returns:
        Positions, and the labels of the scale.
    """
    if categorical != "ordinal":
        return (), ()
    return compute_ordinal_positions(corpus.labels, tuple(order)), tuple(order)


def _compute_result(corpus: Corpus, job: GammaTask, pairs: bool) -> Gamma:
    """Compute the result for all annotators, and for each pair if requested."""
    sampling, dissimilarity, names = job.sampling, job.dissimilarity, corpus.annotators
    if sampling.sampler == "chance":
        check_layers(corpus, "exact", sampling.chance, names)
    interval_settings = {} if job.jackknife is None else job.jackknife.settings()
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
        **{"seed": int(sampling.seed), **interval_settings},
    )
    team_figures = _compute_coefficients(sort_canonically(corpus), job)
    by_pair = {
        (first, second): _compute_coefficients(
            sort_canonically(corpus.select_annotators([first, second])), job
        )
        for i, first in enumerate(names)
        for second in names[i + 1 :]
        if pairs
    }
    notes = [*corpus.notes, *_yield_notes("", team_figures, job)]
    for pair, figures in by_pair.items():
        notes += _yield_notes(f"{escape_name('–'.join(pair))}: ", figures, job)
    if any(figures.is_cut for figures in (team_figures, *by_pair.values())):
        settings = replace(settings, stopped="time")
    return Gamma(team_figures, by_pair, names, len(corpus), settings, tuple(notes), job.jackknife)


def sort_canonically(corpus: Corpus) -> Corpus:
    """Sort the annotators of a corpus by name, and its documents by id or content.

    >>> corpus = Corpus.from_segments([5, 4], {"bob": [[], []], "ann": [[(0, 2, "X")], []]})
    >>> ordered = sort_canonically(corpus)
    >>> ordered.annotators, ordered.lengths.tolist()
    (('ann', 'bob'), [4, 5])
    """
    sorted_corpus = corpus.select_annotators(sorted(corpus.annotators))
    if sorted_corpus.ids is not None:
        ids = sorted_corpus.ids
        order = sorted(range(len(sorted_corpus)), key=ids.__getitem__)
    else:
        content: list[list[tuple[int, ...]]] = [
            [(int(length),)] for length in sorted_corpus.lengths
        ]
        for annotator_index, layer in enumerate(sorted_corpus.layers.values()):
            for document_index, is_seen in enumerate(layer.annotated.tolist()):
                content[document_index].append((annotator_index, -1, int(is_seen)))
            columns = (layer.document, layer.start, layer.end, layer.label)
            for document_index, *unit in zip(*(column.tolist() for column in columns), strict=True):
                content[document_index].append((annotator_index, *unit))
        order = sorted(range(len(sorted_corpus)), key=content.__getitem__)
    return (
        sorted_corpus if order == list(range(len(sorted_corpus))) else sorted_corpus.subset(order)
    )


def _yield_notes(prefix: str, figures: GammaFigures, job: GammaTask) -> Iterator[str]:
    """Yield notes on an unproven alignment, and on a standard error above the precision.

    Args:
        prefix: beginning of each note.
        figures: coefficients of all annotators or of a pair.
        job: options of the computation.
    """
    if figures.gap > 0:
        yield (
            f"{prefix}the best alignment is not proven: the observed disorder may be lower by"
            f" {figures.gap:.2g}"
        )
    if figures.draws and not figures.gamma.error <= job.sampling.precision:
        yield (
            f"{prefix}after {pluralize(figures.draws, 'draw')} the standard error of γ is"
            f" {figures.gamma.error:.2g}, above the precision {job.sampling.precision:g}"
        )


def _compute_coefficients(corpus: Corpus, job: GammaTask) -> GammaFigures:
    """Compute γ, γ_cat and γ_k of all annotators of a sorted corpus."""
    n_seen = count_seen(corpus)
    compared_documents = corpus.subset(np.asarray(n_seen >= 2))
    continuum = Continuum.from_corpus(compared_documents)
    n_documents = len(compared_documents)
    n_units = len(continuum.units.start)
    undefined_reason = "" if n_units else "nothing is marked in a document that two annotators saw"
    if int(n_seen.max(initial=0)) > _ANNOTATORS:
        location = f"document {quote_value(corpus.id_of(int(n_seen.argmax())))}"
        raise SettingError(
            f"{location}: {pluralize(int(n_seen.max()), 'annotator')}; γ aligns all at once, and"
            f" takes {_ANNOTATORS} at most: leave the document out, or name some annotators"
        )
    if not n_documents:
        undefined_reason = "no document that two annotators saw"
    if undefined_reason:
        return GammaFigures(
            *(build_undefined(undefined_reason),) * 2,
            {label: build_undefined(undefined_reason) for label in corpus.labels},
            n_documents, n_units, 0, 0, 0.0, False,
        )  # fmt: skip
    report_progress = sub_progress(job.progress, "sampling") or (lambda done, total: None)
    n_alignment_parts = 0  # known when the observed annotations are aligned

    def report_aligned(n_done: int, n_total: int) -> None:
        """Report the progress of the alignment of the observed units."""
        nonlocal n_alignment_parts
        n_alignment_parts = n_total
        report_progress(n_done, n_total + FIRST_DRAWS)

    group, observed = align_annotations(
        [continuum.units], continuum, job.dissimilarity, job.deadline, report_aligned
    )
    units_by_document = np.bincount(continuum.units.document, minlength=n_documents)
    weight = units_by_document / continuum.annotators
    expected = sample_expected(
        continuum,
        observed,
        job,
        lambda n_done, n_total: report_progress(
            n_alignment_parts + n_done, n_alignment_parts + n_total
        ),
    )
    table = _build_summands(weight, observed, expected)
    gamma_sums, *category_sums = np.moveaxis(table, 1, 0)
    figures = [_compute_gamma(gamma_sums, expected)]
    for category_index, (sums, label) in enumerate(
        zip(category_sums, (None, *compared_documents.labels), strict=True)
    ):
        figures.append(_compute_gamma_cat(sums, expected, category_index, label))
    if expected.is_cut or observed.gap.any() or expected.gap:
        figures = _replace_by_bounds(figures, observed, expected, job)
    if job.jackknife is not None:
        figures = add_intervals(figures, build_document_intervals(table, job.jackknife))
    return GammaFigures(
        figures[0],
        figures[1],
        dict(zip(compared_documents.labels, figures[2:], strict=True)),
        n_documents,
        n_units,
        int(group.max()) + 1,
        len(expected.drawn.cost),
        math.fsum(observed.gap[0].tolist()) / math.fsum(weight.tolist()),
        expected.is_cut,
    )


def _build_summands(weight: Floats, observed: AlignmentSums, expected: ExpectedDisorder) -> Floats:
    """Build the summands of each document; (documents, figures, 4).

    The figures are γ, γ_cat and γ_k of each label; the four columns are the observed and the
    expected disorder, and the weights of both.

    Args:
        weight: mean number of units of an annotator in each document.
        observed: sums of the observed alignment.
        expected: estimate of the expected disorder.
    """
    sums = observed.categories[0]
    by_chance = expected.drawn.categories.mean(0)
    gamma_summands = np.stack((observed.cost[0], expected.cost, weight, weight), axis=1)
    category_summands = np.stack(
        (sums[..., 0], by_chance[..., 0], sums[..., 1], by_chance[..., 1]), axis=-1
    )
    return np.concatenate((gamma_summands[:, None], category_summands), axis=1)


def _compute_gamma(sums: Floats, expected: ExpectedDisorder) -> CoefficientScore:
    """Compute γ = 1 − observed disorder / expected disorder, with its standard error.

    Args:
        sums: observed disorder, expected disorder, and the weight of each; (documents, 4).
        expected: expected disorder of the corpus, with its standard error.
    """
    observed, by_chance, weight, _ = (math.fsum(column) for column in sums.T.tolist())
    error = observed / by_chance**2 * expected.error if by_chance > 0 else 0.0
    no_chance_reason = "random annotations are in no disorder either"
    return compute_coefficient(observed / weight, by_chance / weight, no_chance_reason, error)


def _compute_gamma_cat(
    sums: Floats, expected: ExpectedDisorder, category_index: int, label: str | None
) -> CoefficientScore:
    """Compute γ_cat, or γ_k of a label.

    Args:
        sums: summands of each document; (documents, 4).
        expected: draws.
        category_index: column of the drawn category sums, 0 for γ_cat.
        label: label of γ_k; ``None`` for γ_cat.
    """
    observed, by_chance, weight, chance_weight = (math.fsum(column) for column in sums.T.tolist())
    subject = "units" if label is None else f"units with {escape_name(label)}"
    if not weight > 0:
        return build_undefined(f"no aligned {subject} that overlap enough")
    no_chance_reason = f"aligned {subject} of random annotations have one category"
    if not chance_weight > 0 or not by_chance > 0:
        return CoefficientScore(UNDEFINED, observed / weight, 0.0, reason=no_chance_reason)
    ratio, error = compute_ratio(expected.drawn.categories.sum(1)[:, category_index])
    observed_ratio = observed / weight
    return compute_coefficient(
        observed_ratio, ratio, no_chance_reason, observed_ratio / ratio**2 * error
    )


def _replace_by_bounds(
    figures: Sequence[CoefficientScore],
    observed: AlignmentSums,
    expected: ExpectedDisorder,
    job: GammaTask,
) -> list[CoefficientScore]:
    """Replace the values of an unfinished computation by bounds.

    The bounds of γ follow from the gaps of the alignments. If there are too few draws, they are
    wider by two standard errors. γ_cat and γ_k are defined by the best alignments, so they are
    unknown while these are unproven. Observed and expected disorders are undefined as well, if the
    alignment is unproven or the draws are too few.

    Args:
        figures: γ, γ_cat and γ_k of each label.
        observed: sums of the observed alignment.
        expected: estimate of the expected disorder.
        job: options of the computation.
    """
    (gamma_figure, *category_figures), precision = figures, job.sampling.precision
    cost, total = math.fsum(observed.cost[0].tolist()), expected.total
    gap, random_gap = math.fsum(observed.gap[0].tolist()), expected.gap
    bounded: list[CoefficientScore] = []
    if gamma_figure.reason:
        bounded.append(gamma_figure)
    else:
        margin = (
            2 * gamma_figure.error if expected.is_cut or gamma_figure.error > precision else 0.0
        )
        lowest_total = total - random_gap
        lowest_gamma = 1 - cost / lowest_total if lowest_total > 0 else -math.inf
        ends = lowest_gamma - margin, min(1 - (cost - gap) / total + margin, 1.0)
        is_narrow = ends[1] - ends[0] <= _NARROW
        if not is_narrow:
            gamma_figure = gamma_figure._replace(
                observed=UNDEFINED if gap else gamma_figure.observed,
                expected=UNDEFINED if random_gap or margin else gamma_figure.expected,
            )
        bounded.append(
            gamma_figure if is_narrow else _replace_value_by_bounds(gamma_figure, ends, expected)
        )
    for figure in category_figures:
        if figure.reason or not (gap or random_gap or expected.is_cut or figure.error > precision):
            bounded.append(figure)
        elif gap or random_gap:
            bounded.append(build_undefined("the best alignment is not proven"))
        else:
            ends = figure.value - 2 * figure.error, min(figure.value + 2 * figure.error, 1.0)
            bounded.append(
                _replace_value_by_bounds(figure._replace(expected=UNDEFINED), ends, expected)
            )
    return bounded


def _replace_value_by_bounds(
    figure: CoefficientScore, bounds: tuple[float, float], expected: ExpectedDisorder
) -> CoefficientScore:
    """Replace the value of a coefficient by its bounds, and add the reason."""
    cause = (
        "the time limit ended the search" if expected.is_cut else "the best alignment is not proven"
    )
    reason = f"between {bounds[0]:.3f} and {bounds[1]:.3f}: {cause}"
    return figure._replace(value=UNDEFINED, reason=reason, bounds=bounds)
