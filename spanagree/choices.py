"""The names of all choices as types, so that editors complete them.

The tests hold them equal to the tables that say what they mean. Each takes any string too, as names
come from files and command lines; a call refuses the one that its table does not have.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

MatchName: TypeAlias = Literal["exact", "token", "boundaries", "iou", "overlap"] | str
Chance: TypeAlias = Literal["nonoverlapping", "per-label", "overlapping"] | str
Scheme: TypeAlias = Literal[
    "auto", "IO", "IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU",
    "BIO", "BIO1", "BIO2", "BIOES", "BMES", "BMEWO", "BILUO",
] | str  # fmt: skip
Interval: TypeAlias = Literal["bca", "percentile", "jackknife"] | str
ResampleBy: TypeAlias = Literal["unit", "document"] | str
SampledBy: TypeAlias = Literal["annotators", "both"] | str
OnError: TypeAlias = Literal["raise", "skip"] | str
Unit: TypeAlias = Literal["sentence", "document"] | str
Partial: TypeAlias = Literal["error", "drop-tokens"] | str
Discontinuous: TypeAlias = Literal["error", "drop"] | str
Duplicates: TypeAlias = Literal["error", "first"] | str
Weights: TypeAlias = Literal[
    "flat", "annotations", "annotations_m1", "edges", "inverse_variance", "inverse_variance_class"
] | str  # fmt: skip
CategoryWeights: TypeAlias = Literal[
    "identity", "linear", "quadratic", "ordinal", "ratio", "jaccard", "masi"
] | str  # fmt: skip
Measurement: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"] | str
Repair: TypeAlias = Literal[
    "drop-repeats", "latest", "clip-beyond-text", "drop-beyond-text", "strip-space", "drop-empty",
    "drop-unlabelled", "drop-duplicates", "merge-overlaps",
] | str  # fmt: skip
FormatName: TypeAlias = Literal[
    "conll", "jsonl", "spacy", "brat", "inception", "bioc", "pubtator", "label-studio", "prodigy",
    "doccano", "dataset", "hub",
] | str  # fmt: skip
SplitForm: TypeAlias = Literal["jsonl", "conll", "spacy", "dataset"] | str
Empty: TypeAlias = Literal["seen", "unseen"] | str
Offsets: TypeAlias = Literal["tokens", "characters"] | str
Cut: TypeAlias = Literal["error", "expand", "contract", "drop"] | str
Test: TypeAlias = Literal["bootstrap", "permutation"] | str
Kind: TypeAlias = Literal["missed", "spurious", "boundary", "label", "boundary+label"] | str
DisputeSort: TypeAlias = Literal["disagreement", "segments", "surprise"] | str
Sampler: TypeAlias = Literal["chance", "pygamma", "shuffle"] | str
Categorical: TypeAlias = Literal["nominal", "ordinal"] | str
Measure: TypeAlias = Literal["alpha-u", "alpha-u-placed"] | str
Continuum: TypeAlias = Literal["summed", "joined"] | str
Figure: TypeAlias = Literal["observed", "expected", "corrected"] | str
Average: TypeAlias = Literal["micro", "macro", "weighted"]
Cited: TypeAlias = Literal["text", "latex", "bibtex"] | str
Baseline: TypeAlias = Literal["everything", "nothing", "random", "majority"] | str
Vote: TypeAlias = Literal["tokens", "segments"] | str
By: TypeAlias = Literal[
    "label", "document", "pair", "annotator", "category", "share", "segment", "adjudicate",
    "item",
] | str  # fmt: skip
"""What results can be broken down by; each has some of them."""
