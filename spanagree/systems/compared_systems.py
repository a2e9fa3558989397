"""What systems and gold have in common in a corpus, or in parts of one: the rows of a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from spanagree.choices import MatchName
from spanagree.comparisons.compared import (
    asked_items,
    check_same_question,
    compared,
    joined_items,
    measure_of,
    measure_of_whole,
    without_unused_text,
)
from spanagree.comparisons.corpus_kind import CorpusKind, rows_add
from spanagree.comparisons.counting import Description, MatchCounting, notes_on_texts
from spanagree.comparisons.expected import compare_layers, place_layers
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.random_layers import NAME, is_drawn, mean_of_random
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import settled
from spanagree.corpus.same_texts import numbers_of_texts
from spanagree.errors import (
    InputError,
    MissingLayerError,
    check_known,
    counted,
    printable,
    show,
)
from spanagree.files import PathName

if TYPE_CHECKING:
    from spanagree.parts.row_files import RowsFile  # needed by few

_KIND = "systems"
_ORDER = ("second", "document", "label")  # of rows: system by system


class SystemRows(NamedTuple):
    """Rows of gold and systems under one chance model.

    Attributes:
        comparisons: comparisons of gold, the first, with each system, the second.
        inexact: number and error bounds of approximate expected matches, by system.
    """

    comparisons: Comparisons
    inexact: Mapping[str, Inexact]

    def _joined(self, others: Iterable[tuple[SystemRows, int]], corpus: Corpus) -> SystemRows:
        """Join the rows with those of later parts, each with the number of documents before it."""
        parts = [(self, 0), *others]
        return SystemRows(
            Comparisons.of_parts(
                [(rows.comparisons, n) for rows, n in parts],
                corpus.annotators,
                corpus.labels,
                _ORDER,
                gold_first=True,
            ),
            {
                name: sum(
                    (rows.inexact[name] for rows, _ in parts if name in rows.inexact), Inexact()
                )
                for name in dict.fromkeys(name for rows, _ in parts for name in rows.inexact)
            },
        )


@dataclass(frozen=True, eq=False)
class ComparedSystems:
    """Rows of a corpus, or of a part of one, and the documents that they are of.

    Attributes:
        corpus: who saw and marked what; of a part without texts, unless chance rests on them.
        gold: name of the gold layer.
        counting: measure and chance model.
        kind: traits of the corpus by which chance treats its documents.
        rows: what each system and gold have in common.
        description: how segments stand to their texts.
        uniform: rows without the rule of places, if chance has one.
        notes: remarks on the comparison.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([5], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> sa.evaluate(corpus).rows.gold
    'a'
    """

    corpus: Corpus
    gold: str
    counting: MatchCounting
    kind: CorpusKind
    rows: SystemRows
    description: Description
    uniform: SystemRows | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def joined(
        cls,
        parts: Mapping[str, ComparedSystems],
        gold: str | None = None,
        *,
        settings: Mapping[str, Any],
    ) -> ComparedSystems:
        """Join what was compared in parts, as if they had been one corpus.

        Where the rows of parts are not those of the whole, as when the first layer, which is gold,
        is another one in a part, the whole is compared anew.

        Args:
            parts: parts in their order, by name.
            gold: name of the gold layer. Default: the first of the whole corpus.
            settings: as of :func:`compare_part`.

        Raises:
            InputError, SettingError: for parts that do not belong together; for what no part has.
        """
        first, *others = parts.values()
        corpus = joined_items({name: part.corpus for name, part in parts.items()})
        counting = replace(first.counting, match=measure_of_whole(corpus, **settings))
        descriptions = {name: part.description for name, part in parts.items()}
        corpus = corpus.but(notes=(*corpus.notes, *notes_on_texts(descriptions)))
        gold = _checked_gold(corpus, gold)
        description = Description.joined([*descriptions.values()])
        if not _rows_of_parts_hold(corpus, gold, [*parts.values()]):
            corpus.check_segments("parts of which chance treats some in another way")
            return replace(compare(corpus, counting, gold), description=description)
        settled_corpus = _settled(corpus, gold)
        n_before = [*accumulate((len(part.corpus) for part in parts.values()), initial=0)][1:-1]
        rows = first.rows._joined(
            zip((part.rows for part in others), n_before, strict=True), settled_corpus
        )
        uniform = first.uniform
        if uniform is not None:
            later = [part.uniform for part in others if part.uniform is not None]
            uniform = uniform._joined(zip(later, n_before, strict=True), settled_corpus)
        kind = CorpusKind.joined([part.kind for part in parts.values()])
        notes = tuple(dict.fromkeys(note for part in parts.values() for note in part.notes))
        return cls(
            settled_corpus, gold, counting, kind, rows, description, uniform, notes
        ).finished()

    are_rows: ClassVar[bool] = True

    def write(self, path: PathName) -> None:
        """Write the rows to a file, which holds no text and no segments.

        Args:
            path: name of the file, which ends in .npz; it is written whole or not at all.

        Raises:
            SettingError: for another ending.
            InputError: for a path that cannot be written.

        >>> import spanagree as sa
        >>> from tempfile import TemporaryDirectory
        >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
        >>> parts = [sa.Corpus.from_segments([10], layers, ids=[name]) for name in "ab"]
        >>> with TemporaryDirectory() as folder:
        ...     for part in parts:
        ...         sa.evaluate(part).rows.write(f"{folder}/{part.ids[0]}.npz")
        ...     rows = [ComparedSystems.read(f"{folder}/{name}.npz") for name in "ab"]
        >>> sa.evaluate(rows).systems["mine"].tally.matched
        2
        """
        from spanagree.parts import row_files  # few write rows

        about = row_files.about_corpus(self.corpus, self.counting, self.kind, self.description)
        tables = {"rows": self.rows.comparisons, "uniform": None}
        about |= {"gold": self.gold, "inexact": _plain(self.rows), "remarks": list(self.notes)}
        if self.uniform is not None:
            tables["uniform"] = self.uniform.comparisons
            about["inexact_uniform"] = _plain(self.uniform)
        row_files.write_rows(path, _KIND, about, tables, row_files.arrays_of(self.corpus))

    @classmethod
    def read(cls, path: PathName) -> ComparedSystems:
        """Read rows from a file that :meth:`write` wrote; :func:`spanagree.evaluate` takes several.

        Raises:
            InputError: for a file that cannot be read, or holds no rows of systems.
        """
        from spanagree.parts import row_files  # few read rows

        file = row_files.read_rows(path, _KIND)
        corpus, counting, kind, description = row_files.corpus_of_rows(file)
        gold, remarks = file.about.get("gold"), file.about.get("remarks", [])
        if not isinstance(gold, str) or gold not in corpus.layers:
            raise InputError(f"{file.name}: gold {show(gold)} is none of its annotators")
        rows = _of_file(file, "rows", "inexact", corpus)
        uniform = None
        if "inexact_uniform" in file.about:
            uniform = _of_file(file, "uniform", "inexact_uniform", corpus)
        if not isinstance(remarks, list) or not all(isinstance(note, str) for note in remarks):
            raise InputError(f"{file.name}: remarks are a list of texts, not {show(remarks)}")
        return cls(corpus, gold, counting, kind, rows, description, uniform, tuple(remarks))

    def _checked(
        self, gold: str | None, match: MatchName, chance: str, **comparing: Any
    ) -> ComparedSystems:
        """Return the rows, if they are what is asked for."""
        asked = measure_of(match, chance, self.corpus.offsets, **comparing)
        names = [] if gold is None else [("gold", self.gold, gold)]
        names += asked_items(self.corpus.reading, **comparing)
        of_rows = self.counting.match, self.counting.chance
        check_same_question(of_rows, (asked, chance), names)
        return self

    def finished(self) -> ComparedSystems:
        """Complete the rows of a whole corpus by what is known of all its documents only.

        That is the mean over many draws of a random baseline.
        """
        if self.gold == NAME or self.corpus.of_rows or not is_drawn(self.corpus):
            return self
        rows, note = _with_mean_of_random(self.rows, self)
        uniform = self.uniform and _with_mean_of_random(self.uniform, self)[0]
        return replace(self, rows=rows, uniform=uniform, notes=(note,))


def compare(corpus: Corpus, counting: MatchCounting, gold: str | None = None) -> ComparedSystems:
    """Compare systems with gold in a whole corpus.

    Args:
        corpus: gold and systems as layers.
        counting: measure and chance model.
        gold: name of the gold layer. Default: the first.

    Raises:
        SettingError: for an unknown name, fewer than two layers, or a layer that overlaps itself
            where the measure or the chance model does not allow it.
    """
    gold = _checked_gold(corpus, gold)
    settled_corpus = _settled(corpus, gold)
    counting.check(settled_corpus)
    return _compared(settled_corpus, counting, gold).finished()


def compare_part(
    part: Corpus | ComparedSystems, gold: str | None, settings: Mapping[str, Any]
) -> ComparedSystems:
    """Compare systems with gold in a part of a corpus, where it is read.

    Args:
        part: documents of the corpus, of which some layers may be missing; or their rows.
        gold: name of the gold layer. Default: the first.
        settings: keyword arguments of :func:`spanagree.comparisons.compared.compared`.

    Raises:
        SettingError: for a layer that overlaps itself where that is not allowed; for rows that are
            of another question.
    """
    if isinstance(part, ComparedSystems):
        return part._checked(gold, **settings)
    corpus, match, chance = compared(part, in_part=True, **settings)
    counting = MatchCounting(match=match, chance=chance)
    gold = next(iter(corpus.annotators), "") if gold is None else gold
    in_both = _settled(corpus, gold)
    counting.check(in_both)
    result = _compared(in_both, counting, gold)
    return replace(
        result,
        corpus=without_unused_text(corpus, chance),
        description=replace(result.description, text_numbers=numbers_of_texts(part)),
    )


def _checked_gold(corpus: Corpus, gold: str | None) -> str:
    """Return the name of the gold layer of a whole corpus, which has a system too."""
    names = corpus.annotators
    if len(names) < 2:
        raise MissingLayerError(
            f"{counted(len(names), 'annotator')} in the corpus; gold and at least one system are"
            " needed: pass a second file, or --columns gold=1,mine=2"
        )
    gold = names[0] if gold is None else gold
    check_known([gold], names, "gold")
    return gold


def _settled(corpus: Corpus, gold: str) -> Corpus:
    """Build the corpus in which systems saw what gold did, where the source does not say."""
    if gold not in corpus.layers:
        return corpus
    return settled(corpus, [name for name in corpus.annotators if name != gold], [gold])


def _rows_of_parts_hold(corpus: Corpus, gold: str, parts: Sequence[ComparedSystems]) -> bool:
    """Return whether the rows of parts are those of the whole corpus.

    A system with no row in a part, whose source does not say what it saw, saw what gold did there.
    """
    return (
        rows_add([part.kind for part in parts])
        and all(part.gold == gold for part in parts)
        and not any(
            gold in part.corpus.layers and name not in part.corpus.layers
            for name in corpus.unsaid
            for part in parts
        )
    )


def _compared(corpus: Corpus, counting: MatchCounting, gold: str) -> ComparedSystems:
    """Compare systems with gold; nothing is checked."""
    plain = counting.without_places()
    return ComparedSystems(
        corpus,
        gold,
        counting,
        CorpusKind.of(corpus),
        compare_with_gold(corpus, gold, counting),
        counting.describe(corpus),
        None if plain is None else compare_with_gold(corpus, gold, plain),
    )


def compare_with_gold(corpus: Corpus, gold: str, counting: MatchCounting) -> SystemRows:
    """Compare each system with gold, if that is a layer of the corpus; nothing is checked."""
    names, measure = corpus.annotators, counting.measure
    if gold not in names:
        return SystemRows(Comparisons.none().named(names, corpus.labels), {})
    report_progress = counting.progress or (lambda done, total: None)
    report_progress(0, len(names))
    profiles, placed = place_layers(corpus, names, counting.chance, measure)
    labels = max(1, len(corpus.labels))
    first = names.index(gold)
    parts: dict[str, Comparisons] = {}
    for second, name in enumerate(names):
        if name != gold:
            report_progress(len(parts) + 1, len(names))
            part = compare_layers(placed[gold], placed[name], profiles, measure, labels)
            parts[name] = part.between(first, second)
    report_progress(len(names), len(names))
    comparisons = Comparisons.joined([*parts.values()]).named(names, corpus.labels)
    return SystemRows(comparisons, {name: part.inexact for name, part in parts.items()})


def _with_mean_of_random(
    rows: SystemRows, compared_systems: ComparedSystems
) -> tuple[SystemRows, str]:
    """Replace what the random baseline matches by its mean over many draws, and note that."""
    corpus, comparisons = compared_systems.corpus, rows.comparisons
    mean = mean_of_random(corpus, [compared_systems.gold], compared_systems.counting.measure)
    is_random = comparisons.second == corpus.annotators.index(NAME)
    matched = comparisons.matched.astype(np.float64)
    label = np.maximum(comparisons.label[is_random], 0)
    matched[is_random] = mean.matched[comparisons.document[is_random], label]
    size = float((comparisons.size_first + comparisons.size_second)[is_random].sum())
    note = mean.note(size, f"{printable(compared_systems.gold)} stays as it is")
    return rows._replace(comparisons=replace(comparisons, matched=matched)), note


# --- rows in files ---


def _plain(rows: SystemRows) -> dict[str, Any]:
    from spanagree.parts import row_files  # few read or write rows

    return {name: row_files.plain_inexact(inexact) for name, inexact in rows.inexact.items()}


def _of_file(file: RowsFile, table: str, inexact: str, corpus: Corpus) -> SystemRows:
    """Read the rows under one chance model from a file."""
    from spanagree.parts import row_files  # few read or write rows

    plain = file.about.get(inexact)
    if not isinstance(plain, dict) or not plain.keys() <= corpus.layers.keys():
        raise InputError(f"{file.name}: {inexact} is not as rows are written")
    by_system = {name: row_files.inexact_of(file, bounds) for name, bounds in plain.items()}
    total = sum(by_system.values(), Inexact())
    return SystemRows(row_files.table_of_file(file, table, corpus, total), by_system)
