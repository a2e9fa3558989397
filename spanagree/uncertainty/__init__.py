"""Uncertainty of scores: jackknife intervals, tests of differences, and tests against chance."""
