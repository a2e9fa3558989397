"""Real files, read as they are, through the command line: reference numbers and seqeval."""

from __future__ import annotations

import importlib.util
import itertools
import json
import statistics
from pathlib import Path

import pytest
from seqeval.metrics import f1_score

import spanagree as sa
from spanagree.check import check
from spanagree.cli import main
from spanagree.formats.hf_datasets import draft_dataset

SYSTEMS = ("arcada", "drexel_cci", "flytxt", "mic-cis.txt", "sjtu_adapt.txt", "spinningbytes.txt", "uh_ritual")  # fmt: skip
SCOPES = {"joint": "nonoverlapping", "per-label": "per-label"}


def wnut17(real):
    folder = real / "data" / "wnut17_systems"
    return [folder / "emerging.test.annotated", *(folder / "submissions" / s for s in SYSTEMS)]


@pytest.mark.parametrize("match", ["exact", "token"])
@pytest.mark.parametrize("scope", SCOPES)
def test_wnut17(real, capsys, match, scope):
    """Seven systems against the reference numbers (exact arithmetic, made elsewhere), to 1e-9."""
    reference = json.loads((real / "golden" / "wnut17.json").read_text())
    code = main(
        ["evaluate", *map(str, wnut17(real)), "--ignore-tokens", "--format", "json",
         "--match", match, "--chance", SCOPES[scope]]
    )  # fmt: skip
    out, err = capsys.readouterr()
    assert code == 0
    assert "mic-cis.txt: 1283 tokens differ" in err
    systems = json.loads(out)["systems"]
    assert [s["name"] for s in systems] == list(SYSTEMS)
    for system in systems:
        golden = reference[system["name"]][f"{match}/{scope}"]
        for ours, exact in (
            (system["tally"]["matched"], golden["matched"]),
            (system["tally"]["expected"], golden["expected_matched"]),
            (system["tally"]["gold"], golden["n_gold"]),
            (system["tally"]["system"], golden["n_system"]),
            (system["observed"]["f1"], golden["f1"]),
            (system["expected"]["f1"], golden["chance_f1"]),
            (system["corrected"]["f1"], golden["corrected_f1"]),
        ):
            assert ours == pytest.approx(exact, rel=1e-9, abs=1e-9)


def columns(path):
    """Tags as a user of seqeval would read them: sentences of (token, tag, …)."""
    lines = path.read_text(encoding="utf-8").replace("\r", "").split("\n")
    for blank, group in itertools.groupby(lines, lambda line: not line.strip()):
        if not blank:
            yield [line.split("\t" if "\t" in line else " ") for line in group]


def test_wnut17_raw_f1_is_seqeval(real):
    """Raw exact F1 of every file equals seqeval's default mode."""
    gold, *others = wnut17(real)
    corpus = sa.read_conll([gold, *others], ignore_tokens=True)
    result = sa.evaluate(corpus, gold=gold.name)
    tags = [[row[-1] for row in sentence] for sentence in columns(gold)]
    for path in others:
        theirs = [[row[-1] for row in sentence] for sentence in columns(path)]
        assert result.systems[path.name].f1.observed == pytest.approx(
            f1_score(tags, theirs), abs=1e-15
        )


def test_the_other_gold_of_wnut17(real):
    """A second gold file of the same text, read as seqeval's users would read it."""
    folder = real / "data" / "wnut17_systems"
    one, other = folder / "emerging.test.annotated", folder / "emerging.test.conll"
    corpus = sa.read_conll([one, other], ignore_tokens=True)
    tags = [[[row[-1] for row in s] for s in columns(path)] for path in (one, other)]
    f1 = sa.evaluate(corpus).systems[other.name].f1
    assert f1.observed == pytest.approx(f1_score(*tags), abs=1e-15)


def test_wnut16_columns(real):
    """Two files of `token gold prediction`: several tag columns in one file."""
    for path in sorted((real / "data" / "wnut16_systems").glob("wnut16_*.txt")):
        corpus = sa.read_conll(path, columns={"gold": 1, "system": 2})
        gold, theirs = (
            [[row[c] for row in sentence] for sentence in columns(path)] for c in (1, 2)
        )
        f1 = sa.evaluate(corpus, gold="gold").systems["system"].f1
        assert f1.observed == pytest.approx(f1_score(gold, theirs), abs=1e-15)
        assert 0 < f1.expected < f1.observed


def test_hash_tokens_of_wnut17(real):
    """The token # with the tag O is a token: none of the 23,394 rows is lost."""
    gold = wnut17(real)[0]
    corpus = sa.read_conll(gold)
    assert corpus.lengths.sum() == sum(len(s) for s in columns(gold)) == len(corpus.tokens)
    assert corpus.tokens.count("#") == sum(row[0] == "#" for s in columns(gold) for row in s) > 0


def test_bratiaa_example(real):
    """The brat project: 4 annotators, 7 documents, and bratiaa's published mean pairwise F1."""
    corpus = sa.read_brat(real / "data" / "bratiaa_example" / "example-project")
    assert (len(corpus), len(corpus.annotators), len(corpus.labels)) == (7, 4, 4)
    scores = [
        sa.evaluate(corpus.of_annotators([one, other])).systems[other].f1.observed
        for one, other in itertools.combinations(corpus.annotators, 2)
    ]
    assert statistics.mean(scores) == pytest.approx(
        0.8903501, abs=1e-7
    )  # a unit of the last digit printed
    assert statistics.pstdev(scores) == pytest.approx(0.0526314, abs=1e-7)


def toxic(real):
    script = Path(__file__).parent.parent / "scripts" / "join_toxic_spans.py"
    spec = importlib.util.spec_from_file_location("join_toxic_spans", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows = module.rows(real / "data" / "toxic_spans")
    ask = {"text": "text", "spans": "spans", "annotator": "worker", "document": "id"}
    return draft_dataset(rows, **ask)


def test_toxic_spans(real):
    """Dirt is found, refused, and repaired; workers without spans are kept as empty."""
    rows = toxic(real)
    result = check(rows)
    assert (result.contents["documents"], result.contents["annotators"]) == (16_100, 3_579)
    found = {finding.name: finding for finding in result.findings}
    assert found["repeated"].count == 1
    assert found["beyond-text"].count == 94
    assert len(found["beyond-text"].places) == 94
    assert found["duplicate"].count == 65
    assert found["unlabelled"].count == 14
    assert found["overlap"].annotations == 405
    with pytest.raises(sa.InputError, match=r"'2906', document '6209917'.*drop-repeats would help"):
        rows.corpus()
    corpus = rows.corpus(
        [
            "drop-repeats",
            "clip-beyond-text",
            "drop-beyond-text",
            "drop-unlabelled",
            "drop-duplicates",
        ]
    )
    assert "76 segments that end beyond their document dropped (drop-beyond-text)" in corpus.notes
    assert len(corpus.annotators) == 3_579
    seen = sum(int(layer.annotated.sum()) for layer in corpus.layers.values())
    assert seen == 59_214


def test_pico(real):
    """191 abstracts, 91 crowd workers, the expert apart, no bad offsets."""
    folder = real / "data" / "pico_nguyen2017" / "acl17-test"

    def rows(name):
        for line in (folder / name).read_text("utf-8").splitlines():
            entry = json.loads(line)
            text = (folder / "docs" / f"{entry['docid']}.txt").read_bytes().decode("utf-8")
            for worker, spans in entry["Participants"].items():
                marked = [{"start": s, "end": e, "label": "Participants"} for s, e in spans]
                yield {"id": entry["docid"], "text": text, "who": worker, "spans": marked}

    ask = {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}
    draft = draft_dataset(rows("PICO-annos-crowdsourcing.json"), **ask)
    assert (len(draft.lengths), len(draft.annotators)) == (191, 91)
    assert check(draft).errors == 0
    assert len(draft.corpus()) == 191
    expert = sa.from_dataset(rows("PICO-annos-professional.json"), **ask)
    assert expert.annotators == ("MedicalStudent",)


def seqscore(real):
    return real / "data" / "peer_fixtures" / "seqscore"


def test_seqscore_fixtures_read_alike(real):
    """The same annotation in BIO, IOBES, IO and IOB, with and without further columns."""
    folder = seqscore(real) / "conll_annotation"
    names = (
        "minimal.bio",
        "minimal.bioes",
        "minimal.io",
        "minimal_fields.bio",
        "minimal_fields.iob",
    )
    first, *others = [sa.read_conll({"x": folder / name}) for name in names]
    assert len(first.layers["x"]) == 3
    assert all(other == first for other in others)


@pytest.mark.parametrize(
    ("name", "where"),
    [("bad_label1.bio", ":2: 1 column"), ("bad_label2.bio", ":4: unknown tag 'GPE'"), ("bad_label3.bio", ":1: unknown tag 'OUT'")],
)  # fmt: skip
def test_seqscore_fixtures_refused(real, name, where):
    """What is invalid is refused, naming file and line."""
    path = seqscore(real) / "conll_annotation" / name
    with pytest.raises(sa.InputError) as error:
        sa.read_conll(path)
    assert str(error.value).startswith(f"{path}{where}")


@pytest.mark.parametrize("name", ["invalid1.bio", "invalid1.bioes"])
def test_seqscore_fixtures_repaired(real, name):
    """Ill-formed tags are read as conlleval does and counted, or strictly not at all."""
    path = seqscore(real) / "conll_annotation" / name
    lenient = sa.read_conll(path, scheme="IOB2" if name.endswith("bio") else "IOBES")
    assert any("read as conlleval does" in note for note in lenient.notes)
    strict = sa.read_conll(path, scheme="IOB2" if name.endswith("bio") else "IOBES", strict=True)
    assert len(strict.layers[name]) < len(lenient.layers[name])
    assert any("not counted (strict)" in note for note in strict.notes)
