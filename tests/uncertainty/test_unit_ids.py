"""Numbers of units by their ids: the same in whatever order the texts of a document stand."""

import numpy as np
from spanagree.uncertainty.unit_ids import ids_of_units

from spanagree.arrays import hashed


def test_ids_of_units():
    """A number for each document, the same in whatever order its texts stand; none without ids."""
    texts = hashed(["b", "a1", "a2"])
    by_hand = [int(texts[0]), sum(map(int, texts[1:])) % 2**64]
    for ids, wholes in ((["b", "a1", "a2"], [0, 1, 1]), (["a2", "b", "a1"], [1, 0, 1])):
        assert ids_of_units(ids, np.array(wholes)).tolist() == by_hand
    assert ids_of_units(["a1", "a2"], np.array([0, 0])).tolist() == by_hand[1:]
    assert ids_of_units([], np.array([], np.int64)).tolist() == []
    assert ids_of_units(None) is ids_of_units(None, np.array([0])) is None
