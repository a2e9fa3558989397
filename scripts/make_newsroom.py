"""Write the newsroom corpus: invented news text with gold entities and three invented systems.

Correction for chance matters where sentences differ in length: a line of three words has few
places for a name, so an annotator who hits the right one has shown little.  The corpus makes
that visible with two systems that score alike but earn their score in different places:
``lexicon`` in headlines, datelines, bylines and results, ``tagger`` in running text.  Text,
names and systems are all made up here, so that anyone may copy and change them, and no random
numbers are used, so that the files can be made again and compared.

Usage: python scripts/make_newsroom.py [FOLDER]
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

SHORT = 5  # lines of fewer tokens are headlines, bylines, datelines or results

# One sentence a line, a backslash joins lines, and an empty line ends an article.
TEXT = """\
[LOC Harrowmere] floods again
By [PER Ilse Varga]
[LOC HARROWMERE] , 4 March
Water from the [LOC Ennet] reached the steps of the town hall on Monday night , and \
[ORG Harrowmere Town Council] closed two bridges before dawn .
Mayor [PER Agnes Thorley] said that about ninety households in [LOC Lower Quay] had been moved \
to a school on the hill .
Nobody was hurt , but several shops lost their stock and the weekly market will not open before \
Saturday .
[ORG Tavisham Water] , which runs the pumps , denied that it had been warned by the \
[ORG Ministry of Inland Waters] as early as last autumn .
" We asked for a second pump in October and were told to wait , " [PER Thorley] said after \
meeting engineers from [LOC Brannoch] .

[ORG Dunlow] go top
[ORG Dunlow] 3 [ORG Askerby] 1
[ORG Kestrow] 0 [ORG Wexholt] 2
[ORG Ostrey] 1 [ORG Fennaby] 1
[PER Jonas Pell] scored twice in four minutes as [ORG Dunlow] came from behind to beat \
[ORG Askerby] on a pitch that was barely fit to play on .
The visitors had led through a header by [PER Mirek Dolanský] , their first goal away from home \
since the middle of January .
[ORG Wexholt] won more easily at [LOC Tanner Lane] , where [PER Ravi Menoch] hit the post , the \
bar and finally the net before half-time .
[ORG Kestrow] have now lost five in a row , and their manager , [PER Declan Orme] , did not stay \
to answer questions .

[ORG Ellory Shipping] sold
By [PER Tomás Lundrey]
[LOC PORT ELLORY] , Monday
[ORG Ellory Shipping] has been bought by [ORG Vantreau Frères] of [LOC Vélanne] for a price that \
neither side would disclose .
The deal gives the buyers four freighters , a dry dock on [LOC Gull Island] and a long lease on \
the old customs house .
[PER Edda Fairholt] , who chairs the [ORG Northern Ferries Union] , told reporters in \
[LOC Port Ellory] that she wanted the promise on jobs in writing .
Shares in [ORG Thessen Bank] , the seller 's largest lender , rose by almost a tenth when \
trading opened this morning .
A spokesman for [PER Baptiste Quénard] , who heads the firm in [LOC Vélanne] , called the union \
's fears " natural but mistaken " .

[creative-work Tin Meridian] wins prize
[LOC QUILLSTEAD] , 19 May
The jury of the spring book prize surprised nearly everyone at the weekend by passing over \
[creative-work The Salt Ledger] and choosing a first novel of 140 pages .
[creative-work Tin Meridian] , by the former postwoman [PER Nkechi Adabor] , follows three \
sisters along a disused railway from [LOC Quillstead] to the sea .
[PER Adabor] wrote most of it at the kitchen table of a lodging house in [LOC Upper Thessen] and \
sent it to [ORG Larkmoss Press] without an agent .
" I have read it four times , and I still do not know how she does it , " said \
[PER Cosima Reed] , who led the jury .
Bookmakers had favoured [creative-work A Winter Without Bells] by [PER Halvard Stenn] , with \
[creative-work The Clockmender of Thessen] a distant third .

Frost grips [LOC Tavisham]
[LOC TAVISHAM] , 9 January
Pipes burst in hundreds of homes as the coldest night for thirty years froze the upper \
[LOC Ennet] from bank to bank .
[ORG Tavisham Water] sent bottled supplies to villages around [LOC Marrow Fell] , though two \
lorries had to turn back on the ice .
The forecast promises little relief before the weekend , when a band of rain is expected to move \
in slowly from the west .
[PER Oona Marwick] , a farmer near [LOC Cold Ashing] , said that she had carried water to her \
sheep in milk churns , as her grandmother used to do .
Schools in [LOC Tavisham] , [LOC Brannoch] , [LOC Saltry] and [LOC Cold Ashing] will stay shut \
until Thursday , [PER Hedda Crowle] of the education office told parents in a letter that \
mentioned sledges twice .

[ORG Askerby] sign [PER Stenn]
By [PER Wren Tallis]
[ORG Askerby] have signed the young goalkeeper [PER Emil Stenn] from [ORG Skelvík Boat Club] on \
a contract that runs for three seasons .
He is the nephew of the novelist [PER Halvard Stenn] and , by his own account , has never \
finished one of his uncle 's books .
The player flew in from [LOC Skelvík] on Tuesday and watched his new team train in the rain at \
[LOC Chandler 's Field] .
[ORG Fennaby] and [ORG Rovers] had also made offers , but the player 's family preferred a club \
within reach of the night boat .

Bridge reopens in [LOC Saltry]
[LOC SALTRY] , 27 May
After eleven months of repairs and one long quarrel over paint , the iron footbridge in \
[LOC Saltry] opened to walkers again on Friday morning .
The work was done by [ORG Orme and Daughters] , a family firm from [LOC Brannoch] that also \
restored the clock tower at [LOC Saint Orrin 's Gate] .
[PER Zoë Castellane] of the [ORG Saltry Footpaths Society] cut the ribbon with garden shears , \
because nobody had remembered to bring scissors .
In the end it cost nearly three times the first estimate .
[PER Castellane] hopes to carry the path on as far as [LOC Port Ellory] .

[PER Fairholt] : no deal
By [PER Tomás Lundrey]
[LOC PORT ELLORY] , Friday
Crews on every route out of [LOC Port Ellory] will stop work at midnight on Sunday unless a late \
offer arrives , the [ORG Northern Ferries Union] said .
[PER Edda Fairholt] walked out of talks with [ORG Vantreau Frères] after less than an hour , \
saying that she had been shown " a brochure , not a contract " .
Her members voted by nine to one for a strike , which would cut off [LOC Gull Island] and leave \
[LOC Skelvík] with a single weekly boat .
A mediator from the [ORG Court of Harbour Appeals] , [PER Imogen Farr] , has asked both sides to \
meet again on neutral ground in [LOC Harrowmere] .
Ministers have so far kept out of the dispute , although hospitals on the island have been told \
to order medicines early .

Review : [creative-work Marmalade Weather]
By [PER Cosima Reed]
It is hard to dislike a film in which the villain is a lighthouse , but \
[creative-work Marmalade Weather] does its best .
[PER Lotte Bramsen] , so good in [creative-work Blue Herring Street] , is given nothing to do \
except stare at the sea from the window of a tea room .
The director , [PER Anselm Roke] , shot the picture in nineteen days around [LOC Skelvík] , and \
one can nearly hear the van waiting .
Only the songs stay in the memory , above all [creative-work Ferryman , Turn Round] , which \
[PER Zuzana Brežná] sings over the closing titles in a voice like wet gravel .
[ORG Mooncalf Pictures] will show it in [LOC Quillstead] and [LOC Harrowmere] from Friday , and \
elsewhere if anybody asks .

[ORG Pellurine] cuts jobs
[LOC BRANNOCH] , 8 May
[ORG Pellurine Optics] is to close its plant in [LOC Brannoch] by the end of the year with the \
loss of 240 jobs , staff were told on Wednesday .
The company , which makes lenses for surveyors , blamed weak orders and the cost of sand from \
[LOC Moltava] .
" They gave us a cake in February and the sack in April , " said [PER Magda Ruhl] , who has \
worked on the polishing line since she left school .
[ORG Thessen Bank] lent the firm nine million crowns two years ago , and [PER Jasper Ennis] , \
its regional director , would say only that talks were going on .
The [ORG University of Quillstead] may take over the laboratory , according to two people who \
have seen the plan .

Hope for [LOC Gull Island]
[LOC GULL ISLAND] , Sunday
Puffins have nested on the north cliffs for the first time since the fire , wardens from the \
[ORG Society for Small Islands] reported .
[PER Søren Hjelmby] counted twenty-six burrows in one morning , hanging from a rope above \
[LOC Widow 's Landing] while a colleague wrote down the numbers .
Visitors must keep to the path and leave their dogs on the boat .
The recovery owes much to [PER Agatha Prynne] , whose book [creative-work How to Fold a Harbour] \
raised most of the money for the new fences .
[PER Prynne] , now eighty-one , plans to sail out from [LOC Port Ellory] next month and see the \
birds for herself .

[ORG Rovers] 2 [ORG Dunlow] 2
[ORG Fennaby] 4 [ORG Kestrow] 1
[ORG Wexholt] 0 [ORG Ostrey] 0
[ORG Dunlow] let a lead of two goals slip in the last ten minutes against [ORG Rovers] and may \
lose first place by Tuesday .
[PER Pell] had put them ahead with a free kick from fully thirty yards , and \
[PER Osei Blanchard] headed the second from a corner .
The pitch at [LOC Tanner Lane] passed an inspection only an hour before the start , to the plain \
disgust of [ORG Ostrey] .
[ORG Kestrow] dismissed [PER Declan Orme] within an hour of the final whistle at [ORG Fennaby] , \
and a former captain , [PER Ivo Strandle] , will pick the team for now .

Museum thanks [PER Varga]
[LOC QUILLSTEAD] , 6 September
A watch lost for sixty years has come home to the [ORG Quillstead Museum of Clocks] , thanks to \
a reporter 's curiosity and a very dull auction .
[PER Ilse Varga] , who writes for the [ORG Ennet Valley Courier] , noticed the number on its \
case while waiting for a lot of garden chairs .
Police in [LOC Ruvény] had listed the piece as stolen in the very week that the museum moved \
from [LOC Bell Street] to its present home .
The keeper , [PER Łucja Brzewicz] , said that it still ran , and that it had lost only four \
minutes since the theft .
It goes on show next month beside the manuscript of [creative-work The Clockmender of Thessen] , \
lent for the occasion by [ORG Larkmoss Press] .
The man who is thought to have taken it died long ago .

[creative-work Gravel Hymns] tops charts
By [PER Wren Tallis]
A record made in a boat shed has become the best-selling album in the country , to the alarm of \
the four people who made it .
[creative-work Gravel Hymns] was recorded in [LOC Saltry] by [ORG The Damp Cartographers] , who \
until last winter played mostly at weddings .
Their singer , [PER Zuzana Brežná] , said that [ORG Kettle Lane Records] had pressed only six \
hundred copies and was now buying back its own stock from shops in [LOC Moltava] .
The best-known song , [creative-work The Last Tram to Askerby] , borrows its tune from a hymn \
and its words from a timetable .
A tour opens in [LOC Brannoch] on 3 October and ends , weather permitting , with a free concert \
on the quay at [LOC Port Ellory] .
Critics have been kind , and one compared the closing track , [creative-work Nine Slow Rivers] , \
to standing in a cold church with somebody you used to love .
"""

# Only reporters, authors, large towns and the like are listed.  Football towns are listed as
# clubs, and "Frost", "May" and "Hope" as surnames: that is how ordinary words get marked.
NAMES = {
    "PER": "Ilse Varga|Varga|Tomás Lundrey|Wren Tallis|Cosima Reed|Fairholt|Halvard Stenn|Stenn"
    "|Frost|May|Hope",
    "LOC": "Harrowmere|Brannoch|Tavisham|Moltava|Quillstead|Saltry|Port Ellory|Gull Island",
    "ORG": "Dunlow|Askerby|Kestrow|Wexholt|Ostrey|Fennaby|Rovers|Ellory Shipping"
    "|Thessen Bank|Tavisham Water|Larkmoss Press",
    "creative-work": "Tin Meridian|Gravel Hymns",
}
LEXICON = {
    tuple(name.split()): label for label, names in NAMES.items() for name in names.split("|")
}
LONGEST = max(map(len, LEXICON))


class Segment(NamedTuple):
    """Tokens ``start`` up to but not including ``end``."""

    start: int
    end: int
    label: str


class Sentence(NamedTuple):
    """Words and punctuation, with the segments in order of place."""

    tokens: list[str]
    segments: list[Segment]


def parse(line: str) -> Sentence:
    """Read one line of ``TEXT``."""
    tokens: list[str] = []
    segments: list[Segment] = []
    for label, name, other in re.findall(r"\[(\S+) ([^]]+)\]|(\S+)", line):
        words = (name or other).split()
        if label:
            segments.append(Segment(len(tokens), len(tokens) + len(words), label))
        tokens += words
    return Sentence(tokens, segments)


def lexicon(gold: Sentence) -> list[Segment]:
    """Know the names in a list, and nothing else."""
    # Mark the longest listed name at each place, as listed or in capitals, whatever the context.
    words = [word.title() if word.isupper() else word for word in gold.tokens]
    found: list[Segment] = []
    at = 0
    while at < len(words):
        for end in range(min(at + LONGEST, len(words)), at, -1):
            if label := LEXICON.get(tuple(words[at:end])):
                found.append(Segment(at, end, label))
                at = end
                break
        else:
            at += 1
    return found


def tagger(gold: Sentence) -> list[Segment]:
    """Read context well, and lack it in short lines."""
    tokens = gold.tokens
    found: list[Segment] = []
    for start, end, label in gold.segments:
        before = tokens[start - 1] if start else ""
        # In a short line only "By" gives enough context to find a name at all.
        if len(tokens) < SHORT and before != "By":
            continue
        # One-word clubs and firms look like the towns they are named after.
        if label == "ORG" and end - start == 1:
            label = "LOC"
        # A bare surname that opens a sentence looks like a firm.
        elif label == "PER" and end - start == 1 and start == 0:
            label = "ORG"
        # A two-word place looks like a person unless "in", "at" or "from" says otherwise.
        elif label == "LOC" and end - start == 2 and before not in ("in", "at", "from"):
            label = "PER"
        # A lower-case word or punctuation mark inside a name looks like its end.
        end = next((i for i in range(start, end) if not tokens[i][0].isupper()), end)
        found.append(Segment(start, end, label))
    return found


def chunker(gold: Sentence) -> list[Segment]:
    """See that there is a name, but not where it begins and ends."""
    tokens = gold.tokens
    free = {*range(len(tokens))} - {i for s in gold.segments for i in range(s.start, s.end)}
    found: list[Segment] = []
    for start, end, label in gold.segments:
        # A name of three tokens or more loses its first.
        if end - start > 2:
            start += 1
        # A two-token name loses its last at the start of a line or before a comma or full stop.
        elif end - start == 2 and (start == 0 or tokens[end : end + 1] in ([","], ["."])):
            end -= 1
        # Otherwise a capitalised word or an article just before the name is taken in.
        elif start - 1 in free and re.match("[A-Z]|(the|a|an)$", tokens[start - 1]):
            start -= 1
        # Or else a number, "of" or "'s" just after it.
        elif end in free and re.match(r"\d+$|of$|'s$", tokens[end]):
            end += 1
        found.append(Segment(start, end, label))
    return found


def to_tags(sentence: Sentence, segments: list[Segment], slips: tuple[str, ...] = ()) -> list[str]:
    """Write segments as IOB2 tags, except for a wrong I- right after one of ``slips``."""
    tags = ["O"] * len(sentence.tokens)
    for start, end, label in segments:
        # Readers must cope with ill-formed tags; the O before keeps the segments apart.
        slipped = start and tags[start - 1] == "O" and sentence.tokens[start - 1] in slips
        first = "I-" if slipped else "B-"
        tags[start:end] = [first + label] + ["I-" + label] * (end - start - 1)
    return tags


def conll(system: Callable[[Sentence], list[Segment]], slips: tuple[str, ...] = ()) -> str:
    """Give the whole corpus as one system marks it."""
    blocks: list[str] = []
    for article in TEXT.strip().split("\n\n"):
        blocks.append("-DOCSTART-\tO\n")
        for sentence in map(parse, article.split("\n")):
            tags = to_tags(sentence, system(sentence), slips)
            pairs = zip(sentence.tokens, tags, strict=True)
            blocks.append("".join(f"{token}\t{tag}\n" for token, tag in pairs))
    return "\n".join(blocks)


def votes() -> str:
    """Give gold, and what any system marks with the share of the systems that mark it as a score.

    Of two that overlap, the one with more votes stays, then the first.
    """
    lines: list[str] = []
    for sentence in map(parse, TEXT.strip().replace("\n\n", "\n").split("\n")):
        counts = Counter(s for system in (lexicon, tagger, chunker) for s in system(sentence))
        kept: list[Segment] = []
        for segment in sorted(counts, key=lambda s: (-counts[s], s)):
            if all(segment.end <= other.start or other.end <= segment.start for other in kept):
                kept.append(segment)
        marked = [{**s._asdict(), "score": round(counts[s] / 3, 2)} for s in sorted(kept)]
        gold = [s._asdict() for s in sentence.segments]
        row = {"id": len(lines) + 1, "tokens": sentence.tokens, "gold": gold, "votes": marked}
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines)


def runs() -> str:
    """Give gold, three runs of ``tagger`` and of ``chunker``, and ``lexicon``, which has but one.

    A run loses every so many of the segments that its system finds.
    """
    losing = {"tagger": (tagger, (15, 11, 7)), "chunker": (chunker, (13, 12, 11))}
    found = dict.fromkeys((f"{name}{k}" for name in losing for k in (1, 2, 3)), 0)
    lines: list[str] = []
    for sentence in map(parse, TEXT.strip().replace("\n\n", "\n").split("\n")):
        row: dict[str, object] = {"id": len(lines) + 1, "tokens": sentence.tokens}
        row["gold"] = [s._asdict() for s in sentence.segments]
        for name, (system, every) in losing.items():
            for k, number in enumerate(every, 1):
                kept = []
                for segment in system(sentence):
                    found[f"{name}{k}"] += 1
                    if found[f"{name}{k}"] % number:
                        kept.append(segment._asdict())
                row[f"{name}{k}"] = kept
        row["lexicon"] = [s._asdict() for s in lexicon(sentence)]
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines)


def main(arguments: list[str]) -> None:
    """Write the six files."""
    default = Path(__file__).resolve().parent.parent / "corpora" / "newsroom"
    folder = Path(arguments[0]) if arguments else default
    folder.mkdir(parents=True, exist_ok=True)
    # The chunker takes a list for one long name: after a comma or "and" it writes I- for B-.
    files = {
        "gold": conll(lambda sentence: sentence.segments),
        "lexicon": conll(lexicon),
        "tagger": conll(tagger),
        "chunker": conll(chunker, slips=(",", "and")),
    }
    for name, text in files.items():
        (folder / f"{name}.conll").write_text(text, encoding="utf-8", newline="\n")
    for name, rows in {"votes": votes(), "runs": runs()}.items():
        (folder / f"{name}.jsonl").write_text(rows, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
