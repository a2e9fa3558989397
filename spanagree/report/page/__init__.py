"""Report as one HTML file: figures, charts, and a browser of documents.

The figures are rendered here. The script of the page builds the browser from the corpus, which the
page contains as JSON, in columns. The page loads nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanagree.choices import ChanceOrAuto, MatchName
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, pluralize
from spanagree.files import PathName, check_writable, write_bytes
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.report.overview import Overview
from spanagree.report.page.render import render_page
from spanagree.report.references_overview import build_references_overview
from spanagree.report.systems_overview import build_systems_overview
from spanagree.report.team_overview import build_team_overview
from spanagree.slices.metadata import Source
from spanagree.slices.values import SliceBy


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
