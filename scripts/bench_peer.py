"""What people write today in place of our commands, in plain Python.

Usage: python scripts/bench_peer.py GOLD.conll SYSTEM.conll …   (F1 of seqeval for each system)
"""

import csv
import itertools
import json
import sys
from collections import Counter, defaultdict


def read(path: str) -> list[list[str]]:
    """The last column of a CoNLL file."""
    made, tags = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip():
                tags.append(line.split()[-1])
            elif tags:
                made.append(tags)
                tags = []
    return [*made, tags] if tags else made


def scores(paths: list[str]) -> None:
    """F1 of each system."""
    from seqeval.metrics import f1_score

    gold, *systems = map(read, paths)
    for system in systems:
        print(f1_score(gold, system))


def different(paths: list[str]) -> list[tuple[int, int, str, str]]:
    """Where the tags of two files differ."""
    pairs = zip(*map(read, paths), strict=True)
    return [
        (number, at, one, other)
        for number, (ours, theirs) in enumerate(pairs)
        for at, (one, other) in enumerate(zip(ours, theirs, strict=True))
        if one != other
    ]


def copied(source: str, target: str) -> None:
    """Lines of JSON, read and written again."""
    with open(source, encoding="utf-8") as file, open(target, "w", encoding="utf-8") as made:
        for line in file:
            made.write(json.dumps(json.loads(line)) + "\n")


def alpha(path: str) -> float:
    """Krippendorff's α of a long table of labels, by counting."""
    items: dict[str, list[str]] = defaultdict(list)
    with open(path, encoding="utf-8", newline="") as file:
        for item, _, label in itertools.islice(csv.reader(file), 1, None):
            items[item].append(label)
    counts = [Counter(labels) for labels in items.values() if len(labels) > 1]
    everything: Counter[str] = Counter()
    observed = 0.0
    for count in counts:
        total = count.total()
        observed += sum(n * (total - n) for n in count.values()) / (total - 1)
        everything.update(count)
    total = everything.total()
    expected = sum(n * (total - n) for n in everything.values()) / (total - 1)
    return 1 - observed / expected


def pairwise(sets: list[set[tuple[int, int, int, int]]]) -> list[float]:
    """Raw F1 of each pair of annotators, by equal segments."""
    pairs = itertools.combinations(sets, 2)
    return [2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0 for a, b in pairs]


if __name__ == "__main__":
    scores(sys.argv[1:])
