"""The doors: one module for each outside format; nothing else knows formats."""
