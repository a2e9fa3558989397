"""spanagree as a metric for `evaluate.load`: seqeval's figures, and exact chance beside them."""

import datasets
import evaluate

import spanagree as sa

_DESCRIPTION = """\
Precision, recall and F1 of sequences of tags, as seqeval gives them, and beside each what chance
alone would give and the figure corrected for chance. The chance term is exact: no seed, no
simulation."""

_CITATION = """\
@inproceedings{li2024, title={Estimating Agreement by Chance for Sequence Annotation},
  author={Li, Diya and Rosé, Carolyn and Yuan, Ao and Zhou, Chunxiao}, booktitle={ACL}, year={2024}}
"""

_INPUTS = """
Args:
    predictions: the system's tags, a list of tag lists.
    references: the gold tags, as many.
    suffix: whether prefixes stand behind labels, as in PER-B.
    scheme: for mode="strict": IOB1, IOB2, IOE2, IOBES, BILOU.
    mode: strict takes only segments that are well-formed in the scheme.
    zero_division: what a figure is that has nothing to divide by: 0, 1, or warn (0 and a warning).
    chance: the chance model, nonoverlapping, per-label or overlapping.

Returns:
    overall_precision, overall_recall, overall_f1 and overall_accuracy; overall_chance_f1,
    overall_corrected_precision, overall_corrected_recall and overall_corrected_f1; and for each
    label a dictionary of precision, recall, f1, number, chance_f1 and corrected_f1.
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class SpanAgree(evaluate.Metric):
    """The metric, with the keys of the metric `seqeval` and those of chance."""

    def _info(self):
        tags = datasets.Sequence(datasets.Value("string"))
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": tags, "references": tags}),
        )

    def _compute(self, predictions, references, **options):
        report = sa.classification_report(references, predictions, output_dict=True, **options)
        rows = {
            name: {
                "precision": row["precision"],
                "recall": row["recall"],
                "f1": row["f1-score"],
                "number": row["support"],
                "chance_f1": row["chance-f1-score"],
                "corrected_f1": row["corrected-f1-score"],
            }
            for name, row in report.items()
            if not name.endswith(" avg")
        }
        overall = report["micro avg"]
        pairs = zip(references, predictions, strict=True)
        same = [g == p for pair in pairs for g, p in zip(*pair, strict=True)]
        return rows | {
            "overall_precision": overall["precision"],
            "overall_recall": overall["recall"],
            "overall_f1": overall["f1-score"],
            "overall_accuracy": sum(same) / len(same) if same else float("nan"),
            "overall_chance_f1": overall["chance-f1-score"],
            "overall_corrected_precision": overall["corrected-precision"],
            "overall_corrected_recall": overall["corrected-recall"],
            "overall_corrected_f1": overall["corrected-f1-score"],
        }
