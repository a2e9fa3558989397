"""A report as one HTML file: figures and charts, and a browser of documents.

The figures are those of the results, rendered here; the browser is made by the script of the page
from the corpus, which is put into the page as JSON, in columns. Nothing is loaded from elsewhere.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import math
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from spanagree.choices import ChanceOrAuto, MatchName
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, pluralize
from spanagree.files import PathName, check_writable, write_bytes
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.report.overview import (
    Overview,
    first,
    references_overview,
    systems_overview,
    team_overview,
)
from spanagree.report.page import pieces
from spanagree.report.page.documents import data_of
from spanagree.results.frame import figure
from spanagree.results.html import Html, escaped, name, number, remarks, table
from spanagree.results.svg import shade
from spanagree.settings import document_noun
from spanagree.slices.metadata import Source
from spanagree.slices.values import SliceBy
from spanagree.version import __version__


def write_report(
    corpus: CorpusLike,
    path: PathName,
    *,
    gold: str | None = None,
    team: bool = False,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    beta: float | None = None,
    measures: bool = False,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    group_by: SliceBy | None = None,
    source: Source = None,
) -> None:
    """Write one HTML file with everything about systems, or about a team of annotators.

    It has the summary, the figures, charts, and every document with the segments of any two of the
    annotators. It opens from disk and loads nothing.

    Args:
        corpus: gold and systems, or annotators, as layers.
        path: the file to write.
        gold: the gold layer; the first unless named.
        team: a report on annotators among each other, without gold.
        match: name of the measure.
        chance: the chance model, nonoverlapping, per-label or overlapping; of auto the
            first of these that the segments of all layers allow.
        beta: of systems against one gold, F-beta too, as for :func:`spanagree.evaluate`.
        measures: whether α_U and γ of a team stand beside F1; γ takes a while.
        references: the annotators that systems are compared with, or all that are not systems.
        systems: the systems, or all that are not references; with these or references the report
            is on systems against many annotators, beside what people reach among themselves.
        group_by: of systems against one gold, or of a team, what slices are, such as a column, as
            for :func:`spanagree.slices.score_slices`; without it there are none.
        source: what has the column.

    Raises:
        InputError: for a path that cannot be written.
        SettingError: as for :func:`spanagree.evaluate`, :func:`spanagree.evaluate_references`,
            :func:`spanagree.agree` and :func:`spanagree.slices.score_slices`; for two of gold,
            team, and references or systems at once, for measures of systems, for slices
            against references, and for F-beta where there is no one gold.

    >>> import spanagree as sa
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> layers = {"gold": [[(0, 1, "X")]] * 9, "mine": [[(0, 1, "X")]] * 8 + [[]]}
    >>> with TemporaryDirectory() as folder:
    ...     write_report(sa.Corpus.from_segments([9] * 9, layers), f"{folder}/report.html")
    ...     Path(f"{folder}/report.html").read_text("utf-8")[:15]
    '<!DOCTYPE html>'
    """
    corpus = as_corpus(corpus)
    check_writable(path)
    against = references is not None or systems is not None
    _check_kind(corpus, gold, team=team, against=against)
    if measures and not team:
        raise SettingError("measures: α_U and γ are for a team; pass team too")
    if group_by is not None and against:
        raise SettingError(
            "group_by: slices are of systems against one gold, or of a team; leave it out"
        )
    if beta is not None and (team or against):
        raise SettingError("beta: F-beta is of systems against one gold; leave it out")
    settings = {"match": match, "chance": chance}
    slicing = {} if group_by is None else {"group_by": group_by, "source": source}
    report: Overview
    if team:
        report = team_overview(corpus, measures, slicing, **settings)
    elif against:
        report = references_overview(corpus, references, systems, **settings)
    else:
        report = systems_overview(corpus, gold, slicing, beta, **settings)
    write_bytes(path, page(report).encode())


def _check_kind(corpus: Corpus, gold: str | None, *, team: bool, against: bool) -> None:
    """Refuse a report that is of two kinds, or a team of one."""
    if against and (team or gold is not None):
        raise SettingError(
            f"{'team' if team else 'gold'} and references or systems; a report on systems"
            " against many annotators has neither gold nor team: leave one of them out"
        )
    if team and gold is not None:
        raise SettingError("gold and team; a report is on systems against gold or on a team")
    if team and len(corpus.layers) < 2:
        annotators = pluralize(len(corpus.layers), "annotator")
        raise SettingError(f"{annotators}; a report on a team needs two")


def page(report: Overview) -> str:
    """Return the text of the file that shows a report."""
    style, script = (_own(f"page.{kind}") for kind in ("css", "js"))
    text: str = (
        _environment()
        .get_template(report.TEMPLATE)
        .render(
            report=report,
            document=document_noun(report.difficulty.settings),
            policy=Html(
                f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}';"
                " base-uri 'none'; form-action 'none'"
            ),
            style=Html(style),
            script=Html(script),
            data=Html(data_of(report)),
        )
    )
    return text


@functools.cache
def _environment() -> Any:
    """Return where the templates are, and what they use; what is not HTML is escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_own),
        autoescape=True,
        finalize=lambda value: value if hasattr(value, "__html__") else escaped(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.tests["nan"] = math.isnan
    environment.globals |= {"version": __version__, "pieces": pieces}
    used = (pluralize, figure, first, name, number, remarks, shade, table)
    environment.globals |= {function.__name__: function for function in used}
    return environment


def _own(file: str) -> str:
    """Return the text of a file beside this one."""
    return files(__name__).joinpath(file).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
