"""The HTML report, explanations of figures, and what to cite."""
