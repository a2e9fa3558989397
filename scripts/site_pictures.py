"""The page of pictures of the documentation site: each is drawn while the site is built.

So a picture shows what its command draws now. The commands are those of a reader with the corpora.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from spanagree.cli.main import main

ROOT = Path(__file__).parent.parent
_NEWS = " ".join(
    f"corpora/newsroom/{name}.conll" for name in ("gold", "lexicon", "tagger", "chunker")
)
_CROWD = "corpora/crowd/crowd.jsonl"
PICTURES = {
    "ranks": ("Systems, raw and corrected for chance", f"evaluate {_NEWS}"),
    "intervals": ("Systems, with intervals", f"evaluate {_NEWS} --ci"),
    "labels": ("Labels × systems", f"evaluate {_NEWS} --by label"),
    "levels": ("Systems by difficulty", f"evaluate {_NEWS} --by difficulty"),
    "tests": ("Is one system better?", f"evaluate {_NEWS} --test jackknife"),
    "by_chance": ("Systems against chance", f"evaluate {_NEWS} --test chance"),
    "pairs": ("Pairs of annotators", f"agree {_CROWD}"),
    "annotators": ("Each annotator against the rest", f"agree {_CROWD} --by annotator"),
    "agreement": ("Agreement on each label", f"agree {_CROWD} --by label"),
    "alpha": ("α_U", f"agree {_CROWD} --measure alpha-u"),
    "gamma": ("γ", f"agree {_CROWD} --measure gamma"),
    "coefficients": ("Coefficients of labels", f"coefficients {_CROWD} --tokens"),
    "categories": ("Coefficients by category", f"coefficients {_CROWD} --tokens --by category"),
    "bias": ("How far each annotator agrees", f"coefficients {_CROWD} --tokens --by annotator"),
    "difficulty": ("Chance in documents, by the share that is marked", f"difficulty {_CROWD}"),
    "kinds": ("Kinds of disagreement", f"disagreements {_CROWD} --between ann dia"),
    "confusion": ("Which labels are confused", f"disagreements {_CROWD} --by label"),
    "shares": ("The same as shares", f"disagreements {_CROWD} --rest dia --by share"),
    "slices": ("From slice to slice", f"agree {_CROWD} --by 'note-([0-9])' --ci"),
    "references": (
        "Systems against many annotators",
        "evaluate corpora/answers/answers.jsonl --systems detector,eager --match token --ci",
    ),
    "alt_test": (
        "May one replace another?",
        f"alt-test {_CROWD} --candidate ann --epsilon 0.1 --match token",
    ),
    "votes": ("Shares of the votes", f"gold {_CROWD}"),
    "starts": ("Where random segments start", "chance --length 40 --segments 1,3,8"),
}
"""By file name: the title, and the command without its ``--plot``."""


def draw() -> dict[str, bytes]:
    """Return all pictures as PNG, by file name without extension.

    Raises:
        RuntimeError: if a command fails.
    """
    made, here = {}, Path.cwd()
    os.chdir(ROOT)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name, (_, command) in PICTURES.items():
                path = Path(folder) / f"{name}.png"
                with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as why:
                    code = main([*shlex.split(command), "--plot", str(path)])
                if code:
                    raise RuntimeError(f"{command}: {why.getvalue()}")
                made[name] = path.read_bytes()
    finally:
        os.chdir(here)
    return made


def markdown() -> str:
    """Return the sections of the page."""
    return "\n\n".join(
        f"## {title}\n\n```bash\nspanagree {command} --plot {name}.png\n```\n\n"
        f"![{title}](pictures/{name}.png)"
        for name, (title, command) in PICTURES.items()
    )
