"""Difficulty of documents: 1 − the agreement that chance alone would give (Li et al. 2024).

With a gold annotation Ψ the difficulty is

    1 − E[Sim(Ψ, Ψ)],

where E[Sim(Ψ, Ψ)] is the expected F1 of two random annotations that both have the number, lengths
and labels of Ψ. For a team the expectation is the mean of E[Sim(Ψ_i, Ψ_j)] over all ordered pairs
of annotators who saw the document, i = j included. Easy documents come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from spanagree.arrays import Bools, Floats, Progress
from spanagree.chance.model import Given, build_chance_model
from spanagree.choices import ChanceOrAuto, MatchName
from spanagree.comparisons.counting import (
    ComparisonRequest,
    MatchCountOptions,
    collect_gold_settings,
)
from spanagree.comparisons.overlaps import choose_chance_of_corpus
from spanagree.comparisons.place_shares import PlacementStatistics, list_rule_notes
from spanagree.corpus.roles import as_list, choose_annotators, count_seen
from spanagree.errors import SettingError, check_known
from spanagree.formats.guessed import CorpusLike, as_corpus_or_parts
from spanagree.levels.count import (
    ChanceAgreement,
    DifficultySettings,
    compute_chance_agreement,
    compute_marked_shares,
)
from spanagree.parts.each import Part, read_whole_corpus
from spanagree.results.result import Result

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

TIE = 1e-12  # difficulties closer than this are equal
NOTHING = "no document has a difficulty"


@dataclass(frozen=True, eq=False, repr=False)
class Difficulty(Result):
    """The result of :func:`difficulty`.

    Attributes:
        chance: agreement by chance alone in each document; ``nan`` if no annotator who saw the
            document marked anything in it.
        expected: expected match in each document, summed over ordered pairs of annotators.
        size: mean size of the two annotations of a pair (in segments, or tokens) in each
            document, summed over ordered pairs.
        marked: share of the units (tokens, or characters) of each document that an annotator
            marks, as mean over the annotators who saw it; ``nan`` if no annotator did.
        seen: mask of the documents that at least one annotator saw.
        annotators: names of the annotators; one name for a gold annotation.
        document_ids: names of the documents, or ``None`` if they are numbered from 1.
        settings: settings of the computation.
        notes: notes on the data and the result, one sentence each.
        places: shares of segments that follow the rule of places, or ``None`` without a rule.
        uniform: ``chance`` without that rule.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([2, 20], {"gold": [[(0, 1, "X")], [(4, 6, "X")]]})
    >>> found = sa.difficulty(corpus, gold="gold")
    >>> found.chance.round(3).tolist(), found.values.round(3).tolist()
    ([0.5, 0.053], [0.5, 0.947])
    """

    chance: Floats
    expected: Floats
    size: Floats
    marked: Floats
    seen: Bools
    annotators: tuple[str, ...]
    document_ids: tuple[str, ...] | None
    settings: DifficultySettings
    notes: tuple[str, ...] = ()
    places: PlacementStatistics | None = field(default=None, repr=False, compare=False)
    uniform: Floats | None = field(default=None, repr=False, compare=False)

    @cached_property
    def values(self) -> Floats:
        """Difficulty of each document, 1 − chance; ``nan`` where undefined."""
        return 1 - self.chance

    @property
    def defined(self) -> Bools:
        """Mask of documents with a difficulty."""
        return ~np.isnan(self.chance)

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.chance)

    def id_of(self, document: int) -> str:
        """Return the id of a document or, if documents have no ids, its position from 1."""
        return str(document + 1) if self.document_ids is None else self.document_ids[document]

    def check_documents(self, number: int, ids: tuple[str, ...] | None, source: str) -> None:
        """Check that a source has the documents of the difficulty.

        Args:
            number: number of documents of the source.
            ids: names of these documents, or ``None``.
            source: noun for the source, for the message.

        Raises:
            SettingError: if the number of documents or their names differ.
        """
        if (number, ids) != (len(self), self.document_ids):
            raise SettingError(
                f"the difficulty is that of other documents ({len(self)} of them; the {source} has"
                f" {number}); make it of the same corpus"
            )

    TABLES: ClassVar[Mapping[str, str | None]] = {"documents": None}
    SUMMARY: ClassVar[tuple[str, ...]] = ("annotators", "undefined=_n_undefined", "places?")
    SHOWN_BY: ClassVar[str] = f"{__package__}.difficulty_table"

    @property
    def _n_undefined(self) -> int:
        """Number of documents without a difficulty."""
        return int((~self.defined).sum())


def difficulty(
    corpus: CorpusLike | Iterable[Part],
    gold: str | None = None,
    *,
    annotators: Sequence[str] | None = None,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    places: Given | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Progress = None,
) -> Difficulty:
    """Compute the difficulty of each document: 1 − the agreement that chance alone would give.

    Args:
        corpus: annotations as layers; or parts of a corpus with consecutive documents, as for
            :func:`spanagree.evaluate`.
        gold: name of the gold layer.
        annotators: names of the annotators of a team. Default: all layers. Not
            allowed with ``gold``.
        match: name of the measure.
        chance: chance model, nonoverlapping, per-label or overlapping; auto takes the first of
            these that the segments of all layers allow.
        places: rule for the positions of random segments; see :func:`spanagree.evaluate`.
        seed: random seed, an integer from 0, for expected scores that have to be drawn.
        executor: ``concurrent.futures.Executor`` with workers that read the parts.
        progress: callback that receives the number of finished pairs of annotations (or parts)
            and of all.

    Raises:
        SettingError: if a name is unknown, both gold and annotators are passed, there is no layer,
            or a layer overlaps itself and the measure or the chance model does not allow it.
        InputError: if a part cannot be read, or the parts do not belong together.

    >>> from spanagree.corpus.corpus import Corpus
    >>> corpus = Corpus.from_segments([2, 20, 5], {"gold": [[(0, 1, "X")], [(4, 6, "X")], []]})
    >>> difficulty(corpus, gold="gold").values.round(3).tolist()
    [0.5, 0.947, nan]
    """
    if gold is not None and annotators is not None:
        raise SettingError("gold and annotators; difficulty is that of one or of the other")
    annotators = as_list(annotators)
    model = build_chance_model(chance, places, seed=seed)
    with_text = model.places is not None
    corpus = read_whole_corpus(as_corpus_or_parts(corpus), executor, progress, with_text=with_text)
    match = ComparisonRequest(match, model).name_measure(corpus.offsets)
    chosen_model, corpus = choose_chance_of_corpus(corpus, match, model).bind_to_ids(corpus)
    if model.first_is_fixed:
        raise SettingError("chance_of systems: difficulty is that of one annotation; leave it out")
    counting = MatchCountOptions.from_request(match, chosen_model, model, progress)
    if not (corpus.layers if annotators is None else annotators):
        raise SettingError("no annotator; difficulty needs one at least")
    team, chosen = choose_annotators(corpus, annotators)
    if gold is not None:
        check_known([gold], corpus.annotators, "gold")
        team = corpus.select_annotators([gold])

    def measure_documents(
        counting: MatchCountOptions,
    ) -> tuple[MatchCountOptions, ChanceAgreement]:
        counting.check(team)
        return counting, compute_chance_agreement(team, counting)

    counting, of_chance = counting.run(measure_documents)
    description, uniform = counting.describe(team), counting.remove_places()
    return Difficulty(
        chance=of_chance.chance,
        expected=of_chance.expected,
        size=of_chance.size,
        marked=compute_marked_shares(team),
        seen=count_seen(team) > 0,
        annotators=team.annotators,
        document_ids=team.ids,
        settings=DifficultySettings(
            of_="team" if gold is None else "gold",
            annotators=len(team.layers),
            chosen=chosen,
            **collect_gold_settings(gold, corpus),
            **counting.collect_settings(team, of_chance.inexact, description),
        ),
        notes=(
            *team.notes,
            *description.notes(),
            *of_chance.inexact.notes(2 * float(of_chance.size.sum())),
            *list_rule_notes(description.shares),
        ),
        places=description.shares,
        uniform=None if uniform is None else compute_chance_agreement(team, uniform).chance,
    )
