"""Pages of the documentation site that are made from elsewhere: a hook of MkDocs (mkdocs.yml).

The command line's reference comes from the commands themselves. The corpora's READMEs and the
changelog stand outside docs/ and become pages; links to them hold in the repository and the site.
"""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from spanagree.cli.group import spanagree

ROOT = Path(__file__).parent.parent
MARKER = "<!-- the commands -->"
OUTSIDE = {
    "CHANGELOG.md": "changelog.md",
    **{
        readme.relative_to(ROOT).as_posix(): f"corpora/{readme.parent.name}.md"
        for readme in sorted(ROOT.glob("corpora/*/README.md"))
    },
}
"""Pages by their file in the repository: their place in the site."""


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Adds the pages that stand outside docs/."""
    for path, place in OUTSIDE.items():
        files.append(File.generated(config, place, content=(ROOT / path).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Puts the commands where the marker is, and points links at the pages' places in the site."""
    here = page.file.src_uri
    if MARKER in markdown:
        markdown = markdown.replace(MARKER, commands())
    folder = f"docs/{here}".rpartition("/")[0]
    for path, place in OUTSIDE.items():
        in_repository = os.path.relpath(path, folder).replace(os.sep, "/")
        in_site = os.path.relpath(place, os.path.dirname(here) or ".").replace(os.sep, "/")
        markdown = markdown.replace(f"]({in_repository})", f"]({in_site})")
    return markdown


def commands() -> str:
    """All commands, with their arguments and options, as Markdown."""
    return "\n\n".join(
        _command(name, command) for name, command in sorted(spanagree.commands.items())
    )


def _command(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=f"spanagree {name}")
    rows = [_option(p, context) for p in command.get_params(context) if isinstance(p, click.Option)]
    return "\n".join(
        [
            f"## {name}",
            "",
            f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```",
            "",
            _prose(command.help or ""),
            "",
            "| option | | default |",
            "|---|---|---|",
            *rows,
        ]
    )


def _prose(said: str) -> str:
    """Help as Markdown: what click must not wrap, after \\b, are commands."""
    paragraphs = []
    for paragraph in inspect.cleandoc(said).split("\n\n"):
        if paragraph.startswith("\b\n"):
            paragraphs.append(f"```text\n{paragraph[2:]}\n```")
        else:
            paragraphs.append(_escaped(" ".join(paragraph.split())))
    return "\n\n".join(paragraphs)


def _option(option: click.Option, context: click.Context) -> str:
    names, said = option.get_help_record(context) or ("", "")
    default = re.search(r"\s*\[default: (.*)\]$", said)
    choices = getattr(option.type, "choices", ())
    names = names.partition("[")[0] if choices else names
    told = _escaped(said[: default.start()] if default else said)
    if choices:
        told += " " * bool(told) + "One of " + ", ".join(f"`{choice}`" for choice in choices) + "."
    return f"| `{names.strip()}` | {_cell(told)} | {_cell(default[1] if default else '')} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")
