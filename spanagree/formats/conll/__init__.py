"""CoNLL files: columns of tags, a token on each line."""
