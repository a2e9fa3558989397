"""The rows of the benchmarks: our call beside a peer's, or a simpler calculation, on one input."""

from __future__ import annotations

import atexit
import functools
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import bench_inputs as inputs
import bench_peer as plain
import join_toxic_spans
import numpy as np
import places_table

import spanagree as sa
from spanagree.agreement.count import PairsByDocument
from spanagree.chance.model import build_chance_model
from spanagree.chance.random_annotations import draw_random_layer
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.expected import compare_layers, compute_start_distributions
from spanagree.comparisons.measures import find_measure

Call = Callable[[], Any]
Pair = tuple[Call, Call]


class Given(float):
    """What a call returns in place of the seconds it takes: bytes."""


@dataclass(frozen=True)
class Work:
    """One comparison: our call and a peer's, on the same input.

    ``bar`` is the ratio to stay under, ``needs`` the package of the peer. ``unit`` says what is
    compared: seconds, processor time, or the bytes that the calls return. A round of a ``lengthy``
    one takes over ten seconds.
    """

    name: str
    peer: str
    bar: float | None
    make: Callable[[], Pair]
    needs: str = "numpy"
    unit: Literal["seconds", "processor", "bytes"] = "seconds"
    lengthy: bool = False


# --- evaluation ----------------------------------------------------------------------------------


def evaluation(part: int, peer: str, systems: int = 1) -> Pair:
    """From lists of tags, beside a function of seqeval."""
    import seqeval.metrics

    gold, *others = (inputs.sentences(20_000 // part, 25, seed) for seed in range(1, systems + 2))
    theirs = getattr(seqeval.metrics, peer)
    named = {f"system {i}": system for i, system in enumerate(others)}
    return (
        lambda: sa.evaluate(sa.from_tags({"gold": gold, **named})),
        lambda: [theirs(gold, system) for system in others],
    )


def yardstick(part: int) -> Call:
    """What a goal in seconds is measured by: f1_score of 20,000 sentences."""
    from seqeval.metrics import f1_score

    gold, mine = (inputs.sentences(20_000 // part, 25, seed) for seed in (1, 2))
    return lambda: f1_score(gold, mine)


def newspapers(part: int) -> Pair:
    """One-to-one overlap with chance per label, of articles as long as HIPE's."""
    corpus = inputs.newspapers(max(80 // part, 2))
    return lambda: sa.evaluate(corpus, match="overlap", chance="per-label"), yardstick(part)


def nervaluate(part: int) -> Pair:
    """The same sentences, fewer."""
    from nervaluate.evaluator import Evaluator

    gold, mine = (inputs.sentences(5000 // part, 25, seed) for seed in (1, 2))
    return (
        lambda: sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})),
        lambda: Evaluator(gold, mine, tags=list(inputs.LABELS), loader="list").evaluate(),
    )


def many_shapes(part: int) -> Pair:
    """Sentences of which nearly every one has a shape of its own."""
    from seqeval.metrics import f1_score

    gold, mine = inputs.shapes(200_000 // part, 1)
    return (
        lambda: sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})),
        lambda: f1_score(gold, mine),
    )


def draws(corpus: sa.Corpus, count: int) -> Call:
    """Random annotations of the last layer, not scored: what simulated chance begins with."""
    layer = [*corpus.layers.values()][-1]
    return lambda: [draw_random_layer(layer, corpus.lengths, 1, seed) for seed in range(count)]


def long(part: int) -> Pair:
    """The distributions of one very long document, and what they expect."""
    corpus = inputs.long_document(1_000_000 // part, 100_000 // part)

    def ours() -> object:
        profiles, placed = compute_start_distributions(
            corpus, ("a", "b"), build_chance_model("nonoverlapping")
        )
        return compare_layers(placed["a"], placed["b"], profiles, find_measure("exact"), 1)

    return ours, yardstick(part)


def characters(part: int, match: Literal["exact", "iou", "token"]) -> Pair:
    """Documents like those of Mu-SHROOM: 150 of up to 3,500 characters, up to 85 stretches."""
    corpus = inputs.stretches(max(150 // part, 2), 3500, 85)
    return lambda: sa.evaluate(corpus, match=match), yardstick(part)


def capitals(part: int) -> Pair:
    """With a rule of places for tokens, beside the same without, as processes."""
    corpus = with_capitals(part)
    paths = [scratch() / f"{name}.conll" for name in corpus.layers]
    for path in paths:
        sa.formats.write_conll(corpus.select_annotators([path.stem]), path)
    asked = ["evaluate", *map(str, paths)]
    return process([*asked, "--places", "capitals"]), process(asked)


def capitals_in_memory(part: int) -> Pair:
    """With a rule of places for tokens, beside a function of seqeval, which knows no chance."""
    corpus = with_capitals(part)
    return lambda: sa.evaluate(corpus, places="capitals"), yardstick(part)


def with_capitals(part: int) -> sa.Corpus:
    """The tags of the yardstick, with tokens of which some begin with a capital."""
    gold, mine = (inputs.sentences(20_000 // part, 25, seed) for seed in (1, 2))
    corpus = sa.from_tags({"gold": gold, "mine": mine})
    return corpus.replace(tokens=inputs.capitalised(gold))


def words(part: int) -> Pair:
    """With the rule of words, beside the same without: eight annotators of stretches of texts."""
    corpus = sa.read(Path(__file__).parent.parent / "corpora" / "answers" / "answers.jsonl")
    corpus = corpus.subset(range(max(len(corpus) // part, 2)))
    return (
        lambda: sa.agree(corpus, match="token", places="words"),
        lambda: sa.agree(corpus, match="token"),
    )


def words_of_real_texts(part: int, name: str, match: str, folder: Path) -> Pair:
    """With the rule of words, beside the same without: a data set of the page on places."""
    corpus = places_table.corpus_of(name, folder)
    corpus = corpus.subset(range(max(len(corpus) // part, 2)))
    how: Any = {"match": match}
    return lambda: sa.agree(corpus, places="words", **how), lambda: sa.agree(corpus, **how)


def toxic_words(part: int, folder: Path) -> Pair:
    """The rule of words on all comments of toxic spans, as a command."""
    path = written_toxic_spans(folder)
    return lambda: command("agree", path, "--places", "words", *TOXIC), yardstick(part)


def dense(part: int, documents: int, spans: int, covered: float) -> Pair:
    """Documents of 5,000 characters."""
    corpus = inputs.stretches(max(documents // part, 2), 5000, spans, covered, 5000)
    return lambda: sa.evaluate(corpus), yardstick(part)


def one_long(part: int) -> Pair:
    """A segment of 80,000 among 300 short ones, in 200,000."""
    corpus = inputs.one_long(200_000 // part, 80_000 // part, 300 // part)
    return lambda: sa.evaluate(corpus), yardstick(part)


def datasets(part: int) -> Pair:
    """A column of class labels."""
    from datasets import ClassLabel, Dataset, Features, List, Value
    from seqeval.metrics.sequence_labeling import get_entities

    names = ["O", *(f"{p}-{label}" for label in inputs.LABELS for p in "BI")]
    number = {name: i for i, name in enumerate(names)}
    column = inputs.sentences(40_000 // part, 25, 1)
    ds = Dataset.from_dict(
        {
            "tokens": [["w"] * 25] * len(column),
            "tags": [[number[tag] for tag in tags] for tags in column],
        },
        features=Features({"tokens": List(Value("string")), "tags": List(ClassLabel(names=names))}),
    )
    return (
        lambda: sa.formats.from_dataset(ds, tokens="tokens", tags={"gold": "tags"}),
        lambda: get_entities(column),
    )


# --- uncertainty and chance -----------------------------------------------------------------------


def eight_layers(folder: Path | None) -> sa.Corpus:
    """Gold and seven systems of WNUT-17, or tags of the same number."""
    if folder is None:
        return sa.from_tags({str(seed): inputs.sentences(1287, 18, seed) for seed in range(8)})
    return sa.formats.read_conll(wnut17_files(folder), ignore_tokens=True)


def wnut17_files(folder: Path) -> list[Path]:
    return [folder / "emerging.test.annotated", *sorted((folder / "submissions").iterdir())]


def resampling(part: int, folder: Path | None) -> Pair:
    """10,000 paired resamples of seven systems, raw and corrected; 100 calls of f1_score on one."""
    from seqeval.metrics import f1_score

    corpus = eight_layers(folder)
    gold, mine = (as_tags(corpus, name) for name in corpus.annotators[:2])
    evaluated = sa.evaluate(corpus)
    return (
        lambda: sa.compare_systems(evaluated, test="bootstrap", resamples=10_000 // part),
        lambda: [f1_score(gold, mine) for _ in range(100 // part)],
    )


def as_tags(corpus: sa.Corpus, name: str) -> list[list[str]]:
    """A layer as lists of IOB2 tags."""
    made = []
    for document in corpus:
        tags = ["O"] * document.length
        for start, end, label in document.segments[name] or ():
            tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
        made.append(tags)
    return made


def by_chance(part: int, folder: Path | None) -> Pair:
    """The exact distribution of chance of seven systems; 1,000 random annotations of each."""
    corpus = eight_layers(folder)
    evaluated = sa.evaluate(corpus)
    return (
        lambda: sa.systems.chance_test(corpus, evaluated),
        lambda: sa.systems.chance_test(corpus, evaluated, simulate=True, draws=1000 // part),
    )


def long_chance(part: int) -> Pair:
    """A document far too large for the exact distribution: it is drawn, a few times."""
    corpus = inputs.long_document(1_000_000 // part, 100_000 // part)
    evaluated = sa.evaluate(corpus)
    return lambda: sa.systems.chance_test(corpus, evaluated), draws(corpus, 10)


# --- many annotators -----------------------------------------------------------------------------


def crowd(part: int, annotators: int) -> Pair:
    """Everybody marked everything; raw F1 of each pair by Python's sets."""
    corpus = inputs.crowd(max(annotators // part, 3), 300 // part)
    sets = inputs.sets(corpus)
    return lambda: sa.agree(corpus), lambda: plain.pairwise(sets)


def team(part: int, match: Literal["exact", "iou", "token"]) -> Pair:
    """20 annotators of 150 answers, all pairs."""
    corpus = inputs.team(max(150 // part, 2), 20)
    return lambda: sa.agree(corpus, match=match), yardstick(part)


def answers(part: int, *asked: str) -> Pair:
    """One-to-one overlap of the answers of six annotators, as a command."""
    corpus = sa.read(Path(__file__).parent.parent / "corpora" / "answers" / "answers.jsonl")
    path = scratch() / "answers.jsonl"
    few = corpus.subset(range(max(len(corpus) // part, 2)))
    sa.formats.write_jsonl(few.select_annotators(few.annotators[:6]), path)
    return lambda: command("agree", path, "--match", "overlap", *asked), yardstick(part)


def gamma_of_answers(part: int) -> Pair:
    """γ of 154 answers by twelve annotators, beside the limit of time that it has by itself."""
    corpus = inputs.team(max(154 // part, 2), 12)
    return lambda: sa.gamma(corpus), lambda: Given(60)


def crowd_intervals(part: int) -> Pair:
    """Everybody marked everything, with intervals."""
    corpus = inputs.crowd(max(300 // part, 3), 300 // part)
    return lambda: sa.agree(corpus, ci=True), yardstick(part)


TOXIC = (
    "--chance", "per-label", "--repair",
    "drop-repeats,clip-beyond-text,drop-beyond-text,drop-unlabelled,drop-duplicates,merge-overlaps",
)  # fmt: skip


def written_toxic_spans(folder: Path) -> Path:
    """16,100 comments by 3,579 annotators, three to seven for each, in a file."""
    path = scratch() / "toxic.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in join_toxic_spans.rows(folder))
    return path


def toxic_spans(part: int, folder: Path) -> Pair:
    """Agreement of these with intervals."""
    path = written_toxic_spans(folder)
    return lambda: command("agree", path, "--ci", *TOXIC), yardstick(part)


def crowd_memory(part: int, asked: str = "") -> Pair:
    """Peak memory of the same."""
    made = f"c = i.crowd({max(300 // part, 3)}, {300 // part})"
    before = f"import bench_inputs as i, bench_peer as p; {made}"
    return (
        lambda: peak(before, f"sa.agree(c{asked})"),
        lambda: peak(before, "p.pairwise(i.sets(c))"),
    )


def sparse(part: int) -> Pair:
    """Five of many annotators see each document."""
    corpus = inputs.crowd(max(900 // part, 6), 4000 // part, seen=5)
    sets = inputs.sets(corpus)
    return lambda: sa.agree(corpus), lambda: plain.pairwise(sets)


def team_intervals(part: int) -> Pair:
    """The same with intervals; quantiles of raw F1 by resampling one table after the other."""
    corpus = inputs.crowd(max(900 // part, 6), 4000 // part, seen=5)
    counting = MatchCountOptions(match="exact", chance=build_chance_model("nonoverlapping"))
    per_document = PairsByDocument.from_corpus(corpus, counting)
    sums = per_document.sums
    by_annotator = sums.both_ways().by("document", "first")
    parts = [sums.by("document")]
    parts += [by_annotator.where(by_annotator.first == k) for k in range(len(corpus.layers))]
    tables = [part.symmetric_table(part.documents()) for part in parts]
    return lambda: sa.agree(corpus, ci=True), lambda: [one_by_one(table) for table in tables]


def one_by_one(table: Any) -> Any:
    """The ends for raw F1, from documents that are drawn with replacement."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(table), size=(10_000, len(table)))
    with np.errstate(invalid="ignore"):
        f1 = 2 * table[:, 0][drawn].sum(axis=1) / table[:, 2:].sum(axis=1)[drawn].sum(axis=1)
    return np.nanquantile(f1, (0.025, 0.975))


def gamma(
    part: int, size: int, annotators: int, fast: bool = True, peers: int | None = None
) -> Pair:
    """Our γ beside pygamma's, of all or only some annotators."""
    corpus = inputs.one_document(inputs.units(size // part, annotators))
    # 30 draws of pygamma have an error of γ_cat of about .02 there, and precision governs it too;
    # of 500 units the alignment is not proven, which leaves γ_cat out, and .01 is that of γ
    ours = functools.partial(sa.gamma, corpus, precision=(0.01 if size > 100 else 0.02) * part)
    return ours, pygamma(inputs.units(size // part, peers or annotators), fast)


def units(part: int) -> Pair:
    """Agreement beyond chance of what pygamma takes."""
    corpus = inputs.one_document(inputs.units(500 // part))
    return lambda: sa.agree(corpus), pygamma(inputs.units(500 // part), True)


def hour(part: int, how: dict[str, Any]) -> Pair:
    """Agreement on an hour of 2 × 500 segments in units of 1 ms, and of 100 ms."""
    fine, coarse = (inputs.hour(500 // part, unit) for unit in (1, 100))
    return lambda: sa.agree(fine, **how), lambda: sa.agree(coarse, **how)


def hour_of_gamma(part: int) -> Pair:
    """γ of that hour, beside pygamma's."""
    corpus = inputs.hour(500 // part)
    rows = [[(s.start, s.end, s.label) for s in x or ()] for x in corpus[0].segments.values()]
    return lambda: sa.gamma(corpus, precision=0.01 * part), pygamma(rows, True)


def pygamma(annotators: list[list[tuple[int, int, str]]], fast: bool) -> Call:
    """γ by pygamma-agreement, with its 30 draws."""
    from pyannote.core import Segment
    from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum

    logging.disable(logging.WARNING)  # one line a solver that is not there
    continuum = Continuum()
    for i, segments in enumerate(annotators):
        for start, stop, label in segments:
            continuum.add(str(i), Segment(float(start), float(stop)), label)
    measure = CombinedCategoricalDissimilarity()

    def theirs() -> None:
        with silenced():
            continuum.compute_gamma(measure, fast=fast)

    return theirs


def alpha_u(part: int) -> Pair:
    """Units of 40 annotators; α of their tokens."""
    import krippendorff

    documents = 400 // part
    layers = {
        str(i): [inputs.units(10, 1, 400 * i + d)[0] for d in range(documents)] for i in range(40)
    }
    corpus = sa.Corpus.from_segments([450] * documents, layers)
    tokens = np.zeros((40, 450 * documents))
    for row, layer in zip(tokens, corpus.layers.values(), strict=True):
        first = layer.document * 450
        columns = (first + layer.start, first + layer.end, layer.label)
        for start, end, label in zip(*(c.tolist() for c in columns), strict=True):
            row[start:end] = label + 1
    return (
        lambda: sa.alpha_u(corpus),
        lambda: krippendorff.alpha(tokens, level_of_measurement="nominal"),
    )


# --- items with labels ---------------------------------------------------------------------------


def alpha(part: int) -> Pair:
    """Three coefficients of a matrix, beside one."""
    import krippendorff

    values = inputs.labels(40_000 // part)

    def ours() -> object:
        table = sa.labels.LabelTable.from_array(values)
        return sa.labels.alpha(table), sa.labels.pi(table), sa.labels.spa(table)

    theirs = values.T.astype(float)
    return ours, lambda: krippendorff.alpha(theirs, level_of_measurement="nominal")


def alpha_memory(part: int) -> Pair:
    """Peak memory of the same."""
    ours = "s = sa.labels; t = s.LabelTable.from_array(v); s.alpha(t), s.pi(t), s.spa(t)"
    theirs = "krippendorff.alpha(v.T.astype(float), level_of_measurement='nominal')"
    before = f"import krippendorff; from bench_inputs import labels; v = labels({40_000 // part})"
    return lambda: peak(before, ours), lambda: peak(before, theirs)


def nltk(part: int) -> Pair:
    """κ of Davies and Fleiss."""
    from nltk.metrics.agreement import AnnotationTask

    values = inputs.labels(1000 // part)
    rows = [(str(a), str(i), str(c)) for (i, a), c in np.ndenumerate(values)]
    return (
        lambda: sa.labels.kappa(sa.labels.LabelTable.from_array(values)),
        lambda: AnnotationTask(data=rows).multi_kappa(),
    )


def table(part: int) -> Pair:
    """All coefficients of a long table in CSV; α alone by counting in Python."""
    path = scratch() / "labels.csv"
    inputs.write_labels(path, inputs.labels(200_000 // part))
    return lambda: command("coefficients", path), lambda: plain.alpha(str(path))


# --- files and commands --------------------------------------------------------------------------


def tag_files(
    name: str, systems: int, *, part: int = 1, odd: bool = False, times: int = 1
) -> list[str]:
    """Gold and systems in files of their own: 3,000 sentences of 18 tokens, so many times over."""
    paths = []
    for seed in range(systems + 1):
        path = scratch() / f"{name}-{seed}.conll"
        if not path.exists():
            rows = inputs.sentences(3000 // part, 18, seed)
            inputs.write_tags(path, rows, odd=odd, times=times)
        paths.append(str(path))
    return paths


def files(part: int, folder: Path | None, *, odd: bool = False, imports: bool = True) -> Pair:
    """Gold and seven systems in files, evaluated by a process of its own or without its imports."""
    if folder is None or odd:
        paths = tag_files("odd" if odd else "eight", 7, part=part, odd=odd)
        asked = ["evaluate", *paths]
    else:
        paths = [str(path) for path in wnut17_files(folder)]
        asked = ["evaluate", *paths, "--ignore-tokens"]
    if not imports:
        return lambda: command(*asked), lambda: silently(plain.scores, paths)
    return process(asked), process([plain.__file__, *paths], module=())


def large(part: int) -> Pair:
    """Two files of 2 million tokens, as a process."""
    paths = tag_files("large", 1, part=part, times=37)
    return process(["evaluate", *paths]), process([plain.__file__, *paths], module=())


def large_memory(part: int) -> Pair:
    """Peak memory of reading and evaluating them, beside the size of the files."""
    paths = tag_files("large", 1, part=part, times=37)
    size = sum(Path(path).stat().st_size for path in paths)
    return lambda: peak("", f"sa.evaluate(sa.formats.read_conll({paths!r}))"), lambda: Given(size)


def workers(part: int) -> Pair:
    """Two workers and one process on 40 files of 10 million tokens together."""
    for number in range(40):
        tag_files(f"huge-{number:02}", 1, part=part, times=5)
    patterns = [f"{name}={scratch()}/huge-*-{seed}.conll" for seed, name in enumerate(("g", "s"))]
    asked = ["evaluate", *patterns, "--scheme", "IOB2"]
    return process([*asked, "--workers", "2"]), process(asked)


def disagreements(part: int) -> Pair:
    """The list of two annotators of a million tokens; where their tags differ, in plain Python."""
    paths = tag_files("two", 1, part=part, times=19)
    return lambda: command("disagreements", *paths), lambda: plain.different(paths)


def checked(part: int) -> Pair:
    """What is in two files of a million tokens."""
    paths = tag_files("two", 1, part=part, times=19)
    return lambda: command("check", *paths), yardstick(part)


def convert(part: int) -> Pair:
    """Our own JSON of very many annotators, read, checked and written; only read and written."""
    source, target = scratch() / "crowd.jsonl", scratch() / "copy.jsonl"
    corpus = inputs.crowd(max(3579 // part, 6), 2000 // part, seen=7)
    inputs.write_crowd(source, corpus)
    return (
        lambda: command("convert", source, "-o", target),
        lambda: plain.copied(str(source), str(target)),
    )


def start(part: int) -> Pair:
    """Starting up."""
    return process(["evaluate", "--help"]), process(["-c", "import numpy"], module=())


# --- how calls are made --------------------------------------------------------------------------


@functools.cache
def scratch() -> Path:
    """A folder for files, which goes with the process."""
    folder = tempfile.TemporaryDirectory(prefix="spanagree-bench-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@contextmanager
def silenced() -> Iterator[None]:
    """What is printed, also by a solver written in C, goes nowhere."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
        sys.stdout.flush()
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def silently(call: Callable[..., object], *arguments: object) -> None:
    with silenced():
        call(*arguments)


def command(*arguments: object) -> None:
    """One of our commands, in this process."""
    from spanagree.cli.main import main

    with silenced():
        code = main([*map(str, arguments)])
    if code:
        raise SystemExit(f"'{' '.join(map(str, arguments))}' ended with {code}")


def process(arguments: list[str], module: tuple[str, ...] = ("-m", "spanagree")) -> Call:
    """A process of its own, which keeps what it compiles, as one of an installed package does."""
    whole = [sys.executable, *module, *arguments]
    kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(scratch() / "compiled")}
    settings = {**os.environ, **kept}
    return lambda: subprocess.run(whole, check=True, stdout=subprocess.DEVNULL, env=settings)


def peak(before: str, call: str) -> Given:
    """The peak memory that a call adds to a process of its own, in bytes (Linux)."""
    code = "\n".join(
        [
            f"import re, sys; sys.path.insert(0, {str(Path(__file__).parent)!r})",
            "import spanagree as sa",
            before,
            'status = lambda: open("/proc/self/status").read()',
            'used = lambda: int(re.search("VmHWM:\\\\s+(\\\\d+)", status())[1])',
            "a = used()",
            f"{call}; print(used() - a)",
        ]
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return Given(1024 * max(int(re.findall(r"\d+", done.stdout)[-1]), 1))


# --- all rows ------------------------------------------------------------------------------------


def all_work(
    small: bool, wnut17: Path | None, toxic: Path | None = None, real: Path | None = None
) -> Iterator[Work]:
    """Every comparison, in the order of the report."""
    part = 20 if small else 1

    def row(
        name: str, peer: str, bar: float | None, make: Callable[..., Pair], *arguments: Any,
        needs: str = "numpy", unit: Literal["seconds", "processor", "bytes"] = "seconds",
        lengthy: bool = False, **named: Any,
    ) -> Work:  # fmt: skip
        made = functools.partial(make, part, *arguments, **named)
        return Work(name, peer, bar, made, needs, unit, lengthy or needs == pyg)

    # Where bars come from. Goals are set in seconds, on a machine of two cores that took .51 s for
    # f1_score of 20,000 sentences. What the peers take was measured in processor time, in one run
    # with that call, and so in seconds there. Behind a bar that is a goal by what the peer takes
    # stand both. A bar without a goal in seconds is 1 (no slower), or a half, or a third.
    def goal(seconds: float) -> float:
        """The bar of a row whose peer is the yardstick."""
        return seconds / 0.51

    tagged = "f1_score, 20,000 sentences"
    seq, kri, pyg = "seqeval", "krippendorff", "pygamma_agreement"
    chance = "evaluation with chance, 20,000 sentences"
    yield row(chance, "f1_score", 0.2, evaluation, "f1_score", needs=seq)
    yield row(chance, "classification_report", 0.1, evaluation, "classification_report", needs=seq)
    yield row(
        "evaluation of 7 systems",
        "seven f1_score",
        0.12,
        evaluation,
        "f1_score",
        7,
        needs=seq,
        lengthy=True,
    )
    yield row("evaluation, 5,000 sentences", "nervaluate", None, nervaluate, needs="nervaluate")
    yield row(
        "many shapes, 200,000 sentences", "f1_score", 1 / 3, many_shapes, needs=seq, lengthy=True
    )
    script = "script with f1_score"
    yield row(  # .2 s; the script 1.29 s
        "command line, 8 files, as a process", script, 0.155, files, wnut17, needs=seq
    )
    yield row(  # .2 s less 1.6 times `import numpy`, .077 s; the script .163 s
        "command line, 8 files, without imports", script, 0.47, files, wnut17, imports=False,
        needs=seq,
    )  # fmt: skip
    yield row(  # .084 s for 23,394 tokens, of which there are 54,000 here; the script .38 s
        "8 files with # and CRLF, without imports", script, 0.5, files, None, odd=True,
        imports=False, needs=seq,
    )  # fmt: skip
    yield row(  # 5 s for 2 × 10 million; the script 3.3 s for 2 million
        "2 files of 2,000,000 tokens, as a process", script, 0.3, large, needs=seq
    )
    yield row(  # 1 GB for 2 × 10 million tokens, of which such files have 127 MB
        "the same, peak memory without imports", "the size of the files", 7.9, large_memory,
        unit="bytes",
    )  # fmt: skip
    yield row("two workers, 2 × 10,000,000 tokens", "one process", 1 / 1.8, workers, lengthy=True)
    yield row(
        "the same, processor time", "one process", 1.15, workers, unit="processor", lengthy=True
    )
    name = "long document, distributions and totals"
    yield row(name, tagged, goal(0.05), long, needs=seq)
    for match in ("exact", "iou", "token"):
        name = f"150 documents by characters, {match}"
        yield row(name, tagged, goal(1), characters, match, needs=seq)
    without = "the same without a rule"
    yield row("capitals, 20,000 sentences, as a process", without, 3, capitals)
    name = "capitals, 20,000 sentences, in memory"
    yield row(name, "f1_score", 1, capitals_in_memory, needs=seq)
    # words are fewer than characters, so a rule of words should take no more than chance without
    # one; that stands beside it and is computed too
    yield row("words, 36 answers, 8 annotators", without, 2, words)
    for name in ("PICO", "en", "sv", "fa") if real is not None else ():
        for match in ("exact", "token"):
            yield row(f"words, {name}, {match}", without, 2, words_of_real_texts, name, match, real)
    name = "50 documents of 5,000 characters"
    yield row(name, tagged, goal(1), dense, 50, 40, 0.3, needs=seq)
    name = "20 documents, 96 % covered"
    yield row(name, tagged, goal(3), dense, 20, 60, 0.96, needs=seq)
    name = "a segment of 80,000 among short ones"
    yield row(name, tagged, goal(1), one_long, needs=seq)
    pairs = "raw F1 by sets"
    yield row("agreement, 150 annotators × 300 documents", pairs, 1.2, crowd, 150)  # 1 s; .86 s
    yield row("agreement, 300 annotators × 300 documents", pairs, 0.35, crowd, 300)  # 1 s; 2.9 s
    yield row(  # 300 MB, of which a process takes 45 before; the sets 102 MB
        "the same, peak memory", pairs, 2.5, crowd_memory, unit="bytes"
    )
    for match, seconds in (("exact", 1), ("token", 1), ("iou", 3)):
        name = f"20 annotators × 150 answers, {match}"
        yield row(name, tagged, goal(seconds), team, match, needs=seq)
    name = "300 annotators × 300 documents, intervals"
    yield row(name, tagged, goal(3), crowd_intervals, needs=seq)
    yield row(  # 300 MB, of which a process takes 45 before; the sets 102 MB
        "the same with intervals, peak memory", pairs, 2.5, crowd_memory, ", ci=True", unit="bytes"
    )
    name = "overlap per label, 80 articles, 2 systems"
    yield row(name, tagged, goal(5), newspapers, needs=seq, lengthy=True)
    name = "overlap, 36 answers, 6 annotators"
    yield row(name, tagged, goal(3), answers, needs=seq)
    name = "the same, tested by pair"
    yield row(
        name, tagged, goal(5), answers, "--test", "chance", "--by", "pair", needs=seq, lengthy=True
    )
    name = "γ, 12 annotators × 154 answers"
    yield row(name, "its limit of a minute", 1.0, gamma_of_answers, lengthy=True)
    if toxic is not None:
        yield row(
            "agree --ci of toxic spans",
            tagged,
            goal(30),
            toxic_spans,
            toxic,
            needs=seq,
            lengthy=True,
        )
        name = "agree of toxic spans, words"
        yield row(name, tagged, goal(60), toxic_words, toxic, needs=seq, lengthy=True)
    yield row("agreement, 5 of 900 × 4,000 documents", pairs, 1.0, sparse)
    yield row(
        "the same with intervals", "raw F1 resampled one by one", 1.0, team_intervals, lengthy=True
    )
    yield row("agreement, 5 annotators × 500 segments", "pygamma fast", 0.001, units, needs=pyg)
    yield row("γ, 3 annotators × 100 units", "pygamma", 0.1, gamma, 100, 3, False, needs=pyg)
    yield row(
        "γ, 5 annotators × 100 units", "pygamma of 3", 0.5, gamma, 100, 5, False, 3, needs=pyg
    )
    yield row("γ, 5 annotators × 500 units", "pygamma fast", 1 / 3, gamma, 500, 5, needs=pyg)
    yield row(
        "γ, an hour at 1 ms, 2 × 500 segments", "pygamma fast", None, hour_of_gamma, needs=pyg
    )
    names = ("exact", "boundaries", "token", "iou", "overlap")
    ways: list[dict[str, Any]] = [{"tolerance": 0.2}, *({"match": name} for name in names)]
    for how in ways:  # cost follows segments, not units
        name = str(how.get("match", "within 0.2 s"))
        yield row(f"an hour at 1 ms, {name}", "the same at 100 ms", 2, hour, how)
    yield row(
        "α_U, 40 annotators × 400 documents", "krippendorff of tokens", 0.5, alpha_u, needs=kri
    )
    yield row("α, π, SPA of 40,000 × 5, 50 labels", kri, 0.05, alpha, needs=kri)
    yield row("the same, peak memory", kri, 0.1, alpha_memory, needs=kri, unit="bytes")
    yield row("κ of 1,000 × 5, 50 labels", "nltk multi_kappa", None, nltk, needs="nltk")
    yield row("coefficients of 200,000 × 5 in CSV", "α by counting", 0.65, table)  # 1 s; 1.55 s
    yield row("1,000,000 tokens of a dataset", "get_entities", 0.2, datasets, needs="datasets")
    yield row(  # 1 s; between .41 and .68 s
        "disagreements of 1,000,000 tokens", "comparing tags", 2.0, disagreements
    )
    yield row("convert, 3,579 annotators", "copying the JSON", 8.7, convert)  # 2 s; .23 s
    yield row("check of 1,000,000 tokens", tagged, goal(1), checked, needs=seq)
    yield row("10,000 resamples of 7 systems", "100 f1_score", 1.0, resampling, wnut17, needs=seq)
    yield row(
        "exact test against chance, 7 systems", "1,000 random annotations", 1 / 3, by_chance, wnut17
    )
    yield row("long document against chance", "10 draws of our simulator", None, long_chance)
    yield row("spanagree evaluate --help", "import numpy", 1.6, start)
