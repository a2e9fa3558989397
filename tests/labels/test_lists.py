"""Labels in lists, a list for each annotator: the same as in a table, with gaps, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa

LABELS = st.one_of(st.none(), st.sampled_from(["x", "y", "z"]))
KINDS = ("pi", "kappa", "alpha", "ac1")


@given(
    st.integers(0, 6).flatmap(
        lambda n: st.lists(st.lists(LABELS, min_size=n, max_size=n), min_size=2, max_size=4)
    )
)
def test_lists_are_tables(columns):
    """Lists one by one, in a list, and by name, have the figures of the rows that they stand for."""
    rows = [(i, a, label) for a, column in enumerate(columns, 1) for i, label in enumerate(column)]
    if not any(label for *_, label in rows):
        return
    table = sa.labels.LabelTable.from_rows(rows)
    for kind in KINDS:
        coefficient = getattr(sa.labels, kind)
        expected = coefficient(table)
        for given_labels in ((columns,), columns, (dict(enumerate(columns, 1)),)):
            found = coefficient(*given_labels)
            assert found.figures() == pytest.approx(expected.figures(), nan_ok=True, abs=0)
            assert found.counts == expected.counts


def test_arrays_have_a_row_for_each_annotator():
    """As krippendorff's reliability data; nan is missing.

    Oracle: Krippendorff 2011, the example with four observers, α .743 of nominal data.
    """
    gap = np.nan
    data = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, gap, gap, gap],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, gap, 3],
            [gap, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, gap],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, gap],
        ]
    )
    assert sa.alpha(data).value == pytest.approx(0.743, abs=0.0005)
    assert sa.alpha(data.tolist()).value == sa.alpha(data).value
    assert sa.alpha(data, measurement="interval").value == pytest.approx(0.849, abs=0.0005)
    assert sa.coefficients(data).alpha.value == sa.alpha(data).value


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["x", "y"], "labels ['x', 'y']; a list of labels for each annotator is needed"),
        ([], "labels []; a list of labels for each annotator is needed"),
        ([(1, "a", "x")], "tuples; LabelTable.from_rows takes rows of item, annotator and label"),
        (
            [["x"], ["x", "y"]],
            "annotators with 1, 2 labels; each needs one for every item, or None",
        ),
        ("xy", "str; a LabelTable is needed … make one"),
    ],
)
def test_other_lists_are_refused(labels, message):
    """What is no list of lists, and lists of other lengths, are refused."""
    with refuses(sa.SpanAgreeError, message):
        sa.alpha(labels)
