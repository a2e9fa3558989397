"""The files of each task as a corpus: where no reader knows a form, its rows are made here.

Each function takes the folder of a task and its entry in the manifest, and returns a corpus with
one layer for gold, each system and each annotator. What is left out is counted in its notes.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import spanagree as sa
from spanagree.corpus.unplaced import UnplacedQuotes

Task = Mapping[str, Any]
Row = dict[str, Any]
_COLUMNS = {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}


def files(folder: Path, task: Task) -> sa.Corpus:
    """Read files that a reader knows: a path, several, or names and paths."""
    source = task["files"]
    if isinstance(source, str):
        paths: Any = folder / source
    elif isinstance(source, list):
        paths = [folder / path for path in source]
    else:
        paths = {name: folder / path for name, path in source.items()}
    return sa.read(paths, **task.get("options", {}))


def from_rows(rows: Iterator[Row], task: Task, notes: Sequence[str] = ()) -> sa.Corpus:
    """Return a corpus of rows: id, text or tokens, who, spans."""
    listed = list(rows)
    columns = dict(_COLUMNS)
    if "tokens" in listed[0]:
        columns["tokens"] = columns.pop("text")
        columns = {"tokens": "tokens", **{k: v for k, v in columns.items() if k != "tokens"}}
    corpus = sa.from_dataset(listed, repair=task.get("repair", []), **columns)
    return corpus.replace(notes=(*corpus.notes, *notes))


def hipe(folder: Path, task: Task) -> sa.Corpus:
    """HIPE: columns of tags joined by line, as systems wrote some tokens and headers anew."""
    gold = _hipe_rows(folder / task["gold_file"], task["column"])
    layers = {"gold": [tag for _, tag in gold]}
    for path in sorted((folder / "systems").glob("*.tsv")):
        tags = [tag for _, tag in _hipe_rows(path, task["column"]) if tag is not None]
        assert len(tags) == sum(tag is not None for _, tag in gold), path
        if set(tags) <= {"_", ""}:
            continue  # not answered
        each = iter(tags)
        layers[path.stem] = [None if tag is None else next(each) for _, tag in gold]
    out = folder / f"{task['name']}.tsv"
    with out.open("w", encoding="utf-8") as file:
        print("TOKEN", *layers, sep="\t", file=file)
        for number, (token, tag) in enumerate(gold):
            if tag is None:
                print(token, file=file)
            else:
                print(
                    token, *(_hipe_tag(of[number]) for of in layers.values()), sep="\t", file=file
                )
    return sa.read_conll(out, columns={name: name for name in layers}, unit="document")


def _hipe_rows(path: Path, column: str) -> list[tuple[str, str | None]]:
    """Return token and tag of each line, and lines that begin a document with no tag."""
    first, *lines = path.read_text("utf-8").replace("\r", "").split("\n")
    place = re.split(r"\t| {2,}", first.strip()).index(column)
    rows: list[tuple[str, str | None]] = []
    for line in lines:
        if line.startswith("#"):  # no token begins so
            if line.startswith("# document_id"):
                rows.append((f"\n{line.rstrip()}", None))
        elif line.strip():
            cells = line.split("\t")
            if len(cells) <= place and len(cells) == 2 and column == "NE-COARSE-LIT":
                cells = [cells[0], *[""] * (place - 1), cells[1]]
            rows.append((cells[0], cells[place].strip() if len(cells) > place else "_"))
    return rows


def _hipe_tag(tag: str | None) -> str:
    if tag in ("_", "", None):
        return "O"
    prefix, _, label = str(tag).partition("-")
    return f"{prefix}-{label.lower()}" if label else "O"


def ehealth(folder: Path, task: Task) -> sa.Corpus:
    """eHealth-KD: brat over a whole list of sentences, cut into a document for each sentence.

    All systems are read over gold's text: some wrote the text anew, with the same offsets.
    """
    stem, out = task["scenario"], folder / task["name"]
    text = (folder / "gold" / f"{stem}.txt").read_text("utf-8")
    starts, at = [], 0
    for line in text.split("\n"):
        starts.append((at, line))
        at += len(line) + 1
    notes = []
    sources = {"gold": folder / "gold"}
    sources |= {path.name: path for path in sorted((folder / "systems").iterdir())}
    for name, source in sources.items():
        lines: dict[int, list[str]] = defaultdict(list)
        location: dict[str, int] = {}
        lost = Counter[str]()
        rows = (source / f"{stem}.ann").read_text("utf-8").splitlines()
        for row in rows:
            if row.startswith("T"):
                key, rest, *_ = row.split("\t")
                label, _, places = rest.partition(" ")
                pieces = [tuple(map(int, piece.split())) for piece in places.split(";")]
                first = max((i for i, (s, _) in enumerate(starts) if s <= pieces[0][0]), default=0)
                begin, line = starts[first]
                if pieces[-1][1] > begin + len(line):
                    lost["entities over a line's end"] += 1
                    continue
                location[key] = first
                moved = ";".join(f"{s - begin} {e - begin}" for s, e in pieces)
                lines[first].append(f"{key}\t{label} {moved}")
        for row in rows:
            if row[:1] in "R*" and row:
                ends = re.findall(r"T\d+", row.split("\t")[1])
                homes = {location.get(end) for end in ends}
                if len(homes) != 1 or None in homes:
                    lost["relations with a missing argument or across sentences"] += 1
                else:
                    lines[homes.pop()].append(row)  # type: ignore[index]
        notes += [f"{name}: {count} {what}, left out" for what, count in lost.items()]
        (out / name).mkdir(parents=True, exist_ok=True)
        for i, (_, line) in enumerate(starts):
            if line.strip():
                base = out / name / f"s{i:03}"
                base.with_suffix(".txt").write_text(line, "utf-8")
                base.with_suffix(".ann").write_text("".join(f"{x}\n" for x in lines[i]), "utf-8")
    corpus = sa.read_brat(out, repair=["drop-relations", "drop-duplicates", "drop-empty"])
    return corpus.replace(notes=(*corpus.notes, *notes))


def quality_estimation(folder: Path, task: Task) -> sa.Corpus:
    """WMT word-level quality estimation: runs of BAD tokens are segments; `<EOS>` is a token."""
    tokens = [x.split() for x in _lines(folder / "gold" / "test.2022.mt_tok")]
    layers = {"gold": [x.split() for x in _lines(folder / "gold" / "test.2022.en-de.tags")]}
    for path in sorted((folder / "systems").glob("*.predictions.txt")):
        tags: list[list[str]] = [["OK"] * len(of) for of in tokens]
        for line in _lines(path)[3:]:
            *_, segment, place, _, tag = line.split("\t")
            tags[int(segment)][int(place)] = tag
        layers[path.name.removesuffix(".predictions.txt")] = tags

    def rows() -> Iterator[Row]:
        for i, words in enumerate(tokens):
            for who, all_tags in layers.items():
                spans = list(_runs(all_tags[i]))
                yield {"id": f"s{i:04}", "tokens": words, "who": who, "spans": spans}

    return from_rows(rows(), task)


def _runs(tags: Sequence[str]) -> Iterator[Row]:
    start = None
    for i, tag in enumerate([*tags, "OK"]):
        if tag == "BAD" and start is None:
            start = i
        elif tag != "BAD" and start is not None:
            yield {"start": start, "end": i, "label": "BAD"}
            start = None


def strings(folder: Path, task: Task) -> sa.Corpus:
    """Lists of strings without offsets: each stands at the next place that is free.

    Those without one, as they are not in the sentence or stand in another, count as wrong.
    """
    lost, repeated = Counter[str](), Counter[str]()
    unplaced: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)

    def place(sentence: str, spans: Sequence[Any], who: str, id_: str) -> Iterator[Row]:
        placed: list[tuple[int, int]] = []
        for text, label, *_ in spans:
            starts = (
                [found.start() for found in re.finditer(re.escape(text), sentence)] if text else []
            )
            ends = [(start, start + len(text)) for start in starts]
            free = [x for x in ends if all(x[1] <= s or e <= x[0] for s, e in placed)]
            # behind the one before, as lists are in order; else where nothing stands yet
            behind = [x for x in free if not placed or x[0] >= placed[-1][1]]
            if not free:
                (repeated if starts else lost)[who] += 1
                unplaced[who, id_].append((text, label))
                continue
            placed.append((behind or free)[0])
            yield _span(*placed[-1], label)

    def rows() -> Iterator[Row]:
        for i, sentence, who, spans, _ in _answers(folder):
            found = list(place(sentence, spans, who, f"s{i:04}"))
            yield {"id": f"s{i:04}", "text": sentence, "who": who, "spans": found}

    listed = list(rows())
    notes = [f"{who}: {n} strings not in their sentence, wrong" for who, n in lost.items()]
    notes += [f"{w}: {n} strings without a place that is free, wrong" for w, n in repeated.items()]
    return _with_unplaced(from_rows(iter(listed), task, notes), unplaced)


def _with_unplaced(
    corpus: sa.Corpus, unplaced: Mapping[tuple[str, str], Sequence[tuple[str, str]]]
) -> sa.Corpus:
    """Add texts and labels that are not in the text, by annotator and document."""
    raw = corpus.to_raw()
    number = {raw.find_annotator_and_document(i): i for i in range(len(raw.document_index))}
    quotes = [
        (number[key], label, text)
        for key, strings in unplaced.items()
        for text, label in strings
        if label.strip()  # as those in the text are left out without one
    ]
    at, labels, texts = zip(*quotes, strict=True)
    found = UnplacedQuotes.from_texts(at, labels, texts, corpus.offsets)
    return sa.Corpus.from_raw(raw.replace(unplaced=found))


def token_lists(folder: Path, task: Task) -> sa.Corpus:
    """Lists of [text, label, first, last], last inclusive: the numbers are believed."""
    lost, differ = Counter[str](), Counter[str]()

    def rows() -> Iterator[Row]:
        for i, _, who, spans, tokens in _answers(folder):
            kept = []
            for text, label, first, last in spans:
                if not 0 <= first <= last < len(tokens):
                    lost[who] += 1
                    continue
                differ[who] += " ".join(tokens[first : last + 1]) != text
                kept.append({"start": first, "end": last + 1, "label": label})
            yield {"id": f"s{i:04}", "tokens": tokens, "who": who, "spans": kept}

    listed = list(rows())
    notes = [f"{who}: {n} spans beyond the sentence, left out" for who, n in lost.items()]
    notes += [f"{w}: {n} spans whose words are others than named" for w, n in differ.items() if n]
    return from_rows(iter(listed), task, notes)


def _answers(folder: Path) -> Iterator[tuple[int, str, str, Sequence[Any], list[str]]]:
    """Yield number, sentence, who, spans and tokens; gold once."""
    number: dict[str, int] = {}
    done = set()
    for path in sorted(folder.glob("*/*/*.json")):
        who = f"{path.parent.name}/{path.stem}"
        for item in json.loads(path.read_text("utf-8")):
            sentence = item["gold_sent_str"]
            i = number.setdefault(sentence, len(number))
            tokens = [token for token, _ in item.get("gold_token_labels", [])]
            if (who, i) in done:
                continue
            done.add((who, i))
            if ("gold", i) not in done:
                done.add(("gold", i))
                yield i, sentence, "gold", item["gold_spans"], tokens
            spans = [span for span in item["predicted_spans"] if _well_formed(span)]
            yield i, sentence, who, spans, tokens


def _well_formed(span: Any) -> bool:
    """Return whether a model answered with text and label, and two numbers or none."""
    return all(isinstance(x, str) for x in span[:2]) and all(isinstance(x, int) for x in span[2:])


def factgenie(folder: Path, task: Task) -> sa.Corpus:
    """factgenie campaigns: people of one folder, and a folder for each model."""
    people = folder / task["people"]
    outputs = {}
    for path in sorted((people / "outputs").glob("*.jsonl")):
        for row in map(json.loads, _lines(path)):
            outputs[_factgenie_key(row)] = row["output"]
    labels = [row.split(": ", 1)[1] for row in _lines(people / "config.yaml") if "- name: " in row]
    sources = {"": people / "annotations.jsonl"}
    models = sorted((folder / task["models"]).glob("*/annotations.jsonl"))
    sources |= {path.parent.name: path for path in models}

    def rows() -> Iterator[Row]:
        for model, path in sources.items():
            for row in map(json.loads, _lines(path)):
                key = _factgenie_key(row)
                who = model or f"person {row['annotator_group']}"
                yield {
                    "id": "/".join(key), "text": outputs[key], "who": who,
                    "spans": [
                        _span(x["start"], x["start"] + len(x["text"]), labels[x["type"]])
                        for x in row["annotations"]
                    ],
                }  # fmt: skip

    return from_rows(rows(), task)


def _factgenie_key(row: Row) -> tuple[str, str, str, str]:
    setup = row["setup_id"].lower().replace(".", "-")
    return row["dataset"], row["split"], setup, str(row["example_idx"])


def mtme_ratings(folder: Path, task: Task) -> sa.Corpus:
    """Ratings of mt-metrics-eval: a line for each system and segment, None where not rated."""
    texts: dict[str, list[str]] = {}
    for path in sorted((folder / "system-outputs" / task["pair"]).glob("*.txt")):
        texts[path.stem] = _lines(path)
    sources = 0

    def rows() -> Iterator[Row]:
        nonlocal sources
        for path in sorted(folder.glob("*.seg.rating")):
            who, seen = path.name.split(".")[-3], Counter[str]()
            for line in _lines(path):
                system, _, rating = line.partition("\t")
                place = seen[system]
                seen[system] += 1
                if rating.strip() == "None":
                    continue
                errors = json.loads(rating)["errors"]
                sources += sum(bool(x["is_source_error"]) for x in errors)
                spans = [
                    {"start": x["start"], "end": x["end"], "label": x["severity"]}
                    for x in errors
                    if not x["is_source_error"]
                ]
                text = texts[system][place]
                yield {"id": f"{system}/{place:03}", "text": text, "who": who, "spans": spans}

    listed = list(rows())
    asked = Counter(row["id"] for row in listed)
    kept = [row for row in listed if asked[row["id"]] >= task.get("min_annotators", 2)]
    notes = [f"{sources} errors in the source, left out"]
    return from_rows(iter(kept), task, notes)


def appraise(folder: Path, task: Task) -> sa.Corpus:
    """Appraise campaigns, a file for each protocol: ends inclusive, "missing" has no place."""
    documents: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(_lines(folder / "documents" / "en-de.docs")):
        documents[line.split("\t")[1]].append(number)
    texts = {
        path.stem: _lines(path) for path in (folder / "system-outputs" / "en-de").glob("*.txt")
    }
    missing = Counter[str]()

    def rows() -> Iterator[Row]:
        for who, file in task["files"].items():
            groups: dict[tuple[str, str, str], dict[int, str]] = defaultdict(dict)
            with (folder / file).open(encoding="utf-8", newline="") as lines:
                for login, system, item, kind, *_, name, _, spans, _, _ in csv.reader(lines):
                    document = name.split("#")[0]
                    if kind == "TGT" and document in documents and "#bad" not in name:
                        groups[login, system.removeprefix("wmt23."), document][int(item)] = spans
            done = set()
            for (_, system, document), items in groups.items():
                numbers = documents[document]
                if len(items) != len(numbers) or (system, document) in done or system not in texts:
                    continue
                done.add((system, document))
                for number, (_, spans) in zip(numbers, sorted(items.items()), strict=True):
                    text, kept = texts[system][number], []
                    for span in json.loads(spans):
                        if "missing" in (span["start_i"], span["end_i"]):
                            missing[who] += 1
                            continue
                        kept.append(_span(span["start_i"], span["end_i"] + 1, span["severity"]))
                    id_ = f"{system}/{document}/{number:03}"
                    yield {"id": id_, "text": text, "who": who, "spans": kept}

    listed = list(rows())
    notes = [f"{who}: {n} omissions without a place, left out" for who, n in missing.items()]
    asked = Counter(row["id"] for row in listed)
    return from_rows((row for row in listed if asked[row["id"]] > 1), task, notes)


def pico(folder: Path, task: Task) -> sa.Corpus:
    """PICO: JSON lines of offsets for each abstract and annotator."""

    def rows() -> Iterator[Row]:
        for prefix, file in task["files"].items():
            for entry in map(json.loads, _lines(folder / file)):
                text = (folder / "docs" / f"{entry['docid']}.txt").read_bytes().decode("utf-8")
                for who, spans in entry["Participants"].items():
                    marked = [{"start": s, "end": e, "label": "Participants"} for s, e in spans]
                    who = "gold" if prefix == "gold" else who
                    yield {"id": entry["docid"], "text": text, "who": who, "spans": marked}

    return from_rows(rows(), task)


def toxic(folder: Path, task: Task) -> sa.Corpus:
    """Toxic spans: three tables, joined by the script that the project has for them."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
    from join_toxic_spans import rows

    columns = {"text": "text", "spans": "spans", "annotator": "worker", "document": "id"}
    return sa.from_dataset(rows(folder), repair=task["repair"], **columns)


def _span(start: int, end: int, label: str) -> Row:
    return {"start": start, "end": end, "label": label}


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


PREPARE = {
    function.__name__: function
    for function in (
        files, hipe, ehealth, quality_estimation, strings, token_lists, factgenie, mtme_ratings,
        appraise, pico, toxic,
    )
}  # fmt: skip
"""The forms by name, as the manifest calls them."""
