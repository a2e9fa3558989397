"""Reader of ELAN's .eaf: tiers of annotations between time slots, or with references to others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, SettingError, quote_value
from spanagree.files import PathName
from spanagree.formats.exports import check_name_source
from spanagree.formats.file_head import FileHead
from spanagree.formats.xml_elements import parse_tree
from spanagree.recordings.timelines import Marks, Tiers

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

_UNIT = "ms"

_Bounds = tuple[Fraction, Fraction]


def looks_like_elan(start: FileHead) -> bool:
    """Check whether a file is ELAN's."""
    return any("<ANNOTATION_DOCUMENT" in line for line in start.lines)


def read_raw_elan(path: PathName, **tiers: Unpack[Tiers]) -> RawCorpus:
    """Read the annotations of an .eaf file; references have the times of their annotations.

    Args:
        path: path of the file.
        tiers: options of :class:`Tiers`. A text may be an entry of a controlled vocabulary, and
            annotators may also be the participant or annotator of a tier.

    Raises:
        InputError: if the file is not ELAN's, or an annotation has no time.
        SettingError: if a tier is missing, or does not name its annotator.
    """
    annotator_from = tiers.get("annotator_from")
    check_name_source(annotator_from, "tier", "participant", "annotator", "file")
    marks = Marks(path, _UNIT)
    with open(path, "rb") as file:
        root = parse_tree(file, marks.name)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise InputError(
            f"{marks.name}: not ELAN's, but {quote_value(root.tag)}; an .eaf file is needed"
        )
    slots = {slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in root.iter("TIME_SLOT")}
    tier_by_name = {tier.get("TIER_ID") or "": tier for tier in root.iter("TIER")}
    names = marks.check_named_tiers(tiers.get("tier"), tier_by_name) or list(tier_by_name)
    bounds = _find_bounds(tier_by_name.values(), slots, marks)
    vocabulary = {
        entry.get("CVE_ID") or "": (entry.findtext("CVE_VALUE") or entry.text or "").strip()
        for tag in ("CV_ENTRY_ML", "CV_ENTRY")
        for entry in root.iter(tag)
    }
    attribute = annotator_from if annotator_from in ("participant", "annotator") else None
    if attribute is None:
        marks.record_seen()
    for name in names:
        tier = tier_by_name[name]
        annotator = tier.get(attribute.upper(), "") if attribute else ""
        if attribute and not annotator:
            raise SettingError(
                f"{marks.name}: tier {quote_value(name)} names no {attribute}; leave it out with"
                " tier, or choose another annotator-from"
            )
        marks.record_seen(annotator=annotator)
        marks.tiers[name] = None
        for element in _list_annotations(tier):
            location = f"{marks.name}, {quote_value(element.get('ANNOTATION_ID'))}"
            text = (element.findtext("ANNOTATION_VALUE") or "").strip()
            text = text or vocabulary.get(element.get("CVE_REF") or "", "")
            if (times := bounds.get(element.get("ANNOTATION_ID") or "")) is None:
                raise InputError(f"{location}: no time; it refers to nothing that has one")
            if not text and tiers.get("label_from") != "tier":
                marks.passed["annotation without a text"] += 1
                continue
            marks.add_mark(*times, text, location, tier=name, annotator=annotator)
    n_reached = sum(len(_list_annotations(tier)) for tier in tier_by_name.values())
    n_annotations = sum(1 for _ in root.iter("ANNOTATION_VALUE"))
    marks.passed["annotation of no known tier or kind"] += max(n_annotations - n_reached, 0)
    return marks.build_rows("elan", **tiers)


def _list_annotations(tier: Element) -> list[Element]:
    """List the annotations of a tier, without those of a nested tier."""
    types = ("ALIGNABLE", "REF")
    return [
        element
        for type_name in types
        for element in tier.findall(f"ANNOTATION/{type_name}_ANNOTATION")
    ]


def _find_bounds(
    tiers: Iterable[Element], slots: Mapping[str | None, str | None], marks: Marks
) -> dict[str, _Bounds]:
    """Find start and end of each annotation by its id.

    A slot without a time is interpolated between the slots of its tier with times. Annotations that
    refer to the same annotation share its time.
    """
    bounds_by_id: dict[str, _Bounds] = {}
    references: list[Element] = []
    for tier in tiers:
        alignable = tier.findall("ANNOTATION/ALIGNABLE_ANNOTATION")
        references += tier.findall("ANNOTATION/REF_ANNOTATION")
        ids = [element.get(f"TIME_SLOT_REF{i}") for element in alignable for i in (1, 2)]
        location = f"{marks.name}, tier {quote_value(tier.get('TIER_ID'))}"
        times = [
            None if (slot_time := slots.get(id_)) is None else marks.parse_time(slot_time, location)
            for id_ in ids
        ]
        _interpolate_times(times, ids, location)
        for i, element in enumerate(alignable):
            start, end = times[2 * i], times[2 * i + 1]
            if start is not None and end is not None:  # always true after _interpolate_times
                bounds_by_id[element.get("ANNOTATION_ID") or ""] = start, end
    target = {
        element.get("ANNOTATION_ID") or "": element.get("ANNOTATION_REF") or ""
        for element in references
    }
    for id_ in target:  # follows a chain of references
        chain: dict[str, None] = {}
        while id_ in target and id_ not in bounds_by_id and id_ not in chain:
            chain[id_] = None
            id_ = target[id_]
        if (bounds := bounds_by_id.get(id_)) is not None:
            bounds_by_id.update(dict.fromkeys(chain, bounds))
        else:  # the chain leads nowhere; it is not followed again
            for name in chain:
                target[name] = ""
    return bounds_by_id


def _interpolate_times(
    times: list[Fraction | None], ids: Sequence[str | None], location: str
) -> None:
    """Interpolate the times of slots without a time, in equal steps and in place.

    ``ids`` are the slots of the times; neighbours with the same id are one slot.
    """
    is_step = [i == 0 or ids[i] != ids[i - 1] for i in range(len(ids))]
    index = 0
    while index < len(times):
        if times[index] is not None:
            index += 1
            continue
        known_index = next((i for i in range(index, len(times)) if times[i] is not None), None)
        time_before = times[index - 1] if index else None
        time_after = None if known_index is None else times[known_index]
        if time_before is None or time_after is None or known_index is None:
            raise InputError(
                f"{location}: slot {quote_value(ids[index])} has no time; align it in ELAN"
            )
        n_steps = sum(is_step[index : known_index + 1])
        n_done = 0
        for i in range(index, known_index):
            n_done += is_step[i]
            times[i] = time_before + (time_after - time_before) * n_done / n_steps
        index = known_index
