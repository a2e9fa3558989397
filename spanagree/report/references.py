"""The literature that a methods paragraph cites, as text and as BibTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Reference(NamedTuple):
    """One source. ``title`` has braces around what BibTeX must not turn into lower case.

    ``fields`` are those of BibTeX, in the order in which they are printed; what is not known for
    certain is left out.
    """

    kind: str
    authors: Sequence[tuple[str, str]]  # given name, family name
    year: str
    title: str
    fields: dict[str, str]

    @property
    def short(self) -> str:
        """As it is cited.

        >>> REFERENCES["li2024"].short
        'Li et al., 2024'
        """
        families = [family for _, family in self.authors]
        who = " & ".join(families) if len(families) < 3 else f"{families[0]} et al."
        return f"{who}, {self.year}" if self.year else who


REFERENCES = {
    "li2024": Reference(
        "inproceedings",
        (("Diya", "Li"), ("Carolyn", "Rosé"), ("Ao", "Yuan"), ("Chunxiao", "Zhou")),
        "2024",
        "Estimating Agreement by Chance for Sequence Annotation",
        {
            "booktitle": "Proceedings of the 62nd Annual Meeting of the Association for"
            " Computational Linguistics (Volume 1: Long Papers)",
            "pages": "5085–5097",
            "address": "Bangkok, Thailand",
        },
    ),
    "norregaard2022": Reference(
        "misc",
        (("Jeppe", "Nørregaard"), ("Leon", "Derczynski")),
        "2022",
        "Sparse Probability of Agreement",
        {"howpublished": "arXiv:2208.06161"},
    ),
    "scott1955": Reference(
        "article",
        (("William A.", "Scott"),),
        "1955",
        "Reliability of Content Analysis: The Case of Nominal Scale Coding",
        {"journal": "Public Opinion Quarterly", "volume": "19", "number": "3", "pages": "321–325"},
    ),
    "fleiss1971": Reference(
        "article",
        (("Joseph L.", "Fleiss"),),
        "1971",
        "Measuring Nominal Scale Agreement among Many Raters",
        {"journal": "Psychological Bulletin", "volume": "76", "number": "5", "pages": "378–382"},
    ),
    "cohen1960": Reference(
        "article",
        (("Jacob", "Cohen"),),
        "1960",
        "A Coefficient of Agreement for Nominal Scales",
        {
            "journal": "Educational and Psychological Measurement",
            "volume": "20",
            "number": "1",
            "pages": "37–46",
        },
    ),
    "conger1980": Reference(
        "article",
        (("A. J.", "Conger"),),
        "1980",
        "Integration and Generalization of Kappas for Multiple Raters",
        {"journal": "Psychological Bulletin", "volume": "88", "number": "2", "pages": "322–328"},
    ),
    "artstein2005": Reference(
        "inproceedings",
        (("Ron", "Artstein"), ("Massimo", "Poesio")),
        "2005",
        "Bias Decreases in Proportion to the Number of Annotators",
        {"booktitle": "FG-MoL 2005", "publisher": "CSLI Publications"},
    ),
    "krippendorff2011": Reference(
        "misc",
        (("Klaus", "Krippendorff"),),
        "2011",
        "Computing {Krippendorff}'s Alpha-Reliability",
        {"howpublished": "http://repository.upenn.edu/asc_papers/43"},
    ),
    "gwet2008": Reference(
        "article",
        (("Kilem Li", "Gwet"),),
        "2008",
        "Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement",
        {
            "journal": "British Journal of Mathematical and Statistical Psychology",
            "volume": "61",
            "number": "1",
            "pages": "29–48",
        },
    ),
    "uebersax": Reference(
        "misc",
        (("John", "Uebersax"),),
        "",
        "",
        {"howpublished": "http://www.john-uebersax.com/stat/raw.htm"},
    ),
    "siegel2018": Reference(
        "misc",
        (("", "Siegel"),),
        "2018",
        "Annotator Agreement in Machine Learning Experiments",
        {},
    ),
    "efron1979": Reference(
        "article",
        (("Bradley", "Efron"),),
        "1979",
        "Bootstrap Methods: Another Look at the Jackknife",
        {"journal": "The Annals of Statistics", "volume": "7", "number": "1", "pages": "1–26"},
    ),
    "efron1987": Reference(
        "article",
        (("Bradley", "Efron"),),
        "1987",
        "Better Bootstrap Confidence Intervals",
        {
            "journal": "Journal of the American Statistical Association",
            "volume": "82",
            "number": "397",
            "pages": "171–185",
        },
    ),
    "chamandy2012": Reference(
        "techreport",
        (
            ("Nicholas", "Chamandy"),
            ("Omkar", "Muralidharan"),
            ("Amir", "Najmi"),
            ("Siddartha", "Naidu"),
        ),
        "2012",
        "Estimating Uncertainty for Massive Data Streams",
        {"institution": "Google"},
    ),
    "holm1979": Reference(
        "article",
        (("Sture", "Holm"),),
        "1979",
        "A Simple Sequentially Rejective Multiple Test Procedure",
        {
            "journal": "Scandinavian Journal of Statistics",
            "volume": "6",
            "number": "2",
            "pages": "65–70",
        },
    ),
    "tjongkimsang2003": Reference(
        "inproceedings",
        (("Erik F.", "Tjong Kim Sang"), ("Fien", "De Meulder")),
        "2003",
        "Introduction to the {CoNLL}-2003 Shared Task: Language-Independent Named Entity"
        " Recognition",
        {
            "booktitle": "Proceedings of the Seventh Conference on Natural Language Learning at"
            " HLT-NAACL 2003",
            "pages": "142–147",
        },
    ),
}
"""The sources by the keys that BibTeX knows them by, in the order in which they are listed."""


def software(version: str) -> Reference:
    """The package itself, as released; nobody is named but those of its licence."""
    authors = (("", "{The spanagree authors}"),)
    return Reference("misc", authors, "", "{spanagree}", {"note": f"Version {version}"})


_TEX = {"é": r"{\'e}", "ø": r"{\o}", "–": "--", "&": r"\&", "_": r"\_"}


def as_text(of: Reference) -> str:
    """One source as a line.

    >>> print(as_text(REFERENCES["holm1979"]))
    Sture Holm. 1979. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics 6(2), 65–70.
    """  # noqa: E501 — the line as it is printed
    names = [f"{given} {family}".strip(" {}") for given, family in of.authors]
    who = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    where = dict(of.fields)
    if "volume" in where:
        where["journal"] += f" {where.pop('volume')}({where.pop('number')})"
    said = [
        who,
        of.year,
        of.title.translate({ord(c): None for c in "{}"}),
        ", ".join(where.values()),
    ]
    return ". ".join(part for part in said if part) + "."


def as_bibtex(key: str, of: Reference) -> str:
    """One source as an entry, in ASCII.

    >>> print(as_bibtex("efron1979", REFERENCES["efron1979"]).splitlines()[0])
    @article{efron1979,
    """
    authors = " and ".join(
        f"{family}, {given}" if given else family for given, family in of.authors
    )
    fields = {"author": authors, "title": of.title, "year": of.year, **of.fields}
    lines = [f"  {name} = {{{_tex(text)}}}," for name, text in fields.items() if text]
    return "\n".join([f"@{of.kind}{{{key},", *lines, "}", ""])


def _tex(text: str) -> str:
    if text.startswith("http"):
        return f"\\url{{{text}}}"
    return "".join(_TEX.get(c, c) for c in text)
