"""Recordings: readers and writers of what is marked in time, which the registry alone asks."""
