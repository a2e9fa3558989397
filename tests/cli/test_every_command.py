"""What holds for every command: the size of a document ends none, nor does an unforeseen exception.

The commands are those of the program, so that a new one is tried too.
"""

from __future__ import annotations

import json
import shutil

import click
import pytest
from messages import says

from spanagree.chance.start_distributions import CHANCES
from spanagree.cli.group import spanagree
from spanagree.cli.main import main

OPTIONS = {
    "alt-test": ["--candidate", "ann", "--epsilon", "0.1"],
    "coefficients": ["--tokens"],
    "convert": ["-o", "converted.jsonl"],
    "plan": ["--width", "0.1"],
    "report": ["-o", "report.html"],
    "split": ["-o", "parts", "--gold", "ann"],
}
"""What a command needs beside its files."""
MORE = {"report": [["--team"]], "agree": [["--by", "document"]], "evaluate": [["--test", "chance"]]}
"""Options with which a command computes in another way."""
NO_CORPUS = {"chance", "cite", "completion"}
GOLD = {"evaluate", "difficulty"}
FILES = {
    name: command
    for name, command in spanagree.commands.items()
    if any(isinstance(p, click.Argument) and p.name == "files" for p in command.params)
}


def lines_of(name, file, chances):
    """The command lines of a command: with these chance models if it has any, and in other ways."""
    options = [*OPTIONS.get(name, []), *(["--gold", "ann"] if name in GOLD else [])]
    offered = {option for p in FILES[name].params for option in p.opts}
    for chance in chances if "--chance" in offered else chances[:1]:
        for more in [[], *MORE.get(name, [])]:
            yield [
                name,
                file,
                *options,
                *more,
                *(["--chance", chance] if "--chance" in offered else []),
            ]


def corpus_of(length, n_segments):
    """Texts that three annotators marked: one of this length, and as many short ones as tests need."""
    step = max(length // n_segments, 3)
    layers, short = {}, {}
    for k, annotator in enumerate(("ann", "bob", "cem")):
        starts = range(k % 2, length - 2 - k % 2, step)
        layers[annotator] = [
            {"start": s, "end": s + 1 + k % 3, "label": "XY"[i % 2]} for i, s in enumerate(starts)
        ]
        short[annotator] = [{"start": k, "end": 4, "label": "X"}]
    texts = [(("ab " * length)[:length], layers), *[("one more", short)] * 30]
    rows = [json.dumps({"text": text, "annotators": each}) for text, each in texts]
    return "\n".join(rows) + "\n"


def test_commands_that_take_no_corpus():
    assert set(spanagree.commands) - set(FILES) == NO_CORPUS


def check_sizes(name, sizes, chances, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for length, n_segments in sizes:
        (tmp_path / "corpus.jsonl").write_text(corpus_of(length, n_segments), "utf-8")
        for line in lines_of(name, "corpus.jsonl", chances):
            shutil.rmtree("parts", ignore_errors=True)  # of a split before
            code = main(line)
            _, err = capsys.readouterr()
            assert code == 0, f"{length}: {line}: {code}, {err}"


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_sizes(name, tmp_path, monkeypatch, capsys):
    """A document of 1,200 characters: the arrangements of a segment were found by recursion."""
    check_sizes(name, [(1200, 1)], ["overlapping"], tmp_path, monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_large_sizes(name, tmp_path, monkeypatch, capsys):
    """Documents of 12 to 100,000 characters, with a segment to 500 of them."""
    sizes = [(12, 2), (3000, 1), (5000, 500), (100_000, 1)]
    check_sizes(name, sizes, ["overlapping"], tmp_path, monkeypatch, capsys)
    check_sizes(name, [(100_000, 300)], list(CHANCES), tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("name", spanagree.commands)
def test_faults(name, monkeypatch, capsys):
    """An exception that nobody foresaw is one line that asks to report it, and exit code 70."""

    def fail(**values):
        raise RecursionError("maximum recursion depth\nexceeded")

    monkeypatch.setattr(spanagree.commands[name], "callback", fail)
    line = [
        name,
        *OPTIONS.get(name, []),
        *({"cite": ["x"], "completion": ["bash"], "chance": []}.get(name, ["x.jsonl"])),
    ]
    assert main(line) == 70
    out, err = capsys.readouterr()
    says(
        err,
        "spanagree: error: RecursionError: maximum recursion depth … fault of spanagree … report it … --verbose",
    )
    assert (out, err.count("\n")) == ("", 1)
    if name == "completion":
        return
    assert main([*line, "--verbose"]) == 70
    _, verbose = capsys.readouterr()
    assert verbose.startswith(f"{err}Traceback (most recent call last):\n")
    assert verbose.endswith("exceeded\n")


@pytest.mark.parametrize(
    "error", [ZeroDivisionError(), AssertionError("x"), KeyError("a"), RuntimeError("é" * 9999)]
)
def test_kinds_of_faults(error, monkeypatch, capsys):
    """Whatever is raised, also without a message, or with a very long one."""

    def fail(**values):
        raise error

    monkeypatch.setattr(spanagree.commands["check"], "callback", fail)
    assert main(["check", "x.jsonl"]) == 70
    _, err = capsys.readouterr()
    says(err, f"spanagree: error: {type(error).__name__}")
    assert err.count("\n") == 1
    assert len(err) < 2000
