"""Two measures of how code reads: the share of vague names, and of entries that begin with a noun."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PARTICIPLES_AND_VERBS = """
    adapted asked begins changed chosen compared done drawn fits found given goes kept known lead led
    lost made marked means moved named needed ordered passed placed read said saw says seen settled
    shared shown taken tested told turned united wanted
"""
PRONOUNS_AND_QUANTIFIERS = """
    any both each every few here how least many more most nobody none nothing one other others own
    same single some there two what where which who whom whose why
"""
PREPOSITIONS_AND_ADVERBS = """
    above after again ahead alike apart at before behind below beside besides between inside later
    like near often once over together twice under
"""
ADJECTIVES = """
    able flat free last left long new odd old plain rest right short wide whole
"""
OVERWORKED_NOUNS = """
    base basis form kind kinds middle number part parts place places side sides thing things top way
    ways work
"""
VAGUE = frozenset(
    f"{PARTICIPLES_AND_VERBS} {PRONOUNS_AND_QUANTIFIERS} {PREPOSITIONS_AND_ADVERBS} "
    f"{ADJECTIVES} {OVERWORKED_NOUNS}".split()
)
"""Names of variables that do not say which thing they hold, nor in which form."""
PREPOSITIONS = """
    after among as at before beside between by for from if in of on per than to under where with
    without
"""
QUESTION_WORDS = "how what when whether which who whom whose why"
PRONOUNS = "all both each it its none one others that their these this those"
NOT_A_NOUN = frozenset(f"{PREPOSITIONS} {QUESTION_WORDS} {PRONOUNS}".split())
"""First words of entries that begin with no noun."""


class Shares(NamedTuple):
    """How some files read.

    Attributes:
        vague: share of the variables and parameters with a vague name
        noun_first: share of the entries under `Args:` and `Attributes:` that begin with a noun
    """

    vague: float
    noun_first: float


def measure(trees: Iterable[ast.Module]) -> Shares:
    """Compute both shares over the syntax trees of some files."""
    names, entries = [], []
    for tree in trees:
        names += bindings(tree)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                entries += described(ast.get_docstring(node) or "")
    vague = sum(name in VAGUE for name in names)
    return Shares(vague / max(len(names), 1), sum(map(noun_first, entries)) / max(len(entries), 1))


def bindings(tree: ast.Module) -> Iterator[str]:
    """Yield the name of each parameter and of each assigned variable, without single letters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.arg not in {"self", "cls"}:
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        else:
            continue
        if len(name) > 1:
            yield name


def described(docstring: str) -> Iterator[str]:
    """Yield the text of each entry under `Args:` or `Attributes:`, of its first line."""
    for section in re.finditer(
        r"^( *)(?:Args|Attributes)[^:\n]*:\n((?:\1 +\S.*(?:\n|\Z))+)", docstring, re.M
    ):
        lines = section[2].splitlines()
        depth = min(len(line) - len(line.lstrip()) for line in lines[:1])
        for line in lines:
            entry = re.match(rf" {{{depth}}}(?! )[\w, *.]+: +(\S.*)", line)
            if entry:
                yield entry[1]


def noun_first(text: str) -> bool:
    """Whether an entry begins with a noun: "number of draws", not "how many are drawn"."""
    first = text.split()[0].lower().strip(",.;:")  # `None` in backticks is a value, and a noun
    return first not in NOT_A_NOUN and not re.match(r"the (same|others?)\b", text)
