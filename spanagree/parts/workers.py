"""Calls by the workers of an executor: results in order, failures with a name, no endless waiting.

All executors of the type ``concurrent.futures.Executor`` are allowed: of threads, of processes, or
of a cluster such as Dask. A cluster without a scheduler or without workers is an error after a
minute.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from spanagree.errors import SettingError, escape_name, quote_value

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future  # take a while to load

_AHEAD = 2  # calls for each worker that are submitted before their results are needed
_PATIENCE = 5  # seconds that the client of a cluster may be without its scheduler
_SILENCE = 60  # seconds that a scheduler may give no answer, or have no workers

Outcome: TypeAlias = "tuple[Any, BaseException | None]"
"""The result of a call, or the error that it raised."""


def yield_outcomes(
    tasks: Iterable[tuple[tuple[Any, ...], str]], function: Callable[..., Any], executor: Executor
) -> Iterator[Outcome]:
    """Yield the outcomes of calls by an executor's workers, in the order of the tasks.

    Tasks are submitted as they are needed, a few for each worker.

    Args:
        tasks: arguments of each call, and its name in errors.
        function: function that the workers call; processes need one that can be pickled.
        executor: executor that owns the workers.

    Raises:
        SettingError: if ``executor`` is no executor, or dies.
    """
    from concurrent.futures import BrokenExecutor

    if not hasattr(executor, "submit"):
        raise SettingError(
            f"executor {quote_value(executor)}; a concurrent.futures.Executor is needed"
        )
    n_ahead = _AHEAD * max(int(getattr(executor, "_max_workers", 0) or 0), 4)
    pending: deque[tuple[Future[Any], str]] = deque()
    try:
        for arguments, name in tasks:
            try:
                pending.append((executor.submit(function, *arguments), name))
            except (BrokenExecutor, RuntimeError) as error:  # it may have been shut down
                raise SettingError(f"the executor died: {describe_error(error)}") from None
            if len(pending) == n_ahead:
                yield _wait_for_outcome(*pending.popleft(), executor)
        while pending:
            yield _wait_for_outcome(*pending.popleft(), executor)
    finally:
        for future, *_ in pending:
            future.cancel()


def _wait_for_outcome(future: Future[Any], name: str, executor: Executor) -> Outcome:
    """Wait for a call; return its result or error, or raise `SettingError` if the executor died."""
    from concurrent.futures import BrokenExecutor, CancelledError

    try:
        return _wait_for_result(future, executor, name), None
    except (BrokenExecutor, CancelledError) as error:
        raise SettingError(f"the executor died: {describe_error(error)}") from None
    except Exception as error:  # raised by the function
        return None, error


def describe_error(error: BaseException) -> str:
    """Describe an error of another package on one line."""
    return escape_name(f"{type(error).__name__}: {error}".splitlines()[0])


def _wait_for_result(future: Future[Any], executor: Executor, name: str) -> Any:
    """Wait for the result of a future.

    Raises:
        BrokenExecutor: if a cluster has no scheduler or no workers any more, so that the future
            would never finish.
    """
    from concurrent.futures import BrokenExecutor, wait

    client: Any = getattr(executor, "_client", None)
    n_lost_seconds, last_answer = 0, time.monotonic()
    while n_lost_seconds < _PATIENCE:
        if wait([future], timeout=1).done:
            return future.result()
        n_lost_seconds = (
            n_lost_seconds + 1 if getattr(client, "status", "running") != "running" else 0
        )
        if client is None or n_lost_seconds:
            continue
        if not (missing := _describe_missing(client)):
            last_answer = time.monotonic()
        elif time.monotonic() - last_answer > _SILENCE:
            raise BrokenExecutor(f"{name} is waited for, but for {_SILENCE} s {missing}")
    raise BrokenExecutor(f"its client has been {client.status} for {_PATIENCE} s")


def _describe_missing(client: Any) -> str:
    """Describe the missing scheduler or workers of a cluster; empty if both are available."""
    try:
        scheduler_state = client.sync(client.scheduler.identity, callback_timeout=_PATIENCE)
    except (OSError, TimeoutError):  # if the scheduler is gone, the status of the client changes
        return "the scheduler has not answered"
    return "" if scheduler_state["workers"] else "the cluster has had no workers"
