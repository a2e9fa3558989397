"""The page of a report from its templates; its style, script and data are written into it."""

from __future__ import annotations

import base64
import functools
import hashlib
import math
from importlib.resources import files
from typing import Any

from spanagree.errors import pluralize
from spanagree.report.overview import Overview
from spanagree.report.page import charts, deciding_f1, elements, matrices, tables
from spanagree.report.page.documents import format_data
from spanagree.report.systems_overview import select_first
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
from spanagree.version import __version__

_MODULES = (charts, deciding_f1, elements, matrices, tables)
_FUNCTIONS = (
    pluralize,
    format_figure,
    select_first,
    render_name,
    render_number,
    render_remarks,
    select_shade,
    render_table,
)
"""Modules and functions that the templates use by their names."""


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
    environment.globals["version"] = __version__
    for module in _MODULES:
        environment.globals[module.__name__.rpartition(".")[2]] = module
    for function in _FUNCTIONS:
        environment.globals[function.__name__] = function
    return environment


def _read_file(file: str) -> str:
    """Read a file of this folder."""
    return files(__package__).joinpath(file).read_text("utf-8")


def _compute_hash(text: str) -> str:
    """Compute the hash of a style or script for the page's policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
