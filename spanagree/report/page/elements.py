"""Elements of the page: short names and numbers, and what is folded or side by side."""

from __future__ import annotations

from collections.abc import Mapping

from spanagree.errors import truncate
from spanagree.results.html import LONGEST, Html, build_element, render_name, render_number
from spanagree.results.verdict import format_short


def render_short_name(name: str, short_names: Mapping[str, str], longest: int = LONGEST) -> Html:
    """Render a short name with the full name as its title."""
    short_name = short_names.get(name, name)
    if short_name == name:
        return render_name(name, longest)
    return build_element("bdi", truncate(short_name, longest), title=name)


def render_short_number(value: float) -> Html:
    """Mark up a figure of a sentence as verdicts print it."""
    return render_number(value, format_short(value))


def render_folded(title: str, body: Html) -> Html:
    """Render a folded element that a reader can open."""
    return build_element("details", build_element("summary", title), body, class_="fold")


def put_side_by_side(*elements: Html) -> Html:
    """Put elements side by side if the window is wide."""
    return build_element(
        "div", *(build_element("div", element) for element in elements if element), class_="beside"
    )
