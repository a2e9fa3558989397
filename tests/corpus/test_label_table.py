"""Labels of items that are given as rows or counts, by hand."""

from __future__ import annotations

from messages import refuses

import spanagree as sa


def test_rows():
    """A row is an item, an annotator and a label; one without a label counts as an item."""
    rows = [(1, "ann", "yes"), (1, "bob", "no"), (2, "ann", None), (3, "ann", "no")]
    table = sa.LabelTable.from_rows(rows)
    assert (len(table), table.size, table.labels) == (3, 3, ("no", "yes"))
    assert table.given.tolist() == [2, 0, 1]
    assert table.own.tolist() == [[1, 1], [1, 0]]
    assert table.notes == ("1 blank label counted as missing",)
    assert repr(table) == "<LabelTable of 3 items, 3 labels by 2 annotators; categories: no, yes>"
    assert table.complete().size == 1
    with refuses(sa.InputError, "row 2: … item, annotator and label"):
        sa.LabelTable.from_rows([(1, "ann", "yes"), (1, "ann", "yes", "no")])


def test_labels_that_are_numbers():
    """1.0 in a column of text is 1, which is said; of other labels nothing is."""
    (note,) = sa.LabelTable.from_rows([(1, "a", "1.0"), (1, "b", "1")]).notes
    assert note == "1 numeric label such as '1.0' read as '1'"
    assert sa.LabelTable.from_rows([(1, "a", "x"), (1, "b", "y")]).notes == ()


def test_counts():
    """Counts have no annotators; a row that does not fit is named by its number, from 1."""
    table = sa.LabelTable.from_counts([[2, 1], [0, 3]], ["a", "b"])
    assert (
        repr(table) == "<LabelTable of 2 items, 6 labels by unnamed annotators; categories: a, b>"
    )
    with refuses(
        sa.InputError, "item '2': 1 count; a whole number from 0 is needed for each of 2 categories"
    ):
        sa.LabelTable.from_counts([[2, 1], [1]], ["a", "b"])
