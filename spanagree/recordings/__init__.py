"""Recordings: readers and writers of segments in time, imported by the registry of formats only."""
