"""A program that is stopped, by Ctrl-C or otherwise: its exit code, what it says, what it leaves."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import spanagree as sa
from spanagree.cli.main import main

KILL = "import os, signal; os.kill(os.getpid(), signal.{})"

# kills its own process when the package that it looks for is imported
WHILE_IMPORTING = """
import sys
class Finder:
    def find_spec(self, name, *_):
        if name == {name!r}:
            {kill}
sys.meta_path.insert(0, Finder())
from spanagree.__main__ import main
sys.argv = ["spanagree", *sys.argv[1:]]
sys.exit(main())
"""

BEFORE = "{first}\nimport sys\nfrom spanagree.__main__ import main\nsys.exit(main())"


def attentive():
    """Take Ctrl-C as usual, also where the tests run in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def python(code, *arguments, cwd=None):
    """Run some code in a Python of its own; return its exit code, stdout and stderr."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=60,
        check=False,
        preexec_fn=attentive,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.long
def test_nothing_is_searched_for_what_can_be_freed(newsroom):
    """A short command ends before anything is searched, and what is left is not searched then."""
    first = (
        "import atexit, gc, sys, spanagree.__main__\n"
        "def say(): print(gc.get_stats()[0]['collections'] - began, gc.get_freeze_count() > 0)\n"
        "atexit.register(say)\nbegan = gc.get_stats()[0]['collections']"
    )
    code, out, _ = python(BEFORE.format(first=first), "evaluate", newsroom / "gold.conll", newsroom / "tagger.conll")  # fmt: skip
    assert (code, out.splitlines()[-1]) == (0, "0 True")


def test_little_loads_before_signals_are_heard():
    """Until Ctrl-C ends the program without a word, Python loads three small modules of ours.

    Of the standard library none that is large; what Python itself loads first nobody can change.
    """
    code = "import sys; before = set(sys.modules); import spanagree.__main__; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, cwd=Path(sa.__file__).parents[1])  # fmt: skip
    loaded = set(done.stdout.split())
    assert {x for x in loaded if x.startswith("spanagree")} == {
        "spanagree", "spanagree.__main__", "spanagree.public", "spanagree.version"
    }  # fmt: skip
    assert not loaded & {"typing", "re", "collections", "enum", "threading", "contextlib", "numpy"}


@pytest.mark.long
@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("name", ["click", "spanagree.cli.evaluate", "numpy", "numpy.linalg"])
def test_stopped_while_it_loads(newsroom, name, sent):
    """While packages are imported, a signal ends the program: 128 and its number, no traceback.

    Before the command is loaded it ends without a word; NumPy is loaded as the command works.
    """
    code = WHILE_IMPORTING.format(name=name, kill=KILL.format(sent))
    files = [newsroom / "gold.conll", newsroom / "tagger.conll"]
    works = sent == "SIGINT" and name.startswith("numpy")
    said = "\nspanagree: error: interrupted; nothing was written\n" if works else ""
    assert python(code, "evaluate", *files) == (128 + getattr(signal, sent), "", said)


@pytest.mark.long
@pytest.mark.parametrize(
    ("sent", "said"), [("SIGINT", "\nspanagree: error: interrupted; nothing was written\n"), ("SIGTERM", "")]
)  # fmt: skip
def test_stopped_while_an_extra_loads(tmp_path, sent, said):
    """A package that catches what is raised while it loads is not said to be missing."""
    (tmp_path / "datasets.py").write_text(
        f"try:\n    {KILL.format(sent)}\n    for _ in range(1000): pass\n"
        "except BaseException:\n    raise ImportError('something is missing')\n"
    )
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    first = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})"
    code, out, err = python(BEFORE.format(first=first), "check", tmp_path / "a.parquet")
    assert (code, out, err) == (128 + getattr(signal, sent), "", said)


@pytest.mark.long
@pytest.mark.parametrize(
    ("sent", "said"), [("SIGINT", "\nspanagree: error: interrupted; nothing was written\n"), ("SIGTERM", "")]
)  # fmt: skip
@pytest.mark.parametrize("there", [True, False])
def test_stopped_while_a_split_is_written(newsroom, tmp_path, there, sent, said):
    """No folder or file that was being made is left."""
    lines = f"""
from spanagree.levels import split_folder
def write(split, made):
    (made / "level-1.jsonl").write_text("x")
    {KILL.format(sent)}
    while True: pass
split_folder.WRITERS["jsonl"] = write
"""
    if there:
        (tmp_path / "parts").mkdir()
    got = python(
        BEFORE.format(first=lines), "split", newsroom / "gold.conll", "-o", tmp_path / "parts"
    )
    assert got == (128 + getattr(signal, sent), "", said)
    assert [p.name for p in tmp_path.rglob("*")] == ["parts"] * there


@pytest.mark.long
@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM"])
def test_stopped_where_errors_are_lost(newsroom, tmp_path, sent):
    """A signal that comes in a destructor, where Python passes over errors, is not lost."""
    lines = f"""
import spanagree as sa
class Lost:
    def __del__(self):
        {KILL.format(sent)}
def read(*_, **__):
    Lost()
    while True: pass
from spanagree.formats import file_parts
file_parts.read_patterns = read
"""
    code, out, err = python(BEFORE.format(first=lines), "evaluate", newsroom / "gold.conll")
    assert (code, out) == (128 + getattr(signal, sent), "")
    assert not re.search("Traceback|Exception", err)


@pytest.mark.long
def test_ignored_signals_stay_ignored(newsroom):
    """Where a signal is ignored from the start, as nohup has it, it does not end the program."""
    lines = "import os, signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    lines += "from spanagree.cli import signals\nsignals.exit_on_signals()\n" + KILL.format(
        "SIGHUP"
    )
    code, out, _ = python(BEFORE.format(first=lines), "chance", "--length", "4", "--segments", "2")
    assert code == 0
    assert out


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("to_all", [True, False])
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.slow
def test_no_worker_lives_on(newsroom, tmp_path, sent, to_all):
    """Workers end with the program, so that nobody waits for its output; they say nothing."""
    text = (newsroom / "gold.conll").read_text("utf-8")
    for name, part in itertools.product("gs", range(40)):
        (tmp_path / f"{name}-{part:02}").write_text(text * 50, "utf-8")
    line = [sys.executable, "-m", "spanagree", "evaluate", "g=g-*", "s=s-*", "--scheme", "IOB2"]
    line += ["--workers", "2", "--ci"]
    with subprocess.Popen(
        line,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=attentive,
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while len(children.read_text().split()) < 2:
            time.sleep(0.02)
        time.sleep(0.3)
        (os.killpg if to_all else os.kill)(process.pid, sent)
        out, err = process.communicate(timeout=10)  # ends when all who hold the pipes have ended
    said = {signal.SIGINT: b"\nspanagree: error: interrupted; nothing was written\n"}.get(sent, b"")
    code = -sent if sent == signal.SIGKILL else 128 + sent
    assert (process.returncode, out, err) == (code, b"", said)


@pytest.mark.long
def test_interrupted_after_writing(newsroom, tmp_path, monkeypatch, capsys):
    """Who stops the program is told what it had written."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    files = [str(newsroom / f"{name}.conll") for name in ("gold", "tagger")]
    monkeypatch.setattr("spanagree.results.plots.write_plot", interrupt)
    ask = ["evaluate", *files, "--plot", "p.svg", "-o"]
    for output, shown in (("o.txt", "o.txt"), ("-", "standard output")):
        assert main([*ask, output]) == 130
        said = f"spanagree: error: interrupted after writing {shown}\n"
        assert capsys.readouterr().err.splitlines(True)[-1] == said


def test_interrupted_behind_a_gold_annotation(tmp_path, monkeypatch, capsys):
    """Who stops the program while gold's table is made is told that the file is there."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    corpus = sa.Corpus.from_segments([5], {"ann": [[(0, 2, "X")]], "bob": [[(0, 2, "X")]]})
    sa.write_jsonl(corpus, "crowd.jsonl")
    monkeypatch.setattr("spanagree.cli.job.CommandContext.show_result", interrupt)
    assert main(["gold", "crowd.jsonl", "-o", "gold.jsonl"]) == 130
    assert "interrupted after writing gold.jsonl" in capsys.readouterr().err
