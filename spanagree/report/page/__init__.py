"""A report as one HTML file: figures and charts, and a browser of documents.

The figures are those of the results, rendered here; the browser is made by the script of the page
from the corpus, which is put into the page as JSON, in columns. Nothing is loaded from elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from importlib.resources import files

from spanagree.agreement.agree import agree
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, counted
from spanagree.evaluation.compare_systems import compare_systems
from spanagree.evaluation.evaluate import evaluate
from spanagree.files import PathName, check_writable, write_bytes
from spanagree.levels.by_level import evaluate_levels
from spanagree.levels.difficulty import difficulty
from spanagree.rendering.html import Html, el, escaped, remarks
from spanagree.report.page.documents import data_of
from spanagree.report.page.systems import sections_of_systems
from spanagree.report.page.team import first_pair, sections_of_team
from spanagree.settings import __version__

_LEVELS = 2


_COMPARED = 12  # systems of which each two are tested


_RESAMPLES = 2000


def write_report(
    corpus: Corpus,
    path: PathName,
    *,
    gold: str | None = None,
    team: bool = False,
    match: str = "exact",
    chance: str = "nonoverlapping",
) -> None:
    """Writes one HTML file with everything about systems, or about a team of annotators.

    It has the summary, the figures, charts, and every document with the segments of any two of the
    annotators. It opens from disk and loads nothing.

    Args:
        corpus: gold and systems, or annotators, as layers.
        path: the file to write.
        gold: the gold layer; the first unless named.
        team: a report on annotators among each other, without gold.
        match: as for :func:`spanagree.evaluate`.
        chance: as for :func:`spanagree.evaluate`.

    Raises:
        InputError: for a path that cannot be written.
        SettingError: as for :func:`spanagree.evaluate` and :func:`spanagree.agree`; for gold and
            team at once.
    """
    check_writable(path)
    text = page(corpus, gold=gold, team=team, match=match, chance=chance)
    write_bytes(path, text.encode())


def page(
    corpus: Corpus,
    *,
    gold: str | None = None,
    team: bool = False,
    match: str = "exact",
    chance: str = "nonoverlapping",
) -> str:
    """The text of the file that :func:`write_report` writes."""
    if team and gold is not None:
        raise SettingError("gold and team; a report is on systems against gold or on a team")
    if team and len(corpus.layers) < 2:
        raise SettingError(
            f"{counted(len(corpus.layers), 'annotator')}; a report on a team needs two"
        )
    if team:
        found = agree(corpus, match=match, chance=chance)
        hard = difficulty(corpus, match=match, chance=chance)
        heading, parts = sections_of_team(corpus, found, hard)
        data = data_of(corpus, hard, first_pair(corpus, found))
        return _assembled(heading, parts, data, found.signature, found.notes)
    result = evaluate(corpus, gold, match=match, chance=chance)
    of_gold = result.settings["gold"]
    hard = difficulty(corpus, of_gold, match=match, chance=chance)
    levels = evaluate_levels(result, hard, levels=_LEVELS)
    compared = 1 < len(result.systems) <= _COMPARED
    tested = compare_systems(result, resamples=_RESAMPLES) if compared else None
    heading, parts = sections_of_systems(corpus, levels, hard, tested)
    data = data_of(corpus, hard, (of_gold, next(iter(result.systems))))
    return _assembled(heading, parts, data, levels.signature, (*result.notes, *levels.notes))


def _assembled(
    heading: Html,
    parts: Sequence[tuple[str, str, Html]],
    data: str,
    signature: str,
    notes: Iterable[str],
) -> str:
    """The page: its frame with the sections, data, style and script put in."""
    frame, style, script = (_own(f"page.{kind}") for kind in ("html", "css", "js"))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}';"
        " base-uri 'none'; form-action 'none'"
    )
    sections = [
        el("section", el("h2", heading, id=f"{key}-heading"), body, id=key,
           aria_labelledby=f"{key}-heading")
        for key, heading, body in parts
    ]  # fmt: skip
    links = [el("li", el("a", heading, href=f"#{key}")) for key, heading, _ in parts]
    fields = {
        "policy": policy,
        "heading": heading,
        "links": "".join(links),
        "sections": "".join(sections),
        "notes": remarks(*notes),
        "signature": escaped(f"signature: {signature}"),
        "version": __version__,
        "style": style,
        "data": data,
        "script": script,
    }
    head, *rest = frame.split("{{")
    pieces = [head]
    for part in rest:
        field, _, after = part.partition("}}")
        pieces += [fields[field], after]
    return "".join(pieces)


def _own(file: str) -> str:
    return files("spanagree.report.page").joinpath(file).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
