"""Each rule of the specification has a case that tells when the package breaks it.

A rule is broken by another line of source, in a process of its own; then its vectors are asked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import NamedTuple

import pytest
import test_vectors

ROOT = test_vectors.ROOT
PACKAGE = ROOT / "spanagree"


class Break(NamedTuple):
    """A piece of source that is there once in the package, and what it becomes."""

    line: str
    broken: str


BREAKS = {
    "D3": Break("np.flatnonzero(layer.annotated) * len", "np.unique(layer.document) * len"),
    "D4": Break("    if measure.disjoint:\n        return _find_candidate_pairs", "    if True:\n        return _find_candidate_pairs"),
    "T1": Break(" | ~self.same_before\n", "\n"),
    "T2": Break('"B": B,', '"B": I,'),
    "T3": Break("_is_among(self.prefix, (B, S)) |", "_is_among(self.prefix, (S,)) |"),
    "T4": Break("_is_among(self.before, (O, E, S))", "_is_among(self.before, (O, S))"),
    "T5": Break('"E": E,', '"E": I,'),
    "T6": Break('"S": S,', '"S": I,'),
    "T7": Break('"U": S,', '"U": I,'),
    "T8": Break("_is_among(self.before, (O, E, S))", "_is_among(self.before, (O, E))"),
    "T9": Break("if strict and n_ill_formed:", "if strict and n_ill_formed < 0:"),
    "M1": Break("_is_equal, kernel", "_is_equal, of_label=False, kernel"),
    "M2": Break("_is_equal, of_label=False, kernel", "_is_equal, of_label=True, kernel"),
    "M3": Break("lambda n_shared, a, b: n_shared,\n", "lambda n_shared, a, b: n_shared > 0,\n"),
    "M4": Break("either segment has.\"\"\"\n    return n_shared / (a + b - n_shared)", "either segment has.\"\"\"\n    return n_shared / (a + b)"),
    "M5": Break("return i, j, value * is_matched", "return i, j, value"),
    "M6": Break(" = find_near_pairs(*columns, measure.within)", " = find_near_pairs(*columns, 0)"),
    "M7": Break("+ _is_equal(offset, a, b)) / 2", "+ _is_equal(offset, a, b)) / 3"),
    "M8": Break("np.where(is_right, distance, 0)", "np.where(is_right, -distance, 0)"),
    "C1": Break("else build_undefined_score(ratio.undefined)", "else build_corrected_score(0.0, 0.0)"),
    "C2": Break("in_tokens=True, kernel", "in_tokens=False, kernel"),
    "C3": Break("math.fsum(column) / len(defined)", "math.fsum(column) / len(scores)"),
    "C4": Break("1 + square, square, 1,", "1 + square, 1, square,"),
    "C5": Break("= self.zero_division == 1", "= self.zero_division != 1"),
    "C6": Break('self.rows[:, 2] if average == "weighted"', 'self.rows[:, 3] if average == "weighted"'),
    "E1": Break('if chance == "per-label" else (layer_index, document)', 'if chance else (layer_index, document)'),
    "E2": Break('if chance == "per-label" else (layer_index, document)', 'if not chance else (layer_index, document)'),
    "E3": Break('return self.name == "overlapping"', "return False"),
    "E4": Break("(observed - expected) / (1 - expected)", "(observed - expected)"),
    "E5": Break('return self.whose == "systems"', "return False"),
    "P1": Break("is_equal = shape_a[i] == shape_b[j]", "is_equal = shape_a[i] == shape_a[i]"),
    "P2": Break("np.bincount(pair, n_shared, len(i))", "np.bincount(pair, None, len(i))"),
    "P3": Break("if alone or not n_segments:", "if True:"),
    "R1": Break("0 if self.untyped else i for", "0 for"),
    "R2": Break("code = {name: 0 if self.untyped else i for", "labels = tuple(names); code = {name: i for"),
    "R3": Break("[label_of_layer in undirected for label_of_layer", "[False for label_of_layer"),
    "R4": Break('np.zeros_like(label) if rule.pairs == "all" else label', "np.zeros_like(label)"),
    "R5": Break("labels.append(column[row] + len(names))", "labels.append(0 * column[row] + len(names))"),
    "R6": Break("corpus.labels[code] if value is None else", "corpus.labels[code] if True else"),
    "U1": Break("sizes[index] = size.astype(np.int64)", "sizes[index] = 0 * size.astype(np.int64)"),
    "U2": Break("if measure.in_tokens else n_quotes", "if not measure else n_quotes"),
    "U3": Break('return fold_text(normalize("NFC", text).strip())[0]', "return text"),
    "U4": Break('if self.unplaced == "ignore":', "if False:"),
    "A1": Break("np.flatnonzero(layer.annotated) * len", "np.arange(len(corpus)) * len"),
    "A2": Break("math.fsum(values) / len(values) if", "math.fsum(values) / len(f1) if"),
    "K1": Break("append_corrected(sums.observed, _sum_categories(sums.pair_products))", "append_corrected(sums.observed, _sum_categories(sums.squared_shares))"),
    "K2": Break("append_corrected(sums.observed, _sum_categories(sums.squared_shares))", "append_corrected(sums.observed, _sum_categories(sums.pair_products))"),
    "K3": Break("equal / (n * (n - 1))", "equal / (n * n)"),
    "K4": Break("share = sums.weighted_share / sums.weight", "share = sums.shares"),
    "K5": Break("(n_categories - 1 if n_categories", "(n_categories if n_categories"),
    "K6": Break("return self.share / self.seen", "return self.values / self.values.sum(axis=1, keepdims=True)"),
    "K7": Break("table.complete() if complete_only else table", "table"),
    "K8": Break("np.concatenate((n_labels_a, n_labels_b), axis=1)", "np.concatenate((n_labels_a, n_labels_a), axis=1)"),
    "N1": Break("= start_difference * start_difference + end_difference * end_difference", "= start_difference * start_difference"),
    "N2": Break("[math.fsum(row) for row", "[max(row, default=0) for row"),
    "N3": Break("units.lengths.astype(np.float64) ** 2", "units.lengths.astype(np.float64)"),
    "N4": Break("(n_seen == len(layers)) & (n_seen >= 2) if joined", "(n_seen >= 2) if joined"),
    "N5": Break("(distance / total_length) ** 2", "distance / total_length"),
}  # fmt: skip
"""A way to break each rule, by its name."""

ASKED = """
import importlib.machinery, importlib.util, json, sys
module, source, path, cases = json.load(sys.stdin)
class Broken(importlib.machinery.SourceFileLoader):
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name == self.name else None
    def get_code(self, fullname):
        return compile(source, self.path, "exec")
sys.meta_path.insert(0, Broken(module, path))
import adapters
for case in cases:
    print(json.dumps(adapters.answer(adapters.spanagree, case)))
"""


def module_with(line):
    """The module that has a piece of source, and its text."""
    texts = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    assert sum(text.count(line) for text in texts.values()) == 1, "the table has it as it is"
    return next((path, text) for path, text in texts.items() if line in text)


def own_rules():
    """The rules that have cases and that the package follows."""
    rules = {
        case["rule"] for chapter in test_vectors.CHAPTERS for case in test_vectors.cases(chapter)
    }
    return rules - test_vectors.OF_OTHERS


def test_each_rule_can_be_broken():
    """The table has every rule of the package that has cases, and no other."""
    assert BREAKS.keys() == own_rules()
    for line, _ in BREAKS.values():
        module_with(line)


@pytest.mark.slow
@pytest.mark.parametrize("rule", BREAKS)
def test_a_case_tells(rule):
    """With the rule broken, the answer to one of its cases is another; oracle: the vectors."""
    line, broken = BREAKS[rule]
    path, source = module_with(line)
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    chapters = map(test_vectors.cases, test_vectors.CHAPTERS)
    some = [case for chapter in chapters for case in chapter if case["rule"] == rule]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ASKED],
        input=json.dumps([name, source.replace(line, broken), str(path), some]),
        capture_output=True, encoding="utf-8", cwd=ROOT / "scripts", check=True,
    )  # fmt: skip
    answers = map(json.loads, done.stdout.splitlines())
    told = [
        answer
        for case, answer in zip(some, answers, strict=True)
        if test_vectors.disagreement(case, answer)
    ]
    assert any("refused" not in answer for answer in told), "another figure, not an error alone"
