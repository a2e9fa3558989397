"""Limits on what a small input may cost: what expands, and what is stated and not there."""

from __future__ import annotations

import io
import math
import zlib

import numpy as np
import pytest
from messages import refuses
from strategies import ADDITIVE

import spanagree as sa
from spanagree.limits import EXPANSION, NUMBERS


def test_what_expands(tmp_path, monkeypatch):
    """A .spacy file of 40 kB that unpacks to 40 MB is refused, unless the limit is set higher."""
    pytest.importorskip("spacy")
    path = tmp_path / "bomb.spacy"
    packer, megabyte = zlib.compressobj(9), bytes(1 << 20)
    path.write_bytes(b"".join(packer.compress(megabyte) for _ in range(40)) + packer.flush())
    size = path.stat().st_size
    with refuses(
        sa.InputError, f"{path} … {size} bytes … 50 times … 16 MiB … SPANAGREE_EXPANSION=500"
    ):
        sa.read_docbin(path)
    monkeypatch.setenv(EXPANSION, "2000")
    with pytest.raises(sa.InputError, match=r"not a .spacy file, or truncated"):
        sa.read_docbin(path)


@pytest.mark.parametrize("given", ["0", "-1", "x", "1.5", "9" * 20])
def test_what_a_limit_may_be(monkeypatch, given):
    """A limit is a whole number from 1."""
    monkeypatch.setenv(NUMBERS, given)
    with refuses(sa.SettingError, f"SPANAGREE_NUMBERS '{given}' … from 1"):
        sa.start_distribution(6, [3, 3])


def test_parquet_that_expands(tmp_path):
    """Three million rows in a few kilobytes are refused, as rows and as a dataset."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("datasets")

    out = io.BytesIO()
    pq.write_table(pa.table({"x": pa.nulls(3_000_000, pa.int64())}), out)
    path = tmp_path / "x.parquet"
    path.write_bytes(out.getvalue())
    assert path.stat().st_size < 20_000
    problem = "bytes expand to more than 50 times as many"
    rows = tmp_path / "x.npz"
    np.savez_compressed(rows, x=np.zeros(3_000_000))
    for kind in (sa.systems.ComparedSystems, sa.agreement.ComparedAnnotators):
        with pytest.raises(sa.InputError, match=problem):
            kind.read(rows)
    with pytest.raises(sa.InputError, match=problem):
        sa.read({"x": path}, tokens="x", tags={"a": "x"})


@pytest.mark.parametrize("match", ADDITIVE)
def test_a_stated_length_costs_nothing(match):
    """Short segments in a document said to have 10⁹ tokens: a random one hardly ever matches."""
    layers = {"a": [[(0, 2, "X"), (9, 12, "X")]], "b": [[(0, 2, "X")]]}
    corpus = sa.Corpus.from_segments([10**9], layers)
    assert 0 < sa.evaluate(corpus, "a", match=match).to_rows()[0]["f1_expected"] < 1e-7


def test_long_segments_in_a_stated_length(monkeypatch):
    """Segments of millions of tokens are refused, with the number that would be enough.

    Start distributions of both annotations are then known in coarser units, and not of one alone.
    """
    a = [[(0, 2 * 10**7, "X"), (3 * 10**7, 6 * 10**7, "X")]]
    b = [[(0, 9 * 10**7, "X")]]
    corpus = sa.Corpus.from_segments([10**9], {"a": a, "b": b})
    problem = "the chance of segments of up to 30000000 tokens in a document of"
    for match in ("exact", "token", "iou"):
        with pytest.raises(sa.SettingError, match=f"^{problem}.* takes .* numbers, and 1e"):
            sa.evaluate(corpus, "a", match=match, chance_of="systems")
        both = sa.evaluate(corpus, "a", match=match)
        assert (both["b"].f1.expected > 0) == (match != "exact")  # no two lengths are equal
        assert both["b"].f1.expected < 0.1
        assert [note for note in both.notes if "extrapolated from coarser units" in note]
    alone = sa.Corpus.from_segments([10**9], {"a": b, "b": b})
    with refuses(
        sa.SettingError,
        "the chance of segments of up to 90000000 tokens … 3.6e+08 numbers … 1e+08 … SPANAGREE_NUMBERS=1000000000",
    ):
        sa.evaluate(alone, "a", match="token", chance="nonoverlapping")
    with pytest.raises(sa.SettingError, match="the chance of segments of up to 90000000"):
        sa.evaluate(alone, "a", match="iou", chance="nonoverlapping")
    raw = sa.evaluate(alone, "a", match="token")  # no chance was asked for by name
    assert raw["b"].f1.observed == 1
    assert math.isnan(raw["b"].f1.expected)
    assert "the chance of segments of up to 90000000 tokens" in raw.verdict
    with pytest.raises(sa.SettingError, match=r"a label for every token takes 8e\+09 numbers"):
        sa.token_labels(alone)
    with pytest.raises(sa.SettingError, match="the start distribution in a document of 900000000"):
        sa.start_distribution(9 * 10**8, [1])
    monkeypatch.setenv(NUMBERS, "5")
    with pytest.raises(sa.SettingError, match="takes 24 numbers, and 5 are allowed"):
        sa.start_distribution(6, [3, 3])
