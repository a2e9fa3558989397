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
    from seqeval.metrics.v1 import precision_recall_fscore_support as strict_figures

    given = case["input"]
    if "tags" in given and given["strict"] and case["rule"] != "T1":
        found = scheme.Entities([given["tags"]], getattr(scheme, given["scheme"])).entities[0]
        return [[x.start, x.end, x.tag] for x in found]
    if "tags" in given:
        return [[start, end + 1, label] for label, start, end in get_entities(given["tags"])]
    sides = [[iob2(x, side) for x in given["documents"]] for side in ("gold", "system")]
    how = {"average": given.get("average", "micro"), "mode": "strict", "scheme": scheme.IOB2}
    if "beta" in given:
        how = {"average": "micro", "scheme": scheme.IOB2, "beta": given["beta"]}
        return {"f_beta": float(strict_figures(*sides, **how)[2])}
    if "zero_division" in given:
        how["zero_division"] = given["zero_division"]
    names = ("precision_score", "recall_score", "f1_score")
    return prf(*(float(getattr(metrics, name)(*sides, **how)) for name in names))


def nervaluate(case: Case) -> Answer:
    from nervaluate.evaluator import Evaluator

    sides = [
        [[{"start": s, "end": e - 1, "label": x} for s, e, x in d[side]] for d in documents(case)]
        for side in ("gold", "system")
    ]
    result = Evaluator(*sides, tags=labels(case), loader="dict").evaluate()["overall"]
    strategies = {"boundaries": "exact", "partial": "partial", "type": "ent_type"}
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
    scenarios = {"boundaries": "exact", "partial": "partial", "type": "ent_type"}
    found = report[scenarios.get(case["input"]["match"], "strict")]
    return prf(found.precision, found.recall, found.f1)


def spaneval(case: Case) -> Answer:
    from spaneval import Entity, evaluate
    from spaneval.strategies import EntType, Exact, Partial, Strict

    sides = [
        [[Entity(x, s, e) for s, e, x in d[y]] for d in documents(case)] for y in ("gold", "system")
    ]
    strategies = {"boundaries": Exact, "partial": Partial, "type": EntType}
    strategy = strategies.get(case["input"]["match"], Strict)()
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
    how["beta"] = case["input"].get("beta", 1)
    found = precision_recall_fscore_support(*sides, labels=labels(case), **how)
    return {"f_beta": float(found[2])} if "beta" in case["input"] else prf(*map(float, found[:3]))


def evaluate(case: Case) -> Answer:
    from evaluate import load

    sides = {
        name: [iob2(d, side) for d in documents(case)]
        for name, side in (("references", "gold"), ("predictions", "system"))
    }
    found = load("seqeval").compute(**sides, mode="strict", scheme="IOB2", zero_division=0)
    return prf(*(float(found[f"overall_{name}"]) for name in ("precision", "recall", "f1")))


def nltk(case: Case) -> Answer:
    from nltk.metrics.agreement import AnnotationTask

    rows = case["input"]["labels"]
    data = [(who, str(i), x) for who, row in rows.items() for i, x in enumerate(row) if x]
    task = AnnotationTask(data)
    name = {"K1": "kappa", "K2": "pi", "K3": "alpha", "K8": "kappa"}[case["rule"]]
    return {"mean_kappa" if case["rule"] == "K8" else name: float(getattr(task, name)())}


def krippendorff(case: Case) -> Answer:
    from krippendorff import alpha

    rows = list(case["input"]["labels"].values())
    numbers = {x: i for i, x in enumerate(sorted({x for row in rows for x in row if x}))}
    table = [[math.nan if x is None else numbers[x] for x in row] for row in rows]
    return {"alpha": float(alpha(table, level_of_measurement="nominal"))}


def pygamma_agreement(case: Case) -> Answer:
    from pyannote.core import Segment
    from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum

    continuum = Continuum()
    for who, (spans,) in case["input"]["annotators"].items():
        for start, end, label in spans:
            continuum.add(who, Segment(start, end), label)
    dissimilarity = CombinedCategoricalDissimilarity()
    return {"observed": float(continuum.get_best_alignment(dissimilarity).disorder)}


def spanagree(case: Case) -> Answer | list[Any]:
    import spanagree as sa

    given = case["input"]
    if "tags" in given:
        read = sa.from_tags({"x": [given["tags"]]}, scheme=given["scheme"], strict=given["strict"])
        return [[x.start, x.end, x.label] for x in read[0].segments["x"] or ()]
    kind = next((kind for key, kind in OF_SPANAGREE.items() if key in given), figures_of)
    found = kind(given)
    return {name: found[name] for name in case["figures"]}


def coefficients_of(given: Case) -> dict[str, float]:
    """Return the coefficients of labels."""
    import spanagree as sa

    labels = given["labels"].items()
    rows = [(str(i), who, x) for who, row in labels for i, x in enumerate(row) if x]
    table = sa.labels.LabelTable.from_rows(rows)
    result = sa.coefficients(table, complete_only=given.get("complete_only", False))
    of_pairs = [row["κ"] for row in result.to_rows("pair") if not math.isnan(row["κ"])]
    mean = {"mean_kappa": sum(of_pairs) / len(of_pairs) if of_pairs else math.nan}
    names = ("alpha", "pi", "kappa", "ac1")
    spa = result.spa
    of_spa = {"spa": spa.value, "spa_expected": spa.expected, "spa_corrected": spa.corrected}
    return {**{name: getattr(result, name).value for name in names}, **of_spa, **mean}


def team_of(given: Case) -> dict[str, float]:
    """Return the figures of annotators: of units, or F1 of the team and of each two."""
    import spanagree as sa

    corpus = sa.Corpus.from_segments(given["lengths"], given["annotators"])
    if given.get("measure") == "gamma":
        return {"observed": sa.gamma(corpus, precision=0.5).gamma.observed}
    if "measure" in given:
        units = sa.alpha_u(corpus, continuum=given["continuum"])
        found = {}
        for end, value in [("", units.all), *((f" {k}", v) for k, v in units.labels.items())]:
            found[f"alpha_u{end}"] = value.value
            found |= {f"observed{end}": value.observed, f"expected{end}": value.expected}
        return found
    result = sa.agree(corpus)
    f1 = result.team.f1
    names = ("team_f1", "team_expected_f1", "team_corrected_f1", "mean_f1_over_pairs")
    found = dict(zip(names, (*f1[:3], result.mean.observed), strict=True))
    of_pairs = {f"f1 {a} {b}": pair.f1.observed for (a, b), pair in result.pairs.items()}
    missing = {
        f"f1 {a} {b}": math.nan for a in given["annotators"] for b in given["annotators"] if a < b
    }
    return {**missing, **found, **of_pairs}


def like_seqeval(given: Case) -> dict[str, float]:
    """Return figures with a number for what has nothing to divide by."""
    import spanagree as sa

    sides = [[iob2(d, side) for d in given["documents"]] for side in ("gold", "system")]
    how = {key: given[key] for key in ("average", "zero_division")}
    names = ("precision", "recall", "f1")
    return {name: float(getattr(sa, f"{name}_score")(*sides, **how)) for name in names}


def figures_of(given: Case) -> dict[str, float]:
    """Return the figures of a system against gold."""
    import spanagree as sa

    if given.get("match") == "type":
        counts = sa.systems.strategy_scores(sa.evaluate(corpus_of(given), "gold"))
        right = counts.counts["system"]["type"]
        figures = {name: getattr(right, name) for name in ("precision", "recall", "f1")}
        return {"matched": right.correct, **figures}
    plain = ("match", "chance", "chance_of", "tolerance", "what", "pairs", "undirected")
    how = {k: given[k] for k in (*plain, "untyped", "attribute", "unplaced", "beta") if k in given}
    system = sa.evaluate(corpus_of(given), "gold", **how).systems["system"]
    found = {"matched": system.tally.matched, "expected_matched": system.tally.expected}
    for name in ("precision", "recall", "f1"):
        score = getattr(system.macro if "average" in given else system, name)
        found |= {name: score.observed, f"expected_{name}": score.expected}
        found[f"corrected_{name}"] = score.corrected
    return {**found, "f_beta": system.f_beta.observed} if "beta" in given else found


OF_SPANAGREE: Mapping[str, Callable[[Case], dict[str, float]]] = {
    "labels": coefficients_of,
    "annotators": team_of,
    "zero_division": like_seqeval,
}
"""What computes the figures of a case, by a key of its input; :func:`figures_of` all others."""


def corpus_of(given: Case) -> Any:
    """Return the documents of a case as a corpus of gold and a system."""
    import spanagree as sa

    if given.get("strings"):
        rows = [
            {"id": str(i), **{side: by_label(d[f"{side}_strings"]) for side in ("gold", "system")}}
            for i, d in enumerate(given["documents"])
        ]
        return sa.read(rows, strings=True, spans={"gold": "gold", "system": "system"})
    sides, links = ("gold", "system"), {}
    layers = {side: [[tuple(x) for x in d[side]] for d in given["documents"]] for side in sides}
    if given.get("what") == "relations":
        links = {side: [d[f"{side}_relations"] for d in given["documents"]] for side in sides}
    lengths = [d["length"] for d in given["documents"]]
    corpus = sa.Corpus.from_segments(lengths, layers, relations=links or None)
    if any("unplaced" in d for d in given["documents"]):
        corpus = with_quotes(corpus, [d["unplaced"] for d in given["documents"]])
    return corpus


def by_label(strings: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return strings by label, as answers of a model have them."""
    return {y: [x for x, label in strings if label == y] for _, y in strings}


def with_quotes(corpus: Any, unplaced: Sequence[Sequence[tuple[int, str]]]) -> Any:
    """Add the length and label of each quote of the system that is not in the text, by document."""
    import spanagree as sa
    from spanagree.corpus.unplaced import UnplacedQuotes

    raw = corpus.to_raw()
    of_system = raw.annotator_index == raw.annotators.index("system")
    annotation = {d: i for i, d in enumerate(raw.document_index.tolist()) if of_system[i]}
    lost = [(annotation[d], *quote) for d, quotes in enumerate(unplaced) for quote in quotes]
    at, sizes, labels = zip(*lost, strict=True)
    quotes = UnplacedQuotes.from_texts(at, labels, [""] * len(lost), "tokens", sizes)
    return sa.Corpus.from_raw(raw.replace(unplaced=quotes))


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
    "evaluate": evaluate,
    "pygamma-agreement": pygamma_agreement,
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
