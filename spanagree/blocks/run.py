"""Corpora in blocks: worked on one after the other, or by an executor's workers, and merged.

A block is a corpus, or a function without arguments that gives one: then it is the worker that
reads it, and only what is counted travels. Any ``concurrent.futures.Executor`` will do. Results
come in the order of the blocks, so what is merged does not depend on who was quickest.
"""

from __future__ import annotations

import functools
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from uuid import uuid4

from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError, SettingError, SpanAgreeError, printable, show

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future  # take a while to load

Block: TypeAlias = "Corpus | Callable[[], Corpus]"
Done = TypeVar("Done")

ON_ERROR = {
    "raise": "a block that fails ends the run",
    "skip": "a block that fails is left out, counted and listed",
}
"""What becomes of a block that cannot be read or worked on, by name."""

_AHEAD = 2  # blocks for each worker that are handed out before they are needed
_PATIENCE = 5  # seconds that the client of a cluster may be without its scheduler
_SILENCE = 60  # seconds that a scheduler may give no answer, or have no workers


def each_block(
    blocks: Iterable[Block],
    work: Callable[[Corpus], Done],
    *,
    executor: Executor | None = None,
    on_error: str = "raise",
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[Done | None, str, str]]:
    """Yield the result of ``work`` on each block, in order, or None and why; and the block's name.

    Args:
        blocks: corpora, or functions that give them; taken one by one, as they are needed.
        work: called with each corpus; with processes it has to be one that pickle takes.
        executor: whose workers do the work; here unless given.
        on_error: what to do with blocks that fail, raise or skip.
        progress: called with the number of blocks done, twice.

    Raises:
        SettingError: for an executor that dies.
        InputError: for a block that fails, with its number, unless it is skipped.
    """
    has_columns = hasattr(blocks, "columns") or hasattr(blocks, "column_names")
    if isinstance(blocks, (str, bytes)) or has_columns or not isinstance(blocks, Iterable):
        raise InputError(
            f"{type(blocks).__name__ if has_columns else show(blocks)}; a corpus, or corpora one"
            " after the other, are needed; spanagree.read gives one, of files, data frames and rows"
        )
    results = _here(blocks, work) if executor is None else _elsewhere(blocks, work, executor)
    for number, (result, error, name) in enumerate(results, 1):
        reason = ""
        if error is not None:
            reason = str(error) if isinstance(error, SpanAgreeError) else _unexpected(error)
            reason = reason if name in reason else f"{name}: {reason}"
            if on_error == "raise":
                kind = type(error) if isinstance(error, SettingError) else InputError
                raise kind(f"block {number}: {reason}") from None
        yield result, reason, name
        if progress is not None:
            progress(number, number)


def _unexpected(error: BaseException) -> str:
    return printable(f"{type(error).__name__}: {error}".splitlines()[0])


_Outcome: TypeAlias = "tuple[Any, BaseException | None, str]"  # and the block's name


def _name(block: Any) -> str:
    """Return the name of a block that has one, as shards have."""
    name = getattr(block, "name", "")
    return printable(name) if isinstance(name, str) else ""


def _guarded(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks; the error of a reader that cannot go on is a last one, which fails."""
    try:
        yield from blocks
    except SpanAgreeError as error:
        yield functools.partial(_fail, error)


def _fail(error: SpanAgreeError) -> Corpus:
    raise error


def _here(blocks: Iterable[Block], work: Callable[[Corpus], Any]) -> Iterator[_Outcome]:
    for block in _guarded(blocks):
        name = _name(block)
        try:
            yield on_block(block, work), None, name
        except (SpanAgreeError, OSError, ValueError) as error:
            yield None, error, name


def on_block(block: Block, work: Callable[[Corpus], Done], run: str = "") -> Done:
    """Work on one block, which is read here if it is a function.

    A cluster that keeps results by what they were made from tells runs apart by ``run``.
    """
    corpus = block() if callable(block) else block
    if not isinstance(corpus, Corpus):
        raise InputError(
            f"{type(corpus).__name__}; a corpus is needed, or a function that gives one; tag lists"
            " become one by spanagree.from_tags({'ann': …, 'bob': …})"
        )
    return work(corpus)


def _elsewhere(
    blocks: Iterable[Block], work: Callable[[Corpus], Any], executor: Executor
) -> Iterator[_Outcome]:
    run = uuid4().hex
    tasks = (((block, work, run), _name(block)) for block in _guarded(blocks))
    return by_workers(tasks, on_block, executor)


def by_workers(
    tasks: Iterable[tuple[tuple[Any, ...], str]], function: Callable[..., Any], executor: Executor
) -> Iterator[_Outcome]:
    """Yield what the executor's workers make; no more is handed out than keeps them busy.

    Args:
        tasks: the arguments of each call, and what it is called in errors.
        function: what the workers call.
        executor: the workers.

    Raises:
        SettingError: for anything but an executor, or one that dies.
    """
    from concurrent.futures import BrokenExecutor

    if not hasattr(executor, "submit"):
        raise SettingError(f"executor {show(executor)}; a concurrent.futures.Executor is needed")
    ahead = _AHEAD * max(int(getattr(executor, "_max_workers", 0) or 0), 4)
    waiting: deque[tuple[Future[Any], str, int]] = deque()
    try:
        for number, (arguments, name) in enumerate(tasks, 1):
            try:
                waiting.append((executor.submit(function, *arguments), name, number))
            except (BrokenExecutor, RuntimeError) as error:  # it is broken, or was shut down
                raise SettingError(f"the executor died: {_unexpected(error)}") from None
            if len(waiting) == ahead:
                yield _outcome(*waiting.popleft(), executor)
        while waiting:
            yield _outcome(*waiting.popleft(), executor)
    finally:
        for future, *_ in waiting:
            future.cancel()


def _outcome(future: Future[Any], name: str, number: int, executor: Executor) -> _Outcome:
    from concurrent.futures import BrokenExecutor, CancelledError

    try:
        return _result(future, executor, name or f"block {number}"), None, name
    except (BrokenExecutor, CancelledError) as error:
        raise SettingError(f"the executor died: {_unexpected(error)}") from None
    except Exception as error:  # whatever a worker raised
        return None, error, name


def _result(future: Future[Any], executor: Executor, name: str) -> Any:
    """Return the result of a future, unless a cluster has lost its scheduler or all its workers.

    Raises:
        BrokenExecutor: if it has; some of its futures would never be done.
    """
    from concurrent.futures import BrokenExecutor, wait

    client: Any = getattr(executor, "_client", None)
    lost, answered = 0, time.monotonic()
    while lost < _PATIENCE:
        if wait([future], timeout=1).done:
            return future.result()
        lost = lost + 1 if getattr(client, "status", "running") != "running" else 0
        if client is None or lost:
            continue
        if not (missing := _missing(client)):
            answered = time.monotonic()
        elif time.monotonic() - answered > _SILENCE:
            raise BrokenExecutor(f"{name} is waited for, but for {_SILENCE} s {missing}")
    raise BrokenExecutor(f"its client has been {client.status} for {_PATIENCE} s")


def _missing(client: Any) -> str:
    """Return what a cluster lacks to go on: a scheduler that answers, or workers."""
    try:
        known = client.sync(client.scheduler.identity, callback_timeout=_PATIENCE)
    except (OSError, TimeoutError):  # the client's status tells whether it is gone
        return "the scheduler has not answered"
    return "" if known["workers"] else "the cluster has had no workers"
