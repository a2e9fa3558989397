"""Tables as text, Markdown, LaTeX, HTML, CSV, JSON and Arrow, and pictures; knows no result."""
