"""The signature: the settings of a result in one line, enough to reproduce the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from spanagree.errors import escape_name


class Setting(NamedTuple):
    """Setting that changes numbers.

    Attributes:
        value_type: type of its values, by its name in :mod:`spanagree.report.read_signature`.
        sentence: sentence of a methods paragraph, with ``{value}`` for the value, ``{means}`` for
            its meaning, and ``[[key]]`` for a source; or a sentence for each of its values.
        signature_key: key in a signature. Default: the name of the setting.
    """

    value_type: str
    sentence: str | Mapping[str, str]
    signature_key: str = ""


OF_CHANCE = (
    "; expected scores are exact, and corrected ones (observed − expected) / (1 − expected)",
    "; random segments stay in their document",
    "; in chance they match nothing",
    "; chance is regarded as in F1",
    ", each with the chance of its own documents",
    " in the random annotations",
)
"""Parts of sentences that are left out if chance is undefined."""
WITHOUT_CHANCE = {
    "chance": "Chance is undefined for these segments and this measure, so figures are raw.",
    "f1_chance": "F1 of segments by exact match is raw, as its chance is undefined.",
}
"""Sentences on settings of chance if it is undefined."""
MATCH_OF_STRINGS = "Strings match under the measure {value} ({means}), each at most once."

SETTINGS: Mapping[str, Setting] = {
    "credit": Setting("word", {
        "by-share": "Matched spans count by the share that they cover (MPP, arXiv 2603.19921).",
    }),
    "label_weights": Setting("text", "Labels have weights."),
    "severity_penalty": Setting("number", "A pair whose labels differ loses {value} of its credit."),
    "measure": Setting("word", {
        "alpha-u": "Agreement on units is Krippendorff's α_U [[krippendorff1995,krippendorff2004]], 1 − D_o/D_e.",
        "gamma": "Agreement on units is γ [[mathet2015]], and on their categories γ_cat [[mathet2017]].",
        "all": "F1 corrected for chance [[li2024]], α of token labels [[krippendorff2011]], α_U [[krippendorff2004]], γ [[mathet2015]] and γ_cat [[mathet2017]] were computed side by side.",
        "documents": "The presence of segments, and of each label, in documents was compared by Krippendorff's α for nominal data [[krippendorff2011]].",
    }),
    "continuum": Setting("word", {
        "summed": "The disagreements of documents were summed with their squared lengths as weights.",
        "joined": "The documents that all annotators saw were joined to one continuum.",
    }),
    "alpha": Setting("number", "Positions of units weigh α = {value}."),
    "beta": Setting("number", "Their categories weigh β = {value}."),
    "delta_empty": Setting("number", "A unit aligned with none costs Δ_∅ = {value}."),
    "categorical": Setting("word", "Categories are {value}: {means}."),
    "order": Setting("text", "The categories have an order."),
    "sampler": Setting("word", {
        "chance": "The expected disorder is that of sampled annotations that keep the number, lengths and labels of every annotator's units [[li2024]].",
        "pygamma": "The expected disorder is that of sampled annotations whose numbers, gaps and lengths of units are normally distributed, as in pygamma-agreement.",
        "shuffle": "The expected disorder is that of sampled annotations, annotators drawn at random and shifted.",
    }),
    "precision": Setting("number", "They were drawn until the standard error of γ was below {value}."),
    "stopped": Setting("word", "The {value} limit ended this, so that figures have bounds."),
    "what": Setting("word", {
        "segments": "Segments were compared.",
        "relations": "Relations match if their labels and both segments do.",
        "attributes": "Attributes match if their names, values and segments do.",
    }),
    "pairs": Setting("word", "Random relations stand on {means}."),
    "arguments": Setting("word", "The segments that they link match under the measure {value}."),
    "undirected": Setting("text", "Some relations have no direction."),
    "untyped": Setting("yes or no", "Labels of relations do not count."),
    "min_score": Setting("number", "Predictions with a score below {value} were left out.", "min-score"),
    "attribute": Setting("text", "Segments match if they agree in the value of the attribute {value}, too."),
    "strategies": Setting("word", {
        "semeval": "Segments were paired and scored by the four strategies of SemEval [[segura2013]], as nervaluate 1.2.1 does.",
    }),
    "match": Setting("match", "Segments match under the measure {value} ({means})."),
    "chance": Setting("word", "Chance is that of two independent random annotations with the same number of segments, or relations, of each kind in every document (chance model {value}: {means}) [[li2024]]."),
    "expected": Setting("word", {
        "partly-drawn": "Where exact expected scores were too much work, they are means over at most 2,000 draws.",
    }),
    "chance_seed": Setting("whole", "Those draws have the seed {value}.", "chance-seed"),
    "p_values": Setting("yes or no", "p is the probability that random annotations match as well."),
    "places": Setting("text", "The rule {value} restricts the places of random segments."),
    "places_mean": Setting("whole", "In {value} documents they keep the rule in the mean.", "places-mean"),
    "chance_of": Setting("word", "Only the {value} are random; gold is fixed.", "chance-of"),
    "strings": Setting("yes or no", "Annotations are strings without a text."),
    "unplaced": Setting("word", {
        "wrong": "Quotes of a prediction that are not in the text, or more often than they are in it, count as wrong; in chance they match nothing.",
        "ignore": "Quotes that are not in the text, or more often than they are in it, were left out.",
    }),
    "slices": Setting("text", "Figures are those of slices ({value}), each with the chance of its own documents; the largest difference is tested by the jackknife, with simultaneous intervals and p multiplied by the number of pairs [[dunn1961]]; of slices in order, changes and the trend by permutation of documents among slices, with Holm's correction [[holm1979]]."),
    "width": Setting("number", "A sample was planned for an interval {value} wide."),
    "figure": Setting("word", "That interval is for the team's {value} F1."),
    "confidence": Setting("number", "It holds {value} %."),
    "average": Setting("word", "Outputs of systems were compared with a gold annotation; {figures} are {value}-averaged over all documents; expected scores are exact, and corrected ones (observed − expected) / (1 − expected)."),
    "f_beta": Setting("number", "In F-beta recall weighs β = {value} times as much as precision [[vanrijsbergen1979]]; chance is regarded as in F1.", "f-beta"),
    "sweep": Setting("word", {
        "score": "Figures were computed at each score that predictions have, with the chance of those that are kept; the best by corrected F1 (or F-beta) was chosen on one half of the documents, drawn at random, and is reported on the other half.",
    }),
    "of": Setting("word", {
        "gold": "The difficulty of a document is 1 − the F1 that chance alone would give the gold annotation against itself [[li2024]].",
        "team": "The difficulty of a document is 1 − the F1 that chance alone would give the annotators who saw it [[li2024]].",
    }),
    "gold": Setting("text", "The gold annotation is not the first one."),
    "systems": Setting("text", "The signature names the systems."),
    "references": Setting("whole", "Each system was compared with every one of {value} reference annotators who saw the document, and these with each other; F1 is that of the tallies summed over references and documents; expected scores are exact, and corrected ones (observed − expected) / (1 − expected)."),
    "candidate": Setting("text", "Whether a candidate may replace an annotator was tested by the alternative annotator test [[calderon2025]], exact under ties, with the correction of Benjamini and Yekutieli [[benjamini2001]] at 5 %."),
    "epsilon": Setting("number", "Its margin ε is {value}."),
    "score": Setting("word", "The score of an item is {means}."),
    "team": Setting("word", {
        "summed": "The team's F1 is that of the tallies summed over all pairs of annotators and documents; expected scores are exact, and corrected ones (observed − expected) / (1 − expected).",
    }),
    "annotators": Setting("whole", "Of {value} annotators, each two who share documents were compared over those that both saw."),
    "chosen": Setting("text", "Only selected annotators were compared."),
    "length": Setting("whole", "The document has {value} tokens."),
    "segments": Setting("numbers", "Its segments have the lengths {value}."),
    "between": Setting("text", "Two annotators were compared segment by segment over the documents that both saw."),
    "confusion": Setting("word", {
        "team": "Each two annotators were compared segment by segment over the documents that both saw.",
        "rest": "One annotator was compared with each other one segment by segment over the documents that both saw.",
    }),
    "kinds": Setting("text", "Some kinds of disagreement were left out."),
    "sort": Setting("word", "Documents are sorted by {value}."),
    "readers": Setting("whole", "Each document is to have {value} readers."),
    "limit": Setting("whole", "Each annotator gets at most {value} documents."),
    "decide": Setting("yes or no", "Undecided documents of a vote go to one more reader."),
    "without": Setting("text", "Figures were also computed without the annotators that the signature names."),
    "items": Setting("counted", "Items are {value}."),
    "outside": Setting("word", {
        "kept": "Items that all annotators label O were kept.",
        "skipped": "Items that all annotators label O were skipped.",
    }),
    "categories": Setting("whole", "For {value} categories the coefficients are {coefficients}; agreement by category is the share of the pairs of labels with the category in which both have it [[uebersax,siegel2018]]; corrected coefficients are (observed − expected) / (1 − expected)."),
    "weights": Setting("word", "SPA [[norregaard2022]] has the weights {value}: {means}."),
    "measurement": Setting("word", "Distances of α are {value}: {means}."),
    "category_weights": Setting("word", "Each pair of labels counts with the weight of its two categories, {value}: {means} [[cohen1968,passonneau2006]]; {weighted}."),
    "f1_chance": Setting("word", "F1 of segments by exact match is that of the tallies summed over all pairs of annotators and documents; its chance is that of two independent random annotations (chance model {value}: {means}) [[li2024]].", "f1-chance"),
    "f1_unplaced": Setting("word", {
        "wrong": "In F1 of segments, quotes that are not in the text, or more often than they are in it, match nothing; all other figures leave them out.",
        "ignore": "Quotes that are not in the text, or more often than they are in it, were left out.",
    }, "f1-unplaced"),
    "by_label": Setting("yes or no", "Each label was scored against all others."),
    "classes": Setting("classes", "The distribution of classes is {value}."),
    "complete_only": Setting("yes or no", "Only items that all annotators labelled count."),
    "duplicates": Setting("word", "Of two labels of one item by one annotator: {means}."),
    "missing": Setting("text", "One label stood for missing ones, and was left out."),
    "separator": Setting("text", "Labels are sets."),
    "offsets": Setting("counted", "Offsets count {value}; random segments stay in their document."),
    "unit": Setting("word", "A document is a {value}."),
    "group_by": Setting("text", "Documents belong to groups."),
    "joined": Setting("text", "Texts of a group that the same annotators saw were joined to one document."),
    "scheme": Setting("scheme", "Tags were read in the scheme {value}."),
    "strict": Setting("yes or no", {
        "yes": "Only segments that are well-formed in the scheme count.",
        "no": "Ill-formed tags were read leniently, as conlleval does [[tjongkimsang2003]].",
    }),
    "partial": Setting("word", "Of documents covered in part: {means}."),
    "cut": Setting("word", "Where a segment cuts a token, {means}."),
    "tokenizer": Setting("text", "Texts were split into tokens."),
    "discontinuous": Setting("word", {
        "keep": "Segments of several pieces kept their shape in the random annotations.",
        "hull": "Segments of several pieces were taken from their first token to their last.",
        "split": "Each piece of a segment of several pieces was taken as a segment.",
        "drop": "Segments of several pieces were left out.",
    }),
    "read": Setting("text", "The signature names the parts of the files that were read."),
    "labels": Setting("text", "Only some labels were regarded."),
    "map_labels": Setting("text", "Labels were renamed."),
    "made": Setting("text", "Some annotations were created from others, as the signature tells."),
    "levels": Setting("whole", "By difficulty the documents were divided into {value} levels of nearly equal size."),
    "at": Setting("numbers", "They were divided at the difficulties {value} (one at a border is in the harder level)."),
    "chance_at": Setting("numbers", "They were divided at the chance levels {value} (one at a border is in the easier level)."),
    "quantiles": Setting("numbers", "They were divided at the quantiles {value} of difficulty, or as near as ties left them."),
    "ci": Setting("interval", {
        "jackknife-t": "Intervals are {confidence} % delete-one jackknife intervals [[mackinnon2023]] with Student's t and Satterthwaite's degrees of freedom [[satterthwaite1946]], those of shares of agreement on log odds.",
        "exact": "Intervals are {confidence} % intervals of Clopper and Pearson [[clopper1934]] for the share of documents (or items) with an error or a match, as at most one has any.",
        "jackknife-t+exact": "Intervals are {confidence} % delete-one jackknife intervals [[mackinnon2023]] with Student's t and Satterthwaite's degrees of freedom [[satterthwaite1946]], those of shares of agreement on log odds; where at most one document (or item) has an error, or a match, they are those of Clopper and Pearson [[clopper1934]] for the share of such documents.",
    }),
    "cluster_by": Setting("word", {
        "document": "Whole documents were left out, with all their sentences; where documents belong to groups, groups, each with all its documents.",
        "sentence": "Sentences were left out.",
        "text": "Texts were left out.",
    }),
    "runs": Setting("text", "Systems have several runs, as the signature says; figures are means over them."),
    "over": Setting("samples", {
        "documents+annotators": "A second interval is over other annotators too: the variances from leaving out a document and from leaving out an annotator [[arvesen1969]] were added [[cameron2011]].",
        "documents+runs": "Other runs are regarded too, of systems with three or more: the variances from leaving out a document and from leaving out a run [[arvesen1969]] were added [[cameron2011]].",
    }),
    "test": Setting("word", {
        "jackknife": "Differences of systems were tested by the jackknife, with Student's t and Satterthwaite's degrees of freedom [[satterthwaite1946]]; p is two-sided and multiplied by the number of pairs, and their intervals are simultaneous [[dunn1961]].",
        "bootstrap": "Differences of systems were tested by the paired bootstrap [[koehn2004,bergkirkpatrick2012]]; p is two-sided, with Holm's correction [[holm1979]] for all pairs.",
        "permutation": "Differences were tested by permutation of their tallies of documents; p is two-sided, with Holm's correction [[holm1979]] for all pairs.",
        "chance": "Each system was tested against chance: p is the probability that an annotation with its segments placed at random, with gold fixed, reaches its F1.",
    }),
    "null": Setting("word", {
        "exact": "This probability is exact.",
        "drawn": "This probability is of draws: (1 + those that reach it) / (1 + all).",
        "partly-drawn": "This probability is exact, except in documents too large for that.",
    }),
    "resamples": Setting("whole", "{value} resamples or exchanges were drawn."),
    "draws": Setting("whole", "{value} random annotations were drawn."),
    "seed": Setting("whole", "The seed of what was drawn is {value}."),
    "repair": Setting("words", "Annotations were repaired: {means}."),
    "tokens": Setting("ignored", "Files were aligned by position, though their tokens differ."),
    "spec": Setting("version", "Rules are those of the specification of spanagree, version {value}."),
    "spanagree": Setting("version", "All figures were computed with spanagree {value} [[spanagree]]."),
}  # fmt: skip
"""All settings that change numbers, in the order of the signature."""
RESULT_KEYS = {"tokens": "ignore_tokens", "spanagree": "version"}
"""Keys of settings in a result, if they differ from those above."""


class Escaped(str):
    """Text of a user that is escaped already, as in a signature."""

    __slots__ = ()


def format_signature(settings: Mapping[str, Any]) -> str:
    """Format the settings that change numbers, and the version, in one line.

    >>> format_signature({"match": "exact", "strict": False, "version": "1.0.0"})
    'match:exact|strict:no|spanagree:1.0.0'
    """
    values = dict(settings)
    if values.get("scheme") == "auto":  # followed by the detected schemes
        values["scheme"] = f"auto({','.join(sorted(set(settings.get('schemes', {}).values())))})"
    values["repair"] = "+".join(settings.get("repair", ())) or None
    values["tokens"] = "ignored" if settings.get("ignore_tokens") else None
    if values.get("strings"):  # strings have no offsets
        values["offsets"] = None
    if values.get("discontinuous") == "error":  # which leaves none
        values["discontinuous"] = None
    if (
        settings.get("cluster_by") != "document"
    ):  # groups change figures of intervals over documents only
        values["group_by"] = None
    if settings.get("gold_first") is not False:  # the first layer is gold by default
        values["gold"] = None
    values["spanagree"] = settings["version"]
    return "|".join(
        f"{setting.signature_key or key}:{_format_value(values[key])}"
        for key, setting in SETTINGS.items()
        if values.get(key) is not None
    )


def _format_value(value: Any) -> str:
    """Format a value for a signature."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ",".join(
            f"{_format_item(name)}={_format_item(item)}" for name, item in value.items()
        )
    if isinstance(value, (list, tuple)):
        return ",".join(map(_format_item, value))
    if isinstance(value, float):
        return shortest if float(shortest := f"{value:g}") == value else repr(value)
    if isinstance(value, str) and not isinstance(
        value, Escaped
    ):  # a user's text may contain any character
        return escape_name(value.replace("\\", "\\x5c")).replace("|", "\\x7c")
    return str(value)


def _format_item(value: Any) -> str:
    """Format a value of a list: nested lists in brackets, special characters escaped."""
    if isinstance(value, str):
        signs = {ord(sign): f"\\x{ord(sign):02x}" for sign in ",=()"}
        return _format_value(value).translate(signs)
    nested = isinstance(value, (list, tuple, Mapping))
    return f"({_format_value(value)})" if nested else _format_value(value)
