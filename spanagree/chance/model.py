"""A chance model: its name, the rule of places, and the annotations that are random."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_choice, check_integer

if TYPE_CHECKING:
    from spanagree.chance.places import Places

Given: TypeAlias = "str | Callable[[str], Any] | Sequence[Mapping[str, Any]]"
"""Argument for a rule of places: a name, a predicate of tokens, or a rule for each document."""

CHANCE_OF = {
    "both": "both annotations are random",
    "systems": "gold is as it is, systems are random",
}
"""Choices of the random annotations, by name."""

AUTO = "auto"
"""In place of the name of a chance model: the first model that the segments allow."""

NONE = "none"
"""In place of the name of a chance model: no model is defined for the segments or the measure."""


@dataclass(frozen=True)
class ChanceModel:
    """A chance model with all its options; built by :func:`build_chance_model`.

    Attributes:
        name: key of :data:`CHANCES`; :data:`AUTO` until the segments are known, or :data:`NONE`.
        places: rule of places that random segments keep; ``None`` if all places are allowed.
        whose: annotations that are random, a key of :data:`CHANCE_OF`.
        seed: random seed of draws, which replace exact figures that take too much work.
        undefined: reason for undefined chance, if the name is :data:`NONE`; else empty.
    """

    name: str
    places: Places | None = field(default=None, hash=False)
    whose: str = "both"
    seed: int = 0
    undefined: str = ""

    @property
    def option_settings(self) -> dict[str, str]:
        """Settings that only some models have: the rule of places, and the random annotations."""
        settings = {} if self.places is None else {"places": self.places.name}
        return settings if self.whose == "both" else {**settings, "chance_of": self.whose}

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of a result that identify the model.

        >>> build_chance_model("per-label", "capitals").settings
        {'chance': 'per-label', 'places': 'capitals'}
        """
        undefined = {"chance_undefined": self.undefined}
        return {"chance": self.name, **(undefined if self.undefined else self.option_settings)}

    @property
    def is_open(self) -> bool:
        """True if neither a model nor another option of chance was requested."""
        return self.name == AUTO and not self.option_settings

    @property
    def is_free(self) -> bool:
        """True if random segments of one annotator may overlap."""
        return self.name == "overlapping"

    @property
    def first_is_fixed(self) -> bool:
        """True if the first annotation is fixed, and only the second is random."""
        return self.whose == "systems"

    def set_fixed_annotator(self, name: str | None, seed: int) -> ChanceModel:
        """Fix the first annotation, or make both annotations random, and replace the seed.

        Args:
            name: name of the first annotator, if fixed; ``None`` if both are random.
            seed: random seed of draws.
        """
        return replace(self, whose="both" if name is None else "systems", seed=seed)

    def remove_chance(self, reason: str) -> ChanceModel:
        """Build a model with undefined chance, with the reason.

        >>> build_chance_model("auto").remove_chance("there is no text").settings
        {'chance': 'none', 'chance_undefined': 'there is no text'}
        """
        return ChanceModel(NONE, seed=self.seed, undefined=reason)

    def check_defined(self, purpose: str) -> None:
        """Raise an error if chance is undefined.

        Args:
            purpose: option or figure that needs chance.

        Raises:
            SettingError: if chance is undefined; with the purpose and the reason.
        """
        if self.undefined:
            raise SettingError(f"{purpose}: chance is undefined here; {self.undefined}")

    def check_has_no_options(self, subject: str, reason: str) -> None:
        """Raise an error if the model has a rule of places, or only one annotation is random.

        Args:
            subject: segments or option that cannot be combined with a rule or a fixed annotation.
            reason: reason why they cannot be combined.

        Raises:
            SettingError: if the model has a rule or a fixed annotation; with the subject and the
                reason.
        """
        if self.option_settings:
            raise SettingError(
                f"{next(iter(self.option_settings))} does not go with {subject}: {reason}"
            )

    def bind_to_ids(self, corpus: Corpus, *, in_part: bool = False) -> tuple[ChanceModel, Corpus]:
        """Bind the rules of places to document ids, so that parts of the corpus keep them.

        Args:
            corpus: corpus of the rules, or a part of it.
            in_part: True for a part, in which no place needs to keep the rule.

        Returns:
            Model with rules by document id, and corpus with ids.

        Raises:
            SettingError: if a rule is for a label that the corpus does not have.
            InputError: if a rule allows no place.
        """
        place_rules = self.places
        if place_rules is None:
            return self, corpus
        if not in_part and not corpus.of_relations:
            place_rules.check(corpus)
        if place_rules.documents is None:
            return self, corpus.with_ids() if place_rules.uses_columns else corpus
        corpus = corpus.with_ids()
        return replace(self, places=place_rules.bind_to_ids(corpus)), corpus


def build_chance_model(
    chance: str | ChanceModel, places: Any = None, whose: str = "both", seed: int = 0
) -> ChanceModel:
    """Build a chance model from the arguments of a public function.

    Args:
        chance: name of the model, or :data:`AUTO`; or a model with its options.
        places: rule of places.
        whose: annotations that are random.
        seed: random seed of draws.

    Raises:
        SettingError: if a name or rule is unknown, or the seed is invalid.

    >>> build_chance_model("per-label", "capitals").places.name
    'capitals'
    """
    check_integer(seed, 0, "seed")
    if isinstance(chance, ChanceModel):
        if places is None and whose == "both":
            return replace(chance, seed=int(seed or chance.seed))
        chance = chance.name
    check_choice(chance, (AUTO, *CHANCES), "chance")
    check_choice(whose, CHANCE_OF, "chance_of")
    rule = None
    if places is not None:
        from spanagree.chance.places import find_places  # few ask for them

        rule = find_places(places)
    return ChanceModel(chance, rule, whose, int(seed))
