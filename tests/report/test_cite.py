"""The methods paragraph: signatures are read strictly, and what is said follows from them."""

from __future__ import annotations

import ast
import io
import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree import __version__
from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons.measures import MEASURES
from spanagree.corpus.flaws import REPAIRS
from spanagree.corpus.tags import SCHEMES
from spanagree.labels.formulas import COEFFICIENTS as COEFFICIENTS_OF_LABELS
from spanagree.labels.sparse_agreement import WEIGHTS
from spanagree.report.citation import CITED, write_citation
from spanagree.report.read_signature import parse_signature
from spanagree.report.sentences import ALLOWED_VALUES
from spanagree.report.sources import REFERENCES
from spanagree.results.text import break_signature
from spanagree.signature import OF_CHANCE, format_signature
from spanagree.signature import SETTINGS as TABLE
from spanagree.version import SPECIFICATION

GOLDEN = Path(__file__).parents[1] / "golden" / "words"
EVALUATION = (
    "match:exact|chance:nonoverlapping|average:micro|offsets:tokens|unit:sentence"
    "|scheme:auto(IOB2)|strict:no|ci:jackknife-t95|test:jackknife|spec:1.0|spanagree:1.0.0"
)
AGREEMENT = (
    "match:token|chance:per-label|team:summed|annotators:5|offsets:tokens|ci:jackknife-t99+exact99"
    "|spec:1.0|spanagree:1.0.0"
)
COEFFICIENTS = (
    "items:tokens|outside:skipped|categories:4|weights:annotations_m1|spec:1.0|spanagree:1.0.0"
)
LEVELS = (
    "match:iou|chance:overlapping|average:micro|of:gold|offsets:tokens|chance_at:0.175"
    "|repair:drop-empty+merge-overlaps|tokens:ignored|spanagree:1.0.0"
)

# --- signatures ---------------------------------------------------------------------------------

WHOLE = st.integers(0, 10**12)
SHARES = st.lists(st.integers(0, 1000).map(lambda n: n / 1000), min_size=1, max_size=4)
CHOICES = {key: st.sampled_from(sorted(of)) for key, of in ALLOWED_VALUES.items()}
SETTINGS = st.fixed_dictionaries(
    {"version": st.sampled_from(["0.1.0", "1.2.3rc1", "0.2.dev3"])},
    optional={
        "spec": st.sampled_from(["1.0", "1.1"]),
        **{key: of for key, of in CHOICES.items() if key != "scheme"},
        **dict.fromkeys(
            ("annotators", "categories", "levels", "resamples", "draws", "seed"),
            WHOLE,
        ),
        **dict.fromkeys(("at", "chance_at", "quantiles"), SHARES),
        **dict.fromkeys(("strict", "complete_only"), st.booleans()),
        "scheme": st.sampled_from(sorted(SCHEMES)),
        "classes": st.just("estimated") | SHARES,
        "ci": st.builds(
            lambda kinds, c: "+".join(f"{kind}{c:g}" for kind in kinds),
            st.sampled_from([["jackknife-t"], ["exact"], ["jackknife-t", "exact"]]),
            st.floats(1, 99),
        ),
        "between": st.just("ann,bob"),
        "missing": st.text("abcAB -_:,", min_size=1),
        "repair": st.lists(st.sampled_from(list(REPAIRS)), min_size=1, unique=True),
        "ignore_tokens": st.just(True),
    },
)


@given(SETTINGS)
def test_settings_come_back(settings):
    """What a signature says is what it was made of (numbers of three digits lose none)."""
    line = format_signature(settings)
    assert parse_signature(line) == settings
    assert format_signature(parse_signature(line)) == line


@given(SETTINGS, st.text(), st.sampled_from(["missing", "between"]))
@example({"version": "1.0.0"}, ", ", "missing")
@example({"version": "1.0.0"}, ",,  x, " * 40, "missing")
@example({"version": "1.0.0"}, "a|b\n:\x1b[31m", "missing")
@example({"version": "1.0.0", "scheme": "IO"}, "auto", "missing")
def test_text_of_users_in_a_signature(settings, text, key):
    """Whatever a label or an annotator is called, the line is one line, and reads back as it is."""
    line = format_signature({**settings, key: text})
    assert line.isprintable()
    assert parse_signature(break_signature(line)) == parse_signature(line), "as pages break it"
    assert format_signature(parse_signature(line)) == line
    assert parse_signature(line).keys() == settings.keys() | {key}


def unescaped(text):
    """What was escaped: every backslash begins an escape of Python, as none stands for itself."""
    return re.sub(
        r"\\(?:x..|u.{4}|U.{8}|[ntr])", lambda each: ast.literal_eval(f'"{each[0]}"'), text
    )


NAMES = st.text() | st.text("a\\x7c5|,=()n\n")


@given(NAMES, NAMES)
@example("a|b", "a\\x7cb")
@example("a\\b", "a\\x5cb")
@example("a\nb", "a\\nb")
def test_names_in_a_signature_are_one_to_one(one, other):
    """From the line each name comes back, so no two look the same, by itself and among others."""
    for settings in ({"gold_first": False, "gold": one}, {"between": [one, other]}):
        line = format_signature({**settings, "version": "1"})
        assert format_signature(parse_signature(line)) == line
        (value,) = (
            text for key, text in parse_signature(line).items() if key in ("gold", "between")
        )
        names = [one] if "gold" in settings else [one, other]
        parts = [value] if "gold" in settings else value.split(",")
        assert [unescaped(part) for part in parts] == names


def test_lines_from_before_backslashes_were_escaped():
    """They are read, and written again, as they stand."""
    line = r"gold:C:\data\x7c\x5c.conll|spanagree:1.0.0"
    assert parse_signature(line)["gold"] == r"C:\data\x7c\x5c.conll"
    assert format_signature(parse_signature(line)) == line
    assert f"Signature: {line}\n" in sa.cite(line)


@given(st.sets(st.sampled_from(["IOB2", "IO", "none", "mixed"])))
def test_schemes_that_were_recognised(schemes):
    """They come back without their layers."""
    line = format_signature({"scheme": "auto", "schemes": dict(enumerate(schemes)), "version": "1"})
    assert set(parse_signature(line)["schemes"]) == schemes
    assert format_signature(parse_signature(line)) == line


@given(st.text() | st.text("match:exc|spanagree0.1,+\x1b\n"))
@example("match:exact|" * 99_999)
@example("annotators:" + "9" * 9_999 + "|spanagree:1.0.0")
def test_any_text(text):
    """Anything is a signature or an error of one printable line that is not too long."""
    words = outcome(text)
    if isinstance(words, str):
        assert words.startswith("signature: ")
        assert words.isprintable()
        assert len(words) < 200
    else:
        assert words["version"]


def outcome(text):
    """The settings, or what is wrong."""
    try:
        return parse_signature(text)
    except sa.InputError as error:
        return str(error)


REFUSED = {
    "": "signature: '' … key:value … |",
    "exact|spanagree:1.0.0": "signature: 'exact' … key:value … |",
    "match:exact": "signature … spanagree:VERSION",
    "color:red|spanagree:1.0.0": "signature: unknown key 'color'",
    "\x1b[31m:red|spanagree:1.0.0": r"signature: unknown key '\x1b[31m'",
    "seed:1|seed:1|spanagree:1.0.0": "signature … seed … twice",
    "seed:01|spanagree:1.0.0": "signature: seed: '01' … copy the line",
    "strict:maybe|spanagree:1.0.0": "signature: strict: 'maybe' … copy the line",
    "at:0.5,|spanagree:1.0.0": "signature: at: '0.5,' … copy the line",
    "missing:\x07|spanagree:1.0.0": r"signature: missing: '\x07' … copy the line",
    "match:EXACT|spanagree:1.0.0": "signature: match: 'EXACT' … copy the line",
    "spanagree:1.0.0}": "signature: spanagree: '1.0.0}' … copy the line",
    "match:fuzzy|spanagree:1.0.0": "signature: unknown match 'fuzzy'; allowed: exact, …",
    "match:overlap-at-7|spanagree:1.0.0": "signature: match 'overlap-at-7' … from 0.0001 to 1 … overlap-at-0.5",
    "ci:magic95|spanagree:1.0.0": "signature: ci: 'magic'; allowed: jackknife-t, exact, jackknife-t+exact",
    "scheme:auto(XYZ)|strict:no|spanagree:1.0.0": "signature: scheme: 'XYZ'; allowed: auto, none,"
    " mixed, IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU",
    "repair:drop-all|spanagree:1.0.0": "signature: repair: 'drop-all'; allowed: join-pieces, drop-repeats, … drop-relations",
}


@pytest.mark.parametrize("line", REFUSED)
def test_refused(line):
    """Each with what is wrong, and where."""
    with refuses(sa.InputError, REFUSED[line]):
        sa.cite(line)


def test_other_refusals():
    """What has no signature, and formats that do not exist."""
    with refuses(
        sa.InputError,
        "int … a result with a signature … evaluate, agree",
    ):
        sa.cite(3)
    with refuses(sa.SettingError, "… unknown format 'html'; allowed: text"):
        sa.cite(EVALUATION, "html")


# --- the paragraph ------------------------------------------------------------------------------


def paragraph(line, form="text"):
    """On one line, without the references."""
    return " ".join(sa.cite(line, form).partition("\n\n")[0].split())


def keys(line):
    return set(re.findall(r"^@\w+\{(\w+),$", sa.cite(line, "bibtex"), re.M))


@pytest.mark.parametrize("name", ["evaluation", "agreement", "coefficients"])
def test_as_it_was_read(name):
    """Three typical texts, each read against the guides before it was frozen."""
    line = {"evaluation": EVALUATION, "agreement": AGREEMENT, "coefficients": COEFFICIENTS}[name]
    assert sa.cite(line) == (GOLDEN / f"cite_{name}.txt").read_text("utf-8")


def test_only_the_references_needed():
    """Each setting brings its own, and none without it."""
    always = {"li2024", "spanagree"}
    of_tests = {"mackinnon2023", "satterthwaite1946", "dunn1961", "tjongkimsang2003"}
    assert keys(EVALUATION) == always | of_tests
    assert keys(AGREEMENT) == always | {"mackinnon2023", "satterthwaite1946", "clopper1934"}
    assert keys(LEVELS) == always
    assert keys("chance:nonoverlapping|spanagree:1.0.0") == always
    assert keys("between:a,b|offsets:tokens|spanagree:1.0.0") == {"spanagree"}
    of_items = {"scott1955", "fleiss1971", "cohen1960", "conger1980", "artstein2005", "gwet2008"}
    of_items |= {"krippendorff2011", "uebersax", "siegel2018", "spanagree"}
    assert keys("items:labels|categories:2|spanagree:1.0.0") == of_items
    assert keys(COEFFICIENTS) == of_items | {"norregaard2022"}
    assert keys("scheme:IOB2|strict:yes|spanagree:1.0.0") == {"spanagree"}
    exact = "average:micro|ci:exact95|spanagree:1.0.0"
    assert keys(exact) == {"clopper1934", "spanagree"}
    units = keys("measure:alpha-u|ci:jackknife-t95|spanagree:1.0.0")
    of_units = {"krippendorff1995", "krippendorff2004", "spanagree"}
    assert units == of_units | {"mackinnon2023", "satterthwaite1946"}
    assert keys(None) == REFERENCES.keys() | {"spanagree"}


SAYS = {
    "match:boundaries": "the measure boundaries (same start and end, any label)",
    "chance:overlapping": "(chance model overlapping: every segment by",
    "average:micro": "precision, recall and F1 are micro-averaged",
    "annotators:3": "Of 3 annotators, each two who share documents were compared",
    "at:0.5,0.825": "at the difficulties 0.5, 0.825 (one at a border is in the harder",
    "chance_at:0.175": "at the chance levels 0.175 (one at a border is in the easier",
    "scheme:auto(IO,IOB2)": "Tags were read in the scheme IO, IOB2.",
    "scheme:auto()": "Tags were read in the scheme that was recognised.",
    "strict:yes": "only segments that are well-formed".capitalize(),
    "strict:no": "leniently, as conlleval does (Tjong Kim Sang & De Meulder, 2003)",
    "cut:expand": "Where a segment cuts a token, it takes in the whole token.",
    "repair:drop-empty": "Annotations were repaired: empty segments dropped.",
    "ci:jackknife-t90": "90 % delete-one jackknife intervals (MacKinnon et al., 2023)",
    "ci:jackknife-t95|over:documents+annotators": "A second interval is over other annotators too",
    "test:chance|null:exact": "This probability is exact.",
}


@pytest.mark.parametrize("line", SAYS)
def test_what_is_said(line):
    """A setting has its sentence, whatever stands beside it."""
    for more in ("", "offsets:tokens|", "team:summed|"):
        assert SAYS[line] in paragraph(f"{line}|{more}spanagree:1.0.0")


@pytest.mark.parametrize("match", MEASURES)
@pytest.mark.parametrize("chance", CHANCES)
@pytest.mark.parametrize(
    ("offsets", "units", "unit"),
    [
        ("tokens", "tokens", "token"),
        ("characters", "characters", "character"),
        ("10ms", "units of 10ms", "unit of 10ms"),
    ],
)
def test_measures_and_chance_are_in_the_unit_of_offsets(match, chance, offsets, units, unit):
    """Of characters and of times, no sentence speaks of tokens.

    Oracle: the meanings in the tables with the unit in place of the token, word by word.
    """
    line = f"match:{match}|chance:{chance}|team:summed|offsets:{offsets}|discontinuous:hull"
    said = paragraph(f"{line}|spanagree:1.0.0")
    words = {"token": unit, "tokens": units}
    for means in (MEASURES[match].means, CHANCES[chance]):
        assert re.sub(r"\btokens?\b", lambda at: words[at[0]], means) in said
    assert f"from their first {unit} to their last" in said
    assert f"the measure {match} (" in said


@pytest.mark.parametrize("offsets", ["tokens", "characters"])
def test_nothing_is_random_without_chance(offsets):
    """No sentence speaks of random segments, whatever was read; beside a model they do."""
    settings = f"unplaced:wrong|average:micro|f-beta:2|offsets:{offsets}|discontinuous:keep"
    said = paragraph(f"match:overlap|chance:none|{settings}|spanagree:1.0.0")
    assert "random" not in said
    assert said.count("hance") == 1  # that it is undefined
    assert f"Offsets count {offsets}." in said
    assert "kept their shape." in said
    beside = paragraph(f"match:exact|chance:overlapping|{settings}|spanagree:1.0.0")
    assert f"Offsets count {offsets}; random segments stay in their document." in beside


def test_each_phrase_of_chance_is_in_a_sentence():
    says = [setting.sentence for setting in TABLE.values()]
    sentences = [x for kind in says for x in ([kind] if isinstance(kind, str) else kind.values())]
    for phrase in OF_CHANCE:
        assert any(phrase in sentence for sentence in sentences), phrase


@pytest.mark.parametrize(
    ("match", "means"),
    [("exact", "equal strings with the same label"), ("boundaries", "equal strings, any label")],
)
def test_strings_match_as_strings(match, means):
    said = paragraph(f"match:{match}|chance:none|strings:yes|average:micro|spanagree:1.0.0")
    assert f"Strings match under the measure {match} ({means}), each at most once." in said
    assert "start" not in said
    other = paragraph("match:token|strings:yes|spanagree:1.0.0")  # no signature of ours
    assert "measure token" in other


@pytest.mark.parametrize("key", TABLE)
def test_each_setting_has_one_sentence(key):
    """It ends as a sentence does, and cites sources that there are."""
    says = TABLE[key].sentence
    for sentence in [says] if isinstance(says, str) else says.values():
        assert sentence.endswith(".")
        cited_here = re.findall(r"\[\[([a-z0-9,]+)\]\]", sentence)
        assert {key for mark in cited_here for key in mark.split(",")} <= {*REFERENCES, "spanagree"}


BASES = (
    "match:exact|chance:nonoverlapping|average:micro|offsets:tokens",
    "match:exact|chance:nonoverlapping|team:summed|annotators:3|offsets:tokens",
    "match:exact|chance:nonoverlapping|average:micro|ci:jackknife-t95|test:bootstrap|resamples:9|seed:0",
    "what:relations|match:exact|chance:nonoverlapping|average:micro",
    "width:0.05|figure:corrected|confidence:95|team:summed|annotators:5",
    "match:exact|team:summed|slices:genre|annotators:3",
    "match:exact|candidate:x|epsilon:0.1|annotators:3",
    "match:exact|chance:nonoverlapping|references:3",
    "items:tokens|outside:kept|categories:4|weights:annotations_m1",
    "match:exact|of:gold|chance:nonoverlapping",
    "measure:gamma|offsets:tokens", "between:a,b",
    "credit:by-share|average:micro", "chance:nonoverlapping", "offsets:tokens",
)  # fmt: skip
VALUES = {
    "number": "0.25", "whole": "7", "yes or no": "yes", "text": "foo", "numbers": "0.25,0.5",
    "match": "token", "counted": "characters", "interval": "jackknife-t90", "scheme": "IOE2",
    "classes": "estimated", "words": "drop-empty", "ignored": "ignored", "word": "foo",
    "samples": "documents+annotators", "version": "1.1",
}  # fmt: skip


@pytest.mark.parametrize("key", [key for key in TABLE if key != "spanagree"])
def test_no_setting_is_left_out(key):
    """With each setting the paragraph of each kind of result is another one than without it.

    Where a key has few values, one of them may be what is meant without it.
    """
    name = TABLE[key].signature_key or key
    values = [*ALLOWED_VALUES.get(key, ())] if TABLE[key].value_type in ("word", "counted") else []
    for base in BASES:
        parts = [part for part in base.split("|") if not part.startswith(f"{name}:")]
        without = paragraph("|".join([*parts, "spanagree:1.0.0"]))
        changed = (
            paragraph("|".join([*parts, f"{name}:{value}", "spanagree:1.0.0"])) != without
            for value in values or [VALUES[TABLE[key].value_type]]
        )
        assert any(changed), base


def test_an_attribute_is_named():
    """Its value has to agree, too; its name is a user's text, in which nothing is a source."""
    says = "Segments match if they agree in the value of the attribute type, too."
    for result in ("average:micro", "team:summed"):
        line = f"attribute:type|match:exact|chance:nonoverlapping|{result}|spanagree:1.0.0"
        assert says in paragraph(line)
        assert "attribute" not in paragraph(line.removeprefix("attribute:type|"))
    assert "the attribute auto, too" in paragraph("attribute:auto|match:exact|spanagree:1.0.0")
    odd = "attribute:[[holm1979]] {{ x }} \\input|match:exact|average:micro|spanagree:1.0.0"
    assert "attribute [ [holm1979]] {{ x }} \\input, too" in paragraph(odd)
    assert "holm1979" not in keys(odd)


def test_nobody_is_compared_who_shares_no_document():
    """An annotator who saw nothing, such as one who cancelled, is one of the team, and not compared.

    Oracle: the pairs with a shared document.
    """
    layers = {"ann": [[(0, 2, "X")]], "bob": [[(0, 2, "X")]], "cem": [None]}
    result = sa.agree(sa.Corpus.from_segments([9], layers))
    assert [*result.pairs] == [("ann", "bob")]
    said = paragraph(result.signature)
    assert "Of 3 annotators, each two who share documents were compared over those" in said
    assert "3 annotators were" not in said


def test_document_agreement():
    """Its own signature is read: α of yes or no for each document, nothing about units."""
    corpus = sa.Corpus.from_segments([9, 9], {"ann": [[(0, 2, "X")], []], "bob": [[], []]})
    said = " ".join(sa.cite(sa.project.document_agreement(corpus)).split())
    assert "The presence of segments, and of each label, in documents was compared" in said
    assert "Krippendorff's α for nominal data (Krippendorff, 2011)" in said
    assert "α_U" not in said


def test_exact_intervals_are_cited_where_there_may_be_some():
    """Of scores they are exact where at most one document decides, of units they are not.

    Oracle: what ``interval.kind`` says.
    """
    gold = [[(0, 1, "X")]] * 40
    corpus = sa.Corpus.from_segments([9] * 40, {"gold": gold, "mine": gold})
    result = sa.evaluate(corpus, ci=sa.Jackknife())
    assert "Clopper & Pearson, 1934" in paragraph(result.signature)
    assert result.systems["mine"].f1.interval.kind == "exact"
    units = sa.alpha_u(corpus, ci=sa.Jackknife())
    assert "Clopper" not in paragraph(units.signature)
    assert units.team.all.interval.kind == "jackknife-t"


@given(SETTINGS)
@example({"version": "1.0.0", "measure": "alpha-u"})
def test_any_settings(settings):
    """All that a signature can say has words: printable, with every reference there is."""
    for form in CITED:
        text = write_citation(settings, form)
        assert all(line.isprintable() for line in text.splitlines())
        assert "[[" not in text
        assert "None" not in text
        if form != "bibtex":
            assert format_signature(settings) in text
    assert f"spanagree {settings['version']}" in " ".join(write_citation(settings).split())


def test_another_version():
    """It is said, with that version."""
    words = paragraph("average:micro|spanagree:0.0.9")
    assert "All figures were computed with spanagree 0.0.9. (This paragraph was worded by" in words
    assert f"by spanagree {__version__}; look up in the documentation of 0.0.9" in words
    assert "worded by" not in paragraph(f"average:micro|spanagree:{__version__}")
    assert "Version 0.0.9" in sa.cite("average:micro|spanagree:0.0.9", "bibtex")


def test_the_year_of_the_package(monkeypatch):
    """The entry has one, as styles of BibTeX warn of an empty one; a text has it once it is known."""
    line = f"average:micro|spanagree:{__version__}"
    undated = "The spanagree authors. spanagree. Version"
    monkeypatch.setattr("spanagree.report.sources.YEAR", "")
    assert "\n  year = {n.d.},\n" in sa.cite(line, "bibtex")
    assert undated in sa.cite(line)
    monkeypatch.setattr("spanagree.report.sources.YEAR", "2031")
    assert "\n  year = {2031},\n" in sa.cite(line, "bibtex")
    assert "The spanagree authors. 2031. spanagree. Version" in sa.cite(line)
    other = "average:micro|spanagree:0.0.9"
    assert "\n  year = {n.d.},\n" in sa.cite(other, "bibtex")
    assert undated in sa.cite(other)


def test_the_specification():
    """Its version comes before that of the package, has a sentence, and is that of the document."""
    page = (Path(__file__).parents[2] / "docs" / "specification.md").read_text("utf-8")
    assert f"version {SPECIFICATION}, each with a number to cite" in page
    line = sa.evaluate(sa.Corpus.from_segments([3], {"gold": [[(0, 1, "A")]], "x": [[]]})).signature
    assert line.endswith(f"|spec:{SPECIFICATION}|spanagree:{__version__}")
    assert parse_signature(line)["spec"] == SPECIFICATION
    assert "Rules are those of the specification of spanagree, version 1.1." in paragraph(
        "average:micro|spec:1.1|spanagree:1.0.0"
    )
    assert "specification" not in paragraph("average:micro|spanagree:1.0.0"), "as before it had one"


@pytest.mark.long
def test_results(newsroom):
    """Every kind of result has a paragraph from its own signature."""
    names = [newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")]
    corpus = sa.read_conll(names)
    result = sa.evaluate(corpus, ci=sa.Jackknife())
    hard = sa.difficulty(corpus, "gold.conll")
    table = sa.token_labels(corpus)
    results = [
        result,
        sa.evaluate_levels(result, hard),
        hard,
        sa.compare_systems(result, resamples=20),
        sa.compare_systems(result, resamples=20, test="permutation"),
        sa.chance_test(corpus, result, draws=5),
        sa.agree(corpus),
        sa.coefficients(table),
        sa.spa(table),
        sa.kappa(table),
        sa.disagreements(corpus, "gold.conll", "tagger.conll"),
        sa.confusion(corpus, "gold.conll", "tagger.conll"),
        sa.make_gold(corpus),
        sa.plan_sample(corpus, 0.1),
        sa.slices.score_slices(sa.agree(corpus), "length"),
        sa.evaluate_references(corpus, systems=["tagger.conll"]),
        sa.alt_test(corpus, "tagger.conll", 0.1),
        sa.evaluate_references(corpus, systems=["tagger.conll"], ci=True),
    ]
    for one in results:
        assert sa.cite(one) == sa.cite(one.signature)


def test_users_text_is_not_in_bibtex_nor_in_the_paragraph():
    """What annotators are called stands in the signature alone, escaped."""
    hostile = "\x1b[31m}\\input{x}|$"
    corpus = sa.Corpus.from_segments([3], {hostile: [[(0, 1, "X")]], "b": [[]]})
    result = sa.disagreements(corpus, hostile, "b")
    assert "input" not in sa.cite(result, "bibtex")
    for form in ("text", "latex"):
        lines = sa.cite(result, form).splitlines()
        assert all(line.isprintable() for line in lines)
        (line,) = [line for line in lines if "input" in line]
        assert line.lower().startswith(("signature: ", "% signature: "))


def test_latex():
    """Citations by key, and nothing that LaTeX would take for something else."""
    text = sa.cite(AGREEMENT, "latex")
    first, _, body = text.partition("\n")
    assert first == f"% signature: {AGREEMENT}"
    assert r"~\citep{li2024}" in body
    assert r"99 \% delete-one jackknife intervals~\citep{mackinnon2023}" in " ".join(body.split())
    words = paragraph(COEFFICIENTS, "latex")
    assert r"$\pi$~\citep{scott1955,fleiss1971}, $\kappa$~\citep{cohen1960,conger1980}" in words
    assert r"annotations\_m1" in words


def test_every_cited_source_is_there():
    """What measures, coefficients and settings cite has an entry; one without it was left out."""
    cited = [measure.cites for measure in MEASURES.values()]
    for definition in COEFFICIENTS_OF_LABELS.values():
        cited += [definition.cites, definition.weighted_cites]
    for setting in TABLE.values():
        sentences = setting.sentence
        for sentence in [sentences] if isinstance(sentences, str) else sentences.values():
            cited += re.findall(r"\[\[([^]]+)\]\]", sentence)
    keys_of_all = {key for keys_of_one in cited for key in keys_of_one.split(",") if key}
    assert keys_of_all
    assert keys_of_all <= {*REFERENCES, "spanagree"}


@pytest.mark.parametrize("key", REFERENCES)
def test_references(key):
    """Entries are ASCII with braces that match; the text has what the entry has."""
    source = REFERENCES[key]
    entry = source.bibtex
    assert entry.isascii()
    assert entry.count("{") == entry.count("}")
    assert entry.startswith(f"@{source.entry_type}{{{key},\n  author = {{")
    text = source.text
    assert "{" not in text
    assert source.year in text
    assert all(family in text for _, family in source.authors)


def test_short_references():
    """One author, two, more; without a year."""
    shorts = [
        REFERENCES[k].short_citation for k in ("holm1979", "artstein2005", "li2024", "uebersax")
    ]
    assert shorts == ["Holm, 1979", "Artstein & Poesio, 2005", "Li et al., 2024", "Uebersax"]


def test_every_choice_is_known():
    """The tables of choices and the words for them are the same."""
    for match in MEASURES:
        for chance in CHANCES:
            paragraph(f"match:{match}|chance:{chance}|average:micro|spanagree:1.0.0")
    for weights in WEIGHTS:
        words = paragraph(f"categories:2|weights:{weights}|spanagree:1.0.0")
        assert f"has the weights {weights}: {WEIGHTS[weights]}" in words


# --- the command line ---------------------------------------------------------------------------


def test_from_a_signature(run, tmp_path):
    """As it stands below the table, with or without the word before it."""
    for line in (EVALUATION, f"signature: {EVALUATION}"):
        assert run("cite", line) == (0, sa.cite(EVALUATION), "")
    assert run("cite") == (0, sa.cite(), "")
    out = tmp_path / "spanagree.bib"
    assert run("cite", "--format", "bibtex", "-o", out) == (0, "", "")
    assert out.read_text("utf-8") == sa.cite(format="bibtex")


def test_from_a_report(run, newsroom, tmp_path, monkeypatch):
    """Of a report with a test the settings of both count."""
    files = [newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")]
    report = tmp_path / "a:b|c.json"
    made = ["evaluate", *files, "--ci", "--format", "json", "-o", report]
    assert run(*made, "--test", "chance", "--match", "iou", "--resamples", "7")[0] == 0
    code, out, _ = run("cite", report)
    words = " ".join(out.split())
    assert code == 0
    assert "95 % delete-one jackknife intervals" in words
    assert "Each system was tested against chance" in words
    assert "7 random annotations were drawn. The seed of what was drawn is 0." in words
    raw = io.TextIOWrapper(io.BytesIO(report.read_bytes()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", raw)
    assert run("cite", "-") == (0, out, "")


NO_REPORT = {
    "": "not valid JSON; a report is needed, as spanagree evaluate … --format json writes one",
    "{": "not valid JSON; a report is needed, as spanagree evaluate … --format json writes one",
    "["
    * 100_000: "not valid JSON; a report is needed, as spanagree evaluate … --format json writes one",
    "[1]": "no signature in it; a report is needed, as spanagree evaluate … --format json writes one",
    "{}": "no signature in it; a report is needed, as spanagree evaluate … --format json writes one",
    '{"signature": {"match": "exact"}}': "no signature in it; a report is needed, as spanagree evaluate … --format json writes one",
    '{"signature": "match:exact|\\u001b:1"}': r"signature: unknown key '\x1b'; a line that stands"
    " below a table is needed",
    json.dumps({"signature": EVALUATION, "test": {"signature": 3}}): "no signature in it; a report"
    " is needed, as spanagree evaluate … --format json writes one",
}


@pytest.mark.parametrize("text", NO_REPORT, ids=range(len(NO_REPORT)))
def test_no_report(run, tmp_path, text):
    """Files of anything else are named."""
    path = tmp_path / "report.json"
    path.write_text(text, "utf-8")
    assert run("cite", path) == (1, "", f"spanagree: error: {path}: {NO_REPORT[text]}\n")


def test_misused(run, tmp_path):
    """No file, a folder, a binary file, an output that is the input."""
    assert run("cite", "report.json") == (1, "", "spanagree: error: report.json: no such file\n")
    assert "is a folder" in run("cite", tmp_path)[2]
    assert "unknown key 'C'" in run("cite", "C:\\report.json")[2]
    path = tmp_path / "report.json"
    path.write_bytes(b"\xff\xfa")
    assert f"{path}:1: byte 0xff is not utf-8" in run("cite", path)[2]
    assert run("cite", path, "-o", path)[0] == 2  # no paragraph is JSON
    assert path.read_bytes() == b"\xff\xfa"
    path = path.rename(tmp_path / "report")
    code, _, err = run("cite", path, "-o", path)
    assert (code, err) == (
        1,
        f"spanagree: error: {path}: is an input too, which -o would overwrite; name another file\n",
    )
    assert path.read_bytes() == b"\xff\xfa"
