"""Coefficients of agreement on items with labels."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.corpus.label_table import LabelTable as LabelTable
    from spanagree.labels.attributes import attribute_labels as attribute_labels
    from spanagree.labels.by_label import CoefficientsByLabel as CoefficientsByLabel
    from spanagree.labels.by_label import coefficients_by_label as coefficients_by_label
    from spanagree.labels.chance_corrected import ac1 as ac1
    from spanagree.labels.chance_corrected import alpha as alpha
    from spanagree.labels.chance_corrected import kappa as kappa
    from spanagree.labels.chance_corrected import pi as pi
    from spanagree.labels.coefficient import Coefficient as Coefficient
    from spanagree.labels.sparse_agreement import agreement_variance as agreement_variance
    from spanagree.labels.sparse_agreement import spa as spa
    from spanagree.labels.summary import Coefficients as Coefficients
    from spanagree.labels.summary import bias as bias
    from spanagree.labels.summary import category_agreement as category_agreement
    from spanagree.labels.token_coefficients import token_coefficients as token_coefficients

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
