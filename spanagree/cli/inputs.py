"""The corpus that a command works on: whole, in blocks, or in shards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

import click

import spanagree as sa
from spanagree.cli.options import layers_in, reading_asked
from spanagree.cli.outputs import check_output, progress
from spanagree.errors import check_whole
from spanagree.formats import table
from spanagree.formats.conll import conll_blocks
from spanagree.formats.shards import has_pattern, read_found
from spanagree.formats.table import format_of

_BLOCK = 10_000  # sentences


def read_corpus(
    files: Sequence[str], reading: dict[str, Any], output: str | None
) -> tuple[sa.Corpus, dict[str, str]]:
    """The corpus in the files, and the path of each layer; the output is checked before."""
    options, form, repair = reading_asked(reading)
    layers = layers_in(files)
    check_output(output, layers.values())
    with progress("reading") as advance:
        return read_found(layers, options, form, repair, advance), layers


def in_blocks_asked(
    files: Sequence[str], block: int | None, workers: int | None, on_error: str | None
) -> bool:
    """Whether the files are to be worked on in blocks."""
    found = any(map(has_pattern, layers_in(files).values()))
    asked = found or block is not None or workers is not None
    if on_error is not None and not asked:
        raise click.UsageError("--on-error is of blocks; --block, --workers or a pattern make them")
    return asked


def corpus_or_blocks(
    files: Sequence[str],
    reading: dict[str, Any],
    output: str | None,
    in_blocks: bool,
    block: int | None,
) -> tuple[Any, dict[str, str]]:
    """The corpus in the files, or its blocks; the path of each layer."""
    if in_blocks:
        return blocks_of(files, reading, output, block)
    return read_corpus(files, reading, output)


def blocks_of(
    files: Sequence[str], reading: dict[str, Any], output: str | None, block: int | None
) -> tuple[Iterable[Callable[[], sa.Corpus]], dict[str, str]]:
    """CoNLL files in blocks, or shards by patterns, for workers; the path of each layer."""
    options, form, repair = reading_asked(reading)
    layers = layers_in(files)
    check_output(output, layers.values())
    if any(map(has_pattern, layers.values())):
        if block is not None:
            raise click.UsageError("--block: files found by a pattern are a block each")
        return sa.read_shards(layers, form=form, repair=repair, **options), layers
    other = {form or format_of(path) for path in layers.values()} - {"conll"}
    if other or options.keys() - set(table.FORMATS["conll"].takes):
        raise click.UsageError(
            "--block and --workers are for CoNLL files with their options;"
            f" these are {', '.join(sorted(other)) or 'given others'}"
        )
    size = _BLOCK if block is None else block
    return conll_blocks(layers, size, repair=repair, **options), layers


@contextmanager
def worker_processes(number: int | None) -> Iterator[ProcessPoolExecutor | None]:
    """Processes that work on blocks, if a number of them was asked for."""
    if number is None:
        yield None
        return
    check_whole(number, 1, "workers")
    with ProcessPoolExecutor(number) as executor:
        yield executor
