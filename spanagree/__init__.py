"""Score NER systems and inter-annotator agreement on spans, and show how much is chance.

A tour::

    import spanagree as sa
    corpus = sa.read({"gold": "gold.conll", "mine": "mine.conll"})   # any format
    result = sa.evaluate(corpus, gold="gold", match="exact", chance="nonoverlapping")
    print(result)                               # the table; result.to_pandas() for a data frame
    f1 = result["mine"].f1
    f1.observed, f1.expected, f1.corrected      # raw, by chance, corrected for chance
    result["mine"].labels["PER"].f1             # by label
    result.signature                            # the settings behind the numbers
    sa.evaluate(y_true, y_pred)                 # lists of tag lists; sa.classification_report too
    sa.disagreements(corpus, "gold", "mine")    # disagreements of two, segment by segment
    sa.disagreements(corpus)                    # more than two: documents to adjudicate
    sa.agree(corpus).team.f1                    # agreement of annotators, two or thousands
    sa.coefficients(sa.token_labels(corpus))    # SPA, π, κ, α …; or for sa.read_labels(…)
    sa.alpha_u(corpus), sa.gamma(corpus)        # measures of unitizing
    sa.labels, sa.formats, sa.project, …        # further functions, by subject
    sa.start_distribution(length=100, segments=[1, 5, 10, 15])             # the chance model
"""

from __future__ import annotations

from importlib import import_module

from spanagree.public import RENAMED, find_home_modules, list_shown_names
from spanagree.version import __version__ as __version__

TYPE_CHECKING = False  # typing takes a while to load

# fmt: off
if TYPE_CHECKING:
    from spanagree import agreement as agreement
    from spanagree import chance as chance
    from spanagree import comparisons as comparisons
    from spanagree import corpus as corpus
    from spanagree import errors as errors
    from spanagree import formats as formats
    from spanagree import labels as labels
    from spanagree import levels as levels
    from spanagree import project as project
    from spanagree import references as references
    from spanagree import results as results
    from spanagree import slices as slices
    from spanagree import systems as systems
    from spanagree import training as training
    from spanagree import units as units
    from spanagree.agreement.agree import agree as agree
    from spanagree.chance.start_distributions import start_distribution as start_distribution
    from spanagree.comparisons.chance_distribution.distribution import match_distribution as match_distribution
    from spanagree.comparisons.custom import expected as expected
    from spanagree.corpus.corpus import Corpus as Corpus
    from spanagree.errors import SpanAgreeError as SpanAgreeError
    from spanagree.formats.label_tables import read_labels as read_labels
    from spanagree.formats.read import read as read
    from spanagree.formats.spacy import from_docs as from_docs
    from spanagree.formats.tag_lists import from_tags as from_tags
    from spanagree.labels.summary import coefficients as coefficients
    from spanagree.labels.tokens import token_labels as token_labels
    from spanagree.levels.difficulty import difficulty as difficulty
    from spanagree.levels.split import split as split
    from spanagree.project.disagreements import disagreements as disagreements
    from spanagree.project.gold import make_gold as make_gold
    from spanagree.project.plan import plan_sample as plan_sample
    from spanagree.references.against import evaluate_references as evaluate_references
    from spanagree.references.alt_test import alt_test as alt_test
    from spanagree.report.citation import cite as cite
    from spanagree.report.page import write_report as write_report
    from spanagree.systems.as_seqeval import f1_score as f1_score
    from spanagree.systems.compare_systems import compare_systems as compare_systems
    from spanagree.systems.evaluate import evaluate as evaluate
    from spanagree.systems.seqeval_report import classification_report as classification_report
    from spanagree.uncertainty.confidence import Jackknife as Jackknife
    from spanagree.units.alpha_u import alpha_u as alpha_u
    from spanagree.units.gamma import gamma as gamma
# fmt: on

PACKAGES = (
    "agreement",
    "chance",
    "comparisons",
    "corpus",
    "errors",
    "formats",
    "labels",
    "levels",
    "project",
    "references",
    "results",
    "slices",
    "systems",
    "training",
    "units",
)
"""Packages with further public names: ``sa.labels.kappa``, ``sa.formats.read_conll``."""

_HOMES = find_home_modules(__file__)
__all__ = sorted([*_HOMES, "__version__"])  # noqa: PLE0605 — read from the imports above


def __getattr__(name: str) -> object:
    if name in PACKAGES:
        return import_module(f"spanagree.{name}")
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    from importlib.util import find_spec  # takes a while to load

    if find_spec(f"spanagree.{name}"):  # from spanagree import choices
        raise AttributeError(f"module 'spanagree.{name}' is not imported")
    name = RENAMED.get(name, name)
    for package in map(import_module, (f"spanagree.{folder}" for folder in PACKAGES)):
        if name in package.__all__:  # public names of packages also work as sa.NAME
            value = globals()[name] = getattr(package, name)
            return value
    removal = import_module("spanagree.removed").write_removal_message(f"sa.{name}")
    raise AttributeError(removal or f"module 'spanagree' has no attribute {name!r}")


def __dir__() -> list[str]:
    packages = [import_module(f"spanagree.{folder}") for folder in PACKAGES]
    names_in_packages = [name for package in packages for name in package.__all__]
    return list_shown_names(globals(), [*__all__, *PACKAGES, *names_in_packages])
