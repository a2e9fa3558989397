"""The small corpora of our own are what their scripts make, and show what they promise."""

from __future__ import annotations

import importlib.util
import sys

import spanagree as sa

FILES = [f"{name}.conll" for name in ("gold", "lexicon", "tagger", "chunker")]


def test_newsroom_is_made_by_its_script(newsroom, tmp_path, monkeypatch):
    """The files are what scripts/make_newsroom.py writes."""
    script = newsroom.parent.parent / "scripts" / "make_newsroom.py"
    spec = importlib.util.spec_from_file_location("make_newsroom", script)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "make_newsroom", module)
    spec.loader.exec_module(module)
    module.main([str(tmp_path)])
    for name in (*FILES, "votes.jsonl", "runs.jsonl"):
        assert (tmp_path / name).read_bytes() == (newsroom / name).read_bytes()


def test_newsroom_changes_ranks(newsroom):
    """At least 60 sentences; the ranks before and after correction differ; 14 repairs."""
    corpus = sa.read_conll([newsroom / name for name in FILES])
    assert len(corpus) >= 60
    ranks = {name: s.rank for name, s in sa.evaluate(corpus).systems.items()}
    assert ranks == {"lexicon.conll": (1, 2), "tagger.conll": (2, 1), "chunker.conll": (3, 3)}
    assert corpus.notes == ("chunker.conll: 14 ill-formed tags read as conlleval does (IOB2)",)
