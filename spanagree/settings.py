"""The settings that made a result, and the line of them that makes a number reproducible."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, TypeVar

from spanagree.errors import InputError, printable, show

__version__ = "0.1.0"

_Kind = TypeVar("_Kind", bound="Settings")
_COUNTS = "ill_formed"  # among the settings of reading, counts that add


@dataclass(frozen=True, kw_only=True, eq=False)  # equal to any mapping with the same items
class Settings(Mapping[str, Any]):
    """The settings that made a result; each kind of result has fields of its own before these.

    As a mapping, a result's settings hold those that apply, and those of reading among them.

    Attributes:
        offsets: what offsets count, tokens or characters.
        reading: the settings that a reader used.
        ci: how intervals were made, and their confidence.
        resamples, seed: of intervals and tests.
        skipped_blocks: how many blocks failed.
        version: of this package.

    >>> dict(Settings(offsets="tokens", reading={"strict": False}))
    {'offsets': 'tokens', 'strict': False, 'version': '0.1.0'}
    """

    offsets: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    ci: str | None = None
    resamples: int | None = None
    seed: int | None = None
    skipped_blocks: int | None = None
    version: str = __version__

    @cached_property
    def _plain(self) -> dict[str, Any]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        reading = values.pop("reading")
        return {key: value for key, value in values.items() if value is not None} | reading

    @classmethod
    def read(cls: type[_Kind], settings: Mapping[str, Any]) -> _Kind:
        """Return the settings of this kind that a mapping holds, as one from a file."""
        own = {each.name for each in fields(cls)}
        named = {key: value for key, value in settings.items() if key in own}
        return cls(**named, reading={k: v for k, v in settings.items() if k not in own})

    def extended(self, kind: type[_Kind], **more: Any) -> _Kind:
        """Return settings of a kind that has more fields than this."""
        return kind(**{**{each.name: getattr(self, each.name) for each in fields(self)}, **more})

    def __getitem__(self, key: str) -> Any:
        return self._plain[key]

    def __contains__(self, key: object) -> bool:
        return key in self._plain

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain)

    def __len__(self) -> int:
        return len(self._plain)


def unit(settings: Mapping[str, Any]) -> str:
    """Return what a document of the corpus is called."""
    return "sentence" if settings.get("unit") == "sentence" else "document"


def merged(one: _Kind, other: _Kind) -> _Kind:
    """Return the settings of two parts, which have to be the same; counts among them are added.

    Raises:
        InputError: for other settings, naming the first that differs.
    """
    return one.read(merged_settings(one, other))


def merged_settings(
    one: Mapping[str, Any], other: Mapping[str, Any], where: str = ""
) -> dict[str, Any]:
    """Return the same of plain settings; an error begins with ``where`` the later part is."""
    for key in sorted({*one, *other} - {_COUNTS}):
        before, now = one.get(key), other.get(key)
        if before != now:
            raise InputError(
                f"{where + ': ' if where else ''}{key} {show(now)}; of those before it is"
                f" {show(before)}, and parts made with different settings do not add"
            )
    counts: dict[str, dict[str, int]] = {}
    for settings in (one, other):
        for layer, kinds in settings.get(_COUNTS, {}).items():
            of_layer = counts.setdefault(layer, {})
            for kind, times in kinds.items():
                of_layer[kind] = of_layer.get(kind, 0) + times
    return {**one, _COUNTS: counts} if counts else dict(one)


# --- the signature ------------------------------------------------------------------------------

_WORD = "[a-z][a-z0-9_-]*"
_WHOLE = "0|[1-9][0-9]{0,99}"
_NUMBER = r"-?[0-9]{1,99}(\.[0-9]{1,99})?(e[+-][0-9]{1,3})?"
_NUMBERS = f"{_NUMBER}(,{_NUMBER})*"
_SCHEME = "[A-Za-z0-9]{1,9}"
_TEXT = "[^|]*"  # of a user, escaped
_KEYS = {
    "match": _WORD, "chance": _WORD, "average": _WORD, "of": _WORD, "team": _WORD,
    "annotators": _WHOLE, "between": _TEXT, "kinds": _TEXT,
    "items": _WORD, "outside": _WORD, "categories": _WHOLE, "weights": _WORD,
    "classes": f"estimated|{_NUMBERS}", "complete_only": "yes|no", "duplicates": _WORD,
    "missing": _TEXT, "offsets": _WORD, "unit": _WORD,
    "scheme": rf"auto\(({_SCHEME}(,{_SCHEME})*)?\)|{_SCHEME}", "strict": "yes|no",
    "partial": _WORD, "cut": _WORD,
    "levels": _WHOLE, "at": _NUMBERS, "chance_at": _NUMBERS, "quantiles": _NUMBERS,
    "skipped_blocks": _WHOLE, "ci": rf"[a-z]+{_NUMBER}", "test": _WORD,
    "resamples": _WHOLE, "draws": _WHOLE, "seed": _WHOLE,
}  # fmt: skip
"""The settings that change numbers, in the order of the signature, and how each looks there."""
_LAST = {
    "repair": rf"{_WORD}(\+{_WORD})*",
    "tokens": "ignored",
    "spanagree": r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}([.+-]?[a-z]{1,9}[0-9]{0,9}){0,3}",
}


def signature(settings: Mapping[str, Any]) -> str:
    """Settings in one line, for the record: those that change numbers, and the version.

    >>> signature({"match": "exact", "strict": False, "version": "0.1.0"})
    'match:exact|strict:no|spanagree:0.1.0'
    """
    parts = []
    for key in _KEYS:
        if key in settings:
            value = settings[key]
            if key == "scheme" and value == "auto":  # the schemes that were recognised
                value = f"auto({','.join(sorted(set(settings.get('schemes', {}).values())))})"
            if isinstance(value, list):
                value = ",".join(f"{number:g}" for number in value)
            if isinstance(value, str):  # a user's text may hold anything
                value = printable(value).replace("|", "\\x7c")
            parts.append(f"{key}:{('no', 'yes')[value] if isinstance(value, bool) else value}")
    if settings.get("repair"):
        parts.append(f"repair:{'+'.join(settings['repair'])}")
    if settings.get("ignore_tokens"):
        parts.append("tokens:ignored")
    return "|".join([*parts, f"spanagree:{settings['version']}"])


def settings_of(line: str) -> dict[str, Any]:
    """The settings that a signature names; :func:`signature` makes the same line of them again.

    What a user called things stays escaped, and of the schemes that were recognised it is not
    known whose they are.

    Raises:
        InputError: for anything else than a signature, naming the part.

    >>> settings_of("match:exact|strict:no|spanagree:0.1.0")
    {'match': 'exact', 'strict': False, 'version': '0.1.0'}
    """
    known = {**_KEYS, **_LAST}
    found: dict[str, str] = {}
    for part in line.strip().removeprefix("signature:").strip().split("|"):
        key, colon, value = part.partition(":")
        if not colon:
            raise InputError(f"signature: {show(part)}; key:value, with | between, is needed")
        if key not in known:
            raise InputError(
                f"signature: unknown key {show(key)}; a line that stands below a table is needed"
            )
        if key in found:
            raise InputError(f"signature: the key {key} comes twice")
        if not re.fullmatch(known[key], value, re.ASCII) or not value.isprintable():
            raise InputError(f"signature: {key}: {show(value)} is no value that it can have")
        found[key] = value
    if "spanagree" not in found:
        raise InputError("signature: no spanagree:VERSION, which ends each; is it cut off?")
    return dict(item for key, value in found.items() for item in _settings(key, value))


def _settings(key: str, value: str) -> list[tuple[str, Any]]:
    """What a part of a signature stands for among the settings."""
    pattern = {**_KEYS, **_LAST}[key]
    if key == "spanagree":
        return [("version", value)]
    if key == "tokens":
        return [("ignore_tokens", True)]
    if key == "repair":
        return [(key, value.split("+"))]
    if key == "scheme" and value.startswith("auto("):
        names = value[5:-1].split(",") if value != "auto()" else []
        return [(key, "auto"), ("schemes", dict(zip(names, names, strict=True)))]
    if pattern == _WHOLE:
        return [(key, int(value))]
    if pattern == "yes|no":
        return [(key, value == "yes")]
    if pattern.endswith(_NUMBERS) and value != "estimated":
        return [(key, [float(number) for number in value.split(",")])]
    return [(key, value)]


def subject_of(settings: Mapping[str, Any]) -> str:
    """Which table the settings are those of.

    >>> subject_of({"match": "exact", "team": "summed"})
    'agreement'
    """
    levels = any(key in settings for key in ("levels", "at", "chance_at", "quantiles"))
    if "test" in settings:
        return "luck" if settings["test"] == "luck" else "comparison"
    if "average" in settings:
        return "levels" if levels else "evaluation"
    if "team" in settings:
        return "agreement"
    if "categories" in settings:
        return "coefficients"
    if "of" in settings:
        return "split" if levels else "difficulty"
    if "between" in settings:
        return "disagreements"
    return "chance" if "chance" in settings else "reading"
