"""Write the cases of docs/specification.md: corpora/vectors/*.jsonl, by enumeration in fractions.

Nothing but the standard library is used, and nothing of the package: what it computes is held
against these files. Each file has the cases of one chapter. `--check` compares instead of writing.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "corpora" / "vectors"

Span = tuple[int, int, str]
Figures = dict[str, Fraction | None]
Case = dict[str, Any]


def case(rule: str, given: Any, figures: Figures | list[Any], oracle: str) -> Case:
    """Return a case without its number; ``figures`` are fractions by name, or segments."""
    if isinstance(figures, list):
        return {"rule": rule, "input": given, "segments": figures, "oracle": oracle}
    return {
        "rule": rule,
        "input": given,
        "figures": {name: plain(figure) for name, figure in figures.items()},
        "oracle": oracle,
    }


def plain(figure: Fraction | None) -> dict[str, Any] | None:
    """Return a figure as JSON has it; undefined is null."""
    if figure is None:
        return None
    return {"fraction": str(figure), "decimal": float(figure)}


def ratio(numerator: Fraction | int, denominator: Fraction | int) -> Fraction | None:
    """Divide; nothing to divide by is undefined (rule C1)."""
    return None if denominator == 0 else Fraction(numerator) / Fraction(denominator)


# --- T: tags --------------------------------------------------------------------------------------

PREFIXES: dict[str, tuple[str, str, str, str]] = {  # first, inside, last, single; T3 to T7
    "IOB2": ("B", "I", "I", "B"),
    "IOE2": ("I", "I", "E", "E"),
    "IOBES": ("B", "I", "E", "S"),
    "BILOU": ("B", "I", "L", "U"),
}


def well_formed(scheme: str, n: int, spans: Sequence[Span]) -> list[str]:
    """Return the tags of segments that do not overlap, by the definition of a scheme."""
    tags = ["O"] * n
    for start, end, label in spans:
        before = any(e == start and other == label for _, e, other in spans)
        behind = any(s == end and other == label for s, _, other in spans)
        if scheme in PREFIXES:
            first, inside, last, single = PREFIXES[scheme]
            signs = single if end - start == 1 else first + inside * (end - start - 2) + last
        else:
            signs = "I" * (end - start)
            if scheme == "IOB1" and before:
                signs = f"B{signs[1:]}"
            if scheme == "IOE1" and behind:
                signs = f"{signs[:-1]}E"
        tags[start:end] = [f"{sign}-{label}" for sign in signs]
    return tags


def chunks(tags: Sequence[str]) -> list[Span]:
    """Read tags as conlleval does: a token begins a segment or goes on with the one before (T8)."""
    spans: list[Span] = []
    before = ""  # the prefix of the token before, of the same segment or not
    for at, tag in enumerate([*tags, "O"]):
        prefix, _, label = tag.partition("-")
        prefix = {"L": "E", "U": "S"}.get(prefix, prefix)
        open_ = spans and spans[-1][1] == at and before not in ("E", "S")
        goes_on = prefix in ("I", "E") and open_ and spans[-1][2] == label
        if prefix != "O" and not goes_on:
            spans.append((at, at + 1, label))
        elif prefix != "O":
            spans[-1] = (spans[-1][0], at + 1, label)
        before = prefix
    return spans


SHAPES = {"IOB2": "BI*", "IOE2": "I*E", "IOBES": "S|BI*E", "BILOU": "U|BI*L"}


def well_formed_only(scheme: str, tags: Sequence[str]) -> list[Span]:
    """Read the runs of tags of one label that have the shape of a segment, the longest (T9)."""
    spans: list[Span] = []
    at = 0
    while at < len(tags):
        label = tags[at].partition("-")[2]
        run = ""
        for tag in tags[at:]:
            if tag == "O" or tag.partition("-")[2] != label:
                break
            run += tag[0]
        found = re.match(SHAPES[scheme], run)
        if found:
            spans.append((at, at + found.end(), label))
        at += found.end() if found else 1
    return spans


def apart(rng: random.Random, n: int, labels: str, touching: bool = True) -> list[Span]:
    """Draw segments that do not overlap; of one label they may touch, unless told otherwise."""
    spans: list[Span] = []
    at = 0
    while at < n:
        length = rng.randint(1, 3)
        label = rng.choice(labels)
        met = spans and spans[-1][1] == at and spans[-1][2] == label
        if at + length <= n and rng.random() < 0.5 and (touching or not met):
            spans.append((at, at + length, label))
            at += length
        else:
            at += 1
    return spans


def tags() -> Iterator[Case]:
    """Yield the cases of chapter T."""
    rng = random.Random(1)
    for scheme in ("IO", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU"):
        rule = {"IO": "T1", "IOB1": "T2", "IOB2": "T3", "IOE1": "T4", "IOE2": "T5"}.get(scheme)
        rule = rule or {"IOBES": "T6", "BILOU": "T7"}[scheme]
        smallest = [[(0, 1, "A")], [(0, 2, "A")], [(0, 3, "A")], [(0, 1, "A"), (1, 2, "B")]]
        if scheme != "IO":
            smallest += [[(0, 1, "A"), (1, 2, "A")], [(0, 2, "A"), (2, 4, "A")]]
        drawn = [apart(rng, rng.randint(4, 12), "AB", scheme != "IO") for _ in range(12)]
        for spans in [[], *smallest, *drawn]:
            n = max((end for _, end, _ in spans), default=2) + rng.randint(0, 2)
            given = {"scheme": scheme, "strict": True, "tags": well_formed(scheme, n, spans)}
            yield case(rule, given, [list(x) for x in spans], "tags written from the segments")
    pieces = [f"{p}-{label}" for p in "BIES" for label in "AB"]
    for length in (1, 2):
        for some in product([*pieces, "O"], repeat=length):
            if length == 1 or rng.random() < 0.7:
                given = {"scheme": "IOBES", "strict": False, "tags": list(some)}
                yield case("T8", given, [list(x) for x in chunks(some)], "conlleval's rule")
    for _ in range(40):
        some = tuple(rng.choice([*pieces, "O", "O"]) for _ in range(rng.randint(3, 8)))
        given = {"scheme": "IOBES", "strict": False, "tags": list(some)}
        yield case("T8", given, [list(x) for x in chunks(some)], "conlleval's rule")
    for _ in range(20):
        some = tuple(
            rng.choice(["O", *(f"{p}-{label}" for p in "BILU" for label in "AB")])
            for _ in range(rng.randint(2, 7))
        )
        given = {"scheme": "BILOU", "strict": False, "tags": list(some)}
        yield case("T8", given, [list(x) for x in chunks(some)], "conlleval's rule")
    for scheme in SHAPES:
        prefixes = [f"{p}-{label}" for p in sorted({*PREFIXES[scheme]}) for label in "AB"]
        for _ in range(15):
            some = tuple(rng.choice([*prefixes, "O"]) for _ in range(rng.randint(2, 7)))
            given = {"scheme": scheme, "strict": True, "tags": list(some)}
            read = well_formed_only(scheme, some)
            yield case("T9", given, [list(x) for x in read], "runs of the shape of a segment")


# --- M: matches, C: figures -----------------------------------------------------------------------


def shared(x: Span, y: Span) -> int:
    """Count the units that two segments share."""
    return max(0, min(x[1], y[1]) - max(x[0], y[0]))


def one_to_one(a: Sequence[Span], b: Sequence[Span], fits: Callable[[Span, Span], bool]) -> int:
    """Count the pairs of the largest matching, by trying all."""
    few, many = sorted((list(a), list(b)), key=len)
    best = 0
    for some in permutations(range(len(many)), len(few)):
        best = max(best, sum(fits(x, many[j]) for x, j in zip(few, some, strict=True)))
    return best


def matched(measure: str, a: Sequence[Span], b: Sequence[Span], tolerance: int = 0) -> Fraction:
    """Return what two annotations of a document have in common (M1 to M7)."""
    if tolerance:
        return Fraction(
            one_to_one(
                a,
                b,
                lambda x, y: (
                    x[2] == y[2] and abs(x[0] - y[0]) <= tolerance and abs(x[1] - y[1]) <= tolerance
                ),
            )
        )
    if measure == "overlap":
        return Fraction(one_to_one(a, b, lambda x, y: x[2] == y[2] and shared(x, y) > 0))
    if measure == "partial":
        return best_sum(a, b, lambda x, y: Fraction(shared(x, y) > 0) / (2 - (x[:2] == y[:2])))
    return sum((similar(measure, x, y) for x in a for y in b), Fraction())


def best_sum(
    a: Sequence[Span], b: Sequence[Span], value: Callable[[Span, Span], Fraction]
) -> Fraction:
    """Return the greatest sum over one-to-one pairs, by trying all."""
    few, many = sorted((list(a), list(b)), key=len)
    return max(
        sum((value(x, many[j]) for x, j in zip(few, some, strict=True)), Fraction())
        for some in permutations(range(len(many)), len(few))
    )


def similar(measure: str, x: Span, y: Span) -> Fraction:
    """Return what two segments have in common, by a measure that adds over pairs."""
    if measure == "boundaries":
        return Fraction(x[:2] == y[:2])
    if x[2] != y[2]:
        return Fraction()
    if measure == "exact":
        return Fraction(x == y)
    if measure == "token":
        return Fraction(shared(x, y))
    return Fraction(shared(x, y), x[1] - x[0] + y[1] - y[0] - shared(x, y))  # iou


def size(measure: str, spans: Sequence[Span]) -> int:
    """Return how much there is to match: segments, or tokens by the measure token (C2)."""
    return sum(end - start for start, end, _ in spans) if measure == "token" else len(spans)


def scores(match: Fraction, gold: int, marked: int) -> Figures:
    """Return precision, recall and F1 (C1)."""
    return {
        "precision": ratio(match, marked),
        "recall": ratio(match, gold),
        "f1": ratio(2 * match, gold + marked),
    }


MEASURES = ("exact", "boundaries", "token", "iou", "overlap")
RULE_OF = dict(zip(MEASURES, ("M1", "M2", "M3", "M4", "M5"), strict=True))

Document = tuple[int, list[Span], list[Span]]


def documents_as_input(documents: Sequence[Document]) -> list[Any]:
    """Return documents of gold and a system as a case has them."""
    return [
        {"length": n, "gold": [list(x) for x in a], "system": [list(x) for x in b]}
        for n, a, b in documents
    ]


def totals(measure: str, documents: Sequence[Document], label: str = "") -> tuple[Any, int, int]:
    """Return the sums of documents, or what one label adds to them (C3)."""
    match, gold, marked = Fraction(), 0, 0
    for _, a, b in documents:
        a, b = ([x for x in side if x[2] == label or not label] for side in (a, b))
        match += matched(measure, a, b)
        gold += size(measure, a)
        marked += size(measure, b)
    return match, gold, marked


def near(rng: random.Random, n: int, spans: Sequence[Span], labels: str) -> list[Span]:
    """Return segments like some others: of these some are moved, renamed, left out or added."""
    for _ in range(100):
        drawn = []
        for start, end, label in spans:
            if rng.random() < 0.2:
                continue
            s = start + rng.choice((-1, 0, 0, 0, 1))
            e = end + rng.choice((-1, 0, 0, 0, 1))
            drawn.append((s, e, rng.choice(labels) if rng.random() < 0.2 else label))
        clear = all(0 <= s < e <= n for s, e, _ in drawn)
        if clear and not any(shared(x, y) for x, y in combinations(drawn, 2)):
            return drawn
    return []


def figures() -> Iterator[Case]:
    """Yield the cases of chapters M and C."""
    rng = random.Random(2)
    smallest: list[Document] = [
        (4, [], []),
        (4, [(0, 2, "A")], []),
        (4, [], [(0, 2, "A")]),
        (4, [(0, 2, "A")], [(0, 2, "A")]),
        (4, [(0, 2, "A")], [(0, 2, "B")]),
        (4, [(0, 2, "A")], [(0, 3, "A")]),
        (4, [(0, 2, "A")], [(2, 4, "A")]),
        (6, [(0, 4, "A")], [(0, 2, "A"), (2, 4, "A")]),
        (6, [(0, 2, "A"), (2, 4, "A")], [(1, 3, "A")]),
        (6, [(0, 3, "A"), (3, 6, "A")], [(2, 4, "A")]),
    ]
    for measure in MEASURES:
        for document in [*smallest, *drawn_documents(rng, 14)]:
            given: dict[str, Any] = {
                "match": measure,
                "documents": documents_as_input([document]),
            }
            sums = totals(measure, [document])
            found = scores(*sums)
            rule = "C1" if None in found.values() else RULE_OF[measure]
            yield case(rule, given, {"matched": sums[0], **found}, "all pairs")
    for tolerance in (1, 2):
        for _ in range(12):
            n = rng.randint(6, 12)
            gold = apart(rng, n, "AB")
            system = near(rng, n, gold, "AB")
            match = matched("exact", gold, system, tolerance)
            given = {"match": "exact", "tolerance": tolerance}
            given["documents"] = documents_as_input([(n, gold, system)])
            found = scores(match, len(gold), len(system))
            rule = "C1" if None in found.values() else "M6"
            yield case(rule, given, {"matched": match, **found}, "all one-to-one pairings")
    for measure in ("exact", "token"):
        for number in range(16):
            some: list[Document] = []
            for _ in range(rng.randint(2, 4)):
                n = rng.randint(5, 12)
                gold = apart(rng, n, "ABC")
                some.append((n, gold, near(rng, n, gold, "ABC" if number % 2 else "ABCD")))
            given = {"match": measure, "documents": documents_as_input(some)}
            micro = scores(*totals(measure, some))
            yield case("C2", given, micro, "sums over documents")
            labels = sorted({x[2] for _, a, b in some for x in [*a, *b]})
            by_label = [scores(*totals(measure, some, label)) for label in labels]
            macro = {name: mean([one[name] for one in by_label]) for name in micro}
            yield case("C3", {**given, "average": "macro"}, macro, "means over labels")
    rng = random.Random(7)
    for document in [*smallest, *drawn_documents(rng, 14)]:
        given = {"match": "partial", "documents": documents_as_input([document])}
        sums = totals("partial", [document])
        found = scores(*sums)
        rule = "C1" if None in found.values() else "M7"
        yield case(rule, given, {"matched": sums[0], **found}, "all one-to-one pairings")


def drawn_documents(rng: random.Random, number: int) -> list[Document]:
    """Draw documents with segments of gold and like ones of a system."""
    drawn = []
    for _ in range(number):
        n = rng.randint(5, 12)
        gold = apart(rng, n, "AB")
        drawn.append((n, gold, near(rng, n, gold, "AB")))
    return drawn


def mean(values: Iterable[Fraction | None]) -> Fraction | None:
    """Return the mean of the values that are defined (C3)."""
    defined = [x for x in values if x is not None]
    return ratio(sum(defined, Fraction()), len(defined))


# --- E: chance ------------------------------------------------------------------------------------


def arrangements(n: int, spans: Sequence[Span], chance: str) -> list[list[Span]]:
    """Return all placements of segments, with their lengths and labels, that a model allows."""
    placed: list[list[Span]] = [[]]
    for start, end, label in spans:
        length = end - start
        placed = [
            [*before, (at, at + length, label)]
            for before in placed
            for at in range(n - length + 1)
            if chance == "overlapping"
            or not any(
                shared((at, at + length, label), other)
                for other in before
                if chance == "nonoverlapping" or other[2] == label
            )
        ]
    return placed


def expected(measure: str, document: Document, chance: str, gold_fixed: bool) -> Fraction:
    """Return the mean match over all pairs of placements, each as likely as any other (E1)."""
    n, a, b = document
    of_a = [list(a)] if gold_fixed else arrangements(n, a, chance)
    of_b = arrangements(n, b, chance)
    total = sum((matched(measure, x, y) for x in of_a for y in of_b), Fraction())
    return total / (len(of_a) * len(of_b))


def corrected(observed: Fraction | None, by_chance: Fraction | None) -> Fraction | None:
    """Return a figure corrected for chance (E4)."""
    if observed is None or by_chance is None or by_chance == 1:
        return None
    return (observed - by_chance) / (1 - by_chance)


def few(rng: random.Random, labels: str) -> Document:
    """Draw a document whose placements can be counted: at most two segments a side."""
    while True:
        n = rng.randint(4, 8)
        gold = apart(rng, n, labels)[:2]
        system = near(rng, n, gold, labels) or apart(rng, n, labels)[:1]
        if gold and system:
            return n, gold, system[:2]


def by_chance() -> Iterator[Case]:
    """Yield the cases of chapter E."""
    rng = random.Random(3)
    rules = {"nonoverlapping": "E1", "per-label": "E2", "overlapping": "E3"}
    for chance, rule in rules.items():
        for measure in MEASURES:
            if measure == "overlap" and chance == "overlapping":
                continue  # no one-to-one pairing is meant for segments that overlap themselves
            smallest = [(3, [(0, 1, "A")], [(0, 1, "A")]), (2, [(0, 2, "A")], [(0, 2, "A")])]
            for document in [*smallest, *(few(rng, "AB") for _ in range(7))]:
                given = {"match": measure, "chance": chance}
                yield chance_case(rule, given, [document])
    for measure in ("exact", "token", "overlap"):
        for _ in range(6):
            given = {"match": measure, "chance": "nonoverlapping", "chance_of": "systems"}
            yield chance_case("E5", given, [few(rng, "AB")])
    for measure in ("exact", "token", "iou"):
        for _ in range(5):
            given = {"match": measure, "chance": "nonoverlapping"}
            yield chance_case("E4", given, [few(rng, "AB") for _ in range(3)])
    rng = random.Random(8)
    for rule, more in (("E1", {}), ("E5", {"chance_of": "systems"})):
        for document in [*smallest, *(few(rng, "AB") for _ in range(6))]:
            given = {"match": "partial", "chance": "nonoverlapping", **more}
            yield chance_case(rule, given, [document])


def chance_case(rule: str, given: dict[str, Any], documents: Sequence[Document]) -> Case:
    """Return a case of expected and corrected figures over some documents."""
    measure, chance = given["match"], given["chance"]
    match, gold, marked = totals(measure, documents)
    is_fixed = given.get("chance_of") == "systems"
    mean_match = sum((expected(measure, x, chance, is_fixed) for x in documents), Fraction())
    observed, random_ = scores(match, gold, marked), scores(mean_match, gold, marked)
    figures_: Figures = {"expected_matched": mean_match}
    for name in observed:
        figures_[f"expected_{name}"] = random_[name]
        figures_[f"corrected_{name}"] = corrected(observed[name], random_[name])
    given = {**given, "documents": documents_as_input(documents)}
    return case(rule, given, figures_, "all placements of both sides, counted")


def overlapping_themselves() -> Iterator[Case]:
    """Yield the cases of annotations whose segments overlap (D4)."""
    rng = random.Random(21)
    fixed: list[Document] = [
        (5, [(0, 3, "A"), (1, 2, "A")], [(0, 2, "A"), (2, 3, "A")]),
        (6, [(0, 4, "A"), (2, 6, "A")], [(0, 1, "A"), (0, 3, "A")]),
        (4, [(0, 2, "A"), (0, 2, "B")], [(0, 2, "B"), (0, 3, "A")]),
    ]
    while len(fixed) < 12:
        n = rng.randint(4, 6)
        sides = [
            sorted(
                {(s, s + rng.randint(1, n - s), rng.choice("AB")) for s in (rng.randrange(n), 1)}
            )
            for _ in range(2)
        ]
        fixed.append((n, sides[0], sides[1]))
    for document in fixed:
        given: dict[str, Any] = {"match": "overlap", "documents": documents_as_input([document])}
        match, *sizes = totals("overlap", [document])
        figures_: Figures = {"matched": match, **scores(match, *sizes), "expected_f1": None}
        if any(
            shared(x, y) for side in document[1:] for x, y in combinations(side, 2) if x[2] == y[2]
        ):
            yield case("D4", given, figures_, "all one-to-one pairings")
        given = {"match": "exact", "chance": "overlapping"}
        yield chance_case("D4", given, [document])


# --- U: predictions that are not in the text ------------------------------------------------------

Lost = tuple[int, str]  # length and label of a prediction without a place


def unplaced() -> Iterator[Case]:
    """Yield the cases of chapter U."""
    rng = random.Random(6)
    for measure in MEASURES:
        for number in range(6):
            documents = [few(rng, "AB") for _ in range(1 + number % 3)]
            lost: list[list[Lost]] = [
                [(rng.randint(1, 3), rng.choice("ABC")) for _ in range(rng.randint(0, 3))]
                for _ in documents
            ]
            lost[0] = lost[0] or [(2, "A")]
            yield unplaced_case(measure, documents, lost)
    for measure in ("exact", "token"):  # nothing else is marked
        gold: list[Document] = [(4, [(0, 2, "A")], [])]
        yield unplaced_case(measure, gold, [[(2, "A"), (1, "B")]])


def unplaced_case(
    measure: str, documents: Sequence[Document], lost: Sequence[Sequence[Lost]]
) -> Case:
    """Return a case of figures that count predictions without a place, and their chance."""
    match, gold, marked = totals(measure, documents)
    marked += sum(length if measure == "token" else 1 for some in lost for length, _ in some)
    mean_match = sum((expected(measure, x, "nonoverlapping", False) for x in documents), Fraction())
    observed, random_ = scores(match, gold, marked), scores(mean_match, gold, marked)
    figures_: Figures = {"matched": match, "expected_matched": mean_match, **observed}
    for name in observed:
        figures_[f"expected_{name}"] = random_[name]
        figures_[f"corrected_{name}"] = corrected(observed[name], random_[name])
    rows = [
        {**row, "unplaced": [list(x) for x in some]}
        for row, some in zip(documents_as_input(documents), lost, strict=True)
    ]
    given = {"match": measure, "chance": "nonoverlapping", "documents": rows}
    rule = "U2" if measure == "token" else "U1"
    return case(rule, given, figures_, "all pairs, placements counted")


# --- A: teams with gaps ---------------------------------------------------------------------------


def teams() -> Iterator[Case]:
    """Yield the cases of chapter A."""
    rng = random.Random(4)
    for number in range(40):
        names = "pqrs"[: 2 + number % 3]
        lengths = [rng.randint(4, 7) for _ in range(rng.randint(1, 3))]
        truth = [apart(rng, n, "AB")[:2] for n in lengths]
        layers: dict[str, list[list[Span] | None]] = {
            name: [
                None if rng.random() < 0.25 else near(rng, n, spans, "AB")
                for n, spans in zip(lengths, truth, strict=True)
            ]
            for name in names
        }
        pairs: dict[tuple[str, str], list[Document]] = {}
        for p, q in combinations(names, 2):
            both = zip(lengths, layers[p], layers[q], strict=True)
            pairs[p, q] = [(n, a, b) for n, a, b in both if a is not None and b is not None]
        every = [document for some in pairs.values() for document in some]
        match, one, other = totals("exact", every)
        by_chance_ = sum((expected("exact", x, "nonoverlapping", False) for x in every), Fraction())
        observed, random_ = ratio(2 * match, one + other), ratio(2 * by_chance_, one + other)
        means = []
        for some in pairs.values():
            sums = totals("exact", some)
            means.append(ratio(2 * sums[0], sums[1] + sums[2]))
        given = {
            "lengths": lengths,
            "annotators": {
                name: [None if spans is None else [list(x) for x in spans] for spans in layer]
                for name, layer in layers.items()
            },
        }
        figures_ = {
            "team_f1": observed,
            "team_expected_f1": random_,
            "team_corrected_f1": corrected(observed, random_),
            "mean_f1_over_pairs": mean(means),
        }
        yield case("A2", given, figures_, "all pairs, placements counted")


# --- K: coefficients of labels --------------------------------------------------------------------

Labels = dict[str, list[str | None]]


def coefficients() -> Iterator[Case]:
    """Yield the cases of chapter K."""
    rng = random.Random(5)
    fixed: list[Labels] = [
        {"p": ["A", "A"], "q": ["A", "A"]},
        {"p": ["A", "B"], "q": ["A", "B"]},
        {"p": ["A", "B"], "q": ["B", "A"]},
        {"p": ["A", "A", "B"], "q": ["A", "B", "B"]},
    ]
    for number in range(60):
        names = "pqrs"[: 2 + number % 3]
        items = rng.randint(3, 12)
        gaps = 0.2 * (number % 2)
        truth = [rng.choice("AAB" if number % 4 else "ABC") for _ in range(items)]
        drawn: Labels = {
            name: [
                None if rng.random() < gaps else (x if rng.random() < 0.7 else rng.choice("ABC"))
                for x in truth
            ]
            for name in names
        }
        fixed.append(drawn)
    for labels in fixed:
        given = {"labels": labels}
        yield case("K3", given, {"alpha": alpha(labels)}, "pairs of values, counted")
        if not any(None in row for row in labels.values()):
            yield case("K2", given, {"pi": pi(labels)}, "pairs of annotators, counted")
            if len(labels) == 2:
                yield case("K1", given, {"kappa": kappa(labels)}, "the table of two, counted")


def kappa(labels: Labels) -> Fraction | None:
    """Return κ of two annotators (Cohen 1960)."""
    a, b = labels.values()
    n = len(a)
    observed = Fraction(sum(x == y for x, y in zip(a, b, strict=True)), n)
    chance = sum((Fraction(a.count(x) * b.count(x), n * n) for x in {*a, *b}), Fraction())
    return corrected(observed, chance)


def pi(labels: Labels) -> Fraction | None:
    """Return π of two annotators or more, without gaps (Scott 1955; Fleiss 1971)."""
    rows = list(zip(*labels.values(), strict=True))
    agreeing = [Fraction(x == y) for row in rows for x, y in permutations(row, 2)]
    observed = sum(agreeing, Fraction()) / len(agreeing)
    every = [x for row in rows for x in row]
    chance = sum((Fraction(every.count(x), len(every)) ** 2 for x in {*every}), Fraction())
    return corrected(observed, chance)


def alpha(labels: Labels) -> Fraction | None:
    """Return α for nominal labels (Krippendorff 2011), with gaps."""
    rows = [[x for x in row if x is not None] for row in zip(*labels.values(), strict=True)]
    rows = [row for row in rows if len(row) > 1]
    values = [x for row in rows for x in row]
    if len(values) < 2:
        return None
    disagreeing = Fraction()
    for row in rows:
        unlike = sum(x != y for x, y in permutations(row, 2))
        disagreeing += Fraction(unlike, len(row) - 1)
    observed = disagreeing / len(values)
    n = len(values)
    chance = Fraction(sum(x != y for x, y in permutations(values, 2)), n * (n - 1))
    return None if chance == 0 else 1 - observed / chance


# --- conventions of others, averages, F-beta ------------------------------------------------------


def as_spacy(tags: Sequence[str]) -> list[Span] | None:
    """Read BILOU as spaCy does: from B to the next L, labelled as L; None if refused (T10)."""
    spans: list[Span] = []
    begun: int | None = None
    for at, tag in enumerate(tags):
        prefix, _, label = tag.partition("-")
        if prefix in ("I", "L") and begun is None:
            return None
        if prefix == "B":
            begun = at
        elif prefix == "U":
            spans.append((at, at + 1, label))
        elif prefix == "L" and begun is not None:
            spans.append((begun, at + 1, label))
            begun = None
    return sorted(spans)


def tags_of_spacy() -> Iterator[Case]:
    """Yield the cases of T10."""
    rng = random.Random(11)
    few = ["B-A L-A", "U-A", "B-A O L-A", "B-A L-B", "B-A I-B L-A", "B-A U-B L-A", "B-A O"]
    few += ["I-A", "O L-A", "B-A B-A L-A", "B-A L-A I-A"]
    some = [line.split() for line in few]
    pool = ["O", "B-A", "I-A", "L-A", "U-A", "B-B", "L-B"]
    some += [["B-A", *(rng.choice(pool) for _ in range(rng.randint(1, 6)))] for _ in range(19)]
    for tags_ in some:
        given = {"scheme": "BILOU", "strict": False, "reader": "spacy", "tags": tags_}
        read = as_spacy(tags_)
        if read is None:
            yield {"rule": "T10", "input": given, "refused": True, "oracle": "from B to L"}
        else:
            yield case("T10", given, [list(x) for x in read], "from B to L")


def typed(gold: Sequence[Span], system: Sequence[Span]) -> int:
    """Count the right pairs of SemEval's type: each prediction takes the best one left (M8)."""
    left = sorted(gold)
    right = 0
    for x in sorted(system):
        met = [y for y in left if shared(x, y)]
        same = [y for y in met if y[2] == x[2]]
        if same:
            left.remove(min(same, key=lambda y: (abs(y[0] - x[0]) + abs(y[1] - x[1]), y)))
            right += 1
        elif met:
            left.remove(met[0])
    return right


def any_overlap(documents: Sequence[Document]) -> Figures:
    """Return figures where a segment is right as soon as one of its label overlaps it (M9)."""
    sides = [(a, b) for _, a, b in documents]
    found = sum(any(x[2] == y[2] and shared(x, y) for y in b) for a, b in sides for x in a)
    right = sum(any(x[2] == y[2] and shared(x, y) for y in a) for a, b in sides for x in b)
    precision = ratio(right, sum(len(b) for _, b in sides))
    recall = ratio(found, sum(len(a) for a, _ in sides))
    return {"precision": precision, "recall": recall, "f1": harmonic(precision, recall)}


def harmonic(precision: Fraction | None, recall: Fraction | None) -> Fraction | None:
    """Return the harmonic mean: 0 if both are 0, undefined if both are."""
    if precision is None and recall is None:
        return None
    p, r = precision or Fraction(), recall or Fraction()
    return 2 * p * r / (p + r) if p + r else Fraction()


def f_beta(match: Fraction, gold: int, marked: int, beta: Fraction) -> Fraction | None:
    """Return F-beta, in which recall weighs β times as much as precision (C4)."""
    square = beta * beta
    return ratio((1 + square) * match, square * gold + marked)


def divided(match: Fraction, gold: int, marked: int, nothing: int) -> dict[str, Fraction]:
    """Return precision, recall and F1 with a number for what has nothing to divide by (C5)."""
    p = Fraction(nothing) if marked == 0 else Fraction(match) / marked
    r = Fraction(nothing) if gold == 0 else Fraction(match) / gold
    return {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else Fraction()}


def several(rng: random.Random, labels: str) -> list[Document]:
    """Draw some documents of gold and a system, which has a label more than gold at times."""
    some: list[Document] = []
    for _ in range(rng.randint(1, 3)):
        n = rng.randint(5, 12)
        gold = apart(rng, n, "ABC")
        some.append((n, gold, near(rng, n, gold, labels)))
    return some


def more_figures() -> Iterator[Case]:
    """Yield the cases of F-beta, averages and matches that others use."""
    rng = random.Random(12)
    nested: list[Document] = [
        (8, [(0, 2, "A"), (2, 5, "A")], [(1, 4, "A"), (4, 6, "A")]),
        (6, [(0, 4, "A")], [(0, 2, "A"), (2, 4, "A")]),
        (6, [(0, 2, "A"), (2, 4, "B")], [(0, 4, "B")]),
        (6, [(0, 2, "A"), (2, 4, "B")], [(0, 3, "C"), (3, 4, "B")]),
    ]
    for document in [*nested, *drawn_documents(rng, 16)]:
        given: dict[str, Any] = {"match": "type", "documents": documents_as_input([document])}
        match = Fraction(typed(document[1], document[2]))
        found = scores(match, len(document[1]), len(document[2]))
        if None not in found.values():
            yield case("M8", given, {"matched": match, **found}, "pairs in the order of the text")
    for document in [*nested, *drawn_documents(rng, 16)]:
        given = {"match": "any-overlap", "documents": documents_as_input([document])}
        found = any_overlap([document])
        if None not in found.values():
            yield case("M9", given, found, "each segment against all others")
    for beta in (Fraction(1, 2), Fraction(2), Fraction(3)):
        for measure in ("exact", "token"):
            for document in [(4, [(0, 2, "A")], []), *drawn_documents(rng, 4)]:
                given = {"match": measure, "beta": float(beta)}
                given["documents"] = documents_as_input([document])
                value = f_beta(*totals(measure, [document]), beta)
                yield case("C4", given, {"f_beta": value}, "all pairs")
    smallest: list[list[Document]] = [
        [(4, [], [])],
        [(4, [(0, 2, "A")], [])],
        [(4, [], [(0, 2, "A")])],
        [(4, [(0, 2, "A")], [(0, 2, "B")])],
    ]
    for nothing in (0, 1):
        for average in ("micro", "macro"):
            for some in [*smallest, *(several(rng, "ABCD") for _ in range(5))]:
                labels = labels_of(some)
                if average == "macro" and not labels:
                    continue
                rows = [totals("exact", some, label) for label in labels]
                rows = [totals("exact", some)] if average == "micro" else rows
                each = [divided(*row, nothing) for row in rows]
                means: Figures = {name: mean([x[name] for x in each]) for name in each[0]}
                given = {"match": "exact", "average": average, "zero_division": nothing}
                given["documents"] = documents_as_input(some)
                yield case("C5", given, means, "sums, and means over labels")
    for some in [*smallest[1:2], *smallest[3:], *(several(rng, "ABCD") for _ in range(12))]:
        rows = [totals("exact", some, label) for label in labels_of(some)]
        weight = sum(gold for _, gold, _ in rows)
        if weight:
            each = [divided(*row, 0) for row in rows]
            weighted: Figures = {
                name: sum((x[name] * row[1] for x, row in zip(each, rows, strict=True)), Fraction())
                / weight
                for name in each[0]
            }
            given = {"match": "exact", "average": "weighted", "zero_division": 0}
            given["documents"] = documents_as_input(some)
            yield case("C6", given, weighted, "means over labels by their gold segments")


def labels_of(documents: Sequence[Document]) -> list[str]:
    """Return the labels that gold or the system has."""
    return sorted({x[2] for _, a, b in documents for x in [*a, *b]})


# --- P: segments of several pieces ----------------------------------------------------------------

Pieced = tuple[tuple[tuple[int, int], ...], str]  # pieces in order, and a label


def units(x: Pieced) -> set[int]:
    """Return the units of a segment."""
    return {at for start, end in x[0] for at in range(start, end)}


def similar_pieces(measure: str, x: Pieced, y: Pieced) -> Fraction:
    """Return what two segments of pieces have in common (P1, P2)."""
    if measure == "boundaries":
        return Fraction(x[0] == y[0])
    if x[1] != y[1]:
        return Fraction()
    if measure == "exact":
        return Fraction(x[0] == y[0])
    common = len(units(x) & units(y))
    return Fraction(common) if measure == "token" else Fraction(common, len(units(x) | units(y)))


def moved(x: Pieced, by: int) -> Pieced:
    """Return a segment that is put elsewhere, with its pieces and gaps as they are."""
    return tuple((start + by, end + by) for start, end in x[0]), x[1]


def placed_blocks(n: int, side: Sequence[Pieced], chance: str) -> list[list[Pieced]]:
    """Return all placements of segments of pieces (P3)."""
    blocks: list[list[Pieced]] = []
    for x in sorted(side):
        last = max((y[0][-1][1] for y in blocks[-1]), default=0) if blocks else 0
        if blocks and chance == "nonoverlapping" and x[0][0][0] < last:
            blocks[-1].append(x)
        else:
            blocks.append([x])
    placed: list[tuple[list[Pieced], list[tuple[int, int]]]] = [([], [])]
    for block in blocks:
        start, end = block[0][0][0][0], max(y[0][-1][1] for y in block)
        placed = [
            ([*there, *(moved(x, at - start) for x in block)], [*taken, (at, at + end - start)])
            for there, taken in placed
            for at in range(n - (end - start) + 1)
            if chance == "overlapping"
            or all(at >= other[1] or at + end - start <= other[0] for other in taken)
        ]
    return [there for there, _ in placed]


def drawn_pieces(rng: random.Random, n: int) -> list[Pieced]:
    """Draw one or two segments, of one piece or two, that share no unit."""
    while True:
        side: list[Pieced] = []
        for _ in range(rng.randint(1, 2)):
            start = rng.randint(0, n - 2)
            pieces = [(start, start + rng.randint(1, 2))]
            if rng.random() < 0.7:
                again = pieces[0][1] + rng.randint(1, 2)
                pieces.append((again, again + 1))
            side.append((tuple(pieces), rng.choice("AB")))
        inside = all(x[0][-1][1] <= n for x in side)
        if inside and not any(units(x) & units(y) for x, y in combinations(side, 2)):
            return sorted(side)


def pieces() -> Iterator[Case]:
    """Yield the cases of chapter P."""
    rng = random.Random(13)
    whole: Pieced = (((0, 2), (4, 5)), "A")
    fixed: list[tuple[int, list[Pieced], list[Pieced]]] = [
        (6, [whole], [whole]),
        (6, [whole], [(((0, 2), (3, 4)), "A")]),
        (6, [whole], [(((0, 5),), "A")]),
        (6, [whole], [(((0, 2), (4, 5)), "B")]),
        (7, [whole, (((2, 3),), "B")], [whole, (((3, 4),), "B")]),
    ]
    for measure in ("exact", "boundaries", "token", "iou"):
        drawn = []
        for _ in range(6):
            n = rng.randint(5, 7)
            drawn.append((n, drawn_pieces(rng, n), drawn_pieces(rng, n)))
        for n, a, b in [*fixed, *drawn]:
            sizes = [
                sum(len(units(x)) if measure == "token" else 1 for x in side) for side in (a, b)
            ]

            def total(one: Sequence[Pieced], other: Sequence[Pieced]) -> Fraction:
                pairs = product(one, other)
                return sum((similar_pieces(measure, x, y) for x, y in pairs), Fraction())  # noqa: B023

            match = total(a, b)
            found = scores(match, sizes[0], sizes[1])
            document = {"length": n, "gold": as_lists(a), "system": as_lists(b)}
            rule = "P1" if measure in ("exact", "boundaries") else "P2"
            given: dict[str, Any] = {"match": measure, "documents": [document]}
            yield case(rule, given, {"matched": match, **found}, "sets of units")
            for chance in ("nonoverlapping", "overlapping"):
                of_a, of_b = (placed_blocks(n, side, chance) for side in (a, b))
                mean_match = sum((total(x, y) for x in of_a for y in of_b), Fraction())
                mean_match /= len(of_a) * len(of_b)
                by_chance_ = scores(mean_match, sizes[0], sizes[1])["f1"]
                figures_ = {
                    "expected_matched": mean_match,
                    "expected_f1": by_chance_,
                    "corrected_f1": corrected(found["f1"], by_chance_),
                }
                given = {"match": measure, "chance": chance, "documents": [document]}
                yield case("P3", given, figures_, "all placements of blocks, counted")


def as_lists(side: Sequence[Pieced]) -> list[Any]:
    """Return segments of pieces as a case has them."""
    return [[[list(piece) for piece in x[0]], x[1]] for x in side]


# --- R: relations and attributes ------------------------------------------------------------------

Link = tuple[int, int, str]  # positions of two segments, and a label


def keyed(spans: Sequence[Span], link: Link, undirected: bool, untyped: bool) -> Any:
    """Return what two relations that match have in common (R1 to R3)."""
    ends = (spans[link[0]], spans[link[1]])
    return (tuple(sorted(ends)) if undirected else ends, "" if untyped else link[2])


def subsets(pool: Sequence[Any], number: int) -> list[frozenset[Any]]:
    """Return all choices of so many of a pool."""
    return [frozenset(some) for some in combinations(pool, number)]


def mean_common(pool_a: Sequence[Any], a: int, pool_b: Sequence[Any], b: int) -> Fraction:
    """Return how many two random choices have in common, over all pairs of choices (R4)."""
    of_a, of_b = subsets(pool_a, a), subsets(pool_b, b)
    return Fraction(sum(len(x & y) for x in of_a for y in of_b), len(of_a) * len(of_b))


def relations() -> Iterator[Case]:
    """Yield the cases of chapter R."""
    rng = random.Random(14)
    for number in range(48):
        undirected, untyped, pairs = number % 4 == 1, number % 4 == 2, ("types", "all")[number % 2]
        n = 9
        gold = [
            (s, s + 1, rng.choice("PQ")) for s in sorted(rng.sample(range(n), rng.randint(2, 4)))
        ]
        system = [x for x in gold if rng.random() < 0.8]
        system += [(s, s + 1, "P") for s in range(n) if rng.random() < 0.1 and not at(gold, s)]
        system.sort()
        sides = (gold, system)
        links: list[list[Link]] = []
        for side in sides:
            chosen: dict[Any, Link] = {}
            for _ in range(rng.randint(1, 3)):
                if len(side) > 1:
                    i, j = rng.sample(range(len(side)), 2)
                    link = (i, j, rng.choice("xy"))
                    key_ = keyed(side, link, undirected, untyped), link[2]
                    chosen.setdefault(key_, link)
            links.append(sorted(chosen.values()))
        if not any(links):
            continue
        keys = [
            {keyed(side, x, undirected, untyped) for x in some}
            for side, some in zip(sides, links, strict=True)
        ]
        match = Fraction(len(keys[0] & keys[1]))
        found = scores(match, len(keys[0]), len(keys[1]))
        given: dict[str, Any] = {
            "what": "relations",
            "pairs": pairs,
            "documents": [
                {
                    "length": n,
                    "gold": [list(x) for x in gold],
                    "system": [list(x) for x in system],
                    "gold_relations": [list(x) for x in links[0]],
                    "system_relations": [list(x) for x in links[1]],
                }
            ],
        }
        if undirected:
            given["undirected"] = sorted({x[2] for some in links for x in some})
        if untyped:
            given["untyped"] = True
        rule = "R3" if undirected else "R2" if untyped else "R1"
        if None in found.values():
            rule = "C1"
        yield case(rule, given, {"matched": match, **found}, "sets of relations")

        def kind(ends: Any) -> Any:
            return () if pairs == "all" else tuple(x[2] for x in ends)  # noqa: B023

        pools: list[dict[Any, list[Any]]] = []
        for side in sides:
            pool: dict[Any, set[Any]] = {}
            for ends in permutations(side, 2):
                ends_ = tuple(sorted(ends)) if undirected else ends
                pool.setdefault(kind(ends_), set()).add(ends_)
            pools.append({key: sorted(some) for key, some in pool.items()})
        expected_ = Fraction()
        kinds = {(kind(ends), label) for some in keys for ends, label in some}
        for key in kinds:
            counts = [sum((kind(ends), x) == key for ends, x in some) for some in keys]
            of_both = (pools[0].get(key[0], []), pools[1].get(key[0], []))
            expected_ += mean_common(of_both[0], counts[0], of_both[1], counts[1])
        by_chance_ = scores(expected_, len(keys[0]), len(keys[1]))["f1"]
        figures_ = {
            "expected_matched": expected_,
            "expected_f1": by_chance_,
            "corrected_f1": corrected(found["f1"], by_chance_),
        }
        yield case("R4", given, figures_, "all choices of pairs, counted")
    yield from attributes(rng)


def at(spans: Sequence[Span], start: int) -> bool:
    """Return whether a segment starts there."""
    return any(x[0] == start for x in spans)


def attributes(rng: random.Random) -> Iterator[Case]:
    """Yield the cases of attributes."""
    for number in range(36):
        what = ("items", "label")[number % 2]
        n = rng.randint(4, 7)
        gold = apart(rng, n, "AB")[:3] or [(0, 1, "A")]
        system = [x for x in gold if rng.random() < 0.8]
        rows = [[(x, rng.choice(["", "y", "y", "z"])) for x in side] for side in (gold, system)]
        if not any(value for row in rows for _, value in row):
            continue
        sides = [[[*x, {"v": value} if value else {}] for x, value in row] for row in rows]
        document = {"length": n, "gold": sides[0], "system": sides[1]}
        figures_: Figures
        if what == "items":
            keys = [{(x, value) for x, value in row if value} for row in rows]
            match = Fraction(len(keys[0] & keys[1]))
            expected_ = Fraction()
            for label, value in sorted({(x[2], value) for some in keys for x, value in some}):
                pools = [[x for x, _ in row if x[2] == label] for row in rows]
                counts = [sum((x[2], v) == (label, value) for x, v in some) for some in keys]
                expected_ += mean_common(pools[0], counts[0], pools[1], counts[1])
            sizes = (len(keys[0]), len(keys[1]))
            given: dict[str, Any] = {"what": "attributes", "documents": [document]}
            rule, oracle = "R5", "all choices of segments, counted"
        else:
            merged = [[(s, e, f"{label}/{value}") for (s, e, label), value in row] for row in rows]
            match = matched("exact", merged[0], merged[1])
            expected_ = expected("exact", (n, merged[0], merged[1]), "nonoverlapping", False)
            sizes = (len(merged[0]), len(merged[1]))
            given = {"match": "exact", "attribute": "v", "documents": [document]}
            rule, oracle = "R6", "all placements of both sides, counted"
        found = scores(match, *sizes)
        by_chance_ = scores(expected_, *sizes)["f1"]
        figures_ = {"matched": match, **found, "expected_f1": by_chance_}
        figures_["corrected_f1"] = corrected(found["f1"], by_chance_)
        yield case("C1" if None in found.values() else rule, given, figures_, oracle)


# --- U: strings, and quotes that are left out -----------------------------------------------------


def strings() -> Iterator[Case]:
    """Yield the cases of predictions that are strings, and of quotes that are left out."""
    rng = random.Random(15)
    pool = ["Jo", "jo", "Al", "New York", "new  york", "NEW\nYork", "Bo"]
    for number in range(30):
        measure = ("exact", "exact", "boundaries")[number % 3]
        documents, match, sizes = [], Fraction(), [0, 0]
        for _ in range(rng.randint(1, 3)):
            sides = [
                [[rng.choice(pool), rng.choice("AB")] for _ in range(rng.randint(0, 4))]
                for _ in range(2)
            ]
            bags = [
                [(" ".join(x.lower().split()), y if measure == "exact" else "") for x, y in side]
                for side in sides
            ]
            match += sum(min(bags[0].count(x), bags[1].count(x)) for x in set(bags[0]))
            sizes = [size + len(side) for size, side in zip(sizes, sides, strict=True)]
            documents.append({"gold_strings": sides[0], "system_strings": sides[1]})
        found = scores(match, sizes[0], sizes[1])
        given: dict[str, Any] = {"match": measure, "strings": True, "documents": documents}
        if sizes[0] + sizes[1]:
            figures_: Figures = {"matched": match, **found, "expected_f1": None}
            yield case("U3", given, figures_, "multisets")
    for measure in ("exact", "token"):
        for number in range(6):
            some = [few(rng, "AB") for _ in range(1 + number % 2)]
            rows = [{**row, "unplaced": [[2, "A"]]} for row in documents_as_input(some)]
            sums = totals(measure, some)
            mean_match = sum(
                (expected(measure, x, "nonoverlapping", False) for x in some), Fraction()
            )
            figures_ = {"matched": sums[0], **scores(*sums)}
            figures_["expected_f1"] = scores(mean_match, *sums[1:])["f1"]
            given = {"match": measure, "chance": "nonoverlapping", "unplaced": "ignore"}
            yield case(
                "U4", {**given, "documents": rows}, figures_, "all pairs, placements counted"
            )


# --- A: what was seen -----------------------------------------------------------------------------


def seen() -> Iterator[Case]:
    """Yield the cases of what annotators saw: not seen is not the same as nothing marked."""
    rng = random.Random(16)
    one: list[Span] = [(0, 1, "A")]
    fixed: list[dict[str, list[list[Span] | None]]] = [
        {"p": [one, one], "q": [one, None]},
        {"p": [one, one], "q": [one, []]},
        {"p": [one, []], "q": [one, []]},
        {"p": [[], []], "q": [[], []]},
        {"p": [one, None], "q": [None, one]},
        {"p": [one, one], "q": [one, None], "r": [None, one]},
    ]
    drawn = []
    for _ in range(14):
        n = 5
        truth = [apart(rng, n, "AB")[:2] for _ in range(3)]
        names = "pqr"[: rng.randint(2, 3)]
        drawn.append(
            {
                who: [None if rng.random() < 0.3 else near(rng, n, spans, "AB") for spans in truth]
                for who in names
            }
        )
    for number, layers in enumerate([*fixed, *drawn]):
        pairs: Figures = {}
        sums = [Fraction(), Fraction(), Fraction()]
        for p, q in combinations(layers, 2):
            both = zip(layers[p], layers[q], strict=True)
            some = [(5, a, b) for a, b in both if a is not None and b is not None]
            match, left, right = totals("exact", some)
            pairs[f"f1 {p} {q}"] = ratio(2 * match, left + right) if some else None
            sums = [x + y for x, y in zip(sums, (match, left, right), strict=True)]
        given = {
            "lengths": [5] * len(layers["p"]),
            "annotators": {
                who: [None if spans is None else [list(x) for x in spans] for spans in layer]
                for who, layer in layers.items()
            },
        }
        team = ratio(2 * sums[0], sums[1] + sums[2])
        rule = "D3" if number < len(fixed) else "A1"
        yield case(rule, given, {**pairs, "team_f1": team}, "documents that both saw, all pairs")


# --- K: more coefficients -------------------------------------------------------------------------


def more_coefficients() -> Iterator[Case]:
    """Yield the cases of SPA and AC1, and of π and κ with gaps."""
    rng = random.Random(17)
    fixed: list[Labels] = [
        {"p": ["A", "A"], "q": ["A", "A"]},
        {"p": ["A", "B"], "q": ["A", "B"]},
        {"p": ["A", "B", "A"], "q": ["A", None, "B"], "r": ["A", "B", None]},
    ]
    for number in range(24):
        names = "pqrs"[: 2 + number % 3]
        truth = [rng.choice("ABC") for _ in range(rng.randint(3, 9))]
        fixed.append(
            {
                who: [
                    None
                    if rng.random() < 0.2 * (number % 2)
                    else (x if rng.random() < 0.7 else rng.choice("ABC"))
                    for x in truth
                ]
                for who in names
            }
        )
    for labels in fixed:
        given = {"labels": labels}
        rows = [[x for x in row if x is not None] for row in zip(*labels.values(), strict=True)]
        rows = [row for row in rows if row]
        compared = [row for row in rows if len(row) > 1]
        if not compared:
            continue
        categories = sorted({x for row in rows for x in row})
        agreeing = [share_of_pairs(row) for row in compared]
        weights = [len(row) - 1 for row in compared]
        whole = sum(weights)
        observed = sum((w * p for w, p in zip(weights, agreeing, strict=True)), Fraction()) / whole
        share = {
            k: sum(
                (
                    w * Fraction(row.count(k), len(row))
                    for w, row in zip(weights, compared, strict=True)
                ),
                Fraction(),
            )
            / whole
            for k in categories
        }
        chance = sum((p * p for p in share.values()), Fraction())
        figures_: Figures = {"spa": observed, "spa_expected": chance}
        figures_["spa_corrected"] = corrected(observed, chance)
        yield case("K4", given, figures_, "pairs of labels, counted")
        mean_agreement = sum(agreeing, Fraction()) / len(agreeing)
        p_of = {
            k: sum((Fraction(row.count(k), len(row)) for row in rows), Fraction()) / len(rows)
            for k in categories
        }
        q = len(categories)
        of_ac1 = sum((p * (1 - p) for p in p_of.values()), Fraction())
        ac1 = None if q < 2 else corrected(mean_agreement, of_ac1 / (q - 1))
        yield case("K5", given, {"ac1": ac1}, "pairs of labels, counted")
        yield case(
            "K8", given, {"mean_kappa": mean_kappa(labels)}, "the table of each two, counted"
        )
        complete = complete_items(labels)
        if len(complete) > 1 and any(complete.values()):
            figures_ = {"pi": pi(complete)}
            figures_ |= {"kappa": kappa(complete)} if len(complete) == 2 else {}
            given_complete = {"labels": labels, "complete_only": True}
            yield case("K7", given_complete, figures_, "pairs of annotators, counted")
        if q < 2:
            continue
        own = [[x for x in row if x is not None] for row in labels.values()]
        own = [row for row in own if row]
        of_pairs = [
            sum(
                (Fraction(a.count(k) * b.count(k), len(a) * len(b)) for k in categories), Fraction()
            )
            for a, b in combinations(own, 2)
        ]
        of_kappa = sum(of_pairs, Fraction()) / len(of_pairs) if of_pairs else None
        of_pi = sum((p * p for p in p_of.values()), Fraction())
        figures_ = {
            "pi": corrected(mean_agreement, of_pi),
            "kappa": corrected(mean_agreement, of_kappa),
        }
        yield case("K6", given, figures_, "pairs of labels and of annotators, counted")


def complete_items(labels: Labels) -> Labels:
    """Return the items that all labelled who labelled any."""
    own = {who: row for who, row in labels.items() if any(x is not None for x in row)}
    kept = [row for row in zip(*own.values(), strict=True) if None not in row]
    return {who: [row[i] for row in kept] for i, who in enumerate(own)}


def mean_kappa(labels: Labels) -> Fraction | None:
    """Return the mean of κ over pairs of annotators, each over the items that both labelled."""
    found = []
    for pair in combinations(labels, 2):
        both = complete_items({who: labels[who] for who in pair})
        value = kappa(both) if len(both) == 2 and any(both.values()) else None
        found += [] if value is None else [value]
    return sum(found, Fraction()) / len(found) if found else None


def share_of_pairs(row: Sequence[str]) -> Fraction:
    """Return the share of the pairs of an item's labels that are equal."""
    pairs = list(combinations(row, 2))
    return Fraction(sum(x == y for x, y in pairs), len(pairs))


# --- N: units on a continuum ----------------------------------------------------------------------


def sections(length: int, spans: Sequence[Span], label: str) -> list[tuple[int, int, bool]]:
    """Return the units of a category and the gaps between them, in order."""
    found, last = list[tuple[int, int, bool]](), 0
    for start, end, _ in sorted(x for x in spans if x[2] == label):
        if start > last:
            found.append((last, start, False))
        found.append((start, end, True))
        last = end
    return [*found, (last, length, False)] if last < length else found


def difference(x: tuple[int, int, bool], y: tuple[int, int, bool]) -> int:
    """Return how far two sections differ, squared (N1)."""
    if x[2] and y[2] and max(x[0], y[0]) < min(x[1], y[1]):
        return (x[0] - y[0]) ** 2 + (x[1] - y[1]) ** 2
    if x[2] and not y[2] and y[0] <= x[0] and x[1] <= y[1]:
        return (x[1] - x[0]) ** 2
    if y[2] and not x[2] and x[0] <= y[0] and y[1] <= x[1]:
        return (y[1] - y[0]) ** 2
    return 0


def disagreements(
    length: int, layers: Sequence[Sequence[Span]], label: str
) -> tuple[Fraction, Fraction]:
    """Return D_o and D_e of one category, by putting each two sections everywhere (N1, N2)."""
    parts = [sections(length, spans, label) for spans in layers]
    r = len(layers)
    total = sum(
        difference(x, y) for one, other in permutations(parts, 2) for x in one for y in other
    )
    observed = Fraction(total, r * (r - 1) * length**2)
    units_ = [end - start for part in parts for start, end, is_unit in part if is_unit]
    gaps = [end - start for part in parts for start, end, is_unit in part if not is_unit]
    number = 0
    for i, x in enumerate(units_):
        number += sum(
            difference((0, x, True), (by, by + y, True))
            for j, y in enumerate(units_)
            if i < j
            for by in range(1 - y, x)
        )
        number += sum(
            difference((by, by + x, True), (0, y, False)) for y in gaps for by in range(y)
        )
    places = r * length * (r * length - 1) - sum(x * (x - 1) for x in units_)
    return observed, Fraction(2 * number, length * places)


def alpha_u_case(
    rule: str, lengths: Sequence[int], layers: dict[str, list[list[Span] | None]], joined: bool
) -> Case:
    """Return a case of α_U, by category and over all."""
    compared: list[tuple[int, list[list[Span]]]] = []
    for d, n in enumerate(lengths):
        there = [spans for layer in layers.values() if (spans := layer[d]) is not None]
        if len(there) >= (len(layers) if joined else 2):
            compared.append((n, there))
    if joined and compared:
        starts = [sum(n for n, _ in compared[:d]) for d in range(len(compared))]
        every = [
            [
                (s + begin, e + begin, x)
                for begin, (_, there) in zip(starts, compared, strict=True)
                for s, e, x in there[who]
            ]
            for who in range(len(layers))
        ]
        compared = [(sum(n for n, _ in compared), every)]
    labels = sorted({x[2] for _, there in compared for spans in there for x in spans})
    weight = sum(n * n for n, _ in compared)
    sums = dict[str, list[Fraction]]()
    for label in labels:
        both = [disagreements(n, there, label) for n, there in compared]
        rows = [(n * n * o, n * n * e) for (n, _), (o, e) in zip(compared, both, strict=True)]
        sums[label] = [sum(column, Fraction()) / weight for column in zip(*rows, strict=True)]
    whole = [sum(column, Fraction()) for column in zip(*sums.values(), strict=True)]
    figures_: Figures = {}
    for name, two in [("", whole), *((f" {label}", sums[label]) for label in labels)]:
        if not two:
            figures_["alpha_u"] = None
            continue
        figures_ |= {f"observed{name}": two[0], f"expected{name}": two[1]}
        figures_[f"alpha_u{name}"] = None if two[1] == 0 else 1 - two[0] / two[1]
    given: dict[str, Any] = {
        "measure": "alpha-u",
        "continuum": "joined" if joined else "summed",
        "lengths": list(lengths),
        "annotators": {
            who: [None if spans is None else [list(x) for x in spans] for spans in layer]
            for who, layer in layers.items()
        },
    }
    return case(rule, given, figures_, "all places of each two sections, counted")


def continua() -> Iterator[Case]:
    """Yield the cases of chapter N."""
    rng = random.Random(18)
    fixed: list[dict[str, list[list[Span] | None]]] = [
        {"p": [[]], "q": [[]]},
        {"p": [[(0, 2, "A")]], "q": [[(0, 2, "A")]]},
        {"p": [[(0, 2, "A")]], "q": [[(0, 3, "A")]]},
        {"p": [[(0, 2, "A")]], "q": [[(2, 4, "A")]]},
        {"p": [[(0, 2, "A")]], "q": [[]]},
        {"p": [[(1, 4, "A")]], "q": [[(1, 2, "A"), (3, 4, "A")]]},
    ]
    for layers in fixed:
        yield alpha_u_case("N1", [6], layers, False)
    for number in range(36):
        rule = ("N1", "N2", "N3", "N4")[number % 4]
        labels = "A" if rule == "N1" else "AB"
        names = "pqr"[: 2 + number % 2]
        lengths = [rng.randint(4, 9) for _ in range(1 if rule < "N3" else rng.randint(2, 3))]
        truth = [apart(rng, n, labels) for n in lengths]
        drawn: dict[str, list[list[Span] | None]] = {
            who: [
                None if rule > "N2" and rng.random() < 0.2 else near(rng, n, spans, labels)
                for n, spans in zip(lengths, truth, strict=True)
            ]
            for who in names
        }
        yield alpha_u_case(rule, lengths, drawn, rule == "N4")


def disorders(spans: Sequence[Sequence[Span]]) -> Fraction:
    """Return the disorder of the best alignment, by trying all (N5); Δ, α and β are 1."""
    every = [(who, x) for who, some in enumerate(spans) for x in some]
    n = len(spans)

    def cost(aligned: Sequence[tuple[int, Span]]) -> Fraction:
        total = Fraction(math.comb(n, 2) - math.comb(len(aligned), 2))
        for (_, x), (_, y) in combinations(aligned, 2):
            apart_ = abs(x[0] - y[0]) + abs(x[1] - y[1])
            total += Fraction(apart_, x[1] - x[0] + y[1] - y[0]) ** 2 + (x[2] != y[2])
        return total / math.comb(n, 2)

    def best(left: Sequence[tuple[int, Span]]) -> Fraction:
        if not left:
            return Fraction()
        first, *rest = left
        found = []
        for size_ in range(n):
            for some in combinations(rest, size_):
                whose = [first[0], *(who for who, _ in some)]
                if len({*whose}) == len(whose):
                    others = [x for x in rest if x not in some]
                    found.append(cost([first, *some]) + best(others))
        return min(found)

    return best(every) * n / len(every)


def aligned_units() -> Iterator[Case]:
    """Yield the cases of the observed disorder of γ."""
    rng = random.Random(20)
    fixed: list[list[list[Span]]] = [
        [[(0, 2, "A")], [(0, 2, "A")]],
        [[(0, 2, "A")], [(0, 3, "A")]],
        [[(0, 2, "A")], [(0, 2, "B")]],
        [[(0, 2, "A")], [(4, 6, "A")]],
        [[(0, 2, "A"), (4, 6, "A")], [(0, 3, "A")], [(0, 2, "B")]],
    ]
    while len(fixed) < 15:
        base = apart(rng, 9, "AB")[:3]
        drawn = [near(rng, 9, base, "AB") for _ in range(2 + len(fixed) % 2)]
        if all(drawn):
            fixed.append(drawn)
    for spans in fixed:
        layers = {who: [[list(x) for x in some]] for who, some in zip("pqr", spans, strict=False)}
        given = {"measure": "gamma", "lengths": [9], "annotators": layers}
        yield case("N5", given, {"observed": disorders(spans)}, "all alignments")


# --- of real size ---------------------------------------------------------------------------------


def starting(n: int, spans: Sequence[Span]) -> list[list[Fraction]]:
    """Return how likely each segment starts at each unit, no two overlapping, by counting orders.

    So many of the others stand before it, in any order, with free units between; the rest behind.
    """
    lengths = [end - start for start, end, _ in spans]
    k, free = len(spans), n - sum(lengths)
    every = math.factorial(k) * math.comb(free + k, k)
    found = []
    for i, own in enumerate(lengths):
        ways = [0] * (n + 1)
        rest = lengths[:i] + lengths[i + 1 :]
        for before in range(k):
            for some in combinations(range(k - 1), before):
                taken = sum(rest[j] for j in some)
                orders = math.factorial(before) * math.factorial(k - 1 - before)
                for x in range(taken, taken + free + 1):
                    gap, after = x - taken, free - (x - taken)
                    ways[x] += (
                        orders
                        * math.comb(gap + before, before)
                        * math.comb(after + k - 1 - before, k - 1 - before)
                    )
        found.append([Fraction(way, every) for way in ways[: n - own + 1]])
    return found


def expected_by_starts(measure: str, document: Document) -> Fraction:
    """Return the expected match from where each segment may start (exact and token)."""
    n, a, b = document
    of_a, of_b = starting(n, a), starting(n, b)
    total = Fraction()
    for (x, p), (y, q) in product(zip(a, of_a, strict=True), zip(b, of_b, strict=True)):
        if x[2] != y[2]:
            continue
        if measure == "exact" and x[1] - x[0] == y[1] - y[0]:
            total += sum((u * v for u, v in zip(p, q, strict=True)), Fraction())
        if measure == "token":
            total += sum(
                (u * v for u, v in zip(covered(n, x, p), covered(n, y, q), strict=True)), Fraction()
            )
    return total


def covered(n: int, x: Span, starts: Sequence[Fraction]) -> list[Fraction]:
    """Return how likely a segment covers each unit."""
    long = x[1] - x[0]
    return [sum(starts[max(0, unit - long + 1) : unit + 1], Fraction()) for unit in range(n)]


def wide(rng: random.Random, n: int, labels: str, most: int) -> list[Span]:
    """Draw at most so many segments that do not overlap in a longer document."""
    while True:
        spans = []
        for _ in range(rng.randint(0, most)):
            start, long = rng.randrange(n), rng.choice((1, 1, 2, 2, 3, 5))
            spans.append((start, start + long, rng.choice(labels)))
        spans.sort()
        clear = all(x[1] <= y[0] for x, y in pairwise(spans))
        if clear and (not spans or spans[-1][1] <= n):
            return spans


def of_real_size() -> Iterator[Case]:
    """Yield cases as large as the files of a small corpus, of rules that have smaller ones too."""
    rng = random.Random(19)
    kinds = ["O"] * 6 + [f"{p}-{x}" for p in "BIES" for x in ("PER", "ORG", "LOC")]
    long_tags = tuple(rng.choice(kinds) for _ in range(2000))
    given: dict[str, Any] = {"scheme": "IOBES", "strict": False, "tags": list(long_tags)}
    yield case("T8", given, [list(x) for x in chunks(long_tags)], "conlleval's rule")
    spans = apart(rng, 2000, "ABC")
    for scheme, rule in (("IOB1", "T2"), ("BILOU", "T7")):
        given = {"scheme": scheme, "strict": True, "tags": well_formed(scheme, 2000, spans)}
        yield case(rule, given, [list(x) for x in spans], "tags written from the segments")
    names = ("PER", "ORG", "LOC")
    documents: list[Document] = []
    for _ in range(120):
        n = rng.randint(12, 40)
        gold = [(s, e, names["ABC".index(x)]) for s, e, x in wide(rng, n, "ABC", 5)]
        documents.append((n, gold, near(rng, n, gold, "ABC") and changed(rng, n, gold, names)))
    for measure in ("exact", "boundaries", "token", "iou"):
        given = {"match": measure, "documents": documents_as_input(documents)}
        yield case("C2", given, scores(*totals(measure, documents)), "sums over documents")
    by_label = [scores(*totals("exact", documents, label)) for label in labels_of(documents)]
    macro = {name: mean([one[name] for one in by_label]) for name in by_label[0]}
    given = {"match": "exact", "average": "macro", "documents": documents_as_input(documents)}
    yield case("C3", given, macro, "means over labels")
    few_ = documents[:40]
    for measure in ("exact", "token"):
        match, size_a, size_b = totals(measure, few_)
        mean_match = sum((expected_by_starts(measure, x) for x in few_), Fraction())
        observed, random_ = scores(match, size_a, size_b), scores(mean_match, size_a, size_b)
        figures_: Figures = {"expected_f1": random_["f1"]}
        figures_["corrected_f1"] = corrected(observed["f1"], random_["f1"])
        given = {"match": measure, "chance": "nonoverlapping"}
        given["documents"] = documents_as_input(few_)
        yield case("E4", given, figures_, "orders of the segments, counted")
    truth = [rng.choice("AAAABBC") for _ in range(400)]
    labels: Labels = {
        who: [
            None if rng.random() < 0.3 else (x if rng.random() < 0.8 else rng.choice("ABC"))
            for x in truth
        ]
        for who in "pqrst"
    }
    yield case("K3", {"labels": labels}, {"alpha": alpha(labels)}, "pairs of values, counted")
    long: dict[str, list[list[Span] | None]] = {}
    base = wide(rng, 400, "AB", 20)
    for who in "pqr":
        long[who] = [changed(rng, 400, base, ("A", "B"))]
    yield alpha_u_case("N2", [400], long, False)


def changed(rng: random.Random, n: int, spans: Sequence[Span], labels: Sequence[str]) -> list[Span]:
    """Return segments of which some are moved, renamed or left out, where there is room."""
    found: list[Span] = []
    for start, end, label in spans:
        if rng.random() < 0.15:
            continue
        s, e = start + rng.choice((-1, 0, 0, 0)), end + rng.choice((0, 0, 0, 1))
        last = found[-1][1] if found else 0
        if not last <= s < e <= n:
            s, e = start, end
        if s >= last:
            found.append((s, e, rng.choice(labels) if rng.random() < 0.1 else label))
    return found


# --- files ----------------------------------------------------------------------------------------

CHAPTERS: dict[str, Sequence[Callable[[], Iterator[Case]]]] = {
    "tags": [tags, tags_of_spacy],
    "figures": [figures, more_figures],
    "chance": [by_chance, overlapping_themselves],
    "pieces": [pieces],
    "relations": [relations],
    "unplaced": [unplaced, strings],
    "teams": [teams, seen],
    "coefficients": [coefficients, more_coefficients],
    "units": [continua, aligned_units],
    "large": [of_real_size],
}
"""What yields the cases of each file, in the order in which they are numbered."""


def written(chapter: str, count: dict[str, int]) -> str:
    """Return the file of a chapter: a case a line, numbered within its rule over all files."""
    lines = []
    for one in (one for yielding in CHAPTERS[chapter] for one in yielding()):
        count[one["rule"]] = count.get(one["rule"], 0) + 1
        lines.append(json.dumps({"id": f"{one['rule']}.{count[one['rule']]}", **one}) + "\n")
    return "".join(lines)


def main() -> None:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    count: dict[str, int] = {}
    for chapter in CHAPTERS:
        path, text = FOLDER / f"{chapter}.jsonl", written(chapter, count)
        if not check:
            path.write_text(text, "utf-8")
        elif path.read_text("utf-8") != text:
            sys.exit(f"{path}: not as scripts/make_vectors.py writes it")
        print(f"{path.name}: {text.count(chr(10))} cases")


if __name__ == "__main__":
    main()
