"""Where people train: scores for spaCy's and Hugging Face's own training loops."""
