"""Label Studio: exports read, as JSON and as JSON-MIN, and tasks written for import."""
