"""Documents, segments, layers and labels: the nouns, how they are checked and repaired."""
