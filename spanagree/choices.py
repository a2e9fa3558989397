"""Types of all choices, so that editors complete their names, and default values.

The command line lists the choices in its help without loading the tables that explain them. Type
checkers do not read names from a table, so they are repeated here, and the tests hold both equal.
Each type also allows any string, as names come from files and command lines; functions raise an
error for names that are not in the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias, get_args

MatchName: TypeAlias = Literal["exact", "token", "boundaries", "iou", "overlap", "partial"]
Chance: TypeAlias = Literal["nonoverlapping", "per-label", "overlapping"] | str
ChanceOrAuto: TypeAlias = Literal["auto", "nonoverlapping", "per-label", "overlapping"] | str
ChanceOf: TypeAlias = Literal["both", "systems"] | str
Scheme: TypeAlias = Literal[
    "auto", "IO", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU",
    "BIO", "BIO1", "BIO2", "BIOES", "BMES", "BMEWO", "BILUO",
] | str  # fmt: skip
ClusterBy: TypeAlias = Literal["document", "text", "sentence"] | str
Over: TypeAlias = Literal["documents", "annotators"] | str
Unit: TypeAlias = Literal["sentence", "document"] | str
Partial: TypeAlias = Literal["error", "drop-tokens"] | str
What: TypeAlias = Literal["segments", "relations", "attributes"] | str
Pairs: TypeAlias = Literal["types", "all", "sentence"] | str
Arguments: TypeAlias = Literal["fixed", "common"] | str
Discontinuous: TypeAlias = Literal["keep", "hull", "split", "drop", "error"] | str
Repeats: TypeAlias = Literal["once", "error"] | str
Unplaced: TypeAlias = Literal["wrong", "ignore"] | str
Duplicates: TypeAlias = Literal["error", "first"] | str
Weights: TypeAlias = Literal[
    "flat", "annotations", "annotations_m1", "edges", "inverse_variance", "inverse_variance_class"
] | str  # fmt: skip
CategoryWeights: TypeAlias = Literal[
    "identity", "linear", "quadratic", "ordinal", "ratio", "jaccard", "masi"
] | str  # fmt: skip
Measurement: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"] | str
Repair: TypeAlias = Literal[
    "join-pieces", "drop-repeats", "latest", "relocate-by-text", "drop-misplaced",
    "clip-beyond-text", "drop-beyond-text", "strip-space", "widen-points", "drop-empty",
    "drop-unlabelled", "drop-duplicates", "merge-overlaps", "drop-relations",
] | str  # fmt: skip
FormatName: TypeAlias = Literal[
    "conll", "jsonl", "spacy", "brat", "inception", "bioc", "pubtator", "xml", "mqm", "qe-tags",
    "label-studio", "prodigy", "doccano", "langextract", "batch-output", "spacy-pairs",
    "spacy-json", "tagged-lines", "dataturks", "gliner", "dygie", "docred", "spert",
    "pubannotation", "tecoholic", "gate", "lighttag", "ubiai", "ground-truth", "squad",
    "universalner", "bigbio", "argilla", "hatexplain", "mqm-answers", "toxic-spans", "kaggle",
    "crowdtruth", "esa", "esa-lines", "seg-rating", "m2", "ua-gec", "propaganda", "i2b2-con",
    "tagtog", "potato", "factgenie", "by-id", "textgrid", "elan", "rttm", "labels", "sections",
    "subtitles", "times", "paths", "dataset", "hub",
] | str  # fmt: skip
Writable: TypeAlias = Literal[
    "conll", "jsonl", "spacy", "brat", "inception", "label-studio", "prodigy", "doccano",
    "textgrid", "rttm", "times", "dataset",
] | str  # fmt: skip
AnnotatorFrom: TypeAlias = Literal[
    "id", "email", "session", "file", "tier", "participant", "annotator"
] | str  # fmt: skip
LabelFrom: TypeAlias = Literal["text", "tier", "both"] | str
InProgress: TypeAlias = Literal["auto", "saw", "unseen"] | str
SplitForm: TypeAlias = Literal["jsonl", "conll", "spacy", "dataset"] | str
Absent: TypeAlias = Literal["unseen", "unmarked"] | str
Join: TypeAlias = Literal["text"] | str
Ends: TypeAlias = Literal["exclusive", "inclusive"] | str
Offsets: TypeAlias = Literal["tokens", "characters"] | str
Cut: TypeAlias = Literal["error", "expand", "contract", "drop"] | str
Test: TypeAlias = Literal["jackknife", "permutation", "bootstrap"] | str
Kind: TypeAlias = Literal["missed", "spurious", "boundary", "label", "boundary+label"] | str
AnnotatorSort: TypeAlias = Literal[
    "corrected", "observed", "gain", "p", "documents", "segments", "outlier"
] | str  # fmt: skip
DisputeSort: TypeAlias = Literal["disagreement", "segments", "unexpected"] | str
Sampler: TypeAlias = Literal["chance", "pygamma", "shuffle"] | str
Categorical: TypeAlias = Literal["nominal", "ordinal"] | str
Continuum: TypeAlias = Literal["summed", "joined"] | str
Figure: TypeAlias = Literal["observed", "expected", "corrected"] | str
Average: TypeAlias = Literal["micro", "macro", "weighted"]
Shown: TypeAlias = Literal["text", "json", "csv", "markdown", "latex"] | str
Style: TypeAlias = Literal["bold", "acl", "plain"] | str
Cited: TypeAlias = Literal["text", "latex", "bibtex"] | str
Baseline: TypeAlias = Literal["everything", "nothing", "random", "majority"] | str
Vote: TypeAlias = Literal["tokens", "segments", "dawid-skene"] | str
LabelScore: TypeAlias = Literal["accuracy", "neg-rmse"] | str
By: TypeAlias = Literal[
    "label", "document", "pair", "annotator", "category", "share", "segment", "adjudicate",
    "item",
] | str  # fmt: skip
"""Views of results; each result has some of them."""


BY: dict[str, tuple[str, ...]] = {
    "ReferenceEvaluation": ("annotator", "label"),
    "Agreement": ("pair", "annotator", "label", "document"),
    "Coefficients": ("category", "annotator", "pair", "item"),
    "Disputes": ("document",),
    "Evaluation": ("label", "document"),
    "Gold": ("segment", "adjudicate"),
    "AltTest": ("annotator",),
}
"""Views of the results that the command line breaks down, by the public name of their class."""

ONE_TO_ONE: tuple[str, ...] = ("overlap", "partial")
"""Measures that pair segments one to one; their chance may be estimated from draws."""

SLICES: tuple[str, ...] = ("length", "seen")
"""Classes of segments that results can be broken down by, in addition to columns of metadata."""

MIN_ANNOTATORS = 2
"""Number of annotators that a document needs for a vote."""

TIME_LIMIT = 60.0
"""Seconds after which γ ends by default."""

MAJORITY = "majority"
"""Name of the layer that a vote creates."""

NOTHING = "nothing"
"""The name of the baseline that marks nothing."""

DRAWS = 100
"""Number of draws for the chance of the best match."""

HALF = 0.5
"""Share of the annotators that has to be exceeded for a mark, as in the Mu-SHROOM task."""


def select_gold_names(names: Iterable[str]) -> list[str]:
    """Select the names that contain the word gold.

    >>> select_gold_names(["mine", "Gold.conll"])
    ['Gold.conll']
    """
    return [name for name in names if "gold" in name.lower()]


def list_names(choice: Any) -> tuple[str, ...]:
    """List the names of a choice by its type, in the order of the table that explains them.

    >>> list_names(Unit)
    ('sentence', 'document')
    """
    inner = get_args(choice)
    return get_args(inner[0]) if str in inner else inner
