"""What each figure of a table means, and when not to trust it: for whoever has to write it down."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from spanagree.chance.start_distributions import CHANCES
from spanagree.labels.spa import WEIGHTS
from spanagree.matching.measures import MATCHES
from spanagree.rendering.markdown import escaped
from spanagree.rendering.table import Table
from spanagree.settings import settings_of, subject_of, unit

Explained = Sequence[tuple[str, str]]
"""Names of figures, and a paragraph on them."""


_Group = tuple[tuple[str, ...], str]  # the same, with words to be filled in


_HEAD = "what the figures mean, and when not to trust them"


_WIDTH = 100


def explain(tables: Sequence[Table]) -> Explained:
    """A paragraph for each setting, column and row of the tables that has a figure, each once.

    What is in a table says what is explained; its signature says with which settings.

    Raises:
        InputError: for a table without a signature.

    >>> table = Table(("system", "F1"), [], signature="match:exact|average:micro|spanagree:0.1.0")
    >>> [name for name, _ in explain([table])]
    ['match exact', 'system', 'F1']
    """
    return list(dict.fromkeys(said for table in tables for said in _of(table)))


def as_text(explained: Explained) -> str:
    """For a terminal."""
    lines = [
        textwrap.fill(f"{name}: {text}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        for name, text in explained
    ]
    return "\n".join([_HEAD, "", *lines, ""])


def as_markdown(explained: Explained) -> str:
    """As a list."""
    lines = [f"- **{escaped(name)}**: {escaped(text)}" for name, text in explained]
    return "\n".join([f"{_HEAD.capitalize()}:", "", *lines, ""])


EXPLAINED: Mapping[str, Callable[[Explained], str]] = {"text": as_text, "markdown": as_markdown}
"""The formats in which there is room for it, by name."""


def names_of(table: Table) -> list[str]:
    """What is explained: columns, rows where each has its own meaning, figures in remarks."""
    rows = [str(row[0]) for row in table.rows] if table.header[0] == "" else []
    said = [name for name in _BELOW if any(name in remark for remark in table.remarks)]
    return [
        *(re.sub(r"^length \d+$", "length", name) for name in table.header if name),
        *rows,
        *said,
    ]


def _of(table: Table) -> Iterator[tuple[str, str]]:
    settings = settings_of(table.signature)
    words = _words(settings)
    yield from _settings(settings, words)
    subject = subject_of(settings)
    groups = (*_TABLES.get(f"{subject} by {table.header[0]}", ()), *_TABLES[subject])
    present = dict.fromkeys(names_of(table))
    for name in list(present):
        if name not in present:
            continue  # told with another
        of, text = _group(name, groups, words)
        together = [one for one in _filled(of, words) if one in present]
        for one in together:
            del present[one]
        yield " / ".join(together), text.format(**words)


def _group(name: str, groups: Sequence[_Group], words: Mapping[str, str]) -> _Group:
    """The names and the paragraph that a name is explained by."""
    for group in groups:
        if name in _filled(group[0], words):
            return group
    raise LookupError(f"{name!r} is not explained")  # the tests have every table


def _filled(names: Sequence[str], words: Mapping[str, str]) -> list[str]:
    return [name.format(**words) for name in names]


def _words(settings: Mapping[str, Any]) -> dict[str, str]:
    """What stands for what in the paragraphs."""
    document = unit(settings)
    items = "categories" in settings and settings.get("items", "labels") == "labels"
    match = settings.get("match", "exact")
    return {
        "document": document,
        "drawn": "item" if items else document,
        "sizes": "tokens" if MATCHES[match].in_tokens else "segments",
        "interval": _interval(settings, "item" if items else document),
        "p": _P.get(settings.get("test", ""), "").format(document=document),
    }


# --- settings -----------------------------------------------------------------------------------

_MATCH = {
    "exact": "A boundary that is off by one counts nothing.",
    "token": "Sizes are tokens too, so long segments count more than short ones, and a boundary"
    " that is off by one costs little.",
    "boundaries": "It disregards labels, so it cannot tell whether they agree.",
    "iou": "A pair gets the share of tokens that its two segments have in common, and every segment"
    " counts the same.",
}


def _settings(settings: Mapping[str, Any], words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """How segments match, and what luck may do."""
    if match := settings.get("match"):
        yield f"match {match}", f"{MATCHES[match].means}. {_MATCH[match]}"
    if chance := settings.get("chance"):
        document = words["document"]
        text = (
            f"{CHANCES[chance]}. A random annotation keeps the number, lengths and labels of the"
            f" segments of a {document} and puts them anywhere in it, every allowed configuration"
            " equally likely."
        )
        if settings.get("unit") == "sentence":
            text += " In whole documents (--unit document) luck gives less: say which it was."
        if settings.get("offsets") == "characters":
            text += (
                " Offsets count characters, so a random segment may begin inside a word, and luck"
                " gives less than it would by tokens."
            )
        yield f"chance {chance}", text

    if settings.get("items", "labels") != "labels":
        outside = _OUTSIDE[settings.get("outside", "kept")]
        yield (
            f"items {settings['items']}",
            "they are not independent, long segments count more than short ones, and two neighbours"
            " of one label look like one. So they cannot tell whether annotators see the same"
            f" spans: that is what agree is for. {outside}",
        )
    if weights := settings.get("weights"):
        yield (
            f"weights {weights}",
            f"how much an item counts in SPA: {WEIGHTS[weights]} (n is the number of its labels, Pᵢ"
            " the share of their pairs that agree).",
        )


_OUTSIDE = {
    "kept": "Those that all call O are kept, which flatters, as nobody disagrees about most of"
    " them.",
    "skipped": "Those that all call O are left out (--skip-outside), and with them agreement that"
    " was real.",
}


def _interval(settings: Mapping[str, Any], drawn: str) -> str:
    """How intervals were made."""
    found = re.fullmatch(r"([a-z]+)(.*)", settings.get("ci", ""))
    if found is None:
        return ""
    times = settings.get("resamples", "some")
    how = {
        "bca": f"from {times} resamples of the {drawn}s, adjusted for bias and skewness (BCa)",
        "percentile": f"the quantiles of {times} resamples of the {drawn}s as they are; of few"
        f" {drawn}s it holds the true figure too seldom",
        "poisson": f"the quantiles of {times} resamples in which each {drawn} counts as often as a"
        " Poisson number says",
        "jackknife": f"the figure ± z standard errors, from leaving out one {drawn} at a time",
    }[found[1]]
    text = f"with {found[2]}% confidence, {how}."
    if drawn == "sentence":
        text += (
            " Sentences of one text depend on each other, so --unit document gives the more honest,"
            " wider interval, if you have whole documents."
        )
    return f"{text} With fewer than two {drawn}s there is none."


_P = {
    "bootstrap": "how often a resampled difference is as far from the difference found as that is"
    " from 0; two-sided. It asks whether there would be a difference on other {document}s like"
    " these. With fewer than 30 {document}s it finds differences too often: take --test"
    " permutation.",
    "permutation": "how often exchanging the two systems' tallies, {document} by {document}, gives"
    " a difference as large; two-sided. It asks whether the two could be exchanged for each other,"
    " which is more than being equally good: of two systems of equal F1 one may be bolder.",
}


# --- tables -------------------------------------------------------------------------------------

_CHANCE_F1: _Group = (
    ("chance F1",),
    "the F1 that luck alone would give: the expectation for two random annotations, computed"
    " exactly, not simulated. It is of these texts: short ones, and those full of segments, give"
    " more.",
)


_CORRECTED_F1: _Group = (
    ("corrected F1",),
    "(F1 − chance F1) / (1 − chance F1): 1 is full agreement, 0 is luck, below 0 is less than"
    " luck. Where chance F1 is above .5 it rests on the little that is left; where that is 1 there"
    " is none. It is no test. Give F1 and chance F1 beside it, as it cannot be set beside"
    " uncorrected figures.",
)


_INTERVAL: _Group = (
    ("interval",),
    "of the figure to its left: where it would lie on other {drawn}s like these, {interval}",
)


_F1_OF_SYSTEM: _Group = (
    ("F1",),
    "2·matched / (size of gold + size of the system), in {sizes}, of the sums over all {document}s"
    " of the row (micro-average): what is frequent decides. Do not set it beside F1 of another"
    " match, other texts or another reading of tags.",
)


_F1_OF_PAIR: _Group = (
    ("F1",),
    "2·matched / (both sizes), in {sizes}, over the {document}s that both saw. Precision of the"
    " one is recall of the other, so there is F1 alone. Do not set it beside F1 of another match"
    " or other texts.",
)


_EVALUATION: tuple[_Group, ...] = (
    (("system",), "each is compared with gold over the {document}s that both saw."),
    (
        ("precision",),
        "matched / size of the system: how much of what it marked is right. It says nothing about"
        " what was left out; a system that marks little may have it high, one that marks nothing"
        " has none.",
    ),
    (
        ("recall",),
        "matched / size of gold: how much of gold was found. It says nothing about what was marked"
        " beside; where gold has nothing marked there is none.",
    ),
    _F1_OF_SYSTEM,
    _CHANCE_F1,
    _CORRECTED_F1,
    _INTERVAL,
    (
        ("rank",),
        "the place by F1, raw → corrected; ties share the better one. A rank is no finding: those"
        " of two systems that are close may be others on other {document}s (--test asks).",
    ),
    (
        ("label",),
        "each by itself; all (micro) is of the sums over labels, all (macro) the mean over those"
        " for which a score is defined, so a rare label counts as much as a frequent one. Macro"
        " precision leaves out labels that the system never marked.",
    ),
    (
        ("{document}",),
        "each in which a segment is marked; all (micro) is of the sums over all. Figures of one"
        " rest on few segments.",
    ),
    (
        ("gold", "marked"),
        "size of gold and of the system, in {sizes}: what the row rests on. Figures over few are"
        " shaky.",
    ),
)


_TABLES: Mapping[str, Sequence[_Group]] = {
    "evaluation": _EVALUATION,
    "levels": (
        (
            ("difficulty",),
            "from–to, 1 − the F1 that luck alone would give gold against itself, so it is of luck,"
            " not of people; all is over all {document}s, those without a difficulty (nothing is"
            " marked in gold) among them. Levels are of these texts.",
        ),
        (("{document}s",), "how many the row rests on. Figures over few are shaky."),
        (
            ("rank",),
            "the place by F1 within the level, raw → corrected; ties share the better one. A rank"
            " is no finding.",
        ),
        (
            ("Kendall's τ",),
            "how alike two rankings of the systems are (τ-b): 1 for equal ones, −1 for opposite"
            " ones. With few systems it can take few values, so do not lean on it; with one, or"
            " where all are tied, there is none.",
        ),
        *_EVALUATION,
    ),
    "comparison": (
        (("a", "b"), "two systems, over the {document}s that both and gold saw."),
        (
            ("F1 a − b", "corrected a − b"),
            "the difference of the two, raw and beyond luck; the two may have different signs. What"
            " matters is how large it is, not only p.",
        ),
        (
            ("interval",),
            "of the difference to its left, by the bootstrap in either test: where it would lie on"
            " other {document}s like these, {interval}",
        ),
        (("p",), "{p} It is never 0, and does not say how large a difference is."),
        (
            ("Holm",),
            "p after Holm's correction for all pairs of systems in the table. Use it unless you"
            " had one pair in mind before you looked.",
        ),
    ),
    "luck": (
        (("system",), "each against random annotations of it."),
        _F1_OF_SYSTEM,
        (
            ("mean F1 of draws",),
            "the mean over random annotations of the system, with gold as it is. It may differ a"
            " little from chance F1, which is for two random annotations.",
        ),
        (
            ("p",),
            "(1 + draws that reach the system's F1) / (1 + draws). A low one says that the system"
            " is better than random, which is little. It cannot be below 1 / (1 + draws).",
        ),
    ),
    "agreement": (
        (
            ("team",),
            "the tallies of all pairs and {document}s are summed, then scores are taken, so"
            " {document}s that many saw, or with many segments, weigh more.",
        ),
        (
            ("mean over pairs",),
            "the mean of the pairs' own figures, however little a pair shares; pairs without a"
            " figure are left out. (So its corrected F1 is the mean of theirs.) If it is far from"
            " the team's, a few large pairs differ from the rest: look at --by pair. It hides one"
            " careless annotator: look at --by annotator.",
        ),
        (
            ("sd over pairs",),
            "how far the pairs' figures lie apart (the divisor is the number of pairs). It is no"
            " standard error, as pairs have annotators in common.",
        ),
        _F1_OF_PAIR,
        _CHANCE_F1,
        _CORRECTED_F1,
        _INTERVAL,
        (("pairs",), "how many pairs with a shared {document} the row rests on."),
        (("a", "b"), "two annotators, compared over what both saw."),
        (
            ("annotator",),
            "each against all others, the sum over her pairs. Where annotators saw different"
            " {document}s, some of a difference may be the {document}s'.",
        ),
        (
            ("{document}s",),
            "of a pair those that both saw, * if fewer than --min-shared; of an annotator those"
            " that she saw. Figures over few are shaky.",
        ),
        (
            ("marked a", "marked b"),
            "size of either annotation in what both saw, in {sizes}: one who marks much more than"
            " the other cannot agree fully.",
        ),
        (
            ("team without", "rise", "corrected rise"),
            "the team's F1 without the annotator, and how much higher it is than with her, raw and"
            " beyond luck. Above 0 she stands apart from the others, which is not to say that she"
            " is wrong.",
        ),
        (("label",), "each by itself, over all pairs; all is the team."),
        (("{document}",), "each that two or more saw and one marked something in."),
        (("annotators",), "how many saw it."),
        (
            ("marked, over pairs",),
            "sizes of both annotations, in {sizes}, summed over pairs, so one segment counts in as"
            " many pairs as its annotator has there. Figures over few are shaky.",
        ),
    ),
    "coefficients by category": (
        (("category",), "each by itself, against all others together."),
        (
            ("agreement",),
            "of the pairs of labels in which one is the category (either), the share in which both"
            " are (both). It needs no model of luck, and a frequent category hides nothing. Report"
            " the lowest at least; do not trust it where either is small.",
        ),
        (
            ("specific",),
            "how likely another annotator chooses the category if one does: 2R / (1 + R), R the"
            " agreement to its left.",
        ),
        (
            ("SPA",),
            "the same likelihood with SPA's weights, not corrected for luck; the SPA of all is the"
            " mean of its categories, weighted by their shares.",
        ),
        (
            ("π", "κ", "α", "AC1"),
            "the coefficients for the category against all others together. Of a rare or a very"
            " frequent one π, κ and α rest on a few items, and AC1 hardly corrects.",
        ),
        (("B",), "the category's part of the bias B."),
        (
            ("both", "either"),
            "pairs of labels in which both, or one at least, are the category: what agreement"
            " rests on.",
        ),
    ),
    "coefficients by annotator": (
        (("annotator",), "each against all others who labelled the same items."),
        (("labels",), "how many she gave."),
        (("pairs",), "how many labels of others stand beside hers, on the same items."),
        (
            ("agreement",),
            "the share of these that equal hers, not corrected for luck. Who labelled easy items"
            " has it higher.",
        ),
        (
            ("share of bias",),
            "her part of the variance of annotators' shares of each category; of a complete table"
            " these add up to B. With gaps, annotators who labelled other items differ for that"
            " reason too.",
        ),
    ),
    "coefficients": (
        (
            ("value", "observed", "expected"),
            "observed is the agreement found, expected what luck alone would give. The value of π,"
            " κ, α, AC1 and SPA corrected is (observed − expected) / (1 − expected), that of SPA"
            " is observed. Give all three: a low value may be a high agreement on rare labels.",
        ),
        _INTERVAL,
        (
            ("SPA",),
            "how likely two annotators agree on an item, labels missing at random (Nørregaard &"
            " Derczynski 2022). It is not corrected for luck: two who guess among two equally"
            " likely labels reach .5. Do not compare it where one category is frequent or"
            " categories differ.",
        ),
        (
            ("SPA corrected", "SPA corrected, jackknife"),
            "SPA beyond luck, luck being that both labels are drawn from the shares of all. The"
            " jackknife removes most of the bias of few items if these are a sample of more; if"
            " the question is about these items alone, take the former.",
        ),
        (
            ("π",),
            "luck is that both labels are drawn from one distribution for all annotators (Scott;"
            " Fleiss' kappa is the same for more than two). Different preferences count as"
            " disagreement. With gaps, items that one alone labelled count in the distribution but"
            " not in the observed agreement (Gwet's form), so a category may come out below 0. Not"
            " to be trusted where nearly everything is of one category: luck gives almost all"
            " then, and a few items decide.",
        ),
        (
            ("κ",),
            "luck is that each draws from her own distribution (Cohen; Conger for more than two)."
            " Annotators whose preferences differ make luck smaller, so κ rises where few"
            " annotators are further apart. As unstable as π where nearly everything is of one"
            " category.",
        ),
        (
            ("α",),
            "Krippendorff's, nominal: π with a correction for small samples; items count by their"
            " number of labels. Near and far misses are the same, so it is not for steps of a"
            " scale. As unstable as π where nearly everything is of one category.",
        ),
        (
            ("AC1",),
            "Gwet's: luck is small where one category is frequent, so it is near the observed"
            " agreement there, which can flatter. It rises with the number of categories, those"
            " declared that nobody uses among them.",
        ),
        (
            ("bias B",),
            "expected agreement of π less that of κ: how far annotators' preferences for"
            " categories differ. With gaps, annotators who labelled other items differ for that"
            " reason too, and it may be below 0.",
        ),
        (
            ("lowest agreement by category",),
            "of the pairs of labels in which one is the category, the share in which both are, for"
            " the category that has the least of it. It needs no model of luck; do not trust it"
            " over few pairs.",
        ),
    ),
    "difficulty": (
        (
            ("difficulty", "chance"),
            "chance is the F1 that luck alone would give gold against itself, or the team as a"
            " mean over all ordered pairs of those who saw it, each with herself included;"
            " difficulty is 1 − chance. Say which of the two you mean. It is of luck, not of"
            " people: a text can be hard to hit by luck and easy to read.",
        ),
        (
            ("expected match", "size"),
            "what luck matches and the size of an annotation, in {sizes}; chance is their quotient"
            " for one annotator. Of a team both are sums over ordered pairs.",
        ),
        (
            ("{document}",),
            "each; where nobody marked anything, or that nobody saw, there is no difficulty.",
        ),
    ),
    "chance": (
        (("start",), "the token in which a segment begins, from 0."),
        (
            ("length",),
            "how likely a random segment of this length begins there, with the other segments"
            " beside it; exact, not simulated. A column adds up to 1. It holds for this document"
            " and these segments alone.",
        ),
    ),
}


_BELOW = ("Kendall's τ", "lowest agreement by category")  # figures among the remarks
