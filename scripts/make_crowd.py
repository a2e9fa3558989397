"""Write the crowd corpus: short invented garden notes, marked by five invented annotators.

Work shared out among people is seldom complete: one stops half-way, one skips a note here and
there, one comes late.  They differ in habits, too, and one is careless.  The corpus has all of
that, so that agreement can be measured where hardly any note was seen by everybody.  The notes
are made up here, so that anyone may copy and change them.  Each annotator is derived from one
careful reading by fixed rules, without random numbers, so that the file can be made again and
compared.

Usage: python scripts/make_crowd.py [FOLDER]
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from make_newsroom import Segment, parse

# One note a line; a backslash joins lines.  What is marked here is the careful reading: the name
# of a plant, pest or tool without articles, numbers, plain adjectives or parts of the plant.
TEXT = """\
Sowed [PLANT broad beans] under the hedge today , two rows , a hand apart , and firmed them in \
with the back of the [TOOL hay rake] .
Rain all day .
The old [TOOL spade] has split at last , so I borrowed a new [TOOL garden fork] from plot nine and \
broke up the clay where [PLANT spring leeks] will go .
[PEST Slugs] again !
Counted eleven fat [PEST field slugs] under one plank beside young [PLANT lettuces] , carried them \
off in a [TOOL bucket] and did not look back .
[PLANT Garlic] up .
Hoed between [PLANT pickling onions] for an hour ; small [PLANT weeds] came out easily , but \
[PLANT couch grass] laughs at my blunt [TOOL hoe] .
[PEST Pigeons] have stripped the [PLANT purple sprouting broccoli] down to the ribs , although the \
black net was tied with [TOOL string] at every corner .
Pricked out [PLANT tomato] seedlings on the kitchen table with a [TOOL pencil] , because somebody \
had walked off with the small [TOOL dibber] .
Met the committee about the water rates : long talk , weak tea , no decision , and the tap by the \
gate still drips .
Earthed up [PLANT early potatoes] with the [TOOL draw hoe] .
A [PEST mole] has driven a tunnel right along my [PLANT winter carrots] , and half of the \
[PLANT seedlings] now hang in the air with nothing under them .
[PEST Blackfly] on the [PLANT broad beans] : pinched out the soft tips and washed the rest with a \
[TOOL hand sprayer] that leaks more than it sprays .
Sharpened [TOOL shears] , oiled [TOOL secateurs] , could not find the good [TOOL penknife] , found \
it in my own pocket .
Someone left six [PLANT strawberry] plants at my gate without a note , rather dry , so I soaked \
them in a [TOOL zinc bucket] and set them beside [PLANT rhubarb] .
First cut of [PLANT rhubarb] .
[PEST Cabbage whites] over [PLANT curly kale] all afternoon , and tonight the first \
[PEST caterpillars] on the underside of the outer leaves .
Dug in three loads of manure with the long [TOOL muck fork] while the [TOOL wheelbarrow] sank \
slowly into the path , and was in bed by eight .
Into the ground today : [PLANT runner beans] , [PLANT sugar peas] , [PLANT beetroot] and a short \
row of [PLANT summer turnips] that I had quite forgotten .
Pulled [PLANT bindweed] .
The [PEST blight] warning came on Tuesday , and by Friday all [PLANT potato] leaves were black , \
so I cut everything down with a rusty [TOOL sickle] and burned it .
Lent my good [TOOL wheelbarrow] to plot four .
With a [TOOL hoe] [PLANT weeds] are a morning 's work ; without it they are a week 's , and mine \
has a cracked handle .
Put a tunnel of white fleece over the late [PLANT carrots] , since [PEST carrot fly] is about and \
last year it left us not one clean root .
A quiet evening with the radio , a flask of soup and a sky full of swifts .
Under [PLANT forced rhubarb] [PEST snails] were sleeping in dozens , stacked like plates ; I moved \
them all to the compost , where they will no doubt be happier .
Staked the [PLANT cactus dahlias] with eight [TOOL bamboo canes] before the wind got up , tied \
them loosely with [TOOL raffia] and lost only one .
[PEST Mice] have eaten every one of my [PLANT marrow peas] , neat little holes all along the drill \
, and licked two [TOOL mousetraps] clean .
[PLANT Courgettes] , [PLANT courgettes] , [PLANT courgettes] .
Watered [PLANT celery] twice , once with a [TOOL watering can] and once , when that gave out , \
with a leaking [TOOL hose] and a good deal of language .
The [PLANT gooseberry] leaves are lace : [PEST sawfly] , hundreds of them , so small and so busy \
that I sat down on the path and watched for a while .
Found the lost [TOOL trowel] while lifting [PLANT potatoes] , together with a spoon , a blue \
marble and three enormous [PEST slugs] .
The [PEST fox] was back .
Thinned [PLANT parsnips] , weeded round the [PLANT red onions] and then , because the light was so \
good , trimmed the whole path with my old [TOOL edging shears] .
White powder on the [PLANT squash] leaves , which plot nine calls [PEST mildew] and plot four \
calls age ; either way I picked off the worst and watered well .
No frost yet , the ground is as soft as cake , and there is nothing to do but walk about and look \
pleased .
Picked nine pounds of [PLANT blackcurrants] under the torn netting before the [PEST blackbirds] \
could , and stained both sleeves and a clean [TOOL sieve] .
[PEST Vine weevil] has had the [PLANT strawberries] : I tipped out a pot and there they were , fat \
white [PEST grubs] curled up among the roots like commas .
Cut back [PLANT autumn raspberries] with the heavy [TOOL loppers] ; thorns in both thumbs .
Set two [TOOL beer traps] by the [PLANT cos lettuces] , and had in the morning eleven [PEST slugs] \
, one [PEST earwig] and no beer .
[PEST Whitefly] everywhere .
Traded a bag of [PLANT shallots] for an almost new [TOOL sieve] with the quiet man from plot two , \
who grows nothing but [PLANT chrysanthemums] and never seems to sit down .
Laid mesh over the [PLANT winter cabbages] against [PEST pigeons] , weighed it down with bricks \
and left the [TOOL mallet] out in the rain .
[PLANT Nettles] by the gate .
[PLANT Ground elder] came in under the fence again , so I went along it on my knees with a small \
[TOOL hand fork] until the church clock struck six .
Strung up [PLANT brown onions] in the shed , forty good ones and a few soft ones , with the last \
of the [TOOL garden twine] .
[PEST Rust] on the [PLANT leeks] , not bad yet , orange specks that come off on the thumb ; \
[PLANT garlic] beside them had it much worse in June .
Swept the paths with a stiff [TOOL yard broom] , stacked the pots , emptied the tank and said \
goodbye to the summer .
Slow day , cold hands .
Planted out sixty [PLANT spring cabbages] , trod them in , and found by evening that a young \
[PEST rabbit] had pulled up every other one out of plain mischief .
[PLANT Button sprouts] are grey with [PEST mealy aphids] , right into the hearts , and no amount \
of soapy water from the [TOOL brass sprayer] will shift them .
The boy from plot six helped me to take down a dead [PLANT plum tree] with my blunt [TOOL bow saw] \
, and we shared a flask on the stump afterwards .
Lifted the last [PLANT beetroot] before the frost ; in the old [TOOL bucket] [PEST woodlice] had \
made themselves a home .
A cloche blew away in the night and was found on plot twelve , upside down and full of \
[PEST snails] , with the [PLANT winter lettuce] quite unhurt where it had stood .
Turned the compost with the [TOOL garden fork] ; a robin watched from the handle of the \
[TOOL spade] whenever I stopped , and once when I had not .
[PEST Club root] in [PLANT turnips] .
Limed the bed where [PLANT brassicas] will stand , levelled it , broke the [TOOL rake] , mended it \
with [TOOL pliers] and [TOOL wire] , and levelled it once more .
Ordered seed by lamplight : [PLANT parsley] , [PLANT sweet corn] , [PLANT dwarf beans] and a \
[PLANT yellow courgette] that nobody needs .
Something has been at the [PLANT kale] : not [PEST caterpillars] in December , surely ; a \
[PEST pigeon] , or two of them , and the net lying folded in the shed .
Two [PEST brown rats] under the compost , bold as brass , so the lid is now held down with a \
paving stone and the broken [TOOL coal shovel] .
Snow at last .
Dug out [PLANT docks] and [PLANT dandelions] with the narrow [TOOL spade] while the ground was \
soft , and carried the long roots home to show somebody .
New notebook , old mud : sharpened the [TOOL hoe] , counted [PLANT seed potatoes] and saw the \
first [PEST aphid] of the year on the windowsill .
"""

# What the annotators' rules are about.
GENERIC = ["weeds", "seedlings", "grubs"]
DISEASES = ["blight", "mildew", "rust", "club root"]
BEASTS = ["pigeon", "pigeons", "mole", "fox", "blackbirds", "rabbit"]
PARTS = ["leaves", "plants", "seedlings"]
BEFORE = re.compile(
    "the|an?|my|old|new|young|small|long|late|good|lost|clean|blunt|rusty|leaking|heavy|stiff"
    "|narrow|broken|dead|fat|white|enormous",
    re.IGNORECASE,
)
COVERS = ["net", "netting", "mesh", "fleece", "cloche"]
WEEDS = ["weeds", "couch grass", "bindweed", "nettles", "ground elder", "docks", "dandelions"]


class Note(NamedTuple):
    """Words and punctuation, the careful reading, and how many segments earlier notes have."""

    tokens: list[str]
    segments: list[Segment]
    earlier: int

    def words(self, segment: Segment) -> str:
        """What a segment marks, in lower case."""
        return " ".join(self.tokens[segment.start : segment.end]).lower()


def notes() -> Iterator[Note]:
    """Read ``TEXT``."""
    earlier = 0
    for line in TEXT.splitlines():
        tokens, segments = parse(line)
        yield Note(tokens, segments, earlier)
        earlier += len(segments)


def ann(note: Note) -> list[Segment]:
    """Leave out words for no plant or pest in particular, and diseases."""
    return [s for s in note.segments if note.words(s) not in GENERIC + DISEASES]


def bob(note: Note) -> list[Segment]:
    """Take in the parts of a plant; do not count birds and larger beasts as pests."""
    found: list[Segment] = []
    for s in note.segments:
        if note.words(s) not in BEASTS:
            more = s.label == "PLANT" and note.tokens[s.end] in PARTS
            found.append(s._replace(end=s.end + more))
    return found


def cem(note: Note) -> list[Segment]:
    """Take in an article or "my" and the adjectives before a name."""
    found: list[Segment] = []
    for s in note.segments:
        start = s.start
        while start and BEFORE.fullmatch(note.tokens[start - 1]):
            start -= 1
        found.append(s._replace(start=start))
    return found


def dia(note: Note) -> list[Segment]:
    """Miss every third name; forget to change the label; lose the end of a name."""
    found: list[Segment] = []
    for number, (start, end, label) in enumerate(note.segments, note.earlier + 1):
        if number % 3 == 0:
            continue
        # Between plants and pests she stays with what she marked last in the note.
        if found and "TOOL" not in (label, found[-1].label):
            label = found[-1].label
        # A longer name loses its last token.
        if end - start > 1:
            end -= 1
        found.append(Segment(start, end, label))
    return found


def eli(note: Note) -> list[Segment]:
    """Count nets and other covers as tools, and weeds as pests."""
    covers = [Segment(i, i + 1, "TOOL") for i, t in enumerate(note.tokens) if t in COVERS]
    found = [s._replace(label="PEST") if note.words(s) in WEEDS else s for s in note.segments]
    return sorted(found + covers)


# Which of the notes, numbered from 1, each annotator saw, and how they marked them.
ANNOTATORS: dict[str, tuple[Callable[[int], bool], Callable[[Note], list[Segment]]]] = {
    "ann": (lambda n: True, ann),
    "bob": (lambda n: n <= 42, bob),
    "cem": (lambda n: n % 7 != 0, cem),
    "dia": (lambda n: n % 3 != 0, dia),
    "eli": (lambda n: n < 63 and (n > 42 or n % 8 == 0), eli),
}


def main(arguments: list[str]) -> None:
    """Write the file."""
    default = Path(__file__).resolve().parent.parent / "corpora" / "crowd"
    folder = Path(arguments[0]) if arguments else default
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    for n, note in enumerate(notes(), 1):
        entry = {
            "spanagree": 1,
            "id": f"note-{n:02}",
            "offsets": "tokens",
            "tokens": note.tokens,
            "annotators": {
                name: [segment._asdict() for segment in mark(note)]
                for name, (saw, mark) in ANNOTATORS.items()
                if saw(n)
            },
        }
        lines.append(json.dumps(entry) + "\n")
    (folder / "crowd.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
