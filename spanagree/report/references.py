"""The literature that a methods paragraph cites, from ``references.bib``, as text and as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n((?:  .*\n)*)\}\n", re.M)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},\n", re.M)
_SPECIAL = re.compile(r"\\url\{([^{}]*)\}|\{\\['\x22o]\w?\}|\{\$\\gamma\$\}|\\([&_])|--|[{}]")
_NOT_AFTER = ("author", "title", "year", "annote")  # what does not follow the title
_CHARACTERS = {r"{\'e}": "é", r"{\"o}": "ö", r"{\o}": "ø", r"{$\gamma$}": "γ"}
_CHARACTERS |= {"--": "–", "{": "", "}": ""}


class Reference(NamedTuple):
    """One source: what kind it is, its fields in the order of the file as text, and its entry.

    What is not known for certain is left out, and the entry says so in ``annote``, which no
    bibliography prints.
    """

    kind: str
    fields: dict[str, str]
    bibtex: str

    @property
    def authors(self) -> list[tuple[str, str]]:
        """The given and the family name of each author."""
        names = (name.partition(", ") for name in self.fields["author"].split(" and "))
        return [(given, family) for family, _, given in names]

    @property
    def year(self) -> str:
        """The year, empty if it is not known."""
        return self.fields.get("year", "")

    @property
    def short(self) -> str:
        """The source as it is cited.

        >>> REFERENCES["li2024"].short
        'Li et al., 2024'
        """
        families = [family for _, family in self.authors]
        who = " & ".join(families) if len(families) < 3 else f"{families[0]} et al."
        return f"{who}, {self.year}" if self.year else who

    @property
    def text(self) -> str:
        """The source as a line.

        >>> print(REFERENCES["efron1979"].text)
        Bradley Efron. 1979. Bootstrap Methods: Another Look at the Jackknife. The Annals of Statistics 7(1), 1–26.
        """  # noqa: E501 — the line as it is printed
        names = [f"{given} {family}".strip() for given, family in self.authors]
        who = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        where = {k: v for k, v in self.fields.items() if k not in _NOT_AFTER}
        if "volume" in where:
            where["journal"] += f" {where.pop('volume')}"
            where["journal"] += f"({where.pop('number')})" if "number" in where else ""
        parts = [who, self.year, self.fields.get("title"), ", ".join(where.values())]
        return ". ".join(part for part in parts if part) + "."


def entries(bibtex: str) -> Iterator[tuple[str, Reference]]:
    """Yield the entries of BibTeX by key; each field is on a line of its own, in braces."""
    for entry in _ENTRY.finditer(bibtex):
        fields = {name: _SPECIAL.sub(_plain, value) for name, value in _FIELD.findall(entry[3])}
        yield entry[2], Reference(entry[1], fields, entry[0])


def _plain(special: re.Match[str]) -> str:
    """Return what TeX shows for something special."""
    return _CHARACTERS.get(special[0], special[1] or special[2])


def software(version: str) -> Reference:
    """Return the package itself, as released; its authors are those whom its licence names."""
    ((_, reference),) = entries(
        "@misc{spanagree,\n"
        "  author = {{The spanagree authors}},\n"
        "  title = {{spanagree}},\n"
        f"  note = {{Version {version}}},\n"
        "}\n"
    )
    return reference


REFERENCES = dict(entries(files("spanagree.report").joinpath("references.bib").read_text("utf-8")))
"""The sources by the keys that BibTeX knows them by, in the order in which they are listed."""
