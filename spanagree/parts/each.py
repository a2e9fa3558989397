"""Each part of a corpus is read and worked on by itself, and the results come in order.

A part is a corpus, or a function without arguments that returns one: then it is the worker that
reads it, and only what is compared travels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from uuid import uuid4

from spanagree.arrays import Progress
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.joined import SharedDocumentsError, joined, without_text
from spanagree.errors import InputError, SettingError, SpanAgreeError, printable, show
from spanagree.parts.workers import Outcome, by_workers, described

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

Part: TypeAlias = "Corpus | Callable[[], Corpus]"
"""Some documents of a corpus, or a function that returns them where they are compared."""

_Result = TypeVar("_Result")
_Whole = TypeVar("_Whole")


def each_part(
    parts: Iterable[Part],
    work: Callable[[Corpus], _Result],
    executor: Executor | None = None,
    progress: Progress = None,
) -> dict[str, _Result]:
    """Work on each part of a corpus, here or by the workers of an executor.

    Args:
        parts: parts, taken one by one as they are needed.
        work: function of a corpus; processes need one that can be pickled.
        executor: executor whose workers read the parts and work on them.
        progress: function called with the number of parts done, twice.

    Returns:
        The result of each part by the part's name, in their order.

    Raises:
        InputError: if there is no part, or one fails, which is named.
        SettingError: if a part cannot be worked on with these settings; if the executor dies.
    """
    has_columns = hasattr(parts, "columns") or hasattr(parts, "column_names")
    if isinstance(parts, (str, bytes)) or has_columns or not isinstance(parts, Iterable):
        raise InputError(
            f"{type(parts).__name__ if has_columns else show(parts)}; a corpus, or parts of one,"
            " are needed; spanagree.read gives a corpus, of files, data frames and rows"
        )
    results: dict[str, _Result] = {}
    outcomes = _here(parts, work) if executor is None else _by_workers(parts, work, executor)
    for number, (name, (result, error)) in enumerate(outcomes, 1):
        if error is not None:
            raise part_error(name, error) from None
        results[name if name not in results else f"part {number} ({name})"] = result
        if progress is not None:
            progress(number, number)
    if not results:
        raise InputError("no part of a corpus; an iterator gives its parts once")
    return results


def joined_parts(
    parts: Iterable[Part],
    work: Callable[[Corpus], _Result],
    join: Callable[[dict[str, _Result]], _Whole],
    executor: Executor | None = None,
    progress: Progress = None,
) -> _Whole:
    """Work on each part of a corpus, and join the results.

    Files that share documents are read as one corpus, which is then the only part: each may have
    the annotations of somebody else.

    Raises:
        InputError, SettingError: as for :func:`each_part`, and as ``join`` raises.
    """
    results = each_part(parts, work, executor, progress)
    united: Callable[[], Corpus] | None = getattr(parts, "united", None)
    try:
        return join(results)
    except SharedDocumentsError:
        if united is None:
            raise
    return join({name_of(None, 1): work(united())})


def check_executor(executor: object) -> None:
    """Raise if one corpus, which is compared in this process, is given an executor."""
    if executor is not None:
        raise SettingError("executor: for parts of a corpus; one corpus is compared here")


def part_error(name: str, error: BaseException) -> SpanAgreeError:
    """Build the error that names the part in which another one was raised."""
    kind = type(error) if isinstance(error, SettingError) else InputError
    reason = str(error) if isinstance(error, SpanAgreeError) else described(error)
    return kind(reason if name in reason else f"{name}: {reason}")


def name_of(part: Any, number: int) -> str:
    """Name a part for errors: by its own name, if it has one, or by its number from 1.

    >>> name_of(dict, 2), name_of(Corpus.from_segments([1], {}), 1)
    ('part 2', 'part 1')
    """
    name = getattr(part, "name", "")
    return printable(name) if name and isinstance(name, str) else f"part {number}"


def on_part(part: Part, work: Callable[[Corpus], _Result], run: str = "") -> _Result:
    """Read a part, if it is a function, and work on it; rows of an earlier result are passed on.

    A cluster that keeps results by the arguments of calls distinguishes runs by ``run``.
    """
    corpus = part() if callable(part) else part
    if not (isinstance(corpus, Corpus) or getattr(corpus, "are_rows", False)):
        raise InputError(
            f"{type(corpus).__name__}; a corpus is needed, or a function that returns one; tag"
            " lists become one by spanagree.from_tags({'ann': …, 'bob': …})"
        )
    return work(corpus)


def _here(parts: Iterable[Part], work: Callable[[Corpus], Any]) -> Iterator[tuple[str, Outcome]]:
    for number, part in enumerate(parts, 1):
        name = name_of(part, number)
        try:
            yield name, (on_part(part, work), None)
        except (SpanAgreeError, OSError, ValueError) as error:
            yield name, (None, error)


def _by_workers(
    parts: Iterable[Part], work: Callable[[Corpus], Any], executor: Executor
) -> Iterator[tuple[str, Outcome]]:
    run = uuid4().hex
    names: list[str] = []

    def tasks() -> Iterator[tuple[tuple[Any, ...], str]]:
        for number, part in enumerate(parts, 1):
            names.append(name_of(part, number))
            yield (part, work, run), names[-1]

    for number, outcome in enumerate(by_workers(tasks(), on_part, executor)):
        yield names[number], outcome


def whole_corpus(
    source: Corpus | Iterable[Part],
    executor: Executor | None = None,
    progress: Progress = None,
    *,
    with_text: bool = False,
) -> Corpus:
    """Return a corpus as it is, or read its parts and join them.

    Args:
        source: corpus, or parts of one.
        executor: executor whose workers read the parts.
        progress: function called with the number of parts done, twice.
        with_text: whether texts and tokens are needed, which else stay where they are read.

    Raises:
        InputError, SettingError: as for :func:`each_part`; for parts that do not belong together.

    >>> one = Corpus.from_segments([5], {"ann": [[(0, 2, "X")]]})
    >>> len(whole_corpus([one, one]))
    2
    """
    if isinstance(source, Corpus):
        check_executor(executor)
        return source
    work = _as_read if with_text else without_text
    return joined_parts(source, work, joined, executor, progress)


def _as_read(part: Corpus) -> Corpus:
    return part
