"""Corrected scores for the training loops of spaCy and Hugging Face, and for Inspect."""

from spanagree.public import names_of

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.training.hugging_face import trainer_metrics as trainer_metrics
    from spanagree.training.inspect_ai import inspect_metric as inspect_metric

__all__, __getattr__, __dir__ = names_of(__name__, __file__)
