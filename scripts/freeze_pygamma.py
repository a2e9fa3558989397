"""Freeze what pygamma-agreement says of the tutorial's recording and of two random ones.

It counts in floats of 32 bits, which hold seven digits. So it is asked twice: as it is, and with
float64 for float32 in a copy of its source. Its dependency cvxopt is GPL: for comparing alone.

Needs: pip install pygamma-agreement (Python 3.11 or older)
Usage: python scripts/freeze_pygamma.py tests/golden/pygamma.json
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import logging
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

Unit = tuple[int, int, str]  # hundredths of a second, and label


def recording() -> dict[str, list[Unit]]:
    """The tutorial's two annotators."""
    import spanagree as sa

    folder = Path(__file__).parent.parent / "corpora" / "recording"
    corpus = sa.read([folder / f"{name}.TextGrid" for name in ("ann", "bob")], resolution="10ms")
    return {
        name: [(s.start, s.end, s.label) for s in segments or ()]
        for name, segments in corpus[0].segments.items()
    }


def drawn(seed: int, annotators: int, units: int) -> dict[str, list[Unit]]:
    """Annotators who mark about the same units, and some a unit less or another label."""
    rng = random.Random(seed)
    made: dict[str, list[Unit]] = {f"a{i}": [] for i in range(annotators)}
    at = 0
    for _ in range(units):
        start = at + rng.randrange(50, 600)
        at = start + rng.randrange(40, 500)
        label = rng.choice("ABC")
        for rows in made.values():
            if rng.random() < 0.85:
                first, last = start + rng.randrange(-20, 21), at + rng.randrange(-19, 20)
                rows.append((first, last, label if rng.random() < 0.8 else rng.choice("ABC")))
    return made


def said(units: dict[str, list[Unit]]) -> dict[str, Any]:
    """What pygamma-agreement says: disorder, and of its random ones number, mean and deviation."""
    import numpy as np
    from pyannote.core import Segment
    from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum

    logging.disable(logging.WARNING)  # one line a solver that is not there
    continuum = Continuum()
    for name, rows in units.items():
        for start, end, label in rows:
            continuum.add(name, Segment(start / 100, end / 100), label)
    np.random.seed(0)  # noqa: NPY002  it draws from the global state
    gamma = continuum.compute_gamma(CombinedCategoricalDissimilarity(), n_samples=300)
    sampled = [float(each.disorder) for each in gamma.chance_alignments]
    return {
        "observed": float(gamma.observed_disorder), "expected": float(np.mean(sampled)),
        "sd": float(np.std(sampled, ddof=1)), "draws": len(sampled),
    }  # fmt: skip


def in_double(units: dict[str, list[Unit]]) -> Any:
    """The same from a copy of its source that counts in floats of 64 bits."""
    found = importlib.util.find_spec("pygamma_agreement")
    assert found is not None
    assert found.origin is not None
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "pygamma_agreement"
        shutil.copytree(
            Path(found.origin).parent, copy, ignore=shutil.ignore_patterns("__pycache__")
        )
        for path in copy.glob("*.py"):
            path.write_text(path.read_text("utf-8").replace("float32", "float64"), "utf-8")
        code = (
            f"import json, sys; sys.path[:0] = [{folder!r}, {str(Path(__file__).parent)!r}]; "
            "from freeze_pygamma import said; print(json.dumps(said(json.loads(sys.argv[1]))))"
        )
        asked = [sys.executable, "-c", code, json.dumps(units)]
        done = subprocess.run(asked, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    cases = {
        "recording": recording(), "two annotators": drawn(1, 2, 25),
        "three annotators": drawn(2, 3, 9),
    }  # fmt: skip
    version = importlib.metadata.version("pygamma-agreement")
    made = {
        name: {"units": units, "single": said(units), "double": in_double(units)}
        for name, units in cases.items()
    }
    text = json.dumps({"pygamma-agreement": version, "cases": made})
    Path(sys.argv[1]).write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
