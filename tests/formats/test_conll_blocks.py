"""A file in blocks says what the whole says, for every option of reading."""

from __future__ import annotations

import contextlib
from unittest.mock import patch

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

import spanagree as sa
from spanagree.corpus.tag_columns import PARTIAL
from spanagree.corpus.tags import SCHEMES
from spanagree.formats.conll import head, parts
from spanagree.formats.conll.page import UNITS

TOKENS = ("Jo", "ran", "#", "#tag", "I", "O", "x")
TAGS = ("O", "O", "B-X", "I-X", "I-Y", "?", "q")
LINES = ("", "", "", " ", "# ", "# note", "#\tnote", "# sent_id = 1", "# sent_id = 2", "# sent_id = 3", "# newdoc", "# newdoc id = a", "# newdoc id = b",
    "-DOCSTART-", "-DOCSTART- O", "-DOCSTART-\tO", "# spanagree = {}", "#\tB-X", "# O", "#\tO\tO")  # fmt: skip
FIRST = ("", "", "# hello", "# sent_id = 9", "-DOCSTART- O O\n", '# spanagree = {"columns": ["a"], "missing": "?"}', '# spanagree = {"columns": ["a", "b"], "missing": null}',
    "# global.columns = ID FORM NE MISC")  # fmt: skip


ODD = ("a", "a O", "a\tO", "2-3\t_\tO\tO", "4.1\tx\tO", " # O", '"a,O', "a\rb\tO")


@st.composite
def files(draw):
    """One file, or two of the same rows, and options that mostly go with them."""
    width = draw(st.sampled_from([1, 1, 2, 3]))
    sign = draw(st.sampled_from(["\t", "\t", " ", ","]))
    header = sign == "," or draw(st.integers(0, 4)) == 0
    numbered = draw(st.integers(0, 5)) == 0
    is_odd = draw(st.integers(0, 3)) == 0
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    few = draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=4))
    tags = st.sampled_from(TAGS if is_odd else TAGS[:5])
    how = {"scheme": draw(st.sampled_from([*SCHEMES] if is_odd else ["IOB2", "IOB1", "BILOU"]))}
    if draw(st.booleans()):
        how["missing"] = draw(st.sampled_from("?q"))
        tags = st.sampled_from([*TAGS[:5], how["missing"]])
    lines = []
    number = 0
    for kind in draw(st.lists(st.sampled_from("rrrrrrll" + "o" * is_odd), min_size=1, max_size=24)):
        if kind == "l":
            lines.append(draw(st.sampled_from([*few, "", ""])))
            number = 0
        elif kind == "o":
            lines.append(draw(st.sampled_from(ODD)))
        else:
            number += 1
            lines.append([str(number)] * numbered + [draw(st.sampled_from(TOKENS))])
    names = ["id"] * numbered + ["token", "gold", "mine", "extra"][: width + 1]
    first = draw(st.sampled_from(FIRST)) if is_odd else ""
    texts = []
    for _ in range(draw(st.sampled_from([1, 1, 2]))):
        rows = [first] * bool(first) + [sign.join(names)] * header
        for line in lines:
            if not isinstance(line, str):
                cells = draw(st.lists(tags, min_size=width, max_size=width))
                line = sign.join([*line, *cells])
            rows.append(line)
        texts.append(end.join(rows) + draw(st.sampled_from([end, end, ""])))
    two = {"f0": 1, "f1": width} if len(texts) > 1 else {"gold": 1, "mine": width}
    selectors = [None, 1, width, "all", "1-2", "gold", {"a": "2"}, [1], two, two]
    columns = draw(st.sampled_from(selectors if is_odd or width > 1 else [None, None, 1]))
    how |= {} if columns is None else {"columns": columns}
    if draw(st.booleans()):
        how["unit"] = draw(st.sampled_from([*UNITS]))
        if how["unit"] == "document" and draw(st.booleans()):
            how["sentences_from"] = draw(st.sampled_from(["f0", "f1", "gold"]))
    more = {
        "strict": st.booleans(),
        "ignore_tokens": st.booleans(),
        "partial": st.sampled_from([*PARTIAL]),
        "repair": st.sampled_from(["drop-duplicates", "drop-empty"]),
    }
    return texts, how | draw(st.fixed_dictionaries({}, optional=more))


def said(corpora):
    """Id, tokens and segments of each document, and who the annotators are."""
    return [
        (document.id, tuple(document.tokens), dict(document.segments))
        for corpus in corpora
        for document in corpus.with_ids()
    ], {corpus.annotators for corpus in corpora}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("blocks")


@pytest.mark.long
@given(files(), st.integers(1, 4), st.sampled_from(["utf-8", "utf-8-sig", "latin-1", "utf-16"]), st.sampled_from([1, 3, 20_000]))  # fmt: skip
@example((["Jo B-PER\nran O\n\n# B-TAG\n", "Jo B-PER\nran O\n\n# O\n"], {"scheme": "IOB2"}), 1, "utf-8", 20_000)  # fmt: skip
@example((["# sent_id = 2\nJo\tO\n\nran\tO\n\nran\tO\n"], {"scheme": "IOB2"}), 1, "utf-8", 20_000)
@example((["Jo\tO\n\n# sent_id = 2\nJo\tO\n\n# sent_id = 3\nran\tO\n"], {"scheme": "IOB2"}), 2, "utf-8", 20_000)  # fmt: skip
def test_blocks_and_whole(folder, source, block, encoding, looked_at):
    """Blocks hold the documents of the whole, with their ids, and refuse what it refuses."""
    texts, how = source
    paths = {}
    for number, text in enumerate(texts):
        paths[f"f{number}"] = folder / f"f{number}"
        paths[f"f{number}"].write_bytes(text.encode(encoding))
    how = {**how, "encoding": encoding.removesuffix("-sig")}
    with patch.object(head, "LINES", looked_at), patch.object(parts, "LINES", looked_at):
        whole, refused, found = None, None, []
        with contextlib.suppress(sa.SpanAgreeError):
            whole = sa.read_conll(paths, **how)
        try:
            found = list(sa.read_conll(paths, block=block, **how))
        except sa.SpanAgreeError as raised:
            refused = str(raised)
    if refused:
        event("refused in blocks" if whole else "refused")
        assert whole is None or "--block" in refused, refused
        return
    documents, layers = said(found)
    ids = [id_ for id_, *_ in documents]
    if whole is None:  # ids that are in two blocks are refused where these are added
        assert len({*ids}) < len(ids)
        return
    event("read")
    assert all(len(corpus) <= block for corpus in found)
    assert (documents, layers) == said([whole])
