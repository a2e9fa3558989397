"""Baselines as layers: everything, nothing, random segments, or the majority vote."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from spanagree.arrays import dense_ranks, is_repeated_row
from spanagree.chance.model import ChanceModel, build_chance_model
from spanagree.choices import MAJORITY, NOTHING, Baseline, ChanceOrAuto
from spanagree.comparisons.overlaps import check_layers, choose_chance_of_corpus
from spanagree.comparisons.random_layers import yield_random_layers
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.roles import count_seen
from spanagree.corpus.segments import Layer
from spanagree.errors import (
    SettingError,
    check_annotator_names,
    check_choice,
    check_integer,
    join_names,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.project.gold import add_layer, make_gold

BASELINES = {
    "everything": "one segment over the whole document, with the most frequent label",
    NOTHING: "no segment",
    "random": "the segments of a reference drawn for each document, placed at random",
    "majority": "what the references voted for, as spanagree gold makes it",
}
"""Descriptions of the baselines by name."""

_LABEL = "span"  # label of everything in a corpus without labels


WITH_VOTERS = (
    f"{MAJORITY}: compared with those who voted for it, so it agrees with them more than their vote"
    " would with other people"
)
"""Remark on the scores of a majority."""


def with_baselines(
    corpus: CorpusLike,
    baselines: Sequence[Baseline],
    *,
    references: Sequence[str] | None = None,
    chance: ChanceOrAuto = "auto",
    seed: int = 0,
) -> Corpus:
    """Add baselines to a corpus as further layers, each under its own name.

    Baselines saw the documents that a reference saw; for majority see :func:`spanagree.make_gold`.

    Args:
        corpus: annotators as layers.
        baselines: names of baselines: everything, nothing, random and majority.
        references: names of the annotators who define the most frequent label for everything, the
            segments for random and the votes for majority. Default: all.
        chance: chance model for random, nonoverlapping, per-label or overlapping; auto takes the
            first of these that the segments of all layers allow. Under overlapping, random
            segments of one label do not overlap if no reference has such an overlap.
        seed: random seed of random, an integer from 0. The layer does not depend on the order of
            annotators nor, if documents have ids, on the order of documents.

    Raises:
        SettingError: if a name is unknown, a layer already has the name of a baseline, fewer than
            two annotators vote, or a layer overlaps itself and the chance model does not allow it.

    >>> corpus = Corpus.from_segments([9], {"gold": [[(0, 2, "X"), (4, 5, "Y"), (6, 7, "Y")]]})
    >>> [name, *more] = with_baselines(corpus, ["everything", "nothing"]).layers
    >>> with_baselines(corpus, ["everything"])[0].segments["everything"], more
    ((Segment(start=0, end=9, label='Y'),), ['everything', 'nothing'])
    """
    corpus = as_corpus(corpus)
    check_contiguous(corpus, "a baseline")
    requested = [baselines] if isinstance(baselines, str) else list(baselines)
    for name in requested:
        check_choice(name, BASELINES, "baseline")
    if in_use := [name for name in dict.fromkeys(requested) if name in corpus.layers]:
        raise SettingError(
            f"baseline {quote_value(in_use[0])}: an annotator has this name; give the annotator"
            " another"
        )
    model = choose_chance_of_corpus(corpus, "exact", build_chance_model(chance))
    check_integer(seed, 0, "seed")
    reference_names = corpus.annotators if references is None else references
    names = check_annotator_names(reference_names, corpus.layers)
    extended = corpus
    for name in dict.fromkeys(requested):
        if name == "majority":
            extended = _add_majority(extended, names)
        elif name == "random":
            redraw_model = _choose_redraw_model(corpus, names, model).name
            layer, notes = _draw_random_layer(corpus, names, redraw_model, seed)
            extended = add_layer(extended, name, layer, f"{redraw_model}/seed-{seed}")
            extended = replace(extended, notes=(*extended.notes, *notes))
        elif name == "everything":
            extended = _add_everything(extended, names)
        else:
            document = np.zeros(0, np.int64)
            layer = Layer(document, document, document, document, count_seen(corpus, names) > 0)
            extended = add_layer(extended, name, layer, "empty")
    return extended


def _add_everything(corpus: Corpus, references: Sequence[str]) -> Corpus:
    """Add a segment over each whole document, with the most frequent label of the references."""
    is_seen = count_seen(corpus, references) > 0
    if not corpus.labels:
        corpus = corpus.replace(labels=(_LABEL,))
    counts = np.zeros(len(corpus.labels), np.int64)
    for reference in references:
        counts += np.bincount(corpus.layers[reference].label, minlength=len(corpus.labels))
    label = int(counts.argmax())  # of equal counts the first in alphabetical order
    document = np.flatnonzero(is_seen & (corpus.lengths > 0))
    start, end = np.zeros_like(document), corpus.lengths[document]
    layer = Layer(document, start, end, np.full_like(document, label), is_seen)
    return add_layer(corpus, "everything", layer, "whole-documents")


def _add_majority(corpus: Corpus, references: Sequence[str]) -> Corpus:
    """Add the majority vote of the references; raise `SettingError` for fewer than two."""
    if len(references) < 2:
        raise SettingError(
            f"baseline majority: {join_names(references) or 'nobody'} alone; two annotators who"
            " vote are needed: name more references"
        )
    return make_gold(corpus, vote="tokens", annotators=references).corpus


def _choose_redraw_model(
    corpus: Corpus, references: Sequence[str], chance: ChanceModel
) -> ChanceModel:
    """Choose the chance model that places the segments of the baseline ``random``.

    It is the model of the corpus, except that per-label replaces overlapping if no reference has
    overlapping segments of one label: measures of shared tokens are not defined for such layers.
    """
    if chance.is_free:
        with suppress(SettingError):
            return _choose_redraw_model(corpus, references, replace(chance, name="per-label"))
    check_layers(corpus, "exact", chance, references)
    return chance


def _draw_random_layer(
    corpus: Corpus, references: Sequence[str], chance: str, seed: int
) -> tuple[Layer, list[str]]:
    """Draw a reference for each document, and random positions for the segments of the reference.

    Draws follow the order of document ids and of names, so the order in the corpus has no effect.

    Args:
        corpus: references as layers.
        references: names of the references.
        chance: name of the chance model.
        seed: random seed of the draws.

    Returns:
        The layer of the baseline ``random``, and a note on dropped duplicates if there are any.
    """
    rng = np.random.default_rng(seed)
    names = sorted(references)
    n_saw = count_seen(corpus, names)
    rank = np.arange(len(corpus)) if corpus.ids is None else dense_ranks(corpus.ids)
    drawn_position = np.floor(rng.random(len(corpus))[rank] * n_saw).astype(np.int64)
    columns = []
    n_seen_before = np.zeros(len(corpus), np.int64)
    for name in names:
        layer = corpus.layers[name]
        is_drawn = layer.annotated & (n_seen_before == drawn_position)
        n_seen_before += layer.annotated
        in_drawn = is_drawn[layer.document]
        fields = (layer.document, layer.start, layer.end, layer.label)
        columns.append(np.stack([column[in_drawn] for column in fields]))
    document, start, end, label = np.concatenate([np.zeros((4, 0), np.int64), *columns], axis=1)
    drawn = Layer(document, start, end, label, n_saw > 0)
    placed = next(yield_random_layers(corpus, drawn, rng, chance))
    is_duplicate = is_repeated_row(placed.document, placed.start, placed.end, placed.label)
    notes = (
        [f"random: {is_duplicate.sum()} that fell on an equal one left out"]
        if is_duplicate.any()
        else []
    )
    return placed.only(~is_duplicate), notes  # a layer has each segment once
