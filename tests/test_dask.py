"""Blocks on a Dask cluster: a scheduler and two worker processes on loopback, started and stopped here."""

from __future__ import annotations

import functools
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import spanagree as sa

distributed = pytest.importorskip("distributed")


def made(seed, folder, dies=False):
    """A block from a seed; each worker leaves its name, and one dies the first time."""
    rng = np.random.default_rng(seed)
    (Path(folder) / f"worker-{os.getpid()}").touch()
    mark = Path(folder) / f"died-{seed}"
    if dies and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    lengths = rng.integers(5, 15, 50).tolist()
    gold = [[(0, 2, "X"), (3, 4, "Y")] for _ in lengths]
    mine = [[(0, 2, "X")] if rng.random() < 0.7 else [(3, 5, "Y")] for _ in lengths]
    return sa.Corpus.from_segments(lengths, {"gold": gold, "mine": mine})


def lost(folder):
    """A shard that cannot be read."""
    raise sa.InputError("shard-7.conll:3: unknown tag 'x'")


@pytest.fixture(scope="module")
def executor():
    """Two worker processes; a worker that dies is started anew."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        yield client.get_executor()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("dies", [False, True], ids=["all live", "one dies"])
def test_cluster(executor, tmp_path, dies):
    """The cluster gives the digits of one process, also if a worker is killed in mid-run."""
    serial = sa.evaluate([made(seed, tmp_path) for seed in range(40)])
    blocks = [
        functools.partial(made, seed, str(tmp_path), dies and seed == 5) for seed in range(40)
    ]
    found = sa.evaluate(blocks, executor=executor)
    assert repr(found.systems["mine"].tally) == repr(serial.systems["mine"].tally)
    assert found.documents == serial.documents
    assert len(list(tmp_path.glob("worker-*"))) > 2  # this process and two others
    assert (tmp_path / "died-5").exists() == dies


@pytest.mark.filterwarnings("default")
def test_corrupt_shard(executor, tmp_path):
    """A corrupt shard names the shard and fails the run; skipped, it is counted and listed."""
    blocks = [functools.partial(made, 1, str(tmp_path)), functools.partial(lost, str(tmp_path))]
    with pytest.raises(sa.InputError, match=r"block 2: shard-7\.conll:3: unknown tag 'x'"):
        sa.evaluate(blocks, executor=executor)
    found = sa.evaluate(blocks, executor=executor, on_error="skip")
    assert found.notes == ("block 2 skipped: shard-7.conll:3: unknown tag 'x'",)
