"""What each two annotators have in common in a corpus, or in parts of one: the rows of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.agreement.crowded import crowd_sums
from spanagree.agreement.weight import most_segments
from spanagree.arrays import Ints, Progress, distinct
from spanagree.choices import MatchName
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
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
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.table import Comparisons, Marginals, Sharing
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import choose_annotators
from spanagree.corpus.same_texts import numbers_of_texts
from spanagree.errors import InputError
from spanagree.files import PathName

if TYPE_CHECKING:
    from spanagree.parts.row_files import RowsFile  # needed by few

_KIND = "annotators"
_SHARED = ("saw", "only", "first", "second", "shared")
_OF_CROWDS = ("documents", "pairs", "annotations")


@dataclass(frozen=True, eq=False)
class ComparedAnnotators:
    """Rows of a corpus, or of a part of one, and the documents that they are of.

    Attributes:
        corpus: who saw and marked what; of a part all annotators, those too who are not compared,
            and without texts, unless chance rests on them.
        chosen: names of the annotators that are compared, if not all are.
        counting: measure and chance model.
        kind: traits of the corpus by which chance treats its documents.
        sums: rows of pairs, or of crowded documents sums of them.
        sharing: how many documents annotators saw and share.
        most: number of segments of the annotator who marked most, by document.
        description: how segments stand to their texts.
        uniform: rows without the rule of places, if chance has one.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([5], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> sa.agree(corpus).rows.sharing.seen
    1
    """

    corpus: Corpus
    chosen: Sequence[str] | None
    counting: MatchCounting
    kind: CorpusKind
    sums: Comparisons | Marginals
    sharing: Sharing
    most: Ints
    description: Description
    uniform: Comparisons | Marginals | None = None

    @classmethod
    def joined(
        cls,
        parts: Mapping[str, ComparedAnnotators],
        annotators: Sequence[str] | None = None,
        *,
        settings: Mapping[str, Any],
    ) -> ComparedAnnotators:
        """Join what was compared in parts, as if they had been one corpus.

        Args:
            parts: parts in their order, by name.
            annotators: names of those who are compared. Default: all.
            settings: as of :func:`compare_part`.

        Raises:
            InputError, SettingError: for parts that do not belong together; for an annotator, or
                anything else, that no part has.
        """
        first = next(iter(parts.values()))
        corpus = joined_items({name: part.corpus for name, part in parts.items()})
        counting = replace(first.counting, match=measure_of_whole(corpus, **settings))
        descriptions = {name: part.description for name, part in parts.items()}
        corpus = corpus.but(notes=(*corpus.notes, *notes_on_texts(descriptions)))
        description = Description.joined([*descriptions.values()])
        team, chosen = choose_annotators(corpus, annotators)
        kinds = [part.kind for part in parts.values()]
        if not rows_add(kinds):
            corpus.check_segments("parts of which chance treats some in another way")
            return replace(compare(corpus, counting, annotators), description=description)
        n_before = [*accumulate((len(part.corpus) for part in parts.values()), initial=0)][:-1]
        names = team.annotators, team.labels
        every_part = [*zip(parts.values(), n_before, strict=True)]
        uniform = [(part.uniform, n) for part, n in every_part if part.uniform is not None]
        return cls(
            team,
            first.chosen if chosen is None else chosen,
            counting,
            CorpusKind.joined(kinds),
            Marginals.of_parts([(part.sums, n) for part, n in every_part], *names),
            sum((part.sharing for part, _ in every_part), Sharing.none(team.annotators)),
            np.concatenate([part.most for part, _ in every_part]),
            description,
            Marginals.of_parts(uniform, *names) if uniform else None,
        )

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
        >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER")]]}
        >>> parts = [sa.Corpus.from_segments([10], layers, ids=[name]) for name in "ab"]
        >>> with TemporaryDirectory() as folder:
        ...     for part in parts:
        ...         sa.agree(part).rows.write(f"{folder}/{part.ids[0]}.npz")
        ...     rows = [ComparedAnnotators.read(f"{folder}/{name}.npz") for name in "ab"]
        >>> sa.agree(rows).team.tally.matched
        2
        """
        from spanagree.parts import row_files  # few write rows

        team, _ = choose_annotators(self.corpus, self.chosen)
        about = row_files.about_corpus(team, self.counting, self.kind, self.description)
        sharing = {f"sharing.{key}": getattr(self.sharing, key) for key in _SHARED}
        about |= {"chosen": self.chosen and list(self.chosen), "seen": self.sharing.seen}
        tables, inexact = (
            _tables("rows", self.sums),
            {"rows": row_files.plain_inexact(self.sums.inexact)},
        )
        if self.uniform is not None:
            tables |= _tables("uniform", self.uniform)
            inexact["uniform"] = row_files.plain_inexact(self.uniform.inexact)
        about["inexact"] = inexact
        row_files.write_rows(
            path, _KIND, about, tables, {**row_files.arrays_of(team), **sharing, "most": self.most}
        )

    @classmethod
    def read(cls, path: PathName) -> ComparedAnnotators:
        """Read rows from a file that :meth:`write` wrote; :func:`spanagree.agree` takes several.

        Raises:
            InputError: for a file that cannot be read, or holds no rows of annotators.
        """
        from spanagree.parts import row_files  # few read rows

        file = row_files.read_rows(path, _KIND)
        corpus, counting, kind, description = row_files.corpus_of_rows(file)
        names, most = corpus.annotators, file.column("most", "i", len(corpus))
        columns = {
            key: file.column(f"sharing.{key}", "i", len(names) if key in _SHARED[:2] else None)
            for key in _SHARED
        }
        inexact, seen = file.about.get("inexact"), file.about.get("seen")
        if not isinstance(inexact, dict) or "rows" not in inexact or not isinstance(seen, int):
            raise InputError(f"{file.name}: inexact or seen is not as rows are written")
        sharing = Sharing(names, seen, **columns)
        pairs = np.concatenate((sharing.first, sharing.second))
        alike = len({len(columns[key]) for key in _SHARED[2:]}) == 1
        if not alike or ((pairs < 0) | (pairs >= len(names))).any():
            raise InputError(f"{file.name}: sharing is not as rows are written")
        sums = _of_file(file, "rows", corpus, inexact["rows"])
        if isinstance(sums, Comparisons):
            of_rows, of_sharing = (
                table.first * len(names) + table.second for table in (sums, sharing)
            )
            if not np.isin(of_rows, of_sharing).all():
                raise InputError(f"{file.name}: a pair of the rows shares no document")
        uniform = (
            _of_file(file, "uniform", corpus, inexact["uniform"]) if "uniform" in inexact else None
        )
        chosen = file.about.get("chosen")
        return cls(corpus, chosen, counting, kind, sums, sharing, most, description, uniform)

    def _checked(
        self, annotators: Sequence[str] | None, match: MatchName, chance: str, **comparing: Any
    ) -> ComparedAnnotators:
        """Return the rows, if they are what is asked for."""
        asked = measure_of(match, chance, self.corpus.offsets, **comparing)
        names = asked_items(self.corpus.reading, **comparing)
        if annotators is not None:
            names.append(("annotators", sorted(self.corpus.annotators), sorted(annotators)))
        of_rows = self.counting.match, self.counting.chance
        check_same_question(of_rows, (asked, chance), names)
        return self


def compare(
    corpus: Corpus, counting: MatchCounting, annotators: Sequence[str] | None = None
) -> ComparedAnnotators:
    """Compare each two annotators of a whole corpus.

    Args:
        corpus: annotators as layers.
        counting: measure and chance model.
        annotators: names of those to compare. Default: all.

    Raises:
        SettingError: for an unknown name, or a layer that overlaps itself where the measure or the
            chance model does not allow it.
    """
    team, chosen = choose_annotators(corpus, annotators)
    counting.check(team)
    return replace(_compared(team, counting), chosen=chosen)


def compare_part(
    part: Corpus | ComparedAnnotators, annotators: Sequence[str] | None, settings: Mapping[str, Any]
) -> ComparedAnnotators:
    """Compare each two annotators in a part of a corpus, where it is read.

    Args:
        part: documents of the corpus, of which some layers may be missing; or their rows.
        annotators: names of those to compare. Default: all.
        settings: keyword arguments of :func:`spanagree.comparisons.compared.compared`.

    Raises:
        SettingError: for a layer that overlaps itself where that is not allowed; for rows that are
            of another question.
    """
    if isinstance(part, ComparedAnnotators):
        return part._checked(annotators, **settings)
    corpus, match, chance = compared(part, in_part=True, **settings)
    counting = MatchCounting(match=match, chance=chance)
    team, _ = choose_annotators(corpus, annotators, in_part=True)
    counting.check(team)
    result = _compared(team, counting)
    return replace(
        result,
        corpus=without_unused_text(corpus, chance),
        description=replace(result.description, text_numbers=numbers_of_texts(part)),
    )


def _compared(team: Corpus, counting: MatchCounting) -> ComparedAnnotators:
    """Compare all annotators of a corpus; nothing is checked."""
    index, plain = AnnotationIndex.of(team), counting.without_places()
    sums, sharing = compare_annotators(team, index, counting)
    uniform = None if plain is None else compare_annotators(team, index, plain)[0]
    most = most_segments(index, len(team))
    kind, description = CorpusKind.of(team), counting.describe(team)
    return ComparedAnnotators(team, None, counting, kind, sums, sharing, most, description, uniform)


def compare_annotators(
    corpus: Corpus, crowd: AnnotationIndex, counting: MatchCounting
) -> tuple[Comparisons | Marginals, Sharing]:
    """Compare each two annotators who saw a document, and count what they share.

    Documents that many saw are compared at once where the measure allows it. Progress is that of
    pairs. Nothing is checked.
    """
    names, match, chance = corpus.annotators, counting.match, counting.chance
    number = np.bincount(crowd.document, minlength=len(corpus))
    pairs = number * (number - 1) // 2
    report = counting.progress or (lambda done, total: None)

    def report_after(before: int) -> Progress:
        return lambda done, _: report(before + done, int(pairs.sum()))

    few, done = None, 0
    at_once = crowd_sums(corpus, crowd, counting.measure, chance, report_after(0))
    if at_once is not None:
        few, done = ~at_once.documents, int(pairs @ at_once.documents)
    both = crowd.pairs(documents=few)
    rows = compare_pairs(corpus, crowd, both, match, chance, report_after(done))
    (first, second), _, times = distinct(*(crowd.annotator[side] for side in both))
    sharing = Sharing(
        names,
        int((number > 1).sum()),
        np.bincount(crowd.annotator, minlength=len(names)),
        np.bincount(crowd.annotator[number[crowd.document] == 2], minlength=len(names)),
        first,
        second,
        times,
    )
    if at_once is None:
        return rows, sharing
    return at_once.marginals(rows), sharing + at_once.sharing


# --- rows in files ---


def _tables(name: str, sums: Comparisons | Marginals) -> dict[str, Comparisons | None]:
    """Collect the tables of rows, or of sums of crowded documents, by name."""
    if isinstance(sums, Comparisons):
        return {name: sums}
    return {name: sums.rows, **{f"{name}.{part}": getattr(sums, part) for part in _OF_CROWDS}}


def _of_file(file: RowsFile, name: str, corpus: Corpus, plain: Any) -> Comparisons | Marginals:
    """Read the rows under one chance model from a file."""
    from spanagree.parts import row_files  # few read or write rows

    inexact = row_files.inexact_of(file, plain)
    rows = row_files.table_of_file(file, name, corpus, inexact)
    if f"{name}.{_OF_CROWDS[0]}.document" not in file.arrays:
        return rows
    parts = [
        row_files.table_of_file(file, f"{name}.{part}", corpus, Inexact()) for part in _OF_CROWDS
    ]
    documents, pairs, annotations = parts
    return Marginals(rows, documents, pairs, annotations)
