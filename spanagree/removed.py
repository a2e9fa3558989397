"""Commands, options and names that were removed before 1.0, and their replacements."""

from __future__ import annotations

REMOVED: dict[str, str] = {
    "--breaks": "use --sentences-from",
    "--empty": "use --absent",
    "--luck": "use --test chance",
    "--shares": "use --by share",
    "replace": "use alt-test",
    **dict.fromkeys(
        ("--block", "sa.LabelTallies"),
        "read the files of a pattern as one corpus, or as parts with --workers",
    ),
    "--on-error": "leave it out, as a file that fails is named",
    **dict.fromkeys(
        ("--tallies", "--from-tallies", "merge", "sa.read_tallies", "sa.write_tallies"),
        "write result.rows in Python, and evaluate the rows of several parts",
    ),
    "sa.read_shards": "use sa.formats.read_parts",
    "sa.Compared": "use sa.comparisons.Selection",
    "confusion": "use disagreements --by label",
    **dict.fromkeys(
        ("evaluate --match soft", "--probabilities", "--soft-gold", "--threshold", "soft"),
        "use studies/mushroom/run.py, which has these scores",
    ),
    **dict.fromkeys(
        ("sa.soft_scores", "sa.SoftScores", "sa.shares", "sa.Shares"),
        "use soft_scores and shares of studies/mushroom",
    ),
    **dict.fromkeys(
        ("report --study", "sa.study", "sa.Study"),
        "use studies/shared_tasks/run.py, where it is study.py",
    ),
    **dict.fromkeys(
        ("partial-credit", "--severity-penalty", "--label-weights"),
        "use sa.partial_credit in Python",
    ),
    "--arguments": "leave it out, as segments stay where they are; Python has arguments='common'",
    "--best-match": "compare with all references, of which F1 is the mean",
    "evaluate --draws": "leave it out, as it was for the best match",
    "--simulate": "leave it out, as p is exact; Python has simulate=True",
    "--places FILE.csv": "in Python pass a list with a rule for each document",
    "agree --measure alpha-u-placed": "use alpha-u, whose chance is the published one",
    **dict.fromkeys(
        ("--alpha", "--delta-empty", "--precision", "--time-limit"),
        "use sa.gamma in Python, which has them",
    ),
    "agree --beta": (
        "use sa.gamma in Python for the β of γ; F-beta needs a gold annotator, as only F1 is the"
        " same from both sides: spanagree evaluate --gold NAME --beta X"
    ),
    **dict.fromkeys(
        ("--categorical", "agree --order", "--sampler"),
        "use categorical, order or sampler of sa.gamma in Python",
    ),
    "--steps": "use time_limit of sa.gamma in Python, whose bounds hold γ",
    "--how": "use check --format json, which has it under reading",
    "chance FILE": "use evaluate --test chance; sa.match_distribution has each probability",
    "sa.with_intervals": "use evaluate with ci=True",
    "sa.Bootstrap": "use ci=sa.Jackknife(confidence=…, cluster_by=…, over=…)",
    "--interval": "leave it out, as intervals are jackknife-t, or exact where few decide",
    **dict.fromkeys(
        ("agree --resample-by annotators", "agree --resample-by both"),
        "use --over annotators, for a second interval",
    ),
    "--resample-by unit": "leave it out, as documents are taken as they were read",
    **dict.fromkeys(
        ("coefficients --resamples", "coefficients --seed", "plan --resamples"),
        "leave it out, as intervals draw nothing",
    ),
    "--batches": (
        "use --by with a column, FILE:COLUMN, file, or a pattern's group; N in order has no place"
        " there, so name each document's batch in a table"
    ),
    **dict.fromkeys(
        ("sa.batches", "sa.Batches", "sa.Batch", "sa.BatchChange"),
        "use sa.slices.score_slices of an agreement",
    ),
    **dict.fromkeys(
        ("sa.coefficients_by_batch", "sa.CoefficientsByBatch"),
        "use sa.slices.coefficients_by_slice",
    ),
    **dict.fromkeys(
        ("plan --by", "plan --plot"),
        "leave it out; each --width is a plan of its own",
    ),
}
"""Replacement for each removed name, as a user writes it.

A key is a command, an ``--option``, an ``--option value``, any of these after the command that had
it, or a public name of Python, ``sa.name``. ``CHANGELOG.md`` has the same table, with the number of
removed lines of code.
"""


def write_removal_message(name: str, command: str = "") -> str:
    """Build the sentence on a removed name; empty for other names.

    Args:
        name: name that a user wrote.
        command: command before the name, if any.

    >>> write_removal_message("--breaks", "evaluate")
    '--breaks was removed before 1.0: use --sentences-from'
    >>> write_removal_message("--match", "evaluate")
    ''
    """
    replacement = REMOVED.get(f"{command} {name}") or REMOVED.get(name)
    return f"{name} was removed before 1.0: {replacement}" if replacement else ""
