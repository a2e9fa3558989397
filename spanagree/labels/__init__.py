"""Coefficients of items with labels: SPA, π, κ, α, AC1."""
