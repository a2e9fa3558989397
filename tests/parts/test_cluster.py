"""Parts on a real cluster: a Dask scheduler and two worker processes on loopback, started and stopped here."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from messages import refuses

import spanagree as sa
from spanagree.parts import workers

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.cluster

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LONGEST = (
    120  # seconds that a test may take before it is ended; a cluster that hangs waits for ever
)


def made(seed, folder, dies=False):
    """A part from a seed; each worker leaves its name, and one dies the first time."""
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
    ids = [f"{seed}-{i}" for i in range(50)]
    return sa.Corpus.from_segments(lengths, {"gold": gold, "mine": mine}, ids=ids)


def many_parts(folder):
    """So many parts from seeds that none of these clusters is done before something happens."""
    marks = folder / "marks"
    marks.mkdir()
    return (functools.partial(made, seed, str(marks)) for seed in range(4000))


def lost(folder):
    """A file that cannot be read."""
    raise sa.InputError("shard-7.conll:3: unknown tag 'x'")


def mended(folder):
    """A file that cannot be read until somebody mends it."""
    if not (Path(folder) / "mended").exists():
        raise sa.InputError("shard-8.conll:1: unknown tag 'y'")
    return made(8, folder)


@pytest.fixture(autouse=True)
def in_time():
    """Ends a test that hangs."""

    def late(*_):
        raise TimeoutError(f"the cluster gave no answer in {LONGEST} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@contextmanager
def cluster(folder):
    """A client of a scheduler and two workers, and the processes of the scheduler and the workers.

    A worker that dies is started anew.
    """
    location = folder / "scheduler.json"
    path = os.pathsep.join(
        [str(ROOT), str(ROOT / "tests"), str(HERE), os.environ.get("PYTHONPATH", "")]
    )
    settings = {**os.environ, "PYTHONPATH": path}

    def start(what, *more):
        command = [sys.executable, "-m", "dask", what, "--scheduler-file", str(location), *more]
        log = (folder / f"{what}.log").open("w")
        return subprocess.Popen(command, cwd=folder, env=settings, stdout=log, stderr=log), log

    local = ("--host", "127.0.0.1", "--no-dashboard")
    running = [start("scheduler", "--port", "0", *local)]
    deadline = time.monotonic() + 60
    while not location.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    running.append(
        start(
            "worker", "--nworkers", "2", "--nthreads", "1", "--local-directory", str(folder), *local
        )
    )
    try:
        with distributed.Client(scheduler_file=str(location), timeout=30) as client:
            client.wait_for_workers(2, timeout=60)
            yield client, *(process for process, _ in running)
    finally:
        for process, log in reversed(running):
            process.terminate()
            process.wait(30)
            log.close()


@pytest.fixture(scope="module")
def executor(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("cluster")) as (client, *_):
        yield client.get_executor()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("dies", [False, True], ids=["all live", "one dies"])
def test_cluster(executor, tmp_path, dies):
    """The cluster gives the digits of one process, intervals too, also if a worker is killed."""
    ask = {"ci": sa.Jackknife()}
    serial = sa.evaluate([made(seed, tmp_path) for seed in range(40)], **ask)
    parts = [functools.partial(made, seed, str(tmp_path), dies and seed == 5) for seed in range(40)]
    found = sa.evaluate(parts, executor=executor, **ask)
    assert found.to_dict() == serial.to_dict()
    assert len(list(tmp_path.glob("worker-*"))) > 2  # this process and two others
    assert (tmp_path / "died-5").exists() == dies


@pytest.mark.filterwarnings("default")
def test_corrupt_file(executor, tmp_path):
    """A corrupt file names the part and the file, and fails the run."""
    parts = [functools.partial(made, 1, str(tmp_path)), functools.partial(lost, str(tmp_path))]
    with pytest.raises(sa.InputError, match=r"part 2: shard-7\.conll:3: unknown tag 'x'"):
        sa.evaluate(parts, executor=executor)


@pytest.mark.filterwarnings("default")
def test_file_that_was_mended(executor, tmp_path):
    """Each run asks the cluster anew: a file that failed and was mended is read again."""
    parts = [functools.partial(mended, str(tmp_path))]
    with refuses(sa.InputError, "part 1: shard-8.conll:1: unknown tag 'y'") as kept:
        sa.evaluate(parts, executor=executor)
    (tmp_path / "mended").touch()
    assert sa.evaluate(parts, executor=executor).documents == 50
    assert kept  # whoever keeps the error keeps it alive on the cluster too


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_scheduler_that_dies(tmp_path):
    """A cluster that is gone in mid-run is an error within seconds, not a part of a result."""
    import dask

    parts = many_parts(tmp_path)
    soon = dask.config.set({"distributed.comm.timeouts.connect": "3s"})
    with soon, cluster(tmp_path) as (client, scheduler, _):
        begin = []

        def kill(done, _):
            if done == 5:
                scheduler.kill()
                begin.append(time.monotonic())

        with pytest.raises(sa.SettingError, match=r"^the executor died: "):
            sa.evaluate(parts, executor=client.get_executor(), progress=kill)
        assert time.monotonic() - begin[0] < 10


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_scheduler_that_freezes(tmp_path, monkeypatch):
    """A scheduler that answers no more, its connection open, is an error that names the part."""
    monkeypatch.setattr(workers, "_SILENCE", 3)
    monkeypatch.setattr(workers, "_PATIENCE", 2)
    parts = many_parts(tmp_path)
    with cluster(tmp_path) as (client, scheduler, _):

        def freeze(done, _):
            if done == 5:
                scheduler.send_signal(signal.SIGSTOP)

        said = r"^the executor died: .*part \d+ is waited for, but for 3 s the scheduler has not answered$"
        try:
            with pytest.raises(sa.SettingError, match=said):
                sa.evaluate(parts, executor=client.get_executor(), progress=freeze)
        finally:
            scheduler.send_signal(signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_workers_that_leave(tmp_path, monkeypatch):
    """A cluster whose workers have all gone is an error that names the part that waits."""
    monkeypatch.setattr(workers, "_SILENCE", 3)
    parts = many_parts(tmp_path)
    with cluster(tmp_path) as (client, _, processes):

        def leave(done, _):
            if done == 5:
                processes.terminate()

        said = r"^the executor died: .*part \d+ is waited for, but for 3 s the cluster has had no workers$"
        with pytest.raises(sa.SettingError, match=said):
            sa.evaluate(parts, executor=client.get_executor(), progress=leave)


def test_cluster_that_is_not_there():
    """The client of the docs answers within its timeout where no scheduler is."""
    begin = time.monotonic()
    with pytest.raises(OSError, match="Timed out"):
        distributed.Client("tcp://127.0.0.1:9", timeout=2)
    assert time.monotonic() - begin < 10


@pytest.mark.filterwarnings("default")
def test_the_page(executor, tmp_path, monkeypatch):
    """What docs/scale.md shows of Dask runs on the scheduler that is started here."""
    page = (ROOT / "docs" / "scale.md").read_text("utf-8")
    (code,) = re.findall(r"^```\n(from dask\.distributed.*?)```$", page, re.S | re.M)
    address = executor._client.scheduler.address
    assert "tcp://scheduler:8786" in code
    parts = [functools.partial(made, seed, str(tmp_path)) for seed in range(3)]
    names = {"sa": sa, "parts": parts}
    exec(code.replace("tcp://scheduler:8786", address), names)
    whole = sa.evaluate([part() for part in parts], gold="gold")
    assert names["result"].to_dict() == whole.to_dict()
