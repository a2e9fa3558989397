"""What one block adds to an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from spanagree.arrays import Bools
from spanagree.blocks.exact_sums import NO_TALLY, TallySum
from spanagree.blocks.ids import Hashes, ids_of
from spanagree.blocks.poisson import Entries, Replicates, replicates
from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError, SettingError, counted, one_of, printable
from spanagree.matching.expected import place_layers, tallies
from spanagree.matching.measures import find_match
from spanagree.matching.overlaps import check_layer
from spanagree.matching.tally import Tallies
from spanagree.settings import __version__, merged_settings
from spanagree.uncertainty.bootstrap import Resampling

COLUMNS = ("matched", "expected", "size_a", "size_b")  # of a tally


def evaluation_settings(
    gold: str, match: str, chance: str, offsets: str, reading: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "gold": gold,
        "match": match,
        "chance": chance,
        "average": "micro",
        "offsets": offsets,
        **reading,
        "version": __version__,
    }


def compare_layers(
    corpus: Corpus,
    gold: str | None,
    match: str,
    chance: str,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[str, dict[str, Tallies], dict[str, Bools]]:
    """Gold's name, the tallies of each system, and the documents it shares with gold."""
    find_match(match)
    names = corpus.annotators
    if len(names) < 2:
        raise SettingError(
            f"{counted(len(names), 'layer')} in the corpus; gold and at least one"
            " system are needed: a second file, or columns for both"
        )
    gold = names[0] if gold is None else gold
    if gold not in names:
        raise one_of(gold, map(printable, names), "gold")
    for name in names:
        check_layer(corpus, name, match, chance)
    others = [name for name in names if name != gold]
    told = progress or (lambda done, total: None)
    told(0, len(names))
    profiles, placed = place_layers(corpus, names, chance)
    columns: dict[str, Tallies] = {}
    for done, name in enumerate(others, 1):
        told(done, len(names))
        columns[name] = tallies(
            placed[gold], placed[name], profiles, match, max(1, len(corpus.labels))
        )
    told(len(names), len(names))
    annotated = {name: corpus.layers[name].annotated for name in names}
    shared = {name: annotated[gold] & annotated[name] for name in others}
    return gold, columns, shared


# --- over blocks --------------------------------------------------------------------------------


class Counted(NamedTuple):
    """What is counted in one block, or in several."""

    documents: int
    annotators: tuple[str, ...]
    settings: Mapping[str, Any]
    shared: Mapping[str, int]
    totals: Mapping[str, TallySum]
    labels: Mapping[str, Mapping[str, TallySum]]  # of each system
    label_names: tuple[str, ...]
    notes: tuple[str, ...]
    ids: tuple[Hashes, ...]
    replicates: Replicates | None = None  # by system, label and column of the tally


def part_of(
    corpus: Corpus, *, gold: str | None, match: str, chance: str, resampling: Resampling | None
) -> Counted:
    """What one block adds to an evaluation."""
    gold, columns, shared = compare_layers(corpus, gold, match, chance)
    label_names = corpus.labels if find_match(match).of_label else ()
    by_label: dict[str, dict[str, TallySum]] = {}
    for name, of in columns.items():
        sums = TallySum.each(of, of.label, len(label_names)) if label_names else []
        by_label[name] = dict(zip(label_names, sums, strict=True))
    ids = ids_of(corpus)
    return Counted(
        len(corpus),
        corpus.annotators,
        evaluation_settings(gold, match, chance, corpus.offsets, corpus.reading),
        {name: int(both.sum()) for name, both in shared.items()},
        {name: TallySum.of(of) for name, of in columns.items()},
        by_label,
        label_names,
        corpus.notes,
        ids,
        None if resampling is None else _drawn(ids, columns, label_names, resampling),
    )


def _drawn(
    ids: Sequence[Hashes],
    columns: Mapping[str, Tallies],
    label_names: Sequence[str],
    resampling: Resampling,
) -> Replicates:
    """What a block adds in every resample to the columns of each system and label."""
    labels = label_names or ("",)
    entries = [
        Entries(
            [(name, label, column) for label in labels],
            of.label.clip(0),
            of.document,
            getattr(of, column),
        )
        for name, of in columns.items()
        for column in COLUMNS
    ]
    return replicates(ids, entries, resampling)


def add_counted(one: Counted, other: Counted, number: int) -> Counted:
    """Two parts together; ``number`` is that of the later block.

    Raises:
        InputError: for other annotators, or other settings, naming both.
    """
    if one.annotators != other.annotators:
        raise InputError(
            f"block {number}: annotators {', '.join(map(printable, other.annotators))}; the blocks"
            f" before have {', '.join(map(printable, one.annotators))}"
        )
    settings = merged_settings(one.settings, other.settings, f"block {number}")
    names = tuple(sorted({*one.label_names, *other.label_names}))
    return Counted(
        one.documents + other.documents,
        one.annotators,
        settings,
        {name: one.shared[name] + other.shared[name] for name in one.shared},
        {name: one.totals[name].plus(other.totals[name]) for name in one.totals},
        {
            name: {
                label: one.labels[name]
                .get(label, NO_TALLY)
                .plus(other.labels[name].get(label, NO_TALLY))
                for label in names
            }
            for name in one.labels
        },
        names,
        (*one.notes, *other.notes),
        (*one.ids, *other.ids),
        one.replicates.plus(other.replicates) if one.replicates and other.replicates else None,
    )
