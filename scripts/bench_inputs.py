"""What benchmarks are measured on: tags, segments, crowds, labels and files, drawn from seeds."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

import spanagree as sa

LABELS = ("PER", "LOC", "ORG", "MISC")


def sentences(
    count: int, tokens: int, seed: int, names: tuple[str, ...] = LABELS
) -> list[list[str]]:
    """Random IOB2 tags: about two segments a sentence, of geometric length."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        tags = ["O"] * tokens
        at = rng.randrange(6)
        while at < tokens:
            label = rng.choice(names)
            tags[at] = f"B-{label}"
            end = at + 1
            while end < tokens and rng.random() < 0.5:
                tags[end] = f"I-{label}"
                end += 1
            at = end + rng.randrange(20)
        made.append(tags)
    return made


def capitalised(gold: list[list[str]]) -> tuple[str, ...]:
    """Tokens for tags: four of five in segments begin with a capital, and one of ten others."""
    rng = random.Random(3)
    tokens = []
    for tag in (tag for tags in gold for tag in tags):
        word = f"w{rng.randrange(20_000)}"
        tokens.append(word.upper() if rng.random() < (0.1 if tag == "O" else 0.8) else word)
    return tuple(tokens)


def shapes(count: int, seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences of 5 to 60 tokens with 0 to 8 segments, nearly all different; gold and a system."""
    rng = random.Random(seed)
    gold = []
    for _ in range(count):
        tags = ["O"] * rng.randint(5, 60)
        at = 0
        for _ in range(rng.randint(0, 8)):
            at += rng.randint(0, 6)
            length = min(1 + int(rng.expovariate(0.7)), len(tags) - at)
            if length < 1:
                break
            label = rng.choice(LABELS)
            tags[at : at + length] = [f"B-{label}", *[f"I-{label}"] * (length - 1)]
            at += length
        gold.append(tags)
    mine = [["O" if rng.random() < 0.1 else tag for tag in tags] for tags in gold]
    return gold, mine


def long_document(tokens: int, segments: int) -> sa.Corpus:
    """Two annotators of one document; segments of geometric length, 2.5 tokens in the mean."""
    layers = {}
    for seed, name in enumerate(("a", "b")):
        rng = np.random.default_rng(seed)
        size = rng.geometric(1 / 2.5, segments)
        slots = tokens - int(size.sum()) + segments
        slot = np.sort(rng.choice(slots, segments, replace=False))
        start = slot + np.concatenate(([0], np.cumsum(size - 1)[:-1]))
        nothing = np.zeros(segments, np.int64)
        layers[name] = sa.corpus.Layer(nothing, start, start + size, nothing, np.ones(1, np.bool_))
    return sa.Corpus(np.array([tokens]), layers, ("X",))


def units(count: int, annotators: int = 5, seed: int = 0) -> list[list[tuple[int, int, str]]]:
    """Annotators who mark about the same segments of one document."""
    rng = np.random.default_rng(seed)
    base = np.sort(rng.choice(40 * count, count, replace=False)).tolist()
    made = []
    for _ in range(annotators):
        segments, last = [], 0
        for at in base:
            start = max(at + int(rng.integers(-2, 3)), last)
            last = start + int(rng.integers(1, 15))
            segments.append((start, last, LABELS[int(rng.integers(3))]))
        made.append(segments)
    return made


def one_document(annotators: list[list[tuple[int, int, str]]]) -> sa.Corpus:
    """One document that all of them saw."""
    end = max(segments[-1][1] for segments in annotators)
    layers = {str(i): [segments] for i, segments in enumerate(annotators)}
    return sa.Corpus.from_segments([end], layers)


def hour(segments: int, unit: int = 1) -> sa.Corpus:
    """An hour that two annotators saw, in units of so many ms; borders differ by up to .25 s."""
    rng = np.random.default_rng(0)
    step = 3_600_000 // segments
    start = step * np.arange(segments) + rng.integers(250, step // 4, segments)
    end = start + rng.integers(step // 10, step // 2, segments)
    truth = rng.integers(3, size=segments)
    layers = {}
    for name in "ab":
        borders = (np.stack((start, end)) + rng.integers(-250, 251, (2, segments))) // unit
        label = np.where(rng.random(segments) < 0.9, truth, rng.integers(3, size=segments))
        rows = zip(*borders.tolist(), (LABELS[code] for code in label), strict=True)
        layers[name] = [list(rows)]
    return sa.Corpus.from_segments([3_600_000 // unit], layers, offsets=f"{unit}ms")


def labels(items: int, categories: int = 50) -> Any:
    """Labels of five annotators; (items, 5)."""
    rng = np.random.default_rng(0)
    truth = rng.integers(categories, size=items)
    by_chance = rng.integers(categories, size=(items, 5))
    return np.where(rng.random((items, 5)) < 0.6, truth[:, None], by_chance)


def stretches(
    documents: int, longest: int, spans: int, covered: float = 0.3, shortest: int = 0
) -> sa.Corpus:
    """Two annotators who mark stretches of characters, nearly all of different lengths.

    Documents have up to ``longest`` characters and ``spans`` stretches for that many, which cover
    the share ``covered`` of them.
    """
    lengths = np.random.default_rng(0).integers(shortest or longest // 10, longest + 1, documents)
    layers = {}
    for seed, name in enumerate(("gold", "mine"), 1):
        rng = np.random.default_rng(seed)
        rows = []
        for length in lengths.tolist():
            inside = int(length * covered)
            count = max(min(spans * length // longest, inside // 2), 1)
            cuts = np.sort(rng.choice(inside - 1, count - 1, replace=False)) + 1
            size = np.diff([0, *cuts.tolist(), inside])
            gaps = np.diff(np.sort(rng.integers(0, length - inside + 1, count)), prepend=0)
            end = np.cumsum(gaps + size)
            rows.append([(e - n, e, "X") for e, n in zip(end.tolist(), size.tolist(), strict=True)])
        layers[name] = rows
    return sa.Corpus.from_segments(lengths.tolist(), layers)


def one_long(length: int, long: int, short: int) -> sa.Corpus:
    """One document with a very long segment and many short ones; two annotators."""
    layers = {}
    for seed, name in enumerate(("gold", "mine")):
        rng = np.random.default_rng(seed)
        at = np.sort(rng.choice((length - long) // 20, short, replace=False)) * 20
        half = short // 2
        segments = [
            (s, s + n) for s, n in zip(at.tolist(), rng.integers(1, 9, short).tolist(), strict=True)
        ]
        begin = segments[half][0]
        segments[half:] = [(s + long + 20, e + long + 20) for s, e in segments[half:]]
        layers[name] = [[(s, e, "X") for s, e in [*segments, (begin, begin + long)]]]
    return sa.Corpus.from_segments([length + 20], layers)


def crowd(annotators: int, documents: int, seen: int | None = None) -> sa.Corpus:
    """Annotators who mark about the same ten segments of each document, four labels.

    Each document was seen by all of them, or by ``seen`` of them, drawn at random.
    """
    rng = np.random.default_rng(0)
    truth = rng.integers(len(LABELS), size=(documents, 10))
    sees = np.ones((documents, annotators), np.bool_)
    if seen is not None:
        sees = np.zeros_like(sees)
        np.put_along_axis(sees, rng.integers(annotators, size=(documents, seen)), True, axis=1)
    layers = {}
    for number in range(annotators):
        mine = np.flatnonzero(sees[:, number])
        shape = (len(mine), 10)
        kept = rng.random(shape) < 0.7
        document = np.broadcast_to(mine[:, None], shape)[kept]
        start = (40 * np.arange(10) + rng.integers(0, 3, shape))[kept]
        by_chance = rng.integers(len(LABELS), size=shape)
        label = np.where(rng.random(shape) < 0.8, truth[mine], by_chance)[kept]
        end = start + rng.integers(3, 6, len(start))
        layers[f"a{number}"] = sa.corpus.Layer(document, start, end, label, sees[:, number].copy())
    return sa.Corpus(np.full(documents, 400), layers, tuple(sorted(LABELS)))


def team(documents: int, annotators: int) -> sa.Corpus:
    """Answers of 200 to 1,400 characters in which all mark stretches; ends differ by some five."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(200, 1401, documents)
    layers: dict[str, list[list[tuple[int, int, str]]]] = {f"a{i}": [] for i in range(annotators)}
    for length in lengths.tolist():
        count = int(rng.integers(1, 7))
        cuts = np.sort(rng.choice(length // 8, 2 * count, replace=False)).reshape(-1, 2) * 8
        for rows in layers.values():
            moved = np.sort((cuts + rng.integers(-3, 4, cuts.shape)).clip(0, length)[:, :2])
            kept = moved[rng.random(count) < 0.7].tolist()
            rows.append([(start, end, "X") for start, end in kept if start < end])
    return sa.Corpus.from_segments(lengths.tolist(), layers)


def newspapers(documents: int) -> sa.Corpus:
    """Articles of 100 to 1,500 tokens, a name for some 25 of them, five labels; two systems."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(100, 1501, documents)
    layers: dict[str, list[list[tuple[int, int, str]]]] = {"gold": [], "a": [], "b": []}
    for length in lengths.tolist():
        start = np.sort(rng.choice(length // 8, max(length // 25, 1), replace=False)) * 8
        size = np.minimum(rng.geometric(0.5, len(start)), 6)
        label = rng.choice([*LABELS, "TIME"], len(start))
        for rows in layers.values():
            kept = rng.random(len(start)) < 0.8
            ends = (start + np.clip(size + rng.integers(-1, 2, len(start)), 1, 8)).clip(max=length)
            columns = (c[kept].tolist() for c in (start, ends, label))
            rows.append([*zip(*columns, strict=True)])
    return sa.Corpus.from_segments(lengths.tolist(), layers)


def sets(corpus: sa.Corpus) -> list[set[tuple[int, int, int, int]]]:
    """The segments of each layer of a corpus, as a set."""
    columns = (
        (layer.document, layer.start, layer.end, layer.label) for layer in corpus.layers.values()
    )
    return [{*zip(*(c.tolist() for c in four), strict=True)} for four in columns]


def write_tags(path: Path, rows: list[list[str]], *, odd: bool = False, times: int = 1) -> None:
    """A CoNLL file of sentences, so many times over; an odd one has a token ``#`` and CRLF."""
    end = "\r\n" if odd else "\n"
    tokens = ["#" if odd and i == 3 else f"w{i}" for i in range(max(map(len, rows)))]
    page = "".join(
        "".join(f"{w} {t}{end}" for w, t in zip(tokens, tags, strict=False)) + end for tags in rows
    )
    with path.open("w", encoding="utf-8", newline="") as file:
        for _ in range(times):
            file.write(page)


def write_labels(path: Path, values: Any) -> None:
    """A long table of labels: item, annotator, label."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("item", "annotator", "label"))
        writer.writerows(
            (f"i{i}", f"a{a}", f"c{c}")
            for i, row in enumerate(values.tolist())
            for a, c in enumerate(row)
        )


def write_crowd(path: Path, corpus: sa.Corpus) -> None:
    """Our own lines of JSON."""
    texts: list[dict[str, list[object]]] = [{} for _ in range(len(corpus.lengths))]
    names = corpus.labels
    for annotator, layer in corpus.layers.items():
        for document in np.flatnonzero(layer.annotated).tolist():
            texts[document][annotator] = []
        four = (c.tolist() for c in (layer.document, layer.start, layer.end, layer.label))
        for document, start, end, label in zip(*four, strict=True):
            texts[document][annotator].append({"start": start, "end": end, "label": names[label]})
    with path.open("w", encoding="utf-8") as file:
        for i, annotators in enumerate(texts):
            row = {"spanagree": 1, "id": f"d{i}", "offsets": "tokens"}
            words = [f"w{i}" for i in range(int(corpus.lengths[i]))]
            file.write(json.dumps({**row, "tokens": words, "annotators": annotators}) + "\n")
