"""The house: what imports what, what is public, what is loaded, and that the docs are true."""

from __future__ import annotations

import ast
import doctest
import gc
import graphlib
import importlib
import inspect
import itertools
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
import typing
from collections import Counter
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import spanagree as sa
from spanagree.choices import BY, ONE_TO_ONE, list_names
from spanagree.comparisons.measures import list_measures
from spanagree.corpus.tags import ALIASES

ROOT = Path(__file__).parent.parent
SOURCE = Path(sa.__file__).parent
# the rooms, from the ground up: a room imports only from itself and from those above it in this list
ROOMS = [
    "version", "removed", "public", "errors", "limits", "arrays", "files", "tables", "extras", "choices",
    "settings",
    "signature",
    "results",
    "corpus",
    "formats",
    "tools",
    "recordings",
    "chance",
    "comparisons",
    "uncertainty",
    "parts",
    "systems",
    "agreement",
    "labels",
    "units",
    "levels",
    "slices",
    "project",
    "references",
    "report",
    "training",
    "__init__",
    "cli",
    "__main__",
]  # fmt: skip
MODULES = sorted(
    m.name for m in pkgutil.walk_packages([str(SOURCE)], "spanagree.") if "__main__" not in m.name
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")), *ROOT.glob("corpora/*/*.md")]


def module_name(path):
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


@pytest.fixture(scope="module")
def trees():
    """Each module's syntax tree, by its path."""
    gc.disable()  # to look for what could be freed among half a million nodes takes most of the time
    try:
        return {str(path): ast.parse(path.read_text(encoding="utf-8")) for path in FILES.values()}
    finally:
        gc.enable()


def imports(path, tree):
    """The modules of the package that a module imports, wherever in it, and by name too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in FILES else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant):
            text = node.value if isinstance(node.value, str) else ""
            if text.startswith("spanagree.") and re.fullmatch(
                r"spanagree(\.\w+)+", text
            ):  # import_module("spanagree.…")
                yield text


def room_of(module):
    return [*module.split("."), "__init__"][1]


@pytest.fixture(scope="module")
def graph(trees):
    """The modules of the package that each of them imports."""
    return {
        name: {x for x in imports(path, trees[str(path)]) if x.split(".")[0] == "spanagree"}
        for name, path in FILES.items()
    }


def test_imports_point_one_way(graph):
    """No room imports from one below it, neither inside a function nor by a string."""
    wrong = [
        f"{name} imports {other}"
        for name, others in graph.items()
        if name != "spanagree"  # the lazy public face, which nothing but the command line imports
        for other in others
        if ROOMS.index(room_of(other)) > ROOMS.index(room_of(name)) and name != REGISTRY
    ]
    assert not wrong


BY_REGISTRY = {"tools", "recordings"}
"""The rooms of readers that few need: the registry alone reaches them."""
REGISTRY = "spanagree.formats.registry"


def test_the_registry_alone_reaches_some_rooms(graph, trees):
    """No room imports readers of tools and of recordings; the registry names them, by strings."""
    into = {
        (name, other)
        for name, others in graph.items()
        for other in others
        if room_of(other) in BY_REGISTRY and room_of(other) != room_of(name)
    }
    assert {name for name, _ in into} == {REGISTRY}
    below = [o for o in graph[REGISTRY] if ROOMS.index(room_of(o)) > ROOMS.index("formats")]
    assert {room_of(other) for other in below} == BY_REGISTRY
    statements = ast.walk(trees[str(FILES[REGISTRY])])
    imported = [x.module for x in statements if isinstance(x, ast.ImportFrom)]
    assert not [x for x in imported if x.split(".")[1:2] and x.split(".")[1] in BY_REGISTRY]


def test_no_circles(graph):
    """Modules can be put in an order in which each imports only earlier ones."""
    inner = {name: {o for o in graph[name] if o in FILES} for name in FILES if name != "spanagree"}
    tuple(graphlib.TopologicalSorter(inner).static_order())  # raises CycleError


def test_every_folder_is_explained():
    """docs/architecture.md has a line for each room."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    for room in ROOMS:
        if (SOURCE / room).is_dir():
            assert f"`{room}/`" in text, room


def test_constants_have_one_value(trees):
    """No module sets a name twice, by which one constant once took another's place."""
    twice = []
    for path, tree in trees.items():
        plain = [node for node in tree.body if isinstance(node, (ast.Assign, ast.AnnAssign))]
        targets = [x for node in plain for x in getattr(node, "targets", None) or [node.target]]
        names = Counter(x.id for x in targets if isinstance(x, ast.Name))
        twice += [f"{path}: {name}" for name, times in names.items() if times > 1]
    assert twice == []


@pytest.mark.long
def test_one_function_decides_between_one_and_many(trees):
    """No message puts a number before a plural by itself: `pluralize` knows what is 1."""
    wrong = []
    for path, tree in trees.items():
        for node in ast.walk(tree):
            parts = node.values if isinstance(node, ast.JoinedStr) else []
            for value, text in itertools.pairwise(parts):
                number = isinstance(value, ast.FormattedValue) and ast.unparse(value.value)
                plural = isinstance(text, ast.Constant) and re.match(r" \w+s\b", text.value)
                by_itself = number and re.search(r"^(len|sum|int)\(|\.(sum|size)\b", number)
                if plural and by_itself:
                    wrong.append(f"{path}:{node.lineno}: {number}{text.value}")
    assert not wrong


PACKAGES = {"spanagree": sa, **{name: getattr(sa, name) for name in sa.PACKAGES}}
PUBLIC = {
    name: getattr(package, name)
    for package in PACKAGES.values()
    for name in package.__all__
    if name != "__version__"
}
"""Everything public by its name, of the package itself and of those in it."""


def test_public_names():
    """__all__ is sorted and complete, every name is there once and documented."""
    names = [name for package in PACKAGES.values() for name in package.__all__]
    doubled = {name for name in names if names.count(name) > 1}
    assert doubled == {"SpanAgreeError"}  # the parent of all errors
    assert len(sa.__all__) < 32
    for package in PACKAGES.values():
        assert package.__all__ == sorted(package.__all__)
        assert {*package.__all__} <= {*dir(package)}
        others = {name for name in dir(package) if not re.fullmatch("__.*__", name)}
        if hasattr(package, "__path__"):  # a module shows what it imports
            assert others <= {*package.__all__, *({*PACKAGES, *PUBLIC} if package is sa else ())}
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = package.nothing
    assert {"kappa", "alpha", *PUBLIC} <= {*dir(sa)}
    for name, thing in PUBLIC.items():
        assert inspect.getdoc(thing), name
        assert getattr(sa, name) is thing, f"{name} is not found at the top level"


def test_names_for_type_checkers():
    """What type checkers see imported is what is found when it is used."""
    for package in PACKAGES.values():
        if package is sa.errors:
            continue
        tree = ast.parse(Path(package.__file__).read_text("utf-8"))
        (block,) = [node for node in tree.body if isinstance(node, ast.If)]
        seen = {
            alias.name: node.module
            for node in block.body
            for alias in node.names
            if node.module != "spanagree"
        }
        assert {*seen} == {*package.__all__} - {"__version__"}
        for name, module in seen.items():
            assert getattr(importlib.import_module(module), name) is getattr(package, name)


def choices():
    """The type of each choice, and the table that says what its names mean."""
    from spanagree import choices as types
    from spanagree.agreement.by_annotator import SORTS as ANNOTATOR_SORTS
    from spanagree.chance.model import AUTO, CHANCE_OF
    from spanagree.chance.start_distributions import CHANCES
    from spanagree.comparisons.measures import MEASURES
    from spanagree.comparisons.pairing import KINDS
    from spanagree.comparisons.relation_places import ARGUMENTS, PAIRS
    from spanagree.comparisons.selection import WHATS
    from spanagree.corpus.discontinuous import DISCONTINUOUS
    from spanagree.corpus.flaws import REPAIRS
    from spanagree.corpus.label_columns import DUPLICATES
    from spanagree.corpus.raw import ABSENT, ENDS
    from spanagree.corpus.repairs import REPEATS
    from spanagree.corpus.segments import OFFSETS
    from spanagree.corpus.tag_columns import PARTIAL
    from spanagree.corpus.tags import ALIASES, SCHEMES
    from spanagree.corpus.tokens import CUTS
    from spanagree.corpus.unplaced import UNPLACED
    from spanagree.formats.combine import JOIN
    from spanagree.formats.conll.page import UNITS
    from spanagree.formats.exports import ANNOTATOR_FROM
    from spanagree.formats.inception.project import IN_PROGRESS
    from spanagree.formats.registry import FORMATS, WRITABLE
    from spanagree.labels.category_weights import CATEGORY_WEIGHTS, MEASUREMENTS
    from spanagree.labels.sparse_agreement import WEIGHTS
    from spanagree.levels.split_folder import WRITERS
    from spanagree.project.document_queue import SORTS
    from spanagree.project.gold import VOTES
    from spanagree.recordings.timelines import LABEL_FROM
    from spanagree.references.baselines import BASELINES
    from spanagree.references.wins import SCORES
    from spanagree.report.citation import CITED
    from spanagree.results.data import FORMATS as SHOWN
    from spanagree.results.data import STYLES
    from spanagree.results.result import ResultBase
    from spanagree.results.score import ScoreValues
    from spanagree.systems.as_seqeval import AVERAGES
    from spanagree.systems.difference_tests import TESTS
    from spanagree.uncertainty.confidence import CLUSTER_BY, OVER
    from spanagree.units.alpha_u import CONTINUA
    from spanagree.units.dissimilarity import CATEGORICAL
    from spanagree.units.sampling import SAMPLERS

    results = [thing for thing in PUBLIC.values() if inspect.isclass(thing)]
    tables = {
        "MatchName": MEASURES, "Chance": CHANCES, "ChanceOrAuto": [AUTO, *CHANCES], "ChanceOf": CHANCE_OF, "Scheme": ["auto", *SCHEMES, *ALIASES],
        "ClusterBy": CLUSTER_BY, "Over": OVER, "Unit": UNITS,
        "What": WHATS, "Pairs": PAIRS, "Arguments": ARGUMENTS, "Partial": PARTIAL, "Discontinuous": DISCONTINUOUS, "Duplicates": DUPLICATES,
        "Weights": WEIGHTS, "CategoryWeights": CATEGORY_WEIGHTS, "Measurement": MEASUREMENTS, "Repair": REPAIRS, "Repeats": REPEATS, "Unplaced": UNPLACED, "Offsets": OFFSETS, "Ends": ENDS, "Absent": ABSENT, "Join": JOIN, "Cut": CUTS, "Test": TESTS,
        "DisputeSort": SORTS, "AnnotatorSort": ANNOTATOR_SORTS, "AnnotatorFrom": ANNOTATOR_FROM, "InProgress": IN_PROGRESS, "Writable": WRITABLE, "Shown": SHOWN,
        "Style": dict.fromkeys(style for each in STYLES.values() for style in each), "Kind": KINDS, "Sampler": SAMPLERS, "Categorical": CATEGORICAL,
        "Vote": VOTES, "Baseline": BASELINES, "FormatName": FORMATS, "SplitForm": WRITERS, "Continuum": CONTINUA, "Figure": ScoreValues._fields, "Average": AVERAGES, "Cited": CITED,
        "LabelScore": SCORES, "LabelFrom": LABEL_FROM,
        "By": {by for each in results if issubclass(each, ResultBase) for by in each.BY},
    }  # fmt: skip
    assert tables.keys() == {name for name, value in vars(types).items() if typing.get_args(value)}
    return {name: (getattr(types, name), table) for name, table in tables.items()}


def test_choices_as_types():
    """Each type has the names of its table, in the same order, and no other."""
    for name, (kind, table) in choices().items():
        ordered = sorted if name == "By" else tuple  # it is that of all results
        assert ordered(list_names(kind)) == ordered(table), name
    for name, rows in BY.items():
        assert rows == tuple(PUBLIC[name].BY), name
    assert list_measures(lambda measure: measure.one_to_one) == [*ONE_TO_ONE]


NOT_HERE = {"By", "Figure", "MatchName"}
"""What each result has, its table says; measures are listed by the type, the help and the error."""


@pytest.mark.parametrize("name", [n for n, x in PUBLIC.items() if inspect.isfunction(x)])
def test_choices_in_signatures(name):
    """A public function's choice has its type, and its docstring names every value."""
    function, kinds = getattr(sa, name), choices()
    text = inspect.getdoc(function)
    for parameter in inspect.signature(function).parameters.values():
        written = set(re.findall(r"\w+", str(parameter.annotation)))
        by_name = {"match": "MatchName"}.get(
            parameter.name, parameter.name.title().replace("_", "")
        )
        if by_name in kinds and not {"Callable", "bool"} & written:
            named = {by_name, *({"ChanceOrAuto"} if by_name == "Chance" else ())}
            assert named & written, f"{parameter} has no type of spanagree.choices"
        for kind in written & (kinds.keys() - NOT_HERE):
            described = re.search(rf"^ +{parameter.name}: (.*\n( {{8,}}.*\n)*)", text + "\n", re.M)
            elsewhere = ":func:" in (described[1] if described else text)
            if not elsewhere:
                values = set(re.findall(r"[\w+-]+", described[1]))
                assert set(kinds[kind][1]) - set(ALIASES) <= values, parameter.name
    assert ":data:`spanagree" not in text


def test_the_default_seed():
    """Where there is a seed it is 0 unless another is given, so that a call can be repeated."""
    functions = filter(inspect.isfunction, PUBLIC.values())
    given = [inspect.signature(each).parameters.get("seed") for each in functions]
    defaults = [each.default for each in given if each and each.default is not each.empty]
    assert set(defaults) == {0}


def test_examples_of_public_names():
    """Each public function and class shows a call and what comes back; test_docstrings runs it."""
    things = [x for x in PUBLIC.items() if inspect.isfunction(x[1]) or inspect.isclass(x[1])]
    assert [name for name, thing in things if ">>>" not in inspect.getdoc(thing)] == []


EXAMPLES_NEED = {
    "spanagree.formats.spacy": "spacy",
    "spanagree.formats.hugging_face.write": "datasets",
    "spanagree.training.inspect_ai": "inspect_ai",
}
"""Modules whose examples run where an optional package is installed."""


@pytest.mark.long
def test_docstrings():
    """Every module has a docstring, every public function and class too; all examples run."""
    undocumented, failing = [], []
    for name in MODULES:
        module = importlib.import_module(name)
        things = {name: module}
        for own, thing in vars(module).items():
            public = not own.startswith("_") and getattr(thing, "__module__", "") == name
            if public and (inspect.isclass(thing) or inspect.isfunction(thing)):
                things[f"{name}.{own}"] = thing
        undocumented += [each for each, thing in things.items() if not thing.__doc__]
        if find_spec(EXAMPLES_NEED.get(name, "spanagree")):
            failing += [name] * bool(doctest.testmod(module).failed)
    assert not undocumented
    assert not failing


EXTRAS = ("spacy", "datasets", "pyarrow", "matplotlib")
NEEDED = {"notebook.md": ("pandas",), "plots.md": ("matplotlib",), "questions.md": ("seqeval",), "training.md": ("spacy",)}  # fmt: skip
"""What the Python examples of a page import; its commands may need all the extras."""


def need(packages):
    """Skip a test where an optional package is missing."""
    for package in packages:
        pytest.importorskip(package)


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)


def test_names_in_docstrings_are_found():
    """Full names in docstrings lead somewhere, or the documentation site cannot be built."""
    for path in (Path(sa.__file__).parent).rglob("*.py"):
        for name in re.findall(r":\w+:`~?(spanagree\.[\w.]+)`", path.read_text("utf-8")):
            assert pkgutil.resolve_name(name) is not None, f"{path}: {name}"


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_in_the_docs(page, monkeypatch):
    """Every Python example prints what the page shows."""
    need(NEEDED.get(page.name, ()))
    monkeypatch.chdir(ROOT)
    examples = doctest.DocTestParser().get_doctest("".join(blocks(page, "python")), {}, page.name, str(page), 0)  # fmt: skip
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["seqeval", "nervaluate", "krippendorff", "pygamma-agreement", "opt-gamma", "spaCy"]
)
def test_other_programs_in_the_docs(name):
    """What another program is shown to print, it prints, where it is installed."""
    need([name.lower().replace("-", "_")])
    text = (ROOT / "docs" / "coming_from.md").read_text("utf-8")
    section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```pycon\n(.*?)^```$", section, re.M | re.S)
    examples = doctest.DocTestParser().get_doctest(block, {}, name, "coming_from.md", 0)
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.slow
def test_r_in_the_docs():
    """R prints what the page shows, by reticulate, where both are installed."""
    need(["pandas"])
    page = ROOT / "docs" / "coming_from.md"
    (script,) = blocks(page, "r")
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed")
    done = subprocess.run(
        ["Rscript", "-e", script], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "RETICULATE_PYTHON": sys.executable},
    )  # fmt: skip
    if "no package called" in done.stderr:
        pytest.skip("reticulate is not installed")
    assert done.returncode == 0, done.stderr
    assert done.stdout in blocks(page, "text")


REFRESH = spec_from_file_location("refresh_docs", ROOT / "scripts" / "refresh_docs.py")
refresh_docs = module_from_spec(REFRESH)
REFRESH.loader.exec_module(refresh_docs)
shows = refresh_docs.shows


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_in_the_docs(page, tmp_path):
    """Every command prints what the page shows, notes first; the next finds what it wrote.

    A line of … in a page is for lines that it leaves out.
    """
    need(EXTRAS)
    shutil.copytree(ROOT / "corpora", tmp_path / "corpora")
    for block in blocks(page, "console"):
        command, _, shown = block.partition("\n")
        assert command.startswith("$ spanagree ")
        line = f"{shlex.quote(sys.executable)} -m {command[2:]}"
        done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True)  # fmt: skip
        assert shows(shown, done.stderr + done.stdout), f"{command} prints\n{done.stdout}"


@pytest.mark.parametrize(
    ("shown", "holds"),
    [
        ("a\n\nb\nc\n", True),
        ("a\n…\n", True),
        ("…\nb\n…\n", True),
        ("a\n…\nc\n", True),
        ("a\n", False),  # no line is left out without a mark
        ("a\nc\n", False),
        ("c\n…\n", False),  # only from the begin
        ("…\nc\n…\nb\n…\n", False),  # in the order printed
        ("…\n", False),  # no line is shown
        ("a…\n", False),  # a line is shown whole
    ],
)
def test_shortened_output(shown, holds):
    """A line of … is for lines left out; all others are printed, in order. Oracle: by hand."""
    assert shows(shown, "a\n\nb\nc\n") is holds


LANGUAGES = {
    "python": "run as doctests",
    "pycon": "other programs' side, run as doctests where these are installed",
    "r": "run where R and reticulate are installed",
    "console": "run, and held against what is shown",
    "bash": "lines of the README, which are run there",
    "": "forms of commands, with FILE in place of a file, and of files",
    "text": "what a script printed that takes long or needs others' data, and what files hold",
    "ini": "settings of other programs",
}
"""What code blocks there may be, and why what is in them is true."""


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_blocks_of_the_docs(page):
    """No block shows a command that is not run, or one that does not exist."""
    from spanagree.cli.group import spanagree

    text = page.read_text("utf-8")
    fenced = re.findall(r"^```(.*)\n((?:.*\n)*?)```$", text, re.M)
    assert 2 * len(fenced) == text.count("```"), "a block that no test would find"
    readme = "\n".join(blocks(ROOT / "README.md", "bash")).splitlines()
    for language, block in fenced:
        assert language in LANGUAGES, f"{language}: one of {', '.join(LANGUAGES)} is needed"
        if language == "bash":
            assert set(block.splitlines()) <= set(readme), "the README runs bash; use console here"
        if language not in ("", "text", "ini"):
            continue
        for line in block.splitlines():
            for script in re.findall(r"python \S*?(scripts/\w+\.py)", line):
                assert (ROOT / script).exists()
            for extra in re.findall(r"pip install .*\[(\w+)\]", line):
                assert extra in (ROOT / "pyproject.toml").read_text("utf-8")
            assert not line.startswith("$ spanagree"), f"{line}: use a console block"
            if form := re.match(r"spanagree (\w+) ", line):
                assert re.search(r"\b[A-Z]{2,}\b|…", line), f"{line}: use a console block"
                known = {name for p in spanagree.commands[form[1]].params for name in p.opts}
                assert set(re.findall(r"--[\w-]+", line)) <= known, line


@pytest.mark.slow
def test_examples_of_the_readme(newsroom, tmp_path):
    """The README's commands run on files of the names that it gives."""
    need(EXTRAS)
    names = {"gold": "gold", "mine": "lexicon", "yours": "tagger"}
    names |= {"ann": "gold", "bob": "lexicon", "cem": "tagger"}
    texts = {n: (newsroom / f"{of}.conll").read_text("utf-8") for n, of in names.items()}
    for name, text in texts.items():
        (tmp_path / f"{name}.conll").write_text(text, "utf-8")
    both = zip(texts["gold"].split("\n"), texts["mine"].split("\n"), strict=True)
    rows = ("\t".join([a, *b.split("\t")[1:]]) for a, b in both)
    (tmp_path / "all.conll").write_text("\n".join(rows), "utf-8")
    (block,) = [b for b in blocks(ROOT / "README.md", "bash") if "\nspanagree" in b]
    for line in filter(lambda each: not each.startswith("#"), block.splitlines()):
        command = f"{shlex.quote(sys.executable)} -m {line}"
        subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "table.tex").exists()


def test_readme_beside_other_programs():
    """What README's table says of spanagree is there: commands, options of theirs, and pages."""
    from spanagree.cli.group import spanagree

    text = (ROOT / "README.md").read_text("utf-8")
    _, _, section = text.partition("## Beside other programs\n")
    rows = [line.strip("| ").split(" | ") for line in section.split("\n") if line.startswith("| ")]
    ours = [row[-1] for row in rows if row[-1] != "spanagree"]
    assert len(ours) == 10
    assert {len(row) for row in rows} == {6, 7}  # the first has no title of its rows
    options = {
        name: {opt for parameter in command.params for opt in parameter.opts}
        for name, command in spanagree.commands.items()
    }
    for cell in ours:
        named = re.findall(r"`(.+?)`", cell)
        assert named or (ROOT / re.search(r"\]\((.+?)\)", cell)[1]).exists()
        for command, _, option in (name.partition(" ") for name in named):
            if command.startswith("--"):  # without its command: evaluate has it
                assert command in options["evaluate"]
            else:
                assert option in {"", *options[command]}


def ci(folder, readme, *arguments):
    """What `.ci/run` gives for a repository with this README: the exit code, stdout and stderr."""
    (folder / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci")
    (folder / "README.md").write_text(readme, "utf-8")
    who = ["-c", "user.name=ci", "-c", "user.email=ci@example.org"]
    for line in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "README"]):
        subprocess.run(["git", *line], cwd=folder, check=True)
    surroundings = {**os.environ, "CI": "true", "SPANAGREE_DATA": "data"}
    return subprocess.run(
        ["bash", ".ci/run", *arguments], cwd=folder, env=surroundings, text=True,
        capture_output=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.long
def test_ci_runs_the_readme_first(tmp_path):
    """CI runs the README's two lines, in a clone by itself without data; then all, in what they made.

    In the small README the second line fails where data are beside it, and then where they are not,
    as it did when a test looked for data unasked.
    """
    (tmp_path / "shared" / "data").mkdir(parents=True)
    lines = [line for b in blocks(ROOT / "README.md", "bash") for line in b.splitlines()]
    _, second = (line for line in lines if line.startswith("python3"))
    assert second.endswith(".venv-test/bin/pytest -n auto")
    *_, tests, lanes = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert tests.endswith('" .venv-test/bin/pytest -n auto -m "" --hypothesis-profile=spanagree')
    assert lanes.endswith('" .venv-test/bin/python scripts/lanes wheel examples')
    # its two lines, and nothing else
    line = "python3 -m venv --help > help.txt && {} && echo done"
    block = "```bash\n{}\n```\n"
    alone = line.format('[ -z "${SPANAGREE_DATA+x}" ] && [ ! -e ../shared ]')
    needy = line.format('[ -n "${SPANAGREE_DATA+x}" ]')
    text = block.format(alone) + "text\n" + block.format("echo no && python3 -m venv")
    good = ci(tmp_path / "good", text + block.format(alone), "readme")
    assert (good.returncode, good.stderr) == (0, "")
    took = r"README's {} line: \d+ min \d+ s\n"
    ran = r"\$ bash -c .*\ndone\n"
    assert re.fullmatch(2 * ran + took.format("first") + took.format("second"), good.stdout)
    red = ci(tmp_path / "red", text + block.format(needy))
    assert red.returncode == 1
    assert re.search(took.format("first") + "failed: README's second line\n$", red.stdout)
    none = ci(tmp_path / "none", text)
    assert none.returncode == 1
    assert "failed: README.md has 1 lines that begin with python3 -m venv" in none.stdout


def test_ci_runs_the_trainer():
    """Its tests, which are skipped without torch, run in CI with all that they import.

    README's second line brings none of it.
    """
    text = (ROOT / ".ci" / "run").read_text("utf-8")
    body = text.partition("with_trainer() {\n")[2].partition("\n}")[0]
    extra, imports = re.findall(r"install -q '\.\[(.*)\]'|-c 'import (.*)'", body)
    names = set(imports[1].split(", "))
    tests = (ROOT / "tests" / "training" / "test_trainer.py").read_text("utf-8")
    assert set(re.findall(r'importorskip\("(\w+)', tests)) == names
    assert body.endswith(" tests/training/test_trainer.py")
    assert '\nrun "Trainer" with_trainer\n' in text
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    extras = dict(re.findall(r"^(\w+) = \[(.*?)\]$", project, re.M | re.S))
    assert "trainer" in extra[0].split(",")
    assert names - {"seqeval"} == set(re.findall(r'"(\w+)[>=]=', extras["trainer"]))
    assert not re.search("torch|transformers|trainer", extras["test"] + extras["all"])


FORBIDDEN = ("sklearn", "seqeval", "spacy", "datasets", "pandas", "scipy.stats", "rich")


@pytest.mark.long
@pytest.mark.parametrize("arguments", [None, ["--help"], ["evaluate", "--help"], ["--version"]])
def test_nothing_heavy_is_loaded(arguments):
    """The import and the help load no package that they do not need."""
    call = "" if arguments is None else f"from spanagree.cli.main import main; main({arguments})"
    code = f"import sys, spanagree\n{call}\nprint([m for m in {FORBIDDEN} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


LOADED = "print(*sys.modules, file=sys.stderr)"


@pytest.mark.long
def test_help_loads_no_work():
    """The help of every command loads neither numpy, nor pools, nor any room but the ground."""
    code = "import sys\nfrom spanagree.cli.group import SECTIONS\nfrom spanagree.cli.main import main\n"
    code += "for name in ['--help', *sum(SECTIONS.values(), ())]:\n    assert main([name, '--help']) == 0\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}{LOADED}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = done.stderr.split()
    assert not {"numpy", "concurrent.futures", "multiprocessing", "asyncio"}.intersection(loaded)
    own = {name.split(".")[1] for name in loaded if name.startswith("spanagree.")}
    assert "cli" in own
    assert own <= {*ROOMS[: ROOMS.index("settings") + 1], "cli"} - {"arrays"}


READERS_OF_CONLL = {
    "read", "read_files", "recognise", "file_parts", "patterns", "registry", "file_head",
    "usual_names", "combine", "conll", "guessed", "shapes", "tag_lists", "tools", "paths", "format",
    "spans_beside",
}  # fmt: skip
LATE = {
    "scipy", "numpy.ma", "rich", "jinja2", "matplotlib", "concurrent.futures", "asyncio",
    "multiprocessing", "hashlib", "zipfile", "email", "xml", "html", "importlib.metadata",
    "spanagree.results.svg", "spanagree.results.html",
}  # fmt: skip
"""What a command loads where it needs it; most need none of it."""


@pytest.mark.long
@pytest.mark.parametrize("command", ["evaluate", "agree"])
def test_commands_load_what_they_need(command, tmp_path):
    """Files of CoNLL are compared without other formats' readers, chance, pictures or pools.

    That holds also where tokens differ, and lines begin with #.
    """
    code = (
        f"import sys\nfrom spanagree.cli.main import main\nassert main(sys.argv[1:]) == 0\n{LOADED}"
    )
    files = [f"corpora/newsroom/{name}.conll" for name in ("gold", "tagger", "lexicon")]
    odd = tmp_path / "odd.conll"
    odd.write_text((ROOT / files[2]).read_text("utf-8").replace("\n\n", "\n\n#", 1), "utf-8")
    files += [str(odd), "--ignore-tokens"]
    done = subprocess.run(
        [sys.executable, "-c", code, command, *files],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    loaded = set(done.stderr.splitlines()[-1].split())
    assert "spanagree.comparisons.tally" in loaded
    assert not LATE & loaded
    parts = [name.split(".")[1:3] for name in loaded if re.match(r"spanagree\.\w+\.", name)]
    assert {part for room, part in parts if room == "formats"} <= READERS_OF_CONLL
    assert {part for room, part in parts if room in BY_REGISTRY} <= {"table", "beginnings"}
    assert ["comparisons", "chance_distribution"] not in parts
    rooms = {room for room, _ in parts}
    assert rooms <= {*ROOMS[: ROOMS.index("systems") + 2], "cli"}


MOST_MODULES = {
    "sa.f1_score([['B-X', 'O']], [['B-X', 'O']])": 39,
    "sa.evaluate(corpus)": 45,
    "sa.agree(corpus)": 47,
    "sa.agree(corpus, ci=True)": 54,
    "sa.coefficients(table)": 23,
}
"""The modules of the package that calls load, at most: a ceiling that only falls."""


@pytest.mark.parametrize("call", MOST_MODULES)
def test_calls_load_no_more_than_they_did(call):
    """A figure is loaded without what shows it, doubts it, or is a condition nobody asked for."""
    code = "import sys\nimport spanagree as sa\n"
    if "corpus" in call:
        code += "layer = [[(0, 2, 'X')]] * 5\n"
        code += "corpus = sa.Corpus.from_segments([9] * 5, {'a': layer, 'b': layer})\n"
    if "table" in call:
        code += (
            "rows = [(item, name, label) for item, name, label in ('1ax', '1bx', '2ay', '2bx')]\n"
        )
        code += "table = sa.labels.LabelTable.from_rows(rows)\n"
    code += f"{call}\nprint(*(name for name in sys.modules if name.split('.')[0] == 'spanagree'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    most = MOST_MODULES[call]
    assert len(loaded) <= most, sorted(loaded)
    assert len(loaded) >= most - 2, (
        f"{call} loads {len(loaded)} modules: let the ceiling fall to that"
    )


CONDITIONS = {
    "agreement.crowd_matrices", "agreement.crowd_sums", "agreement.crowded", "agreement.rows_in_files",
    "agreement.rows_of_parts", "chance.column_places", "chance.place_kinds", "chance.place_rules",
    "chance.places", "chance.relations", "chance.simulate_places", "comparisons.at_places",
    "comparisons.coarse_starts", "comparisons.expected_at_places",
    "comparisons.joined_texts", "comparisons.near_pairs", "comparisons.overlaps_of_pieces",
    "comparisons.place_shares",
    "comparisons.random_layers", "comparisons.relation_places", "comparisons.selection", "comparisons.shaped_starts", "comparisons.tolerance",
    "corpus.discontinuous", "corpus.joined", "corpus.resolution", "corpus.times", "parts.compared_parts", "parts.each",
    "parts.joined_rows", "parts.row_files", "parts.workers", "systems.rows_in_files",
    "systems.rows_of_parts",
}  # fmt: skip
"""The modules of places, relations, pieces, recordings, joined texts, draws, crowds and parts."""


@pytest.mark.parametrize("function", [sa.evaluate, sa.agree])
def test_nobody_pays_for_what_others_ask(function, sentences):
    """No function of a condition is called unless it is asked for; of places, if it is."""
    paths = {str(FILES[f"spanagree.{name}"]): name for name in CONDITIONS}

    def called(**asked):
        """The modules of conditions of which a function was called."""
        codes = set()
        sys.setprofile(lambda frame, event, arg: codes.add(frame.f_code))
        try:
            function(sentences, **asked)
        finally:
            sys.setprofile(None)
        functions = [code for code in codes if code.co_name != "<module>"]
        return {paths[code.co_filename] for code in functions if code.co_filename in paths}

    assert called() == set()
    assert {"comparisons.expected_at_places", "chance.places"} <= called(places="capitals")


WHOSE = {
    "newsroom/gold.conll": set(),
    "crowd/crowd.jsonl": set(),
    "exports/prodigy/ann.jsonl": set(),
    "exports/label-studio.json": set(),
    "exports/mqm.tsv": {"tools.mqm"},
    "recording/ann.TextGrid": {"recordings.textgrid", "recordings.timelines"},
}
"""Files, and the readers of few users that open them."""


@pytest.mark.long
@pytest.mark.parametrize("name", WHOSE)
def test_readers_are_loaded_for_their_files(name):
    """Of the rooms that the registry alone reaches, a file loads its own reader and the tables."""
    code = f"import sys\nimport spanagree as sa\nsa.read(sys.argv[1])\n{LOADED}"
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT / "corpora" / name)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = {m.removeprefix("spanagree.") for m in done.stderr.splitlines()[-1].split()}
    rooms = {module for module in loaded if re.match(rf"({'|'.join(BY_REGISTRY)})\.", module)}
    assert rooms - {"tools.table", "tools.beginnings", "recordings.table"} == WHOSE[name]


def test_readers_of_other_packages_are_not_asked_for_known_folders(tmp_path):
    """Their modules would be a tenth of what reading a large folder of brat's takes."""
    (tmp_path / "a.txt").write_text("Jo runs")
    (tmp_path / "a.ann").write_text("T1\tPER 0 2\tJo\n")
    code = f"import sys\nimport spanagree as sa\nsa.read(sys.argv[1])\n{LOADED}"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "importlib.metadata" not in done.stderr.split()


def test_what_everybody_installs():
    """The base is these packages and no other; seqeval is an extra, of `all` and so of `test` too."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    base = re.findall(r'"([a-z0-9]+)>=', text.split("dependencies = [")[1].split("]")[0])
    assert base == ["numpy", "scipy", "click", "rich", "jinja2"]
    assert '\nseqeval = ["seqeval>=1.2.2"]' in text
    assert '\nall = ["spanagree[spacy,datasets,arrow,plot,seqeval]"]' in text
    assert re.search(r'^test = \[\s*"spanagree\[all,', text, re.M)
    for path in FILES.values():
        assert not re.search(r"^\s*(from|import) seqeval", path.read_text("utf-8"), re.M), path


def test_no_gpl_at_run_time():
    """The peers that are GPL, or need what is, are in the extra `bench` and nowhere else."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    extras = dict(re.findall(r"^(\w+) = \[(.*?)\]$", text, re.M | re.S))
    assert {"dependencies", "spacy", "datasets", "all", "test", "bench"} <= set(extras)
    for extra, packages in extras.items():
        if extra != "bench":
            assert not re.search("krippendorff|pygamma|cvxopt", packages), extra


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["mypy", "ruff check .", "ruff format --check ."], ids=lambda c: c.split()[0]
)
def test_types_and_style(command):
    """Types hold strictly, and the code is clean and formatted."""
    done = subprocess.run(
        [sys.executable, "-m", *command.split()], cwd=ROOT, capture_output=True, text=True,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


NOT_OURS = re.compile(
    r"luck|beyond (chance|it)\b|\breplacement_test\b|spanagree (replace|merge|confusion|soft)\b|--(breaks|luck|empty)\b"
    r"|measure presence\b|sort[ =]\W?(surprise|apart|rise)\b|stand(s|ing) apart\b|share (of F1|above chance)\b"
    r"|class (Crowd|Kept|Heavy|Route|Peek|Look|Lane|LuckFigures|Nearness)\b|\bnearness\b"
    r"|def (together|telling|worse|late|unfit|credit|kept_names|presence|surprise)\(",
    re.I,
)
"""Words that were ours alone, and names that have others now; the changes name them."""
NOT_PROSE = re.compile(r"^```.*?^```|`[^`]*`|\]\([^)]*\)", re.M | re.S)


def test_retired_words():
    """Code, pages, options and messages have the field's words."""
    kinds = {".py", ".html", ".md", ".js", ".css", ".json", ".txt", ".yml"}
    ours = [path for path in SOURCE.rglob("*") if path.suffix in kinds]
    texts = [*PAGES, *ours, ROOT / "mkdocs.yml", ROOT / "action.yml"]
    old_names = "spanagree/removed.py"  # which says what to do instead
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in texts
        if not path.as_posix().endswith(old_names)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if NOT_OURS.search(line)
    ]
    assert not wrong
    # who annotates is an annotator or a system; layers are INCEpTION's, and attributes in the code
    technical = {"inception.md", "architecture.md"}
    prose = {path: NOT_PROSE.sub("", path.read_text("utf-8")) for path in PAGES}
    layers = [path for path, text in prose.items() if re.search(r"\blayers?\b", text)]
    assert {path.name for path in layers} <= technical


OF_TESTS = re.compile(
    r"\b(Is (it|a score)|is|be) above chance|^\W*Above chance: |\"above chance\"", re.M
)
"""What is above chance, as a test against chance finds."""


def test_above_chance_is_said_of_tests():
    """A figure is corrected for chance, as it is no difference; above chance is what a test finds."""
    kinds = {".py", ".html", ".md", ".js", ".json", ".txt", ".yml", ".yaml"}
    ours = [path for path in SOURCE.rglob("*") if path.suffix in kinds]
    others = [ROOT / name for name in ("mkdocs.yml", "action.yml", ".pre-commit-hooks.yaml")]
    wrong = [
        f"{path.relative_to(ROOT)}: {text[max(0, at.start() - 40) : at.end() + 20]!r}"
        for path in [*PAGES, *ours, *others]
        for text in [OF_TESTS.sub("", path.read_text("utf-8"))]
        for at in re.finditer(r"above[ \n-]+chance\b", text, re.I)
    ]
    assert not wrong


def test_suppressions_have_reasons():
    """Every noqa and type: ignore names its rule and says why, or stands beside one that does."""
    bare = re.compile(r"#\s*(noqa(?!:)|type: ignore(?!\[))")
    for path in SOURCE.rglob("*.py"):
        for line in path.read_text("utf-8").splitlines():
            assert not bare.search(line), f"{path.name}: {line.strip()}"


def test_one_fixture_finds_real_data():
    """No test looks for real data but by the fixture ``real``, without which it is skipped."""
    tests = ROOT / "tests"
    texts = {str(path.relative_to(tests)): path.read_text("utf-8") for path in tests.rglob("*.py")}
    readers = {name for name, text in texts.items() if "SPANAGREE_DATA" in text}
    assert readers == {
        "conftest.py",
        "test_fuzz.py",
        "test_house.py",
    }  # the two others unset and check it
    assert not [name for name, text in texts.items() if re.search(r'\breal / "(?!data")', text)]


def test_examples_follow_the_profile():
    """No test draws a number of examples of its own where the quick profile asks for fewer."""
    own = re.compile(r"\bmax_examples\s*=")
    users = {
        path.name for path in ROOT.glob("tests/**/*.py") if own.search(path.read_text("utf-8"))
    }
    assert users == {"conftest.py", "strategies.py"}
