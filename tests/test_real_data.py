"""Real files, read as they are, through the command line: reference numbers and seqeval."""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.corpus.check import check
from spanagree.corpus.repairs import apply_repairs
from spanagree.formats.hugging_face.read import read_raw_dataset

SYSTEMS = ("arcada", "drexel_cci", "flytxt", "mic-cis.txt", "sjtu_adapt.txt", "spinningbytes.txt", "uh_ritual")  # fmt: skip
SCOPES = {"joint": "nonoverlapping", "per-label": "per-label"}


def wnut17(real):
    folder = real / "data" / "wnut17_systems"
    return [folder / "emerging.test.annotated", *(folder / "submissions" / s for s in SYSTEMS)]


@pytest.mark.parametrize("match", ["exact", "token"])
@pytest.mark.parametrize("scope", SCOPES)
def test_wnut17(real, capsys, match, scope):
    """Seven systems against the reference numbers (exact arithmetic, made elsewhere), to 1e-9."""
    reference = json.loads((Path(__file__).parent / "golden" / "wnut17.json").read_text())
    code = main(
        ["evaluate", *map(str, wnut17(real)), "--ignore-tokens", "--format", "json",
         "--match", match, "--chance", SCOPES[scope]]
    )  # fmt: skip
    out, err = capsys.readouterr()
    assert code == 0
    assert "mic-cis.txt: 1283 tokens not as in" in err
    systems = json.loads(out)["tables"]["systems"]
    assert [s["system"] for s in systems] == list(SYSTEMS)
    for system in systems:
        golden = reference[system["system"]][f"{match}/{scope}"]
        for ours, exact in (
            (system["matched"], golden["matched"]),
            (system["expected"], golden["expected_matched"]),
            (system["size_gold"], golden["n_gold"]),
            (system["size_system"], golden["n_system"]),
            (system["f1"]["observed"], golden["f1"]),
            (system["f1"]["expected"], golden["chance_f1"]),
            (system["f1"]["corrected"], golden["corrected_f1"]),
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
    f1_score = pytest.importorskip("seqeval.metrics").f1_score
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
    f1_score = pytest.importorskip("seqeval.metrics").f1_score
    folder = real / "data" / "wnut17_systems"
    one, other = folder / "emerging.test.annotated", folder / "emerging.test.conll"
    corpus = sa.read_conll([one, other], ignore_tokens=True)
    tags = [[[row[-1] for row in s] for s in columns(path)] for path in (one, other)]
    f1 = sa.evaluate(corpus).systems[other.name].f1
    assert f1.observed == pytest.approx(f1_score(*tags), abs=1e-15)


def test_wnut16_columns(real):
    """Two files of `token gold prediction`: several tag columns in one file."""
    f1_score = pytest.importorskip("seqeval.metrics").f1_score
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


@pytest.mark.slow
def test_bratiaa_example(real):
    """The brat project: 4 annotators, 7 documents, and bratiaa's published mean pairwise F1."""
    corpus = sa.read_brat(real / "data" / "bratiaa_example" / "example-project")
    assert (len(corpus), len(corpus.annotators), len(corpus.labels)) == (7, 4, 4)
    mean = sa.agree(corpus).mean
    assert mean.observed == pytest.approx(0.8903501, abs=1e-7)  # a unit of the last digit printed
    # bratiaa divides by the six pairs, we by five
    assert mean.sd.observed == pytest.approx(0.0526314 * (6 / 5) ** 0.5, abs=1.1e-7)


def toxic_rows(real):
    """A row for each comment and worker, and what its columns are."""
    script = Path(__file__).parent.parent / "scripts" / "join_toxic_spans.py"
    spec = importlib.util.spec_from_file_location("join_toxic_spans", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    columns = {"text": "text", "spans": "spans", "annotator": "worker", "document": "id"}
    return [*module.rows(real / "data" / "toxic_spans")], columns


def toxic(real, repair):
    """The corpus of the comments, after repairs."""
    rows, columns = toxic_rows(real)
    return sa.from_dataset(rows, **columns, repair=repair)


@pytest.mark.slow
def test_toxic_spans(real):
    """Dirt is found, refused, and repaired; workers without spans are kept as empty."""
    rows, columns = toxic_rows(real)
    raw = read_raw_dataset(rows, **columns)
    result = check(raw)
    assert (result.contents["documents"], result.contents["annotators"]) == (16_100, 3_579)
    found = {finding.name: finding for finding in result.findings}
    assert found["repeated"].count == 1
    assert found["beyond-text"].count == 94
    assert len(found["beyond-text"].places) == 94
    assert found["duplicate"].count == 65
    assert found["unlabelled"].count == 14
    assert found["overlap"].annotations == 405
    with refuses(
        sa.InputError, "… '2906', document '6209917' … drop-repeats … latest … would help"
    ):
        sa.from_dataset(rows, **columns)
    corpus = toxic(
        real,
        [
            "drop-repeats",
            "clip-beyond-text",
            "drop-beyond-text",
            "drop-unlabelled",
            "drop-duplicates",
        ],
    )
    assert "76 segments ending beyond the document dropped (drop-beyond-text)" in corpus.notes
    assert len(corpus.annotators) == 3_579
    seen = sum(int(layer.annotated.sum()) for layer in corpus.layers.values())
    assert seen == 59_214
    # spans past the text's end count as marked before they are repaired: 16,289 of the pairs have none
    raw = apply_repairs(raw, "drop-repeats")
    marked = np.bincount(raw.annotation, minlength=len(raw.document_index)) > 0
    assert silent_pairs(raw.document_index, raw.annotator_index, marked) == (104_139, 16_289)
    result = sa.agree(corpus, chance="overlapping")
    undefined = sum(math.isnan(pair.f1.observed) for pair in result.pairs.values())
    assert (len(result.pairs), undefined) == (104_139, 16_316)  # without what was dropped
    assert result.mean.pairs.observed == 104_139 - 16_316


def silent_pairs(document, annotator, marked):
    """How many pairs share a document, and how many of these have no span on either side; slowly."""
    shared = {}
    rows = sorted(zip(document.tolist(), annotator.tolist(), marked.tolist(), strict=True))
    for _, group in itertools.groupby(rows, lambda row: row[0]):
        for (_, one, a), (_, other, b) in itertools.combinations(group, 2):
            shared[one, other] = shared.get((one, other), False) or a or b
    return len(shared), sum(not any_ for any_ in shared.values())


def pico(real, name, repair=()):
    """The corpus of a file of abstracts and who marked what in them."""
    columns = {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}
    return sa.from_dataset(_pico_rows(real, name), **columns, repair=repair)


def _pico_rows(real, name):
    folder = real / "data" / "pico_nguyen2017" / "acl17-test"
    for line in (folder / name).read_text("utf-8").splitlines():
        entry = json.loads(line)
        text = (folder / "docs" / f"{entry['docid']}.txt").read_bytes().decode("utf-8")
        for worker, spans in entry["Participants"].items():
            marked = [{"start": s, "end": e, "label": "Participants"} for s, e in spans]
            yield {"id": entry["docid"], "text": text, "who": worker, "spans": marked}


def test_pico(real):
    """191 abstracts, 91 crowd workers, the expert apart, no bad offsets."""
    corpus = pico(real, "PICO-annos-crowdsourcing.json")
    assert (len(corpus), len(corpus.annotators)) == (191, 91)
    with refuses(sa.SettingError, "… overlap … chance nonoverlapping"):
        sa.agree(corpus, chance="nonoverlapping")
    result = sa.agree(corpus)
    assert result.settings.chance == "overlapping"
    merged = pico(real, "PICO-annos-crowdsourcing.json", "merge-overlaps")
    assert len(result.pairs) == len(sa.agree(merged).pairs) == 659
    assert (f"{result.mean.observed:.4f}", f"{result.team.f1.observed:.4f}") == ("0.2638", "0.2503")
    expert = pico(real, "PICO-annos-professional.json")
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
    ("name", "location"),
    [("bad_label1.bio", ":2: 1 column"), ("bad_label2.bio", ":4: unknown tag 'GPE'"), ("bad_label3.bio", ":1: unknown tag 'OUT'")],
)  # fmt: skip
def test_seqscore_fixtures_refused(real, name, location):
    """What is invalid is refused, naming file and line."""
    path = seqscore(real) / "conll_annotation" / name
    with pytest.raises(sa.InputError) as error:
        sa.read_conll(path)
    assert str(error.value).startswith(f"{path}{location}")


@pytest.mark.parametrize("name", ["invalid1.bio", "invalid1.bioes"])
def test_seqscore_fixtures_repaired(real, name):
    """Ill-formed tags are read as conlleval does and counted, or strictly not at all."""
    path = seqscore(real) / "conll_annotation" / name
    lenient = sa.read_conll(path, scheme="IOB2" if name.endswith("bio") else "IOBES")
    assert any("read as conlleval does" in note for note in lenient.notes)
    strict = sa.read_conll(path, scheme="IOB2" if name.endswith("bio") else "IOBES", strict=True)
    assert len(strict.layers[name]) < len(lenient.layers[name])
    assert any("not counted (strict)" in note for note in strict.notes)


# --- tables of labels ---------------------------------------------------------------------------


def read(real, path, item, annotator, label, **options):
    return sa.read_labels(
        real / "data" / path, item=item, annotator=annotator, label=label, **options
    )


def test_mbic(real):
    """Media bias: α .2059 (printed as .21), SPA flat .61812; workers who came twice contradict themselves."""
    ask = ("mbic/mbic_slim.csv", "sentence_id")
    labels = read(real, *ask, "survey_record_id", "label_bias")
    assert f"{sa.alpha(labels).value:.4f}" == "0.2059"
    assert f"{sa.spa(labels, 'flat').value:.5f}" == "0.61812"
    with pytest.raises(sa.InputError, match=r"mbic_slim.csv:\d+: item '\w+', annotator 'A\w+': labelled twice, 'Non-biased' and 'Biased'"):  # fmt: skip
        read(real, *ask, "mturk_id", "label_bias")


@pytest.mark.parametrize(("name", "pi", "spa"), [("rte", "0.241384", "0.628694"), ("wsd", "0.937165", "0.974388")])  # fmt: skip
def test_snow2008(real, name, pi, spa):
    """Ten labels an item: π and SPA as calculated elsewhere."""
    path = f"snow2008/{name}.standardized.tsv"
    labels = read(real, path, "orig_id", "!amt_worker_ids", "response")
    assert (f"{sa.pi(labels).value:.6f}", f"{sa.spa(labels).value:.6f}") == (pi, spa)


PUBLISHED = {  # names in cases.json: coefficient, figure
    "observed_agreement": ("pi", "observed"), "scott_pi": ("pi", "value"),
    "cohen_kappa": ("kappa", "value"), "alpha_nominal": ("alpha", "value"),
    "fleiss_kappa": ("pi", "value"), "P_bar": ("pi", "observed"), "P_e": ("pi", "expected"),
}  # fmt: skip
IRRCAC = {"fleiss": "pi", "conger": "kappa", "gwet": "ac1", "krippendorff": "alpha"}


def test_published_cases(real):
    """Every worked case that names one of our coefficients, to the digits printed."""
    compared = 0
    for case in json.loads((real / "data" / "published_small" / "cases.json").read_text("utf-8")):
        if "records" not in case:
            continue  # unitizing α, another coefficient
        labels = sa.LabelTable.from_rows((i, a, c) for a, i, c in case["records"])
        expected = case["expected"]
        tolerance = 0.01 if "tol 0.01" in case["notes"] else None
        for name, value in expected.items():
            if name in PUBLISHED:
                coefficient, figure = PUBLISHED[name]
                ours = getattr(getattr(sa, coefficient)(labels), figure)
                # Fleiss 1971 works with shares rounded to three digits
                near = tolerance or (3e-4 if "fleiss_1971" in case["name"] else unit(value))
                assert ours == pytest.approx(math.nan if value is None else value, abs=near, nan_ok=True)  # fmt: skip
            elif name in ("item_agreement", "item_agreement_first_6"):
                ours = sa.spa(labels, "flat").items[: len(value)].tolist()
                assert ours == pytest.approx(value, abs=1e-3)
            elif name == "category_kappa":
                ours = {k: of.value for k, of in sa.pi(labels).by_category.items()}
                assert ours == pytest.approx(value, abs=5e-3)
            elif name == "unweighted":
                for theirs, figures in value.items():
                    if theirs in IRRCAC:
                        ours = getattr(sa, IRRCAC[theirs])(labels)
                        assert ours.value == pytest.approx(figures["coefficient"], abs=5.1e-4)
                        if theirs != "krippendorff":  # which it writes in another form
                            assert ours.observed == pytest.approx(figures["pa"], abs=5.1e-4)
                            assert ours.expected == pytest.approx(figures["pe"], abs=5.1e-4)
                        compared += 1
                continue
            else:
                continue
            compared += 1
    assert compared == 38  # 20 of irrCAC, 18 others


def unit(value):
    """Half a unit of the last digit printed, and what floats add to it."""
    digits = len(str(value).partition(".")[2]) if value is not None else 0
    return 0.51 * 10**-digits


FILES = {  # irrCAC's tables: those whose values cases.json gives
    "cac.raw4raters": ("irrcac_raw_4raters", {}),
    "cac.raw5obser": ("irrcac_raw_5observers", {}),
    "cac.ben.gerry": ("irrcac_raw_ben_gerry", {"item": "Units", "annotator": ["Ben", "Gerry"]}),
    "cac.raw.g1g2": ("irrcac_raw_g1g2", {"item": "Units", "annotator": [f"Rater{i}" for i in range(1, 5)]}),
    "cac.raw.gender": ("irrcac_raw_gender", {"annotator": [f"Rater{c}" for c in "ABCD"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_irrcac_tables(real, name):
    """irrCAC's wide tables, read from its files, give the values printed for them."""
    case, columns = FILES[name]
    cases = json.loads((real / "data" / "published_small" / "cases.json").read_text("utf-8"))
    (values,) = [c["expected"]["unweighted"] for c in cases if c["name"] == case]
    labels = sa.read_labels(
        real / "data" / "peer_fixtures" / "irrcac_csv" / f"{name}.csv", wide=True, **columns
    )
    for theirs, ours in IRRCAC.items():
        assert getattr(sa, ours)(labels).value == pytest.approx(values[theirs]["coefficient"], abs=5.1e-4)  # fmt: skip
