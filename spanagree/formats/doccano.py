"""doccano's exports: JSON or JSON lines with one annotator a file, or all; zips with a file each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from spanagree.corpus.collector import Collector, text_of_whole
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, check_choice, counted, listed, printable, unfit
from spanagree.files import PathName, decoded, from_json, open_zip
from spanagree.formats.exports import OUR_ID
from spanagree.formats.json_records import json_records
from spanagree.formats.peek import Peek, passed_over
from spanagree.settings import as_read

ANNOTATORS = ("id", "file")
"""What may name an annotator: the number of the user, as versions up to 1.0 write it, or the file."""

_LISTS = ("label", "labels", "entities", "annotations")
_OTHERS = {"relations": "relation", "cats": "category", "Comments": "comment", "comments": "comment"}
_ALL = "all"
"""The file of a collaborative project, in which the annotators are not told apart."""
