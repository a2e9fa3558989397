"""The chance model: where random segments start, exactly and by drawing them."""
