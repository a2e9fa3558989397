"""Systems against gold, or annotators against each other, in each slice of a corpus."""

from __future__ import annotations

import itertools
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spanagree.agreement.result import Agreement
from spanagree.arrays import Ints
from spanagree.chance.model import NONE
from spanagree.comparisons.overlaps import widest_chance
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.same_texts import numbers_of_texts
from spanagree.errors import SettingError, check_whole, chosen, escape_name, pluralize, quote_value
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.score import UNDEFINED
from spanagree.results.verdict import LEVEL
from spanagree.settings import document_noun
from spanagree.slices.differences import (
    SliceDifference,
    SliceTable,
    Trend,
    difference,
    steps,
    trend,
)
from spanagree.slices.metadata import Source
from spanagree.slices.result import Slice, Slices, SliceScore
from spanagree.slices.scored_rows import (
    Scorable,
    ScoredRows,
    annotators_of,
    corpus_of_result,
    scored_rows,
)
from spanagree.slices.segment_classes import LENGTH, SEEN, ClassifiedRows, by_length, by_seen
from spanagree.slices.values import SliceBy, SlicedDocuments, has_order, sliced_documents
from spanagree.systems.result import Evaluation
from spanagree.uncertainty.confidence import USUAL, Jackknife, parse_ci, settings_with

_MOST = 50  # slices of which each two are compared


@dataclass(frozen=True, eq=False)
class _Part:
    """A slice: the rows of each system in it, or of the team.

    Attributes:
        name: name of the slice.
        documents: number of its documents.
        annotators: names of those who saw one of them with another.
        rows: rows by who is scored.
        keys: number of each document of the corpus, the same in all slices.
        parent_ids: number of the whole of each document, if wholes are clusters.
        no_chance: reason why chance is undefined; empty if it is exact.
    """

    name: str
    documents: int
    annotators: tuple[str, ...]
    rows: Mapping[str, ScoredRows]
    keys: Ints
    parent_ids: Ints | None = None
    no_chance: str = ""

    def scored(self, jackknife: Jackknife | None) -> Slice:
        """Score the slice."""
        scores = {}
        for name, rows in self.rows.items():
            tally = rows.tally(jackknife, self.parent_ids)
            scores[name] = SliceScore(len(rows.seen), self._without_chance(tally), self.no_chance)
        return Slice(self.name, self.documents, self.annotators, scores)

    def _without_chance(self, tally: Tally) -> Tally:
        """Return a tally whose expected match is undefined, if there is no chance."""
        if not self.no_chance:
            return tally
        nothing = (UNDEFINED, UNDEFINED)
        intervals = {
            name: ends._replace(expected=nothing, corrected=nothing)
            for name, ends in tally.intervals.items()
        }
        return replace(tally, expected=UNDEFINED, intervals=intervals)

    def table(self, name: str) -> SliceTable:
        """Return what each document, or whole, adds to the figures of a system or the team."""
        clusters, table = self.rows[name].table(self.parent_ids)
        keys = clusters if self.parent_ids is not None else self.keys[clusters]
        return SliceTable(self.name, keys, table)


def score_slices(
    result: Scorable | Mapping[str, Scorable],
    group_by: SliceBy | None = None,
    source: Source = None,
    *,
    seen: CorpusLike | None = None,
    ci: bool | Jackknife = False,
    resamples: int = 10_000,
    seed: int = 0,
    document: str | None = None,
    encoding: str = "utf-8",
) -> Slices:
    """Score each slice of the documents of an evaluation or an agreement, or of their segments.

    The rows that a result keeps of each document are added up by slice: chance stays that of the
    documents, as if each slice had been evaluated by itself.

    Args:
        result: an evaluation or an agreement; or one for each slice, by name: documents of the same
            id and text are the same document then.
        group_by: a column of the source, such as genre or meta.genre; FILE or FILE:COLUMN, a table
            with ids; a pattern with a group that finds the slice in a document's id: documents of
            the same text whose ids differ in that alone are the same; the slice of each document,
            in order or by id; ``length``: segments by their length; or ``seen``: segments that
            stand in a training corpus with their label, and others.
        source: what has the column: a path, several, a data frame, a Dataset, or rows.
        seen: for ``seen``, the training corpus.
        ci: confidence intervals for each slice, and their confidence.
        resamples: number of permutations for the trend of slices in order.
        seed: a whole number from 0, of these.
        document: the column of the source with the documents' ids; one with a usual name unless
            given.
        encoding: of a source that is a table in text.

    Raises:
        SettingError: for an unknown column; if no document is in a slice; for segments under
            another measure than exact.
        InputError: for a source that cannot be read, or does not tell which document a row is of.

    >>> import spanagree as sa
    >>> rows = [{"id": "a", "tokens": ["Jo", "is"], "gold": ["B-X", "O"], "mine": ["B-X", "O"]}]
    >>> rows += [{"id": "b", "tokens": ["Al", "is"], "gold": ["B-X", "O"], "mine": ["O", "B-X"]}]
    >>> slices = score_slices(sa.evaluate(sa.read(rows)), {"a": "news", "b": "blog"})
    >>> {part.name: part.scores["mine"].f1.observed for part in slices.slices}
    {'blog': 0.0, 'news': 1.0}
    """
    jackknife = parse_ci(ci)
    check_whole(resamples, 1, "resamples")
    check_whole(seed, 0, "seed")
    _check(result)
    if (group_by == SEEN) != (seen is not None):
        raise SettingError(
            "group_by seen needs a training corpus (seen), which is for nothing else; give both, or"
            " none"
        )
    testing = _Testing(jackknife, resamples, seed)
    if isinstance(result, Mapping):
        if group_by is not None:
            raise SettingError(
                f"group_by {group_by}: results that have names are slices already; leave it out"
            )
        return testing.scored(*_of_results(result, jackknife))
    if group_by is None:
        raise SettingError("group_by: a column, a table, a pattern, or a slice for each is needed")
    if group_by in (LENGTH, SEEN):
        return _of_classes(result, str(group_by), seen, testing)
    corpus = corpus_of_result(result)
    ids = [corpus.id_of(d) for d in range(len(corpus))]
    sliced = sliced_documents(
        group_by,
        ids,
        source,
        noun=document_noun(result.settings),
        document=document,
        encoding=encoding,
    )
    keys, notes = _keys_of(sliced, corpus)
    parent_ids = _wholes_of(result, jackknife)
    parts = _parts_of(sliced, result, scored_rows(result), keys, parent_ids)
    about = _SliceContext(
        sliced.title,
        sliced.says,
        sliced.is_ordered,
        len(corpus),
        result.notes,
        result,
        no_chance=result.settings.chance_undefined or "",
        not_in_text=_not_in_text([result]),
    )
    made = testing.scored(about, parts, [*sliced.notes, *notes], _whole(result, keys, parent_ids))
    if result.places is None or result.uniform is None:
        return made
    plain = _parts_of(sliced, result, scored_rows(result.uniform), keys, parent_ids)
    all_documents = _whole(
        result.uniform, keys, parent_ids, annotators_of(result, np.ones(len(keys), np.bool_))
    )
    uniform = replace(
        made,
        slices=tuple(part.scored(jackknife) for part in plain),
        whole=None if all_documents is None else all_documents.scored(jackknife),
    )
    return replace(made, places=result.places, uniform=uniform)


def _check(result: Any) -> None:
    """Refuse what is neither an evaluation nor an agreement, nor several of these by name.

    Raises:
        SettingError: then.
    """
    every = list(result.values()) if isinstance(result, Mapping) else [result]
    kinds = {type(item) for item in every}
    if len(kinds) != 1 or not kinds <= {Evaluation, Agreement}:
        raise SettingError(
            f"score_slices: {type(result).__name__}; an evaluation or an agreement is needed, as"
            " evaluate(corpus) and agree(corpus) give, or several of one kind by name"
        )
    if isinstance(result, Mapping) and len(every) < 2:
        raise SettingError("score_slices: one result by name; a slice for each needs two")


@dataclass(frozen=True, eq=False)
class _SliceContext:
    """What slices are of.

    Attributes:
        title: name of what slices are the values of.
        says: how they were named, for the signature.
        is_ordered: whether they follow each other.
        documents: number of documents of the corpus.
        notes: those of the result.
        result: the result, or the first of several.
        no_chance: reason why chance is undefined; empty if it is exact.
        not_in_text: sentence on quotes that are not in the text; empty without any.
    """

    title: str
    says: str
    is_ordered: bool
    documents: int
    notes: Sequence[str]
    result: Scorable
    no_chance: str = ""
    not_in_text: str = ""


@dataclass(frozen=True, eq=False)
class _Testing:
    """How slices are compared.

    Attributes:
        jackknife: the request for intervals, if there was one.
        resamples: number of permutations.
        seed: random seed of these.
    """

    jackknife: Jackknife | None
    resamples: int
    seed: int

    def scored(
        self,
        about: _SliceContext,
        parts: Sequence[_Part],
        notes: Iterable[str] = (),
        all_documents: _Part | None = None,
    ) -> Slices:
        """Score slices, and compare them."""
        slices = tuple(part.scored(self.jackknife) for part in parts)
        names = list(dict.fromkeys(name for part in parts for name in part.rows))
        tables = {name: [part.table(name) for part in parts if name in part.rows] for name in names}
        noun = document_noun(about.result.settings)
        changes: tuple[SliceDifference, ...] = ()
        trends: dict[str, Trend] = {}
        largest, n_tested = None, 0
        if about.is_ordered:
            changes, trends = self._in_order(tables, noun)
            n_tested = max((len(of_one) - 1 for of_one in tables.values()), default=0)
        else:
            kind = "observed" if about.no_chance else "corrected"
            largest, n_tested = self._largest(tables, noun, kind)
        return Slices(
            title=about.title,
            slices=slices,
            whole=None if all_documents is None else all_documents.scored(self.jackknife),
            changes=changes,
            trends=trends,
            largest=largest,
            n_tested=n_tested,
            untested={} if about.is_ordered else _untested(tables),
            documents=about.documents,
            settings=self._settings(about, slices, bool(changes)),
            notes=tuple(dict.fromkeys([*about.notes, *notes])),
            no_chance=about.no_chance,
            is_ordered=about.is_ordered,
            not_in_text=about.not_in_text,
        )

    def _settings(self, about: _SliceContext, slices: Sequence[Slice], is_drawn: bool) -> Any:
        """Return the settings of the result, with the slices and what compares them."""
        settings = about.result.settings
        more: dict[str, Any] = {"ci": None, "reading": {**settings.reading, "slices": about.says}}
        if isinstance(about.result, Agreement):
            more |= {"min_shared": None, "without": None}
        if is_drawn:
            more |= {"resamples": int(self.resamples), "seed": int(self.seed)}
        intervals = [score.f1.interval for part in slices for score in part.scores.values()]
        kinds = [interval.kind for interval in intervals if interval is not None]
        return settings_with(replace(settings, **more), self.jackknife, kinds)

    def _in_order(
        self, tables: Mapping[str, Sequence[SliceTable]], noun: str
    ) -> tuple[tuple[SliceDifference, ...], dict[str, Trend]]:
        """Compare each slice with the next, and find the trend over more than two."""
        tail = (self.jackknife or USUAL).tail
        changes = [
            change
            for name, of_one in tables.items()
            for change in steps(name, of_one, tail, self.resamples, self.seed, noun)
        ]
        trends = {
            name: trend(of_one, self.resamples, self.seed)
            for name, of_one in tables.items()
            if len(of_one) > 2
        }
        return tuple(changes), trends

    def _largest(
        self, tables: Mapping[str, Sequence[SliceTable]], noun: str, kind: str
    ) -> tuple[SliceDifference | None, int]:
        """Find the largest difference that a test supports, or else the largest, of all pairs."""
        pairs = [
            (name, two)
            for name, of_one in tables.items()
            for two in itertools.combinations(_tested(of_one), 2)
        ]
        tail = (self.jackknife or USUAL).tail
        made = [difference(name, two, tail, len(pairs), noun) for name, two in pairs]
        tested = [item for item in made if not math.isnan(getattr(item, kind).p)]
        if not tested:
            return None, 0
        apart = [item for item in tested if getattr(item, kind).p_adjusted < LEVEL]
        largest = max(apart or tested, key=lambda item: abs(getattr(item, kind).value))
        is_rise = getattr(largest, kind).value >= 0
        return largest if is_rise else largest.turned, len(pairs)


def _tested(tables: Sequence[SliceTable]) -> list[SliceTable]:
    """Return the slices that are large enough for a test, the first of very many."""
    return [part for part in tables if part.is_tested][:_MOST]


def _untested(tables: Mapping[str, Sequence[SliceTable]]) -> dict[str, list[str]]:
    """Return the slices of each system that are too small for a test."""
    names = {
        name: [part.name for part in of_one if not part.is_tested]
        for name, of_one in tables.items()
    }
    return {name: some for name, some in names.items() if some}


# --- slices of documents --------------------------------------------------------------------------


def _parts_of(
    sliced: SlicedDocuments,
    result: Scorable,
    rows: Mapping[str, ScoredRows],
    keys: Ints,
    parent_ids: Ints | None,
) -> list[_Part]:
    """Part the rows of a result by the slice of their documents."""
    parts = []
    for name, documents in sliced.documents().items():
        is_chosen = np.zeros(len(sliced.names), np.bool_)
        is_chosen[documents] = True
        of_part = {scored: item.over(is_chosen) for scored, item in rows.items()}
        annotators = annotators_of(result, is_chosen)
        reason = result.settings.chance_undefined or ""
        parts.append(_Part(name, len(documents), annotators, of_part, keys, parent_ids, reason))
    return parts


def _whole(
    result: Scorable,
    keys: Ints,
    parent_ids: Ints | None,
    annotators: tuple[str, ...] | None = None,
) -> _Part:
    """Return all documents of a result as a part."""
    if annotators is None:
        annotators = annotators_of(result, np.ones(len(keys), np.bool_))
    reason = result.settings.chance_undefined or ""
    return _Part("all", len(keys), annotators, scored_rows(result), keys, parent_ids, reason)


def _wholes_of(result: Scorable, jackknife: Jackknife | None) -> Ints | None:
    """Return the number of the whole of each document, if wholes are clusters."""
    if jackknife is None:
        return None
    if isinstance(result, Agreement):
        return jackknife.wholes_of(result.per_document.corpus.parent_ids, result.settings)
    return jackknife.wholes_of(result.counted.per_document.parent_ids, result.settings)


def _keys_of(sliced: SlicedDocuments, corpus: Corpus) -> tuple[Ints, list[str]]:
    """Number the documents, the same in two slices alike if they have the same text too."""
    if len({*sliced.keys}) == len(sliced.keys):
        return np.arange(len(sliced.keys)), []
    keys, notes = _same_documents([(sliced.keys, corpus)], [sliced.names])
    return keys[0], notes


def _same_documents(
    sources: Sequence[tuple[Sequence[str], Corpus]], names: Sequence[Sequence[str | None]]
) -> tuple[list[Ints], list[str]]:
    """Number documents by key and text, and note those of one key that have other texts.

    There is no note if no document is in two slices, as then ids are not those of rounds. Where
    texts are unknown, their lengths tell them apart.

    Args:
        sources: keys of the documents of each corpus, and the corpus.
        names: slice of each document.
    """
    texts = [numbers_of_texts(corpus) for _, corpus in sources]
    if not all(map(len, texts)):
        texts = [np.asarray(corpus.lengths) for _, corpus in sources]
    numbers: dict[tuple[str, int, int], int] = {}
    times: Counter[tuple[str | None, str, int]] = Counter()
    slices_of_key: dict[str, set[str]] = {}
    slices_of_document: dict[tuple[str, int], set[str]] = {}
    made = []
    for (keys, _), of_text, of_slice in zip(sources, texts, names, strict=True):
        pairs = list(zip(keys, of_text.tolist(), strict=True))
        of_corpus = []
        for pair, name in zip(pairs, of_slice, strict=True):
            again = times[(name, *pair)]  # two of one slice are two
            times[(name, *pair)] += 1
            of_corpus.append(numbers.setdefault((*pair, again), len(numbers)))
            if name is not None:
                slices_of_key.setdefault(pair[0], set()).add(name)
                slices_of_document.setdefault(pair, set()).add(name)
        made.append(np.array(of_corpus, np.int64))
    differ = sum(
        len(slices_of_key[key]) > 1 and len(slices) == 1
        for (key, _), slices in slices_of_document.items()
    )
    are_some_same = any(len(slices) > 1 for slices in slices_of_document.values())
    if not differ or not are_some_same:
        return made, []
    return made, [
        f"{pluralize(differ, 'document')} with the id of a document in another slice, but another"
        " text; they are compared as different documents"
    ]


def _of_results(
    results: Mapping[str, Scorable], jackknife: Jackknife | None
) -> tuple[_SliceContext, list[_Part], list[str]]:
    """Take each of several results as a slice.

    Raises:
        SettingError: for results of different measures or chance models.
    """
    _check_same_chance(results)
    corpora = {name: corpus_of_result(result) for name, result in results.items()}
    sources = [
        ([corpus.id_of(d) for d in range(len(corpus))], corpus) for corpus in corpora.values()
    ]
    names = [[name] * len(corpus) for name, corpus in corpora.items()]
    keys, notes = _same_documents(sources, names)
    parts = [
        replace(_whole(result, of_result, _wholes_of(result, jackknife)), name=str(name))
        for (name, result), of_result in zip(results.items(), keys, strict=True)
    ]
    first = next(iter(results.values()))
    if isinstance(first, Agreement):
        everyone = {name for part in parts for name in part.annotators}
        first = replace(first, settings=replace(first.settings, annotators=len(everyone)))
    every_note = [note for result in results.values() for note in result.notes]
    is_ordered = has_order("", list(results))
    total = sum(map(len, corpora.values()))
    lost = _not_in_text([*results.values()])
    reason = first.settings.chance_undefined or ""
    about = _SliceContext(
        "file", "file", is_ordered, total, every_note, first, reason, not_in_text=lost
    )
    return about, parts, notes


def _not_in_text(results: Sequence[Scorable]) -> str:
    """Compose a sentence on the quotes that are not in the text, of all results together."""
    quotes: dict[str, Any] = {}
    outcome = "count as wrong"
    for index, result in enumerate(results):
        names = [*result]
        if isinstance(result, Agreement):
            names = [name for name, member in result.annotators.items() if member.pairs]
            outcome = "match nothing"
        read = result.settings.get("quotes", {})
        quotes |= {f"{index} {name}": read[name] for name in names if name in read}
    unplaced = filter(None, (result.settings.get("unplaced") for result in results))
    settings = {"unplaced": next(unplaced, None), "quotes": quotes}
    n_lost = sum(result.not_found for result in results)
    return verdict.not_in_text(settings, quotes, n_lost, outcome)


def _check_same_chance(results: Mapping[str, Scorable]) -> None:
    """Refuse results that are not comparable, as measures or chance models differ.

    Raises:
        SettingError: naming the first two.
    """
    first_name, first = next(iter(results.items()))
    for name, result in results.items():
        for setting in ("match", "chance"):
            names = [x.settings[setting] for x in (first, result)]
            if names[0] != names[1]:
                fits = names[1] if setting == "match" else widest_chance(names)
                remedy = f"compute all with {chosen(setting, fits)}"
                if fits == NONE:
                    remedy = "read them as one corpus, which has one chance"
                raise SettingError(
                    f"{quote_value(first_name)} is of {setting} {names[0]}, {quote_value(name)} of"
                    f" {names[1]}: such figures are not compared; {remedy}"
                )


# --- slices of segments ---------------------------------------------------------------------------


def _of_classes(result: Scorable, name: str, seen: CorpusLike | None, testing: _Testing) -> Slices:
    """Score the segments of each class.

    Raises:
        SettingError: for ``seen`` of strings without a text.
    """
    if name == SEEN and corpus_of_result(result).of_strings:
        raise SettingError(
            "group_by seen: not of strings without a text; group_by length slices them"
        )
    if name == LENGTH:
        sliced: ClassifiedRows = by_length(result)
    else:
        sliced = by_seen(result, as_corpus(seen), _name_of(seen))
    corpus = corpus_of_result(result)
    keys, parent_ids = np.arange(len(corpus)), _wholes_of(result, testing.jackknife)
    annotators = annotators_of(result, np.ones(len(corpus), np.bool_))
    parts = [
        _Part(value, len(corpus), annotators, rows, keys, parent_ids, sliced.no_chance)
        for value, rows in zip(sliced.names, sliced.rows, strict=True)
    ]
    about = _SliceContext(
        name,
        sliced.says,
        False,
        len(corpus),
        result.notes,
        result,
        sliced.no_chance,
        _not_in_text([result]),
    )
    return testing.scored(about, parts, all_documents=_whole(result, keys, parent_ids))


def _name_of(source: Any) -> str:
    """Return the name of a training file."""
    if not isinstance(source, (str, os.PathLike)):
        return ""
    return escape_name(os.path.basename(os.fspath(source)))
