"""Systems against a gold annotation."""
