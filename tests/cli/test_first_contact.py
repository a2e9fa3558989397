"""What a new user meets: the command alone, completion by the shell, names of schemes, exit codes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from messages import says

ROOT = Path(__file__).parents[2]


@pytest.fixture
def program(tmp_path):
    """A folder with the program `spanagree`, and an environment that finds it first."""
    path = tmp_path / "bin" / "spanagree"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spanagree "$@"\n')
    path.chmod(0o755)
    return {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{path.parent}:{os.environ['PATH']}"}


def test_without_a_command(run):
    """A short page: what it is, three commands with an example each, and where the rest is."""
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.startswith("spanagree scores NER systems and inter-annotator agreement on spans,\n")
    lines = out.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("  spanagree ")] == ["evaluate", "agree", "check"]  # fmt: skip
    for rest in ("spanagree --help", "spanagree evaluate --help", "spanagree completion --help"):
        assert any(line.endswith(rest) for line in lines)
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80


COMPLETED = [
    ("eval", "evaluate"),
    ("evaluate --match ", "boundaries"),
    ("agree --fail", "--fail-under"),
    ("completion z", "zsh"),
]


@pytest.mark.long
@pytest.mark.parametrize(("begun", "wanted"), COMPLETED)
def test_completion_in_bash(program, begun, wanted):
    """Bash itself completes commands, options and choices after the line that the docs give."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not here")
    words = ["spanagree", *begun.split(" ")]
    quoted = " ".join(f"'{word}'" for word in words)
    code = (
        'eval "$(spanagree completion bash)"\n'
        f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}\n"
        '_spanagree_completion spanagree\nprintf "%s\\n" "${COMPREPLY[@]}"; complete -p spanagree'
    )
    done = subprocess.run(["bash", "-c", code], env=program, capture_output=True, text=True)
    assert done.stderr == ""
    assert wanted in done.stdout.splitlines()
    assert "-F _spanagree_completion spanagree" in done.stdout


@pytest.mark.long
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_in_other_shells(program, run, shell):
    """What the script for zsh or fish calls gives the same; the shell reads the script, if it is here."""
    code, script, err = run("completion", shell)
    assert (code, err) == (0, "")
    assert f"_SPANAGREE_COMPLETE={shell}_complete" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n", "-c", script], check=True)
    for begun, wanted in COMPLETED:
        *before, last = words = ["spanagree", *begun.split(" ")]
        asked = {"zsh": (" ".join(words), str(len(before))), "fish": (" ".join(before), last)}[
            shell
        ]
        environment = {"_SPANAGREE_COMPLETE": f"{shell}_complete", "COMP_WORDS": asked[0], "COMP_CWORD": asked[1]}  # fmt: skip
        done = subprocess.run(
            ["spanagree"], env=program | environment, capture_output=True, text=True
        )
        assert wanted in re.split(r"[,\t\n]", done.stdout)  # with what it is before and after


@pytest.mark.long
def test_completion_of_files(program):
    """The shell is asked to complete files, for arguments and for options that name one."""
    for words in ("spanagree evaluate go", "spanagree evaluate -o go"):
        environment = {"_SPANAGREE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}  # fmt: skip
        done = subprocess.run(
            ["spanagree"], env=program | environment, capture_output=True, text=True
        )
        assert done.stdout == "file,go\n"


def test_completion_without_a_shell(run):
    """The shells there are, in one line."""
    wanted = "spanagree: error: Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish; see 'spanagree completion --help'\n"
    assert run("completion") == (2, "", wanted)


@pytest.mark.parametrize(
    ("name", "tags", "ours"),
    [("BIO", "B-x I-x", "IOB2"), ("BIOES", "B-x E-x", "IOBES"), ("BMES", "B-x E-x", "IOBES"), ("IOBES", "B-x E-x", "IOBES")],
)  # fmt: skip
def test_schemes_by_their_other_names(run, tmp_path, name, tags, ours):
    """--scheme takes what others call it; the signature has our name."""
    rows = "".join(f"w\t{tag}\n" for tag in tags.split())
    for layer in ("gold", "mine"):
        (tmp_path / f"{layer}.conll").write_text(rows)
    code, out, _ = run(
        "evaluate", tmp_path / "gold.conll", tmp_path / "mine.conll", "--scheme", name
    )
    assert code == 0
    assert f"|scheme:{ours}|" in out


def test_fail_under(run, newsroom):
    """The exit code tells whether the team's corrected F1 is high enough; the table is there all the same."""
    files = [newsroom / "lexicon.conll", newsroom / "tagger.conll"]
    _, out, _ = run("agree", *files, "--format", "json")
    f1 = json.loads(out)["tables"]["team"][0]["f1"]["corrected"]
    assert run("agree", *files, "--fail-under", f1)[0] == 0
    code, out, err = run("agree", *files, "--fail-under", 0.7)
    assert code == 1
    assert "\n2 annotators, " in out
    says(err, f"spanagree: error: the team's corrected F1 {f1:.4f} … --fail-under 0.7")
    assert run("agree", *files, "--fail-under", "2") == (1, "", "spanagree: error: --fail-under 2: a number from -1 to 1 is needed\n")  # fmt: skip
    assert "--fail-under does not go with --measure alpha-u" in run("agree", *files, "--measure", "alpha-u", "--fail-under", "0.5")[2]  # fmt: skip


@pytest.mark.parametrize(
    ("tag", "why"), [("O", "neither marked anything"), ("B-x", "chance alone gives 1")]
)
def test_fail_under_undefined(run, tmp_path, tag, why):
    """An undefined F1 fails, whatever is asked for."""
    for layer in ("ann", "bob"):
        (tmp_path / f"{layer}.conll").write_text(f"w\t{tag}\n")
    code, _, err = run("agree", tmp_path / "ann.conll", tmp_path / "bob.conll", "--fail-under", -1)
    assert code == 1
    assert err.endswith(f"the team's corrected F1 is undefined ({why}); --fail-under -1 requires that minimum\n")  # fmt: skip


def span(end, label):
    return {"start": 0, "end": end, "label": label}


def test_fail_on(run, tmp_path):
    """check exits with 1 for an error; for what is only odd where that is asked for."""
    path = tmp_path / "a.jsonl"
    spans = {"ann": [span(2, "PER")], "bob": [span(2, "Per")]}
    row = {"spanagree": 1, "id": "d", "offsets": "tokens", "tokens": ["w"] * 9, "annotators": spans}
    path.write_text(json.dumps(row) + "\n")
    assert run("check", path)[0] == 0
    code, out, _ = run("check", path, "--fail-on", "warning")
    assert code == 1
    assert "0 kinds of error, 2 kinds of warning" in out
    spans["bob"] = [span(2, "PER")]
    path.write_text(json.dumps(row) + "\n")
    assert run("check", path, "--fail-on", "warning")[0] == 0
    spans["bob"] = [span(20, "PER")]
    path.write_text(json.dumps(row) + "\n")
    for fail_on in ("error", "warning"):
        assert run("check", path, "--fail-on", fail_on)[0] == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gold.conll", "w\tB-x\n"),
        ("tags.bio", "w B-x\n"),
        ("lewidi.json", json.dumps({"1": {"text": "hi", "annotators": "a,b", "annotations": "1,0"}})),
    ],
)  # fmt: skip
def test_coefficients_of_another_file(run, tmp_path, name, text):
    """A file that is no table of labels is not called a span corpus; the option for one is named."""
    path = tmp_path / name
    path.write_text(text)
    wanted = f"spanagree: error: {path}: not a CSV or TSV table of labels; if it holds segments, --tokens takes their tokens as the items; see 'spanagree coefficients --help'\n"
    assert run("coefficients", path) == (2, "", wanted)


def test_a_folder_without_annotations(run, tmp_path):
    """A folder of texts without one .ann file is an error, for every command."""
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "a.txt").write_text("Ada Lovelace")
    wanted = f"spanagree: error: {tmp_path}: .txt files, and no .ann beside one; brat keeps annotations there, and an empty one says that nothing was marked\n"
    for command in ("check", "agree"):
        assert run(command, tmp_path) == (1, "", wanted)
    (tmp_path / "ann" / "a.ann").write_text("")
    assert run("check", tmp_path)[0] == 0


@pytest.mark.parametrize(
    "line",
    ["evaluate {} gold.conll --test bootstrap", "agree {} --test chance", "coefficients {} --tokens --group-by x"],
)  # fmt: skip
def test_a_pattern_that_no_file_fits_is_said_first(run, tmp_path, monkeypatch, line):
    """Not that what is asked for does not go with patterns, as there are no files at all."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.conll").write_text("Jo B-PER\n")
    code, _, err = run(*line.format("nowhere-*.conll").split())
    assert code
    assert "nowhere-*.conll: no file fits this pattern" in err
