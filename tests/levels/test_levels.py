"""Difficulty and levels of it: by hand, enumeration, splits, ties, evaluations by level."""

from __future__ import annotations

import itertools
import json
import math
import os
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses, says
from oracles import enumerated_expectation
from rounding import equal_to_rounding
from scipy.stats import kendalltau
from strategies import crowds, spans, turned

import spanagree as sa
from spanagree.chance.start_distributions import CHANCES
from spanagree.cli.main import main
from spanagree.comparisons.measures import MEASURES
from spanagree.levels import difficulty as module
from spanagree.levels.borders import sort_into_levels
from spanagree.levels.difficulty_table import count_bins
from spanagree.levels.split_folder import SETTINGS, WRITERS
from spanagree.results.display import DisplayTable
from spanagree.results.result import are_equal

CORPORA = Path(__file__).parents[2] / "corpora"

# --- difficulty ---------------------------------------------------------------------------------


def test_by_hand():
    """One segment of length a in n tokens meets itself by chance with 1/(n − a + 1)."""
    corpus = sa.Corpus.from_segments(
        [2, 20, 5, 3], {"gold": [[(0, 1, "X")], [(4, 6, "X")], [], [(0, 3, "X")]]}
    )
    found = sa.difficulty(corpus, gold="gold")
    np.testing.assert_allclose(found.chance, [1 / 2, 1 / 19, np.nan, 1])
    np.testing.assert_allclose(found.values, [1 / 2, 18 / 19, np.nan, 0])
    assert found.expected.tolist() == pytest.approx([1 / 2, 1 / 19, 0, 1])
    assert found.size.tolist() == [1, 1, 0, 1]


@pytest.mark.slow
@given(crowds())
def test_gold_against_itself(crowd):
    """With gold it is 1 − the expected F1 of the gold annotation against a copy of itself."""
    lengths, layers = crowd
    gold = next(iter(layers.values()))
    corpus = sa.Corpus.from_segments(lengths, layers)
    copies = sa.Corpus.from_segments(lengths, {"gold": gold, "copy": gold})
    refused = {("overlap", "overlapping"), ("partial", "overlapping"), ("partial", "per-label")}
    for match, chance in sorted({*itertools.product(MEASURES, CHANCES)} - refused):
        found = sa.difficulty(corpus, gold=corpus.annotators[0], match=match, chance=chance)
        twice = dict(sa.evaluate(copies, match=match, chance=chance).by_document("copy"))
        for d in range(len(lengths)):
            if found.id_of(d) in twice:
                assert found.chance[d] == pytest.approx(twice[found.id_of(d)].f1.expected)
            else:
                assert math.isnan(found.chance[d])


@given(crowds(most=4))
def test_team_is_the_mean_over_ordered_pairs(crowd):
    """For a team: the mean over all ordered pairs of who saw it, i = j included, by enumeration."""
    lengths, layers = crowd
    found = sa.difficulty(sa.Corpus.from_segments(lengths, layers))
    for d, n in enumerate(lengths):
        seen = [spans(layer[d]) for layer in layers.values() if layer[d] is not None]
        values = [
            Fraction(2) * enumerated_expectation(
                n, [s[1:] for s in a], [s[1:] for s in b], "exact", "nonoverlapping"
            ) / (len(a) + len(b))
            for a, b in itertools.product(seen, repeat=2)
            if a or b
        ]  # fmt: skip
        exact = float(1 - sum(values) / len(values)) if values else math.nan
        assert found.values[d] == pytest.approx(exact, abs=1e-12, nan_ok=True)


@pytest.mark.long
@given(crowds(), st.randoms(use_true_random=False))
def test_order_changes_nothing(crowd, random):
    """Annotators and documents in another order change rounding alone."""
    lengths, layers = crowd
    found = sa.difficulty(sa.Corpus.from_segments(lengths, layers)).values
    other, documents = turned(lengths, layers, random)
    expected = pytest.approx(found[documents].tolist(), rel=1e-12, nan_ok=True)
    assert sa.difficulty(other).values.tolist() == expected


def test_settings():
    """A gold name that is not there, gold and a team at once, no annotator: refused, by name."""
    corpus = sa.Corpus.from_segments([4], {"a": [[]], "b": [[(0, 2, "X"), (1, 3, "X")]]})
    for ask, said in (
        ({"gold": "z"}, "unknown gold 'z'; allowed: a, b"),
        ({"annotators": ["z"]}, "unknown annotator 'z'; allowed: a, b"),
        ({"gold": "a", "annotators": ["b"]}, "gold and annotators; difficulty is that of one or of the other"),
        ({"gold": "b", "chance": "nonoverlapping"}, "annotator 'b', document '1': segments 0–2 'X' and 1–3 'X' overlap, which chance nonoverlapping"),
    ):  # fmt: skip
        with refuses(sa.SettingError, said):
            sa.difficulty(corpus, **ask)
    with pytest.raises(sa.SettingError, match="no annotator; difficulty needs one at least"):
        sa.difficulty(sa.Corpus.from_segments([4], {}))


def test_gold_first():
    """That gold is not the first layer is said of the settings, and nothing where it is, or of a team."""
    corpus = sa.Corpus.from_segments([4], {name: [[(0, 2, "X")]] for name in "ab"})
    for gold, said in ((None, None), ("a", None), ("b", False)):
        found = sa.difficulty(corpus, gold=gold)
        assert found.settings.gold_first is said
        assert ("gold_first" in found.settings) is (said is False)


@given(crowds())
def test_share_marked(crowd):
    """Oracle: a set of tokens for each annotator and document, in fractions."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    found = sa.difficulty(corpus).marked
    for d, length in enumerate(lengths):
        seen = [layer[d] for layer in layers.values() if layer[d] is not None]
        tokens = [{t for s in spans for t in range(s[0], s[1])} for spans in seen]
        if not seen or not length:
            assert math.isnan(found[d])
        else:
            exact = Fraction(sum(map(len, tokens)), len(seen) * length)
            assert found[d] == pytest.approx(float(exact), rel=1e-15)


# --- levels -------------------------------------------------------------------------------------


def difficulties(values):
    """A difficulty of documents with these values."""
    chance = 1 - np.array(values, np.float64)
    nothing = np.zeros(len(chance))
    seen = np.ones(len(chance), np.bool_)
    return sa.Difficulty(
        chance, nothing, nothing, nothing, seen, ("g",), None, {"of": "gold", "version": "0"}
    )


values = st.lists(
    st.sampled_from([0.1, 0.25, 0.5, 0.825, 0.9, 0.9 + 1e-14, 1.0, math.nan]), max_size=30
)


@given(values, st.integers(1, 6))
def test_levels_are_nearly_equal(drawn, k):
    """k levels hold all documents once, in order; equal ones are never parted; sizes are as near as can be."""
    found = sort_into_levels(difficulties(drawn), levels=k)
    parts = [level.documents.tolist() for level in found.levels]
    assert sorted(itertools.chain(*parts, found.undefined.documents.tolist())) == list(
        range(len(drawn))
    )
    ends = [(min(drawn[d] for d in p), max(drawn[d] for d in p)) for p in parts if p]
    for (_, high), (low, _) in itertools.pairwise(ends):
        assert low - high > 1e-12
    rounded = {round(1 - x, 9) for x in drawn if not math.isnan(x)}
    assert len(parts) == max(min(k, len(rounded)), 1)
    assert bool(found.notes) == (len(parts) < k or not rounded)
    if not found.notes and len(set(drawn)) == len(drawn):
        sizes = [len(p) for p in parts]
        assert max(sizes) - min(sizes) <= 1


def test_equal_levels_without_ties():
    """Without ties k levels differ by one document at most."""
    for n, k in itertools.product(range(1, 40), range(1, 8)):
        sizes = [
            len(x.documents)
            for x in sort_into_levels(difficulties(np.linspace(0, 1, n)), levels=k).levels
        ]
        assert len(sizes) == min(n, k)
        assert max(sizes) - min(sizes) <= 1


def test_thresholds():
    """At a threshold of difficulty a document is hard, at one of the chance level easy."""
    hard = difficulties([0.3, 0.825, 0.825 - 1e-15, 0.9, math.nan])
    by_difficulty = sort_into_levels(hard, at=[0.825])
    assert [x.documents.tolist() for x in by_difficulty.levels] == [[0], [1, 2, 3]]
    by_chance = sort_into_levels(hard, chance_at=[0.175])
    assert [x.documents.tolist() for x in by_chance.levels] == [[0, 1, 2], [3]]
    assert [(x.low, x.high) for x in by_chance.levels] == [(0, 0.825), (0.825, 1)]
    assert by_chance.undefined.documents.tolist() == [4]
    assert [x.documents.tolist() for x in sort_into_levels(hard, at=[0]).levels] == [
        [],
        [0, 1, 2, 3],
    ]
    two = sort_into_levels(hard, chance_at=[0.1, 0.7])
    assert [x.documents.tolist() for x in two.levels] == [[0], [1, 2, 3], []]
    assert two.notes == ("no document has a difficulty from 0.9 to 1 (level-3)",)


def test_quantiles():
    """Quantiles are shares of the documents below a border."""
    found = sort_into_levels(difficulties([0.1, 0.2, 0.3, 0.4, 0.5]), quantiles=[0.2, 0.8])
    assert [x.documents.tolist() for x in found.levels] == [[0], [1, 2, 3], [4]]
    assert found.borders == {"quantiles": [0.2, 0.8], "borders": [pytest.approx(0.2), pytest.approx(0.5)]}  # fmt: skip


@pytest.mark.parametrize(
    ("ways", "said"),
    [
        ({"levels": 0}, "levels 0; a whole number from 1 is needed"),
        ({"levels": 1.5}, "levels 1.5; a whole number from 1 is needed"),
        ({"at": [1.1]}, "at [1.1]; a list of rising numbers from 0 to 1 is needed"),
        ({"at": [math.nan]}, "at [nan]; a list of rising numbers from 0 to 1 is needed"),
        ({"at": 0.5}, "at 0.5; a list of rising numbers from 0 to 1 is needed"),
        (
            {"at": np.array([0.5, 0.4])},
            "at [0.5, 0.4]; a list of rising numbers from 0 to 1 is needed",
        ),
        ({"at": []}, "at []; a list of rising numbers from 0 to 1 is needed"),
        ({"chance_at": [-0.1]}, "chance_at [-0.1]; a list of rising numbers from 0 to 1 is needed"),
        ({"at": [0.5, 0.4]}, "at [0.5, 0.4]; a list of rising numbers from 0 to 1 is needed"),
        ({"at": [0.5, 1.5]}, "at [0.5, 1.5]; a list of rising numbers from 0 to 1 is needed"),
        (
            {"quantiles": [0.5, 0.5]},
            "quantiles [0.5, 0.5]; a list of rising numbers above 0 and below 1 is needed",
        ),
        *(
            (
                {"quantiles": q},
                f"quantiles {q}; a list of rising numbers above 0 and below 1 is needed",
            )
            for q in ([0.0, 0.5], [0.5, 1], [0], [1.0])
        ),
        (
            {"at": [0.5], "levels": 2},
            "levels and at; documents are split in one way: give one of them",
        ),
    ],
)
def test_bad_levels(ways, said):
    """Thresholds outside 0–1, unsorted or repeated, no level, two ways at once: refused."""
    with refuses(sa.SettingError, said):
        sort_into_levels(difficulties([0.5]), **ways)


def test_more_levels_than_difficulties():
    """Fewer levels than asked for, and it is said."""
    found = sort_into_levels(difficulties([0.5, 0.5, 0.9]), levels=4)
    assert [x.documents.tolist() for x in found.levels] == [[0, 1], [2]]
    said = "2 levels, not 4: there are 2 different difficulties, and equal ones are not parted"
    assert found.notes == (said,)
    for asked in (3, 10**20):
        level = sort_into_levels(difficulties([0.5, 0.5]), levels=asked)
        said = (
            f"1 level, not {asked}: there is 1 different difficulty, and equal ones are not parted"
        )
        assert level.notes == (said,)
        assert len(level.levels) == 1
    (note,) = sort_into_levels(difficulties([0.5, 0.5]), quantiles=[0.2, 0.5, 0.8]).notes
    assert note.startswith("1 level, not 4: ")
    many = sort_into_levels(difficulties([0.1, 0.4, 0.2, 0.4]), levels=10**20)
    assert [x.documents.tolist() for x in many.levels] == [[0], [2], [1, 3]]
    assert many.borders == {"levels": 10**20, "borders": pytest.approx([0.2, 0.4])}
    nothing = sort_into_levels(difficulties([math.nan]), levels=2)
    assert nothing.notes == (
        "no document has a difficulty, so there is one level, without documents",
    )


# --- splits -------------------------------------------------------------------------------------


def test_parts_add_up(crowd):
    """The parts' tallies add up to the whole, and every annotator is in every part."""
    whole = sa.agree(crowd)
    parts = sa.split(crowd, sa.difficulty(crowd), levels=3)
    tallies = [sa.agree(part.corpus).team.tally for part in parts.all]
    together = sum(tallies, sa.Tally())
    assert together.matched == whole.team.tally.matched
    assert together.expected == pytest.approx(whole.team.tally.expected)
    assert sum(len(part) for part in parts) + len(parts.undefined.corpus) == len(crowd)
    assert {part.corpus.annotators for part in parts.all} == {crowd.annotators}


@pytest.mark.parametrize("form", WRITERS)
def test_written_and_read_again(crowd, tmp_path, form):
    """A split written and read again evaluates to the same numbers, whatever the format."""
    if needed := {"spacy": "spacy", "dataset": "datasets"}.get(form):
        pytest.importorskip(needed)
    hard = sa.difficulty(crowd, gold="ann")
    parts = sa.split(crowd, hard, levels=2)
    folder = tmp_path / "parts"
    sa.write_split(parts, folder, form)
    settings = json.loads((folder / SETTINGS).read_text("utf-8"))
    assert settings.pop("files") == sorted(p.name for p in folder.iterdir() if p.name != SETTINGS)
    assert settings == parts.to_dict()
    for part in parts.all:
        name = part.level.name
        if form == "jsonl":
            path = folder / f"{name}.jsonl"
            again = sa.read_jsonl(path)
            fields = [json.loads(line)["difficulty"] for line in path.read_text().splitlines()]
            assert repr(fields) == repr([None if math.isnan(x) else x for x in part.difficulty.tolist()])  # fmt: skip
        elif form == "conll":
            again = sa.read_conll(folder / f"{name}.conll", columns={n: i for i, n in enumerate(crowd.annotators, 1)}, missing="?")  # fmt: skip
        elif form == "spacy":
            again = sa.read_docbin({n: folder / f"{name}.{n}.spacy" for n in crowd.annotators})
        else:
            datasets = pytest.importorskip("datasets")
            data = datasets.load_from_disk(folder / "dataset")[name]
            assert "difficulty" in data.column_names
            again = sa.from_dataset(data, tokens="tokens", document="id", spans={n: f"spans:{n}" for n in crowd.annotators})  # fmt: skip
        assert repr(sa.agree(again).team.f1) == repr(sa.agree(part.corpus).team.f1)
        assert again.ids == part.corpus.ids


def test_ids_are_those_of_the_whole():
    """Documents without ids keep their numbers in the parts."""
    corpus = sa.Corpus.from_segments([9, 2, 9], {"g": [[(0, 1, "X")]] * 3})
    parts = sa.split(corpus, sa.difficulty(corpus))
    assert [part.ids for part in parts] == [("2",), ("1", "3")]
    with refuses(sa.SettingError, "… the difficulty … other documents (3 … 1)"):  # fmt: skip
        sa.split(corpus.subset([0]), sa.difficulty(corpus))
    two = sa.evaluate(sa.Corpus.from_segments([9] * 3, {"g": [[]] * 3, "s": [[]] * 3}))
    other = sa.difficulty(corpus.subset([0]))
    with refuses(sa.SettingError, "… other documents (1 … 3)"):  # fmt: skip
        sa.evaluate_levels(two, other)
    with refuses(sa.SettingError, "… evaluate_levels: Difficulty … evaluation"):
        sa.evaluate_levels(other, two)


def test_folders(crowd, tmp_path):
    """A folder that is not empty is refused unless forced, and nothing is half written."""
    pytest.importorskip("datasets")
    parts = sa.split(crowd, sa.difficulty(crowd))
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    with pytest.raises(sa.InputError, match="the folder is not empty; --force"):
        sa.write_split(parts, full)
    assert [p.name for p in full.iterdir()] == ["mine.txt"]
    sa.write_split(parts, full, "dataset", force=True)
    assert (full / "mine.txt").read_text() == "mine"
    assert (full / "dataset" / "level-1").exists()
    for folder, said in (
        (full / "mine.txt", r"mine\.txt: is not a folder; name one to write parts into"),
        (tmp_path / "a" / "b", "there is no folder"),
        ("", "'': is not a folder"),
    ):
        with pytest.raises(sa.InputError, match=said):
            sa.write_split(parts, folder)
    with refuses(sa.SettingError, "… unknown format to write 'x'; allowed: jsonl, conll"):
        sa.write_split(parts, tmp_path / "x", "x")
    assert not (tmp_path / "x").exists()
    characters = sa.Corpus.from_segments([3], {"a": [[(0, 1, "X")]]}, offsets="characters", texts=["abc"])  # fmt: skip
    with pytest.raises(sa.SpanAgreeError):
        sa.write_split(sa.split(characters, sa.difficulty(characters)), tmp_path / "y", "conll")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["full"]
    for folder in (None, 0.5):
        with pytest.raises(sa.InputError, match="the name of a folder is needed"):
            sa.write_split(parts, folder)
    with pytest.raises(sa.InputError, match="embedded null"):
        sa.write_split(parts, "a\0b")
    with pytest.raises(sa.InputError, match="File name too long"):
        sa.write_split(parts, "x" * 300)


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_leave_to_write(crowd, tmp_path, monkeypatch, there):
    """The folder itself is asked, or the one above if it is still to be made."""
    folder = tmp_path / "parts"
    if there:
        folder.mkdir()
    closed = folder if there else tmp_path
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed)
    with pytest.raises(sa.InputError, match="parts: cannot be written: permission denied"):
        sa.write_split(sa.split(crowd, sa.difficulty(crowd)), folder)


def test_no_bars_of_datasets(crowd, tmp_path, capfd):
    """Writing a dataset prints nothing."""
    datasets = pytest.importorskip("datasets")
    datasets.enable_progress_bars()
    sa.write_split(sa.split(crowd, sa.difficulty(crowd)), tmp_path / "parts", "dataset")
    assert capfd.readouterr() == ("", "")


def test_twenty_documents_are_shown_in_full():
    """A terminal shows twenty; of more, five at either end."""
    few, many = (difficulties(np.linspace(0, 1, n)).table().in_terminal for n in (20, 21))
    assert len(few.rows) == 20
    assert len(few.remarks) == len(many.remarks) - 1
    assert [row[0] for row in many.rows] == [str(n) for n in (*range(1, 6), *range(17, 22))]
    assert many.breaks == [5]


THERE = "{}: is there already, and nothing is replaced; move it, or write elsewhere$"


def content(folder):
    """All that is in a folder and beside it: files with their content, links with their target."""
    return {
        p: os.readlink(p) if p.is_symlink() else p.is_file() and p.read_bytes()
        for p in folder.parent.rglob("*")
    }


@pytest.mark.parametrize("change", ["edited", "as it was", "link", "folder", "settings"])
def test_force_replaces_nothing(tmp_path, capsys, change):
    """A part that somebody edited, or that is still as it was, stays whole, and so do the others."""
    folder = tmp_path / "parts"
    source = str(CORPORA / "crowd" / "crowd.jsonl")
    assert main(["split", source, "-o", str(folder), "--levels", "2"]) == 0
    part = folder / (SETTINGS if change == "settings" else "level-2.jsonl")
    if change == "edited":
        part.write_text("mine")
    elif change in ("link", "folder"):
        part.unlink()
        part.mkdir() if change == "folder" else part.symlink_to(tmp_path / "other")
    for path in folder.iterdir():
        if path != part:
            path.unlink()
    before = content(folder)
    capsys.readouterr()
    assert main(["split", source, "-o", str(folder), "--levels", "2", "--force"]) == 1
    assert re.search(THERE.format(part.name), capsys.readouterr().err)
    assert content(folder) == before


def test_a_part_in_the_place_of_anothers_file(crowd, tmp_path):
    """A file or a link of the name of a part, which no split wrote, is not overwritten."""
    folder = tmp_path / "parts"
    folder.mkdir()
    part = folder / "level-2.jsonl"
    for make in (lambda: part.write_text("mine"), lambda: part.symlink_to(tmp_path / "nowhere")):
        make()
        before = content(folder)
        with pytest.raises(sa.InputError, match=THERE.format(part.name)):
            sa.write_split(sa.split(crowd, sa.difficulty(crowd)), folder, force=True)
        assert content(folder) == before
        part.unlink()


def test_where_parts_are_made(crowd, tmp_path, monkeypatch):
    """Inside a folder that is there, as its parent may be another device; else beside it."""
    made = []
    monkeypatch.setitem(WRITERS, "jsonl", lambda split, folder: made.append(folder.parent))
    parts = sa.split(crowd, sa.difficulty(crowd))
    (tmp_path / "there").mkdir()
    sa.write_split(parts, tmp_path / "there")
    sa.write_split(parts, tmp_path / "new")
    assert made == [tmp_path / "there", tmp_path]


def test_a_dataset_is_a_folder_and_stays(crowd, tmp_path):
    """The folder of an earlier split's dataset is not replaced."""
    pytest.importorskip("datasets")
    parts = sa.split(crowd, sa.difficulty(crowd))
    sa.write_split(parts, tmp_path / "parts", "dataset")
    (tmp_path / "parts" / SETTINGS).unlink()
    with pytest.raises(sa.InputError, match=THERE.format("dataset")):
        sa.write_split(parts, tmp_path / "parts", "dataset", force=True)


def test_a_dataset_is_read_back_without_options(crowd, tmp_path, capsys):
    """The parts of a split that was written as a dataset are the corpus again, and each by name."""
    pytest.importorskip("datasets")
    parts = sa.split(crowd, sa.difficulty(crowd))
    sa.write_split(parts, tmp_path / "parts", "dataset")
    ask = ["agree", str(tmp_path / "parts" / "dataset"), "--format", "json"]
    for more, whole in (([], crowd), (["--split", "level-2"], parts[1])):
        assert main([*ask, *more]) == 0
        shown = json.loads(capsys.readouterr().out)["tables"]["team"]
        expected = sa.agree(whole).to_dict()["tables"]["team"]
        assert equal_to_rounding(shown, expected)  # documents come level by level


def test_names_that_no_file_can_hold(tmp_path):
    """A name that is no text is refused in one line, and nothing is left behind."""
    corpus = sa.Corpus(np.array([3]), {"a\udcff": sa.Corpus.from_segments([3], {"a": [[(0, 1, "X")]]}).layers["a"]}, ("X",), tokens=("a", "b", "c"))  # fmt: skip
    with pytest.raises(sa.InputError, match="cannot be written"):
        sa.write_split(sa.split(corpus, sa.difficulty(corpus)), tmp_path / "parts", "spacy")
    assert list(tmp_path.iterdir()) == []


def test_dataset_has_one_type(crowd, tmp_path):
    """All parts of a DatasetDict have the same columns and types, the undefined one too."""
    datasets = pytest.importorskip("datasets")
    sa.write_split(sa.split(crowd, sa.difficulty(crowd)), tmp_path / "parts", "dataset")
    data = datasets.load_from_disk(tmp_path / "parts" / "dataset")
    assert len({str(part.features) for part in data.values()}) == 1
    assert {part.features["difficulty"].dtype for part in data.values()} == {"float64"}


def test_below_zero(tmp_path, capsys):
    """Random segments that may overlap can match more than fully: a difficulty below 0, said so."""
    path = tmp_path / "tile.conll"
    path.write_text("a B-X\na I-X\nb B-X\nc I-X\n")
    ask = ["--chance", "overlapping", "--match", "token"]
    assert main(["difficulty", str(path), *ask]) == 0
    out = capsys.readouterr().out
    assert "-0.111" in out
    assert "1 below 0: random segments that may overlap can match more than fully" in out
    corpus = sa.read_conll(path)
    (level,) = sort_into_levels(
        sa.difficulty(corpus, chance="overlapping", match="token"), levels=1
    ).levels
    assert level.low == pytest.approx(-1 / 9)


def test_not_seen_is_not_unmarked():
    """A document that the gold annotator never saw is not one in which she marked nothing."""
    corpus = sa.Corpus.from_segments([9, 9, 9], {"g": [[(0, 1, "X")], [], None], "a": [[]] * 3})
    found = sa.difficulty(corpus, gold="g")
    assert [row["undefined"] for row in found.to_rows()] == ["", "nothing marked", "not seen"]
    text = str(found)
    assert "1 without a difficulty: g marked nothing there" in text
    assert "1 without a difficulty: not seen" in text


def names_of(result):
    """The caption, without what is counted."""
    return result.table().caption.split(" by ")[1]


def test_difficulty_as_a_table():
    """Caption, numbers, histogram and sentences by hand: ½, 18/19, none, 0 and ¾."""
    gold = [[(0, 1, "X")], [(4, 6, "X")], [], [(0, 3, "X")], [(1, 2, "X")]]
    corpus = sa.Corpus.from_segments([2, 20, 5, 3, 4], {"gold": gold})
    found = sa.difficulty(corpus, gold="gold")
    table = found.table()
    assert [row[0] for row in table.rows] == ["1", "2", "3", "4", "5"]
    assert table.caption == "difficulty of 5 documents by gold"
    assert table.remarks == [
        "median 0.625, from 0.000 to 0.947",
        "1 without a difficulty: gold marked nothing there",
    ]
    counts, edges = count_bins(found)
    assert edges == pytest.approx([i / 20 for i in range(21)])
    assert {edges[i]: number for i, number in enumerate(counts) if number} == {0: 1, 0.5: 1, 0.75: 1, 0.9: 1}  # fmt: skip
    bars = table.in_terminal.caption.splitlines()[2:]
    assert len(bars) == 20
    assert bars[0] == f"0.00–0.05  {'█' * 40}  1"
    assert bars[1] == f"0.05–0.10  {' ' * 40}  0"
    many = sa.difficulty(
        sa.Corpus.from_segments([2] * 100 + [20], {"gold": [[(0, 1, "X")]] * 101}), gold="gold"
    )
    (*_, last) = many.table().in_terminal.caption.splitlines()
    assert last == f"0.95–1.00  █{' ' * 39}  1"  # one of a hundred has a bar too
    ends = many.table().in_terminal
    assert (len(ends.rows), list(ends.breaks)) == (2 * ends.breaks[0], [len(ends.rows) // 2])
    assert ends.rows[-1][0] == "101"
    assert {row[1] for row in ends.rows[:-1]} == {0.5}
    nothing = sa.difficulty(sa.Corpus.from_segments([2], {"gold": [[]]}))
    assert "█" not in nothing.table().in_terminal.caption


def test_picture_of_difficulty():
    """Chance over the share that is marked; a sentence where no document has a difficulty."""
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    of_one, of_none = Figure().subplots(), Figure().subplots()
    for ax, segments in ((of_one, [(0, 1, "X")]), (of_none, [])):
        sa.difficulty(sa.Corpus.from_segments([2], {"a": [segments]})).plot(ax)
    assert of_one.lines[0].get_xydata().tolist() == [[0.5, 0.5]]
    assert [text.get_text() for text in of_none.texts] == [module.NOTHING]


def test_whose_difficulty():
    """One annotator, a team, and a team of which five are named; unknown ones are refused."""
    six = {name: [[(0, 1, "X")]] for name in "abcdef"}
    corpus = sa.Corpus.from_segments([5], six)
    assert names_of(sa.difficulty(corpus, annotators=["b"])) == "b"
    assert sa.difficulty(corpus).settings["of"] == "team"
    assert sa.difficulty(corpus, gold="a").settings["of"] == "gold"
    assert names_of(sa.difficulty(corpus, annotators=["a", "b"])) == "the team of a, b"
    assert names_of(sa.difficulty(corpus, annotators=list("abcde"))) == "the team of a, b, c, d, e"
    assert names_of(sa.difficulty(corpus)) == "the team of a, b, c, d, e and 1 more"
    for source in (corpus, [corpus]):  # as a whole, and over parts
        with pytest.raises(sa.SettingError, match="unknown annotator 'x'"):
            sa.difficulty(source, annotators=["a", "x"])
    gone = sa.Corpus.from_segments([5], {"a": six["a"], "c": six["c"]})
    alone = sa.Corpus.from_segments([5, 5], {"a": six["a"] * 2, "b": [*six["b"], None]})
    over_parts = sa.difficulty([corpus, gone], annotators=["a", "b"])  # b is in one part only
    assert over_parts.size.tolist() == sa.difficulty(alone, annotators=["a", "b"]).size.tolist()


# --- evaluations by level -----------------------------------------------------------------------


@pytest.fixture
def systems(newsroom):
    names = ("gold", "lexicon", "tagger", "chunker")
    return sa.read_conll({n: newsroom / f"{n}.conll" for n in names})


def test_levels_are_evaluations_of_parts(systems):
    """The figures and ranks of a level are those of evaluating its part by itself."""
    result = sa.evaluate(systems)
    hard = sa.difficulty(systems, gold="gold")
    by_level = sa.evaluate_levels(result, hard, at=[0.8, 0.95])
    parts = sa.split(systems, hard, at=[0.8, 0.95])
    assert len(by_level.evaluations) == len(parts.all) == 4
    for evaluation, part in zip(by_level.evaluations, parts.all, strict=True):
        alone = sa.evaluate(part.corpus)
        assert evaluation.documents == len(part.corpus)
        for name, system in evaluation.systems.items():
            assert system.rank == alone.systems[name].rank
            assert system.documents == alone.systems[name].documents
            assert repr(system.f1.observed) == repr(alone.systems[name].f1.observed)
            assert system.f1.corrected == pytest.approx(alone.systems[name].f1.corrected, nan_ok=True)  # fmt: skip
    one = sa.evaluate(systems.select_annotators(["gold", "tagger"]), "gold")
    by_one = sa.evaluate_levels(one, hard, at=[0.8])
    says(by_one.verdict, "… tagger is first on the easiest documents and on the hardest.")
    again = result.over(np.arange(50)).over(np.arange(10))
    assert again.systems["tagger"].documents == 10
    assert "|at:0.8,0.95|" in by_level.signature
    few = "level-1: lexicon: only 7 of 34 sentences hold any disagreement; "
    assert by_level.caveats[0].startswith(few)
    few = "level-2: lexicon, tagger, chunker: only 14 sentences with "
    assert any(c.startswith(few) for c in by_level.caveats)
    exact = sa.evaluate(systems, ci=sa.Jackknife(confidence=99.99999))
    assert sa.evaluate_levels(exact, hard).evaluations[0].systems["tagger"].f1.interval


@pytest.mark.long
def test_levels_as_data(systems):
    """JSON has the notes of the reading and of the levels, and of the settings those of the levels alone."""
    result = sa.evaluate(systems)
    hard = sa.difficulty(systems, gold="gold")
    by_level = sa.evaluate_levels(result, hard, levels=99)
    (note,) = by_level.notes  # fewer levels than were asked for
    assert result.notes
    data = by_level.to_dict()
    assert data["notes"] == [*result.notes, note]
    assert data["caveats"] == [*result.caveats, *by_level.caveats]
    assert (data["settings"]["of"], data["settings"]["levels"]) == ("gold", 99)
    assert "match" in data["settings"]


def test_levels_as_a_table(systems):
    """A block for each level, with the rows of its part evaluated alone, and one for all documents."""
    hard = sa.difficulty(systems, gold="gold")
    by_level = sa.evaluate_levels(sa.evaluate(systems), hard, at=[0.95])
    table = by_level.table()
    parts = sa.split(systems, hard, at=[0.95])
    rows = []
    for level, corpus in [*((part.level, part.corpus) for part in parts.all), (None, systems)]:
        alone = sa.evaluate(corpus)
        place = ["all", None, None, "all"]
        if level is not None:
            name = f"{level.low:.3f}–{level.high:.3f}"
            place = [level.name, level.low, level.high, name]
            if math.isnan(level.low):
                place[-1] = "no difficulty"
        for system, row in zip(alone.systems.values(), alone.table().rows, strict=True):
            rows.append([*place, system.documents, *row])
    assert len(rows) == 12
    for found, row in zip(table.rows, rows, strict=True):
        assert are_equal(list(found), row)
    assert list(table.breaks) == [3, 6, 9]
    columns = {column.title: column for column in table.columns}
    assert "precision" not in columns
    between = [r for r in table.remarks if "between levels" in r]
    (raw,), (beyond,) = (by_level.between(kind) for kind in ("observed", "corrected"))
    assert [r.split(", ", 1)[1] for r in between] == [
        f"raw F1: level-1 and level-2 {raw[2]:.3f}",
        f"corrected F1: level-1 and level-2 {beyond[2]:.3f}",
    ]
    two = sa.evaluate_levels(sa.evaluate(systems.select_annotators(["gold", "tagger", "lexicon"])), hard)  # fmt: skip
    assert next(r.split(":")[0] for r in two.table().remarks if "τ" in r) == "Kendall's τ of raw and corrected F1"  # fmt: skip
    one = sa.evaluate_levels(sa.evaluate(systems.select_annotators(["gold", "tagger"])), hard)
    assert list(one.table().breaks) == [1, 2, 3]
    assert not [r for r in one.table().remarks if "τ" in r]
    tau = "Kendall's τ"  # what is explained
    assert (dict(table.meanings), dict(one.table().meanings)) == ({tau: tau}, {})


def test_undefined_are_counted():
    """How many documents have no difficulty: nothing marked in two, one not seen."""
    layers = {"gold": [[(0, 1, "X")], [], [], None]}
    found = sa.difficulty(sa.Corpus.from_segments([2] * 4, layers), gold="gold")
    assert found.to_dict()["summary"]["undefined"] == 3
    assert found.table().remarks[-2:] == [
        "2 without a difficulty: gold marked nothing there",
        "1 without a difficulty: not seen",
    ]


def test_tau(systems):
    """Kendall's τ is scipy's; undefined with fewer than two systems or equal scores."""
    result = sa.evaluate(systems)
    by_level = sa.evaluate_levels(result, sa.difficulty(systems, gold="gold"))
    f1 = [[s.f1.corrected for s in of.systems.values()] for of in by_level.evaluations[:2]]
    assert by_level.between("corrected") == [("level-1", "level-2", kendalltau(*f1).statistic)]
    assert by_level.raw_and_corrected(result) == pytest.approx(1 / 3)
    assert by_level.tau([0.3, 0.1 + 0.2, 0.5], [0.1, 0.2, 0.3]) == by_level.tau(
        [0.3, 0.3, 0.5], [0.1, 0.2, 0.3]
    )
    assert math.isnan(by_level.tau([1.0], [1.0]))
    for levels, pairs in ((10, 45), (11, 10), (12, 11)):  # of over ten, neighbours only
        many = sa.evaluate_levels(result, sa.difficulty(systems, gold="gold"), levels=levels)
        assert len(many.between("observed")) == pairs
    assert math.isnan(by_level.tau([1.0, 1.0], [1.0, 2.0]))
    assert math.isnan(by_level.tau([1.0, math.nan], [1.0, 2.0]))
    assert (
        by_level.tau([1.0, math.nan, 2.0, 3], [1, 3, 2, math.nan]) == 1
    )  # of the two that have both
    assert math.isnan(by_level.tau([1.0, 2.0], [1.0, 1.0]))
    nearly = [0.5, 0.5 + 3e-13]  # a tie to twelve digits, on either side
    for one, other in (([1, 2, 3], [*nearly, 1]), ([*nearly, 1], [1, 2, 3])):
        tied = [x if isinstance(x, int) else 0.5 for x in other]
        assert by_level.tau(one, other) == pytest.approx(
            kendalltau([round(x, 9) for x in one], [round(x, 9) for x in tied]).statistic
        )
    assert math.isnan(by_level.tau([], []))
    assert math.isnan(by_level.tau([math.nan] * 2, [1.0, 2.0]))


@pytest.mark.long
def test_command(newsroom, systems, capsys):
    """--by difficulty prints levels with their borders, and those without a difficulty, in every format."""
    files = [str(newsroom / f"{n}.conll") for n in ("gold", "lexicon", "tagger", "chunker")]
    ask = ["evaluate", *files, "--by", "difficulty", "--chance-at", "0.175"]
    assert main([*ask, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["levels"]
    levels = [row for row in rows if row["level"] != "all"]
    ends = [(row["from"], row["to"]) for row in levels[::3]]
    assert ends == [(0, 0.825), (0.825, 1), (None, None)]
    assert sum(row["documents"] for row in levels[::3]) == len(systems)
    assert len(levels) == 9
    assert levels[6]["f1"]["observed"] is None
    for form in ("text", "csv", "markdown", "latex"):
        assert main([*ask, "--format", form]) == 0
        assert capsys.readouterr().out
    assert main(["evaluate", *files, "--levels", "3"]) == 2
    assert "needs --by difficulty" in capsys.readouterr().err
    assert main([*ask[:-2], "--at", "0.5,x"]) == 2
    says(
        capsys.readouterr().err,
        "spanagree: error: --at: 'x' … number … 'spanagree evaluate --help'",
    )


def test_difficulty_command(newsroom, capsys):
    """The command prints what Python gives; a histogram in the terminal, all documents as CSV."""
    crowd = newsroom.parent / "crowd" / "crowd.jsonl"
    found = sa.difficulty(sa.read_jsonl(crowd), gold="ann", match="token")
    ask = ["difficulty", str(crowd), "--gold", "ann", "--match", "token"]
    assert main([*ask, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == found.to_dict()
    assert main(ask) == 0
    out = capsys.readouterr().out
    bars = [int(line.split()[-1]) for line in out.splitlines() if re.match(r"\d\.\d\d–", line)]
    assert sum(bars) == int(found.defined.sum())
    assert re.search(r"6 without a difficulty: .* marked nothing there", out)
    assert main([*ask, "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(found)
    for form in ("markdown", "latex"):
        assert main([*ask, "--format", form]) == 0
        assert capsys.readouterr().out
    assert main(["difficulty", str(crowd), "--gold", "zoe"]) == 1
    assert "unknown gold 'zoe'; allowed: ann, bob, cem, dia, eli" in capsys.readouterr().err


def test_difficulty_of_nothing(tmp_path, capsys):
    """A corpus in which nobody marked anything says so."""
    path = tmp_path / "a.conll"
    path.write_text("a O\nb O\n")
    assert main(["difficulty", str(path)]) == 0
    assert "no document has a difficulty" in capsys.readouterr().out


def test_split_command(newsroom, tmp_path, capsys):
    """The parts are written; what they are is said on stderr; nothing goes to stdout."""
    crowd = str(newsroom.parent / "crowd" / "crowd.jsonl")
    folder = tmp_path / "parts"
    ask = ["split", crowd, "-o", str(folder), "--at", "0.95"]
    assert main(ask) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "spanagree: note: level-1: 17 documents, 0.000–0.950\n" in err
    assert (folder / "level-2.jsonl").exists()
    inside = str(folder / "level-1.jsonl")
    assert main(["split", inside, "-o", str(folder), "--force"]) == 1
    assert "is an input in the folder" in capsys.readouterr().err
    assert main(ask) == 1
    assert "the folder is not empty; --force (force=True) writes into it" in capsys.readouterr().err
    assert main([*ask, "--force", "--to", "conll"]) == 1
    assert re.search(THERE.format(SETTINGS), capsys.readouterr().err.strip())


def test_levels_of_an_evaluation_with_chance(newsroom):
    """Chance is of all documents, so the table by level is the one without it."""
    corpus = sa.read_conll({n: newsroom / f"{n}.conll" for n in ("gold", "tagger")})
    hard = sa.difficulty(corpus, "gold")
    plain, by_chance = (
        sa.evaluate_levels(sa.evaluate(corpus, p_values=x), hard) for x in (False, True)
    )
    assert (
        DisplayTable.from_frame(by_chance.table()).rows
        == DisplayTable.from_frame(plain.table()).rows
    )


def test_documents_that_gold_left_unmarked():
    """What lies below both halves is explained: there gold marked nothing, and a system did."""
    gold = [[(0, 1, "X")], [(4, 6, "X")], []]
    corpus = sa.Corpus.from_segments([2, 20, 5], {"gold": gold, "mine": [*gold[:2], [(0, 2, "X")]]})
    result = sa.evaluate(corpus, "gold")
    shown = sa.evaluate_levels(result, sa.difficulty(corpus, "gold"), levels=2).table()
    assert [row[3] for row in shown.rows][-2:] == ["no difficulty", "all"]
    assert any("gold marked nothing in 1 document, so what" in said for said in shown.remarks)


def test_the_error_of_a_drawn_difficulty():
    """Of one annotator it is that of F1 of two who mark the same lengths: the same draws."""
    side = [(9 * i, 9 * i + 1 + i, "X") for i in range(6)]
    corpus = sa.Corpus.from_segments([80], {"gold": [side], "copy": [side]})
    (hard,) = sa.difficulty(corpus, "gold", match="overlap").notes
    (note,) = sa.evaluate(corpus, "gold", match="overlap").notes
    assert "standard error of the chance F1: 0.00" in hard
    assert note == f"copy: {hard}"


def test_what_a_split_was_made_by_is_readable(tmp_path):
    """The settings beside the parts stand one a line, two spaces in."""
    corpus = sa.Corpus.from_segments([4, 9], {"gold": [[(0, 1, "X")], [(0, 1, "X")]]})
    parts = sa.split(corpus, sa.difficulty(corpus, "gold"))
    sa.levels.write_split(parts, tmp_path / "parts")
    text = (tmp_path / "parts" / "split.json").read_text("utf-8")
    assert text.startswith('{\n  "')
    assert text.endswith("}\n")


def test_what_is_no_difficulty():
    """Another thing in its place is refused by its kind, before the corpus is read."""
    corpus = sa.Corpus.from_segments([9], {"a": [[(0, 2, "X")]]})
    with pytest.raises(sa.SettingError, match="split: str; a difficulty is needed, as difficulty"):
        sa.split(corpus, "hard")


def test_tolerance_counts_words_where_segments_start_at_words():
    """Difficulty, references and evaluation name one measure and give one figure, by enumeration.

    Each annotator marks one of four words, next to each other, so each of the 16 pairs of words is
    equally likely by chance.
    """
    text = "a bb c dd"
    rows = [{"id": "d", "text": text, "ann": [[2, 4, "X"]], "bob": [[5, 6, "X"]]}]
    corpus = sa.read(rows)
    options = {"match": "exact-within-1", "places": "words"}
    pairs = [*itertools.product(range(4), repeat=2)]
    near = Fraction(sum(abs(i - j) <= 1 for i, j in pairs), len(pairs))
    evaluated = sa.evaluate(corpus, "ann", **options)
    against = sa.evaluate_references(corpus, systems=["bob"], **options)
    alone = sa.difficulty(corpus, **options)
    assert evaluated["bob"].f1.observed == against["bob"].f1.observed == 1
    for result in (evaluated, against, alone):
        assert result.signature.startswith("match:exact-within-1-words|")
    for expected in (
        evaluated["bob"].f1.expected, against["bob"].f1.expected, 1 - float(alone.values[0]),
    ):  # fmt: skip
        assert expected == pytest.approx(float(near), abs=1e-12)
