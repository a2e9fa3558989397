"""Report as one HTML file: figures, charts, and a browser of documents.

The figures are rendered here. The script of the page builds the browser from the corpus, which the
page contains as JSON, in columns. The page loads nothing else.
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
    build_references_overview,
    build_systems_overview,
    build_team_overview,
    select_first,
)
from spanagree.report.page import pieces
from spanagree.report.page.documents import format_data
from spanagree.results.cells import format_figure
from spanagree.results.html import (
    Html,
    escape_html,
    render_name,
    render_number,
    render_remarks,
    render_table,
)
from spanagree.results.svg import select_shade
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
    """Write an HTML file with all figures of systems, or of a team of annotators.

    It has a summary, figures, charts, and all documents with the segments of any two annotators. It
    opens from disk and loads nothing.

    Args:
        corpus: corpus with gold and systems, or annotators, as layers.
        path: path of the new file.
        gold: name of the gold layer. Default: the first layer.
        team: True for a report on annotators among each other, without gold.
        match: name of the measure.
        chance: chance model: nonoverlapping, per-label or overlapping; auto chooses the first of
            these that the segments of all layers allow.
        beta: β of F-beta of systems against one gold; see :func:`spanagree.evaluate`.
        measures: True to show α_U and γ of a team next to F1; γ takes a while.
        references: annotators that systems are compared with. Default: all who are not systems.
        systems: names of the systems. Default: all who are not references. With ``systems`` or
            ``references`` the report shows systems against many annotators, next to the agreement
            among people.
        group_by: slices of systems against one gold, or of a team, such as a column; see
            :func:`spanagree.slices.score_slices`. Default: no slices.
        source: source of the column.

    Raises:
        InputError: if the path cannot be written.
        SettingError: if settings are invalid, see :func:`spanagree.evaluate`,
            :func:`spanagree.evaluate_references`, :func:`spanagree.agree` and
            :func:`spanagree.slices.score_slices`; if two of gold, team, and references or systems
            are given; for measures of systems, slices against references, or F-beta without one
            gold.

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
    _check_subject(corpus, gold, team=team, against=against)
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
        report = build_team_overview(corpus, measures, slicing, **settings)
    elif against:
        report = build_references_overview(corpus, references, systems, **settings)
    else:
        report = build_systems_overview(corpus, gold, slicing, beta, **settings)
    write_bytes(path, render_page(report).encode())


def _check_subject(corpus: Corpus, gold: str | None, *, team: bool, against: bool) -> None:
    """Check that a report has one subject, and that a team has two annotators.

    The subject is systems against gold, a team, or systems against references.

    Raises:
        SettingError: if arguments of two subjects are passed, or the team has one annotator.
    """
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


def render_page(report: Overview) -> str:
    """Render the HTML of a report."""
    style, script = (_read_file(f"page.{extension}") for extension in ("css", "js"))
    text: str = (
        _build_environment()
        .get_template(report.TEMPLATE)
        .render(
            report=report,
            document=document_noun(report.difficulty.settings),
            policy=Html(
                f"default-src 'none'; script-src '{_compute_hash(script)}';"
                f" style-src '{_compute_hash(style)}';"
                " base-uri 'none'; form-action 'none'"
            ),
            style=Html(style),
            script=Html(script),
            data=Html(format_data(report)),
        )
    )
    return text


@functools.cache
def _build_environment() -> Any:
    """Build the Jinja environment of the page's templates, which escapes text that is not HTML."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_read_file),
        autoescape=True,
        finalize=lambda value: value if hasattr(value, "__html__") else escape_html(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.tests["nan"] = math.isnan
    environment.globals |= {"version": __version__, "pieces": pieces}
    template_functions = (
        pluralize,
        format_figure,
        select_first,
        render_name,
        render_number,
        render_remarks,
        select_shade,
        render_table,
    )
    environment.globals |= {function.__name__: function for function in template_functions}
    return environment


def _read_file(file: str) -> str:
    """Read a file of this folder."""
    return files(__name__).joinpath(file).read_text("utf-8")


def _compute_hash(text: str) -> str:
    """Compute the hash of a style or script for the page's policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
