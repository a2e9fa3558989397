"""The settings that made a result, and the line of them that makes a number reproducible."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from spanagree.errors import InputError, printable, show
from spanagree.version import __version__

_Kind = TypeVar("_Kind", bound="Settings")
_COUNTS = ("ill_formed", "quotes")  # among the settings of reading, counts that add
_ADDED = "places_mean"  # a number of documents
_HOW = "expected"  # said if not all are exact
_SCHEMES = "schemes"  # of the tags of each layer
_OF_PARTS = ("gold_first", "chosen")  # how layers stand in a part, which parts need not share

# of parts only those have these in which they had an effect
_IF_USED = (
    "ignore_tokens", "missing", "partial", "discontinuous", "duplicates", "chance_seed",
)  # fmt: skip
_REPAIR = "repair"


@dataclass(frozen=True, kw_only=True, eq=False)  # equal to any mapping with the same items
class Settings(Mapping[str, Any]):
    """The settings that made a result; each kind of result has fields of its own before these.

    As a mapping, a result's settings hold those that apply, and those of reading among them; an
    underscore at the end of a field's name is not part of the key.

    Attributes:
        offsets: what offsets count, tokens or characters.
        reading: the settings that a reader used.
        version: of this package.
        ci: how intervals were made, and their confidence.
        resample_by: what was drawn, if not the unit.
        resamples, seed: of intervals and tests.
        chosen: the annotators that were chosen, if any were.

    >>> dict(Settings(offsets="tokens", reading={"strict": False}))
    {'offsets': 'tokens', 'strict': False, 'version': '1.0.0'}
    """

    offsets: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    version: str = __version__
    ci: str | None = None
    resample_by: str | None = None
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
        plain = {k.removesuffix("_"): value for k, value in values.items() if value is not None}
        more = getattr(plain.get("chance"), "settings", {})  # of a model that keeps more
        if not more:
            return plain
        last = max(list(plain).index(key) for key in ("chance", "expected") if key in plain)
        items = list(plain.items())
        return dict([*items[: last + 1], *more.items(), *items[last + 1 :]])

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
        chance: the chance model.
        expected: how expected matches were computed, if not all of them are exact.
        chance_seed: by which expected matches were drawn, if it is not the usual one.
        places_mean: in how many documents a rule of places stands for several rules.
    """

    gold: str | None = None
    gold_first: bool | None = None
    match: str
    chance: str
    expected: str | None = None
    chance_seed: int | None = None
    places_mean: int | None = None


def unit(settings: Mapping[str, Any]) -> str:
    """Return the word for a document of the corpus."""
    return "sentence" if settings.get("unit") == "sentence" else "document"


def merged_settings(
    first: Mapping[str, Any], second: Mapping[str, Any], where: str = ""
) -> dict[str, Any]:
    """Return the merged settings of two parts, as plain data; an error begins with ``where``.

    Settings have to be the same, but for counts, which add, and those that parts need not share.
    """
    before, now = first.get(_SCHEMES), second.get(_SCHEMES)
    if before and now:
        first = {**first, _SCHEMES: _schemes_of(before, now)}
        second = {**second, _SCHEMES: _schemes_of(now, before)}
    for key in sorted({*first, *second} - {*_COUNTS, _ADDED, _HOW, _REPAIR, *_OF_PARTS}):
        before, now = first.get(key), second.get(key)
        unused = key in _IF_USED and None in (before, now)
        if before != now and not unused:
            raise InputError(
                f"{where + ': ' if where else ''}{key} {show(now)}; of those before it is"
                f" {show(before)}, and parts made with different settings do not add"
            )
    merged = {**first, **{key: second[key] for key in (*_OF_PARTS, *_IF_USED) if key in second}}
    if _REPAIR in {**first, **second}:
        merged[_REPAIR] = sorted({*first.get(_REPAIR, ()), *second.get(_REPAIR, ())})
    methods = [settings[_HOW] for settings in (first, second) if settings.get(_HOW)]
    if methods:
        merged[_HOW] = min(methods)
    if _ADDED in {**first, **second}:
        merged[_ADDED] = first.get(_ADDED, 0) + second.get(_ADDED, 0)
    for key in _COUNTS:
        if count := _added(first.get(key, {}), second.get(key, {})):
            merged[key] = count
    return merged


def _schemes_of(schemes: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Return the scheme of each layer's tags; where none are but ``O``, that of other parts."""
    return {
        layer: others.get(layer, scheme) if scheme == "none" else scheme
        for layer, scheme in schemes.items()
    }


_CountsByLayer: TypeAlias = Mapping[str, Mapping[str, int]]


def _added(first: _CountsByLayer, second: _CountsByLayer) -> dict[str, dict[str, int]]:
    """Return how often each kind of thing was counted in each layer of either part."""
    counts: dict[str, dict[str, int]] = {}
    for part in (first, second):
        for layer, kinds in part.items():
            of_layer = counts.setdefault(layer, {})
            for kind, times in kinds.items():
                of_layer[kind] = of_layer.get(kind, 0) + times
    return counts


def provenance_of(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings of reading that say how a corpus was changed, for files that keep it.

    >>> provenance_of({"format": "brat", "discontinuous": "drop", "repair": []})
    {'discontinuous': 'drop'}
    """
    made = {name: reading[name] for name in PROVENANCE if reading.get(name)}
    return {name: value for name, value in made.items() if value != "error"}


def as_read(encoding: str = "utf-8", **chosen: Any) -> dict[str, Any]:
    """Return the setting of what was read of a source: the columns, keys and parts chosen, by name.

    >>> as_read(split="test", tokens=None, wide=False)
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


PROVENANCE: dict[str, type] = {
    "strict": bool, "ignore_tokens": bool, "partial": str, "cut": str, "tokenizer": str,
    "discontinuous": str, "labels": list, "map_labels": dict, "repair": list, "made": dict,
    "quotes": dict, "joined": str,
}  # fmt: skip
"""The settings of reading that stay with a corpus that was written and is read again."""


# --- the signature ------------------------------------------------------------------------------

KEYS = {
    "measures": "text", "credit": "word", "label_weights": "text",
    "severity_penalty": "number",
    "measure": "word", "continuum": "word", "alpha": "number", "beta": "number",
    "delta_empty": "number", "categorical": "word", "order": "text", "sampler": "word",
    "precision": "number", "stopped": "word", "steps": "whole",
    "soft": "word", "threshold": "number",
    "what": "word", "pairs": "word", "arguments": "word", "undirected": "text",
    "untyped": "yes or no", "attribute": "text",
    "match": "match", "chance": "word", "expected": "word", "chance_seed": "whole",
    "p_values": "yes or no",
    "places": "text", "places_mean": "whole", "chance_of": "word",
    "batches": "text", "width": "number", "figure": "word", "confidence": "number",
    "average": "word", "of": "word",
    "gold": "text", "systems": "text", "references": "whole", "best_match": "yes or no",
    "candidate": "text", "epsilon": "number", "score": "word",
    "team": "word", "annotators": "whole", "chosen": "text",
    "length": "whole", "segments": "numbers", "between": "text", "confusion": "word",
    "kinds": "text", "sort": "word",
    "items": "counted", "outside": "word", "categories": "whole", "weights": "word",
    "measurement": "word", "category_weights": "word", "by_label": "yes or no",
    "classes": "classes", "complete_only": "yes or no", "duplicates": "word",
    "missing": "text", "separator": "text", "offsets": "counted", "unit": "word",
    "group_by": "text", "joined": "text",
    "scheme": "scheme", "strict": "yes or no", "partial": "word", "cut": "word",
    "tokenizer": "text", "discontinuous": "word", "read": "text", "labels": "text",
    "map_labels": "text", "made": "text",
    "levels": "whole", "at": "numbers", "chance_at": "numbers", "quantiles": "numbers",
    "ci": "interval", "resample_by": "word", "test": "word",
    "null": "word",
    "resamples": "whole", "draws": "whole", "seed": "whole",
    "repair": "words", "tokens": "ignored", "spanagree": "version",
}  # fmt: skip
"""The settings that change numbers, in the order of the signature, and what their values are."""


class Escaped(str):
    """A user's text as it stands in a signature; it is not escaped again."""

    __slots__ = ()


SIGNED_AS = {
    "places_mean": "places-mean", "chance_of": "chance-of", "chance_seed": "chance-seed",
}  # fmt: skip
"""The names of settings in a signature that differ from their own."""


def signature(settings: Mapping[str, Any]) -> str:
    """Return the settings that change numbers, and the version, in one line for the record.

    >>> signature({"match": "exact", "strict": False, "version": "1.0.0"})
    'match:exact|strict:no|spanagree:1.0.0'
    """
    values = dict(settings)
    if values.get("scheme") == "auto":  # the schemes that were recognised
        values["scheme"] = f"auto({','.join(sorted(set(settings.get('schemes', {}).values())))})"
    values["repair"] = "+".join(settings.get("repair", ())) or None
    values["tokens"] = "ignored" if settings.get("ignore_tokens") else None
    if values.get("discontinuous") == "error":  # then there are none
        values["discontinuous"] = None
    if settings.get("resample_by") != "document":  # then groups change no figure
        values["group_by"] = None
    if settings.get("gold_first") is not False:  # the first layer is gold unless another was named
        values["gold"] = None
    values["spanagree"] = settings["version"]
    return "|".join(
        f"{SIGNED_AS.get(key, key)}:{_signed(values[key])}"
        for key in KEYS
        if values.get(key) is not None
    )


def _signed(value: Any) -> str:
    """Return a value as it stands in a signature."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ",".join(f"{_part(name)}={_part(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(map(_part, value))
    if isinstance(value, float):
        return short if float(short := f"{value:g}") == value else repr(value)
    if isinstance(value, str) and not isinstance(value, Escaped):  # a user's may hold anything
        return printable(value.replace("\\", "\\x5c")).replace("|", "\\x7c")
    return str(value)


def _part(value: Any) -> str:
    """Return a value as it stands among others: those of its own in brackets, signs escaped."""
    if isinstance(value, str):
        signs = {ord(sign): f"\\x{ord(sign):02x}" for sign in ",=()"}
        return _signed(value).translate(signs)
    nested = isinstance(value, (list, tuple, Mapping))
    return f"({_signed(value)})" if nested else _signed(value)


def confidence_of(settings: Mapping[str, Any]) -> float | None:
    """Return the confidence of the intervals that these settings name, in per cent.

    >>> confidence_of({"ci": "bca95"}), confidence_of({})
    (95.0, None)
    """
    number = re.search(r"(?<![\d.])[\d.]+$", str(settings.get("ci") or ""))
    return float(number[0]) if number else None
