"""Offsets beyond 32 bits, which rows are kept in as long as they fit."""

from spanagree import Corpus
from spanagree.corpus.collector import Collector
from spanagree.corpus.flaws import FLAWS
from spanagree.corpus.plain_lists import add_segments


def collected(*segments, length=2**40):
    """The rows of a document for each segment list, by one annotator."""
    collector = Collector("characters")
    for number, own in enumerate(segments):
        document = collector.add_document(f"d{number}", "here", length=length)
        add_segments(collector, document, "ann", own, "here")
    return collector.build_raw_corpus({})


def test_offsets_beyond_32_bits():
    """A number that needs 64 bits is kept, and so are those before and after it."""
    rows = [(1, 5, "A"), (7, 2**31, "B"), (2**31 + 2, 2**39, "A")]
    assert Corpus.from_raw(collected(rows))[0].segments["ann"] == tuple(rows)


def test_overlaps_of_numbers_of_32_bits():
    """Overlaps are found where places on one line of all annotations need more than 32 bits."""
    inside = [(2**30, 2**31 - 2, "A"), (2**30 + 1, 2**31 - 3, "B")]
    raw = collected(*[[(0, 5, "A")]] * 50, inside, [(3, 9, "A")])
    assert raw.start.itemsize == 4
    assert FLAWS["nested"].find_cases(raw).nonzero()[0].tolist() == [51]


def test_length_of_a_segment_of_32_bits():
    """The length of a segment that begins far before the text, as check shows it, has no wrap."""
    from spanagree.corpus.check import check

    assert (
        check(collected([(-(2**31), 2**31 - 1, "A")])).to_dict()["summary"]["segment_length"][0]
        == 2**32 - 1
    )
