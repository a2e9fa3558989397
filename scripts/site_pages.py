"""Pages of the documentation site that are made from elsewhere: a hook of MkDocs (mkdocs.yml).

The command line's reference comes from the commands themselves, the pictures from what they draw.
The corpora's READMEs and the changelog stand outside docs/ and become pages; links to them hold in
the repository and the site.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from spanagree.cli.group import spanagree
from spanagree.cli.help_pages import find_describing_command
from spanagree.cli.options import Formats

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))  # hooks are not a package
import site_pictures  # noqa: E402 — found by the line above

MARKER = "<!-- the commands -->"
PICTURES = "<!-- the pictures -->"
CONSOLE = re.compile(r"^```console\n\$ (.*)\n((?:.*\n)*?)```$", re.M)
CODE = re.compile(r"<code>.*?</code>", re.S)
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]{0,22}(?![\w-])")  # longer ones would not fit a phone
OUTSIDE = {
    "CHANGELOG.md": "changelog.md",
    **{
        readme.relative_to(ROOT).as_posix(): f"corpora/{readme.parent.name}.md"
        for readme in sorted(ROOT.glob("corpora/*/README.md"))
    },
}
"""Pages by their file in the repository: their place in the site."""


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Add the pages that stand outside docs/, and the pictures."""
    for path, place in OUTSIDE.items():
        files.append(File.generated(config, place, content=(ROOT / path).read_text("utf-8")))
    for name, picture in site_pictures.draw().items():
        files.append(File.generated(config, f"pictures/{name}.png", content=picture))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Put commands and pictures where the markers are, and point links at their places in the site.

    A command and what it prints become two blocks, so that the command is copied by itself.
    """
    here = page.file.src_uri
    if MARKER in markdown:
        markdown = markdown.replace(MARKER, commands())
    markdown = CONSOLE.sub(_apart, markdown.replace(PICTURES, site_pictures.markdown()))
    folder = f"docs/{here}".rpartition("/")[0]
    if here == OUTSIDE["CHANGELOG.md"]:
        markdown = markdown.replace("](docs/", "](")
    for path, place in OUTSIDE.items():
        in_repository = os.path.relpath(path, folder).replace(os.sep, "/")
        in_site = os.path.relpath(place, os.path.dirname(here) or ".").replace(os.sep, "/")
        markdown = markdown.replace(f"]({in_repository})", f"]({in_site})")
    return markdown


def on_page_content(html: str, **_: Any) -> str:
    """Mark options in code, so that a line does not break at their hyphens."""
    return CODE.sub(lambda code: OPTION.sub(r'<span class="option">\g<0></span>', code[0]), html)


def _apart(block: re.Match[str]) -> str:
    """Return a command in a block that can be copied, and what it prints in another."""
    command, printed = block.groups()
    shown = f"\n\n``` {{.text .output}}\n{printed}```" if printed else ""
    return f"```bash\n{command}\n```{shown}"


def commands() -> str:
    """Return all commands, with their arguments and options, as Markdown."""
    return "\n\n".join(
        _command(name, command) for name, command in sorted(spanagree.commands.items())
    )


def _command(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=f"spanagree {name}")
    parts = [
        f"## {name}",
        f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```",
        _prose(command.help or ""),
    ]
    for title, options in _groups(command, context).items():
        rows = [_option(option, context) for option in options]
        parts += [f"**{title}**", "\n".join(["| option | what it does |", "|---|---|", *rows])]
    for other, names in _elsewhere(command).items():
        listed = ", ".join(f"`{name}`" for name in names)
        parts.append(f"**Reading**, as [{other}](#{other}) describes: {listed}.")
    return "\n\n".join(parts)


def _elsewhere(command: click.Command) -> dict[str, list[str]]:
    """Return the names of options that another command describes, by that command."""
    names: dict[str, list[str]] = {}
    for option in command.params:
        if isinstance(option, click.Option) and (other := find_describing_command(option)):
            names.setdefault(other, []).append(option.opts[-1])
    return names


def _groups(command: click.Command, context: click.Context) -> dict[str, list[click.Option]]:
    """Return the options that a command describes, by their heading in the help."""
    groups: dict[str, list[click.Option]] = {}
    for option in command.get_params(context):
        if isinstance(option, click.Option) and not find_describing_command(option):
            heading = getattr(option, "heading", "") or "Help"
            groups.setdefault(heading, []).append(option)
    return groups


def _prose(text: str) -> str:
    """Return help as Markdown: what click must not wrap, after \\b, are commands."""
    paragraphs = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b\n"):
            paragraphs.append(f"```bash\n{paragraph[2:]}\n```")
        else:
            paragraphs.append(_escaped(" ".join(paragraph.split())))
    return "\n\n".join(paragraphs)


def _option(option: click.Option, context: click.Context) -> str:
    names, text = option.get_help_record(context) or ("", "")
    default = re.search(r"\s*\[default: (.*)\]$", text)
    choices = getattr(option.type, "choices", ())
    meaning = _escaped(text[: default.start()] if default else text)
    for choice in choices:
        meaning = re.sub(rf"(?<=[:,] ){re.escape(choice)}(?=[,.])", f"`{choice}`", meaning)
    if isinstance(option.type, Formats):  # too many for --help
        meaning += f" All: {', '.join(f'`{name}`' for name in choices)}."
    meaning = re.sub(r"(?<![\w`-])--[a-z][a-z-]+", r"`\g<0>`", meaning)
    if default:
        meaning += f" *Default: {_escaped(default[1])}.*"
    return f"| `{names.strip()}` | {_cell(meaning)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")
