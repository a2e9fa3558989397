"""Sources that methods paragraphs cite, read from ``references.bib``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from spanagree.version import YEAR, __version__

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n((?:  .*\n)*)\}\n", re.M)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},\n", re.M)
_SPECIAL = re.compile(r"\\url\{([^{}]*)\}|\{\\['\x22oO]\w?\}|\{\$\\gamma\$\}|\\([&_])|--|[{}]")
_UNDATED = "n.d."  # styles of BibTeX warn of an entry without a year
_NOT_AFTER = ("author", "title", "year", "annote")  # fields that do not follow the title
_CHARACTERS = {
    r"{\'e}": "é",
    r"{\'i}": "í",
    r"{\"o}": "ö",
    r"{\o}": "ø",
    r"{\O}": "Ø",
    r"{$\gamma$}": "γ",
    "--": "–",
    "{": "",
    "}": "",
}


class Reference(NamedTuple):
    """Source: its type, its fields as text in the order of the file, and its BibTeX entry.

    Uncertain fields are left out; ``annote``, which no bibliography prints, mentions them.
    """

    entry_type: str
    fields: dict[str, str]
    bibtex: str

    @property
    def authors(self) -> list[tuple[str, str]]:
        """Given and family name of each author."""
        names = (name.partition(", ") for name in self.fields["author"].split(" and "))
        return [(given_name, family_name) for family_name, _, given_name in names]

    @property
    def year(self) -> str:
        """Year, empty if it is unknown."""
        return self.fields.get("year", "").replace(_UNDATED, "")

    @property
    def short_citation(self) -> str:
        """Citation in a text.

        >>> REFERENCES["li2024"].short_citation
        'Li et al., 2024'
        """
        families = [family for _, family in self.authors]
        authors = " & ".join(families) if len(families) < 3 else f"{families[0]} et al."
        return f"{authors}, {self.year}" if self.year else authors

    @property
    def text(self) -> str:
        """Entry of a list of references.

        >>> print(REFERENCES["holm1979"].text)
        Sture Holm. 1979. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics 6(2), 65–70.
        """  # noqa: E501 — printed as one line
        names = [f"{given_name} {family_name}".strip() for given_name, family_name in self.authors]
        authors = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        location = {key: value for key, value in self.fields.items() if key not in _NOT_AFTER}
        if "volume" in location:
            location["journal"] += f" {location.pop('volume')}"
            location["journal"] += f"({location.pop('number')})" if "number" in location else ""
        text_parts = [authors, self.year, self.fields.get("title"), ", ".join(location.values())]
        return ". ".join(text_part for text_part in text_parts if text_part) + "."


def parse_bibtex(bibtex: str) -> Iterator[tuple[str, Reference]]:
    """Yield the entries of BibTeX by key; each field is on a line of its own, in braces."""
    for entry in _ENTRY.finditer(bibtex):
        fields = {
            name: _SPECIAL.sub(_look_up_characters, value)
            for name, value in _FIELD.findall(entry[3])
        }
        yield entry[2], Reference(entry[1], fields, entry[0])


def _look_up_characters(special: re.Match[str]) -> str:
    """Look up the characters that TeX prints for a command or a brace."""
    return _CHARACTERS.get(special[0], special[1] or special[2])


def build_package_reference(version: str) -> Reference:
    """Build the reference of this package; its authors are the authors that its licence names.

    Its year is known of this version only, once that is released.
    """
    year = YEAR if YEAR and version == __version__ else _UNDATED
    ((_, reference),) = parse_bibtex(
        "@misc{spanagree,\n"
        "  author = {{The spanagree authors}},\n"
        "  title = {{spanagree}},\n"
        f"  year = {{{year}}},\n"
        f"  note = {{Version {version}}},\n"
        "}\n"
    )
    return reference


REFERENCES = dict(
    parse_bibtex(files("spanagree.report").joinpath("references.bib").read_text("utf-8"))
)
"""Sources by BibTeX key, in the order of references."""
