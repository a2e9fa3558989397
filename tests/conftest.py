"""Real data for the tests that want it, profiles of Hypothesis, the order, and what takes long."""

from __future__ import annotations

import gc
import json
import os
import random
import time
from collections.abc import Callable, Iterator

os.environ["HF_HUB_OFFLINE"] = "1"  # before datasets is imported: the suite needs no network
os.environ["HF_DATASETS_OFFLINE"] = "1"

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import spanagree as sa

# thousands of tests stay there: to look for garbage among them took a third of their collection
gc.set_threshold(50_000, 20, 100)

# the machine's speed is no property of the code
settings.register_profile(
    "spanagree", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(  # of few examples, many may be filtered out
    "quick",
    settings.get_profile("spanagree"),
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile(  # not those of every other run; --hypothesis-seed gives them again
    "new",
    settings.get_profile("quick"),
    max_examples=30,
    derandomize=False,
    database=None,
    print_blob=True,
)
settings.load_profile("quick")  # continuous integration asks for all

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
LONG = 5.0  # seconds of a processor, those of the processes that a test starts among them


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that shuffles."""
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files, and tests in each, in another order")  # fmt: skip


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that use a browser, or the documentation site, by their fixtures; shuffle.

    To build the site takes long: its tests are slow.
    """
    for item in items:
        for name, marks in {"browser": ["browser"], "site": ["site", "slow"]}.items():
            if name in getattr(item, "fixturenames", ()):
                for mark in marks:
                    item.add_marker(mark)
    seed = config.getoption("--shuffle")
    if seed is not None:  # file by file, as what a file's tests share is made once for each file
        drawn = random.Random(seed)
        place = {path: drawn.random() for path in sorted({item.path for item in items})}
        items.sort(key=lambda item: (place[item.path], drawn.random()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each file to one process, as what a file's tests share is then made once."""
    if config.option.dist != "load":  # what -n alone says
        return None
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Note how long a test takes that is not marked as slow."""
    before = sum(os.times()[:4])
    yield
    seconds = sum(os.times()[:4]) - before
    if seconds > LONG and item.get_closest_marker("slow") is None:
        item.add_report_section("call", "seconds", f"{seconds:.1f}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out, and name the tests that should be marked as slow."""
    left_out = len(terminalreporter.stats.get("deselected", ()))
    asked = terminalreporter.config.option
    if left_out and asked.markexpr == "not slow and not browser" and not asked.keyword:
        terminalreporter.write_line(
            f"{left_out} tests were left out (simulations, memory, benchmarks, the site, pages in a"
            ' browser, all examples of Hypothesis); pytest -m "" --hypothesis-profile=spanagree runs'
            " them too"
        )
    for report in terminalreporter.getreports("passed"):
        for name, seconds in report.sections:
            if name == "Captured seconds call":
                terminalreporter.write_line(f"{report.nodeid}: {seconds} s, and not marked slow")


@pytest.fixture
def write(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., Path]:
    """Writes text, bytes, or rows to a file, which is the module's ``FILE`` unless it is named.

    Rows are a list where the file is .json, and else stand one a line, as JSON unless they are text.
    """

    def write(content: Any, name: str = getattr(request.module, "FILE", "file.txt")) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if path.suffix == ".json" and not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        elif not isinstance(content, (str, bytes)):
            lines = (row if isinstance(row, str) else json.dumps(row) for row in content)
            content = "\n".join(lines) + "\n"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder with ``data/`` that SPANAGREE_DATA names; without it the test is skipped.

    No other test reads the variable, so that none can look for data that is not there.
    """
    folder = os.environ.get("SPANAGREE_DATA")
    if not folder:
        pytest.skip("SPANAGREE_DATA is not set: no real data")
    path = Path(folder)
    assert (path / "data").is_dir(), f"SPANAGREE_DATA={folder} has no folder data"
    return path


@pytest.fixture(scope="session")
def newsroom() -> Path:
    """The small corpus of our own."""
    return Path(__file__).parent.parent / "corpora" / "newsroom"


def _newsroom(folder: Path, **how: Any) -> sa.Corpus:
    names = ("gold", "lexicon", "tagger", "chunker")
    return sa.read_conll({name: folder / f"{name}.conll" for name in names}, **how)


@pytest.fixture(scope="session")
def sentences(newsroom: Path) -> sa.Corpus:
    """The same corpus, read sentence by sentence."""
    return _newsroom(newsroom)


@pytest.fixture(scope="session")
def documents(newsroom: Path) -> sa.Corpus:
    """The same corpus, its sentences joined to documents."""
    return _newsroom(newsroom, unit="document")


@pytest.fixture(scope="session")
def crowd(newsroom: Path) -> sa.Corpus:
    """The corpus of our own that a team marked."""
    return sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl")


@pytest.fixture(scope="session")
def growth() -> Callable[[Callable[[], object], Callable[[], object]], float]:
    """How many times as long the second call takes as the first; the least processor time of each.

    Of eight times the work, a call takes 8 times as long if time grows with the work, and 64 times
    if with its square: tests allow 30, as others may use the same processor.
    """

    def seconds(call: Callable[[], object]) -> float:
        begin = time.process_time()
        call()
        return time.process_time() - begin

    return lambda few, many: min(seconds(many) for _ in "12") / min(seconds(few) for _ in "123")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command; returns its exit code, stdout and stderr."""
    from spanagree.cli.main import main

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium without a window, with nothing it could load from elsewhere."""
    if not (CHROMIUM.exists() and DRIVER.exists()):
        pytest.skip(f"{CHROMIUM} and {DRIVER} are not there: no browser")
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
        "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--window-size=1200,900", f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(executable_path=str(DRIVER)))
    for waiting in (driver.set_script_timeout, driver.set_page_load_timeout):
        waiting(600)  # seconds: a busy machine is not a fault of the page
    yield driver
    driver.quit()
