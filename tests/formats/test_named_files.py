"""What a file says leads to no other place: readers open what is beside it, by its base name."""

from __future__ import annotations

import json
import os
import sys

import pytest

import spanagree as sa

SECRET = "Jo met Al in Rome, secretly."
OPENED: list[str] = []
"""The paths that were opened, while a test listens."""


def _listen(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        OPENED.append(os.fsdecode(arguments[0]))


sys.addaudithook(_listen)


HEAD = "set,recording_filename,range_onset,range_offset,annotation_filename\n"
RATING = '{{"errors": [{{"start": 0, "end": 2, "category": "X"}}]}}'
KNOWTATOR = (
    '<annotations textSource="{}"><annotation><mention id="M"/><annotator id="x">ann</annotator>'
    '<span start="0" end="2"/><spannedText>Jo</spannedText></annotation><classMention id="M">'
    '<mentionClass id="PER">Jo</mentionClass></classMention></annotations>'
)
KNOWTATOR_2 = (
    '<knowtator-project><document id="a" text-file="{}"><annotation annotator="ann" id="1">'
    '<class id="PER"/><span start="0" end="2">Jo</span></annotation></document></knowtator-project>'
)
ACE = (
    '<source_file URI="{}" TYPE="text"><document DOCID="A"><entity ID="E" TYPE="PER">'
    '<entity_mention ID="E1"><extent><charseq START="0" END="1">Jo</charseq></extent>'
    "</entity_mention></entity></document></source_file>"
)
READERS = {
    # the file's name, its format, and what is in it but for the name of another file
    "childproject": ("annotations.csv", "times", f"{HEAD}ann,a.wav,0,4000,{{}}\n"),
    "childproject's sets": ("annotations.csv", "times", f"{HEAD}{{}},a.wav,0,4000,secret.txt\n"),
    "seg-rating": ("en-de.mqm.seg.rating", "seg-rating", f"{{}}\t{RATING}\n"),
    "kaggle": ("x.csv", "kaggle", "id,class,predictionstring\n{},PER,0\n"),
    "propaganda": ("x.labels", "propaganda", "{}\tPER\t0\t2\n"),
    "knowtator": ("a.txt.knowtator.xml", "xml", KNOWTATOR),
    "knowtator-2": ("a.xml", "xml", KNOWTATOR_2),
    "ace": ("a.apf.xml", "xml", ACE),
}
AROUND = (
    "../../../../outside/secret.txt",
    "{outside}/secret.txt",
    r"..\..\..\..\outside\secret.txt",
)


def n_segments(corpus):
    return sum(len(marked or ()) for document in corpus for marked in document.segments.values())


@pytest.fixture
def folders(tmp_path):
    """A folder of the file, and another far from it with what no reader may open."""
    (tmp_path / "outside/converted").mkdir(parents=True)
    for name in ("secret.txt", "converted/secret.txt", "article1.txt"):
        (tmp_path / "outside" / name).write_text(SECRET, "utf-8")
    folder = tmp_path / "a/b/c/d"
    folder.mkdir(parents=True)
    return folder, tmp_path / "outside"


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("reader", READERS)
def test_no_name_leads_out(folders, reader, around):
    """Absolute paths and .. are cut to the base name; no message has the text."""
    folder, outside = folders
    name, form, content = READERS[reader]
    named = around.format(outside=outside)
    if reader == "childproject's sets":
        named = named.replace("secret.txt", "")
    if reader in ("kaggle", "seg-rating"):
        named = named.removesuffix(".txt")  # which the reader adds
    (folder / name).write_text(content.format(named), "utf-8")
    OPENED.clear()
    read = refused = None
    try:
        read = sa.read(folder / name, form)
    except sa.InputError as error:
        refused = str(error)
    assert (read is None) == (refused is not None)
    assert "secretly" not in (refused or "")
    assert read is None or SECRET not in (read.texts or ())
    assert any(path.endswith(name) for path in OPENED)
    assert not [path for path in OPENED if os.path.realpath(path).startswith(str(outside))]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("reader", ["childproject", "kaggle", "knowtator", "knowtator-2", "ace"])
def test_the_base_name_is_looked_for_beside_the_file(folders, reader, around):
    """As a file of another computer is named by a path there."""
    folder, outside = folders
    name, form, content = READERS[reader]
    is_table = reader == "childproject"
    text = "segment_onset,segment_offset,speaker_type\n0,500,CHI\n" if is_table else "Jo is here."
    (folder / "secret.txt").write_text(text, "utf-8")
    named = around.format(outside=outside)
    (folder / name).write_text(
        content.format(named.removesuffix(".txt" * (reader == "kaggle"))), "utf-8"
    )
    corpus = sa.read(folder / name, form)
    assert n_segments(corpus) == 1
    assert SECRET not in (corpus.texts or ())


def test_sets_in_folders(tmp_path):
    """ChildProject's sets may be in folders of each other, which is no way out."""
    folder = tmp_path / "annotations/eaf/nm/converted"
    folder.mkdir(parents=True)
    (folder / "x.csv").write_text("segment_onset,segment_offset,speaker_type\n0,500,CHI\n", "utf-8")
    table = tmp_path / "metadata/annotations.csv"
    table.parent.mkdir()
    table.write_text(f"{HEAD}eaf/nm,a.wav,0,4000,x.csv\n", "utf-8")
    assert sa.read(table).annotators == ("eaf/nm",)


def test_a_link_is_its_owners(folders):
    """A link beside the file is followed, as git-annex and others keep data behind links."""
    folder, outside = folders
    (outside / "real.csv").write_text(
        "segment_onset,segment_offset,speaker_type\n0,500,CHI\n", "utf-8"
    )
    (folder / "x.csv").symlink_to(outside / "real.csv")
    (folder / "annotations.csv").write_text(f"{HEAD}ann,a.wav,0,4000,x.csv\n", "utf-8")
    assert n_segments(sa.read(folder / "annotations.csv")) == 1


@pytest.mark.parametrize("around", ["../../../../outside", "{outside}"])
@pytest.mark.parametrize("kind", ["part", "data"])
def test_saved_datasets(folders, kind, around):
    """Neither the parts nor the files of a saved dataset are elsewhere."""
    datasets = pytest.importorskip("datasets")
    folder, outside = folders
    row = {"tokens": [["Jo"]], "tags": [["B-PER"]]}
    datasets.DatasetDict({"train": datasets.Dataset.from_dict(row)}).save_to_disk(outside / "saved")
    saved = folder / "saved"
    datasets.DatasetDict({"train": datasets.Dataset.from_dict(row)}).save_to_disk(saved)
    named = around.format(outside=outside)
    about = saved / ("dataset_dict.json" if kind == "part" else "train/state.json")
    value = json.loads(about.read_text("utf-8"))
    if kind == "part":
        value["splits"] = [f"{named}/saved/train"]
    else:
        value["_data_files"] = [{"filename": f"{named}/saved/train/data-00000-of-00001.arrow"}]
    about.write_text(json.dumps(value), "utf-8")
    with pytest.raises(
        sa.InputError, match="is not a name in its folder; save the dataset once more"
    ):
        sa.read(saved)
