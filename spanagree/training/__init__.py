"""Corrected scores for the training loops of spaCy and Hugging Face, and for Inspect."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.training.hugging_face import trainer_metrics as trainer_metrics
    from spanagree.training.inspect_ai import inspect_metric as inspect_metric

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
