"""JSON and Python literals in texts: cells of tables, and answers of language models.

An answer is *damaged* if a part of it begins as JSON and cannot be read as a whole, such as one
that is cut off. What could be read of it would be a part of what the model marked.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from contextlib import suppress
from typing import Any

# no lists of numbers, which occur in footnotes
BEGINS_JSON = re.compile(r"""\[\s*(?=[\[{"\]])|\{\s*(?=["}]|'[^'\n]*'\s*:)""")
"""Beginning of a list or object in JSON, or of an object in Python."""

_SIDE_BY_SIDE = re.compile(r"""['"\d)\]}]\s+['"\d(\[{]""")
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[][{}]', re.S)
_EXAMPLE = re.compile(r"\.\.\.|…")  # in a layout that the model repeats, and in no JSON
_QUOTATION_MARKS = ("'", '"')


def parse_literal(cell: Any) -> Any:
    """Parse JSON or a Python literal in a cell of text; other cells stay unchanged.

    So do texts in which an object has a key twice, as one of its values would be lost; the lists
    under a key that comes twice in JSON are joined.

    >>> parse_literal('{"PER": ["Jo"], "PER": ["Al"]}'), parse_literal('{"a": 1, "a": 2}')
    ({'PER': ['Jo', 'Al']}, '{"a": 1, "a": 2}')
    """
    if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "{", "("):
        with suppress(ValueError, RecursionError):
            return json.loads(cell, object_pairs_hook=_join_pairs)
        with suppress(ValueError, SyntaxError, tokenize.TokenError, RecursionError, MemoryError):
            tree = ast.parse(_insert_commas(cell).lstrip(" \t"), mode="eval")
            if not any(map(_has_key_twice, ast.walk(tree))):
                return ast.literal_eval(tree)
    return cell


def extract_json(answer: str) -> tuple[Any, bool]:
    """Extract the only list or object in JSON from an answer with other words.

    Returns:
        The value, or the answer unchanged if it has none or several, or is damaged; and whether it
        is damaged.

    >>> extract_json('Here it is: {"PER": ["Jo"]}. Done.'), extract_json("No [1].")
    (({'PER': ['Jo']}, False), ('No [1].', False))
    >>> extract_json('[["Jo", "PER"], ["A')
    ('[["Jo", "PER"], ["A', True)
    """
    values: list[Any] = []
    begin = BEGINS_JSON.search(answer)
    while begin and len(values) < 2:
        value, end = _parse_at(answer, begin.start())
        if value is None:
            return answer, True
        values += [] if isinstance(value, str) else [value]
        begin = BEGINS_JSON.search(answer, end)
    return (values[0] if len(values) == 1 else answer), False


def _parse_at(answer: str, begin: int) -> tuple[Any, int]:
    """Parse the list or object that begins at a position of an answer, and find its end.

    Returns:
        The value, a string for what is in brackets and no JSON (a layout with an ellipsis, or
        words without quotation marks), or `None` if the answer is damaged; and the end.
    """
    with suppress(ValueError, RecursionError):
        return json.JSONDecoder(object_pairs_hook=_join_pairs).raw_decode(answer, begin)
    end = _find_closing_bracket(answer, begin)
    excerpt = answer[begin:end]
    if not excerpt:
        return None, begin
    if _EXAMPLE.search(excerpt) or not any(mark in excerpt for mark in _QUOTATION_MARKS):
        return excerpt, end
    value = parse_literal(excerpt)
    return (None if isinstance(value, str) else value), end


def _find_closing_bracket(text: str, begin: int) -> int:
    """Find the position after the bracket that closes the one at ``begin``; 0 if none does."""
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text, begin):
        sign = match[0]
        if sign[0] == '"':
            continue
        depth += 1 if sign in "[{" else -1
        if depth == 0:
            return match.end()
    return 0


def _join_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object of its pairs; lists under the same key are joined.

    Raises:
        ValueError: if other values have the same key.
    """
    entries = dict(pairs)
    if len(entries) < len(pairs):
        entries = {}
        for key, value in pairs:
            if key not in entries:
                entries[key] = value
            elif isinstance(value, list) and isinstance(entries[key], list):
                entries[key] += value
            else:
                raise ValueError(key)
    return entries


def _has_key_twice(node: ast.AST) -> bool:
    """Check whether a node is an object of Python in which a key comes twice."""
    if not isinstance(node, ast.Dict):
        return False
    keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
    return len({*keys}) < len(keys)


def _insert_commas(text: str) -> str:
    """Insert the commas that NumPy omits in lists; Python would join two adjacent strings.

    >>> _insert_commas("['New York' 'is']").replace(" ,", ",")
    "[ 'New York', 'is' ]"
    """
    if not _SIDE_BY_SIDE.search(text):
        return text
    signs: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP):
            if signs and signs[-1][-1] not in "([{,:-" and token.string[0] not in ")]},:.-":
                signs.append(",")
            signs.append(token.string)
    return " ".join(signs)
