"""Coefficients of the tokens of a corpus, with the figures that corpus papers report as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanagree.agreement.agree import agree
from spanagree.errors import escape_name
from spanagree.formats.guessed import CorpusLike, as_corpus_or_parts
from spanagree.labels.summary import Coefficients, coefficients
from spanagree.labels.tokens import select_marked_items, token_labels
from spanagree.parts.each import Part
from spanagree.results import verdict

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

    from spanagree.agreement.result import Agreement
    from spanagree.uncertainty.confidence import Jackknife


def token_coefficients(
    corpus: CorpusLike | Iterable[Part],
    *,
    ci: bool | Jackknife = False,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Any,
) -> Coefficients:
    """Compute coefficients of all tokens and of marked tokens, and F1 of segments.

    Most tokens are outside all segments for every annotator, so κ of all tokens is too optimistic.
    κ of the tokens that one annotator or more marked is too pessimistic, as chance ignores the
    tokens that all left unmarked. Corpus papers report both together with F1 of segments (Deleger
    et al. 2012; Brandsen et al. 2020).

    Args:
        corpus: annotations, or parts of them (see :func:`spanagree.token_labels`).
        ci: True for jackknife intervals over documents, False for none, or a
            :class:`spanagree.Jackknife`.
        executor: ``concurrent.futures.Executor`` with workers that read parts.
        progress: callback with two arguments, both the number of finished parts.
        settings: options of :func:`spanagree.coefficients`.

    Raises:
        InputError: if :func:`spanagree.token_labels` raises it.
        SettingError: if :func:`spanagree.coefficients` raises it.

    >>> from spanagree.corpus.corpus import Corpus
    >>> corpus = Corpus.from_segments([9], {"ann": [[(0, 2, "X")]], "bob": [[(0, 3, "X")]]})
    >>> found = token_coefficients(corpus)
    >>> round(found.kappa.value, 3), round(found.marked.kappa.value, 3), found.spans.observed
    (0.727, 0.0, 0.0)
    """
    source = as_corpus_or_parts(corpus)
    # the parts are read twice
    corpus_or_parts = [*source] if isinstance(source, Iterator) else source
    table = token_labels(corpus_or_parts, executor=executor, progress=progress)
    all_coefficients = coefficients(table, ci=ci, **settings)
    marked_coefficients = coefficients(select_marked_items(table), ci=ci, **settings)
    if len(table.annotators) < 2:
        return replace(all_coefficients, marked=marked_coefficients)
    segment_agreement = agree(corpus_or_parts, ci=ci, executor=executor)
    unplaced_rule = segment_agreement.settings.unplaced
    return replace(
        all_coefficients,
        marked=marked_coefficients,
        spans=segment_agreement.team.f1,
        about_spans=_write_segments_remark(segment_agreement),
        settings=replace(
            all_coefficients.settings,
            f1_chance=segment_agreement.settings.chance,
            f1_unplaced=unplaced_rule,
        ),
    )


def _write_segments_remark(segment_agreement: Agreement) -> str:
    """Write the remark on F1 of segments: match, chance model, and quotes not in the text."""
    settings = segment_agreement.settings
    sentence = f"F1 of segments: match {settings.match}, chance {settings.chance}"
    if reason := settings.get("chance_undefined"):
        sentence += f" ({escape_name(reason)})"
    outcome = "match nothing, and are left out of all else"
    quotes_sentence = verdict.write_quotes_not_in_text(
        settings, [*segment_agreement.annotators], segment_agreement.not_found, outcome
    )
    return f"{sentence}; {quotes_sentence.removesuffix('.')}" if quotes_sentence else sentence
