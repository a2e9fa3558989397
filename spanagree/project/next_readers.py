"""Worklists: the next documents for each annotator, until each document has enough readers.

A reader of a document is an annotator who saw it. A reading is a document that an annotator is to
read next.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.choices import (
    MIN_ANNOTATORS,
    ChanceOrAuto,
    DisputeSort,
    MatchName,
    select_gold_names,
)
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import as_list, count_seen
from spanagree.errors import (
    SettingError,
    check_integer,
    escape_path,
    is_iterable,
    join_names,
    quote_value,
)
from spanagree.files import PathName, write_text
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.formats.write import find_task_format, write_tasks
from spanagree.project.assignment import assign
from spanagree.project.ballots import GOLD
from spanagree.project.disputed_documents import Disputes, disputes
from spanagree.project.gold import Gold
from spanagree.results.data import to_csv
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED
from spanagree.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class WorklistSettings(Settings):
    """Settings of a worklist.

    Attributes:
        match, chance, expected, chance_seed, sort: settings of the ranking of documents.
        readers: required number of readers of a document.
        limit: largest number of documents for one annotator.
        decide: True if undecided documents of a vote go to one more reader.
    """

    match: str | None = None
    chance: str | None = None
    expected: str | None = None
    chance_seed: int | None = None
    sort: str | None = None
    readers: int
    limit: int | None = None
    decide: bool | None = None


class Assignment(NamedTuple):
    """One document for an annotator to read.

    Attributes:
        annotator: name of the annotator.
        order: position of the document in the list of this annotator, from 1.
        document: name of the document.
        readers: number of annotators who have read it.
        disagreement: 1 − F1 of these over all pairs; ``nan`` if it has no disputed segment.
    """

    annotator: str
    order: int
    document: str
    readers: int
    disagreement: float


@dataclass(frozen=True, eq=False, repr=False)
class Worklist(Result):
    """Result of :func:`worklist`; iterate over it for the readings, the most urgent first.

    Attributes:
        corpus: documents, and all annotators who have read some of them.
        names: annotators who get documents, sorted.
        document: index of the document of each reading.
        annotator: index in ``names`` of the annotator of each reading.
        readers: number of annotators, or voters, who have read each document of the corpus.
        n_left: number of readers that each document of the corpus will still lack.
        n_exhausted: number of missing readers for documents that all annotators have seen.
        disagreement: 1 − F1 of each document in dispute, by index.
        settings: settings of the list.
        notes: notes of the reader and of this computation, one sentence each.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "X")], []], "bob": [[], None], "cem": [None, None]}
    >>> corpus = sa.Corpus.from_segments([9, 5], layers)
    >>> found = sa.project.worklist(corpus, assignees=["bob", "cem"])
    >>> found.names, found.loads.tolist(), found.left
    (('bob', 'cem'), [1, 0], 0)
    """

    corpus: Corpus = field(repr=False)
    names: tuple[str, ...]
    document: Ints = field(repr=False)
    annotator: Ints = field(repr=False)
    readers: Ints = field(repr=False)
    n_left: Ints = field(repr=False)
    n_exhausted: int
    disagreement: Mapping[int, float] = field(repr=False)
    settings: WorklistSettings
    notes: tuple[str, ...]

    BY: ClassVar[Mapping[str, str]] = {
        "annotator": "a row for each annotator instead of each document and its reader"
    }
    TABLES: ClassVar[Mapping[str, str | None]] = {"readings": None, "annotators": "annotator"}
    SUMMARY: ClassVar[tuple[str, ...]] = (
        "unfinished=n_unfinished", "readings", "left", "exhausted=n_exhausted"
    )  # fmt: skip
    SHOWN_BY: ClassVar[str] = f"{__package__}.worklist_table"

    def __len__(self) -> int:
        """Return the number of readings."""
        return len(self.document)

    def __iter__(self) -> Iterator[Assignment]:
        n_listed = [0] * len(self.names)
        for annotator, document in zip(
            self.annotator.tolist(), self.document.tolist(), strict=True
        ):
            n_listed[annotator] += 1
            yield Assignment(
                self.names[annotator],
                n_listed[annotator],
                self.corpus.id_of(document),
                int(self.readers[document]),
                self.disagreement.get(document, UNDEFINED),
            )

    @property
    def loads(self) -> Ints:
        """Number of documents for each annotator to read."""
        return np.bincount(self.annotator, minlength=len(self.names))

    @property
    def n_unfinished(self) -> int:
        """Number of documents that lack a reader."""
        return len(np.unique(np.concatenate((self.document, np.flatnonzero(self.n_left)))))

    @property
    def readings(self) -> int:
        """Number of readings."""
        return len(self)

    @property
    def left(self) -> int:
        """Number of readings that documents will still lack."""
        return int(self.n_left.sum())

    def write(self, path: PathName, *, safe_cells: bool = False, bom: bool = False) -> None:
        """Write the readings as a table, or as tasks for an annotation tool.

        Args:
            path: name of the file; its ending determines the format: a table (.csv), or tasks of
                Label Studio (.json) or Prodigy (.jsonl), with the text and the annotator.
            safe_cells: True to put an apostrophe before names in a table that a spreadsheet would
                take for a formula.
            bom: True to begin a table with a byte order mark.

        Raises:
            SettingError: if the ending is unknown; if texts are unknown, for tasks.
            InputError: if the path cannot be written.
        """
        task_kind = find_task_format(path)
        if task_kind is None:
            write_text(path, to_csv(self.table(), safe_cells=safe_cells, bom=bom))
            return
        if safe_cells or bom:
            raise SettingError(
                f"{'safe_cells' if safe_cells else 'bom'} is for tables, and"
                f" {escape_path(path)} is for {task_kind}; leave it out, or name a file that"
                " ends in .csv"
            )
        assignees = [self.names[a] for a in self.annotator.tolist()]
        write_tasks(self.corpus, self.document, assignees, path, task_kind)


def worklist(
    corpus: CorpusLike | Gold,
    *,
    readers: int = MIN_ANNOTATORS,
    limit: int | None = None,
    assignees: Sequence[str] | None = None,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    seed: int = 0,
    sort: DisputeSort = "disagreement",
    progress: Callable[[int, int], None] | None = None,
) -> Worklist:
    """Choose the next documents for each annotator.

    Documents that lack readers go to annotators who have not seen them: those with the fewest
    readers first, and among these the documents with most disagreement. All annotators get
    equally many documents, give or take one, as far as the documents they have seen allow. For a
    gold, only its voters are readers, as only their readings can settle the same vote.

    Args:
        corpus: annotators and documents, including unread documents; or a gold by votes, to assign
            its undecided documents with enough readers to one more.
        readers: required number of readers of each document.
        limit: largest number of documents for one annotator. Default: any number.
        assignees: names of annotators who get documents; new names are annotators who have read
            nothing. Default: all annotators of the corpus, or the voters of a gold.
        sort: criterion for ranking documents with equally many readers, disagreement, segments or
            unexpected.
        match: name of the measure of disagreement.
        chance: chance model, nonoverlapping, per-label or overlapping; with auto, the first of
            these that the segments of all layers allow.
        seed: random seed for draws if expected scores are too expensive.
        progress: function that is called with the number of compared pairs and the total.

    Layers that are called gold, or were computed by a vote, are no annotators: they neither get
    documents nor count as readers.

    Raises:
        SettingError: if a number is out of range, a name is empty or repeated, or no annotator is
            left to read; see :func:`spanagree.project.disputes`.

    >>> layers = {"ann": [[(0, 2, "X")], None], "bob": [None, None], "cem": [None, None]}
    >>> found = worklist(Corpus.from_segments([9, 5], layers))
    >>> [(row.annotator, row.order, row.document, row.readers) for row in found]
    [('ann', 1, '2', 0), ('bob', 1, '2', 0), ('cem', 1, '1', 1)]
    """
    check_integer(readers, 1, "readers")
    if limit is not None:
        check_integer(limit, 1, "limit")
    gold = corpus if isinstance(corpus, Gold) else None
    source = as_corpus(corpus) if gold is None else gold.corpus
    people, notes = _select_annotators(source, gold)
    readers_corpus = people
    if gold is not None:
        voters = [name for name in people.annotators if name in gold.voters]
        readers_corpus = people.select_annotators(voters)
    names = _check_assignees(assignees, readers_corpus.annotators)
    if assignees is not None:
        notes += _write_note_on_new_names(names, people.annotators)
        if gold is not None and gold.settings.chosen is not None:
            notes += _write_note_on_no_voters(names, readers_corpus.annotators)
    n_readers = count_seen(readers_corpus)
    n_wanted = np.maximum(readers - n_readers, 0)
    if gold is not None:
        is_undecided = np.zeros(len(readers_corpus), np.int64)
        is_undecided[gold.counted.document[gold.counted.outcome != GOLD]] = 1
        is_undecided[gold.few] = 1
        n_wanted = np.maximum(n_wanted, is_undecided)
    queue, disagreement = None, dict[int, float]()
    if (n_readers > 1).any():
        queue = disputes(
            readers_corpus,
            sort=sort,
            match=match,
            chance=chance,
            text=False,
            seed=seed,
            progress=progress,
        )
        notes += [note for note in queue.notes if note not in notes]
        for document, queued in zip(queue.number.tolist(), queue.documents, strict=True):
            disagreement[document] = queued.disagreement
    order = _sort_by_urgency(n_readers, n_wanted, queue)
    is_allowed = np.ones((len(names), len(order)), np.bool_)
    for row, name in enumerate(names):
        if name in people.layers:
            is_allowed[row] = ~people.layers[name].annotated[order]
    is_assigned = assign(is_allowed, n_wanted[order], n_readers[order], limit)
    position, annotator = np.nonzero(is_assigned.T)
    n_left = n_wanted.copy()
    n_left[order] -= is_assigned.sum(axis=0)
    n_exhausted = np.maximum(n_wanted[order] - is_allowed.sum(axis=0), 0)
    return Worklist(
        people,
        names,
        order[position],
        annotator,
        n_readers,
        n_left,
        int(n_exhausted.sum()),
        disagreement,
        _build_settings(readers_corpus, queue, readers, limit, gold, assignees),
        tuple(notes),
    )


def _select_annotators(source: Corpus, gold: Gold | None) -> tuple[Corpus, list[str]]:
    """Select the layers of annotators, without gold and layers that were computed from others.

    Returns:
        The corpus of annotators, and notes.

    Raises:
        SettingError: if no annotator is left.
    """
    not_people = {*source.reading.get("made", {}), *select_gold_names(source.annotators)}
    not_people |= set() if gold is None else {gold.name}
    annotators = [name for name in source.annotators if name not in not_people]
    if len(annotators) == len(source.annotators):
        return source, [*source.notes]
    left_out = [name for name in source.annotators if name in not_people]
    readers_corpus = source.select_annotators(annotators)
    notes = [*readers_corpus.notes]
    if gold is None or left_out != [gold.name]:
        notes.append(f"{join_names(left_out)}: no annotators, and no readers")
    return readers_corpus, notes


def _check_assignees(names: Sequence[str] | None, annotators: Sequence[str]) -> tuple[str, ...]:
    """Check and sort the names of annotators who get documents.

    Raises:
        SettingError: if there are none, or a name is empty or repeated.
    """
    if names is None:
        if not annotators:
            raise SettingError("no annotator who could read; assignees names some")
        return tuple(sorted(annotators))
    if isinstance(names, str) or not is_iterable(names):
        raise SettingError(f"assignees {quote_value(names)}; a list of names is needed")
    assignees = list(as_list(names))
    for name in assignees:
        if not isinstance(name, str) or not name.strip():
            raise SettingError(f"assignee {quote_value(name)}; a name is needed")
        if assignees.count(name) > 1:
            raise SettingError(f"assignee {quote_value(name)} is named twice; once is enough")
    if not assignees:
        raise SettingError("assignees: no name; leave it out for all annotators, or name some")
    return tuple(sorted(assignees))


def _write_note_on_new_names(names: Collection[str], annotators: Sequence[str]) -> list[str]:
    """Write a note on names that are not among the annotators, in case of a typing error."""
    new_names = [name for name in names if name not in annotators]
    if not new_names:
        return []
    reason = f"not among the annotators {join_names(annotators)}"
    return [f"{join_names(new_names)}: {reason}, so nothing has been read"]


def _write_note_on_no_voters(names: Collection[str], voters: Sequence[str]) -> list[str]:
    """Write a note on names outside the chosen voters, whose readings cannot settle the vote."""
    no_voters = [name for name in names if name not in voters]
    if not no_voters:
        return []
    return [
        f"{join_names(no_voters)}: not among the voters {join_names(voters)}, so what they read"
        " does not settle the vote; name them as annotators, too"
    ]


def _sort_by_urgency(n_readers: Ints, n_wanted: Ints, queue: Disputes | None) -> Ints:
    """List the indices of documents that lack readers, the most urgent first.

    Documents with fewer readers are more urgent, then documents with a better rank in the queue.

    Args:
        n_readers: number of readers of each document.
        n_wanted: number of readers that each document lacks.
        queue: ranked disputed documents; `None` if no document has two readers.
    """
    rank = np.full(len(n_readers), len(n_readers))
    if queue is not None:
        rank[queue.number] = np.arange(len(queue.number))
    order = np.lexsort((rank, n_readers))
    return order[n_wanted[order] > 0]


def _build_settings(
    corpus: Corpus,
    queue: Disputes | None,
    readers: int,
    limit: int | None,
    gold: Gold | None,
    assignees: Sequence[str] | None,
) -> WorklistSettings:
    """Build the settings of a worklist, with settings of the ranking if documents were ranked."""
    ranking_settings: dict[str, Any] = {}
    if queue is not None:
        keys = ("match", "chance", "expected", "chance_seed", "sort")
        ranking_settings = {key: getattr(queue.settings, key) for key in keys}
    return WorklistSettings(
        **ranking_settings,
        readers=int(readers),
        limit=None if limit is None else int(limit),
        decide=True if gold is not None else None,
        chosen=list(assignees) if assignees is not None else gold.settings.chosen if gold else None,
        offsets=corpus.offsets,
        reading=corpus.reading,
    )
