"""How sure figures are: intervals by the jackknife, tests of differences, and of chance."""
