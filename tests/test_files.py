"""Files: written whole or not at all, beside links and other writers; read, and named."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from messages import refuses, says

import spanagree as sa
from spanagree import files
from spanagree.cli.main import main
from spanagree.errors import pluralize, shorten_message
from spanagree.files import choose_file_names, open_zip, write_bytes


@pytest.mark.long
def test_several_writers_of_one_file(tmp_path):
    """Threads that write one file at the same time all succeed, and one of them wins whole."""
    target = tmp_path / "out"
    barrier = threading.Barrier(8)
    failed = []

    def work(letter):
        barrier.wait()
        try:
            for _ in range(50):
                write_bytes(target, letter * 100_000)
        except sa.InputError as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(bytes([65 + i]),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    data = target.read_bytes()
    assert len(data) == 100_000
    assert len(set(data)) == 1
    assert os.listdir(tmp_path) == ["out"]


def test_no_link_is_followed(tmp_path, monkeypatch):
    """A link in the place of the temporary file is an error; what it points to stays."""
    (tmp_path / "theirs").write_bytes(b"theirs")
    monkeypatch.setattr(os, "urandom", lambda size: b"x" * size)
    (tmp_path / files.draw_hidden_name("part")).symlink_to("theirs")
    with pytest.raises(sa.InputError, match="out: cannot be written: File exists"):
        write_bytes(tmp_path / "out", b"ours")
    assert (tmp_path / "theirs").read_bytes() == b"theirs"


def test_names_cannot_be_guessed():
    """The names of temporary files are drawn from 64 random bits."""
    assert len({files.draw_hidden_name("part") for _ in range(1000)}) == 1000
    assert len(files.draw_hidden_name("part").rpartition("-")[2]) == 16


def test_names_as_long_as_they_may_be(tmp_path):
    """The name of the temporary file does not grow with that of the file."""
    write_bytes(tmp_path / ("ü" * 127), b"x")
    assert len(os.listdir(tmp_path)) == 1


# --- what goes wrong, and about which file ------------------------------------------------------

LONG = "x" * 300


@pytest.mark.parametrize("name", [LONG, f"a={LONG}", f"{LONG}.jsonl", f"{LONG}.csv", f"{LONG}.spacy", f"{LONG}/x"])  # fmt: skip
@pytest.mark.parametrize("command", [["check"], ["evaluate"], ["coefficients"], ["agree", "--from", "brat"]])  # fmt: skip
def test_names_that_are_too_long(tmp_path, monkeypatch, capsys, command, name):
    """A name that no file can have is an error about that file, not about standard output."""
    monkeypatch.chdir(tmp_path)
    if command[0] == "coefficients":
        name = f"{LONG}.csv"
    assert main([*command, name]) == 1
    shown = name.removeprefix("a=")
    said = f"spanagree: error: {shown}: cannot be read: File name too long"
    says(capsys.readouterr().err, said)


@pytest.mark.long
@pytest.mark.parametrize(
    ("mode", "source", "location"),
    [
        (0o600, "folder", "folder"),
        (0o600, "folder/x.conll", "folder/x.conll"),
        (0o600, "folder/x.jsonl", "folder/x.jsonl"),
        (0o711, "folder", "folder"),
    ],
)
def test_folders_without_permission(tmp_path, mode, source, location):
    """An input that may not be read is named; standard output has no part in it."""
    folder = tmp_path / "folder"
    (folder / "ann").mkdir(parents=True)
    for name in ("x.conll", "x.jsonl", "ann/x.txt"):
        (folder / name).write_text("x O\n", "utf-8")
    folder.chmod(mode)
    tmp_path.chmod(0o755)
    (tmp_path / "y.conll").write_text("x O\n", "utf-8")
    code = "import os, sys; from spanagree.cli.main import main; main(['check', 'y.conll'])"
    if os.geteuid() == 0:  # who may read everything gives up their rights, once all is loaded
        code += "; import importlib, pkgutil, zipfile; from spanagree.formats.registry import load_registered_formats"
        code += "; import spanagree.formats, spanagree.tools, spanagree.recordings; load_registered_formats()"
        code += "; rooms = spanagree.formats, spanagree.tools, spanagree.recordings"
        code += "; [importlib.import_module(module.name) for room in rooms"
        code += " for module in pkgutil.walk_packages(room.__path__, room.__name__ + '.')]"
        code += "; os.setgroups([]); os.setgid(65534); os.setuid(65534)"
    code += "; sys.exit(main(sys.argv[1:]))"
    line = [sys.executable, "-c", code, "check", source]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    folder.chmod(0o700)
    said = f"spanagree: error: {location}: cannot be read: Permission denied\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_an_error_of_the_system_names_its_file(newsroom, monkeypatch, capsys):
    """Whatever file the system complains of is named; without one it is standard output."""
    for error, said in (
        (PermissionError(13, "Permission denied", "f"), "f: cannot be read or written: Permission denied"),
        (OSError(28, "No space left on device"), "standard output: cannot be written: No space left on device"),
    ):  # fmt: skip

        def fail(*_, error=error, **__):
            raise error

        monkeypatch.setattr(os, "dup2", lambda *_: None)
        monkeypatch.setattr(sys.stdout, "fileno", lambda: 1, raising=False)
        monkeypatch.setattr(sa, "start_distribution", fail)
        assert main(["chance", "--length", "5", "--segments", "1"]) == 1
        says(capsys.readouterr().err, f"spanagree: error: {said}")


@pytest.mark.parametrize("length", [1500, 1501, 100_000])
def test_no_message_is_longer_than_it_helps(length):
    """A long message loses its middle; what is wrong and what to do stay, and no more is lost."""
    text = f"file.csv: no column; there are: {'x' * length}"[:-6] + "; name one of them"
    error = sa.InputError(text)
    assert len(str(error)) <= 1500
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == shorten_message(text)
    if len(text) > 1500:
        begin, cut, end = str(error).split(" … ")
        assert text.startswith(begin)
        assert text.endswith(end)
        assert cut == f"({pluralize(len(text) - len(begin) - len(end), 'character')} left out)"
    assert str(sa.SettingError("x" * 1500)) == "x" * 1500


@pytest.mark.long
def test_many_columns(tmp_path, capsys):
    """An unknown column of a table with thousands of others is said in a line that can be read."""
    path = tmp_path / "x.csv"
    path.write_text(",".join(f"column-{i}" for i in range(20_000)) + "\n" + "1," * 19_999 + "1\n")
    assert main(["coefficients", str(path), "--item", "x"]) == 1
    err = capsys.readouterr().err
    assert "no column called 'x'; there are: 'column-0'" in err
    assert len(err) < 1600


def test_one_file_under_two_names(newsroom, tmp_path, monkeypatch, capsys):
    """A file that comes again by a link or another spelling is refused; with a name it is said."""
    monkeypatch.chdir(tmp_path)
    Path("gold").write_bytes((newsroom / "gold.conll").read_bytes())
    Path("link").symlink_to("gold")
    Path("hard").hardlink_to("gold")
    Path("copy").write_bytes(Path("gold").read_bytes())
    for again in ("link", "hard", f"../{tmp_path.name}/gold"):
        assert main(["evaluate", "gold", again]) == 1
        said = f"{again}: the same file as gold … NAME=FILE"
        says(capsys.readouterr().err, f"spanagree: error: {said}")
        with pytest.raises(sa.InputError, match="the same file as gold"):
            sa.read_conll(["gold", again])
        assert main(["evaluate", "gold", f"mine={again}"]) == 0
        said = f"gold and mine are the same file, {again}"
        says(capsys.readouterr().err, f"spanagree: note: {said}")
    assert main(["evaluate", "gold", "copy"]) == 0
    assert capsys.readouterr().err == ""
    with pytest.raises(sa.InputError, match=r"^gold: the same file twice; NAME=FILE"):
        choose_file_names(["gold", "gold"])


@pytest.mark.parametrize("option", ["-o", "--plot"])
def test_an_output_without_a_name(newsroom, capsys, option):
    """An empty name is said to be one."""
    files = [str(newsroom / f"{name}.conll") for name in ("gold", "tagger")]
    assert main(["evaluate", *files, option, ""]) == 1
    said = "spanagree: error: '' … without a name … name one"
    says(capsys.readouterr().err, said)


SURROGATES = {
    "a name": (["{g}", "\udcff={t}"], 0, ""),
    "a file": (["\ud800"], 1, "\\ud800: cannot be read: 'utf-8' codec can't encode character"),
    "an output": (["{g}", "{t}", "-o", "\ud800"], 1, "\\ud800: cannot be written: 'utf-8' codec"),
    "an encoding": (["{g}", "{t}", "--encoding", "\udcff"], 1, "unknown encoding '\\udcff'; utf-8"),
    "a choice": (["{g}", "{t}", "--match", "\udcff"], 2, "'\\udcff' is not one of 'exact'"),
    "a number": (["{g}", "{t}", "--resamples", "\udcff"], 2, "'\\udcff' is not a valid int"),
    "an option": (["{g}", "{t}", "--\udcff"], 2, "--\\udcff"),
}


@pytest.mark.parametrize("what", SURROGATES)
def test_half_surrogate_pairs_in_arguments(newsroom, capsys, what):
    """Bytes of the command line that are no UTF-8 are shown with escapes, wherever they stand."""
    arguments, code, said = SURROGATES[what]
    named = {"g": newsroom / "gold.conll", "t": newsroom / "tagger.conll"}
    assert main(["evaluate", *(a.format(**named) for a in arguments)]) == code
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == (code > 0)


def test_half_surrogate_pairs_that_cannot_be_kept(newsroom, tmp_path, monkeypatch, capsys):
    """A dataset cannot hold such a name, and a split does not look for such an input."""
    pytest.importorskip("datasets")
    monkeypatch.chdir(tmp_path)
    assert main(["convert", f"\udcff={newsroom / 'gold.conll'}", "-o", "o.parquet"]) == 1
    said = "'spans:\\udcff' … surrogate … replace it"
    says(capsys.readouterr().err, f"spanagree: error: {said}")
    assert main(["split", "\ud800", "-o", "parts"]) == 1
    assert "\\ud800: cannot be read: 'utf-8' codec" in capsys.readouterr().err
    assert os.listdir() == []


def test_a_document_cannot_be_changed():
    """The segments of a document are for reading; it can be copied, pickled and compared."""
    corpus = sa.Corpus.from_segments([3], {"a": [[(0, 1, "X")]], "b": [None]})
    document = corpus[0]
    with pytest.raises(TypeError):
        document.segments["a"] = ()
    assert not hasattr(document.segments, "clear")
    assert type(document.segments["a"]) is tuple
    for again in (pickle.loads(pickle.dumps(document)), copy.deepcopy(document), corpus[0]):
        assert again == document
        assert dict(again.segments) == {"a": (sa.Segment(0, 1, "X"),), "b": None}


def a_zip(path, members, **more):
    """Write an archive; ``members`` are contents by name, or by what zipfile knows of a member."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **more) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_zips(tmp_path):
    """The files of an archive are read into memory, those of an archive inside it too."""
    inner = a_zip(tmp_path / "inner.zip", {"ann.xmi": "<x/>"}).read_bytes()
    members = {"a/": "", "a/b.json": "{}", "inner.zip": inner, "__MACOSX/a/._b.json": "", "a/.DS_Store": ""}  # fmt: skip
    path = a_zip(tmp_path / "a.zip", members)
    with open_zip(path) as files:
        assert files.names == ("a/b.json", "inner.zip")
        assert files.read("a/b.json") == b"{}"
        with open_zip("a.zip, inner.zip", files.read("inner.zip")) as deeper:
            assert deeper.read(*deeper.names) == b"<x/>"
    assert sorted(os.listdir(tmp_path)) == ["a.zip", "inner.zip"]


@pytest.mark.parametrize("name", ["../a", "a/../../b", "/etc/a", "C:/a", "..\\a", "\\a", "C:a"])
def test_zips_that_lead_out(tmp_path, name):
    """A path out of the archive is refused, before anything is read."""
    member = zipfile.ZipInfo("x")
    member.filename = name
    path = a_zip(tmp_path / "a.zip", {"good": "", member: ""})
    with refuses(sa.InputError, "… a.zip: ' … ' leads out of the archive"):
        open_zip(path).__enter__()


def test_odd_zips(tmp_path, monkeypatch):
    """Links, bombs, damaged and locked files are refused; the limit on bombs can be raised."""
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    with pytest.raises(sa.InputError, match="'link' is a link; pack"):
        open_zip(a_zip(tmp_path / "a.zip", {link: "/etc/passwd"})).__enter__()
    bomb = a_zip(tmp_path / "b.zip", {"a": bytes(17 << 20), "b": ""})
    with pytest.raises(sa.InputError, match=r"expand to more than 50 times.*SPANAGREE_EXPANSION"):
        open_zip(bomb).__enter__()
    monkeypatch.setenv("SPANAGREE_EXPANSION", "5000")
    with open_zip(bomb) as files:
        assert files.names == ("a", "b")
    (tmp_path / "c.zip").write_bytes(b"PK\3\4 no")
    with refuses(sa.InputError, "… c.zip: cannot be unpacked (File is not a zip file)"):
        open_zip(tmp_path / "c.zip").__enter__()
    data = bytearray(a_zip(tmp_path / "d.zip", {"a": "text that is packed"}).read_bytes())
    data[35] ^= 255
    with open_zip("d.zip", bytes(data)) as files, pytest.raises(sa.InputError, match=r"d.zip, 'a': cannot"):  # fmt: skip
        files.read("a")
    data = bytearray(a_zip(tmp_path / "e.zip", {"a": "text"}).read_bytes())
    data[6] = data[data.index(b"PK\1\2") + 8] = 1  # says that it is encrypted
    with open_zip("e.zip", bytes(data)) as files, pytest.raises(sa.InputError, match="encrypted"):
        files.read("a")
