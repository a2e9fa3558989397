"""How far sets of marked spans agree beyond luck.

A tour::

    import spanagree as sa
    corpus = sa.read_conll({"gold": "gold.conll", "mine": "mine.conll"})   # or any other door
    result = sa.evaluate(corpus, gold="gold", match="exact", chance="nonoverlapping")
    f1 = result.systems["mine"].f1
    f1.observed, f1.expected, f1.corrected      # raw, by luck alone, beyond luck
    result.systems["mine"].labels["PER"].f1     # by label
    result.signature                            # the settings that made the numbers
    sa.agree(corpus).team.f1                    # annotators against each other, two or thousands
    sa.start_distribution(length=100, segments=[1, 5, 10, 15])             # the model by itself
"""

from spanagree.agreement import Agreement, agree
from spanagree.chance import start_distribution
from spanagree.corpus import Change, Corpus, Document, Layer, Segment
from spanagree.errors import InputError, SettingError, SpanAgreeError
from spanagree.evaluation import Evaluation, Macro, Rank, System, evaluate
from spanagree.formats import (
    from_dataset,
    from_docs,
    from_tags,
    read_brat,
    read_conll,
    read_docbin,
    read_jsonl,
    to_dataset,
    to_docs,
    write_conll,
    write_docbin,
    write_jsonl,
)
from spanagree.tally import Score, Tallies, Tally
from spanagree.version import __version__

__all__ = [
    "Agreement",
    "Change",
    "Corpus",
    "Document",
    "Evaluation",
    "InputError",
    "Layer",
    "Macro",
    "Rank",
    "Score",
    "Segment",
    "SettingError",
    "SpanAgreeError",
    "System",
    "Tallies",
    "Tally",
    "__version__",
    "agree",
    "evaluate",
    "from_dataset",
    "from_docs",
    "from_tags",
    "read_brat",
    "read_conll",
    "read_docbin",
    "read_jsonl",
    "start_distribution",
    "to_dataset",
    "to_docs",
    "write_conll",
    "write_docbin",
    "write_jsonl",
]
