"""Write the cases of docs/specification.md: corpora/vectors/*.jsonl, by enumeration in fractions.

Nothing but the standard library is used, and nothing of the package: what it computes is held
against these files. Each file has the cases of one chapter. `--check` compares instead of writing.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
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


# --- files ----------------------------------------------------------------------------------------

CHAPTERS: dict[str, Callable[[], Iterator[Case]]] = {
    "tags": tags,
    "figures": figures,
    "chance": by_chance,
    "unplaced": unplaced,
    "teams": teams,
    "coefficients": coefficients,
}


def written(chapter: str) -> str:
    """Return the file of a chapter: a case a line, numbered within its rule."""
    lines, count = [], dict[str, int]()
    for one in CHAPTERS[chapter]():
        count[one["rule"]] = count.get(one["rule"], 0) + 1
        lines.append(json.dumps({"id": f"{one['rule']}.{count[one['rule']]}", **one}) + "\n")
    return "".join(lines)


def main() -> None:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    for chapter in CHAPTERS:
        path, text = FOLDER / f"{chapter}.jsonl", written(chapter)
        if not check:
            path.write_text(text, "utf-8")
        elif path.read_text("utf-8") != text:
            sys.exit(f"{path}: not as scripts/make_vectors.py writes it")
        print(f"{path.name}: {text.count(chr(10))} cases")


if __name__ == "__main__":
    main()
