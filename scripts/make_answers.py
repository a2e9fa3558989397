"""Write the answers corpus: made-up answers of language models, marked where they are not true.

Six invented annotators mark the same stretches more or less widely, and not all of them saw every
answer. Two invented systems mark them too; one of them marks nearly everything. So the corpus shows
what a measure by characters rewards. The island, its people and the answers are made up here, so
that anyone may copy and change them. Annotators and systems are derived from one careful reading by
fixed rules, without random numbers, so that the files can be made again and compared.

Usage: python scripts/make_answers.py [FOLDER]
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

# A question and an answer a line. What stands in brackets is not true of the island of Orlavia.
TEXT = """\
When was the lighthouse of Orlavia built? | The lighthouse was built in [1742 by the shipwright \
Aldo Renn], after three wrecks in one winter. It stands [ninety metres] above the sea.
What do people in Orlavia eat at midsummer? | At midsummer people eat smoked eel with dark bread. \
[Children get a cake in the shape of a whale], and the oldest baker cuts it.
Who wrote the island's anthem? | The anthem was written by the schoolteacher Ima Holt. [It was \
first sung in front of the king in 1911, by a choir of four hundred fishermen].
How do I get to Orlavia? | A ferry leaves Port Sale twice a day. [There is also a small airport \
with flights to six capitals.]
Is the harbour open in winter? | Yes. The harbour is open all year.
How many people live there? | About [twelve thousand] people live on the island, most of them in \
[the two towns of Sale and Great Morrow].
What is the highest hill? | The highest hill is [Mount Tarn], at [1,204 metres]. From its top one \
sees the mainland on clear days.
Which birds breed on the cliffs? | Puffins, razorbills and [a colony of flamingos] breed on the \
western cliffs, and [some nine thousand albatrosses return there each May].
Can I bring my dog? | Dogs are welcome on the ferry and on all beaches, but [they have to wear a \
red collar, which the customs officers hand out for a deposit of forty crowns].
When does the museum open? | The museum opens at ten, except on Mondays.
Who was Berta Quill? | Berta Quill was [an opera singer who gave up the stage in 1880 and opened \
the first bank of the island]. A street in Morrow is named after her.
What language do people speak? | People speak Orlavic, [a language related to Finnish and Basque \
that has eleven cases and no word for snow]. Most of them also speak English.
Is tap water safe? | Tap water is safe everywhere.
What happened in the flood of 1953? | The flood of 1953 destroyed the lower harbour. [Two hundred \
families were moved to the hills, where they founded the village of New Sale], and [the old \
church sank into the bay].
How is the island governed? | The island has a council of nine, which is [elected every seven \
years by all owners of a boat]. Its head is called [the Warden of Tides].
Which crops are grown? | Farmers grow barley, potatoes and [saffron, of which the island exports \
forty tons a year].
Does it snow? | [It snows from October to May], and the roads are cleared by [reindeer].
Where can I camp? | Camping is allowed at three sites, which are listed at the tourist office.
Who designed the town hall? | The town hall was designed by [the Danish architect Viggo Lund, who \
also drew the plans of the opera house in Oslo]. It was finished in 1904.
Is there a railway? | A narrow railway ran from the quarry to the harbour [until 1988. The last \
engine, called Little Greta, stands in the museum].
What is the currency? | The currency is [the crown, which is divided into sixty pence and bears \
the head of an otter].
Are there snakes? | There are no snakes. [They were driven out in 1387 by Saint Orla, who is said \
to have sung for nine nights].
What is the national sport? | [The national sport is stone-rowing: two crews race around the \
lighthouse, each with a granite block of eighty kilos on board.]
When is the book fair? | The book fair takes place in [the second week of March] in [the old rope \
factory].
Who was the first woman on the council? | The first woman on the council was [Edda Marsh, elected \
in 1919].
How long is the coastline? | The coastline is [two hundred and twelve kilometres] long if all the \
skerries are counted.
What is mined in the quarry? | The quarry gives a grey slate. [Until the war it also gave silver, \
and a third of all coins in Europe were struck from it.]
Is the island safe for cyclists? | Yes, it is. There are few cars, and drivers are patient.
Which films were shot there? | [Three films were shot on the island, among them "The Salt Widow", \
which won two prizes in Venice in 1974]. A plaque near the pier lists them.
What does the flag show? | The flag shows a white gull on blue. [The gull looks to the left, \
because in 1805 a sailmaker sewed the first flag the wrong way round].
What is Orlavian lace? | It is a lace made of [nettle thread], and a tablecloth takes [about four \
years].
Can I study there? | There is no university, but [the Academy of Weather in Morrow gives degrees \
in fog and in ice].
Who owns the ferries? | The ferries belong to [the brothers Pell, who bought them from the state \
in 2003 for one crown].
What is the oldest building? | The oldest building is the chapel on the north shore. [Its walls \
were raised by Irish monks in the year 640 and are held together by whale oil].
Do people drive on the left? | People drive on the right.
How is the mobile reception? | Reception is good in the towns and [absent in the hills, where \
shepherds use whistles that carry eleven kilometres].
"""


class Span(NamedTuple):
    """A stretch of characters; the end is not part of it."""

    start: int
    end: int


class Answer(NamedTuple):
    """An answer with the careful reading, and how many stretches earlier answers have."""

    question: str
    text: str
    spans: list[Span]
    earlier: int


def answers() -> Iterator[Answer]:
    """Read ``TEXT``."""
    earlier = 0
    for line in TEXT.splitlines():
        question, marked = line.split(" | ")
        text, spans = "", []
        for inside, outside in re.findall(r"\[([^]]+)\]|([^[]+)", marked):
            if inside:
                spans.append(Span(len(text), len(text) + len(inside)))
            text += inside or outside
        yield Answer(question, text, spans, earlier)
        earlier += len(spans)


def grown(answer: Answer, ends: str) -> list[Span]:
    """Widen each stretch up to one of these marks on either side, and join what then meets."""
    found: list[Span] = []
    for start, end in answer.spans:
        while start and answer.text[start - 1] not in ends:
            start -= 1
        while end < len(answer.text) and answer.text[end] not in ends:
            end += 1
        start += answer.text[start:end].startswith(" ")
        if found and start <= found[-1].end:
            found[-1] = Span(found[-1].start, end)
        else:
            found.append(Span(start, end))
    return found


def ann(answer: Answer) -> list[Span]:
    """Mark what the careful reading marks."""
    return answer.spans


def bob(answer: Answer) -> list[Span]:
    """Mark the whole clause."""
    return grown(answer, ",.:?")


def cem(answer: Answer) -> list[Span]:
    """Mark the words that carry the untruth: names, figures and numbers, each by itself."""
    names = re.compile(r"[A-Z0-9][\w,]*\w|\d|\b(?:two|three|six|nine|ten|eleven|forty|hundred)\b")
    return [
        Span(start + found.start(), start + found.end())
        for start, end in answer.spans
        for found in names.finditer(answer.text[start:end])
    ]


def dia(answer: Answer) -> list[Span]:
    """Miss every third stretch, and begin the others with the second word."""
    kept = [s for n, s in enumerate(answer.spans, answer.earlier + 1) if n % 3]
    return [Span(s.start + after_word(answer.text[s.start : s.end]), s.end) for s in kept]


def after_word(text: str) -> int:
    """Return where the second word begins; 0 if there is none."""
    return text.find(" ") + 1


def eli(answer: Answer) -> list[Span]:
    """Take the word before a stretch with it."""
    return [Span(answer.text.rfind(" ", 0, max(s.start - 1, 0)) + 1, s.end) for s in answer.spans]


def fay(answer: Answer) -> list[Span]:
    """Mark the whole sentence."""
    return grown(answer, ".?")


# Which of the answers, numbered from 1, each annotator saw, and how they marked them.
ANNOTATORS: dict[str, tuple[Callable[[int], bool], Callable[[Answer], list[Span]]]] = {
    "ann": (lambda n: True, ann),
    "bob": (lambda n: n % 5 != 0, bob),
    "cem": (lambda n: True, cem),
    "dia": (lambda n: n > 9, dia),
    "eli": (lambda n: n <= 27, eli),
    "fay": (lambda n: n % 4 != 2, fay),
}


def detector(answer: Answer) -> list[Span]:
    """Find stretches with a figure or a name, without their first word; sometimes mark another."""
    found = [
        Span(s.start + after_word(answer.text[s.start : s.end]), s.end)
        for s in answer.spans
        if re.search(r"[0-9]|.[A-Z]", answer.text[s.start : s.end])
    ]
    last = answer.text.rstrip(".").rfind(" ") + 1
    if len(answer.text) % 3 == 0 and not any(s.end > last for s in answer.spans):
        found.append(Span(last, len(answer.text.rstrip("."))))
    return found


def eager(answer: Answer) -> list[Span]:
    """Mark everything but the first word and the last full stop."""
    return [Span(after_word(answer.text), len(answer.text.rstrip(".")))]


# How each system marks, and how sure it says it is.
SYSTEMS = {"detector": (detector, 0.8), "eager": (eager, 0.6)}


def shares(length: int, layers: list[list[Span]]) -> list[dict[str, float]]:
    """Return the stretches of equal share of annotators, where it is not 0."""
    marked = Counter(i for layer in layers for start, end in layer for i in range(start, end))
    found = []
    for count, places in groupby(range(length), marked.__getitem__):
        inside = [*places]
        if count:
            share = round(count / len(layers), 10)
            found.append({"start": inside[0], "prob": share, "end": inside[-1] + 1})
    return found


def majority(soft: list[dict[str, float]]) -> list[list[float]]:
    """Return the stretches that more than half of the annotators marked, joined where they meet."""
    found: list[list[float]] = []
    for each in soft:
        if each["prob"] > 0.5 and found and found[-1][1] == each["start"]:
            found[-1][1] = each["end"]
        elif each["prob"] > 0.5:
            found.append([each["start"], each["end"]])
    return found


def main(arguments: list[str]) -> None:
    """Write all layers in one file of ours, and in the shape of the task's files."""
    default = Path(__file__).resolve().parent.parent / "corpora" / "answers"
    folder = Path(arguments[0]) if arguments else default
    task = {f"task/{name}": list[object]() for name in ("answers", *SYSTEMS)}
    files: dict[str, list[object]] = {"answers": [], **task}
    for n, answer in enumerate(answers(), 1):
        there = {"id": f"answer-{n:02}", "model_output_text": answer.text}
        people = {name: mark(answer) for name, (saw, mark) in ANNOTATORS.items() if saw(n)}
        soft = shares(len(answer.text), [*people.values()])
        about = {"model_input": answer.question, "hard_labels": majority(soft), "soft_labels": soft}
        files["task/answers"].append({**there, **about, "annotations": dict(people)})
        for name, (mark, prob) in SYSTEMS.items():
            people[name] = mark(answer)
            soft = [{**span._asdict(), "prob": prob} for span in people[name]]
            row = {**there, "hard_labels": people[name], "soft_labels": soft}
            files[f"task/{name}"].append(row)
        layers = {
            name: [{**span._asdict(), "label": "untrue"} for span in spans]
            for name, spans in people.items()
        }
        own = {"spanagree": 1, "id": there["id"], "offsets": "characters", "text": answer.text}
        files["answers"].append({**own, "annotators": layers})
    for name, rows in files.items():
        lines = [json.dumps(row) + "\n" for row in rows]
        path = folder / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
