"""Arguments that have to be an evaluation."""

from __future__ import annotations

from spanagree.errors import SettingError
from spanagree.systems.result import Evaluation


def check_evaluation(given: object, what: str) -> None:
    """Refuse what is not an evaluation.

    Raises:
        SettingError: naming ``what`` needs one, and what gives one.
    """
    if not isinstance(given, Evaluation):
        raise SettingError(
            f"{what}: {type(given).__name__}; an evaluation is needed, as evaluate(corpus) gives"
        )
