"""Coefficients of the tokens of a corpus, with what corpus papers print beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanagree.agreement.agree import agree
from spanagree.errors import printable
from spanagree.formats.guessed import CorpusLike, source_of
from spanagree.labels.summary import Coefficients, coefficients
from spanagree.labels.tokens import marked_items, token_labels
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
    """Return all coefficients of a corpus's tokens, κ of those that anybody marked, and F1.

    Most tokens are in no segment, and all agree on that: κ of all tokens flatters. κ of the tokens
    that one annotator or more marked errs the other way, as chance then takes no account of the
    tokens that all left. Corpus papers print both beside F1 of the segments (Deleger et al. 2012;
    Brandsen et al. 2020).

    Args:
        corpus: the annotators as layers; or parts of a corpus, as for
            :func:`spanagree.token_labels`.
        ci: confidence intervals by leaving out documents, or a :class:`spanagree.Jackknife`.
        executor: of parts: any ``concurrent.futures.Executor``, whose workers read them.
        progress: called with the number of parts done, twice.
        settings: as for :func:`spanagree.coefficients`.

    Raises:
        InputError: as for :func:`spanagree.token_labels`.
        SettingError: as for :func:`spanagree.coefficients`.

    >>> from spanagree.corpus.corpus import Corpus
    >>> corpus = Corpus.from_segments([9], {"ann": [[(0, 2, "X")]], "bob": [[(0, 3, "X")]]})
    >>> found = token_coefficients(corpus)
    >>> round(found.kappa.value, 3), round(found.marked.kappa.value, 3), found.spans.observed
    (0.727, 0.0, 0.0)
    """
    source = source_of(corpus)
    parts = [*source] if isinstance(source, Iterator) else source  # they are gone over twice
    table = token_labels(parts, executor=executor, progress=progress)
    of_all = coefficients(table, ci=ci, **settings)
    of_marked = coefficients(marked_items(table), ci=ci, **settings)
    if len(table.annotators) < 2:
        return replace(of_all, marked=of_marked)
    of_spans = agree(parts, ci=ci, executor=executor)
    lost = of_spans.settings.unplaced
    return replace(
        of_all,
        marked=of_marked,
        spans=of_spans.team.f1,
        about_spans=_about_spans(of_spans),
        settings=replace(of_all.settings, f1_chance=of_spans.settings.chance, f1_unplaced=lost),
    )


def _about_spans(of_spans: Agreement) -> str:
    """Say by which chance F1 of the segments was corrected, and what it makes of lost quotes."""
    settings = of_spans.settings
    about = f"F1 of segments: match {settings.match}, chance {settings.chance}"
    if reason := settings.get("chance_undefined"):
        about += f" ({printable(reason)})"
    outcome = "match nothing, and are left out of all else"
    lost = verdict.not_in_text(settings, [*of_spans.annotators], of_spans.not_found, outcome)
    return f"{about}; {lost.removesuffix('.')}" if lost else about
