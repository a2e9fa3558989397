"""Adapters: what a program makes of a case of the specification. Run in its own environment.

`python adapters.py TOOL` reads cases, one a line, and writes an answer to each that the program
claims: figures, segments, or why it refuses. Nothing but the program itself is imported.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Case = Mapping[str, Any]
Answer = Mapping[str, Any]

OF_TAGS = {"T2": "IOB1", "T3": "IOB2", "T4": "IOE1", "T5": "IOE2", "T6": "IOBES", "T7": "BILOU"}


class RefusedError(Exception):
    """The program, or the form of its input, has no place for a case."""


def iob2(document: Case, side: str) -> list[str]:
    """Return the tags of one side of a document, whose segments do not overlap."""
    tags = ["O"] * document["length"]
    for start, end, label in document[side]:
        tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return tags


def prf(precision: float | None, recall: float | None, f1: float | None) -> Answer:
    """Return figures by the names that cases have."""
    return {"precision": precision, "recall": recall, "f1": f1}


def seqeval(case: Case) -> Answer | list[Any]:
    from seqeval import metrics, scheme
    from seqeval.metrics.sequence_labeling import get_entities

    given = case["input"]
    if "tags" in given and given["strict"] and case["rule"] != "T1":
        found = scheme.Entities([given["tags"]], getattr(scheme, given["scheme"])).entities[0]
        return [[x.start, x.end, x.tag] for x in found]
    if "tags" in given:
        return [[start, end + 1, label] for label, start, end in get_entities(given["tags"])]
    sides = [[iob2(x, side) for x in given["documents"]] for side in ("gold", "system")]
    how = {"average": given.get("average", "micro"), "mode": "strict", "scheme": scheme.IOB2}
    names = ("precision_score", "recall_score", "f1_score")
    return prf(*(float(getattr(metrics, name)(*sides, **how)) for name in names))


def nervaluate(case: Case) -> Answer:
    from nervaluate.evaluator import Evaluator

    sides = [
        [[{"start": s, "end": e - 1, "label": x} for s, e, x in d[side]] for d in documents(case)]
        for side in ("gold", "system")
    ]
    result = Evaluator(*sides, tags=labels(case), loader="dict").evaluate()["overall"]
    strategies = {"boundaries": "exact", "partial": "partial"}
    found = result[strategies.get(case["input"]["match"], "strict")]
    return prf(found.precision, found.recall, found.f1)


def documents(case: Case) -> list[Any]:
    """Return the documents of a case."""
    return list(case["input"]["documents"])


def labels(case: Case) -> list[str]:
    """Return the labels of a case, sorted."""
    return sorted({x[2] for d in documents(case) for x in [*d["gold"], *d["system"]]})


def seqscore(case: Case) -> Answer | list[Any]:
    from seqscore.encoding import get_encoding
    from seqscore.model import Mention, Span
    from seqscore.scoring import ClassificationScore, score_sequence_mentions

    given = case["input"]
    if "tags" in given:
        name = {"IOB1": "IOB", "IOB2": "BIO", "IOBES": "BIOES"}.get(given["scheme"])
        found = get_encoding(name or given["scheme"]).decode_labels(given["tags"])
        return [[x.span.start, x.span.end, x.type] for x in found]
    score = ClassificationScore()
    for document in documents(case):
        sides = ([Mention(Span(s, e), x) for s, e, x in document[y]] for y in ("system", "gold"))
        score_sequence_mentions(*sides, score)
    return prf(score.precision, score.recall, score.f1)


def annotations_evaluate(case: Case) -> Answer:
    from annotations_evaluate import Document, Span, evaluate_flat

    report = evaluate_flat(
        Document("d", *(tuple(Span(x, s, e) for s, e, x in d[y]) for y in ("gold", "system")))
        for d in documents(case)
    )
    found = report["exact" if case["input"]["match"] == "boundaries" else "strict"]
    return prf(found.precision, found.recall, found.f1)


def spaneval(case: Case) -> Answer:
    from spaneval import Entity, evaluate
    from spaneval.strategies import Exact, Strict

    sides = [
        [[Entity(x, s, e) for s, e, x in d[y]] for d in documents(case)] for y in ("gold", "system")
    ]
    strategy = Exact() if case["input"]["match"] == "boundaries" else Strict()
    found = evaluate(*sides).metrics(strategy)
    return prf(found.precision, found.recall, found.f1)


def spacy(case: Case) -> Answer | list[Any]:
    from spacy.scorer import Scorer
    from spacy.tokens import Doc, Span
    from spacy.training import Example, biluo_tags_to_spans, iob_to_biluo
    from spacy.vocab import Vocab

    vocab, given = Vocab(), case["input"]
    if "tags" in given:
        tags = given["tags"] if given["scheme"] == "BILOU" else iob_to_biluo(given["tags"])
        doc = Doc(vocab, words=["w"] * len(tags))
        return [[x.start, x.end, x.label_] for x in biluo_tags_to_spans(doc, tags)]

    def doc_of(document: Case, side: str) -> Doc:
        doc = Doc(vocab, words=["w"] * document["length"])
        doc.ents = [Span(doc, s, e, label) for s, e, label in document[side]]
        return doc

    examples = [Example(doc_of(d, "system"), doc_of(d, "gold")) for d in documents(case)]
    found = Scorer.score_spans(examples, "ents")
    return prf(*(found[f"ents_{name}"] for name in "prf"))


def scikit_learn(case: Case) -> Answer:
    from sklearn.metrics import precision_recall_fscore_support

    sides = [
        [tag[2:] or tag for d in documents(case) for tag in iob2(d, side)]
        for side in ("gold", "system")
    ]
    if not labels(case):
        raise RefusedError("it needs a label")
    how = {"average": case["input"].get("average", "micro"), "zero_division": math.nan}
    found = precision_recall_fscore_support(*sides, labels=labels(case), **how)
    return prf(*map(float, found[:3]))


def nltk(case: Case) -> Answer:
    from nltk.metrics.agreement import AnnotationTask

    rows = case["input"]["labels"]
    data = [(who, str(i), x) for who, row in rows.items() for i, x in enumerate(row) if x]
    task = AnnotationTask(data)
    name = {"K1": "kappa", "K2": "pi", "K3": "alpha"}[case["rule"]]
    return {name: float(getattr(task, name)())}


def krippendorff(case: Case) -> Answer:
    from krippendorff import alpha

    rows = list(case["input"]["labels"].values())
    numbers = {x: i for i, x in enumerate(sorted({x for row in rows for x in row if x}))}
    table = [[math.nan if x is None else numbers[x] for x in row] for row in rows]
    return {"alpha": float(alpha(table, level_of_measurement="nominal"))}


def spanagree(case: Case) -> Answer | list[Any]:
    import spanagree as sa

    given = case["input"]
    if "tags" in given:
        read = sa.from_tags({"x": [given["tags"]]}, scheme=given["scheme"], strict=given["strict"])
        return [[x.start, x.end, x.label] for x in read[0].segments["x"] or ()]
    if "labels" in given:
        rows = [
            (str(i), who, x) for who, row in given["labels"].items() for i, x in enumerate(row) if x
        ]
        result = sa.coefficients(sa.labels.LabelTable.from_rows(rows))
        return {name: getattr(result, name).value for name in case["figures"]}
    if "annotators" in given:
        team = sa.agree(sa.Corpus.from_segments(given["lengths"], given["annotators"]))
        f1 = team.team.f1
        names = ("team_f1", "team_expected_f1", "team_corrected_f1", "mean_f1_over_pairs")
        return dict(zip(names, (*f1[:3], team.mean.observed), strict=True))
    layers = {side: [d[side] for d in documents(case)] for side in ("gold", "system")}
    how = {k: given[k] for k in ("match", "chance", "chance_of", "tolerance") if k in given}
    corpus = sa.Corpus.from_segments([d["length"] for d in documents(case)], layers)
    if any("unplaced" in d for d in documents(case)):
        corpus = with_quotes(corpus, [d["unplaced"] for d in documents(case)])
    system = sa.evaluate(corpus, "gold", **how).systems["system"]
    found = {"matched": system.tally.matched, "expected_matched": system.tally.expected}
    for name in ("precision", "recall", "f1"):
        score = getattr(system.macro if "average" in given else system, name)
        found |= {name: score.observed, f"expected_{name}": score.expected}
        found[f"corrected_{name}"] = score.corrected
    return {name: found[name] for name in case["figures"]}


def with_quotes(corpus: Any, unplaced: Sequence[Sequence[tuple[int, str]]]) -> Any:
    """Add the length and label of each quote of the system that is not in the text, by document."""
    import spanagree as sa
    from spanagree.corpus.unplaced import UnplacedQuotes

    raw = corpus.to_raw()
    of_system = raw.of_annotator == raw.annotators.index("system")
    annotation = {d: i for i, d in enumerate(raw.of_document.tolist()) if of_system[i]}
    lost = [(annotation[d], *quote) for d, quotes in enumerate(unplaced) for quote in quotes]
    at, sizes, labels = zip(*lost, strict=True)
    quotes = UnplacedQuotes.of(at, labels, [""] * len(lost), "tokens", sizes)
    return sa.Corpus.from_raw(raw.but(unplaced=quotes))


ADAPTERS: Mapping[str, Callable[[Case], Answer | list[Any]]] = {
    "seqeval": seqeval,
    "nervaluate": nervaluate,
    "seqscore": seqscore,
    "annotations-evaluate": annotations_evaluate,
    "spaneval": spaneval,
    "spacy": spacy,
    "scikit-learn": scikit_learn,
    "nltk": nltk,
    "krippendorff": krippendorff,
    "spanagree": spanagree,
}


def answer(adapter: Callable[[Case], Answer | list[Any]], case: Case) -> dict[str, Any]:
    """Return the answer to a case: figures, segments, or why it is refused."""
    try:
        found = adapter(case)
    except Exception as error:  # whatever a program raises is its answer
        return {"id": case["id"], "refused": f"{type(error).__name__}: {error}".split("\n")[0]}
    if isinstance(found, list):
        return {"id": case["id"], "segments": sorted(found)}
    figures = {name: None if x is None or math.isnan(x) else float(x) for name, x in found.items()}
    return {"id": case["id"], "figures": figures}


def main() -> None:
    """Answer the cases of standard input."""
    warnings.simplefilter("ignore")
    adapter = ADAPTERS[sys.argv[1]]
    for line in sys.stdin:
        print(json.dumps(answer(adapter, json.loads(line))))


if __name__ == "__main__":
    main()
