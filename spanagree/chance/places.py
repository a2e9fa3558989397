"""Rules of places by name, by column or by document, and their application to a corpus.

Under a rule, a random annotation has the same number of segments of each kind of place as the
annotator (:mod:`spanagree.chance.place_rules`). A rule depends on the text, and optionally on the
label, but never on annotations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.chance.place_kinds import PlaceKinds, find_place_kinds
from spanagree.chance.place_rules import (
    PlaceRule,
    WordRule,
    build_all_tokens_rule,
    build_anywhere_rule,
    build_border_rule,
    build_both_ends_rule,
    build_end_value_rule,
    build_site_rule,
)
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, SegmentColumns
from spanagree.errors import (
    InputError,
    SettingError,
    is_iterable,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import PathName
from spanagree.removed import write_removal_message

NAMED = {
    "words": "both ends at edges of words, lengths in words; for offsets in characters",
    "words+marks": "the same, every other visible character being a word too",
    "letters": "the first and the last token have a letter or digit",
    "capitals": "the first letter of the first and of the last token is a capital",
    "capitals+digits": "the first and the last token have a capital or digit",
}
"""Rules of places by name."""

ANYWHERE = "anywhere"
_COLUMN = "column:"
_SUFFIXES = (".csv", ".tsv", ".jsonl")

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_WORD_OR_MARK = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|\S")
_WORDS = {"words": _WORD.finditer, "words+marks": _WORD_OR_MARK.finditer}


@dataclass(frozen=True)
class Places:
    """A rule of places that is not bound to a corpus yet.

    Attributes:
        name: name in signatures and tables.
        rules: rule of each label; the empty label is for all other labels.
        documents: rules of labels for each document, or by document id; ``None`` if all documents
            have the same rules.
    """

    name: str
    rules: Mapping[str, Any] = field(default_factory=dict, repr=False)
    documents: Sequence[Mapping[str, Any]] | Mapping[str, Mapping[str, Any]] | None = field(
        default=None, repr=False
    )

    @property
    def uses_columns(self) -> bool:
        """True if a rule uses a column with a value for each token of a file."""
        return any(hasattr(rule, "column") for rule in self.rules.values())

    def find_words_of_all(self, purpose: str) -> str:
        """Find the name of the rule of words, such as words+marks, for the whole corpus.

        The name is empty if no rule is about words.

        Raises:
            SettingError: if a rule of words applies to only some labels or documents.
        """
        documents = [self.rules] if self.documents is None else self.documents
        rules_of_documents = documents.values() if isinstance(documents, Mapping) else documents
        label_and_rule = {
            (label, rule.get("name") if isinstance(rule, Mapping) else rule)
            for rules in rules_of_documents
            for label, rule in rules.items()
        }
        words = {name for _, name in label_and_rule if isinstance(name, str) and name in _WORDS}
        if not words:
            return ""
        if label_and_rule != {("", min(words))}:
            raise SettingError(
                f"{purpose} counts words under places {self.name}, which holds for some segments"
                f" only; a rule for all of them is needed, such as places {min(words)}"
            )
        return min(words)

    def check(self, corpus: Corpus) -> None:
        """Check the rules on a whole corpus.

        Raises:
            SettingError: if a rule is for a label that the corpus does not have.
            InputError: if no token keeps a rule.
        """
        documents = () if self.documents is None else self.documents
        rules_of_documents = documents.values() if isinstance(documents, Mapping) else documents
        for label, rule in chain(
            self.rules.items(), *(rules.items() for rules in rules_of_documents)
        ):
            if label and label not in corpus.labels:
                raise SettingError(
                    f"places {self.name}: no segment has the label {quote_value(label)}; known are"
                    f" {join_names(corpus.labels)}"
                )
            if isinstance(rule, str) and rule in _PROPERTIES:
                rule = _Predicate(_PROPERTIES[rule], rule)
            if hasattr(rule, "check"):
                rule.check(corpus)

    def bind_to_ids(self, corpus: Corpus) -> Places:
        """Return a copy with rules by document id, which can be used for any part of the corpus.

        Raises:
            SettingError: if the numbers of rules and of documents differ.
        """
        if not isinstance(self.documents, Sequence):
            return self
        if len(self.documents) != len(corpus):
            raise SettingError(
                f"places: a list of {pluralize(len(self.documents), 'rule')}, for"
                f" {pluralize(len(corpus), 'document')}; a"
                " rule for each document is needed"
            )
        rules = {corpus.id_of(d): rule for d, rule in enumerate(self.documents)}
        return Places(self.name, documents=rules)

    def set_file(self, path: PathName, unit: str, encoding: str) -> Places:
        """Set the file of rules that use columns."""
        from spanagree.chance.column_places import ColumnPlaces

        rules = {
            label: replace(rule, path=path, unit=unit, encoding=encoding)
            if isinstance(rule, ColumnPlaces)
            else rule
            for label, rule in self.rules.items()
        }
        return replace(self, rules=rules)

    def bind_to_corpus(self, corpus: Corpus) -> CorpusPlaces:
        """Bind the rules to a corpus: find the rule of each document and label.

        Rules are looked up by label and by variant, a set of documents in which each label has the
        same rule.

        Raises:
            SettingError: if the rule needs data that the corpus does not have.
            InputError: if the rule does not fit the corpus.
        """
        by_id = self.bind_to_ids(corpus).documents
        per_document: list[Mapping[str, Any]] | None = None
        if isinstance(by_id, Mapping):
            per_document = [
                by_id.get(corpus.id_of(document_index), {}) for document_index in range(len(corpus))
            ]
        variants: dict[tuple[tuple[str, str], ...], int] = {}
        variant = np.zeros(len(corpus), np.int64)
        if per_document is None:
            variants[tuple((label, "") for label in self.rules)] = 0
        for document_index, rules in enumerate(per_document or ()):
            variant_key = tuple(sorted((label, rule["name"]) for label, rule in rules.items()))
            variant[document_index] = variants.setdefault(variant_key, len(variants))
        index_by_rule: dict[tuple[str, str], int] = {}
        bound_rules: list[PlaceRule] = []
        table = np.zeros((max(1, len(variants)), max(1, len(corpus.labels))), np.int64)
        for variant_key, variant_row in variants.items():
            names = dict(variant_key)
            for code, label in enumerate(corpus.labels or ("",)):
                rule_label = label if label in names else ""
                label_and_name = (rule_label, names.get(rule_label, ANYWHERE))
                if label_and_name not in index_by_rule:
                    index_by_rule[label_and_name] = len(bound_rules)
                    bound_rules.append(self._bind_rule(corpus, label_and_name, per_document))
                table[variant_row, code] = index_by_rule[label_and_name]
        return CorpusPlaces(bound_rules, variant, table)

    def _bind_rule(
        self,
        corpus: Corpus,
        label_and_name: tuple[str, str],
        per_document: Sequence[Mapping[str, Any]] | None,
    ) -> PlaceRule:
        """Bind the rule of a label to a corpus.

        Args:
            label_and_name: label, empty for all other labels; and name of the rule, used if
                documents have their own rules.
            per_document: rules by label of each document; ``None`` if all documents have the same.
            corpus: annotations.
        """
        label, name = label_and_name
        if name == ANYWHERE:
            return build_anywhere_rule(corpus.lengths)
        if per_document is not None:
            rules_of_name = [
                rules[label] if label in rules and rules[label]["name"] == name else None
                for rules in per_document
            ]
            return _bind_document_rules(corpus, name, rules_of_name)
        rule = self.rules[label]
        if isinstance(rule, str):
            return _find_rule_by_name(corpus, rule)
        return rule(corpus)


@dataclass(frozen=True, eq=False)
class CorpusPlaces:
    """Rules that are bound to a corpus.

    Documents in which each label has the same rule form a *variant*.

    Attributes:
        rules: distinct rules.
        variant: row of the table for each document; (documents,).
        table: index of the rule for each variant and label; (variants, labels).
    """

    rules: Sequence[PlaceRule]
    variant: Ints
    table: Ints

    def find_kinds(self, segments: Layer | SegmentColumns) -> PlaceKinds:
        """Find the kind of each segment, and all places of each kind."""
        document = segments.document
        rule = self.table[self.variant[document], segments.label]
        return find_place_kinds(self.rules, rule, document, segments.start, segments.end)


@dataclass(frozen=True)
class _Predicate:
    """Rule that both end tokens have a property; it can be pickled if the function can."""

    has: Callable[[str], Any]
    name: str

    def __call__(self, corpus: Corpus) -> PlaceRule:
        return _build_property_rule(corpus, self._has_property, self.name)

    def check(self, corpus: Corpus) -> None:
        """Raise an InputError if no token of the whole corpus has the property."""
        row = _concatenate_tokens(corpus, self.name)
        if row and not any(map(self._has_property, set(row))):
            raise InputError(
                f"places {self.name}: no token has it, so the rule has no place; another rule is"
                " needed"
            )

    def _has_property(self, token: str) -> bool:
        """Call the user's function to decide whether a token has the property."""
        try:
            return bool(self.has(token))
        except Exception as error:  # a user's function may raise anything
            raise SettingError(
                f"places {self.name}: of {quote_value(token)} it raises {type(error).__name__}:"
                f" {error}; it has to say whether a token has the property"
            ) from error


def find_places(rule_argument: Any) -> Places | None:
    """Convert the argument ``places`` to a rule; ``None`` for the uniform rule.

    Raises:
        SettingError: if the rule is unknown.

    >>> find_places("PER=capitals,LOC=letters").name
    'LOC=letters,PER=capitals'
    """
    if rule_argument is None or isinstance(rule_argument, Places):
        return rule_argument
    if isinstance(rule_argument, str):
        return _parse_places(rule_argument)
    if callable(rule_argument):
        name = getattr(rule_argument, "__name__", type(rule_argument).__name__)
        return Places(name, {"": _Predicate(rule_argument, name)})
    if isinstance(rule_argument, Iterable) and not isinstance(rule_argument, Mapping):
        documents = [
            _parse_rules_by_label(rule, f"places, rule {d}")
            for d, rule in enumerate(rule_argument, 1)
        ]
        names = sorted({rule["name"] for rules in documents for rule in rules.values()})
        return Places("+".join(names), documents=documents)
    raise SettingError(
        f"places {quote_value(rule_argument)}; a name, a predicate of tokens, or a list with a"
        " rule for each document is needed"
    )


def _parse_places(text: str) -> Places | None:
    """Parse the name of a rule, a column, or a list of rules by label, such as PER=capitals."""
    if text == ANYWHERE:
        return None
    if text.lower().endswith(_SUFFIXES) and "=" not in text:
        raise SettingError(write_removal_message("--places FILE.csv"))
    if text in NAMED or text.startswith(_COLUMN):
        return Places(text, {"": _parse_rule(text, text)})
    rules: dict[str, Any] = {}
    names: dict[str, str] = {}
    label = ""
    for item in text.split(","):
        item_label, equals, name = item.partition("=")
        if equals and item_label and (name in (*NAMED, ANYWHERE) or name.startswith(_COLUMN)):
            label = item_label
            if label in names:
                raise SettingError(
                    f"places {quote_value(text)}: {quote_value(label)} has two rules; one is needed"
                )
            names[label] = name
        elif names.get(label, "").startswith(_COLUMN):
            names[label] += f",{item}"  # another value of the column
        else:
            raise _build_unknown_error(text)
    rules = {label: _parse_rule(name, text) for label, name in names.items() if name != ANYWHERE}
    if not rules:
        return None
    return Places(",".join(f"{label}={names[label]}" for label in sorted(rules)), rules)


def _parse_rule(name: str, text: str) -> Any:
    """Parse the name of one rule or column; ``text`` is the whole argument, for errors."""
    if name in NAMED:
        return name
    column, equals, values = name.removeprefix(_COLUMN).partition("=")
    if not column or (equals and not all(values.split(","))):
        raise _build_unknown_error(text)
    from spanagree.chance.column_places import ColumnPlaces

    return ColumnPlaces(column, tuple(values.split(",")) if equals else ())


def _build_unknown_error(text: str) -> SettingError:
    """Build the error for an unknown rule, with the known rules."""
    return SettingError(
        f"places {quote_value(text)}; known are {', '.join(NAMED)}, column:NAME,"
        " column:NAME=VALUE,…, and a rule for each label, such as PER=capitals,LOC=letters"
    )


def _parse_rules_by_label(rule: Any, location: str) -> dict[str, Any]:
    """Return the rules of a document as a mapping from labels to checked rules.

    Args:
        rule: rule as the user wrote it, such as ``{"name": "site", "ok": […]}``.
        location: beginning of error messages.

    Raises:
        SettingError: if the rule is not a mapping with a known name, or has no list under a key.
    """
    if not isinstance(rule, Mapping) or not isinstance(rule.get("name"), str):
        raise SettingError(
            f'{location}: {quote_value(rule)}; a mapping such as {{"name": "site", …}} is needed'
        )
    rules = rule.get("rules") if rule["name"] == "by-label" else {"": rule}
    if not isinstance(rules, Mapping):
        raise SettingError(
            f"{location}: rules {quote_value(rules)}; a rule for each label is needed"
        )
    for label_rule in rules.values():
        name = label_rule.get("name") if isinstance(label_rule, Mapping) else None
        if name not in _KEYS:
            raise SettingError(
                f"{location}: name {quote_value(name)}; known are {', '.join(_KEYS)}"
            )
        for key in _KEYS[name]:
            if key not in label_rule:
                raise SettingError(f"{location}: {name} without {quote_value(key)}; it is needed")
            if not is_iterable(label_rule[key]):
                raise SettingError(
                    f"{location}: {name} with {key} {quote_value(label_rule[key])}; a list is"
                    " needed"
                )
    return dict(rules)


_KEYS: dict[str, tuple[str, ...]] = {
    "site": ("ok",), "all": ("ok",), "ends": ("value",), "borders": ("begin", "end"),
    "places": ("places",), "words": (), ANYWHERE: (),
}  # fmt: skip


def _bind_document_rules(
    corpus: Corpus, name: str, rules: Sequence[Mapping[str, Any] | None]
) -> PlaceRule:
    """Bind the rules of documents, all of the same name.

    Args:
        corpus: annotations.
        name: name of the rules.
        rules: rule of each document; ``None`` if the document has another rule.
    """
    lengths = corpus.lengths
    if name == "places":
        sites = [
            (document_index, *_parse_site(site, document_index, corpus))
            for document_index, rule in enumerate(rules)
            if rule is not None
            for site in rule["places"]
        ]
        document, start, end = np.array(sites, np.int64).reshape(-1, 3).T
        return build_site_rule(lengths, document, start, end)
    if name == "words":
        texts = ["" if rule is None else rule.get("text") for rule in rules]
        if None in texts:
            texts = list(corpus.known("texts", "places words"))
        for document_index, (rule, text, length) in enumerate(
            zip(rules, texts, lengths.tolist(), strict=True)
        ):
            if rule is not None and (not isinstance(text, str) or len(text) != length):
                raise InputError(
                    f"places, document {quote_value(corpus.id_of(document_index))}: words of the"
                    " text"
                    f" {quote_value(text)}; a text of {pluralize(length, 'character')} is needed"
                )
        return _build_word_rule(lengths, [str(text) for text in texts], _WORDS["words"])
    rows = [
        _concatenate_values(corpus, rules, key, lengths + (name == "borders"))
        for key in _KEYS[name]
    ]
    if name == "ends":
        try:
            code_by_value = {value: i for i, value in enumerate(dict.fromkeys(rows[0]))}
        except TypeError:
            reason = "values that are lists or mappings; strings or numbers are needed"
            raise SettingError(f"places ends: {reason}") from None
        return build_end_value_rule(
            lengths, np.array([code_by_value[value] for value in rows[0]], np.int64)
        )
    has_property = [np.array([bool(value) for value in row], np.bool_) for row in rows]
    if name == "borders":
        return build_border_rule(lengths, *has_property)
    return (build_both_ends_rule if name == "site" else build_all_tokens_rule)(
        lengths, has_property[0]
    )


def _parse_site(site: Any, document_index: int, corpus: Corpus) -> tuple[int, int]:
    """Check a site of a document, and convert it to its start and end."""
    try:
        start, end = (int(x) for x in site)
    except (TypeError, ValueError):
        start = end = -1
    if not 0 <= start < end <= corpus.lengths[document_index]:
        raise InputError(
            f"places, document {quote_value(corpus.id_of(document_index))}: {quote_value(site)}; a"
            f" start and an end from 0 to {corpus.lengths[document_index]} are needed"
        )
    return start, end


def _concatenate_values(
    corpus: Corpus, rules: Sequence[Mapping[str, Any] | None], key: str, sizes: Ints
) -> list[Any]:
    """Concatenate the values of all documents under a key of their rules.

    A document without a rule gets as many times ``None`` as it needs values.

    Args:
        sizes: number of values that each document needs.
        corpus: annotations.
        rules: rule of each document, or ``None``.
        key: key of the values in a rule.
    """
    all_values: list[Any] = []
    for document_index, (rule, size) in enumerate(zip(rules, sizes.tolist(), strict=True)):
        values = [None] * size if rule is None else list(rule[key])
        if len(values) != size:
            raise InputError(
                f"places, document {quote_value(corpus.id_of(document_index))}: {key} has"
                f" {pluralize(len(values), 'value')}, and {size} are needed; another tokenisation?"
            )
        all_values += values
    return all_values


# --- rules by name -------------------------------------------------------------------------------


def _find_rule_by_name(corpus: Corpus, name: str) -> PlaceRule:
    """Build the named rule for a corpus."""
    if name in _WORDS:
        return find_words_of_texts(corpus, name, f"places {name}")
    return _build_property_rule(corpus, _PROPERTIES[name], name)


def find_words_of_texts(corpus: Corpus, name: str, purpose: str) -> WordRule:
    """Find the words of the texts of a corpus, by the rule of that name.

    Raises:
        SettingError: if offsets do not count characters, or there are no texts.
    """
    if corpus.offsets != "characters":
        raise SettingError(f"{purpose}: offsets count tokens; it is for offsets in characters")
    return _build_word_rule(corpus.lengths, corpus.known("texts", purpose), _WORDS[name])


def _build_word_rule(
    lengths: Ints, texts: Sequence[str], find_words: Callable[[str], Iterator[re.Match[str]]]
) -> WordRule:
    """Build the rule of the words that a function finds in each text."""
    return WordRule.from_words(
        lengths, [[word.span() for word in find_words(text)] for text in texts]
    )


def _build_property_rule(corpus: Corpus, matches: Callable[[str], Any], name: str) -> PlaceRule:
    """Build the rule that both end tokens, or characters, have a property."""
    tokens = _concatenate_tokens(corpus, name)
    tokens_with_property = set(filter(matches, set(tokens)))
    has_property = np.fromiter(
        map(tokens_with_property.__contains__, tokens), np.bool_, len(tokens)
    )
    return build_both_ends_rule(corpus.lengths, has_property)


def _concatenate_tokens(corpus: Corpus, name: str) -> Sequence[str]:
    """Concatenate the tokens of all documents, or the characters if offsets count characters."""
    if corpus.offsets == "characters":
        return "".join(corpus.known("texts", f"places {name}"))
    return corpus.known("tokens", f"places {name}")


def _begins_with_capital(token: str) -> bool:
    """Decide whether the first letter of a token is a capital."""
    if not token[:1].isalpha():
        token = next(filter(str.isalpha, token), "")
    return token[:1].isupper()


_PROPERTIES: dict[str, Callable[[str], bool]] = {
    "letters": lambda token: any(map(str.isalnum, token)),
    "capitals": _begins_with_capital,
    "capitals+digits": lambda token: any(x.isupper() or x.isdigit() for x in token),
}
