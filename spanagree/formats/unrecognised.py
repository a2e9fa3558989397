"""What is said of a file that no reader knows: what was found in it, and what would read it."""

from __future__ import annotations

from collections.abc import Iterable

from spanagree.errors import InputError, listed, printable, show
from spanagree.formats.peek import Peek
from spanagree.formats.usual_names import COLUMNS, plain

_NAMED = "--text C --spans C, --tokens C --tags gold=C,mine=C, or --from FORMAT"
_LABELS = ("label", "answer", "rating", "category", "class", "code", "judgment", "judgement")


def header_of(start: Peek) -> list[str]:
    """Return the names of the columns of a table in text."""
    first = start.lines[0] if start.shape in ("csv", "tsv") and start.lines else ""
    sign = "\t" if "\t" in first else "," if "," in first else ";"
    return [name.strip().strip('"') for name in first.split(sign)]


def is_of_labels(names: Iterable[str]) -> bool:
    """Return whether columns are those of a table with a label of an item in each row."""
    known = {plain(name) for name in names}
    return not known.isdisjoint(COLUMNS["annotator"]) and not known.isdisjoint(_LABELS)


def unrecognised(start: Peek, formats: Iterable[str]) -> InputError:
    """Return the error for a file whose beginning no format knows."""
    name = printable(start.path)
    if start.shape in ("csv", "tsv"):
        names = header_of(start)
        if is_of_labels(names):
            return InputError(
                f"{name}: a table of labels (columns {listed(names)}), and spans are needed here;"
                " spanagree coefficients and sa.read_labels read it"
            )
        what = f"a table of the columns {listed(names)}, in which no spans or tags were found"
        also = "; a table of labels is read by spanagree coefficients and sa.read_labels"
        return InputError(f"{name}: {what}; name its columns: {_NAMED}{also}")
    if start.shape in ("json", "jsonl"):
        keys = dict.fromkeys(key for record in start.objects for key in record)
        what = f"JSON with the keys {listed(keys)}, in which no spans or tags were found"
        return InputError(f"{name}: {what}; name its columns: {_NAMED} ({listed(formats)})")
    if start.shape == "zip":
        what = f"a zip of {listed(start.members) or 'nothing'}, of which no tool's export is known"
        return InputError(
            f"{name}: {what}; unpack it and name its files (of inception and doccano, --from reads"
            " zips)"
        )
    if start.shape == "folder":
        return InputError(
            f"{name}: a folder of {listed(start.members)}, and neither brat's nor a project of"
            " INCEpTION; name its files, or a pattern in quotes such as 'FOLDER/*.xmi'"
        )
    first = next((line for line in start.lines if line.strip()), "")
    return InputError(
        f"{name}: {start.shape} that no reader knows, beginning with {show(first)}; name its"
        f" format with --from ({listed(formats)})"
    )
