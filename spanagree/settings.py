"""Settings of results, and the parts of their signature on intervals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from spanagree.version import SPECIFICATION, __version__

_S = TypeVar("_S", bound="Settings")


@dataclass(frozen=True, kw_only=True, eq=False)  # equal to any mapping with the same items
class Settings(Mapping[str, Any]):
    """Settings of a result; each class of results adds fields of its own before these.

    As a mapping, it contains the settings that apply, with the settings of reading among them; an
    underscore at the end of a field's name is not part of the key.

    Attributes:
        offsets: unit of offsets, tokens or characters.
        reading: settings of the reader.
        spec: version of the specification that figures follow.
        version: version of this package.
        ci: method of intervals, and their confidence.
        cluster_by: clusters that were left out one at a time, if not documents.
        over: samples that intervals generalize over, if not documents alone.
        resamples, seed: number of resamples of tests, and their seed.
        chosen: annotators that were selected, if any were.

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
        object.__setattr__(self, "reading", dict(self.reading))  # a plain dict can be pickled

    @cached_property
    def _plain(self) -> dict[str, Any]:
        """Settings that apply, by key, in the order of the signature."""
        common_names = [item.name for item in fields(Settings)]
        own_names = [item.name for item in fields(self) if item.name not in common_names]
        values = {name: getattr(self, name) for name in (*own_names, "offsets")} | dict(
            self.reading
        )
        values |= {name: getattr(self, name) for name in common_names[2:]}
        return {key.removesuffix("_"): value for key, value in values.items() if value is not None}

    @classmethod
    def from_mapping(cls: type[_S], settings: Mapping[str, Any]) -> _S:
        """Build an object of this class from a mapping of settings.

        Settings of no field of this class are stored in ``reading``.
        """
        names = {item.name.removesuffix("_"): item.name for item in fields(cls)}
        own_settings = {names[key]: value for key, value in settings.items() if key in names}
        return cls(
            **own_settings,
            reading={key: value for key, value in settings.items() if key not in names},
        )

    def extend_to(self, settings_class: type[_S], **extra_fields: Any) -> _S:
        """Convert to a class with more fields."""
        return settings_class(
            **{**{item.name: getattr(self, item.name) for item in fields(self)}, **extra_fields}
        )

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
    """Settings of the matches and their chance.

    Attributes:
        gold: name of the gold layer, if there is one.
        gold_first: False if gold is another than the first layer, or if the order of layers is not
            the user's.
        match: name of the measure.
        chance: name of the chance model.
        expected: method of expected matches, if not all of them are exact.
        chance_undefined: reason why chance is undefined, if it is.
        places: name of the rule of places, if chance has one.
        chance_of: annotations that are random, if not both.
        chance_seed: seed of drawn expected matches, if not the default.
        places_mean: number of documents in which several rules of places were averaged.
        unplaced: treatment of quotes that are not in the text, if there are any.
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
    """Look up the noun for a document of the corpus."""
    return "sentence" if settings.get("unit") == "sentence" else "document"


def select_provenance(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Select the settings of reading that changed a corpus, for files that keep them.

    >>> select_provenance({"format": "brat", "discontinuous": "drop", "repair": []})
    {'discontinuous': 'drop'}
    """
    changes = {name: reading[name] for name in PROVENANCE if reading.get(name)}
    return {name: value for name, value in changes.items() if value != "error"}


def build_reading_settings(encoding: str = "utf-8", **selections: Any) -> dict[str, Any]:
    """Build the setting ``read``: the columns, keys and parts that were selected, by name.

    >>> build_reading_settings(split="test", tokens=None, wide=False)
    {'read': {'split': 'test'}}
    """
    selections["encoding"] = None if encoding == "utf-8" else encoding
    nondefault_options = {
        name: value
        for name, value in selections.items()
        if value is not None and value is not False
    }
    return (
        {"read": {name: _convert_to_plain(value) for name, value in nondefault_options.items()}}
        if nondefault_options
        else {}
    )


def _convert_to_plain(value: Any) -> Any:
    """Convert a value to JSON's types."""
    if isinstance(value, Mapping):
        return {name: _convert_to_plain(item) for name, item in value.items()}
    return list(value) if isinstance(value, (list, tuple)) else value


class ReadingSetting(NamedTuple):
    """Behaviour of a setting of reading when a corpus is written or joined.

    Attributes:
        kept: type in a file of a corpus; ``None`` if it is not written.
        joined: rule for joined corpora: ``same`` in all parts; ``if used``, the same in the parts
            where it had an effect; the ``last``; ``least``, ``sum``, ``union``, or sums of
            ``counts`` by layer.
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
    "cut": ReadingSetting(str, "if used"),
    "tokenizer": ReadingSetting(str, "if used"),
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
"""Settings that are written with a corpus, or that joined corpora need not share."""

PROVENANCE: Mapping[str, type] = {
    name: setting.kept for name, setting in READING.items() if setting.kept is not None
}
"""Types of the settings of reading that files of a corpus keep."""


# --- the signature ------------------------------------------------------------------------------


JACKKNIFE, EXACT = "jackknife-t", "exact"
"""Methods of intervals, as a signature names them."""


def format_kinds_and_confidence(methods: Iterable[str], confidence: float) -> str:
    """Format the methods of intervals and their confidence for a signature.

    >>> format_kinds_and_confidence(["exact", "jackknife-t"], 95)
    'jackknife-t95+exact95'
    >>> format_kinds_and_confidence([], 99.5)
    'jackknife-t99.5'
    """
    percentage, used_methods = float(confidence), set(methods)
    suffix = f"{int(percentage) if percentage.is_integer() else percentage!r}"
    listed = [method for method in (JACKKNIFE, EXACT) if method in used_methods] or [JACKKNIFE]
    return "+".join(f"{method}{suffix}" for method in listed)


def parse_confidence(settings: Mapping[str, Any]) -> float | None:
    """Parse the confidence of the intervals of these settings, in per cent.

    >>> parse_confidence({"ci": "jackknife-t95+exact95"}), parse_confidence({})
    (95.0, None)
    """
    match = re.search(r"(?<![\d.])[\d.]+$", str(settings.get("ci") or ""))
    return float(match[0]) if match else None


def parse_interval_methods(settings: Mapping[str, Any]) -> str:
    """Parse the methods of the intervals of these settings; empty without intervals.

    >>> parse_interval_methods({"ci": "jackknife-t95+exact95"})
    'jackknife-t+exact'
    """
    return "+".join(re.findall(r"(?:^|\+)([a-z-]+)", settings.get("ci", "")))
