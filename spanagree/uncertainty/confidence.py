"""The request for confidence intervals: their level, their clusters, and annotators as a sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.errors import SettingError, check_choice, quote_value
from spanagree.settings import format_kinds_and_confidence

if TYPE_CHECKING:
    from spanagree.choices import ClusterBy, Over

CLUSTER_BY = {
    "document": "whole documents with all their sentences, or with --group-by whole groups",
    "text": "each text by itself of documents that were joined of texts, with their chance",
    "sentence": "each sentence; with --unit document, each by itself of those that were joined",
}
"""Kinds of clusters to leave out one at a time, by name."""

OVER = {
    "documents": "other documents, for the annotators who are there",
    "annotators": "other annotators too, in a second interval",
}
"""Samples that intervals generalize over, by name."""

LEAST_UNITS = 3
"""Least number of units of a sample, such as annotators or runs, for an interval over it.

With two units, only one is left when the other is left out.
"""

FEW_ANNOTATORS = 10
"""Least number of annotators for a reliable interval (``scripts/simulate_annotators.py``)."""

_BOTH = "documents+annotators"


@dataclass(frozen=True)
class Jackknife:
    """The request for confidence intervals; ``ci=True`` stands for ``ci=Jackknife()``.

    Attributes:
        confidence: level of the intervals, in per cent.
        cluster_by: unit to leave out at a time. Default: the documents as they were read. With
            document, all sentences of a document together; with text or sentence, each text or
            sentence of a joined document.
        over: sampled units: documents; annotators adds a second interval for a team of three or
            more.

    Raises:
        SettingError: if the confidence is not between 1 and 100, or a name is unknown.

    >>> Jackknife(confidence=99).settings()
    {'ci': 'jackknife-t99'}
    """

    confidence: float = 95
    cluster_by: ClusterBy | None = None
    over: Over = "documents"

    def __post_init__(self) -> None:
        if self.cluster_by is not None:
            check_choice(self.cluster_by, CLUSTER_BY, "cluster_by")
        check_choice(self.over, OVER, "over")
        c = self.confidence
        if not isinstance(c, (Real, np.floating)) or isinstance(c, bool) or not 1 < c < 100:
            raise SettingError(
                f"confidence {quote_value(c)}; a percentage above 1 and below 100, such as 95, is"
                " needed"
            )

    @property
    def tail(self) -> float:
        """Probability beyond each end of an interval."""
        return (1 - self.confidence / 100) / 2

    @property
    def over_annotators(self) -> bool:
        """Whether the intervals also generalize to other annotators."""
        return self.over == "annotators"

    def settings(self, kinds: Iterable[str] = ()) -> dict[str, Any]:
        """Build the settings that identify the intervals.

        Args:
            kinds: methods of the computed intervals.

        >>> Jackknife(cluster_by="document").settings(["exact", "jackknife-t"])
        {'ci': 'jackknife-t95+exact95', 'cluster_by': 'document'}
        """
        settings = {"ci": format_kinds_and_confidence(kinds, self.confidence)}
        if self.cluster_by is not None:
            settings["cluster_by"] = self.cluster_by
        return {**settings, "over": _BOTH} if self.over_annotators else settings

    def by_text(self, settings: Mapping[str, Any]) -> bool:
        """Decide whether each text or sentence of a joined document is left out by itself."""
        by_sentence = self.cluster_by == "sentence" and settings.get("unit") == "document"
        return by_sentence or self.cluster_by == "text"

    def wholes_of(self, parent_ids: Ints | None, settings: Mapping[str, Any]) -> Ints | None:
        """Find the cluster of each document; ``None`` if each document is its own cluster.

        Args:
            parent_ids: index of the document that each sentence was cut from; ``None`` if unknown.
            settings: settings under which the corpus was read.

        Raises:
            SettingError: if the documents of the sentences are unknown, or the corpus has no
                sentences.
        """
        if self.by_text(settings):
            raise SettingError(
                f"cluster_by {self.cluster_by}: here chance is not that of joined documents, or"
                " cannot be shared out over their texts; choose document, or leave it out"
            )
        if self.cluster_by == "sentence" and settings.get("unit") != "sentence":
            raise SettingError(
                "cluster_by sentence: the documents were not read as sentences; leave it out, or"
                " choose text if they were joined with group_by"
            )
        if self.cluster_by != "document":
            return None
        if parent_ids is None and settings.get("unit") == "sentence":
            raise SettingError(
                "cluster_by document: it is not known which sentences are one document; the files"
                " need -DOCSTART- lines between documents, or leave it out"
            )
        return parent_ids


USUAL = Jackknife()


def parse_ci(
    ci: bool | Jackknife, *, of_team: bool = False, clusters: bool = True
) -> Jackknife | None:
    """Convert the ``ci`` argument to a request for intervals; ``None`` if none are requested.

    Args:
        ci: True for the defaults, False for none, or a :class:`Jackknife`.
        of_team: True if the result is of a team, so that intervals over annotators are allowed.
        clusters: True if `cluster_by` is allowed.

    Raises:
        SettingError: if ``ci`` has another type, requests annotators without a team, or requests
            clusters that are not allowed.
    """
    if isinstance(ci, Jackknife):
        if ci.over_annotators and not of_team:
            raise SettingError("over annotators: it is for the F1 of a team (agree); leave it out")
        if ci.cluster_by is not None and not clusters:
            raise SettingError(
                f"cluster_by {ci.cluster_by}: intervals of units are over documents as they were"
                " read; leave it out, or read whole documents (unit)"
            )
        return ci
    if not isinstance(ci, (bool, np.bool_)):
        raise SettingError(
            f"ci {quote_value(ci)}; True, False or sa.Jackknife(confidence=…, cluster_by=…,"
            " over=…) is needed"
        )
    return USUAL if ci else None


def add_interval_settings(
    settings: Any, jackknife: Jackknife | None, methods: Iterable[str] = ()
) -> Any:
    """Add the settings of requested intervals to other settings; unchanged without a request."""
    return settings if jackknife is None else replace(settings, **jackknife.settings(methods))
