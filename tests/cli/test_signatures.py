"""The signature holds all that changes numbers: two commands that differ in one option have two.

Every option of every command is in ``CASES``, or the test of their list fails. A case says which
commands differ in that option alone and give other figures; or what the signature then says, where
the same command without the option is an error; or why the option changes no figure.
"""

from __future__ import annotations

import json
import random
import re
from typing import NamedTuple
from uuid import uuid4

import click
import pytest

import spanagree as sa
from spanagree.cli.main import main
from spanagree.report.citation import write_citation
from spanagree.report.read_signature import parse_signature
from spanagree.signature import format_signature

ABOUT = ("signature", "settings", "notes", "caveats")  # of a report, what is not a figure


class Pair(NamedTuple):
    """A command's line, and what is added to it: both run, and their figures differ."""

    line: str
    more: str


class Needed(NamedTuple):
    """A line that is an error without what is added, and what the signature then says."""

    line: str
    more: str
    entry: str


class Same(NamedTuple):
    """Why an option changes no figure."""

    reason: str


SHOWN = Same("it says how the result is shown, or where it goes")
TWO = "gold.conll mine.conll"
OF_IDS = "--tokens tokens --tags gold=tags,mine=other"
LONG = "long.jsonl --from dataset --spans spans --text text --document id --annotator who"
TALK = "talk-a.csv talk-b.csv"
COPIES = "--text text --spans gold=gold,mine=mine"

STRINGS = {"--strings": Needed("strings.jsonl", "--strings", "strings:yes")}

READING = {
    "--from": Pair("both.jsonl", "--from dataset"),
    "--unit": Pair(TWO, "--unit document"),
    "--group-by": Needed("posts.jsonl --unit document", "--group-by (.*)-", "joined:pattern (.*)-"),
    "--labels": Pair("trio.jsonl", "--labels A"),
    "--map-labels": Pair("trio.jsonl", "--map-labels A=B"),
    "--sentences-from": Pair("breaks-a.conll breaks-b.conll --unit document", "--sentences-from breaks-b.conll"),
    "--scheme": Pair(f"{TWO} --strict --scheme IOB2", "--scheme IOB1"),
    "--strict": Pair(f"{TWO} --scheme IOB2", "--strict"),
    "--columns": Pair("three.conll --columns gold=1,mine=2", "--columns gold=1,mine=3"),
    "--encoding": Pair("coded-a.conll coded-b.conll", "--encoding utf-7"),
    "--ignore-tokens": Needed("gold.conll other.conll", "--ignore-tokens", "tokens:ignored"),
    "--missing": Pair(TWO, "--missing B-ALL"),
    "--outside": Pair(TWO, "--outside B-ALL"),
    "--partial": Needed(
        "gold.conll part.conll --missing ?", "--partial drop-tokens", "partial:drop-tokens"
    ),
    "--discontinuous": Pair("brat", "--discontinuous split"),
    "--absent": Pair("blank", "--absent unseen"),
    "--ends": Needed(
        f"ends.json {COPIES}", "--ends inclusive", "read:text=text,spans=(gold=gold,mine=mine),ends=inclusive"
    ),
    **dict.fromkeys(
        ("--start", "--end", "--label"), Same("a path to what is in a span; test_tools.py tries them")
    ),
    "--join": Needed("under-a.jsonl under-b.jsonl", "--join text", "read:text=text,spans=spans,document=id,join=text"),
    "--quote": Same("the text of spans is checked, and decides nothing that is counted"),
    "--repair": Needed("flawed.jsonl", "--repair drop-empty", "repair:drop-empty"),
    "--unplaced": Pair(f"quotes.jsonl {COPIES}", "--unplaced ignore"),
    "--repeats": Same("it refuses segments that are read once otherwise"),
    "--spans": Pair("ann.spacy bob.spacy", "--spans sc"),
    "--tokens": Pair("rows.json --spans gold=spans,mine=more --tokens tokens", "--tokens longer"),
    "--text": Pair("texts.json --spans gold=spans,mine=more --text text", "--text longer"),
    "--tags": Pair("rows.json --tokens tokens --tags gold=tags,mine=other", "--tags gold=tags,mine=third"),
    "--label-names": Pair(f"ids.json {OF_IDS} --label-names O,B-A,I-A", "--label-names O,B-A,B-A"),
    "--annotator": Pair(LONG, "--annotator coder"),
    "--document": Pair(LONG, "--document number"),
    "--split": Pair("saved --text text --spans gold=spans,mine=more --split train", "--split test"),
    "--align": Needed(f"copies.jsonl {COPIES}", "--align", "read:text=text,spans=(gold=gold,mine=mine),align=yes"),
    "--annotator-from": Pair("sessions.jsonl", "--annotator-from session"),
    "--predictions": Pair("tasks.json", "--predictions"),
    "--ground-truth": Pair("tasks.json", "--ground-truth"),
    "--layer": Needed("cas", "--layer A", "read:layer=x.A"),
    "--feature": Needed("cas --layer B", "--feature w", "read:layer=x.B,feature=w"),
    "--in-progress": Pair("cas --layer A", "--in-progress saw"),
    "--tier": Pair(TALK, "--tier A"),
    "--label-from": Pair(TALK, "--label-from text"),
    "--resolution": Pair(TALK, "--resolution 500ms"),
    "--duration": Pair(TALK, "--duration 60"),
    "--uem": Pair(TALK, "--uem heard.uem"),
    "--time-unit": Needed("ticks-a.csv ticks-b.csv", "--time-unit ms", "read:time_unit=ms"),
}  # fmt: skip
"""By option of reading: what stands behind a command that takes it."""

PIECES = {"--discontinuous": Needed("brat", "--discontinuous drop", "discontinuous:drop")}
"""Where segments of one piece are needed."""


def pairs(line, **more):
    """Cases with the same line, by the option without its dashes."""
    return {f"--{name.replace('_', '-')}": Pair(line, text) for name, text in more.items()}


NINE = "--ci"
CERTAINTY = {
    **pairs("", ci=NINE),
    **pairs("--ci", confidence="--confidence 80"),
}
CLUSTER_BY = pairs(NINE, cluster_by="--cluster-by document")
WORKERS = {"--workers": Same("parts have the figures of the whole, as tests of them hold")}
LEVELS = {
    **pairs("", levels="--levels 3", at="--at 0.7", chance_at="--chance-at 0.6"),
    **pairs("--quantiles 0.25", quantiles="--quantiles 0.5000001"),
}
FILES = dict.fromkeys(("--format", "--output", "--quiet", "--verbose"), SHOWN)
ROWS = {**FILES, **dict.fromkeys(("--plot", "--safe-cells", "--bom", "--all"), SHOWN)}
OUTPUT = {**ROWS, **dict.fromkeys(("--explain", "--digits", "--percent", "--style"), SHOWN)}
CHANCE = pairs("", chance="--chance overlapping")
MATCH = {
    **pairs("trio.jsonl", match="--match token"),
    **pairs("trio.jsonl --match overlap", overlap_at="--overlap-at 0.9"),
    **pairs("trio.jsonl --match token", chance="--chance overlapping"),
}
SEED = pairs("full.jsonl --match overlap", seed="--seed 1")
LINKS = {"pairs": "all", "undirected": "knows", "untyped": ""}
WHAT = {
    **pairs("linked.jsonl", what="--what relations", attribute="--attribute sure"),
    **pairs("linked.jsonl --what relations", **{x: f"--{x} {y}" for x, y in LINKS.items()}),
    **pairs("trio.jsonl", tolerance="--tolerance 1"),
    **pairs("scored.jsonl", min_score="--min-score 0.5"),
}
PLACES = pairs(TWO, places="--places capitals")
CHANCE_OF = pairs(TWO, chance_of="--chance-of systems")

TABLE = "labels.csv"
NUMBERS = {"ann": 1, "bob": 3, "cem": 6, "dia": 7}
REPLACE = "forty.jsonl --candidate cem --epsilon 0.1"
OF_LABELS = ("--item", "--annotator", "--label", "--wide", "--counts", "--categories", "--duplicates", "--separator")  # fmt: skip


def behind(line, cases):
    """The same cases with something before each line."""
    return {
        name: case if isinstance(case, Same) else case._replace(line=f"{line} {case.line}")
        for name, case in cases.items()
    }


OF_TABLES = ("--encoding", "--missing", "--tokens", "--annotator")  # have a case with a table
BY = {"--by": Same("it breaks the same figures down")}
WORKLIST = {
    "--worklist": Same("it writes a file of who reads what next beside the result, or in its place"),
    **pairs("trio.jsonl --worklist work.csv --assignees zoe,yan", readers="--readers 4"),
    **pairs("trio.jsonl --worklist work.csv --readers 4 --assignees zoe", limit="--limit 1"),
    **pairs("trio.jsonl --worklist work.csv --readers 4", assignees="--assignees zoe"),
}  # fmt: skip

CASES = {
    "evaluate": {
        **behind(TWO, {**CERTAINTY, **WORKERS, **CLUSTER_BY}),
        **behind(f"{TWO} --by difficulty", LEVELS),
        **MATCH,
        **pairs("trio.jsonl", gold="--gold bob", test="--test permutation"),
        **pairs(TWO, seen="--seen gold.conll", beta="--beta 2"),
        **pairs("scored.jsonl", sweep="--sweep score"),
        **pairs("trio.jsonl", runs="--runs ours=bob,cem"),
        **pairs("trio.jsonl --test bootstrap", resamples="--resamples 19", seed="--seed 1"),
        **pairs(TWO, by="--by difficulty"),
        **pairs("trio.jsonl", baseline="--baseline nothing"),
        **pairs("trio.jsonl", references="--references ann,bob", systems="--systems cem"),
        **WHAT,
        **PLACES,
        **CHANCE_OF,
        **READING,
        **STRINGS,
        **OUTPUT,
    },
    "alt-test": {
        **pairs(REPLACE, match="--match token"),
        **pairs(f"{REPLACE} --match iou", chance="--chance overlapping"),
        "--epsilon": Pair(REPLACE, "--epsilon 0.4"),
        "--candidate": Pair(REPLACE, "--candidate bob"),
        **pairs(REPLACE, annotators="--annotators ann,bob"),
        "--seed": Same("an error of chance that small turns no win; Python's signature has it"),
        "--score": Same("it is of tables of labels; the signature of Python's is tested with it"),
        "--overlap-at": Pair(f"{REPLACE} --match overlap", "--overlap-at 0.9"),
        **BY,
        "--table": Same("it says that FILE is a table, and the items that scores are of labels"),
        **dict.fromkeys({**READING, **STRINGS}, Same("the readers are those of evaluate")),
        **dict.fromkeys(OF_LABELS, Same("the reader is that of coefficients")),
        **OUTPUT,
    },
    "agree": {
        **dict.fromkeys(("--fail-under", "--sort"), SHOWN),
        **pairs("trio.jsonl --ci", over="--over annotators"),
        **pairs(f"{TWO} --by ([0-9])$", resamples="--resamples 19"),
        **pairs(TWO, seen="--seen gold.conll"),
        **SEED,
        **behind(TWO, {**CERTAINTY, **WORKERS, **CLUSTER_BY}),
        **MATCH,
        **BY,
        **pairs("trio.jsonl", annotators="--annotators bob,cem", measure="--measure alpha-u"),
        **pairs("trio.jsonl --measure alpha-u", continuum="--continuum joined"),
        **pairs("trio.jsonl --by pair", test="--test chance"),
        **WHAT,
        **PLACES,
        **pairs("trio.jsonl", without="--without cem"),
        "--min-shared": Same("it marks pairs that share few documents, and counts the marks"),
        **READING,
        **STRINGS,
        **OUTPUT,
    },
    "difficulty": {
        **MATCH,
        **SEED,
        **PLACES,
        **pairs("trio.jsonl", gold="--gold bob", annotators="--annotators bob,cem"),
        **WORKERS,
        **READING,
        **OUTPUT,
    },
    "coefficients": {
        **behind(TABLE, CERTAINTY),
        **WORKERS,
        **BY,
        **pairs(TABLE, item="--item sent", annotator="--annotator who", label="--label answer"),
        **pairs(TABLE, missing="--missing NA", categories="--categories NA,X,Y,Z"),
        **pairs(TABLE, weights="--weights flat", complete_only="--complete-only"),
        **pairs("numbers.csv", wide="--wide", counts="--counts"),
        **pairs("grades.csv", measurement="--measurement ordinal"),
        "--category-weights": Pair("grades.csv", "--category-weights linear"),
        "--separator": Pair("sets.csv", "--separator +"),
        **pairs("coded.csv", encoding="--encoding utf-7"),
        "--duplicates": Needed("twice.csv", "--duplicates first", "duplicates:first"),
        "--tokens": Same("it says that FILE is a corpus, of which items says what an item is"),
        "--attribute": Pair("linked.jsonl --attribute sure", "--attribute seen"),
        **pairs("trio.jsonl --tokens", skip_outside="--skip-outside"),
        **pairs("trio.jsonl --tokens", annotators="--annotators bob,cem"),
        **behind("--tokens", {name: READING[name] for name in READING if name not in (*OF_TABLES, "--unplaced")}),
        **behind("--tokens", PIECES),
        "--sentences-from": Same("it moves borders of segments, not the labels of tokens"),
        **dict.fromkeys(
            ("--tags", "--label-names"),
            Same("it goes with a column of tokens, which this command does not take"),
        ),
        **pairs(f"{TWO} --tokens --ci", unit="--unit document"),
        **behind(f"{TWO} --tokens", CLUSTER_BY),
        **OUTPUT,
    },
    "disagreements": {
        **pairs("trio.jsonl --between ann bob", between="--between ann cem"),
        **pairs(TWO, kind="--kind label"),
        **pairs("trio.jsonl --match boundaries", sort="--sort segments"),
        **pairs("trio.jsonl --by label", rest="--rest ann"),
        **MATCH,
        **SEED,
        **BY,
        "--no-text": SHOWN,
        **WORKLIST,
        "--what": Pair("linked.jsonl", "--what relations"),
        "--undirected": Pair("linked.jsonl --what relations", "--undirected knows"),
        **READING,
        "--unplaced": Pair(f"quotes.jsonl {COPIES},more=more", "--unplaced ignore"),
        "--duration": Same("where two differ does not depend on how long a recording is"),
        **pairs("trio.jsonl --between ann bob", labels="--labels A", map_labels="--map-labels A=B"),
        **pairs(f"--between ann bob {LONG}", annotator="--annotator coder"),
        "--layer": Needed("--between ann bob cas", "--layer A", "read:layer=x.A"),
        "--feature": Needed("--between ann bob cas --layer B", "--feature w", "read:layer=x.B,feature=w"),
        "--in-progress": Needed("--between ann cem cas --layer A", "--in-progress saw", "read:layer=x.A,in_progress=saw"),
        "--predictions": Needed("--between 1 m1 tasks.json", "--predictions", "read:predictions=yes"),
        "--group-by": Needed("posts.jsonl --between ann bob --unit document", "--group-by (.*)-", "joined:pattern (.*)-"),
        "--ground-truth": Needed(
            "--between 1 ground_truth tasks.json", "--ground-truth", "read:ground_truth=yes"
        ),
        **ROWS,
    },
    "plan": {
        **behind("--width 0.1", MATCH),
        **pairs("trio.jsonl --width 0.1", figure="--figure observed", annotators="--annotators bob,cem"),
        **pairs("trio.jsonl --width 0.1", confidence="--confidence 80"),
        **pairs("fuller.jsonl --width 0.1 --match overlap", seed="--seed 1"),
        **pairs("trio.jsonl --width 0.1", width="--width 0.2"),
        **dict.fromkeys(READING, Same("the plan is for what is read as in agree")),
        **{name: case for name, case in OUTPUT.items() if name != "--plot"},
    },
    "gold": {
        **pairs("trio.jsonl", vote="--vote segments", share="--share 0.3", weighted="--weighted"),
        **pairs("trio.jsonl", min_annotators="--min-annotators 4", annotators="--annotators bob,cem"),
        "--name": SHOWN,
        **BY,
        **WORKLIST,
        **dict.fromkeys(("--to", "--keep-annotators"), SHOWN),
        **dict.fromkeys(READING.keys() - {"--unplaced"}, Same("the votes are on what is read as in agree")),
        **OUTPUT,
    },
    "check": {
        **{name: case for name, case in READING.items() if name not in ("--group-by", "--unplaced")},
        **STRINGS,
        **FILES,
        "--fail-on": SHOWN,
    },
    "split": {
        **behind(TWO, LEVELS),
        **MATCH,
        **SEED,
        **pairs("trio.jsonl", gold="--gold bob", annotators="--annotators bob,cem"),
        **dict.fromkeys(("--output", "--to", "--force", "--quiet", "--verbose"), SHOWN),
        **READING,
    },
    "report": {
        **MATCH,
        **pairs("trio.jsonl", gold="--gold bob", team="--team"),
        **pairs("trio.jsonl", references="--references ann,bob", systems="--systems cem"),
        **pairs("trio.jsonl", baseline="--baseline nothing"),
        **pairs(f"{TWO} --team", measures="--measures"),
        **pairs(TWO, beta="--beta 2"),
        **pairs("trio.jsonl --team", by="--by length"),
        **READING,
        **dict.fromkeys(("--output", "--quiet", "--verbose"), SHOWN),
    },
    "chance": {
        **pairs("--length 9 --segments 2,3", length="--length 8", segments="--segments 2,2"),
        **behind("--length 9 --segments 2,3", CHANCE),
        **OUTPUT,
    },
    "convert": None,
    "cite": None,
    "completion": None,
}  # fmt: skip
"""By command and option; None for a command that gives no figure."""


def commands():
    """All commands with the names of their options, as they are written."""
    from spanagree.cli import main as module

    (group,) = (each for each in vars(module).values() if isinstance(each, click.Group))
    context = click.Context(group)
    for name in group.list_commands(context):
        options = (
            p for p in group.get_command(context, name).params if isinstance(p, click.Option)
        )
        yield name, {next(x for x in option.opts if x.startswith("--")) for option in options}


def test_every_option_has_a_case():
    """An option that is new needs a case; one that is gone has none."""
    for name, options in commands():
        assert name in CASES
        assert CASES[name] is None or options == CASES[name].keys(), name


def cases(kind):
    return [
        pytest.param(command, option, case, id=f"{command} {option}")
        for command, options in CASES.items()
        for option, case in (options or {}).items()
        if isinstance(case, kind)
    ]


# --- the files ----------------------------------------------------------------------------------

GOLD = """-DOCSTART- O

Ann B-PER
met O
Bob I-PER
in O
York B-LOC

-DOCSTART- O

New B-LOC
York I-LOC
Ann B-PER
Lee B-PER

all O
of O
it B-LOC

York B-ALL

now B-PER
then O
"""
MINE = """-DOCSTART- O

Ann B-PER
met I-PER
Bob B-PER
in O
York I-LOC

-DOCSTART- O

New B-LOC
York B-LOC
Ann O
Lee B-PER

all O
of B-LOC
it O

York B-ALL

now B-LOC
then O
"""


def spans(*rows):
    return [dict(zip(("start", "end", "label"), row, strict=True)) for row in rows]


def task(start, *truths):
    """A task of Label Studio, with the annotations of two people and a prediction."""
    value = {"start": start, "end": start + 2, "labels": ["X"]}
    marked = {"result": [{"type": "labels", "to_name": "text", "value": value}]}
    passes = [
        {"completed_by": who, "ground_truth": bool(truth), **(marked if who else {"result": []})}
        for who, truth in enumerate(truths)
    ]
    return {"data": {"text": "No way"}, "annotations": passes, "predictions": [{"model_version": "m1", **marked}]}  # fmt: skip


def answer(number, annotator, session, span):
    """A row of Prodigy."""
    return {"text": "No way", "_input_hash": number, "_task_hash": 1, "_annotator_id": annotator, "_session_id": session, "answer": "accept", "spans": spans((*span, "X"))}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small files of every kind, on which options matter."""
    folder = tmp_path_factory.mktemp("signatures")
    files = {
        "gold.conll": GOLD,
        "mine.conll": MINE,
        "other.conll": MINE.replace("Lee", "Li"),
        "part.conll": MINE.replace("Lee B-PER", "Lee ?"),
        "bad.conll": "a B-X O\n\nb Q O\n\nc B-X B-X\n",
        "three.conll": "a B-X B-X B-X\nb I-X O I-X\n\nc B-Y B-Y B-X\nd O O B-Y\n",
        "coded-a.conll": "a B-X\nb O\n\nc B-Y\nd B-X\n",
        "coded-b.conll": "a B-+AFg-\nb O\n\nc B-Y\nd B-+AFg-\n",
        "breaks-a.conll": "a B-X\n\nb I-X\nc O\n",
        "breaks-b.conll": "a B-X\nb I-X\n\nc O\n",
        "labels.csv": "item,annotator,label,sent,who,answer\n"
        "1,a,X,1,a,Y\n1,b,X,1,c,X\n2,a,X,1,b,Y\n2,b,Y,2,a,Y\n3,a,Y,2,b,Y\n3,b,NA,3,a,X\n"
        "4,a,Y,3,b,Y\n4,b,Y,4,a,X\n5,a,X,4,c,X\n6,a,X,5,b,X\n6,b,Y,5,a,X\n6,c,X,6,c,Y\n",
        "twice.csv": "item,annotator,label\n1,a,X\n1,a,Y\n1,b,X\n2,a,X\n2,b,Y\n",
        "coded.csv": "item,annotator,label\n1,a,X\n1,b,+AFg-\n2,a,X\n2,b,Y\n",
        "grades.csv": "item,annotator,label\n1,a,1\n1,b,2\n2,a,3\n2,b,3\n3,a,1\n3,b,4\n",
        "sets.csv": "item,annotator,label\n1,a,x+y\n1,b,y+x\n2,a,x\n2,b,y\n3,a,y\n3,b,y\n",
        "numbers.csv": "item,annotator,label\n1,1,2\n2,1,1\n3,2,1\n",
    }
    both = {"spanagree": 1, "id": "1", "offsets": "tokens", "tokens": list("abcdef")}
    own = {"gold": spans((0, 2, "X")), "mine": spans((0, 1, "X"), (3, 4, "Y"))}
    foreign = {"spans:gold": spans((0, 2, "X")), "spans:mine": spans((0, 2, "X"), (4, 6, "Y"))}
    files["both.jsonl"] = json.dumps({**both, "annotators": own, **foreign})
    flawed = {**own, "mine": [*own["mine"][:1], *spans((2, 2, "X"))]}
    files["flawed.jsonl"] = json.dumps({**both, "annotators": flawed})
    files["tasks.json"] = json.dumps([task(0, 1, 0), task(1, 0, 1), task(1, 1, 0)])
    rows = [("ann", "x", (0, 2)), ("bob", "y", (0, 2)), ("ann", "y", (3, 4)), ("bob", "x", (0, 2))]
    sessions = [answer(i // 2, *row) for i, row in enumerate(rows)]
    copy = {"text": "Jo sings", "gold": [[0, 2, "A"]], "mine": "<A>Jo</A> sang"}
    files["copies.jsonl"] = json.dumps(copy)
    quoted = {"text": "Jo saw Al.", "gold": [[0, 2, "A"], [7, 9, "A"]], "mine": {"A": ["Jo", "Bo"]}}
    quoted["more"] = {"A": ["Al"]}
    files["quotes.jsonl"] = json.dumps(quoted)
    files["strings.jsonl"] = json.dumps(dict.fromkeys(("gold", "mine"), quoted["mine"]))
    files["sessions.jsonl"] = "\n".join(map(json.dumps, sessions))
    talk = "recording,onset,offset,tier,label\nr,0.5,1.5,A,x\nr,2,{},B,{}\nr,4,{},A,y\n"
    files["talk-a.csv"], files["talk-b.csv"] = talk.format(3, "x", 5.25), talk.format(3, "y", 5.2)
    one, two = ({"text": text, "spans": [[0, 2, "X"]]} for text in ("Jo ran", "Al sat"))
    for name, rows_of in {"under-a": (one, two), "under-b": (two, one)}.items():  # by other ids
        numbered = ({"id": number, **row} for number, row in enumerate(rows_of))
        files[f"{name}.jsonl"] = "".join(f"{json.dumps(row)}\n" for row in numbered)
    files |= dict.fromkeys(("ticks-a.csv", "ticks-b.csv"), "onset,offset,label\n5,15,x\n20,30,y\n")
    files["heard.uem"] = "r 1 0 3.5\n"
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    trio = {
        "ann": [[(0, 2, "A"), (4, 5, "B")], [(1, 3, "C")], [(0, 1, "A")]],
        "bob": [[(0, 2, "B")], [(1, 2, "C"), (5, 7, "A")], [(0, 1, "A"), (2, 4, "B")]],
        "cem": [[(1, 2, "A"), (4, 5, "B")], [(2, 3, "B")], []],
    }
    some = ([], [(0, 2, "A")], [(0, 3, "A")], [(1, 3, "B"), (4, 5, "A")], [(4, 6, "A")])
    drawn = {n: random.Random(k) for n, k in NUMBERS.items()}
    forty = {n: [rng.choice(some) for _ in range(40)] for n, rng in drawn.items()}
    sa.write_jsonl(sa.Corpus.from_segments([7] * 40, forty), folder / "forty.jsonl")
    full = {
        n: [[(13 * i + at, 14 * i + at + 1, "X") for i in range(6)]] for at, n in enumerate(drawn)
    }
    sa.write_jsonl(sa.Corpus.from_segments([80], full), folder / "full.jsonl")
    halves = {who: [*rows, rows[0][::2], rows[0][1::2]] for who, rows in full.items()}
    sa.write_jsonl(sa.Corpus.from_segments([80, 80, 80], halves), folder / "fuller.jsonl")
    sa.write_jsonl(sa.Corpus.from_segments([9, 8, 5], trio), folder / "trio.jsonl")
    marked = {
        "ann": [[(0, 1, "P", {"sure": "yes"}), (2, 3, "P"), (4, 5, "Q")]],
        "bob": [[(0, 1, "P", {"seen": "no"}), (2, 3, "P", {"sure": "yes"}), (5, 6, "Q")]],
    }
    links = {"ann": [[(0, 1, "knows"), (1, 2, "owns")]], "bob": [[(1, 0, "knows"), (0, 1, "owns")]]}
    linked = {who: rows * 2 for who, rows in marked.items()}
    both_links = {who: rows * 2 for who, rows in links.items()}
    linked = sa.Corpus.from_segments([9, 9], linked, relations=both_links)
    sa.write_jsonl(linked, folder / "linked.jsonl")
    low, high = {"score": "0.2"}, {"score": "0.7"}
    scored = {"ann": [[(0, 2, "A")]], "bob": [[(0, 2, "A", high), (3, 4, "A", low)]]}
    sa.write_jsonl(sa.Corpus.from_segments([9], scored), folder / "scored.jsonl")
    posts = sa.Corpus.from_segments([9, 8, 5], trio, ids=["t-1", "t-2", "u-1"])
    sa.write_jsonl(posts, folder / "posts.jsonl")
    states = {
        "ann": ("FINISHED", "_", "*"),
        "bob": ("FINISHED", "*", "_"),
        "cem": ("IN_PROGRESS", "*", "*"),
    }
    records = [{"name": "d", "user": user, "state": state} for user, (state, *_) in states.items()]
    (folder / "cas" / "annotation" / "d").mkdir(parents=True)
    about = {"annotation_documents": records, "source_documents": []}
    (folder / "cas" / "exportedproject.json").write_text(json.dumps(about), "utf-8")
    for user, (_, *marks) in {"INITIAL_CAS": ("", "*", "*"), **states}.items():
        rows = [
            f"1-{i}\t{2 * i - 2}-{2 * i - 1}\t{i}\t{mark}\tP\tQ\t\n"
            for i, mark in enumerate(marks, 1)
        ]
        head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.A|\n#T_SP=x.B|v|w\n\n\n#Text=1 2\n"
        (folder / "cas" / "annotation" / "d" / f"{user}.tsv").write_text(
            head + "".join(rows), "utf-8"
        )
    for annotator, pieces in (("ann", "0 2;4 6"), ("bob", "0 2")):
        (folder / "blank" / annotator).mkdir(parents=True)
        for name in ("a", "b", "c"):
            (folder / "blank" / annotator / f"{name}.txt").write_text("No way!", "utf-8")
            end = 2 + ((annotator, name) == ("bob", "b"))
            marks = "" if (annotator, name) == ("bob", "c") else f"T1\tX 0 {end}\n"
            (folder / "blank" / annotator / f"{name}.ann").write_text(marks, "utf-8")
        (folder / "brat" / annotator).mkdir(parents=True)
        (folder / "brat" / annotator / "a.txt").write_text("No way!", "utf-8")
        (folder / "brat" / annotator / "a.ann").write_text(f"T1\tX {pieces}\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def datasets(folder):
    """What the reader of datasets reads."""
    datasets = pytest.importorskip("datasets")
    rows = {
        "tokens": [list("abcd"), list("efg")],
        "longer": [list("abcdxyz"), list("efg")],
        "tags": [["B-X", "I-X", "O", "B-Y"], ["B-X", "O", "O"]],
        "other": [["B-X", "O", "O", "B-Y"], ["B-Y", "O", "O"]],
        "third": [["O", "O", "O", "B-X"], ["B-X", "B-X", "O"]],
    }
    marked = {
        "spans": [spans((0, 2, "X"), (3, 4, "Y")), spans((0, 1, "X"))],
        "more": [spans((0, 1, "X"), (3, 4, "Y")), spans((0, 1, "Y"))],
    }
    texts = {
        "id": ["p", "q"],
        "text": ["No way", "Go"],
        "longer": ["No way out", "Go on"],
        **marked,
    }
    long = [
        {"id": d, "number": n, "who": who, "coder": coder, "text": "No way", "spans": spans(span)}
        for d, n, who, coder, span in (
            ("1", "1", "ann", "ann", (0, 2, "X")),
            ("1", "2", "bob", "bob", (0, 2, "X")),
            ("2", "2", "ann", "ann", (3, 6, "X")),
            ("2", "1", "bob", "cem", (3, 5, "Y")),
        )
    ]
    ends = {"text": "No way", "gold": [[0, 1, "X"], [5, 5, "X"]], "mine": [[0, 1, "X"]]}
    ids = {"tokens": ["Jo", "is", "in"], "tags": [1, 2, 0], "other": [1, 1, 0]}
    (folder / "ids.json").write_text(json.dumps([ids]), "utf-8")
    (folder / "ends.json").write_text(json.dumps([ends]), "utf-8")
    for name, table in (("rows.json", {**rows, **marked}), ("texts.json", texts)):
        records = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        (folder / name).write_text("\n".join(map(json.dumps, records)), "utf-8")
    (folder / "long.jsonl").write_text("\n".join(map(json.dumps, long)), "utf-8")
    parts = {"train": datasets.Dataset.from_dict(texts)}
    parts["test"] = datasets.Dataset.from_dict({**texts, "text": texts["longer"]})
    datasets.DatasetDict(parts).save_to_disk(str(folder / "saved"))


@pytest.fixture(scope="module")
def docbins(folder):
    """Docs with entities and other spans."""
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import DocBin, Span

    for name, ends in (("ann", (2, 1)), ("bob", (1, 2))):
        doc = spacy.blank("en")("No way out of here")
        doc.set_ents([Span(doc, 0, ends[0], "X")])
        doc.spans["sc"] = [Span(doc, 0, ends[1], "X"), Span(doc, 3, 4, "Y")]
        DocBin(docs=[doc], store_user_data=True).to_disk(folder / f"{name}.spacy")


NEEDS = {".json ": "datasets", "dataset": "datasets", "saved": "datasets", ".spacy": "docbins"}  # fmt: skip


@pytest.fixture(scope="module")
def already():
    """What commands gave, as many cases begin with the same line."""
    return {}


@pytest.fixture
def run(folder, already, monkeypatch, capsys, request, tmp_path):
    """A function that runs a command: its exit code, its figures, and its signature."""
    monkeypatch.chdir(folder)

    def run(command, line):
        for sign, fixture in NEEDS.items():
            if sign in line:
                request.getfixturevalue(fixture)
        if (command, line) not in already:
            already[command, line] = ran(command, line)
        return already[command, line]

    def ran(command, line):
        arguments = [command, *line.split()]
        if command == "report":
            path = tmp_path / "report.html"
            code = main([*arguments, "-o", str(path)])
            page = path.read_text("utf-8") if code == 0 else ""
            return code, page, re.findall(r"[a-z]+:[^ <>\"|]*\|[^<>\"]*\|spanagree:[0-9.]+", page)
        if command == "split":
            target = tmp_path / uuid4().hex
            code = main([*arguments, "-o", str(target)])
            report = json.loads((target / "split.json").read_text("utf-8")) if code == 0 else {}
            report["written"] = [path.read_text("utf-8") for path in sorted(target.glob("*.jsonl"))]
        else:
            code = main([*arguments, "--format", "json"])
            out = capsys.readouterr().out
            report = json.loads(out) if code == 0 else {}
        signatures = [
            part["signature"]
            for part in (report, report.get("test", {}), report.get("worklist", {}))
            if "signature" in part
        ]
        return code, {k: v for k, v in report.items() if k not in ABOUT}, signatures

    return run


# --- the tests ----------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(("command", "option", "case"), cases(Pair))
def test_other_figures_have_another_signature(run, command, option, case):
    """Two commands that differ in one option and in figures differ in their signatures."""
    code, figures, lines = run(command, case.line)
    other_code, other_figures, other_lines = run(command, f"{case.line} {case.more}")
    assert (code, other_code) == (0, 0)
    assert figures != other_figures  # else the case shows nothing
    assert lines != other_lines
    for line in (*lines, *other_lines):
        assert format_signature(parse_signature(line)) == line
        assert write_citation(parse_signature(line))


@pytest.mark.long
@pytest.mark.parametrize(("command", "option", "case"), cases(Needed))
def test_what_an_option_allows_is_in_the_signature(run, command, option, case):
    """What is an error without an option says with it, in the signature, that it was given."""
    assert run(command, case.line)[0] == 1
    code, _, lines = run(command, f"{case.line} {case.more}")
    assert code == 0
    assert all(case.entry in line.split("|") for line in lines)
    assert lines


@pytest.mark.parametrize(
    ("one", "other", "line"),
    [
        ({"at": [0.825]}, {"at": [0.8250001]}, "at:0.8250001"),
        ({"at": [0.5, 1.0]}, {"at": [0.5]}, "at:0.5"),
        ({"chosen": ["a,b", "c"]}, {"chosen": ["a", "b,c"]}, "chosen:a,b\\x2cc"),
        ({"between": ["a,b", "c"]}, {"between": ["a", "b,c"]}, "between:a,b\\x2cc"),
        ({"read": {"tags": {"a": "b"}}}, {"read": {"tags": "(a=b)"}}, "read:tags=\\x28a\\x3db\\x29"),
        ({"read": {"wide": True}}, {"read": {"annotator": ["x", "y"]}}, "read:annotator=(x,y)"),
        ({"gold": "g"}, {"gold": "g|h", "gold_first": False}, "gold:g\\x7ch"),
        ({"discontinuous": "error"}, {"discontinuous": "drop"}, "discontinuous:drop"),
    ],
)  # fmt: skip
def test_values_that_look_alike(one, other, line):
    """Values that differ in a late digit, or in names with commas and brackets, are told apart."""
    lines = [format_signature({**settings, "version": "1.0.0"}) for settings in (one, other)]
    assert lines[1] == f"{line}|spanagree:1.0.0"
    assert lines[0] != lines[1]
    assert [format_signature(parse_signature(each)) for each in lines] == lines


@pytest.mark.parametrize("call", [sa.agree, sa.difficulty, sa.alpha_u], ids=lambda f: f.__name__)
def test_annotators_that_were_chosen(call):
    """Those that were chosen are named if others are left out, over parts as of a whole corpus."""
    layers = {"ann": [[(0, 1, "X")]] * 2, "bob": [[(0, 2, "X")]] * 2, "cem": [[], None]}
    whole = sa.Corpus.from_segments([5, 5], layers)
    parts = [whole.subset([0]), whole.subset([1]).select_annotators(["ann", "bob"])]
    for names, entry in ((["bob", "ann"], "|chosen:bob,ann|"), (["ann", "bob", "cem"], "")):
        lines = {call(corpus, annotators=iter(names)).signature for corpus in (whole, parts)}
        assert len(lines) == 1
        assert entry in lines.pop() if entry else "chosen" not in lines.pop()
