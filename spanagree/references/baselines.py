"""Baselines as layers: what marks everything, nothing, at random, or as most do."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from spanagree.arrays import met_before, ranks
from spanagree.chance.model import ChanceModel, chance_model
from spanagree.chance.random_annotations import redraw
from spanagree.choices import MAJORITY, NOTHING, Baseline, ChanceOrAuto
from spanagree.comparisons.overlaps import chance_of_corpus, check_layer
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.corpus.roles import times_seen
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, annotator_names, check_choice, check_whole, listed, show
from spanagree.formats.guessed import CorpusLike, corpus_of
from spanagree.project.gold import make_gold, with_layer

BASELINES = {
    "everything": "one segment over the whole document, with the most frequent label",
    NOTHING: "no segment",
    "random": "the segments of a reference drawn for each document, placed at random",
    "majority": "what the references voted for, as spanagree gold makes it",
}
"""The baselines by name, and what they mark."""

_LABEL = "span"  # where no segment of a corpus has one


WITH_VOTERS = (
    f"{MAJORITY}: compared with those who voted for it, so it agrees with them more than their vote"
    " would with other people"
)
"""What is to be said beside the figures of a majority."""


def with_baselines(
    corpus: CorpusLike,
    baselines: Sequence[Baseline],
    *,
    references: Sequence[str] | None = None,
    chance: ChanceOrAuto = "auto",
    seed: int = 0,
) -> Corpus:
    """Return the same corpus with baselines as further layers, each under its own name.

    They saw the documents that a reference saw; what majority saw, it says by itself.

    Args:
        corpus: the annotators as layers.
        baselines: everything, nothing, random and majority, or some of them.
        references: the names of those whose most frequent label everything has, from whom random
            draws, and who vote for majority; all unless given. Of one gold layer, its name.
        chance: where random may place segments, nonoverlapping, per-label or overlapping; of auto
            the first of these that the segments of all layers allow. Under overlapping, those of
            one label stay apart if they do in all references.
        seed: of random, a whole number from 0; the same one gives the same layer, in any order of
            documents with ids, and of annotators.

    Raises:
        SettingError: for an unknown name, a name that a layer has already, a majority of fewer than
            two, a layer that overlaps itself where the chance model does not allow it.

    >>> corpus = Corpus.from_segments([9], {"gold": [[(0, 2, "X"), (4, 5, "Y"), (6, 7, "Y")]]})
    >>> [name, *more] = with_baselines(corpus, ["everything", "nothing"]).layers
    >>> with_baselines(corpus, ["everything"])[0].segments["everything"], more
    ((Segment(start=0, end=9, label='Y'),), ['everything', 'nothing'])
    """
    corpus = corpus_of(corpus)
    check_in_one_piece(corpus, "a baseline")
    asked = [baselines] if isinstance(baselines, str) else list(baselines)
    for name in asked:
        check_choice(name, BASELINES, "baseline")
    if taken := [name for name in dict.fromkeys(asked) if name in corpus.layers]:
        raise SettingError(
            f"baseline {show(taken[0])}: an annotator has this name; give the annotator another"
        )
    model = chance_of_corpus(corpus, "exact", chance_model(chance))
    check_whole(seed, 0, "seed")
    named = corpus.annotators if references is None else references
    names = annotator_names(named, corpus.layers)
    extended = corpus
    for name in dict.fromkeys(asked):
        if name == "majority":
            extended = _majority(extended, names)
        elif name == "random":
            apart = _apart(corpus, names, model).name
            layer, notes = _random(corpus, names, apart, seed)
            extended = with_layer(extended, name, layer, f"{apart}/seed-{seed}")
            extended = replace(extended, notes=(*extended.notes, *notes))
        else:
            extended = _plain(extended, name, names)
    return extended


def _plain(corpus: Corpus, name: str, references: Sequence[str]) -> Corpus:
    """Return a corpus with everything or nothing."""
    seen = times_seen(corpus, references) > 0
    some = seen & (corpus.lengths > 0) & (name == "everything")
    label = 0
    if name == "everything":
        counts = np.zeros(len(corpus.labels), np.int64)
        for reference in references:
            layer = corpus.layers[reference]
            counts += np.bincount(layer.label, minlength=len(corpus.labels))
        if not len(counts):
            corpus = corpus.but(labels=(_LABEL,))
        else:
            label = int(counts.argmax())  # of equals the first of the alphabet
    document = np.flatnonzero(some)
    start, end = np.zeros_like(document), corpus.lengths[document]
    layer = Layer(document, start, end, np.full_like(document, label), seen)
    return with_layer(corpus, name, layer, "whole-documents" if name == "everything" else "empty")


def _majority(corpus: Corpus, references: Sequence[str]) -> Corpus:
    if len(references) < 2:
        raise SettingError(
            f"baseline majority: {listed(references) or 'nobody'} alone; two annotators who vote"
            " are needed: name more references"
        )
    return make_gold(corpus, vote="tokens", annotators=references).corpus


def _apart(corpus: Corpus, references: Sequence[str], chance: ChanceModel) -> ChanceModel:
    """Return the chance model of random: of overlapping, per-label where no reference forbids it.

    Shared tokens are not counted of a layer with segments of one label that overlap.
    """
    if chance.is_free:
        with suppress(SettingError):
            return _apart(corpus, references, chance.named("per-label"))
    for name in references:
        check_layer(corpus, name, "exact", chance)
    return chance


def _random(
    corpus: Corpus, references: Sequence[str], chance: str, seed: int
) -> tuple[Layer, list[str]]:
    """Return the segments of one reference for each document, placed anew, and notes.

    Documents are gone through by their ids, and references by their names, whatever order they have
    in the corpus.
    """
    rng = np.random.default_rng(seed)
    names = sorted(references)
    seen = times_seen(corpus, names)
    place = np.arange(len(corpus)) if corpus.ids is None else ranks(corpus.ids)
    drawn = np.floor(rng.random(len(corpus))[place] * seen).astype(np.int64)
    columns = []
    before = np.zeros(len(corpus), np.int64)
    for name in names:
        layer = corpus.layers[name]
        chosen = layer.annotated & (before == drawn)
        before += layer.annotated
        rows = chosen[layer.document]
        taken = (layer.start, layer.end, layer.label, layer.document)
        columns.append(np.stack([column[rows] for column in taken]))
    start, end, label, document = np.concatenate([np.zeros((4, 0), np.int64), *columns], axis=1)
    lengths = np.empty_like(corpus.lengths)
    lengths[place] = corpus.lengths
    base = Layer(place[document], start, end, label, seen > 0)
    moved = redraw(base, lengths, max(1, len(corpus.labels)), rng, chance)
    again = met_before(moved.document, moved.start, moved.end, moved.label)
    moved = moved.only(~again)  # no corpus holds the same segment twice
    notes = [f"random: {again.sum()} that fell on an equal one left out"] if again.any() else []
    document = np.argsort(place)[moved.document]
    return Layer(document, moved.start, moved.end, moved.label, seen > 0), notes
