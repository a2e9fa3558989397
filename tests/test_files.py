"""Files: written whole or not at all, beside links and other writers; read, and named."""

from __future__ import annotations

import os
import threading

import pytest

import spanagree as sa
from spanagree import files
from spanagree.files import write_bytes


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
    monkeypatch.setattr(files.secrets, "token_hex", lambda _: "x")
    (tmp_path / files.hidden_name("part")).symlink_to("theirs")
    with pytest.raises(sa.InputError, match="out: cannot be written: File exists"):
        write_bytes(tmp_path / "out", b"ours")
    assert (tmp_path / "theirs").read_bytes() == b"theirs"


def test_names_cannot_be_guessed():
    """The names of temporary files are drawn from 64 random bits."""
    assert len({files.hidden_name("part") for _ in range(1000)}) == 1000
    assert len(files.hidden_name("part").rpartition("-")[2]) == 16


def test_names_as_long_as_they_may_be(tmp_path):
    """The name of the temporary file does not grow with that of the file."""
    write_bytes(tmp_path / ("ü" * 127), b"x")
    assert len(os.listdir(tmp_path)) == 1
