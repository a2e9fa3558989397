"""The command evaluate."""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.cli.group import spanagree
from spanagree.cli.job import (
    check_apart,
    check_output,
    check_plot_file,
    corpus_or_blocks,
    draw_plot,
    in_blocks_asked,
    progress,
    say,
    show_evaluation,
    show_report,
    worker_processes,
)
from spanagree.cli.options import (
    block_options,
    certainty_asked,
    certainty_options,
    chance_option,
    explain_option,
    files_argument,
    form_option,
    layer_named,
    layers_in,
    levels_asked,
    levels_options,
    output_option,
    plot_option,
    reading_options,
    table_option,
)
from spanagree.evaluation.compare_systems import TESTS
from spanagree.evaluation.result import BY
from spanagree.evaluation.tally_files import check_tallies_can_be_written
from spanagree.matching.measures import MATCHES


@spanagree.command()
@files_argument
@click.option("--gold", metavar="NAME", help="The gold layer.  [default: the first]")
@table_option("--match", MATCHES, "exact", "What counts as agreement.")
@chance_option
@table_option("--by", [*BY, "difficulty"], None, "A row for each of these.")
@levels_options
@certainty_options
@table_option("--test", [*TESTS, "luck"], None, "Pairs of systems, or each against luck.")
@block_options
@click.option("--tallies", metavar="FILE", help="Write tallies to FILE too, to be merged.")
@reading_options
@form_option
@plot_option
@explain_option
@output_option
def evaluate(
    files: tuple[str, ...],
    gold: str | None,
    match: str,
    chance: str,
    by: str | None,
    test: str | None,
    block: int | None,
    workers: int | None,
    on_error: str | None,
    tallies: str | None,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """Evaluate systems against a gold annotation, raw and beyond luck.

    Each FILE holds the same text, as CoNLL unless its extension or --from says otherwise; `-` is
    standard input, NAME=FILE names a layer. One file with several layers works too.

    \b
    spanagree evaluate gold.conll mine.conll yours.conll
    spanagree evaluate all.conll --columns gold=1,mine=2 --by label
    """
    from spanagree.levels.by_level_table import levels_as_table

    check_plot_file(plot, output, layers_in(files).values())
    ways = levels_asked(reading)
    if any(value is not None for value in ways.values()) and by != "difficulty":
        raise click.UsageError("--levels, --at, --chance-at and --quantiles need --by difficulty")
    if test is not None and by == "difficulty":
        raise click.UsageError("--test is over all documents; not with --by difficulty")
    certainty = certainty_asked(reading, test)
    in_blocks = in_blocks_asked(files, block, workers, on_error)
    if in_blocks and (test is not None or by in ("document", "difficulty")):
        raise click.UsageError(
            "blocks (--block, --workers, files by a pattern) keep no single documents, which"
            " --test, --by document and --by difficulty need"
        )
    if tallies is not None:
        check_tallies_can_be_written(in_blocks)
        check_output(tallies, layers_in(files).values(), "--tallies")
        check_apart({"-o": output, "--plot": plot, "--tallies": tallies})
    corpus, layers = corpus_or_blocks(files, reading, output, in_blocks, block)
    gold = layer_named(gold, layers)
    with worker_processes(workers) as executor, progress("evaluating") as advance:
        result = sa.evaluate(
            corpus,
            gold,
            match=match,
            chance=chance,
            executor=executor,
            on_error=on_error or "raise",
            progress=advance,
            **(certainty if certainty.get("ci") else {}),
        )
    _note_gold(gold, result)
    if tallies is not None:
        sa.write_tallies(result, tallies)
    certainty.pop("ci", None)
    if by == "difficulty":
        hard = sa.difficulty(corpus, result.settings["gold"], match=match, chance=chance)
        by_level = sa.evaluate_levels(result, hard, **ways)
        show_report(
            output,
            format,
            (*result.notes, *by_level.notes),
            as_dict=by_level.to_dict,
            as_rows=by_level.to_rows,
            as_table=lambda: levels_as_table(by_level),
        )
        draw_plot(plot, by_level)
        return
    tested = None if test is None else _tested(test, corpus, result, certainty)
    show_evaluation(output, format, result, by, tested)
    draw_plot(plot, tested or result)


def _tested(
    test: str, corpus: sa.Corpus, result: sa.Evaluation, certainty: dict[str, Any]
) -> sa.Comparison | sa.LuckTest:
    if test != "luck":
        return sa.compare_systems(result, test=test, **certainty)
    chosen = {"draws": certainty.get("resamples"), "seed": certainty.get("seed")}
    with progress("drawing") as advance:
        return sa.luck_test(
            corpus,
            result,
            progress=advance,
            **{name: value for name, value in chosen.items() if value is not None},
        )


def _note_gold(asked: str | None, result: sa.Evaluation) -> None:
    """That the first layer was taken for gold, where another one is called so."""
    alike = [name for name in result.systems if "gold" in name.lower()]
    if asked is None and alike and "gold" not in str(result.settings["gold"]).lower():
        say(
            [
                f"gold is {result.settings['gold']}, the first layer; --gold {alike[0]} makes"
                f" {alike[0]} gold"
            ]
        )
