"""Shared tasks, corrected for chance: from files as the tasks published them to tables and figures.

    python studies/shared_tasks/run.py DATA            # all tasks, then the tables and the figure
    python studies/shared_tasks/run.py DATA wnut17     # one of them
    python studies/shared_tasks/run.py DATA --page docs/shared_tasks.md  # and the page's tables

DATA is the folder that the manifest's folders are in. A task whose files are not there is passed
over. A task that was run before is not run again, unless its entry, the code here or the version of
spanagree changed (``--again`` runs it anyway). Results are a JSON file for each task, in ``--out``.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import math
import resource
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import error_spans  # noqa: E402 — beside this file
import official  # noqa: E402
import prepare  # noqa: E402
import study  # noqa: E402
import tables  # noqa: E402

import spanagree as sa  # noqa: E402
from spanagree.corpus.repairs import build_valid_corpus  # noqa: E402

Task = Mapping[str, Any]


def main() -> int:
    """Run the tasks asked for, and write the tables of all that were ever run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, help="the folder with the files of the tasks")
    parser.add_argument("tasks", nargs="*", help="the names of tasks; all unless given")
    parser.add_argument("--manifest", type=Path, default=HERE / "tasks.toml")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--page", type=Path, help="a page whose tables and figure are made anew")
    parser.add_argument("--again", action="store_true", help="run what was run before, too")
    parser.add_argument("--workers", type=int, default=2, help="how many tasks run at once")
    asked = parser.parse_args()
    listed = tomllib.loads(asked.manifest.read_text("utf-8"))["task"]
    if unknown := {*asked.tasks} - {task["name"] for task in listed}:
        parser.error(f"no task {sorted(unknown)[0]!r} in {asked.manifest}")
    asked.out.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    made = {task["name"]: asked.out / f"{task['name']}.json" for task in listed}
    with ProcessPoolExecutor(asked.workers) as pool:
        running = {}
        for task in reversed(listed):  # the largest are among the last
            if asked.tasks and task["name"] not in asked.tasks:
                continue
            if not asked.again and _is_made(made[task["name"]], _digest(task)):
                print(f"{task['name']}: there already", file=sys.stderr)
            elif not (asked.data / task["folder"]).exists():
                print(f"{task['name']}: no files at {task['folder']}, passed over", file=sys.stderr)
            else:
                running[pool.submit(_write, task, asked.data, made[task["name"]])] = task["name"]
        for done in as_completed(running):
            print(f"{running[done]}: {done.result()}", file=sys.stderr)
    results = [json.loads(path.read_text("utf-8")) for path in made.values() if path.exists()]
    tables.write(results, asked.out)
    if asked.page:
        page = tables.with_blocks(asked.page.read_text("utf-8"), results)
        asked.page.write_text(page, "utf-8")
        asked.page.with_suffix(".svg").write_text(tables.figure(results), "utf-8")
    print(f"all: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    return 0


def _is_made(path: Path, digest: str) -> bool:
    return path.exists() and bool(json.loads(path.read_text("utf-8"))["digest"] == digest)


def _write(task: Task, data: Path, path: Path) -> str:
    """Run a task, write its results, and return what it took."""
    start = time.process_time()
    made = {"digest": _digest(task), **run(task, data)}
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    path.write_text(text.replace(f"{data}/", ""), "utf-8")  # of notes that name files
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{time.process_time() - start:.0f} s, the worker {memory:.0f} MB at most"


def _digest(task: Task) -> str:
    """Return what a task's results depend on besides its files, in short."""
    code = [path.read_text("utf-8") for path in sorted(HERE.glob("*.py")) if path.stem != "tables"]
    about = json.dumps([task, sa.__version__, code], sort_keys=True)
    return hashlib.sha256(about.encode()).hexdigest()[:16]


def run(task: Task, data: Path) -> dict[str, Any]:
    """Return the results of a task: what it is, and its study."""
    keys = ("name", "title", "source", "licence", "unit", "measure", "no_places", "no_whole")
    about = {key: task[key] for key in keys if key in task}
    with tempfile.TemporaryDirectory() as folder:
        source = _unpacked(task, data, Path(folder))
        if task["prepare"] == "labels":
            return {"task": about, "printed": _printed(task, source, None, {}), "study": None}
        corpus = prepare.PREPARE[task["prepare"]](source, task)
        marked = _merged(corpus) if task.get("merge") else corpus
        result = _study(task, marked)
        return {
            "task": about,
            "printed": _printed(task, source, corpus, result),
            "error_spans": error_spans.error_spans(corpus, marked, task),
            "graded": error_spans.graded(source, task),
            "study": result,
        }


def _study(task: Task, corpus: sa.Corpus) -> dict[str, Any]:
    """Return what chance does to a task under each measure."""
    matches = ["exact", "iou", *["overlap"] * task.get("overlap", False), "token"]
    settings = {}
    if task.get("what"):
        settings = {"what": task["what"], "pairs": "sentence", "undirected": ["same-as"]}
        matches = ["exact"]
    whole = [task["name"]] * len(corpus) if task.get("whole") == "all" else task.get("whole")

    def progress(done: int, of: int) -> None:
        print(f"{task['name']}: {done} of {of} measures", file=sys.stderr)

    made = study.study(
        corpus, task.get("gold"), systems=task.get("systems"),
        matches=matches, places=task.get("places"), whole=whole,
        settings=settings, progress=progress,
    )  # fmt: skip
    return made.to_dict()


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
    return build_valid_corpus(one.to_raw(), "merge-overlaps")


def _printed(task: Task, source: Path, corpus: Any, result: Mapping[str, Any]) -> Any:
    """Return what was printed, ours, and the difference, for each system."""
    if "printed" not in task:
        return None
    asked = task["printed"]
    values = dict(asked.get("values", {}))
    if table := asked.get("table"):
        with (source / table["file"]).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                if row[table["column"]] == table["only"]:
                    values[row[table["system"]]] = float(row[table["value"]])
    ours = official.FIGURES[asked["figure"]](task, source, corpus, result)
    rows = []
    for name in [*values, *(name for name in ours if name not in values)]:
        value, mine = values.get(name), ours.get(name)  # not printed; not answered, printed as 0
        row = {"name": name, "printed": value, "ours": mine, "difference": None}
        if mine is not None:
            row["ours"] = mine = mine * asked.get("times", 1) + asked.get("plus", 0)
        if None not in (mine, value):
            digits = len(str(value).partition(".")[2])
            digits = max(digits, 3) if asked.get("table") else digits
            if asked.get("cut"):
                mine = math.floor(mine * 10**digits) / 10**digits
            row["difference"] = round(round(mine, digits) - value, digits)
        rows.append(row)
    return {"measure": asked["measure"], "where": asked["where"], "rows": rows}


if __name__ == "__main__":
    sys.exit(main())
