"""What is counted in one corpus, or in blocks of one: three calls carry every result.

``count(corpus)`` gives a :class:`Counted`, two of them add, and ``result(counted)`` scores the sum.
A whole corpus is one block that keeps its documents; over blocks and workers only sums remain.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spanagree import settings as settings_of
from spanagree.arrays import Hashes, Progress
from spanagree.blocks.ids import SharedDocumentsError, check_unique
from spanagree.blocks.poisson import Replicates
from spanagree.blocks.run import ON_ERROR, Block, each_block
from spanagree.comparisons.table import KEYS, Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.same_texts import note_of_same_texts, numbers_of_texts
from spanagree.errors import InputError, MissingLayerError, SettingError, check_choice, counted
from spanagree.settings import Settings
from spanagree.uncertainty.bootstrap import Resampling

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

Kind = TypeVar("Kind", bound=Settings)
Part = TypeVar("Part", bound="Counted[Any]")

_NOTES = 20  # of blocks that are shown

NOT_OVER_BLOCKS = "p_values: not over blocks; pass one corpus, whose documents are kept"
"""What is said where the distribution of chance is asked for."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Counting:
    """How one corpus or block is counted; what is counted of matches, or of units, adds more.

    Attributes:
        resampling: how to draw resamples over blocks, if intervals are asked for.
        keep: whether single documents are kept, as of a whole corpus.
        progress: called with the number of steps done, and of all.
    """

    resampling: Resampling | None = None
    keep: bool = False
    progress: Progress = None

    @property
    def drawing(self) -> Resampling | None:
        """How to draw resamples while counting: of blocks, as documents that are kept wait."""
        return None if self.keep else self.resampling


@dataclass(frozen=True, kw_only=True, eq=False)
class Counted(Generic[Kind]):
    """What is counted; a kind of result adds fields of its own.

    Two counts add field by field: numbers and arrays add, tuples follow each other, mappings add by
    key, comparisons by row. What is missing in one of them, as single documents of blocks, is
    missing in the sum.

    Attributes:
        documents: how many there are.
        settings: those that the counts were made with.
        notes: what a reader repaired or passed over.
        ids: the documents' ids as numbers, of each block.
        texts: the same of their texts, of each block that is a file of its own.
        replicates: sums in resamples, if intervals over blocks were asked for.
        per_document: single documents, which a whole corpus keeps; ``None`` over blocks.
        skipped: a sentence for each block that failed.
        blocks: over how many blocks the counts run; 0 for a corpus that keeps its documents.
    """

    documents: int
    settings: Kind
    notes: tuple[str, ...] = ()
    ids: tuple[Hashes, ...] = ()
    texts: tuple[Hashes, ...] = ()
    replicates: Replicates | None = None
    per_document: Any = None
    skipped: tuple[str, ...] = ()
    blocks: int = 0

    def __add__(self: Part, other: Part) -> Part:
        """Return the counts of both.

        Raises:
            InputError: for counts that do not go together, naming both; for a document in both.
        """
        if self.ids and other.ids:
            check_unique((*self.ids, *other.ids))
        both: dict[str, Any] = {
            "settings": settings_of.merged(self.settings, other.settings),
            "per_document": None,
        }
        for name in (field.name for field in fields(self)):
            if name not in both:
                both[name] = _added(getattr(self, name), getattr(other, name))
        return replace(self, **both)

    def final_settings(self, resampling: Resampling | None = None) -> Kind:
        """Return the settings of the result: also how many blocks were skipped, and resamples."""
        drawn = {} if resampling is None else resampling.settings()
        return replace(self.settings, skipped_blocks=len(self.skipped) or None, **drawn)

    def final_notes(self) -> tuple[str, ...]:
        """Return the notes of the result: of many blocks the first few, and all skipped ones."""
        shares = getattr(self, "places", None)  # of what has a rule of places: of all blocks
        on_places = () if shares is None else shares.notes()
        if not self.blocks:
            return (*self.notes, *on_places)
        more = len(self.notes) - _NOTES
        rest = f"{counted(more, 'more note')} on blocks" if more > 0 else ""
        return (*filter(None, (*self.notes[:_NOTES], rest)), *on_places, *self.skipped)

    def draws(self) -> Replicates:
        """Return the sums in resamples over blocks, which were asked for."""
        assert self.replicates is not None
        return self.replicates


def _added(first: Any, second: Any) -> Any:
    """Return what two values of a field are together."""
    if first is None or second is None:
        return None
    if isinstance(first, Comparisons):
        return (first + second).by(*KEYS)
    if isinstance(first, Mapping):
        return {
            key: _added(first[key], second[key])
            if key in first and key in second
            else first.get(key, second.get(key))
            for key in {**first, **second}
        }
    return first + second


def count_all(
    source: Corpus | Iterable[Block],
    count: Callable[..., Part],
    counting: Counting,
    purpose: str,
    executor: Executor | None,
    on_error: str,
    progress: Callable[[int, int], None] | None,
) -> Part:
    """Count one corpus, which keeps its documents, or blocks of one, and add them up.

    Args:
        source: a corpus; or corpora, or functions that give them. Blocks that share documents are
            counted as one, if the source can give the corpus ``united``, as shards can; also if a
            layer is missing in one of them.
        count: called with each corpus and how it is counted.
        counting: how; a whole corpus is kept.
        purpose: what the blocks are needed for, in the error where there are none.
        executor: whose workers count the blocks.
        on_error: what to do with blocks that fail, raise or skip.
        progress: called with the number of steps or blocks done, and of all.

    Raises:
        SettingError: for an unknown choice, or an executor for one corpus.
        InputError: for blocks that fail or do not go together, or if none is left; for documents
            of the same id.
    """
    check_choice(on_error, ON_ERROR, "on_error")
    if isinstance(source, Corpus):
        if executor is not None:
            raise SettingError("executor: for blocks; one corpus is worked on here")
        return count(source, replace(counting, keep=True, progress=progress))
    in_block = functools.partial(count, counting=counting)
    shards: Any = source if hasattr(source, "united") else None
    if shards is not None:
        in_block = functools.partial(_count_file, count=in_block)
    try:
        done = each_block(source, in_block, executor=executor, on_error=on_error, progress=progress)
        return _added_up(done, purpose)
    except (SharedDocumentsError, MissingLayerError) as error:
        if on_error != "raise" or shards is None:
            raise
        if isinstance(error, MissingLayerError) and not shards.share_documents():
            raise
    return replace(in_block(shards.united()), blocks=1)


def _count_file(corpus: Corpus, count: Callable[[Corpus], Part]) -> Part:
    """Return what is counted of a file, with the numbers of its texts."""
    return replace(count(corpus), texts=(numbers_of_texts(corpus),))


def _added_up(done: Iterable[tuple[Part | None, str, str]], purpose: str) -> Part:
    """Return the sum of blocks as they are counted; as :func:`count_all`."""
    total: Part | None = None
    skipped: list[str] = []
    texts: list[Hashes] = []
    ids: dict[str, Hashes] = {}  # of each block, by what it is called
    number_of_ids = checked = 0
    for number, (block, reason, name) in enumerate(done, 1):
        if block is None:
            skipped.append(f"block {number} skipped: {reason}")
            continue
        for numbers in block.ids:
            ids[f"block {number}" + (f" ({name})" if name else "")] = numbers
            number_of_ids += len(numbers)
        if number_of_ids >= 2 * checked:  # early, and yet all checks cost no more than two
            check_unique(list(ids.values()), list(ids))
            checked = number_of_ids
        notes = tuple(f"block {number}: {note}" for note in block.notes)
        texts += block.texts
        part = replace(block, notes=notes, ids=(), texts=(), blocks=1)
        try:
            total = part if total is None else total + part
        except InputError as error:
            check_unique(list(ids.values()), list(ids))
            raise InputError(f"block {number}: {error}") from None
    if total is None:
        reason = skipped[0] if skipped else "an iterator gives its blocks once"
        raise InputError(f"no block to {purpose}; {reason}")
    check_unique(list(ids.values()), list(ids))
    notes = (*note_of_same_texts(texts), *total.notes)
    return replace(total, ids=tuple(ids.values()), notes=notes, skipped=tuple(skipped))
