"""Brackets around segments in CoNLL-U: Entity=(1-person … 1), nested, several at a token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa

FILE = "ann.conllu"


def page(*sentences, head=""):
    """CoNLL-U of sentences whose tokens have these values of Entity."""
    blocks = [
        "".join(
            f"{n}\tw{n}\t_\tX\t_\t_\t0\t_\t_\t{f'SpaceAfter=No|Entity={value}' if value else '_'}\n"
            for n, value in enumerate(values, 1)
        )
        for values in sentences
    ]
    return head + "\n".join(blocks) + "\n"


def segments(corpus):
    return [[tuple(segment) for segment in document.segments["ann.conllu"]] for document in corpus]


DECLARED = "# global.Entity = eid-infstat-etype-head\n"


@pytest.mark.parametrize(
    ("head", "values", "expected"),
    [
        ("", ["(1-person(2-person)", "", "(3-place)1)"], [(0, 1, "person"), (0, 3, "person"), (2, 3, "place")]),
        ("", ["(person-1", "person-1)"], [(0, 2, "person")]),
        ("", ["(e1-person-new", "(e2-place-new(e3-time)", "e2)e1)"], [(0, 3, "person"), (1, 2, "time"), (1, 3, "place")]),
        (DECLARED, ["(e1-giv-person-1", "e1)"], [(0, 2, "person")]),
        ("", ["(e1)", "_"], [(0, 1, "_")]),
        ("", ["(1-a(2-b", "1)", "2)"], [(0, 2, "a"), (0, 3, "b")]),
    ],
)  # fmt: skip
def test_brackets(write, head, values, expected):
    """Openings, closings, nested, crossing, several at a token; the label is the type declared."""
    corpus = sa.read(write(page(values, ["", "(9-x-x)"], head=head)))
    assert segments(corpus) == [sorted(expected), [(1, 2, "x")]]
    assert corpus.reading["schemes"] == {"ann.conllu": "brackets"}
    assert sa.read(write(page(values, head=head)), columns={"gold": "Entity"}).annotators == (
        "gold",
    )


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(1, 6), st.sampled_from("ab"))))
def test_all_sets_of_segments(tmp_path_factory, drawn):
    """Whatever segments are written with brackets, each with an id of its own, are read again."""
    spans = sorted((low, high, label) for low, high, label in drawn if low < high)
    values = [""] * 6
    for number, (low, high, label) in enumerate(spans):
        values[low] += f"({number}-{label}" + (")" if high == low + 1 else "")
    for number, (low, high, _) in enumerate(spans):
        if high > low + 1:  # a closing one comes first, as others may open here
            values[high - 1] = f"{number})" + values[high - 1]
    path = tmp_path_factory.mktemp("brackets") / "ann.conllu"
    path.write_text(page(values, ["(99-z)"]), "utf-8")
    assert segments(sa.read(path))[0] == spans


ALLOWED = "(1-person opens, 1) closes, and (1-person) does both"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["(1-person", ""], f"1: '1-person' is opened, and not closed in its sentence; {ALLOWED}"),
        (["1)", "(2-a)"], f"1: '1' is closed, and nothing of it is open; {ALLOWED}"),
        (["(1-a)", "(2-b)x"], f"2: '(2-b)x' is not brackets; {ALLOWED}"),
        (["()"], f"1: '()' is not brackets; {ALLOWED}"),
        (["(1[1/2]-a)"], "1: '(1[1/2]-a)' … several pieces … delete"),
    ],
)  # fmt: skip
def test_odd_brackets(write, tmp_path, values, message):
    """What cannot be read is an error with its line."""
    with refuses(sa.InputError, f"{tmp_path / 'ann.conllu'}:{message}"):
        sa.read(write(page(values, ["(8-x)"])))
