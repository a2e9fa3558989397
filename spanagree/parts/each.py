"""Reading and processing of the parts of a corpus, one by one, with results in order.

A part is a corpus, or a function without arguments that returns a corpus. Such a function is called
by the worker, so only results are sent between processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from uuid import uuid4

from spanagree.arrays import Progress
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.joined import SharedDocumentsError, join_corpora, remove_text
from spanagree.errors import InputError, SettingError, SpanAgreeError, escape_name, quote_value
from spanagree.parts.workers import Outcome, describe_error, yield_outcomes

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

Part: TypeAlias = "Corpus | Callable[[], Corpus]"
"""Documents of a corpus, or a function that reads them in the process that compares them."""

_Result = TypeVar("_Result")
_Whole = TypeVar("_Whole")


def process_parts(
    corpus_parts: Iterable[Part],
    function: Callable[[Corpus], _Result],
    executor: Executor | None = None,
    progress: Progress = None,
) -> dict[str, _Result]:
    """Apply a function to each part of a corpus, in this process or by the workers of an executor.

    Args:
        corpus_parts: parts of the corpus, iterated lazily.
        function: function of a corpus; processes need one that can be pickled.
        executor: executor with workers that read and process the parts.
        progress: callback with two arguments, both the number of finished parts.

    Returns:
        The results by the name of the part, in the order of parts.

    Raises:
        InputError: if there is no part, or a part fails; the message names it.
        SettingError: if a part cannot be processed with these settings, or the executor dies.
    """
    is_table = hasattr(corpus_parts, "columns") or hasattr(corpus_parts, "column_names")
    if isinstance(corpus_parts, (str, bytes)) or is_table or not isinstance(corpus_parts, Iterable):
        raise InputError(
            f"{type(corpus_parts).__name__ if is_table else quote_value(corpus_parts)}; a corpus,"
            " or parts"
            " of one, are needed; spanagree.read gives a corpus, of files, data frames and rows"
        )
    results: dict[str, _Result] = {}
    outcomes = (
        _yield_in_process(corpus_parts, function)
        if executor is None
        else _yield_from_workers(corpus_parts, function, executor)
    )
    for position, (name, (result, error)) in enumerate(outcomes, 1):
        if error is not None:
            raise build_part_error(name, error) from None
        results[name if name not in results else f"part {position} ({name})"] = result
        if progress is not None:
            progress(position, position)
    if not results:
        raise InputError("no part of a corpus; an iterator gives its parts once")
    return results


def process_and_join_parts(
    corpus_parts: Iterable[Part],
    function: Callable[[Corpus], _Result],
    join: Callable[[dict[str, _Result]], _Whole],
    executor: Executor | None = None,
    progress: Progress = None,
) -> _Whole:
    """Apply a function to each part of a corpus, and join the results.

    Files that share documents are read as one corpus, the only part, as each file may have the
    annotations of other people.

    Raises:
        InputError, SettingError: if a part fails, as for :func:`process_parts`, or ``join`` fails.
    """
    results = process_parts(corpus_parts, function, executor, progress)
    read_united: Callable[[], Corpus] | None = getattr(corpus_parts, "read_as_one_corpus", None)
    try:
        return join(results)
    except SharedDocumentsError:
        if read_united is None:
            raise
    return join({name_part(None, 1): function(read_united())})


def check_executor(executor: object) -> None:
    """Check that no executor is passed for a single corpus, which this process compares."""
    if executor is not None:
        raise SettingError("executor: for parts of a corpus; one corpus is compared here")


def build_part_error(name: str, error: BaseException) -> SpanAgreeError:
    """Build an error with the name of the part in which another error was raised."""
    error_class = type(error) if isinstance(error, SettingError) else InputError
    reason = str(error) if isinstance(error, SpanAgreeError) else describe_error(error)
    return error_class(reason if name in reason else f"{name}: {reason}")


def name_part(part: Any, position: int) -> str:
    """Name a part for messages: by its attribute ``name``, or by its position from 1.

    >>> name_part(dict, 2), name_part(Corpus.from_segments([1], {}), 1)
    ('part 2', 'part 1')
    """
    name = getattr(part, "name", "")
    return escape_name(name) if name and isinstance(name, str) else f"part {position}"


def process_part(part: Part, function: Callable[[Corpus], _Result], run: str = "") -> _Result:
    """Read a part, if it is a function, and process it; rows of an earlier result are allowed too.

    Args:
        part: corpus, function that returns one, or rows of an earlier result.
        function: function of a corpus.
        run: name of the run, by which a cluster that caches calls distinguishes runs.
    """
    corpus = part() if callable(part) else part
    if not (isinstance(corpus, Corpus) or getattr(corpus, "are_rows", False)):
        raise InputError(
            f"{type(corpus).__name__}; a corpus is needed, or a function that returns one; tag"
            " lists become one by spanagree.from_tags({'ann': …, 'bob': …})"
        )
    return function(corpus)


def _yield_in_process(
    corpus_parts: Iterable[Part], function: Callable[[Corpus], Any]
) -> Iterator[tuple[str, Outcome]]:
    """Yield the name and outcome of each part, processed in this process."""
    for position, part in enumerate(corpus_parts, 1):
        name = name_part(part, position)
        try:
            yield name, (process_part(part, function), None)
        except (SpanAgreeError, OSError, ValueError) as error:
            yield name, (None, error)


def _yield_from_workers(
    corpus_parts: Iterable[Part], function: Callable[[Corpus], Any], executor: Executor
) -> Iterator[tuple[str, Outcome]]:
    """Yield the name and outcome of each part, processed by workers."""
    run = uuid4().hex
    names: list[str] = []

    def yield_tasks() -> Iterator[tuple[tuple[Any, ...], str]]:
        for position, part in enumerate(corpus_parts, 1):
            names.append(name_part(part, position))
            yield (part, function, run), names[-1]

    for index, outcome in enumerate(yield_outcomes(yield_tasks(), process_part, executor)):
        yield names[index], outcome


def read_whole_corpus(
    source: Corpus | Iterable[Part],
    executor: Executor | None = None,
    progress: Progress = None,
    *,
    with_text: bool = False,
) -> Corpus:
    """Return a corpus unchanged, or read its parts and join them.

    Args:
        source: corpus, or parts of one.
        executor: executor with workers that read the parts.
        progress: callback with two arguments, both the number of finished parts.
        with_text: True to keep texts and tokens, which are dropped by default.

    Raises:
        InputError, SettingError: if a part fails, as for :func:`process_parts`, or if the parts do
            not belong together.

    >>> one = Corpus.from_segments([5], {"ann": [[(0, 2, "X")]]})
    >>> len(read_whole_corpus([one, one]))
    2
    """
    if isinstance(source, Corpus):
        check_executor(executor)
        return source
    prepare = _keep_unchanged if with_text else remove_text
    return process_and_join_parts(source, prepare, join_corpora, executor, progress)


def _keep_unchanged(part: Corpus) -> Corpus:
    """Return the corpus with its texts."""
    return part
