"""Where segments may stand: rules by name or of a column, and what they say of a corpus.

Under a rule, a random annotation keeps how many segments of each kind of place there are
(:mod:`spanagree.chance.place_rules`). A rule looks at the text alone, and at the label if it is
wanted, never at annotations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.chance.place_kinds import PlaceKinds, place_kinds
from spanagree.chance.place_rules import (
    PlaceRule,
    WordRule,
    all_tokens,
    anywhere,
    at_borders,
    both_ends,
    ends_at,
    given_places,
)
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Columns, Layer
from spanagree.errors import InputError, SettingError, counted, is_iterable, listed, show
from spanagree.files import PathName
from spanagree.left import answer

NAMED = {
    "words": "both ends at edges of words, lengths in words; for offsets in characters",
    "words+marks": "the same, every other visible character being a word too",
    "letters": "the first and the last token have a letter or digit",
    "capitals": "the first letter of the first and of the last token is a capital",
    "capitals+digits": "the first and the last token have a capital or digit",
}
"""Rules by name: where segments may stand."""

ANYWHERE = "anywhere"
_COLUMN = "column:"
_SUFFIXES = (".csv", ".tsv", ".jsonl")

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_WORD_OR_MARK = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|\S")
_WORDS = {"words": _WORD.finditer, "words+marks": _WORD_OR_MARK.finditer}


@dataclass(frozen=True)
class Places:
    """A rule that is not bound to a corpus yet.

    Attributes:
        name: as it is in signatures and tables.
        rules: of labels; the empty one is for all labels that are not there.
        documents: the same for each document, if the rule was given so.
    """

    name: str
    rules: Mapping[str, Any] = field(default_factory=dict, repr=False)
    documents: Sequence[Mapping[str, Any]] | Mapping[str, Mapping[str, Any]] | None = field(
        default=None, repr=False
    )

    @property
    def of_columns(self) -> bool:
        """Whether a rule is of a column, which has a value for each token of a file."""
        return any(hasattr(rule, "column") for rule in self.rules.values())

    def words_of_all(self, purpose: str) -> str:
        """Return the name of the rule of words that holds for all labels; nothing without words.

        Raises:
            SettingError: if such a rule holds for some labels or documents only.
        """
        documents = [self.rules] if self.documents is None else self.documents
        every = documents.values() if isinstance(documents, Mapping) else documents
        named = {
            (label, rule.get("name") if isinstance(rule, Mapping) else rule)
            for rules in every
            for label, rule in rules.items()
        }
        words = {name for _, name in named if isinstance(name, str) and name in _WORDS}
        if not words:
            return ""
        if named != {("", min(words))}:
            raise SettingError(
                f"{purpose} counts words under places {self.name}, which holds for some segments"
                f" only; a rule for all of them is needed, such as places {min(words)}"
            )
        return min(words)

    def check(self, corpus: Corpus) -> None:
        """Refuse rules of labels that a whole corpus does not have, and rules without a place.

        Raises:
            SettingError: for such a label.
            InputError: if no token keeps the rule.
        """
        documents = () if self.documents is None else self.documents
        every = documents.values() if isinstance(documents, Mapping) else documents
        for label, rule in chain(self.rules.items(), *(rules.items() for rules in every)):
            if label and label not in corpus.labels:
                raise SettingError(
                    f"places {self.name}: no segment has the label {show(label)}; known are"
                    f" {listed(corpus.labels)}"
                )
            if isinstance(rule, str) and rule in _PROPERTIES:
                rule = _Predicate(_PROPERTIES[rule], rule)
            if hasattr(rule, "check"):
                rule.check(corpus)

    def by_id(self, corpus: Corpus) -> Places:
        """Return the same with the rules of documents by their ids, which parts of a corpus keep.

        Raises:
            SettingError: for another number of rules than of documents.
        """
        if not isinstance(self.documents, Sequence):
            return self
        if len(self.documents) != len(corpus):
            raise SettingError(
                f"places: a list of {counted(len(self.documents), 'rule')}, for"
                f" {counted(len(corpus), 'document')}; a"
                " rule for each document is needed"
            )
        rules = {corpus.id_of(d): rule for d, rule in enumerate(self.documents)}
        return Places(self.name, documents=rules)

    def in_file(self, path: PathName, unit: str, encoding: str) -> Places:
        """Return the same with the file that has the columns, if the rule is of columns."""
        from spanagree.chance.column_places import ColumnPlaces

        rules = {
            label: replace(rule, path=path, unit=unit, encoding=encoding)
            if isinstance(rule, ColumnPlaces)
            else rule
            for label, rule in self.rules.items()
        }
        return replace(self, rules=rules)

    def of(self, corpus: Corpus) -> PlacesOfCorpus:
        """Return what the rule says of a corpus.

        Raises:
            SettingError: for a rule that needs what the corpus does not have.
            InputError: for a rule that does not go with the corpus.
        """
        by_id = self.by_id(corpus).documents
        per_document: list[Mapping[str, Any]] | None = None
        if isinstance(by_id, Mapping):
            per_document = [by_id.get(corpus.id_of(d), {}) for d in range(len(corpus))]
        variants: dict[tuple[tuple[str, str], ...], int] = {}
        variant = np.zeros(len(corpus), np.int64)
        if per_document is None:
            variants[tuple((label, "") for label in self.rules)] = 0
        for d, rules in enumerate(per_document or ()):
            key = tuple(sorted((label, rule["name"]) for label, rule in rules.items()))
            variant[d] = variants.setdefault(key, len(variants))
        made: dict[tuple[str, str], int] = {}
        bound: list[PlaceRule] = []
        table = np.zeros((max(1, len(variants)), max(1, len(corpus.labels))), np.int64)
        for key, row in variants.items():
            names = dict(key)
            for code, label in enumerate(corpus.labels or ("",)):
                of_label = label if label in names else ""
                chosen = (of_label, names.get(of_label, ANYWHERE))
                if chosen not in made:
                    made[chosen] = len(bound)
                    bound.append(self._bound(corpus, chosen, per_document))
                table[row, code] = made[chosen]
        return PlacesOfCorpus(bound, variant, table)

    def _bound(
        self,
        corpus: Corpus,
        chosen: tuple[str, str],
        per_document: Sequence[Mapping[str, Any]] | None,
    ) -> PlaceRule:
        """Return the rule of a label, and if each document has one, those of one name."""
        label, name = chosen
        if name == ANYWHERE:
            return anywhere(corpus.lengths)
        if per_document is not None:
            some = [
                rules[label] if label in rules and rules[label]["name"] == name else None
                for rules in per_document
            ]
            return _of_documents(corpus, name, some)
        rule = self.rules[label]
        if isinstance(rule, str):
            return _named(corpus, rule)
        return rule(corpus)


@dataclass(frozen=True, eq=False)
class PlacesOfCorpus:
    """Rules that are bound to a corpus.

    Attributes:
        rules: all of them.
        variant: of each document, which row of the table holds for it.
        table: of each variant and label the number of its rule.
    """

    rules: Sequence[PlaceRule]
    variant: Ints
    table: Ints

    def kinds(self, segments: Layer | Columns) -> PlaceKinds:
        """Return the kinds of the segments of a layer, or of several."""
        document = segments.document
        rule = self.table[self.variant[document], segments.label]
        return place_kinds(self.rules, rule, document, segments.start, segments.end)


@dataclass(frozen=True)
class _Predicate:
    """The rule whose sites have a property at both end tokens; it pickles if the function does."""

    has: Callable[[str], Any]
    name: str

    def __call__(self, corpus: Corpus) -> PlaceRule:
        return _with_property(corpus, self._holds, self.name)

    def check(self, corpus: Corpus) -> None:
        """Raise if no token of the whole corpus has the property."""
        row = _tokens(corpus, self.name)
        if row and not any(map(self._holds, set(row))):
            raise InputError(
                f"places {self.name}: no token has it, so the rule has no place; another rule is"
                " needed"
            )

    def _holds(self, token: str) -> bool:
        try:
            return bool(self.has(token))
        except Exception as error:  # whatever a user's function raises
            raise SettingError(
                f"places {self.name}: of {show(token)} it raises {type(error).__name__}: {error};"
                " it has to say whether a token has the property"
            ) from error


def find_places(given: Any) -> Places | None:
    """Return the rule that is meant; ``None`` for the uniform one.

    Raises:
        SettingError: for a rule that is not known.

    >>> find_places("PER=capitals,LOC=letters").name
    'LOC=letters,PER=capitals'
    """
    if given is None or isinstance(given, Places):
        return given
    if isinstance(given, str):
        return _parsed(given)
    if callable(given):
        name = getattr(given, "__name__", type(given).__name__)
        return Places(name, {"": _Predicate(given, name)})
    if isinstance(given, Iterable) and not isinstance(given, Mapping):
        documents = [_of_labels(rule, f"places, rule {d}") for d, rule in enumerate(given, 1)]
        names = sorted({rule["name"] for rules in documents for rule in rules.values()})
        return Places("+".join(names), documents=documents)
    raise SettingError(
        f"places {show(given)}; a name, a predicate of tokens, or a list with a rule for each"
        " document is needed"
    )


def _parsed(given: str) -> Places | None:
    """Return the rule of a name or column, or of several labels."""
    if given == ANYWHERE:
        return None
    if given.lower().endswith(_SUFFIXES) and "=" not in given:
        raise SettingError(answer("--places FILE.csv"))
    if given in NAMED or given.startswith(_COLUMN):
        return Places(given, {"": _one(given, given)})
    rules: dict[str, Any] = {}
    names: dict[str, str] = {}
    label = ""
    for part in given.split(","):
        before, equals, name = part.partition("=")
        if equals and before and (name in (*NAMED, ANYWHERE) or name.startswith(_COLUMN)):
            label = before
            if label in names:
                raise SettingError(
                    f"places {show(given)}: {show(label)} has two rules; one is needed"
                )
            names[label] = name
        elif names.get(label, "").startswith(_COLUMN):
            names[label] += f",{part}"  # another value of the column
        else:
            raise _unknown(given)
    rules = {label: _one(name, given) for label, name in names.items() if name != ANYWHERE}
    if not rules:
        return None
    return Places(",".join(f"{label}={names[label]}" for label in sorted(rules)), rules)


def _one(name: str, given: str) -> Any:
    """Return the rule of a name or column."""
    if name in NAMED:
        return name
    column, equals, values = name.removeprefix(_COLUMN).partition("=")
    if not column or (equals and not all(values.split(","))):
        raise _unknown(given)
    from spanagree.chance.column_places import ColumnPlaces

    return ColumnPlaces(column, tuple(values.split(",")) if equals else ())


def _unknown(given: str) -> SettingError:
    return SettingError(
        f"places {show(given)}; known are {', '.join(NAMED)}, column:NAME, column:NAME=VALUE,…,"
        " and a rule for each label, such as PER=capitals,LOC=letters"
    )


def _of_labels(rule: Any, where: str) -> dict[str, Any]:
    """Return the rules of labels that a document's rule gives."""
    if not isinstance(rule, Mapping) or not isinstance(rule.get("name"), str):
        raise SettingError(
            f'{where}: {show(rule)}; a mapping such as {{"name": "site", …}} is needed'
        )
    rules = rule.get("rules") if rule["name"] == "by-label" else {"": rule}
    if not isinstance(rules, Mapping):
        raise SettingError(f"{where}: rules {show(rules)}; a rule for each label is needed")
    for label_rule in rules.values():
        name = label_rule.get("name") if isinstance(label_rule, Mapping) else None
        if name not in _KEYS:
            raise SettingError(f"{where}: name {show(name)}; known are {', '.join(_KEYS)}")
        for key in _KEYS[name]:
            if key not in label_rule:
                raise SettingError(f"{where}: {name} without {show(key)}; it is needed")
            if not is_iterable(label_rule[key]):
                raise SettingError(
                    f"{where}: {name} with {key} {show(label_rule[key])}; a list is needed"
                )
    return dict(rules)


_KEYS: dict[str, tuple[str, ...]] = {
    "site": ("ok",), "all": ("ok",), "ends": ("value",), "borders": ("begin", "end"),
    "places": ("places",), "words": (), ANYWHERE: (),
}  # fmt: skip


def _of_documents(
    corpus: Corpus, name: str, rules: Sequence[Mapping[str, Any] | None]
) -> PlaceRule:
    """Return the rule of documents that each give their own, all of one name."""
    lengths = corpus.lengths
    if name == "places":
        given = [
            (d, *_pair(place, d, corpus))
            for d, rule in enumerate(rules)
            if rule is not None
            for place in rule["places"]
        ]
        document, start, end = np.array(given, np.int64).reshape(-1, 3).T
        return given_places(lengths, document, start, end)
    if name == "words":
        texts = ["" if rule is None else rule.get("text") for rule in rules]
        if None in texts:
            texts = list(corpus.known("texts", "places words"))
        for d, (rule, text, length) in enumerate(zip(rules, texts, lengths.tolist(), strict=True)):
            if rule is not None and (not isinstance(text, str) or len(text) != length):
                raise InputError(
                    f"places, document {show(corpus.id_of(d))}: words of the text {show(text)};"
                    f" a text of {counted(length, 'character')} is needed"
                )
        return _words(lengths, [str(text) for text in texts], _WORDS["words"])
    rows = [_joined(corpus, rules, key, lengths + (name == "borders")) for key in _KEYS[name]]
    if name == "ends":
        try:
            codes = {value: i for i, value in enumerate(dict.fromkeys(rows[0]))}
        except TypeError:
            why = "values that are lists or mappings; strings or numbers are needed"
            raise SettingError(f"places ends: {why}") from None
        return ends_at(lengths, np.array([codes[value] for value in rows[0]], np.int64))
    have = [np.array([bool(value) for value in row], np.bool_) for row in rows]
    if name == "borders":
        return at_borders(lengths, *have)
    return (both_ends if name == "site" else all_tokens)(lengths, have[0])


def _pair(place: Any, d: int, corpus: Corpus) -> tuple[int, int]:
    try:
        start, end = (int(x) for x in place)
    except (TypeError, ValueError):
        start = end = -1
    if not 0 <= start < end <= corpus.lengths[d]:
        raise InputError(
            f"places, document {show(corpus.id_of(d))}: {show(place)}; a start and an end from 0 to"
            f" {corpus.lengths[d]} are needed"
        )
    return start, end


def _joined(
    corpus: Corpus, rules: Sequence[Mapping[str, Any] | None], key: str, sizes: Ints
) -> list[Any]:
    """Return the values of all documents in a row."""
    row: list[Any] = []
    for d, (rule, size) in enumerate(zip(rules, sizes.tolist(), strict=True)):
        values = [None] * size if rule is None else list(rule[key])
        if len(values) != size:
            raise InputError(
                f"places, document {show(corpus.id_of(d))}: {key} has"
                f" {counted(len(values), 'value')}, and {size} are needed; another tokenisation?"
            )
        row += values
    return row


# --- rules by name -------------------------------------------------------------------------------


def _named(corpus: Corpus, name: str) -> PlaceRule:
    if name in _WORDS:
        return words_of_texts(corpus, name, f"places {name}")
    return _with_property(corpus, _PROPERTIES[name], name)


def words_of_texts(corpus: Corpus, name: str, purpose: str) -> WordRule:
    """Return where the words of a corpus stand, by the rule of that name.

    Raises:
        SettingError: for offsets that do not count characters, or without texts.
    """
    if corpus.offsets != "characters":
        raise SettingError(f"{purpose}: offsets count tokens; it is for offsets in characters")
    return _words(corpus.lengths, corpus.known("texts", purpose), _WORDS[name])


def _words(
    lengths: Ints, texts: Sequence[str], words_of: Callable[[str], Iterator[re.Match[str]]]
) -> WordRule:
    return WordRule.of(lengths, [[word.span() for word in words_of(text)] for text in texts])


def _with_property(corpus: Corpus, has: Callable[[str], Any], name: str) -> PlaceRule:
    """Return the rule whose sites have a property at both end tokens, or characters."""
    row = _tokens(corpus, name)
    having = set(filter(has, set(row)))
    have = np.fromiter(map(having.__contains__, row), np.bool_, len(row))
    return both_ends(corpus.lengths, have)


def _tokens(corpus: Corpus, name: str) -> Sequence[str]:
    """Return the tokens of all documents in a row, or the characters where these are counted."""
    if corpus.offsets == "characters":
        return "".join(corpus.known("texts", f"places {name}"))
    return corpus.known("tokens", f"places {name}")


def _begins_with_capital(token: str) -> bool:
    if not token[:1].isalpha():
        token = next(filter(str.isalpha, token), "")
    return token[:1].isupper()


_PROPERTIES: dict[str, Callable[[str], bool]] = {
    "letters": lambda token: any(map(str.isalnum, token)),
    "capitals": _begins_with_capital,
    "capitals+digits": lambda token: any(x.isupper() or x.isdigit() for x in token),
}
