"""Quotes that are not in the text: false positives, which chance expects to match nothing."""

from __future__ import annotations

import dataclasses
import itertools
import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.corpus.check import check
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.formats.hugging_face.read import read_raw_dataset
from spanagree.formats.jsonl import write_jsonl
from spanagree.formats.write import list_lost_content

TEXT = "ab cd ef gh"


def quotes(*texts, label="X"):
    return [{"text": text, "label": label} for text in texts]


def rows(*answers, gold=("ab", "cd")):
    return [
        {"id": f"d{i}", "text": TEXT, "gold": quotes(*gold), "model": answer}
        for i, answer in enumerate(answers)
    ]


# --- by hand --------------------------------------------------------------------------------------


def test_five_of_ten_are_invented():
    """Precision is 5/10, recall 5/5; by chance 5 of 10 can match, so E/10 and 2E/15 of its E."""
    words = ["ab", "cd", "ef", "gh", "ij"]
    row = {"text": " ".join(words), "gold": quotes(*words), "model": quotes(*words, *"qrstu")}
    corpus = sa.read([row])
    model = sa.evaluate(corpus, "gold")["model"]
    assert (model.precision.observed, model.recall.observed) == (0.5, 1)
    assert model.f1.observed == pytest.approx(float(Fraction(2 * 5, 15)))
    ignored = sa.evaluate(corpus, "gold", unplaced="ignore")["model"]
    assert ignored.precision.observed == 1
    assert model.tally.expected == ignored.tally.expected
    assert model.precision.expected == pytest.approx(ignored.tally.expected / 10)
    assert model.f1.expected == pytest.approx(2 * ignored.tally.expected / 15)
    assert (model.not_found, ignored.not_found) == (5, 0)


def test_one_segment_by_enumeration_of_starts():
    """A text of 5, a span of 2: 4 starts each, so E = 1/4; of 1 + 2 predicted, F1 is 2/3 and 1/6."""
    row = {"text": "ab cd", "gold": quotes("ab"), "model": quotes("ab", "zz")}
    model = sa.evaluate(sa.read([row]), "gold")["model"]
    starts = list(itertools.product(range(4), repeat=2))
    expected = Fraction(sum(a == b for a, b in starts), len(starts))
    assert model.tally.expected == pytest.approx(float(expected))
    assert model.precision[:2] == pytest.approx((1 / 2, float(expected / 2)))
    assert model.f1[:2] == pytest.approx((2 / 3, float(2 * expected / 3)))
    assert model.f1.corrected == pytest.approx(float(Fraction(2, 3) - Fraction(1, 6)) / (5 / 6))


def arrangements(n, spans):
    """Return all placements of spans of these lengths and labels that do not overlap."""
    ways = itertools.product(*(range(n - size + 1) for size, _ in spans))
    placed = ([(s, s + size, y) for s, (size, y) in zip(way, spans, strict=True)] for way in ways)
    return [
        way
        for way in placed
        if all(a[1] <= b[0] or b[1] <= a[0] for a, b in itertools.combinations(way, 2))
    ]


def matched(measure, first, second):
    if measure == "boundaries":
        return len({x[:2] for x in first} & {x[:2] for x in second})
    if measure == "exact":
        return len({*first} & {*second})
    shared = (
        max(0, min(a[1], b[1]) - max(a[0], b[0])) if a[2] == b[2] else 0
        for a, b in itertools.product(first, second)
    )
    return sum(shared)


def size(measure, spans, lost):
    if measure == "token":
        return sum(b - a for a, b, _ in spans) + sum(n for n, _ in lost)
    return len(spans) + len(lost)


LABELS = st.sampled_from("XY")
SIDE = st.lists(st.tuples(st.integers(1, 2), LABELS), min_size=1, max_size=2)
LOST = st.lists(st.tuples(st.integers(0, 3), LABELS), max_size=3)
DOCUMENT = st.tuples(st.integers(4, 6), SIDE, SIDE, LOST)


def drawn(data, documents):
    """Return a corpus of tokens with quotes that are not in the text, and what it was made of."""
    gold, mine = [], []
    for n, a, b, _ in documents:
        gold.append(data.draw(st.sampled_from(arrangements(n, a))))
        mine.append(data.draw(st.sampled_from(arrangements(n, b))))
    lengths = [n for n, *_ in documents]
    corpus = sa.Corpus.from_segments(lengths, {"gold": gold, "mine": mine})
    lost = [(d, *quote) for d, (_, _, _, some) in enumerate(documents) for quote in some]
    found = UnplacedQuotes.from_texts(
        [d for d, _, _ in lost],
        [label for _, _, label in lost],
        ["w " * n for _, n, _ in lost],
        "tokens",
    )
    labels = tuple(sorted({*corpus.labels, *found.label}))
    code = np.array([labels.index(label) for label in corpus.labels], np.int64)
    layers = {
        name: dataclasses.replace(layer, label=code[layer.label])
        for name, layer in corpus.layers.items()
    }
    return corpus.replace(layers=layers, labels=labels, unplaced={"mine": found}), gold, mine


@given(
    st.lists(DOCUMENT, min_size=1, max_size=2),
    st.sampled_from(["exact", "boundaries", "token"]),
    st.data(),
)
def test_by_enumeration(documents, measure, data):
    """Counts, sizes and expected matches of all placements, in fractions; by label and document."""
    corpus, gold, mine = drawn(data, documents)
    evaluation = sa.evaluate(corpus, "gold", match=measure)
    total, parent_ids = Fraction(0), [0, 0, 0]
    for d, ((n, a, b, lost), x, y) in enumerate(zip(documents, gold, mine, strict=True)):
        ways = [*itertools.product(arrangements(n, a), arrangements(n, b))]
        expected = Fraction(sum(matched(measure, *way) for way in ways), len(ways))
        counts = matched(measure, x, y), size(measure, x, []), size(measure, y, lost)
        (tally,) = (t for name, t in evaluation.by_document("mine") if name == str(d + 1))
        assert (tally.matched, tally.size_a, tally.size_b) == counts
        assert tally.expected == pytest.approx(float(expected), rel=1e-9, abs=1e-12)
        total, parent_ids = (
            total + expected,
            [u + v for u, v in zip(parent_ids, counts, strict=True)],
        )
    system = evaluation["mine"]
    assert [system.tally.matched, system.tally.size_a, system.tally.size_b] == parent_ids
    assert system.f1.expected == pytest.approx(float(2 * total / (parent_ids[1] + parent_ids[2])))
    assert system.not_found == sum(len(lost) for *_, lost in documents)
    if measure != "boundaries":
        for label, tally in system.labels.items():
            of_label = [
                size(measure, [s for s in y if s[2] == label], [q for q in lost if q[1] == label])
                for (_, _, _, lost), y in zip(documents, mine, strict=True)
            ]
            assert tally.size_b == sum(of_label)


@given(st.lists(DOCUMENT, min_size=2, max_size=3), st.data())
def test_parts_and_rows_give_the_whole(tmp_path_factory, documents, data):
    """Parts, rows and files of rows have the figures of the whole, and the counts."""
    corpus, _, _ = drawn(data, documents)
    corpus = corpus.with_ids("d")
    whole = sa.evaluate(corpus, "gold", match="token")
    parts = [corpus.subset([d]) for d in range(len(corpus))]
    folder = tmp_path_factory.mktemp("rows")
    files = []
    for i, part in enumerate(parts):
        sa.evaluate(part, "gold", match="token").rows.write(folder / f"{i}.npz")
        files.append(sa.systems.ComparedSystems.read(folder / f"{i}.npz"))
    for source in (parts, files):
        again = sa.evaluate(source, "gold", match="token")
        assert again["mine"].f1 == whole["mine"].f1
        for by in (None, "label", "document"):
            assert again.to_rows(by) == whole.to_rows(by)
        assert again.signature == whole.signature
    assert sum(x.not_found for x in (sa.evaluate(p, "gold")["mine"] for p in parts)) == (
        whole["mine"].not_found
    )


# --- between annotators ---------------------------------------------------------------------------


def crowd(n_annotators):
    """Return a corpus whose annotators mark one of two tokens, and some invent quotes."""
    names = [f"a{i:02}" for i in range(n_annotators)]
    layers = {n: [[(i % 2, i % 2 + 1, "X")], [(0, 1, "X")]] for i, n in enumerate(names)}
    unplaced = {
        names[i]: UnplacedQuotes.from_texts(
            [0] * (i + 1) + [1], ["X"] * (i + 2), ["q"] * (i + 2), "tokens"
        )
        for i in (1, 2)
    }
    return sa.Corpus.from_segments([4, 3], layers).replace(unplaced=unplaced)


@pytest.mark.parametrize("n_annotators", [3, 12])
@pytest.mark.parametrize("match", ["exact", "token", "boundaries"])
def test_agreement(n_annotators, match):
    """Each two by hand: sizes have the quotes of both, also where all pairs are summed at once."""
    corpus = crowd(n_annotators)
    plain = sa.agree(corpus, unplaced="ignore", match=match)
    agreement = sa.agree(corpus, match=match)
    lost = {name: [int((q.at == d).sum()) for d in (0, 1)] for name, q in corpus.unplaced.items()}
    sizes = Fraction(0)
    for a, b in itertools.combinations(corpus.annotators, 2):
        sizes += 4 + sum(lost.get(a, [])) + sum(lost.get(b, []))
    team = agreement.team.tally
    assert team.size == sizes
    assert (team.matched, team.expected) == (plain.team.tally.matched, plain.team.tally.expected)
    by_document = {row["document"]: row for row in agreement.to_rows("document")}
    pairs = n_annotators * (n_annotators - 1) // 2
    more = sum(lost[name][0] for name in lost) * (n_annotators - 1)
    first = sum(value for key, value in by_document["1"].items() if key in ("size_a", "size_b"))
    if first:
        assert first == 2 * pairs + more
    for row in agreement.to_rows("annotator"):
        if row["annotator"] in corpus.annotators:
            member = agreement.annotators[row["annotator"]]
            of_member = 2 + sum(lost.get(member.name, [0, 0]))
            assert member.tally.size_a == of_member * (n_annotators - 1)
    for name, pair in ((p, agreement[p]) for p in itertools.islice(agreement.pairs, 5)):
        a, b = name
        assert pair.tally.size == 4 + sum(lost.get(a, [])) + sum(lost.get(b, []))


def test_references():
    """A system against two people, by hand: F1 is 2·2/(2 + 4), the quotes in each pair again."""
    layers = {key: [[(0, 1, "X")]] for key in ("ann", "bob", "mine")}
    found = UnplacedQuotes.from_texts([0, 0], ["X", "X"], ["q", "r"], "tokens")
    corpus = sa.Corpus.from_segments([3], layers).replace(unplaced={"mine": found})
    against = sa.evaluate_references(corpus, systems=["mine"])
    assert against["mine"].f1.observed == pytest.approx(float(Fraction(2 * 2, 2 + 2 * 3)))
    assert against.ceiling.f1.observed == 1
    many = {key: [[(0, 1, "X")]] for key in [*(f"p{i:02}" for i in range(11)), "mine"]}
    corpus = sa.Corpus.from_segments([3], many).replace(unplaced={"mine": found})
    against = sa.evaluate_references(corpus, systems=["mine"])
    assert against["mine"].f1.observed == pytest.approx(1 / 2)
    assert "unplaced:wrong" in against.signature


# --- what is said ---------------------------------------------------------------------------------


def test_what_is_said():
    """A column, a sentence, the signature and the methods paragraph say it; nothing without any."""
    corpus = sa.read(rows(quotes("ab", "Al"), quotes("ab", "CD", "Bo"), gold=("ab", "cd")))
    evaluation = sa.evaluate(corpus, "gold")
    assert evaluation.to_rows()[0]["not_found"] == 2
    assert "not found" in str(evaluation)
    assert "2 of 5 quotes are not in the text and count as wrong." in evaluation.verdict
    assert "|unplaced:wrong|" in evaluation.signature
    assert "are not in the text" in sa.cite(evaluation)
    assert [row["not_found"] for row in evaluation.to_rows("document")] == [1, 1, 2]
    assert [row["not_found"] for row in evaluation.to_rows("label")] == [2, 2, None]
    ignored = sa.evaluate(corpus, "gold", unplaced="ignore")
    assert "2 of 5 quotes are not in the text and are left out." in ignored.verdict
    assert "|unplaced:ignore|" in ignored.signature
    assert "were left out" in sa.cite(ignored)
    assert "not_found" not in ignored.to_rows()[0]
    assert "2 of 9 quotes are not in the text and match nothing." in sa.agree(corpus).verdict
    for unplaced in ("wrong", "ignore"):
        plain = sa.evaluate(sa.read(rows(quotes("ab"))), "gold", unplaced=unplaced)
        assert "unplaced" not in plain.signature
        assert "not in the text" not in plain.verdict
        assert "not_found" not in plain.to_rows()[0]


def test_part_of_the_quotes():
    """Of some documents only the number of their own quotes is given, not that of all read."""
    corpus = sa.read(rows(quotes("ab", "Al"), quotes("Bo")))
    assert "1 quote is not in the text and counts as wrong." in (
        sa.evaluate(corpus.subset([1]), "gold").verdict
    )


SCORED = [{"text": "Al", "label": "X", "score": 0.5}, {"text": "cd", "label": "X", "score": 0.9}]


def two_systems(n_documents=12):
    """Gold of two quotes a document; of each system's 24 quotes 12 or 4 are not in the text."""
    return [
        {"id": f"d{i}", "text": TEXT, "gold": quotes("ab", "cd"), "one": SCORED, "two": quotes("ab", "Bo" if i % 3 == 0 else "ef")}
        for i in range(n_documents)
    ]  # fmt: skip


def verdicts_of(corpus, **unplaced):
    """Return the verdicts of all results that compare systems with gold, by name."""
    evaluation = sa.evaluate(corpus, "gold", **unplaced)
    n_documents = len(corpus)
    training = sa.read([{"tokens": ["cd", "x"], "tags": ["B-X", "O"]}])
    results = {
        "evaluate": evaluation,
        "slices": sa.score_slices(evaluation, [f"g{i % 2}" for i in range(n_documents)]),
        "slices in order": sa.score_slices(evaluation, [f"{2020 + i % 3}" for i in range(n_documents)]),
        "slices of few documents": sa.score_slices(evaluation, ["g", "h"] + [None] * (n_documents - 2)),
        "length": sa.score_slices(evaluation, "length"),
        "seen": sa.score_slices(evaluation, "seen", seen=training),
        "chance": sa.chance_test(corpus, evaluation),
        "jackknife": sa.compare_systems(evaluation),
        "errors": sa.systems.error_types(evaluation),
        "strategies": sa.systems.strategy_scores(evaluation),
        "runs": sa.systems.score_runs(evaluation, {"ours": ["one", "two"]}),
        "levels": sa.levels.evaluate_levels(evaluation, sa.difficulty(corpus, "gold"), levels=2),
    }  # fmt: skip
    return {name: result.verdict for name, result in results.items()}


def test_every_verdict_counts_them():
    """By hand, 12 + 4 of 24 + 24 quotes, and 6 + 2 in half of the documents; no clause without any."""
    corpus = sa.read(two_systems())
    plain = [{**row, "one": quotes("ef"), "two": quotes("cd")} for row in two_systems()]
    for verdicts, clause in (
        (verdicts_of(corpus), "16 of 48 quotes are not in the text and count as wrong."),
        (verdicts_of(corpus, unplaced="ignore"), "16 of 48 quotes are not in the text and are left out."),
        (verdicts_of(corpus.subset(np.arange(6))), "8 quotes are not in the text and count as wrong."),
    ):  # fmt: skip
        assert {name: x.count(clause) for name, x in verdicts.items()} == dict.fromkeys(verdicts, 1)
    assert not any("not in the text" in x for x in verdicts_of(sa.read(plain)).values())


def test_verdicts_on_one_system_of_two():
    """A sweep is of those with scores; a test of systems with runs counts the quotes of the runs."""
    evaluation = sa.evaluate(sa.read(two_systems()), "gold")
    runs = {"ours": ["one"], "theirs": ["two"]}
    compared = sa.compare_systems(evaluation, runs=runs)
    assert "16 of 48 quotes are not in the text and count as wrong." in compared.verdict
    rows = [{**row, "two": quotes("ab")} for row in two_systems()]
    swept = sa.systems.sweep_scores(sa.evaluate(sa.read(rows, scores=True), "gold"))
    assert "12 of 24 quotes are not in the text and count as wrong." in swept.verdict
    few = sa.systems.sweep_scores(sa.evaluate(sa.read(rows[:1], scores=True), "gold"))
    assert few.verdict.startswith("No best score")
    assert "1 of 2 quotes is not in the text and counts as wrong." in few.verdict


def test_verdicts_between_annotators():
    """By hand: 16 of 72 quotes of three annotators; of half of the documents, 8."""
    corpus = sa.read(two_systems(30))
    part = corpus.subset(np.arange(12))
    all_read = "40 of 180 quotes are not in the text and match nothing."
    for of_all, of_part in [
        (sa.agree(corpus), sa.agree(part)),
        (
            sa.score_slices(sa.agree(corpus), ["g", "h"] * 15),
            sa.score_slices(sa.agree(part), ["g", "h"] * 6),
        ),
    ]:
        assert all_read in of_all.verdict
        assert "16 quotes are not in the text and match nothing." in of_part.verdict
    assert all_read in sa.alt_test(corpus, "two", epsilon=0.1).verdict
    references = sa.evaluate_references(part, systems=["one"])
    assert "12 quotes are not in the text and count as wrong." in references.verdict


def test_verdict_on_slices_of_several_files():
    """The quotes of all files together: 16 of 48 of one, 4 + 2 of 12 of the other, by hand."""
    results = {
        name: sa.evaluate(sa.read(two_systems(n_documents)), "gold")
        for name, n_documents in (("a", 12), ("b", 4))
    }
    assert "22 of 64 quotes are not in the text and count as wrong." in (
        sa.score_slices(results).verdict
    )


def test_gold_has_to_be_in_the_text():
    corpus = sa.read(rows(quotes("ab"), gold=("ab", "Paris")))
    with refuses(sa.InputError, "gold, document 'd0': 'Paris' is not in the text … mend"):
        sa.evaluate(corpus, "gold")
    assert sa.evaluate(corpus, "gold", unplaced="ignore")["model"].f1.observed == 1


def test_unknown_choice():
    corpus = sa.read(rows(quotes("ab")))
    for call in (
        lambda: sa.evaluate(corpus, "gold", unplaced="no"),
        lambda: sa.read(rows(quotes("ab")), unplaced="no"),
    ):
        with refuses(sa.SettingError, "unknown unplaced 'no' … wrong, ignore"):
            call()


def test_from_the_command_line(tmp_path, run):
    path = tmp_path / "llm.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(quotes("ab", "Al"))), "utf-8")
    code, out, _ = run("evaluate", path)
    assert code == 0
    assert "1 of 2 quotes is not in the text and counts as wrong." in " ".join(out.split())
    assert "not found" in out
    code, out, _ = run("evaluate", path, "--unplaced", "ignore")
    assert code == 0
    assert "unplaced:ignore" in out
    assert "not found" not in out
    code, out, _ = run("evaluate", path, "--by", "error")
    assert code == 0
    assert any(line.split()[:3] == ["model", "spurious", "1"] for line in out.splitlines())
    code, out, err = run("coefficients", path, "--tokens")
    assert code == 0
    assert "1 quote not in the text left out: tokens have no place for them" in err + out


# --- the corpus keeps them ------------------------------------------------------------------------


def kept(corpus):
    """Return document, label and text of the quotes of each annotator."""
    return {
        name: sorted(
            (corpus.id_of(d), label, text)
            for d, label, text in zip(q.at.tolist(), q.label, q.quote, strict=True)
        )
        for name, q in corpus.unplaced.items()
    }


ANSWERS = [quotes("ab", "Al"), [*quotes("cd"), *quotes("Bo", "ab", label="NEW")], quotes("Cy")]
ALL = {"model": [("d0", "X", "Al"), ("d1", "NEW", "Bo"), ("d2", "X", "Cy")]}


def test_selections():
    corpus = sa.read(rows(*ANSWERS))
    assert kept(corpus) == ALL
    assert kept(corpus.subset([2, 0])) == {"model": [("d0", "X", "Al"), ("d2", "X", "Cy")]}
    assert kept(corpus.subset(np.zeros(3, np.bool_))) == {}
    assert kept(corpus.select_annotators(["gold"])) == {}
    assert kept(corpus.select_annotators(["model"])) == ALL
    assert kept(corpus.with_labels(["X"])) == {"model": [("d0", "X", "Al"), ("d2", "X", "Cy")]}
    renamed = corpus.with_labels(["Y"], {"X": "Y"})
    assert kept(renamed) == {"model": [("d0", "Y", "Al"), ("d2", "Y", "Cy")]}
    assert kept(corpus.grouped_by("d", joined=True)) == {
        "model": [
            ("d", label, text) for _, label, text in sorted(ALL["model"], key=lambda x: x[1:])
        ]
    }
    assert kept(pickle.loads(pickle.dumps(corpus))) == ALL
    assert kept(corpus.to_raw() and sa.Corpus.from_raw(corpus.to_raw())) == ALL
    assert corpus == sa.Corpus.from_raw(corpus.to_raw())
    assert corpus != corpus.replace(unplaced={})


def test_a_label_of_quotes_alone():
    """It has a row; where quotes are left out, it is no label of the corpus."""
    corpus = sa.read(rows([*quotes("ab"), *quotes("Bo", label="EVENT")]))
    evaluation = sa.evaluate(corpus, "gold")
    assert evaluation["model"].labels["EVENT"].size_b == 1
    assert evaluation["model"].labels["EVENT"].precision.observed == 0
    ignored = sa.evaluate(corpus, "gold", unplaced="ignore")
    assert [*ignored["model"].labels] == ["X"]
    assert sa.read(rows(ANSWERS[1]), unplaced="ignore").labels == ("NEW", "X")
    only = rows([*quotes("ab"), *quotes("Bo", label="EVENT")])
    assert sa.read(only, unplaced="ignore").labels == ("X",)
    assert sa.read(only, unplaced="ignore").reading["unplaced"] == "ignore"
    assert "EVENT" not in sa.token_labels(corpus).labels


def test_units():
    """Lengths by hand: characters without outer blanks, words between blanks, tokens of a tokenizer."""
    corpus = sa.read(rows(quotes(" Al Bo ")))
    assert corpus.unplaced["model"].size.tolist() == [5]
    assert corpus.to_tokens().unplaced["model"].size.tolist() == [2]
    assert corpus.to_tokens(list).unplaced["model"].size.tolist() == [7]
    assert corpus.to_tokens().to_characters().unplaced["model"].size.tolist() == [5]
    tokens = [{"tokens": ["ab", "cd"], "gold": [], "model": quotes("Al Bo")}]
    assert sa.read(tokens).unplaced["model"].size.tolist() == [2]


def test_files(tmp_path):
    """Our own format keeps them, with their lengths; others say that they are lost."""
    corpus = sa.read(rows(*ANSWERS))
    sa.write_jsonl(corpus.to_tokens(list), tmp_path / "own.jsonl")
    again = sa.read(tmp_path / "own.jsonl")
    assert kept(again) == ALL
    assert again.unplaced["model"].size.tolist() == [2, 2, 2]
    assert again == corpus.to_tokens(list)
    for form in ("brat", "doccano", "conll"):
        said = list_lost_content(corpus.to_tokens() if form == "conll" else corpus, form)
        assert any("3 quotes not in the text" in note for note in said)
    assert not any("quotes" in note for note in list_lost_content(corpus, "jsonl"))


@pytest.mark.parametrize(
    "unplaced",
    [
        [1],
        {"nobody": []},
        {"model": 3},
        {"model": [{"quote": "x"}]},
        {"model": [{"quote": "x", "label": "X", "size": -1}]},
        {"model": [{"quote": 1, "label": "X", "size": 1}]},
        {"model": [{"quote": "x", "label": 3, "size": 1}]},
        {"unseen": [{"quote": "x", "label": "X", "size": 1}]},
    ],
)
def test_files_that_are_wrong(tmp_path, unplaced):
    line = {"spanagree": 1, "id": "1", "offsets": "characters", "text": "ab"}
    line |= {"annotators": {"model": [], "unseen": None}, "unplaced": unplaced}
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(line), "utf-8")
    with refuses(sa.InputError, "… own.jsonl:1:"):
        sa.read(path)


def test_several_files(tmp_path):
    """Files side by side, and parts of one corpus, keep the quotes of each."""
    records = rows(*ANSWERS)
    for name in ("gold", "model"):
        lines = [
            json.dumps({"id": row["id"], "text": row["text"], "spans": row[name]})
            for row in records
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
    beside = sa.read({name: tmp_path / f"{name}.jsonl" for name in ("gold", "model")})
    assert kept(beside) == ALL
    for i, row in enumerate(records):
        (tmp_path / f"part-{i}.jsonl").write_text(json.dumps(row), "utf-8")
    assert kept(sa.read(str(tmp_path / "part-*.jsonl"))) == ALL
    parts = sa.read_parts(str(tmp_path / "part-*.jsonl"))
    whole = sa.evaluate(sa.read(str(tmp_path / "part-*.jsonl")), "gold")
    assert sa.evaluate(parts, "gold").to_rows() == whole.to_rows()


def test_the_latest_answer_counts(tmp_path):
    """Of two answers to one document, the quotes of the one that is dropped are dropped too."""
    lines = [
        {"id": "1", "text": TEXT, "who": who, "spans": quotes(*texts)}
        for who, texts in (("gold", ["ab"]), ("model", ["Al"]), ("model", ["ab", "Bo"]))
    ]
    path = tmp_path / "llm.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    names = {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}
    corpus = sa.read(path, repair="drop-repeats", **names)
    assert kept(corpus) == {"model": [("1", "X", "Al")]}


def test_a_changed_copy():
    """A tag whose words are not in the text is a prediction that is not there."""
    row = {
        "text": "Jo is now in Rome, and so is Bo.",
        "gold": [{"start": 0, "end": 2, "label": "PER"}],
        "model": "<PER>Jo</PER> is in <LOC>Rome</LOC>, and <PER>Al</PER> too.",
    }
    names = {"text": "text", "spans": {"gold": "gold", "model": "model"}}
    corpus = sa.read([row], align=True, **names)
    assert kept(corpus) == {"model": [("1", "PER", "Al")]}
    assert sa.evaluate(corpus, "gold")["model"].tally.size_b == 3


def test_without_labels():
    """Where nothing has a label, quotes have the one of all; where others have, each needs one."""
    names = {"text": "text", "spans": {"gold": "gold", "model": "model"}}
    plain = sa.read([{"text": TEXT, "gold": ["ab"], "model": ["ab", "Al"]}], **names)
    assert kept(plain) == {"model": [("1", "span", "Al")]}
    mixed = [{"text": TEXT, "gold": quotes("ab"), "model": [*quotes("ab"), {"text": "Al"}]}]
    with refuses(
        sa.InputError,
        "annotator 'model', document '1': quote 'Al' without a label needs one; --repair"
        " drop-unlabelled (repair='drop-unlabelled') would help",
    ):
        sa.read(mixed, **names)
    corpus = sa.read(mixed, **names, repair="drop-unlabelled")
    assert kept(corpus) == {}
    assert "1 segment without a label dropped (drop-unlabelled)" in corpus.notes


@pytest.mark.parametrize("label", ["", " ", None])
def test_quotes_without_a_label_are_checked(label, tmp_path):
    """A check counts them as errors; rows of our own format with them are refused as others are."""
    answer = [*quotes("ab"), *quotes("Al", "Bo", label=label)]
    raw = read_raw_dataset(rows(answer, quotes("ab", "Ed")), text="text", document="id",
                      spans={"gold": "gold", "model": "model"})  # fmt: skip
    (finding,) = check(raw).findings
    assert (finding.name, finding.error, finding.count) == ("unlabelled-quote", True, 2)
    assert finding.first == "annotator 'model', document 'd0': quote 'Al' without a label needs one"
    assert [place["quote"] for place in finding.places] == ["Al", "Bo"]
    corpus = build_valid_corpus(raw, "drop-unlabelled")
    assert kept(corpus) == {"model": [("d1", "X", "Ed")]}
    path = tmp_path / "own.jsonl"
    write_jsonl(corpus, path)
    path.write_text(path.read_text("utf-8").replace('"quote": "Ed", "label": "X"', '"quote": "Ed"'))
    with refuses(sa.InputError, "annotator 'model', document 'd1': quote 'Ed' without a label …"):
        sa.read(path)


def test_text_clusters():
    """Of joined texts a quote counts with the first; the sums are those of the document."""
    corpus = sa.read(rows(*ANSWERS, gold=("ab",))).grouped_by("d", joined=True)
    evaluation = sa.evaluate(corpus, "gold", ci=sa.Jackknife(cluster_by="text"))
    assert evaluation["model"].tally.size_b == 6
    assert evaluation["model"].f1.interval is not None


def test_intervals_are_over_documents_with_their_quotes():
    """Leaving out each document in turn, by hand: the interval's centre lies at these figures."""
    corpus = sa.read(rows(*[quotes("ab", *("Al",) * (i % 3)) for i in range(12)]))
    evaluation = sa.evaluate(corpus, "gold", ci=True)
    tally = evaluation["model"].tally
    for d in range(3):
        others = [i for i in range(12) if i != d]
        left = sa.evaluate(corpus.subset(others), "gold")["model"].tally
        over = evaluation.over(np.array(others))["model"]
        assert over.tally.size_b == left.size_b == tally.size_b - 1 - d % 3
        assert over.not_found == 12 - d % 3
    low, high = evaluation["model"].precision.interval.observed
    assert low < evaluation["model"].precision.observed < high


def test_p_values():
    """A document with invented quotes alone has a p of 1 and an F1 of 0, as nothing can match."""
    corpus = sa.read(rows(quotes("ab"), quotes("Al")))
    evaluation = sa.evaluate(corpus, "gold", p_values=True)
    first, second = evaluation.chance_by_document("model").values()
    assert first.p < 1
    assert second.p == 1
    tested = sa.chance_test(corpus, evaluation).systems["model"]
    assert tested.f1 == evaluation["model"].f1.observed


def test_slices():
    """By hand: quotes go with their document, their length and whether training has them."""
    found = UnplacedQuotes.from_texts(
        [0, 0, 1], ["X", "X", "X"], ["one", "two words", "one"], "tokens"
    )
    layers = {"gold": [[(0, 1, "X")], [(0, 1, "X")]], "mine": [[(0, 1, "X")], [(0, 1, "X")]]}
    corpus = sa.Corpus.from_segments([3, 3], layers)
    corpus = corpus.replace(unplaced={"mine": found}, tokens=("a", "b", "c", "d", "e", "f"))
    evaluation = sa.evaluate(corpus, "gold")

    def sizes(slices):
        return {
            row["slice"]: row["f1_observed"]
            for row in slices.to_rows()
            if row["slice"] not in (None, "")
        }

    by_document = sizes(sa.score_slices(evaluation, ["p", "q"]))
    assert by_document["p"] == pytest.approx(2 / (1 + 3))
    assert by_document["q"] == pytest.approx(2 / (1 + 2))
    by_length = sizes(sa.score_slices(evaluation, "length"))
    assert by_length["1"] == pytest.approx(2 * 2 / (2 + 4))
    assert by_length["2"] == 0
    training = sa.read([{"tokens": ["a", "one"], "tags": ["B-X", "B-X"]}])
    by_seen = sizes(sa.score_slices(evaluation, "seen", seen=training))
    assert by_seen["seen"] == pytest.approx(2 * 1 / (1 + 3))
    assert by_seen["unseen"] == pytest.approx(2 * 1 / (1 + 2))


def test_figures_without_them_say_so():
    corpus = sa.read(rows(quotes("ab", "Al"), quotes("ab", "cd")))
    said = "1 quote not in the text left out: "
    for result in (
        sa.alpha_u(corpus),
        sa.disagreements(corpus, "gold", "model"),
        sa.confusion(corpus),
        sa.document_agreement(corpus),
        sa.make_gold(corpus),
    ):
        assert sum(said in note for note in result.notes) == 1, result
        assert "unplaced" not in result.signature
    for result in (
        sa.alpha_u(corpus),
        sa.gamma(corpus, precision=0.5),
        sa.document_agreement(corpus),
    ):
        assert sum(said in remark for remark in result.table().remarks) == 1, result


def five_of_ten():
    """Five documents, in each of which the second of two quotes of the model is invented."""
    return sa.read(rows(*[quotes("ab", "zz")] * 5))


def test_measures_side_by_side_have_the_f1_of_agree():
    """By hand: 5 of 10 + 10 match, so F1 is 2·5/20; a quote without a place adds to one size."""
    corpus = five_of_ten()
    found = sa.compare_measures(corpus, precision=0.5)
    for match in ("exact", "token", "iou", "overlap"):
        team = sa.agree(corpus, match=match).team.f1
        assert found.measures[f"corrected F1, {match}"][1:4] == team[:3]
        assert team.observed == 0.5
    lost = "5 of 20 quotes are not in the text and match nothing in F1."
    assert found.verdict.endswith(lost)
    assert "|unplaced:wrong|" in found.signature
    left = "5 quotes not in the text left out: α of tokens, α_U and γ have no place for them"
    assert left in found.table().remarks
    assert left in found.notes
    placed = sa.compare_measures(corpus.replace(unplaced={}), precision=0.5)
    for name in ("α of tokens", "α_U", "γ"):
        assert found.measures[name] == placed.measures[name]
    assert "quotes" not in placed.verdict
    assert "unplaced" not in placed.signature


def test_quotes_of_other_documents_and_annotators_are_not_counted():
    corpus = sa.read([{**row, "third": quotes("ab")} for row in rows(quotes("ab", "zz"))])
    found = sa.compare_measures(corpus, annotators=["gold", "third"], precision=0.5)
    assert "quote" not in found.verdict
    assert "unplaced" not in found.signature
    assert not any("quote" in remark for remark in found.table().remarks)


def test_f1_beside_coefficients_of_tokens_says_what_it_counts():
    found = sa.labels.token_coefficients(five_of_ten())
    assert found.spans.observed == 0.5
    assert (
        "F1 of segments: match exact, chance nonoverlapping; 5 of 20 quotes are not in the text and"
        " match nothing, and are left out of all else"
    ) in found.table().remarks
    one = sa.labels.token_coefficients(sa.read(rows(quotes("ab", "zz"))))
    assert "1 of 4 quotes is not in the text and matches nothing, and is left" in one.about_spans
    none = sa.labels.token_coefficients(sa.read(rows(quotes("ab", "cd"))))
    assert none.about_spans == "F1 of segments: match exact, chance nonoverlapping"
