"""Freeze what other programs say about random tables of labels, for the tests to compare with.

The tests need none of these programs. Tables, complete and with gaps, are drawn with a fixed seed;
each program says what it can: nltk π (of two), κ and α, and statsmodels π (Fleiss' kappa), both of
complete tables; krippendorff α; irrCAC π (Fleiss), κ (Conger), AC1 and α, with gaps too.

Needs: pip install nltk krippendorff statsmodels irrCAC numpy pandas
Usage: python scripts/freeze_coefficients.py > tests/golden/coefficients.json
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

import numpy as np

SHAPES = [  # items, annotators, categories, share of labels that are there
    (10, 2, 2, 1.0),
    (30, 3, 4, 1.0),
    (100, 5, 3, 1.0),
    (12, 3, 2, 0.8),
    (40, 4, 5, 0.7),
    (200, 9, 3, 0.4),
]


def drawn(seed: int, items: int, annotators: int, categories: int, there: float) -> Any:
    """Labels of items (rows) by annotators (columns), −1 where there is none."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(categories, size=items)
    guess = rng.integers(categories, size=(items, annotators))
    labels = np.where(rng.random((items, annotators)) < 0.6, truth[:, None], guess)
    return np.where(rng.random((items, annotators)) < there, labels, -1)


def of_nltk(labels: Any) -> dict[str, float]:
    from nltk.metrics.agreement import AnnotationTask

    rows = [(str(a), str(i), str(c)) for (i, a), c in np.ndenumerate(labels)]
    task = AnnotationTask(data=rows)
    two = labels.shape[1] == 2  # its pi is Scott's mean over pairs, Fleiss' only for two
    return {"kappa": task.multi_kappa(), "alpha": task.alpha()} | ({"pi": task.pi()} if two else {})


def of_statsmodels(labels: Any) -> dict[str, float]:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    return {"pi": float(fleiss_kappa(aggregate_raters(labels)[0]))}


def of_krippendorff(labels: Any) -> dict[str, float]:
    import krippendorff

    values = np.where(labels < 0, np.nan, labels).T
    return {"alpha": float(krippendorff.alpha(values, level_of_measurement="nominal"))}


def of_irrcac(labels: Any) -> dict[str, float]:
    import pandas as pd
    from irrCAC.raw import CAC

    frame = pd.DataFrame(np.where(labels < 0, np.nan, labels))
    cac = CAC(frame, digits=15)
    found = {
        "pi": cac.fleiss(),
        "kappa": cac.conger(),
        "ac1": cac.gwet(),
        "alpha": cac.krippendorff(),
    }
    return {name: float(of["est"]["coefficient_value"]) for name, of in found.items()}


def main() -> None:
    names = ("nltk", "statsmodels", "krippendorff", "irrCAC")
    cases = []
    for seed, shape in enumerate(SHAPES):
        labels = drawn(seed, *shape)
        complete = bool((labels >= 0).all())
        said = {"krippendorff": of_krippendorff(labels), "irrCAC": of_irrcac(labels)}
        if complete:
            said |= {"nltk": of_nltk(labels), "statsmodels": of_statsmodels(labels)}
        cases.append({"labels": labels.tolist(), "categories": shape[2], "values": said})
    json.dump({"versions": {name: version(name) for name in names}, "cases": cases}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
