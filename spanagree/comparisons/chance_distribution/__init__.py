"""How likely each match is by chance: the whole distribution, exactly."""
