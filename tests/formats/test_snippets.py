"""What pages show for programs that our tests do not have: each runs with a stand-in for the other."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import spanagree as sa

ROOT = Path(__file__).parent.parent.parent
EXPORTS = ROOT / "corpora" / "exports"


def snippet(page, begin):
    """The block of a page that begins so."""
    (found,) = re.findall(
        rf"^```\w+\n({re.escape(begin)}.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S
    )
    return found


@pytest.fixture
def stand_in(monkeypatch):
    """A function that puts a module of these names where an import finds it."""

    def put(name, **names):
        for i, _ in enumerate(parts := name.split("."), 1):
            part = ".".join(parts[:i])
            if part not in sys.modules:
                monkeypatch.setitem(sys.modules, part, ModuleType(part))
        for key, value in names.items():
            setattr(sys.modules[name], key, value)

    return put


@pytest.mark.long
def test_the_recipe_of_prodigy(stand_in, tmp_path, monkeypatch, capsys):
    """It prints the agreement of the rows of the data set, and keeps what Prodigy's recipe gives."""
    files = [EXPORTS / "prodigy" / f"{name}.jsonl" for name in ("ann", "bob")]
    rows = [
        {**json.loads(line), "_annotator_id": path.stem, "_session_id": path.stem}
        for path in files
        for line in path.read_text("utf-8").splitlines()
    ]
    made = {}

    def recipe(name, **arguments):
        return lambda function: made.setdefault(name, function)

    def write(path, data):
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in data), "utf-8")

    stand_in("prodigy", recipe=recipe)
    data = SimpleNamespace(get_dataset_examples=lambda name: rows)
    stand_in("prodigy.components.db", connect=lambda: data)
    stand_in(
        "prodigy.recipes.ner",
        manual=lambda *given, label: {"view_id": "ner_manual", "label": label},
    )
    stand_in("srsly", write_jsonl=write)
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet("docs/tools/prodigy.md", "import prodigy"), "recipe", "exec"), {})
    recipe = made["ner.agree"]("news", "texts.jsonl", "PER,LOC")
    assert (recipe["view_id"], recipe["label"]) == ("ner_manual", ["PER", "LOC"])
    recipe["on_exit"](None)
    shown = capsys.readouterr().out
    alone = sa.agree(sa.read([str(path) for path in files]))
    assert f"{alone.team.f1.observed:.3f}" in shown


def test_the_client_of_label_studio(stand_in, tmp_path, monkeypatch, capsys):
    """It prints the agreement of a project that the server exports."""
    export = json.loads((EXPORTS / "label-studio.json").read_text("utf-8"))
    projects = SimpleNamespace(exports=SimpleNamespace(as_json=lambda project: export))
    stand_in("label_studio_sdk", LabelStudio=lambda **given: SimpleNamespace(projects=projects))
    monkeypatch.chdir(tmp_path)
    code = snippet("docs/tools/label-studio.md", "import json, spanagree")
    exec(compile(textwrap.dedent(code), "client", "exec"), {"KEY": "k", "PROJECT": 1})
    found = sa.agree(str(EXPORTS / "label-studio.json")).team.f1.observed
    assert f"{found:.3f}" in capsys.readouterr().out


def test_the_calls_of_r():
    """Each name that R takes from the package is there, and the calls give what Python's do."""
    calls = snippet("docs/coming_from.md", "library(reticulate)")
    for name in re.findall(r"\bsa\$(\w+)", calls):
        assert hasattr(sa, name)
    rows = [("1", "ann", "yes"), ("1", "bob", "yes"), ("2", "ann", "no"), ("2", "bob", "yes")]
    assert re.findall(r'tuple\("(\w+)", "(\w+)", "(\w+)"\)', calls) == rows
    # by hand: one of two items agrees, and three of four labels are yes: π = (1/2 − 5/8) / (3/8)
    assert sa.coefficients(sa.LabelTable.from_rows(rows)).pi.value == pytest.approx(-1 / 3)
    pandas = pytest.importorskip("pandas")
    assert isinstance(
        sa.agree(sa.read(ROOT / "corpora/crowd/crowd.jsonl")).to_pandas("pair"), pandas.DataFrame
    )
