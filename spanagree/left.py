"""What left before 1.0, and what its users do instead; old options and names answer from here."""

from __future__ import annotations

LEFT: dict[str, str] = {
    "--breaks": "use --sentences-from",
    "--empty": "use --absent",
    "--luck": "use --test chance",
    "--shares": "use --by share",
    "replace": "use alt-test",
    **dict.fromkeys(
        ("--block", "--on-error", "sa.LabelTallies"),
        "read the files of a pattern as one corpus, or as parts with --workers",
    ),
    **dict.fromkeys(
        ("--tallies", "--from-tallies", "merge", "sa.read_tallies", "sa.write_tallies"),
        "write result.rows in Python, and evaluate the rows of several parts",
    ),
    "sa.read_shards": "use sa.formats.read_parts",
    "confusion": "use disagreements --by label",
    "soft": "use evaluate --match soft",
}
"""What to do instead of each, as a user writes it.

A key is a command, an ``--option``, an ``--option value``, any of these behind the command that had
it, or a public name of Python, ``sa.name``. ``CHANGELOG.md`` has the same table, with the lines of
code that left.
"""


def answer(name: str, command: str = "") -> str:
    """Return the sentence on something that left; it is empty for what did not.

    Args:
        name: what a user wrote.
        command: behind which it stood, if any.

    >>> answer("--breaks", "evaluate")
    '--breaks left before 1.0: use --sentences-from'
    >>> answer("--match", "evaluate")
    ''
    """
    instead = LEFT.get(f"{command} {name}") or LEFT.get(name)
    return f"{name} left before 1.0: {instead}" if instead else ""
