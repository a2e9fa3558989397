"""The chance model: where random segments start, exactly and by drawing them."""

from spanagree.chance.start_distributions import CHANCES, start_distribution

__all__ = ["CHANCES", "start_distribution"]
