"""Systems against many annotators: baselines, the ceiling of people, soft references."""
