"""The settings that made a result, and the line of them that makes a number reproducible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from spanagree.version import SPECIFICATION, __version__

_Kind = TypeVar("_Kind", bound="Settings")


@dataclass(frozen=True, kw_only=True, eq=False)  # equal to any mapping with the same items
class Settings(Mapping[str, Any]):
    """The settings that made a result; each kind of result has fields of its own before these.

    As a mapping, a result's settings hold those that apply, and those of reading among them; an
    underscore at the end of a field's name is not part of the key.

    Attributes:
        offsets: what offsets count, tokens or characters.
        reading: the settings that a reader used.
        spec: version of the specification that figures follow.
        version: of this package.
        ci: how intervals were made, and their confidence.
        cluster_by: clusters that were left out one at a time, if not documents.
        over: samples that intervals regard, if not documents alone.
        resamples, seed: of tests.
        chosen: the annotators that were chosen, if any were.

    >>> dict(Settings(offsets="tokens", reading={"strict": False}))
    {'offsets': 'tokens', 'strict': False, 'spec': '1.0', 'version': '1.0.0'}
    """

    offsets: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    spec: str = SPECIFICATION
    version: str = __version__
    ci: str | None = None
    cluster_by: str | None = None
    over: str | None = None
    resamples: int | None = None
    seed: int | None = None
    chosen: Sequence[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "reading", dict(self.reading))  # a corpus's cannot be pickled

    @cached_property
    def _plain(self) -> dict[str, Any]:
        shared = [item.name for item in fields(Settings)]
        added = [item.name for item in fields(self) if item.name not in shared]
        values = {name: getattr(self, name) for name in (*added, "offsets")} | dict(self.reading)
        values |= {name: getattr(self, name) for name in shared[2:]}  # behind offsets and reading
        return {k.removesuffix("_"): value for k, value in values.items() if value is not None}

    @classmethod
    def read(cls: type[_Kind], settings: Mapping[str, Any]) -> _Kind:
        """Return the settings of this kind that a mapping holds, as one from a file."""
        names = {item.name.removesuffix("_"): item.name for item in fields(cls)}
        named = {names[key]: value for key, value in settings.items() if key in names}
        return cls(**named, reading={k: v for k, v in settings.items() if k not in names})

    def extended(self, kind: type[_Kind], **more: Any) -> _Kind:
        """Return settings of a kind that has more fields than this."""
        return kind(**{**{item.name: getattr(self, item.name) for item in fields(self)}, **more})

    def __getitem__(self, key: str) -> Any:
        return self._plain[key]

    def __contains__(self, key: object) -> bool:
        return key in self._plain

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain)

    def __len__(self) -> int:
        return len(self._plain)


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchSettings(Settings):
    """Settings of what matches, and by which chance.

    Attributes:
        gold: the gold layer, if there is one.
        gold_first: False if that is another than the first layer, or if no user put it there.
        match: the measure.
        chance: name of the chance model.
        expected: how expected matches were computed, if not all of them are exact.
        chance_undefined: reason why there is no chance, if there is none.
        places: name of the rule of places, if chance has one.
        chance_of: whose annotations are random, if not both.
        chance_seed: by which expected matches were drawn, if it is not the usual one.
        places_mean: in how many documents a rule of places stands for several rules.
        unplaced: what became of quotes that are not in the text, if there are any.
    """

    gold: str | None = None
    gold_first: bool | None = None
    match: str
    chance: str
    expected: str | None = None
    chance_undefined: str | None = None
    places: str | None = None
    chance_of: str | None = None
    chance_seed: int | None = None
    places_mean: int | None = None
    unplaced: str | None = None


def document_noun(settings: Mapping[str, Any]) -> str:
    """Return the word for a document of the corpus."""
    return "sentence" if settings.get("unit") == "sentence" else "document"


def provenance_of(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings of reading that say how a corpus was changed, for files that keep it.

    >>> provenance_of({"format": "brat", "discontinuous": "drop", "repair": []})
    {'discontinuous': 'drop'}
    """
    made = {name: reading[name] for name in PROVENANCE if reading.get(name)}
    return {name: value for name, value in made.items() if value != "error"}


def reading_settings(encoding: str = "utf-8", **chosen: Any) -> dict[str, Any]:
    """Return the setting of what was read of a source: the columns, keys and parts chosen, by name.

    >>> reading_settings(split="test", tokens=None, wide=False)
    {'read': {'split': 'test'}}
    """
    chosen["encoding"] = None if encoding == "utf-8" else encoding
    some = {
        name: value for name, value in chosen.items() if value is not None and value is not False
    }
    return {"read": {name: _plain(value) for name, value in some.items()}} if some else {}


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return list(value) if isinstance(value, (list, tuple)) else value


class ReadingSetting(NamedTuple):
    """How a setting of reading stays with a corpus.

    Attributes:
        kept: its type in a file that the corpus was written to; ``None`` if it is not written.
        joined: how that of a whole follows from its parts: ``same`` in all of them; ``if used``,
            the same where it had an effect; the ``last``, as parts need not share it; ``least``,
            ``sum``, ``union``, or ``counts`` by layer, which add.
    """

    kept: type | None = None
    joined: str = "same"


READING: Mapping[str, ReadingSetting] = {
    "gold_first": ReadingSetting(joined="last"),
    "chosen": ReadingSetting(joined="last"),
    "strict": ReadingSetting(bool),
    "ignore_tokens": ReadingSetting(bool, "if used"),
    "missing": ReadingSetting(joined="if used"),
    "partial": ReadingSetting(str, "if used"),
    "cut": ReadingSetting(str),
    "tokenizer": ReadingSetting(str),
    "discontinuous": ReadingSetting(str, "if used"),
    "duplicates": ReadingSetting(joined="if used"),
    "chance_seed": ReadingSetting(joined="if used"),
    "unplaced": ReadingSetting(joined="if used"),
    "labels": ReadingSetting(list),
    "map_labels": ReadingSetting(dict),
    "repair": ReadingSetting(list, "union"),
    "made": ReadingSetting(dict),
    "expected": ReadingSetting(joined="least"),
    "places_mean": ReadingSetting(joined="sum"),
    "ill_formed": ReadingSetting(joined="counts"),
    "quotes": ReadingSetting(dict, "counts"),
    "joined": ReadingSetting(str),
    "strings": ReadingSetting(bool),
}
"""The settings that are written with a corpus, or joined otherwise than by being the same."""

PROVENANCE: Mapping[str, type] = {
    name: setting.kept for name, setting in READING.items() if setting.kept is not None
}
"""The settings of reading that stay with a corpus that was written and is read again."""


# --- the signature ------------------------------------------------------------------------------


JACKKNIFE, EXACT = "jackknife-t", "exact"
"""The kinds of interval, as a signature names them."""


def kinds_and_confidence(kinds: Iterable[str], confidence: float) -> str:
    """Return how a signature names intervals of these kinds.

    >>> kinds_and_confidence(["exact", "jackknife-t"], 95), kinds_and_confidence([], 99.5)
    ('jackknife-t95+exact95', 'jackknife-t99.5')
    """
    number, known = float(confidence), set(kinds)
    level = f"{int(number) if number.is_integer() else number!r}"
    shown = [kind for kind in (JACKKNIFE, EXACT) if kind in known] or [JACKKNIFE]
    return "+".join(f"{kind}{level}" for kind in shown)


def confidence_of(settings: Mapping[str, Any]) -> float | None:
    """Return the confidence of the intervals that these settings name, in per cent.

    >>> confidence_of({"ci": "jackknife-t95+exact95"}), confidence_of({})
    (95.0, None)
    """
    number = re.search(r"(?<![\d.])[\d.]+$", str(settings.get("ci") or ""))
    return float(number[0]) if number else None
