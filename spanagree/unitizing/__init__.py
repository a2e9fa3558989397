"""Agreement on where units are and what they are called: α_U and γ."""
