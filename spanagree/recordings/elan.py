"""ELAN's .eaf: tiers of annotations between time slots, and of those that refer to others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, SettingError, quote_value
from spanagree.files import PathName
from spanagree.formats.exports import check_named
from spanagree.formats.file_head import FileHead
from spanagree.formats.xml_elements import tree
from spanagree.recordings.timelines import Marks, Tiers

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

_UNIT = "ms"

_Bounds = tuple[Fraction, Fraction]


def knows_elan(start: FileHead) -> bool:
    """Return whether a file is ELAN's."""
    return any("<ANNOTATION_DOCUMENT" in line for line in start.lines)


def raw_elan(path: PathName, **tiers: Unpack[Tiers]) -> RawCorpus:
    """Return the annotations of an .eaf file; those that refer to others have their times.

    Args:
        path: the file.
        tiers: as :class:`Tiers`: a text may be an entry of a controlled vocabulary, and annotators
            may also be named by the participant or annotator that a tier has.

    Raises:
        InputError: for what is not such a file, or an annotation without a time.
        SettingError: for a tier that is not there, or one that does not say what names annotators.
    """
    annotator_from = tiers.get("annotator_from")
    check_named(annotator_from, "tier", "participant", "annotator", "file")
    marks = Marks(path, _UNIT)
    with open(path, "rb") as file:
        root = tree(file, marks.name)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise InputError(
            f"{marks.name}: not ELAN's, but {quote_value(root.tag)}; an .eaf file is needed"
        )
    slots = {slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in root.iter("TIME_SLOT")}
    known = {tier.get("TIER_ID") or "": tier for tier in root.iter("TIER")}
    names = marks.named(tiers.get("tier"), known) or list(known)
    bounds = _bounds(known.values(), slots, marks)
    words = {
        entry.get("CVE_ID") or "": (entry.findtext("CVE_VALUE") or entry.text or "").strip()
        for kind in ("CV_ENTRY_ML", "CV_ENTRY")
        for entry in root.iter(kind)
    }
    attribute = annotator_from if annotator_from in ("participant", "annotator") else None
    if attribute is None:
        marks.saw()
    for name in names:
        tier = known[name]
        annotator = tier.get(attribute.upper(), "") if attribute else ""
        if attribute and not annotator:
            raise SettingError(
                f"{marks.name}: tier {quote_value(name)} names no {attribute}; leave it out with"
                " tier, or choose another annotator-from"
            )
        marks.saw(annotator=annotator)
        marks.tiers[name] = None
        for element in _annotations(tier):
            location = f"{marks.name}, {quote_value(element.get('ANNOTATION_ID'))}"
            text = (element.findtext("ANNOTATION_VALUE") or "").strip()
            text = text or words.get(element.get("CVE_REF") or "", "")
            if (times := bounds.get(element.get("ANNOTATION_ID") or "")) is None:
                raise InputError(f"{location}: no time; it refers to nothing that has one")
            if not text and tiers.get("label_from") != "tier":
                marks.passed["annotation without a text"] += 1
                continue
            marks.add(*times, text, location, tier=name, annotator=annotator)
    n_reached = sum(len(_annotations(tier)) for tier in known.values())
    n_annotations = sum(1 for _ in root.iter("ANNOTATION_VALUE"))
    marks.passed["annotation of no known tier or kind"] += max(n_annotations - n_reached, 0)
    return marks.raw("elan", **tiers)


def _annotations(tier: Element) -> list[Element]:
    """Return the annotations of a tier, and none of a tier inside it."""
    kinds = ("ALIGNABLE", "REF")
    return [x for kind in kinds for x in tier.findall(f"ANNOTATION/{kind}_ANNOTATION")]


def _bounds(
    tiers: Iterable[Element], slots: Mapping[str | None, str | None], marks: Marks
) -> dict[str, _Bounds]:
    """Return start and end of each annotation by its id.

    A slot without a time lies between those of its tier that have one: annotations that share such
    slots have equal parts of what lies between. Several that refer to one share its time.
    """
    known: dict[str, _Bounds] = {}
    refers: list[Element] = []
    for tier in tiers:
        alignable = tier.findall("ANNOTATION/ALIGNABLE_ANNOTATION")
        refers += tier.findall("ANNOTATION/REF_ANNOTATION")
        ids = [element.get(f"TIME_SLOT_REF{i}") for element in alignable for i in (1, 2)]
        location = f"{marks.name}, tier {quote_value(tier.get('TIER_ID'))}"
        times = [
            None if (at := slots.get(id_)) is None else marks.time(at, location) for id_ in ids
        ]
        _fill(times, ids, location)
        for i, element in enumerate(alignable):
            start, end = times[2 * i], times[2 * i + 1]
            if start is not None and end is not None:  # _fill has seen to it
                known[element.get("ANNOTATION_ID") or ""] = start, end
    target = {x.get("ANNOTATION_ID") or "": x.get("ANNOTATION_REF") or "" for x in refers}
    for id_ in target:  # the first of a chain of references
        chain: dict[str, None] = {}
        while id_ in target and id_ not in known and id_ not in chain:
            chain[id_] = None
            id_ = target[id_]
        if (bounds := known.get(id_)) is not None:
            known.update(dict.fromkeys(chain, bounds))
        else:  # it leads nowhere, so that none of it is followed again
            for name in chain:
                target[name] = ""
    return known


def _fill(times: list[Fraction | None], ids: Sequence[str | None], location: str) -> None:
    """Put equal steps between known times where slots have none."""
    steps = [i == 0 or ids[i] != ids[i - 1] for i in range(len(ids))]
    at = 0
    while at < len(times):
        if times[at] is not None:
            at += 1
            continue
        end = next((i for i in range(at, len(times)) if times[i] is not None), None)
        before = times[at - 1] if at else None
        after = None if end is None else times[end]
        if before is None or after is None or end is None:
            raise InputError(
                f"{location}: slot {quote_value(ids[at])} has no time; align it in ELAN"
            )
        number = sum(steps[at : end + 1])
        done = 0
        for i in range(at, end):
            done += steps[i]
            times[i] = before + (after - before) * done / number
        at = end
