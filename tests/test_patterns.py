"""No regular expression of the package takes time that grows faster than the text."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from time import process_time

import pytest

import spanagree
from spanagree.formats import patterns, recognise
from spanagree.formats.registry import FORMATS, TOOLS
from spanagree.report.read_signature import VALUE_TYPES
from spanagree.results import fit
from spanagree.tools import xml_tools

try:  # Python 3.11 and later
    from re import _constants as constants
    from re import _parser as parser
except ImportError:
    import sre_constants as constants
    import sre_parse as parser

pytestmark = pytest.mark.slow  # hundreds of expressions, each on a hundred long texts
ROOT = Path(spanagree.__file__).parent
METHODS = ("match", "fullmatch", "search", "findall", "finditer", "sub", "split")
MADE = {  # expressions that are made as the program runs: examples of each
    ("report/read_signature.py", "value_type.pattern"): [
        kind.pattern for kind in VALUE_TYPES.values()
    ],
    # names of annotators and signs of one character, escaped
    ("formats/inception/project.py", r"re.escape(user.ljust(3, '_')) + '\\d+'"): [r"ann\d+"],
    ("formats/inception/webanno_tsv.py", r"f'(?<!\\\\){re.escape(separator)}'"): [r"(?<!\\)\|"],
    # the words of a quote, escaped, of which there is one at least
    ("corpus/quoted_texts.py", "'\\\\s+'.join(map(re.escape, words))"): [
        r"New",
        r"to\s+be\s+or\s+be",
    ],
    ("corpus/quoted_texts.py", "f'(?={re.escape(joined_quote)})'"): ["(?=York)", "(?=aaab)"],
    # as many lines as are looked at together: fewer take less memory here
    ("formats/conll/head.py", "f'(?:.*\\\\n){{{LINES}}}'"): [r"(?:.*\n){300}"],
    # the first line of a file
    ("formats/format.py", "self.begin"): [form.begin for form in FORMATS.values() if form.begin],
    # the name of a column, escaped
    (
        "formats/hugging_face/guess.py",
        "f'^{re.escape(simplify_name(text))}.|.{re.escape(simplify_name(text))}$'",
    ): ["^text.|.text$"],
    # what users write, for documents' ids, which are short
    ("corpus/grouped.py", "pattern"): ["week([0-9]+)", "^(.*)-"],
    # of the first lines of a file
    ("formats/recognise.py", "pattern"): [pattern for pattern, _, _ in recognise._UNSUPPORTED],
    ("formats/recognise.py", "markup"): [TOOLS["tagged-lines"].begins],
    ("formats/tools.py", "self.begins"): [tool.begins for tool in TOOLS.values() if tool.begins],
    ("tools/xml_tools.py", "tool.pattern"): [tool.pattern for tool in xml_tools.TOOLS],
    # the letters of a line of 80 columns, and of a shorter one
    ("results/fit.py", "pattern"): [
        rf"\A{fit._LINE.format(80)}|{fit._LINE.format(width)}" for width in (7, 78)
    ],
    # names of files, which are short, and which glob has matched before
    ("formats/patterns.py", "regex"): [
        "(.*/)?([^/]*)",
        patterns._build_character_class("!a-c^]"),
        "a([^/]*)\\.b",
    ],
}


def uses(path):
    """Yield each expression in a module, its flags, and how it is used."""
    name = path.relative_to(ROOT).as_posix()
    tree = ast.parse(path.read_text("utf-8"))
    module = None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("re."):
            continue
        method = ast.unparse(node.func).removeprefix("re.")
        if "(" in method or method == "escape":
            continue
        assert method in (*METHODS, "compile"), f"{name}: re.{method} is not tested"
        module = module or import_module(".".join(("spanagree", *Path(name).with_suffix("").parts)))
        given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
        options = [ast.unparse(arg) for arg in given if re.match(r"re\.[A-Z]", ast.unparse(arg))]
        flags = eval(" | ".join(options) or "0", {"re": re})
        source = ast.unparse(node.args[0])
        patterns = MADE.get((name, source)) or [eval(source, vars(module))]
        methods = {method}
        if method == "compile":
            (target,) = (
                ast.unparse(each.targets[0])
                for each in ast.walk(tree)
                if isinstance(each, ast.Assign) and each.value is node
            )
            methods = {
                each.attr
                for each in ast.walk(tree)
                if isinstance(each, ast.Attribute) and ast.unparse(each.value) == target
            } or {"search"}  # used elsewhere, or by another name: in the way that takes longest
            assert methods <= set(METHODS), f"{name}: {target} is used otherwise"
        for pattern in patterns:
            for each in sorted(methods):
                yield name, pattern, flags, each


def shortest(tree, long=None, size=0, kind=""):
    """Return a short text that an expression matches, with a long run in place of one repeat."""
    text = ""
    for op, value in tree:
        if op is constants.LITERAL:
            text += chr(value)
        elif op is constants.NOT_LITERAL:
            text += "b" if value == ord("a") else "a"
        elif op is constants.ANY:
            text += "a"
        elif op is constants.IN:
            text += one_of(value)
        elif op in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            least, _, inner = value
            inside = value is long or any(part is long for part in repeats(inner))
            piece = (value is long and kind) or shortest(inner, long, size, kind)
            text += piece * (size if value is long else max(least, inside))
        elif op is constants.SUBPATTERN:
            text += shortest(value[3], long, size, kind)
        elif op is constants.BRANCH:
            branches = [each for each in value[1] if any(r is long for r in repeats(each))]
            text += shortest((branches or value[1])[0], long, size, kind)
        elif op is constants.ASSERT and value[0] > 0:
            text += shortest(value[1], long, size, kind)
    return text


def one_of(items):
    """Return a character of a set."""
    negate = items[0][0] is constants.NEGATE
    characters = "a0'e+ \t[*-_\n#|\u2028\x00\ud800.,/\\B{}\"1\u1100\u1160\u11a8"
    return next(c for c in characters if any(within(i, ord(c)) for i in items[negate:]) != negate)


def within(item, code):
    op, value = item
    if op is constants.LITERAL:
        return value == code
    if op is constants.RANGE:
        return value[0] <= code <= value[1]
    shape = {"SPACE": r"\s", "WORD": r"\w", "DIGIT": r"\d"}[str(value).rpartition("_")[2]]
    found = bool(re.match(shape, chr(code)))
    return found != ("NOT" in str(value))


def repeats(tree):
    """Yield every part that may be repeated without end, or often."""
    for op, value in tree:
        if op in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            if value[1] > 200:
                yield value
            yield from repeats(value[2])
        elif op is constants.SUBPATTERN:
            yield from repeats(value[3])
        elif op is constants.BRANCH:
            for branch in value[1]:
                yield from repeats(branch)
        elif op in (constants.ASSERT, constants.ASSERT_NOT):
            yield from repeats(value[1])


def texts(pattern, flags, size):
    """Return texts with long runs: of blanks, of what an expression repeats, and of all of it."""
    binary = isinstance(pattern, bytes)
    tree = parser.parse(pattern, flags)
    kinds = [" ", "\t", "a", "0", "[", "\n", "é"[binary:]]
    made = [kind * size for kind in kinds]
    made += [(shortest(tree) or " ") * (size // 8), shortest(tree)[:-1] * (size // 8)]
    for long in repeats(tree):
        for kind in ("", *kinds):
            run = shortest(tree, long, size, kind)
            made += [run, run[: run.rfind(kind) + 1]] if kind else [run, run[:-1]]
    made = [text + end for text in dict.fromkeys(made) for end in ("", "!", " x\n")]
    return [text.encode() if binary else text for text in dict.fromkeys(made)]


def seconds(pattern, flags, method, text):
    expression = re.compile(pattern, flags)
    arguments = ["" if isinstance(text, str) else b"", text] if method == "sub" else [text]
    begin = process_time()
    result = getattr(expression, method)(*arguments)
    if method == "finditer":
        list(result)
    return process_time() - begin


def grows(pattern, flags, method):
    """Return the first text on which eight times the length takes more than thirty times as long.

    Time that grows with the length is 8 times as long, with its square 64 times. What takes less
    than a few milliseconds at 8,000 characters does not grow with the square.
    """
    few, many = (texts(pattern, flags, size) for size in (1_000, 8_000))
    for short, long in zip(few, many, strict=True):
        slow = seconds(pattern, flags, method, long)
        if slow < 0.005:
            continue
        if slow < 0.5:  # else chance has nothing to do with it
            slow = min([slow, *(seconds(pattern, flags, method, long) for _ in range(2))])
        for _ in range(3):  # another program may have slowed the processor meanwhile
            quick = min(seconds(pattern, flags, method, short) for _ in range(5))
            if slow <= 30 * quick or slow < 0.005:
                break
            slow = min(slow, seconds(pattern, flags, method, long))
        else:
            return short[:40]
    return None


def test_time_grows_with_the_length():
    """On long runs of blanks and of what an expression repeats, the time grows as the length."""
    found = [
        f"{name}: {pattern!r}, by {method}, on {text!r} …"
        for path in sorted(ROOT.rglob("*.py"))
        for name, pattern, flags, method in uses(path)
        if (text := grows(pattern, flags, method)) is not None
    ]
    assert not found


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"#\s*sent_id\s*=\s*(\S.*?)\s*", "fullmatch"),
        (r"(\w+) = \{(.*)\},\n", "findall"),
        (r"@(\w+)\{(\w+),\n(.*?)^\}\n", "findall"),
        (r"[*?]|\[[^\]]+\]", "search"),
        (r"\s+$", "sub"),
        (r"a*a*b", "match"),
    ],
)
def test_the_test(pattern, method):
    """Expressions that are known to take time with the square of the length are found."""
    flags = re.M | re.S if pattern.startswith("@") else 0
    assert grows(pattern, flags, method) is not None
