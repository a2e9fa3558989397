"""Chance at places through evaluate, agree and the command line: real data, theory, messages."""

from __future__ import annotations

import importlib
import json
import math
import re

import numpy as np
import pytest
from strategies import PAIRS

import spanagree as sa
from spanagree.chance.model import build_chance_model
from spanagree.chance.places import find_places
from spanagree.choices import Chance, list_names
from spanagree.cli.main import main
from spanagree.comparisons.expected import compare_layers, compute_start_distributions
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.observed import compute_observed
from spanagree.comparisons.place_shares import PlacementStatistics, SegmentPlacement, WordEdges

NEWS = [f"corpora/newsroom/{name}.conll" for name in ("gold", "lexicon", "tagger")]
WNUT = ("arcada", "drexel_cci", "flytxt", "mic-cis.txt", "sjtu_adapt.txt", "spinningbytes.txt", "uh_ritual")  # fmt: skip
# Frozen before the code was written, as printed: chance and corrected F1, least and greatest of seven systems
PRINTED = {
    "letters": ((0.040, 0.059), (0.233, 0.384)),
    "capitals+digits": ((0.113, 0.196), (0.169, 0.282)),
    "capitals": ((0.124, 0.214), (0.159, 0.266)),
}


@pytest.fixture
def news():
    return sa.read_conll(NEWS)


@pytest.mark.parametrize("rule", PRINTED)
def test_wnut17(real, rule):
    """The printed table: chance F1 and corrected F1 of seven systems under three rules."""
    folder = real / "data" / "wnut17_systems"
    files = [folder / "emerging.test.annotated", *(folder / "submissions" / s for s in WNUT)]
    made = sa.evaluate(sa.read_conll(files, ignore_tokens=True), places=rule)
    f1 = [system.f1 for system in made.systems.values()]
    for values, (low, high) in zip(
        ([x.expected for x in f1], [x.corrected for x in f1]), PRINTED[rule], strict=True
    ):
        assert min(values) == pytest.approx(low, abs=0.001)
        assert max(values) == pytest.approx(high, abs=0.001)
    assert (made.settings["places"], made.settings["places_mean"]) == (rule, 0)
    assert made.uniform.systems["arcada"].f1.expected == pytest.approx(0.0378485, abs=1e-6)


MUSHROOM = {
    ("en", "words"): (0.059, 0.491, 0.282), ("en", "words+marks"): (0.059, 0.492, 0.280),
    ("sv", "words"): (0.038, 0.731, 0.369), ("sv", "words+marks"): (0.034, 0.729, 0.374),
    ("fa", "words"): (0.037, 0.301, 0.429), ("fa", "words+marks"): (0.034, 0.298, 0.430),
}  # fmt: skip


@pytest.mark.parametrize(("language", "rule"), MUSHROOM)
def test_mushroom(real, language, rule):
    """The printed table of teams in characters: exact chance, token chance, token corrected."""
    (file,) = (real / "data" / "tools" / "mushroom").glob(f"mushroom.{language}-*.jsonl")
    corpus = sa.read(file, repair="drop-empty")
    exact = sa.agree(corpus, places=rule).team.f1
    token = sa.agree(corpus, places=rule, match="token").team.f1
    ours = (exact.expected, token.expected, token.corrected)
    assert ours == pytest.approx(MUSHROOM[language, rule], abs=0.001)


@pytest.mark.long
@pytest.mark.parametrize(("match", "chance"), PAIRS)
def test_the_uniform_rule_changes_nothing(news, match, chance):
    """A rule of which all tokens are sites gives the uniform figures, to 1e-12."""
    plain = sa.evaluate(news, match=match, chance=chance)
    ruled = sa.evaluate(news, match=match, chance=chance, places=lambda token: True)
    for name, system in plain.systems.items():
        ours = ruled.systems[name].f1
        if ruled.settings.get("expected") is None and plain.settings.get("expected") is None:
            assert ours[:3] == pytest.approx(system.f1[:3], abs=1e-12)


def test_parts_add(news):
    """Over parts the figures, the uniform ones and the shares at sites are those of the whole."""
    corpus = news.with_ids()
    parts = [corpus.subset(range(40)), corpus.subset(range(40, len(corpus)))]
    whole, joined = (sa.evaluate(x, places="capitals") for x in (corpus, parts))
    for name, system in whole.systems.items():
        assert joined.systems[name].f1[:3] == pytest.approx(system.f1[:3], abs=1e-13)
        assert joined.uniform.systems[name].f1 == whole.uniform.systems[name].f1
    assert joined.places == whole.places


@pytest.mark.long
def test_the_distribution_has_the_mean(news):
    """Both random, the distribution's mean is the expected match; with gold fixed that of systems."""
    for of, what in (("both", "both"), ("systems", "tested")):
        made = sa.evaluate(news, places="capitals", chance_of=of, p_values=True)
        for name, system in made.systems.items():
            mean = getattr(made.by_chance[name], what).mean
            assert mean == pytest.approx(system.tally.expected, rel=1e-10)


@pytest.mark.long
@pytest.mark.parametrize("places", [None, "capitals"])
@pytest.mark.parametrize("match", ["exact", "token", "iou", "overlap"])
def test_a_random_system_is_0_with_gold_as_it_is(news, match, places):
    """The mean match of 300 random systems is the expected one, within 4 standard errors."""
    two = news.select_annotators(["gold.conll", "tagger.conll"])
    made = sa.evaluate(two, match=match, places=places, chance_of="systems")
    tally = made.systems["tagger.conll"].tally
    test = sa.chance_test(two, made, simulate=True, draws=300, seed=4)
    null = test.systems["tagger.conll"].null * (tally.size_a + tally.size_b) / 2
    error = null.std(ddof=1) / math.sqrt(len(null))
    assert null.mean() == pytest.approx(tally.expected, abs=4 * error)


def test_random_sizes():
    """In words, sizes in characters are random: chance F1 is 2·ΣE[match]/ΣE[sizes], by hand.

    Of "a bb ccc" one word each: places of 1, 2 and 3 characters, each with probability 1/3.
    """
    layers = {"a": [[(0, 1, "X")]], "b": [[(5, 8, "X")]]}
    corpus = sa.Corpus.from_segments([8], layers, offsets="characters", texts=["a bb ccc"])
    tally = sa.evaluate(corpus, match="token", places="words").systems["b"].tally
    assert tally.expected == pytest.approx((1 + 2 + 3) / 9)
    assert tally.expected_sizes == pytest.approx((2, 2))
    assert (tally.size_a, tally.size_b) == (1, 3)
    assert tally.f1.expected == pytest.approx(1 / 3)
    team = sa.agree(corpus, match="token", places="words").team
    assert team.f1.expected == pytest.approx(1 / 3)


def test_random_sizes_of_one_label():
    """Sizes in characters are random in words also if another label has a rule of characters.

    The figures of X are those of :func:`test_random_sizes`; Y is a capital, of which there is one.
    """
    layers = {"a": [[(0, 1, "X"), (9, 10, "Y")]], "b": [[(5, 8, "X"), (9, 10, "Y")]]}
    corpus = sa.Corpus.from_segments([10], layers, offsets="characters", texts=["a bb ccc Z"])
    rules = "X=words,Y=capitals"
    found = sa.evaluate(corpus, match="token", places=rules, chance="per-label")
    # a word has 1, 2, 3 or 1 characters, each with probability 1/4
    assert found["b"].labels["X"].expected_sizes == pytest.approx((7 / 4, 7 / 4))
    assert found["b"].labels["X"].expected == pytest.approx((1 + 2 + 3 + 1) / 16)
    assert found["b"].labels["Y"].expected_sizes == pytest.approx((1, 1))


def test_places_of_one_document_meet_none_of_the_next():
    """A system's long place in a document shares nothing with gold's first token of the next.

    By hand: gold's token is at the only site, 0 of 10. No place of five tokens has sites at both
    ends, so the system starts at 6 tokens, of which one gives an iou of 1/5, in each of two
    documents.
    """
    site = {"name": "site", "ok": [token == 0 for token in range(10)]}
    layers = {"gold": [[(0, 1, "X")]] * 2, "mine": [[(0, 5, "X")]] * 2}
    corpus = sa.Corpus.from_segments([10, 10], layers)
    tally = sa.evaluate(corpus, "gold", match="iou", places=[site] * 2).systems["mine"].tally
    assert tally.expected == pytest.approx(2 * 1 / 6 * 1 / 5)


def test_ends_at_edges_of_words():
    """By hand, of the two ends of each span of a text."""
    text = "ab cd, ef"
    at_edges = {"ab": 2, "cd": 2, "b": 1, "a": 1, "cd,": 1, " cd": 1, "ef": 2, ", e": 0, "ab cd": 2}
    for span, count in at_edges.items():
        bounds = text.index(span), text.index(span) + len(span)
        corpus = sa.Corpus.from_segments(
            [9], {"a": [[(*bounds, "X")]]}, offsets="characters", texts=[text]
        )
        assert WordEdges.from_corpus(corpus) == (1, count), span


def test_gold_that_shares_a_word():
    """Two gold segments of one word match within one word as the characters' borders say.

    By hand: of four words two are drawn; those at 0 and 1 are within a word of both segments of word
    0, and each of them takes one. So 2 · 2/4 are expected.
    """
    layers = {"gold": [[(0, 2, "X"), (2, 4, "X")]], "mine": [[(5, 7, "X"), (8, 10, "X")]]}
    corpus = sa.Corpus.from_segments([13], layers, offsets="characters", texts=["abcd ef gh ij"])
    asked = {"tolerance": 1, "places": "words", "chance_of": "systems"}
    assert sa.evaluate(corpus, "gold", **asked)["mine"].tally.expected == pytest.approx(1)


def test_titles_of_both_chances(news):
    """The column of the rule is named by it, after the column of chance without a rule."""
    titles = [column.title for column in sa.evaluate(news, places="capitals").table().columns]
    position = titles.index("chance F1 (capitals)")
    assert titles[position - 1] == "chance F1"


def test_statistics_of_parts_with_other_annotators():
    """An annotator who is in one part only has the statistics of that part."""
    mine = SegmentPlacement(3, 2, {1: 1, 4: 2})
    total = PlacementStatistics("r") + PlacementStatistics("r", {"mine": mine}, mixed=1)
    assert total == PlacementStatistics("r", {"mine": mine}, mixed=1)


def test_the_remark_on_places():
    """By hand: 2 of 3 segments at sites; of 1, 4 and 4 places the geometric mean is 16^(1/3)."""
    statistics = PlacementStatistics("r", {"mine": SegmentPlacement(3, 2, {1: 1, 4: 2})})
    assert statistics.write_remarks({"systems": ["mine"]}) == [
        "chance (r): at sites: systems .67; 2.52 places per segment; .33 of segments have one place"
    ]


def test_gold_keeps_its_size():
    """By hand: words of 2 and 4 characters; a random one has 3, gold with its 2 keeps them.

    Both random: the same word half of the time, 2·(¼·2 + ¼·4) / (3 + 3). Gold fixed: 2·(½·2) / (2 + 3).
    """
    layers = {"gold": [[(0, 2, "X")]], "mine": [[(3, 7, "X")]]}
    corpus = sa.Corpus.from_segments([7], layers, texts=["ab cdef"], offsets="characters")
    for chance_of, expected in (("both", 0.5), ("systems", 0.4)):
        result = sa.evaluate(corpus, "gold", match="token", places="words", chance_of=chance_of)
        assert result["mine"].f1.expected == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--places", "capital"], "known are words, words+marks, letters, capitals"),
        (["--places", "words"], "places words: offsets count tokens"),
        (["--places", "column:pos=NN"], "no column 'pos'; known are 0, 1"),
        (["--places", "column:pos=NN,,VB"], "known are words, words+marks, letters, capitals"),
        (["--places", "nowhere.csv"], "was removed before 1.0: in Python"),
        (["--places", "PER=capitals,PER=letters"], "'PER' has two rules"),
        (["--chance-of", "nobody"], "nobody"),
    ],
)
def test_messages(capsys, options, says):
    """What cannot be is refused in a line that says what to do."""
    assert main(["evaluate", *NEWS, *options]) in (1, 2)
    assert says in capsys.readouterr().err


SHORT = {"name": "site", "ok": [True]}


def raises(token):
    """A predicate that takes a token for a number."""
    return token > 1


@pytest.mark.parametrize(
    ("places", "says"),
    [
        ("NAME=capitals", "no segment has the label 'NAME'; known are"),
        (
            [{"name": "by-label", "rules": {"NAME": SHORT}}] * 103,
            "no segment has the label 'NAME'; known are",
        ),
        (lambda token: False, "no token has it, so the rule has no place"),
        (raises, "places raises: of "),
        ([{"name": "site", "ok": 1}] * 103, "rule 1: site with ok 1; a list is needed"),
        ([{"ok": [True]}] * 103, "rule 1: {'ok': [True]}; a mapping such as"),
        ([{"name": "by-label", "rules": 1}] * 103, "rule 1: rules 1; a rule for each label"),
        ([{"name": "words", "text": "a b c d"}] * 103, "a text of 3 characters is needed"),
        ([SHORT] * 103, "document '1': ok has 1 value, and 3 are needed; another tokenisation"),
        ([SHORT], "a list of 1 rule, for 103 documents"),
        ([{"name": "places", "places": [[0, 99]]}] * 103, "a start and an end from 0 to 3"),
        ("column:1", "the file that has the column is not known here"),
    ],
)
def test_bad_rules(news, places, says):
    """A rule without any place, of other documents or another tokenisation has a message each."""
    with pytest.raises((sa.SettingError, sa.InputError), match=re.escape(says)):
        sa.evaluate(news, places=places)


def test_characters_without_text():
    """Offsets in characters without text have no words."""
    layers = {"a": [[(0, 1, "X")]], "b": [[(5, 8, "X")]]}
    corpus = sa.Corpus.from_segments([8], layers, offsets="characters")
    with pytest.raises(sa.SettingError, match="the texts are not known; places words needs them"):
        sa.evaluate(corpus, places="words")


def test_another_tokenisation(tmp_path, capsys):
    """A column is that of the first file, whose tokens the corpus has."""
    one, other = tmp_path / "a.conll", tmp_path / "b.conll"
    one.write_text("Ann NN B-PER\nran VB O\n\n", "utf-8")
    other.write_text("Ann B-PER\nran O\noff O\n\n", "utf-8")
    corpus = sa.read_conll(other)
    rule = find_places("column:1=NN").set_file(one, "sentence", "utf-8")
    with pytest.raises(sa.InputError, match="has 2 tokens, the corpus 3; the file that is read"):
        rule.bind_to_corpus(corpus)


def test_agree_has_no_gold(capsys):
    """Chance of systems needs gold, and among annotators no side is."""
    assert main(["agree", *NEWS, "--chance-of", "systems"]) == 2
    assert "--chance-of" in capsys.readouterr().err
    of_systems = build_chance_model("nonoverlapping", whose="systems")
    with pytest.raises(sa.SettingError, match="no side is gold among annotators"):
        sa.agree(sa.read_conll(NEWS), chance=of_systems)


def test_a_column_of_a_file_of_ours(tmp_path, capsys):
    """Columns of a file that we wrote are found by the names in its first line, or by number."""
    path = tmp_path / "ours.conll"
    gold, mine = [["B-PER", "O", "B-PER"], ["O"]], [["B-PER", "O", "O"], ["B-PER"]]
    tokens = [["Jo", "saw", "Al"], ["there"]]
    sa.formats.write_conll(sa.from_tags({"gold": gold, "mine": mine}, tokens=tokens), path)
    tables = []
    for column in ("gold", "1"):
        places = f"column:{column}=B-PER"
        assert main(["evaluate", str(path), "--places", places, "--format", "json"]) == 0
        tables.append(json.loads(capsys.readouterr().out)["tables"])
    assert tables[0] == tables[1]


def test_columns(tmp_path, capsys):
    """A column of the file gives what the same rule as a list gives."""
    rows = [
        ("New", "NNP"),
        ("York", "NNP"),
        ("is", "VBZ"),
        ("big", "JJ"),
        ("Rome", "NNP"),
        ("too", "RB"),
    ]
    tags = ["B-LOC", "I-LOC", "O", "O", "B-LOC", "O"]
    mine = ["B-LOC", "I-LOC", "O", "B-LOC", "O", "O"]
    lines = [f"{word}\t{pos}\t{tag}" for (word, pos), tag in zip(rows, tags, strict=True)]
    (tmp_path / "gold.conll").write_text("\n".join([*lines[:4], "", *lines[4:], ""]))
    lines = [f"{word}\t{tag}" for (word, _), tag in zip(rows, mine, strict=True)]
    (tmp_path / "mine.conll").write_text("\n".join([*lines[:4], "", *lines[4:], ""]))
    files = [str(tmp_path / "gold.conll"), str(tmp_path / "mine.conll")]
    ok = [pos == "NNP" for _, pos in rows]
    rules = [{"name": "site", "ok": of} for of in (ok[:4], ok[4:])]
    listed = sa.evaluate(sa.read_conll(files), places=rules)
    f1 = listed.systems["mine.conll"].f1.expected
    for rule in ("column:1=NNP", "capitals"):
        assert main(["evaluate", *files, "--places", rule, "--format", "json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["tables"]["systems"][0]["f1"]["expected"] == pytest.approx(f1)
        assert shown["summary"]["places"]["rule"] == rule
        assert shown["summary"]["places"]["at_sites"]["gold.conll"] == 1
    assert np.isfinite(f1)


def anywhere(corpus):
    """The uniform rule, which goes the way of rules."""
    return [{"name": "anywhere"}] * len(corpus)


@pytest.mark.parametrize("match", ["exact", "token", "iou"])
def test_the_uniform_rule_on_wnut17(real, match):
    """Of seven systems the uniform rule gives today's figures, to 1e-12."""
    folder = real / "data" / "wnut17_systems"
    files = [folder / "emerging.test.annotated", *(folder / "submissions" / s for s in WNUT)]
    corpus = sa.read_conll(files, ignore_tokens=True)
    plain = sa.evaluate(corpus, match=match)
    for rule in (anywhere(corpus), lambda token: True):
        ruled = sa.evaluate(corpus, match=match, places=rule)
        assert ruled.settings["places_mean"] == 0
        for name, system in plain.systems.items():
            assert ruled[name].f1[:3] == pytest.approx(system.f1[:3], abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("match", ["exact", "boundaries", "token"])
@pytest.mark.parametrize("chance", list_names(Chance))
def test_the_uniform_rule_on_answers(match, chance):
    """In characters too, of a team, its labels and its pairs."""
    corpus = sa.read("corpora/answers/answers.jsonl")
    plain = sa.agree(corpus, match=match, chance=chance)
    ruled = sa.agree(corpus, match=match, chance=chance, places=anywhere(corpus))
    assert ruled.team.f1[:3] == pytest.approx(plain.team.f1[:3], abs=1e-12)
    for label, tally in plain.labels.items():
        assert ruled.labels[label].f1[:3] == pytest.approx(tally.f1[:3], abs=1e-12)
    for names, pair in plain.pairs.items():
        assert ruled.pairs[names].f1[:3] == pytest.approx(pair.f1[:3], abs=1e-12, nan_ok=True)


@pytest.mark.slow
def test_the_uniform_rule_on_pico(real):
    """And of the abstracts that 91 workers marked."""
    folder = real / "data" / "pico_nguyen2017" / "acl17-test"
    rows = []
    for line in (folder / "PICO-annos-crowdsourcing.json").read_text("utf-8").splitlines():
        entry = json.loads(line)
        text = (folder / "docs" / f"{entry['docid']}.txt").read_bytes().decode("utf-8")
        for worker, spans in entry["Participants"].items():
            marked = [{"start": s, "end": e, "label": "P"} for s, e in spans]
            rows.append({"id": entry["docid"], "text": text, "who": worker, "spans": marked})
    ask = {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}
    corpus = sa.from_dataset(rows, **ask, repair="merge-overlaps")
    for match in ("exact", "token"):
        plain = sa.agree(corpus, match=match).team.f1
        ruled = sa.agree(corpus, match=match, places=anywhere(corpus)).team.f1
        assert ruled[:3] == pytest.approx(plain[:3], abs=1e-12)


def test_intervals_and_labels(news):
    """Intervals hold their figures; the rows of a label have the uniform chance beside theirs.

    The sum over labels is that of all, as exact match counts each label by itself.
    """
    made = sa.evaluate(news, places="capitals", ci=sa.Jackknife())
    for system in made.systems.values():
        f1 = system.f1
        for kind, (low, high) in zip(f1[:3], f1.interval[:3], strict=True):
            assert low <= kind <= high
        total = sum(tally.expected for tally in system.labels.values())
        assert total == pytest.approx(system.tally.expected, abs=1e-12)
    rows = sa.evaluate(news, places="capitals").to_rows("label")
    plain = sa.evaluate(news).to_rows("label")
    for row, other in zip(rows, plain, strict=True):
        assert row["f1_expected_uniform"] == other["f1_expected"] != row["f1_expected"]


def test_a_rule_for_each_label(news):
    """Under a rule for one label, chance of the others is the uniform one, by themselves."""
    made = sa.evaluate(news, places="PER=capitals", chance="per-label")
    plain, all_of = (sa.evaluate(news, chance="per-label", places=p) for p in (None, "capitals"))
    for name, system in made.systems.items():
        for label, tally in system.labels.items():
            like = (all_of if label == "PER" else plain)[name].labels[label]
            assert tally.expected == pytest.approx(like.expected, abs=1e-12)


@pytest.mark.long
def test_notes(capsys):
    """What is arbitrary is said, with why; what a format has is named where it holds."""
    assert main(["evaluate", *NEWS, "--places", "capitals", "--test", "chance"]) == 0
    out, said = capsys.readouterr()
    assert "each system's segments by places capitals (exactly)" in " ".join(out.split())
    assert "chance depends on the choice of the rule (.26 of segments have one place only)" in said
    assert main(["agree", "corpora/answers/answers.jsonl", "--match", "token"]) == 0
    assert (
        "--places words (places='words') puts random segments at such edges"
        in capsys.readouterr().err
    )


def test_a_rule_without_any_place(news):
    """A rule that no segment keeps is said: uniform chance, and a note; one that some keep has none.

    Where no place is a site, every place is of one kind, so that nothing is known of any.
    """
    nowhere = [{"name": "site", "ok": [False] * len(document.tokens)} for document in news]
    made, plain = sa.evaluate(news, places=nowhere), sa.evaluate(news)
    said = "places site: no segment keeps the rule"
    assert any(note.startswith(said) for note in made.notes)
    for name, system in made.systems.items():
        assert system.f1.expected == pytest.approx(plain[name].f1.expected, abs=1e-12)
    for other in (plain, sa.evaluate(news, places="capitals")):
        assert not any("no segment keeps the rule" in note for note in other.notes)


def test_what_places_do_not_go_with():
    """Relations and several pieces are refused, and each message says why."""
    spans = [[(0, 2, "X"), (3, 4, "X")]]
    relations = {"a": [[(0, 1, "r")]], "b": [[(0, 1, "r")]]}
    plain = sa.Corpus.from_segments([6], {"a": spans, "b": spans}, relations=relations)
    pieces = sa.Corpus.from_segments([6], {"a": [[([(0, 1), (3, 4)], "X")]], "b": spans})
    for corpus, asked, says in (
        (plain, {"what": "relations"}, "relations and attributes: their chance is over marked"),
        (pieces, {}, "several pieces: these keep their shape"),
    ):
        rule = [{"name": "site", "ok": [True] * 6}]
        with pytest.raises(sa.SettingError, match=f"places does not go with .*{says}"):
            sa.evaluate(corpus, places=rule, **asked)


def two_of_each(corpus):
    """Two annotations of each document, whoever made them, as two layers."""
    made = [[own for own in document.segments.values() if own is not None] for document in corpus]
    layers = {str(i): [own[i] if len(own) > 1 else None for own in made] for i in (0, 1)}
    return sa.Corpus.from_segments(
        corpus.lengths.tolist(), layers, offsets=corpus.offsets, texts=corpus.texts
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["WNUT-17", "en", "sv", "fa", "toxic_spans", "PICO"])
def test_drawn_annotations_of_real_files(real, name, monkeypatch):
    """The mean match of 300 drawn pairs of annotations is the expected one, on each real file.

    Within 4 standard errors; whole annotations are drawn from what stands before each border.
    """
    if name == "WNUT-17":
        folder = real / "data" / "wnut17_systems"
        files = [folder / "emerging.test.annotated", folder / "submissions" / WNUT[0]]
        corpus, rule = sa.read_conll(files, ignore_tokens=True), "capitals"
    else:
        monkeypatch.syspath_prepend("scripts")
        tables = importlib.import_module("places_table")
        corpus, rule = two_of_each(tables.corpus_of(name, real / "data")), "words"
    model, labels, draws = build_chance_model("nonoverlapping", rule), len(corpus.labels), 300
    starts, placed = compute_start_distributions(corpus, corpus.annotators, model)
    rng = np.random.default_rng(3)
    drawn = [starts.model.redraw(own.layer, own.profile, draws, rng) for own in placed.values()]
    cells = [layer.document * labels + layer.label for layer in drawn]
    for match in map(find_measure, ("exact", "token", "iou")):
        expected = compare_layers(*placed.values(), starts, match, labels).expected.sum()
        matched = compute_observed(*drawn, *cells, draws * len(corpus) * labels, match)
        means = matched.reshape(draws, -1).sum(axis=1)
        error = means.std(ddof=1) / math.sqrt(draws)
        assert means.mean() == pytest.approx(expected, abs=4 * error)
