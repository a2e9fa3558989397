"""The official scores of eHealth-KD 2020, by the rules of its repository's scripts/score.py.

An entity is its words and its label. It is correct, or incorrect if only the label differs, or
partial if the label is the same and a piece of one begins within a piece of the other; partial
ones count half. A relation is correct if it joins entities that were found, even in part, or others
that gold calls the same as these, and no relation of gold is taken twice.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Entity(NamedTuple):
    """An entity: its number in the file, its label, and start and end of its words."""

    id: str
    label: str
    pieces: tuple[tuple[int, int], ...]


class Sentence(NamedTuple):
    """A sentence: entities by their places; relations, a label and the ids of two entities."""

    text: str
    entities: list[Entity]
    relations: dict[tuple[str, str, str], None]


def read(path: Path) -> list[Sentence]:
    """Return the sentences of a brat file and the text beside it, without empty lines."""
    lines = path.with_suffix(".txt").read_text("utf-8").splitlines()
    sentences = [Sentence(line.strip(), [], {}) for line in lines if line]
    ends, at = [], -1
    for sentence in sentences:
        at += 1 + len(sentence.text)
        ends.append(at)
    home: dict[str, Sentence] = {}
    rows = [row.split("\t") for row in path.read_text("utf-8").splitlines()]
    for key, *cells in rows:
        if key.startswith("T"):
            label, _, places = cells[0].partition(" ")
            pieces = [tuple(map(int, piece.split())) for piece in places.split(";")]
            number = bisect(ends, pieces[0][0])
            begin = ends[number - 1] + 1 if number else 0
            home[key] = sentences[number]
            moved = sorted((start - begin, end - begin) for start, end in pieces)
            if len(moved) == 1:
                [(start, end)] = moved
                words = re.finditer("[^ ]+", home[key].text[start:end])
                moved = [(start + word.start(), start + word.end()) for word in words]
            home[key].entities.append(Entity(key, label, tuple(moved)))
    for key, *cells in rows:
        if key.startswith(("R", "*")):
            label, first, *others = re.sub(r"Arg\d:", "", cells[0]).split()
            for second in others:
                if home[first] is home[second]:
                    home[first].relations[label, first, second] = None
    for sentence in sentences:
        sentence.entities.sort(key=lambda x: [s for s, _ in x.pieces] + [e for _, e in x.pieces])
    return sentences


def f1(gold: Sequence[Sentence], system: Sequence[Sentence], *, relations: bool) -> float:
    """Return the task's F1 of entities, or of relations."""
    right = partial = of_gold = of_system = 0
    for reference, answer in _aligned(gold, system):
        if not reference.entities and not reference.relations:
            continue
        same, near = _entities(reference, answer)
        if relations:
            right += _relations(reference, answer, {**same, **near})
            of_gold += len(reference.relations)
            of_system += len(answer.relations)
        else:
            right += len(same)
            partial += len(near)
            of_gold += len(reference.entities)
            of_system += len(answer.entities)
    credit = right + partial / 2
    precision = credit / of_system if of_system else 0.0
    recall = credit / of_gold if of_gold else 0.0
    return 2 * recall * precision / (recall + precision) if credit else 0.0


def _aligned(
    gold: Sequence[Sentence], system: Sequence[Sentence]
) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield each sentence of gold with that of the system; one that it lacks has nothing."""
    rest = iter(system)
    answer = next(rest, None)
    for reference in gold:
        if answer is not None and _letters(reference.text) == _letters(answer.text):
            yield reference, answer
            answer = next(rest, None)
        else:
            yield reference, Sentence(reference.text, [], {})


def _letters(text: str) -> str:
    return "".join(c.lower() for c in text if c.isalnum())


def _entities(
    gold: Sentence, system: Sentence
) -> tuple[Mapping[str, Entity], Mapping[str, Entity]]:
    """Return the entities of gold by the system's ids: those that are correct, and partial ones."""
    free, mine = list(gold.entities), list(system.entities)
    found: list[dict[str, Entity]] = []
    for fits in (_same, _same_words, _near):
        made = {}
        for one in list(mine):
            other = next((x for x in free if fits(x, one)), None)
            if other is not None:
                made[one.id] = other
                free.remove(other)
                mine.remove(one)
        found.append(made)
    return found[0], found[2]


def _same(x: Entity, y: Entity) -> bool:
    return x.pieces == y.pieces and x.label == y.label


def _same_words(x: Entity, y: Entity) -> bool:
    return x.pieces == y.pieces


def _near(x: Entity, y: Entity) -> bool:
    begins = [(a, b) for a, b in ((x, y), (y, x))]
    return x.label == y.label and any(
        start <= begin < end for a, b in begins for start, end in a.pieces for begin, _ in b.pieces
    )


def _relations(gold: Sentence, system: Sentence, found: Mapping[str, Entity]) -> int:
    """Return how many relations of the system are in gold, each of gold's taken once."""
    group = {x.id: x.id for x in gold.entities}
    for label, first, second in gold.relations:
        if label == "same-as":
            old = group[second]
            group = {x: group[first] if of == old else of for x, of in group.items()}
    free = list(gold.relations)
    taken = 0
    for label, *ends in system.relations:
        if not all(end in found for end in ends):
            continue
        first, second = (found[end].id for end in ends)
        asked = [(label, first, second), (label, second, first)][: 1 + (label == "same-as")]
        match = next((x for x in asked if x in free), None)
        if match is None:
            groups = [(kind, group[a], group[b]) for kind, a, b in asked]
            match = next(
                (x for each in groups for x in free if (x[0], group[x[1]], group[x[2]]) == each),
                None,
            )
        if match is not None:
            free.remove(match)
            taken += 1
    return taken
