"""How the package is found, cited and run elsewhere: each file says what pyproject.toml says."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import spanagree as sa
from spanagree.version import ADDRESS, YEAR

ROOT = Path(__file__).parent.parent
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
BASE = re.findall(
    r'^    "([a-z0-9]+)>=([\d.]+)",$', PROJECT.partition("[project.optional")[0], re.M
)


def field(name):
    return re.search(rf'^{name} = "?(.*?)"?$', PROJECT, re.M)[1]


def loaded(name, text=None):
    """A file of YAML, as a program reads it."""
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / name).read_text("utf-8") if text is None else text)


def test_citation():
    """CITATION.cff and Zenodo's metadata name the program, its version and licence, and no other authors than LICENSE."""
    cff, zenodo = loaded("CITATION.cff"), json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cff.keys()
    assert cff["cff-version"] == "1.2.0"
    assert cff["title"] == zenodo["title"] == field("name")
    assert not {"version"} & (cff.keys() | zenodo.keys())  # a release has it, and version.py
    assert cff["license"] == zenodo["license"] == field("license")
    assert cff["abstract"] == zenodo["description"] == field("description")
    assert cff["keywords"] == zenodo["keywords"] == json.loads(field("keywords"))
    (author,), (creator,) = cff["authors"], zenodo["creators"]
    assert author["name"] == creator["name"]
    assert author["name"].lower() in (ROOT / "LICENSE").read_text("utf-8")
    assert zenodo["upload_type"] == cff["type"] == "software"


def test_year_of_the_release():
    """What references of the package have as its year is that of its heading in the changes."""
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    (heading,) = re.findall(rf"^## {re.escape(sa.__version__)}\b(.*)$", changes, re.M)
    assert (re.findall(r"\b20\d\d\b", heading) or [""]) == [YEAR]


def test_recipe():
    """The conda recipe has the version and the requirements of the wheel, and its command."""
    text = (ROOT / "recipe" / "meta.yaml").read_text("utf-8")
    (pattern,) = re.findall(r"{% set version = .*version.py.*regex_pattern='(.*)', from", text)
    version = re.search(pattern, (ROOT / "spanagree" / "version.py").read_text("utf-8"))[1]
    assert version == sa.__version__
    plain = (
        re.sub(r"{%.*%}\n", "", text)
        .replace("{{ version }}", version)
        .replace("{{ PYTHON }}", "python")
    )
    recipe = loaded("", plain)
    python = f"python {field('requires-python')}"
    assert recipe["requirements"]["run"] == [python, *(f"{name} >={low}" for name, low in BASE)]
    backend = field("requires").strip('[]"').replace(">=", " >=")
    assert recipe["requirements"]["host"] == [python, "pip", backend]
    assert recipe["build"]["entry_points"] == [f"spanagree = {field('spanagree')}"]
    assert recipe["about"]["license"] == field("license")
    assert recipe["about"]["summary"] == field("description")


def test_links_of_a_build():
    """With an address the README's links are absolute, and no other; without one they stay."""
    spec = spec_from_file_location("build_metadata", ROOT / "scripts" / "build_metadata.py")
    build = module_from_spec(spec)
    pytest.importorskip("hatchling")
    spec.loader.exec_module(build)
    assert doctest.testmod(build) == (0, 1)
    assert build.constants() == (sa.__version__, ADDRESS)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert build.absolute(readme, "1.0", "") == readme
    links = re.findall(r"\]\(([^)]+)\)", build.absolute(readme, "1.0", "https://example.org/x"))
    assert links
    assert all(link.startswith("https://") for link in links)


def test_pipx():
    """The command has the name of the package, which `pipx run` needs, and does not need the checkout."""
    assert field("name") == "spanagree"
    assert field("spanagree") == "spanagree.__main__:main"


def test_the_sdist_has_them():
    """What stands beside the package is in the source archive too."""
    included = re.findall(r'"(.*?)"', PROJECT.partition("targets.sdist]")[2].partition("]")[0])
    names = {
        "CITATION.cff",
        ".zenodo.json",
        "action.yml",
        ".pre-commit-hooks.yaml",
        "recipe",
        "hub",
    }
    assert names <= set(included)
    assert all((ROOT / name).exists() for name in included)


@pytest.fixture
def annotations(tmp_path):
    """A folder with two annotators, corrected F1 1/3 (0.5 where chance gives 0.25), one odd; the program."""
    program = tmp_path / "spanagree" / "bin" / "spanagree"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spanagree "$@"\n')
    program.chmod(0o755)
    tags = {
        "ann": "B-x O O O B-x O O O",
        "bob": "B-x O O O O B-x O O",
        "odd": "B-x O O O X-x O O O",
    }
    for name, row in tags.items():
        (tmp_path / f"{name}.conll").write_text("".join(f"w\t{tag}\n" for tag in row.split()))
    path = f"{program.parent}:{os.environ['PATH']}"
    return tmp_path, {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": path,
        "RUNNER_TEMP": str(tmp_path),
    }


def test_hooks(annotations):
    """Each hook runs its entry with its args: the exit code says whether the commit may pass."""
    folder, environment = annotations
    hooks = {hook["id"]: hook for hook in loaded(".pre-commit-hooks.yaml")}
    assert all(
        hook["language"] == "python" and not hook["pass_filenames"] for hook in hooks.values()
    )

    def code(hook, *args):
        command = [*hooks[hook]["entry"].split(), *args]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True).returncode

    assert code("spanagree-check", "ann.conll", "bob.conll") == 0
    assert code("spanagree-check", "ann.conll", "odd.conll") == 1
    assert code("spanagree-agree", "0.3", "ann.conll", "bob.conll") == 0
    assert code("spanagree-agree", "0.7", "ann.conll", "bob.conll") == 1
    page = loaded(
        "",
        (ROOT / "docs" / "pre_commit.md").read_text("utf-8").split("```text\n")[1].split("```")[0],
    )
    for hook in page["repos"][0]["hooks"]:
        assert code(hook["id"], *(arg.removeprefix("annotations/") for arg in hook["args"])) == (hook["id"] == "spanagree-agree")  # fmt: skip


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        ({"files": "ann.conll bob.conll"}, [0]),
        ({"files": "ann.conll odd.conll"}, [1]),
        ({"files": "ann.conll\nodd.conll\n"}, [1]),
        ({"files": "ann.conll\n  bob.conll\n", "fail-under": "0.7"}, [0, 1]),
        ({"files": "ann.conll bob.conll -o\n"}, [1]),  # a file of that name, which is not there
        ({"files": "ann.conll bob.conll", "fail-under": "0.3"}, [0, 0]),
        ({"files": "ann.conll bob.conll", "fail-under": "0.7"}, [0, 1]),
        ({"files": "ann.conll bob.conll", "fail-under": "0.3", "options": "--match overlap --by pair"}, [0, 0]),
    ],
)  # fmt: skip
def test_action(annotations, given, codes):
    """The steps of the GitHub Action run as GitHub runs them: inputs come by the environment."""
    folder, environment = annotations
    action = loaded("action.yml")
    inputs = {name: one.get("default", "") for name, one in action["inputs"].items()} | given
    install, check, agree = action["runs"]["steps"]
    assert install["env"] == {"EXTRAS": "${{ inputs.extras }}"}
    for extras, wanted in (("", "HERE"), ("spacy,datasets", "HERE[spacy,datasets]")):
        target = re.search(r'--quiet ("\$GITHUB.*")$', install["run"])[1]
        told = subprocess.run(["bash", "-c", f"echo {target}"], env={"GITHUB_ACTION_PATH": "HERE", "EXTRAS": extras}, capture_output=True, text=True)  # fmt: skip
        assert told.stdout.strip() == wanted
    assert agree["if"] == "inputs.fail-under != ''"
    done = []
    for step in [check, agree] if inputs["fail-under"] else [check]:
        asked = {key: inputs[re.fullmatch(r"\${{ inputs\.([\w-]+) }}", value)[1]] for key, value in step["env"].items()}  # fmt: skip
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done.append(subprocess.run(command, cwd=folder, env=environment | asked, capture_output=True).returncode)  # fmt: skip
    assert done == codes
    table = (ROOT / "docs" / "github_action.md").read_text("utf-8")
    assert all(f"| `{name}` |" in table for name in inputs)
