"""A chance model by name, with what more a random annotation keeps and whose chance is meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


class ChanceModel(str):
    """The name of a chance model, which goes wherever the name alone does.

    Attributes:
        places: the rule of places that random segments keep; ``None`` for the uniform one.
        whose: whose annotations are random, both or systems.
        seed: of draws, where exact figures would be too much work.
        undefined: reason why there is no chance, if the name is :data:`NONE`.
    """

    places: Places | None
    whose: str
    seed: int
    undefined: str

    def __new__(
        cls,
        name: str,
        places: Places | None = None,
        whose: str = "both",
        seed: int = 0,
        undefined: str = "",
    ) -> ChanceModel:
        """Make it of a name."""
        model = super().__new__(cls, name)
        model.places, model.whose, model.seed = places, whose, int(seed)
        model.undefined = undefined
        return model

    @property
    def settings(self) -> dict[str, Any]:
        """What it adds to the settings of a result."""
        if self.undefined:
            return {"chance_undefined": self.undefined}
        more = {} if self.places is None else {"places": self.places.name}
        return more if self.whose == "both" else {**more, "chance_of": self.whose}


def chance_model(name: str, places: Any = None, whose: str = "both", seed: int = 0) -> str:
    """Return a chance model with what more is asked for; of nothing more, its name.

    The name may be :data:`AUTO`, in whose place :func:`with_name` puts that of a model.

    Raises:
        SettingError: for an unknown name or rule, or a bad seed.

    >>> chance_model("per-label", "capitals").places.name
    'capitals'
    """
    check_whole(seed, 0, "seed")
    if isinstance(name, ChanceModel) and places is None and whose == "both":
        settled = (str.__str__(name), name.places, name.whose, seed or name.seed)
        return ChanceModel(*settled, name.undefined)
    check_choice(name, (AUTO, *CHANCES), "chance")
    check_choice(whose, CHANCE_OF, "chance_of")
    rule = None
    if places is not None:
        from spanagree.chance.places import find_places  # few ask for them

        rule = find_places(places)
    if rule is None and whose == "both" and not seed:
        return name
    return ChanceModel(name, rule, whose, seed)


def with_name(chance: str, name: str) -> str:
    """Return a chance model under another name, with the rule of places and all else it has."""
    if not isinstance(chance, ChanceModel):
        return name
    return ChanceModel(name, chance.places, chance.whose, chance.seed)


def leaves_open(chance: str) -> bool:
    """Return whether no model was named, and nothing else that only chance has."""
    return chance == AUTO and not getattr(chance, "settings", {})


def without_chance(chance: str, reason: str) -> ChanceModel:
    """Return that there is no chance, for a reason.

    >>> without_chance("auto", "there is no text").settings
    {'chance_undefined': 'there is no text'}
    """
    return ChanceModel(NONE, seed=seed_of(chance), undefined=reason)


def why_undefined(chance: str) -> str:
    """Return the reason why there is no chance; empty if there is a model."""
    return chance.undefined if isinstance(chance, ChanceModel) else ""


def check_defined(chance: str, purpose: str) -> None:
    """Raise if there is no chance, which the purpose needs.

    Raises:
        SettingError: naming the purpose and the reason.
    """
    if reason := why_undefined(chance):
        raise SettingError(f"{purpose}: chance is undefined here; {reason}")


def places_of(chance: str) -> Places | None:
    """Return the rule of places of a chance model, if it has one."""
    return chance.places if isinstance(chance, ChanceModel) else None


def without_places(chance: str) -> str | None:
    """Return a chance model without its rule of places; ``None`` if it has none."""
    if not isinstance(chance, ChanceModel) or chance.places is None:
        return None
    return chance_model(str.__str__(chance), None, chance.whose, chance.seed)


def whose(chance: str) -> str:
    """Return whose annotations are random under a chance model."""
    return chance.whose if isinstance(chance, ChanceModel) else "both"


def seed_of(chance: str) -> int:
    """Return the seed of draws under a chance model."""
    return chance.seed if isinstance(chance, ChanceModel) else 0


def with_ids(chance: str, corpus: Corpus, *, in_part: bool = False) -> tuple[str, Corpus]:
    """Return a model and a corpus whose parts keep the rules of documents, or of a column.

    Args:
        chance: name of the model, or the model.
        corpus: corpus that it is for, or a part of one.
        in_part: whether this is a part, in which no place need keep the rule.

    Raises:
        SettingError: for a rule of a label that is not there.
        InputError: for a rule without any place.
    """
    places = places_of(chance)
    if places is not None and not in_part and not corpus.of_relations:
        places.check(corpus)
    if places is None or (places.documents is None and not places.of_columns):
        return chance, corpus
    if places.documents is None:
        return chance, corpus.with_ids()
    assert isinstance(chance, ChanceModel)  # as it has a rule
    corpus = corpus.with_ids()
    by_id = ChanceModel(str.__str__(chance), places.by_id(corpus), chance.whose, chance.seed)
    return by_id, corpus
