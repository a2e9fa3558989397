"""A chance model: its name, what more a random annotation keeps, and whose chance is meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_choice, check_whole

if TYPE_CHECKING:
    from spanagree.chance.places import Places

Given: TypeAlias = "str | Callable[[str], Any] | Sequence[Mapping[str, Any]]"
"""A rule of places as it is given: a name, a predicate of tokens, or a rule for each document."""

CHANCE_OF = {
    "both": "both annotations are random",
    "systems": "gold is as it is, systems are random",
}
"""Whose annotations are random, by name."""


AUTO = "auto"
"""In place of the name of a chance model: the first of them that the segments allow."""

NONE = "none"
"""In place of the name of a chance model: these segments or this measure have none."""


@dataclass(frozen=True)
class ChanceModel:
    """A chance model, as everything after :func:`chance_model` takes it.

    Attributes:
        name: one of :data:`CHANCES`; :data:`AUTO` until the segments are known, or :data:`NONE`.
        places: rule of places that random segments keep; ``None`` if they may stand anywhere.
        whose: one of :data:`CHANCE_OF`, the annotations that are random.
        seed: seed of draws, where exact figures would be too much work.
        undefined: reason why there is no chance, if the name is :data:`NONE`.
    """

    name: str
    places: Places | None = field(default=None, hash=False)
    whose: str = "both"
    seed: int = 0
    undefined: str = ""

    @property
    def keeps(self) -> dict[str, str]:
        """The settings that only some models have: the rule of places, and whose chance it is."""
        places = {} if self.places is None else {"places": self.places.name}
        return places if self.whose == "both" else {**places, "chance_of": self.whose}

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a result that name the model.

        >>> chance_model("per-label", "capitals").settings
        {'chance': 'per-label', 'places': 'capitals'}
        """
        undefined = {"chance_undefined": self.undefined}
        return {"chance": self.name, **(undefined if self.undefined else self.keeps)}

    @property
    def is_open(self) -> bool:
        """Whether no model was named, and nothing else that only chance has."""
        return self.name == AUTO and not self.keeps

    @property
    def is_free(self) -> bool:
        """Whether random segments of one annotator may overlap."""
        return self.name == "overlapping"

    @property
    def first_is_fixed(self) -> bool:
        """Whether the first annotation stays as it is, and only the second is random."""
        return self.whose == "systems"

    @property
    def without_places(self) -> ChanceModel | None:
        """The model without its rule of places; ``None`` if it has no rule."""
        return None if self.places is None else replace(self, places=None)

    def named(self, name: str) -> ChanceModel:
        """Return the model under another name, with the rule of places and all else it has."""
        return replace(self, name=name)

    def fixing(self, name: str | None, seed: int) -> ChanceModel:
        """Return the model with another seed, of both annotations or with one that is fixed.

        Args:
            name: name of the annotator who is fixed, and comes first; ``None`` if both are random.
            seed: seed of draws.
        """
        return replace(self, whose="both" if name is None else "systems", seed=seed)

    def without_chance(self, reason: str) -> ChanceModel:
        """Return that there is no chance, for a reason.

        >>> chance_model("auto").without_chance("there is no text").settings
        {'chance': 'none', 'chance_undefined': 'there is no text'}
        """
        return ChanceModel(NONE, seed=self.seed, undefined=reason)

    def check_defined(self, purpose: str) -> None:
        """Raise if there is no chance, which the purpose needs.

        Raises:
            SettingError: naming the purpose and the reason.
        """
        if self.undefined:
            raise SettingError(f"{purpose}: chance is undefined here; {self.undefined}")

    def check_keeps_nothing(self, what: str, why: str) -> None:
        """Raise if the model has a rule of places, or only one annotation is random.

        Args:
            what: segments that do not go with it.
            why: reason why they do not.

        Raises:
            SettingError: naming both.
        """
        if self.keeps:
            raise SettingError(f"{next(iter(self.keeps))} does not go with {what}: {why}")

    def with_ids(self, corpus: Corpus, *, in_part: bool = False) -> tuple[ChanceModel, Corpus]:
        """Return the model and a corpus whose parts keep the rules of documents, or of a column.

        Args:
            corpus: corpus that it is for, or a part of one.
            in_part: whether this is a part, in which no place need keep the rule.

        Raises:
            SettingError: for a rule of a label that is not there.
            InputError: for a rule without any place.
        """
        places = self.places
        if places is None:
            return self, corpus
        if not in_part and not corpus.of_relations:
            places.check(corpus)
        if places.documents is None:
            return self, corpus.with_ids() if places.of_columns else corpus
        corpus = corpus.with_ids()
        return replace(self, places=places.by_id(corpus)), corpus


def chance_model(
    chance: str | ChanceModel, places: Any = None, whose: str = "both", seed: int = 0
) -> ChanceModel:
    """Return the chance model of what a user asks for.

    Args:
        chance: name of the model, which may be :data:`AUTO`; or a model, which may have all else.
        places: rule of places.
        whose: annotations that are random.
        seed: seed of draws.

    Raises:
        SettingError: for an unknown name or rule, or a bad seed.

    >>> chance_model("per-label", "capitals").places.name
    'capitals'
    """
    check_whole(seed, 0, "seed")
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
