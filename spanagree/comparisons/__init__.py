"""How two layers match: observed and expected similarity, tallies and scores."""
