"""Tags that only seqeval reads: without prefix, with prefix at the end, or of unnamed scheme."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spanagree.errors import (
    SettingError,
    join_names,
    quote_value,
)

_ENDING_PAIRS = {"BB", "BS", "BO", "IB", "IS", "IO"}  # of prefixes, between which a segment ends

_BEGINNING_PAIRS = {"EE", "EI", "SE", "SI", "OE", "OI"}  # whose second prefix begins a segment

_DETECTED = {"BI": "IOB2", "IE": "IOE2", "BIES": "IOBES", "BILU": "BILOU"}  # as in its report


def add_prefixes(
    layers: Mapping[str, Any], bare_tags: Collection[str], *, strict: bool
) -> dict[str, Any]:
    """Add a prefix to each tag without a known prefix, as seqeval does.

    The first letter is the prefix. The label is the text after the first hyphen or, without a
    hyphen, after that letter.

    Args:
        layers: lists of tag lists, by name.
        bare_tags: distinct tags without a known prefix.
        strict: True to convert each tag by itself; False to find segments and write IOB2 tags.

    Raises:
        SettingError: if segments overlap, or continue from a sentence into the next.
    """
    if not strict:
        return {name: _read_leniently(name, tags) for name, tags in layers.items()}
    prefixed_tags = {tag: f"{tag[0]}-{tag[1:].strip('-') or '_'}" for tag in bare_tags}
    return {
        name: [[prefixed_tags.get(tag, tag) for tag in tags] for tags in documents]
        for name, documents in layers.items()
    }


def describe_bare_tags(bare_tags: Collection[str], original_tags: Mapping[str, str]) -> str:
    """Write a warning about tags without a known prefix.

    Args:
        bare_tags: distinct tags without a known prefix.
        original_tags: original form of tags whose prefix was moved to the front.
    """
    quoted_tags = sorted(original_tags.get(tag, tag) for tag in bare_tags)
    explanation = "no prefix and hyphen; read as seqeval does, the first letter as the prefix"
    if original_tags:
        explanation = (
            "suffix=True, but no hyphen and B, I, E or S stand last; leave suffix out for B-PER"
        )
    ellipsis = ", …" if len(quoted_tags) > 5 else ""
    return f"{join_names(quoted_tags[:5])}{ellipsis}: {explanation}"


def _read_leniently(name: str, documents: Sequence[Sequence[str]]) -> list[list[str]]:
    """Find segments as seqeval's default mode does for any tags, and write them as IOB2 tags.

    All sentences are read as one sentence, with the tag O after each.

    Raises:
        SettingError: if segments overlap, or continue from a sentence into the next.
    """
    read_tags = [["O"] * len(tags) for tags in documents]
    positions = [
        (document, i) for document, tags in enumerate(documents) for i in range(len(tags) + 1)
    ]
    all_tags = [tag or "O" for tags in documents for tag in (*tags, "O")]
    begin, previous_prefix, previous_label = 0, "O", ""
    for index, tag in enumerate(all_tags):
        prefix, label = tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"
        label_differs = label != previous_label
        if previous_prefix not in "O." and (
            label_differs or previous_prefix in "ES" or previous_prefix + prefix in _ENDING_PAIRS
        ):
            (document, first), (last_document, last) = positions[begin], positions[index - 1]
            segment_tags = read_tags[document][first : last + 1]
            if (
                document != last_document
                or last >= len(read_tags[document])
                or any(tag != "O" for tag in segment_tags)
            ):
                raise SettingError(
                    f"{name}: {quote_value(all_tags[index - 1])}, tag {last + 1} of sentence"
                    f" {last_document + 1}, ends a"
                    " segment that overlaps another or has no begin in its sentence, as seqeval"
                    " reads it; write B-, I- or O in capitals"
                )
            read_tags[document][first : last + 1] = [
                f"B-{previous_label}",
                *[f"I-{previous_label}"] * (last - first),
            ]
        if prefix not in "O." and (
            label_differs or prefix in "BS" or previous_prefix + prefix in _BEGINNING_PAIRS
        ):
            begin = index
        previous_prefix, previous_label = prefix, label
    return read_tags


def move_prefix_to_front(tag: str) -> str:
    """Move the prefix of a tag from its end to its front."""
    if tag in ("O", ""):
        return tag
    return f"{tag[-1]}-{tag[:-1].rsplit('-', maxsplit=1)[0]}".removesuffix("-")


def detect_scheme(tags: Sequence[Sequence[str]]) -> str:
    """Find the scheme of tags by their prefixes, as seqeval's report does.

    Raises:
        SettingError: if the prefixes fit no scheme.
    """
    letters = {tag[0] for document in tags for tag in document if tag and tag != "O"}
    for prefixes, scheme in _DETECTED.items():
        if letters & set(prefixes) - {"I"} and letters <= set(prefixes):
            return scheme
    raise SettingError(
        f"mode 'strict': no scheme can be told from the prefixes {join_names(sorted(letters))};"
        " pass scheme='IOB2' or another"
    )
