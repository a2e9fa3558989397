"""How sure figures are: bootstrap intervals and permutation tests."""
