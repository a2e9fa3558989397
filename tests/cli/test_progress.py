"""What a terminal shows of a long run, and of one that is stopped."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time

import pytest

from spanagree.cli import progress
from spanagree.cli.progress import Bar

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

RUN = """
import sys
import spanagree.cli.progress as progress
progress._WAIT = {wait}
from spanagree.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def in_terminal(arguments, *, wait=0.2, stop_at=None, limit=60):
    """Run a command in a terminal; return its exit code, what was shown, and how it was left.

    With ``stop_at``, Ctrl-C is sent when this is shown; then the seconds until the end come too.
    """
    ours, its = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", RUN.format(wait=wait), *map(str, arguments)],
        stdin=its, stdout=its, stderr=its, env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background job ignores it
    ) as process:  # fmt: skip
        os.close(its)
        shown, stopped, begun = b"", None, time.monotonic()
        while True:
            if time.monotonic() - begun > limit:  # it would wait for ever for who reads no more
                process.kill()
                pytest.fail(f"not ended after {limit} s; shown: {shown[-500:]!r}")
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    shown += os.read(ours, 65536)
                except OSError:  # the other end is closed
                    break
            if stopped is None and stop_at is not None and stop_at in shown:
                process.send_signal(signal.SIGINT)
                stopped = time.monotonic()
        code = process.wait(limit)
    os.close(ours)
    return code, shown.decode(), None if stopped is None else time.monotonic() - stopped


@pytest.fixture
def long_run(newsroom):
    """A command whose test takes half a minute."""
    files = [newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")]
    return ["evaluate", *files, "--test", "bootstrap", "--resamples", "10000000"]


@pytest.mark.long
def test_a_long_run_names_its_step_and_can_be_stopped(long_run):
    """A bar says what is being done; Ctrl-C ends it soon, and one line says that nothing stays."""
    code, shown, seconds = in_terminal(long_run, stop_at=b"testing \x1b")  # the bar, not the note
    assert code == 130
    assert shown.rstrip().endswith("spanagree: error: interrupted; nothing was written")
    assert "Traceback" not in shown
    assert seconds < 10  # a tenth of a second, where the machine is not busy


@pytest.fixture
def spoken(monkeypatch, capsys):
    """What a bar says where so many seconds passed, and a part of a step is done."""

    def say(seconds, done, total):
        bar = Bar()
        monkeypatch.setattr(progress.time, "monotonic", lambda: 0.0)
        bar.step("comparing")
        bar.hide_bar()
        monkeypatch.setattr(progress.time, "monotonic", lambda: seconds)
        bar(done, total)
        bar(done, total)
        return capsys.readouterr().err

    return say


@pytest.mark.parametrize(
    ("seconds", "done", "total", "said"),
    [
        (2.0, 1, 100, "spanagree: note: comparing: about 3 more minutes\n"),
        (2.0, 1, 32, "spanagree: note: comparing: about 1 more minute\n"),
        (2.0, 1, 31, "spanagree: note: comparing: about 1 more minute\n"),  # just as long
        (2.0, 1, 30, ""),
        (0.2, 1, 1000, "spanagree: note: comparing: about 3 more minutes\n"),
        (0.5, 1, 1000, "spanagree: note: comparing: about 8 more minutes\n"),
        (0.1, 1, 1000, ""),  # too soon to tell
        (2.0, 0, 1000, ""),
    ],
)
def test_a_long_step_is_announced_once(spoken, seconds, done, total, said):
    """What is left takes as long as what is done, share by share; above a minute it is said."""
    assert spoken(seconds, done, total) == said


MARKED = '[{"start": 0, "end": 3, "label": "X", "attributes": {"sure": "yes"}}]'
RECORD = f'{{"spanagree": 1, "id": "1", "length": 9, "annotators": {{"ann": {MARKED}, "bob": {MARKED}}}}}'
LABELS = "item,ann,bob\n1,X,X\n2,X,Y\n"
SPANS = "document,annotator,start,end,label,length\n1,ann,0,3,X,9\n1,bob,0,4,X,9\n"


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("coefficients labels.csv --wide", ["coefficients", "writing"]),
        ("coefficients spans.csv --tokens", ["reading", "coefficients", "writing"]),
        ("coefficients spans.csv --tokens --by label", ["reading", "coefficients", "writing"]),
        ("coefficients spans.jsonl --attribute sure", ["reading", "coefficients", "writing"]),
        ("gold spans.csv -o gold.jsonl", ["reading", "writing", "writing"]),
    ],
)
def test_steps_are_named(run, tmp_path, monkeypatch, line, steps):
    """A terminal shows what a run is at, however short it is; nothing of the step before stays."""
    named = []
    monkeypatch.setattr(Bar, "step", lambda bar, name: named.append(name) or bar)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text(LABELS)
    (tmp_path / "spans.csv").write_text(SPANS)
    (tmp_path / "spans.jsonl").write_text(RECORD)
    run(*line.split())
    assert named == steps


def test_what_comes_before_a_step_is_not_its_time(monkeypatch, capsys):
    """Ten seconds until nothing is done tell nothing of the rest, of which a tenth takes one."""
    bar, now = Bar(), [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    bar.step("comparing")
    bar.hide_bar()
    now[0] = 10.0
    bar(0, 100)
    now[0] = 11.0
    bar(10, 100)
    assert capsys.readouterr().err == ""


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "step"),
    [(["--match", "overlap"], "comparing"), (["--measure", "all"], "F1, overlap")],
)
def test_overlap_of_long_texts_is_announced(options, step, tmp_path):
    """A comparison whose chance is drawn says so in a terminal after its first pairs."""
    files = []
    for name in ("ann", "bob"):
        rng = random.Random(name)
        documents = []
        for _ in range(3000):
            tags = [rng.choice(("B-X", "I-X", "O", "O", "O", "O")) for _ in range(300)]
            documents.append("\n".join(f"w\t{tag}" for tag in tags))
        files.append(tmp_path / f"{name}.conll")
        files[-1].write_text("\n\n".join(documents), "utf-8")
    code, shown, _ = in_terminal(["agree", *files, *options], stop_at=b"more minute")
    assert code == 130
    assert f"spanagree: note: {step}: about " in shown


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "step"),
    [(["--test", "permutation"], "testing"), (["--test", "bootstrap"], "testing")],
)  # fmt: skip
def test_many_resamples_are_announced(newsroom, options, step):
    """Draws that take minutes are said at once: a hundred million, of which the first are timed."""
    files = [newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")]
    arguments = ["evaluate", *files, *options, "--resamples", 100_000_000]
    code, shown, _ = in_terminal(arguments, stop_at=b"more minute")
    assert code == 130
    assert f"spanagree: note: {step}: about " in shown


@pytest.mark.long
def test_a_short_run_shows_no_bar(long_run):
    """What ends before the wait is over shows the table and nothing else."""
    code, shown, _ = in_terminal(long_run[:4], wait=60)
    assert code == 0
    assert "\x1b" not in shown
    assert shown.startswith("By corrected F1 ")


@pytest.mark.long
def test_no_bar_outside_a_terminal(long_run):
    """Where stderr is a file or a pipe, nothing is written on it."""
    arguments = [*map(str, long_run[:4]), "--ci"]
    command = [sys.executable, "-c", RUN.format(wait=0), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
