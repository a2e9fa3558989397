"""Freeze what other programs say about random tables of labels, for the tests to compare with.

The tests need none of these programs. Tables, complete and with gaps, are drawn with a fixed seed;
each program says what it can: nltk π (of two), κ and α, and statsmodels π (Fleiss' kappa), both of
complete tables; krippendorff α; irrCAC π (Fleiss), κ (Conger), AC1 and α, with gaps too. Of grades
from 1, krippendorff says ordinal, interval and ratio α, irrCAC its four with weights; of sets, nltk
says α of complete tables with the distances Jaccard and MASI.

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


def graded(seed: int, items: int, annotators: int, categories: int, there: float) -> Any:
    """Grades from 1 that are near each other, −1 where there is none."""
    rng = np.random.default_rng(100 + seed)
    truth = rng.integers(1, categories + 1, size=(items, 1))
    labels = truth + rng.integers(-1, 2, size=(items, annotators))
    labels = np.clip(labels, 1, categories)
    return np.where(rng.random(labels.shape) < there, labels, -1)


def of_grades(labels: Any, categories: int) -> dict[str, dict[str, float]]:
    """α by measurement, then by weights what irrCAC says."""
    import krippendorff
    import pandas as pd
    from irrCAC.raw import CAC

    values = np.where(labels < 0, np.nan, labels)
    said = {
        kind: {"alpha": float(krippendorff.alpha(values.T, level_of_measurement=kind))}
        for kind in ("ordinal", "interval", "ratio")
    }
    grades = [float(grade) for grade in range(1, categories + 1)]
    for weights in ("linear", "quadratic", "ordinal", "ratio"):
        cac = CAC(pd.DataFrame(values), weights=weights, categories=grades, digits=15)
        found = {"pi": cac.fleiss(), "kappa": cac.conger(), "ac1": cac.gwet()}
        found["alpha"] = cac.krippendorff()
        said[f"weights {weights}"] = {
            name: float(of["est"]["coefficient_value"]) for name, of in found.items()
        }
    return said


def masi(one: frozenset[str], other: frozenset[str]) -> float:
    """Passonneau's distance; nltk's own rounds 2/3 and 1/3."""
    shared = one & other
    by = 1 if one == other else 2 / 3 if shared in (one, other) else 1 / 3
    return 1 - len(shared) / len(one | other) * (by if shared else 0)


def of_sets(seed: int) -> dict[str, Any]:
    from nltk.metrics.agreement import AnnotationTask
    from nltk.metrics.distance import jaccard_distance

    rng = np.random.default_rng(200 + seed)
    sets = ["a", "b", "c", "a|b", "a|c", "b|c", "a|b|c"]
    labels = [[sets[int(k)] for k in rng.integers(7, size=3)] for _ in range(40)]
    labels = [row if rng.random() < 0.5 else [row[0]] * 2 + row[2:] for row in labels]
    rows = [
        (a, i, frozenset(x.split("|"))) for i, row in enumerate(labels) for a, x in enumerate(row)
    ]
    kinds = {"jaccard": jaccard_distance, "masi": masi}
    said = {
        name: float(AnnotationTask(data=rows, distance=distance).alpha())
        for name, distance in kinds.items()
    }
    return {"labels": labels, "values": said}


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
    grades = []
    for seed, shape in enumerate(SHAPES[1:]):
        labels = graded(seed, *shape)
        values = of_grades(labels, shape[2])
        grades.append({"labels": labels.tolist(), "categories": shape[2], "values": values})
    frozen = {"versions": {name: version(name) for name in names}, "cases": cases}
    json.dump({**frozen, "graded": grades, "sets": [of_sets(0), of_sets(1)]}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
