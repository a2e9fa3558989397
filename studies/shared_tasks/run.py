"""Shared tasks, corrected for chance: from files as the tasks published them to tables and figures.

    python studies/shared_tasks/run.py DATA            # all tasks, then the tables and the figure
    python studies/shared_tasks/run.py DATA wnut17     # one of them

DATA is the folder that the manifest's folders are in. A task whose files are not there is passed
over. A task that was run before is not run again, unless its entry, prepare.py or the version of
spanagree changed (``--again`` runs it anyway). Results are a JSON file for each task, in ``--out``.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import resource
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tomllib

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import prepare  # noqa: E402 — beside this file
import tables  # noqa: E402

import spanagree as sa  # noqa: E402
from spanagree.corpus.repairs import valid_corpus  # noqa: E402

Task = Mapping[str, Any]
_KINDS = ("observed", "expected", "corrected")


def main() -> int:
    """Run the tasks asked for, and write the tables of all that were ever run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, help="the folder with the files of the tasks")
    parser.add_argument("tasks", nargs="*", help="the names of tasks; all unless given")
    parser.add_argument("--manifest", type=Path, default=HERE / "tasks.toml")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--again", action="store_true", help="run what was run before, too")
    asked = parser.parse_args()
    listed = tomllib.loads(asked.manifest.read_text("utf-8"))["task"]
    if unknown := {*asked.tasks} - {task["name"] for task in listed}:
        parser.error(f"no task {sorted(unknown)[0]!r} in {asked.manifest}")
    asked.out.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    for task in listed:
        if asked.tasks and task["name"] not in asked.tasks:
            continue
        path = asked.out / f"{task['name']}.json"
        digest = _digest(task)
        if not asked.again and path.exists() and json.loads(path.read_text())["digest"] == digest:
            print(f"{task['name']}: there already", file=sys.stderr)
            continue
        if not (asked.data / task["folder"]).exists():
            print(f"{task['name']}: no files at {task['folder']}, passed over", file=sys.stderr)
            continue
        start = time.process_time()
        made = {"digest": digest, **run(task, asked.data)}
        text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
        path.write_text(text.replace(f"{asked.data}/", ""), "utf-8")  # of notes that name files
        print(f"{task['name']}: {time.process_time() - start:.0f} s", file=sys.stderr)
    made = [asked.out / f"{task['name']}.json" for task in listed]
    results = [json.loads(path.read_text("utf-8")) for path in made if path.exists()]
    tables.write(results, asked.out)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.monotonic() - begun:.0f} s, {memory:.0f} MB at most", file=sys.stderr)
    return 0


def _digest(task: Task) -> str:
    """Return what a task's results depend on besides its files, in short."""
    code = (HERE / "prepare.py").read_text("utf-8")
    about = json.dumps([task, sa.__version__, code], sort_keys=True)
    return hashlib.sha256(about.encode()).hexdigest()[:16]


def run(task: Task, data: Path) -> dict[str, Any]:
    """Return the results of a task: what it is, and its study."""
    about = {key: task[key] for key in ("name", "title", "source", "licence", "unit", "measure")}
    if task["prepare"] == "labels":
        return {"task": about, "printed": _printed(task, data, None, {}), "study": None}
    with tempfile.TemporaryDirectory() as folder:
        corpus = prepare.PREPARE[task["prepare"]](_unpacked(task, data, Path(folder)), task)
    marked = _merged(corpus) if task.get("merge") else corpus
    settings = {}
    if task.get("what"):
        settings = {"what": task["what"], "pairs": "sentence", "undirected": ["same-as"]}
    matches = ["exact"] if task.get("what") else ["exact", "iou", "token"]
    whole = [task["name"]] * len(marked) if task.get("whole") == "all" else task.get("whole")

    def progress(done: int, of: int) -> None:
        print(f"{task['name']}: {done} of {of} measures", file=sys.stderr)

    made = sa.study(
        marked, task.get("gold"), systems=task.get("systems"), matches=matches,
        places=task.get("places"), whole=whole, settings=settings, progress=progress,
    )  # fmt: skip
    result = made.to_dict()
    return {
        "task": about,
        "printed": _printed(task, data, corpus, result),
        "error_spans": error_spans(corpus, task),
        "study": result,
    }


def _unpacked(task: Task, data: Path, folder: Path) -> Path:
    """Return the folder of a task; of one with archives a copy, as files are written there."""
    source = data / task["folder"]
    if not task.get("archives"):
        return source
    for archive in task["archives"]:
        with tarfile.open(source / archive) as tar:
            tar.extractall(folder, filter="data")
    for path in source.iterdir():
        if path.is_file() and path.name not in task["archives"]:
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


def _merged(corpus: sa.Corpus) -> sa.Corpus:
    """Return the same with one label, segments of an annotator that overlap being one."""
    one = corpus.with_labels(map_labels=dict.fromkeys(corpus.labels, "marked"))
    return valid_corpus(one.to_raw(), "merge-overlaps")


def error_spans(corpus: sa.Corpus, task: Task) -> Any:
    """Return precision and recall by share of matched spans, of each two who rated errors."""
    if "weights" not in task and task["name"] != "wmt22_qe":
        return None
    rows = []
    names = list(corpus.layers)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    if task.get("gold"):
        pairs = [(task["gold"], name) for name in names if name != task["gold"]]
    for weights in (None, task.get("weights")) if "weights" in task else (None,):
        for average in ("micro", "macro"):
            made = []
            for a, b in pairs:
                one = sa.partial_credit(
                    corpus, a, b, label_weights=weights, macro=average == "macro", draws=20
                )
                if not one.documents:
                    continue
                row = {"pair": [a, b], "documents": one.documents, "error": one.error}
                made.append(row | {kind: getattr(one.f1, kind) for kind in _KINDS})
            # documents weigh the same: pairs of raters by how many they share
            shares = [one["documents"] for one in made]
            means = {k: float(np.average([x[k] for x in made], weights=shares)) for k in _KINDS}
            severity = "severity" if weights else "none"
            rows.append({"weights": severity, "average": average, "pairs": made, **means})
    return rows


def _printed(task: Task, data: Path, corpus: Any, result: Mapping[str, Any]) -> Any:
    """Return what was printed, ours, and the difference, for each system."""
    if "printed" not in task:
        return None
    asked = task["printed"]
    values = dict(asked.get("values", {}))
    if table := asked.get("table"):
        with (data / task["folder"] / table["file"]).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                if row[table["column"]] == table["only"]:
                    values[row[table["system"]]] = float(row[table["value"]])
    ours = tables.FIGURES[asked["figure"]](task, data, corpus, result)
    rows = []
    for name, value in values.items():
        if name not in ours:  # a run that did not answer is printed with 0
            rows.append({"name": name, "printed": value, "ours": None, "difference": None})
            continue
        mine = ours[name] * asked.get("times", 1) + asked.get("plus", 0)
        digits = len(str(value).partition(".")[2])
        digits = max(digits, 3) if asked.get("table") else digits
        difference = round(mine, digits) - value
        rows.append({"name": name, "printed": value, "ours": mine, "difference": difference})
    return {"measure": asked["measure"], "where": asked["where"], "rows": rows}


if __name__ == "__main__":
    sys.exit(main())
