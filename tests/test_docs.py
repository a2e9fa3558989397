"""The documentation site: it builds strictly, is complete, and loads nothing from elsewhere."""

from __future__ import annotations

import doctest
import html
import os
import re
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from urllib.parse import unquote

import pytest

import spanagree as sa
from spanagree.cli.group import spanagree

ROOT = Path(__file__).parent.parent
MISSING = [m for m in ("mkdocs", "material", "mkdocstrings", "griffe") if find_spec(m) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"{MISSING}: pip install '.[docs]'")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages of the built site by their path, as HTML; a warning fails the build."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT, capture_output=True, encoding="utf-8", env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {page.relative_to(folder): page.read_text("utf-8") for page in folder.rglob("*.html")}, folder  # fmt: skip


def article(page):
    """What a page itself says, without tags."""
    (body,) = re.findall(r"<article.*?</article>", page, re.S)
    return html.unescape(re.sub(r"<[^>]*>", "", body))


def test_every_page_is_found(site):
    """The navigation is short; each page of docs/, of the corpora, and the changelog is in it, or
    is linked from the first page or from that of the Python reference."""
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2]
    listed = re.findall(r"(\S+\.md)$", nav, re.M)
    assert len(listed) == len(set(listed)) <= 25
    pages = [p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")]
    outside = [f"corpora/{p.parent.name}.md" for p in ROOT.glob("corpora/*/README.md")]
    built, _ = site
    every = {*pages, *outside, "changelog.md"}
    assert {Path(page).with_suffix(".html") for page in every} == set(built) - {Path("404.html")}
    linked = set(re.findall(r'href="([\w/-]+\.html)"', built[Path("index.html")]))
    linked |= {f"api/{x}" for x in re.findall(r'href="(\w+\.html)"', built[Path("api/index.html")])}
    assert {Path(page).with_suffix(".html").as_posix() for page in every - {*listed}} <= linked


def test_links_and_anchors(site):
    """Every link within the site ends at a file that is there, and at a place that it has."""
    built, folder = site
    places = {page: set(re.findall(r'\sid="([^"]+)"', text)) for page, text in built.items()}
    seen = 0
    for page, text in built.items():
        if page.name == "404.html":  # is shown at any address, so its links are absolute
            continue
        for link in re.findall(r'<a\s[^>]*?href="([^"]+)"', text):
            path, _, anchor = unquote(html.unescape(link)).partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = (folder / page.parent / path).resolve() if path else folder.resolve() / page
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{page}: {link}"
            if anchor:
                assert anchor in places[target.relative_to(folder.resolve())], f"{page}: {link}"
            seen += 1
    assert seen > 1000


def test_every_public_name_is_in_the_reference(site):
    """Each name of __all__ has its entry, with what its docstring says first."""
    built, _ = site
    reference = {page: text for page, text in built.items() if page.parts[0] == "api"}
    assert "sa.__version__" in article(reference[Path("api/index.html")])
    names = [f"{each}.{name}" for each in sa.PACKAGES for name in getattr(sa, each).__all__]
    for name in {*names, *sa.__all__} - {"__version__", "errors.SpanAgreeError"}:
        homes = [page for page, text in reference.items() if f'id="spanagree.{name}"' in text]
        assert len(homes) == 1, name
    said = "\n".join(article(text) for text in reference.values())
    for role in (":func:", ":class:", ":data:", "::\n"):
        assert role not in said, "reST is left in a docstring"
    assert ">>> 1 + 1" not in said
    assert "<blockquote>" not in "".join(reference.values()), "a doctest that is taken for quotes"


def test_every_command_is_in_the_reference(site):
    """Each command has its section, with all options, and all choices where one is described."""
    built, _ = site
    page = built[Path("cli.html")]
    for name, command in spanagree.commands.items():
        section = page.partition(f'<h2 id="{name}">')[2].partition("<h2 ")[0]
        assert section, name
        said = article(f"<article>{section}</article>")
        for parameter in command.params:
            if parameter.name != "files" and parameter.opts[0].startswith("-"):
                assert parameter.opts[0] in said, (name, parameter.opts[0])
            described = not getattr(parameter, "described_by", "")
            for choice in getattr(parameter.type, "choices", ()) if described else ():
                assert choice in said, (name, choice)


def test_nothing_is_loaded_from_elsewhere(site):
    """No script, style, font or picture comes from another host, and nothing asks for one."""
    built, folder = site
    assert built
    for page, text in built.items():
        loaded = re.findall(r'\ssrc="([^"]+)"', text)
        loaded += re.findall(r'<link\s[^>]*href="([^"]+)"', text)
        assert loaded
        for address in loaded:
            assert not re.match(r"(https?:)?//", address), f"{page}: {address}"
        assert "mermaid" not in text, "Material loads its renderer from elsewhere"
        assert 'data-md-component="source"' not in text, "Material asks a host about it"
    for style in folder.rglob("*.css"):
        assert not re.search(r"(url\(|@import\s+)[\"']?(https?:)?//", style.read_text("utf-8"))


def test_docstrings_become_markdown():
    """The example of the extension that rewrites docstrings runs."""
    spec = spec_from_file_location("site_docstrings", ROOT / "scripts" / "site_docstrings.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    failed, attempted = doctest.testmod(module)
    assert (failed, attempted) == (0, 1)


def script(name):
    """A module of scripts/."""
    spec = spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_plot_is_shown(site):
    """The page of pictures has one of each command that draws, and of each part that is drawn."""
    pytest.importorskip("matplotlib")
    built, folder = site
    page, pictures = built[Path("pictures.html")], script("site_pictures").PICTURES
    drawn = {command.split()[0] for _, command in pictures.values()}
    can = {n for n, c in spanagree.commands.items() if any("--plot" in p.opts for p in c.params)}
    assert can == drawn
    lines = [command for _, command in pictures.values()]
    for kind, command in (
        (sa.Evaluation, "evaluate"),
        (sa.Agreement, "agree"),
        (sa.Coefficients, "coefficients"),
    ):
        for part in set(kind.DRAWN) - {"pair"}:  # pairs are drawn without being asked for
            assert any(line.startswith(command) and f"--by {part}" in line for line in lines), part
    for name in pictures:
        assert f'src="pictures/{name}.png"' in page
        assert (folder / "pictures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_commands_are_copied_by_themselves(site):
    """A command has a block of its own, without a prompt; what it prints stands in another."""
    built, _ = site
    page = html.unescape(re.sub(r"<(?!/?pre)[^>]*>", "", built[Path("index.html")]))
    blocks = [block.strip() for block in re.findall(r"<pre>(.*?)</pre>", page, re.S)]
    commands = [block for block in blocks if block.startswith("spanagree evaluate corpora")]
    assert commands
    assert all("\n" not in command for command in commands)
    assert not any(block.startswith("$ ") for block in blocks)
    printed = [block for block in blocks if "gold.conll, 103 sentences" in block]
    assert printed
    assert not any("spanagree evaluate" in block for block in printed)


@pytest.mark.slow
def test_nothing_overflows_a_phone(site, browser):
    """At 400 pixels neither a page nor a command, or what it prints, goes on to the right."""
    built, folder = site
    size = {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    commands = 0
    try:
        for page in built:
            if page.parts[0] == "api" or page.name == "404.html":
                continue
            browser.get((folder / page).as_uri())
            wide, code, wider, number = browser.execute_script(
                """return [document.documentElement.scrollWidth,
                     [...document.querySelectorAll(".output code, .language-bash code")]
                       .filter((x) => x.scrollWidth > x.clientWidth + 1).map((x) => x.textContent.slice(0, 60)),
                     [...document.querySelectorAll("article table")]
                       .filter((x) => x.scrollWidth > x.parentElement.clientWidth + 1).map((x) => x.textContent.slice(0, 60)),
                     document.querySelectorAll(".language-bash code").length]"""
            )
            assert page.name != "cli.html" or wider == [], (
                "options and what they do stand side by side"
            )
            assert wide <= 400, page
            assert code == [], page
            commands += number
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert commands > 50
